//! Answers of all runs as a sheet.

use super::writer::Writer;
use ibid_model::Prominence;

pub(crate) const HEAD: [&str; 10] = [
    "domain", "date", "scanId", "place", "question", "model", "class", "rank", "score", "url",
];

#[derive(Clone, Copy, Debug)]
pub struct AnswerRow<'a> {
    pub domain: &'a str,
    /// Day of the run, such as `2026-11-29`.
    pub date: &'a str,
    pub scan: &'a str,
    /// The place; empty without one.
    pub place: &'a str,
    pub question: &'a str,
    pub model: &'a str,
    /// The prominence; `None` without a valid answer.
    pub class: Option<Prominence>,
    /// The rank among the recommended.
    pub rank: Option<u32>,
    /// The score, 0..100.
    pub score: Option<f64>,
    /// The cited address; empty without one.
    pub url: &'a str,
}

impl AnswerRow<'_> {
    /// The word for its prominence.
    pub(crate) fn class_word(&self) -> &'static str {
        self.class.map_or("no answer", Prominence::as_str)
    }
}

/// Writes the first line.
pub fn answers_head() -> String {
    let mut writer = Writer::new();
    writer.head(&HEAD);
    writer.text
}

/// One line for each answer.
pub fn answers<'a>(rows: impl IntoIterator<Item = AnswerRow<'a>>) -> String {
    let mut writer = Writer::bare();
    for row in rows {
        writer.text(row.domain);
        writer.plain(row.date);
        writer.plain(row.scan);
        writer.text(row.place);
        writer.text(row.question);
        writer.text(row.model);
        writer.plain(row.class_word());
        writer.number(row.rank.map(f64::from));
        writer.number(row.score);
        writer.text(row.url);
        writer.end();
    }
    writer.text
}
