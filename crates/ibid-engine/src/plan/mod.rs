//! From an order to every question, decided before the first call.
//!
//! A [`Plan`] is pure arithmetic over the order, the gazetteer and the phrase tables: its size and price are
//! known before anything is spent. Every model gets the same questions. No question names the target.

mod error;
mod phrases;
mod place;
mod topic;
mod variants;

pub use error::PlanError;
pub use place::Located;
pub(crate) use topic::question_hash;
pub use topic::{Slot, Topic};

use ibid_gazetteer::{Market, RingMarkets};
use ibid_model::result::Warning;
use ibid_model::{Model, ScanOrder, UsdMicros};
use std::time::Duration;

/// What the operator decides about plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanOptions {
    /// Whether models that take it get the router's web search tool.
    pub web_search: bool,
    /// Most questions of one scan, all models together.
    pub most_questions: u32,
}

impl Default for PlanOptions {
    /// Web search on, at most 1,000 questions.
    fn default() -> Self {
        Self {
            web_search: true,
            most_questions: 1_000,
        }
    }
}

/// Every question of a scan.
#[derive(Clone, Debug)]
pub struct Plan {
    order: ScanOrder,
    options: PlanOptions,
    located: Option<Located>,
    rings: Vec<RingMarkets>,
    topics: Vec<Topic>,
    language: &'static str,
    warnings: Vec<Warning>,
    home_page: Vec<String>,
}

impl Plan {
    /// Plans an order.
    ///
    /// # Errors
    /// [`PlanError::UnknownPlace`] with suggestions, or [`PlanError::TooLarge`] with the count and the price.
    pub fn of(order: ScanOrder, options: PlanOptions) -> Result<Self, PlanError> {
        let mut warnings = Vec::new();
        let located = order.location().map(Located::find).transpose()?;
        let rings = match &located {
            Some(located) => ibid_gazetteer::markets(located.resolved(), order.rings()),
            None => Vec::new(),
        };
        if located.is_none() && order.rings_given() && !order.rings().is_empty() {
            warnings.push(Warning::new(
                "rings_without_location",
                "rings were given without a location, so none was scanned",
            ));
        }
        check_size(&order, &rings, options)?;
        let language = variants::core_language(&order, located.as_ref(), &mut warnings);
        let topics = topic::topics(&order, located.as_ref(), &rings, language);
        Ok(Self {
            order,
            options,
            located,
            rings,
            topics,
            language: language.tag,
            warnings,
            home_page: Vec::new(),
        })
    }

    /// The order it was made for.
    #[must_use]
    pub fn order(&self) -> &ScanOrder {
        &self.order
    }

    /// The models to ask.
    #[must_use]
    pub fn models(&self) -> &[Model] {
        self.order.models()
    }

    /// The questions, core first, then ring by ring.
    #[must_use]
    pub fn topics(&self) -> &[Topic] {
        &self.topics
    }

    /// The place, looked up.
    #[must_use]
    pub fn located(&self) -> Option<&Located> {
        self.located.as_ref()
    }

    /// The markets of each ring.
    #[must_use]
    pub fn rings(&self) -> &[RingMarkets] {
        &self.rings
    }

    /// The market a slot belongs to; `None` for core questions.
    #[must_use]
    pub fn market(&self, slot: Slot) -> Option<&Market> {
        match slot {
            Slot::Core => None,
            Slot::Ring { ring, market } => self
                .rings
                .iter()
                .find(|markets| markets.ring == ring)?
                .markets
                .get(market),
        }
    }

    /// BCP 47 tag of the language of the core questions.
    #[must_use]
    pub fn language(&self) -> &'static str {
        self.language
    }

    /// Whether models that take it get the web search tool.
    #[must_use]
    pub fn web_search(&self) -> bool {
        self.options.web_search
    }

    /// The same plan with what the target's home page calls its owner: names to look for in the answers. The
    /// questions stay as they are.
    #[must_use]
    pub fn with_home_page(self, names: Vec<String>) -> Self {
        Self {
            home_page: names,
            ..self
        }
    }

    /// The same plan, saying that the home page could not be read.
    #[must_use]
    pub fn without_home_page(mut self, why: &str) -> Self {
        let message = format!("the names on the home page were not learned: {why}");
        self.warnings.push(Warning::new("names_not_learned", message));
        self
    }

    /// What the target's home page calls its owner.
    #[must_use]
    pub fn home_page(&self) -> &[String] {
        &self.home_page
    }

    /// What the reader of the result should know.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// How many calls it takes: topics times models.
    #[must_use]
    pub fn len(&self) -> usize {
        self.topics.len() * self.models().len()
    }

    /// Whether there is nothing to ask. Never true: an order has at least one model and one core question.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What it will cost at the provider, about.
    #[must_use]
    pub fn estimate(&self) -> UsdMicros {
        price(self.models(), self.topics.len() as u64, self.options)
    }

    /// How long it may take: 120 s, and 1 s more for every question over 60, at most 540 s.
    #[must_use]
    pub fn time_limit(&self) -> Duration {
        let extra = self.len().saturating_sub(60) as u64;
        Duration::from_secs((120 + extra).min(540))
    }
}

/// What an order will cost at the provider, about: as [`Plan::estimate`], without a question being written.
///
/// # Errors
/// As [`Plan::of`].
pub fn estimate(order: &ScanOrder, options: PlanOptions) -> Result<UsdMicros, PlanError> {
    let located = order.location().map(Located::find).transpose()?;
    let rings = located.map(|located| ibid_gazetteer::markets(located.resolved(), order.rings()));
    let topics = check_size(order, rings.as_deref().unwrap_or_default(), options)?;
    Ok(price(order.models(), topics, options))
}

/// The estimated price of asking every model `topics` questions.
fn price(models: &[Model], topics: u64, options: PlanOptions) -> UsdMicros {
    models
        .iter()
        .map(|model| model.cost_per_question(options.web_search).times(topics))
        .sum()
}

/// How many questions each model gets. Refuses a plan over the ceiling before a single one is written.
fn check_size(order: &ScanOrder, rings: &[RingMarkets], options: PlanOptions) -> Result<u64, PlanError> {
    let markets: u64 = rings.iter().map(|ring| ring.markets.len() as u64).sum();
    let each = u64::from(order.keywords_per_ring().get()) * u64::from(order.queries_per_keyword().get());
    let topics = u64::from(order.questions_per_model().get()) + markets * each;
    let questions = topics * order.models().len() as u64;
    if questions <= u64::from(options.most_questions) {
        return Ok(topics);
    }
    let estimate = price(order.models(), topics, options);
    Err(PlanError::TooLarge {
        questions,
        most: options.most_questions,
        estimate,
    })
}

#[cfg(test)]
mod tests;
