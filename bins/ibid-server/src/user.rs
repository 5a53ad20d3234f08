//! `ibid-server user`: the accounts of the workspace, for the operator.
//!
//! Works on `DATABASE_URL` directly, beside a running server too. A password is asked for, or read from the first line
//! of standard input; never from the command line, where every user of the machine could read it.

use crate::settings::Settings;
use anyhow::{Context, bail};
use clap::Subcommand;
use ibid_model::{AccountId, Email};
use ibid_service::hash_password;
use ibid_store::{AccountRecord, LogEntry, NewAccount, Store, StoreError};
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal};
use std::sync::Arc;

/// What is done to accounts.
#[derive(Subcommand)]
pub(crate) enum User {
    /// Open an account. Asks for its password.
    Add {
        /// E-mail address.
        email: Email,
        /// Credits to begin with; one is one scan.
        #[arg(long, default_value_t = 0)]
        credits: u32,
    },
    /// List the accounts.
    List,
    /// Give credits, or take them away with a negative number.
    Credits {
        /// E-mail address.
        email: Email,
        /// How many, such as 10 or -3.
        #[arg(allow_negative_numbers = true)]
        amount: i32,
    },
    /// Set another password. Ends every session of the account.
    Passwd {
        /// E-mail address.
        email: Email,
    },
    /// Shut an account. Ends every session of it; its scans stay.
    Disable {
        /// E-mail address.
        email: Email,
    },
    /// Open a shut account again.
    Enable {
        /// E-mail address.
        email: Email,
    },
    /// Print what was done to accounts and by them, the latest first.
    Log {
        /// E-mail address; all accounts without one.
        email: Option<Email>,
        /// Most entries to print.
        #[arg(long, default_value_t = 100)]
        most: u32,
    },
}

/// Does it and says what was done.
///
/// # Errors
/// No such account, an address that has one, a password that cannot be set, a database that cannot be opened.
#[expect(clippy::print_stdout, reason = "the operator at the terminal waits for it")]
pub(crate) fn run(settings: &Settings, user: &User) -> anyhow::Result<()> {
    let store = ibid_store::open(&settings.store).with_context(|| format!("opening {}", settings.store))?;
    print!("{}", act(&store, user, &ask_password)?);
    Ok(())
}

fn act(
    store: &Arc<dyn Store>,
    user: &User,
    password: &dyn Fn() -> anyhow::Result<SecretString>,
) -> anyhow::Result<String> {
    let now = Timestamp::now().as_millisecond();
    let said = match user {
        User::Add { email, credits } => {
            if store.account(email)?.is_some() {
                bail!("{email} has an account");
            }
            open(&**store, email, &password()?, *credits)?;
            format!("{email} has an account with {credits} credits\n")
        }
        User::List => list(&store.accounts()?)?,
        User::Credits { email, amount } => {
            let account = find(&**store, email)?;
            match store.move_credits(account.id, i64::from(*amount), now) {
                Ok(balance) => format!("{email} has {balance} credits\n"),
                Err(StoreError::NoCredit) => bail!("{email} has only {} credits", account.credits),
                Err(error) => return Err(error.into()),
            }
        }
        User::Passwd { email } => {
            let account = find(&**store, email)?;
            store.set_password(account.id, &hash_password(&password()?)?, now)?;
            format!("{email} has another password, and no session any more\n")
        }
        User::Disable { email } => {
            store.set_disabled(find(&**store, email)?.id, true, now)?;
            format!("{email} is shut, and has no session any more\n")
        }
        User::Enable { email } => {
            store.set_disabled(find(&**store, email)?.id, false, now)?;
            format!("{email} is open\n")
        }
        User::Log { email, most } => {
            let account = email.as_ref().map(|email| find(&**store, email)).transpose()?;
            log(&store.account_log(account.map(|account| account.id), *most)?)?
        }
    };
    Ok(said)
}

/// Opens an account.
///
/// # Errors
/// A password that cannot be set, an address that has an account, the fault of the database.
pub(crate) fn open(
    store: &dyn Store,
    email: &Email,
    password: &SecretString,
    credits: u32,
) -> anyhow::Result<()> {
    let hash = hash_password(password)?;
    let account = NewAccount {
        id: AccountId::random(),
        email,
        password: &hash,
        credits,
    };
    Ok(store.open_account(&account, Timestamp::now().as_millisecond())?)
}

pub(crate) fn find(store: &dyn Store, email: &Email) -> anyhow::Result<AccountRecord> {
    let found = store.account(email)?;
    found.with_context(|| format!("there is no account of {email}"))
}

fn list(accounts: &[AccountRecord]) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    if accounts.is_empty() {
        writeln!(text, "There are no accounts.")?;
    }
    let widest = accounts.iter().map(|account| account.email.chars().count()).max();
    for account in accounts {
        let shut = if account.disabled { "  shut" } else { "" };
        writeln!(
            text,
            "{:<width$}  {:>6} credits  since {}{shut}",
            account.email,
            account.credits,
            moment(account.created_at),
            width = widest.unwrap_or_default()
        )?;
    }
    Ok(text)
}

fn log(entries: &[LogEntry]) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    for entry in entries {
        write!(
            text,
            "{}  {}  {}",
            moment(entry.at),
            entry.email,
            entry.action.as_str()
        )?;
        if let Some(scan) = entry.scan {
            write!(text, "  {scan}")?;
        }
        text.push('\n');
    }
    Ok(text)
}

fn moment(millis: i64) -> String {
    let at = Timestamp::from_millisecond(millis).unwrap_or_default();
    at.strftime("%Y-%m-%d %H:%M:%SZ").to_string()
}

/// Asks at the terminal, twice and unseen; without one takes the first line of standard input.
fn ask_password() -> anyhow::Result<SecretString> {
    if std::io::stdin().is_terminal() {
        let first = SecretString::from(rpassword::prompt_password("Password: ")?);
        let second = SecretString::from(rpassword::prompt_password("Once more: ")?);
        if first.expose_secret() != second.expose_secret() {
            bail!("the two passwords differ");
        }
        return Ok(first);
    }
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .context("reading the password")?;
    Ok(SecretString::from(line.trim_end_matches(['\r', '\n']).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_opened_changed_and_listed() {
        let store = ibid_store::open(&ibid_store::StoreUrl::Memory).unwrap();
        let email: Email = "Ada@example.com".parse().unwrap();
        let password = || Ok(SecretString::from("correct horse battery".to_owned()));
        let run = |user: User| act(&store, &user, &password).map_err(|error| error.to_string());
        assert!(run(User::List).unwrap().contains("no accounts"));
        let add = || User::Add {
            email: email.clone(),
            credits: 3,
        };
        run(add()).unwrap();
        assert!(run(add()).unwrap_err().contains("has an account"));
        let credits = |amount| User::Credits {
            email: email.clone(),
            amount,
        };
        assert!(run(credits(4)).unwrap().contains("7 credits"));
        assert!(run(credits(-8)).unwrap_err().contains("only 7"));
        let before = store.account(&email).unwrap().unwrap().password;
        run(User::Passwd { email: email.clone() }).unwrap();
        assert_ne!(store.account(&email).unwrap().unwrap().password, before);
        run(User::Disable { email: email.clone() }).unwrap();
        let listed = run(User::List).unwrap();
        assert!(
            listed.contains("ada@example.com") && listed.contains("shut"),
            "{listed}"
        );
        run(User::Enable { email: email.clone() }).unwrap();
        let logged = run(User::Log {
            email: Some(email.clone()),
            most: 9,
        });
        let logged = logged.unwrap();
        for word in ["opened", "credits", "password", "disabled", "enabled"] {
            assert!(logged.contains(word), "{logged}");
        }
        let nobody = User::Disable {
            email: "nobody@example.com".parse().unwrap(),
        };
        assert!(run(nobody).unwrap_err().contains("no account"));
    }
}
