//! What an import does to the totals of a website.

use crate::row::{Measure, RowSet, Source, Subject};
use serde::Serialize;
use std::collections::BTreeMap;

/// What one view adds up to, before and after an import. Each view has its own totals, because a tool's views overlap.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TotalChange {
    pub source: Source,
    pub measure: Measure,
    /// `website`, `pages`, `queries` or `topics`.
    pub of: &'static str,
    pub before: f64,
    pub after: f64,
}

impl TotalChange {
    /// The totals that were there before and are others afterwards.
    pub fn between(before: &RowSet, after: &RowSet) -> Vec<Self> {
        let after = totals(after);
        let changes = totals(before)
            .into_iter()
            .map(|((source, measure, of), before)| Self {
                source,
                measure,
                of,
                before,
                after: after.get(&(source, measure, of)).copied().unwrap_or(0.0),
            });
        changes.filter(|one| one.before != one.after).collect()
    }

    /// Whether it is lower afterwards, as after the export of a filtered view. Of logs that share a day the fuller one counts, and one
    /// that knew the addresses of programs: what it verifies is claimed no more, and nothing is lost.
    pub fn falls(&self) -> bool {
        self.after < self.before && self.source != Source::AccessLog
    }

    /// "Search Console, clicks of pages: 1200 → 80".
    pub fn in_words(&self) -> String {
        let (source, measure) = (self.source.label(), self.measure.label());
        format!(
            "{source}, {measure} of {}: {} → {}",
            self.of, self.before, self.after
        )
    }
}

fn totals(rows: &RowSet) -> BTreeMap<(Source, Measure, &'static str), f64> {
    let mut totals = BTreeMap::new();
    for row in rows.iter().filter(|row| row.measure.is_count()) {
        let of = match row.subject {
            None => "website",
            Some(Subject::Page(_)) => "pages",
            Some(Subject::Query(_)) => "queries",
            Some(Subject::Topic(_)) => "topics",
        };
        *totals.entry((row.source, row.measure, of)).or_default() += row.value;
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{Period, Row};
    use jiff::civil::date;

    #[test]
    fn a_later_part_lowers_a_total() {
        let export = |exported, values: [(i8, f64); 2]| -> RowSet {
            let rows = values.map(|(day, value)| Row {
                source: Source::SearchConsole,
                period: Period::Day {
                    day: date(2026, 8, day),
                },
                subject: None,
                by: None,
                measure: Measure::Clicks,
                value,
                as_of: Some(date(2026, 8, exported)),
            });
            rows.into_iter().collect()
        };
        let whole = export(10, [(1, 70.0), (2, 50.0)]);
        let with = |new: RowSet| RowSet::of_imports(vec![whole.clone(), new]);
        let falls = |new| {
            let changes = TotalChange::between(&whole, &with(new));
            changes
                .iter()
                .map(|one| (one.in_words(), one.falls()))
                .collect::<Vec<_>>()
        };
        let part = falls(export(11, [(1, 7.0), (2, 50.0)]));
        assert_eq!(
            part,
            [(
                "Search Console, search, clicks of website: 120 → 57".to_owned(),
                true
            )]
        );
        let more = falls(export(11, [(2, 50.0), (3, 9.0)]));
        assert_eq!(
            more,
            [(
                "Search Console, search, clicks of website: 120 → 129".to_owned(),
                false
            )]
        );
        assert!(falls(whole.clone()).is_empty());
    }
}
