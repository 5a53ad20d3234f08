//! Queued scans with a real store and a process that ends between calls.

use super::{QueueOrder, QueueSettings, QueuedScan, RunOwner};
use crate::error::Error;
use crate::handle::service::Service;
use crate::handle::settings::ServiceSettings;
use crate::job::CallerId;
use crate::limits::LimitMode;
use crate::runs::engine::EngineSettings;
use crate::workspace::WorkspaceRuns;
use ibid_model::{RunState, ScanDraft, ScanForm, ScanId, WebhookId};
use ibid_provider::{Completion, Prompt, Provider, ProviderError, ProviderFuture, ProviderKey, Sandbox};
use ibid_store::{NewWebhook, RunKeys, Store, WebhookKind, WebhookSecret};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

/// The sandbox behind a gate: it counts the calls that begin, and answers as many as the gate admits.
struct Gated {
    sandbox: Sandbox,
    gate: Semaphore,
    begun: Mutex<HashMap<(String, String), u32>>,
    keys: Mutex<Vec<String>>,
}

impl Gated {
    fn answering(most: usize) -> Arc<Self> {
        Arc::new(Self {
            sandbox: Sandbox::new(7),
            gate: Semaphore::new(most),
            begun: Mutex::default(),
            keys: Mutex::default(),
        })
    }

    fn begun(&self) -> HashMap<(String, String), u32> {
        self.begun.lock().unwrap().clone()
    }
}

impl Provider for Gated {
    fn ask<'a>(
        &'a self,
        key: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> ProviderFuture<'a, Result<Completion, ProviderError>> {
        let asked = (prompt.model.clone(), prompt.text.clone());
        *self.begun.lock().unwrap().entry(asked).or_default() += 1;
        self.keys.lock().unwrap().push(key.expose().to_owned());
        Box::pin(async move {
            self.gate.acquire().await.unwrap().forget();
            self.sandbox.ask(key, prompt).await
        })
    }

    fn is_sandbox(&self) -> bool {
        true
    }
}

const KEYS: &str = "test AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

fn settings(keys: Option<&str>) -> QueueSettings {
    QueueSettings {
        keys: keys.map(|text| Arc::new(RunKeys::parse(text).unwrap())),
        engine: EngineSettings {
            // Long enough for a loaded machine: a lease that ends in a live process repeats calls.
            lease: Duration::from_secs(6),
            poll: Duration::from_millis(50),
            ..EngineSettings::default()
        },
        start: None,
    }
}

/// A process: its runtime ends without a word when it is killed.
struct Process {
    runtime: Runtime,
    service: Service,
}

impl Process {
    fn start(provider: &Arc<Gated>, store: &Arc<Store>, queue: QueueSettings) -> Self {
        let runtime = Runtime::new().unwrap();
        let provider = Arc::clone(provider) as Arc<dyn Provider>;
        let settings = ServiceSettings {
            workspace: Some(WorkspaceRuns::new("operator".parse().unwrap())),
            limit_mode: LimitMode::Enforce,
            queue,
            ..ServiceSettings::new(provider, Arc::clone(store))
        };
        let service = settings.start(runtime.handle().clone());
        Self { runtime, service }
    }

    /// Drops all tasks, and waits until running ones are dropped.
    /// No call begins afterwards.
    fn kill(self) {
        self.runtime.shutdown_timeout(Duration::from_secs(60));
    }

    fn order(&self, body: Value, key: Option<&str>) -> QueueOrder {
        let Value::Object(body) = body else {
            panic!("an order is an object")
        };
        let plan = self.service.planner.plan(ScanDraft(&body), ScanForm::Byok);
        QueueOrder {
            plan: self.runtime.block_on(plan).unwrap(),
            owner: owner(),
            key: key.map(|key| key.parse().unwrap()),
            deadline: None,
            max_cost: None,
            tag: None,
            webhook: None,
            schedule: None,
            priority: 3,
        }
    }

    fn queue(&self, order: QueueOrder) -> Result<ScanId, Error> {
        let queued = self.runtime.block_on(self.service.scans.queue(order, None));
        queued.map(crate::request_hash::Started::id)
    }

    /// Waits until more than `done` calls have ended, or the scan has.
    fn after(&self, id: ScanId, done: u32) -> QueuedScan {
        let owner = owner();
        let changed = self.service.scans.queued_after(&owner, id, done);
        self.runtime.block_on(changed).unwrap()
    }

    fn end(&self, id: ScanId) -> QueuedScan {
        self.after(id, u32::MAX)
    }
}

fn owner() -> RunOwner {
    RunOwner::Api(CallerId::api())
}

fn store() -> Arc<Store> {
    Arc::new(Store::in_memory().unwrap())
}

/// 99 calls, in two shards.
fn large() -> Value {
    json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"})
}

#[test]
fn a_killed_process_costs_no_stored_call() {
    let (store, provider) = (store(), Gated::answering(20));
    let first = Process::start(&provider, &store, settings(Some(KEYS)));
    let order = first.order(large(), Some("sk-canary"));
    let calls = u32::try_from(order.plan.len()).unwrap();
    let id = first.queue(order).unwrap();
    assert_eq!(first.after(id, 19).run.stored, 20);
    first.kill();
    let before = provider.begun();
    let stored = store.calls(id, 0, calls).unwrap();
    assert_eq!(
        stored.len(),
        20,
        "an outcome is stored before the next call of its place"
    );

    provider.gate.add_permits(1_000);
    let second = Process::start(&provider, &store, settings(Some(KEYS)));
    let ended = second.end(id);
    assert_eq!(ended.run.state, RunState::Complete);
    assert_eq!((ended.run.calls, ended.run.stored), (calls, calls));
    let begun = provider.begun();
    let repeated = begun
        .iter()
        .filter(|(asked, count)| **count > before.get(*asked).copied().unwrap_or(0).max(1));
    let repeated = u32::try_from(repeated.count()).unwrap();
    let in_flight: u32 = before.values().sum::<u32>() - 20;
    assert!(repeated <= in_flight, "{repeated} of {in_flight}");
    assert_eq!(begun.values().sum::<u32>(), calls + in_flight);
    // The key was opened for its calls alone, and erased at the end.
    assert!(provider.keys.lock().unwrap().iter().all(|key| key == "sk-canary"));
    assert!(store.run_secret(id, 0).unwrap().is_none());
    let document = ended.result.unwrap().document;
    let document: Value = serde_json::from_slice(&document).unwrap();
    assert_eq!(document["result"]["usage"]["answered"], calls);
    second.kill();
}

#[test]
fn a_scan_in_batches_goes_on_in_another_process() {
    let (store, provider) = (store(), Gated::answering(19));
    let first = Process::start(&provider, &store, settings(Some(KEYS)));
    let mut body = large();
    body["targetWidth"] = json!(30);
    let id = first.queue(first.order(body, Some("sk-canary"))).unwrap();
    // The first batch is of fifteen calls, so the process ends within the second.
    assert_eq!(first.after(id, 18).run.stored, 19);
    first.kill();
    let before = provider.begun();
    assert_eq!(before.values().sum::<u32>(), 21);
    provider.gate.add_permits(1_000);
    let second = Process::start(&provider, &store, settings(Some(KEYS)));
    let ended = second.end(id);
    assert_eq!(ended.run.state, RunState::Complete);
    let document: Value = serde_json::from_slice(&ended.result.unwrap().document).unwrap();
    let result = &document["result"];
    assert_eq!(result["stopped"], "width", "{result}");
    let (low, high) = (
        &result["samplingInterval"]["low"],
        &result["samplingInterval"]["high"],
    );
    assert!(high.as_f64().unwrap() - low.as_f64().unwrap() <= 30.0);
    let asked = u32::try_from(result["usage"]["answered"].as_u64().unwrap()).unwrap();
    assert_eq!(
        (u64::from(asked), ended.run.stored),
        (result["usage"]["questions"].as_u64().unwrap(), asked)
    );
    // Only the two calls that were under way at the end of the process are made again.
    assert_eq!(provider.begun().values().sum::<u32>(), asked + 2);
    second.kill();
}

#[test]
fn without_sealing_keys_the_operator_pays_or_nothing_is_queued() {
    let (store, provider) = (store(), Gated::answering(1_000));
    let process = Process::start(&provider, &store, settings(None));
    let small = json!({"domain": "example.com", "keyword": "crm", "models": ["model-1-latest"]});
    let refused = process.queue(process.order(small.clone(), Some("sk-own")));
    assert!(matches!(refused, Err(Error::QueueKeysUnavailable)));
    let id = process.queue(process.order(small, None)).unwrap();
    assert_eq!(process.end(id).run.state, RunState::Complete);
    assert!(provider.keys.lock().unwrap().iter().all(|key| key == "operator"));
    // The operator's bound holds.
    let mut dear = process.order(large(), None);
    dear.max_cost = Some(ibid_model::UsdMicros::new(1));
    let refused = process.queue(dear);
    assert!(matches!(refused, Err(Error::PlanTooExpensive { .. })));
    process.kill();
}

/// Makes a subscription to all events of the caller.
fn subscribe(store: &Arc<Store>) -> WebhookId {
    let id = WebhookId::random();
    let webhook = NewWebhook {
        id,
        owner: "api",
        kind: WebhookKind::Standard,
        url: "https://example.com/hook",
        events: &[],
        name: "",
        secret: &WebhookSecret::new(vec![1; 32]),
        created_at: 1,
    };
    assert!(store.add_webhook(&webhook, 20).unwrap());
    id
}

/// The messages for a subscription.
fn messages(store: &Arc<Store>, webhook: WebhookId) -> Vec<Value> {
    let deliveries = store.deliveries(webhook, None, 9).unwrap();
    let payloads = deliveries.iter().map(|delivery| &delivery.payload);
    payloads
        .map(|payload| serde_json::from_slice(payload).unwrap())
        .collect()
}

#[test]
fn the_end_of_a_scan_is_told_to_the_webhook_of_its_order_or_to_all() {
    let (store, provider) = (store(), Gated::answering(1_000));
    let process = Process::start(&provider, &store, settings(Some(KEYS)));
    let [named, other] = [(); 2].map(|()| subscribe(&store));
    let small = json!({"domain": "example.com", "keyword": "crm", "models": ["model-1-latest"]});
    let mut order = process.order(small.clone(), Some("sk-own"));
    (order.webhook, order.tag) = (Some(named), Some("weekly".to_owned()));
    let id = process.queue(order).unwrap();
    let ended = process.end(id);
    let [message] = &messages(&store, named)[..] else {
        panic!("one message")
    };
    assert_eq!(
        (&message["type"], &message["data"]["status"]),
        (&json!("run.completed"), &json!("complete"))
    );
    assert_eq!(message["data"]["scanId"], json!(id));
    assert_eq!(message["data"]["tag"], "weekly");
    let document: Value = serde_json::from_slice(&ended.result.unwrap().document).unwrap();
    assert_eq!(
        message["data"]["summary"]["overallScore"],
        document["result"]["overallScore"]
    );
    assert!(messages(&store, other).is_empty());
    process.end(process.queue(process.order(small, None)).unwrap());
    assert_eq!([named, other].map(|id| messages(&store, id).len()), [2, 1]);
    process.kill();
}

#[test]
fn a_cancelled_scan_keeps_what_was_answered() {
    let (store, provider) = (store(), Gated::answering(5));
    let webhook = subscribe(&store);
    let process = Process::start(&provider, &store, settings(Some(KEYS)));
    let id = process.queue(process.order(large(), Some("sk-own"))).unwrap();
    assert_eq!(process.after(id, 4).run.stored, 5);
    let owner = owner();
    let cancelled = process.service.scans.cancel_queued(&owner, id);
    process.runtime.block_on(cancelled).unwrap();
    let ended = process.end(id);
    assert_eq!(ended.run.state, RunState::Cancelled);
    let document: Value = serde_json::from_slice(&ended.result.unwrap().document).unwrap();
    assert_eq!(document["result"]["usage"]["answered"], 5);
    assert_eq!(messages(&store, webhook)[0]["type"], "run.cancelled");
    let other = RunOwner::Api(CallerId::of(ibid_model::AccountId::random()));
    let found = process.runtime.block_on(process.service.scans.queued(&other, id));
    assert!(matches!(found, Err(Error::NotFound)));
    process.kill();
}

#[test]
fn queued_scans_count_against_the_hour_and_not_as_under_way() {
    let (store, provider) = (store(), Gated::answering(0));
    let process = Process::start(&provider, &store, settings(Some(KEYS)));
    let small = json!({"domain": "example.com", "keyword": "crm", "models": ["model-1-latest"]});
    let mut queued = 0;
    let refused = loop {
        match process.queue(process.order(small.clone(), Some("sk-own"))) {
            Ok(_) => queued += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, Error::TooMany { .. }));
    assert_eq!(queued, 60);
    process.kill();
}
