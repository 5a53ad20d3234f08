//! Answers of all runs as a workbook for a spreadsheet (XLSX).
//!
//! Texts are cells of the type text, which no spreadsheet evaluates. Rows go to a temporary file, so memory stays flat.

use crate::csv::{AnswerRow, HEAD, clean};
use jiff::civil::Date;
use rust_xlsxwriter::{Format, Workbook, Worksheet, XlsxError};

pub const CONTENT_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// Rows of answers in a sheet: a sheet holds 1,048,576 rows.
pub const MOST_ROWS: u32 = 1_000_000;
/// Most characters of a cell, because one holds 32,767 units of UTF-16.
const MOST_CHARS: usize = 16_000;

/// A workbook with one sheet of answers.
pub struct AnswerWorkbook {
    workbook: Workbook,
    rows: u32,
}

/// A workbook that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("the workbook cannot be written")]
pub struct WorkbookError(#[from] XlsxError);

impl AnswerWorkbook {
    /// A workbook with the names of the columns.
    ///
    /// # Errors
    /// No temporary file can be made.
    pub fn new() -> Result<Self, WorkbookError> {
        let mut workbook = Workbook::new();
        let sheet = workbook.add_worksheet_with_constant_memory()?;
        sheet.set_name("Answers")?.set_freeze_panes(1, 0)?;
        let bold = Format::new().set_bold();
        for (column, name) in (0..).zip(HEAD) {
            sheet.write_string_with_format(0, column, name, &bold)?;
        }
        Ok(Self { workbook, rows: 0 })
    }

    /// Adds answers. Returns whether all of them fit.
    ///
    /// # Errors
    /// The temporary file cannot be written.
    pub fn add<'a>(&mut self, rows: impl IntoIterator<Item = AnswerRow<'a>>) -> Result<bool, WorkbookError> {
        let sheet = self.workbook.worksheet_from_index(0)?;
        for row in rows {
            if self.rows == MOST_ROWS {
                return Ok(false);
            }
            self.rows += 1;
            write(sheet, self.rows, &row)?;
        }
        Ok(true)
    }

    /// The file.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn finish(mut self) -> Result<Vec<u8>, WorkbookError> {
        Ok(self.workbook.save_to_buffer()?)
    }
}

fn write(sheet: &mut Worksheet, number: u32, row: &AnswerRow<'_>) -> Result<(), XlsxError> {
    let day = row.date.parse::<Date>().ok();
    let texts = [
        row.domain,
        if day.is_some() { "" } else { row.date },
        row.scan,
        row.place,
        row.question,
        row.model,
        row.class_word(),
    ];
    for (column, text) in (0..).zip(texts) {
        put(sheet, number, column, text)?;
    }
    if let Some(day) = day {
        let format = Format::new().set_num_format("yyyy-mm-dd");
        sheet.write_datetime_with_format(number, 1, day, &format)?;
    }
    if let Some(rank) = row.rank {
        sheet.write_number(number, 7, rank)?;
    }
    if let Some(score) = row.score {
        sheet.write_number(number, 8, score)?;
    }
    put(sheet, number, 9, row.url)
}

fn put(sheet: &mut Worksheet, row: u32, column: u16, text: &str) -> Result<(), XlsxError> {
    if text.is_empty() {
        return Ok(());
    }
    let text: String = clean(text).take(MOST_CHARS).collect();
    sheet.write_string(row, column, text).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workbook_is_written() {
        let mut book = AnswerWorkbook::new().unwrap();
        let row = AnswerRow {
            domain: "a.example",
            date: "2026-11-26",
            scan: "s",
            place: "",
            question: "=1+1",
            model: "model-1",
            class: None,
            rank: Some(2),
            score: Some(55.5),
            url: "https://a.example/",
        };
        assert!(book.add([row, row]).unwrap());
        let file = book.finish().unwrap();
        let name = b"xl/worksheets/sheet1.xml";
        let at = file.windows(name.len()).position(|bytes| bytes == name).unwrap();
        let extra = usize::from(u16::from_le_bytes([file[at - 2], file[at - 1]]));
        let mut sheet = String::new();
        let mut packed = flate2::read::DeflateDecoder::new(&file[at + name.len() + extra..]);
        std::io::Read::read_to_string(&mut packed, &mut sheet).unwrap();
        // A day is a number with a format, so that a spreadsheet sorts and filters it; a formula is text.
        let day = Date::new(2026, 11, 26).unwrap() - Date::new(1899, 12, 30).unwrap();
        assert!(sheet.contains(&format!("<v>{}</v>", day.get_days())), "{sheet}");
        assert!(sheet.contains("<t>=1+1</t>") && !sheet.contains("<f>"), "{sheet}");
    }
}
