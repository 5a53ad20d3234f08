//! Passwords: hashed with argon2id, checked two at a time, away from the async threads.

use crate::bounded_blocking::BoundedBlocking;
use crate::error::Error;
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use secrecy::{ExposeSecret, SecretString};
use zxcvbn::{Score, zxcvbn};

/// Shortest password that the operator may set, in characters.
const LEAST_CHARS: usize = 10;
/// Longest password, in bytes.
const MOST_BYTES: usize = 1_024;
/// Checks at a time.
/// Each takes 19 MiB and some 20 ms of a core.
const AT_ONCE: usize = 2;
/// Checks that wait for their turn. Further ones get [`Error::Overloaded`].
const MOST_WAITING: usize = 32;
/// The hash for unknown addresses and accounts without a password: the usual parameters and an impossible digest.
pub(super) const NO_PASSWORD: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// A password that cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PasswordError {
    #[error("a password takes at least {LEAST_CHARS} characters")]
    TooShort,
    #[error("a password takes at most {MOST_BYTES} bytes")]
    TooLong,
    /// A password that lists and usual changes of them have, or the own address.
    #[error(
        "this password is guessed within minutes: it is common, a run of keys, or close to the address; take some words that do not go together"
    )]
    Common,
    /// The system has no random bytes for its salt.
    #[error("the password cannot be hashed")]
    Failed,
}

/// Hashes a password with argon2id and a random salt, as a PHC text. It must not be close to the address of its account.
/// Takes some 20 ms: for programs, not for handlers.
///
/// # Errors
/// A password of the wrong length or one that is easily guessed, or no random bytes.
pub fn hash_password(password: &SecretString, address: &str) -> Result<String, PasswordError> {
    let password = password.expose_secret();
    if password.chars().count() < LEAST_CHARS {
        return Err(PasswordError::TooShort);
    }
    if password.len() > MOST_BYTES {
        return Err(PasswordError::TooLong);
    }
    let (name, host) = address.split_once('@').unwrap_or((address, ""));
    if zxcvbn(password, &[address, name, host, "ibid"]).score() < Score::Two {
        return Err(PasswordError::Common);
    }
    let hash = Argon2::default().hash_password(password.as_bytes());
    hash.map(|hash| hash.to_string())
        .map_err(|_| PasswordError::Failed)
}

/// Checks passwords, two at a time.
#[derive(Debug)]
pub(crate) struct Hashing(BoundedBlocking);

impl Default for Hashing {
    fn default() -> Self {
        Self(BoundedBlocking::new(AT_ONCE, MOST_WAITING))
    }
}

impl Hashing {
    /// Whether a password has this hash.
    /// Without a hash the password is still checked, and is wrong.
    pub(crate) async fn verify(&self, password: SecretString, hash: Option<String>) -> Result<bool, Error> {
        let check = move || {
            let known = hash.is_some();
            verify(&password, hash.as_deref().unwrap_or(NO_PASSWORD)) && known
        };
        self.0.run(check).await
    }

    /// Hashes a password when its turn comes.
    pub(crate) async fn hash(
        &self,
        password: SecretString,
        address: &str,
    ) -> Result<Result<String, PasswordError>, Error> {
        let address = address.to_owned();
        self.0.run(move || hash_password(&password, &address)).await
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

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> SecretString {
        SecretString::from(text.to_owned())
    }

    #[test]
    fn a_hash_is_salted_argon2id_and_matches_only_its_password() {
        let hash = hash_password(&secret("correct horse battery"), "").unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert_ne!(hash, hash_password(&secret("correct horse battery"), "").unwrap());
        assert!(verify(&secret("correct horse battery"), &hash));
        for wrong in ["correct horse batterz", "", "correct horse battery "] {
            assert!(!verify(&secret(wrong), &hash), "{wrong}");
        }
        assert!(!verify(&secret("x"), "not a hash"));
    }

    #[test]
    fn an_unknown_address_takes_as_long_as_a_known_one() {
        let unknown = PasswordHash::new(NO_PASSWORD).unwrap();
        let known = hash_password(&secret("correct horse battery"), "").unwrap();
        let known = PasswordHash::new(&known).unwrap();
        assert_eq!(unknown.params, known.params);
        assert_eq!(unknown.algorithm, known.algorithm);
        assert!(!verify(&secret("x"), NO_PASSWORD));
    }

    #[test]
    fn lengths_are_bounded() {
        assert_eq!(
            hash_password(&secret("ninechars"), ""),
            Err(PasswordError::TooShort)
        );
        assert_eq!(
            hash_password(&secret(&"x".repeat(1_025)), ""),
            Err(PasswordError::TooLong)
        );
    }

    #[test]
    fn common_passwords_and_the_own_address_are_none() {
        let refused = |password: &str| {
            let hashed = hash_password(&secret(password), "lovelace@agency.example");
            hashed == Err(PasswordError::Common)
        };
        for common in [
            "1234567890",
            "qwertyuiop",
            "password123",
            "Passw0rd123",
            "qwerty12345",
            "1q2w3e4r5t",
            "1qaz2wsx3edc",
            "aaaaaaaaaa",
            "iloveyou123",
            "football123",
            "abcdefghij",
            "lovelace@agency.example",
            "Lovelace123",
            "lovelace2026",
            "agency.example1",
        ] {
            assert!(refused(common), "{common}");
        }
        for good in [
            "correct horse battery",
            "a password of my own",
            "another good password",
            "Tr0ub4dor&3 at sea",
        ] {
            assert!(!refused(good), "{good}");
        }
    }
}
