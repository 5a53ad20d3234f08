//! Numbers as tools of all languages write them.

/// A count: digits, grouped by threes or not.
///
/// "1.234" and "1,234" are both 1234, since counts have no decimals.
pub(crate) fn count(text: &str) -> Option<f64> {
    let text = text.trim();
    // Spreadsheets write whole numbers with a fraction of zeros.
    let text = text.strip_suffix(".0").unwrap_or(text);
    let is_group = |c: char| matches!(c, '.' | ',' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}');
    let mut groups = text.split(is_group);
    let first = groups.next().unwrap_or_default();
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut grouped = false;
    let rest_fits = groups.all(|group| {
        grouped = true;
        is_digits(group) && group.len() == 3
    });
    if !is_digits(first) || !rest_fits || (grouped && first.len() > 3) {
        return None;
    }
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|value: &f64| *value < 9e15)
}

/// Reads a number that may have decimals, such as a mean or a key event with shared credit; a single group of three stays a group.
pub(crate) fn decimal(text: &str) -> Option<f64> {
    count(text).or_else(|| {
        let (whole, part) = text.trim().rsplit_once(['.', ','])?;
        let is_part = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let whole = count(whole)?;
        is_part.then(|| format!("{whole}.{part}").parse().ok()).flatten()
    })
}

/// A share in percent: "27.24%", "27,24 %", "%4".
pub(crate) fn percent(text: &str) -> Option<f64> {
    let text = text.trim().trim_matches(['%', '％']).trim();
    let value: f64 = text.replace(',', ".").parse().ok()?;
    (0.0..=100.0).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{count, decimal, percent};

    #[test]
    fn counts_of_several_languages() {
        for (text, value) in [
            ("12", Some(12.0)),
            ("1,234", Some(1_234.0)),
            ("1.234.567", Some(1_234_567.0)),
            ("1 234", Some(1_234.0)),
            ("1\u{202f}234", Some(1_234.0)),
            ("12'345", Some(12_345.0)),
            ("7.0", Some(7.0)),
            ("", None),
            ("-", None),
            ("-5", None),
            ("4,2", None),
            ("1234,567", None),
            ("=1+1", None),
            ("1e9", None),
            ("99999999999999999", None),
        ] {
            assert_eq!(count(text), value, "{text}");
        }
    }

    #[test]
    fn shares() {
        assert_eq!(percent("27.24%"), Some(27.24));
        assert_eq!(percent("27,24 %"), Some(27.24));
        assert_eq!(percent("%4"), Some(4.0));
        for (text, value) in [
            ("0.5", 0.5),
            ("1,5", 1.5),
            ("1.234,25", 1_234.25),
            ("7", 7.0),
            ("1,234", 1_234.0),
        ] {
            assert_eq!(decimal(text), Some(value), "{text}");
        }
        assert_eq!(decimal("a.5").or(decimal("5.")), None);
        assert_eq!(percent("127%"), None);
        assert_eq!(percent("NaN"), None);
    }
}
