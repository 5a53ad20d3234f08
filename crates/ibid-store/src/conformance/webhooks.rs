//! Conformance of webhooks.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::payments::NOW;
use crate::{
    AttemptOutcome, ClaimedDelivery, DeliveryAttempt, DeliveryState, NewDelivery, NewWebhook, Redelivery,
    Store, StoreError, WebhookChange, WebhookDisabled, WebhookKind, WebhookSecret,
};
use ibid_model::{DeliveryId, WebhookId};

/// A time before any failure: no subscription is disabled for failing.
const NEVER: i64 = 0;

/// Runs the suite.
/// Claims see the deliveries of all cases, so each ends its own; the last leaves rows for tests of copies.
pub(crate) fn run(store: &Store) {
    settle_all(store);
    subscriptions_belong_to_their_owner(store);
    an_event_reaches_each_subscription_once(store);
    a_delivery_is_tried_until_it_is_taken(store);
    a_postponed_delivery_has_no_attempt(store);
    two_secrets_are_valid_after_a_rotation(store);
    failing_subscriptions_are_disabled(store);
    deliveries_are_listed_sent_again_and_pruned(store);
    subscriptions_with_due_deliveries_are_found(store);
    each_delivery_is_claimed_once(store);
    leaves_a_delivery(store);
}

/// Adds a subscription and returns its id.
pub(super) fn subscribe(store: &Store, owner: &str, events: &[&str]) -> WebhookId {
    let id = WebhookId::random();
    let webhook = NewWebhook {
        id,
        owner,
        kind: WebhookKind::Standard,
        url: "https://example.com/hook",
        events,
        name: "first",
        secret: &WebhookSecret::new(vec![1; 24]),
        created_at: NOW,
    };
    assert!(store.add_webhook(&webhook, 20).unwrap());
    assert!(matches!(store.add_webhook(&webhook, 20), Err(StoreError::Exists)));
    assert!(!store.add_webhook(&webhook, 1).unwrap());
    id
}

pub(super) fn event<'a>(owner: &'a str, event: &'a str, subject: &'a str) -> NewDelivery<'a> {
    NewDelivery {
        owner,
        only: None,
        event,
        subject,
        payload: b"{}",
    }
}

fn claim(store: &Store, now: i64) -> Vec<ClaimedDelivery> {
    claim_of(store, WebhookKind::Standard, now)
}

/// Claims up to 100 due deliveries of every subscription of a kind.
pub(super) fn claim_of(store: &Store, kind: WebhookKind, now: i64) -> Vec<ClaimedDelivery> {
    let due = store.due_webhooks(kind, None, 1_000, now).unwrap();
    let wanted: Vec<_> = due.iter().map(|webhook| (webhook.id, 100)).collect();
    let mut claimed = store.claim_deliveries(&wanted, now + 100, now).unwrap();
    assert_eq!(claimed.is_empty(), due.is_empty());
    claimed.sort_by_key(|claimed| claimed.held.id);
    claimed
}

fn attempt(at: i64, status: u32) -> DeliveryAttempt {
    DeliveryAttempt {
        at,
        took: 7,
        status: Some(status),
        error: (status >= 300).then(|| "status".to_owned()),
    }
}

/// Ends every delivery of earlier cases.
fn settle_all(store: &Store) {
    for claimed in claim(store, NOW + 1_000_000) {
        let taken = attempt(NOW + 1_000_000, 204);
        store
            .end_attempt(claimed.held, &taken, AttemptOutcome::Delivered, NEVER)
            .unwrap();
    }
}

fn subscriptions_belong_to_their_owner(store: &Store) {
    let id = subscribe(store, "owner", &["run.completed", "run.failed"]);
    let found = store.webhook("owner", id).unwrap().unwrap();
    assert_eq!(found.events, ["run.completed", "run.failed"]);
    assert_eq!((found.name.as_str(), found.disabled), ("first", None));
    assert_eq!(store.webhooks("owner").unwrap(), [found]);
    assert_eq!(
        store.webhook_secret("owner", id).unwrap().unwrap().reveal(),
        [1; 24]
    );
    let change = WebhookChange {
        url: Some("https://example.com/other"),
        events: Some(&[]),
        name: Some("second"),
        enabled: Some(false),
    };
    assert!(store.webhook("other", id).unwrap().is_none());
    assert!(store.webhook_secret("other", id).unwrap().is_none());
    assert!(store.change_webhook("other", id, change, NOW).unwrap().is_none());
    assert!(!store.delete_webhook("other", id).unwrap());
    let changed = store
        .change_webhook("owner", id, change, NOW + 1)
        .unwrap()
        .unwrap();
    assert_eq!(
        (changed.url.as_str(), changed.name.as_str()),
        ("https://example.com/other", "second")
    );
    assert!(changed.events.is_empty());
    assert_eq!(changed.disabled, Some((NOW + 1, WebhookDisabled::Owner)));
    assert!(store.delete_webhook("owner", id).unwrap());
    assert!(store.webhooks("owner").unwrap().is_empty());
}

fn an_event_reaches_each_subscription_once(store: &Store) {
    let [all, some, off] =
        [&[] as &[&str], &["alert.raised"], &[]].map(|events| subscribe(store, "news", events));
    let switched = WebhookChange {
        enabled: Some(false),
        ..WebhookChange::default()
    };
    store.change_webhook("news", off, switched, NOW).unwrap().unwrap();
    let count = |id| store.deliveries(id, None, 50).unwrap().len();
    let put = |event| store.put_deliveries(&[event], NOW).unwrap().len();
    assert_eq!(put(event("news", "run.failed", "one")), 1);
    assert_eq!(put(event("news", "run.failed", "one")), 0);
    assert_eq!(put(event("news", "run.failed", "two")), 1);
    assert_eq!(put(event("news", "alert.raised", "one")), 2);
    assert_eq!(put(event("others", "alert.raised", "one")), 0);
    let named = NewDelivery {
        only: Some(some),
        ..event("news", "run.failed", "three")
    };
    assert_eq!(put(named), 1);
    assert_eq!([all, some, off].map(count), [3, 2, 0]);
    for id in [all, some, off] {
        assert!(store.delete_webhook("news", id).unwrap());
        assert_eq!(count(id), 0);
    }
}

fn a_delivery_is_tried_until_it_is_taken(store: &Store) {
    let id = subscribe(store, "tries", &[]);
    let [delivery] = store
        .put_deliveries(&[event("tries", "run.failed", "one")], NOW)
        .unwrap()[..]
    else {
        unreachable!("one subscription gets the event")
    };
    assert!(claim(store, NOW - 1).is_empty());
    let [first] = &claim(store, NOW)[..] else {
        unreachable!("one delivery is due")
    };
    assert_eq!(
        (
            first.held.id,
            first.webhook,
            first.tries,
            first.payload.as_slice()
        ),
        (delivery, id, 0, b"{}".as_slice())
    );
    assert!(claim(store, NOW + 99).is_empty());
    // The lease of a lost process ends, and what it writes later is refused.
    let again = claim(store, NOW + 100).remove(0);
    assert_eq!(again.held.epoch, first.held.epoch + 1);
    let late = store.end_attempt(first.held, &attempt(NOW, 204), AttemptOutcome::Delivered, NEVER);
    assert!(matches!(late, Err(StoreError::Lost)));
    let failed = attempt(NOW + 110, 500);
    let retry = AttemptOutcome::Retry(NOW + 500);
    assert!(
        store
            .end_attempt(again.held, &failed, retry, NEVER)
            .unwrap()
            .is_none()
    );
    assert_eq!(
        store.webhook("tries", id).unwrap().unwrap().failing_since,
        Some(NOW + 110)
    );
    assert!(claim(store, NOW + 499).is_empty());
    let third = claim(store, NOW + 500).remove(0);
    assert_eq!((third.held.id, third.tries), (delivery, 1));
    let taken = attempt(NOW + 510, 204);
    store
        .end_attempt(third.held, &taken, AttemptOutcome::Delivered, NEVER)
        .unwrap();
    assert_eq!(store.webhook("tries", id).unwrap().unwrap().failing_since, None);
    assert!(claim(store, NOW + 9_000).is_empty());
    let (record, attempts) = store.delivery(id, delivery).unwrap().unwrap();
    assert_eq!(
        (
            record.state,
            record.attempts,
            record.last_status,
            record.ended_at,
            record.next_attempt
        ),
        (DeliveryState::Delivered, 2, Some(204), Some(NOW + 510), None)
    );
    assert_eq!(attempts, [failed, taken]);
    let repeated = store.end_attempt(third.held, &attempt(NOW, 204), AttemptOutcome::Delivered, NEVER);
    assert!(matches!(repeated, Err(StoreError::Lost)));
}

fn a_postponed_delivery_has_no_attempt(store: &Store) {
    let id = subscribe(store, "postponed", &[]);
    store
        .put_deliveries(&[event("postponed", "run.failed", "one")], NOW)
        .unwrap();
    let first = claim(store, NOW).remove(0);
    store.postpone_delivery(first.held, NOW + 50).unwrap();
    let repeated = store.postpone_delivery(first.held, NOW + 90);
    assert!(matches!(repeated, Err(StoreError::Lost)));
    assert!(claim(store, NOW + 49).is_empty());
    let again = claim(store, NOW + 50).remove(0);
    assert_eq!((again.held.id, again.tries), (first.held.id, 0));
    assert_eq!(
        store.webhook("postponed", id).unwrap().unwrap().failing_since,
        None
    );
    store
        .end_attempt(
            again.held,
            &attempt(NOW + 50, 204),
            AttemptOutcome::Delivered,
            NEVER,
        )
        .unwrap();
}

fn two_secrets_are_valid_after_a_rotation(store: &Store) {
    let id = subscribe(store, "rotation", &[]);
    let next = WebhookSecret::new(vec![2; 24]);
    assert!(!store.rotate_webhook("other", id, &next, NOW + 1_000).unwrap());
    assert!(store.rotate_webhook("rotation", id, &next, NOW + 1_000).unwrap());
    let secrets = |subject, now| {
        store
            .put_deliveries(&[event("rotation", "run.failed", subject)], now)
            .unwrap();
        let claimed = claim(store, now).remove(0);
        store
            .end_attempt(claimed.held, &attempt(now, 204), AttemptOutcome::Delivered, NEVER)
            .unwrap();
        claimed
            .secrets
            .iter()
            .map(|secret| secret.reveal()[0])
            .collect::<Vec<_>>()
    };
    assert_eq!(secrets("early", NOW + 999), [2, 1]);
    assert_eq!(secrets("late", NOW + 1_000), [2]);
    let found = store.webhook("rotation", id).unwrap().unwrap();
    assert_eq!(found.before_until, Some(NOW + 1_000));
}

fn failing_subscriptions_are_disabled(store: &Store) {
    let id = subscribe(store, "failing", &[]);
    let fail = |subject, at, outcome, before| {
        store
            .put_deliveries(&[event("failing", "run.failed", subject)], at)
            .unwrap();
        let claimed = claim(store, at)
            .into_iter()
            .find(|claimed| claimed.webhook == id)
            .unwrap();
        store
            .end_attempt(claimed.held, &attempt(at, 500), outcome, before)
            .unwrap()
    };
    let later = AttemptOutcome::Retry(NOW + 5_000);
    assert!(fail("one", NOW, later, NOW - 100).is_none());
    assert!(fail("two", NOW + 99, AttemptOutcome::Failed, NOW - 1).is_none());
    let disabled = fail("three", NOW + 100, AttemptOutcome::Failed, NOW).unwrap();
    assert_eq!(
        (disabled.id, disabled.disabled),
        (id, Some((NOW + 100, WebhookDisabled::Failing)))
    );
    // The waiting deliveries have failed, and new events are not queued.
    let states: Vec<_> = store.deliveries(id, None, 9).unwrap();
    assert!(
        states.len() == 3
            && states
                .iter()
                .all(|delivery| delivery.state == DeliveryState::Failed)
    );
    assert!(
        store
            .put_deliveries(&[event("failing", "run.failed", "four")], NOW)
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        store.redeliver(id, states[0].id, NOW).unwrap(),
        Redelivery::Disabled
    );
    let on = WebhookChange {
        enabled: Some(true),
        ..WebhookChange::default()
    };
    let enabled = store.change_webhook("failing", id, on, NOW).unwrap().unwrap();
    assert_eq!((enabled.disabled, enabled.failing_since), (None, None));
    let gone = fail("five", NOW + 200, AttemptOutcome::Gone, NEVER).unwrap();
    assert_eq!(gone.disabled, Some((NOW + 200, WebhookDisabled::Gone)));
}

fn deliveries_are_listed_sent_again_and_pruned(store: &Store) {
    let id = subscribe(store, "list", &[]);
    for subject in ["a", "b", "c", "d", "e"] {
        let at = NOW + i64::from(subject.as_bytes()[0]);
        store
            .put_deliveries(&[event("list", "run.failed", subject)], at)
            .unwrap();
    }
    for claimed in claim(store, NOW + 500) {
        let taken = attempt(NOW + 500, 204);
        store
            .end_attempt(claimed.held, &taken, AttemptOutcome::Delivered, NEVER)
            .unwrap();
    }
    let all = store.deliveries(id, None, 50).unwrap();
    assert!(all.len() == 5 && all.is_sorted_by(|one, next| one.created_at > next.created_at));
    let mut paged = store.deliveries(id, None, 2).unwrap();
    loop {
        let page = store.deliveries(id, paged.last().map(|last| last.id), 2).unwrap();
        if page.is_empty() {
            break;
        }
        paged.extend(page);
    }
    assert_eq!(paged, all);
    let other = subscribe(store, "list", &[]);
    assert!(store.delivery(other, all[0].id).unwrap().is_none());
    assert_eq!(
        store.redeliver(other, all[0].id, NOW).unwrap(),
        Redelivery::Unknown
    );
    assert_eq!(
        store.redeliver(id, DeliveryId::random(), NOW).unwrap(),
        Redelivery::Unknown
    );
    assert_eq!(
        store.redeliver(id, all[0].id, NOW + 600).unwrap(),
        Redelivery::Queued
    );
    let again = claim(store, NOW + 600).remove(0);
    assert_eq!((again.held.id, again.tries), (all[0].id, 0));
    store
        .end_attempt(
            again.held,
            &attempt(NOW + 700, 204),
            AttemptOutcome::Delivered,
            NEVER,
        )
        .unwrap();
    assert_eq!(store.delivery(id, all[0].id).unwrap().unwrap().1.len(), 2);
    assert!(store.prune_deliveries(NOW + 501).unwrap() >= 4);
    let kept = store.deliveries(id, None, 50).unwrap();
    assert_eq!((kept.len(), kept[0].id), (1, all[0].id));
}

fn subscriptions_with_due_deliveries_are_found(store: &Store) {
    let owners = ["one", "two", "three", "later", "off"];
    let ids = owners.map(|owner| {
        let id = subscribe(store, owner, &[]);
        let at = NOW + if owner == "later" { 1 } else { 0 };
        for subject in ["a", "b"] {
            store
                .put_deliveries(&[event(owner, "run.failed", subject)], at)
                .unwrap();
        }
        id
    });
    let off = WebhookChange {
        enabled: Some(false),
        ..WebhookChange::default()
    };
    store.change_webhook("off", ids[4], off, NOW).unwrap().unwrap();
    let due = |after, most, now| {
        let found = store.due_webhooks(WebhookKind::Standard, after, most, now);
        found
            .unwrap()
            .into_iter()
            .map(|webhook| webhook.id)
            .collect::<Vec<_>>()
    };
    let [one, .., later, _] = ids;
    let found = store.due_webhooks(WebhookKind::Standard, None, 9, NOW).unwrap();
    assert!(
        found
            .iter()
            .any(|webhook| webhook.id == one && webhook.owner == "one")
    );
    assert!(due(None, 9, NOW - 1).is_empty());
    assert!(due(None, 9, NOW + 1).contains(&later));
    let mut now = ids[..3].to_vec();
    now.sort();
    assert_eq!(due(None, 9, NOW), now);
    assert_eq!(due(None, 2, NOW), now[..2]);
    assert_eq!(due(Some(now[0]), 9, NOW), now[1..]);
    assert!(due(Some(now[2]), 9, NOW).is_empty());
    // Deliveries of a disabled subscription are not claimed.
    // A subscription with only claimed deliveries is not due.
    let wanted: Vec<_> = ids.iter().map(|id| (*id, 9)).collect();
    assert_eq!(store.claim_deliveries(&wanted, NOW + 50, NOW).unwrap().len(), 6);
    assert!(due(None, 9, NOW + 1) == [later] && due(None, 9, NOW + 50).len() == 4);
    for (owner, id) in owners.into_iter().zip(ids) {
        assert!(store.delete_webhook(owner, id).unwrap());
    }
}

fn each_delivery_is_claimed_once(store: &Store) {
    let [loud, calm] = ["loud", "calm"].map(|owner| subscribe(store, owner, &[]));
    for number in 0..40 {
        store
            .put_deliveries(&[event("loud", "run.failed", &number.to_string())], NOW - number)
            .unwrap();
    }
    store
        .put_deliveries(&[event("calm", "run.failed", "one")], NOW + 1)
        .unwrap();
    let first = store.claim_deliveries(&[(loud, 3)], NOW + 101, NOW).unwrap();
    // The oldest come first.
    let oldest: Vec<_> = store.deliveries(loud, None, 50).unwrap()[37..].to_vec();
    assert_eq!(
        first.iter().map(|claimed| claimed.held.id).collect::<Vec<_>>(),
        oldest
            .iter()
            .rev()
            .map(|delivery| delivery.id)
            .collect::<Vec<_>>()
    );
    let mut claimed: Vec<DeliveryId> = std::thread::scope(|scope| {
        let work = |_| {
            scope.spawn(|| {
                let mut held = Vec::new();
                loop {
                    let wanted = [(loud, 7), (calm, 7)];
                    let claimed = store.claim_deliveries(&wanted, NOW + 101, NOW + 1).unwrap();
                    if claimed.is_empty() {
                        break held;
                    }
                    held.extend(claimed.iter().map(|claimed| claimed.held.id));
                }
            })
        };
        let threads: Vec<_> = (0..4).map(work).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    // One of several claimers may get no delivery although some are due.
    claimed.extend(claim(store, NOW + 1).iter().map(|claimed| claimed.held.id));
    claimed.extend(first.iter().map(|claimed| claimed.held.id));
    let count = claimed.len();
    claimed.sort();
    claimed.dedup();
    assert_eq!((count, claimed.len()), (41, 41));
    for (owner, id) in [("loud", loud), ("calm", calm)] {
        assert!(store.delete_webhook(owner, id).unwrap());
    }
}

fn leaves_a_delivery(store: &Store) {
    let id = subscribe(store, "left", &["run.failed"]);
    store
        .put_deliveries(&[event("left", "run.failed", "one")], NOW)
        .unwrap();
    let claimed = claim(store, NOW).remove(0);
    let retry = AttemptOutcome::Retry(NOW + 500);
    store
        .end_attempt(claimed.held, &attempt(NOW, 500), retry, NEVER)
        .unwrap();
    assert_eq!(store.deliveries(id, None, 9).unwrap().len(), 1);
}
