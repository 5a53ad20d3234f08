//! What people do for some questions of a project.

use super::record::{ProjectChange, ProjectScope};
use crate::{Millis, StoreError};
use ibid_model::{AccountId, ActionId, ProjectId};

/// How far an action is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Doing => "doing",
            Self::Open => "open",
            Self::Done => "done",
            Self::Dropped => "dropped",
        }
    }

    /// The status of a word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

/// An action of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The end of its test.
    pub judged_at: Option<Millis>,
    /// The time at which it was written.
    pub created_at: Millis,
    /// Its author; `None` for a key, and for an account that is gone.
    pub author: Option<AccountId>,
}

/// Stores the actions of projects. Every method is one transaction.
pub trait ProjectActions: Send + Sync + 'static {
    /// Returns the actions of a project, the oldest first.
    fn actions(&self, scope: &ProjectScope) -> Result<Vec<ActionRecord>, StoreError>;

    /// Stores an action, in the place of the one of the project with its id; author and time of writing stay.
    /// Returns whether it did: a project has at most `most`.
    fn put_action(
        &self,
        scope: &ProjectScope,
        action: &ActionRecord,
        most: u32,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError>;

    /// Deletes an action. Returns whether there was one.
    fn delete_action(
        &self,
        scope: &ProjectScope,
        id: ActionId,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError>;

    /// Returns the actions that are done and whose test has not ended.
    fn actions_to_judge(&self, project: ProjectId) -> Result<Vec<ActionRecord>, StoreError>;

    /// Returns the actions whose test ended since a time, the earliest first.
    fn judged_actions(&self, project: ProjectId, since: Millis) -> Result<Vec<ActionRecord>, StoreError>;

    /// Stores what the runs so far show of an action, and the end of its test. Does nothing where the test has begun anew,
    /// or has ended.
    fn put_finding(
        &self,
        action: &ActionRecord,
        finding: &str,
        judged_at: Option<Millis>,
    ) -> Result<(), StoreError>;

    /// Returns the texts of the questions that a project has asked, by the word that names them in results.
    fn question_words(&self, project: ProjectId) -> Result<Vec<(String, String)>, StoreError>;
}
