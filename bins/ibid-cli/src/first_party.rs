//! `ibid first-party`: what the website's own data say, read on this machine without a server.

mod send;

use crate::output::{print, print_json};
use anyhow::Context;
use clap::Args as ClapArgs;
use ibid_first_party::agreement::{Agreement, Comparison, FEWEST_PAIRS, compare};
use ibid_first_party::bots::Ranges;
use ibid_first_party::{
    Bounds, FileReport, Format, Measure, Options, Reading, RowSet, Source, Subject, page_key, questions,
};
use ibid_model::Domain;
use jiff::civil::Date;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use url::Url;

/// Lines that a report lists for refused rows, and for pages.
const LISTED: usize = 10;

/// Read exports of Bing AI Performance, Search Console and GA4, and access logs, to daily rows
///
/// Kept are counts by day, page and query, never a line or an address of a visitor. With --project these counts go into a project
/// of a server, by the key in IBID_PROJECT_KEY; otherwise nothing leaves this machine.
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// Exports as CSV, .xlsx or .zip, and access logs, also compressed (.gz); the format is found from the content
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The website; rows about others are refused
    #[arg(long)]
    domain: Domain,
    /// Report what was understood, and store nothing
    #[arg(long, required_unless_present_any = ["against", "questions", "project"])]
    dry_run: bool,
    /// Import the daily rows into this project of a server
    #[arg(long, value_name = "ID", conflicts_with_all = ["against", "questions"])]
    project: Option<String>,
    /// Import also where a total of the project falls, as after the export of a part
    #[arg(long, requires = "project")]
    lower: bool,
    /// Base address of the server
    #[arg(
        long,
        env = "IBID_URL",
        default_value = "http://127.0.0.1:8080",
        value_name = "URL"
    )]
    server: Url,
    /// Compare with the pages that a scan cites: the output of `ibid scan --json`
    #[arg(long, value_name = "SCAN.json")]
    against: Option<PathBuf>,
    /// Print the queries of the files as questions (CSV), for `ibid questions check` and `import`
    #[arg(long, conflicts_with_all = ["against", "json", "dry_run"])]
    questions: bool,
    /// Print files, rows and comparisons as JSON
    #[arg(long, conflicts_with = "project")]
    json: bool,
    /// Addresses that the owner of a program publishes (chatgpt-user.json); PROGRAM=FILE for another file name; may be repeated
    #[arg(long, value_name = "FILE")]
    ranges: Vec<String>,
    /// Addresses of the website's own proxies or delivery network, which forward those of visitors: 10.0.0.0/8; may be repeated
    #[arg(long, value_name = "RANGE")]
    proxy: Vec<String>,
    /// The format, where the columns of a file fit several
    #[arg(long)]
    format: Option<Format>,
    /// The last day of reports that do not tell their days
    #[arg(long, value_name = "YYYY-MM-DD")]
    until: Option<Date>,
}

/// Reads, compares and prints.
#[expect(clippy::print_stderr, reason = "a command line reports there")]
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let options = Options {
        domain: args.domain.clone(),
        format: args.format,
        until: args.until,
        ranges: ranges(&args.ranges)?,
        proxies: args
            .proxy
            .iter()
            .map(|range| range.parse().with_context(|| range.clone()))
            .collect::<anyhow::Result<_>>()?,
        bounds: Bounds::default(),
    };
    let mut reading = Reading::default();
    for path in &args.files {
        let name = file_name(path);
        let mut file = File::open(path).with_context(|| format!("reading {}", path.display()))?;
        let added = reading.add(&name, &mut file, &options);
        added.with_context(|| path.display().to_string())?;
    }
    let rows = reading.rows();
    if args.questions {
        for report in reading.files() {
            eprint!("{}", of_file(report));
        }
        print(&questions(&rows))?;
        return Ok(ExitCode::SUCCESS);
    }
    // A file of which no row is kept is no success.
    let status = match rows.is_empty() {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    };
    let compared = match &args.against {
        Some(path) => Some(compare(&rows, &cited(path, &args.domain)?)),
        None => None,
    };
    if args.json {
        let rows: Vec<_> = rows.iter().collect();
        print_json(&json!({"files": reading.files(), "rows": rows, "comparisons": compared}))?;
        return Ok(status);
    }
    let mut text = String::new();
    for report in reading.files() {
        text.push_str(&of_file(report));
    }
    text.push_str(&of_rows(&rows));
    if let Some(project) = args.project.as_ref().filter(|_| !args.dry_run) {
        let names: Vec<&str> = reading
            .files()
            .iter()
            .map(|report| report.name.as_str())
            .collect();
        let path = format!("/api/v2/projects/{project}/own-data/rows?lower={}", args.lower);
        text.push_str(&send::send(&args.server, &path, &names.join(", "), &rows)?);
    }
    for comparison in compared.iter().flatten() {
        text.push_str(&of_comparison(comparison));
    }
    print(&text)?;
    Ok(status)
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Reads all published addresses.
fn ranges(files: &[String]) -> anyhow::Result<Ranges> {
    let mut ranges = Ranges::default();
    for named in files {
        let (bot, path) = match named.split_once('=') {
            Some((bot, path)) => (Some(bot), Path::new(path)),
            None => (None, Path::new(named)),
        };
        let bytes = crate::document::read(path)?;
        ranges
            .add(&file_name(path), bot, &bytes)
            .with_context(|| path.display().to_string())?;
    }
    Ok(ranges)
}

/// Lists the website's pages that a scan cites, with the share of answers.
fn cited(path: &Path, domain: &Domain) -> anyhow::Result<Vec<(String, f64)>> {
    let scan = crate::document::read_scan(path)?.result;
    anyhow::ensure!(
        scan.domain == *domain,
        "{} is a scan of {}",
        path.display(),
        scan.domain
    );
    let pages = scan.pages.into_iter();
    Ok(pages
        .filter_map(|page| Some((page_key(&page.url, domain)?, page.share)))
        .collect())
}

/// A file in words.
fn of_file(report: &FileReport) -> String {
    let mut text = String::new();
    let formats: Vec<&str> = report.formats.iter().map(|format| format.name()).collect();
    let days = match (report.from, report.to) {
        (Some(from), Some(to)) if from != to => format!(", {from} to {to}"),
        (Some(day), _) => format!(", {day}"),
        (None, _) => String::new(),
    };
    // Writing to a string does not fail.
    let _ = writeln!(text, "{}: {}{days}", report.name, formats.join(", "));
    if let Some(same) = &report.repeats {
        let _ = writeln!(text, "  The same lines as {same}: left out");
        return text;
    }
    let _ = writeln!(
        text,
        "  {} rows read, {} used, {} refused; {} daily rows",
        report.read,
        report.used,
        report.refused.total(),
        report.rows
    );
    for (reason, count) in &report.refused.counts {
        let lines = report.refused.first.iter().filter(|line| line.reason == *reason);
        let mut lines: Vec<String> = lines.take(LISTED).map(|line| line.line.to_string()).collect();
        if (lines.len() as u64) < *count {
            lines.push("…".to_owned());
        }
        let _ = writeln!(
            text,
            "  Refused: {count} × {} (line {})",
            reason.words(),
            lines.join(", ")
        );
    }
    for note in &report.notes {
        let _ = writeln!(text, "  Note: {note}");
    }
    text
}

/// Sums the website's counts by tool and measure.
fn of_rows(rows: &RowSet) -> String {
    let mut sums: BTreeMap<(Source, Measure), (usize, f64)> = BTreeMap::new();
    let mut subjects: BTreeMap<(Source, Measure), BTreeSet<Subject>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.measure.is_count()) {
        let key = (row.source, row.measure);
        match row.subject {
            None => {
                let sum = sums.entry(key).or_default();
                *sum = (sum.0 + 1, sum.1 + row.value);
            }
            Some(subject) => drop(subjects.entry(key).or_default().insert(subject)),
        }
    }
    let mut text = String::new();
    for ((source, measure), (_, sum)) in &sums {
        let _ = writeln!(text, "{}: {sum} {}", source.label(), measure.label());
    }
    for ((source, measure), subjects) in &subjects {
        let _ = writeln!(
            text,
            "{}: {} of {} pages, queries and topics",
            source.label(),
            measure.label(),
            subjects.len()
        );
    }
    text
}

/// A comparison in words.
fn of_comparison(comparison: &Comparison) -> String {
    let mut text = format!(
        "\n{}, {}: pages compared with the answers of the scan\n",
        comparison.source.label(),
        comparison.measure.label()
    );
    let _ = match comparison.agreement {
        Agreement::NotEnough { pairs } => {
            writeln!(
                text,
                "  Agreement: not enough ({pairs} pages; {FEWEST_PAIRS} are needed)"
            )
        }
        Agreement::NoOrder { pairs } => {
            writeln!(
                text,
                "  Agreement: none can be measured: all {pairs} pages have the same value on one side"
            )
        }
        Agreement::Void(found) => writeln!(text, "  Agreement: none: {}", found.in_words()),
        Agreement::Measured {
            pairs,
            rho,
            low,
            high,
        } => {
            writeln!(
                text,
                "  Agreement of the order of {pairs} pages: {rho:.2} ({low:.2} to {high:.2}; 1 is the same order)"
            )
        }
    };
    let mut list = |title: &str, pages: &[(String, f64)], percent: bool| {
        let _ = writeln!(text, "  {title}: {}", pages.len());
        for (page, value) in pages.iter().take(LISTED) {
            let _ = match percent {
                true => writeln!(text, "    {page} ({:.0} % of answers)", 100.0 * value),
                false => writeln!(text, "    {page} ({value})"),
            };
        }
    };
    list("There, and in no answer", &comparison.only_there, false);
    list("In answers, and not there", &comparison.only_here, true);
    text
}
