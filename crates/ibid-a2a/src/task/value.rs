//! A task: one request on its way to a result, with its messages.

use super::step::{AskNumber, TaskOutput};
use crate::agent_message::AgentMessage;
use crate::limits::{MAX_HISTORY_BYTES, MAX_TURNS};
use crate::message::{Context, Message};
use crate::payment::{Notice, REQUIRED, Required, asks, only_asks};
use crate::request::Request;
use crate::task_state::TaskState;
use crate::{redact, text};
use ibid_model::{AtomicUsdc, ScanId, Skill, TaskId};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A task.
/// Its state changes by [`Task::advance`] and [`Task::advance_on`] alone.
///
/// The serialised form is for a store, not for the wire: see [`crate::TaskView`] for that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub(super) id: TaskId,
    pub(super) context: Context,
    pub(super) phase: Phase,
    /// The agent's message of the phase, without the offer, which is in the phase.
    /// Older messages are in the history.
    /// Most tasks wait for a payment with the same message, which is not stored.
    #[serde(rename = "said", default, skip_serializing_if = "is_default_message")]
    pub(super) agent_message: Option<AgentMessage>,
    pub(super) changed_at: Timestamp,
    pub(super) history: History,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) receipts: Vec<Value>,
    /// Counts steps, so that watchers see changes.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub(super) turn: u32,
    /// Counts the client's messages.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub(super) heard: u32,
    /// Counts the agent's messages. Their ids contain it.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub(super) words: u32,
    /// Counts offers, because a payment is for one of them.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub(super) offers: u32,
    /// Whether the work is done and the outcome of the settlement is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) unsettled: bool,
}

/// How far a task is, with what it needs there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Phase {
    Submitted,
    AwaitingInput { wanted: Option<Skill> },
    AwaitingPayment { offer: Offer },
    Working { offer: Offer, run: ScanId },
    Completed { skill: Skill, output: TaskOutput },
    Failed { skill: Skill },
    Canceled { skill: Option<Skill> },
}

/// A request with its demand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    pub(super) number: AskNumber,
    pub(super) request: Request,
    pub(super) required: Required,
}

/// How much of a task a watcher has seen; see [`crate::updates`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub(crate) turn: u32,
    pub(crate) artifact: bool,
}

impl Task {
    /// A new task for a client's first message.
    /// It is `submitted` until its first step.
    ///
    /// `context` is used unless the client chose a name for the conversation.
    #[must_use]
    pub fn open(id: TaskId, context: Context, message: Message, at: Timestamp) -> Self {
        let context = message.context_id.clone().unwrap_or(context);
        let mut task = Self {
            id,
            context,
            phase: Phase::Submitted,
            agent_message: None,
            changed_at: to_milliseconds(at),
            history: History::default(),
            receipts: Vec::new(),
            turn: 0,
            heard: 0,
            words: 0,
            offers: 0,
            unsettled: false,
        };
        task.receive(message);
        task
    }

    /// Its id. A caller who knows it may read the task.
    pub const fn id(&self) -> TaskId {
        self.id
    }

    /// The conversation it belongs to.
    pub const fn context(&self) -> &Context {
        &self.context
    }

    /// The state on the wire.
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

    /// The offer that waits for a payment, or was paid for and is being worked on.
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

    /// Returns what the task has produced.
    pub const fn output(&self) -> Option<&TaskOutput> {
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

    /// Whether the work is done and the settlement is not confirmed yet.
    /// The chain may take long, so no call should be held open for it.
    pub const fn awaits_settlement(&self) -> bool {
        self.unsettled
    }

    /// Every settlement that was tried for the task, oldest first, as the wire has them.
    pub fn receipts(&self) -> &[Value] {
        &self.receipts
    }

    /// When the state last changed.
    pub const fn changed_at(&self) -> Timestamp {
        self.changed_at
    }

    /// Returns the kept messages before the current message of the agent, oldest first.
    /// They have no ids, because the task and the conversation are known.
    pub fn history(&self) -> &[Message] {
        self.history.messages()
    }

    /// The agent's message of the current state.
    /// Its demand is in [`Self::offer`].
    pub const fn agent_message(&self) -> Option<&AgentMessage> {
        self.agent_message.as_ref()
    }

    /// The `messageId` of [`Self::agent_message`].
    pub(crate) fn agent_message_id(&self) -> String {
        format!("{}-{}", self.id, self.words)
    }

    /// Returns how many messages the client has sent.
    pub const fn heard(&self) -> u32 {
        self.heard
    }

    /// Returns what a reader who looks now has seen: everything.
    pub const fn seen(&self) -> Seen {
        Seen {
            turn: self.turn,
            artifact: self.output().is_some(),
        }
    }

    /// Returns the part that a watcher has seen after the first event of a stream, which is the task itself.
    /// It is all of the task, unless the task rests.
    /// Then the event that ends the stream is still to come.
    pub const fn seen_at_start(&self) -> Seen {
        let mut seen = self.seen();
        if self.state().is_final() {
            seen.turn = seen.turn.saturating_sub(1);
        }
        seen
    }

    /// Adds a client's message to the history, after the current message of the agent.
    pub(super) fn receive(&mut self, message: Message) {
        self.shelve();
        self.history.push(redact::for_history(message));
        self.heard += 1;
    }

    /// Returns what the agent's message demands.
    /// On the wire it is part of the message.
    pub(crate) fn asked(&self) -> Option<&Required> {
        let message = self.agent_message.as_ref()?;
        self.offer()
            .filter(|_| asks(&message.metadata))
            .map(Offer::required)
    }

    /// Restores the default_message message, which is not stored.
    pub(super) fn recall(&mut self) {
        if let (None, Phase::AwaitingPayment { offer }) = (&self.agent_message, &self.phase) {
            self.agent_message = Some(default_message(offer.request.skill()));
        }
    }

    pub(super) fn shelve(&mut self) {
        let asked = self.asked().map(Required::to_value);
        if let Some(mut message) = self.agent_message.take() {
            message
                .metadata
                .extend(asked.map(|asked| (REQUIRED.to_owned(), asked)));
            let id = self.agent_message_id();
            self.history.push(message.into_message(id));
        }
    }
}

impl Offer {
    /// Returns its number.
    /// A payment is for one offer, and the offer changes with the request.
    pub const fn number(&self) -> AskNumber {
        self.number
    }

    /// The request that runs once it is paid for.
    pub const fn request(&self) -> &Request {
        &self.request
    }

    /// The price that it asks.
    pub(crate) fn price(&self) -> AtomicUsdc {
        let skill = self.request.skill();
        self.required.price().unwrap_or_else(|| skill.price())
    }

    /// Its demand: the value of `x402.payment.required`.
    /// Payments are judged against it.
    pub const fn required(&self) -> &Required {
        &self.required
    }
}

/// Where a record has no count it is the first, because that is not stored.
const fn first() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_first(count: &u32) -> bool {
    *count == 1
}

/// Wire timestamps have milliseconds, because some clients cannot read more digits.
pub(crate) fn to_milliseconds(at: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at)
}

/// Messages, oldest first, without the ids of task and conversation, which the task has.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub(super) struct History(Vec<Message>);

impl<'de> Deserialize<'de> for History {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut messages = Vec::<Message>::deserialize(deserializer)?;
        // Older programs repeated both in every message.
        for message in &mut messages {
            (message.task_id, message.context_id) = (None, None);
        }
        Ok(Self(messages))
    }
}

impl History {
    /// Adds a message, and forgets the oldest ones if it gets too long.
    pub(super) fn push(&mut self, message: Message) {
        self.0.push(message);
        let (mut kept, mut bytes) = (0, 0);
        for message in self.0.iter().rev().take(MAX_TURNS as usize) {
            bytes += message.weight();
            if bytes > MAX_HISTORY_BYTES {
                break;
            }
            kept += 1;
        }
        // The newest message is kept even if it is too large.
        let forgotten = self.0.len() - kept.max(1);
        self.0.drain(..forgotten);
    }

    pub(super) fn messages(&self) -> &[Message] {
        &self.0
    }
}

/// Returns the message of a task whose offer waits for its first payment, at the standard price.
pub(super) fn default_message(skill: Skill) -> AgentMessage {
    AgentMessage {
        parts: text::ask_payment(skill, skill.price(), None),
        metadata: Notice::Required.metadata(&[], false),
    }
}

/// Whether a message is the [`default_message`] for some skill.
/// The offer has the skill.
pub(super) fn is_default_message(message: &Option<AgentMessage>) -> bool {
    message.as_ref().is_some_and(|message| {
        let mut skills = Skill::ALL.into_iter();
        only_asks(&message.metadata)
            && skills.any(|skill| {
                message.parts.as_json() == text::ask_payment(skill, skill.price(), None).as_json()
            })
    })
}
