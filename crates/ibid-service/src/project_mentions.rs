//! Keeps what the answers in runs of projects name and cite, so that pages read no answers.

use crate::error::Error;
use crate::evidence::{Evidence, EvidenceFault};
use crate::failure::chain;
use crate::project_numbers::judge_all;
use crate::stored_scans::read_result;
use ibid_engine as engine;
use ibid_engine::mentions::{RunMentions, mentions};
use ibid_model::result::ScanResult;
use ibid_model::{ProjectId, ScanId};
use ibid_store::{PackedAnswers, Store, StoreError};

/// Runs that are read in a round, each some tens of milliseconds.
const A_ROUND: u32 = 20;

/// Reads runs that wait, the latest first: after their end, and after a migration. Schedules do not wait for a fault
/// of this: the next round goes on. Returns whether more may wait.
pub(crate) async fn read_waiting(evidence: &Evidence) -> bool {
    match read_some(evidence).await {
        Ok(read) => read == A_ROUND as usize,
        Err(error) => {
            tracing::warn!(error = chain(&error), "project.mentions.failed");
            false
        }
    }
}

/// Reads some runs, and judges their projects anew: the causes of a change are in what answers name.
async fn read_some(evidence: &Evidence) -> Result<usize, Error> {
    let db = &evidence.db;
    let mut read: Vec<ProjectId> = Vec::new();
    for (project, run) in db.call(|store| store.runs_to_read(A_ROUND)).await? {
        let kept = match evidence.read(run).await {
            Ok(answers) => {
                let kept = db.call(move |store| keep(store, project, run, answers.as_deref()));
                kept.await.map_err(Error::from)
            }
            Err(error) => Err(error),
        };
        match kept {
            Ok(()) => read.push(project),
            // Another process may have the evidence store.
            Err(Error::Evidence(EvidenceFault::NotConfigured)) => {}
            Err(error) if is_lasting(&error) => {
                let error = chain(&error);
                tracing::warn!(scan.id = %run, error, "project.mentions.unreadable");
                db.call(move |store| store.put_mentions(project, run, None))
                    .await?;
            }
            Err(error) => return Err(error),
        }
    }
    let count = read.len();
    read.sort_unstable();
    read.dedup();
    db.call(move |store| read.into_iter().try_for_each(|project| judge_all(store, project)))
        .await?;
    Ok(count)
}

/// Reads the answers for a run that is judged; `None` where they cannot be read, now or at all.
pub(crate) async fn read_run(evidence: &Evidence, run: ScanId) -> Result<Option<Vec<u8>>, Error> {
    match evidence.read(run).await {
        Err(error) if is_lasting(&error) || matches!(error, Error::Evidence(_)) => {
            tracing::warn!(scan.id = %run, error = chain(&error), "project.mentions.unreadable");
            Ok(None)
        }
        read => read,
    }
}

/// What the answers of a run name and cite.
pub(crate) fn mentions_in(result: &ScanResult, answers: &[u8]) -> Result<RunMentions, StoreError> {
    let evidence: engine::Evidence =
        serde_json::from_slice(answers).map_err(|_| StoreError::Damaged("evidence"))?;
    Ok(mentions(result, &evidence))
}

pub(crate) fn packed(read: &RunMentions) -> Result<PackedAnswers, StoreError> {
    let found = serde_json::to_vec(read).map_err(|_| StoreError::Damaged("mentions"))?;
    PackedAnswers::of(&found)
}

/// Whether a run stays unreadable: pages then leave it out.
const fn is_lasting(error: &Error) -> bool {
    matches!(
        error,
        Error::Store(StoreError::Damaged(_) | StoreError::Packing(_))
            | Error::Evidence(EvidenceFault::Missing)
    )
}

fn keep(store: &Store, project: ProjectId, run: ScanId, answers: Option<&[u8]>) -> Result<(), StoreError> {
    let found = match (answers, store.scan(run)?) {
        (Some(answers), Some(record)) => {
            let read = mentions_in(&read_result(&record.reply)?, answers)?;
            Some(packed(&read)?)
        }
        (None, _) | (_, None) => None,
    };
    store.put_mentions(project, run, found.as_ref())
}
