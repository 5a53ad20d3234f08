//! The events of a queued scan.

use crate::v2_caller::{Caller, gated};
use ibid_tests::small_order;
use reqwest::Method;
use serde_json::{Value, json};

fn order() -> Value {
    let mut order = small_order();
    order["questionsPerModel"] = json!(3);
    order
}

#[tokio::test]
async fn every_answer_is_an_event_and_the_end_is_one() {
    let (server, open) = gated();
    let caller = Caller::of(&server);
    let path = caller.accepted(&order()).await;
    let mut events = caller.follow(&path, None).await;
    assert_eq!(events.response.headers()["content-type"], "text/event-stream");
    assert_eq!(events.response.headers()["x-accel-buffering"], "no");
    let first = events.next().await.unwrap();
    assert_eq!((first.id.as_str(), first.name.as_str()), ("0", "progress"));
    for done in 1..=2 {
        open.add_permits(1);
        let event = events.next().await.unwrap();
        assert_eq!((event.id, event.name.as_str()), (done.to_string(), "progress"));
        assert_eq!(
            (&event.data["done"], &event.data["total"]),
            (&json!(done), &json!(3))
        );
        assert_eq!(event.data["interim"]["models"][0]["answered"], done);
    }
    open.add_permits(1);
    let mut last = events.next().await.unwrap();
    // The third answer may be seen before the end.
    if last.name == "progress" {
        last = events.next().await.unwrap();
    }
    assert_eq!((last.id.as_str(), last.name.as_str()), ("end", "scan_ended"));
    assert_eq!(last.data["status"], "complete");
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn a_client_that_lost_the_connection_goes_on() {
    let (server, open) = gated();
    let caller = Caller::of(&server);
    let path = caller.accepted(&order()).await;
    let mut events = caller.follow(&path, Some("0")).await;
    open.add_permits(1);
    let seen = events.next().await.unwrap().id;
    assert_eq!(seen, "1");
    drop(events);
    open.add_permits(1);
    let mut events = caller.follow(&path, Some(&seen)).await;
    assert_eq!(events.next().await.unwrap().id, "2");
    // A number that the scan never had, and a text, count as none.
    for strange in ["999999999", "99999999999999999999", "-1", "x"] {
        let mut events = caller.follow(&path, Some(strange)).await;
        assert_eq!(events.next().await.unwrap().id, "2", "{strange}");
    }
    open.add_permits(1);
    while events.next().await.unwrap().name != "scan_ended" {}
    // A client is told of the end once, after any part of the stream that it has seen.
    for seen in [None, Some("0"), Some("3"), Some("x")] {
        let mut events = caller.follow(&path, seen).await;
        assert_eq!(events.next().await.unwrap().name, "scan_ended");
        assert_eq!(events.next().await, None);
    }
    let again = caller
        .request(Method::GET, &format!("{path}/events"))
        .header("Last-Event-ID", "end");
    assert_eq!(again.send().await.unwrap().status(), 204);
}

#[tokio::test]
async fn a_cancel_ends_the_events() {
    let (server, _open) = gated();
    let caller = Caller::of(&server);
    let path = caller.accepted(&order()).await;
    let mut events = caller.follow(&path, Some("0")).await;
    assert_eq!(caller.delete(&path).await.status, 202);
    let last = events.next().await.unwrap();
    assert_eq!(
        (last.name.as_str(), &last.data["status"]),
        ("scan_ended", &json!("cancelled"))
    );
}
