//! Queries become questions: the words that people and assistants searched with, most cited or clicked first.

use crate::row::{Measure, RowSet, Subject};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Words that were searched for, with what the tools count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Query {
    pub query: String,
    /// Citations in answers.
    pub citations: f64,
    /// Clicks in search.
    pub clicks: f64,
    /// Impressions in search.
    pub impressions: f64,
}

/// Collects queries: those with the most citations first, then those with the most clicks and impressions.
/// A query of several sources or periods is there once.
pub fn queries(rows: &RowSet) -> Vec<Query> {
    let mut queries: BTreeMap<String, [f64; 3]> = BTreeMap::new();
    for row in rows.iter() {
        let Some(Subject::Query(query)) = row.subject else {
            continue;
        };
        let sums = queries.entry(query).or_default();
        let place = match row.measure {
            Measure::Citations => 0,
            Measure::Clicks => 1,
            Measure::Impressions => 2,
            _ => continue,
        };
        // The largest counts, because periods may overlap.
        sums[place] = sums[place].max(row.value);
    }
    let mut sorted: Vec<(String, [f64; 3])> = queries.into_iter().collect();
    sorted.sort_by_key(|(_, sums)| Reverse(sums.map(f64::to_bits)));
    let query = |(query, [citations, clicks, impressions]): (String, [f64; 3])| Query {
        query,
        citations,
        clicks,
        impressions,
    };
    sorted.into_iter().map(query).collect()
}

/// Writes queries as a table that `ibid questions check` and `ibid questions import` read: a column `question`.
pub fn questions(rows: &RowSet) -> String {
    question_table(queries(rows).into_iter().map(|query| query.query))
}

/// Queries as a table with a column `question`.
pub fn question_table(queries: impl Iterator<Item = String>) -> String {
    let mut table = csv::Writer::from_writer(Vec::new());
    // Writing to memory does not fail.
    let _ = table.write_record(["question"]);
    for query in queries {
        let _ = table.write_record([guarded(query)]);
    }
    String::from_utf8(table.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// A cell that no spreadsheet takes for a formula.
fn guarded(text: String) -> String {
    match text.starts_with(['=', '+', '-', '@', '\t']) {
        true => format!("'{text}"),
        false => text,
    }
}
