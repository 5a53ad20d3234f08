//! Schedules of accounts: made from a report, run for credits, bounded, and shown with their alerts.

use crate::{SMALL, workspace};
use futures_util::future::BoxFuture;
use ibid_model::ScheduleId;
use ibid_provider::{Completion, Prompt, Provider, ProviderError, ProviderKey};
use ibid_store::{NewSchedule, ScheduleStart, ScheduleTerms};
use ibid_tests::member::{Member, account_id};
use ibid_tests::{Setup, TestServer};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A provider that forgets a website when it is told to.
#[derive(Default)]
struct Forgetful(AtomicBool);

impl Provider for Forgetful {
    fn ask<'a>(
        &'a self,
        _: &'a ProviderKey,
        _: &'a Prompt,
    ) -> BoxFuture<'a, Result<Completion, ProviderError>> {
        let text = match self.0.load(Ordering::SeqCst) {
            false => "1. Example (example.com) - the best choice\n2. Rival Works - also good",
            true => "1. Rival Works - the best choice\n2. Third House - good",
        };
        let answer = Completion {
            text: text.to_owned(),
            ..Completion::default()
        };
        Box::pin(std::future::ready(Ok(answer)))
    }
}

const WEEKLY: [(&str, &str); 5] = [
    ("every", "1"),
    ("unit", "weeks"),
    ("weekday", "monday"),
    ("at", "09:00"),
    ("timeZone", "Europe/Berlin"),
];

/// Sends the form for a scan.
async fn repeat(member: &Member, scan: &str, more: &[(&str, &str)]) -> ibid_tests::Reply {
    let id = scan.rsplit('/').next().unwrap();
    let mut pairs = vec![("scan", id)];
    pairs.extend(WEEKLY);
    for (name, value) in more {
        pairs.retain(|(known, _)| known != name);
        pairs.push((name, value));
    }
    member.post("/workspace/schedules", &pairs).await
}

/// The path of the one schedule of an account.
fn path(server: &TestServer, email: &str) -> String {
    let owner = format!("account {}", account_id(server, email));
    let schedules = server.store.schedules(Some(&owner)).unwrap();
    assert_eq!(schedules.len(), 1);
    format!("/workspace/schedules/{}", schedules[0].id)
}

#[tokio::test]
async fn a_report_is_repeated_paused_run_and_deleted_without_scripts() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 3).await;
    assert!(
        ada.open("/workspace/schedules")
            .await
            .text
            .contains("No schedules yet")
    );
    let scan = ada.start(&SMALL).await;
    ada.listen(&scan).await;
    let id = scan.rsplit('/').next().unwrap();
    let link = format!("/workspace/schedules?repeat={id}");
    assert!(ada.open(&scan).await.text.contains(&link));
    let form = ada.open(&link).await;
    assert!(
        form.status == 200 && form.text.contains("Repeat the scan of"),
        "{}",
        form.text
    );
    let faulty = repeat(
        &ada,
        &scan,
        &[("timeZone", "Mars"), ("every", "60"), ("budget", "much")],
    )
    .await;
    assert_eq!(faulty.status, 400);
    for part in [
        "Enter a time zone such as Europe/Berlin.",
        "at most 168 hours, 90 days or 52 weeks",
        "Enter an amount in dollars, such as 25.",
        "value=\"Mars\"",
    ] {
        assert!(faulty.text.contains(part), "{part}: {}", faulty.text);
    }
    let made = repeat(
        &ada,
        &scan,
        &[("name", "My week"), ("budget", "5"), ("credits", "2")],
    )
    .await;
    assert_eq!(
        (made.status.as_u16(), made.header("location")),
        (303, "/workspace/schedules")
    );
    let page = ada.open("/workspace/schedules").await.text;
    for part in [
        "My week",
        "every week on Monday at 09:00, Europe/Berlin",
        "next: ",
        "none yet",
        "of $5.00, 0 of 2 credits",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let schedule = path(&server, "ada@example.com");
    edit(&ada, &schedule).await;
    ada.post(&format!("{schedule}/pause"), &[]).await;
    assert!(
        ada.open("/workspace/schedules")
            .await
            .text
            .contains("<strong>paused</strong>")
    );
    ada.post(&format!("{schedule}/resume"), &[]).await;
    assert!(
        !ada.open("/workspace/schedules")
            .await
            .text
            .contains("<strong>paused</strong>")
    );
    let run = ada.post(&format!("{schedule}/run"), &[]).await;
    assert_eq!(run.status, 303, "{}", run.text);
    let second = ada.post(&format!("{schedule}/run"), &[]).await;
    assert!(
        second.status == 409 && second.text.contains("still under way"),
        "{}",
        second.text
    );
    let repeated = run.header("location").to_owned();
    ada.listen(&repeated).await;
    server.service.schedules.round(Timestamp::now()).await.unwrap();
    let page = ada.open("/workspace/schedules").await.text;
    assert!(
        page.contains(&format!("{repeated}\">complete</a>")) && page.contains("1 of 2 credits"),
        "{page}"
    );
    assert!(ada.open(&repeated).await.text.contains("Scan report"));
    assert!(ada.open("/workspace/scans").await.text.contains("1 credit<"));
    // Another account sees and changes nothing of it.
    let eve = Member::with_credits(&server, "eve@example.com", 1).await;
    for change in ["pause", "run", "delete", "edit"] {
        assert_eq!(eve.post(&format!("{schedule}/{change}"), &[]).await.status, 404);
    }
    assert_eq!(eve.open(&link).await.status, 404);
    assert_eq!(repeat(&eve, &scan, &[]).await.status, 404);
    assert_eq!(ada.post(&format!("{schedule}/delete"), &[]).await.status, 303);
    assert!(
        ada.open("/workspace/schedules")
            .await
            .text
            .contains("No schedules yet")
    );
    assert_eq!(ada.open(&repeated).await.status, 200);
}

/// Changes a schedule by its form, which has what is stored.
async fn edit(member: &Member, schedule: &str) {
    let id = schedule.rsplit('/').next().unwrap();
    let form = member.open(&format!("/workspace/schedules?edit={id}")).await.text;
    for part in [
        "Change the schedule of",
        "value=\"My week\"",
        "value=\"5\"",
        "value=\"2\"",
        "value=\"monday\" selected",
        "value=\"09:00\"",
    ] {
        assert!(form.contains(part), "{part}: {form}");
    }
    let mut pairs = WEEKLY.to_vec();
    pairs.extend([("name", "My month"), ("budget", "6"), ("credits", "2")]);
    pairs[0] = ("every", "60");
    let faulty = member.post(&format!("{schedule}/edit"), &pairs).await;
    assert!(
        faulty.status == 400 && faulty.text.contains("at most 168 hours, 90 days or 52 weeks"),
        "{}",
        faulty.text
    );
    pairs[0] = ("every", "4");
    let edited = member.post(&format!("{schedule}/edit"), &pairs).await;
    assert_eq!(
        (edited.status.as_u16(), edited.header("location")),
        (303, "/workspace/schedules")
    );
    let page = member.open("/workspace/schedules").await.text;
    for part in [
        "My month",
        "every 4 weeks on Monday at 09:00",
        "of $6.00, 0 of 2 credits",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[tokio::test]
async fn an_alert_about_a_changed_result_is_shown_until_it_is_seen() {
    let provider = Arc::<Forgetful>::default();
    let shared = Arc::clone(&provider);
    let server = Setup::default().provider(shared).workspace().spawn();
    let ada = Member::with_credits(&server, "ada@example.com", 5).await;
    let mut order = SMALL;
    order[3] = ("questionsPerModel", "8");
    let scan = ada.start(&order).await;
    ada.listen(&scan).await;
    repeat(&ada, &scan, &[]).await;
    let schedule = path(&server, "ada@example.com");
    let mut runs = Vec::new();
    // A change shows after three runs.
    for forgets in [false, false, false, true] {
        provider.0.store(forgets, Ordering::SeqCst);
        let run = ada.post(&format!("{schedule}/run"), &[]).await;
        ada.listen(run.header("location")).await;
        server.service.schedules.round(Timestamp::now()).await.unwrap();
        runs.push(run.header("location").rsplit('/').next().unwrap().to_owned());
    }
    let history = ada.open("/workspace/scans").await.text;
    assert!(history.contains("1 new alert"), "{history}");
    let page = ada.open("/workspace/schedules").await.text;
    let comparison = format!("/workspace/compare?scan={}&amp;scan={}", runs[2], runs[3]);
    assert!(
        page.contains(&comparison) && page.contains("Mark all as seen"),
        "{page}"
    );
    assert_eq!(ada.open(&comparison.replace("&amp;", "&")).await.status, 200);
    ada.post("/workspace/schedules/alerts/seen", &[]).await;
    assert!(!ada.open("/workspace/scans").await.text.contains("new alert"));
    let page = ada.open("/workspace/schedules").await.text;
    assert!(
        page.contains(&comparison) && !page.contains("Mark all as seen"),
        "{page}"
    );
}

#[tokio::test]
async fn without_credits_no_run_starts_and_the_third_time_raises_an_alert() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    let scan = ada.start(&SMALL).await;
    ada.listen(&scan).await;
    repeat(&ada, &scan, &[]).await;
    let schedule = path(&server, "ada@example.com");
    let record = || {
        let id = schedule.rsplit('/').next().unwrap().parse().unwrap();
        server.store.schedule(id).unwrap().unwrap()
    };
    for failures in 1..=3 {
        let due = Timestamp::from_millisecond(record().next_due.unwrap()).unwrap();
        server
            .service
            .schedules
            .round(due + SignedDuration::from_secs(1))
            .await
            .unwrap();
        assert_eq!(record().failures, failures);
    }
    let page = ada.open("/workspace/schedules").await.text;
    for part in ["no credit is left", "3 failed in a row", "The last 3 runs failed"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let refused = ada.post(&format!("{schedule}/run"), &[]).await;
    assert!(
        refused.status == 409 && refused.text.contains("no credit is left"),
        "{}",
        refused.text
    );
}

#[tokio::test]
async fn schedules_of_accounts_that_may_not_scan_start_nothing() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 3).await;
    let scan = ada.start(&SMALL).await;
    ada.listen(&scan).await;
    repeat(&ada, &scan, &[("name", "Kept")]).await;
    let data: Value = serde_json::from_str(&ada.open("/workspace/account/export.json").await.text).unwrap();
    assert_eq!(data["schedules"][0]["name"], "Kept");
    assert_eq!(data["schedules"][0]["order"]["keyword"], "plumber");
    assert_eq!(data["alerts"], serde_json::json!([]));
    let (account, schedule) = (
        account_id(&server, "ada@example.com"),
        path(&server, "ada@example.com"),
    );
    let id = schedule.rsplit('/').next().unwrap().parse().unwrap();
    let record = || server.store.schedule(id).unwrap();
    server.store.set_disabled(account, true, 1_i64.into()).unwrap();
    let due = Timestamp::from_millisecond(record().unwrap().next_due.unwrap()).unwrap();
    server.service.schedules.round(due).await.unwrap();
    let runs = server.store.scheduled_runs(id, 9).unwrap();
    assert_eq!(
        (runs.len(), runs[0].scan, runs[0].outcome.as_deref()),
        (1, None, Some("account_disabled"))
    );
    // A deleted account has none.
    server.store.set_disabled(account, false, 2_i64.into()).unwrap();
    server.store.delete_account(account, 3_i64.into()).unwrap();
    assert!(record().is_none());
    server
        .service
        .schedules
        .round(due + SignedDuration::from_hours(24 * 14))
        .await
        .unwrap();
    assert!(server.store.scheduled_runs(id, 9).unwrap().is_empty());
}

/// The questions that a scan asked.
fn asked(server: &TestServer, scan: &str) -> Vec<String> {
    let id = scan.rsplit('/').next().unwrap().parse().unwrap();
    let evidence: Value = serde_json::from_slice(&server.store.answers(id).unwrap().unwrap()).unwrap();
    let answers = evidence["answers"].as_array().unwrap().iter();
    answers
        .map(|answer| answer["question"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_schedule_of_an_earlier_version_asks_what_it_asked_until_its_owner_accepts_new_questions() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 9).await;
    // The last run of the version before, whose templates worded other questions.
    let words = [
        ("questions", "Who mends taps in a hurry?"),
        ("questions", "honest plumber wanted"),
    ];
    let ticks = [("keep", "0"), ("keep", "1")];
    let before = ada.start(&[&SMALL[..], &words, &ticks].concat()).await;
    ada.listen(&before).await;
    let old = asked(&server, &before);
    assert_eq!(old, ["Who mends taps in a hurry?", "honest plumber wanted"]);
    let owner = format!("account {}", account_id(&server, "ada@example.com"));
    let (id, now) = (ScheduleId::random(), Timestamp::now().as_millisecond());
    let order = json!({"domain": "example.com", "keyword": "plumber", "models": ["model-1-latest"],
        "questionsPerModel": 2, "rings": []});
    let recurrence = json!({"unit": "weeks", "weekday": "monday", "at": "09:00", "timeZone": "UTC"});
    let schedule = NewSchedule {
        id,
        owner: &owner,
        terms: ScheduleTerms {
            name: "old",
            document: &order.to_string(),
            recurrence: &recurrence.to_string(),
            next_due: None,
            budget: None,
            credits: None,
            questions: None,
        },
        secret: None,
        project: None,
    };
    assert!(server.store.add_schedule(&schedule, 9, now).unwrap());
    server.store.fire_schedule_now(id, None, now, now).unwrap();
    let firing = ScheduleStart {
        schedule: id,
        due: now,
    };
    let scan = before.rsplit('/').next().unwrap().parse().unwrap();
    server.store.put_scheduled_scan(firing, scan, &[], now).unwrap();
    server.service.schedules.round(Timestamp::now()).await.unwrap();

    let path = path(&server, "ada@example.com");
    let run = async || {
        let run = ada.post(&format!("{path}/run"), &[]).await;
        assert_eq!(run.status, 303, "{}", run.text);
        let scan = run.header("location").to_owned();
        ada.listen(&scan).await;
        server.service.schedules.round(Timestamp::now()).await.unwrap();
        asked(&server, &scan)
    };
    let offer = "Take the new questions";
    assert!(ada.open("/workspace/schedules").await.text.contains(offer));
    assert_eq!(run().await, old);
    // The second run takes what the first one kept.
    assert_eq!(run().await, old);
    let page = ada.open("/workspace/schedules").await.text;
    assert!(page.contains(offer), "{page}");
    let accepted = ada.post(&format!("{path}/questions"), &[]).await;
    assert_eq!(accepted.status, 303, "{}", accepted.text);
    assert!(!ada.open("/workspace/schedules").await.text.contains(offer));
    let new = run().await;
    assert!(
        new.len() == 2 && new.iter().all(|text| !old.contains(text)),
        "{new:?}"
    );
    assert_eq!(run().await, new);
}
