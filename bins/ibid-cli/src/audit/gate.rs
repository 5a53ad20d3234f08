//! Reports for continuous integration.
//! They support a minimum score, a baseline to compare with, and the formats of CI systems.

use super::Format;
use anyhow::Context;
use ibid_audit::escape;
use ibid_model::result::{AuditCheck, AuditComparison, AuditReport, CheckStatus};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// Reads a report that `--json` printed before.
pub(super) fn baseline(file: &Path) -> anyhow::Result<AuditReport> {
    let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is no audit report as --json prints it", file.display()))
}

/// The comparison as text.
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

/// The report in a format of CI systems.
pub(super) fn render(report: &AuditReport, format: Format) -> anyhow::Result<String> {
    Ok(match format {
        Format::Text => String::new(),
        Format::Sarif => serde_json::to_string_pretty(&sarif(report))? + "\n",
        Format::Junit => junit(report),
        Format::Markdown => markdown(report),
    })
}

fn address(report: &AuditReport) -> &str {
    report
        .final_url
        .as_deref()
        .or(report.url.as_deref())
        .unwrap_or("page.html")
}

fn findings(report: &AuditReport) -> impl Iterator<Item = &AuditCheck> {
    report.checks.iter().filter(|check| {
        matches!(
            check.status,
            CheckStatus::Fail | CheckStatus::Warn | CheckStatus::Unknown
        )
    })
}

/// SARIF 2.1.0 with one result a finding.
fn sarif(report: &AuditReport) -> Value {
    let rules: Vec<Value> = findings(report)
        .map(|check| {
            json!({
                "id": check.id,
                "shortDescription": {"text": check.title},
                "fullDescription": {"text": check.why},
                "help": {"text": check.advice.as_deref().unwrap_or("")},
            })
        })
        .collect();
    let results: Vec<Value> = findings(report)
        .map(|check| {
            let place = check.location.as_deref().unwrap_or("");
            let line = line(place);
            let mut location = json!({"artifactLocation": {"uri": address(report)}});
            if let Some(line) = line {
                location["region"] = json!({"startLine": line});
            }
            json!({
                "ruleId": check.id,
                "level": if check.status == CheckStatus::Fail { "error" } else { "warning" },
                "message": {"text": format!("{}: {} ({place})", check.title, check.found)},
                "locations": [{"physicalLocation": location}],
                "properties": {"points": check.gain, "contested": check.contested},
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "ibid audit", "version": report.audit_version, "rules": rules}},
            "results": results,
            "properties": {"score": report.score, "uncappedScore": report.uncapped_score},
        }],
    })
}

/// The line of a place such as `line 12: JSON-LD author`.
fn line(place: &str) -> Option<u32> {
    let rest = place.strip_prefix("line ")?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|line| *line > 0)
}

/// JUnit XML with one case a check; checks that do not apply are skipped.
fn junit(report: &AuditReport) -> String {
    let count = |wanted: &[CheckStatus]| {
        report
            .checks
            .iter()
            .filter(|check| wanted.contains(&check.status))
            .count()
    };
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
        escape(address(report)),
        report.checks.len(),
        count(&[CheckStatus::Fail]),
        count(&[CheckStatus::Na, CheckStatus::Info]),
    );
    for check in &report.checks {
        let name = escape(&format!("{} {}", check.id, check.title));
        let found = escape(&check.found);
        let _ = write!(out, "  <testcase classname=\"audit\" name=\"{name}\"");
        let _ = match check.status {
            CheckStatus::Fail => writeln!(
                out,
                "><failure message=\"{found}\">{}</failure></testcase>",
                escape(check.advice.as_deref().unwrap_or(""))
            ),
            CheckStatus::Na | CheckStatus::Info => {
                writeln!(out, "><skipped message=\"{found}\"/></testcase>")
            }
            CheckStatus::Pass => writeln!(out, "/>"),
            CheckStatus::Warn | CheckStatus::Unknown => {
                writeln!(
                    out,
                    "><system-out>{}: {found}</system-out></testcase>",
                    check.status.label()
                )
            }
        };
    }
    out.push_str("</testsuite>\n");
    out
}

/// A summary for a comment on a change.
fn markdown(report: &AuditReport) -> String {
    let mut out = format!(
        "## Page audit: {} of 100, {}\n\n`{}`\n\n",
        report.score,
        report.band.label(),
        address(report).replace('`', "")
    );
    if report.invented {
        out.push_str("**Invented page: this audit ran in the sandbox.**\n\n");
    }
    for gate in &report.gates {
        let _ = writeln!(out, "- **At most {}**: {}", gate.cap, inline(&gate.reason));
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
    fn hostile_text_stays_inside_its_format() {
        let report = audited("<title>a|b</title><h1>]]> <b>&quot;x&quot;</b> | `y`</h1><p>nothing");
        let junit = junit(&report);
        assert!(!junit.contains("<b>") && junit.matches("<testcase").count() == report.checks.len());
        let markdown = markdown(&report);
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
        let sarif = sarif(&report);
        let results = sarif["runs"][0]["results"].as_array().map_or(0, Vec::len);
        assert_eq!(results, findings(&report).count());
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
