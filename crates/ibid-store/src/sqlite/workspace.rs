//! Scans of accounts in SQLite.

use super::accounts::{account_id, log, move_credits, scan_id};
use super::{Sqlite, insert_scan};
use crate::columns::{INTERRUPTED, MOST_WORDS};
use crate::workspace::{
    AccountAction, EndedRun, FinishedRun, FoundRuns, MovementKind, NewRun, RunEnd, RunQuery, RunRecord,
    RunState, TagRecord, Workspace,
};
use crate::{Millis, NewScan, StoreError};
use ibid_model::{AccountId, ReceiptId, ScanId};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

impl Workspace for Sqlite {
    fn begin_run(&self, run: &NewRun<'_>, now: Millis) -> Result<(), StoreError> {
        let place = run.place.unwrap_or_default();
        let words = format!("{} {} {place}", run.domain, run.keyword).to_lowercase();
        self.write(|connection| {
            let spent = MovementKind::Spent;
            move_credits(connection, run.account, spent, -1, Some(run.id), now)?;
            connection
                .prepare_cached(
                    "INSERT INTO workspace_scan (id, account, state, request, domain, keyword, place, words, questions,
                                                 done, lease_until, created_at)
                     VALUES (?1, ?2, 'running', ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9, ?10)",
                )?
                .execute(params![
                    run.id.as_bytes(),
                    run.account.as_bytes(),
                    run.request,
                    run.domain,
                    run.keyword,
                    run.place,
                    words,
                    run.questions,
                    run.lease_until,
                    now
                ])?;
            Ok(())
        })
    }

    fn finish_run(&self, scan: &NewScan<'_>, finished: &FinishedRun, now: Millis) -> Result<(), StoreError> {
        let summary = serde_json::to_string(&finished.summary).map_err(|_| StoreError::Damaged("summary"))?;
        self.write(|connection| {
            let changed = connection
                .prepare_cached(
                    "UPDATE workspace_scan SET state = 'complete', done = questions, summary = ?2, receipt = ?3,
                            ended_at = ?4 WHERE id = ?1 AND state = 'running'",
                )?
                .execute(params![
                    scan.id.as_bytes(),
                    summary,
                    finished.receipt.as_bytes(),
                    now
                ])?;
            if changed == 0 {
                return Err(StoreError::Lost);
            }
            insert_scan(connection, scan, true)
        })
    }

    fn end_run(&self, id: ScanId, ended: &EndedRun<'_>, now: Millis) -> Result<(), StoreError> {
        self.write(|connection| {
            if end(connection, id, ended, now)? {
                Ok(())
            } else {
                Err(StoreError::Lost)
            }
        })
    }

    fn renew_runs(&self, runs: &[(ScanId, u32)], until: Millis) -> Result<Vec<ScanId>, StoreError> {
        self.write_soon(|connection| {
            let mut statement = connection.prepare_cached(
                "UPDATE workspace_scan SET lease_until = ?2, done = ?3 WHERE id = ?1 AND state = 'running'",
            )?;
            let mut stopped = connection.prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM workspace_scan WHERE id = ?1 AND state IN ('failed', 'cancelled'))",
            )?;
            let mut lost = Vec::new();
            for (id, done) in runs {
                if statement.execute(params![id.as_bytes(), until, done])? == 0
                    && stopped.query_row(params![id.as_bytes()], |row| row.get(0))?
                {
                    lost.push(*id);
                }
            }
            Ok(lost)
        })
    }

    fn fail_abandoned_runs(&self, now: Millis) -> Result<u64, StoreError> {
        let abandoned = |connection: &Connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, done FROM workspace_scan WHERE state = 'running' AND lease_until < ?1",
            )?;
            let rows =
                statement.query_map(params![now], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get(1)?)))?;
            rows.map(|row| row.map_err(StoreError::from))
                .collect::<Result<Vec<(Vec<u8>, u32)>, _>>()
        };
        // Most looks find nothing; they need not wait for the writer.
        if self.read(abandoned)?.is_empty() {
            return Ok(0);
        }
        self.write(|connection| {
            let mut failed = 0;
            for (id, done) in abandoned(connection)? {
                let ended = EndedRun {
                    end: RunEnd::Failed(INTERRUPTED),
                    done,
                    give_back: true,
                };
                failed += u64::from(end(connection, scan_id(id)?, &ended, now)?);
            }
            Ok(failed)
        })
    }

    fn run(&self, account: AccountId, id: ScanId) -> Result<Option<RunRecord>, StoreError> {
        self.read(|connection| {
            let sql = format!("{RUNS} WHERE workspace_scan.id = ?1 AND workspace_scan.account = ?2");
            let found = connection
                .prepare_cached(&sql)?
                .query_row(params![id.as_bytes(), account.as_bytes()], |row| {
                    Ok(read_run(row))
                })
                .optional()?
                .transpose()?;
            found.map(|run| with_tags(connection, run)).transpose()
        })
    }

    fn find_runs(&self, account: AccountId, query: &RunQuery<'_>) -> Result<FoundRuns, StoreError> {
        let mut condition = String::from("workspace_scan.account = ?1");
        let mut values: Vec<Value> = vec![Value::Blob(account.as_bytes().to_vec())];
        for word in query.words.iter().take(MOST_WORDS) {
            values.push(Value::Text(word.to_lowercase()));
            condition.push_str(&format!(
                " AND instr(workspace_scan.words, ?{}) > 0",
                values.len()
            ));
        }
        if let Some(tag) = query.tag {
            values.push(Value::Text(tag.to_owned()));
            condition.push_str(&format!(
                " AND EXISTS (SELECT 1 FROM workspace_tag WHERE workspace_tag.scan = workspace_scan.id
                                                             AND workspace_tag.name = ?{})",
                values.len()
            ));
        }
        self.read(|connection| {
            let count = format!("SELECT count(*) FROM workspace_scan WHERE {condition}");
            let total: i64 = connection
                .prepare_cached(&count)?
                .query_row(params_from_iter(&values), |row| row.get(0))?;
            let sql = format!(
                "{RUNS} WHERE {condition} ORDER BY workspace_scan.created_at DESC, workspace_scan.id
                 LIMIT {} OFFSET {}",
                query.most, query.skip
            );
            let mut statement = connection.prepare(&sql)?;
            let rows = statement.query_map(params_from_iter(&values), |row| Ok(read_run(row)))?;
            let rows = rows
                .map(|row| with_tags(connection, row??))
                .collect::<Result<_, StoreError>>()?;
            Ok(FoundRuns {
                rows,
                total: total.unsigned_abs(),
            })
        })
    }

    fn finished_runs(
        &self,
        account: AccountId,
        cursor: Option<ReceiptId>,
        most: u32,
    ) -> Result<Vec<RunRecord>, StoreError> {
        self.read(|connection| {
            let sql = format!(
                "{RUNS} WHERE workspace_scan.account = ?1 AND workspace_scan.state = 'complete'
                     AND (?2 IS NULL OR (workspace_scan.ended_at, workspace_scan.id) <
                         (SELECT ended_at, id FROM workspace_scan WHERE receipt = ?2 AND account = ?1))
                 ORDER BY workspace_scan.ended_at DESC, workspace_scan.id DESC LIMIT ?3"
            );
            let cursor = cursor.map(|cursor| cursor.as_bytes().to_vec());
            let mut statement = connection.prepare_cached(&sql)?;
            let rows =
                statement.query_map(params![account.as_bytes(), cursor, most], |row| Ok(read_run(row)))?;
            rows.map(|row| row?).collect()
        })
    }

    fn audits(&self, account: AccountId, most: u32) -> Result<Vec<(ScanId, Vec<u8>)>, StoreError> {
        self.read(|connection| {
            // What an account has kept and never scanned is an audit.
            let mut statement = connection.prepare_cached(
                "SELECT id, reply FROM scan
                 WHERE origin = 'workspace' AND owner = ?1 AND released
                   AND NOT EXISTS (SELECT 1 FROM workspace_scan WHERE workspace_scan.id = scan.id)
                 ORDER BY created_at DESC, id LIMIT ?2",
            )?;
            let rows = statement.query_map(params![account.to_string(), most], |row| {
                Ok((row.get::<_, [u8; 16]>(0)?, row.get(1)?))
            })?;
            rows.map(|row| {
                let (id, document) = row?;
                Ok((ScanId::from_bytes(id), document))
            })
            .collect()
        })
    }

    fn tags(&self, account: AccountId) -> Result<Vec<TagRecord>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT name, count(*) FROM workspace_tag JOIN workspace_scan ON workspace_scan.id = workspace_tag.scan
                 WHERE workspace_scan.account = ?1 GROUP BY name ORDER BY name",
            )?;
            let rows = statement.query_map(params![account.as_bytes()], |row| {
                Ok(TagRecord {
                    name: row.get(0)?,
                    scans: row.get(1)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    fn set_tags(&self, account: AccountId, id: ScanId, tags: &[String]) -> Result<bool, StoreError> {
        self.write(|connection| {
            if !owns(connection, account, id)? {
                return Ok(false);
            }
            connection.execute(
                "DELETE FROM workspace_tag WHERE scan = ?1",
                params![id.as_bytes()],
            )?;
            let mut statement = connection.prepare_cached(
                "INSERT OR IGNORE INTO workspace_tag (scan, position, name) VALUES (?1, ?2, ?3)",
            )?;
            for (position, tag) in (0_i64..).zip(tags) {
                statement.execute(params![id.as_bytes(), position, tag])?;
            }
            Ok(true)
        })
    }

    fn set_share(
        &self,
        account: AccountId,
        id: ScanId,
        token: Option<&str>,
        now: Millis,
    ) -> Result<bool, StoreError> {
        self.write(|connection| {
            let changed = connection.execute(
                "UPDATE workspace_scan SET share = CASE WHEN ?3 IS NULL THEN NULL ELSE coalesce(share, ?3) END
                 WHERE id = ?1 AND account = ?2 AND state = 'complete'",
                params![id.as_bytes(), account.as_bytes(), token],
            )?;
            if changed == 0 {
                return Ok(false);
            }
            let action = if token.is_some() {
                AccountAction::Shared
            } else {
                AccountAction::Unshared
            };
            log(connection, account, action, Some(id), now)?;
            Ok(true)
        })
    }

    fn shared(&self, token: &str) -> Result<Option<(AccountId, ScanId)>, StoreError> {
        self.read(|connection| {
            let found: Option<(Vec<u8>, Vec<u8>)> = connection
                .prepare_cached(
                    "SELECT account, workspace_scan.id FROM workspace_scan JOIN account ON account.id = workspace_scan.account
                     WHERE share = ?1 AND state = 'complete' AND NOT account.disabled",
                )?
                .query_row(params![token], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            found
                .map(|(account, id)| Ok((account_id(account)?, scan_id(id)?)))
                .transpose()
        })
    }
}

const RUNS: &str = "SELECT id, state, request, domain, keyword, place, questions, done, reason, summary, share, receipt,
    created_at, ended_at, EXISTS (SELECT 1 FROM credit WHERE credit.scan = workspace_scan.id AND credit.kind = 'returned')
    FROM workspace_scan";

fn read_run(row: &Row<'_>) -> Result<RunRecord, StoreError> {
    let (state, summary): (String, Option<String>) = (row.get(1)?, row.get(9)?);
    let receipt: Option<Vec<u8>> = row.get(11)?;
    let state = match (state.as_str(), summary, receipt) {
        ("running", ..) => RunState::Running,
        ("complete", Some(summary), Some(receipt)) => RunState::Complete {
            summary: serde_json::from_str(&summary).map_err(|_| StoreError::Damaged("summary"))?,
            receipt: ReceiptId::from_bytes(receipt.try_into().map_err(|_| StoreError::Damaged("receipt"))?),
        },
        ("failed", ..) => RunState::Failed {
            reason: row.get::<_, Option<String>>(8)?.unwrap_or_default(),
        },
        ("cancelled", ..) => RunState::Cancelled,
        _ => return Err(StoreError::Damaged("scan state")),
    };
    Ok(RunRecord {
        id: scan_id(row.get(0)?)?,
        state,
        request: row.get(2)?,
        domain: row.get(3)?,
        keyword: row.get(4)?,
        place: row.get(5)?,
        questions: row.get(6)?,
        done: row.get(7)?,
        credit_returned: row.get(14)?,
        share: row.get(10)?,
        tags: Vec::new(),
        created_at: row.get(12)?,
        ended_at: row.get(13)?,
    })
}

fn with_tags(connection: &Connection, mut run: RunRecord) -> Result<RunRecord, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT name FROM workspace_tag WHERE scan = ?1 ORDER BY position")?;
    let rows = statement.query_map(params![run.id.as_bytes()], |row| row.get(0))?;
    run.tags = rows.collect::<Result<_, _>>()?;
    Ok(run)
}

fn owns(connection: &Connection, account: AccountId, id: ScanId) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM workspace_scan WHERE id = ?1 AND account = ?2)";
    Ok(connection
        .prepare_cached(sql)?
        .query_row(params![id.as_bytes(), account.as_bytes()], |row| row.get(0))?)
}

/// Ends a running scan; whether it was running.
fn end(connection: &Connection, id: ScanId, ended: &EndedRun<'_>, now: Millis) -> Result<bool, StoreError> {
    let (state, reason) = match ended.end {
        RunEnd::Failed(reason) => ("failed", Some(reason)),
        RunEnd::Cancelled => ("cancelled", None),
    };
    let account: Option<Vec<u8>> = connection
        .prepare_cached(
            "UPDATE workspace_scan SET state = ?2, reason = ?3, done = ?4, ended_at = ?5
             WHERE id = ?1 AND state = 'running' RETURNING account",
        )?
        .query_row(params![id.as_bytes(), state, reason, ended.done, now], |row| {
            row.get(0)
        })
        .optional()?;
    let Some(account) = account else { return Ok(false) };
    if ended.give_back {
        let account = account_id(account)?;
        move_credits(connection, account, MovementKind::Returned, 1, Some(id), now)?;
    }
    Ok(true)
}
