//! What repeated runs of a plan will cost and see, before the first of them.

use super::Plan;
use ibid_model::UsdMicros;
use serde_json::{Value, json};

/// The width of the level of twelve runs, as a share of that of one run: what `docs/METHOD.md` promises at worst.
const LEVEL_SHARE: f64 = 0.55;
/// Questions that are shown.
const SHOWN: usize = 3;
/// For so many core answers a run or more: the change in points that is seen, in so many runs, in 9 of 10 cases.
const SEEN: [(usize, u32, u32); 2] = [(30, 15, 4), (9, 20, 8)];

/// The costs and the precision of the runs of a plan.
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
    /// The forecast of a plan that is run so often in 30 days.
    #[must_use]
    pub fn of(plan: &Plan, runs_a_month: usize) -> Self {
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

    /// The fall that is seen, in words.
    #[must_use]
    pub fn sight(&self) -> String {
        match self.sees {
            Some((points, runs)) => format!("sees a drop of {points} points within {runs} runs"),
            None => "has too few answers to see a drop soon".to_owned(),
        }
    }

    /// The forecast in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!(
            "±{:.0} points a run, ±{:.0} after 12 runs; {}; about {} a month.",
            self.run_points,
            self.level_points,
            self.sight(),
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
