//! The v2 REST API: bearer-authenticated, for work that outlives its connection.

mod batch;
mod events;
mod filter;
mod order;
mod questions;
mod scans;
mod schedules;
mod view;
mod webhooks;

use actix_web::web;

/// Mounts the routes.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    batch::mount(app);
    events::mount(app);
    scans::mount(app);
    app.configure(questions::mount)
        .configure(schedules::mount)
        .configure(webhooks::mount);
}
