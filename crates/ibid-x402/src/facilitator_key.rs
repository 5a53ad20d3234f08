//! The key with which a seller signs in at Coinbase's facilitator.
//! Every request has a token that is valid for two minutes.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jiff::Timestamp;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use p256::pkcs8::DecodePrivateKey as _;
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::Ed25519KeyPair;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt;
use url::Url;

/// Seconds for which a token is valid.
const VALID_FOR: i64 = 120;

/// A key of Coinbase's developer platform, Ed25519 or ES256.
pub struct FacilitatorKey {
    id: String,
    secret: Secret,
}

enum Secret {
    Ed25519(Box<Ed25519KeyPair>),
    P256(Box<SigningKey>),
}

/// The key file cannot be used. No variant quotes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadFacilitatorKey {
    /// It is not the JSON object that the platform hands out.
    #[error("is not a JSON object with id (or name) and privateKey")]
    Form,
    /// The private key has another form.
    #[error("holds no private key that can be used: Ed25519 as base64 of 64 bytes, or ES256 as PEM")]
    PrivateKey,
}

/// The file as the platform hands it out.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeyFile {
    #[serde(alias = "name")]
    id: String,
    private_key: String,
}

impl FacilitatorKey {
    /// Reads a key file: a JSON object with `id` (or `name`) and `privateKey`.
    pub fn from_json(text: &str) -> Result<Self, BadFacilitatorKey> {
        let file: KeyFile = serde_json::from_str(text).map_err(|_| BadFacilitatorKey::Form)?;
        let text = file.private_key.trim();
        let secret = match text.starts_with("-----BEGIN") {
            true => p256(text),
            false => ed25519(text),
        };
        Ok(Self {
            id: file.id,
            secret: secret.ok_or(BadFacilitatorKey::PrivateKey)?,
        })
    }

    /// Returns a token for one request; `None` if the system has no random bytes.
    pub(crate) fn token(&self, method: &str, url: &Url, now: Timestamp) -> Option<SecretString> {
        let mut nonce = [0; 16];
        SystemRandom::new().fill(&mut nonce).ok()?;
        let nonce = crate::hex::encode(&nonce);
        let (host, now) = (url.host_str()?, now.as_second());
        let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
        let header = json!({
            "alg": self.algorithm(),
            "kid": self.id,
            "typ": "JWT",
            "nonce": nonce.trim_start_matches("0x"),
        });
        let claims = json!({
            "sub": self.id,
            "iss": "cdp",
            "iat": now,
            "nbf": now,
            "exp": now + VALID_FOR,
            "uris": [format!("{method} {host}{port}{}", url.path())],
        });
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&header), part(&claims));
        let signature = match &self.secret {
            Secret::Ed25519(key) => URL_SAFE_NO_PAD.encode(key.sign(signed.as_bytes())),
            Secret::P256(key) => {
                let signature: Signature = key.sign(signed.as_bytes());
                URL_SAFE_NO_PAD.encode(signature.to_bytes())
            }
        };
        Some(format!("{signed}.{signature}").into())
    }

    const fn algorithm(&self) -> &'static str {
        match self.secret {
            Secret::Ed25519(_) => "EdDSA",
            Secret::P256(_) => "ES256",
        }
    }
}

/// The seed and the public key, 32 bytes each.
fn ed25519(text: &str) -> Option<Secret> {
    let bytes = STANDARD.decode(text).ok().filter(|bytes| bytes.len() == 64)?;
    let (seed, public) = bytes.split_at_checked(32)?;
    let pair = Ed25519KeyPair::from_seed_and_public_key(seed, public).ok()?;
    Some(Secret::Ed25519(Box::new(pair)))
}

/// Reads PEM as PKCS #8 or SEC 1 write it.
fn p256(text: &str) -> Option<Secret> {
    let key = p256::SecretKey::from_pkcs8_pem(text).or_else(|_| p256::SecretKey::from_sec1_pem(text));
    Some(Secret::P256(Box::new(SigningKey::from(key.ok()?))))
}

impl fmt::Debug for FacilitatorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FacilitatorKey({}, ..)", self.algorithm())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p256::ecdsa::VerifyingKey;
    use p256::ecdsa::signature::Verifier as _;
    use p256::pkcs8::{EncodePrivateKey as _, LineEnding};
    use ring::signature::{ED25519, KeyPair as _, UnparsedPublicKey};

    fn file(private_key: &str) -> String {
        json!({"id": "organizations/1/apiKeys/2", "privateKey": private_key}).to_string()
    }

    /// The parts of a token for a request to settle: header, claims, signed text, signature.
    fn parts(key: &FacilitatorKey) -> (Value, Value, String, Vec<u8>) {
        use secrecy::ExposeSecret as _;
        let url = Url::parse("https://api.cdp.example/platform/v2/x402/settle").unwrap();
        let token = key.token("POST", &url, Timestamp::from_second(1_795_000_000).unwrap());
        let token = token.unwrap().expose_secret().to_owned();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let (header, claims) = signed.split_once('.').unwrap();
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).unwrap();
        let json = |part: &str| serde_json::from_slice(&decode(part)).unwrap();
        (json(header), json(claims), signed.to_owned(), decode(signature))
    }

    #[test]
    fn an_ed25519_key_signs_for_one_request_of_two_minutes() {
        let seed = [7; 32];
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed).unwrap();
        let bytes = [seed.as_slice(), pair.public_key().as_ref()].concat();
        let key = FacilitatorKey::from_json(&file(&STANDARD.encode(bytes))).unwrap();
        let (header, claims, signed, signature) = parts(&key);
        assert_eq!((&header["alg"], &header["typ"]), (&json!("EdDSA"), &json!("JWT")));
        assert_eq!(header["kid"], "organizations/1/apiKeys/2");
        assert_eq!(header["nonce"].as_str().unwrap().len(), 32);
        let expected = json!({
            "sub": "organizations/1/apiKeys/2", "iss": "cdp", "iat": 1_795_000_000, "nbf": 1_795_000_000,
            "exp": 1_795_000_120, "uris": ["POST api.cdp.example/platform/v2/x402/settle"],
        });
        assert_eq!(claims, expected);
        let public = UnparsedPublicKey::new(&ED25519, pair.public_key().as_ref());
        assert!(public.verify(signed.as_bytes(), &signature).is_ok());
        assert_ne!(parts(&key).0["nonce"], header["nonce"], "every token has its own");
    }

    #[test]
    fn an_es256_key_signs_in_both_forms_of_pem() {
        let secret = p256::SecretKey::from_slice(&[9; 32]).unwrap();
        let public = VerifyingKey::from(secret.public_key());
        let forms = [
            secret.to_pkcs8_pem(LineEnding::LF).unwrap().to_string(),
            secret.to_sec1_pem(LineEnding::LF).unwrap().to_string(),
        ];
        for pem in forms {
            let key = FacilitatorKey::from_json(&file(&pem)).unwrap();
            let (header, _, signed, signature) = parts(&key);
            assert_eq!(header["alg"], "ES256");
            let signature = Signature::from_slice(&signature).unwrap();
            assert!(public.verify(signed.as_bytes(), &signature).is_ok());
            assert!(!format!("{key:?}").contains(&pem));
        }
    }

    #[test]
    fn other_files_are_refused() {
        for (text, expected) in [
            ("", BadFacilitatorKey::Form),
            ("{}", BadFacilitatorKey::Form),
            (&file(""), BadFacilitatorKey::PrivateKey),
            (&file(&STANDARD.encode([1; 64])), BadFacilitatorKey::PrivateKey),
            (
                &file("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"),
                BadFacilitatorKey::PrivateKey,
            ),
        ] {
            assert_eq!(FacilitatorKey::from_json(text).map(drop), Err(expected), "{text}");
        }
    }
}
