//! `ibid-server schedule`: scans that accounts of the workspace repeat, for the operator.
//!
//! The command works on `DATABASE_URL` directly, also while a server is running. A server looks once a minute.

use crate::database;
use crate::settings::Settings;
use crate::user::find;
use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use ibid_model::{AccountId, Catalog, Email, ScheduleId};
use ibid_service::{ScheduleDraft, ScheduleOwner, ScheduleView, next_due};
use ibid_store::{ScheduleRecord, ScheduleStarted, Store};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Subcommands of `ibid-server schedule`.
#[derive(Subcommand)]
pub(crate) enum Schedule {
    /// List the schedules of all owners, or of one account
    List {
        /// E-mail address of the account
        #[arg(long)]
        account: Option<Email>,
    },
    Add(Box<AddArgs>),
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

/// Repeat a scan for an account; each run takes one of its credits
#[derive(Args)]
pub(crate) struct AddArgs {
    /// E-mail address of the account
    #[arg(long)]
    account: Email,
    /// Website domain to check
    #[arg(long, required_unless_present = "order")]
    domain: Option<String>,
    /// Topic that buyers ask about
    #[arg(long, required_unless_present = "order")]
    keyword: Option<String>,
    /// City, country
    #[arg(long)]
    location: Option<String>,
    /// JSON file with the whole order, as POST /api/v1/scan takes it
    #[arg(long, conflicts_with_all = ["domain", "keyword", "location"])]
    order: Option<PathBuf>,
    /// hours, days or weeks
    #[arg(long, default_value = "weeks")]
    unit: String,
    /// Number of hours, days or weeks between two runs
    #[arg(long, default_value_t = 1)]
    every: u16,
    /// Weekday such as monday, for weeks
    #[arg(long)]
    weekday: Option<String>,
    /// Local time such as 09:00
    #[arg(long)]
    at: String,
    /// IANA time zone such as Europe/Berlin
    #[arg(long)]
    time_zone: String,
    /// Name
    #[arg(long)]
    name: Option<String>,
    /// Most dollars that its runs of a calendar month (UTC) may cost
    #[arg(long)]
    budget: Option<f64>,
    /// Most credits that its runs of a calendar month (UTC) may take
    #[arg(long)]
    credits: Option<u32>,
}

/// Runs the subcommand and prints its result.
///
/// # Errors
/// There is no such schedule or account, the order or the times have faults, or the database cannot be opened.
#[expect(
    clippy::print_stdout,
    reason = "the result is for the operator at the terminal"
)]
pub(crate) fn run(settings: &Settings, schedule: &Schedule) -> anyhow::Result<()> {
    let store = database::open_existing(settings)?;
    print!("{}", act(&*store, schedule, Timestamp::now())?);
    Ok(())
}

fn act(store: &dyn Store, schedule: &Schedule, now: Timestamp) -> anyhow::Result<String> {
    let millis = now.as_millisecond();
    Ok(match schedule {
        Schedule::List { account } => list(store, account.as_ref(), now)?,
        Schedule::Add(args) => add(store, args, now)?,
        Schedule::Pause { id } => {
            if !store.pause_schedule(*id, millis)? {
                bail!("there is no schedule {id}");
            }
            format!("{id} is paused\n")
        }
        Schedule::Resume { id } => {
            let view = ScheduleView::of(store, get(store, *id)?, now)?;
            let next = next_due(&view.recurrence, *id, now);
            store.resume_schedule(*id, next.map(Timestamp::as_millisecond))?;
            format!("{id} runs next at {}\n", said(&view, next))
        }
        Schedule::Remove { id } => {
            if !store.delete_schedule(*id)? {
                bail!("there is no schedule {id}");
            }
            format!("{id} is deleted; its scans stay\n")
        }
        Schedule::Run { id } => match store.fire_schedule_now(*id, millis, millis)? {
            ScheduleStarted::Begun => format!("{id} is due; the server begins within a minute\n"),
            ScheduleStarted::StillRunning => bail!("a run of {id} is under way"),
            ScheduleStarted::Lost => bail!("there is no schedule {id}"),
        },
    })
}

fn get(store: &dyn Store, id: ScheduleId) -> anyhow::Result<ScheduleRecord> {
    store
        .schedule(id)?
        .with_context(|| format!("there is no schedule {id}"))
}

fn add(store: &dyn Store, args: &AddArgs, now: Timestamp) -> anyhow::Result<String> {
    let account = find(store, &args.account)?;
    let order = match &args.order {
        Some(file) => {
            let text =
                std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
            serde_json::from_str(&text).with_context(|| format!("{} is no JSON", file.display()))?
        }
        None => json!({"domain": args.domain, "keyword": args.keyword, "location": args.location}),
    };
    let body = json!({
        "name": args.name,
        "order": order,
        "recurrence": {"unit": args.unit, "every": args.every, "weekday": args.weekday, "at": args.at,
            "timeZone": args.time_zone},
        "monthlyBudgetUsd": args.budget,
        "monthlyCredits": args.credits,
    });
    let body: Map<String, Value> = serde_json::from_value(body)?;
    let owner = ScheduleOwner::Account(account.id);
    let draft = ScheduleDraft::read(&body, &owner, &Catalog::builtin(), now)
        .map_err(|faults| anyhow::anyhow!("nothing was stored: {faults}"))?;
    let id = ScheduleId::random();
    if !draft.add(store, (id, &owner), None, now)? {
        bail!("{} has too many schedules: remove one first", args.account);
    }
    let view = ScheduleView::of(store, get(store, id)?, now)?;
    Ok(format!(
        "{id} runs {}, next at {}\n",
        view.recurrence,
        said(&view, view.next.first().copied())
    ))
}

fn list(store: &dyn Store, account: Option<&Email>, now: Timestamp) -> anyhow::Result<String> {
    let owner = match account {
        Some(email) => Some(ScheduleOwner::Account(find(store, email)?.id).name()),
        None => None,
    };
    let mut text = String::new();
    for record in store.schedules(owner.as_deref())? {
        let view = ScheduleView::of(store, record, now)?;
        let state = match (view.record.paused_at, view.record.failures) {
            (Some(_), _) => "paused".to_owned(),
            (None, 0) => format!("next {}", said(&view, view.next.first().copied())),
            (None, failures) => format!(
                "next {}, {failures} failed in a row",
                said(&view, view.next.first().copied())
            ),
        };
        let word = |name: &str| view.order.get(name).and_then(Value::as_str).unwrap_or_default();
        writeln!(
            text,
            "{}  {}  {}  {}  {}  {state}",
            view.record.id,
            owner_of(store, &view.record)?,
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

/// The address of an account, or the name of a caller of the API.
fn owner_of(store: &dyn Store, record: &ScheduleRecord) -> anyhow::Result<String> {
    let email = |account: AccountId| -> anyhow::Result<Option<String>> {
        Ok(store.account_by_id(account)?.map(|account| account.email))
    };
    Ok(match ScheduleOwner::named(&record.owner) {
        ScheduleOwner::Account(account) => email(account)?.unwrap_or_else(|| record.owner.clone()),
        ScheduleOwner::Api(_) => record.owner.clone(),
    })
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
    use ibid_store::{NewAccount, Role};

    #[test]
    fn schedules_are_added_listed_paused_run_and_removed() {
        let store = ibid_store::open(&ibid_store::StoreUrl::Memory).unwrap();
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
        let run = |schedule: Schedule| act(&*store, &schedule, now).map_err(|error| format!("{error:#}"));
        assert_eq!(
            run(Schedule::List { account: None }).unwrap(),
            "There are no schedules.\n"
        );
        let add = |at: &str| {
            Schedule::Add(Box::new(AddArgs {
                account: email.clone(),
                domain: Some("example.com".to_owned()),
                keyword: Some("plumber".to_owned()),
                location: None,
                order: None,
                unit: "weeks".to_owned(),
                every: 1,
                weekday: Some("friday".to_owned()),
                at: at.to_owned(),
                time_zone: "Europe/Berlin".to_owned(),
                name: None,
                budget: Some(5.0),
                credits: Some(4),
            }))
        };
        assert!(run(add("9")).unwrap_err().contains("recurrence: at must be"));
        let added = run(add("09:00")).unwrap();
        assert!(
            added.contains("runs every week on Friday at 09:00, Europe/Berlin, next at 2026-11-27 09:0"),
            "{added}"
        );
        let id: ScheduleId = added.split(' ').next().unwrap().parse().unwrap();
        let listed = || {
            run(Schedule::List {
                account: Some(email.clone()),
            })
            .unwrap()
        };
        assert!(
            listed().contains("ada@example.com  example.com  plumber  every week on Friday"),
            "{}",
            listed()
        );
        run(Schedule::Pause { id }).unwrap();
        assert!(listed().ends_with("paused\n"), "{}", listed());
        assert!(
            run(Schedule::Resume { id })
                .unwrap()
                .contains("runs next at 2026-11-27 09:0")
        );
        assert!(run(Schedule::Run { id }).unwrap().contains("within a minute"));
        assert!(run(Schedule::Run { id }).unwrap_err().contains("under way"));
        let waiting = store
            .take_over_firings(now.as_millisecond(), now.as_millisecond(), 9)
            .unwrap();
        assert_eq!(waiting.len(), 1);
        assert!(run(Schedule::Remove { id }).unwrap().contains("is deleted"));
        for gone in [
            Schedule::Remove { id },
            Schedule::Pause { id },
            Schedule::Resume { id },
            Schedule::Run { id },
        ] {
            assert!(run(gone).unwrap_err().contains("there is no schedule"));
        }
    }
}
