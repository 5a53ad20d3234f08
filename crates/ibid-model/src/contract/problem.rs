//! Problems: the reasons why a request got no result, as every surface reports them.

use super::problems::{PROBLEMS, ProblemCode};
use serde::{Serialize, Serializer};
use std::fmt;

/// A problem's words and numbers on each surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The reason.
    pub code: ProblemCode,
    /// The stable word on the wire, in snake_case; the anchor on the page of codes.
    pub word: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// `title` in the problem document.
    pub title: &'static str,
    /// `detail` in the problem document; empty if each occurrence has its own sentence.
    pub detail: &'static str,
    /// The explanation on the page of codes.
    pub meaning: &'static str,
    /// The advice on the page of codes, with code between backticks.
    pub remedy: &'static str,
    /// The JSON-RPC error for it.
    pub rpc: Rpc,
    /// What A2A's payment extension calls it (its table 8.1).
    pub payment: &'static str,
}

/// The JSON-RPC error for a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rpc {
    /// `-32603` without a reason; the cause goes to the log.
    Internal,
    /// `-32602` with the faults of the request.
    InvalidParams,
    /// `-32004` with this reason.
    Unsupported(&'static str),
    /// An error of the service's own. The same call may succeed later.
    Unavailable {
        /// The code on the wire, -32050 or below.
        code: i32,
        /// The message on the wire.
        message: &'static str,
        /// The word in `data.code`.
        word: &'static str,
    },
}

impl Problem {
    /// A problem without words, that is an internal error to agents.
    pub(super) const fn new(code: ProblemCode, word: &'static str, status: u16) -> Self {
        Self {
            code,
            word,
            status,
            title: "",
            detail: "",
            meaning: "",
            remedy: "",
            rpc: Rpc::Internal,
            payment: "SETTLEMENT_FAILED",
        }
    }

    pub(super) const fn title(self, title: &'static str) -> Self {
        Self { title, ..self }
    }

    pub(super) const fn detail(self, detail: &'static str) -> Self {
        Self { detail, ..self }
    }

    pub(super) const fn meaning(self, meaning: &'static str) -> Self {
        Self { meaning, ..self }
    }

    pub(super) const fn remedy(self, remedy: &'static str) -> Self {
        Self { remedy, ..self }
    }

    pub(super) const fn payment(self, payment: &'static str) -> Self {
        Self { payment, ..self }
    }

    pub(super) const fn rpc(self, rpc: Rpc) -> Self {
        Self { rpc, ..self }
    }

    pub(super) const fn unavailable(self, code: i32, word: &'static str, message: &'static str) -> Self {
        self.rpc(Rpc::Unavailable { code, message, word })
    }
}

impl ProblemCode {
    /// Finds the row with the code's words.
    pub const fn row(self) -> &'static Problem {
        &PROBLEMS[self as usize]
    }

    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        self.row().word
    }
}

impl Serialize for ProblemCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl fmt::Display for ProblemCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_their_codes_and_of_statuses() {
        for (index, row) in PROBLEMS.iter().enumerate() {
            assert_eq!(row.code as usize, index, "{}", row.word);
            assert_eq!(
                format!("{:?}", row.code).to_lowercase(),
                row.word.replace('_', "")
            );
            assert!((400..600).contains(&row.status), "{}", row.word);
            assert!(!row.title.is_empty() && !row.meaning.is_empty() && !row.remedy.is_empty());
        }
        assert!(PROBLEMS.is_sorted_by_key(|row| row.status));
    }
}
