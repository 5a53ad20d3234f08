//! Lays a card out as an SVG document with a fixed size.
//!
//! ```text
//! logo  title                                 ibid.
//!
//! aiguaclara.example
//! “plumber”
//! Leeds, United Kingdom
//!
//!                          likely range 55 to 71
//! 63.0 of 100          ----[=====|======]--------
//!                      0          50          100
//! how AI answers cite this website      23 November 2026
//! ```

use crate::fonts::{FAMILY, Font};
use crate::text::{clean, escape};
use crate::{Card, CardError, HEIGHT, WIDTH};
use std::fmt::Write as _;

/// Where the logo goes: left, top, width, height.
pub(crate) const LOGO: [f32; 4] = [LEFT, 44.0, 288.0, 96.0];

const LEFT: f32 = 72.0;
const RIGHT: f32 = 1_128.0;
const PAPER: &str = "#fbfaf7";
const INK: &str = "#1b1c1a";
const SOFT: &str = "#5d5f59";
const ACCENT: &str = "#0a665f";
const TRACK: &str = "#e5e1d8";
const RANGE: &str = "#8cbdb6";
const SCALE: (f32, f32) = (560.0, RIGHT);
/// Sizes for the website's name, so that a long one still fits.
const NAME_SIZES: [f32; 4] = [76.0, 62.0, 50.0, 40.0];
const TITLE_SIZES: [f32; 3] = [34.0, 29.0, 25.0];

/// Returns the card as an SVG document, without its logo.
pub(crate) fn svg(card: &Card<'_>) -> Result<String, CardError> {
    let mut page = Page {
        svg: format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="{FAMILY}"><rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/><rect width="{WIDTH}" height="10" fill="{ACCENT}"/>"#
        ),
        regular: Font::regular()?,
        bold: Font::bold()?,
    };
    page.head(card);
    page.subject(card);
    page.score(card);
    page.foot(card);
    page.svg.push_str("</svg>");
    Ok(page.svg)
}

struct Page {
    svg: String,
    regular: Font,
    bold: Font,
}

/// A line of text: its left end, or its right end where `ends` is set.
#[derive(Clone, Copy)]
struct Line {
    x: f32,
    y: f32,
    size: f32,
    bold: bool,
    colour: &'static str,
    ends: bool,
}

impl Page {
    fn head(&mut self, card: &Card<'_>) {
        let title = card
            .title
            .map(clean)
            .filter(|title| self.is_drawable(title, true));
        let x = LEFT + if card.logo.is_some() { LOGO[2] + 28.0 } else { 0.0 };
        let text = match title {
            Some(title) => title,
            None if card.logo.is_none() => "AI citation report".to_owned(),
            None => String::new(),
        };
        let most = RIGHT - 150.0 - x;
        let line = Line {
            x,
            y: 104.0,
            size: self.size(&TITLE_SIZES, &text, most),
            bold: true,
            colour: INK,
            ends: false,
        };
        self.fitted(&text, most, line);
        // Writing to a String cannot fail.
        let _ = write!(
            self.svg,
            r#"<text x="{RIGHT}" y="106" font-size="46" font-weight="700" fill="{INK}" text-anchor="end">ibid<tspan fill="{ACCENT}">.</tspan></text>"#
        );
    }

    fn subject(&mut self, card: &Card<'_>) {
        let names: Vec<_> = card.names.iter().map(|name| clean(name)).collect();
        if let Some(name) = names.iter().find(|name| self.is_drawable(name, true)) {
            let line = Line {
                x: LEFT,
                y: 246.0,
                size: self.size(&NAME_SIZES, name, RIGHT - LEFT),
                bold: true,
                colour: INK,
                ends: false,
            };
            self.fitted(name, RIGHT - LEFT, line);
        }
        let lines = [
            Some(format!("“{}”", clean(card.keyword))).filter(|line| line.len() > "“”".len()),
            card.place.map(clean),
        ];
        let drawable = |line: &String| self.is_drawable(line, false);
        let lines: Vec<_> = lines.into_iter().flatten().filter(drawable).collect();
        for (line, y) in lines.iter().zip([312.0, 362.0]) {
            let at = Line {
                x: LEFT,
                y,
                size: 36.0,
                bold: false,
                colour: SOFT,
                ends: false,
            };
            self.fitted(line, RIGHT - LEFT, at);
        }
    }

    fn score(&mut self, card: &Card<'_>) {
        let Some(value) = card.score else { return };
        let score = format!("{value:.1}");
        let big = Line {
            x: LEFT - 4.0,
            y: 520.0,
            size: 112.0,
            bold: true,
            colour: ACCENT,
            ends: false,
        };
        self.line(&score, big);
        let x = LEFT + self.bold.width(&score, big.size) + 20.0;
        let small = Line {
            x,
            y: 518.0,
            size: 30.0,
            bold: false,
            colour: SOFT,
            ends: false,
        };
        self.line("of 100", small);
        let y = 482.0;
        self.bar(0.0, 100.0, y, TRACK);
        if let Some((low, high)) = card.range {
            self.bar(low, high, y, RANGE);
            let label = Line {
                x: SCALE.1,
                y: 450.0,
                size: 26.0,
                ends: true,
                ..small
            };
            self.line(&format!("likely range {low:.0} to {high:.0}"), label);
        }
        let mark = at(value);
        let _ = write!(
            self.svg,
            r#"<rect x="{:.1}" y="{:.1}" width="8" height="52" rx="4" fill="{ACCENT}"/>"#,
            mark - 4.0,
            y - 14.0
        );
        for tick in [0_u8, 50, 100] {
            let _ = write!(
                self.svg,
                r#"<text x="{:.1}" y="548" font-size="22" fill="{SOFT}" text-anchor="{}">{tick}</text>"#,
                at(tick.into()),
                match tick {
                    0 => "start",
                    100 => "end",
                    _ => "middle",
                }
            );
        }
    }

    fn foot(&mut self, card: &Card<'_>) {
        let left = Line {
            x: LEFT,
            y: 596.0,
            size: 24.0,
            bold: false,
            colour: SOFT,
            ends: false,
        };
        let text = match card.sandbox {
            true => "Sandbox: these answers are invented.",
            false => "How AI answers cite this website",
        };
        self.line(text, left);
        let right = Line {
            x: RIGHT,
            ends: true,
            ..left
        };
        self.line(&clean(card.measured), right);
    }

    /// Whether a text is not empty and every letter of it can be drawn.
    fn is_drawable(&self, text: &str, bold: bool) -> bool {
        let font = if bold { &self.bold } else { &self.regular };
        !text.is_empty() && font.covers(text)
    }

    /// Returns the largest size in which a bold text fits, or the last.
    fn size(&self, sizes: &[f32], text: &str, most: f32) -> f32 {
        let fits = |size: &&f32| self.bold.width(text, **size) <= most;
        let last = sizes.last().copied().unwrap_or_default();
        sizes.iter().find(fits).copied().unwrap_or(last)
    }

    fn fitted(&mut self, text: &str, most: f32, line: Line) {
        let font = if line.bold { &self.bold } else { &self.regular };
        let text = font.fit(text, line.size, most);
        self.line(&text, line);
    }

    fn line(&mut self, text: &str, line: Line) {
        let _ = write!(
            self.svg,
            r#"<text x="{:.1}" y="{:.1}" font-size="{:.0}" font-weight="{}" fill="{}" text-anchor="{}">{}</text>"#,
            line.x,
            line.y,
            line.size,
            if line.bold { 700 } else { 400 },
            line.colour,
            if line.ends { "end" } else { "start" },
            escape(text)
        );
    }

    /// A part of the scale.
    fn bar(&mut self, low: f64, high: f64, y: f32, colour: &str) {
        let (from, to) = (at(low), at(high));
        let _ = write!(
            self.svg,
            r#"<rect x="{from:.1}" y="{y:.1}" width="{:.1}" height="24" rx="12" fill="{colour}"/>"#,
            (to - from).max(8.0)
        );
    }
}

/// Returns where a value is on the scale.
fn at(value: f64) -> f32 {
    let value = if value.is_finite() {
        value.clamp(0.0, 100.0)
    } else {
        0.0
    };
    SCALE.0 + (SCALE.1 - SCALE.0) * value as f32 / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card<'a>() -> Card<'a> {
        Card {
            names: &["aiguaclara.example"],
            keyword: "plumber",
            place: Some("Leeds"),
            score: Some(63.04),
            range: Some((55.0, 71.4)),
            measured: "23 November 2026",
            title: None,
            logo: None,
            sandbox: false,
        }
    }

    #[test]
    fn a_card_has_every_fact() {
        let drawn = svg(&card()).unwrap();
        for text in [
            ">aiguaclara.example<",
            ">“plumber”<",
            ">Leeds<",
            ">63.0<",
            ">likely range 55 to 71<",
            ">AI citation report<",
            ">23 November 2026<",
        ] {
            assert!(drawn.contains(text), "{text}: {drawn}");
        }
        let sandbox = svg(&Card {
            sandbox: true,
            title: Some("Nord"),
            ..card()
        })
        .unwrap();
        assert!(
            sandbox.contains("invented")
                && sandbox.contains(">Nord<")
                && !sandbox.contains("AI citation report")
        );
    }

    #[test]
    fn lines_that_cannot_be_drawn_are_left_out() {
        let drawn = svg(&Card {
            names: &["清水.example", "xn--pssy2u.example"],
            keyword: "配管工",
            place: Some("東京"),
            title: Some("清水"),
            ..card()
        })
        .unwrap();
        assert!(drawn.contains(">xn--pssy2u.example<"), "{drawn}");
        assert!(!drawn.contains(['清', '配', '東', '“']), "{drawn}");
    }

    #[test]
    fn texts_of_strangers_stay_texts() {
        let attack = "</text><image href=\"file:///etc/passwd\"/>&#x202e;\u{202e}";
        let drawn = svg(&Card {
            names: &[attack],
            keyword: attack,
            place: Some(attack),
            measured: attack,
            title: Some(attack),
            score: Some(f64::NAN),
            range: Some((f64::NEG_INFINITY, f64::INFINITY)),
            ..card()
        })
        .unwrap();
        assert!(
            !drawn.contains("<image") && !drawn.contains('\u{202e}'),
            "{drawn}"
        );
    }
}
