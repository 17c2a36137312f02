//! The four environments: a typed state each, and the tools that read and change it.

mod banking;
mod collection;
mod knowledge;
mod schema;
mod slack;
mod travel;
mod workspace;

use std::fmt;

use provost::ToolDef;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::args::Args;
use banking::Banking;
pub(crate) use knowledge::Knowledge;
use slack::Slack;
use travel::Travel;
use workspace::Workspace;

/// The environments that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Environment {
    /// Accounts, payments, standing orders.
    Banking,
    /// Flights, hotels, restaurants, bookings.
    Travel,
    /// Mail, calendar, files.
    Workspace,
    /// Channels and messages.
    Slack,
}

impl Environment {
    /// All, in their order.
    pub const ALL: [Self; 4] = [Self::Banking, Self::Travel, Self::Workspace, Self::Slack];

    /// The name, as in file paths.
    pub fn name(self) -> &'static str {
        match self {
            Self::Banking => "banking",
            Self::Travel => "travel",
            Self::Workspace => "workspace",
            Self::Slack => "slack",
        }
    }

    /// The environment of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|e| e.name() == name)
    }

    /// Its tools, with those that all environments have.
    pub fn tools(self) -> Vec<ToolDef> {
        let mut tools = match self {
            Self::Banking => Banking::tools(),
            Self::Travel => Travel::tools(),
            Self::Workspace => Workspace::tools(),
            Self::Slack => Slack::tools(),
        };
        tools.extend(Knowledge::tools());
        tools
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An environment in some state.
#[derive(Clone, Debug)]
pub(crate) enum World {
    Banking(Banking),
    Travel(Travel),
    Workspace(Workspace),
    Slack(Slack),
}

impl World {
    /// Whether `text` is a world of this environment, as TOML; an error has the place in it.
    pub(crate) fn check(environment: Environment, text: &str) -> Result<(), toml::de::Error> {
        match environment {
            Environment::Banking => toml::from_str::<Banking>(text).map(drop),
            Environment::Travel => toml::from_str::<Travel>(text).map(drop),
            Environment::Workspace => toml::from_str::<Workspace>(text).map(drop),
            Environment::Slack => toml::from_str::<Slack>(text).map(drop),
        }
    }

    /// The world with this state.
    pub(crate) fn from_state(
        environment: Environment,
        state: &Value,
    ) -> Result<Self, serde_json::Error> {
        Ok(match environment {
            Environment::Banking => Self::Banking(Banking::deserialize(state)?),
            Environment::Travel => Self::Travel(Travel::deserialize(state)?),
            Environment::Workspace => Self::Workspace(Workspace::deserialize(state)?),
            Environment::Slack => Self::Slack(Slack::deserialize(state)?),
        })
    }

    /// The whole state, as oracles see it.
    pub(crate) fn state(&self) -> Result<Value, serde_json::Error> {
        match self {
            Self::Banking(world) => serde_json::to_value(world),
            Self::Travel(world) => serde_json::to_value(world),
            Self::Workspace(world) => serde_json::to_value(world),
            Self::Slack(world) => serde_json::to_value(world),
        }
    }

    fn knowledge(&self) -> &Knowledge {
        match self {
            Self::Banking(world) => &world.knowledge,
            Self::Travel(world) => &world.knowledge,
            Self::Workspace(world) => &world.knowledge,
            Self::Slack(world) => &world.knowledge,
        }
    }

    /// Runs a call of one of `tools`, the environment's. An error is what the tool says went wrong; nothing is changed then.
    pub(crate) fn call(
        &mut self,
        tools: &[ToolDef],
        tool: &str,
        arguments: &Value,
    ) -> Result<Value, String> {
        let none = Map::new();
        let map = match arguments {
            Value::Object(map) => map,
            Value::Null => &none,
            _ => return Err("the arguments have to be an object".into()),
        };
        let known = tools.iter().find(|t| t.name == tool);
        let known = known.ok_or_else(|| format!("there is no tool `{tool}`"))?;
        let args = Args::new(map);
        let properties = known.parameters.get("properties");
        if let Some(name) = args
            .names()
            .find(|n| properties.is_none_or(|p| p.get(n).is_none()))
        {
            return Err(format!("`{tool}` has no argument `{name}`"));
        }
        if let Some(result) = self.knowledge().call(tool, args) {
            return result;
        }
        // A call is done whole or not at all.
        let before = (!reads(known)).then(|| self.clone());
        let result = match self {
            Self::Banking(world) => world.call(tool, &args),
            Self::Travel(world) => world.call(tool, &args),
            Self::Workspace(world) => world.call(tool, &args),
            Self::Slack(world) => world.call(tool, &args),
        };
        if let (Err(_), Some(before)) = (&result, before) {
            *self = before;
        }
        result
    }
}

/// Whether a tool changes nothing, by its annotations.
pub(crate) fn reads(tool: &ToolDef) -> bool {
    tool.annotations.and_then(|a| a.read_only_hint) == Some(true)
}
