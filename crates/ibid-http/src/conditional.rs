//! Answers that clients may keep: entity tags, conditional requests (RFC 9110, section 13), and compression.
//!
//! The compressed form of a document is another representation with another tag: the tag of the plain form, followed
//! by `-gzip`.

use crate::web::{gzip, gzip_kept, takes_gzip};
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::ServiceResponse;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH, VARY,
};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use sha2::{Digest, Sha256};

/// Ends the tag of a compressed form, for example `"1f-gzip"`.
const PACKED: &str = "-gzip";
/// The longest JSON that is compressed for one answer. Longer ones would keep other connections of the thread waiting.
const MOST: usize = 1 << 20;

/// Caches a document that never changes, for its reader alone.
pub(crate) const IMMUTABLE: &str = "private, max-age=31536000, immutable";

/// A document that is rendered and compressed once.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    plain: Bytes,
    packed: Option<Bytes>,
    tag: String,
}

impl Prepared {
    /// Compresses a document and computes its tag.
    pub(crate) fn new(plain: impl Into<Bytes>) -> Self {
        let plain = plain.into();
        let digest = Sha256::digest(&plain);
        let tag = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Self {
            packed: gzip_kept(&plain).map(Bytes::from),
            plain,
            tag,
        }
    }

    /// Completes an answer: the document, or 304 where the client has it.
    pub(crate) fn answer(&self, request: &HttpRequest, mut head: HttpResponseBuilder) -> HttpResponse {
        let packed = self.packed.as_ref().filter(|_| takes_gzip(request.headers()));
        let tag = written(&self.tag, packed.is_some());
        head.insert_header((ETAG, tag.as_str()))
            .insert_header((VARY, "Accept-Encoding, Cookie"));
        if is_known(request.headers(), &tag) {
            return head.status(actix_web::http::StatusCode::NOT_MODIFIED).finish();
        }
        match packed {
            Some(packed) => head
                .insert_header((CONTENT_ENCODING, "gzip"))
                .body(packed.clone()),
            None => head.body(self.plain.clone()),
        }
    }
}

/// Answers with a stored JSON document, which never changes, or with 304 where the client has it.
pub(crate) fn immutable_json(
    request: &HttpRequest,
    mut head: HttpResponseBuilder,
    tag: &str,
    document: Bytes,
) -> HttpResponse {
    head.insert_header((CACHE_CONTROL, IMMUTABLE));
    tagged_json(request, head, tag, document)
}

/// Answers with a JSON document in the state that `tag` names, or with 304 where the client has it.
pub(crate) fn tagged_json(
    request: &HttpRequest,
    mut head: HttpResponseBuilder,
    tag: &str,
    document: Bytes,
) -> HttpResponse {
    for packed in [false, true] {
        let tag = written(tag, packed);
        if is_known(request.headers(), &tag) {
            head.insert_header((ETAG, tag));
            return head.status(actix_web::http::StatusCode::NOT_MODIFIED).finish();
        }
    }
    head.insert_header((ETAG, written(tag, false)))
        .content_type(crate::respond::json())
        .body(document)
}

fn written(tag: &str, packed: bool) -> String {
    format!("\"{tag}{}\"", if packed { PACKED } else { "" })
}

/// Whether `If-None-Match` has a tag. Weak tags match strong ones here.
pub(crate) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    headers.get_all(IF_NONE_MATCH).any(|value| {
        let tags = value.to_str().unwrap_or_default().split(',').map(str::trim);
        tags.map(|known| known.strip_prefix("W/").unwrap_or(known))
            .any(|known| known == tag || known == "*")
    })
}

/// Compresses JSON for a client that accepts it.
pub(crate) fn compress_json(response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    let kind = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    let is_json = kind.is_some_and(|kind| kind.starts_with(b"application/json"));
    if !is_json || response.headers().contains_key(CONTENT_ENCODING) {
        return response;
    }
    let takes = takes_gzip(response.request().headers());
    response.map_body(|head, body| {
        head.headers_mut()
            .append(VARY, HeaderValue::from_static("Accept-Encoding"));
        let bytes = match body.try_into_bytes() {
            Ok(bytes) => bytes,
            Err(body) => return body,
        };
        let packed = if takes && bytes.len() <= MOST {
            gzip(&bytes)
        } else {
            None
        };
        let Some(packed) = packed else {
            return BoxBody::new(bytes);
        };
        head.headers_mut()
            .insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        let tag = head.headers().get(ETAG).and_then(|tag| tag.to_str().ok());
        let tag = tag
            .and_then(|tag| tag.strip_suffix('"'))
            .map(|tag| format!("{tag}{PACKED}\""));
        if let Some(tag) = tag.and_then(|tag| HeaderValue::try_from(tag).ok()) {
            head.headers_mut().insert(ETAG, tag);
        }
        BoxBody::new(packed)
    })
}
