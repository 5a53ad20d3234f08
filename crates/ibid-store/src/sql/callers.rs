//! Service keys, and the scans that a caller has used in an hour.

use super::{Backend, Durability, Executor, Query, Row, values};
use crate::caller::{CountedOrders, KeyName, OrderCount, ServiceKeyRecord};
use crate::purchase::Millis;
use crate::{Store, StoreError};

impl Store {
    /// Stores a new key.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the name is taken, also by a revoked key; the fault of the database.
    pub fn add_service_key(&self, name: &KeyName, hash: &[u8; 32], now: Millis) -> Result<(), StoreError> {
        self.execute(
            Durability::Disk,
            "INSERT INTO service_key (name, hash, created_at) VALUES (?1, ?2, ?3)",
            values![name.as_str(), hash, now],
        )
        .map(drop)
    }

    /// Returns every key, ordered by name.
    pub fn service_keys(&self) -> Result<Vec<ServiceKeyRecord>, StoreError> {
        let sql = "SELECT name, hash, created_at, revoked_at FROM service_key ORDER BY name";
        self.rows(sql, &[])?.into_iter().map(read_key).collect()
    }

    /// Revokes a key. Returns false if the key is unknown or already revoked.
    pub fn revoke_service_key(&self, name: &KeyName, now: Millis) -> Result<bool, StoreError> {
        let revoked = self.execute(
            Durability::Disk,
            "UPDATE service_key SET revoked_at = ?2 WHERE name = ?1 AND revoked_at IS NULL",
            values![name.as_str(), now],
        )?;
        Ok(revoked == 1)
    }
}

fn read_key(mut row: Row) -> Result<ServiceKeyRecord, StoreError> {
    let name = row.take::<String>(0)?.parse();
    Ok(ServiceKeyRecord {
        name: name.map_err(|_| StoreError::Damaged("name of a service key"))?,
        hash: row.take(1)?,
        created_at: row.take(2)?,
        revoked_at: row.take(3)?,
    })
}

/// Counts scans that a caller queues, inside another transaction: as many as the limit leaves.
pub(super) fn count_orders(
    db: &mut dyn Executor,
    count: &OrderCount<'_>,
    orders: u32,
    now: Millis,
) -> Result<CountedOrders, StoreError> {
    let (began_at, before) = lock_hour(db, count.caller, count.window, now)?;
    let left = count.per_hour.map_or(orders, |most| most.saturating_sub(before));
    let taken = orders.min(left);
    let used = before.saturating_add(taken);
    set_hour(db, count.caller, began_at, used)?;
    Ok(CountedOrders {
        taken,
        used,
        age: now - began_at,
    })
}

/// Locks what a caller has used. Returns when the current window began, and the scans in it.
pub(super) fn lock_hour(
    db: &mut dyn Executor,
    caller: &str,
    window: Millis,
    now: Millis,
) -> Result<(Millis, u32), StoreError> {
    db.execute(
        "INSERT INTO caller_hour (caller, began_at, used) VALUES (?1, ?2, 0) ON CONFLICT (caller) DO NOTHING",
        values![caller, now],
    )?;
    let sql = "SELECT began_at, used FROM caller_hour WHERE caller = ?1";
    let hour = db.locked_one::<(Millis, u32)>(sql, values![caller])?;
    let (began_at, used) = hour.ok_or(StoreError::Damaged("row"))?;
    let over = now < began_at || now - began_at >= window;
    Ok(if over { (now, 0) } else { (began_at, used) })
}

pub(super) fn set_hour(
    db: &mut dyn Executor,
    caller: &str,
    began_at: Millis,
    used: u32,
) -> Result<(), StoreError> {
    db.run(
        "UPDATE caller_hour SET began_at = ?2, used = ?3 WHERE caller = ?1",
        values![caller, began_at, used],
    )
}
