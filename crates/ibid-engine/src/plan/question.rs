//! One question of a plan, asked of every model.

use super::location::{self, Located};
use super::phrases::{INTENTS, Phrases};
use super::spoken::SpokenPlace;
use super::{keyword, variants, wording};
use crate::slot::{OWN, Slot, question_hash};
use ibid_gazetteer::RingMarkets;
use ibid_model::{OwnQuestion, ScanOrder};
use ibid_provider::{Scene, UserPlace};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One question of a plan, asked of every model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedQuestion {
    /// Stable for plans of one shape: `c1`, or `r2m1k3q1` for ring, market, keyword and query.
    pub id: String,
    /// The part of the result that its answers belong to.
    pub slot: Slot,
    /// The intent of the template; `own` for a question of the caller.
    pub template: Cow<'static, str>,
    /// BCP 47 tag of its language.
    pub language: Cow<'static, str>,
    /// The question.
    pub text: String,
    /// The place of the asking person.
    pub place: Option<UserPlace>,
    /// The facts behind the question; only the sandbox sees them.
    pub scene: Scene,
}

impl PlannedQuestion {
    /// Identifies the question and its place in any scan: 16 hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> String {
        question_hash(&self.text, self.scene.place.as_deref())
    }
}

/// All questions: core first, then ring by ring, market by market.
pub(super) fn questions(
    order: &ScanOrder,
    located: Option<&Located>,
    rings: &[RingMarkets],
    language: &'static Phrases,
) -> Vec<PlannedQuestion> {
    let mut questions = core(order, located, language);
    for ring in rings {
        for market in 0..ring.markets.len() {
            questions.extend(in_market(order, located, ring, market));
        }
    }
    questions
}

/// The core questions of the templates, one for each intent, with the intents.
pub(super) fn generated(
    order: &ScanOrder,
    located: Option<&Located>,
    language: &'static Phrases,
) -> impl Iterator<Item = (&'static str, String)> {
    let spoken = located.map(|located| SpokenPlace::anchor(located, language.tag));
    let keyword = order.keyword().as_str();
    INTENTS
        .iter()
        .zip(&language.templates)
        .map(move |(intent, template)| {
            let text = wording::question(language, template, keyword, spoken.as_ref());
            (*intent, text)
        })
}

/// The core questions: the caller's own, or the generated ones.
/// An own question with the wording of a generated one becomes the generated one,
/// so a list with one question less or more stays comparable.
fn core(order: &ScanOrder, located: Option<&Located>, language: &'static Phrases) -> Vec<PlannedQuestion> {
    let generated = generated(order, located, language);
    let worded: Vec<_> = if order.questions().is_empty() {
        generated
            .take(order.core_questions())
            .map(|(intent, text)| (intent, language.tag, text))
            .collect()
    } else {
        let generated: Vec<_> = generated.collect();
        let own = |question: &OwnQuestion| {
            let text = question.as_str();
            match generated.iter().find(|(_, known)| known == text) {
                Some((intent, _)) => (*intent, language.tag, text.to_owned()),
                None => {
                    let tag = keyword::language(text).unwrap_or(language.tag);
                    (OWN, tag, text.to_owned())
                }
            }
        };
        order.questions().iter().map(own).collect()
    };
    let question =
        |(index, (template, tag, text)): (usize, (&'static str, &'static str, String))| PlannedQuestion {
            id: format!("c{}", index + 1),
            slot: Slot::Core,
            template: template.into(),
            language: tag.into(),
            text,
            place: located.and_then(Located::centre).map(location::user_place),
            scene: Scene {
                domain: order.domain().clone(),
                keyword: order.keyword().as_str().to_owned(),
                place: located.map(|located| located.resolved().place().name().to_owned()),
                distance_km: located.and_then(Located::centre).map(|_| 0.0),
                language: tag.to_owned(),
            },
        };
    worded.into_iter().enumerate().map(question).collect()
}

fn in_market(
    order: &ScanOrder,
    located: Option<&Located>,
    ring: &RingMarkets,
    index: usize,
) -> Vec<PlannedQuestion> {
    let Some(market) = ring.markets.get(index) else {
        return Vec::new();
    };
    let phrases = variants::market_language(order, &market.place);
    let spoken = match located {
        Some(located) if located.is_anchor(&market.place) => SpokenPlace::anchor(located, phrases.tag),
        Some(_) | None => SpokenPlace::town(&market.place, phrases.tag),
    };
    let market_id = market.place.id().to_string();
    let keywords = variants::keywords(
        phrases,
        order.keyword().as_str(),
        &market_id,
        order.keywords_per_ring().as_usize(),
    );
    let mut questions = Vec::new();
    for (k, keyword) in keywords.iter().enumerate() {
        for q in 0..order.queries_per_keyword().as_usize() {
            // Starts after the core intents, so the home market does not repeat the core questions.
            let intent = (order.questions_per_model().as_usize() + k + q) % INTENTS.len();
            questions.push(PlannedQuestion {
                id: format!("r{}m{}k{}q{}", ring.ring.get(), index + 1, k + 1, q + 1),
                slot: Slot::Ring {
                    ring: ring.ring,
                    market: index,
                },
                template: INTENTS[intent].into(),
                language: phrases.tag.into(),
                text: wording::question(phrases, phrases.templates[intent], keyword, Some(&spoken)),
                place: Some(location::user_place(&market.place)),
                scene: Scene {
                    domain: order.domain().clone(),
                    keyword: order.keyword().as_str().to_owned(),
                    place: Some(market.place.name().to_owned()),
                    distance_km: located.and_then(Located::centre).map(|_| market.distance_km),
                    language: phrases.tag.to_owned(),
                },
            });
        }
    }
    questions
}
