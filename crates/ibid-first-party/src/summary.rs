//! What all imports of a website show, with what sampled answers cite.

use crate::agreement::{Comparison, compare, compare_topics, pages, topics};
use crate::breaks::Break;
use crate::export::ASSISTANT_CHANNEL;
use crate::queries::{Query, queries};
use crate::row::{Measure, Period, RowSet, Source, Subject};
use jiff::civil::Date;
use std::collections::BTreeMap;

/// What the sampled answers of a project cite.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    pub answers: u32,
    /// The website's pages, as [`page_key`](crate::page_key) writes them, with how many answers cite each, 0 to 1.
    pub pages: Vec<(String, f64)>,
    /// Its questions' topics, with how many of their answers cite the website, 0 to 1.
    pub topics: Vec<(String, f64)>,
}

/// A measure by day.
#[derive(Clone, Debug, PartialEq)]
pub struct DaySeries {
    pub source: Source,
    pub measure: Measure,
    /// The days that the tool reports.
    pub days: Vec<(Date, f64)>,
    /// What happened in these days to what is counted.
    pub breaks: Vec<Break>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PageSummary {
    pub page: String,
    /// How many sampled answers cite it, 0 to 1.
    pub share: f64,
    /// Its values: the sum of its days, else the latest period.
    pub values: BTreeMap<(Source, Measure), f64>,
}

/// Everything that the imports show. Views of a tool overlap: totals by day, by page and by query are never added.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Measures of the whole website.
    pub days: Vec<DaySeries>,
    /// Pages: first those that answers cite most, then those with the largest values.
    pub pages: Vec<PageSummary>,
    /// Topics with their citations, the most cited first.
    pub topics: Vec<(String, f64)>,
    pub queries: Vec<Query>,
    /// Measures for pages, then for topics.
    pub comparisons: Vec<Comparison>,
}

impl Summary {
    /// Sums up the rows of all imports.
    pub fn of(rows: &RowSet, samples: &Samples) -> Self {
        let mut comparisons = compare(rows, &samples.pages);
        comparisons.extend(compare_topics(rows, &samples.topics));
        let mut topics: Vec<(String, f64)> = topics(rows)
            .remove(&(Source::BingAi, Measure::Citations))
            .unwrap_or_default()
            .into_iter()
            .collect();
        topics.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Self {
            days: by_day(rows),
            pages: by_page(rows, samples),
            topics,
            queries: queries(rows),
            comparisons,
        }
    }
}

fn by_day(rows: &RowSet) -> Vec<DaySeries> {
    let mut days: BTreeMap<(Source, Measure), BTreeMap<Date, [f64; 3]>> = BTreeMap::new();
    for row in rows.iter() {
        let Period::Day { day } = row.period else { continue };
        let place = match (row.subject, row.source) {
            // Channels hold the sessions that sources have, too.
            (None, Source::Ga4) if row.by.as_deref() == Some(ASSISTANT_CHANNEL) => 2,
            (None, _) => 0,
            // Landing pages are the one view in which each session counts once.
            (Some(Subject::Page(_)), Source::Ga4) => 1,
            (Some(_), _) => continue,
        };
        let sums = days.entry((row.source, row.measure)).or_default().entry(day);
        let sums = sums.or_default();
        sums[place] += row.value;
    }
    let series = |((source, measure), days): (_, BTreeMap<Date, [f64; 3]>)| {
        let ends = days.first_key_value().zip(days.last_key_value());
        let breaks = ends.map(|((first, _), (last, _))| Break::within(source, measure, (*first, *last)));
        DaySeries {
            source,
            measure,
            breaks: breaks.into_iter().flatten().collect(),
            // Of several views of one day the fullest one counts.
            days: days
                .into_iter()
                .map(|(day, views)| (day, views.into_iter().fold(0.0, f64::max)))
                .collect(),
        }
    };
    days.into_iter().map(series).collect()
}

fn by_page(rows: &RowSet, samples: &Samples) -> Vec<PageSummary> {
    let mut found: BTreeMap<String, PageSummary> = BTreeMap::new();
    let at = |page: String| PageSummary {
        page,
        share: 0.0,
        values: BTreeMap::new(),
    };
    for (key, values) in pages(rows) {
        for (page, value) in values {
            let known = found.entry(page.clone()).or_insert_with(|| at(page));
            known.values.insert(key, value);
        }
    }
    for (page, share) in &samples.pages {
        found
            .entry(page.clone())
            .or_insert_with(|| at(page.clone()))
            .share += share;
    }
    let mut all: Vec<PageSummary> = found.into_values().collect();
    let largest = |page: &PageSummary| page.values.values().copied().fold(0.0, f64::max);
    all.sort_by(|a, b| {
        let by_share = b.share.total_cmp(&a.share);
        by_share
            .then_with(|| largest(b).total_cmp(&largest(a)))
            .then_with(|| a.page.cmp(&b.page))
    });
    all
}
