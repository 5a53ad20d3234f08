//! The fields of requests: shapes, bounds, defaults and words.

use crate::catalog::Catalog;
use crate::count::{KeywordsPerRing, QueriesPerKeyword, QuestionsPerModel};
use crate::keyword::{BrandName, Keyword, LocationText};
use crate::order::ScanForm;
use crate::ring::Ring;
use serde_json::{Map, Value, json};

/// A field of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name in the JSON body, in forms and in messages of agents.
    pub name: &'static str,
    /// The values it takes.
    pub shape: Shape,
    /// The description in the API reference; empty where the name says it.
    pub about: &'static str,
    /// The few words of the agent; empty where the bounds say it.
    pub hint: &'static str,
    /// The remark in `llms.txt`; empty where the bounds say it.
    pub remark: &'static str,
    /// The name that messages of the form use; empty without an input of its own.
    pub label: &'static str,
    /// An example; empty without one.
    pub example: &'static str,
}

/// The values that a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A string, with its bounds in characters and its format as the schema names them; 0 and empty name none.
    Text {
        /// The shortest.
        least: usize,
        /// The longest.
        most: usize,
        /// The JSON Schema format.
        format: &'static str,
    },
    /// This string and no other.
    Word(&'static str),
    /// A string that is a secret, in a member that new callers do not send.
    Secret,
    /// `true` or `false`, the default.
    Flag,
    /// A whole number.
    Count {
        /// The smallest.
        least: u8,
        /// The largest.
        most: u8,
        /// The default.
        usual: u8,
    },
    /// A list of strings.
    Texts {
        /// Most elements.
        most: usize,
        /// Most characters of an element.
        each: usize,
    },
    /// A list of ring numbers; its default depends on the form.
    Rings,
    /// A list of model aliases; its default depends on the alias table.
    Models,
}

const TEXT: Shape = Shape::Text {
    least: 0,
    most: 0,
    format: "",
};

/// The members that most fields share.
const PLAIN: Field = Field {
    name: "",
    shape: TEXT,
    about: "",
    hint: "",
    remark: "",
    label: "",
    example: "",
};

/// The website to check.
pub const DOMAIN: Field = Field {
    name: "domain",
    about: "Website domain to check. A pasted address is fine.",
    hint: "website to check, such as example.com",
    label: "The website",
    example: "example.com",
    ..PLAIN
};

/// The words that people would ask a model for.
pub const KEYWORD: Field = Field {
    name: "keyword",
    shape: Shape::Text {
        least: 1,
        most: Keyword::MAX_CHARS,
        format: "",
    },
    hint: "topic that buyers ask about",
    label: "The keyword",
    example: "plumber",
    ..PLAIN
};

/// The place around which rings are scanned.
pub const LOCATION: Field = Field {
    name: "location",
    shape: Shape::Text {
        least: 0,
        most: LocationText::MAX_CHARS,
        format: "",
    },
    about: "City, country. Without it no ring is scanned.",
    hint: "place of the form city, country",
    remark: "\"city, country\"",
    label: "The place",
    example: "Valencia, Spain",
};

/// The tier of the v1 API.
pub const TIER: Field = Field {
    name: "tier",
    shape: Shape::Word("byok"),
    ..PLAIN
};

/// The provider key in the body, the older transport.
pub const ROUTER_API_KEY: Field = Field {
    name: "routerApiKey",
    shape: Shape::Secret,
    about: "Legacy transport of the provider key. Send the header X-Router-Key instead.",
    ..PLAIN
};

/// The models to ask.
pub const MODELS: Field = Field {
    name: "models",
    shape: Shape::Models,
    hint: "model aliases",
    remark: "aliases below",
    label: "The models",
    ..PLAIN
};

/// The rings to scan.
pub const RINGS: Field = Field {
    name: "rings",
    shape: Shape::Rings,
    about: "Rings around the place: 1 is up to 25 km, then 50, 100, 250, 500. Empty: core questions only.",
    hint: "ring numbers 1 to 5 around the place",
    remark: "1 to 5, default [1, 2]; none without a location",
    label: "The rings",
    ..PLAIN
};

/// Core questions of each model.
pub const QUESTIONS_PER_MODEL: Field = Field {
    name: "questionsPerModel",
    shape: Shape::Count {
        least: QuestionsPerModel::MIN,
        most: QuestionsPerModel::MAX,
        usual: 3,
    },
    about: "Core recommendation questions per model.",
    label: "Core questions",
    ..PLAIN
};

/// Keywords of each market in a ring.
pub const KEYWORDS_PER_RING: Field = Field {
    name: "keywordsPerRing",
    shape: Shape::Count {
        least: KeywordsPerRing::MIN,
        most: KeywordsPerRing::MAX,
        usual: 5,
    },
    about: "Keywords per selected market.",
    label: "Keywords per town",
    ..PLAIN
};

/// Phrasings of each keyword in a market.
pub const QUERIES_PER_KEYWORD: Field = Field {
    name: "queriesPerKeyword",
    shape: Shape::Count {
        least: QueriesPerKeyword::MIN,
        most: QueriesPerKeyword::MAX,
        usual: 1,
    },
    about: "Prompt variations per keyword.",
    label: "Phrasings",
    ..PLAIN
};

/// Further names of the website.
pub const BRAND_NAMES: Field = Field {
    name: "brandNames",
    shape: Shape::Texts {
        most: 10,
        each: BrandName::MAX_CHARS,
    },
    about: "Names under which answers may mention the domain.",
    hint: "other names of the target, at most 10",
    label: "Other names",
    ..PLAIN
};

/// Permission to read names from the home page.
pub const LEARN_NAMES: Field = Field {
    name: "learnNames",
    shape: Shape::Flag,
    about: "Fetch the home page of the domain and look for the names it gives itself, too.",
    hint: "true: look for the names that the home page gives itself, too",
    remark: "true: look for the names of the home page, too",
    ..PLAIN
};

/// The language of the questions.
pub const LANGUAGE: Field = Field {
    name: "language",
    about: "BCP 47 tag; default from the place.",
    hint: "BCP 47 tag; default from the place",
    label: "The language",
    example: "es",
    ..PLAIN
};

/// The address of a page to audit.
pub const URL: Field = Field {
    name: "url",
    shape: Shape::Text {
        least: 0,
        most: 2048,
        format: "uri",
    },
    hint: "page to audit; needed unless html is given",
    ..PLAIN
};

/// The source of a page to audit.
pub const HTML: Field = Field {
    name: "html",
    shape: Shape::Text {
        least: 0,
        most: 2 << 20,
        format: "",
    },
    hint: "the page itself, at most 2 MiB",
    ..PLAIN
};

/// The page of a bundle. Offers travel in headers, so its schema is short.
pub const BUNDLE_URL: Field = Field {
    shape: TEXT,
    hint: "page to audit; default the home page of the domain",
    ..URL
};

/// The source of the page of a bundle.
pub const BUNDLE_HTML: Field = Field { shape: TEXT, ..HTML };

/// The place in the list of receipts to go on from.
pub const CURSOR: Field = Field {
    name: "cursor",
    shape: Shape::Text {
        least: 0,
        most: 0,
        format: "uuid",
    },
    about: "`nextCursor` of the page before.",
    hint: "nextCursor of the page before",
    ..PLAIN
};

/// Most receipts of a page.
pub const LIMIT: Field = Field {
    name: "limit",
    shape: Shape::Count {
        least: 1,
        most: 100,
        usual: 100,
    },
    ..PLAIN
};

/// The fields that every sold scan can do without.
pub const SCAN_OPTIONS: &[&Field] = &[
    &RINGS,
    &MODELS,
    &QUESTIONS_PER_MODEL,
    &KEYWORDS_PER_RING,
    &QUERIES_PER_KEYWORD,
    &LANGUAGE,
    &BRAND_NAMES,
    &LEARN_NAMES,
];

/// The fields of `POST /api/v1/scan`.
pub const BYOK: &[&Field] = &[
    &DOMAIN,
    &KEYWORD,
    &LOCATION,
    &TIER,
    &ROUTER_API_KEY,
    &MODELS,
    &RINGS,
    &QUESTIONS_PER_MODEL,
    &KEYWORDS_PER_RING,
    &QUERIES_PER_KEYWORD,
    &BRAND_NAMES,
    &LEARN_NAMES,
    &LANGUAGE,
];

impl Field {
    /// The smallest and the largest value of a count.
    #[must_use]
    pub const fn bounds(&self) -> (u8, u8) {
        match self.shape {
            Shape::Count { least, most, .. } => (least, most),
            _ => (0, 0),
        }
    }

    /// Most elements of a list of texts, or most characters of a text.
    #[must_use]
    pub const fn most(&self) -> usize {
        match self.shape {
            Shape::Text { most, .. } | Shape::Texts { most, .. } => most,
            _ => 0,
        }
    }

    /// The few words of the agent.
    #[must_use]
    pub fn words(&self) -> String {
        match self.shape {
            Shape::Count { least, most, .. } => format!("{least} to {most}"),
            _ => self.hint.to_owned(),
        }
    }

    /// The field in the list of `llms.txt`.
    #[must_use]
    pub fn listed(&self) -> String {
        match (self.shape, self.remark) {
            (Shape::Count { least, most, usual }, _) => {
                format!("`{}` ({least} to {most}, default {usual})", self.name)
            }
            (_, "") => format!("`{}`", self.name),
            (_, remark) => format!("`{}` ({remark})", self.name),
        }
    }

    /// The JSON Schema of the field in a form; without `prose` it has neither descriptions nor examples.
    #[must_use]
    pub fn schema(&self, form: ScanForm, catalog: &Catalog, prose: bool) -> Value {
        let aliases = |models: &[crate::Model]| -> Value {
            models.iter().map(|model| json!(model.alias.as_str())).collect()
        };
        let mut schema = match self.shape {
            Shape::Text { least, most, format } => {
                let mut schema = json!({"type": "string"});
                if least > 0 {
                    schema["minLength"] = json!(least);
                }
                if most > 0 {
                    schema["maxLength"] = json!(most);
                }
                if !format.is_empty() {
                    schema["format"] = json!(format);
                }
                schema
            }
            Shape::Word(word) => json!({"type": "string", "enum": [word], "default": word}),
            Shape::Secret => json!({"type": "string", "deprecated": true, "writeOnly": true}),
            Shape::Flag => json!({"type": "boolean", "default": false}),
            Shape::Count { least, most, .. } => {
                json!({"type": "integer", "minimum": least, "maximum": most, "default": form.usual(self)})
            }
            Shape::Texts { most, each } => {
                json!({"type": "array", "maxItems": most, "items": {"type": "string", "maxLength": each}})
            }
            Shape::Rings => json!({"type": "array", "default": form.rings(),
                "items": {"type": "integer", "minimum": Ring::HOME.get(), "maximum": Ring::MAX}}),
            Shape::Models => {
                let mut items = json!({"type": "string"});
                if prose {
                    items["examples"] = aliases(catalog.models());
                }
                json!({"type": "array", "minItems": 1, "items": items, "default": aliases(catalog.defaults())})
            }
        };
        if prose && !self.about.is_empty() {
            schema["description"] = json!(self.about);
        }
        if prose && !self.example.is_empty() {
            schema["examples"] = json!([self.example]);
        }
        schema
    }
}

/// The JSON Schema of a body with these fields.
pub(super) fn body<'a>(
    required: impl Iterator<Item = &'a Field>,
    fields: impl Iterator<Item = &'a Field>,
    (form, prose): (ScanForm, bool),
    catalog: &Catalog,
) -> Value {
    let properties: Map<String, Value> = fields
        .map(|field| (field.name.to_owned(), field.schema(form, catalog, prose)))
        .collect();
    let mut body = json!({"type": "object", "properties": properties});
    let required: Vec<_> = required.map(|field| field.name).collect();
    if !required.is_empty() {
        body["required"] = json!(required);
    }
    body
}

/// The JSON Schema of the body of `POST /api/v1/scan`.
#[must_use]
pub fn byok_body(catalog: &Catalog) -> Value {
    let required = [&DOMAIN, &KEYWORD].into_iter();
    body(required, BYOK.iter().copied(), (ScanForm::Byok, true), catalog)
}
