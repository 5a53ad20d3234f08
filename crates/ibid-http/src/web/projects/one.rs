//! `GET /workspace/projects/{id}`: one project on one screen, without reading answers.

use super::super::history::time;
use super::super::signed_in::SignedIn;
use super::access::scope;
use crate::problem::ApiError;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::result::{Factor, HistoryChange};
use ibid_model::{ScanId, UsdMicros};
use ibid_service::{
    AnswerImportView, Attention, JUDGED, MarketNumbers, ProjectMove, ProjectRunRecord, ProjectStatus,
    ProjectView, QuestionSum, Right, Service, failure_in_words, outcome_in_words,
};
use ibid_web::pages::{
    self, ActionLine, MarketRow, ModelRow, MoveLine, NoteRow, PastDay, PastSeries, ProjectPage, QuestionRow,
    RivalLine, RunRow,
};
use ibid_web::{Notice, NoticeKind};
use jiff::civil::Date;
use std::collections::BTreeMap;

/// Runs of the list and of the trend.
const RUNS: u32 = 60;
/// Runs whose questions are looked at.
const QUESTION_RUNS: u32 = 4;
/// Runs after which a question that names no one is shown.
const LEAST_RUNS: u32 = 2;
/// Rows of lists.
const MOST: usize = 10;

pub(crate) async fn show(
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    shown(&signed_in, &service, &id, None).await
}

/// Shows the page with the reason why something was refused.
pub(super) async fn shown(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    refused: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let refused = refused.map(|text| Notice {
        kind: NoticeKind::Refused,
        text,
    });
    noticed(signed_in, service, id, refused).await
}

/// Shows the page with a notice of what was refused.
pub(super) async fn noticed(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    refused: Option<Notice<'_>>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(service, signed_in, id, Right::ReadProject).await?;
    let view = service.projects.get(&scope).await?;
    let runs = service.projects.runs(&scope, RUNS).await?;
    let rivals = service.projects.rivals(&scope).await?;
    let findings = service.projects.findings(&scope).await?;
    let mut notes = service.projects.annotations(&scope).await?;
    let ended = runs.iter().filter(|run| run.summary.is_some());
    let ended: Vec<(ScanId, _)> = ended.filter_map(|run| Some((run.scan?, time(run.at)))).collect();
    let kept = service.projects.action_lines(&scope).await?;
    let done = kept
        .iter()
        .filter_map(|action| Some((action.done_on.as_deref()?, action.mark.as_str())));
    let texts = notes
        .iter()
        .map(|note| (note.day.as_str(), note.text.as_str()))
        .chain(done);
    let marks = pages::trend_marks(&ended, findings.history.as_ref(), texts);
    notes.reverse();
    let questions = service.projects.questions(&scope, QUESTION_RUNS).await?;
    let record = &view.record;
    let models = match record.last_scan {
        Some(scan) => service.projects.models(&scope, scan).await?,
        None => Vec::new(),
    };
    let catalog = service.scans.catalog();
    let names: Vec<String> = models
        .iter()
        .map(|model| {
            let mut known = catalog.models().iter();
            let known = known.find(|known| known.alias.as_str() == model.model);
            known.map_or_else(|| model.model.clone(), |known| known.name.clone())
        })
        .collect();
    let change = findings
        .history
        .as_ref()
        .and_then(|history| history.changes.last());
    let aliases: BTreeMap<&str, &str> = names
        .iter()
        .map(String::as_str)
        .zip(models.iter().map(|model| model.model.as_str()))
        .collect();
    let evidence = change.map_or_else(Vec::new, |change| evidence(id, change, &aliases));
    let models: Vec<ModelRow<'_>> = models
        .iter()
        .zip(&names)
        .map(|(model, name)| ModelRow {
            name,
            score: mean(model.score_sum, model.valid),
            cited: (model.cited, model.valid),
        })
        .collect();
    let may_run = scope.may(Right::RunProject);
    let failed = runs.iter().find(|run| run.outcome.as_deref() == Some("failed"));
    let attention = attention(&view, may_run).map(|what| match (what, failed) {
        (Attention::Failing, Some(run)) => format!("The last run {}", outcome(run, may_run)),
        (what, _) => what.words().to_owned(),
    });
    let attention: Vec<String> = attention.collect();
    let found = service.projects.moves(&scope).await?;
    let rows_of_moves: Vec<MoveLine> = found
        .moves
        .iter()
        .filter_map(|found| move_row(id, found))
        .collect();
    let no_move = match (found.moves.is_empty(), found.sentences.first()) {
        (true, Some(sentence)) => sentence.as_str(),
        _ => "",
    };
    let outreach = found
        .outreach
        .iter()
        .map(|site| (site.site.as_str(), site.answers));
    let outreach: Vec<(&str, u32)> = outreach.collect();
    let is_same = |run: &ProjectRunRecord| {
        run.market.is_none() && run.keyword.as_ref() == Some(&record.keyword) && run.place == record.place
    };
    let rows: Vec<RunRow<'_>> = runs
        .iter()
        .map(|run| RunRow {
            at: time(run.at),
            place: run.place.as_deref().filter(|_| !view.markets.is_empty()),
            scan: run.summary.and(run.scan),
            score: run.summary.map(|summary| (summary.score, summary.interval)),
            outcome: outcome(run, may_run),
            remedy: remedy(id, run, may_run),
            cost: UsdMicros::new(run.cost),
            in_trend: is_same(run),
            is_missed: run.summary.is_none() && run.outcome.is_some() && run.market.is_none(),
        })
        .collect();
    let shown = rivals.iter().filter(|rival| rival.state != "ignored");
    let mut lines: Vec<RivalLine<'_>> = shown
        .map(|rival| RivalLine {
            name: &rival.name,
            pinned: rival.state == "pinned",
            rate: rival.appearance_rate.unwrap_or(0.0),
        })
        .collect();
    // In the order of the number that the table shows.
    lines.sort_by(|one, other| {
        let pinned = other.pinned.cmp(&one.pinned);
        pinned.then(other.rate.total_cmp(&one.rate))
    });
    lines.truncate(MOST);
    let is_unnamed = |sum: &&QuestionSum| sum.named == 0 && sum.valid > 0 && sum.runs >= LEAST_RUNS;
    let unnamed: Vec<QuestionRow<'_>> = questions
        .iter()
        .filter(is_unnamed)
        .take(MOST)
        .map(|sum| QuestionRow {
            text: &sum.text,
            runs: sum.runs,
        })
        .collect();
    let notes: Vec<NoteRow<'_>> = notes
        .iter()
        .take(MOST)
        .map(|note| NoteRow {
            day: &note.day,
            text: &note.text,
        })
        .collect();
    let actions: Vec<ActionLine<'_>> = kept
        .iter()
        .filter_map(|action| {
            Some(ActionLine {
                title: &action.title,
                state: action.state.as_deref()?,
            })
        })
        .take(MOST)
        .collect();
    let own = view.own_market();
    let language = view
        .schedule
        .as_ref()
        .and_then(|view| view.order.get("language")?.as_str());
    let others = view.markets.iter();
    let others = others.map(|market| {
        (
            market.place.as_deref(),
            market.language.as_deref(),
            &market.numbers,
        )
    });
    // One market is the page itself.
    let all = std::iter::once((record.place.as_deref(), language, &own)).filter(|_| !view.markets.is_empty());
    let markets: Vec<MarketRow<'_>> = all.chain(others).map(market_row).collect();
    let past = past(&service.projects.answer_imports(&scope).await?);
    let past: Vec<PastSeries<'_>> = past
        .iter()
        .map(|(tool, days)| PastSeries { tool, days })
        .collect();
    let recurrence = view
        .schedule
        .as_ref()
        .map(|schedule| schedule.recurrence.to_string());
    let last = record.summary.zip(record.last_run_at).zip(record.last_scan);
    let page = ProjectPage {
        id,
        name: &record.name,
        domain: &record.domain,
        keyword: &record.keyword,
        place: record.place.as_deref().unwrap_or_default(),
        status: view.status().as_str(),
        recurrence: recurrence.as_deref().unwrap_or_default(),
        level: record
            .level
            .map(|level| (level.score, level.interval, level.runs)),
        last: last.map(|((summary, at), scan)| (summary.score, summary.interval, time(at), scan)),
        level_since: record.level.and_then(|level| level.since),
        marks: &marks,
        verdict: record.verdict.as_deref().unwrap_or_default(),
        attention: &attention,
        spent: UsdMicros::new(record.spent),
        budget: record.budget.map(UsdMicros::new),
        next: record
            .next_due
            .filter(|_| view.status() == ProjectStatus::Active)
            .map(time),
        judged: (JUDGED as usize - 1)
            .checked_sub(ended.len())
            .and_then(|after| view.schedule.as_ref()?.next.get(after).copied()),
        runs: &rows,
        markets: &markets,
        past: &past,
        models: &models,
        rivals: &lines,
        unnamed: &unnamed,
        actions: &actions,
        evidence: &evidence,
        moves: &rows_of_moves,
        no_move,
        outreach: &outreach,
        notes: &notes,
        may_run,
        may_write: scope.may(Right::EditProject),
    };
    let mut frame = signed_in.browser.frame();
    frame.notice = refused;
    let status = match refused {
        Some(_) => StatusCode::CONFLICT,
        None => StatusCode::OK,
    };
    signed_in.browser.page(status, pages::project(&frame, &page))
}

fn move_row(id: &str, found: &ProjectMove) -> Option<MoveLine> {
    let latest = found.evidence.first()?;
    let questions = &found.subject.questions;
    Some(MoveLine::new(
        id,
        &found.sentence,
        latest.scan_id,
        &latest.model,
        questions,
    ))
}

/// The answers of the first run since a change: all, and those of the models that are its causes.
fn evidence(id: &str, change: &HistoryChange, aliases: &BTreeMap<&str, &str>) -> Vec<(String, String)> {
    let Some(since) = change.since else {
        return Vec::new();
    };
    let all = format!("/workspace/projects/{id}/runs/{since}/answers");
    let models = change.causes.iter().filter(|cause| cause.factor == Factor::Model);
    let of_models = models.filter_map(|cause| {
        let alias = aliases.get(cause.name.as_str())?;
        Some((
            format!("The answers of {} since", cause.name),
            format!("{all}?model={alias}"),
        ))
    });
    let mut links: Vec<(String, String)> = of_models.collect();
    if links.is_empty() {
        links.push(("The answers since the change".to_owned(), all));
    }
    links
}

fn market_row<'a>(
    (place, language, numbers): (Option<&'a str>, Option<&'a str>, &'a MarketNumbers),
) -> MarketRow<'a> {
    let level = numbers.level.map(|level| (level.score, Some(level.interval)));
    let last = numbers.summary.map(|summary| (summary.score, summary.interval));
    MarketRow {
        place: place.unwrap_or("no place"),
        language: language.unwrap_or_default(),
        score: level.or(last),
        verdict: numbers.verdict.as_deref().unwrap_or_default(),
        last: numbers.last_scan,
    }
}

/// The days of the history of each tracker. Of two imports with one day the one with more answers counts: they may be the same.
fn past(imports: &[AnswerImportView]) -> BTreeMap<String, Vec<PastDay>> {
    let mut tools: BTreeMap<&str, BTreeMap<Date, PastDay>> = BTreeMap::new();
    for import in imports.iter().filter(|import| !import.is_captures()) {
        for one in import.days() {
            let Some(score) = one.numbers.score else { continue };
            let day = PastDay {
                day: one.day,
                answers: one.numbers.answers,
                score: (score, one.numbers.interval),
            };
            let days = tools.entry(&import.record.tool).or_default();
            if days.get(&one.day).is_none_or(|known| known.answers < day.answers) {
                days.insert(one.day, day);
            }
        }
    }
    let tools = tools.into_iter();
    tools
        .map(|(tool, days)| (tool.to_owned(), days.into_values().collect()))
        .collect()
}

/// The outcome of a run in words; for people who may run the project, with the reason of a failure and what to do about it.
pub(super) fn outcome(run: &ProjectRunRecord, may_run: bool) -> String {
    match run.outcome.as_deref() {
        None => "under way".to_owned(),
        Some("failed") if may_run => failure_in_words(run.error.as_deref()),
        Some(word) => outcome_in_words(word).to_owned(),
    }
}

/// The page on which people who may run the project change what held a run back; empty where nothing did.
pub(super) fn remedy(id: &str, run: &ProjectRunRecord, may_run: bool) -> String {
    match run.outcome.as_deref().filter(|_| may_run) {
        Some("over_budget") => format!("/workspace/projects/{id}/settings"),
        Some("over_organisation_budget") => "/workspace/projects#budget".to_owned(),
        Some(_) | None => String::new(),
    }
}

/// What a person should look at, in words: nothing about money for people who may not run the project.
pub(super) fn attention(view: &ProjectView, may_run: bool) -> impl Iterator<Item = Attention> {
    let all = view.attention().into_iter();
    all.filter(move |what| may_run || matches!(what, Attention::Changed | Attention::Failing))
}

/// A sum of scores in thousandths of a point, as a mean in points.
fn mean(sum: u64, valid: u32) -> f64 {
    let hundredths = sum / u64::from(valid.max(1)) / 10;
    f64::from(u32::try_from(hundredths).unwrap_or(0)) / 100.0
}
