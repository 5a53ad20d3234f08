//! Records of organisations and projects.

use crate::durable_run::NewDurableRun;
use crate::question_set::NewQuestions;
use crate::schedule::{ScheduleStart, ScheduleTerms};
use crate::workspace::Role;
use crate::{Millis, NewScan, PackedAnswers, RunSummary};
use ibid_model::result::{History, Level};
use ibid_model::{
    AccountId, AnnotationId, ApiKeyId, OrganisationId, ProjectId, ProjectSettings, RivalId, ScanId,
    ScheduleId,
};
use serde::{Deserialize, Serialize};

/// One thing that a subject may do. No right contains another: [`Subject::rights`] says who has which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// See a project with its numbers.
    ReadProject,
    /// Start and stop its runs.
    RunProject,
    /// Change it and what belongs to it.
    EditProject,
    /// Manage its people and keys, read its log, delete it.
    AdminProject,
    /// Make projects, and manage what all projects of an organisation share.
    AdminOrganisation,
    /// Manage the server.
    Operate,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rights(u8);

impl Rights {
    pub fn of(rights: &[Right]) -> Self {
        let bits = rights.iter().map(|right| 1 << *right as u8);
        Self(bits.fold(0, std::ops::BitOr::bitor))
    }

    /// Whether a right is in the set.
    pub const fn has(self, right: Right) -> bool {
        self.0 & 1 << right as u8 != 0
    }
}

/// What stored rows say about who asks for a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// An account, with its role on the server, in the organisation and in the project.
    Person(Role, Option<OrganisationRole>, Option<ProjectRole>),
    /// A key to every project of an organisation.
    OrganisationKey(KeyAccess),
    ProjectKey(KeyAccess),
    /// A key to the feeds of a project.
    FeedKey,
    /// The program itself, for work that a person ordered before.
    Program,
}

impl Subject {
    /// Decides what the subject may do, and nothing else decides it. An organisation without an admin rests: nobody changes
    /// anything of it.
    pub fn rights(self, rests: bool) -> Rights {
        use Right::{AdminOrganisation, AdminProject, EditProject, Operate, ReadProject, RunProject};
        const ALL: &[Right] = &[
            ReadProject,
            RunProject,
            EditProject,
            AdminProject,
            AdminOrganisation,
        ];
        let held = match self {
            Self::Person(Role::Viewer, Some(OrganisationRole::Admin), _) => &[ReadProject],
            Self::Person(_, Some(OrganisationRole::Admin), _) => ALL,
            Self::Person(Role::Viewer, Some(_), Some(_))
            | Self::Person(_, Some(_), Some(ProjectRole::Viewer)) => &[ReadProject],
            Self::Person(_, Some(_), Some(ProjectRole::Editor)) => &[ReadProject, RunProject, EditProject],
            Self::Person(_, None, _) | Self::Person(_, _, None) => &[],
            Self::OrganisationKey(KeyAccess::Write) => ALL,
            Self::ProjectKey(KeyAccess::Write) | Self::Program => &[ReadProject, RunProject, EditProject],
            Self::OrganisationKey(KeyAccess::Run) | Self::ProjectKey(KeyAccess::Run) => {
                &[ReadProject, RunProject]
            }
            Self::OrganisationKey(KeyAccess::Read) | Self::ProjectKey(KeyAccess::Read) | Self::FeedKey => {
                &[ReadProject]
            }
        };
        let held = held
            .iter()
            .copied()
            .filter(|right| !rests || *right == ReadProject);
        let operates = matches!(self, Self::Person(Role::Admin, ..)).then_some(Operate);
        Rights::of(&held.chain(operates).collect::<Vec<_>>())
    }
}

/// What a key was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum KeyAccess {
    Read,
    /// Also starts runs.
    Run,
    /// Also changes.
    Write,
}

impl KeyAccess {
    pub const ALL: [Self; 3] = [Self::Read, Self::Run, Self::Write];

    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum OrganisationRole {
    /// Sees every project, makes projects, manages people.
    Admin,
    /// Sees the projects that were granted.
    Member,
}

impl OrganisationRole {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What a member may do in one project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum ProjectRole {
    /// Changes the project and starts runs.
    Editor,
    Viewer,
}

impl ProjectRole {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The proof that a person or a key may see one project. Only the store makes it.
#[derive(Clone, Debug)]
pub struct ProjectScope {
    pub(crate) project: ProjectId,
    pub(crate) organisation: OrganisationId,
    pub(crate) rights: Rights,
    pub(crate) actor: String,
}

impl ProjectScope {
    pub const fn project(&self) -> ProjectId {
        self.project
    }

    /// Returns the schedule with its order, its times and its budget.
    pub fn schedule(&self) -> ScheduleId {
        ScheduleId::from_bytes(*self.project.as_bytes())
    }

    pub const fn organisation(&self) -> OrganisationId {
        self.organisation
    }

    /// The account that holds it; `None` for a key.
    pub fn account(&self) -> Option<AccountId> {
        self.actor.strip_prefix("account ")?.parse().ok()
    }

    /// The key that holds it; `None` for an account.
    pub fn key(&self) -> Option<ApiKeyId> {
        self.actor.strip_prefix("key ")?.parse().ok()
    }

    /// Whether the holder may do something.
    pub const fn may(&self, right: Right) -> bool {
        self.rights.has(right)
    }
}

/// A person or a key that asks for projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectReader {
    /// An account with a session.
    Account(AccountId),
    /// A key, as the store found it.
    Key(ApiKey),
}

/// A key as found by its digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApiKey {
    pub(crate) id: ApiKeyId,
    pub(crate) organisation: OrganisationId,
    pub(crate) project: Option<ProjectId>,
    pub(crate) rights: Rights,
}

impl ApiKey {
    /// The organisation whose projects it may make, with a key to all of its projects.
    pub fn makes_projects_of(&self) -> Option<OrganisationId> {
        self.rights
            .has(Right::AdminOrganisation)
            .then_some(self.organisation)
    }

    /// The organisation that it belongs to.
    pub const fn organisation(&self) -> OrganisationId {
        self.organisation
    }

    /// Returns its name for logs of changes, such as `key 0198f3a2-7c1e-7d3a-9b1e-2f3c4d5e6f70`.
    pub fn actor(&self) -> String {
        format!("key {}", self.id)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OrganisationRecord {
    pub id: OrganisationId,
    pub name: String,
    /// Limit for the runs of a month, in millionths of a dollar.
    pub budget: u64,
    pub role: OrganisationRole,
}

/// What an organisation spent in a span of time.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OrganisationSpending {
    pub id: OrganisationId,
    pub name: String,
    /// Limit for the runs of a month, in millionths of a dollar.
    pub budget: u64,
    /// Runs that began and had room in the budgets.
    pub runs: u64,
    /// Their cost in millionths of a dollar: what is reserved for those under way.
    pub cost: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ProjectStatus {
    /// It runs by itself.
    Active,
    /// It runs by hand only.
    Paused,
    /// It is kept for reading.
    Archived,
}

impl ProjectStatus {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What a project is called, measures and asks. An edit leaves its organisation.
#[derive(Clone, Copy, Debug)]
pub struct ProjectOrder<'a> {
    pub project: NewProject<'a>,
    /// The project's own schedule, which its markets follow.
    pub terms: ScheduleTerms<'a>,
    /// A version of its own questions that is not stored yet.
    pub questions: Option<NewQuestions<'a>>,
    /// The version that `questions` come after.
    pub parent: Option<u32>,
    /// The markets apart from its own, in their order. One that the project has keeps its schedule, and its questions unless its order changes.
    pub markets: &'a [MarketOrder<'a>],
}

/// A place and a language in which a project asks beside its own.
#[derive(Clone, Copy, Debug)]
pub struct MarketOrder<'a> {
    pub place: Option<&'a str>,
    pub language: Option<&'a str>,
    pub terms: ScheduleTerms<'a>,
}

/// Changes of a project that are stored together or not at all. What is `None` stays.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProjectEdit<'a> {
    pub order: Option<ProjectOrder<'a>>,
    /// A mark on the day on which its questions changed.
    pub mark: Option<&'a AnnotationRecord>,
    pub status: Option<ProjectStatus>,
    /// When a project runs next that becomes active.
    pub next_due: Option<Millis>,
    pub settings: Option<&'a ProjectSettings>,
    /// What its log notes.
    pub changes: &'a [ProjectChange<'a>],
    pub at: Millis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectEdited {
    Stored,
    /// Nothing is stored: the project's own questions have another last version than the edit came from, this one.
    QuestionsChanged(u32),
    /// There is no such project any more.
    Unknown,
}

/// A project to store, without its schedule.
#[derive(Clone, Copy, Debug)]
pub struct NewProject<'a> {
    pub organisation: OrganisationId,
    pub name: &'a str,
    /// What it measures.
    pub subject: ProjectSubject<'a>,
    /// The person or key that makes it.
    pub actor: &'a str,
}

/// What a project measures.
#[derive(Clone, Copy, Debug)]
pub struct ProjectSubject<'a> {
    pub domain: &'a str,
    pub keyword: &'a str,
    pub place: Option<&'a str>,
}

/// A project, with the numbers that the end of its last run stored.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ProjectRecord {
    pub id: ProjectId,
    pub organisation: OrganisationId,
    pub name: String,
    pub domain: String,
    pub keyword: String,
    pub place: Option<String>,
    pub created_at: Millis,
    /// The time from which it is kept for reading only.
    pub archived_at: Option<Millis>,
    /// What the last run scored.
    pub summary: Option<RunSummary>,
    /// The average since the last change.
    pub level: Option<Level>,
    /// What the history shows, in sentences.
    pub verdict: Option<String>,
    /// The time at which the last change was noticed.
    pub changed_at: Option<Millis>,
    /// The last run with a result.
    pub last_scan: Option<ScanId>,
    pub last_run_at: Option<Millis>,
    pub next_due: Option<Millis>,
    /// Whether its own schedule waits.
    pub is_paused: bool,
    /// Limit for its runs of a month, in millionths of a dollar.
    pub budget: Option<u64>,
    /// Runs that failed since one succeeded.
    pub failures: u32,
    /// What runs cost since the time asked for; estimates for those under way.
    pub spent: u64,
    /// How its latest run ended, such as `complete`.
    pub outcome: Option<String>,
    /// The token in the address of its badge, while it shows one.
    #[serde(skip)]
    pub badge: Option<String>,
    pub settings: ProjectSettings,
}

/// What a badge shows: the numbers of the first market.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct BadgeNumbers {
    /// The average since the last change.
    pub level: Option<Level>,
    /// When the last run with a result ended.
    pub last_run_at: Option<Millis>,
}

/// A further market beside the project's own, with the numbers that its last run left.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct MarketRecord {
    pub schedule: ScheduleId,
    pub place: Option<String>,
    /// The language that it is asked in; `None` for that of the place.
    pub language: Option<String>,
    pub numbers: MarketNumbers,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct MarketNumbers {
    /// What the last run scored.
    pub summary: Option<RunSummary>,
    /// The average since the last change.
    pub level: Option<Level>,
    /// What the history shows, in sentences.
    pub verdict: Option<String>,
    /// The time at which the last change was noticed.
    pub changed_at: Option<Millis>,
    /// The last run with a result.
    pub last_scan: Option<ScanId>,
    pub last_run_at: Option<Millis>,
}

#[derive(Clone, Debug)]
pub struct ProjectRunEnd<'a> {
    pub scan: ScanId,
    pub ended_at: Millis,
    /// The keyword and the place.
    pub subject: (&'a str, Option<&'a str>),
    /// The market, by its schedule; `None` for that of the project itself.
    pub market: Option<ScheduleId>,
    pub summary: RunSummary,
    /// Its cost, in millionths of a dollar.
    pub cost: u64,
    /// Which version of its questions it asked; `None` for the program's own.
    pub question_set: Option<&'a str>,
}

/// A run that ended before it is stored.
#[derive(Clone, Debug)]
pub struct PastRun<'a> {
    /// Which run of the project's own schedule it is.
    pub firing: ScheduleStart,
    /// How it ended, in a word; `failed` counts as a failure.
    pub outcome: &'a str,
    pub ended_at: Millis,
    pub result: Option<PastResult<'a>>,
}

/// What a run found that ended before it is stored.
#[derive(Clone, Debug)]
pub struct PastResult<'a> {
    pub scan: &'a NewScan<'a>,
    pub run: &'a NewDurableRun<'a>,
    /// Its end, as the project keeps it.
    pub end: &'a ProjectRunEnd<'a>,
}

/// The numbers that the row of a project keeps.
#[derive(Clone, Debug)]
pub struct ProjectNumbers<'a> {
    /// The level, the changes and the notes.
    pub history: &'a History,
    /// The verdict in sentences.
    pub verdict: &'a str,
    /// The rivals that the last run found.
    pub rivals: &'a [FoundRival],
    /// The time at which the last change was noticed.
    pub changed_at: Option<Millis>,
    /// For runs that had none.
    pub cells: &'a [Cell],
    /// What the questions say, by the word that names each in cells.
    pub questions: &'a [(String, String)],
}

/// What the row of a project keeps for its page, beyond what lists show.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct ProjectFindings {
    /// The level, the changes and the notes; `None` before the first run.
    pub history: Option<History>,
    /// The rivals that the last run found, the best known first.
    pub rivals: Vec<FoundRival>,
}

/// A rival that a run found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundRival {
    /// The name that most answers use.
    pub name: String,
    pub domain: Option<String>,
    /// Other spellings of it.
    pub aliases: Vec<String>,
    /// Answers that name it, 0..1.
    pub appearance_rate: f64,
    /// Its visibility, 0..100.
    pub score: f64,
}

/// Counts and sums over the answers of one model to one question in one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cell {
    pub run: ScanId,
    /// The word that names the question.
    pub question: String,
    /// The place where another one was asked about; empty for that of the project.
    pub place: String,
    pub model: String,
    /// Answers that can be scored.
    pub valid: u32,
    /// Those that cite the website.
    pub cited: u32,
    /// Those that link to it.
    pub linked: u32,
    /// Providers that they name.
    pub named: u32,
    /// Their scores added up, in thousandths of a point.
    pub score_sum: u32,
    pub rank_sum: u32,
    /// Answers that rest on a web search.
    pub searched: u32,
}

/// A question of a project over its last runs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct QuestionSum {
    pub text: String,
    pub runs: u32,
    /// Answers that can be scored.
    pub valid: u32,
    /// Those that cite the website.
    pub cited: u32,
    /// Providers that they name.
    pub named: u32,
    pub last: ScanId,
}

/// A model of a project over one run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ModelSum {
    pub model: String,
    /// Answers that can be scored.
    pub valid: u32,
    /// Those that cite the website.
    pub cited: u32,
    /// Their scores added up, in thousandths of a point.
    pub score_sum: u64,
}

/// What is kept of a run's answers.
#[derive(Clone, Debug)]
pub enum RunReading {
    /// What they name and cite.
    Mentions(PackedAnswers),
    NotKept,
    /// They are read in a moment.
    Waiting,
}

/// A run of a project, with or without a result.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ProjectRunRecord {
    /// The scan, once there is one.
    pub scan: Option<ScanId>,
    /// The time at which it was due; for a run with a result its end.
    pub at: Millis,
    /// The keyword, for a run with a result.
    pub keyword: Option<String>,
    pub place: Option<String>,
    /// What a run with a result scored.
    pub summary: Option<RunSummary>,
    /// How it ended, such as `complete`; `None` while it is open.
    pub outcome: Option<String>,
    /// Why it failed, as a code such as `worker_lost`, where it is known.
    pub error: Option<String>,
    /// Its cost in millionths of a dollar; an estimate while it is open.
    pub cost: u64,
    /// Which version of its questions a run with a result asked; `None` for the program's own.
    pub question_set: Option<String>,
    /// The market, by its schedule; `None` for that of the project itself.
    pub market: Option<ScheduleId>,
}

/// Whether budgets had room for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reservation {
    /// The run may start and may cost this much, in millionths of a dollar.
    Reserved(u64),
    /// The project has less left.
    OverBudget,
    /// The organisation has less left.
    OverOrganisationBudget,
    /// The project is archived or gone.
    Closed,
}

/// Numbers of projects by their state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ProjectCounts {
    /// They run by themselves.
    pub active: u64,
    /// They run by hand only.
    pub paused: u64,
    /// They are kept for reading.
    pub archived: u64,
    /// Those not archived whose last run failed.
    pub failing: u64,
    /// Those not archived that the budget of their organisation, which is 0, holds back.
    pub without_budget: u64,
}

/// The number of rows that are deleted with a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, schemars::JsonSchema, Deserialize)]
pub struct ProjectContents {
    /// Runs with a result.
    pub runs: u64,
    /// Reports that belong to the project alone.
    pub reports: u64,
    /// Notes by people.
    pub annotations: u64,
    pub rivals: u64,
    pub keys: u64,
    /// Frozen reports.
    #[serde(rename = "frozenReports")]
    pub snapshots: u64,
    pub actions: u64,
    /// Imports of its own data.
    #[serde(rename = "ownDataImports")]
    pub own_files: u64,
    /// Imports of answers that were given elsewhere.
    pub imports: u64,
}

/// The state in which a rival is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum RivalState {
    /// It is always shown.
    Pinned,
    /// It is never shown.
    Ignored,
}

impl RivalState {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A rival that people have pinned or ignored.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RivalRecord {
    pub id: RivalId,
    pub name: String,
    pub domains: Vec<String>,
    /// Other names of it.
    pub aliases: Vec<String>,
    /// How it is kept.
    pub state: RivalState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, Deserialize)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum AnnotationKind {
    /// A person or a key wrote it.
    Note,
    /// The questions changed. The program wrote it.
    Set,
}

impl AnnotationKind {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A note about a day.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct AnnotationRecord {
    pub id: AnnotationId,
    pub kind: AnnotationKind,
    /// The day, as an ISO date.
    pub day: String,
    pub text: String,
    /// Its author; `None` for a key, for an account that is gone, and for the program.
    pub author: Option<AccountId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ProjectPerson {
    pub account: AccountId,
    pub email: String,
    pub organisation_role: OrganisationRole,
    /// Its role in the project; an admin of the organisation needs none.
    pub role: Option<ProjectRole>,
    /// Whether the person has not accepted the invitation yet.
    pub waits: bool,
}

/// A key in a list.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ApiKeyRecord {
    pub id: ApiKeyId,
    /// Whether it opens every project of the organisation.
    pub of_organisation: bool,
    pub name: String,
    /// What it may do.
    pub access: KeyAccess,
    pub created_at: Millis,
    /// Noted once a minute at most, so that a busy key costs no write a call.
    pub used_at: Option<Millis>,
    pub expires_at: Option<Millis>,
    /// Whether it opens nothing, because it ended, or its owner or the key that made it did.
    pub rests: bool,
}

/// A key to store.
#[derive(Clone, Copy, Debug)]
pub struct NewApiKey<'a> {
    pub id: ApiKeyId,
    pub name: &'a str,
    /// SHA-256 of the key.
    pub hash: &'a [u8; 32],
    /// What it may do.
    pub access: KeyAccess,
    pub expires_at: Option<Millis>,
}

/// Chooses entries from the log of a project.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventPage {
    /// Leaves out what happens often and changes no access: notes, competitors, questions, runs, imports, reports.
    pub access: bool,
    pub most: u32,
    pub skipped: u32,
}

/// A change, as the log of a project notes it.
#[derive(Clone, Copy, Debug)]
pub struct ProjectChange<'a> {
    /// What was done, as a word.
    pub action: &'a str,
    /// What was changed, as JSON, without secrets.
    pub members: &'a str,
    pub at: Millis,
}

/// What the log of a project says about one change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectEvent {
    /// The account, key or operator that did it.
    pub actor: String,
    /// The account's address, while it has one.
    pub email: Option<String>,
    /// What was done.
    pub action: String,
    /// What was changed, as JSON.
    pub members: Option<String>,
    pub at: Millis,
}
