//! Streams: what a watcher gets, byte for byte, and the details of answers that no schema can see.

use crate::answers::{asked, completed, document, open, options, run, working};
use ibid_a2a::{
    AgentCard, AnswerBody, CallError, ExtensionHeader, HistoryLimit, PAYMENT_EXTENSION, RpcId, RpcRequest,
    Seen, TaskDocument, TaskRecord, TaskStep, TaskView, activated, updates,
};
use serde_json::{Value, json};

fn id() -> RpcId {
    RpcRequest::parse(br#"{"jsonrpc":"2.0","id":-1.50,"method":"message/stream"}"#).id
}

/// The kinds of the events that a watcher gets who saw `before`, with the last one's `final`.
#[track_caller]
fn check(before: Option<&TaskRecord>, after: &TaskRecord, expected: &[&str]) {
    let seen = before.map_or_else(Seen::default, |record| record.task().seen());
    let events = updates(seen, after.task(), None).map(|update| {
        let value = serde_json::to_value(update).unwrap();
        let end = if value["final"] == true { " final" } else { "" };
        format!("{}{end}", value["kind"].as_str().unwrap())
    });
    assert_eq!(events.collect::<Vec<_>>(), expected);
}

#[test]
fn watchers_get_only_unseen_updates() {
    let (asked, working, completed) = (asked(), working(), completed(TaskDocument::Kept(run())));
    check(Some(&asked), &asked, &[]);
    check(None, &asked, &["status-update final"]);
    check(Some(&asked), &working, &["status-update"]);
    // The artifact comes before the end, also for those who missed the beginning.
    for before in [None, Some(&asked), Some(&working)] {
        check(before, &completed, &["artifact-update", "status-update final"]);
    }
    check(Some(&completed), &completed, &[]);
    let canceled = asked
        .advance(TaskStep::Cancel, asked.task().changed_at())
        .unwrap();
    check(Some(&asked), &canceled, &["status-update final"]);
}

#[test]
fn a_stream_on_a_task_that_rests_ends() {
    let after_start = |record: &TaskRecord| {
        let events = updates(record.task().seen_at_start(), record.task(), None);
        events
            .map(|update| {
                (
                    update.is_final(),
                    serde_json::to_value(update).unwrap()["kind"].clone(),
                )
            })
            .collect::<Vec<_>>()
    };
    for resting in [asked(), completed(TaskDocument::Kept(run()))] {
        assert_eq!(after_start(&resting), [(true, json!("status-update"))]);
    }
    assert_eq!(after_start(&working()), []);
}

#[test]
fn an_answer_has_the_id_of_its_request() {
    let completed = completed(TaskDocument::Kept(run()));
    let view = TaskView {
        task: completed.task(),
        history: HistoryLimit::All,
        document: None,
    };
    let answer = |body: AnswerBody, id| String::from_utf8(body.document(&id)).unwrap();
    let result = answer(AnswerBody::result(&view), id());
    assert!(result.starts_with(r#"{"jsonrpc":"2.0","id":-1.50,"result":{"kind":"task","#));
    assert_eq!(
        answer(AnswerBody::error(&CallError::Internal), RpcId::NULL),
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}"#
    );
}

#[test]
fn the_document_of_a_result_goes_out_as_it_is_kept() {
    let document = document();
    let kept = completed(TaskDocument::Kept(run()));
    let inline = completed(TaskDocument::Inline(document.clone()));
    for (record, brought) in [(&kept, Some(&*document)), (&inline, None)] {
        let view = TaskView {
            task: record.task(),
            history: HistoryLimit::All,
            document: brought,
        };
        let bytes = AnswerBody::result(&view).document(&id());
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains(document.get()), "{text}");
    }
    // It may be gone before the task is: the summary stays.
    let view = TaskView {
        task: kept.task(),
        history: HistoryLimit::All,
        document: None,
    };
    let value = serde_json::to_value(view).unwrap();
    assert_eq!(value["artifacts"][0]["parts"].as_array().unwrap().len(), 1);
    assert_eq!(value["artifacts"][0]["parts"][0]["kind"], "text");
}

#[test]
fn history_is_as_long_as_asked_for() {
    let record = working();
    let shown = |history| {
        let value = serde_json::to_value(TaskView {
            task: record.task(),
            history,
            document: None,
        })
        .unwrap();
        let history = value.get("history").and_then(Value::as_array).cloned();
        history.map(|history| {
            history
                .iter()
                .map(|message| message["messageId"].as_str().unwrap().chars().take(3).collect())
                .collect()
        })
    };
    let names = |names: &[&str]| {
        Some(
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<String>>(),
        )
    };
    assert_eq!(shown(HistoryLimit::All), names(&["m-1", "7a7", "m-2"]));
    assert_eq!(shown(HistoryLimit::Newest(2)), names(&["7a7", "m-2"]));
    assert_eq!(
        shown(HistoryLimit::Newest(usize::MAX)),
        names(&["m-1", "7a7", "m-2"])
    );
    assert_eq!(shown(HistoryLimit::Newest(0)), None);
}

#[test]
fn the_card_has_prices_and_examples_that_work_when_pasted() {
    let card = serde_json::to_value(AgentCard::new(&options())).unwrap();
    for (skill, price) in [
        ("scan", "Costs 0.15 USDC on base-sepolia."),
        ("radius", "Costs 0.5 USDC on base-sepolia."),
        ("audit", "Costs 0.02 USDC on base-sepolia."),
        ("full", "Costs 0.6 USDC on base-sepolia."),
        ("my-receipts", "Free: sign 0.000001 USDC on base-sepolia."),
    ] {
        let entry = card["skills"]
            .as_array()
            .unwrap()
            .iter()
            .find(|entry| entry["id"] == skill)
            .unwrap();
        assert!(entry["description"].as_str().unwrap().ends_with(price), "{entry}");
        for example in entry["examples"].as_array().unwrap() {
            let message =
                json!({"role": "user", "messageId": "m", "parts": [{"kind": "text", "text": example}]});
            match ibid_a2a::decide_new(&crate::answers::incoming(message)).unwrap() {
                ibid_a2a::Opening::Price { request, pays: false } => {
                    assert_eq!(request.skill().as_str(), skill)
                }
                other => panic!("{other:?}"),
            }
        }
    }
    let params = &card["capabilities"]["extensions"][0]["params"];
    assert_eq!(
        params["prices"],
        json!({"scan": "150000", "radius": "500000", "audit": "20000", "full": "600000", "my-receipts": "1"})
    );
    assert_eq!(card.get("securitySchemes"), None);
}

#[test]
fn the_texts_that_ask_name_every_skill_with_an_example() {
    let words = json!({"role": "user", "messageId": "m", "parts": [{"kind": "text", "text": "hello"}]});
    let record = open(
        &crate::answers::incoming(words),
        TaskStep::AskInput {
            wanted: None,
            payment_unused: true,
            sold: ibid_model::Offering::EVERYTHING,
        },
    );
    let value = serde_json::to_value(&record.task().agent_message().unwrap().parts).unwrap();
    let text = value[0]["text"].as_str().unwrap();
    assert!(text.starts_with("The payment was not used"), "{text}");
    for entry in value[1]["data"]["skills"].as_array().unwrap() {
        assert!(
            text.contains(&format!("- {} (", entry["skill"].as_str().unwrap())),
            "{text}"
        );
        assert_eq!(entry["example"]["skill"], entry["skill"]);
    }
}

#[test]
fn extensions_are_answered_under_the_name_that_was_used() {
    use ExtensionHeader::{A2aExtensions, XA2aExtensions};
    let uri = PAYMENT_EXTENSION;
    let listed = format!("https://other.example/v1 ,{uri}");
    let both = ibid_a2a::PAYMENT_EXTENSIONS;
    assert_eq!(
        activated([(XA2aExtensions, uri)], &both),
        Some((XA2aExtensions, vec![uri]))
    );
    assert_eq!(
        activated([(A2aExtensions, &*listed)], &both),
        Some((A2aExtensions, vec![uri]))
    );
    let all = both.join(",");
    assert_eq!(
        activated([(A2aExtensions, &*all)], &both),
        Some((A2aExtensions, both.to_vec()))
    );
    assert_eq!(
        activated(
            [(XA2aExtensions, "https://other.example/"), (A2aExtensions, uri)],
            &both
        ),
        Some((A2aExtensions, vec![uri]))
    );
    // A version never stands in for another.
    for other in [
        "",
        ",",
        "https://github.com/google-a2a/a2a-x402/v0.10",
        "https://github.com/google-a2a/a2a-x402/v0.2",
    ] {
        assert_eq!(activated([(XA2aExtensions, other)], &both), None);
    }
    assert_eq!(
        ExtensionHeader::ALL.map(ExtensionHeader::name),
        ["x-a2a-extensions", "a2a-extensions"]
    );
}
