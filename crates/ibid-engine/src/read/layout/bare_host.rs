//! Host names in running text: `acme.com`, `www.acme.com/menu`.

use super::{Form, Layout, Link};
use crate::read::text::is_word;
use memchr::memchr_iter;

/// Longest host name, in bytes of its Unicode form.
const LONGEST: usize = 253;

/// Adds a link for every bare host outside of other links.
pub(super) fn find(layout: &mut Layout) {
    let mut found = Vec::new();
    let mut done = 0;
    let text = &layout.text;
    for dot in memchr_iter(b'.', text.as_bytes()) {
        if dot < done {
            continue;
        }
        let Some((start, end)) = token(text, dot, done) else {
            continue;
        };
        done = end;
        let inside = layout.links.partition_point(|link| link.span.start <= start);
        if inside
            .checked_sub(1)
            .and_then(|at| layout.links.get(at))
            .is_some_and(|link| start < link.span.end)
        {
            continue;
        }
        let (host, rest) = (&text[start..end], &text[end..]);
        let before = text[..start].chars().next_back();
        if matches!(before, Some('@' | '/' | '=' | '\\' | '+'))
            || rest.starts_with('@')
            || !is_host(host)
            || is_cut(rest)
        {
            continue;
        }
        let path = path_length(rest);
        found.push(Link {
            span: start..end + path,
            form: Form::Host,
            url: format!("http://{}", &text[start..end + path]),
            chip: false,
        });
        done = end + path;
    }
    if !found.is_empty() {
        layout.links.append(&mut found);
        layout.links.sort_by_key(|link| link.span.start);
    }
}

/// Finds the label characters and dots that run around a dot.
fn token(text: &str, dot: usize, from: usize) -> Option<(usize, usize)> {
    let fits = |c: char| is_word(c) && !crate::read::text::script(c).is_unspaced() || matches!(c, '-' | '_');
    let mut start = dot;
    for (at, c) in text[from..dot].char_indices().rev() {
        if !fits(c) || dot - (from + at) > LONGEST {
            break;
        }
        start = from + at;
    }
    let mut end = dot;
    let mut after_dot = false;
    for (at, c) in text[dot..].char_indices() {
        if at > LONGEST || !(fits(c) || c == '.' && !after_dot) {
            break;
        }
        after_dot = c == '.';
        if !after_dot {
            end = dot + at + c.len_utf8();
        }
    }
    (start < dot && end > dot + 1).then_some((start, end))
}

/// Whether a token is the name of a host: a known public suffix with a label before it.
fn is_host(token: &str) -> bool {
    let Some((rest, last)) = token.rsplit_once('.') else {
        return false;
    };
    let letters =
        last.chars().count() >= 2 && last.chars().all(char::is_alphabetic) || last.starts_with("xn--");
    let titled = last.starts_with(char::is_uppercase) && last.chars().skip(1).all(char::is_lowercase);
    // `great.It` is two sentences; `.NET` is a product.
    if !letters
        || titled && !rest.starts_with(char::is_uppercase)
        || last == "NET"
        || rest.ends_with('-')
        || rest.contains('_')
    {
        return false;
    }
    let lower = token.to_lowercase();
    // Documentation's own suffix is on no list.
    let Some(suffix) = psl::suffix(lower.as_bytes()).filter(|suffix| suffix.is_known() || last == "example")
    else {
        return false;
    };
    let Some(below) = lower
        .len()
        .checked_sub(suffix.as_bytes().len() + 1)
        .and_then(|end| lower.get(..end))
    else {
        return false;
    };
    let label = below.rsplit('.').next().unwrap_or_default();
    let short = label.chars().count() < 2;
    // One letter and two are mostly abbreviations: `p.m`, `u.s`.
    !label.is_empty()
        && (!short || matches!(last, "com" | "co" | "org" | "net" | "io" | "ai"))
        && label.contains(is_word)
}

/// Whether the text after a host marks its end as missing.
fn is_cut(rest: &str) -> bool {
    rest.starts_with('…') || rest.starts_with("...")
}

/// How long a path after a host is, in bytes.
fn path_length(rest: &str) -> usize {
    if !rest.starts_with(['/', ':', '?']) || !rest[1..].starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return usize::from(rest.starts_with('/'));
    }
    if rest.starts_with(':') && !rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    let end = rest
        .find(|c: char| {
            c.is_whitespace()
                || !c.is_ascii()
                || matches!(c, '<' | '>' | '"' | ')' | '(' | '|' | ',' | ';' | '\'')
        })
        .unwrap_or(rest.len())
        .min(2_048);
    rest[..rest.floor_char_boundary(end)]
        .trim_end_matches(['.', ',', ':', ';', '!', '?'])
        .len()
}
