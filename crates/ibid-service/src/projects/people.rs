//! The people of a project.

use super::handle::Projects;
use super::plain::change;
use crate::error::Error;
use ibid_model::{AccountId, Email, FaultCode, Faults};
use ibid_store::{ProjectPerson, ProjectRole, ProjectScope};
use serde_json::{Map, Value, json};

/// A person that was added to a project.
#[derive(Debug)]
pub struct AddedPerson {
    pub account: AccountId,
    /// The token of a link, which sets the password of a new account, and signs in with that of another one.
    pub token: String,
}

impl Projects {
    /// The people of the organisation of a project, with their roles.
    pub async fn people(&self, scope: &ProjectScope) -> Result<Vec<ProjectPerson>, Error> {
        let scope = scope.clone();
        Ok(self.db().call(move |store| store.project_people(&scope)).await?)
    }

    /// Adds a person by `email` with a `role`, `editor` or `viewer`, or changes the role. A person without an account gets one.
    /// The answer does not tell whether there was one.
    ///
    /// # Errors
    /// [`Error::Invalid`]; no random bytes; [`Error::Store`].
    pub async fn add_person(
        &self,
        scope: &ProjectScope,
        body: &Map<String, Value>,
    ) -> Result<AddedPerson, Error> {
        let mut faults = Faults::default();
        let text = |member: &str| body.get(member).and_then(Value::as_str);
        let email: Option<Email> = text("email").and_then(|email| email.parse().ok());
        if email.is_none() {
            faults.push("/email", FaultCode::Invalid, "email must be an address");
        }
        let roles = [ProjectRole::Editor, ProjectRole::Viewer];
        let role = roles.into_iter().find(|role| Some(role.as_str()) == text("role"));
        if role.is_none() {
            faults.push("/role", FaultCode::Invalid, "role must be editor or viewer");
        }
        let (Some(email), Some(role)) = (email, role) else {
            return Err(Error::Invalid(faults));
        };
        let members = json!({"email": email.as_str(), "role": role.as_str()}).to_string();
        let (account, token) = self.accounts.invite_person(email).await?;
        self.set_role(scope, account, (Some(role), "person_added", members))
            .await?;
        Ok(AddedPerson { account, token })
    }

    /// Takes a person's role in a project away.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] for a person without one; [`Error::Store`].
    pub async fn remove_person(&self, scope: &ProjectScope, account: &str) -> Result<(), Error> {
        let account: AccountId = account.parse().map_err(|_| Error::ProjectNotFound)?;
        let people = self.people(scope).await?;
        let person = people
            .into_iter()
            .find(|person| person.account == account && person.role.is_some())
            .ok_or(Error::ProjectNotFound)?;
        let members = json!({"email": person.email}).to_string();
        self.set_role(scope, account, (None, "person_removed", members))
            .await
    }

    async fn set_role(
        &self,
        scope: &ProjectScope,
        account: AccountId,
        (role, action, members): (Option<ProjectRole>, &'static str, String),
    ) -> Result<(), Error> {
        let scope = scope.clone();
        let set = self
            .db()
            .call(move |store| store.set_project_role(&scope, account, role, change(action, &members)));
        Ok(set.await?)
    }
}
