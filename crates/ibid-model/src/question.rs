//! Questions in a caller's own words, with what the caller knows about them.

use crate::contract::field as f;
use crate::fault::{FaultCode, FaultReason, Faults};
use crate::keyword::{Language, LocationText, Persona, QuestionText, Tag, TextError};
use crate::object_reader::ObjectReader;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// Where a text has this, the question's place is put in.
pub const PLACE_SLOT: &str = "{place}";

/// A question in the caller's own words. In JSON it is a text where the text is all there is, an object otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct OwnQuestion {
    /// The words. They may hold [`PLACE_SLOT`].
    pub text: QuestionText,
    /// The caller's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Tag>,
    /// The subject it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<Tag>,
    /// What the person wants, such as `compare` or `price`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intent: Option<Tag>,
    /// Who asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persona: Option<Persona>,
    /// Where the person asks from; `None` for the scan's place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<LocationText>,
    /// Which language the text is in; `None` where the caller does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// Labels of the caller.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
}

impl From<QuestionText> for OwnQuestion {
    fn from(text: QuestionText) -> Self {
        Self {
            text,
            id: None,
            topic: None,
            intent: None,
            persona: None,
            place: None,
            language: None,
            tags: Vec::new(),
        }
    }
}

impl<'de> Deserialize<'de> for OwnQuestion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Text(QuestionText),
            Object(#[serde(with = "OwnQuestion")] OwnQuestion),
        }
        Ok(match Written::deserialize(deserializer)? {
            Written::Text(text) => text.into(),
            Written::Object(question) => question,
        })
    }
}

impl Serialize for OwnQuestion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self == Self::from(self.text.clone()) {
            true => self.text.serialize(serializer),
            false => Self::serialize(self, serializer),
        }
    }
}

impl OwnQuestion {
    /// The words.
    pub fn as_str(&self) -> &str {
        self.text.as_str()
    }

    /// Whether the words hold [`PLACE_SLOT`].
    pub fn has_place_slot(&self) -> bool {
        self.as_str().contains(PLACE_SLOT)
    }

    /// Reads a list of questions. A question that is there twice, with one place and one language, counts once.
    ///
    /// # Errors
    /// Every fault, with pointers from the list: `/3/text`.
    pub fn list(value: &Value) -> Result<Vec<Self>, Faults> {
        let Some(elements) = value.as_array() else {
            let message = "questions must be an array of texts or objects";
            return Err(Faults::one("", FaultCode::WrongType, message));
        };
        let (mut questions, mut faults): (Vec<Self>, _) = (Vec::new(), Faults::default());
        if elements.is_empty() {
            let message =
                "questions must hold at least one question; leave the field out for the generated ones";
            faults.push("", FaultCode::OutOfRange, message);
        }
        let most = f::QUESTIONS.most();
        if elements.len() > most {
            let message = format!("questions takes at most {most} questions, not {}", elements.len());
            faults.push("", FaultCode::TooManyQuestions, message);
        }
        for (index, element) in elements.iter().take(most).enumerate() {
            match Self::of_value(element) {
                Ok(question) if questions.iter().any(|known| known.asks_as(&question)) => {}
                Ok(question) => questions.push(question),
                Err(found) => faults.append(found.below(&format!("/{index}"))),
            }
        }
        faults.into_result(questions)
    }

    /// Whether both ask the same: one text, one place, one language.
    pub fn asks_as(&self, other: &Self) -> bool {
        (&self.text, &self.place, &self.language) == (&other.text, &other.place, &other.language)
    }

    /// Reads a question, a text or an object.
    ///
    /// # Errors
    /// Every fault, with pointers from the question: the empty pointer for a text, `/text` for an object.
    pub fn of_value(value: &Value) -> Result<Self, Faults> {
        match value {
            Value::String(text) => question_text("", text).map(Self::from),
            Value::Object(members) => Self::of_members(members),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                let message = "a question must be a text or an object";
                Err(Faults::one("", FaultCode::WrongType, message))
            }
        }
    }

    fn of_members(members: &Map<String, Value>) -> Result<Self, Faults> {
        let mut fields = ObjectReader::new(members);
        let text = match fields.get(f::QUESTION_TEXT.name) {
            Some(Value::String(text)) => match question_text("/text", text) {
                Ok(text) => Some(text),
                Err(faults) => {
                    fields.append(faults);
                    None
                }
            },
            // A missing text and one of another type are faults as in every object.
            Some(_) | None => fields.required_text(&f::QUESTION_TEXT),
        };
        let id = fields.text(&f::QUESTION_ID);
        let topic = fields.text(&f::QUESTION_TOPIC);
        let intent = fields.text(&f::QUESTION_INTENT);
        let persona = fields.text(&f::QUESTION_PERSONA);
        let place = fields.text(&f::QUESTION_PLACE);
        let language = fields.text(&f::QUESTION_LANGUAGE);
        let tags = fields.texts(&f::QUESTION_TAGS).unwrap_or_default();
        fields.finish(text.map(|text| Self {
            text,
            id,
            topic,
            intent,
            persona,
            place,
            language,
            tags,
        }))
    }
}

/// Parses the words of a question. A bare domain is no link: people do ask about it.
fn question_text(field: &str, text: &str) -> Result<QuestionText, Faults> {
    let mut faults = Faults::default();
    let parsed = text.parse::<QuestionText>();
    match &parsed {
        Err(TextError::TooLong(_)) => {
            let message = format!(
                "the question is longer than {} characters",
                QuestionText::MAX_CHARS
            );
            faults.push_question(field, FaultReason::TooLong, message);
        }
        Err(
            error @ (TextError::Empty
            | TextError::SeveralLines
            | TextError::ControlCharacter
            | TextError::NotALanguage),
        ) => faults.push_question(field, FaultReason::NotOneLine, format!("the question {error}")),
        Ok(_) => {}
    }
    if has_link(text) {
        let message = "the question holds the address of a page; ask without it";
        faults.push_question(field, FaultReason::Link, message);
    }
    match parsed {
        Ok(text) if faults.is_empty() => Ok(text),
        Ok(_) | Err(_) => Err(faults),
    }
}

/// Whether a text holds the address of a page. A bare domain is none.
fn has_link(text: &str) -> bool {
    let text = text.to_lowercase();
    ["://", "www.", "]("].iter().any(|mark| text.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn faults(list: &Value) -> Vec<(String, &'static str, Option<FaultReason>)> {
        let faults = OwnQuestion::list(list).unwrap_err();
        let fault = |fault: &crate::Fault| (fault.field.clone(), fault.code.as_str(), fault.reason);
        faults.iter().map(fault).collect()
    }

    #[test]
    fn texts_and_objects_are_read_and_written_as_they_came() {
        let list = json!(["Who fixes taps?", {"text": "Who repairs boilers {place}?", "topic": "boilers",
            "place": "Leeds", "language": "en", "tags": ["a", "b"]}]);
        let questions = OwnQuestion::list(&list).unwrap();
        assert_eq!(serde_json::to_value(&questions).unwrap(), list);
        let read: Vec<OwnQuestion> = serde_json::from_value(list).unwrap();
        assert_eq!(read, questions);
        assert!(!questions[0].has_place_slot() && questions[1].has_place_slot());
    }

    #[test]
    fn every_fault_is_found_with_its_pointer_and_reason() {
        let list = json!([
            "a\nb",
            {"text": "x".repeat(301)},
            {"text": "see https://a.example\nnow", "topic": "", "language": "english"},
            {"topic": "t"},
            {"text": 1},
            7,
            "",
        ]);
        let (text, invalid) = ("/2/text".to_owned(), "question_invalid");
        assert_eq!(
            faults(&list),
            [
                ("/0".to_owned(), invalid, Some(FaultReason::NotOneLine)),
                ("/1/text".to_owned(), invalid, Some(FaultReason::TooLong)),
                (text.clone(), invalid, Some(FaultReason::NotOneLine)),
                (text, invalid, Some(FaultReason::Link)),
                ("/2/topic".to_owned(), "invalid", None),
                ("/2/language".to_owned(), "invalid", None),
                ("/3/text".to_owned(), "required", None),
                ("/4/text".to_owned(), "wrong_type", None),
                ("/5".to_owned(), "wrong_type", None),
                ("/6".to_owned(), invalid, Some(FaultReason::NotOneLine)),
            ]
        );
        assert_eq!(faults(&json!([])), [(String::new(), "out_of_range", None)]);
        assert_eq!(faults(&json!("Who?")), [(String::new(), "wrong_type", None)]);
    }

    #[test]
    fn more_than_three_hundred_are_too_many() {
        let list: Value = (0..301).map(|n| json!(format!("Question {n}?"))).collect();
        assert_eq!(faults(&list), [(String::new(), "too_many_questions", None)]);
    }

    #[test]
    fn a_repeated_question_counts_once_for_each_place() {
        let list =
            json!(["Who?", "Who?", {"text": "Who?", "place": "Leeds"}, {"text": "Who?", "topic": "t"}]);
        assert_eq!(OwnQuestion::list(&list).unwrap().len(), 2);
    }
}
