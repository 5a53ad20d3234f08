//! Keys that seal the provider keys of queued scans.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ibid_model::ScanId;
use ibid_provider::ProviderKey;
use ibid_store::SealedSecret;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use secrecy::{ExposeSecret, SecretString};
use std::fmt;

/// Keys that seal provider keys.
/// The first one seals and all of them open, so a key can be replaced.
pub struct RunKeys {
    keys: Vec<(String, LessSafeKey)>,
}

/// The error of a text without sealing keys.
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

    /// Seals a key for a run, which alone can open it.
    pub(super) fn seal(&self, run: ScanId, key: &ProviderKey, expires: i64) -> Option<SealedSecret> {
        let (kek, ciphertext) = self.seal_bytes(run.as_bytes(), key.expose().as_bytes())?;
        Some(SealedSecret {
            kek: kek.to_owned(),
            ciphertext,
            expires,
        })
    }

    /// Opens the key of a run.
    /// `None` if another key sealed it, or for another run.
    pub(super) fn open(&self, run: ScanId, sealed: &SealedSecret) -> Option<ProviderKey> {
        let opened = self.open_bytes(run.as_bytes(), &sealed.kek, &sealed.ciphertext)?;
        let text = SecretString::from(String::from_utf8(opened).ok()?);
        text.expose_secret().parse().ok()
    }

    /// Seals bytes for the thing of this id.
    /// Returns the name of the sealing key and the sealed bytes.
    pub(crate) fn seal_bytes(&self, id: &[u8; 16], bytes: &[u8]) -> Option<(&str, Vec<u8>)> {
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
    pub(crate) fn open_bytes(&self, id: &[u8; 16], name: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (_, opening) = self.keys.iter().find(|(known, _)| known == name)?;
        let (nonce, ciphertext) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let mut bytes = ciphertext.to_vec();
        let once = Nonce::assume_unique_for_key(*nonce);
        let opened = opening.open_in_place(once, Aad::from(id), &mut bytes).ok()?;
        Some(opened.to_vec())
    }
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
    fn a_key_opens_for_its_run_alone_and_after_a_rotation() {
        let run = ScanId::random();
        let old = RunKeys::parse(OLD).unwrap();
        let sealed = old.seal(run, &"sk-marker".parse().unwrap(), 1).unwrap();
        assert!(!sealed.ciphertext.windows(9).any(|part| part == b"sk-marker"));
        let both = RunKeys::parse(&format!("# the first one seals\n{NEW}\n\n{OLD}\n")).unwrap();
        assert_eq!(both.open(run, &sealed).unwrap().expose(), "sk-marker");
        assert!(both.open(ScanId::random(), &sealed).is_none());
        assert!(RunKeys::parse(NEW).unwrap().open(run, &sealed).is_none());
        assert_eq!(
            both.seal(run, &"sk-marker".parse().unwrap(), 1).unwrap().kek,
            "2026-11"
        );
        let cut = SealedSecret {
            ciphertext: sealed.ciphertext[..20].to_vec(),
            ..sealed
        };
        assert!(both.open(run, &cut).is_none());
    }

    #[test]
    fn a_faulty_file_is_named_by_its_line() {
        let parse = |text: &str| RunKeys::parse(text).map(drop);
        assert_eq!(parse("\n# nothing\n"), Err(BadRunKeys::Empty));
        assert_eq!(parse(&format!("{OLD}\nname")), Err(BadRunKeys::Line(2)));
        assert_eq!(parse("name c2hvcnQ="), Err(BadRunKeys::Line(1)));
    }
}
