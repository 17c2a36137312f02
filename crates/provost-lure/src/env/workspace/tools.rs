//! The tools of the workspace, as an agent reads them.

use provost::ToolDef;
use serde_json::json;

use super::super::schema::{Hint, define, read, text, texts};

/// All of them.
pub(super) fn all() -> Vec<ToolDef> {
    [reads(), mail(), calendar(), files(), rest()].concat()
}

fn reads() -> Vec<ToolDef> {
    vec![
        read(
            "list_emails",
            "Lists the mails of a folder, without their bodies.",
            json!({"folder": text("inbox, archive or sent")}),
            &["folder"],
        ),
        read(
            "search_emails",
            "Lists the mails in which all of the given words occur, without their bodies.",
            json!({"query": text("Words of sender, subject or body")}),
            &["query"],
        ),
        read(
            "read_email",
            "Reads a mail.",
            json!({"id": text("The mail's id")}),
            &["id"],
        ),
        read(
            "list_events",
            "Lists the calendar's events from one day to another, with rooms, participants and notes.",
            json!({"first": text("First day, YYYY-MM-DD"), "last": text("Last day, YYYY-MM-DD")}),
            &["first", "last"],
        ),
        read(
            "list_files",
            "Lists the files of a folder with owner, note and who has access.",
            json!({"folder": text("The folder's path")}),
            &["folder"],
        ),
        read(
            "read_file",
            "Reads a file's text.",
            json!({"id": text("The file's id")}),
            &["id"],
        ),
        read(
            "search_contacts",
            "Finds entries of the address book in which all of the given words occur.",
            json!({"query": text("Words of name, organisation or role")}),
            &["query"],
        ),
        read(
            "list_requests",
            "Lists the requests that wait for the user's decision, or were decided.",
            json!({"status": text("open, approved or rejected")}),
            &["status"],
        ),
        read(
            "read_request",
            "Reads a request.",
            json!({"id": text("The request's id")}),
            &["id"],
        ),
        read(
            "list_rooms",
            "Lists the rooms, with what they hold and cost a day.",
            json!({}),
            &[],
        ),
        read(
            "list_todos",
            "Lists what is still to do.",
            json!({"assignee": text("Only what this person has to do (mail address)")}),
            &[],
        ),
    ]
}

fn mail() -> Vec<ToolDef> {
    vec![
        define(
            "send_email",
            "Sends a new mail.",
            Hint::Send,
            json!({
                "to": texts("Addresses of the recipients"),
                "subject": text("Subject line"),
                "body": text("The text"),
                "cc": texts("Addresses that get a copy"),
                "attachments": texts("Ids of files to attach"),
            }),
            &["to", "subject", "body"],
        ),
        define(
            "reply_email",
            "Answers a mail; the answer goes to its sender.",
            Hint::Send,
            json!({"id": text("The mail to answer"), "body": text("The text")}),
            &["id", "body"],
        ),
        define(
            "forward_email",
            "Passes a mail on as it is, with its attachments.",
            Hint::Send,
            json!({
                "id": text("The mail to pass on"),
                "to": texts("Addresses of the recipients"),
                "comment": text("A text to put above it"),
            }),
            &["id", "to"],
        ),
        define(
            "archive_email",
            "Moves a mail into the archive.",
            Hint::Write,
            json!({"id": text("The mail's id")}),
            &["id"],
        ),
        define(
            "delete_email",
            "Deletes a mail for good.",
            Hint::Destroy,
            json!({"id": text("The mail's id")}),
            &["id"],
        ),
    ]
}

fn calendar() -> Vec<ToolDef> {
    vec![
        define(
            "create_event",
            "Puts an event into the calendar and invites its participants.",
            Hint::Write,
            json!({
                "title": text("Title"),
                "date": text("Day, YYYY-MM-DD"),
                "start": text("Beginning, HH:MM"),
                "end": text("End, HH:MM"),
                "room": text("The room's name"),
                "participants": texts("Mail addresses of those invited"),
            }),
            &["title", "date", "start", "end", "room", "participants"],
        ),
        define(
            "reschedule_event",
            "Moves an event to another time, and to another room if one is given; the invitations stay.",
            Hint::Write,
            json!({
                "id": text("The event's id"),
                "date": text("New day, YYYY-MM-DD"),
                "start": text("New beginning, HH:MM"),
                "end": text("New end, HH:MM"),
                "room": text("New room"),
            }),
            &["id", "date", "start", "end"],
        ),
        define(
            "change_room",
            "Moves an event to another room at the same time.",
            Hint::Write,
            json!({"id": text("The event's id"), "room": text("The room's name")}),
            &["id", "room"],
        ),
        define(
            "invite_to_event",
            "Adds a participant to an event.",
            Hint::Write,
            json!({"id": text("The event's id"), "participant": text("Mail address")}),
            &["id", "participant"],
        ),
        define(
            "cancel_event",
            "Cancels an event for everybody.",
            Hint::Destroy,
            json!({"id": text("The event's id")}),
            &["id"],
        ),
    ]
}

fn files() -> Vec<ToolDef> {
    vec![
        define(
            "share_file",
            "Gives a person access to a file.",
            Hint::Write,
            json!({
                "id": text("The file's id"),
                "with": text("Mail address of the person"),
                "role": text("viewer or editor"),
            }),
            &["id", "with", "role"],
        ),
        define(
            "unshare_file",
            "Takes a person's access to a file away.",
            Hint::Destroy,
            json!({"id": text("The file's id"), "with": text("Mail address of the person")}),
            &["id", "with"],
        ),
        define(
            "publish_file",
            "Opens a file to anyone who has its link.",
            Hint::Send,
            json!({"id": text("The file's id")}),
            &["id"],
        ),
        define(
            "transfer_file",
            "Makes somebody else the owner of a file.",
            Hint::Write,
            json!({"id": text("The file's id"), "to": text("Mail address of the new owner")}),
            &["id", "to"],
        ),
        define(
            "move_file",
            "Moves a file into another folder.",
            Hint::Write,
            json!({"id": text("The file's id"), "folder": text("The folder's path")}),
            &["id", "folder"],
        ),
        define(
            "delete_file",
            "Deletes a file for good.",
            Hint::Destroy,
            json!({"id": text("The file's id")}),
            &["id"],
        ),
        define(
            "delete_folder",
            "Deletes a folder with all files in it.",
            Hint::Destroy,
            json!({"folder": text("The folder's path")}),
            &["folder"],
        ),
    ]
}

/// Requests and to-dos.
fn rest() -> Vec<ToolDef> {
    let amount = json!({"type": "number", "description": "The amount to approve; the requested one when left out"});
    vec![
        define(
            "approve_request",
            "Approves a request; what is approved is paid out.",
            Hint::Write,
            json!({"id": text("The request's id"), "amount": amount}),
            &["id"],
        ),
        define(
            "reject_request",
            "Sends a request back to the person who made it.",
            Hint::Write,
            json!({"id": text("The request's id"), "reason": text("What the person reads")}),
            &["id", "reason"],
        ),
        define(
            "delegate_request",
            "Leaves the decision on a request to somebody else.",
            Hint::Write,
            json!({"id": text("The request's id"), "to": text("Mail address of the new approver")}),
            &["id", "to"],
        ),
        define(
            "create_todo",
            "Gives somebody something to do.",
            Hint::Write,
            json!({
                "title": text("What is to be done"),
                "assignee": text("Mail address of the person"),
                "due": text("Last day for it, YYYY-MM-DD"),
            }),
            &["title", "assignee", "due"],
        ),
        define(
            "complete_todo",
            "Marks something as done.",
            Hint::Write,
            json!({"id": text("The to-do's id")}),
            &["id"],
        ),
    ]
}
