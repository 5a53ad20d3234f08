//! Isolation of accounts: the data of one account is not found by another.

use crate::{SMALL, workspace};
use ibid_tests::member::Member;
use ibid_tests::{ApiClient, Reply};
use reqwest::Method;

#[tokio::test]
async fn the_scan_of_another_account_is_not_found() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    let eve = Member::with_credits(&server, "eve@example.com", 1).await;
    let scan = ada.start(&SMALL).await;
    ada.listen(&scan).await;
    for rest in [
        "",
        "/answers",
        "/result.json",
        "/answers.json",
        "/models.csv",
        "/events",
    ] {
        let reply = eve.open(&format!("{scan}{rest}")).await;
        assert_eq!(reply.status, 404, "{rest}");
        assert!(!reply.text.contains("plumber"), "{rest}: {}", reply.text);
    }
    for (rest, pairs) in [
        ("/cancel", &[][..]),
        ("/tags", &[("tags", "tag-of-eve")]),
        ("/share", &[]),
        ("/share/revoke", &[]),
    ] {
        assert_eq!(
            eve.post(&format!("{scan}{rest}"), pairs).await.status,
            404,
            "{rest}"
        );
    }
    let id = scan.rsplit('/').next().unwrap();
    assert_eq!(
        eve.open(&format!("/workspace/compare?scan={id}&scan={id}"))
            .await
            .status,
        404
    );
    assert!(
        !eve.open(&format!("/workspace?again={id}"))
            .await
            .text
            .contains(r#"value="plumber""#)
    );
    for list in ["/workspace/scans", "/workspace/receipts", "/workspace/credits"] {
        assert!(!eve.open(list).await.text.contains(id), "{list}");
    }
    // No other surface shows it either.
    let api = ApiClient::of(&server);
    assert_eq!(api.get(&format!("/api/v1/scan/{id}")).await.status, 404);
    assert_eq!(
        Reply::of(api.bare(Method::GET, &format!("/api/a2a/scan/{id}")))
            .await
            .status,
        404
    );
    // The attempts have changed nothing.
    let report = ada.open(&scan).await.text;
    assert!(report.contains("This report is private") && !report.contains("tag-of-eve"));
    assert_eq!(ada.open("/workspace/scans/not-an-id").await.status, 404);
}
