//! `/workspace/projects`: the list of projects, one project, its settings and its runs.
//!
//! Every handler takes the proof of `ibid_service::Projects::scope` first.

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
use actix_web::{Scope, web};

/// Mounts the pages.
pub(super) fn mount(app: &mut web::ServiceConfig) {
    app.service(form("/workspace/projects", list::list, new::save))
        .service(action("/workspace/invitations/{target}/{answer}", list::answer))
        .service(page("/workspace/projects/new", new::form))
        .service(action("/workspace/projects/archive", new::import))
        .service(form("/workspace/projects/imports", imports::form, imports::make))
        .service(page("/workspace/projects/{id}", one::show))
        .service(form("/r/{token}", frozen::public, frozen::unlock))
        .service(page("/r/{token}/{file}", frozen::public_file))
        .service(of_project(web::scope("/workspace/projects/{id}")));
}

fn of_project(project: Scope) -> Scope {
    project
        .service(form("/questions", questions::show, questions::save))
        .service(action("/questions/{change}", questions::replace))
        .service(form("/own-data", own_data::show, own_data::check))
        .service(action("/own-data/{change}", own_data::change))
        .service(form("/imports", imports::show, imports::save))
        .service(action("/imports/{change}", imports::change))
        .service(form("/actions", actions::show, actions::save))
        .service(action("/actions/{change}", actions::change))
        .service(form("/settings", settings::show, new::change))
        .service(page("/rivals", rivals::rivals))
        .service(page("/sources", rivals::sources))
        .service(page("/changes.csv", settings::changes))
        .service(page("/answers.csv", runs::table))
        .service(page("/answers.xlsx", runs::workbook))
        .service(form("/reports", frozen::list, frozen::make))
        .service(page("/reports/{report}", frozen::show))
        .service(form("/reports/{report}/{file}", frozen::file, frozen::change))
        .service(page("/archive.jsonl.gz", settings::archive))
        .service(page("/runs", runs::show))
        .service(page("/runs/{scan}", report::show))
        .service(page("/runs/{scan}/answers", report::answers))
        .service(page("/runs/{scan}/{file}", report::file))
        .service(action("/{change}", change::change))
}
