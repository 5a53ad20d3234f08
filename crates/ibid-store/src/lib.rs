#![doc = include_str!("../README.md")]
//!
//! Keeps scans, payments, tasks, accounts, workspace scans, callers of the API, durable runs, and
//! webhooks.
//!
//! [`Store`] is synchronous, because database drivers block; [`Db`] moves every call of async code to a thread where
//! blocking is allowed.
//! SQLite serves one machine, PostgreSQL several processes on several machines. [`Store::in_memory`] is the sandbox.
//! Both databases share their statements, which the module `sql` holds.
//! The feature `conformance` has the test suite that every database passes.
//!
//! A scan is written once, at its end.
//! Every step of a payment is a write, and [`PaymentState`] defines the allowed steps.
//! A task is a document that changes by compare and swap.
//!
//! The crate does not interpret results, and no signature contains a provider key or a bearer key.
//! Settlement data is stored as opaque bytes and erased when it is no longer needed.

mod answer_import;
mod caller;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod columns;
#[cfg(feature = "conformance")]
pub mod conformance;
mod daily_bound;
mod db;
mod destination;
mod durable_run;
mod error;
mod evidence;
#[cfg(feature = "postgres")]
mod fault;
mod feed;
mod idempotency;
mod identity;
mod inspection;
#[cfg(test)]
#[cfg(feature = "sqlite")]
mod migration_tests;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod migrations;
mod own_file;
mod pack;
mod pinned_run;
#[cfg(feature = "postgres")]
mod postgres;
mod presence;
mod project;
mod purchase;
mod question_set;
mod record;
mod report_brand;
mod report_snapshot;
mod schedule;
mod seal;
mod second_factor;
mod sign_in;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;
mod task;
mod url;
mod webhook;
mod workspace;

#[cfg(all(feature = "postgres", feature = "sqlite"))]
pub use self::postgres::import_sqlite;
pub use answer_import::{
    AnswerCount, AnswerImportAdded, AnswerImportRecord, AnswerStratum, KeptAnswerPart, NewAnswerImport,
    NewAnswerPart, PartPut,
};
pub use caller::{BadKeyName, CountedOrders, KeyName, OrderCount, ServiceKeyRecord};
pub use daily_bound::{CONFIRMATIONS, CONFIRMATIONS_TO_ONE, DailyBound, INVITATIONS};
pub use db::{Db, DbObserver};
pub use destination::{
    ConfirmationLimits, DailyRoom, DestinationAdded, DestinationOf, DestinationRecord, DigestPeriod,
    DueDigest, NewDestination, QuietHours,
};
pub use durable_run::{
    BegunStep, CallOutcome, CancelOutcome, ClaimedStep, CountedRuns, DurableRunView, HeldStep, NewDurableRun,
    OpenRun, OpenedRuns, RunFilter, RunResult, RunStep, RunSubject, SealedSecret, StepRoom, WorkerId,
};
pub use error::StoreError;
pub use evidence::ClaimedEvidence;
#[cfg(feature = "postgres")]
pub use fault::PostgresFault;
pub use feed::{FeedGrouping, FeedKeyRecord, FeedRow, NewFeedKey, OpenFeed};
pub use idempotency::{KeyedOutcome, KeyedRequest};
pub use identity::Identity;
pub use inspection::{FileRestored, Inspection, inspect};
pub use own_file::{BotAddresses, NewOwnFile, OwnFileOutcome, OwnFileRecord, OwnFileRoom};
pub use pack::PackedAnswers;
pub use pinned_run::{CallerLimits, CallerUse, NewPinnedRun, OpenedPinned, PinnedCount, PinnedEnd};
#[cfg(feature = "postgres")]
use postgres::Postgres;
pub use presence::Presence;
pub use project::{
    ActionRecord, ActionStatus, AnnotationKind, AnnotationRecord, ApiKey, ApiKeyRecord, BadgeNumbers, Cell,
    EndedRun, EventPage, FoundRival, ImportedAnswers, ImportedResult, InvitationRecord, Invited, KeptResult,
    KeptSchedule, KeyAccess, MarketNumbers, MarketOrder, MarketRecord, ModelSum, NewApiKey, NewInvitation,
    NewProject, OrganisationRecord, OrganisationRole, OrganisationSpending, PastResult, PastRun,
    ProjectChange, ProjectContents, ProjectCounts, ProjectEdit, ProjectEdited, ProjectEvent, ProjectFindings,
    ProjectImport, ProjectNumbers, ProjectOrder, ProjectPerson, ProjectReader, ProjectRecord, ProjectRole,
    ProjectRows, ProjectRunEnd, ProjectRunRecord, ProjectScope, ProjectStatus, ProjectSubject, QuestionSum,
    Reservation, Right, Rights, RivalRecord, RivalState, RunReading, Subject,
};
pub use purchase::{
    Begun, Books, ClaimDecision, ClaimMode, ClaimOutcome, ExpiredPayments, ExposureLimit, HeldPayment, Lease,
    Millis, OwedWork, PaymentClaim, PaymentCount, PaymentState, PaymentStep, PaymentView, ReceiptList,
    RecordedSettlement, Refund, RefundKind, ReportedSettlement, SettledPayment, SoldResult, TokenLedger,
    Unproven, UnsettledPayment,
};
pub use question_set::{
    NewQuestions, ProposalDay, ProposalStart, QuestionSetRecord, QuestionSetTerms, QuestionsAdded,
    QuestionsRecord,
};
pub use record::{NewScan, Origin, ScanRecord};
pub use report_brand::{LogoChange, ReportBrand};
pub use report_snapshot::{NewReport, NewReportLink, ReportLink, ReportRecord, StoredReport};
pub use schedule::{
    AlertRecord, EndedScan, NewAlert, NewSchedule, ScheduleQuestions, ScheduleRecord, ScheduleStart,
    ScheduleStarted, ScheduleTerms, ScheduleUse, ScheduledEnd, ScheduledRun,
};
pub use seal::{BadRunKeys, RunKeys};
pub use second_factor::SecondFactor;
pub use sign_in::AttemptCount;
#[cfg(feature = "sqlite")]
pub use sqlite::{Sqlite, backup_sqlite, restore_sqlite};
pub use task::{OrphanedTask, RunOutcome, TaskQuota, TaskRow};
pub use url::{PostgresUrl, StoreUrl, StoreUrlError};
pub use webhook::{
    AttemptOutcome, ClaimedDelivery, DeliveryAttempt, DeliveryRecord, DeliveryState, DueWebhook,
    HeldDelivery, NewDelivery, NewWebhook, Redelivery, Summary, TaskWebhookPut, WebhookChange,
    WebhookDisabled, WebhookKind, WebhookRecord, WebhookSecret,
};
pub use workspace::{
    AccountAction, AccountRecord, AuditKind, AuditRecord, BadRole, Change, CreditMovement, FinishedRun,
    FoundRuns, LogEntry, MovementKind, NewAccount, NewAudit, NewLink, NewRun, NewSession, NewShare, Role,
    RunQuery, RunRecord, RunSummary, SessionRecord, Share, SharedRun, Spending, TagRecord,
};

use std::sync::OnceLock;

/// The connections of a store at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// Open connections of the pool.
    pub open: u32,
    /// Those that no call uses.
    pub idle: u32,
}

/// A store. Every method is one transaction, and fails with the fault of the database where its docs name no other error.
///
/// Its methods block. [`Db`] calls them from async code.
#[derive(Debug)]
pub struct Store {
    database: Database,
    /// The keys of secrets, from the first use on.
    keys: OnceLock<RunKeys>,
}

#[derive(Debug)]
enum Database {
    #[cfg(feature = "sqlite")]
    Sqlite(Sqlite),
    #[cfg(feature = "postgres")]
    Postgres(Postgres),
}

#[cfg(not(any(feature = "sqlite", feature = "postgres")))]
compile_error!("ibid-store needs a database: the feature `sqlite` or `postgres`");

impl Store {
    const fn of(database: Database) -> Self {
        Self {
            database,
            keys: OnceLock::new(),
        }
    }

    /// Opens the store that the address names and brings its schema up to date.
    ///
    /// Call it in a synchronous `main`, before the runtime exists, and drop the last handle after it.
    ///
    /// # Errors
    /// The database cannot be opened or written, its schema is of a newer program or of a development build, or the adapter
    /// is not compiled in.
    pub fn open(url: &StoreUrl) -> Result<Self, StoreError> {
        match url {
            #[cfg(feature = "sqlite")]
            StoreUrl::Sqlite(path) => Self::in_file(path),
            #[cfg(feature = "sqlite")]
            StoreUrl::Memory => Self::in_memory(),
            #[cfg(not(feature = "sqlite"))]
            StoreUrl::Sqlite(_) | StoreUrl::Memory => Err(StoreError::NotCompiledIn("sqlite")),
            #[cfg(feature = "postgres")]
            StoreUrl::Postgres(url) => Ok(Self::of(Database::Postgres(Postgres::open(url)?))),
            #[cfg(not(feature = "postgres"))]
            StoreUrl::Postgres(_) => Err(StoreError::NotCompiledIn("postgres")),
        }
    }

    /// Opens or creates a SQLite file.
    ///
    /// # Errors
    /// As [`Self::open`].
    #[cfg(feature = "sqlite")]
    pub fn in_file(path: &std::path::Path) -> Result<Self, StoreError> {
        Ok(Self::of(Database::Sqlite(Sqlite::open(path)?)))
    }

    /// Opens a database that ends with the process: the sandbox of the store.
    ///
    /// # Errors
    /// SQLite cannot allocate it.
    #[cfg(feature = "sqlite")]
    pub fn in_memory() -> Result<Self, StoreError> {
        Ok(Self::of(Database::Sqlite(Sqlite::in_memory()?)))
    }

    /// The SQLite database, which fault tests break.
    #[cfg(all(feature = "sqlite", any(test, feature = "conformance")))]
    pub fn sqlite(&self) -> Option<&Sqlite> {
        match &self.database {
            Database::Sqlite(sqlite) => Some(sqlite),
            #[cfg(feature = "postgres")]
            Database::Postgres(_) => None,
        }
    }
}
