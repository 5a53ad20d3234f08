//! Messages and their parts, as on the wire and in the store.

use crate::limits::MAX_CONTEXT;
use crate::read::weight_of;
use ibid_model::{ContextId, TaskId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename = "message", rename_all = "camelCase")]
pub struct Message {
    /// The sender's id of the message.
    /// It is not an identity, because any sender could reuse it.
    pub message_id: String,
    /// The sender.
    pub role: Role,
    /// Its parts; never empty.
    pub parts: Vec<Part>,
    /// The task it belongs to; absent in the first message of a task, and in a history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The conversation it belongs to; absent in a history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_id: Option<Context>,
    /// Earlier tasks that the sender refers to. Kept, not used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reference_task_ids: Vec<String>,
    /// Extensions that the sender uses in this message. Kept, not used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// Metadata of extensions.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

/// Who sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The client.
    User,
    /// This service.
    Agent,
}

/// One part of a message.
/// File parts are refused before a message exists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Part {
    /// Words.
    Text {
        /// The words.
        text: String,
        /// Metadata of extensions.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// A JSON object.
    Data {
        /// The object.
        data: Map<String, Value>,
        /// Metadata of extensions.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
}

impl Part {
    /// Words without metadata.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text {
            text: text.into(),
            metadata: Map::new(),
        }
    }

    /// An object without metadata.
    #[must_use]
    pub fn data(data: Map<String, Value>) -> Self {
        Self::Data {
            data,
            metadata: Map::new(),
        }
    }
}

impl Message {
    /// Returns how many bytes the message has, roughly as written.
    pub(crate) fn weight(&self) -> usize {
        let lists = self.reference_task_ids.iter().chain(&self.extensions);
        let parts = self.parts.iter().map(|part| match part {
            Part::Text { text, metadata } => text.len() + weight_of(metadata) + 24,
            Part::Data { data, metadata } => weight_of(data) + weight_of(metadata) + 24,
        });
        let lists: usize = lists.map(|text| text.len() + 3).sum();
        160 + self.message_id.len() + lists + parts.sum::<usize>() + weight_of(&self.metadata)
    }
}

/// Names a conversation.
/// Clients may choose it, because it only groups tasks and grants no access.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Context(String);

/// The text cannot name a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("contextId must have 1 to {MAX_CONTEXT} visible ASCII characters")]
pub struct BadContext;

impl Context {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<ContextId> for Context {
    fn from(id: ContextId) -> Self {
        Self(id.to_string())
    }
}

impl FromStr for Context {
    type Err = BadContext;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        match visible && (1..=MAX_CONTEXT).contains(&text.len()) {
            true => Ok(Self(text.to_owned())),
            false => Err(BadContext),
        }
    }
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl<'de> Deserialize<'de> for Context {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
