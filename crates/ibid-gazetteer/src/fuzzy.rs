//! Names within a few typing errors of a text.
//!
//! The transducer is walked like a trie, and one row of the distance table is kept for each letter on the way
//! (optimal string alignment: insert, drop, change, or swap two neighbours, each one error). A branch is left
//! as soon as its row holds nothing small enough. Only a band around the diagonal can be small enough, so a
//! step costs a handful of additions. There is no automaton to build, hence nothing to pay before the first
//! step and nothing to keep; the number of steps is bounded, whatever the text.

use fst::raw::{CompiledAddr, Fst, Output};

/// Longest text, in letters, that is searched for.
pub(crate) const MAX_LETTERS: usize = 40;
/// Most nodes visited by one search.
const MAX_STEPS: u32 = 600_000;
/// Most errors that can be asked for.
const MAX_ERRORS: u8 = 2;

/// A name that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Near {
    /// What the transducer holds for it.
    pub(crate) value: u64,
    /// How many errors lie between.
    pub(crate) errors: u8,
}

/// All names within `errors` (at most two) errors of `text`, in no particular order.
pub(crate) fn near(names: &Fst<&'static [u8]>, text: &str, errors: u8) -> Vec<Near> {
    let query: Vec<char> = text.chars().collect();
    if query.is_empty() || query.len() > MAX_LETTERS {
        return Vec::new();
    }
    let errors = errors.min(MAX_ERRORS);
    let width = query.len() + 1;
    let mut walk = Walk {
        names,
        width,
        rows: vec![u8::MAX; width * (query.len() + usize::from(errors) + 2)],
        path: vec!['\0'; query.len() + usize::from(errors) + 1],
        query,
        errors,
        steps: MAX_STEPS,
        found: Vec::new(),
    };
    for (cell, index) in walk.rows.iter_mut().zip(0..width) {
        *cell = u8::try_from(index).unwrap_or(u8::MAX).min(errors + 1);
    }
    walk.visit(names.root().addr(), Output::zero(), 0, Letter::default());
    walk.found
}

/// The values of all names that start with `text`, at most `most`.
pub(crate) fn completions(names: &Fst<&'static [u8]>, text: &str, most: usize) -> Vec<u64> {
    use fst::{IntoStreamer, Streamer};
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

/// The bytes of a letter seen so far.
#[derive(Clone, Copy, Default)]
struct Letter {
    bytes: [u8; 4],
    seen: usize,
}

impl Letter {
    fn push(mut self, byte: u8) -> Self {
        if let Some(slot) = self.bytes.get_mut(self.seen) {
            *slot = byte;
            self.seen += 1;
        }
        self
    }

    fn complete(&self) -> Option<char> {
        let [first, ..] = self.bytes;
        let length = match first {
            0..0x80 => 1,
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0.. => 4,
        };
        if self.seen < length {
            return None;
        }
        std::str::from_utf8(self.bytes.get(..length)?)
            .ok()?
            .chars()
            .next()
    }
}

struct Walk<'a> {
    names: &'a Fst<&'static [u8]>,
    query: Vec<char>,
    width: usize,
    /// Row `n` of the distance table belongs to the first `n` letters of the path.
    rows: Vec<u8>,
    path: Vec<char>,
    errors: u8,
    steps: u32,
    found: Vec<Near>,
}

impl Walk<'_> {
    fn visit(&mut self, address: CompiledAddr, output: Output, depth: usize, letter: Letter) {
        if self.steps == 0 {
            return;
        }
        self.steps -= 1;
        let node = self.names.node(address);
        if letter.seen == 0 && node.is_final() {
            let errors = self.cell(depth, self.query.len());
            if errors <= self.errors {
                self.found.push(Near {
                    value: output.cat(node.final_output()).value(),
                    errors,
                });
            }
        }
        for transition in node.transitions() {
            let output = output.cat(transition.out);
            let letter = letter.push(transition.inp);
            match letter.complete() {
                None if letter.seen < 4 => self.visit(transition.addr, output, depth, letter),
                Some(c) if self.extend(depth, c) => {
                    self.visit(transition.addr, output, depth + 1, Letter::default());
                }
                None | Some(_) => {}
            }
        }
    }

    fn cell(&self, row: usize, column: usize) -> u8 {
        self.rows
            .get(row * self.width + column)
            .copied()
            .unwrap_or(u8::MAX)
    }

    /// Fills the row after `depth` letters and one more; says whether anything in it is small enough.
    fn extend(&mut self, depth: usize, c: char) -> bool {
        let reach = usize::from(self.errors);
        let row = depth + 1;
        if row > self.query.len() + reach {
            return false;
        }
        if let Some(slot) = self.path.get_mut(depth) {
            *slot = c;
        }
        let low = row.saturating_sub(reach);
        let high = (row + reach).min(self.query.len());
        let base = row * self.width;
        let too_many = self.errors + 1;
        let mut any = false;
        // What lies just outside the band was written for another path.
        if low > 0 {
            self.set(base + low - 1, too_many);
        }
        for column in low..=high {
            let mut best = if column == 0 {
                u8::try_from(row).unwrap_or(u8::MAX)
            } else {
                let letter = self.query.get(column - 1).copied().unwrap_or_default();
                let changed = self
                    .cell(row - 1, column - 1)
                    .saturating_add(u8::from(letter != c));
                let dropped = self.cell(row, column - 1).saturating_add(1);
                let mut best = changed.min(dropped);
                if column < row + reach {
                    best = best.min(self.cell(row - 1, column).saturating_add(1));
                }
                if row > 1
                    && column > 1
                    && self.query.get(column - 2) == Some(&c)
                    && self.path.get(depth - 1) == Some(&letter)
                {
                    best = best.min(self.cell(row - 2, column - 2).saturating_add(1));
                }
                best
            };
            best = best.min(too_many);
            any |= best <= self.errors;
            self.set(base + column, best);
        }
        if high < self.query.len() {
            self.set(base + high + 1, too_many);
        }
        any
    }

    fn set(&mut self, index: usize, value: u8) {
        if let Some(cell) = self.rows.get_mut(index) {
            *cell = value;
        }
    }
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
            let mut found: Vec<(u64, u8)> =
                near(&Fst::new(bytes).unwrap(), &text, errors).iter().map(|n| (n.value, n.errors)).collect();
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
