//! `ibid-server user`: the accounts of the workspace, for the operator.
//!
//! The command works on `DATABASE_URL` directly, also while a server is running. It asks for a password, or reads it
//! from the first line of standard input, never from the command line: process lists show arguments to every user.

use crate::database;
use crate::evidence::{self, EvidenceReader};
use crate::settings::Settings;
use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use ibid_model::{AccountId, Email, UsdMicros};
use ibid_service::{AccountExport, EvidenceStore, end_scan, hash_password, one_time_link};
use ibid_store::{AccountRecord, LogEntry, NewAccount, Role, RunQuery, Store, StoreError};
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, IsTerminal, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// Subcommands of `ibid-server user`.
#[derive(Subcommand)]
pub(crate) enum User {
    /// Open an account; asks for its password
    Add {
        /// E-mail address
        email: Email,
        /// Credits to begin with; one credit pays for one scan
        #[arg(long, default_value_t = 0)]
        credits: u32,
        /// Role: admin, member or viewer
        #[arg(long, default_value = "member")]
        role: Role,
    },
    /// List the accounts
    List,
    /// Give credits, or take them away with a negative number
    Credits {
        /// E-mail address
        #[arg(value_parser = Email::stored)]
        email: Email,
        /// Number of credits, such as 10 or -3
        #[arg(allow_negative_numbers = true)]
        amount: i32,
    },
    /// Set the role: an admin manages accounts, keys and budgets; a viewer only reads
    Role {
        /// E-mail address
        #[arg(value_parser = Email::stored)]
        email: Email,
        /// admin, member or viewer
        role: Role,
    },
    /// Set the budget of a calendar month (UTC); a scan that would exceed it is refused
    Budget {
        /// E-mail address
        #[arg(value_parser = Email::stored)]
        email: Email,
        /// Dollars, such as 25 or 2.50; "none" for no bound
        dollars: Budget,
    },
    /// Set a new password; ends every session of the account
    Passwd(Who),
    /// Print a link that sets a password and signs in, once and within three days, also where PASSWORD_SIGN_IN is off
    Link(Who),
    /// Turn the code of two-step sign-in off, for a person who has lost the app and the recovery codes
    TwoStepOff(Who),
    /// Disable an account; ends every session of it and keeps its scans
    Disable(Who),
    /// Enable a disabled account
    Enable(Who),
    /// Write everything that the account has to a new JSON file that only its owner can read
    Export {
        /// E-mail address
        #[arg(value_parser = Email::stored)]
        email: Email,
        /// The file
        file: PathBuf,
    },
    /// Delete the account with its scans, audits and log; credits and receipts stay without the address
    Delete {
        /// E-mail address
        #[arg(value_parser = Email::stored)]
        email: Email,
        /// Delete without asking
        #[arg(long)]
        yes: bool,
    },
    /// Print the log of account changes and actions, latest first
    Log {
        /// E-mail address; without one, all accounts
        #[arg(value_parser = Email::stored)]
        email: Option<Email>,
        /// Maximum number of entries to print
        #[arg(long, default_value_t = 100)]
        most: u32,
    },
}

/// The account that a command is about.
#[derive(Args)]
pub(crate) struct Who {
    /// E-mail address
    #[arg(value_parser = Email::stored)]
    email: Email,
}

/// The budget of a month.
#[derive(Clone, Copy)]
pub(crate) struct Budget(Option<UsdMicros>);

impl FromStr for Budget {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        if text == "none" {
            return Ok(Self(None));
        }
        let budget = text.parse().ok().and_then(UsdMicros::from_dollars);
        let budget = budget.context("a budget is a number of dollars, or none")?;
        Ok(Self(Some(budget)))
    }
}

/// Runs the subcommand and prints its result.
///
/// # Errors
/// There is no such account, the address already has one, the password cannot be set, or the database cannot be opened.
pub(crate) fn run(settings: &Settings, user: &User) -> anyhow::Result<()> {
    let store = database::open_existing(settings)?;
    let base = settings.base_url.as_str().trim_end_matches('/');
    let done = act(&store, base, user, &ask_password, &|| evidence::open(settings))?;
    crate::print(&done);
    Ok(())
}

fn act(
    store: &Arc<Store>,
    base: &str,
    user: &User,
    password: &dyn Fn() -> anyhow::Result<SecretString>,
    objects: &dyn Fn() -> anyhow::Result<Option<EvidenceStore>>,
) -> anyhow::Result<String> {
    let now = Timestamp::now().as_millisecond();
    let report = match user {
        User::Add { email, credits, role } => {
            if store.account(email)?.is_some() {
                bail!("{email} already has an account");
            }
            open(store, email, &password()?, (*credits, *role))?;
            format!("{email} has an account with {credits} credits\n")
        }
        User::List => list(&store.accounts()?)?,
        User::Credits { email, amount } => {
            let account = find(store, email)?;
            match store.move_credits(account.id, i64::from(*amount), now.into()) {
                Ok(balance) => format!("{email} has {balance} credits\n"),
                Err(StoreError::NoCredit) => bail!("{email} has only {} credits", account.credits),
                Err(error) => return Err(error.into()),
            }
        }
        User::Role { email, role } => {
            store.set_role(find(store, email)?.id, *role, now.into())?;
            format!("{email} is {}\n", role.as_str())
        }
        User::Budget { email, dollars } => {
            let budget = dollars.0.map(UsdMicros::get);
            store.set_budget(find(store, email)?.id, budget, now.into())?;
            match dollars.0 {
                Some(budget) => format!("{email} may spend {budget} a month\n"),
                None => format!("{email} has no budget bound\n"),
            }
        }
        User::Passwd(Who { email }) => {
            let account = find(store, email)?;
            store.set_password(
                account.id,
                &hash_password(&password()?, email.as_str())?,
                now.into(),
            )?;
            format!("{email} has a new password; its sessions are ended\n")
        }
        User::Link(Who { email }) => {
            let (token, link) = one_time_link(find(store, email)?.id, now)?;
            store.put_link(&link, now.into())?;
            format!("{base}/set-password/{token}\n")
        }
        User::TwoStepOff(Who { email }) => {
            if store.remove_second_factor(find(store, email)?.id, now.into())? {
                format!("{email} signs in with the password alone\n")
            } else {
                format!("nothing was changed: {email} has no two-step sign-in\n")
            }
        }
        User::Disable(Who { email }) => {
            store.set_disabled(find(store, email)?.id, true, now.into())?;
            format!("{email} is disabled; its sessions are ended\n")
        }
        User::Enable(Who { email }) => {
            store.set_disabled(find(store, email)?.id, false, now.into())?;
            format!("{email} is enabled\n")
        }
        User::Export { email, file } => {
            let reader = EvidenceReader::new(store, objects()?)?;
            let bytes = export((&**store, &reader), find(store, email)?, file)
                .with_context(|| format!("writing {}", file.display()))?;
            format!("{bytes} bytes are in {}\n", file.display())
        }
        User::Delete { email, yes } => {
            let account = find(store, email)?;
            if !yes {
                bail!("nothing was deleted: add --yes to delete {email} with all its scans for good");
            }
            delete(store, account.id, now)?;
            format!("{email} is deleted\n")
        }
        User::Log { email, most } => {
            let account = email.as_ref().map(|email| find(store, email)).transpose()?;
            log(&store.account_log(account.map(|account| account.id), *most)?)?
        }
    };
    Ok(report)
}

/// Opens an account.
///
/// # Errors
/// The password cannot be set, the address already has an account, or the database failed.
pub(crate) fn open(
    store: &Store,
    email: &Email,
    password: &SecretString,
    (credits, role): (u32, Role),
) -> anyhow::Result<()> {
    let hash = hash_password(password, email.as_str())?;
    let account = NewAccount {
        id: AccountId::random(),
        email,
        password: &hash,
        credits,
        role,
    };
    Ok(store.open_account(&account, Timestamp::now().as_millisecond())?)
}

/// Writes the data of an account to a new file. Returns its size.
fn export(
    (store, reader): (&Store, &EvidenceReader),
    account: AccountRecord,
    file: &Path,
) -> anyhow::Result<u64> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(file)?;
    let mut export = AccountExport::begin(store, account, Timestamp::now().as_millisecond())?;
    while let Some(part) = reader.wait(export.next(&reader.evidence))? {
        file.write_all(&part)?;
    }
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

/// Ends the running scans of an account and deletes it.
fn delete(store: &Store, account: AccountId, now: i64) -> anyhow::Result<()> {
    let query = RunQuery {
        most: 10_000,
        ..RunQuery::default()
    };
    for run in store.find_runs(account, &query)?.rows {
        end_scan(store, run.id)?;
    }
    match store.delete_account(account, now.into()) {
        Err(StoreError::Lost) => bail!("a scan of the account began meanwhile: try again"),
        deleted => Ok(deleted?),
    }
}

pub(crate) fn find(store: &Store, email: &Email) -> anyhow::Result<AccountRecord> {
    let found = store.account(email)?;
    found.with_context(|| format!("there is no account for {email}"))
}

fn list(accounts: &[AccountRecord]) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    if accounts.is_empty() {
        writeln!(text, "There are no accounts.")?;
    }
    let widest = accounts.iter().map(|account| account.email.chars().count()).max();
    for account in accounts {
        let disabled = if account.disabled { "  disabled" } else { "" };
        let role = account.role.as_str();
        writeln!(
            text,
            "{:<width$}  {role:<6}  {:>6} credits  since {}{disabled}",
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
        if let Some(by) = &entry.by {
            write!(text, "  by {by}")?;
        }
        text.push('\n');
    }
    Ok(text)
}

pub(crate) fn moment(millis: i64) -> String {
    let at = Timestamp::from_millisecond(millis).unwrap_or_default();
    at.strftime("%Y-%m-%d %H:%M:%SZ").to_string()
}

/// Asks twice at the terminal, without echo. Without a terminal, reads the first line of standard input.
fn ask_password() -> anyhow::Result<SecretString> {
    if std::io::stdin().is_terminal() {
        let first = SecretString::from(rpassword::prompt_password("Password: ")?);
        let second = SecretString::from(rpassword::prompt_password("Repeat the password: ")?);
        if first.expose_secret().is_empty() {
            bail!("nothing was typed: the account was not changed");
        }
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
    let password = line.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        bail!("there is no password: type it at a terminal, or write it as one line to standard input");
    }
    Ok(SecretString::from(password.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(email: &Email) -> Who {
        let email = email.clone();
        Who { email }
    }

    #[test]
    fn accounts_are_opened_changed_and_listed() {
        let store = Arc::new(Store::open(&ibid_store::StoreUrl::Memory).unwrap());
        let email: Email = "Ada@example.com".parse().unwrap();
        let password = || Ok(SecretString::from("correct horse battery".to_owned()));
        let run = |user: User| {
            act(&store, "http://ibid.test", &user, &password, &|| Ok(None)).map_err(|error| error.to_string())
        };
        assert!(run(User::List).unwrap().contains("no accounts"));
        let add = || User::Add {
            email: email.clone(),
            credits: 3,
            role: Role::Member,
        };
        run(add()).unwrap();
        assert!(run(add()).unwrap_err().contains("already has an account"));
        let credits = |amount| User::Credits {
            email: email.clone(),
            amount,
        };
        assert!(run(credits(4)).unwrap().contains("7 credits"));
        assert!(run(credits(-8)).unwrap_err().contains("only 7"));
        let role = User::Role {
            email: email.clone(),
            role: Role::Admin,
        };
        assert_eq!(run(role).unwrap(), "ada@example.com is admin\n");
        for (text, said) in [("2.50", "$2.50"), ("none", "no budget bound")] {
            let budget = User::Budget {
                email: email.clone(),
                dollars: text.parse().unwrap(),
            };
            assert!(run(budget).unwrap().contains(said), "{text}");
        }
        assert!("x".parse::<Budget>().is_err() && "-1".parse::<Budget>().is_err());
        let before = store.account(&email).unwrap().unwrap().password;
        run(User::Passwd(who(&email))).unwrap();
        assert_ne!(store.account(&email).unwrap().unwrap().password, before);
        let account = store.account(&email).unwrap().unwrap().id;
        store.begin_second_factor(account, &[7; 20]).unwrap();
        assert!(store.confirm_second_factor(account, 1, &[], 1).unwrap());
        for said in ["the password alone", "nothing was changed"] {
            let reset = run(User::TwoStepOff(who(&email)));
            assert!(reset.unwrap().contains(said), "{said}");
        }
        // The last admin stays.
        let disable = || run(User::Disable(who(&email)));
        assert!(disable().unwrap_err().contains("last admin"));
        let other = User::Add {
            email: "grace@example.com".parse().unwrap(),
            credits: 0,
            role: Role::Admin,
        };
        run(other).unwrap();
        disable().unwrap();
        let listed = run(User::List).unwrap();
        assert!(
            listed.contains("ada@example.com") && listed.contains("disabled"),
            "{listed}"
        );
        run(User::Enable(who(&email))).unwrap();
        let logged = run(User::Log {
            email: Some(email.clone()),
            most: 19,
        });
        let logged = logged.unwrap();
        for word in [
            "opened", "credits", "role", "budget", "password", "disabled", "enabled",
        ] {
            assert!(logged.contains(word), "{logged}");
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ada.json");
        let export = || User::Export {
            email: email.clone(),
            file: file.clone(),
        };
        assert!(run(export()).unwrap().contains("bytes are in"));
        let written: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        assert_eq!(written["account"]["email"], "ada@example.com");
        assert_eq!(written["movements"].as_array().unwrap().len(), 2);
        assert!(!written.to_string().contains("argon2"));
        assert!(run(export()).unwrap_err().contains("writing"));
        let delete = |yes| User::Delete {
            email: email.clone(),
            yes,
        };
        assert!(run(delete(false)).unwrap_err().contains("--yes"));
        assert!(run(delete(true)).unwrap().contains("is deleted"));
        assert!(run(delete(true)).unwrap_err().contains("no account"));
        let unknown = User::Disable(who(&"unknown@example.com".parse().unwrap()));
        assert!(run(unknown).unwrap_err().contains("no account"));
    }
}
