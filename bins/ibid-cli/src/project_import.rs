//! `ibid project import` and `ibid project captures`: files of any size are read on this machine, and their answers are sent in pieces.
//!
//! A piece that came is not sent again, so the same command goes on where it stopped.

use crate::document;
use crate::output::{self, print, print_json};
use crate::project::{self, Terms, call, rows, send, show, word};
use crate::router::runtime;
use anyhow::{Context, bail};
use clap::Args as ClapArgs;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use ibid_first_party::move_in::MoveIn;
use ibid_first_party::move_in_pieces::{Export, ExportTerms};
use ibid_first_party::{Bounds, Error};
use jiff::Zoned;
use reqwest::Method;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tokio::runtime::Runtime;

/// Lines and names that a report lists.
const LISTED: usize = 10;

/// Make a project from an archive of `ibid project export`, or from the export of another tracker
///
/// Other trackers: Peec, Otterly, Profound, Elmo, Ansvisor, LLM Pulse, and any CSV or JSON with a column `question` or `prompt`. The
/// file is read on this machine; its questions, tags and competitors become a paused project, and its answers a history of their own.
/// The same command again goes on where it stopped.
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// An archive, or CSV, JSON or JSON lines of another tracker, also as .gz or .zip; `-` reads standard input
    file: PathBuf,
    /// Report what was understood of the export of another tracker, and store nothing
    #[arg(long)]
    dry_run: bool,
    /// Website of the new project
    #[arg(long)]
    domain: Option<String>,
    /// Product or service that people ask for
    #[arg(long)]
    keyword: Option<String>,
    /// Name of the new project; by default its website
    #[arg(long)]
    name: Option<String>,
    /// Add the answers to this project, and make none
    #[arg(long, value_name = "ID", conflicts_with_all = ["domain", "keyword", "name"])]
    into: Option<String>,
    /// The tracker, where columns fit several
    #[arg(long)]
    tool: Option<String>,
    #[command(flatten)]
    terms: Terms,
}

/// Add answers that were captured from interfaces that people use: ChatGPT, AI Overviews, Copilot
///
/// Columns or members: day, interface, question, answer, and if known citedUrls, place, language, capturedBy. They have a level of
/// their own beside the answers that ibid asks for over the API.
#[derive(ClapArgs)]
pub(crate) struct CaptureArgs {
    /// The project id
    id: String,
    /// CSV, JSON or JSON lines; `-` reads standard input
    file: PathBuf,
    /// Report what was understood, and store nothing
    #[arg(long)]
    dry_run: bool,
}

/// A file, or standard input.
trait Source: Read + Seek {}
impl<T: Read + Seek> Source for T {}

/// Imports an archive or an export.
pub(crate) fn run(args: &Args, all: &project::Args) -> anyhow::Result<ExitCode> {
    let mut source = open(&args.file)?;
    if is_archive(&mut source)? {
        if args.dry_run {
            bail!("the file is an archive of ibid; --dry-run is for exports of other trackers");
        }
        return from_archive(&mut source, all);
    }
    let mut export = read(
        source,
        &args.file,
        terms("tracker", args.tool.clone(), args.domain.as_deref()),
    )?;
    if args.dry_run {
        return print_found(export.found(), all.json);
    }
    // What the command misses is named before the key.
    let project = match &args.into {
        Some(_) => Map::new(),
        None => project_of(&export, args)?,
    };
    let (runtime, key) = (runtime()?, project::key()?);
    let server = (&all.server, key.as_str());
    let (into, begun) = match &args.into {
        Some(id) => {
            let path = format!("/api/v2/projects/{id}/imports");
            let import = json!(export.import()?);
            (
                id.clone(),
                runtime.block_on(call(server, (Method::POST, &path), Some(import)))?,
            )
        }
        None => {
            let body = json!({
                "project": project,
                "rivals": export.rivals(),
                "import": export.import()?,
            });
            let path = "/api/v2/projects/imports";
            let moved = runtime.block_on(call(server, (Method::POST, path), Some(body)))?;
            let id = word(&moved["project"], "projectId").to_owned();
            (id, moved["import"].clone())
        }
    };
    send_pieces(export, &runtime, server, &into, begun, all.json)
}

/// Imports captures.
pub(crate) fn captures(args: &CaptureArgs, all: &project::Args) -> anyhow::Result<ExitCode> {
    let source = open(&args.file)?;
    let mut export = read(
        source,
        &args.file,
        terms("interface", Some("captures".to_owned()), None),
    )?;
    if args.dry_run {
        return print_found(export.found(), all.json);
    }
    let (runtime, key) = (runtime()?, project::key()?);
    let server = (&all.server, key.as_str());
    let path = format!("/api/v2/projects/{}/imports", args.id);
    let begun = call(server, (Method::POST, &path), Some(json!(export.import()?)));
    let begun = runtime.block_on(begun)?;
    send_pieces(export, &runtime, server, &args.id, begun, all.json)
}

fn open(path: &Path) -> anyhow::Result<Box<dyn Source>> {
    match path.as_os_str() == "-" {
        true => Ok(Box::new(Cursor::new(document::read(path)?))),
        false => {
            let file = File::open(path).with_context(|| format!("reading {}", path.display()))?;
            Ok(Box::new(file))
        }
    }
}

/// Whether a file is an archive of a project: gzip that begins with its format.
fn is_archive(source: &mut Box<dyn Source>) -> anyhow::Result<bool> {
    let mut start = Vec::new();
    // What is no gzip begins with nothing.
    let _ = GzDecoder::new(&mut *source).take(30).read_to_end(&mut start);
    source.seek(SeekFrom::Start(0))?;
    Ok(start.starts_with(b"{\"ibidProjectArchive\""))
}

/// Makes a project from an archive.
fn from_archive(source: &mut Box<dyn Source>, all: &project::Args) -> anyhow::Result<ExitCode> {
    let mut archive = Vec::new();
    source.read_to_end(&mut archive)?;
    let key = project::key()?;
    let request = (Method::POST, "/api/v2/projects/archive".to_owned(), archive);
    let answer = runtime()?.block_on(send((&all.server, &key), request, "application/gzip"))?;
    let answer: Value = serde_json::from_slice(&answer)?;
    output::show(all.json, &answer, || show(&answer))
}

/// How an export is read. What is wrong with the website is reported by the server.
fn terms(stratum: &'static str, tool: Option<String>, domain: Option<&str>) -> ExportTerms {
    ExportTerms {
        stratum,
        tool,
        // No answer is from tomorrow.
        until: Zoned::now().date(),
        domain: domain.and_then(|domain| domain.parse().ok()),
        bounds: Bounds::default(),
    }
}

/// Reads an export.
fn read(source: Box<dyn Source>, path: &Path, terms: ExportTerms) -> anyhow::Result<Export<Box<dyn Source>>> {
    let name = path.file_name().map_or_else(
        || "standard input".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    );
    Export::read(source, &name, terms).with_context(|| path.display().to_string())
}

fn print_found(found: &MoveIn, json: bool) -> anyhow::Result<ExitCode> {
    output::show(json, found, || report(found))
}

/// Returns the members of a new project.
fn project_of(export: &Export<Box<dyn Source>>, args: &Args) -> anyhow::Result<Map<String, Value>> {
    let (Some(domain), Some(keyword)) = (&args.domain, &args.keyword) else {
        bail!(
            "name the website and what it sells with --domain and --keyword; the file does not tell. --dry-run shows what ibid understands \
             of it"
        );
    };
    let mut project = args.terms.body()?;
    let name = args.name.as_ref().unwrap_or(domain);
    for (member, text) in [("name", name), ("domain", domain), ("keyword", keyword)] {
        project.insert(member.to_owned(), json!(text));
    }
    export.complete(&mut project);
    Ok(project)
}

/// Sends the pieces that the server misses, and reports.
#[expect(clippy::print_stderr, reason = "a command line reports there")]
fn send_pieces(
    mut export: Export<Box<dyn Source>>,
    runtime: &Runtime,
    server: (&url::Url, &str),
    project: &str,
    begun: Value,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let missing = rows(&begun, "missing").iter().filter_map(Value::as_u64);
    let missing: Vec<u64> = missing.collect();
    let parts = begun["parts"].as_u64().unwrap_or_default();
    let path = format!("/api/v2/projects/{project}/imports/{}", word(&begun, "importId"));
    let is_history = begun["stratum"] == "tracker";
    let mut import = begun;
    let mut sent = |number: u32, piece: &[u8]| -> anyhow::Result<()> {
        if !missing.contains(&u64::from(number)) {
            return Ok(());
        }
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(piece)?;
        let part = format!("{path}/parts/{number}");
        let sent = send(server, (Method::PUT, part, packed.finish()?), "application/gzip");
        let answer = runtime.block_on(sent).with_context(|| {
            format!("sending piece {number} of {parts}; the same command again goes on here")
        })?;
        import = serde_json::from_slice(&answer)?;
        eprintln!("Piece {number} of {parts} is stored.");
        Ok(())
    };
    export
        .pieces(&mut |number, piece| sent(number, piece).map_err(Failed))
        .map_err(|Failed(error)| error)?;
    let path = format!("/api/v2/projects/{project}");
    let view = runtime.block_on(call(server, (Method::GET, &path), None))?;
    if json {
        print_json(&json!({"project": view, "import": import}))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = show(&view);
    if is_history {
        text.push_str(&report(export.found()));
    }
    let _ = writeln!(
        text,
        "Imported {} answers of {} days, {}.",
        import["answers"],
        rows(&import, "days").len(),
        match (word(&import, "state"), export.found().left_out()) {
            ("complete", 0) => "all that the file has".to_owned(),
            ("complete", left_out) => format!("and {left_out} rows or sources of the file could not be used"),
            _ => "not all of them yet".to_owned(),
        }
    );
    let (rivals, most) = (export.found().rivals.len(), Export::<Box<dyn Source>>::RIVALS);
    if rivals > most {
        let _ = writeln!(text, "Competitors: {most} of {rivals}.");
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// A failure while answers are read.
struct Failed(anyhow::Error);

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self(error.into())
    }
}

fn report(found: &MoveIn) -> String {
    let mut text = format!(
        "{}: {} rows, {} questions, {} rivals, {} past answers; {} rows and {} sources could not be used\n",
        found.tool,
        found.read,
        found.questions.len(),
        found.rivals.len(),
        found.answers,
        found.refused.total(),
        found.sources_left_out
    );
    let mut line = |title: &str, mut parts: Vec<String>, all: usize| {
        if parts.is_empty() {
            return;
        }
        if parts.len() < all {
            parts.push("…".to_owned());
        }
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {title}: {}", parts.join(", "));
    };
    let mut tags: BTreeMap<&str, usize> = BTreeMap::new();
    for tag in found.questions.iter().flat_map(|question| &question.tags) {
        *tags.entry(tag.as_str()).or_default() += 1;
    }
    let counted = |counts: &BTreeMap<&str, usize>| -> Vec<String> {
        counts
            .iter()
            .take(LISTED)
            .map(|(name, count)| format!("{name} {count}"))
            .collect()
    };
    line("Tags", counted(&tags), tags.len());
    let rivals = found.rivals.keys().take(LISTED).cloned().collect();
    line("Rivals", rivals, found.rivals.len());
    line("Own brand", found.own.iter().cloned().collect(), found.own.len());
    let brands: Vec<String> = found.brands.iter().take(LISTED).cloned().collect();
    let title = "Brands of which one may be yours; --domain makes the others rivals";
    line(title, brands, found.brands.len());
    let sources = found.sources.iter().take(LISTED);
    let sources = sources.map(|(name, count)| format!("{name} {count}"));
    line("Past answers by model", sources.collect(), found.sources.len());
    if let Some((from, to)) = found.days {
        line("Days", vec![format!("{from} to {to}")], 1);
    }
    for (reason, count) in &found.refused.counts {
        let lines = found
            .refused
            .first
            .iter()
            .filter(|line| line.reason == *reason)
            .take(LISTED);
        let lines: Vec<String> = lines.map(|line| line.line.to_string()).collect();
        let title = format!("Refused: {count} × {}, row", reason.words());
        line(&title, lines, usize::try_from(*count).unwrap_or(usize::MAX));
    }
    line(
        "Not read",
        found.unread.iter().take(LISTED).cloned().collect(),
        found.unread.len(),
    );
    text
}
