//! A finished scan, read and scored again with the current method.
//!
//! [`rescore`] needs the output of a scan: its result, which has the places and the bill,
//! and its evidence, which has the answers. It asks no model.
//! The numbers by the old version stay in `method.previous`.
//! It is pure, and gives the same result again for a scan of the current version.
//!
//! It does not guess: a result and evidence that do not belong together are an error.
//!
//! ```
//! # #[cfg(feature = "scan")] {
//! use ibid_engine::import::ImportedLog;
//! use ibid_engine::rescore::rescore;
//! use ibid_model::ScanId;
//!
//! let log = b"question,model,answer\nWho fixes pipes?,one,Ask Acme (acme.com).\nBest plumber?,one,Try Bolt & Co.\n";
//! let log = ImportedLog::read(log, 1_000)?;
//! let order = serde_json::json!({"domain": "acme.com", "keyword": "plumber"});
//! let plan = log.plan(order.as_object().cloned().unwrap_or_default())?;
//! let day = jiff::Timestamp::UNIX_EPOCH;
//! let scanned = log.score(ScanId::random(), &plan, day..=day);
//! let again = rescore(&scanned.result, &scanned.evidence)?;
//! assert_eq!(again.result.overall_score, scanned.result.overall_score);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod numbers;

use crate::evidence::{Evidence, EvidenceAnswer, EvidenceMethod};
use crate::insights;
use crate::numbers::{branding, is_about_branding, is_branded};
use crate::read::{Answer, Flag, Reading, Target, read};
use crate::scanned::Scanned;
use crate::score::{self, METHOD_VERSION};
use crate::slot::{BRANDED, Numbering, OWN, Slot, question_hash};
use ibid_model::Finish;
use ibid_model::ModelAlias;
use ibid_model::result::{AliasSource, PreviousModelScore, PreviousScores, ScanResult};

/// The reason that a scan cannot be scored again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotRescore {
    /// The evidence is about another website or keyword, or has other questions.
    #[error("the evidence belongs to another scan")]
    OtherScan,
    /// The evidence has no answers.
    #[error("the evidence has no answers")]
    NoAnswers,
    /// The evidence has answers of a model that is not in the result.
    #[error("the result has no model {0}")]
    UnknownModel(ModelAlias),
    /// The evidence has answers for a market that is not in the result.
    #[error("the result has no market for question {0}")]
    UnknownMarket(String),
}

/// One call of the scan, read again.
pub(crate) struct RescoredCall<'a> {
    pub(crate) answer: &'a EvidenceAnswer,
    pub(crate) model: usize,
    /// Number of the question's text: questions that read alike are one.
    pub(crate) question: usize,
    /// Where in the result the call belongs.
    pub(crate) slot: Slot,
    pub(crate) reading: Reading,
}

/// A scan read again.
pub(crate) struct Again<'a> {
    pub(crate) result: &'a ScanResult,
    pub(crate) target: Target,
    pub(crate) cells: Vec<RescoredCall<'a>>,
    pub(crate) seed: u64,
}

/// Reads and scores a finished scan again.
///
/// # Errors
/// [`CannotRescore`] if result and evidence do not belong together, or the evidence has no answers.
pub fn rescore(result: &ScanResult, evidence: &Evidence) -> Result<Scanned, CannotRescore> {
    if result.domain != evidence.domain || result.keyword != evidence.keyword {
        return Err(CannotRescore::OtherScan);
    }
    if evidence.answers.is_empty() {
        return Err(CannotRescore::NoAnswers);
    }
    let again = Again {
        result,
        target: target(evidence),
        cells: Vec::new(),
        seed: score::seed(evidence.scan_id),
    };
    let again = again.read(evidence)?;
    let mut new = again.renewed();
    new.method.version = METHOD_VERSION.to_owned();
    new.method.resamples = score::statistics::RESAMPLES;
    // The same version gives the same numbers, so there are no earlier ones to keep.
    if result.method.version != METHOD_VERSION || moved(result, &new) {
        new.method.previous.push(scores(result));
    }
    again.mark_branded(evidence, &mut new);
    mark_not_searched(&mut new);
    let evidence = again.evidence(evidence);
    insights::add(&mut new, &evidence);
    Ok(Scanned {
        result: new,
        evidence,
    })
}

/// The target as the current version would search for it,
/// with the names from the caller, the home page and the answers.
fn target(evidence: &Evidence) -> Target {
    let mut target = Target::of(&evidence.domain, &evidence.websites(), &evidence.brand_names)
        .without(&evidence.not_names);
    let taught = evidence
        .aliases
        .iter()
        .filter(|alias| alias.source == AliasSource::HomePage);
    target.learn_from_page(taught.map(|alias| alias.name.as_str()));
    target.learn(evidence.answers.iter().filter_map(answer_of));
    target
}

/// Takes the answer from a call; `None` when it failed.
pub(crate) fn answer_of(call: &EvidenceAnswer) -> Option<Answer<'_>> {
    Some(Answer {
        text: call.text.as_deref()?,
        citations: &call.citations,
        question: Some(&call.question),
        finish: call.finish.unwrap_or_else(|| finish(call)),
    })
}

/// Tells how an answer ended whose end was not recorded.
/// Truncation comes from the old reading; a refusal is found again in the words of the answer.
fn finish(call: &EvidenceAnswer) -> Finish {
    match &call.reading {
        Some(reading) if reading.flags.contains(&Flag::Cut) => Finish::Truncated,
        Some(_) | None => Finish::Complete,
    }
}

impl<'a> Again<'a> {
    fn read(self, evidence: &'a Evidence) -> Result<Self, CannotRescore> {
        let mut questions = Numbering::default();
        let mut cells = Vec::with_capacity(evidence.answers.len());
        for call in &evidence.answers {
            let slot = self.slot_of(call)?;
            if !self.asked(call, slot) {
                return Err(CannotRescore::OtherScan);
            }
            let model = self
                .result
                .models
                .iter()
                .position(|model| model.model == call.model);
            cells.push(RescoredCall {
                answer: call,
                model: model.ok_or_else(|| CannotRescore::UnknownModel(call.model.clone()))?,
                question: questions.of(&call.question),
                slot,
                reading: answer_of(call).map_or_else(Reading::failed, |answer| read(&self.target, &answer)),
            });
        }
        Ok(Self { cells, ..self })
    }

    /// The place that a question is about.
    fn place_of(&self, slot: Slot) -> Option<&'a str> {
        match slot {
            Slot::Core | Slot::Branded => {
                let location = self.result.location.as_ref()?;
                Some(&location.resolved.name)
            }
            Slot::Ring { ring, market } => {
                let mut rings = self.result.radius.rings.iter();
                let ring = rings.find(|known| known.ring == ring)?;
                Some(&ring.markets.get(market)?.name)
            }
        }
    }

    /// Whether a question is in the result.
    /// Results of older versions do not contain their questions.
    fn asked(&self, call: &EvidenceAnswer, slot: Slot) -> bool {
        let place = self.place_of(slot);
        let known = self
            .result
            .models
            .iter()
            .filter(|model| model.model == call.model)
            .flat_map(|model| &model.answers)
            .find(|answer| answer.question_id == call.question_id);
        let hash = known.and_then(|answer| answer.question_hash.as_deref());
        hash.is_none_or(|hash| hash == question_hash(&call.question, place))
    }

    /// Finds where a ring question belongs: its id is `r2m1k3q1` for ring, market, keyword and query.
    fn slot_of(&self, call: &EvidenceAnswer) -> Result<Slot, CannotRescore> {
        let Some(ring) = call.ring else {
            return Ok(match call.template.as_str() {
                BRANDED => Slot::Branded,
                _ => Slot::Core,
            });
        };
        let number = call.question_id.split_once('m').map_or("", |(_, rest)| rest);
        let number = number
            .split_once('k')
            .and_then(|(number, _)| number.parse::<usize>().ok());
        let index = number.and_then(|number| number.checked_sub(1));
        let rings = &self.result.radius.rings;
        index
            .filter(|index| {
                rings
                    .iter()
                    .any(|known| known.ring == ring && *index < known.markets.len())
            })
            .map(|market| Slot::Ring { ring, market })
            .ok_or_else(|| CannotRescore::UnknownMarket(call.question_id.clone()))
    }

    /// Marks whether the keyword or a question of the caller names the target, by the current method.
    fn mark_branded(&self, evidence: &Evidence, new: &mut ScanResult) {
        let mut own: Vec<(&str, &str)> = Vec::new();
        for answer in &evidence.answers {
            let question = (answer.template.as_str(), answer.question.as_str());
            if [OWN, BRANDED].contains(&question.0) && !own.contains(&question) {
                own.push(question);
            }
        }
        let keyword = evidence.keyword.as_str();
        let asked = Target::of(&evidence.domain, &evidence.websites(), &evidence.brand_names)
            .without(&evidence.not_names);
        let warnings = branding(&asked, keyword, own.into_iter());
        new.method.branded = is_branded(&warnings);
        new.warnings.retain(|warning| !is_about_branding(warning));
        // A fresh scan has them before the warnings of the run.
        let at = new
            .warnings
            .iter()
            .position(|warning| warning.code == crate::numbers::PARTIAL)
            .unwrap_or(new.warnings.len());
        new.warnings.splice(at..at, warnings);
    }

    /// The evidence with the new readings.
    fn evidence(self, old: &Evidence) -> Evidence {
        let aliases = self.target.aliases().to_vec();
        let answers = self.cells.into_iter().map(|cell| EvidenceAnswer {
            reading: cell.answer.error.is_none().then_some(cell.reading),
            finish: cell
                .answer
                .error
                .is_none()
                .then(|| cell.answer.finish.unwrap_or_else(|| finish(cell.answer))),
            ..cell.answer.clone()
        });
        Evidence {
            scan_id: old.scan_id,
            domain: old.domain.clone(),
            websites: old.websites.clone(),
            keyword: old.keyword.clone(),
            brand_names: old.brand_names.clone(),
            not_names: old.not_names.clone(),
            aliases,
            method: EvidenceMethod {
                version: METHOD_VERSION.to_owned(),
            },
            answers: answers.collect(),
        }
    }
}

/// Marks whether no answer searched, by the current readings.
fn mark_not_searched(new: &mut ScanResult) {
    new.warnings
        .retain(|warning| warning.code != crate::numbers::NOT_SEARCHED);
    new.warnings.extend(crate::numbers::not_searched(&new.retrieval));
}

fn scores(result: &ScanResult) -> PreviousScores {
    let models = result.models.iter().map(|model| PreviousModelScore {
        model: model.model.clone(),
        score: model.score,
        prominence: model.prominence,
        cited_rate: model.cited_rate,
    });
    PreviousScores {
        version: result.method.version.clone(),
        overall_score: result.overall_score,
        interval: result.interval,
        models: models.collect(),
    }
}

/// Whether a number that people look at is another one.
fn moved(old: &ScanResult, new: &ScanResult) -> bool {
    let seen = |result: &ScanResult| -> Vec<(f64, f64)> {
        let models = result
            .models
            .iter()
            .map(|model| (model.score.rounded(), model.cited_rate));
        models.chain([(result.overall_score.rounded(), 0.0)]).collect()
    };
    seen(old) != seen(new)
}

#[cfg(test)]
#[cfg(feature = "scan")]
mod tests;
