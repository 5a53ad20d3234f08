//! Conformance of identities.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::workspace::{NOW, account};
use crate::{AccountAction, Identity, NewAccount, NewSession, Role, Store, StoreError};
use ibid_model::AccountId;

/// Runs the suite.
pub(crate) fn run(store: &Store) {
    an_identity_joins_one_account(store);
    groups_set_the_role_and_end_it(store);
}

fn identity(subject: &str) -> Identity {
    Identity {
        issuer: "https://id.example".to_owned(),
        subject: subject.to_owned(),
    }
}

fn an_identity_joins_one_account(store: &Store) {
    let (ada, eve) = (account(store, 0), account(store, 0));
    let (first, second) = (identity("1"), identity("2"));
    assert_eq!(store.account_of(&first).unwrap(), None);
    store.join_identity(&first, ada.id, NOW.into()).unwrap();
    assert_eq!(store.account_of(&first).unwrap().unwrap().id, ada.id);
    let again = store.join_identity(&first, eve.id, NOW.into());
    assert!(matches!(again, Err(StoreError::Exists)), "{again:?}");
    let other = Identity {
        issuer: "https://id.example/".to_owned(),
        ..first.clone()
    };
    assert_eq!(store.account_of(&other).unwrap(), None);

    let email = "grace-of-groups@example.com".parse().unwrap();
    let new = |id| NewAccount {
        id,
        email: &email,
        password: "",
        credits: 0,
        role: Role::Viewer,
    };
    let grace = AccountId::random();
    store.open_account_of(&second, &new(grace), NOW).unwrap();
    assert_eq!(store.identities(grace).unwrap(), std::slice::from_ref(&second));
    // Neither half is stored alone.
    let taken = store.open_account_of(&identity("3"), &new(AccountId::random()), NOW);
    assert!(matches!(taken, Err(StoreError::Exists)), "{taken:?}");
    assert_eq!(store.account_of(&identity("3")).unwrap(), None);

    assert!(store.part_identities(ada.id, NOW.into()).unwrap());
    assert!(!store.part_identities(ada.id, NOW.into()).unwrap());
    let log = store.account_log(Some(ada.id), 2).unwrap();
    let log: Vec<_> = log.iter().map(|entry| entry.action).collect();
    assert_eq!(
        log,
        [AccountAction::IdentityParted, AccountAction::IdentityJoined]
    );
    store.delete_account(grace, NOW.into()).unwrap();
    assert_eq!(store.account_of(&second).unwrap(), None);
    store.delete_account(ada.id, NOW.into()).unwrap();
    // One stays, for the copy to another database.
    store.join_identity(&identity("4"), eve.id, NOW.into()).unwrap();
}

fn groups_set_the_role_and_end_it(store: &Store) {
    let ada = account(store, 0);
    let session = NewSession {
        hash: [211; 32],
        account: ada.id,
        expires_at: NOW + 1_000,
        replaces: None,
    };
    store.open_session(&session, NOW).unwrap();
    let role = || store.account_by_id(ada.id).unwrap().unwrap().role;
    for given in [Role::Admin, Role::Member, Role::Admin] {
        store.set_role_of_groups(ada.id, Some(given), NOW).unwrap();
        assert_eq!(role(), given);
    }
    assert!(store.session(&[211; 32], NOW).unwrap().is_some());
    let entries = store.account_log(Some(ada.id), 100).unwrap().len();
    store.set_role_of_groups(ada.id, Some(Role::Admin), NOW).unwrap();
    assert_eq!(store.account_log(Some(ada.id), 100).unwrap().len(), entries);
    store.set_role_of_groups(ada.id, None, NOW).unwrap();
    assert_eq!(role(), Role::Viewer);
    assert!(store.session(&[211; 32], NOW).unwrap().is_none());
}
