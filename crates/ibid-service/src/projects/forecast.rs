//! What a project will cost and see, before it is saved.

use crate::schedules::Recurrence;
use ibid_engine::plan::Plan;
use ibid_model::UsdMicros;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// The width of the level of twelve runs, as a share of that of one run: what `docs/METHOD.md` promises at worst.
const LEVEL_SHARE: f64 = 0.55;
/// The time over which runs are counted for the costs of a month.
const MONTH: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Most runs of a month: one every hour.
const MOST_RUNS: usize = 720;
/// Questions that are shown.
const SHOWN: usize = 3;
/// For so many core answers a run or more: the change in points that is seen, in so many runs, in 9 of 10 cases.
const SEEN: [(usize, u32, u32); 2] = [(30, 15, 4), (9, 20, 8)];

/// The costs and the precision of a project.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Answers of a run.
    pub answers: usize,
    /// The estimated cost of a run.
    pub run_cost: UsdMicros,
    /// Runs in 30 days.
    pub runs_a_month: usize,
    /// Half the expected width of the score of one run, in points.
    pub run_points: f64,
    /// Half the expected width of the level after twelve runs, in points.
    pub level_points: f64,
    /// The fall in points that is seen, and in how many runs; `None` with too few answers.
    pub sees: Option<(u32, u32)>,
    /// The first questions of a run.
    pub questions: Vec<String>,
}

impl Forecast {
    pub(super) fn of(plan: &Plan, recurrence: &Recurrence) -> Self {
        let now = Timestamp::now();
        let slots = recurrence.next_slots(now, MOST_RUNS);
        let runs_a_month = slots.iter().filter(|at| at.duration_since(now) < MONTH).count();
        let width = 100.0 * plan.expected_width();
        let core = plan.order().core_questions() * plan.models().len();
        let seen = SEEN.into_iter().find(|(least, ..)| core >= *least);
        Self {
            answers: plan.len(),
            run_cost: plan.estimate(),
            runs_a_month,
            run_points: width / 2.0,
            level_points: width * LEVEL_SHARE / 2.0,
            sees: seen.map(|(_, points, runs)| (points, runs)),
            questions: plan
                .questions()
                .iter()
                .take(SHOWN)
                .map(|question| question.text.clone())
                .collect(),
        }
    }

    /// The cost of the runs of 30 days.
    #[must_use]
    pub fn month_cost(&self) -> UsdMicros {
        let runs = u64::try_from(self.runs_a_month).unwrap_or(u64::MAX);
        UsdMicros::new(self.run_cost.get().saturating_mul(runs))
    }

    /// The forecast in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let sees = match self.sees {
            Some((points, runs)) => format!("sees a drop of {points} points within {runs} runs"),
            None => "has too few answers to see a drop soon".to_owned(),
        };
        format!(
            "±{:.0} points a run, ±{:.0} after 12 runs; {sees}; about {} a month.",
            self.run_points,
            self.level_points,
            self.month_cost()
        )
    }

    /// The document of the API.
    #[must_use]
    pub fn document(&self) -> Value {
        json!({
            "answersARun": self.answers,
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
