//! A person's data: handed out whole, deleted whole, and money without a name.

use crate::gate::Gate;
use crate::{SMALL, workspace};
use ibid_store::Role;
use ibid_tests::member::{Member, PASSWORD, account_id, open_account};
use ibid_tests::{Database, Setup};
use serde_json::Value;
use std::sync::Arc;

#[tokio::test]
async fn an_export_has_everything_of_its_account_and_nothing_of_others() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 3).await;
    let eve = Member::with_credits(&server, "eve@example.com", 1).await;
    let foreign = eve.start(&SMALL).await;
    eve.listen(&foreign).await;
    let mut scans = Vec::new();
    for _ in 0..2 {
        let scan = ada.start(&SMALL).await;
        ada.listen(&scan).await;
        scans.push(scan.rsplit('/').next().unwrap().to_owned());
    }
    let title = format!("/workspace/scans/{}/title", scans[0]);
    ada.post(&title, &[("title", "Spring")]).await;
    let audit = ada
        .post("/workspace/audits", &[("url", "https://example.com/")])
        .await;
    let audits = usize::from(audit.status == 303);
    let reply = ada.open("/workspace/account/export.json").await;
    assert_eq!(reply.status, 200);
    assert!(reply.header("content-disposition").contains("ibid-account.json"));
    let data: Value = serde_json::from_str(&reply.text).unwrap();
    assert_eq!(data["account"]["email"], "ada@example.com");
    let found = data["scans"].as_array().unwrap();
    let ids: Vec<_> = found.iter().map(|scan| scan["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 2);
    assert!(scans.iter().all(|id| ids.contains(&id.as_str())), "{ids:?}");
    for scan in found {
        assert_eq!(scan["document"]["result"]["keyword"], "plumber");
        assert_eq!(scan["request"]["keyword"], "plumber");
        assert!(!scan["answers"]["answers"].as_array().unwrap().is_empty());
    }
    assert!(found.iter().any(|scan| scan["title"] == "Spring"));
    assert_eq!(data["receipts"].as_array().unwrap().len(), 2);
    assert_eq!(data["movements"].as_array().unwrap().len(), 3);
    assert_eq!(data["audits"].as_array().unwrap().len(), audits);
    let log = data["log"].as_array().unwrap();
    assert!(log.iter().any(|entry| entry["action"] == "exported"));
    let id = foreign.rsplit('/').next().unwrap();
    for secret in [id, "eve@example.com", "argon2"] {
        assert!(!reply.text.contains(secret), "{secret}");
    }
    assert_eq!(
        Member::stranger(&server)
            .open("/workspace/account/export.json")
            .await
            .status,
        303
    );
}

#[tokio::test]
async fn a_person_deletes_the_account_with_the_password() {
    let database = Database::fresh();
    let server = Setup::default().store(database.open()).workspace().spawn();
    let mut ada = Member::with_credits(&server, "ada-marker@example.com", 2).await;
    let scan = ada.start(&SMALL).await;
    ada.listen(&scan).await;
    ada.post(&format!("{scan}/share"), &[]).await;
    let report = ada.open(&scan).await.text;
    let link = report
        .split("http://ibid.test")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let page = ada.open("/workspace/account").await;
    assert!(page.text.contains("Delete the account"), "{}", page.text);
    let delete = "/workspace/account/delete";
    let wrong = ada.post(delete, &[("password", "not the password")]).await;
    assert_eq!(wrong.status, 403);
    assert!(wrong.text.contains("the password is wrong"), "{}", wrong.text);
    assert_eq!(ada.open(&scan).await.status, 200);
    assert_eq!(ada.post(delete, &[("password", PASSWORD)]).await.status, 303);
    assert_eq!(ada.open(&scan).await.status, 303);
    assert_eq!(Member::stranger(&server).open(link).await.status, 404);
    assert_eq!(ada.sign_in("ada-marker@example.com", PASSWORD).await.status, 401);
    // The address is free for a new account, which has nothing of the old one.
    open_account(&server, "ada-marker@example.com", 0);
    ada.sign_in("ada-marker@example.com", PASSWORD).await;
    assert!(ada.open("/workspace/scans").await.text.contains("No scans yet"));
    assert_eq!(ada.open(&scan).await.status, 404);
}

#[tokio::test]
async fn guesses_of_the_password_cost_waits() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 0).await;
    let guess = async || {
        ada.post("/workspace/account/delete", &[("password", "wrong")])
            .await
            .status
    };
    for _ in 0..10 {
        assert_eq!(guess().await, 403);
    }
    assert_eq!(guess().await, 429);
    assert_eq!(server.store.accounts().unwrap().len(), 1);
}

#[tokio::test]
async fn an_admin_deletes_a_person_whose_scan_runs() {
    let server = Setup::default()
        .provider(Arc::new(Gate::shut()))
        .workspace()
        .spawn();
    let ann = Member::with_role(&server, "ann@example.com", 0, Role::Admin).await;
    let id = open_account(&server, "bob@example.com", 2);
    let mut bob = Member::stranger(&server);
    bob.sign_in("bob@example.com", PASSWORD).await;
    bob.start(&SMALL).await;
    let path = format!("/workspace/admin/people/{id}/delete");
    assert_eq!(bob.post(&path, &[("email", "bob@example.com")]).await.status, 404);
    assert_eq!(ann.post(&path, &[("email", "eve@example.com")]).await.status, 400);
    assert_eq!(ann.post(&path, &[("email", "bob@example.com")]).await.status, 303);
    assert_eq!(ann.post(&path, &[("email", "bob@example.com")]).await.status, 404);
    assert_eq!(bob.open("/workspace").await.status, 303);
    assert!(
        !ann.open("/workspace/admin")
            .await
            .text
            .contains("bob@example.com")
    );
    // Nothing was asked, so nothing was spent. The movements stay.
    let movements = server.store.movements(id, None, 9).unwrap();
    assert_eq!((movements.len(), movements[0].balance), (3, 2));
    let own = account_id(&server, "ann@example.com");
    let own = format!("/workspace/admin/people/{own}/delete");
    assert_eq!(ann.post(&own, &[("email", "ann@example.com")]).await.status, 403);
}
