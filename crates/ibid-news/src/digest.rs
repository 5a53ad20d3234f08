//! What happened in a week or a month.

use ibid_model::Interval;
use serde::{Deserialize, Serialize};

/// Tells about one project, or all that a person sees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Digest {
    /// `weekly` or `monthly`.
    pub period: String,
    /// The day that it is about, such as `2026-11-23`, in the time zone of its reader.
    pub day: String,
    /// Its projects, those that want attention first.
    pub projects: Vec<DigestProject>,
    /// Projects that are left out: a mail stays short.
    #[serde(default)]
    pub more: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DigestProject {
    /// Its id, for the link.
    pub project_id: String,
    pub name: String,
    pub domain: String,
    /// The average since the last change, or the score of the only run, 0..100.
    pub score: Option<f64>,
    /// The 95 % interval of the score.
    pub interval: Option<Interval>,
    /// What its history shows, in sentences.
    pub verdict: String,
    /// Whether the score changed in the period.
    pub changed: bool,
    /// Whether a run ended with a result in the period.
    pub ran: bool,
    /// What its runs of this calendar month cost, in dollars; none for a reader who sees no money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent_usd: Option<f64>,
    /// What they may cost.
    #[serde(default)]
    pub budget_usd: Option<f64>,
    /// Its runs with a result.
    #[serde(default)]
    pub runs: Option<u32>,
    /// Whether a budget holds its runs back.
    #[serde(default)]
    pub over_budget: bool,
    /// What moved: a question won or lost, a competitor that is up, a new source; a sentence each.
    #[serde(default)]
    pub movers: Vec<String>,
    /// The one thing to do.
    #[serde(default)]
    pub next_step: Option<String>,
    /// The score before the change of the period, and since.
    #[serde(default)]
    pub fell_or_rose: Option<(f64, f64)>,
    /// Why the last run failed, and what to do about it.
    #[serde(default)]
    pub failure: Option<String>,
    /// What wants attention, in words.
    pub attention: Vec<String>,
    /// What came of its actions that were judged in the period, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
    /// The report that comes with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_id: Option<String>,
}

impl DigestProject {
    /// What a reader needs to know, in one or two sentences.
    pub(crate) fn sentence(&self) -> String {
        let mut parts = Vec::new();
        match (self.score, self.interval) {
            (Some(score), Some(range)) => parts.push(format!(
                "Score {score:.0} (likely {:.0}–{:.0}).",
                range.low, range.high
            )),
            (Some(score), None) => parts.push(format!("Score {score:.0}.")),
            (None, _) => parts.push("No run yet.".to_owned()),
        }
        if self.changed {
            parts.push(self.verdict.clone());
        } else if !self.ran && self.over_budget {
            parts.push("No run: budget used up.".to_owned());
        } else if !self.ran && self.score.is_some() && self.failure.is_none() {
            parts.push("No run in this time.".to_owned());
        } else if matches!(self.runs, Some(..=2)) {
            parts.push("Too early to tell.".to_owned());
        } else if self.score.is_some() && self.ran {
            parts.push("No change.".to_owned());
        }
        parts.extend(self.failure.iter().map(|why| format!("The last run {why}")));
        parts.join(" ")
    }

    /// What else is told: movers, actions, what wants attention, the next step and the spend.
    pub(crate) fn lines(&self) -> Vec<String> {
        let attention = self.attention.iter().map(|word| format!("{word}."));
        let of = self.budget_usd.map(|budget| format!(" of ${budget:.2}"));
        let spent = self
            .spent_usd
            .map(|spent| format!("Spent this month: ${spent:.2}{}.", of.unwrap_or_default()));
        let told = self.movers.iter().chain(&self.actions).cloned().chain(attention);
        told.chain(self.next_step.clone()).chain(spent).collect()
    }

    /// Says in a few words what changed, for example `the score fell from 38 to 23`.
    pub(crate) fn headline(&self) -> Option<String> {
        let verb = |(before, after)| if after < before { "fell" } else { "rose" };
        let told = self.fell_or_rose.filter(|_| self.changed);
        told.map(|both| format!("the score {} from {:.0} to {:.0}", verb(both), both.0, both.1))
    }
}
