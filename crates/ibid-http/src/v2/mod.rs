//! The v2 REST API: bearer-authenticated, for work that outlives its connection.

mod batch;
mod events;
mod filter;
mod order;
mod own_data;
mod project_imports;
mod project_parts;
mod project_reports;
mod projects;
mod questions;
mod scans;
mod schedules;
mod view;
mod webhooks;

pub(crate) use project_parts::{about_access, change_table};
pub(crate) use projects::{MOST_ARCHIVE, archive_file};
pub(crate) use view::{InterimReadings, QueuedScanPage};
pub(crate) use webhooks::{Webhook, WebhookDeliveryPage, WebhookWithSecret};

use actix_web::web;

/// Mounts the routes.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    batch::mount(app);
    events::mount(app);
    scans::mount(app);
    app.configure(projects::mount)
        .configure(project_parts::mount)
        .configure(project_reports::mount)
        .configure(own_data::mount)
        .configure(questions::mount)
        .configure(schedules::mount)
        .configure(webhooks::mount);
}
