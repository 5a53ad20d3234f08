//! `ibid`: scans from the terminal, without a server.
//!
//! Thin: arguments in, an engine call, a report out. Exit codes: 0 done, 1 failed, 2 bad usage;
//! a command may add its own.

mod models;
mod scan;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Measure whether, how prominently and how far around a place AI answers cite a website.
#[derive(Parser)]
#[command(name = "ibid", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Each command is a module with `Args` and `run(Args) -> anyhow::Result<ExitCode>`.
#[derive(Subcommand)]
enum Command {
    Scan(Box<scan::Args>),
    Models(models::Args),
}

#[expect(clippy::print_stderr, reason = "a command line reports its failure there")]
fn main() -> ExitCode {
    let result: anyhow::Result<ExitCode> = match Cli::parse().command {
        Command::Scan(args) => scan::run(&args),
        Command::Models(args) => models::run(&args),
    };
    result.unwrap_or_else(|error| {
        eprintln!("ibid: {error:#}");
        ExitCode::FAILURE
    })
}
