//! The tables that are known, each by the set of its columns.

use crate::columns::{Column, Columns};
use crate::row::Source;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A kind of file, or of table in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
    /// Access log in the combined format of Apache and nginx.
    Combined,
    /// Access log of JSON lines, also of Cloudflare Logpush.
    JsonLines,
    /// Access log of Cloudflare Logpush as CSV.
    LogpushCsv,
}

use Column::{
    CitationShare, Citations, CitedPages, Clicks, Date, EngagedSessions, GroundingQuery, Impressions, Intent,
    KeyEvents, LandingPage, Page, Query, SessionSource, Sessions, Topic,
};

/// A table: its format, source, columns that it needs and columns that it may have.
pub(crate) struct Table {
    pub(crate) format: Format,
    pub(crate) source: Source,
    needs: &'static [Column],
    may: &'static [Column],
}

pub(crate) const TABLES: [Table; 9] = [
    table(
        Format::BingDays,
        Source::BingAi,
        &[Date, Citations],
        &[CitedPages],
    ),
    table(
        Format::BingQueries,
        Source::BingAi,
        &[GroundingQuery, Citations],
        &[Intent, Topic, CitationShare],
    ),
    table(Format::BingPages, Source::BingAi, &[Page, Citations], &[]),
    table(
        Format::GoogleAiDays,
        Source::SearchConsoleAi,
        &[Date, Impressions],
        &[],
    ),
    table(
        Format::GoogleAiPages,
        Source::SearchConsoleAi,
        &[Page, Impressions],
        &[],
    ),
    table(
        Format::SearchDays,
        Source::SearchConsole,
        &[Date, Clicks, Impressions],
        &[],
    ),
    table(
        Format::SearchQueries,
        Source::SearchConsole,
        &[Query, Clicks, Impressions],
        &[],
    ),
    table(
        Format::SearchPages,
        Source::SearchConsole,
        &[Page, Clicks, Impressions],
        &[],
    ),
    table(
        Format::Ga4Sources,
        Source::Ga4,
        &[SessionSource, Sessions],
        &[Date, LandingPage, EngagedSessions, KeyEvents],
    ),
];

const fn table(format: Format, source: Source, needs: &'static [Column], may: &'static [Column]) -> Table {
    Table {
        format,
        source,
        needs,
        may,
    }
}

/// The table that a header fits.
pub(crate) enum Fit {
    One(&'static Table),
    Several(Vec<Format>),
    None,
}

/// Finds the table of a header. A table fits when its columns are there; of two that fit, one that takes all known columns
/// wins, then one whose needs hold those of the other.
pub(crate) fn fit(columns: &Columns, wanted: Option<Format>) -> Fit {
    let fits: Vec<&Table> = TABLES
        .iter()
        .filter(|table| wanted.is_none_or(|wanted| wanted == table.format))
        .filter(|table| table.needs.iter().all(|column| columns.has(*column)))
        .collect();
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
    pub const ALL: [Self; 12] = [
        Self::BingDays,
        Self::BingQueries,
        Self::BingPages,
        Self::GoogleAiDays,
        Self::GoogleAiPages,
        Self::SearchDays,
        Self::SearchQueries,
        Self::SearchPages,
        Self::Ga4Sources,
        Self::Combined,
        Self::JsonLines,
        Self::LogpushCsv,
    ];

    /// Its name on command lines and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BingDays => "bing-days",
            Self::BingQueries => "bing-queries",
            Self::BingPages => "bing-pages",
            Self::GoogleAiDays => "google-ai-days",
            Self::GoogleAiPages => "google-ai-pages",
            Self::SearchDays => "search-days",
            Self::SearchQueries => "search-queries",
            Self::SearchPages => "search-pages",
            Self::Ga4Sources => "ga4-sources",
            Self::Combined => "combined",
            Self::JsonLines => "json-lines",
            Self::LogpushCsv => "logpush-csv",
        }
    }

    /// The columns that show it, in English; for logs their form.
    #[must_use]
    pub fn shape(self) -> &'static str {
        match self {
            Self::BingDays => "Date, Citations",
            Self::BingQueries => "Grounding Query, Citations",
            Self::BingPages => "Page, Citations",
            Self::GoogleAiDays => "Date, Impressions",
            Self::GoogleAiPages => "Top pages, Impressions",
            Self::SearchDays => "Date, Clicks, Impressions",
            Self::SearchQueries => "Top queries, Clicks, Impressions",
            Self::SearchPages => "Top pages, Clicks, Impressions",
            Self::Ga4Sources => "Session source / medium, Sessions",
            Self::Combined => "lines in the combined format of Apache and nginx",
            Self::JsonLines => "a JSON object a line",
            Self::LogpushCsv => "EdgeStartTimestamp, ClientRequestUserAgent, ClientRequestURI",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|format| format.name() == text);
        known.ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|format| format.name()).collect();
            format!("the formats are {}", names.join(", "))
        })
    }
}
