//! The last scans with the keys of a service key's holder.

use crate::error::Error;
use crate::handle::scans::Scans;
use crate::job::CallerId;
use ibid_engine::NoAnswers;
use ibid_model::{Domain, Keyword, ProblemCode, RunState, ScanId, Score};
use ibid_provider::ProviderError;
use ibid_store::DurableRunView;
use jiff::Timestamp;

/// A scan that a service key's holder asked for.
#[derive(Clone, Debug)]
pub struct RecentScan {
    pub id: ScanId,
    pub domain: Domain,
    pub keyword: Keyword,
    /// The place as the caller wrote it.
    pub location: Option<String>,
    /// When it was started.
    pub started_at: Timestamp,
    /// When it last changed.
    pub changed_at: Timestamp,
    /// Calls planned.
    pub calls: usize,
    /// Calls that have ended.
    pub done: usize,
    /// The overall score, once there is one.
    pub score: Option<Score>,
    /// Its state, which begins as running, and never is partial.
    pub state: RunState,
    /// Why it failed, and a sentence about it.
    pub failure: Option<(ProblemCode, String)>,
}

impl Scans {
    /// The last hundred scans of a service key's holder that were asked at once, newest first.
    pub async fn recent_scans(&self, caller: &CallerId) -> Result<Vec<RecentScan>, Error> {
        let runs = self.pinned.of(caller).await?;
        Ok(runs.iter().filter_map(|run| self.shown(run)).collect())
    }

    /// One of these scans, by its id.
    pub async fn recent_scan(&self, caller: &CallerId, id: ScanId) -> Result<Option<RecentScan>, Error> {
        let run = self.pinned.find(caller, id).await?;
        Ok(run.and_then(|run| self.shown(&run)))
    }

    /// Stops such a scan. Returns whether it exists.
    pub async fn stop_scan(&self, caller: &CallerId, id: ScanId) -> Result<bool, Error> {
        self.pinned.cancel(caller, id).await
    }

    /// `None` for a row that this program cannot read.
    fn shown(&self, run: &DurableRunView) -> Option<RecentScan> {
        let started_at = Timestamp::from_millisecond(run.created_at).ok()?;
        let ended_at = run.ended_at.and_then(|at| Timestamp::from_millisecond(at).ok());
        let feed = self.runs.feeds.get(run.id).filter(|_| run.state.is_open());
        Some(RecentScan {
            id: run.id,
            domain: run.subject.domain.parse().ok()?,
            keyword: run.subject.keyword.parse().ok()?,
            location: run.subject.place.as_deref().map(str::to_owned),
            started_at,
            changed_at: feed
                .as_ref()
                .map_or(ended_at.unwrap_or(started_at), |feed| feed.changed_at()),
            calls: run.calls as usize,
            done: feed.map_or(run.stored as usize, |feed| feed.done()),
            score: run.score.map(|score| Score::new(f64::from(score) / 1_000.0)),
            state: run.state,
            failure: (run.state == RunState::Failed).then(|| {
                let error = failure_of(run);
                (error.code(), error.to_string())
            }),
        })
    }
}

/// The reason why a run has no result.
fn failure_of(run: &DurableRunView) -> Error {
    match run.error.as_deref().and_then(ProviderError::of_code) {
        Some(cause) => Error::from(NoAnswers {
            questions: run.calls as usize,
            cause,
        }),
        None => Error::Ended,
    }
}
