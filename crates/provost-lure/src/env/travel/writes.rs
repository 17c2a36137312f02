//! What changes the state: bookings, mails, payments, the calendar, the profile.

use serde_json::{Value, json};

use super::super::collection::{found, found_mut, next_id, whole};
use super::Travel;
use super::records::{Booking, Event, Message, Payment, Scheduled, Shared};
use crate::args::Args;

impl Travel {
    pub(super) fn write(&mut self, tool: &str, args: &Args<'_>) -> Result<Value, String> {
        match tool {
            "book_flight" => self.book_flight(args),
            "book_hotel" => self.book_hotel(args),
            "book_car" => self.book_car(args),
            "book_table" => self.book_table(args),
            "change_booking" => self.change_booking(args),
            "cancel_booking" => self.cancel_booking(args),
            "share_itinerary" => self.share_itinerary(args),
            "send_message" => {
                let (subject, body) = (args.text("subject")?, args.text("body")?);
                self.send(args.text("to")?, subject.to_owned(), body.to_owned())
            }
            "forward_message" => self.forward_message(args),
            "send_payment" => self.send_payment(args),
            "schedule_payment" => self.schedule_payment(args),
            "create_event" => self.create_event(args),
            "delete_event" => self.delete_event(args),
            "update_profile" => self.update_profile(args),
            _ => Err(format!("there is no tool `{tool}`")),
        }
    }

    fn book_flight(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let flight = found(&self.flights, "flight", args.text("flight_id")?, |f| &f.id)?;
        let booking = Booking {
            kind: "flight".into(),
            item: flight.id.clone(),
            title: format!("{} {} - {}", flight.code, flight.from, flight.to),
            city: flight.to.clone(),
            start: flight.date.clone(),
            end: flight.date.clone(),
            time: flight.departs.clone(),
            price: flight.price,
            currency: flight.currency.clone(),
            ..self.blank(args)?
        };
        self.book(booking)
    }

    fn book_hotel(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let hotel = found(&self.hotels, "hotel", args.text("hotel_id")?, |h| &h.id)?;
        let (start, end) = (args.text("check_in")?, args.text("check_out")?);
        let booking = Booking {
            kind: "hotel".into(),
            item: hotel.id.clone(),
            title: hotel.name.clone(),
            city: hotel.city.clone(),
            start: start.to_owned(),
            end: end.to_owned(),
            price: hotel.price * span(start, end, "the stay")?,
            currency: hotel.currency.clone(),
            ..self.blank(args)?
        };
        self.book(booking)
    }

    fn book_car(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let car = found(&self.cars, "car", args.text("car_id")?, |c| &c.id)?;
        let (start, end) = (args.text("pick_up")?, args.text("drop_off")?);
        let booking = Booking {
            kind: "car".into(),
            item: car.id.clone(),
            title: format!("{} ({})", car.model, car.firm),
            city: car.city.clone(),
            start: start.to_owned(),
            end: end.to_owned(),
            price: car.price * span(start, end, "the hire")?,
            currency: car.currency.clone(),
            ..self.blank(args)?
        };
        self.book(booking)
    }

    fn book_table(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let id = args.text("restaurant_id")?;
        let house = found(&self.restaurants, "restaurant", id, |r| &r.id)?;
        let blank = self.blank(args)?;
        let booking = Booking {
            kind: "table".into(),
            item: house.id.clone(),
            title: house.name.clone(),
            city: house.city.clone(),
            start: args.text("date")?.to_owned(),
            end: args.text("date")?.to_owned(),
            time: args.text("time")?.to_owned(),
            price: house.price * f64::from(blank.guests),
            currency: house.currency.clone(),
            ..blank
        };
        self.book(booking)
    }

    /// A booking of which only the number, the guests and the traveller are known.
    fn blank(&self, args: &Args<'_>) -> Result<Booking, String> {
        let guests = args.optional_integer("guests")?.unwrap_or(1);
        let guests = u32::try_from(guests).ok().filter(|g| (1..=40).contains(g));
        let traveller = args.optional_text("traveller")?;
        Ok(Booking {
            id: next_id("B", self.bookings.iter().map(|b| &b.id)),
            kind: String::new(),
            item: String::new(),
            title: String::new(),
            city: String::new(),
            start: String::new(),
            end: String::new(),
            time: String::new(),
            guests: guests.ok_or("the number of guests has to be between 1 and 40")?,
            traveller: traveller.unwrap_or(&self.profile.name).to_owned(),
            price: 0.0,
            currency: String::new(),
            status: "confirmed".into(),
            note: String::new(),
        })
    }

    fn book(&mut self, booking: Booking) -> Result<Value, String> {
        if booking.start < self.today {
            return Err("the day is over".into());
        }
        self.bookings.push(booking.clone());
        whole(&booking)
    }

    /// Puts a booking on other days, or a ticket on another flight; the price follows.
    fn change_booking(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let id = args.text("booking_id")?;
        let mut booking = found(&self.bookings, "booking", id, |b| &b.id)?.clone();
        if booking.status != "confirmed" {
            return Err(format!("the booking is {} already", booking.status));
        }
        if let Some(flight) = args.optional_text("flight_id")? {
            let flight = found(&self.flights, "flight", flight, |f| &f.id)?;
            if booking.kind != "flight" {
                return Err("only a ticket can be put on a flight".into());
            }
            booking.item = flight.id.clone();
            booking.title = format!("{} {} - {}", flight.code, flight.from, flight.to);
            booking.city = flight.to.clone();
            booking.start = flight.date.clone();
            booking.end = flight.date.clone();
            booking.time = flight.departs.clone();
            booking.price = flight.price;
            booking.currency = flight.currency.clone();
        }
        let (start, end) = (args.optional_text("start")?, args.optional_text("end")?);
        if booking.kind == "hotel" || booking.kind == "car" {
            let before = span(&booking.start, &booking.end, "the booking")?;
            booking.start = start.unwrap_or(&booking.start).to_owned();
            booking.end = end.unwrap_or(&booking.end).to_owned();
            let after = span(&booking.start, &booking.end, "the booking")?;
            booking.price = booking.price / before * after;
        } else if let Some(start) = start {
            day(start)?;
            booking.start = start.to_owned();
            booking.end = start.to_owned();
        }
        *found_mut(&mut self.bookings, "booking", id, |b| &b.id)? = booking.clone();
        whole(&booking)
    }

    fn cancel_booking(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let id = args.text("booking_id")?;
        let booking = found_mut(&mut self.bookings, "booking", id, |b| &b.id)?;
        if booking.status != "confirmed" {
            return Err(format!("the booking is {} already", booking.status));
        }
        booking.status = "cancelled".into();
        whole(booking)
    }

    fn share_itinerary(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let id = args.text("booking_id")?;
        let booking = found(&self.bookings, "booking", id, |b| &b.id)?.id.clone();
        let to = address(args.text("to")?)?.to_owned();
        let shared = Shared { booking, to };
        self.shared.push(shared.clone());
        whole(&shared)
    }

    fn forward_message(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let id = args.text("message_id")?;
        let message = found(&self.messages, "message", id, |m| &m.id)?;
        let subject = format!("Fwd: {}", message.subject);
        let body = format!("From: {}\n\n{}", message.from, message.body);
        self.send(args.text("to")?, subject, body)
    }

    fn send(&mut self, to: &str, subject: String, body: String) -> Result<Value, String> {
        let message = Message {
            id: next_id("S", self.sent.iter().map(|m| &m.id)),
            date: self.today.clone(),
            from: self.profile.email.clone(),
            to: address(to)?.to_owned(),
            subject,
            body,
        };
        self.sent.push(message.clone());
        whole(&message)
    }

    fn send_payment(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let to = args.text("to")?;
        let known = self.contacts.iter().find(|c| c.account == to);
        let payment = Payment {
            id: next_id("P", self.payments.iter().map(|p| &p.id)),
            date: self.today.clone(),
            to: to.to_owned(),
            name: known.map(|c| c.name.clone()).unwrap_or_default(),
            amount: self.amount(args)?,
            currency: args.text("currency")?.to_owned(),
            reference: args.text("reference")?.to_owned(),
            note: String::new(),
        };
        self.payments.push(payment.clone());
        whole(&payment)
    }

    fn schedule_payment(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let every = args.text("every")?;
        if !["week", "month", "year"].contains(&every) {
            return Err("`every` has to be week, month, or year".into());
        }
        day(args.text("first")?)?;
        let scheduled = Scheduled {
            id: next_id("R", self.scheduled.iter().map(|s| &s.id)),
            to: args.text("to")?.to_owned(),
            amount: self.amount(args)?,
            currency: args.text("currency")?.to_owned(),
            first: args.text("first")?.to_owned(),
            every: every.to_owned(),
            reference: args.text("reference")?.to_owned(),
        };
        self.scheduled.push(scheduled.clone());
        whole(&scheduled)
    }

    /// The amount, where there is one and the currency is known.
    fn amount(&self, args: &Args<'_>) -> Result<f64, String> {
        let amount = args.number("amount")?;
        let currency = args.text("currency")?;
        if currency != "EUR" {
            found(&self.rates, "rate for", currency, |r| &r.currency)?;
        }
        match amount > 0.0 {
            true => Ok(amount),
            false => Err("the amount has to be above zero".into()),
        }
    }

    fn create_event(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let date = args.text("date")?;
        day(date)?;
        let event = Event {
            id: next_id("E", self.events.iter().map(|e| &e.id)),
            title: args.text("title")?.to_owned(),
            date: date.to_owned(),
            until: args.optional_text("until")?.unwrap_or(date).to_owned(),
            time: args.optional_text("time")?.unwrap_or_default().to_owned(),
            city: args.optional_text("city")?.unwrap_or_default().to_owned(),
            host: self.profile.name.clone(),
            note: args.optional_text("note")?.unwrap_or_default().to_owned(),
        };
        self.events.push(event.clone());
        whole(&event)
    }

    fn delete_event(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let id = args.text("event_id")?;
        let event = found(&self.events, "event", id, |e| &e.id)?.clone();
        self.events.retain(|e| e.id != id);
        Ok(json!({"deleted": event.id, "title": event.title}))
    }

    fn update_profile(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let value = args.text("value")?.to_owned();
        match args.text("field")? {
            "refund_account" => self.profile.refund_account = value,
            "seat" => self.profile.seat = value,
            "diet" => self.profile.diet = value,
            "phone" => self.profile.phone = value,
            field => return Err(format!("`{field}` cannot be changed here")),
        }
        whole(&self.profile)
    }
}

fn address(text: &str) -> Result<&str, String> {
    match text.split_once('@') {
        Some((name, host)) if !name.is_empty() && host.contains('.') => Ok(text),
        _ => Err(format!("`{text}` is no mail address")),
    }
}

/// The days from one date to another; an error where there are none.
fn span(start: &str, end: &str, what: &str) -> Result<f64, String> {
    let days = day(end)? - day(start)?;
    match u32::try_from(days).ok().filter(|d| *d > 0) {
        Some(days) => Ok(f64::from(days)),
        None => Err(format!("{what} has to end after it begins")),
    }
}

/// The number of a day, counted from the first of March of the year 0.
fn day(date: &str) -> Result<i32, String> {
    let wrong = || format!("`{date}` is no day as 2031-05-12");
    let parts: Vec<i32> = date.split('-').filter_map(|p| p.parse().ok()).collect();
    let &[year, month, day] = parts.as_slice() else {
        return Err(wrong());
    };
    if date.len() != 10 || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return Err(wrong());
    }
    let (year, month) = match month > 2 {
        true => (year, month - 3),
        false => (year - 1, month + 9),
    };
    Ok(365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1)
}
