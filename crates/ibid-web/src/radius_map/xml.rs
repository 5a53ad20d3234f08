//! Escapes text for XML.

use std::borrow::Cow;

/// Escapes a text for an element or an attribute. Characters that XML forbids and steering characters are left out.
pub(super) fn text(hostile: &str) -> Cow<'_, str> {
    let harmless = |c: char| is_readable(c) && !matches!(c, '<' | '>' | '&' | '"' | '\'');
    if hostile.chars().all(harmless) {
        return Cow::Borrowed(hostile);
    }
    let mut safe = String::with_capacity(hostile.len() + 16);
    for c in hostile.chars().filter(|c| is_readable(*c)) {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

/// Whether a character is neither a control character, a change of direction nor a noncharacter.
fn is_readable(c: char) -> bool {
    !(c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{feff}' | '\u{fff9}'..='\u{ffff}' | '\u{e0000}'..='\u{e0fff}'
        ))
}
