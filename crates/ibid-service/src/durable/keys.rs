//! Provider keys of queued scans, sealed for their run.

use ibid_model::ScanId;
use ibid_provider::ProviderKey;
use ibid_store::{RunKeys, SealedSecret};
use secrecy::{ExposeSecret, SecretString};

/// Seals a key for a run, which alone can open it.
pub(super) fn seal(keys: &RunKeys, run: ScanId, key: &ProviderKey, expires: i64) -> Option<SealedSecret> {
    let (kek, ciphertext) = keys.seal_bytes(run.as_bytes(), key.expose().as_bytes())?;
    Some(SealedSecret {
        kek: kek.to_owned(),
        ciphertext,
        expires,
    })
}

/// Opens the key of a run.
/// `None` if another key sealed it, or for another run.
pub(super) fn open(keys: &RunKeys, run: ScanId, sealed: &SealedSecret) -> Option<ProviderKey> {
    let opened = keys.open_bytes(run.as_bytes(), &sealed.kek, &sealed.ciphertext)?;
    let text = SecretString::from(String::from_utf8(opened).ok()?);
    text.expose_secret().parse().ok()
}
