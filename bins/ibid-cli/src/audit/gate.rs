//! Reports for continuous integration.
//! They support a minimum score, a baseline to compare with, and the formats of CI systems.

use super::Audited;
use super::files::worst_first;
use anyhow::Context;
use ibid_audit::escape;
use ibid_model::result::{AuditCheck, AuditComparison, AuditReport, CheckStatus};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Reads a report that `--json` printed before.
pub(super) fn baseline(file: &Path) -> anyhow::Result<AuditReport> {
    let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is no audit report as --json prints it", file.display()))
}

pub(crate) fn comparison_text(comparison: &AuditComparison, since: &str) -> String {
    let mut out = format!("{since}: {} → {}\n", comparison.before, comparison.after);
    if comparison.other_version {
        out.push_str("  The earlier report is of another audit version: compare checks, not scores.\n");
    }
    if comparison.changes.is_empty() {
        out.push_str("  no check changed\n");
    }
    for change in &comparison.changes {
        let _ = writeln!(
            out,
            "  {} {}: {} → {}: {}",
            change.check,
            change.title,
            change.before.label(),
            change.after.label(),
            change.found
        );
    }
    out
}

/// Findings of a page: those behind gates, then those with the most points.
pub(super) fn findings(report: &AuditReport) -> impl Iterator<Item = &AuditCheck> {
    let is_open = |check: &&AuditCheck| {
        matches!(
            check.status,
            CheckStatus::Fail | CheckStatus::Warn | CheckStatus::Unknown
        )
    };
    let mut found: Vec<_> = report.checks.iter().filter(is_open).collect();
    found.sort_by(|a, b| {
        let by_gate = is_gate(report, b).cmp(&is_gate(report, a));
        by_gate.then(b.gain.total_cmp(&a.gain))
    });
    found.into_iter()
}

fn is_gate(report: &AuditReport, check: &AuditCheck) -> bool {
    report.gates.iter().any(|gate| gate.check == check.id)
}

/// Returns how grave a finding is in SARIF: `error` blocks merges in many projects, so only a gate is one.
fn level(page: &Audited, check: &AuditCheck) -> &'static str {
    match page.aside {
        None if is_gate(&page.report, check) => "error",
        None if check.gain >= 2.0 && !check.contested => "warning",
        _ => "note",
    }
}

/// SARIF 2.1.0 with one result a finding.
pub(super) fn sarif(audited: &[Audited]) -> Value {
    let all = || {
        audited
            .iter()
            .flat_map(|page| findings(&page.report).map(move |check| (page, check)))
    };
    let rules: BTreeMap<&str, Value> = all()
        .map(|(_, check)| {
            let rule = json!({
                "id": check.id,
                "shortDescription": {"text": check.title},
                "fullDescription": {"text": check.why},
                "help": {"text": check.advice.as_deref().unwrap_or("")},
            });
            (check.id.as_str(), rule)
        })
        .collect();
    let results: Vec<Value> = all()
        .map(|(page, check)| {
            let place = check.location.as_deref().unwrap_or("");
            let mut location = json!({"artifactLocation": {"uri": uri(&page.name)}});
            if let Some(line) = line(place) {
                location["region"] = json!({"startLine": line});
            }
            json!({
                "ruleId": check.id,
                "level": level(page, check),
                "message": {"text": format!("{}: {} ({place})", check.title, check.found)},
                "locations": [{"physicalLocation": location}],
                "properties": {"points": check.gain, "contested": check.contested},
            })
        })
        .collect();
    let pages: Vec<Value> = audited
        .iter()
        .map(|page| {
            json!({"page": page.name, "score": page.report.score, "uncappedScore": page.report.uncapped_score})
        })
        .collect();
    let rules: Vec<Value> = rules.into_values().collect();
    let version = audited.first().map(|page| &page.report.audit_version);
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "ibid audit", "version": version, "rules": rules}},
            "results": results,
            "properties": {"pages": pages},
        }],
    })
}

/// Writes a page's name as a URI reference: characters of a file name that mean something else in an address are escaped.
fn uri(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            ' ' => out.push_str("%20"),
            '%' if !name.contains("://") => out.push_str("%25"),
            '#' if !name.contains("://") => out.push_str("%23"),
            '?' if !name.contains("://") => out.push_str("%3F"),
            '\\' => out.push('/'),
            other => out.push(other),
        }
    }
    out
}

/// Reads the line from a place such as `line 12: JSON-LD author`.
fn line(place: &str) -> Option<u32> {
    let rest = place.strip_prefix("line ")?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|line| *line > 0)
}

/// JUnit XML with one suite a page: one case for its gates and its score, and one for each check.
///
/// Only the first fails: a finding alone ends no build. Checks that do not apply are skipped.
pub(super) fn junit(audited: &[Audited], least: Option<u8>) -> String {
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_owned();
    for page in audited {
        add_suite(&mut out, page, least);
    }
    out.push_str("</testsuites>\n");
    out
}

fn add_suite(out: &mut String, page: &Audited, least: Option<u8>) {
    let checks = &page.report.checks;
    let skips = |check: &&AuditCheck| matches!(check.status, CheckStatus::Na | CheckStatus::Info);
    let skipped = checks.iter().filter(skips).count() + usize::from(page.aside.is_some());
    let mut faults = page.gates();
    if let Some(least) = least.filter(|_| page.is_below(least)) {
        faults.push(format!("score {} is below {least}", page.report.score));
    }
    let name = escape(&page.name);
    let _ = writeln!(
        out,
        "<testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" skipped=\"{skipped}\">",
        checks.len() + 1,
        usize::from(!faults.is_empty()),
    );
    let _ = write!(out, "  <testcase classname=\"{name}\" name=\"Gates and score\"");
    let _ = match (page.aside, faults.as_slice()) {
        (Some(reason), _) => writeln!(out, "><skipped message=\"{}\"/></testcase>", escape(reason)),
        (None, []) => writeln!(out, "/>"),
        (None, faults) => writeln!(
            out,
            "><failure message=\"{}\"/></testcase>",
            escape(&faults.join("; "))
        ),
    };
    for check in checks {
        let case = escape(&format!("{} {}", check.id, check.title));
        let found = escape(&check.found);
        let _ = write!(out, "  <testcase classname=\"{name}\" name=\"{case}\"");
        let _ = match check.status {
            CheckStatus::Na | CheckStatus::Info => {
                writeln!(out, "><skipped message=\"{found}\"/></testcase>")
            }
            CheckStatus::Pass => writeln!(out, "/>"),
            CheckStatus::Fail | CheckStatus::Warn | CheckStatus::Unknown => {
                writeln!(
                    out,
                    "><system-out>{}: {found} {}</system-out></testcase>",
                    check.status.label(),
                    escape(check.advice.as_deref().unwrap_or(""))
                )
            }
        };
    }
    out.push_str("</testsuite>\n");
}

/// Writes a summary for a comment on a change: all findings if there is one page, or a table with a row for each.
pub(super) fn markdown(audited: &[Audited]) -> String {
    match audited {
        [page] => one_page(page),
        pages => table_of_pages(pages),
    }
}

fn one_page(page: &Audited) -> String {
    let report = &page.report;
    let mut out = format!(
        "## Page audit: {} of 100, {}\n\n`{}`\n\n",
        report.score,
        report.band.label(),
        page.name.replace('`', "")
    );
    if report.invented {
        out.push_str("**Invented page: this audit ran in the sandbox.**\n\n");
    }
    for gate in page.gates() {
        let _ = writeln!(out, "- **Gate**, {}", inline(&gate));
    }
    out.push_str("\n| Check | Outcome | Found | Where | Points |\n| --- | --- | --- | --- | --- |\n");
    for check in findings(report) {
        let _ = writeln!(
            out,
            "| {} {} | {} | {} | {} | {:.1} |",
            check.id,
            inline(&check.title),
            check.status.label(),
            inline(&check.found),
            inline(check.location.as_deref().unwrap_or("")),
            check.gain
        );
    }
    let _ = writeln!(out, "\n{}", report.caveat);
    out
}

fn table_of_pages(pages: &[Audited]) -> String {
    let judged = worst_first(pages.iter().filter(|page| page.aside.is_none()));
    let worst = judged.first().map_or(0, |page| page.report.score);
    let mut out = format!(
        "## Page audit: {} pages, the lowest score {worst} of 100\n\n",
        pages.len()
    );
    out.push_str("| Page | Score | Gates, and what helps most |\n| --- | --- | --- |\n");
    for page in judged {
        let gates = page.gates().into_iter();
        let gates = gates.map(|gate| format!("**Gate**, {}", inline(&gate)));
        let fixes = best_fixes(&page.report).map(|check| format!("{} {}", check.id, inline(&check.title)));
        let fixes: Vec<String> = gates.chain(fixes).collect();
        let _ = writeln!(
            out,
            "| {} | {} | {} |",
            inline(&page.name),
            page.report.score,
            fixes.join(", ")
        );
    }
    for (at, page) in pages.iter().filter(|page| page.aside.is_some()).enumerate() {
        let start = if at == 0 {
            "\nKept out of search, not judged:\n\n"
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "{start}- {}: {}",
            inline(&page.name),
            page.aside.unwrap_or_default()
        );
    }
    if let Some(page) = pages.first() {
        let _ = writeln!(out, "\n{}", page.report.caveat);
    }
    out
}

/// The three fixes that help most.
pub(super) fn best_fixes(report: &AuditReport) -> impl Iterator<Item = &AuditCheck> {
    findings(report).filter(|check| check.gain > 0.0).take(3)
}

/// Formats text of the page for Markdown: without characters that end the cell or start a link or an element.
fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '|' | '[' | ']' | '`' | '*' | '_' | '!' | '\\' | '@' | '#' => {
                out.push('\\');
                out.push(c);
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audited(html: &str) -> AuditReport {
        ibid_audit::audit(&ibid_audit::Page::from_html(
            html,
            None,
            jiff::Timestamp::UNIX_EPOCH,
        ))
    }

    #[test]
    fn places_have_lines() {
        for (place, expected) in [
            ("line 12", Some(12)),
            ("line 3: JSON-LD author", Some(3)),
            ("<head>", None),
            ("line x", None),
        ] {
            assert_eq!(line(place), expected, "{place}");
        }
    }

    #[test]
    fn names_of_files_are_references() {
        for (name, expected) in [
            ("dist/a b.html", "dist/a%20b.html"),
            ("50%#1?.html", "50%25%231%3F.html"),
            ("https://example.com/a?b#c", "https://example.com/a?b#c"),
        ] {
            assert_eq!(uri(name), expected);
        }
    }

    #[test]
    fn hostile_text_stays_inside_its_format() {
        let pages = [Audited {
            name: "a <b>|`#.html".to_owned(),
            aside: None,
            report: audited("<title>a|b</title><h1>]]> <b>&quot;x&quot;</b> | `y`</h1><p>nothing"),
        }];
        let report = &pages[0].report;
        let junit = junit(&pages, None);
        assert!(!junit.contains("<b>") && junit.matches("<testcase").count() == report.checks.len() + 1);
        let markdown = markdown(&pages);
        assert!(
            markdown
                .lines()
                .filter(|line| line.starts_with("| "))
                .all(|line| {
                    let bare = line.replace("\\|", "");
                    bare.matches('|').count() == 6
                }),
            "{markdown}"
        );
        let sarif = sarif(&pages);
        let results = sarif["runs"][0]["results"].as_array().map_or(0, Vec::len);
        assert_eq!(results, findings(report).count());
        assert!(table_of_pages(&pages).contains("| a &lt;b&gt;\\|\\`\\#.html | "));
    }

    #[test]
    fn comparisons_name_what_changed() {
        let good =
            audited("<html lang=en><title>Heat pumps in old houses</title><h1>Heat pumps</h1><p>word word.");
        let bad = audited("<title>Heat pumps in old houses</title><h1>Heat pumps</h1><p>word word.");
        let comparison = AuditComparison::of(&good, &bad);
        assert!(comparison.worse);
        assert_eq!(
            comparison
                .changes
                .iter()
                .map(|change| change.check.as_str())
                .collect::<Vec<_>>(),
            ["F5"]
        );
        assert!(
            !AuditComparison::of(&bad, &good).worse && AuditComparison::of(&good, &good).changes.is_empty()
        );
    }
}
