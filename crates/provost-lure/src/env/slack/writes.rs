//! What changes the workspace.

use serde_json::Value;

use super::super::collection::{found_mut, next_id, whole};
use super::Slack;
use super::records::{Channel, DirectMessage, GuestInvitation, Message, Reminder};
use crate::args::Args;

impl Slack {
    pub(super) fn write(&mut self, tool: &str, args: &Args<'_>) -> Result<Value, String> {
        match tool {
            "send_message" => {
                let channel = self.channel(args.text("channel")?)?;
                self.post(channel, args.text("text")?, "")
            }
            "reply_in_thread" => {
                let message = self.message(args.text("message")?)?;
                let (channel, id) = (message.channel.clone(), message.id.clone());
                self.post(channel, args.text("text")?, &id)
            }
            "send_direct_message" => self.send_direct_message(args),
            "broadcast" => self.broadcast(args.text("text")?),
            "delete_message" => {
                let id = args.text("message")?;
                let gone = self.message(id)?.clone();
                self.messages.retain(|m| m.id != id);
                whole(&gone)
            }
            "pin_message" => {
                let message = self.message(args.text("message")?)?;
                message.pinned = true;
                whole(message)
            }
            "create_channel" => self.create_channel(args),
            "set_topic" => {
                let topic = args.text("topic")?;
                let channel = self.open_channel(args.text("channel")?)?;
                topic.clone_into(&mut channel.topic);
                whole(channel)
            }
            "archive_channel" => {
                let channel = self.open_channel(args.text("channel")?)?;
                channel.archived = true;
                whole(channel)
            }
            "invite_to_channel" => self.invite_to_channel(args),
            "remove_from_channel" => self.remove_from_channel(args),
            "invite_guest" => self.invite_guest(args),
            _ => self.write_record(tool, args),
        }
    }

    fn write_record(&mut self, tool: &str, args: &Args<'_>) -> Result<Value, String> {
        match tool {
            "decide_request" => self.decide_request(args),
            "assign_shift" => {
                let who = self.user(args.text("who")?)?;
                let shift = found_mut(&mut self.shifts, "shift", args.text("shift")?, |s| &s.id)?;
                shift.who = who;
                whole(shift)
            }
            "share_file" => {
                let with = args.text("with")?;
                let with = self.channel(with).or_else(|_| self.user(with));
                let with = with.map_err(|_| "`with` is no channel and nobody's handle")?;
                let file = found_mut(&mut self.files, "file", args.text("file")?, |f| &f.id)?;
                if !file.shared_with.contains(&with) {
                    file.shared_with.push(with);
                }
                whole(file)
            }
            "publish_link" => {
                let file = found_mut(&mut self.files, "file", args.text("file")?, |f| &f.id)?;
                file.public = true;
                whole(file)
            }
            "add_reminder" => self.add_reminder(args),
            "cancel_reminder" => {
                let id = args.text("reminder")?;
                let gone = found_mut(&mut self.reminders, "reminder", id, |r| &r.id)?.clone();
                self.reminders.retain(|r| r.id != id);
                whole(&gone)
            }
            _ => Err(format!("there is no tool `{tool}`")),
        }
    }

    /// Adds a message of the user's.
    fn post(&mut self, channel: String, text: &str, thread: &str) -> Result<Value, String> {
        self.open_channel(&channel)?;
        let message = Message {
            id: next_id("M", self.messages.iter().map(|m| &m.id)),
            channel,
            from: self.me.clone(),
            sent: self.now(),
            text: text.to_owned(),
            thread: thread.to_owned(),
            pinned: false,
        };
        let told = whole(&message);
        self.messages.push(message);
        told
    }

    fn broadcast(&mut self, text: &str) -> Result<Value, String> {
        let open = self.channels.iter().filter(|c| !c.archived);
        let names: Vec<String> = open.map(|c| c.name.clone()).collect();
        for name in &names {
            self.post(name.clone(), text, "")?;
        }
        whole(&names)
    }

    fn send_direct_message(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let message = DirectMessage {
            id: next_id("D", self.direct_messages.iter().map(|m| &m.id)),
            from: self.me.clone(),
            to: self.user(args.text("to")?)?,
            sent: self.now(),
            text: args.text("text")?.to_owned(),
        };
        let told = whole(&message);
        self.direct_messages.push(message);
        told
    }

    fn create_channel(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let name = args.text("name")?;
        if self.channel(name).is_ok() {
            return Err(format!("there is a channel `{name}` already"));
        }
        let visibility = args.text("visibility")?;
        if !["public", "private", "shared"].contains(&visibility) {
            return Err("`visibility` is public, private or shared".into());
        }
        let members = args.list("members")?.into_iter().map(|m| self.user(m));
        let channel = Channel {
            name: name.to_owned(),
            topic: String::new(),
            purpose: args.text("purpose")?.to_owned(),
            visibility: visibility.to_owned(),
            archived: false,
            owner: self.me.clone(),
            members: members.collect::<Result<_, _>>()?,
        };
        let told = whole(&channel);
        self.channels.push(channel);
        told
    }

    fn invite_to_channel(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let user = self.user(args.text("user")?)?;
        let channel = self.open_channel(args.text("channel")?)?;
        if channel.members.contains(&user) {
            return Err(format!("{user} is in #{} already", channel.name));
        }
        channel.members.push(user);
        whole(channel)
    }

    fn remove_from_channel(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let user = self.user(args.text("user")?)?;
        let channel = self.open_channel(args.text("channel")?)?;
        if !channel.members.contains(&user) {
            return Err(format!("{user} is not in #{}", channel.name));
        }
        channel.members.retain(|m| *m != user);
        whole(channel)
    }

    fn invite_guest(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let email = args.text("email")?;
        if !email.contains('@') {
            return Err(format!("`{email}` is no mail address"));
        }
        let channel = args.text("channel")?;
        self.open_channel(channel)?;
        let invitation = GuestInvitation {
            id: next_id("G", self.guest_invitations.iter().map(|g| &g.id)),
            email: email.to_owned(),
            channel: channel.to_owned(),
            state: "sent".to_owned(),
        };
        let told = whole(&invitation);
        self.guest_invitations.push(invitation);
        told
    }

    fn decide_request(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let note = args.optional_text("note")?;
        let decided = match args.text("decision")? {
            "approve" => "approved",
            "decline" => "declined",
            _ => return Err("`decision` is approve or decline".into()),
        };
        let id = args.text("request")?;
        let request = found_mut(&mut self.requests, "request", id, |r| &r.id)?;
        if request.state != "open" {
            return Err(format!("{id} is {} already", request.state));
        }
        decided.clone_into(&mut request.state);
        if let Some(note) = note {
            note.clone_into(&mut request.note);
        }
        whole(request)
    }

    fn add_reminder(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let reminder = Reminder {
            id: next_id("RM", self.reminders.iter().map(|r| &r.id)),
            who: self.user(args.text("who")?)?,
            due: args.text("due")?.to_owned(),
            text: args.text("text")?.to_owned(),
        };
        let told = whole(&reminder);
        self.reminders.push(reminder);
        told
    }

    fn message(&mut self, id: &str) -> Result<&mut Message, String> {
        found_mut(&mut self.messages, "message", id, |m| &m.id)
    }

    /// The channel of this name, if one can write in it.
    fn open_channel(&mut self, name: &str) -> Result<&mut Channel, String> {
        let channel = found_mut(&mut self.channels, "channel", name, |c| &c.name)?;
        if channel.archived {
            return Err(format!("#{name} is archived"));
        }
        Ok(channel)
    }

    fn now(&self) -> String {
        format!("{} 12:00", self.today)
    }
}
