//! Accounts of the workspace, their sessions, credits and scans.

mod record;

pub use record::{
    AccountAction, AccountRecord, AuditKind, AuditRecord, BadRole, Change, CreditMovement, FinishedRun,
    FoundRuns, LogEntry, MovementKind, NewAccount, NewAudit, NewLink, NewRun, NewSession, NewShare, Role,
    RunQuery, RunRecord, RunSummary, SessionRecord, Share, SharedRun, Spending, TagRecord,
};
