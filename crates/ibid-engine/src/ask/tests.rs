use super::*;
use crate::plan::PlanOptions;
use crate::run::nothing_answered;
use ibid_model::result::{Retrieval, Searched};
use ibid_model::{Catalog, ScanDraft, ScanForm};
use ibid_provider::{Prompt, ProviderFuture, Sandbox, TokenUsage};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

fn plan(body: Value) -> Plan {
    let Value::Object(members) = body else {
        panic!("a body is an object")
    };
    let order = ScanDraft(&members)
        .parse(&Catalog::builtin(), ScanForm::Byok)
        .unwrap();
    Plan::of(order, PlanOptions::default()).unwrap()
}

async fn asked(
    provider: &dyn Provider,
    plan: &Plan,
    cost_cap: Option<UsdMicros>,
) -> (CallOutcomes, Spending) {
    let asking = Asking {
        provider,
        key: &"sandbox".parse().unwrap(),
        width: NonZeroUsize::MIN.saturating_add(2),
        deadline: Instant::now() + plan.time_limit(),
        share: Share::default(),
        cost_cap,
        target: None,
    };
    let all = |ended: &[EndedCall]| ended.is_empty().then(|| 0..plan.len());
    let mut calls = Gathered::of(plan);
    for ended in ask_all(plan, &asking, all, |_| {}).await {
        calls.add(ended, cost_cap);
    }
    calls.finish(&ProviderError::Timeout)
}

fn answers(calls: &CallOutcomes) -> Vec<&Completion> {
    calls
        .iter()
        .flatten()
        .filter_map(|call| call.as_ref().ok())
        .collect()
}

fn bill(calls: &CallOutcomes) -> UsdMicros {
    answers(calls).iter().filter_map(|answer| answer.usage.cost).sum()
}

/// A router whose models answer the first attempt from memory.
#[derive(Default)]
struct Forgetful {
    /// The answer to a forced search.
    forced: Option<Result<Searched, ProviderError>>,
    cost: u64,
    begun: AtomicUsize,
}

impl Provider for Forgetful {
    fn ask<'a>(
        &'a self,
        _: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> ProviderFuture<'a, Result<Completion, ProviderError>> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        let searched = match (&self.forced, prompt.force_search) {
            (Some(Err(error)), true) => return Box::pin(std::future::ready(Err(error.clone()))),
            (Some(Ok(searched)), true) => *searched,
            (_, _) => Searched::No,
        };
        Box::pin(async move {
            tokio::task::yield_now().await;
            Ok(Completion {
                text: if prompt.force_search { "forced" } else { "first" }.to_owned(),
                retrieval: Retrieval {
                    searched,
                    ..Retrieval::default()
                },
                usage: TokenUsage {
                    prompt_tokens: 10,
                    completion_tokens: 20,
                    searches: Some(u32::from(searched == Searched::Yes)),
                    cost: Some(UsdMicros::new(self.cost)),
                },
                ..Completion::default()
            })
        })
    }

    fn can_force_search(&self, _: &Prompt) -> bool {
        self.forced.is_some()
    }
}

/// Three questions to one model.
fn three() -> Plan {
    plan(json!({"domain": "example.com", "keyword": "crm", "models": ["model-1-latest"]}))
}

#[tokio::test]
async fn an_answer_from_memory_is_asked_for_once_more() {
    use Searched::{No, Unknown, Yes};
    for (forced, attempts, kept, searched) in [
        (None, 3, "first", No),
        (Some(Ok(Yes)), 6, "forced", Yes),
        (Some(Ok(No)), 6, "first", No),
        (Some(Ok(Unknown)), 6, "first", No),
        (Some(Err(ProviderError::Unavailable)), 6, "first", No),
    ] {
        let router = Forgetful {
            forced: forced.clone(),
            cost: 1_000,
            ..Forgetful::default()
        };
        let (calls, spending) = asked(&router, &three(), None).await;
        assert_eq!(router.begun.load(Ordering::Relaxed), attempts, "{forced:?}");
        assert_eq!(spending.second_attempts as usize, attempts - 3);
        let answers = answers(&calls);
        assert_eq!(answers.len(), 3);
        for answer in answers {
            assert_eq!(
                (answer.text.as_str(), answer.retrieval.searched),
                (kept, searched),
                "{forced:?}"
            );
            let billed = if matches!(forced, Some(Ok(_))) { 2 } else { 1 };
            assert_eq!(
                answer.usage.cost,
                Some(UsdMicros::new(1_000 * billed)),
                "{forced:?}"
            );
            assert_eq!(answer.usage.prompt_tokens, 10 * billed);
        }
    }
}

#[tokio::test]
async fn a_model_that_was_not_asked_to_search_is_not_asked_again() {
    let order = json!({"domain": "example.com", "keyword": "crm", "models": ["model-1-latest"]});
    let order = ScanDraft(order.as_object().unwrap())
        .parse(&Catalog::builtin(), ScanForm::Byok)
        .unwrap();
    let off = PlanOptions {
        web_search: false,
        ..PlanOptions::default()
    };
    let router = Forgetful {
        forced: Some(Ok(Searched::Yes)),
        ..Forgetful::default()
    };
    asked(&router, &Plan::of(order, off).unwrap(), None).await;
    assert_eq!(router.begun.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn no_call_begins_once_the_bill_has_reached_the_cap() {
    let plan = plan(json!({"domain": "example.com", "keyword": "crm", "questionsPerModel": 10}));
    let router = Forgetful {
        cost: 100_000,
        ..Forgetful::default()
    };
    let cap = UsdMicros::new(1_000_000);
    let (calls, spending) = asked(&router, &plan, Some(cap)).await;
    let answered = answers(&calls).len();
    assert_eq!(spending.cap_reached, Some(cap));
    assert_eq!(router.begun.load(Ordering::Relaxed), answered);
    // Ten answers make the cap. Those under way count with their estimate, so none begins beyond it.
    assert!((8..=10).contains(&answered), "{answered}");
    assert!(bill(&calls) <= cap);
    let unasked = calls
        .iter()
        .flatten()
        .filter(|call| **call == Err(ProviderError::CostCapReached));
    assert_eq!(unasked.count(), 30 - answered);
    // A cap that the bill does not reach changes nothing.
    let (calls, spending) = asked(&router, &plan, Some(UsdMicros::new(3_000_001))).await;
    assert_eq!((answers(&calls).len(), spending.cap_reached), (30, None));
}

#[tokio::test]
async fn a_wide_scan_counts_the_calls_under_way() {
    let plan = three();
    let router = Forgetful {
        cost: 1_000_000,
        ..Forgetful::default()
    };
    let estimate = plan.models()[0].cost_per_call(true);
    let (calls, _) = asked(&router, &plan, Some(estimate.times(2))).await;
    assert_eq!(answers(&calls).len(), 2);
}

const TOWNS: [&str; 10] = [
    "Lyon, France",
    "Valencia, Spain",
    "Leeds, England",
    "Portland, Oregon",
    "Osaka, Japan",
    "Copenhagen, Denmark",
    "Graz, Austria",
    "Utrecht, Netherlands",
    "Gdansk, Poland",
    "Porto, Portugal",
];

#[tokio::test]
async fn the_estimates_of_fifty_sandbox_scans_are_their_bills_within_a_tenth() {
    let sandbox = Sandbox::new(7);
    let (mut estimated, mut billed) = (UsdMicros::ZERO, UsdMicros::ZERO);
    for keyword in ["plumber", "dentist", "bakery", "tax adviser", "hotel"] {
        for town in TOWNS {
            let plan = plan(json!({"domain": "example.com", "keyword": keyword, "location": town}));
            let (calls, _) = asked(&sandbox, &plan, None).await;
            estimated = estimated + plan.estimate();
            billed = billed + bill(&calls);
        }
    }
    let ratio = estimated.dollars() / billed.dollars();
    assert!(
        (0.9..1.1).contains(&ratio),
        "estimated {estimated}, billed {billed}: {ratio:.3}"
    );
}

/// Refuses one model, or every model, and answers the others.
struct Closed {
    error: ProviderError,
    model: Option<String>,
}

impl Provider for Closed {
    fn ask<'a>(
        &'a self,
        _: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> ProviderFuture<'a, Result<Completion, ProviderError>> {
        let refused = self.model.as_ref().is_none_or(|model| prompt.model == *model);
        Box::pin(async move {
            // The refusal comes first: answers under way are kept all the same.
            for _ in 0..if refused { 0 } else { 3 } {
                tokio::task::yield_now().await;
            }
            if refused {
                Err(self.error.clone())
            } else {
                Ok(Completion::default())
            }
        })
    }
}

#[tokio::test]
async fn a_refusal_of_one_model_takes_no_answer_of_the_others() {
    let plan = plan(json!({"domain": "example.com", "keyword": "crm", "questionsPerModel": 10}));
    let refusals = [
        ProviderError::KeyRejected,
        ProviderError::NoCredit,
        ProviderError::ModelUnavailable,
        ProviderError::RequestRefused { status: 410 },
    ];
    for model in plan.models() {
        for error in &refusals {
            let provider = Closed {
                error: error.clone(),
                model: Some(model.first_candidate().to_owned()),
            };
            let (calls, _) = asked(&provider, &plan, None).await;
            assert_eq!(answers(&calls).len(), plan.len() - 10, "{error}");
            let failed = calls.iter().flatten().filter_map(|call| call.as_ref().err());
            assert!(failed.clone().all(|failed| failed == error), "{error}");
            assert_eq!(failed.count(), 10);
        }
    }
    for error in refusals {
        let everywhere = Closed {
            error: error.clone(),
            model: None,
        };
        let (calls, _) = asked(&everywhere, &plan, None).await;
        assert_eq!(nothing_answered(&calls), Some(error));
    }
}

#[test]
fn a_key_is_to_blame_only_where_every_model_refused_it() {
    use ProviderError::{KeyRejected, NoCredit, Timeout};
    for (errors, cause) in [
        (vec![KeyRejected, KeyRejected, NoCredit], KeyRejected),
        (vec![KeyRejected, NoCredit, NoCredit], NoCredit),
        (vec![KeyRejected, KeyRejected, Timeout], Timeout),
    ] {
        assert_eq!(
            nothing_answered(&vec![errors.into_iter().map(Err).collect()]),
            Some(cause)
        );
    }
}

/// A router whose models give these answers in turn, and the first one again if none is left.
struct Turns {
    answers: Vec<Completion>,
    asked: std::sync::Mutex<Vec<Prompt>>,
}

impl Provider for Turns {
    fn ask<'a>(
        &'a self,
        _: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> ProviderFuture<'a, Result<Completion, ProviderError>> {
        let mut asked = self.asked.lock().unwrap();
        asked.push(prompt.clone());
        let answer = self.answers.get(asked.len() - 1).or(self.answers.first());
        Box::pin(std::future::ready(answer.cloned().ok_or(ProviderError::Empty)))
    }
}

fn turn(text: &str) -> Completion {
    Completion {
        text: text.to_owned(),
        usage: TokenUsage {
            cost: Some(UsdMicros::new(1_000)),
            ..TokenUsage::default()
        },
        ..Completion::default()
    }
}

async fn first_answer(answers: Vec<Completion>, cap: Option<u64>) -> (Completion, Vec<Prompt>) {
    let plan = plan(
        json!({"domain": "example.com", "keyword": "crm", "models": ["model-1-latest"], "questionsPerModel": 1}),
    );
    let router = Turns {
        answers,
        asked: std::sync::Mutex::default(),
    };
    let (calls, _) = asked(&router, &plan, cap.map(UsdMicros::new)).await;
    (answers_of(&calls), router.asked.into_inner().unwrap())
}

fn answers_of(calls: &CallOutcomes) -> Completion {
    answers(calls)[0].clone()
}

#[tokio::test]
async fn an_unfinished_answer_is_asked_for_once_more_within_the_cap() {
    let announced = || turn("I'll search for the best CRM.");
    let (answer, asked) = first_answer(vec![announced(), turn("Try Rival Works.")], None).await;
    assert_eq!((answer.text.as_str(), asked.len()), ("Try Rival Works.", 2));
    assert_eq!(answer.usage.cost, Some(UsdMicros::new(2_000)));
    let (answer, asked) = first_answer(vec![announced()], None).await;
    assert_eq!((answer.text, asked.len()), (announced().text, 2));
    assert_eq!(first_answer(vec![announced()], Some(1)).await.1.len(), 1);
    assert_eq!(
        first_answer(vec![turn("Try Rival Works.")], None).await.1.len(),
        1
    );
}

#[tokio::test]
async fn a_paused_turn_goes_on() {
    let paused = Completion {
        resume: Some(json!([{"type": "text", "text": "Let me see. "}])),
        finish: ibid_model::Finish::Truncated,
        ..turn("Let me see. ")
    };
    let (answer, asked) = first_answer(vec![paused.clone(), turn("Try Rival Works.")], None).await;
    assert_eq!(answer.text, "Let me see. Try Rival Works.");
    assert_eq!((&asked[0].resume, &asked[1].resume), (&None, &paused.resume));
}
