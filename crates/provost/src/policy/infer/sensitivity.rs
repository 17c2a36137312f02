//! What an argument decides, from its schema, its name and its description, in this order of strength. Nothing
//! clear: `Target`, the strictest.

use serde_json::Value;

use super::words::{Word, direction, head_first, meaning, words};
use super::{Guess, Why, argument};
use crate::policy::Sensitivity;

/// What the top-level argument `name` decides; `parameters` is the JSON Schema of all arguments (`null` when unknown).
pub fn infer_sensitivity(name: &str, parameters: &Value) -> Guess<Sensitivity> {
    let schema = argument(parameters, name).map(|s| core(s, parameters));
    let named = by_name(&words(name));
    let guess = |value, why| Guess { value, why };
    if let Some(shape) = schema.and_then(|s| by_schema(s, named)) {
        return shape;
    }
    if let Some((value, word)) = named {
        return guess(value, Why::Name(word));
    }
    if schema.is_some_and(|s| has_type(s, "number") || has_type(s, "integer")) {
        return guess(Sensitivity::Amount, Why::Number);
    }
    let outer = argument(parameters, name);
    let described = [outer, schema].into_iter().flatten().find_map(|s| {
        let text = s.get("description").and_then(Value::as_str)?;
        by_description(text)
    });
    match described {
        Some((value, word)) => guess(value, Why::Description(word)),
        None => guess(Sensitivity::Target, Why::Unknown),
    }
}

/// The schema of the value itself: without `null`, of the items of a list, behind a reference.
fn core<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    /// References and lists within each other that are followed.
    const DEPTH: usize = 8;
    let mut at = schema;
    for _ in 0..DEPTH {
        let alternatives = ["anyOf", "oneOf", "allOf"]
            .into_iter()
            .find_map(|k| at.get(k)?.as_array());
        let only = alternatives.and_then(|list| {
            let mut real = list.iter().filter(|s| !has_type(s, "null"));
            real.next().filter(|_| real.next().is_none())
        });
        let reference = || {
            let pointer = at.get("$ref")?.as_str()?.strip_prefix('#')?;
            root.pointer(pointer)
        };
        match only.or_else(reference).or_else(|| at.get("items")) {
            Some(inner) => at = inner,
            None => break,
        }
    }
    at
}

fn has_type(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(t)) => t == name,
        Some(Value::Array(types)) => types.iter().any(|t| t == name),
        _ => false,
    }
}

fn by_schema(
    schema: &Value,
    named: Option<(Sensitivity, &'static str)>,
) -> Option<Guess<Sensitivity>> {
    let guess = |value, why| Some(Guess { value, why });
    if has_type(schema, "boolean") {
        return guess(Sensitivity::Benign, Why::Boolean);
    }
    let constants = |key: &str| {
        let list = schema.get(key).and_then(Value::as_array);
        list.is_some_and(|l| !l.is_empty() && l.iter().all(|s| s.get("const").is_some()))
    };
    if schema.get("enum").is_some() || constants("oneOf") || constants("anyOf") {
        let value = match named {
            Some((Sensitivity::Benign, _)) => Sensitivity::Benign,
            _ => Sensitivity::Selector,
        };
        return guess(value, Why::Listed);
    }
    match schema.get("format").and_then(Value::as_str)? {
        "date" => guess(Sensitivity::Selector, Why::Format("date")),
        "date-time" => guess(Sensitivity::Selector, Why::Format("date-time")),
        "time" => guess(Sensitivity::Selector, Why::Format("time")),
        "duration" => guess(Sensitivity::Selector, Why::Format("duration")),
        "email" | "idn-email" => guess(Sensitivity::Target, Why::Format("email")),
        "uri" | "iri" | "url" | "uri-reference" => guess(Sensitivity::Target, Why::Format("uri")),
        "hostname" | "ipv4" | "ipv6" => guess(Sensitivity::Target, Why::Format("host")),
        "uuid" if named.is_none() => guess(Sensitivity::Selector, Why::Format("uuid")),
        _ => None,
    }
}

/// What the words of a name say. The head decides: the last word in most languages, the first in some.
fn by_name(words: &[String]) -> Option<(Sensitivity, &'static str)> {
    if let [only] = words
        && let Some(word) = direction(only)
    {
        return Some((Sensitivity::Target, word));
    }
    if let [first, rest @ ..] = words
        && let Some((class, word)) = head_first(first)
    {
        let beside = rest.iter().rev().find_map(|w| meaning(w));
        return of_head(class, word, beside, words.len() == 1);
    }
    let told: Vec<Option<(Word, &str)>> = words
        .iter()
        .map(|w| meaning(w))
        .filter(|m| !matches!(m, Some((Word::Neutral, _))))
        .collect();
    let (head, before) = told.split_last()?;
    let number_of = words.iter().zip(words.iter().skip(1));
    if number_of
        .take(2)
        .any(|(a, b)| matches!(a.as_str(), "number" | "num" | "no" | "count") && b == "of")
    {
        return Some((Sensitivity::Amount, "number of"));
    }
    match head {
        Some((class, word)) => of_head(
            *class,
            word,
            before.iter().rev().find_map(|m| *m),
            told.len() == 1,
        ),
        // An unknown thing of somebody, or somewhere: `to_pump`, `recipient_handle`.
        None => before
            .iter()
            .flatten()
            .find(|(class, _)| *class == Word::Target)
            .map(|(_, word)| (Sensitivity::Target, *word)),
    }
}

/// What a head says, given the nearest other word that says something.
fn of_head(
    class: Word,
    word: &'static str,
    beside: Option<(Word, &'static str)>,
    alone: bool,
) -> Option<(Sensitivity, &'static str)> {
    match class {
        Word::Target => Some((Sensitivity::Target, word)),
        Word::Amount => Some((Sensitivity::Amount, word)),
        Word::Content => Some((Sensitivity::Content, word)),
        Word::Selector => Some((Sensitivity::Selector, word)),
        Word::Benign => Some((Sensitivity::Benign, word)),
        Word::Neutral => None,
        Word::Ident => match beside {
            // The number of a mail says which; that of a customer or an account says who.
            Some((Word::Target, "mail" | "email")) => Some((Sensitivity::Selector, word)),
            Some((Word::Target, stem)) => Some((Sensitivity::Target, stem)),
            // A bare number or name can be anybody's.
            _ if alone
                && !matches!(
                    word,
                    "id" | "ident" | "identifier" | "code" | "codice" | "codigo" | "kod" | "ref"
                ) =>
            {
                None
            }
            _ if word == "name" && !matches!(beside, Some((Word::Selector, _))) => None,
            _ => Some((Sensitivity::Selector, word)),
        },
    }
}

/// What the first sentence of a description says. A word for a target outweighs all others; a description alone
/// never makes an argument benign.
fn by_description(text: &str) -> Option<(Sensitivity, &'static str)> {
    let sentence = text.split(['.', ';', '\n']).next().unwrap_or("");
    let words = words(sentence);
    let mut best: Option<(Sensitivity, &'static str)> = None;
    for (i, word) in words.iter().enumerate() {
        let next = words.get(i + 1).map(String::as_str);
        let said = match meaning(word) {
            // In a sentence, these are ordinary words.
            Some((_, "to" | "a" | "no" | "access" | "people")) => None,
            Some((Word::Target, known)) => return Some((Sensitivity::Target, known)),
            Some((Word::Ident, "number" | "nummer")) if next == Some("of") => {
                Some((Sensitivity::Amount, "number of"))
            }
            Some((Word::Ident, known @ ("id" | "ident" | "identifier"))) => {
                Some((Sensitivity::Selector, known))
            }
            Some((Word::Content, known)) => Some((Sensitivity::Content, known)),
            Some((Word::Selector, known)) => Some((Sensitivity::Selector, known)),
            _ => None,
        };
        best = best.or(said);
    }
    best
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(name: &str, schema: Value, expected: Sensitivity) {
        let parameters =
            json!({"properties": {name: schema}, "$defs": {"Level": {"enum": ["r", "rw"]}}});
        let guess = infer_sensitivity(name, &parameters);
        assert_eq!(guess.value, expected, "{name} {schema}: {}", guess.why);
    }

    #[test]
    fn by_name_alone() {
        use Sensitivity::{Amount, Benign, Content, Selector, Target};
        for (names, expected) in [
            (
                "to recipients user_email recipientId account_number iban from_account to_pump channel",
                Target,
            ),
            (
                "customer_id url callbackUrl user_name file_path destination_system empfaengerkonto kundennummer an",
                Target,
            ),
            (
                "cuenta_destino direccion numero_cuenta odbiorca adres_dostawy courriel password phone_number",
                Target,
            ),
            ("frobnicate zq name number key x", Target),
            (
                "amount new_price total_cost quantity qty amount_eur number_of_nights importe_total kwota_pln",
                Amount,
            ),
            (
                "betrag rechnungsbetrag montant seats units term_months",
                Amount,
            ),
            (
                "body subject email_body message_text html_content reason note user_note texto asunto tresc",
                Content,
            ),
            (
                "verwendungszweck motif_refus title description_html",
                Content,
            ),
            (
                "id file_id email_id event_ids start_time newEndDate status category order_number invoice_no uuid",
                Selector,
            ),
            (
                "rechnungsnummer startdatum fecha_inicio codigo_reserva due_date until filename file_name",
                Selector,
            ),
            ("limit page offset sort language timezone", Benign),
        ] {
            for name in names.split(' ') {
                check(name, json!({"type": "string"}), expected);
            }
        }
    }

    #[test]
    fn by_schema_first() {
        use Sensitivity::{Amount, Benign, Selector, Target};
        for (name, schema, expected) in [
            ("recurring", json!({"type": "boolean"}), Benign),
            ("zq", json!({"type": ["boolean", "null"]}), Benign),
            (
                "zq",
                json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
                Amount,
            ),
            (
                "zq",
                json!({"type": "array", "items": {"type": "string", "format": "email"}}),
                Target,
            ),
            ("body", json!({"type": "string", "format": "uri"}), Target),
            ("zq", json!({"type": "string", "format": "date"}), Selector),
            ("zq", json!({"$ref": "#/$defs/Level"}), Selector),
            ("format", json!({"enum": ["a", "b"]}), Benign),
            (
                "zq",
                json!({"oneOf": [{"const": "a"}, {"const": "b"}]}),
                Selector,
            ),
            ("employee", json!({"type": "integer"}), Target),
            (
                "customer",
                json!({"type": "string", "format": "uuid"}),
                Target,
            ),
            (
                "zq",
                json!({"type": "string", "description": "The id of the event. Text."}),
                Selector,
            ),
            (
                "zq",
                json!({"type": "string", "description": "Text that the recipient sees"}),
                Target,
            ),
            (
                "zq",
                json!({"type": "string", "description": "Number of items, as text"}),
                Amount,
            ),
            (
                "zq",
                json!({"type": "string", "description": "Sort order"}),
                Target,
            ),
            ("zq", json!({"$ref": "#/$defs/Nowhere"}), Target),
            ("zq", json!(true), Target),
        ] {
            check(name, schema, expected);
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let parameters = json!({"properties": {"zq": {"$ref": "#/properties/zq"}}});
        assert_eq!(
            infer_sensitivity("zq", &parameters).value,
            Sensitivity::Target
        );
    }
}
