//! The statistics behind the intervals: Wilson, cluster bootstrap, permutation.
//!
//! All of it is pure; what is random is drawn from a seed. Results do not depend on the order of the observations
//! where the order has no meaning.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Resamples of each bootstrap.
pub const RESAMPLES: u32 = 2_000;

/// Correlation of repeats of one question to one model, where a scan cannot estimate its own: the median over
/// 58 brand and model cells of 420 answers.
pub const REPEAT_CORRELATION: f64 = 0.68;

/// Fewer clusters than this cannot carry a bootstrap, nor an estimate of their own correlation.
pub const FEWEST_CLUSTERS: usize = 10;

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Numbers drawn from a seed, the same on every machine.
#[derive(Clone, Debug)]
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// Dice with a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        // SplitMix64 spreads the seed, so that the stream does not hang on a library's idea of seeding.
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

/// Wilson's 95 % interval of a rate, 0..1, for `hits` of `n`; both may be fractions (an effective sample).
/// `None` without observations. Wilson (1927), J. Am. Stat. Assoc. 22.
#[must_use]
pub fn wilson(hits: f64, n: f64) -> Option<(f64, f64)> {
    if !(n > 0.0 && hits >= 0.0) {
        return None;
    }
    let rate = (hits / n).min(1.0);
    let spread = 1.0 + Z * Z / n;
    let centre = (rate + Z * Z / (2.0 * n)) / spread;
    let half = Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt() / spread;
    Some(((centre - half).max(0.0), (centre + half).min(1.0)))
}

/// How many independent observations `n` are worth, when they come in groups of `repeats` whose members correlate
/// by `rho`: Kish's design effect.
#[must_use]
pub fn effective_size(n: f64, repeats: f64, rho: f64) -> f64 {
    n / (1.0 + (repeats - 1.0).max(0.0) * rho.clamp(0.0, 1.0))
}

/// The intraclass correlation of yes-or-no observations in groups `(hits, n)`, 0..1: the analysis of variance
/// estimator. `None` with fewer than two groups, without repeats, or without any variance.
#[must_use]
pub fn intraclass(groups: &[(u32, u32)]) -> Option<f64> {
    let groups: Vec<(f64, f64)> = groups
        .iter()
        .filter(|group| group.1 > 0)
        .map(|&(hits, n)| (f64::from(hits), f64::from(n)))
        .collect();
    let count = groups.len() as f64;
    let (total, hits) = groups
        .iter()
        .fold((0.0, 0.0), |(total, sum), (hits, n)| (total + n, sum + hits));
    if count < 2.0 || total <= count {
        return None;
    }
    let mean = hits / total;
    let between: f64 = groups.iter().map(|(hits, n)| n * (hits / n - mean).powi(2)).sum();
    let within: f64 = groups.iter().map(|(hits, n)| hits * (1.0 - hits / n)).sum();
    let (between, within) = (between / (count - 1.0), within / (total - count));
    let squares: f64 = groups.iter().map(|(_, n)| n * n).sum();
    let typical = (total - squares / total) / (count - 1.0);
    let spread = between + (typical - 1.0) * within;
    (spread > 0.0).then(|| ((between - within) / spread).clamp(0.0, 1.0))
}

/// Draws `resamples` times as many clusters as there are, with replacement, and computes `statistic` from how often
/// each was drawn. Returns the values in ascending order; draws without a value are left out.
#[must_use]
pub fn cluster_bootstrap(
    clusters: usize,
    resamples: u32,
    seed: u64,
    mut statistic: impl FnMut(&[u32]) -> Option<f64>,
) -> Vec<f64> {
    let mut values = Vec::with_capacity(resamples as usize);
    resample(clusters, resamples, seed, |times| {
        values.extend(statistic(times).filter(|value| value.is_finite()))
    });
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// Draws `resamples` times as many clusters as there are, with replacement, and tells how often each was drawn.
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

/// How often each cluster was drawn in each resample, a column a cluster: statistics that are sums over clusters
/// become sums of columns.
#[derive(Clone, Debug)]
pub struct Draws {
    resamples: usize,
    /// One column behind the other. Small numbers, so that all of them stay in the nearest cache.
    columns: Vec<u16>,
}

impl Draws {
    /// Draws `resamples` times as many clusters as there are, with replacement, like [`resample`].
    #[must_use]
    pub fn new(clusters: usize, resamples: u32, seed: u64) -> Self {
        let resamples = resamples as usize;
        let mut columns = vec![0_u16; clusters * resamples];
        let mut dice = Dice::new(seed);
        for at in 0..resamples {
            for _ in 0..clusters {
                if let Some(often) = columns.get_mut(dice.below(clusters) * resamples + at) {
                    *often = often.saturating_add(1);
                }
            }
        }
        Self { resamples, columns }
    }

    /// For each resample the sum of the clusters' values, each as often as it was drawn.
    #[must_use]
    pub fn sums(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.resamples];
        for (column, value) in self.columns.chunks_exact(self.resamples.max(1)).zip(values) {
            if *value != 0.0 {
                sums.iter_mut()
                    .zip(column)
                    .for_each(|(sum, often)| *sum += f64::from(*often) * value);
            }
        }
        sums
    }
}

/// The draws of one scan. Groups of as many clusters share theirs, which is most of a bootstrap's work.
#[derive(Debug)]
pub struct Bootstrap {
    seed: u64,
    tables: RefCell<BTreeMap<usize, Rc<Draws>>>,
}

impl Bootstrap {
    /// Nothing is drawn yet.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self {
            seed,
            tables: RefCell::new(BTreeMap::new()),
        }
    }

    /// The seed of everything drawn.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// [`RESAMPLES`] draws of this many clusters, always the same ones.
    #[must_use]
    pub fn draws(&self, clusters: usize) -> Rc<Draws> {
        let mut tables = self.tables.borrow_mut();
        let draw = || Rc::new(Draws::new(clusters, RESAMPLES, self.seed));
        Rc::clone(tables.entry(clusters).or_insert_with(draw))
    }
}

/// The `p`-quantile (0..1) of ascending values, between neighbours in proportion. `None` of nothing.
#[must_use]
pub fn quantile(ascending: &[f64], p: f64) -> Option<f64> {
    let place = p.clamp(0.0, 1.0) * ascending.len().checked_sub(1)? as f64;
    let (low, high) = (
        ascending.get(place.floor() as usize)?,
        ascending.get(place.ceil() as usize)?,
    );
    Some(low + (high - low) * place.fract())
}

/// The 95 % percentile interval of bootstrap values in any order: two of two thousand places need no sorting.
#[must_use]
pub fn unsorted_interval(values: &[f64]) -> Option<(f64, f64)> {
    let mut keys: Vec<i64> = values.iter().copied().map(order_key).collect();
    let last = keys.len().checked_sub(1)? as f64;
    let (low, high) = (0.025 * last, 0.975 * last);
    let (low_at, high_at) = (low.floor() as usize, high.floor() as usize);
    let upper = select(&mut keys, high_at, high.fract())?;
    // What is above the upper place has been sorted out.
    let below = if low_at < high_at { high_at + 1 } else { keys.len() };
    let lower = select(keys.get_mut(..below)?, low_at, low.fract())?;
    Some((lower, upper))
}

/// The value at a place of the order, and `part` of the way to the next one.
fn select(keys: &mut [i64], at: usize, part: f64) -> Option<f64> {
    if at >= keys.len() {
        return None;
    }
    let (_, low, above) = keys.select_nth_unstable(at);
    let low = of_order_key(*low);
    let high = above.iter().min().filter(|_| part > 0.0);
    Some(high.map_or(low, |high| low + (of_order_key(*high) - low) * part))
}

/// An integer that is ordered as [`f64::total_cmp`] orders numbers, and is compared faster.
const fn order_key(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// The number of an [`order_key`].
const fn of_order_key(key: i64) -> f64 {
    f64::from_bits((key ^ ((key >> 63) as u64 >> 1) as i64) as u64)
}

/// The 95 % percentile interval of ascending bootstrap values.
#[must_use]
pub fn percentile_interval(ascending: &[f64]) -> Option<(f64, f64)> {
    Some((quantile(ascending, 0.025)?, quantile(ascending, 0.975)?))
}

/// Largest number of non-zero differences for which every sign pattern is tried.
const EXACT_SIGNS: usize = 16;
/// Random sign patterns tried beyond that.
const RANDOM_SIGNS: u32 = 20_000;

/// Two-sided p-value of the paired sign-flip test: how often differences whose signs are arbitrary have a mean at
/// least as far from 0. Exact up to 16 non-zero differences, then from 20,000 random patterns. 1 without any.
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
    // Whose sign is arbitrary may as well be positive: so the test gives the same for the opposite differences.
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

/// Exact two-sided McNemar test: `gained` cells turned from no to yes, `lost` from yes to no. 1 when none turned.
#[must_use]
pub fn mcnemar(gained: u32, lost: u32) -> f64 {
    let (n, few) = (gained + lost, gained.min(lost));
    // Binomial tail at one half, in logarithms: n may be in the thousands.
    let mut log_choose = 0.0_f64;
    let mut tail = 0.0;
    for k in 0..=few {
        if k > 0 {
            log_choose += f64::from(n - k + 1).ln() - f64::from(k).ln();
        }
        tail += (log_choose - f64::from(n) * std::f64::consts::LN_2).exp();
    }
    (2.0 * tail).min(1.0)
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
    fn wilson_gives_the_published_examples() {
        let (low, high) = wilson(6.0, 9.0).unwrap();
        close(low, 0.354);
        close(high, 0.879);
        let (low, high) = wilson(45.0, 90.0).unwrap();
        close(low, 0.399);
        close(high, 0.601);
        let n = effective_size(90.0, 3.0, REPEAT_CORRELATION);
        close(n, 38.136);
        let (low, high) = wilson(n / 2.0, n).unwrap();
        close(low, 0.349);
        close(high, 0.651);
        assert_eq!(wilson(0.0, 0.0), None);
        assert_eq!(wilson(0.0, 5.0).unwrap().0, 0.0);
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
    fn mcnemar_is_the_binomial_tail() {
        assert_eq!(mcnemar(0, 0), 1.0);
        close(mcnemar(6, 0), 0.031_25);
        close(mcnemar(8, 2), 0.109_375);
        assert!(mcnemar(3_000, 1_000) < 1e-9);
    }

    #[test]
    fn holm_steps_down() {
        let adjusted = holm(&[0.04, 0.01, 0.03]);
        close(adjusted[0], 0.06);
        close(adjusted[1], 0.03);
        close(adjusted[2], 0.06);
    }

    #[test]
    fn intraclass_knows_the_extremes() {
        assert_eq!(intraclass(&[(3, 3), (0, 3), (3, 3), (0, 3)]), Some(1.0));
        assert_eq!(intraclass(&[(1, 2), (1, 2), (1, 2)]), Some(0.0));
        assert_eq!(intraclass(&[(3, 3), (3, 3)]), None);
        assert_eq!(intraclass(&[(1, 1), (0, 1)]), None);
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

        #[test]
        fn shared_draws_are_the_draws_of_a_bootstrap(values in prop::collection::vec(0.0..100.0_f64, 1..30), seed: u64) {
            let alone = cluster_bootstrap(values.len(), RESAMPLES, seed, |times| {
                Some(times.iter().zip(&values).map(|(n, value)| f64::from(*n) * value).sum())
            });
            let mut shared = Bootstrap::new(seed).draws(values.len()).sums(&values);
            let (low, high) = unsorted_interval(&shared).unwrap();
            let (expected_low, expected_high) = percentile_interval(&alone).unwrap();
            prop_assert!((low - expected_low).abs() < 1e-9 && (high - expected_high).abs() < 1e-9);
            shared.sort_unstable_by(f64::total_cmp);
            prop_assert!(shared.iter().zip(&alone).all(|(a, b)| (a - b).abs() < 1e-9));
        }

        #[test]
        fn the_bootstrap_of_a_mean_is_about_its_mean(values in prop::collection::vec(0.0..100.0_f64, 10..40), seed: u64) {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let found = cluster_bootstrap(values.len(), 500, seed, |times| {
                Some(times.iter().zip(&values).map(|(n, value)| f64::from(*n) * value).sum::<f64>() / values.len() as f64)
            });
            let (low, high) = percentile_interval(&found).unwrap();
            prop_assert!(low <= mean + 1e-9 && mean <= high + 1e-9);
        }
    }
}
