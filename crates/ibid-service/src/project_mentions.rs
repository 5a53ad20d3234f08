//! Keeps what the answers of the runs of projects name and cite, so that their pages read no answers.

use crate::error::Error;
use crate::evidence::Evidence;
use crate::stored_scans::read_result;
use ibid_engine as engine;
use ibid_engine::mentions::mentions;
use ibid_model::{ProjectId, ScanId};
use ibid_store::{PackedAnswers, Store, StoreError};

/// Runs that are read in a round, each some tens of milliseconds.
const A_ROUND: u32 = 20;

/// Reads runs that wait, the latest first: after their end, and after a migration.
///
/// # Errors
/// The fault of the store or of the evidence store. The next round goes on.
pub(crate) async fn read_waiting(evidence: &Evidence) -> Result<(), Error> {
    let db = &evidence.db;
    for (project, run) in db.call(|store| store.runs_to_read(A_ROUND)).await? {
        let answers = evidence.read(run).await?;
        db.call(move |store| keep(store, (project, run), answers.as_deref()))
            .await?;
    }
    Ok(())
}

fn keep(
    store: &dyn Store,
    (project, run): (ProjectId, ScanId),
    answers: Option<&[u8]>,
) -> Result<(), StoreError> {
    let packed = match (answers, store.scan(run)?) {
        (Some(answers), Some(record)) => {
            let result = read_result(&record.reply)?;
            let evidence: engine::Evidence =
                serde_json::from_slice(answers).map_err(|_| StoreError::Damaged("evidence"))?;
            let found = serde_json::to_vec(&mentions(&result, &evidence));
            Some(PackedAnswers::of(
                &found.map_err(|_| StoreError::Damaged("mentions"))?,
            )?)
        }
        (None, _) | (_, None) => None,
    };
    store.put_mentions(project, run, packed.as_ref())
}
