//! Doing a permitted job as a task. Nothing is stored here.

use super::kernel::Runs;
use super::output::JobOutput;
use super::permit::Permit;
use super::pinned::PinnedRun;
use super::run::{Finished, Run, log_failure};
use crate::error::Error;
use crate::job::Job;
use crate::measurements::Measurements;
use crate::page::{PageOrder, Pages, with_names};
use ibid_audit::{SiteLimits, SiteProgress};
use ibid_engine::plan::Plan;
use ibid_engine::{Asked, Engine, Progress};
use ibid_model::result::{AuditReport, SiteAudit};
use ibid_model::{RunState, ScanId, ScanResult, UsdMicros};
use ibid_provider::{
    Completion, Prompt, Provider, ProviderError, ProviderFuture, ProviderKey, ProviderLoad, Share,
};
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;
use tracing::{Instrument, Span};

/// The terms on which a plan is asked.
pub(crate) struct Terms {
    /// Whether each answer is read as it comes.
    pub(crate) reads_answers: bool,
    /// The most that the answers may cost.
    pub(crate) cost_cap: Option<UsdMicros>,
    /// The caller and run whose share of the calls in flight this is.
    pub(crate) share: Share,
}

impl Runs {
    /// The engine that asks a plan, and counts its calls.
    pub(crate) fn engine(&self, plan: &Plan, terms: Terms) -> Engine {
        let provider = Measured::of(Arc::clone(&self.provider), plan, self.measurements.clone());
        Engine::new(Arc::new(provider), self.width)
            .with_interim_readings(terms.reads_answers)
            .with_cost_cap(terms.cost_cap)
            .with_share(terms.share)
    }

    /// Returns what fetches pages, or `None` if no pages are fetched.
    pub(crate) fn pages(&self) -> Option<&Pages> {
        self.pages.as_ref()
    }

    /// Does a permitted job and counts its start, its questions and its failure.
    /// A success is counted when it is stored.
    pub(crate) async fn work(
        &self,
        (id, permit): (ScanId, Permit),
        mut on_progress: impl FnMut(Progress) + Send,
    ) -> Result<JobOutput, Error> {
        let (product, caller_pays) = (permit.job.product(), permit.caller_pays);
        self.counts.started(product);
        // Questions of failed runs count too: they are on the bill.
        let counted = |progress: Progress| {
            self.counts.asked(progress.answered);
            on_progress(progress);
        };
        self.produce(id, permit, counted).await.map_err(|error| {
            self.counts.ended(product, false);
            match caller_pays {
                true => error,
                false => error.of_the_operator(),
            }
        })
    }

    async fn produce(
        &self,
        id: ScanId,
        permit: Permit,
        on_progress: impl FnMut(Progress) + Send,
    ) -> Result<JobOutput, Error> {
        let share = permit.share;
        let ask = async |plan: Plan, key: ProviderKey| {
            let terms = Terms {
                reads_answers: false,
                cost_cap: None,
                share,
            };
            let engine = self.engine(&plan, terms);
            let plan = with_names(self.pages.as_ref(), plan).await;
            engine.ask(id, plan, &key, on_progress).await
        };
        let output = match (permit.job, permit.key) {
            (Job::Scan(_, plan), Some(key)) => self.score(id, ask(*plan, key).await?, None).await?,
            (Job::Audit(page), _) => {
                JobOutput::audit(id, self.audit(&page).await?, self.provider.is_sandbox())?
            }
            // No constructor of a permit leaves the key out for a scan, and bundles are queued.
            (Job::Scan(..), None) | (Job::Full(..), _) => return Err(Error::WorkspaceDisabled),
        };
        drop(permit.held);
        Ok(output)
    }

    pub(crate) async fn audit(&self, page: &PageOrder) -> Result<AuditReport, Error> {
        let pages = self.pages.as_ref().ok_or(Error::AuditsDisabled)?;
        pages.audit(page).await
    }

    /// Audits pages from the site that a page belongs to.
    pub(crate) async fn audit_site(
        &self,
        page: &PageOrder,
        limits: SiteLimits,
        on_progress: impl FnMut(SiteProgress) + Send,
    ) -> Result<SiteAudit, Error> {
        let pages = self.pages.as_ref().ok_or(Error::AuditsDisabled)?;
        pages.audit_site(page, limits, on_progress).await
    }

    /// Scores answers and writes the document on the scoring runtime, which keeps the threads of connections free.
    /// The thread that allocates memory for reading also frees it, so few threads hold such memory
    /// for any number of scans.
    pub(crate) async fn score(
        &self,
        id: ScanId,
        asked: Asked,
        report: Option<AuditReport>,
    ) -> Result<JobOutput, Error> {
        let retain_answers = self.retain_answers;
        self.on_scoring(move || {
            let scanned = asked.score();
            log_scan(&scanned.result);
            JobOutput::scan(id, scanned, report, retain_answers)
        })
        .await
    }

    /// Scores answers as [`Self::score`], with another start and end of the scan, and without logging.
    pub(crate) async fn score_past(
        &self,
        id: ScanId,
        asked: Asked,
        began_at: Timestamp,
        ended_at: Timestamp,
    ) -> Result<JobOutput, Error> {
        let retain_answers = self.retain_answers;
        self.on_scoring(move || {
            let mut scanned = asked.score();
            (scanned.result.started_at, scanned.result.finished_at) = (began_at, ended_at);
            JobOutput::scan(id, scanned, None, retain_answers)
        })
        .await
    }

    /// Computes on the scoring runtime.
    pub(crate) async fn on_scoring<T: Send + 'static>(
        &self,
        score: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let span = Span::current();
        // No await inside, so the span is entered and left on one thread.
        let scored = self.scoring.spawn(async move { span.in_scope(score) });
        match scored.await {
            Ok(output) => output,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // The program is ending.
            Err(_) => Err(Error::Ended),
        }
    }
}

fn log_scan(result: &ScanResult) {
    tracing::info!(
        score = result.overall_score.rounded(),
        answered = result.usage.answered,
        failed = result.usage.failed,
        searched = result.retrieval.searched,
        from_memory = result.retrieval.memory,
        estimated = result.usage.estimated_cost_usd.map(tracing::field::display),
        billed = result.usage.cost_usd.map(tracing::field::display),
        "scan.complete"
    );
}

impl Runs {
    /// Starts a permitted job in the run that was opened for it.
    /// It can be cancelled until it is stored.
    pub(crate) fn start(self: &Arc<Self>, permit: Permit, pinned: PinnedRun) -> Run {
        let guard = (!permit.outlives_caller).then(|| pinned.cancel.clone().drop_guard());
        let (run, end) = Run::new((pinned.id, Arc::clone(&pinned.feed)), &permit.job, guard);
        let span = tracing::info_span!("service.run", scan.id = %run.id(), questions = run.questions());
        let (runs, pinned) = (Arc::clone(self), Arc::new(pinned));
        let task = async move {
            let ended = tokio::select! {
                biased;
                () = pinned.cancel.cancelled() => {
                    tracing::info!("run.cancelled");
                    pinned.end(RunState::Cancelled, None).await;
                    Err(Error::Ended)
                }
                ended = runs.work_and_store(permit, &pinned) => ended,
            };
            if let Err(error) = &ended
                && !pinned.cancel.is_cancelled()
            {
                log_failure(error);
                pinned.end(RunState::Failed, Some(error)).await;
            }
            drop(pinned);
            // The caller may have hung up; the result is still stored.
            let _ = end.send(ended);
        };
        self.spawn(task.instrument(span));
        run
    }

    async fn work_and_store(
        self: &Arc<Self>,
        permit: Permit,
        pinned: &Arc<PinnedRun>,
    ) -> Result<Finished, Error> {
        let identity = permit.identity(pinned.id);
        let output = self
            .work((pinned.id, permit), |call| pinned.feed.add(call))
            .await?;
        let step = pinned.store(&output);
        output.store(self, identity, step, Arc::clone(pinned)).await
    }
}

/// A provider that counts.
pub(super) struct Measured {
    provider: Arc<dyn Provider>,
    /// From identifiers at the provider to aliases.
    aliases: HashMap<String, String>,
    measurements: Measurements,
}

impl Measured {
    /// Counts the questions of a plan.
    pub(super) fn of(provider: Arc<dyn Provider>, plan: &Plan, measurements: Measurements) -> Self {
        let names = plan.models().iter();
        Self {
            aliases: names
                .map(|model| {
                    (
                        model.first_candidate().to_owned(),
                        model.alias.as_str().to_owned(),
                    )
                })
                .collect(),
            provider,
            measurements,
        }
    }
}

impl Provider for Measured {
    fn ask<'a>(
        &'a self,
        key: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> ProviderFuture<'a, Result<Completion, ProviderError>> {
        Box::pin(async move {
            let begun = Instant::now();
            let answer = self.provider.ask(key, prompt).await;
            let alias = self.aliases.get(&prompt.model).map_or("other", String::as_str);
            self.measurements
                .asked(alias, answer.as_ref().map(drop), begun.elapsed());
            answer
        })
    }

    fn can_force_search(&self, prompt: &Prompt) -> bool {
        self.provider.can_force_search(prompt)
    }

    fn load(&self) -> ProviderLoad {
        self.provider.load()
    }

    fn is_sandbox(&self) -> bool {
        self.provider.is_sandbox()
    }
}
