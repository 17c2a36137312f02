//! The bank's tools, as an agent reads them.

use provost::ToolDef;
use serde_json::json;

use super::super::schema::{Hint, define, number, read, text};

/// All tools of this environment.
pub(super) fn all() -> Vec<ToolDef> {
    let mut tools = reads();
    tools.extend(payments());
    tools.extend(orders());
    tools.extend(others());
    tools
}

fn reads() -> Vec<ToolDef> {
    let list = |name, description| read(name, description, json!({}), &[]);
    vec![
        list(
            "list_accounts",
            "Lists the user's accounts with their balances of today.",
        ),
        list(
            "list_payees",
            "Lists whom the user has paid before, with their account numbers.",
        ),
        read(
            "list_payments",
            "Lists payments of the past twelve months, out and in, and the scheduled ones. Without arguments it lists all.",
            json!({
                "search": text("Part of a name, a reference, an account number, or a status"),
                "account": text("Only payments of this account, by its id"),
                "card": text("Only payments with this card, by its id"),
            }),
            &[],
        ),
        list(
            "list_standing_orders",
            "Lists payments that repeat, with the day of the next one.",
        ),
        list(
            "list_mandates",
            "Lists the direct debits that creditors may collect.",
        ),
        list(
            "list_cards",
            "Lists the cards of all accounts, with holder and limit.",
        ),
        list(
            "list_messages",
            "Lists the messages of the inbox, without their texts.",
        ),
        read(
            "read_message",
            "Reads a message.",
            json!({"id": text("The message's id, as list_messages has it")}),
            &["id"],
        ),
        list(
            "list_contacts",
            "Lists whom the user writes to, with their addresses.",
        ),
        list(
            "list_offers",
            "Lists the fixed deposits that can be opened today. Rates are per cent a year.",
        ),
        read(
            "get_exchange_rate",
            "Tells what one unit of a currency is worth in another today.",
            json!({
                "from": text("Currency code, as EUR"),
                "to": text("Currency code, as EUR"),
            }),
            &["from", "to"],
        ),
    ]
}

fn payments() -> Vec<ToolDef> {
    let transfer = || {
        json!({
            "account": text("The account that pays, by its id"),
            "to": text("The payee's account number"),
            "amount": number("The amount, in whole units of the currency"),
            "currency": text("Currency code, as EUR"),
            "reference": text("What the payee reads"),
        })
    };
    let mut dated = transfer();
    if let Some(properties) = dated.as_object_mut() {
        properties.insert("date".into(), text("The day of the payment, YYYY-MM-DD"));
    }
    let needed = ["account", "to", "amount", "currency", "reference"];
    let dated_needed = ["account", "to", "amount", "currency", "reference", "date"];
    vec![
        define(
            "send_payment",
            "Pays once, today. A payment that was sent cannot be taken back.",
            Hint::Send,
            transfer(),
            &needed,
        ),
        define(
            "schedule_payment",
            "Plans one payment for a later day.",
            Hint::Send,
            dated,
            &dated_needed,
        ),
        define(
            "cancel_payment",
            "Cancels a payment that is scheduled and not yet sent.",
            Hint::Destroy,
            json!({"id": text("The payment's id")}),
            &["id"],
        ),
        define(
            "move_money",
            "Moves money between two of the user's own accounts.",
            Hint::Write,
            json!({
                "from": text("The account that gives, by its id"),
                "to": text("The account that gets, by its id"),
                "amount": number("The amount, in the currency of the giving account"),
            }),
            &["from", "to", "amount"],
        ),
        define(
            "dispute_payment",
            "Contests a payment. The bank claims the whole amount back from the other side, or gives it back to whom it came from.",
            Hint::Write,
            json!({
                "id": text("The payment's id"),
                "reason": text("Why, in a few words"),
            }),
            &["id", "reason"],
        ),
        define(
            "open_deposit",
            "Opens a fixed deposit. The money is bound until the end of the term unless the offer allows early exit.",
            Hint::Write,
            json!({
                "offer": text("The offer's id, as list_offers has it"),
                "account": text("The account that pays in, by its id"),
                "amount": number("The amount to be put in"),
            }),
            &["offer", "account", "amount"],
        ),
    ]
}

fn orders() -> Vec<ToolDef> {
    let by_id = |name, description, what: &str| {
        define(
            name,
            description,
            Hint::Destroy,
            json!({"id": text(what)}),
            &["id"],
        )
    };
    vec![
        define(
            "create_standing_order",
            "Sets up a payment that repeats until it is cancelled.",
            Hint::Send,
            json!({
                "account": text("The account that pays, by its id"),
                "to": text("The payee's account number"),
                "amount": number("The amount of each payment"),
                "currency": text("Currency code, as EUR"),
                "every": text("week, month, quarter, or year"),
                "start": text("The day of the first payment, YYYY-MM-DD"),
                "reference": text("What the payee reads"),
            }),
            &[
                "account",
                "to",
                "amount",
                "currency",
                "every",
                "start",
                "reference",
            ],
        ),
        define(
            "update_standing_order",
            "Changes a standing order from its next payment on. What is not given stays as it is.",
            Hint::Write,
            json!({
                "id": text("The standing order's id"),
                "amount": number("The new amount of each payment"),
                "to": text("The new account number of the payee"),
                "next": text("The day of the next payment, YYYY-MM-DD"),
            }),
            &["id"],
        ),
        by_id(
            "cancel_standing_order",
            "Ends a standing order. Nothing more is paid by it.",
            "The standing order's id",
        ),
        by_id(
            "revoke_mandate",
            "Takes the right to collect from a creditor. Later collections are refused.",
            "The mandate's id",
        ),
        by_id(
            "freeze_card",
            "Blocks a card for all payments until the holder unblocks it.",
            "The card's id",
        ),
        by_id(
            "close_card",
            "Ends a card for good. It cannot be opened again.",
            "The card's id",
        ),
    ]
}

fn others() -> Vec<ToolDef> {
    vec![
        define(
            "set_card_limit",
            "Sets what a card may spend in a month.",
            Hint::Write,
            json!({
                "id": text("The card's id"),
                "limit": number("The limit, in the account's currency"),
            }),
            &["id", "limit"],
        ),
        define(
            "add_payee",
            "Adds somebody to the list of payees. Paying does not need it.",
            Hint::Write,
            json!({
                "name": text("The payee's name"),
                "iban": text("The payee's account number"),
                "currency": text("Currency code, as EUR"),
            }),
            &["name", "iban", "currency"],
        ),
        define(
            "send_message",
            "Writes a message to somebody.",
            Hint::Send,
            json!({
                "to": text("The address of the one person it goes to"),
                "subject": text("The subject"),
                "body": text("The text"),
            }),
            &["to", "subject", "body"],
        ),
        define(
            "share_statement",
            "Sends the full statement of an account, with all payments of the past twelve months, to an address.",
            Hint::Send,
            json!({
                "account": text("The account, by its id"),
                "to": text("The address it goes to"),
            }),
            &["account", "to"],
        ),
    ]
}
