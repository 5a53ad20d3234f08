//! The reader: blocks, links, candidates, stance, class.
//!
//! Deterministic and without a judge. Everything here is hostile input: no text, however odd, makes it fail.

mod blocks;
mod candidates;
mod cues;
mod fold;
mod hosts;
mod links;
mod names;

use super::{Answer, AnswerClass, Entity, Flag, LinkKind, Quote, Reading, Stance, Target};
use blocks::Block;
use candidates::{Candidate, Page, candidates};
use fold::{Folded, squash};
use ibid_model::result::{Breakdown, CompetitorKind};
use ibid_model::{Domain, Prominence, Score};
use ibid_provider::Finish;
use links::Link;
use names::Names;
use std::ops::Range;

/// Bytes of an answer that are read.
const MOST_BYTES: usize = 256 << 10;
/// Quotes returned.
const MOST_QUOTES: usize = 8;
/// Bytes of a quote, about.
const QUOTE_BYTES: usize = 280;

/// Reads one answer.
#[must_use]
pub fn read(target: &Target, answer: &Answer<'_>) -> Reading {
    let text = bounded(answer.text, MOST_BYTES);
    let code = blocks::code_spans(text);
    let skip = |at: usize| code.iter().any(|span| span.contains(&at));
    let blocks = blocks::blocks(text, skip);
    let links = links::links(text, skip);
    let sources = links::sources(answer.citations);
    let question = answer.question.map(squash).unwrap_or_default();
    let names = Names::of(target);
    let page = Page {
        text,
        blocks: &blocks,
        links: &links,
        target: &names,
        question: &question,
    };
    let sequence = candidates(&page);
    let evidence = Evidence::find(&page, &sources, skip);
    let answer_class = answer_class(text, answer.finish, &sequence);
    let mut reading = Reader {
        page,
        sequence,
        sources,
        evidence,
        answer_class,
    }
    .reading();
    if answer.finish == Finish::Truncated {
        reading.flags.push(Flag::Truncated);
    }
    reading
}

/// The start of a text, whole characters only.
fn bounded(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

fn answer_class(text: &str, finish: Finish, sequence: &[Candidate]) -> AnswerClass {
    let trimmed = text.trim();
    if finish == Finish::Refused {
        return AnswerClass::Refusal;
    }
    if trimmed.is_empty() {
        return AnswerClass::Empty;
    }
    let start = bounded(trimmed, 16).to_lowercase();
    if start.starts_with("<!doctype") || start.starts_with("<html") {
        return AnswerClass::Error;
    }
    if !sequence.is_empty() {
        return AnswerClass::Answer;
    }
    let lower = bounded(trimmed, 1_500).to_lowercase();
    if cues::CLARIFY.in_clause(&lower) && lower.trim_end().ends_with(['?', '？', '.', '。']) {
        return AnswerClass::Clarification;
    }
    if cues::REFUSAL.in_clause(bounded(&lower, 400)) {
        AnswerClass::Refusal
    } else {
        AnswerClass::Answer
    }
}

/// Where the answer shows the target.
struct Evidence {
    /// Where the visible text names it: first and last letter.
    names: Vec<(usize, usize)>,
    /// Visible links to it.
    links: Vec<(Range<usize>, LinkKind, String)>,
    /// The first source that leads to it.
    source: Option<String>,
}

impl Evidence {
    fn find(page: &Page<'_>, sources: &[Link], skip: impl Fn(usize) -> bool) -> Self {
        // Addresses are links, not names: "example.com" in a URL does not name Example.
        let in_address = |at: usize| {
            let inside = |link: &&Link| {
                link.span.contains(&at) && !link.anchor.as_ref().is_some_and(|anchor| anchor.contains(&at))
            };
            page.links.iter().find(inside).is_some()
        };
        let folded = Folded::new(page.text, |at| skip(at) || in_address(at));
        let mut names: Vec<_> = page
            .target
            .squashed()
            .iter()
            .flat_map(|name| folded.find(name))
            .collect();
        names.sort_unstable();
        let own = |link: &&Link| page.target.domain().covers(&link.host);
        let links = page
            .links
            .iter()
            .filter(own)
            .map(|link| (link.span.clone(), link.kind, link.url.clone()))
            .collect();
        Self {
            names,
            links,
            source: sources.iter().find(own).map(|link| link.url.clone()),
        }
    }

    /// The visible places, names before links.
    fn places(&self) -> impl Iterator<Item = usize> + '_ {
        self.names
            .iter()
            .map(|(first, _)| *first)
            .chain(self.links.iter().map(|(span, _, _)| span.start))
    }
}

/// Everything known about an answer, on the way to a reading.
struct Reader<'a> {
    page: Page<'a>,
    sequence: Vec<Candidate>,
    sources: Vec<Link>,
    evidence: Evidence,
    answer_class: AnswerClass,
}

impl Reader<'_> {
    fn reading(&self) -> Reading {
        let (stance, top) = self.stance();
        let position = self.sequence.iter().position(|candidate| candidate.is_self);
        let rank = position
            .map(|at| u32::try_from(at + 1).unwrap_or(u32::MAX))
            .filter(|_| stance != Stance::Discouraged);
        let class = self.class(stance, rank, top);
        let rank = rank.filter(|_| matches!(class, Prominence::Primary | Prominence::Secondary));
        let mut reading = Reading::blank(self.answer_class);
        reading.named_in_text = !self.evidence.names.is_empty();
        reading.link_kind = self.link_kind();
        reading.url = self
            .evidence
            .links
            .first()
            .map(|(_, _, url)| url.clone())
            .or_else(|| self.evidence.source.clone());
        reading.informative = self.answer_class == AnswerClass::Answer
            && (class != Prominence::None
                || self
                    .sequence
                    .iter()
                    .any(|found| found.kind == CompetitorKind::Rival));
        reading.entities = self.entities(rank, stance);
        reading.class = class;
        reading.rank = rank;
        if class != Prominence::None {
            reading.stance = stance;
            reading.quotes = self.quotes();
            reading.breakdown = breakdown(class, stance, rank, reading.link_kind, self.share());
            reading.score = Score::new(reading.points());
        }
        reading
    }

    /// The block around a place in the text.
    fn block_at(&self, at: usize) -> Option<&Block> {
        self.page.blocks.iter().find(|block| block.span.contains(&at))
    }

    /// Stance over all clauses that show the target, and whether one of them makes it the top choice.
    fn stance(&self) -> (Stance, bool) {
        let (mut discouraged, mut shown, mut top) = (0, 0, false);
        for at in self.evidence.places() {
            let clause = self
                .block_at(at)
                .and_then(|block| self.page.text.get(block.span.clone()));
            let Some(clause) = clause else { continue };
            let lower = clause.to_lowercase();
            if cues::ABSENT.in_clause(&lower) {
                continue;
            }
            shown += 1;
            if cues::DISCOURAGED.in_clause(&lower) && !cues::PRAISE.in_clause(&lower) {
                discouraged += 1;
            } else if cues::TOP.in_clause(&lower) {
                top = true;
            }
        }
        let put_forward = self.sequence.iter().any(|candidate| candidate.is_self);
        match (shown, discouraged) {
            (0, _) if self.evidence.source.is_some() => (Stance::Neutral, false),
            (0, _) => (Stance::Absent, false),
            (_, 1..) if !top => (Stance::Discouraged, false),
            _ if put_forward => (Stance::Recommended, top),
            _ => (Stance::Neutral, false),
        }
    }

    fn class(&self, stance: Stance, rank: Option<u32>, top: bool) -> Prominence {
        if self.answer_class != AnswerClass::Answer {
            return Prominence::None;
        }
        match (stance, rank) {
            (Stance::Absent, _) => Prominence::None,
            (Stance::Discouraged | Stance::Neutral, _) | (Stance::Recommended, None) => Prominence::Mentioned,
            (Stance::Recommended, Some(1)) => Prominence::Primary,
            (Stance::Recommended, Some(_)) if top => Prominence::Primary,
            (Stance::Recommended, Some(_)) => Prominence::Secondary,
        }
    }

    fn link_kind(&self) -> LinkKind {
        let visible = self.evidence.links.iter().map(|(_, kind, _)| *kind).max();
        let beside = self.evidence.source.as_ref().map(|_| LinkKind::Annotation);
        visible.or(beside).unwrap_or(LinkKind::None)
    }

    /// Position-adjusted share of the words (Aggarwal et al., GEO, KDD 2024), over blocks that name a candidate.
    fn share(&self) -> f64 {
        let total = self.page.blocks.len();
        let weight = |index: usize| {
            let text = self
                .page
                .blocks
                .get(index)
                .and_then(|block| self.page.text.get(block.span.clone()));
            // Scripts without blanks have about one word in a dozen bytes.
            let words = text.map_or(0, |text| text.split_whitespace().count().max(text.len() / 12));
            let decay = if total > 1 {
                (-(index as f64) / (total - 1) as f64).exp()
            } else {
                1.0
            };
            words as f64 * decay
        };
        let sum = |mut blocks: Vec<usize>| {
            blocks.sort_unstable();
            blocks.dedup();
            blocks.into_iter().map(weight).sum::<f64>()
        };
        let index_at = |at: usize| self.page.blocks.iter().position(|block| block.span.contains(&at));
        let own = sum(self.evidence.places().filter_map(index_at).collect());
        let all = sum(self
            .sequence
            .iter()
            .flat_map(|candidate| candidate.blocks.iter().copied())
            .collect());
        if all > 0.0 { (own / all).min(1.0) } else { 0.0 }
    }

    fn quotes(&self) -> Vec<Quote> {
        let mut spans: Vec<Range<usize>> = Vec::new();
        for at in self.evidence.places() {
            let Some(span) = self.block_at(at).map(|block| block.span.clone()) else {
                continue;
            };
            let end =
                span.start + bounded(self.page.text.get(span.clone()).unwrap_or_default(), QUOTE_BYTES).len();
            if end > span.start && !spans.iter().any(|known| known.start == span.start) {
                spans.push(span.start..end);
            }
        }
        spans.sort_unstable_by_key(|span| span.start);
        spans.truncate(MOST_QUOTES);
        spans.into_iter().filter_map(|span| self.quote(&span)).collect()
    }

    /// A passage, its place counted in characters.
    fn quote(&self, span: &Range<usize>) -> Option<Quote> {
        let count = |text: &str| u32::try_from(text.chars().count()).ok();
        let text = self.page.text.get(span.clone())?;
        let start = count(self.page.text.get(..span.start)?)?;
        Some(Quote {
            text: text.to_owned(),
            start,
            end: start + count(text)?,
        })
    }

    fn entities(&self, own_rank: Option<u32>, own_stance: Stance) -> Vec<Entity> {
        let entity = |(at, candidate): (usize, &Candidate)| Entity {
            name: candidate.name.clone(),
            domain: candidate
                .host
                .as_deref()
                .and_then(|host| host.parse::<Domain>().ok()),
            kind: candidate.kind,
            is_self: candidate.is_self,
            rank: if candidate.is_self {
                own_rank
            } else {
                u32::try_from(at + 1).ok()
            },
            stance: if candidate.is_self {
                own_stance
            } else {
                Stance::Recommended
            },
            linked: candidate.host.is_some(),
        };
        let mut entities: Vec<Entity> = self.sequence.iter().enumerate().map(entity).collect();
        for source in &self.sources {
            let host = links::registrable(&source.host);
            let own = self.page.target.domain().covers(&source.host);
            let kind = if own {
                CompetitorKind::Rival
            } else {
                hosts::kind_of(host)
            };
            let same = |entity: &Entity| {
                entity
                    .domain
                    .as_ref()
                    .is_some_and(|domain| domain.as_str() == host)
            };
            let known = entities
                .iter()
                .any(|entity| same(entity) || (own && entity.is_self));
            // A source is no rival: only directories, media and the target itself are listed for it.
            if !known && (own || kind != CompetitorKind::Rival) {
                let domain = host.parse::<Domain>().ok();
                let stance = Stance::Neutral;
                entities.push(Entity {
                    name: host.to_owned(),
                    domain,
                    kind,
                    is_self: own,
                    rank: None,
                    stance,
                    linked: true,
                });
            }
        }
        entities
    }
}

/// Points by class, rank, link and share of the words; docs/METHOD.md has the formula.
fn breakdown(class: Prominence, stance: Stance, rank: Option<u32>, link: LinkKind, share: f64) -> Breakdown {
    let base = match class {
        Prominence::Primary => 70.0,
        Prominence::Secondary => 40.0,
        Prominence::Mentioned => 15.0,
        Prominence::None => return Breakdown::default(),
    };
    // A secondary counts as second at best, so that the classes never overlap.
    let rank = rank.map(|rank| {
        if class == Prominence::Secondary {
            rank.max(2)
        } else {
            rank
        }
    });
    let link = match link {
        LinkKind::Markdown | LinkKind::Url | LinkKind::Host => 10.0,
        LinkKind::Annotation => 5.0,
        LinkKind::None => 0.0,
    };
    let round = |value: f64| (value * 100.0).round() / 100.0;
    let rank = rank.map_or(0.0, |rank| round(15.0 / f64::from(rank + 1).log2()));
    Breakdown {
        base,
        rank,
        link,
        share: round(5.0 * share),
        cap: (stance == Stance::Discouraged).then_some(10.0),
    }
}

#[cfg(test)]
mod tests;
