//! Invitations to projects, and the admins of organisations.

use super::ProjectRole;
use crate::Millis;
use crate::destination::DailyRoom;
use crate::workspace::NewAccount;
use ibid_model::{AccountId, ProjectId};
use serde::Deserialize;

/// An invitation to store.
#[derive(Clone, Copy, Debug)]
pub struct NewInvitation<'a> {
    /// The account that is opened if its address has none.
    pub account: NewAccount<'a>,
    /// The role in the project; `None` makes an admin of the organisation.
    pub role: Option<ProjectRole>,
    /// SHA-256 of the token in the link.
    pub hash: [u8; 32],
    /// The time when it ends.
    pub expires_at: Millis,
    /// Invitations from this time on are counted.
    pub since: Millis,
    pub room: DailyRoom,
}

/// What came of an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invited {
    /// The person belongs to the organisation already, and has the role.
    Joined(AccountId),
    /// It waits until the person signs in and accepts it.
    Waits(AccountId),
    /// Only who belongs to the organisation can become its admin.
    Stranger,
    /// There were as many as there may be in a day.
    TooMany,
}

/// An invitation that waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct InvitationRecord {
    /// The project, or the bytes of the organisation for its future admin.
    pub target: ProjectId,
    pub organisation: String,
    /// The project's name; `None` for a future admin.
    pub project: Option<String>,
}
