//! `ibid look`: a first look at a website without a key. The only network traffic is the fetch of its page.
//!
//! Exit codes: 0 looked, 1 failed, 2 bad usage, 4 the address is refused, 5 the page could not be fetched.

use crate::cli_options::{self, given};
use crate::output::{misused, show};
use crate::questions::{in_memory, with_service};
use anyhow::Context;
use clap::Args as ClapArgs;
use comfy_table::{CellAlignment, Table, presets};
use ibid_audit::Auditor;
use ibid_provider::Sandbox;
use ibid_service::{Error, Known, Look, LookOffer, Looker, Pages};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Look at a website for the first time: its page, the questions of its buyers, the costs. No key, no model
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// The website
    domain: String,
    /// Product or service that people ask for; by default guessed from the page
    #[arg(long)]
    keyword: Option<String>,
    /// City and country; by default guessed from the page
    #[arg(long)]
    location: Option<String>,
    /// Language of the questions as a BCP 47 tag; by default guessed from page and place
    #[arg(long)]
    language: Option<String>,
    /// Page to read in place of the home page
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Read this file instead of fetching a page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Loopback address of a preview that may be fetched, such as 127.0.0.1:3000; may be repeated
    #[arg(long, value_name = "HOST:PORT")]
    allow: Vec<String>,
    /// TOML file with a custom alias table
    #[arg(long, env = "MODELS_FILE")]
    models_file: Option<PathBuf>,
    /// Write the questions to this file, one a line, for `ibid scan --questions FILE`
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Options for members that no order has.
const NAMES: [(&str, &str); 3] = [("url", "--url"), ("html", "--html"), ("keyword", "--keyword")];

/// Looks and prints.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut settings = in_memory(Arc::new(Sandbox::new(1)))?;
    settings.catalog = crate::models::catalog(args.models_file.as_deref())?;
    let auditor = Auditor::new(crate::audit::fetch_config(&args.allow)?)?;
    settings.pages = Some(Pages::Web(auditor));
    let body = args.body()?;
    let looked = with_service(settings, async |service| {
        let order = service.scans.look_order(&body)?;
        service.scans.look(order, Looker::Local).await
    })?;
    let look = match looked {
        Ok(look) => look,
        Err(Error::Page(error)) => {
            let address = args.url.clone().unwrap_or_else(|| args.domain.clone());
            return crate::audit::refuse(&address, &error, args.json);
        }
        Err(Error::Invalid(faults)) => {
            return Ok(misused(cli_options::of_faults(&faults, &NAMES)));
        }
        Err(error) => return Err(error.into()),
    };
    if let Some(file) = &args.save {
        std::fs::write(file, look.questions.join("\n") + "\n")
            .with_context(|| format!("writing {}", file.display()))?;
    }
    show(args.json, &look.document(), || text(&look, args.save.as_deref()))
}

impl Args {
    fn body(&self) -> anyhow::Result<Map<String, Value>> {
        let html = self.html.as_deref().map(crate::document::read).transpose()?;
        let html = html.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(given([
            ("domain", json!(self.domain)),
            ("keyword", json!(self.keyword)),
            ("location", json!(self.location)),
            ("language", json!(self.language)),
            ("url", json!(self.url)),
            ("html", json!(html)),
        ]))
    }
}

fn text(look: &Look, saved: Option<&Path>) -> String {
    let audit = &look.audit;
    let mut out = format!(
        "{}\n\nThe page: {} of 100, {}\n",
        look.domain,
        audit.score,
        audit.band.label()
    );
    for check in look.findings() {
        let _ = writeln!(
            out,
            "  {} {}: {}",
            check.id,
            check.title,
            ibid_audit::quote_to(&check.found, 120)
        );
    }
    out.push('\n');
    let unknown = Known {
        text: "no place".to_owned(),
        guessed: true,
    };
    let place = look.place.as_ref().unwrap_or(&unknown);
    for (label, known, option) in [
        ("Sells", &look.keyword, "--keyword"),
        ("Where", place, "--location"),
        ("Language", &look.language, "--language"),
    ] {
        let guess = if known.guessed {
            format!("  (a guess; {option} corrects it)")
        } else {
            String::new()
        };
        let _ = writeln!(out, "{label:<9} {}{guess}", known.text);
    }
    out.push_str("\nQuestions that buyers would ask\n");
    for (number, question) in look.questions.iter().enumerate() {
        let _ = writeln!(out, "  {:>2}  {question}", number + 1);
    }
    out.push_str("\nWhat the questions cost, and what their answers show\n");
    for line in table(&look.offers).lines() {
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push_str("\nTo start\n");
    for line in start(look, saved) {
        let _ = writeln!(out, "  {line}");
    }
    out
}

fn table(offers: &[LookOffer]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "Model",
        "A scan",
        "Weekly, a month",
        "One scan is within",
        "Weekly scans see",
    ]);
    for offer in offers {
        let forecast = &offer.forecast;
        let sees = match forecast.sees {
            Some((points, runs)) => format!("a drop of {points} points in {runs} weeks"),
            None => "too few answers".to_owned(),
        };
        table.add_row([
            offer.name.clone(),
            format!("${:.2}", forecast.run_cost.dollars()),
            format!("${:.2}", forecast.month_cost().dollars()),
            format!("±{:.0} points", forecast.run_points),
            sees,
        ]);
    }
    for column in 1..3 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// The commands that go on from here.
fn start(look: &Look, saved: Option<&Path>) -> Vec<String> {
    let keyword = quoted(&look.keyword.text);
    let place = look.place.as_ref().map_or_else(String::new, |place| {
        format!(" --location {}", quoted(&place.text))
    });
    let file = saved.map_or_else(
        || "questions.txt".to_owned(),
        |file| quoted(&file.display().to_string()),
    );
    let mut lines = Vec::new();
    if saved.is_none() {
        lines.push(format!(
            "ibid look {} --keyword {keyword}{place} --save {file}",
            look.domain
        ));
    }
    let scan = format!(
        "ibid scan {} {keyword}{place} --rings none --questions {file}",
        look.domain
    );
    lines.push(format!("{scan} --sandbox   # invented answers, free"));
    lines.push(format!("ROUTER_API_KEY=your-key {scan}"));
    lines
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn texts_are_words_of_a_shell() {
        for (text, expected) in [
            ("plumber", "plumber"),
            ("dog groomer", "'dog groomer'"),
            ("men's $shirts", r"'men'\''s $shirts'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(text), expected);
        }
    }
}
