//! Everything the checks look at, read once.

use crate::authors::{self, FoundAuthor};
use crate::charset::{self, Decoded};
use crate::dates;
use crate::head::{self, Head};
use crate::html::{self, StopReason};
use crate::kind;
use crate::page::{Page, SiteFile};
use crate::reading::{self, PageReading};
use crate::robots::Robots;
use crate::signals::path_and_query;
use crate::signs::{self, Signs};
use crate::structured_items::{self, Structured};
use ibid_model::result::PageKind;
use jiff::civil::Date;
use url::Url;

/// A page, read.
pub(crate) struct Facts<'p> {
    pub(crate) page: &'p Page,
    pub(crate) charset: Charset,
    /// Whether text was dropped at the end, by the fetcher or while decoding.
    pub(crate) truncated: bool,
    /// Why the parser stopped before the end, if it did.
    pub(crate) stopped: Option<StopReason>,
    pub(crate) head: Head,
    pub(crate) reading: PageReading,
    pub(crate) structured: Structured,
    pub(crate) signs: Signs,
    pub(crate) robots: RobotsState,
    pub(crate) dates: Vec<FoundDate>,
    pub(crate) author: Option<FoundAuthor>,
    pub(crate) kind: PageKind,
    /// Day of the fetch.
    pub(crate) today: Date,
    /// Relative addresses are resolved against this.
    pub(crate) base: Option<Url>,
}

/// The decoding of the text.
pub(crate) struct Charset {
    pub(crate) name: &'static str,
    pub(crate) header: Option<String>,
    pub(crate) meta: Option<String>,
    pub(crate) agrees: bool,
    pub(crate) is_declared: bool,
    pub(crate) broken: usize,
}

/// The outcome of reading robots.txt.
pub(crate) enum RobotsState {
    /// The audit was not asked to read it.
    NotAsked,
    /// The file does not exist, according to this status: everything is allowed.
    NoFile(u16),
    /// The file could not be read.
    ///
    /// Agents treat this as a refusal.
    Unreachable(String),
    /// The file redirects in a circle.
    ///
    /// Agents differ in their reaction.
    Looping,
    /// A file, and whether it is HTML.
    File { robots: Box<Robots>, is_html: bool },
}

/// The event that a date describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateRole {
    Published,
    Modified,
    /// A day without an event, as in `dateCreated` or a meta element `date`.
    /// May be the day of publication, of a change or of the record.
    Dated,
    /// The folders of the address: `/2026/11/22/`.
    Address,
    /// A `time` element or another date without a role.
    Visible,
}

/// A date on the page.
#[derive(Clone, Debug)]
pub(crate) struct FoundDate {
    pub(crate) date: Date,
    pub(crate) role: DateRole,
    pub(crate) location: String,
}

impl<'p> Facts<'p> {
    /// Reads a page.
    pub(crate) fn read(page: &'p Page) -> Self {
        let decoded = charset::decode(page);
        let truncated = page.truncated || decoded.cut;
        let document = html::parse(&decoded.text);
        let charset = Charset::of(decoded);
        let head = head::read(&document, &page.headers);
        let structured = structured_items::read(&document);
        let title = head.title.as_ref().map(|(title, _)| title.as_str());
        let reading = reading::read(&document, title);
        let dates = find_dates(&head, &structured, &reading, page.url.as_ref());
        let author = authors::find(&head, &structured, &reading, page.url.as_ref());
        let (stopped, signs) = (document.stopped(), signs::read(&document));
        // The tree is the largest part of an audit, so it is freed before the small files are read.
        drop(document);
        let mut facts = Self {
            charset,
            truncated,
            stopped,
            base: head.base(page.url.as_ref()),
            signs,
            robots: RobotsState::of(&page.site.robots),
            today: page.fetched_at.to_zoned(jiff::tz::TimeZone::UTC).date(),
            page,
            head,
            reading,
            structured,
            dates,
            author,
            kind: PageKind::Other,
        };
        facts.kind = kind::of(&facts);
        facts
    }

    /// The address of the page, or else the one that it declares.
    pub(crate) fn address(&self) -> Option<Url> {
        let canonical = || self.head.links.iter().find(|link| link.is("canonical"));
        let declared = || {
            let href = canonical().map(|link| link.href.as_str());
            Url::parse(href.or_else(|| Some(self.head.meta(&["og:url"])?.content.as_str()))?).ok()
        };
        self.page.url.clone().or_else(declared)
    }

    /// Whether a meta element of this name has the value or a kind of it.
    pub(crate) fn declares(&self, name: &str, value: &str) -> bool {
        let meta = self.head.meta(&[name]);
        meta.is_some_and(|meta| meta.content.to_ascii_lowercase().contains(value))
    }

    /// The first telephone number that is linked.
    pub(crate) fn phone(&self) -> Option<&str> {
        let mut links = self.reading.links.iter();
        links.find_map(|link| link.href.trim().strip_prefix("tel:"))
    }

    /// Text and line of the heading that names the page.
    pub(crate) fn heading(&self) -> Option<(&str, u32)> {
        let heading = self.reading.headings.get(self.reading.title?)?;
        Some((&heading.text, heading.line))
    }

    /// The path and query that robots.txt is asked about.
    pub(crate) fn path(&self) -> String {
        self.page
            .url
            .as_ref()
            .map_or_else(|| "/".to_owned(), path_and_query)
    }

    /// An address of the page, made absolute.
    pub(crate) fn resolve(&self, href: &str) -> Option<Url> {
        match &self.base {
            Some(base) => base.join(href.trim()).ok(),
            None => Url::parse(href.trim()).ok(),
        }
    }

    /// Words of the main part.
    pub(crate) fn words(&self) -> usize {
        self.reading.words
    }
}

impl Charset {
    fn of(decoded: Decoded<'_>) -> Self {
        Self {
            agrees: decoded.agrees(),
            is_declared: decoded.is_declared(),
            name: decoded.name,
            broken: decoded.broken,
            header: decoded.header,
            meta: decoded.meta,
        }
    }
}

impl RobotsState {
    /// RFC 9309, 2.3.1: 2xx is a file, other 3xx and 4xx mean no file,
    /// 5xx and no answer mean refusal.
    /// 429 is treated as a refusal, as Google documents.
    fn of(file: &SiteFile) -> Self {
        match file {
            SiteFile::NotAsked => Self::NotAsked,
            SiteFile::Looping => Self::Looping,
            SiteFile::Unreachable(reason) => Self::Unreachable(crate::quote::quote(reason)),
            SiteFile::Answer(answer) => match answer.status {
                200..=299 => Self::File {
                    robots: Box::new(Robots::parse(&answer.body)),
                    is_html: answer.looks_like_html(),
                },
                429 | 500.. => Self::Unreachable(format!("status {}", answer.status)),
                status => Self::NoFile(status),
            },
        }
    }
}

fn find_dates(
    head: &Head,
    structured: &Structured,
    reading: &PageReading,
    url: Option<&Url>,
) -> Vec<FoundDate> {
    let mut found = Vec::new();
    let mut add = |text: &str, role, location: String| {
        if let Some(date) = dates::machine(text) {
            found.push(FoundDate { date, role, location });
        }
    };
    for item in structured.items() {
        if !item.is_page() {
            continue;
        }
        for (name, value) in &item.dates {
            let role = match name.as_str() {
                "dateModified" => DateRole::Modified,
                "datePublished" => DateRole::Published,
                _ => DateRole::Dated,
            };
            add(
                value,
                role,
                format!("line {}: {} {name}", item.line, item.syntax.label()),
            );
        }
    }
    for meta in &head.metas {
        let role = match meta.name.as_str() {
            "article:published_time"
            | "datepublished"
            | "dc.date.issued"
            | "dcterms.issued"
            | "pubdate"
            | "publish-date"
            | "citation_publication_date" => DateRole::Published,
            "article:modified_time"
            | "og:updated_time"
            | "datemodified"
            | "dcterms.modified"
            | "last-modified" => DateRole::Modified,
            "date" | "dc.date" | "dcterms.created" | "dcterms.date" => DateRole::Dated,
            _ => continue,
        };
        add(
            &meta.content,
            role,
            format!("line {}: <meta {}>", meta.line, meta.name),
        );
    }
    for (name, value, line) in &structured.properties {
        let role = match name.as_str() {
            "datepublished" => DateRole::Published,
            "datemodified" => DateRole::Modified,
            _ => continue,
        };
        add(value, role, format!("line {line}: itemprop {name}"));
    }
    if let Some(url) = url
        && let Some(date) = dates::in_path(url.path())
    {
        found.push(FoundDate {
            date,
            role: DateRole::Address,
            location: "the address".to_owned(),
        });
    }
    let mut add = |text: &str, role, location: String| {
        if let Some(date) = dates::machine(text) {
            found.push(FoundDate { date, role, location });
        }
    };
    // Comments, teasers and related articles have dates, too.
    // Only the date nearest to the title counts.
    let title = reading
        .title
        .and_then(|index| reading.headings.get(index))
        .map_or(0, |heading| heading.order);
    let near = reading
        .stamps
        .iter()
        .filter(|stamp| !stamp.in_furniture)
        .min_by_key(|stamp| stamp.order.abs_diff(title));
    if let Some(stamp) = near {
        add(
            &stamp.value,
            DateRole::Visible,
            format!("line {}: <time>", stamp.line),
        );
    }
    found
}
