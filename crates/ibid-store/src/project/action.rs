//! What people do for some questions of a project.

use crate::Millis;
use ibid_model::{AccountId, ActionId};
use serde::Deserialize;

/// How far an action is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::EnumString, strum::IntoStaticStr, Deserialize,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum ActionStatus {
    /// Someone works on it.
    Doing,
    /// No one has begun.
    Open,
    /// Done, on a day.
    Done,
    /// No one will do it.
    Dropped,
}

impl ActionStatus {
    /// All, in the order of lists.
    pub const ALL: [Self; 4] = [Self::Doing, Self::Open, Self::Done, Self::Dropped];

    /// The word in the store and on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ActionRecord {
    pub id: ActionId,
    /// What is done.
    pub title: String,
    /// The page that is made or changed.
    pub page: Option<String>,
    /// The questions that it should move.
    pub questions: Vec<String>,
    /// Who does it.
    pub person: Option<String>,
    /// What it should reach.
    pub goal: Option<String>,
    /// How far it is.
    pub status: ActionStatus,
    /// The runs after it that its test waits for.
    pub runs: u32,
    /// The time from which its test counts runs.
    pub agreed_at: Millis,
    /// The day on which it was done, as an ISO date.
    pub done_on: Option<String>,
    /// What its test compares, as JSON; `None` until it is done.
    pub test: Option<String>,
    /// What the runs so far show, as JSON.
    pub finding: Option<String>,
    pub judged_at: Option<Millis>,
    /// The time at which it was written.
    pub created_at: Millis,
    /// Its author; `None` for a key, and for an account that is gone.
    pub author: Option<AccountId>,
}
