//! The moves that follow from a scan: one rule each, at most six, by the number of answers concerned.

use super::{CitingAnswer, counts, ranked, top_names};
use crate::radius::THRESHOLD_PCT;
use crate::read::Stance;
use crate::score::towns::{Answers, LEAST_CHANCE, rates};
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
/// Fewest answers that have to agree on a site of unknown kind, a criticism, or a question that names no one: among good questions,
/// one in four gets one answer without a name, and one in twenty gets two.
const FEWEST_ALIKE: u32 = 2;
/// Fewest answers that a move with a chance rests on. If five say the same, a coin would do so in one of sixteen cases; the range
/// for a rate over fewer is wider than half of all rates.
const FEWEST_ANSWERS: u32 = 6;
/// Under this share of answers a website is missing: the citation radius has the same threshold.
const MISSING: f64 = THRESHOLD_PCT as f64 / 100.0;

/// The moves, the one that concerns most answers first.
pub(super) fn moves(
    result: &ScanResult,
    answers: &[CitingAnswer<'_>],
    sites: &[CitedSite],
    pages: &[CitedPage],
) -> Vec<Move> {
    let name = result.domain.to_unicode();
    let questions = Question::all(answers.iter().filter(|answer| answer.headline));
    let mut moves: Vec<Move> = [
        criticism(answers, &name),
        lost_questions(answers, &questions, &name),
        missing_sources(answers, sites, &name),
        missing_pages(answers, &questions, sites, pages),
        lost_town(result, answers, &name),
        replace_questions(answers),
    ]
    .into_iter()
    .flatten()
    .collect();
    moves.sort_by_key(|found| (Reverse(found.answers), found.kind));
    moves
}

/// A question with its answers.
struct Question<'a> {
    text: &'a str,
    answers: Vec<&'a CitingAnswer<'a>>,
}

impl<'a> Question<'a> {
    fn all(answers: impl Iterator<Item = &'a CitingAnswer<'a>>) -> Vec<Self> {
        let mut by_text: BTreeMap<&str, Vec<&CitingAnswer<'_>>> = BTreeMap::new();
        for answer in answers {
            by_text.entry(&answer.answer.question).or_default().push(answer);
        }
        let question = |(text, answers)| Self { text, answers };
        by_text.into_iter().map(question).collect()
    }

    fn is_cited(&self) -> bool {
        self.answers.iter().any(|answer| answer.reading.cited())
    }

    fn is_of(&self, intent: &str) -> bool {
        self.answers.iter().any(|answer| answer.answer.template == intent)
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
/// `answers` and `chance` are those that the move rests on.
fn finish(
    kind: MoveKind,
    answers: u32,
    chance: Option<f64>,
    title: String,
    why: String,
    mut evidence: Vec<MoveEvidence>,
) -> Option<Move> {
    evidence.sort_by_key(|fact| Reverse(fact.answers));
    evidence.truncate(MOST_EVIDENCE);
    let fewest = match chance {
        Some(_) => FEWEST_ANSWERS,
        None => FEWEST_ALIKE,
    };
    (!evidence.is_empty() && answers >= fewest).then_some(Move {
        kind,
        title,
        why,
        answers,
        chance: chance.map(|chance| (chance * 100.0).floor() / 100.0),
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
    finish(
        MoveKind::Criticism,
        evidence.len() as u32,
        None,
        title,
        why,
        evidence,
    )
}

/// Questions of the intents for which answers cite the target less often than at home otherwise.
fn lost_questions(answers: &[CitingAnswer<'_>], questions: &[Question<'_>], name: &str) -> Option<Move> {
    let at_home = || answers.iter().filter(|answer| answer.headline);
    let cited = |answer: &CitingAnswer<'_>| answer.reading.cited();
    let intents: BTreeSet<&str> = at_home().map(|answer| answer.answer.template.as_str()).collect();
    let groups: Vec<Answers> = intents
        .iter()
        .map(|intent| {
            counts(
                at_home().filter(|answer| answer.answer.template == **intent),
                cited,
            )
        })
        .collect();
    let home = counts(at_home(), cited);
    let places = rates(home, &groups);
    let lost = intents.iter().zip(&groups).zip(places.iter().skip(1));
    let lost: Vec<_> = lost.filter(|(_, place)| place.lost >= LEAST_CHANCE).collect();
    let chance = lost.iter().map(|(_, place)| place.lost).reduce(f64::min);
    let (of_them, cited) = lost.iter().fold((0, 0), |(all, cited), ((_, group), _)| {
        (all + group.answers, cited + group.cited)
    });
    let names: Vec<String> = lost
        .iter()
        .map(|((intent, _), _)| format!("“{intent}”"))
        .collect();
    let is_lost = |question: &&Question<'_>| {
        !question.is_cited() && lost.iter().any(|((intent, _), _)| question.is_of(intent))
    };
    let evidence: Vec<MoveEvidence> = questions
        .iter()
        .filter(is_lost)
        .map(|question| question.evidence(question.naming_competitors()))
        .filter(|fact| fact.answers > 0)
        .collect();
    let title = format!("Be an answer to questions of the kind {}", listed(&names));
    let why = format!(
        "{cited} of {} to them cite {name}, and {} of {} in all at home.",
        counted(of_them as usize, "answer", "answers"),
        home.cited,
        home.answers
    );
    finish(MoveKind::LostQuestions, of_them, chance, title, why, evidence)
}

/// Sites that answers cite, never together with the target.
fn missing_sources(answers: &[CitingAnswer<'_>], sites: &[CitedSite], name: &str) -> Option<Move> {
    let is_open = |site: &&CitedSite| match site.kind {
        SiteKind::Directory | SiteKind::Media => true,
        SiteKind::Other => site.answers >= FEWEST_ALIKE,
        SiteKind::Own | SiteKind::Competitor => false,
    };
    let open: Vec<&CitedSite> = sites.iter().filter(is_open).collect();
    let groups: Vec<Answers> = open
        .iter()
        .map(|site| Answers {
            answers: site.answers,
            cited: site.target_answers,
            questions: site.answers,
        })
        .collect();
    let all = counts(answers.iter(), |answer| answer.reading.cited());
    let places = rates(all, &groups);
    let missing = open.into_iter().zip(places.iter().skip(1));
    let missing: Vec<(&CitedSite, f64)> = missing
        .filter(|(site, _)| site.target_answers == 0)
        .map(|(site, place)| (site, place.chance_under(MISSING)))
        .filter(|(_, chance)| *chance >= LEAST_CHANCE)
        .collect();
    let first: Vec<String> = missing
        .iter()
        .take(MOST_COMPETITORS)
        .map(|(site, _)| site.domain.to_unicode())
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
    let chance = missing.iter().map(|(_, chance)| *chance).reduce(f64::min);
    let is_missing = |site: &Domain| missing.iter().any(|(missing, _)| missing.domain == *site);
    let citing = |answer: &&CitingAnswer<'_>| answer.addresses.iter().any(|one| is_missing(&one.site));
    let behind = answers.iter().filter(citing).count() as u32;
    let evidence: Vec<MoveEvidence> = missing
        .into_iter()
        .map(|(site, _)| MoveEvidence {
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
        })
        .collect();
    finish(MoveKind::MissingSources, behind, chance, title, why, evidence)
}

/// Questions whose answers cite a competitor's page and no page of the target.
fn missing_pages(
    answers: &[CitingAnswer<'_>],
    questions: &[Question<'_>],
    sites: &[CitedSite],
    pages: &[CitedPage],
) -> Option<Move> {
    let rivals: BTreeSet<&Domain> = sites
        .iter()
        .filter(|site| site.kind == SiteKind::Competitor)
        .map(|site| &site.domain)
        .collect();
    let cites_rival = |answer: &CitingAnswer<'_>| {
        answer
            .addresses
            .iter()
            .any(|address| rivals.contains(&address.site))
    };
    let cites_own = |answer: &CitingAnswer<'_>| answer.addresses.iter().any(|address| address.is_own());
    let at_home = || answers.iter().filter(|answer| answer.headline);
    let with_rivals = counts(at_home().filter(|answer| cites_rival(answer)), cites_own);
    let places = rates(counts(at_home(), cites_own), &[with_rivals]);
    let chance = places.get(1)?.chance_under(MISSING);
    if chance < LEAST_CHANCE {
        return None;
    }
    let evidence: Vec<MoveEvidence> = questions
        .iter()
        .filter_map(|question| rival_page(question, &rivals))
        .collect();
    let title = match evidence.len() {
        1 => "Publish a page that answers the question for which a competitor's page is cited".to_owned(),
        n => format!("Publish pages that answer the {n} questions for which competitors' pages are cited"),
    };
    let own = pages.first().map_or_else(String::new, |page| {
        format!(
            " Your most cited page is {}, in {}.",
            in_words(&page.url),
            counted(page.answers as usize, "answer", "answers")
        )
    });
    let why = format!(
        "{} at home cite pages of competitors, and {} of them also one of yours.{own}",
        counted(with_rivals.answers as usize, "answer", "answers"),
        with_rivals.cited
    );
    finish(
        MoveKind::MissingPages,
        with_rivals.answers,
        Some(chance),
        title,
        why,
        evidence,
    )
}

/// The competitor's page that most answers to a question cite; `None` if they cite a page of the target.
fn rival_page(question: &Question<'_>, rivals: &BTreeSet<&Domain>) -> Option<MoveEvidence> {
    let addresses = || question.answers.iter().flat_map(|answer| &answer.addresses);
    if addresses().any(|address| address.is_own()) {
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

/// The nearest town in which answers cite the target less often than at home, by a tenth or more.
fn lost_town(result: &ScanResult, answers: &[CitingAnswer<'_>], name: &str) -> Option<Move> {
    let rings = result.radius.rings.iter();
    let towns = rings.flat_map(|ring| ring.markets.iter().map(move |market| (ring, market)));
    let is_lost =
        |(_, market): &(&RingResult, &MarketResult)| market.lost.is_some_and(|chance| chance >= LEAST_CHANCE);
    let mut lost: Vec<(&RingResult, &MarketResult)> = towns.filter(is_lost).collect();
    let km = |market: &MarketResult| market.distance_km.unwrap_or_default();
    lost.sort_by(|(_, a), (_, b)| km(a).total_cmp(&km(b)));
    let (ring, market) = lost.first()?;
    let title = format!("Become known in {}", market.name);
    let which = match lost.len() {
        1 => "the only town".to_owned(),
        n if market.distance_km.is_none() => format!("one of {n} towns"),
        n => format!("the nearest of {n} towns"),
    };
    let away = market.distance_km.map(|km| format!(", {km:.0} km away,"));
    let at_home = answers.iter().filter(|answer| answer.headline);
    let home = counts(at_home, |answer| answer.reading.cited());
    let cited = (market.cited_rate.unwrap_or_default() * f64::from(market.answered)).round();
    let why = format!(
        "{}{} is {which} in which answers cite {name} less often than at home: in {cited} of {}, at home in {} of {}.",
        market.name,
        away.unwrap_or_default(),
        market.answered,
        home.cited,
        home.answers
    );
    let evidence = MoveEvidence {
        town: Some(market.name.clone()),
        ring: Some(ring.ring),
        distance_km: market.distance_km,
        competitors: market.top_competitors.clone(),
        answers: market.answered,
        ..MoveEvidence::default()
    };
    finish(
        MoveKind::LostTown,
        market.answered,
        market.lost,
        title,
        why,
        vec![evidence],
    )
}

/// Questions whose answers all name no provider. Their answers can cite no one, so they measure nothing.
fn replace_questions(answers: &[CitingAnswer<'_>]) -> Option<Move> {
    let questions = Question::all(answers.iter());
    let asked = questions.len();
    let names_no_one = |question: &&Question<'_>| {
        let mut answers = question.answers.iter();
        answers.len() >= FEWEST_ALIKE as usize && answers.all(|answer| answer.reading.competitors.is_empty())
    };
    let evidence: Vec<MoveEvidence> = questions
        .iter()
        .filter(names_no_one)
        .map(|question| question.evidence(question.answers.len() as u32))
        .collect();
    let behind = evidence.iter().map(|fact| fact.answers).sum();
    let title = match evidence.len() {
        1 => "Replace the question that names no one".to_owned(),
        n => format!("Replace the {n} questions that name no one"),
    };
    let why = format!(
        "No answer to {} of {} names a provider, so they measure nothing. Ask for a choice: which one, who, or the best.",
        evidence.len(),
        counted(asked, "question", "questions"),
    );
    finish(MoveKind::ReplaceQuestions, behind, None, title, why, evidence)
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
