//! Conditions that must always hold for the store. Reads the wire form and the stored bytes, not the crate's types.

use ibid_a2a::{HistoryLimit, Seen, TaskRecord, TaskView, updates};
use serde_json::Value;

/// No stored byte may contain this: it stands in every signed payload.
pub(crate) const SECRET: &str = "feedfacefeedface";

/// The table of the protocol, from state to states.
const TRANSITIONS: &[(&str, &[&str])] = &[
    (
        "submitted",
        &["working", "input-required", "completed", "failed", "canceled"],
    ),
    (
        "working",
        &["working", "input-required", "completed", "failed", "canceled"],
    ),
    (
        "input-required",
        &["input-required", "working", "completed", "failed", "canceled"],
    ),
    ("completed", &[]),
    ("failed", &[]),
    ("canceled", &[]),
];

fn wire(record: &TaskRecord) -> Value {
    let view = TaskView {
        task: record.task(),
        history: HistoryLimit::All,
        document: None,
    };
    serde_json::to_value(view).unwrap()
}

fn texts(value: &Value, name: &str) -> Vec<Value> {
    value
        .get(name)
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default()
}

/// Checks one write against what was there before.
pub(crate) fn check_write(before: Option<&[u8]>, after: &[u8]) {
    let stored = String::from_utf8(after.to_vec()).unwrap();
    assert!(!stored.contains(SECRET), "a signed payload is stored: {stored}");
    let new = TaskRecord::from_json(after).unwrap();
    let new_wire = wire(&new);
    let Some(before) = before else {
        assert_eq!(new.revision(), 1);
        check_updates(Seen::default(), &new);
        return;
    };
    let old = TaskRecord::from_json(before).unwrap();
    let old_wire = wire(&old);
    let state = |wire: &Value| wire["status"]["state"].as_str().unwrap().to_owned();
    let (from, to) = (state(&old_wire), state(&new_wire));
    let (_, allowed) = TRANSITIONS.iter().find(|(name, _)| *name == from).unwrap();
    assert!(allowed.contains(&&*to), "{from} -> {to}");
    assert_eq!(new.revision(), old.revision() + 1);
    assert_eq!(
        (&new_wire["id"], &new_wire["contextId"]),
        (&old_wire["id"], &old_wire["contextId"])
    );
    let (old_receipts, receipts) = (old.task().receipts(), new.task().receipts());
    assert!(receipts.starts_with(old_receipts), "receipts were replaced");
    let told = &new_wire["status"]["message"]["metadata"];
    if !receipts.is_empty() && told.get("x402.payment.status").is_some() {
        assert_eq!(
            texts(told, "x402.payment.receipts"),
            receipts,
            "not every receipt is told"
        );
    }
    // What was said stays said, as long as the history is short.
    let (old_said, said) = (texts(&old_wire, "history"), texts(&new_wire, "history"));
    if said.len() < 60 {
        assert!(said.starts_with(&old_said), "the history was rewritten");
        assert_eq!(
            said.get(old_said.len()),
            old_wire["status"].get("message"),
            "the old status is no history"
        );
    }
    check_updates(old.task().seen(), &new);
}

/// A watcher gets the artifact, if there is one, then the state; and the end of its stream with a final state.
fn check_updates(seen: Seen, record: &TaskRecord) {
    let events: Vec<_> = updates(seen, record.task(), None).collect();
    let kinds: Vec<String> = events
        .iter()
        .map(|event| {
            serde_json::to_value(event).unwrap()["kind"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let completed = wire(record)["status"]["state"] == "completed";
    let expected: &[&str] = if completed {
        &["artifact-update", "status-update"]
    } else {
        &["status-update"]
    };
    assert_eq!(kinds, expected);
    let last = serde_json::to_value(events.last().unwrap()).unwrap();
    let goes_on = ["working", "submitted"].contains(&last["status"]["state"].as_str().unwrap());
    assert_eq!(last["final"], !goes_on);
    assert_eq!(updates(record.task().seen(), record.task(), None).count(), 0);
}
