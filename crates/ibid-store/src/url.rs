//! Where the store is.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The address of a store: `sqlite:path`, or `sqlite::memory:` for one that ends with the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreUrl {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A SQLite database in memory.
    Memory,
}

/// Why an address names no store. Never quotes the address: it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreUrlError {
    /// An unknown scheme.
    #[error("must be sqlite:PATH or sqlite::memory:")]
    Scheme,
    /// No path.
    #[error("names no file")]
    NoPath,
}

impl FromStr for StoreUrl {
    type Err = StoreUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.strip_prefix("sqlite:").ok_or(StoreUrlError::Scheme)? {
            "" | "//" => Err(StoreUrlError::NoPath),
            ":memory:" => Ok(Self::Memory),
            path => Ok(Self::Sqlite(path.strip_prefix("//").unwrap_or(path).into())),
        }
    }
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Memory => f.write_str("sqlite::memory:"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let check = |text: &str, expected| assert_eq!(text.parse::<StoreUrl>(), expected, "{text}");
        check("sqlite:ibid.db", Ok(StoreUrl::Sqlite("ibid.db".into())));
        check(
            "sqlite:///var/lib/ibid.db",
            Ok(StoreUrl::Sqlite("/var/lib/ibid.db".into())),
        );
        check("sqlite::memory:", Ok(StoreUrl::Memory));
        check("sqlite:", Err(StoreUrlError::NoPath));
        check("mysql://x", Err(StoreUrlError::Scheme));
        check("", Err(StoreUrlError::Scheme));
    }
}
