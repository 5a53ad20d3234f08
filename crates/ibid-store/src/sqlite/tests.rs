use super::*;
use crate::{NewScan, Origin, PackedAnswers, Store};
use ibid_model::ScanId;

fn scan(reply: &'static [u8]) -> NewScan<'static> {
    NewScan {
        id: ScanId::random(),
        origin: Origin::V1,
        created_at: 1,
        sandbox: false,
        method: "1",
        reply,
        answers: None,
    }
}

#[cfg(unix)]
#[test]
fn a_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ibid.db");
    let store = Store::in_file(&path).unwrap();
    store.put_scan(&scan(b"kept")).unwrap();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{:?}", file.path());
    }
}

#[test]
fn expiry_empties_the_log_of_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ibid.db");
    let store = Store::in_file(&path).unwrap();
    store.put_scan(&scan(b"kept")).unwrap();
    let log = folder.path().join("ibid.db-wal");
    assert!(std::fs::metadata(&log).unwrap().len() > 0);
    store.expire_payments(0, 0).unwrap();
    assert_eq!(std::fs::metadata(&log).unwrap().len(), 0);
}

#[test]
fn a_file_keeps_its_records_when_it_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ibid.db");
    let kept = scan(b"kept");
    Store::in_file(&path).unwrap().put_scan(&kept).unwrap();
    assert_eq!(
        Store::in_file(&path)
            .unwrap()
            .scan(kept.id)
            .unwrap()
            .unwrap()
            .reply,
        b"kept"
    );
}

#[test]
fn a_newer_schema_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ibid.db");
    drop(Store::in_file(&path).unwrap());
    Connection::open(&path)
        .unwrap()
        .execute("INSERT INTO migration VALUES (99, 'later')", [])
        .unwrap();
    match Store::in_file(&path) {
        Err(StoreError::NewerSchema { found: 99, .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_database_of_a_development_build_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ibid.db");
    let old = "CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL) STRICT;
               INSERT INTO schema_version VALUES (7, 'earlier')";
    Connection::open(&path).unwrap().execute_batch(old).unwrap();
    let error = Store::in_file(&path).unwrap_err();
    assert!(matches!(error, StoreError::DevelopmentSchema), "{error:?}");
    assert!(error.to_string().contains("development build"), "{error}");
    let tables: i64 = Connection::open(&path)
        .unwrap()
        .query_row(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(tables, 1, "the file is left as it was");
}

#[test]
fn a_database_of_schema_17_is_brought_forward_and_an_older_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ibid.db");
    let old = Connection::open(&path).unwrap();
    old.execute_batch(crate::migration_tests::SQLITE.dump).unwrap();
    old.execute_batch(crate::migration_tests::OWN_LIST).unwrap();
    crate::migration_tests::SQLITE.check(&Store::in_file(&path).unwrap());
    old.execute_batch("DELETE FROM migration WHERE version > 16")
        .unwrap();
    let error = Store::in_file(&path).unwrap_err();
    assert!(matches!(error, StoreError::OlderSchema { found: 16, .. }));
    assert!(error.to_string().contains("0.1.0 (commit 69d211a)"), "{error}");
}

/// Every row of every table.
#[cfg(feature = "conformance")]
fn everything(database: &Connection) -> Vec<String> {
    let texts = |sql: &str| {
        let mut query = database.prepare(sql).unwrap();
        let named = query.column_names().enumerate();
        let kept = named.filter(|(_, name)| !name.ends_with("_sealed"));
        let kept: Vec<usize> = kept.map(|(column, _)| column).collect();
        let text = |row: &rusqlite::Row<'_>| {
            let values = kept
                .iter()
                .map(|column| row.get::<_, rusqlite::types::Value>(*column));
            Ok(format!("{:?}", values.collect::<Result<Vec<_>, _>>()?))
        };
        let rows = query.query_map([], text).unwrap();
        rows.map(Result::unwrap).collect::<Vec<_>>()
    };
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'migration' ORDER BY name";
    let mut query = database.prepare(tables).unwrap();
    let tables = query.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let rows = tables.flat_map(|name| texts(&format!("SELECT * FROM {}", name.unwrap())));
    // What an older version did not have is null.
    rows.map(|row| {
        row.replace(r#",\"outreach\":null"#, "")
            .replace(r#"{\"senderName\":null,\"replyTo\":null}"#, "{}")
    })
    .collect()
}

#[cfg(feature = "conformance")]
#[test]
fn a_database_of_schema_45_with_everything_in_it_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ibid.db");
    crate::conformance::run(&Store::in_file(&path).unwrap());
    let file = Connection::open(&path).unwrap();
    let before = everything(&file);
    assert!(
        before.iter().any(|row| row.contains("us@example.com")),
        "settings"
    );
    let back = "ALTER TABLE project ADD COLUMN sender TEXT; ALTER TABLE project ADD COLUMN reply_to TEXT;
                UPDATE project SET sender = settings ->> 'senderName', reply_to = settings ->> 'replyTo';
                ALTER TABLE project DROP COLUMN settings; DELETE FROM migration WHERE version > 45";
    file.execute_batch(crate::migration_tests::UNSEALED).unwrap();
    file.execute_batch(back).unwrap();
    assert_ne!(everything(&file), before);
    drop(Store::in_file(&path).unwrap());
    assert_eq!(everything(&file), before);
}

#[test]
fn secrets_of_schema_46_are_sealed_and_open_after_a_rotation() {
    use crate::RunKeys;
    use crate::migration_tests::{OPEN_SECRETS, SQLITE, UNSEALED};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ibid.db");
    let file = Connection::open(&path).unwrap();
    file.execute_batch(SQLITE.dump).unwrap();
    drop(Store::in_file(&path).unwrap());
    let file = Connection::open(&path).unwrap();
    file.execute_batch(UNSEALED).unwrap();
    file.execute_batch(OPEN_SECRETS).unwrap();
    let old = RunKeys::random_line().unwrap();
    let both = format!("{}{old}", RunKeys::random_line().unwrap());
    for (round, keys) in [None, Some(old), Some(both)].into_iter().enumerate() {
        let keys = keys.map(|keys| RunKeys::parse(&keys).unwrap());
        let lease = 10 * i64::try_from(round + 1).unwrap();
        SQLITE.check_secrets(&Store::in_file(&path).unwrap(), keys.as_ref(), lease);
        let bytes = std::fs::read(&path).unwrap();
        let log = std::fs::read(path.with_extension("db-wal")).unwrap_or_default();
        for secret in [
            &b"as-shown"[..],
            b"as-mailed",
            SQLITE.share.as_bytes(),
            b"\x59\x18\x3f\x06\xb6\x3d\x53\x60",
        ] {
            let found = |bytes: &[u8]| bytes.windows(secret.len()).any(|part| part == secret);
            assert!(!found(&bytes) && !found(&log), "{}", secret.escape_ascii());
        }
    }
    // A key that is lost takes what pages show, and no link with it.
    let store = Store::in_file(&path).unwrap();
    store.seal_with(None).unwrap();
    assert!(store.badge("badge-as-shown").unwrap().is_some());
    let ada = store.account(&"ada@example.com".parse().unwrap());
    let ada = ada.unwrap().unwrap().id;
    assert_eq!(
        store.projects(crate::ProjectReader::Account(ada), 0).unwrap()[0].badge,
        None
    );
    assert!(store.second_factor(ada).is_err());
}

#[test]
fn a_failed_write_leaves_nothing_behind() {
    let store = Store::in_memory().unwrap();
    store
        .sqlite()
        .unwrap()
        .writer()
        .connection()
        .execute_batch("PRAGMA max_page_count = 12")
        .unwrap();
    let reply: &'static [u8] = Box::leak(vec![b'x'; 200_000].into_boxed_slice());
    let too_large = scan(reply);
    assert!(store.put_scan(&too_large).is_err());
    assert!(store.scan(too_large.id).unwrap().is_none());
    let small = scan(b"fits");
    store.put_scan(&small).unwrap();
    assert_eq!(store.scan(small.id).unwrap().unwrap().reply, b"fits");
}

#[test]
fn writers_of_many_threads_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::in_file(&folder.path().join("ibid.db")).unwrap();
    let scans: Vec<_> = (0..40).map(|_| scan(b"{}")).collect();
    std::thread::scope(|scope| {
        for part in scans.chunks(10) {
            let store = &store;
            scope.spawn(move || part.iter().for_each(|scan| store.put_scan(scan).unwrap()));
        }
    });
    assert!(scans.iter().all(|scan| store.scan(scan.id).unwrap().is_some()));
}

#[cfg(feature = "conformance")]
#[test]
fn conforms() {
    crate::conformance::run(&Store::in_memory().unwrap());
    let folder = tempfile::tempdir().unwrap();
    crate::conformance::run(&Store::in_file(&folder.path().join("ibid.db")).unwrap());
}

#[test]
fn damaged_evidence_is_an_error_not_a_panic() {
    assert!(PackedAnswers::packed(b"not zstd".to_vec()).unpack().is_err());
    let packed = PackedAnswers::of(b"plain").unwrap();
    assert_eq!(packed.unpack().unwrap(), b"plain");
}

#[test]
fn a_full_disk_and_a_database_without_writes_are_faults_that_pass() {
    let store = Store::in_memory().unwrap();
    let pages: i64 = store
        .sqlite()
        .unwrap()
        .writer()
        .connection()
        .query_row("PRAGMA page_count", [], |row| row.get(0))
        .unwrap();
    let limit = |pages: i64| {
        let set = format!("PRAGMA max_page_count = {pages}");
        store
            .sqlite()
            .unwrap()
            .writer()
            .connection()
            .query_row(&set, [], |row| row.get::<_, i64>(0))
            .unwrap();
    };
    let fill = || {
        store.write(Durability::Disk, |db| {
            db.execute("CREATE TABLE IF NOT EXISTS filler (bytes BLOB)", &[])?;
            db.execute("INSERT INTO filler VALUES (zeroblob(100000))", &[])
        })
    };
    limit(pages);
    assert!(fill().unwrap_err().is_unavailable());
    limit(pages + 1_000);
    fill().unwrap();
    store.sqlite().unwrap().refuse_writes().unwrap();
    assert!(fill().unwrap_err().is_unavailable());
    store.sqlite().unwrap().accept_writes().unwrap();
    let damaged = store.read(|db| db.rows("SELECT x FROM filler", &[]));
    assert!(!damaged.map(drop).unwrap_err().is_unavailable());
}
