use super::*;
use crate::conformance;
use crate::conformance::postgres::empty_schema;
use crate::conformance::workspace::durable;
use crate::migration_tests;
use crate::purchase::{ClaimMode, ClaimOutcome, Lease, PaymentClaim, PaymentStep};
use crate::sql::{Executor, Query, values};
use crate::{NewAccount, NewRun, Role, Store, StoreUrl, TaskQuota, TaskRow};
use ibid_model::{AccountId, Asset, Network, Nonce, PaymentKey, ScanId, Skill, TaskId, Wallet};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex};

const NOW: i64 = 1_795_000_000_000;

/// The address of an empty database.
fn schema() -> String {
    empty_schema().expect("IBID_TEST_POSTGRES names a server")
}

/// Two processes on one empty database.
fn two() -> [Store; 2] {
    let address = schema();
    [open(&address).unwrap(), open(&address).unwrap()]
}

fn url(address: &str) -> PostgresUrl {
    match address.parse().unwrap() {
        StoreUrl::Postgres(url) => url,
        other => panic!("{other}"),
    }
}

fn open(address: &str) -> Result<Store, StoreError> {
    Store::open(&address.parse().unwrap())
}

fn postgres(store: &Store) -> &Postgres {
    match &store.database {
        crate::Database::Postgres(postgres) => postgres,
        #[cfg(feature = "sqlite")]
        crate::Database::Sqlite(_) => panic!("a SQLite database"),
    }
}

/// Does the same in several threads at once, half of them at each process.
fn at_once<T: Send>(stores: &[Store; 2], threads: usize, work: impl Fn(&Store) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(threads);
    std::thread::scope(|scope| {
        let spawn = |number: usize| {
            let (start, work) = (&start, &work);
            scope.spawn(move || {
                start.wait();
                work(&stores[number % 2])
            })
        };
        let threads: Vec<_> = (0..threads).map(spawn).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Waits until a transaction waits for the lock of another one.
fn until_a_lock_is_awaited(store: &Store, schema_table: &'static str) {
    let start = Instant::now();
    let waiting = || {
        store
            .read(|connection| {
                connection.only::<i64>(
                    "SELECT count(*) FROM pg_stat_activity
                     WHERE wait_event_type = 'Lock' AND query LIKE '%' || ?1 || '%'",
                    values![schema_table],
                )
            })
            .unwrap()
    };
    while waiting() == 0 {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "no transaction waits for a lock"
        );
        std::thread::yield_now();
    }
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn conforms() {
    let [store, _] = two();
    conformance::run(&store);
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn a_table_of_results_in_partitions_conforms() {
    let address = schema();
    let (url, store) = (url(&address), open(&address).unwrap());
    let scan = conformance::a_scan();
    store.put_scan(&scan).unwrap();
    let indexes = || {
        let names = "SELECT indexname::text FROM pg_indexes
                     WHERE schemaname = current_schema() AND tablename = 'scan' ORDER BY 1";
        texts(&url, names).unwrap()
    };
    let before = indexes();
    execute(&url, include_str!("../../partitions/scan.sql")).unwrap();
    assert_eq!(indexes(), before);
    let kinds = "SELECT relkind::text FROM pg_class WHERE oid = 'scan'::regclass";
    assert_eq!(texts(&url, kinds).unwrap(), ["p"]);
    // Evidence is compressed already, in every partition.
    let storage = "SELECT DISTINCT attstorage::text FROM pg_attribute JOIN pg_inherits ON inhrelid = attrelid
                   WHERE inhparent = 'scan'::regclass AND attname = 'answers'";
    assert_eq!(texts(&url, storage).unwrap(), ["e"]);
    let store = open(&address).unwrap();
    assert_eq!(store.scan(scan.id).unwrap().unwrap().reply, scan.reply);
    execute(&url, "TRUNCATE scan").unwrap();
    conformance::run(&store);
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn several_processes_may_start_at_once_on_an_empty_database() {
    let address = schema();
    let start = Barrier::new(6);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                start.wait();
                open(&address).unwrap().ping(7).unwrap();
            });
        }
    });
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn a_newer_schema_is_refused() {
    let address = schema();
    drop(open(&address).unwrap());
    execute(&url(&address), "INSERT INTO migration (version) VALUES (99)").unwrap();
    match open(&address) {
        Err(StoreError::NewerSchema { found: 99, .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn a_database_of_schema_17_is_brought_forward_and_an_older_one_is_refused() {
    let address = schema();
    execute(&url(&address), migration_tests::POSTGRES.dump).unwrap();
    execute(&url(&address), migration_tests::OWN_LIST).unwrap();
    migration_tests::POSTGRES.check(&open(&address).unwrap());
    execute(&url(&address), "DELETE FROM migration WHERE version > 16").unwrap();
    match open(&address) {
        Err(StoreError::OlderSchema { found: 16, .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn a_database_of_schema_45_loses_no_setting() {
    let address = schema();
    conformance::run(&open(&address).unwrap());
    let settings =
        "SELECT concat_ws(' ', id::text, name, settings::json ->> 'senderName', settings::json ->> 'replyTo')
                    FROM project ORDER BY id";
    let before = texts(&url(&address), settings).unwrap();
    assert!(
        before.iter().any(|row| row.ends_with("Agency us@example.com")),
        "{before:?}"
    );
    execute(&url(&address), migration_tests::UNSEALED).unwrap();
    let back = "ALTER TABLE project ADD COLUMN sender TEXT; ALTER TABLE project ADD COLUMN reply_to TEXT;
                UPDATE project SET sender = settings::json ->> 'senderName', reply_to = settings::json ->> 'replyTo';
                ALTER TABLE project DROP COLUMN settings; DELETE FROM migration WHERE version > 45";
    execute(&url(&address), back).unwrap();
    drop(open(&address).unwrap());
    assert_eq!(texts(&url(&address), settings).unwrap(), before);
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn a_database_of_a_development_build_is_refused() {
    let address = schema();
    let old = "CREATE TABLE schema_version (version BIGINT PRIMARY KEY)";
    execute(&url(&address), old).unwrap();
    match open(&address) {
        Err(StoreError::DevelopmentSchema) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn a_database_that_takes_no_writes_is_not_well() {
    let address = schema();
    drop(open(&address).unwrap());
    let read_only = address.replace(
        "options=-c",
        "options=-c%20default_transaction_read_only%3Don%20-c",
    );
    let error = open(&read_only).unwrap().ping(7).unwrap_err();
    assert!(error_text(&error).contains("read-only"), "{error:?}");
}

fn error_text(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", error_text(source)),
        None => error.to_string(),
    }
}

fn key(nonce: u8) -> PaymentKey {
    PaymentKey {
        network: Network::BaseSepolia,
        asset: Asset::usdc(Network::BaseSepolia).contract,
        payer: Wallet::from_bytes([7; 20]),
        nonce: Nonce::from_bytes([nonce; 32]),
    }
}

fn show(store: &Store, key: &PaymentKey, now: i64) -> ClaimOutcome {
    let visit = PaymentClaim {
        key,
        fingerprint: &[1; 32],
        request: &[1; 32],
        skill: Skill::Scan,
        identifier: None,
        resource: "https://ibid.example/api/a2a/scan",
        caller: &[7; 16],
        run: ScanId::random(),
        expires: NOW + 600_000,
        now,
        lease_until: now + 10_000,
    };
    store.claim(&visit, ClaimMode::MayStart).unwrap()
}

fn starts(visits: Vec<ClaimOutcome>) -> Vec<Lease> {
    let lease = |visited| match visited {
        ClaimOutcome::Start(lease) => Some(lease),
        ClaimOutcome::Wait => None,
        other => panic!("{other:?}"),
    };
    visits.into_iter().filter_map(lease).collect()
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn one_of_many_simultaneous_claims_starts() {
    let stores = two();
    for nonce in 0..20 {
        let key = key(nonce);
        let first = starts(at_once(&stores, 8, |store| show(store, &key, NOW)));
        assert_eq!(first.len(), 1, "of an unclaimed payment");
        // Its holder is silent for too long.
        let second = starts(at_once(&stores, 8, |store| show(store, &key, NOW + 10_000)));
        assert_eq!((second.len(), second[0].turn), (1, 2), "of an abandoned one");
        // Late steps of the first and steps of the second, at once.
        let steps = [PaymentStep::Verify, PaymentStep::Begin];
        let moved = at_once(&stores, 8, |store| {
            let late = store.apply_steps(&first[0], &steps, NOW).is_ok();
            (late, store.apply_steps(&second[0], &steps, NOW).is_ok())
        });
        assert!(moved.iter().all(|(late, _)| !late));
        assert_eq!(moved.iter().filter(|(_, taken)| *taken).count(), 1);
    }
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn a_lease_of_a_deleted_claim_is_refused() {
    let [store, _] = two();
    let key = key(1);
    let ClaimOutcome::Start(forgotten) = show(&store, &key, NOW) else {
        panic!("a fresh payment")
    };
    // What a failover to a server that lags behind does.
    store
        .write(Durability::Disk, |connection| {
            connection.execute("DELETE FROM payment", &[])
        })
        .unwrap();
    let ClaimOutcome::Start(lease) = show(&store, &key, NOW) else {
        panic!("a fresh payment")
    };
    assert_eq!(lease.turn, forgotten.turn);
    assert!(matches!(
        store.apply_steps(&forgotten, &[PaymentStep::Verify], NOW),
        Err(StoreError::Lost)
    ));
    store.renew_leases(&[forgotten], NOW + 99_000).unwrap();
    assert!(
        starts(vec![show(&store, &key, NOW + 10_000)]).len() == 1,
        "renewed for another"
    );
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn a_due_payment_is_taken_over_by_one_process() {
    let stores = two();
    for nonce in 0..30 {
        let ClaimOutcome::Start(lease) = show(&stores[0], &key(nonce), NOW) else {
            panic!("a fresh payment")
        };
        stores[0]
            .apply_steps(&lease, &[PaymentStep::Verify, PaymentStep::Begin], NOW)
            .unwrap();
        stores[0]
            .write(Durability::Disk, |connection| {
                connection.execute(
                    "UPDATE payment SET state = 'held', held = 'x', lease_until = 0 WHERE state = 'running'",
                    &[],
                )
            })
            .unwrap();
    }
    let mut due: Vec<String> = at_once(&stores, 8, |store| {
        let mut mine = Vec::new();
        loop {
            let some = store.take_over_due(NOW, NOW + 10_000, 3).unwrap();
            if some.is_empty() {
                return mine;
            }
            mine.extend(some.iter().map(|one| one.lease.key.to_string()));
        }
    })
    .concat();
    let all = due.len();
    due.sort();
    due.dedup();
    assert_eq!((due.len(), all), (30, 30));
}

fn account(store: &Store, credits: u32) -> AccountId {
    let id = AccountId::random();
    let email = format!("{id}@example.com").parse().unwrap();
    let account = NewAccount {
        id,
        email: &email,
        password: "$argon2id$",
        credits,
        role: Role::Member,
    };
    store.open_account(&account, NOW).unwrap();
    id
}

fn credits(store: &Store, account: AccountId) -> (u32, i64) {
    let movements = store.movements(account, None, 1_000).unwrap();
    (movements[0].balance, movements.iter().map(|one| one.amount).sum())
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn credits_are_spent_once_and_come_back_once() {
    let stores = two();
    let account = account(&stores[0], 10);
    let begin = |store: &Store| {
        let run = NewRun {
            id: ScanId::random(),
            account,
            request: "{}",
            domain: "a.example",
            keyword: "plumber",
            place: None,
            cost: 100,
            month_began: 0,
        };
        store.begin_run(&run, &durable(run.id, NOW), None)
    };
    let begun = at_once(&stores, 16, begin);
    assert_eq!(begun.iter().filter(|begun| begun.is_ok()).count(), 10);
    assert!(
        begun
            .iter()
            .all(|begun| matches!(begun, Ok(_) | Err(StoreError::NoCredit)))
    );
    assert_eq!(credits(&stores[0], account), (0, 0));
    let open = stores[0].unstarted_runs(NOW + 1, 99).unwrap();
    let ended = at_once(&stores, 8, |store| {
        let end = |id: &ScanId| store.end_queued_run(*id, "stopped", &[], NOW).unwrap();
        open.iter().filter(|id| end(id)).count()
    });
    let ended: usize = ended.into_iter().sum();
    assert_eq!((ended, credits(&stores[1], account)), (10, (10, 10)));
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn a_transaction_that_loses_a_deadlock_is_repeated() {
    let stores = two();
    let accounts = [account(&stores[0], 0), account(&stores[0], 0)];
    let both_have_one = Barrier::new(2);
    // Each locks the row that the other one locks next: the server aborts one of them.
    let cross = |store: &Store, order: [AccountId; 2]| {
        let first_try = AtomicBool::new(true);
        store
            .write(Durability::Disk, |connection| {
                for (step, account) in order.iter().enumerate() {
                    connection.execute(
                        "UPDATE account SET password = password || 'x' WHERE id = ?1",
                        values![*account],
                    )?;
                    if step == 0 && first_try.swap(false, Ordering::SeqCst) {
                        both_have_one.wait();
                    }
                }
                Ok(())
            })
            .unwrap();
    };
    std::thread::scope(|scope| {
        scope.spawn(|| cross(&stores[0], accounts));
        scope.spawn(|| cross(&stores[1], [accounts[1], accounts[0]]));
    });
    let passwords: Vec<String> = stores[0]
        .accounts()
        .unwrap()
        .into_iter()
        .map(|account| account.password)
        .collect();
    assert_eq!(passwords, ["$argon2id$xx", "$argon2id$xx"]);
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn a_task_that_is_paid_for_while_it_is_forgotten_stays() {
    let stores = two();
    let id = TaskId::random();
    let row = TaskRow {
        id,
        revision: 1,
        run: None,
        waits: true,
        expires: NOW,
        now: NOW,
        document: b"asked",
        webhook: None,
        events: &[],
    };
    stores[0].open_task(&row, b"caller").unwrap();
    let none = TaskQuota { tasks: 0, bytes: 0 };
    let forget: [&(dyn Fn() -> u64 + Sync); 2] = [&|| stores[1].expire_tasks(NOW, none).unwrap(), &|| {
        stores[1].trim_tasks(b"caller", none).unwrap()
    }];
    for forget in forget {
        std::thread::scope(|scope| {
            let mut connection = postgres(&stores[0]).pool.get().unwrap();
            connection.begin(DURABLE).unwrap();
            let forgetting = connection.finish(|connection| {
                connection.execute(
                    "UPDATE task SET waits = false, run = ?2, revision = revision + 1 WHERE id = ?1",
                    values![id, id],
                )?;
                let forgetting = scope.spawn(forget);
                until_a_lock_is_awaited(&stores[0], "DELETE FROM task");
                Ok(forgetting)
            });
            assert_eq!(forgetting.unwrap().join().unwrap(), 0);
        });
        assert!(stores[0].task(id).unwrap().is_some());
        stores[0]
            .write(Durability::Disk, |connection| {
                connection.execute("UPDATE task SET waits = true, run = NULL", &[])
            })
            .unwrap();
    }
    assert_eq!(stores[0].trim_tasks(b"caller", none).unwrap(), 1);
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn idle_connections_that_lost_their_server_are_replaced() {
    let address = schema();
    let name = format!("lost {}", ScanId::random());
    let named = format!("{address}&application_name={}", name.replace(' ', "%20"));
    let stores = [open(&named).unwrap(), open(&named).unwrap()];
    let fill = || {
        at_once(&stores, 16, |store| store.ping(7).unwrap());
    };
    let end_all = || {
        let mut connection = Connector::new(&url(&address)).unwrap().open().unwrap();
        let ended = connection.rows(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?1",
            values![name.as_str()],
        );
        assert!(ended.unwrap().len() > 2);
    };
    fill();
    end_all();
    assert!(stores[0].scan(ScanId::random()).unwrap().is_none());
    fill();
    end_all();
    account(&stores[0], 1);
    // In the middle of a transaction it is a fault, and leaves nothing behind.
    let before = stores[0].accounts().unwrap().len();
    let cut = stores[0].write(Durability::Disk, |connection| {
        connection.execute("UPDATE account SET disabled = true", &[])?;
        connection
            .rows("SELECT pg_terminate_backend(pg_backend_pid())", &[])
            .map(drop)
    });
    assert!(cut.is_err());
    let after = stores[0].accounts().unwrap();
    assert!(after.len() == before && after.iter().all(|account| !account.disabled));
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
async fn async_code_that_comes_without_the_bridge_is_served() {
    let [store, other] = two();
    store.ping(7).unwrap();
    assert!(store.scan(ScanId::random()).unwrap().is_none());
    drop(other);
    let store: Arc<Store> = Arc::new(store);
    crate::Db::new(Arc::clone(&store))
        .call(|store| store.ping(7))
        .await
        .unwrap();
    drop(store);
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn a_fault_quotes_no_row_and_no_password() {
    let [store, _] = two();
    // The server's detail of this has the whole row.
    let fault = store
        .write(Durability::Disk, |connection| {
            connection.execute(
                "INSERT INTO task (id, revision, waits, caller, expires, changed_at, document)
                 VALUES (gen_random_uuid(), 0, true, '', 0, 0, 'hunter2')",
                &[],
            )
        })
        .unwrap_err();
    let text = format!("{} {fault:?}", error_text(&fault));
    assert!(
        text.contains("task_revision_check") && text.contains("23514"),
        "{text}"
    );
    assert!(
        !text.contains("hunter2") && !text.contains("68756e74657232"),
        "{text}"
    );
    for address in [
        "postgres://ibid:hunter2@127.0.0.1:9/ibid",
        "postgres://ibid:hunter2@127.0.0.1:9/ibid?sslmode=require&sslrootcert=/no/such/file",
    ] {
        let error = open(address).unwrap_err();
        let text = format!("{} {error:?}", error_text(&error));
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn an_encrypted_connection_checks_authority_and_name() {
    let address = schema();
    let authority = std::env::var("IBID_TEST_POSTGRES_CA").unwrap();
    let encrypted = |how: &str| open(&address.replace("sslmode=disable", how));
    let known = format!("sslmode=verify-full&sslrootcert={authority}");
    let store = encrypted(&known).unwrap();
    let tls: bool = store
        .read(|connection| connection.only("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", &[]))
        .unwrap();
    assert!(tls);
    // The system does not know the authority, and the certificate does not have the other name.
    let refused = |store: Result<Store, StoreError>| error_text(&store.unwrap_err()).to_lowercase();
    assert!(refused(encrypted("sslmode=require")).contains("certificate"));
    let other_name = address
        .replace("sslmode=disable", &known)
        .replace("@localhost", "@127.0.0.1");
    assert!(
        refused(open(&other_name)).contains("name"),
        "{}",
        refused(open(&other_name))
    );
}

/// Hands connections on to a server until it is cut.
struct Cable {
    address: String,
    cut: Arc<AtomicBool>,
    sockets: Arc<Mutex<Vec<TcpStream>>>,
}

impl Cable {
    fn to(server: &str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let cable = Self {
            address: listener.local_addr().unwrap().to_string(),
            cut: Arc::default(),
            sockets: Arc::default(),
        };
        let (server, cut) = (server.to_owned(), Arc::clone(&cable.cut));
        let sockets = Arc::clone(&cable.sockets);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                if cut.load(Ordering::Acquire) {
                    continue;
                }
                let upstream = TcpStream::connect(&server).unwrap();
                let ends = [&client, &upstream].map(|end| end.try_clone().unwrap());
                sockets.lock().unwrap().extend(ends);
                let pairs = [
                    (client.try_clone().unwrap(), upstream.try_clone().unwrap()),
                    (upstream, client),
                ];
                for (mut from, mut to) in pairs {
                    std::thread::spawn(move || {
                        // An end that is cut ends the other one.
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        cable
    }

    fn set(&self, cut: bool) {
        self.cut.store(cut, Ordering::Release);
        for socket in self.sockets.lock().unwrap().drain(..) {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

#[test]
#[ignore = "needs a PostgreSQL server: .ci/with-postgres"]
fn calls_fail_soon_while_the_server_is_away_and_work_once_it_is_back() {
    let address = schema();
    let (login, rest) = address.split_once('@').unwrap();
    let (server, database) = rest.split_once('/').unwrap();
    let cable = Cable::to(server);
    let store = open(&format!("{login}@{}/{database}", cable.address)).unwrap();
    store.ping(7).unwrap();
    cable.set(true);
    let start = Instant::now();
    // Each would wait on its own, were the begin of the outage not known: reads for two seconds, writes for thirty.
    for _ in 0..100 {
        assert!(store.scan(ScanId::random()).unwrap_err().is_unavailable());
        assert!(store.ping(7).unwrap_err().is_unavailable());
    }
    assert!(start.elapsed() < POOL_TIMEOUT, "{:?}", start.elapsed());
    cable.set(false);
    let start = Instant::now();
    while store.ping(7).is_err() {
        assert!(start.elapsed() < POOL_TIMEOUT, "the server is not found again");
    }
}
