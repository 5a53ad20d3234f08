//! F: are the author and the dates of the page known?

use super::finding::{Finding, many};
use super::quotability::claim;
use crate::article::shown;
use crate::dates;
use crate::facts::{DateRole, Facts, FoundDate};
use crate::kind::is_guide;
use crate::quote::quote_to;
use crate::reading::language;
use jiff::civil::Date;

/// F1: a named author.
pub(super) fn author(facts: &Facts<'_>) -> Finding {
    if facts.host().contains("wiki") {
        return Finding::na("a wiki is written by many");
    }
    let below = match facts.heading() {
        Some((heading, line)) => format!("below “{}” (line {line})", quote_to(heading, 80)),
        None => "below the title".to_owned(),
    };
    match &facts.author {
        Some(author) if !author.is_organisation => {
            Finding::pass(format!("“{}”", author.name)).at(&author.location)
        }
        Some(author) => Finding::warn(format!("only an organisation or a role: “{}”", author.name))
            .at(&author.location)
            .advise(format!(
                "If a person wrote the page, put the name in place of “{}”, {below} and as author in JSON-LD with the type Person.",
                author.name
            )),
        None => Finding::fail("no author is named").advise(format!(
            "Put “By FIRST LAST” {below}, with a link to a page about the person, and the same name as author in JSON-LD."
        )),
    }
}

/// Whether a date is more than two days ahead.
///
/// The page may be ahead of UTC, and a post scheduled for tomorrow is not an error.
fn is_future(facts: &Facts<'_>, date: Date) -> bool {
    date > facts.today.saturating_add(jiff::Span::new().days(2))
}

/// F2: a date that machines can read.
pub(super) fn machine_date(facts: &Facts<'_>) -> Finding {
    if let Some(future) = facts
        .dates
        .iter()
        .find(|found| found.role != DateRole::Visible && is_future(facts, found.date))
    {
        return Finding::fail(format!("{} lies in the future", future.date)).at(&future.location);
    }
    let past = facts.dates.iter().find(|found| !is_future(facts, found.date));
    if let Some(found) = past {
        return Finding::pass(found.date.to_string()).at(&found.location);
    }
    match last_modified(facts) {
        Some(date) => {
            Finding::warn(format!("only the header Last-Modified: {date}")).at("header Last-Modified")
        }
        None => {
            let finding = Finding::fail("no date in JSON-LD, meta elements or time elements");
            match shown(facts) {
                Some((date, place)) => finding
                    .advise(format!(
                        "The page shows {date} ({place}): put it into a time element, and into JSON-LD as datePublished."
                    ))
                    .change(None, format!("<time datetime=\"{date}\">\n\"datePublished\": \"{date}\""))
                    .at(place),
                None => finding,
            }
        }
    }
}

fn last_modified(facts: &Facts<'_>) -> Option<Date> {
    facts.page.headers.first("last-modified").and_then(dates::machine)
}

/// F3: age of the newest date.
pub(super) fn freshness(facts: &Facts<'_>) -> Finding {
    if !is_guide(facts) || facts.structured.has_type(&["QAPage"]) {
        return Finding::na("a report or a thread of its day");
    }
    let newest = facts
        .dates
        .iter()
        .filter(|found| !is_future(facts, found.date))
        .max_by_key(|found| found.date);
    let Some(newest) = newest else {
        return Finding::warn("the age is unknown");
    };
    let days = newest
        .date
        .until(facts.today)
        .map_or(0, |span| span.get_days().max(0));
    let found = format!(
        "{}, {} old",
        newest.date,
        many(usize::try_from(days).unwrap_or(0), "day")
    );
    let finding = match days {
        ..=365 => Finding::pass(found),
        366..=1_095 => Finding::warn(found),
        _ => Finding::fail(found),
    };
    let finding = finding.at(&newest.location);
    match claim(facts) {
        Some((claim, line)) => finding.advise(format!(
            "Check what {} states, for example “{}” (line {line}); correct what has changed, and then set dateModified.",
            newest.date,
            quote_to(claim, 160)
        )),
        None => finding,
    }
}

/// F4: dates that fit each other.
pub(super) fn date_order(facts: &Facts<'_>) -> Finding {
    let of = |role: DateRole| facts.dates.iter().filter(move |found| found.role == role);
    let published = of(DateRole::Published)
        .chain(of(DateRole::Dated))
        .min_by_key(|found| found.date);
    let modified = of(DateRole::Modified).max_by_key(|found| found.date);
    if let (Some(published), Some(modified)) = (published, modified)
        && modified.date < published.date
    {
        return Finding::fail(format!(
            "modified {} before published {}",
            modified.date, published.date
        ))
        .at(&modified.location);
    }
    let declared: Vec<&FoundDate> = published.into_iter().chain(modified).collect();
    let shown = shown(facts);
    match (declared.as_slice(), shown) {
        ([], _) => Finding::na("no declared date to compare"),
        (_, Some((date, location))) => {
            let near = declared.iter().any(|found| {
                found
                    .date
                    .until(date)
                    .is_ok_and(|span| span.get_days().abs() <= 30)
            });
            if near {
                Finding::pass(format!("the page shows {date}, as declared"))
            } else {
                Finding::warn(format!(
                    "the page shows {date}, but declares {}",
                    declared[0].date
                ))
                .advise(format!(
                    "Either show {} ({location}), or declare {date} in JSON-LD and the meta elements.",
                    declared[0].date
                ))
                .at(location)
            }
        }
        ([_], None) => Finding::na("one date only"),
        (_, None) => Finding::pass("modified after published"),
    }
}

/// F5: the declared language is the one of the text.
pub(super) fn html_lang(facts: &Facts<'_>) -> Finding {
    let Some(lang) = facts.head.lang.as_deref().filter(|lang| !lang.is_empty()) else {
        let finding = Finding::fail("<html> has no lang");
        return match facts.reading.language {
            Some(tag) => finding.change("<html>", format!("<html lang=\"{tag}\">")),
            None => finding,
        };
    };
    if !language::is_tag(lang) {
        return Finding::warn(format!("“{lang}” is not a language tag"));
    }
    match facts.reading.language {
        Some(detected) if !language::agree(lang, detected) => {
            Finding::warn(format!("declared {lang}, but the text reads as {detected}")).change(
                format!("<html lang=\"{}\">", quote_to(lang, 40)).as_str(),
                format!("<html lang=\"{detected}\">"),
            )
        }
        Some(_) => Finding::pass(format!("{lang}, as the text")),
        None => Finding::pass(lang),
    }
}
