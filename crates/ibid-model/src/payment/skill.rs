//! What agents may ask for, and the price table.

use crate::money::UsdcMicros;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What is sold. The streaming route sells [`Product::Scan`] too: another way to deliver, not another ware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Product {
    /// Which models cite a domain.
    Scan,
    /// How far around a place they do.
    Radius,
    /// How citable a page is.
    Audit,
    /// All three.
    Full,
}

/// What an agent may ask for on the paid surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Skill {
    /// Which models cite a domain.
    Scan,
    /// How far around a place they do.
    Radius,
    /// How citable a page is.
    Audit,
    /// All three.
    Full,
    /// The caller's own purchases. The payment proves who asks; it is never settled.
    MyReceipts,
}

/// The text names no skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown skill, known are scan, radius, audit, full and my-receipts")]
pub struct UnknownSkill;

impl Product {
    /// Every product, in the order of the price list.
    pub const ALL: [Self; 4] = [Self::Scan, Self::Radius, Self::Audit, Self::Full];

    /// The price in atomic USDC. The one price table.
    #[must_use]
    pub const fn price(self) -> UsdcMicros {
        UsdcMicros::new(match self {
            Self::Scan => 150_000,
            Self::Radius => 500_000,
            Self::Audit => 20_000,
            Self::Full => 600_000,
        })
    }

    /// The skill that delivers it.
    #[must_use]
    pub const fn skill(self) -> Skill {
        match self {
            Self::Scan => Skill::Scan,
            Self::Radius => Skill::Radius,
            Self::Audit => Skill::Audit,
            Self::Full => Skill::Full,
        }
    }
}

impl Skill {
    /// Every skill, in the order of the price list.
    pub const ALL: [Self; 5] = [
        Self::Scan,
        Self::Radius,
        Self::Audit,
        Self::Full,
        Self::MyReceipts,
    ];

    /// The value of the authorization that has to be signed for it. For [`Skill::MyReceipts`] one atomic unit,
    /// the least that can be signed; it is never taken.
    #[must_use]
    pub const fn price(self) -> UsdcMicros {
        match self.product() {
            Some(product) => product.price(),
            None => UsdcMicros::new(1),
        }
    }

    /// What is sold; `None` where a payment is a proof only.
    #[must_use]
    pub const fn product(self) -> Option<Product> {
        match self {
            Self::Scan => Some(Product::Scan),
            Self::Radius => Some(Product::Radius),
            Self::Audit => Some(Product::Audit),
            Self::Full => Some(Product::Full),
            Self::MyReceipts => None,
        }
    }

    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Radius => "radius",
            Self::Audit => "audit",
            Self::Full => "full",
            Self::MyReceipts => "my-receipts",
        }
    }
}

impl FromStr for Skill {
    type Err = UnknownSkill;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.into_iter();
        all.find(|skill| skill.as_str() == text).ok_or(UnknownSkill)
    }
}

impl fmt::Display for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.skill().as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_price_list() {
        let list = Skill::ALL.map(|skill| format!("{skill} {}", skill.price()));
        assert_eq!(
            list,
            [
                "scan 0.15",
                "radius 0.5",
                "audit 0.02",
                "full 0.6",
                "my-receipts 0.000001"
            ]
        );
    }

    #[test]
    fn no_two_prices_are_equal() {
        // A signed authorization names no skill. Distinct prices keep one from being spent on another.
        let mut prices = Skill::ALL.map(Skill::price);
        prices.sort_unstable();
        assert!(prices.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn words_are_read_back() {
        for skill in Skill::ALL {
            assert_eq!(skill.as_str().parse(), Ok(skill));
            assert_eq!(serde_json::to_string(&skill).unwrap(), format!("\"{skill}\""));
            assert_eq!(skill.product().map_or(Skill::MyReceipts, Product::skill), skill);
        }
        assert_eq!("Scan".parse::<Skill>(), Err(UnknownSkill));
    }
}
