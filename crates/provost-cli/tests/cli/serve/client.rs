//! A client of the Model Context Protocol, by hand: nothing of what the server is made of.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// The binary, started in `place` as `provost bench serve agentlure ARGS`.
fn start(place: &Path, args: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_provost"))
        .args(["bench", "serve", "agentlure"])
        .args(args.split_whitespace())
        .current_dir(place)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What a server left behind: its status, none where it was killed, and its standard error.
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) said: String,
}

impl Ended {
    fn of(mut child: Child, mut err: impl Read) -> Self {
        let mut said = String::new();
        err.read_to_string(&mut said).unwrap();
        let code = child.wait().unwrap().code();
        Self { code, said }
    }
}

pub(super) fn initialize() -> Value {
    json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "by hand", "version": "1"},
    })
}

/// A session over standard input and output.
pub(super) struct Wire {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    err: ChildStderr,
    id: u64,
}

impl Wire {
    /// Starts a server, and nothing else.
    pub(super) fn start(place: &Path, args: &str) -> Self {
        let mut child = start(place, args);
        Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            err: child.stderr.take().unwrap(),
            child,
            id: 0,
        }
    }

    /// Starts a server and shakes hands; what it says of itself.
    pub(super) fn open(place: &Path, args: &str) -> (Self, Value) {
        let mut client = Self::start(place, args);
        let about = client.ask("initialize", &initialize());
        client.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
        (client, about)
    }

    /// Sends bytes as they are.
    pub(super) fn send(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).unwrap();
        self.input.flush().unwrap();
    }

    /// A request's whole answer.
    pub(super) fn reply(&mut self, method: &str, params: &Value) -> Value {
        self.id += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params});
        self.send(format!("{request}\n").as_bytes());
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "{method}");
            let reply: Value = serde_json::from_str(&line).unwrap();
            if reply["id"] == self.id {
                return reply;
            }
        }
    }

    /// A request's result.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let reply = self.reply(method, params);
        assert!(reply["error"].is_null(), "{method}: {reply}");
        reply["result"].clone()
    }

    /// What a tool returned.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Closes standard input.
    pub(super) fn close(self) -> Ended {
        drop(self.input);
        Ended::of(self.child, self.err)
    }

    /// Ends the server at once.
    pub(super) fn kill(mut self) -> Ended {
        self.child.kill().unwrap();
        Ended::of(self.child, self.err)
    }

    /// Waits for the server to end of itself, with standard input still open.
    pub(super) fn wait(self) -> Ended {
        let (child, err, open) = (self.child, self.err, self.input);
        let ended = Ended::of(child, err);
        drop(open);
        ended
    }
}

/// A session over streamable HTTP, a connection a request.
pub(super) struct Http {
    child: Child,
    err: BufReader<ChildStderr>,
    heard: String,
    address: String,
    session: Option<String>,
    id: u64,
}

/// What a server answered.
pub(super) struct Response {
    pub(super) status: u16,
    head: String,
    pub(super) body: String,
}

impl Http {
    /// Starts a server, and nothing else.
    pub(super) fn start(place: &Path, args: &str) -> Self {
        let mut child = start(place, &format!("{args} --http 127.0.0.1:0"));
        let mut err = BufReader::new(child.stderr.take().unwrap());
        let mut heard = String::new();
        let address = loop {
            let from = heard.len();
            assert!(err.read_line(&mut heard).unwrap() > 0, "{heard}");
            if let Some((_, at)) = heard[from..].split_once("serving at http://") {
                break at.trim().strip_suffix("/mcp").unwrap().to_owned();
            }
        };
        Self {
            child,
            err,
            heard,
            address,
            session: None,
            id: 0,
        }
    }

    /// Begins a session.
    pub(super) fn open(&mut self) -> Value {
        self.session = None;
        let response = self.request("initialize", &initialize());
        let header = response.header("mcp-session-id").unwrap();
        self.session = Some(header.to_owned());
        let noted = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let accepted = self.exchange("POST", "/mcp", &[], &noted.to_string());
        assert_eq!(accepted.status, 202);
        response.message()["result"].clone()
    }

    /// Ends the session.
    pub(super) fn end(&mut self) {
        assert_eq!(self.exchange("DELETE", "/mcp", &[], "").status, 202);
        self.session = None;
    }

    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let call = json!({"name": tool, "arguments": arguments});
        let message = self.request("tools/call", &call).message();
        assert!(message["error"].is_null(), "{tool}: {message}");
        message["result"].clone()
    }

    pub(super) fn request(&mut self, method: &str, params: &Value) -> Response {
        self.id += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params});
        self.exchange("POST", "/mcp", &[], &request.to_string())
    }

    /// One request of HTTP, with `more` headers.
    pub(super) fn exchange(&self, method: &str, path: &str, more: &[&str], body: &str) -> Response {
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nconnection: close\r\naccept: application/json, text/event-stream\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n",
            body.len()
        );
        if let Some(session) = &self.session {
            head += &format!("mcp-session-id: {session}\r\n");
        }
        for header in more {
            head += &format!("{header}\r\n");
        }
        if !more.iter().any(|h| h.starts_with("host:")) {
            head += &format!("host: {}\r\n", self.address);
        }
        let mut stream = TcpStream::connect(&self.address).unwrap();
        // What a server refuses it need not read.
        let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        Response::of(&String::from_utf8(answer).unwrap())
    }

    /// Waits for the server to end of itself.
    pub(super) fn wait(self) -> Ended {
        let mut ended = Ended::of(self.child, self.err);
        ended.said.insert_str(0, &self.heard);
        ended
    }
}

impl Response {
    fn of(answer: &str) -> Self {
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let head = head.to_lowercase();
        let chunked = head.contains("transfer-encoding: chunked");
        Self {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            body: if chunked { whole(body) } else { body.into() },
            head,
        }
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|l| l.split_once(": "));
        lines.find(|(n, _)| *n == name).map(|(_, value)| value)
    }

    /// The one message that is an answer.
    pub(super) fn message(&self) -> Value {
        let lines = self
            .body
            .lines()
            .map(|l| l.strip_prefix("data:").unwrap_or(l));
        let mut found = lines.filter_map(|l| serde_json::from_str::<Value>(l).ok());
        let answer = found.find(|m| m["id"].is_u64());
        answer.unwrap_or_else(|| panic!("{}: {}", self.head, self.body))
    }
}

/// A body that came in chunks.
fn whole(mut chunks: &str) -> String {
    let mut body = String::new();
    while let Some((size, rest)) = chunks.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        body += &rest[..size];
        chunks = &rest[size + 2..];
        if size == 0 {
            break;
        }
    }
    body
}
