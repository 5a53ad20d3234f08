//! The sites and pages that the answers of a project cite.

use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use crate::link::WebAddress;
use askama::Template;
use ibid_service::{CitedPage, ProjectSources, SiteRow, Trend};

/// Sources of a project, for `GET /workspace/projects/{id}/sources`.
#[derive(Clone, Copy, Debug)]
pub struct SourcesPage<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub sources: &'a ProjectSources,
}

#[derive(Template)]
#[template(path = "project_sources.html")]
struct SourcesTemplate<'a> {
    shell: Shell<'a>,
    page: &'a SourcesPage<'a>,
}

impl SourcesTemplate<'_> {
    fn changes(&self) -> bool {
        let counts = &self.page.sources.counts;
        let kinds = counts.kinds.iter().any(|row| row.trend.is_some());
        kinds || counts.sites.iter().any(|row| row.trend.is_some())
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

fn change_in_words(trend: &Option<Trend>) -> &'static str {
    match trend {
        Some(Trend::More) => "more than before",
        Some(Trend::Fewer) => "fewer than before",
        None => "",
    }
}

/// How many of its pages answers cite.
fn page_count(row: &SiteRow) -> String {
    let pages = u64::from(row.more_pages) + row.pages.len() as u64;
    figure::plural(pages, "page", "pages")
}

/// A page of a site: its address where it can be followed, and its words.
fn link(page: &CitedPage) -> (Option<String>, String) {
    let address = WebAddress::parse(&page.url);
    let label = address
        .as_ref()
        .map_or_else(|| page.url.clone(), WebAddress::label);
    (address.map(|address| address.href().to_owned()), label)
}

pub fn project_sources(frame: &Frame<'_>, page: &SourcesPage<'_>) -> Result<String, RenderError> {
    let title = format!("Sources of {}", page.name);
    let shell = Shell::new(frame, &title, Tab::Projects);
    render("project-sources", &SourcesTemplate { shell, page })
}
