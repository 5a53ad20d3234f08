//! Access logs: fetches by AI programs and visits from assistants, by day and page. Nothing else is kept from a line.

use crate::archive::Bounds;
use crate::bots::{BOTS, BotKind, assistant, bot_of, has_trace};
use crate::columns::lines;
use crate::formats::Format;
use crate::lines::Lines;
use crate::log_line::{self, MEMBERS, Request, combined, json, of_members};
use crate::page::key_of;
use crate::read::{Error, Options, fields};
use crate::refused::{Reason, RefusedRows};
use crate::row::{Measure, Period, Row, RowSet, Source, Subject};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::HashSet;
use std::hash::Hasher;
use std::io::{BufRead, Read};
use std::sync::LazyLock;
use url::Url;

/// Longest line in bytes: servers take addresses and headers of 8 to 16 KB each.
const LONGEST: usize = 64 << 10;
/// Most different pages; fetches of others count for the website alone.
const MOST_PAGES: usize = 100_000;
/// Finds words of one kind in the list of what is no page.
fn no_pages(kind: &str) -> HashSet<&'static str> {
    lines(include_str!("../data/no_pages.txt"))
        .filter_map(|line| line.split_once('\t'))
        .filter(|(known, _)| *known == kind)
        .flat_map(|(_, words)| words.split(' '))
        .collect()
}

static ENDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| no_pages("end"));
static STARTS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| no_pages("start"));
static NETWORKS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| no_pages("network"));

/// What a log held.
#[derive(Debug, Default)]
pub(crate) struct LogReading {
    pub(crate) rows: RowSet,
    pub(crate) refused: RefusedRows,
    pub(crate) lines: u64,
    /// Lines that are counted in rows.
    pub(crate) counted: u64,
    /// Fetches that the server did not answer with the page, by program.
    pub(crate) unserved: Vec<(&'static str, u64)>,
    /// Fetches of what is no page: files beside pages, robots.txt, sitemaps.
    pub(crate) files: u64,
    /// Fetches and visits whose page is not kept.
    pub(crate) pageless: u64,
    /// The first and the last second.
    pub(crate) span: Option<(i64, i64)>,
    /// Equal for equal content.
    pub(crate) digest: u64,
}

/// Reads a log in one of its forms.
pub(crate) fn read(bytes: impl BufRead, format: Format, options: &Options) -> Result<LogReading, Error> {
    let mut counter = Counter::new(options);
    match format {
        Format::LogpushCsv => read_table(bytes, &mut counter)?,
        Format::JsonLines => each_line(bytes, |line| counter.take(line, json_with_trace))?,
        Format::W3c => {
            let mut fields = Vec::new();
            each_line(bytes, |line| {
                counter.take(line, |line| log_line::w3c(line, &mut fields))
            })?;
        }
        Format::Alb => each_line(bytes, |line| {
            counter.take(line, |line| log_line::alb(line).map(Some))
        })?,
        Format::Haproxy => each_line(bytes, |line| {
            counter.take(line, |line| log_line::haproxy(line).map(Some))
        })?,
        _ => each_line(bytes, |line| counter.take(line, |line| combined(line).map(Some)))?,
    }
    Ok(counter.finish())
}

/// Tells which log may begin with this line.
pub(crate) fn form_of(line: &[u8]) -> Option<Format> {
    let has = |sign: &[u8]| memchr::memmem::find(line, sign).is_some();
    if line.starts_with(b"#Fields:") && has(b"cs(User-Agent)") {
        Some(Format::W3c)
    } else if line.starts_with(b"{") {
        json(line).map(|_| Format::JsonLines)
    } else if has(b"ClientRequestUserAgent") {
        Some(Format::LogpushCsv)
    } else if combined(line).is_some() {
        Some(Format::Combined)
    } else if log_line::alb(line).is_some() {
        Some(Format::Alb)
    } else {
        log_line::haproxy(line).map(|_| Format::Haproxy)
    }
}

/// JSON is read only where it may matter: `Some(None)` for other objects.
fn json_with_trace(line: &[u8]) -> Option<Option<Request<'_>>> {
    if has_trace(line) {
        json(line).map(Some)
    } else {
        (line.first() == Some(&b'{') && line.last() == Some(&b'}')).then_some(None)
    }
}

/// Passes every line without its end; `None` for one that is too long.
fn each_line(
    mut bytes: impl BufRead,
    mut each: impl FnMut(Option<&[u8]>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut carried: Vec<u8> = Vec::new();
    let mut is_long = false;
    loop {
        let buffer = bytes.fill_buf()?;
        if buffer.is_empty() {
            if is_long || !carried.is_empty() {
                each((!is_long).then_some(&carried))?;
            }
            return Ok(());
        }
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', buffer) {
            let line = buffer.get(start..end).unwrap_or_default();
            start = end + 1;
            if carried.is_empty() && !is_long {
                each((line.len() <= LONGEST).then_some(line))?;
                continue;
            }
            is_long |= carried.len() + line.len() > LONGEST;
            if !is_long {
                carried.extend_from_slice(line);
            }
            each((!is_long).then_some(&carried))?;
            carried.clear();
            is_long = false;
        }
        let rest = buffer.get(start..).unwrap_or_default();
        is_long |= carried.len() + rest.len() > LONGEST;
        if is_long {
            carried.clear();
        } else {
            carried.extend_from_slice(rest);
        }
        let read = buffer.len();
        bytes.consume(read);
    }
}

/// Logpush as CSV.
fn read_table(bytes: impl Read, counter: &mut Counter<'_>) -> Result<(), Error> {
    let mut lines = Lines::new(bytes)?.at_most(counter.options.bounds.lines);
    let header = match lines.next()? {
        Some(line) => fields(&line.text, ','),
        None => Vec::new(),
    };
    while let Some(line) = lines.next()? {
        counter.start(Some(line.text.as_bytes()))?;
        let cells = fields(&line.text, ',');
        let find = |meaning: &str| {
            let names = MEMBERS.get(meaning)?;
            let place = names
                .written
                .iter()
                .find_map(|name| header.iter().position(|known| known == name))?;
            cells.get(place).filter(|cell| !cell.is_empty()).cloned()
        };
        match of_members(find) {
            Some(request) => counter.count(&request),
            None => counter.reading.refused.count(line.number, Reason::NotALogLine),
        }
    }
    Ok(())
}

/// A number of a page; no page is kept under the last one.
const NO_PAGE: u32 = u32::MAX;

struct Counter<'a> {
    options: &'a Options,
    pages: FxHashMap<String, u32>,
    /// Counts by day, measure, program or assistant, and page.
    counts: FxHashMap<(i64, Measure, &'static str, u32), u64>,
    unserved: FxHashMap<&'static str, u64>,
    reading: LogReading,
    hasher: FxHasher,
}

impl<'a> Counter<'a> {
    fn new(options: &'a Options) -> Self {
        Self {
            options,
            pages: FxHashMap::default(),
            counts: FxHashMap::default(),
            unserved: FxHashMap::default(),
            reading: LogReading::default(),
            hasher: FxHasher::default(),
        }
    }

    /// Counts a line, and ends the reading at a bound: what is counted is held.
    fn start(&mut self, line: Option<&[u8]>) -> Result<(), Error> {
        self.reading.lines += 1;
        self.hasher.write(line.unwrap_or_default());
        let Bounds { lines, rows, .. } = self.options.bounds;
        if let Some(most) = lines.filter(|most| self.reading.lines > *most) {
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            return Err(Error::TooManyRows { most });
        }
        match rows.filter(|most| self.counts.len() > *most) {
            Some(most) => Err(Error::TooManyRows { most }),
            None => Ok(()),
        }
    }

    fn take<'l>(
        &mut self,
        line: Option<&'l [u8]>,
        parse: impl FnOnce(&'l [u8]) -> Option<Option<Request<'l>>>,
    ) -> Result<(), Error> {
        self.start(line)?;
        let line = line.map(<[u8]>::trim_ascii);
        match line.map(|line| (line.is_empty(), line)) {
            None => self.reading.refused.count(self.reading.lines, Reason::TooLong),
            Some((true, _)) => {}
            Some((false, line)) => match parse(line) {
                Some(Some(request)) => self.count(&request),
                Some(None) => {}
                None => self
                    .reading
                    .refused
                    .count(self.reading.lines, Reason::NotALogLine),
            },
        }
        Ok(())
    }

    fn count(&mut self, request: &Request<'_>) {
        let (first, last) = self.reading.span.unwrap_or((request.time, request.time));
        self.reading.span = Some((first.min(request.time), last.max(request.time)));
        let bot = bot_of(&request.agent);
        let found = match bot {
            Some(bot) => BOTS.get(bot).map(|known| known.name),
            None => visitor_of(request),
        };
        let Some(by) = found else { return };
        let domain = &self.options.domain;
        let (host, target) = request.host_and_target();
        // Names of a delivery network say nothing about the website behind them.
        let host = host.filter(|host| !NETWORKS.iter().any(|network| host.ends_with(network)));
        if host.is_some_and(|host| !domain.covers(host)) {
            return self
                .reading
                .refused
                .count(self.reading.lines, Reason::OtherWebsite);
        }
        if request.method != "GET" || target.is_empty() {
            return;
        }
        let measure = match bot {
            None => Measure::Visits,
            Some(bot) => {
                let held = request
                    .sender(&self.options.proxies)
                    .and_then(|address| self.options.ranges.holds(bot, address));
                match held {
                    Some(false) => return self.reading.refused.count(self.reading.lines, Reason::Forged),
                    held => match fetches(bot, held.is_some()) {
                        Some(measure) => measure,
                        None => {
                            self.reading.files += 1;
                            return;
                        }
                    },
                }
            }
        };
        let is_page = !is_asset(target);
        if !is_page || !matches!(request.status, 200..=299 | 304) {
            if bot.is_some() && is_page {
                *self.unserved.entry(by).or_default() += 1;
            }
            self.reading.files += u64::from(bot.is_some() && !is_page);
            return;
        }
        self.reading.counted += 1;
        let host = host.unwrap_or(domain.as_str());
        let page = self.page(&key_of(&host.to_ascii_lowercase(), target));
        let day = request.time.div_euclid(86_400);
        *self.counts.entry((day, measure, by, page)).or_default() += 1;
    }

    fn page(&mut self, key: &str) -> u32 {
        if let Some(known) = self.pages.get(key) {
            return *known;
        }
        let next = u32::try_from(self.pages.len()).unwrap_or(NO_PAGE);
        if self.pages.len() >= MOST_PAGES || key.len() > 2_048 {
            self.reading.pageless += 1;
            return NO_PAGE;
        }
        self.pages.insert(key.to_owned(), next);
        next
    }

    fn finish(self) -> LogReading {
        let as_of = self
            .reading
            .span
            .and_then(|(_, last)| day_of(last.div_euclid(86_400)));
        let mut keys: Vec<&str> = vec![""; self.pages.len()];
        for (key, number) in &self.pages {
            if let Some(place) = usize::try_from(*number)
                .ok()
                .and_then(|number| keys.get_mut(number))
            {
                *place = key;
            }
        }
        let mut rows = RowSet::default();
        for ((day, measure, by, page), count) in &self.counts {
            let Some(day) = day_of(*day) else { continue };
            let value = *count as f64;
            let row = |subject, by| Row {
                source: Source::AccessLog,
                period: Period::Day { day },
                subject,
                by,
                measure: *measure,
                value,
                as_of,
            };
            rows.add(row(None, Some((*by).to_owned())));
            let key = usize::try_from(*page).ok().and_then(|page| keys.get(page));
            if let Some(key) = key {
                rows.add(row(Some(Subject::Page((*key).to_owned())), None));
            }
        }
        let mut unserved: Vec<(&str, u64)> = self.unserved.into_iter().collect();
        unserved.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        LogReading {
            rows,
            unserved,
            digest: self.hasher.finish() ^ self.reading.lines,
            ..self.reading
        }
    }
}

fn fetches(bot: usize, is_verified: bool) -> Option<Measure> {
    let kind = BOTS.get(bot).map_or(BotKind::Training, |bot| bot.kind);
    Some(match (kind, is_verified) {
        (BotKind::User, true) => Measure::UserFetchesVerified,
        (BotKind::User, false) => Measure::UserFetchesClaimed,
        (BotKind::Search, true) => Measure::SearchFetchesVerified,
        (BotKind::Search, false) => Measure::SearchFetchesClaimed,
        (BotKind::Training, true) => Measure::TrainingFetchesVerified,
        (BotKind::Training, false) => Measure::TrainingFetchesClaimed,
        (BotKind::Other, _) => return None,
    })
}

/// The assistant that sent a visitor: the referring page, or the source that it writes into addresses.
fn visitor_of(request: &Request<'_>) -> Option<&'static str> {
    let referrer = std::str::from_utf8(&request.referrer).unwrap_or_default();
    if referrer.len() > 1 && has_trace(referrer.as_bytes()) {
        let url = Url::parse(referrer).ok()?;
        return assistant(url.host_str()?);
    }
    let source = request.target.split_once("utm_source=")?.1;
    assistant(source.split(['&', '#']).next()?)
}

fn is_asset(target: &str) -> bool {
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let end = path.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
    STARTS.iter().any(|start| path.starts_with(start)) || end.is_some_and(|end| ENDS.contains(end.as_str()))
}

/// Returns the date so many days after 1 January 1970, in UTC.
pub(crate) fn day_of(days: i64) -> Option<Date> {
    let time = Timestamp::UNIX_EPOCH.checked_add((24 * days).hours()).ok()?;
    Some(time.to_zoned(TimeZone::UTC).date())
}
