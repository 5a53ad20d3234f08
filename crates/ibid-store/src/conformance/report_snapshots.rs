//! Conformance of reports of projects.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::projects::{add, change, scope};
use super::workspace::{NOW, account};
use crate::{NewReport, NewReportLink, PackedAnswers, Store};
use ibid_model::ReportId;

/// Runs the suite. Leaves a report for tests of copies.
pub(crate) fn run(store: &Store) {
    a_report_is_kept_as_it_was_made(store);
}

fn a_report_is_kept_as_it_was_made(store: &Store) {
    let admin = account(store, 0).id;
    let organisation = store.own_organisation(admin, "Agency", NOW).unwrap().unwrap();
    let own = scope(store, admin, add(store, organisation, None));
    let other = scope(store, admin, add(store, organisation, None));
    let document = PackedAnswers::of(b"{}").unwrap();
    let put = |logo, most| {
        let id = ReportId::random();
        let report = NewReport {
            id,
            title: "November",
            sha256: &[7; 32],
            document: &document,
            logo,
        };
        let made = store
            .add_report(&own, &report, most, change("report_made"))
            .unwrap();
        made.then_some(id)
    };
    let again = |id, most| {
        let report = NewReport {
            id,
            title: "Again",
            sha256: &[9; 32],
            document: &document,
            logo: None,
        };
        store
            .add_report(&own, &report, most, change("report_made"))
            .unwrap()
    };
    let (first, second) = (put(Some(&b"png"[..]), 2).unwrap(), put(None, 2).unwrap());
    assert_eq!(put(None, 2), None);
    // A report that is made once more stays as it was.
    assert!(again(first, 3));
    assert_eq!(
        store.report(&own, first).unwrap().unwrap().record.title,
        "November"
    );
    let listed = store.reports(&own).unwrap();
    assert_eq!((listed.len(), listed[0].link.as_ref()), (2, None));
    assert!(store.reports(&other).unwrap().is_empty());
    assert!(store.report(&other, first).unwrap().is_none());
    let found = store.report(&own, first).unwrap().unwrap();
    assert_eq!(found.document.unpack().unwrap(), b"{}");
    assert_eq!(
        (found.logo.as_deref(), found.record.sha256),
        (Some(&b"png"[..]), [7; 32])
    );

    let token = first.to_string();
    let link = NewReportLink {
        token: &token,
        until: Some(NOW + 10),
        password: Some("hash"),
    };
    let set = |scope, id, link| {
        let change = change("report_link_set");
        store.set_report_link(scope, id, link, change).unwrap()
    };
    assert!(set(&own, first, Some(&link)) && !set(&other, first, Some(&link)));
    let linked = store.linked_report(&token, NOW).unwrap().unwrap().record;
    assert_eq!(linked.id, first);
    assert_eq!(linked.link.unwrap().password.as_deref(), Some("hash"));
    assert!(store.linked_report(&token, NOW + 10).unwrap().is_none());
    assert!(store.linked_report("other", NOW).unwrap().is_none());
    assert!(set(&own, first, None));
    assert!(store.linked_report(&token, NOW).unwrap().is_none());

    assert!(
        !store
            .delete_report(&other, second, change("report_deleted"))
            .unwrap()
    );
    assert!(
        store
            .delete_report(&own, second, change("report_deleted"))
            .unwrap()
    );
    assert_eq!(store.reports(&own).unwrap().len(), 1);
    assert_eq!(store.project_contents(&own).unwrap().snapshots, 1);
    // The row that copies of the database find has a link.
    assert!(set(&own, first, Some(&link)));
    assert!(store.delete_project(&other, NOW).unwrap());
    let third = scope(store, admin, add(store, organisation, None));
    let report = NewReport {
        id: ReportId::random(),
        title: "December",
        sha256: &[8; 32],
        document: &document,
        logo: None,
    };
    assert!(
        store
            .add_report(&third, &report, 1, change("report_made"))
            .unwrap()
    );
    assert!(store.delete_project(&third, NOW).unwrap());
}
