//! Scans of workspace accounts.

use super::accounts::{lock_account, log, move_credits};
use super::durable_runs::{close, insert_run};
use super::evidence::{delete_object, delete_objects_of};
use super::idempotency::take_key;
use super::scans::insert_scan;
use super::{Backend, Durability, Executor, Lock, Row, Value, values};
use crate::columns::{MOST_WORDS, signed};
use crate::seal::{RunKeys, token_digest};
use crate::workspace::{
    AccountAction, AuditRecord, FinishedRun, FoundRuns, MovementKind, NewAudit, NewRun, NewShare, RunQuery,
    RunRecord, Share, SharedRun, TagRecord,
};
use crate::{KeyedRequest, Millis, NewDurableRun, NewScan, OpenedRuns, Store, StoreError};
use ibid_model::{AccountId, ReceiptId, RunState, ScanId};
use std::collections::HashMap;

/// The columns of a [`RunRecord`] without its tags.
macro_rules! select_runs {
    ($($rest:expr),*) => {
        concat!(
            "SELECT workspace_scan.id, run.state, request, workspace_scan.domain, workspace_scan.keyword,
                    workspace_scan.place, run.calls,
                    CASE WHEN run.ended_at IS NULL
                         THEN (SELECT count(*) FROM run_call WHERE run_call.run = run.id) ELSE run.stored END,
                    run.error, summary, share_sealed, receipt, workspace_scan.created_at, run.ended_at,
                    EXISTS (SELECT 1 FROM credit WHERE credit.scan = workspace_scan.id AND credit.kind = 'returned'),
                    title, cost, deleted_at IS NOT NULL, share_until, share_password IS NOT NULL
             FROM workspace_scan JOIN durable_run AS run ON run.id = workspace_scan.id ",
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
         SET deleted_at = ?1, request = '{}', title = NULL, words = '', share = NULL, share_sealed = NULL,
             share_until = NULL, share_password = NULL,
             summary = CASE WHEN summary IS NULL THEN NULL ELSE '{\"score\":0,\"interval\":null}' END"
    };
}

/// One page of a search, the latest first.
macro_rules! page {
    () => {
        " ORDER BY workspace_scan.created_at DESC, workspace_scan.id LIMIT ?11 OFFSET ?12"
    };
}

impl Store {
    /// Spends a credit, and stores the scan and the durable run that works on it, unless the idempotency key of the
    /// request is in use. The key of a run that ended without a result is free.
    ///
    /// # Errors
    /// [`StoreError::NoCredit`]; [`StoreError::OverBudget`]; [`StoreError::Exists`]; the fault of the database.
    /// On an error no credit is spent.
    pub fn begin_run(
        &self,
        scan: &NewRun<'_>,
        run: &NewDurableRun<'_>,
        once: Option<&KeyedRequest<'_>>,
    ) -> Result<OpenedRuns, StoreError> {
        self.write(Durability::Disk, |db| {
            if let Some(request) = once
                && let Some(other) = take_key(db, request, run.created_at)?
            {
                return Ok(other);
            }
            begin(db, scan, run.created_at)?;
            insert_run(db, run)?;
            Ok(OpenedRuns::Opened)
        })
    }

    /// Spends a credit and stores a finished scan with its run and its result.
    pub fn put_past_run(
        &self,
        scan: &NewRun<'_>,
        run: &NewDurableRun<'_>,
        result: &NewScan<'_>,
        finished: &FinishedRun,
        ended_at: Millis,
    ) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            begin(db, scan, run.created_at)?;
            finish(db, result, finished)?;
            insert_past_run(db, run, ended_at)
        })
    }

    pub fn run(&self, account: AccountId, id: ScanId) -> Result<Option<RunRecord>, StoreError> {
        let keys = self.keys()?;
        self.read(|db| {
            let sql = select_runs!("WHERE workspace_scan.id = ?1 AND account = ?2 AND deleted_at IS NULL");
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
                ..read_run(row, keys)?
            }))
        })
    }

    /// Returns a page of scans of an account, the latest first.
    pub fn find_runs(&self, account: AccountId, query: &RunQuery<'_>) -> Result<FoundRuns, StoreError> {
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
        let keys = self.keys()?;
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
                let run = read_run(row, keys)?;
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

    /// Returns finished scans of an account that took a credit, without tags, the latest first,
    /// after the one with the receipt `cursor`.
    pub fn finished_runs(
        &self,
        account: AccountId,
        cursor: Option<ReceiptId>,
        most: u32,
    ) -> Result<Vec<RunRecord>, StoreError> {
        let keys = self.keys()?;
        self.list(
            select_runs!(
                    "WHERE account = ?1 AND receipt IS NOT NULL
                       AND EXISTS (SELECT 1 FROM credit WHERE credit.scan = workspace_scan.id)
                       AND ((run.ended_at, run.id) < (
                           SELECT mark.ended_at, mark.id FROM workspace_scan AS marked JOIN durable_run AS mark ON mark.id = marked.id
                           WHERE marked.receipt = ?2 AND marked.account = ?1) OR ?2 IS NULL)
                     ORDER BY run.ended_at DESC, run.id DESC LIMIT ?3"
                ),
            values![account, cursor, most],
            |row| read_run(row, keys),
        )
    }

    /// Stores the report of an audit and its row.
    ///
    /// # Errors
    /// [`StoreError::Lost`] when the account was deleted; the fault of the database.
    pub fn put_audit(&self, scan: &NewScan<'_>, audit: &NewAudit<'_>, now: Millis) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| insert_audit(db, scan, audit, now))
    }

    /// Returns audits of an account, the latest first; with an address only those of this address.
    pub fn audits(
        &self,
        account: AccountId,
        address: Option<&str>,
        most: u32,
    ) -> Result<Vec<AuditRecord>, StoreError> {
        if address.is_some_and(|address| address.contains('\0')) {
            return Ok(Vec::new());
        }
        self.list(
            "SELECT id, kind, address, score, created_at FROM workspace_audit
             WHERE account = ?1 AND (address = ?2 OR ?2 IS NULL)
             ORDER BY created_at DESC, id LIMIT ?3",
            values![account, address, most],
            read_audit,
        )
    }

    /// Returns every tag of an account, ordered by name.
    pub fn tags(&self, account: AccountId) -> Result<Vec<TagRecord>, StoreError> {
        self.list(
            "SELECT name, count(*) FROM workspace_tag JOIN workspace_scan ON workspace_scan.id = workspace_tag.scan
             WHERE workspace_scan.account = ?1 GROUP BY name ORDER BY name",
            values![account],
            |mut row| {
            Ok(TagRecord {
                name: row.take(0)?,
                scans: row.take(1)?,
            })
        },
        )
    }

    /// Replaces the tags of a scan. Returns whether the account has such a scan.
    pub fn set_tags(&self, account: AccountId, id: ScanId, tags: &[String]) -> Result<bool, StoreError> {
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

    /// Gives a scan a title, or takes it away. Returns whether the account has such a scan.
    pub fn set_title(&self, account: AccountId, id: ScanId, title: Option<&str>) -> Result<bool, StoreError> {
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

    /// Deletes a scan that is not running: its result, answers, request, title, tags and link.
    /// Its receipt and the movements of credits stay.
    /// Returns whether the account has such a scan.
    pub fn delete_run(&self, account: AccountId, id: ScanId, now: Millis) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let erased = db.execute(
                concat!(
                    erase!(),
                    " WHERE id = ?2 AND account = ?3 AND deleted_at IS NULL
                       AND EXISTS (SELECT 1 FROM durable_run AS run WHERE run.id = ?2 AND run.ended_at IS NOT NULL)"
                ),
                values![now, id, account],
            )?;
            if erased == 0 {
                return Ok(false);
            }
            db.execute("DELETE FROM workspace_tag WHERE scan = ?1", values![id])?;
            delete_object(db, id)?;
            super::projects::forget_run(db, id)?;
            db.execute(
                "DELETE FROM scan WHERE id = ?1 AND origin = 'workspace'",
                values![id],
            )?;
            log(db, account, AccountAction::ScanDeleted, Some(id), now.into())?;
            Ok(true)
        })
    }

    /// Gives a finished scan a public link, or takes it away. An existing link stays as it is. Returns
    /// whether the account has such a scan.
    pub fn set_share(
        &self,
        account: AccountId,
        id: ScanId,
        share: Option<&NewShare<'_>>,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let keys = self.keys()?;
        let sealed = share.map(|share| keys.stored(id.as_bytes(), share.token.as_bytes()));
        let sealed = sealed.transpose()?;
        self.write(Durability::Disk, |db| {
            let owned = db.locked_rows(
                "SELECT share FROM workspace_scan
                 WHERE id = ?1 AND account = ?2 AND receipt IS NOT NULL AND deleted_at IS NULL",
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
                "UPDATE workspace_scan SET share = ?2, share_until = ?3, share_password = ?4, share_sealed = ?5
                 WHERE id = ?1",
                values![
                    id,
                    share.map(|share| token_digest(share.token.as_bytes())),
                    share.and_then(|share| share.until),
                    share.and_then(|share| share.password),
                    sealed.as_deref()
                ],
            )?;
            log(db, account, action, Some(id), now.into())?;
            Ok(true)
        })
    }

    /// Returns the finished scan behind a public link; `None` after the link has ended,
    /// and while the account is disabled.
    pub fn shared(&self, token: &str, now: Millis) -> Result<Option<SharedRun>, StoreError> {
        self.one(
            "SELECT account, workspace_scan.id, share_password
             FROM workspace_scan JOIN account ON account.id = workspace_scan.account
             WHERE share = ?1 AND NOT account.disabled
               AND (share_until > ?2 OR share_until IS NULL)",
            values![token_digest(token.as_bytes()), now],
            |mut row| {
                Ok(SharedRun {
                    account: row.take(0)?,
                    id: row.take(1)?,
                    password: row.take(2)?,
                })
            },
        )
    }
}

/// Spends a credit and stores the row of a scan.
fn begin(db: &mut dyn Executor, run: &NewRun<'_>, now: Millis) -> Result<(), StoreError> {
    lock_account(db, run.account)?;
    check_budget(db, run)?;
    move_credits(db, run.account, MovementKind::Spent, -1, Some(run.id), now)?;
    db.execute(
        "INSERT INTO workspace_scan (id, account, request, domain, keyword, place, words, created_at, cost)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        values![
            run.id,
            run.account,
            run.request,
            run.domain,
            run.keyword,
            run.place,
            words_of(run.domain, run.keyword, run.place).as_str(),
            now,
            signed(run.cost)?,
        ],
    )?;
    Ok(())
}

/// Stores the run of a scan that was not made here. Each of its calls has an outcome.
pub(super) fn insert_past_run(
    db: &mut dyn Executor,
    run: &NewDurableRun<'_>,
    ended_at: Millis,
) -> Result<(), StoreError> {
    insert_run(db, run)?;
    close(db, run.id, RunState::Complete, None, ended_at)?;
    db.execute(
        "UPDATE durable_run SET stored = calls WHERE id = ?1",
        values![run.id],
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
        "SELECT 1 FROM workspace_scan JOIN durable_run AS run ON run.id = workspace_scan.id
         WHERE account = ?1 AND run.ended_at IS NULL LIMIT 1",
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
    db.execute(
        "UPDATE durable_run SET document = ?2, domain = '', keyword = '', place = NULL, find_keyword = '', find_place = NULL,
                                tag = NULL
         WHERE id IN (SELECT id FROM workspace_scan WHERE account = ?1)",
        values![account, &b"{}"[..]],
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
    db.execute(
        "INSERT INTO workspace_audit (id, account, kind, address, score, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        values![
            scan.id,
            audit.account,
            <&str>::from(audit.kind),
            audit.address,
            audit.score.map(i64::from),
            now
        ],
    )?;
    Ok(())
}

fn read_audit(mut row: Row) -> Result<AuditRecord, StoreError> {
    let score: Option<u32> = row.take(3)?;
    Ok(AuditRecord {
        id: row.take(0)?,
        kind: row.take(1)?,
        address: row.take(2)?,
        score: match score.map(u8::try_from) {
            Some(Err(_)) => return Err(StoreError::Damaged("audit score")),
            Some(Ok(score)) => Some(score),
            None => None,
        },
        created_at: row.take(4)?,
    })
}

fn read_run(mut row: Row, keys: &RunKeys) -> Result<RunRecord, StoreError> {
    let id: ScanId = row.take(0)?;
    let cost = row.take(16)?;
    let finished = match (row.take::<Option<String>>(9)?, row.take(11)?) {
        (Some(summary), Some(receipt)) => Some(FinishedRun {
            summary: serde_json::from_str(&summary).map_err(|_| StoreError::Damaged("summary"))?,
            receipt,
            cost,
        }),
        (None, None) => None,
        _ => return Err(StoreError::Damaged("result of a scan")),
    };
    let share = match keys.token(id.as_bytes(), row.take(10)?) {
        Some(token) => Some(Share {
            token,
            until: row.take(18)?,
            protected: row.take(19)?,
        }),
        None => None,
    };
    Ok(RunRecord {
        id,
        state: row.take(1)?,
        finished,
        request: row.take(2)?,
        domain: row.take(3)?,
        keyword: row.take(4)?,
        place: row.take(5)?,
        questions: row.take(6)?,
        done: row.take(7)?,
        error: row.take(8)?,
        credit_returned: row.take(14)?,
        title: row.take(15)?,
        cost,
        deleted: row.take(17)?,
        share,
        tags: Vec::new(),
        created_at: row.take(12)?,
        ended_at: row.take(13)?,
    })
}

/// Stores the result of an account's scan.
pub(super) fn finish(
    db: &mut dyn Executor,
    scan: &NewScan<'_>,
    finished: &FinishedRun,
) -> Result<(), StoreError> {
    let summary = serde_json::to_string(&finished.summary).map_err(|_| StoreError::Damaged("summary"))?;
    db.execute(
        "UPDATE workspace_scan SET summary = ?2, receipt = ?3, cost = ?4 WHERE id = ?1",
        values![
            scan.id,
            summary.as_str(),
            finished.receipt,
            signed(finished.cost)?
        ],
    )?;
    insert_scan(db, scan, true)
}

/// Sets the cost of a scan whose run has ended without a result, and returns its credit.
/// A scan that its owner ended keeps the credit if calls had ended. A run without such a row is left alone.
pub(super) fn end_without_result(
    db: &mut dyn Executor,
    id: ScanId,
    by_owner: bool,
    now: Millis,
) -> Result<(), StoreError> {
    let ended = db.first(
        "UPDATE workspace_scan
         SET cost = COALESCE((SELECT workspace_scan.cost * run.stored / NULLIF(run.calls, 0)
                              FROM durable_run AS run WHERE run.id = ?1), 0)
         WHERE id = ?1 RETURNING account, (SELECT run.stored FROM durable_run AS run WHERE run.id = ?1)",
        values![id],
    )?;
    let Some(mut row) = ended else {
        return Ok(());
    };
    if !by_owner || row.take::<u32>(1)? == 0 {
        move_credits(db, row.take(0)?, MovementKind::Returned, 1, Some(id), now)?;
    }
    Ok(())
}
