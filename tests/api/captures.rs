//! Captures of interfaces: one suite for every provider, hostile answers over HTTP, and what a project does with them.

use crate::projects::{Holder, PROJECTS, pointers, project};
use actix_web::dev::ServerHandle;
use actix_web::http::StatusCode;
use actix_web::web::{self, Bytes};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use ibid_model::UsdMicros;
use ibid_service::{
    AllowList, Capture, CaptureError, CaptureProvider, CaptureQuestion, CaptureTerms, HttpCaptures,
    Interface, Messenger, MessengerConfig, SandboxCaptures,
};
use ibid_tests::{Setup, TestServer};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

const KEY: &str = "capture-key-marker";

fn question(text: &str, interface: Interface) -> CaptureQuestion {
    CaptureQuestion {
        text: text.to_owned(),
        interface,
        country: "gb".parse().unwrap(),
        website: "example.com".parse().unwrap(),
    }
}

/// An answer that a test server gives before it answers as the protocol says: status, `Retry-After`, body.
type Fault = (u16, Option<&'static str>, String);

struct State {
    provider: SandboxCaptures,
    faults: Mutex<VecDeque<Fault>>,
    calls: Mutex<Vec<String>>,
}

/// A server of the protocol on loopback, which invents its captures. It stops on drop.
struct Loopback {
    host: String,
    state: Arc<State>,
    handle: ServerHandle,
    thread: Option<JoinHandle<()>>,
}

impl Loopback {
    fn spawn() -> Self {
        let state = Arc::new(State {
            provider: SandboxCaptures::default(),
            faults: Mutex::default(),
            calls: Mutex::default(),
        });
        let data = web::Data::from(Arc::clone(&state));
        let (started_in, started) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let server = HttpServer::new(move || {
                    App::new()
                        .app_data(data.clone())
                        .route("/v1/captures/{id}", web::put().to(take))
                })
                .workers(1)
                .disable_signals()
                .shutdown_timeout(0)
                .bind(("127.0.0.1", 0))
                .unwrap();
                let host = server.addrs()[0].to_string();
                let server = server.run();
                started_in.send((host, server.handle())).unwrap();
                server.await.unwrap();
            });
        });
        let (host, handle) = started.recv().unwrap();
        Self {
            host,
            state,
            handle,
            thread: Some(thread),
        }
    }

    fn fail(&self, faults: impl IntoIterator<Item = Fault>) {
        self.state.faults.lock().unwrap().extend(faults);
    }

    /// The calls since the last look.
    fn calls(&self) -> usize {
        std::mem::take(&mut *self.state.calls.lock().unwrap()).len()
    }

    fn provider(&self, timeout: Duration) -> HttpCaptures {
        provider(&format!("http://{}/v1/", self.host), &self.host, timeout).unwrap()
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn take(
    request: HttpRequest,
    id: web::Path<String>,
    body: Bytes,
    state: web::Data<State>,
) -> HttpResponse {
    let authorization = request.headers().get("authorization").unwrap().to_str().unwrap();
    assert_eq!(authorization, format!("Bearer {KEY}"));
    state.calls.lock().unwrap().push(id.to_string());
    let fault = state.faults.lock().unwrap().pop_front();
    if let Some((status, retry_after, body)) = fault {
        if status == 0 {
            // Slower than the client waits.
            tokio::time::sleep(Duration::from_secs(3)).await;
        }
        let mut answer = HttpResponse::build(StatusCode::from_u16(status).unwrap_or(StatusCode::OK));
        if let Some(seconds) = retry_after {
            answer.insert_header(("Retry-After", seconds));
        }
        answer.insert_header(("Location", "http://127.0.0.1:1/"));
        return answer.body(body);
    }
    let body: Value = serde_json::from_slice(&body).unwrap();
    let word = |name: &str| body[name].as_str().unwrap().to_owned();
    let interface = Interface::ALL
        .into_iter()
        .find(|one| one.as_str() == word("interface"));
    let asked = CaptureQuestion {
        country: word("country").parse().unwrap(),
        ..question(&word("question"), interface.unwrap())
    };
    let state = match state.provider.capture(&id, &asked).await.unwrap() {
        Capture::Done { answer, cited } => json!({"state": "done", "answer": answer, "citedUrls": cited}),
        Capture::Pending => json!({"state": "pending"}),
        Capture::Failed(reason) => json!({"state": "failed", "reason": reason}),
    };
    HttpResponse::Ok().json(state)
}

fn provider(base: &str, allowed: &str, timeout: Duration) -> Result<HttpCaptures, String> {
    let config = MessengerConfig {
        allow_list: AllowList::of_operator(allowed).unwrap(),
        timeout,
        ..MessengerConfig::default()
    };
    let messenger = Messenger::new(config).unwrap();
    let made = HttpCaptures::new(messenger, &base.parse().unwrap(), &KEY.parse().unwrap());
    made.map_err(|error| error.to_string())
}

/// The suite that every provider passes.
async fn suite(provider: &dyn CaptureProvider) {
    let (mut done, mut failed) = (0, 0);
    for number in 0..30 {
        let (id, asked) = (
            format!("{number:032x}"),
            question(&format!("Best plumber {number}?"), Interface::ChatGpt),
        );
        // It may be pending for a while, and then it stays what it is.
        let mut captures = Vec::new();
        while captures.len() < 2 {
            match provider.capture(&id, &asked).await.unwrap() {
                Capture::Pending => assert!(captures.is_empty()),
                capture => captures.push(capture),
            }
        }
        assert_eq!(captures[0], captures[1]);
        match &captures[0] {
            Capture::Done { answer, cited } => {
                assert!(!answer.trim().is_empty());
                assert!(cited.iter().all(|url| url.starts_with("https://")), "{cited:?}");
                done += 1;
            }
            Capture::Failed(why) => {
                assert!(!why.is_empty());
                failed += 1;
            }
            Capture::Pending => unreachable!(),
        }
    }
    assert!(done > failed && failed > 0, "{done} and {failed}");
    assert!(!provider.name().is_empty());
}

#[tokio::test]
async fn the_sandbox_passes_the_suite() {
    suite(&SandboxCaptures::default()).await;
}

#[tokio::test]
async fn the_adapter_passes_the_suite() {
    let server = Loopback::spawn();
    suite(&server.provider(Duration::from_secs(10))).await;
}

#[tokio::test]
async fn hostile_answers_end_a_call_soon_and_tell_no_key() {
    let server = Loopback::spawn();
    let http = server.provider(Duration::from_millis(700));
    let asked = question("Best plumber?", Interface::Copilot);
    let mut number = 0;
    let mut call = async |faults: Vec<Fault>| {
        server.fail(faults);
        number += 1;
        let answer = http.capture(&format!("{number:032x}"), &asked).await;
        let told = format!("{answer:?}");
        assert!(!told.contains(KEY), "{told}");
        (answer, server.calls())
    };
    let fault = |status: u16| (status, None, String::new());
    let silent = |(answer, calls): (Result<Capture, CaptureError>, usize)| match answer {
        Err(CaptureError::Silent(why)) => (why, calls),
        other => panic!("{other:?}"),
    };
    // Two faults are repaired, three are too many.
    assert_eq!(
        call(vec![fault(500), fault(503)]).await,
        (Ok(Capture::Pending), 3)
    );
    assert_eq!(
        silent(call(vec![fault(500); 3]).await),
        ("status 500".to_owned(), 3)
    );
    // A long wait is left to a later request.
    assert_eq!(silent(call(vec![(429, Some("60"), String::new())]).await).1, 1);
    assert_eq!(
        call(vec![(429, Some("1"), String::new())]).await,
        (Ok(Capture::Pending), 2)
    );
    // A redirect is not followed, an endless or slow answer is cut off.
    assert_eq!(silent(call(vec![fault(302); 3]).await).1, 3);
    assert_eq!(silent(call(vec![(200, None, "x".repeat(2 << 20)); 3]).await).1, 3);
    assert_eq!(silent(call(vec![fault(0); 3]).await).1, 3);
    for status in [401, 402, 403] {
        let (answer, calls) = call(vec![fault(status)]).await;
        assert!(matches!(answer, Err(CaptureError::Refused(_))), "{answer:?}");
        assert_eq!(calls, 1);
    }
    for body in ["<html>", "{\"state\": \"done\"}", &"[".repeat(90_000)] {
        let (answer, calls) = call(vec![(200, None, body.to_owned())]).await;
        assert!(matches!(answer, Ok(Capture::Failed(_))), "{answer:?}");
        assert_eq!(calls, 1);
    }
}

#[test]
fn addresses_of_inner_networks_are_refused() {
    for base in [
        "http://127.0.0.1:9/",
        "https://169.254.169.254/",
        "https://localhost/",
        "http://captures.example/",
        "https://user@captures.example/",
    ] {
        let made = provider(base, "127.0.0.1:8", Duration::from_secs(1));
        assert!(made.is_err(), "{base}");
    }
    assert!(
        provider(
            "https://captures.example.com/v1",
            "127.0.0.1:8",
            Duration::from_secs(1)
        )
        .is_ok()
    );
}

fn asking(server: &Loopback) -> TestServer {
    let terms = CaptureTerms {
        provider: Arc::new(server.provider(Duration::from_secs(10))),
        price: UsdMicros::new(100_000),
    };
    Setup::default()
        .workspace()
        .tune(|builder| builder.captures(terms))
        .spawn()
}

async fn made(holder: &Holder) -> String {
    let made = holder.post(PROJECTS, &project()).await;
    made.header("location").to_owned()
}

#[tokio::test]
async fn a_project_asks_for_captures_within_its_budget() {
    let provider = Loopback::spawn();
    let server = asking(&provider);
    let holder = Holder::agency(&server, "ask@example.com", 4);
    let path = made(&holder).await;
    let captures = format!("{path}/captures");
    let questions: Vec<String> = (0..30).map(|number| format!("Best plumber {number}?")).collect();
    let ask = json!({"interface": "chatgpt", "country": "gb", "questions": questions});

    let begun = holder.post(&captures, &ask).await;
    assert_eq!(begun.status, 200, "{}", begun.text);
    let begun = begun.json();
    assert_eq!(
        (&begun["stratum"], &begun["parts"], &begun["state"]),
        (&json!("interface"), &json!(30), &json!("receiving"))
    );
    let spent = async || holder.get(&path).await["spentThisMonthUsd"].as_f64().unwrap();
    assert_eq!(spent().await, 3.0);
    // What does not fit is not asked.
    provider.calls();
    let more = json!({"interface": "copilot", "country": "GB", "questions": questions});
    let refused = holder.post(&captures, &more).await;
    assert_eq!(
        (refused.status.as_u16(), pointers(&refused), provider.calls()),
        (400, vec!["/questions".to_owned()], 0)
    );
    // Its pieces come from the provider alone.
    let part = format!("{path}/imports/{}/parts/1", begun["importId"].as_str().unwrap());
    let put = holder.client.bare(Method::PUT, &part).bearer_auth(&holder.key);
    let put = put.header("Content-Type", "application/gzip").body(vec![1]);
    assert_eq!(put.send().await.unwrap().status(), 404);

    // The same request goes on, as does the import by its id, and both cost no more.
    let ended = holder.post(&captures, &ask).await.json();
    assert_eq!(
        (&ended["importId"], &ended["state"], &ended["missing"]),
        (&begun["importId"], &json!("complete"), &json!([]))
    );
    provider.calls();
    let again = holder
        .post(&captures, &json!({"importId": begun["importId"]}))
        .await
        .json();
    assert_eq!((&again, provider.calls()), (&ended, 0));
    let (answers, failed) = (
        ended["answers"].as_u64().unwrap(),
        ended["asked"]["failed"].as_u64().unwrap(),
    );
    assert_eq!(answers + failed, 30);
    assert!(failed > 0, "{ended}");
    assert_eq!(spent().await, answers as f64 / 10.0);
    let source = &ended["sources"][0];
    assert_eq!(
        (&source["source"], &source["answers"]),
        (&json!("ChatGPT"), &json!(answers))
    );
    let cited = source["cited"].as_u64().unwrap();
    assert!(0 < cited && cited < answers, "{source}");

    // They are no runs, and the project has no level by them.
    assert_eq!(holder.get(&format!("{path}/runs")).await["runs"], json!([]));
    let view = holder.get(&path).await;
    assert_eq!((&view["level"], &view["score"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn a_refused_key_ends_the_request_and_keeps_what_came() {
    let provider = Loopback::spawn();
    let server = asking(&provider);
    let holder = Holder::agency(&server, "refused@example.com", 4);
    let path = made(&holder).await;
    let captures = format!("{path}/captures");
    provider.fail([(401, None, String::new())]);
    let ask = json!({"interface": "copilot", "country": "FR", "questions": ["Best plumber?"]});
    let refused = holder.post(&captures, &ask).await;
    assert_eq!(
        (refused.status.as_u16(), &refused.json()["code"]),
        (503, &json!("captures_unavailable"))
    );
    assert!(!refused.text.contains(KEY));
    // It is asked for when the key works again.
    let pending = holder.post(&captures, &ask).await.json();
    assert_eq!(pending["missing"], json!([1]));

    for (ask, field) in [
        (
            json!({"interface": "bing", "country": "FR", "questions": ["Best plumber?"]}),
            "/interface",
        ),
        (
            json!({"interface": "copilot", "country": "France", "questions": ["Best plumber?"]}),
            "/country",
        ),
        (
            json!({"interface": "copilot", "country": "FR", "questions": []}),
            "/questions",
        ),
        (
            json!({"interface": "copilot", "country": "FR", "questions": [7]}),
            "/questions/0",
        ),
        // The project has asked no question of its own yet.
        (json!({"interface": "copilot", "country": "FR"}), "/questions"),
    ] {
        let refused = holder.post(&captures, &ask).await;
        assert_eq!(
            (refused.status.as_u16(), pointers(&refused)),
            (400, vec![field.to_owned()]),
            "{ask}"
        );
    }
    let unknown = json!({"importId": "00000000-0000-4000-8000-000000000000"});
    assert_eq!(holder.post(&captures, &unknown).await.status, 404);

    let without = Setup::default().workspace().spawn();
    let holder = Holder::agency(&without, "without@example.com", 4);
    let captures = format!("{}/captures", made(&holder).await);
    assert_eq!(holder.post(&captures, &ask).await.status, 503);
}
