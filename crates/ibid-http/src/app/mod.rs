//! `/api/app/*`: the JSON side of the workspace, for its own pages and for scripts that have a session.

mod plan;
mod scan;

use crate::respond::{posting, resource};
use actix_web::web;

/// Mounts the routes of this module.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(resource("/api/app/scan", "POST", posting().to(scan::create)))
        .service(resource("/api/app/plan", "POST", posting().to(plan::plan)));
}
