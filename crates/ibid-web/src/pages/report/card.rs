//! One answer on a page: its text with marked passages, the parts of its score, its sources.

use super::models::class_word;
use crate::answer_text;
use crate::chart::{self, Markup};
use crate::escape::{cut, line};
use crate::evidence::{AnswerReading, AnswerView};
use crate::figure;
use crate::link::WebAddress;
use crate::passage;
use crate::plain_text::plain;
use ibid_model::result::{Breakdown, Decision, ScanResult, Searched};
use ibid_model::{Citation, Domain};
use std::borrow::Cow;

/// Minimum number of words in a passage that is more than a name.
const FEWEST_WORDS: usize = 4;
/// Host of addresses that hide where they lead; the title of such a source names its host.
const HIDING_HOST: &str = "vertexaisearch.cloud.google.com";
/// Maximum number of sources listed below an answer.
const SOURCES: usize = 12;

/// The data that the cards of one page share.
pub(super) struct Context<'a> {
    /// For the names of models.
    pub(super) result: Option<&'a ScanResult>,
    pub(super) domain: &'a Domain,
}

/// One answer.
pub(super) struct Card {
    pub(super) anchor: String,
    /// Whether it is unfolded from the start.
    pub(super) open: bool,
    pub(super) model: String,
    pub(super) place: Option<String>,
    pub(super) class: &'static str,
    pub(super) score: String,
    /// The answer in one line: its first citing passage, its beginning, or the reason of a missing answer.
    pub(super) gist: String,
    /// The question, where the page does not show it above.
    pub(super) asked: Option<String>,
    pub(super) text: Option<Markup>,
    pub(super) language: Option<String>,
    pub(super) missing: String,
    pub(super) parts: Option<Parts>,
    /// The rule that decided in words, how sure it is, and the line that it read.
    pub(super) decided: Option<(String, String)>,
    pub(super) facts: String,
    pub(super) sources: Vec<Source>,
    pub(super) more_sources: usize,
}

pub(super) struct Parts {
    pub(super) bar: Markup,
    pub(super) rows: Vec<Part>,
    pub(super) cap: Option<String>,
}

pub(super) struct Part {
    pub(super) label: &'static str,
    pub(super) points: String,
}

pub(super) struct Source {
    pub(super) href: Option<String>,
    pub(super) label: String,
    pub(super) title: String,
    pub(super) own: bool,
}

impl Card {
    /// Builds a card. `index` makes its anchor; `ask` shows the question.
    pub(super) fn of(context: &Context<'_>, index: usize, answer: &AnswerView, ask: bool) -> Self {
        let reading = answer.reading.as_ref();
        let text = answer.text.as_deref().filter(|text| !text.trim().is_empty());
        let marked = text
            .zip(reading)
            .map(|(text, reading)| passage::find(text, &reading.quotes))
            .unwrap_or_default();
        let missing = answer
            .error
            .clone()
            .unwrap_or_else(|| "The answer was empty.".to_owned());
        let gist = match (text, marked.first()) {
            (Some(text), Some(range)) => cut(&plain(around(text, range)), 140).into_owned(),
            (Some(text), None) => cut(&plain(text.get(..600).unwrap_or(text)), 140).into_owned(),
            (None, _) => cut(&line(&missing), 140).into_owned(),
        };
        Self {
            anchor: format!("a{}", index + 1),
            open: false,
            model: label_of(context, &answer.model),
            place: place_of(answer),
            class: class_word(
                reading
                    .and_then(|reading| reading.class)
                    .filter(|_| text.is_some()),
            ),
            score: reading
                .and_then(|reading| reading.score)
                .filter(|_| text.is_some())
                .map_or_else(|| figure::DASH.to_owned(), figure::decimal),
            gist,
            asked: ask.then(|| answer.question.clone()),
            text: text.map(|text| answer_text::render(text, &marked)),
            language: language_tag(&answer.language),
            missing,
            parts: reading
                .and_then(|reading| reading.breakdown.as_ref())
                .filter(|_| text.is_some())
                .and_then(parts),
            decided: reading.and_then(|reading| reading.decision.as_ref()).map(decided),
            facts: facts(answer, reading),
            sources: answer
                .citations
                .iter()
                .take(SOURCES)
                .map(|source| source_of(context, source))
                .collect(),
            more_sources: answer.citations.len().saturating_sub(SOURCES),
        }
    }
}

fn label_of(context: &Context<'_>, alias: &str) -> String {
    let models = context.result.map_or(&[][..], |result| &result.models);
    models
        .iter()
        .find(|model| model.model.as_str() == alias)
        .map_or_else(|| alias.to_owned(), |model| model.model_label.clone())
}

fn place_of(answer: &AnswerView) -> Option<String> {
    let ring = answer.ring.map(|ring| format!("ring {ring}"));
    match (&answer.market, ring) {
        (Some(market), Some(ring)) => Some(format!("{market}, {ring}")),
        (Some(market), None) => Some(market.clone()),
        (None, ring) => ring,
    }
}

/// Returns the passage, or its whole line where the passage is hardly more than a name.
fn around<'t>(text: &'t str, range: &std::ops::Range<usize>) -> &'t str {
    let passage = text.get(range.clone()).unwrap_or_default();
    if plain(passage).split(' ').count() >= FEWEST_WORDS {
        return passage;
    }
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let end = range.end + after.find('\n').unwrap_or(after.len());
    text.get(start..end).unwrap_or(passage)
}

/// Returns a language tag that is safe in an attribute.
fn language_tag(tag: &str) -> Option<String> {
    let sane =
        !tag.is_empty() && tag.len() <= 35 && tag.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    sane.then(|| tag.to_owned())
}

fn parts(breakdown: &Breakdown) -> Option<Parts> {
    let rows: Vec<_> = [
        ("Class", breakdown.base),
        ("Rank", breakdown.rank),
        ("Link", breakdown.link),
        ("Share of the words", breakdown.share),
    ]
    .into_iter()
    .map(|(label, points)| Part {
        label,
        points: figure::decimal(points),
    })
    .collect();
    (breakdown.base > 0.0).then(|| Parts {
        bar: chart::parts(breakdown),
        rows,
        cap: breakdown.cap.map(|cap| format!("≤\u{a0}{}", figure::short(cap))),
    })
}

/// Says what decided on an answer as "a sentence speaks for it; people agree in 61 of 100 such cases", and shows the line.
fn decided(decision: &Decision) -> (String, String) {
    let sure = decision.sure.map(|sure| 100.0 * f64::from(sure));
    let sure = sure.map_or_else(String::new, |sure| {
        format!("; people agree in {sure:.0} of 100 such cases")
    });
    let rule = format!("{}{sure}", decision.rule);
    (line(&rule), cut(&plain(&decision.passage), 200).into_owned())
}

/// Formats the facts of an answer as "Rank 2 · discouraged · language es · gpt-x".
fn facts(answer: &AnswerView, reading: Option<&AnswerReading>) -> String {
    let mut facts: Vec<String> = Vec::new();
    if let Some(reading) = reading {
        facts.extend(reading.rank.map(|rank| format!("rank {rank}")));
        facts.extend(
            reading
                .stance
                .as_deref()
                .and_then(stance_words)
                .map(str::to_owned),
        );
        facts.extend(reading.answer_class.clone().filter(|class| class != "answer"));
        facts.extend(
            reading
                .flags
                .iter()
                .take(6)
                .map(|flag| flag_words(flag).into_owned()),
        );
    }
    if !answer.template.is_empty() {
        facts.push(format!("intent {}", answer.template));
    }
    if !answer.language.is_empty() {
        facts.push(format!("asked in {}", answer.language));
    }
    facts.extend(match answer.retrieval.searched {
        Searched::Yes => Some("searched the web".to_owned()),
        Searched::No if answer.text.is_some() => Some("from memory".to_owned()),
        Searched::No | Searched::Unknown => None,
    });
    facts.extend(answer.resolved_model.clone());
    let facts: Vec<_> = facts
        .iter()
        .map(|fact| cut(&line(fact), 60).into_owned())
        .collect();
    facts.join(" · ")
}

/// The stance in the words of the glossary, or `None` if the class already shows it.
fn stance_words(stance: &str) -> Option<&str> {
    match stance {
        "discouraged" => Some("advised against"),
        // An answer that recommends or names the website has the class for it.
        "recommended" | "neutral" | "absent" => None,
        other => Some(other),
    }
}

/// Describes an unusual property of an answer.
fn flag_words(flag: &str) -> Cow<'_, str> {
    Cow::Borrowed(match flag {
        "cut" | "truncated" => "the answer breaks off",
        "json" => "written as JSON",
        "reversed_order" => "the list counts down",
        "verdict" => "a verdict at the end changes the order",
        "comparison" => "a comparison without a winner",
        "defunct" => "said to be closed",
        "absence_statement" => "the model says it does not know you",
        "prompt_echo" => "named only where the question is repeated",
        "code_only" => "named only in a code block",
        "foreign_link" => "linked to another website",
        "longerName" => "the name may be that of another party",
        "confusable_host" => "an address imitates yours",
        "redirect_title" => "the site is known from the title of its source",
        "sponsored" => "named in an advertisement, which is no citation",
        "instructions" => "has instructions to software, read as text",
        other => return Cow::Owned(other.replace('_', " ")),
    })
}

fn source_of(context: &Context<'_>, source: &Citation) -> Source {
    let address = WebAddress::parse(&source.url);
    let hidden = address
        .as_ref()
        .is_some_and(|address| address.host() == HIDING_HOST);
    let real: Option<Domain> = source
        .title
        .as_deref()
        .filter(|title| hidden && !title.trim().contains(' '))
        .and_then(|title| title.parse().ok());
    if let Some(site) = real {
        return Source {
            own: context.domain.covers(site.as_str()),
            label: site.to_unicode(),
            href: address.map(|address| address.href().to_owned()),
            title: String::new(),
        };
    }
    Source {
        own: address
            .as_ref()
            .is_some_and(|address| context.domain.covers(address.host())),
        label: address
            .as_ref()
            .map_or_else(|| cut(&line(&source.url), 64).into_owned(), WebAddress::label),
        href: address.map(|address| address.href().to_owned()),
        title: source
            .title
            .as_deref()
            .map_or_else(String::new, |title| cut(&line(title), 100).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Context, around, decided, source_of};
    use ibid_model::Citation;
    use ibid_model::result::Decision;

    #[test]
    fn a_bare_name_is_shown_with_its_line() {
        let text = "Some choices:\n1. **Example** - fast and fair\n2. Other";
        let at = text.find("Example").unwrap();
        assert_eq!(around(text, &(at..at + 7)), "1. **Example** - fast and fair");
        let sentence = text.find("fast").unwrap();
        assert_eq!(around(text, &(at..sentence + 13)), "Example** - fast and fair");
    }

    #[test]
    fn the_rule_that_decided_is_told_with_its_line() {
        let mut decision = Decision {
            rule: "a sentence speaks for it".into(),
            sure: Some(0.61),
            passage: "I recommend **Example** for leaks.".to_owned(),
        };
        let (rule, passage) = decided(&decision);
        assert_eq!(
            rule,
            "a sentence speaks for it; people agree in 61 of 100 such cases"
        );
        assert_eq!(passage, "I recommend Example for leaks.");
        decision.sure = None;
        assert_eq!(decided(&decision).0, "a sentence speaks for it");
    }

    #[test]
    fn a_hidden_source_is_called_by_the_site_in_its_title() {
        let domain = "example.com".parse().unwrap();
        let context = Context {
            result: None,
            domain: &domain,
        };
        let label = |title: &str| {
            let source = Citation {
                url: "https://vertexaisearch.cloud.google.com/grounding-api-redirect/x".to_owned(),
                title: Some(title.to_owned()),
                span: None,
            };
            let source = source_of(&context, &source);
            (source.label, source.own)
        };
        assert_eq!(label("xn--mller-kva.de"), ("müller.de".to_owned(), false));
        assert_eq!(label("shop.example.com"), ("shop.example.com".to_owned(), true));
        assert!(label("Ten best shops").0.starts_with("vertexaisearch"));
    }
}
