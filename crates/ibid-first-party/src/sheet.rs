//! Spreadsheets (xlsx), read a row at a time.
//!
//! Only what exports hold: names of sheets, texts, numbers and dates. Formulas are told apart, not computed.

use crate::archive::{Archive, Bounds};
use crate::read::Error;
use jiff::ToSpan;
use jiff::civil::{Date, date};
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::borrow::Cow;
use std::io::BufReader;

/// Most bytes that a spreadsheet unpacks to: its texts are kept in memory, and the largest exports have a few.
const MOST_UNPACKED: u64 = 64 << 20;
/// Longest cell in bytes: what a spreadsheet takes, in any script.
const LONGEST_CELL: usize = 4 * 32_767;
/// Most columns: exports have a dozen.
const MOST_COLUMNS: usize = 500;

/// A sheet: its name and its file in the archive.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    pub(crate) name: String,
    place: usize,
}

#[derive(Debug, Default)]
pub(crate) struct SheetRow {
    /// From 1.
    pub(crate) number: u64,
    pub(crate) cells: Vec<String>,
    pub(crate) has_formula: bool,
}

/// What the rows of all sheets refer to.
#[derive(Debug, Default)]
pub(crate) struct Book {
    pub(crate) sheets: Vec<Sheet>,
    texts: Vec<String>,
    /// For each style of a cell, whether it shows a date.
    dates: Vec<bool>,
    from_1904: bool,
}

impl Book {
    /// Whether an archive is a spreadsheet.
    pub(crate) fn is_one(archive: &Archive<'_>) -> bool {
        archive.find("xl/workbook.xml").is_some()
    }

    pub(crate) fn open(archive: &mut Archive<'_>) -> Result<Self, Error> {
        archive.bound(Bounds {
            bytes: Some(MOST_UNPACKED),
            ..Bounds::default()
        });
        let mut book = Self::default();
        let mut named: Vec<(String, String)> = Vec::new();
        each_tag(archive, "xl/workbook.xml", |tag| {
            match tag.local_name().as_ref() {
                "sheet" => named.extend(attribute(tag, "name").zip(attribute(tag, "r:id"))),
                "workbookPr" => {
                    book.from_1904 =
                        attribute(tag, "date1904").is_some_and(|value| value == "1" || value == "true");
                }
                _ => {}
            }
        })?;
        let mut targets: Vec<(String, String)> = Vec::new();
        each_tag(archive, "xl/_rels/workbook.xml.rels", |tag| {
            if tag.local_name().as_ref() == "Relationship" {
                targets.extend(attribute(tag, "Id").zip(attribute(tag, "Target")));
            }
        })?;
        for (name, id) in named {
            let target = targets
                .iter()
                .find(|(known, _)| *known == id)
                .map(|(_, target)| target);
            let path = target.map(|target| match target.strip_prefix('/') {
                Some(whole) => whole.to_owned(),
                None => format!("xl/{target}"),
            });
            if let Some(place) = path.and_then(|path| archive.find(&path)) {
                book.sheets.push(Sheet { name, place });
            }
        }
        book.read_styles(archive)?;
        book.read_texts(archive)?;
        Ok(book)
    }

    fn read_styles(&mut self, archive: &mut Archive<'_>) -> Result<(), Error> {
        if archive.find("xl/styles.xml").is_none() {
            return Ok(());
        }
        let mut own: Vec<u32> = Vec::new();
        let mut within = false;
        let mut dates = Vec::new();
        each_tag(archive, "xl/styles.xml", |tag| match tag.local_name().as_ref() {
            "numFmt" => {
                let id = attribute(tag, "numFmtId").and_then(|id| id.parse().ok());
                let is_date = attribute(tag, "formatCode").is_some_and(|code| shows_date(&code));
                own.extend(id.filter(|_: &u32| is_date));
            }
            "cellXfs" => within = true,
            "cellStyles" => within = false,
            "xf" if within => {
                let id = attribute(tag, "numFmtId")
                    .and_then(|id| id.parse().ok())
                    .unwrap_or(0);
                dates.push(matches!(id, 14..=17 | 22 | 27..=36 | 50..=58) || own.contains(&id));
            }
            _ => {}
        })?;
        self.dates = dates;
        Ok(())
    }

    fn read_texts(&mut self, archive: &mut Archive<'_>) -> Result<(), Error> {
        let Some(place) = archive.find("xl/sharedStrings.xml") else {
            return Ok(());
        };
        let mut reader = Reader::from_reader(BufReader::new(archive.read(place)?));
        let (mut buffer, mut text) = (Vec::new(), String::new());
        // Phonetic readings (`rPh`) are no part of the text.
        let (mut in_text, mut in_reading) = (false, false);
        loop {
            match reader.read_event_into(&mut buffer)? {
                Event::Start(tag) => match tag.local_name().as_ref() {
                    "si" => text.clear(),
                    "t" => in_text = !in_reading,
                    "rPh" => in_reading = true,
                    _ => {}
                },
                Event::End(tag) => match tag.local_name().as_ref() {
                    "si" => self.texts.push(std::mem::take(&mut text)),
                    "t" => in_text = false,
                    "rPh" => in_reading = false,
                    _ => {}
                },
                Event::Empty(tag) if tag.local_name().as_ref() == "si" => self.texts.push(String::new()),
                Event::Eof => break,
                event if in_text => push_text(&mut text, &event),
                _ => {}
            }
            buffer.clear();
        }
        Ok(())
    }

    /// Passes the rows of a sheet, until the function returns `false`.
    pub(crate) fn rows(
        &self,
        archive: &mut Archive<'_>,
        sheet: &Sheet,
        mut each: impl FnMut(SheetRow) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut reader = Reader::from_reader(BufReader::new(archive.read(sheet.place)?));
        let (mut buffer, mut row, mut cell) = (Vec::new(), SheetRow::default(), Cell::default());
        let (mut in_value, mut last) = (false, 0);
        loop {
            match reader.read_event_into(&mut buffer)? {
                Event::Start(tag) => match tag.local_name().as_ref() {
                    "row" => {
                        let number = attribute(&tag, "r").and_then(|number| number.parse().ok());
                        row = SheetRow {
                            number: number.unwrap_or(last + 1),
                            ..SheetRow::default()
                        };
                        last = row.number;
                    }
                    "c" => cell = Cell::of(&tag, row.cells.len()),
                    "v" | "t" => in_value = true,
                    "f" => row.has_formula = true,
                    _ => {}
                },
                Event::Empty(tag) => match tag.local_name().as_ref() {
                    "c" => {
                        let empty = Cell::of(&tag, row.cells.len());
                        self.push(&mut row, empty)?;
                    }
                    "f" => row.has_formula = true,
                    _ => {}
                },
                Event::End(tag) => match tag.local_name().as_ref() {
                    "v" | "t" => in_value = false,
                    "c" => {
                        let full = std::mem::take(&mut cell);
                        self.push(&mut row, full)?;
                    }
                    "row" if !each(std::mem::take(&mut row))? => return Ok(()),
                    _ => {}
                },
                Event::Eof => return Ok(()),
                event if in_value => push_text(&mut cell.text, &event),
                _ => {}
            }
            buffer.clear();
        }
    }

    fn push(&self, row: &mut SheetRow, cell: Cell) -> Result<(), Error> {
        if cell.column >= MOST_COLUMNS {
            return Err(Error::TooWide { line: row.number });
        }
        if row.cells.len() <= cell.column {
            row.cells.resize(cell.column + 1, String::new());
        }
        let text = match cell.kind.as_str() {
            "s" => {
                let place: Option<usize> = cell.text.trim().parse().ok();
                place
                    .and_then(|place| self.texts.get(place))
                    .cloned()
                    .unwrap_or_default()
            }
            "" | "n" if cell.style.and_then(|style| self.dates.get(style)) == Some(&true) => {
                self.day(&cell.text).map_or(cell.text, |day| day.to_string())
            }
            _ => cell.text,
        };
        if let Some(place) = row.cells.get_mut(cell.column) {
            *place = text;
        }
        Ok(())
    }

    /// Reads a serial number as a day.
    fn day(&self, text: &str) -> Option<Date> {
        let serial: f64 = text.trim().parse().ok()?;
        if !(1.0..2_958_466.0).contains(&serial) {
            return None;
        }
        let days = serial.floor() as i32;
        // The first calendar counts a 29 February 1900 that never was.
        let first = if self.from_1904 {
            date(1904, 1, 1)
        } else {
            date(1899, 12, 30)
        };
        first.checked_add(days.days()).ok()
    }
}

#[derive(Debug, Default)]
struct Cell {
    column: usize,
    kind: String,
    style: Option<usize>,
    text: String,
}

impl Cell {
    fn of(tag: &BytesStart<'_>, next: usize) -> Self {
        Self {
            column: attribute(tag, "r")
                .and_then(|place| column_of(&place))
                .unwrap_or(next),
            kind: attribute(tag, "t").unwrap_or_default(),
            style: attribute(tag, "s").and_then(|style| style.parse().ok()),
            text: String::new(),
        }
    }
}

/// Reads the column from an address such as `AB12`, from 0.
fn column_of(address: &str) -> Option<usize> {
    let letters = address.bytes().take_while(u8::is_ascii_uppercase);
    let number = letters
        .take(4)
        .fold(0_usize, |sum, letter| 26 * sum + usize::from(letter - b'A') + 1);
    number.checked_sub(1)
}

/// Whether a format of numbers shows a date: it has a year or a day outside quotes and brackets.
fn shows_date(code: &str) -> bool {
    let (mut quoted, mut bracketed) = (false, false);
    code.chars().any(|c| {
        match c {
            '"' => quoted = !quoted,
            '[' => bracketed = true,
            ']' => bracketed = false,
            _ => {}
        }
        !quoted && !bracketed && matches!(c, 'y' | 'Y' | 'd' | 'D')
    })
}

fn push_text(text: &mut String, event: &Event<'_>) {
    if text.len() > LONGEST_CELL {
        return;
    }
    match event {
        Event::Text(part) => text.push_str(part),
        Event::CData(part) => text.push_str(part),
        Event::GeneralRef(entity) => match resolve_xml_entity(entity) {
            Some(named) => text.push_str(named),
            None => text.push(entity.resolve_char_ref().ok().flatten().unwrap_or('\u{fffd}')),
        },
        _ => {}
    }
}

/// Passes every start tag in one part of the book.
fn each_tag(
    archive: &mut Archive<'_>,
    name: &str,
    mut each: impl FnMut(&BytesStart<'_>),
) -> Result<(), Error> {
    let place = archive.find(name).ok_or(Error::BrokenArchive)?;
    let mut reader = Reader::from_reader(BufReader::new(archive.read(place)?));
    let mut buffer = Vec::new();
    loop {
        match reader.read_event_into(&mut buffer)? {
            Event::Start(tag) | Event::Empty(tag) => each(&tag),
            Event::Eof => return Ok(()),
            _ => {}
        }
        buffer.clear();
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.try_get_attribute(name).ok()??;
    found
        .normalized_value(XmlVersion::Explicit1_0)
        .ok()
        .map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::{column_of, shows_date};

    #[test]
    fn addresses_and_formats() {
        assert_eq!(column_of("A1"), Some(0));
        assert_eq!(column_of("AB12"), Some(27));
        assert_eq!(column_of("7"), None);
        assert!(shows_date("yyyy-mm-dd") && shows_date("[$-409]d/m/yy"));
        assert!(!shows_date("0.00") && !shows_date("\"day\" 0") && !shows_date("[Red]0"));
    }
}
