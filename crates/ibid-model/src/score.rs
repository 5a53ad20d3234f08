//! Scores, intervals and prominence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A citation score, 0 to 100. One decimal on the wire and in print; full precision inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Score(f64);

impl Score {
    /// Not cited at all.
    pub const ZERO: Self = Self(0.0);

    /// The score, clamped to 0..=100; anything that is not a number is 0.
    #[must_use]
    pub fn new(value: f64) -> Self {
        Self(if value.is_nan() {
            0.0
        } else {
            value.clamp(0.0, 100.0)
        })
    }

    /// The unrounded value, 0 to 100.
    pub fn get(self) -> f64 {
        self.0
    }

    /// The value as it is shown, 0 to 100 with one decimal, half away from zero.
    pub fn rounded(self) -> f64 {
        round1(self.0)
    }
}

/// Rounds to one decimal, half away from zero.
fn round1(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

impl Serialize for Score {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.rounded())
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self::new)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1}", self.rounded())
    }
}

/// The prominence with which an answer cites the target, from not at all to first choice.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Prominence {
    /// No evidence of the target.
    #[default]
    None,
    /// Named or linked, but not as a recommendation.
    Mentioned,
    /// Recommended, after others.
    Secondary,
    /// The first or the explicit top recommendation.
    Primary,
}

impl Prominence {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A 95 % interval around a score (0..100), a rate (0..1) or a difference of scores (−100..100).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Interval {
    /// Lower end, in the unit of what it is around.
    pub low: f64,
    /// Upper end, in the same unit.
    pub high: f64,
    /// Nominal coverage, always 0.95.
    pub level: f64,
    /// Fewer than ten questions: the interval is wide, and its bounds are approximate.
    pub low_precision: bool,
}

impl Interval {
    /// A 95 % interval on the score scale, one decimal.
    #[must_use]
    pub fn of_scores(low: f64, high: f64, low_precision: bool) -> Self {
        Self {
            low: round1(low.clamp(0.0, 100.0)),
            high: round1(high.clamp(0.0, 100.0)),
            level: 0.95,
            low_precision,
        }
    }

    /// Widens a score's interval by an independent error of so many points, to either side 95 times in 100.
    pub fn widened(self, score: Score, points: f64) -> Self {
        let (below, above) = (score.get() - self.low, self.high - score.get());
        Self::of_scores(
            score.get() - below.hypot(points),
            score.get() + above.hypot(points),
            self.low_precision,
        )
    }

    /// Builds a 95 % interval around a difference of scores, one decimal; both ends may be negative.
    #[must_use]
    pub fn of_differences(low: f64, high: f64, low_precision: bool) -> Self {
        // Adding 0 turns the negative zero of rounding into zero.
        Self {
            low: round1(low) + 0.0,
            high: round1(high) + 0.0,
            level: 0.95,
            low_precision,
        }
    }

    /// A 95 % interval on the rate scale, four decimals.
    #[must_use]
    pub fn of_rates(low: f64, high: f64, low_precision: bool) -> Self {
        let round4 = |rate: f64| (rate.clamp(0.0, 1.0) * 10_000.0).round() / 10_000.0;
        Self {
            low: round4(low),
            high: round4(high),
            level: 0.95,
            low_precision,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_clamped_and_print_one_decimal() {
        for (value, text) in [
            (-1.0, "0.0"),
            (32.14, "32.1"),
            (100.5, "100.0"),
            (f64::NAN, "0.0"),
            (97.55, "97.6"),
        ] {
            assert_eq!(Score::new(value).to_string(), text);
        }
        assert_eq!(serde_json::to_string(&Score::new(61.0)).unwrap(), "61.0");
    }

    #[test]
    fn prominence_orders_by_strength() {
        assert!(Prominence::Primary > Prominence::Secondary);
        assert!(Prominence::Secondary > Prominence::Mentioned);
        assert!(Prominence::Mentioned > Prominence::None);
        assert_eq!(
            serde_json::to_string(&Prominence::Secondary).unwrap(),
            "\"secondary\""
        );
    }
}
