//! Decodes bytes to text.
//! As in browsers, the order is byte order mark, header, meta, guess.
//!
//! Follows the WHATWG Encoding and HTML standards (encoding sniffing).
//! UTF-7 is not an encoding here.

use crate::html::cut;
use crate::limits::MANY;
use crate::page::Page;
use encoding_rs::{CoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use std::borrow::Cow;

/// Bounds a decoded page in UTF-8, because text in legacy encodings grows when it is decoded.
///
/// At half, a page within the fetcher's limit is cut; at twice, hostile pages need twice the memory.
const MAX_TEXT: usize = 6 << 20;

/// Bytes in which a meta declaration counts, by the standard.
const PRESCAN: usize = 1_024;

/// Decoded text and how it was decoded.
#[derive(Debug)]
pub(crate) struct Decoded<'b> {
    pub(crate) text: Cow<'b, str>,
    pub(crate) charset: Charset,
    /// Whether text was dropped at the end.
    pub(crate) cut: bool,
}

/// How a text was decoded.
#[derive(Debug)]
pub(crate) struct Charset {
    /// Name of the encoding that was used.
    pub(crate) name: &'static str,
    /// What the header calls it, if anything.
    pub(crate) header: Option<String>,
    /// What a meta element in the first 1,024 bytes calls it, if anything.
    pub(crate) meta: Option<String>,
    /// What a meta element behind them calls it, which browsers do not look for.
    pub(crate) late: Option<String>,
    pub(crate) bom: bool,
    /// Replacement characters in the text: bytes that did not fit the encoding.
    pub(crate) broken: usize,
}

impl Charset {
    /// Whether header, meta and byte order mark name one encoding.
    pub(crate) fn agrees(&self) -> bool {
        let mut labels = self
            .header
            .iter()
            .chain(&self.meta)
            .map(|label| Encoding::for_label(label.as_bytes()));
        match labels.next() {
            Some(first) => first.is_some() && labels.all(|other| other == first),
            None => self.bom,
        }
    }

    pub(crate) fn is_declared(&self) -> bool {
        self.bom || self.header.is_some() || self.meta.is_some()
    }
}

/// Decodes a page.
pub(crate) fn decode(page: &Page) -> Decoded<'_> {
    let is_handed_in = page.status.is_none();
    decode_bytes(&page.body, page.headers.first("content-type"), is_handed_in)
}

/// `content_type` is the value of the header.
///
/// HTML from a caller was stored or sent as text before, mostly as UTF-8.
/// It kept the declaration of its server.
/// If it has characters beyond ASCII and is valid UTF-8, it is read as UTF-8.
fn decode_bytes<'b>(bytes: &'b [u8], content_type: Option<&str>, is_handed_in: bool) -> Decoded<'b> {
    let header = content_type.and_then(header_label);
    let meta = meta_label(&bytes[..bytes.len().min(PRESCAN)]);
    let rest = || meta_label(&bytes[..bytes.len().min(64 * PRESCAN)]);
    let late = meta.is_none().then(rest).flatten();
    let bom = Encoding::for_bom(bytes);
    let is_utf_8 = || is_handed_in && !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok();
    let by_header = || Encoding::for_label(header.as_deref()?.as_bytes());
    let encoding = match bom {
        Some((encoding, _)) => encoding,
        None if is_utf_8() => UTF_8,
        None => by_header()
            .or_else(|| meta_encoding(meta.as_deref()?))
            .unwrap_or_else(|| guess(bytes)),
    };
    let (text, cut) = to_text(encoding, &bytes[bom.map_or(0, |(_, length)| length)..]);
    let broken = text.matches('\u{fffd}').take(MANY).count();
    let charset = Charset {
        name: encoding.name(),
        header,
        meta,
        late,
        bom: bom.is_some(),
        broken,
    };
    Decoded { text, charset, cut }
}

fn to_text<'b>(encoding: &'static Encoding, body: &'b [u8]) -> (Cow<'b, str>, bool) {
    if encoding == UTF_8
        && body.len() <= MAX_TEXT
        && let Ok(text) = std::str::from_utf8(body)
    {
        return (Cow::Borrowed(text), false);
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let wanted = decoder.max_utf8_buffer_length(body.len()).unwrap_or(MAX_TEXT);
    // The capacity is the limit, since `decode_to_string` never grows its buffer.
    let mut text = String::with_capacity(wanted.min(MAX_TEXT));
    let (result, _, _) = decoder.decode_to_string(body, &mut text, true);
    let is_full = matches!(result, CoderResult::OutputFull);
    if is_full {
        text.truncate(cut(&text, MAX_TEXT).len());
    }
    (Cow::Owned(text), is_full)
}

/// Finds the encoding that a meta element's label means.
///
/// UTF-16 must be wrong there, so the standard reads the page as UTF-8.
fn meta_encoding(label: &str) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label.as_bytes())?;
    Some(match encoding {
        _ if encoding == UTF_16LE || encoding == UTF_16BE => UTF_8,
        _ if encoding == X_USER_DEFINED => WINDOWS_1252,
        _ => encoding,
    })
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Allow)
}

/// Reads a Content-Type's charset parameter.
pub(crate) fn header_label(content_type: &str) -> Option<String> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty())
            .then(|| cut(value, 40).to_ascii_lowercase())
    })
}

/// The label after `charset` in a meta tag.
///
/// Approximates the prescan of the standard, and skips comments.
fn meta_label(head: &[u8]) -> Option<String> {
    let head: String = head
        .iter()
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect();
    let mut rest = head.as_str();
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->")?.1;
            continue;
        }
        if rest.starts_with("<meta") {
            let end = rest.find('>').unwrap_or(rest.len());
            if let Some(label) = charset_of(&rest[..end]) {
                return Some(label);
            }
        }
        rest = rest.get(1..)?;
    }
    None
}

fn charset_of(tag: &str) -> Option<String> {
    let (before, after) = tag.split_once("charset")?;
    // Inside `content` it only counts for the content type.
    if before.contains("content") && !tag.contains("http-equiv") {
        return None;
    }
    let value = after.trim_start().strip_prefix('=')?.trim_start();
    let label: String = value
        .trim_start_matches(['"', '\''])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
        .take(40)
        .collect();
    (!label.is_empty()).then_some(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], content_type: Option<&str>, name: &str, text: &str) {
        let decoded = decode_bytes(bytes, content_type, false);
        assert_eq!((decoded.charset.name, &*decoded.text), (name, text), "{bytes:?}");
    }

    #[test]
    fn encodings_are_found_in_the_order_of_browsers() {
        check(b"caf\xc3\xa9", None, "UTF-8", "café");
        check(
            b"caf\xe9",
            Some("text/html; charset=iso-8859-1"),
            "windows-1252",
            "café",
        );
        check(
            b"caf\xe9",
            Some("text/html; CHARSET = \"Latin1\""),
            "windows-1252",
            "café",
        );
        check(
            b"\xef\xbb\xbfcaf\xc3\xa9",
            Some("text/html; charset=iso-8859-1"),
            "UTF-8",
            "café",
        );
        check(b"\xff\xfea\0b\0", None, "UTF-16LE", "ab");
        check(b"\xfe\xff\0a\0b", None, "UTF-16BE", "ab");
        check(
            b"<meta charset=shift_jis>\x83\x65",
            None,
            "Shift_JIS",
            "<meta charset=shift_jis>テ",
        );
        check(b"<meta charset=utf-16>x", None, "UTF-8", "<meta charset=utf-16>x");
        check(
            b"<meta charset=utf-7>+ADw-",
            None,
            "UTF-8",
            "<meta charset=utf-7>+ADw-",
        );
        check(
            b"<!-- <meta charset=koi8-r> -->x",
            None,
            "UTF-8",
            "<!-- <meta charset=koi8-r> -->x",
        );
        check(
            b"<meta http-equiv=content-type content='text/html; charset=koi8-r'>\xc1",
            None,
            "KOI8-R",
            "<meta http-equiv=content-type content='text/html; charset=koi8-r'>а",
        );
        check(b"a\xffb", Some("text/html; charset=utf-8"), "UTF-8", "a\u{fffd}b");
        check(b"plain", Some("text/html; charset=nonsense"), "UTF-8", "plain");
    }

    #[test]
    fn text_that_was_handed_in_is_read_as_what_it_is() {
        for (bytes, expected) in [
            (
                &b"<meta charset=gb2312>\xe5\xa4\xa9"[..],
                "<meta charset=gb2312>天",
            ),
            (b"<meta charset=gb2312>\xcc\xec", "<meta charset=gb2312>天"),
            (b"<meta charset=koi8-r>plain", "<meta charset=koi8-r>plain"),
        ] {
            let page = Page::from_html(bytes, None, jiff::Timestamp::UNIX_EPOCH);
            assert_eq!(decode(&page).text, expected);
        }
    }

    #[test]
    fn agreement_looks_at_encodings_not_at_labels() {
        for (bytes, content_type, agrees, declared) in [
            (
                &b"<meta charset=latin1>"[..],
                Some("text/html; charset=windows-1252"),
                true,
                true,
            ),
            (
                b"<meta charset=utf-8>",
                Some("text/html; charset=windows-1252"),
                false,
                true,
            ),
            (b"<meta charset=utf-8>", None, true, true),
            (b"<p>", Some("text/html"), false, false),
            (b"<p>", Some("text/html; charset=bogus"), false, true),
        ] {
            let decoded = decode_bytes(bytes, content_type, false);
            assert_eq!(
                (decoded.charset.agrees(), decoded.charset.is_declared()),
                (agrees, declared)
            );
        }
    }

    #[test]
    fn decoding_never_grows_past_its_limit() {
        let bytes = vec![0xe9; 5 << 20];
        let decoded = decode_bytes(&bytes, Some("text/html; charset=windows-1252"), false);
        assert!(decoded.cut && decoded.text.len() <= MAX_TEXT);
    }
}
