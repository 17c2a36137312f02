//! Policy: what each tool does, how sensitive each argument is, how far its output is trusted.
//!
//! A policy file (`provost.toml`) has two layers: `raw` is what may be written, `resolve` turns it into a
//! [`Policy`]. What no rule says is inferred from a tool's definition (`infer`), and what cannot be inferred is
//! taken for the worst. `docs/policy.md` describes the file.

mod check;
mod draft;
mod error;
mod fields;
mod glob;
mod infer;
mod problem;
mod raw;
mod resolve;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use draft::draft;
pub use error::{PolicyError, PolicyErrors};
pub use infer::{Guess, Why, infer_effect, infer_sensitivity, infer_surface};
pub use problem::{Named, Problem, nearest};
pub use raw::schema;

use crate::policy::fields::Fields;
use crate::policy::glob::Rules;
use crate::read::{Path, Seg};
use crate::session::{Surface, ToolDef};

/// What a call does to the world.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Looks something up inside the trust boundary.
    Read,
    /// Looks something up, and its arguments leave the trust boundary. Audited like a write.
    Egress,
    /// Changes something.
    Write,
}

/// What an argument decides.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Sensitivity {
    /// Where the effect goes or whom it reaches.
    Target,
    /// How much.
    Amount,
    /// Free text that is written or sent.
    Content,
    /// Which record is acted on; a choice among options; a date or time.
    Selector,
    /// Formatting, paging, labels.
    Benign,
}

/// How far a tool's output may be believed.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Written by the operator's own systems.
    Trusted,
    /// May hold text by strangers.
    Untrusted,
}

/// What to do when the rules can neither justify a call nor show a violation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Uncertain {
    /// Do not run it.
    #[default]
    Block,
    /// Let a person decide.
    Approve,
}

/// A resolved policy. Cheap to clone. The default knows no tool: everything is a write and every output untrusted.
#[derive(Clone, Debug, Default)]
pub struct Policy(Arc<Resolved>);

#[derive(Clone, Debug)]
struct Resolved {
    tools: Rules<ToolRule>,
    arguments: Rules<Sensitivity>,
    uncertain: Uncertain,
    effect: Option<Effect>,
    output: Trust,
    trust_annotations: bool,
}

impl Default for Resolved {
    fn default() -> Self {
        Self {
            tools: Rules::default(),
            arguments: Rules::default(),
            uncertain: Uncertain::Block,
            effect: None,
            output: Trust::Untrusted,
            trust_annotations: false,
        }
    }
}

/// What a policy says of one tool.
#[derive(Clone, Debug)]
struct ToolRule {
    effect: Option<Effect>,
    output: Trust,
    surface: Option<Surface>,
    trust_annotations: Option<bool>,
    arguments: Rules<Sensitivity>,
    fields: Fields,
}

impl Policy {
    /// Reads a policy file; `file` is what error messages call it.
    ///
    /// # Errors
    /// Everything that is wrong with the text, not only the first.
    pub fn from_toml(text: &str, file: &str) -> Result<Self, PolicyErrors> {
        resolve::read(text, file, None).map(|r| Self(Arc::new(r)))
    }

    /// Reads a policy file for these tools: also a rule that none of them can match is refused.
    ///
    /// # Errors
    /// Everything that is wrong with the text, not only the first.
    pub fn from_toml_for(text: &str, file: &str, tools: &[ToolDef]) -> Result<Self, PolicyErrors> {
        resolve::read(text, file, Some(tools)).map(|r| Self(Arc::new(r)))
    }

    /// The text of a policy that ships with the engine: `agentdojo`, for the tools of AgentDojo v1.2.2; `agentlure`, for
    /// those of AgentLure.
    pub fn builtin_text(name: &str) -> Option<&'static str> {
        match name {
            "agentdojo" => Some(include_str!("../../../../policies/agentdojo.toml")),
            "agentlure" => Some(include_str!("../../../../policies/agentlure.toml")),
            _ => None,
        }
    }

    /// A policy that ships with the engine.
    pub fn builtin(name: &str) -> Option<Self> {
        Self::from_toml(Self::builtin_text(name)?, name).ok()
    }

    /// Believes the MCP annotations of tool definitions where no rule names the effect.
    #[must_use]
    pub fn trusting_annotations(mut self) -> Self {
        Arc::make_mut(&mut self.0).trust_annotations = true;
        self
    }

    /// Whether a rule speaks of `tool`.
    pub fn covers(&self, tool: &str) -> bool {
        self.0.tools.get(tool).is_some()
    }

    /// What a call of `tool` does. Order: the tool's rule; the definition's annotations where the operator trusts
    /// them; the policy's default; `Write`.
    pub fn effect(&self, tool: &str, def: Option<&ToolDef>) -> Effect {
        let rule = self.0.tools.get(tool);
        if let Some(effect) = rule.and_then(|r| r.effect) {
            return effect;
        }
        let trusted = rule
            .and_then(|r| r.trust_annotations)
            .unwrap_or(self.0.trust_annotations);
        let annotated = def
            .filter(|_| trusted)
            .and_then(|d| d.annotations)
            .map(|a| match (a.read_only_hint, a.open_world_hint) {
                (Some(true), Some(false)) => Effect::Read,
                // MCP: `openWorldHint` is true unless the server says otherwise.
                (Some(true), _) => Effect::Egress,
                _ => Effect::Write,
            });
        annotated.or(self.0.effect).unwrap_or(Effect::Write)
    }

    /// What argument `argument` (top-level name) of `tool` decides. Order: the tool's rule; the policy's default
    /// for arguments of this name; inferred from the name and schema; `Target` when nothing is known.
    pub fn sensitivity(&self, tool: &str, argument: &str, def: Option<&ToolDef>) -> Sensitivity {
        let rule = self.0.tools.get(tool);
        rule.and_then(|r| r.arguments.get(argument))
            .or_else(|| self.0.arguments.get(argument))
            .copied()
            .unwrap_or_else(|| {
                let parameters = def.map_or(&Value::Null, |d| &d.parameters);
                infer_sensitivity(argument, parameters).value
            })
    }

    /// How far the output of `tool` may be believed: the whole of it, or the value at `field`, a path of keys from
    /// the root joined by dots (list positions are skipped). Where the path is at hand, use [`Policy::trust_at`].
    pub fn trust(&self, tool: &str, field: Option<&str>) -> Trust {
        let keys: Vec<&str> = field
            .into_iter()
            .flat_map(|f| f.split('.'))
            .map(|key| key.split_once('[').map_or(key, |(k, _)| k))
            .filter(|key| !key.is_empty())
            .collect();
        self.trust_of(tool, &keys)
    }

    /// How far the value at `path` in the output of `tool` may be believed.
    pub fn trust_at(&self, tool: &str, path: &Path) -> Trust {
        let keys: Vec<&str> = path
            .steps()
            .iter()
            .filter_map(|step| match step {
                Seg::Key(key) => Some(&**key),
                Seg::Index(_) => None,
            })
            .collect();
        self.trust_of(tool, &keys)
    }

    fn trust_of(&self, tool: &str, keys: &[&str]) -> Trust {
        match self.0.tools.get(tool) {
            Some(rule) => rule.fields.get(keys).unwrap_or(rule.output),
            None => self.0.output,
        }
    }

    /// Which surface the output of `tool` is. Order: the tool's rule; inferred from the definition where that is
    /// clear; `ToolResult`.
    pub fn surface(&self, tool: &str, def: Option<&ToolDef>) -> Surface {
        let rule = self.0.tools.get(tool).and_then(|r| r.surface);
        rule.or_else(|| def.map(|d| infer_surface(d).value))
            .unwrap_or(Surface::ToolResult)
    }

    /// What to do when uncertain.
    pub fn uncertain(&self) -> Uncertain {
        self.0.uncertain
    }
}
