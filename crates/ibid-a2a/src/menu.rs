//! What each skill takes: the one table behind the card, the texts that ask, and what is kept of a request.

use ibid_model::Skill;
use serde_json::{Map, Value, json};

/// One field of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name, as in the REST body.
    pub name: &'static str,
    /// Whether the skill cannot do without.
    pub required: bool,
    /// What it means, in a few words.
    pub about: &'static str,
}

const fn required(name: &'static str, about: &'static str) -> Field {
    Field {
        name,
        required: true,
        about,
    }
}

const fn optional(name: &'static str, about: &'static str) -> Field {
    Field {
        name,
        required: false,
        about,
    }
}

const DOMAIN: Field = required("domain", "website to check, such as example.com");
const KEYWORD: Field = required("keyword", "topic that buyers ask about");
const PLACE: Field = required("location", "place of the form city, country");
const RINGS: Field = optional("rings", "ring numbers 1 to 5 around the place");
const MODELS: Field = optional("models", "model aliases");
const PER_MODEL: Field = optional("questionsPerModel", "1 to 10");
const PER_RING: Field = optional("keywordsPerRing", "1 to 50");
const PER_KEYWORD: Field = optional("queriesPerKeyword", "1 to 10");
const LANGUAGE: Field = optional("language", "BCP 47 tag; default from the place");
const BRANDS: Field = optional("brandNames", "other names of the target, at most 10");
const LEARN: Field = optional(
    "learnNames",
    "true: look for the names that the home page gives itself, too",
);
const PAGE: Field = optional("url", "page to audit; needed unless html is given");
const HTML: Field = optional("html", "the page itself, at most 2 MiB");

const SCAN: &[Field] = &[
    DOMAIN,
    KEYWORD,
    optional("location", "place of the form city, country"),
    RINGS,
    MODELS,
    PER_MODEL,
    PER_RING,
    PER_KEYWORD,
    LANGUAGE,
    BRANDS,
    LEARN,
];
const RADIUS: &[Field] = &[
    DOMAIN,
    KEYWORD,
    PLACE,
    RINGS,
    MODELS,
    PER_MODEL,
    PER_RING,
    PER_KEYWORD,
    LANGUAGE,
    BRANDS,
    LEARN,
];
const AUDIT: &[Field] = &[PAGE, HTML];
const FULL: &[Field] = &[
    DOMAIN,
    KEYWORD,
    PLACE,
    RINGS,
    MODELS,
    PER_MODEL,
    PER_RING,
    PER_KEYWORD,
    LANGUAGE,
    BRANDS,
    LEARN,
    optional("url", "page to audit; default the home page of the domain"),
    optional("html", "the page itself, at most 2 MiB"),
];
const MY_RECEIPTS: &[Field] = &[
    optional("cursor", "nextCursor of the page before"),
    optional("limit", "1 to 100"),
];

/// The fields of a skill, those it needs first.
#[must_use]
pub const fn fields(skill: Skill) -> &'static [Field] {
    match skill {
        Skill::Scan => SCAN,
        Skill::Radius => RADIUS,
        Skill::Audit => AUDIT,
        Skill::Full => FULL,
        Skill::MyReceipts => MY_RECEIPTS,
    }
}

/// The fields that a skill cannot do without, in words.
pub(crate) fn needs(skill: Skill) -> String {
    match skill {
        Skill::Audit => "url or html".to_owned(),
        Skill::Scan | Skill::Radius | Skill::Full | Skill::MyReceipts => names(skill, true).join(", "),
    }
}

/// The names of the fields that a skill needs, or of the others.
pub(crate) fn names(skill: Skill, required: bool) -> Vec<&'static str> {
    let fields = fields(skill).iter().filter(|field| field.required == required);
    fields.map(|field| field.name).collect()
}

/// A name and a sentence about a skill.
#[must_use]
pub(crate) const fn words(skill: Skill) -> (&'static str, &'static str) {
    match skill {
        Skill::Scan => (
            "AI citation scan",
            "Asks several language models and tells how they cite a website for a keyword, with a score, an interval \
             and the competitors.",
        ),
        Skill::Radius => (
            "Citation radius",
            "Asks about markets in rings around a place and tells how far the website is cited.",
        ),
        Skill::Audit => (
            "Page audit",
            "Tells how easily an AI can find, read and cite one HTML page.",
        ),
        Skill::Full => (
            "Full report",
            "Scan, citation radius and page audit in one report.",
        ),
        Skill::MyReceipts => (
            "My receipts",
            "Lists the purchases of your wallet. The payment authorization proves the wallet and is never settled.",
        ),
    }
}

/// A request that works as it stands, as the object of a data part.
#[must_use]
pub fn example(skill: Skill) -> Map<String, Value> {
    let example = match skill {
        Skill::Scan => json!({"skill": "scan", "domain": "example.com", "keyword": "crm software"}),
        Skill::Radius => json!({"skill": "radius", "domain": "example.com", "keyword": "dentist",
            "location": "Vienna, Austria", "rings": [1, 2]}),
        Skill::Audit => json!({"skill": "audit", "url": "https://example.com/"}),
        Skill::Full => json!({"skill": "full", "domain": "example.com", "keyword": "dentist",
            "location": "Vienna, Austria"}),
        Skill::MyReceipts => json!({"skill": "my-receipts"}),
    };
    match example {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}
