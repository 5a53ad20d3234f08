//! Scans that ask in batches until their score is known well enough.

use crate::StopRule;
use serde::{Deserialize, Serialize};

/// The reason why a scan asked no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// The range was narrow enough.
    Width,
    /// The next call did not fit the money.
    Budget,
    /// All questions were asked.
    Pool,
    /// The time was over.
    Time,
}

/// The width and the money that a scan asks in batches for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Until {
    /// The width of the 95 % range of the score, in points; `null` if only the money counts.
    pub target_width: Option<u8>,
    /// The most US dollars; `null` without a bound.
    pub budget_usd: Option<f64>,
}

impl From<StopRule> for Until {
    fn from(rule: StopRule) -> Self {
        Self {
            target_width: rule.target_width,
            budget_usd: rule.budget.map(crate::UsdMicros::dollars),
        }
    }
}
