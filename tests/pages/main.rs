//! Black-box tests of what people open in a browser, as far as that shows in bytes; `tests/e2e` has the browser.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

mod assets;
mod demo;
mod failures;
mod look;
mod open;
