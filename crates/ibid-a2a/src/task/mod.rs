//! A task: one request on its way to a result, with everything said on the way.

mod advance;
mod history;
mod record;
mod said;
mod state;
mod step;

pub use record::{BadRecord, TaskRecord};
pub use said::{Said, Speech};
pub use state::TaskState;
pub use step::{AskNumber, Basis, Document, IllegalStep, Output, Settled, Step};

use crate::message::{Context, Message};
use crate::payment::{REQUIRED, Required, asks};
use crate::request::Request;
use crate::scrub;
use history::History;
use ibid_model::{ScanId, Skill, TaskId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A task. Its state changes by [`Task::advance`] and [`Task::advance_on`] alone.
///
/// The serialised form is for a store, not for the wire: see [`crate::TaskView`] for that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    id: TaskId,
    context: Context,
    phase: Phase,
    /// What the agent says with the phase, without the offer, which the phase has; older messages are history.
    /// Most tasks wait to be paid for, and are told so in the same words: these are not written.
    #[serde(default, skip_serializing_if = "Said::is_usual")]
    said: Option<Said>,
    changed_at: Timestamp,
    history: History,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    receipts: Vec<Value>,
    /// Counts steps, so that watchers see whether something happened.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    turn: u32,
    /// Counts messages of the client.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    heard: u32,
    /// Counts messages of the agent, which are named after it.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    words: u32,
    /// Counts offers: a payment is for one of them.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    offers: u32,
    /// Whether the work is done and nobody knows yet whether it was paid for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unsettled: bool,
}

/// Where the task is, with what only that place has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Phase {
    Submitted,
    AwaitingInput { wanted: Option<Skill> },
    AwaitingPayment { offer: Offer },
    Working { offer: Offer, run: ScanId },
    Completed { skill: Skill, output: Output },
    Failed { skill: Skill },
    Canceled { skill: Option<Skill> },
}

/// A request and what is asked for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    number: AskNumber,
    request: Request,
    required: Required,
}

/// How much of a task a watcher has seen: see [`crate::updates`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub(crate) turn: u32,
    pub(crate) artifact: bool,
}

impl Task {
    /// A new task for a client's first message. It is `submitted` until its first step.
    ///
    /// `context` is used unless the client chose a name for the conversation.
    #[must_use]
    pub fn open(id: TaskId, context: Context, message: Message, at: Timestamp) -> Self {
        let context = message.context_id.clone().unwrap_or(context);
        let mut task = Self {
            id,
            context,
            phase: Phase::Submitted,
            said: None,
            changed_at: to_milliseconds(at),
            history: History::default(),
            receipts: Vec::new(),
            turn: 0,
            heard: 0,
            words: 0,
            offers: 0,
            unsettled: false,
        };
        task.hear(message);
        task
    }

    /// Its id: whoever knows it may read the task.
    #[must_use]
    pub const fn id(&self) -> TaskId {
        self.id
    }

    /// The conversation it belongs to.
    #[must_use]
    pub const fn context(&self) -> &Context {
        &self.context
    }

    /// The state on the wire.
    #[must_use]
    pub const fn state(&self) -> TaskState {
        match &self.phase {
            Phase::Submitted => TaskState::Submitted,
            Phase::AwaitingInput { wanted: _ } | Phase::AwaitingPayment { offer: _ } => {
                TaskState::InputRequired
            }
            Phase::Working { offer: _, run: _ } => TaskState::Working,
            Phase::Completed { skill: _, output: _ } => TaskState::Completed,
            Phase::Failed { skill: _ } => TaskState::Failed,
            Phase::Canceled { skill: _ } => TaskState::Canceled,
        }
    }

    /// What stands to be paid for, or was paid for and is under way.
    #[must_use]
    pub const fn offer(&self) -> Option<&Offer> {
        match &self.phase {
            Phase::AwaitingPayment { offer } | Phase::Working { offer, run: _ } => Some(offer),
            Phase::Submitted
            | Phase::AwaitingInput { wanted: _ }
            | Phase::Completed { skill: _, output: _ }
            | Phase::Failed { skill: _ }
            | Phase::Canceled { skill: _ } => None,
        }
    }

    /// The run under way.
    #[must_use]
    pub const fn run(&self) -> Option<ScanId> {
        match &self.phase {
            Phase::Working { offer: _, run } => Some(*run),
            Phase::Submitted
            | Phase::AwaitingInput { wanted: _ }
            | Phase::AwaitingPayment { offer: _ }
            | Phase::Completed { skill: _, output: _ }
            | Phase::Failed { skill: _ }
            | Phase::Canceled { skill: _ } => None,
        }
    }

    /// What the task yielded.
    #[must_use]
    pub const fn output(&self) -> Option<&Output> {
        match &self.phase {
            Phase::Completed { skill: _, output } => Some(output),
            Phase::Submitted
            | Phase::AwaitingInput { wanted: _ }
            | Phase::AwaitingPayment { offer: _ }
            | Phase::Working { offer: _, run: _ }
            | Phase::Failed { skill: _ }
            | Phase::Canceled { skill: _ } => None,
        }
    }

    /// The skill, once one is known.
    #[must_use]
    pub const fn skill(&self) -> Option<Skill> {
        match &self.phase {
            Phase::Submitted => None,
            Phase::AwaitingInput { wanted } => *wanted,
            Phase::AwaitingPayment { offer } | Phase::Working { offer, run: _ } => {
                Some(offer.request.skill())
            }
            Phase::Completed { skill, output: _ } | Phase::Failed { skill } => Some(*skill),
            Phase::Canceled { skill } => *skill,
        }
    }

    /// Whether the work is done and the money perhaps on its way. That may take as long as the chain takes, so nobody
    /// should hold a call open for it.
    #[must_use]
    pub const fn awaits_settlement(&self) -> bool {
        self.unsettled
    }

    /// Every settlement that was tried for the task, oldest first, as the wire has them.
    #[must_use]
    pub fn receipts(&self) -> &[Value] {
        &self.receipts
    }

    /// When the state last changed.
    #[must_use]
    pub const fn changed_at(&self) -> Timestamp {
        self.changed_at
    }

    /// Everything said before the current message of the agent, oldest first, as far as it is kept. Messages do not
    /// repeat the names of the task and of its conversation.
    #[must_use]
    pub fn history(&self) -> &[Message] {
        self.history.messages()
    }

    /// What the agent says with the state. What it asks for stands in [`Self::offer`].
    #[must_use]
    pub const fn said(&self) -> Option<&Said> {
        self.said.as_ref()
    }

    /// The `messageId` of what the agent says with the state.
    pub(crate) fn said_id(&self) -> String {
        format!("{}-{}", self.id, self.words)
    }

    /// How many messages the client has sent.
    #[must_use]
    pub const fn heard(&self) -> u32 {
        self.heard
    }

    /// What somebody who got the task as it is has seen of it.
    #[must_use]
    pub const fn seen(&self) -> Seen {
        Seen {
            turn: self.turn,
            artifact: self.output().is_some(),
        }
    }

    /// What a watcher has seen after the first event of a stream, which is the task itself: all of it, unless the
    /// task rests. Then the event that ends the stream is still to come.
    #[must_use]
    pub const fn seen_at_start(&self) -> Seen {
        let mut seen = self.seen();
        if self.state().is_final() {
            seen.turn = seen.turn.saturating_sub(1);
        }
        seen
    }

    /// Files a client's message. What was said before it becomes history first.
    fn hear(&mut self, message: Message) {
        self.shelve();
        self.history.push(scrub::for_history(message));
        self.heard += 1;
    }

    /// What the agent's message asks for: on the wire, the offer stands in it.
    pub(crate) fn asked(&self) -> Option<&Required> {
        let said = self.said.as_ref()?;
        self.offer().filter(|_| asks(&said.metadata)).map(Offer::required)
    }

    /// Says again what was not written.
    fn recall(&mut self) {
        if let (None, Phase::AwaitingPayment { offer }) = (&self.said, &self.phase) {
            self.said = Some(Said::usual(offer.request.skill()));
        }
    }

    fn shelve(&mut self) {
        let asked = self.asked().map(Required::to_value);
        if let Some(mut said) = self.said.take() {
            said.metadata
                .extend(asked.map(|asked| (REQUIRED.to_owned(), asked)));
            let id = self.said_id();
            self.history.push(said.into_message(id));
        }
    }
}

impl Offer {
    /// Its number: a payment is for one offer, and offers change when the request does.
    #[must_use]
    pub const fn number(&self) -> AskNumber {
        self.number
    }

    /// The request that runs once it is paid for.
    #[must_use]
    pub const fn request(&self) -> &Request {
        &self.request
    }

    /// What was asked for it: the value of `x402.payment.required`. Payments are judged against this.
    #[must_use]
    pub const fn required(&self) -> &Required {
        &self.required
    }
}

/// Where most counts of a record stand, which is not written.
const fn first() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_first(count: &u32) -> bool {
    *count == 1
}

/// Wire timestamps have milliseconds: some clients cannot read more digits.
pub(crate) fn to_milliseconds(at: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at)
}
