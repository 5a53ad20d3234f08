//! A report of a project: its settings, and the numbers that follow from its answers.

use super::History;
use crate::{Interval, Locale, ModelAlias, ProjectId, ScanId, Score};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A frozen report of a project. Its file also has `counted`, the answers that every number follows from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectReport {
    /// Tells readers which version they have.
    pub format: ReportFormat,
    /// The time at which it was made.
    #[serde(serialize_with = "crate::time::serialize")]
    pub made_at: Timestamp,
    /// The project at that time.
    pub project: ReportSubject,
    /// The cover.
    pub cover: ReportCover,
    /// The chosen sections in their order.
    pub sections: Vec<ReportPart>,
    /// What people noted on the project, by day.
    pub notes: Vec<ReportNote>,
    /// The numbers.
    pub numbers: ReportNumbers,
}

/// Which version a report is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReportFormat {
    /// The first.
    #[serde(rename = "ibid-report/1")]
    V1,
}

/// What a report is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportSubject {
    /// Its id.
    pub project_id: ProjectId,
    /// Its name.
    pub name: String,
    /// The website.
    pub domain: String,
    /// The keyword.
    pub keyword: String,
    /// The place.
    pub place: Option<String>,
    /// When it runs, in words.
    pub recurrence: String,
    /// Whose dates and numbers it has; British English where an older file does not say.
    #[serde(default)]
    pub locale: Locale,
    /// Whether the sandbox invented the answers.
    pub sandbox: bool,
}

/// What a report's cover shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportCover {
    /// The title.
    pub title: String,
    /// Who sends it.
    pub sender: Option<String>,
    /// Colours headings, for example `#0a665f`.
    pub accent: String,
    /// Whether the foot names ibid.
    pub footer: bool,
    /// The SHA-256 of the logo.
    pub logo_sha256: Option<String>,
}

/// A section with the note of its author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportPart {
    /// The section.
    pub section: ReportSection,
    /// The note, or an empty text.
    pub note: String,
}

/// A part that a report may have. Every report has the disclosure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ReportSection {
    /// The level and the verdict.
    Summary,
    /// The scores over time.
    Trend,
    /// How each model did in the last run.
    Models,
    /// The competitors.
    Competitors,
    /// The sites that answers cite.
    Sources,
    /// The questions.
    Questions,
    /// What people noted on the project.
    Notes,
}

impl ReportSection {
    /// All sections, in the usual order.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The heading.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Summary => "Summary",
            Self::Trend => "Over time",
            Self::Models => "Models, last run",
            Self::Competitors => "Competitors",
            Self::Sources => "Sites that answers cite, last run",
            Self::Questions => "Questions, last runs",
            Self::Notes => "What happened",
        }
    }
}

/// A note of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportNote {
    /// The day, as an ISO date.
    pub day: String,
    /// The text.
    pub text: String,
}

/// Figures that follow from counted answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportNumbers {
    /// Level and changes.
    pub history: Option<History>,
    /// The same in sentences.
    pub verdict: String,
    /// What can be done, or that nothing stands out, a sentence each; empty in files of before.
    #[serde(default)]
    pub steps: Vec<String>,
    /// The runs, the oldest first.
    pub trend: Vec<ReportPoint>,
    /// How each model did in the last run.
    pub models: Vec<ReportModel>,
    /// The competitors.
    pub competitors: ReportCompetitors,
    /// The sources.
    pub sources: ReportSources,
    /// The questions.
    pub questions: Vec<ReportQuestion>,
    /// Those that name the website, which count in no other number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branded: Vec<ReportQuestion>,
    /// The disclosure sheet.
    pub disclosure: Vec<DisclosureRow>,
}

/// How one run scored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportPoint {
    /// The run.
    pub scan_id: ScanId,
    /// Its end.
    #[serde(serialize_with = "crate::time::serialize")]
    pub at: Timestamp,
    /// The score; `null` without an answer that counts.
    pub score: Option<Score>,
    /// Its likely range.
    pub interval: Option<Interval>,
}

/// A model of the last run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportModel {
    /// The alias.
    pub model: ModelAlias,
    /// The name.
    pub name: String,
    /// The score.
    pub score: Option<Score>,
    /// Its likely range.
    pub interval: Option<Interval>,
    /// Answers that count.
    pub answers: u32,
    /// Those that cite the website.
    pub cited: u32,
}

/// Who else is named, and how often.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportCompetitors {
    /// The recent runs that they are counted in.
    pub runs: u32,
    /// How many answers these runs got.
    pub answers: u32,
    /// The competitors.
    pub rows: Vec<ReportCompetitor>,
}

/// A competitor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportCompetitor {
    /// The name.
    pub name: String,
    /// Whether people pinned it.
    pub pinned: bool,
    /// Recent answers that name it.
    pub named: u32,
    /// How much of the last run's answers name it, 0..1.
    pub share: Option<f64>,
    /// Its likely range.
    pub interval: Option<Interval>,
}

/// The sites that the answers of the last run cite.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportSources {
    /// Answers of the last run.
    pub answers: u32,
    /// Those that cite a page.
    pub citing: u32,
    /// The kinds of sites.
    pub kinds: Vec<ReportSourceKind>,
    /// The sites.
    pub sites: Vec<ReportSite>,
}

/// A kind of sites.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportSourceKind {
    /// What the API calls it.
    pub kind: String,
    /// Sites.
    pub sites: u32,
    /// Answers that cite or use one.
    pub answers: u32,
    /// Those that link to one in their text.
    pub cited: u32,
}

/// A site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportSite {
    /// The domain.
    pub domain: String,
    /// What the API calls its kind.
    pub kind: String,
    /// Answers that cite or use it.
    pub answers: u32,
    /// Those that link to it in their text.
    pub cited: u32,
}

/// A question over the last runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportQuestion {
    /// The question.
    pub text: String,
    /// The runs that asked it.
    pub runs: u32,
    /// Its answers.
    pub answers: u32,
    /// Those that cite the website.
    pub cited: u32,
    /// Those that name a competitor.
    pub named: u32,
}

/// A row of the disclosure sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DisclosureRow {
    /// The topic.
    pub topic: String,
    /// What holds for this report.
    pub text: String,
}
