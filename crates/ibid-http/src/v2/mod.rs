//! The v2 REST API: bearer-authenticated, for work that outlives its connection.

use actix_web::web;

/// Mounts the routes.
pub(crate) const fn mount(_app: &mut web::ServiceConfig) {}
