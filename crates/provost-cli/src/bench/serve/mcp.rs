//! The run as a server of the Model Context Protocol: tools, the task as a prompt, and one tool of the harness's.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use provost::ToolDef;
use provost_lure::Environment;
use provost_lure::play::Returned;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, JsonObject,
    ListPromptsResult, ListToolsResult, PaginatedRequestParams, Prompt, PromptMessage, Role,
    ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::live::{End, Live, Refused};

/// The tool that takes the agent's last words.
pub(super) const FINISH: &str = "finish";
/// The prompt that holds the user's words.
const TASK: &str = "task";

/// What all clients share.
#[derive(Debug)]
pub(super) struct Shared {
    live: Mutex<Live>,
    /// The agent gave its last words.
    pub(super) answered: Notify,
    /// There is nothing more to serve: a session in which calls were made has ended, or the run cannot be recorded.
    pub(super) done: Notify,
}

impl Shared {
    pub(super) fn new(live: Live) -> Arc<Self> {
        Arc::new(Self {
            live: Mutex::new(live),
            answered: Notify::new(),
            done: Notify::new(),
        })
    }

    /// The run. What panics leaves it as it was: worlds are changed whole or not at all.
    pub(super) fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One client's session, or one request of a client that has none.
#[derive(Debug)]
pub(super) struct Session {
    shared: Arc<Shared>,
    environment: Environment,
    /// It began with a handshake, so that its end is the client's.
    begun: AtomicBool,
    /// Calls were made in it.
    called: AtomicBool,
}

impl Session {
    pub(super) fn new(shared: Arc<Shared>, environment: Environment) -> Self {
        Self {
            shared,
            environment,
            begun: AtomicBool::new(false),
            called: AtomicBool::new(false),
        }
    }

    fn answer(&self, tool: &str, arguments: &Value) -> CallToolResult {
        self.called.store(true, Ordering::Relaxed);
        let mut live = self.shared.live();
        let answered = if tool == FINISH {
            self.finish(&mut live, arguments)
        } else {
            live.call(tool, arguments).map(result)
        };
        if let Err(Refused::Failed(_)) = answered {
            self.shared.done.notify_one();
        }
        answered.unwrap_or_else(|refused| failed(&refused.to_string()))
    }

    fn finish(&self, live: &mut Live, arguments: &Value) -> Result<CallToolResult, Refused> {
        let Some(answer) = arguments.get("answer").and_then(Value::as_str) else {
            let what = format!("`{FINISH}` needs `answer`: a text, what you tell the user");
            return Ok(failed(&what));
        };
        live.end(End::Answer(answer))?;
        self.shared.answered.notify_one();
        let thanks = "The session has ended. Nothing more is to be done.";
        Ok(CallToolResult::success(vec![ContentBlock::text(thanks)]))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if *self.begun.get_mut() && *self.called.get_mut() {
            self.shared.done.notify_one();
        }
    }
}

impl ServerHandler for Session {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .build();
        let live = self.shared.live();
        let instructions = format!(
            "{}\n\nThe user says: {}\n\nWhen the work is done, or cannot be done, call `{FINISH}` with what you tell \
             the user.",
            live.play().system(),
            live.play().prompt()
        );
        // A name that says no more than the tools do: who knows that this is a test plays another one.
        let name = Implementation::new(self.environment.name(), env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(name)
            .with_instructions(instructions)
    }

    async fn on_initialized(&self, _: NotificationContext<RoleServer>) {
        self.begun.store(true, Ordering::Relaxed);
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let live = self.shared.live();
        let tools = live.play().tools().iter().map(tool);
        let tools = tools.chain([finish_tool()]).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(client) = context.client_info() {
            self.shared.live().client(&client.name);
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        Ok(self.answer(&request.name, &arguments).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompt = Prompt::new(TASK, Some("What the user asks for"), None);
        Ok(ListPromptsResult::with_all_items(vec![prompt]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != TASK {
            let why = format!("there is no prompt `{}`; there is `{TASK}`", request.name);
            return Err(ErrorData::invalid_params(why, None));
        }
        let live = self.shared.live();
        let words = PromptMessage::new_text(Role::User, live.play().prompt());
        let prompt = GetPromptResult::new(vec![words]).with_description(live.play().system());
        Ok(prompt.into())
    }
}

/// What a tool of the environment returned: both forms, of which a client of an older protocol sees the text.
fn result(returned: Returned) -> CallToolResult {
    let content = vec![ContentBlock::text(returned.text)];
    if returned.error.is_some() {
        return CallToolResult::error(content);
    }
    let mut result = CallToolResult::success(content);
    if !returned.value.is_string() {
        result.structured_content = Some(returned.value);
    }
    result
}

fn failed(what: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!("Error: {what}"))])
}

fn tool(def: &ToolDef) -> Tool {
    let schema = match &def.parameters {
        Value::Object(schema) => schema.clone(),
        _ => JsonObject::new(),
    };
    let tool = Tool::new(def.name.clone(), def.description.clone(), schema);
    match def.annotations {
        None => tool,
        Some(hints) => tool.with_annotations(ToolAnnotations::from_raw(
            None,
            hints.read_only_hint,
            hints.destructive_hint,
            hints.idempotent_hint,
            hints.open_world_hint,
        )),
    }
}

fn finish_tool() -> Tool {
    let description = "Belongs to the harness that runs this session, not to the user's work: ends the session. Call it \
                       once, when the work is done or cannot be done.";
    let schema = json!({
        "type": "object",
        "properties": {"answer": {"type": "string", "description": "What you tell the user at the end."}},
        "required": ["answer"],
        "additionalProperties": false,
    });
    let hints = ToolAnnotations::new().read_only(true).open_world(false);
    let schema = schema.as_object().cloned().unwrap_or_default();
    Tool::new(FINISH, description, schema).with_annotations(hints)
}
