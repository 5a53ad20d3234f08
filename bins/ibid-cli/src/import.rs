//! `ibid import`: answers that another tool has logged, read and scored as a scan.
//!
//! The order of a scan is planned with the questions of the log, and the answers of the log stand in for a provider. So an
//! imported scan has the numbers of a real one. Nothing is asked and nothing is fetched.

mod table;

use crate::output::{print, print_json};
use crate::words;
use anyhow::{Context, bail};
use clap::Args as ClapArgs;
use ibid_engine::Engine;
use ibid_engine::plan::{Plan, PlanOptions};
use ibid_model::contract::field::{QUESTIONS, Shape};
use ibid_model::{Catalog, Faults, Model, ScanDraft, ScanForm, ScanId};
use ibid_provider::{Completion, Prompt, Provider, ProviderError, ProviderFuture, ProviderKey};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use table::LoggedAnswer;

/// Read the log of another tool (CSV or JSON lines) as a scan: questions, models and answers
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// The log. Columns or members: prompt (or question, query), answer (or response, output), and if known model (or
    /// engine, platform, provider) and sources (or citations, urls); `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Website domain to look for
    #[arg(long)]
    domain: String,
    /// Product or service that the questions are about
    #[arg(long)]
    keyword: String,
    /// A name under which answers may mention the domain; may be repeated
    #[arg(long = "brand", value_name = "NAME")]
    brands: Vec<String>,
    /// A name of another party that holds a name of the domain's; may be repeated
    #[arg(long = "not-name", value_name = "NAME")]
    not_names: Vec<String>,
    /// Language of the questions as a BCP 47 tag
    #[arg(long)]
    language: Option<String>,
    /// Print the result as JSON instead of a report
    #[arg(long)]
    json: bool,
    /// Write questions, answers and readings to this file, for `ibid rescore`
    #[arg(long, value_name = "OUTPUT")]
    evidence: Option<PathBuf>,
}

/// Reads, scores and prints.
#[expect(clippy::print_stderr, reason = "a command line reports there")]
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let text = String::from_utf8(crate::document::read(&args.file)?)
        .with_context(|| format!("{} is not UTF-8", args.file.display()))?;
    let log = table::read(&text).with_context(|| format!("reading {}", args.file.display()))?;
    let recorded = Recorded::of(log.answers);
    for note in recorded.notes(log.skipped) {
        eprintln!("Note: {note}.");
    }
    let plan = match recorded.plan(args)? {
        Ok(plan) => plan,
        Err(faults) => {
            eprintln!("ibid: {}", words::of_faults(&words::IMPORT, &faults));
            return Ok(ExitCode::from(2));
        }
    };
    let engine = Engine::new(Arc::new(recorded), NonZeroUsize::MIN.saturating_add(63));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let scanned = runtime.block_on(engine.run(ScanId::random(), &plan, &"imported".parse()?, |_| {}))?;
    if args.json {
        print_json(&scanned.result)?;
    } else {
        print(&format!("{}\n", ibid_web::terminal::report(&scanned.result)))?;
    }
    if let Some(path) = &args.evidence {
        let bytes = serde_json::to_vec_pretty(&scanned.evidence)?;
        std::fs::write(path, bytes).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A log as a provider: it answers the questions that it has.
#[derive(Debug, Default)]
struct Recorded {
    questions: Vec<String>,
    models: Vec<String>,
    answers: HashMap<(String, String), Completion>,
    /// Answers to a question that the same model had answered before.
    repeated: usize,
    /// Answers to questions beyond the most that a scan takes.
    beyond: usize,
}

impl Recorded {
    /// Keeps the first answer of each model to each of the first questions.
    fn of(answers: Vec<LoggedAnswer>) -> Self {
        let most = match QUESTIONS.shape {
            Shape::Texts { most, .. } => most,
            _ => 1,
        };
        let mut log = Self::default();
        for answer in answers {
            if !log.questions.contains(&answer.question) {
                if log.questions.len() == most {
                    log.beyond += 1;
                    continue;
                }
                log.questions.push(answer.question.clone());
            }
            if !log.models.contains(&answer.model) {
                log.models.push(answer.model.clone());
            }
            let key = (answer.model, answer.question);
            match log.answers.entry(key) {
                Entry::Occupied(_) => log.repeated += 1,
                Entry::Vacant(free) => {
                    free.insert(answer.completion);
                }
            }
        }
        log
    }

    fn notes(&self, skipped: usize) -> impl Iterator<Item = String> {
        [
            (skipped, "rows without a question or an answer are left out"),
            (
                self.repeated,
                "further answers of a model to the same question are left out",
            ),
            (
                self.beyond,
                "answers to further questions are left out: a scan has at most ten questions",
            ),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
    }

    /// Plans a scan with the questions and models of the log. The inner error has the faults of the options.
    fn plan(&self, args: &Args) -> anyhow::Result<Result<Plan, Faults>> {
        if self.questions.is_empty() {
            bail!("the log has no row with a question and an answer");
        }
        let models = self.models.iter().map(|name| self.model(name));
        let catalog = Catalog::new(models.collect::<Result<_, _>>()?)?;
        let body = json!({
            "domain": args.domain,
            "keyword": args.keyword,
            "models": self.models,
            "questions": self.questions,
            "rings": [],
            "brandNames": args.brands,
            "notNames": args.not_names,
            "language": args.language,
        });
        let body = match body {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        let order = match ScanDraft(&body).parse(&catalog, ScanForm::Byok) {
            Ok(order) => order,
            Err(faults) => return Ok(Err(faults)),
        };
        let options = PlanOptions {
            web_search: false,
            most_questions: u32::MAX,
        };
        Ok(Ok(Plan::of(order, options)?))
    }

    /// A row of the alias table under the name that the log has.
    fn model(&self, name: &str) -> anyhow::Result<Model> {
        Ok(serde_json::from_value(json!({
            "alias": name, "name": name, "candidates": [name], "grounding": "none",
            "prices": {"prompt_per_million": 0, "completion_per_million": 0, "per_request": 0, "per_search": 0},
        }))?)
    }
}

impl Provider for Recorded {
    fn ask<'a>(
        &'a self,
        _key: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> ProviderFuture<'a, Result<Completion, ProviderError>> {
        Box::pin(async move {
            let key = (prompt.model.clone(), prompt.text.clone());
            // A question that the log has no answer of this model to.
            self.answers.get(&key).cloned().ok_or(ProviderError::Empty)
        })
    }
}
