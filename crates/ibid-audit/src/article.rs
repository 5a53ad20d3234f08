//! The article of a page, as the audit reads it.

use crate::authors::SURE;
use crate::facts::{DateRole, Facts};
use crate::page::Page;
use jiff::civil::Date;

/// The article of a page: its text and the facts that the checks take from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Article {
    /// The text, one block a line. Without an article, that of the main part.
    pub text: String,
    /// The paragraph that opens it.
    pub lead: Option<String>,
    /// The author, where the page is sure enough for a draft to name one.
    pub author: Option<String>,
    /// The day it was published.
    pub published: Option<Date>,
    /// The day it was last changed, where the page declares one.
    pub modified: Option<Date>,
    /// Level and text of the headings outside menus, teasers and other furniture.
    pub headings: Vec<(u8, String)>,
    /// Registrable domains that are linked as sources.
    pub sources: Vec<String>,
}

/// Reads the article of a page. As slow as [`crate::audit`].
#[must_use]
pub fn article(page: &Page) -> Article {
    let facts = Facts::read(page);
    let reading = &facts.reading;
    let text = |index: usize| {
        reading
            .blocks
            .get(index)
            .map(|block| reading.block_text(block).to_owned())
    };
    Article {
        text: reading
            .blocks
            .iter()
            .map(|block| reading.block_text(block))
            .collect::<Vec<_>>()
            .join("\n"),
        lead: reading.lead.and_then(text),
        author: facts
            .author
            .as_ref()
            .filter(|author| author.confidence >= SURE && !author.is_organisation)
            .map(|author| author.name.clone()),
        published: published(&facts).map(|(date, _)| date),
        modified: modified(&facts).map(|(date, _)| date),
        headings: reading
            .headings
            .iter()
            .filter(|heading| !heading.in_furniture)
            .map(|heading| (heading.level, heading.text.clone()))
            .collect(),
        sources: crate::sources::find(&facts).into_iter().collect(),
    }
}

/// The day of publication and where it stands: a declared one before a shown one.
pub(crate) fn published(facts: &Facts<'_>) -> Option<(Date, String)> {
    let of = |role: DateRole| facts.dates.iter().find(|found| found.role == role);
    of(DateRole::Published)
        .or_else(|| of(DateRole::Address))
        .or_else(|| of(DateRole::Visible))
        .map(|found| (found.date, found.location.clone()))
}

/// The last declared day of a change and where it stands.
pub(crate) fn modified(facts: &Facts<'_>) -> Option<(Date, String)> {
    facts
        .dates
        .iter()
        .filter(|found| found.role == DateRole::Modified)
        .max_by_key(|found| found.date)
        .map(|found| (found.date, found.location.clone()))
}
