//! A report in words and figures.
//!
//! Pages, the terminal, Markdown and previews write it, each in its form. So the same fact has the same words everywhere.

mod competitors;
mod insights;
mod models;
mod preview;
mod radius;
mod sheets;
mod verdict;

pub use preview::Preview;
pub(crate) use sheets::Sheet;

use crate::figure;
use crate::pages::Fact;
use competitors::Competitors;
use ibid_model::result::ScanResult;
use insights::Insights;
use models::ModelRow;
use radius::Radius;

/// A scan in words and figures.
pub(crate) struct ReportView<'a> {
    pub(crate) result: &'a ScanResult,
    pub(crate) models: Vec<ModelRow>,
    pub(crate) radius: Radius,
    pub(crate) competitors: Competitors,
    pub(crate) insights: Insights,
}

impl<'a> ReportView<'a> {
    /// Prepares a result. `answers` is the path of the page with all answers, where there is one.
    pub(crate) fn of(result: &'a ScanResult, answers: Option<&str>) -> Self {
        Self {
            result,
            models: models::rows(result),
            radius: Radius::of(result, answers),
            competitors: Competitors::of(result),
            insights: Insights::of(result),
        }
    }

    /// The score, or a dash where no answer arrived.
    pub(crate) fn overall(&self) -> String {
        figure::maybe_score(verdict::overall(self.result))
    }

    /// A verdict such as "Often cited, usually after others".
    pub(crate) fn headline(&self) -> String {
        verdict::headline(self.result)
    }

    /// Says how many answers cite the domain, and where the score likely is.
    pub(crate) fn sentence(&self) -> String {
        verdict::sentence(self.result)
    }

    pub(crate) fn scale(&self) -> String {
        verdict::scale_note(self.result)
    }

    /// How sure the score is, one sentence each.
    pub(crate) fn how_sure(&self) -> Vec<String> {
        verdict::how_sure(self.result)
    }

    /// The answers to the next questions of a reader.
    pub(crate) fn facts(&self) -> Vec<Fact> {
        verdict::facts(self.result)
    }

    /// The verdict in lines, for reports without a layout.
    pub(crate) fn lead(&self) -> Vec<String> {
        let mut lines = vec![
            format!(
                "Overall score {} {}. {}.",
                self.overall(),
                self.scale(),
                self.headline()
            ),
            self.sentence(),
        ];
        lines.extend(self.how_sure());
        if !self.insights.stance.is_empty() {
            lines.push(self.insights.stance.clone());
        }
        lines.extend(self.insights.without_intents.clone());
        for fact in self.facts() {
            let note = if fact.note.is_empty() {
                fact.note
            } else {
                format!(" ({})", fact.note)
            };
            lines.push(format!("{}: {}{note}", fact.label, fact.value));
        }
        lines
    }
}
