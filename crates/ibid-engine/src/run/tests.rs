use super::*;
use crate::plan::PlanOptions;
use ibid_model::{Catalog, ScanDraft, ScanForm};
use ibid_provider::Sandbox;
use serde_json::{Value, json};

/// A scan in which every fifth call fails, and everything it said on the way.
fn watched(interim_readings: bool) -> (Scanned, Vec<Progress>) {
    let Value::Object(members) =
        json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"})
    else {
        panic!("an order is an object")
    };
    let order = ScanDraft(&members)
        .parse(&Catalog::builtin(), ScanForm::Byok)
        .unwrap();
    let plan = Plan::of(order, PlanOptions::default()).unwrap();
    let provider = Arc::new(Sandbox::new(7).with_faults(0.2));
    let engine = Engine::new(provider, NonZeroUsize::MIN).with_interim_readings(interim_readings);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (id, key) = (ScanId::random(), "sandbox".parse().unwrap());
    let mut said = Vec::new();
    let scanned = runtime
        .block_on(engine.run(id, &plan, &key, |progress| said.push(progress)))
        .unwrap();
    (scanned, said)
}

#[test]
fn interim_readings_report_each_answer() {
    let (scanned, said) = watched(true);
    assert_eq!(said.len(), scanned.evidence.answers.len());
    assert!(
        said.iter()
            .all(|progress| progress.interim.is_some() == progress.answered)
    );
    let cited = |found: bool| usize::from(found);
    let cited_interim: usize = said
        .iter()
        .map(|p| cited(p.interim.as_ref().is_some_and(|g| g.cited)))
        .sum();
    let read = scanned
        .evidence
        .answers
        .iter()
        .filter_map(|answer| answer.reading.as_ref());
    let read: usize = read.map(|reading| cited(reading.cited())).sum();
    // Names that other answers teach are found only at the end.
    assert!(
        cited_interim > 0 && cited_interim <= read,
        "{cited_interim} of {read}"
    );
    assert!(
        said.iter()
            .filter_map(|p| p.interim.as_ref())
            .all(|g| g.cited == (g.score.get() > 0.0))
    );
}

#[test]
fn callers_without_interim_readings_get_none() {
    let (_, said) = watched(false);
    assert!(said.iter().any(|progress| progress.answered));
    assert!(said.iter().all(|progress| progress.interim.is_none()));
}

/// A scan that is interrupted after so many calls each time, with its calls kept as JSON in between.
async fn interrupted(
    engine: &Engine,
    id: ScanId,
    plan: &Plan,
    pauses: &[usize],
) -> Result<Scanned, NoAnswers> {
    let (key, kept) = (
        "sandbox".parse().unwrap(),
        std::sync::Mutex::new(Vec::<String>::new()),
    );
    let all = u32::try_from(plan.len()).unwrap();
    for pause in pauses.iter().copied().chain([usize::MAX]) {
        let known: Vec<EndedCall> = {
            let kept = kept.lock().unwrap();
            kept.iter()
                .map(|call| serde_json::from_str(call).unwrap())
                .collect()
        };
        let (stop, begun) = (CancellationToken::new(), known.len());
        let rest = Rest {
            calls: 0..all,
            ended: &known,
            deadline: Instant::now() + plan.time_limit(),
            stop: &stop,
        };
        let keep = |ended: EndedCall| {
            let mut kept = kept.lock().unwrap();
            kept.push(serde_json::to_string(&ended).unwrap());
            if kept.len() - begun >= pause {
                stop.cancel();
            }
            std::future::ready(Ok::<_, ()>(()))
        };
        engine.ask_rest(plan, &key, &rest, keep).await.unwrap();
    }
    let kept = kept.into_inner().unwrap();
    let ended = kept.iter().map(|call| serde_json::from_str(call).unwrap());
    let missing = (&ProviderError::Stopped, Timestamp::UNIX_EPOCH);
    Ok(engine.gather(id, plan.clone(), ended, missing)?.score())
}

fn order(body: Value) -> Plan {
    let Value::Object(members) = body else {
        panic!("an order is an object")
    };
    let order = ScanDraft(&members)
        .parse(&Catalog::builtin(), ScanForm::Byok)
        .unwrap();
    Plan::of(order, PlanOptions::default()).unwrap()
}

fn without_times(scanned: &Scanned) -> Value {
    let mut result = serde_json::to_value(&scanned.result).unwrap();
    for time in ["startedAt", "finishedAt"] {
        assert!(result.as_object_mut().unwrap().remove(time).is_some());
    }
    json!([result, scanned.evidence])
}

#[test]
fn an_interrupted_scan_has_the_result_of_an_uninterrupted_one() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let plan = order(
        json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "rings": [1]}),
    );
    let engine = Engine::new(
        Arc::new(Sandbox::new(7).with_faults(0.2)),
        NonZeroUsize::MIN.saturating_add(3),
    )
    .with_interim_readings(true);
    let (id, key) = (ScanId::random(), "sandbox".parse().unwrap());
    let whole = runtime.block_on(engine.run(id, &plan, &key, |_| {})).unwrap();
    for pauses in [&[][..], &[1], &[5, 1, 1, 7], &[1; 40], &[0, 2]] {
        let parts = runtime.block_on(interrupted(&engine, id, &plan, pauses)).unwrap();
        assert_eq!(without_times(&parts), without_times(&whole), "{pauses:?}");
    }
}

/// A router that bills each answer, and after some answers refuses the key or the model.
struct Billing {
    asked: std::sync::atomic::AtomicUsize,
    refuses: Option<(usize, ProviderError)>,
}

impl Provider for Billing {
    fn ask<'a>(
        &'a self,
        _: &'a ProviderKey,
        _: &'a ibid_provider::Prompt,
    ) -> ibid_provider::ProviderFuture<'a, Result<ibid_provider::Completion, ProviderError>> {
        Box::pin(async {
            let before = self.asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            match self.refuses.clone().filter(|(after, _)| before >= *after) {
                Some((_, error)) => Err(error),
                None => Ok(ibid_provider::Completion {
                    text: "Acme is good.".to_owned(),
                    usage: ibid_provider::TokenUsage {
                        cost: Some(UsdMicros::new(100_000)),
                        ..ibid_provider::TokenUsage::default()
                    },
                    ..ibid_provider::Completion::default()
                }),
            }
        })
    }
}

#[test]
fn bills_and_refusals_before_an_interruption_hold_after_it() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let plan = order(
        json!({"domain": "example.com", "keyword": "crm", "models": ["model-1-latest"], "questionsPerModel": 10}),
    );
    let pauses = [2, 1, 1, 1, 1, 1, 1];
    for (refuses, most_asked, answered, warned) in [
        (None, 5, 5, true),
        (Some((3, ProviderError::KeyRejected)), 4, 3, false),
        (Some((3, ProviderError::ModelUnavailable)), 4, 3, false),
    ] {
        let provider = Arc::new(Billing {
            asked: std::sync::atomic::AtomicUsize::new(0),
            refuses,
        });
        let engine = Engine::new(Arc::clone(&provider) as Arc<dyn Provider>, NonZeroUsize::MIN)
            .with_cost_cap(Some(UsdMicros::new(500_000)));
        let scanned = runtime
            .block_on(interrupted(&engine, ScanId::random(), &plan, &pauses))
            .unwrap();
        assert_eq!(scanned.result.usage.answered, answered);
        assert_eq!(
            provider.asked.load(std::sync::atomic::Ordering::Relaxed),
            most_asked
        );
        let capped = scanned
            .result
            .warnings
            .iter()
            .any(|warning| warning.code == "cost_cap_reached");
        assert_eq!(capped, warned, "{:?}", scanned.result.warnings);
    }
}
