//! Who owns a schedule and pays for its scans.

use crate::job::CallerId;
use ibid_model::{AccountId, ProjectId, ScanForm};

/// Outcomes of runs with a result.
pub(super) const WITH_RESULT: [&str; 2] = ["complete", "partial"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScheduleOwner {
    /// A caller of the API. Its own provider key pays.
    Api(CallerId),
    /// An account of the workspace.
    /// It spends a credit, and the operator's key pays.
    Account(AccountId),
    /// A project. The operator's key pays, within its budget and its organisation's.
    Project(ProjectId),
}

impl ScheduleOwner {
    pub fn name(&self) -> String {
        match self {
            Self::Api(caller) => caller.as_str().to_owned(),
            Self::Account(account) => CallerId::of(*account).as_str().to_owned(),
            Self::Project(project) => CallerId::of_project(*project).as_str().to_owned(),
        }
    }

    pub fn named(name: &str) -> Self {
        if let Some(project) = name.strip_prefix("project ").and_then(|id| id.parse().ok()) {
            return Self::Project(project);
        }
        let account = name.strip_prefix("account ").and_then(|id| id.parse().ok());
        account.map_or_else(|| Self::Api(CallerId::stored(name)), Self::Account)
    }

    /// The project that the owner of this name is.
    pub(super) fn project_named(name: &str) -> Option<ProjectId> {
        match Self::named(name) {
            Self::Project(project) => Some(project),
            Self::Api(_) | Self::Account(_) => None,
        }
    }

    pub(crate) const fn form(&self) -> ScanForm {
        match self {
            Self::Api(_) => ScanForm::Byok,
            Self::Account(_) => ScanForm::Workspace,
            Self::Project(_) => ScanForm::Project,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        let key = "nightly".parse().unwrap();
        for owner in [
            ScheduleOwner::Api(CallerId::api()),
            ScheduleOwner::Api(CallerId::of_key(&key)),
            ScheduleOwner::Account(AccountId::random()),
            ScheduleOwner::Project(ProjectId::random()),
        ] {
            assert_eq!(ScheduleOwner::named(&owner.name()), owner);
        }
    }
}
