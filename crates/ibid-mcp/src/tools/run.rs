//! `plan_scan` and `run_scan`.

use super::scans::{self, ScanAnswer};
use super::{Arguments, read};
use crate::answer::{ToolProblem, structured};
use crate::caller::{Buyer, McpCaller};
use crate::handler::McpServer;
use crate::{payment, tasks};
use futures_util::StreamExt;
use ibid_engine::plan::Plan;
use ibid_model::contract::field::{BYOK, ROUTER_API_KEY};
use ibid_model::result::ScanPlan;
use ibid_model::{ProblemCode, Product, ScanDraft, ScanForm, ScanId, misspelt};
use ibid_service::{Billing, CallerId, Finished, Job, Run, RunEvent, Service};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, CallToolResult, ElicitRequest, ElicitRequestParams, ElicitationAction, InputRequest,
    InputRequests, InputRequiredResult, InputResponses, ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::RequestContext;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Default cost of a scan above which its user is asked.
pub(super) const USUAL_LIMIT_USD: f64 = 1.0;
/// Default number of seconds that a call waits for its scan. Many clients give up after a minute.
pub(super) const USUAL_WAIT: u64 = 45;
/// Most seconds that a call waits.
pub(super) const MAX_WAIT: u64 = 600;
/// Names the question about the cost.
const QUESTION: &str = "confirmCost";

/// A plan with the precision to expect of it.
#[derive(Debug, Serialize)]
pub(super) struct PlanAnswer {
    #[serde(flatten)]
    plan: ScanPlan,
    /// How precise the numbers would be.
    precision: Precision,
}

/// The precision that a result can have at most.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Precision {
    /// Core questions of each model. The scores are computed from them.
    core_questions: usize,
    /// Half the width of the 95 % interval around a model's cited rate, 0 to 1.
    /// Assumes that the model cites the website in half of its answers.
    cited_rate_half_width: f64,
    /// Fewer than ten questions: differences between two scans will hardly show.
    low_precision: bool,
}

/// Answers of the user that came with a repeated call.
pub(super) struct Replies {
    pub(super) responses: InputResponses,
    pub(super) state: Option<String>,
}

/// What `run_scan` takes besides the order.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunOptions {
    #[serde(default = "RunOptions::default_limit")]
    max_cost_usd: f64,
    #[serde(default = "RunOptions::default_wait")]
    wait_seconds: u64,
}

impl RunOptions {
    const fn default_limit() -> f64 {
        USUAL_LIMIT_USD
    }

    const fn default_wait() -> u64 {
        USUAL_WAIT
    }

    /// Takes the options out of the arguments; the order is left.
    fn take(order: &mut Arguments) -> Result<Self, ToolProblem> {
        let names = ["maxCostUsd", "waitSeconds"];
        let taken = names
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), order.remove(name)?)));
        let options: Self = read(taken.collect())?;
        check_members(order, &names)?;
        if options.wait_seconds > MAX_WAIT {
            return Err(ToolProblem::arguments(format!(
                "waitSeconds takes 0 to {MAX_WAIT}"
            )));
        }
        Ok(options)
    }
}

pub(super) async fn plan(
    service: &Service,
    caller: &McpCaller,
    mut order: Arguments,
) -> Result<CallToolResult, ToolProblem> {
    check_members(&order, &[])?;
    let plan = match caller.holder() {
        Some(holder) => {
            service
                .questions
                .plan(holder, &mut order, ScanForm::Byok, false)
                .await?
        }
        None => service.planner.plan(ScanDraft(&order), ScanForm::Byok).await?,
    };
    let plan = plan.report();
    let core = plan
        .questions
        .iter()
        .filter(|question| question.ring.is_none())
        .count()
        .min(plan.calls as usize);
    let precision = Precision {
        core_questions: core,
        cited_rate_half_width: half_width(core),
        low_precision: core < 10,
    };
    structured(&PlanAnswer { plan, precision })
}

/// Refuses arguments that an order does not have. `more` has the names of the tool's other arguments.
fn check_members(order: &Arguments, more: &[&str]) -> Result<(), ToolProblem> {
    let fields = BYOK.iter().map(|field| field.name);
    let known = fields
        .filter(|name| *name != ROUTER_API_KEY.name)
        .chain(more.iter().copied());
    let Some(unknown) = order
        .keys()
        .find(|name| !known.clone().any(|known| known == *name))
    else {
        return Ok(());
    };
    let advice = match misspelt(unknown, known.clone()) {
        Some(meant) => format!("the nearest is {meant}"),
        None => format!("there are {}", known.collect::<Vec<_>>().join(", ")),
    };
    Err(ToolProblem::arguments(format!(
        "there is no argument {unknown:?}; {advice}"
    )))
}

/// Returns half the width of the 95 % Wilson interval around one half over so many answers.
fn half_width(answers: usize) -> f64 {
    let (n, z) = (answers.max(1) as f64, 1.96_f64);
    z * (0.25 / n + z * z / (4.0 * n * n)).sqrt() / (1.0 + z * z / n)
}

/// Refuses a caller whose key opens projects alone.
pub(super) fn of_projects() -> ToolProblem {
    ToolProblem::saying(
        ProblemCode::Forbidden,
        "This key opens projects alone: run_project runs one. Other tools take a service key.",
    )
}

/// Starts a scan, and waits for it as far as the client wants.
pub(super) async fn start(
    server: &McpServer,
    caller: &McpCaller,
    mut order: Arguments,
    replies: Replies,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ToolProblem> {
    let options = RunOptions::take(&mut order)?;
    let (id, key) = match caller {
        McpCaller::Holder { id, key } => (id, key),
        McpCaller::Anonymous(buyer) => {
            return bought(server, buyer.as_ref(), &order, options, &context).await;
        }
        McpCaller::Project(_) => return Err(of_projects()),
    };
    let Some(key) = key.clone() else {
        return Err(ToolProblem::saying(
            ProblemCode::InvalidRequest,
            "A provider key is required. Configure the header X-Router-Key for this server; it pays the models.",
        ));
    };
    let plan = server
        .service
        .questions
        .plan(id, &mut order, ScanForm::Byok, true)
        .await?;
    if let Some(question) = confirm(&plan, options.max_cost_usd, &replies, &context).await? {
        return Ok(question.into());
    }
    let billing = Billing::Byok {
        caller: id.clone(),
        key,
    };
    let run = server.service.scans.perform(Job::scan(plan), billing).await?;
    let run = run.outliving_its_caller();
    let capabilities = context.client_capabilities();
    if capabilities.is_some_and(|client| client.supports_tasks())
        && let Some(scan) = server.service.scans.recent_scan(id, run.id()).await?
    {
        return Ok(tasks::created(&scan).into());
    }
    let scan = run.id();
    let wait = Duration::from_secs(options.wait_seconds);
    let answer = tokio::select! {
        () = context.ct.cancelled() => {
            // The client has cancelled the call or hung up, so the scan stops.
            server.service.scans.stop_scan(id, scan).await?;
            return unfinished(&server.service, id, scan).await.map(Into::into);
        }
        finished = tokio::time::timeout(wait, follow(run, &context)) => match finished {
            Ok(finished) => finish(&finished?)?,
            Err(_) => unfinished(&server.service, id, scan).await?,
        },
    };
    Ok(answer.into())
}

/// Sells a scan. A client that cancels the call or stops waiting has still paid for the result.
/// The same call with the same payment returns it.
async fn bought(
    server: &McpServer,
    buyer: Option<&Buyer>,
    order: &Arguments,
    options: RunOptions,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ToolProblem> {
    let rings = order.get("rings").and_then(Value::as_array);
    let product = match rings.is_some_and(|rings| !rings.is_empty()) {
        true => Product::Radius,
        false => Product::Scan,
    };
    let run = payment::buy(server, buyer, product, order).await?;
    let scan = run.id();
    let wait = Duration::from_secs(options.wait_seconds);
    let Ok(finished) = tokio::time::timeout(wait, follow(run, context)).await else {
        return Ok(structured(&ScanAnswer::bought(scan))?.into());
    };
    let finished = finished?;
    let answer = match finished.output.scan() {
        Some(result) => structured(&ScanAnswer::complete(finished.id, result))?,
        // A repeated call gets the stored result.
        None => scans::read(&server.service, &McpCaller::Anonymous(None), finished.id).await?,
    };
    Ok(payment::receipted(answer, &finished).into())
}

/// Follows a run to its end, and reports each call to a client that asked for progress.
async fn follow(run: Run, context: &RequestContext<RoleServer>) -> Result<Finished, ToolProblem> {
    let token = context.meta.get_progress_token();
    let mut events = std::pin::pin!(run.into_events());
    while let Some(event) = events.next().await {
        match event {
            RunEvent::Call(call) => {
                if let Some(token) = &token {
                    let mut note = ProgressNotificationParam::new(token.clone(), call.progress.done as f64);
                    note.total = Some(call.progress.total as f64);
                    // A client that does not read its messages still gets its result.
                    let _ = context.peer.notify_progress(note).await;
                }
            }
            RunEvent::Complete(finished) => return Ok(finished),
            RunEvent::Failed(error) => return Err(error.into()),
            RunEvent::Cancelled => break,
        }
    }
    Err(ibid_service::Error::Ended.into())
}

fn finish(finished: &Finished) -> Result<CallToolResult, ToolProblem> {
    match finished.output.scan() {
        Some(result) => structured(&ScanAnswer::complete(finished.id, result)),
        None => Err(ibid_service::Error::Ended.into()),
    }
}

async fn unfinished(service: &Service, caller: &CallerId, id: ScanId) -> Result<CallToolResult, ToolProblem> {
    match service.scans.recent_scan(caller, id).await? {
        Some(scan) => structured(&ScanAnswer::unfinished(&scan)),
        None => Err(ibid_service::Error::NotFound.into()),
    }
}

/// Asks the user whether a scan above the limit may run.
/// Returns the question for the client to answer first, or `None` if the scan may run.
///
/// # Errors
/// The user declined, or the client cannot ask.
async fn confirm(
    plan: &Plan,
    limit: f64,
    replies: &Replies,
    context: &RequestContext<RoleServer>,
) -> Result<Option<InputRequiredResult>, ToolProblem> {
    let estimate = plan.estimate();
    if estimate.dollars() <= limit {
        return Ok(None);
    }
    let question = format!(
        "This scan asks {} questions and costs about {estimate} at the model provider, above the limit of ${limit:.2}. Run it?",
        plan.expected_calls()
    );
    let above = || {
        ToolProblem::saying(
            ProblemCode::PlanTooExpensive,
            format!(
                "The scan would cost about {estimate}, above the limit of ${limit:.2}. Nothing was asked or spent. Ask the user, \
                 then call run_scan with a higher maxCostUsd, or order fewer models, rings or questions."
            ),
        )
        .with("estimatedCostUsd", estimate.dollars())
        .with("maxCostUsd", limit)
    };
    let capabilities = context.client_capabilities();
    if capabilities.is_none_or(|client| client.elicitation.is_none()) {
        return Err(above());
    }
    let modern = context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
    let state = estimate.dollars().to_string();
    if !modern {
        let answer = context.peer.create_elicitation(form(question)?).await;
        return match answer {
            Ok(answer) if answer.action == ElicitationAction::Accept && agreed(answer.content.as_ref()) => {
                Ok(None)
            }
            Ok(_) => Err(declined()),
            // A transport without a way back to the client.
            Err(_) => Err(above()),
        };
    }
    // The state names the estimate that the user agreed to. It is no proof, because a caller can also send a higher limit.
    match replies
        .responses
        .get(QUESTION)
        .filter(|_| replies.state.as_deref() == Some(&state))
    {
        Some(reply) if reply["action"] == "accept" && agreed(reply.get("content")) => Ok(None),
        Some(_) => Err(declined()),
        None => {
            let request = InputRequest::Elicitation(ElicitRequest::new(form(question)?));
            let requests = InputRequests::from([(QUESTION.to_owned(), request)]);
            Ok(Some(InputRequiredResult::new(Some(requests), Some(state))))
        }
    }
}

fn agreed(content: Option<&Value>) -> bool {
    content.is_some_and(|content| content["run"] == json!(true))
}

fn declined() -> ToolProblem {
    ToolProblem::saying(
        ProblemCode::PlanTooExpensive,
        "The user did not agree to the cost. Nothing was asked or spent.",
    )
}

/// The form with one question: whether to run the scan.
fn form(question: String) -> Result<ElicitRequestParams, ToolProblem> {
    let schema: Map<String, Value> = Map::from_iter([
        ("type".to_owned(), json!("object")),
        (
            "properties".to_owned(),
            json!({"run": {"type": "boolean", "title": "Run the scan", "default": false}}),
        ),
        ("required".to_owned(), json!(["run"])),
    ]);
    let requested_schema =
        serde_json::from_value(Value::Object(schema)).map_err(ibid_service::Error::from)?;
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question,
        requested_schema,
    })
}
