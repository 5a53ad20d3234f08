//! What the audit takes for a page's article.

use crate::authors::SURE;
use crate::dates;
use crate::facts::{DateRole, Facts, FoundDate};
use crate::page::Page;
use crate::reading::{Stamp, is_below};
use jiff::civil::Date;

/// A page's article: its text and the facts that checks take from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Article {
    /// Holds the article, or else the main part, one block a line.
    pub text: String,
    /// The paragraph that opens it.
    pub lead: Option<String>,
    /// The author, if the page is clear enough for a draft to name one.
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

/// Reads the article of a page.
///
/// As slow as [`crate::audit`].
#[must_use]
pub fn article(page: &Page) -> Article {
    let facts = Facts::read(page);
    let reading = &facts.reading;
    let lead = reading.lead_block();
    Article {
        text: reading
            .blocks
            .iter()
            .map(|block| reading.block_text(block))
            .collect::<Vec<_>>()
            .join("\n"),
        lead: lead.map(|block| reading.block_text(block).to_owned()),
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

/// Returns the day of publication and its location, unless the page contradicts itself.
///
/// Earlier ones win: a declared day of publication, the address, a `time` element,
/// and a date without an event.
/// If the declared days differ, the one that the address or the text repeats counts.
pub(crate) fn published(facts: &Facts<'_>) -> Option<(Date, String)> {
    let of = |role: DateRole| facts.dates.iter().filter(move |found| found.role == role);
    let address = of(DateRole::Address).next();
    let shown = shown(facts).map(|(date, _)| date);
    let is_repeated = |found: &&FoundDate| {
        let others = address.map(|found| found.date).into_iter().chain(shown);
        others.into_iter().any(|other| is_near(found.date, other, 1))
    };
    let day = if let Some(first) = of(DateRole::Published).next() {
        let agree = of(DateRole::Published).all(|other| is_near(first.date, other.date, 1));
        let declared = if agree {
            Some(first)
        } else {
            of(DateRole::Published).find(is_repeated)
        };
        declared.filter(|found| address.is_none_or(|other| is_near(found.date, other.date, ADDRESS_DAYS)))
    } else {
        let dated = || {
            of(DateRole::Dated)
                .next()
                .filter(|found| shown.is_none_or(|shown| is_near(found.date, shown, 1)))
        };
        address.or_else(|| of(DateRole::Visible).next()).or_else(dated)
    };
    let is_declared = facts.dates.iter().any(|found| found.role != DateRole::Modified);
    match day {
        Some(found) => Some((found.date, found.location.clone())),
        None => self::shown(facts).filter(|_| !is_declared),
    }
}

/// Days between a draft, whose day may stay in the address, and its publication.
const ADDRESS_DAYS: i32 = 3;

fn is_near(one: Date, other: Date, days: i32) -> bool {
    one.until(other).is_ok_and(|span| span.get_days().abs() <= days)
}

/// The visible date near the top: a `time` element, or a written date in the first blocks.
pub(crate) fn shown(facts: &Facts<'_>) -> Option<(Date, String)> {
    if let Some(found) = facts.dates.iter().find(|found| found.role == DateRole::Visible) {
        return Some((found.date, found.location.clone()));
    }
    let reading = &facts.reading;
    let title = reading.title.and_then(|index| reading.headings.get(index));
    let title = title.map_or(0, |heading| heading.order);
    let dated = reading
        .dated
        .iter()
        .filter(|stamp| dates::visible(&stamp.value).is_some());
    let dated: Vec<Stamp> = dated.cloned().collect();
    let nearest = reading.nearest(&dated);
    let nearest =
        nearest.filter(|stamp| is_below(title, stamp.order) || title.saturating_sub(stamp.order) < 20);
    if let Some(found) =
        nearest.and_then(|stamp| Some((dates::visible(&stamp.value)?, format!("line {}", stamp.line))))
    {
        return Some(found);
    }
    let first = reading.blocks.iter().take(8);
    first
        .filter(|block| block.words <= 25 && !block.in_aside)
        .find_map(|block| {
            let date = dates::visible(reading.block_text(block))?;
            Some((date, format!("line {}", block.line)))
        })
}

/// Returns the last declared day of a change and its location.
pub(crate) fn modified(facts: &Facts<'_>) -> Option<(Date, String)> {
    facts
        .dates
        .iter()
        .filter(|found| found.role == DateRole::Modified)
        .max_by_key(|found| found.date)
        .map(|found| (found.date, found.location.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Article {
        let html = format!(
            "<html><head><title>Frozen pipes</title></head><body><main><h1>Frozen pipes</h1>{body}</main></body></html>"
        );
        let url = "https://elplomero.example/a/frozen-pipes".parse().ok();
        article(&Page::from_html(html, url, jiff::Timestamp::UNIX_EPOCH))
    }

    #[test]
    fn captions_and_promotions_open_no_text() {
        let text = "A pipe that freezes bursts where it is weakest, mostly at a bend, and the damage shows when it thaws again in the spring.";
        for before in [
            "<p>A frozen pipe under a kitchen sink in the old town of Oslo.Kari Nord/Getty</p>",
            "<p>In this Dec. 12, 2006, file photo, a plumber looks at a pipe that froze in the night.</p>",
            "<p>© Kari Nord A frozen pipe under a kitchen sink in the old town</p>",
            "<p>Chat with us in our application and find out what happens in the world of pipes.</p>",
            "<p>Want to get all of this in your inbox every Sunday? Subscribe to the letter below!</p>",
            "<p>Created 03-10-2004 2:20pm and then changed by hand</p>",
        ] {
            let found = read(&format!("{before}<p>{text}</p><p>{text}</p>"));
            assert_eq!(found.lead.as_deref(), Some(text), "{before}");
        }
    }

    #[test]
    fn links_and_first_sections_stay_in_the_text() {
        let text = "A pipe of <a class=meta-org href=/acme>Acme</a> that freezes bursts where it is weakest, says <span class=tooltip>Ana Ruiz</span>.";
        let found = read(&format!("<div id=toc-1><p>{text}</p></div><p>{text}</p>"));
        assert_eq!(
            found.lead.as_deref(),
            Some("A pipe of Acme that freezes bursts where it is weakest, says Ana Ruiz.")
        );
    }

    #[test]
    fn the_day_that_is_shown_below_the_title_counts_where_none_is_declared() {
        let text = "<p>A pipe that freezes bursts where it is weakest, mostly at a bend, and the damage shows when it thaws.</p>".repeat(3);
        for (line, expected) in [
            (
                "<div class=entry-meta><a href=/a>3. Mai 2026</a> <a href=/b>Pipes</a></div>",
                "2026-05-03",
            ),
            (
                "<div class=postmeta><time datetime=2026-05-03>Sunday</time> <a href=/b>Pipes</a></div>",
                "2026-05-03",
            ),
            (
                "<abbr class=published title='2026-05-03T10:52:00+02:00'>10:52</abbr>",
                "2026-05-03",
            ),
            ("<span class=h-time>2026-05-03 20:29</span>", "2026-05-03"),
            ("<div class=prices>from 1.2.3</div>", ""),
        ] {
            let found = read(&format!("{line}{text}")).published;
            let found = found.map(|date| date.to_string()).unwrap_or_default();
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn photographers_and_papers_are_no_authors() {
        let text = "<p>A pipe that freezes bursts where it is weakest, mostly at a bend, and the damage shows when it thaws.</p>".repeat(3);
        for (byline, expected) in [
            ("<a rel=author href=/ana>Ana Ruiz</a>", Some("Ana Ruiz")),
            (
                "<figure><img src=a.jpg><figcaption><span itemprop=author>Kari Nord</span></figcaption></figure>",
                None,
            ),
            ("<a rel=author href=/>El Plomero</a>", None),
            (
                "<div class=entry-meta><a href=/3>3 May</a> <a href=/author/ana>Ana Ruiz</a> <a href=/c>Pipes</a></div>",
                Some("Ana Ruiz"),
            ),
            ("<p>11.12.2019 - Ana Ruiz</p>", None),
            ("<p>Text: Ana Ruiz</p>", Some("Ana Ruiz")),
            (
                "<p class=vcard><a class='url fn n' href=/author/ana>uriebe</a></p>",
                Some("uriebe"),
            ),
            (
                "<p class=vcard><a class='url fn n' href=/author/admin>admin</a></p>",
                None,
            ),
        ] {
            assert_eq!(
                read(&format!("{byline}{text}")).author.as_deref(),
                expected,
                "{byline}"
            );
        }
    }
}
