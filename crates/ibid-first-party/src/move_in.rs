//! Exports of other trackers: questions, tags, rivals and history of one project.
//!
//! Formats follow the documentation, interfaces and repositories of the trackers. None was tried on a file of a customer.

use crate::columns::lines;
use crate::dates::{Order, RawDate};
use crate::lines::Lines;
use crate::read::{Error, fields};
use crate::refused::{Reason, RefusedRows};
use ibid_model::OwnQuestion;
use jiff::civil::Date;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

/// Most questions of a project.
const MOST_QUESTIONS: usize = 300;
/// Most rows of a file that is read at once.
const MOST_ROWS: usize = 1_000_000;

/// The members of a row by meaning.
static MEMBERS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    lines(include_str!("../data/trackers.txt"))
        .filter_map(|line| line.split_once(" = "))
        .flat_map(|(meaning, names)| names.split('|').map(move |name| (fold(name), meaning)))
        .collect()
});

/// The trackers by their signs.
static SIGNS: LazyLock<Vec<(&'static str, Vec<String>)>> = LazyLock::new(|| {
    lines(include_str!("../data/tracker_signs.txt"))
        .filter_map(|line| line.split_once(" = "))
        .map(|(tool, signs)| (tool, signs.split(',').map(fold).collect()))
        .collect()
});

fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// What a file of another tracker holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MoveIn {
    /// The tracker, or `generic`.
    pub tool: String,
    /// Rows read.
    pub read: u64,
    /// Different questions, at most 300.
    pub questions: Vec<OwnQuestion>,
    /// Rivals with their domains.
    pub rivals: BTreeMap<String, Vec<String>>,
    /// Answers and results by day, model and question.
    pub history: Vec<PastAnswer>,
    /// Rows that are left out.
    pub refused: RefusedRows,
    /// Columns and members that are not read.
    pub unread: Vec<String>,
}

/// An answer, or what the tracker says of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PastAnswer {
    /// The place of its question in the list.
    pub question: usize,
    /// Its day.
    pub day: Date,
    /// The model, as the tracker names it.
    pub model: Option<String>,
    /// Its text, where the tracker exports it.
    pub answer: Option<String>,
    /// Addresses of its sources.
    pub sources: Vec<String>,
    /// Whether it cites the website, where the tracker says so.
    pub cited: Option<bool>,
}

impl MoveIn {
    /// Reads CSV, a JSON array or object, or JSON lines.
    ///
    /// ```
    /// use ibid_first_party::move_in::MoveIn;
    ///
    /// let file = "Search Prompt,Country,Tags\nbest plumber in Leeds?,GB,\"local, urgent\"\n";
    /// let found = MoveIn::read(file.as_bytes())?;
    /// assert_eq!((found.tool.as_str(), found.questions[0].tags.len()), ("otterly", 2));
    /// # Ok::<(), ibid_first_party::Error>(())
    /// ```
    ///
    /// # Errors
    /// It holds neither questions nor rivals.
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        let text = bytes
            .strip_prefix(b"\xef\xbb\xbf")
            .unwrap_or(bytes)
            .trim_ascii_start();
        let mut found = Self::default();
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut headers: Vec<String> = Vec::new();
        let mut each = |line: u64, row: Map<String, Value>| {
            for name in row.keys() {
                if !headers.contains(name) {
                    headers.push(name.clone());
                }
            }
            found.take(line, &row, &mut known);
        };
        match text.first() {
            Some(b'{' | b'[') => rows_of_json(text, &mut each)?,
            _ => rows_of_csv(bytes, &mut each)?,
        }
        if found.questions.is_empty() && found.rivals.is_empty() {
            return Err(match headers.is_empty() {
                true => Error::Empty,
                false => Error::NoQuestions { headers },
            });
        }
        let folded: Vec<String> = headers.iter().map(|header| fold(header)).collect();
        let tool = SIGNS
            .iter()
            .find(|(_, signs)| signs.iter().all(|sign| folded.contains(sign)));
        found.tool = tool.map_or("generic", |(tool, _)| tool).to_owned();
        found.unread = headers
            .into_iter()
            .filter(|header| !MEMBERS.contains_key(&fold(header)))
            .collect();
        Ok(found)
    }

    /// Takes a row: a question, an answer to one, or a rival.
    fn take(&mut self, line: u64, row: &Map<String, Value>, known: &mut HashMap<String, usize>) {
        self.read += 1;
        let mut by_meaning: HashMap<&str, &Value> = HashMap::new();
        for (name, value) in row {
            if let Some(meaning) = MEMBERS.get(&fold(name)) {
                by_meaning.entry(meaning).or_insert(value);
            }
        }
        let text = |meaning: &str| by_meaning.get(meaning).and_then(|value| text_of(value));
        let list = |meaning: &str| {
            by_meaning
                .get(meaning)
                .map(|value| list_of(value))
                .unwrap_or_default()
        };
        let Some(question) = text("question") else {
            let Some(name) = text("name") else {
                return self.refused.count(line, Reason::NoQuestion);
            };
            if text("own").as_deref() != Some("true") {
                self.rivals.entry(name).or_default().extend(list("domains"));
            }
            return;
        };
        if question.starts_with('=') {
            return self.refused.count(line, Reason::Formula);
        }
        for rival in list("rivals") {
            self.rivals.entry(rival).or_default();
        }
        let place = text("place");
        let key = format!(
            "{}\u{1f}{}",
            question.to_lowercase(),
            place.as_deref().unwrap_or_default()
        );
        let position = match known.get(&key) {
            Some(position) => *position,
            None => {
                let members = json!({
                    "text": question, "topic": text("topic"), "place": place, "language": text("language"), "tags": list("tags"),
                });
                let members: Map<String, Value> = match members {
                    Value::Object(members) => members
                        .into_iter()
                        .filter(|(_, value)| !value.is_null())
                        .collect(),
                    _ => Map::new(),
                };
                let Ok(question) = OwnQuestion::of_value(&Value::Object(members)) else {
                    return self.refused.count(line, Reason::QuestionInvalid);
                };
                if self.questions.len() >= MOST_QUESTIONS {
                    return self.refused.count(line, Reason::OverCapacity);
                }
                self.questions.push(question);
                known.insert(key, self.questions.len() - 1);
                self.questions.len() - 1
            }
        };
        let Some(date) = text("date") else { return };
        let Some(day) = RawDate::parse(&date).and_then(|date| date.in_order(Order::MonthFirst)) else {
            return self.refused.count(line, Reason::Date);
        };
        self.history.push(PastAnswer {
            question: position,
            day,
            model: text("model"),
            answer: text("answer"),
            sources: list("sources"),
            cited: text("cited").and_then(|cited| match cited.to_lowercase().as_str() {
                "true" | "yes" | "1" => Some(true),
                "false" | "no" | "0" => Some(false),
                _ => None,
            }),
        });
    }
}

/// A text, a number, or the name of an object.
fn text_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Object(members) => {
            return members
                .get("name")
                .or_else(|| members.get("text"))
                .and_then(text_of);
        }
        Value::Array(_) | Value::Null => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// A list, also in one text between commas, semicolons or bars.
fn list_of(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().filter_map(text_of_source).collect(),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Array(values)) => values.iter().filter_map(text_of_source).collect(),
            _ => text
                .split([',', ';', '|'])
                .map(|part| part.trim().to_owned())
                .filter(|part| !part.is_empty())
                .collect(),
        },
        other => text_of(other).into_iter().collect(),
    }
}

fn text_of_source(value: &Value) -> Option<String> {
    text_of(value.get("url").unwrap_or(value))
}

type Each<'a> = &'a mut dyn FnMut(u64, Map<String, Value>);

fn rows_of_csv(bytes: &[u8], each: Each<'_>) -> Result<(), Error> {
    let mut lines = Lines::new(bytes)?;
    let Some(header) = lines.next()? else {
        return Err(Error::Empty);
    };
    let delimiter = crate::read::delimiter_of(&header.text);
    let names = fields(&header.text, delimiter);
    let mut rows = 0;
    while let Some(line) = lines.next()? {
        if line.text.trim().is_empty() {
            continue;
        }
        rows += 1;
        if rows > MOST_ROWS {
            return Err(Error::TooManyRows { most: MOST_ROWS });
        }
        let cells = fields(&line.text, delimiter).into_iter().map(Value::String);
        each(line.number, names.iter().cloned().zip(cells).collect());
    }
    Ok(())
}

/// Rows of an array, of a member that holds one, of columns with rows, or of lines. Their number stands for the line.
fn rows_of_json(text: &[u8], each: Each<'_>) -> Result<(), Error> {
    let mut number = 0;
    for value in serde_json::Deserializer::from_slice(text).into_iter::<Value>() {
        let value = value.map_err(|cause| Error::Json {
            row: number + 1,
            cause,
        })?;
        for row in rows_of_value(value) {
            number += 1;
            if let Value::Object(row) = row {
                each(number, row);
            }
        }
    }
    Ok(())
}

fn rows_of_value(value: Value) -> Vec<Value> {
    let mut members = match value {
        Value::Array(rows) => return rows,
        Value::Object(members) => members,
        other => return vec![other],
    };
    if let (Some(Value::Array(columns)), Some(Value::Array(rows))) =
        (members.get("columns"), members.get("rows"))
    {
        let names: Vec<String> = columns.iter().filter_map(text_of).collect();
        let named = |row: &Value| match row {
            Value::Array(cells) => Value::Object(names.iter().cloned().zip(cells.iter().cloned()).collect()),
            other => other.clone(),
        };
        return rows.iter().map(named).collect();
    }
    let lists = [
        "data",
        "prompts",
        "questions",
        "results",
        "competitors",
        "brands",
        "rows",
    ];
    let held: Vec<Value> = lists
        .iter()
        .filter_map(|list| match members.remove(*list) {
            Some(Value::Array(rows)) => Some(rows),
            Some(_) | None => None,
        })
        .flatten()
        .collect();
    if held.is_empty() {
        vec![Value::Object(members)]
    } else {
        held
    }
}

#[cfg(test)]
mod tests {
    use super::MoveIn;
    use crate::refused::Reason;
    use proptest::prelude::*;

    fn read(text: &str) -> MoveIn {
        MoveIn::read(text.as_bytes()).unwrap()
    }

    #[test]
    fn every_tracker_is_known_by_its_columns() {
        for (tool, file, questions, rivals, history) in [
            (
                "otterly",
                "Search Prompt,Country,Tags,Intent Volume,Brand Rank\nbest plumber?,GB,local,10,1\n",
                1,
                0,
                0,
            ),
            (
                "otterly",
                "Prompt,Country,Service,Title,URL,Position,Date,Domain,Domain Category,My Brand Mentioned,Competitors Mentioned\nbest plumber?,GB,ChatGPT,T,https://a.example/,1,2026-08-01,a.example,Other,Yes,\"Aire, PipeWise\"\n",
                1,
                2,
                1,
            ),
            (
                "profound",
                r#"{"info": {"count": 1}, "data": [{"run_id": "r", "date": "2026-06-19", "model": {"id": "m", "name": "ChatGPT"}, "topic": "Plumbing", "region": "United Kingdom", "persona": null, "tags": ["x"], "prompt": "best plumber?", "response": "Aire.", "mentions": ["Aire"], "citations": ["https://a.example/"], "search_queries": []}]}"#,
                1,
                1,
                1,
            ),
            (
                "peec",
                r#"{"columns": ["id", "text", "country_code", "tag_ids", "topic_id"], "rows": [["p", "best plumber?", "GB", [], "t"]], "rowCount": 1}"#,
                1,
                0,
                0,
            ),
            (
                "peec",
                r#"{"columns": ["id", "name", "domains", "is_own"], "rows": [["1", "Aire", ["aire.example"], false], ["2", "Us", [], true]]}"#,
                0,
                1,
                0,
            ),
            (
                "elmo",
                r#"[{"id": "p", "brandId": "b", "value": "best plumber?", "tags": ["local"], "systemTags": [], "enabled": true}]"#,
                1,
                0,
                0,
            ),
            (
                "ansvisor",
                "prompt_text,platform,visibility_score,mention_count,created_at\nbest plumber?,chatgpt,10,1,2026-08-01T10:00:00Z\n",
                1,
                0,
                1,
            ),
            (
                "llm-pulse",
                "prompt,prompt_type,brand_kind,country_code,language_code\nbest plumber?,commercial,brand_other,GB,en\n",
                1,
                0,
                0,
            ),
            (
                "generic",
                "question;topic;tags\nbest plumber?;Plumbing;a|b\n",
                1,
                0,
                0,
            ),
        ] {
            let found = read(file);
            assert_eq!(
                (
                    found.tool.as_str(),
                    found.questions.len(),
                    found.rivals.len(),
                    found.history.len()
                ),
                (tool, questions, rivals, history),
                "{file}"
            );
            assert_eq!(found.refused.total(), 0, "{file}");
        }
    }

    #[test]
    fn every_row_has_an_answer() {
        let many: String = (0..310)
            .map(|n| format!("who is plumber number {n}?,2026-08-01\n"))
            .collect();
        let found = read(&format!(
            "question,date\n,2026-08-01\n=1+1,\nwho is plumber number 1?,someday\n{many}"
        ));
        assert_eq!((found.read, found.questions.len()), (313, 300));
        let count = |reason| found.refused.counts.get(&reason).copied().unwrap_or(0);
        assert_eq!(
            (
                count(Reason::NoQuestion),
                count(Reason::Formula),
                count(Reason::Date)
            ),
            (1, 1, 1)
        );
        assert_eq!(count(Reason::OverCapacity), 10);
        assert_eq!(found.history.len(), 300);
    }

    #[test]
    fn a_file_without_questions_names_its_columns() {
        let error = MoveIn::read(b"Alpha,Beta\n1,2\n").unwrap_err().to_string();
        assert!(error.contains("Alpha, Beta"), "{error}");
        assert!(MoveIn::read(b"").is_err() && MoveIn::read(b"{").is_err() && MoveIn::read(b"[]").is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_stop_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "[{\\[\"a-z:,\\]} ]{0,80}") {
            let _ = (MoveIn::read(&bytes), MoveIn::read(text.as_bytes()));
        }
    }
}
