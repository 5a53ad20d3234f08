//! Reads how a line starts: list markers of every kind.

/// A marker at the start of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marker {
    /// Its length in bytes, with the white space after it.
    pub(super) length: usize,
    pub(super) number: Option<u32>,
    /// Bold starts before the number and continues after it: `**1. Name**`.
    pub(super) in_bold: bool,
    /// An emoji or another symbol rather than a list mark.
    pub(super) symbol: bool,
}

/// The marker at the start of `line`, which starts without white space.
pub(super) fn read(line: &str) -> Option<Marker> {
    let (inner, bold) = match line.strip_prefix("**").or_else(|| line.strip_prefix("__")) {
        Some(inner) => (inner, 2),
        None => (line, 0),
    };
    if let Some((length, number)) = numbered(inner) {
        let rest = &inner[length..];
        // `**1.** Name`: the bold ends with the number.
        let closed = bold > 0 && (rest.starts_with("**") || rest.starts_with("__"));
        let tail = if closed { &rest[2..] } else { rest };
        let blanks = tail.len() - tail.trim_start_matches([' ', '\t']).len();
        return Some(Marker {
            length: bold + length + if closed { 2 } else { 0 } + blanks,
            number: Some(number),
            in_bold: bold > 0 && !closed,
            symbol: false,
        });
    }
    if bold > 0 {
        return None;
    }
    bullet(line).or_else(|| symbols(line))
}

/// A number that counts items: its length and value.
fn numbered(text: &str) -> Option<(usize, u32)> {
    let first = text.as_bytes().first()?;
    // `a) Acme`
    if first.is_ascii_lowercase() && text[1..].starts_with(") ") {
        return Some((2, u32::from(first - b'a') + 1));
    }
    if first.is_ascii() && !first.is_ascii_digit() && !b"#NT(".contains(first) {
        return None;
    }
    let (prefix, rest) = ["#", "No. ", "No.", "Nr. ", "N° ", "Nº ", "Top ", "(", "第"]
        .iter()
        .find_map(|prefix| Some((*prefix, text.strip_prefix(prefix)?)))
        .unwrap_or(("", text));
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, end) = match digits {
        0 => chinese(rest)?,
        1..=3 => (rest[..digits].parse().ok()?, digits),
        _ => return None,
    };
    let tail = &rest[end..];
    let mark = match prefix {
        "" => numbered_tail(tail)?,
        "(" => tail.starts_with(')').then_some(1)?,
        "第" => ["位:", "名:", "位 ", "名 ", "位", "名", "、", ":", "家", "款"]
            .iter()
            .find(|mark| tail.starts_with(**mark))?
            .len(),
        _ => [". ", ": ", ") ", " - ", " – ", ":", " "]
            .iter()
            .find(|mark| tail.starts_with(**mark))?
            .len(),
    };
    (number > 0 || prefix.is_empty()).then_some((prefix.len() + end + mark, number))
}

/// How long the mark after a marker's digits is.
fn numbered_tail(tail: &str) -> Option<usize> {
    for mark in ["位:", "位 ", "위:", "위 ", "、", ".)", "),"] {
        if tail.starts_with(mark) {
            return Some(mark.len());
        }
    }
    let mut chars = tail.chars();
    let mark = chars
        .next()
        .filter(|c| matches!(c, '.' | ')' | ':' | '．' | '-' | '/' | '|'))?;
    let next = chars.next();
    let spaced = next.is_none_or(|c| c.is_whitespace() || c == '*' || c == '_');
    let fits = match mark {
        // `3.Name`, but not `3.5` and not `3.5.2024`.
        '.' => {
            spaced || next.is_some_and(|c| !c.is_ascii() || c.is_ascii_uppercase() || matches!(c, '[' | '"'))
        }
        ')' => spaced || next.is_some_and(char::is_alphabetic),
        ':' | '-' | '/' | '|' => false,
        _ => true,
    };
    fits.then_some(mark.len_utf8())
}

/// Chinese numbers up to twenty, as list numbers: `一、`, `十二、`.
fn chinese(text: &str) -> Option<(u32, usize)> {
    const DIGITS: &str = "一二三四五六七八九十";
    let value = |c: char| {
        DIGITS
            .chars()
            .position(|digit| digit == c)
            .map(|at| at as u32 + 1)
    };
    let mut chars = text.chars();
    let first = value(chars.next()?)?;
    let (number, end) = match chars.clone().next().and_then(value) {
        Some(second) if first == 10 && second < 10 => (10 + second, 6),
        Some(_) => return None,
        None => (first, 3),
    };
    let tail = text.get(end..)?;
    ["、", ".", ":", "位", "名", "家", "款"]
        .iter()
        .any(|mark| tail.starts_with(mark))
        .then_some((number, end))
}

fn bullet(line: &str) -> Option<Marker> {
    let c = line.chars().next()?;
    let width = c.len_utf8();
    let rest = &line[width..];
    let spaced = rest.starts_with([' ', '\t']);
    let fits = match c {
        '-' | '*' | '+' | '–' | '—' => spaced,
        'o' => {
            spaced
                && rest
                    .trim_start()
                    .starts_with(|c: char| c.is_uppercase() || c == '*' || c == '[')
        }
        '•' | '·' | '▪' | '▫' | '◦' | '●' | '○' | '■' | '□' | '◆' | '◇' | '►' | '▶' | '➤' | '➢' | '‣'
        | '⁃' | '・' | '∙' | '➜' | '→' => !rest.starts_with(c),
        _ => false,
    };
    if !fits {
        return None;
    }
    let trimmed = rest.trim_start_matches([' ', '\t']);
    let trimmed = ["[ ] ", "[x] ", "[X] "]
        .iter()
        .find_map(|mark| trimmed.strip_prefix(mark))
        .unwrap_or(trimmed);
    let length = line.len() - trimmed.len();
    Some(Marker {
        length,
        ..Marker::default()
    })
}

/// Emoji and dingbats before the text of a line.
fn symbols(line: &str) -> Option<Marker> {
    let length: usize = line
        .chars()
        .take_while(|c| is_symbol(*c) || *c == ' ')
        .map(char::len_utf8)
        .sum();
    let found = line.chars().next().is_some_and(is_symbol) && length < line.len() && length <= 24;
    found.then_some(Marker {
        length,
        symbol: true,
        ..Marker::default()
    })
}

/// Pictures: emoji, dingbats, arrows, flags.
pub(super) const fn is_symbol(c: char) -> bool {
    matches!(c as u32, 0x2190..=0x21ff | 0x2300..=0x23ff | 0x2600..=0x27bf | 0x2b00..=0x2bff | 0x1_f000..=0x1_faff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, rest: Option<&str>, number: Option<u32>) {
        let found = read(line);
        assert_eq!(found.map(|marker| &line[marker.length..]), rest, "{line}");
        assert_eq!(found.and_then(|marker| marker.number), number, "{line}");
    }

    #[test]
    fn numbers_of_every_kind() {
        check("1. Acme", Some("Acme"), Some(1));
        check("12) Acme", Some("Acme"), Some(12));
        check("(3) Acme", Some("Acme"), Some(3));
        check("3.Acme", Some("Acme"), Some(3));
        check("**2. Acme**", Some("Acme**"), Some(2));
        check("**2.** Acme", Some("Acme"), Some(2));
        check("#1 Acme", Some("Acme"), Some(1));
        check("#1: Acme", Some("Acme"), Some(1));
        check("1、海底捞", Some("海底捞"), Some(1));
        check("一、海底捞", Some("海底捞"), Some(1));
        check("第1位:甲", Some("甲"), Some(1));
    }

    #[test]
    fn bullets_and_symbols() {
        check("- Acme", Some("Acme"), None);
        check("•Acme", Some("Acme"), None);
        check("* [x] Acme", Some("Acme"), None);
        check("🌷 **Acme**", Some("**Acme**"), None);
        check("– Acme", Some("Acme"), None);
    }

    #[test]
    fn text_that_only_looks_like_a_marker() {
        for line in [
            "3.5 km away",
            "24/7 service",
            "2024 was good",
            "**Acme** is",
            "*Acme* is",
            "-Acme",
            "9:30 am",
            "100% legit",
        ] {
            check(line, None, None);
        }
    }
}
