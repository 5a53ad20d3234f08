//! `--color`: whether reports are coloured.

use clap::ValueEnum;
use std::sync::OnceLock;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

static CHOICE: OnceLock<Color> = OnceLock::new();

/// Stores the choice for this process. The first one stays.
pub(crate) fn choose(color: Color) {
    // A process has one command line, so no second choice can be lost.
    let _ = CHOICE.set(color);
}

/// Whether to colour output that goes to a terminal or not.
pub(crate) fn is_wanted(is_terminal: bool) -> bool {
    decide(CHOICE.get().copied().unwrap_or_default(), is_terminal, || {
        // https://no-color.org
        std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
    })
}

fn decide(color: Color, is_terminal: bool, is_off: impl Fn() -> bool) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => is_terminal && !is_off(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_wins_over_terminal_and_environment() {
        assert!(decide(Color::Always, false, || true));
        assert!(!decide(Color::Never, true, || false));
        assert!(decide(Color::Auto, true, || false));
        assert!(!decide(Color::Auto, true, || true) && !decide(Color::Auto, false, || false));
    }
}
