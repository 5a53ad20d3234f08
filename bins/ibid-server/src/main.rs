//! `ibid-server`: the service in one program.
//!
//! Thin: environment in, adapters opened, routes mounted, runs drained. The store is opened before the runtime and
//! closed after it, because database drivers block.

mod catalog;
mod copy;
mod demo;
mod guest;
mod ledger;
mod rescore;
mod sell;
mod serve;
mod settings;
mod telemetry;
mod user;

use clap::{Parser, Subcommand};
use settings::{Settings, VARIABLES};
use std::process::ExitCode;

/// Built not to ask for huge pages, which would keep both buffers of every connection in memory (docs/adr, 28).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures whether, how prominently and how far around a place AI answers cite a website.
#[derive(Parser)]
#[command(name = "ibid-server", version, after_help = variables())]
struct Arguments {
    /// Invent all answers in process: no provider, no key, no cost. Shows a demonstration scan at the start.
    #[arg(long)]
    sandbox: bool,
    /// With --sandbox: start without the demonstration scan.
    #[arg(long)]
    no_demo: bool,
    /// Print the notices and licences of the embedded data, and exit.
    #[arg(long)]
    licenses: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Other things than serving.
#[derive(Subcommand)]
enum Command {
    /// Print the books of the database: what was settled, delivered, owed.
    Ledger,
    /// The accounts of the workspace.
    #[command(subcommand)]
    User(user::User),
    Rescore(rescore::Args),
    Copy(copy::Args),
}

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program answers its user on the terminal"
)]
fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.licenses {
        println!("{}", ibid_engine::LICENSES);
        return ExitCode::SUCCESS;
    }
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ibid-server: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let settings = Settings::read(&|name| std::env::var(name).ok(), arguments.sandbox)?;
    telemetry::start(&settings)?;
    match &arguments.command {
        Some(Command::Ledger) => return ledger::show(&settings),
        Some(Command::User(user)) => return user::run(&settings, user),
        Some(Command::Rescore(args)) => return rescore::show(&settings, args),
        Some(Command::Copy(args)) => return copy::run(&settings, args),
        None => {}
    }
    serve::serve(settings, arguments.sandbox && !arguments.no_demo)
}

/// The environment variables, for `--help`.
fn variables() -> String {
    let mut text = String::from("Environment variables:\n");
    for variable in VARIABLES {
        text.push_str(&format!(
            "  {:<24}{}\n{:26}[default: {}]\n",
            variable.name, variable.meaning, "", variable.default
        ));
    }
    text
}
