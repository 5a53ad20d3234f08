//! Conformance of schedules.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::durable_runs::{end_all, open};
use super::payments::NOW;
use crate::{
    NewAccount, NewAlert, NewDelivery, NewSchedule, NewWebhook, PackedAnswers, Role, ScheduleQuestions,
    ScheduleStart, ScheduleStarted, ScheduleTerms, ScheduleUse, ScheduledEnd, SealedSecret, Store,
    WebhookKind, WebhookSecret,
};
use ibid_model::{AccountId, AlertId, ScanId, ScheduleId, WebhookId};

/// Runs the suite. Each case has an owner of its own; the last leaves rows for tests of copies.
pub(crate) fn run(store: &Store) {
    schedules_are_kept_changed_and_deleted(store);
    a_schedule_fires_once_for_each_time(store);
    processes_at_the_same_moment_fire_once(store);
    a_scan_that_was_not_queued_is_queued_by_another_process(store);
    ended_scans_are_found_and_judged_once(store);
    alerts_belong_to_their_owner(store);
    a_deleted_account_has_no_schedules(store);
    leaves_one_of_each(store);
}

const TERMS: ScheduleTerms<'static> = ScheduleTerms {
    name: "weekly",
    document: r#"{"domain":"example.com"}"#,
    recurrence: r#"{"unit":"weeks"}"#,
    next_due: Some(NOW),
    budget: Some(5_000_000),
    credits: Some(4),
    questions: None,
};

fn add(store: &Store, owner: &str, next_due: Option<i64>) -> ScheduleId {
    let id = ScheduleId::random();
    let schedule = NewSchedule {
        id,
        owner,
        terms: ScheduleTerms { next_due, ..TERMS },
        secret: None,
        project: None,
    };
    assert!(store.add_schedule(&schedule, 9, NOW).unwrap());
    id
}

fn end(outcome: &str) -> ScheduledEnd<'_> {
    ScheduledEnd {
        outcome,
        cost: 0,
        credits: 0,
        failures: None,
        alert: None,
    }
}

fn firing(schedule: ScheduleId, due: i64) -> ScheduleStart {
    ScheduleStart { schedule, due }
}

fn schedules_are_kept_changed_and_deleted(store: &Store) {
    let secret = SealedSecret {
        kek: "k1".to_owned(),
        ciphertext: vec![9; 40],
        expires: i64::MAX,
    };
    let id = ScheduleId::random();
    let new = NewSchedule {
        id,
        owner: "keeper",
        terms: TERMS,
        secret: Some(&secret),
        project: None,
    };
    assert!(store.add_schedule(&new, 2, NOW).unwrap());
    let second = NewSchedule {
        id: ScheduleId::random(),
        secret: None,
        ..new
    };
    assert!(store.add_schedule(&second, 2, NOW + 1).unwrap());
    let third = NewSchedule {
        id: ScheduleId::random(),
        ..second
    };
    assert!(!store.add_schedule(&third, 2, NOW + 2).unwrap());
    let all = store.schedules(Some("keeper")).unwrap();
    assert_eq!(all.iter().map(|one| one.id).collect::<Vec<_>>(), [id, second.id]);
    assert!(store.schedules(Some("nobody")).unwrap().is_empty());
    assert_eq!(store.schedules(None).unwrap(), all);
    let kept = store.schedule(id).unwrap().unwrap();
    assert_eq!((kept.owner.as_str(), kept.name.as_str()), ("keeper", "weekly"));
    assert_eq!(
        (kept.document.as_str(), kept.recurrence.as_str()),
        (TERMS.document, TERMS.recurrence)
    );
    assert_eq!((kept.next_due, kept.paused_at), (Some(NOW), None));
    assert_eq!(
        (kept.budget, kept.credits, kept.failures),
        (Some(5_000_000), Some(4), 0)
    );
    assert_eq!(store.schedule_secret(id).unwrap(), Some(secret.clone()));
    assert_eq!(store.schedule_secret(second.id).unwrap(), None);
    let terms = ScheduleTerms {
        name: "",
        next_due: Some(NOW + 7),
        budget: None,
        credits: None,
        ..TERMS
    };
    assert!(store.set_schedule(id, &terms, None).unwrap());
    let changed = store.schedule(id).unwrap().unwrap();
    assert_eq!((changed.name.as_str(), changed.next_due), ("", Some(NOW + 7)));
    assert_eq!((changed.budget, changed.credits), (None, None));
    assert!(store.schedule_secret(id).unwrap().is_some());
    // It keeps its questions until others come with the terms.
    assert!(store.schedule_questions(id).unwrap().is_none() && changed.templates.is_none());
    for (round, (json, templates)) in [("[1]", "en 1"), ("[2]", "en 2")].into_iter().enumerate() {
        let questions = &PackedAnswers::of(json.as_bytes()).unwrap();
        let kept = ScheduleQuestions { questions, templates };
        match round {
            0 => store.keep_questions(id, kept).unwrap(),
            _ => {
                store.keep_questions(id, kept).unwrap();
                let first = store.schedule_questions(id).unwrap().unwrap();
                assert_eq!(first.unpack().unwrap(), b"[1]");
                let questions = Some(kept);
                assert!(
                    store
                        .set_schedule(id, &ScheduleTerms { questions, ..terms }, None)
                        .unwrap()
                );
            }
        }
    }
    assert!(store.set_schedule(id, &terms, None).unwrap());
    assert_eq!(
        store.schedule_questions(id).unwrap().unwrap().unpack().unwrap(),
        b"[2]"
    );
    assert_eq!(
        store.schedule(id).unwrap().unwrap().templates.as_deref(),
        Some("en 2")
    );
    // A paused schedule is not due.
    assert!(store.pause_schedule(id, NOW + 3).unwrap() && store.pause_schedule(id, NOW + 4).unwrap());
    assert_eq!(store.schedule(id).unwrap().unwrap().paused_at, Some(NOW + 3));
    assert!(
        store
            .due_schedules(NOW + 7, 9)
            .unwrap()
            .iter()
            .all(|due| due.id != id)
    );
    assert_eq!(
        store.fire_schedule(firing(id, NOW + 7), None, NOW, NOW).unwrap(),
        ScheduleStarted::Lost
    );
    assert!(store.resume_schedule(id, Some(NOW + 8)).unwrap());
    let resumed = store.schedule(id).unwrap().unwrap();
    assert_eq!((resumed.paused_at, resumed.next_due), (None, Some(NOW + 8)));
    for id in [id, second.id] {
        assert!(store.delete_schedule(id).unwrap() && !store.delete_schedule(id).unwrap());
        assert!(!store.set_schedule(id, &terms, None).unwrap());
        assert!(!store.pause_schedule(id, NOW).unwrap() && !store.resume_schedule(id, None).unwrap());
    }
    assert!(store.schedule(id).unwrap().is_none());
}

fn a_schedule_fires_once_for_each_time(store: &Store) {
    let id = add(store, "firer", Some(NOW + 10));
    assert!(store.due_schedules(NOW + 9, 9).unwrap().is_empty());
    let due = store.due_schedules(NOW + 10, 9).unwrap();
    assert_eq!(due.iter().map(|one| one.id).collect::<Vec<_>>(), [id]);
    let first = firing(id, NOW + 10);
    let fire = |firing, next| store.fire_schedule(firing, next, NOW + 60, NOW + 11).unwrap();
    assert_eq!(fire(first, Some(NOW + 20)), ScheduleStarted::Begun);
    assert_eq!(fire(first, Some(NOW + 20)), ScheduleStarted::Lost);
    assert!(store.due_schedules(NOW + 19, 9).unwrap().is_empty());
    // One run at a time.
    let second = firing(id, NOW + 20);
    assert_eq!(fire(second, Some(NOW + 30)), ScheduleStarted::StillRunning);
    assert_eq!(
        store.fire_schedule_now(id, None, NOW + 60, NOW + 21).unwrap(),
        ScheduleStarted::StillRunning
    );
    let runs = store.scheduled_runs(id, 9).unwrap();
    assert_eq!(
        runs.iter().map(|run| run.firing).collect::<Vec<_>>(),
        [second, first]
    );
    assert_eq!(runs[0].outcome.as_deref(), Some("still_running"));
    assert_eq!((runs[0].ended_at.is_some(), runs[1].ended_at), (true, None));
    let over = ScheduledEnd {
        cost: 70,
        credits: 1,
        failures: Some(2),
        ..end("failed")
    };
    assert!(store.end_scheduled_run(first, &over, &[], NOW + 22).unwrap());
    assert!(!store.end_scheduled_run(first, &over, &[], NOW + 22).unwrap());
    assert!(
        !store
            .put_scheduled_scan(first, ScanId::random(), &[], NOW)
            .unwrap()
    );
    assert_eq!(store.schedule(id).unwrap().unwrap().failures, 2);
    let used = |from| store.schedule_use(id, from).unwrap();
    assert_eq!(used(NOW + 11), ScheduleUse { cost: 70, credits: 1 });
    assert_eq!(used(NOW + 12), ScheduleUse::default());
    // Paused or not, the owner may run it now. The next time stays.
    store.pause_schedule(id, NOW).unwrap();
    assert_eq!(
        store.fire_schedule_now(id, None, NOW + 60, NOW + 23).unwrap(),
        ScheduleStarted::Begun
    );
    assert_eq!(store.schedule(id).unwrap().unwrap().next_due, Some(NOW + 30));
    assert!(store.delete_schedule(id).unwrap());
    assert_eq!(
        store.fire_schedule_now(id, None, NOW, NOW).unwrap(),
        ScheduleStarted::Lost
    );
    assert!(
        store
            .take_over_firings(NOW + 99, NOW + 199, 9)
            .unwrap()
            .is_empty()
    );
}

fn processes_at_the_same_moment_fire_once(store: &Store) {
    let id = add(store, "crowd", Some(NOW));
    let fired: Vec<ScheduleStarted> = std::thread::scope(|scope| {
        let fire = |_| scope.spawn(|| store.fire_schedule(firing(id, NOW), Some(NOW + 50), NOW + 60, NOW));
        let threads: Vec<_> = (0..6).map(fire).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap().unwrap())
            .collect()
    });
    assert_eq!(
        fired
            .iter()
            .filter(|fired| **fired == ScheduleStarted::Begun)
            .count(),
        1,
        "{fired:?}"
    );
    assert_eq!(store.scheduled_runs(id, 9).unwrap().len(), 1);
    store.delete_schedule(id).unwrap();
}

fn a_scan_that_was_not_queued_is_queued_by_another_process(store: &Store) {
    let id = add(store, "lost", Some(NOW));
    let run = firing(id, NOW);
    store.fire_schedule(run, None, NOW + 60, NOW).unwrap();
    assert_eq!(store.schedule(id).unwrap().unwrap().next_due, None);
    let take = |now| store.take_over_firings(now, now + 60, 9).unwrap();
    assert_eq!((take(NOW + 59), take(NOW + 60)), (Vec::new(), vec![run]));
    assert_eq!(take(NOW + 61), []);
    let scan = ScanId::random();
    assert!(store.put_scheduled_scan(run, scan, &[], NOW + 62).unwrap());
    assert_eq!(take(NOW + 999), []);
    let runs = store.scheduled_runs(id, 9).unwrap();
    assert_eq!((runs[0].scan, runs[0].ended_at), (Some(scan), None));
    store.delete_schedule(id).unwrap();
}

fn ended_scans_are_found_and_judged_once(store: &Store) {
    let hook = NewWebhook {
        id: WebhookId::random(),
        owner: "judge",
        kind: WebhookKind::Standard,
        url: "https://example.com/",
        events: &["alert.raised"],
        name: "",
        secret: &WebhookSecret::new(vec![1; 24]),
        created_at: NOW,
    };
    store.add_webhook(&hook, 9).unwrap();
    let id = add(store, "judge", Some(NOW));
    let mut scans = Vec::new();
    for due in [NOW, NOW + 10] {
        let (run, scan) = (firing(id, due), open(store, "judge", 3, NOW));
        store.fire_schedule(run, Some(due + 10), NOW + 60, NOW).unwrap();
        store.put_scheduled_scan(run, scan, &[], NOW).unwrap();
        assert!(store.ended_scheduled_scans(9).unwrap().is_empty());
        store.start_run(scan).unwrap();
        end_all(store);
        let ended = store.ended_scheduled_scans(9).unwrap();
        assert_eq!(ended.len(), 1);
        assert_eq!(
            (ended[0].firing, ended[0].scan, ended[0].state.as_deref()),
            (run, scan, Some("failed"))
        );
        let earlier = store
            .scheduled_scans_before(run, ["complete", "partial"])
            .unwrap();
        assert_eq!(earlier, scans);
        let before = earlier.last().copied();
        let judged = ScheduledEnd {
            failures: Some(0),
            alert: before.map(|previous| NewAlert {
                id: AlertId::random(),
                kind: "changed",
                previous: Some(previous),
                summary: "The score changed.",
            }),
            ..end("partial")
        };
        let notice = NewDelivery {
            owner: "judge",
            only: None,
            event: "alert.raised",
            subject: "one",
            payload: b"{}",
        };
        let notices = before.map(|_| notice);
        assert!(
            store
                .end_scheduled_run(run, &judged, notices.as_slice(), NOW + 5)
                .unwrap()
        );
        assert!(
            !store
                .end_scheduled_run(run, &judged, notices.as_slice(), NOW + 5)
                .unwrap()
        );
        scans.push(scan);
    }
    let alerts = store.alerts("judge", Some(id), 9).unwrap();
    assert_eq!(alerts.len(), 1);
    assert_eq!(
        (alerts[0].scan, alerts[0].previous),
        (Some(scans[1]), Some(scans[0]))
    );
    assert_eq!(
        (alerts[0].kind.as_str(), alerts[0].name.as_str()),
        ("changed", "weekly")
    );
    assert_eq!((alerts[0].firing, alerts[0].at), (firing(id, NOW + 10), NOW + 5));
    assert_eq!(store.deliveries(hook.id, None, 9).unwrap().len(), 1);
    store.delete_webhook("judge", hook.id).unwrap();
    store.prune_deliveries(NOW + 99).unwrap();
    // A scan that is gone has ended, too.
    let run = firing(id, NOW + 20);
    store.fire_schedule(run, None, NOW + 60, NOW).unwrap();
    store.put_scheduled_scan(run, ScanId::random(), &[], NOW).unwrap();
    assert_eq!(store.ended_scheduled_scans(9).unwrap()[0].state, None);
    store.delete_schedule(id).unwrap();
    assert!(store.ended_scheduled_scans(9).unwrap().is_empty());
}

fn alerts_belong_to_their_owner(store: &Store) {
    let (mine, other) = (add(store, "mine", Some(NOW)), add(store, "other", Some(NOW)));
    for id in [mine, other] {
        for due in [NOW, NOW + 10] {
            store
                .fire_schedule(firing(id, due), Some(due + 10), NOW + 60, NOW)
                .unwrap();
            let alert = NewAlert {
                id: AlertId::random(),
                kind: "failing",
                previous: None,
                summary: "Failed.",
            };
            let failed = ScheduledEnd {
                alert: Some(alert),
                ..end("not_started")
            };
            assert!(
                store
                    .end_scheduled_run(firing(id, due), &failed, &[], due)
                    .unwrap()
            );
        }
    }
    let unseen = |owner| {
        let alerts = store.alerts(owner, None, 9).unwrap();
        alerts.iter().filter(|alert| alert.seen_at.is_none()).count()
    };
    assert_eq!((unseen("mine"), unseen("other")), (2, 2));
    let alerts = store.alerts("mine", None, 1).unwrap();
    assert_eq!(
        (alerts.len(), alerts[0].firing.due, alerts[0].scan),
        (1, NOW + 10, None)
    );
    assert_eq!(store.see_alerts("other", Some(alerts[0].id), NOW).unwrap(), 0);
    assert_eq!(store.see_alerts("mine", Some(alerts[0].id), NOW).unwrap(), 1);
    assert_eq!(store.see_alerts("mine", None, NOW).unwrap(), 1);
    assert_eq!(store.see_alerts("mine", None, NOW).unwrap(), 0);
    assert_eq!((unseen("mine"), unseen("other")), (0, 2));
    for id in [mine, other] {
        store.delete_schedule(id).unwrap();
    }
    assert!(store.alerts("other", None, 9).unwrap().is_empty());
}

fn a_deleted_account_has_no_schedules(store: &Store) {
    let account = AccountId::random();
    let email = "schedules@example.com".parse().unwrap();
    let new = NewAccount {
        id: account,
        email: &email,
        password: "",
        credits: 0,
        role: Role::Member,
    };
    store.open_account(&new, NOW).unwrap();
    let owner = format!("account {account}");
    let id = add(store, &owner, Some(NOW));
    alert(store, id);
    store.delete_account(account, NOW.into()).unwrap();
    assert!(store.schedule(id).unwrap().is_none() && store.scheduled_runs(id, 9).unwrap().is_empty());
    assert!(store.alerts(&owner, None, 9).unwrap().is_empty());
}

/// Fires a schedule that is due at [`NOW`], and ends the run with an alert.
fn alert(store: &Store, id: ScheduleId) {
    store
        .fire_schedule(firing(id, NOW), Some(NOW + 9_000), NOW + 60, NOW)
        .unwrap();
    let alert = NewAlert {
        id: AlertId::random(),
        kind: "failing",
        previous: None,
        summary: "Failed.",
    };
    let failed = ScheduledEnd {
        alert: Some(alert),
        ..end("not_started")
    };
    store
        .end_scheduled_run(firing(id, NOW), &failed, &[], NOW)
        .unwrap();
}

fn leaves_one_of_each(store: &Store) {
    alert(store, add(store, "left", Some(NOW)));
}
