//! Counts of failed sign-ins, and secrets.

use super::{Backend, Durability, Executor, Lock, Query, values};
use crate::purchase::Millis;
use crate::sign_in::{AttemptCount, FORGOTTEN, MOST_COUNTS};
use crate::{Store, StoreError};

impl Store {
    /// Counts an attempt as failed under every count, unless one has to wait.
    /// Returns the longest wait; 0 for an attempt that may go on.
    /// An attempt counts before its outcome is known, so attempts at one time are bounded, too.
    pub fn begin_sign_in(&self, counts: &[AttemptCount], now: Millis) -> Result<Millis, StoreError> {
        // Every transaction takes its locks in the same order.
        let mut counts = counts.to_vec();
        counts.sort_unstable_by_key(|count| count.key);
        // A flood of refused attempts causes no writes.
        let wait = self.read(|db| longest_wait(db, &counts, Lock::None, now))?;
        if wait > 0 {
            return Ok(wait);
        }
        self.write(Durability::Relaxed, |db| {
            for count in &counts {
                db.execute(
                    "INSERT INTO sign_in_count (key, failures, last_at) VALUES (?1, 0, ?2) ON CONFLICT (key) DO NOTHING",
                    values![&count.key, now],
                )?;
            }
            let wait = longest_wait(db, &counts, Lock::Row, now)?;
            if wait > 0 {
                return Ok(wait);
            }
            for count in &counts {
                db.execute(
                    "UPDATE sign_in_count SET failures = CASE WHEN last_at <= ?3 THEN 1 ELSE failures + 1 END, last_at = ?2
                     WHERE key = ?1",
                    values![&count.key, now, now.saturating_sub(FORGOTTEN)],
                )?;
            }
            forget(db, now)?;
            Ok(0)
        })
    }

    /// Notes that an attempt succeeded: its failures under `cleared` are forgotten,
    /// those under `lowered` are one fewer.
    pub fn sign_in_succeeded(&self, cleared: &[[u8; 32]], lowered: &[[u8; 32]]) -> Result<(), StoreError> {
        let mut keys: Vec<_> = cleared.iter().map(|key| (key, true)).collect();
        keys.extend(lowered.iter().map(|key| (key, false)));
        keys.sort_unstable();
        self.write(Durability::Relaxed, |db| {
            for (key, is_cleared) in &keys {
                let sql = if *is_cleared {
                    "DELETE FROM sign_in_count WHERE key = ?1"
                } else {
                    "UPDATE sign_in_count SET failures = failures - 1 WHERE key = ?1 AND failures > 0"
                };
                db.execute(sql, values![*key])?;
            }
            Ok(())
        })
    }

    /// Returns the secret of a name. The first caller stores `fresh` as the secret.
    pub fn secret(&self, name: &str, fresh: &[u8; 32]) -> Result<[u8; 32], StoreError> {
        self.write(Durability::Disk, |db| {
            db.execute(
                "INSERT INTO secret (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING",
                values![name, fresh],
            )?;
            db.only("SELECT value FROM secret WHERE name = ?1", values![name])
        })
    }
}

fn longest_wait(
    db: &mut dyn Executor,
    counts: &[AttemptCount],
    lock: Lock,
    now: Millis,
) -> Result<Millis, StoreError> {
    let mut longest = 0;
    for count in counts {
        let sql = "SELECT failures, last_at FROM sign_in_count WHERE key = ?1";
        for (failures, last_at) in db.locked::<(u32, Millis)>(sql, lock, values![&count.key])? {
            // A time in the future was written before the clock was set back.
            let age = now.saturating_sub(last_at).max(0);
            if age < FORGOTTEN {
                longest = longest.max(count.wait_after(failures).saturating_sub(age));
            }
        }
    }
    Ok(longest)
}

/// Forgets old counts, and the oldest ones where there are too many.
fn forget(db: &mut dyn Executor, now: Millis) -> Result<(), StoreError> {
    db.execute(
        "DELETE FROM sign_in_count WHERE last_at <= ?1",
        values![now.saturating_sub(FORGOTTEN)],
    )?;
    let counts: u32 = db.only("SELECT count(*) FROM sign_in_count", &[])?;
    if counts > MOST_COUNTS {
        db.execute(
            "DELETE FROM sign_in_count WHERE key IN (SELECT key FROM sign_in_count ORDER BY last_at LIMIT ?1)",
            values![counts - MOST_COUNTS + MOST_COUNTS / 10],
        )?;
    }
    Ok(())
}
