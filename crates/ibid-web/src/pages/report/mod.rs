//! A scan's report, and the page with all its answers.

mod all_answers;
mod card;
mod masthead;
mod method;
mod models;
mod questions;

pub use all_answers::{AnswerFilter, AnswersPage, answers};
pub use masthead::Brand;

use super::{Fact, action_link};
use crate::chart::Markup;
use crate::error::RenderError;
use crate::evidence::EvidenceView;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use crate::radius_map::radius_maps;
use crate::report_view::{Preview, ReportView};
use askama::Template;
use askama::filters::Safe;
use ibid_model::ScanId;
use ibid_model::result::{LocationReport, ScanResult, Warning};
use jiff::Timestamp;
use masthead::Masthead;
use models::Matrix;
use questions::Question;

/// A scan that has ended with answers.
///
/// Below its path are the downloads `result.json`, `answers.json`, `models.csv`, `answers.csv`, `markets.csv`,
/// `competitors.csv`, `sources.csv`, `pages.csv`, `intents.csv`, `moves.csv` and the page `answers`.
/// For its owner the forms `tags` (field `tags`, comma-separated), `share` (`days` and `password`, both may be empty)
/// and `share/revoke` post there too.
/// `rescored` is the report by the current method, `rescored.json` its download.
#[derive(Clone, Copy, Debug)]
pub struct ReportPage<'a> {
    pub id: ScanId,
    pub result: &'a ScanResult,
    /// The evidence, if it was stored.
    pub evidence: Option<&'a EvidenceView>,
    /// The title and the logo of its owner.
    pub brand: Option<Brand<'a>>,
    pub viewer: Viewer<'a>,
}

#[derive(Clone, Copy, Debug)]
pub enum Viewer<'a> {
    /// The account that owns it, at `/workspace/scans/{id}`.
    Owner(Owner<'a>),
    /// A person who sees the project of the run, at `/workspace/projects/{id}/runs/{scan}`.
    Project { path: &'a str, name: &'a str },
    /// A reader with the shared link.
    Public {
        /// Path of the shared report: `/s/{token}`.
        path: &'a str,
        /// Whether the link alone opens it. Then previews of the link may show its numbers, and below its path is `card.png`.
        open: bool,
    },
    /// Whoever asked a free question, at `/demo/{id}`.
    Demo,
}

/// What only the owner of a report sees.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    /// The title that its owner gave it.
    pub title: Option<&'a str>,
    pub tags: &'a [String],
    /// The public link, if there is one.
    pub share: Option<ShareView<'a>>,
    /// How its numbers relate to the current method.
    pub scoring: Scoring,
}

/// A public link as its owner sees it.
#[derive(Clone, Copy, Debug)]
pub struct ShareView<'a> {
    /// The link in full.
    pub url: &'a str,
    /// When it ends.
    pub until: Option<Timestamp>,
    /// Whether it asks for a password.
    pub protected: bool,
}

impl ShareView<'_> {
    /// Says in a sentence until when the link opens the report, and whether it asks for a password.
    fn terms(&self) -> String {
        let who = if self.protected {
            "Anyone with the link and the password can read this report and its answers"
        } else {
            "Anyone with the link can read this report and its answers"
        };
        match self.until {
            Some(until) => format!("{who}, until {} UTC.", figure::date_time(until)),
            None => format!("{who}."),
        }
    }
}

/// How the numbers of a report relate to the current method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scoring {
    /// The current method made them.
    Current,
    /// An older method made them, and the answers were not stored.
    Outdated,
    /// An older method made them, and the answers can be scored again.
    Renewable,
    /// The answers were scored again; the released numbers are the last entry of `method.previous`.
    Again,
}

impl Viewer<'_> {
    /// Returns the path of the report.
    fn base(&self, id: ScanId) -> String {
        match self {
            Self::Owner(_) => format!("/workspace/scans/{id}"),
            Self::Public { path, .. } | Self::Project { path, .. } => (*path).to_owned(),
            Self::Demo => format!("/demo/{id}"),
        }
    }

    fn tab(&self) -> Tab {
        match self {
            Self::Owner(_) => Tab::History,
            Self::Project { .. } => Tab::Projects,
            Self::Public { .. } | Self::Demo => Tab::None,
        }
    }

    fn is_owner(&self) -> bool {
        matches!(self, Self::Owner(_))
    }
}

#[derive(Template)]
#[template(path = "report.html")]
struct ReportTemplate<'a> {
    shell: Shell<'a>,
    page: &'a ReportPage<'a>,
    result: &'a ScanResult,
    base: String,
    masthead: Option<Masthead<'a>>,
    /// For previews of the link.
    preview: Option<Preview>,
    view: ReportView<'a>,
    matrix: Matrix,
    /// The map for narrow and for wide screens.
    maps: Vec<Markup>,
    questions: Vec<Question>,
    method: Vec<Fact>,
}

/// Renders the report of a scan.
pub fn report(frame: &Frame<'_>, page: &ReportPage<'_>) -> Result<String, RenderError> {
    let result = page.result;
    let title = format!("{}, {}", result.domain.to_unicode(), result.keyword);
    let questions = questions::of(result, page.evidence);
    let base = page.viewer.base(page.id);
    let answers = page.evidence.map(|_| format!("{base}/answers"));
    let template = ReportTemplate {
        shell: Shell::new(frame, title, page.viewer.tab()),
        page,
        result,
        base,
        masthead: Masthead::of(page.brand, &page.viewer, page.id),
        preview: match page.viewer {
            Viewer::Public { open: true, .. } => Some(Preview::of(result)),
            _ => None,
        },
        view: ReportView::of(result, answers.as_deref()),
        matrix: models::matrix(result, &questions, page.evidence),
        maps: maps(result, answers.as_deref()),
        method: method::facts(result, &page.viewer),
        questions,
    };
    render("report", &template)
}

fn maps(result: &ScanResult, answers: Option<&str>) -> Vec<Markup> {
    let radius = &result.radius;
    let drawn = radius.map.is_some() && !radius.rings.is_empty();
    let maps = drawn.then(|| radius_maps(result.location.as_ref(), radius, answers));
    maps.into_iter().flatten().map(Safe).collect()
}

impl ReportTemplate<'_> {
    /// The sentence about answers that come from a log; `None` where they were asked for.
    fn imported(&self) -> Option<String> {
        let mut warnings = self.result.warnings.iter();
        let warning = warnings.find(|warning| warning.code == Warning::IMPORTED)?;
        let mut letters = warning.message.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        Some(first.chain(letters).chain(['.']).collect())
    }

    fn other_warnings(&self) -> Vec<&str> {
        let warnings = self.result.warnings.iter();
        warnings
            .filter(|warning| warning.code != Warning::IMPORTED)
            .map(|warning| warning.message.as_str())
            .collect()
    }

    fn is_owner(&self) -> bool {
        self.page.viewer.is_owner()
    }

    /// Returns the address of a form that makes an action for a move, where the report is that of a project's run.
    fn action(&self, title: &str) -> Option<String> {
        let Viewer::Project { path, .. } = self.page.viewer else {
            return None;
        };
        let project = path.strip_prefix("/workspace/projects/")?.split('/').next()?;
        let found = self.result.moves.iter().find(|found| found.title == title)?;
        let questions = found.evidence.iter().filter_map(|fact| fact.question.as_deref());
        Some(action_link(project, &found.title, questions))
    }

    fn is_demo(&self) -> bool {
        matches!(self.page.viewer, Viewer::Demo)
    }

    fn eyebrow(&self) -> String {
        let at = self.result.finished_at;
        let what = match self.page.viewer {
            Viewer::Owner(_) => "Scan report",
            Viewer::Project { .. } => return format!("Run of {}", figure::date_time(at)),
            Viewer::Public { .. } => "Shared report",
            Viewer::Demo => "One free question",
        };
        format!("{what} · {}", figure::date_time(at))
    }

    fn domain(&self) -> String {
        self.result.domain.to_unicode()
    }

    fn place(&self) -> Option<String> {
        self.result.location.as_ref().map(LocationReport::short_label)
    }

    fn has_radius(&self) -> bool {
        // The free question never has a place, so the page does not mention it.
        !self.result.radius.rings.is_empty() || (self.view.radius.note.is_some() && !self.is_demo())
    }

    fn all_answers(&self) -> u64 {
        self.page
            .evidence
            .map_or(0, |evidence| evidence.answers.len() as u64)
    }

    /// Number of answers that the report does not show.
    fn more_answers(&self) -> u64 {
        let shown: usize = self.questions.iter().map(|question| question.answers.len()).sum();
        self.all_answers().saturating_sub(shown as u64)
    }

    fn scoring(&self) -> Scoring {
        match &self.page.viewer {
            Viewer::Owner(owner) => owner.scoring,
            Viewer::Public { .. } | Viewer::Project { .. } | Viewer::Demo => Scoring::Current,
        }
    }

    fn is_again(&self) -> bool {
        self.scoring() == Scoring::Again
    }

    /// Whether tags and links are shown; they belong to the released report.
    fn is_kept(&self) -> bool {
        self.is_owner() && !self.is_again()
    }

    /// Formats the released score as "4 by version 0.4"; `None` if the current method gives the same score.
    fn released(&self) -> Option<String> {
        let released = self.result.method.previous.last()?;
        Some(format!(
            "{} by version {}",
            figure::score(released.overall_score),
            released.version
        ))
    }

    fn owner_title(&self) -> Option<&str> {
        match &self.page.viewer {
            Viewer::Owner(owner) => owner.title,
            Viewer::Public { .. } | Viewer::Project { .. } | Viewer::Demo => None,
        }
    }

    fn tags_text(&self) -> String {
        match &self.page.viewer {
            Viewer::Owner(owner) => owner.tags.join(", "),
            Viewer::Public { .. } | Viewer::Project { .. } | Viewer::Demo => String::new(),
        }
    }
}
