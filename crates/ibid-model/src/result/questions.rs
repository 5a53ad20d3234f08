//! Checks of questions in a caller's own words.

use super::Warning;
use crate::OwnQuestion;
use serde::{Deserialize, Serialize};

/// The checks of a list of questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionsReport {
    /// The questions, in the order given.
    pub questions: Vec<CheckedQuestion>,
    /// Facts about the list as a whole.
    pub warnings: Vec<Warning>,
}

/// A question and what was found in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckedQuestion {
    /// The question.
    pub question: OwnQuestion,
    /// BCP 47 tag of the language that it was checked in.
    pub language: String,
    /// The findings; empty for a question that is fit to be asked.
    pub findings: Vec<QuestionFinding>,
}

/// Something found in a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionFinding {
    /// The kind.
    pub code: FindingKind,
    /// A sentence about the question, without its subject.
    pub message: String,
    /// With `twin_of`: the number of the other question, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin_of: Option<u32>,
}

/// A kind of finding; the snake_case word is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum FindingKind {
    /// It names the target or a competitor.
    #[serde(rename = "branded_question")]
    #[strum(serialize = "branded_question")]
    Branded,
    /// It asks for an explanation.
    #[strum(serialize = "not_a_choice")]
    NotAChoice,
    /// It asks nearly the same as another.
    TwinOf,
    /// It is in another language.
    OtherLanguage,
    /// It asks about another place.
    OtherPlace,
    /// It asks about another thing than the keyword and the offer name.
    OtherTopic,
    /// It holds an address.
    Link,
    /// It holds markup.
    Markup,
    /// It is an order.
    Order,
    /// It gives orders to a model.
    Instruction,
    /// It has too few or too many words.
    Length,
    /// It names the place twice.
    PlaceTwice,
    /// Too many questions begin like it.
    RepeatedForm,
}

impl FindingKind {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
