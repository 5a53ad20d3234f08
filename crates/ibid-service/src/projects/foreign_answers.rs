//! Answers that were given elsewhere: exported by another tracker, or captured from an interface.
//!
//! They come in pieces, each once. They have their own numbers and are never runs of the project: no level, verdict or
//! alert rests on them.

use super::conversions::{at, change, full};
use super::draft::name_of;
use super::handle::Projects;
use super::reports::hex;
use crate::clock::now_ms;
use crate::error::Error;
use bytes::Bytes;
use data_encoding::HEXLOWER_PERMISSIVE;
use flate2::bufread::GzDecoder;
use ibid_engine::plan::likely_language;
use ibid_engine::read::{Answer, Target, read};
use ibid_engine::score::METHOD_VERSION;
use ibid_engine::score::interval::{Scored, of_answers};
use ibid_first_party::Reason;
use ibid_model::contract::field as f;
use ibid_model::json_lines::{JsonLines, LineFault};
use ibid_model::{AnswerImportId, BrandName, FaultCode, Faults, Finish, Interval, Score, Website};
use ibid_provider::annotations::citations;
use ibid_store::{
    AnswerCount, AnswerImportAdded, AnswerImportRecord, AnswerStratum, NewAnswerImport, NewAnswerPart,
    PackedAnswers, PartPut, ProjectScope, Store, StoreError,
};
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufReader, Read as _};
use tokio::sync::Semaphore;

/// Most answers of a piece: they are read in about half a second.
pub const MOST_ANSWERS: usize = 10_000;
/// Most bytes of a packed piece; unpacked it has at most four times as many.
pub const MOST_PART: usize = 16 << 20;
/// Most pieces of a file: ten million answers.
const MOST_PARTS: u32 = 1_000;
/// Most imports of a project: one a day for three years.
pub(super) const MOST_IMPORTS: u32 = 1_000;
/// Rows that were left out and are listed with their lines.
const MOST_LINES: usize = 1_000;
/// Longest text of an answer in bytes, as in a log.
const LONGEST_ANSWER: usize = 256 << 10;
/// Longest name, place or question, in characters.
const LONGEST_TEXT: usize = 500;
/// Most addresses beside an answer.
const MOST_SOURCES: usize = 200;

/// One piece is read at a time, for its memory.
static TURN: Semaphore = Semaphore::const_new(1);

/// An import that can begin.
#[derive(Clone, Debug)]
pub struct AnswerImportDraft {
    stratum: AnswerStratum,
    tool: String,
    name: String,
    sha256: [u8; 32],
    parts: u32,
    notes: String,
}

/// What the reader of a file counted.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Notes {
    read: u64,
    refused: BTreeMap<String, u64>,
    refused_lines: Vec<Value>,
    unread: Vec<String>,
    method: String,
}

impl AnswerImportDraft {
    /// Reads `stratum` (`tracker` or `interface`), `tool`, `name`, `sha256`, `parts`, and what was counted: `read`, `refused` (rows by
    /// reason), `refusedLines` and `unread` (columns).
    pub fn read(body: &Map<String, Value>) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let stratum = body.get("stratum").and_then(Value::as_str).unwrap_or("tracker");
        let stratum: Option<AnswerStratum> = stratum.parse().ok();
        if stratum.is_none() {
            faults.invalid("/stratum", "stratum must be tracker or interface");
        }
        let (tool, name) = (
            name_of(body, "tool", &mut faults),
            name_of(body, "name", &mut faults),
        );
        let sha256 = body.get("sha256").and_then(Value::as_str).and_then(bytes_of);
        if sha256.is_none() {
            faults.invalid("/sha256", "sha256 must have 64 hexadecimal digits");
        }
        let parts = body.get("parts").and_then(Value::as_u64);
        let parts = parts.and_then(|parts| u32::try_from(parts).ok());
        let parts = parts.filter(|parts| *parts <= MOST_PARTS);
        if parts.is_none() {
            let message = format!("parts must be a whole number up to {MOST_PARTS}");
            faults.push("/parts", FaultCode::OutOfRange, message);
        }
        let notes = ["read", "refused", "refusedLines", "unread"];
        let notes = notes.into_iter().filter_map(|name| {
            let value = body.get(name).filter(|value| !value.is_null())?;
            Some((name.to_owned(), value.clone()))
        });
        let notes: Result<Notes, _> = serde_json::from_value(Value::Object(notes.collect()));
        let is_line = |line: &Value| line["line"].is_u64() && line["reason"].as_str().is_some_and(is_short);
        let fits = |notes: &Notes| {
            notes.refused.len() <= 50
                && notes.refused.keys().all(|reason| is_short(reason))
                && notes.refused_lines.len() <= MOST_LINES
                && notes.refused_lines.iter().all(is_line)
                && notes.unread.len() <= 200
                && notes.unread.iter().all(|name| is_short(name))
        };
        let notes = notes.ok().filter(fits);
        if notes.is_none() {
            let message = format!(
                "read, refused, refusedLines (at most {MOST_LINES}, each with line and reason) or unread has another form"
            );
            faults.invalid("", message);
        }
        match (stratum, sha256, parts, notes) {
            (Some(stratum), Some(sha256), Some(parts), Some(notes)) if faults.is_empty() => Ok(Self {
                stratum,
                tool,
                name,
                sha256,
                parts,
                notes: json!(Notes {
                    method: METHOD_VERSION.to_owned(),
                    ..notes
                })
                .to_string(),
            }),
            _ => Err(faults),
        }
    }

    /// The import in the words of the store.
    pub(super) fn with_id(&self, id: AnswerImportId) -> NewAnswerImport<'_> {
        NewAnswerImport {
            id,
            stratum: self.stratum,
            tool: &self.tool,
            name: &self.name,
            sha256: &self.sha256,
            parts: self.parts,
            notes: &self.notes,
        }
    }

    pub(super) const fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }
}

fn is_short(text: &str) -> bool {
    text.chars().count() <= LONGEST_TEXT && !text.contains('\0')
}

/// Thirty-two bytes from hexadecimal digits.
fn bytes_of(text: &str) -> Option<[u8; 32]> {
    let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()?;
    bytes.try_into().ok()
}

/// An answer as it is given and kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ElsewhereAnswer {
    /// Its line in the file.
    pub line: u64,
    pub day: Date,
    /// The model or interface.
    pub source: String,
    pub question: String,
    pub answer: String,
    /// Addresses of its sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// The place that was asked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The language that was asked in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captured_by: Option<String>,
    /// Whether it cites the website; `None` where it cannot be scored. Only kept answers have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cited: Option<bool>,
    /// Its score, 0..100. Only kept answers have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

impl ElsewhereAnswer {
    pub(super) fn check(&self, last: Date) -> Result<(), &'static str> {
        let texts = [Some(&self.source), Some(&self.question)].into_iter();
        let given = [&self.place, &self.language, &self.captured_by];
        let mut texts = texts.chain(given.map(Option::as_ref)).flatten();
        if self.source.trim().is_empty() || self.question.trim().is_empty() || self.answer.trim().is_empty() {
            return Err("source, question and answer are required");
        }
        if self.answer.len() > LONGEST_ANSWER || !texts.all(|text| is_short(text)) {
            return Err("a text is too long, or has a NUL character");
        }
        if self.answer.contains('\0') || self.sources.len() > MOST_SOURCES {
            return Err("the answer has a NUL character, or more than 200 sources");
        }
        let mut sources = self.sources.iter();
        if sources.any(|source| source.len() > 4_096 || source.contains('\0')) {
            return Err("a source is too long, or has a NUL character");
        }
        (Date::constant(2000, 1, 1)..=last)
            .contains(&self.day)
            .then_some(())
            .ok_or("the day is before 2000 or in the future")
    }
}

/// A piece that was read and scored.
pub(super) struct ReadPart {
    pub(super) answers: u32,
    pub(super) document: Option<PackedAnswers>,
    pub(super) counts: Vec<AnswerCount>,
}

/// Unpacks a piece, and hashes its text rather than its bytes, because two programs may pack it in two ways.
fn unpacked(file: &[u8]) -> Result<([u8; 32], Vec<ElsewhereAnswer>), String> {
    let most = 4 * MOST_PART as u64;
    let mut lines = JsonLines::new(BufReader::new(GzDecoder::new(file).take(most)));
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let tomorrow = today.saturating_add(1.day());
    let (mut answers, mut hash) = (Vec::new(), Sha256::new());
    loop {
        let is_at_end = lines.get_ref().get_ref().limit() == 0;
        let line = lines
            .next(|_| JsonLines::<&[u8]>::ORDINARY)
            .map_err(|fault| match fault {
                LineFault::Io(_) => "the piece is no gzip of UTF-8 text, or is damaged".to_owned(),
                fault => format!("the piece: {fault}"),
            })?;
        let Some(line) = line else {
            return match is_at_end {
                true => Err(format!("the piece unpacks to more than {} MiB", most >> 20)),
                false => Ok((hash.finalize().into(), answers)),
            };
        };
        hash.update(line);
        let number = answers.len() + 1;
        if number > MOST_ANSWERS {
            return Err(format!("the piece has more than {MOST_ANSWERS} answers"));
        }
        let answer: ElsewhereAnswer =
            serde_json::from_str(line).map_err(|error| format!("line {number} of the piece: {error}"))?;
        answer
            .check(tomorrow)
            .map_err(|why| format!("line {number} of the piece, {} of the file: {why}", answer.line))?;
        answers.push(ElsewhereAnswer {
            cited: None,
            score: None,
            ..answer
        });
    }
}

/// Reads and scores the answers of a piece.
pub(super) fn scored(
    mut answers: Vec<ElsewhereAnswer>,
    target: &Target,
    keep: bool,
) -> Result<ReadPart, Error> {
    let mut counts: BTreeMap<(String, String, String), AnswerCount> = BTreeMap::new();
    for given in &mut answers {
        let sources = citations(&json!(given.sources));
        let reading = read(
            target,
            &Answer {
                text: &given.answer,
                citations: &sources,
                question: Some(&given.question),
                finish: Finish::Complete,
            },
        );
        let key = (given.day.to_string(), given.source.clone(), word_of(given));
        let count = counts.entry(key.clone()).or_insert_with(|| AnswerCount {
            day: key.0,
            source: key.1,
            question: key.2,
            valid: 0,
            cited: 0,
            linked: 0,
            score_sum: 0,
        });
        if !reading.is_valid() {
            continue;
        }
        count.valid += 1;
        count.cited += u32::from(reading.cited());
        count.linked += u32::from(reading.linked());
        count.score_sum += (reading.points() * 1_000.0).round() as u32;
        given.cited = Some(reading.cited());
        given.score = Some(Score::new(reading.points()).rounded());
    }
    let document = match keep {
        true => Some(PackedAnswers::of(&serde_json::to_vec(&answers)?)?),
        false => None,
    };
    Ok(ReadPart {
        answers: u32::try_from(answers.len()).unwrap_or(u32::MAX),
        document,
        counts: counts.into_values().collect(),
    })
}

/// The word that names a question asked from a place.
fn word_of(answer: &ElsewhereAnswer) -> String {
    question_word(&answer.question, answer.place.as_deref().unwrap_or_default())
}

/// The word that names a question asked from a place, or from none.
pub(super) fn question_word(question: &str, place: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(question.trim().to_lowercase());
    hash.update([0]);
    hash.update(place.trim().to_lowercase());
    let mut word = hex(&hash.finalize());
    word.truncate(16);
    word
}

/// What some answers come to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElsewhereNumbers {
    /// Answers that can be scored.
    pub answers: u64,
    /// Those that cite the website.
    pub cited: u64,
    /// Different questions.
    pub questions: u64,
    /// The mean score, in which sources weigh the same, and within one its questions.
    pub score: Option<Score>,
    /// Its 95 % range.
    pub interval: Option<Interval>,
    /// How far the choice of questions explains it; absent in numbers from older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_interval: Option<Interval>,
    /// The points that the error of reading adds to either side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading_error: Option<f64>,
}

impl ElsewhereNumbers {
    fn of(counts: &[&AnswerCount], language: &str) -> Self {
        let number = |names: BTreeSet<&str>| -> BTreeMap<String, usize> {
            let named = names.into_iter().enumerate();
            named.map(|(at, name)| (name.to_owned(), at)).collect()
        };
        let sources = number(counts.iter().map(|count| count.source.as_str()).collect());
        let questions = number(counts.iter().map(|count| count.question.as_str()).collect());
        let valid = counts.iter().filter(|count| count.valid > 0);
        let scored = valid.map(|count| Scored {
            model: sources.get(&count.source).copied().unwrap_or_default(),
            question: questions.get(&count.question).copied().unwrap_or_default(),
            score: f64::from(count.score_sum) / f64::from(count.valid) / 100_000.0,
        });
        let scored: Vec<Scored> = scored.collect();
        let range = of_answers(&scored);
        let read = range.map(|range| range.as_read(&scored, Some(language)));
        let sum = |of: fn(&AnswerCount) -> u32| counts.iter().map(|count| u64::from(of(count))).sum();
        Self {
            answers: sum(|count| count.valid),
            cited: sum(|count| count.cited),
            questions: range.map_or(0, |range| range.questions as u64),
            score: read.map(|read| read.score),
            interval: read.map(|read| read.interval),
            sampling_interval: read.and_then(|read| read.sampling_interval),
            reading_error: read.and_then(|read| read.reading_error),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerDay {
    pub day: Date,
    #[serde(flatten)]
    pub numbers: ElsewhereNumbers,
}

/// A model or interface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceNumbers {
    pub source: String,
    pub from: Date,
    pub to: Date,
    #[serde(flatten)]
    pub numbers: ElsewhereNumbers,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct ImportNumbers {
    days: Vec<AnswerDay>,
    sources: Vec<SourceNumbers>,
}

impl ImportNumbers {
    /// Of answers in a language.
    fn of(counts: &[AnswerCount], language: &str) -> Result<Self, StoreError> {
        let mut days: BTreeMap<Date, Vec<&AnswerCount>> = BTreeMap::new();
        for count in counts {
            let day = count.day.parse().map_err(|_| StoreError::Damaged("day"))?;
            days.entry(day).or_default().push(count);
        }
        let days = days.into_iter().map(|(day, counts)| AnswerDay {
            day,
            numbers: ElsewhereNumbers::of(&counts, language),
        });
        Ok(Self {
            days: days.collect(),
            sources: by_source(counts, language)?,
        })
    }
}

/// Counts each source, by name.
fn by_source(counts: &[AnswerCount], language: &str) -> Result<Vec<SourceNumbers>, StoreError> {
    let mut sources: BTreeMap<&str, Vec<&AnswerCount>> = BTreeMap::new();
    for count in counts {
        sources.entry(&count.source).or_default().push(count);
    }
    let numbers = sources.into_iter().map(|(source, counts)| {
        let day = |day: Option<&str>| {
            day.and_then(|day| day.parse().ok())
                .ok_or(StoreError::Damaged("day"))
        };
        let days = || counts.iter().map(|count| count.day.as_str());
        Ok(SourceNumbers {
            source: source.to_owned(),
            from: day(days().min())?,
            to: day(days().max())?,
            numbers: ElsewhereNumbers::of(&counts, language),
        })
    });
    numbers.collect()
}

#[derive(Clone, Debug)]
pub struct AnswerImportView {
    pub record: AnswerImportRecord,
    notes: Notes,
    numbers: ImportNumbers,
}

impl AnswerImportView {
    /// Reads what was counted in its file, and what its days come to.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub fn of(record: AnswerImportRecord) -> Result<Self, Error> {
        Ok(Self {
            notes: serde_json::from_str(&record.notes)?,
            numbers: record
                .days
                .as_deref()
                .map(serde_json::from_str)
                .transpose()?
                .unwrap_or_default(),
            record,
        })
    }

    /// Its days, once all of it is there.
    pub fn days(&self) -> &[AnswerDay] {
        &self.numbers.days
    }

    /// Its models or interfaces, once all of it is there.
    pub fn sources(&self) -> &[SourceNumbers] {
        &self.numbers.sources
    }

    /// Rows that were left out: the reason in words, how many, and the first lines.
    pub fn refused(&self) -> Vec<(&str, u64, Vec<u64>)> {
        let rows = self.notes.refused.iter().map(|(reason, count)| {
            let words = serde_json::from_value::<Reason>(json!(reason)).map(Reason::words);
            let lines = self.notes.refused_lines.iter();
            let lines = lines.filter(|line| line["reason"] == *reason);
            let lines = lines.filter_map(|line| line["line"].as_u64());
            (words.unwrap_or(reason.as_str()), *count, lines.collect())
        });
        rows.collect()
    }

    /// Whether its answers were captured from interfaces.
    pub fn is_captures(&self) -> bool {
        self.record.stratum == AnswerStratum::Interface
    }

    /// Rows of the file.
    pub const fn rows(&self) -> u64 {
        self.notes.read
    }

    /// Returns which pieces are still to come, counted from 1.
    pub fn missing(&self) -> Vec<u32> {
        let all = 1..=self.record.parts;
        all.filter(|number| self.record.received.binary_search(number).is_err())
            .collect()
    }

    /// The document without days, sources and lines, as in lists.
    pub fn summary(&self) -> Value {
        let record = &self.record;
        json!({
            "importId": record.id,
            "stratum": record.stratum.as_str(),
            "tool": record.tool,
            "name": record.name,
            "sha256": hex(&record.sha256),
            "state": if record.ended_at.is_some() { "complete" } else { "receiving" },
            "parts": record.parts,
            "missing": self.missing(),
            "answers": record.answers,
            "read": self.notes.read,
            "refused": self.notes.refused,
            "unread": self.notes.unread,
            "method": self.notes.method,
            "createdAt": at(record.created_at),
            "endedAt": record.ended_at.map(at),
        })
    }

    pub fn document(&self) -> Value {
        let mut document = self.summary();
        document["days"] = json!(self.numbers.days);
        document["sources"] = json!(self.numbers.sources);
        document["refusedLines"] = json!(self.notes.refused_lines);
        document
    }
}

impl Projects {
    /// Begins an import into a project, or finds the one that the same file began before.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an import too many, or one that was cut in another way; [`Error::Store`].
    pub async fn begin_answers(
        &self,
        scope: &ProjectScope,
        draft: AnswerImportDraft,
    ) -> Result<AnswerImportView, Error> {
        let id = AnswerImportId::random();
        let added = self.of(scope, move |store, scope| {
            let members = json!({"name": draft.name, "tool": draft.tool}).to_string();
            let change = change("answers_imported", &members);
            let added = store.add_answer_import(scope, &draft.with_id(id), MOST_IMPORTS, change)?;
            Ok((added, draft.parts))
        });
        let (added, parts) = added.await?;
        let id = match added {
            AnswerImportAdded::New => id,
            AnswerImportAdded::Known(id) => id,
            AnswerImportAdded::Full => return Err(full(MOST_IMPORTS, "imports: delete")),
        };
        let found = self.ended_answers(scope, id).await?;
        match found.record.parts == parts {
            true => Ok(found),
            false => Err(Error::fault(
                "/parts",
                FaultCode::Invalid,
                "the same file came before in other pieces: delete that import to begin anew",
            )),
        }
    }

    /// Stores a piece: JSON lines in gzip, one for each answer. The same piece again changes nothing.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a piece that cannot be read, or another one than before; [`Error::ProjectNotFound`] for an
    /// unknown import or number; [`Error::Store`].
    pub async fn put_answers(
        &self,
        scope: &ProjectScope,
        import: &str,
        number: &str,
        file: Bytes,
    ) -> Result<AnswerImportView, Error> {
        let id: AnswerImportId = import.parse().map_err(|_| Error::ProjectNotFound)?;
        let number: u32 = number.parse().map_err(|_| Error::ProjectNotFound)?;
        let known = self.answer_import(scope, import).await?;
        if number == 0 || number > known.record.parts {
            return Err(Error::ProjectNotFound);
        }
        let target = self.target(scope).await?;
        let keep = self.runs.retain_answers;
        let turn = TURN.acquire().await.map_err(|_| Error::Ended)?;
        let read = move || -> Result<([u8; 32], ReadPart), Error> {
            let (hash, answers) =
                unpacked(&file).map_err(|why| Error::fault("/part", FaultCode::Invalid, why))?;
            Ok((hash, scored(answers, &target, keep)?))
        };
        let (hash, part) = self.compute(read).await??;
        let put = self.of(scope, move |store, scope| {
            let part = NewAnswerPart {
                number,
                sha256: &hash,
                answers: part.answers,
                document: part.document.as_ref(),
                counts: &part.counts,
            };
            store.put_answer_part(scope, id, &part)
        });
        let put = put.await?;
        drop(turn);
        match put {
            PartPut::Stored | PartPut::Same => self.ended_answers(scope, id).await,
            PartPut::Unknown => Err(Error::ProjectNotFound),
            PartPut::Other => Err(Error::fault(
                "/part",
                FaultCode::Invalid,
                format!("piece {number} came before with other answers: delete the import to begin anew"),
            )),
        }
    }

    /// An import, which is ended first if every piece is there.
    pub(super) async fn ended_answers(
        &self,
        scope: &ProjectScope,
        id: AnswerImportId,
    ) -> Result<AnswerImportView, Error> {
        let order = self.order(scope).await?;
        let ended = self.of(scope, move |store, scope| {
            let record = one(store, scope, id)?;
            match record {
                Some(record)
                    if record.ended_at.is_none() && record.received.len() == record.parts as usize =>
                {
                    let numbers = ImportNumbers::of(&store.answer_counts(scope, id)?, &language_of(&order))?;
                    store.end_answer_import(scope, id, &json!(numbers).to_string(), now_ms())?;
                    one(store, scope, id)
                }
                record => Ok(record),
            }
        });
        AnswerImportView::of(ended.await?.ok_or(Error::ProjectNotFound)?)
    }

    /// Returns a project's imports, the latest first.
    pub async fn answer_imports(&self, scope: &ProjectScope) -> Result<Vec<AnswerImportView>, Error> {
        let found = self.of(scope, Store::answer_imports);
        found.await?.into_iter().map(AnswerImportView::of).collect()
    }

    /// An import of a project.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] if there is none with the id; [`Error::Store`].
    pub async fn answer_import(&self, scope: &ProjectScope, id: &str) -> Result<AnswerImportView, Error> {
        let id: AnswerImportId = id.parse().map_err(|_| Error::ProjectNotFound)?;
        let found = self.of(scope, move |store, scope| one(store, scope, id));
        AnswerImportView::of(found.await?.ok_or(Error::ProjectNotFound)?)
    }

    /// Deletes an import with its answers.
    pub async fn delete_answers(&self, scope: &ProjectScope, id: &str) -> Result<(), Error> {
        self.change_part(
            scope,
            id,
            "answers_deleted",
            "importId",
            Store::delete_answer_import,
        )
        .await
    }

    /// What answers are searched for: the website and the names of the project.
    pub(super) async fn target(&self, scope: &ProjectScope) -> Result<Target, Error> {
        let order = self.order(scope).await?;
        let texts = |field: &f::Field| {
            let texts = order.get(field.name).and_then(Value::as_array);
            texts.into_iter().flatten().filter_map(Value::as_str)
        };
        let names = |field| -> Vec<BrandName> { texts(field).filter_map(|name| name.parse().ok()).collect() };
        let main = order.get(f::DOMAIN.name).and_then(Value::as_str);
        let main: Option<Website> = main.and_then(|main| main.parse().ok());
        let main = main.ok_or(Error::ProjectNotFound)?;
        let domain = main.domain().clone();
        let own = texts(&f::OWN_DOMAINS).filter_map(|website| website.parse().ok());
        let websites: Vec<Website> = std::iter::once(main).chain(own).collect();
        Ok(Target::of(&domain, &websites, &names(&f::BRAND_NAMES)).without(&names(&f::NOT_NAMES)))
    }

    async fn order(&self, scope: &ProjectScope) -> Result<Map<String, Value>, Error> {
        let view = self.get(scope).await?;
        Ok(view.schedule.map(|schedule| schedule.order).unwrap_or_default())
    }
}

/// The language that a project asks in, which its answers from elsewhere are taken to have too.
fn language_of(order: &Map<String, Value>) -> Cow<'_, str> {
    let text = |member: &str| order.get(member).and_then(Value::as_str);
    match text(f::LANGUAGE.name) {
        Some(language) => language.into(),
        None => likely_language(text(f::KEYWORD.name).unwrap_or_default(), None).0,
    }
}

/// Counts answers that were captured since a day.
pub(super) fn interface_counts(
    store: &Store,
    scope: &ProjectScope,
    from: Date,
) -> Result<Vec<AnswerCount>, StoreError> {
    store.stratum_counts(scope, AnswerStratum::Interface, &from.to_string())
}

fn one(
    store: &Store,
    scope: &ProjectScope,
    id: AnswerImportId,
) -> Result<Option<AnswerImportRecord>, StoreError> {
    let mut all = store.answer_imports(scope)?.into_iter();
    Ok(all.find(|import| import.id == id))
}
