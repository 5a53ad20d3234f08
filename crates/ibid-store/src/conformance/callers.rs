//! Conformance of service keys.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test suite that other crates run"
)]

use super::payments::NOW;
use crate::{KeyName, Store, StoreError};

/// Runs the suite.
pub(crate) fn run(store: &Store) {
    keys_are_added_listed_and_revoked(store);
}

fn keys_are_added_listed_and_revoked(store: &Store) {
    let name = |text: &str| text.parse::<KeyName>().unwrap();
    store.add_service_key(&name("shop"), &[1; 32], NOW).unwrap();
    store.add_service_key(&name("agency"), &[2; 32], NOW).unwrap();
    for (taken, hash) in [("shop", [3; 32]), ("other", [1; 32])] {
        match store.add_service_key(&name(taken), &hash, NOW) {
            Err(StoreError::Exists) => {}
            other => panic!("{taken} gave {other:?}"),
        }
    }
    assert!(store.revoke_service_key(&name("shop"), NOW + 5).unwrap());
    assert!(!store.revoke_service_key(&name("shop"), NOW + 9).unwrap());
    assert!(!store.revoke_service_key(&name("unknown"), NOW).unwrap());
    let keys = store.service_keys().unwrap();
    let listed: Vec<_> = keys
        .iter()
        .map(|key| (key.name.as_str(), key.hash[0], key.created_at, key.revoked_at))
        .collect();
    assert_eq!(
        listed,
        [("agency", 2, NOW, None), ("shop", 1, NOW, Some(NOW + 5))]
    );
}
