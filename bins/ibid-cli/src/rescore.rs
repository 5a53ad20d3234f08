//! `ibid rescore`: reads and scores the answers of a finished scan with the current method.

use crate::document::{read, read_scan};
use crate::output::show;
use anyhow::{Context, ensure};
use clap::Args as ClapArgs;
use ibid_engine::Evidence;
use ibid_engine::rescore::rescore;
use ibid_model::result::ScanResult;
use std::path::PathBuf;
use std::process::ExitCode;

/// Read and score the answers of a finished scan again, without asking any model
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// The result: the output of `ibid scan --json`, or an answer of the API; `-` reads standard input
    #[arg(value_name = "SCAN.json")]
    scan: PathBuf,
    /// Its evidence: the file of `ibid scan --evidence`, or the answer of `GET /api/v1/scan/:id/answers`
    #[arg(value_name = "EVIDENCE.json")]
    evidence: PathBuf,
    /// Print the new result as JSON instead of a summary
    #[arg(long)]
    json: bool,
    /// Write the evidence with its new readings to this file
    #[arg(long, value_name = "FILE")]
    write_evidence: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let scan = read_scan(&args.scan)?;
    let evidence: Evidence = serde_json::from_slice(&read(&args.evidence)?)
        .with_context(|| format!("{} holds no evidence", args.evidence.display()))?;
    ensure!(
        scan.id.is_none_or(|id| id == evidence.scan_id),
        "{} is the evidence of another scan",
        args.evidence.display()
    );
    let again = rescore(&scan.result, &evidence)?;
    if let Some(path) = &args.write_evidence {
        let bytes = serde_json::to_vec_pretty(&again.evidence)?;
        std::fs::write(path, bytes).with_context(|| format!("writing {}", path.display()))?;
    }
    show(args.json, &again.result, || summary(&scan.result, &again.result))
}

/// Formats old and new numbers, one line each.
fn summary(old: &ScanResult, new: &ScanResult) -> String {
    let mut text = format!(
        "method        {} -> {}\noverall score {:>5} -> {:>5}\n",
        old.method.version,
        new.method.version,
        old.overall_score.to_string(),
        new.overall_score.to_string()
    );
    for (before, after) in old.models.iter().zip(&new.models) {
        text.push_str(&format!(
            "{:<20} {:>5} -> {:<5}  {} -> {}\n",
            after.model,
            before.score.to_string(),
            after.score.to_string(),
            before.prominence,
            after.prominence
        ));
    }
    text
}
