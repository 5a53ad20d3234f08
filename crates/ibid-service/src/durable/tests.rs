use super::steps::Steps;
use super::*;
use crate::clock::now_ms;
use crate::error::Error;
use crate::handle::service::Service;
use crate::handle::settings::ServiceSettings;
use crate::job::CallerId;
use crate::runs::engine::{EngineSettings, RunSteps, StepCtx};
use ibid_engine::plan::Plan;
use ibid_model::{RunState, ScanDraft, ScanForm, ScanId};
use ibid_provider::{Completion, Prompt, Provider, ProviderError, ProviderFuture, ProviderKey, Sandbox};
use ibid_store::{NewDurableRun, RunKeys, RunSubject, StepRoom, Store, WorkerId};
use serde_json::{Map, Value, json};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// A sandbox whose calls wait for permission, and which records its questions.
struct Gated {
    sandbox: Sandbox,
    gate: Semaphore,
    begun: AtomicUsize,
    answered: Mutex<Vec<(String, String)>>,
}

impl Gated {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            sandbox: Sandbox::new(7),
            gate: Semaphore::new(0),
            begun: AtomicUsize::new(0),
            answered: Mutex::default(),
        })
    }
}

impl Provider for Gated {
    fn ask<'a>(
        &'a self,
        key: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> ProviderFuture<'a, Result<Completion, ProviderError>> {
        Box::pin(async move {
            self.begun.fetch_add(1, Ordering::SeqCst);
            self.gate.acquire().await.unwrap().forget();
            assert_eq!(key.expose(), "sk-of-the-caller");
            let asked = (prompt.model.clone(), prompt.text.clone());
            self.answered.lock().unwrap().push(asked);
            self.sandbox.ask(key, prompt).await
        })
    }

    fn is_sandbox(&self) -> bool {
        true
    }
}

const KEYS: &str = "test AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

fn service(provider: &Arc<Gated>, store: &Arc<Store>) -> Service {
    with_keys(provider, store, KEYS)
}

fn with_keys(provider: &Arc<Gated>, store: &Arc<Store>, keys: &str) -> Service {
    let settings = QueueSettings {
        keys: Some(Arc::new(RunKeys::parse(keys).unwrap())),
        engine: EngineSettings {
            lease: Duration::from_millis(600),
            poll: Duration::from_millis(20),
            ..EngineSettings::default()
        },
        start: None,
    };
    let settings = ServiceSettings {
        width: NonZeroUsize::MIN.saturating_add(3),
        queue: settings,
        ..ServiceSettings::new(Arc::clone(provider) as Arc<dyn Provider>, Arc::clone(store))
    };
    settings.start(Handle::current())
}

fn store() -> Arc<Store> {
    Arc::new(Store::in_memory().unwrap())
}

fn owner() -> RunOwner {
    RunOwner::Api(CallerId::api())
}

async fn order(service: &Service, body: Value) -> QueueOrder {
    let body: Map<String, Value> = serde_json::from_value(body).unwrap();
    QueueOrder {
        plan: service
            .planner
            .plan(ScanDraft(&body), ScanForm::Byok)
            .await
            .unwrap(),
        owner: owner(),
        key: Some("sk-of-the-caller".parse().unwrap()),
        deadline: None,
        max_cost: None,
        tag: Some("weekly".to_owned()),
        webhook: None,
        schedule: None,
        priority: 3,
    }
}

async fn queue(service: &Service, body: Value) -> ScanId {
    let order = order(service, body).await;
    service.scans.queue(order, None).await.unwrap().id()
}

async fn ended(service: &Service, id: ScanId) -> QueuedScan {
    let mut done = 0;
    loop {
        let scan = service.scans.queued_after(&owner(), id, done).await.unwrap();
        if scan.run.ended_at.is_some() {
            return scan;
        }
        done = scan.run.stored;
    }
}

/// Several shards.
fn small() -> Value {
    json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "rings": [1]})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queued_scan_has_the_result_of_a_direct_one() {
    let (provider, store) = (Gated::new(), store());
    provider.gate.add_permits(1_000);
    let service = service(&provider, &store);
    let id = queue(&service, small()).await;
    let scan = ended(&service, id).await;
    assert_eq!(scan.run.state, RunState::Complete);
    let document: Value = serde_json::from_slice(&scan.result.unwrap().document).unwrap();
    assert_eq!(document["status"], "complete");
    assert_eq!(document["result"]["usage"]["failed"], 0);
    assert_eq!(scan.run.subject.tag.as_deref(), Some("weekly"));
    // Its sealed key is gone, and so are its calls.
    assert_eq!(store.run_secret(id, 0).unwrap(), None);
    assert_eq!(store.calls(id, 0, 1_000).unwrap(), []);
    let other = RunOwner::Api(CallerId::of(ibid_model::AccountId::random()));
    assert!(matches!(
        service.scans.queued(&other, id).await,
        Err(Error::NotFound)
    ));
    assert!(matches!(
        service.scans.stored(id, &crate::Reader::V1).await,
        Err(Error::NotFound)
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_goes_on_in_another_process_and_repeats_no_kept_call() {
    let (provider, store) = (Gated::new(), store());
    let first = service(&provider, &store);
    let id = queue(&first, small()).await;
    let total = first.scans.queued(&owner(), id).await.unwrap().run.calls;
    for round in 1..=2 {
        provider.gate.add_permits(5);
        let mut scan = first.scans.queued(&owner(), id).await.unwrap();
        while scan.run.stored < 5 * round {
            scan = first
                .scans
                .queued_after(&owner(), id, scan.run.stored)
                .await
                .unwrap();
        }
        assert_eq!(scan.answers.len(), scan.run.stored as usize);
    }
    let kept = provider.answered.lock().unwrap().clone();
    // The calls under way are never answered: the first process stops without them.
    first.drain(Duration::from_millis(100)).await;
    provider.gate.add_permits(1_000);
    let second = service(&provider, &store);
    let scan = ended(&second, id).await;
    assert_eq!(scan.run.state, RunState::Complete);
    let answered = provider.answered.lock().unwrap();
    for call in kept {
        assert_eq!(
            answered.iter().filter(|other| **other == call).count(),
            1,
            "{call:?}"
        );
    }
    assert!(answered.len() >= total as usize && answered.len() <= total as usize + 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_asks_nothing_after_its_deadline() {
    let (provider, store) = (Gated::new(), store());
    provider.gate.add_permits(1_000);
    let service = service(&provider, &store);
    let late = QueueOrder {
        deadline: Some(jiff::Timestamp::now()),
        ..order(&service, small()).await
    };
    let id = service.scans.queue(late, None).await.unwrap().id();
    let scan = ended(&service, id).await;
    assert_eq!(
        (scan.run.state, scan.run.error.as_deref()),
        (RunState::Failed, Some("timeout"))
    );
}

/// The same plan with a question that no template of this program makes.
fn of_former_templates(plan: &Plan) -> Plan {
    let mut stored = serde_json::to_value(plan).unwrap();
    stored["questions"][0]["text"] = json!(FORMER);
    serde_json::from_value(stored).unwrap()
}

const FORMER: &str = "Which plumber would a former template recommend?";

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_goes_on_with_its_questions_after_the_templates_were_replaced() {
    let (provider, store) = (Gated::new(), store());
    let first = service(&provider, &store);
    let order = order(&first, small()).await;
    let plan = of_former_templates(&order.plan);
    let id = first
        .scans
        .queue(QueueOrder { plan, ..order }, None)
        .await
        .unwrap()
        .id();
    provider.gate.add_permits(5);
    let mut scan = first.scans.queued(&owner(), id).await.unwrap();
    while scan.run.stored < 5 {
        scan = first
            .scans
            .queued_after(&owner(), id, scan.run.stored)
            .await
            .unwrap();
    }
    first.drain(Duration::from_millis(100)).await;
    provider.gate.add_permits(1_000);
    let scan = ended(&service(&provider, &store), id).await;
    assert_eq!(scan.run.state, RunState::Complete);
    let asked = provider.answered.lock().unwrap();
    let former = asked.iter().filter(|(_, text)| text == FORMER).count();
    assert_eq!(former, 1);
    let evidence = store.answers(id).unwrap().unwrap();
    assert!(String::from_utf8(evidence).unwrap().contains(FORMER));
    assert!(store.run_plan(id).unwrap().is_none());
}

/// Stores a run as a program did that stored no plans.
/// The name is that of its plan.
fn planless(store: &Arc<Store>, name: &str) -> ScanId {
    let (id, tenant) = (ScanId::random(), owner().tenant());
    let document = json!({
        "owner": owner(), "order": small(), "plan": name, "operatorPays": false,
        "deadline": null, "maxCost": null, "webhook": null,
    });
    let run_keys = RunKeys::parse(KEYS).unwrap();
    let key = keys::seal(&run_keys, id, &"sk-of-the-caller".parse().unwrap(), i64::MAX);
    let run = NewDurableRun {
        id,
        tenant: tenant.as_str(),
        priority: 3,
        document: &serde_json::to_vec(&document).unwrap(),
        plan: None,
        calls: 7,
        created_at: 1,
        secret: key.as_ref(),
        subject: &RunSubject::default(),
    };
    store.open_run(&run).unwrap();
    store.start_run(id).unwrap();
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_of_a_program_without_stored_plans_goes_on() {
    let (provider, store) = (Gated::new(), store());
    provider.gate.add_permits(1_000);
    let waiting = planless(&store, "the plan of former templates");
    let service = service(&provider, &store);
    let scan = ended(&service, waiting).await;
    let planned = order(&service, small()).await.plan.len();
    assert_eq!(
        (scan.run.state, scan.run.calls as usize),
        (RunState::Complete, planned)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_without_a_stored_plan_belong_to_an_equal_plan_alone() {
    let (provider, store) = (Gated::new(), store());
    provider.gate.add_permits(1_000);
    let former = planless(&store, "the plan of former templates");
    let claimed = store
        .claim_steps(WorkerId::random(), 1, 1, StepRoom::of_any(1))
        .unwrap();
    store.finish_plan(claimed[0].held, 1).unwrap();
    let scan = ended(&service(&provider, &store), former).await;
    assert_eq!(
        (scan.run.state, scan.run.error.as_deref()),
        (RunState::Failed, Some("order_unreadable"))
    );
    assert_eq!(provider.begun.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_fails_after_a_cancellation_ends_a_cancelled_scan() {
    let (provider, store) = (Gated::new(), store());
    let service = service(&provider, &store);
    service.drain(Duration::from_secs(5)).await;
    let id = queue(&service, small()).await;
    let claimed = store
        .claim_steps(WorkerId::random(), i64::MAX, now_ms(), StepRoom::of_any(1))
        .unwrap();
    store.cancel_run(id).unwrap();
    let steps = Steps {
        runs: Arc::clone(&service.scans.runs),
        planner: Arc::clone(&service.planner),
        keys: None,
        operator: None,
        sold_key: None,
    };
    let ctx = StepCtx {
        held: claimed[0].held,
        stop: CancellationToken::new(),
        cancelled: claimed[0].cancelled,
        answered: Arc::default(),
    };
    assert!(!ctx.cancelled);
    steps.fail("key_unavailable", ctx).await.unwrap();
    let scan = ended(&service, id).await;
    assert_eq!(scan.run.state, RunState::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_cannot_be_opened_ends_a_scan() {
    let (provider, store) = (Gated::new(), store());
    let first = service(&provider, &store);
    first.drain(Duration::from_secs(5)).await;
    let id = queue(&first, small()).await;
    let other = "other ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
    let scan = ended(&with_keys(&provider, &store, other), id).await;
    assert_eq!(
        (scan.run.state, scan.run.error.as_deref()),
        (RunState::Failed, Some("key_unavailable"))
    );
    assert_eq!(provider.begun.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_that_was_queued_while_its_key_was_revoked_asks_nothing() {
    let (provider, store) = (Gated::new(), store());
    let first = service(&provider, &store);
    first.drain(Duration::from_secs(5)).await;
    let name = "shop".parse().unwrap();
    store.add_service_key(&name, &[1; 32], 1).unwrap();
    let of_key = QueueOrder {
        owner: RunOwner::Api(CallerId::of_key(&name)),
        ..order(&first, small()).await
    };
    let id = first.scans.queue(of_key, None).await.unwrap().id();
    assert!(store.revoke_service_key(&name, 2).unwrap());
    let second = service(&provider, &store);
    let owner = RunOwner::Api(CallerId::of_key(&name));
    let mut scan = second.scans.queued(&owner, id).await.unwrap();
    while scan.run.ended_at.is_none() {
        scan = second.scans.queued_after(&owner, id, 0).await.unwrap();
    }
    assert_eq!(
        (scan.run.state, scan.run.error.as_deref()),
        (RunState::Failed, Some("key_revoked"))
    );
    assert!(store.run_secret(id, 0).unwrap().is_none());
    assert_eq!(provider.begun.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_a_full_disk_did_not_take_are_stored_once_it_does() {
    let (provider, disk) = (Gated::new(), Arc::new(Store::in_memory().unwrap()));
    let store: Arc<Store> = Arc::clone(&disk) as _;
    let service = service(&provider, &store);
    let id = queue(&service, small()).await;
    let until = async |reached: &dyn Fn() -> bool| {
        while !reached() {
            tokio::task::yield_now().await;
        }
    };
    until(&|| provider.begun.load(Ordering::SeqCst) > 0).await;
    disk.sqlite().unwrap().refuse_writes().unwrap();
    provider.gate.add_permits(1_000);
    // Rounds of the engine fail meanwhile, also the renewal of the lease, which runs out.
    let before = service.measurements().store_faults();
    until(&|| service.measurements().store_faults() > before + 60).await;
    disk.sqlite().unwrap().accept_writes().unwrap();
    let scan = ended(&service, id).await;
    assert_eq!(scan.run.state, RunState::Complete);
    let mut asked = provider.answered.lock().unwrap().clone();
    assert_eq!(asked.len(), scan.run.calls as usize);
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), scan.run.calls as usize);
}
