//! `ibid-server runs`: queued and running scans of all owners, for the operator.
//!
//! The command works on `DATABASE_URL` directly, also while a server is running.

use crate::database;
use crate::settings::Settings;
use anyhow::bail;
use clap::Subcommand;
use ibid_model::ScanId;
use ibid_service::{cancel_scan, open_scans};
use ibid_store::{CancelOutcome, Store};
use jiff::Timestamp;
use std::fmt::Write as _;

/// The output where there is no scan to list or to cancel.
const NONE: &str = "No scan is queued or running.\n";

/// Subcommands of `ibid-server runs`.
#[derive(Subcommand)]
pub(crate) enum Runs {
    /// List the scans that have not ended, the oldest first
    List {
        /// Owner as the list names it, such as "key shop" or an e-mail address
        #[arg(long)]
        owner: Option<String>,
    },
    /// Cancel scans; what was answered is scored, and one that has not begun ends at once
    Cancel {
        /// Ids of the scans
        #[arg(required_unless_present = "owner")]
        ids: Vec<ScanId>,
        /// All scans of this owner, as the list names it
        #[arg(long, conflicts_with = "ids")]
        owner: Option<String>,
    },
}

/// Runs the subcommand and prints its result.
///
/// # Errors
/// There is no such scan, or the database cannot be opened.
#[expect(
    clippy::print_stdout,
    reason = "the result is for the operator at the terminal"
)]
pub(crate) fn run(settings: &Settings, runs: &Runs) -> anyhow::Result<()> {
    let store = database::open_existing(settings)?;
    print!("{}", act(&*store, runs)?);
    Ok(())
}

fn act(store: &dyn Store, runs: &Runs) -> anyhow::Result<String> {
    match runs {
        Runs::List { owner } => list(store, owner.as_deref()),
        Runs::Cancel { ids, owner } => {
            let mut ids = ids.clone();
            if let Some(owner) = owner {
                let open = open_scans(store, Some(owner), u32::MAX)?;
                ids.extend(open.iter().map(|scan| scan.run.id));
            }
            cancel(store, &ids)
        }
    }
}

fn list(store: &dyn Store, owner: Option<&str>) -> anyhow::Result<String> {
    let mut text = String::new();
    for scan in open_scans(store, owner, u32::MAX)? {
        let run = &scan.run;
        let at = Timestamp::from_millisecond(run.created_at).unwrap_or_default();
        writeln!(
            text,
            "{}  {}  {}  {}/{}  {}  {}  {}",
            run.id,
            at.strftime("%Y-%m-%d %H:%M:%SZ"),
            scan.state(),
            run.stored,
            run.calls,
            scan.owner,
            run.subject.domain,
            run.subject.keyword,
        )?;
    }
    if text.is_empty() {
        text.push_str(NONE);
    }
    Ok(text)
}

fn cancel(store: &dyn Store, ids: &[ScanId]) -> anyhow::Result<String> {
    let mut text = String::new();
    for id in ids {
        match cancel_scan(store, *id)? {
            CancelOutcome::Cancelled => writeln!(text, "{id} is cancelled")?,
            CancelOutcome::Ended => writeln!(text, "{id} has ended already")?,
            CancelOutcome::Unknown => bail!("{text}there is no scan {id}"),
        }
    }
    if text.is_empty() {
        text.push_str(NONE);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_model::{AccountId, Email};
    use ibid_store::{NewAccount, NewDurableRun, Role, RunSubject};

    #[test]
    fn scans_are_listed_by_owner_and_cancelled() {
        let store = ibid_store::open(&ibid_store::StoreUrl::Memory).unwrap();
        let run = |runs: Runs| act(&*store, &runs).map_err(|error| format!("{error:#}"));
        let list = |owner: Option<&str>| {
            run(Runs::List {
                owner: owner.map(str::to_owned),
            })
            .unwrap()
        };
        assert_eq!(list(None), NONE);
        let email: Email = "ada@example.com".parse().unwrap();
        let account = NewAccount {
            id: AccountId::random(),
            email: &email,
            password: "",
            credits: 3,
            role: Role::Member,
        };
        store.open_account(&account, 0).unwrap();
        let ids = [(); 3].map(|()| ScanId::random());
        let of_account = format!("account {}", account.id);
        for (id, tenant) in ids.into_iter().zip(["key shop", "key shop", of_account.as_str()]) {
            let subject = RunSubject {
                domain: "example.com".into(),
                keyword: "plumber".into(),
                ..RunSubject::default()
            };
            let new = NewDurableRun {
                id,
                tenant,
                priority: 3,
                document: b"{}",
                plan: None,
                calls: 6,
                created_at: 0,
                secret: None,
                subject: &subject,
            };
            store.open_run(&new).unwrap();
        }
        let line = format!(
            "{}  1970-01-01 00:00:00Z  queued  0/6  ada@example.com  example.com  plumber\n",
            ids[2]
        );
        assert_eq!(list(Some("Ada@example.com")), line);
        assert_eq!(list(Some("key shop")).lines().count(), 2);
        assert_eq!(list(None).lines().count(), 3);
        let cancel = |ids: &[ScanId], owner: Option<&str>| {
            run(Runs::Cancel {
                ids: ids.to_vec(),
                owner: owner.map(str::to_owned),
            })
        };
        assert_eq!(
            cancel(&ids[2..], None).unwrap(),
            format!("{} is cancelled\n", ids[2])
        );
        assert_eq!(
            cancel(&ids[2..], None).unwrap(),
            format!("{} has ended already\n", ids[2])
        );
        assert!(
            cancel(&[ScanId::random()], None)
                .unwrap_err()
                .starts_with("there is no scan ")
        );
        assert_eq!(cancel(&[], Some("key shop")).unwrap().lines().count(), 2);
        assert_eq!(list(None), NONE);
    }
}
