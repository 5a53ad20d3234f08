//! The names of a target, ready to be found.

use super::fold::{Folded, squash};
use crate::read::Target;
use ibid_model::Domain;

/// The target's names, squashed.
pub(super) struct Names<'a> {
    target: &'a Target,
    squashed: Vec<String>,
}

impl<'a> Names<'a> {
    pub(super) fn of(target: &'a Target) -> Self {
        let mut squashed: Vec<String> = Vec::new();
        for alias in target.aliases() {
            let name = squash(&alias.name);
            // One or two letters are in every text.
            if name.chars().count() > 2 && !squashed.contains(&name) {
                squashed.push(name);
            }
        }
        Self { target, squashed }
    }

    pub(super) fn domain(&self) -> &Domain {
        self.target.domain()
    }

    pub(super) fn squashed(&self) -> &[String] {
        &self.squashed
    }

    /// Whether a text names the target as whole words, in any spelling.
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        let folded = Folded::new(text, |_| false);
        self.squashed.iter().any(|name| !folded.find(name).is_empty())
    }

    /// A name to show.
    pub(super) fn display(&self) -> String {
        let first = self.target.aliases().first();
        first.map_or_else(|| self.domain().to_unicode(), |alias| alias.name.clone())
    }
}
