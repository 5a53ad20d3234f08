//! `ibid-server doctor`: checks everything that the server needs, and reports every fault at once.
//!
//! The checks create no file, migrate no schema, and ask no model unless `--probe` is given.

mod bots;
mod checks;
mod outside;
mod projects;
mod question_sets;

use crate::database;
use crate::environment::Environment;
use crate::settings::{Settings, misspelt_names};
use ibid_store::{Inspection, Store, inspect};
use std::fmt::Write as _;
use std::process::ExitCode;

/// Check configuration, database, question sets, projects, addresses of bots, disk, limits, sign-in, mail server, evidence store, router, facilitator and clock; the exit status is 1 if one fails
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also ask each model one question, which ROUTER_API_KEY pays for
    #[arg(long)]
    probe: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// In order.
    Good,
    /// The server works without it, or less well.
    Warning,
    /// The server does not start or does not work.
    Fault,
}

/// What all checks found, in order.
#[derive(Debug, Default)]
struct Report {
    findings: Vec<(&'static str, Verdict, String)>,
}

impl Report {
    fn good(&mut self, topic: &'static str, text: impl Into<String>) {
        self.findings.push((topic, Verdict::Good, text.into()));
    }

    fn warn(&mut self, topic: &'static str, text: impl Into<String>) {
        self.findings.push((topic, Verdict::Warning, text.into()));
    }

    fn fault(&mut self, topic: &'static str, text: impl Into<String>) {
        self.findings.push((topic, Verdict::Fault, text.into()));
    }

    /// Checks what the database has, if it has the schema of this program: the checks migrate none.
    fn stored(
        &mut self,
        settings: &Settings,
        topic: &'static str,
        check: impl FnOnce(&mut Self, &Store) -> anyhow::Result<()>,
    ) {
        let found = inspect(&settings.store);
        if !matches!(found, Ok(Inspection::Found { version, known, .. }) if version == known) {
            return;
        }
        if let Err(error) = database::open_existing(settings).and_then(|store| check(self, &store)) {
            self.fault(topic, format!("{error:#}"));
        }
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.findings
            .iter()
            .filter(|(_, found, _)| *found == verdict)
            .count()
    }

    fn render(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        for (topic, verdict, finding) in &self.findings {
            let word = match verdict {
                Verdict::Good => "ok",
                Verdict::Warning => "warning",
                Verdict::Fault => "FAULT",
            };
            writeln!(text, "{word:<8} {topic:<14} {finding}")?;
        }
        writeln!(
            text,
            "faults: {}, warnings: {}",
            self.count(Verdict::Fault),
            self.count(Verdict::Warning)
        )?;
        Ok(text)
    }
}

/// Runs all checks and prints the report.
///
/// # Errors
/// The runtime cannot be built.
pub(crate) fn run(args: &Args, environment: &Environment, sandbox: bool) -> anyhow::Result<ExitCode> {
    let (settings, faults) = Settings::inspect(&|name| environment.get(name), sandbox);
    let mut report = Report::default();
    for fault in &faults {
        report.fault("configuration", fault);
    }
    for (name, meant) in misspelt_names(environment.names()) {
        report.warn(
            "configuration",
            format!("{name} is not a variable of ibid-server: did you mean {meant}?"),
        );
    }
    // A faulty variable has a default that the operator did not choose, so checks of it would mislead.
    let sound = |variable: &str| {
        !faults
            .iter()
            .any(|fault| fault.starts_with(&format!("{variable} ")))
    };
    checks::configuration(&mut report, &settings, faults.is_empty());
    if sound("BIND") {
        checks::address(&mut report, &settings);
    }
    if sound("DATABASE_URL") {
        checks::database(&mut report, &settings);
        question_sets::check(&mut report, &settings);
        projects::check(&mut report, &settings);
        bots::check(&mut report, &settings);
        checks::disk(&mut report, &settings);
    }
    checks::writes(&mut report, &settings);
    checks::limits(&mut report, &settings);
    if ["PAYMENTS_FILE", "MODELS_FILE", "MAX_QUESTIONS_PER_SCAN"]
        .into_iter()
        .all(sound)
    {
        outside::prices(&mut report, &settings);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        if sound("SMTP_URL") && sound("SMTP_FROM") {
            outside::mail(&mut report, &settings).await;
        }
        if sound("ROUTER_BASE_URL") && sound("ROUTER_API_KEY") && sound("ROUTER_DIALECT") {
            outside::router(&mut report, &settings, args.probe).await;
        }
        if sound("OIDC_ISSUER") {
            outside::provider(&mut report, &settings).await;
        }
        if sound("EVIDENCE_STORE") {
            outside::evidence(&mut report, &settings).await;
        }
        if sound("FACILITATOR_URL") {
            outside::facilitator(&mut report, &settings).await;
        }
    });
    crate::print(&report.render()?);
    Ok(if report.count(Verdict::Fault) == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
