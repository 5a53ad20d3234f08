//! Knows tables by the set of their columns, and reports by their files' names.

use crate::columns::{Column, Columns, fold, lines};
use crate::row::Source;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use std::sync::LazyLock;

/// What a file, or a table in it, is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Format {
    /// Bing AI Performance by day.
    BingDays,
    /// Bing AI Performance by grounding query.
    BingQueries,
    /// Bing AI Performance by page.
    BingPages,
    /// Search Console, generative AI, by day.
    GoogleAiDays,
    /// Search Console, generative AI, by page.
    GoogleAiPages,
    /// Search Console, search, by day.
    SearchDays,
    /// Search Console, search, by query.
    SearchQueries,
    /// Search Console, search, by page.
    SearchPages,
    /// GA4 sessions by source.
    Ga4Sources,
    /// GA4 sessions by channel.
    Ga4Channels,
    /// Access log in the combined format of Apache and nginx.
    Combined,
    /// Access log in JSON lines, for example from Cloudflare Logpush.
    JsonLines,
    /// Access log of Cloudflare Logpush as CSV.
    LogpushCsv,
    /// Access log with a line of its fields, as IIS and CloudFront write it.
    W3c,
    /// Access log from an AWS load balancer.
    Alb,
    /// Access log of HAProxy.
    Haproxy,
}

/// A table: its format, source, columns that it needs, columns that it may have, and those that show it.
pub(crate) struct Table {
    pub(crate) format: Format,
    pub(crate) source: Source,
    needs: Vec<Column>,
    may: Vec<Column>,
    shape: &'static str,
}

/// Read once. A test reads the file, so that no row is left out.
static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let columns = |words: &str| -> Option<Vec<Column>> {
        words.split_whitespace().map(|word| word.parse().ok()).collect()
    };
    let table = |line: &'static str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [format, source, needs, may, shape] = cells[..] else {
            return None;
        };
        Some(Table {
            format: format.parse().ok()?,
            source: source.parse().ok()?,
            needs: columns(needs)?,
            may: columns(may)?,
            shape,
        })
    };
    lines(include_str!("../data/tables.txt"))
        .filter_map(table)
        .collect()
});

/// A report that the name of a file tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    /// What its rows come from; `None` for a report that is not read.
    pub(crate) source: Option<Source>,
    /// The report in words, if it is not read.
    pub(crate) what: &'static str,
    /// Whether it shows only part of the website.
    pub(crate) is_filtered: bool,
}

impl Report {
    /// Tells a file's report by its name; `None` for a name that tells none.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let folded = fold(name);
        let mut known = lines(include_str!("../data/reports.txt")).filter_map(|line| line.split_once(" = "));
        let (_, meaning) = known.find(|(sign, _)| folded.contains(&fold(sign)))?;
        if let Some(what) = meaning.strip_prefix("not read: ") {
            return Some(Self::unread(what));
        }
        let (word, is_filtered) = match meaning.strip_suffix(" filtered") {
            Some(word) => (word, true),
            None => (meaning, false),
        };
        Some(Self {
            source: Some(word.parse().ok()?),
            what: "",
            is_filtered,
        })
    }

    fn unread(what: &'static str) -> Self {
        Self {
            source: None,
            what,
            is_filtered: false,
        }
    }

    pub(crate) fn is_search_console(self) -> bool {
        matches!(self.source, Some(Source::SearchConsole | Source::SearchConsoleAi))
    }
}

/// The table that a header fits.
pub(crate) enum Fit {
    One(&'static Table),
    Several(Vec<Format>),
    /// A report that is known and not read.
    Unread(&'static str),
    None,
}

/// Finds a header's table in a file whose name tells `report`. A table fits when its columns are there; of two that fit, one
/// that takes all known columns wins, then one whose needs hold those of the other.
pub(crate) fn fit(columns: &Columns, wanted: Option<Format>, report: Option<Report>) -> Fit {
    let place = |column| columns.places.get(&column);
    let report = report.or_else(|| {
        // Without a name: Bing writes impressions before clicks, and Google the other way round.
        let is_bing = place(Column::Impressions)
            .zip(place(Column::Clicks))
            .is_some_and(|(impressions, clicks)| impressions < clicks);
        is_bing.then(|| Report::unread("Bing's web search"))
    });
    let mut fits: Vec<&Table> = TABLES
        .iter()
        .filter(|table| wanted.is_none_or(|wanted| wanted == table.format))
        .filter(|table| table.needs.iter().all(|column| columns.has(*column)))
        .collect();
    match report {
        _ if wanted.is_some() => {}
        Some(Report {
            source: None, what, ..
        }) => return Fit::Unread(what),
        Some(report) => fits.retain(|table| Some(table.source) == report.source),
        // The generative report has no positions, and search always has.
        None if columns.has(Column::Clicks) && columns.has(Column::Impressions) => {
            let is_of = |table: &Table, source| table.source == source;
            if columns.has(Column::Position) {
                fits.retain(|table| !is_of(table, Source::SearchConsoleAi));
            } else if fits.iter().any(|table| is_of(table, Source::SearchConsoleAi)) {
                match columns.has(Column::Ctr) {
                    true => fits.retain(|table| !is_of(table, Source::SearchConsole)),
                    false => return Fit::Several(fits.iter().map(|table| table.format).collect()),
                }
            }
        }
        None => {}
    }
    let takes_all = |table: &Table| {
        columns
            .places
            .keys()
            .all(|column| table.needs.contains(column) || table.may.contains(column))
    };
    let whole: Vec<&Table> = fits.iter().copied().filter(|table| takes_all(table)).collect();
    if let [table] = whole[..] {
        return Fit::One(table);
    }
    let is_within = |small: &Table, large: &Table| {
        small.needs.len() < large.needs.len() && small.needs.iter().all(|column| large.needs.contains(column))
    };
    let widest: Vec<&Table> = fits
        .iter()
        .copied()
        .filter(|table| !fits.iter().any(|other| is_within(table, other)))
        .collect();
    match widest[..] {
        [] => Fit::None,
        [table] => Fit::One(table),
        _ => Fit::Several(widest.iter().map(|table| table.format).collect()),
    }
}

impl Format {
    /// All of them.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Whether it is an access log.
    pub fn is_log(self) -> bool {
        matches!(
            self,
            Self::Combined | Self::JsonLines | Self::LogpushCsv | Self::W3c | Self::Alb | Self::Haproxy
        )
    }

    /// Its name on command lines and in JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The columns that show it, in English; for logs their form.
    pub fn shape(self) -> &'static str {
        match self {
            Self::Combined => "lines in the combined format of Apache and nginx",
            Self::JsonLines => "a JSON object a line",
            Self::LogpushCsv => "EdgeStartTimestamp, ClientRequestUserAgent, ClientRequestURI",
            Self::W3c => "#Fields: date time … cs(User-Agent), as IIS and CloudFront write it",
            Self::Alb => "lines of a load balancer of AWS",
            Self::Haproxy => "lines of HAProxy with the User-Agent among the captured headers",
            _ => {
                let mut tables = TABLES.iter();
                tables
                    .find(|table| table.format == self)
                    .map_or("", |table| table.shape)
            }
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.iter().copied().find(|format| format.name() == text);
        known.ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|format| format.name()).collect();
            format!("the formats are {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, TABLES};

    #[test]
    fn every_format_of_a_table_has_its_row() {
        let rows: Vec<Format> = TABLES.iter().map(|table| table.format).collect();
        let tables: Vec<Format> = Format::ALL.iter().copied().filter(|one| !one.is_log()).collect();
        assert_eq!(rows, tables);
        assert!(Format::ALL.iter().all(|format| !format.shape().is_empty()));
    }
}
