//! The websites and names that answers cite instead.

use crate::{Domain, Interval, ModelAlias, Ring};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One row of the competitor table. The target has a row of its own (`self`), by the same formula.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Competitor {
    /// 1-based position in the table among its kind.
    pub rank: u32,
    /// 95 % bootstrap interval of the rank; `null` beyond the first twenty competitors, for directories and media, and with
    /// fewer than three questions.
    pub rank_interval: Option<RankInterval>,
    /// The name most answers use.
    pub name: String,
    /// Its website, where answers gave one.
    pub domain: Option<Domain>,
    /// The kind of the site.
    pub kind: CompetitorKind,
    /// Whether this row is the scanned domain.
    #[serde(rename = "self", default)]
    pub is_self: bool,
    /// Visibility, 0..100: mean of 1/log2(rank+1) over informative answers, models weighing equally.
    pub score: f64,
    /// Its visibility over that of all competitors together, 0..1; 0 for directories and media.
    pub share: f64,
    /// Informative answers that name it, 0..1.
    pub appearance_rate: f64,
    /// 95 % interval of the appearance rate; `null` without informative answers.
    pub interval: Option<Interval>,
    /// Mean rank over the answers that rank it, 1 is first; `null` if none does.
    pub mean_rank: Option<f64>,
    /// Its appearances that carry a link to it, 0..1.
    pub linked_rate: f64,
    /// Models that name it, in the order of the result.
    pub models: Vec<ModelAlias>,
    /// Rings whose answers name it, ascending; core answers have none.
    pub rings: Vec<Ring>,
    /// Other spellings that were merged into this row.
    pub aliases: Vec<String>,
    /// Its products that answers put forward, the most frequent first, at most ten. Results of methods before 2.1 have none.
    #[serde(default)]
    pub products: Vec<String>,
    /// Seen in one answer only.
    #[serde(default)]
    pub weak: bool,
}

/// The kind of the site of a competitor. Only those of kind `rival` compete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CompetitorKind {
    /// A provider like the target.
    Rival,
    /// A directory, marketplace or review site.
    Directory,
    /// Press, encyclopaedia, forum or social network.
    Media,
}

/// A 95 % interval of a rank: questions are drawn again, competitors ranked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RankInterval {
    /// 2.5 % of the draws rank it better than this, 1 is first.
    pub low: u32,
    /// 2.5 % of the draws rank it worse than this; never better than `low`.
    pub high: u32,
}
