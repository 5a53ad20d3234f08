//! `/workspace/projects`: the list of projects, one project, its settings and its runs.
//!
//! Every handler of a project takes the proof of `ibid_service::Projects::scope` first.

mod change;
mod list;
mod new;
mod one;
mod report;
mod settings;

use super::signed_in::SignedIn;
use super::{action, form, page};
use crate::problem::ApiError;
use actix_web::web;
use ibid_service::{Attention, ProjectReader, ProjectRight, ProjectScope, Projects, Service};

/// Mounts the pages.
pub(super) fn mount(app: &mut web::ServiceConfig) {
    app.service(form("/workspace/projects", list::list, new::save))
        .service(page("/workspace/projects/new", new::form))
        .service(page("/workspace/projects/{id}", one::show))
        .service(page("/workspace/projects/{id}/settings", settings::show))
        .service(page("/workspace/projects/{id}/changes.csv", settings::changes))
        .service(page("/workspace/projects/{id}/runs/{scan}", report::show))
        .service(page(
            "/workspace/projects/{id}/runs/{scan}/answers",
            report::answers,
        ))
        .service(page("/workspace/projects/{id}/runs/{scan}/{file}", report::file))
        .service(action("/workspace/projects/{id}/{change}", change::change));
}

fn reader(signed_in: &SignedIn) -> ProjectReader {
    Projects::of_member(&signed_in.member)
}

async fn scope(
    service: &Service,
    signed_in: &SignedIn,
    id: &str,
    right: ProjectRight,
) -> Result<ProjectScope, ApiError> {
    Ok(service.projects.scope(reader(signed_in), id, right).await?)
}

/// What wants attention, in words.
const fn words(attention: Attention) -> &'static str {
    match attention {
        Attention::Changed => "The score changed",
        Attention::Failing => "The last run failed",
        Attention::OverBudget => "The budget holds runs back",
        Attention::BudgetNearlySpent => "Four fifths of the budget are spent",
    }
}
