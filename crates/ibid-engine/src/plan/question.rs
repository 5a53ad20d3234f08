//! Writes a plan's questions, and chooses the models that are asked each.

use super::kind::Kind;
use super::language;
use super::location::{self, Located};
use super::panel::{Panel, SplitCalls, drawn};
use super::phrases::{self, Phrases};
use super::spoken::SpokenPlace;
use super::wording::{Wording, Wordings, push_once, wordings};
use crate::read::Target;
use crate::slot::{BRANDED, OWN, Slot, question_hash};
use ibid_gazetteer::{MarketTown, RingMarkets};
use ibid_model::{OwnQuestion, PLACE_SLOT, Ring, ScanOrder};
use ibid_provider::{Scene, UserPlace};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;

/// One planned question, for one model or for all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedQuestion {
    /// Stable for plans of one shape: `c1`, or `r2m1k3q1` for ring, market and numbers in it.
    pub id: String,
    /// Where in the result its answers belong.
    pub slot: Slot,
    /// Which intent its template has; `own` for a caller's question, `branded` for one that is counted apart.
    pub template: Cow<'static, str>,
    /// BCP 47 tag of its language.
    pub language: Cow<'static, str>,
    /// The question.
    pub text: String,
    /// What kind of thing a generated question's keyword names, if it is known.
    #[serde(default)]
    pub kind: Option<Cow<'static, str>>,
    /// Where the model stands that is asked; `None` if every model is.
    #[serde(default)]
    pub model: Option<usize>,
    /// Whether each run of a schedule asks another one in its stead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_new: bool,
    /// Where the asking person is.
    pub place: Option<UserPlace>,
    /// The facts behind the question; only the sandbox sees them.
    pub scene: Scene,
}

impl PlannedQuestion {
    /// Identifies the question and its place in any scan: 16 hexadecimal digits.
    pub fn hash(&self) -> String {
        question_hash(&self.text, self.scene.place.as_deref())
    }

    /// Which models are asked, out of so many, by their positions.
    pub fn asked(&self, models: usize) -> Range<usize> {
        self.model.map_or(0..models, |model| model..model + 1)
    }
}

/// All questions: core first, then ring by ring, market by market.
pub(super) fn questions(
    order: &ScanOrder,
    located: Option<&Located>,
    rings: &[RingMarkets],
    language: &'static Phrases,
    run: Option<u32>,
) -> Vec<PlannedQuestion> {
    let is_home = |market: &MarketTown| located.is_some_and(|located| located.is_anchor(&market.place));
    let asks_home = rings.iter().flat_map(|ring| &ring.markets).any(is_home);
    let panel = run.map(|run| Panel {
        run,
        models: order.models().len(),
        core: order.core_questions(),
        home: if asks_home && for_towns(order).next().is_none() {
            in_town(order)
        } else {
            0
        },
    });
    let mut questions = core(order, located, language, panel);
    let mut languages = Vec::new();
    for ring in rings {
        for (index, market) in ring.markets.iter().enumerate() {
            let language = language::of_market(order, &market.place, &mut languages);
            let town = (ring.ring, index, market);
            questions.extend(in_market(order, (located, language), town, panel));
        }
    }
    questions
}

/// The questions that each model is asked in a town.
fn in_town(order: &ScanOrder) -> usize {
    order.keywords_per_ring().as_usize() * order.queries_per_keyword().as_usize()
}

/// Words the templates for the core questions.
pub(super) fn generated(
    order: &ScanOrder,
    located: Option<&Located>,
    language: &'static Phrases,
) -> Wordings {
    let spoken = located.map(|located| SpokenPlace::anchor(located, language.tag));
    let mut wordings = wordings(language, order.keyword().as_str(), spoken.as_ref());
    wordings.list.truncate(MOST_CORE);
    wordings
}

/// Whether a question of the caller names the target and is counted apart. None is where all do, and in batches, which have
/// one pool.
pub(super) fn apart(order: &ScanOrder) -> impl Fn(&str) -> bool + use<> {
    let target = Target::of_order(order);
    let others = || {
        order
            .questions()
            .iter()
            .any(|own| !target.is_named_in(own.as_str()))
    };
    let splits = order.stop().is_none() && others();
    move |text| splits && target.is_named_in(text)
}

/// Picks the caller's questions that a town can be asked about.
pub(super) fn for_towns(order: &ScanOrder) -> impl Iterator<Item = &OwnQuestion> {
    let (questions, is_apart) = (order.questions().iter(), apart(order));
    questions.filter(move |question| {
        question.has_place_slot() && question.place.is_none() && !is_apart(question.as_str())
    })
}

/// The most wordings that core questions are drawn from. Twice as many would repeat frames with other needs only.
const MOST_CORE: usize = 60;

/// One question to be, without its number in the plan.
#[derive(Clone)]
struct Worded {
    template: &'static str,
    kind: Option<Kind>,
    tag: &'static str,
    text: String,
    model: Option<usize>,
    is_new: bool,
    spot: Spot,
}

/// Where in a plan a question belongs, and the place that it is about.
#[derive(Clone)]
struct Spot {
    slot: Slot,
    place: Option<UserPlace>,
    name: Option<String>,
    distance_km: Option<f64>,
}

impl Spot {
    fn core(located: Option<&Located>) -> Self {
        let centre = located.and_then(Located::centre);
        Self {
            slot: Slot::Core,
            place: centre.map(location::user_place),
            name: located.map(|located| located.resolved().place().name().to_owned()),
            distance_km: centre.map(|_| 0.0),
        }
    }
}

impl Worded {
    fn of_templates(wordings: &Wordings, tag: &'static str, spot: &Spot) -> Vec<Self> {
        let worded = |wording: &Wording| Self {
            template: wording.intent,
            kind: wordings.kind,
            tag,
            text: wording.text.clone(),
            model: None,
            is_new: false,
            spot: spot.clone(),
        };
        wordings.list.iter().map(worded).collect()
    }

    /// Words a caller's question about a place, which is named in the question's language.
    fn of_caller(
        question: &OwnQuestion,
        language: &'static Phrases,
        spoken: impl Fn(&str) -> Option<SpokenPlace>,
        spot: Spot,
    ) -> Self {
        let named = question
            .language
            .as_ref()
            .and_then(|named| phrases::of(named.as_str()));
        let tag = named
            .unwrap_or_else(|| language::of_text(question.as_str(), language))
            .tag;
        let place = spoken(tag);
        let mut parts = question.as_str().split(PLACE_SLOT);
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            match &place {
                Some(place) => push_once(&mut text, &place.phrase),
                None => text.truncate(text.trim_end().len()),
            }
            text.push_str(part);
        }
        Self {
            template: OWN,
            kind: None,
            tag,
            text,
            model: None,
            is_new: false,
            spot,
        }
    }

    fn planned(self, order: &ScanOrder, id: String) -> PlannedQuestion {
        PlannedQuestion {
            id,
            slot: self.spot.slot,
            template: self.template.into(),
            language: self.tag.into(),
            text: self.text,
            kind: self.kind.map(|kind| kind.as_str().into()),
            model: self.model,
            is_new: self.is_new,
            place: self.spot.place,
            scene: Scene {
                domain: order.domain().clone(),
                keyword: order.keyword().as_str().to_owned(),
                place: self.spot.name,
                distance_km: self.spot.distance_km,
                language: self.tag.to_owned(),
            },
        }
    }
}

/// Takes the questions for a split panel's calls from the pool.
fn of_split(pool: &[Worded], split: &SplitCalls) -> Vec<Worded> {
    let mut asked = of_calls(pool, split.calls.iter().copied());
    for question in asked.iter_mut().skip(split.kept) {
        question.is_new = true;
    }
    asked
}

/// Takes questions from a pool by the positions that calls give, with their models.
fn of_calls(pool: &[Worded], calls: impl IntoIterator<Item = (usize, usize)>) -> Vec<Worded> {
    let asked = calls.into_iter().filter_map(|(at, model)| {
        Some(Worded {
            model: Some(model),
            ..pool.get(at)?.clone()
        })
    });
    asked.collect()
}

/// The core questions: the caller's own, or the generated ones.
///
/// A caller's list goes to every model in full, unless the caller said how many questions each model gets.
/// A scan that asks in batches has all of its pool.
fn core(
    order: &ScanOrder,
    located: Option<&Located>,
    language: &'static Phrases,
    panel: Option<Panel>,
) -> Vec<PlannedQuestion> {
    let spot = Spot::core(located);
    let generated = Worded::of_templates(&generated(order, located, language), language.tag, &spot);
    let own = |question: &OwnQuestion| {
        // An own question with the wording of a generated one becomes the generated one,
        // so a list with one question less or more stays comparable.
        let known = generated.iter().find(|known| known.text == question.as_str());
        if let Some(known) = known.filter(|_| question.place.is_none()) {
            return known.clone();
        }
        let elsewhere = question
            .place
            .as_ref()
            .and_then(|place| Located::find(place).ok());
        let spot = elsewhere
            .as_ref()
            .map_or_else(|| spot.clone(), |elsewhere| Spot::core(Some(elsewhere)));
        let located = elsewhere.as_ref().or(located);
        let spoken = |tag: &str| located.map(|located| SpokenPlace::anchor(located, tag));
        Worded::of_caller(question, language, spoken, spot)
    };
    let in_full =
        !order.questions().is_empty() && !order.questions_per_model_given() && order.stop().is_none();
    let mut pool: Vec<Worded> = match order.questions().is_empty() {
        true => generated,
        false => order.questions().iter().map(own).collect(),
    };
    let is_apart = apart(order);
    let is_counted_apart = |one: &&mut Worded| one.template == OWN && is_apart(&one.text);
    for question in pool.iter_mut().filter(is_counted_apart) {
        (question.template, question.spot.slot) = (BRANDED, Slot::Branded);
    }
    // The others come first, in the pool and in the plan: a short run asks them, and a part of a plan is in one piece.
    pool.sort_by_key(|question| question.spot.slot == Slot::Branded);
    let models = order.models().len();
    let each = match order.stop() {
        // As many as the pool has, so that no question is shared.
        Some(_) => (pool.len() / models).max(1),
        None => order.core_questions(),
    };
    let split = panel.and_then(|panel| match order.questions().is_empty() {
        true => panel.core(pool.len()),
        false => panel.core(pool.len()).or_else(|| panel.shared(pool.len())),
    });
    let mut asked = match (in_full, split) {
        (true, _) => pool,
        (false, Some(split)) => of_split(&pool, &split),
        (false, None) => of_calls(&pool, drawn(pool.len(), models, 0..each)),
    };
    asked.sort_by_key(|question| question.spot.slot == Slot::Branded);
    let numbered = (1..).zip(asked);
    numbered
        .map(|(number, worded)| worded.planned(order, format!("c{number}")))
        .collect()
}

fn in_market(
    order: &ScanOrder,
    (located, language): (Option<&Located>, &'static Phrases),
    (ring, index, market): (Ring, usize, &MarketTown),
    panel: Option<Panel>,
) -> Vec<PlannedQuestion> {
    let anchor = located.filter(|located| located.is_anchor(&market.place));
    let spoken = |tag: &str| match anchor {
        Some(located) => SpokenPlace::anchor(located, tag),
        None => SpokenPlace::town(&market.place, tag),
    };
    let spot = Spot {
        slot: Slot::Ring { ring, market: index },
        place: Some(location::user_place(&market.place)),
        name: Some(market.place.name().to_owned()),
        distance_km: located.and_then(Located::centre).map(|_| market.distance_km),
    };
    let models = order.models().len();
    let queries = order.queries_per_keyword().as_usize();
    let mut each = in_town(order);
    let own = for_towns(order);
    let own =
        own.map(|question| Worded::of_caller(question, language, |tag| Some(spoken(tag)), spot.clone()));
    let mut pool: Vec<Worded> = own.collect();
    let mut split = None;
    if pool.is_empty() {
        let mut wordings = wordings(language, order.keyword().as_str(), Some(&spoken(language.tag)));
        if let Some(panel) = panel.filter(|_| anchor.is_some()) {
            // The caller's town shares the pool with the core questions.
            wordings.list.truncate(MOST_CORE);
            split = panel.home(wordings.list.len());
        }
        pool = Worded::of_templates(&wordings, language.tag, &spot);
        if split.is_none() {
            // The caller's town goes on after the core questions.
            let core = anchor.map_or(0, |_| order.each_model() * models);
            pool.rotate_left(core % wordings.list.len().max(1));
        }
    } else {
        each = each.min(pool.len());
    }
    let id = |at: usize| {
        let (keyword, query) = (at / queries + 1, at % queries + 1);
        format!("r{}m{}k{keyword}q{query}", ring.get(), index + 1)
    };
    let asked = match split {
        Some(split) => of_split(&pool, &split),
        None => of_calls(&pool, drawn(pool.len(), models, 0..each)),
    };
    let asked = asked.into_iter().enumerate();
    asked.map(|(at, worded)| worded.planned(order, id(at))).collect()
}
