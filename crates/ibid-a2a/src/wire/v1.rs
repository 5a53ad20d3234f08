//! Tasks and events as A2A 1.0 writes them.
//!
//! There are no `kind` and no `final`: the member that wraps a result names its kind.
//! Enumerations have the names of the protocol's definition, and data parts name their media type.

use crate::message::{Message, Part, Role};
use crate::task::{Task as CoreTask, to_milliseconds};
use crate::task_state::TaskState;
use crate::view::{Artifact, ArtifactParts, Metadata, TaskView, Update, newest};
use jiff::Timestamp;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// What an answer to a message, or an event, contains.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Payload<'a> {
    Task(Task<'a>),
    StatusUpdate(StatusUpdate<'a>),
    ArtifactUpdate(ArtifactUpdate<'a>),
}

pub(super) struct Task<'a>(pub(super) &'a TaskView<'a>);

/// A change of state, or progress without one.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StatusUpdate<'a> {
    task_id: String,
    context_id: &'a str,
    status: Status<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Progress<'a>>,
}

#[derive(serde::Serialize)]
struct Progress<'a> {
    progress: &'a Value,
}

/// The result, before the state that ends the task.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactUpdate<'a> {
    task_id: String,
    context_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact: Option<Artifact<Parts<'a>>>,
    append: bool,
    last_chunk: bool,
}

impl<'a> Payload<'a> {
    pub(super) fn of(update: &Update<'a>) -> Self {
        match *update {
            Update::Status(task) => Self::StatusUpdate(StatusUpdate {
                task_id: task.id().to_string(),
                context_id: task.context().as_str(),
                status: Status::of(task),
                metadata: None,
            }),
            Update::Progress { task, progress, at } => Self::StatusUpdate(StatusUpdate {
                task_id: task.id().to_string(),
                context_id: task.context().as_str(),
                status: Status {
                    state: State(task.state()),
                    message: None,
                    timestamp: to_milliseconds(at),
                },
                metadata: Some(Progress { progress }),
            }),
            Update::Artifact { task, document } => Self::ArtifactUpdate(ArtifactUpdate {
                task_id: task.id().to_string(),
                context_id: task.context().as_str(),
                artifact: task.output().map(|output| Artifact::of(task, output, document)),
                append: false,
                last_chunk: true,
            }),
        }
    }
}

impl Serialize for Task<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let TaskView {
            task,
            history,
            document,
        } = *self.0;
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("id", &task.id())?;
        object.serialize_entry("contextId", task.context())?;
        object.serialize_entry("status", &Status::of(task))?;
        if let Some(output) = task.output() {
            object.serialize_entry("artifacts", &[Artifact::<Parts<'_>>::of(task, output, document)])?;
        }
        if let Some(history) = newest(task.history(), history) {
            let messages = history.iter().map(|message| MessageJson10::kept(task, message));
            object.serialize_entry("history", &messages.collect::<Vec<_>>())?;
        }
        if let Some(skill) = task.skill() {
            object.serialize_entry("metadata", &serde_json::json!({"skill": skill}))?;
        }
        object.end()
    }
}

#[derive(serde::Serialize)]
struct Status<'a> {
    state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<MessageJson10<'a>>,
    #[serde(serialize_with = "ibid_model::time::serialize")]
    timestamp: Timestamp,
}

impl<'a> Status<'a> {
    fn of(task: &'a CoreTask) -> Self {
        Self {
            state: State(task.state()),
            message: MessageJson10::agent(task),
            timestamp: task.changed_at(),
        }
    }
}

struct State(TaskState);

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self.0 {
            TaskState::Submitted => "TASK_STATE_SUBMITTED",
            TaskState::Working => "TASK_STATE_WORKING",
            TaskState::InputRequired => "TASK_STATE_INPUT_REQUIRED",
            TaskState::Completed => "TASK_STATE_COMPLETED",
            TaskState::Canceled => "TASK_STATE_CANCELED",
            TaskState::Failed => "TASK_STATE_FAILED",
        })
    }
}

/// A message with the task that it belongs to.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct MessageJson10<'a> {
    message_id: String,
    context_id: &'a str,
    task_id: String,
    role: &'static str,
    parts: Vec<SpokenPart>,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    metadata: Metadata<'a>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    extensions: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    reference_task_ids: &'a [String],
}

impl<'a> MessageJson10<'a> {
    fn kept(task: &'a CoreTask, message: &'a Message) -> Self {
        Self {
            message_id: message.message_id.clone(),
            context_id: task.context().as_str(),
            task_id: task.id().to_string(),
            role: match message.role {
                Role::User => "ROLE_USER",
                Role::Agent => "ROLE_AGENT",
            },
            parts: message.parts.iter().cloned().map(SpokenPart).collect(),
            metadata: Metadata {
                members: &message.metadata,
                required: None,
            },
            extensions: &message.extensions,
            reference_task_ids: &message.reference_task_ids,
        }
    }

    /// The agent's message, with the demand in it.
    fn agent(task: &'a CoreTask) -> Option<Self> {
        let message = task.agent_message()?;
        Some(Self {
            message_id: task.agent_message_id(),
            context_id: task.context().as_str(),
            task_id: task.id().to_string(),
            role: "ROLE_AGENT",
            parts: message.parts.to_parts().into_iter().map(SpokenPart).collect(),
            metadata: Metadata {
                members: &message.metadata,
                required: task.asked(),
            },
            extensions: &[],
            reference_task_ids: &[],
        })
    }
}

struct SpokenPart(Part);

impl Serialize for SpokenPart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        let metadata = match &self.0 {
            Part::Text { text, metadata } => {
                object.serialize_entry("text", text)?;
                metadata
            }
            Part::Data { data, metadata } => {
                object.serialize_entry("data", data)?;
                object.serialize_entry("mediaType", JSON)?;
                metadata
            }
        };
        if !metadata.is_empty() {
            object.serialize_entry("metadata", metadata)?;
        }
        object.end()
    }
}

const JSON: &str = "application/json";

struct Parts<'a>(ArtifactParts<'a>);

impl<'a> From<ArtifactParts<'a>> for Parts<'a> {
    fn from(parts: ArtifactParts<'a>) -> Self {
        Self(parts)
    }
}

impl Serialize for Parts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Data<'a> {
            data: &'a RawValue,
            media_type: &'static str,
        }
        #[derive(serde::Serialize)]
        struct Text<'a> {
            text: &'a str,
        }
        let mut parts = serializer.serialize_seq(None)?;
        if let Some(data) = self.0.document {
            parts.serialize_element(&Data {
                data,
                media_type: JSON,
            })?;
        }
        parts.serialize_element(&Text { text: self.0.summary })?;
        parts.end()
    }
}
