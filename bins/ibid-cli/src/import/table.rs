//! The rows of a log: CSV with a header, JSON lines, or a JSON array of objects.

use anyhow::Context;
use ibid_provider::{Completion, annotations};
use serde_json::{Map, Value};

/// Names of the column of the question.
const QUESTION: &[&str] = &[
    "prompt",
    "question",
    "query",
    "prompttext",
    "input",
    "searchquery",
];
/// Names of the column of the answer.
const ANSWER: &[&str] = &[
    "answer",
    "response",
    "output",
    "completion",
    "answertext",
    "responsetext",
    "text",
    "content",
];
/// Names of the column of the model.
const MODEL: &[&str] = &[
    "model",
    "engine",
    "platform",
    "provider",
    "modelname",
    "llm",
    "aimodel",
    "chatbot",
    "source_model",
];
/// Names of the columns of sources.
const SOURCES: &[&str] = &[
    "sources",
    "citations",
    "urls",
    "annotations",
    "searchresults",
    "references",
    "links",
    "citedurls",
    "sourceurls",
];
/// The name of a model where the log has none.
const UNKNOWN_MODEL: &str = "unknown model";

/// One answer of a log.
#[derive(Debug)]
pub(super) struct LoggedAnswer {
    pub(super) question: String,
    pub(super) model: String,
    pub(super) completion: Completion,
}

/// The answers of a log.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) answers: Vec<LoggedAnswer>,
    /// Rows without a question or an answer.
    pub(super) skipped: usize,
}

/// Reads a log. The first character tells CSV from JSON.
pub(super) fn read(text: &str) -> anyhow::Result<Log> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let rows = match text.chars().next() {
        Some('[') => serde_json::from_str(text).context("no array of objects")?,
        Some('{') => json_lines(text)?,
        _ => csv_rows(text)?,
    };
    let mut log = Log::default();
    for row in &rows {
        match answer(row) {
            Some(answer) => log.answers.push(answer),
            None => log.skipped += 1,
        }
    }
    Ok(log)
}

fn json_lines(text: &str) -> anyhow::Result<Vec<Map<String, Value>>> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            serde_json::from_str(line).with_context(|| format!("line {} is no JSON object", index + 1))
        })
        .collect()
}

fn csv_rows(text: &str) -> anyhow::Result<Vec<Map<String, Value>>> {
    let first = text.lines().next().unwrap_or_default();
    let separator = [b',', b';', b'\t']
        .into_iter()
        .max_by_key(|separator| first.bytes().filter(|byte| byte == separator).count())
        .unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .flexible(true)
        .from_reader(text.as_bytes());
    let header = reader.headers().context("no header")?.clone();
    reader
        .records()
        .map(|record| {
            let record = record.context("a row cannot be read")?;
            let cells = header.iter().zip(record.iter());
            Ok(cells
                .map(|(name, cell)| (name.to_owned(), Value::from(cell)))
                .collect())
        })
        .collect()
}

fn answer(row: &Map<String, Value>) -> Option<LoggedAnswer> {
    let text = |names: &[&str]| {
        let text = cell(row, names)?.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    Some(LoggedAnswer {
        question: text(QUESTION)?,
        model: text(MODEL).unwrap_or_else(|| UNKNOWN_MODEL.to_owned()),
        completion: Completion {
            text: text(ANSWER)?,
            citations: cell(row, SOURCES)
                .map(|sources| annotations::citations(&listed(sources)))
                .unwrap_or_default(),
            model: text(MODEL),
            ..Completion::default()
        },
    })
}

/// Returns the first filled cell with one of the names. Case, spaces and underscores of a name do not matter.
fn cell<'a>(row: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| {
        let named = |known: &String| {
            let plain: String = known
                .chars()
                .filter(|character| character.is_alphanumeric())
                .collect();
            plain.eq_ignore_ascii_case(name)
        };
        row.iter()
            .find(|(known, value)| named(known) && !value.is_null())
            .map(|(_, value)| value)
    })
}

/// Returns a list of sources: a cell of a sheet has JSON, or addresses between spaces, commas, semicolons or lines.
fn listed(value: &Value) -> Value {
    let Some(text) = value.as_str() else {
        return value.clone();
    };
    if let Ok(list @ Value::Array(_)) = serde_json::from_str(text) {
        return list;
    }
    text.split(|character: char| character.is_whitespace() || matches!(character, ',' | ';' | '|'))
        .filter(|part| !part.is_empty())
        .map(|part| {
            if part.contains("://") {
                part.to_owned()
            } else {
                format!("https://{part}")
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_and_json_have_the_same_rows() {
        for text in [
            "Prompt,Model,Response,Cited URLs\nWho?,gpt,\"Ada, of course\",https://a.example/x; b.example\n,gpt,x,\n",
            "\u{feff}question;engine;answer;sources\nWho?;gpt;Ada, of course;\"[\"\"https://a.example/x\"\",\"\"https://b.example\"\"]\"\nempty;gpt;;\n",
            "{\"prompt\":\"Who?\",\"model\":\"gpt\",\"answer\":\"Ada, of course\",\"citations\":[\"https://a.example/x\",\"https://b.example\"]}\n\n{\"prompt\":\"x\"}\n",
            "[{\"query\":\"Who?\",\"platform\":\"gpt\",\"response_text\":\"Ada, of course\",\"source_urls\":\"https://a.example/x https://b.example\"},{}]",
        ] {
            let log = read(text).unwrap();
            assert_eq!((log.answers.len(), log.skipped), (1, 1), "{text}");
            let answer = &log.answers[0];
            assert_eq!((answer.question.as_str(), answer.model.as_str()), ("Who?", "gpt"));
            assert_eq!(answer.completion.text, "Ada, of course");
            assert_eq!(answer.completion.citations.len(), 2, "{text}");
        }
        assert!(read("{\"prompt\":").is_err());
    }
}
