//! Organisations, their projects, and what belongs to a project.
//!
//! A project has a schedule of the same id, which has its order, its times and its budget.
//! What a person or a key reads or changes of a project goes through a [`ProjectScope`].

mod action;
mod archive;
mod record;

pub use action::{ActionRecord, ActionStatus, ProjectActions};
pub use archive::{
    EndedRun, ImportedAnswers, ImportedResult, KeptResult, KeptSchedule, ProjectArchives, ProjectImport,
    ProjectRows,
};
pub use record::{
    AnnotationKind, AnnotationRecord, ApiKey, ApiKeyRecord, BadgeNumbers, Cell, FoundRival, MarketNumbers,
    MarketRecord, ModelSum, NewApiKey, NewProject, OrganisationRecord, OrganisationRole, PastResult, PastRun,
    ProjectChange, ProjectContents, ProjectCounts, ProjectEvent, ProjectFindings, ProjectNumbers,
    ProjectPerson, ProjectReader, ProjectRecord, ProjectRight, ProjectRole, ProjectRunEnd, ProjectRunRecord,
    ProjectScope, ProjectSubject, QuestionSum, Reservation, RivalRecord, RivalState, RunReading,
};

use crate::schedule::{NewSchedule, ScheduleStart};
use crate::{Millis, PackedAnswers, StoreError};
use ibid_model::{AccountId, AnnotationId, ApiKeyId, OrganisationId, ProjectId, RivalId, ScanId, ScheduleId};

/// Stores organisations and projects. Every method is one transaction.
pub trait Projects: Send + Sync + 'static {
    /// Returns the organisation that an account is the admin of. An account that is in none gets one with this name.
    fn own_organisation(
        &self,
        account: AccountId,
        name: &str,
        now: Millis,
    ) -> Result<Option<OrganisationId>, StoreError>;

    /// Returns the organisations of an account, the oldest membership first.
    fn organisations(&self, account: AccountId) -> Result<Vec<OrganisationRecord>, StoreError>;

    /// Sets what the runs of a month of an organisation may cost. Returns whether there is such an organisation.
    fn set_organisation_budget(
        &self,
        organisation: OrganisationId,
        budget: u64,
        now: Millis,
    ) -> Result<bool, StoreError>;

    /// Adds a person to an organisation, or changes the role there.
    fn put_member(
        &self,
        organisation: OrganisationId,
        account: AccountId,
        role: OrganisationRole,
        now: Millis,
    ) -> Result<(), StoreError>;

    /// Returns the proof that a reader may see a project, if it may.
    fn project_scope(
        &self,
        reader: ProjectReader,
        project: ProjectId,
    ) -> Result<Option<ProjectScope>, StoreError>;

    /// Returns the scope of work that the program does for a project by itself, such as the report of a digest; `None` if it was
    /// deleted. The id comes from a stored row, never from a request.
    fn program_scope(&self, project: ProjectId) -> Result<Option<ProjectScope>, StoreError>;

    /// Returns the projects that a reader may see, by name, with what they spent since `from`.
    fn projects(&self, reader: ProjectReader, from: Millis) -> Result<Vec<ProjectRecord>, StoreError>;

    /// Stores a project with its schedule, and returns whether it did: an organisation has at most `most`, or one more
    /// after two calls at the same moment.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken; otherwise the fault of the database.
    fn add_project(
        &self,
        project: &NewProject<'_>,
        schedule: &NewSchedule<'_>,
        most: u32,
        now: Millis,
    ) -> Result<bool, StoreError>;

    /// Returns a project with what it spent since `from`.
    fn project(&self, scope: &ProjectScope, from: Millis) -> Result<Option<ProjectRecord>, StoreError>;

    /// Changes the name and the subject of a project.
    fn set_project(
        &self,
        scope: &ProjectScope,
        name: &str,
        subject: ProjectSubject<'_>,
        change: ProjectChange<'_>,
    ) -> Result<(), StoreError>;

    /// Archives a project and pauses its schedules, or opens it again; its schedules then stay paused.
    fn archive_project(
        &self,
        scope: &ProjectScope,
        archived: bool,
        change: ProjectChange<'_>,
    ) -> Result<(), StoreError>;

    /// Whether there was a project of this id, which was deleted.
    fn is_project_deleted(&self, project: ProjectId) -> Result<bool, StoreError>;

    fn project_counts(&self) -> Result<ProjectCounts, StoreError>;

    /// Looks for rows of projects that belong to nothing. Returns each kind of fault with its number of rows.
    fn project_faults(&self) -> Result<Vec<(&'static str, u64)>, StoreError>;

    /// Deletes the questions and answers of runs of projects that ended before a time, of at most `most` runs.
    /// Results and counts stay, and scans of accounts as they are. Returns the number of runs.
    fn forget_project_answers(&self, before: Millis, most: u32) -> Result<u64, StoreError>;

    /// Counts what is deleted with a project.
    fn project_contents(&self, scope: &ProjectScope) -> Result<ProjectContents, StoreError>;

    /// Deletes a project with everything of it, and returns whether it did: not while a run is open.
    /// Scans and schedules of accounts stay with the accounts. The log keeps who did what when.
    fn delete_project(&self, scope: &ProjectScope, now: Millis) -> Result<bool, StoreError>;
}

/// Stores the runs of projects and their numbers. Every method is one transaction.
pub trait ProjectRuns: Send + Sync + 'static {
    /// Reserves the estimates of a run of a project in all of its markets, in the budgets of the project and its organisation:
    /// all of them or none. Runs since `from` count. A repeated call replaces its earlier reservation.
    fn reserve_project_run(
        &self,
        firings: &[(ScheduleStart, u64)],
        from: Millis,
    ) -> Result<Reservation, StoreError>;

    /// Returns the other markets of a run of a project that have no scan yet, with what they have reserved.
    fn waiting_markets(&self, firing: ScheduleStart) -> Result<Vec<(ScheduleStart, u64)>, StoreError>;

    /// Returns the markets of a project apart from that of the project itself, in their order.
    fn markets(&self, project: ProjectId) -> Result<Vec<MarketRecord>, StoreError>;

    /// Stores a market with its schedule, in the place of the one with the same schedule.
    fn put_market(
        &self,
        schedule: &NewSchedule<'_>,
        market: (u32, Option<&str>, Option<&str>),
        now: Millis,
    ) -> Result<(), StoreError>;

    /// Forgets the markets of a project but these. Their runs stay, and count against the budgets.
    fn keep_markets(&self, project: ProjectId, kept: &[ScheduleId]) -> Result<(), StoreError>;

    /// Stores the numbers of a market and the cells of its runs.
    fn put_market_numbers(
        &self,
        market: (ProjectId, ScheduleId),
        numbers: &MarketNumbers,
        cells: (&[Cell], &[(String, String)]),
    ) -> Result<(), StoreError>;

    /// Stores the end of a run with a result. The numbers of the project wait for [`Self::put_project_numbers`].
    fn put_project_run(&self, project: ProjectId, end: &ProjectRunEnd<'_>) -> Result<(), StoreError>;

    /// Stores a run that has ended. The numbers of the project wait for [`Self::put_project_numbers`].
    ///
    /// # Errors
    /// [`StoreError::Exists`] for a time at which the project has a run; otherwise the fault of the database.
    fn put_past_project_run(&self, project: ProjectId, run: &PastRun<'_>) -> Result<(), StoreError>;

    /// Returns projects whose numbers wait.
    fn projects_to_judge(&self, most: u32) -> Result<Vec<ProjectId>, StoreError>;

    /// Returns the last runs of a market of a project, by its schedule, the oldest first, and whether they have cells. Without a
    /// market those with the keyword and place of the project itself.
    fn project_series(
        &self,
        project: ProjectId,
        market: Option<ScheduleId>,
        most: u32,
    ) -> Result<Vec<(ScanId, bool)>, StoreError>;

    /// Stores the numbers of a project whose last run is `last`. Returns whether that is still so.
    fn put_project_numbers(
        &self,
        project: ProjectId,
        last: ScanId,
        numbers: &ProjectNumbers<'_>,
    ) -> Result<bool, StoreError>;

    /// Returns runs of projects whose mentions are not kept yet, the latest first.
    fn runs_to_read(&self, most: u32) -> Result<Vec<(ProjectId, ScanId)>, StoreError>;

    /// Keeps what the answers of a run name and cite; `None` where its evidence is not kept.
    /// A project that was deleted meanwhile keeps nothing.
    fn put_mentions(
        &self,
        project: ProjectId,
        run: ScanId,
        mentions: Option<&PackedAnswers>,
    ) -> Result<(), StoreError>;

    /// Returns the mentions of the last runs with the keyword and place of a project, the oldest first. Runs that wait
    /// for theirs, and those without evidence, have none.
    fn project_mentions(
        &self,
        scope: &ProjectScope,
        most: u32,
    ) -> Result<Vec<(ScanId, Millis, RunReading)>, StoreError>;
    /// Returns what the row of a project keeps for its page.
    fn project_findings(&self, scope: &ProjectScope) -> Result<ProjectFindings, StoreError>;

    /// Returns runs of a project, the latest first: at most so many, after so many that are skipped.
    fn project_runs(
        &self,
        scope: &ProjectScope,
        page: (u32, u32),
    ) -> Result<Vec<ProjectRunRecord>, StoreError>;

    /// Whether a scan with a result is a run of the project.
    fn is_project_run(&self, scope: &ProjectScope, scan: ScanId) -> Result<bool, StoreError>;

    /// Returns the questions of the last `runs` runs of a project, by text.
    fn project_questions(&self, scope: &ProjectScope, runs: u32) -> Result<Vec<QuestionSum>, StoreError>;

    /// Returns the models of a run of a project, by alias.
    fn project_models(&self, scope: &ProjectScope, run: ScanId) -> Result<Vec<ModelSum>, StoreError>;
}

/// Stores the rivals, notes, people, keys and log of projects. Every method is one transaction.
pub trait ProjectParts: Send + Sync + 'static {
    /// Returns the rivals of a project, by name.
    fn rivals(&self, scope: &ProjectScope) -> Result<Vec<RivalRecord>, StoreError>;

    /// Stores a rival, in the place of one with the same name. Returns whether it did: a project has at most `most`.
    fn put_rival(
        &self,
        scope: &ProjectScope,
        rival: &RivalRecord,
        most: u32,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError>;

    /// Forgets a rival. Returns whether there was one.
    fn delete_rival(
        &self,
        scope: &ProjectScope,
        id: RivalId,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError>;

    /// Returns the notes of a project, by day.
    fn annotations(&self, scope: &ProjectScope) -> Result<Vec<AnnotationRecord>, StoreError>;

    /// Stores a note. Returns whether it did: a project has at most `most`.
    fn add_annotation(
        &self,
        scope: &ProjectScope,
        annotation: &AnnotationRecord,
        most: u32,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError>;

    /// Deletes a note. Returns whether there was one.
    fn delete_annotation(
        &self,
        scope: &ProjectScope,
        id: AnnotationId,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError>;

    /// Returns the people of the organisation of a project, by address.
    fn project_people(&self, scope: &ProjectScope) -> Result<Vec<ProjectPerson>, StoreError>;

    /// Sets the role of a person in a project, who becomes a member of its organisation; `None` takes the role away.
    fn set_project_role(
        &self,
        scope: &ProjectScope,
        account: AccountId,
        role: Option<ProjectRole>,
        change: ProjectChange<'_>,
    ) -> Result<(), StoreError>;

    /// Sets the name of the sender of the mails of a project, and the address for answers; `None` for those of the service.
    fn set_sender(
        &self,
        scope: &ProjectScope,
        sender: Option<&str>,
        reply_to: Option<&str>,
        change: ProjectChange<'_>,
    ) -> Result<(), StoreError>;

    /// Shows the badge of a project at the address with a token, or no badge. A badge that is shown keeps its token.
    fn set_badge(
        &self,
        scope: &ProjectScope,
        token: Option<&str>,
        change: ProjectChange<'_>,
    ) -> Result<(), StoreError>;

    /// Returns what the badge with a token shows. The token is the proof.
    fn badge(&self, token: &str) -> Result<Option<BadgeNumbers>, StoreError>;

    /// Returns the keys that open a project, the oldest first.
    fn api_keys(&self, scope: &ProjectScope) -> Result<Vec<ApiKeyRecord>, StoreError>;

    /// Stores a key to a project. Returns whether it did: a project has at most `most`.
    fn add_api_key(
        &self,
        scope: &ProjectScope,
        key: &NewApiKey<'_>,
        most: u32,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError>;

    /// Stores a key to every project of an organisation. An equal key is not stored again.
    fn add_organisation_key(
        &self,
        organisation: OrganisationId,
        key: &NewApiKey<'_>,
        now: Millis,
    ) -> Result<(), StoreError>;

    /// Ends a key to the project. Returns whether there was one.
    fn revoke_api_key(
        &self,
        scope: &ProjectScope,
        id: ApiKeyId,
        change: ProjectChange<'_>,
    ) -> Result<bool, StoreError>;

    /// Returns the key with this digest that has not ended, and notes its use.
    fn api_key(&self, hash: &[u8; 32], now: Millis) -> Result<Option<ApiKey>, StoreError>;

    /// Notes a change in the log of a project.
    fn note_project_change(&self, scope: &ProjectScope, change: ProjectChange<'_>) -> Result<(), StoreError>;

    /// Returns the log of a project, the latest first.
    fn project_events(&self, scope: &ProjectScope, most: u32) -> Result<Vec<ProjectEvent>, StoreError>;
}
