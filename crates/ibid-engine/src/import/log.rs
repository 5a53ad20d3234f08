//! A log as the answers of a scan.

use super::ImportError;
use super::faults::LogFaults;
use super::rows::{self, LoggedAnswer};
use crate::aggregate;
use crate::ask::Spending;
use crate::plan::{Plan, PlanOptions};
use crate::scanned::Scanned;
use ibid_model::contract::field::QUESTIONS;
use ibid_model::result::Warning;
use ibid_model::{
    Catalog, ExpectedUse, Grounding, Model, OwnQuestion, Prices, QuestionText, ScanDraft, ScanForm, ScanId,
    UsdMicros,
};
use ibid_provider::{Completion, ProviderError};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::RangeInclusive;

/// Most models of a scan.
const MOST_MODELS: usize = 100;
/// Code for warnings about rows that the scan does not take.
const LEFT_OUT: &str = "import_left_out";

/// What a scan takes from a log: each model's first answer to each of the first questions.
#[derive(Debug, Default)]
pub struct ImportedLog {
    questions: Vec<QuestionText>,
    models: Vec<String>,
    /// By the numbers of model and question.
    answers: HashMap<(usize, usize), Completion>,
    asked_at: Option<(Timestamp, Timestamp)>,
    /// Rows without a question or an answer.
    skipped: usize,
    /// Answers to a question that the same model had answered before.
    repeated: usize,
    /// Answers to questions beyond the most that a scan takes.
    beyond: usize,
    /// Answers to questions that a scan does not ask, such as one with a link.
    unasked: usize,
}

impl ImportedLog {
    /// Reads a log of at most `most_rows` rows.
    ///
    /// # Errors
    /// Returns every line's faults.
    pub fn read(bytes: &[u8], most_rows: usize) -> Result<Self, LogFaults> {
        let mut log = Self::default();
        log.skipped = rows::read(bytes, most_rows, &mut log)?;
        Ok(log)
    }

    /// The questions that the scan takes.
    pub fn questions(&self) -> &[QuestionText] {
        &self.questions
    }

    /// When the first and the last answer were given that the scan takes, as far as the log has times.
    pub fn asked_at(&self) -> Option<RangeInclusive<Timestamp>> {
        self.asked_at.map(|(first, last)| first..=last)
    }

    /// The rows that are no part of the scan, in sentences.
    pub fn notes(&self) -> impl Iterator<Item = String> + use<> {
        let beyond = format!(
            "answers to further questions are left out: a scan has at most {} questions",
            QUESTIONS.most()
        );
        [
            (self.skipped, "rows without a question or an answer are left out"),
            (
                self.unasked,
                "answers to questions with a link are left out: a scan does not ask them",
            ),
            (
                self.repeated,
                "further answers of a model to the same question are left out",
            ),
            (self.beyond, &beyond),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect::<Vec<_>>()
        .into_iter()
    }

    /// Plans a scan with the questions and models of the log.
    /// `order` has the other fields of the request.
    ///
    /// # Errors
    /// See [`ImportError`].
    pub fn plan(&self, order: Map<String, Value>) -> Result<Plan, ImportError> {
        if self.questions.is_empty() {
            return Err(ImportError::Empty);
        }
        let questions: Vec<_> = self.questions.iter().map(QuestionText::as_str).collect();
        plan(order, &self.models, &questions)
    }

    /// Reads and scores the answers as a scan of that time.
    /// It takes about 50 µs of CPU time an answer, without a pause.
    /// `plan` comes from [`Self::plan`].
    #[must_use]
    pub fn score(mut self, id: ScanId, plan: &Plan, asked_at: RangeInclusive<Timestamp>) -> Scanned {
        let notes = self.notes().map(|note| Warning::new(LEFT_OUT, note));
        let warnings = std::iter::once(Warning::new(
            Warning::IMPORTED,
            "the answers come from a log that was handed in; nothing was asked, and it is not known which answers rest on a web \
             search",
        ));
        let warnings: Vec<Warning> = warnings.chain(notes).collect();
        let calls = plan.questions().iter().map(|planned| {
            let question = self
                .questions
                .iter()
                .position(|question| question.as_str() == planned.text);
            let asked = plan
                .models()
                .get(planned.asked(plan.models().len()))
                .unwrap_or_default();
            let row = asked.iter().map(|planned| {
                let model = self.models.iter().position(|model| *model == planned.name);
                let answer = model.zip(question).and_then(|key| self.answers.remove(&key));
                // A question without an answer of this model in the log.
                answer.ok_or(ProviderError::Empty)
            });
            row.collect()
        });
        let calls = calls.collect();
        let (started_at, finished_at) = asked_at.into_inner();
        let frame = aggregate::Frame {
            id,
            sandbox: false,
            spending: Spending::default(),
            stopped: None,
            estimate: plan.estimate(),
            started_at,
            finished_at,
        };
        let mut scanned = aggregate::aggregate(plan, calls, &frame);
        // This import switched on no web search.
        // The strata report that it is unknown which answers searched.
        scanned.result.method.web_search = false;
        scanned.result.warnings.splice(0..0, warnings);
        scanned
    }

    /// Takes an answer, or returns what is wrong with one that it rejects.
    pub(super) fn take(&mut self, answer: LoggedAnswer) -> Result<(), String> {
        let question: QuestionText = match answer.question.parse() {
            Ok(question) => question,
            // A question that the scan does not take may have any form.
            Err(_) if self.questions.len() >= QUESTIONS.most() => {
                self.beyond += 1;
                return Ok(());
            }
            Err(error) => return Err(format!("the question: {error}")),
        };
        let question = match self.questions.iter().position(|known| *known == question) {
            Some(known) => known,
            None if self.questions.len() >= QUESTIONS.most() => {
                self.beyond += 1;
                return Ok(());
            }
            None if OwnQuestion::of_value(&json!(question)).is_err() => {
                self.unasked += 1;
                return Ok(());
            }
            None => {
                self.questions.push(question);
                self.questions.len() - 1
            }
        };
        let model = match self.models.iter().position(|known| *known == answer.model) {
            Some(known) => known,
            // The fault was reported with the first model too many.
            None if self.models.len() > MOST_MODELS => return Ok(()),
            None => {
                self.models.push(answer.model);
                if self.models.len() > MOST_MODELS {
                    return Err(format!("a scan has at most {MOST_MODELS} models"));
                }
                self.models.len() - 1
            }
        };
        match self.answers.entry((model, question)) {
            Entry::Occupied(_) => self.repeated += 1,
            Entry::Vacant(free) => {
                free.insert(answer.completion);
                if let Some(time) = answer.asked_at {
                    let (first, last) = self.asked_at.unwrap_or((time, time));
                    self.asked_at = Some((first.min(time), last.max(time)));
                }
            }
        }
        Ok(())
    }
}

fn plan(mut order: Map<String, Value>, models: &[String], questions: &[&str]) -> Result<Plan, ImportError> {
    let rows = models.iter().map(|name| model(name)).collect();
    // The names are distinct, and there is one at least.
    let catalog = Catalog::new(rows).map_err(|_| ImportError::Empty)?;
    let given = [
        ("models", json!(models)),
        ("questions", json!(questions)),
        ("rings", json!([])),
    ];
    order.extend(given.map(|(name, value)| (name.to_owned(), value)));
    let order = ScanDraft(&order).parse(&catalog, ScanForm::Byok);
    let options = PlanOptions {
        // As if the order had web search: only then an answer without this information counts as unknown,
        // and not as from memory.
        web_search: true,
        most_questions: u32::MAX,
    };
    Ok(Plan::of(order.map_err(ImportError::Order)?, options)?)
}

/// A row of the alias table under the name that the log has.
fn model(name: &str) -> Model {
    let alias = match name.parse() {
        Ok(alias) => alias,
        Err(never) => match never {},
    };
    Model {
        alias,
        name: name.to_owned(),
        candidates: vec![name.to_owned()],
        grounding: Grounding::Required,
        engine: None,
        prices: Prices {
            prompt_per_million: UsdMicros::ZERO,
            completion_per_million: UsdMicros::ZERO,
            per_request: UsdMicros::ZERO,
            per_search: UsdMicros::ZERO,
        },
        expected: ExpectedUse::default(),
    }
}
