#![doc = include_str!("../README.md")]
//!
//! The crate knows no results and no accounts: a [`Card`] has texts and numbers, ready to be drawn.

mod fonts;
mod layout;
#[cfg(feature = "pdf")]
mod pdf;
mod text;

#[cfg(feature = "pdf")]
pub use pdf::{PdfBlock, PdfDocument, PdfTable, PdfTrend, draw_pdf};

use resvg::tiny_skia::{FilterQuality, Pixmap, PixmapPaint, Transform};
use resvg::usvg::{Options, Tree};

/// The notices and the licence of the embedded fonts. Programs that contain them have to hand it out.
pub const LICENSE: &str = include_str!("../fonts/LICENSE");
/// Width of a card, in pixels.
pub const WIDTH: u32 = 1_200;
/// Height of a card, in pixels.
pub const HEIGHT: u32 = 630;

#[derive(Clone, Copy, Debug)]
pub struct Card<'a> {
    /// The website in its forms, such as with letters of its language and in ASCII. The first that can be drawn is shown.
    pub names: &'a [&'a str],
    pub keyword: &'a str,
    /// The place, if there is one.
    pub place: Option<&'a str>,
    /// The score from 0 to 100, or `None` without a score.
    pub score: Option<f64>,
    /// Where its likely range begins and ends, from 0 to 100.
    pub range: Option<(f64, f64)>,
    /// When it was measured.
    pub measured: &'a str,
    /// The title that the owner of the report gave it.
    pub title: Option<&'a str>,
    /// Shows the owner's logo, a PNG.
    pub logo: Option<&'a [u8]>,
    /// Whether the answers were invented.
    pub sandbox: bool,
}

/// The reason why a card was not drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CardError {
    /// The embedded fonts cannot be read.
    #[error("the fonts of cards cannot be read")]
    Fonts(#[source] skrifa::raw::ReadError),
    /// The drawing is not a valid document.
    #[error("the card cannot be laid out")]
    Layout(#[from] resvg::usvg::Error),
    /// There is no memory for the picture.
    #[error("there is no memory for the card")]
    Memory,
    /// The logo is not a PNG.
    #[error("the logo of the card cannot be read")]
    Logo(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The picture cannot be written.
    #[error("the picture or document cannot be written")]
    Encoding(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Draws a card as a PNG.
pub fn draw(card: &Card<'_>) -> Result<Vec<u8>, CardError> {
    let svg = layout::svg(card)?;
    let options = Options {
        fontdb: fonts::database(),
        font_family: fonts::FAMILY.to_owned(),
        ..Options::default()
    };
    let tree = Tree::from_str(&svg, &options)?;
    let mut picture = Pixmap::new(WIDTH, HEIGHT).ok_or(CardError::Memory)?;
    resvg::render(&tree, Transform::identity(), &mut picture.as_mut());
    if let Some(png) = card.logo {
        let logo = Pixmap::decode_png(png).map_err(|error| CardError::Logo(Box::new(error)))?;
        place(&logo, &mut picture);
    }
    picture
        .encode_png()
        .map_err(|error| CardError::Encoding(Box::new(error)))
}

/// Draws the logo into its box, at most in its own size.
fn place(logo: &Pixmap, picture: &mut Pixmap) {
    let [x, y, width, height] = layout::LOGO;
    let scale = (width / logo.width() as f32)
        .min(height / logo.height() as f32)
        .min(1.0);
    let below = (height - logo.height() as f32 * scale) / 2.0;
    let paint = PixmapPaint {
        quality: FilterQuality::Bicubic,
        ..PixmapPaint::default()
    };
    let to = Transform::from_row(scale, 0.0, 0.0, scale, x, y + below);
    picture.draw_pixmap(0, 0, logo.as_ref(), &paint, to, None);
}
