//! The v2 REST API: bearer-authenticated, for work that outlives its connection.

mod webhooks;

use actix_web::web;

/// Mounts the routes.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.configure(webhooks::mount);
}
