//! Every page of a server that begins: its links open, and it shows no code.

use crate::projects::{PROJECTS, ended, with};
use ibid_store::Role;
use ibid_tests::{Member, Setup, crawl};

#[tokio::test]
async fn every_page_after_the_first_run_opens_and_shows_no_code() {
    let server = Setup::default().workspace().spawn();
    let ada = Member::with_role(&server, "ada@example.com", 5, Role::Admin).await;
    ada.post("/workspace/admin/spending", &[("dollars", "25")]).await;
    let place = [("location", "Valencia, Spain")];
    let saved = ada.upload(PROJECTS, &with("save", &place), None).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    let path = saved.header("location").to_owned();
    assert_eq!(ada.post(&format!("{path}/run"), &[]).await.status, 303);
    ended(&server, "ada@example.com", &path).await;
    let scan = [
        ("domain", "example.com"),
        ("keyword", "plumber"),
        ("location", "Valencia, Spain"),
        ("models", "model-1-latest"),
        ("models", "model-2-latest"),
        ("rings", "1"),
        ("questionsPerModel", "2"),
        ("keywordsPerRing", "2"),
        ("queriesPerKeyword", "1"),
    ];
    let scan = ada.start(&scan).await;
    ada.listen(&scan).await;
    ada.post(&format!("{scan}/share"), &[]).await;
    let from = [
        "/",
        "/workspace",
        PROJECTS,
        "/workspace/account",
        "/workspace/admin",
    ];
    let (faults, opened) = crawl(&ada, "http://ibid.test", &from).await;
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(opened > 60, "only {opened} pages were found");
}
