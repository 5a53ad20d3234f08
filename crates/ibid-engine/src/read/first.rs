//! A first reading: list items in order, names by containment. Replaced step by step.

use super::{Answer, AnswerClass, Entity, LinkKind, Quote, Reading, Stance, Target};
use ibid_model::result::{Breakdown, CompetitorKind};
use ibid_model::{Prominence, Score};

/// Reads one answer.
#[must_use]
pub fn read(target: &Target, answer: &Answer<'_>) -> Reading {
    if answer.text.trim().is_empty() {
        return Reading::blank(AnswerClass::Empty);
    }
    let mut reading = Reading::blank(AnswerClass::Answer);
    for line in answer.text.lines() {
        let start = line.trim_start();
        let item = start.strip_prefix("- ").or_else(|| {
            start
                .split_once(". ")
                .filter(|(n, _)| n.parse::<u8>().is_ok())
                .map(|(_, rest)| rest)
        });
        let is_self = target.is_named_in(line);
        if is_self {
            reading.named_in_text = true;
            reading.quotes.push(Quote {
                text: line.to_owned(),
                start: 0,
                end: 0,
            });
            if line.contains(target.domain().as_str()) {
                reading.link_kind = LinkKind::Host;
            }
        }
        if let Some(item) = item {
            let name = item
                .split([':', '(', '–'])
                .next()
                .unwrap_or_default()
                .replace('*', "");
            let rank = reading.entities.len() as u32 + 1;
            reading.entities.push(Entity {
                name: name.trim().to_owned(),
                domain: None,
                kind: CompetitorKind::Rival,
                is_self,
                rank: Some(rank),
                stance: Stance::Recommended,
                linked: false,
            });
            if is_self && reading.rank.is_none() {
                reading.rank = Some(rank);
            }
        }
    }
    reading.link_kind = reading.link_kind.max(
        if answer
            .citations
            .iter()
            .any(|c| c.url.contains(target.domain().as_str()))
        {
            LinkKind::Annotation
        } else {
            LinkKind::None
        },
    );
    reading.class = match reading.rank {
        Some(1) => Prominence::Primary,
        Some(_) => Prominence::Secondary,
        None if reading.named_in_text || reading.linked() => Prominence::Mentioned,
        None => Prominence::None,
    };
    reading.informative = !reading.entities.is_empty();
    if reading.cited() {
        reading.stance = Stance::Recommended;
        let base = match reading.class {
            Prominence::Primary => 70.0,
            Prominence::Secondary => 40.0,
            Prominence::Mentioned => 15.0,
            Prominence::None => 0.0,
        };
        let rank = reading
            .rank
            .map_or(0.0, |rank| 15.0 / (f64::from(rank) + 1.0).log2());
        let link = match reading.link_kind {
            LinkKind::None => 0.0,
            LinkKind::Annotation => 5.0,
            LinkKind::Host | LinkKind::Url | LinkKind::Markdown => 10.0,
        };
        reading.breakdown = Breakdown {
            base,
            rank,
            link,
            share: 0.0,
            cap: None,
        };
        reading.score = Score::new(reading.points());
    }
    reading
}
