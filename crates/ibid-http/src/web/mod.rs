//! Pages for browsers: `ibid-web` renders them, this module adds the headers.
//!
//! A handler takes [`Browser`](browser::Browser), or [`SignedIn`](signed_in::SignedIn) where an account is needed. It
//! fills a view model and answers with [`Browser::page`](browser::Browser::page). Handlers of unsafe methods also take
//! [`SameOrigin`](crate::extract::SameOrigin). Errors are [`ApiError`](crate::problem::ApiError)s; the middleware shows
//! them as a page to a browser and as a problem document to other clients.
//!
//! This module writes no markup, and every page has the content security policy.

mod assets;
mod audit;
mod browser;
mod compare;
mod demo;
mod encoding;
mod failure;
mod history;
mod money;
mod new_scan;
mod open;
mod report;
mod run;
mod sign_in;
mod signed_in;
mod stored;

pub(crate) use failure::{failure, wants_page};

use crate::respond::{posting, reading, resource};
use actix_web::{Resource, Route, web};

/// The methods of a page.
const READ: &str = "GET, HEAD";

/// Mounts all pages.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(resource("/", READ, reading().to(open::home)))
        .service(two("/demo", reading().to(demo::form), posting().to(demo::ask)))
        .service(resource("/demo/{id}", READ, reading().to(demo::report)))
        .service(resource("/docs", READ, reading().to(open::docs)))
        .service(resource("/docs/errors", READ, reading().to(open::errors)))
        .service(resource("/llms.txt", READ, reading().to(open::llms)))
        .service(resource("/assets/{name}", READ, reading().to(assets::serve)))
        .configure(mount_workspace);
}

/// Mounts the workspace, the pages to sign in and out, and shared reports.
fn mount_workspace(app: &mut web::ServiceConfig) {
    app.service(two(
        "/sign-in",
        reading().to(sign_in::form),
        posting().to(sign_in::sign_in),
    ))
    .service(resource("/sign-out", "POST", posting().to(sign_in::sign_out)))
    .service(resource("/workspace", READ, reading().to(new_scan::form)))
    .service(two(
        "/workspace/scans",
        reading().to(history::history),
        posting().to(new_scan::start),
    ))
    .service(resource(
        "/workspace/compare",
        READ,
        reading().to(compare::compare),
    ))
    .service(two(
        "/workspace/audits",
        reading().to(audit::form),
        posting().to(audit::start),
    ))
    .service(resource(
        "/workspace/audits/{id}",
        READ,
        reading().to(audit::report),
    ))
    .service(resource(
        "/workspace/audits/{id}/audit.json",
        READ,
        reading().to(audit::download),
    ))
    .service(resource(
        "/workspace/receipts",
        READ,
        reading().to(money::receipts),
    ))
    .service(resource("/workspace/credits", READ, reading().to(money::credits)))
    .service(resource("/workspace/scans/{id}", READ, reading().to(report::own)))
    .service(resource(
        "/workspace/scans/{id}/cancel",
        "POST",
        posting().to(run::cancel),
    ))
    .service(resource(
        "/workspace/scans/{id}/tags",
        "POST",
        posting().to(report::tag),
    ))
    .service(resource(
        "/workspace/scans/{id}/share",
        "POST",
        posting().to(report::share),
    ))
    .service(resource(
        "/workspace/scans/{id}/share/revoke",
        "POST",
        posting().to(report::unshare),
    ))
    .service(resource(
        "/workspace/scans/{id}/events",
        "GET",
        web::get().to(run::events),
    ))
    .service(resource(
        "/workspace/scans/{id}/answers",
        READ,
        reading().to(report::own_answers),
    ))
    .service(resource(
        "/workspace/scans/{id}/rescored",
        READ,
        reading().to(report::own_again),
    ))
    .service(resource(
        "/workspace/scans/{id}/rescored.json",
        READ,
        reading().to(report::own_again_file),
    ))
    .service(resource(
        "/workspace/scans/{id}/{file}",
        READ,
        reading().to(report::own_file),
    ))
    .service(resource("/s/{token}", READ, reading().to(report::shared)))
    .service(resource(
        "/s/{token}/answers",
        READ,
        reading().to(report::shared_answers),
    ))
    .service(resource(
        "/s/{token}/{file}",
        READ,
        reading().to(report::shared_file),
    ));
}

/// Mounts one path with GET, HEAD and POST.
fn two(path: &str, read: Route, post: Route) -> Resource {
    resource(path, "GET, HEAD, POST", read).route(post)
}
