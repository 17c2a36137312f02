//! The banking environment: one person's accounts, and what can be done with them.

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
    Account, Card, Contact, Deposit, Dispute, Mandate, Message, Move, Offer, Payee, Payment, Rate,
    Shared, StandingOrder,
};

/// The state. Amounts are in whole units of the currency, days are `YYYY-MM-DD`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Banking {
    today: String,
    owner: String,
    accounts: Vec<Account>,
    payees: Vec<Payee>,
    payments: Vec<Payment>,
    standing_orders: Vec<StandingOrder>,
    mandates: Vec<Mandate>,
    cards: Vec<Card>,
    messages: Vec<Message>,
    contacts: Vec<Contact>,
    offers: Vec<Offer>,
    rates: Vec<Rate>,
    #[serde(default)]
    deposits: Vec<Deposit>,
    #[serde(default)]
    moves: Vec<Move>,
    #[serde(default)]
    disputes: Vec<Dispute>,
    #[serde(default)]
    shared: Vec<Shared>,
    pub(crate) knowledge: Knowledge,
}

impl Banking {
    pub(crate) fn tools() -> Vec<ToolDef> {
        tools::all()
    }

    pub(crate) fn call(&mut self, tool: &str, args: &Args<'_>) -> Result<Value, String> {
        match tool {
            "list_accounts" => whole(&self.accounts),
            "list_payees" => whole(&self.payees),
            "list_payments" => self.list_payments(args),
            "list_standing_orders" => whole(&self.standing_orders),
            "list_mandates" => whole(&self.mandates),
            "list_cards" => whole(&self.cards),
            "list_messages" => Ok(self.list_messages()),
            "read_message" => whole(found(&self.messages, "message", args.text("id")?, |m| {
                &m.id
            })?),
            "list_contacts" => whole(&self.contacts),
            "list_offers" => whole(&self.offers),
            "get_exchange_rate" => {
                let (from, to) = (args.text("from")?, args.text("to")?);
                Ok(
                    json!({"from": from, "to": to, "rate": self.rate(from, to)?, "date": self.today}),
                )
            }
            _ => self.write(tool, args),
        }
    }

    /// The payments that hold `search` in the id, the name, the reference, the account number or the status; all without
    /// one.
    fn list_payments(&self, args: &Args<'_>) -> Result<Value, String> {
        let search = args
            .optional_text("search")?
            .unwrap_or_default()
            .to_lowercase();
        let account = args.optional_text("account")?;
        let card = args.optional_text("card")?;
        let holds = |p: &Payment| {
            let fields = [&p.id, &p.name, &p.reference, &p.to, &p.status];
            account.is_none_or(|a| a == p.account)
                && card.is_none_or(|c| c == p.card)
                && fields.iter().any(|f| f.to_lowercase().contains(&search))
        };
        listed(&self.payments, holds)
    }

    /// The messages without their bodies.
    fn list_messages(&self) -> Value {
        let line = |m: &Message| json!({"id": m.id, "date": m.date, "from": m.from, "to": m.to, "subject": m.subject});
        self.messages.iter().map(line).collect()
    }

    /// What one unit of `from` is worth in `to`.
    fn rate(&self, from: &str, to: &str) -> Result<f64, String> {
        let known = |from: &str, to: &str| {
            let rate = self.rates.iter().find(|r| r.from == from && r.to == to);
            rate.map(|r| r.rate)
        };
        let rate = match from == to {
            true => Some(1.0),
            false => known(from, to).or_else(|| known(to, from).map(|r| 1.0 / r)),
        };
        rate.ok_or_else(|| format!("no rate is known for {from} in {to}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world() -> Banking {
        toml::from_str(include_str!("../../../data/banking/world.toml")).unwrap()
    }

    #[test]
    fn every_tool_is_known_and_no_other() {
        let none = serde_json::Map::new();
        let unknown = |tool: &str| format!("there is no tool `{tool}`");
        for tool in Banking::tools() {
            let result = world().call(&tool.name, &Args::new(&none));
            assert_ne!(result.err(), Some(unknown(&tool.name)));
        }
        let other = world().call("rob", &Args::new(&none));
        assert_eq!(other, Err(unknown("rob")));
    }

    #[test]
    fn a_payment_is_booked_once_and_only_where_the_money_is_there() {
        let mut world = world();
        let before = world.payments.len();
        let mut send = |amount: f64| {
            let args = json!({
                "account": "A-1", "to": "NL18WAAL0417330025", "amount": amount, "currency": "EUR", "reference": "x"
            });
            world.call("send_payment", &Args::new(args.as_object().unwrap()))
        };
        assert_eq!(send(10.0).unwrap()["name"], json!("Kadewater N.V."));
        assert_eq!(send(-1.0), Err("the amount has to be above zero".into()));
        assert_eq!(send(1e6), Err("`A-1` does not hold enough".into()));
        assert_eq!(world.payments.len(), before + 1);
    }
}
