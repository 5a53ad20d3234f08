//! Keys of projects: made by people with the right to manage, shown once, stored as digests.

use super::draft::name_of;
use super::handle::Projects;
use super::plain::change;
use crate::accounts::random_text;
use crate::clock::now_ms;
use crate::error::Error;
use ibid_model::{ApiKeyId, FaultCode, Faults, OrganisationId};
use ibid_store::{ApiKeyRecord, NewApiKey, ProjectRight, ProjectScope, Store, StoreError};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// The start of every key, for programs that look for leaked secrets.
pub const KEY_PREFIX: &str = "ibidp_";
/// Random bytes of a key.
const BYTES: usize = 32;
/// Most keys of a project.
const MOST: u32 = 50;

/// A key that was made. Its `Debug` is silent.
pub struct NewKey {
    pub id: ApiKeyId,
    secret: String,
}

impl NewKey {
    /// The key itself, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.secret
    }
}

impl std::fmt::Debug for NewKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NewKey({})", self.id)
    }
}

/// The digest of a key, or `None` for a text that is no key of a project.
pub(super) fn digest(token: &[u8]) -> Option<[u8; 32]> {
    let is_key = token.starts_with(KEY_PREFIX.as_bytes());
    is_key.then(|| Sha256::digest(token).into())
}

/// Makes a random key.
fn random_key() -> Result<String, Error> {
    Ok(format!("{KEY_PREFIX}{}", random_text::<BYTES>()?))
}

impl Projects {
    /// The keys that open a project.
    pub async fn keys(&self, scope: &ProjectScope) -> Result<Vec<ApiKeyRecord>, Error> {
        let scope = scope.clone();
        Ok(self.db().call(move |store| store.api_keys(&scope)).await?)
    }

    /// Makes a key by `name` and `access`: `read`, `run` or `write`.
    ///
    /// # Errors
    /// [`Error::Invalid`], also for a key too many; no random bytes; [`Error::Store`].
    pub async fn make_key(&self, scope: &ProjectScope, body: &Map<String, Value>) -> Result<NewKey, Error> {
        let mut faults = Faults::default();
        let name = name_of(body, "name", &mut faults);
        let word = body.get("access").and_then(Value::as_str);
        let right = ProjectRight::OF_KEYS
            .into_iter()
            .find(|right| Some(right.as_str()) == word);
        let Some(right) = right else {
            faults.push("/access", FaultCode::Invalid, "access must be read, run or write");
            return Err(Error::Invalid(faults));
        };
        if !faults.is_empty() {
            return Err(Error::Invalid(faults));
        }
        let key = NewKey {
            id: ApiKeyId::random(),
            secret: random_key()?,
        };
        let (id, hash, scope) = (
            key.id,
            Sha256::digest(key.secret.as_bytes()).into(),
            scope.clone(),
        );
        let added = self.db().call(move |store| {
            let new = NewApiKey {
                id,
                name: &name,
                hash: &hash,
                right,
                expires_at: None,
            };
            let members = json!({"keyId": id, "name": name, "access": right.as_str()}).to_string();
            store.add_api_key(&scope, &new, MOST, change("key_made", &members))
        });
        match added.await? {
            true => Ok(key),
            false => {
                let message = format!("a project has at most {MOST} keys: revoke one first");
                Err(Error::Invalid(Faults::one("", FaultCode::OutOfRange, message)))
            }
        }
    }

    /// Ends a key of a project.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] for a key that is not one of it; [`Error::Store`].
    pub async fn revoke_key(&self, scope: &ProjectScope, id: &str) -> Result<(), Error> {
        let id: ApiKeyId = id.parse().map_err(|_| Error::ProjectNotFound)?;
        let scope = scope.clone();
        let revoked = self.db().call(move |store| {
            let members = json!({"keyId": id}).to_string();
            store.revoke_api_key(&scope, id, change("key_revoked", &members))
        });
        match revoked.await? {
            true => Ok(()),
            false => Err(Error::ProjectNotFound),
        }
    }
}

/// Makes a key to every project of an organisation, for the operator. With a `secret` it is that one, as the sandbox has it.
///
/// # Errors
/// No random bytes; the fault of the database.
pub fn make_organisation_key(
    store: &Store,
    organisation: OrganisationId,
    (name, right): (&str, ProjectRight),
    secret: Option<&str>,
) -> Result<String, Error> {
    let secret = secret.map_or_else(random_key, |secret| Ok(secret.to_owned()))?;
    let hash: [u8; 32] = Sha256::digest(secret.as_bytes()).into();
    let key = NewApiKey {
        id: ApiKeyId::random(),
        name,
        hash: &hash,
        right,
        expires_at: None,
    };
    let stored: Result<(), StoreError> = store.add_organisation_key(organisation, &key, now_ms());
    stored?;
    Ok(secret)
}
