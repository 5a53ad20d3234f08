//! Keys that seal secrets which have to be read again: a copy of the database does not open them.

use crate::StoreError;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::digest::{SHA256, digest};
use std::fmt;

/// Keys that seal secrets in a store.
/// The first one seals and all of them open, so a key can be replaced.
#[derive(Clone)]
pub struct RunKeys {
    keys: Vec<(String, LessSafeKey)>,
}

/// Says why a text holds no sealing keys.
/// It does not quote the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRunKeys {
    /// There is no line with a key.
    #[error("the file holds no key")]
    Empty,
    /// A line is not a name and a key.
    #[error("line {0} is not a name, a space and 32 bytes in Base64")]
    Line(usize),
}

impl RunKeys {
    /// Parses lines of a name, a space and 32 bytes in Base64.
    /// Skips empty lines and those that begin with `#`.
    pub fn parse(text: &str) -> Result<Self, BadRunKeys> {
        let lines = text.lines().map(str::trim).enumerate();
        let keys = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let keys = keys.map(|(number, line)| key(line).ok_or(BadRunKeys::Line(number + 1)));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        if keys.is_empty() {
            return Err(BadRunKeys::Empty);
        }
        Ok(Self { keys })
    }

    /// Returns a line with a new random key, as [`RunKeys::parse`] takes it.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub fn random_line() -> Result<String, getrandom::Error> {
        let (mut name, mut key) = ([0; 3], [0; 32]);
        getrandom::fill(&mut name)?;
        getrandom::fill(&mut key)?;
        let name: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(format!("key-{name} {}\n", STANDARD.encode(key)))
    }

    /// A random key that ends with the process, for a sandbox.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        let key = UnboundKey::new(&CHACHA20_POLY1305, &bytes).map(LessSafeKey::new);
        let keys = key.into_iter().map(|key| ("process".to_owned(), key));
        Ok(Self { keys: keys.collect() })
    }

    /// Seals bytes for the thing of this id.
    /// Returns the name of the sealing key and the sealed bytes.
    pub fn seal_bytes(&self, id: &[u8; 16], bytes: &[u8]) -> Option<(&str, Vec<u8>)> {
        let (name, sealing) = self.keys.first()?;
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).ok()?;
        let mut sealed = bytes.to_vec();
        let once = Nonce::assume_unique_for_key(nonce);
        sealing
            .seal_in_place_append_tag(once, Aad::from(id), &mut sealed)
            .ok()?;
        Some((name, [&nonce[..], &sealed].concat()))
    }

    /// Opens bytes sealed for the thing of this id.
    /// `None` if another key sealed them, or for another id.
    pub fn open_bytes(&self, id: &[u8; 16], name: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (_, opening) = self.keys.iter().find(|(known, _)| known == name)?;
        let (nonce, ciphertext) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let mut bytes = ciphertext.to_vec();
        let once = Nonce::assume_unique_for_key(*nonce);
        let opened = opening.open_in_place(once, Aad::from(id), &mut bytes).ok()?;
        Some(opened.to_vec())
    }

    /// As [`Self::seal_bytes`], with the name of the key before the sealed bytes.
    pub fn seal_named(&self, id: &[u8; 16], bytes: &[u8]) -> Option<Vec<u8>> {
        let (name, sealed) = self.seal_bytes(id, bytes)?;
        Some([name.as_bytes(), b" ", &sealed].concat())
    }

    /// Opens what [`Self::seal_named`] made for this id.
    pub fn open_named(&self, id: &[u8; 16], stored: &[u8]) -> Option<Vec<u8>> {
        let (name, sealed) = named(stored)?;
        self.open_bytes(id, str::from_utf8(name).ok()?, sealed)
    }

    /// The keys with those of `other` after them, which open only.
    pub(crate) fn before(mut self, other: Self) -> Self {
        self.keys.extend(other.keys);
        self
    }

    /// Makes the key that a database has for itself, because its operator set none: it keeps secrets out of logs and exported rows, and a
    /// copy of the whole database opens them.
    pub(crate) fn of_database(bytes: &[u8; 32]) -> Self {
        let key = UnboundKey::new(&CHACHA20_POLY1305, bytes).map(LessSafeKey::new);
        let keys = key.into_iter().map(|key| ("database".to_owned(), key));
        Self { keys: keys.collect() }
    }

    /// What a column holds of a secret.
    pub(crate) fn stored(&self, id: &[u8; 16], secret: &[u8]) -> Result<Vec<u8>, StoreError> {
        self.seal_named(id, secret).ok_or(StoreError::NoEntropy)
    }

    /// Opens a secret. A key that the operator took away leaves it unreadable, and nothing else.
    pub(crate) fn opened(&self, id: &[u8; 16], stored: &[u8]) -> Option<Vec<u8>> {
        let opened = self.open_named(id, stored);
        if opened.is_none() {
            tracing::warn!("store.secret.unreadable");
        }
        opened
    }

    /// Opens a token, as [`Self::opened`].
    pub(crate) fn token(&self, id: &[u8; 16], stored: Option<Vec<u8>>) -> Option<String> {
        String::from_utf8(self.opened(id, &stored?)?).ok()
    }

    /// What a column of an earlier schema, or one that an earlier key sealed, has to hold instead, with the secret in it.
    /// `None` where nothing has to change.
    pub(crate) fn renewed(&self, id: &[u8; 16], stored: &[u8]) -> Result<Option<Renewed>, StoreError> {
        let (first, _) = self.keys.first().ok_or(StoreError::NoEntropy)?;
        // Secrets of second steps have 20 bytes, tokens no space, and the one event is an object.
        let secret = match named(stored) {
            _ if stored.len() == 20 || stored.starts_with(b"{") => Some(stored.to_vec()),
            None => Some(stored.to_vec()),
            Some((name, _)) if name == first.as_bytes() => None,
            Some(_) => self.open_named(id, stored),
        };
        let renew = |secret: Vec<u8>| {
            Ok(Renewed {
                sealed: self.stored(id, &secret)?,
                digest: token_digest(&secret),
            })
        };
        secret.map(renew).transpose()
    }
}

/// A secret as columns hold it.
pub(crate) struct Renewed {
    pub(crate) sealed: Vec<u8>,
    pub(crate) digest: String,
}

/// The digest by which the row of a token is found.
pub(crate) fn token_digest(token: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, token))
}

/// Splits the name of the key from the sealed bytes behind it.
fn named(stored: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = stored.iter().position(|byte| *byte == b' ')?;
    Some((stored.get(..space)?, stored.get(space + 1..)?))
}

fn key(line: &str) -> Option<(String, LessSafeKey)> {
    let (name, key) = line.split_once(' ')?;
    let bytes = STANDARD.decode(key.trim()).ok()?;
    let key = UnboundKey::new(&CHACHA20_POLY1305, &bytes).ok()?;
    Some((name.to_owned(), LessSafeKey::new(key)))
}

impl fmt::Debug for RunKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunKeys(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "2026-10 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    const NEW: &str = "2026-11 ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";

    #[test]
    fn a_key_opens_for_its_thing_alone_and_after_a_rotation() {
        let (one, other) = ([1; 16], [2; 16]);
        let old = RunKeys::parse(OLD).unwrap();
        let sealed = old.seal_named(&one, b"sk-marker").unwrap();
        assert!(!sealed.windows(9).any(|part| part == b"sk-marker"));
        let both = RunKeys::parse(&format!("# the first one seals\n{NEW}\n\n{OLD}\n")).unwrap();
        assert_eq!(both.open_named(&one, &sealed).unwrap(), b"sk-marker");
        assert!(both.open_named(&other, &sealed).is_none());
        assert!(RunKeys::parse(NEW).unwrap().open_named(&one, &sealed).is_none());
        assert!(both.seal_named(&one, b"").unwrap().starts_with(b"2026-11 "));
        assert!(both.open_named(&one, &sealed[..20]).is_none());
        assert!(
            both.renewed(&one, &sealed)
                .unwrap()
                .unwrap()
                .sealed
                .starts_with(b"2026-11 ")
        );
        assert!(old.renewed(&one, &sealed).unwrap().is_none());
        for plain in [&b"token"[..], &[b' '; 20], br#"{"type": "news.confirm"}"#] {
            let renewed = both.renewed(&one, plain).unwrap().unwrap();
            assert_eq!(both.open_named(&one, &renewed.sealed).unwrap(), plain);
        }
    }

    #[test]
    fn a_faulty_file_is_named_by_its_line() {
        let parse = |text: &str| RunKeys::parse(text).map(drop);
        assert_eq!(parse("\n# nothing\n"), Err(BadRunKeys::Empty));
        assert_eq!(parse(&format!("{OLD}\nname")), Err(BadRunKeys::Line(2)));
        assert_eq!(parse("name c2hvcnQ="), Err(BadRunKeys::Line(1)));
    }
}
