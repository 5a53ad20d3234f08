//! Properties for arbitrary bytes: one payment has one key, only the exact price passes, and nothing panics.

use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use proptest::prelude::*;
use serde_json::Value;

/// Writes a JSON value in another way: member order, white space, escapes.
fn respelled(value: &Value, seed: &mut u64) -> String {
    let mut next = |n: u64| {
        *seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) % n
    };
    let space = ["", " ", "\n", "\t "][next(4) as usize];
    match value {
        Value::Object(members) => {
            let mut parts: Vec<(&String, &Value)> = members.iter().collect();
            for index in (1..parts.len()).rev() {
                parts.swap(index, next(index as u64 + 1) as usize);
            }
            let parts: Vec<String> = parts
                .into_iter()
                .map(|(name, value)| {
                    let name = respelled(&Value::String(name.clone()), seed);
                    format!("{name}{space}:{}", respelled(value, seed))
                })
                .collect();
            format!("{{{space}{}{space}}}", parts.join(","))
        }
        Value::String(text) => {
            let letters = text.chars().map(|c| {
                if c.is_ascii_alphanumeric() && next(8) == 0 {
                    format!("\\u{:04x}", u32::from(c))
                } else {
                    c.to_string()
                }
            });
            format!("\"{}\"", letters.collect::<String>())
        }
        other => other.to_string(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_respelled_payment_is_the_same_payment(mut seed: u64, nonce: [u8; 32], v2: bool, padded: bool) {
        let quote = quote(Product::Full);
        let version = if v2 { X402Version::V2 } else { X402Version::V1 };
        let mut draft = draft(&quote, version);
        draft.nonce = Nonce::from_bytes(nonce);
        let signed = draft.sign(&TestWallet::rich());
        let original = read(&signed).unwrap().matching(&quote, SignerRule::AnySigner).unwrap();

        let text = respelled(signed.payload(), &mut seed);
        let header = if padded { STANDARD.encode(&text) } else { STANDARD_NO_PAD.encode(&text) };
        let header = Some(header.as_bytes());
        let again = if v2 { Payment::from_headers(None, header) } else { Payment::from_headers(header, None) };
        let again = again.unwrap().unwrap().matching(&quote, SignerRule::AnySigner).unwrap();
        prop_assert_eq!(again.key(), original.key());
        prop_assert_eq!(again.fingerprint(), original.fingerprint());
    }

    #[test]
    fn only_the_price_is_paid_exactly(value: u64) {
        let quote = quote(Product::Scan);
        let mut draft = draft(&quote, X402Version::V1);
        draft.value = value.to_string();
        let judged = judge(&quote, &draft.sign(&TestWallet::rich())).map(|checked| checked.0.amount().get());
        let expected = if value == 150_000 { Ok(150_000) } else { Err(Refusal::Amount) };
        prop_assert_eq!(judged, expected);
    }

    #[test]
    fn any_header_is_read_without_panic(header: Vec<u8>, text: String) {
        let _ = Payment::from_headers(Some(header.as_slice()), None);
        let _ = Payment::from_json(&text);
    }

    #[test]
    fn any_change_of_a_letter_is_survived(at: proptest::sample::Index, letter: u8) {
        let quote = quote(Product::Scan);
        let mut header = draft(&quote, X402Version::V2).sign(&TestWallet::rich()).header().into_bytes();
        let at = at.index(header.len());
        header[at] = letter;
        if let Ok(Some(payment)) = Payment::from_headers(None, Some(header.as_slice())) {
            let _ = payment.check(&quote, now(), Rules::default());
        }
    }
}
