//! Ranges of scans over the server, of websites whose score is known.
//!
//! `SCANS=120 cargo test -p ibid-tests --test api truth -- --nocapture` prints the tables of docs/METHOD.md.

use ibid_provider::{Completion, Prompt, Provider, ProviderError, ProviderFuture, ProviderKey};
use ibid_tests::{ApiClient, Setup, TestServer};
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Scans of a cell, unless `SCANS` gives another number.
const SCANS: usize = 15;
/// The rates with which answers name the website.
const RATES: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];
/// The parts of the naming answers that mention it, that name it second, and that name it first.
const CLASSES: [(&str, f64); 3] = [("mention", 0.3), ("second", 0.4), ("first", 0.3)];

/// A router whose answers vary as real ones do: by question, by question and model, and by asking.
/// The name of a website has its rate in it: `w17r30.example`.
struct Known;

/// A draw in (0, 1) for a text.
fn unit(of: impl Hash) -> f64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    ((hasher.finish() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// A draw from the standard normal distribution (Box and Muller 1958).
fn normal(of: impl Hash) -> f64 {
    let (radius, angle) = (unit((&of, 1)), unit((&of, 2)));
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// The share of a normal distribution below a value (Zelen and Severo 1964).
fn below(value: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * value.abs());
    let tail = (-value * value / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
        * t
        * (0.319_381_530
            + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    if value > 0.0 { 1.0 - tail } else { tail }
}

/// The class of the answer of a model to a question.
fn class_of(website: &str, model: &str, question: &str) -> &'static str {
    if let Some((class, _)) = CLASSES
        .iter()
        .find(|(class, _)| website.starts_with(&format!("w{class}")))
    {
        return class;
    }
    let latent = 0.634_f64.sqrt() * normal((website, question))
        + 0.238_f64.sqrt() * normal((website, question, model))
        + 0.128_f64.sqrt() * normal((website, question, model, "asked"));
    let rate = website
        .trim_end_matches(".example")
        .rsplit('r')
        .next()
        .and_then(|rate| rate.parse().ok())
        .map_or(0.5, |percent: f64| percent / 100.0);
    let mut left = below(latent) - (1.0 - rate);
    for (class, part) in CLASSES {
        if left < 0.0 {
            return "absent";
        }
        left -= rate * part;
        if left < 0.0 {
            return class;
        }
    }
    "first"
}

impl Provider for Known {
    fn ask<'a>(
        &'a self,
        _: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> ProviderFuture<'a, Result<Completion, ProviderError>> {
        let website = prompt.scene.domain.to_string();
        let it = format!("[{website}](https://{website})");
        let text = match class_of(&website, &prompt.model, &prompt.text) {
            "first" => {
                format!("1. {it} - the best choice\n2. Rival Works - also good\n3. Third House - fine")
            }
            "second" => {
                format!("1. Rival Works - the best choice\n2. {it} - also good\n3. Third House - fine")
            }
            "mention" => {
                format!("1. Rival Works - the best choice\n2. Third House - also good\n\nMore is at {it}.")
            }
            _ => "1. Rival Works - the best choice\n2. Third House - also good".to_owned(),
        };
        let completion = Completion {
            text,
            ..Completion::default()
        };
        Box::pin(std::future::ready(Ok(completion)))
    }
}

/// The scans of a cell.
#[derive(Default)]
struct Cell {
    scans: usize,
    held: usize,
    width: f64,
    answers: f64,
    stopped: Vec<String>,
}

impl Cell {
    fn add(&mut self, result: &Value, truth: f64) {
        let bound = |name: &str| result["samplingInterval"][name].as_f64().unwrap();
        self.scans += 1;
        self.held += usize::from(bound("low") <= truth && truth <= bound("high"));
        self.width += bound("high") - bound("low");
        self.answers += result["usage"]["answered"].as_f64().unwrap();
        if let Some(reason) = result["stopped"].as_str() {
            self.stopped.push(reason.to_owned());
        }
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / self.scans as f64
    }

    /// A row of the table. Fails where the coverage is under .95 by more than three standard errors.
    #[expect(clippy::print_stdout, reason = "the table of the method")]
    fn report(&self, name: &str) {
        let coverage = self.mean(self.held as f64);
        let by = |reason: &str| self.stopped.iter().filter(|known| *known == reason).count();
        println!(
            "| {name} | {coverage:.3} | {:.0} | {:.0} | width {}, pool {} |",
            self.mean(self.width),
            self.mean(self.answers),
            by("width"),
            by("pool")
        );
        let least = 0.95 - 3.0 * (0.95 * 0.05 / self.scans as f64).sqrt();
        assert!(coverage >= least, "{name}: {coverage} of {} scans", self.scans);
    }
}

/// The server and what a naming answer scores there.
struct World {
    client: ApiClient,
    _server: TestServer,
    scans: usize,
    named: f64,
}

impl World {
    async fn new() -> Self {
        let setup = Setup::default().provider(Arc::new(Known));
        let server = setup.spawn();
        let client = ApiClient::of(&server);
        let mut named = 0.0;
        for (class, part) in CLASSES {
            let body = json!({"domain": format!("w{class}.example"), "keyword": "plumber", "rings": []});
            let scan = client.scan(&body).await.json();
            named += part * scan["result"]["overallScore"].as_f64().unwrap();
        }
        let scans = std::env::var("SCANS").ok().and_then(|scans| scans.parse().ok());
        Self {
            client,
            _server: server,
            scans: scans.unwrap_or(SCANS),
            named,
        }
    }

    async fn cell(&self, order: &Value) -> Cell {
        let mut cell = Cell::default();
        for scan in 0..self.scans {
            let rate = RATES[scan % RATES.len()];
            let mut body =
                json!({"domain": format!("w{scan}r{:.0}.example", 100.0 * rate), "keyword": "plumber"});
            for (name, value) in order.as_object().unwrap() {
                body[name] = value.clone();
            }
            let reply = self.client.scan(&body).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
            cell.add(&reply.json()["result"], rate * self.named);
        }
        cell
    }
}

#[tokio::test]
async fn a_range_that_was_asked_for_holds_the_truth() {
    let world = World::new().await;
    for (width, beside) in [(40, (3, 5)), (30, (3, 9)), (20, (6, 8))] {
        let cell = world.cell(&json!({"targetWidth": width})).await;
        let reached = cell.stopped.iter().filter(|reason| *reason == "width").count();
        assert!(reached * 2 > world.scans, "width {width}: {:?}", cell.stopped);
        cell.report(&format!("targetWidth {width}"));
        let (models, questions) = beside;
        let models: Vec<String> = (1..=models)
            .map(|model| format!("model-{model}-latest"))
            .collect();
        let fixed = json!({"models": models, "questionsPerModel": questions, "rings": []});
        let fixed = world.cell(&fixed).await;
        fixed.report(&format!("{} models of {questions}", models.len()));
    }
}

#[tokio::test]
async fn default_ranges_hold_the_truth() {
    let world = World::new().await;
    let nine = world.cell(&json!({})).await;
    nine.report("9 calls");
    assert!(nine.mean(nine.width) <= 48.0);
    let placed = world.cell(&json!({"location": "Leeds, United Kingdom"})).await;
    placed.report("99 calls with a place");
    assert!(placed.mean(placed.width) <= 29.0);
}
