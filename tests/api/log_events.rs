//! docs/LOGGING.md lists exactly the events that the sources log.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The event name of each logging macro in a source: the last string literal of its arguments.
fn events(source: &str) -> Vec<String> {
    let macros = ["error!(", "warn!(", "info!(", "debug!(", "trace!("];
    let starts = macros
        .iter()
        .flat_map(|name| source.match_indices(name))
        .filter(|(at, _)| !source[..*at].ends_with("compile_"))
        .map(|(at, name)| at + name.len());
    starts
        .filter_map(|start| last_literal(&source[start..]))
        .collect()
}

/// The last string literal before the parenthesis that closes the arguments.
fn last_literal(arguments: &str) -> Option<String> {
    let (mut depth, mut literal, mut last) = (1, None::<String>, None);
    for character in arguments.chars() {
        match (&mut literal, character) {
            (Some(_), '"') => last = literal.take(),
            (Some(text), other) => text.push(other),
            (None, '"') => literal = Some(String::new()),
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            (None, _) => {}
        }
        if depth == 0 {
            break;
        }
    }
    last
}

fn collect(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.extend(events(&fs::read_to_string(&path).unwrap()));
        }
    }
}

#[test]
fn the_page_of_log_events_lists_the_events_of_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut logged = BTreeSet::new();
    for group in ["crates", "bins"] {
        for entry in fs::read_dir(root.join(group)).unwrap() {
            let sources = entry.unwrap().path().join("src");
            if sources.is_dir() {
                collect(&sources, &mut logged);
            }
        }
    }
    let page = fs::read_to_string(root.join("docs/LOGGING.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let listed: BTreeSet<String> = cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect();
    let missing: Vec<_> = logged.difference(&listed).collect();
    let stale: Vec<_> = listed.difference(&logged).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "not in docs/LOGGING.md: {missing:?}; not in the sources: {stale:?}"
    );
}
