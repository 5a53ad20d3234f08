//! Pages for people: what `ibid-web` renders, with the headers that pages need.
//!
//! A handler takes the [`Browser`], which knows what every page says about the server and its reader, fills a view model
//! and answers with [`Browser::page`]. Handlers of unsafe methods take [`SameOrigin`] as well. Errors are the same
//! [`ApiError`](crate::problem::ApiError) as everywhere; the frame around every request shows them as a page to a
//! browser and as a problem document to everybody else.
//!
//! This module refuses to write markup, and to answer without the content security policy.

mod assets;
mod browser;
mod demo;
mod encoding;
mod failure;
mod open;
mod same_origin;
mod stored;

pub(crate) use browser::Browser;
pub(crate) use failure::{failure, wants_page};
pub(crate) use same_origin::SameOrigin;

use crate::routes::{reading, resource};
use actix_web::web;

/// What a page takes.
const READ: &str = "GET, HEAD";

/// Mounts everything that people open in a browser.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(resource("/", READ, reading().to(open::home)))
        .service(resource("/demo", "POST", web::post().to(demo::ask)))
        .service(resource("/demo/{id}", READ, reading().to(demo::report)))
        .service(resource("/docs", READ, reading().to(open::docs)))
        .service(resource("/docs/errors", READ, reading().to(open::errors)))
        .service(resource("/llms.txt", READ, reading().to(open::llms)))
        .service(resource("/assets/{name}", READ, reading().to(assets::serve)));
}
