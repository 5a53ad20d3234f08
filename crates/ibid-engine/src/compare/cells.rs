//! What two scans can compare: answers by one model to one question, and the markets in a ring.

use ibid_model::result::{AnswerSummary, ModelResult, ScanResult, Stratum};
use ibid_model::{ModelAlias, Prominence, Ring};
use std::collections::{BTreeMap, BTreeSet};

/// What identifies a question. Only hashes have the same meaning in two scans.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Question {
    Hash(String),
    /// In results that have no hashes.
    Id(String),
}

/// Valid answers by one model to one question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    /// Mean score, 0..100.
    pub(super) score: f64,
    /// How many of them cite the target, as a share 0..1.
    pub(super) cited: f64,
    pub(super) answers: u32,
}

pub(super) type Cells = BTreeMap<Question, Cell>;

/// The same cell in both scans. Groups weigh equally.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'a> {
    pub(super) group: usize,
    pub(super) unit: Unit<'a>,
    pub(super) first: Cell,
    pub(super) second: Cell,
}

/// The cells that are flipped and drawn together: all answers to one question, or one market.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unit<'a> {
    Question(&'a str),
    Market(usize),
}

/// One cell of one scan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observation<'a> {
    pub(super) group: usize,
    pub(super) question: &'a Question,
    pub(super) cell: Cell,
}

/// A model of either scan.
pub(super) struct Shared<'a> {
    pub(super) alias: &'a ModelAlias,
    pub(super) label: &'a str,
    pub(super) first_resolved: Option<&'a str>,
    pub(super) second_resolved: Option<&'a str>,
    /// Whether its answers are those of its scan's headline, in each scan.
    pub(super) in_headline: bool,
    /// Whether both scans' own scores for it rest on one stratum.
    pub(super) is_alike: bool,
    /// Its cells; `None` if the scan did not ask it.
    pub(super) first: Option<Cells>,
    pub(super) second: Option<Cells>,
}

impl<'a> Shared<'a> {
    /// Whether both scans asked it.
    pub(super) fn is_in_both(&self) -> bool {
        self.first.is_some() && self.second.is_some()
    }

    /// Whether the alias was served by another concrete model.
    /// Unknown models count as the same.
    pub(super) fn is_changed(&self) -> bool {
        matches!((self.first_resolved, self.second_resolved), (Some(a), Some(b)) if a != b)
    }

    /// Whether it is the same model in both scans.
    pub(super) fn is_same(&self) -> bool {
        self.is_in_both() && !self.is_changed()
    }

    /// Whether the overall difference counts it.
    pub(super) fn is_counted(&self) -> bool {
        self.is_same() && self.in_headline
    }

    /// Its questions that both scans have answers to.
    pub(super) fn pairs(&'a self, group: usize) -> Vec<Pair<'a>> {
        let (Some(first), Some(second)) = (&self.first, &self.second) else {
            return Vec::new();
        };
        let hashed = first.iter().filter_map(|(question, cell)| match question {
            Question::Hash(hash) => Some((hash, cell, second.get(question)?)),
            Question::Id(_) => None,
        });
        let pair = |(hash, first, second): (&'a String, &Cell, &Cell)| Pair {
            group,
            unit: Unit::Question(hash),
            first: *first,
            second: *second,
        };
        hashed.map(pair).collect()
    }
}

pub(super) fn observations(group: usize, cells: &Cells) -> impl Iterator<Item = Observation<'_>> {
    cells.iter().map(move |(question, cell)| Observation {
        group,
        question,
        cell: *cell,
    })
}

/// Every model in either scan, those from the first scan before the others.
pub(super) fn shared<'a>(first: &'a ScanResult, second: &'a ScanResult) -> Vec<Shared<'a>> {
    let find =
        |result: &'a ScanResult, alias: &ModelAlias| result.models.iter().find(|model| model.model == *alias);
    let mut seen = BTreeSet::new();
    let all = first.models.iter().chain(&second.models);
    all.filter(|model| seen.insert(model.model.as_str()))
        .map(|model| {
            let (before, after) = (find(first, &model.model), find(second, &model.model));
            let sides = [(before, first), (after, second)];
            let in_headline = sides.into_iter().all(|(model, scan)| {
                model.is_none_or(|model| is_like(model.retrieval.headline, scan.retrieval.headline))
            });
            Shared {
                in_headline,
                is_alike: before.zip(after).is_none_or(|(before, after)| {
                    is_like(before.retrieval.headline, after.retrieval.headline)
                }),
                alias: &model.model,
                label: &after.unwrap_or(model).model_label,
                first_resolved: before.and_then(|model| model.resolved_model.as_deref()),
                second_resolved: after.and_then(|model| model.resolved_model.as_deref()),
                first: before.map(cells),
                second: after.map(cells),
            }
        })
        .collect()
}

/// Whether two strata are comparable.
/// An unknown one may be the same as any other.
pub(super) fn is_like(first: Stratum, second: Stratum) -> bool {
    !matches!(
        (first, second),
        (Stratum::Searched, Stratum::Memory) | (Stratum::Memory, Stratum::Searched)
    )
}

/// Folds the answers in the model's headline stratum, question by question.
fn cells(model: &ModelResult) -> Cells {
    let mut sums: BTreeMap<Question, Cell> = BTreeMap::new();
    for answer in model.answers_in(model.retrieval.headline) {
        let (Some(class), Some(score)) = (answer.class, answer.score) else {
            continue;
        };
        let sum = sums.entry(question(answer)).or_insert(Cell {
            score: 0.0,
            cited: 0.0,
            answers: 0,
        });
        // A stored result has one decimal; an unstored one must compare the same.
        sum.score += score.rounded();
        sum.cited += f64::from(u8::from(class != Prominence::None));
        sum.answers += 1;
    }
    for cell in sums.values_mut() {
        let n = f64::from(cell.answers);
        (cell.score, cell.cited) = (cell.score / n, cell.cited / n);
    }
    sums
}

fn question(answer: &AnswerSummary) -> Question {
    answer
        .question_hash
        .clone()
        .map_or_else(|| Question::Id(answer.question_id.clone()), Question::Hash)
}

/// The markets with the same questions in both scans; `None` unless both scanned rings.
/// Their scores are over all models, and their questions begin after the core questions.
/// With other models or another number of core questions no market is comparable.
pub(super) fn markets(
    first: &ScanResult,
    second: &ScanResult,
    models: &[Shared<'_>],
) -> Option<Vec<Pair<'static>>> {
    if first.radius.rings.is_empty() || second.radius.rings.is_empty() {
        return None;
    }
    let templates = |result: &ScanResult| result.method.templates.len();
    if !models.iter().all(Shared::is_same) || templates(first) != templates(second) {
        return Some(Vec::new());
    }
    let (first, second) = (market_cells(first), market_cells(second));
    let pairs = first.iter().enumerate();
    let pairs = pairs.filter_map(|(unit, (key, (questions, cell)))| {
        let (other_questions, other) = second.get(key)?;
        (questions == other_questions).then_some(Pair {
            group: 0,
            unit: Unit::Market(unit),
            first: *cell,
            second: *other,
        })
    });
    Some(pairs.collect())
}

/// Every ring's markets with answers, and how many questions each was asked.
fn market_cells(result: &ScanResult) -> BTreeMap<(Ring, &str), (u32, Cell)> {
    let rings = result.radius.rings.iter();
    let markets = rings.flat_map(|ring| ring.markets.iter().map(move |market| (ring.ring, market)));
    markets
        .filter_map(|(ring, market)| {
            let cell = Cell {
                score: market.score?.rounded(),
                cited: market.cited_rate?,
                answers: market.answered,
            };
            Some(((ring, market.id.as_str()), (market.questions, cell)))
        })
        .collect()
}
