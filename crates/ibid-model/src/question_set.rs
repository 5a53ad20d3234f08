//! How question sets and their versions are named.

use crate::id::QuestionSetId;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The letters before the id of a set.
const PREFIX: &str = "qs_";

/// A question set, or one version of it: `qs_0123…@4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuestionSetName {
    /// The set.
    pub id: QuestionSetId,
    /// The version; `None` for the last one.
    pub version: Option<u32>,
}

/// The text names no question set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be the id of a question set, with or without a version: \"qs_…@4\"")]
pub struct BadQuestionSetName;

impl FromStr for QuestionSetName {
    type Err = BadQuestionSetName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim().strip_prefix(PREFIX).ok_or(BadQuestionSetName)?;
        let (id, version) = match text.split_once('@') {
            Some((id, version)) => (id, Some(version.parse().map_err(|_| BadQuestionSetName)?)),
            None => (text, None),
        };
        let id = id.parse().map_err(|_| BadQuestionSetName)?;
        Ok(Self { id, version })
    }
}

impl fmt::Display for QuestionSetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        for byte in self.id.as_bytes() {
            write!(f, "{byte:02x}")?;
        }
        match self.version {
            Some(version) => write!(f, "@{version}"),
            None => Ok(()),
        }
    }
}

/// The version of a question set that a scan asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AskedSet {
    /// The set.
    pub id: String,
    /// The version.
    pub version: u32,
    /// The hash of its questions.
    pub hash: String,
    /// Its questions.
    pub questions: u32,
    /// The questions of it that the scan asks.
    pub asked: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for version in [None, Some(4)] {
            let name = QuestionSetName {
                id: QuestionSetId::random(),
                version,
            };
            assert_eq!(name.to_string().parse(), Ok(name));
        }
        for bad in [
            "",
            "qs_",
            "qs_1",
            "qs_00000000000000000000000000000000@x",
            "00000000000000000000000000000000",
        ] {
            assert_eq!(bad.parse::<QuestionSetName>(), Err(BadQuestionSetName), "{bad}");
        }
    }
}
