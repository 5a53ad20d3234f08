//! The embedded engine with real processes, on both stores.
//!
//! The program starts itself as a worker. A worker asks the test for the answer of each call over its standard output and
//! input, so that the test decides which calls are under way when it kills the worker.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod parent;
mod worker;

use ibid_store::conformance::postgres::empty_schema;

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("worker") {
        return worker::main(&arguments.next().unwrap());
    }
    let folder = tempfile::tempdir().unwrap();
    let sqlite = format!("sqlite:{}", folder.path().join("runs.db").display());
    for address in std::iter::once(sqlite).chain(empty_schema()) {
        parent::run(&address);
    }
}
