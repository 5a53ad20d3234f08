//! Two scans against each other: changed, within noise, or not comparable.
//!
//! [`compare`] is a pure function of two results.
//! Answers of a model to the same question for the same place are paired by the hash in their summaries.
//! Where questions do not pair, whole questions are permuted between the scans.
//! The tests are those of docs/METHOD.md.
//!
//! A difference between scans that measured different things is not called a change.
//! The result then lists the differences and the comparable parts, with the numbers.
//!
//! ```
//! # #[cfg(feature = "scan")] {
//! use ibid_engine::compare::{Side, compare};
//! use ibid_engine::import::ImportedLog;
//! use ibid_model::{ScanId, result::Verdict};
//!
//! let log = b"question,model,answer\nWho fixes pipes?,one,Ask Acme (acme.com).\nBest plumber?,one,Try Bolt & Co.\n";
//! let log = ImportedLog::read(log, 1_000)?;
//! let order = serde_json::json!({"domain": "acme.com", "keyword": "plumber"});
//! let plan = log.plan(order.as_object().cloned().unwrap_or_default())?;
//! let day = jiff::Timestamp::UNIX_EPOCH;
//! let scanned = log.score(ScanId::random(), &plan, day..=day);
//! // A scan does not differ from itself; two questions are too few to tell more.
//! let side = Side { id: None, result: &scanned.result };
//! assert_ne!(compare(side, side).verdict, Verdict::Changed);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cells;
mod difference;
mod paired;
mod reasons;
mod summary;
mod unpaired;

#[cfg(test)]
pub(crate) mod tests;

pub use paired::FEWEST as FEWEST_QUESTIONS;

use crate::score::statistics::holm;
use cells::{Observation, Shared};
use difference::{SIGNIFICANT, nothing};
use ibid_model::result::{
    ComparedScan, Comparison, Difference, LocationReport, ModelDifference, ScanResult, Verdict,
};
use ibid_model::{ModelAlias, ScanId};

/// One of two scans to compare.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Its id, where it is known.
    pub id: Option<ScanId>,
    /// Its result.
    pub result: &'a ScanResult,
}

/// Compares two scans: how the second differs from the first.
#[must_use]
pub fn compare(first: Side<'_>, second: Side<'_>) -> Comparison {
    let shared = cells::shared(first.result, second.result);
    let mut reasons = reasons::between(first.result, second.result, &shared);
    let tested = || shared.iter().filter(|model| model.is_counted());
    let overall = difference(tested());
    let models = models(&shared);
    let radius = cells::markets(first.result, second.result, &shared).map(|pairs| paired::difference(&pairs));
    reasons.extend(reasons::about_size(&overall, tested().count()));
    let blocked = reasons.iter().any(|reason| reason.blocks);
    let mut comparison = Comparison {
        verdict: if blocked {
            Verdict::NotComparable
        } else {
            overall.verdict
        },
        sentence: String::new(),
        reasons,
        first: summary(first),
        second: summary(second),
        overall,
        models,
        radius,
    };
    comparison.sentence = summary::of(&comparison);
    comparison
}

/// Paired if enough questions pair, else unpaired if that can decide, else the pairs without a test.
fn difference<'a>(models: impl Iterator<Item = &'a Shared<'a>> + Clone) -> Difference {
    let pairs: Vec<_> = models
        .clone()
        .enumerate()
        .flat_map(|(group, model)| model.pairs(group))
        .collect();
    let paired = paired::difference(&pairs);
    if paired.p_value.is_some() {
        return paired;
    }
    let side = |cells: fn(&'a Shared<'a>) -> Option<&'a cells::Cells>| -> Vec<Observation<'a>> {
        let numbered = models.clone().enumerate();
        numbered
            .filter_map(|(group, model)| Some((group, cells(model)?)))
            .flat_map(|(group, cells)| cells::observations(group, cells))
            .collect()
    };
    let whole = unpaired::difference(
        &side(|model| model.first.as_ref()),
        &side(|model| model.second.as_ref()),
    );
    if pairs.is_empty() || whole.verdict != Verdict::NotComparable {
        whole
    } else {
        paired
    }
}

/// One row a model. Verdicts hold for all models together.
fn models(shared: &[Shared<'_>]) -> Vec<ModelDifference> {
    let mut rows: Vec<ModelDifference> = shared
        .iter()
        .map(|model| ModelDifference {
            model: ModelAlias::clone(model.alias),
            model_label: model.label.to_owned(),
            first_resolved_model: model.first_resolved.map(str::to_owned),
            second_resolved_model: model.second_resolved.map(str::to_owned),
            difference: of_model(model),
            adjusted_p_value: None,
        })
        .collect();
    let p_values: Vec<f64> = rows.iter().filter_map(|row| row.difference.p_value).collect();
    let tested = rows.iter_mut().filter(|row| row.difference.p_value.is_some());
    for (row, adjusted) in tested.zip(holm(&p_values)) {
        row.adjusted_p_value = Some(adjusted);
        if row.difference.verdict == Verdict::Changed && adjusted >= SIGNIFICANT {
            row.difference.verdict = Verdict::WithinNoise;
        }
    }
    rows
}

/// The numbers of one model.
/// There is no test if another concrete model answered, or if only one side searched.
fn of_model(model: &Shared<'_>) -> Difference {
    if model.first.is_none() || model.second.is_none() {
        return nothing();
    }
    let found = difference(std::iter::once(model));
    if model.is_same() && model.is_alike {
        return found;
    }
    Difference {
        verdict: Verdict::NotComparable,
        p_value: None,
        detectable: None,
        cited: found.cited.map(|cited| ibid_model::result::CitedDifference {
            p_value: None,
            ..cited
        }),
        ..found
    }
}

fn summary(side: Side<'_>) -> ComparedScan {
    let result = side.result;
    ComparedScan {
        scan_id: side.id,
        domain: result.domain.clone(),
        keyword: result.keyword.clone(),
        location: result.location.as_ref().map(LocationReport::label),
        overall_score: result.overall_score,
        interval: result.interval,
        method_version: result.method.version.clone(),
        retrieval: result.retrieval,
        finished_at: result.finished_at,
    }
}
