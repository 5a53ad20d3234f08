//! Evidence for pages: questions, answers and their readings.
//!
//! The evidence is parsed leniently: stored evidence may be older than this program. Texts of models in it are hostile.

use ibid_model::result::{Breakdown, Decision, Retrieval};
use ibid_model::{Citation, Prominence};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

#[derive(Clone, Debug, Default)]
pub struct EvidenceView {
    /// One entry for each call, in the order planned.
    pub answers: Vec<AnswerView>,
    /// Number of entries that could not be parsed.
    pub unreadable: usize,
}

/// One call of a model.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AnswerView {
    /// The question, as in the result.
    pub question_id: String,
    pub model: String,
    /// The concrete model that answered, as the provider named it.
    pub resolved_model: Option<String>,
    /// Ring number, for ring questions.
    #[serde(deserialize_with = "lenient")]
    pub ring: Option<u8>,
    /// The market, for ring questions.
    pub market: Option<String>,
    /// Intent of the question, such as `list`.
    pub template: String,
    /// BCP 47 tag of its language.
    pub language: String,
    /// The question as it was asked.
    pub question: String,
    /// The answer, if there is one.
    pub text: Option<String>,
    /// Sources that the provider listed separately from the text.
    #[serde(deserialize_with = "lenient")]
    pub citations: Vec<Citation>,
    /// The web search behind the answer.
    #[serde(deserialize_with = "lenient")]
    pub retrieval: Retrieval,
    /// The error, where there was no answer.
    #[serde(deserialize_with = "lenient")]
    pub error: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub reading: Option<AnswerReading>,
}

/// How one answer mentions the target.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AnswerReading {
    /// `answer`, `refusal`, `clarification`, `unfinished`, `empty` or `error`.
    #[serde(deserialize_with = "lenient")]
    pub answer_class: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub class: Option<Prominence>,
    /// Answer score, 0..100.
    #[serde(deserialize_with = "lenient")]
    pub score: Option<f64>,
    /// 1-based rank of the target among the recommended candidates.
    #[serde(deserialize_with = "lenient")]
    pub rank: Option<u32>,
    /// `recommended`, `neutral`, `discouraged` or `absent`.
    #[serde(deserialize_with = "lenient")]
    pub stance: Option<String>,
    /// What decided on the target.
    #[serde(deserialize_with = "lenient")]
    pub decision: Option<Decision>,
    #[serde(deserialize_with = "lenient")]
    pub breakdown: Option<Breakdown>,
    /// Passages that cite the target.
    #[serde(deserialize_with = "lenient")]
    pub quotes: Vec<QuoteView>,
    /// Unusual properties of the answer, as stable snake_case words.
    #[serde(deserialize_with = "lenient")]
    pub flags: Vec<String>,
}

/// A passage of an answer. Its offsets are hints: they may be off, out of bounds or inside a character.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct QuoteView {
    pub text: String,
    /// Its first byte in the answer.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
}

impl EvidenceView {
    /// Parses the evidence document of a scan. Entries that cannot be parsed are counted.
    pub fn read(document: &Value) -> Self {
        let mut evidence = Self::default();
        let entries = document
            .get("answers")
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        for entry in entries {
            match AnswerView::deserialize(entry) {
                Ok(answer) => evidence.answers.push(answer),
                Err(_) => evidence.unreadable += 1,
            }
        }
        evidence
    }
}

/// Parses a value, or returns the default where it has another shape.
fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(deserializer: D) -> Result<T, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn valid_answers_are_read_and_unreadable_ones_are_counted() {
        let evidence = EvidenceView::read(&json!({"answers": [
            {"questionId": "c1", "model": "model-1-latest", "question": "Who?", "text": "Them.", "new": 1,
             "citations": [{"url": "https://example.com/"}], "ring": 2,
             "reading": {"class": "primary", "score": 97.5, "rank": 1, "breakdown": {"base": 70.0, "rank": 15.0, "link": 10.0, "share": 2.5, "cap": null},
                         "quotes": [{"text": "Them", "start": 0, "end": 4}], "linkKind": "markdown",
                         "decision": {"rule": "the head of an item", "sure": 0.62, "passage": "Them"}}},
            {"questionId": "c2", "model": "model-1-latest", "text": null, "error": {"code": "x"}, "reading": "of another shape", "citations": 7},
            {"questionId": 3},
            "nothing"
        ]}));
        assert_eq!((evidence.answers.len(), evidence.unreadable), (2, 2));
        let [first, second] = evidence.answers.as_slice() else {
            panic!("two answers")
        };
        let reading = first.reading.as_ref().unwrap();
        assert_eq!(
            (reading.class, reading.rank, first.ring),
            (Some(Prominence::Primary), Some(1), Some(2))
        );
        let decision = reading.decision.as_ref().unwrap();
        assert_eq!(
            (&*decision.rule, decision.sure),
            ("the head of an item", Some(0.62))
        );
        assert_eq!(
            reading.quotes,
            [QuoteView {
                text: "Them".into(),
                start: 0,
                end: 4
            }]
        );
        assert!(second.reading.is_none() && second.error.is_none() && second.citations.is_empty());
        for shape in [json!(null), json!([]), json!({"answers": {}}), json!("x")] {
            assert!(EvidenceView::read(&shape).answers.is_empty());
        }
    }
}
