//! The measures of the reading on labelled answers.

use crate::case::Case;
use ibid_engine::read::{Answer, Reading, Target, read};
use ibid_model::Prominence;
use ibid_provider::Finish;
use std::collections::BTreeSet;

/// Counts of hits, and every miss.
#[derive(Debug, Default)]
pub(crate) struct Measure {
    true_cited: u32,
    false_cited: u32,
    missed_cited: u32,
    link: Rate,
    class: Rate,
    rank: Rate,
    rank_exact: Rate,
    competitors: Rate,
    traps: Rate,
    pub(crate) misses: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    hits: u32,
    of: u32,
}

impl Rate {
    fn add(&mut self, hit: bool) {
        self.hits += u32::from(hit);
        self.of += 1;
    }

    fn value(self) -> f64 {
        if self.of == 0 {
            1.0
        } else {
            f64::from(self.hits) / f64::from(self.of)
        }
    }
}

impl Measure {
    pub(crate) fn of(cases: &[Case]) -> Self {
        let mut measure = Self::default();
        for case in cases {
            measure.add(case);
        }
        measure
    }

    /// Values in the order of the gates, with the number of observations behind each.
    pub(crate) fn values(&self) -> [(f64, u32); 8] {
        let ratio = |hits: u32, of: u32| {
            if of == 0 {
                1.0
            } else {
                f64::from(hits) / f64::from(of)
            }
        };
        let found = self.true_cited + self.false_cited;
        let there = self.true_cited + self.missed_cited;
        let f1 = ratio(2 * self.true_cited, found + there);
        [
            (ratio(self.true_cited, found), found),
            (ratio(self.true_cited, there), there),
            (f1, there),
            (self.link.value(), self.link.of),
            (self.class.value(), self.class.of),
            (self.rank.value(), self.rank.of),
            (self.competitors.value(), self.competitors.of),
            (self.traps.value(), self.traps.of),
        ]
    }

    pub(crate) fn exact_rank(&self) -> f64 {
        self.rank_exact.value()
    }

    pub(crate) fn languages(&self, cases: &[Case]) -> usize {
        cases.iter().map(Case::language).collect::<BTreeSet<_>>().len()
    }

    fn add(&mut self, case: &Case) {
        let target = Target::new(&case.domain, &case.brands);
        let answer = Answer {
            text: &case.answer,
            citations: &case.citations,
            question: case.question.as_deref(),
            finish: if case.truncated {
                Finish::Truncated
            } else {
                Finish::Complete
            },
        };
        let reading = read(&target, &answer);
        for quote in &reading.quotes {
            assert!(quote.bytes_in(&case.answer).is_some(), "{}: {quote:?}", case.id);
        }
        let mut misses = Vec::new();
        let cited = case.class != Prominence::None;
        match (cited, reading.cited()) {
            (true, true) => self.true_cited += 1,
            (false, true) => self.false_cited += 1,
            (true, false) => self.missed_cited += 1,
            (false, false) => {}
        }
        if cited || reading.cited() {
            self.link.add(reading.link_kind == case.link);
        }
        self.class.add(reading.class == case.class);
        note(&mut misses, "class", reading.class, case.class);
        note(&mut misses, "link", reading.link_kind, case.link);
        note(&mut misses, "kind", reading.answer_class, case.kind);
        if let Some(rank) = case.rank {
            if let (Some(labelled), true) = (rank, reading.class >= Prominence::Secondary) {
                let near = reading
                    .rank
                    .is_some_and(|found| found.abs_diff(labelled) <= u32::from(labelled > 3));
                self.rank.add(near);
                self.rank_exact.add(reading.rank == Some(labelled));
            }
            note(&mut misses, "rank", reading.rank, rank);
        }
        if let Some(stance) = case.stance {
            note(&mut misses, "stance", reading.stance, stance);
        }
        if let Some(informative) = case.informative {
            note(&mut misses, "informative", reading.informative, informative);
        }
        let flags = case.flags.iter().all(|flag| reading.flags.contains(flag));
        if !flags {
            misses.push(format!("flags {:?}, not {:?}", reading.flags, case.flags));
        }
        let found = competitors(case, &reading);
        for (name, found) in &found {
            self.competitors.add(*found);
            if !found {
                misses.push(format!("no {name}"));
            }
        }
        if case.id.starts_with("trap") {
            // A trap is avoided when evidence, class, stance and flags are right.
            let stance = case.stance.is_none_or(|stance| reading.stance == stance);
            let right = reading.class == case.class
                && reading.link_kind == case.link
                && reading.answer_class == case.kind
                && stance
                && flags;
            self.traps.add(right);
        }
        if !misses.is_empty() {
            let names: Vec<String> = reading
                .competitors
                .iter()
                .map(|competitor| {
                    format!(
                        "{}{}{}",
                        competitor.rank.map_or("-".to_owned(), |rank| rank.to_string()),
                        if competitor.is_self { "*" } else { " " },
                        competitor.name
                    )
                })
                .collect();
            self.misses.push(format!(
                "{:<28} {}\n{:32} {names:?} {:?}",
                case.id,
                misses.join("; "),
                "",
                reading.flags
            ));
        }
    }
}

fn note<T: PartialEq + std::fmt::Debug>(misses: &mut Vec<String>, what: &str, found: T, labelled: T) {
    if found != labelled {
        misses.push(format!("{what} {found:?}, not {labelled:?}"));
    }
}

/// The first five labelled competitors, and whether they are among those found.
fn competitors<'a>(case: &'a Case, reading: &Reading) -> Vec<(&'a str, bool)> {
    let fold = |name: &str| {
        name.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    let found: Vec<String> = reading
        .others()
        .map(|competitor| fold(&competitor.name))
        .collect();
    let first = case.rivals.iter().take(5);
    first
        .map(|name| (name.as_str(), found.contains(&fold(name))))
        .collect()
}
