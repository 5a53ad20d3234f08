//! Variables for a command: those of the process, and those that the service has in the Debian package.

use anyhow::Context;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

/// Environment file in the Debian package.
pub(crate) const SERVICE_FILE: &str = "/etc/ibid/env";

/// Variables by name.
pub(crate) struct Environment(BTreeMap<String, String>);

impl Environment {
    pub(crate) fn of_process() -> Self {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self(std::env::vars_os().filter_map(text).collect())
    }

    /// Adds the variables of the installed service, so that a command finds its database.
    /// Has no effect if `DATABASE_URL` is set, which names another database, or if the file does not exist.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn with_service(mut self, file: &Path) -> anyhow::Result<Self> {
        if self
            .get("DATABASE_URL")
            .is_some_and(|value| !value.trim().is_empty())
        {
            return Ok(self);
        }
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(self),
            Err(error) => {
                let file = file.display();
                return Err(error).with_context(|| {
                    format!("reading {file}, which has the variables of the service: run this as root, or set DATABASE_URL")
                });
            }
        };
        for (name, value) in text.lines().filter_map(assignment) {
            let own = self.0.entry(name.to_owned()).or_default();
            if own.trim().is_empty() {
                *own = value;
            }
        }
        Ok(self)
    }

    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// Reads a line `NAME=value` as systemd does: blank lines and comments are skipped, a value may be in quotes, and a
/// backslash outside single quotes takes the next character as it is.
fn assignment(line: &str) -> Option<(&str, String)> {
    let line = line.trim();
    let (name, value) = line.split_once('=').filter(|_| !line.starts_with(['#', ';']))?;
    let quoted = |quote| value.trim().strip_prefix(quote)?.strip_suffix(quote);
    if let Some(literal) = quoted('\'') {
        return Some((name.trim(), literal.to_owned()));
    }
    let mut characters = quoted('"').unwrap_or(value.trim()).chars();
    let mut text = String::new();
    while let Some(character) = characters.next() {
        text.extend(if character == '\\' {
            characters.next()
        } else {
            Some(character)
        });
    }
    Some((name.trim(), text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Environment {
        let pairs = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Environment(pairs.collect())
    }

    #[test]
    fn the_file_of_the_service_counts_where_no_database_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("env");
        std::fs::write(
            &file,
            "DATABASE_URL=sqlite:/var/lib/ibid/ibid.db\nLOG=warn\nBIND=127.0.0.1:1\n",
        )
        .unwrap();
        let read = |own: &[(&str, &str)]| {
            let environment = of(own).with_service(&file).unwrap();
            ["DATABASE_URL", "LOG", "BIND"].map(|name| environment.get(name).unwrap_or_default())
        };
        let service = ["sqlite:/var/lib/ibid/ibid.db", "warn", "127.0.0.1:1"];
        assert_eq!(read(&[]), service);
        assert_eq!(read(&[("DATABASE_URL", " ")]), service);
        assert_eq!(read(&[("LOG", "debug")]), [service[0], "debug", service[2]]);
        assert_eq!(
            read(&[("DATABASE_URL", "sqlite:own.db")]),
            ["sqlite:own.db", "", ""]
        );
    }

    #[test]
    fn no_file_is_no_fault_and_an_unreadable_one_is() {
        let folder = tempfile::tempdir().unwrap();
        assert!(of(&[]).with_service(&folder.path().join("missing")).is_ok());
        let error = of(&[]).with_service(folder.path()).err().unwrap().to_string();
        assert!(error.contains("run this as root, or set DATABASE_URL"), "{error}");
        assert!(
            of(&[("DATABASE_URL", "sqlite:x")])
                .with_service(folder.path())
                .is_ok()
        );
    }

    #[test]
    fn lines_are_read_as_systemd_reads_them() {
        for (line, expected) in [
            ("A=b", Some(("A", "b"))),
            ("  A = b c  ", Some(("A", "b c"))),
            ("A=\"b c \"", Some(("A", "b c "))),
            ("A='b\\c'", Some(("A", "b\\c"))),
            ("A=b\\\"c", Some(("A", "b\"c"))),
            ("A=x=y$z", Some(("A", "x=y$z"))),
            ("A=", Some(("A", ""))),
            ("A='", Some(("A", "'"))),
            ("#A=b", None),
            ("; A=b", None),
            ("", None),
            ("A", None),
        ] {
            let read = assignment(line);
            let read = read.as_ref().map(|(name, value)| (*name, value.as_str()));
            assert_eq!(read, expected, "{line}");
        }
    }
}
