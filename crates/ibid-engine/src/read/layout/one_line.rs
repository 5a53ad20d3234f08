//! Lists whose line ends were lost: `1. A 2. B 3. C` and `intro: - A: x - B: y` in one line.

use super::copies::{blanks, cards};
use memchr::{memchr_iter, memmem};
use std::sync::LazyLock;

/// Shortest line that can hold such a list.
const SHORTEST: usize = 24;

/// The marks between items that occur in a text.
pub(super) struct Marks(Vec<&'static (&'static str, memmem::Finder<'static>)>);

impl Marks {
    /// Looks for the marks in the whole text, which is faster than a search in each line.
    pub(super) fn of(text: &str) -> Self {
        let held = MARKS
            .iter()
            .filter(|(_, finder)| finder.find(text.as_bytes()).is_some());
        Self(held.collect())
    }

    /// Finds where a line breaks into items, ascending, without the start of the line.
    /// Empty if it is one line.
    pub(super) fn breaks(&self, line: &str) -> Vec<usize> {
        if line.len() < SHORTEST || line.starts_with('|') {
            return Vec::new();
        }
        let mut found = structure(line);
        found.extend(blanks(line));
        found.extend(cards(line));
        let numbers = [numbers(line), letters(line)].concat();
        if !numbers.is_empty() {
            found.extend(numbers);
        } else if found.is_empty() {
            found.extend(self.dashes(line));
        } else {
            // Headings and bold titles divide the line; each part may hold a list.
            found.sort_unstable();
            let starts = std::iter::once(0).chain(found.iter().copied());
            let ends = found.iter().copied().chain([line.len()]);
            let inner: Vec<usize> = starts
                .zip(ends)
                .filter_map(|(start, end)| Some((start, line.get(start..end)?)))
                .flat_map(|(start, part)| self.dashes(part).into_iter().map(move |at| start + at))
                .collect();
            found.extend(inner);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Breaks before ` - ` and ` • ` if every piece is a bold name or has a head with a colon.
    fn dashes(&self, line: &str) -> Vec<usize> {
        let bytes = line.as_bytes();
        for (mark, finder) in &self.0 {
            // A single search decides for nearly every line.
            let Some(first) = finder.find(bytes) else {
                continue;
            };
            let lead = line[..first].trim_end();
            let titled = line.starts_with('#');
            let starts = bytes.starts_with(&mark.as_bytes()[1..])
                || titled
                || lead.ends_with([':', '.', '!', '?', '。']);
            let found: Vec<usize> = finder.find_iter(bytes).map(|at| at + 1).collect();
            if !starts && *mark != " • " {
                continue;
            }
            let ends = found.iter().skip(1).copied().chain([line.len()]);
            let is_item = |(start, end): (&usize, usize)| {
                let piece = line[start + mark.len() - 1..end].trim();
                piece.starts_with("**") || head_with_colon(piece) || *mark == " • "
            };
            if found.len() >= 2 && found.iter().zip(ends).all(is_item) {
                return found;
            }
        }
        Vec::new()
    }
}

/// Breaks before headings (` ### `) and bold items (` * **`) inside a line,
/// around numbered bold titles (`**1. Acme** This`),
/// and after a bold title that the next sentence repeats (`**Acme** Acme is`).
fn structure(line: &str) -> Vec<usize> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    if memchr::memchr(b'#', bytes).is_some() {
        for at in memmem::find_iter(bytes, " ##") {
            let behind = line.get(at + 1..).unwrap_or_default().trim_start_matches('#');
            if behind.starts_with(' ') {
                found.push(at + 1);
            }
        }
    }
    if memmem::find(bytes, b"**").is_none() {
        return found;
    }
    for mark in [" * **", " - **", " • **"] {
        let items: Vec<usize> = memmem::find_iter(bytes, mark).map(|at| at + 1).collect();
        if items.len() > 1 || !found.is_empty() {
            found.extend(items);
        }
    }
    let bolds: Vec<usize> = memmem::find_iter(bytes, "**").collect();
    for pair in bolds.chunks_exact(2) {
        let &[open, close] = pair else { continue };
        let (inner, behind) = (
            line.get(open + 2..close).unwrap_or_default(),
            line.get(close + 2..).unwrap_or_default(),
        );
        let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
        let numbered =
            (1..=2).contains(&digits) && inner.get(digits..).is_some_and(|rest| rest.starts_with(". "));
        let Some(next) = behind
            .strip_prefix(' ')
            .filter(|next| next.starts_with(char::is_uppercase))
        else {
            continue;
        };
        let first = inner.split(' ').next().unwrap_or_default();
        let again = first.len() > 1 && next.starts_with(first) && inner.len() <= 60;
        let before = line.get(..open).unwrap_or_default().trim_end();
        let starts = before.is_empty() || before.ends_with(['.', '!', '?', ':', ')']);
        if starts && (numbered || again) {
            if open > 0 {
                found.push(open);
            }
            found.push(close + 3);
        }
    }
    found
}

/// Breaks before `a) `, `b) `, … in their order.
fn letters(line: &str) -> Vec<usize> {
    let bytes = line.as_bytes();
    let mut found: Vec<usize> = Vec::new();
    for at in memmem::find_iter(bytes, ") ") {
        let Some(start) = at.checked_sub(1) else {
            continue;
        };
        let expected = b'a'.saturating_add(found.len() as u8);
        let opens = start == 0 || bytes[start - 1] == b' ';
        if bytes[start] == expected && opens && found.len() < 26 {
            found.push(start);
        }
    }
    if found.len() < 2 {
        return Vec::new();
    }
    found.retain(|start| *start > 0);
    found
}

/// Shortest line in which heads with colons are looked for.
pub(super) const LONG: usize = 300;
/// Breaks before `1. `, `2. `, … while the numbers go up by one.
fn numbers(line: &str) -> Vec<usize> {
    let bytes = line.as_bytes();
    let starts_list = line.trim_start().starts_with("1. ") || line.trim_start().starts_with("1) ");
    let mut expected: u32 = if starts_list { 2 } else { 1 };
    let mut found = Vec::new();
    let mut strong = true;
    for mark in memchr::memchr2_iter(b'.', b')', bytes) {
        let digits = bytes[..mark]
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_digit())
            .take(3)
            .count();
        if digits == 0 {
            continue;
        }
        let start = mark - digits;
        let Some(before) = start.checked_sub(1).and_then(|at| bytes.get(at)) else {
            continue;
        };
        let spaced = matches!(before, b' ' | b'\t' | b'(') || !before.is_ascii();
        let behind = line.get(mark + 1..).unwrap_or_default();
        if !spaced || !behind.starts_with([' ', '*']) {
            continue;
        }
        let head = behind.trim_start();
        let begins = head.starts_with("**")
            || head.starts_with('[')
            || head.starts_with(|c: char| c.is_uppercase() || !c.is_ascii() && c.is_alphabetic());
        if !begins {
            continue;
        }
        if line[start..mark].parse() == Ok(expected) {
            strong &= head.starts_with("**") || head.starts_with('[');
            found.push(start);
            expected += 1;
        }
    }
    // Two bold items are a list; plain ones need a third, because prose also numbers things.
    let items = expected - 1;
    if items >= 3 || items >= 2 && strong {
        found
    } else {
        Vec::new()
    }
}

/// Marks between items, with their searchers.
static MARKS: LazyLock<[(&str, memmem::Finder<'static>); 4]> =
    LazyLock::new(|| [" - ", " • ", " * ", " – "].map(|mark| (mark, memmem::Finder::new(mark))));

/// Whether a short head and a colon start the piece.
fn head_with_colon(piece: &str) -> bool {
    memchr_iter(b':', piece.as_bytes())
        .next()
        .is_some_and(|at| at > 1 && at <= 60)
}
