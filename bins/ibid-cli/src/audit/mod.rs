//! `ibid audit`: audits a page, fetched or from a file, or the HTML files of a folder, and prints a report.
//!
//! Exit codes: 0 audited, 1 failed, 2 bad usage, 3 below `--fail-under` or worse than `--baseline`,
//! 4 the address is refused, 5 the page could not be fetched.

mod files;
mod gate;
mod paint;
mod render;
mod whole_site;

pub(crate) use gate::comparison_text;

use crate::output::{judged, misused, print};
use anyhow::Context;
use clap::{ArgGroup, Args as ClapArgs};
use ibid_audit::Page;
use ibid_audit::fetch::{AllowList, FetchConfig, FetchError};
use ibid_audit::{Auditor, SiteLimits};
use ibid_model::result::{AuditComparison, AuditReport};
use paint::Paint;
use serde_json::json;
use std::io::{IsTerminal, Read};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Audit how easily an AI can find, read and cite a page
#[derive(ClapArgs)]
#[command(group(ArgGroup::new("page").required(true).args(["address", "html"])))]
pub(crate) struct Args {
    /// Address of the page, or a file or folder that exists: of a folder all HTML files are audited
    #[arg(value_name = "URL|FILE|DIR")]
    address: Option<String>,
    /// Audit this file instead of fetching; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Address under which the file or folder is or will be published
    #[arg(long, value_name = "URL")]
    url: Option<url::Url>,
    /// Leave out the files and folders of a folder that match, as in drafts or 'legal/*.html'; may be repeated
    #[arg(long, value_name = "GLOB", value_parser = exclusion)]
    exclude: Vec<glob::Pattern>,
    /// Loopback address of a preview that may be fetched, such as 127.0.0.1:3000; may be repeated
    #[arg(
        long,
        value_name = "HOST:PORT",
        env = "AUDIT_TEST_ALLOW",
        value_delimiter = ','
    )]
    allow: Vec<String>,
    /// Also ask for the page as GPTBot, OAI-SearchBot, ChatGPT-User, PerplexityBot, ClaudeBot, Googlebot and a browser
    #[arg(long, conflicts_with = "html")]
    bots: bool,
    /// Audit a sample of the pages that the sitemap of the site lists, starting with this one
    #[arg(long, conflicts_with_all = ["html", "bots", "all", "drafts", "format", "baseline"])]
    site: bool,
    /// Pages of the sample
    #[arg(long, value_name = "N", requires = "site", default_value_t = SiteLimits::DEFAULT_PAGES,
          value_parser = clap::value_parser!(u32).range(1..=i64::from(SiteLimits::MOST_PAGES)))]
    pages: u32,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Print every check, not only the most useful fixes
    #[arg(long)]
    all: bool,
    /// Print the drafts of fixes
    #[arg(long)]
    drafts: bool,
    /// Print in a format of CI systems
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with_all = ["json", "all", "drafts"])]
    format: Format,
    /// Also write the report to a file, as in sarif=audit.sarif; may be repeated
    #[arg(long, value_name = "FORMAT=FILE", value_parser = report_file, conflicts_with = "site")]
    write: Vec<(Format, PathBuf)>,
    /// End with exit code 3 if the score of a page is below this
    #[arg(long, value_name = "SCORE", value_parser = clap::value_parser!(u8).range(0..=100))]
    fail_under: Option<u8>,
    /// Compare with this report, printed by --json before; end with exit code 3 if the page is worse
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A report for people
    Text,
    /// The whole report
    Json,
    /// SARIF 2.1.0, one result a finding
    Sarif,
    /// JUnit XML, one case a check
    Junit,
    /// A summary and a table
    Markdown,
}

/// Reads the value of `--write`.
fn report_file(text: &str) -> Result<(Format, PathBuf), String> {
    let (format, file) = text
        .split_once('=')
        .filter(|(_, file)| !file.is_empty())
        .ok_or("expected FORMAT=FILE, as in sarif=audit.sarif")?;
    let format = <Format as clap::ValueEnum>::from_str(format, true)?;
    Ok((format, PathBuf::from(file)))
}

/// Reads the value of `--exclude`.
fn exclusion(text: &str) -> Result<glob::Pattern, glob::PatternError> {
    glob::Pattern::new(text.trim_start_matches("./").trim_end_matches('/'))
}

/// A report with its page's name: the path of its file, or its address.
struct Audited {
    name: String,
    report: AuditReport,
    /// Why a page in a folder is listed and not judged: it is kept out of search on purpose.
    aside: Option<&'static str>,
}

impl Audited {
    fn judged(name: String, report: AuditReport) -> Self {
        Self {
            name,
            report,
            aside: None,
        }
    }

    /// Names the gates in words, if the page is judged.
    fn gates(&self) -> Vec<String> {
        let gates = self.report.gates.iter().filter(|_| self.aside.is_none());
        gates
            .map(|gate| format!("at most {}: {}", gate.cap, gate.reason))
            .collect()
    }

    fn is_below(&self, least: Option<u8>) -> bool {
        self.aside.is_none() && least.is_some_and(|least| self.report.score < least)
    }
}

/// Maximum size of a file in bytes, the same as for a fetched page.
const MAX_FILE: u64 = 5 << 20;

/// Audits and prints.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let paths = args.files();
    if paths.is_none() && args.url.is_some() {
        return Ok(misused("--url needs a file or a folder"));
    }
    if paths.is_some() && (args.bots || args.site) {
        return Ok(misused("--bots and --site need an address, not a file"));
    }
    // A baseline that cannot be read ends the program before the fetch.
    let before = args.baseline.as_deref().map(gate::baseline).transpose()?;
    let Some(path) = paths else {
        let given = args.address.as_deref().unwrap_or_default();
        anyhow::ensure!(
            !names_a_file(given),
            "{given}: no such file or folder; an address begins with https://"
        );
        if !args.exclude.is_empty() {
            return Ok(misused("--exclude needs a folder"));
        }
        let address = with_scheme(given);
        if args.site {
            return whole_site::run(args, &address);
        }
        return match fetch(args, &address)? {
            Ok(report) => {
                let name = report.final_url.clone().unwrap_or(address);
                args.show(&[Audited::judged(name, report)], before.as_ref())
            }
            Err(error) => refuse(&address, &error, args.json),
        };
    };
    if path.is_dir() {
        if before.is_some() || args.all || args.drafts {
            return Ok(misused(
                "--baseline, --all and --drafts are for one page, not for a folder",
            ));
        }
        return args.show(
            &files::audit_folder(path, args.url.as_ref(), &args.exclude)?,
            None,
        );
    }
    if !args.exclude.is_empty() {
        return Ok(misused("--exclude needs a folder"));
    }
    let name = if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    let report = audit_file(path, args.url.clone())?;
    args.show(&[Audited::judged(name, report)], before.as_ref())
}

impl Args {
    /// The file or folder to read, if no page is to be fetched.
    fn files(&self) -> Option<&Path> {
        let given = || {
            self.address
                .as_deref()
                .map(Path::new)
                .filter(|path| path.exists())
        };
        self.html.as_deref().or_else(given)
    }

    /// Prints and writes the reports, and compares the one page with the report before.
    fn show(&self, audited: &[Audited], before: Option<&AuditReport>) -> anyhow::Result<ExitCode> {
        let comparison = before
            .zip(audited.first())
            .map(|(before, now)| AuditComparison::of(before, &now.report));
        let format = if self.json { Format::Json } else { self.format };
        print(&self.rendered(format, audited, comparison.as_ref())?)?;
        for (format, file) in &self.write {
            let text = self.rendered(*format, audited, comparison.as_ref())?;
            std::fs::write(file, text).with_context(|| format!("writing {}", file.display()))?;
        }
        let is_below = audited.iter().any(|page| page.is_below(self.fail_under));
        let is_worse = comparison.is_some_and(|comparison| comparison.worse);
        Ok(judged(!is_below && !is_worse))
    }

    fn rendered(
        &self,
        format: Format,
        audited: &[Audited],
        comparison: Option<&AuditComparison>,
    ) -> anyhow::Result<String> {
        let is_folder = self.files().is_some_and(Path::is_dir);
        Ok(match (format, audited) {
            (Format::Sarif, _) => serde_json::to_string_pretty(&gate::sarif(audited))? + "\n",
            (Format::Junit, _) => gate::junit(audited, self.fail_under),
            (Format::Markdown, _) => gate::markdown(audited),
            (Format::Json, [page]) if !is_folder => {
                let mut report = serde_json::to_value(&page.report)?;
                if let (Some(report), Some(comparison)) = (report.as_object_mut(), comparison) {
                    report.insert("sinceBaseline".to_owned(), serde_json::to_value(comparison)?);
                }
                serde_json::to_string_pretty(&report)? + "\n"
            }
            (Format::Json, pages) => serde_json::to_string_pretty(&files::document(pages))? + "\n",
            (Format::Text, [page]) if !is_folder => {
                let text = render::report(
                    &page.report,
                    render::Options {
                        paint: Paint::for_terminal(std::io::stdout().is_terminal()),
                        width: width(),
                        all: self.all,
                        drafts: self.drafts,
                    },
                );
                let since = comparison.map(|comparison| comparison_text(comparison, "\nSince the baseline"));
                text + &since.unwrap_or_default()
            }
            (Format::Text, pages) => files::text(pages),
        })
    }
}

/// Audits a file; `-` is standard input.
fn audit_file(file: &Path, url: Option<url::Url>) -> anyhow::Result<AuditReport> {
    let (html, truncated) = read(file)?;
    let mut page = Page::from_html(html, url, jiff::Timestamp::now());
    page.truncated = truncated;
    Ok(ibid_audit::audit(&page))
}

/// Whether an argument that is no file can only mean one: its name ends like a page's, or no host comes first.
fn names_a_file(address: &str) -> bool {
    let host = address.split(['/', '\\']).next().unwrap_or("");
    !address.contains("://")
        && !address.is_empty()
        && (files::is_html(Path::new(address))
            || matches!(host, "." | "..")
            || !host.contains(['.', ':', '@']))
}

/// Adds `https://` to a bare host such as `example.com`. A text with a colon is used as written.
fn with_scheme(address: &str) -> String {
    let bare = !address.is_empty() && !address.contains([':', '/', '\\', '@']);
    if bare {
        format!("https://{address}/")
    } else {
        address.to_owned()
    }
}

fn read(file: &Path) -> anyhow::Result<(Vec<u8>, bool)> {
    let mut html = Vec::new();
    crate::document::open(file)?
        .take(MAX_FILE + 1)
        .read_to_end(&mut html)
        .with_context(|| format!("reading {}", file.display()))?;
    let truncated = html.len() as u64 > MAX_FILE;
    html.truncate(usize::try_from(MAX_FILE)?);
    Ok((html, truncated))
}

fn fetch(args: &Args, address: &str) -> anyhow::Result<Result<AuditReport, FetchError>> {
    let config = fetch_config(&args.allow)?;
    Ok(runtime()?.block_on(async {
        let auditor = Auditor::new(config)?;
        let now = jiff::Timestamp::now();
        if args.bots {
            auditor.audit_with_bots(address, now).await
        } else {
            auditor.audit(address, now).await
        }
    }))
}

/// Returns how to fetch. Loopback addresses in `allow` may be fetched.
pub(crate) fn fetch_config(allow: &[String]) -> anyhow::Result<FetchConfig> {
    // A command line has no listener, so it counts as bound to loopback.
    let allow_list =
        AllowList::for_tests(&allow.join(","), IpAddr::V4(Ipv4Addr::LOCALHOST)).context("reading --allow")?;
    Ok(FetchConfig {
        allow_list,
        ..FetchConfig::default()
    })
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
}

/// Prints why a page was not fetched, and returns the exit code.
#[expect(clippy::print_stderr, reason = "a command line prints")]
pub(crate) fn refuse(address: &str, error: &FetchError, as_json: bool) -> anyhow::Result<ExitCode> {
    if as_json {
        let url = ibid_audit::quote_to(address, 2_048);
        let error = json!({"error": {"code": error.code(), "message": error.to_string(), "url": url}});
        print(&format!("{error}\n"))?;
    } else {
        eprintln!("ibid: {}: {error}", error.code());
    }
    Ok(ExitCode::from(if error.is_refusal() { 4 } else { 5 }))
}

/// Returns the width of the terminal, or eighty columns where it is unknown; at most a hundred.
fn width() -> usize {
    std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .unwrap_or(88_usize)
        .clamp(60, 100)
}
