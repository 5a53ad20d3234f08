//! Conformance of destinations.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::projects::{add, change, latest, scope};
use super::workspace::{NOW, account};
use crate::{
    ConfirmationLimits, DailyRoom, DestinationAdded, DestinationOf, DigestPeriod, NewDelivery,
    NewDestination, NewWebhook, ProjectEdit, Store, StoreError, Summary, WebhookDisabled, WebhookKind,
    WebhookSecret,
};
use ibid_model::{AccountId, ProjectId, ProjectSettings, WebhookId};

/// Runs the suite. Leaves a destination for tests of copies.
pub(crate) fn run(store: &Store) {
    an_address_gets_nothing_before_it_is_confirmed(store);
    mails_of_a_project_have_its_sender(store);
    confirmations_are_bounded(store);
    others_leave_room_for_the_reader_of_an_address(store);
    a_digest_is_queued_once(store);
    an_account_gets_the_projects_that_it_sees(store);
    an_organisation_gets_the_events_of_its_projects(store);
    alerts_beyond_a_number_are_one_message(store);
}

struct Added {
    id: WebhookId,
    of: DestinationOf,
    owner: String,
}

fn agency(store: &Store) -> (AccountId, ProjectId) {
    let admin = account(store, 0).id;
    let organisation = store.own_organisation(admin, "Agency", NOW).unwrap().unwrap();
    (admin, add(store, organisation, None))
}

fn project(store: &Store) -> ProjectId {
    agency(store).1
}

/// Adds a mail address with the tokens `[mark; 32]` to confirm and `[mark + 1; 32]` to end.
fn put(store: &Store, of: DestinationOf, url: &str, mark: u8) -> (DestinationAdded, Added) {
    let id = WebhookId::random();
    let owner = of.owner();
    let destination = NewDestination {
        of,
        webhook: NewWebhook {
            id,
            owner: &owner,
            kind: WebhookKind::Mail,
            url,
            events: &["news.confirm"],
            name: "",
            secret: &WebhookSecret::new(vec![mark; 4]),
            created_at: NOW,
        },
        events: &["change.noticed", "alert.raised"],
        digest: Some((DigestPeriod::Weekly, NOW + 100)),
        report: true,
        quiet: Some((22, 7)),
        time_zone: "Europe/Berlin",
        confirmation: Some([mark; 32]),
        token: [mark + 1; 32],
    };
    let first = event(&owner, Some(id), "news.confirm", "first");
    let limits = limits(&owner);
    let added = store.add_destination(&destination, Some(&first), 3, limits, None);
    (added.unwrap(), Added { id, of, owner })
}

/// A key asks for its organisation, a person for a new destination of their account.
fn limits(organisation: &str) -> ConfirmationLimits<'_> {
    let of_account = organisation.strip_prefix("account ");
    ConfirmationLimits {
        since: NOW - 10,
        person: of_account.map(|account| account.parse().unwrap()),
        organisation,
        room: DailyRoom {
            person: 3,
            organisation: 3,
            server: 1_000,
        },
        room_of_address: DailyRoom {
            person: 2,
            organisation: 2,
            server: 6,
        },
    }
}

fn event<'a>(owner: &'a str, only: Option<WebhookId>, event: &'a str, subject: &'a str) -> NewDelivery<'a> {
    NewDelivery {
        owner,
        only,
        event,
        subject,
        payload: b"{}",
    }
}

fn deliveries(store: &Store, id: WebhookId) -> Vec<String> {
    let found = store.deliveries(id, None, 10).unwrap();
    found.into_iter().map(|delivery| delivery.event).collect()
}

fn an_address_gets_nothing_before_it_is_confirmed(store: &Store) {
    let (outcome, added) = put(
        store,
        DestinationOf::Project(project(store)),
        "ada@example.com",
        10,
    );
    assert_eq!(outcome, DestinationAdded::Stored);
    let change = [event(&added.owner, None, "change.noticed", "1")];
    assert!(store.put_deliveries(&change, NOW).unwrap().is_empty());
    let found = store.destinations(added.of).unwrap();
    assert_eq!((found.len(), found[0].confirmed_at), (1, None));
    assert_eq!(found[0].events, ["change.noticed", "alert.raised"]);
    assert_eq!(
        (found[0].quiet, found[0].digest),
        (Some((22, 7)), Some(DigestPeriod::Weekly))
    );
    assert!(found[0].report && found[0].settings == ProjectSettings::default());
    assert!(store.due_digests(NOW + 200, NOW, 10).unwrap().is_empty());

    assert!(store.confirm_destination([99; 32], NOW).unwrap().is_none());
    let confirmed = store.confirm_destination([10; 32], NOW + 1).unwrap().unwrap();
    assert_eq!(confirmed.confirmed_at, Some(NOW + 1));
    let again = store.confirm_destination([10; 32], NOW + 2).unwrap().unwrap();
    assert_eq!(again.confirmed_at, Some(NOW + 1));
    assert_eq!(store.put_deliveries(&change, NOW).unwrap().len(), 1);
    assert!(store.put_deliveries(&change, NOW).unwrap().is_empty());
    assert_eq!(deliveries(store, added.id).len(), 2);

    let of_token = store.destination_of_token([11; 32]).unwrap().unwrap();
    assert_eq!(of_token.id, added.id);
    let ended = store.end_destination([11; 32], NOW + 3).unwrap().unwrap();
    assert_eq!(ended.disabled, Some((NOW + 3, WebhookDisabled::Unsubscribed)));
    let later = [event(&added.owner, None, "change.noticed", "2")];
    assert!(store.put_deliveries(&later, NOW).unwrap().is_empty());
    let other = DestinationOf::Project(ProjectId::random());
    assert!(!store.delete_destination(other, added.id, None).unwrap());
    assert!(store.delete_destination(added.of, added.id, None).unwrap());
    assert!(store.destination(added.id).unwrap().is_none());
}

fn mails_of_a_project_have_its_sender(store: &Store) {
    let (own, first) = agency(store);
    let of = DestinationOf::Project(first);
    let (_, added) = put(store, of, "sender@example.com", 80);
    let scope = scope(store, own, first);
    let own = ProjectSettings {
        sender_name: Some("Agency".parse().unwrap()),
        reply_to: Some("us@example.com".parse().unwrap()),
        outreach: None,
    };
    for settings in [&ProjectSettings::default(), &own] {
        let edit = ProjectEdit {
            settings: Some(settings),
            changes: &[change("settings_set")],
            ..ProjectEdit::default()
        };
        store.edit_project(&scope, &edit).unwrap();
        let found = store.destination(added.id).unwrap().unwrap();
        let project = store.project(&scope, 0).unwrap().unwrap();
        assert_eq!((&found.settings, &project.settings), (settings, settings));
    }
    let log = store.project_events(&scope, latest(9)).unwrap();
    assert_eq!(
        log.iter().filter(|event| event.action == "settings_set").count(),
        2
    );
    let program = store.program_scope(first).unwrap().unwrap();
    assert_eq!((program.project(), program.account()), (first, None));
    assert!(store.program_scope(ProjectId::random()).unwrap().is_none());
}

fn confirmations_are_bounded(store: &Store) {
    let of = DestinationOf::Project(project(store));
    let (outcome, added) = put(store, of, "grace@example.com", 20);
    assert_eq!(outcome, DestinationAdded::Stored);
    assert_eq!(
        put(store, of, "grace@example.com", 22).0,
        DestinationAdded::Exists
    );
    // A deleted destination still counts.
    assert!(store.delete_destination(of, added.id, None).unwrap());
    let (outcome, added) = put(store, of, "grace@example.com", 24);
    assert_eq!(outcome, DestinationAdded::Stored);
    assert!(store.delete_destination(of, added.id, None).unwrap());
    let third = put(store, of, "grace@example.com", 26).0;
    assert_eq!(third, DestinationAdded::TooManyConfirmations);
    assert_eq!(put(store, of, "b@example.com", 28).0, DestinationAdded::Stored);
    assert_eq!(
        put(store, of, "c@example.com", 30).0,
        DestinationAdded::TooManyConfirmations
    );
}

fn others_leave_room_for_the_reader_of_an_address(store: &Store) {
    let reader = account(store, 0);
    let address = reader.email.as_str();
    let mails = |of| {
        let outcomes = (0..9).map(|_| {
            let (outcome, added) = put(store, of, address, 90);
            store.delete_destination(of, added.id, None).unwrap();
            outcome
        });
        outcomes
            .filter(|outcome| *outcome == DestinationAdded::Stored)
            .count()
    };
    let stranger = || DestinationOf::Project(project(store));
    // Two strangers use what they have; then each of the others has one, until the address has had its six.
    assert_eq!(mails(stranger()), 2);
    assert_eq!(mails(stranger()), 1);
    for _ in 0..3 {
        assert_eq!(mails(stranger()), 1);
    }
    assert_eq!(mails(stranger()), 0);
    let other = account(store, 0).id;
    assert_eq!(mails(DestinationOf::Account(other)), 0);
    // The reader of the address has room of their own, and no more than that.
    assert_eq!(mails(DestinationOf::Account(reader.id)), 2);
}

fn a_digest_is_queued_once(store: &Store) {
    let of = DestinationOf::Project(project(store));
    let (_, added) = put(store, of, "digest@example.com", 40);
    store.confirm_destination([40; 32], NOW).unwrap();
    let due = store.due_digests(NOW + 100, NOW, 10).unwrap();
    let due: Vec<_> = due.iter().filter(|due| due.destination.id == added.id).collect();
    assert_eq!((due.len(), due[0].due, due[0].projects.len()), (1, NOW + 100, 1));
    let message = event(&added.owner, Some(added.id), "news.digest", "day");
    let (due, next) = (NOW + 100, NOW + 800);
    assert!(
        store
            .put_digest(added.id, due, next, Some(&message), NOW + 100)
            .unwrap()
    );
    assert!(
        !store
            .put_digest(added.id, due, next, Some(&message), NOW + 100)
            .unwrap()
    );
    assert_eq!(deliveries(store, added.id), ["news.digest", "news.confirm"]);
    let later = store.due_digests(NOW + 100, NOW, 10).unwrap();
    assert!(later.iter().all(|due| due.destination.id != added.id));
}

fn an_account_gets_the_projects_that_it_sees(store: &Store) {
    let (own, first) = agency(store);
    let organisation = store.own_organisation(own, "Agency", NOW).unwrap().unwrap();
    let mine = [first, add(store, organisation, None)];
    project(store);
    put(store, DestinationOf::Account(own), "me@example.com", 50);
    store.confirm_destination([50; 32], NOW).unwrap();
    let due = store.due_digests(NOW + 100, NOW, 50).unwrap();
    let due = due
        .iter()
        .find(|due| due.destination.of == DestinationOf::Account(own))
        .unwrap();
    let mut found: Vec<ProjectId> = due.projects.iter().map(|project| project.id).collect();
    let mut mine = mine.to_vec();
    found.sort_by_key(|id| *id.as_bytes());
    mine.sort_by_key(|id| *id.as_bytes());
    assert_eq!(found, mine);
}

fn an_organisation_gets_the_events_of_its_projects(store: &Store) {
    let (own, first) = agency(store);
    let organisation = store.own_organisation(own, "Agency", NOW).unwrap().unwrap();
    let second = add(store, organisation, None);
    let of = DestinationOf::Organisation(organisation);
    let (outcome, added) = put(store, of, "all@example.com", 60);
    assert_eq!(outcome, DestinationAdded::Stored);
    store.confirm_destination([60; 32], NOW).unwrap();
    assert_eq!(store.destinations(of).unwrap()[0].of, of);
    for (number, project) in [first, second, project(store)].into_iter().enumerate() {
        let (owner, subject) = (format!("project {project}"), number.to_string());
        let change = [event(&owner, None, "change.noticed", &subject)];
        let put = store.put_deliveries(&change, NOW).unwrap();
        assert_eq!(put.len(), usize::from(number < 2));
    }
    assert_eq!(deliveries(store, added.id).len(), 3);
    let due = store.due_digests(NOW + 100, NOW, 50).unwrap();
    let due = due.iter().find(|due| due.destination.id == added.id).unwrap();
    assert_eq!(due.projects.len(), 2);
}

fn alerts_beyond_a_number_are_one_message(store: &Store) {
    let of = DestinationOf::Project(project(store));
    let (_, added) = put(store, of, "many@example.com", 70);
    store.confirm_destination([70; 32], NOW).unwrap();
    for subject in ["1", "2", "3"] {
        let change = [event(&added.owner, None, "change.noticed", subject)];
        store.put_deliveries(&change, NOW + 1).unwrap();
    }
    let claimed = store
        .claim_deliveries(&[(added.id, 9)], NOW + 60, NOW + 1)
        .unwrap();
    let mut alerts: Vec<_> = claimed
        .iter()
        .filter(|claimed| claimed.event == "change.noticed")
        .map(|claimed| claimed.held)
        .collect();
    alerts.sort_by_key(|held| store.alerts_before(*held, NOW).unwrap());
    let before: Vec<u32> = alerts
        .iter()
        .map(|held| store.alerts_before(*held, NOW).unwrap())
        .collect();
    assert_eq!(before, [0, 1, 2]);
    let join = |before: Option<&[u8]>| [before.unwrap_or(b"a"), b"b"].concat();
    let into = Summary {
        event: "news.summary",
        subject: "2026-11-27",
        due: NOW + 500,
        join: &join,
    };
    assert!(store.fold_delivery(alerts[1], &into, NOW + 2).unwrap());
    assert!(store.fold_delivery(alerts[2], &into, NOW + 2).unwrap());
    assert!(matches!(
        store.fold_delivery(alerts[2], &into, NOW + 2),
        Err(StoreError::Lost)
    ));
    let early = store
        .claim_deliveries(&[(added.id, 9)], NOW + 600, NOW + 499)
        .unwrap();
    assert!(early.iter().all(|claimed| claimed.event != "news.summary"));
    let claimed = store
        .claim_deliveries(&[(added.id, 9)], NOW + 700, NOW + 500)
        .unwrap();
    let summary = claimed
        .iter()
        .find(|claimed| claimed.event == "news.summary")
        .unwrap();
    assert_eq!(summary.payload, b"abb");
    // While it is sent, nothing is added.
    let late = early.iter().find(|claimed| claimed.held.id == alerts[0].id);
    let late = late.unwrap().held;
    assert!(!store.fold_delivery(late, &into, NOW + 501).unwrap());
}
