//! Scans of accounts in PostgreSQL.

use super::accounts::{account_id, log, move_credits};
use super::link::{Link, column};
use super::scan::{insert_scan, scan_id};
use super::{Postgres, uuid};
use crate::columns::{INTERRUPTED, MOST_WORDS};
use crate::workspace::{
    AccountAction, EndedRun, FinishedRun, FoundRuns, MovementKind, NewRun, RunEnd, RunQuery, RunRecord,
    RunState, TagRecord, Workspace,
};
use crate::{Millis, NewScan, StoreError};
use ibid_model::{AccountId, ReceiptId, ScanId};
use postgres::Row;
use uuid::Uuid;

/// Scans with all that a list shows of them.
macro_rules! runs {
    ($rest:literal) => {
        concat!(
            "SELECT id, state, request, domain, keyword, place, questions, done, reason, summary, share, receipt,
                    created_at, ended_at,
                    EXISTS (SELECT 1 FROM credit WHERE credit.scan = workspace_scan.id AND credit.kind = 'returned'),
                    ARRAY (SELECT name FROM workspace_tag WHERE workspace_tag.scan = workspace_scan.id ORDER BY position)
             FROM workspace_scan ",
            $rest
        )
    };
}

/// What a query finds. A word is looked for as it is: there are no placeholders.
macro_rules! found {
    () => {
        "WHERE account = $1
           AND NOT EXISTS (SELECT 1 FROM unnest($2::text[]) AS word WHERE strpos(workspace_scan.words, word) = 0)
           AND ($3::text IS NULL OR EXISTS (SELECT 1 FROM workspace_tag WHERE workspace_tag.scan = workspace_scan.id
                                                                       AND workspace_tag.name = $3))"
    };
}

impl Workspace for Postgres {
    fn begin_run(&self, run: &NewRun<'_>, now: Millis) -> Result<(), StoreError> {
        let place = run.place.unwrap_or_default();
        let words = format!("{} {} {place}", run.domain, run.keyword).to_lowercase();
        self.write(|link| {
            move_credits(link, run.account, MovementKind::Spent, -1, Some(run.id), now)?;
            link.execute(
                "INSERT INTO workspace_scan (id, account, state, request, domain, keyword, place, words, questions, done,
                                             lease_until, created_at)
                 VALUES ($1, $2, 'running', $3, $4, $5, $6, $7, $8, 0, $9, $10)",
                &[
                    &uuid(run.id.as_bytes()),
                    &uuid(run.account.as_bytes()),
                    &run.request,
                    &run.domain,
                    &run.keyword,
                    &run.place,
                    &words,
                    &i64::from(run.questions),
                    &run.lease_until,
                    &now,
                ],
            )?;
            Ok(())
        })
    }

    fn finish_run(&self, scan: &NewScan<'_>, finished: &FinishedRun, now: Millis) -> Result<(), StoreError> {
        let summary = serde_json::to_string(&finished.summary).map_err(|_| StoreError::Damaged("summary"))?;
        self.write(|link| {
            let changed = link.execute(
                "UPDATE workspace_scan SET state = 'complete', done = questions, summary = $2, receipt = $3, ended_at = $4
                 WHERE id = $1 AND state = 'running'",
                &[
                    &uuid(scan.id.as_bytes()),
                    &summary,
                    &uuid(finished.receipt.as_bytes()),
                    &now,
                ],
            )?;
            if changed == 0 {
                return Err(StoreError::Lost);
            }
            insert_scan(link, scan, true)
        })
    }

    fn end_run(&self, id: ScanId, ended: &EndedRun<'_>, now: Millis) -> Result<(), StoreError> {
        self.write(|link| {
            if end(link, id, ended, now)? {
                Ok(())
            } else {
                Err(StoreError::Lost)
            }
        })
    }

    fn renew_runs(&self, runs: &[(ScanId, u32)], until: Millis) -> Result<Vec<ScanId>, StoreError> {
        let ids: Vec<Uuid> = runs.iter().map(|(id, _)| uuid(id.as_bytes())).collect();
        let done: Vec<i64> = runs.iter().map(|(_, done)| i64::from(*done)).collect();
        self.write_soon(|link| {
            link.execute(
                "UPDATE workspace_scan SET lease_until = $1, done = mine.done
                 FROM unnest($2::uuid[], $3::bigint[]) AS mine (id, done)
                 WHERE workspace_scan.id = mine.id AND state = 'running'",
                &[&until, &ids, &done],
            )?;
            let stopped = link.all(
                "SELECT id FROM workspace_scan WHERE id = ANY ($1) AND state IN ('failed', 'cancelled')",
                &[&ids],
            )?;
            stopped.iter().map(|row| scan_id(row, 0)).collect()
        })
    }

    fn fail_abandoned_runs(&self, now: Millis) -> Result<u64, StoreError> {
        // Most looks find nothing; they need no transaction.
        let some = self.read(|link| {
            link.first(
                "SELECT 1 FROM workspace_scan WHERE state = 'running' AND lease_until < $1 LIMIT 1",
                &[&now],
            )
        })?;
        if some.is_none() {
            return Ok(0);
        }
        self.write(|link| {
            // Another process that does the same takes the others. In the order of accounts, whose locks come next.
            let abandoned = link.all(
                "SELECT id, done FROM workspace_scan WHERE state = 'running' AND lease_until < $1
                 ORDER BY account FOR UPDATE SKIP LOCKED",
                &[&now],
            )?;
            let mut failed = 0;
            for row in &abandoned {
                let ended = EndedRun {
                    end: RunEnd::Failed(INTERRUPTED),
                    done: small(row, 1)?,
                    give_back: true,
                };
                failed += u64::from(end(link, scan_id(row, 0)?, &ended, now)?);
            }
            Ok(failed)
        })
    }

    fn run(&self, account: AccountId, id: ScanId) -> Result<Option<RunRecord>, StoreError> {
        let found = self.read(|link| {
            link.first(
                runs!("WHERE id = $1 AND account = $2"),
                &[&uuid(id.as_bytes()), &uuid(account.as_bytes())],
            )
        })?;
        found.as_ref().map(read_run).transpose()
    }

    fn find_runs(&self, account: AccountId, query: &RunQuery<'_>) -> Result<FoundRuns, StoreError> {
        let words: Vec<String> = query
            .words
            .iter()
            .take(MOST_WORDS)
            .map(|word| word.to_lowercase())
            .collect();
        // No text in PostgreSQL has this character, so nothing is found by it.
        if words
            .iter()
            .map(String::as_str)
            .chain(query.tag)
            .any(|text| text.contains('\0'))
        {
            return Ok(FoundRuns {
                rows: Vec::new(),
                total: 0,
            });
        }
        let account = uuid(account.as_bytes());
        let (total, rows) = self.read(|link| {
            let total: i64 = column(
                &link.only(
                    concat!("SELECT count(*) FROM workspace_scan ", found!()),
                    &[&account, &words, &query.tag],
                )?,
                0,
            )?;
            let rows = link.all(
                concat!(
                    runs!(""),
                    found!(),
                    " ORDER BY created_at DESC, id LIMIT $4 OFFSET $5"
                ),
                &[
                    &account,
                    &words,
                    &query.tag,
                    &i64::from(query.most),
                    &i64::from(query.skip),
                ],
            )?;
            Ok((total, rows))
        })?;
        Ok(FoundRuns {
            rows: rows.iter().map(read_run).collect::<Result<_, _>>()?,
            total: total.unsigned_abs(),
        })
    }

    fn finished_runs(
        &self,
        account: AccountId,
        cursor: Option<ReceiptId>,
        most: u32,
    ) -> Result<Vec<RunRecord>, StoreError> {
        let cursor = cursor.map(|cursor| uuid(cursor.as_bytes()));
        let rows = self.read(|link| {
            link.all(
                runs!(
                    "WHERE account = $1 AND state = 'complete'
                       AND ($2::uuid IS NULL OR (ended_at, id) <
                           (SELECT mark.ended_at, mark.id FROM workspace_scan AS mark
                            WHERE mark.receipt = $2 AND mark.account = $1))
                     ORDER BY ended_at DESC, id DESC LIMIT $3"
                ),
                &[&uuid(account.as_bytes()), &cursor, &i64::from(most)],
            )
        })?;
        rows.iter().map(read_run).collect()
    }

    fn audits(&self, account: AccountId, most: u32) -> Result<Vec<(ScanId, Vec<u8>)>, StoreError> {
        // What an account has kept and never scanned is an audit.
        let rows = self.read(|link| {
            link.all(
                "SELECT id, reply FROM scan
                 WHERE origin = 'workspace' AND owner = $1 AND released
                   AND NOT EXISTS (SELECT 1 FROM workspace_scan WHERE workspace_scan.id = scan.id)
                 ORDER BY created_at DESC, id LIMIT $2",
                &[&account.to_string(), &i64::from(most)],
            )
        })?;
        rows.iter()
            .map(|row| Ok((scan_id(row, 0)?, column(row, 1)?)))
            .collect()
    }

    fn tags(&self, account: AccountId) -> Result<Vec<TagRecord>, StoreError> {
        let rows = self.read(|link| {
            link.all(
                "SELECT name, count(*) FROM workspace_tag JOIN workspace_scan ON workspace_scan.id = workspace_tag.scan
                 WHERE workspace_scan.account = $1 GROUP BY name ORDER BY name",
                &[&uuid(account.as_bytes())],
            )
        })?;
        let read = |row: &Row| {
            Ok(TagRecord {
                name: column(row, 0)?,
                scans: small(row, 1)?,
            })
        };
        rows.iter().map(read).collect()
    }

    fn set_tags(&self, account: AccountId, id: ScanId, tags: &[String]) -> Result<bool, StoreError> {
        let id = uuid(id.as_bytes());
        self.write(|link| {
            // Of two who set tags at once, one comes after the other.
            let owned = link.first(
                "SELECT 1 FROM workspace_scan WHERE id = $1 AND account = $2 FOR NO KEY UPDATE",
                &[&id, &uuid(account.as_bytes())],
            )?;
            if owned.is_none() {
                return Ok(false);
            }
            link.execute("DELETE FROM workspace_tag WHERE scan = $1", &[&id])?;
            link.execute(
                "INSERT INTO workspace_tag (scan, position, name)
                 SELECT $1, tag.position, tag.name FROM unnest($2::text[]) WITH ORDINALITY AS tag (name, position)
                 ON CONFLICT (scan, name) DO NOTHING",
                &[&id, &tags],
            )?;
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
        self.write(|link| {
            let changed = link.execute(
                "UPDATE workspace_scan SET share = CASE WHEN $3::text IS NULL THEN NULL ELSE coalesce(share, $3) END
                 WHERE id = $1 AND account = $2 AND state = 'complete'",
                &[&uuid(id.as_bytes()), &uuid(account.as_bytes()), &token],
            )?;
            if changed == 0 {
                return Ok(false);
            }
            let action = if token.is_some() {
                AccountAction::Shared
            } else {
                AccountAction::Unshared
            };
            log(link, account, action, Some(id), now)?;
            Ok(true)
        })
    }

    fn shared(&self, token: &str) -> Result<Option<(AccountId, ScanId)>, StoreError> {
        if token.contains('\0') {
            return Ok(None);
        }
        let found = self.read(|link| {
            link.first(
                "SELECT account, workspace_scan.id FROM workspace_scan JOIN account ON account.id = workspace_scan.account
                 WHERE share = $1 AND state = 'complete' AND NOT account.disabled",
                &[&token],
            )
        })?;
        found
            .map(|row| Ok((account_id(&row, 0)?, scan_id(&row, 1)?)))
            .transpose()
    }
}

fn read_run(row: &Row) -> Result<RunRecord, StoreError> {
    let (state, summary): (&str, Option<&str>) = (column(row, 1)?, column(row, 9)?);
    let state = match (state, summary, column::<Option<Uuid>>(row, 11)?) {
        ("running", ..) => RunState::Running,
        ("complete", Some(summary), Some(receipt)) => RunState::Complete {
            summary: serde_json::from_str(summary).map_err(|_| StoreError::Damaged("summary"))?,
            receipt: ReceiptId::from_bytes(receipt.into_bytes()),
        },
        ("failed", ..) => RunState::Failed {
            reason: column::<Option<String>>(row, 8)?.unwrap_or_default(),
        },
        ("cancelled", ..) => RunState::Cancelled,
        _ => return Err(StoreError::Damaged("scan state")),
    };
    Ok(RunRecord {
        id: scan_id(row, 0)?,
        state,
        request: column(row, 2)?,
        domain: column(row, 3)?,
        keyword: column(row, 4)?,
        place: column(row, 5)?,
        questions: small(row, 6)?,
        done: small(row, 7)?,
        credit_returned: column(row, 14)?,
        share: column(row, 10)?,
        tags: column(row, 15)?,
        created_at: column(row, 12)?,
        ended_at: column(row, 13)?,
    })
}

/// A column with a small number.
fn small(row: &Row, at: usize) -> Result<u32, StoreError> {
    u32::try_from(column::<i64>(row, at)?).map_err(|_| StoreError::Damaged("number"))
}

/// Ends a running scan; whether it was running.
fn end(link: &mut Link, id: ScanId, ended: &EndedRun<'_>, now: Millis) -> Result<bool, StoreError> {
    let (state, reason) = match ended.end {
        RunEnd::Failed(reason) => ("failed", Some(reason)),
        RunEnd::Cancelled => ("cancelled", None),
    };
    let ended_row = link.first(
        "UPDATE workspace_scan SET state = $2, reason = $3, done = $4, ended_at = $5
         WHERE id = $1 AND state = 'running' RETURNING account",
        &[
            &uuid(id.as_bytes()),
            &state,
            &reason,
            &i64::from(ended.done),
            &now,
        ],
    )?;
    let Some(row) = ended_row else { return Ok(false) };
    if ended.give_back {
        let account = account_id(&row, 0)?;
        move_credits(link, account, MovementKind::Returned, 1, Some(id), now)?;
    }
    Ok(true)
}
