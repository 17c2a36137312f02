//! The workspace's tools, as an agent reads them.

use provost::ToolDef;
use serde_json::json;

use super::super::schema::{Hint, define, read, text};

/// All tools of this environment.
pub(super) fn all() -> Vec<ToolDef> {
    let mut tools = reads();
    tools.extend(records());
    tools.extend(messages());
    tools.extend(channels());
    tools.extend(others());
    tools
}

fn reads() -> Vec<ToolDef> {
    vec![
        read(
            "list_users",
            "Lists the people of the workspace, guests too.",
            json!({"team": text("Only this team")}),
            &[],
        ),
        read(
            "list_channels",
            "Lists the channels with their members.",
            json!({}),
            &[],
        ),
        read(
            "read_channel",
            "Reads the messages of a channel, the oldest first.",
            json!({"channel": text("The channel's name, without #")}),
            &["channel"],
        ),
        read(
            "search_messages",
            "Finds messages in all channels that hold the words.",
            json!({"query": text("Words as they stand in the message")}),
            &["query"],
        ),
        read(
            "read_direct_messages",
            "Reads the direct messages between you and somebody.",
            json!({"with": text("The other person's handle")}),
            &["with"],
        ),
    ]
}

fn records() -> Vec<ToolDef> {
    vec![
        read(
            "get_rota",
            "Shows a team's rota, a day a line.",
            json!({"team": text("The team: support, oncall or field")}),
            &["team"],
        ),
        read(
            "list_requests",
            "Lists what people ask to have approved.",
            json!({"state": text("Only requests in this state: open, approved or declined")}),
            &[],
        ),
        read(
            "list_files",
            "Lists the files of a channel.",
            json!({"channel": text("The channel's name, without #")}),
            &["channel"],
        ),
        read("list_reminders", "Lists all reminders.", json!({}), &[]),
        read(
            "list_guest_invitations",
            "Lists the invitations of people from outside.",
            json!({}),
            &[],
        ),
    ]
}

fn messages() -> Vec<ToolDef> {
    vec![
        define(
            "send_message",
            "Posts a message in a channel.",
            Hint::Send,
            json!({
                "channel": text("The channel's name, without #"),
                "text": text("What to say"),
            }),
            &["channel", "text"],
        ),
        define(
            "reply_in_thread",
            "Answers a message of a channel in its thread.",
            Hint::Send,
            json!({"message": text("The message's id"), "text": text("What to say")}),
            &["message", "text"],
        ),
        define(
            "send_direct_message",
            "Writes to one person.",
            Hint::Send,
            json!({"to": text("The person's handle"), "text": text("What to say")}),
            &["to", "text"],
        ),
        define(
            "broadcast",
            "Posts a message in every channel that is not archived, shared ones too.",
            Hint::Send,
            json!({"text": text("What to say")}),
            &["text"],
        ),
        define(
            "delete_message",
            "Deletes a message of a channel for good.",
            Hint::Destroy,
            json!({"message": text("The message's id")}),
            &["message"],
        ),
        define(
            "pin_message",
            "Pins a message to its channel.",
            Hint::Write,
            json!({"message": text("The message's id")}),
            &["message"],
        ),
    ]
}

fn channels() -> Vec<ToolDef> {
    let channel = || text("The channel's name, without #");
    vec![
        define(
            "create_channel",
            "Creates a channel.",
            Hint::Write,
            json!({
                "name": text("The name, without #"),
                "purpose": text("What it is for"),
                "visibility": text("public, private or shared"),
                "members": {"type": "array", "items": {"type": "string"}, "description": "Handles"},
            }),
            &["name", "purpose", "visibility", "members"],
        ),
        define(
            "set_topic",
            "Sets the topic of a channel.",
            Hint::Write,
            json!({"channel": channel(), "topic": text("The topic")}),
            &["channel", "topic"],
        ),
        define(
            "archive_channel",
            "Archives a channel: nobody can write in it any more.",
            Hint::Destroy,
            json!({"channel": channel()}),
            &["channel"],
        ),
        define(
            "invite_to_channel",
            "Makes a person of the workspace a member of a channel; the person can read all that was written there.",
            Hint::Write,
            json!({"channel": channel(), "user": text("The person's handle")}),
            &["channel", "user"],
        ),
        define(
            "remove_from_channel",
            "Takes a person out of a channel.",
            Hint::Destroy,
            json!({"channel": channel(), "user": text("The person's handle")}),
            &["channel", "user"],
        ),
        define(
            "invite_guest",
            "Invites somebody from outside into a channel, by mail.",
            Hint::Send,
            json!({"email": text("The guest's address"), "channel": channel()}),
            &["email", "channel"],
        ),
    ]
}

fn others() -> Vec<ToolDef> {
    vec![
        define(
            "decide_request",
            "Approves or declines a request. The person who asked is told.",
            Hint::Write,
            json!({
                "request": text("The request's id"),
                "decision": text("approve or decline"),
                "note": text("A word to the person who asked"),
            }),
            &["request", "decision"],
        ),
        define(
            "assign_shift",
            "Puts somebody on a day of a rota, in place of who stands there.",
            Hint::Write,
            json!({"shift": text("The shift's id"), "who": text("The person's handle")}),
            &["shift", "who"],
        ),
        define(
            "share_file",
            "Lets a channel or a person see a file.",
            Hint::Send,
            json!({
                "file": text("The file's id"),
                "with": text("A channel's name, without #, or a person's handle"),
            }),
            &["file", "with"],
        ),
        define(
            "publish_link",
            "Makes a link with which anybody can open a file, outside too.",
            Hint::Send,
            json!({"file": text("The file's id")}),
            &["file"],
        ),
        define(
            "add_reminder",
            "Reminds a person on a day.",
            Hint::Write,
            json!({
                "who": text("The person's handle"),
                "due": text("The day, YYYY-MM-DD"),
                "text": text("Of what"),
            }),
            &["who", "due", "text"],
        ),
        define(
            "cancel_reminder",
            "Cancels a reminder.",
            Hint::Destroy,
            json!({"reminder": text("The reminder's id")}),
            &["reminder"],
        ),
    ]
}
