//! Tells a scan's strata: which answers a score rests on, and the counts reported with it.

use super::{Numbers, Placed};
use crate::read::Reading;
use crate::score::{self, Sample};
use crate::slot::Slot;
use ibid_model::Score;
use ibid_model::result::{RetrievalSummary, Searched, Stratum};
use std::sync::LazyLock;

/// Stands in for an answer that is set aside, because it was asked for and does not count.
static SET_ASIDE: LazyLock<Reading> = LazyLock::new(Reading::failed);

impl<'a> Numbers<'a> {
    /// Strata among the home answers by all models.
    pub(crate) fn retrieval(&self) -> RetrievalSummary {
        self.summary(self.search_asked, |placed| self.counts(placed))
    }

    /// Strata among the home answers by one model.
    pub(super) fn retrieval_of(&self, model: usize) -> RetrievalSummary {
        self.summary(self.asked(model), |placed| placed.sample.model == model)
    }

    fn summary(&self, asked: bool, take: impl Fn(&Placed<'_>) -> bool) -> RetrievalSummary {
        let home: Vec<&Placed<'_>> = self
            .samples
            .iter()
            .filter(|placed| self.is_home(placed.slot) && take(placed) && placed.sample.reading.is_valid())
            .collect();
        let count = |wanted| home.iter().filter(|placed| placed.searched == wanted).count() as u32;
        let score = |wanted| -> Option<Score> {
            let of_kind = home.iter().filter(|placed| placed.searched == wanted);
            score::group(&of_kind.map(|placed| placed.sample).collect::<Vec<_>>()).score
        };
        let searched = count(Searched::Yes);
        let memory = count(Searched::No);
        let unknown = count(Searched::Unknown);
        RetrievalSummary {
            headline: RetrievalSummary::choose(asked, searched, memory, unknown),
            search_asked: asked,
            answers: home.len() as u32,
            searched,
            memory,
            unknown,
            searched_score: score(Searched::Yes),
            memory_score: score(Searched::No),
        }
    }

    /// Whether a model was asked to search.
    fn asked(&self, model: usize) -> bool {
        self.models.get(model).is_some_and(|model| model.search_asked)
    }

    /// Whether the model asked answered itself. Where none did, the answers of the others are all there is.
    fn counts(&self, placed: &Placed<'_>) -> bool {
        let substituted = self
            .models
            .get(placed.sample.model)
            .is_some_and(|model| model.substituted);
        !substituted || self.models.iter().all(|model| model.substituted)
    }

    /// Samples in the slots that `take` accepts, without models in whose place others answered.
    pub(super) fn taken(&self, stratum: Stratum, take: impl Fn(Slot) -> bool) -> Vec<Sample<'a>> {
        self.of_stratum(stratum, |placed| take(placed.slot) && self.counts(placed))
    }

    /// The samples that `take` accepts.
    /// Those outside the stratum are set aside and still count as asked for.
    pub(super) fn of_stratum(&self, stratum: Stratum, take: impl Fn(&Placed<'_>) -> bool) -> Vec<Sample<'a>> {
        let taken = self.samples.iter().filter(|placed| take(placed));
        taken
            .map(|placed| {
                let sample = placed.sample;
                if stratum.counts(placed.searched, self.asked(sample.model)) {
                    sample
                } else {
                    Sample {
                        reading: &SET_ASIDE,
                        ..sample
                    }
                }
            })
            .collect()
    }
}
