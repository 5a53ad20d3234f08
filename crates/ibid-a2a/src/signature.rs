//! Signs agent cards (A2A 1.0, section 8.4): JWS over canonical JSON (RFC 8785).
//!
//! The algorithm is EdDSA with Ed25519.
//! Its signatures depend only on key and card.
//! So all processes of a deployment serve the same bytes under the same tag.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use ring::signature::{Ed25519KeyPair, KeyPair};
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::Arc;
use url::Url;

/// Members from older versions, which readers of 1.0 do not see.
const OLDER: [&str; 5] = [
    "protocolVersion",
    "url",
    "preferredTransport",
    "additionalInterfaces",
    "supportsAuthenticatedExtendedCard",
];

/// The key that signs cards. Cheap to clone.
#[derive(Clone)]
pub struct CardKey(Arc<Ed25519KeyPair>);

/// The text is no Ed25519 key. The message does not quote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is no Ed25519 private key as PEM (PKCS #8), such as `openssl genpkey -algorithm ed25519` makes")]
pub struct BadCardKey;

/// One signature of a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CardSignature {
    protected: String,
    signature: String,
}

impl CardKey {
    /// Reads a key.
    ///
    /// # Errors
    /// The text is no PEM of an Ed25519 key.
    pub fn from_pem(text: &str) -> Result<Self, BadCardKey> {
        let document = PrivatePkcs8KeyDer::from_pem_slice(text.as_bytes()).map_err(|_| BadCardKey)?;
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(document.secret_pkcs8_der());
        Ok(Self(Arc::new(pair.map_err(|_| BadCardKey)?)))
    }

    /// The public key in a JSON Web Key Set.
    pub fn key_set(&self) -> Value {
        let mut key = self.public();
        key["kid"] = json!(self.id());
        key["alg"] = json!("EdDSA");
        key["use"] = json!("sig");
        json!({"keys": [key]})
    }

    /// The public key with the members that its thumbprint covers.
    fn public(&self) -> Value {
        json!({"crv": "Ed25519", "kty": "OKP", "x": BASE64.encode(self.0.public_key())})
    }

    /// Returns the key's thumbprint (RFC 7638), which is its id.
    fn id(&self) -> String {
        // Without a map that keeps its order, members are written sorted, as the thumbprint requires.
        BASE64.encode(Sha256::digest(self.public().to_string()))
    }

    /// Signs a card, given as JSON without signatures.
    /// `key_set` is the address of the public key.
    ///
    /// There are two signatures.
    /// One signs the members that A2A 1.0 defines, for readers of that version.
    /// The other signs all members, for those who read the document as it is.
    ///
    /// # Errors
    /// The card cannot be written.
    pub(crate) fn sign(&self, card: &Value, key_set: &Url) -> Result<Vec<CardSignature>, serde_json::Error> {
        [&of_version_1(card), card]
            .into_iter()
            .map(|content| self.sign_content(content, key_set))
            .collect()
    }

    fn sign_content(&self, content: &Value, key_set: &Url) -> Result<CardSignature, serde_json::Error> {
        let header = json!({"alg": "EdDSA", "jku": key_set, "kid": self.id(), "typ": "JOSE"});
        let protected = BASE64.encode(header.to_string());
        let payload = BASE64.encode(serde_json_canonicalizer::to_vec(content)?);
        let signature = self.0.sign(format!("{protected}.{payload}").as_bytes());
        Ok(CardSignature {
            protected,
            signature: BASE64.encode(signature),
        })
    }
}

impl fmt::Debug for CardKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CardKey(..)")
    }
}

/// Returns the members of 1.0, without the plain `false` booleans that its canonical form omits.
fn of_version_1(card: &Value) -> Value {
    let mut card = card.clone();
    if let Some(members) = card.as_object_mut() {
        members.retain(|name, _| !OLDER.contains(&name.as_str()));
    }
    if let Some(capabilities) = card["capabilities"].as_object_mut() {
        capabilities.remove("stateTransitionHistory");
    }
    let extensions = card["capabilities"]["extensions"].as_array_mut();
    for extension in extensions.into_iter().flatten().filter_map(Value::as_object_mut) {
        if extension.get("required") == Some(&json!(false)) {
            extension.remove("required");
        }
    }
    card
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::prelude::BASE64_STANDARD;
    use ring::signature::{ED25519, UnparsedPublicKey};

    /// A key in the form that `openssl genpkey -algorithm ed25519` writes, which leaves the public half out.
    fn pem() -> String {
        let head = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];
        let text = BASE64_STANDARD.encode([head.as_slice(), [7; 32].as_slice()].concat());
        format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----\n")
    }

    #[test]
    fn signatures_hold_for_both_readings_of_a_card() {
        let key = CardKey::from_pem(&pem()).unwrap();
        let card = json!({"protocolVersion": "0.2.6", "name": "b", "description": "a", "capabilities": {"streaming": true,
            "stateTransitionHistory": false, "extensions": [{"uri": "u", "required": false, "params": {"n": 1}}]}});
        let address: Url = "https://ibid.example/keys".parse().unwrap();
        let signatures = key.sign(&card, &address).unwrap();
        let canonical = [
            r#"{"capabilities":{"extensions":[{"params":{"n":1},"uri":"u"}],"streaming":true},"description":"a","name":"b"}"#,
            r#"{"capabilities":{"extensions":[{"params":{"n":1},"required":false,"uri":"u"}],"stateTransitionHistory":false,"streaming":true},"description":"a","name":"b","protocolVersion":"0.2.6"}"#,
        ];
        let set = key.key_set();
        let public = BASE64.decode(set["keys"][0]["x"].as_str().unwrap()).unwrap();
        assert_eq!(signatures.len(), 2);
        for (signature, payload) in signatures.iter().zip(canonical) {
            let header: Value =
                serde_json::from_slice(&BASE64.decode(&signature.protected).unwrap()).unwrap();
            assert_eq!(header["kid"], set["keys"][0]["kid"]);
            assert_eq!(header["jku"], "https://ibid.example/keys");
            let signed = format!("{}.{}", signature.protected, BASE64.encode(payload));
            let bytes = BASE64.decode(&signature.signature).unwrap();
            UnparsedPublicKey::new(&ED25519, &public)
                .verify(signed.as_bytes(), &bytes)
                .unwrap();
        }
        // The same key and card give the same bytes in every process.
        assert_eq!(key.sign(&card, &address).unwrap(), signatures);
    }

    #[test]
    fn other_texts_are_refused_and_no_key_is_printed() {
        assert_eq!(CardKey::from_pem("secret").unwrap_err(), BadCardKey);
        assert!(!BadCardKey.to_string().contains("secret"));
        assert_eq!(format!("{:?}", CardKey::from_pem(&pem()).unwrap()), "CardKey(..)");
    }
}
