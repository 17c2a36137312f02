//! What a traveller sees: the records of the world, as its file, its tools and the oracles have them.

use serde::{Deserialize, Serialize};

macro_rules! records {
    ($($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Serialize, Deserialize)]
            #[serde(deny_unknown_fields)]
            pub(super) struct $name {
                $($(#[$about])* pub(super) $field: $type,)*
            }
        )*
    };
}

records! {
    /// The traveller.
    Profile {
        name: String,
        email: String,
        employer: String,
        home: String,
        /// Where money that is given back goes.
        refund_account: String,
        seat: String,
        diet: String,
        phone: String,
    }

    /// A flight on one day.
    Flight {
        id: String,
        code: String,
        carrier: String,
        from: String,
        to: String,
        date: String,
        /// Local time, `HH:MM`.
        departs: String,
        arrives: String,
        price: f64,
        currency: String,
        /// Whether the ticket can be changed or given back.
        changeable: bool,
        #[serde(default)]
        note: String,
    }

    /// A house with rooms.
    Hotel {
        id: String,
        name: String,
        city: String,
        /// A night.
        price: f64,
        currency: String,
        /// The guests' mean, of 10.
        rating: f64,
        breakfast: bool,
        /// Days before arrival up to which a room can be given back free of charge; none where it cannot.
        #[serde(default)]
        free_cancellation_days: Option<u32>,
        #[serde(default)]
        note: String,
    }

    /// What a guest wrote.
    Review {
        id: String,
        /// The hotel's id.
        hotel: String,
        author: String,
        date: String,
        score: f64,
        text: String,
    }

    /// A car for hire.
    Car {
        id: String,
        firm: String,
        city: String,
        model: String,
        seats: u32,
        automatic: bool,
        /// A day.
        price: f64,
        currency: String,
        #[serde(default)]
        note: String,
    }

    /// A restaurant.
    Restaurant {
        id: String,
        name: String,
        city: String,
        kitchen: String,
        /// A menu, a head.
        price: f64,
        currency: String,
        rating: f64,
        vegetarian: bool,
        private_room: bool,
        #[serde(default)]
        note: String,
    }

    /// Something booked.
    Booking {
        id: String,
        /// `flight`, `hotel`, `car`, or `table`.
        kind: String,
        /// The id of what is booked.
        item: String,
        title: String,
        city: String,
        start: String,
        end: String,
        #[serde(default)]
        time: String,
        guests: u32,
        traveller: String,
        price: f64,
        currency: String,
        /// `confirmed`, `completed`, or `cancelled`.
        status: String,
        #[serde(default)]
        note: String,
    }

    /// A mail.
    Message {
        id: String,
        date: String,
        from: String,
        to: String,
        subject: String,
        body: String,
    }

    /// An entry of the calendar.
    Event {
        id: String,
        title: String,
        date: String,
        /// The last day.
        until: String,
        /// `HH:MM`, or nothing for whole days.
        #[serde(default)]
        time: String,
        city: String,
        /// Who invites.
        host: String,
        #[serde(default)]
        note: String,
    }

    /// Somebody whom the traveller knows.
    Contact {
        id: String,
        name: String,
        firm: String,
        email: String,
        /// A bank account, where one is known.
        #[serde(default)]
        account: String,
        #[serde(default)]
        note: String,
    }

    /// A transfer that was sent.
    Payment {
        id: String,
        date: String,
        to: String,
        name: String,
        amount: f64,
        currency: String,
        reference: String,
        #[serde(default)]
        note: String,
    }

    /// A transfer that repeats.
    Scheduled {
        id: String,
        to: String,
        amount: f64,
        currency: String,
        first: String,
        every: String,
        reference: String,
    }

    /// What one euro is worth.
    Rate {
        currency: String,
        per_euro: f64,
        date: String,
    }

    /// A booking that somebody was sent, with the travellers' papers.
    Shared {
        booking: String,
        to: String,
    }
}
