//! `ibid compare`: compares two results.

use crate::document::read_scan;
use crate::output::{print, print_json};
use clap::Args as ClapArgs;
use ibid_engine::compare::{Side, compare};
use std::path::PathBuf;
use std::process::ExitCode;

/// Test whether the second scan differs from the first by more than chance
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// The earlier result: the output of `ibid scan --json`, or an answer of the API; `-` reads standard input
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
    let (first, second) = (read_scan(&args.first)?, read_scan(&args.second)?);
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
    if args.json {
        print_json(&comparison)?;
    } else {
        print(&ibid_web::terminal::comparison(&comparison))?;
    }
    Ok(ExitCode::SUCCESS)
}
