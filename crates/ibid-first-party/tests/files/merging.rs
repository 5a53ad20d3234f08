//! The same file twice changes nothing, and exports that share days agree on the later one.

use crate::support::{options, short};
use ibid_first_party::{Measure, Period, Reading, Row, RowSet, Source, Subject};
use jiff::civil::{Date, date};
use proptest::prelude::*;
use std::io::Cursor;

fn rows() -> impl Strategy<Value = RowSet> {
    let row =
        (1..5_i8, 0..3_u8, 0..50_u32, prop::option::of(1..4_i8)).prop_map(|(day, subject, value, as_of)| {
            Row {
                source: Source::BingAi,
                period: Period::Day {
                    day: date(2026, 8, day),
                },
                subject: (subject > 0).then(|| Subject::Page(format!("example.com/{subject}"))),
                by: None,
                measure: Measure::Citations,
                value: f64::from(value),
                as_of: as_of.map(|day| date(2026, 9, day)),
            }
        });
    proptest::collection::vec(row, 0..20).prop_map(|rows| rows.into_iter().collect())
}

fn merged(sets: &[&RowSet]) -> RowSet {
    let mut all = RowSet::default();
    sets.iter().for_each(|set| all.merge((*set).clone()));
    all
}

/// An export with a value for each of some days, made on a later day.
fn export(from: i8, values: &[u16], made: i8) -> (String, String, Date) {
    let lines: String = (from..)
        .zip(values)
        .map(|(day, value)| format!("8/{day}/2026 12:00:00 AM,{value}\n"))
        .collect();
    (
        format!("example.com_AIPerformanceOverviewStats_9_{made}_2026.csv"),
        format!("Date,Citations\n{lines}"),
        date(2026, 9, made),
    )
}

proptest! {
    #[test]
    fn merging_is_idempotent_and_has_no_order(a in rows(), b in rows(), c in rows()) {
        prop_assert_eq!(merged(&[&a, &a]), a.clone());
        prop_assert_eq!(merged(&[&a, &b]), merged(&[&b, &a]));
        prop_assert_eq!(merged(&[&merged(&[&a, &b]), &c]), merged(&[&a, &merged(&[&b, &c])]));
        prop_assert_eq!(merged(&[&a, &b, &a, &b]), merged(&[&a, &b]));
    }

    #[test]
    fn overlapping_exports_merge_by_day(
        first in proptest::collection::vec(0_u16..2_000, 1..15),
        second in proptest::collection::vec(0_u16..2_000, 1..15),
        (from_a, from_b) in (1_i8..14, 1_i8..14),
        times in 1_usize..3,
    ) {
        let files = [export(from_a, &first, 2), export(from_b, &second, 9)];
        let read = |order: &[usize]| {
            let mut reading = Reading::default();
            for place in order {
                let (name, text, _) = &files[*place];
                reading.add(name, &mut Cursor::new(text.as_bytes()), &options()).unwrap();
            }
            reading.rows()
        };
        let rows = read(&[0, 1]);
        prop_assert_eq!(&rows, &read(&[1, 0]));
        prop_assert_eq!(&rows, &read(&[0, 1].repeat(times)));
        for day in 1..=28_i8 {
            let value = |from: i8, values: &[u16]| usize::try_from(day - from).ok().and_then(|at| values.get(at).copied());
            let wanted = value(from_b, &second).or(value(from_a, &first)).map(f64::from);
            let found = rows.iter().find(|row| row.period == Period::Day { day: date(2026, 8, day) });
            prop_assert_eq!(found.map(|row| row.value), wanted, "{:?}", short(&rows));
        }
    }

    #[test]
    fn rows_survive_json(set in rows()) {
        let json = serde_json::to_string(&set.iter().collect::<Vec<_>>()).unwrap();
        let back: Vec<Row> = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(back.into_iter().collect::<RowSet>(), set);
    }
}
