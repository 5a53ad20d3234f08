//! Plans an order: every question is fixed before the first call.
//!
//! A [`Plan`] is pure arithmetic over the order, the gazetteer and the language files.
//! Its size and price are known before money is spent.
//! Every call has a question to itself; a caller's list goes to every model in full.
//! Generated questions never name the target.
//! A question of the caller that names it is counted apart; a plan with no other is branded.

mod batches;
mod error;
mod fit;
mod forecast;
mod kept;
mod kind;
mod language;
mod location;
mod locative;
mod needs;
mod own_places;
mod panel;
mod phrases;
mod question;
mod report;
mod ring_places;
mod spoken;
mod subject;
mod topic;
mod wording;

use crate::numbers::{branding, home, is_branded};
use crate::read::Target;
use crate::score::interval;
pub(crate) use crate::slot::Slot;
use crate::slot::{BRANDED, OWN, RingPlaces};
pub use error::PlanError;
pub use fit::{AnswerFloor, Fit};
pub use forecast::Forecast;
pub use kept::{KeptQuestion, is_reworded, templates};
pub use language::{language_name, likely_language};
pub use location::{Located, PlannedPlace, place_warnings};
pub use question::PlannedQuestion;
pub use subject::{LikelySubject, PageWords};
pub(crate) use topic::other_topic;

use ibid_gazetteer::RingMarkets;
use ibid_model::result::{MarketResult, PlaceQuestion, ScanPlan, Warning};
use ibid_model::{Model, PLACE_SLOT, ScanOrder, UsdMicros};
use serde::{Deserialize, Serialize};
use spoken::SpokenPlace;
use std::borrow::Cow;
use std::collections::HashSet;
use std::time::Duration;

/// Licences for the trade and place names in the questions, and for the brand names that proposals may not hold.
pub const TRADES_LICENSE: &str = concat!(
    include_str!("../../data/LICENSE-trades.md"),
    "\n\n---- Names of brands: name-suggestion-index ----\n\n",
    include_str!("../../data/LICENSE-brands.md")
);

/// The operator's settings for plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanOptions {
    /// Gives the router's web search tool to models that accept it.
    pub web_search: bool,
    /// Most questions of one scan, all models together.
    pub most_questions: u32,
}

impl Default for PlanOptions {
    /// Web search on, at most 2,000 questions.
    fn default() -> Self {
        Self {
            web_search: true,
            most_questions: 2_000,
        }
    }
}

/// Every question of a scan, with all that its result reports about the order.
///
/// It is stored with a queued run, whose questions stay the same after an upgrade.
/// Plans that an earlier version stored have to be readable, so a new field needs a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    order: ScanOrder,
    options: PlanOptions,
    place: Option<PlannedPlace>,
    rings: Vec<RingPlaces>,
    questions: Vec<PlannedQuestion>,
    generated: Vec<String>,
    language: Cow<'static, str>,
    warnings: Vec<Warning>,
    branding: Vec<Warning>,
    home_page: Vec<String>,
    notes: Vec<Warning>,
}

/// Where an order asks: its place and the markets around it.
struct Placed {
    located: Option<Located>,
    rings: Vec<RingMarkets>,
    /// Towns that have no name in the letters of their questions.
    left_out: Vec<&'static str>,
}

impl Plan {
    /// Plans an order.
    ///
    /// ```
    /// use ibid_engine::plan::{Plan, PlanOptions};
    /// use ibid_model::{Catalog, ScanDraft, ScanForm};
    ///
    /// let body = serde_json::json!({"domain": "example.com", "keyword": "bakery", "location": "Lyon, France"});
    /// let order = ScanDraft(body.as_object().unwrap()).parse(&Catalog::builtin(), ScanForm::Byok)?;
    /// let plan = Plan::of(order, PlanOptions::default())?;
    /// assert_eq!(plan.len(), 99);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PlanError::UnknownPlace`] with suggestions, [`PlanError::TooLarge`] with the count and the price, or
    /// [`PlanError::Questions`] for own questions about unknown places.
    pub fn of(order: ScanOrder, options: PlanOptions) -> Result<Self, PlanError> {
        Self::at(Placed::of(&order)?, order, options, None)
    }

    /// Plans a run of a schedule, whose number counts from 0.
    ///
    /// Of n questions a model (n ≥ 3), a fifth are new in each run, and the others are asked in all.
    /// The same holds in the home town. A list that goes to every model in full stays as it is.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn of_run(order: ScanOrder, options: PlanOptions, run: u32) -> Result<Self, PlanError> {
        Self::at(Placed::of(&order)?, order, options, Some(run))
    }

    /// Plans an order for a buyer who pays a fixed price.
    /// The members left out are fitted to it.
    ///
    /// # Errors
    /// As [`Self::of`], or [`PlanError::TooExpensive`] with counts that fit.
    pub fn fitted(order: ScanOrder, options: PlanOptions, fit: &Fit) -> Result<Self, PlanError> {
        let mut placed = Placed::of(&order)?;
        let markets = placed.rings.iter().map(|ring| ring.markets.len()).sum();
        let (fitted, note) = fit.apply(order, markets, options)?;
        placed.keep_nearest(fitted.most_markets());
        Ok(Self::at(placed, fitted, options, None)?.noted(note))
    }

    fn at(
        placed: Placed,
        order: ScanOrder,
        options: PlanOptions,
        run: Option<u32>,
    ) -> Result<Self, PlanError> {
        let Placed {
            located,
            rings,
            left_out,
        } = placed;
        let mut warnings = Vec::new();
        if !left_out.is_empty() {
            let names = left_out.join(", ");
            let message = format!("no name in the letters of the questions is known, so left out: {names}");
            warnings.push(Warning::new("towns_left_out", message));
        }
        let websites = order.websites();
        let paths = websites.iter().filter(|website| !website.left_out().is_empty());
        warnings.extend(paths.map(|website| {
            let message = format!(
                "{website} is measured as a whole: {} is left out",
                website.left_out()
            );
            Warning::new("path_left_out", message)
        }));
        let has_centre = located.as_ref().is_some_and(|located| located.centre().is_some());
        let cities = rings.iter().map(|ring| ring.markets.len()).sum();
        warnings.extend(located.iter().flat_map(|located| located.warnings(cities)));
        if located.is_none() && order.rings_given() && !order.rings().is_empty() {
            warnings.push(Warning::new(
                "rings_without_location",
                "rings were given without a location, so none was scanned",
            ));
        }
        let order = within_budget(order, &rings, options);
        check_size(&order, &rings, options)?;
        own_places::check(&order)?;
        let language = language::of_core(&order, located.as_ref(), &mut warnings);
        if !order.questions().is_empty() && cities > 0 && question::for_towns(&order).next().is_none() {
            let message = "no question holds {place}, so the towns are asked generated questions";
            warnings.push(Warning::new("towns_from_templates", message));
        }
        let mut questions = question::questions(&order, located.as_ref(), &rings, language, run);
        if order.stop().is_some() {
            let models = order.models().len();
            questions.truncate((options.most_questions as usize / models).max(1) * models);
        }
        let own = questions
            .iter()
            .filter(|question| [OWN, BRANDED].contains(&&*question.template));
        let branding = branding(
            &Target::of_order(&order),
            order.keyword().as_str(),
            own.map(|question| (&*question.template, question.text.as_str())),
        );
        let generated = question::generated(&order, located.as_ref(), language)
            .list
            .into_iter()
            .take(match order.stop() {
                Some(_) => questions.len(),
                None => order.each_model() * order.models().len(),
            })
            .map(|wording| wording.text)
            .collect();
        let plan = Self {
            order,
            options,
            rings: ring_places::of(&rings, has_centre),
            place: located.as_ref().map(|located| located.planned(cities)),
            questions,
            generated,
            language: language.tag.into(),
            warnings,
            branding,
            home_page: Vec::new(),
            notes: Vec::new(),
        };
        batches::checked(plan)
    }

    /// The core questions that a form shows as they are: those of the question set, else the generated ones.
    pub fn offered_questions(&self) -> Vec<String> {
        match self.order.question_set() {
            Some(_) => self
                .order
                .questions()
                .iter()
                .map(|question| question.as_str().to_owned())
                .collect(),
            None => self.generated.clone(),
        }
    }

    /// The planned order.
    pub fn order(&self) -> &ScanOrder {
        &self.order
    }

    /// The models to ask.
    pub fn models(&self) -> &[Model] {
        self.order.models()
    }

    /// The questions, core first, then ring by ring.
    pub fn questions(&self) -> &[PlannedQuestion] {
        &self.questions
    }

    /// The place found for the order's location.
    pub fn place(&self) -> Option<&PlannedPlace> {
        self.place.as_ref()
    }

    /// Returns each ring with its markets.
    pub fn rings(&self) -> &[RingPlaces] {
        &self.rings
    }

    /// The market a slot belongs to; `None` for core questions.
    pub fn market(&self, slot: Slot) -> Option<&MarketResult> {
        match slot {
            Slot::Core | Slot::Branded => None,
            Slot::Ring { ring, market } => self
                .rings
                .iter()
                .find(|markets| markets.ring == ring)?
                .markets
                .get(market),
        }
    }

    /// Returns the BCP 47 tag for the core questions' language.
    pub fn language(&self) -> &str {
        &self.language
    }

    /// The question to the caller about the place; `None` if its text is unambiguous.
    pub fn place_question(&self) -> Option<&PlaceQuestion> {
        self.place.as_ref()?.question.as_ref()
    }

    /// Returns whether models that accept it get the web search tool.
    pub fn web_search(&self) -> bool {
        self.options.web_search
    }

    /// The same plan with the owner's names from the target's home page, to look for in the answers.
    /// The questions stay unchanged.
    #[must_use]
    pub fn with_home_page(self, names: Vec<String>) -> Self {
        Self {
            home_page: names,
            ..self
        }
    }

    /// The same plan with a warning that the home page could not be read.
    #[must_use]
    pub fn without_home_page(mut self, why: &str) -> Self {
        let message = format!("the names on the home page were not learned: {why}");
        self.warnings.push(Warning::new("names_not_learned", message));
        self
    }

    /// The same plan with warnings about the request itself, which the order does not show.
    #[must_use]
    pub fn noted(mut self, notes: impl IntoIterator<Item = Warning>) -> Self {
        for note in notes {
            // A stored order may still have the member that the warning is about.
            if !self.notes.contains(&note) {
                self.warnings.push(note.clone());
                self.notes.push(note);
            }
        }
        self
    }

    /// The owner's names from the target's home page.
    pub fn home_page(&self) -> &[String] {
        &self.home_page
    }

    /// The warnings for the reader of the result.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Whether the keyword or a question that counts names the target.
    pub fn is_branded(&self) -> bool {
        is_branded(&self.branding)
    }

    /// The warnings about words that name the target.
    pub fn branding(&self) -> &[Warning] {
        &self.branding
    }

    /// The plan as callers see it before the first call.
    pub fn report(&self) -> ScanPlan {
        report::report(self)
    }

    /// The advice before a scan is paid for: too few questions to test a later scan against it.
    pub fn comparison_note(&self) -> Option<&'static str> {
        let core = self
            .questions
            .iter()
            .filter(|question| question.slot == Slot::Core);
        (core.count() < crate::compare::FEWEST_QUESTIONS).then_some(
            "With fewer than 6 core questions a later scan cannot be compared with this one; 10 find smaller changes.",
        )
    }

    /// Counts the calls. A scan that asks in batches makes at most so many.
    pub fn len(&self) -> usize {
        self.asked().count()
    }

    /// Lists the calls in their order, each by where its question and its model stand.
    pub fn asked(&self) -> impl Iterator<Item = (usize, usize)> {
        let models = self.models().len();
        let questions = self.questions.iter().enumerate();
        questions.flat_map(move |(at, question)| question.asked(models).map(move |model| (at, model)))
    }

    /// Finds a call by its number: where its question and its model stand.
    pub fn call(&self, number: u32) -> Option<(usize, usize)> {
        self.asked().nth(usize::try_from(number).ok()?)
    }

    /// Returns whether there are no questions.
    /// Never true: an order has at least one model and one core question.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The estimated cost at the provider. Of a scan that asks in batches, that of the expected calls.
    pub fn estimate(&self) -> UsdMicros {
        self.cost_of(|_| true)
    }

    /// The estimated cost at the provider of the expected calls in some slots.
    fn cost_of(&self, is_in: impl Fn(Slot) -> bool) -> UsdMicros {
        let calls = self.asked().take(self.expected_calls());
        calls
            .filter(|(question, _)| is_in(self.questions[*question].slot))
            .map(|(_, model)| self.models()[model].cost_per_question(self.options.web_search))
            .sum()
    }

    /// How wide the 95 % interval around the cited rate at home is expected to be, 0 to 1: over the core questions and those in
    /// the home town.
    pub fn expected_width(&self) -> f64 {
        interval::expected_width(self.home_questions())
    }

    /// Counts the different questions about home: core questions and those in the home town.
    pub fn home_questions(&self) -> usize {
        let town = home(self.rings.iter().map(|ring| (ring.ring, &*ring.markets)));
        let questions = self.questions.iter();
        let at_home = questions.filter(|question| question.slot == Slot::Core || Some(question.slot) == town);
        let texts: HashSet<&str> = at_home.map(|question| question.text.as_str()).collect();
        texts.len()
    }

    /// The answers about towns around home, and the number of these towns.
    pub(super) fn around(&self) -> (usize, usize) {
        let home = home(self.rings.iter().map(|ring| (ring.ring, &*ring.markets)));
        let around: Vec<Slot> = self
            .slots()
            .filter(|slot| slot.ring().is_some() && Some(*slot) != home)
            .collect();
        (around.len(), around.iter().collect::<HashSet<_>>().len())
    }

    /// Where in the result each call belongs.
    pub(super) fn slots(&self) -> impl Iterator<Item = Slot> {
        self.asked().map(|(question, _)| self.questions[question].slot)
    }

    /// Limits the scan's time: 120 s, and 1 s more for every question over 60, at most 540 s.
    /// A scan that asks in batches has 540 s, because each batch waits for the one before.
    pub fn time_limit(&self) -> Duration {
        if self.order.stop().is_some() {
            return Duration::from_secs(540);
        }
        let extra = self.len().saturating_sub(60) as u64;
        Duration::from_secs((120 + extra).min(540))
    }
}

impl Placed {
    fn of(order: &ScanOrder) -> Result<Self, PlanError> {
        let located = order.location().map(Located::find).transpose()?;
        let rings = match &located {
            Some(located) => ibid_gazetteer::markets(located.resolved(), order.rings()),
            None => Vec::new(),
        };
        let mut placed = Self {
            located,
            rings,
            left_out: Vec::new(),
        };
        placed.leave_out_unwritable(order);
        placed.keep_nearest(order.most_markets());
        Ok(placed)
    }

    /// Drops the markets whose questions would hold a name in foreign letters.
    fn leave_out_unwritable(&mut self, order: &ScanOrder) {
        let mut languages = Vec::new();
        for ring in &mut self.rings {
            ring.markets.retain(|market| {
                let is_home = self
                    .located
                    .as_ref()
                    .is_some_and(|located| located.is_anchor(&market.place));
                let tag = language::of_market(order, &market.place, &mut languages).tag;
                let is_kept =
                    is_home || language::can_write(tag, &SpokenPlace::town(&market.place, tag).name);
                if !is_kept {
                    self.left_out.push(market.place.name());
                }
                is_kept
            });
        }
    }

    /// Drops all markets except the nearest ones, or the first ones of several countries; `None` keeps all.
    fn keep_nearest(&mut self, most: Option<u8>) {
        let Some(most) = most else { return };
        if self
            .located
            .as_ref()
            .is_some_and(|located| located.centre().is_none())
        {
            let mut left = usize::from(most);
            for ring in &mut self.rings {
                ring.markets.truncate(left);
                left -= ring.markets.len();
            }
            return;
        }
        let markets = self.rings.iter().flat_map(|ring| &ring.markets);
        let mut distances: Vec<f64> = markets.map(|market| market.distance_km).collect();
        distances.sort_unstable_by(f64::total_cmp);
        distances.truncate(usize::from(most));
        let farthest = distances.last().copied().unwrap_or(-1.0);
        let mut left = distances.len();
        for ring in &mut self.rings {
            ring.markets.retain(|market| {
                let near = left > 0 && market.distance_km <= farthest;
                left -= usize::from(near);
                near
            });
        }
    }
}

/// Prepares all languages' models and the index of spellings, so the first plan need not wait for them.
pub fn warm_up() {
    language::warm_up();
    ibid_gazetteer::warm_up();
}

/// Questions about a keyword in a language, with their intents: the templates, for proposals of the sandbox.
/// With a place the texts hold the slot of a place.
#[must_use]
pub fn sample_questions(language: &str, keyword: &str, placed: bool) -> Vec<(&'static str, String)> {
    let phrases = phrases::of(language).unwrap_or_else(phrases::english);
    let place = SpokenPlace {
        name: PLACE_SLOT.to_owned(),
        phrase: PLACE_SLOT.to_owned(),
    };
    let worded = wording::wordings(phrases, keyword, placed.then_some(&place)).list;
    worded
        .into_iter()
        .map(|wording| (wording.intent, wording.text))
        .collect()
}

/// Estimates what it costs to ask every model `questions` questions.
fn price(models: &[Model], questions: u64, options: PlanOptions) -> UsdMicros {
    models
        .iter()
        .map(|model| model.cost_per_question(options.web_search).times(questions))
        .sum()
}

/// The order with as much of its question set as the operator's ceiling allows.
fn within_budget(order: ScanOrder, rings: &[RingMarkets], options: PlanOptions) -> ScanOrder {
    let markets: usize = rings.iter().map(|ring| ring.markets.len()).sum();
    let each = order.keywords_per_ring().as_usize() * order.queries_per_keyword().as_usize();
    let per_model = options.most_questions as usize / order.models().len().max(1);
    order.with_most_of_set(per_model.saturating_sub(markets * each))
}

/// Refuses a plan over the operator's ceiling before it writes questions.
fn check_size(order: &ScanOrder, rings: &[RingMarkets], options: PlanOptions) -> Result<(), PlanError> {
    let markets: u64 = rings.iter().map(|ring| ring.markets.len() as u64).sum();
    let each = u64::from(order.keywords_per_ring().get()) * u64::from(order.queries_per_keyword().get());
    // A scan that asks in batches has as many questions as the ceiling allows.
    let core = order.stop().map_or(order.core_questions() as u64, |_| 1);
    let per_model = core + markets * each;
    let questions = per_model * order.models().len() as u64;
    if questions <= u64::from(options.most_questions) {
        return Ok(());
    }
    Err(PlanError::TooLarge {
        questions,
        most: options.most_questions,
        estimate: price(order.models(), per_model, options),
    })
}

#[cfg(test)]
mod tests;
