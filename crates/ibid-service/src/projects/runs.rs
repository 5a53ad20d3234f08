//! Runs of projects, their history, and the rivals that the last one found.

use super::handle::Projects;
use super::lifecycle::{changed, not_found, owner};
use crate::error::Error;
use crate::job::CallerId;
use crate::project_mentions::read_waiting;
use crate::project_numbers::{Beside, series_of, sides};
use ibid_engine::history::{history_of, sentences};
use ibid_model::result::{History, ScanResult};
use ibid_model::{Interval, RivalId, ScanId, Score, UsdMicros};
use ibid_store::{
    FoundRival, ModelSum, ProjectFindings, ProjectRunRecord, ProjectScope, QuestionSum, RivalRecord,
    RivalState, ScheduledRun, Store,
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Runs of a history at most.
const MOST_RUNS: u32 = 200;

/// Runs of a page.
const A_PAGE: u32 = 50;

#[derive(Clone, Debug)]
pub struct RunProgress {
    pub run: ProjectRunRecord,
    /// Answers so far and in all, while the run is under way.
    pub progress: Option<(u32, u32)>,
    /// Whether it was stopped and ends soon.
    pub stopping: bool,
}

#[derive(Clone, Debug)]
pub struct ProjectHistory {
    /// Level, changes and notes.
    pub history: History,
    /// The same in sentences.
    pub sentences: Vec<String>,
    /// Its runs, the oldest first.
    pub points: Vec<(ScanId, Timestamp, Score, Option<Interval>)>,
}

/// A rival, pinned or found by the last run.
#[derive(Clone, Debug, PartialEq)]
pub struct RivalRow {
    /// Only where people pinned or ignored it.
    pub id: Option<RivalId>,
    pub name: String,
    pub domains: Vec<String>,
    /// `pinned`, `ignored` or `found`.
    pub state: &'static str,
    /// Answers of the last run that name it, 0..1; `None` if none does.
    pub appearance_rate: Option<f64>,
    /// Its visibility in the last run, 0..100.
    pub score: Option<f64>,
}

impl ProjectHistory {
    pub fn document(&self) -> Value {
        let mut document = json!(self.history);
        document["summary"] = json!(self.sentences.join(" "));
        let points = self.points.iter().map(|(scan, at, score, interval)| {
            json!({"scanId": scan, "at": ibid_model::time::text(*at), "score": score, "interval": interval})
        });
        document["points"] = points.collect();
        document
    }
}

impl Projects {
    /// Returns a project's last runs, the latest first.
    pub async fn runs(&self, scope: &ProjectScope, most: u32) -> Result<Vec<ProjectRunRecord>, Error> {
        self.of(scope, move |store, scope| store.project_runs(scope, most, 0))
            .await
    }

    /// Reads a page of runs, counted from 1, and whether there is another one.
    pub async fn run_page(&self, scope: &ProjectScope, page: u32) -> Result<(Vec<RunProgress>, bool), Error> {
        let skipped = page.saturating_sub(1).saturating_mul(A_PAGE);
        let read = self.of(scope, move |store, scope| {
            let mut runs = store.project_runs(scope, A_PAGE + 1, skipped)?;
            let more = runs.len() > A_PAGE as usize;
            runs.truncate(A_PAGE as usize);
            let owner = CallerId::of_project(scope.project());
            let (mut found, mut ended) = (Vec::with_capacity(runs.len()), false);
            for run in runs {
                let open = run.scan.filter(|_| run.outcome.is_none());
                let view = open.map(|scan| store.durable_run(scan)).transpose()?.flatten();
                // An account's scan is stopped by the account alone.
                let view = view.filter(|view| view.tenant == owner.as_str());
                ended |= view.as_ref().is_some_and(|view| view.ended_at.is_some());
                found.push(RunProgress {
                    run,
                    progress: view.as_ref().map(|view| (view.stored, view.calls)),
                    stopping: view.is_some_and(|view| view.cancelled),
                });
            }
            Ok((found, more, ended))
        });
        let (found, more, ended) = read.await?;
        if ended {
            self.judge_soon();
        }
        Ok((found, more))
    }

    /// Judges runs that have ended: someone looks, and the next round may be a minute away.
    fn judge_soon(&self) {
        let keeper = Arc::clone(&self.schedules.keeper);
        self.runs.spawn(async move {
            if let Err(error) = keeper.judge_ended(Timestamp::now()).await {
                tracing::warn!(error = crate::failure::chain(&error), "schedule.round.failed");
            }
            read_waiting(&keeper.stored_scans.evidence).await;
        });
    }

    /// Runs a project now. Returns the run, with a scan or the outcome that names why there is none.
    ///
    /// # Errors
    /// [`Error::WorkspaceDisabled`] without the operator's key; [`Error::ScheduleRunning`]; [`Error::Store`].
    pub async fn run_now(&self, scope: &ProjectScope) -> Result<ScheduledRun, Error> {
        if self.key.is_none() {
            return Err(Error::WorkspaceDisabled);
        }
        self.schedules
            .run_now(&owner(scope), scope.schedule(), Some(scope.clone()))
            .await
            .map_err(not_found)
    }

    /// What a run now would ask and cost, and what is left of the budgets; nothing is stored.
    pub async fn shown_run(&self, scope: &ProjectScope) -> Result<Value, Error> {
        let view = self.get(scope).await?;
        let (order, mut body) = changed(&view, &Map::new());
        // A budget that holds no run is no fault of the project here.
        body.remove("monthlyBudgetUsd");
        let draft = self
            .drafted(scope.project(), scope.account(), &body, Some(&order))
            .await?;
        let forecast = draft.forecast;
        let record = &view.record;
        Ok(json!({
            "projectId": record.id,
            "name": record.name,
            "status": view.status().as_str(),
            "answers": forecast.answers,
            "costUsd": forecast.run_cost.dollars(),
            "spentThisMonthUsd": UsdMicros::new(record.spent).dollars(),
            "monthlyBudgetUsd": record.budget.map(|budget| UsdMicros::new(budget).dollars()),
            "started": false,
        }))
    }

    /// Tells the history over runs with the present keyword and place, at most two hundred.
    pub async fn history(&self, scope: &ProjectScope) -> Result<ProjectHistory, Error> {
        let project = scope.project();
        let read = self.in_store(move |store| {
            let runs = store.project_series(project, None, MOST_RUNS)?;
            let ids: Vec<ScanId> = runs.into_iter().map(|(scan, _)| scan).collect();
            Ok((series_of(store, &ids)?, Beside::of_project(store, project)?))
        });
        let (results, beside) = read.await?;
        let sides = sides(&results);
        let found = history_of(&sides, &beside.told()).map_err(Error::NotOneSeries)?;
        let point = |(id, result): &(ScanId, ScanResult)| {
            (*id, result.finished_at, result.overall_score, result.interval)
        };
        Ok(ProjectHistory {
            sentences: sentences(&found, &sides),
            history: found,
            points: results.iter().map(point).collect(),
        })
    }

    /// Sums up questions over the last runs that have cells.
    pub async fn questions(&self, scope: &ProjectScope, runs: u32) -> Result<Vec<QuestionSum>, Error> {
        self.of(scope, move |store, scope| store.project_questions(scope, runs))
            .await
    }

    pub async fn models(&self, scope: &ProjectScope, run: ScanId) -> Result<Vec<ModelSum>, Error> {
        self.of(scope, move |store, scope| store.project_models(scope, run))
            .await
    }

    /// Reads what the last run stored for the project's page, so that the page counts nothing.
    pub async fn findings(&self, scope: &ProjectScope) -> Result<ProjectFindings, Error> {
        self.of(scope, Store::project_findings).await
    }

    /// The rivals that people pinned or ignored, then those that the last run found.
    pub async fn rivals(&self, scope: &ProjectScope) -> Result<Vec<RivalRow>, Error> {
        let read = self.of(scope, move |store, scope| {
            Ok((store.rivals(scope)?, store.project_findings(scope)?))
        });
        let (kept, findings) = read.await?;
        Ok(rows(&kept, &findings.rivals))
    }
}

fn rows(kept: &[RivalRecord], found: &[FoundRival]) -> Vec<RivalRow> {
    let mut rows: Vec<RivalRow> = kept
        .iter()
        .map(|rival| RivalRow {
            id: Some(rival.id),
            name: rival.name.clone(),
            domains: rival.domains.clone(),
            state: match rival.state {
                RivalState::Pinned => "pinned",
                RivalState::Ignored => "ignored",
            },
            appearance_rate: None,
            score: None,
        })
        .collect();
    for competitor in found {
        let is_it = |rival: &RivalRecord| {
            let names = std::iter::once(&rival.name).chain(&rival.aliases);
            let mut names = names.map(|name| name.to_lowercase());
            let spellings = std::iter::once(&competitor.name).chain(&competitor.aliases);
            let spellings: Vec<String> = spellings.map(|name| name.to_lowercase()).collect();
            names.any(|name| spellings.contains(&name))
                || competitor
                    .domain
                    .as_ref()
                    .is_some_and(|domain| rival.domains.contains(domain))
        };
        let at = kept.iter().position(is_it);
        match at.and_then(|at| rows.get_mut(at)) {
            // Names that people merged count once, by the one that most answers name.
            Some(row) => {
                let rate = row.appearance_rate.unwrap_or(0.0).max(competitor.appearance_rate);
                row.appearance_rate = Some(rate);
                row.score = Some(row.score.unwrap_or(0.0).max(competitor.score));
            }
            None => rows.push(RivalRow {
                id: None,
                name: competitor.name.clone(),
                domains: competitor.domain.iter().cloned().collect(),
                state: "found",
                appearance_rate: Some(competitor.appearance_rate),
                score: Some(competitor.score),
            }),
        }
    }
    rows
}
