//! What a job made, and how it is kept.

use crate::run::{Finished, Output};
use crate::service::Inner;
use crate::{Document, Error};
use ibid_engine::{Asked, Scanned};
use ibid_model::ScanId;
use ibid_model::result::AuditReport;
use ibid_store::{NewScan, Origin, Packed, Store, StoreError};
use std::sync::Arc;
use tracing::Span;

/// What a job made, before anybody keeps or sees it.
pub(crate) struct Made {
    pub(crate) document: Document,
    pub(crate) output: Output,
    /// What it was read from. An audit has none, and an operator may wish none kept.
    evidence: Option<Packed>,
    created_at: i64,
    sandbox: bool,
    method: String,
}

impl Inner {
    /// Scores answers and writes everything down, away from the threads that keep connections moving. What reading
    /// allocates is freed on the same thread, so few threads hold memory for it however many scans are under way.
    pub(crate) async fn score(
        &self,
        id: ScanId,
        asked: Asked,
        report: Option<AuditReport>,
    ) -> Result<Made, Error> {
        let (span, retain_answers) = (Span::current(), self.retain_answers);
        let scored = self.scoring.spawn(async move {
            // No await inside, so the span is entered and left on one thread.
            span.in_scope(|| Made::scan(id, asked.score(), report, retain_answers))
        });
        match scored.await {
            Ok(made) => made,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // The program is ending.
            Err(_) => Err(Error::Ended),
        }
    }
}

impl Made {
    /// A scan, and the audit that was bought with it.
    fn scan(
        id: ScanId,
        scanned: Scanned,
        report: Option<AuditReport>,
        retain_answers: bool,
    ) -> Result<Self, Error> {
        let Scanned { result, evidence } = scanned;
        tracing::info!(
            score = result.overall_score.rounded(),
            answered = result.usage.answered,
            failed = result.usage.failed,
            "scan complete"
        );
        let document = match &report {
            None => Document::write(id, &result)?,
            Some(report) => Document::write_full(id, &result, report)?,
        };
        let evidence = match retain_answers {
            true => Some(Packed::of(&serde_json::to_vec(&evidence)?)?),
            false => None,
        };
        let (created_at, sandbox) = (result.finished_at.as_second(), result.sandbox);
        let (method, result) = (result.method.version.clone(), Arc::new(result));
        let output = match report {
            None => Output::Scan(result),
            Some(report) => Output::Full(result, Arc::new(report)),
        };
        Ok(Self {
            document,
            output,
            evidence,
            created_at,
            sandbox,
            method,
        })
    }

    /// An audit.
    pub(crate) fn audit(id: ScanId, report: AuditReport, sandbox: bool) -> Result<Self, Error> {
        Ok(Self {
            document: Document::write_audit(id, &report)?,
            evidence: None,
            created_at: report.fetched_at.as_second(),
            sandbox,
            method: report.audit_version.clone(),
            output: Output::Audit(Arc::new(report)),
        })
    }

    /// Hands the record to `keep`, and what it is of to whoever waits.
    ///
    /// # Errors
    /// That of `keep`; nothing is kept then.
    pub(crate) async fn keep(
        self,
        inner: &Inner,
        id: ScanId,
        origin: Origin,
        keep: impl FnOnce(&dyn Store, &NewScan<'_>) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<Finished, Error> {
        let Self {
            document,
            output,
            evidence,
            created_at,
            sandbox,
            method,
        } = self;
        let reply = document.bytes().clone();
        let kept = inner.db.call(move |store| {
            keep(
                store,
                &NewScan {
                    id,
                    origin,
                    created_at,
                    sandbox,
                    method: &method,
                    reply: &reply,
                    answers: evidence,
                },
            )
        });
        kept.await?;
        Ok(Finished {
            id,
            document,
            output,
            settlement: None,
        })
    }
}
