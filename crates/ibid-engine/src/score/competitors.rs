//! The competitor table over all answers, without a judge.

use super::Sample;
use super::interval::{self, Scored};
use super::statistics::{RESAMPLES, resample};
use crate::read::{self, Target};
use ibid_model::result::{Competitor, CompetitorKind, RankInterval};
use ibid_model::{Domain, Interval, ModelAlias, Ring};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Rows returned of each kind.
const MOST_ROWS: usize = 50;
/// Products shown in a row.
const MOST_PRODUCTS: usize = 10;
/// Competitors whose rank gets an interval.
const RANKED: usize = 20;
/// With fewer questions a rank interval would only repeat the rank.
const FEWEST_QUESTIONS: usize = 3;

/// What a competitor table needs beside the samples.
#[derive(Clone, Copy, Debug)]
pub struct CompetitorTable<'a> {
    /// The target, whose row is in the table.
    pub target: &'a Target,
    /// The models by position.
    pub models: &'a [ModelAlias],
    /// Seed of the bootstrap.
    pub seed: u64,
}

/// One competitor over all answers.
#[derive(Default)]
struct Row {
    names: BTreeMap<String, usize>,
    products: BTreeMap<String, usize>,
    domains: BTreeMap<Domain, usize>,
    /// Mentions by kind, in the order of [`CompetitorKind`].
    kinds: [usize; 3],
    is_self: bool,
    /// Answer index and 1/log2(rank+1), 0 for an unranked mention.
    seen: Vec<(usize, f64)>,
    ranks: Vec<u32>,
    linked: usize,
    models: BTreeSet<usize>,
    rings: BTreeSet<Ring>,
}

/// The competitor table: businesses by visibility, then directories, then media.
/// The target always has a row.
#[must_use]
pub fn competitors(samples: &[Sample<'_>], table: &CompetitorTable<'_>) -> Vec<Competitor> {
    let informative: Vec<&Sample<'_>> = samples
        .iter()
        .filter(|sample| sample.reading.informative)
        .collect();
    let weights = weights(&informative, table.models.len());
    let mut rows: Vec<(f64, Row)> = merge(collect(&informative))
        .into_iter()
        .map(|row| (visibility(&row, &weights), row))
        .collect();
    if !rows.iter().any(|(_, row)| row.is_self) {
        let own = Row {
            is_self: true,
            ..Row::default()
        };
        rows.push((0.0, own));
    }
    rows.sort_by(|(a, x), (b, y)| {
        let by_answers = || y.seen.len().cmp(&x.seen.len());
        b.total_cmp(a)
            .then_with(by_answers)
            .then_with(|| x.name(table.target).cmp(&y.name(table.target)))
    });
    let intervals = rank_intervals(&rows, &informative, &weights, table.seed);
    let total: f64 = rows
        .iter()
        .filter(|(_, row)| row.kind() == CompetitorKind::Rival)
        .map(|(v, _)| v)
        .sum();
    let sums = Sums {
        informative: &informative,
        total,
        table,
    };
    let mut found = Vec::new();
    for wanted in [
        CompetitorKind::Rival,
        CompetitorKind::Directory,
        CompetitorKind::Media,
    ] {
        let of_kind = rows
            .iter()
            .zip(&intervals)
            .filter(|((_, row), _)| row.kind() == wanted);
        for (rank, ((v, row), interval)) in (1_u32..).zip(of_kind) {
            if rank as usize <= MOST_ROWS || row.is_self {
                found.push(Competitor {
                    rank,
                    rank_interval: *interval,
                    ..sums.competitor(row, *v)
                });
            }
        }
    }
    found
}

/// Every competitor of every answer under its own key.
fn collect(samples: &[&Sample<'_>]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut by_key: HashMap<String, usize> = HashMap::new();
    // Answers repeat the same names: one spelling with one website has the same keys every time.
    let mut by_spelling: BTreeMap<(&str, Option<&Domain>, bool), usize> = BTreeMap::new();
    for (answer, sample) in samples.iter().enumerate() {
        for competitor in &sample.reading.competitors {
            let spelling = (
                competitor.name.as_str(),
                competitor.domain.as_ref(),
                competitor.is_self,
            );
            let index = *by_spelling.entry(spelling).or_insert_with(|| {
                let keys = match competitor.is_self {
                    true => vec!["self".to_owned()],
                    false => keys(&competitor.name, competitor.domain.as_ref()),
                };
                let known = keys.iter().find_map(|key| by_key.get(key)).copied();
                let index = known.unwrap_or_else(|| {
                    rows.push(Row::default());
                    rows.len() - 1
                });
                for key in keys {
                    by_key.entry(key).or_insert(index);
                }
                index
            });
            if let Some(row) = rows.get_mut(index) {
                row.note(answer, sample, competitor);
            }
        }
    }
    rows
}

/// Counts one more, and copies it only when it is new.
pub(crate) fn count<T: Ord + Clone>(counts: &mut BTreeMap<T, usize>, one: &T) {
    match counts.get_mut(one) {
        Some(known) => *known += 1,
        None => {
            counts.insert(one.clone(), 1);
        }
    }
}

fn add<T: Ord>(counts: &mut BTreeMap<T, usize>, others: BTreeMap<T, usize>) {
    for (one, count) in others {
        *counts.entry(one).or_default() += count;
    }
}

/// The most frequent names of the answers, at most [`MOST_PRODUCTS`].
fn most_named(counts: &BTreeMap<String, usize>) -> Vec<String> {
    let mut names: Vec<(&String, usize)> = counts.iter().map(|(name, count)| (name, *count)).collect();
    names.sort_by_key(|(_, count)| Reverse(*count));
    names
        .into_iter()
        .take(MOST_PRODUCTS)
        .map(|(name, _)| name.clone())
        .collect()
}

/// Keys that mentions share if they mean one competitor: the name, the website, or the label of one that is the other.
pub(crate) fn keys(name: &str, domain: Option<&Domain>) -> Vec<String> {
    // A name that is a host is replaced by its label: "rival.com" is Rival.
    let host = name.parse::<Domain>().ok().map(|host| host.to_unicode());
    let name = host
        .as_deref()
        .and_then(|host| host.split('.').next())
        .unwrap_or(name);
    let mut keys = vec![format!("n:{}", squashed(name))];
    if let Some(domain) = domain {
        keys.push(format!("d:{domain}"));
        let host = domain.to_unicode();
        let label = host.split('.').next().unwrap_or_default();
        keys.push(format!("n:{}", squashed(label)));
    }
    keys
}

/// Folds a name's words like [`squashed`].
fn words(name: &str) -> String {
    name.split_whitespace()
        .map(squashed)
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Letters and digits, lower case, without accents on Latin letters.
pub(crate) fn squashed(name: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    name.nfkd()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

impl Row {
    fn note(&mut self, answer: usize, sample: &Sample<'_>, competitor: &read::NamedCompetitor) {
        count(&mut self.names, &competitor.name);
        for product in &competitor.products {
            count(&mut self.products, product);
        }
        if let Some(domain) = &competitor.domain {
            count(&mut self.domains, domain);
        }
        self.kinds[competitor.kind as usize] += 1;
        self.is_self |= competitor.is_self;
        let value = competitor
            .rank
            .map_or(0.0, |rank| 1.0 / (f64::from(rank) + 1.0).log2());
        match self.seen.last_mut() {
            Some((last, best)) if *last == answer => *best = best.max(value),
            _ => {
                self.seen.push((answer, value));
                // For the target the reading decides, which knows every kind of link.
                let linked = competitor.linked || competitor.is_self && sample.reading.linked();
                self.linked += usize::from(linked);
                self.ranks.extend(competitor.rank);
            }
        }
        self.models.insert(sample.model);
        self.rings.extend(sample.ring);
    }
}

/// Joins "Short" with "Short Long" when no third name shares the start.
fn merge(rows: Vec<Row>) -> Vec<Row> {
    let head = |row: &Row| {
        row.names
            .iter()
            .max_by_key(|(_, count)| **count)
            .map(|(name, _)| words(name))
            .unwrap_or_default()
    };
    let names: Vec<String> = rows.iter().map(head).collect();
    let mut into: Vec<usize> = (0..rows.len()).collect();
    for (short, name) in names.iter().enumerate() {
        if name.chars().count() < 4 {
            continue;
        }
        let start = format!("{name} ");
        let longer: Vec<usize> = names
            .iter()
            .enumerate()
            .filter(|(_, other)| other.starts_with(&start))
            .map(|(i, _)| i)
            .collect();
        if let [long] = longer.as_slice() {
            let apart = rows.get(short).zip(rows.get(*long)).is_some_and(|(a, b)| {
                a.is_self != b.is_self
                    || (!a.domains.is_empty()
                        && !b.domains.is_empty()
                        && a.domains.keys().all(|d| !b.domains.contains_key(d)))
            });
            if let Some(target) = into.get_mut(short).filter(|_| !apart) {
                *target = *long;
            }
        }
    }
    let mut merged: BTreeMap<usize, Row> = BTreeMap::new();
    for (index, row) in rows.into_iter().enumerate() {
        let mut root = index;
        while let Some(next) = into.get(root).copied().filter(|next| *next != root) {
            root = next;
        }
        merged.entry(root).or_default().absorb(row);
    }
    merged.into_values().collect()
}

impl Row {
    fn absorb(&mut self, other: Self) {
        add(&mut self.names, other.names);
        add(&mut self.products, other.products);
        add(&mut self.domains, other.domains);
        for (mine, theirs) in self.kinds.iter_mut().zip(other.kinds) {
            *mine += theirs;
        }
        self.is_self |= other.is_self;
        for (answer, value) in other.seen {
            match self.seen.iter_mut().find(|(known, _)| *known == answer) {
                Some((_, best)) => *best = best.max(value),
                None => self.seen.push((answer, value)),
            }
        }
        self.ranks.extend(other.ranks);
        self.linked += other.linked;
        self.models.extend(other.models);
        self.rings.extend(other.rings);
    }
}

/// Weighs each answer: models weigh the same, however many answers they have.
fn weights(samples: &[&Sample<'_>], models: usize) -> Vec<f64> {
    let mut counts = vec![0_usize; models.max(1)];
    for sample in samples {
        if let Some(count) = counts.get_mut(sample.model) {
            *count += 1;
        }
    }
    let with_answers = counts.iter().filter(|count| **count > 0).count().max(1) as f64;
    samples
        .iter()
        .map(|sample| 1.0 / (counts.get(sample.model).copied().unwrap_or(1).max(1) as f64 * with_answers))
        .collect()
}

/// V = Σ weight · 1/log2(rank+1): 1 when always first, 0 when never named.
fn visibility(row: &Row, weights: &[f64]) -> f64 {
    row.seen
        .iter()
        .map(|(answer, value)| value * weights.get(*answer).copied().unwrap_or_default())
        .sum()
}

/// Bootstrap over questions: the change in the rank of a competitor with other questions.
fn rank_intervals(
    rows: &[(f64, Row)],
    samples: &[&Sample<'_>],
    weights: &[f64],
    seed: u64,
) -> Vec<Option<RankInterval>> {
    let mut questions: Vec<usize> = samples.iter().map(|sample| sample.question).collect();
    questions.sort_unstable();
    questions.dedup();
    let competitors: Vec<usize> = rows
        .iter()
        .enumerate()
        .filter(|(_, (_, row))| row.kind() == CompetitorKind::Rival)
        .map(|(at, _)| at)
        .collect();
    let competitors = competitors.get(..RANKED).unwrap_or(&competitors);
    let mut intervals = vec![None; rows.len()];
    if questions.len() < FEWEST_QUESTIONS {
        return intervals;
    }
    // points[question][competitor]: what the question adds to the competitor's visibility.
    let mut points = vec![vec![0.0; competitors.len()]; questions.len()];
    for (column, index) in competitors.iter().enumerate() {
        for (answer, value) in rows.get(*index).map_or(&[][..], |(_, row)| &row.seen) {
            let question = samples
                .get(*answer)
                .and_then(|sample| questions.binary_search(&sample.question).ok());
            let cell = question
                .and_then(|at| points.get_mut(at))
                .and_then(|row| row.get_mut(column));
            if let Some(cell) = cell {
                *cell += value * weights.get(*answer).copied().unwrap_or_default();
            }
        }
    }
    // How often each competitor came in first, second, ….
    let mut often = vec![[0_u32; RANKED]; competitors.len()];
    let mut sums = vec![0.0; competitors.len()];
    resample(questions.len(), RESAMPLES / 4, seed, |times| {
        sums.fill(0.0);
        for (often, row) in times.iter().zip(&points).filter(|(often, _)| **often > 0) {
            sums.iter_mut()
                .zip(row)
                .for_each(|(sum, point)| *sum += point * f64::from(*often));
        }
        for (mine, often) in sums.iter().zip(&mut often) {
            let better = sums.iter().map(|other| usize::from(other > mine)).sum::<usize>();
            if let Some(often) = often.get_mut(better) {
                *often += 1;
            }
        }
    });
    for (index, often) in competitors.iter().zip(&often) {
        let at = |q: f64| {
            let place = (f64::from(RESAMPLES / 4 - 1) * q).round() as u32;
            let mut up_to = 0;
            let rank = often.iter().position(|count| {
                up_to += count;
                up_to > place
            });
            rank.map(|rank| 1 + rank as u32)
        };
        if let (Some(slot), Some(low), Some(high)) = (intervals.get_mut(*index), at(0.025), at(0.975)) {
            *slot = Some(RankInterval { low, high });
        }
    }
    intervals
}

/// The totals that every row of a table is measured against.
struct Sums<'a> {
    informative: &'a [&'a Sample<'a>],
    /// Visibility of all competitors together.
    total: f64,
    table: &'a CompetitorTable<'a>,
}

impl Sums<'_> {
    /// A row, but for its rank.
    fn competitor(&self, row: &Row, v: f64) -> Competitor {
        let (n, seen) = (self.informative.len() as f64, row.seen.len() as f64);
        let name = row.name(self.table.target);
        let round = |value: f64, by: f64| (value * by).round() / by;
        let rate = |part: f64, of: f64| {
            if of > 0.0 {
                round((part / of).min(1.0), 10_000.0)
            } else {
                0.0
            }
        };
        let own = row.is_self.then(|| self.table.target.domain().clone());
        Competitor {
            rank: 0,
            rank_interval: None,
            aliases: row
                .names
                .keys()
                .filter(|alias| **alias != name)
                .cloned()
                .collect(),
            products: most_named(&row.products),
            name,
            domain: own.or_else(|| {
                row.domains
                    .iter()
                    .max_by_key(|(_, count)| **count)
                    .map(|(domain, _)| domain.clone())
            }),
            kind: row.kind(),
            is_self: row.is_self,
            score: round(v * 100.0, 10.0),
            share: if row.kind() == CompetitorKind::Rival {
                rate(v, self.total)
            } else {
                0.0
            },
            appearance_rate: rate(seen, n),
            interval: self.appearance_interval(&row.seen),
            mean_rank: mean(&row.ranks).map(|rank| round(rank, 100.0)),
            linked_rate: rate(row.linked as f64, seen),
            models: row
                .models
                .iter()
                .filter_map(|model| self.table.models.get(*model).cloned())
                .collect(),
            rings: row.rings.iter().copied().collect(),
            weak: row.seen.len() == 1,
        }
    }

    /// How often answers name a competitor, as a range.
    fn appearance_interval(&self, seen: &[(usize, f64)]) -> Option<Interval> {
        let answers = self.informative.iter().enumerate().map(|(at, sample)| Scored {
            model: sample.model,
            question: sample.question,
            score: f64::from(u8::from(seen.iter().any(|(answer, _)| *answer == at))),
        });
        let range = interval::of_rate(&answers.collect::<Vec<_>>())?;
        Some(Interval::of_rates(range.low, range.high, range.low_precision))
    }
}

fn mean(ranks: &[u32]) -> Option<f64> {
    (!ranks.is_empty()).then(|| ranks.iter().copied().map(f64::from).sum::<f64>() / ranks.len() as f64)
}

impl Row {
    /// The most frequent kind of the mentions; the target is a competitor like any other.
    fn kind(&self) -> CompetitorKind {
        let [competitor, directory, media] = self.kinds;
        if self.is_self || (competitor >= directory && competitor >= media) {
            CompetitorKind::Rival
        } else if directory >= media {
            CompetitorKind::Directory
        } else {
            CompetitorKind::Media
        }
    }

    /// The most frequent spelling, then the first in the alphabet.
    /// A name goes before a bare host.
    fn name(&self, target: &Target) -> String {
        let is_name = |name: &str| name.contains(' ') || !name.contains('.');
        let most = self
            .names
            .iter()
            .max_by(|(a, x), (b, y)| is_name(a).cmp(&is_name(b)).then(x.cmp(y)).then_with(|| b.cmp(a)));
        most.map_or_else(|| target.domain().to_unicode(), |(name, _)| name.clone())
    }
}

#[cfg(test)]
mod tests;
