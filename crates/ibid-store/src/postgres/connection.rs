//! Connections to PostgreSQL.

use crate::PostgresFault;
use crate::StoreError;
use crate::fault::FaultKind;
use crate::sql::Lock;
use crate::url::{PostgresUrl, Tls};
#[cfg(any(feature = "sqlite", feature = "conformance"))]
use postgres::types::FromSqlOwned;
use postgres::{Client, Config, NoTls, Statement};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_postgres_rustls::MakeRustlsConnect;
#[cfg(feature = "sqlite")]
use {super::executor::parameters, crate::sql::Value};

/// Time limit for connecting to the server.
const CONNECT: Duration = Duration::from_secs(10);
/// The time limit for the network to acknowledge sent data.
const SILENCE: Duration = Duration::from_secs(30);
/// Settings of every connection: no statement takes longer than 30 s, and a process that stalls
/// in the middle of a transaction does not keep its locks.
const SETTINGS: &str = "SET statement_timeout = '30s'; SET idle_in_transaction_session_timeout = '10s';
    SET client_min_messages = 'warning'";

/// Opens connections for the pool.
pub(super) struct Connector {
    config: Config,
    tls: Option<MakeRustlsConnect>,
    outage: Outage,
}

/// Since when attempts to connect fail. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Outage(Arc<Mutex<Option<Instant>>>);

impl Outage {
    /// Returns when the outage began, while it lasts.
    pub(super) fn since(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes how an attempt ended, and returns whether the one before ended otherwise.
    fn note(&self, failed: bool) -> bool {
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = since.is_some() != failed;
        if changed {
            *since = failed.then(Instant::now);
        }
        changed
    }
}

impl Connector {
    pub(super) fn new(url: &PostgresUrl) -> Result<Self, StoreError> {
        let mut config: Config = url
            .secret
            .parse()
            .map_err(|_| PostgresFault::new("the address cannot be read"))?;
        let tls = match &url.tls {
            Tls::Off => {
                config.ssl_mode(postgres::config::SslMode::Disable);
                None
            }
            Tls::Verified { roots } => {
                config.ssl_mode(postgres::config::SslMode::Require);
                Some(super::tls::connector(roots.as_deref())?)
            }
        };
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE);
        }
        // At the usual two hours, a call to a lost server would wait as long.
        config
            .keepalives_idle(SILENCE)
            .keepalives_interval(CONNECT)
            .keepalives_retries(3);
        if config.get_application_name().is_none() {
            config.application_name("ibid");
        }
        // With several servers, only one that takes writes is used.
        if config.get_hosts().len() > 1 {
            config.target_session_attrs(postgres::config::TargetSessionAttrs::ReadWrite);
        }
        Ok(Self {
            config,
            tls,
            outage: Outage::default(),
        })
    }

    /// Returns the outage, which later attempts update.
    pub(super) fn outage(&self) -> Outage {
        self.outage.clone()
    }

    pub(super) fn open(&self) -> Result<PgConnection, PostgresFault> {
        let mut client = match &self.tls {
            None => self.config.connect(NoTls),
            Some(tls) => self.config.connect(tls.clone()),
        }?;
        client.batch_execute(SETTINGS)?;
        Ok(PgConnection {
            client: Some(client),
            statements: HashMap::new(),
            broken: false,
        })
    }
}

impl r2d2::ManageConnection for Connector {
    type Connection = PgConnection;
    type Error = PostgresFault;

    fn connect(&self) -> Result<PgConnection, PostgresFault> {
        let opened = self.open();
        // One event for each change, not for each attempt.
        match (&opened, self.outage.note(opened.is_err())) {
            (Err(fault), true) => tracing::warn!(%fault, "store.connection.failed"),
            (Ok(_), true) => tracing::info!("store.connection.restored"),
            (_, false) => {}
        }
        opened
    }

    fn is_valid(&self, connection: &mut PgConnection) -> Result<(), PostgresFault> {
        connection.batch_execute("")
    }

    fn has_broken(&self, connection: &mut PgConnection) -> bool {
        connection.broken || connection.client.as_ref().is_none_or(Client::is_closed)
    }
}

/// One connection to PostgreSQL.
pub(super) struct PgConnection {
    /// `Some` until the connection is dropped.
    client: Option<Client>,
    statements: HashMap<(&'static str, Lock), Statement>,
    /// Whether the state of the connection is unknown.
    /// It is then closed, and the server rolls back its transaction.
    broken: bool,
}

impl PgConnection {
    pub(super) fn client(&mut self) -> Result<&mut Client, PostgresFault> {
        self.client
            .as_mut()
            .ok_or_else(|| PostgresFault::new("the connection is closed"))
    }

    /// Runs statements without parameters or results.
    pub(super) fn batch_execute(&mut self, sql: &str) -> Result<(), PostgresFault> {
        let done = self.client()?.batch_execute(sql).map_err(PostgresFault::from);
        self.watch(done)
    }

    /// Begins a transaction.
    pub(super) fn begin(&mut self, begin: &str) -> Result<(), PostgresFault> {
        // Until COMMIT or ROLLBACK: a panic in between leaves an open transaction behind.
        self.broken = true;
        self.batch_execute(begin)
    }

    /// Runs `work` and ends the transaction.
    pub(super) fn finish<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let done = work(self);
        let ended = self.batch_execute(if done.is_ok() { "COMMIT" } else { "ROLLBACK" });
        self.broken = ended.is_err();
        match (done, ended) {
            (Ok(_), Err(fault)) => Err(fault.of_a_commit().into()),
            (done, _) => done,
        }
    }

    /// Marks the connection as broken if `result` reports its loss.
    pub(super) fn watch<T>(&mut self, result: Result<T, PostgresFault>) -> Result<T, PostgresFault> {
        if matches!(&result, Err(fault) if fault.kind() == FaultKind::Connection) {
            self.broken = true;
        }
        result
    }

    /// Returns the prepared statement. It is prepared once a connection, so that the server plans it once.
    pub(super) fn statement(&mut self, sql: &'static str, lock: Lock) -> Result<Statement, PostgresFault> {
        if let Some(statement) = self.statements.get(&(sql, lock)) {
            return Ok(statement.clone());
        }
        let text = sql.replace('?', "$")
            + match lock {
                Lock::None => "",
                // Rows that only refer to the locked row are not blocked.
                Lock::Row => " FOR NO KEY UPDATE",
                Lock::SkipLocked => " FOR NO KEY UPDATE SKIP LOCKED",
            };
        let prepared = self.client()?.prepare(&text).map_err(PostgresFault::from);
        let statement = self.watch(prepared)?;
        self.statements.insert((sql, lock), statement.clone());
        Ok(statement)
    }

    /// Prepares a statement that is not kept.
    #[cfg(feature = "sqlite")]
    pub(super) fn prepare(&mut self, sql: &str) -> Result<Statement, StoreError> {
        let prepared = self.client()?.prepare(sql).map_err(PostgresFault::from);
        Ok(self.watch(prepared)?)
    }

    /// Runs a statement that [`Self::prepare`] made, and returns how many rows it changed.
    #[cfg(feature = "sqlite")]
    pub(super) fn execute_prepared(
        &mut self,
        statement: &Statement,
        values: &[Value<'_>],
    ) -> Result<u64, StoreError> {
        let changed = self.client()?.execute(statement, &parameters(values));
        Ok(self.watch(changed.map_err(PostgresFault::from))?)
    }

    /// Returns the first column of a query without parameters.
    #[cfg(any(feature = "sqlite", feature = "conformance"))]
    pub(super) fn column<T: FromSqlOwned>(&mut self, sql: &str) -> Result<Vec<T>, StoreError> {
        let rows = self.client()?.query(sql, &[]).map_err(PostgresFault::from);
        let rows = self.watch(rows)?;
        rows.iter()
            .map(|row| row.try_get(0).map_err(|_| StoreError::Damaged("column")))
            .collect()
    }
}

impl Drop for PgConnection {
    /// Closing runs on a runtime of the driver, which must not happen on a thread that has a runtime.
    fn drop(&mut self) {
        let (client, statements) = (self.client.take(), std::mem::take(&mut self.statements));
        crate::db::run_blocking(move || drop((statements, client)));
    }
}
