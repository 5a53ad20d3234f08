//! Digests: what happened in a week or a month, also where no score changed.

use super::draft::next_digest;
use super::report::DigestReport;
use crate::clock::now_ms;
use crate::failure::chain;
use crate::pictures::Pictures;
use crate::project_numbers::Beside;
use crate::projects::{Attention, ProjectView, failure_in_words, judged_in_words, moves_of, this_month};
use crate::runs::Runs;
use crate::webhooks::{EventMessage, WebhookSender};
use ibid_engine::history::LEVEL_RUNS;
use ibid_engine::mentions::{movers, next_step};
use ibid_model::{Score, UsdMicros};
use ibid_news::{Digest, DigestProject, NewsEvent};
use ibid_store::{
    DestinationOf, DigestPeriod, DueDigest, Millis, ProjectReader, ProjectRecord, ProjectScope, Right, Store,
    StoreError,
};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use std::sync::Arc;

/// Digests that are made in one read of the store.
const A_PAGE: u32 = 100;
/// Projects of a digest: what a reader looks through; its mail has fewer where their texts are long.
const MOST_PROJECTS: usize = 30;

/// Queues digests, with their reports, for [`WebhookSender`].
pub(crate) struct Digests {
    pub(crate) runs: Arc<Runs>,
    pub(crate) pictures: Arc<Pictures>,
}

impl Digests {
    /// Looks for due digests before the sender looks for what to send, for as long as there is one.
    pub(crate) fn start(self, sender: &Arc<WebhookSender>) {
        let (digests, period) = (Arc::new(self), sender.settings.period);
        sender.runs.repeat(sender, period, move |_| {
            let digests = Arc::clone(&digests);
            async move {
                if let Err(error) = digests.queue().await {
                    tracing::warn!(error = chain(&error), "webhook.round.failed");
                }
            }
        });
    }

    /// Queues the digests that are due.
    pub(crate) async fn queue(&self) -> Result<(), StoreError> {
        loop {
            let now = now_ms();
            let db = &self.runs.db;
            let due = db
                .call(move |store| store.due_digests(now, this_month(), A_PAGE))
                .await?;
            let mut reports = Vec::with_capacity(due.len());
            for digest in &due {
                if after_run(digest, now).is_some() {
                    reports.push(None);
                    continue;
                }
                match self.report_of(digest).await {
                    Ok(report) => reports.push(report),
                    // Too much is drawn: the next round goes on.
                    Err(_) => return Ok(()),
                }
            }
            let made = db.call(move |store| {
                for (digest, report) in due.iter().zip(reports) {
                    if let Some(later) = after_run(digest, now) {
                        store.put_digest(digest.destination.id, digest.due, later, None, now)?;
                        continue;
                    }
                    let (message, next) = compose(store, digest, report, now)?;
                    let (id, owner) = (digest.destination.id, digest.destination.of.owner());
                    let delivery = message.to(&owner, Some(id));
                    store.put_digest(id, digest.due, next.as_millisecond(), Some(&delivery), now)?;
                }
                Ok(due.len())
            });
            if made.await? < A_PAGE as usize {
                return Ok(());
            }
        }
    }
}

/// Returns when a digest is sent instead of at its hour: an hour after that day's last run, for which it waits once, and
/// after those that are under way.
fn after_run(digest: &DueDigest, now: Millis) -> Option<Millis> {
    if digest.is_running {
        return Some(now + 60_000);
    }
    let due = Timestamp::from_millisecond(digest.due).ok()?;
    let zone = TimeZone::get(&digest.destination.time_zone).unwrap_or(TimeZone::UTC);
    let before = due.checked_sub(1.millisecond()).ok()?;
    let is_regular = next_digest(digest.destination.digest?, &zone, before) == due;
    let day = due.checked_add(24.hours()).ok()?.as_millisecond();
    let active = digest
        .projects
        .iter()
        .filter(|project| !project.is_paused && project.archived_at.is_none());
    let runs = active.filter_map(|project| project.next_due.filter(|next| *next < day));
    let last = runs.max().filter(|_| is_regular)?;
    Some(last.max(digest.due) + 3_600_000)
}

fn compose(
    store: &Store,
    due: &DueDigest,
    report: Option<DigestReport>,
    now: Millis,
) -> Result<(EventMessage, Timestamp), StoreError> {
    let period = due.destination.digest.unwrap_or(DigestPeriod::Weekly);
    let zone = TimeZone::get(&due.destination.time_zone).unwrap_or(TimeZone::UTC);
    let now = Timestamp::from_millisecond(now).unwrap_or_default();
    let local = now.to_zoned(zone.clone());
    let span = match period {
        DigestPeriod::Weekly => 7.days(),
        DigestPeriod::Monthly => 1.month(),
    };
    let since = local
        .checked_sub(span)
        .map_or(0, |began| began.timestamp().as_millisecond());
    let mut views: Vec<ProjectView> = due.projects.iter().cloned().map(view).collect();
    views.sort_by_cached_key(ProjectView::rank);
    let mut digest = Digest {
        period: period.as_str().to_owned(),
        day: local.date().to_string(),
        projects: views
            .iter()
            .take(MOST_PROJECTS)
            .map(|view| row(store, view, due.destination.of, since))
            .collect::<Result<_, _>>()?,
        more: u32::try_from(views.len().saturating_sub(MOST_PROJECTS)).unwrap_or(u32::MAX),
    };
    if let (Some(report), Some(project)) = (report, digest.projects.first_mut()) {
        match report {
            Ok(id) => project.report_id = Some(id.to_string()),
            Err(why) => project.attention.push(format!("No report is attached: {why}")),
        }
    }
    // One that is sent now is another one than that of the morning.
    let subject = format!("{} {}", digest.day, due.due);
    let message = EventMessage::news(&NewsEvent::Digest(digest), subject, now);
    Ok((message, next_digest(period, &zone, now)))
}

const fn view(record: ProjectRecord) -> ProjectView {
    ProjectView {
        record,
        schedule: None,
        markets: Vec::new(),
        forecast: None,
    }
}

/// Why the last run failed, in words.
fn last_failure(store: &Store, scope: &ProjectScope) -> Result<Option<String>, StoreError> {
    let last = store.project_runs(scope, 1, 0)?.pop();
    let failed = last.filter(|run| run.summary.is_none() && run.outcome.is_some());
    Ok(failed.map(|run| failure_in_words(run.error.or(run.outcome).as_deref())))
}

fn row(
    store: &Store,
    view: &ProjectView,
    of: DestinationOf,
    since: Millis,
) -> Result<DigestProject, StoreError> {
    let record = &view.record;
    // As on pages, money is for those who may run the project.
    let sees_money = match of {
        DestinationOf::Account(account) => store
            .project_scope(ProjectReader::Account(account), record.id)?
            .is_some_and(|scope| scope.may(Right::RunProject)),
        DestinationOf::Project(_) | DestinationOf::Organisation(_) => true,
    };
    let level = record.level;
    let last = record.summary.as_ref();
    let scope = store.program_scope(record.id)?;
    let (beside, history) = match &scope {
        Some(scope) => (
            Beside::read(store, scope, LEVEL_RUNS as u32)?,
            store.project_findings(scope)?.history,
        ),
        None => (Beside::without_mentions(1), None),
    };
    let failure = match scope.filter(|_| record.failures > 0) {
        Some(scope) if sees_money => last_failure(store, &scope)?,
        Some(scope) => last_failure(store, &scope)?.map(|_| "failed.".to_owned()),
        None => None,
    };
    let recent = beside.ended.iter().filter(|at| **at >= since).count();
    let (mut movers, source) = movers(&beside.mentions, &beside.competitors, recent);
    movers.extend(source);
    if recent == 0 {
        movers.clear();
    }
    let moves = moves_of(store, &beside, history.as_ref())?;
    let is_changed = record.changed_at.is_some_and(|at| at >= since);
    let change = history.as_ref().and_then(|history| history.changes.last());
    let change = change.filter(|_| is_changed);
    let attention = if sees_money { view.attention() } else { Vec::new() };
    let is_over = attention.contains(&Attention::OverBudget);
    let attention = attention.into_iter();
    // A change in this period has a sentence of its own, and an older one is no news. What is left is about money.
    let attention = attention.filter(|what| ![Attention::Changed, Attention::Failing].contains(what));
    let judged = store.judged_actions(record.id, since)?;
    let judged = judged
        .iter()
        .filter_map(|action| judged_in_words(action).transpose());
    let budget = record.budget.filter(|_| sees_money);
    Ok(DigestProject {
        project_id: record.id.to_string(),
        name: record.name.clone(),
        domain: record.domain.clone(),
        score: level
            .map(|level| level.score)
            .or(last.map(|last| last.score))
            .map(Score::get),
        interval: match level {
            Some(level) => Some(level.interval),
            None => last.and_then(|last| last.interval),
        },
        verdict: record.verdict.clone().unwrap_or_default(),
        changed: is_changed,
        ran: record.last_run_at.is_some_and(|at| at >= since),
        spent_usd: sees_money.then(|| UsdMicros::new(record.spent).dollars()),
        budget_usd: budget.map(|budget| UsdMicros::new(budget).dollars()),
        runs: history.as_ref().map(|history| history.runs),
        over_budget: is_over,
        movers,
        next_step: next_step(change, &moves),
        fell_or_rose: change.map(|change| (change.before, change.after)),
        failure,
        attention: attention.map(|attention| attention.words().to_owned()).collect(),
        actions: judged.collect::<Result<_, _>>()?,
        report_id: None,
    })
}
