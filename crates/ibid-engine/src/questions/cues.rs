//! Words that show what a question asks for, by language.

use std::sync::OnceLock;

/// Words in one language that show what a question asks for.
#[derive(Debug)]
pub(super) struct Cues {
    pub(super) language: &'static str,
    /// Openings of questions that ask for an explanation.
    explaining: Vec<&'static str>,
    /// Words of a choice.
    choosing: Vec<&'static str>,
    /// Openings of orders.
    ordering: Vec<&'static str>,
}

impl Cues {
    /// Finds a language's words, by its primary tag.
    pub(super) fn of(language: &str) -> Option<&'static Self> {
        let primary = language.split('-').next().unwrap_or(language);
        let primary = if primary == "no" || primary == "nn" {
            "nb"
        } else {
            primary
        };
        all().iter().find(|cues| cues.language == primary)
    }

    /// Whether a question in lower case asks for an explanation, and not for a choice.
    pub(super) fn explains(&self, text: &str) -> bool {
        let opened = self.explaining.iter().any(|opening| self.opens(text, opening));
        opened && !self.chooses(text)
    }

    /// Whether a text in lower case has a word of a choice.
    pub(super) fn chooses(&self, text: &str) -> bool {
        self.choosing.iter().any(|word| self.has(text, word))
    }

    /// Whether a text in lower case begins as an order does.
    pub(super) fn orders(&self, text: &str) -> bool {
        self.ordering.iter().any(|opening| match self.is_unspaced() {
            true => text.ends_with(opening) || text.starts_with(opening),
            false => self.opens(text, opening),
        })
    }

    /// Counts the language's words in a text in lower case.
    pub(super) fn count(&self, text: &str) -> usize {
        let words = self.explaining.iter().chain(&self.choosing);
        words.filter(|word| self.has(text, word)).count()
    }

    fn opens(&self, text: &str, opening: &str) -> bool {
        let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
        if self.is_unspaced() {
            return text.contains(opening);
        }
        text.strip_prefix(opening)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    }

    fn has(&self, text: &str, word: &str) -> bool {
        if self.is_unspaced() {
            return text.contains(word);
        }
        text.match_indices(word).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + word.len()..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        })
    }

    /// Whether words are written without blanks, or grow at their ends.
    pub(super) fn is_unspaced(&self) -> bool {
        matches!(self.language, "ja" | "zh" | "ko")
    }
}

/// Every language.
pub(super) fn all() -> &'static [Cues] {
    static ALL: OnceLock<Vec<Cues>> = OnceLock::new();
    ALL.get_or_init(|| lines(include_str!("cues.txt")).filter_map(read).collect())
}

/// Whether a text in lower case gives orders to a model or speaks of its rules.
pub(super) fn instructs(text: &str) -> bool {
    lines(include_str!("orders.txt")).any(|order| {
        // "in json" and "act as" are words of their own; in most languages an order has endings.
        text.match_indices(order).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + order.len()..].chars().next();
            let is_short = order.is_ascii() && order.len() < 16;
            let goes_on = is_short && after.is_some_and(char::is_alphanumeric);
            !before.is_some_and(char::is_alphanumeric) && !goes_on
        })
    })
}

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn read(line: &'static str) -> Option<Cues> {
    let (language, words) = line.split_once(':')?;
    let mut groups = words
        .split('|')
        .map(|group| group.split(',').map(str::trim).collect::<Vec<_>>());
    Some(Cues {
        language,
        explaining: groups.next()?,
        choosing: groups.next()?,
        ordering: groups.next()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_in_lower_case() {
        assert_eq!(all().len(), lines(include_str!("cues.txt")).count());
        for cues in all() {
            for word in cues.explaining.iter().chain(&cues.choosing).chain(&cues.ordering) {
                assert!(
                    !word.is_empty() && **word == word.to_lowercase(),
                    "{}: {word}",
                    cues.language
                );
            }
        }
        assert!(lines(include_str!("orders.txt")).all(|order| order == order.to_lowercase()));
    }
}
