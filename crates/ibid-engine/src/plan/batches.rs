//! Which calls a plan makes in batches, until its range is narrow enough or its money is spent.

use super::{Plan, PlanError, Slot};
use crate::score::interval::reading_error;
use crate::score::stop;
use ibid_model::result::{PlannedUntil, Warning};
use ibid_model::{FaultCode, Faults, StopRule, UsdMicros};

/// Stands in for the target where only the money counts, because batches are the same for any narrow one.
const NARROW: f64 = 10.0;

impl Plan {
    /// The calls to expect, at worst: those that the target takes, as far as the pool and the money allow.
    /// All calls of a plan with counts.
    pub fn expected_calls(&self) -> usize {
        let Some(StopRule { target_width, budget }) = self.order.stop() else {
            return self.len();
        };
        let wanted = target_width.map_or(self.len(), |width| {
            let first = self.batch_end(0);
            stop::calls(width.into()).clamp(first, self.len())
        });
        self.affordable(0, wanted, budget, (UsdMicros::ZERO, UsdMicros::ZERO))
    }

    /// The batches as callers see them before the first call; `None` for a plan with counts.
    pub(super) fn until(&self) -> Option<PlannedUntil> {
        let points = |calls| (stop::width(calls) * 10.0).round() / 10.0;
        let error = 2.0 * reading_error(0.5, self.language());
        let rule = self.order.stop()?;
        Some(PlannedUntil {
            until: rule.into(),
            expected_width: points(self.expected_calls()),
            most_calls: u32::try_from(self.len()).unwrap_or(u32::MAX),
            narrowest_width: points(self.len()),
            expected_width_as_read: (points(self.expected_calls()).hypot(error) * 10.0).round() / 10.0,
        })
    }

    /// Where the batch ends that begins after so many calls; the same number once all are made.
    pub(crate) fn batch_end(&self, asked: usize) -> usize {
        let rule = self.order.stop();
        let width = rule.and_then(|rule| rule.target_width).map_or(NARROW, f64::from);
        let models = self.models().len();
        let batch = stop::next_batch(width, models, asked, self.len()) * models;
        (asked + batch).min(self.len())
    }

    /// Where the calls from `asked` up to `end` stop fitting into `most`, by their estimates.
    /// The calls before them were estimated at the first amount of `spent` and billed the second; if bills are higher than
    /// estimates, later ones are expected to be so, too.
    pub(crate) fn affordable(
        &self,
        asked: usize,
        end: usize,
        most: Option<UsdMicros>,
        (estimated, billed): (UsdMicros, UsdMicros),
    ) -> usize {
        let Some(most) = most else { return end };
        let factor = match estimated {
            UsdMicros::ZERO => 1.0,
            _ => (billed.dollars() / estimated.dollars()).max(1.0),
        };
        let mut left = most.dollars() - billed.dollars();
        let calls = self.asked().take(end).skip(asked);
        let fit = calls.take_while(|(_, model)| {
            let estimate = self.models()[*model].cost_per_question(self.web_search());
            left -= factor * estimate.dollars();
            // Millionths of a dollar are whole; the rest is rounding.
            left > -1e-9
        });
        asked + fit.count()
    }

    /// The same plan with these calls alone, by their numbers in order. Every question of it has one call.
    pub(crate) fn with_calls(mut self, calls: &[u32]) -> Self {
        let mut number = 0;
        self.questions.retain(|_| {
            number += 1;
            calls.binary_search(&(number - 1)).is_ok()
        });
        self
    }
}

/// Checks a plan that is asked in batches.
///
/// # Errors
/// [`PlanError::Questions`] if the money does not last for a question to each model.
pub(super) fn checked(mut plan: Plan) -> Result<Plan, PlanError> {
    let Some(rule) = plan.order.stop() else {
        return Ok(plan);
    };
    let models = plan.models().iter();
    let least: UsdMicros = models
        .map(|model| model.cost_per_question(plan.web_search()))
        .sum();
    if rule.budget.is_some_and(|budget| budget < least) {
        let message = format!("budget is too small: one question to each model costs about {least}");
        return Err(PlanError::Questions(Faults::one(
            "/budget",
            FaultCode::OutOfRange,
            message,
        )));
    }
    let narrowest = stop::width(plan.len());
    if rule
        .target_width
        .is_some_and(|width| f64::from(width) < narrowest)
    {
        let message = format!(
            "{} questions reach a range of about {narrowest:.0} points; for a narrower one, give more questions of your own",
            plan.questions.len()
        );
        plan.warnings
            .push(Warning::new("few_questions_for_width", message));
    }
    debug_assert!(plan.questions.iter().all(|question| question.slot == Slot::Core));
    Ok(plan)
}
