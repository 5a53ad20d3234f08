//! `ibid scan`: one scan, in this process.

mod cost;
mod local;
mod progress;
mod stop;

use crate::cli_options;
use crate::order_options::OrderOptions;
use crate::output::{judged, misused, show};
use crate::router::{self, RouterOptions};
use anyhow::{Context, bail};
use clap::Args as ClapArgs;
use ibid_audit::Auditor;
use ibid_audit::fetch::FetchConfig;
use ibid_engine::plan::{Plan, PlanOptions};
use ibid_engine::{Engine, Scanned, Slot};
use ibid_model::contract::field::{LEARN_NAMES, QUESTIONS, QUESTIONS_PER_MODEL};
use ibid_model::result::ScanPlan;
use ibid_model::{Catalog, Faults, QuestionsPerModel, ScanDraft, ScanForm, ScanId, UsdMicros};
use ibid_provider::{Provider, ProviderKey, Router, RouterConfig, Sandbox};
use serde_json::{Map, Value};
use std::fs::File;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Ask several models recommendation questions and measure how they cite a domain
#[derive(ClapArgs)]
pub(crate) struct Args {
    #[command(flatten)]
    order: OrderOptions,
    /// A core question in your own words, besides the others; may be repeated
    #[arg(help_heading = "Questions")]
    #[arg(long = "ask", value_name = "QUESTION")]
    asks: Vec<String>,
    /// Core questions to leave out, by the ids that --plan shows: c2,c5
    #[arg(help_heading = "Questions")]
    #[arg(long, value_delimiter = ',', value_name = "IDS")]
    skip: Vec<String>,
    /// Use invented answers: no key, no cost
    #[arg(help_heading = "Models")]
    #[arg(long, conflicts_with = LEARN_NAMES.name)]
    sandbox: bool,
    /// Day of the invented world, in days since 1970; default: today
    #[arg(help_heading = "Models")]
    #[arg(long, env = "SANDBOX_DAY")]
    sandbox_day: Option<u32>,
    #[command(flatten, next_help_heading = "Models")]
    router: RouterOptions,
    /// Do not use the router's web search
    #[arg(help_heading = "Models")]
    #[arg(long)]
    no_web_search: bool,
    /// TOML file with a custom alias table
    #[arg(help_heading = "Models")]
    #[arg(long, env = "MODELS_FILE")]
    models_file: Option<PathBuf>,
    /// Maximum number of questions
    #[arg(help_heading = "Questions")]
    #[arg(long, default_value_t = 1_000)]
    max_questions: u32,
    /// Print the result as JSON instead of a report
    #[arg(help_heading = "Output")]
    #[arg(long)]
    json: bool,
    /// Write questions, answers and readings to this file, for `ibid rescore`
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    /// Write the report as a page that needs no other file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,
    /// Write the report as Markdown to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    markdown: Option<PathBuf>,
    /// Most dollars that the scan may cost: a larger estimate is refused, and the bill stops there
    #[arg(long, value_name = "DOLLARS", help_heading = "Cost")]
    max_cost: Option<cost::Dollars>,
    /// Do not ask before a scan that costs more than a dollar
    #[arg(long, short, help_heading = "Cost")]
    yes: bool,
    /// Write a picture of the rings to this file
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print the questions and the cost without asking any model; with --json as JSON
    #[arg(help_heading = "Output")]
    #[arg(long = "plan")]
    plan_only: bool,
    /// End with exit code 3 if the whole range of the score is below this, so that chance does not fail a build
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "SCORE", value_parser = clap::value_parser!(u8).range(0..=100))]
    fail_under: Option<u8>,
}

/// The exit code after Ctrl-C, as shells report it.
const STOPPED: u8 = 130;

/// Plans, asks and prints. The provider key comes from the environment variable `ROUTER_API_KEY`, never from a flag:
/// process lists show flags.
#[expect(clippy::print_stderr, reason = "a command line prints")]
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let target = args.target()?;
    let options = PlanOptions {
        web_search: !args.no_web_search,
        most_questions: args.max_questions,
    };
    let plan = match args.plan(&target.catalog, options) {
        Ok(plan) => plan,
        Err(faults) => return Ok(misused(faults)),
    };
    let report = plan.report();
    if args.plan_only {
        show(args.json, &report, || shown(&report))?;
    }
    let models = counted(plan.models().len(), "model");
    let free = match (args.sandbox, target.is_local) {
        (true, _) => " (sandbox: free)",
        (false, true) => " (your own models: free, from memory)",
        (false, false) => "",
    };
    match report.batches() {
        Some(batches) => eprintln!("{batches}; {models}{free}"),
        None => eprintln!(
            "{} to {models}, about {}{free}",
            counted(plan.len(), "question"),
            plan.estimate(),
        ),
    }
    show_size(&report);
    if let Some(note) = plan.comparison_note() {
        eprintln!("{note}");
    }
    if args.plan_only {
        return Ok(ExitCode::SUCCESS);
    }
    // A scan costs money, so its files must be writable before it begins.
    let evidence = args.evidence.as_deref().map(OutputFile::open).transpose()?;
    let svg = args.svg.as_deref().map(OutputFile::open).transpose()?;
    let html = args.html.as_deref().map(OutputFile::open).transpose()?;
    let markdown = args.markdown.as_deref().map(OutputFile::open).transpose()?;
    if !args.sandbox {
        cost::check(plan.estimate(), args.max_cost.map(|most| most.0), args.yes)?;
    }
    let (scanned, is_partial) = match ask(args, plan, target)? {
        Ended::Complete(scanned) => (scanned, false),
        Ended::Stopped(Some(scanned)) => (scanned, true),
        Ended::Stopped(None) => {
            eprintln!("ibid: stopped before the first answer");
            return Ok(ExitCode::from(STOPPED));
        }
    };
    // The paid result is printed first, so that an error of a file cannot lose it.
    show(args.json, &scanned.result, || {
        format!("{}\n", ibid_web::terminal::report(&scanned.result))
    })?;
    if let Some(target) = evidence {
        target.write(&serde_json::to_vec_pretty(&scanned.evidence)?)?;
    }
    if let Some(target) = svg {
        let result = &scanned.result;
        let picture = ibid_web::radius_map_document(result.location.as_ref(), &result.radius);
        target.write(picture.as_bytes())?;
    }
    if let Some(target) = html {
        target.write(ibid_web::standalone::html(&scanned.result)?.as_bytes())?;
    }
    if let Some(target) = markdown {
        target.write(ibid_web::standalone::markdown(&scanned.result).as_bytes())?;
    }
    if is_partial {
        eprintln!("ibid: stopped; the result has the answers up to then");
        return Ok(ExitCode::from(STOPPED));
    }
    let highest = scanned.result.interval.map(|interval| interval.high);
    match args.fail_under.map(f64::from).zip(highest) {
        Some((least, highest)) if highest < least => {
            eprintln!("ibid: the score is below {least}: its range ends at {highest:.0}");
            Ok(judged(false))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// The questions as a person reads them, below their town, language, kind and origin.
fn shown(report: &ScanPlan) -> String {
    let mut shown = String::new();
    let mut last = String::new();
    for question in &report.questions {
        let origin = match question.origin.as_str() {
            "own" => "your own questions",
            _ => "questions from templates",
        };
        let part = question.market.as_deref().unwrap_or("Core");
        let kind = question
            .kind
            .as_deref()
            .map_or(String::new(), |kind| format!(", {kind}"));
        let heading = format!("{part}: {origin}, {}{kind}\n", question.language);
        if heading != last {
            shown.push_str(&heading);
            last = heading;
        }
        shown.push_str(&format!("  {:<9} {}\n", question.question_id, question.question));
    }
    shown
}

/// Prints the place that was found, the share of each ring, and what to know before the scan is paid for.
#[expect(clippy::print_stderr, reason = "a command line prints")]
fn show_size(report: &ScanPlan) {
    if let Some(location) = &report.location {
        eprintln!("Place: {}", ibid_web::terminal::place(location));
    }
    for ring in &report.rings {
        let cost = UsdMicros::from_dollars(ring.estimated_cost_usd).unwrap_or(UsdMicros::ZERO);
        let towns = ring.markets.join("; ");
        eprintln!(
            "Ring {}: {} calls, about {cost}: {towns}",
            ring.ring.get(),
            ring.calls
        );
    }
    for warning in &report.warnings {
        eprintln!("Note: {}.", warning.message);
    }
}

/// Formats a count with its noun: "1 question", "2 questions".
fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// A file that will be written later. Until then its content stays unchanged.
struct OutputFile<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> OutputFile<'a> {
    fn open(path: &'a Path) -> anyhow::Result<Self> {
        let file = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path);
        let file = file.with_context(|| format!("writing {}", path.display()))?;
        Ok(Self { path, file })
    }

    fn write(mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let written = self.file.set_len(0).and_then(|()| self.file.write_all(bytes));
        written.with_context(|| format!("writing {}", self.path.display()))
    }
}

impl Args {
    /// Plans the order, with the changes that `--skip` and `--ask` make to its core questions.
    fn plan(&self, catalog: &Catalog, options: PlanOptions) -> Result<Plan, String> {
        let mut body = self.order.body(catalog);
        // `--questions` takes the number of generated questions, or a file with the user's own.
        if let Some(Value::String(file)) = body.get(QUESTIONS_PER_MODEL.name).cloned() {
            body.remove(QUESTIONS_PER_MODEL.name);
            let lines = crate::questions::lines_of(Path::new(&file));
            let lines = lines.map_err(|error| format!("--questions takes a number or a file: {error:#}"))?;
            let questions = lines.into_iter().map(|(_, question)| question);
            body.insert(QUESTIONS.name.to_owned(), questions.collect());
        }
        let plan = draft(&body, catalog, options)?;
        if self.skip.is_empty() && self.asks.is_empty() {
            return Ok(plan);
        }
        let core = plan
            .questions()
            .iter()
            .filter(|question| question.slot == Slot::Core);
        let core: Vec<_> = core
            .map(|question| (question.id.as_str(), question.text.as_str()))
            .collect();
        if let Some(unknown) = self
            .skip
            .iter()
            .find(|skip| core.iter().all(|(id, _)| id != skip))
        {
            return Err(format!(
                "--skip {unknown}: no core question has this id; --plan lists them as c1 to c{}",
                core.len()
            ));
        }
        let kept = core
            .iter()
            .filter(|(id, _)| self.skip.iter().all(|skip| skip != id));
        let questions = kept
            .map(|(_, text)| *text)
            .chain(self.asks.iter().map(String::as_str));
        let questions: Vec<&str> = questions.collect();
        // As many calls as before: the list is the pool that every call gets a question of its own from.
        if plan.order().stop().is_none() {
            let each = questions
                .len()
                .div_ceil(plan.models().len())
                .min(QuestionsPerModel::RANGE.1.into());
            body.entry(QUESTIONS_PER_MODEL.name).or_insert(each.into());
        }
        body.insert(QUESTIONS.name.to_owned(), questions.into());
        draft(&body, catalog, options)
    }

    /// Finds out whom the scan asks.
    fn target(&self) -> anyhow::Result<Target> {
        let config = self.router.config();
        let (key, own) = match (self.sandbox, &self.models_file) {
            (true, _) => (None, None),
            (false, Some(_)) => (router::key()?, None),
            (false, None) => {
                let key = router::key()?;
                let own = self.own_models(&config, key.as_ref())?;
                (key, own)
            }
        };
        Ok(match own {
            Some(catalog) => Target {
                catalog,
                is_local: true,
                config: local::patient(config),
                key,
            },
            None => Target {
                catalog: crate::models::catalog(self.models_file.as_deref())?,
                is_local: false,
                config,
                key,
            },
        })
    }

    /// Asks a router on the own machine for its models. A plan needs no router that answers.
    #[expect(clippy::print_stderr, reason = "a command line prints")]
    fn own_models(
        &self,
        config: &RouterConfig,
        key: Option<&ProviderKey>,
    ) -> anyhow::Result<Option<Catalog>> {
        match local::catalog(config, key) {
            Err(error) if self.plan_only => {
                eprintln!("Note: {error:#}; the plan is for the built-in models.");
                Ok(None)
            }
            found => found,
        }
    }

    fn provider(&self, target: Target) -> anyhow::Result<(Arc<dyn Provider>, ProviderKey)> {
        if self.sandbox {
            let day = self.sandbox_day.unwrap_or_else(crate::models::today);
            return Ok((Arc::new(Sandbox::new(1).with_day(day)), "sandbox".parse()?));
        }
        let key = match target.key {
            Some(key) => key,
            // These servers take any key.
            None if target.is_local => "none".parse()?,
            None => bail!("set ROUTER_API_KEY to your provider key, or use --sandbox"),
        };
        Ok((Arc::new(Router::new(&target.config)?), key))
    }
}

/// Which router a scan asks, and its models.
struct Target {
    catalog: Catalog,
    /// Whether the models are the user's own.
    is_local: bool,
    config: RouterConfig,
    key: Option<ProviderKey>,
}

fn draft(body: &Map<String, Value>, catalog: &Catalog, options: PlanOptions) -> Result<Plan, String> {
    let order = ScanDraft(body)
        .parse(catalog, ScanForm::Queued)
        .map_err(|faults: Faults| cli_options::of_faults(&faults, &[]))?;
    Plan::of(order, options).map_err(|error| error.to_string())
}

/// How a scan ended.
enum Ended {
    /// Every question was asked.
    Complete(Box<Scanned>),
    /// Ctrl-C ended it with the answers up to then, if there were any.
    Stopped(Option<Box<Scanned>>),
}

fn ask(args: &Args, plan: Plan, target: Target) -> anyhow::Result<Ended> {
    let time_limit = target.is_local.then(|| local::time_limit(plan.len()));
    let (provider, key) = args.provider(target)?;
    let stop = CancellationToken::new();
    let stoppable = stop::Stoppable {
        provider,
        stop: stop.clone(),
    };
    let engine = Engine::new(Arc::new(stoppable), NonZeroUsize::MIN.saturating_add(255))
        .with_interim_readings(true)
        .with_time_limit(time_limit)
        .with_cost_cap(args.max_cost.map(|most| most.0));
    let mut display = progress::Display::start(plan.expected_calls(), plan.models().iter())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let scanned = runtime.block_on(async {
        let plan = &learn_names(plan).await;
        let scan = engine.run(ScanId::random(), plan, &key, |progress| {
            display.show(&progress);
        });
        let mut scan = std::pin::pin!(scan);
        tokio::select! {
            // Signals are handled before the first question is asked.
            biased;
            signal = tokio::signal::ctrl_c() => {
                signal.context("listening for Ctrl-C")?;
                stop.cancel();
                scan.await.map_err(anyhow::Error::from)
            }
            scanned = &mut scan => scanned.map_err(anyhow::Error::from),
        }
    });
    display.end();
    match scanned {
        Ok(scanned) if stop.is_cancelled() => Ok(Ended::Stopped(Some(Box::new(scanned)))),
        Ok(scanned) => Ok(Ended::Complete(Box::new(scanned))),
        Err(_) if stop.is_cancelled() => Ok(Ended::Stopped(None)),
        Err(error) => Err(error),
    }
}

/// Adds the names on the home page to the plan, where the caller allows the fetch. A failed fetch becomes a warning in
/// the result.
async fn learn_names(plan: Plan) -> Plan {
    if !plan.order().learn_names() {
        return plan;
    }
    let names = async {
        let auditor = Auditor::new(FetchConfig::default())?;
        auditor
            .home_names(plan.order().domain(), jiff::Timestamp::now())
            .await
    };
    match names.await {
        Ok(names) => plan.with_home_page(names),
        Err(error) => plan.without_home_page(&error.to_string()),
    }
}
