//! `ibid-server project`: the budgets of organisations and their keys, for the operator.
//!
//! The command works on `DATABASE_URL` directly, also while a server is running.

use crate::database;
use crate::settings::Settings;
use crate::user;
use anyhow::{Context, bail};
use clap::{Subcommand, ValueEnum};
use ibid_model::{Email, OrganisationId, UsdMicros};
use ibid_service::OrganisationKey;
use ibid_store::{KeyAccess, Store};
use jiff::Timestamp;

/// Subcommands of `ibid-server project`.
#[derive(Subcommand)]
pub(crate) enum Project {
    /// Set what the runs of all projects of an organisation may cost in a calendar month (UTC); it begins with 0
    Budget {
        /// E-mail address of an admin of the organisation
        #[arg(value_parser = Email::stored)]
        email: Email,
        /// Dollars, such as 25 or 2.50
        dollars: f64,
    },
    /// Make a key to every project of an organisation and print it; it cannot be printed again
    Key {
        /// E-mail address of an admin of the organisation
        #[arg(value_parser = Email::stored)]
        email: Email,
        /// Name of the key in lists
        name: String,
        /// What it may do
        #[arg(long, value_enum, default_value_t = Access::Read)]
        access: Access,
    },
    /// Name a member the admin of the organisations of that person that have none; they rest until then
    Admin {
        /// E-mail address of the member
        #[arg(value_parser = Email::stored)]
        email: Email,
    },
}

/// What a key may do.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Access {
    /// Read
    Read,
    /// Read and start runs
    Run,
    /// Everything, also make projects
    Write,
}

/// Runs the subcommand and prints its result.
///
/// # Errors
/// There is no such account, it manages no organisation, or the database cannot be opened.
pub(crate) fn run(settings: &Settings, project: &Project) -> anyhow::Result<()> {
    let store = database::open_existing(settings)?;
    crate::print(&act(&store, project)?);
    Ok(())
}

fn act(store: &Store, project: &Project) -> anyhow::Result<String> {
    Ok(match project {
        Project::Budget { email, dollars } => {
            let budget =
                UsdMicros::from_dollars(*dollars).context("a budget is a number of dollars, 0 or more")?;
            let organisation = organisation_of(store, email)?;
            let now = Timestamp::now().as_millisecond();
            store.set_organisation_budget(organisation, budget.get(), now)?;
            format!("the projects of {email} may spend {budget} a month\n")
        }
        Project::Key { email, name, access } => {
            let key = OrganisationKey {
                organisation: organisation_of(store, email)?,
                owner: Some(user::find(store, email)?.id),
                name,
                access: match access {
                    Access::Read => KeyAccess::Read,
                    Access::Run => KeyAccess::Run,
                    Access::Write => KeyAccess::Write,
                },
            };
            format!("{}\n", key.make(store, None)?)
        }
        Project::Admin { email } => {
            let account = user::find(store, email)?;
            match store.name_admin(account.id, Timestamp::now().as_millisecond())? {
                0 => bail!("{email} is a member of no organisation without an admin"),
                number => format!("{email} is the admin of {number} more\n"),
            }
        }
    })
}

/// The organisation that an account manages.
pub(crate) fn organisation_of(store: &Store, email: &Email) -> anyhow::Result<OrganisationId> {
    let account = user::find(store, email)?;
    let now = Timestamp::now().as_millisecond();
    let Some(organisation) = store.own_organisation(account.id, email.as_str(), now)? else {
        bail!("{email} is a member of an organisation and manages none");
    };
    Ok(organisation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_store::{NewAccount, Role};

    #[test]
    fn a_budget_is_set_and_a_key_is_made_for_an_admin() {
        let store = std::sync::Arc::new(Store::open(&ibid_store::StoreUrl::Memory).unwrap());
        let email: Email = "ada@example.com".parse().unwrap();
        let budget = |dollars| {
            let email = email.clone();
            act(&store, &Project::Budget { email, dollars }).map_err(|error| error.to_string())
        };
        assert!(budget(2.5).unwrap_err().contains("no account"));
        let account = NewAccount {
            id: ibid_model::AccountId::random(),
            email: &email,
            password: "x",
            credits: 0,
            role: Role::Member,
        };
        store.open_account(&account, 1).unwrap();
        assert!(budget(-1.0).is_err());
        assert!(budget(2.5).unwrap().contains("$2.50 a month"));
        assert_eq!(store.organisations(account.id).unwrap()[0].budget, 2_500_000);
        let key = Project::Key {
            email: email.clone(),
            name: "CI".to_owned(),
            access: Access::Write,
        };
        let key = act(&store, &key).unwrap();
        assert!(key.starts_with(ibid_service::KEY_PREFIX), "{key}");
    }
}
