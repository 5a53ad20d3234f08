//! Folds all answers to a scan into one result.
//! It is pure, and answers may come in any order.

mod evidence;
mod models;

use crate::ask::{CallOutcomes, Spending};
use crate::insights;
use crate::numbers::{AskedModel, Numbers, PARTIAL, Placed, home, not_searched};
use crate::plan::{Plan, Slot};
use crate::read::{Answer, AnswerClass, Question, Reading, Target, read_to};
use crate::scanned::Scanned;
use crate::score::{self, METHOD_VERSION, Sample};
use crate::slot::Numbering;
use ibid_model::result::{Method, RetrievalSummary, ScanResult, Searched, Stopped, Usage, Warning};
use ibid_model::{Model, ScanId, UsdMicros};
use ibid_provider::ProviderError;
use jiff::Timestamp;

/// What a result says about the scan as a whole, beside its answers.
pub(crate) struct Frame {
    pub(crate) id: ScanId,
    pub(crate) sandbox: bool,
    /// The second attempts and the cost cap of the calls.
    pub(crate) spending: Spending,
    /// The reason why a scan that asks in batches asked no more.
    pub(crate) stopped: Option<Stopped>,
    /// The estimated cost before the scan.
    pub(crate) estimate: UsdMicros,
    pub(crate) started_at: Timestamp,
    pub(crate) finished_at: Timestamp,
}

/// Calls and their readings, one row a topic with one cell for each model asked, with the other inputs of the result.
pub(crate) struct Aggregate<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) target: Target,
    pub(crate) calls: CallOutcomes,
    pub(crate) readings: Vec<Vec<Reading>>,
    /// A number for each topic's text, because topics with the same text are one question.
    questions: Vec<usize>,
    pub(crate) seed: u64,
}

/// Reads and scores everything.
pub(crate) fn aggregate(plan: &Plan, calls: CallOutcomes, frame: &Frame) -> Scanned {
    let aggregate = Aggregate::read(plan, calls, score::seed(frame.id));
    let numbers = aggregate.numbers();
    let retrieval = numbers.retrieval();
    let overall = numbers.overall(retrieval.headline);
    let scope = plan.place().map(|place| place.scope);
    let mut result = ScanResult {
        domain: plan.order().domain().clone(),
        websites: Vec::new(),
        keyword: plan.order().keyword().clone(),
        location: plan.place().map(|place| place.report.clone()),
        overall_score: overall.score.unwrap_or_default(),
        interval: overall.interval,
        sampling_interval: overall.sampling_interval,
        reading_error: overall.reading_error,
        stopped: frame.stopped,
        until: plan.order().stop().map(Into::into),
        retrieval,
        models: aggregate.models(&numbers),
        radius: numbers.radius(retrieval.headline, scope, plan.rings().to_vec()),
        sources: Vec::new(),
        pages: Vec::new(),
        intents: Vec::new(),
        moves: Vec::new(),
        brand_names: aggregate.target.aliases().to_vec(),
        usage: aggregate.usage(frame),
        method: aggregate.method(),
        sandbox: frame.sandbox,
        warnings: aggregate.warnings(&retrieval, &frame.spending),
        started_at: frame.started_at,
        finished_at: frame.finished_at,
    };
    let evidence = aggregate.into_evidence(frame.id);
    insights::add(&mut result, &evidence);
    Scanned { result, evidence }
}

impl<'a> Aggregate<'a> {
    fn read(plan: &'a Plan, calls: CallOutcomes, seed: u64) -> Self {
        let mut target = Target::of_order(plan.order());
        target.learn_from_page(plan.home_page().iter().map(String::as_str));
        let answered = plan.questions().iter().zip(&calls).flat_map(|(topic, row)| {
            row.iter()
                .filter_map(|call| call.as_ref().ok())
                .map(|completion| Answer::of(completion, &topic.text))
        });
        target.learn(answered);
        let readings = plan.questions().iter().zip(&calls).map(|(topic, row)| {
            let question = Question::of(&target, &topic.text);
            let reading = |call: &Result<_, _>| match call {
                Ok(completion) => read_to(&target, &question, &Answer::of(completion, &topic.text)),
                Err(_) => Reading::failed(),
            };
            row.iter().map(reading).collect()
        });
        let readings = readings.collect();
        let mut numbers = Numbering::default();
        let questions = plan.questions().iter().map(|topic| numbers.of(&topic.text));
        Self {
            plan,
            target,
            calls,
            readings,
            questions: questions.collect(),
            seed,
        }
    }

    fn numbers(&self) -> Numbers<'_> {
        let topics = self
            .plan
            .questions()
            .iter()
            .zip(&self.questions)
            .zip(&self.readings)
            .zip(&self.calls);
        let samples = topics.flat_map(|(((topic, question), row), calls)| {
            let asked = topic.asked(self.plan.models().len());
            asked.zip(row.iter().zip(calls)).map(|(model, (reading, call))| {
                let sample = Sample {
                    model,
                    question: *question,
                    ring: topic.slot.ring(),
                    reading,
                };
                Placed {
                    slot: topic.slot,
                    sample,
                    searched: call
                        .as_ref()
                        .map_or(Searched::Unknown, |completion| completion.retrieval.searched),
                }
            })
        });
        let web_search = self.plan.web_search();
        let models = self.plan.models().iter().enumerate();
        let models = models.map(|(index, model)| AskedModel {
            alias: model.alias.clone(),
            search_asked: model.searches(web_search),
            substituted: self.substitute(index).is_some(),
        });
        let models: Vec<AskedModel> = models.collect();
        Numbers {
            target: &self.target,
            search_asked: web_search && models.iter().any(|model| model.search_asked),
            models,
            home: self.home(),
            language: self.plan.language(),
            seed: self.seed,
            samples: samples.collect(),
        }
    }

    fn home(&self) -> Option<Slot> {
        home(self.plan.rings().iter().map(|ring| (ring.ring, &*ring.markets)))
    }

    fn usage(&self, frame: &Frame) -> Usage {
        let answered = self
            .readings
            .iter()
            .flatten()
            .filter(|reading| reading.is_valid())
            .count();
        let completions = || self.calls.iter().flatten().filter_map(|call| call.as_ref().ok());
        // A sum with gaps would look like the bill.
        // So the cost is `None` unless every answer has its price.
        let cost: Option<UsdMicros> = completions()
            .map(|completion| completion.usage.cost)
            .sum::<Option<UsdMicros>>();
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Usage {
            questions: count(self.plan.len()),
            answered: count(answered),
            failed: count(self.plan.len() - answered),
            prompt_tokens: completions()
                .map(|completion| completion.usage.prompt_tokens)
                .sum(),
            completion_tokens: completions()
                .map(|completion| completion.usage.completion_tokens)
                .sum(),
            cost_usd: cost.filter(|_| completions().next().is_some()),
            estimated_cost_usd: Some(frame.estimate),
            second_attempts: frame.spending.second_attempts,
            searches: completions()
                .filter_map(|completion| completion.usage.searches)
                .fold(0, u32::saturating_add),
        }
    }

    fn method(&self) -> Method {
        let core = self
            .plan
            .questions()
            .iter()
            .filter(|topic| topic.slot == Slot::Core);
        Method {
            version: METHOD_VERSION.to_owned(),
            language: self.plan.language().to_owned(),
            templates: core.map(|topic| topic.template.to_string()).collect(),
            question_set: self.plan.order().question_set().cloned(),
            web_search: self.plan.web_search(),
            branded: self.plan.is_branded(),
            resamples: score::statistics::RESAMPLES,
            previous: Vec::new(),
        }
    }

    fn warnings(&self, retrieval: &RetrievalSummary, spending: &Spending) -> Vec<Warning> {
        let mut warnings = self.plan.warnings().to_vec();
        warnings.extend_from_slice(self.plan.branding());
        let failed = self.calls.iter().flatten().filter(|call| call.is_err()).count();
        if failed > 0 {
            let message = format!(
                "{failed} of {} questions were not answered; scores rest on the others",
                self.plan.len()
            );
            warnings.push(Warning::new(PARTIAL, message));
        }
        warnings.extend(self.unfinished_warnings());
        warnings.extend(self.substitution_warnings());
        warnings.extend(self.cap_warning(spending));
        // Last, because a scan that is scored again puts it there.
        warnings.extend(not_searched(retrieval));
        warnings
    }
}

impl Aggregate<'_> {
    /// For each model, the warning that answers of it are left out because they are unfinished.
    fn unfinished_warnings(&self) -> Vec<Warning> {
        let cells = || {
            let calls = self.calls.iter().flatten().zip(self.readings.iter().flatten());
            self.plan.asked().map(|(_, model)| model).zip(calls)
        };
        let left_out = |(call, reading): &(&Result<_, ProviderError>, &Reading)| match call {
            Ok(_) => reading.is_unfinished() || reading.answer_class == AnswerClass::Empty,
            Err(error) => *error == ProviderError::Empty,
        };
        let warning = |(index, model): (usize, &Model)| {
            let of_model = || cells().filter(move |(of, _)| *of == index).map(|(_, cell)| cell);
            let count = of_model().filter(left_out).count();
            (count > 0).then(|| {
                let message = format!(
                    "{}: {count} of {} answers are unfinished and left out: they stop before they answer, or break off before they name the website",
                    model.name,
                    of_model().count()
                );
                Warning::new("unfinished_answers", message)
            })
        };
        let models = self.plan.models().iter().enumerate();
        models.filter_map(warning).collect()
    }

    /// For each model, the warning that another one answered in its place.
    fn substitution_warnings(&self) -> Vec<Warning> {
        let warning = |(index, model): (usize, &Model)| {
            let other = self.substitute(index)?;
            let message = format!(
                "{}: {other} answered in its place; these answers stay out of levels and trends",
                model.name
            );
            Some(Warning::new("model_substituted", message))
        };
        let models = self.plan.models().iter().enumerate();
        models.filter_map(warning).collect()
    }

    /// The warning that the cost cap ended the scan.
    fn cap_warning(&self, spending: &Spending) -> Option<Warning> {
        let most = spending.cap_reached?;
        let unasked = |call: &&Result<_, ProviderError>| matches!(call, Err(ProviderError::CostCapReached));
        let unasked = self.calls.iter().flatten().filter(unasked).count();
        let message = format!(
            "the scan reached its cost cap of {most}, so {unasked} of {} questions were not asked and no answer was asked for again",
            self.plan.len()
        );
        Some(Warning::new("cost_cap_reached", message))
    }
}

#[cfg(test)]
mod strata_tests;
#[cfg(test)]
pub(crate) mod tests;
