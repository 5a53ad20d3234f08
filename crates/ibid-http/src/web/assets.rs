//! `/assets/{name}`: style sheet, scripts, icon.
//! A name contains the hash of its content, so caches may keep it for ever.

use super::encoding::takes_gzip;
use crate::conditional::is_known;
use crate::problem::ApiError;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, VARY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::web::{self, Bytes};
use actix_web::{HttpRequest, HttpResponse};
use ibid_web::assets;

pub(crate) async fn serve(name: web::Path<String>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let asset = assets::find(&name).ok_or(ApiError::NoSuchPath)?;
    let gzip = takes_gzip(request.headers()) && !asset.gzip.is_empty();
    // The plain and the compressed form are two representations, so each has its own tag.
    let tag = format!("\"{}{}\"", asset.name, if gzip { ".gz" } else { "" });
    let known = is_known(request.headers(), &tag);
    let mut response = if known {
        HttpResponse::NotModified()
    } else {
        HttpResponse::Ok()
    };
    response
        .insert_header((CACHE_CONTROL, assets::CACHE_CONTROL))
        .insert_header((ETAG, tag))
        .insert_header((VARY, "Accept-Encoding"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"));
    if known {
        return Ok(response.finish());
    }
    response.insert_header((CONTENT_TYPE, asset.content_type));
    Ok(if gzip {
        response.insert_header((CONTENT_ENCODING, "gzip"));
        response.body(Bytes::from_static(&asset.gzip))
    } else {
        response.body(Bytes::from_static(&asset.bytes))
    })
}
