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
        .map(|p| cited(p.interim.is_some_and(|g| g.cited)))
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
            .filter_map(|p| p.interim)
            .all(|g| g.cited == (g.score.get() > 0.0))
    );
}

#[test]
fn callers_without_interim_readings_get_none() {
    let (_, said) = watched(false);
    assert!(said.iter().any(|progress| progress.answered));
    assert!(said.iter().all(|progress| progress.interim.is_none()));
}
