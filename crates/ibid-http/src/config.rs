//! What the surfaces need to know.

use crate::bodies::Bodies;
use crate::cors::CorsOrigins;
use crate::metrics::Metrics;
use crate::proxies::TrustedProxies;
use crate::shutdown::Shutdown;
use ibid_a2a::CardKey;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use url::Url;

/// What the surfaces need to know.
#[derive(Clone, Debug)]
pub struct HttpConfig {
    /// Bearer key for the v1 API. Without a key every call is refused.
    pub api_key: Option<ApiKey>,
    /// Base address for links.
    pub base_url: Url,
    /// The e-mail address for access requests.
    pub contact_email: Option<String>,
    /// Sites whose scripts may call the paid surface.
    pub cors_origins: CorsOrigins,
    /// Proxies that may report the address of a client.
    pub trusted_proxies: TrustedProxies,
    /// Bounds on the bodies of requests.
    pub bodies: Bodies,
    pub shutdown: Shutdown,
    pub metrics: Metrics,
    /// The key that signs the agent card. Without a key the card is not signed.
    pub card_key: Option<CardKey>,
    /// Serves `/healthz` and `/readyz` alone, for a process that only works on queued scans.
    pub health_only: bool,
}

/// The bearer key of the v1 API. Only its SHA-256 digest is stored, so a comparison takes constant time and the key
/// cannot be printed.
#[derive(Clone)]
pub struct ApiKey([u8; 32]);

impl ApiKey {
    /// Stores the digest of a key.
    pub fn new(key: &str) -> Self {
        Self(Sha256::digest(key.as_bytes()).into())
    }

    /// Whether `candidate` is the key.
    pub fn matches(&self, candidate: &[u8]) -> bool {
        let digest: [u8; 32] = Sha256::digest(candidate).into();
        self.0.ct_eq(&digest).into()
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_key_matches() {
        let key = ApiKey::new("sandbox");
        assert!(key.matches(b"sandbox"));
        for other in [&b""[..], b"sandbo", b"sandbox ", b"Sandbox"] {
            assert!(!key.matches(other));
        }
        assert_eq!(format!("{key:?}"), "ApiKey(..)");
    }
}
