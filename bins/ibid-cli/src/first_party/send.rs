//! Daily rows, in pieces, into a project of a server.

use crate::project::{call, key};
use crate::router::runtime;
use ibid_first_party::{Row, RowSet, Source};
use reqwest::Method;
use serde_json::json;
use std::cmp::Reverse;
use std::fmt::Write as _;
use url::Url;

/// Most rows and bytes of a piece: the server takes 8 MiB at once.
const MOST: (usize, usize) = (20_000, 6 << 20);
/// Longest list of file names.
const NAME_CHARS: usize = 150;

/// Imports the rows, and says what became of them. A piece that the project has already changes nothing, so a call that was
/// broken off can be repeated.
pub(super) fn send(server: &Url, path: &str, name: &str, rows: &RowSet) -> anyhow::Result<String> {
    let key = key()?;
    let (pieces, left_out) = pieces(rows)?;
    anyhow::ensure!(
        !pieces.is_empty(),
        "no row of the files is about AI answers or assistants: there is nothing to import"
    );
    let name: String = name.chars().take(NAME_CHARS).collect();
    let runtime = runtime()?;
    let (mut imported, mut unchanged) = (0, 0);
    for (number, piece) in pieces.iter().enumerate() {
        let name = match pieces.len() {
            1 => name.clone(),
            all => format!("{name} ({} of {all})", number + 1),
        };
        let body = json!({"name": name, "rows": piece});
        let answer = runtime.block_on(call((server, &key), (Method::POST, path), Some(body)))?;
        match answer["outcome"].as_str() {
            Some("unchanged") => unchanged += piece.len(),
            _ => imported += piece.len(),
        }
    }
    let mut text = format!("Imported {imported} daily rows into the project");
    if unchanged > 0 {
        let _ = write!(text, "; it had {unchanged} already");
    }
    text.push_str(".\n");
    if left_out > 0 {
        let _ = writeln!(
            text,
            "Left out: {left_out} rows of the least requested pages, on days with more than {} rows",
            MOST.0
        );
    }
    Ok(text)
}

/// The rows in pieces, and how many are left out. A day of a log stays whole, as the server takes a day from one import.
fn pieces(rows: &RowSet) -> anyhow::Result<(Vec<Vec<Row>>, usize)> {
    let all: Vec<Row> = rows.iter().collect();
    let (mut pieces, mut piece, mut bytes, mut left_out) = (Vec::new(), Vec::new(), 0, 0);
    for day in all.chunk_by(|a, b| (a.source, a.period) == (b.source, b.period)) {
        let is_log = day.first().is_some_and(|row| row.source == Source::AccessLog);
        let mut day = day.to_vec();
        if is_log {
            // The website as a whole comes first, then the pages with the most requests.
            day.sort_by_key(|row| (row.subject.is_some(), Reverse(row.value.to_bits())));
        }
        let mut sizes = Vec::with_capacity(day.len());
        for row in &day {
            sizes.push(serde_json::to_vec(row)?.len() + 1);
        }
        if is_log {
            let mut sum = 0;
            let fits = sizes.iter().take(MOST.0).take_while(|size| {
                sum += **size;
                sum <= MOST.1
            });
            let fits = fits.count();
            left_out += day.len() - fits;
            day.truncate(fits);
            sizes.truncate(fits);
        }
        let size: usize = sizes.iter().sum();
        let is_over = |rows: usize, size: usize| rows > MOST.0 || size > MOST.1;
        if is_over(piece.len() + day.len(), bytes + size) && !piece.is_empty() {
            pieces.push(std::mem::take(&mut piece));
            bytes = 0;
        }
        for (row, size) in day.into_iter().zip(sizes) {
            if is_over(piece.len() + 1, bytes + size) {
                pieces.push(std::mem::take(&mut piece));
                bytes = 0;
            }
            piece.push(row);
            bytes += size;
        }
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    Ok((pieces, left_out))
}

#[cfg(test)]
mod tests {
    use super::{MOST, pieces};
    use ibid_first_party::{Measure, Period, Row, RowSet, Source, Subject};
    use jiff::civil::date;

    fn row(source: Source, day: i8, page: usize, value: f64) -> Row {
        Row {
            source,
            period: Period::Day {
                day: date(2026, 10, day),
            },
            subject: (page > 0).then(|| Subject::Page(format!("example.com/{page}"))),
            by: None,
            measure: Measure::Visits,
            value,
            as_of: None,
        }
    }

    #[test]
    fn a_day_of_a_log_is_in_one_piece_and_keeps_its_largest_pages() {
        let log =
            |day, pages: usize| (0..=pages).map(move |page| row(Source::AccessLog, day, page, page as f64));
        let rows: RowSet = log(1, 15_000)
            .chain(log(2, 15_000))
            .chain(log(3, 25_000))
            .collect();
        let (found, left_out) = pieces(&rows).unwrap();
        let lengths: Vec<usize> = found.iter().map(Vec::len).collect();
        assert_eq!((lengths, left_out), (vec![15_001, 15_001, MOST.0], 5_001));
        let last = &found[2];
        assert!(last.iter().any(|row| row.subject.is_none()));
        let least = last
            .iter()
            .filter(|row| row.subject.is_some())
            .map(|row| row.value)
            .fold(f64::MAX, f64::min);
        assert!(least > 5_000.0, "{least}");
    }

    #[test]
    fn exports_are_split_anywhere_and_lose_nothing() {
        let rows: RowSet = (0..45_000)
            .map(|page| row(Source::BingAi, 1, page, 1.0))
            .collect();
        let (found, left_out) = pieces(&rows).unwrap();
        assert_eq!((found.len(), left_out), (3, 0));
        assert_eq!(found.concat().into_iter().collect::<RowSet>(), rows);
        assert!(pieces(&RowSet::default()).unwrap().0.is_empty());
    }
}
