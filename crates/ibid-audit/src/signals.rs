//! Reservations that state a wish and do not block a crawler: TDMRep, `noai`, content signals.

use crate::robots::normalise;
use serde_json::Value;

/// Whether a `/.well-known/tdmrep.json` (W3C community report) reserves rights on a path.
///
/// The first entry with a matching location decides.
pub(crate) fn tdmrep_reserves(bytes: &[u8], path: &str) -> bool {
    let Ok(Value::Array(entries)) = serde_json::from_slice::<Value>(bytes) else {
        return false;
    };
    let covers = |entry: &&Value| {
        let location = entry.get("location").and_then(Value::as_str);
        location.is_some_and(|location| crate::robots::pattern_matches(location, path))
    };
    let reservation = entries
        .iter()
        .take(1_000)
        .find(covers)
        .and_then(|entry| entry.get("tdm-reservation"));
    reservation.is_some_and(|value| value.as_u64() == Some(1) || value.as_str().map(str::trim) == Some("1"))
}

/// The path with its query, as robots patterns see it.
pub(crate) fn path_and_query(url: &url::Url) -> String {
    let path = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    normalise(&path).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_matching_entry_decides() {
        for (json, path, expected) in [
            (r#"[{"location":"*","tdm-reservation":1}]"#, "/a", true),
            (r#"[{"location":"/","tdm-reservation":1}]"#, "/a", true),
            (
                r#"[{"location":"/open","tdm-reservation":0},{"location":"/","tdm-reservation":1}]"#,
                "/open/x",
                false,
            ),
            (
                r#"[{"location":"/closed/*.html$","tdm-reservation":1}]"#,
                "/closed/a.html",
                true,
            ),
            (
                r#"[{"location":"/closed","tdm-reservation":"1"}]"#,
                "/closed",
                true,
            ),
            (r#"[{"location":"/closed","tdm-reservation":1}]"#, "/open", false),
            (r#"{"location":"/"}"#, "/", false),
            ("<html>", "/", false),
            ("", "/", false),
        ] {
            assert_eq!(tdmrep_reserves(json.as_bytes(), path), expected, "{json} {path}");
        }
    }
}
