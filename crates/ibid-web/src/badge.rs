//! A small picture of a project for other websites, with its level, the likely range and the date.

use crate::figure;
use ibid_model::result::Level;
use jiff::Timestamp;

/// The height, and the width of its first part, in pixels.
const HEIGHT: u32 = 28;
const FIRST: u32 = 86;
/// The room at both ends of a part.
const ROOM: u32 = 10;
/// Width of a usual character. Texts are stretched to it, so that every font fits.
const CHARACTER: f64 = 6.7;

/// What a badge shows.
#[derive(Clone, Copy, Debug)]
pub struct Badge<'a> {
    /// The average since the last change, with its range.
    pub level: Option<&'a Level>,
    /// When the last run ended.
    pub at: Option<Timestamp>,
    /// Whether the numbers are invented.
    pub sandbox: bool,
}

impl Badge<'_> {
    /// Draws the badge as an SVG document.
    pub fn draw(&self) -> String {
        let (text, said) = match (self.level, self.at) {
            (Some(level), Some(at)) => {
                let (score, range) = (figure::score(level.score), figure::interval(&level.interval));
                let date = figure::date(at);
                let said = format!(
                    "Score of the answers of AI assistants: {score} of 100, likely {:.0} to {:.0}, {date}.",
                    level.interval.low, level.interval.high
                );
                (format!("{score} ({range}) · {date}"), said)
            }
            _ => (
                "not enough runs".to_owned(),
                "There are not enough runs for a score of the answers of AI assistants.".to_owned(),
            ),
        };
        let text = match self.sandbox {
            true => format!("{text} · sandbox"),
            false => text,
        };
        let wide = (CHARACTER * text.chars().count() as f64).round() as u32;
        let width = FIRST + wide + 2 * ROOM;
        let (inner, text_at) = (width - 1, FIRST + ROOM);
        let first_wide = FIRST - 2 * ROOM;
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" viewBox="0 0 {width} {HEIGHT}" role="img" aria-labelledby="t d"><title id="t">Cited by AI: {text}</title><desc id="d">{said} Measured by ibid.</desc><style>text{{font:12px ui-sans-serif,system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}}.n{{font-weight:600}}@media(prefers-color-scheme:dark){{.p{{fill:#181a19;stroke:#5d6663}}.n{{fill:#f3f1ea}}.f{{fill:#8cd0c6}}.l{{fill:#0c2724}}}}</style><rect class="p" x=".5" y=".5" width="{inner}" height="27" rx="5.5" fill="#ffffff" stroke="#6b675e"/><path class="f" d="M6 0h{}v{HEIGHT}h-{}a6 6 0 0 1-6-6v-16a6 6 0 0 1 6-6z" fill="#0a665f"/><text class="l" x="{ROOM}" y="18" textLength="{first_wide}" lengthAdjust="spacingAndGlyphs" fill="#ffffff">Cited by AI</text><text class="n" x="{text_at}" y="18" textLength="{wide}" lengthAdjust="spacingAndGlyphs" fill="#1d1c19">{text}</text></svg>"##,
            FIRST - 6,
            FIRST - 6,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_model::{Interval, Score};

    #[test]
    fn a_badge_says_what_it_shows() {
        let level = Level {
            sampling_interval: None,
            reading_error: None,
            score: Score::new(41.7),
            interval: Interval {
                low: 36.6,
                high: 47.2,
                level: 0.95,
                low_precision: false,
            },
            runs: 9,
            since: None,
        };
        let at = "2026-11-23T09:00:00Z".parse().unwrap();
        let badge = Badge {
            level: Some(&level),
            at: Some(at),
            sandbox: false,
        };
        let svg = badge.draw().replace('\u{a0}', " ");
        assert!(svg.contains(
            "<title id=\"t\">Cited by AI: 42 (37–47) · 23 Nov 2026</title><desc id=\"d\">Score of the answers of \
             AI assistants: 42 of 100, likely 37 to 47, 23 Nov 2026. Measured by ibid.</desc>"
        ));
        // The text ends before the frame does.
        assert!(svg.contains("width=\"267\"") && svg.contains("x=\"96\" y=\"18\" textLength=\"161\""));
        let early = Badge {
            level: None,
            at: Some(at),
            sandbox: true,
        };
        assert!(early.draw().contains(">not enough runs · sandbox</text>"));
    }
}
