//! Stable draws: the same words give the same numbers on every machine and release.

/// A sequence of numbers that only its seed and words determine.
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    /// Makes the numbers by FNV-1a, with a separator that UTF-8 never contains.
    /// The standard library's hashers may change between releases.
    pub(super) fn new(seed: u64, words: &[&str]) -> Self {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ seed;
        for word in words {
            for byte in word.bytes().chain([0xff]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        Self(hash)
    }

    /// The next number (SplitMix64, which also spreads FNV's weak low bits).
    pub(super) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0.0..1.0`.
    pub(super) fn unit(&mut self) -> f64 {
        (self.roll() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number in `low..high`.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A number as if from the standard normal distribution, by the sum of twelve even draws.
    /// So it needs no function that machines compute differently.
    pub(super) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// A whole number in `low..=high`.
    pub(super) fn count(&mut self, low: usize, high: usize) -> usize {
        let width = (high.saturating_sub(low) as u64).saturating_add(1);
        low + (self.roll() % width) as usize
    }

    /// True in `share` of all draws.
    pub(super) fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// One of `items`. An array, so that there is always one.
    pub(super) fn pick<'a, T, const N: usize>(&mut self, items: &'a [T; N]) -> &'a T {
        const { assert!(N > 0) };
        &items[self.count(0, N - 1)]
    }

    /// One of some texts.
    pub(super) fn phrase<'a, const N: usize>(&mut self, items: &'a [String; N]) -> &'a str {
        self.pick::<String, N>(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_give_the_same_row() {
        let mut row = Dice::new(7, &["a", "b"]);
        let (first, second) = (row.roll(), row.roll());
        assert_eq!(first, Dice::new(7, &["a", "b"]).roll());
        assert_ne!(first, second);
        for other in [
            Dice::new(8, &["a", "b"]),
            Dice::new(7, &["ab"]),
            Dice::new(7, &["a", "b", ""]),
        ] {
            assert_ne!(first, other.clone().roll());
        }
        // Pinned: a change of these numbers changes every sandbox answer.
        assert_eq!(Dice::new(0, &[]).roll(), 0xc381_7c01_6ba4_ff30);
    }

    #[test]
    fn draws_stay_in_their_bounds_and_spread() {
        let mut dice = Dice::new(1, &["spread"]);
        let mut seen = [0_u32; 5];
        for _ in 0..5_000 {
            assert!((0.0..1.0).contains(&dice.unit()));
            assert!((3..=7).contains(&dice.count(3, 7)));
            seen[dice.count(0, 4)] += 1;
        }
        assert!(seen.iter().all(|&n| (850..1_150).contains(&n)), "{seen:?}");
    }
}
