//! Headers that are no payment, and what is kept of those that are.

use super::*;
use crate::error::BadPayment;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Expects that a header or JSON text is no payment.
#[track_caller]
fn check_malformed(bad: BadPayment, header: impl AsRef<[u8]>) {
    let read = Payment::from_headers(Some(header.as_ref()), None);
    assert_eq!(read.map(|_| ()), Err(PaymentError::Malformed(bad)));
}

#[test]
fn two_payments_at_once_are_none() {
    let quote = quote(Product::Scan);
    let v1 = draft(&quote, X402Version::V1).sign(&TestWallet::rich()).header();
    let v2 = draft(&quote, X402Version::V2).sign(&TestWallet::rich()).header();
    let (v1, v2) = (v1.as_bytes(), v2.as_bytes());
    let two = Err(PaymentError::Malformed(BadPayment::TwoPayments));
    assert_eq!(Payment::from_headers(Some(v1), Some(v2)).map(|_| ()), two);
    assert_eq!(Payment::from_headers([v1, v1], None).map(|_| ()), two);
    assert!(Payment::from_headers(None, None).unwrap().is_none());
    // Each header belongs to its version.
    let wrong = Err(PaymentError::Malformed(BadPayment::Version));
    assert_eq!(Payment::from_headers(Some(v2), None).map(|_| ()), wrong);
    assert_eq!(Payment::from_headers(None, Some(v1)).map(|_| ()), wrong);
}

#[test]
fn malformed_payments_have_distinct_errors() {
    check_malformed(BadPayment::TooLarge, "e".repeat(64 * 1024));
    check_malformed(BadPayment::TooLarge, "e".repeat(16 * 1024 + 1));
    check_malformed(BadPayment::NotBase64, "eyJ4 ");
    check_malformed(BadPayment::NotBase64, "e-_=");
    check_malformed(BadPayment::NotBase64, b"\xff\xfe");
    check_malformed(BadPayment::NotJson, "");
    check_malformed(BadPayment::NotJson, STANDARD.encode("[1]"));
    check_malformed(BadPayment::NotJson, STANDARD.encode(b"{\"a\":\"\xff\"}"));
    check_malformed(BadPayment::NotJson, STANDARD.encode("{} {}"));
    check_malformed(BadPayment::Version, STANDARD.encode("{}"));
    check_malformed(BadPayment::Version, STANDARD.encode(r#"{"x402Version":"1"}"#));
    check_malformed(BadPayment::Version, STANDARD.encode(r#"{"x402Version":3}"#));
    check_malformed(
        BadPayment::Member { member: "accepted" },
        STANDARD.encode(r#"{"x402Version":2}"#),
    );
    check_malformed(
        BadPayment::Member { member: "scheme" },
        STANDARD.encode(r#"{"x402Version":1}"#),
    );
}

#[test]
fn a_member_named_twice_is_refused() {
    let signed = draft(&quote(Product::Scan), X402Version::V1).sign(&TestWallet::rich());
    let honest = signed.payload().to_string();
    let twice = [
        honest.replace("\"value\":", "\"value\":\"1\",\"value\":"),
        honest.replace("\"value\":", "\"v\\u0061lue\":\"1\",\"value\":"),
        honest.replace("\"nonce\":", "\"nonce\":\"0x00\",\"nonce\":"),
        honest.replacen('{', "{\"x402Version\":1,", 1),
        honest.replacen('{', "{\"unknown\":[{\"a\":1,\"a\":2}],", 1),
    ];
    for text in twice {
        assert_ne!(text, honest);
        check_malformed(BadPayment::RepeatedMember, STANDARD.encode(text));
    }
}

#[test]
fn every_part_of_the_authorization_is_needed_in_its_form() {
    let bad: [(&str, &[Value]); 6] = [
        ("from", &[json!(1), json!("0x12"), json!("7099")]),
        ("to", &[Value::Null, json!("base:0x12")]),
        (
            "value",
            &[
                json!(150_000),
                json!("0150000"),
                json!("1.5e5"),
                json!("-1"),
                json!("0x249f0"),
            ],
        ),
        ("validAfter", &[json!(0), json!("")]),
        ("validBefore", &[json!(1_800_000_600), json!("never")]),
        ("nonce", &[json!("0x11"), json!("11".repeat(32)), json!(["0x11"])]),
    ];
    for (member, values) in bad {
        for value in values {
            let mut signed = draft(&quote(Product::Scan), X402Version::V1).sign(&TestWallet::rich());
            signed.payload_mut()["payload"]["authorization"][member] = value.clone();
            let Err(PaymentError::Malformed(BadPayment::Member { member: named })) = read(&signed) else {
                panic!("{member} {value} was read");
            };
            assert_eq!(named, format!("payload.authorization.{member}"));
        }
    }
    for value in [json!("0x"), json!("0x1"), json!("1234"), Value::Null, json!(5)] {
        let mut signed = draft(&quote(Product::Scan), X402Version::V1).sign(&TestWallet::rich());
        signed.payload_mut()["payload"]["signature"] = value;
        let expected = BadPayment::Member {
            member: "payload.signature",
        };
        assert_eq!(read(&signed).map(|_| ()), Err(PaymentError::Malformed(expected)));
    }
}

#[test]
fn another_way_to_move_money_is_refused_and_not_misread() {
    let quote = quote(Product::Scan);
    let mut signed = draft(&quote, X402Version::V2).sign(&TestWallet::rich());
    signed.payload_mut()["payload"] = json!({"signature": "0x00", "permit2Authorization": {"from": "0x"}});
    assert_eq!(judge(&quote, &signed).map(|_| ()), Err(Refusal::TransferMethod));
}

#[test]
fn the_buyers_letters_are_forwarded_as_they_are() {
    let quote = quote(Product::Scan);
    let signed = draft(&quote, X402Version::V1).sign(&TestWallet::rich());
    let odd = format!(" {} \n", signed.payload().to_string().replace(":", " :\t"));
    let checked = Payment::from_json(&odd)
        .unwrap()
        .check(&quote, now(), Rules::default())
        .unwrap();
    let body = checked.0.request.expose_body();
    assert!(
        body.starts_with(&format!("{{\"x402Version\":1,\"paymentPayload\":{},", odd.trim())),
        "{body}"
    );
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["paymentRequirements"], json!(quote.v1()));
}

#[test]
fn nothing_prints_a_payment() {
    let quote = quote(Product::Scan);
    let signed = draft(&quote, X402Version::V2).sign(&TestWallet::rich());
    let signature = signed.payload()["payload"]["signature"]
        .as_str()
        .unwrap()
        .to_owned();
    let payment = read(&signed).unwrap();
    let before = format!("{payment:?}");
    let checked = payment.check(&quote, now(), Rules::default()).unwrap();
    for text in [
        before,
        format!("{checked:?}"),
        format!("{:?}", checked.0),
        format!("{:?}", checked.0.request),
    ] {
        assert!(!text.contains(&signature[2..20]), "{text}");
        assert!(text.len() < 60, "{text}");
    }
    assert!(checked.0.request.expose_body().contains(&signature));
}
