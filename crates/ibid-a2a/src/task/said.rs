//! What the agent says.

use crate::message::{Message, Part, Role};
use crate::payment::{Notice, only_asks};
use crate::text;
use ibid_model::Skill;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use std::sync::Arc;

/// What the agent says with a state. As a message it is named after the task and a number, which the task has: a record
/// does not repeat them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// What is said.
    pub parts: Speech,
    /// What is said about payment.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl Said {
    /// What is said while an offer waits to be paid for, unless something else happened.
    pub(super) fn usual(skill: Skill) -> Self {
        Self {
            parts: text::ask_payment(skill),
            metadata: Notice::Required.metadata(&[]),
        }
    }

    /// Whether it is [`Self::usual`] for some skill, which the offer then names.
    pub(super) fn is_usual(said: &Option<Self>) -> bool {
        said.as_ref().is_some_and(|said| {
            let mut skills = Skill::ALL.into_iter();
            only_asks(&said.metadata)
                && skills.any(|skill| said.parts.as_json() == text::ask_payment(skill).as_json())
        })
    }

    /// The message that a history keeps.
    pub(super) fn into_message(self, message_id: String) -> Message {
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

/// The parts of what the agent says; never empty. Written once and kept as text, for they are copied into answers and
/// records, and most are said again and again. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Speech(Arc<RawValue>);

impl Speech {
    pub(crate) fn of(parts: &[Part]) -> Self {
        // Parts are texts and objects, which can always be written.
        Self(to_raw_value(parts).unwrap_or_default().into())
    }

    fn as_json(&self) -> &str {
        self.0.get()
    }

    /// The parts, for a history.
    pub(super) fn to_parts(&self) -> Vec<Part> {
        // What was written from parts, or read as such, is parts.
        serde_json::from_str(self.as_json()).unwrap_or_default()
    }
}

/// Equal parts may be written differently: records are read from anywhere.
impl PartialEq for Speech {
    fn eq(&self, other: &Self) -> bool {
        self.as_json() == other.as_json() || self.to_parts() == other.to_parts()
    }
}

impl Serialize for Speech {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Speech {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        serde_json::from_str::<Vec<Part>>(raw.get()).map_err(serde::de::Error::custom)?;
        Ok(Self(raw.into()))
    }
}
