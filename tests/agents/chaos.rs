//! Clients that ask, pay, change their mind, cancel and repeat themselves at once, against a real server that may die:
//! no task takes an illegal way, nothing runs twice for one payment, and money and results match.

use crate::client::{Agent, asks, id, small_scan, state, submission, with, words};
use crate::gate::GatedFacilitator;
use crate::shop::{Shop, until};
use ibid_model::Product;
use ibid_tests::Database;
use ibid_x402::SandboxFacilitator;
use ibid_x402::sandbox::SignedDraft;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// One action of a client. Tasks and payments are numbers.
#[derive(Clone, Debug)]
enum Deed {
    Say {
        task: usize,
    },
    Ask {
        task: Option<usize>,
        request: usize,
    },
    Pay {
        task: Option<usize>,
        payment: usize,
        request: Option<usize>,
    },
    Watch {
        task: usize,
    },
    Cancel {
        task: usize,
    },
    Decline {
        task: usize,
    },
}

fn deed() -> impl Strategy<Value = Deed> {
    let task = 0_usize..4;
    let some = prop::option::weighted(0.8, task.clone());
    prop_oneof![
        2 => task.clone().prop_map(|task| Deed::Say { task }),
        3 => (some.clone(), 0_usize..2).prop_map(|(task, request)| Deed::Ask { task, request }),
        10 => (some, 0_usize..4, prop::option::weighted(0.3, 0_usize..2))
            .prop_map(|(task, payment, request)| Deed::Pay { task, payment, request }),
        2 => task.clone().prop_map(|task| Deed::Watch { task }),
        2 => task.clone().prop_map(|task| Deed::Cancel { task }),
        1 => task.prop_map(|task| Deed::Decline { task }),
    ]
}

/// Rounds of deeds done at once; after some of them the process dies in the middle.
fn rounds() -> impl Strategy<Value = Vec<(Vec<Deed>, bool)>> {
    let round = (prop::collection::vec(deed(), 1..7), prop::bool::weighted(0.2));
    prop::collection::vec(round, 1..6)
}

fn request(number: usize) -> Value {
    let mut scan = small_scan();
    scan["keyword"] = json!(["plumber", "roofer"][number]);
    scan
}

/// Does one deed; what comes of it is looked at later. A process may die under it.
async fn act(agent: Agent, tasks: Vec<String>, payments: Arc<Vec<SignedDraft>>, deed: Deed) -> Vec<Value> {
    let at = |task: usize| tasks[task % tasks.len()].clone();
    let on = |message: Value, task: Option<usize>| match task {
        Some(task) => with(message, "taskId", at(task)),
        None => message,
    };
    let (method, params) = match deed {
        Deed::Say { task } => ("message/send", json!({"message": on(words("hello"), Some(task))})),
        Deed::Ask {
            task,
            request: number,
        } => (
            "message/send",
            json!({"message": on(asks(request(number)), task)}),
        ),
        Deed::Pay {
            task,
            payment,
            request: number,
        } => {
            let message = match (number, task) {
                (Some(number), _) => asks(request(number)),
                (None, Some(_)) => words("payment"),
                (None, None) => asks(request(0)),
            };
            let metadata = submission(&payments[payment]);
            (
                "message/send",
                json!({"message": with(on(message, task), "metadata", metadata)}),
            )
        }
        Deed::Watch { task } => ("tasks/resubscribe", json!({"id": at(task)})),
        Deed::Cancel { task } => ("tasks/cancel", json!({"id": at(task)})),
        Deed::Decline { task } => {
            let metadata = json!({"x402.payment.status": "payment-rejected"});
            (
                "message/send",
                json!({"message": with(on(words("no"), Some(task)), "metadata", metadata)}),
            )
        }
    };
    let Ok(response) = agent.request(method, &params).send().await else {
        return Vec::new();
    };
    let Ok(text) = response.text().await else {
        return Vec::new();
    };
    let lines = text
        .split("\n\n")
        .filter_map(|event| serde_json::from_str(event.strip_prefix("data: ").unwrap_or(event)).ok());
    lines.collect()
}

/// The states in which a task was seen, in the order of its agent's messages.
type Seen = HashMap<String, Vec<(u64, String)>>;

/// Notes the state that an answer shows. The agent's messages are numbered, so answers may be compared.
fn note(seen: &mut Seen, answer: &Value) {
    let result = &answer["result"];
    let task = result["id"].as_str().or(result["taskId"].as_str());
    let (Some(task), Some(message)) = (task, result["status"]["message"]["messageId"].as_str()) else {
        return;
    };
    let number = message.rsplit('-').next().unwrap().parse().unwrap();
    let state = result["status"]["state"].as_str().unwrap().to_owned();
    seen.entry(task.to_owned()).or_default().push((number, state));
}

fn may_follow(from: &str, to: &str) -> bool {
    match from {
        "input-required" => true,
        // Several steps may lie between two sights, but never out of an end.
        "working" => true,
        "completed" | "canceled" | "failed" => from == to,
        other => panic!("{other}"),
    }
}

async fn play(rounds: Vec<(Vec<Deed>, bool)>) {
    let (database, chain) = (Database::fresh(), Arc::new(SandboxFacilitator::new()));
    let start = || {
        let facilitator = GatedFacilitator {
            sandbox: Arc::clone(&chain),
            ..GatedFacilitator::new()
        };
        Shop::on(database.open(), facilitator, |setup| setup)
    };
    let mut shop = start();
    let payments: Arc<Vec<SignedDraft>> =
        Arc::new((0..4).map(|_| shop.agent.payment(Product::Scan)).collect());
    let mut tasks = vec![id(&shop.agent.asked().await), id(&shop.agent.asked().await)];
    let mut seen = Seen::new();
    for (deeds, dies) in rounds {
        let spawn = |deed| {
            tokio::runtime::Handle::current().spawn(act(
                shop.agent.clone(),
                tasks.clone(),
                Arc::clone(&payments),
                deed,
            ))
        };
        let clients: Vec<_> = deeds.into_iter().map(spawn).collect();
        if dies {
            tokio::task::yield_now().await;
            shop.die();
            shop = start();
        }
        for client in clients {
            for answer in client.await.unwrap() {
                note(&mut seen, &answer);
                if let Some(new) = answer["result"]["id"]
                    .as_str()
                    .filter(|new| !tasks.iter().any(|known| known == new))
                {
                    tasks.push(new.to_owned());
                }
            }
        }
    }
    // Every task comes to rest, whichever process died.
    let mut paid = HashMap::new();
    for task in &tasks {
        let end = until(async || {
            let answer = shop.agent.get(task).await;
            note(&mut seen, &answer);
            (state(&answer["result"]) != "working").then_some(answer["result"].clone())
        })
        .await;
        let receipts = end["status"]["message"]["metadata"]["x402.payment.receipts"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let moved: Vec<String> = receipts
            .iter()
            .filter(|receipt| receipt["success"] == true)
            .map(Value::to_string)
            .collect();
        let completed = state(&end) == "completed";
        assert_eq!(
            (moved.len(), end.get("artifacts").is_some()),
            (usize::from(completed), completed),
            "{end:#}"
        );
        if completed {
            // Tasks that share a payment share its result.
            let run = end["artifacts"][0]["parts"][0]["data"]["scanId"].to_string();
            assert_eq!(paid.entry(moved[0].clone()).or_insert_with(|| run.clone()), &run);
        }
    }
    for sights in seen.values_mut() {
        sights.sort();
        for pair in sights.windows(2) {
            if pair[0].0 == pair[1].0 {
                assert_eq!(pair[0].1, pair[1].1, "one message, one state");
            } else {
                assert!(may_follow(&pair[0].1, &pair[1].1), "{pair:?}");
            }
        }
    }
    let transfers = chain.transfers().len();
    let books = shop.server.store.books().unwrap();
    assert!(books.balance(), "{books:?}");
    assert!(
        transfers <= payments.len() && transfers >= paid.len(),
        "{transfers} {}",
        paid.len()
    );
    assert_eq!(
        books.accounts.first().map_or(0, |account| account.sales) as usize,
        transfers
    );
}

#[test]
fn no_order_of_events_runs_twice_or_is_lost() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let cases = std::env::var("CHAOS_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(12);
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 40,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&rounds(), |rounds| {
            runtime.block_on(play(rounds));
            Ok(())
        })
        .unwrap();
}
