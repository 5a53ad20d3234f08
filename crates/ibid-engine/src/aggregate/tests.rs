use super::*;
use crate::plan::PlanOptions;
use ibid_model::result::{RadiusStatus, RingStatus};
use ibid_model::{Catalog, ScanDraft, ScanForm};
use ibid_provider::{Completion, ProviderError};
use serde_json::{Value, json};

pub(crate) fn plan(body: Value) -> Plan {
    let Value::Object(members) = body else {
        panic!("a body is an object")
    };
    let order = ScanDraft(&members)
        .parse(&Catalog::builtin(), ScanForm::Byok)
        .unwrap();
    Plan::of(order, PlanOptions::default()).unwrap()
}

pub(crate) fn frame() -> Frame {
    let at = Timestamp::from_second(1_795_000_000).unwrap();
    let id = "6f9619ff-8b86-4011-b42d-00c04fc964ff".parse().unwrap();
    Frame {
        id,
        sandbox: true,
        spending: Spending::default(),
        stopped: None,
        estimate: UsdMicros::ZERO,
        started_at: at,
        finished_at: at,
    }
}

pub(super) fn says(text: &str) -> Result<Completion, ProviderError> {
    Ok(Completion {
        text: text.to_owned(),
        model: None,
        ..Completion::default()
    })
}

/// Every call of a plan, by topic and model.
pub(crate) fn calls(
    plan: &Plan,
    call: impl Fn(usize, usize) -> Result<Completion, ProviderError>,
) -> CallOutcomes {
    let mut calls: CallOutcomes = plan.questions().iter().map(|_| Vec::new()).collect();
    for (topic, model) in plan.asked() {
        calls[topic].push(call(topic, model));
    }
    calls
}

pub(super) const FIRST: &str =
    "1. Example - the best choice\n2. Rival Works - also good\n3. Third House - fine";
pub(super) const ABSENT: &str = "1. Rival Works - the best choice\n2. Third House - also good";

#[test]
fn a_failed_model_leaves_the_overall_mean() {
    let plan = plan(
        json!({"domain": "example.com", "keyword": "crm", "models": ["model-1-latest", "model-2-latest"]}),
    );
    let calls = calls(&plan, |_, model| {
        if model == 0 {
            says(FIRST)
        } else {
            Err(ProviderError::Timeout)
        }
    });
    let result = aggregate(&plan, calls, &frame()).result;
    assert_eq!(result.overall_score, result.models[0].score);
    assert!(result.models[0].cited && result.models[0].error.is_none());
    let failed = &result.models[1];
    assert_eq!(
        (failed.cited, failed.score.get(), failed.coverage),
        (false, 0.0, 0.0)
    );
    assert_eq!(failed.error.as_ref().unwrap().code, "timeout");
    assert_eq!((result.usage.answered, result.usage.failed), (3, 3));
    assert!(result.warnings.iter().any(|warning| warning.code == "partial"));
}

#[test]
fn unfinished_answers_are_left_out_and_named() {
    let plan = plan(
        json!({"domain": "example.com", "keyword": "crm", "models": ["model-1-latest", "model-2-latest"]}),
    );
    let calls = calls(&plan, |_, model| {
        says(if model == 0 {
            FIRST
        } else {
            "I'll search for the best CRM."
        })
    });
    let result = aggregate(&plan, calls, &frame()).result;
    assert_eq!(result.overall_score, result.models[0].score);
    assert_eq!((result.usage.answered, result.usage.failed), (3, 3));
    let failed = result.models[1].error.as_ref().unwrap();
    assert_eq!(failed.code, "unfinished_answer");
    assert!(!failed.remedy.is_empty());
    let warning = result
        .warnings
        .iter()
        .find(|warning| warning.code == "unfinished_answers");
    assert!(warning.unwrap().message.starts_with(&plan.models()[1].name));
}

#[test]
fn another_model_in_its_place_is_named_and_stays_out_of_trends() {
    let plan = plan(
        json!({"domain": "example.com", "keyword": "crm", "models": ["model-1-latest", "model-2-latest"]}),
    );
    let calls = calls(&plan, |_, model| {
        let (served, text) = match model {
            0 => ("openai/gpt-6.1-sol", FIRST),
            _ => ("mistralai/mistral-small", "1. Rival Works"),
        };
        says(text).map(|answer| Completion {
            model: Some(served.to_owned()),
            ..answer
        })
    });
    let result = aggregate(&plan, calls, &frame()).result;
    let substituted: Vec<bool> = result.models.iter().map(|model| model.substituted).collect();
    assert_eq!(substituted, [false, true]);
    assert_eq!(result.headline_answers().count(), 3);
    assert_eq!(result.overall_score, result.models[0].score);
    let warning = result
        .warnings
        .iter()
        .find(|warning| warning.code == "model_substituted");
    assert!(warning.unwrap().message.contains("mistralai/mistral-small"));
}

#[test]
fn answers_of_other_towns_move_no_model_score() {
    let plan = plan(
        json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "rings": [1, 2]}),
    );
    let home = Some(Slot::Ring {
        ring: ibid_model::Ring::HOME,
        market: 0,
    });
    let answers = calls(&plan, |topic, _| {
        let slot = plan.questions()[topic].slot;
        says(if slot.ring().is_none() || Some(slot) == home {
            FIRST
        } else {
            ABSENT
        })
    });
    let with_rings = aggregate(&plan, answers, &frame()).result;
    let all_first = aggregate(&plan, calls(&plan, |_, _| says(FIRST)), &frame()).result;
    assert_eq!(with_rings.overall_score, all_first.overall_score);
    assert!(
        with_rings
            .radius
            .rings
            .iter()
            .flat_map(|ring| &ring.markets)
            .all(|market| market.cited_rate == Some(f64::from(u8::from(market.distance_km == Some(0.0)))))
    );
    // Few towns, all alike: what one shows is drawn towards home.
    let towns: Vec<_> = with_rings
        .radius
        .rings
        .iter()
        .flat_map(|ring| &ring.markets)
        .collect();
    assert_eq!(towns[0].lost, Some(0.0));
    assert!(
        towns[1..]
            .iter()
            .all(|town| town.expected_rate > Some(0.0) && town.lost > Some(0.9))
    );
    assert_eq!(all_first.radius.status, RadiusStatus::Complete);
    assert!(
        all_first
            .radius
            .rings
            .iter()
            .all(|ring| ring.status == RingStatus::Complete)
    );
}

#[test]
fn rings_without_answers_are_failed_not_zero() {
    let plan = plan(
        json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "rings": [1]}),
    );
    let calls = calls(&plan, |topic, _| {
        if topic < 3 {
            says(FIRST)
        } else {
            Err(ProviderError::Unavailable)
        }
    });
    let radius = aggregate(&plan, calls, &frame()).result.radius;
    assert_eq!(
        (radius.status, radius.rings[0].status),
        (RadiusStatus::Failed, RingStatus::Failed)
    );
    assert_eq!((radius.rings[0].score, radius.rings[0].cited_rate), (None, None));
    assert_eq!(radius.citation_radius_km, None);
}

#[test]
fn a_branded_keyword_is_flagged() {
    let plan = plan(json!({"domain": "examplio.com", "keyword": "examplio alternatives"}));
    let result = aggregate(&plan, calls(&plan, |_, _| says(ABSENT)), &frame()).result;
    assert!(result.method.branded);
    assert!(
        result
            .warnings
            .iter()
            .any(|warning| warning.code == "branded_keyword")
    );
}

#[test]
fn the_bill_is_shown_only_when_every_answer_has_a_price() {
    let plan = plan(json!({"domain": "example.com", "keyword": "crm", "models": ["model-1-latest"]}));
    let priced = |price: Option<u64>| {
        let mut completion = says(FIRST).unwrap();
        completion.usage.cost = price.map(UsdMicros::new);
        Ok(completion)
    };
    let all = aggregate(&plan, calls(&plan, |_, _| priced(Some(16_000))), &frame())
        .result
        .usage;
    assert_eq!(all.cost_usd, Some(UsdMicros::new(48_000)));
    let some = aggregate(
        &plan,
        calls(&plan, |topic, _| priced((topic > 0).then_some(16_000))),
        &frame(),
    )
    .result
    .usage;
    assert_eq!(some.cost_usd, None);
}

#[test]
fn evidence_has_one_entry_a_call_in_the_order_planned() {
    let plan = plan(json!({"domain": "example.com", "keyword": "crm"}));
    let calls = calls(&plan, |_, model| {
        if model == 1 {
            Err(ProviderError::Empty)
        } else {
            says(FIRST)
        }
    });
    let evidence = aggregate(&plan, calls, &frame()).evidence;
    assert_eq!(evidence.answers.len(), 9);
    assert_eq!(evidence.answers[1].error.as_deref(), Some("empty_answer"));
    assert!(evidence.answers[1].text.is_none() && evidence.answers[1].reading.is_none());
    assert!(evidence.answers[0].reading.as_ref().unwrap().cited());
    // Scores are written with one decimal, so the document, not the value, is what must come back the same.
    let document = serde_json::to_value(&evidence).unwrap();
    let back: crate::Evidence = serde_json::from_value(document.clone()).unwrap();
    assert_eq!(serde_json::to_value(&back).unwrap(), document);
}
