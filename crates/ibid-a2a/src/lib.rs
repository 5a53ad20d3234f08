#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
//!
//! The agent-to-agent protocol (A2A 0.2.5, 0.2.6, 0.3 and 1.0) as values and pure decisions.
//!
//! # The path of a message
//! [`RpcRequest::parse`] turns the bytes of a body into a [`Call`] or a [`CallError`], in an order that
//! clients expect. For a message, [`decide_new`] or [`decide`] derives its meaning from the stored [`TaskRecord`]:
//! ask, price a request, take a payment, show the task.
//!
//! The caller does that, and the task takes a [`TaskStep`].
//! [`TaskRecord::advance`] is the only way from one state to another.
//! It makes the next revision for a store that compares and swaps.
//! [`TaskView`] and [`updates`] show tasks and changes, and [`AnswerBody`] writes them as answers.
//!
//! ```
//! use ibid_a2a::{AnswerBody, Call, HistoryLimit, Opening, RpcRequest, TaskStep, Task, TaskRecord, TaskView, decide_new};
//! use ibid_model::{Offering, ContextId, TaskId};
//!
//! let body = br#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user",
//!     "messageId":"m-1","parts":[{"kind":"text","text":"What can you do?"}]}}}"#;
//! let request = RpcRequest::parse(body);
//! let Ok(Call::Send(incoming)) = request.call else { panic!("a message") };
//! let Ok(Opening::AskInput { wanted, payment_unused }) = decide_new(&incoming) else { panic!("words") };
//!
//! let now = jiff::Timestamp::UNIX_EPOCH;
//! let task = Task::open(TaskId::random(), ContextId::random().into(), incoming.message, now);
//! let sold = Offering::EVERYTHING;
//! let task = task.advance(TaskStep::AskInput { wanted, payment_unused, sold }, now)?;
//! let record = TaskRecord::first(task); // for the store
//!
//! let view = TaskView { task: record.task(), history: HistoryLimit::All, document: None };
//! let answer = String::from_utf8(AnswerBody::result(&view).document(&request.id)).unwrap();
//! assert!(answer.contains(r#""state":"input-required""#));
//! # Ok::<(), ibid_a2a::IllegalStep>(())
//! ```
//!
//! # The life of a task
//! ```text
//! submitted ──> input-required ──────────────> canceled          Cancel, Decline
//!     │            │   ^   │ ^
//!     │            └───┘   │ │                                   AskInput, AskPayment, Remind, RefusePayment
//!     │              Begin │ │ Interrupt, RefuseSettlement
//!     └────────Begin────> working ───────────> completed         Complete
//!                                 └──────────> failed            Fail
//! ```
//! A run may be started only after `Begin` was stored, by the process that stored it.
//! `Complete`, `Fail`, `Interrupt` and the steps around settlement name their run.
//! So an abandoned run cannot end a task that went on.
//!
//! # Limits of the crate
//! The crate has no IO, no async, no clock and no randomness: times and ids are passed in.
//! Payments are opaque values under fixed names; their crate makes and judges them.
//! A signed payment is taken out of a message as it is read, and a member that looks like one never reaches a history.
//! File parts are refused, so no URL of a caller is fetched.
//! Addresses for push notifications are judged and used by whatever sends webhooks.

mod agent_message;
mod answer;
mod call;
mod card;
mod decide;
mod error;
mod extension;
mod incoming;
pub mod limits;
mod message;
mod natural_orders;
mod params;
mod payment;
mod push;
mod read;
mod redact;
mod request;
mod rpc;
mod signature;
mod task;
mod task_state;
mod text;
mod view;
mod wire;

pub use agent_message::{AgentMessage, AgentParts};
pub use answer::AnswerBody;
pub use call::Call;
pub use card::{AgentCard, CardOptions};
pub use decide::{Decision, Opening, decide, decide_cancel, decide_new};
pub use error::{BadParams, BadRequest, CallError, Code};
pub use extension::{ExtensionHeader, activated};
pub use incoming::Incoming;
pub use limits::UNPAID_LIFE;
pub use message::{BadContext, Context, Message, Part, Role};
pub use params::HistoryLimit;
pub use payment::{
    PAYMENT_EXTENSION, PAYMENT_EXTENSION_02, PAYMENT_EXTENSIONS, PaymentFailure, Required, SignedPayload,
    Submission,
};
pub use push::{PushCall, PushConfig, PushSecrets, PushView};
pub use request::Request;
pub use rpc::{Form, RpcId, RpcRequest};
pub use signature::{BadCardKey, CardKey, CardSignature};
pub use task::{
    AskNumber, BadRecord, Basis, IllegalStep, Offer, Seen, Task, TaskDocument, TaskOutput, TaskRecord,
    TaskSettlement, TaskStep,
};
pub use task_state::TaskState;
pub use view::{TaskView, Update, updates};
pub use wire::Wire;
