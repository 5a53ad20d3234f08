//! Counts a project report's numbers from its answers.
//!
//! A report keeps the answers of its runs in the form in which they count, so that everyone can count again:
//! [`numbers`] makes every number in a report, and [`verify`] compares those in a file with what its answers give.

use crate::compare::Side;
use crate::history::{NotOneSeries, Told, history_of, is_cited, sentences_in};
use crate::mentions::{AnswerMentions, KeptRival, RunMentions, moves, rivals, sources};
use crate::numbers::is_about_branding;
use crate::score::interval::{Scored, of_answers};
use crate::slot::Numbering;
use ibid_model::result::{
    AnswerSummary, DisclosureRow, ModelResult, ProjectReport, RadiusReport, ReportCompetitor,
    ReportCompetitors, ReportModel, ReportNumbers, ReportPoint, ReportQuestion, ReportSite, ReportSourceKind,
    ReportSources, ReportSubject, ScanResult,
};
use ibid_model::{Interval, Locale, ScanId, Score};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The last runs whose questions are listed.
const QUESTION_RUNS: usize = 4;
/// Answers below which the share of a run says too little to be shown.
const LEAST_ANSWERS: u32 = 10;
/// Questions below which a measurement is exploratory by the IAB's standard.
const EXPLORATORY: usize = 50;

/// What the numbers of a report follow from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counted {
    /// How many series of the project are looked at together.
    pub detectors: usize,
    /// The competitors that people pinned or ignored.
    pub competitors: Vec<KeptRival>,
    /// The runs, the oldest first.
    pub runs: Vec<CountedRun>,
}

/// A run of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CountedRun {
    /// The run.
    pub scan_id: ScanId,
    /// Its result, with what counts.
    pub result: ScanResult,
    /// What its answers name and cite, where that is known.
    pub mentions: Option<RunMentions>,
}

impl CountedRun {
    /// A run without what counts for no number: quotes, costs, rings, pages and moves.
    #[must_use]
    pub fn new(scan_id: ScanId, mut result: ScanResult, mentions: Option<RunMentions>) -> Self {
        for answer in result.models.iter_mut().flat_map(|model| &mut model.answers) {
            answer.quote = None;
            answer.url = None;
        }
        result.radius = RadiusReport {
            rings: Vec::new(),
            top_competitors: Vec::new(),
            map: None,
            ..result.radius
        };
        result.sources = Vec::new();
        result.pages = Vec::new();
        result.intents = Vec::new();
        result.moves = Vec::new();
        result.brand_names = Vec::new();
        result.method.previous = Vec::new();
        result.usage.cost_usd = None;
        result.usage.estimated_cost_usd = None;
        Self {
            scan_id,
            result,
            mentions,
        }
    }
}

/// Counts the numbers of a report.
///
/// # Errors
/// [`NotOneSeries`] for runs that measure different things.
pub fn numbers(counted: &Counted, subject: &ReportSubject) -> Result<ReportNumbers, NotOneSeries> {
    numbers_of(counted, subject, true)
}

/// Counts with the causes for changes or without, because files by older versions have none.
fn numbers_of(
    counted: &Counted,
    subject: &ReportSubject,
    explained: bool,
) -> Result<ReportNumbers, NotOneSeries> {
    let results: Vec<(ScanId, ScanResult)> = counted
        .runs
        .iter()
        .map(|run| (run.scan_id, scored(run.result.clone())))
        .collect();
    let sides: Vec<Side<'_>> = results
        .iter()
        .map(|(id, result)| Side {
            id: Some(*id),
            result,
        })
        .collect();
    let runs = counted.runs.iter();
    let told = Told {
        detectors: counted.detectors,
        mentions: runs
            .filter_map(|run| Some((run.scan_id, run.mentions.as_ref()?)))
            .collect(),
        competitors: &counted.competitors,
        locale: subject.locale.clone(),
    };
    let mut history = history_of(&sides, &told)?;
    for change in history.changes.iter_mut().filter(|_| !explained) {
        change.why.clear();
    }
    let since = history.changes.last().and_then(|change| change.since);
    let since = results.iter().position(|(id, _)| Some(*id) == since);
    let read = counted.runs.iter().skip(since.unwrap_or_default());
    let read: Vec<_> = read
        .filter_map(|run| Some((run.scan_id, run.mentions.clone()?)))
        .collect();
    let label = |alias: &str| {
        let mut models = results.last().into_iter().flat_map(|(_, last)| &last.models);
        let model = models.find(|model| model.model.as_str() == alias);
        model.map_or_else(|| alias.to_owned(), |model| model.model_label.clone())
    };
    let last_runs = || {
        let last = counted.runs.iter().rev();
        last.filter_map(|run| run.mentions.as_ref()).take(QUESTION_RUNS)
    };
    let trend = results.iter().map(|(scan_id, result)| ReportPoint {
        scan_id: *scan_id,
        at: result.finished_at,
        score: result.interval.map(|_| result.overall_score),
        interval: result.interval,
    });
    Ok(ReportNumbers {
        verdict: sentences_in(&subject.locale, &history, &sides).join(" "),
        history: Some(history),
        // Moves come in the same order for any number of runs a month.
        steps: moves(&read, &counted.competitors, 1.0, label).sentences,
        trend: trend.collect(),
        models: results
            .last()
            .map(|(_, result)| {
                let language = result.reading_error.map(|_| result.method.language.as_str());
                let rows = result.models.iter();
                rows.map(|one| model(one, language)).collect()
            })
            .unwrap_or_default(),
        competitors: competitors(counted),
        sources: cited_sites(counted),
        questions: questions(last_runs().map(|read| &read.answers)),
        branded: questions(last_runs().map(|read| &read.branded)),
        disclosure: disclosure(&results, subject),
    })
}

/// A result with the score of its headline as its answers give it.
fn scored(mut result: ScanResult) -> ScanResult {
    let language = result.reading_error.map(|_| result.method.language.as_str());
    let (score, interval) = score_of(&result.headline_answers().collect::<Vec<_>>(), language);
    result.overall_score = score.unwrap_or_default();
    result.interval = interval;
    result
}

/// Scores some answers, with the likely range; if they have a language, the error in reading them is part of it.
fn score_of(
    answers: &[(&ModelResult, &AnswerSummary)],
    language: Option<&str>,
) -> (Option<Score>, Option<Interval>) {
    let (mut models, mut questions) = (Numbering::default(), Numbering::default());
    let scored = answers.iter().filter_map(|(model, answer)| {
        let score = answer.score?;
        let question = answer.question_hash.as_ref().unwrap_or(&answer.question_id);
        Some(Scored {
            model: models.of(model.model.as_str()),
            question: questions.of(question),
            score: points(answer).unwrap_or(score.get()) / 100.0,
        })
    });
    let scored: Vec<Scored> = scored.collect();
    let Some(range) = of_answers(&scored) else {
        return (None, None);
    };
    let read = range.as_read(&scored, language);
    (Some(read.score), Some(read.interval))
}

/// Computes an answer's score in full precision, from its parts.
fn points(answer: &AnswerSummary) -> Option<f64> {
    let parts = answer.breakdown.as_ref()?;
    let sum = parts.base + parts.rank + parts.link + parts.share;
    Some(sum.min(parts.cap.unwrap_or(100.0)).clamp(0.0, 100.0))
}

fn model(model: &ModelResult, language: Option<&str>) -> ReportModel {
    let answers: Vec<(&ModelResult, &AnswerSummary)> = model
        .answers_in(model.retrieval.headline)
        .map(|answer| (model, answer))
        .collect();
    let (score, interval) = score_of(&answers, language);
    ReportModel {
        model: model.model.clone(),
        name: model.model_label.clone(),
        score,
        interval,
        answers: answers.len() as u32,
        cited: answers.iter().filter(|(_, answer)| is_cited(answer)).count() as u32,
    }
}

fn competitors(counted: &Counted) -> ReportCompetitors {
    let read = counted.runs.iter();
    let read = read.filter_map(|run| Some((run.scan_id, run.mentions.clone()?)));
    let found = rivals(&read.collect::<Vec<_>>(), &counted.competitors);
    let last = counted.runs.last().map(|run| run.scan_id);
    let rows = found.rows.into_iter().map(|rival| {
        let mut points = rival.points.iter().rev();
        let point = points.find(|point| Some(point.scan) == last && point.answers >= LEAST_ANSWERS);
        ReportCompetitor {
            name: rival.name,
            pinned: rival.kept.is_some(),
            named: rival.named,
            share: point.map(|point| point.share),
            interval: point.map(|point| point.interval),
        }
    });
    ReportCompetitors {
        runs: found.runs,
        answers: found.answers,
        rows: rows.collect(),
    }
}

fn cited_sites(counted: &Counted) -> ReportSources {
    let Some(last) = counted.runs.last().and_then(|run| run.mentions.as_ref()) else {
        return ReportSources::default();
    };
    let counts = sources(last, None);
    let kind = |row: crate::mentions::KindRow| ReportSourceKind {
        kind: row.kind.as_str().to_owned(),
        sites: row.sites,
        answers: row.answers,
        cited: row.cited,
    };
    let site = |row: crate::mentions::SiteRow| ReportSite {
        domain: row.site,
        kind: row.kind.as_str().to_owned(),
        answers: row.answers,
        cited: row.cited,
    };
    ReportSources {
        answers: counts.answers,
        citing: counts.citing,
        kinds: counts.kinds.into_iter().map(kind).collect(),
        sites: counts.sites.into_iter().map(site).collect(),
    }
}

/// Counts the questions in some runs: first those whose answers cite the website most.
pub(crate) fn questions<'a>(runs: impl Iterator<Item = &'a Vec<AnswerMentions>>) -> Vec<ReportQuestion> {
    let mut rows: BTreeMap<&str, ReportQuestion> = BTreeMap::new();
    for answers in runs {
        let mut seen = BTreeSet::new();
        for answer in answers {
            let row = rows.entry(&answer.question).or_insert_with(|| ReportQuestion {
                text: answer.question.clone(),
                runs: 0,
                answers: 0,
                cited: 0,
                named: 0,
            });
            row.runs += u32::from(seen.insert(answer.question.as_str()));
            row.answers += 1;
            row.cited += u32::from(answer.cites_target);
            row.named += u32::from(!answer.names.is_empty());
        }
    }
    let mut rows: Vec<ReportQuestion> = rows.into_values().collect();
    // Cross products compare the shares exactly; equal ones stay in the order of the alphabet.
    rows.sort_by(|a, b| {
        let share = |one: &ReportQuestion, of: &ReportQuestion| u64::from(one.cited) * u64::from(of.answers);
        share(b, a).cmp(&share(a, b))
    });
    rows
}

/// What a reader has to know about the measurement, by the topics of the IAB's standard.
fn disclosure(results: &[(ScanId, ScanResult)], subject: &ReportSubject) -> Vec<DisclosureRow> {
    let (Some((_, first)), Some((_, last))) = (results.first(), results.last()) else {
        return Vec::new();
    };
    let row = |topic: &str, text: String| DisclosureRow {
        topic: topic.to_owned(),
        text,
    };
    let asked = |result: &ScanResult| {
        result
            .models
            .iter()
            .map(|model| model.answers.len())
            .sum::<usize>()
    };
    let valid = |result: &ScanResult| {
        let answers = result.models.iter().flat_map(|model| &model.answers);
        answers.filter(|answer| answer.class.is_some()).count()
    };
    let questions: BTreeSet<&str> = last
        .models
        .iter()
        .flat_map(|model| &model.answers)
        .map(|answer| answer.question_id.as_str())
        .collect();
    let questions = questions.len();
    let all: usize = results.iter().map(|(_, result)| valid(result)).sum();
    let locale = &subject.locale;
    let all = locale.count(all as u64);
    vec![
        row("Coverage", coverage(last, subject)),
        row("Question construction", construction(last, questions)),
        row("Collection", collection((first, last), subject)),
        row(
            "Sample size",
            format!(
                "{} of {} answers of the last run count; {all} answers in {}. Every range is a 95 % range.",
                valid(last),
                asked(last),
                runs(results.len()),
            ),
        ),
        row(
            "Cadence",
            format!(
                "{}. {} with a result from {} to {}.",
                subject.recurrence,
                runs(results.len()),
                day(locale, first),
                day(locale, last)
            ),
        ),
        row(
            "Grade",
            match questions < EXPLORATORY {
                true => format!(
                    "Exploratory: the last run asked {questions} different questions, fewer than {EXPLORATORY}."
                ),
                false => format!(
                    "More than exploratory: the last run asked {questions} different questions, at least {EXPLORATORY}."
                ),
            },
        ),
    ]
}

fn coverage(last: &ScanResult, subject: &ReportSubject) -> String {
    let models = last.models.iter().map(|model| match &model.resolved_model {
        Some(resolved) => format!("{} ({resolved})", model.model_label),
        None => model.model_label.clone(),
    });
    let models = models.collect::<Vec<_>>().join(", ");
    let place = last.location.as_ref().map(|location| location.resolved.label());
    let place = place.or_else(|| subject.place.clone());
    format!(
        "Models: {models}. Place: {}. Language: {}. Web search: {}.",
        place.as_deref().unwrap_or("none"),
        last.method.language,
        if last.method.web_search { "on" } else { "off" }
    )
}

fn construction(last: &ScanResult, questions: usize) -> String {
    let origin = match &last.method.question_set {
        Some(set) => format!(
            "of version {} of a set of the project's own with {} questions",
            set.version, set.questions
        ),
        None => "made by ibid from the keyword".to_owned(),
    };
    let apart = last.warnings.iter().any(is_about_branding);
    let branded = match (last.method.branded, apart) {
        (true, _) => "Some name the website or the brand, and so lead to it.",
        (false, true) => "Those that name the website are counted apart, in no score.",
        (false, false) => "None names the website.",
    };
    format!("{questions} different questions in the last run, {origin}. {branded}")
}

fn collection((first, last): (&ScanResult, &ScanResult), subject: &ReportSubject) -> String {
    let locale = &subject.locale;
    let origin = match (subject.sandbox, last.is_imported()) {
        (true, _) => "The sandbox invented every answer: no model was asked.",
        (false, true) => "The answers were logged by another tool.",
        (false, false) => "Asked over the interfaces of the models for programs, not in their apps.",
    };
    format!(
        "{origin} From {} to {}. Read and scored by the rules of method {}; no model judges.",
        day(locale, first),
        day(locale, last),
        last.method.version
    )
}

fn day(locale: &Locale, result: &ScanResult) -> String {
    locale.long_date(result.finished_at.to_zoned(TimeZone::UTC).date())
}

pub(crate) fn runs(count: usize) -> String {
    match count {
        1 => "one run".to_owned(),
        _ => format!("{count} runs"),
    }
}

/// A number or text of a file that differs from what its answers give.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportDifference {
    /// Where in the file, as a JSON pointer.
    pub pointer: String,
    /// What the file says; `None` where it says nothing.
    pub stored: Option<Value>,
    /// What its answers give; `None` where they give nothing.
    pub counted: Option<Value>,
}

/// Why a file cannot be verified.
#[derive(Debug, thiserror::Error)]
pub enum NotAReport {
    /// It has another form.
    #[error("this is no report of a project: {0}")]
    Form(#[from] serde_json::Error),
    /// Its runs measure different things.
    #[error("its runs are no series: {0}")]
    Series(#[from] NotOneSeries),
}

/// The answers in a file of a report.
#[derive(Deserialize)]
struct CountedPart {
    counted: Counted,
}

/// Counts every number in a report's file again. Returns what differs; an empty list if everything follows.
///
/// # Errors
/// [`NotAReport`].
pub fn verify(file: &[u8]) -> Result<(ProjectReport, Vec<ReportDifference>), NotAReport> {
    let report: ProjectReport = serde_json::from_slice(file)?;
    let CountedPart { counted } = serde_json::from_slice(file)?;
    let stored: Value = serde_json::from_slice(file)?;
    let mut changes = report.numbers.history.iter().flat_map(|history| &history.changes);
    let explained = changes.all(|change| !change.why.is_empty());
    let again = serde_json::to_value(numbers_of(&counted, &report.project, explained)?)?;
    let mut differences = Vec::new();
    differ("/numbers", stored.get("numbers"), Some(&again), &mut differences);
    if let Some(last) = counted.runs.last() {
        let of_answers = [
            ("/project/domain", Value::from(last.result.domain.as_str())),
            ("/project/keyword", Value::from(last.result.keyword.as_str())),
            ("/project/sandbox", Value::from(last.result.sandbox)),
        ];
        for (pointer, counted) in of_answers {
            differ(pointer, stored.pointer(pointer), Some(&counted), &mut differences);
        }
    }
    Ok((report, differences))
}

/// Adds every leaf that differs.
fn differ(pointer: &str, stored: Option<&Value>, counted: Option<&Value>, found: &mut Vec<ReportDifference>) {
    match (stored, counted) {
        (Some(Value::Object(stored)), Some(Value::Object(counted))) => {
            let members: BTreeSet<&String> = stored.keys().chain(counted.keys()).collect();
            for member in members {
                // Files of older versions tell no causes.
                if !stored.contains_key(member)
                    && ["explanation", "why", "causes", "steps"].contains(&member.as_str())
                {
                    continue;
                }
                let below = format!("{pointer}/{member}");
                differ(&below, stored.get(member), counted.get(member), found);
            }
        }
        (Some(Value::Array(stored)), Some(Value::Array(counted))) => {
            for at in 0..stored.len().max(counted.len()) {
                let below = format!("{pointer}/{at}");
                differ(&below, stored.get(at), counted.get(at), found);
            }
        }
        (Some(Value::Number(stored)), Some(Value::Number(counted)))
            if stored
                .as_f64()
                .zip(counted.as_f64())
                .is_some_and(|(a, b)| is_near(a, b)) => {}
        (stored, counted) if stored == counted => {}
        (stored, counted) => found.push(ReportDifference {
            pointer: pointer.to_owned(),
            stored: stored.cloned(),
            counted: counted.cloned(),
        }),
    }
}

/// Whether two numbers differ by less than another machine might.
fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

#[cfg(test)]
mod tests;
