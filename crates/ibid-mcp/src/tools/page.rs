//! `audit_page`.

use super::read;
use crate::answer::{ToolProblem, structured};
use crate::caller::McpCaller;
use crate::handler::McpServer;
use crate::payment;
use crate::tools::Arguments;
use ibid_model::Product;
use ibid_model::result::{AuditBand, AuditFix, AuditGate, AuditReport, CheckStatus};
use ibid_service::{Billing, Error, Job, Output};
use rmcp::model::CallToolResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AuditOrder {
    /// The address of the page.
    #[serde(default)]
    url: Option<String>,
    /// The HTML of the page, at most 2 MiB. With it nothing is fetched.
    #[serde(default)]
    html: Option<String>,
    /// Whether to return the whole report, with every check.
    #[serde(default)]
    full: bool,
}

/// A page audit in short.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageAnswer {
    /// The address that answered.
    url: Option<String>,
    /// Score after gates, 0 to 100.
    score: u8,
    /// The score in a word.
    band: AuditBand,
    /// Caps on the score. Read these before the number.
    gates: Vec<AuditGate>,
    /// The checks whose advice helps most, best first.
    fixes: Vec<Fix>,
    /// Checks that the page fails.
    failed: usize,
    /// What the score cannot tell.
    caveat: String,
    /// Whether the sandbox made the page up.
    invented: bool,
    /// The whole report, where the caller asked for it.
    report: Option<AuditReport>,
}

/// A check that the page does not pass.
#[derive(Debug, Serialize)]
struct Fix {
    check: String,
    /// Its subject.
    title: String,
    /// The finding.
    found: String,
    /// The advice.
    advice: Option<String>,
    /// The assistants, the certainty, the work and the words.
    fix: Option<AuditFix>,
}

pub(super) async fn audit(
    server: &McpServer,
    caller: &McpCaller,
    arguments: Arguments,
) -> Result<CallToolResult, ToolProblem> {
    let order: AuditOrder = read(arguments)?;
    let mut body = Map::new();
    for (name, value) in [("url", order.url), ("html", order.html)] {
        if let Some(value) = value {
            body.insert(name.to_owned(), Value::String(value));
        }
    }
    let service = &server.service;
    let run = match caller {
        McpCaller::Anonymous(buyer) => payment::buy(server, buyer.as_ref(), Product::Audit, &body).await?,
        McpCaller::Project(_) => return Err(super::run::of_projects()),
        McpCaller::Holder { id, key: _ } => {
            let page = service.planner.page(&body, None)?;
            let caller = id.clone();
            service
                .scans
                .perform(Job::Audit(page), Billing::FreeAudit { caller })
                .await?
        }
    };
    let finished = run.finish().await?;
    let report = match &finished.output {
        Output::Audit(report) | Output::Full(_, report) => Arc::clone(report),
        // It was bought before, or is a job that this tool does not start.
        Output::Stored | Output::Scan(_) => {
            let document: Document =
                serde_json::from_slice(finished.document.bytes()).map_err(Error::from)?;
            Arc::new(document.result)
        }
    };
    Ok(payment::receipted(
        structured(&PageAnswer::of(&report, order.full))?,
        &finished,
    ))
}

/// A bought audit, as stored.
#[derive(Debug, Deserialize)]
struct Document {
    result: AuditReport,
}

impl PageAnswer {
    fn of(report: &AuditReport, full: bool) -> Self {
        let fixes = report.top_fixes.iter();
        let fixes = fixes.filter_map(|id| report.checks.iter().find(|check| check.id == *id));
        let fixes = fixes.map(|check| Fix {
            check: check.id.clone(),
            title: check.title.clone(),
            found: check.found.clone(),
            advice: check.advice.clone(),
            fix: check.fix.clone(),
        });
        let failed = report
            .checks
            .iter()
            .filter(|check| check.status == CheckStatus::Fail);
        Self {
            url: report.final_url.clone().or_else(|| report.url.clone()),
            score: report.score,
            band: report.band,
            gates: report.gates.clone(),
            fixes: fixes.collect(),
            failed: failed.count(),
            caveat: report.caveat.clone(),
            invented: report.invented,
            report: full.then(|| report.clone()),
        }
    }
}
