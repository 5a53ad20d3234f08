//! G: is there something worth quoting?

use super::finding::{Finding, many};
use crate::facts::Facts;
use crate::kind::is_guide;
use crate::limits::{LONG_TEXT, MANY};
use crate::names::is_generic;
use crate::numbers;
use crate::quote::{key, quote_to};
use crate::reading::{Block, words};
use crate::vocabulary::Words;
use ibid_model::result::PageKind;
use std::collections::HashSet;

/// G1: measured figures.
pub(super) fn figures(facts: &Facts<'_>) -> Finding {
    let count: usize = facts
        .reading
        .blocks
        .iter()
        .filter(|block| !block.in_code)
        .map(|block| numbers::facts(facts.reading.block_text(block)))
        .sum();
    let found = format!("{} in {}", many(count, "figure"), many(facts.words(), "word"));
    // At least 5 to 1,000 words.
    if count >= 3 && count * 200 >= facts.words() {
        Finding::pass(found)
    } else if count >= 1 {
        Finding::warn(found)
    } else {
        Finding::fail(found)
    }
}

/// G2: sources.
pub(super) fn sources(facts: &Facts<'_>) -> Finding {
    let hosts = crate::sources::find(facts);
    let shown: Vec<_> = hosts.iter().take(5).map(|host| quote_to(host, 40)).collect();
    let finding = match hosts.len() {
        0 => Finding::fail("the text links to no other site"),
        1 => Finding::warn(format!("one other site: {}", shown.join(", "))),
        count => return Finding::pass(format!("{count} other sites: {}", shown.join(", "))),
    };
    match claim(facts) {
        Some((claim, line)) => finding
            .advise(format!(
                "Link the source of “{}” (line {line}), if it is not your own.",
                quote_to(claim, 160)
            ))
            .line(line),
        None => Finding::na("no figure whose source could be linked"),
    }
}

/// The sentence without a link that has the most figures, and its line.
pub(super) fn claim<'f>(facts: &'f Facts<'_>) -> Option<(&'f str, u32)> {
    let blocks = facts
        .reading
        .paragraphs()
        .filter(|block| block.link_words == 0 && !block.in_byline);
    let sentences = blocks.flat_map(|block| {
        let text = facts.reading.block_text(block);
        text.split_inclusive(SENTENCE_ENDS)
            .map(move |sentence| (sentence.trim(), block.line))
    });
    let claims = sentences.filter(|(text, _)| words::count(text) > 5);
    // The first of equals.
    let best = claims
        .map(|claim| (numbers::facts(claim.0), claim))
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.filter(|(figures, _)| *figures > 0).map(|(_, claim)| claim)
}

/// G3: the page quotes a person or a source.
pub(super) fn quotations(facts: &Facts<'_>) -> Finding {
    let marked = facts.reading.features.quotes;
    if marked > 0 {
        return Finding::pass(many(marked, "marked quotation"));
    }
    let mut left = MANY;
    for block in facts.reading.paragraphs() {
        if let Some(quotation) = spoken(facts.reading.block_text(block), &mut left) {
            return Finding::pass(format!("“{}”", quote_to(quotation, 120))).line(block.line);
        }
    }
    // A short notice and instructions need no voices.
    if is_guide(facts) || facts.words() < LONG_TEXT {
        return Finding::na("not asked of instructions and short texts");
    }
    Finding::warn("no person or source is quoted")
}

const SENTENCE_ENDS: [char; 4] = ['.', '!', '?', '。'];

/// A quoted passage of four words or more next to a word of speech.
fn spoken<'t>(text: &'t str, left: &mut usize) -> Option<&'t str> {
    static SPEECH: Words = Words::new(
        "said|says|told|according to|explained|explains|writes|wrote|noted|argues|added|adds|sagt|sagte|erklärt|erklärte|laut|schreibt|dit|déclare|\
        selon|explique|dijo|dice|según|afirma|secondo|disse|volgens|zegt",
    );
    let mut rest = text;
    let mut before = "";
    while let Some(open) = rest.find(['“', '„', '«', '"']) {
        *left = left.checked_sub(1)?;
        let mark = rest[open..].chars().next()?;
        let inside = &rest[open + mark.len_utf8()..];
        let closing: &[char] = match mark {
            '“' => &['”'],
            '„' => &['“', '”'],
            '«' => &['»'],
            _ => &['"'],
        };
        let close = inside.find(closing)?;
        let quotation = &inside[..close];
        let after = &inside[close..];
        let mark = after.chars().next().map_or(0, char::len_utf8);
        let after = &after[mark..];
        let near = format!(
            "{} {} ",
            &before[before.ceil_char_boundary(before.len().saturating_sub(60))..],
            &rest[rest.ceil_char_boundary(open.saturating_sub(60))..open]
        );
        let near = format!("{near}{}", &after[..after.floor_char_boundary(60)]).to_lowercase();
        let speaks = SPEECH.iter().any(|word| {
            near.match_indices(word).any(|(at, _)| {
                let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
                ends(near[..at].chars().next_back()) && ends(near[at + word.len()..].chars().next())
            })
        });
        if speaks && quotation.len() < 1_500 && words::count(quotation) >= 4 {
            return Some(quotation);
        }
        before = &rest[..open];
        rest = after;
    }
    None
}

/// G4: paragraphs that state a fact and make sense on their own.
pub(super) fn passages(facts: &Facts<'_>) -> Finding {
    let fitting: Vec<&Block> = facts
        .reading
        .paragraphs()
        .filter(|block| (20..=150).contains(&block.words) && !block.in_byline)
        .collect();
    let good = fitting
        .iter()
        .filter(|block| {
            let text = facts.reading.block_text(block);
            !leans_back(text) && numbers::has_token(text)
        })
        .count();
    let found = format!(
        "{good} of {} stand alone and name something",
        many(fitting.len(), "paragraph")
    );
    if fitting.len() < 3 {
        return Finding::warn(format!(
            "only {} of 20 to 150 words",
            many(fitting.len(), "paragraph")
        ));
    }
    if good * 5 >= fitting.len() * 2 {
        Finding::pass(found)
    } else if good * 5 >= fitting.len() {
        Finding::warn(found)
    } else {
        Finding::fail(found)
    }
}

/// Begins with a word that points to what came before.
fn leans_back(text: &str) -> bool {
    let first: String = text
        .chars()
        .take_while(|c| c.is_alphabetic() || *c == '\'' || *c == '’')
        .take(12)
        .flat_map(char::to_lowercase)
        .collect();
    static BACK: Words = Words::new(
        "this|it|they|these|those|that|such|it's|it’s|dies|diese|dieser|dieses|es|sie|ceci|cela|ils|elles|esto|estos|estas|questo|questi|isso|estes|dit|deze",
    );
    BACK.contains(&first)
}

/// G5: a sentence near the top defines the subject of the page.
pub(super) fn definition(facts: &Facts<'_>) -> Finding {
    if facts.kind == PageKind::Article && !is_guide(facts) {
        return Finding::na("a report has no subject to define");
    }
    let heading = facts.heading().map(|(text, _)| text);
    let title = facts.head.title.as_ref().map(|(title, _)| title.as_str());
    let site = facts
        .head
        .meta(&["og:site_name"])
        .map(|meta| meta.content.as_str());
    let subject = [heading, title, site]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    let names: HashSet<&str> = words::spaced(&subject)
        .filter(|word| word.chars().count() >= 3)
        .collect();
    let blocks = facts
        .reading
        .paragraphs()
        .filter(|block| block.words >= 8)
        .take(4);
    for block in blocks {
        if let Some(sentence) = defines(facts.reading.block_text(block), &subject, &names) {
            return Finding::pass(format!("“{}”", quote_to(sentence, 120))).line(block.line);
        }
    }
    // A headline is a sentence; a greeting, a task or a choice of two names no subject.
    let is_no_name = |heading: &str| {
        let lower = heading.to_lowercase();
        words::count(heading) > 4
            || is_generic(heading)
            || heading.contains([':', '–', '—', '|', '!', '?', '+', '&'])
            || TASKS.opens(&lower)
            || CHOICES.is_in(&lower)
    };
    // The heading of a home page is often a campaign: only the name of the site is its subject.
    let is_campaign = |heading: &str| {
        let host = facts
            .page
            .url
            .as_ref()
            .and_then(|url| url.host_str())
            .unwrap_or("");
        let name = key(heading);
        facts.kind == PageKind::Home
            && !key(host).contains(&name)
            && site.is_none_or(|site| key(site) != name)
    };
    if heading.is_some_and(|heading| is_no_name(heading) || is_campaign(heading)) {
        return Finding::na("the heading names no subject");
    }
    let finding = Finding::warn("no sentence near the top says what the subject is");
    finding.advise(heading.or(title).map(|name| {
        let name = quote_to(name, 100);
        format!("Begin with one sentence that defines what “{name}” names: “NAME is a KIND that …”.")
    }))
}

/// Openings of headings that name a task.
static TASKS: Words = Words::new(
    "install|how |set up|setup|get |getting |use |using |create |add |what |why |when |about |our |we ",
);
/// Words between the two sides of a choice.
static CHOICES: Words = Words::new(" or | oder | ou | o | vs | vs. |versus| und | and ");

/// Words whose sentence asks, places or tells, and does not define.
const CLAUSES: [&str; 12] = [
    "there", "what", "if", "when", "where", "why", "but", "because", "which", "who", "wenn", "si",
];

/// A sentence of the form "X is a Y" whose X has a word of the page's title.
fn defines<'t>(text: &'t str, title: &str, names: &HashSet<&str>) -> Option<&'t str> {
    static COPULAS: Words = Words::new(
        " is a | is an | is the | are a | are the | is any | means | refers to | describes | is defined as | ist ein | ist eine | ist die | ist der | ist das | bezeichnet | est un | est une | es un | es una | è un | è una | é um | é uma | is een |\
        とは",
    );
    text.split_inclusive(SENTENCE_ENDS)
        .take(3)
        .map(str::trim)
        .find(|sentence| {
            COPULAS.iter().any(|copula| {
                sentence.find(copula).is_some_and(|at| {
                    let subject = &sentence[..at];
                    // The subject is short and a name, not "this" or "there".
                    let lower = subject.to_lowercase();
                    let is_titled = words::spaced(&lower).any(|word| names.contains(word))
                        || (lower.chars().any(words::is_dense) && title.contains(lower.trim()));
                    let is_clause = CLAUSES
                        .iter()
                        .any(|word| lower.split(' ').any(|part| part == *word));
                    (1..=8).contains(&words::count(subject))
                        && is_titled
                        && !is_clause
                        && !leans_back(subject)
                })
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_need_a_speaker() {
        for (text, expected) in [
            ("“The bridge will open in May,” said Ana Ruiz.", true),
            (
                "According to the mayor, \"we have waited long enough for this\".",
                true,
            ),
            ("„Das haben wir so nicht erwartet“, sagte Meyer.", true),
            ("« Nous sommes très contents », selon Dupont.", true),
            ("The so-called “smart city of the future” is here.", false),
            ("He said “no” and left.", false),
            ("An unclosed “quotation that never ends said Ana", false),
            ("", false),
        ] {
            assert_eq!(spoken(text, &mut 10).is_some(), expected, "{text}");
        }
    }

    #[test]
    fn definitions_name_their_subject() {
        for (text, expected) in [
            ("A heat pump is a device that moves heat.", true),
            ("Pumps are old. A heat pump is a device that moves heat.", true),
            ("Eine Wärmepumpe ist eine Maschine, die Wärme bewegt.", true),
            ("The mayor is a friend of the fitters.", false),
            ("What a heat pump needs is a warm day.", false),
            ("This is a page about pumps.", false),
            ("There is a heat pump in the hills.", false),
            ("We build heat pumps.", false),
        ] {
            let title = "heat pump, wärmepumpe";
            let names = words::spaced(title).collect();
            assert_eq!(defines(text, title, &names).is_some(), expected, "{text}");
        }
    }

    #[test]
    fn leaning_paragraphs_are_seen() {
        for (text, expected) in [
            ("This means", true),
            ("It’s so", true),
            ("Thistles grow", false),
            ("Diese Pumpe", true),
            ("The pump", false),
        ] {
            assert_eq!(leans_back(text), expected, "{text}");
        }
    }
}
