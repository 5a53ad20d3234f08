//! Roles and the pages of the administration.

use crate::{SMALL, workspace};
use ibid_service::{EngineSettings, QueueSettings};
use ibid_store::Role;
use ibid_tests::member::{Member, PASSWORD, account_id, open_account};
use ibid_tests::{ApiClient, Setup};
use reqwest::Method;
use serde_json::json;

const PAGES: [&str; 5] = [
    "/workspace/admin",
    "/workspace/admin/keys",
    "/workspace/admin/scans",
    "/workspace/admin/spending",
    "/workspace/admin/health",
];

/// The path of a link that a page shows once.
fn link_of(page: &str) -> String {
    let after = page.split("http://ibid.test/set-password/").nth(1).unwrap();
    format!("/set-password/{}", after.split('"').next().unwrap())
}

#[tokio::test]
async fn only_admins_find_the_administration() {
    let server = workspace();
    let ann = Member::with_role(&server, "ann@example.com", 0, Role::Admin).await;
    let bob = Member::with_role(&server, "bob@example.com", 0, Role::Member).await;
    let vic = Member::with_role(&server, "vic@example.com", 0, Role::Viewer).await;
    let id = account_id(&server, "bob@example.com");
    let person = format!("/workspace/admin/people/{id}");
    for path in PAGES.into_iter().chain([person.as_str()]) {
        let page = ann.open(path).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.text.contains(r#"href="/workspace/admin""#), "{path}");
        for other in [&bob, &vic] {
            assert_eq!(other.open(path).await.status, 404, "{path}");
        }
        let stranger = Member::stranger(&server).open(path).await;
        assert_eq!(stranger.status, 303, "{path}");
    }
    assert!(!bob.open("/workspace").await.text.contains("/workspace/admin"));
    for (path, pairs) in [
        (
            "/workspace/admin",
            &[("email", "eve@example.com"), ("credits", "9"), ("role", "admin")][..],
        ),
        (&format!("{person}/credits"), &[("amount", "9")]),
        (&format!("{person}/role"), &[("role", "admin")]),
        (&format!("{person}/link"), &[]),
        ("/workspace/admin/keys", &[("name", "mine")]),
        (
            "/workspace/admin/scans/cancel",
            &[("id", "00000000-0000-4000-8000-000000000000")],
        ),
        ("/workspace/admin/health", &[]),
    ] {
        assert_eq!(bob.post(path, pairs).await.status, 404, "{path}");
        // A form of another site is refused, also with the cookie of the admin.
        let foreign = ApiClient::of(&server)
            .bare(Method::POST, path)
            .header("Sec-Fetch-Site", "cross-site")
            .header("Cookie", ann.cookie.as_deref().unwrap())
            .header("Content-Type", "application/x-www-form-urlencoded")
            .send()
            .await
            .unwrap();
        assert_eq!(foreign.status(), 403, "{path}");
    }
    let unchanged = server.store.account_by_id(id).unwrap().unwrap();
    assert_eq!((unchanged.credits, unchanged.role), (0, Role::Member));
    assert_eq!(server.store.accounts().unwrap().len(), 3);
    assert!(server.store.service_keys().unwrap().is_empty());
    let unknown = "/workspace/admin/people/00000000-0000-4000-8000-000000000000";
    assert_eq!(ann.open(unknown).await.status, 404);
    assert_eq!(ann.post(&format!("{person}/nonsense"), &[]).await.status, 404);
}

#[tokio::test]
async fn an_invited_person_sets_a_password_once_and_scans() {
    let server = workspace();
    let ann = Member::with_role(&server, "ann@example.com", 0, Role::Admin).await;
    let invite = [("email", "Bob@example.com"), ("credits", "2"), ("role", "member")];
    let page = ann.post("/workspace/admin", &invite).await;
    assert_eq!(page.status, 200, "{}", page.text);
    let link = link_of(&page.text);
    assert!(!ann.open("/workspace/admin").await.text.contains(&link));
    assert_eq!(ann.post("/workspace/admin", &invite).await.status, 409);
    let odd = [("email", "bob"), ("credits", "2"), ("role", "member")];
    assert_eq!(ann.post("/workspace/admin", &odd).await.status, 400);
    // Without a password nothing signs in.
    let mut bob = Member::stranger(&server);
    assert_eq!(bob.sign_in("bob@example.com", "").await.status, 401);
    assert!(bob.open(&link).await.text.contains("bob@example.com"));
    let short = bob.post(&link, &[("password", "short")]).await;
    assert_eq!(short.status, 400);
    assert!(short.text.contains("at least 10 characters"), "{}", short.text);
    let set = bob.post(&link, &[("password", PASSWORD)]).await;
    assert_eq!(
        (set.status.as_u16(), set.header("location")),
        (303, "/workspace/projects")
    );
    bob.cookie = Some(set.header("set-cookie").split(';').next().unwrap().to_owned());
    let scan = bob.start(&SMALL).await;
    bob.listen(&scan).await;
    // Used links, and guesses.
    assert_eq!(bob.open(&link).await.status, 404);
    assert_eq!(bob.post(&link, &[("password", PASSWORD)]).await.status, 404);
    assert_eq!(bob.open("/set-password/x").await.status, 404);
    // Both are in the log, with the admin's name.
    let id = account_id(&server, "bob@example.com");
    let person = ann.open(&format!("/workspace/admin/people/{id}")).await.text;
    for words in [
        "link for a password made",
        "password set",
        "signed in",
        "ann@example.com",
    ] {
        assert!(person.contains(words), "{words}: {person}");
    }
}

#[tokio::test]
async fn an_admin_changes_credits_role_state_and_password_of_others() {
    let server = workspace();
    let ann = Member::with_role(&server, "ann@example.com", 0, Role::Admin).await;
    let id = open_account(&server, "bob@example.com", 1);
    let mut bob = Member::stranger(&server);
    bob.sign_in("bob@example.com", PASSWORD).await;
    let path = format!("/workspace/admin/people/{id}");
    let change = async |word: &str, pairs: &[(&str, &str)]| {
        ann.post(&format!("{path}/{word}"), pairs).await.status.as_u16()
    };
    let found = || server.store.account_by_id(id).unwrap().unwrap();
    assert_eq!(change("credits", &[("amount", "4")]).await, 303);
    assert_eq!(found().credits, 5);
    assert_eq!(change("credits", &[("amount", "-6")]).await, 409);
    assert_eq!(change("credits", &[("amount", "many")]).await, 400);
    assert_eq!(change("credits", &[("amount", "-5")]).await, 303);
    assert_eq!(
        (found().credits, change("role", &[("role", "boss")]).await),
        (0, 400)
    );
    assert_eq!(change("role", &[("role", "viewer")]).await, 303);
    assert_eq!(found().role, Role::Viewer);
    // The session goes on with the new role.
    assert_eq!(bob.open("/workspace/scans").await.status, 200);
    assert_eq!(bob.post("/workspace/scans", &SMALL).await.status, 403);
    assert_eq!(change("disable", &[]).await, 303);
    assert_eq!(bob.open("/workspace/scans").await.status, 303);
    assert_eq!(bob.sign_in("bob@example.com", PASSWORD).await.status, 401);
    assert_eq!(change("enable", &[]).await, 303);
    assert_eq!(bob.sign_in("bob@example.com", PASSWORD).await.status, 303);
    let made = ann.post(&format!("{path}/link"), &[]).await;
    let link = link_of(&made.text);
    assert_eq!(bob.open("/workspace/scans").await.status, 200);
    let new = [("password", "another long password")];
    assert_eq!(Member::stranger(&server).post(&link, &new).await.status, 303);
    assert_eq!(bob.open("/workspace/scans").await.status, 303);
    assert_eq!(bob.sign_in("bob@example.com", PASSWORD).await.status, 401);
    assert_eq!(
        bob.sign_in("bob@example.com", "another long password")
            .await
            .status,
        303
    );
    // An admin cannot lock itself out.
    let own = account_id(&server, "ann@example.com");
    for (word, pairs) in [("disable", &[][..]), ("role", &[("role", "member")])] {
        let path = format!("/workspace/admin/people/{own}/{word}");
        assert_eq!(ann.post(&path, pairs).await.status, 403, "{word}");
    }
}

#[tokio::test]
async fn a_viewer_reads_and_starts_nothing() {
    let server = workspace();
    let id = open_account(&server, "vic@example.com", 2);
    let mut vic = Member::stranger(&server);
    vic.sign_in("vic@example.com", PASSWORD).await;
    let scan = vic.start(&SMALL).await;
    vic.listen(&scan).await;
    let now = jiff::Timestamp::now().as_millisecond();
    server.store.set_role(id, Role::Viewer, now.into()).unwrap();
    for path in [
        &scan,
        "/workspace",
        "/workspace/scans",
        "/workspace/receipts",
        "/workspace/audits",
    ] {
        assert_eq!(vic.open(path).await.status, 200, "{path}");
    }
    assert!(vic.open("/workspace").await.text.contains("reads only"));
    for (path, pairs) in [
        ("/workspace/scans", &SMALL[..]),
        ("/workspace/audits", &[("url", "https://example.com/")]),
        (&format!("{scan}/tags"), &[("tags", "x")]),
        (&format!("{scan}/share"), &[]),
        (&format!("{scan}/cancel"), &[]),
    ] {
        let refused = vic.post(path, pairs).await;
        assert_eq!(refused.status, 403, "{path}");
        assert!(
            refused.text.contains("Not allowed for this account"),
            "{}",
            refused.text
        );
    }
    let body = json!({"domain": "example.com", "keyword": "plumber"});
    let refused = vic.app("/api/app/scan", &body).await;
    assert_eq!(refused.status, 403);
    assert!(refused.text.contains(r#""code":"forbidden""#), "{}", refused.text);
    assert_eq!(server.store.account_by_id(id).unwrap().unwrap().credits, 1);
    assert_eq!(vic.post("/sign-out", &[]).await.status, 303);
}

#[tokio::test]
async fn a_budget_refuses_a_scan_and_spending_is_listed() {
    let server = workspace();
    let ann = Member::with_role(&server, "ann@example.com", 3, Role::Admin).await;
    let id = account_id(&server, "ann@example.com");
    let scan = ann.start(&SMALL).await;
    ann.listen(&scan).await;
    let path = format!("/workspace/admin/people/{id}/budget");
    assert_eq!(ann.post(&path, &[("dollars", "a lot")]).await.status, 400);
    assert_eq!(ann.post(&path, &[("dollars", "0.00")]).await.status, 303);
    let refused = ann.post("/workspace/scans", &SMALL).await;
    assert_eq!(refused.status, 402);
    assert!(
        refused.text.contains("of your budget of this month is left"),
        "{}",
        refused.text
    );
    let body = json!({"domain": "example.com", "keyword": "plumber"});
    let refused = ann.app("/api/app/scan", &body).await;
    assert_eq!(refused.status, 402);
    assert!(
        refused.text.contains(r#""code":"budget_exceeded""#),
        "{}",
        refused.text
    );
    assert!(refused.text.contains(r#""budgetLeftUsd""#), "{}", refused.text);
    assert_eq!(server.store.account_by_id(id).unwrap().unwrap().credits, 2);
    let spending = ann.open("/workspace/admin/spending").await.text;
    let month = jiff::Timestamp::now().strftime("%Y-%m").to_string();
    assert!(
        spending.contains(&month) && spending.contains("1 run"),
        "{spending}"
    );
    assert_eq!(ann.post(&path, &[("dollars", "")]).await.status, 303);
    ann.start(&SMALL).await;
}

#[tokio::test]
async fn service_keys_are_made_shown_once_and_revoked() {
    let server = workspace();
    let ann = Member::with_role(&server, "ann@example.com", 0, Role::Admin).await;
    let made = ann.post("/workspace/admin/keys", &[("name", "shop")]).await;
    let key = made.text.split(r#"value="ibid_"#).nth(1).unwrap();
    let key = format!("ibid_{}", key.split('"').next().unwrap());
    assert_eq!(key.len(), 48);
    assert!(!ann.open("/workspace/admin/keys").await.text.contains(&key));
    let call = async |key: &str| {
        let request = ApiClient::of(&server).bare(Method::GET, "/api/v1/models");
        request.bearer_auth(key).send().await.unwrap().status().as_u16()
    };
    assert_eq!(call(&key).await, 200);
    assert_eq!(
        ann.post("/workspace/admin/keys", &[("name", "shop")])
            .await
            .status,
        409
    );
    assert_eq!(
        ann.post("/workspace/admin/keys", &[("name", "A shop")])
            .await
            .status,
        400
    );
    let revoke = [("name", "shop")];
    assert_eq!(
        ann.post("/workspace/admin/keys/revoke", &revoke).await.status,
        303
    );
    assert_eq!(
        ann.post("/workspace/admin/keys/revoke", &revoke).await.status,
        404
    );
    assert!(ann.open("/workspace/admin/keys").await.text.contains("revoked"));
    assert!(server.store.service_keys().unwrap()[0].revoked_at.is_some());
}

#[tokio::test]
async fn models_are_tested_on_request() {
    let server = workspace();
    let ann = Member::with_role(&server, "ann@example.com", 0, Role::Admin).await;
    let before = ann.open("/workspace/admin/health").await.text;
    assert!(
        before.contains("a row was written and read") && !before.contains("Last test"),
        "{before}"
    );
    let after = ann.post("/workspace/admin/health", &[]).await;
    assert_eq!(after.status, 200);
    assert!(
        after.text.contains("Last test") && after.text.contains("Anthropic Claude Opus"),
        "{}",
        after.text
    );
}

#[tokio::test]
async fn an_admin_sees_and_cancels_the_scans_of_others() {
    let server = Setup::default()
        .workspace()
        .tune(|service| {
            service.queue = QueueSettings {
                engine: EngineSettings {
                    slots: 0,
                    ..EngineSettings::default()
                },
                ..QueueSettings::default()
            }
        })
        .spawn();
    let ann = Member::with_role(&server, "ann@example.com", 0, Role::Admin).await;
    let bob = Member::with_credits(&server, "bob@example.com", 1).await;
    let page = "/workspace/admin/scans";
    assert!(ann.open(page).await.text.contains("No scan is queued or running"));
    let scan = bob.start(&SMALL).await;
    let listed = ann.open(page).await.text;
    for part in [
        "example.com <bdi>plumber</bdi>",
        "bob@example.com",
        "0 of 2",
        "queued",
    ] {
        assert!(listed.contains(part), "{part}: {listed}");
    }
    let id = scan.rsplit('/').next().unwrap();
    let cancel = format!("{page}/cancel");
    let unknown = "00000000-0000-4000-8000-000000000000";
    for odd in ["", "x", unknown] {
        assert_eq!(ann.post(&cancel, &[("id", odd)]).await.status, 404, "{odd}");
    }
    let done = ann.post(&cancel, &[("id", id)]).await;
    assert_eq!((done.status.as_u16(), done.header("location")), (303, page));
    assert!(ann.open(page).await.text.contains("No scan is queued or running"));
    let account = server
        .store
        .account_by_id(account_id(&server, "bob@example.com"))
        .unwrap()
        .unwrap();
    assert_eq!(account.credits, 1);
    assert_eq!(ann.post(&cancel, &[("id", id)]).await.status, 303);
}
