//! What the agent says.

use crate::message::{Message, Part, Role};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What the agent says with a state. As a message it is named after the task and a number, which the task has: a record
/// does not repeat them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// What is said; never empty.
    pub parts: Vec<Part>,
    /// What is said about payment.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl Said {
    /// The message that a history keeps.
    pub(super) fn into_message(self, message_id: String) -> Message {
        Message {
            message_id,
            role: Role::Agent,
            parts: self.parts,
            task_id: None,
            context_id: None,
            reference_task_ids: Vec::new(),
            extensions: Vec::new(),
            metadata: self.metadata,
        }
    }
}
