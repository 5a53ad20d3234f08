//! `ibid audit --site`: a sample of a site, with its findings by template.

use super::paint::{Paint, Tone, pad, tone, wrap};
use super::{Args, fetch_config, refuse, runtime, width};
use crate::output::{judged, show};
use ibid_audit::{Auditor, SiteLimits, SiteProgress};
use ibid_audit::{columns, quote_to};
use ibid_model::result::{CheckStatus, GateId, SiteAudit, SiteFinding, SiteLimit, SitePage, SiteTemplate};
use ibid_web::grouped;
use std::fmt::Write;
use std::io::IsTerminal;
use std::process::ExitCode;

/// Findings of a template that are printed.
const MOST_FINDINGS: usize = 8;
/// Pages that are printed.
const MOST_PAGES: usize = 20;

/// Audits the sample and prints its report.
pub(super) fn run(args: &Args, address: &str) -> anyhow::Result<ExitCode> {
    let limits = SiteLimits::of_pages(args.pages);
    announce(limits);
    let config = fetch_config(&args.allow)?;
    let audited = runtime()?.block_on(async {
        let auditor = Auditor::new(config)?;
        auditor
            .site(address, limits, jiff::Timestamp::now(), show_progress)
            .await
    });
    let audit = match audited {
        Ok(audit) => audit,
        Err(error) => return refuse(address, &error, args.json),
    };
    let paint = Paint::for_terminal(std::io::stdout().is_terminal());
    show(args.json, &audit, || report(&audit, paint, width()))?;
    // The site keeps these out of search on purpose; the page that was asked for is another matter.
    let is_aside = |page: &SitePage| page.gates.contains(&GateId::Noindex) && page.url != audit.url;
    let is_below = |least: u8| {
        audit
            .pages
            .iter()
            .any(|page| page.score < least && !is_aside(page))
    };
    Ok(judged(!args.fail_under.is_some_and(is_below)))
}

/// Prints the bounds before the first request.
#[expect(clippy::print_stderr, reason = "a command line prints")]
fn announce(limits: SiteLimits) {
    eprintln!(
        "At most {} pages, {} requests, {} MiB and {} minutes; one request at a time.",
        limits.pages,
        limits.requests,
        limits.bytes >> 20,
        limits.time.as_secs() / 60
    );
}

#[expect(clippy::print_stderr, reason = "a command line prints")]
fn show_progress(progress: SiteProgress) {
    if std::io::stderr().is_terminal() {
        let end = if progress.done == progress.total { "\n" } else { "" };
        eprint!("\r{} of {} pages{end}", progress.done, progress.total);
    }
}

fn report(audit: &SiteAudit, paint: Paint, width: usize) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", paint.text(Tone::Strong, &quote_to(&audit.url, width)));
    let _ = writeln!(out, "{}", paint.text(Tone::Faint, &effort(audit)));
    if let Some(score) = audit.score {
        let _ = writeln!(
            out,
            "\nMean score {}  {}",
            paint.text(tone(score), &score.to_string()),
            paint.bar(score, 30)
        );
    }
    for template in &audit.templates {
        add_template(&mut out, template, paint, width);
    }
    let _ = writeln!(out, "\n{}", paint.text(Tone::Strong, "Pages, the worst first"));
    for page in audit.pages.iter().take(MOST_PAGES) {
        let score = paint.text(tone(page.score), &format!("{:>3}", page.score));
        let fixes = page.top_fixes.join(" ");
        let address = quote_to(&page.url, width.saturating_sub(30));
        let _ = writeln!(
            out,
            "  {score}  {}  {}  {}",
            pad(&page.template, 3),
            pad(&fixes, 14),
            address
        );
    }
    add_rest(&mut out, audit.pages.len().saturating_sub(MOST_PAGES));
    if !audit.failures.is_empty() {
        let _ = writeln!(out, "\n{}", paint.text(Tone::Strong, "Not audited"));
        for failure in &audit.failures {
            add_paragraph(
                &mut out,
                "  ",
                &format!("{}: {}", failure.url, failure.reason),
                width,
            );
        }
    }
    let _ = writeln!(out);
    add_paragraph(&mut out, "", &audit.caveat, width);
    out
}

fn effort(audit: &SiteAudit) -> String {
    let effort = &audit.effort;
    let source = match &audit.sitemap {
        Some(sitemap) => format!("{} pages listed in {sitemap}", grouped(u64::from(audit.listed))),
        None => "no sitemap: links of the first page".to_owned(),
    };
    let ended = match effort.ended_by {
        Some(SiteLimit::Requests) => ", ended by the limit of requests",
        Some(SiteLimit::Bytes) => ", ended by the limit of bytes",
        Some(SiteLimit::Time) => ", ended by the limit of time",
        None => "",
    };
    format!(
        "{} of at most {} pages · {source} · {} requests, {} KB, {} s{ended}",
        audit.pages.len(),
        effort.most_pages,
        effort.requests,
        grouped(effort.bytes / 1_000),
        effort.seconds
    )
}

fn add_template(out: &mut String, template: &SiteTemplate, paint: Paint, width: usize) {
    let pages = if template.pages == 1 { "page" } else { "pages" };
    let title = format!("{} {}", template.id, template.label);
    let note = format!("{} {pages}, mean {}", template.pages, template.score);
    let room = width.saturating_sub(columns(&title) + columns(&note)).max(2);
    let _ = writeln!(
        out,
        "\n{}{}{}",
        paint.text(Tone::Strong, &title),
        " ".repeat(room),
        paint.text(tone(template.score), &note)
    );
    for finding in template.findings.iter().take(MOST_FINDINGS) {
        let _ = writeln!(out, "{}", line(finding, template, paint));
    }
    add_rest(out, template.findings.len().saturating_sub(MOST_FINDINGS));
    if let Some(first) = template.findings.first() {
        add_paragraph(
            out,
            "    ",
            &format!("{}: {} ({})", first.check, first.found, first.example),
            width,
        );
        if let Some(advice) = &first.advice {
            add_paragraph(out, "    → ", advice, width);
        }
    }
}

fn line(finding: &SiteFinding, template: &SiteTemplate, paint: Paint) -> String {
    let (mark, tone) = match finding.status {
        CheckStatus::Fail => ("✖", Tone::Bad),
        CheckStatus::Unknown => ("?", Tone::Middling),
        CheckStatus::Warn | CheckStatus::Pass | CheckStatus::Na | CheckStatus::Info => ("~", Tone::Middling),
    };
    let contested = if finding.contested { ", contested" } else { "" };
    let count = format!("{}/{}", finding.pages, template.pages);
    format!(
        "  {} {} {} {:>5}  up to +{:.1}{contested}",
        paint.text(tone, mark),
        pad(&finding.check, 2),
        pad(&finding.title, 36),
        count,
        finding.gain
    )
}

fn add_rest(out: &mut String, count: usize) {
    if count > 0 {
        let _ = writeln!(out, "  and {count} more; --json lists them");
    }
}

fn add_paragraph(out: &mut String, start: &str, text: &str, width: usize) {
    let indent = columns(start);
    for (at, line) in wrap(text, width.saturating_sub(indent)).iter().enumerate() {
        let start = if at == 0 {
            start.to_owned()
        } else {
            " ".repeat(indent)
        };
        let _ = writeln!(out, "{start}{line}");
    }
}
