//! A report in a few words, for previews of its link.

use super::verdict;
use crate::figure;
use ibid_model::result::LocationReport;
use ibid_model::{ScanResult, Score};

/// A report in a few words, for previews of its link and for the picture next to them.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// The domain with the letters of its language.
    pub domain: String,
    pub ascii_domain: String,
    pub keyword: String,
    /// The place, if there is one.
    pub place: Option<String>,
    /// The score; `None` where no answer arrived.
    pub score: Option<Score>,
    /// Ends of its likely range.
    pub range: Option<(f64, f64)>,
    /// Day of the measurement.
    pub measured: String,
    /// Whether the answers were invented.
    pub sandbox: bool,
}

impl Preview {
    /// Reads the preview of a result.
    pub fn of(result: &ScanResult) -> Self {
        Self {
            domain: result.domain.to_unicode(),
            ascii_domain: result.domain.as_str().to_owned(),
            keyword: result.keyword.to_string(),
            place: result.location.as_ref().map(LocationReport::short_label),
            score: verdict::overall(result),
            range: result.interval.as_ref().map(|range| (range.low, range.high)),
            measured: figure::date(result.finished_at),
            sandbox: result.sandbox,
        }
    }

    /// The website and its score.
    pub(crate) fn title(&self) -> String {
        match self.score {
            Some(score) => format!("{}: {} of 100", self.domain, figure::score(score)),
            None => self.domain.clone(),
        }
    }

    /// The keyword, the place, the likely range and the day, in a sentence.
    pub(crate) fn description(&self) -> String {
        let invented = if self.sandbox { "Invented answers. " } else { "" };
        let place = self
            .place
            .as_ref()
            .map_or_else(String::new, |place| format!(" in {place}"));
        let range = self.range.map_or_else(String::new, |(low, high)| {
            format!(", likely range {low:.0} to {high:.0}")
        });
        format!(
            "{invented}How AI answers cite the website for “{}”{place}{range}. Measured {}.",
            self.keyword, self.measured
        )
    }
}
