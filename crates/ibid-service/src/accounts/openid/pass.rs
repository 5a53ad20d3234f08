//! Signed passes, which a browser keeps between the steps of a sign-in.

use super::super::device::{is_signature, signature_text};
use crate::error::Error;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::Value;

/// The time for which a pass is valid, in milliseconds. Half of it is short for a person who looks for a second factor.
pub(super) const PASS_TIME: i64 = 15 * 60_000;

/// A member of every pass.
#[derive(Deserialize)]
struct Valid {
    end: i64,
}

/// Signs a document with its purpose and its end.
///
/// # Errors
/// [`Error::NoEntropy`] if the secret cannot be used.
pub(super) fn seal(secret: &[u8; 32], purpose: &str, mut document: Value, now: i64) -> Result<String, Error> {
    document["end"] = now.saturating_add(PASS_TIME).into();
    let text = URL_SAFE_NO_PAD.encode(document.to_string());
    let signature = signature_text(secret, &signed(purpose, &text))?;
    Ok(format!("{text}.{signature}"))
}

/// Returns the document of a pass with this purpose that has not ended.
pub(super) fn open<T: serde::de::DeserializeOwned>(
    secret: &[u8; 32],
    purpose: &str,
    pass: &str,
    now: i64,
) -> Option<T> {
    let (text, sent) = pass.split_once('.')?;
    is_signature(secret, &signed(purpose, text), sent).then_some(())?;
    let document = URL_SAFE_NO_PAD.decode(text).ok()?;
    let valid: Valid = serde_json::from_slice(&document).ok()?;
    (now < valid.end)
        .then(|| serde_json::from_slice(&document).ok())
        .flatten()
}

/// The signed bytes. Those of other passes begin with other words.
fn signed(purpose: &str, text: &str) -> Vec<u8> {
    format!("sign-in by a provider\0{purpose}\0{text}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_pass_is_for_its_purpose_and_ends() {
        let pass = seal(&[7; 32], "flow", json!({"a": 1}), 1_000).unwrap();
        let opened =
            |secret: u8, purpose: &str, pass: &str, now| open::<Value>(&[secret; 32], purpose, pass, now);
        assert_eq!(opened(7, "flow", &pass, 999 + PASS_TIME).unwrap()["a"], 1);
        assert!(opened(7, "flow", &pass, 1_000 + PASS_TIME).is_none());
        assert!(opened(8, "flow", &pass, 1_000).is_none() && opened(7, "join", &pass, 1_000).is_none());
        let (text, signature) = pass.split_once('.').unwrap();
        let longer = URL_SAFE_NO_PAD.encode(json!({"a": 1, "end": i64::MAX}).to_string());
        for odd in [
            "",
            ".",
            text,
            &format!("{text}."),
            &format!("{longer}.{signature}"),
        ] {
            assert!(opened(7, "flow", odd, 0).is_none(), "{odd}");
        }
    }
}
