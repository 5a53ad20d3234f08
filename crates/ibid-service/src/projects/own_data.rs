//! What a website's own data say: exports and logs that people import into a project, and how they agree with its samples.
//!
//! A file is read once, whole, before the store changes. Kept are daily rows, never a line of a log or an address.

use super::conversions::{at, change};
use super::handle::Projects;
use crate::bounded_blocking::BoundedBlocking;
use crate::error::Error;
use crate::failure::chain;
use crate::job::CallerId;
use crate::limits::{Limits, Running};
use bytes::Bytes;
use ibid_engine::mentions::RunMentions;
use ibid_first_party::agreement::Comparison;
use ibid_first_party::bots::Ranges;
use ibid_first_party::{
    Bounds, FileReport, Format, Options, Reading, Row, RowSet, Samples, Source, Summary, TotalChange,
    page_key, question_table,
};
use ibid_model::{Domain, FaultCode, Faults, OwnFileId};
use ibid_store::{
    BotAddresses, NewOwnFile, OwnFileOutcome, OwnFileRecord, OwnFileRoom, PackedAnswers, ProjectReader,
    ProjectScope, Store, StoreError,
};
use jiff::civil::Date;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Most bytes of an uploaded file.
pub const MOST_OWN_DATA: usize = 50 << 20;
/// Most bytes that it unpacks to.
const MOST_UNPACKED: u64 = 500 << 20;
/// Most lines in a log or an export: in 500 MiB they have 50 bytes at least.
pub(super) const MOST_LINES: u64 = 10_000_000;
/// Room in a project. 200,000 rows are a year for 180 pages with three measures a day; a page counts them in under a second. Half
/// would be too few for a shop, twice takes 100 MB of memory a view.
pub(super) const ROOM: OwnFileRoom = OwnFileRoom {
    files: 300,
    rows: 200_000,
};
/// Files of a caller in an hour, refused ones among them, and at once.
const FILES: (u32, u32) = (120, 1);
/// Files of all callers that wait for the one that is read.
const WAITING: usize = 8;
/// Pages of projects that are counted at once, and that wait.
const VIEWS: (usize, usize) = (2, 32);
/// Faults of rows that are listed.
const MOST_FAULTS: usize = 20;
/// Longest name of a file, in characters.
const NAME_CHARS: usize = 200;
/// Runs whose answers are compared, as for competitors.
const RUNS: u32 = 40;
/// Rows of a list in documents.
const LISTED: usize = 1_000;

/// What this process reads and counts at one time. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct OwnDataBounds {
    limits: Limits,
    pub(super) reading: Arc<BoundedBlocking>,
    counting: Arc<BoundedBlocking>,
}

impl Default for OwnDataBounds {
    fn default() -> Self {
        Self {
            limits: Limits::of(FILES.0, FILES.1),
            reading: Arc::new(BoundedBlocking::new(1, WAITING)),
            counting: Arc::new(BoundedBlocking::new(VIEWS.0, VIEWS.1)),
        }
    }
}

/// Most daily rows of a project.
pub const fn own_data_room() -> u64 {
    ROOM.rows as u64
}

/// A caller's turn for one import. The caller gets no other one until this is dropped.
#[derive(Debug)]
pub struct OwnDataTurn(#[expect(dead_code, reason = "it counts until it is dropped")] Running);

#[derive(Clone, Debug, Default)]
pub struct OwnDataFile {
    /// Its name, which may tell the day of the export.
    pub name: String,
    /// Names a format, or is empty.
    pub format: String,
    /// Last day, such as `2026-08-31`, where the report does not tell it, or an empty text.
    pub until: String,
    /// The bytes, or `None` if no file came.
    pub bytes: Option<Bytes>,
}

/// What to do with a file that could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnDataUse {
    /// Report what was understood.
    Check,
    /// The same, and keep the rows until the person says yes.
    Keep,
    Import {
        /// Whether totals may fall.
        lower: bool,
    },
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct OwnDataRead {
    /// What was understood.
    pub report: FileReport,
    /// What became of it; `None` for a check.
    pub outcome: Option<OwnFileOutcome>,
    /// The import that is kept or stored.
    pub id: OwnFileId,
    /// When the same file was imported before, in milliseconds since 1970.
    pub known_since: Option<i64>,
    pub changes: Vec<TotalChange>,
}

#[derive(Clone, Debug)]
pub struct OwnData {
    /// The imports, the latest first.
    pub imports: Vec<OwnFileRecord>,
    /// What they show.
    pub summary: Summary,
    /// The sampled answers that are compared.
    pub answers: u32,
    /// Runs that are read in a moment.
    pub waiting: u32,
}

impl OwnDataRead {
    pub fn document(&self) -> Value {
        let stored = matches!(
            self.outcome,
            Some(OwnFileOutcome::Stored | OwnFileOutcome::Replaced)
        );
        json!({
            "importId": stored.then_some(self.id),
            "outcome": self.outcome.map_or("checked", word),
            "importedBefore": self.known_since.map(at),
            "changes": self.changes,
            "file": self.report,
        })
    }
}

/// Returns when a reading that begins now is given up. The largest files take half as long on a slow machine.
pub(super) fn reading_until() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

const fn word(outcome: OwnFileOutcome) -> &'static str {
    match outcome {
        OwnFileOutcome::Stored => "imported",
        OwnFileOutcome::Replaced => "replaced",
        OwnFileOutcome::Same => "unchanged",
        OwnFileOutcome::Pending | OwnFileOutcome::Full | OwnFileOutcome::Unknown => "checked",
    }
}

/// An import as the API shows it.
fn import_document(file: &OwnFileRecord) -> Value {
    json!({
        "importId": file.id,
        "name": file.name,
        "sources": file.formats.split(',').collect::<Vec<_>>(),
        "from": file.days.as_ref().map(|days| &days.0),
        "to": file.days.as_ref().map(|days| &days.1),
        "rows": file.row_count,
        "importedAt": at(file.created_at),
        "importedBy": file.email.as_ref().unwrap_or(&file.actor),
    })
}

impl OwnData {
    /// Lists end after a thousand rows.
    pub fn document(&self) -> Value {
        let summary = &self.summary;
        let days = summary.days.iter().map(|series| {
            let days = series.days.iter();
            let days = days.map(|(day, value)| json!({"day": day, "value": value}));
            json!({"source": series.source, "measure": series.measure, "days": days.collect::<Vec<_>>(), "breaks": series.breaks})
        });
        let pages = summary.pages.iter().take(LISTED).map(|page| {
            let values = page.values.iter().map(
                |((source, measure), value)| json!({"source": source, "measure": measure, "value": value}),
            );
            json!({"page": page.page, "sampledShare": page.share, "values": values.collect::<Vec<_>>()})
        });
        let topics = summary.topics.iter().take(LISTED);
        let topics = topics.map(|(topic, citations)| json!({"topic": topic, "citations": citations}));
        json!({
            "imports": self.imports.iter().map(import_document).collect::<Vec<_>>(),
            "rows": self.imports.iter().map(|file| u64::from(file.row_count)).sum::<u64>(),
            "mostRows": ROOM.rows,
            "sampledAnswers": self.answers,
            "waiting": self.waiting,
            "days": days.collect::<Vec<_>>(),
            "pages": pages.collect::<Vec<_>>(),
            "topics": topics.collect::<Vec<_>>(),
            "queries": summary.queries.iter().take(LISTED).collect::<Vec<_>>(),
            "comparisons": summary.comparisons.iter().map(comparison_document).collect::<Vec<_>>(),
        })
    }
}

fn comparison_document(comparison: &Comparison) -> Value {
    let list = |names: &[(String, f64)], value: &str| -> Vec<Value> {
        let names = names.iter().take(LISTED);
        names
            .map(|(name, number)| json!({"name": name, value: number}))
            .collect()
    };
    json!({
        "of": comparison.of,
        "source": comparison.source,
        "measure": comparison.measure,
        "agreement": comparison.agreement,
        "onlyThere": list(&comparison.only_there, "value"),
        "onlyInSamples": list(&comparison.only_here, "share"),
    })
}

impl Projects {
    /// Counts an import of a caller before its body is read, so that refused bodies count, too.
    pub fn begin_own_data(&self, reader: ProjectReader) -> Result<OwnDataTurn, Error> {
        let caller = match reader {
            ProjectReader::Account(account) => CallerId::of(account),
            // An organisation's keys share its turns.
            ProjectReader::Key(key) => CallerId::stored(&format!("imports of {}", key.organisation())),
        };
        Ok(OwnDataTurn(self.own_data.limits.start(&caller, Instant::now())?))
    }

    /// Reads a file, and does with it what is asked.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a file that cannot be understood, that has no row to keep, or for which the project has no room;
    /// [`Error::Overloaded`]; [`Error::Store`].
    pub async fn read_own_data(
        &self,
        scope: &ProjectScope,
        turn: OwnDataTurn,
        file: OwnDataFile,
        purpose: OwnDataUse,
    ) -> Result<OwnDataRead, Error> {
        let options = self.options(scope, &file).await?;
        let Some(bytes) = file.bytes.filter(|bytes| !bytes.is_empty()) else {
            return Err(Error::fault(
                "/file",
                FaultCode::Required,
                "choose a file".to_owned(),
            ));
        };
        let name: String = file.name.trim().chars().take(NAME_CHARS).collect();
        let work = move || {
            let mut options = options;
            options.bounds.until = Some(reading_until());
            let read = ReadFile::of(name, &bytes, &options);
            // A caller who hangs up keeps the turn until here.
            drop(turn);
            read
        };
        let read = self.own_data.reading.run(work).await??;
        let known = self.of(scope, Store::own_files).await?;
        let known = known.iter().find(|known| known.hash == read.hash);
        let known_since = known.map(|known| known.created_at);
        Ok(OwnDataRead {
            known_since,
            ..self.use_own_data(scope, read, purpose).await?
        })
    }

    async fn use_own_data(
        &self,
        scope: &ProjectScope,
        read: ReadFile,
        purpose: OwnDataUse,
    ) -> Result<OwnDataRead, Error> {
        let (report, id) = (read.report.clone(), OwnFileId::random());
        let changes = self.total_changes(scope, read.packed.clone()).await?;
        let outcome = match purpose {
            OwnDataUse::Import { .. } if read.rows == 0 => return Err(nothing_kept(&report)),
            OwnDataUse::Keep if read.rows == 0 => None,
            OwnDataUse::Check => None,
            OwnDataUse::Keep => Some(self.store_own_data(scope, id, read, true).await?),
            OwnDataUse::Import { lower } => {
                check_totals(&changes, lower)?;
                Some(self.store_own_data(scope, id, read, false).await?)
            }
        };
        Ok(OwnDataRead {
            report,
            outcome,
            id,
            known_since: None,
            changes,
        })
    }

    /// Imports daily rows that a caller read itself: `name` and `rows`, as `ibid first-party --json` prints them.
    ///
    /// # Errors
    /// As [`Self::read_own_data`], with the first faults of rows.
    pub async fn import_own_rows(
        &self,
        scope: &ProjectScope,
        turn: OwnDataTurn,
        mut body: Map<String, Value>,
        purpose: OwnDataUse,
    ) -> Result<Value, Error> {
        let domain = self.domain(scope).await?;
        let work = move || {
            let read = ReadFile::of_rows(&mut body, &domain);
            drop(turn);
            read
        };
        let read = self.own_data.reading.run(work).await??;
        let rows = read.rows;
        let used = self.use_own_data(scope, read, purpose).await?;
        let stored = used.outcome == Some(OwnFileOutcome::Stored);
        Ok(json!({
            "importId": stored.then_some(used.id),
            "outcome": used.outcome.map_or("checked", word),
            "rows": rows,
            "changes": used.changes,
        }))
    }

    /// Returns which totals an import would change.
    async fn total_changes(
        &self,
        scope: &ProjectScope,
        new: PackedAnswers,
    ) -> Result<Vec<TotalChange>, Error> {
        let packed = self.of(scope, Store::own_rows).await?;
        let work = move || -> Result<Vec<TotalChange>, StoreError> {
            let mut imports: Vec<RowSet> = packed.iter().map(unpacked).collect::<Result<_, _>>()?;
            let before = RowSet::of_imports(imports.clone());
            imports.push(unpacked(&new)?);
            Ok(TotalChange::between(&before, &RowSet::of_imports(imports)))
        };
        Ok(self.own_data.counting.run(work).await??)
    }

    /// Imports the file that was kept for the person.
    ///
    /// # Errors
    /// [`Error::Invalid`] where another file took its place, or for which the project has no room; [`Error::Store`].
    pub async fn confirm_own_data(
        &self,
        scope: &ProjectScope,
        id: &str,
        lower: bool,
    ) -> Result<OwnFileOutcome, Error> {
        let gone = || {
            let message = "this file is not kept any more; choose it again".to_owned();
            Error::fault("/file", FaultCode::Invalid, message)
        };
        let id: OwnFileId = id.parse().map_err(|_| gone())?;
        let members = json!({"importId": id}).to_string();
        let kept = self
            .of(scope, move |store, scope| store.pending_own_rows(scope, id))
            .await?;
        check_totals(&self.total_changes(scope, kept.ok_or_else(gone)?).await?, lower)?;
        let confirmed = self.of(scope, move |store, scope| {
            let change = change("own_data_imported", &members);
            store.confirm_own_file(scope, id, ROOM, change)
        });
        match confirmed.await? {
            OwnFileOutcome::Unknown => Err(gone()),
            OwnFileOutcome::Full => Err(no_room()),
            outcome => Ok(outcome),
        }
    }

    /// Deletes an import.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] without such an import; [`Error::Store`].
    pub async fn delete_own_data(&self, scope: &ProjectScope, id: &str) -> Result<(), Error> {
        self.change_part(scope, id, "own_data_deleted", "importId", Store::delete_own_file)
            .await
    }

    /// What the imports of a project show, and how they agree with its samples.
    pub async fn own_data(&self, scope: &ProjectScope) -> Result<OwnData, Error> {
        let (imports, packed) = self
            .of(scope, move |store, scope| {
                Ok((store.own_files(scope)?, store.own_rows(scope)?))
            })
            .await?;
        if imports.is_empty() {
            return Ok(OwnData {
                imports,
                summary: Summary::default(),
                answers: 0,
                waiting: 0,
            });
        }
        let (samples, waiting) = self.samples(scope).await?;
        let answers = samples.answers;
        let work = move || -> Result<Summary, StoreError> {
            let imports: Vec<RowSet> = packed.iter().map(unpacked).collect::<Result<_, _>>()?;
            Ok(Summary::of(&RowSet::of_imports(imports), &samples))
        };
        let summary = self.own_data.counting.run(work).await??;
        Ok(OwnData {
            imports,
            summary,
            answers,
            waiting,
        })
    }

    /// Queries as a file for an import of questions.
    pub fn queries_as_file(queries: impl Iterator<Item = String>) -> Vec<u8> {
        question_table(queries).into_bytes()
    }

    async fn samples(&self, scope: &ProjectScope) -> Result<(Samples, u32), Error> {
        let domain = self.domain(scope).await?;
        let (_, asked) = self.asked(scope).await?;
        let topics: BTreeMap<String, String> = asked
            .iter()
            .filter_map(|question| {
                let topic = question.own.as_ref()?.topic.as_ref()?;
                let text = question.last.as_ref().map_or(&question.text, |(_, text)| text);
                Some((text.clone(), topic.as_str().to_owned()))
            })
            .collect();
        let (runs, waiting) = self.mentions(scope, RUNS).await?;
        let runs = runs.iter().map(|(_, mentions)| mentions);
        Ok((samples_of(runs, &domain, &topics), waiting))
    }

    async fn domain(&self, scope: &ProjectScope) -> Result<Domain, Error> {
        let view = self.get(scope).await?;
        let domain = view.record.domain.parse();
        domain.map_err(|_| StoreError::Damaged("project").into())
    }

    async fn options(&self, scope: &ProjectScope, file: &OwnDataFile) -> Result<Options, Error> {
        let mut faults = Faults::default();
        let format: Option<Format> = match file.format.trim() {
            "" => None,
            word => word
                .parse()
                .map_err(|message: String| faults.invalid("/format", message))
                .ok(),
        };
        let until: Option<Date> = match file.until.trim() {
            "" => None,
            day => {
                let parsed = day.parse();
                let message = "until must be a day such as 2026-08-31";
                parsed.map_err(|_| faults.invalid("/until", message)).ok()
            }
        };
        faults.into_result(())?;
        let addresses = self.in_store(|store| store.bot_addresses()).await?;
        Ok(Options {
            domain: self.domain(scope).await?,
            format,
            until,
            ranges: ranges_of(&addresses),
            proxies: Vec::new(),
            bounds: Bounds {
                bytes: Some(MOST_UNPACKED),
                lines: Some(MOST_LINES),
                rows: Some(ROOM.rows as usize),
                until: None,
            },
        })
    }

    async fn store_own_data(
        &self,
        scope: &ProjectScope,
        id: OwnFileId,
        read: ReadFile,
        pending: bool,
    ) -> Result<OwnFileOutcome, Error> {
        let members = json!({"importId": id, "name": read.name, "rows": read.rows}).to_string();
        let stored = self.of(scope, move |store, scope| {
            let file = read.new_file(id);
            let change = change("own_data_imported", &members);
            store.add_own_file(scope, &file, ROOM, pending, change)
        });
        match stored.await? {
            OwnFileOutcome::Full => Err(no_room()),
            outcome => Ok(outcome),
        }
    }
}

/// Refuses totals that fall unless the caller says so.
fn check_totals(changes: &[TotalChange], lower: bool) -> Result<(), Error> {
    let falls = changes.iter().filter(|one| one.falls());
    let falls: Vec<String> = falls.map(TotalChange::in_words).collect();
    match falls.is_empty() || lower {
        true => Ok(()),
        false => {
            let message = format!(
                "totals fall, as after the export of a part: {}; nothing was imported",
                falls.join("; ")
            );
            Err(Error::fault("/lower", FaultCode::Required, message))
        }
    }
}

/// Returns published addresses from the store. They were read before they were stored, so faults are rare.
fn ranges_of(addresses: &[BotAddresses]) -> Ranges {
    let mut ranges = Ranges::default();
    for file in addresses {
        let bot = file.is_program.then_some(file.name.as_str());
        if let Err(error) = ranges.add(&file.name, bot, &file.document) {
            // A program that is no longer known.
            tracing::warn!(
                file = file.name,
                error = chain(&error),
                "bots.addresses.unreadable"
            );
        }
    }
    ranges
}

pub(super) fn unpacked(packed: &PackedAnswers) -> Result<RowSet, StoreError> {
    let rows: Vec<Row> =
        serde_json::from_slice(&packed.unpack()?).map_err(|_| StoreError::Damaged("own data"))?;
    Ok(rows.into_iter().collect())
}

/// Counts which pages sampled answers cite, and how often answers on each topic cite the website.
fn samples_of<'a>(
    runs: impl Iterator<Item = &'a RunMentions>,
    domain: &Domain,
    topics: &BTreeMap<String, String>,
) -> Samples {
    let mut answers = 0_u32;
    let mut pages: BTreeMap<String, u32> = BTreeMap::new();
    let mut by_topic: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for answer in runs.flat_map(|run| &run.answers) {
        answers += 1;
        let own = answer.pages.iter().filter_map(|page| page_key(&page.url, domain));
        for page in own.collect::<BTreeSet<_>>() {
            *pages.entry(page).or_default() += 1;
        }
        if let Some(topic) = topics.get(&answer.question) {
            let counts = by_topic.entry(topic).or_default();
            counts.0 += 1;
            counts.1 += u32::from(answer.cites_target);
        }
    }
    let share = |count: u32, of: u32| f64::from(count) / f64::from(of.max(1));
    let pages = pages.into_iter();
    let topics = by_topic.into_iter();
    Samples {
        answers,
        pages: pages.map(|(page, count)| (page, share(count, answers))).collect(),
        topics: topics
            .map(|(topic, (of, cited))| (topic.to_owned(), share(cited, of)))
            .collect(),
    }
}

/// A file that was read and packed.
pub(super) struct ReadFile {
    name: String,
    hash: [u8; 32],
    report: FileReport,
    rows: u32,
    sources: String,
    days: Option<(String, String)>,
    packed: PackedAnswers,
}

impl ReadFile {
    fn of(name: String, bytes: &Bytes, options: &Options) -> Result<Self, Error> {
        let mut reading = Reading::default();
        let read = reading.add(&name, &mut Cursor::new(bytes), options);
        read.map_err(|error| Error::fault("/file", FaultCode::Invalid, chain(&error)))?;
        let rows = reading.rows();
        let report = reading.files().first().cloned().ok_or(Error::Ended)?;
        Self::packed(name, Sha256::digest(bytes).into(), report, &rows)
    }

    fn of_rows(body: &mut Map<String, Value>, domain: &Domain) -> Result<Self, Error> {
        let mut faults = Faults::default();
        let name = match body.get("name") {
            Some(Value::String(name)) if !name.trim().is_empty() && name.chars().count() <= NAME_CHARS => {
                name.trim().to_owned()
            }
            _ => {
                let message = format!("name must be a text of at most {NAME_CHARS} characters");
                faults.invalid("/name", message);
                String::new()
            }
        };
        let Some(Value::Array(given)) = body.remove("rows") else {
            faults.push("/rows", FaultCode::Required, "rows must be a list of daily rows");
            return Err(faults.into());
        };
        if given.len() > ROOM.rows as usize {
            return Err(no_room());
        }
        let (mut rows, mut faulty) = (Vec::with_capacity(given.len()), 0);
        for (place, row) in given.into_iter().enumerate() {
            let read = match serde_json::from_value::<Row>(row) {
                Ok(row) => row.check(domain).map(|()| row),
                Err(_) => Err("is none: it needs source, day, measure and value"),
            };
            match read {
                Ok(row) => rows.push(row),
                Err(why) => {
                    faulty += 1;
                    if faulty <= MOST_FAULTS {
                        let message = format!("row {} {why}", place + 1);
                        faults.invalid(format!("/rows/{place}"), message);
                    }
                }
            }
        }
        if faulty > MOST_FAULTS {
            let message = format!("{} more rows have faults", faulty - MOST_FAULTS);
            faults.invalid("/rows", message);
        }
        faults.into_result(())?;
        if rows.is_empty() {
            return Err(nothing_kept(&FileReport::named(&name)));
        }
        // Rows without a file are their own hash.
        let rows: RowSet = rows.into_iter().collect();
        let plain = serde_json::to_vec(&rows.iter().collect::<Vec<_>>())?;
        Self::archived(name, Sha256::digest(plain).into(), &rows)
    }

    /// Packs rows without their file, which has this hash.
    pub(super) fn archived(name: String, hash: [u8; 32], rows: &RowSet) -> Result<Self, Error> {
        let report = FileReport::named(&name);
        Self::packed(name, hash, report, rows)
    }

    pub(super) fn row_count(&self) -> usize {
        self.rows as usize
    }

    fn packed(name: String, hash: [u8; 32], report: FileReport, rows: &RowSet) -> Result<Self, Error> {
        let all: Vec<Row> = rows.iter().collect();
        let sources: BTreeSet<Source> = all.iter().map(|row| row.source).collect();
        let sources = sources.iter().map(|source| json!(source));
        let sources: Vec<String> = sources
            .filter_map(|word| word.as_str().map(str::to_owned))
            .collect();
        let first = all.iter().map(|row| row.period.start()).min();
        let last = all.iter().map(|row| row.period.end()).max();
        Ok(Self {
            name: match name.trim() {
                "" => "without a name".to_owned(),
                name => name.to_owned(),
            },
            hash,
            report,
            rows: u32::try_from(all.len()).unwrap_or(u32::MAX),
            sources: sources.join(","),
            days: first
                .zip(last)
                .map(|(first, last)| (first.to_string(), last.to_string())),
            packed: PackedAnswers::of(&serde_json::to_vec(&all)?)?,
        })
    }

    pub(super) fn new_file(&self, id: OwnFileId) -> NewOwnFile<'_> {
        NewOwnFile {
            id,
            hash: &self.hash,
            name: &self.name,
            formats: &self.sources,
            days: self
                .days
                .as_ref()
                .map(|(first, last)| (first.as_str(), last.as_str())),
            row_count: self.rows,
            document: &self.packed,
        }
    }
}

fn nothing_kept(report: &FileReport) -> Error {
    let mut message = "no row of it is about AI answers or assistants".to_owned();
    for (reason, count) in &report.refused.counts {
        message.push_str(&format!("; refused: {count} × {}", reason.words()));
    }
    Error::fault("/file", FaultCode::Invalid, message)
}

fn no_room() -> Error {
    let message = format!(
        "a project keeps {} imports with {} daily rows at most; delete one, or import fewer days",
        ROOM.files, ROOM.rows
    );
    Error::fault("/file", FaultCode::OutOfRange, message)
}
