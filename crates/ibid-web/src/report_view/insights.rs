//! What a report found: moves, cited sites and pages, results by intent, and how answers judge the target.

use crate::chart::{self, Markup};
use crate::escape::{cut, line};
use crate::figure;
use crate::link::WebAddress;
use crate::plain_text::plain;
use ibid_model::result::{
    CitedPage, CitedSite, IntentResult, Move, MoveEvidence, ScanResult, SiteKind, StanceCounts,
};

/// Sites shown at once; the others are folded.
const AT_ONCE: usize = 12;
/// Questions of an intent from which its numbers are more than luck.
const FEWEST_QUESTIONS: u32 = 10;
/// Competitors named for each site.
const COMPETITORS: usize = 3;

/// Conclusions of a report beyond its numbers.
pub(crate) struct Insights {
    pub(crate) moves: Vec<MoveRow>,
    pub(crate) sites: Vec<SiteRow>,
    pub(crate) more_sites: Vec<SiteRow>,
    pub(crate) pages: Vec<PageRow>,
    /// Empty where the answers are too few to tell intents apart.
    pub(crate) intents: Vec<IntentRow>,
    /// The answers that this table would need, where it is left out.
    pub(crate) without_intents: Option<String>,
    /// Says how answers judge the target; empty without answers.
    pub(crate) stance: String,
}

pub(crate) struct MoveRow {
    pub(crate) title: String,
    pub(crate) why: String,
    pub(crate) answers: String,
    pub(crate) facts: Vec<FactRow>,
}

pub(crate) struct FactRow {
    pub(crate) text: String,
    pub(crate) href: Option<String>,
    pub(crate) link: String,
}

pub(crate) struct SiteRow {
    pub(crate) domain: String,
    pub(crate) kind: &'static str,
    pub(crate) own: bool,
    pub(crate) bar: Markup,
    pub(crate) share: String,
    pub(crate) answers: String,
    /// Answers that cite the site and the target; "never" without one.
    pub(crate) with_target: String,
    pub(crate) competitors: String,
    pub(crate) page: PageLink,
}

pub(crate) struct PageLink {
    pub(crate) href: Option<String>,
    pub(crate) label: String,
}

pub(crate) struct PageRow {
    pub(crate) page: PageLink,
    pub(crate) answers: String,
    pub(crate) share: String,
    pub(crate) intents: String,
}

pub(crate) struct IntentRow {
    pub(crate) name: String,
    pub(crate) answers: String,
    pub(crate) score: String,
    pub(crate) bar: Markup,
    pub(crate) cited: String,
    pub(crate) range: String,
    pub(crate) stance: String,
    pub(crate) competitors: String,
}

impl Insights {
    pub(crate) fn of(result: &ScanResult) -> Self {
        let mut sites: Vec<SiteRow> = result.sources.iter().map(site).collect();
        let most = result
            .intents
            .iter()
            .map(|intent| intent.questions)
            .max()
            .unwrap_or(0);
        let too_few = result.intents.len() > 1 && most < FEWEST_QUESTIONS;
        let more_sites = sites.split_off(sites.len().min(AT_ONCE));
        Self {
            moves: result.moves.iter().map(|found| move_row(result, found)).collect(),
            sites,
            more_sites,
            pages: result.pages.iter().take(AT_ONCE).map(page).collect(),
            intents: if too_few { Vec::new() } else { result.intents.iter().map(intent).collect() },
            without_intents: too_few.then(|| {
                format!("Results by kind of question are left out: a kind has at most {most} of the ten questions that its numbers need.")
            }),
            stance: stance(result),
        }
    }

    pub(crate) fn more_label(&self) -> String {
        figure::plural(self.more_sites.len() as u64, "more site", "more sites")
    }
}

fn move_row(result: &ScanResult, found: &Move) -> MoveRow {
    let facts = found.evidence.iter().map(|fact| {
        let link = fact.url.as_deref().map(page_link);
        FactRow {
            text: cut(&line(&sentence(fact)), 220).into_owned(),
            href: link.as_ref().and_then(|link| link.href.clone()),
            link: link.map_or_else(String::new, |link| link.label),
        }
    });
    MoveRow {
        title: found.title.clone(),
        why: found.why.clone(),
        answers: basis(result, found),
        facts: facts.collect(),
    }
}

/// "in 14 of 15 answers, very likely": the answers that a move rests on, and how sure it is that they are more than luck.
fn basis(result: &ScanResult, found: &Move) -> String {
    let at_home = result.models.iter().flat_map(|model| &model.answers);
    let at_home = at_home.filter(|answer| answer.class.is_some()).count() as u64;
    // The answers about the home town are among those of the models.
    let towns = result.radius.rings.iter().flat_map(|ring| &ring.markets);
    let towns = towns.filter(|town| town.distance_km.is_none_or(|km| km >= 1.0));
    let all = at_home + towns.map(|town| u64::from(town.answered)).sum::<u64>();
    let answers = figure::plural(all.max(found.answers.into()), "answer", "answers");
    let sure = match found.chance {
        None => "",
        Some(chance) if chance >= 0.99 => ", almost certain",
        Some(chance) if chance >= 0.9 => ", very likely",
        Some(_) => ", likely",
    };
    format!("in {} of {answers}{sure}", found.answers)
}

/// A fact behind a move in one line: its subject, then the competitors there. Its address is a link of its own.
fn sentence(fact: &MoveEvidence) -> String {
    let town = fact.town.as_ref().map(|town| {
        let distance = fact.distance_km.map(|km| format!(", {km:.0} km"));
        format!("{town}{}", distance.unwrap_or_default())
    });
    let question = fact.question.as_ref().map(|question| format!("“{question}”"));
    let quote = fact.quote.as_ref().map(|quote| format!("“{}”", plain(quote)));
    let parts = [question, town, quote];
    let mut sentence = parts.into_iter().flatten().collect::<Vec<_>>().join(": ");
    if !fact.competitors.is_empty() {
        sentence.push_str(&format!(" (there: {})", fact.competitors.join(", ")));
    }
    sentence
}

fn site(site: &CitedSite) -> SiteRow {
    let fed: Vec<&str> = site
        .competitors
        .iter()
        .take(COMPETITORS)
        .map(|fed| fed.name.as_str())
        .collect();
    SiteRow {
        domain: site.domain.to_unicode(),
        kind: match site.kind {
            SiteKind::Own => "you",
            SiteKind::Competitor => "competitor",
            SiteKind::Directory => "directory",
            SiteKind::Media => "media",
            SiteKind::Other => "other",
        },
        own: site.kind == SiteKind::Own,
        bar: chart::rate(site.share, None),
        share: figure::percent(site.share),
        answers: figure::count(site.answers.into()),
        with_target: match site.target_answers {
            0 => "never".to_owned(),
            count => figure::count(count.into()),
        },
        competitors: fed.join(", "),
        page: page_link(&site.url),
    }
}

fn page(page: &CitedPage) -> PageRow {
    PageRow {
        page: page_link(&page.url),
        answers: figure::count(page.answers.into()),
        share: figure::percent(page.share),
        intents: page.intents.join(", "),
    }
}

fn page_link(url: &str) -> PageLink {
    let address = WebAddress::parse(url);
    PageLink {
        label: address
            .as_ref()
            .map_or_else(|| cut(&line(url), 64).into_owned(), WebAddress::label),
        href: address.map(|address| address.href().to_owned()),
    }
}

fn intent(row: &IntentResult) -> IntentRow {
    IntentRow {
        name: row.intent.clone(),
        answers: figure::count(row.answers.into()),
        score: figure::maybe_score(row.score),
        bar: chart::rate(
            row.cited_rate.unwrap_or_default(),
            row.cited_rate_interval.as_ref(),
        ),
        cited: figure::maybe_percent(row.cited_rate),
        range: row
            .cited_rate_interval
            .as_ref()
            .map_or_else(String::new, figure::percent_interval),
        stance: counts(row.stances).join(", "),
        competitors: row.top_competitors.join(", "),
    }
}

/// "Of 18 answers, 9 recommend you, 2 name you without a recommendation, 1 advises against you and 6 do not cite you."
fn stance(result: &ScanResult) -> String {
    let mut sum = StanceCounts::default();
    for StanceCounts {
        recommended,
        neutral,
        discouraged,
        absent,
    } in result.intents.iter().map(|intent| intent.stances)
    {
        sum.recommended += recommended;
        sum.neutral += neutral;
        sum.discouraged += discouraged;
        sum.absent += absent;
    }
    let all = sum.recommended + sum.neutral + sum.discouraged + sum.absent;
    if all < 2 {
        return String::new();
    }
    format!("Of {all}\u{a0}answers: {}.", counts(sum).join(", "))
}

fn counts(stances: StanceCounts) -> Vec<String> {
    [
        (stances.recommended, "recommended"),
        (stances.neutral, "mentioned"),
        (stances.discouraged, "advised against"),
        (stances.absent, "absent"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| format!("{word} in {count}"))
    .collect()
}
