//! `/workspace/projects`: the list of projects, one project, its settings and its runs.
//!
//! Every handler of a project takes the proof of `ibid_service::Projects::scope` first.

mod access;
mod actions;
mod change;
mod frozen;
mod imports;
mod list;
mod new;
mod one;
mod own_data;
mod questions;
mod report;
mod rivals;
mod runs;
mod settings;

use super::mounting::{action, form, page};
use actix_web::web;

/// Mounts the pages.
pub(super) fn mount(app: &mut web::ServiceConfig) {
    app.service(form("/workspace/projects", list::list, new::save))
        .service(action("/workspace/invitations/{target}/{answer}", list::answer))
        .service(page("/workspace/projects/new", new::form))
        .service(action("/workspace/projects/archive", new::import))
        .service(form("/workspace/projects/imports", imports::form, imports::make))
        .service(page("/workspace/projects/{id}", one::show))
        .service(form(
            "/workspace/projects/{id}/questions",
            questions::show,
            questions::save,
        ))
        .service(action(
            "/workspace/projects/{id}/questions/{change}",
            questions::replace,
        ))
        .service(form(
            "/workspace/projects/{id}/own-data",
            own_data::show,
            own_data::check,
        ))
        .service(action(
            "/workspace/projects/{id}/own-data/{change}",
            own_data::change,
        ))
        .service(form(
            "/workspace/projects/{id}/imports",
            imports::show,
            imports::save,
        ))
        .service(action(
            "/workspace/projects/{id}/imports/{change}",
            imports::change,
        ))
        .service(form(
            "/workspace/projects/{id}/actions",
            actions::show,
            actions::save,
        ))
        .service(action(
            "/workspace/projects/{id}/actions/{change}",
            actions::change,
        ))
        .service(form(
            "/workspace/projects/{id}/settings",
            settings::show,
            new::change,
        ))
        .service(page("/workspace/projects/{id}/rivals", rivals::rivals))
        .service(page("/workspace/projects/{id}/sources", rivals::sources))
        .service(page("/workspace/projects/{id}/changes.csv", settings::changes))
        .service(page("/workspace/projects/{id}/answers.csv", runs::table))
        .service(page("/workspace/projects/{id}/answers.xlsx", runs::workbook))
        .service(form(
            "/workspace/projects/{id}/reports",
            frozen::list,
            frozen::make,
        ))
        .service(page("/workspace/projects/{id}/reports/{report}", frozen::show))
        .service(form(
            "/workspace/projects/{id}/reports/{report}/{file}",
            frozen::file,
            frozen::change,
        ))
        .service(form("/r/{token}", frozen::public, frozen::unlock))
        .service(page("/r/{token}/{file}", frozen::public_file))
        .service(page(
            "/workspace/projects/{id}/archive.jsonl.gz",
            settings::archive,
        ))
        .service(page("/workspace/projects/{id}/runs", runs::show))
        .service(page("/workspace/projects/{id}/runs/{scan}", report::show))
        .service(page(
            "/workspace/projects/{id}/runs/{scan}/answers",
            report::answers,
        ))
        .service(page("/workspace/projects/{id}/runs/{scan}/{file}", report::file))
        .service(action("/workspace/projects/{id}/{change}", change::change));
}
