//! PostgreSQL: several processes, several machines.
//!
//! Every transaction is READ COMMITTED.
//! This is enough because every decision is made on a locked row: a change either repeats its precondition,
//! which the server checks again once it has the row, or reads it first with `FOR UPDATE`.
//! Where there is no row to lock yet, a unique key decides.
//! Credits are counted under the lock of their account.
//! A transaction that gave way to another one is tried again a few times.

mod connection;
mod executor;
#[cfg(feature = "sqlite")]
mod import_sqlite;
mod migrate;
#[cfg(test)]
#[cfg(feature = "conformance")]
mod tests;
mod tls;

#[cfg(feature = "sqlite")]
pub use import_sqlite::import_sqlite;

use crate::db::run_blocking;
use crate::fault::FaultKind;
use crate::sql::{Backend, Durability, Work};
use crate::{Connections, Inspection, PostgresUrl, StoreError};
use connection::{Connector, Outage, PgConnection};
use std::time::{Duration, Instant};

/// Connections of a process, at most. The store has sixteen threads, and most of its calls are short.
const CONNECTIONS: u32 = 10;
/// The time a call waits for a free connection while the pool has connections.
const POOL_TIMEOUT: Duration = Duration::from_secs(30);
/// The time between two attempts to connect to a server that cannot be reached is at most half of this.
const UNREACHABLE_TIMEOUT: Duration = Duration::from_secs(2);
/// The time from the begin of an outage for which calls wait for its end.
/// Later ones fail at once, so that the threads are never all waiting.
const OUTAGE_PATIENCE: Duration = Duration::from_millis(1_500);
/// The time after which a waiting call looks again whether the server is away.
const LOOK: Duration = Duration::from_millis(100);
/// Attempts of a transaction that loses against others.
const ATTEMPTS: u32 = 6;
/// The pause before the second attempt. It doubles with each attempt.
const PAUSE: Duration = Duration::from_millis(5);

/// Begins a transaction whose commit survives a power cut.
const DURABLE: &str = "START TRANSACTION ISOLATION LEVEL READ COMMITTED";
/// Begins a transaction that a crash of the database may lose. The next durable commit takes it along.
const RELAXED: &str = "START TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off";
/// Begins a transaction that sees everything as of one moment.
const SNAPSHOT: &str = "START TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A store in a PostgreSQL database.
pub(crate) struct Postgres {
    pool: r2d2::Pool<Connector>,
    outage: Outage,
}

impl Postgres {
    /// Connects and brings the schema up to date.
    ///
    /// # Errors
    /// No such server or database, no right to use it, a certificate that cannot be trusted, an encoding other than
    /// UTF-8, a schema of a newer program.
    pub(crate) fn open(url: &PostgresUrl) -> Result<Self, StoreError> {
        run_blocking(|| {
            let connector = Connector::new(url)?;
            // Before the pool exists: the pool would repeat an attempt that cannot succeed.
            migrate::run(&mut connector.open()?)?;
            let outage = connector.outage();
            let pool = r2d2::Pool::builder()
                .max_size(CONNECTIONS)
                .min_idle(Some(1))
                .connection_timeout(UNREACHABLE_TIMEOUT)
                .error_handler(Box::new(r2d2::NopErrorHandler))
                .test_on_check_out(false)
                .build(connector)?;
            Ok(Self { pool, outage })
        })
    }

    /// Checks the database without changing it.
    ///
    /// # Errors
    /// As for [`open`](Self::open), except faults of a migration.
    pub(crate) fn inspect(url: &PostgresUrl) -> Result<Inspection, StoreError> {
        run_blocking(|| migrate::inspect(&mut Connector::new(url)?.open()?))
    }

    /// Returns a free connection.
    /// A server that cannot be reached is waited for from the begin of the outage.
    fn connection(&self) -> Result<r2d2::PooledConnection<Connector>, StoreError> {
        let start = Instant::now();
        loop {
            let away = self.outage.since().filter(|_| self.pool.state().connections == 0);
            let left = match away {
                Some(since) => OUTAGE_PATIENCE.saturating_sub(since.elapsed()),
                None => POOL_TIMEOUT.saturating_sub(start.elapsed()),
            };
            match self.pool.get_timeout(left.min(LOOK)) {
                Ok(connection) => return Ok(connection),
                Err(error) if left.is_zero() => return Err(error.into()),
                Err(_) => {}
            }
        }
    }

    /// Runs one transaction.
    /// It is repeated when it lost against another one, or when its connection was lost before the commit.
    fn transact<T: Send>(
        &self,
        begin: &'static str,
        work: impl Fn(&mut PgConnection) -> Result<T, StoreError> + Sync,
    ) -> Result<T, StoreError> {
        run_blocking(|| {
            let (mut idle, mut attempts, mut pause) = (0, 1, PAUSE);
            loop {
                let mut connection = self.connection()?;
                match connection.begin(begin) {
                    Ok(()) => {}
                    // The server was restarted while this connection was idle.
                    Err(fault) if fault.kind() == FaultKind::Connection && idle < CONNECTIONS => {
                        idle += 1;
                        continue;
                    }
                    Err(fault) => return Err(fault.into()),
                }
                match connection.finish(&work) {
                    // The server was restarted just now. The transaction was not committed.
                    Err(StoreError::Postgres(fault))
                        if fault.kind() == FaultKind::Connection && idle < CONNECTIONS =>
                    {
                        idle += 1;
                    }
                    Err(StoreError::Postgres(fault))
                        if fault.kind() == FaultKind::LostConflict && attempts < ATTEMPTS =>
                    {
                        tracing::debug!(%fault, "store.transaction.retried");
                        drop(connection);
                        std::thread::sleep(pause);
                        attempts += 1;
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
        run_blocking(|| {
            let mut idle = 0;
            loop {
                let done = work(&mut *self.connection()?);
                match &done {
                    // After a restart of the server, each idle connection last_failed when it is used.
                    Err(StoreError::Postgres(fault))
                        if fault.kind() == FaultKind::Connection && idle < CONNECTIONS =>
                    {
                        idle += 1;
                    }
                    Ok(_) | Err(_) => return done,
                }
            }
        })
    }

    fn snapshot<T: Send>(&self, work: impl Work<T>) -> Result<T, StoreError> {
        self.transact(SNAPSHOT, |connection| work(connection))
    }

    fn write<T: Send>(&self, durability: Durability, work: impl Work<T>) -> Result<T, StoreError> {
        match durability {
            Durability::Disk | Durability::Process => self.transact(DURABLE, |connection| work(connection)),
            Durability::Relaxed => self.transact(RELAXED, |connection| work(connection)),
        }
    }

    fn write_idempotent<T: Send>(&self, work: impl Work<T>) -> Result<T, StoreError> {
        match self.transact(DURABLE, |connection| work(connection)) {
            Err(StoreError::Postgres(fault)) if fault.kind() == FaultKind::CommitUnknown => {
                self.transact(DURABLE, |connection| work(connection))
            }
            done => done,
        }
    }

    fn pool(&self) -> Connections {
        let state = self.pool.state();
        Connections {
            open: state.connections,
            idle: state.idle_connections,
        }
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
    run_blocking(|| Ok(Connector::new(url)?.open()?.batch_execute(sql)?))
}

/// Returns the first column of a query, which has to be text. For tests.
#[cfg(feature = "conformance")]
pub(crate) fn texts(url: &PostgresUrl, sql: &str) -> Result<Vec<String>, StoreError> {
    run_blocking(|| Connector::new(url)?.open()?.column(sql))
}
