//! Reads the cells in a row: which columns count, and what the logs from other tools call them.

use ibid_model::answer_columns;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// A column that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Question,
    Answer,
    Model,
    Sources,
    Time,
}

/// Number of columns.
const COLUMNS: usize = 5;
/// Longest name of a column, in bytes. No known name is longer.
const LONGEST_NAME: usize = 64;

impl Column {
    pub(super) const ALL: [Self; COLUMNS] = [
        Self::Question,
        Self::Answer,
        Self::Model,
        Self::Sources,
        Self::Time,
    ];

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Answer => "answer",
            Self::Model => "model",
            Self::Sources => "sources",
            Self::Time => "time",
        }
    }

    /// Names for the column, the first choice first.
    pub(super) fn names(self) -> Vec<&'static str> {
        let mut names = answer_columns::names(self.meaning());
        if self == Self::Answer {
            names.extend(answer_columns::names("text"));
        }
        names
    }

    const fn meaning(self) -> &'static str {
        match self {
            Self::Time => "date",
            other => other.word(),
        }
    }

    /// Finds the column for a name, and where the name stands among the column's.
    /// Case, blanks and signs of a name do not matter.
    pub(super) fn of(name: &str) -> Option<(Self, usize)> {
        if name.len() > LONGEST_NAME {
            return None;
        }
        let (meaning, rank) = answer_columns::meaning(name)?;
        if meaning == "text" {
            return Some((Self::Answer, usize::MAX));
        }
        let column = Self::ALL.into_iter().find(|column| column.meaning() == meaning)?;
        Some((column, rank))
    }
}

/// A cell, verbatim from the log.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cell<'a> {
    Json(&'a RawValue),
    Text(&'a str),
}

impl<'a> Cell<'a> {
    /// Counts the bytes in the log.
    pub(super) fn len(self) -> usize {
        match self {
            Self::Json(raw) => raw.get().len(),
            Self::Text(text) => text.len(),
        }
    }

    /// Reads the cell's text without surrounding blanks, or its last message's; `None` for an empty cell and for JSON that
    /// holds no text.
    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        let value: Value = match self {
            Self::Text(text) if !text.trim_start().starts_with(['[', '{']) => {
                return Some(Cow::Borrowed(text.trim())).filter(|text| !text.is_empty());
            }
            Self::Text(text) => Value::from(text),
            Self::Json(raw) => serde_json::from_str(raw.get()).ok()?,
        };
        if value.is_number() || value.is_boolean() {
            return None;
        }
        answer_columns::text_of(&value).map(Cow::Owned)
    }

    /// The sources in the cell: JSON, or addresses between blanks, commas, semicolons or lines.
    pub(super) fn sources(self) -> Value {
        let value = match self {
            Self::Text(text) => Value::from(text),
            Self::Json(raw) => serde_json::from_str(raw.get()).unwrap_or_default(),
        };
        let Some(text) = value.as_str() else { return value };
        if let Ok(list @ Value::Array(_)) = serde_json::from_str(text) {
            return list;
        }
        text.split(|character: char| character.is_whitespace() || matches!(character, ',' | ';' | '|'))
            .filter(|part| !part.is_empty())
            .map(|part| {
                if part.contains("://") {
                    part.to_owned()
                } else {
                    format!("https://{part}")
                }
            })
            .collect()
    }

    pub(super) fn time(self) -> Option<Timestamp> {
        let text = match self {
            Self::Json(raw) if raw.get().starts_with(|first: char| first.is_ascii_digit()) => {
                raw.get().into()
            }
            cell => cell.text()?,
        };
        parse_time(&text)
    }
}

/// Reads a time: RFC 3339, a date with or without a time of UTC, or seconds or milliseconds since 1970.
/// Returns `None` for other texts.
#[must_use]
pub(super) fn parse_time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(number) = text.parse::<i64>() {
        return match number {
            0..100_000_000_000 => Timestamp::from_second(number).ok(),
            _ => Timestamp::from_millisecond(number).ok(),
        };
    }
    text.parse::<Timestamp>().ok().or_else(|| {
        let time = text.parse::<DateTime>().ok()?;
        Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
    })
}

/// What is read from a row. Sources may have several cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells<'a> {
    cells: [Option<(usize, Cell<'a>)>; COLUMNS],
    sources: Vec<Cell<'a>>,
}

impl<'a> Cells<'a> {
    /// Returns a column's cell; `None` if the row does not have it.
    pub(super) fn get(&self, column: Column) -> Option<Cell<'a>> {
        self.cells[column as usize].map(|(_, cell)| cell)
    }

    pub(super) fn sources(&self) -> &[Cell<'a>] {
        &self.sources
    }

    /// Takes a cell, unless the row has one under a name of higher priority.
    pub(super) fn put(&mut self, (column, rank): (Column, usize), cell: Cell<'a>) {
        if column == Column::Sources {
            self.sources.push(cell);
        }
        let place = &mut self.cells[column as usize];
        if place.is_none_or(|(known, _)| rank < known) {
            *place = Some((rank, cell));
        }
    }
}

impl<'de> Deserialize<'de> for Cells<'de> {
    /// Reads a JSON object. Members that are not columns are skipped, not kept.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Cells<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Cells<'de>, A::Error> {
        let mut cells = Cells::default();
        while let Some(name) = members.next_key::<String>()? {
            let Some(column) = Column::of(&name) else {
                members.next_value::<IgnoredAny>()?;
                continue;
            };
            let raw: &RawValue = members.next_value()?;
            if raw.get() != "null" {
                cells.put(column, Cell::Json(raw));
            }
        }
        Ok(cells)
    }
}
