use super::*;
use crate::plan::{PlanError, PlanOptions};
use crate::run::Rest;
use crate::scanned::Scanned;
use ibid_model::result::ScanResult;
use ibid_model::{Catalog, ScanDraft, ScanForm};
use ibid_provider::Sandbox;
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

fn planned(more: &Value, options: PlanOptions) -> Result<Plan, PlanError> {
    let mut body = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"});
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    let order = ScanDraft(body.as_object().unwrap())
        .parse(&Catalog::builtin(), ScanForm::Queued)
        .unwrap();
    Plan::of(order, options)
}

fn plan(more: &Value) -> Plan {
    planned(more, PlanOptions::default()).unwrap()
}

fn engine() -> Engine {
    Engine::new(Arc::new(Sandbox::new(7)), NonZeroUsize::MIN.saturating_add(4))
}

const ID: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

async fn asked(engine: &Engine, plan: &Plan) -> Scanned {
    let (id, key) = (ID.parse().unwrap(), "sandbox".parse().unwrap());
    engine.run(id, plan, &key, |_| {}).await.unwrap()
}

fn width(result: &ScanResult) -> f64 {
    result
        .sampling_interval
        .map(|interval| interval.high - interval.low)
        .unwrap()
}

#[test]
fn a_plan_in_batches_has_the_whole_pool_in_order_and_no_town() {
    let (plan, fixed) = (
        plan(&json!({"targetWidth": 30})),
        plan(&json!({"questionsPerModel": 10, "rings": []})),
    );
    assert_eq!(
        (plan.len(), plan.expected_calls(), plan.rings().len()),
        (60, 23, 0)
    );
    let models = plan.questions().iter().map(|question| question.model);
    assert!(models.enumerate().all(|(at, model)| model == Some(at % 3)));
    // The pool begins with the questions of a scan with counts.
    assert_eq!(plan.questions()[..30], *fixed.questions());
    let report = plan.report();
    let words = "±15 points, about 23 calls, $";
    assert!(
        report.batches().unwrap().starts_with(words),
        "{:?}",
        report.batches()
    );
    assert!(
        report
            .batches()
            .unwrap()
            .ends_with("; at most 60 calls, which reach about ±9")
    );
    assert_eq!(fixed.report().batches(), None);
    // The ceiling of the operator shortens the pool.
    let options = PlanOptions {
        most_questions: 20,
        ..PlanOptions::default()
    };
    assert_eq!(planned(&json!({"targetWidth": 30}), options).unwrap().len(), 18);
}

#[test]
fn the_ends_of_batches_follow_from_the_pool() {
    for (width, ends) in [
        (40, vec![9, 15, 21, 30, 42, 57, 60]),
        (30, vec![15, 21, 30, 42, 57, 60]),
    ] {
        let plan = plan(&json!({"targetWidth": width}));
        let mut asked = 0;
        let found = std::iter::from_fn(|| {
            asked = plan.batch_end(asked);
            Some(asked)
        });
        assert_eq!(found.take(ends.len()).collect::<Vec<_>>(), ends);
    }
}

#[tokio::test]
async fn the_width_ends_a_scan_at_the_end_of_a_batch() {
    let plan = plan(&json!({"targetWidth": 40}));
    let Scanned { result, evidence } = asked(&engine(), &plan).await;
    assert_eq!(result.stopped, Some(Stopped::Width));
    assert!(width(&result) <= 40.0);
    let asked = evidence.answers.len();
    assert!([9, 15, 21, 30, 42].contains(&asked), "{asked}");
    assert_eq!((result.usage.questions as usize, result.usage.failed), (asked, 0));
    let rescored = crate::rescore::rescore(&result, &evidence).unwrap();
    assert_eq!(
        (rescored.result.stopped, rescored.result.until),
        (result.stopped, result.until)
    );
}

#[tokio::test]
async fn money_ends_a_scan_before_it_is_overspent() {
    let plan = plan(&json!({"budget": 0.7}));
    let dear = plan.estimate();
    assert!(dear.dollars() <= 0.7, "{dear}");
    let result = asked(&engine(), &plan).await.result;
    assert_eq!(result.stopped, Some(Stopped::Budget));
    let billed = result.usage.cost_usd.unwrap().dollars();
    // The last answers may be a little longer than their estimate.
    assert!((0.6..=0.714).contains(&billed), "{billed}");
    // A cap of the run binds as well.
    let capped = engine().with_cost_cap(Some(UsdMicros::new(400_000)));
    let result = asked(&capped, &plan).await.result;
    assert_eq!(result.stopped, Some(Stopped::Budget));
    assert!(result.usage.cost_usd.unwrap().dollars() <= 0.4);
    assert_eq!(result.usage.failed, 0);
    let too_little = planned(&json!({"budget": 0.01}), PlanOptions::default()).unwrap_err();
    assert!(matches!(too_little, PlanError::Questions(_)), "{too_little}");
}

#[tokio::test]
async fn the_pool_ends_a_scan_whose_questions_are_few() {
    let questions: Vec<String> = (1..=12)
        .map(|number| format!("Who mends pipe number {number}?"))
        .collect();
    let plan = plan(&json!({"targetWidth": 10, "questions": questions}));
    let warned = plan
        .warnings()
        .iter()
        .any(|warning| warning.code == "few_questions_for_width");
    assert!(warned && plan.len() == 12, "{:?}", plan.warnings());
    let result = asked(&engine(), &plan).await.result;
    assert_eq!(
        (result.stopped, result.usage.questions),
        (Some(Stopped::Pool), 12)
    );
}

#[tokio::test]
async fn failed_calls_lower_the_coverage_and_a_refused_key_ends_the_scan() {
    let plan = plan(&json!({"targetWidth": 20}));
    let provider = Sandbox::new(7).with_faults(0.3);
    let engine = Engine::new(Arc::new(provider), NonZeroUsize::MIN);
    let result = asked(&engine, &plan).await.result;
    // Calls that fail lower the coverage, and the next batch is asked.
    assert!(result.usage.failed > 0 && result.stopped.is_some());
    let refused = |call: usize| EndedCall {
        call: u32::try_from(call).unwrap(),
        interim: None,
        second_attempt: false,
        capped: false,
        answer: Err(ProviderError::KeyRejected),
    };
    let models = plan.models().len();
    let next = |refusals: usize| {
        let ended: Vec<_> = (0..refusals).map(refused).collect();
        engine.next_of(ID.parse().unwrap(), &plan, &ended)
    };
    assert!(matches!(next(models - 1), Next::Ask(_)));
    assert_eq!(next(models), Next::Stop(None));
}

#[tokio::test]
async fn an_interrupted_scan_asks_what_an_uninterrupted_one_asks() {
    let (engine, id) = (engine(), ID.parse().unwrap());
    for more in [
        json!({"targetWidth": 30}),
        json!({"budget": 0.9}),
        json!({"targetWidth": 40, "budget": 2}),
    ] {
        let plan = plan(&more);
        let whole = asked(&engine, &plan).await;
        for pause in [1, 4, 7, 15] {
            let (key, kept) = ("sandbox".parse().unwrap(), Mutex::new(Vec::<EndedCall>::new()));
            loop {
                let known = kept.lock().unwrap().clone();
                let Some(calls) = engine.next_calls(id, &plan, &known) else {
                    break;
                };
                let stop = CancellationToken::new();
                let rest = Rest {
                    calls,
                    ended: &known,
                    deadline: Instant::now() + plan.time_limit(),
                    stop: &stop,
                };
                let keep = |ended: EndedCall| {
                    let mut kept = kept.lock().unwrap();
                    assert!(kept.iter().all(|before| before.call != ended.call), "asked twice");
                    kept.push(ended);
                    if kept.len() >= known.len() + pause {
                        stop.cancel();
                    }
                    std::future::ready(Ok::<_, ()>(()))
                };
                engine.ask_rest(&plan, &key, &rest, keep).await.unwrap();
            }
            let ended = kept.into_inner().unwrap();
            let missing = (&ProviderError::Timeout, whole.result.started_at);
            let mut pieces = engine.gather(id, plan.clone(), ended, missing).unwrap().score();
            pieces.result.finished_at = whole.result.finished_at;
            assert_eq!(pieces.evidence, whole.evidence, "{more}, {pause}");
            assert_eq!(pieces.result, whole.result, "{more}, {pause}");
        }
    }
}
