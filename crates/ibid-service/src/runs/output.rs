//! The output of a job, and how it is stored.

use super::kernel::Runs;
use super::run::{Finished, Output};
use super::store_result::Record;
use crate::document::Document;
use crate::error::Error;
use ibid_engine::Scanned;
use ibid_model::result::AuditReport;
use ibid_model::{Product, ScanId, ScanResult};
use ibid_store::{NewScan, Origin, PackedAnswers, Store, StoreError};
use std::sync::Arc;

/// The write that stores a finished run.
/// It is repeated where it fails.
pub(crate) type StoreStep =
    Box<dyn Fn(&dyn Store, &NewScan<'_>) -> Result<(), StoreError> + Send + Sync + 'static>;

/// The output of a job before it is stored.
pub(crate) struct JobOutput {
    document: Document,
    output: Output,
    /// The answers. Empty for an audit, and if the operator switches their storage off.
    evidence: Option<PackedAnswers>,
    created_at: i64,
    sandbox: bool,
    method: String,
}

/// A run as its record and its counts name it.
pub(crate) struct RunIdentity {
    pub(crate) id: ScanId,
    pub(crate) product: Product,
    pub(crate) origin: Origin,
}

impl JobOutput {
    /// The output of a scan, with the audit of the same purchase.
    pub(super) fn scan(
        id: ScanId,
        scanned: Scanned,
        report: Option<AuditReport>,
        retain_answers: bool,
    ) -> Result<Self, Error> {
        let Scanned { result, evidence } = scanned;
        let document = match &report {
            None => Document::write(id, &result)?,
            Some(report) => Document::write_full(id, &result, report)?,
        };
        let evidence = match retain_answers {
            true => Some(PackedAnswers::of(&serde_json::to_vec(&evidence)?)?),
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

    /// The output of an audit.
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

    /// The scan result in it, if there is one.
    pub(crate) fn scan_result(&self) -> Option<&ScanResult> {
        self.output.scan()
    }

    /// Whether at least two thirds of the planned questions were answered.
    /// Fewer are not sold.
    pub(crate) fn has_enough_answers(&self) -> bool {
        self.scan_result()
            .is_none_or(|scan| u64::from(scan.usage.answered) * 3 >= u64::from(scan.usage.questions) * 2)
    }

    /// The report of a page audit in it, if there is one.
    pub(crate) fn audit_report(&self) -> Option<&AuditReport> {
        match &self.output {
            Output::Audit(report) => Some(report),
            Output::Scan(_) | Output::Full(..) | Output::Stored => None,
        }
    }

    /// Stores the record with `step` and returns the finished result.
    /// If the store does not take it soon, the result carries a warning,
    /// and writing goes on; `held` is dropped when it has ended.
    ///
    /// # Errors
    /// [`StoreError::Lost`]: another process has ended the scan.
    pub(super) async fn store(
        self,
        runs: &Arc<Runs>,
        run: RunIdentity,
        step: StoreStep,
        held: impl Send + Sync + 'static,
    ) -> Result<Finished, Error> {
        let RunIdentity { id, product, origin } = run;
        let (record, mut finished) = self.into_record(id, origin, step)?;
        let stored = runs.store_or_retry_later(record, held).await;
        runs.counts.ended(product, stored.is_ok());
        finished.stored = stored?;
        Ok(finished)
    }

    /// Stores the record with `step` and returns the finished result.
    ///
    /// # Errors
    /// The error of the last attempt of `step`.
    /// The record is not stored then.
    pub(crate) async fn store_for_sale(
        self,
        runs: &Runs,
        run: RunIdentity,
        step: StoreStep,
    ) -> Result<Finished, Error> {
        let RunIdentity { id, product, origin } = run;
        let (record, finished) = self.into_record(id, origin, step)?;
        let stored = runs.store(&Arc::new(record)).await;
        runs.counts.ended(product, stored.is_ok());
        stored?;
        Ok(finished)
    }

    /// Stores the record with one attempt of `step`, and without counting it.
    ///
    /// # Errors
    /// The fault of `step`. The record is not stored then.
    pub(crate) async fn store_once(
        self,
        runs: &Runs,
        (id, origin): (ScanId, Origin),
        step: StoreStep,
    ) -> Result<(), Error> {
        let (record, _) = self.into_record(id, origin, step)?;
        Ok(runs.store_once(record).await?)
    }

    fn into_record(
        mut self,
        id: ScanId,
        origin: Origin,
        step: StoreStep,
    ) -> Result<(Record, Finished), Error> {
        if let (Origin::V2(_), Output::Scan(result)) = (&origin, &self.output) {
            self.document = Document::write_queued(id, result)?;
        }
        let record = Record {
            id,
            origin,
            created_at: self.created_at,
            sandbox: self.sandbox,
            method: self.method,
            reply: self.document.bytes().clone(),
            answers: self.evidence,
            step,
        };
        let finished = Finished {
            id,
            document: self.document,
            output: self.output,
            settlement: None,
            stored: true,
        };
        Ok((record, finished))
    }
}
