//! `ibid history`: the changes in a series of results.

use crate::document::{Scan, Stored, read_stored};
use crate::output::show;
use clap::Args as ClapArgs;
use ibid_engine::compare::Side;
use ibid_engine::history::{history, sentences};
use std::path::PathBuf;
use std::process::ExitCode;

/// Find the changes in a series of scans, and the average since the last one
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// The results, oldest first: outputs of `ibid scan --json`, or answers of the API
    #[arg(value_name = "FILES", required = true, num_args = 2..)]
    files: Vec<PathBuf>,
    /// Print the history as JSON instead of sentences
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let scan = |file: &PathBuf| match read_stored(file)? {
        Stored::Scan(scan) => Ok(scan),
        Stored::Audit(_) => anyhow::bail!("{} holds an audit; a history is of scans", file.display()),
    };
    let scans: Vec<Box<Scan>> = args.files.iter().map(scan).collect::<Result<_, _>>()?;
    let sides = scans.iter().map(|scan| Side {
        id: scan.id,
        result: &scan.result,
    });
    let sides: Vec<Side<'_>> = sides.collect();
    let found = history(&sides)?;
    show(args.json, &found, || {
        format!("{}\n", sentences(&found, &sides).join("\n"))
    })
}
