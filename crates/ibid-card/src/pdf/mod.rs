//! Writes PDF documents with several pages: headings, paragraphs, tables, a chart of scores and links.
//!
//! Text is data: nothing in it is markup, and no file and no network is read for it. Letters come from the embedded fonts,
//! others from system fonts; letters that no font has are named at the end of the document.

mod flow;
mod paint;
mod text;
mod trend;

pub use trend::PdfTrend;

use crate::CardError;
use flow::Flow;
use text::{Ink, Style, Texts};

/// A table's cell shows no more letters.
const MOST_CELL: usize = 600;

#[derive(Clone, Copy, Debug)]
pub struct PdfDocument<'a> {
    pub title: &'a str,
    pub author: Option<&'a str>,
    /// The line below the title.
    pub lead: &'a str,
    /// Colours headings and the chart; red, green, blue.
    pub accent: [u8; 3],
    /// The logo, a PNG.
    pub logo: Option<&'a [u8]>,
    /// The text at the foot of each page.
    pub foot: &'a str,
    /// What it says.
    pub blocks: &'a [PdfBlock],
}

#[derive(Clone, Debug)]
pub enum PdfBlock {
    Heading(String),
    /// A number in large type with words to its right.
    Figure(String, String),
    Text(String),
    /// A paragraph in small type.
    Small(String),
    /// A link: its words and its address.
    Link(String, String),
    Table(PdfTable),
    /// A chart of scores.
    Trend(PdfTrend),
    /// What follows begins on another page.
    Page,
}

/// A table. Its head is repeated on each page.
#[derive(Clone, Debug, Default)]
pub struct PdfTable {
    /// What the columns are headed.
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// How wide each column is, relative to the others.
    pub widths: Vec<f32>,
    /// The columns with words; the others have numbers, which are at the right.
    pub words: usize,
}

/// Draws a document as PDF, on pages of A4.
pub fn draw_pdf(document: &PdfDocument<'_>) -> Result<Vec<u8>, CardError> {
    let mut texts = Texts::new(document, &text::FOLDERS)?;
    let missing = texts.missing_scripts();
    let accent = Ink::of(document.accent);
    let mut flow = Flow::new(&mut texts, accent);
    flow.band();
    if let Some(png) = document.logo {
        flow.logo(png)?;
    }
    if let Some(author) = document.author {
        flow.paragraph(author, Style::new(11.0, Ink::GREY));
    }
    flow.paragraph(document.title, Style::new(22.0, Ink::BLACK).bold());
    flow.paragraph(document.lead, Style::new(10.5, Ink::GREY));
    for (at, block) in document.blocks.iter().enumerate() {
        match block {
            PdfBlock::Heading(words) => flow.heading(words, document.blocks.get(at + 1)),
            PdfBlock::Figure(number, words) => flow.figure(number, words),
            PdfBlock::Text(words) => flow.paragraph(words, Style::new(10.0, Ink::BLACK)),
            PdfBlock::Small(words) => flow.paragraph(words, Style::new(8.0, Ink::GREY)),
            PdfBlock::Link(words, address) => flow.link(words, address),
            PdfBlock::Table(table) => flow.table(table),
            PdfBlock::Trend(trend) => flow.trend(trend),
            PdfBlock::Page => flow.next_page(),
        }
    }
    if !missing.is_empty() {
        let words = format!(
            "Some letters are missing in this document. No font of the server that made it has {}.",
            missing.join(", ")
        );
        flow.paragraph(&words, Style::new(8.0, Ink::GREY));
    }
    let pages = flow.finish(document.foot);
    paint::written(document, &pages)
}

/// As much of a text as a cell takes.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_CELL) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::flow::{Item, PAGE};

    fn document(blocks: &[PdfBlock]) -> PdfDocument<'_> {
        PdfDocument {
            title: "How AI answers cite Brightspoke",
            author: Some("Agència Nord"),
            lead: "brightspoke.example",
            accent: [122, 31, 31],
            logo: None,
            foot: "brightspoke.example",
            blocks,
        }
    }

    fn table(rows: usize, text: &str) -> PdfTable {
        PdfTable {
            head: vec!["Question".to_owned(), "Answers".to_owned()],
            rows: (0..rows)
                .map(|row| vec![text.to_owned(), row.to_string()])
                .collect(),
            widths: vec![4.0, 1.0],
            words: 1,
        }
    }

    /// The pages of some blocks, each as its texts and the lowest line of a text.
    fn pages(blocks: &[PdfBlock]) -> Vec<(Vec<String>, f32)> {
        let mut texts = Texts::new(&document(blocks), &[]).unwrap();
        let mut flow = Flow::new(&mut texts, Ink::BLACK);
        for block in blocks {
            match block {
                PdfBlock::Heading(words) => flow.heading(words, None),
                PdfBlock::Table(table) => flow.table(table),
                PdfBlock::Text(words) => flow.paragraph(words, Style::new(10.0, Ink::BLACK)),
                _ => {}
            }
        }
        let read = |items: Vec<Item>| {
            let lines = items.iter().filter_map(|item| match item {
                Item::Line(lines, at, _, y) => Some((lines, *at, *y)),
                _ => None,
            });
            let foot = PAGE.1 - 40.0;
            let lowest = lines
                .clone()
                .map(|(.., y)| y)
                .filter(|y| *y < foot)
                .fold(0.0, f32::max);
            let firsts = lines.filter(|(_, at, _)| *at == 0);
            (firsts.map(|(lines, ..)| lines.text.clone()).collect(), lowest)
        };
        flow.finish("foot").into_iter().map(read).collect()
    }

    #[test]
    fn rows_stay_whole_and_each_page_begins_with_the_head() {
        let question = "Which bicycle shop repairs a broken wheel on a Sunday, and where is it? Which one?";
        let found = pages(&[
            PdfBlock::Heading("Questions".to_owned()),
            PdfBlock::Table(table(90, question)),
        ]);
        assert!(found.len() > 2, "{}", found.len());
        let mut rows = 0;
        for (number, (texts, lowest)) in found.iter().enumerate() {
            let first = texts.iter().position(|text| text == "Question").unwrap();
            assert_eq!(first, usize::from(number == 0));
            rows += texts.iter().filter(|text| *text == question).count();
            assert!(*lowest < PAGE.1 - 60.0, "page {number}: {lowest}");
            assert!(texts.contains(&format!("{} / {}", number + 1, found.len())));
        }
        assert_eq!(rows, 90);
    }

    #[test]
    fn long_texts_go_on_over_pages_and_long_cells_are_cut() {
        let found = pages(&[
            PdfBlock::Text("word ".repeat(6_000)),
            PdfBlock::Table(table(3, &"x".repeat(9_000))),
        ]);
        assert!(found.len() > 3);
        assert!(found.iter().all(|(_, lowest)| *lowest < PAGE.1 - 60.0));
        let cells = found.iter().flat_map(|(texts, _)| texts);
        assert_eq!(cells.filter(|text| text.ends_with("x…")).count(), 3);
    }

    #[test]
    fn letters_come_from_the_embedded_fonts_and_a_missing_script_is_named() {
        let all = "Ελλάδα Київ سباك שרברב Việt <b>#set{}</b>\u{0}\u{7}";
        let blocks = [PdfBlock::Text(all.to_owned())];
        let texts = Texts::new(&document(&blocks), &[]).unwrap();
        assert_eq!(texts.missing_scripts(), [] as [&str; 0]);
        assert!(draw_pdf(&document(&blocks)).unwrap().starts_with(b"%PDF-"));
        // Without fonts of the system, and with those of this machine, which may have none for these letters.
        let blocks = [PdfBlock::Text("上海 東京で 서울 ไทย \u{f8ab}".to_owned())];
        let texts = Texts::new(&document(&blocks), &[]).unwrap();
        assert_eq!(
            texts.missing_scripts(),
            [
                "Chinese characters",
                "Japanese",
                "Korean",
                "Thai",
                "another script"
            ]
        );
        let drawn = draw_pdf(&document(&blocks)).unwrap();
        assert!(drawn.starts_with(b"%PDF-"));
        assert_eq!(drawn, draw_pdf(&document(&blocks)).unwrap());
    }

    #[test]
    fn charts_links_and_logos_are_drawn_and_other_files_are_no_logo() {
        let blocks = [
            PdfBlock::Figure("34".to_owned(), "Likely 27–40.".to_owned()),
            PdfBlock::Trend(PdfTrend {
                points: (0..26)
                    .map(|run| (run as f32 / 25.0, 34.0, Some((27.0, 40.0))))
                    .collect(),
                level: Some((0.5, 34.0)),
                labels: vec![(0.0, "Jul 2026".to_owned()), (1.0, "Nov".to_owned())],
                marks: vec![(0.4, 0.4)],
            }),
            PdfBlock::Link(
                "The file".to_owned(),
                "https://ibid.example/r/report.json".to_owned(),
            ),
            PdfBlock::Trend(PdfTrend::default()),
        ];
        let drawn = draw_pdf(&document(&blocks)).unwrap();
        let has = |text: &[u8]| drawn.windows(text.len()).any(|window| window == text);
        assert!(has(b"https://ibid.example/r/report.json"));
        let mut png = Vec::new();
        let mut encoder = png::Encoder::new(&mut png, 4, 2);
        encoder.set_color(png::ColorType::Rgba);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&[120; 32]).unwrap();
        writer.finish().unwrap();
        let logo = |logo| {
            draw_pdf(&PdfDocument {
                logo: Some(logo),
                ..document(&[])
            })
        };
        assert!(logo(&png).is_ok());
        assert!(matches!(logo(b"<svg/>"), Err(CardError::Logo(_))));
        assert!(matches!(logo(png.get(..30).unwrap()), Err(CardError::Logo(_))));
    }
}
