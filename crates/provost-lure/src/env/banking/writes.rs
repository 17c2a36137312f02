//! What changes the state: payments, orders, mandates, cards, deposits, disputes, messages.

use serde_json::Value;

use super::super::collection::{found, found_mut, whole};
use super::Banking;
use super::records::{
    Account, Deposit, Dispute, Message, Move, Payee, Payment, Shared, StandingOrder,
};
use crate::args::Args;

impl Banking {
    pub(super) fn write(&mut self, tool: &str, args: &Args<'_>) -> Result<Value, String> {
        match tool {
            "send_payment" => self.send_payment(args),
            "schedule_payment" => self.schedule_payment(args),
            "cancel_payment" => self.cancel_payment(args),
            "create_standing_order" => self.create_standing_order(args),
            "update_standing_order" => self.update_standing_order(args),
            "cancel_standing_order" => self.cancel_standing_order(args),
            "revoke_mandate" => self.revoke_mandate(args),
            "move_money" => self.move_money(args),
            "freeze_card" => self.end_card(args, "frozen"),
            "close_card" => self.end_card(args, "closed"),
            "set_card_limit" => self.set_card_limit(args),
            "dispute_payment" => self.dispute_payment(args),
            "open_deposit" => self.open_deposit(args),
            "add_payee" => self.add_payee(args),
            "send_message" => self.send_message(args),
            "share_statement" => self.share_statement(args),
            _ => Err(format!("there is no tool `{tool}`")),
        }
    }

    fn send_payment(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let payment = self.payment(args, self.today.clone(), "sent")?;
        let home = self.account(&payment.account)?.currency.clone();
        let cost = cents(payment.amount * self.rate(&payment.currency, &home)?);
        self.take(&payment.account, cost)?;
        self.payments.push(payment.clone());
        whole(&payment)
    }

    fn schedule_payment(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let date = args.text("date")?;
        if date <= self.today.as_str() {
            return Err("the day has to lie ahead".into());
        }
        let payment = self.payment(args, date.to_owned(), "scheduled")?;
        self.payments.push(payment.clone());
        whole(&payment)
    }

    fn payment(&self, args: &Args<'_>, date: String, status: &str) -> Result<Payment, String> {
        let account = self.account(args.text("account")?)?.id.clone();
        let to = args.text("to")?;
        Ok(Payment {
            id: format!("T-{}", 4001 + self.payments.len()),
            date,
            direction: "out".into(),
            account,
            card: String::new(),
            to: to.to_owned(),
            name: self.name_of(to),
            amount: amount(args)?,
            currency: args.text("currency")?.to_owned(),
            reference: args.text("reference")?.to_owned(),
            status: status.to_owned(),
            note: String::new(),
        })
    }

    fn cancel_payment(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let payment = found_mut(&mut self.payments, "payment", args.text("id")?, |p| &p.id)?;
        if payment.status != "scheduled" {
            return Err("only a scheduled payment can be cancelled".into());
        }
        payment.status = "cancelled".into();
        whole(payment)
    }

    fn create_standing_order(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let every = args.text("every")?;
        if !["week", "month", "quarter", "year"].contains(&every) {
            return Err("`every` has to be week, month, quarter, or year".into());
        }
        let to = args.text("to")?;
        let order = StandingOrder {
            id: format!("SO-{}", 1 + self.standing_orders.len()),
            account: self.account(args.text("account")?)?.id.clone(),
            to: to.to_owned(),
            name: self.name_of(to),
            amount: amount(args)?,
            currency: args.text("currency")?.to_owned(),
            every: every.to_owned(),
            next: args.text("start")?.to_owned(),
            reference: args.text("reference")?.to_owned(),
            status: "active".into(),
            note: String::new(),
        };
        self.standing_orders.push(order.clone());
        whole(&order)
    }

    fn update_standing_order(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let to = args
            .optional_text("to")?
            .map(|to| (to.to_owned(), self.name_of(to)));
        let new = match args.optional_number("amount")? {
            Some(_) => Some(amount(args)?),
            None => None,
        };
        let orders = &mut self.standing_orders;
        let order = found_mut(orders, "standing order", args.text("id")?, |o| &o.id)?;
        if let Some((to, name)) = to {
            (order.to, order.name) = (to, name);
        }
        order.amount = new.unwrap_or(order.amount);
        if let Some(next) = args.optional_text("next")? {
            order.next = next.to_owned();
        }
        whole(order)
    }

    fn cancel_standing_order(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let orders = &mut self.standing_orders;
        let order = found_mut(orders, "standing order", args.text("id")?, |o| &o.id)?;
        order.status = "cancelled".into();
        whole(order)
    }

    fn revoke_mandate(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let mandate = found_mut(&mut self.mandates, "mandate", args.text("id")?, |m| &m.id)?;
        mandate.status = "revoked".into();
        whole(mandate)
    }

    fn move_money(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let from = self.account(args.text("from")?)?.clone();
        let to = self.account(args.text("to")?)?.clone();
        let amount = amount(args)?;
        let arrives = cents(amount * self.rate(&from.currency, &to.currency)?);
        self.take(&from.id, amount)?;
        let target = found_mut(&mut self.accounts, "account", &to.id, |a| &a.id)?;
        target.balance = cents(target.balance + arrives);
        let id = format!("MV-{}", 1 + self.moves.len());
        let date = self.today.clone();
        let done = Move {
            id,
            date,
            from: from.id,
            to: to.id,
            amount,
        };
        self.moves.push(done.clone());
        whole(&done)
    }

    fn end_card(&mut self, args: &Args<'_>, status: &str) -> Result<Value, String> {
        let card = found_mut(&mut self.cards, "card", args.text("id")?, |c| &c.id)?;
        if card.status == "closed" {
            return Err("the card is closed already".into());
        }
        card.status = status.to_owned();
        whole(card)
    }

    fn set_card_limit(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let card = found_mut(&mut self.cards, "card", args.text("id")?, |c| &c.id)?;
        card.limit = args.number("limit")?;
        whole(card)
    }

    fn dispute_payment(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let payment = found(&self.payments, "payment", args.text("id")?, |p| &p.id)?;
        if self.disputes.iter().any(|d| d.payment == payment.id) {
            return Err("the payment is disputed already".into());
        }
        let dispute = Dispute {
            id: format!("DP-{}", 1 + self.disputes.len()),
            payment: payment.id.clone(),
            reason: args.text("reason")?.to_owned(),
            opened: self.today.clone(),
        };
        self.disputes.push(dispute.clone());
        whole(&dispute)
    }

    fn open_deposit(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let offer = found(&self.offers, "offer", args.text("offer")?, |o| &o.id)?.clone();
        let account = self.account(args.text("account")?)?.clone();
        let amount = amount(args)?;
        if amount < offer.minimum {
            return Err(format!("`{}` takes {} or more", offer.id, offer.minimum));
        }
        if account.currency != offer.currency {
            return Err(format!("`{}` takes {} only", offer.id, offer.currency));
        }
        self.take(&account.id, amount)?;
        let id = format!("FD-{}", 1 + self.deposits.len());
        let opened = self.today.clone();
        let deposit = Deposit {
            id,
            offer: offer.id,
            account: account.id,
            amount,
            opened,
        };
        self.deposits.push(deposit.clone());
        whole(&deposit)
    }

    fn add_payee(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let payee = Payee {
            id: format!("P-{:02}", 1 + self.payees.len()),
            name: args.text("name")?.to_owned(),
            iban: args.text("iban")?.to_owned(),
            currency: args.text("currency")?.to_owned(),
            note: String::new(),
        };
        self.payees.push(payee.clone());
        whole(&payee)
    }

    fn send_message(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let message = Message {
            id: format!("M-{}", 101 + self.messages.len()),
            date: self.today.clone(),
            from: self.owner.clone(),
            to: args.text("to")?.to_owned(),
            subject: args.text("subject")?.to_owned(),
            body: args.text("body")?.to_owned(),
        };
        self.messages.push(message.clone());
        whole(&message)
    }

    fn share_statement(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let shared = Shared {
            id: format!("SH-{}", 1 + self.shared.len()),
            account: self.account(args.text("account")?)?.id.clone(),
            to: args.text("to")?.to_owned(),
            date: self.today.clone(),
        };
        self.shared.push(shared.clone());
        whole(&shared)
    }

    fn account(&self, id: &str) -> Result<&Account, String> {
        found(&self.accounts, "account", id, |a| &a.id)
    }

    /// Takes this much out of an account.
    fn take(&mut self, id: &str, amount: f64) -> Result<(), String> {
        let account = found_mut(&mut self.accounts, "account", id, |a| &a.id)?;
        if account.balance < amount {
            return Err(format!("`{id}` does not hold enough"));
        }
        account.balance = cents(account.balance - amount);
        Ok(())
    }

    /// The name that goes with an account number, where it is known.
    fn name_of(&self, iban: &str) -> String {
        let payee = self.payees.iter().find(|p| p.iban == iban);
        payee.map(|p| p.name.clone()).unwrap_or_default()
    }
}

/// The amount, in whole cents.
fn amount(args: &Args<'_>) -> Result<f64, String> {
    let amount = cents(args.number("amount")?);
    match amount > 0.0 {
        true => Ok(amount),
        false => Err("the amount has to be above zero".into()),
    }
}

fn cents(amount: f64) -> f64 {
    (amount * 100.0).round() / 100.0
}
