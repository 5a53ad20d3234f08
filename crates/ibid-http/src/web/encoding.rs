//! Compressed answers for clients that accept them.

use actix_web::http::header::{ACCEPT_ENCODING, HeaderMap};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;

/// Shorter texts are sent without compression.
const LEAST: usize = 1_024;

/// Whether the client accepts gzip, by name or by `*`, with a quality above zero (RFC 9110, section 12.5.3).
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    let (mut named, mut any) = (None, None);
    for value in headers.get_all(ACCEPT_ENCODING) {
        for entry in value.to_str().unwrap_or_default().split(',') {
            let mut parts = entry.split(';').map(str::trim);
            let coding = parts.next().unwrap_or_default();
            let quality = parts.find_map(|part| part.strip_prefix("q="));
            let taken = quality.is_none_or(|quality| quality.parse().is_ok_and(|quality: f32| quality > 0.0));
            if coding.eq_ignore_ascii_case("gzip") || coding.eq_ignore_ascii_case("x-gzip") {
                named = Some(taken);
            } else if coding == "*" {
                any = Some(taken);
            }
        }
    }
    named.or(any).unwrap_or(false)
}

/// Compresses a text. Returns `None` for a short one.
pub(crate) fn gzip(text: &[u8]) -> Option<Vec<u8>> {
    packed(text, Compression::new(4))
}

/// Compresses a text that is kept and sent again and again: slower, and some percent shorter.
pub(crate) fn gzip_kept(text: &[u8]) -> Option<Vec<u8>> {
    packed(text, Compression::best())
}

fn packed(text: &[u8], level: Compression) -> Option<Vec<u8>> {
    if text.len() < LEAST {
        return None;
    }
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 4), level);
    encoder.write_all(text).ok()?;
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    #[test]
    fn gzip_is_sent_only_to_clients_that_accept_it() {
        for (sent, expected) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("gzip, deflate, br, zstd", true),
            ("*", true),
            ("", false),
            ("br", false),
            ("identity", false),
            ("gzip;q=0", false),
            ("gzip; q=0.0, *", false),
            ("*;q=0", false),
            ("gzip;q=x", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(sent));
            assert_eq!(takes_gzip(&headers), expected, "{sent:?}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }

    #[test]
    fn short_texts_stay_as_they_are() {
        assert!(gzip(b"short").is_none());
        assert!(gzip(&[b'a'; 4_096]).is_some_and(|packed| packed.len() < 200));
    }
}
