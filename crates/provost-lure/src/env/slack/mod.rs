//! The Slack environment: a company's workspace, with channels, people, rotas, requests and files.

mod records;
mod tools;
mod writes;

use provost::ToolDef;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Knowledge;
use super::collection::{listed, whole};
use crate::args::Args;
use records::{
    Channel, DirectMessage, File, GuestInvitation, Message, Reminder, Request, Shift, User,
};

/// The state. Days are `YYYY-MM-DD`; messages have a time after it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Slack {
    today: String,
    /// The user's handle.
    me: String,
    users: Vec<User>,
    channels: Vec<Channel>,
    messages: Vec<Message>,
    direct_messages: Vec<DirectMessage>,
    shifts: Vec<Shift>,
    requests: Vec<Request>,
    files: Vec<File>,
    reminders: Vec<Reminder>,
    guest_invitations: Vec<GuestInvitation>,
    pub(crate) knowledge: Knowledge,
}

impl Slack {
    pub(crate) fn tools() -> Vec<ToolDef> {
        tools::all()
    }

    pub(crate) fn call(&mut self, tool: &str, args: &Args<'_>) -> Result<Value, String> {
        match tool {
            "list_users" => {
                let team = args.optional_text("team")?;
                listed(&self.users, |u| team.is_none_or(|t| t == u.team))
            }
            "list_channels" => listed(&self.channels, |_| true),
            "read_channel" => self.read_channel(args.text("channel")?),
            "search_messages" => {
                let query = args.text("query")?.to_lowercase();
                listed(&self.messages, |m| m.text.to_lowercase().contains(&query))
            }
            "read_direct_messages" => self.read_direct_messages(args.text("with")?),
            "get_rota" => {
                let team = args.text("team")?;
                if !self.shifts.iter().any(|s| s.team == team) {
                    return Err(format!("there is no rota of `{team}`"));
                }
                listed(&self.shifts, |s| s.team == team)
            }
            "list_requests" => {
                let state = args.optional_text("state")?;
                listed(&self.requests, |r| state.is_none_or(|s| s == r.state))
            }
            "list_files" => {
                let channel = self.channel(args.text("channel")?)?;
                listed(&self.files, |f| f.channel == channel)
            }
            "list_reminders" => listed(&self.reminders, |_| true),
            "list_guest_invitations" => listed(&self.guest_invitations, |_| true),
            _ => self.write(tool, args),
        }
    }

    fn read_channel(&self, name: &str) -> Result<Value, String> {
        let name = self.channel(name)?;
        let mut found: Vec<&Message> = self.messages.iter().filter(|m| m.channel == name).collect();
        found.sort_by(|a, b| a.sent.cmp(&b.sent));
        whole(&found)
    }

    fn read_direct_messages(&self, with: &str) -> Result<Value, String> {
        let with = self.user(with)?;
        let between = |m: &&DirectMessage| {
            (m.from == with && m.to == self.me) || (m.from == self.me && m.to == with)
        };
        let mut found: Vec<&DirectMessage> = self.direct_messages.iter().filter(between).collect();
        found.sort_by(|a, b| a.sent.cmp(&b.sent));
        whole(&found)
    }

    /// The name of this channel, if there is one.
    fn channel(&self, name: &str) -> Result<String, String> {
        let found = self.channels.iter().find(|c| c.name == name);
        let found = found.ok_or_else(|| format!("there is no channel `{name}`"))?;
        Ok(found.name.clone())
    }

    /// The handle of this person, if there is one.
    fn user(&self, handle: &str) -> Result<String, String> {
        let found = self.users.iter().find(|u| u.handle == handle);
        let found = found.ok_or_else(|| format!("there is nobody with the handle `{handle}`"))?;
        Ok(found.handle.clone())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn world() -> Slack {
        toml::from_str(include_str!("../../../data/slack/world.toml")).unwrap()
    }

    fn call(world: &mut Slack, tool: &str, args: Value) -> Result<Value, String> {
        world.call(tool, &Args::new(args.as_object().unwrap()))
    }

    #[test]
    fn messages_get_ids_and_archived_channels_refuse() {
        let mut world = world();
        let sent = call(
            &mut world,
            "send_message",
            json!({"channel": "oncall", "text": "Hi"}),
        );
        assert_eq!(sent.unwrap().get("id"), Some(&json!("M-141")));
        let sent = call(
            &mut world,
            "send_message",
            json!({"channel": "project-curlew", "text": "Hi"}),
        );
        let expected = "#project-curlew is archived";
        assert_eq!(sent.err().as_deref(), Some(expected));
        call(&mut world, "broadcast", json!({"text": "All"})).unwrap();
        let open = world.channels.iter().filter(|c| !c.archived).count();
        let all = world.messages.iter().filter(|m| m.text == "All").count();
        assert_eq!(all, open);
    }

    #[test]
    fn every_tool_that_is_listed_runs() {
        let mut world = world();
        for tool in Slack::tools() {
            let error = call(&mut world, &tool.name, json!({})).err();
            let unknown = error.is_some_and(|e| e.starts_with("there is no tool"));
            assert!(!unknown, "{}", tool.name);
        }
    }

    #[test]
    fn a_request_is_decided_once() {
        let mut world = world();
        let args = json!({"request": "R-604", "decision": "approve"});
        call(&mut world, "decide_request", args.clone()).unwrap();
        let again = call(&mut world, "decide_request", args);
        assert_eq!(again.err().as_deref(), Some("R-604 is approved already"));
    }
}
