use super::*;
use crate::Engine;
use crate::plan::{Plan, PlanOptions};
use ibid_model::result::{Searched, Stratum};
use ibid_model::{Catalog, ScanDraft, ScanForm, ScanId};
use ibid_provider::Sandbox;
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::sync::Arc;

const ID: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

fn scan(order: Value, faults: f64) -> Scanned {
    let Value::Object(members) = order else {
        panic!("an order is an object")
    };
    let order = ScanDraft(&members)
        .parse(&Catalog::builtin(), ScanForm::Byok)
        .unwrap();
    let plan = Plan::of(order, PlanOptions::default()).unwrap();
    let provider = Arc::new(Sandbox::new(7).with_faults(faults));
    let engine = Engine::new(provider, NonZeroUsize::MIN.saturating_add(15));
    let id: ScanId = ID.parse().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime
        .block_on(engine.run(id, &plan, &"sandbox".parse().unwrap(), |_| {}))
        .unwrap()
}

/// The value as read from a file or the store, where scores have one decimal.
fn stored(scanned: &Scanned) -> (ScanResult, Evidence) {
    let result = serde_json::to_vec(&scanned.result).unwrap();
    let evidence = serde_json::to_vec(&scanned.evidence).unwrap();
    (
        serde_json::from_slice(&result).unwrap(),
        serde_json::from_slice(&evidence).unwrap(),
    )
}

fn value(result: &ScanResult) -> Value {
    serde_json::to_value(result).unwrap()
}

#[test]
fn the_same_version_gives_the_same_result() {
    for (order, faults) in [
        (json!({"domain": "example.com", "keyword": "crm"}), 0.0),
        (
            json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "rings": [1, 2, 3, 4]}),
            0.0,
        ),
        (
            json!({"domain": "lyon-plumbing.fr", "keyword": "plumber", "location": "Lyon, France", "questionsPerModel": 10,
                "models": ["model-1-latest", "model-6-latest"], "brandNames": ["Plomberie Lyonnaise"]}),
            0.3,
        ),
        (
            json!({"domain": "example.com", "keyword": "hotel", "location": "Japan"}),
            0.1,
        ),
        (
            json!({"domain": "example.com", "keyword": "example", "location": "Valencia, Spain", "rings": [], "questionsPerModel": 6}),
            0.2,
        ),
    ] {
        let scanned = scan(order.clone(), faults);
        let (result, evidence) = stored(&scanned);
        let again = rescore(&result, &evidence).unwrap();
        assert_eq!(value(&again.result), value(&scanned.result), "{order}");
        assert!(again.evidence == scanned.evidence, "{order}");
    }
}

#[test]
fn an_older_version_is_kept_beside_the_new_numbers() {
    let scanned = scan(
        json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"}),
        0.0,
    );
    let (mut old, mut evidence) = stored(&scanned);
    // A version of long ago: other numbers, readings that say nothing, no word on how answers ended.
    old.method.version = "0.1".into();
    old.overall_score = ibid_model::Score::new(7.0);
    old.models[0].score = ibid_model::Score::new(9.0);
    old.models[0].answers[0].class = None;
    old.radius.top_competitors.clear();
    for answer in &mut evidence.answers {
        answer.finish = None;
        answer.reading.as_mut().unwrap().quotes.clear();
    }
    let again = rescore(&old, &evidence).unwrap();
    let previous = &again.result.method.previous;
    assert_eq!((previous.len(), previous[0].version.as_str()), (1, "0.1"));
    assert_eq!(
        (previous[0].overall_score.get(), previous[0].models[0].score.get()),
        (7.0, 9.0)
    );
    assert_eq!(previous[0].models.len(), 3);
    let mut expected = value(&scanned.result);
    expected["method"]["previous"] = value(&again.result)["method"]["previous"].clone();
    assert_eq!(value(&again.result), expected);
    let readings = |evidence: &Evidence| -> Vec<Option<Reading>> {
        evidence
            .answers
            .iter()
            .map(|answer| answer.reading.clone())
            .collect()
    };
    assert!(readings(&again.evidence) == readings(&scanned.evidence));
    // Once more: the first number is still there, and nothing is added.
    let (result, evidence) = stored(&again);
    assert_eq!(value(&rescore(&result, &evidence).unwrap().result), expected);
}

#[test]
fn truncated_answers_of_old_evidence_stay_so() {
    let scanned = scan(json!({"domain": "example.com", "keyword": "crm"}), 0.0);
    let (result, mut evidence) = stored(&scanned);
    for (index, flags) in [(0, vec![Flag::Cut]), (1, vec![])] {
        let answer = &mut evidence.answers[index];
        (answer.finish, answer.text) = (None, Some("1. Example\n2. Rival Works is".to_owned()));
        answer.reading.as_mut().unwrap().flags = flags;
    }
    let again = rescore(&result, &evidence).unwrap().evidence.answers;
    let of = |index: usize| {
        (
            again[index].finish,
            again[index].reading.as_ref().unwrap().flags.contains(&Flag::Cut),
        )
    };
    assert_eq!(
        (of(0), of(1)),
        ((Some(Finish::Truncated), true), (Some(Finish::Complete), false))
    );
}

#[test]
fn evidence_of_another_scan_is_refused() {
    let scanned = scan(
        json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"}),
        0.0,
    );
    let (result, evidence) = stored(&scanned);
    type Change = fn(&mut ScanResult, &mut Evidence);
    let rows: [(Change, CannotRescore); 7] = [
        (
            |_, evidence| evidence.domain = "other.org".parse().unwrap(),
            CannotRescore::OtherScan,
        ),
        (
            |_, evidence| evidence.keyword = "baker".parse().unwrap(),
            CannotRescore::OtherScan,
        ),
        (
            |_, evidence| evidence.answers[0].question.push('?'),
            CannotRescore::OtherScan,
        ),
        (|result, _| result.location = None, CannotRescore::OtherScan),
        (|_, evidence| evidence.answers.clear(), CannotRescore::NoAnswers),
        (
            |result, _| _ = result.models.remove(0),
            CannotRescore::UnknownModel(result.models[0].model.clone()),
        ),
        (
            |result, _| result.radius.rings.clear(),
            CannotRescore::UnknownMarket("r1m1k1q1".into()),
        ),
    ];
    for (change, expected) in rows {
        let (mut result, mut evidence) = (result.clone(), evidence.clone());
        change(&mut result, &mut evidence);
        assert_eq!(rescore(&result, &evidence).map(|_| ()).unwrap_err(), expected);
    }
}

/// The documents of a scan from before answers carried their retrieval.
fn without_retrieval(scanned: &Scanned) -> (ScanResult, Evidence) {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.remove("retrieval");
                members.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut documents = (
        serde_json::to_value(&scanned.result).unwrap(),
        serde_json::to_value(&scanned.evidence).unwrap(),
    );
    strip(&mut documents.0);
    strip(&mut documents.1);
    (
        serde_json::from_value(documents.0).unwrap(),
        serde_json::from_value(documents.1).unwrap(),
    )
}

#[test]
fn an_older_scan_is_unknown_throughout() {
    let scanned = scan(
        json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"}),
        0.0,
    );
    let (mut result, evidence) = without_retrieval(&scanned);
    let again = rescore(&result, &evidence).unwrap().result;
    assert_eq!(
        (again.retrieval.headline, again.retrieval.unknown),
        (Stratum::Unknown, 24)
    );
    assert!(again.retrieval.search_asked && again.retrieval.searched_score.is_none());
    for model in &again.models {
        assert_eq!(
            (model.coverage, model.retrieval.headline),
            (1.0, Stratum::Unknown)
        );
        assert!(
            model
                .answers
                .iter()
                .all(|answer| answer.retrieval.searched == Searched::Unknown)
        );
    }
    // Without web search nothing asked for a search.
    result.method.web_search = false;
    let again = rescore(&result, &evidence).unwrap().result;
    assert_eq!(
        (again.retrieval.headline, again.retrieval.unknown),
        (Stratum::Memory, 24)
    );
}

#[test]
fn strata_are_kept_when_a_scan_is_scored_again() {
    let scanned = scan(
        json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "questionsPerModel": 10}),
        0.0,
    );
    let (result, mut evidence) = without_retrieval(&scanned);
    for (n, answer) in evidence.answers.iter_mut().enumerate() {
        answer.retrieval.searched = if n % 4 == 1 { Searched::No } else { Searched::Yes };
    }
    let first = rescore(&result, &evidence).unwrap();
    let strata = first.result.retrieval;
    assert_eq!(
        (strata.headline, strata.answers),
        (Stratum::Searched, strata.searched + strata.memory)
    );
    assert!(strata.memory > 0 && strata.memory_score.is_some());
    assert_eq!(strata.searched_score, Some(first.result.overall_score));
    let again = rescore(&first.result, &first.evidence).unwrap();
    assert_eq!(again.result.retrieval, strata);
    assert_eq!(again.result.models, first.result.models);
    // Where every answer is from memory, the warning is made again, once.
    for answer in &mut evidence.answers {
        answer.retrieval.searched = Searched::No;
    }
    let mut memory = rescore(&result, &evidence).unwrap();
    memory = rescore(&memory.result, &memory.evidence).unwrap();
    let warned = memory
        .result
        .warnings
        .iter()
        .filter(|warning| warning.code == "not_searched");
    assert_eq!(
        (memory.result.retrieval.headline, warned.count()),
        (Stratum::Memory, 1)
    );
}
