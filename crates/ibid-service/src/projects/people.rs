//! People in a project: invitations and roles.

use super::conversions::change;
use super::handle::Projects;
use crate::accounts::{LINK_TIME, SessionToken, invited_account};
use crate::clock::{millis, now_ms};
use crate::daily_turns::DAY;
use crate::error::Error;
use ibid_model::{AccountId, Email, FaultCode, Faults, ProjectId};
use ibid_store::{
    INVITATIONS, InvitationRecord, Invited, NewInvitation, ProjectPerson, ProjectRole, ProjectScope, Right,
    Store,
};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// A person that was invited to a project.
#[derive(Debug)]
pub struct AddedPerson {
    pub account: AccountId,
    /// Path at which the person answers the invitation, such as `/set-password/TOKEN`, or finds the project.
    pub path: String,
}

impl Projects {
    /// Returns everybody in a project's organisation, with their roles.
    pub async fn people(&self, scope: &ProjectScope) -> Result<Vec<ProjectPerson>, Error> {
        self.of(scope, Store::project_people).await
    }

    /// Invites a person by `email` with a `role`, `editor`, `viewer` or, within the organisation, `admin`; or changes
    /// the role. A person without an account gets one. The answer does not tell whether a stranger had one.
    ///
    /// # Errors
    /// [`Error::Invalid`]; [`Error::Forbidden`] for an admin, without the right to manage the organisation; [`Error::TooMany`]; no random
    /// bytes; [`Error::Store`].
    pub(super) async fn add_person(
        &self,
        scope: &ProjectScope,
        body: &Map<String, Value>,
    ) -> Result<AddedPerson, Error> {
        let mut faults = Faults::default();
        let text = |member: &str| body.get(member).and_then(Value::as_str);
        let email: Option<Email> = text("email").and_then(|email| email.parse().ok());
        if email.is_none() {
            faults.invalid("/email", "email must be an address");
        }
        let roles = [
            (Some(ProjectRole::Editor), "editor"),
            (Some(ProjectRole::Viewer), "viewer"),
            (None, "admin"),
        ];
        let role = roles.into_iter().find(|(_, word)| Some(*word) == text("role"));
        if role.is_none() {
            faults.invalid("/role", "role must be editor, viewer or admin");
        }
        let (Some(email), Some((role, word))) = (email, role) else {
            return Err(faults.into());
        };
        if role.is_none() && !scope.may(Right::AdminOrganisation) {
            return Err(Error::Forbidden);
        }
        let members = json!({"email": email.as_str(), "role": word}).to_string();
        let (token, now) = (SessionToken::random()?, now_ms());
        let (hash, to) = (token.hash(), email.clone());
        let invited = self.of(scope, move |store, scope| {
            let invitation = NewInvitation {
                account: invited_account(&email),
                role,
                hash,
                expires_at: now.saturating_add(millis(LINK_TIME)),
                since: now.saturating_sub(millis(DAY)),
                room: INVITATIONS.room,
            };
            store.invite(scope, &invitation, change("person_added", &members))
        });
        match invited.await? {
            Invited::Waits(account) => {
                let path = format!("/set-password/{}", token.reveal());
                if let Some(sender) = self.hooks.sender.clone() {
                    let path = path.clone();
                    self.runs.spawn(async move { sender.invite(to, &path).await });
                }
                Ok(AddedPerson { account, path })
            }
            Invited::Joined(account) => Ok(AddedPerson {
                account,
                path: format!("/workspace/projects/{}", scope.project()),
            }),
            Invited::Stranger => {
                let message =
                    "an admin must be a person of the organisation: invite as editor or viewer first";
                Err(Error::fault("/email", FaultCode::Invalid, message))
            }
            Invited::TooMany => Err(Error::TooMany {
                retry_after: Duration::from_secs(3_600),
            }),
        }
    }

    pub async fn invitations(&self, account: AccountId) -> Result<Vec<InvitationRecord>, Error> {
        self.in_store(move |store| store.invitations(account, now_ms()))
            .await
    }

    /// Accepts or declines an invitation of an account, by its target.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] for none, or one by somebody who may not invite any more; [`Error::Store`].
    pub async fn answer_invitation(
        &self,
        account: AccountId,
        target: &str,
        accepts: bool,
    ) -> Result<(), Error> {
        let target: ProjectId = target.parse().map_err(|_| Error::ProjectNotFound)?;
        let answered =
            self.in_store(move |store| store.answer_invitation(account, target, accepts, now_ms()));
        answered.await?.then_some(()).ok_or(Error::ProjectNotFound)
    }

    /// Takes a person's role in a project away.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] for a person without one; [`Error::Store`].
    pub(super) async fn remove_person(&self, scope: &ProjectScope, account: &str) -> Result<(), Error> {
        let account: AccountId = account.parse().map_err(|_| Error::ProjectNotFound)?;
        let mut people = self.people(scope).await?.into_iter();
        let person = people.find(|person| person.account == account && person.role.is_some());
        let person = person.ok_or(Error::ProjectNotFound)?;
        let members = json!({"email": person.email}).to_string();
        let removed = self.of(scope, move |store, scope| {
            store.set_project_role(scope, account, None, change("person_removed", &members))
        });
        removed.await
    }
}
