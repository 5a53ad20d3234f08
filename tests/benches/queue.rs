//! Queued scans against direct ones, and the engine alone.
//!
//! `cargo build --profile dist -p ibid-server && cargo bench -p ibid-tests --bench queue -- PART`
//!
//! | Part | Measures |
//! |---|---|
//! | `claims` | Claims a second of the store, SQLite, and PostgreSQL under `.ci/with-postgres` |
//! | `one` | The time from an order to its first call, and a queued scan against a direct one |
//! | `many` | 500 queued scans against 500 direct ones |
//! | `rate [MINUTES]` | Twelve scans of 99 calls a second, against a model that takes 14 seconds |
//! | `two` | One process against two on one PostgreSQL, with 100 calls in flight each |
//! | `kill [MINUTES]` | Two processes on one PostgreSQL, one of which is killed every 20 seconds |
//!
//! Without a part: `claims`, `one` and `many`. Mock and servers are processes of their own. Needs Linux (`/proc`).
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark prints and fails loudly"
)]

use actix_web::{App, HttpResponse, HttpServer, web};
use futures_util::stream::{FuturesUnordered, StreamExt};
use ibid_model::ScanId;
use ibid_store::conformance::postgres::empty_schema;
use ibid_store::{NewDurableRun, RunSubject, StepRoom, Store, WorkerId};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const MOCK: u16 = 19_110;
const SERVERS: [u16; 2] = [19_111, 19_112];
const KEYS: &str = "bench AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n";

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let minutes = arguments.get(1).map_or(10, |minutes| minutes.parse().unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    ibid_tests::install_tls();
    match arguments.first().map(String::as_str) {
        Some("mock") => actix_web::rt::System::new().block_on(mock(minutes)),
        Some("claims") => claims(),
        Some("one") => runtime.block_on(one()),
        Some("many") => runtime.block_on(many()),
        Some("rate") => runtime.block_on(rate(minutes)),
        Some("two") => runtime.block_on(two()),
        Some("kill") => runtime.block_on(kill(minutes)),
        Some(other) => unreachable!("there is no part {other}"),
        None => {
            claims();
            runtime.block_on(one());
            runtime.block_on(many());
        }
    }
}

// The mock

/// The calls that the mock has seen.
#[derive(Default)]
struct Seen {
    calls: AtomicU64,
    /// Those whose caller stayed until the answer.
    answered: AtomicU64,
    open: AtomicU64,
    most_open: AtomicU64,
    /// The time of the first call since the last look, in microseconds since 1970.
    first: AtomicU64,
    /// Calls by model and question.
    asked: Mutex<HashMap<u64, u32>>,
}

/// A call under way, until its answer or the end of its caller.
struct Open<'a>(&'a AtomicU64);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A router that takes `latency` milliseconds for an answer.
async fn mock(latency: u64) {
    let seen = web::Data::new(Seen::default());
    let complete = move |seen: web::Data<Seen>, body: web::Bytes| async move {
        use std::hash::{DefaultHasher, Hash, Hasher};
        seen.calls.fetch_add(1, Ordering::Relaxed);
        let _ = seen
            .first
            .compare_exchange(0, micros(), Ordering::Relaxed, Ordering::Relaxed);
        let open = seen.open.fetch_add(1, Ordering::Relaxed) + 1;
        let _open = Open(&seen.open);
        seen.most_open.fetch_max(open, Ordering::Relaxed);
        let mut hash = DefaultHasher::new();
        body.hash(&mut hash);
        *seen.asked.lock().unwrap().entry(hash.finish()).or_default() += 1;
        tokio::time::sleep(Duration::from_millis(latency)).await;
        seen.answered.fetch_add(1, Ordering::Relaxed);
        HttpResponse::Ok().content_type("application/json").body(ANSWER)
    };
    let look = |seen: web::Data<Seen>| async move {
        let asked = std::mem::take(&mut *seen.asked.lock().unwrap());
        HttpResponse::Ok().json(json!({
            "calls": seen.calls.swap(0, Ordering::Relaxed),
            "answered": seen.answered.swap(0, Ordering::Relaxed),
            "mostOpen": seen.most_open.swap(0, Ordering::Relaxed),
            "first": seen.first.swap(0, Ordering::Relaxed),
            "different": asked.len(),
        }))
    };
    HttpServer::new(move || {
        App::new()
            .app_data(seen.clone())
            .route("/v1/chat/completions", web::post().to(complete))
            .route("/look", web::post().to(look))
    })
    .workers(1)
    // A caller that is gone ends its call.
    .h1_allow_half_closed(false)
    .max_connections(50_000)
    .keep_alive(Duration::from_secs(75))
    .bind(("127.0.0.1", MOCK))
    .unwrap()
    .run()
    .await
    .unwrap();
}

const ANSWER: &str = r#"{"id":"gen-1","model":"concrete-1","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",
"content":"Here are some options:\n\n1. **Rival Works** ([rivalworks.com](https://rivalworks.com)) - careful work, fair prices.\n2. **Other Works** - quick.\n\nAsk for a quote."}}],
"usage":{"prompt_tokens":40,"completion_tokens":300,"cost":0.003}}"#;

async fn look(client: &reqwest::Client) -> Value {
    let reply = client
        .post(format!("http://127.0.0.1:{MOCK}/look"))
        .send()
        .await
        .unwrap();
    reply.json().await.unwrap()
}

// Processes

/// A child that is killed when it is no longer needed.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    async fn mock(client: &reqwest::Client, latency: u64) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let mock = Self(command.args(["mock", &latency.to_string()]).spawn().unwrap());
        up(client, MOCK, "/look").await;
        look(client).await;
        mock
    }

    async fn server(client: &reqwest::Client, port: u16, database: &str, variables: &[(&str, &str)]) -> Self {
        let keys = std::env::temp_dir().join("ibid-bench-run-keys");
        std::fs::write(&keys, KEYS).unwrap();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/dist/ibid-server");
        let mut command = Command::new(path);
        command
            .env("BIND", format!("127.0.0.1:{port}"))
            .env("DATABASE_URL", database)
            .env("SERVICE_API_KEY", "bench")
            .env("RATE_LIMITS", "off")
            .env("RUN_KEY_FILE", keys)
            .env("ROUTER_BASE_URL", format!("http://127.0.0.1:{MOCK}/v1"))
            .env("ROUTER_MAX_IN_FLIGHT", "32768")
            .env("LOG", "error")
            .stdout(Stdio::null());
        for (name, value) in variables {
            command.env(name, value);
        }
        let server = command.spawn();
        let server = Self(server.expect("build the server first: cargo build --profile dist -p ibid-server"));
        up(client, port, "/healthz").await;
        server
    }

    /// Resident memory in megabytes.
    fn memory(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
    }
}

async fn up(client: &reqwest::Client, port: u16, path: &str) {
    for _ in 0..800 {
        if client
            .get(format!("http://127.0.0.1:{port}{path}"))
            .send()
            .await
            .is_ok()
        {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    unreachable!("nothing answers on port {port}");
}

fn client() -> reqwest::Client {
    reqwest::Client::builder()
        .no_proxy()
        .pool_max_idle_per_host(4_096)
        .build()
        .unwrap()
}

fn micros() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()).unwrap()
}

// Orders

/// Thirty-nine calls.
fn small() -> Value {
    json!({"domain": "example.com", "keyword": "plumber", "location": "Valencia, Spain", "language": "en",
           "questionsPerModel": 10, "rings": [1], "keywordsPerRing": 1})
}

/// Ninety-nine calls.
fn large() -> Value {
    json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"})
}

fn post(client: &reqwest::Client, port: u16, path: &str, body: &Value) -> reqwest::RequestBuilder {
    client
        .post(format!("http://127.0.0.1:{port}{path}"))
        .bearer_auth("bench")
        .header("X-Router-Key", "k")
        .json(body)
}

async fn direct(client: &reqwest::Client) {
    loop {
        let reply = post(client, SERVERS[0], "/api/v1/scan", &small())
            .send()
            .await
            .unwrap();
        let status = reply.status();
        drop(reply.bytes().await.unwrap());
        if status == 200 {
            return;
        }
        // More plans wait than the server takes: it says to come back.
        assert_eq!(status, 503);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn queue(client: &reqwest::Client, port: u16, order: &Value) -> String {
    let reply = post(client, port, "/api/v2/scans", order).send().await.unwrap();
    let (status, body) = (reply.status(), reply.text().await.unwrap());
    assert_eq!(status, 202, "{body}");
    let body: Value = serde_json::from_str(&body).unwrap();
    body["scanId"].as_str().unwrap().to_owned()
}

/// Follows a scan to its end.
async fn followed(client: &reqwest::Client, id: &str) {
    let url = format!("http://127.0.0.1:{}/api/v2/scans/{id}/events", SERVERS[0]);
    let reply = client.get(url).bearer_auth("bench").send().await.unwrap();
    let events = reply.text().await.unwrap();
    assert!(events.contains("complete"), "{events}");
}

/// The number of the caller's scans with a status.
async fn counted(client: &reqwest::Client, port: u16, filter: &str, status: &str) -> usize {
    let (mut count, mut cursor) = (0, String::new());
    loop {
        let url = format!("http://127.0.0.1:{port}/api/v2/scans?limit=100&status={status}&{filter}{cursor}");
        let reply = client.get(url).bearer_auth("bench").send().await.unwrap();
        let page: Value = reply.json().await.unwrap();
        count += page["scans"].as_array().unwrap().len();
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return count,
        }
    }
}

// Parts

fn claims() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = format!("sqlite:{}", folder.path().join("claims.db").display());
    for address in std::iter::once(sqlite).chain(empty_schema()) {
        let store = Arc::new(Store::open(&address.parse().unwrap()).unwrap());
        const TENANTS: u32 = 50;
        const EACH: u32 = 100;
        for number in 0..TENANTS * EACH {
            let id = ScanId::random();
            let run = NewDurableRun {
                id,
                tenant: &format!("tenant {}", number % TENANTS),
                priority: 3,
                document: b"{}",
                plan: None,
                calls: 1,
                created_at: i64::from(number),
                secret: None,
                subject: &RunSubject::default(),
            };
            store.open_run(&run).unwrap();
            store.start_run(id).unwrap();
        }
        let (claimed, empty) = (AtomicU64::new(0), AtomicU64::new(0));
        let began = Instant::now();
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| claim(&store, &claimed, &empty, &over));
            }
            std::thread::sleep(Duration::from_secs(4));
            over.store(true, Ordering::Relaxed);
        });
        let kind = address.split(':').next().unwrap();
        println!(
            "claims on {kind}: {:.0} a second with {TENANTS} tenants and {} steps; {} looks found nothing",
            claimed.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64(),
            TENANTS * EACH,
            empty.load(Ordering::Relaxed)
        );
    }
}

fn claim(store: &Store, claimed: &AtomicU64, empty: &AtomicU64, over: &AtomicBool) {
    let worker = WorkerId::random();
    while !over.load(Ordering::Relaxed) {
        match store
            .claim_steps(worker, i64::MAX, 1_000_000, StepRoom::of_any(16))
            .unwrap()
            .len()
        {
            0 => empty.fetch_add(1, Ordering::Relaxed),
            steps => claimed.fetch_add(steps as u64, Ordering::Relaxed),
        };
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

async fn one() {
    let (folder, client) = (tempfile::tempdir().unwrap(), client());
    let _mock = Process::mock(&client, 200).await;
    let database = format!("sqlite:{}", folder.path().join("one.db").display());
    let _server = Process::server(&client, SERVERS[0], &database, &[]).await;
    direct(&client).await;
    let (mut waits, mut queued, mut directs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..30 {
        look(&client).await;
        let began = (micros(), Instant::now());
        let id = queue(&client, SERVERS[0], &small()).await;
        followed(&client, &id).await;
        queued.push(began.1.elapsed().as_secs_f64() * 1e3);
        let first = look(&client).await["first"].as_u64().unwrap();
        waits.push((first - began.0) as f64 / 1e3);
        let began = Instant::now();
        direct(&client).await;
        directs.push(began.elapsed().as_secs_f64() * 1e3);
    }
    let (queued, directs) = (median(queued), median(directs));
    println!("from the order to its first call: median {:.1} ms", median(waits));
    println!(
        "a scan of 39 calls at 200 ms: queued {queued:.1} ms, direct {directs:.1} ms, {:.3} x (medians of 30)",
        queued / directs
    );
}

async fn many() {
    const SCANS: usize = 500;
    for latency in [200, 0] {
        let (folder, client) = (tempfile::tempdir().unwrap(), client());
        let _mock = Process::mock(&client, latency).await;
        for round in 1..=2 {
            let database = format!("sqlite:{}", folder.path().join(format!("{round}.db")).display());
            let _server = Process::server(&client, SERVERS[0], &database, &[]).await;
            direct(&client).await;
            let began = Instant::now();
            let scans: FuturesUnordered<_> = (0..SCANS).map(|_| direct(&client)).collect();
            scans.collect::<Vec<()>>().await;
            let directs = began.elapsed().as_secs_f64();
            let began = Instant::now();
            let orders = json!({"orders": vec![small(); SCANS]});
            let reply = post(&client, SERVERS[0], "/api/v2/scans/batch", &orders)
                .send()
                .await
                .unwrap();
            assert_eq!(reply.status(), 202);
            let batch: Value = reply.json().await.unwrap();
            let filter = format!("batch={}", batch["batchId"].as_str().unwrap());
            let ordered = began.elapsed().as_secs_f64();
            while counted(&client, SERVERS[0], &filter, "complete").await < SCANS {
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            let queued = began.elapsed().as_secs_f64();
            println!(
                "{SCANS} scans of 39 calls at {latency} ms, round {round}: direct {directs:.1} s, queued {queued:.1} s ({ordered:.1} s of it the order); \
                 throughput {:.2} x",
                directs / queued
            );
        }
    }
}

async fn rate(minutes: u64) {
    let (folder, client) = (tempfile::tempdir().unwrap(), client());
    let file = folder.path().join("rate.db");
    let _mock = Process::mock(&client, 14_000).await;
    let database = format!("sqlite:{}", file.display());
    let server = Process::server(&client, SERVERS[0], &database, &[("RETAIN_ANSWERS", "on")]).await;
    let size = || -> u64 {
        let files = std::fs::read_dir(folder.path()).unwrap();
        files.map(|file| file.unwrap().metadata().unwrap().len()).sum()
    };
    let (empty, began) = (size(), Instant::now());
    let failed = Arc::new(AtomicU64::new(0));
    let scans = minutes * 60 * 12;
    let mut peak = 0.0_f64;
    let mut ticks = tokio::time::interval(Duration::from_micros(1_000_000 / 12));
    for number in 0..scans {
        ticks.tick().await;
        let (client, failed) = (client.clone(), Arc::clone(&failed));
        tokio::runtime::Handle::current().spawn(async move {
            let reply = post(&client, SERVERS[0], "/api/v2/scans", &large()).send().await;
            if !reply.is_ok_and(|reply| reply.status() == 202) {
                failed.fetch_add(1, Ordering::Relaxed);
            }
        });
        if number % 12 == 0 {
            peak = peak.max(server.memory());
        }
    }
    let ordered = began.elapsed();
    let wanted = usize::try_from(scans - failed.load(Ordering::Relaxed)).unwrap();
    let (mut last, mut still) = (0, Instant::now());
    let done = loop {
        let mut done = 0;
        for status in ["complete", "partial", "failed"] {
            done += counted(&client, SERVERS[0], "", status).await;
        }
        peak = peak.max(server.memory());
        if done > last {
            (last, still) = (done, Instant::now());
        }
        if done >= wanted || still.elapsed() > Duration::from_secs(120) {
            break done;
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
    };
    let complete = counted(&client, SERVERS[0], "", "complete").await;
    let seen = look(&client).await;
    println!(
        "{scans} scans of 99 calls in {:.0} s (12 a second): {} orders failed, {done} ended, {complete} complete, all ended {:.0} s after the last order",
        ordered.as_secs_f64(),
        failed.load(Ordering::Relaxed),
        (began.elapsed() - ordered).as_secs_f64()
    );
    println!(
        "  most calls open {}, calls {} (of {}), peak memory {peak:.0} MB, database {:.1} KB a scan",
        seen["mostOpen"],
        seen["calls"],
        scans * 99,
        (size() - empty) as f64 / 1024.0 / scans as f64
    );
}

/// Queues scans in one batch through the first server and waits until all have ended. Returns the seconds.
async fn batch(client: &reqwest::Client, scans: usize) -> f64 {
    let began = Instant::now();
    let orders = json!({"orders": vec![small(); scans]});
    let reply = post(client, SERVERS[0], "/api/v2/scans/batch", &orders)
        .send()
        .await
        .unwrap();
    assert_eq!(reply.status(), 202);
    let batch: Value = reply.json().await.unwrap();
    let filter = format!("batch={}", batch["batchId"].as_str().unwrap());
    while counted(client, SERVERS[0], &filter, "complete").await < scans {
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    began.elapsed().as_secs_f64()
}

async fn two() {
    const SCANS: usize = 60;
    let client = client();
    let _mock = Process::mock(&client, 2_000).await;
    let bounded = [("ROUTER_MAX_IN_FLIGHT", "100")];
    let Some(database) = empty_schema() else { return };
    let first = Process::server(&client, SERVERS[0], &database, &bounded).await;
    let alone = batch(&client, SCANS).await;
    let second = Process::server(&client, SERVERS[1], &database, &bounded).await;
    let both = batch(&client, SCANS).await;
    drop((first, second));
    println!(
        "{SCANS} scans of 39 calls at 2 s, 100 calls in flight a process: one process {alone:.1} s, two {both:.1} s, {:.2} x",
        alone / both
    );
}

async fn kill(minutes: u64) {
    let client = client();
    let _mock = Process::mock(&client, 2_000).await;
    let Some(database) = empty_schema() else { return };
    let bounded = [("ROUTER_MAX_IN_FLIGHT", "100")];
    let mut servers = Vec::new();
    for port in SERVERS {
        servers.push(Process::server(&client, port, &database, &bounded).await);
    }
    let (began, mut orders, mut kills) = (Instant::now(), 0_usize, 0_usize);
    while began.elapsed() < Duration::from_secs(minutes * 60) {
        let turn = Instant::now();
        while turn.elapsed() < Duration::from_secs(20) {
            // Both take orders, and each works on its own first, so the one that is killed has calls under way.
            queue(&client, SERVERS[orders % 2], &small()).await;
            orders += 1;
            tokio::time::sleep(Duration::from_millis(800)).await;
        }
        let victim = kills % 2;
        servers[victim].0.kill().unwrap();
        servers[victim].0.wait().unwrap();
        kills += 1;
        servers[victim] = Process::server(&client, SERVERS[victim], &database, &bounded).await;
    }
    let waited = Instant::now();
    let mut complete = 0;
    while complete < orders && waited.elapsed() < Duration::from_secs(300) {
        tokio::time::sleep(Duration::from_secs(1)).await;
        complete = counted(&client, SERVERS[0], "", "complete").await;
    }
    let seen = look(&client).await;
    let needed = u64::try_from(orders * 39).unwrap();
    println!(
        "{kills} kills in {minutes} minutes: {complete} of {orders} scans complete; {} calls, {} of them answered, for {needed}",
        seen["calls"], seen["answered"],
    );
}
