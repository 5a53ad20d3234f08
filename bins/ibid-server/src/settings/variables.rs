//! Every environment variable: the one list behind parsing, `--help` and docs/CONFIGURATION.md.

use std::sync::LazyLock;

pub(crate) struct Variable {
    pub(crate) name: &'static str,
    /// What an unset variable means.
    pub(crate) default: &'static str,
    pub(crate) meaning: &'static str,
}

/// All variables, in the order of the documentation: a line each, with its name, its default and its meaning.
pub(crate) static VARIABLES: LazyLock<Vec<Variable>> = LazyLock::new(|| {
    let rows = include_str!("variables.tsv").lines();
    let rows = rows.filter_map(|row| {
        let (name, rest) = row.split_once('\t')?;
        let (default, meaning) = rest.split_once('\t')?;
        Some(Variable {
            name,
            default,
            meaning,
        })
    });
    rows.collect()
});

/// Variables that earlier versions had, each with the way to the same effect. A start with one is refused.
pub(crate) static REMOVED: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let rows = include_str!("removed.tsv").lines();
    rows.filter_map(|row| row.split_once('\t')).collect()
});
