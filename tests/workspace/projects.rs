//! The pages of projects, in the steps of a person: set up, run, read, invite, delete.

use ibid_service::RunOwner;
use ibid_tests::member::account_id;
use ibid_tests::{Member, Setup, TestServer};
use jiff::Timestamp;

const PROJECTS: &str = "/workspace/projects";

fn form(step: &'static str) -> Vec<(&'static str, &'static str)> {
    vec![
        ("name", "Aigua Clara"),
        ("domain", "example.com"),
        ("keyword", "plumber"),
        ("location", ""),
        ("brandNames", "Example\nExample & Co"),
        ("questionsPerModel", "8"),
        ("models", "model-1-latest"),
        ("weekday", "monday"),
        ("at", "09:00"),
        ("timeZone", "Europe/Berlin"),
        ("monthlyBudgetUsd", ""),
        ("step", step),
    ]
}

/// Waits for the end of the open run of a project, and judges it.
async fn ended(server: &TestServer, account: &str, path: &str) {
    let id = path.rsplit('/').next().unwrap();
    let owner = RunOwner::Project(id.parse().unwrap());
    let reader = ibid_store::ProjectReader::Account {
        account: account_id(server, account),
        reads_only: true,
    };
    let store = &*server.store;
    let scope = store.project_scope(reader, id.parse().unwrap()).unwrap().unwrap();
    let scan = store.project_runs(&scope, 1).unwrap()[0].scan.unwrap();
    let mut done = 0;
    loop {
        let queued = server
            .service
            .scans
            .queued_after(&owner, scan, done)
            .await
            .unwrap();
        if queued.run.ended_at.is_some() {
            break;
        }
        done = queued.run.stored;
    }
    server.service.schedules.round(Timestamp::now()).await.unwrap();
}

#[tokio::test]
async fn a_project_is_set_up_seen_beforehand_run_and_deleted() {
    let server = Setup::default().workspace().spawn();
    let ada = Member::with_credits(&server, "ada@example.com", 0).await;
    let empty = ada.open(PROJECTS).await;
    assert!(empty.text.contains("No projects yet"), "{}", empty.text);
    let new = ada.open(&format!("{PROJECTS}/new")).await;
    assert!(new.text.contains("What you sell") && !new.text.contains("Save the project"));
    let looked = ada.post(PROJECTS, &form("look")).await;
    assert_eq!(looked.status, 200, "{}", looked.text);
    for words in ["points a run", "a month", "for example", "Save the project"] {
        assert!(looked.text.contains(words), "{words}: {}", looked.text);
    }
    assert!(ada.open(PROJECTS).await.text.contains("No projects yet"));
    let mut bad = form("save");
    bad[1] = ("domain", "not a domain");
    let refused = ada.post(PROJECTS, &bad).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("The website"), "{}", refused.text);
    let saved = ada.post(PROJECTS, &form("save")).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    let path = saved.header("location").to_owned();
    // The operator has given no budget yet.
    assert!(
        ada.open(PROJECTS)
            .await
            .text
            .contains("budget of your organisation is $0")
    );
    let held = ada.post(&format!("{path}/run"), &[]).await;
    assert_eq!(held.status, 409);
    assert!(
        held.text.contains("over the budget of the organisation"),
        "{}",
        held.text
    );
    let organisation = server
        .store
        .organisations(account_id(&server, "ada@example.com"))
        .unwrap()[0]
        .id;
    server
        .store
        .set_organisation_budget(organisation, 9_000_000, 1)
        .unwrap();
    assert_eq!(ada.post(&format!("{path}/run"), &[]).await.status, 303);
    ended(&server, "ada@example.com", &path).await;
    let page = ada.open(&path).await.text;
    for words in [
        "This run",
        "Models, last run",
        "Competitors, last run",
        "done",
        "held back",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let report = page
        .split('"')
        .find(|text| text.starts_with(&format!("{path}/runs/")))
        .unwrap();
    assert_eq!(ada.open(report).await.status, 200);
    assert_eq!(ada.open(&format!("{report}/answers")).await.status, 200);
    assert_eq!(ada.open(&format!("{report}/models.csv")).await.status, 200);
    let noted = ada
        .post(
            &format!("{path}/note"),
            &[("day", "2026-11-26"), ("text", "New website")],
        )
        .await;
    assert_eq!(noted.status, 303);
    assert!(ada.open(&path).await.text.contains("New website"));
    let settings = format!("{path}/settings");
    let invited = ada
        .post(
            &format!("{path}/person"),
            &[("email", "bea@example.com"), ("role", "viewer")],
        )
        .await;
    assert!(invited.text.contains("/set-password/"), "{}", invited.text);
    let key = ada
        .post(&format!("{path}/key"), &[("name", "CI"), ("access", "read")])
        .await;
    assert!(key.text.contains("ibidp_"), "{}", key.text);
    assert!(!ada.open(&settings).await.text.contains("ibidp_"));
    let told = ada.open(&settings).await.text;
    assert!(told.contains("1 runs, 1 reports, 1 notes"), "{told}");
    // Without the tick nothing is deleted.
    assert_eq!(
        ada.post(&format!("{path}/delete"), &[]).await.header("location"),
        settings
    );
    let deleted = ada.post(&format!("{path}/delete"), &[("sure", "true")]).await;
    assert_eq!(deleted.header("location"), PROJECTS);
    assert_eq!(ada.open(&path).await.status, 404);
}
