//! A project from an archive. The file is hostile until every line of it is read: nothing is stored before.

use super::actions::{ActionDraft, MOST_ACTIONS};
use super::archive::{
    ArchiveHead, ArchiveLine, ArchivedAction, ArchivedNote, ArchivedOwnData, ArchivedResult, ArchivedVersion,
    FORMAT,
};
use super::conversions::account_of;
use super::draft::ProjectDraft;
use super::handle::Projects;
use super::lifecycle::{MOST_PROJECTS, too_many};
use super::markets::put_all;
use super::own_data::{ROOM, ReadFile};
use super::questions::{asked, listed, set_of};
use super::rivals_and_notes::{AnnotationDraft, MOST_RIVALS, RivalDraft};
use super::view::ProjectView;
use crate::clock::now_ms;
use crate::document::is_audit;
use crate::error::Error;
use crate::project_numbers::judge_all;
use crate::questions::Packed;
use crate::schedules::{ScheduleDraft, ScheduleOwner};
use crate::stored_scans::read_result;
use bytes::Bytes;
use data_encoding::HEXLOWER;
use flate2::bufread::GzDecoder;
use ibid_engine::mentions::RunMentions;
use ibid_engine::plan::KeptQuestion;
use ibid_engine::questions::shared;
use ibid_model::contract::field as f;
use ibid_model::json_lines::{JsonLines, LineFault};
use ibid_model::{Domain, FaultCode, Faults, OwnFileId, OwnQuestion, ProjectId, ScanId, ScheduleId};
use ibid_store::{
    ActionRecord, ActionStatus, AnnotationKind, AnnotationRecord, Cell, EndedRun, ImportedResult, KeptResult,
    Millis, NewProject, NewSchedule, PackedAnswers, ProjectImport, ProjectReader, QuestionsRecord, Right,
    RivalRecord, Store, StoreError,
};
use jiff::Timestamp;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::io::{BufReader, Read as _, Take};

/// Most bytes unpacked: a year of weekly runs with 300 questions to four models has some 190 MB.
const MOST_BYTES: u64 = 384 << 20;
/// Most lines: half would bound ten years of daily runs in three markets, twice is a longer transaction.
const MOST_LINES: usize = 50_000;
/// Most schedules: the markets of a project, and those that it had.
const MOST_SCHEDULES: usize = 200;
/// Longest text that is no document, in characters.
const TEXT_CHARS: usize = 2_000;
/// No time is later than the year 2100.
const LATEST: Millis = 4_102_444_800_000;
/// The largest number in a result, beyond which sums are no longer exact.
const LARGEST: f64 = 1e12;

/// An archive that was read, with new ids.
struct ReadArchive {
    head: ArchiveHead,
    versions: Vec<QuestionsRecord>,
    rivals: Vec<RivalRecord>,
    notes: Vec<AnnotationRecord>,
    actions: Vec<ActionRecord>,
    questions: Vec<(String, String)>,
    ended: Vec<EndedRun>,
    results: Vec<ReadResult>,
    own_data: Vec<(ReadFile, Millis)>,
    /// An import whose next line may have more of its rows.
    open_data: Option<ArchivedOwnData>,
}

/// A run with a result.
struct ReadResult {
    kept: KeptResult,
    created_at: i64,
    sandbox: bool,
    method: String,
    /// Packed, as all of an archive is held until it is stored.
    document: PackedAnswers,
    answers: Option<PackedAnswers>,
    mentions: Option<PackedAnswers>,
    calls: u32,
    cells: Vec<Cell>,
}

/// Why an archive cannot be read, in words that follow "the archive cannot be read".
type Unreadable = String;

fn unreadable(why: &str) -> Error {
    Error::fault(
        "/archive",
        FaultCode::Invalid,
        format!("the archive cannot be read: {why}"),
    )
}

impl Projects {
    /// Makes a project from an archive, with new ids. It waits until someone resumes it, and has no budget of its own.
    ///
    /// # Errors
    /// As [`Self::add`]; [`Error::Invalid`] for a file that is no archive of a project.
    pub async fn import(&self, reader: ProjectReader, file: Bytes) -> Result<ProjectView, Error> {
        let (organisation, actor) = self.own_organisation(reader).await?;
        let (turn, id) = (self.begin_own_data(reader)?, ProjectId::random());
        // One file is read at a time, for its memory.
        let read = self.own_data.reading.run(move || ReadArchive::of(&file, id));
        let read = read.await?.map_err(|why| unreadable(&why))?;
        let draft = self.archived_draft(reader, &read.head).await?;
        let stored = self.in_store(move |store| {
            let project = NewProject {
                organisation,
                name: &draft.name,
                subject: draft.subject(),
                actor: &actor,
            };
            read.store(store, &draft, &project)
        });
        if !stored.await? {
            return Err(too_many());
        }
        drop(turn);
        let scope = self.scope(reader, &id.to_string(), Right::ReadProject).await?;
        let judged = self.of(&scope, move |store, scope| {
            let judged = judge_all(store, id);
            if judged.is_err() {
                store.delete_project(scope, now_ms())?;
            }
            judged
        });
        match judged.await {
            Err(Error::Store(StoreError::Damaged(_))) => Err(unreadable("its results contradict each other")),
            judged => {
                judged?;
                self.get(&scope).await
            }
        }
    }

    /// Checks what an archive sets as if a person had written it.
    async fn archived_draft(&self, reader: ProjectReader, head: &ArchiveHead) -> Result<ProjectDraft, Error> {
        let archived = &head.project;
        let mut body = archived.order.clone();
        body.retain(|member, _| member != f::QUESTIONS.name && member != f::QUESTION_SET.name);
        body.insert("name".to_owned(), json!(archived.name));
        body.insert("recurrence".to_owned(), json!(archived.recurrence));
        let others = archived.schedules.iter().filter_map(|one| one.market.clone());
        put_all(&mut body, others.collect());
        self.drafted(archived.id, account_of(reader), &body, Some(&archived.order))
            .await
    }
}

impl ReadArchive {
    /// Reads a whole file. Every id becomes a new one, that of the project `id`.
    fn of(file: &[u8], id: ProjectId) -> Result<Self, Unreadable> {
        let mut lines = Lines::of(file, MOST_BYTES);
        let first = lines.next()?.unwrap_or_default().to_owned();
        let head: ArchiveHead = serde_json::from_str(&first).map_err(|_| "it is no archive of a project")?;
        if head.ibid_project_archive != FORMAT {
            return Err(format!(
                "its format is {}, not {FORMAT}",
                head.ibid_project_archive
            ));
        }
        let ids = NewIds::of(&head, id)?;
        let head: ArchiveHead =
            serde_json::from_str(&ids.in_text(&first)).map_err(|_| "its first line is damaged")?;
        // An id in another spelling stays as it was.
        check(ids.are_all(&head), "its list of ids is damaged")?;
        check_head(&head)?;
        let mut read = Self {
            head,
            versions: Vec::new(),
            rivals: Vec::new(),
            notes: Vec::new(),
            actions: Vec::new(),
            questions: Vec::new(),
            ended: Vec::new(),
            results: Vec::new(),
            own_data: Vec::new(),
            open_data: None,
        };
        while let Some(text) = lines.next()? {
            let line = serde_json::from_str(&ids.in_text(text))
                .map_err(|error| format!("line {} is none of an archive ({error})", lines.number()))?;
            read.take(line)
                .map_err(|why| format!("line {}: {why}", lines.number()))?;
        }
        read.close_own_data()?;
        read.check_runs()?;
        read.check_questions()?;
        Ok(read)
    }

    fn take(&mut self, line: ArchiveLine) -> Result<(), Unreadable> {
        match line {
            ArchiveLine::Version(version) => self.versions.push(read_version(version, self.versions.len())?),
            ArchiveLine::Rival(rival) => {
                check(
                    self.rivals.len() < MOST_RIVALS as usize,
                    "there are too many rivals",
                )?;
                let rival = RivalDraft::read(&rival).map_err(|faults| first_of(&faults))?;
                self.rivals.push(rival.into_record());
            }
            ArchiveLine::Note(note) => self.notes.push(read_note(note)?),
            ArchiveLine::Action(action) => {
                check(
                    self.actions.len() < MOST_ACTIONS as usize,
                    "there are too many actions",
                )?;
                self.actions.push(read_action(*action)?);
            }
            ArchiveLine::Question(question, text) => {
                check_texts([question.as_str(), &text])?;
                self.questions.push((question, text));
            }
            ArchiveLine::Ended(run) => {
                check_ended(&run)?;
                self.ended.push(run);
            }
            ArchiveLine::Result(result) => self.results.push(read_run(*result)?),
            ArchiveLine::OwnData(own) => self.take_own_data(own)?,
        }
        Ok(())
    }

    /// Takes rows, which may be on several lines for one file.
    fn take_own_data(&mut self, own: ArchivedOwnData) -> Result<(), Unreadable> {
        let rows: usize = self.own_data.iter().map(|(file, _)| file.row_count()).sum();
        let open = self.open_data.as_ref().map_or(0, |open| open.rows.len());
        let fits =
            self.own_data.len() < ROOM.files as usize && rows + open + own.rows.len() <= ROOM.rows as usize;
        check(fits, "there is too much own data")?;
        match &mut self.open_data {
            Some(open) if open.hash == own.hash && open.name == own.name => open.rows.extend(own.rows),
            _ => {
                self.close_own_data()?;
                self.open_data = Some(own);
            }
        }
        Ok(())
    }

    fn close_own_data(&mut self) -> Result<(), Unreadable> {
        let Some(own) = self.open_data.take() else {
            return Ok(());
        };
        let order = &self.head.project.order;
        let domain = order.get(f::DOMAIN.name).and_then(Value::as_str);
        let domain = domain.and_then(|domain| domain.parse().ok());
        let domain = domain.ok_or("it names no website")?;
        self.own_data.push(read_own_data(own, &domain)?);
        Ok(())
    }

    /// Refuses runs that are there twice, and runs that belong to other schedules.
    fn check_runs(&self) -> Result<(), Unreadable> {
        let schedules: BTreeSet<ScheduleId> = self.head.project.schedules.iter().map(|one| one.id).collect();
        let ids: BTreeSet<ScanId> = self.head.ids.iter().copied().collect();
        let (mut firings, mut scans) = (BTreeSet::new(), BTreeSet::new());
        for run in &self.ended {
            let firing = (run.firing.schedule, run.firing.due);
            let known = schedules.contains(&firing.0) && run.scan.is_none_or(|scan| ids.contains(&scan));
            let why = "a run is there twice, or belongs to another project";
            check(known && firings.insert(firing), why)?;
        }
        for run in &self.results {
            let market = run.kept.market;
            let known =
                market.is_none_or(|market| schedules.contains(&market)) && ids.contains(&run.kept.scan);
            let why = "a result is there twice, or belongs to another project";
            check(known && scans.insert(run.kept.scan), why)?;
        }
        Ok(())
    }

    /// Refuses questions that are not those of a version.
    fn check_questions(&self) -> Result<(), Unreadable> {
        let order = &self.head.project.order;
        let (set, list) = (asked(order), listed(order));
        if set.is_none() && list.is_empty() {
            return Ok(());
        }
        let is_same = |version: &&QuestionsRecord| {
            set.as_ref()
                .is_some_and(|set| set.version == version.version && set.hash == version.hash)
        };
        let version = self.versions.iter().find(is_same);
        let own = version.and_then(|version| version.questions.unpack().ok());
        let own: Option<Vec<OwnQuestion>> = own.and_then(|own| serde_json::from_slice(&own).ok());
        match own {
            Some(own) if own.len() == list.len() && shared(&list, &own) == list.len() => Ok(()),
            Some(_) | None => Err("its questions are those of no version".into()),
        }
    }

    fn store(
        &self,
        store: &Store,
        draft: &ProjectDraft,
        project: &NewProject<'_>,
    ) -> Result<bool, StoreError> {
        let (now, id) = (Timestamp::now(), draft.id);
        let owner = ScheduleOwner::Project(id).name();
        let drafts = self.schedule_drafts(draft)?;
        let written = drafts.iter().map(|(id, draft)| (*id, draft.written(*id, now)));
        let written: Vec<_> = written.collect();
        let schedules = written.iter();
        let schedules = schedules.map(|(schedule, written)| written.of_project(*schedule, id, &owner));
        let schedules: Vec<NewSchedule<'_>> = schedules.collect();
        let markets = self.head.project.schedules.iter();
        let markets: Vec<_> = markets
            .filter_map(|one| {
                one.market
                    .clone()
                    .map(|(place, language)| (one.id, place, language))
            })
            .collect();
        let last = self.versions.last();
        let set = last.map(|last| draft.question_set(last.version, now));
        let results = self.results.iter().map(|read| ImportedResult {
            kept: &read.kept,
            created_at: read.created_at,
            sandbox: read.sandbox,
            method: &read.method,
            document: &read.document,
            answers: read.answers.as_ref(),
            calls: read.calls,
            cells: &read.cells,
            mentions: read.mentions.as_ref(),
        });
        let results: Vec<ImportedResult<'_>> = results.collect();
        let own_files = self.own_data.iter();
        let own_files = own_files.map(|(file, at)| (file.new_file(OwnFileId::random()), *at));
        let own_files: Vec<_> = own_files.collect();
        let import = ProjectImport {
            project,
            created_at: self.head.project.created_at,
            imported_at: now.as_millisecond(),
            failures: self.head.project.failures,
            schedules: &schedules,
            markets: &markets,
            set: set.as_ref().map(|set| (set, self.versions.as_slice())),
            rivals: &self.rivals,
            annotations: &self.notes,
            actions: &self.actions,
            ended: &self.ended,
            results: &results,
            questions: &self.questions,
            own_files: &own_files,
            answers: &[],
        };
        store.import_project(&import, MOST_PROJECTS)
    }

    /// The schedules, each with the questions that it kept.
    fn schedule_drafts(&self, draft: &ProjectDraft) -> Result<Vec<(ScheduleId, ScheduleDraft)>, StoreError> {
        let mut markets = draft.markets.iter();
        let mut drafts = Vec::new();
        for one in &self.head.project.schedules {
            let of_market = one.market.as_ref().and_then(|_| markets.next());
            let schedule = of_market.map_or(&draft.schedule, |market| &market.schedule);
            let schedule = match &one.kept {
                None => schedule.clone().keeping_questions(),
                Some((questions, templates)) => schedule
                    .clone()
                    .asking_kept(questions, templates.clone())
                    .map_err(|_| StoreError::Damaged("questions"))?,
            };
            drafts.push((one.id, schedule));
        }
        Ok(drafts)
    }
}

/// Reads line by line, within bounds, because the file is hostile.
struct Lines<'a>(JsonLines<BufReader<Take<GzDecoder<&'a [u8]>>>>);

impl<'a> Lines<'a> {
    fn of(file: &'a [u8], most: u64) -> Self {
        Self(JsonLines::new(BufReader::new(GzDecoder::new(file).take(most))))
    }

    fn number(&self) -> u64 {
        self.0.number()
    }

    fn next(&mut self) -> Result<Option<&str>, Unreadable> {
        if self.0.number() >= MOST_LINES as u64 {
            return Err(format!("it has more than {MOST_LINES} lines"));
        }
        let is_at_end = self.0.get_ref().get_ref().limit() == 0;
        match self.0.next(most_of) {
            Ok(None) if is_at_end => Err("it is too large".into()),
            Ok(line) => Ok(line),
            Err(LineFault::Io(_)) => Err("it is no file of the kind gzip, or is damaged".into()),
            Err(fault) => Err(fault.to_string()),
        }
    }
}

/// Returns how long a line may be: the first one lists all ids and questions, and others hold a run's document, or rows.
fn most_of(start: &[u8]) -> usize {
    let is_long = ["{\"ibidProjectArchive\"", "{\"result\"", "{\"ownData\""];
    match is_long.iter().any(|long| start.starts_with(long.as_bytes())) {
        true => JsonLines::<&[u8]>::OF_RESULTS,
        false => JsonLines::<&[u8]>::ORDINARY,
    }
}

/// New ids by old ones, so that a project can be read twice.
struct NewIds {
    new: HashMap<String, String>,
    /// How the old and the new project name their questions.
    set: [String; 2],
}

impl NewIds {
    fn of(head: &ArchiveHead, id: ProjectId) -> Result<Self, Unreadable> {
        let old = head.project.id;
        let is_first = head.ids.first() == Some(&ScanId::from_bytes(*old.as_bytes()));
        check(
            is_first && head.ids.len() <= MOST_LINES,
            "its list of ids is damaged",
        )?;
        let others = head.ids.iter().skip(1);
        let others = others.map(|one| (one.to_string(), ScanId::random().to_string()));
        let own = (old.to_string(), id.to_string());
        Ok(Self {
            new: others.chain([own]).collect(),
            set: [old, id].map(|id| set_of(id).to_string()),
        })
    }

    /// Whether a first line has the new ids alone.
    fn are_all(&self, head: &ArchiveHead) -> bool {
        let new: BTreeSet<&str> = self.new.values().map(String::as_str).collect();
        let mut found = head.ids.iter().map(ToString::to_string);
        head.ids.first() == Some(&ScanId::from_bytes(*head.project.id.as_bytes()))
            && found.all(|id| new.contains(id.as_str()))
    }

    fn in_text(&self, text: &str) -> String {
        let (mut renamed, mut from) = (String::with_capacity(text.len()), 0);
        // An id has its first dash after eight digits, as in `0193a5c2-`.
        for (dash, _) in text.match_indices('-') {
            let start = dash.checked_sub(8).filter(|start| *start >= from);
            let old = start.and_then(|start| Some((start, text.get(start..start + 36)?)));
            if let Some((start, new)) = old.and_then(|(start, old)| Some((start, self.new.get(old)?))) {
                renamed.push_str(text.get(from..start).unwrap_or_default());
                renamed.push_str(new);
                from = start + 36;
            }
        }
        renamed.push_str(text.get(from..).unwrap_or_default());
        let [old, new] = &self.set;
        match renamed.contains(old) {
            true => renamed.replace(old, new),
            false => renamed,
        }
    }
}

fn check_head(head: &ArchiveHead) -> Result<(), Unreadable> {
    let project = &head.project;
    check_time(project.created_at)?;
    let own = ScheduleId::from_bytes(*project.id.as_bytes());
    let schedules = &project.schedules;
    let ids: BTreeSet<ScheduleId> = schedules.iter().map(|one| one.id).collect();
    let first = schedules
        .first()
        .is_some_and(|first| first.id == own && first.market.is_none());
    let are_single = ids.len() == schedules.len() && schedules.len() <= MOST_SCHEDULES;
    check(first && are_single, "its schedules are damaged")?;
    // New ids alone are stored: one that the list does not name would be that of another project.
    let named: BTreeSet<[u8; 16]> = head.ids.iter().map(|id| *id.as_bytes()).collect();
    let are_named = ids.iter().all(|id| named.contains(id.as_bytes()));
    check(are_named, "its list of ids is damaged")?;
    let texts = |kept: &(Vec<KeptQuestion>, String)| check_texts([kept.1.as_str()]);
    schedules
        .iter()
        .filter_map(|one| one.kept.as_ref())
        .try_for_each(texts)
}

fn read_version(version: ArchivedVersion, before: usize) -> Result<QuestionsRecord, Unreadable> {
    check_texts([version.source.as_str()])?;
    check_time(version.created_at)?;
    let follows =
        version.version as usize > before && version.parent.is_none_or(|parent| parent < version.version);
    let list = OwnQuestion::list(&version.questions).map_err(|faults| first_of(&faults))?;
    let packed = Packed::of(&list).map_err(|_| "a version of the questions is too long")?;
    let is_same = packed.hash == version.hash;
    check(follows && is_same, "a version of the questions was changed")?;
    let new = packed.with_source(&version.source);
    Ok(QuestionsRecord {
        version: version.version,
        hash: version.hash,
        parent: version.parent,
        source: version.source.clone(),
        count: new.count,
        questions: new.questions.clone(),
        created_at: version.created_at,
    })
}

fn read_note(note: ArchivedNote) -> Result<AnnotationRecord, Unreadable> {
    let body = Map::from_iter([
        ("day".to_owned(), json!(note.day)),
        ("text".to_owned(), json!(note.text)),
    ]);
    let read = AnnotationDraft::read(&body).map_err(|faults| first_of(&faults))?;
    let kind = match note.by_people {
        true => AnnotationKind::Note,
        false => AnnotationKind::Set,
    };
    Ok(AnnotationRecord {
        kind,
        ..read.into_record()
    })
}

fn read_action(action: ArchivedAction) -> Result<ActionRecord, Unreadable> {
    let draft = ActionDraft::read(&action.written).map_err(|faults| first_of(&faults))?;
    let times = [action.agreed_at, action.created_at];
    for time in times.into_iter().chain(action.judged_at) {
        check_time(time)?;
    }
    let mut record = draft
        .into_record(action.created_at)
        .map_err(|faults| first_of(&faults))?;
    record.agreed_at = action.agreed_at;
    record.judged_at = action.judged_at;
    // A test belongs to an action that is done, and to no other.
    let is_done = record.status == ActionStatus::Done;
    let has_test = is_done == action.test.is_some() && is_done == record.done_on.is_some();
    check(has_test, "an action has no test, or one before it is done")?;
    record.test = action.test.map(|test| json!(test).to_string());
    record.finding = action.finding.map(|found| json!(found).to_string());
    Ok(record)
}

fn read_own_data(own: ArchivedOwnData, domain: &Domain) -> Result<(ReadFile, Millis), Unreadable> {
    check_texts([own.name.as_str()])?;
    check_time(own.imported_at)?;
    for row in &own.rows {
        row.check(domain)
            .map_err(|why| format!("a row of own data {why}"))?;
    }
    let hash = HEXLOWER.decode(own.hash.as_bytes()).ok();
    let hash = hash
        .and_then(|hash| hash.try_into().ok())
        .ok_or("a hash is damaged")?;
    let file = ReadFile::archived(own.name, hash, &own.rows.into_iter().collect());
    Ok((file.map_err(|_| "own data cannot be packed")?, own.imported_at))
}

fn check_ended(run: &EndedRun) -> Result<(), Unreadable> {
    check_time(run.firing.due)?;
    check_time(run.ended_at)?;
    check_cost(run.cost)?;
    let is_word = !run.outcome.is_empty()
        && run.outcome.len() <= 40
        && run
            .outcome
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    check(is_word, "the outcome of a run is no word")
}

fn read_run(result: ArchivedResult) -> Result<ReadResult, Unreadable> {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Named {
        scan_id: ScanId,
    }
    let kept = result.run;
    check_time(kept.ended_at)?;
    check_time(result.created_at.saturating_mul(1_000))?;
    check_cost(kept.cost)?;
    let place = kept.place.as_deref().unwrap_or_default();
    let set = kept.question_set.as_deref().unwrap_or_default();
    check_texts([kept.keyword.as_str(), place, set, &result.method])?;
    let document = result.document.get();
    let named: Named = serde_json::from_str(document).map_err(|_| "a result has no id")?;
    let read = read_result(document.as_bytes());
    let read = read.map_err(|_| "a result is damaged, or of a newer program")?;
    let is_bounded = serde_json::from_str::<BoundedNumbers>(document).is_ok();
    let is_scan = named.scan_id == kept.scan && !is_audit(document.as_bytes());
    check(is_scan && is_bounded, "a result is damaged")?;
    let numbers = |cell: &Cell| {
        [
            cell.valid,
            cell.cited,
            cell.linked,
            cell.named,
            cell.score_sum,
            cell.rank_sum,
            cell.searched,
        ]
    };
    for cell in &result.cells {
        check_texts([cell.question.as_str(), &cell.place, &cell.model])?;
        let are_small = numbers(cell).iter().all(|number| i32::try_from(*number).is_ok());
        check(
            cell.run == kept.scan && are_small,
            "the counts of a run are damaged",
        )?;
    }
    let calls = read.models.iter().map(|model| model.answers.len()).sum::<usize>();
    Ok(ReadResult {
        created_at: result.created_at,
        sandbox: result.sandbox,
        method: result.method,
        document: PackedAnswers::of(document.as_bytes()).map_err(|_| "a result cannot be packed")?,
        answers: packed::<ibid_engine::Evidence>(
            result.evidence.as_deref(),
            "the answers of a run are damaged",
        )?,
        mentions: packed::<RunMentions>(result.mentions.as_deref(), "what a run names is damaged")?,
        calls: u32::try_from(calls).unwrap_or(u32::MAX),
        cells: result.cells,
        kept,
    })
}

/// A document that can be read as a `T`, packed.
fn packed<T: for<'de> Deserialize<'de>>(
    document: Option<&RawValue>,
    fault: &str,
) -> Result<Option<PackedAnswers>, Unreadable> {
    let Some(document) = document.map(RawValue::get) else {
        return Ok(None);
    };
    serde_json::from_str::<T>(document).map_err(|_| fault)?;
    let packed = PackedAnswers::of(document.as_bytes());
    packed.map(Some).map_err(|_| fault.to_owned())
}

/// A document whose numbers can all be added up. Nothing of it is built.
struct BoundedNumbers;

impl<'de> Deserialize<'de> for BoundedNumbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for BoundedNumbers {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a document with bounded numbers")
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Self, E> {
        match number.abs() < LARGEST {
            true => Ok(self),
            false => Err(E::custom("a number is too large")),
        }
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self, A::Error> {
        while elements.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        while members.next_entry::<IgnoredAny, Self>()?.is_some() {}
        Ok(self)
    }
}

fn check_texts<const N: usize>(texts: [&str; N]) -> Result<(), Unreadable> {
    let fits = |text: &str| text.chars().count() <= TEXT_CHARS && !text.chars().any(char::is_control);
    let fit = texts.into_iter().all(fits);
    check(fit, "a text is too long, or has invisible characters")
}

fn check(holds: bool, why: &str) -> Result<(), Unreadable> {
    holds.then_some(()).ok_or_else(|| why.to_owned())
}

fn check_time(at: Millis) -> Result<(), Unreadable> {
    check((0..LATEST).contains(&at), "a time is out of range")
}

/// Refuses a cost of more than a million dollars.
fn check_cost(cost: u64) -> Result<(), Unreadable> {
    check(cost <= 1_000_000_000_000, "a cost is out of range")
}

fn first_of(faults: &Faults) -> Unreadable {
    let first = faults.iter().next().map(|fault| fault.message.clone());
    first.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write as _;

    #[test]
    fn a_bomb_ends_at_the_bound() {
        let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
        bomb.write_all(&[b'\n'; 100]).unwrap();
        bomb.write_all(&vec![b' '; 100_000]).unwrap();
        let bomb = bomb.finish().unwrap();
        let read = |most| {
            let mut lines = Lines::of(&bomb, most);
            loop {
                match lines.next() {
                    Ok(None) => return Ok(lines.number()),
                    Ok(Some(_)) => {}
                    Err(why) => return Err(why),
                }
            }
        };
        assert_eq!(read(1_000_000), Ok(101));
        assert_eq!(read(10_000), Err("it is too large".to_owned()));
        assert!(read(100_100).is_err());
    }
}
