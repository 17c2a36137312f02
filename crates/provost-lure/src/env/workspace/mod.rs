//! The workspace environment: an office's mail, calendar, files, requests, rooms, to-do list and address book.

mod records;
#[cfg(test)]
mod tests;
mod tools;

use provost::ToolDef;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Knowledge;
use super::collection::{found, found_mut, listed, next_id, whole};
use crate::args::Args;
use records::{
    Contact, Email, Event, File, Grant, Request, Room, Todo, address, addresses, date, hour,
    words_in,
};

/// The state.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Workspace {
    /// The day it is, `YYYY-MM-DD`.
    today: String,
    /// The user's own address.
    user: String,
    contacts: Vec<Contact>,
    emails: Vec<Email>,
    events: Vec<Event>,
    files: Vec<File>,
    requests: Vec<Request>,
    rooms: Vec<Room>,
    todos: Vec<Todo>,
    #[serde(default)]
    pub(crate) knowledge: Knowledge,
}

impl Workspace {
    pub(crate) fn tools() -> Vec<ToolDef> {
        tools::all()
    }

    pub(crate) fn call(&mut self, tool: &str, args: &Args<'_>) -> Result<Value, String> {
        match tool {
            "list_emails" => self.list_emails(args),
            "search_emails" => self.search_emails(args),
            "read_email" => whole(self.email(args.text("id")?)?),
            "list_events" => self.list_events(args),
            "list_files" => self.list_files(args),
            "read_file" => whole(self.file(args.text("id")?)?),
            "search_contacts" => self.search_contacts(args),
            "list_requests" => self.list_requests(args),
            "read_request" => whole(self.request(args.text("id")?)?),
            "list_rooms" => whole(&self.rooms),
            "list_todos" => self.list_todos(args),
            _ => self.change(tool, args),
        }
    }

    /// The calls that change something.
    fn change(&mut self, tool: &str, args: &Args<'_>) -> Result<Value, String> {
        match tool {
            "send_email" => self.send_email(args),
            "reply_email" => self.reply_email(args),
            "forward_email" => self.forward_email(args),
            "archive_email" => {
                self.email(args.text("id")?)?.folder = "archive".to_owned();
                Ok(json!("archived"))
            }
            "delete_email" => {
                let id = self.email(args.text("id")?)?.id.clone();
                self.emails.retain(|m| m.id != id);
                Ok(json!("deleted"))
            }
            "create_event" | "reschedule_event" | "change_room" | "invite_to_event"
            | "cancel_event" => self.change_calendar(tool, args),
            "share_file" | "unshare_file" | "publish_file" | "transfer_file" | "move_file"
            | "delete_file" | "delete_folder" => self.change_files(tool, args),
            "approve_request" | "reject_request" | "delegate_request" => self.decide(tool, args),
            "create_todo" => self.create_todo(args),
            "complete_todo" => {
                let id = args.text("id")?;
                found_mut(&mut self.todos, "to-do", id, |t| &t.id)?.done = true;
                Ok(json!("completed"))
            }
            _ => Err(format!("there is no tool `{tool}`")),
        }
    }

    fn email(&mut self, id: &str) -> Result<&mut Email, String> {
        found_mut(&mut self.emails, "mail", id, |r| &r.id)
    }

    fn event(&mut self, id: &str) -> Result<&mut Event, String> {
        found_mut(&mut self.events, "event", id, |r| &r.id)
    }

    fn file(&mut self, id: &str) -> Result<&mut File, String> {
        found_mut(&mut self.files, "file", id, |r| &r.id)
    }

    fn request(&mut self, id: &str) -> Result<&mut Request, String> {
        found_mut(&mut self.requests, "request", id, |r| &r.id)
    }

    fn room(&self, name: &str) -> Result<String, String> {
        Ok(found(&self.rooms, "room", name, |r| &r.name)?.name.clone())
    }
}

/// What the user looks up.
impl Workspace {
    fn list_emails(&self, args: &Args<'_>) -> Result<Value, String> {
        let folder = args.text("folder")?;
        let found = self.emails.iter().filter(|m| m.folder == folder);
        Ok(found.map(Email::head).collect())
    }

    fn search_emails(&self, args: &Args<'_>) -> Result<Value, String> {
        let query = args.text("query")?;
        let found = self
            .emails
            .iter()
            .filter(|m| words_in(query, &[&m.from, &m.subject, &m.body]));
        Ok(found.map(Email::head).collect())
    }

    fn list_events(&self, args: &Args<'_>) -> Result<Value, String> {
        let (first, last) = (date(args.text("first")?)?, date(args.text("last")?)?);
        listed(&self.events, |e| e.date >= first && e.date <= last)
    }

    fn list_files(&self, args: &Args<'_>) -> Result<Value, String> {
        let folder = args.text("folder")?;
        let found = self.files.iter().filter(|f| f.folder == folder);
        Ok(found.map(File::head).collect())
    }

    fn search_contacts(&self, args: &Args<'_>) -> Result<Value, String> {
        let query = args.text("query")?;
        let fits = |c: &Contact| {
            words_in(
                query,
                &[&c.name, &c.email, &c.organisation, &c.role, &c.notes],
            )
        };
        listed(&self.contacts, fits)
    }

    fn list_requests(&self, args: &Args<'_>) -> Result<Value, String> {
        let status = args.text("status")?;
        let found = self.requests.iter().filter(|r| r.status == status);
        Ok(found.map(Request::head).collect())
    }

    fn list_todos(&self, args: &Args<'_>) -> Result<Value, String> {
        let assignee = args.optional_text("assignee")?;
        let fits = |t: &Todo| !t.done && assignee.is_none_or(|a| t.assignee == a);
        listed(&self.todos, fits)
    }
}

/// Mail and to-dos.
impl Workspace {
    fn send_email(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let attachments = args.optional_list("attachments")?.unwrap_or_default();
        for id in &attachments {
            self.file(id)?;
        }
        self.send(Email {
            to: addresses(&args.list("to")?)?,
            cc: addresses(&args.optional_list("cc")?.unwrap_or_default())?,
            subject: args.text("subject")?.to_owned(),
            body: args.text("body")?.to_owned(),
            attachments: attachments.into_iter().map(str::to_owned).collect(),
            ..Email::default()
        })
    }

    fn reply_email(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let answered = self.email(args.text("id")?)?.clone();
        self.send(Email {
            to: vec![answered.from],
            subject: format!("Re: {}", answered.subject),
            body: args.text("body")?.to_owned(),
            ..Email::default()
        })
    }

    fn forward_email(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let passed = self.email(args.text("id")?)?.clone();
        let comment = args.optional_text("comment")?.unwrap_or_default();
        self.send(Email {
            to: addresses(&args.list("to")?)?,
            subject: format!("Fwd: {}", passed.subject),
            body: format!(
                "{comment}\n\n{} wrote on {}:\n{}",
                passed.from, passed.date, passed.body
            ),
            attachments: passed.attachments,
            ..Email::default()
        })
    }

    fn send(&mut self, mail: Email) -> Result<Value, String> {
        let id = next_id("E", self.emails.iter().map(|m| &m.id));
        self.emails.push(Email {
            id: id.clone(),
            folder: "sent".to_owned(),
            from: self.user.clone(),
            date: self.today.clone(),
            ..mail
        });
        Ok(json!({"sent": id}))
    }

    fn create_todo(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let id = next_id("TD", self.todos.iter().map(|t| &t.id));
        self.todos.push(Todo {
            id: id.clone(),
            title: args.text("title")?.to_owned(),
            assignee: address(args.text("assignee")?)?,
            due: date(args.text("due")?)?,
            done: false,
            notes: String::new(),
        });
        Ok(json!({"created": id}))
    }
}

/// Calendar, files, requests.
impl Workspace {
    fn change_calendar(&mut self, tool: &str, args: &Args<'_>) -> Result<Value, String> {
        if tool == "create_event" {
            return self.create_event(args);
        }
        let room = args
            .optional_text("room")?
            .map(|name| self.room(name))
            .transpose()?;
        let event = self.event(args.text("id")?)?;
        if event.status == "cancelled" {
            return Err(format!("`{}` is cancelled", event.id));
        }
        match tool {
            "reschedule_event" => {
                event.date = date(args.text("date")?)?;
                event.start = hour(args.text("start")?)?;
                event.end = hour(args.text("end")?)?;
            }
            "invite_to_event" => {
                let guest = address(args.text("participant")?)?;
                if !event.participants.contains(&guest) {
                    event.participants.push(guest);
                }
            }
            "cancel_event" => event.status = "cancelled".to_owned(),
            _ => {}
        }
        event.room = room.unwrap_or_else(|| event.room.clone());
        whole(event)
    }

    fn create_event(&mut self, args: &Args<'_>) -> Result<Value, String> {
        let event = Event {
            id: next_id("EV", self.events.iter().map(|e| &e.id)),
            title: args.text("title")?.to_owned(),
            date: date(args.text("date")?)?,
            start: hour(args.text("start")?)?,
            end: hour(args.text("end")?)?,
            room: self.room(args.text("room")?)?,
            participants: addresses(&args.list("participants")?)?,
            status: "confirmed".to_owned(),
            notes: String::new(),
        };
        self.events.push(event.clone());
        whole(&event)
    }

    fn change_files(&mut self, tool: &str, args: &Args<'_>) -> Result<Value, String> {
        if tool == "delete_folder" {
            let folder = args.text("folder")?;
            let count = self.files.len();
            self.files.retain(|f| f.folder != folder);
            return Ok(json!({"deleted": count - self.files.len()}));
        }
        let id = args.text("id")?;
        let file = self.file(id)?;
        match tool {
            "share_file" => {
                let with = address(args.text("with")?)?;
                let role = args.text("role")?;
                if !["viewer", "editor"].contains(&role) {
                    return Err(format!("`{role}` is no role: viewer or editor"));
                }
                file.shared.retain(|g| g.with != with);
                file.shared.push(Grant {
                    with,
                    role: role.to_owned(),
                });
            }
            "unshare_file" => {
                let with = args.text("with")?;
                file.shared.retain(|g| g.with != with);
            }
            "publish_file" => file.public = true,
            "transfer_file" => file.owner = address(args.text("to")?)?,
            "move_file" => file.folder = args.text("folder")?.to_owned(),
            _ => {
                self.files.retain(|f| f.id != id);
                return Ok(json!({"deleted": 1}));
            }
        }
        Ok(file.head())
    }

    fn decide(&mut self, tool: &str, args: &Args<'_>) -> Result<Value, String> {
        let request = self.request(args.text("id")?)?;
        if request.status != "open" {
            return Err(format!("`{}` is {} already", request.id, request.status));
        }
        match tool {
            "approve_request" => {
                request.status = "approved".to_owned();
                request.approved = args.optional_number("amount")?.unwrap_or(request.amount);
            }
            "reject_request" => {
                request.status = "rejected".to_owned();
                request.reason = args.text("reason")?.to_owned();
            }
            _ => request.approver = address(args.text("to")?)?,
        }
        whole(request)
    }
}
