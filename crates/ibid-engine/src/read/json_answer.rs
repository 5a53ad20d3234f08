//! Answers that are JSON: names in order, and their websites.

use super::candidates::{JsonFound, parse_json, read_json};
use super::competitors;
use super::host;
use super::judge::breakdown;
use super::reading::{AnswerClass, Flag, LinkKind, NamedCompetitor, Quote, Reading, Stance};
use super::text::{Folded, words};
use super::words::{Meaning, language_of, look_up, meaning_as_written};
use super::{Answer, Target};
use ibid_model::result::AnswerForm;
use ibid_model::{Prominence, Score};

/// Reads an answer that contains only JSON; `None` for other answers.
pub(super) fn read(target: &Target, answer: &Answer<'_>) -> Option<Reading> {
    let (value, start) = parse_json(answer.text)?;
    if is_call(&value) {
        return Some(Reading::blank(AnswerClass::Unfinished));
    }
    let names = read_json(&value)?;
    let mut reading = Reading::blank(AnswerClass::Answer);
    reading.form = AnswerForm::List;
    reading.informative = true;
    reading.flags.push(Flag::Json);
    if answer.finish == ibid_model::Finish::Truncated {
        reading.flags.push(Flag::Cut);
    }
    let mut from = start;
    for found in names {
        let address = found.url.as_deref().and_then(host::resolve);
        let own = address.as_ref().is_some_and(|address| target.owns_at(address));
        let host = address.map(|address| address.host);
        let is_self = own || is_target(target, &found.name);
        if is_self
            && let Some(known) = reading
                .competitors
                .iter_mut()
                .find(|competitor| competitor.is_self)
        {
            known.linked |= own;
            continue;
        }
        let at = answer
            .text
            .get(from..)
            .and_then(|rest| rest.find(&found.name))
            .map(|at| from + at);
        if let Some(at) = at {
            from = at + found.name.len();
        }
        if is_self {
            reading.named_in_text |= is_target(target, &found.name);
            reading
                .quotes
                .extend(at.map(|at| quote(answer.text, at, &found.name)));
        }
        reading.competitors.push(competitor(
            target,
            &found,
            host.as_deref(),
            is_self,
            reading.competitors.len(),
        ));
        if own && reading.link_kind == LinkKind::None {
            reading.link_kind = LinkKind::Url;
            reading.url = found.url;
        }
    }
    let beside = answer
        .citations
        .iter()
        .filter_map(|citation| host::resolve(&citation.url))
        .find(|address| target.owns_at(address));
    if let Some(address) = beside.filter(|_| reading.link_kind == LinkKind::None) {
        reading.link_kind = LinkKind::Annotation;
        reading.url = Some(address.url);
    }
    let own = reading
        .competitors
        .iter()
        .find(|competitor| competitor.is_self)
        .and_then(|competitor| competitor.rank);
    reading.rank = own;
    reading.class = match own {
        Some(1) => Prominence::Primary,
        Some(_) => Prominence::Secondary,
        None if reading.linked() => Prominence::Mentioned,
        None => Prominence::None,
    };
    reading.stance = match reading.class {
        Prominence::None => Stance::Absent,
        Prominence::Mentioned => Stance::Neutral,
        Prominence::Secondary | Prominence::Primary => Stance::Recommended,
    };
    let all = reading.competitors.len();
    // Every name gets as many words as the others.
    let share = if own.is_some() {
        1.0 / all.max(1) as f64
    } else {
        0.0
    };
    reading.breakdown = breakdown(
        reading.class,
        reading.rank,
        all as u32,
        reading.link_kind,
        share,
        reading.stance,
    );
    reading.score = Score::new(reading.points());
    reading.flags.sort_unstable();
    Some(reading)
}

fn competitor(
    target: &Target,
    found: &JsonFound,
    host: Option<&str>,
    is_self: bool,
    before: usize,
) -> NamedCompetitor {
    let domain = host.and_then(|host| host.parse().ok());
    NamedCompetitor {
        name: found.name.trim().to_owned(),
        products: Vec::new(),
        linked: domain.is_some(),
        domain: if is_self {
            Some(target.domain().clone())
        } else {
            domain
        },
        kind: competitors::kind(&found.name, host),
        is_self,
        rank: Some(before as u32 + 1),
        stance: Stance::Recommended,
    }
}

/// Whether it is the call of a tool, written out as a text.
fn is_call(value: &serde_json::Value) -> bool {
    let value = value.get(0).unwrap_or(value);
    let has = |names: &[&str]| names.iter().any(|name| value.get(name).is_some());
    has(&["tool_calls", "function_call"])
        || has(&["name", "tool", "function", "action"])
            && has(&["arguments", "parameters", "args", "action_input", "tool_input"])
}

/// Whether a name is the target's: it contains a distinct one, or is one of the target's names apart from
/// function words, trades and legal forms.
fn is_target(target: &Target, name: &str) -> bool {
    let folded = Folded::of(name);
    let padding = |text: &str| {
        words(text).all(|word| {
            let meaning = meaning_as_written(word);
            meaning.is(Meaning::FUNCTION | Meaning::TRADE | Meaning::LEGAL)
        })
    };
    let hits = target.find(name, &folded, language_of(name, &look_up(&folded)));
    hits.iter()
        .any(|hit| hit.distinct || padding(&name[..hit.span.start]) && padding(&name[hit.span.end..]))
}

fn quote(answer: &str, at: usize, name: &str) -> Quote {
    let start = answer[..at].chars().count() as u32;
    Quote {
        text: name.to_owned(),
        start,
        end: start + name.chars().count() as u32,
    }
}
