//! Conformance of second factors.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::workspace::{NOW, account, again};
use crate::{AccountAction, Change, Store, StoreError};

/// Runs the suite.
pub(crate) fn run(store: &Store) {
    a_factor_holds_once_it_is_confirmed(store);
    codes_are_used_once(store);
    the_end_of_a_factor_takes_its_codes_along(store);
}

fn codes(key: u8) -> [[u8; 32]; 2] {
    [[key; 32], [key + 1; 32]]
}

fn a_factor_holds_once_it_is_confirmed(store: &Store) {
    let owner = account(store, 0);
    assert!(store.second_factor(owner.id).unwrap().is_none());
    assert!(!store.confirm_second_factor(owner.id, 7, &[], NOW).unwrap());
    store.begin_second_factor(owner.id, &[1; 20]).unwrap();
    store.begin_second_factor(owner.id, &[2; 20]).unwrap();
    let found = store.second_factor(owner.id).unwrap().unwrap();
    assert_eq!(
        (found.secret, found.confirmed, found.codes_left),
        ([2; 20], false, 0)
    );
    assert!(!format!("{found:?}").contains("secret"));
    // Neither asked for nor used before it is confirmed.
    assert!(!again(store, &owner).second_factor && !store.use_step(owner.id, 9).unwrap());
    assert!(store.confirm_second_factor(owner.id, 7, &codes(10), NOW).unwrap());
    assert!(!store.confirm_second_factor(owner.id, 8, &codes(20), NOW).unwrap());
    let found = store.second_factor(owner.id).unwrap().unwrap();
    assert_eq!((found.confirmed, found.codes_left), (true, 2));
    assert!(again(store, &owner).second_factor);
    assert!(matches!(
        store.begin_second_factor(owner.id, &[3; 20]),
        Err(StoreError::Exists)
    ));
}

fn codes_are_used_once(store: &Store) {
    let (owner, other) = (account(store, 0), account(store, 0));
    store.begin_second_factor(owner.id, &[1; 20]).unwrap();
    store.confirm_second_factor(owner.id, 7, &codes(30), NOW).unwrap();
    // The code that confirmed counts as used.
    let uses = [7, 8, 8, 6, 9].map(|step| store.use_step(owner.id, step).unwrap());
    assert_eq!(uses, [false, true, false, false, true]);
    assert!(!store.use_step(other.id, 99).unwrap());
    assert!(!store.use_recovery_code(other.id, &[30; 32], NOW).unwrap());
    assert!(store.use_recovery_code(owner.id, &[30; 32], NOW).unwrap());
    assert!(!store.use_recovery_code(owner.id, &[30; 32], NOW).unwrap());
    assert_eq!(store.second_factor(owner.id).unwrap().unwrap().codes_left, 1);
    let used = std::thread::scope(|scope| {
        let attempt = |_| scope.spawn(|| store.use_step(owner.id, 10).unwrap());
        let threads: Vec<_> = (0..4).map(attempt).collect();
        let ends = threads.into_iter().map(|thread| thread.join().unwrap());
        ends.filter(|used| *used).count()
    });
    assert_eq!(used, 1);
}

fn the_end_of_a_factor_takes_its_codes_along(store: &Store) {
    let (owner, admin) = (account(store, 0), account(store, 0));
    let change = Change {
        at: NOW,
        by: Some(admin.id),
    };
    let begin = |key| {
        store.begin_second_factor(owner.id, &[1; 20]).unwrap();
        let confirmed = store.confirm_second_factor(owner.id, 7, &codes(key), NOW);
        assert!(confirmed.unwrap());
    };
    begin(40);
    store.set_password(owner.id, "x", NOW.into()).unwrap();
    assert!(again(store, &owner).second_factor);
    assert!(store.remove_second_factor(owner.id, change).unwrap());
    assert!(!store.remove_second_factor(owner.id, change).unwrap());
    assert!(!store.use_recovery_code(owner.id, &[40; 32], NOW).unwrap());
    let log = store.account_log(Some(owner.id), 3).unwrap();
    let seen: Vec<_> = log
        .iter()
        .map(|entry| (entry.action, entry.by.as_deref()))
        .collect();
    assert_eq!(
        seen,
        [
            (AccountAction::SecondFactorOff, Some(admin.email.as_str())),
            (AccountAction::Password, None),
            (AccountAction::SecondFactorOn, None),
        ]
    );
    begin(40);
    store.delete_account(owner.id, NOW.into()).unwrap();
    assert!(store.second_factor(owner.id).unwrap().is_none());
    assert!(!store.use_recovery_code(owner.id, &[40; 32], NOW).unwrap());
}
