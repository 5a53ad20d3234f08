//! A scan without a report: its page, its events, and stopping it.

use super::signed_in::SignedIn;
use super::stored::parse_id;
use crate::extract::{Asked, Query, SameOrigin, Sent, SignedInCaller};
use crate::problem::ApiError;
use crate::redirect::see_other;
use crate::respond::Answer;
use crate::sse;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use futures_util::StreamExt;
use ibid_model::{Ring, RunState};
use ibid_service::{RunEvent, RunProgress, RunRecord, StreamEvent, failure_reason};
use ibid_web::pages::{self, ProgressPage, RunningRow, ScanProgress};
use ibid_web::time;
use jiff::Timestamp;

/// Renders the page of a scan without a report.
pub(crate) fn progress_page(
    signed_in: &SignedIn,
    run: &RunRecord,
    progress: Option<&RunProgress>,
) -> Result<HttpResponse, ApiError> {
    let models = progress.into_iter().flat_map(|progress| &progress.models);
    let models: Vec<_> = models
        .map(|model| RunningRow {
            key: model.alias.to_string(),
            label: model.label.clone(),
            total: model.total,
            done: model.done,
            cited: model.cited,
        })
        .collect();
    let rings = progress.into_iter().flat_map(|progress| &progress.rings);
    let rings: Vec<_> = rings
        .map(|ring| RunningRow {
            key: ring.ring.map_or(0, Ring::get).to_string(),
            label: ring_label(ring.ring),
            total: ring.total,
            done: ring.done,
            cited: ring.cited,
        })
        .collect();
    let credit_returned = run.credit_returned;
    let reason = failure_reason(run);
    let state = match run.state {
        RunState::Failed => ScanProgress::Failed {
            reason: &reason,
            credit_returned,
        },
        RunState::Cancelled => ScanProgress::Cancelled {
            done: run.done,
            credit_returned,
        },
        RunState::Queued | RunState::Running | RunState::Complete | RunState::Partial => {
            ScanProgress::Running {
                done: progress.map_or(run.done, |progress| progress.done),
                total: run.questions,
                models: &models,
                // One ring, or only core questions: the table by ring would repeat the count.
                rings: if rings.len() > 1 { &rings } else { &[] },
                cancellable: true,
                elapsed: Timestamp::now()
                    .duration_since(time(run.created_at))
                    .unsigned_abs(),
            }
        }
    };
    let page = ProgressPage {
        id: run.id,
        domain: &run.domain,
        keyword: &run.keyword,
        place: run.place.as_deref(),
        at: time(run.created_at),
        state,
    };
    signed_in
        .browser
        .show(StatusCode::OK, |frame| pages::progress_page(frame, &page))
}

fn ring_label(ring: Option<Ring>) -> String {
    ring.map_or_else(
        || "Core questions".to_owned(),
        |ring| format!("Ring {}, up to {} km", ring.get(), ring.to_km()),
    )
}

/// `POST /workspace/scans/{id}/cancel`.
pub(crate) async fn cancel(_own: SameOrigin, Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    let id = parse_id(&id)?;
    service.scans.stop_run(signed_in.member.account, id).await?;
    Ok(see_other(&format!("/workspace/scans/{id}")))
}

/// `GET /workspace/scans/{id}/events`: Server-Sent Events `progress` after the first `after`, then `scan_complete`.
pub(crate) async fn events(
    Sent(SignedInCaller(member), query, id, service): Sent<SignedInCaller, Query, String>,
) -> Answer {
    let id = parse_id(&id)?;
    let after = query.0.text("after").parse().unwrap_or(0);
    let watched = service.scans.watch_run(member.account, id, after).await?;
    Ok(sse::answer(watched.map(move |mut watched| {
        if let RunEvent::Call(call) = &mut watched
            && let Some(reading) = &mut call.progress.interim
        {
            reading.quote = reading.quote.take().map(|quote| ibid_web::plain(&quote));
        }
        StreamEvent::of_page(id, &watched)
    })))
}
