//! `ibid import`: answers that another tool has logged, read and scored as a scan.
//!
//! [`ibid_engine::import`] reads the log. The command asks no model and fetches no page.

use crate::cli_options::{self, given};
use crate::output::{misused, print, show};
use anyhow::Context;
use clap::Args as ClapArgs;
use ibid_engine::import::{ImportError, ImportedLog};
use ibid_model::{OwnQuestion, ScanId};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::process::ExitCode;

/// Read the log of another tool (CSV or JSON lines) as a scan: questions, models and answers
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// The log. Columns or members: prompt (or question, query), answer (or response, output), and if known model (or
    /// engine, platform, provider) and sources (or citations, urls); `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Website domain to look for
    #[arg(long)]
    domain: String,
    /// Product or service that the questions are about
    #[arg(long)]
    keyword: String,
    /// A name under which answers may mention the domain; may be repeated
    #[arg(long = "brand", value_name = "NAME")]
    brands: Vec<String>,
    /// A further website of the same owner; may be repeated
    #[arg(long = "own-domain", value_name = "WEBSITE")]
    own_domains: Vec<String>,
    /// A name of another party that holds a name of the domain's; may be repeated
    #[arg(long = "not-name", value_name = "NAME")]
    not_names: Vec<String>,
    /// Language of the questions as a BCP 47 tag
    #[arg(long)]
    language: Option<String>,
    /// Print the questions of the log as CSV, and score nothing
    #[arg(long)]
    questions_only: bool,
    /// Print the result as JSON instead of a report
    #[arg(long)]
    json: bool,
    /// Write questions, answers and readings to this file, for `ibid rescore`
    #[arg(long, value_name = "OUTPUT")]
    evidence: Option<PathBuf>,
}

/// Reads, scores and prints.
#[expect(clippy::print_stderr, reason = "a command line reports there")]
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let bytes = crate::document::read(&args.file)?;
    let log =
        ImportedLog::read(&bytes, usize::MAX).with_context(|| format!("reading {}", args.file.display()))?;
    if args.questions_only {
        let questions: Vec<_> = log.questions().iter().cloned().map(OwnQuestion::from).collect();
        print(&ibid_engine::questions::to_csv(&questions))?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.json {
        for note in log.notes() {
            eprintln!("Note: {note}.");
        }
    }
    let plan = match log.plan(order(args)) {
        Ok(plan) => plan,
        Err(ImportError::Order(faults)) => {
            return Ok(misused(cli_options::of_faults(&faults, &cli_options::IMPORT)));
        }
        Err(error) => return Err(error.into()),
    };
    let now = Timestamp::now();
    let scanned = log.score(ScanId::random(), &plan, now..=now);
    show(args.json, &scanned.result, || {
        format!("{}\n", ibid_web::terminal::report(&scanned.result))
    })?;
    if let Some(path) = &args.evidence {
        let bytes = serde_json::to_vec_pretty(&scanned.evidence)?;
        std::fs::write(path, bytes).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the request's fields, apart from what the log has: questions and models.
fn order(args: &Args) -> Map<String, Value> {
    given([
        ("domain", json!(args.domain)),
        ("keyword", json!(args.keyword)),
        ("ownDomains", json!(args.own_domains)),
        ("brandNames", json!(args.brands)),
        ("notNames", json!(args.not_names)),
        ("language", json!(args.language)),
    ])
}
