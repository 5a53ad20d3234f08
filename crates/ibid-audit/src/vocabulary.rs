//! Lists with words and phrases, each written as one text; the long ones are files in `words`.

use std::collections::HashSet;
use std::sync::OnceLock;

/// Splits a list: `|` or a line's end ends an entry, so that one may end with a space.
pub(crate) fn entries(text: &'static str) -> impl Iterator<Item = &'static str> + Clone {
    text.split(['|', '\n']).filter(|word| !word.is_empty())
}

/// A list of words, with `|` between them.
pub(crate) struct Words {
    text: &'static str,
    set: OnceLock<HashSet<&'static str>>,
}

impl Words {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self {
            text,
            set: OnceLock::new(),
        }
    }

    /// Whether the list has the word.
    pub(crate) fn contains(&self, word: &str) -> bool {
        self.set.get_or_init(|| self.iter().collect()).contains(word)
    }

    /// The words in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static str> + Clone {
        entries(self.text)
    }

    /// Whether a text begins with a word of the list.
    pub(crate) fn opens(&self, text: &str) -> bool {
        self.iter().any(|word| text.starts_with(word))
    }

    /// Whether a text has a word of the list, alone or inside another word.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.iter().any(|word| text.contains(word))
    }
}
