//! Judges the ended scans of schedules: their cost, failures in a row, and whether an alert is due.

use super::keeper::{A_PAGE, ScheduleKeeper};
use super::owner::WITH_RESULT;
use super::view::{order_of, time};
use super::{ScheduleOwner, month_began};
use crate::error::Error;
use crate::project_mentions::{mentions_in, read_run};
use crate::project_numbers::{self, Beside, sides};
use crate::projects::failure_in_words;
use crate::stored_scans::read_result;
use crate::webhooks::EventMessage;
use crate::workspace::cost_of;
use ibid_engine::compare::Side;
use ibid_engine::history::{NotOneSeries, Told, history_of, lost_question, of_change};
use ibid_engine::mentions::{ProjectMoves, RunMentions, next_step};
use ibid_model::result::{Citations, History, HistoryChange};
use ibid_model::{AlertId, ProjectId, ScanId, ScanResult, UsdMicros};
use ibid_news::{AlertLinks, AlertReason, CitedAnswers, LostQuestion, NewsEvent, RaisedAlert, ReachedBudget};
use ibid_store::{
    EndedScan, NewAlert, NewDelivery, ScheduleRecord, ScheduleStart, ScheduledEnd, Store, StoreError,
};
use jiff::Timestamp;
use serde_json::Value;

/// Failures in a row that raise an alert; a project, which people watch, says so earlier.
const FAILURES: u32 = 3;
const FAILURES_OF_PROJECT: u32 = 2;
/// Owners hear when this much of a budget is spent, in percent.
const NEARLY: u64 = 80;
/// Earlier runs are left out by so many at a time, so that this many to twice as many are judged together.
/// A window that moved with every run could notice one change twice.
const RUNS_JUDGED: usize = 100;

/// What an ended run comes to, before it is stored.
struct Judgement {
    outcome: &'static str,
    cost: u64,
    credits: u32,
    failures: Option<u32>,
    alert: Option<Alert>,
    lost: Option<Lost>,
    /// What its answers name and cite, where they can be read.
    read: Option<RunMentions>,
}

/// An alert that is due.
struct Alert {
    id: AlertId,
    kind: AlertReason,
    previous: Option<ScanId>,
    summary: String,
    changes: Vec<HistoryChange>,
    next_step: Option<String>,
}

/// A question that lost its answers with a run.
struct Lost {
    project: ProjectId,
    question: String,
    before: CitedAnswers,
    since: CitedAnswers,
}

impl ScheduleKeeper {
    /// Judges every scan that has ended since the last round.
    pub(crate) async fn judge_ended(&self, now: Timestamp) -> Result<(), Error> {
        loop {
            let ended = self.in_store(|store| store.ended_scheduled_scans(A_PAGE)).await?;
            let all = ended.len() < A_PAGE as usize;
            for scan in ended {
                self.judge(scan, now).await?;
            }
            if all {
                return Ok(());
            }
        }
    }

    async fn judge(&self, ended: EndedScan, now: Timestamp) -> Result<(), Error> {
        let answers = read_run(&self.stored_scans.evidence, ended.scan).await?;
        // Comparing takes long, so it stays on the blocking thread of the store.
        let judged = self.in_store(move |store| {
            let Some(schedule) = store.schedule(ended.firing.schedule)? else {
                return Ok(None);
            };
            let judgement = judge(store, &schedule, &ended, answers.as_deref())?;
            // Who sees the end of a run finds its numbers, too.
            if let Some(project) = schedule.project
                && WITH_RESULT.contains(&judgement.outcome)
            {
                end_project_run(store, &schedule, project, ended.scan, &judgement)?;
            }
            store_end(store, &schedule, ended.firing, Some(ended.scan), &judgement, now)?;
            say_spent(store, &schedule, judgement.outcome, now)?;
            Ok(Some((schedule.id, judgement)))
        });
        if let Some((schedule, judgement)) = judged.await? {
            log_alert(schedule, &judgement);
        }
        Ok(())
    }

    /// Ends a run without a scan.
    /// `failed` is whether it counts as a failure.
    pub(super) async fn end_without_scan(
        &self,
        schedule: &ScheduleRecord,
        firing: ScheduleStart,
        outcome: &'static str,
        failed: bool,
        now: Timestamp,
    ) -> Result<(), Error> {
        let judgement = Judgement {
            outcome,
            cost: 0,
            credits: 0,
            failures: failed.then(|| schedule.failures.saturating_add(1)),
            alert: failed.then(|| failing(schedule, Some(outcome))).flatten(),
            lost: None,
            read: None,
        };
        let (id, schedule) = (schedule.id, schedule.clone());
        let stored = self.in_store(move |store| {
            store_end(store, &schedule, firing, None, &judgement, now)?;
            say_spent(store, &schedule, judgement.outcome, now)?;
            Ok(judgement)
        });
        let judgement = stored.await?;
        tracing::warn!(schedule = %id, outcome, "schedule.not_started");
        log_alert(id, &judgement);
        Ok(())
    }
}

fn log_alert(schedule: ibid_model::ScheduleId, judgement: &Judgement) {
    if let Some(alert) = &judgement.alert {
        tracing::info!(%schedule, alert = %alert.id, kind = alert.kind.word(), "schedule.alert.raised");
    }
}

fn judge(
    store: &Store,
    schedule: &ScheduleRecord,
    ended: &EndedScan,
    answers: Option<&[u8]>,
) -> Result<Judgement, StoreError> {
    let result = result_of(store, ended.scan)?;
    let read = match (&result, answers) {
        (Some(result), Some(answers)) => Some(mentions_in(result, answers)?),
        _ => None,
    };
    let cost = result.as_ref().map_or(0, cost_of);
    let is_account = matches!(ScheduleOwner::named(&schedule.owner), ScheduleOwner::Account(_));
    let (outcome, failed) = match ended.state.as_deref() {
        Some("complete") => ("complete", false),
        Some("partial") => ("partial", false),
        Some("cancelled") => ("cancelled", false),
        Some(_) => ("failed", true),
        None => ("deleted", false),
    };
    let scored = WITH_RESULT.contains(&outcome);
    let failures = if failed {
        Some(schedule.failures.saturating_add(1))
    } else {
        scored.then_some(0)
    };
    // Without a result the credit is given back.
    let credits = u32::from(is_account && result.is_some());
    let (alert, lost) = match result {
        _ if failed => (failing(schedule, ended.error.as_deref()), None),
        Some(result) if scored => changed(store, schedule, ended, result, read.clone())?,
        Some(_) | None => (None, None),
    };
    Ok(Judgement {
        outcome,
        cost,
        credits,
        failures,
        alert,
        lost,
        read,
    })
}

/// The alert about failures in a row, once for each row.
fn failing(schedule: &ScheduleRecord, code: Option<&str>) -> Option<Alert> {
    let project = ScheduleOwner::project_named(&schedule.owner);
    let most = project.map_or(FAILURES, |_| FAILURES_OF_PROJECT);
    (schedule.failures + 1 == most).then(|| Alert {
        id: AlertId::random(),
        kind: AlertReason::Failing,
        previous: None,
        changes: Vec::new(),
        next_step: None,
        summary: format!(
            "The last {most} runs failed. The latest {}",
            failure_in_words(code)
        ),
    })
}

/// Queues the news that four fifths of a project's budget are spent, or that it holds a run back.
fn say_spent(
    store: &Store,
    schedule: &ScheduleRecord,
    outcome: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let project = ScheduleOwner::project_named(&schedule.owner);
    let Some((project, budget)) = project.zip(schedule.budget) else {
        return Ok(());
    };
    let spent = store.schedule_use(schedule.id, month_began(now))?.cost;
    let percent = match outcome {
        "over_budget" => 100,
        _ if budget > 0 && spent >= budget.saturating_mul(NEARLY) / 100 => 80,
        _ => return Ok(()),
    };
    let event = NewsEvent::BudgetReached(ReachedBudget {
        project_id: project,
        name: client_of(store, schedule)?,
        percent,
        spent_usd: UsdMicros::new(spent).dollars(),
        budget_usd: UsdMicros::new(budget).dollars(),
    });
    let subject = format!("{project} {} {percent}", month_began(now));
    let message = EventMessage::news(&event, subject, now);
    store.put_deliveries(&[message.to(&schedule.owner, None)], now.as_millisecond())?;
    Ok(())
}

/// The alert about changes that the history of the schedule shows first with this run, and the question that lost its answers.
fn changed(
    store: &Store,
    schedule: &ScheduleRecord,
    ended: &EndedScan,
    latest: ScanResult,
    read: Option<RunMentions>,
) -> Result<(Option<Alert>, Option<Lost>), StoreError> {
    let project = ScheduleOwner::project_named(&schedule.owner);
    let mut beside = match project {
        Some(project) => Beside::of_project(store, project)?,
        None => Beside::without_mentions(1),
    };
    beside.mentions.extend(read.map(|read| (ended.scan, read)));
    let mut ids = store.scheduled_scans_before(ended.firing, WITH_RESULT)?;
    let previous = ids.last().copied();
    ids.drain(..first_judged(ids.len()));
    let mut scans = Vec::with_capacity(ids.len() + 1);
    for id in ids {
        // Its owner may have deleted it.
        scans.extend(result_of(store, id)?.map(|result| (id, result)));
    }
    scans.push((ended.scan, latest));
    let sides = sides(&scans);
    let noticed = last_series(&sides, &beside.told()).changes.into_iter();
    let noticed = noticed.filter(|change| change.noticed_at == Some(ended.scan));
    let changes: Vec<HistoryChange> = noticed.collect();
    let sentences: Vec<String> = changes.iter().map(|change| of_change(change, &sides)).collect();
    let lost = match project.zip(lost_question(&sides)) {
        // A question without its text says nothing.
        Some((project, lost)) => {
            let question = project_numbers::question_texts(store, &scans)?.remove(&lost.question);
            question.map(|question| Lost {
                project,
                question,
                before: cited(lost.before),
                since: cited(lost.after),
            })
        }
        None => None,
    };
    let alert = (!changes.is_empty()).then(|| Alert {
        id: AlertId::random(),
        kind: AlertReason::Changed,
        previous,
        summary: sentences.join(" "),
        next_step: next_step(changes.last(), &ProjectMoves::default()),
        changes,
    });
    Ok((alert, lost))
}

const fn cited(of: Citations) -> CitedAnswers {
    CitedAnswers {
        cited_answers: of.cited,
        answers: of.answers,
    }
}

/// Stores the end of a run in the project that the schedule belongs to.
fn end_project_run(
    store: &Store,
    schedule: &ScheduleRecord,
    project: ProjectId,
    scan: ScanId,
    judgement: &Judgement,
) -> Result<(), StoreError> {
    let order = order_of(schedule)?;
    let text = |name: &str| order.get(name).and_then(Value::as_str);
    let subject = (text("keyword").unwrap_or_default(), text("location"));
    let is_other = ScheduleOwner::project_named(&schedule.owner).is_some()
        && schedule.id.as_bytes() != project.as_bytes();
    let market = is_other.then_some(schedule.id);
    let read = judgement.read.as_ref();
    project_numbers::end_run(store, project, scan, subject, market, judgement.cost, read)
}

/// Returns the first among so many earlier runs that is judged with the latest one.
const fn first_judged(earlier: usize) -> usize {
    earlier.saturating_sub(RUNS_JUDGED) / RUNS_JUDGED * RUNS_JUDGED
}

/// Tells the history since the order was last edited, as scans before it measure something else.
fn last_series(scans: &[Side<'_>], told: &Told<'_>) -> History {
    match history_of(scans, told) {
        Ok(history) => history,
        Err(NotOneSeries::Other { number, .. } | NotOneSeries::NoSharedModel { number }) => {
            // The first scan is one with itself, so every step leaves fewer.
            let rest = scans.get(number.saturating_sub(1).max(1)..);
            last_series(rest.unwrap_or_default(), told)
        }
    }
}

fn result_of(store: &Store, scan: ScanId) -> Result<Option<ScanResult>, StoreError> {
    let record = store.scan(scan)?;
    record.map(|record| read_result(&record.reply)).transpose()
}

/// Names the client in news, for example "Bolt Pipes, Berlin" where a project has several places.
fn client_of(store: &Store, schedule: &ScheduleRecord) -> Result<String, StoreError> {
    let scope = match schedule.project {
        Some(project) => store.program_scope(project)?,
        None => None,
    };
    let project = match &scope {
        Some(scope) => store.project(scope, month_began(Timestamp::now()))?,
        None => None,
    };
    let order = order_of(schedule)?;
    let text = |name: &str| order.get(name).and_then(Value::as_str).unwrap_or_default();
    Ok(match project {
        Some(project) if project.place.as_deref().unwrap_or_default() == text("location") => project.name,
        Some(project) => format!("{}, {}", project.name, text("location")),
        None if schedule.name.is_empty() => text("domain").to_owned(),
        None => schedule.name.clone(),
    })
}

/// Stores the end of a run with its alert and the event about that.
fn store_end(
    store: &Store,
    schedule: &ScheduleRecord,
    firing: ScheduleStart,
    scan: Option<ScanId>,
    judgement: &Judgement,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let alert = judgement.alert.as_ref();
    let client = client_of(store, schedule)?;
    let message = alert.map(|alert| {
        let raised = RaisedAlert {
            alert_id: alert.id,
            schedule_id: schedule.id,
            project_id: schedule.project,
            name: client.clone(),
            kind: alert.kind,
            summary: alert.summary.clone(),
            changes: alert.changes.clone(),
            next_step: alert.next_step.clone(),
            scan_id: scan,
            previous_scan_id: alert.previous,
            due_at: time(firing.due),
            links: AlertLinks {
                alerts: format!("/api/v2/schedules/{}/alerts", schedule.id),
            },
        };
        let is_of_project = ScheduleOwner::project_named(&schedule.owner).is_some();
        let event = match alert.kind {
            AlertReason::Changed if is_of_project => NewsEvent::ChangeNoticed(raised),
            AlertReason::Changed | AlertReason::Failing => NewsEvent::AlertRaised(raised),
        };
        EventMessage::news(&event, alert.id.to_string(), now)
    });
    let lost = judgement.lost.as_ref().zip(scan).map(|(lost, scan)| {
        let event = NewsEvent::QuestionLost(LostQuestion {
            project_id: lost.project,
            name: client.clone(),
            scan_id: scan,
            question: lost.question.clone(),
            before: lost.before,
            since: lost.since,
        });
        EventMessage::news(&event, scan.to_string(), now)
    });
    let messages = message.iter().chain(&lost);
    let notices: Vec<NewDelivery<'_>> = messages
        .map(|message| message.to(&schedule.owner, None))
        .collect();
    let end = ScheduledEnd {
        outcome: judgement.outcome,
        cost: judgement.cost,
        credits: judgement.credits,
        failures: judgement.failures,
        alert: alert.map(|alert| NewAlert {
            id: alert.id,
            kind: alert.kind.word(),
            previous: alert.previous,
            summary: &alert.summary,
        }),
    };
    store.end_scheduled_run(firing, &end, &notices, now.as_millisecond())
}
