//! Forms with a file (`multipart/form-data`).

use super::body::read;
use super::form::Pairs;
use crate::problem::ApiError;
use actix_multipart::{Field, Multipart, MultipartError};
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpRequest};
use futures_util::{Stream, StreamExt, stream};
use std::future::Future;
use std::pin::Pin;

const MULTIPART: &str = "multipart/form-data";
/// Most parts of a form, the file among them.
const MOST_PARTS: usize = 64;

/// A form with texts and at most one file. The file has at most `FILE` bytes.
/// The texts and the frames of all parts have at most `TEXTS` bytes together.
/// No `Debug`, because the texts may contain a secret.
pub(crate) struct Upload<const FILE: usize, const TEXTS: usize = 65_536> {
    /// The texts, in order.
    pub(crate) texts: Pairs,
    /// The file, or `None` if the reader has not chosen one.
    pub(crate) file: Option<UploadedFile>,
}

/// A file of a form. Its content determines its type, because browsers derive the declared type from the name.
pub(crate) struct UploadedFile {
    pub(crate) field: String,
    /// Its own name, as the browser sent it.
    pub(crate) name: String,
    pub(crate) bytes: Bytes,
}

impl<const FILE: usize, const TEXTS: usize> FromRequest for Upload<FILE, TEXTS> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            if !is_multipart(request.headers()) {
                return Err(ApiError::ContentType(MULTIPART));
            }
            let body = read(&request, &mut payload, FILE.saturating_add(TEXTS)).await;
            let body = body.map_err(|error| match error {
                // The file is the part that is too large.
                ApiError::TooLarge { .. } => ApiError::TooLarge { most: FILE },
                error => error,
            })?;
            Self::parse(request.headers(), body.into()).await
        })
    }
}

impl<const FILE: usize, const TEXTS: usize> Upload<FILE, TEXTS> {
    /// Parses a complete body.
    ///
    /// # Errors
    /// 413 for a part that is too large; 400 for a malformed form, a second file, or too many parts.
    async fn parse(headers: &HeaderMap, body: Bytes) -> Result<Self, ApiError> {
        let mut parts = Multipart::new(headers, pieces(body));
        let mut form = Self {
            texts: Pairs::default(),
            file: None,
        };
        let (mut count, mut left) = (0, TEXTS);
        while let Some(part) = parts.next().await {
            let mut part = part.map_err(malformed)?;
            count += 1;
            if count > MOST_PARTS {
                return Err(ApiError::Malformed("The form has too many parts."));
            }
            let disposition = part.content_disposition();
            let named_file = disposition.and_then(|disposition| disposition.get_filename());
            let unchosen = named_file.is_some_and(str::is_empty);
            let is_file = named_file.is_some();
            let file_name = named_file.unwrap_or_default().to_owned();
            let name = part.name().unwrap_or_default().to_owned();
            if !is_file {
                let text = bytes(&mut part, left, TEXTS).await?;
                left -= text.len();
                let text = String::from_utf8_lossy(&text).into_owned();
                form.texts.push(name, text);
                continue;
            }
            let bytes = bytes(&mut part, FILE, FILE).await?;
            if unchosen && bytes.is_empty() {
                continue;
            }
            if form.file.is_some() {
                return Err(ApiError::Malformed("The form takes one file."));
            }
            form.file = Some(UploadedFile {
                field: name,
                name: file_name,
                bytes,
            });
        }
        Ok(form)
    }
}

/// Reads a part of at most `left` bytes. The refusal names the whole bound.
async fn bytes(part: &mut Field, left: usize, most: usize) -> Result<Bytes, ApiError> {
    let read = part.bytes(left).await;
    let read = read.map_err(|_| ApiError::TooLarge { most })?;
    read.map_err(malformed)
}

fn malformed(_: MultipartError) -> ApiError {
    ApiError::Malformed("The body is no complete form of the type multipart/form-data.")
}

/// A body in pieces, with a pause before each, because parsing a large form must not hold its thread.
fn pieces(body: Bytes) -> impl Stream<Item = Result<Bytes, PayloadError>> {
    let pieces = stream::unfold(body, |mut rest| async {
        if rest.is_empty() {
            return None;
        }
        tokio::task::yield_now().await;
        let piece = rest.split_to(rest.len().min(crate::connection::PIECE));
        Some((Ok(piece), rest))
    });
    // The parser asks again after the end.
    pieces.fuse()
}

/// Whether the body is declared as a form with files, and not compressed.
fn is_multipart(headers: &HeaderMap) -> bool {
    let coding = headers.get(CONTENT_ENCODING);
    if coding.is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return false;
    }
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| {
        let kind = kind.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case(MULTIPART)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::ResponseError as _;
    use actix_web::http::header::HeaderValue;

    const FRAME: &str = "multipart/form-data; boundary=x";

    fn headers(kind: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_str(kind).unwrap());
        headers
    }

    fn part(disposition: &str, content: &[u8]) -> Vec<u8> {
        let head = format!("--x\r\nContent-Disposition: form-data; {disposition}\r\n\r\n");
        [head.as_bytes(), content, b"\r\n"].concat()
    }

    fn body(parts: &[Vec<u8>]) -> Vec<u8> {
        [&parts.concat()[..], b"--x--\r\n"].concat()
    }

    async fn parse(body: Vec<u8>) -> Result<Upload<1_000, 100>, u16> {
        let parsed = Upload::parse(&headers(FRAME), body.into()).await;
        parsed.map_err(|error| error.status_code().as_u16())
    }

    #[actix_web::test]
    async fn texts_and_the_file_are_read() {
        let sent = body(&[
            part("name=\"domain\"", b"example.com"),
            part(
                "name=\"log\"; filename=\"a \u{e6}.csv\"",
                b"a,b\n--x\n1\0\xff\r\n",
            ),
            part("name=\"names\"", "\u{c6}\u{e6}\r\nB".as_bytes()),
            part("name=\"names\"", b"\xff"),
        ]);
        let form = parse(sent).await.ok().unwrap();
        assert_eq!(form.texts.text("domain"), "example.com");
        assert_eq!(
            form.texts.all("names").collect::<Vec<_>>(),
            ["\u{c6}\u{e6}\r\nB", "\u{fffd}"]
        );
        let file = form.file.unwrap();
        assert_eq!((file.field.as_str(), file.name.as_str()), ("log", "a \u{e6}.csv"));
        assert_eq!(&file.bytes[..], b"a,b\n--x\n1\0\xff\r\n");
    }

    #[actix_web::test]
    async fn an_input_without_a_file_is_none() {
        let sent = body(&[part("name=\"log\"; filename=\"\"", b"")]);
        assert!(parse(sent).await.ok().unwrap().file.is_none());
        assert!(parse(body(&[])).await.ok().unwrap().file.is_none());
    }

    #[actix_web::test]
    async fn bounds_hold_for_the_file_the_texts_and_the_parts() {
        let file = |bytes| vec![part("name=\"f\"; filename=\"f\"", &vec![b'a'; bytes])];
        assert_eq!(
            parse(body(&file(1_000)))
                .await
                .ok()
                .unwrap()
                .file
                .unwrap()
                .bytes
                .len(),
            1_000
        );
        assert_eq!(parse(body(&file(1_001))).await.err(), Some(413));
        let texts = |bytes| {
            [
                part("name=\"a\"", &[b'a'; 60]),
                part("name=\"b\"", &vec![b'a'; bytes]),
            ]
        };
        assert!(parse(body(&texts(40))).await.is_ok());
        assert_eq!(parse(body(&texts(41))).await.err(), Some(413));
        assert_eq!(parse(body(&[file(1), file(1)].concat())).await.err(), Some(400));
        let many = |parts| vec![part("name=\"a\"", b""); parts];
        assert!(parse(body(&many(MOST_PARTS))).await.is_ok());
        assert_eq!(parse(body(&many(MOST_PARTS + 1))).await.err(), Some(400));
    }

    #[actix_web::test]
    async fn broken_forms_are_refused() {
        for broken in [
            &b""[..],
            b"--x",
            b"--x--x\r\n\r\n",
            b"--x\r\n\r\n",
            b"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nno end",
            b"--x\r\nContent-Disposition: attachment\r\n\r\na\r\n--x--\r\n",
            b"--x\r\nno header\r\n\r\na\r\n--x--\r\n",
        ] {
            let status = parse(broken.to_vec()).await.err();
            assert_eq!(status, Some(400), "{:?}", String::from_utf8_lossy(broken));
        }
        // A large body of line ends is parsed in turns, and is refused for its size.
        let ends = part("name=\"f\"; filename=\"f\"", &b"\r\n".repeat(200_000));
        assert_eq!(parse(body(&[ends])).await.err(), Some(413));
        let kinds = [
            (FRAME, true),
            ("Multipart/Form-Data; boundary=\"x\"", true),
            ("multipart/mixed; boundary=x", false),
            ("application/x-www-form-urlencoded", false),
        ];
        for (kind, expected) in kinds {
            assert_eq!(is_multipart(&headers(kind)), expected, "{kind}");
        }
        let without = Upload::<9, 9>::parse(&headers("multipart/form-data"), Bytes::new()).await;
        assert!(without.is_err());
    }
}
