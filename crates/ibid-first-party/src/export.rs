//! One table of an export: its rows become daily rows.

use crate::bots::assistant;
use crate::columns::{Column, Columns};
use crate::dates::{Order, RawDate};
use crate::formats::{Format, Table};
use crate::number::{count, percent};
use crate::page::page_key;
use crate::read::{Error, Options};
use crate::refused::{Reason, RefusedRows};
use crate::row::{Measure, Period, Row, RowSet, Subject};
use jiff::civil::Date;
use std::collections::HashSet;

/// Most rows of a table: a thousand times what search consoles export.
const MOST_ROWS: usize = 1_000_000;
/// Longest query in bytes.
const LONGEST: usize = 2_048;

/// Days that rows without a date are about.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Undated {
    /// The days of the report, where the file tells them.
    pub(crate) period: Option<Period>,
    /// The day of the export.
    pub(crate) as_of: Option<Date>,
}

/// What a table held.
#[derive(Debug, Default)]
pub(crate) struct TableReading {
    pub(crate) rows: RowSet,
    pub(crate) refused: RefusedRows,
    /// Rows of the table.
    pub(crate) read: u64,
    /// Rows that became daily rows.
    pub(crate) used: u64,
    pub(crate) notes: Vec<String>,
}

/// A row whose date may be waiting for its order.
struct Draft {
    line: u64,
    date: Option<RawDate>,
    subject: Option<Subject>,
    by: Option<String>,
    values: Vec<(Measure, f64)>,
}

/// A table while it is read.
pub(crate) struct TableReader<'a> {
    options: &'a Options,
    table: &'static Table,
    columns: Columns,
    drafts: Vec<Draft>,
    seen: HashSet<String>,
    reading: TableReading,
}

impl<'a> TableReader<'a> {
    pub(crate) fn new(table: &'static Table, columns: Columns, options: &'a Options) -> Self {
        let mut notes = Vec::new();
        if !columns.compared.is_empty() {
            notes.push("a comparison of two periods: only the first one is read".to_owned());
        }
        // Analytics has a dozen other measures, and consoles have two.
        let others: Vec<&str> = columns
            .unknown
            .iter()
            .map(String::as_str)
            .filter(|header| !KNOWN_OTHERS.contains(&header.to_lowercase().as_str()))
            .collect();
        if !others.is_empty() && table.format != Format::Ga4Sources {
            notes.push(format!("columns that are not read: {}", others.join(", ")));
        }
        Self {
            options,
            table,
            columns,
            drafts: Vec::new(),
            seen: HashSet::new(),
            reading: TableReading {
                notes,
                ..TableReading::default()
            },
        }
    }

    /// Whether rows have a date of their own.
    pub(crate) fn is_dated(&self) -> bool {
        self.columns.has(Column::Date)
    }

    pub(crate) fn width(&self) -> usize {
        self.columns.width
    }

    /// Takes a row.
    pub(crate) fn push(&mut self, line: u64, cells: &[String], has_formula: bool) -> Result<(), Error> {
        self.reading.read += 1;
        if self.drafts.len() >= MOST_ROWS {
            return Err(Error::TooManyRows { most: MOST_ROWS });
        }
        if has_formula || cells.iter().any(|cell| cell.trim_start().starts_with('=')) {
            self.reading.refused.count(line, Reason::Formula);
            return Ok(());
        }
        if cells.len() != self.columns.width {
            self.reading.refused.count(line, Reason::Fields);
            return Ok(());
        }
        match self.draft(line, cells) {
            Ok(Some(draft)) => self.drafts.push(draft),
            Ok(None) => {}
            Err(reason) => self.reading.refused.count(line, reason),
        }
        Ok(())
    }

    /// The draft of a row; `None` for one without a value for us: a day before there were data, another source of sessions.
    fn draft(&mut self, line: u64, cells: &[String]) -> Result<Option<Draft>, Reason> {
        let cell = |column| self.columns.cell(cells, column);
        let by = match cell(Column::SessionSource) {
            Some(source) => match assistant(source.split(" / ").next().unwrap_or_default()) {
                Some(name) => Some(name.to_owned()),
                None => return Ok(None),
            },
            None => None,
        };
        let date = match cell(Column::Date) {
            Some(text) => Some(RawDate::parse(text).ok_or(Reason::Date)?),
            None => None,
        };
        let measures = [
            (Column::Citations, Measure::Citations),
            (Column::CitedPages, Measure::CitedPages),
            (Column::Clicks, Measure::Clicks),
            (Column::Impressions, Measure::Impressions),
            (Column::Sessions, Measure::Sessions),
            (Column::EngagedSessions, Measure::EngagedSessions),
            (Column::KeyEvents, Measure::KeyEvents),
        ];
        let mut values = Vec::new();
        for (column, measure) in measures {
            if let Some(text) = cell(column).filter(|text| !text.is_empty()) {
                values.push((measure, count(text).ok_or(Reason::Number)?));
            }
        }
        if let Some(text) = cell(Column::CitationShare).filter(|text| !text.is_empty()) {
            values.push((Measure::CitationShare, percent(text).ok_or(Reason::Number)?));
        }
        if values.is_empty() {
            return Ok(None);
        }
        let subject = self.subject(cells)?;
        let key = [
            Column::Date,
            Column::SessionSource,
            Column::Page,
            Column::Query,
            Column::GroundingQuery,
            Column::LandingPage,
        ]
        .map(|column| cell(column).unwrap_or_default())
        .join("\u{1f}");
        if !self.seen.insert(key) {
            return Err(Reason::Repeated);
        }
        if let (Some(topic), None) = (cell(Column::Topic).filter(|topic| !topic.is_empty()), &by) {
            let citations = values
                .iter()
                .filter(|(measure, _)| *measure == Measure::Citations);
            self.drafts.push(Draft {
                line,
                date,
                subject: Some(Subject::Topic(topic.to_owned())),
                by: None,
                values: citations.copied().collect(),
            });
        }
        self.reading.used += 1;
        Ok(Some(Draft {
            line,
            date,
            subject,
            by,
            values,
        }))
    }

    fn subject(&self, cells: &[String]) -> Result<Option<Subject>, Reason> {
        let cell = |column| self.columns.cell(cells, column);
        if let Some(query) = cell(Column::Query).or_else(|| cell(Column::GroundingQuery)) {
            return match query {
                "" => Err(Reason::Empty),
                query if query.len() > LONGEST => Err(Reason::TooLong),
                query => Ok(Some(Subject::Query(query.to_owned()))),
            };
        }
        match cell(Column::Page).or_else(|| cell(Column::LandingPage)) {
            None => Ok(None),
            Some("") => Err(Reason::Empty),
            // Sessions without a first page.
            Some("(not set)") if self.table.format == Format::Ga4Sources => Ok(None),
            Some(page) if page.len() > LONGEST => Err(Reason::TooLong),
            Some(page) => match page_key(page, &self.options.domain) {
                Some(key) => Ok(Some(Subject::Page(key))),
                None => Err(Reason::OtherWebsite),
            },
        }
    }

    /// Gives every row its date.
    pub(crate) fn finish(mut self, undated: Undated) -> Result<TableReading, Error> {
        let order = self.order()?;
        let has_undated = self.drafts.iter().any(|draft| draft.date.is_none());
        if has_undated && undated.period.is_none() {
            return Err(Error::NoDays {
                format: self.table.format,
            });
        }
        let days = self.drafts.iter().filter_map(|draft| draft.date?.in_order(order));
        let as_of = undated.as_of.or(days.max()).or(undated.period.map(Period::end));
        for draft in self.drafts {
            let period = match draft.date {
                Some(date) => date.in_order(order).map(|day| Period::Day { day }),
                None => undated.period,
            };
            let Some(period) = period else {
                self.reading.refused.count(draft.line, Reason::Date);
                continue;
            };
            for (measure, value) in draft.values {
                self.reading.rows.add(Row {
                    source: self.table.source,
                    period,
                    subject: draft.subject.clone(),
                    by: draft.by.clone(),
                    measure,
                    value,
                    as_of,
                });
            }
        }
        Ok(self.reading)
    }

    /// The order of all dates with slashes.
    fn order(&mut self) -> Result<Order, Error> {
        let first = |wanted| {
            let mut known = self
                .drafts
                .iter()
                .filter(|draft| draft.date.and_then(RawDate::order) == Some(wanted));
            known.next().map(|draft| draft.line)
        };
        match (first(Order::MonthFirst), first(Order::DayFirst)) {
            (Some(month_first), Some(day_first)) => {
                return Err(Error::TwoOrders {
                    month_first,
                    day_first,
                });
            }
            (Some(_), None) => return Ok(Order::MonthFirst),
            (None, Some(_)) => return Ok(Order::DayFirst),
            (None, None) => {}
        }
        let slashed: Vec<(i8, i8)> = self
            .drafts
            .iter()
            .filter_map(|draft| match draft.date? {
                RawDate::Slashed(a, b, _) => Some((a, b)),
                RawDate::Known(_) => None,
            })
            .collect();
        let Some((a, b)) = slashed.first() else {
            return Ok(Order::MonthFirst);
        };
        // Days of one month: the number that changes is the day.
        let (same_a, same_b) = (
            slashed.iter().all(|date| date.0 == *a),
            slashed.iter().all(|date| date.1 == *b),
        );
        Ok(match (same_a, same_b) {
            (true, false) => Order::MonthFirst,
            (false, true) => Order::DayFirst,
            (true, true) | (false, false) => {
                if slashed.iter().any(|(a, b)| a != b) {
                    let line = self.drafts.first().map_or(0, |draft| draft.line);
                    self.reading.notes.push(format!(
                        "dates such as in line {line} can be read in two orders; the month is taken to be first"
                    ));
                }
                Order::MonthFirst
            }
        })
    }
}

/// Measures that follow from others or are means.
const KNOWN_OTHERS: [&str; 17] = [
    "ctr",
    "url ctr",
    "klickrate",
    "klickfrekvens",
    "클릭률",
    "点击率",
    "position",
    "average position",
    "durchschnittliche position",
    "position moyenne",
    "posición",
    "posición media",
    "posizione",
    "posizione media",
    "posição",
    "positie",
    "掲載順位",
];
