//! Speed of the whole service against its floors, in one run on one machine.
//!
//! `cargo build --profile dist -p ibid-server && cargo bench -p ibid-tests --bench load`
//!
//! A mock router with a fixed latency, the real server and a bare fan-out each run in a process of their own, so that
//! CPU and memory can be told apart. Rounds of server and floor alternate. Needs Linux (`/proc`); the read
//! benchmark needs `wrk`. docs/PERFORMANCE.md has the numbers that were measured and what they mean.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark prints and fails loudly"
)]

use actix_web::{App, HttpResponse, HttpServer, web};
use futures_util::stream::{FuturesUnordered, StreamExt};
use serde_json::{Value, json};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const LATENCY: Duration = Duration::from_millis(200);
const MOCK: u16 = 19_100;
const SERVER: u16 = 19_101;
const BARE: u16 = 19_102;
/// Calls of the measured scan: 3 models, 10 core questions and 3 markets.
const CALLS: usize = 39;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    ibid_tests::install_tls();
    match arguments.next().as_deref() {
        Some("mock") => actix_web::rt::System::new().block_on(mock()),
        Some("bare") => actix_web::rt::System::new().block_on(bare()),
        Some("fan") => runtime.block_on(fan(&arguments.map(|n| n.parse().unwrap()).collect::<Vec<_>>())),
        Some(_) | None => runtime.block_on(drive()),
    }
}

/// A typical answer of about 1.3 KB.
fn answer() -> String {
    let item = |n: usize| {
        format!(
            "{n}. **Rival Works {n}** ([rivalworks{n}.com](https://rivalworks{n}.com)) – known for careful work, fair prices and quick replies; many clients come back.\n"
        )
    };
    let text = format!(
        "Here are some options worth a look:\n\n{}\nAsk for a quote before you decide, and compare at least two of them.",
        (1..=7).map(item).collect::<String>()
    );
    json!({"id": "gen-1", "model": "concrete-1", "choices": [{"index": 0, "finish_reason": "stop",
           "message": {"role": "assistant", "content": text}}],
           "usage": {"prompt_tokens": 40, "completion_tokens": 300, "cost": 0.003}})
    .to_string()
}

async fn mock() {
    let body = web::Data::new(answer());
    let complete = |body: web::Data<String>| async move {
        tokio::time::sleep(LATENCY).await;
        HttpResponse::Ok()
            .content_type("application/json")
            .body(body.as_str().to_owned())
    };
    HttpServer::new(move || {
        App::new()
            .app_data(body.clone())
            .route("/v1/chat/completions", web::post().to(complete))
    })
    .workers(1)
    // As long as real routers keep idle connections; the default of 5 s would cut them between rounds.
    .keep_alive(Duration::from_secs(75))
    .bind(("127.0.0.1", MOCK))
    .unwrap()
    .run()
    .await
    .unwrap();
}

/// A bare handler that returns the bytes it is started with, from the file named in BYTES.
async fn bare() {
    let bytes = web::Bytes::from(std::fs::read(std::env::var("BYTES").unwrap()).unwrap());
    HttpServer::new(move || {
        let bytes = bytes.clone();
        App::new().route(
            "/",
            web::get().to(move || {
                let bytes = bytes.clone();
                async move { HttpResponse::Ok().content_type("application/json").body(bytes) }
            }),
        )
    })
    .bind(("127.0.0.1", BARE))
    .unwrap()
    .run()
    .await
    .unwrap();
}

fn client() -> reqwest::Client {
    reqwest::Client::builder()
        .no_proxy()
        .pool_max_idle_per_host(4_096)
        .build()
        .unwrap()
}

/// The calls of one scan, as bare as they get: one client, all at once, bodies read.
async fn fan_out(client: &reqwest::Client) {
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "Which plumber in Valencia, Spain would you recommend? Name several and say why."}], "max_tokens": 4000});
    let url = format!("http://127.0.0.1:{MOCK}/v1/chat/completions");
    let mut calls: FuturesUnordered<_> = (0..CALLS)
        .map(|_| async {
            let answer = client
                .post(&url)
                .bearer_auth("k")
                .json(&body)
                .send()
                .await
                .unwrap();
            answer.bytes().await.unwrap().len()
        })
        .collect();
    while calls.next().await.is_some() {}
}

/// `fan ROUNDS WIDTH`: fan-outs in a process of their own; prints each duration in microseconds.
async fn fan(numbers: &[usize]) {
    let client = client();
    fan_out(&client).await;
    println!("ready");
    let (rounds, width) = (numbers[0], numbers[1]);
    println!("{}", run(rounds, width, || fan_out(&client)).await.line());
}

/// The times of a run of many rounds.
struct Run {
    millis: Vec<f64>,
    wall: Duration,
}

impl Run {
    fn line(&self) -> String {
        let list: Vec<String> = self.millis.iter().map(|ms| format!("{ms:.3}")).collect();
        format!("{} {}", self.wall.as_secs_f64(), list.join(" "))
    }

    fn parse(line: &str) -> Self {
        let mut numbers = line
            .split_whitespace()
            .map(|number| number.parse::<f64>().unwrap());
        let wall = Duration::from_secs_f64(numbers.next().unwrap());
        let mut millis: Vec<f64> = numbers.collect();
        millis.sort_by(f64::total_cmp);
        Self { millis, wall }
    }

    fn at(&self, quantile: f64) -> f64 {
        self.millis[((self.millis.len() - 1) as f64 * quantile).round() as usize]
    }
}

async fn run<F: Future<Output = ()>>(rounds: usize, width: usize, round: impl Fn() -> F) -> Run {
    let start = Instant::now();
    let timed = || async {
        let start = Instant::now();
        round().await;
        start.elapsed().as_secs_f64() * 1e3
    };
    let mut millis: Vec<f64> = futures_util::stream::iter((0..rounds).map(|_| timed()))
        .buffer_unordered(width)
        .collect()
        .await;
    millis.sort_by(f64::total_cmp);
    Run {
        millis,
        wall: start.elapsed(),
    }
}

/// A child that is killed when it is no longer needed.
struct Process(Child);

impl Process {
    fn own(mode: &str, arguments: &[String]) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .arg(mode)
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn();
        Self(child.unwrap())
    }

    /// CPU seconds used so far, user and system.
    fn cpu(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
    }

    /// Resident memory in megabytes.
    fn memory(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs `fan ROUNDS WIDTH` in a fresh process: its run, CPU milliseconds a round, peak megabytes above its start.
async fn measure_fan(rounds: usize, width: usize) -> (Run, f64, f64) {
    use std::io::BufRead;
    let mut process = Process::own("fan", &[rounds.to_string(), width.to_string()]);
    let mut lines = std::io::BufReader::new(process.0.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ready");
    let (cpu, memory) = (process.cpu(), process.memory());
    let reader = std::thread::spawn(move || lines.next().unwrap().unwrap());
    let peak = watch(&process, memory, || reader.is_finished()).await;
    // The process has printed and may be gone; its last CPU reading was taken while it ran.
    let run = Run::parse(&reader.join().unwrap());
    (run, (peak.1 - cpu) * 1e3 / rounds as f64, peak.0)
}

/// Highest memory above `base` and last CPU reading until `done`.
async fn watch(process: &Process, base: f64, done: impl Fn() -> bool) -> (f64, f64) {
    let (mut peak, mut cpu) = (0.0_f64, process.cpu());
    while !done() {
        peak = peak.max(process.memory() - base);
        cpu = process.cpu();
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    (peak, cpu)
}

fn server(database: &str) -> Process {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/dist/ibid-server");
    let child = Command::new(path)
        .env("BIND", format!("127.0.0.1:{SERVER}"))
        .env("DATABASE_URL", format!("sqlite:{database}"))
        .env("SERVICE_API_KEY", "bench")
        .env("ROUTER_BASE_URL", format!("http://127.0.0.1:{MOCK}/v1"))
        .env("ROUTER_MAX_IN_FLIGHT", "8192")
        .env("LOG", "warn")
        .stdout(Stdio::null())
        .spawn();
    Process(child.expect("build the server first: cargo build --profile dist -p ibid-server"))
}

fn order() -> Value {
    json!({"domain": "example.com", "keyword": "plumber", "location": "Valencia, Spain", "language": "en",
           "questionsPerModel": 10, "rings": [1], "keywordsPerRing": 1})
}

async fn scan(client: &reqwest::Client) -> String {
    let request = client
        .post(format!("http://127.0.0.1:{SERVER}/api/v1/scan"))
        .bearer_auth("bench")
        .header("X-Router-Key", "k");
    let reply = request.json(&order()).send().await.unwrap();
    assert_eq!(reply.status(), 200);
    reply.text().await.unwrap()
}

async fn drive() {
    let folder = tempfile::tempdir().unwrap();
    let _mock = Process::own("mock", &[]);
    let server = server(folder.path().join("bench.db").to_str().unwrap());
    let client = client();
    until_up(&client, &format!("http://127.0.0.1:{SERVER}/healthz")).await;
    let first: Value = serde_json::from_str(&scan(&client).await).unwrap();
    assert_eq!(first["result"]["usage"]["questions"], CALLS);
    one_at_a_time(&client).await;
    reads(&client, &first, folder.path()).await;
    drop(server);
    many_at_once(&client, folder.path()).await;
}

async fn until_up(client: &reqwest::Client, url: &str) {
    for _ in 0..400 {
        if client.get(url).send().await.is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    unreachable!("{url} does not answer");
}

async fn one_at_a_time(client: &reqwest::Client) {
    let (mut scans, mut fans) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        scans.extend(run(20, 1, || async { drop(scan(client).await) }).await.millis);
        fans.extend(measure_fan(20, 1).await.0.millis);
    }
    let sorted = |mut millis: Vec<f64>| {
        millis.sort_by(f64::total_cmp);
        Run {
            millis,
            wall: Duration::ZERO,
        }
    };
    let (scans, fans) = (sorted(scans), sorted(fans));
    println!(
        "one scan of {CALLS} calls at {} ms, 100 rounds",
        LATENCY.as_millis()
    );
    for (name, run) in [("scan", &scans), ("bare fan-out", &fans)] {
        println!(
            "  {name:<14} p50 {:7.1} ms ({:.3} x)   p99 {:7.1} ms ({:.3} x)",
            run.at(0.5),
            run.at(0.5) / 200.0,
            run.at(0.99),
            run.at(0.99) / 200.0
        );
    }
    println!("  scan / fan-out p50 {:.3}", scans.at(0.5) / fans.at(0.5));
}

/// Fifty scans at a time. Server and fan-out are fresh processes each round that have done their work once, so CPU and
/// memory compare like with like: connections are opened, and memory is reached, within the round.
async fn many_at_once(client: &reqwest::Client, folder: &std::path::Path) {
    const ROUNDS: usize = 400;
    const WIDTH: usize = 50;
    println!("{WIDTH} scans in flight, {ROUNDS} scans");
    for round in 1..=3 {
        let server = server(folder.join(format!("round{round}.db")).to_str().unwrap());
        until_up(client, &format!("http://127.0.0.1:{SERVER}/healthz")).await;
        drop(scan(client).await);
        let (cpu, memory) = (server.cpu(), server.memory());
        let done = std::cell::Cell::new(false);
        let load = async {
            let run = run(ROUNDS, WIDTH, || async { drop(scan(client).await) }).await;
            done.set(true);
            run
        };
        let (scans, (peak, after)) = tokio::join!(load, watch(&server, memory, || done.get()));
        let cpu = (after - cpu) * 1e3 / ROUNDS as f64;
        drop(server);
        let (fans, fan_cpu, fan_peak) = measure_fan(ROUNDS, WIDTH).await;
        let rate = |run: &Run| (ROUNDS * CALLS) as f64 / run.wall.as_secs_f64();
        println!(
            "  round {round}: {:.0} calls/s against {:.0} bare ({:.2} x); CPU {cpu:.2} ms a scan against {fan_cpu:.2} ({:.2} x); \
             memory a scan {:.0} KB against {:.0} KB ({:.2} x); p50 {:.1} against {:.1} ms",
            rate(&scans),
            rate(&fans),
            rate(&scans) / rate(&fans),
            cpu / fan_cpu,
            peak * 1024.0 / WIDTH as f64,
            fan_peak * 1024.0 / WIDTH as f64,
            peak / fan_peak,
            scans.at(0.5),
            fans.at(0.5)
        );
    }
}

async fn reads(client: &reqwest::Client, scan: &Value, folder: &std::path::Path) {
    let id = scan["scanId"].as_str().unwrap();
    let base = format!("http://127.0.0.1:{SERVER}");
    for (name, path) in [
        ("GET /api/v1/scan/:id", format!("/api/v1/scan/{id}")),
        ("GET /api/v1/models", "/api/v1/models".to_owned()),
    ] {
        let bytes = client
            .get(format!("{base}{path}"))
            .bearer_auth("bench")
            .send()
            .await
            .unwrap()
            .bytes()
            .await
            .unwrap();
        let file = folder.join("bytes");
        std::fs::write(&file, &bytes).unwrap();
        let bare = Command::new(std::env::current_exe().unwrap())
            .arg("bare")
            .env("BYTES", &file)
            .spawn();
        let bare = Process(bare.unwrap());
        until_up(client, &format!("http://127.0.0.1:{BARE}/")).await;
        println!("{name}, {} bytes", bytes.len());
        for round in 1..=3 {
            let ours = wrk(&format!("{base}{path}"));
            let floor = wrk(&format!("http://127.0.0.1:{BARE}/"));
            match (ours, floor) {
                (Some(ours), Some(floor)) => println!(
                    "  round {round}: {ours:.0} requests/s against {floor:.0} bare ({:.2} x)",
                    ours / floor
                ),
                _ => println!("  wrk is not installed: not measured"),
            }
        }
        drop(bare);
    }
}

/// Requests a second by `wrk`, three seconds.
fn wrk(url: &str) -> Option<f64> {
    let output = Command::new("wrk")
        .args(["-t2", "-c64", "-d3s", "-H", "Authorization: Bearer bench", url])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    assert!(!text.contains("Non-2xx"), "{text}");
    text.lines()
        .find_map(|line| line.strip_prefix("Requests/sec:"))?
        .trim()
        .parse()
        .ok()
}
