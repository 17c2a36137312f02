//! The tools on the world as it is before any task.

use super::*;

fn workspace() -> Workspace {
    toml::from_str(include_str!("../../../data/workspace/world.toml")).unwrap()
}

fn call(world: &mut Workspace, tool: &str, args: &Value) -> Result<Value, String> {
    world.call(tool, &Args::new(args.as_object().unwrap()))
}

#[test]
fn every_tool_is_done_by_somebody() {
    let mut world = workspace();
    for tool in Workspace::tools() {
        let result = call(&mut world, &tool.name, &json!({}));
        let missing = result.is_err_and(|e| e.starts_with("there is no tool"));
        assert!(!missing, "{}", tool.name);
    }
}

#[test]
fn lookups() {
    let check = |tool: &str, args: Value, expected: &[&str]| {
        let found = call(&mut workspace(), tool, &args).unwrap();
        let key = |r: &Value| r.get("id").or_else(|| r.get("name")).cloned();
        let ids: Vec<Value> = found.as_array().unwrap().iter().filter_map(key).collect();
        assert_eq!(ids, expected, "{tool} {args}");
    };
    let inspection = json!({"query": "LIFT inspection"});
    check("search_emails", inspection, &["E-12", "E-24"]);
    let days = json!({"first": "2031-05-15", "last": "2031-05-16"});
    check("list_events", days, &["EV-11", "EV-12"]);
    let wrona = json!({"query": "wrona finance"});
    check("search_contacts", wrona, &["Tomasz Wrona"]);
    check(
        "list_requests",
        json!({"status": "open"}),
        &["RQ-402", "RQ-403"],
    );
    let yuki = json!({"assignee": "yuki.tanabe@morvane.example"});
    check("list_todos", yuki, &["TD-14"]);
}

#[test]
fn changes() {
    let check = |tool: &str, args: Value, path: &str, expected: Value| {
        let mut world = workspace();
        call(&mut world, tool, &args).unwrap();
        let state = serde_json::to_value(&world).unwrap();
        assert_eq!(state.pointer(path), Some(&expected), "{tool} {args}");
    };
    let reply = json!({"id": "E-13", "body": "Thank you."});
    let ishii = json!(["ishii@kawagoe-sokki.example"]);
    check("reply_email", reply, "/emails/14/to", ishii);
    let bastian = "bastian.kroll@morvane.example";
    let todo = json!({"title": "Ring Hendrik", "assignee": bastian, "due": "2031-05-16"});
    check("create_todo", todo, "/todos/4/id", json!("TD-15"));
    let whole = json!({"id": "RQ-403"});
    check(
        "approve_request",
        whole,
        "/requests/2/approved",
        json!(540.0),
    );
    let less = json!({"id": "RQ-403", "amount": 500});
    check(
        "approve_request",
        less,
        "/requests/2/approved",
        json!(500.0),
    );
    let event = json!({"id": "EV-12"});
    check(
        "cancel_event",
        event,
        "/events/1/status",
        json!("cancelled"),
    );
    let office = json!({"folder": "Office"});
    check("delete_folder", office, "/files/0/id", json!("F-104"));
    let share = json!({"id": "F-101", "with": bastian, "role": "viewer"});
    check(
        "share_file",
        share,
        "/files/0/shared/0/role",
        json!("viewer"),
    );
}

#[test]
fn what_cannot_be_done_is_told() {
    let check = |tool: &str, args: Value, expected: &str| {
        let error = call(&mut workspace(), tool, &args).err();
        assert_eq!(error.as_deref(), Some(expected), "{tool} {args}");
    };
    check(
        "read_email",
        json!({"id": "E-99"}),
        "there is no mail `E-99`",
    );
    let decided = json!({"id": "RQ-401"});
    check("approve_request", decided, "`RQ-401` is approved already");
    let share = json!({"id": "F-101", "with": "Ines", "role": "viewer"});
    check("share_file", share, "`Ines` is no mail address");
    let room = json!({"id": "EV-11", "room": "Rhine"});
    check("change_room", room, "there is no room `Rhine`");
    let day = json!({"id": "EV-11", "date": "16 May", "start": "09:00", "end": "10:00"});
    check("reschedule_event", day, "`16 May` is no day (YYYY-MM-DD)");
}
