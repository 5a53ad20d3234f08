//! What a scan's answers name and cite, in the form that a project keeps for each run, and what several runs tell:
//! [`rivals`] over time, and [`sources`] now and before.
//!
//! Everything is counted from these readings each time, so that a competitor who is pinned, merged or ignored counts anew
//! in every run. The module is pure.
//!
//! ```
//! use ibid_engine::mentions::{AnswerMentions, Named, RunMentions, rivals};
//! use ibid_model::ScanId;
//!
//! let answer = |question: &str| AnswerMentions {
//!     id: String::new(),
//!     kind: String::new(),
//!     question: question.to_owned(),
//!     model: "a-model".parse().unwrap(),
//!     cites_target: false,
//!     names: vec![Named { name: "Bolt Pipes".to_owned(), domain: None }],
//!     pages: Vec::new(),
//! };
//! let answers = vec![answer("Who fixes pipes?"), answer("Best plumber?")];
//! let run = RunMentions { answers, ..RunMentions::default() };
//! let found = rivals(&[(ScanId::random(), run)], &[]);
//! assert_eq!((found.rows[0].name.as_str(), found.rows[0].named), ("Bolt Pipes", 2));
//! ```

mod movers;
mod moves;
mod names;
mod rivals;
mod sources;

pub use movers::movers;
pub use moves::{
    AnswerOf, MoveSubject, OutreachSite, ProjectMove, ProjectMoveKind, ProjectMoves, moves, next_step,
};
pub(crate) use names::Names;
pub use rivals::{KeptRival, Rival, RivalPoint, Rivals, Win, rivals};
pub use sources::{CitedPage, KindRow, SiteRow, Sources, Trend, sources};

use crate::evidence::Evidence;
use crate::insights::{CitingAnswer, Competitors};
use crate::read::{MediaKind, is_institution, media_kind};
use crate::score::statistics::sign_flip;
use ibid_model::result::{CompetitorKind, ScanResult, SiteKind};
use ibid_model::{Domain, ModelAlias};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The chance at which a difference still counts as chance.
const CHANCE: f64 = 0.05;

/// One run's home answers that can be scored: to core questions and to those about the home town.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunMentions {
    /// One entry an answer, in the order planned.
    pub answers: Vec<AnswerMentions>,
    /// Answers to questions that name the target: a panel apart, in no count with the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branded: Vec<AnswerMentions>,
}

/// What one answer names and cites.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerMentions {
    /// Identifies the question in the result; empty in readings by older versions.
    #[serde(default)]
    pub id: String,
    /// What kind the question has; empty in readings by older versions.
    #[serde(default)]
    pub kind: String,
    /// The question.
    pub question: String,
    /// Which alias was asked.
    pub model: ModelAlias,
    /// Whether it cites the website.
    pub cites_target: bool,
    /// The providers that it names, without the target.
    pub names: Vec<Named>,
    /// The pages that it cites, each once.
    pub pages: Vec<Cited>,
}

/// A provider that an answer names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// Its name, as written.
    pub name: String,
    /// Its website, where the answer gives one. Many are read at a time, and few differ: they are parsed where that matters.
    pub domain: Option<String>,
}

/// A page that an answer cites.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cited {
    /// Its address, without tracking parameters and fragment.
    pub url: String,
    /// The registrable domain.
    pub site: String,
    /// What kind the site is.
    pub kind: SourceKind,
    /// Whether the text links to it; otherwise the answer used it as a source outside the text.
    pub in_text: bool,
}

/// The kind of a cited site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// The website of the project.
    Own,
    /// The website of a competitor.
    Competitor,
    /// A directory, marketplace or review site.
    Directory,
    /// Press, guides, tests.
    Media,
    /// An encyclopaedia.
    Reference,
    /// A forum, a social network, blogs or videos of everyone.
    Community,
    /// A state, a school, a university or another public body.
    Institution,
    /// Any other site.
    Other,
}

impl SourceKind {
    /// All kinds, in the order of tables.
    pub const ALL: [Self; 8] = [
        Self::Own,
        Self::Competitor,
        Self::Directory,
        Self::Media,
        Self::Reference,
        Self::Community,
        Self::Institution,
        Self::Other,
    ];

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Competitor => "competitor",
            Self::Directory => "directory",
            Self::Media => "media",
            Self::Reference => "reference",
            Self::Community => "community",
            Self::Institution => "institution",
            Self::Other => "other",
        }
    }

    fn of(kind: SiteKind, url: &str, site: &Domain) -> Self {
        let parsed = url::Url::parse(url).ok();
        let host = parsed
            .as_ref()
            .and_then(url::Url::host_str)
            .unwrap_or(site.as_str());
        match kind {
            SiteKind::Own => Self::Own,
            SiteKind::Competitor => Self::Competitor,
            SiteKind::Directory => Self::Directory,
            SiteKind::Media => match media_kind(host) {
                MediaKind::Press => Self::Media,
                MediaKind::Community => Self::Community,
                MediaKind::Reference => Self::Reference,
            },
            SiteKind::Other if is_institution(host) => Self::Institution,
            SiteKind::Other => Self::Other,
        }
    }
}

/// Reads what the home answers of a scan name and cite.
#[must_use]
pub fn mentions(result: &ScanResult, evidence: &Evidence) -> RunMentions {
    let answers = CitingAnswer::with_branded(result, evidence);
    let (branded, answers): (Vec<_>, Vec<_>) = answers.into_iter().partition(CitingAnswer::is_branded);
    let competitors = Competitors::of(&answers);
    let read = |answer: &CitingAnswer<'_>| {
        let mut pages: Vec<Cited> = Vec::new();
        for address in &answer.addresses {
            match pages.iter_mut().find(|page| page.url == address.url) {
                Some(page) => page.in_text |= address.in_text,
                None => {
                    let kind = competitors.kind(&address.site, address.is_own(), address.kind);
                    pages.push(Cited {
                        url: address.url.clone(),
                        site: address.site.to_string(),
                        kind: SourceKind::of(kind, &address.url, &address.site),
                        in_text: address.in_text,
                    });
                }
            }
        }
        let rivals = answer.reading.others();
        let rivals = rivals.filter(|one| one.kind == CompetitorKind::Rival);
        AnswerMentions {
            id: answer.answer.question_id.clone(),
            kind: answer.answer.template.clone(),
            question: answer.answer.question.clone(),
            model: answer.answer.model.clone(),
            cites_target: answer.reading.cited(),
            names: rivals
                .map(|one| Named {
                    name: one.name.clone(),
                    domain: one.domain.as_ref().map(ToString::to_string),
                })
                .collect(),
            pages,
        }
    };
    RunMentions {
        answers: answers.iter().filter(|answer| answer.at_home).map(read).collect(),
        branded: branded.iter().map(read).collect(),
    }
}

/// Whether pairs with yes and no differ by more than chance: each entry is one pair's difference.
fn differs(pairs: impl Iterator<Item = f64>) -> bool {
    let pairs: Vec<f64> = pairs.collect();
    sign_flip(&pairs, 1) <= CHANCE
}

/// Which sites an answer cites.
fn sites_of(answer: &AnswerMentions) -> BTreeSet<&str> {
    answer.pages.iter().map(|page| page.site.as_str()).collect()
}

#[cfg(test)]
mod tests;
