//! A password and the token of a session reach no log line, no answer and no table.

use crate::SMALL;
use ibid_tests::member::Member;
use ibid_tests::{Database, Setup, logs};

const MARKER: &str = "marker-password-5b1c9e";

#[tokio::test]
async fn passwords_and_tokens_are_neither_stored_nor_logged() {
    let logs = logs::capture();
    let database = Database::fresh();
    let server = Setup::default().store(database.open()).workspace().spawn();
    let account = ibid_tests::member::open_account(&server, "ada@example.com", 2);
    let hash = ibid_service::hash_password(&MARKER.to_owned().into(), "").unwrap();
    server.store.set_password(account, &hash, 1_i64.into()).unwrap();
    let mut ada = Member::stranger(&server);
    let mut seen = vec![
        ada.sign_in("ada@example.com", "wrong-marker-password-5b1c9e")
            .await,
        // The password was typed into the wrong field.
        ada.sign_in(MARKER, "x").await,
    ];
    assert_eq!(ada.sign_in("ada@example.com", MARKER).await.status, 303);
    let token = ada.cookie.clone().unwrap().split_once('=').unwrap().1.to_owned();
    let scan = ada.start(&SMALL).await;
    ada.listen(&scan).await;
    for path in ["/workspace", "/workspace/scans", &scan, "/workspace/credits"] {
        seen.push(ada.open(path).await);
    }
    seen.push(ada.app("/api/app/plan", &serde_json::json!({})).await);
    seen.push(ada.post("/sign-out", &[]).await);
    drop(server);
    for (index, reply) in seen.iter().enumerate() {
        assert!(!reply.text.contains(&token), "{index}");
        // The address field is sent back to the client that filled it in.
        assert!(index == 1 || !reply.text.contains(MARKER), "{index}");
        assert!(!format!("{:?}", reply.headers).contains(&token), "{index}");
    }
    for line in logs.text().lines() {
        assert!(!line.contains(MARKER) && !line.contains(&token), "{line}");
        assert!(
            !line.contains("$argon2id") && !line.contains("test-operator-key"),
            "{line}"
        );
    }
    for secret in [MARKER, &token, "test-operator-key"] {
        assert!(!database.holds(secret), "{secret}");
    }
    assert!(database.holds("ada@example.com"));
}
