//! Buckets.

use crate::EvidenceError;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::{ClientConfigKey, ObjectStore, RetryConfig};
use std::sync::Arc;
use std::time::Duration;

/// The longest time for one attempt.
const ATTEMPT: &str = "10 seconds";
/// Attempts after the first one.
const RETRIES: usize = 3;
/// The time after which no attempt begins.
const RETRY_WITHIN: Duration = Duration::from_secs(15);

/// Opens a bucket.
///
/// The environment variables `AWS_*` provide keys, region and endpoint.
pub(crate) fn open(bucket: &str) -> Result<Arc<dyn ObjectStore>, EvidenceError> {
    build(AmazonS3Builder::from_env(), bucket)
}

/// Opens a bucket with the bounds of this crate.
pub(crate) fn build(builder: AmazonS3Builder, bucket: &str) -> Result<Arc<dyn ObjectStore>, EvidenceError> {
    // Chooses the cryptography provider here, not by the features of a dependency.
    // An earlier choice of the process stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let retry = RetryConfig {
        max_retries: RETRIES,
        retry_timeout: RETRY_WITHIN,
        ..RetryConfig::default()
    };
    let bucket = builder
        .with_bucket_name(bucket)
        .with_config(AmazonS3ConfigKey::Client(ClientConfigKey::Timeout), ATTEMPT)
        .with_retry(retry)
        .build()
        .map_err(EvidenceError::Configuration)?;
    Ok(Arc::new(bucket))
}
