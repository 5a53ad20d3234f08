//! Everything the checks look at, read once.

use crate::authors::{self, FoundAuthor};
use crate::charset::{self, Charset};
use crate::dates;
use crate::head::{self, Head};
use crate::html::{self, StopReason};
use crate::kind;
use crate::names;
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

/// How reading robots.txt went.
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
    /// May be the day of publication, a change or the record.
    Dated,
    /// Written in the address, for example `/2026/11/22/`.
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
        let head = head::read(&document, &page.headers);
        let structured = structured_items::read(&document);
        let title = head.title.as_ref().map(|(title, _)| title.as_str());
        let host = page.url.as_ref().and_then(Url::host_str).unwrap_or("");
        let reading = reading::read(&document, title, |text| names::is_site(text, &head, host));
        let dates = find_dates(&head, &structured, &reading, page.url.as_ref());
        let shown = reading::visible_key(&document);
        let author = authors::find(&head, &structured, (&reading, &shown), page.url.as_ref());
        let (stopped, signs) = (document.stopped(), signs::read(&document));
        // The tree is freed before the small files are read, because it is the largest part of an audit.
        drop(document);
        let mut facts = Self {
            charset: decoded.charset,
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

    /// Returns the page's address, or else the one that it declares.
    pub(crate) fn address(&self) -> Option<Url> {
        let canonical = || self.head.links.iter().find(|link| link.is("canonical"));
        let href = || canonical().map(|link| link.href.as_str());
        let declared = || href().or_else(|| Some(self.head.meta(&["og:url"])?.content.as_str()));
        self.page.url.clone().or_else(|| Url::parse(declared()?).ok())
    }

    /// Whether a meta element with this name has the value or a kind of it.
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
    ///
    /// None where a list has one for each entry, or where it is only the site's name.
    pub(crate) fn heading(&self) -> Option<(&str, u32)> {
        let headings = &self.reading.headings;
        let heading = headings.get(self.reading.title?)?;
        let own = headings
            .iter()
            .filter(|other| other.level == 1 && !other.in_furniture);
        let is_entry = self.kind == PageKind::List && heading.level == 1 && own.count() > 1;
        let is_site = self.kind != PageKind::Home && names::is_site(&heading.text, &self.head, self.host());
        (!is_entry && !is_site).then_some((heading.text.as_str(), heading.line))
    }

    /// Returns the title in the head, unless it is empty.
    pub(crate) fn title(&self) -> Option<(&str, u32)> {
        let title = self.head.title.as_ref().filter(|(title, _)| !title.is_empty());
        title.map(|(title, line)| (title.as_str(), *line))
    }

    /// Returns the page's host; empty without an address.
    pub(crate) fn host(&self) -> &str {
        self.page.url.as_ref().and_then(Url::host_str).unwrap_or("")
    }

    /// The path and query that robots.txt is asked about.
    pub(crate) fn path(&self) -> String {
        let url = self.page.url.as_ref();
        url.map_or_else(|| "/".to_owned(), path_and_query)
    }

    /// An address of the page, made absolute.
    pub(crate) fn resolve(&self, href: &str) -> Option<Url> {
        match &self.base {
            Some(base) => base.join(href.trim()).ok(),
            None => Url::parse(href.trim()).ok(),
        }
    }

    /// Words of the whole page: menus and forms, and what a script may show.
    pub(crate) fn all_words(&self) -> usize {
        self.reading.page_words + self.signs.hidden_words
    }

    /// Words of the main part.
    pub(crate) fn words(&self) -> usize {
        self.reading.words
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

/// The event that a property or a meta element of this name dates.
fn role(name: &str) -> Option<DateRole> {
    match name {
        "article:published_time" | "datepublished" | "dc.date.issued" | "dcterms.issued" => {
            Some(DateRole::Published)
        }
        "pubdate"
        | "publish-date"
        | "publishdate"
        | "publish_date"
        | "citation_publication_date"
        | "og:release_date"
        | "parsely-pub-date"
        | "dcterms:issued" => Some(DateRole::Published),
        "article:modified_time" | "og:updated_time" | "datemodified" => Some(DateRole::Modified),
        "dcterms.modified" | "last-modified" => Some(DateRole::Modified),
        "date" | "dc.date" | "dcterms.created" | "dcterms.date" | "dc.date.created" | "dc:date.created"
        | "dcterms:created" | "sailthru.date" => Some(DateRole::Dated),
        _ => None,
    }
}

fn find_dates(
    head: &Head,
    structured: &Structured,
    reading: &PageReading,
    url: Option<&Url>,
) -> Vec<FoundDate> {
    let mut found = Vec::new();
    let mut add = |date: Option<Date>, role, location: String| {
        found.extend(date.map(|date| FoundDate { date, role, location }));
    };
    for item in structured.items().filter(|item| item.is_page()) {
        for (name, value) in &item.dates {
            let role = role(&name.to_lowercase()).unwrap_or(DateRole::Dated);
            let location = format!("line {}: {} {name}", item.line, item.syntax.label());
            add(dates::machine(value), role, location);
        }
    }
    for meta in &head.metas {
        if let Some(role) = role(&meta.name) {
            let location = format!("line {}: <meta {}>", meta.line, meta.name);
            add(dates::machine(&meta.content), role, location);
        }
    }
    for (name, value, line) in &structured.properties {
        if let "datepublished" | "datemodified" = name.as_str()
            && let Some(role) = role(name)
        {
            add(
                dates::machine(value),
                role,
                format!("line {line}: itemprop {name}"),
            );
        }
    }
    let in_path = url.and_then(|url| dates::in_path(url.path()));
    add(in_path, DateRole::Address, "the address".to_owned());
    if let Some(stamp) = reading.nearest(&reading.stamps) {
        let location = format!("line {}: <time>", stamp.line);
        add(dates::machine(&stamp.value), DateRole::Visible, location);
    }
    found
}
