//! Making, reading, changing and deleting projects.

use super::conversions::{at_the_root, change, this_month};
use super::draft::{ProjectDraft, name_of};
use super::handle::Projects;
use super::markets::{MARKETS, put_all};
use super::questions::mark;
use super::view::ProjectView;
use crate::error::Error;
use crate::schedules::{Recurrence, ScheduleOwner, next_due};
use ibid_model::contract::field as f;
use ibid_model::{FaultCode, Faults, OrganisationId, ProjectSettings};
use ibid_store::{
    AnnotationRecord, OrganisationRecord, ProjectContents, ProjectCounts, ProjectEdit, ProjectEdited,
    ProjectReader, ProjectScope, ProjectStatus, Right, Store, StoreError,
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// Most projects in an organisation: half would bound a large agency, twice is a list with a megabyte.
pub(super) const MOST_PROJECTS: u32 = 200;

impl ProjectDraft {
    /// Stores the project in an organisation, as made at a time, with its next run after `now`.
    /// Returns whether the organisation may have another one.
    pub(super) fn store(
        &self,
        store: &Store,
        organisation: OrganisationId,
        actor: &str,
        made_at: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.stored(organisation, actor, now, |order| {
            store.add_project(self.id, &order, MOST_PROJECTS, made_at.as_millisecond())
        })
    }
}

impl Projects {
    /// Makes a project.
    ///
    /// # Errors
    /// As [`Self::draft`]; [`Error::Forbidden`] for a reader that manages no organisation; [`Error::Invalid`] for a
    /// project too many; [`Error::Store`].
    pub async fn add(&self, reader: ProjectReader, body: &Map<String, Value>) -> Result<ProjectView, Error> {
        let (organisation, actor) = self.own_organisation(reader).await?;
        let draft = self.draft(reader, body).await?;
        let (id, forecast) = (draft.id, draft.forecast.clone());
        let now = Timestamp::now();
        let added = self.in_store(move |store| draft.store(store, organisation, &actor, now, now));
        if !added.await? {
            return Err(too_many());
        }
        let scope = self.scope(reader, &id.to_string(), Right::ReadProject).await?;
        let view = self.get(&scope).await?;
        Ok(ProjectView {
            forecast: Some(forecast),
            ..view
        })
    }

    /// Returns what a reader sees: first what wants attention, then the latest change.
    pub async fn all(&self, reader: ProjectReader) -> Result<Vec<ProjectView>, Error> {
        let records = self.in_store(move |store| store.projects(reader, this_month()));
        let views = records.await?.into_iter().map(|record| ProjectView {
            record,
            schedule: None,
            markets: Vec::new(),
            forecast: None,
        });
        let mut views: Vec<ProjectView> = views.collect();
        views.sort_by_cached_key(ProjectView::rank);
        Ok(views)
    }

    /// A project with its order and times.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] if it was deleted meanwhile; [`Error::Store`].
    pub async fn get(&self, scope: &ProjectScope) -> Result<ProjectView, Error> {
        let read = self.of(scope, move |store, scope| {
            Ok((
                store.project(scope, this_month())?,
                store.markets(scope.project())?,
            ))
        });
        let (record, markets) = read.await?;
        let record = record.ok_or(Error::ProjectNotFound)?;
        let schedule = self.schedules.get(&owner(scope), scope.schedule()).await;
        Ok(ProjectView {
            record,
            schedule: Some(schedule.map_err(not_found)?),
            markets,
            forecast: None,
        })
    }

    /// Changes a project. Members missing from the body stay as they are; `status` pauses, resumes or archives.
    pub async fn edit(&self, scope: &ProjectScope, body: &Map<String, Value>) -> Result<ProjectView, Error> {
        let status = status_of(body)?;
        let before = self.get(scope).await?;
        let mut body = body.clone();
        let settings = before.record.settings.changed(&mut body)?;
        if body
            .get("name")
            .is_some_and(|name| name != before.record.name.as_str())
        {
            let mut faults = Faults::default();
            name_of(&body, "name", &mut faults);
            faults.into_result(())?;
        }
        let mut draft = None;
        if body.keys().any(|member| member != "status") {
            let (order, mut read) = self.draft_of_edit(scope, &before, &body).await?;
            if order == read.schedule.order {
                read.schedule = read.schedule.keeping_questions();
            }
            let mark = mark(&order, &read.schedule.order);
            draft = Some((read, mark));
        }
        let forecast = draft.as_ref().map(|(draft, _)| draft.forecast.clone());
        let edit = Edit {
            members: json!({"members": body.keys().collect::<Vec<_>>()}).to_string(),
            draft,
            status,
            settings,
            recurrence: before.schedule.map(|view| view.recurrence),
        };
        match self
            .of(scope, move |store, scope| edit.store(store, scope))
            .await?
        {
            ProjectEdited::Stored => {}
            ProjectEdited::QuestionsChanged(latest) => return Err(Error::QuestionSetChanged { latest }),
            ProjectEdited::Unknown => return Err(Error::ProjectNotFound),
        }
        Ok(ProjectView {
            forecast,
            ..self.get(scope).await?
        })
    }

    /// Reads a change without making it: the order before it, and the project as it would be.
    pub async fn draft_of_edit(
        &self,
        scope: &ProjectScope,
        before: &ProjectView,
        body: &Map<String, Value>,
    ) -> Result<(Map<String, Value>, ProjectDraft), Error> {
        let (order, whole) = changed(before, body);
        let draft = self
            .drafted(scope.project(), scope.account(), &whole, Some(&order))
            .await?;
        Ok((order, draft))
    }

    /// Counts all projects, for metrics.
    pub async fn counts(&self) -> Result<ProjectCounts, Error> {
        self.in_store(|store| store.project_counts()).await
    }

    /// Counts what goes with a project.
    pub async fn contents(&self, scope: &ProjectScope) -> Result<ProjectContents, Error> {
        self.of(scope, Store::project_contents).await
    }

    /// Deletes a project with everything of it, and returns what went.
    ///
    /// # Errors
    /// [`Error::ScheduleRunning`] while a run is under way; [`Error::Store`].
    pub async fn delete(&self, scope: &ProjectScope) -> Result<ProjectContents, Error> {
        let contents = self.contents(scope).await?;
        let deleted = self.of(scope, move |store, scope| {
            store.delete_project(scope, crate::clock::now_ms())
        });
        deleted.await?.then_some(contents).ok_or(Error::ScheduleRunning)
    }

    /// Returns an account's organisations, with their monthly budgets.
    pub async fn organisations(
        &self,
        account: ibid_model::AccountId,
    ) -> Result<Vec<OrganisationRecord>, Error> {
        self.in_store(move |store| store.organisations(account)).await
    }

    /// Returns where a reader makes projects, and the reader's name in the log there.
    pub(super) async fn own_organisation(
        &self,
        reader: ProjectReader,
    ) -> Result<(OrganisationId, String), Error> {
        match reader {
            ProjectReader::Account(account) => {
                let found = self.in_store(move |store| match store.account_by_id(account)? {
                    Some(record) if record.role.may_change() => {
                        store.own_organisation(account, &record.email, crate::clock::now_ms())
                    }
                    Some(_) | None => Ok(None),
                });
                let organisation = found.await?.ok_or(Error::Forbidden)?;
                Ok((organisation, format!("account {account}")))
            }
            ProjectReader::Key(key) => {
                let organisation = key.makes_projects_of().ok_or(Error::Forbidden)?;
                Ok((organisation, key.actor()))
            }
        }
    }
}

/// An edit of a project as it was read: it is stored whole or not at all.
struct Edit {
    /// What it changes, for the log: names of members, such as `keyword`.
    members: String,
    /// The project as it becomes, with the mark of changed questions.
    draft: Option<(ProjectDraft, Option<(AnnotationRecord, String)>)>,
    status: Option<ProjectStatus>,
    settings: Option<ProjectSettings>,
    /// When it ran before the edit.
    recurrence: Option<Recurrence>,
}

impl Edit {
    fn store(&self, store: &Store, scope: &ProjectScope) -> Result<ProjectEdited, StoreError> {
        let now = Timestamp::now();
        let draft = self.draft.as_ref();
        let mark = draft.and_then(|(_, mark)| mark.as_ref());
        let settings = self.settings.as_ref().map(|settings| json!(settings).to_string());
        let status = self.status.map(|status| match status {
            ProjectStatus::Active => "project_resumed",
            ProjectStatus::Paused => "project_paused",
            ProjectStatus::Archived => "project_archived",
        });
        let changes = [
            draft.map(|_| change("project_changed", &self.members)),
            mark.map(|(_, members)| change("questions_changed", members)),
            status.map(|action| change(action, "{}")),
            settings.as_deref().map(|members| change("settings_set", members)),
        ];
        let changes: Vec<_> = changes.into_iter().flatten().collect();
        let recurrence = draft.map(|(draft, _)| &draft.schedule.recurrence);
        let recurrence = recurrence.or(self.recurrence.as_ref());
        let next = recurrence.and_then(|recurrence| next_due(recurrence, scope.schedule(), now));
        let edit = ProjectEdit {
            order: None,
            mark: mark.map(|(mark, _)| mark),
            status: self.status,
            next_due: next.map(Timestamp::as_millisecond),
            settings: self.settings.as_ref(),
            changes: &changes,
            at: now.as_millisecond(),
        };
        match draft {
            None => store.edit_project(scope, &edit),
            Some((draft, _)) => draft.stored(scope.organisation(), "", now, |order| {
                let order = Some(order);
                store.edit_project(scope, &ProjectEdit { order, ..edit })
            }),
        }
    }
}

pub(super) fn too_many() -> Error {
    let message = format!("an organisation has at most {MOST_PROJECTS} projects: delete one first");
    Error::fault("", FaultCode::OutOfRange, message)
}

/// Returns the order as it is, and the body that would make the project with the changes in `body`.
pub(super) fn changed(
    before: &ProjectView,
    body: &Map<String, Value>,
) -> (Map<String, Value>, Map<String, Value>) {
    let order = before.schedule.as_ref().map(|view| view.order.clone());
    let order = order.unwrap_or_default();
    let mut whole = order.clone();
    whole.retain(|member, _| member != f::QUESTIONS.name && member != f::QUESTION_SET.name);
    whole.insert("name".to_owned(), json!(before.record.name));
    if let Some(view) = &before.schedule {
        let terms = view.body();
        whole.extend(
            terms
                .into_iter()
                .filter(|(member, _)| member == "recurrence" || member == "monthlyBudgetUsd"),
        );
    }
    if body.contains_key(MARKETS) {
        whole.remove(f::LOCATION.name);
        whole.remove(f::LANGUAGE.name);
    }
    whole.extend(body.clone());
    if !body.contains_key(MARKETS) {
        let others = before.markets.iter();
        let others = others.map(|market| (market.place.clone(), market.language.clone()));
        put_all(&mut whole, others.collect());
    }
    (order, whole)
}

pub(super) const fn owner(scope: &ProjectScope) -> ScheduleOwner {
    ScheduleOwner::Project(scope.project())
}

/// A schedule is gone only with its project.
pub(super) fn not_found(error: Error) -> Error {
    match error {
        Error::ScheduleNotFound => Error::ProjectNotFound,
        Error::Invalid(faults) => Error::Invalid(at_the_root(&faults)),
        error => error,
    }
}

fn status_of(body: &Map<String, Value>) -> Result<Option<ProjectStatus>, Error> {
    let Some(value) = body.get("status") else {
        return Ok(None);
    };
    let all = [
        ProjectStatus::Active,
        ProjectStatus::Paused,
        ProjectStatus::Archived,
    ];
    let known = all
        .into_iter()
        .find(|status| value.as_str() == Some(status.as_str()));
    let message = "status must be active, paused or archived";
    let known = known.ok_or_else(|| Error::fault("/status", FaultCode::Invalid, message))?;
    Ok(Some(known))
}
