//! `ibid verify`: counts the numbers in a project's report again.

use crate::document::read;
use crate::output::{judged, show};
use anyhow::Context;
use clap::Args as ClapArgs;
use ibid_engine::report::{ReportDifference, verify};
use ibid_model::result::ProjectReport;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Differences that are shown; `--json` has all.
const SHOWN: usize = 20;

/// Count every number of a report again, from the answers in its file; exit code 3 if one differs
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// The file of a report: a download of the workspace or of its public link, or an answer of the API; `-` reads standard input
    #[arg(value_name = "REPORT.json")]
    file: PathBuf,
    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let bytes = read(&args.file)?;
    let (report, differences) =
        verify(&bytes).with_context(|| format!("{} cannot be verified", args.file.display()))?;
    let digest = const_hex::encode(Sha256::digest(&bytes));
    let shown = document(&differences, &digest);
    show(args.json, &shown, || summary(&report, &differences, &digest))?;
    Ok(judged(differences.is_empty()))
}

fn document(differences: &[ReportDifference], sha256: &str) -> Value {
    let differences = differences
        .iter()
        .map(|one| json!({"pointer": one.pointer, "stored": one.stored, "counted": one.counted}));
    json!({"sha256": sha256, "differences": differences.collect::<Vec<_>>()})
}

fn summary(report: &ProjectReport, differences: &[ReportDifference], sha256: &str) -> String {
    let mut text = format!(
        "{}, {}, {}\n",
        report.cover.title,
        report.project.domain,
        report.made_at.strftime("%-d %B %Y")
    );
    match differences.len() {
        0 => text.push_str("Every number follows from the answers in the file.\n"),
        1 => text.push_str("One entry does not follow from the answers in the file:\n"),
        count => {
            let _ = writeln!(
                text,
                "{count} entries do not follow from the answers in the file:"
            );
        }
    }
    let shown = |value: &Option<Value>| value.as_ref().map_or_else(|| "nothing".to_owned(), short);
    for one in differences.iter().take(SHOWN) {
        let _ = writeln!(
            text,
            "  {}: the file has {}, its answers give {}",
            one.pointer,
            shown(&one.stored),
            shown(&one.counted)
        );
    }
    if differences.len() > SHOWN {
        let _ = writeln!(text, "  and {} more", differences.len() - SHOWN);
    }
    let _ = writeln!(text, "SHA-256 {sha256}");
    text
}

/// A value on one line, without control characters.
fn short(value: &Value) -> String {
    let text = value.to_string();
    let mut short: String = text
        .chars()
        .filter(|letter| !letter.is_control())
        .take(80)
        .collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
