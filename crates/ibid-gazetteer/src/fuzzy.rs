//! Names within a few typing errors of a text.
//!
//! An error is an extra, missing or wrong letter, or two swapped neighbours (optimal string alignment).
//! Names are stored by length with a signature of their letters.
//! Two errors change at most four bits of a signature,
//! so one comparison of numbers rules out nearly all names.
//! The rest are aligned letter by letter.
//! The cost is bounded by the number of names for every text.
//! An index of deletions would take several hundred megabytes, and an automaton as long as a walk over all names.

use fst::raw::Fst;
use fst::{IntoStreamer, Streamer};

/// Longest text, in letters, that is searched for.
pub(crate) const MAX_LETTERS: usize = 40;
/// Most errors that can be asked for.
const MAX_ERRORS: u8 = 2;

/// A name that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Near {
    /// The value that the transducer holds for it.
    pub(crate) value: u64,
    /// How many errors lie between it and the text.
    pub(crate) errors: u8,
}

/// Names by length.
pub(crate) struct NameIndex {
    lengths: Vec<NamesOfLength>,
}

#[derive(Default)]
struct NamesOfLength {
    signatures: Vec<u64>,
    values: Vec<u64>,
    /// All names' letters, one name after the other.
    letters: Vec<Letter>,
}

/// A letter of a name.
///
/// No name contains letters beyond the first plane of Unicode, so they all map to one value.
type Letter = u16;

fn letter(c: char) -> Letter {
    Letter::try_from(u32::from(c)).unwrap_or(Letter::MAX)
}

impl NameIndex {
    /// Indexes the names of a transducer whose values are `wanted`.
    pub(crate) fn new(names: &Fst<&'static [u8]>, wanted: impl Fn(u64) -> bool) -> Self {
        let mut lengths: Vec<NamesOfLength> =
            (0..=MAX_LETTERS + 2).map(|_| NamesOfLength::default()).collect();
        let mut stream = names.range().into_stream();
        while let Some((key, value)) = stream.next() {
            let Ok(name) = std::str::from_utf8(key) else {
                continue;
            };
            let length = name.chars().count();
            if let Some(names) = lengths.get_mut(length).filter(|_| wanted(value.value())) {
                names.signatures.push(signature(name.chars()));
                names.values.push(value.value());
                names.letters.extend(name.chars().map(letter));
            }
        }
        for names in &mut lengths {
            names.signatures.shrink_to_fit();
            names.values.shrink_to_fit();
            names.letters.shrink_to_fit();
        }
        Self { lengths }
    }

    /// All names within `errors` (at most two) errors of `text`, unordered.
    pub(crate) fn near(&self, text: &str, errors: u8) -> Vec<Near> {
        let query: Vec<Letter> = text.chars().map(letter).collect();
        if query.is_empty() || query.len() > MAX_LETTERS {
            return Vec::new();
        }
        let errors = errors.min(MAX_ERRORS);
        let slack = usize::from(errors);
        let wanted = signature(text.chars());
        let mut found = Vec::new();
        for length in query.len().saturating_sub(slack).max(1)..=query.len() + slack {
            let Some(names) = self.lengths.get(length) else {
                continue;
            };
            for (index, signature) in names.signatures.iter().enumerate() {
                if !differs_in_at_most(signature ^ wanted, 2 * errors) {
                    continue;
                }
                let letters = names.letters.get(index * length..(index + 1) * length);
                if let (Some(letters), Some(value)) = (letters, names.values.get(index))
                    && let Some(errors) = distance(&query, letters, errors)
                {
                    found.push(Near {
                        value: *value,
                        errors,
                    });
                }
            }
        }
        found
    }
}

/// Whether at most this many bits are set.
///
/// Drops the lowest bits, because that is faster than counting unless the target has an instruction for it.
#[inline]
fn differs_in_at_most(mut bits: u64, most: u8) -> bool {
    for _ in 0..most {
        bits &= bits.wrapping_sub(1);
    }
    bits == 0
}

/// One bit for each letter that occurs.
fn signature(letters: impl Iterator<Item = char>) -> u64 {
    letters.fold(0, |bits, letter| {
        let bit = match letter {
            'a'..='z' => u32::from(letter) - u32::from('a'),
            other => 26 + u32::from(other) % 38,
        };
        bits | 1 << bit
    })
}

/// Counts the errors between two texts, if there are at most `most`.
fn distance(a: &[Letter], b: &[Letter], most: u8) -> Option<u8> {
    const WIDTH: usize = MAX_LETTERS + 4;
    let slack = usize::from(most);
    if a.len().abs_diff(b.len()) > slack || b.len() + 1 > WIDTH {
        return None;
    }
    let far = most + 1;
    let mut before = [far; WIDTH];
    let mut last = [far; WIDTH];
    for (cell, index) in last.iter_mut().zip(0..=most) {
        *cell = index;
    }
    for (i, &x) in a.iter().enumerate() {
        let mut row = [far; WIDTH];
        let (from, to) = (i.saturating_sub(slack), (i + slack + 1).min(b.len()));
        if i < slack {
            row[0] = u8::try_from(i + 1).unwrap_or(far);
        }
        let mut smallest = row[0];
        for (j, &y) in b.iter().enumerate().take(to).skip(from) {
            let mut best = last.get(j).map_or(far, |cell| cell + u8::from(x != y));
            best = best.min(last.get(j + 1).map_or(far, |cell| cell + 1));
            best = best.min(row.get(j).map_or(far, |cell| cell + 1));
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(&y) && b.get(j - 1) == Some(&x);
            if swapped {
                best = best.min(before.get(j - 1).map_or(far, |cell| cell + 1));
            }
            if let Some(cell) = row.get_mut(j + 1) {
                *cell = best.min(far);
            }
            smallest = smallest.min(best);
        }
        if smallest > most {
            return None;
        }
        before = last;
        last = row;
    }
    last.get(b.len()).copied().filter(|errors| *errors <= most)
}

/// Finds names that start with `text`, at most `most`, and returns their values.
pub(crate) fn completions(names: &Fst<&'static [u8]>, text: &str, most: usize) -> Vec<u64> {
    let mut values = Vec::new();
    let mut stream = names.range().ge(text).into_stream();
    while let Some((key, value)) = stream.next() {
        if !key.starts_with(text.as_bytes()) || values.len() == most {
            break;
        }
        values.push(value.value());
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// The textbook table, whole.
    fn alignment(a: &str, b: &str) -> usize {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let changed = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let mut best = changed.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        best = best.min(table[i - 2][j - 2] + 1);
                    }
                    best
                };
            }
        }
        table[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn agrees_with_the_whole_table(
            names in proptest::collection::btree_set("[abcé東 ]{1,7}", 1..40),
            text in "[abcé東 ]{1,7}",
            errors in 0..=2u8,
        ) {
            let names: BTreeMap<&str, u64> = names.iter().map(String::as_str).zip(0..).collect();
            let fst = fst::Map::from_iter(names.iter().map(|(name, value)| (name, *value))).unwrap();
            let bytes: &'static [u8] = fst.into_fst().into_inner().leak();
            let index = NameIndex::new(&Fst::new(bytes).unwrap(), |_| true);
            let mut found: Vec<(u64, u8)> =
                index.near(&text, errors).iter().map(|n| (n.value, n.errors)).collect();
            let mut expected: Vec<(u64, u8)> = names
                .iter()
                .map(|(name, value)| (*value, u8::try_from(alignment(name, &text)).unwrap()))
                .filter(|(_, distance)| *distance <= errors)
                .collect();
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
