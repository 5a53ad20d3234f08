//! Cancelling scans that wait, and the scans of a revoked key.

use crate::v2_caller::{Caller, SCANS, gated};
use ibid_service::{EngineSettings, QueueSettings, RunKeys, revoke_key};
use ibid_tests::{Setup, TestServer, small_order};
use jiff::Timestamp;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;

/// A server whose scans wait for ever.
fn without_workers() -> TestServer {
    let settings = QueueSettings {
        keys: Some(Arc::new(RunKeys::random().unwrap())),
        engine: EngineSettings {
            slots: 0,
            ..EngineSettings::default()
        },
        ..QueueSettings::default()
    };
    Setup::default().tune(|service| service.queue = settings).spawn()
}

fn id_of(path: &str) -> ibid_model::ScanId {
    path.rsplit('/').next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_scan_that_has_not_begun_ends_with_its_cancellation() {
    let server = without_workers();
    let caller = Caller::of(&server);
    let hook = json!({"url": "https://example.com/hook", "events": ["run.cancelled"], "name": "shop"});
    let hook = caller.request(Method::POST, "/api/v2/webhooks").json(&hook);
    let hook = ibid_tests::Reply::of(hook).await;
    assert_eq!(hook.status, 201, "{}", hook.text);
    let (other, path) = (
        caller.accepted(&small_order()).await,
        caller.accepted(&small_order()).await,
    );
    let now = Timestamp::now().as_millisecond();
    assert!(server.store.run_secret(id_of(&path), now).unwrap().is_some());
    let cancelled = caller.delete(&path).await;
    assert_eq!(cancelled.status, 202, "{}", cancelled.text);
    let document = cancelled.json();
    assert_eq!(
        (&document["status"], &document["cancelled"], &document["result"]),
        (&json!("cancelled"), &json!(true), &json!(null))
    );
    assert!(server.store.run_secret(id_of(&path), now).unwrap().is_none());
    let webhook = hook
        .header("location")
        .rsplit('/')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let told = server.store.deliveries(webhook, None, 9).unwrap();
    assert_eq!(told.len(), 1);
    let payload = String::from_utf8(told[0].payload.clone()).unwrap();
    assert!(
        payload.contains(&document["scanId"].to_string()) && payload.contains(r#""status":"cancelled""#),
        "{payload}"
    );
    // A second time changes nothing, and the other one waits.
    assert_eq!(caller.delete(&path).await.json(), document);
    assert_eq!(server.store.deliveries(webhook, None, 9).unwrap().len(), 1);
    assert_eq!(caller.get(&other).await.json()["status"], "queued");
}

#[tokio::test]
async fn revoking_a_key_cancels_its_scans_and_no_others() {
    let (server, open) = gated();
    let (shop, other) = (Caller::named(&server, "shop"), Caller::of(&server));
    let mut order = small_order();
    order["questionsPerModel"] = json!(3);
    let (ended, kept) = (shop.accepted(&order).await, other.accepted(&order).await);
    let mut events = shop.follow(&ended, Some("0")).await;
    while shop.get(&ended).await.json()["status"] != "running" {}
    let name = "shop".parse().unwrap();
    assert_eq!(revoke_key(&server.store, &name, 1).unwrap(), Some(1));
    // The calls under way are not waited for.
    while let Some(event) = events.next().await {
        if event.name == "scan_ended" {
            assert_eq!(event.data["status"], "cancelled");
            break;
        }
    }
    let view = server.store.durable_run(id_of(&ended)).unwrap().unwrap();
    assert!(view.ended_at.is_some() && view.stored < view.calls, "{view:?}");
    assert!(server.store.run_secret(id_of(&ended), 1).unwrap().is_none());
    open.add_permits(9);
    assert_eq!(other.ended(&kept).await["status"], "complete");
    assert!(kept.starts_with(SCANS));
}
