//! What a project can do, from the answers of all runs since the last change.

use super::{AnswerMentions, KeptRival, Names, RunMentions, SourceKind};
use crate::score::statistics::{REPEAT_CORRELATION, beta_chance, effective_size};
use crate::score::towns::{QUESTION_CORRELATION, shrunk};
use ibid_model::ScanId;
use ibid_model::result::{CauseRole, Factor, HistoryChange, ReportQuestion};
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers for the rules, as the simulations in docs/METHOD.md chose them.
struct Rules {
    /// Runs that are counted, and moves that are told, at most.
    most: (usize, usize),
    /// A question is lost where the website's rate is under the first, and the rival's without it over the second.
    lost: (f64, f64),
    /// Answers without the website that tell of a question; rivals that are looked at.
    least: (u32, usize),
    /// The least chance that a question is lost, and how large the doubts may be in the mean.
    sure: (f64, f64),
    /// The least that answers and the mean count for.
    common: (f64, f64),
    /// A model is blind under the first share of the others' rate by a chance, under the second in the mean, where theirs is the
    /// third at least, from so many answers on.
    blind: (f64, f64, f64, u32),
    /// A site is listed from so many citing answers on, and the list has at most so many sites.
    outreach: (u32, usize),
}

const RULES: Rules = Rules {
    most: (12, 6),
    lost: (0.25, 0.5),
    least: (6, 8),
    sure: (0.9, 0.1),
    common: (0.5, 60.0),
    blind: (0.7, 0.5, 0.15, 12),
    outreach: (5, 10),
};

/// What a move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectMoveKind {
    /// The answers to a question name one competitor, and not the website.
    LostToRival,
    /// A model names the website far less often than the others.
    BlindModel,
}

/// A thing to do, with what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectMove {
    /// Which rule found it.
    pub kind: ProjectMoveKind,
    /// What it is about.
    pub subject: MoveSubject,
    /// Answers that it rests on.
    pub answers: u32,
    /// Those that name the website.
    pub naming: u32,
    /// Answers that name the competitor, or of another model as many answers would.
    pub usual: u32,
    /// Runs that it rests on.
    pub runs: usize,
    /// The first of them.
    pub since: ScanId,
    /// Answers a month that it could win.
    pub at_stake: f64,
    /// The fact in words.
    pub sentence: String,
    /// The answers, the latest first.
    pub evidence: Vec<AnswerOf>,
}

/// What a move is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MoveSubject {
    /// The questions, of a lost one.
    pub questions: Vec<String>,
    /// The competitor that wins them.
    pub rival: Option<String>,
    /// The model by its label.
    pub model: Option<String>,
}

/// An answer of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerOf {
    /// Whose answer it is.
    pub scan_id: ScanId,
    /// The question, as in the result.
    pub question_id: String,
    /// The alias that was asked.
    pub model: String,
}

/// A site that answers cite, and none of them with the website.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutreachSite {
    /// The registrable domain, as answers cite it.
    pub site: String,
    /// What kind of site it is.
    pub kind: SourceKind,
    /// The answers that cite it.
    pub answers: u32,
}

/// What a project can do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ProjectMoves {
    /// The one with the greatest stake first.
    pub moves: Vec<ProjectMove>,
    /// The sites cited most without the website.
    pub outreach: Vec<OutreachSite>,
    /// The runs since the last change, at most twelve.
    pub runs: usize,
    /// The moves in words, or that there are none.
    pub sentences: Vec<String>,
    /// The questions that name the website: a panel of their own, which no move counts.
    pub branded: Vec<ReportQuestion>,
}

type Answer<'a> = (ScanId, &'a AnswerMentions);
/// Answers with the competitors that they name.
type NamedAnswers<'a> = Vec<(Answer<'a>, BTreeSet<String>)>;

/// Finds moves in runs without a change, the oldest first. `monthly` is how many runs a month has, and `label` how a model is
/// called.
pub fn moves(
    runs: &[(ScanId, RunMentions)],
    kept: &[KeptRival],
    monthly: f64,
    label: impl Fn(&str) -> String,
) -> ProjectMoves {
    let runs = runs
        .get(runs.len().saturating_sub(RULES.most.0)..)
        .unwrap_or_default();
    let Some((since, _)) = runs.first() else {
        return ProjectMoves::default();
    };
    let answers: Vec<Answer<'_>> = runs
        .iter()
        .flat_map(|(scan, run)| run.answers.iter().map(|answer| (*scan, answer)))
        .collect();
    let a_month = |answers: u32| monthly * f64::from(answers) / runs.len() as f64;
    let level = f64::from(cited(&answers)) / answers.len().max(1) as f64;
    let found =
        |subject: MoveSubject, of: &[Answer<'_>], usual: u32, rate: f64, sentence: String| ProjectMove {
            kind: match subject.model {
                Some(_) => ProjectMoveKind::BlindModel,
                None => ProjectMoveKind::LostToRival,
            },
            subject,
            answers: of.len() as u32,
            naming: cited(of),
            usual,
            runs: runs.len(),
            since: *since,
            at_stake: (10.0 * a_month(of.len() as u32) * (rate - share(of)).max(0.0)).round() / 10.0,
            sentence,
            evidence: evidence(of),
        };
    let read: Vec<&RunMentions> = runs.iter().map(|(_, run)| run).collect();
    let lost = lost(&answers, &Names::of(&read, kept), kept);
    let questions: BTreeSet<&str> = answers
        .iter()
        .map(|(_, answer)| answer.question.as_str())
        .collect();
    let mut by_rival: BTreeMap<&str, Vec<&Lost<'_>>> = BTreeMap::new();
    for one in &lost {
        by_rival.entry(&one.rival).or_default().push(one);
    }
    let of_runs = crate::report::runs(runs.len());
    let mut moves = Vec::new();
    for (rival, lost) in by_rival {
        let most = 2 * lost.len() >= questions.len() && lost.len() > 1;
        let groups: Vec<Vec<&Lost<'_>>> = match most {
            true => vec![lost],
            false => lost.into_iter().map(|one| vec![one]).collect(),
        };
        for group in groups {
            let of: Vec<Answer<'_>> = group.iter().flat_map(|one| one.answers.iter().copied()).collect();
            let named: u32 = group.iter().map(|one| one.named).sum();
            let (all, own) = (of.len(), cited(&of));
            let texts: Vec<String> = group.iter().map(|one| one.question.to_owned()).collect();
            let sentence = match (most, texts.first()) {
                (false, Some(text)) => {
                    format!(
                        "“{text}” goes to {rival}: in {named} of {all} answers of {of_runs}, you in {own}."
                    )
                }
                _ => format!(
                    "{rival} is ahead on most questions: in {named} of {all} answers of {of_runs}, you in {own}."
                ),
            };
            let subject = MoveSubject {
                questions: texts,
                rival: Some(rival.to_owned()),
                model: None,
            };
            moves.push(found(subject, &of, named, level, sentence));
        }
    }
    for blind in blind(&answers, runs.len()) {
        let name = label(blind.model);
        let (own, all) = (cited(&blind.answers), blind.answers.len());
        let (theirs, of) = blind.others;
        let subject = MoveSubject {
            model: Some(name.clone()),
            ..MoveSubject::default()
        };
        let rate = f64::from(theirs) / f64::from(of.max(1));
        let usual = (rate * all as f64).round() as u32;
        let sentence = format!("{name} names you in {own} of {all} answers, the others in {theirs} of {of}.");
        moves.push(found(subject, &blind.answers, usual, rate, sentence));
    }
    moves.sort_by(|a, b| {
        b.at_stake
            .total_cmp(&a.at_stake)
            .then_with(|| a.sentence.cmp(&b.sentence))
    });
    moves.truncate(RULES.most.1);
    let sentences = match moves.is_empty() {
        true => vec![format!("Nothing stands out from {of_runs}.")],
        false => moves.iter().map(|found| found.sentence.clone()).collect(),
    };
    ProjectMoves {
        moves,
        outreach: outreach(&answers),
        runs: runs.len(),
        sentences,
        branded: crate::report::questions(runs.iter().map(|(_, run)| &run.branded)),
    }
}

/// The one thing to do after a change, or in view of the moves.
pub fn next_step(change: Option<&HistoryChange>, moves: &ProjectMoves) -> Option<String> {
    let cause = change.and_then(|change| change.causes.iter().find(|cause| cause.role != CauseRole::Spared));
    let text = match (cause, change, moves.moves.first()) {
        (Some(cause), ..) => {
            let name = &cause.name;
            match cause.factor {
                Factor::Model => format!("read the answers of {name} since then"),
                Factor::QuestionKind => format!("read the answers to {name} since then"),
                Factor::Rival => format!("read what the answers say about {name}"),
                Factor::Source => format!("see whether {name} still names you"),
                Factor::Page => format!("see whether {name} can still be read"),
                Factor::Search => "see which sites the answers that search still cite".to_owned(),
            }
        }
        (None, _, Some(found)) => match &found.subject.model {
            Some(model) => format!("read the answers of {model}. {}", found.sentence),
            None => format!("win this one. {}", found.sentence),
        },
        (None, Some(_), None) => "read the answers since the change".to_owned(),
        (None, None, None) => return None,
    };
    Some(format!("Next: {}.", text.trim_end_matches('.')))
}

pub(super) fn cited(answers: &[Answer<'_>]) -> u32 {
    answers.iter().filter(|(_, answer)| answer.cites_target).count() as u32
}

fn share(answers: &[Answer<'_>]) -> f64 {
    f64::from(cited(answers)) / answers.len().max(1) as f64
}

fn evidence(answers: &[Answer<'_>]) -> Vec<AnswerOf> {
    let latest = answers.iter().rev().take(RULES.most.0);
    let of = |(scan, answer): &Answer<'_>| AnswerOf {
        scan_id: *scan,
        question_id: answer.id.clone(),
        model: answer.model.as_str().to_owned(),
    };
    latest.map(of).collect()
}

/// A question whose answers name one competitor.
pub(super) struct Lost<'a> {
    pub(super) question: &'a str,
    pub(super) rival: String,
    pub(super) named: u32,
    pub(super) answers: Vec<Answer<'a>>,
}

/// The questions that are lost to a competitor: each is drawn towards what all questions have in common.
pub(super) fn lost<'a>(answers: &[Answer<'a>], names: &Names<'_>, kept: &[KeptRival]) -> Vec<Lost<'a>> {
    let named = |answer: &AnswerMentions| -> BTreeSet<String> {
        let named = answer.names.iter().filter_map(|named| names.shown(named, kept));
        named.map(str::to_owned).collect()
    };
    let mut questions: BTreeMap<&str, NamedAnswers<'a>> = BTreeMap::new();
    for one in answers {
        questions
            .entry(&one.1.question)
            .or_default()
            .push((*one, named(one.1)));
    }
    let is_absent = |one: &&(Answer<'_>, BTreeSet<String>)| !one.0.1.cites_target;
    let mut counts: BTreeMap<&String, u32> = BTreeMap::new();
    let absent = questions.values().flatten().filter(is_absent);
    for name in absent.flat_map(|(_, names)| names) {
        *counts.entry(name).or_default() += 1;
    }
    let mut rivals: Vec<(&String, u32)> = counts.into_iter().collect();
    rivals.sort_by_key(|(_, count)| Reverse(*count));
    rivals.truncate(RULES.least.1);
    let own = |all: &NamedAnswers<'a>| {
        let citing = all.iter().filter(|one| !is_absent(one));
        (citing.count() as f64, all.len() as f64)
    };
    let own: Vec<(f64, f64)> = questions.values().map(own).collect();
    let own_chance = under(&own, RULES.lost.0);
    let mut best: Vec<(f64, Option<&String>)> = vec![(0.0, None); questions.len()];
    for (rival, _) in &rivals {
        let without = |all: &NamedAnswers<'a>| {
            let absent = all.iter().filter(is_absent);
            let named = absent.clone().filter(|(_, names)| names.contains(*rival)).count();
            (named as f64, absent.count() as f64)
        };
        let without: Vec<(f64, f64)> = questions.values().map(without).collect();
        let over = under(&without, RULES.lost.1);
        for (((best, own), over), (_, absent)) in best.iter_mut().zip(&own_chance).zip(over).zip(without) {
            let chance = own * (1.0 - over);
            if absent >= f64::from(RULES.least.0) && chance > best.0 {
                *best = (chance, Some(rival));
            }
        }
    }
    let mut sure: Vec<(f64, &String, &str, &NamedAnswers<'a>)> = questions
        .iter()
        .zip(best)
        .filter_map(|((question, all), (chance, rival))| Some((chance, rival?, *question, all)))
        .collect();
    sure.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut doubts, mut kept) = (0.0, 0.0);
    let is_sure = |(chance, ..): &(f64, &String, &str, &Vec<_>)| {
        doubts += 1.0 - chance;
        kept += 1.0;
        *chance >= RULES.sure.0 && doubts / kept <= RULES.sure.1
    };
    let lost = sure.into_iter().take_while(is_sure);
    lost.map(|(_, rival, question, all)| Lost {
        question,
        rival: rival.clone(),
        named: all.iter().filter(|(_, names)| names.contains(rival)).count() as u32,
        answers: all.iter().map(|(answer, _)| *answer).collect(),
    })
    .collect()
}

/// How likely each rate is under a limit.
fn under(counts: &[(f64, f64)], limit: f64) -> Vec<f64> {
    let places: Vec<(f64, f64)> = counts.iter().map(|(hits, n)| (hits / n.max(1.0), *n)).collect();
    let (pooled, common) = shrunk(&places, RULES.common.0, RULES.common.1);
    let chance = |(rate, n): &(f64, f64)| {
        let yes = common * pooled + n * rate;
        let no = common * (1.0 - pooled) + n * (1.0 - rate);
        beta_chance(yes, no, limit)
    };
    places.iter().map(chance).collect()
}

struct Blind<'a> {
    model: &'a str,
    answers: Vec<Answer<'a>>,
    /// Of the other models: answers that name the website, and all.
    others: (u32, u32),
}

/// The models that name the website far less often than the others.
fn blind<'a>(answers: &[Answer<'a>], runs: usize) -> Vec<Blind<'a>> {
    let mut models: BTreeMap<&str, Vec<Answer<'a>>> = BTreeMap::new();
    for one in answers {
        models.entry(one.1.model.as_str()).or_default().push(*one);
    }
    let asked: BTreeSet<(ScanId, &str)> = answers
        .iter()
        .map(|(scan, answer)| (*scan, answer.question.as_str()))
        .collect();
    // Where models share questions, the repeats of a question tell a little more.
    let repeats = match answers.len() > asked.len() {
        true => QUESTION_CORRELATION - 0.01,
        false => REPEAT_CORRELATION,
    };
    let size = |n: f64| effective_size(n, runs as f64, repeats);
    let found = models.iter().filter_map(|(model, own)| {
        let others: Vec<Answer<'a>> = models
            .iter()
            .filter(|(other, _)| *other != model)
            .flat_map(|(_, answers)| answers.iter().copied())
            .collect();
        let shape = |answers: &[Answer<'_>]| {
            let n = size(answers.len() as f64);
            (0.5 + share(answers) * n, 0.5 + (1.0 - share(answers)) * n)
        };
        let ((a, b), (c, d)) = (shape(own), shape(&others));
        let (limit, half, least, fewest) = RULES.blind;
        let (mean, usual) = (a / (a + b), c / (c + d));
        // The chance over the others' rate, in steps of a thousandth.
        let steps = (1..=1_000).map(|step| f64::from(step) / 1_000.0);
        let chance: f64 = steps
            .map(|at| {
                let weight = beta_chance(c, d, at) - beta_chance(c, d, at - 0.001);
                weight * beta_chance(a, b, limit * (at - 0.0005))
            })
            .sum();
        let is_blind = own.len() >= fewest as usize
            && chance >= 1.0 - RULES.sure.1 / models.len() as f64
            && mean < half * usual
            && usual >= least;
        is_blind.then(|| Blind {
            model,
            answers: own.clone(),
            others: (cited(&others), others.len() as u32),
        })
    });
    found.collect()
}

/// Sites that answers cite most, where none of these answers names the website. Own and competitors' sites are left out.
fn outreach(answers: &[Answer<'_>]) -> Vec<OutreachSite> {
    let mut sites: BTreeMap<&str, (SourceKind, u32, u32)> = BTreeMap::new();
    for (_, answer) in answers {
        let pages = answer.pages.iter().map(|page| (page.site.as_str(), page.kind));
        for (site, kind) in pages.collect::<BTreeMap<_, _>>() {
            let row = sites.entry(site).or_insert((kind, 0, 0));
            row.1 += 1;
            row.2 += u32::from(answer.cites_target);
        }
    }
    sites.retain(|_, (kind, answers, naming)| {
        !matches!(kind, SourceKind::Own | SourceKind::Competitor)
            && *answers >= RULES.outreach.0
            && *naming == 0
    });
    let rows = sites.into_iter().map(|(site, (kind, answers, _))| OutreachSite {
        site: site.to_owned(),
        kind,
        answers,
    });
    let mut rows: Vec<OutreachSite> = rows.collect();
    rows.sort_by_key(|row| Reverse(row.answers));
    rows.truncate(RULES.outreach.1);
    rows
}
