//! Reads rows from a log: CSV with a header, JSON lines, or a JSON array of objects.

use super::cells::{Cell, Cells, Column};
use super::faults::LogFaults;
use super::log::ImportedLog;
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};
use ibid_provider::{Completion, annotations};
use jiff::Timestamp;
use serde::de::{Deserializer as _, IgnoredAny, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// Most bytes in a cell, which is also the limit for a provider's answer.
pub const MOST_BYTES_OF_CELL: usize = 256 << 10;
/// Longest name of a model, in characters.
const LONGEST_MODEL: usize = 200;
/// Names a model where the log does not.
const UNKNOWN_MODEL: &str = "unknown model";

/// One answer of a log.
#[derive(Debug)]
pub(super) struct LoggedAnswer {
    pub(super) question: String,
    pub(super) model: String,
    pub(super) completion: Completion,
    pub(super) asked_at: Option<Timestamp>,
}

/// Reads a log and passes every answer to `log`.
/// The first character distinguishes CSV from JSON.
/// Returns the number of rows without a question or an answer.
///
/// # Errors
/// Returns every line's faults. Reading ends after `most_rows` rows.
pub(super) fn read(bytes: &[u8], most_rows: usize, log: &mut ImportedLog) -> Result<usize, LogFaults> {
    let mut rows = Rows {
        most_rows,
        count: 0,
        skipped: 0,
        faults: LogFaults::default(),
        log,
    };
    let text = text_of(bytes);
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let skipped = lines_in(&text[..text.len() - start.len()]);
    match start.chars().next() {
        Some('[') => rows.array(start, skipped),
        Some('{') => rows.json_lines(start, skipped),
        Some(_) => rows.csv(start, skipped),
        None => {}
    }
    if rows.faults.is_empty() {
        Ok(rows.skipped)
    } else {
        Err(rows.faults)
    }
}

/// Decodes a file: UTF-8, UTF-16, or else Latin-1.
pub(crate) fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding.decode(bytes).0;
    }
    let zeros = |offset: usize| {
        let start = bytes.iter().take(4_096).skip(offset).step_by(2);
        start.filter(|byte| **byte == 0).count() > bytes.len().min(4_096) / 4
    };
    // Latin letters in UTF-16 have a zero in every other byte.
    match (zeros(0), zeros(1)) {
        (true, false) => UTF_16BE.decode(bytes).0,
        (false, true) => UTF_16LE.decode(bytes).0,
        (true, true) | (false, false) => {
            std::str::from_utf8(bytes).map_or_else(|_| WINDOWS_1252.decode(bytes).0, Cow::Borrowed)
        }
    }
}

/// Returns the number of line ends.
fn lines_in(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

/// The rows that are being read.
struct Rows<'r> {
    most_rows: usize,
    count: usize,
    skipped: usize,
    faults: LogFaults,
    log: &'r mut ImportedLog,
}

impl Rows<'_> {
    fn json_lines(&mut self, text: &str, before: u64) {
        for (number, line) in (before + 1..).zip(text.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            if !self.begin() {
                return;
            }
            self.object(line, number);
        }
    }

    fn array(&mut self, text: &str, before: u64) {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let elements = Elements {
            rows: &mut *self,
            text,
            at: 0,
            line: before + 1,
        };
        let read = (&mut deserializer).deserialize_seq(elements);
        if let Err(error) = read.and_then(|()| deserializer.end()) {
            let line = before + (error.line() as u64).max(1);
            self.faults.push(line, "the list of objects is not valid JSON");
        }
    }

    fn csv(&mut self, text: &str, before: u64) {
        let first = text.lines().next().unwrap_or_default();
        let separator = [b',', b';', b'\t']
            .into_iter()
            .max_by_key(|separator| first.bytes().filter(|byte| byte == separator).count())
            .unwrap_or(b',');
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .flexible(true)
            .from_reader(text.as_bytes());
        let columns: Vec<_> = match reader.headers() {
            Ok(header) => header
                .iter()
                .enumerate()
                .filter_map(|(index, name)| Some((index, Column::of(name)?)))
                .collect(),
            Err(_) => Vec::new(),
        };
        for wanted in [Column::Question, Column::Answer] {
            if !columns.iter().any(|(_, (column, _))| *column == wanted) {
                let (what, names) = (wanted.word(), wanted.names().join(", "));
                let message = format!("no column for the {what}; its name is one of {names}");
                self.faults.push(before + 1, message);
            }
        }
        if !self.faults.is_empty() {
            return;
        }
        let mut record = csv::StringRecord::new();
        loop {
            let line = before + reader.position().line();
            match reader.read_record(&mut record) {
                Ok(true) => {}
                Ok(false) => return,
                Err(_) => {
                    self.faults.push(line, "the row cannot be read");
                    return;
                }
            }
            if !self.begin() {
                return;
            }
            let line = record
                .position()
                .map_or(line, |position| before + position.line());
            let mut cells = Cells::default();
            for (index, column) in &columns {
                if let Some(text) = record.get(*index) {
                    cells.put(*column, Cell::Text(text));
                }
            }
            self.row(&cells, line);
        }
    }

    /// Counts a row. Returns whether it may be read.
    fn begin(&mut self) -> bool {
        self.count += 1;
        if self.count == self.most_rows.saturating_add(1) {
            let most = self.most_rows;
            self.faults
                .push(None, format!("the log has more than {most} rows"));
        }
        self.count <= self.most_rows
    }

    fn object(&mut self, text: &str, line: u64) {
        match serde_json::from_str::<Cells<'_>>(text) {
            Ok(cells) => self.row(&cells, line),
            Err(_) => self.faults.push(line, "no JSON object"),
        }
    }

    fn row(&mut self, cells: &Cells<'_>, line: u64) {
        match answer(cells) {
            Ok(Some(answer)) => {
                if let Err(message) = self.log.take(answer) {
                    self.faults.push(line, message);
                }
            }
            Ok(None) => self.skipped += 1,
            Err(message) => self.faults.push(line, message),
        }
    }
}

/// Reads a JSON array's elements as rows, with the lines where they begin.
struct Elements<'r, 'a, 't> {
    rows: &'a mut Rows<'r>,
    text: &'t str,
    at: usize,
    line: u64,
}

impl<'de> Visitor<'de> for Elements<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        while let Some(raw) = elements.next_element::<&'de RawValue>()? {
            // The element is a part of the text.
            let begins = (raw.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
            self.line += lines_in(self.text.get(self.at..begins).unwrap_or_default());
            self.at = begins;
            if !self.rows.begin() {
                break;
            }
            self.rows.object(raw.get(), self.line);
        }
        while elements.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// Reads the answer of a row; `None` without a question or an answer.
fn answer(cells: &Cells<'_>) -> Result<Option<LoggedAnswer>, String> {
    for column in Column::ALL {
        let own = cells.get(column).into_iter();
        let mut all = own.chain(
            cells
                .sources()
                .iter()
                .copied()
                .filter(|_| column == Column::Sources),
        );
        if all.any(|cell| cell.len() > MOST_BYTES_OF_CELL) {
            let (what, most) = (column.word(), MOST_BYTES_OF_CELL >> 10);
            return Err(format!("the cell of the {what} is longer than {most} KiB"));
        }
    }
    let text = |column| cells.get(column).and_then(Cell::text);
    let (Some(question), Some(answer)) = (text(Column::Question), text(Column::Answer)) else {
        return Ok(None);
    };
    let model = text(Column::Model);
    let has_nul = |text: &str| text.contains('\0');
    if has_nul(&question) || has_nul(&answer) || model.as_deref().is_some_and(has_nul) {
        return Err("a NUL character".to_owned());
    }
    if model
        .as_ref()
        .is_some_and(|model| model.chars().count() > LONGEST_MODEL)
    {
        return Err(format!(
            "the name of the model is longer than {LONGEST_MODEL} characters"
        ));
    }
    let sources = match cells.sources() {
        [one] => one.sources(),
        several => {
            let lists = several.iter().map(|cell| match cell.sources() {
                Value::Array(sources) => sources,
                other => vec![other],
            });
            lists.flatten().collect()
        }
    };
    Ok(Some(LoggedAnswer {
        question: question.into_owned(),
        model: model.as_deref().unwrap_or(UNKNOWN_MODEL).to_owned(),
        completion: Completion {
            text: answer.into_owned(),
            citations: annotations::citations(&sources),
            model: model.map(Cow::into_owned),
            ..Completion::default()
        },
        asked_at: cells.get(Column::Time).and_then(Cell::time),
    }))
}
