//! Passwords: hashed with argon2id, checked two at a time, away from the async threads.

use crate::Error;
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use secrecy::{ExposeSecret, SecretString};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Shortest password that the operator may set, in characters.
const LEAST_CHARS: usize = 10;
/// Longest password, in bytes.
const MOST_BYTES: usize = 1_024;
/// Checks at a time. Each takes 19 MiB and some 20 ms of a core.
const AT_ONCE: usize = 2;
/// Checks that wait for their turn. Further ones get [`Error::Overloaded`].
const MOST_WAITING: usize = 32;
/// The hash for unknown addresses and for accounts without a password: the usual parameters, and a digest that no password
/// has.
pub(super) const NO_PASSWORD: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// A password that cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PasswordError {
    /// It is too short.
    #[error("a password takes at least {LEAST_CHARS} characters")]
    TooShort,
    /// It is too long.
    #[error("a password takes at most {MOST_BYTES} bytes")]
    TooLong,
    /// The system has no random bytes for its salt.
    #[error("the password cannot be hashed")]
    Failed,
}

/// Hashes a password with argon2id and a random salt, as a PHC text. Takes some 20 ms: for programs, not for handlers.
///
/// # Errors
/// A password of the wrong length, or no random bytes.
pub fn hash_password(password: &SecretString) -> Result<String, PasswordError> {
    let password = password.expose_secret();
    if password.chars().count() < LEAST_CHARS {
        return Err(PasswordError::TooShort);
    }
    if password.len() > MOST_BYTES {
        return Err(PasswordError::TooLong);
    }
    let hash = Argon2::default().hash_password(password.as_bytes());
    hash.map(|hash| hash.to_string())
        .map_err(|_| PasswordError::Failed)
}

/// Checks passwords, two at a time.
#[derive(Debug)]
pub(crate) struct Hashing {
    turns: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
}

impl Default for Hashing {
    fn default() -> Self {
        Self {
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            waiting: Arc::default(),
        }
    }
}

impl Hashing {
    /// Whether a password has this hash. Without a hash the password is checked all the same, and wrong.
    pub(crate) async fn verify(&self, password: SecretString, hash: Option<String>) -> Result<bool, Error> {
        let check = move || {
            let known = hash.is_some();
            verify(&password, hash.as_deref().unwrap_or(NO_PASSWORD)) && known
        };
        self.in_turn(check).await
    }

    /// Hashes a password when its turn comes.
    pub(crate) async fn hash(&self, password: SecretString) -> Result<Result<String, PasswordError>, Error> {
        self.in_turn(move || hash_password(&password)).await
    }

    /// Does work when its turn comes. The turn ends with the work, even if the caller hangs up before.
    async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let waiting = Waiting::enter(&self.waiting)?;
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let turn = turn.map_err(|_| Error::Ended)?;
        #[expect(
            clippy::disallowed_methods,
            reason = "the semaphore bounds it; the store is not involved"
        )]
        let done = tokio::task::spawn_blocking(move || {
            let _held = (waiting, turn);
            work()
        });
        done.await.map_err(|_| Error::Ended)
    }
}

fn verify(password: &SecretString, hash: &str) -> bool {
    let password = password.expose_secret();
    // No account has a longer password, so hashing more bytes is useless.
    let password = password
        .as_bytes()
        .get(..MOST_BYTES + 1)
        .unwrap_or(password.as_bytes());
    PasswordHash::new(hash).is_ok_and(|hash| Argon2::default().verify_password(password, &hash).is_ok())
}

struct Waiting(Arc<AtomicUsize>);

impl Waiting {
    fn enter(count: &Arc<AtomicUsize>) -> Result<Self, Error> {
        let entered = Self(Arc::clone(count));
        if entered.0.fetch_add(1, Ordering::AcqRel) < MOST_WAITING + AT_ONCE {
            return Ok(entered);
        }
        Err(Error::Overloaded {
            retry_after: Duration::from_secs(2),
        })
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> SecretString {
        SecretString::from(text.to_owned())
    }

    #[test]
    fn a_hash_is_salted_argon2id_and_matches_only_its_password() {
        let hash = hash_password(&secret("correct horse battery")).unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert_ne!(hash, hash_password(&secret("correct horse battery")).unwrap());
        assert!(verify(&secret("correct horse battery"), &hash));
        for wrong in ["correct horse batterz", "", "correct horse battery "] {
            assert!(!verify(&secret(wrong), &hash), "{wrong}");
        }
        assert!(!verify(&secret("x"), "not a hash"));
    }

    #[test]
    fn an_unknown_address_takes_as_long_as_a_known_one() {
        let unknown = PasswordHash::new(NO_PASSWORD).unwrap();
        let known = hash_password(&secret("correct horse battery")).unwrap();
        let known = PasswordHash::new(&known).unwrap();
        assert_eq!(unknown.params, known.params);
        assert_eq!(unknown.algorithm, known.algorithm);
        assert!(!verify(&secret("x"), NO_PASSWORD));
    }

    #[test]
    fn lengths_are_bounded() {
        assert_eq!(hash_password(&secret("ninechars")), Err(PasswordError::TooShort));
        assert_eq!(
            hash_password(&secret(&"x".repeat(1_025))),
            Err(PasswordError::TooLong)
        );
    }

    #[tokio::test]
    async fn a_cancelled_check_keeps_its_permit_until_it_ends() {
        let hashing = Hashing::default();
        let (gate, opened) = std::sync::mpsc::channel::<()>();
        let opened = Arc::new(std::sync::Mutex::new(opened));
        for _ in 0..AT_ONCE {
            let opened = Arc::clone(&opened);
            let work = move || opened.lock().unwrap().recv().is_err();
            // Polled once, so that the work has begun, and dropped.
            assert!(futures_util::poll!(std::pin::pin!(hashing.in_turn(work))).is_pending());
        }
        assert_eq!(hashing.turns.available_permits(), 0);
        drop(gate);
        assert!(!hashing.verify(secret("x"), None).await.unwrap());
    }

    #[test]
    fn attempts_over_the_limit_are_refused() {
        let count = Arc::new(AtomicUsize::new(0));
        let entered: Vec<_> = (0..MOST_WAITING + AT_ONCE)
            .map(|_| Waiting::enter(&count).unwrap())
            .collect();
        assert!(Waiting::enter(&count).is_err());
        drop(entered);
        assert_eq!(count.load(Ordering::Acquire), 0);
    }
}
