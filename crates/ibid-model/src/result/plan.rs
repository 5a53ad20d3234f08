//! A planned scan, before any question or cost.

use super::{LocationReport, PlaceSuggestion, Until, Warning};
use crate::{ModelAlias, Ring, UsdMicros};
use serde::{Deserialize, Serialize};

/// Every question of a scan, with its size and its cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScanPlan {
    /// Calls: every question to every model. Of a scan that asks in batches, about the most that its target takes.
    pub calls: u32,
    /// Their estimated cost at the provider, in US dollars.
    pub estimated_cost_usd: f64,
    /// The batches of a scan with `targetWidth` or `budget`; absent in a scan with counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<PlannedUntil>,
    /// The models to ask.
    pub models: Vec<ModelAlias>,
    /// BCP 47 tag of the language of the core questions.
    pub language: String,
    /// The place and what it was taken for; `null` when none was given.
    pub location: Option<LocationReport>,
    /// The rings to scan, from home outward, with their share of calls and cost.
    pub rings: Vec<RingPreview>,
    /// The questions, core first, then ring by ring: of a scan that asks in batches, all that it may ask.
    /// Those with a `model` are asked of it alone, the others of every model.
    pub questions: Vec<QuestionPreview>,
    /// Whether the keyword or a question of the caller names the target, which makes the scan unfit for trends.
    pub branded: bool,
    /// Facts to know before the scan is paid for.
    pub warnings: Vec<Warning>,
}

/// What a scan that asks in batches may reach. Widths are of the 95 % range of the score, in points, by the choice of
/// questions alone where nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlannedUntil {
    /// The width asked for and the money.
    #[serde(flatten)]
    pub until: Until,
    /// The width that so many `calls` reach, roughly.
    pub expected_width: f64,
    /// The most calls: those of all `questions`.
    pub most_calls: u32,
    /// The width that these reach, roughly.
    pub narrowest_width: f64,
    /// The width that `calls` reach with the error of reading, where half of the answers name the website.
    #[serde(default)]
    pub expected_width_as_read: f64,
}

impl ScanPlan {
    /// The batches in words: "±15 points, about 23 calls, $0.70"; `None` for a scan with counts.
    pub fn batches(&self) -> Option<String> {
        let planned = self.until?;
        let cents =
            UsdMicros::from_dollars((self.estimated_cost_usd * 100.0).ceil() / 100.0).unwrap_or_default();
        let target = planned.until.target_width.map(f64::from);
        // A call more or less does not matter.
        let reached = target.filter(|width| planned.expected_width <= width + 1.0);
        let half = reached.map_or_else(|| (planned.expected_width / 2.0).round(), |width| width / 2.0);
        let mut words = format!("±{half} points, about {} calls, {cents}", self.calls);
        if planned.expected_width_as_read > planned.expected_width {
            let read = planned.expected_width_as_read / 2.0;
            words.push_str(&format!(" (±{read:.0} with the error of reading)"));
        }
        if self.calls < planned.most_calls {
            let narrowest = planned.narrowest_width / 2.0;
            words.push_str(&format!(
                "; at most {} calls, which reach about ±{narrowest:.0}",
                planned.most_calls
            ));
        }
        Some(words)
    }
}

/// The work that an offer sells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferedPlan {
    /// Answers: every question to every model.
    pub answers: u32,
    /// The width in points, 0 to 100, that the 95 % interval of the cited rate at home is expected to have, over core questions
    /// and those of the home town: the mean over all outcomes, if every question is as likely to cite the website as not.
    pub expected_width: f64,
    /// Facts to know before the scan is paid for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// A ring of a planned scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RingPreview {
    /// Ring number.
    pub ring: Ring,
    /// Inner edge in kilometres.
    pub from_km: u16,
    /// Outer edge in kilometres.
    pub to_km: u16,
    /// The towns to ask about: name, region and country.
    pub markets: Vec<String>,
    /// Calls of this ring.
    pub calls: u32,
    /// Their estimated cost at the provider, in US dollars.
    pub estimated_cost_usd: f64,
}

/// A question of a planned scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionPreview {
    /// Its id in the scan, such as `c1` or `r2m1k3q1`.
    pub question_id: String,
    /// The hash that finds it again in another scan.
    pub question_hash: String,
    /// The ring; `null` for core questions.
    pub ring: Option<Ring>,
    /// The town of a ring question: name, region and country.
    pub market: Option<String>,
    /// The intent; `own` for a question of the caller.
    pub template: String,
    /// Where its words come from: `template`, or `own` for a question of the caller.
    pub origin: String,
    /// The kind of thing that the keyword names, such as `trade`; `null` for an unknown one and for own questions.
    pub kind: Option<String>,
    /// The alias of the only model that is asked; `null` if every model is.
    pub model: Option<ModelAlias>,
    /// BCP 47 tag of its language.
    pub language: String,
    /// The question.
    pub question: String,
}

/// A question about the place, before a scan is paid for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PlaceQuestion {
    /// The question.
    pub question: String,
    /// The possible answers, most likely first.
    pub choices: Vec<PlaceChoice>,
}

/// A possible answer to the question about the place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PlaceChoice {
    /// The place in words.
    pub label: String,
    /// The text to send as `location`.
    pub location: String,
}

impl PlaceChoice {
    /// A place whose label names it.
    #[must_use]
    pub fn of_label(label: String) -> Self {
        Self {
            location: label.clone(),
            label,
        }
    }
}

impl PlaceQuestion {
    /// The question after a text that names no place; `None` without suggestions.
    #[must_use]
    pub fn among(suggestions: &[PlaceSuggestion]) -> Option<Self> {
        let choices = suggestions
            .iter()
            .map(|place| PlaceChoice::of_label(place.label.clone()));
        (!suggestions.is_empty()).then(|| Self {
            question: "Which place do you mean?".to_owned(),
            choices: choices.collect(),
        })
    }
}
