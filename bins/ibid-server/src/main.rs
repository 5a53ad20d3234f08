//! `ibid-server`: the service in one program.
//!
//! The program reads its settings from the environment, opens the adapters, mounts the routes and drains runs before
//! it exits. The store is opened before the runtime and closed after it, because database drivers block.

mod backup;
mod books;
mod bots;
mod catalog;
mod database;
mod demonstration;
mod descriptors;
mod doctor;
mod environment;
mod evidence;
mod health;
mod key;
mod mail_test;
mod migrate_to_postgres;
mod payments;
mod probe;
mod project;
mod rescore;
mod run_key;
mod sandbox_account;
mod sandbox_agency;
mod sandbox_history;
mod serve;
mod settings;
mod signals;
mod telemetry;
#[cfg(feature = "otlp")]
mod traces;
mod user;
mod work;

use clap::{Parser, Subcommand};
use environment::{Environment, SERVICE_FILE};
use serve::AtStart;
use settings::{Settings, VARIABLES};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// The allocator, built without transparent huge pages: they would keep both buffers of every connection in memory
/// (docs/adr, 28).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures whether, how prominently and how far around a place AI answers cite a website.
#[derive(Parser)]
#[command(name = "ibid-server", version, after_help = variables())]
struct Arguments {
    /// Invent all answers in this process: no provider, no key, no cost. Runs a demonstration scan at the start
    #[arg(long)]
    sandbox: bool,
    /// With --sandbox: start without the demonstration scan
    #[arg(long)]
    no_demo: bool,
    /// With --sandbox: listen on an address that other machines can reach. Its keys and passwords are public knowledge
    #[arg(long, requires = "sandbox")]
    sandbox_public: bool,
    /// With --sandbox: average delay of answers in milliseconds, to watch progress
    #[arg(long, value_name = "MS", requires = "sandbox", default_value_t = 0)]
    sandbox_latency: u64,
    /// With --sandbox: the day of the invented world, in days since 1970 [default: today]. A part of the answers changes from day to day
    #[arg(long, value_name = "DAY", requires = "sandbox")]
    sandbox_day: Option<u32>,
    /// Ask each model one question at the start, paid by ROUTER_API_KEY
    #[arg(long)]
    probe_models: bool,
    /// Print the notices and licences of the embedded data and fonts, and exit
    #[arg(long)]
    licenses: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Commands apart from serving, which is the default.
#[derive(Subcommand)]
enum Command {
    /// Ask the server that listens on BIND for its health; the exit status is 0 if it answers
    Health,
    Doctor(doctor::Args),
    Backup(backup::BackupArgs),
    Restore(backup::RestoreArgs),
    Books(books::BooksArgs),
    /// Earlier names of books
    #[command(hide = true, alias = "reconcile")]
    Ledger {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        _rest: Vec<String>,
    },
    /// Manage the accounts of the workspace
    #[command(subcommand)]
    User(user::User),
    /// Manage the named keys of the v1 API
    #[command(subcommand)]
    Key(key::Key),
    /// Manage the budgets and keys of projects
    #[command(subcommand)]
    Project(project::Project),
    /// Manage the published addresses of bots, which uploaded logs are checked against
    #[command(subcommand)]
    Bots(bots::Bots),
    RunKey(run_key::Args),
    MailTest(mail_test::Args),
    /// Manage queued and running scans, and scans that repeat
    #[command(subcommand)]
    Work(work::Work),
    Rescore(rescore::Args),
    #[command(name = "copy")]
    MigrateToPostgres(migrate_to_postgres::Args),
}

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program answers its user on the terminal"
)]
fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.licenses {
        println!(
            "{}\n\n---- Names of trades: iD ----\n\n{}\n\n---- Fonts ----\n\n{}",
            ibid_engine::LICENSES,
            ibid_engine::plan::TRADES_LICENSE,
            ibid_http::FONT_LICENSE
        );
        return ExitCode::SUCCESS;
    }
    match run(&arguments) {
        Ok(status) => status,
        Err(error) => {
            eprintln!("ibid-server: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let own = Environment::of_process();
    let environment = match &arguments.command {
        Some(Command::RunKey(args)) => {
            run_key::run(args)?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(Command::Ledger { .. }) => anyhow::bail!(
            "the books have commands of their own: ibid-server books for the ledger, ibid-server books reconcile to \
             compare it with the chain"
        ),
        None | Some(Command::Health) => own,
        Some(_) if arguments.sandbox => own,
        Some(_) => own.with_service(Path::new(SERVICE_FILE))?,
    };
    if let Some(Command::Doctor(args)) = &arguments.command {
        return doctor::run(args, &environment, arguments.sandbox);
    }
    serve_or_manage(arguments, &environment)?;
    Ok(ExitCode::SUCCESS)
}

fn serve_or_manage(arguments: &Arguments, environment: &Environment) -> anyhow::Result<()> {
    let mut settings = Settings::read(&|name| environment.get(name), arguments.sandbox)?;
    // Traces that wait are delivered when this is dropped.
    let _telemetry = telemetry::start(&settings)?;
    match &arguments.command {
        Some(Command::Health) => return health::check(settings.bind),
        Some(Command::Books(args)) => return books::run(&settings, args),
        Some(Command::User(user)) => return user::run(&settings, user),
        Some(Command::Key(key)) => return key::run(&settings, key),
        Some(Command::Project(project)) => return project::run(&settings, project),
        Some(Command::Bots(bots)) => return bots::run(&settings, bots),
        Some(Command::MailTest(args)) => return mail_test::run(&settings, args),
        Some(Command::Work(work)) => return work::run(&settings, work),
        Some(Command::Rescore(args)) => return rescore::show(&settings, args),
        Some(Command::MigrateToPostgres(args)) => return migrate_to_postgres::run(&settings, args),
        Some(Command::Backup(args)) => return backup::backup(&settings, args),
        Some(Command::Restore(args)) => return backup::restore(&settings, args),
        // Done before: these read no settings, or faulty ones too.
        Some(Command::Doctor(_) | Command::RunKey(_) | Command::Ledger { .. }) | None => {}
    }
    if arguments.sandbox && !arguments.sandbox_public && !settings.bind.ip().is_loopback() {
        anyhow::bail!(
            "the sandbox listens on {}, which other machines can reach, and its keys and passwords are public: \
             set BIND to an address of this machine, or add --sandbox-public",
            settings.bind
        );
    }
    settings::warn_of_misspelt(environment.names());
    let descriptors = descriptors::raise(settings.width);
    settings.width = descriptors.calls;
    settings.web.sandbox_latency = Duration::from_millis(arguments.sandbox_latency);
    if let Some(day) = arguments.sandbox_day {
        settings.web.sandbox_day = day;
    }
    let start = AtStart {
        demonstration: arguments.sandbox && !arguments.no_demo,
        probe: arguments.probe_models,
    };
    serve::serve(settings, descriptors, start)
}

/// Returns the list of environment variables for `--help`.
/// Prints the answer of a command.
#[expect(clippy::print_stdout, reason = "the answer is for the person at the terminal")]
fn print(text: &str) {
    print!("{text}");
}

fn variables() -> String {
    let mut text = String::from("Environment variables:\n");
    for variable in VARIABLES.iter() {
        text.push_str(&format!(
            "  {:<24}{}\n{:26}[default: {}]\n",
            variable.name, variable.meaning, "", variable.default
        ));
    }
    text
}
