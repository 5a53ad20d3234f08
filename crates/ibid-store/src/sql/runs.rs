//! Scans of workspace accounts.

use super::accounts::{lock_account, log, move_credits};
use super::durable_runs::{close, insert_run};
use super::evidence::{delete_object, delete_objects_of};
use super::idempotency::take_key;
use super::scans::insert_scan;
use super::{Backend, Durability, Executor, Query, Row, Value, values};
use crate::columns::{MOST_WORDS, signed};
use crate::seal::{RunKeys, token_digest};
use crate::workspace::{
    AccountAction, AuditRecord, FinishedRun, FoundRuns, MovementKind, NewAudit, NewRun, NewShare, RunQuery,
    RunRecord, Share, SharedRun, TagRecord,
};
use crate::{KeyedRequest, Millis, NewDurableRun, NewScan, OpenedRuns, Store, StoreError};
use ibid_model::{AccountId, ReceiptId, RunState, ScanId};
use std::collections::HashMap;

/// Selects a [`RunRecord`] without its tags.
macro_rules! select_runs {
    ($($rest:expr),*) => {
        concat!(
            "SELECT summary, receipt, share_sealed, share_until, share_password IS NOT NULL,
                    workspace_scan.id, run.state, request, workspace_scan.domain, workspace_scan.keyword, workspace_scan.place,
                    run.calls AS questions, run.error, title, cost, deleted_at IS NOT NULL AS deleted,
                    workspace_scan.created_at, run.ended_at,
                    CASE WHEN run.ended_at IS NULL
                         THEN (SELECT count(*) FROM run_call WHERE run_call.run = run.id)
                         ELSE run.stored END AS done,
                    EXISTS (SELECT 1 FROM credit WHERE credit.scan = workspace_scan.id AND credit.kind = 'returned')
                        AS credit_returned
             FROM workspace_scan JOIN durable_run AS run ON run.id = workspace_scan.id ",
            $($rest),*
        )
    };
}

/// Chooses what a search finds: the account, the tag, and [`MOST_WORDS`] patterns.
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
            let sql = "SELECT name FROM workspace_tag WHERE scan = ?1 ORDER BY position";
            Ok(Some(RunRecord {
                tags: db.list(sql, values![id])?,
                ..read_run(row, keys)?
            }))
        })
    }

    /// Returns a page of an account's scans, the latest first.
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
            let sql = concat!("SELECT count(*) FROM workspace_scan ", matches_query!());
            let total = db.only(sql, &values)?;
            let rows = db.rows(select_runs!(matches_query!(), page!()), &page)?;
            let mut tags: HashMap<ScanId, Vec<String>> = HashMap::new();
            let sql = concat!(
                "SELECT scan, name FROM workspace_tag WHERE scan IN (SELECT id FROM workspace_scan ",
                matches_query!(),
                page!(),
                ") ORDER BY scan, position"
            );
            for (scan, name) in db.list(sql, &page)? {
                tags.entry(scan).or_default().push(name);
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
        let rows = self.rows(
            select_runs!(
                    "WHERE account = ?1 AND receipt IS NOT NULL
                       AND EXISTS (SELECT 1 FROM credit WHERE credit.scan = workspace_scan.id)
                       AND ((run.ended_at, run.id) < (
                           SELECT mark.ended_at, mark.id FROM workspace_scan AS marked JOIN durable_run AS mark ON mark.id = marked.id
                           WHERE marked.receipt = ?2 AND marked.account = ?1) OR ?2 IS NULL)
                     ORDER BY run.ended_at DESC, run.id DESC LIMIT ?3"
                ),
            values![account, cursor, most],
        )?;
        rows.into_iter().map(|row| read_run(row, keys)).collect()
    }

    /// Stores the report of an audit and its row.
    ///
    /// # Errors
    /// [`StoreError::Lost`] when the account was deleted; the fault of the database.
    pub fn put_audit(&self, scan: &NewScan<'_>, audit: &NewAudit<'_>, now: Millis) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| insert_audit(db, scan, audit, now))
    }

    /// Returns an account's audits, the latest first; with an address only those about it.
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
        )
    }

    /// Returns every tag of an account, ordered by name.
    pub fn tags(&self, account: AccountId) -> Result<Vec<TagRecord>, StoreError> {
        self.list(
            "SELECT name, count(*) AS scans
             FROM workspace_tag JOIN workspace_scan ON workspace_scan.id = workspace_tag.scan
             WHERE workspace_scan.account = ?1 GROUP BY name ORDER BY name",
            values![account],
        )
    }

    /// Replaces the tags of a scan. Returns whether the account has such a scan.
    pub fn set_tags(&self, account: AccountId, id: ScanId, tags: &[String]) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = "SELECT id FROM workspace_scan WHERE id = ?1 AND account = ?2 AND deleted_at IS NULL";
            if !db.lock(sql, values![id, account])? {
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
            let owned = db.locked_one::<(String, String, Option<String>)>(
                "SELECT domain, keyword, place FROM workspace_scan WHERE id = ?1 AND account = ?2 AND deleted_at IS NULL",
                values![id, account],
            )?;
            let Some((domain, keyword, place)) = owned else {
                return Ok(false);
            };
            let words = words_of(&domain, &keyword, place.as_deref(), title);
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
            let owned = db.locked_one::<Option<String>>(
                "SELECT share FROM workspace_scan
                 WHERE id = ?1 AND account = ?2 AND receipt IS NOT NULL AND deleted_at IS NULL",
                values![id, account],
            )?;
            let Some(link) = owned else {
                return Ok(false);
            };
            let action = match share {
                Some(_) if link.is_some() => return Ok(true),
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
            "SELECT account, workspace_scan.id, share_password AS password
             FROM workspace_scan JOIN account ON account.id = workspace_scan.account
             WHERE share = ?1 AND NOT account.disabled
               AND (share_until > ?2 OR share_until IS NULL)",
            values![token_digest(token.as_bytes()), now],
        )
    }
}

/// Spends a credit and stores the row of a scan.
fn begin(db: &mut dyn Executor, run: &NewRun<'_>, now: Millis) -> Result<(), StoreError> {
    lock_account(db, run.account)?;
    check_budget(db, run)?;
    move_credits(db, run.account, MovementKind::Spent, -1, Some(run.id), now)?;
    db.run(
        "INSERT INTO workspace_scan (id, account, request, domain, keyword, place, words, created_at, cost)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        values![
            run.id,
            run.account,
            run.request,
            run.domain,
            run.keyword,
            run.place,
            words_of(run.domain, run.keyword, run.place, None).as_str(),
            now,
            signed(run.cost)?,
        ],
    )
}

/// Stores a run that was not made here. All its calls have an outcome.
pub(super) fn insert_past_run(
    db: &mut dyn Executor,
    run: &NewDurableRun<'_>,
    ended_at: Millis,
) -> Result<(), StoreError> {
    insert_run(db, run)?;
    close(db, run.id, RunState::Complete, None, ended_at)?;
    db.run(
        "UPDATE durable_run SET stored = calls WHERE id = ?1",
        values![run.id],
    )
}

/// Writes what a search finds a scan by, such as `acme.example crm berlin spring`.
fn words_of(domain: &str, keyword: &str, place: Option<&str>, title: Option<&str>) -> String {
    let (place, title) = (place.unwrap_or_default(), title.unwrap_or_default());
    format!("{domain} {keyword} {place} {title}").to_lowercase()
}

/// Refuses a scan that would exceed the budget of its account. The account is locked.
fn check_budget(db: &mut dyn Executor, run: &NewRun<'_>) -> Result<(), StoreError> {
    let budget = db.one::<Option<u64>>("SELECT budget FROM account WHERE id = ?1", values![run.account])?;
    let Some(budget) = budget.flatten() else {
        return Ok(());
    };
    let spent: u64 = db.only(
        "SELECT CAST(coalesce(sum(cost), 0) AS BIGINT) FROM workspace_scan
         WHERE account = ?1 AND created_at >= ?2",
        values![run.account, run.month_began],
    )?;
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
    if db.has(
        "SELECT 1 FROM workspace_scan JOIN durable_run AS run ON run.id = workspace_scan.id
         WHERE account = ?1 AND run.ended_at IS NULL LIMIT 1",
        values![account],
    )? {
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
    db.run(
        "UPDATE durable_run SET document = ?2, domain = '', keyword = '', place = NULL, find_keyword = '', find_place = NULL,
                                tag = NULL
         WHERE id IN (SELECT id FROM workspace_scan WHERE account = ?1)",
        values![account, &b"{}"[..]],
    )
}

/// Writes the pattern for texts that contain a word, such as `%crm%`. Without a word every text matches.
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
    let sql = "SELECT 1 FROM account WHERE id = ?1 AND deleted_at IS NOT NULL";
    if db.has(sql, values![audit.account])? {
        return Err(StoreError::Lost);
    }
    insert_scan(db, scan, true)?;
    db.run(
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
    )
}

fn read_run(mut row: Row, keys: &RunKeys) -> Result<RunRecord, StoreError> {
    let (result, sealed) = ((row.take(0)?, row.take(1)?), row.take(2)?);
    let (until, protected) = (row.take(3)?, row.take(4)?);
    let run: RunRecord = row.read()?;
    let finished = match result {
        (Some(summary), Some(receipt)) => Some(FinishedRun {
            summary,
            receipt,
            cost: run.cost,
        }),
        (None, None) => None,
        _ => return Err(StoreError::Damaged("result of a scan")),
    };
    let token = keys.token(run.id.as_bytes(), sealed);
    Ok(RunRecord {
        finished,
        share: token.map(|token| Share {
            token,
            until,
            protected,
        }),
        ..run
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
    let ended = db.one::<(_, u32)>(
        "UPDATE workspace_scan
         SET cost = COALESCE((SELECT workspace_scan.cost * run.stored / NULLIF(run.calls, 0)
                              FROM durable_run AS run WHERE run.id = ?1), 0)
         WHERE id = ?1 RETURNING account, (SELECT run.stored FROM durable_run AS run WHERE run.id = ?1)",
        values![id],
    )?;
    let Some((account, stored)) = ended else {
        return Ok(());
    };
    if !by_owner || stored == 0 {
        move_credits(db, account, MovementKind::Returned, 1, Some(id), now)?;
    }
    Ok(())
}
