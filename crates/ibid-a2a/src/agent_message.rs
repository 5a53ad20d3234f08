//! Messages of the agent.

use crate::message::{Message, Part, Role};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The agent's message for a state.
/// Its `messageId` is the id of the task and a number, so a record does not repeat it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentMessage {
    /// Its parts.
    pub parts: AgentParts,
    /// Its metadata about payment.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl AgentMessage {
    /// The message for a history.
    pub(crate) fn into_message(self, message_id: String) -> Message {
        Message {
            message_id,
            role: Role::Agent,
            parts: self.parts.to_parts(),
            task_id: None,
            context_id: None,
            reference_task_ids: Vec::new(),
            extensions: Vec::new(),
            metadata: self.metadata,
        }
    }
}

/// What an agent's message has in it, never empty.
/// They are written once and kept as text, because most messages are sent many times. Cheap to clone.
#[derive(Clone, Debug)]
pub struct AgentParts(Arc<RawValue>);

impl AgentParts {
    pub(crate) fn of(parts: &[Part]) -> Self {
        // Parts are texts and objects, which can always be written.
        Self(to_raw_value(parts).unwrap_or_default().into())
    }

    pub(crate) fn as_json(&self) -> &str {
        self.0.get()
    }

    /// The parts, for a history.
    pub(crate) fn to_parts(&self) -> Vec<Part> {
        // The text was written from parts, or read as parts.
        serde_json::from_str(self.as_json()).unwrap_or_default()
    }
}

/// Equal parts may be written differently, because records are read from anywhere.
impl PartialEq for AgentParts {
    fn eq(&self, other: &Self) -> bool {
        self.as_json() == other.as_json() || self.to_parts() == other.to_parts()
    }
}

impl Serialize for AgentParts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AgentParts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        serde_json::from_str::<Vec<Part>>(raw.get()).map_err(serde::de::Error::custom)?;
        Ok(Self(raw.into()))
    }
}
