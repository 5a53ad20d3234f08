//! A project as its readers see it.

use super::conversions::at;
use super::lifecycle::changed;
use super::markets::{self, MARKETS, market_of};
use super::questions::{ALL, asked};
use super::runs::RunProgress;
use crate::clock::now_ms;
use crate::schedules::{ScheduleView, dollars};
use ibid_engine::plan::Forecast;
use ibid_model::contract::{PROBLEMS, field as f};
use ibid_store::{MarketNumbers, MarketRecord, ProjectEvent, ProjectRecord, ProjectStatus};
use serde_json::{Map, Value, json};

/// The time for which a change wants attention.
const RECENT: i64 = 14 * 24 * 3_600 * 1_000;

/// Something about a project that a person should look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Attention {
    /// The score changed in the last two weeks.
    Changed,
    /// Runs fail.
    Failing,
    /// A budget holds runs back.
    OverBudget,
    /// Four fifths of the monthly budget are spent.
    BudgetNearlySpent,
}

impl Attention {
    /// What people read.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Changed => "The score changed",
            Self::Failing => "The last run failed",
            Self::OverBudget => "The budget holds runs back",
            Self::BudgetNearlySpent => "Four fifths of the budget are spent",
        }
    }
}

/// A project, with its schedule where one project is asked for.
#[derive(Clone, Debug)]
pub struct ProjectView {
    pub record: ProjectRecord,
    /// Its order and times; `None` in lists.
    pub schedule: Option<ScheduleView>,
    /// The markets apart from its own; empty in lists.
    pub markets: Vec<MarketRecord>,
    /// The forecast; only for a project that was made or changed just now.
    pub forecast: Option<Forecast>,
}

impl ProjectView {
    pub const fn status(&self) -> ProjectStatus {
        match (self.record.archived_at, self.record.is_paused) {
            (Some(_), _) => ProjectStatus::Archived,
            (None, true) => ProjectStatus::Paused,
            (None, false) => ProjectStatus::Active,
        }
    }

    /// What a person should look at, the most urgent first; empty for an archived project.
    pub fn attention(&self) -> Vec<Attention> {
        let record = &self.record;
        if record.archived_at.is_some() {
            return Vec::new();
        }
        let (changed, word, budget) = (record.changed_at, record.outcome.as_deref(), record.budget);
        let changed = changed.is_some_and(|at| now_ms().saturating_sub(at) < RECENT);
        let over = word.is_some_and(|word| word.starts_with("over_"));
        let nearly = budget.is_some_and(|budget| record.spent >= budget / 5 * 4 && budget > 0);
        let all = [
            changed.then_some(Attention::Changed),
            (record.failures > 0).then_some(Attention::Failing),
            over.then_some(Attention::OverBudget),
            (nearly && !over).then_some(Attention::BudgetNearlySpent),
        ];
        all.into_iter().flatten().collect()
    }

    /// Orders lists: first what wants attention, then the latest change, then the latest run.
    pub(crate) fn rank(&self) -> impl Ord + use<> {
        let record = &self.record;
        let urgent = self.attention().first().copied();
        (
            record.archived_at.is_some(),
            urgent.is_none(),
            urgent,
            std::cmp::Reverse(record.changed_at),
            std::cmp::Reverse(record.last_run_at),
        )
    }

    /// Returns the body that would make the project as it is.
    pub fn body(&self) -> Map<String, Value> {
        changed(self, &Map::new()).1
    }

    pub fn own_market(&self) -> MarketNumbers {
        let record = &self.record;
        MarketNumbers {
            summary: record.summary,
            level: record.level,
            verdict: record.verdict.clone(),
            changed_at: record.changed_at,
            last_scan: record.last_scan,
            last_run_at: record.last_run_at,
        }
    }

    pub fn document(&self) -> Value {
        let record = &self.record;
        let mut document = json!({
            "projectId": record.id,
            "name": record.name,
            "domain": record.domain,
            "keyword": record.keyword,
            "location": record.place,
            "status": self.status().as_str(),
            "score": record.summary.as_ref().map(|summary| summary.score),
            "interval": record.summary.as_ref().and_then(|summary| summary.interval),
            "level": record.level,
            "verdict": record.verdict,
            "changedAt": record.changed_at.map(at),
            "lastScanId": record.last_scan,
            "lastRunAt": record.last_run_at.map(at),
            "nextRunAt": record.next_due.filter(|_| self.status() == ProjectStatus::Active).map(at),
            "spentThisMonthUsd": dollars(record.spent),
            "monthlyBudgetUsd": record.budget.map(dollars),
            "attention": self.attention(),
            "createdAt": at(record.created_at),
        });
        for (name, value) in json!(record.settings).as_object().into_iter().flatten() {
            document[name] = value.clone();
        }
        document["links"] = json!({
            "self": format!("/api/v2/projects/{}", record.id),
            "runs": format!("/api/v2/projects/{}/runs", record.id),
            "history": format!("/api/v2/projects/{}/history", record.id),
            "badge": self.badge_path(),
        });
        if let Some(schedule) = &self.schedule {
            let (place, language) = market_of(&schedule.order);
            let own = markets::document(place.as_deref(), language.as_deref(), &self.own_market());
            let others = self.markets.iter().map(|market| {
                markets::document(
                    market.place.as_deref(),
                    market.language.as_deref(),
                    &market.numbers,
                )
            });
            document[MARKETS] = std::iter::once(own).chain(others).collect();
            document["order"] = json!(schedule.order);
            let set = asked(&schedule.order);
            document["questionSet"] = json!(set.as_ref().map(|set| format!("{}@{}", set.id, set.version)));
            document["questions"] = json!(set.map(|set| set.questions));
            let counted = schedule.order.get(f::QUESTIONS_PER_MODEL.name);
            let counted = counted.filter(|value| !value.is_null()).cloned();
            document["questionsPerModel"] = counted.unwrap_or_else(|| json!(ALL));
            let mut recurrence = schedule.recurrence.members();
            recurrence.insert("summary".to_owned(), json!(schedule.recurrence.to_string()));
            document["recurrence"] = json!(recurrence);
        }
        if let Some(forecast) = &self.forecast {
            document["forecast"] = forecast.document();
        }
        document
    }
}

pub fn run_document(project: &str, found: &RunProgress) -> Value {
    let run = &found.run;
    let result = run.summary.and(run.scan);
    json!({
        "scanId": run.scan,
        "at": at(run.at),
        "outcome": run.outcome,
        "keyword": run.keyword,
        "location": run.place,
        "score": run.summary.map(|summary| summary.score),
        "interval": run.summary.and_then(|summary| summary.interval),
        "costUsd": dollars(run.cost),
        "progress": found.progress.map(|(done, calls)| json!({"done": done, "calls": calls})),
        "questionSet": run.question_set,
        "links": {"result": result.map(|scan| format!("/api/v2/projects/{project}/runs/{scan}"))},
    })
}

pub fn change_document(event: &ProjectEvent) -> Value {
    let members = event.members.as_deref();
    let members: Option<Value> = members.and_then(|text| serde_json::from_str(text).ok());
    json!({
        "at": at(event.at),
        "actor": event.email.as_deref().unwrap_or(&event.actor),
        "action": event.action,
        "members": members,
    })
}

/// Why a run failed and what to do about it, by the code of its reason.
pub fn failure_in_words(code: Option<&str>) -> String {
    let known = PROBLEMS.iter().find(|row| Some(row.word) == code);
    known.map_or_else(
        || "failed: no answer could be used. Run it again; if it fails again, ask the operator of this server.".to_owned(),
        |row| format!("failed: {} {}", row.meaning, row.remedy),
    )
}

pub fn outcome_in_words(word: &str) -> &str {
    match word {
        "complete" => "done",
        "partial" => "done in part",
        "cancelled" => "stopped",
        "failed" => "failed",
        "still_running" => "left out: the run before was under way",
        "over_budget" => "held back: over the monthly budget of the project",
        "over_organisation_budget" => "held back: over the monthly budget of the organisation",
        "project_archived" => "held back: the project is archived",
        other => other,
    }
}
