//! The sites and pages that the answers of a project cite.

use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use crate::link::WebAddress;
use askama::Template;
use jiff::Timestamp;

/// The sources of a project, for `GET /workspace/projects/{id}/sources`.
#[derive(Clone, Copy, Debug)]
pub struct SourcesPage<'a> {
    /// The id of the project.
    pub id: &'a str,
    pub name: &'a str,
    pub last: Option<Timestamp>,
    /// The run before, if any.
    pub before: Option<Timestamp>,
    /// Answers of the last run, and those of them that cite any page.
    pub answers: (u32, u32),
    /// Answers that both runs have.
    pub compared: u32,
    /// The kinds of sites.
    pub kinds: &'a [SourceKindRow],
    /// The sites, the most cited first.
    pub sites: &'a [SourceRow<'a>],
    /// Further sites, each of one answer.
    pub rare: u32,
    /// Whether a later run is read in a moment.
    pub waiting: bool,
}

/// A kind of sites.
#[derive(Clone, Copy, Debug)]
pub struct SourceKindRow {
    /// The word of the API.
    pub kind: &'static str,
    pub sites: u32,
    /// Answers that cite or use one.
    pub answers: u32,
    /// Those that link to one in their text.
    pub cited: u32,
    /// `more`, `fewer`, or an empty text.
    pub trend: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub struct SourceRow<'a> {
    pub site: &'a str,
    /// The word of the API for its kind.
    pub kind: &'static str,
    /// Answers that cite or use it.
    pub answers: u32,
    /// Those that link to it in their text.
    pub cited: u32,
    /// Those that also cite the website of the project.
    pub with_own: u32,
    /// Its pages, the most cited first: address, answers, and those that link to it in their text.
    pub pages: &'a [(&'a str, u32, u32)],
    pub more_pages: u32,
    /// `more`, `fewer`, or an empty text.
    pub trend: &'static str,
}

#[derive(Template)]
#[template(path = "project_sources.html")]
struct SourcesTemplate<'a> {
    shell: Shell<'a>,
    page: &'a SourcesPage<'a>,
}

impl SourcesTemplate<'_> {
    fn answers(&self) -> String {
        figure::plural(self.page.answers.0.into(), "answer", "answers")
    }

    fn day(at: &Timestamp) -> String {
        figure::date(*at)
    }

    fn changes(&self) -> bool {
        let kinds = self.page.kinds.iter().any(|row| !row.trend.is_empty());
        kinds || self.page.sites.iter().any(|row| !row.trend.is_empty())
    }
}

pub(crate) fn kind_in_words(kind: &str) -> &'static str {
    match kind {
        "own" => "Your website",
        "competitor" => "Competitors",
        "directory" => "Directories and reviews",
        "media" => "Press and guides",
        "reference" => "Encyclopaedias",
        "community" => "Forums, social networks, videos",
        "institution" => "Public bodies and universities",
        _ => "Other sites",
    }
}

fn change_in_words(trend: &str) -> &'static str {
    match trend {
        "more" => "more than before",
        "fewer" => "fewer than before",
        _ => "",
    }
}

impl SourceKindRow {
    fn words(&self) -> &'static str {
        kind_in_words(self.kind)
    }

    fn change(&self) -> &'static str {
        change_in_words(self.trend)
    }
}

impl SourceRow<'_> {
    fn words(&self) -> &'static str {
        kind_in_words(self.kind)
    }

    fn change(&self) -> &'static str {
        change_in_words(self.trend)
    }

    fn page_count(&self) -> String {
        let pages = u64::from(self.more_pages) + self.pages.len() as u64;
        figure::plural(pages, "page", "pages")
    }

    /// The pages: where they lead, if they can be followed, their words, and how often answers cite them.
    fn links(&self) -> Vec<(Option<String>, String, String)> {
        let pages = self.pages.iter().map(|(url, answers, cited)| {
            let address = WebAddress::parse(url);
            let label = address
                .as_ref()
                .map_or_else(|| (*url).to_owned(), WebAddress::label);
            let href = address.map(|address| address.href().to_owned());
            (href, label, format!("{answers}, cited in {cited}"))
        });
        pages.collect()
    }
}

pub fn project_sources(frame: &Frame<'_>, page: &SourcesPage<'_>) -> Result<String, RenderError> {
    let title = format!("Sources of {}", page.name);
    let shell = Shell::new(frame, &title, Tab::Projects);
    render("project-sources", &SourcesTemplate { shell, page })
}
