//! Rows that are left out: each is counted with its reason.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Lines that are listed; the others are counted.
const LISTED: usize = 1_000;

/// Why a row is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It has other fields than its header.
    Fields,
    /// Its date cannot be read.
    Date,
    /// Its count cannot be read.
    Number,
    /// The page, query or topic is empty.
    Empty,
    /// It is about another website.
    OtherWebsite,
    /// A cell is a formula.
    Formula,
    /// It repeats an earlier row.
    Repeated,
    /// It is longer than any export writes.
    TooLong,
    /// It is about a part of the website that someone filtered.
    Filtered,
    /// A log line in no known form.
    NotALogLine,
    /// The program has a name that its owner's addresses contradict.
    Forged,
    /// Of another tracker: no question.
    NoQuestion,
    /// Of another tracker: a question that is no longer asked.
    Inactive,
    /// Of another tracker: a question that cannot be asked.
    QuestionInvalid,
    /// Of another tracker: a day without the text of an answer.
    NoAnswer,
    /// Of another tracker: there are as many questions as a project takes.
    OverCapacity,
}

impl Reason {
    pub fn words(self) -> &'static str {
        match self {
            Self::Fields => "has other fields than its header",
            Self::Date => "has no date that can be read",
            Self::Number => "has no number that can be read",
            Self::Empty => "names no page or query",
            Self::OtherWebsite => "is about another website",
            Self::Formula => "holds a formula",
            Self::Repeated => "repeats an earlier row",
            Self::TooLong => "is too long",
            Self::Filtered => "is of a filtered view, not of the whole website",
            Self::NotALogLine => "is no log line in a known form",
            Self::Forged => "has the name of a program whose owner does not have the address",
            Self::NoQuestion => "has no question",
            Self::Inactive => "has a question that the tracker no longer asks",
            Self::QuestionInvalid => "has a question that cannot be asked",
            Self::NoAnswer => "has a day and no text of an answer, so its history is left out",
            Self::OverCapacity => "has one question more than a project takes",
        }
    }
}

/// A row that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedLine {
    /// Its line, from 1.
    pub line: u64,
    pub reason: Reason,
}

/// Which rows in a file are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RefusedRows {
    /// How many for each reason.
    pub counts: BTreeMap<Reason, u64>,
    pub first: Vec<RefusedLine>,
}

impl RefusedRows {
    pub(crate) fn count(&mut self, line: u64, reason: Reason) {
        *self.counts.entry(reason).or_default() += 1;
        if self.first.len() < LISTED {
            self.first.push(RefusedLine { line, reason });
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }
}
