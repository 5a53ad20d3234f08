//! Service keys, and the count of the scans of a caller in an hour.

use super::{Backend, Durability, Executor, Lock, Row, values};
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
        )?;
        Ok(())
    }

    /// Returns every key, ordered by name.
    pub fn service_keys(&self) -> Result<Vec<ServiceKeyRecord>, StoreError> {
        let sql = "SELECT name, hash, created_at, revoked_at FROM service_key ORDER BY name";
        self.list(sql, &[], read_key)
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
    let (name, hash): (String, Vec<u8>) = (row.take(0)?, row.take(1)?);
    Ok(ServiceKeyRecord {
        name: name
            .parse()
            .map_err(|_| StoreError::Damaged("name of a service key"))?,
        hash: hash
            .try_into()
            .map_err(|_| StoreError::Damaged("hash of a service key"))?,
        created_at: row.take(2)?,
        revoked_at: row.take(3)?,
    })
}

/// Counts queued scans of a caller, inside another transaction: as many of them as the limit leaves.
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

/// Locks the count of a caller. Returns the begin of the current window, and the scans in it.
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
    let hour = db.locked_rows(
        "SELECT began_at, used FROM caller_hour WHERE caller = ?1",
        Lock::Row,
        values![caller],
    )?;
    let mut hour = hour.into_iter().next().ok_or(StoreError::Damaged("row"))?;
    let (began_at, used): (Millis, u32) = (hour.take(0)?, hour.take(1)?);
    let over = now < began_at || now - began_at >= window;
    Ok(if over { (now, 0) } else { (began_at, used) })
}

pub(super) fn set_hour(
    db: &mut dyn Executor,
    caller: &str,
    began_at: Millis,
    used: u32,
) -> Result<(), StoreError> {
    db.execute(
        "UPDATE caller_hour SET began_at = ?2, used = ?3 WHERE caller = ?1",
        values![caller, began_at, used],
    )?;
    Ok(())
}
