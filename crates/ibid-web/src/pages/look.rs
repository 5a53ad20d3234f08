//! The first look at a website: its page, the questions of its buyers, and the costs.

use super::{fault_of, fault_sentence};
use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::result::AuditReport;
use ibid_model::{Faults, UsdMicros};

/// The first look. Its form posts `domain`, `keyword`, `location` and `language`, urlencoded, to `/look`.
#[derive(Clone, Copy, Debug)]
pub struct LookPage<'a> {
    /// What the reader entered, or guesses.
    pub entries: LookEntries<'a>,
    pub faults: &'a Faults,
    /// A refusal that is about no field, in a sentence.
    pub error: Option<&'a str>,
    /// What was seen; `None` before the first look.
    pub seen: Option<SeenView<'a>>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct LookEntries<'a> {
    pub domain: &'a str,
    /// What it sells.
    pub keyword: &'a str,
    /// Where its customers are.
    pub location: &'a str,
    /// BCP 47 tag of the questions.
    pub language: &'a str,
}

/// What was seen at a first look.
#[derive(Clone, Copy, Debug)]
pub struct SeenView<'a> {
    pub audit: &'a AuditReport,
    /// Title and advice of the findings whose advice helps most.
    pub findings: &'a [(&'a str, &'a str)],
    /// Whether something in the form is a guess.
    pub guessed: bool,
    /// The questions that buyers would ask.
    pub questions: &'a [String],
    /// A row for each model, and for several together.
    pub offers: &'a [OfferRow<'a>],
}

/// What the questions cost with some models, and what their answers show.
#[derive(Clone, Copy, Debug)]
pub struct OfferRow<'a> {
    pub name: &'a str,
    pub scan: UsdMicros,
    /// What weekly scans cost in a month.
    pub month: UsdMicros,
    /// Half the likely range of one scan, in points.
    pub points: f64,
    /// The fall in points that weekly scans see, and the weeks it takes.
    pub sees: Option<(u32, u32)>,
}

#[derive(Template)]
#[template(path = "look.html")]
struct LookTemplate<'a> {
    shell: Shell<'a>,
    page: &'a LookPage<'a>,
}

/// Renders the first look.
pub fn look(frame: &Frame<'_>, page: &LookPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "A first look", Tab::None);
    render("look", &LookTemplate { shell, page })
}

impl LookTemplate<'_> {
    fn fault(&self, field: &str) -> String {
        fault_of(self.page.faults, field)
    }

    fn general_fault(&self) -> Option<String> {
        let known = ["/domain", "/url", "/keyword", "/location", "/language"];
        let mut others = self
            .page
            .faults
            .iter()
            .filter(|fault| !known.contains(&fault.field.as_str()));
        let fault = others.next().map(fault_sentence);
        fault.or_else(|| self.page.error.map(str::to_owned))
    }
}
