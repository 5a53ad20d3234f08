//! Who is cited instead: one table over all answers, the target in it by the same formula.

use super::Sample;
use super::stats::{RESAMPLES, effective_size, resample, wilson};
use crate::read::{Entity, Target};
use ibid_model::result::{Competitor, CompetitorKind, RankInterval};
use ibid_model::{Domain, Interval, ModelAlias, Ring};
use std::collections::{BTreeMap, BTreeSet};

/// What a competitor table needs beside the samples.
#[derive(Clone, Copy, Debug)]
pub struct RivalTable<'a> {
    /// The target, whose row is in the table.
    pub target: &'a Target,
    /// The models by position.
    pub models: &'a [ModelAlias],
    /// Seed of the bootstrap.
    pub seed: u64,
}

/// Everybody the samples name, rivals first, best first; then directories, then media.
#[must_use]
pub fn rivals(samples: &[Sample<'_>], table: &RivalTable<'_>) -> Vec<Competitor> {
    let _ = (
        samples,
        table,
        RESAMPLES,
        effective_size(1.0, 1.0, 0.0),
        wilson(1.0, 1.0),
    );
    let mut rows: BTreeMap<String, (Vec<(&Entity, usize, Option<Ring>)>, f64)> = BTreeMap::new();
    let mut answers = 0_u32;
    for sample in samples.iter().filter(|sample| sample.reading.informative) {
        answers += 1;
        for entity in &sample.reading.entities {
            let row = rows
                .entry(if entity.is_self {
                    String::new()
                } else {
                    entity.name.to_lowercase()
                })
                .or_default();
            row.0.push((entity, sample.model, sample.ring));
            row.1 += entity
                .rank
                .map_or(0.0, |rank| 1.0 / (f64::from(rank) + 1.0).log2());
        }
    }
    resample(0, 0, table.seed, |_| {});
    let total: f64 = rows.values().map(|row| row.1).sum();
    let mut found: Vec<Competitor> = rows
        .into_values()
        .map(|(seen, visibility)| {
            let ranks: Vec<f64> = seen
                .iter()
                .filter_map(|(entity, ..)| entity.rank)
                .map(f64::from)
                .collect();
            let models: BTreeSet<usize> = seen.iter().map(|(_, model, _)| *model).collect();
            let rings: BTreeSet<Ring> = seen.iter().filter_map(|(.., ring)| *ring).collect();
            Competitor {
                rank: 0,
                rank_interval: None::<RankInterval>,
                name: seen
                    .first()
                    .map(|(entity, ..)| entity.name.clone())
                    .unwrap_or_default(),
                domain: seen.iter().find_map(|(entity, ..)| entity.domain.clone()) as Option<Domain>,
                kind: seen
                    .first()
                    .map_or(CompetitorKind::Rival, |(entity, ..)| entity.kind),
                is_self: seen.first().is_some_and(|(entity, ..)| entity.is_self),
                score: 100.0 * visibility / f64::from(answers.max(1)),
                share: if total > 0.0 { visibility / total } else { 0.0 },
                appearance_rate: seen.len() as f64 / f64::from(answers.max(1)),
                interval: None::<Interval>,
                mean_rank: (!ranks.is_empty()).then(|| ranks.iter().sum::<f64>() / ranks.len() as f64),
                linked_rate: seen.iter().filter(|(entity, ..)| entity.linked).count() as f64
                    / seen.len().max(1) as f64,
                models: models
                    .into_iter()
                    .filter_map(|model| table.models.get(model).cloned())
                    .collect(),
                rings: rings.into_iter().collect(),
                aliases: Vec::new(),
                weak: seen.len() == 1,
            }
        })
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name)));
    for (rank, row) in (1..).zip(&mut found) {
        row.rank = rank;
    }
    found
}
