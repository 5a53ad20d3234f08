#![doc = include_str!("../README.md")]
//!
//! Use cases of ibid, shared by every surface.
//!
//! Surfaces have one verb for work: [`Scans::perform`] takes a job and a way to pay, and returns a [`Run`]. Every
//! refusal happens before a run exists. A job starts only with a permit, a permit takes the proof of a payment, and
//! starting consumes it: unpaid work does not compile. Sold work goes through `paid`: claimed, verified, done, held,
//! settled, and only then released.
//!
//! Agents that speak A2A have [`Tasks`]: `ibid-a2a` decides what a message means, and purchases go through `paid`.
//!
//! `runs` is the kernel below all of them.
//! `paid`, `workspace`, `tasks` and `demo` own their state and reach each other only along the arrows in
//! `docs/ARCHITECTURE.md`.
//! Runs are tasks of this crate on a runtime that it chooses; no other crate spawns.
//! It is independent of HTTP: no status codes and no headers.

mod accounts;
mod bounded_blocking;
mod clock;
mod compare;
mod credit;
mod daily_turns;
mod demo;
mod document;
mod durable;
mod error;
mod evidence;
mod failure;
mod handle;
mod job;
mod limits;
mod look;
mod measurements;
mod news;
mod page;
mod paid;
mod payment_due;
mod pictures;
mod planner;
mod project_actions;
mod project_mentions;
mod project_numbers;
mod projects;
mod questions;
mod readiness;
mod recent;
mod report_printer;
mod request_hash;
mod rescore;
mod rounds;
mod runs;
mod schedules;
mod service_keys;
mod shown_text;
mod stored_scans;
mod stream_event;
mod tasks;
mod webhooks;
mod workspace;

pub use accounts::{
    AccountExport, Accounts, Admin, CodeEntry, CodePass, DeviceToken, Enrolment, FirstAccount, FirstRunError,
    Invitation, LinkError, LinkPassword, Member, MonthlySpending, OpenId, OpenIdEnd, OpenIdError,
    OpenIdRefusal, OpenIdReturn, OpenIdTerms, PasswordError, PersonChange, ProviderFault, SESSION_TIME,
    SecondStep, SessionToken, SharePass, SignIn, SignInNote, SignInStep, SignInTerms, SignedIn, code_at,
    hash_password, network_of, one_time_link, time_step,
};
pub use compare::SeriesWords;
pub use demo::{DemoState, DemoTerms};
pub use document::Document;
pub use durable::{
    OpenScan, QueueFilter, QueueOrder, QueueSettings, QueuedAnswer, QueuedScan, RunOwner, StartEngine,
    cancel_scan, end_scan, open_scans, revoke_key,
};
pub use error::Error;
pub use evidence::{Evidence, EvidenceFault, EvidenceSettings};
pub use failure::chain;
pub use handle::billing::Billing;
pub use handle::scans::Scans;
pub use handle::service::Service;
pub use handle::settings::ServiceSettings;
pub use ibid_audit::SiteLimits;
pub use ibid_audit::fetch::{AllowList, FetchError, Messenger, MessengerConfig};
pub use ibid_engine::Evidence as ScanEvidence;
pub use ibid_engine::history::{JUDGED, NotOneSeries};
pub use ibid_engine::mentions::{
    CitedPage, KindRow, OutreachSite, ProjectMove, ProjectMoves, Rival, RivalPoint, Rivals, SiteRow,
    SourceKind, Sources, Trend, Win,
};
pub use ibid_engine::plan::{Forecast, Plan};
pub use ibid_engine::questions::ImportedLine;
pub use ibid_evidence::{EvidenceAddress, EvidenceError, EvidenceStore};
pub use ibid_first_party::agreement::{
    Agreement as OwnAgreement, Compared as OwnCompared, Comparison as OwnComparison,
};
pub use ibid_first_party::move_in::MoveIn;
pub use ibid_first_party::{
    Break as OwnBreak, DaySeries as OwnSeries, FileReport, Format as OwnFormat, Measure as OwnMeasure,
    PageSummary as OwnPage, Query as OwnQuery, Reason, RefusedLine, RefusedRows, Source as OwnSource,
    Summary as OwnSummary, TotalChange,
};
pub use ibid_news::{AlertKind, Mail, MailFailure, Mailer, NewsEvent, SandboxMailer};
pub use ibid_store::{
    AccountAction, AccountRecord, ActionRecord, ActionStatus, AlertRecord, AnnotationRecord,
    AnswerImportRecord, AnswerStratum, ApiKeyRecord, AuditKind, AuditRecord, BadKeyName, BadRole, BadRunKeys,
    Connections, CreditMovement, DailyBound, DeliveryAttempt, DeliveryRecord, DigestPeriod, DurableRunView,
    FeedKeyRecord, FeedRow, FinishedRun, InvitationRecord, KeyAccess, KeyName, LogEntry, MarketNumbers,
    MarketRecord, ModelSum, MovementKind, OrganisationRole, OrganisationSpending, OwnFileOutcome,
    OwnFileRecord, ProjectContents, ProjectCounts, ProjectEvent, ProjectFindings, ProjectPerson,
    ProjectReader, ProjectRecord, ProjectRole, ProjectRunRecord, ProjectScope, ProjectStatus,
    QuestionSetRecord, QuestionSum, ReportBrand, ReportLink, Right, RivalRecord, RivalState, Role, RunKeys,
    RunRecord, RunSubject, RunSummary, ScheduleRecord, ScheduleStart, ScheduleUse, ScheduledRun,
    ServiceKeyRecord, Share, Spending, TagRecord, WebhookKind, WebhookRecord,
};
pub use job::{CallerId, Job, Reader};
pub use limits::{LimitMode, LimitStatus, Limits};
pub use look::{Known, Look, LookOffer, LookOrder, LookTerms, Looker};
pub use measurements::Measurements;
pub use news::{AddedDestination, DestinationDraft, DestinationView};
pub use page::{PageOrder, Pages};
pub use paid::{
    CallTimes, CostCaps, Exposure, Paid, PaymentFigures, PaymentOffer, ReceiptPage, ReceiptsOrder,
    Reconciliation, Shop, SoldOrders, Timing, reconcile, unrecorded,
};
pub use payment_due::PaymentDue;
pub use pictures::CardKey;
pub use planner::Planner;
pub use project_actions::{ActionFinding, ActionPower, EffectPoints, Untold, Verdict};
pub use projects::{
    ActionDraft, ActionView, AddedPerson, AnnotationDraft, AnswerDay, AnswerImportDraft, AnswerImportView,
    AnswerLine, AskedQuestion, Attention, CitedShare, CountedRun, Done, ElsewhereAnswer, ElsewhereNumbers,
    ExportFile, Feed, FeedRows, FeedTable, KEY_PREFIX, KeptAction, MOST_ANSWERS, MOST_NOTE_CHARS,
    MOST_OWN_DATA, MOST_PART, NewFeed, NewKey, OpenedReport, OrganisationKey, OwnData, OwnDataFile,
    OwnDataRead, OwnDataTurn, OwnDataUse, PastOutcome, PlaceRead, ProjectAnswers, ProjectCommand,
    ProjectDraft, ProjectHistory, ProjectRivals, ProjectRunProgress, ProjectSources, ProjectView, Projects,
    ReadExport, ReportAccess, ReportDraft, ReportView, RivalDraft, RivalRow, RivalShare, RivalsReply,
    SEEN_DAYS, STANDARD_ACCENT, Seen, SeenQuestion, SourceNumbers, SourcesReply, change_document,
    failure_in_words, feed_key_document, outcome_in_words, own_data_room, run_document,
};
pub use questions::{
    LastAnswer, Proposal, ProposalOrder, QuestionSetDraft, QuestionSetView, Questions, QuestionsImported,
    question_set_document,
};
pub use readiness::StoreReadiness;
pub use recent::RecentScan;
pub use report_printer::{PrintFault, PrintOrder, ReportPrinter, SandboxPrinter};
pub use request_hash::RequestHash;
pub use request_hash::{RepeatableRequest, Started};
pub use rescore::{Rescored, rescore_kept};
pub use runs::counts::{CountsNow, RunCounts};
pub use runs::engine;
pub use runs::engine::EngineSettings;
pub use runs::run::{Finished, Output, Run};
pub use runs::watch::{ModelProgress, RingProgress, RunCall, RunEvent, RunProgress};
pub use schedules::{
    Recurrence, ScheduleDraft, ScheduleOwner, ScheduleView, Schedules, Unit, alert_document, next_due,
    scheduled_run_document,
};
pub use service_keys::ServiceKey;
pub use stored_scans::StoredScan;
pub use stream_event::{ProgressDetail, StreamEvent};
pub use tasks::{Caller, Listings, MessageCall, Shown, TaskLimits, Tasks};
pub use webhooks::{
    EventMessage, Hooks, NewSubscription, PeopleSettings, RunNotice, SigningSecret, WebhookSettings,
};
pub use workspace::{
    BrandDraft, HistoryQuery, LogoDraft, MOST_LOGO_BYTES, MOST_TITLE_CHARS, PastScan, ScanHistory,
    ShareAccess, ShareTerms, SharedReport, SiteAuditState, WorkspaceRuns, failure_reason,
};
