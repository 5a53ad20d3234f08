//! Lists scans, with search, tags and paging.

use super::query;
use crate::assets::File;
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_service::{RunRecord, TagRecord};

/// One page of the history. Its form asks `GET /workspace/scans` with `q`, `tag` and `page`.
#[derive(Clone, Copy, Debug)]
pub struct HistoryPage<'a> {
    /// Newest first.
    pub rows: &'a [RunRecord],
    /// Text that was searched for, or an empty text.
    pub query: &'a str,
    pub tag: Option<&'a str>,
    /// Every tag of the account.
    pub tags: &'a [TagRecord],
    /// 1-based number of this page.
    pub page: u32,
    /// Number of pages.
    pub pages: u32,
    /// Scans found, over all pages.
    pub total: u64,
    /// Alerts about schedules that the reader has not seen.
    pub alerts: usize,
}

#[derive(Template)]
#[template(path = "history.html")]
struct HistoryTemplate<'a> {
    shell: Shell<'a>,
    page: &'a HistoryPage<'a>,
}

pub fn history(frame: &Frame<'_>, page: &HistoryPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "History", Tab::History).with(&[File::History]);
    render("history", &HistoryTemplate { shell, page })
}

/// Scans of one website.
struct Group<'a> {
    domain: &'a str,
    href: String,
    rows: Vec<&'a RunRecord>,
}

impl<'a> HistoryTemplate<'a> {
    /// Counts new alerts in words; empty without one.
    fn new_alerts(&self) -> String {
        match self.page.alerts {
            0 => String::new(),
            number => figure::plural(number as u64, "new alert", "new alerts"),
        }
    }

    /// Groups the scans by website; the website with the latest scan is first.
    fn groups(&self) -> Vec<Group<'a>> {
        let mut groups: Vec<Group<'a>> = Vec::new();
        for row in self.page.rows {
            match groups.iter_mut().find(|group| group.domain == row.domain) {
                Some(group) => group.rows.push(row),
                None => groups.push(Group {
                    domain: &row.domain,
                    href: website_path(&row.domain),
                    rows: vec![row],
                }),
            }
        }
        groups
    }
}

fn website_path(domain: &str) -> String {
    let segment: String = url::form_urlencoded::byte_serialize(domain.as_bytes()).collect();
    format!("/workspace/websites/{}", segment.replace('+', "%20"))
}

impl HistoryTemplate<'_> {
    fn total(&self) -> String {
        figure::plural(self.page.total, "scan", "scans")
    }

    /// Whether the account has no scans to search.
    fn is_new(&self) -> bool {
        self.page.rows.is_empty() && !self.filtered()
    }

    fn filtered(&self) -> bool {
        !self.page.query.is_empty() || self.page.tag.is_some()
    }

    fn is_tag(&self, name: &str) -> bool {
        self.page.tag == Some(name)
    }

    fn page_href(&self, step: i64) -> Option<String> {
        let wanted = i64::from(self.page.page) + step;
        (wanted >= 1 && wanted <= i64::from(self.page.pages)).then(|| {
            let number = wanted.to_string();
            let pairs = [
                ("q", self.page.query),
                ("tag", self.page.tag.unwrap_or_default()),
                ("page", &number),
            ];
            format!("/workspace/scans?{}", query(&pairs))
        })
    }
}
