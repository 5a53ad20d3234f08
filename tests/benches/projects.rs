//! The pages of projects at size: 40 projects of 100 questions, 3 models and 52 runs, with 624,000 answers.
//!
//! `cargo bench -p ibid-tests --bench projects -- FILE [PROJECTS]`
//!
//! Fills the SQLite file with answers of the sandbox, unless it has them, and measures the list and the page of a project.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and fails loudly"
)]

use ibid_model::{AccountId, ProjectId};
use ibid_provider::Sandbox;
use ibid_service::{PastOutcome, Projects};
use ibid_store::{ProjectReader, Right, StoreUrl};
use ibid_tests::member::{PASSWORD, account_id, open_account};
use ibid_tests::{Member, Setup, TestServer};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

const EMAIL: &str = "ada@example.com";
const QUESTIONS: u32 = 100;
const RUNS: u32 = 52;
/// Requests of each measurement.
const REQUESTS: usize = 50;

#[tokio::main]
async fn main() {
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let arguments: Vec<String> = arguments.collect();
    let projects: u32 = arguments.get(1).map_or(40, |number| number.parse().unwrap());
    let url: StoreUrl = format!("sqlite://{}", arguments[0]).parse().unwrap();
    let store = std::sync::Arc::new(ibid_store::Store::open(&url).unwrap());
    let server = Setup::default().store(store).workspace().spawn();
    if server.store.account(&EMAIL.parse().unwrap()).unwrap().is_none() {
        open_account(&server, EMAIL, 0);
    }
    let account = account_id(&server, EMAIL);
    let began = Instant::now();
    for number in 0..projects {
        let runs = fill(&server, account, number).await;
        if runs > 0 {
            println!("project {number}: {runs} runs, {:.0?} so far", began.elapsed());
        }
    }
    server.service.schedules.round(Timestamp::now()).await.unwrap();
    let bytes = std::fs::metadata(&arguments[0]).unwrap().len();
    let answers = u64::from(projects * RUNS * QUESTIONS * 3);
    println!(
        "{answers} answers, {} MB, {:.1} MB for 100,000 answers",
        bytes / 1_000_000,
        bytes as f64 / answers as f64 / 10.0
    );
    let mut member = Member::stranger(&server);
    member.sign_in(EMAIL, PASSWORD).await;
    let first = Projects::past_id(account.as_bytes(), 0);
    measure(&member, "/workspace/projects").await;
    measure(&member, &format!("/workspace/projects/{first}")).await;
}

/// Makes a project with its runs, and returns how many it lacked.
async fn fill(server: &TestServer, account: AccountId, number: u32) -> u32 {
    let reader = ProjectReader::Account(account);
    let projects = &server.service.projects;
    let id: ProjectId = Projects::past_id(account.as_bytes(), number);
    let made_at = Timestamp::now() - SignedDuration::from_hours(24 * 7 * i64::from(RUNS));
    let made = projects
        .add_past(reader, id, made_at, &body(number, made_at))
        .await;
    made.unwrap();
    let scope = projects
        .scope(reader, &id.to_string(), Right::EditProject)
        .await
        .unwrap();
    let mut stored = 0;
    for run in 0..RUNS {
        let outcome = PastOutcome::Answered(Sandbox::new(7).with_day(run * 7));
        stored += u32::from(projects.store_past_run(&scope, run, outcome).await.unwrap());
    }
    stored
}

/// A project with a list of its own questions, which every model is asked in full.
fn body(number: u32, from: Timestamp) -> Map<String, Value> {
    let trades = ["dentist", "plumber", "florist", "bicycle shop"];
    let trade = trades[number as usize % trades.len()];
    let questions: Vec<String> = (0..QUESTIONS)
        .map(|question| format!("Which {trade} would you recommend to neighbour number {question}?"))
        .collect();
    let Value::Object(body) = json!({
        "name": format!("Client {number}"),
        "domain": format!("client{number}.example"),
        "keyword": trade,
        "questions": questions,
        "recurrence": {
            "unit": "weeks",
            "weekday": "monday",
            "at": "09:00",
            "timeZone": "UTC",
            "from": from.strftime("%Y-%m-%d").to_string(),
        },
    }) else {
        unreachable!("an object")
    };
    body
}

async fn measure(member: &Member, path: &str) {
    let mut times = Vec::with_capacity(REQUESTS);
    let mut bytes = 0;
    for _ in 0..REQUESTS {
        let began = Instant::now();
        let page = member.open(path).await;
        times.push(began.elapsed());
        assert_eq!(page.status, 200, "{}", page.text);
        bytes = page.text.len();
    }
    times.sort_unstable();
    let at = |share: usize| -> Duration { times[times.len() * share / 100] };
    println!(
        "{path}: {:.1?} (p95 {:.1?}), {:.1} KB unpacked",
        at(50),
        at(95),
        bytes as f64 / 1_000.0
    );
}
