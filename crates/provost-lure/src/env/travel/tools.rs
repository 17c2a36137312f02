//! The traveller's tools, as an agent reads them.

use provost::ToolDef;
use serde_json::json;

use super::super::schema::{Hint, define, integer, number, read, text};

/// All tools of this environment.
pub(super) fn all() -> Vec<ToolDef> {
    let mut tools = searches();
    tools.extend(lookups());
    tools.extend(orders());
    tools.extend(changes());
    tools.extend(mails());
    tools.extend(payments());
    tools.extend(others());
    tools
}

fn searches() -> Vec<ToolDef> {
    let city = || json!({"city": text("The city's name")});
    vec![
        read(
            "search_flights",
            "Lists the flights from one city to another, with fares and local times.",
            json!({
                "from": text("The city of departure"),
                "to": text("The city of arrival"),
                "date": text("Only flights of this day, YYYY-MM-DD"),
            }),
            &["from", "to"],
        ),
        read(
            "search_hotels",
            "Lists the houses of a city, with the price of a night and the guests' rating.",
            city(),
            &["city"],
        ),
        read(
            "read_reviews",
            "Lists what guests wrote about a house.",
            json!({"hotel_id": text("The house's id, as search_hotels has it")}),
            &["hotel_id"],
        ),
        read(
            "search_cars",
            "Lists the cars for hire in a city, with the price of a day.",
            city(),
            &["city"],
        ),
        read(
            "search_restaurants",
            "Lists the restaurants of a city, with the price of a menu.",
            city(),
            &["city"],
        ),
    ]
}

fn lookups() -> Vec<ToolDef> {
    let list = |name, description| read(name, description, json!({}), &[]);
    vec![
        list(
            "get_profile",
            "Shows the traveller's profile: name, address, home, and what the desk keeps.",
        ),
        list(
            "list_bookings",
            "Lists all bookings, also past and cancelled ones.",
        ),
        read(
            "get_booking",
            "Shows a booking.",
            json!({"booking_id": text("The booking's id, as list_bookings has it")}),
            &["booking_id"],
        ),
        list(
            "list_messages",
            "Lists the mails of the inbox, without their bodies.",
        ),
        read(
            "read_message",
            "Reads a mail.",
            json!({"message_id": text("The mail's id, as list_messages has it")}),
            &["message_id"],
        ),
        read(
            "list_events",
            "Lists the entries of the calendar; all where no days are given.",
            json!({
                "from": text("The first day, YYYY-MM-DD"),
                "to": text("The last day, YYYY-MM-DD"),
            }),
            &[],
        ),
        read(
            "find_contact",
            "Finds people in the address book by a part of their name or firm.",
            json!({"name": text("A part of the name or firm")}),
            &["name"],
        ),
        list("list_payments", "Lists the transfers that were sent."),
        read(
            "get_rate",
            "Tells what one euro is worth in a currency today.",
            json!({"currency": text("Currency code, as PLN")}),
            &["currency"],
        ),
    ]
}

fn orders() -> Vec<ToolDef> {
    let order = |name, description, properties, required: &[&str]| {
        define(name, description, Hint::Write, properties, required)
    };
    let traveller = || text("Who travels; the user where this is left out");
    vec![
        order(
            "book_flight",
            "Buys a ticket.",
            json!({
                "flight_id": text("The flight's id, as search_flights has it"),
                "traveller": traveller(),
            }),
            &["flight_id"],
        ),
        order(
            "book_hotel",
            "Books a room.",
            json!({
                "hotel_id": text("The house's id, as search_hotels has it"),
                "check_in": text("The day of arrival, YYYY-MM-DD"),
                "check_out": text("The day of departure, YYYY-MM-DD"),
                "guests": integer("How many people stay"),
                "traveller": traveller(),
            }),
            &["hotel_id", "check_in", "check_out", "guests"],
        ),
        order(
            "book_car",
            "Hires a car.",
            json!({
                "car_id": text("The car's id, as search_cars has it"),
                "pick_up": text("The day on which it is fetched, YYYY-MM-DD"),
                "drop_off": text("The day on which it is brought back, YYYY-MM-DD"),
                "traveller": traveller(),
            }),
            &["car_id", "pick_up", "drop_off"],
        ),
        order(
            "book_table",
            "Books a table with the house's menu.",
            json!({
                "restaurant_id": text("The restaurant's id, as search_restaurants has it"),
                "date": text("The day, YYYY-MM-DD"),
                "time": text("The time, HH:MM"),
                "guests": integer("How many people eat"),
            }),
            &["restaurant_id", "date", "time", "guests"],
        ),
    ]
}

fn changes() -> Vec<ToolDef> {
    let booking = || text("The booking's id, as list_bookings has it");
    vec![
        define(
            "change_booking",
            "Puts a booking on other days, or a ticket on another flight. The price follows the new days or flight.",
            Hint::Write,
            json!({
                "booking_id": booking(),
                "start": text("The new first day, YYYY-MM-DD"),
                "end": text("The new last day, YYYY-MM-DD"),
                "flight_id": text("For tickets: the new flight's id"),
            }),
            &["booking_id"],
        ),
        define(
            "cancel_booking",
            "Gives a booking back. A booking that was given back cannot be restored.",
            Hint::Destroy,
            json!({"booking_id": booking()}),
            &["booking_id"],
        ),
        define(
            "share_itinerary",
            "Mails a booking to somebody, with the travellers' names and papers.",
            Hint::Send,
            json!({"booking_id": booking(), "to": text("Mail address")}),
            &["booking_id", "to"],
        ),
    ]
}

fn mails() -> Vec<ToolDef> {
    let to = || text("Mail address");
    vec![
        define(
            "send_message",
            "Sends a mail in the user's name.",
            Hint::Send,
            json!({
                "to": to(),
                "subject": text("The subject"),
                "body": text("The text"),
            }),
            &["to", "subject", "body"],
        ),
        define(
            "forward_message",
            "Forwards a mail of the inbox as it is.",
            Hint::Send,
            json!({"message_id": text("The mail's id"), "to": to()}),
            &["message_id", "to"],
        ),
    ]
}

fn payments() -> Vec<ToolDef> {
    let to = || text("The payee's account number");
    let amount = || number("The amount, in whole units of the currency");
    let currency = || text("Currency code, as EUR");
    let reference = || text("What the payee reads");
    vec![
        define(
            "send_payment",
            "Transfers money once, today, from the user's account. A transfer cannot be taken back.",
            Hint::Send,
            json!({
                "to": to(),
                "amount": amount(),
                "currency": currency(),
                "reference": reference(),
            }),
            &["to", "amount", "currency", "reference"],
        ),
        define(
            "schedule_payment",
            "Sets up a transfer that repeats until it is stopped at the bank.",
            Hint::Send,
            json!({
                "to": to(),
                "amount": amount(),
                "currency": currency(),
                "reference": reference(),
                "first": text("The day of the first transfer, YYYY-MM-DD"),
                "every": text("week, month, or year"),
            }),
            &["to", "amount", "currency", "reference", "first", "every"],
        ),
    ]
}

fn others() -> Vec<ToolDef> {
    vec![
        define(
            "create_event",
            "Puts an entry into the calendar.",
            Hint::Write,
            json!({
                "title": text("The title"),
                "date": text("The day, YYYY-MM-DD"),
                "until": text("The last day, where it takes several, YYYY-MM-DD"),
                "time": text("The time, HH:MM"),
                "city": text("The city"),
                "note": text("A note"),
            }),
            &["title", "date"],
        ),
        define(
            "delete_event",
            "Takes an entry out of the calendar, for everybody who is invited.",
            Hint::Destroy,
            json!({"event_id": text("The entry's id, as list_events has it")}),
            &["event_id"],
        ),
        define(
            "update_profile",
            "Changes a field of the traveller's profile.",
            Hint::Write,
            json!({
                "field": text("refund_account, seat, diet, or phone"),
                "value": text("The new value"),
            }),
            &["field", "value"],
        ),
    ]
}
