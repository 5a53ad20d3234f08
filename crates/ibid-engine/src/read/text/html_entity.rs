//! Character references of HTML, as far as answers contain them.

use crate::read::words::{List, list};

/// Decodes a reference at the start of `text`, and returns its character and its length in bytes.
/// `text` starts with `&`. The table has the references that occur in prose; others stay unchanged.
pub(super) fn decode(text: &str) -> Option<(char, usize)> {
    let window = text.as_bytes().get(1..text.len().min(12))?;
    let end = window.iter().position(|byte| *byte == b';')?;
    let name = text.get(1..=end)?;
    let decoded = match name.strip_prefix('#') {
        Some(number) => numeric(number)?,
        None => named(name)?,
    };
    // A decoded bracket is text: it must not be taken for a tag.
    let decoded = match decoded {
        '<' => '‹',
        '>' => '›',
        other => other,
    };
    Some((decoded, end + 2))
}

fn numeric(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code).filter(|c| !c.is_control())
}

fn named(name: &str) -> Option<char> {
    static CHARACTERS: List = list("html.characters");
    let behind = CHARACTERS
        .iter()
        .find_map(|row| row.strip_prefix(name)?.strip_prefix(' '));
    behind?.chars().next()
}
