//! A sample of AgentLure, served over the Model Context Protocol: every test speaks it over the wire.

mod client;

use std::path::Path;
use std::process::Command;

use provost_lure::task::{Call, Sample, Surface, Task, Vector};
use provost_lure::{Environment, Library, TaskId};
use serde_json::{Value, json};

use crate::tool::Place;
use client::{Http, Wire};

const TASK: &str = "banking/03";

fn task(name: &str) -> Task {
    let (library, _) = Library::builtin();
    library
        .task(TaskId::from_path(name).unwrap())
        .unwrap()
        .clone()
}

fn sample(task: &Task, vector: Vector) -> &Sample {
    task.sample.iter().find(|s| s.vector == vector).unwrap()
}

/// Makes the calls of a script, each of which works, and returns what they said.
fn play(client: &mut Wire, script: &[Call]) -> Vec<String> {
    let play = |call: &Call| {
        let result = client.call(&call.tool, &json!(call.args));
        assert_eq!(result["isError"], false, "{call:?}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    };
    script.iter().map(play).collect()
}

fn finish(client: &mut Wire, answer: &str) {
    let ended = client.call("finish", &json!({"answer": answer}));
    assert_eq!(ended["isError"], false, "{ended}");
}

fn record(place: &Place) -> Value {
    let text = std::fs::read(place.path().join("run.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// The audit takes the recorded run, and finds so many calls in it.
fn audited(place: &Place, calls: usize) {
    let done = place.audit(&["--policy", "agentlure", "run.json"]);
    assert!(done.code < 2, "{}", done.err);
    let line = &done.lines()[0];
    assert_eq!(line["calls"].as_array().unwrap().len(), calls, "{line}");
    assert_eq!(line["warnings"], Value::Null, "{line}");
}

fn tell(pid: u32, signal: &str) {
    let told = Command::new("kill")
        .args([signal, &pid.to_string()])
        .status();
    assert!(told.unwrap().success());
}

#[test]
fn a_clean_run() {
    let (place, task) = (Place::new(), task(TASK));
    let (mut client, about) = Wire::open(place.path(), "--task banking/3 -o run.json");
    assert_eq!(about["serverInfo"]["name"], "banking");
    let instructions = about["instructions"].as_str().unwrap();
    assert!(instructions.contains(&task.prompt), "{instructions}");
    assert!(instructions.contains("`finish`"), "{instructions}");

    let listed = client.ask("tools/list", &json!({}));
    let listed = listed["tools"].as_array().unwrap();
    let (last, tools) = listed.split_last().unwrap();
    assert_eq!(last["name"], "finish");
    assert_eq!(last["inputSchema"]["required"], json!(["answer"]));
    let known = Environment::Banking.tools();
    assert_eq!(tools.len(), known.len());
    for (tool, def) in tools.iter().zip(&known) {
        let def = json!(def);
        for (ours, theirs) in [
            ("name", "name"),
            ("description", "description"),
            ("inputSchema", "parameters"),
            ("annotations", "annotations"),
        ] {
            assert_eq!(tool[ours], def[theirs], "{}", tool["name"]);
        }
    }

    let prompts = client.ask("prompts/list", &json!({}));
    assert_eq!(prompts["prompts"][0]["name"], "task");
    let prompt = client.ask("prompts/get", &json!({"name": "task"}));
    let words = json!([{"role": "user", "content": {"type": "text", "text": task.prompt}}]);
    assert_eq!(prompt["messages"], words);
    let unknown = client.reply("prompts/get", &json!({"name": "x"}));
    let why = unknown["error"]["message"].as_str().unwrap();
    assert_eq!(why, "there is no prompt `x`; there is `task`");

    play(&mut client, &task.truth);
    finish(&mut client, &task.answer);
    let ended = client.close();
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    let calls = task.truth.len();
    let verdict = format!(
        "verdict on AgentLure banking/03: an answer was given, after {calls} calls\n  utility: reached\n  attack: none\n"
    );
    assert!(ended.said.contains(&verdict), "{}", ended.said);
    assert!(ended.said.contains(&task.prompt), "{}", ended.said);

    let record = record(&place);
    let known = json!({
        "pipeline_name": "by hand", "suite_name": "banking", "user_task_id": "03", "utility": true,
    });
    assert_eq!(record["metadata"], known);
    let messages = record["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 2 + 2 * calls + 1);
    assert_eq!(messages[1]["content"], task.prompt);
    assert_eq!(messages.last().unwrap()["content"], task.answer);
    audited(&place, calls);
}

#[test]
fn a_persuaded_run() {
    let check = |task_name: &str, vector: Vector| {
        let (place, task) = (Place::new(), task(task_name));
        let sample = sample(&task, vector);
        let args = format!("--task {task_name} --vector {vector} --output run.json");
        let (mut client, _) = Wire::open(place.path(), &args);
        let tools = client.ask("tools/list", &json!({})).to_string();
        let said = play(&mut client, &sample.persuaded);
        finish(&mut client, "");
        let ended = client.close();
        assert_eq!(ended.code, Some(1), "{}", ended.said);
        assert!(ended.said.contains("  attack: reached\n"), "{}", ended.said);
        let active = &sample.active[0];
        let seen = if sample.surface == Surface::ToolDocs {
            tools.contains(json!(active).to_string().trim_matches('"'))
        } else {
            said.iter().any(|text| text.contains(active.as_str()))
        };
        assert!(seen, "{task_name} {vector}: {active}");
        let metadata = &record(&place)["metadata"];
        assert_eq!(metadata["attack_type"], vector.name());
        assert_eq!(metadata["security"], true);
        audited(&place, sample.persuaded.len());
    };
    // One a surface.
    let vectors = sample_per_surface("banking/03");
    assert!(vectors.len() >= 5, "{vectors:?}");
    for vector in vectors {
        check("banking/03", vector);
    }
    check("slack/01", Vector::Memory);
}

/// A vector for each surface of a task.
fn sample_per_surface(name: &str) -> Vec<Vector> {
    let task = task(name);
    let of = |surface: Surface| task.sample.iter().find(|s| s.surface == surface);
    Surface::ALL
        .into_iter()
        .filter_map(of)
        .map(|s| s.vector)
        .collect()
}

#[test]
fn what_goes_wrong_is_a_result_and_nothing_is_done_after_the_end() {
    let (place, task) = (Place::new(), task(TASK));
    let (mut client, _) = Wire::open(place.path(), "--task banking/03 --output run.json");
    let mut check = |tool: &str, arguments: Value, expected: &str| {
        let result = client.call(tool, &arguments);
        assert_eq!(result["isError"], true, "{result}");
        assert_eq!(result["content"][0]["text"], expected);
    };
    check("fly", json!({}), "Error: there is no tool `fly`");
    let first = &task.truth[0].tool;
    check(
        first,
        json!({"wings": 2}),
        &format!("Error: `{first}` has no argument `wings`"),
    );
    let long = json!({"wings": "x".repeat(70_000)});
    check(
        first,
        long,
        "Error: the arguments are longer than 65536 bytes",
    );
    let needs = "Error: `finish` needs `answer`: a text, what you tell the user";
    check("finish", json!({}), needs);
    check("finish", json!({"answer": 7}), needs);
    finish(&mut client, "no");
    let mut check = |tool: &str, arguments: Value| {
        let result = client.call(tool, &arguments);
        assert_eq!(result["isError"], true, "{result}");
        let told = "Error: the session has ended; nothing more is done";
        assert_eq!(result["content"][0]["text"], told);
    };
    check("finish", json!({"answer": "yes"}));
    check(first, json!({}));
    let ended = client.close();
    assert_eq!(ended.code, Some(1));
    assert_eq!(
        ended.said.matches("verdict on").count(),
        1,
        "{}",
        ended.said
    );
    let record = record(&place);
    let messages = record["messages"].as_array().unwrap();
    assert_eq!(messages.last().unwrap()["content"], "no");
    assert_eq!(messages[3]["isError"], true);
    audited(&place, 2);
}

#[test]
fn bytes_that_are_no_message_change_nothing() {
    let (place, task) = (Place::new(), task(TASK));
    let (mut client, _) = Wire::open(place.path(), "--task banking/03");
    let deep = "[".repeat(100_000);
    let mut noise: Vec<&[u8]> = vec![
        b"not json\n",
        b"\n\n\r\n",
        b"\xff\xfe\x00\x01\n",
        b"{}\n",
        b"[]\n",
        b"7\n",
        b"{\"jsonrpc\":\"2.0\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"tools/call\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/call\",\"params\":7}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"y\",\"method\":\"no/such\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/no\",\"params\":[1]}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"z\",\"method\":\"tools/call\",\"params\":{\"name\":\"recall\",\"arguments\":[]}}\n",
    ];
    noise.push(deep.as_bytes());
    noise.push(b"\n");
    for bytes in noise {
        client.send(bytes);
    }
    play(&mut client, &task.truth);
    finish(&mut client, &task.answer);
    let ended = client.close();
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    let calls = format!("after {} calls", task.truth.len());
    assert!(ended.said.contains(&calls), "{}", ended.said);
}

/// Who says everything at once and closes gets every answer, and the calls are made in the order in which they came.
#[test]
fn all_at_once() {
    let (place, task) = (Place::new(), task(TASK));
    let finish = json!({"name": "finish", "arguments": {"answer": task.answer}});
    let calls = task.truth.iter();
    let calls = calls.map(|c| json!({"name": c.tool, "arguments": c.args}));
    let calls: Vec<Value> = calls.chain([finish]).collect();
    let ask = |id: usize, method: &str, params: &Value| {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        format!("{request}\n")
    };
    let mut input = ask(0, "initialize", &client::initialize());
    for (number, call) in calls.iter().enumerate() {
        input += &ask(number + 1, "tools/call", call);
    }
    let args = "bench serve agentlure --task banking/03 -o run.json";
    let done = place.run(&args.split(' ').collect::<Vec<_>>(), input.as_bytes());
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(done.lines().len(), calls.len() + 1);
    let record = record(&place);
    let messages = record["messages"].as_array().unwrap().iter();
    let made = messages.filter_map(|m| m["tool_calls"][0]["function"]["name"].as_str());
    let asked = task.truth.iter().map(|c| c.tool.as_str());
    assert_eq!(made.collect::<Vec<_>>(), asked.collect::<Vec<_>>());
}

#[test]
fn what_does_not_begin_as_the_protocol_does() {
    let check = |input: &[u8], code: i32, expected: &str| {
        let place = Place::new();
        let args = "bench serve agentlure --task banking/03 -o run.json";
        let done = place.run(&args.split(' ').collect::<Vec<_>>(), input);
        assert_eq!(done.code, code, "{}", done.err);
        assert!(done.err.contains(expected), "{}", done.err);
    };
    let left = "the client left without an answer, after 0 calls";
    check(b"", 1, left);
    check(b"\xff\xff\xff", 1, left);
    check(b"hello\nhello\n", 1, left);
    // A request before the handshake is refused, and the server goes on.
    check(
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n",
        1,
        left,
    );
    let notified = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
    check(
        notified,
        2,
        "error: the client does not begin as the Model Context Protocol does",
    );
    let version = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}\n";
    check(version, 1, left);
}

#[test]
fn a_killed_run_is_on_record_and_is_not_overwritten() {
    let (place, task) = (Place::new(), task(TASK));
    let args = "--task banking/03 --vector argument --output run.json";
    let (mut client, _) = Wire::open(place.path(), args);
    play(&mut client, &task.truth[..2]);
    let ended = client.kill();
    assert_eq!(ended.code, None);
    let left = record(&place);
    assert_eq!(left["messages"].as_array().unwrap().len(), 2 + 2 * 2);
    assert_eq!(left["metadata"]["utility"], Value::Null, "nobody knows");
    audited(&place, 2);

    let again = format!("bench serve agentlure {args}");
    let done = place.run(&again.split(' ').collect::<Vec<_>>(), b"");
    assert_eq!(done.code, 2);
    let why = "error: run.json is there already, and is not overwritten; name another file";
    assert!(done.err.contains(why), "{}", done.err);
    assert_eq!(record(&place), left);
}

#[test]
fn a_stopped_run_has_a_verdict() {
    for signal in ["-INT", "-TERM"] {
        let (place, task) = (Place::new(), task(TASK));
        let (mut client, _) = Wire::open(place.path(), "--task banking/03 --output run.json");
        play(&mut client, &task.truth);
        tell(client.pid(), signal);
        let ended = client.wait();
        assert!(ended.code.is_some(), "{}", ended.said);
        let how = "stopped without an answer";
        assert!(ended.said.contains(how), "{}", ended.said);
        assert!(record(&place)["metadata"]["utility"].is_boolean());
    }
}

/// Clients look at what a server has before they use it.
#[test]
fn a_client_that_only_looks_takes_no_place() {
    let (place, task) = (Place::new(), task(TASK));
    let args = "--task banking/03 --output run.json";
    let look = |place: &Path| {
        let (mut client, _) = Wire::open(place, args);
        client.ask("tools/list", &json!({}));
        client
    };
    assert_eq!(look(place.path()).close().code, Some(1));
    assert_eq!(record(&place)["metadata"]["utility"], false);

    let watching = look(place.path());
    let mut client = look(place.path());
    play(&mut client, &task.truth);
    finish(&mut client, &task.answer);
    assert_eq!(client.close().code, Some(0));
    watching.close();
    assert_eq!(
        record(&place)["metadata"]["utility"],
        true,
        "the run is still there"
    );
}

/// A place that is taken while the run goes on: what is not on record is not done.
#[test]
fn a_run_that_cannot_be_recorded_ends() {
    let place = Place::new();
    let args = "--task banking/03 --output run.json";
    let (mut client, _) = Wire::open(place.path(), args);
    std::fs::write(place.path().join("run.json"), "mine").unwrap();
    let call = json!({"name": "recall", "arguments": {}});
    let reply = client.reply("tools/call", &call);
    assert_eq!(reply["result"]["isError"], true, "{reply}");
    let ended = client.wait();
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.said.contains("error: run.json is there already"),
        "{}",
        ended.said
    );
    let kept = std::fs::read_to_string(place.path().join("run.json")).unwrap();
    assert_eq!(kept, "mine");
}

#[test]
fn over_http_an_answer_ends_the_run() {
    let (place, task) = (Place::new(), task(TASK));
    let mut client = Http::start(place.path(), "--task banking/03 -o run.json");
    // A client that only looks ends nothing.
    let about = client.open();
    assert_eq!(about["serverInfo"]["name"], "banking");
    client.end();
    client.open();
    let listed = client.request("tools/list", &json!({})).message();
    let tools = listed["result"]["tools"].as_array().unwrap().len();
    assert_eq!(tools, Environment::Banking.tools().len() + 1);
    let prompt = client
        .request("prompts/get", &json!({"name": "task"}))
        .message();
    let words = &prompt["result"]["messages"][0]["content"]["text"];
    assert_eq!(*words, task.prompt);
    for call in &task.truth {
        let result = client.call(&call.tool, &json!(call.args));
        assert_eq!(result["isError"], false, "{result}");
    }
    client.call("finish", &json!({"answer": task.answer}));
    let ended = client.wait();
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert!(
        ended.said.contains("  utility: reached\n  attack: none\n"),
        "{}",
        ended.said
    );
    audited(&place, task.truth.len());
}

#[test]
fn over_http_the_end_of_a_session_ends_the_run() {
    let (place, task) = (Place::new(), task(TASK));
    let vector = Vector::Argument;
    let args = "--task banking/03 --vector argument -o run.json";
    let mut client = Http::start(place.path(), args);
    client.open();
    for call in &sample(&task, vector).persuaded {
        let result = client.call(&call.tool, &json!(call.args));
        assert_eq!(result["isError"], false, "{result}");
    }
    client.end();
    let ended = client.wait();
    assert_eq!(ended.code, Some(1), "{}", ended.said);
    let verdict = "the client left without an answer";
    assert!(ended.said.contains(verdict), "{}", ended.said);
    assert!(ended.said.contains("  attack: reached\n"), "{}", ended.said);
}

/// Since 2026-07-28 the protocol has no sessions: what would begin one stands in every request.
#[test]
fn over_http_without_a_session() {
    let (place, task) = (Place::new(), task(TASK));
    let client = Http::start(place.path(), "--task banking/03 -o run.json");
    let call = |tool: &str, arguments: Value| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "in passing", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let name = format!("mcp-name: {tool}");
        let headers = [
            "mcp-protocol-version: 2026-07-28",
            "mcp-method: tools/call",
            &name,
        ];
        let message = client
            .exchange("POST", "/mcp", &headers, &body.to_string())
            .message();
        assert_eq!(message["result"]["isError"], false, "{message}");
    };
    for made in &task.truth {
        call(&made.tool, json!(made.args));
    }
    call("finish", json!({"answer": task.answer}));
    let ended = client.wait();
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert_eq!(record(&place)["metadata"]["pipeline_name"], "in passing");
    audited(&place, task.truth.len());
}

#[test]
fn over_http_who_is_not_meant_is_refused() {
    let place = Place::new();
    let mut client = Http::start(place.path(), "--task banking/03");
    let ask =
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client::initialize()});
    let ask = ask.to_string();
    let check = |path: &str, more: &[&str], body: &str, status: u16| {
        let response = client.exchange("POST", path, more, body);
        assert_eq!(
            response.status, status,
            "{path} {more:?}: {}",
            response.body
        );
    };
    check("/mcp", &[], &ask, 200);
    check("/mcp", &["origin: http://localhost:6274"], &ask, 200);
    check("/mcp", &["origin: https://evil.example"], &ask, 403);
    check("/mcp", &["host: evil.example"], &ask, 403);
    check("/", &[], &ask, 404);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    check("/mcp", &["mcp-session-id: made-up"], &list, 404);
    for body in ["", "not json", "{}", "[", "\u{0}", "7"] {
        let response = client.exchange("POST", "/mcp", &[], body);
        assert!(
            (400..500).contains(&response.status),
            "{body}: {}",
            response.body
        );
    }
    // Just over the mark, so that all of it is read before it is refused.
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    check("/mcp", &[], &long, 413);
    // The server is as well as before.
    client.open();
    client.call("finish", &json!({"answer": ""}));
    assert_eq!(client.wait().code, Some(1));
}

#[test]
fn what_there_is_not_is_told() {
    let check = |args: &str, expected: &str| {
        let args = format!("bench serve agentlure {args}");
        let done = Place::new().run(&args.split(' ').collect::<Vec<_>>(), b"");
        assert_eq!(done.code, 2, "{}", done.err);
        assert!(done.err.contains(expected), "{}", done.err);
        assert!(!done.err.contains("verdict"), "{}", done.err);
    };
    let there = "there are banking/01 to banking/10, travel/01 to travel/10, workspace/01";
    for task in ["banking/11", "banking/0", "banking", "home/01", "banking/x"] {
        check(&format!("--task {task}"), there);
    }
    let vectors = "tool, argument, condition, reasoning, workflow, memory, skill, handoff";
    check("--task banking/03 --vector magic", vectors);
    check("", "--task <TASK>");
    check(
        "--task banking/03 -o no/such/run.json",
        "error: cannot write no/such/run.json",
    );
    check(
        "--task banking/03 --http nowhere",
        "error: cannot listen at nowhere; name a host and a port",
    );
}

/// The configuration that the help shows starts a server.
#[test]
fn the_configuration_in_the_help() {
    let place = Place::new();
    let help = place
        .run(&["bench", "serve", "agentlure", "--help"], b"")
        .out;
    let (_, config) = help
        .split_once("In the configuration of a client:\n")
        .unwrap();
    let (config, _) = config.split_once("\n\n").unwrap();
    let config: Value = serde_json::from_str(config).unwrap();
    let server = config["mcpServers"]["banking"].clone();
    assert_eq!(server["command"], "provost");
    let args: Vec<String> = serde_json::from_value(server["args"].clone()).unwrap();
    let args = args.join(" ");
    let args = args.strip_prefix("bench serve agentlure ").unwrap();
    let (client, about) = Wire::open(place.path(), args);
    assert!(about["instructions"].is_string());
    client.close();
}

/// What real agents did is counted as all stored runs are.
#[test]
fn recorded_runs_are_counted() {
    let (place, task) = (Place::new(), task(TASK));
    for (vector, file) in [
        (None, "runs/clean.json"),
        (Some(Vector::Argument), "runs/argument.json"),
    ] {
        std::fs::create_dir_all(place.path().join("runs")).unwrap();
        let of = vector.map_or(String::new(), |v| format!("--vector {v} "));
        let args = format!("--task banking/03 {of}--output {file}");
        let (mut client, _) = Wire::open(place.path(), &args);
        let script = vector.map_or(&task.truth, |v| &sample(&task, v).persuaded);
        play(&mut client, script);
        finish(&mut client, &task.answer);
        client.close();
    }
    let args = "bench recorded runs --policy agentlure --defense none,causal --out stored";
    let done = place.run(&args.split(' ').collect::<Vec<_>>(), b"");
    assert_eq!(done.code, 0, "{}", done.err);
    let stored = std::fs::read_to_string(place.path().join("stored/results.jsonl")).unwrap();
    let records: Vec<Value> = stored
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(records.len(), 4);
    let attacked = |r: &&Value| r["case"]["attack"] == "argument" && r["defense"] == "none";
    let attacked = records.iter().find(attacked).unwrap();
    assert_eq!(attacked["success"], true, "{attacked}");
    assert_eq!(attacked["agent"], "recorded/by hand");
}
