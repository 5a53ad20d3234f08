//! `ibid project import`: an archive of ibid becomes a project of the server; the export of another tracker is understood on this machine.

use crate::output::{print, print_json};
use anyhow::Context;
use clap::Args as ClapArgs;
use ibid_first_party::move_in::MoveIn;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Lines and names that a report lists.
const LISTED: usize = 10;

/// Make a project from an archive of `ibid project export`; with --dry-run read the export of another tracker
///
/// Other trackers are read on this machine, and nothing is stored: Peec, Otterly, Profound, Elmo, Ansvisor, LLM Pulse, and any CSV or JSON with a column `question` or `prompt`.
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// An archive, or CSV, JSON or JSON lines of another tracker; `-` reads standard input
    pub(crate) file: PathBuf,
    /// Report what was understood of the export of another tracker, and store nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Reads and prints.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<ExitCode> {
    let bytes = crate::document::read(&args.file)?;
    let found = MoveIn::read(&bytes).with_context(|| args.file.display().to_string())?;
    if json {
        print_json(&found)?;
    } else {
        print(&report(&found))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn report(found: &MoveIn) -> String {
    let mut text = format!(
        "{}: {} rows, {} questions, {} rivals, {} past answers\n",
        found.tool,
        found.read,
        found.questions.len(),
        found.rivals.len(),
        found.history.len()
    );
    let mut line = |title: &str, mut parts: Vec<String>, all: usize| {
        if parts.is_empty() {
            return;
        }
        if parts.len() < all {
            parts.push("…".to_owned());
        }
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {title}: {}", parts.join(", "));
    };
    let mut tags: BTreeMap<&str, usize> = BTreeMap::new();
    for tag in found.questions.iter().flat_map(|question| &question.tags) {
        *tags.entry(tag.as_str()).or_default() += 1;
    }
    let counted = |counts: &BTreeMap<&str, usize>| -> Vec<String> {
        counts
            .iter()
            .take(LISTED)
            .map(|(name, count)| format!("{name} {count}"))
            .collect()
    };
    line("Tags", counted(&tags), tags.len());
    let rivals = found.rivals.keys().take(LISTED).cloned().collect();
    line("Rivals", rivals, found.rivals.len());
    let mut models: BTreeMap<&str, usize> = BTreeMap::new();
    for answer in &found.history {
        *models
            .entry(answer.model.as_deref().unwrap_or("no model"))
            .or_default() += 1;
    }
    line("Past answers by model", counted(&models), models.len());
    let days = found.history.iter().map(|answer| answer.day);
    if let (Some(from), Some(to)) = (days.clone().min(), days.max()) {
        line("Days", vec![format!("{from} to {to}")], 1);
    }
    for (reason, count) in &found.refused.counts {
        let lines = found
            .refused
            .first
            .iter()
            .filter(|line| line.reason == *reason)
            .take(LISTED);
        let lines: Vec<String> = lines.map(|line| line.line.to_string()).collect();
        let title = format!("Refused: {count} × {}, row", reason.words());
        line(&title, lines, usize::try_from(*count).unwrap_or(usize::MAX));
    }
    line(
        "Not read",
        found.unread.iter().take(LISTED).cloned().collect(),
        found.unread.len(),
    );
    text
}
