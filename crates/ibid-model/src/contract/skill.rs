//! Skills: what agents may ask for, at which price and in which words.

use super::field::{self as f, Field};
use crate::catalog::Catalog;
use crate::money::AtomicUsdc;
use crate::order::ScanForm;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt;
use std::str::FromStr;

/// A product for sale. The streaming route sells [`Product::Scan`] too: the same product, streamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(schemars::JsonSchema)]
pub enum Product {
    /// Which models cite a domain.
    Scan,
    /// The distance from a place up to which models cite it.
    Radius,
    /// The ease with which an AI can cite a page.
    Audit,
    /// All three.
    Full,
}

/// A skill of the paid surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(schemars::JsonSchema)]
pub enum Skill {
    /// Which models cite a domain.
    Scan,
    /// The distance from a place up to which models cite it.
    Radius,
    /// The ease with which an AI can cite a page.
    Audit,
    /// All three.
    Full,
    /// The caller's own purchases. The payment proves the wallet; it is never settled.
    MyReceipts,
}

/// A skill's price, fields and words on each surface.
#[derive(Clone, Copy, Debug)]
pub struct SkillRow {
    /// The skill.
    pub skill: Skill,
    /// The product it delivers; `None` where a payment is a proof only.
    pub product: Option<Product>,
    /// The word on the wire.
    pub word: &'static str,
    /// The value to sign, in atomic USDC. The one price table.
    pub price: u64,
    /// The name on the agent card.
    pub name: &'static str,
    /// The sentence on the agent card.
    pub about: &'static str,
    /// The phrase in the price list of the home page.
    pub brief: &'static str,
    /// `description` in x402 offers.
    pub offer: &'static str,
    /// The tags on the agent card.
    pub tags: &'static [&'static str],
    /// Whose defaults its scans take; `None` where no model is asked.
    pub form: Option<ScanForm>,
    /// The fields it cannot do without.
    pub required: &'static [&'static Field],
    /// Groups of the other fields.
    pub optional: &'static [&'static [&'static Field]],
    /// Whether one field of the first optional group is needed.
    pub needs_one: bool,
    /// A request that works as it stands, as a data part of an agent in JSON.
    pub example: &'static str,
    /// A body that works as it stands, in JSON.
    pub body: &'static str,
    /// A short answer, in JSON.
    pub output: &'static str,
}

/// The text names no skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown skill, known are {}", known())]
pub struct UnknownSkill;

fn known() -> String {
    let [first @ .., last] = Skill::ALL.map(Skill::as_str);
    format!("{} and {last}", first.join(", "))
}

const RESULT: &str = r#"{"scanId": "00000000-0000-4000-8000-000000000000", "status": "complete",
    "result": {"overallScore": 41.5}}"#;

const AROUND_A_PLACE: &str =
    r#"{"domain": "example.com", "keyword": "plumber", "location": "Valencia, Spain"}"#;

/// Every skill, in the order in which [`Skill`] and the price list have them.
pub static SKILLS: [SkillRow; Skill::ALL.len()] = [
    SkillRow {
        skill: Skill::Scan,
        product: Some(Product::Scan),
        word: "scan",
        price: 150_000,
        name: "AI citation scan",
        about: "Asks several language models and tells how they cite a website for a keyword, with a score, an \
                interval and the competitors.",
        brief: "Which models cite a domain",
        offer: "AI citation scan of a domain for a keyword; not charged if fewer than two thirds of the questions are answered",
        tags: &["citations", "ai-visibility", "seo"],
        form: Some(ScanForm::Scan),
        required: &[&f::DOMAIN, &f::KEYWORD],
        optional: &[&[&f::LOCATION], f::SCAN_OPTIONS],
        needs_one: false,
        example: r#"{"skill": "scan", "domain": "example.com", "keyword": "crm software"}"#,
        body: r#"{"domain": "example.com", "keyword": "plumber"}"#,
        output: RESULT,
    },
    SkillRow {
        skill: Skill::Radius,
        product: Some(Product::Radius),
        word: "radius",
        price: 500_000,
        name: "Citation radius",
        about: "Asks about markets in rings around a place and tells how far the website is cited.",
        brief: "How far around a place they do",
        offer: "How far around a place AI answers cite a domain; not charged if fewer than two thirds of the questions are answered",
        tags: &["citations", "ai-visibility", "local-seo", "geography"],
        form: Some(ScanForm::Radius),
        required: &[&f::DOMAIN, &f::KEYWORD, &f::LOCATION],
        optional: &[f::SCAN_OPTIONS],
        needs_one: false,
        example: r#"{"skill": "radius", "domain": "example.com", "keyword": "dentist", "location": "Vienna, Austria",
            "rings": [1, 2]}"#,
        body: AROUND_A_PLACE,
        output: RESULT,
    },
    SkillRow {
        skill: Skill::Audit,
        product: Some(Product::Audit),
        word: "audit",
        price: 20_000,
        name: "Page audit",
        about: "Tells how easily an AI can find, read and cite one HTML page.",
        brief: "How citable a page is",
        offer: "Audit of a web page: how easily can an AI find, read and cite it",
        tags: &["audit", "html", "ai-visibility", "seo"],
        form: None,
        required: &[],
        optional: &[&[&f::URL, &f::HTML], &[&f::BOTS]],
        needs_one: true,
        example: r#"{"skill": "audit", "url": "https://example.com/"}"#,
        body: r#"{"url": "https://example.com/"}"#,
        output: r#"{"auditId": "00000000-0000-4000-8000-000000000000", "status": "complete", "result": {"score": 71}}"#,
    },
    SkillRow {
        skill: Skill::Full,
        product: Some(Product::Full),
        word: "full",
        price: 600_000,
        name: "Full report",
        about: "Scan, citation radius and page audit in one report.",
        brief: "All three",
        offer: "AI citation scan, radius analysis and page audit; not charged if fewer than two thirds of the questions are answered",
        tags: &["citations", "audit", "ai-visibility", "report"],
        form: Some(ScanForm::Radius),
        required: &[&f::DOMAIN, &f::KEYWORD, &f::LOCATION],
        optional: &[f::SCAN_OPTIONS, &[&f::BUNDLE_URL, &f::BUNDLE_HTML]],
        needs_one: false,
        example: r#"{"skill": "full", "domain": "example.com", "keyword": "dentist", "location": "Vienna, Austria"}"#,
        body: AROUND_A_PLACE,
        output: r#"{"scanId": "00000000-0000-4000-8000-000000000000", "status": "complete",
            "result": {"overallScore": 41.5}, "audit": {"score": 71}}"#,
    },
    SkillRow {
        skill: Skill::MyReceipts,
        product: None,
        word: "my-receipts",
        price: 1,
        name: "My receipts",
        about: "Lists the purchases of your wallet. The payment authorization proves the wallet and is never settled.",
        brief: "Your purchases; never settled",
        offer: "Your own purchases; the signature proves the wallet and is never settled",
        tags: &["payments", "receipts"],
        form: None,
        required: &[],
        optional: &[&[&f::CURSOR, &f::LIMIT]],
        needs_one: false,
        example: r#"{"skill": "my-receipts"}"#,
        body: "{}",
        output: r#"{"wallet": "0x0000000000000000000000000000000000000000", "receipts": [], "nextCursor": null}"#,
    },
];

impl SkillRow {
    /// The fields that a request can do without.
    pub fn options(&self) -> impl Iterator<Item = &'static Field> + Clone {
        self.optional.iter().copied().flatten().copied()
    }

    /// Returns the fields that one is needed from; none where [`Self::needs_one`] is not set.
    pub fn alternatives(&self) -> impl Iterator<Item = &'static Field> + Clone {
        let group = self.optional.first().filter(|_| self.needs_one);
        group.into_iter().flat_map(|group| group.iter().copied())
    }

    /// Every field, the required ones first.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> + Clone {
        self.required.iter().copied().chain(self.options())
    }

    /// Whether a page can be audited by it.
    pub fn takes_page(&self) -> bool {
        self.fields().any(|field| field.name == f::HTML.name)
    }

    /// The fields that a request needs, in words; empty where it needs none.
    pub fn needs(&self) -> String {
        let names = |fields: &mut dyn Iterator<Item = &'static Field>| -> Vec<_> {
            fields.map(|field| field.name).collect()
        };
        match self.needs_one {
            true => names(&mut self.alternatives()).join(" or "),
            false => names(&mut self.required.iter().copied()).join(", "),
        }
    }

    /// Writes the body's JSON Schema. Offers travel in headers, so a scan's has no prose.
    pub fn body_schema(&self, catalog: &Catalog) -> Value {
        let form = (self.form.unwrap_or(ScanForm::Scan), self.form.is_none());
        let mut body = f::body(self.required.iter().copied(), self.fields(), form, catalog);
        if self.needs_one {
            let one = self.alternatives().map(|field| json!({"required": [field.name]}));
            body["anyOf"] = one.collect();
        }
        body
    }
}

/// Parses a row's JSON text.
#[must_use]
pub fn object(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}

impl Product {
    /// Every product, in the order of the price list.
    pub const ALL: [Self; 4] = [Self::Scan, Self::Radius, Self::Audit, Self::Full];

    /// The price in atomic USDC.
    pub fn price(self) -> AtomicUsdc {
        self.skill().price()
    }

    /// Whose defaults its orders take; `None` for a product without models.
    pub fn form(self) -> Option<ScanForm> {
        self.skill().row().form
    }

    /// Every product that asks models, in the order of the price list.
    pub fn that_ask() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|product| product.form().is_some())
    }

    /// The skill that delivers it.
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

    /// Finds the row with the skill's words.
    pub fn row(self) -> &'static SkillRow {
        &SKILLS[self as usize]
    }

    /// What has to be signed for it, in atomic USDC. For [`Skill::MyReceipts`] one atomic unit,
    /// the least that can be signed; it is never taken.
    pub fn price(self) -> AtomicUsdc {
        AtomicUsdc::new(self.row().price)
    }

    /// The product it delivers; `None` where a payment is a proof only.
    pub fn product(self) -> Option<Product> {
        self.row().product
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        self.row().word
    }
}

impl FromStr for Skill {
    type Err = UnknownSkill;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let row = SKILLS.iter().find(|row| row.word == text);
        row.map(|row| row.skill).ok_or(UnknownSkill)
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
            assert_eq!(skill.row().skill, skill);
        }
        assert_eq!("Scan".parse::<Skill>(), Err(UnknownSkill));
    }

    #[test]
    fn texts_are_json_with_every_field_that_is_needed() {
        for row in &SKILLS {
            for text in [row.example, row.body, row.output] {
                assert!(serde_json::from_str::<Map<String, Value>>(text).is_ok(), "{text}");
            }
            let (example, body) = (object(row.example), object(row.body));
            assert_eq!(example["skill"], row.word);
            for field in row.required {
                assert!(example.contains_key(field.name) && body.contains_key(field.name));
            }
            assert!(
                row.needs_one
                    || row.needs().split(", ").filter(|name| !name.is_empty()).count() == row.required.len()
            );
        }
    }
}
