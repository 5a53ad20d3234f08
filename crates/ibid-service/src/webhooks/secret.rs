//! What signs messages to a subscription.

use crate::error::Error;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use ibid_store::WebhookSecret;
use sha2::Sha256;
use std::fmt;

/// Bytes of a new secret.
const BYTES: usize = 32;

/// A new secret of a subscription, to be shown once.
/// Its `Debug` is silent.
pub struct SigningSecret(WebhookSecret);

impl SigningSecret {
    pub(crate) fn random() -> Result<Self, Error> {
        let mut bytes = vec![0; BYTES];
        getrandom::fill(&mut bytes).map_err(|_| Error::NoEntropy)?;
        Ok(Self(WebhookSecret::new(bytes)))
    }

    /// The secret in the form that libraries for Standard Webhooks take.
    pub fn reveal(&self) -> String {
        format!("whsec_{}", STANDARD.encode(self.0.reveal()))
    }

    pub(crate) fn stored(&self) -> &WebhookSecret {
        &self.0
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(..)")
    }
}

/// Returns what `webhook-signature` takes: one signature for each valid secret.
/// `None` for an unusable secret.
pub(super) fn signatures(
    secrets: &[WebhookSecret],
    id: &str,
    timestamp: &str,
    body: &[u8],
) -> Option<String> {
    let mut value = String::new();
    for secret in secrets {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.reveal()).ok()?;
        for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
            mac.update(part);
        }
        if !value.is_empty() {
            value.push(' ');
        }
        value.push_str("v1,");
        value.push_str(&STANDARD.encode(mac.finalize().into_bytes()));
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_the_convention() {
        // The example of the specification of Standard Webhooks.
        let secret = WebhookSecret::new(STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap());
        let sign = |secrets: &[WebhookSecret]| {
            signatures(
                secrets,
                "msg_p5jXN8AQM9LWM0D4loKWxJek",
                "1614265330",
                br#"{"test": 2432232314}"#,
            )
            .unwrap()
        };
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(sign(std::slice::from_ref(&secret)), expected);
        let both = sign(&[WebhookSecret::new(vec![1; 24]), secret]);
        assert_eq!(both.split(' ').count(), 2);
        assert!(both.ends_with(expected));
    }

    #[test]
    fn secrets_are_random_and_silent() {
        let [one, two] = [(); 2].map(|()| SigningSecret::random().unwrap());
        assert!(one.reveal().starts_with("whsec_") && one.reveal() != two.reveal());
        assert_eq!(
            format!("{one:?} {:?}", one.stored()),
            "SigningSecret(..) WebhookSecret(..)"
        );
    }
}
