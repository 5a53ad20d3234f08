//! The two embedded fonts: the letters they have, and the width of texts.

use crate::CardError;
use resvg::usvg::fontdb::{Database, Source};
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider as _};
use std::sync::{Arc, LazyLock};

/// Both fonts have this family name.
pub(crate) const FAMILY: &str = "DejaVu Sans";

pub(crate) static REGULAR: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");
pub(crate) static BOLD: &[u8] = include_bytes!("../fonts/DejaVuSans-Bold.ttf");

static DATABASE: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut database = Database::new();
    database.load_font_source(Source::Binary(Arc::new(REGULAR)));
    database.load_font_source(Source::Binary(Arc::new(BOLD)));
    Arc::new(database)
});

/// Returns the fonts for the drawing.
pub(crate) fn database() -> Arc<Database> {
    Arc::clone(&DATABASE)
}

/// One of the fonts, for measuring.
pub(crate) struct Font(FontRef<'static>);

impl Font {
    pub(crate) fn regular() -> Result<Self, CardError> {
        FontRef::new(REGULAR).map(Self).map_err(CardError::Fonts)
    }

    pub(crate) fn bold() -> Result<Self, CardError> {
        FontRef::new(BOLD).map(Self).map_err(CardError::Fonts)
    }

    /// Whether the font has a glyph for every character.
    pub(crate) fn covers(&self, text: &str) -> bool {
        let letters = self.0.charmap();
        let has = |letter| letters.map(letter).is_some_and(|glyph| glyph.to_u32() != 0);
        text.chars().all(has)
    }

    /// Measures a text in pixels, before ligatures and kerning.
    pub(crate) fn width(&self, text: &str, size: f32) -> f32 {
        let letters = self.0.charmap();
        let metrics = self.0.glyph_metrics(Size::new(size), LocationRef::default());
        text.chars()
            .filter_map(|letter| metrics.advance_width(letters.map(letter)?))
            .sum()
    }

    /// The text, or as much of its beginning as fits, with an ellipsis.
    pub(crate) fn fit(&self, text: &str, size: f32, most: f32) -> String {
        if self.width(text, size) <= most {
            return text.to_owned();
        }
        let mut kept: String = text.to_owned();
        while kept.pop().is_some() {
            let shown = format!("{}…", kept.trim_end());
            if self.width(&shown, size) <= most {
                return shown;
            }
        }
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_the_fonts_are_covered_and_others_are_not() {
        for font in [Font::regular().unwrap(), Font::bold().unwrap()] {
            for text in [
                "Agència “Nord”, ½ ☂",
                "Ελλάδα",
                "Київ",
                "سباك",
                "ایران",
                "שרברב",
                "Հայ",
                "საქართველო",
                "Việt Nam",
            ] {
                assert!(font.covers(text), "{text}");
            }
            for text in ["清水", "配管工", "배관공", "मीठा", "ช่าง", "🦀", "\u{0}"]
            {
                assert!(!font.covers(text), "{text}");
            }
        }
    }

    #[test]
    fn texts_are_cut_where_they_do_not_fit() {
        let font = Font::bold().unwrap();
        assert_eq!(font.fit("short", 40.0, 400.0), "short");
        let cut = font.fit(&"wide ".repeat(40), 40.0, 400.0);
        assert!(cut.ends_with("wide…") && font.width(&cut, 40.0) <= 400.0, "{cut}");
        assert_eq!(font.fit("short", 40.0, 1.0), "");
    }
}
