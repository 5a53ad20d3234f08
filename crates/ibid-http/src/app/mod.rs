//! `/api/app/*`: the JSON side of the workspace, for its own pages and for scripts that have a session.

pub(crate) mod plan;
pub(crate) mod scan;
