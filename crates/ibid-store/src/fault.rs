//! Errors of PostgreSQL, in words that may be logged.

use postgres::error::SqlState;
use std::error::Error as _;
use std::fmt;

/// PostgreSQL failed, or its connection did.
///
/// Holds the server's message and its code.
/// Leaves out the server's detail, which quotes rows: some of them contain signed payments.
#[derive(Debug)]
pub struct PostgresFault {
    message: String,
    code: Option<String>,
    kind: FaultKind,
}

/// The reaction that a fault needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// The connection is lost. Its open transaction was rolled back.
    Connection,
    /// The connection was lost during a commit. The transaction may have been committed.
    CommitUnknown,
    /// The transaction lost against another one and was rolled back. It can be repeated.
    LostConflict,
    /// A unique key is taken.
    KeyTaken,
    /// Every other fault. Repeating the statement does not help.
    Other,
}

impl PostgresFault {
    /// Creates a fault found by this program.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: None,
            kind: FaultKind::Other,
        }
    }

    /// Turns the fault into one of a commit.
    pub(crate) fn of_a_commit(mut self) -> Self {
        if self.kind == FaultKind::Connection {
            self.kind = FaultKind::CommitUnknown;
        }
        self
    }

    /// Whether the server is away, is being stopped, takes no writes, or lacks disk, memory or connections.
    pub(crate) fn is_unavailable(&self) -> bool {
        let class = self.code.as_deref().and_then(|code| code.get(..2));
        let takes_no_writes = self.code.as_deref() == Some(SqlState::READ_ONLY_SQL_TRANSACTION.code());
        match self.kind {
            FaultKind::Connection | FaultKind::CommitUnknown => true,
            FaultKind::LostConflict | FaultKind::KeyTaken => false,
            FaultKind::Other => class == Some("53") || takes_no_writes,
        }
    }

    pub(crate) const fn kind(&self) -> FaultKind {
        self.kind
    }
}

impl From<postgres::Error> for PostgresFault {
    fn from(error: postgres::Error) -> Self {
        let Some(refusal) = error.as_db_error() else {
            let mut message = error.to_string();
            let mut source = error.source();
            while let Some(cause) = source {
                let cause_text = cause.to_string();
                // Some errors repeat their cause, others do not.
                if !message.contains(&cause_text) {
                    message = format!("{message}: {cause_text}");
                }
                source = cause.source();
            }
            return Self {
                message,
                code: None,
                kind: FaultKind::Connection,
            };
        };
        let code = refusal.code();
        let kind = match code.code().get(..2) {
            _ if [
                SqlState::T_R_SERIALIZATION_FAILURE,
                SqlState::T_R_DEADLOCK_DETECTED,
            ]
            .contains(code) =>
            {
                FaultKind::LostConflict
            }
            _ if *code == SqlState::UNIQUE_VIOLATION => FaultKind::KeyTaken,
            // Connection exceptions, and a server that is being stopped.
            Some("08") => FaultKind::Connection,
            _ if [
                SqlState::ADMIN_SHUTDOWN,
                SqlState::CRASH_SHUTDOWN,
                SqlState::CANNOT_CONNECT_NOW,
                SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
            ]
            .contains(code) =>
            {
                FaultKind::Connection
            }
            _ => FaultKind::Other,
        };
        Self {
            message: refusal.message().to_owned(),
            code: Some(code.code().to_owned()),
            kind,
        }
    }
}

impl fmt::Display for PostgresFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.code {
            Some(code) => write!(f, "{} (SQLSTATE {code})", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for PostgresFault {}
