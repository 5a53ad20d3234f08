//! The account of the sandbox: so that whoever tries ibid can sign in at once.

use crate::settings::Settings;
use crate::user;
use anyhow::Context;
use ibid_model::Email;
use ibid_service::hash_password;
use ibid_store::{Store, StoreError};
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};

/// Its address.
const EMAIL: &str = "demo@example.com";
/// Its credits.
const CREDITS: u32 = 100;

/// What to sign in with.
pub(crate) struct Guest {
    email: Email,
    password: SecretString,
}

/// Opens the account, or gives it a new password if the database has it from before. Only in the sandbox, and only
/// where nobody else can reach the server.
///
/// # Errors
/// The fault of the database.
pub(crate) fn open(settings: &Settings, store: &dyn Store) -> anyhow::Result<Option<Guest>> {
    if !settings.sandbox || !settings.bind.ip().is_loopback() {
        return Ok(None);
    }
    let email: Email = EMAIL.parse().context("the address of the sandbox")?;
    // A random id is 122 random bits, in letters that can be typed.
    let password = SecretString::from(ibid_model::AccountId::random().to_string());
    // Another process on the same database may be opening it, too: then it is there.
    let opened = match store.account(&email)? {
        Some(_) => Err(StoreError::Exists.into()),
        None => user::open(store, &email, &password, CREDITS),
    };
    if let Err(error) = opened {
        match error.downcast::<StoreError>()? {
            StoreError::Exists => {}
            fault => return Err(fault.into()),
        }
        let account = user::find(store, &email)?;
        let now = Timestamp::now().as_millisecond();
        store.set_password(account.id, &hash_password(&password)?, now)?;
    }
    Ok(Some(Guest { email, password }))
}

impl Guest {
    /// Shows it to the person at the terminal; no log has it.
    #[expect(clippy::print_stdout, reason = "the one place where the password is shown")]
    pub(crate) fn show(&self, settings: &Settings) {
        let base = settings.base_url.as_str().trim_end_matches('/');
        println!(
            "Workspace: {base}/sign-in\n  e-mail    {}\n  password  {}\n",
            self.email,
            self.password.expose_secret()
        );
    }
}
