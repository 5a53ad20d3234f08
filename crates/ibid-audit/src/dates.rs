//! Reads dates as web pages write them, without the time.
//!
//! jiff and httpdate read the standard forms; this module reads the others.

use crate::vocabulary::Words;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::TimeZone;

/// Reads a machine-readable date: ISO 8601, the dates of HTTP, RFC 2822 and its older forms.
///
/// ISO 8601 needs at least a month.
/// The day is taken as written, in the time zone of the page.
pub(crate) fn machine(text: &str) -> Option<Date> {
    let text = text.trim();
    let pieces = DateTimeParser::new().parse_pieces(text);
    pieces
        .map(|pieces| pieces.date())
        .ok()
        .filter(is_plausible)
        .or_else(|| iso(text))
        .or_else(|| http(text))
        .or_else(|| written(text))
}

/// A date of HTTP, which is in UTC.
fn http(text: &str) -> Option<Date> {
    let time = httpdate::parse_http_date(text).ok()?;
    let date = Timestamp::try_from(time).ok()?.to_zoned(TimeZone::UTC).date();
    Some(date).filter(is_plausible)
}

/// Finds the first date in running text.
///
/// Forms: ISO, `3 March 2026`, `March 3, 2026`, `3. März 2026`, `2026年3月3日`.
pub(crate) fn visible(text: &str) -> Option<Date> {
    let text = crate::html::cut(text, 2_000);
    let befores = std::iter::once(' ').chain(text.chars());
    let mut starts = text
        .char_indices()
        .zip(befores)
        .filter(|((_, c), before)| c.is_ascii_digit() && !before.is_alphanumeric());
    let numeric = starts.find_map(|((at, _), _)| {
        let rest = &text[at..];
        iso_prefix(rest).or_else(|| han(rest)).or_else(|| day_first(rest))
    });
    numeric.or_else(|| written(text))
}

/// `22.11.2026`, and `22/11/2026` or `11/22/2026` where one of the numbers can be no month.
fn day_first(text: &str) -> Option<Date> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.' && c != '/')
        .unwrap_or(text.len());
    let text = text[..end].trim_end_matches('.');
    let separator = if text.contains('.') { '.' } else { '/' };
    let parts: Vec<&str> = text.split(separator).collect();
    match parts.as_slice() {
        [month, date, year]
            if date.len() == 2 && month.len() <= 2 && separator == '/' && number(date)? > 12 =>
        {
            day(year, month, date)
        }
        [date, month, year]
            if date.len() <= 2 && month.len() <= 2 && (separator == '.' || number(date)? > 12) =>
        {
            day(year, month, date)
        }
        _ => None,
    }
}

/// The day that three folders of a path name: `/2026/11/22/`.
pub(crate) fn in_path(path: &str) -> Option<Date> {
    let parts: Vec<&str> = path.split('/').take(30).collect();
    parts.windows(3).find_map(|parts| match parts {
        [year, month, date] if month.len() <= 2 && date.len() <= 2 => day(year, month, date),
        _ => None,
    })
}

/// A month without a day means its first day.
fn iso(text: &str) -> Option<Date> {
    iso_prefix(text).or_else(|| {
        let (year, month) = text.split_once('-')?;
        (month.len() == 2).then(|| day(year, month, "1")).flatten()
    })
}

fn iso_prefix(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    let separator = *bytes.get(4)?;
    let fits = matches!(separator, b'-' | b'/')
        && *bytes.get(7)? == separator
        && !bytes.get(10).is_some_and(u8::is_ascii_digit);
    fits.then(|| day(text.get(..4)?, text.get(5..7)?, text.get(8..10)?))
        .flatten()
}

fn han(text: &str) -> Option<Date> {
    let (year, rest) = text.split_once('年')?;
    let (month, rest) = rest.split_once('月')?;
    day(year, month.trim(), rest.split_once('日')?.0.trim())
}

/// A month by name with a day and a year near it.
fn written(text: &str) -> Option<Date> {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let words: Vec<&str> = words.take(400).collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let month = month(word)?;
        let (before, after) = (words[..at].iter().rev().take(2), &words[at + 1..]);
        let date = after
            .first()
            .and_then(|word| day_number(word))
            .or_else(|| before.clone().find_map(|word| day_number(word)))?;
        let year = after
            .iter()
            .take(3)
            .find(|word| word.len() == 4 && number(word).is_some())?;
        day(year, &month.to_string(), date)
    })
}

/// A plausible day of a year with four digits.
fn day(year: &str, month: &str, date: &str) -> Option<Date> {
    let (month, date) = (
        i8::try_from(number(month)?).ok()?,
        i8::try_from(number(date)?).ok()?,
    );
    let year = Some(year).filter(|year| year.len() == 4).and_then(number)?;
    Date::new(year, month, date).ok().filter(is_plausible)
}

/// Whether a page can have this date.
///
/// Dates before the web and in the far future are placeholders.
fn is_plausible(date: &Date) -> bool {
    (1_990..=2_199).contains(&date.year())
}

fn number(text: &str) -> Option<i16> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

/// Whether a word is a month or a weekday.
pub(crate) fn is_calendar_word(word: &str) -> bool {
    static WEEKDAYS: Words = Words::new(include_str!("words/dates_weekdays.txt"));
    let word = word.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    month(&word).is_some() || WEEKDAYS.contains(&word)
}

/// Reads a day's number: `3`, `3rd`, `1er`.
fn day_number(word: &str) -> Option<&str> {
    let digits = word.trim_end_matches(|c: char| c.is_alphabetic());
    let fits = matches!(&word[digits.len()..], "" | "st" | "nd" | "rd" | "th" | "er" | "º");
    (fits && digits.len() <= 2 && (1..=31).contains(&number(digits)?)).then_some(digits)
}

/// A month name or its abbreviation in English, and fifteen other languages.
fn month(word: &str) -> Option<i16> {
    let word = word.to_lowercase();
    let of = |names: &&str| names.split(' ').any(|name| name == word);
    (1..)
        .zip(MONTHS.lines())
        .find(|(_, names)| of(names))
        .map(|(number, _)| number)
}

/// A month's names a line, from January.
const MONTHS: &str = include_str!("words/months.txt");

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(read: fn(&str) -> Option<Date>, text: &str, expected: &str) {
        let found = read(text).map(|date| date.to_string()).unwrap_or_default();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn machine_dates_are_read() {
        for (text, expected) in [
            ("2026-03-03", "2026-03-03"),
            ("2026-03-03T10:00:00Z", "2026-03-03"),
            ("2026-03-03 10:00", "2026-03-03"),
            ("2026-03", "2026-03-01"),
            ("2026", ""),
            ("20260303", "2026-03-03"),
            ("2026-02-30", ""),
            ("Tue, 03 Mar 2026 10:00:00 GMT", "2026-03-03"),
            ("Tuesday, 03-Mar-26 10:00:00 GMT", "2026-03-03"),
            ("25 Jun 2010 15:00:00 PST", "2010-06-25"),
            ("yesterday", ""),
            ("", ""),
            ("0001-01-01", ""),
            ("9999-12-31", ""),
        ] {
            check(machine, text, expected);
        }
    }

    #[test]
    fn folders_of_an_address_name_a_day() {
        for (path, expected) in [
            ("/2026/11/22/pumps", "2026-11-22"),
            ("/news/2026/3/3/", "2026-03-03"),
            ("/2026/13/03/", ""),
            ("/2026/11/", ""),
            ("/12/2026/11/22", "2026-11-22"),
        ] {
            check(in_path, path, expected);
        }
    }

    #[test]
    fn visible_dates_are_found() {
        for (text, expected) in [
            ("Published March 3, 2026 by Ana", "2026-03-03"),
            ("Updated 3rd of May 2026", "2026-05-03"),
            ("Stand: 3. März 2026", "2026-03-03"),
            ("le 1er août 2025", "2025-08-01"),
            ("3 de marzo de 2026", "2026-03-03"),
            ("2026年3月3日更新", "2026-03-03"),
            ("Feb. 23, 2015 -- Allergies", "2015-02-23"),
            ("04.05.2015 à 13h36", "2015-05-04"),
            ("am 3.3.2026.", "2026-03-03"),
            ("22/11/2026", "2026-11-22"),
            ("10/12/2026", ""),
            ("11/22/2026", "2026-11-22"),
            ("22 listopada 2026", "2026-11-22"),
            ("22 ноября 2026 г.", "2026-11-22"),
            ("1.2.3.4", ""),
            ("version 12026-03-031", ""),
            ("as of 2026-03-03.", "2026-03-03"),
            ("In May we met 12 people", ""),
            ("May 2026", ""),
        ] {
            check(visible, text, expected);
        }
    }
}
