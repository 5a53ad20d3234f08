//! `ibid compare`: compares two results.

use crate::audit::comparison_text;
use crate::document::{Scan, Stored, read_stored};
use crate::output::show;
use clap::Args as ClapArgs;
use ibid_engine::compare::{Side, compare};
use ibid_model::result::AuditComparison;
use std::path::PathBuf;
use std::process::ExitCode;

/// Test whether the second scan differs from the first by more than chance, or tell what changed between two audits
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// The earlier result: the output of `ibid scan --json` or `ibid audit --json`, or an answer of the API; `-` reads standard input
    #[arg(value_name = "A.json")]
    first: PathBuf,
    /// The later result
    #[arg(value_name = "B.json")]
    second: PathBuf,
    /// Print the comparison as JSON instead of a report
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match (read_stored(&args.first)?, read_stored(&args.second)?) {
        (Stored::Scan(first), Stored::Scan(second)) => compare_scans(&first, &second, args.json),
        (Stored::Audit(first), Stored::Audit(second)) => {
            let comparison = AuditComparison::of(&first, &second);
            show(args.json, &comparison, || comparison_text(&comparison, "Score"))
        }
        (Stored::Scan(_), Stored::Audit(_)) | (Stored::Audit(_), Stored::Scan(_)) => {
            anyhow::bail!("one file holds a scan and the other an audit; compare two of a kind")
        }
    }
}

fn compare_scans(first: &Scan, second: &Scan, as_json: bool) -> anyhow::Result<ExitCode> {
    let comparison = compare(
        Side {
            id: first.id,
            result: &first.result,
        },
        Side {
            id: second.id,
            result: &second.result,
        },
    );
    show(as_json, &comparison, || {
        ibid_web::terminal::comparison(&comparison)
    })
}
