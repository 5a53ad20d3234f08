//! Renaming and deleting scans.

use crate::gate::Gate;
use crate::{SMALL, workspace};
use ibid_tests::Setup;
use ibid_tests::member::Member;
use std::sync::Arc;

#[tokio::test]
async fn a_title_is_shown_and_found() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 2).await;
    let eve = Member::with_credits(&server, "eve@example.com", 0).await;
    let scan = ada.start(&SMALL).await;
    ada.listen(&scan).await;
    let edit = format!("{scan}/edit");
    assert!(ada.open("/workspace/scans").await.text.contains(&edit));
    assert!(ada.open(&scan).await.text.contains(&edit));
    assert_eq!(ada.open(&edit).await.status, 200);
    let titled = [("title", " Before the <relaunch> ")];
    assert_eq!(
        ada.post(&format!("{scan}/title"), &titled)
            .await
            .header("location"),
        scan
    );
    let shown = "Before the &lt;relaunch&gt;";
    for path in [scan.as_str(), &edit, "/workspace/scans?q=relaunch"] {
        let page = ada.open(path).await.text;
        assert!(page.contains(shown), "{path}: {page}");
    }
    let long = "x".repeat(121);
    assert_eq!(
        ada.post(&format!("{scan}/title"), &[("title", &long)])
            .await
            .status,
        400
    );
    for rest in ["edit", "title", "delete"] {
        let path = format!("{scan}/{rest}");
        let reply = match rest {
            "edit" => eve.open(&path).await,
            _ => eve.post(&path, &[("title", "mine")]).await,
        };
        assert_eq!(reply.status, 404, "{rest}");
    }
    ada.post(&format!("{scan}/title"), &[("title", "")]).await;
    assert!(!ada.open(&scan).await.text.contains("relaunch"));
}

#[tokio::test]
async fn a_deleted_scan_is_gone_everywhere_and_its_receipt_stays() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 2).await;
    let stranger = Member::stranger(&server);
    let scan = ada.start(&SMALL).await;
    ada.listen(&scan).await;
    ada.post(&format!("{scan}/tags"), &[("tags", "autumn")]).await;
    ada.post(&format!("{scan}/share"), &[]).await;
    let report = ada.open(&scan).await.text;
    let link = report.split("http://ibid.test").nth(1).unwrap();
    let link = link.split('"').next().unwrap();
    assert_eq!(stranger.open(link).await.status, 200);
    assert_eq!(ada.open(&format!("{scan}/result.json")).await.status, 200);
    assert_eq!(
        ada.post(&format!("{scan}/delete"), &[]).await.header("location"),
        "/workspace/scans"
    );
    for rest in [
        "",
        "/answers",
        "/edit",
        "/result.json",
        "/answers.json",
        "/models.csv",
        "/rescored",
    ] {
        assert_eq!(ada.open(&format!("{scan}{rest}")).await.status, 404, "{rest}");
    }
    assert_eq!(stranger.open(link).await.status, 404);
    assert_eq!(stranger.open(&format!("{link}/result.json")).await.status, 404);
    let id = scan.rsplit('/').next().unwrap();
    assert!(!ada.open("/workspace/scans").await.text.contains(id));
    assert_eq!(ada.open("/workspace/websites/example.com").await.status, 404);
    let receipts = ada.open("/workspace/receipts").await.text;
    assert!(
        receipts.contains("example.com") && !receipts.contains(id),
        "{receipts}"
    );
    let credits = ada.open("/workspace/credits").await.text;
    assert!(
        credits.contains("Scan started") && !credits.contains(id),
        "{credits}"
    );
    assert_eq!(ada.post(&format!("{scan}/delete"), &[]).await.status, 404);
}

#[tokio::test]
async fn a_running_scan_is_stopped_before_it_is_deleted() {
    let gate = Gate::shut();
    let server = Setup::default().provider(Arc::new(gate)).workspace().spawn();
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    let scan = ada.start(&SMALL).await;
    assert!(
        ada.open(&format!("{scan}/edit"))
            .await
            .text
            .contains("it is stopped first")
    );
    assert_eq!(ada.post(&format!("{scan}/delete"), &[]).await.status, 303);
    assert_eq!(ada.open(&scan).await.status, 404);
    // No answer had arrived, so the credit came back.
    assert!(ada.open("/workspace").await.text.contains("1 credit"));
}
