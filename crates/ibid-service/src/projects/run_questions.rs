//! What runs found about each question, without reading answers.

use super::handle::Projects;
use super::questions::listed;
use super::view::ProjectView;
use crate::error::Error;
use crate::questions::is_asked;
use ibid_model::{OwnQuestion, ScanId};
use ibid_store::{ProjectScope, QuestionSum};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::HashMap;

/// The runs that are counted in each market, which are those of a level.
const RUNS: u32 = 12;
/// Runs after which a question that names no one is to be replaced.
const LEAST_RUNS: u32 = 2;

/// A question of a project with what its last twelve runs found.
#[derive(Clone, Debug)]
pub struct AskedQuestion {
    /// The text, with the slot of a place in own questions.
    pub text: String,
    /// The own question; `None` for one of the program.
    pub own: Option<OwnQuestion>,
    pub runs: u32,
    /// Answers that can be scored.
    pub answers: u32,
    /// Those that cite the website.
    pub cited: u32,
    /// Providers that they name.
    pub named: u32,
    /// The last run that asked it, and the text that it asked.
    pub last: Option<(ScanId, String)>,
}

impl AskedQuestion {
    fn of(text: String, own: Option<OwnQuestion>, sums: &[&QuestionSum]) -> Self {
        let sum = |part: fn(&QuestionSum) -> u32| sums.iter().map(|sum| part(sum)).sum();
        let last = sums.iter().max_by_key(|sum| sum.runs);
        Self {
            text,
            own,
            runs: sums.iter().map(|sum| sum.runs).max().unwrap_or(0),
            answers: sum(|sum| sum.valid),
            cited: sum(|sum| sum.cited),
            named: sum(|sum| sum.named),
            last: last.map(|sum| (sum.last, sum.text.clone())),
        }
    }

    /// Whether no answer of two runs or more named anyone, also not the website, so the question measures nothing.
    pub const fn names_no_one(&self) -> bool {
        self.named == 0 && self.cited == 0 && self.answers > 0 && self.runs >= LEAST_RUNS
    }

    pub fn document(&self) -> Value {
        json!({
            "text": self.text,
            "runs": self.runs,
            "answers": self.answers,
            "cited": self.cited,
            "named": self.named,
            "namesNoOne": self.names_no_one(),
            "lastScanId": self.last.as_ref().map(|(scan, _)| scan),
        })
    }
}

impl Projects {
    /// Sums up questions over the last twelve runs: all of its own, or the program's that were asked, the most
    /// often asked first.
    pub async fn asked(&self, scope: &ProjectScope) -> Result<(ProjectView, Vec<AskedQuestion>), Error> {
        let view = self.get(scope).await?;
        let markets = u32::try_from(view.markets.len()).unwrap_or(0);
        let mut sums = self.questions(scope, RUNS * (markets + 1)).await?;
        let own = view.schedule.as_ref().map(|schedule| listed(&schedule.order));
        let own = own.unwrap_or_default();
        if own.is_empty() {
            sums.sort_by_key(|sum| Reverse(sum.runs));
            let asked = sums.iter();
            let asked = asked.map(|sum| AskedQuestion::of(sum.text.clone(), None, &[sum]));
            return Ok((view, asked.collect()));
        }
        let by_text: HashMap<&str, &QuestionSum> = sums.iter().map(|sum| (sum.text.as_str(), sum)).collect();
        let asked = own.into_iter().map(|own| {
            let same: Vec<&QuestionSum> = match own.has_place_slot() {
                true => sums.iter().filter(|sum| is_asked(&own, &sum.text)).collect(),
                false => by_text.get(own.as_str()).copied().into_iter().collect(),
            };
            AskedQuestion::of(own.as_str().to_owned(), Some(own), &same)
        });
        let asked = asked.collect();
        Ok((view, asked))
    }
}
