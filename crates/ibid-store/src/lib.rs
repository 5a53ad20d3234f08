#![doc = include_str!("../README.md")]
//!
//! The stores of ibid: scans, payments, tasks, accounts, workspace scans, callers of the API, durable runs, and
//! webhooks.
//!
//! [`Store`] is the port.
//! It is synchronous, because database drivers block; [`Db`] moves every call of async code to a thread where blocking
//! is allowed.
//! [`Sqlite`] is the adapter for one machine, [`Sqlite::in_memory`] its sandbox,
//! and [`Postgres`] the adapter for several processes on several machines.
//! Both share their statements, which the module `sql` holds.
//! The feature `conformance` has the test suite that every adapter passes.
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
#[cfg(feature = "postgres")]
pub use self::{fault::PostgresFault, postgres::Postgres};
pub use answer_import::{
    AnswerCount, AnswerImportAdded, AnswerImportRecord, AnswerImports, AnswerStratum, CapturesAdded,
    KeptAnswerPart, NewAnswerImport, NewAnswerPart, NewCaptures, PartPut,
};
pub use caller::{BadKeyName, Callers, CountedOrders, KeyName, OrderCount, ServiceKeyRecord};
pub use db::{Db, DbObserver};
pub use destination::{
    ConfirmationLimits, DestinationAdded, DestinationOf, DestinationRecord, Destinations, DigestPeriod,
    DueDigest, NewDestination, QuietHours,
};
pub use durable_run::{
    BegunStep, CallOutcome, CancelOutcome, ClaimedStep, CountedRuns, DurableRunView, DurableRuns, HeldStep,
    NewDurableRun, OpenRun, OpenedRuns, RunFilter, RunResult, RunStep, RunSubject, SealedSecret, StepRoom,
    WorkerId,
};
pub use error::StoreError;
pub use evidence::{ClaimedEvidence, EvidenceMoves};
pub use feed::{FeedGrouping, FeedKeyRecord, FeedRow, Feeds, NewFeedKey, OpenFeed};
pub use idempotency::{Idempotency, KeyedOutcome, KeyedRequest};
pub use identity::{Identities, Identity};
pub use inspection::{FileRestored, Inspection, inspect};
pub use own_file::{BotAddresses, NewOwnFile, OwnFileOutcome, OwnFileRecord, OwnFileRoom, OwnFiles};
pub use pack::PackedAnswers;
pub use pinned_run::{
    CallerLimits, CallerUse, NewPinnedRun, OpenedPinned, PinnedCount, PinnedEnd, PinnedRuns,
};
pub use presence::Presence;
pub use project::{
    ActionRecord, ActionStatus, AnnotationKind, AnnotationRecord, ApiKey, ApiKeyRecord, BadgeNumbers, Cell,
    EndedRun, FoundRival, ImportedAnswers, ImportedResult, KeptResult, KeptSchedule, MarketNumbers,
    MarketRecord, ModelSum, NewApiKey, NewProject, OrganisationRecord, OrganisationRole, PastResult, PastRun,
    ProjectActions, ProjectArchives, ProjectChange, ProjectContents, ProjectCounts, ProjectEvent,
    ProjectFindings, ProjectImport, ProjectNumbers, ProjectParts, ProjectPerson, ProjectReader,
    ProjectRecord, ProjectRight, ProjectRole, ProjectRows, ProjectRunEnd, ProjectRunRecord, ProjectRuns,
    ProjectScope, ProjectSubject, Projects, QuestionSum, Reservation, RivalRecord, RivalState, RunReading,
};
pub use purchase::{
    Begun, Books, ClaimDecision, ClaimMode, ClaimOutcome, ExpiredPayments, ExposureLimit, FailedBy,
    HeldPayment, Lease, Millis, PaymentClaim, PaymentCount, PaymentState, PaymentStep, PaymentView,
    Purchases, ReceiptList, RecordedSettlement, Refund, RefundKind, ReportedSettlement, SettledPayment,
    SoldResult, TokenLedger, Unproven, UnsettledPayment,
};
pub use question_set::{
    NewQuestions, ProposalDay, ProposalStart, QuestionSetRecord, QuestionSetTerms, QuestionSets,
    QuestionsAdded, QuestionsRecord,
};
pub use record::{NewScan, Origin, ScanRecord};
pub use report_brand::{LogoChange, ReportBrand, ReportBrands};
pub use report_snapshot::{
    NewReport, NewReportLink, ReportLink, ReportRecord, ReportSnapshots, StoredReport,
};
pub use schedule::{
    AlertRecord, EndedScan, NewAlert, NewSchedule, ScheduleQuestions, ScheduleRecord, ScheduleStart,
    ScheduleStarted, ScheduleTerms, ScheduleUse, ScheduledEnd, ScheduledRun, Schedules,
};
pub use second_factor::{SecondFactor, SecondFactors};
pub use sign_in::{AttemptCount, SignIns};
#[cfg(feature = "sqlite")]
pub use sqlite::{Sqlite, backup_sqlite, restore_sqlite};
pub use task::{OrphanedTask, RunOutcome, TaskQuota, TaskRecords, TaskRow};
pub use url::{PostgresUrl, StoreUrl, StoreUrlError};
pub use webhook::{
    AttemptOutcome, ClaimedDelivery, DeliveryAttempt, DeliveryRecord, DeliveryState, DueWebhook,
    HeldDelivery, NewDelivery, NewWebhook, Redelivery, Summary, TaskWebhookPut, WebhookChange,
    WebhookDeliveries, WebhookDisabled, WebhookKind, WebhookRecord, WebhookSecret, Webhooks,
};
pub use workspace::{
    AccountAction, AccountRecord, Accounts, AuditKind, AuditRecord, BadRole, Change, CreditMovement,
    FinishedRun, FoundRuns, LogEntry, MovementKind, NewAccount, NewAudit, NewImport, NewLink, NewRun,
    NewSession, NewShare, Role, RunQuery, RunRecord, RunSummary, SessionRecord, Share, SharedRun, Spending,
    TagRecord, Workspace,
};

use ibid_model::ScanId;
use std::sync::Arc;

/// A store. Every method is one transaction.
pub trait Store:
    Purchases
    + TaskRecords
    + Accounts
    + Workspace
    + Callers
    + Idempotency
    + SignIns
    + SecondFactors
    + Identities
    + ReportBrands
    + ReportSnapshots
    + OwnFiles
    + DurableRuns
    + PinnedRuns
    + EvidenceMoves
    + Webhooks
    + WebhookDeliveries
    + Destinations
    + Feeds
    + Schedules
    + QuestionSets
    + Projects
    + ProjectRuns
    + ProjectParts
    + ProjectArchives
    + ProjectActions
    + AnswerImports
{
    /// Stores a finished scan.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken; otherwise the fault of the database.
    /// On an error no scan is stored.
    fn put_scan(&self, scan: &NewScan<'_>) -> Result<(), StoreError>;

    /// Returns the scan with this id, of any origin.
    ///
    /// # Errors
    /// The fault of the database.
    fn scan(&self, id: ScanId) -> Result<Option<ScanRecord>, StoreError>;

    /// Returns the evidence of a scan, uncompressed; `None` when the scan is unknown, its evidence was not stored,
    /// or an object store has it ([`EvidenceMoves::is_evidence_moved`]).
    ///
    /// # Errors
    /// The fault of the database, or evidence that cannot be read back.
    fn answers(&self, id: ScanId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns the scans with evidence, here or in an object store, that another version of the method scored:
    /// at most `most`, after the id `after`, in ascending order.
    ///
    /// # Errors
    /// The fault of the database.
    fn scans_of_other_methods(
        &self,
        method: &str,
        after: Option<ScanId>,
        most: u32,
    ) -> Result<Vec<ScanId>, StoreError>;

    /// Writes a row with the time `now` and reads it.
    ///
    /// # Errors
    /// The fault of the database.
    fn ping(&self, now: i64) -> Result<(), StoreError>;

    /// Returns the state of the connections.
    fn connections(&self) -> Connections;
}

/// The connections of a store at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// Open connections of the pool.
    pub open: u32,
    /// Those that no call uses.
    pub idle: u32,
}

/// Opens the store that the address names and brings its schema up to date.
///
/// Blocks. Call it in a synchronous `main`, before the runtime exists, and drop the last handle after it.
///
/// # Errors
/// The database cannot be opened or written, its schema is of a newer program or of a development build, or the adapter
/// is not compiled in.
pub fn open(url: &StoreUrl) -> Result<Arc<dyn Store>, StoreError> {
    match url {
        #[cfg(feature = "sqlite")]
        StoreUrl::Sqlite(path) => Ok(Arc::new(Sqlite::open(path)?)),
        #[cfg(feature = "sqlite")]
        StoreUrl::Memory => Ok(Arc::new(Sqlite::in_memory()?)),
        #[cfg(not(feature = "sqlite"))]
        StoreUrl::Sqlite(_) | StoreUrl::Memory => Err(StoreError::NotCompiledIn("sqlite")),
        #[cfg(feature = "postgres")]
        StoreUrl::Postgres(url) => Ok(Arc::new(Postgres::open(url)?)),
        #[cfg(not(feature = "postgres"))]
        StoreUrl::Postgres(_) => Err(StoreError::NotCompiledIn("postgres")),
    }
}
