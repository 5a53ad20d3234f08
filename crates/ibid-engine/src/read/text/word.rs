//! Splits a text into words: its longest runs of letters, digits and marks on them.

use super::script::is_word;

/// Whether an ASCII byte is part of a word.
/// This table decides nearly all bytes of nearly all answers.
pub(super) const WORD: [bool; 256] = {
    let mut word = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        word[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    word
};

/// What a byte does in a word: outside, part of it, or part of a character that is not ASCII.
type Table = [u8; 256];

const OUTSIDE: u8 = 0;
const INSIDE: u8 = 1;
const WIDE: u8 = 2;

const fn table(apostrophes: bool) -> Table {
    let mut table = [WIDE; 256];
    let mut byte = 0;
    while byte < 128 {
        let inside = WORD[byte] || apostrophes && byte == b'\'' as usize;
        table[byte] = if inside { INSIDE } else { OUTSIDE };
        byte += 1;
    }
    table
}

static PLAIN: Table = table(false);
static ELIDED: Table = table(true);

/// Splits a text into words, in order.
pub(in crate::read) fn words(text: &str) -> Words<'_> {
    Words {
        text,
        at: 0,
        table: &PLAIN,
    }
}

/// Splits a text into words, in order.
/// An apostrophe joins the letters around it, or belongs to the word next to it.
pub(in crate::read) fn elided_words(text: &str) -> Words<'_> {
    Words {
        text,
        at: 0,
        table: &ELIDED,
    }
}

/// Iterates over words in a text.
#[derive(Clone, Debug)]
pub(in crate::read) struct Words<'a> {
    text: &'a str,
    at: usize,
    table: &'static Table,
}

impl<'a> Words<'a> {
    /// Where the run at `at` ends, either of characters inside words or outside them.
    #[inline]
    fn end_of_run(&self, mut at: usize, side: u8) -> usize {
        while let Some(byte) = self.text.as_bytes().get(at) {
            let kind = self.table[usize::from(*byte)];
            if kind == side {
                at += 1;
                continue;
            }
            let wide = self.text[at..].chars().next().filter(|_| kind == WIDE);
            match wide {
                Some(c) if is_word(c) == (side == INSIDE) => at += c.len_utf8(),
                Some(_) | None => break,
            }
        }
        at
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            let start = self.end_of_run(self.at, OUTSIDE);
            let end = self.end_of_run(start, INSIDE);
            self.at = end;
            let word = self.text.get(start..end).filter(|word| !word.is_empty())?;
            // Apostrophes alone are no word.
            if !word.starts_with('\'') || word.bytes().any(|byte| byte != b'\'') {
                return Some(word);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_are_what_splitting_leaves(text in "(\\PC|[a-z' .é]){0,40}") {
            let plain: Vec<&str> = text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).collect();
            prop_assert_eq!(words(&text).collect::<Vec<_>>(), plain);
            let elided: Vec<&str> = text
                .split(|c: char| !is_word(c) && c != '\'')
                .filter(|word| word.contains(is_word))
                .collect();
            prop_assert_eq!(elided_words(&text).collect::<Vec<_>>(), elided);
        }
    }
}
