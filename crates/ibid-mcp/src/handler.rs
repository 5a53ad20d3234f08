//! The server as `rmcp` calls it.

use crate::caller::McpCaller;
use crate::tools::{self, Tools};
use crate::{resources, tasks};
use ibid_service::{Listings, Service};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CustomRequest, CustomResult, ErrorCode,
    GetTaskParams, GetTaskResult, Implementation, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, Tool, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::sync::Arc;

/// The words for the model of a client.
const INSTRUCTIONS: &str = "ibid measures whether, how prominently and how far around a place AI answers cite a website. \
    Call plan_scan first: it is free and says what a scan would ask, cost and how precise it would be. run_scan asks the \
    models and takes seconds to minutes; get_scan reads a result again. Numbers of two scans differ by chance: call \
    compare_scans before you report a change.";

/// Methods with parameters.
const METHODS: [&str; 9] = [
    "initialize",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
];

/// The MCP server. Cheap to clone.
#[derive(Clone)]
pub struct McpServer {
    pub(crate) service: Service,
    tools: Arc<Tools>,
    /// Who sends a message whose transport names no sender.
    sender: McpCaller,
    /// The calls that a separate message may cancel.
    #[cfg(feature = "http")]
    pub(crate) calls: crate::calls::Calls,
    /// The products in words; `None` if results are not sold here.
    pub(crate) listings: Option<Arc<Listings>>,
}

impl McpServer {
    /// A server whose messages are anonymous unless their transport names the sender.
    pub fn new(service: Service) -> Self {
        let tools = Arc::new(Tools::new(&service));
        Self {
            service,
            tools,
            sender: McpCaller::Anonymous(None),
            #[cfg(feature = "http")]
            calls: crate::calls::Calls::default(),
            listings: None,
        }
    }

    /// The same server, selling what the service sells.
    pub fn selling(mut self, listings: Arc<Listings>) -> Self {
        self.listings = Some(listings);
        self
    }

    /// The same server, for one caller that sends all messages.
    pub fn of(mut self, sender: McpCaller) -> Self {
        self.sender = sender;
        self
    }

    /// Returns who sends a request.
    #[cfg_attr(
        not(feature = "http"),
        expect(unused_variables, reason = "only requests over HTTP name a caller")
    )]
    pub(crate) fn caller(&self, context: &RequestContext<RoleServer>) -> McpCaller {
        #[cfg(feature = "http")]
        if let Some(parts) = context.extensions.get::<http::request::Parts>()
            && let Some(caller) = parts.extensions.get::<McpCaller>()
        {
            return caller.clone();
        }
        self.sender.clone()
    }

    /// Registers a call over HTTP. On other transports `rmcp` itself passes a cancellation to its call.
    #[cfg(feature = "http")]
    fn note(&self, context: &RequestContext<RoleServer>) -> Option<crate::calls::NotedCall> {
        let parts = context.extensions.get::<http::request::Parts>()?;
        let name = crate::calls::CallName::of(&self.caller(context), &parts.headers, context.id.clone())?;
        self.calls.note(name, context.ct.clone())
    }
}

type Context = RequestContext<RoleServer>;

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_tasks()
            .build();
        let mut info = ServerConfig::new(capabilities).with_instructions(INSTRUCTIONS);
        info.server_info = Implementation::new("ibid", env!("CARGO_PKG_VERSION"));
        info
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.find(name).cloned()
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: Context,
    ) -> Result<CustomResult, ErrorData> {
        // `rmcp` passes a method of the protocol here if its parameters do not match.
        Err(match METHODS.contains(&&*request.method) {
            true => ErrorData::invalid_params(
                format!("the parameters of {} do not fit its schema", request.method),
                None,
            ),
            false => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None),
        })
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.of(&self.caller(&context));
        // Clients need not ask again for an hour, because the tools change with the server only.
        Ok(ListToolsResult::with_all_items(tools.to_vec()).with_ttl_ms(3_600_000))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        #[cfg(feature = "http")]
        let _noted = self.note(&context);
        tools::call(self, call, context).await
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(&self.service, &self.caller(&context)).await
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&self.service, &self.caller(&context), &request.uri).await
    }

    async fn get_task(&self, request: GetTaskParams, context: Context) -> Result<GetTaskResult, ErrorData> {
        tasks::get(&self.service, &self.caller(&context), &request.task_id).await
    }

    async fn update_task(&self, request: UpdateTaskParams, context: Context) -> Result<(), ErrorData> {
        // A scan that runs as a task asks no questions, so an update has no answer to pass on.
        tasks::get(&self.service, &self.caller(&context), &request.task_id)
            .await
            .map(|_| ())
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: Context) -> Result<(), ErrorData> {
        tasks::cancel(&self.service, &self.caller(&context), &request.task_id).await
    }
}
