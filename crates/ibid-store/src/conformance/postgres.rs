//! Empty PostgreSQL databases for tests.
#![expect(clippy::unwrap_used, reason = "test support fails loudly")]

use crate::StoreUrl;
use crate::postgres::execute;
use ibid_model::ScanId;

/// The variable with the address of a PostgreSQL server whose data may be lost. `.ci/with-postgres` sets it.
pub const VARIABLE: &str = "IBID_TEST_POSTGRES";

/// The address of a new and empty schema on the server for tests; `None`, and a word about it, where there is none.
/// Stores in different schemas do not see each other.
#[must_use]
#[expect(clippy::print_stderr, reason = "whoever reads the test's output has to know")]
pub fn empty_schema() -> Option<String> {
    let Ok(server) = std::env::var(VARIABLE) else {
        eprintln!("PostgreSQL is absent ({VARIABLE} is not set): this test shows nothing about it");
        return None;
    };
    let schema = format!("test_{}", ScanId::random().to_string().replace('-', "_"));
    let StoreUrl::Postgres(url) = server.parse().unwrap() else {
        unreachable!("{VARIABLE} names PostgreSQL")
    };
    execute(&url, &format!("CREATE SCHEMA {schema}")).unwrap();
    let joint = if server.contains('?') { '&' } else { '?' };
    Some(format!("{server}{joint}options=-c%20search_path%3D{schema}"))
}
