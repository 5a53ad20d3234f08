//! One table of an export: its rows become daily rows.

use crate::bots::assistant;
use crate::columns::{Column, Columns, fold};
use crate::dates::{Order, RawDate};
use crate::formats::Table;
use crate::number::{count, decimal, percent};
use crate::page::page_key;
use crate::read::{Error, Options};
use crate::refused::{Reason, RefusedRows};
use crate::row::{Measure, Period, Row, RowSet, Source, Subject};
use jiff::ToSpan;
use jiff::civil::Date;
use std::collections::HashSet;

/// Most rows of a table: a thousand times what search consoles export.
const MOST_ROWS: usize = 1_000_000;
/// The channel in which analytics put visits from assistants; a view of their own beside the sources.
pub(crate) const ASSISTANT_CHANNEL: &str = "AI Assistant";
/// Longest query in bytes.
const LONGEST: usize = 2_048;

/// Days that rows without a date are about.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Undated {
    /// Which days the report covers, where the file tells them.
    pub(crate) period: Option<Period>,
    /// When the export was made.
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
    /// Rows about other sources of sessions than assistants.
    others: u64,
    /// Whether dates have a clock with AM or PM, as in America, where the month comes first.
    has_half_days: bool,
    reading: TableReading,
}

impl<'a> TableReader<'a> {
    pub(crate) fn new(table: &'static Table, columns: Columns, options: &'a Options) -> Self {
        let mut notes = Vec::new();
        if !columns.compared.is_empty() {
            notes.push("a comparison of two periods: only the first one is read".to_owned());
        }
        // Analytics has a dozen other measures.
        if !columns.unknown.is_empty() && table.source != Source::Ga4 {
            notes.push(format!(
                "columns that are not read: {}",
                columns.unknown.join(", ")
            ));
        }
        Self {
            options,
            table,
            columns,
            drafts: Vec::new(),
            seen: HashSet::new(),
            others: 0,
            has_half_days: false,
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

    /// Drafts a row; `None` for one without a value for us, for example a day before there were data, or other sessions.
    fn draft(&mut self, line: u64, cells: &[String]) -> Result<Option<Draft>, Reason> {
        let cell = |column| self.columns.cell(cells, column);
        let found = match (cell(Column::SessionSource), cell(Column::Channel)) {
            (Some(source), _) => Some((source, assistant(source.split('/').next().unwrap_or_default()))),
            (None, Some(channel)) => Some((channel, channel_of_assistants(channel))),
            (None, None) => None,
        };
        let by = match found {
            Some((_, Some(name))) => Some(name.to_owned()),
            // Sums have no source.
            Some((source, None)) => {
                self.others += u64::from(!source.is_empty());
                return Ok(None);
            }
            None => None,
        };
        let date = match cell(Column::Date) {
            Some(text) => {
                self.has_half_days |= text.ends_with(['M', 'm']);
                Some(RawDate::parse(text).ok_or(Reason::Date)?)
            }
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
                let value = match measure {
                    Measure::KeyEvents => decimal(text),
                    _ => count(text),
                };
                values.push((measure, value.ok_or(Reason::Number)?));
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
        // In analytics, rows that differ in another dimension are parts of a sum.
        if self.table.source != Source::Ga4 && !self.seen.insert(key) {
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
            Some("(not set)") if self.table.source == Source::Ga4 => Ok(None),
            Some(page) if page.len() > LONGEST => Err(Reason::TooLong),
            Some(page) => match page_key(page, &self.options.domain) {
                Some(key) => Ok(Some(Subject::Page(key))),
                None => Err(Reason::OtherWebsite),
            },
        }
    }

    /// Gives every row its date.
    pub(crate) fn finish(mut self, undated: Undated) -> Result<TableReading, Error> {
        let order = self.order(self.options.until.or(undated.as_of))?;
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
                Some(RawDate::Week(from)) => Some(Period::Range {
                    from,
                    to: from.saturating_add(6.days()),
                }),
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
        if self.others > 0 {
            let note = format!("{} rows are about other sources than assistants", self.others);
            self.reading.notes.push(note);
        }
        Ok(self.reading)
    }

    /// Decides how all dates with slashes are ordered: by a day above 12, or because no date may be after the `last` day.
    fn order(&self, last: Option<Date>) -> Result<Order, Error> {
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
        let slashed = self.drafts.iter().filter_map(|draft| match draft.date {
            Some(date @ RawDate::Slashed(..)) => Some((draft.line, date)),
            _ => None,
        });
        let slashed: Vec<(u64, RawDate)> = slashed.collect();
        let in_order = |order| {
            let mut days: Vec<Date> = slashed
                .iter()
                .filter_map(|(_, date)| date.in_order(order))
                .collect();
            days.sort_unstable();
            days.dedup();
            days
        };
        let (month_first, day_first) = (in_order(Order::MonthFirst), in_order(Order::DayFirst));
        if month_first == day_first {
            return Ok(Order::MonthFirst);
        }
        let is_past = |days: &[Date]| last.is_none_or(|last| days.last().is_none_or(|day| *day <= last));
        // Reports by day have a row for each day, or for most.
        let is_daily = |days: &[Date]| {
            days.len() > 1
                && days.windows(2).all(|two| match two {
                    [one, next] => one.saturating_add(7.days()) >= *next,
                    _ => true,
                })
        };
        for fits in [&is_past as &dyn Fn(&[Date]) -> bool, &is_daily] {
            match (fits(&month_first), fits(&day_first)) {
                (true, false) => return Ok(Order::MonthFirst),
                (false, true) => return Ok(Order::DayFirst),
                (true, true) | (false, false) => {}
            }
        }
        match slashed.first() {
            Some((line, _)) if !self.has_half_days => Err(Error::UnknownOrder { line: *line }),
            _ => Ok(Order::MonthFirst),
        }
    }
}

/// Finds the channel in which analytics put visits from assistants.
fn channel_of_assistants(channel: &str) -> Option<&'static str> {
    let folded = fold(channel);
    let known = [
        "aiassistant",
        "aiassistants",
        "generativeai",
        "kiassistent",
        "assistentai",
        "asistentedeia",
    ];
    known.contains(&folded.as_str()).then_some(ASSISTANT_CHANNEL)
}
