//! Seeded dice, resampling, quantiles and tests.
//!
//! Pure functions: every random draw comes from a seed.
//! Results do not depend on the order of the observations.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use statrs::function::beta::beta_reg;

/// Resamples of each bootstrap.
pub const RESAMPLES: u32 = 2_000;

/// How much a model's repeated answers to one question correlate, for scans that cannot estimate it:
/// the median over 58 brand and model cells of 420 answers.
pub const REPEAT_CORRELATION: f64 = 0.68;

/// Intervals over fewer questions than this are marked `lowPrecision`.
pub const FEWEST_CLUSTERS: usize = 10;

/// Numbers drawn from a seed, the same on every machine.
#[derive(Clone, Debug)]
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// Dice with a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        // SplitMix64 spreads the seed, so the stream does not depend on a library's way of seeding.
        let mut state = seed;
        let mut bytes = [0_u8; 32];
        for chunk in bytes.chunks_exact_mut(8) {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            chunk.copy_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes());
        }
        Self(ChaCha8Rng::from_seed(bytes))
    }

    /// A number below `bound`, all equally likely up to one part in 2^32; 0 for a bound of 0.
    #[must_use]
    pub fn below(&mut self, bound: usize) -> usize {
        let drawn = u64::from(self.0.next_u32()) * bound as u64;
        (drawn >> 32) as usize
    }

    /// 64 random bits.
    #[must_use]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }
}

/// How many independent observations tell as much as `n` in groups of `repeats` whose members correlate
/// by `rho`: Kish's design effect.
#[must_use]
pub fn effective_size(n: f64, repeats: f64, rho: f64) -> f64 {
    n / (1.0 + (repeats - 1.0).max(0.0) * rho.clamp(0.0, 1.0))
}

/// Draws `resamples` times as many clusters as there are, with replacement.
/// Passes the number of times that each was drawn.
pub fn resample(clusters: usize, resamples: u32, seed: u64, mut each: impl FnMut(&[u32])) {
    let mut dice = Dice::new(seed);
    let mut times = vec![0_u32; clusters];
    for _ in 0..resamples {
        times.fill(0);
        for _ in 0..clusters {
            if let Some(drawn) = times.get_mut(dice.below(clusters)) {
                *drawn += 1;
            }
        }
        each(&times);
    }
}

/// The `p`-quantile (0..1) of ascending values, interpolated between neighbours; `None` for an empty slice.
#[must_use]
pub fn quantile(ascending: &[f64], p: f64) -> Option<f64> {
    let place = p.clamp(0.0, 1.0) * ascending.len().checked_sub(1)? as f64;
    let low = ascending.get(place.floor() as usize)?;
    let high = ascending.get(place.ceil() as usize)?;
    Some(low + (high - low) * place.fract())
}

/// Bounds ascending bootstrap values with 95 %, by their percentiles.
#[must_use]
pub fn percentile_interval(ascending: &[f64]) -> Option<(f64, f64)> {
    Some((quantile(ascending, 0.025)?, quantile(ascending, 0.975)?))
}

/// The `p`-quantile of Student's t distribution, for `p` over one half.
/// Infinite without degrees of freedom.
#[must_use]
pub fn student(p: f64, freedom: f64) -> f64 {
    if freedom <= 0.0 {
        return f64::INFINITY;
    }
    // Beyond this, the distribution is normal to four figures, and the series of its integral is long.
    let freedom = freedom.min(1e4);
    let part = beta_quantile(0.5, freedom / 2.0, 2.0 * p - 1.0);
    (freedom * part / (1.0 - part)).sqrt()
}

/// The `p`-quantile of a beta distribution with positive shapes.
///
/// It uses bisection: the inverse in the library does not end for some shapes under 1.
#[must_use]
pub fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    // 36 halvings leave less than 1e-10.
    for _ in 0..36 {
        let middle = (low + high) / 2.0;
        if beta_reg(a, b, middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

/// The chance that a draw from a beta distribution is under a limit; a shape of almost 0 is a certainty.
pub(crate) fn beta_chance(a: f64, b: f64, limit: f64) -> f64 {
    match (a, b) {
        (a, _) if a <= 1e-9 || limit >= 1.0 => 1.0,
        (_, b) if b <= 1e-9 || limit <= 0.0 => 0.0,
        (a, b) => beta_reg(a, b, limit),
    }
}

/// Largest number of non-zero differences for which every sign pattern is tried.
const EXACT_SIGNS: usize = 16;
/// Random sign patterns tried beyond that.
const RANDOM_SIGNS: u32 = 20_000;

/// Two-sided p-value of the paired sign-flip test: how often differences with arbitrary signs have a mean at
/// least as far from 0. It is exact up to 16 non-zero differences, and above uses 20,000 random patterns.
/// It is 1 without differences.
///
/// ```
/// use ibid_engine::score::statistics::sign_flip;
///
/// // Six differences with one sign: 2 of 2^6 patterns are as far from 0.
/// assert_eq!(sign_flip(&[5.0, 3.0, 8.0, 2.0, 6.0, 4.0], 1), 2.0 / 64.0);
/// ```
#[must_use]
pub fn sign_flip(differences: &[f64], seed: u64) -> f64 {
    let mut sizes: Vec<f64> = differences
        .iter()
        .copied()
        .filter(|d| d.is_finite() && *d != 0.0)
        .collect();
    // The observed sum must be reached by the same additions as the flipped ones: sort first.
    sizes.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()).then(a.total_cmp(b)));
    let observed = sizes.iter().sum::<f64>().abs();
    let total: f64 = sizes.iter().map(|size| size.abs()).sum();
    // Sums of the same numbers differ by rounding; a tie is a tie.
    let reached = observed - total * 1e-12;
    // Signs are arbitrary under the null.
    // With all sizes positive, opposite differences have the same p-value.
    sizes.iter_mut().for_each(|size| *size = size.abs());
    if sizes.len() <= EXACT_SIGNS {
        let patterns = 1_u32 << sizes.len();
        let extreme =
            (0..patterns).filter(|pattern| flipped(&sizes, |n| pattern >> n & 1 == 1).abs() >= reached);
        return extreme.count() as f64 / f64::from(patterns);
    }
    let mut dice = Dice::new(seed);
    let mut extreme = 1_u32;
    for _ in 0..RANDOM_SIGNS {
        let (mut bits, mut left) = (0_u64, 0_u32);
        let sum = flipped(&sizes, |_| {
            if left == 0 {
                (bits, left) = (dice.bits(), 64);
            }
            left -= 1;
            bits >> left & 1 == 1
        });
        extreme += u32::from(sum.abs() >= reached);
    }
    f64::from(extreme) / f64::from(RANDOM_SIGNS + 1)
}

fn flipped(sizes: &[f64], mut flip: impl FnMut(usize) -> bool) -> f64 {
    sizes
        .iter()
        .enumerate()
        .map(|(n, size)| if flip(n) { -size } else { *size })
        .sum()
}

/// Holm's adjustment of several p-values, in the order given.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut worst = 0.0_f64;
    for (place, &index) in order.iter().enumerate() {
        worst = worst.max((p_values[index] * (p_values.len() - place) as f64).min(1.0));
        adjusted[index] = worst;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 5e-3, "{found} is not {expected}");
    }

    #[test]
    fn sign_flip_is_exact_for_few_cells() {
        // Ten positive differences and two zeros: 2 of 1,024 patterns reach the sum.
        let differences = [4.0, 0.0, 9.5, 12.0, 20.0, 3.0, 31.0, 8.0, 0.0, 25.0, 14.7, 18.0];
        assert_eq!(sign_flip(&differences, 1), 2.0 / 1_024.0);
        assert_eq!(sign_flip(&[1.0, -1.0], 1), 1.0);
        assert_eq!(sign_flip(&[0.0; 5], 1), 1.0);
        assert_eq!(sign_flip(&[3.0; 5], 1), 0.0625);
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (p, freedom, expected) in [
            (0.975, 1.0, 12.706),
            (0.975, 2.0, 4.303),
            (0.975, 9.0, 2.262),
            (0.8, 5.0, 0.920),
            (0.975, 1e9, 1.960),
        ] {
            close(student(p, freedom), expected);
        }
        assert_eq!(student(0.975, 0.0), f64::INFINITY);
        close(beta_quantile(0.5, 10.5, 0.975), 0.217);
        close(beta_quantile(6.5, 4.5, 0.025), 0.304);
    }

    #[test]
    fn holm_steps_down() {
        let adjusted = holm(&[0.04, 0.01, 0.03]);
        close(adjusted[0], 0.06);
        close(adjusted[1], 0.03);
        close(adjusted[2], 0.06);
    }

    proptest! {
        #[test]
        fn sign_flip_does_not_depend_on_the_order(mut differences in prop::collection::vec(-50.0..50.0_f64, 0..12)) {
            let p = sign_flip(&differences, 7);
            differences.reverse();
            prop_assert_eq!(sign_flip(&differences, 7), p);
            prop_assert!(p > 0.0 && p <= 1.0);
        }

        #[test]
        fn random_signs_agree_with_all_signs(seed in 0_u64..20) {
            // Seventeen differences, one of them negligible: random patterns must come near the exact 16.
            let exact: Vec<f64> = (1..=16).map(|n| if n % 3 == 0 { -f64::from(n) } else { f64::from(n) }).collect();
            let mut more = exact.clone();
            more.push(1e-9);
            prop_assert!((sign_flip(&exact, 0) - sign_flip(&more, seed)).abs() < 0.02);
        }
    }
}
