//! Addresses of stores.

use percent_encoding::percent_decode_str;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// Names a store: `sqlite:path`, `sqlite::memory:` for one that ends with the process, or
/// `postgres://user:password@host:port/database`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreUrl {
    Sqlite(PathBuf),
    /// A SQLite database in memory.
    Memory,
    Postgres(PostgresUrl),
}

/// Why an address names no store. Never quotes the address: it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreUrlError {
    #[error("must be sqlite:PATH, sqlite::memory: or postgres://USER:PASSWORD@HOST/DATABASE")]
    Scheme,
    #[error("names no file")]
    NoPath,
    /// Not what a PostgreSQL address looks like.
    #[error(
        "is no address of the form postgres://USER:PASSWORD@HOST:PORT/DATABASE?NAME=VALUE \
         (a password is written with %XX for anything but letters and digits)"
    )]
    Postgres,
    /// A way to encrypt that would give way without a word.
    #[error("has an sslmode other than disable, require and verify-full: those may fall back to plain text")]
    SslMode,
}

/// Names a PostgreSQL database. `Debug` and `Display` leave the password and the parameters out.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    /// The address without the parameters that are read here. Holds the password.
    pub(crate) secret: String,
    pub(crate) tls: Tls,
    shown: String,
}

/// Whether a connection is encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tls {
    /// Not at all.
    Off,
    /// Or there is no connection. Certificate and name are always checked.
    Verified {
        /// Authorities (PEM) that are trusted instead of the system's.
        roots: Option<PathBuf>,
    },
}

impl FromStr for StoreUrl {
    type Err = StoreUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(path) = text.strip_prefix("sqlite:") {
            return match path {
                "" | "//" => Err(StoreUrlError::NoPath),
                ":memory:" => Ok(Self::Memory),
                path => Ok(Self::Sqlite(path.strip_prefix("//").unwrap_or(path).into())),
            };
        }
        let schemes = ["postgres://", "postgresql://"];
        let rest = schemes.into_iter().find_map(|scheme| text.strip_prefix(scheme));
        PostgresUrl::read(rest.ok_or(StoreUrlError::Scheme)?).map(Self::Postgres)
    }
}

impl PostgresUrl {
    /// Reads the part after the scheme.
    fn read(rest: &str) -> Result<Self, StoreUrlError> {
        // As in the driver, the text before the first @ is user and password.
        let (credentials, place) = rest
            .split_once('@')
            .map_or((None, rest), |(credentials, place)| (Some(credentials), place));
        let (place, query) = place.split_once('?').unwrap_or((place, ""));
        let (mut mode, mut roots, mut named) = (None, None, Vec::new());
        let mut kept = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').ok_or(StoreUrlError::Postgres)?;
            let value = percent_decode_str(value)
                .decode_utf8()
                .map_err(|_| StoreUrlError::Postgres)?;
            match name {
                "sslmode" => mode = Some(value.into_owned()),
                "sslrootcert" => roots = Some(PathBuf::from(value.into_owned())),
                "host" | "hostaddr" => {
                    named.extend(value.split(',').map(str::to_owned));
                    kept.push(pair);
                }
                _ => kept.push(pair),
            }
        }
        let (authority, _) = place.split_once('/').unwrap_or((place, ""));
        named.extend(authority.split(',').map(host));
        let tls = match mode.as_deref() {
            Some("disable") => Tls::Off,
            Some("require" | "verify-ca" | "verify-full") => Tls::Verified { roots },
            Some(_) => return Err(StoreUrlError::SslMode),
            // Without `sslmode` and `sslrootcert`, connections within this machine need no encryption; others do.
            None if roots.is_none() && named.iter().all(|host| is_local(host)) => Tls::Off,
            None => Tls::Verified { roots },
        };
        let user = credentials.map(|credentials| credentials.split(':').next().unwrap_or_default());
        // A password that contains an @ would end before the last one.
        let safe = place.rsplit('@').next().unwrap_or_default();
        let url = Self {
            secret: match credentials {
                Some(credentials) => format!("postgres://{credentials}@{place}?{}", kept.join("&")),
                None => format!("postgres://{place}?{}", kept.join("&")),
            },
            tls,
            shown: match user {
                Some(user) => format!("postgres://{user}@{safe}"),
                None => format!("postgres://{safe}"),
            },
        };
        #[cfg(feature = "postgres")]
        url.secret
            .parse::<postgres::Config>()
            .map_err(|_| StoreUrlError::Postgres)?;
        Ok(url)
    }
}

/// Reads the host out of `host:port`, such as `db.example:5432`.
fn host(authority: &str) -> String {
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next(),
        None => authority.split(':').next(),
    };
    percent_decode_str(host.unwrap_or_default())
        .decode_utf8_lossy()
        .into_owned()
}

/// Whether a connection to this host stays on this machine.
/// A path is a socket; no host is the usual socket.
fn is_local(host: &str) -> bool {
    host.is_empty()
        || host.starts_with('/')
        || host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Memory => f.write_str("sqlite::memory:"),
            Self::Postgres(url) => f.write_str(&url.shown),
        }
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
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

    fn postgres(text: &str) -> Result<PostgresUrl, StoreUrlError> {
        match text.parse::<StoreUrl>()? {
            StoreUrl::Postgres(url) => Ok(url),
            StoreUrl::Sqlite(_) | StoreUrl::Memory => unreachable!("{text}"),
        }
    }

    #[test]
    fn remote_connections_are_encrypted_unless_disabled() {
        let verified = |roots: Option<&str>| Tls::Verified {
            roots: roots.map(PathBuf::from),
        };
        for (text, expected) in [
            ("postgres:///ibid", Tls::Off),
            ("postgres://localhost/ibid", Tls::Off),
            ("postgresql://ibid:pw@127.0.0.1:5433/ibid", Tls::Off),
            ("postgres://[::1]:5433/ibid", Tls::Off),
            ("postgres://%2Frun%2Fpostgresql/ibid", Tls::Off),
            ("postgres:///ibid?host=/run/postgresql", Tls::Off),
            ("postgres://db.example/ibid", verified(None)),
            ("postgres://localhost,db.example/ibid", verified(None)),
            ("postgres:///ibid?host=db.example", verified(None)),
            ("postgres://10.0.0.7/ibid", verified(None)),
            ("postgres://db.example/ibid?sslmode=disable", Tls::Off),
            ("postgres://localhost/ibid?sslmode=require", verified(None)),
            (
                "postgres://db.example/ibid?sslmode=verify-full&sslrootcert=/etc/ca%20x.pem",
                verified(Some("/etc/ca x.pem")),
            ),
        ] {
            assert_eq!(postgres(text).map(|url| url.tls), Ok(expected), "{text}");
        }
        for mode in ["prefer", "allow", "REQUIRE", ""] {
            let text = format!("postgres://db.example/ibid?sslmode={mode}");
            assert_eq!(postgres(&text).map(|url| url.tls), Err(StoreUrlError::SslMode));
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        for text in [
            "postgres://ibid:hunter2@db.example:5433/ibid",
            "postgres://ibid:pa@hunter2@db.example/ibid",
            "postgres://ibid:hun%20hunter2@/ibid",
            "postgres://ibid:x?hunter2@db.example/ibid",
            "postgres://ibid@db.example/ibid?password=hunter2",
        ] {
            let Ok(url) = postgres(text) else { continue };
            let shown = format!("{url:?} {}", StoreUrl::Postgres(url.clone()));
            assert!(!shown.contains("hunter2") && shown.contains("/ibid"), "{shown}");
        }
        let url = postgres("postgres://ibid:hunter2@db.example:5433/ibid?connect_timeout=3").unwrap();
        assert_eq!(
            StoreUrl::Postgres(url).to_string(),
            "postgres://ibid@db.example:5433/ibid"
        );
    }

    #[cfg(feature = "postgres")]
    #[test]
    fn a_refused_address_is_not_quoted() {
        for text in [
            "postgres://ibid:hunter2",
            "postgres://ibid:hunter2@db.example:port/ibid",
            "postgres://db.example/ibid?hunter2",
            "postgres://db.example/ibid?hunter2=1",
            "postgres://db.example/ibid?connect_timeout=hunter2",
        ] {
            let error = postgres(text).unwrap_err();
            assert_eq!(error, StoreUrlError::Postgres, "{text}");
            assert!(!error.to_string().contains("hunter2"));
        }
    }
}
