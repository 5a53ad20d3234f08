//! `ibid project import` and `ibid project captures`: files of any size are read on this machine, and their answers are sent in pieces.
//!
//! A piece that came is not sent again, so the same command goes on where it stopped.

use crate::document;
use crate::output::{print, print_json};
use crate::project::{self, Terms, call, rows, send, show, word};
use anyhow::{Context, bail};
use clap::Args as ClapArgs;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use ibid_first_party::Error;
use ibid_first_party::move_in::{MoveIn, MoveInOptions, PastAnswer, each_answer};
use ibid_model::Domain;
use jiff::Zoned;
use reqwest::Method;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tokio::runtime::Runtime;

/// Lines and names that a report lists.
const LISTED: usize = 10;
/// Answers of a piece.
const ANSWERS: usize = 10_000;
/// Bytes of a piece before it is packed: a server takes 16 MiB, also of text that does not become smaller.
const BYTES: usize = 15 << 20;
/// Competitors of a project.
const RIVALS: usize = 200;

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

/// An export that was understood.
struct Export {
    source: Box<dyn Source>,
    name: String,
    stratum: &'static str,
    tool: Option<String>,
    found: MoveIn,
}

/// Imports an archive or an export.
pub(crate) fn run(args: &Args, all: &project::Args) -> anyhow::Result<ExitCode> {
    let mut source = open(&args.file)?;
    if is_archive(&mut source)? {
        if args.dry_run {
            bail!("the file is an archive of ibid; --dry-run is for exports of other trackers");
        }
        return from_archive(&mut source, all);
    }
    let mut export = Export::read(source, &args.file, "tracker", args.tool.clone())?;
    if args.dry_run {
        return export.print(all.json);
    }
    // What the command misses is named before the key.
    let project = match &args.into {
        Some(_) => Map::new(),
        None => export.project(args)?,
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
    export.send(&runtime, server, (&into, begun), all.json)
}

/// Imports captures.
pub(crate) fn captures(args: &CaptureArgs, all: &project::Args) -> anyhow::Result<ExitCode> {
    let source = open(&args.file)?;
    let mut export = Export::read(source, &args.file, "interface", Some("captures".to_owned()))?;
    if args.dry_run {
        return export.print(all.json);
    }
    let (runtime, key) = (runtime()?, project::key()?);
    let server = (&all.server, key.as_str());
    let path = format!("/api/v2/projects/{}/imports", args.id);
    let begun = call(server, (Method::POST, &path), Some(json!(export.import()?)));
    let begun = runtime.block_on(begun)?;
    export.send(&runtime, server, (&args.id, begun), all.json)
}

fn runtime() -> std::io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
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
    match all.json {
        true => print_json(&answer)?,
        false => print(&show(&answer))?,
    }
    Ok(ExitCode::SUCCESS)
}

impl Export {
    fn read(
        mut source: Box<dyn Source>,
        path: &Path,
        stratum: &'static str,
        tool: Option<String>,
    ) -> anyhow::Result<Self> {
        let found = MoveIn::read(&mut source, &options(tool.as_deref()))
            .with_context(|| path.display().to_string())?;
        let name = path.file_name().map_or_else(
            || "standard input".to_owned(),
            |name| name.to_string_lossy().chars().take(120).collect(),
        );
        Ok(Self {
            source,
            name,
            stratum,
            tool,
            found,
        })
    }

    fn print(&self, json: bool) -> anyhow::Result<ExitCode> {
        match json {
            true => print_json(&self.found)?,
            false => print(&report(&self.found))?,
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The members of the new project.
    fn project(&self, args: &Args) -> anyhow::Result<Map<String, Value>> {
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
        let mut questions = self.found.questions.clone();
        if let Some((place, language)) = self.found.market()
            && args.terms.has_no_place()
        {
            for question in &mut questions {
                (question.place, question.language) = (None, None);
            }
            project.insert("location".to_owned(), json!(place));
            project.insert("language".to_owned(), json!(language));
        }
        if !questions.is_empty() && !project.contains_key("questions") {
            project.insert("questions".to_owned(), json!(questions));
        }
        Ok(project)
    }

    /// The competitors of the new project.
    fn rivals(&self) -> Vec<Value> {
        let fits = |name: &str| name.chars().count() <= 120 && !name.chars().any(char::is_control);
        let rivals = self
            .found
            .rivals
            .iter()
            .filter(|(name, _)| fits(name))
            .take(RIVALS);
        let rivals = rivals.map(|(name, domains)| {
            let mut domains: Vec<String> = domains
                .iter()
                .filter(|domain| domain.parse::<Domain>().is_ok())
                .cloned()
                .collect();
            domains.truncate(20);
            json!({"name": name, "state": "pinned", "domains": domains})
        });
        rivals.collect()
    }

    /// What begins the import, with the number of pieces.
    fn import(&mut self) -> anyhow::Result<Value> {
        let mut parts = 0;
        self.pieces(&mut |_, _| {
            parts += 1;
            Ok(())
        })?;
        let mut hash = Sha256::new();
        self.source.seek(SeekFrom::Start(0))?;
        let mut chunk = vec![0; 1 << 16];
        loop {
            match self.source.read(&mut chunk)? {
                0 => break,
                count => hash.update(chunk.get(..count).unwrap_or_default()),
            }
        }
        hash.update(self.tool.as_deref().unwrap_or_default());
        let sha256 = hash.finalize().iter().fold(String::new(), |mut text, byte| {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        });
        let found = &self.found;
        let unread: Vec<String> = found
            .unread
            .iter()
            .take(200)
            .map(|name| name.chars().take(200).collect())
            .collect();
        Ok(json!({
            "stratum": self.stratum,
            "tool": found.tool,
            "name": self.name,
            "sha256": sha256,
            "parts": parts,
            "read": found.read,
            "refused": found.refused.counts,
            "refusedLines": found.refused.first,
            "unread": unread,
        }))
    }

    /// Calls `each` with every piece, from number 1, as JSON lines.
    fn pieces(&mut self, each: &mut dyn FnMut(u32, &[u8]) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let (mut number, mut count, mut piece) = (1, 0, Vec::new());
        let mut take = |answer: PastAnswer| -> Result<(), Failed> {
            let line = serde_json::to_vec(&answer).map_err(anyhow::Error::from)?;
            if count == ANSWERS || piece.len() + line.len() >= BYTES {
                each(number, &piece)?;
                (number, count) = (number + 1, 0);
                piece.clear();
            }
            count += 1;
            piece.extend(line);
            piece.push(b'\n');
            Ok(())
        };
        let options = options(self.tool.as_deref());
        each_answer(&mut self.source, &options, &self.found, &mut take).map_err(|Failed(error)| error)?;
        match piece.is_empty() {
            true => Ok(()),
            false => each(number, &piece),
        }
    }

    /// Sends the pieces that the server misses, and reports.
    #[expect(clippy::print_stderr, reason = "a command line reports there")]
    fn send(
        mut self,
        runtime: &Runtime,
        server: (&url::Url, &str),
        (project, begun): (&str, Value),
        json: bool,
    ) -> anyhow::Result<ExitCode> {
        let missing = rows(&begun, "missing").iter().filter_map(Value::as_u64);
        let missing: Vec<u64> = missing.collect();
        let parts = begun["parts"].as_u64().unwrap_or_default();
        let path = format!("/api/v2/projects/{project}/imports/{}", word(&begun, "importId"));
        let mut import = begun;
        self.pieces(&mut |number, piece| {
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
        })?;
        let path = format!("/api/v2/projects/{project}");
        let view = runtime.block_on(call(server, (Method::GET, &path), None))?;
        if json {
            print_json(&json!({"project": view, "import": import}))?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut text = show(&view);
        if self.stratum == "tracker" {
            text.push_str(&report(&self.found));
        }
        let _ = writeln!(
            text,
            "Imported {} answers of {} days, {}.",
            import["answers"],
            rows(&import, "days").len(),
            if word(&import, "state") == "complete" {
                "all that the file has"
            } else {
                "not all of them yet"
            }
        );
        if self.found.rivals.len() > RIVALS {
            let _ = writeln!(text, "Competitors: {RIVALS} of {}.", self.found.rivals.len());
        }
        print(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// A failure while answers are read.
struct Failed(anyhow::Error);

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self(error.into())
    }
}

impl From<anyhow::Error> for Failed {
    fn from(error: anyhow::Error) -> Self {
        Self(error)
    }
}

/// No answer is from tomorrow.
fn options(tool: Option<&str>) -> MoveInOptions<'_> {
    MoveInOptions {
        tool,
        until: Some(Zoned::now().date()),
        most_bytes: None,
    }
}

fn report(found: &MoveIn) -> String {
    let mut text = format!(
        "{}: {} rows, {} questions, {} rivals, {} past answers\n",
        found.tool,
        found.read,
        found.questions.len(),
        found.rivals.len(),
        found.answers
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
