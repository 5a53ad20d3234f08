//! Queries for durable runs.

use super::{Backend, Query, Row, values};
use crate::StoreError;
use crate::durable_run::{DurableRunView, RunFilter};
use crate::purchase::Millis;
use ibid_model::{BatchId, RunState, ScanId};

/// Selects a [`DurableRunView`]. The document comes last.
macro_rules! select {
    ($document:expr, $rest:expr) => {
        concat!(
            "SELECT id, tenant, state, cancelled, calls, error, created_at, ended_at,
                    CASE WHEN ended_at IS NULL
                         THEN (SELECT COUNT(*) FROM run_call WHERE run_call.run = durable_run.id)
                         ELSE stored END AS stored,
                    domain, keyword, place, tag, schedule, batch, position, score",
            $document,
            " FROM durable_run ",
            $rest
        )
    };
}

/// Lists a page. The query reads an index backwards from `?2` and stops after `?12` rows.
const PAGE: &str = select!(
    "",
    "WHERE tenant = ?1 AND created_at <= ?2 AND (created_at < ?2 OR id < ?3) AND created_at >= ?4
       AND (domain = ?5 OR ?5 IS NULL) AND (find_keyword = ?6 OR ?6 IS NULL) AND (find_place = ?7 OR ?7 IS NULL)
       AND (tag = ?8 OR ?8 IS NULL) AND (state = ?9 OR ?9 IS NULL) AND (schedule = ?10 OR ?10 IS NULL)
       AND (batch = ?11 OR ?11 IS NULL)
     ORDER BY created_at DESC, id DESC LIMIT ?12"
);

pub(super) fn one<B: Backend>(backend: &B, run: ScanId) -> Result<Option<DurableRunView>, StoreError> {
    let sql = select!(", document", "WHERE id = ?1");
    let row = backend.first(sql, values![run])?;
    row.map(|mut row| {
        Ok(DurableRunView {
            document: row.bytes(17)?,
            ..read_run(row)?
        })
    })
    .transpose()
}

pub(super) fn list<B: Backend>(
    backend: &B,
    tenant: &str,
    filter: &RunFilter<'_>,
    after: Option<ScanId>,
    most: u32,
) -> Result<Vec<DurableRunView>, StoreError> {
    // No stored text contains NUL, and PostgreSQL rejects a parameter with it.
    let mut texts = [filter.domain, filter.keyword, filter.place, filter.tag]
        .into_iter()
        .flatten();
    if texts.any(|text| text.contains('\0')) {
        return Ok(Vec::new());
    }
    // The list goes on below this time and id. The largest id is above those of random runs.
    let last = ScanId::from_bytes([0xff; 16]);
    let newest = (
        filter.until.map_or(Millis::MAX, |until| until.saturating_sub(1)),
        last,
    );
    let rows = backend.read(|db| {
        let mut start = newest;
        if let Some(after) = after {
            let sql = "SELECT created_at FROM durable_run WHERE id = ?1 AND tenant = ?2";
            let Some(mark) = db.one(sql, values![after, tenant])? else {
                return Ok(Vec::new());
            };
            start = newest.min((mark, after));
        }
        db.rows(
            PAGE,
            values![
                tenant,
                start.0,
                start.1,
                filter.from.unwrap_or(Millis::MIN),
                filter.domain,
                filter.keyword.map(str::to_lowercase),
                filter.place.map(str::to_lowercase),
                filter.tag,
                filter.state.map(RunState::as_str),
                filter.schedule,
                filter.batch,
                most,
            ],
        )
    })?;
    rows.into_iter().map(read_run).collect()
}

pub(super) fn open<B: Backend>(
    backend: &B,
    tenant: Option<&str>,
    most: u32,
) -> Result<Vec<DurableRunView>, StoreError> {
    let sql = select!(
        "",
        "WHERE ended_at IS NULL AND (tenant = ?1 OR ?1 IS NULL) ORDER BY created_at, id LIMIT ?2"
    );
    let rows = backend.rows(sql, values![tenant, most])?;
    rows.into_iter().map(read_run).collect()
}

fn read_run(mut row: Row) -> Result<DurableRunView, StoreError> {
    let (batch, position): (Option<BatchId>, _) = (row.take(14)?, row.take(15)?);
    let mut view: DurableRunView = row.read()?;
    view.subject.batch = batch.map(|batch| (batch, position));
    Ok(view)
}
