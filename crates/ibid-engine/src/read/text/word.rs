//! The words of a text: its longest runs of letters, digits and marks on them.

use super::script::is_word;

/// Whether a byte of ASCII is part of a word. Nearly all bytes of nearly all answers are decided by this table.
pub(super) const WORD: [bool; 256] = {
    let mut word = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        word[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    word
};

/// The words of a text, in order.
pub(in crate::read) fn words(text: &str) -> Words<'_> {
    Words {
        text,
        at: 0,
        apostrophes: false,
    }
}

/// The words of a text, in order; an apostrophe joins what stands around it, or belongs to the word beside it.
pub(in crate::read) fn elided_words(text: &str) -> Words<'_> {
    Words {
        text,
        at: 0,
        apostrophes: true,
    }
}

/// The words of a text.
#[derive(Clone, Debug)]
pub(in crate::read) struct Words<'a> {
    text: &'a str,
    at: usize,
    apostrophes: bool,
}

impl<'a> Words<'a> {
    /// The length of the run of characters at `at` that are part of a word, or that are not.
    fn run(&self, mut at: usize, inside: bool) -> usize {
        let bytes = self.text.as_bytes();
        let start = at;
        while let Some(byte) = bytes.get(at) {
            if byte.is_ascii() {
                let word = WORD[usize::from(*byte)] || self.apostrophes && *byte == b'\'';
                if word != inside {
                    break;
                }
                at += 1;
            } else {
                let Some(c) = self.text[at..].chars().next().filter(|c| is_word(*c) == inside) else {
                    break;
                };
                at += c.len_utf8();
            }
        }
        at - start
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            let start = self.at + self.run(self.at, false);
            let end = start + self.run(start, true);
            self.at = end;
            let word = self.text.get(start..end).filter(|word| !word.is_empty())?;
            // Apostrophes alone are no word.
            if !self.apostrophes || word.bytes().any(|byte| byte != b'\'') {
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
