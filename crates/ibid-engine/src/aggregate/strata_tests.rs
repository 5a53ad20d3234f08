use super::tests::{ABSENT, FIRST, calls, frame, plan, says};
use super::*;
use ibid_model::result::{LocationHint, Retrieval, RingStatus, ScanResult, Stratum};
use ibid_model::{Catalog, Grounding, ScanDraft, ScanForm};
use ibid_provider::Completion;
use serde_json::json;

type Call = Result<Completion, ProviderError>;

fn with(text: &str, searched: Searched) -> Call {
    let mut answer = says(text)?;
    answer.retrieval = Retrieval {
        searched,
        engine: (searched == Searched::Yes).then(|| "native".to_owned()),
        queries: (searched == Searched::Yes).then_some(2),
        sources: (searched == Searched::Yes).then_some(5),
        location: Some(LocationHint::Sent),
    };
    Ok(answer)
}

fn scored(plan: &Plan, call: impl Fn(usize, usize) -> Call) -> ScanResult {
    aggregate(plan, calls(plan, call), &frame()).result
}

fn codes(result: &ScanResult) -> Vec<&str> {
    result
        .warnings
        .iter()
        .map(|warning| warning.code.as_str())
        .collect()
}

/// Whether call `n` of a router that searches in 71 of 100 calls searches.
fn searches(topic: usize, model: usize) -> bool {
    (topic * 3 + model) * 71 % 100 < 71
}

fn ten_questions() -> Plan {
    plan(
        json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "rings": [1, 2],
        "questionsPerModel": 10, "keywordsPerRing": 2, "language": "en"}),
    )
}

/// Searched answers vary; answers from memory never cite the target.
fn mixed(topic: usize, model: usize) -> Call {
    match searches(topic, model) {
        true if (topic + model).is_multiple_of(3) => with(ABSENT, Searched::Yes),
        true => with(FIRST, Searched::Yes),
        false => with(ABSENT, Searched::No),
    }
}

#[test]
fn the_headline_of_a_router_that_searches_in_71_percent_is_the_searched_stratum_exactly() {
    let plan = ten_questions();
    let result = scored(&plan, mixed);
    let only = |wanted: bool| {
        scored(&plan, |topic, model| match searches(topic, model) == wanted {
            true => mixed(topic, model),
            false => Err(ProviderError::Timeout),
        })
    };
    let (searched, memory) = (only(true), only(false));
    assert_eq!(result.overall_score, searched.overall_score);
    assert_eq!(result.interval, searched.interval);
    assert_eq!(result.radius, searched.radius);
    assert_eq!(result.retrieval.headline, Stratum::Searched);
    assert_eq!(result.retrieval.searched_score, Some(searched.overall_score));
    assert_eq!(result.retrieval.memory_score, Some(memory.overall_score));
    assert_eq!(
        (
            result.retrieval.answers,
            result.retrieval.searched,
            result.retrieval.memory,
            result.retrieval.unknown
        ),
        (36, searched.retrieval.answers, memory.retrieval.answers, 0)
    );
    assert!(
        (22..=28).contains(&result.retrieval.searched),
        "{:?}",
        result.retrieval
    );
    for (model, alone) in result.models.iter().zip(&searched.models) {
        assert_eq!(
            (model.score, model.cited_rate, model.coverage),
            (alone.score, alone.cited_rate, alone.coverage)
        );
        assert!(model.coverage < 1.0 && model.error.is_none());
        assert_eq!(model.retrieval.headline, Stratum::Searched);
    }
    // Answers from memory are answers: they are in the evidence, and they are charged.
    assert_eq!(
        (result.usage.answered, result.usage.failed),
        (plan.len() as u32, 0)
    );
    assert!(codes(&result).is_empty(), "{:?}", result.warnings);
}

#[test]
fn every_answer_carries_its_retrieval() {
    let plan = ten_questions();
    let scanned = aggregate(&plan, calls(&plan, mixed), &frame());
    for (m, model) in scanned.result.models.iter().enumerate() {
        for (step, answer) in model.answers.iter().enumerate() {
            // Every model has questions of its own.
            let topic = step * plan.models().len() + m;
            assert_eq!(answer.retrieval, mixed(topic, m).unwrap().retrieval);
            assert!(answer.score.is_some(), "an answer from memory is scored");
        }
    }
    let answer = &scanned.evidence.answers[0].retrieval;
    let (engine, queries) = (answer.engine.as_deref(), answer.queries);
    assert_eq!(
        (answer.searched, engine, queries),
        (Searched::Yes, Some("native"), Some(2))
    );
}

#[test]
fn a_scan_without_any_search_is_from_memory_and_warns() {
    let result = scored(&ten_questions(), |_, _| with(FIRST, Searched::No));
    assert_eq!(result.retrieval.headline, Stratum::Memory);
    assert_eq!(result.retrieval.memory_score, Some(result.overall_score));
    assert!(result.overall_score.get() > 80.0 && result.retrieval.searched_score.is_none());
    assert_eq!(codes(&result), ["not_searched"]);
    assert!(
        result
            .models
            .iter()
            .all(|model| model.coverage == 1.0 && model.retrieval.headline == Stratum::Memory)
    );
    assert!(
        result
            .radius
            .rings
            .iter()
            .all(|ring| ring.status == RingStatus::Complete)
    );
}

#[test]
fn unknown_answers_count_with_the_headline_and_are_named() {
    let result = scored(&ten_questions(), |topic, _| match topic / 3 % 3 {
        0 => with(FIRST, Searched::Yes),
        1 => with(ABSENT, Searched::Unknown),
        _ => with(FIRST, Searched::No),
    });
    let strata = result.retrieval;
    assert_eq!((strata.searched, strata.unknown, strata.memory), (12, 12, 12));
    assert_eq!(strata.headline, Stratum::Searched);
    assert_eq!(result.models[0].coverage, 0.6667);
    let mean = strata.searched_score.unwrap().get() / 2.0;
    assert!(
        (result.overall_score.get() - mean).abs() < 1e-9,
        "{}",
        result.overall_score
    );
    assert!(strata.sentence().unwrap().contains("of 12 of 36 it is not known"));
    let unknown = scored(&ten_questions(), |_, _| with(FIRST, Searched::Unknown)).retrieval;
    assert_eq!((unknown.headline, unknown.unknown), (Stratum::Unknown, 36));
}

#[test]
fn without_web_search_the_headline_is_from_memory_and_says_so() {
    let members = json!({"domain": "example.com", "keyword": "crm"});
    let order = ScanDraft(members.as_object().unwrap())
        .parse(&Catalog::builtin(), ScanForm::Byok)
        .unwrap();
    let off = crate::plan::PlanOptions {
        web_search: false,
        ..Default::default()
    };
    let plan = Plan::of(order, off).unwrap();
    for searched in [Searched::No, Searched::Unknown] {
        let result = scored(&plan, |_, _| with(FIRST, searched));
        assert_eq!(result.retrieval.headline, Stratum::Memory, "{searched:?}");
        assert!(!result.retrieval.search_asked && codes(&result).is_empty());
        assert!(
            result
                .retrieval
                .sentence()
                .unwrap()
                .contains("not asked to search")
        );
    }
}

#[test]
fn a_model_from_memory_has_a_score_of_its_own_and_leaves_the_overall_score() {
    let mut models = Catalog::builtin().defaults().to_vec();
    models[2].grounding = Grounding::None;
    let catalog = Catalog::new(models).unwrap();
    let members = json!({"domain": "example.com", "keyword": "crm"});
    let order = ScanDraft(members.as_object().unwrap())
        .parse(&catalog, ScanForm::Byok)
        .unwrap();
    let plan = Plan::of(order, crate::plan::PlanOptions::default()).unwrap();
    let result = scored(&plan, |_, model| match model {
        // Asked to search, never did: its own score is from memory, too.
        0 => with(ABSENT, Searched::No),
        1 => with(FIRST, Searched::Yes),
        // Not asked, and the reply has no information about it.
        _ => with(ABSENT, Searched::Unknown),
    });
    let headlines: Vec<Stratum> = result
        .models
        .iter()
        .map(|model| model.retrieval.headline)
        .collect();
    assert_eq!(headlines, [Stratum::Memory, Stratum::Searched, Stratum::Memory]);
    assert_eq!(result.overall_score, result.models[1].score);
    assert!(result.models.iter().all(|model| model.coverage == 1.0));
}
