//! An account in the sandbox, with which its user can sign in at once.

use crate::settings::Settings;
use crate::{sandbox_history, user};
use anyhow::Context;
use ibid_model::{AccountId, Email};
use ibid_service::{OrganisationKey, hash_password};
use ibid_store::{KeyAccess, NewAccount, Role, Store, StoreError};
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};

/// The e-mail address of the account.
const EMAIL: &str = "demo@example.com";
/// Credits that the account has after its history, where each scan took one.
const CREDITS: u32 = 100;

/// What its projects may spend in a month, in millionths of an invented dollar.
const BUDGET: u64 = 100_000_000;
/// The key to all of its projects. It opens a sandbox on loopback only.
const PROJECT_KEY: &str = "ibidp_sandbox";

/// The e-mail address and the password to sign in with.
pub(crate) struct SandboxAccount {
    id: AccountId,
    email: Email,
    password: SecretString,
}

/// Opens the account, or gives it a new password if the database already has it.
/// Has no effect outside the sandbox, or if the server listens on another address than loopback.
pub(crate) fn open(settings: &Settings, store: &Store) -> anyhow::Result<Option<SandboxAccount>> {
    if !settings.sandbox || !settings.bind.ip().is_loopback() {
        return Ok(None);
    }
    let email: Email = EMAIL
        .parse()
        .context("parsing the e-mail address of the sandbox account")?;
    // A random id holds 122 random bits, in characters that are easy to type.
    let password = SecretString::from(AccountId::random().to_string());
    // Another process on the same database may open the account at the same time.
    let (id, hash) = (AccountId::random(), hash_password(&password, EMAIL)?);
    let opened = match store.account(&email)? {
        Some(_) => Err(StoreError::Exists),
        None => {
            let account = NewAccount {
                id,
                email: &email,
                password: &hash,
                credits: CREDITS + sandbox_history::SCANS,
                role: Role::Admin,
            };
            store.open_account(&account, sandbox_history::begins_at().as_millisecond())
        }
    };
    let id = match opened {
        Ok(()) => id,
        Err(StoreError::Exists) => {
            let account = user::find(store, &email)?;
            let now = Timestamp::now().as_millisecond();
            store.set_password(account.id, &hash, now.into())?;
            account.id
        }
        Err(fault) => return Err(fault.into()),
    };
    open_organisation(store, id)?;
    Ok(Some(SandboxAccount { id, email, password }))
}

const ORGANISATION: &str = "Agency";

/// Gives the account an organisation with a budget, and a key that examples can name.
fn open_organisation(store: &Store, account: AccountId) -> anyhow::Result<()> {
    let now = Timestamp::now().as_millisecond();
    let organisation = store
        .own_organisation(account, ORGANISATION, now)?
        .context("the sandbox account manages no organisation")?;
    store.set_organisation_budget(organisation, BUDGET, now)?;
    let key = OrganisationKey {
        organisation,
        owner: Some(account),
        name: "Sandbox",
        access: KeyAccess::Write,
    };
    key.make(store, Some(PROJECT_KEY))?;
    Ok(())
}

impl SandboxAccount {
    pub(crate) const fn id(&self) -> AccountId {
        self.id
    }

    /// Prints the e-mail address and the password on standard output. No log line contains them.
    #[expect(
        clippy::print_stdout,
        reason = "the password is for the person at the terminal"
    )]
    pub(crate) fn show(&self, settings: &Settings) {
        let base = settings.base_url.as_str().trim_end_matches('/');
        println!(
            "Workspace: {base}/sign-in\n  e-mail    {}\n  password  {}\n",
            self.email,
            self.password.expose_secret()
        );
    }
}
