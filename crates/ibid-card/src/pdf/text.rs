//! Fonts, and texts in lines.

use super::{PdfBlock, PdfDocument};
use crate::CardError;
use crate::fonts::{BOLD, FAMILY, Font, REGULAR};
use krilla::color::rgb;
use parley::fontique::{Blob, Collection, CollectionOptions, SourceCache};
use parley::style::{FontFamily, FontFamilyName, FontWeight, LineHeight, OverflowWrap, StyleProperty};
use parley::{Alignment, AlignmentOptions, FontContext, Layout, LayoutContext};
use skrifa::{FontRef, MetadataProvider as _};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Where systems keep fonts.
pub(super) const FOLDERS: [&str; 4] = [
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/System/Library/Fonts",
    "C:\\Windows\\Fonts",
];

#[derive(Clone, Copy, Debug)]
pub(super) struct Ink(pub(super) [u8; 3]);

impl Ink {
    pub(super) const BLACK: Self = Self([29, 28, 25]);
    pub(super) const GREY: Self = Self([90, 88, 82]);
    pub(super) const LINE: Self = Self([214, 210, 200]);

    pub(super) const fn of(channels: [u8; 3]) -> Self {
        Self(channels)
    }

    /// The colour mixed with white: `parts` of 100 are its own.
    pub(super) fn wash(self, parts: u16) -> Self {
        Self(self.0.map(|channel| {
            let mixed = (u16::from(channel) * parts + 255 * (100 - parts)) / 100;
            u8::try_from(mixed).unwrap_or(u8::MAX)
        }))
    }

    pub(super) fn color(self) -> rgb::Color {
        let [red, green, blue] = self.0;
        rgb::Color::new(red, green, blue)
    }
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    size: f32,
    ink: Ink,
    bold: bool,
    right: bool,
}

impl Style {
    pub(super) const fn new(size: f32, ink: Ink) -> Self {
        Self {
            size,
            ink,
            bold: false,
            right: false,
        }
    }

    pub(super) const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub(super) const fn right(self, right: bool) -> Self {
        Self { right, ..self }
    }
}

/// A text in lines.
pub(super) struct Lines {
    pub(super) layout: Layout<()>,
    pub(super) ink: Ink,
    pub(super) text: String,
}

impl Lines {
    pub(super) fn height(&self) -> f32 {
        self.layout.height()
    }
}

/// Sets a document's texts.
pub(super) struct Texts {
    fonts: FontContext,
    layouts: LayoutContext<()>,
    families: Vec<String>,
    missing: BTreeSet<char>,
}

impl Texts {
    /// The embedded fonts, and those in `folders` that have letters which the embedded ones lack.
    pub(super) fn new(document: &PdfDocument<'_>, folders: &[&str]) -> Result<Self, CardError> {
        let options = CollectionOptions {
            shared: false,
            system_fonts: false,
        };
        let mut fonts = FontContext {
            collection: Collection::new(options),
            source_cache: SourceCache::default(),
        };
        for font in [REGULAR, BOLD] {
            fonts.collection.register_fonts(Blob::new(Arc::new(font)), None);
        }
        let embedded = Font::regular()?;
        let mut missing = letters(document);
        missing.retain(|letter| !letter.is_whitespace() && !letter.is_control());
        missing.retain(|letter| !embedded.covers(letter.encode_utf8(&mut [0; 4])));
        let mut families = vec![FAMILY.to_owned()];
        if !missing.is_empty() {
            families.extend(families_in(folders, &mut fonts, &mut missing));
        }
        Ok(Self {
            fonts,
            layouts: LayoutContext::new(),
            families,
            missing,
        })
    }

    /// Names the scripts whose letters no font has.
    pub(super) fn missing_scripts(&self) -> Vec<&'static str> {
        let scripts: BTreeSet<&str> = self.missing.iter().map(|letter| script(*letter)).collect();
        scripts.into_iter().collect()
    }

    /// Sets a text in lines of a width.
    pub(super) fn lines(&mut self, text: &str, style: Style, width: f32) -> Lines {
        let text: String = text
            .chars()
            .map(|letter| if letter == '\t' { ' ' } else { letter })
            .collect();
        let mut builder = self.layouts.ranged_builder(&mut self.fonts, &text, 1.0, false);
        let families: Vec<FontFamilyName<'_>> = self
            .families
            .iter()
            .map(|name| FontFamilyName::Named(Cow::Borrowed(name.as_str())))
            .collect();
        builder.push_default(StyleProperty::FontFamily(FontFamily::List(Cow::Owned(families))));
        builder.push_default(StyleProperty::FontSize(style.size));
        builder.push_default(StyleProperty::LineHeight(LineHeight::FontSizeRelative(1.35)));
        builder.push_default(StyleProperty::OverflowWrap(OverflowWrap::Anywhere));
        if style.bold {
            builder.push_default(StyleProperty::FontWeight(FontWeight::BOLD));
        }
        let mut layout = builder.build(&text);
        layout.break_all_lines(Some(width));
        let side = match style.right {
            true => Alignment::Right,
            false => Alignment::Start,
        };
        layout.align(side, AlignmentOptions::default());
        Lines {
            layout,
            text,
            ink: style.ink,
        }
    }
}

/// Every letter of a document.
fn letters(document: &PdfDocument<'_>) -> BTreeSet<char> {
    let mut letters: BTreeSet<char> = [document.title, document.lead, document.foot]
        .into_iter()
        .chain(document.author)
        .flat_map(str::chars)
        .collect();
    let mut add = |text: &str| letters.extend(text.chars());
    for block in document.blocks {
        match block {
            PdfBlock::Heading(words)
            | PdfBlock::Text(words)
            | PdfBlock::Small(words)
            | PdfBlock::Link(words, _) => {
                add(words);
            }
            PdfBlock::Figure(number, words) => {
                add(number);
                add(words);
            }
            PdfBlock::Table(table) => table
                .head
                .iter()
                .chain(table.rows.iter().flatten())
                .for_each(|cell| add(cell)),
            PdfBlock::Trend(_) | PdfBlock::Page => {}
        }
    }
    letters
}

/// Finds font families in folders that have missing letters, and takes these letters out.
fn families_in(folders: &[&str], fonts: &mut FontContext, missing: &mut BTreeSet<char>) -> Vec<String> {
    let folders = folders
        .iter()
        .filter(|folder| std::path::Path::new(folder).is_dir());
    fonts.collection.load_fonts_from_paths(folders);
    let mut names: Vec<String> = fonts.collection.family_names().map(str::to_owned).collect();
    // Sorted, because the order on disk must not matter.
    names.sort();
    let mut chosen = Vec::new();
    for name in names {
        if missing.is_empty() {
            break;
        }
        let Some(family) = fonts.collection.family_by_name(&name) else {
            continue;
        };
        let Some(font) = family.default_font() else {
            continue;
        };
        let Some(data) = font.load(Some(&mut fonts.source_cache)) else {
            continue;
        };
        let Ok(read) = FontRef::from_index(data.as_ref(), font.index()) else {
            continue;
        };
        let letters = read.charmap();
        let has = |letter: &char| letters.map(*letter).is_some_and(|glyph| glyph.to_u32() != 0);
        let before = missing.len();
        missing.retain(|letter| !has(letter));
        if missing.len() < before {
            chosen.push(name);
        }
    }
    chosen
}

/// Names a letter's script, as far as the embedded fonts lack it.
fn script(letter: char) -> &'static str {
    match u32::from(letter) {
        0x0900..=0x097f => "Devanagari",
        0x0980..=0x0dff => "a script of India",
        0x0e00..=0x0e7f => "Thai",
        0x0e80..=0x0eff => "Lao",
        0x1000..=0x109f => "Burmese",
        0x1780..=0x17ff => "Khmer",
        0x1100..=0x11ff | 0x3130..=0x318f | 0xac00..=0xd7af => "Korean",
        0x3040..=0x30ff | 0x31f0..=0x31ff => "Japanese",
        0x2e80..=0x303f | 0x3400..=0x9fff | 0xf900..=0xfaff | 0xff00..=0xffef | 0x2_0000..=0x3_ffff => {
            "Chinese characters"
        }
        0x1_f000..=0x1_faff | 0x2600..=0x27bf => "these symbols",
        _ => "another script",
    }
}
