//! Short lists of words, as data: the rows of `lists.txt`.

use crate::read::text::plain;
use rustc_hash::FxHashSet;
use std::sync::OnceLock;

/// One row of the table.
pub(in crate::read) struct List {
    row: &'static str,
    items: OnceLock<Vec<&'static str>>,
    known: OnceLock<FxHashSet<&'static str>>,
    folded: OnceLock<FxHashSet<String>>,
}

/// The list with this name. A name without a row does not compile.
#[expect(clippy::panic, reason = "lists are constants: it ends the compilation")]
pub(in crate::read) const fn list(name: &str) -> List {
    let mut rest = include_str!("lists.txt");
    while !rest.is_empty() {
        let (row, behind) = first_line(rest);
        if let Some(row) = behind_name(row, name.as_bytes()) {
            return List {
                row,
                items: OnceLock::new(),
                known: OnceLock::new(),
                folded: OnceLock::new(),
            };
        }
        rest = behind;
    }
    panic!("lists.txt has no such row")
}

const fn first_line(text: &str) -> (&str, &str) {
    let mut end = 0;
    while text.as_bytes()[end] != b'\n' {
        end += 1;
    }
    (text.split_at(end).0, text.split_at(end + 1).1)
}

/// The items of a row with this name.
const fn behind_name<'a>(row: &'a str, name: &[u8]) -> Option<&'a str> {
    const SIGN: usize = " = ".len();
    let bytes = row.as_bytes();
    if bytes.len() < name.len() + SIGN || bytes[name.len()] != b' ' {
        return None;
    }
    let mut at = 0;
    while at < name.len() {
        if bytes[at] != name[at] {
            return None;
        }
        at += 1;
    }
    Some(row.split_at(name.len() + SIGN).1)
}

impl List {
    /// The items, in the order of the table.
    pub(in crate::read) fn all(&self) -> &[&'static str] {
        self.items.get_or_init(|| self.row.split('|').collect())
    }

    /// The items, one by one.
    pub(in crate::read) fn iter(&self) -> std::slice::Iter<'_, &'static str> {
        self.all().iter()
    }

    /// Whether a word is one of the items.
    pub(in crate::read) fn has(&self, word: &str) -> bool {
        let known = self.known.get_or_init(|| self.iter().copied().collect());
        known.contains(word)
    }

    /// Every item folded, each once.
    pub(in crate::read) fn folded(&self) -> &FxHashSet<String> {
        self.folded
            .get_or_init(|| self.iter().map(|item| plain(item).into()).collect())
    }

    /// Whether a folded word is one of the items, or goes on from one of at least four letters.
    pub(in crate::read) fn has_stem_of(&self, word: &str) -> bool {
        let stems = self.folded();
        let mut longer = word.char_indices().skip(4);
        stems.contains(word) || longer.any(|(end, _)| stems.contains(&word[..end]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_blanks_and_their_order() {
        static JOINTS: List = list("owners.joints");
        assert!(JOINTS.has(" and ") && !JOINTS.has("and"));
        assert_eq!(JOINTS.iter().next(), Some(&" & "));
    }
}
