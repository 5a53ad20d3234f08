//! Files: what is in them is found from their bytes and headers, not from their names.

use crate::archive::{Archive, Bounds, Capped, ReadSeek, is_beyond};
use crate::bots::Ranges;
use crate::columns::{Column, Columns, column_of, is_web};
use crate::dates::{RawDate, in_name};
use crate::export::{TableReader, TableReading, Undated};
use crate::formats::{Fit, Format, Report, fit};
use crate::lines::{Line, Lines};
use crate::log::{self, day_of, form_of};
use crate::number::{count, decimal, percent};
use crate::refused::{Reason, RefusedRows};
use crate::row::{Period, RowSet, Source};
use crate::sheet::{Book, Sheet, SheetRow};
use flate2::bufread::MultiGzDecoder;
use ibid_model::Domain;
use ipnet::IpNet;
use jiff::civil::Date;
use serde::Serialize;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

/// Headers that an error shows.
const SHOWN: usize = 20;
/// Bytes of a file that tell a log from a table.
const START: usize = 64 << 10;
/// So many lines may come before a log's first readable one.
const FIRST_LINES: usize = 20;

/// How to read.
#[derive(Clone, Debug)]
pub struct Options {
    /// The website; rows about others are refused.
    pub domain: Domain,
    /// The format, where a header fits several.
    pub format: Option<Format>,
    /// Ends reports that do not tell their last day.
    pub until: Option<Date>,
    /// Published addresses of programs.
    pub ranges: Ranges,
    /// Addresses of the website's own proxies: only from them a forwarded address is believed.
    pub proxies: Vec<IpNet>,
    /// How much of a file is read.
    pub bounds: Bounds,
}

/// Why a file cannot be read. Nothing of such a file is kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes cannot be read, or are broken.
    #[error("cannot be read")]
    Io(#[from] io::Error),
    /// A compressed file ends early or is damaged.
    #[error("the compressed file is broken")]
    BrokenGzip(#[source] io::Error),
    /// An archive that is none, or a damaged one.
    #[error("the archive is broken")]
    BrokenArchive,
    /// An archive with too many files.
    #[error("the archive has more than {most} files")]
    TooManyFiles { most: usize },
    /// A file of an archive needs a password.
    #[error("{name} in the archive needs a password")]
    Locked { name: String },
    /// A file of an archive is packed in another way.
    #[error("{name} in the archive is packed in a way that exports do not use")]
    UnknownPacking { name: String },
    /// A spreadsheet that is none.
    #[error("the spreadsheet is broken")]
    Xml(#[from] quick_xml::Error),
    /// A row with more cells than exports have.
    #[error("line {line} has more columns than any export")]
    TooWide { line: u64 },
    /// More rows or lines than exports have, or than are kept.
    #[error("has more than {most} rows or lines, which is more than are kept")]
    TooManyRows { most: usize },
    /// A line of a table over 1 MiB.
    #[error("line {line} is longer than 1 MiB")]
    LongLine { line: u64 },
    /// A quote that does not end.
    #[error("the quote that opens in line {line} does not end")]
    OpenQuote { line: u64 },
    /// Bytes that are no text.
    #[error("line {line} is not text")]
    NotText { line: u64 },
    /// A file with nothing in it.
    #[error("has no rows")]
    Empty,
    /// An old binary spreadsheet.
    #[error("is an old spreadsheet (.xls); export it as CSV or .xlsx")]
    OldSpreadsheet,
    /// A header that no known table has.
    #[error("line {line} has the columns {}; the known formats are {}", headers.join(", "), known())]
    UnknownTable { line: u64, headers: Vec<String> },
    /// A report that is known, but from which no rows are taken.
    #[error("is {what}, which is not read; the known formats are {}", known())]
    NotRead { what: &'static str },
    /// Unknown headers over a form that only one report has.
    #[error(
        "line {line} has columns in a language that is not known: {}; their form is that of {format}: if it is, read it with that format",
        headers.join(", ")
    )]
    Likely {
        line: u64,
        headers: Vec<String>,
        /// The table that has this form.
        format: Format,
    },
    /// An access log in an unknown form. Nothing in it is shown, because its lines hold visitors' addresses.
    #[error(
        "is an access log of a form that is not read; the known formats are {}",
        known()
    )]
    UnknownLog,
    /// An archive without a known table.
    #[error("no table of the archive is known: {}; the known formats are {}", tables.join("; "), known())]
    UnknownTables {
        /// The tables with their first columns.
        tables: Vec<String>,
    },
    /// An export of another tracker without questions and rivals.
    #[error("no column or member holds questions or rivals: {}", shown(headers).join(", "))]
    NoQuestions {
        /// Its columns or members.
        headers: Vec<String>,
    },
    /// Columns that fit two trackers.
    #[error("the columns are those of {}; name the tracker", tools.join(" and of "))]
    TwoTrackers { tools: Vec<String> },
    /// Dates such as 3/4/2026 alone.
    #[error(
        "the date in line {line} can have the month or the day first, and no other line shows which; write dates as 2026-08-31"
    )]
    UnknownOrder {
        /// The first such line.
        line: u64,
    },
    /// An archive of another tracker that does not hold one file.
    #[error("the archive has {files} files; unpack it, and import one of them at a time")]
    NotOneFile {
        /// Their number.
        files: usize,
    },
    /// Whoever takes the answers has had enough.
    #[error("stopped")]
    Stopped,
    /// JSON that cannot be read.
    #[error("row {row} is not JSON")]
    Json {
        row: u64,
        #[source]
        cause: serde_json::Error,
    },
    /// A header that fits several tables.
    #[error("the columns of line {line} fit {}; name the format", of_formats(formats))]
    Ambiguous { line: u64, formats: Vec<Format> },
    /// A column that is there twice.
    #[error("line {line} has the column {header:?} twice")]
    Twice { line: u64, header: String },
    #[error(
        "line {line} counts days from the start of the report (\"Nth day\"); export it with the dimension Date"
    )]
    NthDay { line: u64 },
    /// Dates with the month first and with the day first in one file.
    #[error("the month comes first in line {month_first}, and the day in line {day_first}")]
    TwoOrders {
        /// A line in which the month comes first.
        month_first: u64,
        /// A line in which the day comes first.
        day_first: u64,
    },
    /// A report that does not tell its days.
    #[error(
        "the rows of {format} have no date, and the name of the file has none; give the last day of the report"
    )]
    NoDays { format: Format },
}

fn known() -> String {
    let shown = |format: &Format| format!("{format} ({})", format.shape());
    Format::ALL.iter().map(shown).collect::<Vec<_>>().join("; ")
}

fn of_formats(formats: &[Format]) -> String {
    formats
        .iter()
        .map(|format| format.name())
        .collect::<Vec<_>>()
        .join(" and ")
}

/// What was understood of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileReport {
    pub name: String,
    /// The tables or the kind of log in it.
    pub formats: Vec<Format>,
    /// Its rows or lines.
    pub read: u64,
    /// Those that daily rows rest on. The rest is refused or holds nothing about assistants.
    pub used: u64,
    pub rows: usize,
    pub from: Option<Date>,
    pub to: Option<Date>,
    pub refused: RefusedRows,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// An earlier file with the same content: this one is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<String>,
}

/// All files of one call.
///
/// Exports are merged: for one day the later export's value counts. Parts of a log are added, so that a day which
/// is in two files is whole; the same log twice counts once.
#[derive(Debug, Default)]
pub struct Reading {
    files: Vec<FileReport>,
    exports: RowSet,
    logs: RowSet,
    spans: Vec<LogSpan>,
}

#[derive(Debug)]
struct LogSpan {
    name: String,
    digest: u64,
    span: Option<(i64, i64)>,
}

impl Reading {
    /// The files in the order in which they were read.
    pub fn files(&self) -> &[FileReport] {
        &self.files
    }

    pub fn rows(&self) -> RowSet {
        let mut rows = self.exports.clone();
        rows.merge(self.logs.clone());
        rows
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be understood. Nothing of it is kept then.
    pub fn add(&mut self, name: &str, file: &mut (impl Read + Seek), options: &Options) -> Result<(), Error> {
        let mut start = Vec::new();
        file.by_ref().take(8).read_to_end(&mut start)?;
        file.seek(SeekFrom::Start(0))?;
        let (report, rows) = match &start[..] {
            [b'P', b'K', 3 | 5, ..] => read_archive(name, file, options)?,
            [0xd0, 0xcf, 0x11, 0xe0, ..] => return Err(Error::OldSpreadsheet),
            [0x1f, 0x8b, ..] => {
                let unpacked = MultiGzDecoder::new(BufReader::with_capacity(1 << 17, file));
                let unpacked = Capped::new(unpacked, options.bounds);
                let text = BufReader::with_capacity(1 << 17, unpacked);
                self.read_text(name, text, options).map_err(|error| match error {
                    Error::Io(cause) if !is_beyond(&cause) => Error::BrokenGzip(cause),
                    other => other,
                })?
            }
            _ => {
                let text = BufReader::with_capacity(1 << 17, Capped::new(file, options.bounds));
                self.read_text(name, text, options)?
            }
        };
        match report.formats.first() {
            Some(format) if format.is_log() => self.logs.add_all(&rows),
            _ => self.exports.merge(rows),
        }
        self.files.push(report);
        Ok(())
    }

    /// A log or a single table.
    fn read_text(
        &mut self,
        name: &str,
        mut text: impl BufRead,
        options: &Options,
    ) -> Result<(FileReport, RowSet), Error> {
        let mut start = Vec::new();
        text.by_ref().take(START as u64).read_to_end(&mut start)?;
        let format = log_format(&start, options);
        let whole = io::Cursor::new(start).chain(text);
        match format {
            Some(format) => self.read_log(name, format, whole, options),
            None => {
                let lines = Lines::new(whole)?;
                let mut report = FileReport::named(name);
                let tables = read_tables(lines, name, options, &mut report)?;
                let view = Report::named(name).filter(|report| report.is_filtered);
                let filters = view.map(|_| "a part of the website".to_owned());
                let rows = gather(tables, filters.as_slice(), &mut report);
                Ok((report, rows))
            }
        }
    }

    fn read_log(
        &mut self,
        name: &str,
        format: Format,
        bytes: impl BufRead,
        options: &Options,
    ) -> Result<(FileReport, RowSet), Error> {
        let reading = log::read(bytes, format, options)?;
        let mut report = FileReport::named(name);
        report.formats.push(format);
        report.read = reading.lines;
        report.used = reading.counted;
        report.refused = reading.refused;
        let day = |second: i64| day_of(second.div_euclid(86_400));
        report.from = reading.span.and_then(|(first, _)| day(first));
        report.to = reading.span.and_then(|(_, last)| day(last));
        if let Some(same) = self.spans.iter().find(|known| known.digest == reading.digest) {
            report.repeats = Some(same.name.clone());
            return Ok((report, RowSet::default()));
        }
        for (program, count) in reading.unserved {
            report
                .notes
                .push(format!("{count} fetches of {program} did not get the page"));
        }
        if reading.files > 0 {
            report.notes.push(format!(
                "{} fetches of files, robots.txt, sitemaps, services and advertisements are no fetches of pages",
                reading.files
            ));
        }
        if reading.pageless > 0 {
            report.notes.push(format!(
                "{} requests count for no page, as there are too many different ones",
                reading.pageless
            ));
        }
        let overlaps = |other: &LogSpan| match (other.span, reading.span) {
            (Some((from, to)), Some((first, last))) => from < last && first < to,
            _ => false,
        };
        for other in self.spans.iter().filter(|other| overlaps(other)) {
            report.notes.push(format!(
                "covers hours that {} covers: lines that are in both count twice",
                other.name
            ));
        }
        self.spans.push(LogSpan {
            name: name.to_owned(),
            digest: reading.digest,
            span: reading.span,
        });
        report.rows = reading.rows.len();
        Ok((report, reading.rows))
    }
}

impl FileReport {
    /// Reports a file that gave nothing.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    fn take(&mut self, format: Format, table: &mut TableReading) {
        self.formats.push(format);
        self.read += table.read;
        self.used += table.used;
        for (reason, count) in &table.refused.counts {
            *self.refused.counts.entry(*reason).or_default() += count;
        }
        self.refused.first.append(&mut table.refused.first);
        self.notes.append(&mut table.notes);
    }
}

/// Tells which log a file is, if it is one.
fn log_format(start: &[u8], options: &Options) -> Option<Format> {
    if let Some(format) = options.format {
        return Some(format).filter(|format| format.is_log());
    }
    let lines = start.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !line.is_empty()).take(FIRST_LINES);
    lines.find_map(form_of)
}

/// Whether some log has such lines, since no export has what these lines have.
fn is_of_log(text: &str) -> bool {
    let has = |sign| text.contains(sign);
    let is_address = |word: &str| word.parse::<std::net::IpAddr>().is_ok();
    let mut words = text.split(|letter: char| !letter.is_ascii_hexdigit() && !matches!(letter, '.' | ':'));
    text.starts_with('{') || has(" HTTP/") || has("Mozilla/") || words.any(is_address)
}

/// A table that is read, but for the days of rows without a date.
struct OpenTable<'a> {
    format: Format,
    reader: TableReader<'a>,
    undated: Undated,
}

/// Reads all tables in a text. Analytics write several, each with a preamble.
fn read_tables(
    mut lines: Lines<'_>,
    name: &str,
    options: &Options,
    report: &mut FileReport,
) -> Result<Vec<(Format, TableReading)>, Error> {
    let (as_of, named) = (in_name(name), Report::named(name));
    let mut delimiter = None;
    let mut done = Vec::new();
    let mut open: Option<OpenTable<'_>> = None;
    let mut skipped: Option<Error> = None;
    let (mut has_preamble, mut is_after_gap) = (false, true);
    let mut days = (None, None);
    while let Some(line) = lines.next()? {
        let text = line.text.trim_matches(['\r', '\n']);
        if text.trim().trim_matches([',', ';', '\t']).is_empty() {
            is_after_gap = true;
            continue;
        }
        if let Some(comment) = text.trim_start_matches('"').strip_prefix('#') {
            (has_preamble, is_after_gap) = (true, true);
            match preamble_day(comment) {
                Some((true, day)) => days = (Some(day), None),
                Some((false, day)) => days.1 = Some(day),
                None => {}
            }
            if let Some((from, to)) = preamble_days(comment) {
                days = (Some(from), Some(to));
            }
            continue;
        }
        if let Some(named) = text.strip_prefix("sep=").filter(|_| line.number == 1) {
            delimiter = named.chars().next();
            continue;
        }
        let split = delimiter.unwrap_or_else(|| delimiter_of(text));
        let cells = fields(text, split);
        if is_after_gap && (open.is_none() || has_preamble || is_header(&cells)) {
            is_after_gap = false;
            finish(open.take(), &mut done)?;
            delimiter = Some(split);
            let period = match days {
                (Some(from), Some(to)) => Some(Period::Range { from, to }),
                (Some(_) | None, _) => options.until.or(as_of).map(|until| Period::Until { until }),
            };
            match open_table(&line, &cells, named, options) {
                Ok((format, reader)) => {
                    open = Some(OpenTable {
                        format,
                        reader,
                        undated: Undated { period, as_of },
                    });
                }
                Err(Error::UnknownTable { .. }) if is_of_log(text) => return Err(Error::UnknownLog),
                Err(error) if has_preamble => {
                    report.notes.push(format!("a table is left out: {error}"));
                    skipped.get_or_insert(error);
                }
                Err(Error::UnknownTable { line, headers }) => {
                    let row = lines
                        .next()?
                        .map(|line| fields(&line.text, split))
                        .unwrap_or_default();
                    return Err(match Shape::of(&row).and_then(|shape| shape.format(named)) {
                        Some(format) => Error::Likely {
                            line,
                            headers,
                            format,
                        },
                        None => Error::UnknownTable { line, headers },
                    });
                }
                Err(error) => return Err(error),
            }
            continue;
        }
        is_after_gap = false;
        if let Some(open) = &mut open {
            open.reader.push(line.number, &cells, false)?;
        }
    }
    finish(open, &mut done)?;
    if let Some(line) = lines.latin1_from {
        report
            .notes
            .push(format!("line {line} is not UTF-8: read as Latin-1"));
    }
    match (done.is_empty(), skipped) {
        (true, Some(error)) => Err(error),
        (true, None) => Err(Error::Empty),
        (false, _) => Ok(done),
    }
}

fn finish(open: Option<OpenTable<'_>>, done: &mut Vec<(Format, TableReading)>) -> Result<(), Error> {
    if let Some(open) = open {
        done.push((open.format, open.reader.finish(open.undated)?));
    }
    Ok(())
}

/// Reads `Start date: 20260801` and `End date: …`; in any language a preamble's first and second date.
fn preamble_day(comment: &str) -> Option<(bool, Date)> {
    let (label, value) = comment.split_once(':')?;
    let RawDate::Known(day) = RawDate::parse(value.trim().trim_end_matches(['"', ',', ';']))? else {
        return None;
    };
    let label = label.to_lowercase();
    let is_start = [
        "start",
        "startdatum",
        "début",
        "inicio",
        "início",
        "inizio",
        "begin",
        "開始",
    ];
    Some((is_start.iter().any(|word| label.contains(word)), day))
}

/// Reads an exploration's days: `20260801-20260831`.
fn preamble_days(comment: &str) -> Option<(Date, Date)> {
    let (from, to) = comment.trim().trim_end_matches(['"', ',', ';']).split_once('-')?;
    let day = |text: &str| match RawDate::parse(text.trim()) {
        Some(RawDate::Known(day)) if text.trim().len() == 8 => Some(day),
        _ => None,
    };
    Some((day(from)?, day(to)?))
}

fn is_header(cells: &[String]) -> bool {
    matches!(fit(&Columns::of(cells), None, None), Fit::One(_))
}

fn open_table<'a>(
    line: &Line,
    cells: &[String],
    report: Option<Report>,
    options: &'a Options,
) -> Result<(Format, TableReader<'a>), Error> {
    let columns = Columns::of(cells);
    if columns.has(Column::NthDay) {
        return Err(Error::NthDay { line: line.number });
    }
    if let Some(header) = columns.twice {
        return Err(Error::Twice {
            line: line.number,
            header,
        });
    }
    match fit(&columns, options.format, report) {
        Fit::One(table) => Ok((table.format, TableReader::new(table, columns, options))),
        Fit::Several(formats) => Err(Error::Ambiguous {
            line: line.number,
            formats,
        }),
        Fit::Unread(what) => Err(Error::NotRead { what }),
        Fit::None => {
            let by_place = options
                .format
                .and_then(|format| Shape::columns(format, cells.len()));
            match by_place.map(|columns| (fit(&columns, options.format, None), columns)) {
                Some((Fit::One(table), columns)) => {
                    Ok((table.format, TableReader::new(table, columns, options)))
                }
                _ => Err(Error::UnknownTable {
                    line: line.number,
                    headers: shown(cells),
                }),
            }
        }
    }
}

/// What the cells of a row show, whatever its headers say: a text, clicks, impressions, a share and perhaps a position.
struct Shape {
    is_day: bool,
    is_page: bool,
    has_position: bool,
}

impl Shape {
    fn of(row: &[String]) -> Option<Self> {
        let (first, clicks, impressions, ctr, position) = match row {
            [first, clicks, impressions, ctr] => (first, clicks, impressions, ctr, None),
            [first, clicks, impressions, ctr, position] => (first, clicks, impressions, ctr, Some(position)),
            _ => return None,
        };
        let fits = count(clicks)
            .zip(count(impressions))
            .is_some_and(|(few, many)| few <= many)
            && ctr.contains(['%', '％'])
            && percent(ctr).is_some()
            && position.is_none_or(|position| decimal(position).is_some());
        fits.then(|| Self {
            is_day: RawDate::parse(first).is_some(),
            is_page: first.starts_with("https://") || first.starts_with("http://"),
            has_position: position.is_some(),
        })
    }

    /// Tells which table has this form. Rows with words may be queries, countries or devices.
    fn format(&self, report: Option<Report>) -> Option<Format> {
        let is_ai = match report.and_then(|report| report.source) {
            Some(Source::SearchConsoleAi) => true,
            Some(_) => false,
            None => !self.has_position,
        };
        Some(match (self.is_day, self.is_page, is_ai) {
            (true, _, true) => Format::GoogleAiDays,
            (true, _, false) => Format::SearchDays,
            (false, true, true) => Format::GoogleAiPages,
            (false, true, false) => Format::SearchPages,
            (false, false, true) => return None,
            (false, false, false) => Format::SearchQueries,
        })
    }

    fn columns(format: Format, width: usize) -> Option<Columns> {
        let first = match format {
            Format::SearchDays | Format::GoogleAiDays => Column::Date,
            Format::SearchPages | Format::GoogleAiPages => Column::Page,
            Format::SearchQueries => Column::Query,
            _ => return None,
        };
        let order = [
            first,
            Column::Clicks,
            Column::Impressions,
            Column::Ctr,
            Column::Position,
        ];
        (4..=5).contains(&width).then(|| Columns::by_place(&order, width))
    }
}

/// The first headers, cut: they may be anything.
fn shown(cells: &[String]) -> Vec<String> {
    let cell = |cell: &String| match is_of_log(cell) {
        true => "…".to_owned(),
        false => cell.chars().take(60).collect(),
    };
    cells.iter().take(SHOWN).map(cell).collect()
}

/// The character between the fields of a header.
pub(crate) fn delimiter_of(header: &str) -> char {
    let count = |delimiter| header.matches(delimiter).count();
    // The comma wins among equals.
    [';', '\t', ',']
        .into_iter()
        .max_by_key(|delimiter| count(*delimiter))
        .unwrap_or(',')
}

/// Splits a line whose quotes are closed.
pub(crate) fn fields(line: &str, delimiter: char) -> Vec<String> {
    let mut cells = Vec::new();
    let (mut cell, mut quoted) = (String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            letter if letter == delimiter && !quoted => cells.push(std::mem::take(&mut cell)),
            letter => cell.push(letter),
        }
    }
    cells.push(cell);
    cells
}

/// Merges tables into a file's rows. A filtered view says nothing about the whole website.
fn gather(tables: Vec<(Format, TableReading)>, filters: &[String], report: &mut FileReport) -> RowSet {
    let mut rows = RowSet::default();
    for (format, mut table) in tables {
        report.take(format, &mut table);
        if filters.is_empty() {
            rows.merge(table.rows);
        }
    }
    if !filters.is_empty() {
        report.refused.counts.insert(Reason::Filtered, report.used);
        report.used = 0;
        report.notes.push(format!(
            "a filtered view ({}): it is no total of the website, so nothing of it is kept; export it without the filter",
            filters.join(", ")
        ));
    }
    report.rows = rows.len();
    report.from = rows.iter().map(|row| row.period.start()).min();
    report.to = rows.iter().map(|row| row.period.end()).max();
    rows
}

/// A filter of an export, unless the whole website passes it: ordinary results, and days.
fn filter_of(cells: &[String]) -> Option<String> {
    let [name, value, ..] = cells else { return None };
    let is_whole = match column_of(name) {
        Some(Column::Date) => true,
        Some(Column::SearchType) => is_web(value),
        Some(_) => false,
        // In a language whose words are not known.
        None => is_web(value),
    };
    (!is_whole && !value.trim().is_empty()).then(|| format!("{}: {}", name.trim(), value.trim()))
}

/// A file of an archive, or a sheet.
enum Part {
    File(usize),
    Sheet(Sheet),
}

fn read_archive(
    name: &str,
    file: &mut (impl Read + Seek),
    options: &Options,
) -> Result<(FileReport, RowSet), Error> {
    let file: &mut dyn ReadSeek = file;
    let mut archive = Archive::open(file)?;
    archive.bound(options.bounds);
    let book = match Book::is_one(&archive) {
        true => Some(Book::open(&mut archive)?),
        false => None,
    };
    let parts: Vec<(String, Part)> = match &book {
        Some(book) => {
            let sheets = book.sheets.iter();
            sheets
                .map(|sheet| (sheet.name.clone(), Part::Sheet(sheet.clone())))
                .collect()
        }
        None => {
            let is_table = |name: &str| {
                let lower = name.to_lowercase();
                (lower.ends_with(".csv") || lower.ends_with(".tsv")) && !lower.starts_with("__macosx/")
            };
            let entries = archive.entries.iter().enumerate();
            let tables = entries.filter(|(_, entry)| is_table(&entry.name));
            tables
                .map(|(place, entry)| (entry.name.clone(), Part::File(place)))
                .collect()
        }
    };
    let book = book.unwrap_or_default();
    let mut report = FileReport::named(name);
    let named = Report::named(name);
    let (mut known, mut unknown, mut filters) = (Vec::new(), Vec::new(), Vec::new());
    for (part_name, part) in parts {
        let mut start: Vec<Vec<String>> = Vec::new();
        each_row(&mut archive, &book, &part, &mut |row| {
            start.push(row.cells);
            Ok(start.len() < FIRST_LINES)
        })?;
        let Some((header, rows)) = start.split_first() else {
            continue;
        };
        // A list of names and values, in whatever language.
        let is_value = |row: &Vec<String>| row.get(1).is_some_and(|value| count(value).is_none());
        let is_filter = header.first().and_then(|name| column_of(name)) == Some(Column::Filter);
        if header.len() == 2 && (is_filter || !rows.is_empty() && rows.iter().all(is_value)) {
            filters.extend(rows.iter().filter_map(|row| filter_of(row)));
            continue;
        }
        let head = Line {
            number: 1,
            text: String::new(),
        };
        match open_table(&head, header, named, options) {
            Ok((format, reader)) => known.push((format, reader, part)),
            Err(Error::UnknownTable { headers, .. }) => {
                // In Search Console's archive, rows with days and pages cannot be anything else.
                let shape = rows.first().and_then(|row| Shape::of(row));
                let shape = shape.filter(|shape| shape.is_day || shape.is_page);
                let report_of = named.filter(|report| report.is_search_console());
                let by_shape = report_of.and_then(|report| shape?.format(Some(report)));
                let reader = by_shape.and_then(|format| {
                    let columns = Shape::columns(format, header.len())?;
                    match fit(&columns, Some(format), None) {
                        Fit::One(table) => Some((format, TableReader::new(table, columns, options))),
                        _ => None,
                    }
                });
                match reader {
                    Some((format, reader)) => {
                        report
                            .notes
                            .push(format!("{part_name} is read by its form as {format}"));
                        known.push((format, reader, part));
                    }
                    None => unknown.push(format!("{part_name} ({})", headers.join(", "))),
                }
            }
            Err(other) => return Err(other),
        }
    }
    if known.is_empty() {
        return Err(match unknown.is_empty() {
            true => Error::Empty,
            false => Error::UnknownTables { tables: unknown },
        });
    }
    if !unknown.is_empty() {
        report.notes.push(format!("left out: {}", unknown.join("; ")));
    }
    // Tables by day tell the days of the others.
    known.sort_by_key(|(_, reader, _)| !reader.is_dated());
    let as_of = in_name(name);
    let mut period = options.until.or(as_of).map(|until| Period::Until { until });
    let mut tables = Vec::new();
    for (format, mut reader, part) in known {
        let is_dated = reader.is_dated();
        let width = reader.width();
        let mut is_header = true;
        each_row(&mut archive, &book, &part, &mut |mut row| {
            if std::mem::take(&mut is_header) || row.cells.iter().all(|cell| cell.trim().is_empty()) {
                return Ok(true);
            }
            // Spreadsheets leave out empty cells at the end.
            if matches!(part, Part::Sheet(_)) && row.cells.len() < width {
                row.cells.resize(width, String::new());
            }
            reader.push(row.number, &row.cells, row.has_formula)?;
            Ok(true)
        })?;
        let table = reader.finish(Undated { period, as_of })?;
        if is_dated {
            let days: Vec<Date> = table.rows.iter().map(|row| row.period.end()).collect();
            if let (Some(from), Some(to)) = (days.iter().min(), days.iter().max()) {
                period = Some(Period::Range { from: *from, to: *to });
            }
        }
        tables.push((format, table));
    }
    let rows = gather(tables, &filters, &mut report);
    Ok((report, rows))
}

/// Passes the rows of a part, until the function returns `false`.
fn each_row(
    archive: &mut Archive<'_>,
    book: &Book,
    part: &Part,
    each: &mut dyn FnMut(SheetRow) -> Result<bool, Error>,
) -> Result<(), Error> {
    match part {
        Part::Sheet(sheet) => book.rows(archive, sheet, each),
        Part::File(place) => {
            let mut lines = Lines::new(archive.read(*place)?)?;
            let mut delimiter = None;
            while let Some(line) = lines.next()? {
                if line.text.trim().is_empty() {
                    continue;
                }
                let split = *delimiter.get_or_insert_with(|| delimiter_of(&line.text));
                let cells = fields(&line.text, split);
                let is_wanted = each(SheetRow {
                    number: line.number,
                    cells,
                    has_formula: false,
                })?;
                if !is_wanted {
                    break;
                }
            }
            Ok(())
        }
    }
}
