//! Empty PostgreSQL databases for tests.
#![expect(clippy::unwrap_used, reason = "test support fails loudly")]

use crate::StoreUrl;
use crate::postgres::{execute, texts};
use ibid_model::ScanId;

/// The variable with the address of a PostgreSQL server whose data may be lost. `.ci/with-postgres` sets it.
pub const VARIABLE: &str = "IBID_TEST_POSTGRES";

/// The address of a new and empty schema on the server for tests; `None` where [`VARIABLE`] names no server.
/// Stores in different schemas do not see each other.
pub fn empty_schema() -> Option<String> {
    let server = std::env::var(VARIABLE).ok()?;
    let schema = format!("test_{}", ScanId::random().to_string().replace('-', "_"));
    let StoreUrl::Postgres(url) = server.parse().unwrap() else {
        unreachable!("{VARIABLE} names PostgreSQL")
    };
    execute(&url, &format!("CREATE SCHEMA {schema}")).unwrap();
    let joint = if server.contains('?') { '&' } else { '?' };
    Some(format!("{server}{joint}options=-c%20search_path%3D{schema}"))
}

/// Whether a text is in any column of any row, as text or as bytes.
pub fn holds(address: &str, text: &str) -> bool {
    let StoreUrl::Postgres(url) = address.parse().unwrap() else {
        unreachable!("an address of `empty_schema`")
    };
    let (text, bytes) = (text.replace('\'', "''"), const_hex::encode(text));
    let tables =
        "SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema()";
    texts(&url, tables).unwrap().iter().any(|table| {
        let found = format!(
            "SELECT 'found' FROM {table} AS kept
             WHERE strpos(kept::text, '{text}') > 0 OR strpos(kept::text, '{bytes}') > 0 LIMIT 1"
        );
        !texts(&url, &found).unwrap().is_empty()
    })
}
