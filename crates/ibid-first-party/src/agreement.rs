//! Agreement between samples and what really happened: a rank correlation with its range.

use crate::breaks::Break;
use crate::row::{Measure, Period, RowSet, Source, Subject};
use serde::Serialize;
use std::collections::BTreeMap;

/// Fewer pairs than this say nothing, since even the range for eight covers most of what is possible.
pub const FEWEST_PAIRS: usize = 8;
/// The 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_964;

/// How far two measures put the same things in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Agreement {
    /// Under [`FEWEST_PAIRS`].
    NotEnough { pairs: usize },
    /// They have no order, because all values of one measure are equal.
    NoOrder { pairs: usize },
    /// All values are from days over which the tool counted wrongly.
    Void(Break),
    Measured {
        pairs: usize,
        /// Spearman's rank correlation, −1 to 1; equal values share their rank.
        rho: f64,
        /// Where its 95 % range begins, -1 to 1.
        low: f64,
        high: f64,
    },
}

/// Correlates pairs by rank, with a 95 % range by Fisher's transformation and the variance after Bonett and Wright (2000),
/// (1 + ρ²/2) / (n − 3). docs/METHOD.md has its simulated coverage.
///
/// ```
/// use ibid_first_party::agreement::{Agreement, agreement};
///
/// let pairs: Vec<(f64, f64)> = (0..20).map(|n| (f64::from(n), f64::from(n / 2))).collect();
/// let Agreement::Measured { rho, low, .. } = agreement(&pairs) else { panic!() };
/// assert!(rho > 0.99 && low > 0.9);
/// assert_eq!(agreement(&pairs[..7]), Agreement::NotEnough { pairs: 7 });
/// ```
pub fn agreement(pairs: &[(f64, f64)]) -> Agreement {
    let count = pairs.len();
    if count < FEWEST_PAIRS {
        return Agreement::NotEnough { pairs: count };
    }
    let left = ranks(pairs.iter().map(|pair| pair.0));
    let right = ranks(pairs.iter().map(|pair| pair.1));
    let Some(rho) = correlation(&left, &right) else {
        return Agreement::NoOrder { pairs: count };
    };
    let error = ((1.0 + rho * rho / 2.0) / (count as f64 - 3.0)).sqrt();
    // An order without one exchange has no finite transform.
    let middle = rho.clamp(-0.999, 0.999).atanh();
    Agreement::Measured {
        pairs: count,
        rho,
        low: (middle - Z * error).tanh(),
        high: (middle + Z * error).tanh(),
    }
}

/// Ranks from 1; equal values share the mean of theirs.
fn ranks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let values: Vec<f64> = values.collect();
    let mut order: Vec<(usize, f64)> = values.iter().copied().enumerate().collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for group in order.chunk_by(|a, b| a.1 == b.1) {
        let shared = start as f64 + (group.len() as f64 + 1.0) / 2.0;
        for (place, _) in group {
            if let Some(rank) = ranks.get_mut(*place) {
                *rank = shared;
            }
        }
        start += group.len();
    }
    ranks
}

/// Pearson's correlation; `None` where a side has no variance.
fn correlation(left: &[f64], right: &[f64]) -> Option<f64> {
    let count = left.len() as f64;
    let mean = |side: &[f64]| side.iter().sum::<f64>() / count;
    let (a, b) = (mean(left), mean(right));
    let sums = left.iter().zip(right).fold([0.0; 3], |[ab, aa, bb], (x, y)| {
        [ab + (x - a) * (y - b), aa + (x - a).powi(2), bb + (y - b).powi(2)]
    });
    let [ab, aa, bb] = sums;
    (aa > 0.0 && bb > 0.0).then(|| (ab / (aa * bb).sqrt()).clamp(-1.0, 1.0))
}

/// A measure of the website's own data, compared with the samples, over pages or topics.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    pub of: Compared,
    pub source: Source,
    pub measure: Measure,
    pub agreement: Agreement,
    /// Those with a value that no sampled answer cites, largest first. Topics: those without a question.
    pub only_there: Vec<(String, f64)>,
    /// Those that sampled answers cite and that have no value, most cited first.
    pub only_here: Vec<(String, f64)>,
}

/// The things that two measures put in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Compared {
    /// Pages: one that a side lacks counts 0 there.
    Pages,
    /// Topics: one without questions, or that the tool does not have, counts on no side.
    Topics,
}

/// Compares every measure for pages with how many sampled answers cite them.
///
/// `cited` has the pages in the form of [`page_key`](crate::page_key).
pub fn compare(rows: &RowSet, cited: &[(String, f64)]) -> Vec<Comparison> {
    compare_as(Compared::Pages, rows, pages, cited)
}

/// Compares measures for topics with how many answers to their questions cite the website. Upper and lower
/// case are one.
pub fn compare_topics(rows: &RowSet, cited: &[(String, f64)]) -> Vec<Comparison> {
    let cited: Vec<(String, f64)> = cited
        .iter()
        .map(|(topic, share)| (topic.to_lowercase(), *share))
        .collect();
    let folded = |rows: &RowSet| {
        let mut there: ValuesByMeasure = BTreeMap::new();
        for (key, topics) in topics(rows) {
            let folded = there.entry(key).or_default();
            for (topic, value) in topics {
                *folded.entry(topic.to_lowercase()).or_default() += value;
            }
        }
        there
    };
    compare_as(Compared::Topics, rows, folded, &cited)
}

/// Wrong values count on no side. A measure that has no others is void.
fn compare_as(
    of: Compared,
    rows: &RowSet,
    values: impl Fn(&RowSet) -> ValuesByMeasure,
    cited: &[(String, f64)],
) -> Vec<Comparison> {
    let (mut sound, mut broken) = (Vec::new(), BTreeMap::new());
    for row in rows.iter() {
        match Break::that_voids(&row) {
            Some(found) => drop(broken.insert((row.source, row.measure), found)),
            None => sound.push(row),
        }
    }
    let sound = values(&sound.into_iter().collect());
    let void = values(rows).into_keys().filter(|key| !sound.contains_key(key));
    let void: Vec<_> = void.filter_map(|key| broken.remove(&key)).collect();
    let mut here: BTreeMap<&str, f64> = BTreeMap::new();
    for (name, share) in cited {
        *here.entry(name).or_default() += share;
    }
    let largest_first = |mut names: Vec<(String, f64)>| {
        names.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        names
    };
    let compared = sound.into_iter().map(|((source, measure), there)| {
        let mut pairs: Vec<(f64, f64)> = Vec::new();
        let (mut only_there, mut only_here) = (Vec::new(), Vec::new());
        for (name, value) in &there {
            let share = here.get(name.as_str()).copied();
            match (of, share) {
                (Compared::Topics, None) => {}
                (Compared::Topics | Compared::Pages, share) => pairs.push((share.unwrap_or(0.0), *value)),
            }
            let is_absent = match of {
                Compared::Pages => share.unwrap_or(0.0) == 0.0,
                Compared::Topics => share.is_none(),
            };
            if is_absent && *value > 0.0 {
                only_there.push((name.clone(), *value));
            }
        }
        for (name, share) in &here {
            if *share > 0.0 && there.get(*name).is_none_or(|value| *value == 0.0) {
                only_here.push(((*name).to_owned(), *share));
            }
            if of == Compared::Pages && !there.contains_key(*name) {
                pairs.push((*share, 0.0));
            }
        }
        Comparison {
            of,
            source,
            measure,
            agreement: agreement(&pairs),
            only_there: largest_first(only_there),
            only_here: largest_first(only_here),
        }
    });
    let void = void.into_iter().map(|found| Comparison {
        of,
        source: found.source,
        measure: found.measure,
        agreement: Agreement::Void(found),
        only_there: Vec::new(),
        only_here: Vec::new(),
    });
    compared.chain(void).collect()
}

/// Values by name, for each tool and measure.
pub(crate) type ValuesByMeasure = BTreeMap<(Source, Measure), BTreeMap<String, f64>>;

/// Adds up every page's days, or else takes its latest period.
pub(crate) fn pages(rows: &RowSet) -> ValuesByMeasure {
    values_of(rows, |subject| match subject {
        Subject::Page(page) => Some(page),
        Subject::Query(_) | Subject::Topic(_) => None,
    })
}

/// The same for topics as [`pages`].
pub(crate) fn topics(rows: &RowSet) -> ValuesByMeasure {
    values_of(rows, |subject| match subject {
        Subject::Topic(topic) => Some(topic),
        Subject::Page(_) | Subject::Query(_) => None,
    })
}

fn values_of(rows: &RowSet, name: fn(Subject) -> Option<String>) -> ValuesByMeasure {
    let mut days = ValuesByMeasure::new();
    let mut periods: BTreeMap<(Source, Measure), BTreeMap<String, (Period, f64)>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.measure.is_count()) {
        let Some(name) = row.subject.and_then(name) else {
            continue;
        };
        let key = (row.source, row.measure);
        match row.period {
            Period::Day { .. } => *days.entry(key).or_default().entry(name).or_default() += row.value,
            Period::Range { .. } | Period::Until { .. } => {
                let known = periods.entry(key).or_default();
                let known = known.entry(name).or_insert((row.period, 0.0));
                if row.period == known.0 {
                    known.1 += row.value;
                } else if row.period.end() >= known.0.end() {
                    *known = (row.period, row.value);
                }
            }
        }
    }
    for (key, names) in periods {
        days.entry(key).or_insert_with(|| {
            names
                .into_iter()
                .map(|(name, (_, value))| (name, value))
                .collect()
        });
    }
    days
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Row;
    use jiff::civil::{Date, date};

    /// A small generator: the simulation is the same on every machine.
    struct Draws(u64);

    impl Draws {
        fn uniform(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let bits = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd) >> 11;
            (bits as f64 + 0.5) / (1_u64 << 53) as f64
        }

        fn normal(&mut self) -> f64 {
            (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
        }

        /// A share of sampled answers and a count, which correlate; many pages have none of either.
        fn pair(&mut self, r: f64, has_ties: bool) -> (f64, f64) {
            let (a, b) = (self.normal(), self.normal());
            let b = r * a + (1.0 - r * r).sqrt() * b;
            if has_ties {
                ((a * 4.0).floor().max(-2.0), (b.exp() * 3.0).floor())
            } else {
                (a, b)
            }
        }
    }

    fn rho(pairs: &[(f64, f64)]) -> f64 {
        match agreement(pairs) {
            Agreement::Measured { rho, .. } => rho,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn ranges_cover_the_truth() {
        let mut draws = Draws(7);
        let mut least: f64 = 1.0;
        for has_ties in [false, true] {
            for r in [0.0, 0.6, 0.9] {
                let many: Vec<_> = (0..20_000).map(|_| draws.pair(r, has_ties)).collect();
                let truth = rho(&many);
                for pages in [8, 20, 50] {
                    let (mut covered, mut measured, mut width) = (0, 0, 0.0);
                    for _ in 0..400 {
                        let pairs: Vec<_> = (0..pages).map(|_| draws.pair(r, has_ties)).collect();
                        if let Agreement::Measured { low, high, .. } = agreement(&pairs) {
                            measured += 1;
                            covered += u32::from(low <= truth && truth <= high);
                            width += high - low;
                        }
                    }
                    let coverage = f64::from(covered) / f64::from(measured);
                    println!(
                        "ties {has_ties} rho {truth:.2} pages {pages}: coverage {coverage:.3}, width {:.2}",
                        width / f64::from(measured)
                    );
                    least = least.min(coverage);
                }
            }
        }
        // Three standard errors of 400 draws are .03. With 2,000 draws and up to 200 pages it is .942.
        assert!(least >= 0.92, "{least}");
    }

    #[test]
    fn equal_values_share_their_rank() {
        // By hand: ranks 1.5 1.5 3 4 5 6 7 8 and 1 2 3.5 3.5 5 6 7 8.
        let left = [1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        let right = [1.0, 2.0, 3.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        let pairs: Vec<_> = left.into_iter().zip(right).collect();
        assert!((rho(&pairs) - 41.0 / 41.5).abs() < 1e-12, "{}", rho(&pairs));
        let turned: Vec<_> = pairs.iter().map(|(a, b)| (*a, -b)).collect();
        assert!((rho(&turned) + rho(&pairs)).abs() < 1e-12);
    }

    #[test]
    fn values_without_an_order_say_so() {
        assert_eq!(agreement(&[(1.0, 2.0); 9]), Agreement::NoOrder { pairs: 9 });
        assert_eq!(agreement(&[]), Agreement::NotEnough { pairs: 0 });
    }

    #[test]
    fn wrong_days_count_on_no_side() {
        let row = |page: usize, day: Date| Row {
            source: Source::SearchConsoleAi,
            period: Period::Day { day },
            subject: Some(Subject::Page(format!("a.example/{page}"))),
            by: None,
            measure: Measure::Impressions,
            value: page as f64,
            as_of: None,
        };
        let cited: Vec<(String, f64)> = (0..9)
            .map(|page| (format!("a.example/{page}"), 0.1 * page as f64))
            .collect();
        let (wrong, sound) = (date(2026, 4, 27), date(2026, 4, 28));
        let void: RowSet = (0..9).map(|page| row(8 - page, wrong)).collect();
        let [compared] = &compare(&void, &cited)[..] else {
            panic!()
        };
        assert!(matches!(compared.agreement, Agreement::Void(_)), "{compared:?}");
        // The opposite order of the wrong days changes nothing in that of the sound ones.
        let both: RowSet = (0..9)
            .flat_map(|page| {
                [
                    row(page, sound),
                    Row {
                        value: 900.0 - page as f64,
                        ..row(page, wrong)
                    },
                ]
            })
            .collect();
        let [compared] = &compare(&both, &cited)[..] else {
            panic!()
        };
        let Agreement::Measured { rho, .. } = compared.agreement else {
            panic!("{compared:?}")
        };
        assert!(rho > 0.999, "{rho}");
    }
}
