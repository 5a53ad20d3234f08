//! Lets blocks flow over pages.

use super::text::{Ink, Lines, Style, Texts};
use super::{PdfBlock, PdfTable, PdfTrend, cut};
use crate::CardError;
use std::rc::Rc;

/// Width and height of A4, in points.
pub(super) const PAGE: (f32, f32) = (595.28, 841.89);
/// The margin at the sides, above and below.
const SIDE: f32 = 51.0;
const ABOVE: f32 = 51.0;
const BELOW: f32 = 60.0;
pub(super) const WIDTH: f32 = PAGE.0 - 2.0 * SIDE;
/// The space that a heading needs below it.
const KEPT: f32 = 90.0;
/// Most height of the logo, and most width.
const LOGO: (f32, f32) = (150.0, 42.0);
/// Room left and right of a cell's words, and above and below them, in points.
const CELL: (f32, f32) = (6.0, 3.5);

/// Something on a page.
pub(super) enum Item {
    /// A line of a text, with its upper left corner.
    Line(Rc<Lines>, usize, f32, f32),
    Area(Vec<(f32, f32)>, Ink),
    /// A line through points, its width, and whether it is dashed.
    Path(Vec<(f32, f32)>, Ink, f32, bool),
    /// A picture: its bytes, its place and its size.
    Picture(Vec<u8>, [f32; 4]),
    /// A link over an area.
    Link(String, [f32; 4]),
}

/// The pages so far, and the place of the next block.
pub(super) struct Flow<'a> {
    texts: &'a mut Texts,
    accent: Ink,
    pages: Vec<Vec<Item>>,
    y: f32,
}

impl<'a> Flow<'a> {
    pub(super) fn new(texts: &'a mut Texts, accent: Ink) -> Self {
        Self {
            texts,
            accent,
            pages: vec![Vec::new()],
            y: ABOVE,
        }
    }

    fn put(&mut self, item: Item) {
        if let Some(page) = self.pages.last_mut() {
            page.push(item);
        }
    }

    fn rest(&self) -> f32 {
        PAGE.1 - BELOW - self.y
    }

    pub(super) fn next_page(&mut self) {
        self.pages.push(Vec::new());
        self.y = ABOVE;
    }

    /// Goes to the next page unless so much room is left.
    fn need(&mut self, height: f32) {
        if self.rest() < height && self.y > ABOVE {
            self.next_page();
        }
    }

    /// Draws a coloured band at the top of the first page.
    pub(super) fn band(&mut self) {
        let area = rectangle(SIDE, self.y - 14.0, WIDTH, 5.0);
        let accent = self.accent;
        self.put(Item::Area(area, accent));
        self.y += 6.0;
    }

    pub(super) fn logo(&mut self, png: &[u8]) -> Result<(), CardError> {
        // A PNG's width and height are at the beginning of its first chunk.
        let side = |at: usize| -> Option<f32> {
            let bytes: [u8; 4] = png.get(at..at + 4)?.try_into().ok()?;
            Some(u32::from_be_bytes(bytes) as f32).filter(|side| *side > 0.0)
        };
        let (Some(width), Some(height)) = (side(16), side(20)) else {
            return Err(CardError::Logo("no PNG".into()));
        };
        // A pixel is at most half a point.
        let scale = (LOGO.0 / width).min(LOGO.1 / height).min(0.5);
        let size = [SIDE, self.y, width * scale, height * scale];
        self.put(Item::Picture(png.to_vec(), size));
        self.y += height * scale + 10.0;
        Ok(())
    }

    /// A paragraph, whose lines go on over pages.
    pub(super) fn paragraph(&mut self, text: &str, style: Style) {
        let lines = Rc::new(self.texts.lines(text, style, WIDTH));
        self.put_lines(&lines, SIDE);
        self.y += 5.0;
    }

    fn put_lines(&mut self, lines: &Rc<Lines>, x: f32) {
        for at in 0..lines.layout.len() {
            let height = lines
                .layout
                .get(at)
                .map_or(0.0, |line| line.metrics().line_height);
            self.need(height);
            let y = self.y;
            self.put(Item::Line(Rc::clone(lines), at, x, y));
            self.y += height;
        }
    }

    /// A heading stays with what follows it.
    pub(super) fn heading(&mut self, text: &str, next: Option<&PdfBlock>) {
        let chart = matches!(next, Some(PdfBlock::Trend(_)));
        self.need(KEPT + if chart { PdfTrend::HEIGHT } else { 0.0 });
        self.y += 14.0;
        let style = Style::new(14.0, self.accent).bold();
        self.paragraph(text, style);
    }

    /// A large number with words at its right.
    pub(super) fn figure(&mut self, number: &str, words: &str) {
        let large = Rc::new(
            self.texts
                .lines(number, Style::new(34.0, self.accent).bold(), 90.0),
        );
        let beside = Rc::new(
            self.texts
                .lines(words, Style::new(10.0, Ink::BLACK), WIDTH - 100.0),
        );
        let height = large.height().max(beside.height() + 10.0);
        self.need(height);
        let (top, page) = (self.y, self.pages.len());
        self.put_lines(&large, SIDE);
        // The words begin at the height of the figures.
        self.y = top + 10.0;
        self.put_lines(&beside, SIDE + 100.0);
        if self.pages.len() == page {
            self.y = top + height;
        }
        self.y += 6.0;
    }

    pub(super) fn link(&mut self, words: &str, address: &str) {
        let style = Style::new(9.0, self.accent);
        let lines = Rc::new(self.texts.lines(words, style, WIDTH));
        self.need(lines.height());
        let area = [SIDE, self.y, lines.layout.width(), lines.height()];
        self.put(Item::Link(address.to_owned(), area));
        self.put_lines(&lines, SIDE);
        self.y += 5.0;
    }

    /// A table. Rows stay whole, and each page begins with the head.
    pub(super) fn table(&mut self, table: &PdfTable) {
        let whole: f32 = table.widths.iter().sum::<f32>().max(f32::EPSILON);
        let widths: Vec<f32> = table.widths.iter().map(|width| width / whole * WIDTH).collect();
        let head = self.row(&table.head, &widths, (table.words, true));
        let mut is_new = true;
        for cells in &table.rows {
            let row = self.row(cells, &widths, (table.words, false));
            let height = height_of(&row);
            if is_new {
                self.need(height_of(&head) + height);
            } else if self.rest() < height {
                self.next_page();
                is_new = true;
            }
            if is_new {
                self.put_row(&head, &widths, self.accent);
                is_new = false;
            }
            self.put_row(&row, &widths, Ink::LINE);
        }
        self.y += 8.0;
    }

    fn row(&mut self, cells: &[String], widths: &[f32], (words, is_head): (usize, bool)) -> Vec<Rc<Lines>> {
        let cells = cells.iter().zip(widths).enumerate();
        let set = |(at, (text, width)): (usize, (&String, &f32))| {
            let style = match is_head {
                true => Style::new(8.0, Ink::GREY).bold(),
                false => Style::new(9.0, Ink::BLACK),
            };
            let style = style.right(at >= words);
            Rc::new(self.texts.lines(&cut(text), style, (width - CELL.0).max(10.0)))
        };
        cells.map(set).collect()
    }

    fn put_row(&mut self, row: &[Rc<Lines>], widths: &[f32], rule: Ink) {
        let (top, height) = (self.y, height_of(row));
        let mut x = SIDE;
        for (lines, width) in row.iter().zip(widths) {
            let mut y = top + CELL.1;
            for at in 0..lines.layout.len() {
                let height = lines
                    .layout
                    .get(at)
                    .map_or(0.0, |line| line.metrics().line_height);
                self.put(Item::Line(Rc::clone(lines), at, x, y));
                y += height;
            }
            x += width;
        }
        self.y = top + height;
        let below = vec![(SIDE, self.y), (SIDE + WIDTH, self.y)];
        self.put(Item::Path(below, rule, 0.6, false));
    }

    pub(super) fn trend(&mut self, trend: &PdfTrend) {
        self.need(PdfTrend::HEIGHT + 20.0);
        let corner = (SIDE, self.y);
        for item in trend.items(corner, self.accent) {
            self.put(item);
        }
        for (text, x, y) in trend.words(corner) {
            let lines = Rc::new(self.texts.lines(&text, Style::new(7.5, Ink::GREY), 80.0));
            let x = match x {
                x if x < SIDE => x,
                x => (x - lines.layout.width() / 2.0).clamp(SIDE, SIDE + WIDTH - lines.layout.width()),
            };
            self.put(Item::Line(lines, 0, x, y));
        }
        self.y += PdfTrend::HEIGHT + 10.0;
    }

    /// The pages with their feet.
    pub(super) fn finish(mut self, foot: &str) -> Vec<Vec<Item>> {
        let count = self.pages.len();
        for at in 0..count {
            let number = format!("{} / {count}", at + 1);
            let small = Style::new(7.5, Ink::GREY);
            let left = Rc::new(self.texts.lines(foot, small, WIDTH - 60.0));
            let right = Rc::new(self.texts.lines(&number, small.right(true), WIDTH));
            if let Some(page) = self.pages.get_mut(at) {
                let y = PAGE.1 - 40.0;
                page.push(Item::Line(left, 0, SIDE, y));
                page.push(Item::Line(right, 0, SIDE, y));
            }
        }
        self.pages
    }
}

fn height_of(row: &[Rc<Lines>]) -> f32 {
    let heights = row.iter().map(|lines| lines.height());
    heights.fold(0.0, f32::max) + 2.0 * CELL.1
}

pub(super) fn rectangle(x: f32, y: f32, width: f32, height: f32) -> Vec<(f32, f32)> {
    vec![(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
}
