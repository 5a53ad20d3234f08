//! Marks in text copied from a browser where line ends were lost: blanks and product cards.

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
        // An item's mark stands before its blanks.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_blanks_part_a_line() {
        let long = "x".repeat(LONG);
        let line = format!("Picks:  - Zorbu: firm.   - Quelt: soft. *   **Drano** {long}");
        let pieces: Vec<&str> = blanks(&line).into_iter().map(|at| &line[at..at + 3]).collect();
        assert_eq!(pieces, ["- Z", "- Q", "*  "]);
    }
}
