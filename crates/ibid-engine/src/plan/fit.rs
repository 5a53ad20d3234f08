//! Fitting an order to its price.
//!
//! The members that a buyer left out give way until the estimate is within the budget:
//! the counts first, then the models, then the markets.
//! The members that the buyer named stay unchanged while their estimate is within the cap.

use super::{PlanError, PlanOptions, price};
use ibid_model::contract::{Field, field};
use ibid_model::result::Warning;
use ibid_model::{
    Counts, KeywordsPerRing, Model, QueriesPerKeyword, QuestionsPerModel, ScanOrder, UsdMicros,
};

/// So many markets are left when markets give way: the nearest ones.
const NEAREST_MARKETS: u8 = 4;

/// What an order may cost at the provider, and which members may give way for it.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The cost at the provider to stay within.
    pub budget: UsdMicros,
    /// What an order may cost at most; `None` for the budget, or for the floor if that costs more.
    pub cap: Option<UsdMicros>,
    /// The fewest answers that are sold.
    /// An order at the floor is sold at any cost up to the cap.
    pub floor: AnswerFloor,
    /// The models to ask if the usual ones cost too much.
    pub models: Vec<Model>,
    /// Which members the buyer named.
    pub named: Vec<&'static str>,
}

/// How few answers an order may have to be sold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerFloor {
    /// Answers of all questions.
    pub answers: usize,
    /// Answers of core questions.
    pub core_answers: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Size {
    models: Vec<Model>,
    counts: Counts,
    markets: usize,
}

impl Size {
    fn core_answers(&self) -> usize {
        self.models.len() * self.counts.questions_per_model.as_usize()
    }

    /// Questions to each model.
    fn questions(&self) -> usize {
        let each = self.counts.keywords_per_ring.as_usize() * self.counts.queries_per_keyword.as_usize();
        self.counts.questions_per_model.as_usize() + self.markets * each
    }

    fn answers(&self) -> usize {
        self.models.len() * self.questions()
    }

    fn estimate(&self, options: PlanOptions) -> UsdMicros {
        price(&self.models, self.questions() as u64, options)
    }

    /// Whether it has as many answers as the floor, or as the ordered size.
    fn holds(&self, floor: AnswerFloor, ordered: &Self) -> bool {
        self.core_answers() >= floor.core_answers.min(ordered.core_answers())
            && self.answers() >= floor.answers.min(ordered.answers())
    }

    /// The largest counts whose estimate is at most this.
    fn fitting(mut self, most: UsdMicros, options: PlanOptions) -> Option<Counts> {
        while self.estimate(options) > most {
            self.counts = smaller(self.counts, |_| true)?;
        }
        Some(self.counts)
    }
}

impl Fit {
    /// The order as sold around `markets` markets, with a warning if it differs from the usual one.
    pub(super) fn apply(
        &self,
        order: ScanOrder,
        markets: usize,
        options: PlanOptions,
    ) -> Result<(ScanOrder, Option<Warning>), PlanError> {
        let ordered = Size {
            models: order.models().to_vec(),
            counts: order.counts(),
            markets,
        };
        let sizes = self.sizes(&ordered);
        let cost = |size: &&Size| size.estimate(options);
        let fits = sizes.iter().find(|size| cost(size) <= self.budget);
        let chosen = fits.or_else(|| sizes.iter().min_by_key(cost)).unwrap_or(&ordered);
        let estimate = chosen.estimate(options);
        let most = self
            .cap
            .unwrap_or_else(|| self.budget.max(self.floor_cost(markets, options)));
        // Above the operator's ceiling the plan is too large at any price.
        if estimate > most && chosen.answers() <= options.most_questions as usize {
            return Err(PlanError::TooExpensive {
                estimate,
                most,
                fits: chosen.clone().fitting(most, options),
            });
        }
        let note = (*chosen != ordered).then(|| {
            let aliases: Vec<_> = chosen.models.iter().map(|model| model.alias.as_str()).collect();
            let message = format!(
                "What the order left out was fitted to the price: {} questions to each of {}",
                chosen.questions(),
                aliases.join(", ")
            );
            Warning::new("fitted_to_price", message)
        });
        let most_markets = (chosen.markets < markets).then_some(NEAREST_MARKETS);
        let fitted = order.sized(chosen.models.clone(), chosen.counts);
        Ok((fitted.with_most_markets(most_markets), note))
    }

    fn is_free(&self, field: &Field) -> bool {
        !self.named.contains(&field.name)
    }

    /// The sizes in the order in which members give way, starting with the ordered one.
    /// Every size has at least as many answers as the floor.
    fn sizes(&self, ordered: &Size) -> Vec<Size> {
        let fewest = usize::from(NEAREST_MARKETS).min(ordered.markets);
        let markets = std::iter::once(ordered.markets).chain(self.is_free(&field::RINGS).then_some(fewest));
        let models = std::iter::once(&ordered.models)
            .chain(Some(&self.models).filter(|_| self.is_free(&field::MODELS)));
        let mut sizes: Vec<Size> = Vec::new();
        for markets in markets {
            for models in models.clone() {
                let mut size = Size {
                    models: models.clone(),
                    counts: ordered.counts,
                    markets,
                };
                // Fewer models need more questions for as many answers.
                while !size.holds(self.floor, ordered)
                    && self.is_free(&field::QUESTIONS_PER_MODEL)
                    && let Some(more) =
                        QuestionsPerModel::new(size.counts.questions_per_model.get().saturating_add(1))
                {
                    size.counts.questions_per_model = more;
                }
                while size.holds(self.floor, ordered) {
                    let next = smaller(size.counts, |field| self.is_free(field));
                    sizes.push(size.clone());
                    match next {
                        Some(counts) => size.counts = counts,
                        None => break,
                    }
                }
            }
        }
        sizes
    }

    /// Prices the smallest order that is sold around `markets` markets.
    fn floor_cost(&self, markets: usize, options: PlanOptions) -> UsdMicros {
        let least = self.floor.answers.max(self.floor.core_answers);
        let core = least.div_ceil(self.models.len().max(1));
        let around = match self.floor.core_answers {
            0 => 0,
            _ => usize::from(NEAREST_MARKETS).min(markets),
        };
        price(&self.models, (core + around) as u64, options)
    }
}

/// Counts that are one smaller: keywords first, then phrasings, then core questions, if `may` allows it.
fn smaller(mut counts: Counts, may: impl Fn(&Field) -> bool) -> Option<Counts> {
    let less = |count: u8, field: &Field| may(field).then(|| count.saturating_sub(1));
    let keywords = less(counts.keywords_per_ring.get(), &field::KEYWORDS_PER_RING);
    let queries = less(counts.queries_per_keyword.get(), &field::QUERIES_PER_KEYWORD);
    let questions = less(counts.questions_per_model.get(), &field::QUESTIONS_PER_MODEL);
    if let Some(fewer) = keywords.and_then(KeywordsPerRing::new) {
        counts.keywords_per_ring = fewer;
    } else if let Some(fewer) = queries.and_then(QueriesPerKeyword::new) {
        counts.queries_per_keyword = fewer;
    } else {
        counts.questions_per_model = questions.and_then(QuestionsPerModel::new)?;
    }
    Some(counts)
}
