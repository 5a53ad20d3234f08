//! Evidence for commands of the operator, which have no runtime, and the evidence store that is configured.

use crate::settings::Settings;
use anyhow::Context;
use ibid_service::{Evidence, EvidenceStore};
use ibid_store::{Db, Store};
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

/// Opens the evidence store; `None` where the database keeps evidence.
///
/// # Errors
/// The store cannot be opened.
pub(crate) fn open(settings: &Settings) -> anyhow::Result<Option<EvidenceStore>> {
    let address = settings.evidence.as_ref();
    address
        .map(|address| {
            EvidenceStore::open(address).with_context(|| format!("opening EVIDENCE_STORE ({address})"))
        })
        .transpose()
}

/// Evidence, and the runtime on which a command reads it.
pub(crate) struct EvidenceReader {
    pub(crate) evidence: Evidence,
    runtime: Runtime,
}

impl EvidenceReader {
    /// Reads from a database, and from an evidence store where there is one.
    ///
    /// # Errors
    /// The runtime cannot be built.
    pub(crate) fn new(store: &Arc<Store>, objects: Option<EvidenceStore>) -> anyhow::Result<Self> {
        Ok(Self {
            evidence: Evidence::new(Db::new(Arc::clone(store)), objects),
            runtime: Builder::new_current_thread().enable_all().build()?,
        })
    }

    /// Waits for a call on the runtime.
    pub(crate) fn wait<T>(&self, call: impl Future<Output = T>) -> T {
        self.runtime.block_on(call)
    }
}
