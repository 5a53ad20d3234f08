//! Marks in text copied from a browser where line ends were lost: blanks, product cards, search results.

use super::one_line::LONG;
use memchr::memmem;

/// Breaks at runs of several blanks in a long line: the copy has a blank for each line end.
pub(super) fn blanks(line: &str) -> Vec<usize> {
    if line.len() < LONG {
        return Vec::new();
    }
    let text = line.trim_start();
    let lead = line.len() - text.len();
    let mut found = Vec::new();
    let mut at = lead;
    for (words, next) in text.split("  ").zip(text.split("  ").skip(1)) {
        at += words.len() + 2;
        if next.is_empty() {
            continue;
        }
        let start = at + next.len() - next.trim_start().len();
        // The mark of an item is before its blanks.
        let before = line.get(..start).unwrap_or_default().trim_end();
        let mark = before.strip_suffix(['*', '-', '•']);
        found.push(mark.filter(|text| text.ends_with(' ')).map_or(start, str::len));
    }
    if found.len() < 3 { Vec::new() } else { found }
}

/// Breaks between product cards: `Name$10.00•Shop + othersName$12.00•Shop`.
pub(super) fn cards(line: &str) -> Vec<usize> {
    const DOT: &str = "•";
    let is_price = |at: usize| {
        let before = line.get(..at).unwrap_or_default();
        let digits = before.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
        digits.len() < before.len() && digits.ends_with(['$', '€', '£', '₹', '¥'])
    };
    let dots: Vec<usize> = memmem::find_iter(line.as_bytes(), DOT)
        .filter(|at| is_price(*at))
        .collect();
    if dots.len() < 2 {
        return Vec::new();
    }
    let ends = dots.iter().skip(1).copied();
    let mut found = Vec::new();
    for (dot, end) in dots.iter().zip(ends) {
        let start = dot + DOT.len();
        let shop = line.get(start..end).unwrap_or_default();
        // The next name starts where a capital is glued to a small letter.
        let others = shop.find(" + others").map(|at| at + " + others".len());
        let glued = || {
            let next = shop.char_indices().skip(1);
            shop.chars()
                .zip(next)
                .find(|(one, (_, next))| one.is_lowercase() && next.is_uppercase())
                .map(|(_, (at, _))| at)
        };
        found.extend(others.or_else(glued).map(|at| start + at));
    }
    found
}

/// Breaks before the dates of search results copied after an answer: `A titleJan 4, 2023 — The page says`.
pub(super) fn snippets(line: &str) -> Vec<usize> {
    const DASH: &str = " — ";
    let found = memmem::find_iter(line.as_bytes(), DASH).filter_map(|dash| {
        let year = line.get(dash.checked_sub(4)?..dash)?;
        if !year.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        // A day, a month and a year take two more words, the first glued to the title.
        let before = line.get(..dash - 4)?;
        let word = before.trim_end_matches([' ', ',']).rfind(' ')?;
        let first = before.get(..word)?;
        let start = first.rfind(' ').map_or(0, |at| at + 1);
        let title = first.get(start..)?;
        let glued = title
            .char_indices()
            .skip(1)
            .find(|(at, c)| {
                (c.is_uppercase() || c.is_ascii_digit())
                    && title[..*at]
                        .ends_with(|c: char| c.is_lowercase() || matches!(c, '?' | '.' | '!' | ')'))
            })
            .map(|(at, _)| at)?;
        Some(start + glued)
    });
    let found: Vec<usize> = found.collect();
    if found.len() < 2 { Vec::new() } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_results_and_runs_of_blanks_part_a_line() {
        let line =
            "Zorbu is firm.Zorbu reviewJan 4, 2023 — Zorbu is soft.Quelt reviewFeb 12, 2024 — Quelt is wide.";
        let dates = snippets(line);
        assert_eq!(dates.len(), 2, "{dates:?}");
        let long = "x".repeat(LONG);
        let line = format!("Picks:  - Zorbu: firm.   - Quelt: soft. *   **Drano** {long}");
        let pieces: Vec<&str> = blanks(&line).into_iter().map(|at| &line[at..at + 3]).collect();
        assert_eq!(pieces, ["- Z", "- Q", "*  "]);
    }
}
