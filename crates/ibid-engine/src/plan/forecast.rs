//! Forecasts what a plan's repeated runs will cost and see, before the first one.

use super::{Plan, Slot};
use crate::score::statistics::{REPEAT_CORRELATION, effective_size};
use crate::score::stop;
use ibid_model::UsdMicros;
use serde_json::{Value, json};

/// How wide the level over twelve runs is, as a share of one run's range, where some questions are new in each run:
/// `docs/METHOD.md` measures .44 to .54.
const LEVEL_SHARE: f64 = 0.5;
const LEVEL_RUNS: f64 = 12.0;
/// Questions that are shown.
const SHOWN: usize = 3;
/// For so many core answers a run or more: the change in points that is seen, in so many runs, in 9 of 10 cases.
const SEEN: [(usize, u32, u32); 2] = [(30, 15, 4), (9, 20, 8)];

/// Above each of these numbers of markets a fall as in the first row of [`SEEN`] is seen one run later (simulated, ADR 192).
const LATER: [usize; 4] = [1, 2, 5, 10];

/// What a plan's runs cost, and how precise they are.
///
/// ```
/// use ibid_engine::plan::{Forecast, Plan, PlanOptions};
/// use ibid_model::{Catalog, ScanDraft, ScanForm};
///
/// let body = serde_json::json!({"domain": "example.com", "keyword": "bakery", "questionsPerModel": 10});
/// let order = ScanDraft(body.as_object().unwrap()).parse(&Catalog::builtin(), ScanForm::Byok)?;
/// let weekly = Forecast::of(&Plan::of(order, PlanOptions::default())?, 4);
/// assert_eq!((weekly.answers, weekly.sees), (30, Some((15, 4))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Answers of a run.
    pub answers: usize,
    /// Those about towns around, which count in no score.
    pub answers_in_towns: usize,
    /// The towns around that are asked about.
    pub towns: usize,
    /// Answers to questions that name the website, which count in no score.
    pub answers_apart: usize,
    /// What a run is estimated to cost.
    pub run_cost: UsdMicros,
    /// Markets that a run asks.
    pub markets: usize,
    /// Runs in 30 days.
    pub runs_a_month: usize,
    /// Half as wide as the score's range is expected to be after one run, in points.
    pub run_points: f64,
    /// Half the expected width of the level after twelve runs, in points.
    pub level_points: f64,
    /// The fall in points that is seen, and in how many runs; `None` with too few answers.
    pub sees: Option<(u32, u32)>,
    /// What a run asks first.
    pub questions: Vec<String>,
}

/// How wide the level over twelve runs is, as a share of one run's range.
/// The same questions again tell less than others: asking a whole list again leaves the level nearly as wide as one run.
fn level_share(plan: &Plan) -> f64 {
    let order = plan.order();
    let each = order.core_questions() as f64;
    let kept = plan.kept().iter().filter(|question| question.is_core()).count() as f64;
    let models = plan.models().len() as f64;
    // A question that goes to every model is one of the plan, and others are one for each call.
    let kept = if order.questions_per_model_given() || order.questions().is_empty() {
        kept / models
    } else {
        kept
    };
    let new = (each - kept).max(0.0);
    let rest = match order.questions().len() {
        0 => LEVEL_RUNS * new,
        own => (own as f64 - kept).max(0.0).min(LEVEL_RUNS * new),
    };
    let weight = |times: f64| effective_size(times, times, REPEAT_CORRELATION);
    let others = if rest > 0.0 {
        rest * weight(LEVEL_RUNS * new / rest)
    } else {
        0.0
    };
    (each / (kept * weight(LEVEL_RUNS) + others))
        .sqrt()
        .max(LEVEL_SHARE)
}

impl Forecast {
    /// Forecasts a plan that is run so often in 30 days.
    #[must_use]
    pub fn of(plan: &Plan, runs_a_month: usize) -> Self {
        let width = stop::width(plan.home_questions());
        let of = |slot: Slot| plan.slots().filter(|one| *one == slot).count();
        let (core, apart) = (of(Slot::Core), of(Slot::Branded));
        let seen = SEEN.into_iter().find(|(least, ..)| core >= *least);
        let (answers_in_towns, towns) = plan.around();
        Self {
            answers: plan.len(),
            answers_in_towns,
            towns,
            answers_apart: apart,
            markets: 1,
            run_cost: plan.estimate(),
            runs_a_month,
            run_points: width / 2.0,
            level_points: width * level_share(plan) / 2.0,
            sees: seen.map(|(_, points, runs)| (points, runs)),
            questions: plan
                .questions()
                .iter()
                .take(SHOWN)
                .map(|question| question.text.clone())
                .collect(),
        }
    }

    /// Adds another market. With several a change takes more evidence in each, so that the same fall is seen later.
    pub fn with_market(&mut self, plan: &Plan) {
        let (answers_in_towns, towns) = plan.around();
        self.markets += 1;
        self.answers += plan.len();
        self.answers_in_towns += answers_in_towns;
        self.towns += towns;
        self.answers_apart += plan.slots().filter(|slot| *slot == Slot::Branded).count();
        self.run_cost = UsdMicros::new(self.run_cost.get().saturating_add(plan.estimate().get()));
        let (_, points, runs) = SEEN[0];
        let later = LATER
            .into_iter()
            .filter(|markets| self.markets > *markets)
            .count() as u32;
        self.sees = self
            .sees
            .filter(|seen| seen.0 == points)
            .map(|_| (points, runs + later));
    }

    /// What the runs in 30 days cost.
    pub fn month_cost(&self) -> UsdMicros {
        let runs = u64::try_from(self.runs_a_month).unwrap_or(u64::MAX);
        UsdMicros::new(self.run_cost.get().saturating_mul(runs))
    }

    /// The fall that is seen, in words.
    pub fn sight(&self) -> String {
        match self.sees {
            Some((points, runs)) => format!("sees a drop of {points} points within {runs} runs"),
            None => "has too few answers to see a drop soon".to_owned(),
        }
    }

    /// Tells how a run's answers divide, for example "39 answers a run: 30 at home, 9 in 3 towns".
    pub fn answers_in_words(&self) -> String {
        let count =
            |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
        let answers = format!("{} a run", count(self.answers, "answer"));
        let home = self.answers - self.answers_in_towns - self.answers_apart;
        let mut parts = vec![format!("{home} at home")];
        if self.towns > 0 {
            parts.push(format!(
                "{} in {}",
                self.answers_in_towns,
                count(self.towns, "town")
            ));
        }
        if self.answers_apart > 0 {
            parts.push(format!(
                "{} to questions that name you, counted apart",
                self.answers_apart
            ));
        }
        match parts.len() {
            1 => answers,
            _ => format!("{answers}: {}", parts.join(", ")),
        }
    }

    /// The forecast in sentences.
    pub fn sentence(&self) -> String {
        let places = match self.markets {
            1 => String::new(),
            markets => format!("In each of {markets} places "),
        };
        format!(
            "{}. {places}±{:.0} points a run, ±{:.0} after 12 runs; {}; about {} a month.",
            self.answers_in_words(),
            self.run_points,
            self.level_points,
            self.sight(),
            self.month_cost().in_cents()
        )
    }

    /// Writes the forecast as the API sends it.
    pub fn document(&self) -> Value {
        json!({
            "answersARun": self.answers,
            "answersInTowns": self.answers_in_towns,
            "towns": self.towns,
            "runCostUsd": self.run_cost.dollars(),
            "runsAMonth": self.runs_a_month,
            "monthCostUsd": self.month_cost().dollars(),
            "pointsOfARun": self.run_points.round(),
            "pointsAfterTwelveRuns": self.level_points.round(),
            "seesDropOf": self.sees.map(|(points, _)| points),
            "withinRuns": self.sees.map(|(_, runs)| runs),
            "summary": self.sentence(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::PlanOptions;
    use ibid_model::{Catalog, ScanDraft, ScanForm};

    #[test]
    fn a_fall_is_seen_later_in_more_places() {
        let plan = |questions| {
            let body = json!({"domain": "example.com", "keyword": "bakery", "questionsPerModel": questions});
            let order = ScanDraft(body.as_object().unwrap()).parse(&Catalog::builtin(), ScanForm::Byok);
            Plan::of(order.unwrap(), PlanOptions::default()).unwrap()
        };
        let ten = plan(10);
        let mut forecast = Forecast::of(&ten, 4);
        let mut seen = vec![forecast.sees];
        for _ in 1..20 {
            forecast.with_market(&ten);
            seen.push(forecast.sees);
        }
        let within = |runs| Some((15, runs));
        let (two, five, ten_places, twenty) = (seen[1], seen[4], seen[9], seen[19]);
        assert_eq!(
            (seen[0], two, seen[2], five, seen[5], ten_places, seen[10], twenty),
            (
                within(4),
                within(5),
                within(6),
                within(6),
                within(7),
                within(7),
                within(8),
                within(8)
            )
        );
        assert!(
            forecast
                .sentence()
                .starts_with("600 answers a run. In each of 20 places"),
            "{}",
            forecast.sentence()
        );
        assert!(forecast.sentence().contains("a drop of 15 points within 8 runs"));
        // With few answers it is not told.
        let three = plan(3);
        let mut few = Forecast::of(&three, 4);
        few.with_market(&three);
        assert_eq!(few.sees, None);
    }
}
