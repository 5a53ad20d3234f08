//! Conformance of titles and logos of reports.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::workspace::{NOW, account};
use crate::{LogoChange, ReportBrand, Store};
use ibid_model::AccountId;

/// Runs the suite.
pub(crate) fn run(store: &Store) {
    a_title_and_a_logo_change_by_themselves(store);
    unknown_and_deleted_accounts_have_none(store);
}

fn a_title_and_a_logo_change_by_themselves(store: &Store) {
    let (owner, other) = (account(store, 0).id, account(store, 0).id);
    assert!(store.report_brand(owner).unwrap().is_none());
    // Without a title and a logo, no brand is stored.
    assert!(set(store, owner, None, LogoChange::Keep));
    assert!(store.report_brand(owner).unwrap().is_none());
    let bytes = [0_u8, 0xff, 0x1a, b'\n'];
    let (logo, other_logo) = (bytes.as_slice(), &bytes[..2]);
    let steps = [
        (Some("Aigua Clara ☂"), LogoChange::Keep, None),
        (Some("Aigua Clara"), LogoChange::Replace(logo), Some(logo)),
        (None, LogoChange::Keep, Some(logo)),
        (Some("A"), LogoChange::Replace(other_logo), Some(other_logo)),
        (Some("A"), LogoChange::Keep, Some(other_logo)),
        (Some("A"), LogoChange::Remove, None),
    ];
    for (title, change, kept) in steps {
        assert!(set(store, owner, title, change));
        let expected = ReportBrand {
            title: title.map(str::to_owned),
            logo: kept.map(<[u8]>::to_vec),
            changed_at: NOW,
        };
        assert_eq!(store.report_brand(owner).unwrap(), Some(expected));
    }
    assert!(store.report_brand(other).unwrap().is_none());
    assert!(set(store, owner, None, LogoChange::Remove));
    assert!(store.report_brand(owner).unwrap().is_none());
    assert!(set(store, other, Some("B"), LogoChange::Replace(logo)));
}

fn unknown_and_deleted_accounts_have_none(store: &Store) {
    assert!(!set(store, AccountId::random(), Some("A"), LogoChange::Keep));
    let owner = account(store, 0).id;
    assert!(set(store, owner, Some("A"), LogoChange::Replace(&[7; 300_000])));
    store.delete_account(owner, NOW.into()).unwrap();
    assert!(store.report_brand(owner).unwrap().is_none());
    assert!(!set(store, owner, Some("A"), LogoChange::Keep));
    assert!(store.report_brand(owner).unwrap().is_none());
}

fn set(store: &Store, account: AccountId, title: Option<&str>, logo: LogoChange<'_>) -> bool {
    store.set_report_brand(account, title, logo, NOW).unwrap()
}
