//! Daily rows: the one model of all sources.

use crate::page::page_key;
use ibid_model::Domain;
use jiff::civil::Date;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The tool behind a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Source {
    /// AI Performance of Bing Webmaster Tools.
    BingAi,
    /// Generative AI features in Search Console.
    SearchConsoleAi,
    /// Web search in Search Console.
    SearchConsole,
    /// Google Analytics 4.
    Ga4,
    /// Access logs of the website.
    AccessLog,
}

impl Source {
    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::BingAi => "Bing AI Performance",
            Self::SearchConsoleAi => "Search Console, generative AI",
            Self::SearchConsole => "Search Console, search",
            Self::Ga4 => "Google Analytics 4",
            Self::AccessLog => "access log",
        }
    }
}

/// The days that a value covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Period {
    Day {
        day: Date,
    },
    /// All days from one to another, both counted.
    Range {
        from: Date,
        to: Date,
    },
    /// A report over an unknown number of days, made on this one.
    Until {
        /// When the export was made.
        until: Date,
    },
}

impl Period {
    /// Its first day, as far as known.
    pub fn start(self) -> Date {
        match self {
            Self::Day { day } | Self::Range { from: day, .. } | Self::Until { until: day } => day,
        }
    }

    pub fn end(self) -> Date {
        match self {
            Self::Day { day } | Self::Range { to: day, .. } | Self::Until { until: day } => day,
        }
    }
}

/// What a value is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A page, as [`page_key`](crate::page_key) writes it.
    Page(String),
    /// Words that were searched for.
    Query(String),
    /// A topic that the tool gives its queries.
    Topic(String),
}

/// What a value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Citations in answers.
    Citations,
    /// Share of the citations for a query, in percent.
    CitationShare,
    /// Different pages that were cited.
    CitedPages,
    Impressions,
    Clicks,
    /// Sessions that came from an assistant.
    Sessions,
    /// Those with engagement.
    EngagedSessions,
    /// Key events in sessions that came from an assistant.
    KeyEvents,
    /// Requests of people that an assistant referred.
    Visits,
    /// Fetches for an answer, from an address of the program's owner.
    UserFetchesVerified,
    /// Fetches for an answer by the name alone, which anyone can send.
    UserFetchesClaimed,
    /// Fetches for a search index, from an address of the program's owner.
    SearchFetchesVerified,
    /// Fetches for a search index by the name alone.
    SearchFetchesClaimed,
    /// Fetches for training, from an address of the program's owner.
    TrainingFetchesVerified,
    /// Fetches for training by the name alone.
    TrainingFetchesClaimed,
}

impl Measure {
    /// Whether values of different pages or days have a sum.
    pub fn is_count(self) -> bool {
        !matches!(self, Self::CitationShare | Self::CitedPages)
    }

    /// Whether it counts fetches from addresses that a program's owner publishes.
    pub fn is_verified(self) -> bool {
        matches!(
            self,
            Self::UserFetchesVerified | Self::SearchFetchesVerified | Self::TrainingFetchesVerified
        )
    }

    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Citations => "citations",
            Self::CitationShare => "citation share",
            Self::CitedPages => "cited pages",
            Self::Impressions => "impressions",
            Self::Clicks => "clicks",
            Self::Sessions => "sessions from assistants",
            Self::EngagedSessions => "engaged sessions from assistants",
            Self::KeyEvents => "key events from assistants",
            Self::Visits => "visits from assistants",
            Self::UserFetchesVerified => "fetches for answers, verified",
            Self::UserFetchesClaimed => "fetches for answers, claimed",
            Self::SearchFetchesVerified => "fetches for search, verified",
            Self::SearchFetchesClaimed => "fetches for search, claimed",
            Self::TrainingFetchesVerified => "fetches for training, verified",
            Self::TrainingFetchesClaimed => "fetches for training, claimed",
        }
    }
}

/// A value with all that names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    pub source: Source,
    #[serde(flatten)]
    pub period: Period,
    /// The page, query or topic; `None` for the whole website. Views are never added, because a tool's views overlap.
    #[serde(flatten)]
    pub subject: Option<Subject>,
    /// The program or assistant, where the source names it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by: Option<String>,
    pub measure: Measure,
    /// Its value, at least 0.
    #[serde(serialize_with = "whole_or_not")]
    pub value: f64,
    /// When the export was made, or its last line, as far as known; the later value counts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub as_of: Option<Date>,
}

/// Longest page, query or topic, in bytes.
const LONGEST: usize = 2_048;
/// Longest name of a program or assistant, in bytes.
const LONGEST_NAME: usize = 100;
/// No value is larger, so that a million of them add up exactly.
const MOST_VALUE: f64 = 1e12;

impl Row {
    /// Checks a row that comes from elsewhere.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check(&self, domain: &Domain) -> Result<(), &'static str> {
        let is_day = |day: Date| (2000..=2100).contains(&day.year());
        let has_days = match self.period {
            Period::Day { day } => is_day(day),
            Period::Range { from, to } => is_day(from) && is_day(to) && from <= to,
            Period::Until { until } => is_day(until),
        };
        if !has_days || !self.as_of.is_none_or(is_day) {
            return Err("has no days between 2000 and 2100");
        }
        if !(self.value.is_finite() && (0.0..=MOST_VALUE).contains(&self.value)) {
            return Err("has no value from 0 to 1,000,000,000,000");
        }
        if self.by.as_ref().is_some_and(|name| name.len() > LONGEST_NAME) {
            return Err("has a name of a program that is too long");
        }
        match &self.subject {
            Some(Subject::Page(page)) if page_key(page, domain).as_ref() != Some(page) => {
                Err("names no page of the website as host/path")
            }
            Some(Subject::Query(text) | Subject::Topic(text)) if text.is_empty() || text.len() > LONGEST => {
                Err("has an empty or too long query or topic")
            }
            Some(Subject::Page(_) | Subject::Query(_) | Subject::Topic(_)) | None => Ok(()),
        }
    }
}

type Key = (Source, Period, Option<Subject>, Option<String>, Measure);

/// Rows with one value a key.
///
/// Merging is idempotent and in any order the same: a file that is read twice changes nothing, and of two exports that
/// share days the later one counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowSet(BTreeMap<Key, (Option<Date>, f64)>);

impl RowSet {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All rows, sorted by source, period and subject.
    pub fn iter(&self) -> impl Iterator<Item = Row> + '_ {
        self.0
            .iter()
            .map(|((source, period, subject, by, measure), (as_of, value))| Row {
                source: *source,
                period: *period,
                subject: subject.clone(),
                by: by.clone(),
                measure: *measure,
                value: *value,
                as_of: *as_of,
            })
    }

    /// Keeps the later value for a key; on the same day, the larger one.
    pub fn merge(&mut self, other: Self) {
        for (key, new) in other.0 {
            match self.0.entry(key) {
                Entry::Vacant(place) => {
                    place.insert(new);
                }
                Entry::Occupied(mut place) => {
                    let old = place.get_mut();
                    if new.0.cmp(&old.0).then(new.1.total_cmp(&old.1)).is_gt() {
                        *old = new;
                    }
                }
            }
        }
    }

    /// Merges all of a website's imports, the oldest first.
    ///
    /// Exports merge by day. Logs of one day may hold the same lines, so a day comes from one import: from one that knew the
    /// addresses of programs, then from the one with the most requests, then from the latest.
    pub fn of_imports(imports: Vec<Self>) -> Self {
        let mut days: BTreeMap<Date, (bool, f64, usize)> = BTreeMap::new();
        for (place, import) in imports.iter().enumerate() {
            let mut own: BTreeMap<Date, (bool, f64, usize)> = BTreeMap::new();
            for ((_, period, subject, _, measure), (_, value)) in import.logs() {
                let day = own.entry(period.end()).or_insert((false, 0.0, place));
                day.0 |= measure.is_verified();
                if subject.is_none() {
                    day.1 += value;
                }
            }
            for (day, found) in own {
                let best = days.entry(day).or_insert(found);
                let order = (found.0.cmp(&best.0)).then(found.1.total_cmp(&best.1));
                if order.is_ge() {
                    *best = found;
                }
            }
        }
        let mut all = Self::default();
        for (place, mut import) in imports.into_iter().enumerate() {
            import.0.retain(|(source, period, ..), _| {
                *source != Source::AccessLog
                    || days.get(&period.end()).is_some_and(|(_, _, best)| *best == place)
            });
            all.merge(import);
        }
        all
    }

    fn logs(&self) -> impl Iterator<Item = (&Key, &(Option<Date>, f64))> {
        self.0.iter().filter(|(key, _)| key.0 == Source::AccessLog)
    }

    /// Adds values for one key, such as parts of one day in different log files, or spellings of one page in a report.
    pub(crate) fn add(&mut self, row: Row) {
        let key = (row.source, row.period, row.subject, row.by, row.measure);
        let known = self.0.entry(key).or_insert((row.as_of, 0.0));
        known.0 = known.0.max(row.as_of);
        if row.measure.is_count() {
            known.1 += row.value;
        } else {
            known.1 = known.1.max(row.value);
        }
    }

    /// Adds all values of another set.
    pub(crate) fn add_all(&mut self, other: &Self) {
        other.iter().for_each(|row| self.add(row));
    }
}

impl FromIterator<Row> for RowSet {
    fn from_iter<I: IntoIterator<Item = Row>>(rows: I) -> Self {
        let mut set = Self::default();
        rows.into_iter().for_each(|row| {
            let mut one = Self::default();
            one.add(row);
            set.merge(one);
        });
        set
    }
}

/// Counts are written as whole numbers.
fn whole_or_not<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.fract() == 0.0 && *value >= 0.0 && *value < 9e15 {
        serializer.serialize_u64(*value as u64)
    } else {
        serializer.serialize_f64(*value)
    }
}
