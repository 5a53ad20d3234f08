//! Writes a project to one file, with everything that its pages show.
//!
//! It is gzip of JSON lines. The first line is an [`ArchiveHead`], each other one an [`ArchiveLine`].
//! It has no keys, no people and no budgets; what follows from the runs is left out and counted anew by the reader.

use super::handle::Projects;
use super::own_data::unpacked;
use super::questions::set_of;
use crate::error::Error;
use crate::evidence::EvidenceFault;
use crate::job::CallerId;
use crate::project_actions::{ActionFinding, ActionTest, finding_of, test_of};
use data_encoding::HEXLOWER;
use flate2::Compression;
use flate2::write::GzEncoder;
use ibid_engine::plan::KeptQuestion;
use ibid_first_party::Row;
use ibid_model::{ProjectId, ScanId, ScheduleId};
use ibid_store::{
    ActionRecord, AnnotationRecord, Cell, EndedRun, KeptResult, KeptSchedule, Millis, PackedAnswers,
    ProjectScope, Store, StoreError,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::io::Write as _;

pub(super) const FORMAT: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArchiveHead {
    pub(super) ibid_project_archive: u32,
    /// Every id that the file names, that of the project first. A reader gives each a new one.
    pub(super) ids: Vec<ScanId>,
    pub(super) project: ArchivedProject,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArchivedProject {
    pub(super) id: ProjectId,
    pub(super) name: String,
    pub(super) created_at: Millis,
    /// Runs that failed since one succeeded.
    pub(super) failures: u32,
    pub(super) order: Map<String, Value>,
    pub(super) recurrence: Map<String, Value>,
    /// Its own schedule, then those of its markets.
    pub(super) schedules: Vec<ArchivedSchedule>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArchivedSchedule {
    pub(super) id: ScheduleId,
    /// Place and language; `None` for the schedule of the project itself, and for a market that it no longer has.
    pub(super) market: Option<(Option<String>, Option<String>)>,
    /// What it asks, and the version that worded it.
    pub(super) kept: Option<(Vec<KeptQuestion>, String)>,
}

/// Any other line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum ArchiveLine {
    /// A version of its own questions, the first one first.
    Version(ArchivedVersion),
    /// A rival that people pinned or ignored.
    Rival(Map<String, Value>),
    /// A note, or a mark where the questions changed.
    Note(ArchivedNote),
    /// An action with its test.
    Action(Box<ArchivedAction>),
    /// The word that names a question in cells, and its text.
    Question(String, String),
    Ended(EndedRun),
    /// A run with a result.
    Result(Box<ArchivedResult>),
    /// An import of the website's own data.
    OwnData(ArchivedOwnData),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArchivedOwnData {
    pub(super) name: String,
    /// Hash, in hexadecimal digits, of the file that was read.
    pub(super) hash: String,
    pub(super) imported_at: Millis,
    pub(super) rows: Vec<Row>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArchivedVersion {
    pub(super) version: u32,
    pub(super) parent: Option<u32>,
    pub(super) source: String,
    pub(super) hash: String,
    pub(super) created_at: Millis,
    pub(super) questions: Value,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArchivedNote {
    pub(super) day: String,
    pub(super) text: String,
    /// Whether a person or a key wrote it.
    pub(super) by_people: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArchivedAction {
    /// The members that people write.
    pub(super) written: Map<String, Value>,
    pub(super) agreed_at: Millis,
    pub(super) created_at: Millis,
    pub(super) test: Option<ActionTest>,
    pub(super) finding: Option<ActionFinding>,
    pub(super) judged_at: Option<Millis>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArchivedResult {
    pub(super) run: KeptResult,
    /// Seconds since 1970 at which the scan finished.
    pub(super) created_at: i64,
    pub(super) sandbox: bool,
    pub(super) method: String,
    /// As it was stored, byte for byte.
    pub(super) document: Box<RawValue>,
    pub(super) evidence: Option<Box<RawValue>>,
    pub(super) mentions: Option<Box<RawValue>>,
    pub(super) cells: Vec<Cell>,
}

/// An archive that is being written.
struct Writing(GzEncoder<Vec<u8>>);

impl Writing {
    fn line<T: Serialize>(&mut self, line: &T) -> Result<(), StoreError> {
        let written = serde_json::to_writer(&mut self.0, line);
        written.map_err(|_| StoreError::Damaged("archive"))?;
        self.0.write_all(b"\n").map_err(StoreError::Packing)
    }
}

impl Projects {
    /// Packs a project. Runs that are under way are left out.
    pub async fn archive(&self, scope: &ProjectScope) -> Result<Vec<u8>, Error> {
        let view = self.get(scope).await?;
        let Some(schedule) = view.schedule else {
            return Err(Error::ProjectNotFound);
        };
        let begun = self.of(scope, move |store, scope| {
            let rows = store.project_rows(scope)?;
            let markets = store.markets(scope.project())?;
            let (mut own, mut others): (Vec<_>, Vec<_>) = rows
                .schedules
                .into_iter()
                .partition(|one| one.id == scope.schedule());
            let place_of = |id: ScheduleId| markets.iter().position(|market| market.schedule == id);
            // A market that the project no longer has comes last.
            others.sort_by_key(|one| place_of(one.id).unwrap_or(usize::MAX));
            own.append(&mut others);
            let project = ArchivedProject {
                id: scope.project(),
                name: view.record.name,
                created_at: view.record.created_at,
                failures: view.record.failures,
                order: schedule.order,
                recurrence: schedule.recurrence.members(),
                schedules: own
                    .iter()
                    .map(|one| {
                        let market = markets.iter().find(|market| market.schedule == one.id);
                        let market = market.map(|market| (market.place.clone(), market.language.clone()));
                        archived_schedule(one, market)
                    })
                    .collect::<Result<_, _>>()?,
            };
            let own = ScanId::from_bytes(*scope.project().as_bytes());
            let others = project.schedules.iter();
            let others = others.map(|one| ScanId::from_bytes(*one.id.as_bytes()));
            let others = others.chain(rows.results.iter().map(|run| run.scan));
            let others = others.chain(rows.ended.iter().filter_map(|run| run.scan));
            let others: BTreeSet<ScanId> = others.filter(|id| *id != own).collect();
            let ids = std::iter::once(own).chain(others).collect();
            let mut file = Writing(GzEncoder::new(Vec::new(), Compression::default()));
            file.line(&ArchiveHead {
                ibid_project_archive: FORMAT,
                ids,
                project,
            })?;
            write_parts(store, scope, &mut file)?;
            for (question, text) in rows.questions {
                file.line(&ArchiveLine::Question(question, text))?;
            }
            for run in rows.ended {
                file.line(&ArchiveLine::Ended(run))?;
            }
            Ok((file, rows.results))
        });
        let (mut file, results) = begun.await?;
        for run in results {
            let evidence = match self.schedules.keeper.stored_scans.evidence.read(run.scan).await {
                // Evidence that is lost is left out; the pages of the project miss it, too.
                Err(Error::Evidence(EvidenceFault::Missing)) => None,
                read => read?,
            };
            let written = self.of(scope, move |store, scope| {
                write_result(store, scope, file, run, evidence)
            });
            file = written.await?;
        }
        self.in_store(move |_| file.0.finish().map_err(StoreError::Packing))
            .await
    }
}

fn archived_schedule(
    schedule: &KeptSchedule,
    market: Option<(Option<String>, Option<String>)>,
) -> Result<ArchivedSchedule, StoreError> {
    let kept = match &schedule.questions {
        None => None,
        Some((packed, templates)) => {
            let kept = serde_json::from_slice(&packed.unpack()?);
            Some((
                kept.map_err(|_| StoreError::Damaged("questions"))?,
                templates.clone(),
            ))
        }
    };
    Ok(ArchivedSchedule {
        id: schedule.id,
        market,
        kept,
    })
}

fn write_parts(store: &Store, scope: &ProjectScope, file: &mut Writing) -> Result<(), StoreError> {
    let owner = CallerId::of_project(scope.project());
    let set = set_of(scope.project()).id;
    for version in store.question_versions(Some(owner.as_str()), set)? {
        let questions = serde_json::from_slice(&version.questions.unpack()?);
        file.line(&ArchiveLine::Version(ArchivedVersion {
            version: version.version,
            parent: version.parent,
            source: version.source,
            hash: version.hash,
            created_at: version.created_at,
            questions: questions.map_err(|_| StoreError::Damaged("questions"))?,
        }))?;
    }
    for rival in store.rivals(scope)? {
        let (names, state) = (rival.aliases, rival.state.as_str());
        let rival = json!({"name": rival.name, "state": state, "domains": rival.domains, "aliases": names});
        let Value::Object(rival) = rival else { continue };
        file.line(&ArchiveLine::Rival(rival))?;
    }
    let mut own = store.own_files(scope)?;
    own.reverse();
    for (import, packed) in own.into_iter().zip(store.own_rows(scope)?) {
        let rows: Vec<Row> = unpacked(&packed)?.iter().collect();
        // With the longest addresses these rows take 7 of the 8 MiB that a reader allows a line.
        for rows in rows.chunks(3_000) {
            file.line(&ArchiveLine::OwnData(ArchivedOwnData {
                name: import.name.clone(),
                hash: HEXLOWER.encode(&import.hash),
                imported_at: import.created_at,
                rows: rows.to_vec(),
            }))?;
        }
    }
    for AnnotationRecord { day, text, kind, .. } in store.annotations(scope)? {
        let by_people = kind == ibid_store::AnnotationKind::Note;
        file.line(&ArchiveLine::Note(ArchivedNote { day, text, by_people }))?;
    }
    for action in store.actions(scope)? {
        file.line(&ArchiveLine::Action(Box::new(archived_action(&action)?)))?;
    }
    Ok(())
}

fn archived_action(action: &ActionRecord) -> Result<ArchivedAction, StoreError> {
    let written = json!({
        "title": action.title,
        "page": action.page,
        "questions": action.questions,
        "who": action.person,
        "goal": action.goal,
        "runs": action.runs,
        "status": action.status.as_str(),
        "doneOn": action.done_on,
    });
    Ok(ArchivedAction {
        written: written.as_object().cloned().unwrap_or_default(),
        agreed_at: action.agreed_at,
        created_at: action.created_at,
        test: test_of(action)?,
        finding: finding_of(action)?,
        judged_at: action.judged_at,
    })
}

/// Writes a run, if its report is there.
fn write_result(
    store: &Store,
    scope: &ProjectScope,
    mut file: Writing,
    run: KeptResult,
    evidence: Option<Vec<u8>>,
) -> Result<Writing, StoreError> {
    let Some(scan) = store.scan(run.scan)? else {
        return Ok(file);
    };
    let (cells, mentions) = store.run_rows(scope, run.scan)?;
    let mentions = mentions.as_ref().map(PackedAnswers::unpack).transpose()?;
    file.line(&ArchiveLine::Result(Box::new(ArchivedResult {
        run,
        created_at: scan.created_at,
        sandbox: scan.sandbox,
        method: scan.method,
        document: raw(scan.reply)?,
        evidence: evidence.map(raw).transpose()?,
        mentions: mentions.map(raw).transpose()?,
        cells,
    })))?;
    Ok(file)
}

/// A stored document as it stands. Documents are written without line breaks.
fn raw(document: Vec<u8>) -> Result<Box<RawValue>, StoreError> {
    let text = String::from_utf8(document).map_err(|_| StoreError::Damaged("document"))?;
    RawValue::from_string(text).map_err(|_| StoreError::Damaged("document"))
}
