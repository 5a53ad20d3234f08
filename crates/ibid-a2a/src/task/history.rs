//! The earlier messages of a task, limited in number and in bytes.

use crate::limits::{MAX_HISTORY_BYTES, MAX_TURNS};
use crate::message::Message;
use serde::{Deserialize, Deserializer, Serialize};

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
