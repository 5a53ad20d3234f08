//! `ibid questions`: questions in the user's own words, proposed, checked and imported without a server.

use crate::cli_options::given;
use crate::output::print;
use crate::router::RouterOptions;
use anyhow::Context;
use clap::{Args as ClapArgs, Subcommand};
use ibid_engine::plan::sample_questions;
use ibid_engine::questions::{LineOutcome, UnreadableImport, file_questions, to_csv};
use ibid_model::OwnQuestion;
use ibid_model::contract::field::{AUDIENCE, DRY_RUN, OFFER, PROPOSAL_COUNT, QUESTIONS};
use ibid_provider::{Provider, ProviderKey, Sandbox};
use ibid_service::{CallerId, Service, ServiceSettings};
use ibid_store::Store;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Propose, check and import questions in your own words
#[derive(ClapArgs)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Propose(Box<Propose>),
    Check(Check),
    Import(Import),
}

/// Let a model of yours propose questions; prints CSV
///
/// The request never holds the domain or its names. The key comes from ROUTER_API_KEY; without it templates write the
/// questions.
#[derive(ClapArgs)]
struct Propose {
    /// Product or service that people ask for
    keyword: String,
    #[command(flatten)]
    subject: Subject,
    /// The people who ask, without the name of the website
    #[arg(long)]
    audience: Option<String>,
    /// The thing on offer, without its name
    #[arg(long)]
    offer: Option<String>,
    /// Number of questions
    #[arg(long, default_value_t = 20)]
    count: u8,
    /// Alias of the model to ask
    #[arg(long)]
    model: Option<String>,
    /// Show the request and its price without asking
    #[arg(long)]
    dry_run: bool,
    /// Use an invented answer: no key, no cost
    #[arg(long)]
    sandbox: bool,
    #[command(flatten)]
    router: RouterOptions,
}

/// Check the questions of a file; exit status 1 if one of them has a finding
#[derive(ClapArgs)]
struct Check {
    /// Text with one question a line, or CSV with a header; `-` reads standard input
    file: PathBuf,
    /// Product or service that the questions are about
    #[arg(long)]
    keyword: Option<String>,
    #[command(flatten)]
    subject: Subject,
}

/// Read questions from a file, such as Queries.csv of a search console; prints CSV, and every other line with its reason
#[derive(ClapArgs)]
struct Import {
    /// Text with one question a line, or CSV; `-` reads standard input
    file: PathBuf,
    /// Product or service that the questions are about
    #[arg(long)]
    keyword: Option<String>,
    #[command(flatten)]
    subject: Subject,
    /// Also keep questions that ask for an explanation, with the tag `info`
    #[arg(long)]
    info: bool,
}

/// The facts that questions are checked against.
#[derive(ClapArgs)]
struct Subject {
    /// Website that no question may name
    #[arg(long)]
    domain: Option<String>,
    /// City and country
    #[arg(long)]
    location: Option<String>,
    /// Language of the questions as a BCP 47 tag; default from the place
    #[arg(long)]
    language: Option<String>,
    /// Another name of the website; may be repeated
    #[arg(long = "brand", value_name = "NAME")]
    brands: Vec<String>,
}

impl Subject {
    fn body(&self, keyword: Option<&str>) -> Map<String, Value> {
        given([
            ("keyword", json!(keyword)),
            ("domain", json!(self.domain)),
            ("location", json!(self.location)),
            ("language", json!(self.language)),
            ("brandNames", json!(self.brands)),
        ])
    }
}

/// Does one of the commands.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Propose(propose) => propose.run(),
        Command::Check(check) => check.run(),
        Command::Import(import) => import.run(),
    }
}

impl Propose {
    #[expect(clippy::print_stderr, reason = "a command line reports there")]
    fn run(&self) -> anyhow::Result<ExitCode> {
        let mut body = self.subject.body(Some(&self.keyword));
        body.extend(given([
            (AUDIENCE.name, json!(self.audience)),
            (OFFER.name, json!(self.offer)),
            (PROPOSAL_COUNT.name, json!(self.count)),
            (DRY_RUN.name, json!(self.dry_run)),
            ("model", json!(self.model)),
        ]));
        let (provider, key) = self.provider()?;
        let proposal = with_service(in_memory(provider)?, async |service| {
            let order = service.questions.proposal_order(&body)?;
            service.questions.propose(&CallerId::api(), order, key).await
        })??;
        eprintln!("{}: about {} a call", proposal.model.name, proposal.estimate);
        if self.dry_run {
            print(&format!("{}\n", proposal.request))?;
            return Ok(ExitCode::SUCCESS);
        }
        for refused in &proposal.refused {
            let reasons: Vec<&str> = refused
                .findings
                .iter()
                .map(|finding| finding.message.as_str())
                .collect();
            eprintln!(
                "Left out: \"{}\" {}",
                refused.question.as_str(),
                reasons.join(", ")
            );
        }
        for warning in &proposal.warnings {
            eprintln!("Note: {}.", warning.message);
        }
        print(&to_csv(&proposal.questions))?;
        Ok(ExitCode::SUCCESS)
    }

    fn provider(&self) -> anyhow::Result<(Arc<dyn Provider>, Option<ProviderKey>)> {
        if self.sandbox {
            let sandbox = Sandbox::new(1).with_proposals(sample_questions);
            return Ok((Arc::new(sandbox), Some("sandbox".parse()?)));
        }
        self.router.open()
    }
}

impl Check {
    #[expect(clippy::print_stderr, reason = "a command line reports there")]
    fn run(&self) -> anyhow::Result<ExitCode> {
        let lines = lines_of(&self.file)?;
        let mut body = self.subject.body(self.keyword.as_deref());
        let questions = lines.iter().map(|(_, question)| question.clone());
        body.insert(QUESTIONS.name.to_owned(), questions.collect());
        // A line that is no question would hide the findings of the others.
        let mut failed = false;
        for (line, question) in &lines {
            if let Err(faults) = OwnQuestion::of_value(question) {
                eprintln!("line {line}: {faults}");
                failed = true;
            }
        }
        if failed {
            return Ok(ExitCode::FAILURE);
        }
        let settings = in_memory(Arc::new(Sandbox::new(1)))?;
        let report = with_service(settings, async |service| service.questions.check(&body).await)??;
        for checked in &report.questions {
            let line = lines
                .iter()
                .find(|(_, value)| OwnQuestion::of_value(value).is_ok_and(|known| known == checked.question))
                .map_or(0, |(line, _)| *line);
            for finding in &checked.findings {
                failed = true;
                print(&format!(
                    "line {line}: {}: \"{}\" {}\n",
                    finding.code,
                    checked.question.as_str(),
                    finding.message
                ))?;
            }
        }
        for warning in &report.warnings {
            eprintln!("Note: {}.", warning.message);
        }
        Ok(if failed {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        })
    }
}

impl Import {
    #[expect(clippy::print_stderr, reason = "a command line reports there")]
    fn run(&self) -> anyhow::Result<ExitCode> {
        let bytes = crate::document::read(&self.file)?;
        let facts = self.subject.body(self.keyword.as_deref());
        let lines = with_service(in_memory(Arc::new(Sandbox::new(1)))?, async |service| {
            let read = service.questions.read_file(&facts, bytes, Vec::new(), self.info);
            read.await
        })??;
        for line in lines.iter().filter(|line| line.outcome != LineOutcome::Added) {
            eprintln!("line {}: \"{}\": {}", line.line, line.text, line.message);
        }
        let questions: Vec<OwnQuestion> = lines.into_iter().filter_map(|line| line.question).collect();
        print(&to_csv(&questions))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Reads a file of questions, each with its line.
pub(crate) fn lines_of(file: &Path) -> anyhow::Result<Vec<(usize, Value)>> {
    let bytes = crate::document::read(file)?;
    file_questions(&bytes)
        .map_err(|error: UnreadableImport| error)
        .with_context(|| format!("reading {}", file.display()))
}

/// A service with a database in memory.
pub(crate) fn in_memory(provider: Arc<dyn Provider>) -> anyhow::Result<ServiceSettings> {
    Ok(ServiceSettings::new(provider, Arc::new(Store::in_memory()?)))
}

/// Runs a use case of the service in this process.
pub(crate) fn with_service<T>(
    settings: ServiceSettings,
    work: impl AsyncFnOnce(&Service) -> T,
) -> anyhow::Result<T> {
    let store = Arc::clone(&settings.store);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let service = settings.start(runtime.handle().clone());
    let done = runtime.block_on(work(&service));
    runtime.shutdown_background();
    drop(service);
    drop(store);
    Ok(done)
}
