//! Marks requests whose caller is known.

/// Marks a request whose caller has proved a key or a session. Bounds on anonymous bodies do not apply to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Authenticated;
