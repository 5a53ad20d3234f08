//! The starts of words.

/// First two bytes of folded words, a bit each. A bit that is set may lie.
#[derive(Clone, Debug, Default)]
pub(in crate::read) struct Pairs([u64; 16]);

impl Pairs {
    /// Adds a start.
    pub(in crate::read) const fn add(&mut self, first: u8, second: u8) {
        let bit = Self::bit(first, second);
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    /// Whether a start was added; `true` for some others.
    pub(in crate::read) const fn may_hold(&self, first: u8, second: u8) -> bool {
        let bit = Self::bit(first, second);
        self.0[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Whether a text that is not folded yet may start so.
    pub(in crate::read) const fn may_start(&self, text: &str) -> bool {
        match *text.as_bytes() {
            [first, second, ..] if first.is_ascii_alphanumeric() && second.is_ascii_alphanumeric() => {
                self.may_hold(first.to_ascii_lowercase(), second.to_ascii_lowercase())
            }
            _ => true,
        }
    }

    /// Different for all pairs of small letters.
    const fn bit(first: u8, second: u8) -> usize {
        (first as usize % 32) * 32 + second as usize % 32
    }
}
