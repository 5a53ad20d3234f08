//! PostgreSQL: several processes, several machines.
//!
//! Every transaction is READ COMMITTED. That is enough because nothing is decided on a row that is not locked: a change
//! either names in its own condition what it relies on, which the server checks again once it has the row, or reads it
//! first with `FOR UPDATE`. Where there is no row to lock yet, a unique key decides. Credits are counted under the
//! lock of their account. What gave way to another transaction is tried again a few times.

#[cfg(feature = "sqlite")]
mod copy;
mod executor;
mod fault;
mod link;
mod migrate;
#[cfg(test)]
#[cfg(feature = "conformance")]
mod tests;
mod tls;

#[cfg(feature = "sqlite")]
pub use copy::copy;
pub use fault::PostgresFault;

use crate::db::where_blocking_is_allowed;
use crate::sql::{Backend, Durability, Work};
use crate::{PostgresUrl, StoreError};
use fault::Kind;
use link::{Connector, Link};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Connections of a process, at most. The store has sixteen threads, and most of its calls are short.
const CONNECTIONS: u32 = 10;
/// The time a call waits for a free connection while the pool has connections.
const TURN: Duration = Duration::from_secs(30);
/// The time a read waits for a server that cannot be reached. Attempts to connect are half as far apart.
const RETURN: Duration = Duration::from_secs(2);
/// Attempts of a transaction that loses against others.
const TRIES: u32 = 6;
/// The pause before the second attempt. It doubles with each attempt.
const PAUSE: Duration = Duration::from_millis(5);

/// Begins a transaction whose commit survives a power cut.
const DURABLE: &str = "START TRANSACTION ISOLATION LEVEL READ COMMITTED";
/// Begins a transaction that a crash of the database may lose. The next durable commit takes it along.
const RELAXED: &str = "START TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off";
/// Begins a transaction that sees everything as of one moment.
const SNAPSHOT: &str = "START TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A store in a PostgreSQL database.
pub struct Postgres {
    pool: r2d2::Pool<Connector>,
    /// Whether the last attempt to connect failed.
    fails: Arc<AtomicBool>,
}

impl Postgres {
    /// Connects and brings the schema up to date.
    ///
    /// # Errors
    /// No such server or database, no right to use it, a certificate that cannot be trusted, an encoding other than
    /// UTF-8, a schema of a newer program.
    pub fn open(url: &PostgresUrl) -> Result<Self, StoreError> {
        where_blocking_is_allowed(|| {
            let connector = Connector::new(url)?;
            // Before the pool, which would try again and again what cannot work.
            migrate::run(&mut connector.open()?)?;
            let fails = connector.fails();
            let pool = r2d2::Pool::builder()
                .max_size(CONNECTIONS)
                .min_idle(Some(1))
                .connection_timeout(RETURN)
                .error_handler(Box::new(r2d2::NopErrorHandler))
                .test_on_check_out(false)
                .build(connector)?;
            Ok(Self { pool, fails })
        })
    }

    /// A free connection. For one to a server that is away, only `patience` is left.
    fn link(&self, patience: Duration) -> Result<r2d2::PooledConnection<Connector>, StoreError> {
        let start = Instant::now();
        loop {
            match self.pool.get() {
                Ok(link) => return Ok(link),
                Err(error) => {
                    let away = self.fails.load(Ordering::Relaxed) && self.pool.state().connections == 0;
                    if start.elapsed() >= if away { patience } else { TURN } {
                        return Err(error.into());
                    }
                }
            }
        }
    }

    /// Runs one transaction. It is repeated when it lost against another one, or when its connection was lost before
    /// the commit.
    fn transact<T: Send>(
        &self,
        begin: &'static str,
        work: impl Fn(&mut Link) -> Result<T, StoreError> + Sync,
    ) -> Result<T, StoreError> {
        where_blocking_is_allowed(|| {
            let (mut idle, mut tries, mut pause) = (0, 1, PAUSE);
            loop {
                // A write waits longer than a read: work was done for it that would be lost.
                let mut link = self.link(TURN)?;
                match link.begin(begin) {
                    Ok(()) => {}
                    // The server was started again while this connection was idle.
                    Err(fault) if fault.kind() == Kind::Connection && idle < CONNECTIONS => {
                        idle += 1;
                        continue;
                    }
                    Err(fault) => return Err(fault.into()),
                }
                match link.finish(&work) {
                    // Or just now: what was not committed has not happened.
                    Err(StoreError::Postgres(fault))
                        if fault.kind() == Kind::Connection && idle < CONNECTIONS =>
                    {
                        idle += 1;
                    }
                    Err(StoreError::Postgres(fault)) if fault.kind() == Kind::GaveWay && tries < TRIES => {
                        tracing::debug!(%fault, "a transaction is tried again");
                        drop(link);
                        std::thread::sleep(pause);
                        tries += 1;
                        pause *= 2;
                    }
                    done => return done,
                }
            }
        })
    }
}

impl Backend for Postgres {
    fn read<T: Send>(&self, work: impl Work<T>) -> Result<T, StoreError> {
        where_blocking_is_allowed(|| {
            let mut idle = 0;
            loop {
                let done = work(&mut *self.link(RETURN)?);
                match &done {
                    // After a restart of the server, each idle connection fails when it is used.
                    Err(StoreError::Postgres(fault))
                        if fault.kind() == Kind::Connection && idle < CONNECTIONS =>
                    {
                        idle += 1;
                    }
                    Ok(_) | Err(_) => return done,
                }
            }
        })
    }

    fn snapshot<T: Send>(&self, work: impl Work<T>) -> Result<T, StoreError> {
        self.transact(SNAPSHOT, |link| work(link))
    }

    fn write<T: Send>(&self, durability: Durability, work: impl Work<T>) -> Result<T, StoreError> {
        match durability {
            Durability::Disk | Durability::Process => self.transact(DURABLE, |link| work(link)),
            Durability::Relaxed => self.transact(RELAXED, |link| work(link)),
        }
    }

    fn write_idempotent<T: Send>(&self, work: impl Work<T>) -> Result<T, StoreError> {
        match self.transact(DURABLE, |link| work(link)) {
            Err(StoreError::Postgres(fault)) if fault.kind() == Kind::Unsure => {
                self.transact(DURABLE, |link| work(link))
            }
            done => done,
        }
    }

    fn check(&self) -> Result<(), StoreError> {
        self.read(|db| db.only("SELECT count(*) FROM migration", &[]).map(drop))?;
        // A server in recovery takes no writes, nor does one that is configured so.
        let read_only: String = self.write(Durability::Disk, |db| {
            db.only("SELECT current_setting('transaction_read_only')", &[])?
                .take(0)
        })?;
        if read_only == "on" {
            return Err(PostgresFault::new("the database takes no writes").into());
        }
        Ok(())
    }
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Postgres(..)")
    }
}

/// Runs statements on a server that need not hold a store yet. For tests.
#[cfg(feature = "conformance")]
pub(crate) fn execute(url: &PostgresUrl, sql: &str) -> Result<(), StoreError> {
    where_blocking_is_allowed(|| Ok(Connector::new(url)?.open()?.batch_execute(sql)?))
}

/// Returns the first column of a query, which has to be text. For tests.
#[cfg(feature = "conformance")]
pub(crate) fn texts(url: &PostgresUrl, sql: &str) -> Result<Vec<String>, StoreError> {
    where_blocking_is_allowed(|| Connector::new(url)?.open()?.column(sql))
}
