//! Reads other trackers' exports: one project's questions, tags, rivals and history.
//!
//! Formats follow the trackers' documentation, interfaces and repositories. None was tried on a customer's file.

use crate::archive::{Archive, Bounds, Capped, is_beyond};
use crate::columns::lines;
use crate::dates::{Order, RawDate};
use crate::lines::{Lines, decoded};
use crate::read::{Error, fields};
use crate::refused::{Reason, RefusedRows};
use flate2::bufread::MultiGzDecoder;
use ibid_model::answer_columns::{fold, meaning, text_of};
use ibid_model::json_lines::{JsonLines, LineFault};
use ibid_model::{Domain, OwnQuestion};
use jiff::civil::Date;
use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::sync::LazyLock;

/// Most questions of a project.
const MOST_QUESTIONS: usize = 300;
/// Most columns and members that are named as not read.
const MOST_HEADERS: usize = 200;
/// Most bytes of an answer, as in a log.
const LONGEST_ANSWER: usize = 256 << 10;
/// Longest name of a model or interface, in characters.
const LONGEST_NAME: usize = 200;
/// Members of a document that hold its rows.
const LISTS: [&str; 9] = [
    "data",
    "responses",
    "ai_responses",
    "prompts",
    "questions",
    "results",
    "competitors",
    "brands",
    "rows",
];

/// The trackers by their signs.
static SIGNS: LazyLock<Vec<(&'static str, Vec<String>)>> = LazyLock::new(|| {
    lines(include_str!("../data/tracker_signs.txt"))
        .filter_map(|line| line.split_once(" = "))
        .map(|(tool, signs)| (tool, signs.split(',').map(fold).collect()))
        .collect()
});

/// How to read a file of another tracker.
#[derive(Clone, Copy, Debug, Default)]
pub struct MoveInOptions<'a> {
    /// The tracker, where the columns of a file fit several.
    pub tool: Option<&'a str>,
    /// The last day that an answer can have.
    pub until: Option<Date>,
    /// The website that moves in: its brand is no rival.
    pub domain: Option<&'a Domain>,
    /// How much of a file is read.
    pub bounds: Bounds,
}

/// What a file of another tracker holds, without its answers: [`each_answer`] reads those.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MoveIn {
    /// The tracker, `captures`, or `generic`.
    pub tool: String,
    /// Rows read.
    pub read: u64,
    /// Different questions, at most 300.
    pub questions: Vec<OwnQuestion>,
    /// Rivals with their domains.
    pub rivals: BTreeMap<String, Vec<String>>,
    /// Names of the own brand.
    pub own: BTreeSet<String>,
    /// Brands that answers name. None is a rival, because one may be the own brand.
    pub brands: BTreeSet<String>,
    /// Sources that are left out: those beyond 200 of an answer, and those longer than any address.
    pub sources_left_out: u64,
    /// Answers that can be imported.
    pub answers: u64,
    /// Answers by model or interface.
    pub sources: BTreeMap<String, u64>,
    /// The first and the last day of answers.
    pub days: Option<(Date, Date)>,
    /// Rows that are left out, or whose answer is.
    pub refused: RefusedRows,
    /// Columns and members that are not read.
    pub unread: Vec<String>,
    /// Whether 3/4/2026 is in March or in April.
    #[serde(skip)]
    order: Option<Order>,
}

/// An answer that was given elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PastAnswer {
    /// Which line its row is on, or the row's number.
    pub line: u64,
    pub day: Date,
    /// The model or interface, as the file names it; the tracker where it names none.
    pub source: String,
    pub question: String,
    pub answer: String,
    /// Addresses of its sources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// The place that was asked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The language that was asked in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captured_by: Option<String>,
}

impl MoveIn {
    /// Reads CSV, a JSON array or object, or JSON lines; also compressed (.gz), or the one file of a zip archive.
    ///
    /// ```
    /// use ibid_first_party::move_in::{MoveIn, MoveInOptions};
    /// use std::io::Cursor;
    ///
    /// let file = "Search Prompt,Country,Tags\nbest plumber in Leeds?,GB,\"local, urgent\"\n";
    /// let found = MoveIn::read(&mut Cursor::new(file), &MoveInOptions::default())?;
    /// assert_eq!((found.tool.as_str(), found.questions[0].tags.len()), ("otterly", 2));
    /// # Ok::<(), ibid_first_party::Error>(())
    /// ```
    ///
    /// # Errors
    /// It cannot be read, or holds neither questions nor rivals.
    pub fn read(file: &mut (impl Read + Seek), options: &MoveInOptions<'_>) -> Result<Self, Error> {
        let mut reader = Reader::new(options, None);
        reader.rows(file)?;
        let Reader {
            mut found,
            headers,
            named,
            ..
        } = reader;
        found.settle(&named, options.domain);
        if found.questions.is_empty() && found.rivals.is_empty() {
            return Err(match headers.is_empty() {
                true => Error::Empty,
                false => Error::NoQuestions { headers },
            });
        }
        let folded: Vec<String> = headers.iter().map(|header| fold(header)).collect();
        found.tool = tool_of(&folded, options.tool)?;
        let is_read = |header: &String| {
            meaning(header).is_some_and(|(of, rank)| {
                let mut others = headers.iter().filter_map(|header| meaning(header));
                of == "sources" || !others.any(|(other, better)| other == of && better < rank)
            })
        };
        found.unread = headers
            .iter()
            .filter(|header| !is_read(header))
            .cloned()
            .collect();
        // Rows without a model are those of the tracker.
        if let Some(count) = found.sources.remove("") {
            *found.sources.entry(found.tool.clone()).or_default() += count;
        }
        Ok(found)
    }

    /// Rows and parts of rows that could not be used.
    pub fn left_out(&self) -> u64 {
        self.refused.total() + self.sources_left_out
    }

    /// Tells the own brand from rivals: by what the file says of itself, and by rows that name it or do not.
    fn settle(&mut self, named: &NamedBrands, domain: Option<&Domain>) {
        self.brands.extend(named.counts.keys().cloned());
        if self.own.is_empty() {
            self.own.extend(named.own());
        }
        let own: HashSet<String> = self.own.iter().map(|name| fold(name)).collect();
        self.rivals.retain(|name, _| !own.contains(&fold(name)));
        self.brands.retain(|name| !own.contains(&fold(name)));
        if let Some(domain) = domain {
            self.know(domain);
        } else if !own.is_empty() {
            self.take_brands();
        }
    }

    /// Learns the website that moves in: its brand, which has the name of its domain, is no rival, and all others are.
    pub fn know(&mut self, domain: &Domain) {
        let label = fold(domain.as_str().split('.').next().unwrap_or_default());
        let is_own = |name: &str| {
            fold(name).starts_with(&label) || name.parse().is_ok_and(|other: Domain| other == *domain)
        };
        let all = self.rivals.keys().chain(&self.brands);
        let own: Vec<String> = all.filter(|name| is_own(name)).cloned().collect();
        self.rivals.retain(|name, _| !is_own(name));
        self.brands.retain(|name| !is_own(name));
        self.own.extend(own);
        self.take_brands();
    }

    fn take_brands(&mut self) {
        for name in std::mem::take(&mut self.brands) {
            self.rivals.entry(name).or_default();
        }
    }

    /// Returns the file's market: the one place that all questions share, with their one language.
    pub fn market(&self) -> Option<(String, Option<String>)> {
        let first = self.questions.first()?;
        let is_same = |one: &OwnQuestion| one.place == first.place && one.language == first.language;
        let place = first.place.as_ref()?.to_string();
        let language = first.language.as_ref().map(ToString::to_string);
        self.questions.iter().all(is_same).then_some((place, language))
    }
}

/// Calls `each` for every answer of a file, in its order. `found` is what [`MoveIn::read`] found in the same file.
///
/// # Errors
/// It cannot be read, or `each` fails.
pub fn each_answer<E: From<Error>>(
    file: &mut (impl Read + Seek),
    options: &MoveInOptions<'_>,
    found: &MoveIn,
    each: &mut dyn FnMut(PastAnswer) -> Result<(), E>,
) -> Result<(), E> {
    file.seek(SeekFrom::Start(0)).map_err(Error::from)?;
    let mut failed = None;
    let mut sink = |mut answer: PastAnswer| {
        if answer.source.is_empty() {
            answer.source.clone_from(&found.tool);
        }
        each(answer).map_err(|error| {
            failed = Some(error);
            Error::Stopped
        })
    };
    let mut reader = Reader::new(options, Some((&mut sink, found.order)));
    let read = reader.rows(file);
    drop(reader);
    match failed {
        Some(error) => Err(error),
        None => read.map_err(E::from),
    }
}

/// The tracker whose signs the columns have.
fn tool_of(folded: &[String], wanted: Option<&str>) -> Result<String, Error> {
    let fits = |signs: &[String]| signs.iter().all(|sign| folded.contains(sign));
    let mut tools: Vec<&str> = SIGNS
        .iter()
        .filter(|(_, signs)| fits(signs))
        .map(|(tool, _)| *tool)
        .collect();
    tools.dedup();
    match (wanted, tools.as_slice()) {
        (Some(wanted), _) => Ok(wanted.to_owned()),
        (None, []) => Ok("generic".to_owned()),
        (None, [tool]) => Ok((*tool).to_owned()),
        (None, several) => Err(Error::TwoTrackers {
            tools: several.iter().map(|tool| (*tool).to_owned()).collect(),
        }),
    }
}

/// Brands that rows name, with what the rows say about the own one.
#[derive(Debug, Default)]
struct NamedBrands {
    counts: BTreeMap<String, BrandCount>,
    own_rows: u64,
    /// Those that tell its place among the names.
    ranked: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct BrandCount {
    with_own: u64,
    without_own: u64,
    at_rank: u64,
}

impl NamedBrands {
    fn count(&mut self, names: Vec<String>, has_own: Option<bool>, rank: Option<usize>) {
        self.own_rows += u64::from(has_own == Some(true));
        let ranked = rank.filter(|rank| has_own == Some(true) && (1..=names.len()).contains(rank));
        self.ranked += u64::from(ranked.is_some());
        for (place, name) in (1..).zip(names) {
            let count = self.counts.entry(name).or_default();
            count.with_own += u64::from(has_own == Some(true));
            count.without_own += u64::from(has_own == Some(false));
            count.at_rank += u64::from(ranked == Some(place));
        }
    }

    /// The one name that all rows with the own brand have and no other row.
    fn own(&self) -> Option<String> {
        let fits = |count: &BrandCount| count.with_own == self.own_rows && count.without_own == 0;
        let mut fitting: Vec<(&String, &BrandCount)> =
            self.counts.iter().filter(|(_, count)| fits(count)).collect();
        if fitting.len() > 1 && self.ranked > 0 {
            fitting.retain(|(_, count)| count.at_rank == self.ranked);
        }
        match fitting[..] {
            [(name, _)] if self.own_rows > 0 => Some(name.clone()),
            _ => None,
        }
    }
}

type Sink<'a> = &'a mut dyn FnMut(PastAnswer) -> Result<(), Error>;

/// A file that is being read.
struct Reader<'a> {
    options: &'a MoveInOptions<'a>,
    found: MoveIn,
    known: HashSet<String>,
    named: NamedBrands,
    headers: Vec<String>,
    /// Lines in which the month and the day come first.
    orders: [Option<u64>; 2],
    /// Rows whose day has two readings until the order is known, by line.
    undecided: Vec<(u64, RawDate)>,
    /// Takes the answers, with the order of dates, in a second reading.
    sink: Option<(Sink<'a>, Option<Order>)>,
}

impl<'a> Reader<'a> {
    fn new(options: &'a MoveInOptions<'a>, sink: Option<(Sink<'a>, Option<Order>)>) -> Self {
        Self {
            options,
            found: MoveIn::default(),
            known: HashSet::new(),
            named: NamedBrands::default(),
            headers: Vec::new(),
            orders: [None, None],
            undecided: Vec::new(),
            sink,
        }
    }

    fn rows(&mut self, file: &mut (impl Read + Seek)) -> Result<(), Error> {
        let mut start = Vec::new();
        file.by_ref().take(8).read_to_end(&mut start)?;
        file.seek(SeekFrom::Start(0))?;
        match &start[..] {
            [b'P', b'K', 3 | 5, ..] => {
                let mut archive = Archive::open(file)?;
                archive.bound(self.options.bounds);
                let is_file = |name: &str| !name.ends_with('/') && !name.starts_with("__MACOSX/");
                let places: Vec<usize> = archive
                    .entries
                    .iter()
                    .enumerate()
                    .filter(|(_, entry)| is_file(&entry.name))
                    .map(|(place, _)| place)
                    .collect();
                let [place] = places[..] else {
                    return Err(Error::NotOneFile { files: places.len() });
                };
                self.text(archive.read(place)?)
            }
            [0xd0, 0xcf, 0x11, 0xe0, ..] => Err(Error::OldSpreadsheet),
            [0x1f, 0x8b, ..] => {
                let unpacked = MultiGzDecoder::new(BufReader::with_capacity(1 << 17, file));
                let read = self.text(Capped::new(unpacked, self.options.bounds));
                read.map_err(|error| match error {
                    Error::Io(cause) if !is_beyond(&cause) => Error::BrokenGzip(cause),
                    other => other,
                })
            }
            _ => self.text(Capped::new(file, self.options.bounds)),
        }
    }

    fn text(&mut self, bytes: impl Read) -> Result<(), Error> {
        let mut bytes = decoded(bytes)?;
        match bytes.fill_buf()?.trim_ascii_start().first() {
            Some(b'{') => self.json_lines(bytes)?,
            Some(b'[') => self.json(bytes)?,
            _ => self.csv(bytes)?,
        }
        self.decide()
    }

    fn csv(&mut self, bytes: Box<dyn BufRead + '_>) -> Result<(), Error> {
        let mut lines = Lines::of(bytes).at_most(self.options.bounds.lines);
        let header = loop {
            match lines.next()? {
                None => return Err(Error::Empty),
                Some(line) if line.text.trim().is_empty() => {}
                Some(line) => break line,
            }
        };
        let delimiter = crate::read::delimiter_of(&header.text);
        let names = fields(&header.text, delimiter);
        let mut folded = HashSet::new();
        if let Some(twice) = names
            .iter()
            .find(|name| !folded.insert(fold(name)) && !name.is_empty())
        {
            return Err(Error::Twice {
                line: header.number,
                header: twice.clone(),
            });
        }
        while let Some(line) = lines.next()? {
            if line.text.trim().is_empty() {
                continue;
            }
            let cells = fields(&line.text, delimiter);
            if cells.len() > names.len() {
                self.found.read += 1;
                self.found.refused.count(line.number, Reason::Fields);
                continue;
            }
            let cells = cells.into_iter().map(Value::String);
            self.row(line.number, names.iter().cloned().zip(cells).collect())?;
        }
        Ok(())
    }

    /// Lines that are objects each; a file whose first line is none is one document.
    fn json_lines(&mut self, bytes: impl BufRead) -> Result<(), Error> {
        let mut lines = JsonLines::new(bytes);
        let ordinary = |_: &[u8]| JsonLines::<&[u8]>::ORDINARY;
        let is_first = |line: u64| line == 1;
        loop {
            let line = match lines.next(ordinary) {
                Ok(Some(line)) => line.to_owned(),
                Ok(None) => return Ok(()),
                Err(LineFault::Io(cause)) => return Err(cause.into()),
                Err(LineFault::NotText { line }) => return Err(Error::NotText { line }),
                // A document on one line is read row by row.
                Err(LineFault::TooLong { line, .. } | LineFault::TooManyValues { line, .. })
                    if is_first(line) =>
                {
                    let (start, bytes) = lines.into_parts();
                    return self.json(io::Cursor::new(start).chain(bytes));
                }
                Err(_) => return Err(Error::LongLine { line: lines.number() }),
            };
            let number = lines.number();
            if self.options.bounds.lines.is_some_and(|most| number > most) {
                let most = usize::try_from(number).unwrap_or(usize::MAX);
                return Err(Error::TooManyRows { most });
            }
            if line.trim().is_empty() {
                continue;
            }
            match serde_json::from_str::<KnownMembers>(&line) {
                Ok(KnownMembers(value)) => self.value(number, value)?,
                Err(_) if is_first(number) => {
                    let (_, bytes) = lines.into_parts();
                    return self.json(io::Cursor::new(line).chain(bytes));
                }
                Err(cause) => return Err(Error::Json { row: number, cause }),
            }
        }
    }

    /// Takes a line as a row, or the rows in its list.
    fn value(&mut self, line: u64, value: Value) -> Result<(), Error> {
        for row in rows_of_value(value) {
            self.row_of(line, row)?;
        }
        Ok(())
    }

    /// Reads a document: rows in an array, or in a member that holds one. Their number stands for the line.
    fn json(&mut self, bytes: impl Read) -> Result<(), Error> {
        let mut number = 0;
        let mut failed = None;
        let since = Cell::new(0);
        let mut each = |row: Value| {
            number += 1;
            since.set(0);
            self.row_of(number, row)
                .map_err(|error| failed = Some(error))
                .is_ok()
        };
        let bounded = RowBound { bytes, since: &since };
        let mut document = serde_json::Deserializer::from_reader(bounded);
        let read = Document(&mut each).deserialize(&mut document);
        let read = read.and_then(|()| document.end());
        if let Some(error) = failed {
            return Err(error);
        }
        read.map_err(|cause| match cause.io_error_kind() {
            Some(kind) => Error::Io(io::Error::new(kind, cause)),
            None => Error::Json {
                row: number + 1,
                cause,
            },
        })
    }

    fn row_of(&mut self, line: u64, row: Value) -> Result<(), Error> {
        match row {
            Value::Object(row) => self.row(line, row),
            _ => {
                self.found.read += 1;
                self.found.refused.count(line, Reason::NoQuestion);
                Ok(())
            }
        }
    }

    /// Takes a row: a question, an answer to one, or a rival.
    fn row(&mut self, line: u64, row: Map<String, Value>) -> Result<(), Error> {
        for name in row.keys() {
            if !self.headers.contains(name) && self.headers.len() < MOST_HEADERS {
                self.headers.push(name.clone());
            }
        }
        let found = &mut self.found;
        found.read += 1;
        let mut by_meaning: HashMap<&str, (usize, &Value)> = HashMap::new();
        let mut sources: Vec<String> = Vec::new();
        for (name, value) in &row {
            if let Some((meaning, rank)) = meaning(name) {
                let known = by_meaning.entry(meaning).or_insert((rank, value));
                let is_empty = text_of(known.1).is_none() && list_of(known.1).is_empty();
                if rank < known.0 || is_empty {
                    *known = (rank, value);
                }
                if meaning == "sources" {
                    sources.extend(list_of(value));
                }
            }
        }
        // A text beside a question is its answer, and alone a question.
        if let Some(text) = by_meaning.remove("text") {
            let meaning = if by_meaning.contains_key("question") {
                "answer"
            } else {
                "question"
            };
            by_meaning.entry(meaning).or_insert(text);
        }
        let text = |meaning: &str| by_meaning.get(meaning).and_then(|(_, value)| text_of(value));
        let list = |meaning: &str| {
            let found = by_meaning.get(meaning);
            found.map(|(_, value)| list_of(value)).unwrap_or_default()
        };
        let Some(question) = text("question") else {
            let Some(name) = text("name") else {
                found.refused.count(line, Reason::NoQuestion);
                return Ok(());
            };
            if is_formula(&name) {
                found.refused.count(line, Reason::Formula);
            } else if text("own").is_some_and(|own| is_yes(&own) == Some(true)) {
                found.own.insert(name);
            } else {
                found.rivals.entry(name).or_default().extend(list("domains"));
            }
            return Ok(());
        };
        let is_inactive = text("state").is_some_and(|state| {
            let states = [
                "inactive", "paused", "archived", "disabled", "deleted", "stopped", "false",
            ];
            states.contains(&state.to_lowercase().as_str())
        });
        if is_inactive && text("answer").is_none() {
            found.refused.count(line, Reason::Inactive);
            return Ok(());
        }
        found.own.extend(text("own_name"));
        if is_formula(&question) {
            found.refused.count(line, Reason::Formula);
            return Ok(());
        }
        let place = text("place");
        let key = format!(
            "{}\u{1f}{}",
            question.to_lowercase(),
            place.as_deref().unwrap_or_default()
        );
        if !self.known.contains(&key) {
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
                found.refused.count(line, Reason::QuestionInvalid);
                return Ok(());
            };
            if found.questions.len() >= MOST_QUESTIONS {
                found.refused.count(line, Reason::OverCapacity);
                return Ok(());
            }
            found.questions.push(question);
            self.known.insert(key);
        }
        for rival in list("rivals").into_iter().filter(|rival| !is_formula(rival)) {
            found.rivals.entry(rival).or_default();
        }
        let brands: Vec<String> = list("brands")
            .into_iter()
            .filter(|brand| !is_formula(brand))
            .collect();
        let rank = text("rank").and_then(|rank| rank.trim_start_matches('#').parse().ok());
        let has_own = text("mentioned").and_then(|word| is_yes(&word));
        self.named.count(brands, has_own, rank);
        let interface = text("interface");
        let source = interface.or_else(|| text("model")).unwrap_or_default();
        let (Some(date), answer) = (text("date"), text("answer")) else {
            // A question without a day has no history, unless its answer is there.
            if text("answer").is_some() {
                found.refused.count(line, Reason::Date);
            }
            return Ok(());
        };
        let Some(date) = RawDate::parse(&date) else {
            found.refused.count(line, Reason::Date);
            return Ok(());
        };
        match date.order() {
            Some(Order::MonthFirst) => drop(self.orders[0].get_or_insert(line)),
            Some(Order::DayFirst) => drop(self.orders[1].get_or_insert(line)),
            None => {}
        }
        if let [Some(month_first), Some(day_first)] = self.orders {
            return Err(Error::TwoOrders {
                month_first,
                day_first,
            });
        }
        let Some(answer) = answer else {
            found.refused.count(line, Reason::NoAnswer);
            return Ok(());
        };
        if answer.len() > LONGEST_ANSWER || answer.contains('\0') || source.chars().count() > LONGEST_NAME {
            found.refused.count(line, Reason::TooLong);
            return Ok(());
        }
        let mut given = HashSet::new();
        sources.retain(|source| given.insert(source.clone()));
        let all = sources.len();
        sources.retain(|source| source.len() <= 4_096);
        sources.truncate(200);
        found.sources_left_out += (all - sources.len()) as u64;
        let Some((sink, order)) = &mut self.sink else {
            if date.in_order(Order::MonthFirst) != date.in_order(Order::DayFirst) {
                self.undecided.push((line, date));
            } else if !found.dated(line, date.in_order(Order::MonthFirst), self.options.until) {
                return Ok(());
            }
            found.answers += 1;
            *found.sources.entry(source).or_default() += 1;
            return Ok(());
        };
        let day = date.in_order(order.unwrap_or(Order::MonthFirst));
        let Some(day) = day.filter(|day| self.options.until.is_none_or(|until| *day <= until)) else {
            return Ok(());
        };
        sink(PastAnswer {
            line,
            day,
            source,
            question,
            answer,
            sources,
            place,
            language: text("language"),
            captured_by: text("captured"),
        })
    }

    /// Reads the dates that had two readings, in the order that the others have.
    fn decide(&mut self) -> Result<(), Error> {
        let order = match self.orders {
            [Some(_), None] => Some(Order::MonthFirst),
            [None, Some(_)] => Some(Order::DayFirst),
            _ => None,
        };
        self.found.order = order;
        for (line, date) in std::mem::take(&mut self.undecided) {
            let Some(order) = order else {
                return Err(Error::UnknownOrder { line });
            };
            if !self.found.dated(line, date.in_order(order), self.options.until) {
                self.found.answers -= 1;
            }
        }
        Ok(())
    }
}

impl MoveIn {
    /// Counts a day of an answer. Returns whether it is one.
    fn dated(&mut self, line: u64, day: Option<Date>, until: Option<Date>) -> bool {
        let Some(day) = day.filter(|day| until.is_none_or(|until| *day <= until)) else {
            self.refused.count(line, Reason::Date);
            return false;
        };
        let (first, last) = self.days.unwrap_or((day, day));
        self.days = Some((first.min(day), last.max(day)));
        true
    }
}

/// Whether a spreadsheet would compute it.
fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '@'])
}

/// Whether a cell says yes; `None` for other words.
fn is_yes(word: &str) -> Option<bool> {
    match word.to_lowercase().as_str() {
        "yes" | "true" | "1" => Some(true),
        "no" | "false" | "0" => Some(false),
        _ => None,
    }
}

/// Passes a document's bytes on, and fails where a row is longer than a line may be.
struct RowBound<'a, R> {
    bytes: R,
    since: &'a Cell<usize>,
}

impl<R: Read> Read for RowBound<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        let since = self.since.get() + count;
        self.since.set(since);
        match since > JsonLines::<&[u8]>::ORDINARY {
            true => Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                "a row is longer than 1 MiB",
            )),
            false => Ok(count),
        }
    }
}

/// A value of which only members that mean something are built; the others are named.
struct KnownMembers(Value);

impl<'de> serde::Deserialize<'de> for KnownMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Row;
        impl<'de> Visitor<'de> for Row {
            type Value = Value;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a row")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
                let mut row = Map::new();
                while let Some(name) = members.next_key::<String>()? {
                    let is_known =
                        meaning(&name).is_some() || LISTS.contains(&name.as_str()) || name == "columns";
                    let value = match is_known {
                        true => members.next_value()?,
                        false => members.next_value::<IgnoredAny>().map(|_| Value::Null)?,
                    };
                    row.insert(name, value);
                }
                Ok(Value::Object(row))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut cells: A) -> Result<Value, A::Error> {
                let mut row = Vec::new();
                while let Some(cell) = cells.next_element()? {
                    row.push(cell);
                }
                Ok(Value::Array(row))
            }

            fn visit_str<E>(self, text: &str) -> Result<Value, E> {
                Ok(text.into())
            }

            fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
                Ok(Value::Null)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
                Ok(Value::Null)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
                Ok(Value::Null)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
                Ok(Value::Null)
            }

            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }
        }
        deserializer.deserialize_any(Row).map(Self)
    }
}

/// A JSON document whose rows are given on one by one; `false` ends the reading.
struct Document<'a>(&'a mut dyn FnMut(Value) -> bool);

/// Reads rows in a list, with their columns' names where rows are lists.
struct List<'a, 'b>(&'a mut Document<'b>, &'a [String]);

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, document: D) -> Result<(), D::Error> {
        document.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, rows: A) -> Result<(), A::Error> {
        List(&mut self, &[]).visit_seq(rows)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        let mut names: Vec<String> = Vec::new();
        let mut rest = Map::new();
        let mut has_list = false;
        while let Some(name) = members.next_key::<String>()? {
            if name == "columns" {
                let columns: Value = members.next_value()?;
                names.extend(columns.as_array().into_iter().flatten().filter_map(text_of));
            } else if LISTS.contains(&name.as_str()) {
                has_list = true;
                members.next_value_seed(List(&mut self, &names))?;
            } else {
                let KnownMembers(value) = members.next_value()?;
                rest.insert(name, value);
            }
        }
        if !has_list {
            (self.0)(Value::Object(rest));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for List<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, list: D) -> Result<(), D::Error> {
        list.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        while let Some(KnownMembers(row)) = rows.next_element()? {
            if !(self.0.0)(named(row, self.1)) {
                return Err(serde::de::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

/// A row that is a list of cells as an object.
fn named(row: Value, names: &[String]) -> Value {
    match row {
        Value::Array(cells) if !names.is_empty() => Value::Object(names.iter().cloned().zip(cells).collect()),
        other => other,
    }
}

fn rows_of_value(value: Value) -> Vec<Value> {
    let Value::Object(members) = &value else {
        return vec![value];
    };
    let mut rows = Vec::new();
    let names = members.get("columns").and_then(Value::as_array);
    let names: Vec<String> = names.into_iter().flatten().filter_map(text_of).collect();
    for list in LISTS.iter().filter_map(|list| members.get(*list)?.as_array()) {
        rows.extend(list.iter().map(|row| named(row.clone(), &names)));
    }
    match rows.is_empty() {
        true => vec![value],
        false => rows,
    }
}

/// A list, also in one text between commas, semicolons, bars or line ends.
fn list_of(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().filter_map(text_of_source).collect(),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Array(values)) => values.iter().filter_map(text_of_source).collect(),
            _ => text
                .split([',', ';', '|', '\n'])
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

#[cfg(test)]
mod tests {
    use super::{MoveIn, MoveInOptions, PastAnswer, each_answer};
    use crate::archive::Bounds;
    use crate::read::Error;
    use crate::refused::Reason;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use jiff::civil::date;
    use proptest::prelude::*;
    use std::io::{Cursor, Write as _};

    fn try_read(bytes: &[u8]) -> Result<MoveIn, Error> {
        MoveIn::read(&mut Cursor::new(bytes), &MoveInOptions::default())
    }

    fn read(text: &str) -> MoveIn {
        try_read(text.as_bytes()).unwrap()
    }

    fn answers(bytes: &[u8]) -> Vec<PastAnswer> {
        let (options, mut file) = (MoveInOptions::default(), Cursor::new(bytes));
        let found = MoveIn::read(&mut file, &options).unwrap();
        let mut all = Vec::new();
        let mut each = |answer| {
            all.push(answer);
            Ok::<_, Error>(())
        };
        each_answer(&mut file, &options, &found, &mut each).unwrap();
        assert_eq!(found.answers, all.len() as u64);
        all
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
                0,
            ),
            (
                "profound",
                r#"{"info": {"count": 1}, "data": [{"run_id": "r", "date": "2026-06-19", "model": {"id": "m", "name": "ChatGPT"}, "topic": "Plumbing", "region": "United Kingdom", "persona": null, "tags": ["x"], "prompt": "best plumber?", "response": "Aire.", "mentions": ["Aire"], "citations": ["https://a.example/"], "search_queries": []}]}"#,
                1,
                0,
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
                0,
            ),
            (
                "llm-pulse",
                "prompt,prompt_type,brand_kind,country_code,language_code\nbest plumber?,commercial,brand_other,GB,en\n",
                1,
                0,
                0,
            ),
            (
                "athena",
                r#"{"responses": [{"id": "r", "website_id": "w", "prompt_id": "p", "base_prompt": "plumber?", "prompt": "best plumber?", "model": "chatgpt", "response": "Aire.", "mentioned": true, "cited": true, "created_at": "2026-06-15T10:30:00.000Z", "sources": [{"url": "a.example/x", "root_domain": "a.example"}], "competitors": [{"id": "c", "name": "PipeWise", "url": "pipewise.example", "position": 1}], "position": 2}]}"#,
                1,
                1,
                1,
            ),
            (
                "brand-radar",
                r#"{"ai_responses": [{"country": "gb", "data_source": "chatgpt", "last_updated": "2026-06-15", "links": ["https://a.example/"], "question": "best plumber?", "response": "Aire.", "search_queries": [], "volume": 10}]}"#,
                1,
                0,
                1,
            ),
            (
                "captures",
                "day,interface,question,answer,cited urls,place,language,captured by\n2026-08-01,ChatGPT,best plumber?,Aire.,https://a.example/,Leeds,en,ada\n",
                1,
                0,
                1,
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
                    found.answers
                ),
                (tool, questions, rivals, history),
                "{file}"
            );
            // A day without the text of an answer is counted, and only that.
            let metrics = found.refused.counts.get(&Reason::NoAnswer).copied();
            assert_eq!(found.refused.total(), metrics.unwrap_or(0), "{file}");
        }
    }

    #[test]
    fn the_own_brand_is_no_rival() {
        let rivals = |found: &MoveIn| found.rivals.keys().cloned().collect::<Vec<_>>();
        // Rows that name the own brand, and rows that do not, tell it.
        let found = read(
            "prompt,date,response,mentions,mentioned?\nbest plumber?,2026-02-03,A,\"Aire, Brightspoke\",Yes\nbest plumber?,2026-02-04,A,Aire,No\n",
        );
        assert_eq!((rivals(&found), found.own.len()), (vec!["Aire".to_owned()], 1));
        // So does its place among the names.
        let found = read(
            "query_text,brands_mentioned,brand_rank,brand_mentioned\nbest plumber?,\"Aire, Brightspoke\",2,true\n",
        );
        assert_eq!(rivals(&found), ["Aire"]);
        // Nothing tells it: no name is a rival, until the website is known.
        let text = "prompt,status,mentions\nbest plumber?,active,\"Aire, Bright Spoke Ltd\"\nold question?,inactive,\n";
        let mut found = read(text);
        assert_eq!(
            (rivals(&found).len(), found.brands.len(), found.questions.len()),
            (0, 2, 1)
        );
        assert_eq!(found.refused.counts[&Reason::Inactive], 1);
        found.know(&"brightspoke.example".parse().unwrap());
        assert_eq!((rivals(&found), found.brands.len()), (vec!["Aire".to_owned()], 0));
    }

    #[test]
    fn conversations_and_numbered_sources_are_read() {
        let found = answers(
            br#"{"id": "t", "timestamp": "2026-08-03T10:00:00Z", "name": "trace", "input": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "best plumber?"}], "output": {"role": "assistant", "content": "Aire."}}
"#,
        );
        assert_eq!(
            (found[0].question.as_str(), found[0].answer.as_str()),
            ("best plumber?", "Aire.")
        );
        let sources: String = (1..=48).map(|n| format!(",citation_{n}")).collect();
        let cells: String = (1..=48).map(|n| format!(",https://{n}.example/")).collect();
        let found = answers(
            format!("prompt,date,response{sources}\nbest plumber?,2026-02-03,Aire.{cells}\n").as_bytes(),
        );
        assert_eq!(found[0].sources.len(), 48);
        let found = answers(b"query\tai_engine\ttimestamp\tresult_text\tbrand_citations\tother_citations\nbest plumber?\tChatGPT\t2026-08-03 10:00:00\t\"Aire.\nMore\"\thttps://a.example/\thttps://b.example/,https://c.example/\n");
        assert_eq!((found[0].source.as_str(), found[0].sources.len()), ("ChatGPT", 3));
    }

    #[test]
    fn rows_of_documents_are_bounded() {
        let row = format!(
            r#"{{"question": "best plumber?", "other": [{}0]}}"#,
            "0,".repeat(600_000)
        );
        for text in [format!("[{row}]"), format!("{{\"data\": [{row}]}}")] {
            let error = try_read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("cannot be read"), "{error}");
        }
        let error = try_read(format!("{{\"question\": \"q?\"}}\n{row}\n").as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.contains("line 2"), "{error}");
    }

    #[test]
    fn every_row_is_counted() {
        let many: String = (0..310)
            .map(|n| format!("who is plumber number {n}?,2026-08-01,Aire.\n"))
            .collect();
        let found = read(&format!(
            "question,date,answer\n,2026-08-01,a\n=1+1,,\nwho is plumber number 1?,someday,a\nwho is plumber number 1?,2026-08-01,\na,b,c,d\n{many}"
        ));
        assert_eq!(
            (found.read, found.questions.len(), found.answers),
            (315, 300, 300)
        );
        let count = |reason| found.refused.counts.get(&reason).copied().unwrap_or(0);
        for reason in [
            Reason::NoQuestion,
            Reason::Formula,
            Reason::Date,
            Reason::NoAnswer,
            Reason::Fields,
        ] {
            assert_eq!(count(reason), 1, "{reason:?}");
        }
        assert_eq!(count(Reason::OverCapacity), 10);
        let line = found
            .refused
            .first
            .iter()
            .find(|line| line.reason == Reason::Date);
        assert_eq!(line.unwrap().line, 4);
    }

    #[test]
    fn answers_are_read_in_every_form() {
        let csv = "question,model,date,answer,sources\nbest plumber?,gpt,31/8/2026,\"Aire,\nof Leeds\",https://a.example/|https://b.example/\nbest plumber?,,1/8/2026,Bolt.,\n";
        let found = answers(csv.as_bytes());
        assert_eq!(
            (found[0].day, found[1].day),
            (date(2026, 8, 31), date(2026, 8, 1))
        );
        assert_eq!(
            (found[0].source.as_str(), found[1].source.as_str()),
            ("gpt", "generic")
        );
        assert_eq!(
            (found[0].answer.as_str(), found[0].sources.len()),
            ("Aire,\nof Leeds", 2)
        );
        assert_eq!((found[0].line, found[1].line), (2, 4));
        let row = r#"{"question": "best plumber?", "date": "2026-08-01", "answer": "Aire.", "model": "gpt"}"#;
        let utf16: Vec<u8> = csv.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(csv.as_bytes()).unwrap();
        for (bytes, count) in [
            (utf16, 2),
            (packed.finish().unwrap(), 2),
            (format!("{row}\n\n{row}\n").into_bytes(), 2),
            (format!("\u{feff}[{row},\n{row}]").into_bytes(), 2),
            (format!("{{\"info\": {{}},\n\"data\": [{row}]}}").into_bytes(), 1),
            (
                br#"{"columns": ["question", "date", "answer"], "rows": [["q plumber?", "2026-08-01", "a"]]}"#.to_vec(),
                1,
            ),
        ] {
            assert_eq!(answers(&bytes).len(), count);
        }
    }

    #[test]
    fn what_cannot_be_understood_names_its_line() {
        let error = |text: &str| try_read(text.as_bytes()).unwrap_err().to_string();
        for (file, wanted) in [
            (
                "question,date,answer\nq plumber?,8/31/2026,a\nq plumber?,31/8/2026,a\n",
                "line 2, and the day in line 3",
            ),
            (
                "question,date,answer\nq plumber?,3/4/2026,a\n",
                "the date in line 2",
            ),
            ("question,answer,Question\nq,a,q\n", "\"Question\" twice"),
            (
                "prompt,prompt_type,brand_kind,prompt_text,est_volume\nq,a,b,c,d\n",
                "llm-pulse and of ansvisor",
            ),
            ("question,answer\n\"q,a\n", "the quote that opens in line 2"),
            ("question,answer\nq\0,a\n", "line 2 is not text"),
            (
                "{\"question\": \"q plumber?\"}\n{\"question\": \n",
                "row 2 is not JSON",
            ),
            ("[{\"question\": \"q plumber?\"}, nope]", "row 2 is not JSON"),
        ] {
            assert!(error(file).contains(wanted), "{file}: {}", error(file));
        }
    }

    #[test]
    fn a_bomb_ends_at_the_bound() {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(b"question,answer\n").unwrap();
        for _ in 0..20_000 {
            packed.write_all(b"who is the best plumber?,\n").unwrap();
        }
        let packed = packed.finish().unwrap();
        let options = MoveInOptions {
            bounds: Bounds {
                bytes: Some(100_000),
                ..Bounds::default()
            },
            ..MoveInOptions::default()
        };
        let error = MoveIn::read(&mut Cursor::new(&packed), &options).unwrap_err();
        assert!(
            matches!(&error, Error::Io(cause) if cause.to_string().contains("unpacks to more")),
            "{error:?}"
        );
        assert_eq!(try_read(&packed).unwrap().read, 20_000);
    }

    #[test]
    fn a_market_is_the_place_of_all_questions() {
        let found = read("question,country,language\nq plumber?,GB,en\nbest one?,GB,en\n");
        assert_eq!(found.market(), Some(("GB".to_owned(), Some("en".to_owned()))));
        assert_eq!(
            read("question,country\nq plumber?,GB\nbest one?,FR\n").market(),
            None
        );
        assert_eq!(read("question\nq plumber?\n").market(), None);
    }

    #[test]
    fn a_file_without_questions_names_its_columns() {
        let error = try_read(b"Alpha,Beta\n1,2\n").unwrap_err().to_string();
        assert!(error.contains("Alpha, Beta"), "{error}");
        assert!(try_read(b"").is_err() && try_read(b"{").is_err() && try_read(b"[]").is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_stop_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "[{\\[\"a-z:,\\]} ]{0,80}") {
            let _ = (try_read(&bytes), try_read(text.as_bytes()));
        }
    }
}
