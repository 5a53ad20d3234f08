//! Evidence in a directory: read as from the database, missing where the directory is, deleted with its scan.

use crate::SMALL;
use ibid_model::ScanId;
use ibid_service::{EvidenceAddress, EvidenceSettings, EvidenceStore};
use ibid_tests::member::{Member, PASSWORD};
use ibid_tests::{Setup, TestServer};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

/// A server that keeps evidence in this directory.
fn server(directory: &Path) -> TestServer {
    let store = EvidenceStore::open(&EvidenceAddress::Directory(directory.to_owned())).unwrap();
    Setup::default()
        .workspace()
        .tune(|service| {
            service.evidence = Some(EvidenceSettings {
                store,
                period: Duration::from_millis(20),
            })
        })
        .spawn()
}

async fn until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(20), "it never happens");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn evidence_in_a_directory_is_read_and_deleted_with_its_scan() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("evidence");
    std::fs::create_dir(&directory).unwrap();
    let server = server(&directory);
    let ada = Member::with_credits(&server, "ada@example.com", 2).await;
    let scan = ada.start(&SMALL).await;
    ada.listen(&scan).await;
    let name = scan.rsplit('/').next().unwrap();
    let id: ScanId = name.parse().unwrap();
    let object = directory.join(&name[..2]).join(format!("{name}.json.zst"));
    until(|| server.store.is_evidence_moved(id).unwrap()).await;
    assert!(object.is_file());

    let report = ada.open(&scan).await.text;
    assert!(report.contains(&format!("{scan}/answers")), "{report}");
    assert_eq!(ada.open(&format!("{scan}/rescored")).await.status, 200);
    let export = ada.open("/workspace/account/export.json").await.text;
    let data: Value = serde_json::from_str(&export).unwrap();
    let answers = data["scans"][0]["answers"]["answers"].as_array();
    assert!(!answers.unwrap().is_empty());

    // A volume that is not there: the report stays.
    let away = folder.path().join("away");
    std::fs::rename(&directory, &away).unwrap();
    std::fs::write(&directory, b"").unwrap();
    let report = ada.open(&scan).await;
    assert_eq!(report.status, 200);
    assert!(
        report.text.contains("cannot be read at the moment"),
        "{}",
        report.text
    );
    assert_eq!(ada.open(&format!("{scan}/result.json")).await.status, 200);
    for missing in ["answers", "answers.json", "answers.csv", "rescored"] {
        let reply = ada.open(&format!("{scan}/{missing}")).await;
        assert_eq!(reply.status, 500, "{missing}");
    }
    std::fs::remove_file(&directory).unwrap();
    std::fs::rename(&away, &directory).unwrap();
    assert_eq!(ada.open(&format!("{scan}/rescored")).await.status, 200);

    let deleted = ada
        .post("/workspace/account/delete", &[("password", PASSWORD)])
        .await;
    assert_eq!(deleted.status, 303);
    until(|| !object.exists()).await;
}
