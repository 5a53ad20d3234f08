//! `ibid`: scans from the terminal, without a server; and the projects of a server.
//!
//! A command parses its arguments, calls the engine and prints a report. Exit codes: 0 success, 1 failure, 2 wrong
//! usage; a command may add its own.

mod audit;
mod cli_options;
mod color;
mod compare;
mod document;
mod first_party;
mod history;
mod import;
mod locate;
mod look;
mod manual;
mod mcp;
mod models;
mod order_options;
mod output;
mod project;
mod project_import;
mod questions;
mod read;
mod rescore;
mod router;
mod scan;
mod verify;

use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// Measure whether, how prominently and how far around a place AI answers cite a website.
#[derive(Parser)]
#[command(name = "ibid", version, arg_required_else_help = true)]
struct Cli {
    /// Print the licences of the embedded place data
    #[arg(long, exclusive = true)]
    licenses: bool,
    /// When to colour reports
    #[arg(long, global = true, value_enum, default_value_t)]
    color: color::Color,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Each command is a module with `Args` and `run(Args) -> anyhow::Result<ExitCode>`.
#[derive(Subcommand)]
enum Command {
    Look(look::Args),
    Audit(audit::Args),
    Scan(Box<scan::Args>),
    Import(import::Args),
    Questions(questions::Args),
    FirstParty(first_party::Args),
    Project(Box<project::Args>),
    Compare(compare::Args),
    History(history::Args),
    Read(read::Args),
    Rescore(rescore::Args),
    Verify(verify::Args),
    Locate(locate::Args),
    Models(models::Args),
    Completions(manual::CompletionArgs),
    Man(manual::ManArgs),
    Mcp(mcp::Args),
}

#[expect(clippy::print_stderr, reason = "a command line reports its failure there")]
fn main() -> ExitCode {
    let cli = Cli::parse();
    color::choose(cli.color);
    let result: anyhow::Result<ExitCode> = match cli.command {
        // Without a command, `--licenses` is the only possible flag.
        None => locate::print_licenses(),
        Some(Command::Audit(args)) => audit::run(&args),
        Some(Command::Scan(args)) => scan::run(&args),
        Some(Command::Compare(args)) => compare::run(&args),
        Some(Command::History(args)) => history::run(&args),
        Some(Command::Read(args)) => read::run(&args),
        Some(Command::Rescore(args)) => rescore::run(&args),
        Some(Command::Verify(args)) => verify::run(&args),
        Some(Command::Locate(args)) => locate::run(&args),
        Some(Command::Look(args)) => look::run(&args),
        Some(Command::Models(args)) => models::run(&args),
        Some(Command::Import(args)) => import::run(&args),
        Some(Command::Questions(args)) => questions::run(&args),
        Some(Command::FirstParty(args)) => first_party::run(&args),
        Some(Command::Project(args)) => project::run(&args),
        Some(Command::Completions(args)) => manual::completions(&args, Cli::command()),
        Some(Command::Man(args)) => manual::man(&args, Cli::command()),
        Some(Command::Mcp(args)) => mcp::run(&args),
    };
    result.unwrap_or_else(|error| {
        eprintln!("ibid: {error:#}");
        ExitCode::FAILURE
    })
}
