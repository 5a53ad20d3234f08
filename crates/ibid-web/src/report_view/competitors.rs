//! A table of competitors, with the scanned domain's own row.

use crate::chart::{self, Markup};
use crate::figure;
use ibid_model::result::{Competitor, CompetitorKind, ScanResult};

/// Number of competitors shown at once; the others are folded.
const AT_ONCE: usize = 10;
/// Maximum number of directories and media listed.
const OTHERS: usize = 24;

/// The competitors that answers name.
pub(crate) struct Competitors {
    pub(crate) shown: Vec<CompetitorRow>,
    pub(crate) rest: Vec<CompetitorRow>,
    pub(crate) others: Vec<OtherRow>,
}

pub(crate) struct CompetitorRow {
    pub(crate) own: bool,
    pub(crate) weak: bool,
    pub(crate) rank: String,
    pub(crate) rank_interval: String,
    pub(crate) name: String,
    pub(crate) domain: String,
    /// Its products, as one list.
    pub(crate) products: String,
    pub(crate) bar: Markup,
    pub(crate) score: String,
    pub(crate) share: String,
    pub(crate) named: String,
    pub(crate) named_interval: String,
    pub(crate) linked: String,
    pub(crate) mean_rank: String,
    pub(crate) models: String,
}

pub(crate) struct OtherRow {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) named: String,
}

impl Competitors {
    pub(crate) fn of(result: &ScanResult) -> Self {
        let table = &result.radius.top_competitors;
        let (mut shown, mut rest) = (Vec::new(), Vec::new());
        for row in table
            .iter()
            .filter(|row| row.kind == CompetitorKind::Rival || row.is_self)
        {
            if shown.len() < AT_ONCE || row.is_self {
                shown.push(competitor(row));
            } else {
                rest.push(competitor(row));
            }
        }
        let others = table
            .iter()
            .filter(|row| row.kind != CompetitorKind::Rival && !row.is_self)
            .take(OTHERS)
            .map(|row| OtherRow {
                name: row.name.clone(),
                kind: match row.kind {
                    CompetitorKind::Rival => "competitor",
                    CompetitorKind::Directory => "directory",
                    CompetitorKind::Media => "media",
                },
                named: figure::percent(row.appearance_rate),
            })
            .collect();
        Self { shown, rest, others }
    }

    pub(crate) fn rest_label(&self) -> String {
        figure::plural(self.rest.len() as u64, "more name", "more names")
    }
}

fn competitor(row: &Competitor) -> CompetitorRow {
    CompetitorRow {
        own: row.is_self,
        weak: row.weak,
        rank: row.rank.to_string(),
        rank_interval: row
            .rank_interval
            .filter(|range| range.low != range.high)
            .map_or_else(String::new, |range| format!("{}–{}", range.low, range.high)),
        name: row.name.clone(),
        domain: row
            .domain
            .as_ref()
            .map_or_else(String::new, ibid_model::Domain::to_unicode),
        products: row.products.join(", "),
        bar: chart::bar(row.score, None),
        score: figure::whole(row.score),
        share: figure::percent(row.share),
        named: figure::percent(row.appearance_rate),
        named_interval: row
            .interval
            .as_ref()
            .map_or_else(String::new, figure::percent_interval),
        linked: figure::percent(row.linked_rate),
        mean_rank: row
            .mean_rank
            .map_or_else(|| figure::DASH.to_owned(), figure::decimal),
        models: row.models.len().to_string(),
    }
}
