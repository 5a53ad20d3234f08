//! Makes a result's numbers again in place.

use super::Again;
use crate::numbers::{AskedModel, ModelIdentity, Numbers, Placed, home, model_result, summary_of};
use crate::score::Sample;
use crate::slot::{RingPlaces, Slot, question_hash};
use ibid_model::result::{AnswerSummary, ModelResult, RetrievalSummary, RingResult, ScanResult, Usage};
use std::collections::HashMap;

impl Again<'_> {
    /// The old result, with new values for all numbers that rest on a reading.
    pub(super) fn renewed(&self) -> ScanResult {
        let (old, numbers) = (self.result, self.numbers());
        let retrieval = numbers.retrieval();
        let overall = numbers.overall(retrieval.headline);
        let rings = old.radius.rings.iter().map(places);
        ScanResult {
            overall_score: overall.score.unwrap_or_default(),
            interval: overall.interval,
            sampling_interval: overall.sampling_interval,
            reading_error: overall.reading_error,
            retrieval,
            models: self.models(&numbers),
            radius: numbers.radius(retrieval.headline, old.radius.scope, rings.collect()),
            brand_names: self.target.aliases().to_vec(),
            usage: self.usage(),
            ..old.clone()
        }
    }

    fn numbers(&self) -> Numbers<'_> {
        let samples = self.cells.iter().map(|cell| {
            let sample = Sample {
                model: cell.model,
                question: cell.question,
                ring: cell.slot.ring(),
                reading: &cell.reading,
            };
            Placed {
                slot: cell.slot,
                sample,
                searched: cell.answer.retrieval.searched,
            }
        });
        let models = self.result.models.iter().map(|model| AskedModel {
            alias: model.model.clone(),
            search_asked: self.search_asked(&model.retrieval),
            substituted: model.substituted,
        });
        Numbers {
            target: &self.target,
            models: models.collect(),
            search_asked: self.search_asked(&self.result.retrieval),
            home: self.home(),
            language: &self.result.method.language,
            seed: self.seed,
            samples: samples.collect(),
        }
    }

    fn home(&self) -> Option<Slot> {
        let rings = self.result.radius.rings.iter();
        home(rings.map(|ring| (ring.ring, &*ring.markets)))
    }

    /// Whether a search was requested.
    /// Results of older versions only record whether web search was on.
    fn search_asked(&self, old: &RetrievalSummary) -> bool {
        if *old == RetrievalSummary::default() {
            self.result.method.web_search
        } else {
            old.search_asked
        }
    }

    fn models(&self, numbers: &Numbers<'_>) -> Vec<ModelResult> {
        let scores = numbers.models();
        let models = self.result.models.iter().zip(&scores).enumerate();
        models
            .map(|(index, (old, scored))| {
                let identity = ModelIdentity {
                    alias: old.model.clone(),
                    label: old.model_label.clone(),
                    resolved: old.resolved_model.clone(),
                    substituted: old.substituted,
                };
                model_result(identity, scored, self.answers(index, old), old.error.clone())
            })
            .collect()
    }

    fn answers(&self, model: usize, old: &ModelResult) -> Vec<AnswerSummary> {
        let hashes: HashMap<&str, Option<&str>> = old
            .answers
            .iter()
            .map(|answer| (answer.question_id.as_str(), answer.question_hash.as_deref()))
            .collect();
        let home = self.home();
        let own = self
            .cells
            .iter()
            .filter(|cell| (cell.slot == Slot::Core || Some(cell.slot) == home) && cell.model == model);
        own.map(|cell| {
            let (id, reading) = (&cell.answer.question_id, &cell.reading);
            let hash = hashes.get(id.as_str()).copied().flatten().map(str::to_owned);
            // Results by older versions list no answers from the home town.
            let hash = hash.or_else(|| {
                let is_new = cell.slot != Slot::Core && !hashes.contains_key(id.as_str());
                is_new.then(|| question_hash(&cell.answer.question, self.place_of(cell.slot)))
            });
            let retrieval = cell.answer.retrieval.clone();
            summary_of(id.clone(), hash, reading, retrieval)
        })
        .collect()
    }

    fn usage(&self) -> Usage {
        let valid = self.cells.iter().filter(|cell| cell.reading.is_valid()).count();
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Usage {
            answered: count(valid),
            failed: count(self.cells.len() - valid),
            ..self.result.usage
        }
    }
}

fn places(ring: &RingResult) -> RingPlaces {
    RingPlaces {
        ring: ring.ring,
        from_km: ring.from_km,
        to_km: ring.to_km,
        markets: ring.markets.clone(),
    }
}
