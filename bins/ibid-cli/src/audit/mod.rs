//! `ibid audit`: audits one page, fetched or from a file, and prints a report.
//!
//! Exit codes: 0 audited, 1 failed, 3 below `--fail-under` or worse than `--baseline`, 4 the address is refused,
//! 5 the page could not be fetched.

mod gate;
mod paint;
mod render;
mod whole_site;

pub(crate) use gate::comparison_text;

use crate::output::{REJECTED, print, print_json};
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
    /// Address of the page
    #[arg(value_name = "URL")]
    address: Option<String>,
    /// Audit this file instead of fetching; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Address under which the file is or will be published
    #[arg(long, value_name = "URL", requires = "html")]
    url: Option<url::Url>,
    /// Also ask for the page as GPTBot, OAI-SearchBot, ChatGPT-User, PerplexityBot, ClaudeBot, Googlebot and a browser
    #[arg(long, conflicts_with = "html")]
    bots: bool,
    /// Audit a sample of the pages that the sitemap of the site lists, starting with this one
    #[arg(long, conflicts_with_all = ["html", "bots", "all", "drafts", "format", "baseline"])]
    site: bool,
    /// Pages of the sample
    #[arg(long, value_name = "N", requires = "site", default_value_t = SiteLimits::USUAL_PAGES,
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
    /// End with exit code 3 if the score is below this; with --site, if that of any page is
    #[arg(long, value_name = "SCORE", value_parser = clap::value_parser!(u8).range(0..=100))]
    fail_under: Option<u8>,
    /// Compare with this report, printed by --json before; end with exit code 3 if the page is worse
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
}

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A report for people
    Text,
    /// SARIF 2.1.0, one result a finding
    Sarif,
    /// JUnit XML, one case a check
    Junit,
    /// A summary and a table
    Markdown,
}

/// Maximum size of a file in bytes, the same as for a fetched page.
const MAX_FILE: u64 = 5 << 20;

/// Audits and prints.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // A baseline that cannot be read ends the program before the fetch.
    let before = args.baseline.as_deref().map(gate::baseline).transpose()?;
    let report = match (&args.address, &args.html) {
        (Some(address), _) if args.site => return whole_site::run(args, &with_scheme(address)),
        (Some(address), _) => {
            let address = with_scheme(address);
            match fetch(&address, args.bots)? {
                Ok(report) => report,
                Err(error) => return refuse(&address, &error, args.json),
            }
        }
        (None, Some(file)) => {
            let (html, truncated) = read(file)?;
            let mut page = Page::from_html(html, args.url.clone(), jiff::Timestamp::now());
            page.truncated = truncated;
            ibid_audit::audit(&page)
        }
        (None, None) => anyhow::bail!("neither an address nor a file was given"),
    };
    let comparison = before.map(|before| AuditComparison::of(&before, &report));
    if args.json {
        let mut report = serde_json::to_value(&report)?;
        if let (Some(report), Some(comparison)) = (report.as_object_mut(), &comparison) {
            report.insert("sinceBaseline".to_owned(), serde_json::to_value(comparison)?);
        }
        print_json(&report)?;
    } else if args.format != Format::Text {
        print(&gate::render(&report, args.format)?)?;
    } else {
        let text = render::report(
            &report,
            render::Options {
                paint: Paint::for_terminal(std::io::stdout().is_terminal()),
                width: width(),
                all: args.all,
                drafts: args.drafts,
            },
        );
        print(&text)?;
        if let Some(comparison) = &comparison {
            print(&comparison_text(comparison, "\nSince the baseline"))?;
        }
    }
    let is_below = args.fail_under.is_some_and(|least| report.score < least);
    let is_worse = comparison.is_some_and(|comparison| comparison.worse);
    Ok(if is_below || is_worse {
        ExitCode::from(REJECTED)
    } else {
        ExitCode::SUCCESS
    })
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
    let limit = MAX_FILE + 1;
    if file == Path::new("-") {
        std::io::stdin()
            .lock()
            .take(limit)
            .read_to_end(&mut html)
            .context("reading standard input")?;
    } else {
        std::fs::File::open(file)
            .and_then(|open| open.take(limit).read_to_end(&mut html))
            .with_context(|| format!("reading {}", file.display()))?;
    }
    let truncated = html.len() as u64 > MAX_FILE;
    html.truncate(usize::try_from(MAX_FILE)?);
    Ok((html, truncated))
}

fn fetch(address: &str, bots: bool) -> anyhow::Result<Result<AuditReport, FetchError>> {
    let config = config()?;
    Ok(runtime()?.block_on(async {
        let auditor = Auditor::new(config)?;
        let now = jiff::Timestamp::now();
        if bots {
            auditor.audit_with_bots(address, now).await
        } else {
            auditor.audit(address, now).await
        }
    }))
}

fn config() -> anyhow::Result<FetchConfig> {
    let mut config = FetchConfig::default();
    // A command line has no listener, so it counts as bound to loopback.
    if let Ok(list) = std::env::var("AUDIT_TEST_ALLOW") {
        config.allow_list = AllowList::for_tests(&list, IpAddr::V4(Ipv4Addr::LOCALHOST))
            .context("reading AUDIT_TEST_ALLOW")?;
    }
    Ok(config)
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
}

#[expect(clippy::print_stderr, reason = "a command line prints")]
fn refuse(address: &str, error: &FetchError, as_json: bool) -> anyhow::Result<ExitCode> {
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
