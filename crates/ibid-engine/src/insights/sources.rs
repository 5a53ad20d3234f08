//! Cited sites and cited pages of the target.

use super::{CitingAnswer, Competitors, aliases, ranked, share, top_names};
use crate::read::{owner_label, registrable};
use ibid_model::Domain;
use ibid_model::result::{CitedPage, CitedSite, CompetitorKind, FedCompetitor, SiteKind};
use std::collections::{BTreeMap, BTreeSet};

/// Competitors listed for each site.
const MOST_COMPETITORS: usize = 5;
/// Shortest name that is recognised in a domain.
const SHORTEST_NAME: usize = 4;

/// The sites that answers cite, most cited first.
/// The target's websites are among them; on a host that many owners share, its part and the others' are two rows.
pub(super) fn sites(answers: &[CitingAnswer<'_>]) -> Vec<CitedSite> {
    let competitors = Competitors::of(answers);
    let mut by_site: BTreeMap<(&Domain, bool), Site<'_>> = BTreeMap::new();
    for answer in answers {
        for address in &answer.addresses {
            let site = by_site
                .entry((&address.site, address.is_own()))
                .or_insert_with(|| Site {
                    kind: address.kind,
                    answers: Vec::new(),
                    pages: BTreeMap::new(),
                });
            push_once(&mut site.answers, answer);
            let spellings = site.pages.entry(page_key(&address.url)).or_default();
            *spellings.entry(&address.url).or_default() += 1;
        }
    }
    let citing = citing(answers);
    let row = |((domain, own), site): ((&Domain, bool), Site<'_>)| {
        let count = site.answers.len() as u32;
        let cites_target = |answer: &&&CitingAnswer<'_>| answer.reading.cited();
        let fed = top_names(site.answers.iter().copied(), MOST_COMPETITORS);
        CitedSite {
            domain: domain.clone(),
            kind: competitors.kind(domain, own, site.kind),
            answers: count,
            share: share(count, citing),
            pages: site.pages.len() as u32,
            target_answers: site.answers.iter().filter(cites_target).count() as u32,
            competitors: fed
                .into_iter()
                .map(|(name, answers)| FedCompetitor { name, answers })
                .collect(),
            models: aliases(&site.answers),
            url: most_cited(site.pages),
        }
    };
    let mut rows: Vec<CitedSite> = by_site.into_iter().map(row).collect();
    rows.sort_by(|a, b| b.answers.cmp(&a.answers).then_with(|| a.domain.cmp(&b.domain)));
    rows
}

/// Lists the target's pages that answers cite, most cited first.
pub(super) fn pages(answers: &[CitingAnswer<'_>]) -> Vec<CitedPage> {
    let mut by_page: BTreeMap<String, (BTreeMap<&str, u32>, Vec<&CitingAnswer<'_>>)> = BTreeMap::new();
    for answer in answers {
        for address in answer.addresses.iter().filter(|address| address.is_own()) {
            let (spellings, citing) = by_page.entry(page_key(&address.url)).or_default();
            *spellings.entry(&address.url).or_default() += 1;
            push_once(citing, answer);
        }
    }
    let all = citing(answers);
    let row = |(spellings, citing): (BTreeMap<&str, u32>, Vec<&CitingAnswer<'_>>)| {
        let mut intents: BTreeMap<&str, u32> = BTreeMap::new();
        for answer in &citing {
            *intents.entry(&answer.answer.template).or_default() += 1;
        }
        CitedPage {
            url: most_frequent(spellings),
            answers: citing.len() as u32,
            share: share(citing.len() as u32, all),
            intents: ranked(intents)
                .into_iter()
                .map(|(intent, _)| intent.to_owned())
                .collect(),
            models: aliases(&citing),
        }
    };
    let mut rows: Vec<CitedPage> = by_page.into_values().map(row).collect();
    rows.sort_by(|a, b| b.answers.cmp(&a.answers).then_with(|| a.url.cmp(&b.url)));
    rows
}

/// Answers that cite any site.
fn citing(answers: &[CitingAnswer<'_>]) -> usize {
    answers
        .iter()
        .filter(|answer| !answer.addresses.is_empty())
        .count()
}

/// One page has several spellings: with and without `www.`, a final slash, its short form, capitals, or `s` in the scheme.
/// Two pages that differ only in capitals hardly meet in one scan.
fn page_key(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    rest.strip_suffix("/amp").unwrap_or(rest).to_lowercase()
}

/// A site while its answers are counted.
struct Site<'a> {
    kind: CompetitorKind,
    answers: Vec<&'a CitingAnswer<'a>>,
    /// For each page, its spellings and how often each is cited.
    pages: BTreeMap<String, BTreeMap<&'a str, u32>>,
}

/// The most frequent spelling of the page that is cited most.
fn most_cited(pages: BTreeMap<String, BTreeMap<&str, u32>>) -> String {
    let most = pages
        .into_values()
        .rev()
        .max_by_key(|spellings| spellings.values().sum::<u32>());
    most_frequent(most.unwrap_or_default())
}

fn most_frequent(spellings: BTreeMap<&str, u32>) -> String {
    let most = ranked(spellings).into_iter().next();
    most.map_or_else(String::new, |(url, _)| url.to_owned())
}

/// Adds an answer, unless it came last, because an answer may cite several pages.
fn push_once<'a>(answers: &mut Vec<&'a CitingAnswer<'a>>, answer: &'a CitingAnswer<'a>) {
    if !answers.last().is_some_and(|last| std::ptr::eq(*last, answer)) {
        answers.push(answer);
    }
}

impl Competitors {
    pub(crate) fn of(answers: &[CitingAnswer<'_>]) -> Self {
        let (mut domains, mut names) = (BTreeSet::new(), BTreeSet::new());
        let named = answers.iter().flat_map(|answer| answer.reading.others());
        for competitor in named.filter(|competitor| competitor.kind == CompetitorKind::Rival) {
            let domain = competitor.domain.as_ref();
            domains.extend(domain.and_then(|domain| registrable(domain.as_str()).parse().ok()));
            names.insert(folded(&competitor.name));
        }
        Self { domains, names }
    }

    /// Tells what kind a site is.
    /// A site of a named competitor is known by its address or its name.
    pub(crate) fn kind(&self, domain: &Domain, own: bool, of_host: CompetitorKind) -> SiteKind {
        if own {
            return SiteKind::Own;
        }
        match of_host {
            CompetitorKind::Directory => SiteKind::Directory,
            CompetitorKind::Media => SiteKind::Media,
            CompetitorKind::Rival if self.domains.contains(domain) || self.is_named_by(domain) => {
                SiteKind::Competitor
            }
            CompetitorKind::Rival => SiteKind::Other,
        }
    }

    /// Whether a domain resembles a competitor's name, for example `rivalworks.com` that of Rival Works.
    fn is_named_by(&self, domain: &Domain) -> bool {
        let readable = domain.to_unicode();
        let label = folded(owner_label(&readable));
        let alike = |name: &String| {
            name.chars().count() >= SHORTEST_NAME
                && label.chars().count() >= SHORTEST_NAME
                && (label.starts_with(name.as_str()) || name.starts_with(&label))
        };
        self.names.iter().any(alike)
    }
}

/// Letters and digits of a name in lower case.
fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
