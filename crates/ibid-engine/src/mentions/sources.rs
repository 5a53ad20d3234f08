//! The sites and pages that the last run cites, and what changed since the run before.

use super::{AnswerMentions, RunMentions, SourceKind, differs, sites_of};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Sites of the table, at most.
const MOST_SITES: usize = 40;
/// Pages of a site, at most.
const MOST_PAGES: usize = 5;
/// Answers of a run that have to cite a site: what one answer cites is no pattern.
const LEAST_ANSWERS: u32 = 2;

/// The sites that a run cites.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Sources {
    /// Answers of the run.
    pub answers: u32,
    /// Those that cite any page.
    #[serde(rename = "citingAnswers")]
    pub citing: u32,
    /// Answers of the run before, to a question and by a model that both runs asked; 0 without such a run.
    #[serde(rename = "comparedAnswers")]
    pub compared: u32,
    /// The kinds of sites that answers cite, in the order of tables.
    pub kinds: Vec<KindRow>,
    /// The sites, the most cited first.
    pub sites: Vec<SiteRow>,
    /// Further sites, each of one answer.
    pub rare: u32,
}

/// A kind of sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename = "SourceKindRow")]
pub struct KindRow {
    /// The kind.
    pub kind: SourceKind,
    /// Sites.
    pub sites: u32,
    /// Answers that cite one in the text or use one outside it.
    pub answers: u32,
    /// Those that link to one in the text.
    #[serde(rename = "citedAnswers")]
    pub cited: u32,
    /// What changed since the run before.
    pub trend: Option<Trend>,
}

/// A site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename = "SourceSite")]
pub struct SiteRow {
    /// Its registrable domain.
    #[serde(rename = "domain")]
    pub site: String,
    /// Its kind.
    pub kind: SourceKind,
    /// Answers that cite it in the text or use it outside it.
    pub answers: u32,
    /// Those that link to it in the text.
    #[serde(rename = "citedAnswers")]
    pub cited: u32,
    /// Those that also cite the website of the project.
    #[serde(rename = "ownAnswers")]
    pub with_target: u32,
    /// Its pages, the most cited first.
    pub pages: Vec<CitedPage>,
    /// Its other pages.
    #[serde(rename = "morePages")]
    pub more_pages: u32,
    /// What changed since the run before.
    pub trend: Option<Trend>,
}

/// A page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct CitedPage {
    /// Its address.
    pub url: String,
    /// Answers that cite it in the text or use it outside it.
    pub answers: u32,
    /// Those that link to it in the text.
    #[serde(rename = "citedAnswers")]
    pub cited: u32,
}

/// A change that is larger than chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename = "SourceTrend", rename_all = "lowercase")]
pub enum Trend {
    /// More answers cite it.
    More,
    /// Fewer answers cite it.
    Fewer,
}

/// Counts what a run cites. A change since `before` is told where the same questions to the same models show one that
/// is larger than chance.
#[must_use]
pub fn sources(last: &RunMentions, before: Option<&RunMentions>) -> Sources {
    let pairs = pairs(last, before);
    let mut by_site: BTreeMap<&str, Vec<&AnswerMentions>> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, SourceKind> = BTreeMap::new();
    for answer in &last.answers {
        for page in &answer.pages {
            kinds.entry(page.site.as_str()).or_insert(page.kind);
        }
        for site in sites_of(answer) {
            by_site.entry(site).or_default().push(answer);
        }
    }
    let (mut sites, mut rare) = (Vec::new(), 0);
    for (site, answers) in &by_site {
        if (answers.len() as u32) < LEAST_ANSWERS {
            rare += 1;
            continue;
        }
        let kind = kinds.get(site).copied().unwrap_or(SourceKind::Other);
        sites.push(row(site, kind, answers, &pairs));
    }
    sites.sort_by(|a, b| b.answers.cmp(&a.answers).then_with(|| a.site.cmp(&b.site)));
    sites.truncate(MOST_SITES);
    Sources {
        answers: last.answers.len() as u32,
        citing: count(&last.answers, |answer| !answer.pages.is_empty()),
        compared: pairs.len() as u32,
        kinds: SourceKind::ALL
            .into_iter()
            .filter_map(|kind| of_kind(kind, last, &kinds, &pairs))
            .collect(),
        sites,
        rare,
    }
}

fn row(site: &str, kind: SourceKind, answers: &[&AnswerMentions], pairs: &[Pair<'_>]) -> SiteRow {
    let mut pages: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for page in answers.iter().flat_map(|answer| &answer.pages) {
        if page.site == site {
            let (all, cited) = pages.entry(&page.url).or_default();
            *all += 1;
            *cited += u32::from(page.in_text);
        }
    }
    let mut pages: Vec<CitedPage> = pages
        .into_iter()
        .map(|(url, (answers, cited))| CitedPage {
            url: url.to_owned(),
            answers,
            cited,
        })
        .collect();
    pages.sort_by(|a, b| b.answers.cmp(&a.answers).then_with(|| a.url.cmp(&b.url)));
    let all = pages.len();
    pages.truncate(MOST_PAGES);
    let in_text =
        |answer: &&&AnswerMentions| answer.pages.iter().any(|page| page.site == site && page.in_text);
    SiteRow {
        site: site.to_owned(),
        kind,
        answers: answers.len() as u32,
        cited: answers.iter().filter(in_text).count() as u32,
        with_target: answers.iter().filter(|answer| answer.cites_target).count() as u32,
        more_pages: (all - pages.len()) as u32,
        pages,
        trend: trend(pairs, |answer| answer.pages.iter().any(|page| page.site == site)),
    }
}

fn of_kind(
    kind: SourceKind,
    last: &RunMentions,
    kinds: &BTreeMap<&str, SourceKind>,
    pairs: &[Pair<'_>],
) -> Option<KindRow> {
    let cites = |answer: &AnswerMentions| answer.pages.iter().any(|page| page.kind == kind);
    let answers = count(&last.answers, cites);
    (answers > 0).then(|| KindRow {
        kind,
        sites: kinds.values().filter(|one| **one == kind).count() as u32,
        answers,
        cited: count(&last.answers, |answer| {
            answer.pages.iter().any(|page| page.kind == kind && page.in_text)
        }),
        trend: trend(pairs, cites),
    })
}

fn count(answers: &[AnswerMentions], of: impl Fn(&AnswerMentions) -> bool) -> u32 {
    answers.iter().filter(|answer| of(answer)).count() as u32
}

/// An answer, and that of the same model to the same question in the run before.
type Pair<'a> = (&'a AnswerMentions, &'a AnswerMentions);

fn pairs<'a>(last: &'a RunMentions, before: Option<&'a RunMentions>) -> Vec<Pair<'a>> {
    let mut earlier: BTreeMap<(&str, &str), &AnswerMentions> = BTreeMap::new();
    for answer in before.into_iter().flat_map(|run| &run.answers) {
        earlier.insert((answer.question.as_str(), answer.model.as_str()), answer);
    }
    let mut used = BTreeSet::new();
    last.answers
        .iter()
        .filter_map(|answer| {
            let key = (answer.question.as_str(), answer.model.as_str());
            let before = earlier.get(&key)?;
            used.insert(key).then_some((answer, *before))
        })
        .collect()
}

fn trend(pairs: &[Pair<'_>], cites: impl Fn(&AnswerMentions) -> bool) -> Option<Trend> {
    let number = |answer: &AnswerMentions| f64::from(u8::from(cites(answer)));
    let differences = || pairs.iter().map(|(now, before)| number(now) - number(before));
    if !differs(differences()) {
        return None;
    }
    match differences().sum::<f64>() > 0.0 {
        true => Some(Trend::More),
        false => Some(Trend::Fewer),
    }
}
