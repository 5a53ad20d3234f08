//! Prints the article of each page named on standard input, as one line of JSON each.
//!
//! An input line is `ADDRESS<tab>FILE`.
//! The address may be empty.
//! `tests/real_pages` scores the output.
#![expect(clippy::print_stdout, reason = "a program for the shell")]

use ibid_audit::{Page, article, audit};
use std::io::BufRead;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (address, file) = line.split_once('\t').ok_or("a line without a tab")?;
        let page = Page::from_html(std::fs::read(file)?, address.parse().ok(), jiff::Timestamp::now());
        let article = article(&page);
        let start = Instant::now();
        let report = audit(&page);
        let micros = start.elapsed().as_micros() as u64;
        let statuses: serde_json::Map<_, _> = report
            .checks
            .iter()
            .map(|check| (check.id.clone(), check.status.label().into()))
            .collect();
        let found: serde_json::Map<_, _> = report
            .checks
            .iter()
            .map(|check| (check.id.clone(), check.found.clone().into()))
            .collect();
        let json = serde_json::json!({
            "file": file,
            "text": article.text,
            "lead": article.lead,
            "author": article.author,
            "published": article.published.map(|date| date.to_string()),
            "modified": article.modified.map(|date| date.to_string()),
            "headings": article.headings,
            "sources": article.sources,
            "micros": micros,
            "words": report.page.words,
            "findings": found,
            "kind": report.page.kind,
            "score": report.score,
            "gates": report.gates,
            "moves": report.top_fixes.iter().filter_map(|id| {
                let check = report.checks.iter().find(|check| check.id == *id)?;
                Some(serde_json::json!([check.id, check.found, check.location, check.advice, check.fix]))
            }).collect::<Vec<_>>(),
            "checks": statuses,
        });
        println!("{json}");
    }
    Ok(())
}
