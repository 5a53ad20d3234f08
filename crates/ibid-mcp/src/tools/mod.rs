//! The tools: their list with schemas, and the way from a call to its answer.

mod look;
mod lookup;
mod page;
mod project;
mod questions;
pub(crate) mod run;
pub(crate) mod scans;
mod schema;
mod score;
mod summary;

use crate::answer::ToolProblem;
use crate::caller::McpCaller;
use crate::handler::McpServer;
use ibid_model::Product;
use ibid_service::Service;
use rmcp::model::{CallToolRequestParams, CallToolResponse, Tool, ToolAnnotations};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub(crate) type Arguments = Map<String, Value>;

/// Tools that a caller with a project's key shares with others, because they are free.
const FREE: [&str; 6] = [
    "plan_scan",
    "score_answers",
    "propose_questions",
    "check_questions",
    "locate",
    "models",
];

/// The tools with their schemas, made once.
#[derive(Debug)]
pub(crate) struct Tools {
    all: Vec<Tool>,
    of_projects: Vec<Tool>,
}

impl Tools {
    pub(crate) fn new(service: &Service) -> Self {
        let order = schema::order();
        let look = |title: &str| {
            ToolAnnotations::with_title(title)
                .read_only(true)
                .open_world(false)
        };
        let act = |title: &str| {
            ToolAnnotations::with_title(title)
                .read_only(false)
                .destructive(false)
                .idempotent(false)
                .open_world(true)
        };
        let all = vec![
            tool(
                "plan_scan",
                "Plans a scan and asks no model: its questions, calls, estimated cost, place and precision. Free. Also takes \
                 ownDomains, brandNames, notNames, language, targetWidth and the other members of POST /api/v1/scan.",
                order.clone(),
                look("Plan a scan"),
            ),
            tool(
                "run_scan",
                "Asks the models and measures how their answers cite a website. The caller's provider key pays; without a \
                 service key the result is bought. Answers with the result, or the id of a running scan for get_scan. Takes all \
                 arguments of plan_scan.",
                schema::with_run_options(order),
                act("Run a scan"),
            ),
            tool(
                "get_scan",
                "Returns a scan in short: scores with intervals, the score of each model, the citation radius and the leading \
                 competitors; or how far it is. The resource ibid://scan/{id} has the whole result.",
                schema::of::<scans::ScanName>(),
                look("Read a scan"),
            ),
            tool(
                "cancel_scan",
                "Stops a scan of this service key that is still running. What was asked until then has cost.",
                schema::of::<scans::ScanName>(),
                act("Stop a scan").destructive(true).idempotent(true),
            ),
            tool(
                "compare_scans",
                "Tests whether the second scan differs from the first by more than chance explains.",
                schema::of::<scans::ScanPair>(),
                look("Compare two scans"),
            ),
            tool(
                "scan_history",
                "Finds the changes in a series of scans, and the average since the last one. Looking after every scan raises \
                 no more false alarms.",
                schema::of::<scans::ScanSeries>(),
                look("Find changes in a series"),
            ),
            tool(
                "list_scans",
                "Lists the last scans of this service key, newest first, at most 100. A restart of the server forgets the \
                 list; the scans stay readable by id.",
                schema::of::<scans::ListOptions>(),
                look("List scans"),
            ),
            tool(
                "score_answers",
                "Reads answers that the caller has: whether each cites a website, how prominently, at which rank, and \
                 which competitors it names. Asks no model. Free.",
                schema::of::<score::ScoreOrder>(),
                look("Score answers"),
            ),
            tool(
                "audit_page",
                "Checks how well AI crawlers can read and quote a page: a score, the checks it fails and what to do about them.",
                schema::of::<page::AuditOrder>(),
                act("Audit a page").read_only(!service.shop.sells(Product::Audit)),
            ),
            tool(
                "look_at_website",
                "A first look: audits the home page, guesses what the website sells, where and in which language, and returns \
                 twelve questions that buyers would ask, with what scans of them cost with each model and what they would show. \
                 Asks no model.",
                schema::of::<look::LookArguments>(),
                act("Look at a website").read_only(true),
            ),
            tool(
                "locate",
                "Looks a place up: what a text such as \"Valencia, Spain\" is taken for, and the question to ask back where it \
                 may mean several places. Free.",
                schema::of::<lookup::PlaceName>(),
                look("Look a place up"),
            ),
            tool(
                "propose_questions",
                "Returns the rules and the JSON Schema by which you, the client's model, write questions that buyers ask, without the \
                 name of the website. Then check them with check_questions, and pass the accepted ones as `questions` to run_scan. Free.",
                schema::fields(&questions::PROPOSED),
                look("Propose questions"),
            ),
            tool(
                "check_questions",
                "Checks questions: brands, twins, language, whether each asks for a choice. Asks no model. Free.",
                schema::check(&service.planner.catalog()),
                look("Check questions"),
            ),
            tool(
                "models",
                "Lists the models that a scan can ask, with the estimated cost of a question. Free.",
                schema::of::<lookup::Nothing>(),
                look("List models"),
            ),
        ];
        let run = tool(
            "run_project",
            "Shows what a run of a project would ask and cost, and what is left of its budget; with dryRun false starts it. \
             The operator's key pays within the budgets. Resources: ibid://projects, ibid://project/{id}, its history, rivals and sources.",
            schema::of::<project::ProjectRun>(),
            act("Run a project"),
        );
        let free = all.iter().filter(|tool| FREE.contains(&&*tool.name)).cloned();
        let of_projects = std::iter::once(run).chain(free).collect();
        Self { all, of_projects }
    }

    pub(crate) fn of(&self, caller: &McpCaller) -> &[Tool] {
        match caller {
            McpCaller::Project(_) => &self.of_projects,
            McpCaller::Anonymous(_) | McpCaller::Holder { .. } => &self.all,
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Tool> {
        let mut tools = self.all.iter().chain(&self.of_projects);
        tools.find(|tool| tool.name == name)
    }
}

/// A tool without an output schema. Hosts pass the list of tools to their models.
/// Schemas for results would make the list many times as long.
fn tool(
    name: &'static str,
    about: &'static str,
    mut input: Map<String, Value>,
    notes: ToolAnnotations,
) -> Tool {
    schema::make_plain(&mut input);
    Tool::new(name, about, input).with_annotations(notes)
}

/// Calls a tool.
///
/// # Errors
/// There is no such tool. A tool that fails answers with a problem.
pub(crate) async fn call(
    server: &McpServer,
    call: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let caller = server.caller(&context);
    let service = &server.service;
    let CallToolRequestParams {
        name,
        arguments,
        input_responses,
        request_state,
        ..
    } = call;
    let arguments = arguments.unwrap_or_default();
    let answer = match &*name {
        "plan_scan" => run::plan(service, &caller, arguments).await,
        "propose_questions" => questions::propose(service, arguments),
        "check_questions" => questions::check(service, arguments).await,
        "run_scan" => {
            let replies = run::Replies {
                responses: input_responses.unwrap_or_default(),
                state: request_state,
            };
            return Ok(
                match run::start(server, &caller, arguments, replies, context).await {
                    Ok(response) => response,
                    Err(problem) => problem.result().into(),
                },
            );
        }
        "get_scan" => scans::get(service, &caller, arguments).await,
        "cancel_scan" => scans::cancel(service, &caller, arguments).await,
        "compare_scans" => scans::compare(service, &caller, arguments).await,
        "scan_history" => scans::history(service, &caller, arguments).await,
        "list_scans" => scans::list(service, &caller, arguments).await,
        "score_answers" => score::score(arguments),
        "audit_page" => page::audit(server, &caller, arguments).await,
        "look_at_website" => look::look(service, &caller, arguments).await,
        "locate" => lookup::locate(service, arguments).await,
        "models" => lookup::models(service),
        "run_project" => project::run(service, &caller, arguments).await,
        other => {
            return Err(ErrorData::invalid_params(
                format!("there is no tool {other}"),
                None,
            ));
        }
    };
    Ok(answer.unwrap_or_else(ToolProblem::result).into())
}

fn read<T: DeserializeOwned>(arguments: Arguments) -> Result<T, ToolProblem> {
    serde_json::from_value(Value::Object(arguments)).map_err(ToolProblem::arguments)
}
