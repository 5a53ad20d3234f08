//! Errors of PostgreSQL, in words that may be logged.

use postgres::error::SqlState;
use std::error::Error as _;
use std::fmt;

/// A fault of PostgreSQL or of the way to it.
///
/// Holds the server's message and its code, and not the detail that the server sends along: that quotes rows, and there
/// are signed payments among them.
#[derive(Debug)]
pub struct PostgresFault {
    message: String,
    code: Option<String>,
    kind: Kind,
}

/// The reaction that a fault needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The connection is of no use any more. A transaction that was open came to nothing.
    Connection,
    /// The connection was lost while a commit was under way: it may have counted.
    Unsure,
    /// The transaction gave way to another one and was rolled back: to be tried again.
    GaveWay,
    /// Something with this key is there already.
    Taken,
    /// Nothing: it would happen again.
    Other,
}

impl PostgresFault {
    /// A fault that the program found by itself.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: None,
            kind: Kind::Other,
        }
    }

    /// The same, of a commit.
    pub(super) fn of_a_commit(mut self) -> Self {
        if self.kind == Kind::Connection {
            self.kind = Kind::Unsure;
        }
        self
    }

    pub(super) const fn kind(&self) -> Kind {
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
                kind: Kind::Connection,
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
                Kind::GaveWay
            }
            _ if *code == SqlState::UNIQUE_VIOLATION => Kind::Taken,
            // Connection exceptions, and a server that is being stopped.
            Some("08") => Kind::Connection,
            _ if [
                SqlState::ADMIN_SHUTDOWN,
                SqlState::CRASH_SHUTDOWN,
                SqlState::CANNOT_CONNECT_NOW,
                SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
            ]
            .contains(code) =>
            {
                Kind::Connection
            }
            _ => Kind::Other,
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
