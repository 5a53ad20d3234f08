//! Messages of `message/send` and `message/stream`: strict about fields with an effect, lenient about the rest.

use crate::error::CallError;
use crate::limits::{MAX_MESSAGE_ID, MAX_METADATA, MAX_PARTS, MAX_REFERENCES};
use crate::message::{Context, Message, Part, Role};
use crate::params::{HistoryLimit, NamedTask, history_limit};
use crate::payment::Submission;
use crate::read::{Findings, Members, Place, weight_of};
use ibid_model::FaultCode;
use serde_json::{Map, Value};

/// A client's message with its configuration.
#[derive(Debug)]
pub struct Incoming {
    /// The message. A payment is no longer in it.
    pub message: Message,
    /// Its payment, or its words about payment.
    pub submission: Submission,
    /// Whether the answer waits until the task ends or needs something.
    pub blocking: bool,
    /// The part of the history that the answer shows.
    pub history: HistoryLimit,
}

impl Incoming {
    pub(crate) fn parse(params: Map<String, Value>) -> Result<Self, CallError> {
        let mut findings = Findings::default();
        let mut members = Members::new(params, Place::Params, &mut findings);
        let message = members.required_object("message");
        let configuration = members.object("configuration").unwrap_or_default();
        let mut beside = members.object("metadata").unwrap_or_default();
        let how = Configuration::read(configuration, &mut findings);
        let draft = message.map(|message| Draft::read(message, &mut findings));
        let faults = findings.into_faults();
        let Some(mut draft) = draft.filter(|_| faults.is_empty()) else {
            return Err(faults.into());
        };
        let submission = Submission::take(&mut draft.metadata, &mut beside)?;
        // From here on the parameters are good; the checks that follow are about unsupported features and about tasks.
        if how.wants_push {
            return Err(CallError::PushNotSupported);
        }
        if draft.has_files {
            return Err(CallError::ContentType);
        }
        let message = draft.into_message()?;
        Ok(Self {
            message,
            submission,
            blocking: how.blocking,
            history: how.history,
        })
    }

    /// Notes that the HTTP request carries a payment header.
    ///
    /// # Errors
    /// A message that also pays in its metadata, or that declines.
    pub fn with_payment_header(mut self) -> Result<Self, CallError> {
        match self.submission {
            Submission::Silent | Submission::InHeader => {
                self.submission = Submission::InHeader;
                Ok(self)
            }
            Submission::InMetadata(_) | Submission::Declined => Err(CallError::misfit(
                "two_payments",
                "the message and a header both speak about payment",
            )),
        }
    }
}

struct Configuration {
    blocking: bool,
    history: HistoryLimit,
    wants_push: bool,
}

impl Configuration {
    fn read(members: Map<String, Value>, findings: &mut Findings) -> Self {
        let mut members = Members::new(members, Place::Configuration, findings);
        let wants_push = members.object("pushNotificationConfig").is_some();
        // Kits send words that are not media types. They are accepted, because every answer has a text part.
        let _ = members.texts("acceptedOutputModes", MAX_PARTS, MAX_MESSAGE_ID);
        Self {
            blocking: members.flag("blocking").unwrap_or(true),
            history: history_limit(&mut members),
            wants_push,
        }
    }
}

struct Draft {
    message_id: String,
    parts: Vec<Part>,
    task: Option<NamedTask>,
    context_id: Option<Context>,
    reference_task_ids: Vec<String>,
    extensions: Vec<String>,
    metadata: Map<String, Value>,
    has_files: bool,
}

impl Draft {
    fn read(members: Map<String, Value>, findings: &mut Findings) -> Self {
        let mut members = Members::new(members, Place::Message, findings);
        // Examples of the specification leave `kind` out.
        if members.take("kind").is_some_and(|kind| kind != "message") {
            members.fault("kind", FaultCode::Invalid, "kind must be \"message\"");
        }
        match members.take("role") {
            Some(role) if role == "user" => {}
            Some(_) => members.fault("role", FaultCode::Invalid, "role must be \"user\""),
            None => members.fault("role", FaultCode::Required, "role is required"),
        }
        let message_id = members
            .required_text("messageId", MAX_MESSAGE_ID)
            .unwrap_or_default();
        let task = members
            .text("taskId", usize::MAX)
            .map(|text| NamedTask::of(&text));
        let context_id = members.text("contextId", usize::MAX).and_then(|text| {
            let parsed = text.parse::<Context>();
            if let Err(bad) = &parsed {
                members.fault("contextId", FaultCode::Invalid, bad.to_string());
            }
            parsed.ok()
        });
        let reference_task_ids = members.texts("referenceTaskIds", MAX_REFERENCES, MAX_MESSAGE_ID);
        let extensions = members.texts("extensions", MAX_REFERENCES, MAX_MESSAGE_ID);
        let metadata = metadata(&mut members);
        if metadata
            .get("skillId")
            .is_some_and(|skill| !skill.is_string() && !skill.is_null())
        {
            members.fault(
                "metadata/skillId",
                FaultCode::WrongType,
                "skillId must be a string",
            );
        }
        let (parts, has_files) = read_parts(&mut members);
        Self {
            message_id,
            parts,
            task,
            context_id,
            reference_task_ids,
            extensions,
            metadata,
            has_files,
        }
    }

    fn into_message(self) -> Result<Message, CallError> {
        let task_id = match self.task {
            Some(NamedTask::Known(task)) => Some(task),
            Some(NamedTask::Unknown) => return Err(CallError::TaskNotFound),
            None => None,
        };
        Ok(Message {
            message_id: self.message_id,
            role: Role::User,
            parts: self.parts,
            task_id,
            context_id: self.context_id,
            reference_task_ids: self.reference_task_ids,
            extensions: self.extensions,
            metadata: self.metadata,
        })
    }
}

fn metadata(members: &mut Members<'_>) -> Map<String, Value> {
    let metadata = members.object("metadata").unwrap_or_default();
    if weight_of(&metadata) > MAX_METADATA {
        let message = format!("metadata must have at most {MAX_METADATA} bytes");
        members.fault("metadata", FaultCode::OutOfRange, message);
        return Map::new();
    }
    metadata
}

fn read_parts(members: &mut Members<'_>) -> (Vec<Part>, bool) {
    let Some(elements) = members.required_array("parts", MAX_PARTS) else {
        return (Vec::new(), false);
    };
    if elements.is_empty() {
        members.fault("parts", FaultCode::OutOfRange, "parts must not be empty");
    }
    let (mut parts, mut has_files) = (Vec::with_capacity(elements.len()), false);
    for (index, element) in elements.into_iter().enumerate() {
        let at = Place::Part(index);
        match element {
            Value::Object(part) => match read_part(part, at, members.findings()) {
                Some(ReadPart::Ours(part)) => parts.push(part),
                Some(ReadPart::File) => has_files = true,
                None => {}
            },
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                members
                    .findings()
                    .push(at.to_string(), FaultCode::WrongType, "a part must be an object");
            }
        }
    }
    (parts, has_files)
}

enum ReadPart {
    Ours(Part),
    File,
}

fn read_part(part: Map<String, Value>, at: Place, findings: &mut Findings) -> Option<ReadPart> {
    let mut members = Members::new(part, at, findings);
    let kind = members.required_text("kind", MAX_MESSAGE_ID)?;
    let metadata = metadata(&mut members);
    match kind.as_str() {
        "text" => {
            let text = members.required_text("text", usize::MAX)?;
            Some(ReadPart::Ours(Part::Text { text, metadata }))
        }
        "data" => {
            let data = members.required_object("data")?;
            Some(ReadPart::Ours(Part::Data { data, metadata }))
        }
        "file" => {
            let file = members.required_object("file")?;
            let given = |name| matches!(file.get(name), Some(Value::String(_)));
            if given("bytes") == given("uri") {
                members.fault("file", FaultCode::Invalid, "file must have either bytes or uri");
                return None;
            }
            Some(ReadPart::File)
        }
        _ => {
            members.fault(
                "kind",
                FaultCode::Invalid,
                "kind must be \"text\", \"data\" or \"file\"",
            );
            None
        }
    }
}

#[cfg(test)]
mod tests;
