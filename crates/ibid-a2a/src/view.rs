//! Tasks and events on the wire, written without copies.

use crate::agent_message::{AgentMessage, AgentParts};
use crate::message::{Context, Message, Part, Role};
use crate::params::HistoryLimit;
use crate::payment::{REQUIRED, REQUIRED_V2, Required};
use crate::task::{Seen, Task, TaskDocument, TaskOutput, to_milliseconds};
use crate::task_state::TaskState;
use ibid_model::TaskId;
use jiff::Timestamp;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A task as an answer shows it.
#[derive(Clone, Copy, Debug)]
pub struct TaskView<'a> {
    /// The task.
    pub task: &'a Task,
    /// How much of its history to show.
    pub history: HistoryLimit,
    /// Document for [`TaskDocument::Kept`], if the store still has it.
    /// Without it, the artifact is its summary.
    pub document: Option<&'a RawValue>,
}

/// What a stream tells about a task.
#[derive(Clone, Copy, Debug)]
pub enum Update<'a> {
    /// The state, with the agent's message.
    Status(&'a Task),
    /// The result. Comes before the status that ends the task.
    Artifact {
        /// The task.
        task: &'a Task,
        /// As in [`TaskView`].
        document: Option<&'a RawValue>,
    },
    /// Progress of the work; it is not stored.
    Progress {
        /// The task.
        task: &'a Task,
        /// The progress, for the event's metadata.
        progress: &'a Value,
        /// The time.
        at: Timestamp,
    },
}

/// The changes after `seen`, in order.
///
/// Works on stored tasks alone, so any replica can serve any stream.
pub fn updates<'a>(
    seen: Seen,
    task: &'a Task,
    document: Option<&'a RawValue>,
) -> impl Iterator<Item = Update<'a>> {
    let now = task.seen();
    let artifact = (now.artifact && !seen.artifact).then_some(Update::Artifact { task, document });
    let status = (now.turn > seen.turn).then_some(Update::Status(task));
    artifact.into_iter().chain(status)
}

impl Update<'_> {
    /// Whether the stream ends with this.
    pub const fn is_final(&self) -> bool {
        match self {
            Self::Status(task) => task.state().is_final(),
            Self::Artifact { task: _, document: _ }
            | Self::Progress {
                task: _,
                progress: _,
                at: _,
            } => false,
        }
    }
}

impl Serialize for TaskView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let task = self.task;
        let mut object = serializer.serialize_struct("Task", 7)?;
        object.serialize_field("kind", "task")?;
        object.serialize_field("id", &task.id())?;
        object.serialize_field("contextId", task.context())?;
        object.serialize_field("status", &Status::of(task))?;
        match newest(task.history(), self.history) {
            Some(history) => object.serialize_field("history", &History03 { task, history })?,
            None => object.skip_field("history")?,
        }
        match task.output() {
            Some(output) => {
                object.serialize_field(
                    "artifacts",
                    &[Artifact::<ArtifactParts<'_>>::of(task, output, self.document)],
                )?;
            }
            None => object.skip_field("artifacts")?,
        }
        match task.skill() {
            Some(skill) => object.serialize_field(
                "metadata",
                &SkillMetadata {
                    skill: skill.as_str(),
                },
            )?,
            None => object.skip_field("metadata")?,
        }
        object.end()
    }
}

impl Serialize for Update<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Update", 6)?;
        let (kind, task) = match self {
            Self::Status(task)
            | Self::Progress {
                task,
                progress: _,
                at: _,
            } => ("status-update", task),
            Self::Artifact { task, document: _ } => ("artifact-update", task),
        };
        object.serialize_field("kind", kind)?;
        object.serialize_field("taskId", &task.id())?;
        object.serialize_field("contextId", task.context())?;
        match self {
            Self::Status(task) => {
                object.serialize_field("status", &Status::of(task))?;
                object.serialize_field("final", &self.is_final())?;
            }
            Self::Progress { task, progress, at } => {
                let status = Status {
                    state: task.state(),
                    message: None,
                    timestamp: to_milliseconds(*at),
                };
                object.serialize_field("status", &status)?;
                object.serialize_field("final", &false)?;
                object.serialize_field("metadata", &ProgressMetadata { progress })?;
            }
            Self::Artifact { task, document } => {
                if let Some(output) = task.output() {
                    let artifact = Artifact::<ArtifactParts<'_>>::of(task, output, *document);
                    object.serialize_field("artifact", &artifact)?;
                }
                object.serialize_field("append", &false)?;
                object.serialize_field("lastChunk", &true)?;
            }
        }
        object.end()
    }
}

#[derive(serde::Serialize)]
struct SkillMetadata {
    skill: &'static str,
}

#[derive(serde::Serialize)]
struct ProgressMetadata<'a> {
    progress: &'a Value,
}

#[derive(serde::Serialize)]
struct Status<'a> {
    state: TaskState,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<MessageJson03<'a>>,
    #[serde(serialize_with = "ibid_model::time::serialize")]
    timestamp: Timestamp,
}

impl<'a> Status<'a> {
    fn of(task: &'a Task) -> Self {
        Self {
            state: task.state(),
            message: task
                .agent_message()
                .map(|message| MessageJson03::agent(task, message)),
            timestamp: task.changed_at(),
        }
    }
}

/// A history, as messages of its task.
struct History03<'a> {
    task: &'a Task,
    history: &'a [Message],
}

impl Serialize for History03<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(
            self.history
                .iter()
                .map(|message| MessageJson03::kept(self.task, message)),
        )
    }
}

/// A message with its task, which a record has once.
#[derive(serde::Serialize)]
#[serde(tag = "kind", rename = "message", rename_all = "camelCase")]
struct MessageJson03<'a> {
    message_id: Cow<'a, str>,
    role: Role,
    parts: Parts<'a>,
    task_id: TaskId,
    context_id: &'a Context,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    reference_task_ids: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    extensions: &'a [String],
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    metadata: Metadata<'a>,
}

#[derive(serde::Serialize)]
#[serde(untagged)]
enum Parts<'a> {
    Kept(&'a [Part]),
    Agent(&'a AgentParts),
}

impl<'a> MessageJson03<'a> {
    fn kept(task: &'a Task, message: &'a Message) -> Self {
        Self {
            message_id: Cow::Borrowed(&message.message_id),
            role: message.role,
            parts: Parts::Kept(&message.parts),
            task_id: task.id(),
            context_id: task.context(),
            reference_task_ids: &message.reference_task_ids,
            extensions: &message.extensions,
            metadata: Metadata {
                members: &message.metadata,
                required: None,
            },
        }
    }

    /// The agent's message, with the demand in it.
    fn agent(task: &'a Task, message: &'a AgentMessage) -> Self {
        Self {
            message_id: Cow::Owned(task.agent_message_id()),
            role: Role::Agent,
            parts: Parts::Agent(&message.parts),
            task_id: task.id(),
            context_id: task.context(),
            reference_task_ids: &[],
            extensions: &[],
            metadata: Metadata {
                members: &message.metadata,
                required: task.asked(),
            },
        }
    }
}

/// A message's metadata. Written by hand, because a flattened map of serde would reorder the demand.
pub(crate) struct Metadata<'a> {
    pub(crate) members: &'a Map<String, Value>,
    pub(crate) required: Option<&'a Required>,
}

impl Metadata<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty() && self.required.is_none()
    }
}

impl Serialize for Metadata<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.members {
            map.serialize_entry(name, value)?;
        }
        if let Some(required) = self.required {
            map.serialize_entry(REQUIRED, required.v1())?;
            if let Some(second) = required.v2() {
                map.serialize_entry(REQUIRED_V2, second)?;
            }
        }
        map.end()
    }
}

/// What a task has made, whose parts `P` a version of the protocol writes.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Artifact<P> {
    artifact_id: &'static str,
    name: &'static str,
    parts: P,
}

/// What an artifact has in it: the document for programs, the summary for people.
pub(crate) struct ArtifactParts<'a> {
    pub(crate) document: Option<&'a RawValue>,
    pub(crate) summary: &'a str,
}

impl<'a, P: From<ArtifactParts<'a>>> Artifact<P> {
    pub(crate) fn of(task: &'a Task, output: &'a TaskOutput, kept: Option<&'a RawValue>) -> Self {
        let document = match &output.document {
            TaskDocument::Kept(_) => kept,
            TaskDocument::Inline(document) => Some(&**document),
        };
        let parts = ArtifactParts {
            document,
            summary: &output.summary,
        };
        Self {
            artifact_id: "result",
            name: task.skill().map_or("result", ibid_model::Skill::as_str),
            parts: parts.into(),
        }
    }
}

impl Serialize for ArtifactParts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        #[serde(tag = "kind", rename = "text")]
        struct Text<'a> {
            text: &'a str,
        }
        // Not a tagged enum of serde: that would parse the document.
        #[derive(serde::Serialize)]
        struct Data<'a> {
            kind: &'static str,
            data: &'a RawValue,
        }
        let mut parts = serializer.serialize_seq(None)?;
        if let Some(data) = self.document {
            parts.serialize_element(&Data { kind: "data", data })?;
        }
        parts.serialize_element(&Text { text: self.summary })?;
        parts.end()
    }
}

/// Returns the newest messages that a caller asked for; `None` for no history.
pub(crate) fn newest(history: &[Message], limit: HistoryLimit) -> Option<&[Message]> {
    match limit {
        HistoryLimit::All => Some(history),
        HistoryLimit::Newest(0) => None,
        HistoryLimit::Newest(count) => Some(&history[history.len().saturating_sub(count)..]),
    }
}
