//! The travel environment: what one traveller can book, what is booked, and who is told of it.

mod records;
mod tools;
mod writes;

use provost::ToolDef;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Knowledge;
use super::collection::{found, listed, whole};
use crate::args::Args;
use records::{
    Booking, Car, Contact, Event, Flight, Hotel, Message, Payment, Profile, Rate, Restaurant,
    Review, Scheduled, Shared,
};

/// The state. Prices are in whole units of the currency, days are `YYYY-MM-DD`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Travel {
    today: String,
    profile: Profile,
    flights: Vec<Flight>,
    hotels: Vec<Hotel>,
    reviews: Vec<Review>,
    cars: Vec<Car>,
    restaurants: Vec<Restaurant>,
    bookings: Vec<Booking>,
    messages: Vec<Message>,
    events: Vec<Event>,
    contacts: Vec<Contact>,
    payments: Vec<Payment>,
    rates: Vec<Rate>,
    #[serde(default)]
    scheduled: Vec<Scheduled>,
    #[serde(default)]
    sent: Vec<Message>,
    #[serde(default)]
    shared: Vec<Shared>,
    pub(crate) knowledge: Knowledge,
}

impl Travel {
    pub(crate) fn tools() -> Vec<ToolDef> {
        tools::all()
    }

    pub(crate) fn call(&mut self, tool: &str, args: &Args<'_>) -> Result<Value, String> {
        match tool {
            "get_profile" => whole(&self.profile),
            "search_flights" => self.search_flights(args),
            "search_hotels" => within(&self.hotels, args.text("city")?, |h| &h.city),
            "read_reviews" => within(&self.reviews, args.text("hotel_id")?, |r| &r.hotel),
            "search_cars" => within(&self.cars, args.text("city")?, |c| &c.city),
            "search_restaurants" => within(&self.restaurants, args.text("city")?, |r| &r.city),
            "list_bookings" => whole(&self.bookings),
            "get_booking" => whole(found(
                &self.bookings,
                "booking",
                args.text("booking_id")?,
                |b| &b.id,
            )?),
            "list_messages" => Ok(self.list_messages()),
            "read_message" => whole(found(
                &self.messages,
                "message",
                args.text("message_id")?,
                |m| &m.id,
            )?),
            "list_events" => self.list_events(args),
            "find_contact" => self.find_contact(args),
            "list_payments" => whole(&self.payments),
            "get_rate" => whole(found(
                &self.rates,
                "rate for",
                args.text("currency")?,
                |r| &r.currency,
            )?),
            _ => self.write(tool, args),
        }
    }

    /// The flights between two cities; on one day, where a day is given.
    fn search_flights(&self, args: &Args<'_>) -> Result<Value, String> {
        let (from, to) = (args.text("from")?, args.text("to")?);
        let date = args.optional_text("date")?;
        let fits = |f: &Flight| {
            same(&f.from, from) && same(&f.to, to) && date.is_none_or(|date| f.date == date)
        };
        listed(&self.flights, fits)
    }

    /// The messages without their bodies.
    fn list_messages(&self) -> Value {
        let line = |m: &Message| json!({"id": m.id, "date": m.date, "from": m.from, "to": m.to, "subject": m.subject});
        self.messages.iter().map(line).collect()
    }

    /// The entries that reach into the days asked for; all without days.
    fn list_events(&self, args: &Args<'_>) -> Result<Value, String> {
        let (first, last) = (args.optional_text("from")?, args.optional_text("to")?);
        let fits = |e: &Event| {
            first.is_none_or(|first| e.until.as_str() >= first)
                && last.is_none_or(|last| e.date.as_str() <= last)
        };
        listed(&self.events, fits)
    }

    /// The contacts whose name or firm holds the text.
    fn find_contact(&self, args: &Args<'_>) -> Result<Value, String> {
        let wanted = args.text("name")?.to_lowercase();
        let fits = |c: &Contact| {
            let fields = [&c.name, &c.firm];
            fields.iter().any(|f| f.to_lowercase().contains(&wanted))
        };
        listed(&self.contacts, fits)
    }
}

fn same(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

/// The records whose field is `wanted`.
fn within<T: Serialize>(
    records: &[T],
    wanted: &str,
    of: impl Fn(&T) -> &String,
) -> Result<Value, String> {
    listed(records, |record| same(of(record), wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world() -> Travel {
        toml::from_str(include_str!("../../../data/travel/world.toml")).unwrap()
    }

    fn call(world: &mut Travel, tool: &str, args: &Value) -> Result<Value, String> {
        world.call(tool, &Args::new(args.as_object().unwrap()))
    }

    #[test]
    fn every_tool_is_known_and_no_other() {
        let unknown = |tool: &str| format!("there is no tool `{tool}`");
        for tool in Travel::tools() {
            let result = call(&mut world(), &tool.name, &json!({}));
            assert_ne!(result.err(), Some(unknown(&tool.name)));
        }
        let other = call(&mut world(), "teleport", &json!({}));
        assert_eq!(other, Err(unknown("teleport")));
    }

    #[test]
    fn a_room_is_priced_by_the_night_and_can_be_given_back_once() {
        let mut world = world();
        let stay = |end: &str| json!({"hotel_id": "H-12", "check_in": "2031-05-30", "check_out": end, "guests": 1});
        let booked = call(&mut world, "book_hotel", &stay("2031-06-02")).unwrap();
        assert_eq!(booked["price"], json!(474.0));
        let early = call(&mut world, "book_hotel", &stay("2031-05-30"));
        assert_eq!(early, Err("the stay has to end after it begins".into()));
        let id = json!({"booking_id": booked["id"]});
        assert!(call(&mut world, "cancel_booking", &id).is_ok());
        let twice = call(&mut world, "cancel_booking", &id);
        assert_eq!(twice, Err("the booking is cancelled already".into()));
    }
}
