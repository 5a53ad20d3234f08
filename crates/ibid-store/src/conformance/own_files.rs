//! Conformance of imports of a website's own data.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::projects::{add, change, latest, scope};
use super::workspace::{NOW, account};
use crate::{BotAddresses, NewOwnFile, OwnFileOutcome, OwnFileRoom, PackedAnswers, ProjectScope, Store};
use OwnFileOutcome::{Full, Pending, Replaced, Same, Stored, Unknown};
use ibid_model::OwnFileId;

const ROOM: OwnFileRoom = OwnFileRoom { files: 2, rows: 10 };

/// Runs the suite. Leaves an import and addresses for tests of copies.
pub(crate) fn run(store: &Store) {
    a_file_counts_once_and_within_the_room(store);
    addresses_take_the_place_of_those_before(store);
}

fn put(
    store: &Store,
    scope: &ProjectScope,
    (hash, rows, text): (u8, u32, &str),
    pending: bool,
) -> (OwnFileId, OwnFileOutcome) {
    let document = PackedAnswers::of(text.as_bytes()).unwrap();
    let id = OwnFileId::random();
    let file = NewOwnFile {
        id,
        hash: &[hash; 32],
        name: "access.log",
        formats: "combined",
        days: Some(("2026-10-01", "2026-10-31")),
        row_count: rows,
        document: &document,
    };
    let outcome = store.add_own_file(scope, &file, ROOM, pending, change("own_data_imported"));
    (id, outcome.unwrap())
}

fn a_file_counts_once_and_within_the_room(store: &Store) {
    let admin = account(store, 0).id;
    let organisation = store.own_organisation(admin, "Agency", NOW).unwrap().unwrap();
    let own = scope(store, admin, add(store, organisation, None));
    let other = scope(store, admin, add(store, organisation, None));
    let (first, stored) = put(store, &own, (1, 4, "a"), false);
    assert_eq!(stored, Stored);
    assert_eq!(put(store, &own, (1, 4, "a"), false).1, Same);
    assert_eq!(put(store, &other, (1, 4, "a"), false).1, Stored);
    let listed = store.own_files(&own).unwrap();
    assert_eq!((listed.len(), listed[0].id, listed[0].row_count), (1, first, 4));
    assert_eq!((listed[0].hash, listed[0].created_at), ([1; 32], NOW));
    assert!(listed[0].email.is_some() && listed[0].days.as_ref().unwrap().1 == "2026-10-31");
    // The same file, read in another way.
    let (second, replaced) = put(store, &own, (1, 6, "b"), false);
    assert_eq!(replaced, Replaced);
    let rows = store.own_rows(&own).unwrap();
    assert_eq!((rows.len(), rows[0].unpack().unwrap()), (1, b"b".to_vec()));
    assert_eq!(put(store, &own, (2, 5, "c"), false).1, Full);
    // A pending file does not count, and another one takes its place.
    let (pending, outcome) = put(store, &own, (2, 4, "c"), true);
    assert_eq!(outcome, Pending);
    let (next, _) = put(store, &own, (3, 4, "d"), true);
    let waits = |scope, id| store.pending_own_rows(scope, id).unwrap();
    assert_eq!(waits(&own, next).unwrap().unpack().unwrap(), b"d");
    assert!(waits(&own, pending).is_none() && waits(&other, next).is_none());
    assert_eq!(store.own_files(&own).unwrap().len(), 1);
    let confirm = |scope, id| {
        let change = change("own_data_imported");
        store.confirm_own_file(scope, id, ROOM, change).unwrap()
    };
    assert_eq!(
        (confirm(&own, pending), confirm(&other, next)),
        (Unknown, Unknown)
    );
    assert_eq!((confirm(&own, next), confirm(&own, next)), (Stored, Unknown));
    assert_eq!(store.own_rows(&own).unwrap().len(), 2);
    assert_eq!(put(store, &own, (4, 0, "e"), false).1, Full);
    let delete = |scope, id| {
        let change = change("own_data_deleted");
        store.delete_own_file(scope, id, change).unwrap()
    };
    assert!(!delete(&other, second) && delete(&own, second) && !delete(&own, second));
    assert_eq!(store.project_contents(&own).unwrap().own_files, 1);
    let events = store.project_events(&own, latest(99)).unwrap();
    let count = |action: &str| events.iter().filter(|event| event.action == action).count();
    assert_eq!((count("own_data_imported"), count("own_data_deleted")), (3, 1));
    assert!(store.delete_project(&other, NOW).unwrap());
}

fn addresses_take_the_place_of_those_before(store: &Store) {
    let file = |name: &str, at| BotAddresses {
        name: name.to_owned(),
        is_program: name == "GPTBot",
        document: b"{}".to_vec(),
        updated_at: at,
    };
    store
        .put_bot_addresses(&[file("GPTBot", 1), file("bots.json", 1)])
        .unwrap();
    store.put_bot_addresses(&[file("bots.json", 2)]).unwrap();
    let stored = store.bot_addresses().unwrap();
    assert_eq!(stored, [file("GPTBot", 1), file("bots.json", 2)]);
}
