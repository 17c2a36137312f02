//! The items of the OpenAI Responses API as inputs of the engine.
//!
//! A kind that ends in `_call` is a call and one that ends in `_output` a result, whatever it is called: the API
//! grows, and a call that nobody audits is the one fault that this must not have.

use serde::Deserialize;
use serde_json::Value;

use super::convert::{Converter, Proposal, Returned, error_text, free_text, id_text, structured};
use super::error::WarningKind;
use super::pieces::is_true;
use crate::content::Content;
use crate::responses::Item;
use crate::tools::ToolList;

impl Converter {
    /// One item that is not a message.
    pub(super) fn item(&mut self, mut item: Item) {
        let kind = item.kind.as_ref().cloned().unwrap_or_default();
        match kind.as_str() {
            // The agent's own thoughts, and steps that bring nothing into its context and cause nothing outside.
            "reasoning" | "mcp_approval_request" | "mcp_approval_response" => {}
            "item_reference" => self.warn(
                WarningKind::NotRecorded,
                &id_text(&item.id).unwrap_or_default(),
            ),
            "mcp_list_tools" => self.listed_tools(item, kind),
            k if k.ends_with("_output") => {
                let error = item.error.into_option().and_then(error_text);
                self.result(Returned {
                    id: id_text(&item.call_id).or_else(|| id_text(&item.id)),
                    name: item.name.into_option(),
                    content: item.output.into_option(),
                    value: structured(&mut item.rest),
                    failed: error.is_some()
                        || item.rest.remove("is_error").as_ref().is_some_and(is_true),
                    error,
                });
            }
            k if k.ends_with("_call") => self.item_call(item, k),
            _ => {
                let json = serde_json::to_string(&item).unwrap_or_default();
                self.unknown(kind, json);
            }
        }
    }

    /// A call; those that the provider runs itself carry their result with them.
    fn item_call(&mut self, mut item: Item, kind: &str) {
        let error = item.error.into_option().and_then(error_text);
        let content = ["results", "outputs", "result"]
            .into_iter()
            .filter_map(|key| item.rest.remove(key))
            .find(|value| !value.is_null());
        let content = item
            .output
            .into_option()
            .or_else(|| content.map(Content::Other));
        let arguments = match (item.arguments.into_option(), item.input.into_option()) {
            (Some(arguments), _) => arguments,
            (None, Some(input)) => free_text(input),
            (None, None) => Value::Object(item.rest),
        };
        let id = match id_text(&item.call_id) {
            Some(_) => item.call_id,
            None => item.id,
        };
        let name = item
            .name
            .into_option()
            .unwrap_or_else(|| kind.trim_end_matches("_call").to_owned());
        let wire_id = id_text(&id);
        self.call(Proposal {
            id,
            name: name.clone(),
            arguments,
        });
        if content.is_some() || error.is_some() {
            self.result(Returned {
                name: wire_id.is_none().then_some(name),
                id: wire_id,
                content,
                value: Value::Null,
                failed: error.is_some(),
                error,
            });
        }
    }

    /// The tools of an MCP server, as the provider listed them to the model.
    fn listed_tools(&mut self, item: Item, kind: String) {
        match item.rest.get("tools").map(ToolList::deserialize) {
            Some(Ok(tools)) => self.tools(tools),
            _ => {
                let json = serde_json::to_string(&item).unwrap_or_default();
                self.unknown(kind, json);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;

    #[test]
    fn an_item_without_a_kind_is_kept() {
        let mut converter = Converter::default();
        converter.item(Item {
            id: Field::Value("x".into()),
            ..Item::default()
        });
        assert_eq!(converter.inputs.len(), 1);
        assert_eq!(converter.warnings.len(), 1);
    }
}
