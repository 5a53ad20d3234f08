//! Colours for a terminal.

use ibid_audit::columns;

/// Whether to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    /// Plain text.
    Plain,
    /// SGR sequences.
    Colour,
}

/// What a piece of text stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Strong,
    Faint,
    Good,
    Middling,
    Bad,
}

impl Paint {
    /// Returns whether to colour, as `--color` defines.
    /// The default is colour on a terminal, unless `NO_COLOR` is set (<https://no-color.org>).
    pub(crate) fn for_terminal(is_terminal: bool) -> Self {
        if crate::color::is_wanted(is_terminal) {
            Self::Colour
        } else {
            Self::Plain
        }
    }

    /// Formats a text in a tone.
    pub(crate) fn text(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Strong => "1",
            Tone::Faint => "2",
            Tone::Good => "32",
            Tone::Middling => "33",
            Tone::Bad => "31",
        };
        match self {
            Self::Plain => text.to_owned(),
            Self::Colour => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }

    /// Draws a bar of `width` cells and fills `share` per cent.
    pub(crate) fn bar(self, share: u8, width: usize) -> String {
        let full = (usize::from(share) * width + 50) / 100;
        let full = full.min(width);
        let bar = self.text(tone(share), &"█".repeat(full));
        format!("{bar}{}", self.text(Tone::Faint, &"░".repeat(width - full)))
    }
}

pub(crate) fn tone(score: u8) -> Tone {
    match score {
        70.. => Tone::Good,
        50..70 => Tone::Middling,
        0..50 => Tone::Bad,
    }
}

/// Breaks text into lines of at most `width` columns, at spaces where there are any.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let gap = usize::from(!line.is_empty());
        if columns(&line) + gap + columns(word) <= width {
            if gap == 1 {
                line.push(' ');
            }
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        // A word longer than a line is broken at the end of the line.
        for c in word.chars() {
            if columns(&line) + columns(c.encode_utf8(&mut [0; 4])) > width {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Pads text with spaces to `width` columns.
pub(crate) fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_to_their_width() {
        for (text, width, expected) in [
            ("one two three", 7, vec!["one two", "three"]),
            ("abcdefgh", 3, vec!["abc", "def", "gh"]),
            ("東京都心", 4, vec!["東京", "都心"]),
            ("", 5, vec![]),
            ("a  b", 9, vec!["a b"]),
        ] {
            assert_eq!(wrap(text, width), expected, "{text}");
        }
    }

    #[test]
    fn bars_are_as_long_as_they_say() {
        for (share, full) in [(0, 0), (50, 5), (100, 10), (4, 0), (5, 1)] {
            assert_eq!(Paint::Plain.bar(share, 10).matches('█').count(), full, "{share}");
        }
    }
}
