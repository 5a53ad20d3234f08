//! What an audit takes: one answer from a web server and its site's small files.

use crate::sitemap::Sitemap;
use jiff::Timestamp;
use std::time::Duration;
use url::Url;

/// One page as answered, with the requested files of its site.
///
/// All of it is untrusted.
/// The fetcher applies its limits but neither checks nor parses the contents.
#[derive(Clone, Debug)]
pub struct Page {
    /// The address that was asked for, as written.
    pub asked: Option<String>,
    /// The address that answered.
    pub url: Option<Url>,
    /// Addresses that redirected, in order, without the final one.
    pub redirects: Vec<String>,
    /// The HTTP status.
    ///
    /// `None` for HTML of the caller. Checks that need the network do not apply to it.
    pub status: Option<u16>,
    /// Headers of the answer.
    pub headers: Headers,
    /// The body, content codings removed.
    pub body: Vec<u8>,
    /// Whether the body was longer than the fetcher reads.
    pub truncated: bool,
    /// From the first request to the last byte.
    pub elapsed: Option<Duration>,
    /// When it was fetched.
    ///
    /// An audit computes ages from it and reads no clock.
    pub fetched_at: Timestamp,
    /// The small files.
    pub site: Site,
}

impl Page {
    /// A page from HTML of the caller.
    ///
    /// Checks that need the network do not apply.
    #[must_use]
    pub fn from_html(html: impl Into<Vec<u8>>, url: Option<Url>, fetched_at: Timestamp) -> Self {
        Self {
            asked: url.as_ref().map(Url::to_string),
            url,
            redirects: Vec::new(),
            status: None,
            headers: Headers::default(),
            body: html.into(),
            truncated: false,
            elapsed: None,
            fetched_at,
            site: Site::default(),
        }
    }
}

/// A site's small files that an audit looks at.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// `/robots.txt`.
    pub robots: SiteFile,
    /// `/llms.txt`.
    pub llms: SiteFile,
    /// The sitemap that was picked.
    pub sitemap: SiteFile,
    /// The address at which the sitemap was looked for.
    pub sitemap_address: Option<Url>,
    /// What the chosen one lists, if it is an index.
    pub sitemap_children: Vec<SiteFile>,
    /// `/.well-known/tdmrep.json`.
    pub tdmrep: SiteFile,
}

/// One small file.
#[derive(Clone, Debug, Default)]
pub enum SiteFile {
    /// The audit was not asked to fetch it.
    #[default]
    NotAsked,
    /// No answer: time-out, refused connection or refused address.
    ///
    /// The text names the reason.
    Unreachable(String),
    /// Redirects in a circle, which neither prove nor disprove the existence of the file.
    Looping,
    /// An answer of any status.
    Answer(SiteAnswer),
}

impl SiteFile {
    /// The answer, if there was one.
    pub fn answer(&self) -> Option<&SiteAnswer> {
        match self {
            Self::Answer(answer) => Some(answer),
            Self::NotAsked | Self::Unreachable(_) | Self::Looping => None,
        }
    }

    /// Whether the file was requested.
    pub fn was_asked(&self) -> bool {
        !matches!(self, Self::NotAsked)
    }
}

/// An HTTP answer to a small file, after redirects.
#[derive(Clone, Debug, Default)]
pub struct SiteAnswer {
    /// HTTP status.
    pub status: u16,
    /// Headers.
    pub headers: Headers,
    /// Body, content codings removed.
    pub body: Vec<u8>,
    /// Whether the body was longer than the fetcher reads.
    pub truncated: bool,
    /// A sitemap's content, where the fetcher has read and dropped its body.
    pub sitemap: Option<Sitemap>,
}

impl SiteAnswer {
    /// The file as a sitemap, looking for a page.
    pub(crate) fn as_sitemap(&self, page: &Url) -> Sitemap {
        match &self.sitemap {
            Some(sitemap) => sitemap.clone(),
            None => Sitemap::parse(&self.body, page),
        }
    }

    /// Bytes of the file.
    #[cfg(feature = "http")]
    pub(crate) fn length(&self) -> usize {
        self.sitemap
            .as_ref()
            .map_or(self.body.len(), |sitemap| sitemap.bytes)
    }

    /// Whether the body is HTML by its type or by its first bytes.
    ///
    /// Some sites answer every request with a page.
    pub fn looks_like_html(&self) -> bool {
        let typed = self
            .headers
            .first("content-type")
            .is_some_and(|value| value.to_ascii_lowercase().contains("html"));
        let head: Vec<u8> = self
            .body
            .iter()
            .copied()
            .skip_while(|byte| byte.is_ascii_whitespace() || matches!(byte, 0xef | 0xbb | 0xbf))
            .take(15)
            .map(|byte| byte.to_ascii_lowercase())
            .collect();
        typed && head.first() == Some(&b'<')
            || [&b"<!doctype html"[..], b"<html", b"<head", b"<body"]
                .iter()
                .any(|start| head.starts_with(start))
    }
}

/// Headers in order of arrival, with names in lower case.
///
/// Names may repeat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// No headers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a header.
    pub fn push(&mut self, name: &str, value: impl Into<String>) {
        self.0.push((name.to_ascii_lowercase(), value.into()));
    }

    /// Returns the first value for a name, given in lower case.
    pub fn first(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Every value of a name, given in lower case.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> + 'a {
        self.0
            .iter()
            .filter(move |(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

impl<N: AsRef<str>, V: Into<String>> FromIterator<(N, V)> for Headers {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(headers: I) -> Self {
        let mut all = Self::default();
        for (name, value) in headers {
            all.push(name.as_ref(), value);
        }
        all
    }
}
