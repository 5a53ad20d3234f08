//! Paths of pages: read, posted to, or both.

use crate::respond::{posting, reading, resource};
use actix_web::{FromRequest, Handler, Resource, Responder};

pub(super) fn page<F, Args>(path: &str, handler: F) -> Resource
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    resource(path, "GET, HEAD", reading().to(handler))
}

/// A path that takes a posted form and has no page.
pub(super) fn action<F, Args>(path: &str, handler: F) -> Resource
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    resource(path, "POST", posting().to(handler))
}

/// A path with a page and a form that is posted to it.
pub(super) fn form<F, A, G, B>(path: &str, read: F, post: G) -> Resource
where
    F: Handler<A>,
    A: FromRequest + 'static,
    F::Output: Responder + 'static,
    G: Handler<B>,
    B: FromRequest + 'static,
    G::Output: Responder + 'static,
{
    resource(path, "GET, HEAD, POST", reading().to(read)).route(posting().to(post))
}
