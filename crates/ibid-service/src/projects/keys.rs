//! Keys of projects: made by people with the right to manage, shown once, stored as digests.

use super::conversions::{change, full};
use super::draft::name_of;
use super::handle::Projects;
use crate::accounts::random_text;
use crate::clock::now_ms;
use crate::error::Error;
use ibid_model::{AccountId, ApiKeyId, Faults, OrganisationId};
use ibid_store::{ApiKeyRecord, KeyAccess, NewApiKey, ProjectScope, Store};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Every key begins so, for programs that look for leaked secrets.
pub const KEY_PREFIX: &str = "ibidp_";
/// Random bytes of a key.
const BYTES: usize = 32;
/// Most keys of a project.
const MOST: u32 = 50;

/// A key that was made. It has no `Debug`, so that no log shows it.
pub struct NewSecret<Id> {
    pub id: Id,
    pub(super) secret: String,
}

/// A key to a project.
pub type NewKey = NewSecret<ApiKeyId>;

impl<Id> NewSecret<Id> {
    /// The key itself, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.secret
    }
}

/// Hashes a key, or returns `None` for a text that is no project's key.
pub(super) fn digest(token: &[u8]) -> Option<[u8; 32]> {
    let is_key = token.starts_with(KEY_PREFIX.as_bytes());
    is_key.then(|| Sha256::digest(token).into())
}

/// Makes a random key.
fn random_key() -> Result<String, Error> {
    Ok(format!("{KEY_PREFIX}{}", random_text::<BYTES>()?))
}

impl Projects {
    /// Returns the keys that open a project.
    pub async fn keys(&self, scope: &ProjectScope) -> Result<Vec<ApiKeyRecord>, Error> {
        self.of(scope, move |store, scope| store.api_keys(scope, now_ms()))
            .await
    }

    /// Makes a key by `name` and `access`: `read`, `run` or `write`; it ends at `expiresAt`, if that is given.
    ///
    /// # Errors
    /// [`Error::Invalid`], also for a key too many; no random bytes; [`Error::Store`].
    pub(super) async fn make_key(
        &self,
        scope: &ProjectScope,
        body: &Map<String, Value>,
    ) -> Result<NewKey, Error> {
        let mut faults = Faults::default();
        let name = name_of(body, "name", &mut faults);
        let ends = body.get("expiresAt").filter(|value| !value.is_null());
        let ends = ends.map(|value| value.as_str().and_then(|text| text.parse::<Timestamp>().ok()));
        let expires_at = ends.flatten().map(Timestamp::as_millisecond);
        if ends.is_some() && expires_at.is_none_or(|end| end <= now_ms()) {
            faults.invalid("/expiresAt", "expiresAt must be a time to come");
        }
        let word = body.get("access").and_then(Value::as_str);
        let Some(access) = word.and_then(|word| word.parse().ok()) else {
            faults.invalid("/access", "access must be read, run or write");
            return Err(faults.into());
        };
        faults.into_result(())?;
        let key = NewKey {
            id: ApiKeyId::random(),
            secret: random_key()?,
        };
        let (id, hash) = (key.id, Sha256::digest(key.secret.as_bytes()).into());
        let added = self.of(scope, move |store, scope| {
            let new = NewApiKey {
                id,
                name: &name,
                hash: &hash,
                access,
                expires_at,
            };
            let members = json!({"keyId": id, "name": name, "access": access.as_str()}).to_string();
            store.add_api_key(scope, &new, MOST, change("key_made", &members))
        });
        let full = || full(MOST, "keys: revoke");
        added.await?.then_some(key).ok_or_else(full)
    }

    /// Ends a key of a project.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] for a key that is not one of it; [`Error::Store`].
    pub(super) async fn revoke_key(&self, scope: &ProjectScope, id: &str) -> Result<(), Error> {
        self.change_part(scope, id, "key_revoked", "keyId", Store::revoke_api_key)
            .await
    }

    /// Takes over a key that rests with another person.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] for a key that is not one of it, and for a key as the reader; [`Error::Store`].
    pub(super) async fn take_key(&self, scope: &ProjectScope, id: &str) -> Result<(), Error> {
        self.change_part(scope, id, "key_taken_over", "keyId", Store::take_api_key)
            .await
    }
}

/// A key to every project of an organisation, which the operator makes.
#[derive(Clone, Copy, Debug)]
pub struct OrganisationKey<'a> {
    pub organisation: OrganisationId,
    /// The admin with whom the key rests; `None` for a key of nobody.
    pub owner: Option<AccountId>,
    /// Its name in lists.
    pub name: &'a str,
    pub access: KeyAccess,
}

impl OrganisationKey<'_> {
    /// Stores the key and returns it. With a `secret` it is that one, as the sandbox has it.
    pub fn make(&self, store: &Store, secret: Option<&str>) -> Result<String, Error> {
        let secret = secret.map_or_else(random_key, |secret| Ok(secret.to_owned()))?;
        let hash: [u8; 32] = Sha256::digest(secret.as_bytes()).into();
        let key = NewApiKey {
            id: ApiKeyId::random(),
            name: self.name,
            hash: &hash,
            access: self.access,
            expires_at: None,
        };
        let members = json!({"keyId": key.id, "name": key.name, "access": key.access.as_str()}).to_string();
        let made = change("key_made", &members);
        store.add_organisation_key(self.organisation, self.owner, &key, made)?;
        Ok(secret)
    }
}
