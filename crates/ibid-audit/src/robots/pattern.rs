//! Path patterns: percent-encoding made equal, `*` and a final `$`, in linear time.

use std::borrow::Cow;

/// Makes two spellings of one path equal (RFC 9309, 2.2.2): unreserved characters are decoded,
/// other escapes get upper-case digits, bytes outside ASCII are escaped.
///
/// Keeps a `%` without two digits, so that the function is idempotent.
#[must_use]
pub fn normalise(path: &str) -> Cow<'_, str> {
    let bytes = path.as_bytes();
    if !bytes.iter().any(|&byte| byte == b'%' || !byte.is_ascii()) {
        return Cow::Borrowed(path);
    }
    let mut out = String::with_capacity(bytes.len() + 16);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escape = (byte == b'%')
            .then(|| Some((hex(*bytes.get(at + 1)?)?, hex(*bytes.get(at + 2)?)?)))
            .flatten();
        match escape {
            Some((high, low)) => {
                let value = high * 16 + low;
                if value.is_ascii_alphanumeric() || matches!(value, b'-' | b'.' | b'_' | b'~') {
                    out.push(char::from(value));
                } else {
                    push_escaped(&mut out, value);
                }
                at += 3;
            }
            None if byte == b'%' => {
                out.push_str("%25");
                at += 1;
            }
            None if byte.is_ascii() => {
                out.push(char::from(byte));
                at += 1;
            }
            None => {
                push_escaped(&mut out, byte);
                at += 1;
            }
        }
    }
    Cow::Owned(out)
}

fn push_escaped(out: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(DIGITS[usize::from(byte >> 4)]));
    out.push(char::from(DIGITS[usize::from(byte & 15)]));
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

/// Returns a matching rule's length, by which it competes with others.
///
/// As in Google's matcher, an allow of `/folder/index.html` also opens `/folder/` itself.
pub(super) fn matched_length(pattern: &str, allow: bool, path: &str) -> Option<usize> {
    if matches(pattern, path) {
        return Some(pattern.len());
    }
    let (folder, file) = pattern.rsplit_once('/')?;
    if !allow || !file.starts_with("index.htm") {
        return None;
    }
    let folder = format!("{folder}/$");
    matches(&folder, path).then_some(folder.len())
}

/// Whether a normalised pattern matches a normalised path, from its start.
///
/// A pattern has fixed pieces between stars.
/// Matching each piece as far left as possible leaves most room for the rest,
/// so one pass without backtracking decides.
/// A piece at an anchored end is matched at the end only.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, anchored) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or("");
    let Some(mut rest) = path.strip_prefix(first) else {
        return false;
    };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return !anchored || rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() && anchored {
            return rest.ends_with(piece);
        }
        if piece.is_empty() {
            continue;
        }
        let Some(at) = memchr::memmem::find(rest.as_bytes(), piece.as_bytes()) else {
            return false;
        };
        rest = rest.get(at + piece.len()..).unwrap_or("");
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spellings_of_one_path_become_equal() {
        // Rows after the examples of RFC 9309, 2.2.2, and its unreserved set.
        for (written, normal) in [
            ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
            ("/foo/bar/\u{30c4}", "/foo/bar/%E3%83%84"),
            ("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"),
            ("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84"),
            ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
            ("/%7ejoe", "/~joe"),
            ("/a%3cd", "/a%3Cd"),
            ("/a%2fb", "/a%2Fb"),
            ("/100%", "/100%25"),
            ("/%4", "/%254"),
            ("/%zz", "/%25zz"),
            ("/%%34%31", "/%2541"),
            ("/%2a", "/%2A"),
        ] {
            assert_eq!(normalise(written), normal, "{written}");
        }
    }

    #[test]
    fn stars_and_the_final_dollar_match() {
        for (pattern, path, expected) in [
            ("/", "/", true),
            ("/fish", "/fish", true),
            ("/fish", "/fish.html", true),
            ("/fish", "/Fish", false),
            ("/fish*", "/fishheads/yummy.html", true),
            ("/fish/", "/fish", false),
            ("/*.php", "/folder/filename.php?parameters", true),
            ("/*.php", "/", false),
            ("/*.php$", "/filename.php", true),
            ("/*.php$", "/filename.php?parameters", false),
            ("/*.php$", "/filename.php5", false),
            ("/fish*.php", "/fishheads/catfish.php?parameters", true),
            ("/fish*.php", "/Fish.PHP", false),
            ("/a$b", "/a$b/c", true),
            ("/$", "/", true),
            ("/$", "/a", false),
            ("*", "/x", true),
            ("*$", "/x", true),
            ("/*/a*b$", "/x/aab", true),
            ("/*/a*ab$", "/x/ab", false),
            ("/a*a$", "/a", false),
            ("/a**b", "/axb", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn an_allowed_index_page_opens_its_folder() {
        for (pattern, allow, path, expected) in [
            ("/a/index.html", true, "/a/", Some(4)),
            ("/a/index.htm", true, "/a/", Some(4)),
            ("/a/index.html", true, "/a/index.html", Some(13)),
            ("/a/index.html", true, "/a/b", None),
            ("/a/index.html", false, "/a/", None),
            ("/a/home.html", true, "/a/", None),
        ] {
            assert_eq!(matched_length(pattern, allow, path), expected, "{pattern} {path}");
        }
    }

    /// The definition, by recursion.
    fn naive(pattern: &[u8], path: &[u8]) -> bool {
        match pattern {
            [] => true,
            [b'$'] => path.is_empty(),
            [b'*', rest @ ..] => (0..=path.len()).any(|skip| naive(rest, &path[skip..])),
            [byte, rest @ ..] => path.first() == Some(byte) && naive(rest, &path[1..]),
        }
    }

    proptest! {
        #[test]
        fn the_matcher_agrees_with_the_definition(pattern in "[ab*]{0,9}[$]{0,1}", path in "[ab$]{0,12}") {
            prop_assert_eq!(matches(&pattern, &path), naive(pattern.as_bytes(), path.as_bytes()));
        }

        #[test]
        fn normalising_twice_is_normalising_once(path in "[a-z%0-9A-F/é*$]{0,20}") {
            let once = normalise(&path).into_owned();
            prop_assert_eq!(normalise(&once), once.as_str());
        }
    }

    #[test]
    fn many_stars_match_in_linear_time() {
        let pattern = format!("/{}b", "*a".repeat(5_000));
        assert!(!matches(&pattern, &format!("/{}", "a".repeat(2_000))));
    }
}
