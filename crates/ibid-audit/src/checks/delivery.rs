//! C: does the answer carry the text?

use super::finding::{Finding, many};
use crate::facts::Facts;
use crate::html::StopReason;
use crate::limits::{BARE_PAGE, BARE_TEXT, LONG_TEXT, PROSE_WORDS};
use crate::quote::quote_to;
use crate::vocabulary::Words;
use ibid_model::result::PageKind;
use url::{Host, Url};

/// C1: a real page.
pub(super) fn is_a_page(facts: &Facts<'_>) -> Finding {
    if let Some(status) = facts.page.status
        && !(200..300).contains(&status)
    {
        return Finding::fail(format!("status {status}"));
    }
    if let Some(kind) = facts.page.headers.first("content-type") {
        let kind = kind.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
        if !matches!(kind.as_str(), "text/html" | "application/xhtml+xml") {
            return Finding::fail(format!("the content type is {kind}")).at("header Content-Type");
        }
    } else if facts.page.status.is_some() && facts.reading.page_words == 0 && facts.head.title.is_none() {
        return Finding::fail("there is no content type and no HTML");
    }
    if facts.words() < PROSE_WORDS {
        if let Some(sign) = &facts.signs.challenge {
            return Finding::fail("a bot challenge was answered instead of the page").line(sign.line);
        }
        let headings = facts
            .reading
            .headings
            .iter()
            .filter(|heading| heading.level == 1)
            .map(|heading| (heading.text.as_str(), heading.line));
        for (text, line) in facts.title().into_iter().chain(headings) {
            if let Some(kind) = error_kind(text) {
                return Finding::fail(format!("{kind}: “{text}”")).line(line);
            }
        }
    }
    Finding::pass(match facts.page.status {
        Some(status) => format!("status {status}, HTML"),
        None => "HTML".to_owned(),
    })
}

fn error_kind(text: &str) -> Option<&'static str> {
    static MISSING: Words = Words::new(include_str!("../words/delivery_missing.txt"));
    static CHALLENGE: Words = Words::new(include_str!("../words/delivery_challenge.txt"));
    let text = text.to_lowercase();
    let number = text
        .split(|c: char| !c.is_ascii_digit())
        .any(|part| part == "404");
    if number && (text.len() < 12 || text.contains("error") || text.contains("page")) || MISSING.is_in(&text)
    {
        Some("the page says that it is missing")
    } else if CHALLENGE.is_in(&text) {
        Some("a challenge or a refusal was answered")
    } else {
        None
    }
}

/// C2: words in the HTML as sent.
pub(super) fn words(facts: &Facts<'_>) -> Finding {
    let found = format!(
        "{} in the HTML as sent, without menus",
        many(facts.words(), "word")
    );
    let blocks = &facts.reading.blocks;
    let listed: usize = blocks
        .iter()
        .filter(|block| block.in_list)
        .map(|block| block.words)
        .sum();
    let (least, some) = match facts.kind {
        PageKind::Article => (LONG_TEXT, 80),
        PageKind::Contact => (20, 10),
        // Menus, prices and hours are as long as they are.
        _ if listed * 2 > facts.reading.article_words => (50, 20),
        PageKind::Help => (PROSE_WORDS, 50),
        PageKind::Home | PageKind::List | PageKind::Service | PageKind::Product | PageKind::Other => {
            (100, 50)
        }
    };
    let finding = match facts.words() {
        words if words >= least => return Finding::pass(found),
        words if words >= some => Finding::warn(found),
        _ => Finding::fail(found),
    };
    let asks = facts.signs.asks_for_script.as_ref();
    let asks = asks.filter(|_| facts.words() < BARE_PAGE);
    match facts.signs.empty_root.as_ref().or(asks) {
        Some(sign) => finding.advise(format!(
            "Render the text on the server: {} (line {}).",
            sign.text, sign.line
        )),
        None => {
            let what = match facts.kind {
                PageKind::Home | PageKind::Service => {
                    "what you do, for whom, where, how fast and at what price"
                }
                PageKind::Product => "what it is for, its size, its price and how it differs from others",
                PageKind::Contact => "address, telephone, hours and the way to you",
                PageKind::List => "what the listed pages have in common, and whom each one suits",
                PageKind::Article | PageKind::Help | PageKind::Other => {
                    "the answer, its reasons and its figures"
                }
            };
            let below = facts
                .heading()
                .map(|(heading, line)| format!(" below “{}” (line {line})", quote_to(heading, 80)));
            finding.advise(format!(
                "Write{}: {what}. If scripts add that text, render it on the server.",
                below.unwrap_or_default()
            ))
        }
    }
}

/// C3: is the page an empty shell for scripts?
pub(super) fn is_no_shell(facts: &Facts<'_>) -> Finding {
    let words = facts.words();
    let root = facts.signs.empty_root.as_ref();
    let asks = facts.signs.asks_for_script.as_ref();
    // A page of many words has a form or a menu to show, or waits for a script that shows them.
    let is_bare = facts.all_words() < PROSE_WORDS;
    match (root, asks) {
        (Some(sign), _) if words < 80 && is_bare => Finding::fail(sign.text.clone()).line(sign.line),
        (_, Some(sign)) if words < BARE_TEXT && is_bare => {
            Finding::fail(format!("the page asks for JavaScript: “{}”", sign.text)).line(sign.line)
        }
        (Some(sign), _) if words < LONG_TEXT => Finding::warn(sign.text.clone()).line(sign.line),
        // A page that was rendered before keeps the line of its framework.
        (None, Some(sign)) if words < BARE_PAGE => Finding::warn(sign.text.clone()).line(sign.line),
        _ => Finding::pass("the text does not wait for scripts"),
    }
}

/// C4: the way to the page.
pub(super) fn redirects(facts: &Facts<'_>) -> Finding {
    if let Some((seconds, line)) = facts.head.refresh
        && seconds < 5.0
    {
        return Finding::fail(format!("a meta refresh after {seconds} s")).line(line);
    }
    if facts.page.status.is_none() {
        return Finding::na("the page was not fetched");
    }
    let hops = facts.page.redirects.len();
    let found = many(hops, "redirect");
    match hops {
        0 | 1 => Finding::pass(found),
        2 | 3 => Finding::warn(found),
        _ => Finding::fail(found),
    }
}

/// C5: https.
pub(super) fn https(facts: &Facts<'_>) -> Finding {
    let Some(url) = &facts.page.url else {
        return Finding::na("the page has no address");
    };
    match url.scheme() {
        "https" => Finding::pass("https"),
        _ if is_test_host(url) => Finding::na("a host for tests"),
        _ => Finding::warn("http"),
    }
}

fn is_test_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost"
                || [".localhost", ".test", ".example"]
                    .iter()
                    .any(|end| name.ends_with(end))
        }
        None => false,
    }
}

/// C6: size of the HTML.
pub(super) fn size(facts: &Facts<'_>) -> Finding {
    let bytes = facts.page.body.len();
    let found = if bytes < 10_000 {
        format!("{bytes} bytes of HTML")
    } else {
        format!("{} KB of HTML", bytes / 1_000)
    };
    if facts.truncated {
        return Finding::fail(format!("more than the {} that were read", found));
    }
    if let Some(stop) = facts.stopped {
        let reason = match stop {
            StopReason::Nodes => "has more than 200,000 nodes",
            StopReason::Depth => "nests deeper than 512 levels",
            StopReason::Work => "is built so that parsing it is slow",
        };
        return Finding::fail(format!(
            "{found}; the markup {reason}, and was read only to there"
        ));
    }
    match bytes {
        0..=500_000 => Finding::pass(found),
        500_001..=2_000_000 => Finding::warn(found),
        _ => Finding::fail(found),
    }
}

/// C7: character encoding.
pub(super) fn charset(facts: &Facts<'_>) -> Finding {
    let charset = &facts.charset;
    if charset.broken > 0 {
        let found = format!(
            "{} do not fit {}",
            many(charset.broken, "character"),
            charset.name
        );
        return Finding::warn(found).advise(format!(
            "Save the page as {} again, and replace what shows as “\u{fffd}”.",
            charset.name
        ));
    }
    if let (false, Some(late)) = (charset.is_declared(), &charset.late) {
        let found =
            format!("the meta element that declares {late} begins after byte 1,024, where no browser looks");
        return Finding::warn(found)
            .advise("Move <meta charset> to the top of <head>, before styles and scripts.".to_owned());
    }
    if !charset.is_declared() {
        return Finding::warn(format!("no encoding is declared; {} was assumed", charset.name));
    }
    if !charset.agrees() {
        let label = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
        return Finding::warn(format!(
            "the header says {}, the page says {}",
            label(&charset.header),
            label(&charset.meta)
        ));
    }
    Finding::pass(charset.name)
}
