use super::*;
use crate::incoming::Incoming;
use crate::payment::Submission;
use proptest::prelude::*;
use serde_json::json;

const SIGNATURE: &str = "0x5658b8fe5ec2a70f4aba25c95171c2d13bf7d694507f51d03e1fe759d24c0cd73b0bbd6c7583c670bcf9d7db1ca47c5ac9262bf4e43950e3a6a5cf8b45c21fc51b";
const HEADER: &str =
    "eyJ4NDAyVmVyc2lvbiI6MSwic2NoZW1lIjoiZXhhY3QiLCJuZXR3b3JrIjoiYmFzZS1zZXBvbGlhIiwicGF5bG9hZCI6e319";

fn history_of(parts: Value, metadata: Value) -> Message {
    let params = json!({"message": {"role": "user", "messageId": "m", "parts": parts, "metadata": metadata}});
    for_history(
        Incoming::parse(params.as_object().unwrap().clone())
            .unwrap()
            .message,
    )
}

/// Neither the signature nor the header of any message is in the stored history.
#[track_caller]
fn check(parts: Value, metadata: Value, kept: &[&str]) {
    let written = serde_json::to_string(&history_of(parts, metadata)).unwrap();
    for secret in [&SIGNATURE[2..40], &HEADER[..40], "sk-or-v1-0123"] {
        assert!(!written.contains(secret), "{written}");
    }
    for kept in kept {
        assert!(written.contains(kept), "{written} lacks {kept}");
    }
}

#[test]
fn payments_and_keys_are_not_kept_wherever_they_stand() {
    let payload = json!({"x402Version": 1, "network": "base-sepolia",
        "payload": {"signature": SIGNATURE, "authorization": {"value": "150000"}}});
    let text = |text: &str| json!([{"kind": "text", "text": text}]);
    check(
        text("pay"),
        json!({"x402.payment.payload": payload, "x402.payment.status": "payment-submitted"}),
        &["payment-submitted"],
    );
    check(
        json!([{"kind": "data", "data": {"x402.payment.payload": payload, "x": 1}}]),
        json!({}),
        &[r#""x":1"#],
    );
    check(
        json!([{"kind": "data", "data": {"deep": [{"er": payload}]}}]),
        json!({}),
        &["base-sepolia", "150000"],
    );
    check(
        json!([{"kind": "text", "text": "x", "metadata": {"a": payload}}]),
        json!({}),
        &["base-sepolia"],
    );
    check(text(&payload.to_string()), json!({}), &["base-sepolia"]);
    check(
        text(&format!("my payment is {payload}!")),
        json!({}),
        &["my payment is", "(removed)"],
    );
    check(
        text(&format!("X-PAYMENT: {HEADER}==, thanks")),
        json!({}),
        &["X-PAYMENT: (removed), thanks"],
    );
    check(
        json!([{"kind": "data", "data": {"headers": {"X-Payment": HEADER, "h": HEADER}}}]),
        json!({}),
        &["headers"],
    );
    check(
        json!([{"kind": "data", "data": {"domain": "d", "routerApiKey": "sk-or-v1-0123456789abcdef"}}]),
        json!({}),
        &["domain"],
    );
    check(
        text("use sk-or-v1-0123456789abcdef please"),
        json!({}),
        &["use (removed) please"],
    );
    check(
        text("x"),
        json!({"nested": {"x402.payment.payload": payload}, SIGNATURE: 1}),
        &["nested"],
    );
    check(
        text(&json!({"a": json!({"b": SIGNATURE}).to_string()}).to_string()),
        json!({}),
        &["(removed)"],
    );
    // Taking the payment for use leaves the message the same.
    let params = json!({"message": {"role": "user", "messageId": "m", "parts": text("pay"), "metadata": {"x402.payment.payload": payload}}});
    let incoming = Incoming::parse(params.as_object().unwrap().clone()).unwrap();
    assert!(matches!(incoming.submission, Submission::InMetadata(_)));
    assert!(!format!("{incoming:?}").contains(&SIGNATURE[2..40]));
}

#[test]
fn ordinary_words_stay() {
    for text in [
        "Which models cite example.com? See https://example.com/a/b?c=d&e=f#g_h-i for more; it is ünïcödé.",
        "Transaction 0x9ec2 of 0xa0Ee7A142d267C1f36714E4a8F75612F20a79720 (task 6f9619ff-8b86-d011-b42d-00cf4fc964ff)",
        r#"{"domain":"example.com","keyword":"crm software","rings":[1,2]}"#,
        "",
    ] {
        let kept = history_of(json!([{"kind": "text", "text": text}]), json!({}));
        assert_eq!(kept.parts, [Part::text(text)]);
    }
}

#[test]
fn kept_messages_are_bounded_in_size() {
    let long = "wörd ".repeat(200_000);
    for parts in [
        json!([{"kind": "text", "text": long}]),
        json!([{"kind": "text", "text": "x".repeat(1 << 20)}]),
        json!([{"kind": "data", "data": {"html": long}}]),
        json!([{"kind": "data", "data": {"list": vec![json!("short"); 100_000]}}]),
        json!([{"kind": "data", "data": {long.clone(): 1}}]),
        Value::from(vec![json!({"kind": "text", "text": "y".repeat(3000)}); 64]),
    ] {
        let kept = history_of(parts, json!({"x": "z".repeat(60_000)}));
        assert!(
            serde_json::to_vec(&kept).unwrap().len() < 2 * MAX_KEPT_MESSAGE,
            "{kept:?}"
        );
    }
    let cut = history_of(json!([{"kind": "text", "text": long}]), json!({}));
    let Part::Text { text, metadata: _ } = &cut.parts[0] else {
        panic!("{cut:?}")
    };
    assert!(text.starts_with("wörd wörd") && text.ends_with("… (cut)"));
}

proptest! {
    /// However a signature is dressed, it is not kept.
    #[test]
    fn a_signature_among_words_is_not_kept(before in "\\PC{0,60}", after in "\\PC{0,60}", prefixed: bool) {
        // Next to other digits it would no longer be a signature.
        let signature = if prefixed { SIGNATURE } else { &SIGNATURE[2..] };
        let text = format!("{before} {signature} {after}");
        let kept = history_of(json!([{"kind": "text", "text": text}]), json!({}));
        prop_assert!(!serde_json::to_string(&kept).unwrap().contains(&SIGNATURE[2..40]));
    }

    /// Keeping what was kept changes nothing, so that repeated messages are recognised.
    #[test]
    fn storing_twice_is_storing_once(texts in prop::collection::vec("\\PC{0,80}", 1..4)) {
        let parts: Vec<Value> = texts.iter().map(|text| json!({"kind": "text", "text": text})).collect();
        let once = history_of(Value::from(parts), json!({}));
        prop_assert_eq!(for_history(once.clone()), once);
    }
}
