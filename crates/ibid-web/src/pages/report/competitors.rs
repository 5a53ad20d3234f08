//! The table of competitors, with the scanned domain's own row.

use crate::chart::{self, Markup};
use crate::figure;
use ibid_model::result::{Competitor, CompetitorKind, ScanResult};

/// Number of competitors shown at once; the others are folded.
const AT_ONCE: usize = 10;
/// Maximum number of directories and media listed.
const OTHERS: usize = 24;

/// The competitors that answers name.
pub(super) struct Competitors {
    pub(super) shown: Vec<CompetitorRow>,
    pub(super) rest: Vec<CompetitorRow>,
    pub(super) others: Vec<OtherRow>,
}

pub(super) struct CompetitorRow {
    pub(super) own: bool,
    pub(super) weak: bool,
    pub(super) rank: String,
    pub(super) rank_interval: String,
    pub(super) name: String,
    pub(super) domain: String,
    /// Its products, as one list.
    pub(super) products: String,
    pub(super) bar: Markup,
    pub(super) score: String,
    pub(super) share: String,
    pub(super) named: String,
    pub(super) named_interval: String,
    pub(super) linked: String,
    pub(super) mean_rank: String,
    pub(super) models: String,
}

pub(super) struct OtherRow {
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) named: String,
}

impl Competitors {
    pub(super) fn of(result: &ScanResult) -> Self {
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

    pub(super) fn rest_label(&self) -> String {
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
        score: figure::decimal(row.score),
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
