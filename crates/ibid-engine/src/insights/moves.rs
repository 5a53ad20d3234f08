//! The moves that follow from a scan: one rule each, at most five, by the number of answers concerned.

use super::{CitingAnswer, ranked, top_names};
use crate::read::Stance;
use ibid_model::Domain;
use ibid_model::result::{
    CitedPage, CitedSite, MarketResult, Move, MoveEvidence, MoveKind, RingResult, ScanResult, SiteKind,
};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Facts shown for each move.
const MOST_EVIDENCE: usize = 5;
/// Competitors named for each fact.
const MOST_COMPETITORS: usize = 3;
/// Fewest answers that cite a site of unknown kind.
const FEWEST_OF_OTHER: u32 = 2;

/// The moves, the one that concerns most answers first.
pub(super) fn moves(
    result: &ScanResult,
    answers: &[CitingAnswer<'_>],
    sites: &[CitedSite],
    pages: &[CitedPage],
) -> Vec<Move> {
    let name = result.domain.to_unicode();
    let questions = Question::all(answers);
    let mut moves: Vec<Move> = [
        criticism(answers, &name),
        lost_questions(&questions, &name),
        missing_sources(sites, &name),
        missing_pages(&questions, sites, pages, &name),
        lost_town(result, answers, &name),
    ]
    .into_iter()
    .flatten()
    .collect();
    moves.sort_by_key(|found| (Reverse(found.answers), found.kind));
    moves
}

/// A core question with the answers that the headline rests on.
struct Question<'a> {
    text: &'a str,
    answers: Vec<&'a CitingAnswer<'a>>,
}

impl<'a> Question<'a> {
    fn all(answers: &'a [CitingAnswer<'a>]) -> Vec<Self> {
        let mut by_text: BTreeMap<&str, Vec<&CitingAnswer<'_>>> = BTreeMap::new();
        for answer in answers.iter().filter(|answer| answer.headline) {
            by_text.entry(&answer.answer.question).or_default().push(answer);
        }
        let question = |(text, answers)| Self { text, answers };
        by_text.into_iter().map(question).collect()
    }

    fn is_cited(&self) -> bool {
        self.answers.iter().any(|answer| answer.reading.cited())
    }

    /// Answers that put a competitor forward.
    fn naming_competitors(&self) -> u32 {
        let naming = |answer: &&&CitingAnswer<'_>| answer.competitors().next().is_some();
        self.answers.iter().filter(naming).count() as u32
    }

    fn evidence(&self, answers: u32) -> MoveEvidence {
        // Questions with the same text share one entry, under the first of their ids.
        let id = self.answers.iter().map(|answer| &answer.answer.question_id).min();
        MoveEvidence {
            question_id: id.cloned(),
            question: Some(self.text.to_owned()),
            competitors: names(self.answers.iter().copied()),
            answers,
            ..MoveEvidence::default()
        }
    }
}

fn names<'a>(answers: impl Iterator<Item = &'a CitingAnswer<'a>>) -> Vec<String> {
    let top = top_names(answers, MOST_COMPETITORS);
    top.into_iter().map(|(name, _)| name).collect()
}

/// Sorts facts by their answers and keeps the first of them.
fn finish(kind: MoveKind, title: String, why: String, mut evidence: Vec<MoveEvidence>) -> Option<Move> {
    let answers = evidence.iter().map(|fact| fact.answers).sum();
    evidence.sort_by_key(|fact| Reverse(fact.answers));
    evidence.truncate(MOST_EVIDENCE);
    (!evidence.is_empty()).then_some(Move {
        kind,
        title,
        why,
        answers,
        evidence,
    })
}

/// Answers that advise against the target.
fn criticism(answers: &[CitingAnswer<'_>], name: &str) -> Option<Move> {
    let against = answers
        .iter()
        .filter(|answer| answer.reading.stance == Stance::Discouraged);
    let mut evidence: Vec<MoveEvidence> = against
        .map(|answer| MoveEvidence {
            question_id: Some(answer.answer.question_id.clone()),
            question: Some(answer.answer.question.clone()),
            quote: answer.reading.quotes.first().map(|quote| quote.text.clone()),
            model: Some(answer.alias.clone()),
            answers: 1,
            ..MoveEvidence::default()
        })
        .collect();
    evidence.sort_by(|a, b| (&a.question_id, &a.model).cmp(&(&b.question_id, &b.model)));
    let title = "Answer the criticism that answers repeat".to_owned();
    let why = format!(
        "{} {name}, or say that it is gone.",
        counted(evidence.len(), "answer advises against", "answers advise against")
    );
    finish(MoveKind::Criticism, title, why, evidence)
}

/// Core questions whose answers put competitors forward and never the target.
fn lost_questions(questions: &[Question<'_>], name: &str) -> Option<Move> {
    let lost: Vec<MoveEvidence> = questions
        .iter()
        .filter(|question| !question.is_cited())
        .map(|question| question.evidence(question.naming_competitors()))
        .filter(|fact| fact.answers > 0)
        .collect();
    let title = match lost.len() {
        1 => "Be an answer to the question that only competitors win".to_owned(),
        n => format!("Be an answer to the {n} questions that only competitors win"),
    };
    let why = format!(
        "The answers to {} of {} put competitors forward and never cite {name}.",
        lost.len(),
        counted(questions.len(), "core question", "core questions")
    );
    finish(MoveKind::LostQuestions, title, why, lost)
}

/// Sites that answers cite, never together with the target.
fn missing_sources(sites: &[CitedSite], name: &str) -> Option<Move> {
    let is_open = |site: &&CitedSite| match site.kind {
        SiteKind::Directory | SiteKind::Media => true,
        SiteKind::Other => site.answers >= FEWEST_OF_OTHER,
        SiteKind::Own | SiteKind::Competitor => false,
    };
    let missing: Vec<&CitedSite> = sites
        .iter()
        .filter(is_open)
        .filter(|site| site.target_answers == 0)
        .collect();
    let first: Vec<String> = missing
        .iter()
        .take(MOST_COMPETITORS)
        .map(|site| site.domain.to_unicode())
        .collect();
    let title = format!("Get named on {}", listed(&first));
    let why = format!(
        "{} cited in answers, and none of these answers cites {name}.",
        counted(
            missing.len(),
            "directory, medium or other site is",
            "directories, media and other sites are"
        )
    );
    let evidence = missing.into_iter().map(|site| MoveEvidence {
        domain: Some(site.domain.clone()),
        url: Some(site.url.clone()),
        competitors: site
            .competitors
            .iter()
            .take(MOST_COMPETITORS)
            .map(|fed| fed.name.clone())
            .collect(),
        answers: site.answers,
        ..MoveEvidence::default()
    });
    finish(MoveKind::MissingSources, title, why, evidence.collect())
}

/// Questions whose answers cite a competitor's page and no page of the target.
fn missing_pages(
    questions: &[Question<'_>],
    sites: &[CitedSite],
    pages: &[CitedPage],
    name: &str,
) -> Option<Move> {
    let rivals: BTreeSet<&Domain> = sites
        .iter()
        .filter(|site| site.kind == SiteKind::Competitor)
        .map(|site| &site.domain)
        .collect();
    let evidence: Vec<MoveEvidence> = questions
        .iter()
        .filter_map(|question| rival_page(question, &rivals))
        .collect();
    let title = match evidence.len() {
        1 => "Publish a page that answers the question for which a competitor's page is cited".to_owned(),
        n => format!("Publish pages that answer the {n} questions for which competitors' pages are cited"),
    };
    let own = match pages.first() {
        Some(page) => format!(
            "Its most cited page is {}, in {}.",
            in_words(&page.url),
            counted(page.answers as usize, "answer", "answers")
        ),
        None => format!("No answer cites a page of {name}."),
    };
    let why = format!(
        "To {} answers cite pages of competitors and no page of {name}. {own}",
        counted(evidence.len(), "core question", "core questions")
    );
    finish(MoveKind::MissingPages, title, why, evidence)
}

/// The competitor's page that most answers to a question cite; `None` if they cite a page of the target.
fn rival_page(question: &Question<'_>, rivals: &BTreeSet<&Domain>) -> Option<MoveEvidence> {
    let addresses = || question.answers.iter().flat_map(|answer| &answer.addresses);
    if addresses().any(|address| address.own) {
        return None;
    }
    let mut urls: BTreeMap<(&str, &Domain), u32> = BTreeMap::new();
    for address in addresses().filter(|address| rivals.contains(&address.site)) {
        *urls.entry((&address.url, &address.site)).or_default() += 1;
    }
    let citing = question.answers.iter().filter(|answer| {
        let mut addresses = answer.addresses.iter();
        addresses.any(|address| rivals.contains(&address.site))
    });
    let citing = citing.count() as u32;
    let ((url, site), _) = ranked(urls).into_iter().next()?;
    Some(MoveEvidence {
        url: Some(url.to_owned()),
        domain: Some(site.clone()),
        ..question.evidence(citing)
    })
}

/// The nearest town in which no answer cites the target, if answers closer to the place cite it.
fn lost_town(result: &ScanResult, answers: &[CitingAnswer<'_>], name: &str) -> Option<Move> {
    let mut towns: Vec<(&RingResult, &MarketResult)> = result
        .radius
        .rings
        .iter()
        .flat_map(|ring| ring.markets.iter().map(move |market| (ring, market)))
        .filter(|(_, market)| market.answered > 0)
        .collect();
    let km = |market: &MarketResult| market.distance_km.unwrap_or_default();
    towns.sort_by(|(_, a), (_, b)| km(a).total_cmp(&km(b)));
    let at_home = answers
        .iter()
        .any(|answer| answer.headline && answer.reading.cited());
    let is_lost = |(_, market): &&(&RingResult, &MarketResult)| market.cited_rate == Some(0.0);
    let before = towns.iter().take_while(|town| !is_lost(town)).count();
    let (ring, market) = towns.iter().find(is_lost)?;
    if !at_home && before == 0 {
        return None;
    }
    let all = towns.iter().filter(is_lost).count();
    let title = format!("Become known in {}", market.name);
    let which = match all {
        1 => "the only town".to_owned(),
        n if market.distance_km.is_none() => format!("one of {n} towns"),
        n => format!("the nearest of {n} towns"),
    };
    let away = market.distance_km.map(|km| format!(", {km:.0} km away,"));
    let why = format!(
        "{}{} is {which} in which no answer cites {name}.",
        market.name,
        away.unwrap_or_default()
    );
    let evidence = MoveEvidence {
        town: Some(market.name.clone()),
        ring: Some(ring.ring),
        distance_km: market.distance_km,
        competitors: market.top_competitors.clone(),
        answers: market.answered,
        ..MoveEvidence::default()
    };
    finish(MoveKind::LostTown, title, why, vec![evidence])
}

/// An address in a sentence: host and path, with the host in its usual spelling.
pub(super) fn in_words(url: &str) -> String {
    let address = url.split_once("://").map_or(url, |(_, address)| address);
    let (host, path) = address
        .find(['/', '?', '#'])
        .map_or((address, ""), |at| address.split_at(at));
    let host = host.strip_prefix("www.").unwrap_or(host);
    // A host with a port is no domain and stays unchanged.
    let domain = host
        .parse::<Domain>()
        .ok()
        .filter(|domain| domain.as_str() == host);
    let host = domain.map_or_else(|| host.to_owned(), |domain| domain.to_unicode());
    format!("{host}{}", if path == "/" { "" } else { path })
}

fn counted(count: usize, one: &str, many: &str) -> String {
    let noun = if count == 1 { one } else { many };
    format!("{count} {noun}")
}

/// "a, b and c".
fn listed(words: &[String]) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => words.concat(),
    }
}
