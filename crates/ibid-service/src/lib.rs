//! Use cases of ibid, shared by every surface.
//!
//! Surfaces have one verb for work: [`Service::perform`] takes a job and how the caller means to pay, and gives a
//! [`Run`]. Every refusal happens before a run exists. Inside, a job starts only with a permit, a permit comes only
//! from admission, and starting consumes it: unpaid work does not compile. What is sold goes through `paid`: claimed,
//! verified, done, held, settled, and only then released.
//!
//! Agents that speak A2A have [`Tasks`]: what a message means is decided by `ibid-a2a`, and what it buys goes through the
//! same purchase.
//!
//! Runs are tasks of this crate on a runtime of its own choosing; nobody else spawns. It refuses to know HTTP:
//! no status codes and no headers.

mod accounts;
mod admit;
mod builder;
mod compare;
mod counts;
mod demo;
mod document;
mod error;
mod job;
mod limits;
mod made;
mod page;
mod paid;
mod rescore;
mod run;
mod service;
mod stream_event;
mod tasks;
mod workspace;

pub use accounts::{Member, PasswordError, SESSION_TIME, SessionToken, SignIn, hash_password};
pub use builder::Builder;
pub use counts::{CountsNow, RunCounts};
pub use demo::{DemoState, DemoTerms};
pub use document::Document;
pub use error::Error;
pub use ibid_audit::fetch::FetchError;
pub use ibid_store::{Movement, MovementKind, RunRecord, RunState, RunSummary, TagRecord};
pub use job::{Billing, CallerId, Job, Reader};
pub use limits::{LimitMode, LimitStatus, Limits};
pub use page::{PageOrder, Pages};
pub use paid::{CostCaps, Due, Offer, Paid, ReceiptPage, ReceiptsOrder, RequestHash, Timing};
pub use rescore::{Rescored, Stored, rescore_kept};
pub use run::{Event, Finished, Output, Run};
pub use service::Service;
pub use stream_event::{ProgressDetail, StreamEvent};
pub use tasks::{Caller, Listings, MessageCall, Shown, TaskLimits, Tasks};
pub use workspace::{
    Found, HistoryQuery, LiveAnswer, ModelCount, RingCount, RunOver, Shared, Standing, Watched, WorkspaceRuns,
};
