//! Audits a folder of HTML files: a site's build before it is published.

use super::gate::{best_fixes, findings};
use super::{Audited, audit_file};
use anyhow::Context;
use glob::{MatchOptions, Pattern};
use ibid_audit::{is_uncited, quote_to};
use ibid_model::result::{AuditCheck, GateId};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use url::Url;

/// Most files of a folder. Twice as many take twice the memory: about 30 KB a report.
const MOST_FILES: usize = 2_000;
/// Findings that the text lists.
const MOST_FINDINGS: usize = 8;
/// Pages that the text lists.
const MOST_PAGES: usize = 20;

/// Audits all files below the folder that end in `.html` or `.htm`, ordered by path.
///
/// Hidden folders, `node_modules`, links and what `exclude` names are left out.
/// With a base, `blog/index.html` has the address `BASE/blog/`.
/// Pages that the site keeps out of search are set aside.
///
/// # Errors
/// A folder or a file cannot be read, there is none, or there are too many.
pub(super) fn audit_folder(
    folder: &Path,
    base: Option<&Url>,
    exclude: &[Pattern],
) -> anyhow::Result<Vec<Audited>> {
    let inside = |file: &Path| file.strip_prefix(folder).unwrap_or(file).to_owned();
    let mut files = Vec::new();
    add_files(folder, &mut files)?;
    files.retain(|file| !is_excluded(file, exclude) && !is_excluded(&inside(file), exclude));
    files.sort();
    anyhow::ensure!(!files.is_empty(), "{} has no HTML file", folder.display());
    let base = base.map(as_folder);
    let audit = |file: &PathBuf| -> anyhow::Result<Audited> {
        let url = base
            .as_ref()
            .map(|base| address(base, &inside(file)))
            .transpose()?;
        Ok(Audited::judged(
            file.display().to_string(),
            audit_file(file, url)?,
        ))
    };
    let mut pages = files.iter().map(audit).collect::<anyhow::Result<Vec<_>>>()?;
    let is_site_open = pages.iter().any(|page| !is_unlisted(page));
    for (page, file) in pages.iter_mut().zip(&files) {
        let path = inside(file);
        let is_home =
            path.parent() == Some(Path::new("")) && path.file_stem().is_some_and(|stem| stem == "index");
        // A site or a home page on `noindex` is an accident.
        page.aside = if is_unlisted(page) && is_site_open && !is_home {
            Some("noindex")
        } else if path.iter().any(|part| is_uncited(&part.to_string_lossy())) && page.report.page.words < 400
        {
            Some("a form, the thanks for it, or an error page")
        } else {
            None
        };
    }
    Ok(pages)
}

fn is_unlisted(page: &Audited) -> bool {
    page.report.gates.iter().any(|gate| gate.id == GateId::Noindex)
}

/// Whether a glob matches the path or a folder above it, or, if it has no slash, any name in the path.
fn is_excluded(path: &Path, exclude: &[Pattern]) -> bool {
    let options = MatchOptions {
        require_literal_separator: true,
        ..MatchOptions::new()
    };
    exclude.iter().any(|glob| {
        let is_name = |name: &std::ffi::OsStr| glob.matches_with(&name.to_string_lossy(), options);
        path.ancestors().any(|path| glob.matches_path_with(path, options))
            || !glob.as_str().contains('/') && path.iter().any(is_name)
    })
}

fn add_files(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let reading = || format!("reading {}", folder.display());
    for entry in std::fs::read_dir(folder).with_context(reading)? {
        let entry = entry.with_context(reading)?;
        let kind = entry.file_type().with_context(reading)?;
        let name = entry.file_name();
        let path = entry.path();
        if kind.is_dir() {
            if !name.to_string_lossy().starts_with('.') && name != "node_modules" {
                add_files(&path, files)?;
            }
        } else if kind.is_file() && is_html(&path) {
            anyhow::ensure!(files.len() < MOST_FILES, "more than {MOST_FILES} HTML files");
            files.push(path);
        }
    }
    Ok(())
}

pub(super) fn is_html(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("html") || end.eq_ignore_ascii_case("htm"))
}

/// The address with a slash at the end of its path, so that names are joined below it.
fn as_folder(base: &Url) -> Url {
    let mut base = base.clone();
    if !base.path().ends_with('/') {
        base.set_path(&format!("{}/", base.path()));
    }
    base
}

fn address(base: &Url, file: &Path) -> anyhow::Result<Url> {
    let mut url = base.clone();
    let names: Vec<String> = file
        .iter()
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    {
        let mut path = url
            .path_segments_mut()
            .map_err(|()| anyhow::anyhow!("{base} cannot be the address of a folder"))?;
        path.pop_if_empty();
        path.extend(&names);
        if names
            .last()
            .is_some_and(|name| name == "index.html" || name == "index.htm")
        {
            path.pop().push("");
        }
    }
    Ok(url)
}

/// The reports as JSON, each with the path of its file.
pub(super) fn document(pages: &[Audited]) -> Value {
    let pages: Vec<Value> = pages
        .iter()
        .map(|page| json!({"file": page.name, "notJudged": page.aside, "report": page.report}))
        .collect();
    json!({"pages": pages})
}

/// Pages by score, the lowest first.
pub(super) fn worst_first<'p>(pages: impl Iterator<Item = &'p Audited>) -> Vec<&'p Audited> {
    let mut pages: Vec<_> = pages.collect();
    pages.sort_by_key(|page| page.report.score);
    pages
}

/// The pages, the worst first, and the findings that most pages share.
pub(super) fn text(pages: &[Audited]) -> String {
    let mut out = format!("{} pages\n\nFindings, by pages\n", pages.len());
    let mut shared: BTreeMap<&str, (usize, &Audited, &AuditCheck)> = BTreeMap::new();
    let judged = || pages.iter().filter(|page| page.aside.is_none());
    for page in judged() {
        for check in findings(&page.report).filter(|check| check.gain > 0.0) {
            shared.entry(&check.id).or_insert((0, page, check)).0 += 1;
        }
    }
    let mut shared: Vec<_> = shared.into_values().collect();
    shared.sort_by_key(|(count, _, _)| std::cmp::Reverse(*count));
    for (count, page, check) in shared.iter().take(MOST_FINDINGS) {
        let _ = writeln!(
            out,
            "  {count:>4}  {} {}: {} ({})",
            check.id,
            check.title,
            quote_to(&check.found, 120),
            page.name
        );
    }
    out.push_str("\nPages, the worst first\n");
    let worst = worst_first(judged());
    for page in worst.iter().take(MOST_PAGES) {
        let fixes: Vec<&str> = best_fixes(&page.report).map(|check| check.id.as_str()).collect();
        let _ = writeln!(
            out,
            "  {:>4}  {}  {}",
            page.report.score,
            page.name,
            fixes.join(" ")
        );
        for gate in page.gates() {
            let _ = writeln!(out, "        gate, {gate}");
        }
    }
    let aside: Vec<_> = pages
        .iter()
        .filter_map(|page| Some((page, page.aside?)))
        .collect();
    for (at, (page, reason)) in aside.iter().take(MOST_PAGES).enumerate() {
        let start = if at == 0 {
            "\nKept out of search, not judged\n"
        } else {
            ""
        };
        let _ = writeln!(out, "{start}        {}  {reason}", page.name);
    }
    for (count, what) in [
        (shared.len().saturating_sub(MOST_FINDINGS), "findings"),
        (worst.len().saturating_sub(MOST_PAGES), "pages"),
        (
            aside.len().saturating_sub(MOST_PAGES),
            "pages that are not judged",
        ),
    ] {
        if count > 0 {
            let _ = writeln!(out, "and {count} more {what}; --json lists all");
        }
    }
    if let Some(page) = pages.first() {
        let _ = writeln!(out, "\n{}", page.report.caveat);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_addresses_under_which_they_are_published() {
        for (base, file, expected) in [
            ("https://example.com", "index.html", "https://example.com/"),
            (
                "https://example.com/docs",
                "a b.html",
                "https://example.com/docs/a%20b.html",
            ),
            (
                "https://example.com/docs/",
                "blog/index.html",
                "https://example.com/docs/blog/",
            ),
            (
                "https://example.com/",
                "50%?.html",
                "https://example.com/50%25%3F.html",
            ),
        ] {
            let base = as_folder(&Url::parse(base).expect(base));
            let url = address(&base, Path::new(file)).expect(file);
            assert_eq!(url.as_str(), expected);
        }
    }
}
