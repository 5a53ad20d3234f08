//! From a credit to a report.

use super::WorkspaceRuns;
use super::live::Underway;
use crate::admit::{OpenWork, Permit};
use crate::run::{Finished, Reporter, Run, log_failure, start, work};
use crate::service::{Inner, now_ms};
use crate::{CallerId, Error, Job};
use ibid_engine::Progress;
use ibid_engine::plan::Plan;
use ibid_model::{AccountId, ReceiptId, ScanId, ScanOrder};
use ibid_store::{EndedRun, FinishedRun, NewRun, RunEnd, RunSummary, StoreError};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tracing::Instrument;

/// Does a job for a credit. A page audit asks no model and takes none.
pub(crate) async fn spend(inner: &Arc<Inner>, job: Job, account: AccountId) -> Result<Run, Error> {
    let workspace = inner.workspace.as_ref().ok_or(Error::ScansClosed)?;
    let Some(plan) = job.plan() else {
        // It is free, so it is counted.
        let running = inner.audit_limits.start(&CallerId::of(account), Instant::now())?;
        let open = OpenWork::take(inner, &job)?;
        let permit = Permit::credited(job, None, account, open);
        return Ok(start(inner, permit.counted(running)));
    };
    let key = workspace.key.clone().ok_or(Error::ScansClosed)?;
    let (estimate, most) = (job.estimate(), workspace.most_cost);
    if estimate > most {
        return Err(Error::PlanTooExpensive { estimate, most });
    }
    let open = OpenWork::take(inner, &job)?;
    let id = ScanId::random();
    // Under way before it is noted: the row must never be without somebody who renews its lease.
    let underway = inner.live.enter(id, plan);
    begin(inner, workspace, id, account, plan).await?;
    let permit = Permit::credited(job, Some(key), account, open);
    let (run, reporter) = Run::new(id, &permit.job, None);
    let span = tracing::info_span!("service.run", scan.id = %id, questions = run.questions());
    let task = go(Arc::clone(inner), id, permit, underway, reporter);
    inner
        .runtime
        .spawn(inner.runs.track_future(task.instrument(span)));
    Ok(run)
}

/// Takes the credit and notes the scan. A caller who hangs up meanwhile leaves a scan without a task; its lease ends
/// and the credit goes back.
async fn begin(
    inner: &Inner,
    workspace: &WorkspaceRuns,
    id: ScanId,
    account: AccountId,
    plan: &Plan,
) -> Result<(), Error> {
    let order = plan.order();
    let (request, domain) = (request_of(order), order.domain().to_unicode());
    let (keyword, place) = (
        order.keyword().to_string(),
        plan.located().map(|located| located.spoken()),
    );
    let questions = u32::try_from(plan.len()).unwrap_or(u32::MAX);
    let lease = lease_millis(workspace.lease);
    let begun = inner.db.call(move |store| {
        let now = now_ms();
        let run = NewRun {
            id,
            account,
            request: &request,
            domain: &domain,
            keyword: &keyword,
            place: place.as_deref(),
            questions,
            lease_until: now + lease,
        };
        store.begin_run(&run, now)
    });
    begun.await.map_err(|error| match error {
        StoreError::NoCredit => Error::CreditsExhausted,
        error => Error::Store(error),
    })
}

/// The order as JSON, in the fields of a request: enough to ask the same again.
fn request_of(order: &ScanOrder) -> String {
    let brand_names: Vec<_> = order.brand_names().iter().map(|name| name.as_str()).collect();
    let models: Vec<_> = order.models().iter().map(|model| model.alias.as_str()).collect();
    let rings: Vec<_> = order.rings().iter().map(|ring| ring.get()).collect();
    json!({
        "domain": order.domain().to_unicode(),
        "keyword": order.keyword().as_str(),
        "location": order.location().map(|text| text.as_str()),
        "language": order.language().map(ToString::to_string),
        "brandNames": brand_names,
        "learnNames": order.learn_names(),
        "models": models,
        "rings": rings,
        "questionsPerModel": order.questions_per_model().get(),
        "keywordsPerRing": order.keywords_per_ring().get(),
        "queriesPerKeyword": order.queries_per_keyword().get(),
    })
    .to_string()
}

/// The task of a scan.
async fn go(inner: Arc<Inner>, id: ScanId, permit: Permit, underway: Underway, reporter: Reporter) {
    let Reporter { progress, end } = reporter;
    let live = Arc::clone(&underway.live);
    let ended = tokio::select! {
        biased;
        () = live.stop.cancelled() => {
            tracing::info!("run stopped by its owner");
            Err(Error::Ended)
        }
        ended = work_and_keep(&inner, id, permit, &underway, &progress) => ended,
    };
    drop(progress);
    if let Err(error) = &ended
        && !live.stop.is_cancelled()
    {
        log_failure(error);
        give_back(&inner, id, error, live.done()).await;
    }
    // Whoever watches learns of the end from the store, so that is written first.
    drop(underway);
    let _ = end.send(ended);
}

async fn work_and_keep(
    inner: &Inner,
    id: ScanId,
    permit: Permit,
    underway: &Underway,
    progress: &mpsc::UnboundedSender<Progress>,
) -> Result<Finished, Error> {
    let (origin, live) = (permit.origin.clone(), Arc::clone(&underway.live));
    let on = |event: Progress| {
        live.push(&event);
        // A closed channel means that nobody waits.
        let _ = progress.send(event);
    };
    let made = work(inner, id, permit, on)
        .await
        .map_err(Error::of_the_operator)?;
    let summary = made.output.scan().map(|result| RunSummary {
        score: result.overall_score,
        interval: result.interval,
    });
    let finished = FinishedRun {
        receipt: ReceiptId::random(),
        summary: summary.ok_or(Error::Ended)?,
    };
    made.keep(inner, id, origin, move |store, scan| {
        store.finish_run(scan, &finished, now_ms())
    })
    .await
}

/// Notes a failure and gives the credit back. If that fails too, the lease ends and it happens then.
async fn give_back(inner: &Inner, id: ScanId, error: &Error, done: u32) {
    let reason = reason(error);
    let ended = inner.db.call(move |store| {
        let ended = EndedRun {
            end: RunEnd::Failed(&reason),
            done,
            give_back: true,
        };
        store.end_run(id, &ended, now_ms())
    });
    match ended.await {
        // Somebody else ended it, and did the same.
        Ok(()) | Err(StoreError::Lost) => {}
        Err(error) => tracing::error!(%error, "a credit could not be given back yet"),
    }
}

/// A failure for the owner of the scan. Never what the store or the key had to say.
fn reason(error: &Error) -> String {
    match error {
        Error::NoAnswers(none) if none.questions > 0 => {
            format!(
                "None of the {} questions was answered: {}.",
                none.questions, none.cause
            )
        }
        Error::NoAnswers(_) => "The model provider did not accept the operator's key.".to_owned(),
        Error::Page(error) => format!("The page cannot be audited: {error}."),
        _ => "Something failed inside the service.".to_owned(),
    }
}

fn lease_millis(lease: Duration) -> i64 {
    i64::try_from(lease.as_millis()).unwrap_or(i64::MAX)
}

/// Starts watching: keeps the leases of this process, gives back the credits of scans whose process is gone. The first
/// round is that of the start-up. Ends with the service.
pub(crate) fn watch_over(inner: &Arc<Inner>) {
    let lease = inner
        .workspace
        .as_ref()
        .map_or(WorkspaceRuns::USUAL_LEASE, |workspace| workspace.lease);
    let service = Arc::downgrade(inner);
    inner.runtime.spawn(async move {
        while let Some(inner) = service.upgrade() {
            if let Err(error) = turn(&inner, lease).await {
                tracing::warn!(%error, "the scans of the workspace could not be watched over");
            }
            drop(inner);
            tokio::time::sleep(lease / 4).await;
        }
    });
}

async fn turn(inner: &Inner, lease: Duration) -> Result<(), StoreError> {
    let running = inner.live.counts();
    if !running.is_empty() {
        let until = now_ms() + lease_millis(lease);
        let lost = inner
            .db
            .call(move |store| store.renew_runs(&running, until))
            .await?;
        // Another process stopped them.
        for live in lost.into_iter().filter_map(|id| inner.live.get(id)) {
            live.stop.cancel();
        }
    }
    let failed = inner.db.call(|store| store.fail_abandoned_runs(now_ms())).await?;
    if failed > 0 {
        tracing::info!(failed, "credits of lost scans were given back");
    }
    Ok(())
}
