//! Concludes from a scan: cited sites, own pages, results by intent, and what to do.
//!
//! All conclusions come from a result and its evidence.
//! So a fresh scan and one that is scored again are treated alike.
//! The module is pure.
//! Answers may come in any order; only the list of intents follows it.
//! It fetches no pages.
//! A site that "never names the target" is one that no answer cites together with the target.
//! No model writes the advice, because its text could not be reproduced.

mod intents;
mod moves;
mod sources;

use crate::evidence::{Evidence, EvidenceAnswer};
use crate::numbers::round4;
use crate::read::{CitedAddress, Reading, Target, cited_addresses, read};
use crate::rescore::answer_of;
use crate::score::towns::Answers;
use crate::slot::BRANDED;
use ibid_model::result::{AliasSource, CompetitorKind, NamedAlias, OwnWebsite, ScanResult};
use ibid_model::{BrandName, Domain, ModelAlias, Ring};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Most rows in the tables with sites and pages.
const MOST_ROWS: usize = 50;

/// Writes the conclusions into a result that has its numbers.
pub(crate) fn add(result: &mut ScanResult, evidence: &Evidence) {
    let answers = CitingAnswer::all(result, evidence);
    let mut sources = sources::sites(&answers);
    let mut pages = sources::pages(&answers);
    result.moves = moves::moves(result, &answers, &sources, &pages);
    sources.truncate(MOST_ROWS);
    pages.truncate(MOST_ROWS);
    result.sources = sources;
    result.pages = pages;
    result.intents = intents::intents(&answers);
    let websites = &evidence.websites;
    if !websites.is_empty() {
        let links = |website: usize| {
            let is_linked = |address: &CitedAddress| address.website == Some(website);
            let linking = |answer: &&CitingAnswer<'_>| answer.addresses.iter().any(is_linked);
            answers.iter().filter(linking).count() as u32
        };
        let targets = Target::apart(websites, &given_names(evidence), &evidence.not_names);
        let rows = websites.iter().zip(&targets).enumerate();
        let rows = rows.map(|(at, (website, target))| OwnWebsite {
            website: website.to_string(),
            answers: links(at),
            mentions: answers
                .iter()
                .filter(|answer| answer.mentions(at, target))
                .count() as u32,
        });
        result.websites = rows.collect();
    }
}

/// A valid answer, with the addresses that it cites.
pub(crate) struct CitingAnswer<'a> {
    pub(crate) answer: &'a EvidenceAnswer,
    pub(crate) reading: &'a Reading,
    /// Position of its model in the result.
    model: usize,
    alias: &'a ModelAlias,
    /// Whether its question is a core question or about the home town.
    pub(crate) at_home: bool,
    /// Whether the overall score also counts it.
    headline: bool,
    pub(crate) addresses: Vec<CitedAddress>,
}

impl<'a> CitingAnswer<'a> {
    /// All that count, in a score or in a town.
    pub(crate) fn all(result: &ScanResult, evidence: &'a Evidence) -> Vec<Self> {
        let mut answers = Self::with_branded(result, evidence);
        answers.retain(|answer| !answer.is_branded());
        answers
    }

    /// Whether its question names the target and is counted apart.
    pub(crate) fn is_branded(&self) -> bool {
        self.answer.template == BRANDED
    }

    /// All, with those to questions that name the target.
    pub(crate) fn with_branded(result: &ScanResult, evidence: &'a Evidence) -> Vec<Self> {
        let home = home(result);
        let websites = evidence.websites();
        let of = |answer: &'a EvidenceAnswer| {
            let reading = answer.reading.as_ref().filter(|reading| reading.is_valid())?;
            let mut models = result.models.iter().enumerate();
            let (model, asked) = models.find(|(_, model)| model.model == answer.model)?;
            let stratum = result.retrieval.headline;
            let at_home = answer.ring.is_none() || (answer.ring == Some(Ring::HOME) && answer.market == home);
            let text = answer.text.as_deref().unwrap_or_default();
            Some(Self {
                answer,
                reading,
                model,
                alias: &answer.model,
                at_home,
                headline: at_home && stratum.counts(answer.retrieval.searched, asked.retrieval.search_asked),
                addresses: cited_addresses(&websites, text, &answer.citations),
            })
        };
        evidence.answers.iter().filter_map(of).collect()
    }

    /// Whether the text names the website at a position among the target's, or has its address.
    fn mentions(&self, at: usize, website: &Target) -> bool {
        let has = |address: &CitedAddress| address.written && address.website == Some(at);
        // An answer that cites no website of the target names none.
        let answer = || answer_of(self.answer).filter(|_| self.reading.cited());
        self.addresses.iter().any(has) || answer().is_some_and(|answer| read(website, &answer).named_in_text)
    }

    /// Names the competitors that the answer recommends.
    fn competitors(&self) -> impl Iterator<Item = &'a str> {
        let ranked =
            |one: &&crate::read::NamedCompetitor| one.kind == CompetitorKind::Rival && one.rank.is_some();
        self.reading.others().filter(ranked).map(|one| one.name.as_str())
    }
}

/// The names that the caller and the home page give. They are those of the main website.
fn given_names(evidence: &Evidence) -> Vec<BrandName> {
    let given = |alias: &&NamedAlias| matches!(alias.source, AliasSource::Request | AliasSource::HomePage);
    let names = evidence.aliases.iter().filter(given);
    names.filter_map(|alias| alias.name.parse().ok()).collect()
}

/// The home town, as answers name it.
fn home(result: &ScanResult) -> Option<String> {
    let rings = result.radius.rings.iter().filter(|ring| ring.ring == Ring::HOME);
    let mut markets = rings.flat_map(|ring| &ring.markets);
    let home = markets.find(|market| market.distance_km.is_some_and(|km| km < 1.0))?;
    Some(home.label())
}

/// Counts some answers, and those that pass a test.
fn counts<'a>(
    answers: impl Iterator<Item = &'a CitingAnswer<'a>>,
    test: impl Fn(&CitingAnswer<'_>) -> bool,
) -> Answers {
    let (mut all, mut cited, mut questions) = (0, 0, BTreeSet::new());
    for answer in answers {
        all += 1;
        cited += u32::from(test(answer));
        questions.insert(answer.answer.question.as_str());
    }
    Answers {
        answers: all,
        cited,
        questions: questions.len() as u32,
    }
}

/// Counts the answers with each value, most frequent first, then in the order of the values.
fn ranked<K: Ord>(counts: BTreeMap<K, u32>) -> Vec<(K, u32)> {
    let mut ranked: Vec<(K, u32)> = counts.into_iter().collect();
    ranked.sort_by_key(|(_, count)| Reverse(*count));
    ranked
}

/// The names that most answers put forward, at most `most`.
fn top_names<'a>(answers: impl Iterator<Item = &'a CitingAnswer<'a>>, most: usize) -> Vec<(String, u32)> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for answer in answers {
        let mut names: Vec<&str> = answer.competitors().collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            *counts.entry(name).or_default() += 1;
        }
    }
    let names = ranked(counts).into_iter().take(most);
    names.map(|(name, count)| (name.to_owned(), count)).collect()
}

/// A share of answers with four decimals, as rates are sent.
fn share(part: u32, of: usize) -> f64 {
    round4(f64::from(part) / (of.max(1) as f64))
}

/// The models at some positions of the result, in its order.
fn aliases(answers: &[&CitingAnswer<'_>]) -> Vec<ModelAlias> {
    let models: BTreeMap<usize, &ModelAlias> = answers
        .iter()
        .map(|answer| (answer.model, answer.alias))
        .collect();
    models.into_values().cloned().collect()
}

/// The websites and the folded names of the competitors in any answer.
pub(crate) struct Competitors {
    domains: BTreeSet<Domain>,
    names: BTreeSet<String>,
}

#[cfg(test)]
#[cfg(feature = "scan")]
mod tests;
