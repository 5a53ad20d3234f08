//! Scans of workspace accounts.

use super::accounts::{lock_account, log, move_credits};
use super::durable_runs::insert_run;
use super::evidence::{delete_object, delete_objects_of};
use super::scans::insert_scan;
use super::{Backend, Durability, Executor, Lock, Row, Value, values};
use crate::columns::{MOST_WORDS, signed};
use crate::workspace::{
    AccountAction, AuditKind, AuditRecord, EndedRun, FinishedRun, FoundRuns, MovementKind, NewAudit,
    NewImport, NewRun, NewShare, RunEnd, RunQuery, RunRecord, RunState, Share, SharedRun, TagRecord,
    Workspace,
};
use crate::{Millis, NewDurableRun, NewScan, StoreError};
use ibid_model::{AccountId, ReceiptId, ScanId};
use std::collections::HashMap;

/// The columns of a [`RunRecord`] without its tags.
macro_rules! select_runs {
    ($($rest:expr),*) => {
        concat!(
            "SELECT id, state, request, domain, keyword, place, questions,
                    CASE WHEN state = 'running' THEN (SELECT count(*) FROM run_call WHERE run_call.run = workspace_scan.id)
                         ELSE done END,
                    reason, summary, share, receipt, created_at, ended_at,
                    EXISTS (SELECT 1 FROM credit WHERE credit.scan = workspace_scan.id AND credit.kind = 'returned'),
                    title, cost, deleted_at IS NOT NULL, share_until, share_password IS NOT NULL
             FROM workspace_scan ",
            $($rest),*
        )
    };
}

/// The condition of a search: the account, the tag, and [`MOST_WORDS`] patterns.
macro_rules! matches_query {
    () => {
        "WHERE account = ?1 AND deleted_at IS NULL
           AND (EXISTS (SELECT 1 FROM workspace_tag WHERE workspace_tag.scan = workspace_scan.id
                                                      AND workspace_tag.name = ?2) OR ?2 IS NULL)
           AND words LIKE ?3 ESCAPE '!' AND words LIKE ?4 ESCAPE '!' AND words LIKE ?5 ESCAPE '!'
           AND words LIKE ?6 ESCAPE '!' AND words LIKE ?7 ESCAPE '!' AND words LIKE ?8 ESCAPE '!'
           AND words LIKE ?9 ESCAPE '!' AND words LIKE ?10 ESCAPE '!'"
    };
}

/// Erases everything of scans that their receipts do not show, at the time `?1`.
macro_rules! erase {
    () => {
        "UPDATE workspace_scan
         SET deleted_at = ?1, request = '{}', reason = NULL, title = NULL, words = '', share = NULL, share_until = NULL,
             share_password = NULL,
             summary = CASE WHEN summary IS NULL THEN NULL ELSE '{\"score\":0,\"interval\":null}' END"
    };
}

/// One page of a search, the latest first.
macro_rules! page {
    () => {
        " ORDER BY created_at DESC, id LIMIT ?11 OFFSET ?12"
    };
}

impl<B: Backend> Workspace for B {
    fn begin_run(&self, scan: &NewRun<'_>, run: &NewDurableRun<'_>) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            begin(db, scan, run.created_at)?;
            insert_run(db, run)
        })
    }

    fn put_past_run(
        &self,
        run: &NewRun<'_>,
        scan: &NewScan<'_>,
        finished: &FinishedRun,
        (began_at, ended_at): (Millis, Millis),
    ) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            begin(db, run, began_at)?;
            finish(db, scan, finished, ended_at).map(drop)
        })
    }

    fn put_import(&self, scan: &NewScan<'_>, import: &NewImport<'_>) -> Result<(), StoreError> {
        let words = words_of(import.domain, import.keyword, import.place);
        let summary = serde_json::to_string(&import.summary).map_err(|_| StoreError::Damaged("summary"))?;
        self.write(Durability::Disk, |db| {
            lock_account(db, import.account)?;
            check_not_deleted(db, import.account)?;
            db.execute(
                "INSERT INTO workspace_scan (id, account, state, request, domain, keyword, place, words, questions, done,
                                             created_at, ended_at, summary, receipt, cost)
                 VALUES (?1, ?2, 'complete', ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9, ?9, ?10, ?11, 0)",
                values![
                    scan.id,
                    import.account,
                    import.request,
                    import.domain,
                    import.keyword,
                    import.place,
                    words.as_str(),
                    import.questions,
                    import.asked_at,
                    summary.as_str(),
                    // Every finished scan has a receipt; lists leave out those without a credit.
                    ReceiptId::random(),
                ],
            )?;
            db.execute(
                "INSERT INTO workspace_tag (scan, position, name) VALUES (?1, 0, ?2)",
                values![scan.id, import.tag],
            )?;
            insert_scan(db, scan, true)
        })
    }

    fn end_run(&self, id: ScanId, ended: &EndedRun<'_>, now: Millis) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            if end(db, id, ended, now)? {
                Ok(())
            } else {
                Err(StoreError::Lost)
            }
        })
    }

    fn run(&self, account: AccountId, id: ScanId) -> Result<Option<RunRecord>, StoreError> {
        self.read(|db| {
            let sql = select_runs!("WHERE id = ?1 AND account = ?2 AND deleted_at IS NULL");
            let Some(row) = db.first(sql, values![id, account])? else {
                return Ok(None);
            };
            let tags = db.rows(
                "SELECT name FROM workspace_tag WHERE scan = ?1 ORDER BY position",
                values![id],
            )?;
            let tags = tags.into_iter().map(|mut row| row.take(0));
            Ok(Some(RunRecord {
                tags: tags.collect::<Result<_, _>>()?,
                ..read_run(row)?
            }))
        })
    }

    fn find_runs(&self, account: AccountId, query: &RunQuery<'_>) -> Result<FoundRuns, StoreError> {
        // No stored text contains NUL, and PostgreSQL rejects a parameter with it.
        let mut texts = query.words.iter().copied().chain(query.tag);
        if texts.any(|text| text.contains('\0')) {
            return Ok(FoundRuns {
                rows: Vec::new(),
                total: 0,
            });
        }
        let mut values: Vec<Value<'_>> = vec![account.into(), query.tag.into()];
        values.extend((0..MOST_WORDS).map(|at| Value::from(pattern(query.words.get(at)))));
        let mut page = values.clone();
        page.extend([query.most.into(), query.skip.into()]);
        self.read(|db| {
            let total = db
                .only(
                    concat!("SELECT count(*) FROM workspace_scan ", matches_query!()),
                    &values,
                )?
                .take(0)?;
            let rows = db.rows(select_runs!(matches_query!(), page!()), &page)?;
            let mut tags: HashMap<ScanId, Vec<String>> = HashMap::new();
            let sql = concat!(
                "SELECT scan, name FROM workspace_tag WHERE scan IN (SELECT id FROM workspace_scan ",
                matches_query!(),
                page!(),
                ") ORDER BY scan, position"
            );
            for mut row in db.rows(sql, &page)? {
                tags.entry(row.take(0)?).or_default().push(row.take(1)?);
            }
            let rows = rows.into_iter().map(|row| {
                let run = read_run(row)?;
                Ok(RunRecord {
                    tags: tags.remove(&run.id).unwrap_or_default(),
                    ..run
                })
            });
            Ok(FoundRuns {
                rows: rows.collect::<Result<_, StoreError>>()?,
                total,
            })
        })
    }

    fn finished_runs(
        &self,
        account: AccountId,
        cursor: Option<ReceiptId>,
        most: u32,
    ) -> Result<Vec<RunRecord>, StoreError> {
        let rows = self.read(|db| {
            db.rows(
                select_runs!(
                    "WHERE account = ?1 AND state = 'complete'
                       AND EXISTS (SELECT 1 FROM credit WHERE credit.scan = workspace_scan.id)
                       AND ((ended_at, id) < (SELECT mark.ended_at, mark.id FROM workspace_scan AS mark
                                              WHERE mark.receipt = ?2 AND mark.account = ?1) OR ?2 IS NULL)
                     ORDER BY ended_at DESC, id DESC LIMIT ?3"
                ),
                values![account, cursor, most],
            )
        })?;
        rows.into_iter().map(read_run).collect()
    }

    fn put_audit(&self, scan: &NewScan<'_>, audit: &NewAudit<'_>, now: Millis) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| insert_audit(db, scan, audit, now))
    }

    fn audits(
        &self,
        account: AccountId,
        address: Option<&str>,
        most: u32,
    ) -> Result<Vec<AuditRecord>, StoreError> {
        if address.is_some_and(|address| address.contains('\0')) {
            return Ok(Vec::new());
        }
        let rows = self.read(|db| {
            db.rows(
                "SELECT id, kind, address, score, created_at FROM workspace_audit
                 WHERE account = ?1 AND (address = ?2 OR ?2 IS NULL)
                 ORDER BY created_at DESC, id LIMIT ?3",
                values![account, address, most],
            )
        })?;
        rows.into_iter().map(read_audit).collect()
    }

    fn tags(&self, account: AccountId) -> Result<Vec<TagRecord>, StoreError> {
        let rows = self.read(|db| {
            db.rows(
                "SELECT name, count(*) FROM workspace_tag JOIN workspace_scan ON workspace_scan.id = workspace_tag.scan
                 WHERE workspace_scan.account = ?1 GROUP BY name ORDER BY name",
                values![account],
            )
        })?;
        let read = |mut row: Row| {
            Ok(TagRecord {
                name: row.take(0)?,
                scans: row.take(1)?,
            })
        };
        rows.into_iter().map(read).collect()
    }

    fn set_tags(&self, account: AccountId, id: ScanId, tags: &[String]) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let owned = db.locked_rows(
                "SELECT id FROM workspace_scan WHERE id = ?1 AND account = ?2 AND deleted_at IS NULL",
                Lock::Row,
                values![id, account],
            )?;
            if owned.is_empty() {
                return Ok(false);
            }
            db.execute("DELETE FROM workspace_tag WHERE scan = ?1", values![id])?;
            for (position, tag) in (0_i64..).zip(tags) {
                db.execute(
                    "INSERT INTO workspace_tag (scan, position, name) VALUES (?1, ?2, ?3)
                     ON CONFLICT (scan, name) DO NOTHING",
                    values![id, position, tag.as_str()],
                )?;
            }
            Ok(true)
        })
    }

    fn set_title(&self, account: AccountId, id: ScanId, title: Option<&str>) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let owned = db.locked_rows(
                "SELECT domain, keyword, place FROM workspace_scan WHERE id = ?1 AND account = ?2 AND deleted_at IS NULL",
                Lock::Row,
                values![id, account],
            )?;
            let Some(mut row) = owned.into_iter().next() else {
                return Ok(false);
            };
            let (domain, keyword): (String, String) = (row.take(0)?, row.take(1)?);
            let place = row.take::<Option<String>>(2)?.unwrap_or_default();
            let words = format!("{domain} {keyword} {place} {}", title.unwrap_or_default()).to_lowercase();
            db.execute(
                "UPDATE workspace_scan SET title = ?2, words = ?3 WHERE id = ?1",
                values![id, title, words.as_str()],
            )?;
            Ok(true)
        })
    }

    fn delete_run(&self, account: AccountId, id: ScanId, now: Millis) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let erased = db.execute(
                concat!(
                    erase!(),
                    " WHERE id = ?2 AND account = ?3 AND state <> 'running' AND deleted_at IS NULL"
                ),
                values![now, id, account],
            )?;
            if erased == 0 {
                return Ok(false);
            }
            db.execute("DELETE FROM workspace_tag WHERE scan = ?1", values![id])?;
            delete_object(db, id)?;
            db.execute(
                "DELETE FROM scan WHERE id = ?1 AND origin = 'workspace'",
                values![id],
            )?;
            log(db, account, AccountAction::ScanDeleted, Some(id), now.into())?;
            Ok(true)
        })
    }

    fn set_share(
        &self,
        account: AccountId,
        id: ScanId,
        share: Option<&NewShare<'_>>,
        now: Millis,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let owned = db.locked_rows(
                "SELECT share FROM workspace_scan
                 WHERE id = ?1 AND account = ?2 AND state = 'complete' AND deleted_at IS NULL",
                Lock::Row,
                values![id, account],
            )?;
            let Some(mut row) = owned.into_iter().next() else {
                return Ok(false);
            };
            let has_link = row.take::<Option<String>>(0)?.is_some();
            let action = match share {
                Some(_) if has_link => return Ok(true),
                Some(_) => AccountAction::Shared,
                None => AccountAction::Unshared,
            };
            db.execute(
                "UPDATE workspace_scan SET share = ?2, share_until = ?3, share_password = ?4 WHERE id = ?1",
                values![
                    id,
                    share.map(|share| share.token),
                    share.and_then(|share| share.until),
                    share.and_then(|share| share.password),
                ],
            )?;
            log(db, account, action, Some(id), now.into())?;
            Ok(true)
        })
    }

    fn shared(&self, token: &str, now: Millis) -> Result<Option<SharedRun>, StoreError> {
        if token.contains('\0') {
            return Ok(None);
        }
        let found = self.read(|db| {
            db.first(
                "SELECT account, workspace_scan.id, share_password
                 FROM workspace_scan JOIN account ON account.id = workspace_scan.account
                 WHERE share = ?1 AND state = 'complete' AND NOT account.disabled
                   AND (share_until > ?2 OR share_until IS NULL)",
                values![token, now],
            )
        })?;
        let read = |mut row: Row| {
            Ok(SharedRun {
                account: row.take(0)?,
                id: row.take(1)?,
                password: row.take(2)?,
            })
        };
        found.map(read).transpose()
    }
}

/// Spends a credit and stores a scan as running.
fn begin(db: &mut dyn Executor, run: &NewRun<'_>, now: Millis) -> Result<(), StoreError> {
    lock_account(db, run.account)?;
    check_budget(db, run)?;
    move_credits(db, run.account, MovementKind::Spent, -1, Some(run.id), now)?;
    db.execute(
        "INSERT INTO workspace_scan (id, account, state, request, domain, keyword, place, words, questions, done,
                                     created_at, cost)
         VALUES (?1, ?2, 'running', ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9, ?10)",
        values![
            run.id,
            run.account,
            run.request,
            run.domain,
            run.keyword,
            run.place,
            words_of(run.domain, run.keyword, run.place).as_str(),
            run.questions,
            now,
            signed(run.cost)?,
        ],
    )?;
    Ok(())
}

/// The words of a scan that a search finds.
fn words_of(domain: &str, keyword: &str, place: Option<&str>) -> String {
    format!("{domain} {keyword} {}", place.unwrap_or_default()).to_lowercase()
}

/// Refuses to store something for an account that was deleted. The account is locked.
fn check_not_deleted(db: &mut dyn Executor, account: AccountId) -> Result<(), StoreError> {
    let deleted = db.first(
        "SELECT 1 FROM account WHERE id = ?1 AND deleted_at IS NOT NULL",
        values![account],
    )?;
    match deleted {
        Some(_) => Err(StoreError::Lost),
        None => Ok(()),
    }
}

/// Refuses a scan that would exceed the budget of its account. The account is locked.
fn check_budget(db: &mut dyn Executor, run: &NewRun<'_>) -> Result<(), StoreError> {
    let account = db.first("SELECT budget FROM account WHERE id = ?1", values![run.account])?;
    let Some(budget) = account.map_or(Ok(None), |mut row| row.take::<Option<u64>>(0))? else {
        return Ok(());
    };
    let spent: u64 = db
        .only(
            "SELECT CAST(coalesce(sum(cost), 0) AS BIGINT) FROM workspace_scan WHERE account = ?1 AND created_at >= ?2",
            values![run.account, run.month_began],
        )?
        .take(0)?;
    let left = budget.saturating_sub(spent);
    if run.cost > left {
        return Err(StoreError::OverBudget { left });
    }
    Ok(())
}

/// Erases every scan and audit of an account that is locked, and what its receipts were for.
///
/// # Errors
/// [`StoreError::Lost`] while a scan runs, or the fault of the database.
pub(super) fn erase_runs(db: &mut dyn Executor, account: AccountId, now: Millis) -> Result<(), StoreError> {
    let running = db.first(
        "SELECT 1 FROM workspace_scan WHERE account = ?1 AND state = 'running' LIMIT 1",
        values![account],
    )?;
    if running.is_some() {
        return Err(StoreError::Lost);
    }
    delete_objects_of(db, account)?;
    for sql in [
        "DELETE FROM workspace_tag WHERE scan IN (SELECT id FROM workspace_scan WHERE account = ?1)",
        "DELETE FROM scan WHERE id IN (SELECT id FROM workspace_scan WHERE account = ?1)",
        "DELETE FROM scan WHERE id IN (SELECT id FROM workspace_audit WHERE account = ?1)",
        "DELETE FROM workspace_audit WHERE account = ?1",
    ] {
        db.execute(sql, values![account])?;
    }
    db.execute(
        concat!(
            erase!(),
            ", domain = '', keyword = '', place = NULL WHERE account = ?2"
        ),
        values![now, account],
    )?;
    Ok(())
}

/// The pattern of texts that contain a word in lower case. Without a word every text matches.
fn pattern(word: Option<&&str>) -> String {
    let word = word.map_or_else(String::new, |word| word.to_lowercase());
    let escaped = word.replace('!', "!!").replace('%', "!%").replace('_', "!_");
    format!("%{escaped}%")
}

/// Stores the report of an audit and its row.
///
/// # Errors
/// [`StoreError::Lost`] when the account was deleted, before any write; the fault of the database.
pub(super) fn insert_audit(
    db: &mut dyn Executor,
    scan: &NewScan<'_>,
    audit: &NewAudit<'_>,
    now: Millis,
) -> Result<(), StoreError> {
    lock_account(db, audit.account)?;
    check_not_deleted(db, audit.account)?;
    insert_scan(db, scan, true)?;
    let kind = match audit.kind {
        AuditKind::Page => "page",
        AuditKind::Site => "site",
    };
    db.execute(
        "INSERT INTO workspace_audit (id, account, kind, address, score, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        values![
            scan.id,
            audit.account,
            kind,
            audit.address,
            audit.score.map(i64::from),
            now
        ],
    )?;
    Ok(())
}

fn read_audit(mut row: Row) -> Result<AuditRecord, StoreError> {
    let kind: String = row.take(1)?;
    let score: Option<u32> = row.take(3)?;
    Ok(AuditRecord {
        id: row.take(0)?,
        kind: match kind.as_str() {
            "page" => AuditKind::Page,
            "site" => AuditKind::Site,
            _ => return Err(StoreError::Damaged("audit kind")),
        },
        address: row.take(2)?,
        score: match score.map(u8::try_from) {
            Some(Err(_)) => return Err(StoreError::Damaged("audit score")),
            Some(Ok(score)) => Some(score),
            None => None,
        },
        created_at: row.take(4)?,
    })
}

fn read_run(mut row: Row) -> Result<RunRecord, StoreError> {
    let state: String = row.take(1)?;
    let state = match (state.as_str(), row.take::<Option<String>>(9)?, row.take(11)?) {
        ("running", ..) => RunState::Running,
        ("complete", Some(summary), Some(receipt)) => RunState::Complete {
            summary: serde_json::from_str(&summary).map_err(|_| StoreError::Damaged("summary"))?,
            receipt,
        },
        ("failed", ..) => RunState::Failed {
            reason: row.take::<Option<String>>(8)?.unwrap_or_default(),
        },
        ("cancelled", ..) => RunState::Cancelled,
        _ => return Err(StoreError::Damaged("scan state")),
    };
    let share = match row.take::<Option<String>>(10)? {
        Some(token) => Some(Share {
            token,
            until: row.take(18)?,
            protected: row.take(19)?,
        }),
        None => None,
    };
    Ok(RunRecord {
        id: row.take(0)?,
        state,
        request: row.take(2)?,
        domain: row.take(3)?,
        keyword: row.take(4)?,
        place: row.take(5)?,
        questions: row.take(6)?,
        done: row.take(7)?,
        credit_returned: row.take(14)?,
        title: row.take(15)?,
        cost: row.take(16)?,
        deleted: row.take(17)?,
        share,
        tags: Vec::new(),
        created_at: row.take(12)?,
        ended_at: row.take(13)?,
    })
}

/// Ends a running scan with its result. Returns whether it was running.
pub(super) fn finish(
    db: &mut dyn Executor,
    scan: &NewScan<'_>,
    finished: &FinishedRun,
    now: Millis,
) -> Result<bool, StoreError> {
    let summary = serde_json::to_string(&finished.summary).map_err(|_| StoreError::Damaged("summary"))?;
    let changed = db.execute(
        "UPDATE workspace_scan
         SET state = 'complete', done = questions, summary = ?2, receipt = ?3, ended_at = ?4, cost = ?5
         WHERE id = ?1 AND state = 'running'",
        values![
            scan.id,
            summary.as_str(),
            finished.receipt,
            now,
            signed(finished.cost)?
        ],
    )?;
    if changed == 0 {
        return Ok(false);
    }
    insert_scan(db, scan, true)?;
    Ok(true)
}

/// Ends a running scan. Returns whether it was running.
pub(super) fn end(
    db: &mut dyn Executor,
    id: ScanId,
    ended: &EndedRun<'_>,
    now: Millis,
) -> Result<bool, StoreError> {
    let (state, reason) = match ended.end {
        RunEnd::Failed(reason) => ("failed", Some(reason)),
        RunEnd::Cancelled => ("cancelled", None),
    };
    let ended_row = db.first(
        "UPDATE workspace_scan
         SET state = ?2, reason = ?3, done = ?4, ended_at = ?5,
             cost = CASE WHEN questions > 0 THEN cost * ?4 / questions ELSE 0 END
         WHERE id = ?1 AND state = 'running' RETURNING account",
        values![id, state, reason, ended.done, now],
    )?;
    let Some(mut row) = ended_row else {
        return Ok(false);
    };
    if ended.give_back {
        move_credits(db, row.take(0)?, MovementKind::Returned, 1, Some(id), now)?;
    }
    Ok(true)
}
