//! `ibid-server work`: queued and running scans, and scans that repeat, of all owners, for the operator.
//!
//! The command works on `DATABASE_URL` directly, also while a server is running. A server looks for due schedules once a minute.

use crate::database;
use crate::settings::Settings;
use crate::user::moment;
use anyhow::{Context, bail};
use clap::Subcommand;
use ibid_model::{ScanId, ScheduleId};
use ibid_service::{ScheduleOwner, ScheduleView, cancel_scan, next_due, open_scans};
use ibid_store::{CancelOutcome, ScheduleRecord, ScheduleStarted, Store};
use jiff::Timestamp;
use serde_json::Value;
use std::fmt::Write as _;

/// The output where there is no scan to list or to cancel.
const NONE: &str = "No scan is queued or running.\n";

/// Subcommands of `ibid-server work`.
#[derive(Subcommand)]
pub(crate) enum Work {
    /// List the scans that have not ended, the oldest first, and the schedules
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
    /// Pause a schedule
    Pause {
        /// Id of the schedule
        id: ScheduleId,
    },
    /// End a pause
    Resume {
        /// Id of the schedule
        id: ScheduleId,
    },
    /// Delete a schedule and its alerts; its scans stay
    Remove {
        /// Id of the schedule
        id: ScheduleId,
    },
    /// Run a schedule now, paused or not; the server begins within a minute
    Run {
        /// Id of the schedule
        id: ScheduleId,
    },
}

/// Runs the subcommand and prints its result.
///
/// # Errors
/// There is no such scan or schedule, or the database cannot be opened.
pub(crate) fn run(settings: &Settings, work: &Work) -> anyhow::Result<()> {
    let store = database::open_existing(settings)?;
    crate::print(&act(&store, work, Timestamp::now())?);
    Ok(())
}

fn act(store: &Store, work: &Work, now: Timestamp) -> anyhow::Result<String> {
    let millis = now.as_millisecond();
    Ok(match work {
        Work::List { owner } => {
            let owner = owner.as_deref();
            scans(store, owner)? + &schedules(store, owner, now)?
        }
        Work::Cancel { ids, owner } => {
            let mut ids = ids.clone();
            if let Some(owner) = owner {
                let open = open_scans(store, Some(owner), u32::MAX)?;
                ids.extend(open.iter().map(|scan| scan.run.id));
            }
            cancel(store, &ids)?
        }
        Work::Pause { id } => {
            if !store.pause_schedule(*id, millis)? {
                bail!("there is no schedule {id}");
            }
            format!("{id} is paused\n")
        }
        Work::Resume { id } => {
            let view = ScheduleView::of(store, get(store, *id)?, now)?;
            let next = next_due(&view.recurrence, *id, now);
            store.resume_schedule(*id, next.map(Timestamp::as_millisecond))?;
            format!("{id} runs next at {}\n", said(&view, next))
        }
        Work::Remove { id } => {
            let found = store.schedule(*id)?;
            let owner = found.map(|schedule| ScheduleOwner::named(&schedule.owner));
            if matches!(owner, Some(ScheduleOwner::Project(_))) {
                bail!("{id} is the schedule of a project: pause it, or delete the project");
            }
            if !store.delete_schedule(*id)? {
                bail!("there is no schedule {id}");
            }
            format!("{id} is deleted; its scans stay\n")
        }
        Work::Run { id } => match store.fire_schedule_now(*id, None, millis, millis)? {
            ScheduleStarted::Begun => format!("{id} is due; the server begins within a minute\n"),
            ScheduleStarted::StillRunning => bail!("a run of {id} is under way"),
            ScheduleStarted::Lost => bail!("there is no schedule {id}"),
        },
    })
}

fn scans(store: &Store, owner: Option<&str>) -> anyhow::Result<String> {
    let mut text = String::new();
    for scan in open_scans(store, owner, u32::MAX)? {
        let run = &scan.run;
        writeln!(
            text,
            "{}  {}  {}  {}/{}  {}  {}  {}",
            run.id,
            moment(run.created_at),
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

fn cancel(store: &Store, ids: &[ScanId]) -> anyhow::Result<String> {
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

fn get(store: &Store, id: ScheduleId) -> anyhow::Result<ScheduleRecord> {
    store
        .schedule(id)?
        .with_context(|| format!("there is no schedule {id}"))
}

fn schedules(store: &Store, owner: Option<&str>, now: Timestamp) -> anyhow::Result<String> {
    let mut text = String::new();
    for record in store.schedules(None)? {
        let named = owner_of(store, &record)?;
        if owner.is_some_and(|owner| !owner.eq_ignore_ascii_case(&named)) {
            continue;
        }
        let view = ScheduleView::of(store, record, now)?;
        let next = said(&view, view.next.first().copied());
        let state = match (view.record.paused_at, view.record.failures) {
            (Some(_), _) => "paused".to_owned(),
            (None, 0) => format!("next {next}"),
            (None, failures) => format!("next {next}, {failures} failed in a row"),
        };
        let word = |name: &str| view.order.get(name).and_then(Value::as_str).unwrap_or_default();
        writeln!(
            text,
            "{}  {named}  {}  {}  {}  {state}",
            view.record.id,
            word("domain"),
            word("keyword"),
            view.recurrence,
        )?;
    }
    if text.is_empty() {
        text.push_str("There are no schedules.\n");
    }
    Ok(text)
}

/// Returns an account's address, or the name of a caller of the API.
fn owner_of(store: &Store, record: &ScheduleRecord) -> anyhow::Result<String> {
    let account = match ScheduleOwner::named(&record.owner) {
        ScheduleOwner::Account(account) => store.account_by_id(account)?,
        ScheduleOwner::Api(_) | ScheduleOwner::Project(_) => None,
    };
    Ok(account.map_or_else(|| record.owner.clone(), |account| account.email))
}

/// A time on the clock of the schedule.
fn said(view: &ScheduleView, at: Option<Timestamp>) -> String {
    at.map_or_else(
        || "no time".to_owned(),
        |at| format!("{} {}", view.recurrence.local(at), view.recurrence.zone_name()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_model::{AccountId, Catalog, Email};
    use ibid_service::ScheduleDraft;
    use ibid_store::{NewAccount, NewDurableRun, Role, RunSubject};
    use serde_json::json;

    #[test]
    fn scans_are_listed_by_owner_and_cancelled() {
        let store = std::sync::Arc::new(Store::open(&ibid_store::StoreUrl::Memory).unwrap());
        let run =
            |work: Work| act(&store, &work, Timestamp::UNIX_EPOCH).map_err(|error| format!("{error:#}"));
        let list = |owner: Option<&str>| {
            run(Work::List {
                owner: owner.map(str::to_owned),
            })
            .unwrap()
            .replace("There are no schedules.\n", "")
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
            run(Work::Cancel {
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

    #[test]
    fn schedules_are_listed_paused_run_and_removed() {
        let store = std::sync::Arc::new(Store::open(&ibid_store::StoreUrl::Memory).unwrap());
        let email: Email = "ada@example.com".parse().unwrap();
        let account = NewAccount {
            id: AccountId::random(),
            email: &email,
            password: "",
            credits: 3,
            role: Role::Member,
        };
        store.open_account(&account, 0).unwrap();
        let now: Timestamp = "2026-11-23T12:00:00Z".parse().unwrap();
        let run = |work: Work| act(&store, &work, now).map_err(|error| format!("{error:#}"));
        let owner = ScheduleOwner::Account(account.id);
        let body = json!({
            "order": {"domain": "example.com", "keyword": "plumber"},
            "recurrence": {"unit": "weeks", "weekday": "friday", "at": "09:00", "timeZone": "Europe/Berlin"},
        });
        let draft = ScheduleDraft::read(body.as_object().unwrap(), &owner, &Catalog::builtin(), now).unwrap();
        let id = ScheduleId::random();
        assert!(draft.add(&store, (id, &owner), None, now).unwrap());
        let listed = || {
            run(Work::List {
                owner: Some("Ada@example.com".to_owned()),
            })
            .unwrap()
        };
        assert!(
            listed().contains("ada@example.com  example.com  plumber  every week on Friday"),
            "{}",
            listed()
        );
        let of_another = run(Work::List {
            owner: Some("key shop".to_owned()),
        })
        .unwrap();
        assert_eq!(of_another, format!("{NONE}There are no schedules.\n"));
        run(Work::Pause { id }).unwrap();
        assert!(listed().ends_with("paused\n"), "{}", listed());
        assert!(
            run(Work::Resume { id })
                .unwrap()
                .contains("runs next at 2026-11-27 09:0")
        );
        assert!(run(Work::Run { id }).unwrap().contains("within a minute"));
        assert!(run(Work::Run { id }).unwrap_err().contains("under way"));
        let waiting = store
            .take_over_firings(now.as_millisecond(), now.as_millisecond(), 9)
            .unwrap();
        assert_eq!(waiting.len(), 1);
        assert!(run(Work::Remove { id }).unwrap().contains("is deleted"));
        for gone in [
            Work::Remove { id },
            Work::Pause { id },
            Work::Resume { id },
            Work::Run { id },
        ] {
            assert!(run(gone).unwrap_err().contains("there is no schedule"));
        }
    }
}
