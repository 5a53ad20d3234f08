//! Every fault in a request is reported at once, so that a caller mends them in one go.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The kind of a fault; the snake_case word is stable and goes to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum FaultCode {
    /// A required member is missing.
    Required,
    /// The member has another JSON type.
    WrongType,
    /// A number outside its bounds, or too many elements.
    OutOfRange,
    /// The text has the wrong form.
    Invalid,
    /// The model alias is not in the table.
    UnknownModel,
    /// Only `byok` exists.
    UnknownTier,
    /// The place is not in the gazetteer.
    LocationNotFound,
    /// No provider key came with the request.
    ProviderKeyRequired,
    /// The provider key cannot be one.
    ProviderKeyInvalid,
    /// A question of the caller cannot be asked.
    QuestionInvalid,
    /// More questions of the caller than a scan takes.
    TooManyQuestions,
    /// Questions and a question set.
    QuestionsAndSet,
    /// The caller has no such question set, or the set no such version.
    QuestionSetNotFound,
}

/// The reason why a question of the caller cannot be asked; the snake_case word is stable and goes to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FaultReason {
    /// The text has too many characters.
    TooLong,
    /// The text is empty, has several lines or holds a control character.
    NotOneLine,
    /// The text holds the address of a page.
    Link,
    /// The text names the website.
    Branded,
    /// The place is not in the gazetteer.
    PlaceUnknown,
}

impl FaultCode {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One fault of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Fault {
    /// JSON pointer to the member: `/domain`, `/rings/0`; empty for the whole body.
    pub field: String,
    /// Kind of the fault.
    pub code: FaultCode,
    /// With `question_invalid`: the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<FaultReason>,
    /// A sentence for people. Never quotes a secret.
    pub message: String,
}

/// Every fault of a request. Never empty when it is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Adds one fault.
    pub fn push(&mut self, field: impl Into<String>, code: FaultCode, message: impl Into<String>) {
        self.0.push(Fault {
            field: field.into(),
            code,
            reason: None,
            message: message.into(),
        });
    }

    /// Adds the fault of a member with a value that it does not take.
    pub fn invalid(&mut self, field: impl Into<String>, message: impl Into<String>) {
        self.push(field, FaultCode::Invalid, message);
    }

    /// Adds a fault in one of the caller's questions.
    pub fn push_question(
        &mut self,
        field: impl Into<String>,
        reason: FaultReason,
        message: impl Into<String>,
    ) {
        self.0.push(Fault {
            field: field.into(),
            code: FaultCode::QuestionInvalid,
            reason: Some(reason),
            message: message.into(),
        });
    }

    /// A single fault.
    #[must_use]
    pub fn one(field: impl Into<String>, code: FaultCode, message: impl Into<String>) -> Self {
        let mut faults = Self::default();
        faults.push(field, code, message);
        faults
    }

    /// Adds the faults of another check.
    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// Points from the whole request instead of its part: `/domain` becomes `/orders/3/domain`.
    /// Faults of headers stay as they are.
    #[must_use]
    pub fn below(mut self, part: &str) -> Self {
        for fault in &mut self.0 {
            if fault.field.is_empty() || fault.field.starts_with('/') {
                fault.field.insert_str(0, part);
            }
        }
        self
    }

    /// The fault, when there is exactly one.
    pub fn only(&self) -> Option<&Fault> {
        match self.0.as_slice() {
            [fault] => Some(fault),
            _ => None,
        }
    }

    /// The faults, in the order of the fields.
    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.0.iter()
    }

    /// Returns a value that was read, if nothing is wrong.
    ///
    /// # Errors
    /// The faults.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages: Vec<&str> = self.0.iter().map(|fault| &*fault.message).collect();
        f.write_str(&messages.join("; "))
    }
}

impl std::error::Error for Faults {}
