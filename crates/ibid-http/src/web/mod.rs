//! Pages for browsers: `ibid-web` renders them, this module adds the headers.
//!
//! A handler takes [`Browser`](browser::Browser), or [`SignedIn`](signed_in::SignedIn) where an account is needed. It
//! fills a view model and answers with [`Browser::page`](browser::Browser::page). Handlers of unsafe methods also take
//! [`SameOrigin`](crate::extract::SameOrigin). Errors are [`ApiError`](crate::problem::ApiError)s; the middleware shows
//! them as a page to a browser and as a problem document to other clients.
//!
//! This module writes no markup, and every page has the content security policy.

mod account;
mod admin;
mod assets;
mod audit;
mod badge;
mod browser;
mod compare;
mod demo;
mod edit_scan;
mod encoding;
mod failure;
mod first_run;
mod history;
mod link;
mod look;
mod mail;
mod money;
mod mounting;
mod new_scan;
mod open;
mod openid;
mod picture;
mod projects;
mod questions;
mod report;
mod run;
mod schedules;
mod second_step;
mod set_password;
mod shared;
mod sign_in;
mod signed_in;
mod site_audit;
mod stored;
mod website;

pub(crate) use browser::Browser;
pub(crate) use encoding::{gzip, gzip_kept, takes_gzip};
pub(crate) use failure::{failure, wants_page};
pub(crate) use signed_in::SignedIn;

use crate::respond::resource;
use actix_web::web;
use mounting::{action, form, page};

/// Mounts all pages.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(page("/", open::home))
        .service(form("/demo", demo::form, demo::ask))
        .service(page("/demo/{id}", demo::report))
        .service(form("/look", look::form, look::look))
        .service(page("/docs", open::docs))
        .service(page("/docs/errors", open::errors))
        .service(page("/docs/schemas", open::schemas))
        .service(page("/docs/glossary", open::glossary))
        .service(page("/robots.txt", open::robots))
        .service(page("/sitemap.xml", open::sitemap))
        .service(page("/favicon.ico", open::favicon))
        .service(page("/llms.txt", open::llms))
        .service(page("/assets/{name}", assets::serve))
        .service(page("/badge/{token}.svg", badge::show))
        .configure(mount_workspace);
}

/// Mounts the workspace, the pages to sign in and out, and shared reports.
fn mount_workspace(app: &mut web::ServiceConfig) {
    let events = resource("/workspace/scans/{id}/events", "GET", web::get().to(run::events));
    app.service(form("/sign-in", sign_in::form, sign_in::sign_in))
        .service(form("/sign-in/code", second_step::form, second_step::sign_in))
        .service(page("/sign-in/openid", openid::begin))
        .service(page("/sign-in/openid/back", openid::back))
        .service(form("/workspace/account/openid", openid::form, openid::join))
        .service(action("/workspace/account/openid/part", openid::part))
        .service(action("/sign-out", sign_in::sign_out))
        .service(form("/first-run/{token}", first_run::form, first_run::open))
        .service(form(
            "/set-password/{token}",
            set_password::form,
            set_password::set,
        ))
        .service(form("/mail/confirm/{token}", mail::ask_to_confirm, mail::confirm))
        .service(form("/mail/unsubscribe/{token}", mail::ask_to_end, mail::end))
        .service(page("/workspace", new_scan::form))
        .service(form("/workspace/scans", history::history, new_scan::start))
        .service(page("/workspace/compare", compare::compare))
        .service(form("/workspace/questions", questions::list, questions::add))
        .service(page("/workspace/questions/{id}", questions::read))
        .service(action("/workspace/questions/{id}/import", questions::import))
        .service(action("/workspace/questions/{id}/{change}", questions::change))
        .service(form("/workspace/schedules", schedules::list, schedules::add))
        .service(action("/workspace/schedules/alerts/seen", schedules::seen))
        .service(action("/workspace/schedules/{id}/edit", schedules::edit))
        .service(action("/workspace/schedules/{id}/{change}", schedules::change))
        .service(page("/workspace/websites/{domain}", website::website))
        .service(form("/workspace/audits", audit::form, audit::start))
        .service(page("/workspace/audits/{id}", audit::report))
        .service(page("/workspace/audits/{id}/audit.json", audit::download))
        .service(page("/workspace/site-audits/{id}", site_audit::report))
        .service(page(
            "/workspace/site-audits/{id}/site-audit.json",
            site_audit::download,
        ))
        .service(page("/workspace/account", account::show))
        .service(page("/workspace/account/export.json", account::export))
        .service(action("/workspace/account/digest", account::digest))
        .service(action("/workspace/account/digest/remove", account::end_digest))
        .service(action("/workspace/account/brand", account::brand))
        .service(page("/workspace/account/logo.png", account::logo))
        .service(action("/workspace/account/delete", account::delete))
        .service(page("/workspace/account/two-step", second_step::show))
        .service(action("/workspace/account/two-step/begin", second_step::begin))
        .service(action(
            "/workspace/account/two-step/confirm",
            second_step::confirm,
        ))
        .service(action("/workspace/account/two-step/end", second_step::end))
        .service(page("/workspace/receipts", money::receipts))
        .service(page("/workspace/credits", money::credits))
        .service(page("/workspace/scans/{id}", report::own))
        .service(action("/workspace/scans/{id}/cancel", run::cancel))
        .service(action("/workspace/scans/{id}/tags", report::tag))
        .service(action("/workspace/scans/{id}/share", report::share))
        .service(action("/workspace/scans/{id}/share/revoke", report::unshare))
        .service(page("/workspace/scans/{id}/edit", edit_scan::form))
        .service(action("/workspace/scans/{id}/title", edit_scan::rename))
        .service(action("/workspace/scans/{id}/delete", edit_scan::delete))
        .service(events)
        .service(page("/workspace/scans/{id}/answers", report::own_answers))
        .service(page("/workspace/scans/{id}/rescored", report::own_again))
        .service(page(
            "/workspace/scans/{id}/rescored.json",
            report::own_again_file,
        ))
        .service(page("/workspace/scans/{id}/{file}", report::own_file))
        .configure(mount_admin)
        .configure(projects::mount)
        .service(form("/s/{token}", shared::report, shared::unlock))
        .service(page("/s/{token}/answers", shared::answers))
        .service(page("/s/{token}/logo.png", shared::logo))
        .service(page("/s/{token}/card.png", shared::card))
        .service(page("/s/{token}/{file}", shared::file));
}

/// Mounts the pages of the administration.
fn mount_admin(app: &mut web::ServiceConfig) {
    use admin::{health, keys, people, scans, spending};
    app.service(form("/workspace/admin", people::list, people::invite))
        .service(page("/workspace/admin/people/{id}", people::person))
        .service(action("/workspace/admin/people/{id}/{change}", people::change))
        .service(form("/workspace/admin/keys", keys::list, keys::make))
        .service(action("/workspace/admin/keys/revoke", keys::revoke))
        .service(page("/workspace/admin/scans", scans::list))
        .service(action("/workspace/admin/scans/cancel", scans::cancel))
        .service(form(
            "/workspace/admin/spending",
            spending::spending,
            spending::set_budget,
        ))
        .service(form("/workspace/admin/health", health::health, health::probe));
}
