//! Messages of `message/send` and `message/stream`: strict about fields with an effect, lenient about the rest.

use crate::error::CallError;
use crate::limits::{MAX_ID, MAX_METADATA, MAX_PARTS, MAX_REFERENCES};
use crate::message::{Context, Message, Part, Role};
use crate::params::{HistoryLimit, NamedTask, camel_case, history_limit};
use crate::payment::Submission;
use crate::push::{self, PushConfig, PushForm};
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
    /// How much of the history the answer shows.
    pub history: HistoryLimit,
    /// The push notification configuration for its task.
    pub push: Option<PushConfig>,
}

impl Incoming {
    /// Reads the parameters of 0.2 and 0.3.
    pub(crate) fn parse(params: Map<String, Value>) -> Result<Self, CallError> {
        Self::read(params, &V03)
    }

    /// Reads the parameters of 1.0.
    pub(crate) fn parse_v1(params: Map<String, Value>) -> Result<Self, CallError> {
        Self::read(params, &V10)
    }

    fn read(params: Map<String, Value>, form: &InputForm) -> Result<Self, CallError> {
        let mut findings = Findings::default();
        let mut members = Members::new(params, Place::Params, &mut findings);
        let message = members.required_object("message");
        let configuration = members.object("configuration").unwrap_or_default();
        let (message, configuration) = match form.snake_case_too {
            true => (message.map(camel_case), camel_case(configuration)),
            false => (message, configuration),
        };
        let mut beside = members.object("metadata").unwrap_or_default();
        let how = Configuration::read(configuration, form, &mut findings);
        let draft = message.map(|message| Draft::read(message, form, &mut findings));
        let faults = findings.into_faults();
        let Some(mut draft) = draft.filter(|_| faults.is_empty()) else {
            return Err(faults.into());
        };
        let submission = Submission::take(&mut draft.metadata, &mut beside)?;
        // From here on the parameters are good.
        // The next checks are about unsupported features and about tasks.
        if draft.has_files {
            return Err(CallError::ContentType);
        }
        let message = draft.into_message()?;
        Ok(Self {
            message,
            submission,
            blocking: how.blocking,
            history: how.history,
            push: how.push,
        })
    }

    /// Records that the HTTP request carries a payment header.
    ///
    /// # Errors
    /// The message also pays in its metadata, or declines.
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

/// The differences between the forms of a message.
struct InputForm {
    role: &'static str,
    /// The member that holds a push notification configuration, its place in the parameters, and its form.
    push: (&'static str, &'static str, PushForm),
    /// The member that decides whether to wait, and its value for a wait.
    waits: (&'static str, bool),
    /// Whether members may be written with underscores.
    snake_case_too: bool,
    /// Whether an empty id counts as absent.
    empty_is_absent: bool,
    part: fn(Map<String, Value>, Place, &mut Findings) -> Option<ReadPart>,
}

const V03: InputForm = InputForm {
    role: "user",
    push: (
        "pushNotificationConfig",
        "/configuration/pushNotificationConfig",
        PushForm::V03,
    ),
    waits: ("blocking", true),
    snake_case_too: false,
    empty_is_absent: false,
    part: read_part,
};

const V10: InputForm = InputForm {
    role: "ROLE_USER",
    push: (
        "taskPushNotificationConfig",
        "/configuration/taskPushNotificationConfig",
        PushForm::V10,
    ),
    waits: ("returnImmediately", false),
    snake_case_too: true,
    empty_is_absent: true,
    part: read_part_v1,
};

struct Configuration {
    blocking: bool,
    history: HistoryLimit,
    push: Option<PushConfig>,
}

impl Configuration {
    fn read(members: Map<String, Value>, form: &InputForm, findings: &mut Findings) -> Self {
        let mut members = Members::new(members, Place::Configuration, findings);
        let (push_name, at, push_form) = form.push;
        let config = members.object(push_name);
        let (name, waits) = form.waits;
        // Kits send words instead of media types.
        // They are accepted, because every answer has a text part.
        let _ = members.texts("acceptedOutputModes", MAX_PARTS, MAX_ID);
        let blocking = members.flag(name).is_none_or(|flag| flag == waits);
        let history = history_limit(&mut members);
        let config = config.map(|config| match form.snake_case_too {
            true => camel_case(config),
            false => config,
        });
        Self {
            blocking,
            history,
            push: config.and_then(|config| push::read(config, push_form, at, findings)),
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
    fn read(mut members: Map<String, Value>, form: &InputForm, findings: &mut Findings) -> Self {
        if form.empty_is_absent {
            members.retain(|name, value| {
                value != "" || !matches!(name.as_str(), "messageId" | "taskId" | "contextId")
            });
        }
        let mut members = Members::new(members, Place::Message, findings);
        // Examples of the specification leave `kind` out, and 1.0 has no such member.
        if members.take("kind").is_some_and(|kind| kind != "message") {
            members.fault("kind", FaultCode::Invalid, "kind must be \"message\"");
        }
        match members.take("role") {
            Some(role) if role == form.role => {}
            Some(_) => members.fault(
                "role",
                FaultCode::Invalid,
                format!("role must be \"{}\"", form.role),
            ),
            None => members.fault("role", FaultCode::Required, "role is required"),
        }
        let message_id = members.required_text("messageId", MAX_ID).unwrap_or_default();
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
        let reference_task_ids = members.texts("referenceTaskIds", MAX_REFERENCES, MAX_ID);
        let extensions = members.texts("extensions", MAX_REFERENCES, MAX_ID);
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
        let (parts, has_files) = read_parts(&mut members, form);
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

fn read_parts(members: &mut Members<'_>, form: &InputForm) -> (Vec<Part>, bool) {
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
            Value::Object(part) => match (form.part)(part, at, members.findings()) {
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
    let kind = members.required_text("kind", MAX_ID)?;
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

/// Reads a part of 1.0.
/// It has one member of the four, which determines its kind.
fn read_part_v1(part: Map<String, Value>, at: Place, findings: &mut Findings) -> Option<ReadPart> {
    let given = |name: &&str| part.get(*name).is_some_and(|value| !value.is_null());
    let contents: Vec<&str> = ["text", "data", "raw", "url"].into_iter().filter(given).collect();
    let mut members = Members::new(part, at, findings);
    let metadata = metadata(&mut members);
    match contents[..] {
        ["text"] => {
            let text = members.required_text("text", usize::MAX)?;
            Some(ReadPart::Ours(Part::Text { text, metadata }))
        }
        ["data"] => {
            let data = members.required_object("data")?;
            Some(ReadPart::Ours(Part::Data { data, metadata }))
        }
        ["raw"] | ["url"] => Some(ReadPart::File),
        _ => {
            let message = "a part has exactly one of text, data, raw and url";
            members
                .findings()
                .push(at.to_string(), FaultCode::Invalid, message);
            None
        }
    }
}

#[cfg(test)]
mod tests;
