//! Conformance of tasks.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test suite that other crates run"
)]

use super::payments::{self, NOW};
use super::webhooks::{claim_of, event};
use crate::{
    NewWebhook, OrphanedTask, PaymentStep, RunOutcome, Store, StoreError, TaskQuota, TaskRow, TaskWebhookPut,
    WebhookKind, WebhookSecret,
};
use ibid_model::{ScanId, TaskId, WebhookId};

const HOUR: i64 = 3_600_000;

/// Runs the suite.
pub(crate) fn run(store: &Store) {
    swaps_one_revision_for_the_next(store);
    lets_one_of_many_writers_win(store);
    deletes_expired_tasks(store);
    limits_unpaid_tasks(store);
    finds_tasks_whose_run_has_ended(store);
    tells_subscriptions_of_a_task(store);
}

fn row(id: TaskId, document: &[u8]) -> TaskRow<'_> {
    TaskRow {
        id,
        revision: 1,
        run: None,
        waits: true,
        expires: NOW + HOUR,
        now: NOW,
        document,
        webhook: None,
        events: &[],
    }
}

fn exists(store: &Store, id: TaskId) -> bool {
    store.task(id).unwrap().is_some()
}

fn swaps_one_revision_for_the_next(store: &Store) {
    let id = TaskId::random();
    assert!(!exists(store, id));
    assert!(
        !store
            .swap_task(&TaskRow {
                revision: 2,
                ..row(id, b"none")
            })
            .unwrap()
    );
    store.open_task(&row(id, b"first"), b"caller").unwrap();
    match store.open_task(&row(id, b"another"), b"caller") {
        Err(StoreError::Exists) => {}
        other => panic!("a taken id gave {other:?}"),
    }
    for (revision, wins) in [(1, false), (3, false), (2, true), (2, false), (3, true)] {
        let document = format!("revision {revision}").into_bytes();
        let next = TaskRow {
            revision,
            ..row(id, &document)
        };
        assert_eq!(store.swap_task(&next).unwrap(), wins, "revision {revision}");
    }
    assert_eq!(store.task(id).unwrap().unwrap(), b"revision 3");
}

fn lets_one_of_many_writers_win(store: &Store) {
    let id = TaskId::random();
    store.open_task(&row(id, b"asked"), b"caller").unwrap();
    let wins = std::thread::scope(|scope| {
        let swap = |_| {
            scope.spawn(|| {
                store
                    .swap_task(&TaskRow {
                        revision: 2,
                        ..row(id, b"begun")
                    })
                    .unwrap()
            })
        };
        let threads: Vec<_> = (0..8).map(swap).collect();
        threads
            .into_iter()
            .filter_map(|thread| thread.join().unwrap().then_some(()))
            .count()
    });
    assert_eq!(wins, 1);
}

fn deletes_expired_tasks(store: &Store) {
    let room = TaskQuota {
        tasks: 1_000,
        bytes: 1 << 30,
    };
    let [old, running, young] = [(); 3].map(|()| TaskId::random());
    store
        .open_task(
            &TaskRow {
                expires: NOW,
                ..row(old, b"old")
            },
            b"caller",
        )
        .unwrap();
    let under_way = TaskRow {
        expires: NOW,
        run: Some(ScanId::random()),
        waits: false,
        ..row(running, b"running")
    };
    store.open_task(&under_way, b"caller").unwrap();
    store.open_task(&row(young, b"young"), b"caller").unwrap();
    assert_eq!(store.expire_tasks(NOW, room).unwrap(), 1);
    assert_eq!(
        [old, running, young].map(|id| exists(store, id)),
        [false, true, true]
    );
    // It ends, and goes.
    store
        .swap_task(&TaskRow {
            revision: 2,
            run: None,
            expires: NOW + 1,
            ..row(running, b"done")
        })
        .unwrap();
    assert_eq!(store.expire_tasks(NOW + 1, room).unwrap(), 1);
    assert!(!exists(store, running));
}

fn limits_unpaid_tasks(store: &Store) {
    let open = |caller: &[u8], age: i64, waits: bool, document: &[u8]| {
        let id = TaskId::random();
        let task = TaskRow {
            now: NOW - age,
            expires: NOW + HOUR - age,
            waits,
            ..row(id, document)
        };
        store.open_task(&task, caller).unwrap();
        id
    };
    let [eldest, elder, paid, newest] = [(9, true), (8, true), (7, false), (6, true)]
        .map(|(age, waits)| open(b"crowd", age, waits, b"0123456789"));
    let neighbour = open(b"neighbour", 9, true, b"0123456789");
    let kept = || [eldest, elder, paid, newest, neighbour].map(|id| exists(store, id));
    let room = |tasks, bytes| TaskQuota { tasks, bytes };
    assert_eq!(store.trim_tasks(b"crowd", room(3, 1_000)).unwrap(), 0);
    assert_eq!(store.trim_tasks(b"crowd", room(2, 1_000)).unwrap(), 1);
    assert_eq!(kept(), [false, true, true, true, true]);
    assert_eq!(store.trim_tasks(b"crowd", room(2, 19)).unwrap(), 1);
    assert_eq!(kept(), [false, false, true, true, true]);
    // All callers together: the newest stay, and what was paid for.
    store.expire_tasks(NOW, room(0, 1_000)).unwrap();
    assert_eq!(kept(), [false, false, true, false, false]);
}

fn finds_tasks_whose_run_has_ended(store: &Store) {
    let working = |run: ScanId| {
        let id = TaskId::random();
        let task = TaskRow {
            run: Some(run),
            waits: false,
            ..row(id, b"working")
        };
        store.open_task(&task, b"caller").unwrap();
        id
    };
    let strays = |before| store.orphaned_tasks(before, None, 100).unwrap();
    let fate = |task| {
        strays(NOW + HOUR)
            .into_iter()
            .find(|stray| stray.task == task)
            .map(|stray| stray.outcome)
    };

    let claimed = payments::claim(store, &payments::key(71));
    let task = working(claimed.run);
    assert_eq!(fate(task), None, "a process holds its lease");
    store.apply_steps(&claimed, &[PaymentStep::Free], NOW).unwrap();
    assert_eq!(fate(task), Some(RunOutcome::Gone));
    // The process that runs the task may be about to report its end.
    assert!(strays(NOW).iter().all(|stray| stray.task != task));

    let unknown = ScanId::random();
    let task = working(unknown);
    let found = strays(NOW + HOUR).into_iter().find(|stray| stray.task == task);
    assert_eq!(
        found,
        Some(OrphanedTask {
            task,
            run: unknown,
            outcome: RunOutcome::Gone
        })
    );

    let held = payments::held(store, &payments::key(72));
    let task = working(held.run);
    assert_eq!(fate(task), None, "it waits for its settlement");
    store.apply_steps(&held, &[PaymentStep::Refuse], NOW).unwrap();
    assert_eq!(fate(task), Some(RunOutcome::Refused { key: held.key }));

    let sold = payments::held(store, &payments::key(73));
    let task = working(sold.run);
    let receipt = payments::settle(store, &sold).unwrap();
    match fate(task) {
        Some(RunOutcome::Sold { key, receipt: found }) => assert_eq!((key, *found), (sold.key, receipt)),
        other => panic!("a bought run gave {other:?}"),
    }
    // The task has ended, so it is not orphaned any more.
    store
        .swap_task(&TaskRow {
            revision: 2,
            ..row(task, b"completed")
        })
        .unwrap();
    assert_eq!(fate(task), None);
}

fn tells_subscriptions_of_a_task(store: &Store) {
    let (task, owner, secret) = (
        TaskId::random(),
        "task of an agent",
        WebhookSecret::new(Vec::new()),
    );
    let hook = |name: &'static str| NewWebhook {
        id: WebhookId::random(),
        owner,
        kind: WebhookKind::Task,
        url: "https://example.com/notify",
        events: &["task.1.0"],
        name,
        secret: &secret,
        created_at: NOW,
    };
    let (first, most) = (hook("first"), 2);
    assert_eq!(
        store.put_task_webhook(task, &first, most).unwrap(),
        TaskWebhookPut::NoTask
    );
    // The subscription and the event come with the first revision. Another form of the event is left out.
    let told = |subject| {
        [
            event(owner, "task.0.3", subject),
            event(owner, "task.1.0", subject),
        ]
    };
    let opened = TaskRow {
        webhook: Some(&first),
        events: &told("1"),
        ..row(task, b"first")
    };
    store.open_task(&opened, b"caller").unwrap();
    let deliveries = |id| store.deliveries(id, None, 9).unwrap();
    assert_eq!(deliveries(first.id).len(), 1);
    // A revision that loses sends no event.
    let swap = |revision, subject| {
        let next = TaskRow {
            revision,
            events: &told(subject),
            ..row(task, b"next")
        };
        store.swap_task(&next).unwrap()
    };
    assert!(!swap(3, "3") && swap(2, "2"));
    assert_eq!(deliveries(first.id).len(), 2);
    // A subscription of the same name takes over what was not sent. Others are counted.
    let again = hook("first");
    for (hook, put) in [
        (&again, TaskWebhookPut::Stored),
        (&hook("second"), TaskWebhookPut::Stored),
        (&hook("third"), TaskWebhookPut::TooMany),
        (&hook("second"), TaskWebhookPut::Stored),
    ] {
        assert_eq!(store.put_task_webhook(task, hook, most).unwrap(), put);
    }
    assert_eq!((deliveries(first.id).len(), deliveries(again.id).len()), (0, 2));
    // Tasks are claimed apart from the subscriptions of callers.
    let claim = |kind| claim_of(store, kind, NOW);
    assert!(
        claim(WebhookKind::Standard)
            .iter()
            .all(|claimed| claimed.webhook != again.id)
    );
    let claimed = claim(WebhookKind::Task);
    assert_eq!(claimed.len(), 2);
    assert!(
        claimed
            .iter()
            .all(|claimed| claimed.webhook == again.id && claimed.event == "task.1.0")
    );
    // The subscriptions go with their task.
    assert_eq!(store.webhooks(owner).unwrap().len(), 2);
    let room = TaskQuota {
        tasks: 1_000,
        bytes: 1 << 30,
    };
    store.expire_tasks(NOW + HOUR, room).unwrap();
    assert!(store.webhooks(owner).unwrap().is_empty());
}
