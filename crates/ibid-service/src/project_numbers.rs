//! Numbers that a project's row keeps: its level, its verdict and the cells of its runs.

use crate::project_actions::judge_actions;
use crate::project_mentions::packed;
use crate::stored_scans::read_result;
use ibid_engine::compare::Side;
use ibid_engine::history::{NotOneSeries, Told, history, history_of, sentences};
use ibid_engine::mentions::{KeptRival, RunMentions};
use ibid_model::result::{AnswerSummary, Competitor, CompetitorKind, History, ScanResult, Searched};
use ibid_model::{ProjectId, ScanId, ScheduleId};
use ibid_store::{
    Cell, FoundRival, MarketNumbers, Millis, ProjectNumbers, ProjectRunEnd, ProjectScope, RivalState,
    RunReading, RunSummary, Store, StoreError,
};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

/// Runs that a level and a verdict rest on at most: those of three quarters of a year, one a week.
pub(crate) const MOST_RUNS: u32 = 40;
/// Projects that are judged in a round.
const A_ROUND: u32 = 50;

/// Stores that a project's run has ended, then the project's numbers.
pub(crate) fn end_run(
    store: &Store,
    project: ProjectId,
    scan: ScanId,
    subject: (&str, Option<&str>),
    market: Option<ScheduleId>,
    cost: u64,
    read: Option<&RunMentions>,
) -> Result<(), StoreError> {
    let Some(result) = result_of(store, scan)? else {
        return Ok(());
    };
    let set = result.method.question_set.as_ref();
    let set = set.map(|set| format!("{}@{}", set.id, set.version));
    let end = ProjectRunEnd {
        scan,
        ended_at: result.finished_at.as_millisecond(),
        subject,
        market,
        summary: summary_of(&result),
        cost,
        question_set: set.as_deref(),
    };
    store.put_project_run(project, &end)?;
    if let Some(read) = read {
        store.put_mentions(project, scan, Some(&packed(read)?))?;
    }
    match market {
        Some(market) => judge_market(store, project, market),
        None => judge(store, project),
    }
}

/// Judges projects whose numbers wait: after a migration, a deleted scan or a changed subject.
pub(crate) fn judge_waiting(store: &Store) -> Result<(), StoreError> {
    let mut waiting = store.projects_to_judge(A_ROUND)?.into_iter();
    waiting.try_for_each(|project| judge_all(store, project))
}

/// Judges a project in all of its markets.
pub(crate) fn judge_all(store: &Store, project: ProjectId) -> Result<(), StoreError> {
    judge(store, project)?;
    let mut markets = store.markets(project)?.into_iter();
    markets.try_for_each(|market| judge_market(store, project, market.schedule))
}

/// Reads the last runs that are one series, the oldest first.
pub(crate) fn series_of(store: &Store, runs: &[ScanId]) -> Result<Vec<(ScanId, ScanResult)>, StoreError> {
    let mut results = Vec::with_capacity(runs.len());
    for scan in runs {
        if let Some(result) = result_of(store, *scan)? {
            results.push((*scan, result));
        }
    }
    loop {
        match history(&sides(&results)) {
            Ok(_) => return Ok(results),
            // A run that measures something else begins the series anew.
            Err(NotOneSeries::Other { number, .. } | NotOneSeries::NoSharedModel { number }) => {
                results.drain(..number.saturating_sub(1).max(1).min(results.len()));
            }
        }
    }
}

/// Counts the series that a project looks at together: one for each market, and one more for the project where there are
/// several. With three markets beside its own, for example, there are five.
pub(crate) fn detectors(store: &Store, project: ProjectId) -> Result<usize, StoreError> {
    Ok(match store.markets(project)?.len() {
        0 => 1,
        // That of the project itself is the first.
        others => others + 2,
    })
}

/// What is known about a project's series beside its results.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    pub(crate) detectors: usize,
    pub(crate) mentions: Vec<(ScanId, RunMentions)>,
    /// When these runs ended.
    pub(crate) ended: Vec<Millis>,
    pub(crate) competitors: Vec<KeptRival>,
}

impl Beside {
    /// Reads it for a project that may be deleted.
    pub(crate) fn of_project(store: &Store, project: ProjectId) -> Result<Self, StoreError> {
        match store.program_scope(project)? {
            Some(scope) => Self::read(store, &scope, MOST_RUNS),
            None => Ok(Self::without_mentions(1)),
        }
    }

    pub(crate) fn read(store: &Store, scope: &ProjectScope, most: u32) -> Result<Self, StoreError> {
        let (mut mentions, mut ended) = (Vec::new(), Vec::new());
        for (scan, at, reading) in store.project_mentions(scope, most)? {
            if let Some(read) = mentions_of(reading)? {
                mentions.push((scan, read));
                ended.push(at);
            }
        }
        Ok(Self {
            detectors: detectors(store, scope.project())?,
            mentions,
            ended,
            competitors: competitors(store, scope)?,
        })
    }

    pub(crate) fn without_mentions(detectors: usize) -> Self {
        Self {
            detectors,
            ..Self::default()
        }
    }

    /// How many runs a month has; four where one run tells of no cadence.
    pub(crate) fn monthly(&self) -> f64 {
        let ends = self.ended.last().zip(self.ended.first());
        let span = ends.map_or(0, |(last, first)| last - first);
        match span > 0 {
            true => 30.0 * 86_400_000.0 * (self.ended.len() - 1) as f64 / span as f64,
            false => 4.0,
        }
    }

    pub(crate) fn told(&self) -> Told<'_> {
        Told {
            detectors: self.detectors,
            mentions: self.mentions.iter().map(|(scan, read)| (*scan, read)).collect(),
            competitors: &self.competitors,
            ..Told::default()
        }
    }
}

/// What a run names and cites, where it is read and kept.
pub(crate) fn mentions_of(reading: RunReading) -> Result<Option<RunMentions>, StoreError> {
    let RunReading::Mentions(packed) = reading else {
        return Ok(None);
    };
    let read = serde_json::from_slice(&packed.unpack()?);
    read.map(Some).map_err(|_| StoreError::Damaged("mentions"))
}

/// The competitors that people pinned or ignored.
pub(crate) fn competitors(store: &Store, scope: &ProjectScope) -> Result<Vec<KeptRival>, StoreError> {
    let kept = store.rivals(scope)?.into_iter().map(|rival| KeptRival {
        name: rival.name,
        aliases: rival.aliases,
        domains: rival.domains,
        ignored: rival.state == RivalState::Ignored,
    });
    Ok(kept.collect())
}

/// A series, as the engine takes it.
pub(crate) fn sides(results: &[(ScanId, ScanResult)]) -> Vec<Side<'_>> {
    results.iter().map(|(id, result)| side(*id, result)).collect()
}

/// A stored result, as the engine takes it.
pub(crate) const fn side(id: ScanId, result: &ScanResult) -> Side<'_> {
    Side { id: Some(id), result }
}

fn summary_of(result: &ScanResult) -> RunSummary {
    RunSummary {
        score: result.overall_score,
        interval: result.interval,
    }
}

/// What a series shows.
struct Judged {
    history: History,
    verdict: String,
    changed_at: Option<Millis>,
    /// The rivals that the last run found.
    rivals: Vec<FoundRival>,
    /// The end and the score of the last run.
    last: Option<(ScanId, Millis, RunSummary)>,
    cells: Vec<Cell>,
    questions: Vec<(String, String)>,
    results: Vec<(ScanId, ScanResult)>,
}

fn judge(store: &Store, project: ProjectId) -> Result<(), StoreError> {
    let runs = store.project_series(project, None, MOST_RUNS)?;
    let Some((last, _)) = runs.last().copied() else {
        return Ok(());
    };
    let beside = Beside::of_project(store, project)?;
    let Some(judged) = judged(store, &beside, &runs)? else {
        return Ok(());
    };
    let numbers = ProjectNumbers {
        history: &judged.history,
        verdict: &judged.verdict,
        rivals: &judged.rivals,
        changed_at: judged.changed_at,
        cells: &judged.cells,
        questions: &judged.questions,
    };
    store.put_project_numbers(project, last, &numbers)?;
    judge_actions(store, project, &judged.results)
}

fn judge_market(store: &Store, project: ProjectId, market: ScheduleId) -> Result<(), StoreError> {
    let runs = store.project_series(project, Some(market), MOST_RUNS)?;
    if runs.is_empty() {
        return store.put_market_numbers(project, market, &MarketNumbers::default(), &[], &[]);
    }
    let beside = Beside::without_mentions(detectors(store, project)?);
    let Some(judged) = judged(store, &beside, &runs)? else {
        return Ok(());
    };
    let numbers = MarketNumbers {
        summary: judged.last.map(|(_, _, summary)| summary),
        level: judged.history.level,
        verdict: Some(judged.verdict),
        changed_at: judged.changed_at,
        last_scan: judged.last.map(|(scan, ..)| scan),
        last_run_at: judged.last.map(|(_, at, _)| at),
    };
    store.put_market_numbers(project, market, &numbers, &judged.cells, &judged.questions)
}

fn judged(store: &Store, beside: &Beside, runs: &[(ScanId, bool)]) -> Result<Option<Judged>, StoreError> {
    let ids: Vec<ScanId> = runs.iter().map(|(scan, _)| *scan).collect();
    let results = series_of(store, &ids)?;
    let sides = sides(&results);
    let Ok(history) = history_of(&sides, &beside.told()) else {
        return Ok(None);
    };
    let (mut cells, mut questions) = (Vec::new(), BTreeMap::new());
    for (scan, result) in &results {
        if runs.iter().any(|(run, has_cells)| run == scan && !has_cells) {
            let texts = texts_of(store, *scan)?;
            cells.extend(cells_of(*scan, result, &texts, &mut questions));
        }
    }
    let last = results.last();
    let last = last.map(|(scan, result)| (*scan, result.finished_at.as_millisecond(), summary_of(result)));
    let rivals = results.last().map(|(_, result)| rivals_of(result));
    let verdict = sentences(&history, &sides).join(" ");
    Ok(Some(Judged {
        verdict,
        rivals: rivals.unwrap_or_default(),
        changed_at: changed_at(&history, &results),
        last,
        cells,
        questions: questions.into_iter().collect(),
        history,
        results,
    }))
}

/// The rivals that a run found.
fn rivals_of(result: &ScanResult) -> Vec<FoundRival> {
    let found = result.radius.top_competitors.iter();
    let found = found.filter(|found| !found.is_self && found.kind == CompetitorKind::Rival);
    let row = |found: &Competitor| FoundRival {
        name: found.name.clone(),
        domain: found.domain.as_ref().map(ToString::to_string),
        aliases: found.aliases.clone(),
        appearance_rate: found.appearance_rate,
        score: found.score,
    };
    found.map(row).collect()
}

/// Returns when the run ended after which the last change could be seen.
fn changed_at(history: &History, results: &[(ScanId, ScanResult)]) -> Option<Millis> {
    let noticed = history.changes.last()?.noticed_at?;
    let (_, result) = results.iter().find(|(id, _)| *id == noticed)?;
    Some(result.finished_at.as_millisecond())
}

/// Counts and sums up a run's answers. Their questions' texts are added to `questions`.
fn cells_of(
    run: ScanId,
    result: &ScanResult,
    texts: &HashMap<String, String>,
    questions: &mut BTreeMap<String, String>,
) -> Vec<Cell> {
    let mut cells: BTreeMap<(String, String), Cell> = BTreeMap::new();
    for model in &result.models {
        for answer in &model.answers {
            let question = answer.question_hash.as_ref().unwrap_or(&answer.question_id);
            if let Some(text) = texts.get(&answer.question_id) {
                questions.entry(question.clone()).or_insert_with(|| text.clone());
            }
            let alias = model.model.as_str().to_owned();
            let cell = cells
                .entry((question.clone(), alias.clone()))
                .or_insert_with(|| empty(run, question.clone(), alias));
            add(cell, answer);
        }
    }
    cells.into_values().collect()
}

const fn empty(run: ScanId, question: String, model: String) -> Cell {
    Cell {
        run,
        question,
        place: String::new(),
        model,
        valid: 0,
        cited: 0,
        linked: 0,
        named: 0,
        score_sum: 0,
        rank_sum: 0,
        searched: 0,
    }
}

fn add(cell: &mut Cell, answer: &AnswerSummary) {
    let Some(score) = answer.score else {
        return;
    };
    cell.valid += 1;
    let cites = answer.breakdown.as_ref().is_some_and(|parts| parts.base > 0.0);
    cell.cited += u32::from(cites);
    cell.linked += u32::from(answer.url.is_some());
    // Results of older versions do not say: that is no reason to call a question nameless.
    cell.named += answer.named.unwrap_or(1);
    cell.score_sum += thousandths(score.get());
    cell.rank_sum += answer.rank.unwrap_or(0);
    cell.searched += u32::from(answer.retrieval.searched == Searched::Yes);
}

/// Returns a score from 0 to 100 in thousandths of a point: 41.5 is 41,500.
fn thousandths(score: f64) -> u32 {
    (score.clamp(0.0, 100.0) * 1_000.0).round() as u32
}

/// Reads what the last run in a series asked, by the word that names each question in results.
pub(crate) fn question_texts(
    store: &Store,
    runs: &[(ScanId, ScanResult)],
) -> Result<HashMap<String, String>, StoreError> {
    let Some((scan, result)) = runs.last() else {
        return Ok(HashMap::new());
    };
    let texts = texts_of(store, *scan)?;
    let answers = result.models.iter().flat_map(|model| &model.answers);
    let named = answers.filter_map(|answer| {
        let word = answer.question_hash.as_ref().unwrap_or(&answer.question_id);
        Some((word.clone(), texts.get(&answer.question_id)?.clone()))
    });
    Ok(named.collect())
}

/// Reads a scan's questions by their ids; none where its evidence is not in the database.
fn texts_of(store: &Store, scan: ScanId) -> Result<HashMap<String, String>, StoreError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Asked {
        question_id: String,
        question: String,
    }
    #[derive(Deserialize)]
    struct Evidence {
        answers: Vec<Asked>,
    }
    let Some(evidence) = store.answers(scan)? else {
        return Ok(HashMap::new());
    };
    let evidence: Evidence =
        serde_json::from_slice(&evidence).map_err(|_| StoreError::Damaged("evidence"))?;
    let texts = evidence.answers.into_iter();
    Ok(texts.map(|asked| (asked.question_id, asked.question)).collect())
}

pub(crate) fn result_of(store: &Store, scan: ScanId) -> Result<Option<ScanResult>, StoreError> {
    let record = store.scan(scan)?;
    record.map(|record| read_result(&record.reply)).transpose()
}
