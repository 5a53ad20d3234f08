//! A project from what another tracker exported: it is stored at once with the beginning of its import, and its answers
//! follow in pieces.

use super::conversions::{account_of, id_of};
use super::draft::ProjectDraft;
use super::foreign_answers::{AnswerImportDraft, AnswerImportView};
use super::handle::Projects;
use super::lifecycle::{MOST_PROJECTS, too_many};
use super::rivals_and_notes::{MOST_RIVALS, RivalDraft};
use super::view::ProjectView;
use crate::error::Error;
use crate::schedules::ScheduleOwner;
use ibid_model::{AnswerImportId, FaultCode, Faults, ProjectId, ScheduleId};
use ibid_store::{
    ImportedAnswers, NewProject, NewSchedule, ProjectImport, ProjectReader, Right, RivalRecord, Store,
    StoreError,
};
use jiff::Timestamp;
use serde_json::{Map, Value};

/// Projects of one file that may have been deleted before it comes again.
const MOST_TRIES: u32 = 100;

impl Projects {
    /// Makes a project from what another tracker exported, or finds the one that the same file made before. `project` has the
    /// members of a new project, `rivals` lists competitors, and `import` is read as [`AnswerImportDraft`]. The project waits
    /// until someone resumes it. Returns whether it was made.
    pub async fn move_in(
        &self,
        reader: ProjectReader,
        body: &Map<String, Value>,
    ) -> Result<(ProjectView, AnswerImportView, bool), Error> {
        let (organisation, actor) = self.own_organisation(reader).await?;
        let mut faults = Faults::default();
        let object = |name: &str, faults: &mut Faults| match body.get(name) {
            Some(Value::Object(members)) => members.clone(),
            _ => {
                let message = format!("{name} must be an object");
                faults.push(format!("/{name}"), FaultCode::Required, message);
                Map::new()
            }
        };
        let project = object("project", &mut faults);
        let import = object("import", &mut faults);
        let rivals = rivals_of(body.get("rivals"), &mut faults);
        let import = match AnswerImportDraft::read(&import) {
            Ok(import) => import,
            Err(found) => {
                faults.append(found.below("/import"));
                return Err(faults.into());
            }
        };
        faults.into_result(())?;
        let subject = ["domain", "keyword"].map(|name| project.get(name).map(Value::to_string));
        let subject = subject.map(Option::unwrap_or_default).join("\n");
        for number in 0..MOST_TRIES {
            let id = moved_id(organisation.as_bytes(), import.sha256(), &subject, number);
            let found = self
                .in_store(move |store| Ok((store.is_project_deleted(id)?, store.project_scope(reader, id)?)));
            let (is_deleted, scope) = found.await?;
            if is_deleted {
                continue;
            }
            if let Some(scope) = scope.filter(|scope| scope.may(Right::EditProject)) {
                let begun = self.begin_answers(&scope, import).await?;
                return Ok((self.get(&scope).await?, begun, false));
            }
            let draft = self
                .drafted(id, account_of(reader), &project, None)
                .await
                .map_err(|error| match error {
                    Error::Invalid(faults) => Error::Invalid(faults.below("/project")),
                    error => error,
                })?;
            let (actor, of_file) = (actor.clone(), import.clone());
            let rivals = rivals.clone();
            let answers = AnswerImportId::random();
            let stored = self.in_store(move |store| {
                let project = NewProject {
                    organisation,
                    name: &draft.name,
                    subject: draft.subject(),
                    actor: &actor,
                };
                let import = ImportedAnswers {
                    import: of_file.with_id(answers),
                    parts: &[],
                    days: None,
                };
                match draft.store_whole(store, &project, &rivals, &[import]) {
                    // An equal request was faster.
                    Err(StoreError::Exists) => Ok(None),
                    stored => stored.map(Some),
                }
            });
            let stored = stored.await?;
            if stored == Some(false) {
                return Err(too_many());
            }
            let scope = self.scope(reader, &id.to_string(), Right::EditProject).await?;
            let begun = self.begin_answers(&scope, import).await?;
            return Ok((self.get(&scope).await?, begun, stored.is_some()));
        }
        Err(too_many())
    }
}

impl ProjectDraft {
    /// Stores the project with its questions, markets, rivals and imports in one transaction. It waits.
    fn store_whole(
        &self,
        store: &Store,
        project: &NewProject<'_>,
        rivals: &[RivalRecord],
        answers: &[ImportedAnswers<'_>],
    ) -> Result<bool, StoreError> {
        let now = Timestamp::now();
        let owner = ScheduleOwner::Project(self.id).name();
        let own = ScheduleId::from_bytes(*self.id.as_bytes());
        let others = self.markets.iter();
        let others = others.map(|market| (ScheduleId::random(), &market.schedule));
        let all = std::iter::once((own, &self.schedule)).chain(others);
        let written: Vec<_> = all.map(|(id, draft)| (id, draft.written(id, now))).collect();
        let schedules = written.iter();
        let schedules = schedules.map(|(id, written)| written.of_project(*id, self.id, &owner));
        let schedules: Vec<NewSchedule<'_>> = schedules.collect();
        let markets = schedules.iter().skip(1).zip(&self.markets);
        let markets = markets.map(|(schedule, market)| {
            let (place, language) = market.market.clone();
            (schedule.id, place, language)
        });
        let markets: Vec<_> = markets.collect();
        let version = self.version.as_ref().map(|version| version.first(now));
        let set = self.question_set(1, now);
        let import = ProjectImport {
            project,
            created_at: now.as_millisecond(),
            imported_at: now.as_millisecond(),
            failures: 0,
            schedules: &schedules,
            markets: &markets,
            set: version
                .as_ref()
                .map(|version| (&set, std::slice::from_ref(version))),
            rivals,
            annotations: &[],
            ended: &[],
            results: &[],
            questions: &[],
            actions: &[],
            own_files: &[],
            answers,
        };
        store.import_project(&import, MOST_PROJECTS)
    }
}

/// Reads a list of competitors.
fn rivals_of(value: Option<&Value>, faults: &mut Faults) -> Vec<RivalRecord> {
    let list = match value {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(list)) if list.len() <= MOST_RIVALS as usize => list,
        Some(_) => {
            let message = format!("rivals must be a list of at most {MOST_RIVALS} competitors");
            faults.push("/rivals", FaultCode::OutOfRange, message);
            return Vec::new();
        }
    };
    let mut rivals: Vec<RivalRecord> = Vec::new();
    for (at, value) in list.iter().enumerate() {
        let members = value.as_object().cloned().unwrap_or_default();
        match RivalDraft::read(&members) {
            Ok(rival) if rivals.iter().any(|known| known.name == rival.name()) => {}
            Ok(rival) => rivals.push(rival.into_record()),
            Err(found) => faults.append(found.below(&format!("/rivals/{at}"))),
        }
    }
    rivals
}

fn moved_id(organisation: &[u8; 16], file: &[u8; 32], subject: &str, number: u32) -> ProjectId {
    let (subject, number) = (subject.as_bytes(), number.to_le_bytes());
    ProjectId::from_bytes(id_of(&[
        b"ibid moved project",
        organisation,
        file,
        subject,
        &number,
    ]))
}
