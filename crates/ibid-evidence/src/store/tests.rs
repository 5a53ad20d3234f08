use super::*;

/// The suite that every adapter passes.
async fn check(store: &EvidenceStore) {
    store.check().await.unwrap();
    let (scan, other) = (ScanId::random(), ScanId::random());
    assert!(store.get(scan).await.unwrap().is_none());
    store.delete(scan).await.unwrap();

    let document: Vec<u8> = (0..300_000_u32).map(|n| (n % 251) as u8).collect();
    store.put(scan, document.clone().into()).await.unwrap();
    store.put(other, "other".into()).await.unwrap();
    assert_eq!(store.get(scan).await.unwrap().unwrap(), document);

    store.put(scan, "again".into()).await.unwrap();
    assert_eq!(store.get(scan).await.unwrap().unwrap(), "again");
    store.put(scan, Bytes::new()).await.unwrap();
    assert_eq!(store.get(scan).await.unwrap().unwrap(), "");
    store.check().await.unwrap();

    store.delete(scan).await.unwrap();
    store.delete(scan).await.unwrap();
    assert!(store.get(scan).await.unwrap().is_none());
    assert_eq!(store.get(other).await.unwrap().unwrap(), "other");
    store.delete(other).await.unwrap();

    let large = vec![0; usize::try_from(MOST_BYTES).unwrap() + 1];
    let refused = store.put(scan, large.into()).await;
    assert!(
        matches!(refused, Err(EvidenceError::TooLarge(bytes)) if bytes == MOST_BYTES + 1),
        "{refused:?}"
    );
}

#[tokio::test]
async fn memory_passes_the_suite() {
    check(&EvidenceStore::in_memory()).await;
}

#[tokio::test]
async fn a_directory_passes_the_suite() {
    let folder = tempfile::tempdir().unwrap();
    let address = EvidenceAddress::Directory(folder.path().to_owned());
    check(&EvidenceStore::open(&address).unwrap()).await;
}

#[tokio::test]
async fn a_document_has_the_name_of_its_scan() {
    let folder = tempfile::tempdir().unwrap();
    let address = EvidenceAddress::Directory(folder.path().to_owned());
    let (store, scan) = (EvidenceStore::open(&address).unwrap(), ScanId::random());
    store.put(scan, "[]".into()).await.unwrap();
    let id = scan.to_string();
    let file = folder.path().join(&id[..2]).join(format!("{id}.json.zst"));
    assert_eq!(std::fs::read(&file).unwrap(), b"[]");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&file), 0o600);
        assert_eq!(mode(file.parent().unwrap()), 0o700);
    }
}

#[tokio::test]
async fn files_that_killed_processes_left_are_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let address = EvidenceAddress::Directory(folder.path().to_owned());
    let (store, scan) = (EvidenceStore::open(&address).unwrap(), ScanId::random());
    let id = scan.to_string();
    let objects = folder.path().join(&id[..2]);
    std::fs::create_dir(&objects).unwrap();
    let leave = || {
        for number in 1..=2 {
            std::fs::write(objects.join(format!("{id}.json.zst#{number}")), b"[").unwrap();
        }
    };
    let files = || std::fs::read_dir(&objects).unwrap().count();
    leave();
    store.put(scan, "[]".into()).await.unwrap();
    assert_eq!(files(), 1);
    leave();
    store.delete(scan).await.unwrap();
    assert_eq!(files(), 0);
}

#[tokio::test]
async fn nothing_counts_as_deleted_while_the_directory_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("volume");
    std::fs::create_dir(&path).unwrap();
    let store = EvidenceStore::open(&EvidenceAddress::Directory(path.clone())).unwrap();
    std::fs::remove_dir(path).unwrap();
    let deleted = store.delete(ScanId::random()).await;
    assert!(matches!(deleted, Err(EvidenceError::Failed(_))), "{deleted:?}");
}

#[tokio::test]
async fn a_directory_that_is_missing_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("not-mounted");
    let opened = EvidenceStore::open(&EvidenceAddress::Directory(path.clone()));
    assert!(matches!(opened, Err(EvidenceError::NoDirectory(_))), "{opened:?}");
    assert!(!path.exists());
}

#[tokio::test]
async fn a_document_that_is_too_large_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let address = EvidenceAddress::Directory(folder.path().to_owned());
    let (store, scan) = (EvidenceStore::open(&address).unwrap(), ScanId::random());
    store.put(scan, "[]".into()).await.unwrap();
    let id = scan.to_string();
    let file = folder.path().join(&id[..2]).join(format!("{id}.json.zst"));
    std::fs::File::options()
        .write(true)
        .open(file)
        .unwrap()
        .set_len(MOST_BYTES + 1)
        .unwrap();
    let read = store.get(scan).await;
    assert!(matches!(read, Err(EvidenceError::TooLarge(_))), "{read:?}");
}

#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_ends() {
    let waited = within(std::future::pending::<Result<(), ObjectError>>()).await;
    assert!(matches!(waited, Err(EvidenceError::TimedOut)), "{waited:?}");
}

#[cfg(not(feature = "s3"))]
#[test]
fn a_bucket_needs_its_feature() {
    let opened = EvidenceStore::open(&"s3://shop/ibid".parse().unwrap());
    assert!(
        matches!(opened, Err(EvidenceError::NotCompiledIn(_))),
        "{opened:?}"
    );
}

/// `IBID_TEST_S3` names a bucket.
#[cfg(feature = "s3")]
#[tokio::test]
#[ignore = "needs a bucket: .ci/with-s3"]
async fn a_bucket_passes_the_suite() {
    let address = std::env::var("IBID_TEST_S3").unwrap();
    check(&EvidenceStore::open(&address.parse().unwrap()).unwrap()).await;
}

#[cfg(feature = "s3")]
#[tokio::test]
async fn a_server_that_is_away_is_a_fault_without_the_secret() {
    // The port is free again once the listener is dropped.
    let address = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .unwrap();
    let builder = object_store::aws::AmazonS3Builder::new()
        .with_endpoint(format!("http://{address}"))
        .with_allow_http(true)
        .with_region("test")
        .with_access_key_id("test")
        .with_secret_access_key("marker-of-a-secret");
    let store = EvidenceStore::over(crate::s3::build(builder, "shop").unwrap(), Path::default());
    let failed = store.get(ScanId::random()).await.unwrap_err();
    assert!(matches!(failed, EvidenceError::Failed(_)), "{failed:?}");
    assert!(!format!("{failed:?} {store:?}").contains("marker-of-a-secret"));
}
