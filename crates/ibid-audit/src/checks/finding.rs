//! What one check found.

use crate::quote::{QUOTE_CHARS, quote, quote_to};
use ibid_model::result::CheckStatus;

/// A change has no more lines; a robots.txt group for each listed agent fits.
const MOST_LINES: usize = 8;

/// What one check found, and where in the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) status: CheckStatus,
    pub(crate) found: String,
    pub(crate) location: Option<String>,
    /// Advice for this very finding, instead of the check's.
    pub(crate) advice: Option<String>,
    /// Words of the page before and after the advice, where the change is mechanical.
    pub(crate) change: Option<(Option<String>, String)>,
    /// The assistants concerned, and why them.
    pub(crate) concerned: (Vec<String>, String),
}

impl Finding {
    pub(crate) fn new(status: CheckStatus, found: impl AsRef<str>) -> Self {
        Self {
            status,
            found: quote_to(found.as_ref(), 2 * QUOTE_CHARS),
            location: None,
            advice: None,
            change: None,
            concerned: (Vec::new(), String::new()),
        }
    }

    pub(crate) fn pass(found: impl AsRef<str>) -> Self {
        Self::new(CheckStatus::Pass, found)
    }

    pub(crate) fn warn(found: impl AsRef<str>) -> Self {
        Self::new(CheckStatus::Warn, found)
    }

    pub(crate) fn fail(found: impl AsRef<str>) -> Self {
        Self::new(CheckStatus::Fail, found)
    }

    pub(crate) fn na(found: impl AsRef<str>) -> Self {
        Self::new(CheckStatus::Na, found)
    }

    pub(crate) fn unknown(found: impl AsRef<str>) -> Self {
        Self::new(CheckStatus::Unknown, found)
    }

    pub(crate) fn info(found: impl AsRef<str>) -> Self {
        Self::new(CheckStatus::Info, found)
    }

    /// Sets the location.
    pub(crate) fn at(mut self, location: impl AsRef<str>) -> Self {
        self.location = Some(quote(location.as_ref()));
        self
    }

    /// Sets a line of the page as the location.
    pub(crate) fn line(self, line: u32) -> Self {
        self.at(format!("line {line}"))
    }

    /// Sets advice for this particular finding, if there is any.
    pub(crate) fn advise(mut self, advice: impl Into<Option<String>>) -> Self {
        self.advice = advice.into().map(|advice| quote_to(&advice, 2 * QUOTE_CHARS));
        self
    }

    /// Sets what should be where nothing is, if it is known.
    pub(crate) fn add(self, after: Option<String>) -> Self {
        match after {
            Some(after) => self.change(None, after),
            None => self,
        }
    }

    /// Sets a place of the page as it is and as it should be; what is not there has no `before`.
    pub(crate) fn change<'t>(mut self, before: impl Into<Option<&'t str>>, after: impl AsRef<str>) -> Self {
        let lines = |text: &str| {
            let lines = text.lines().map(|line| quote_to(line, 2 * QUOTE_CHARS));
            lines.take(MOST_LINES).collect::<Vec<_>>().join("\n")
        };
        self.change = Some((before.into().map(lines), lines(after.as_ref())));
        self
    }
}

/// `1 word`, `2 words`.
pub(crate) fn many(count: usize, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) if !noun.ends_with("ay") => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}s"),
    }
}
