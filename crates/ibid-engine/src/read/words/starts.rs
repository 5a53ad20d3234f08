//! The words that phrases may start with.

/// The first four bytes of phrases, or all of shorter ones, hashed to a bit each. Most words start no phrase, and a bit is
/// looked at sooner than an automaton is started. A bit that is set may lie.
pub(super) struct Starts(Box<[u64; Self::BITS / 64]>);

impl Starts {
    const BITS: usize = 1 << 16;
    /// Bytes of a start.
    const LONGEST: u32 = 4;

    pub(super) fn of<'a>(phrases: impl Iterator<Item = &'a str>) -> Self {
        let mut bits = Box::new([0; Self::BITS / 64]);
        for phrase in phrases.map(str::as_bytes) {
            let bit = Self::bit(
                first_bytes(phrase, 0),
                phrase.len().min(Self::LONGEST as usize) as u32,
            );
            bits[bit / 64] |= 1 << (bit % 64);
        }
        Self(bits)
    }

    /// Whether some phrase may start with the bytes at `at`.
    pub(super) fn may_start(&self, bytes: &[u8], at: usize) -> bool {
        let start = first_bytes(bytes, at);
        (1..=Self::LONGEST)
            .map(|length| Self::bit(start, length))
            .any(|bit| self.0[bit / 64] >> (bit % 64) & 1 == 1)
    }

    /// The bit of the first `length` bytes.
    const fn bit(start: u32, length: u32) -> usize {
        let bytes = start & (u32::MAX >> (32 - 8 * length));
        // Fibonacci hashing; the length keeps a short phrase apart from a long one.
        (bytes.wrapping_add(length).wrapping_mul(0x9E37_79B1) >> 16) as usize
    }
}

/// Four bytes, the first lowest; zeros behind the end.
fn first_bytes(bytes: &[u8], at: usize) -> u32 {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest {
        [a, b, c, d, ..] => u32::from_le_bytes([*a, *b, *c, *d]),
        _ => rest.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_may_start_where_it_stands_and_few_others_do() {
        let phrases = ["no", "not", "avoid", "best of all", "é", "最も"];
        let starts = Starts::of(phrases.into_iter());
        for phrase in phrases {
            for text in [phrase.to_owned(), format!("x {phrase} y"), format!("x {phrase}")] {
                let at = text.find(phrase).unwrap();
                assert!(starts.may_start(text.as_bytes(), at), "{text:?} at {at}");
            }
        }
        let words = ["plumber", "avocado", "beside", "in", "a", ""];
        assert!(words.iter().all(|word| !starts.may_start(word.as_bytes(), 0)));
        assert!(!starts.may_start(b"no", 7), "behind the end nothing starts");
    }
}
