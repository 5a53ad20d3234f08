//! What a request may hold: each field with its shape, bounds, default and words.
//!
//! ```
//! use ibid_model::contract::field::{QUESTIONS_PER_MODEL, byok_body};
//! use ibid_model::Catalog;
//!
//! assert_eq!(QUESTIONS_PER_MODEL.bounds(), (1, 10));
//! assert_eq!(QUESTIONS_PER_MODEL.value(&["4"]), 4);
//! let schema = byok_body(&Catalog::builtin());
//! assert_eq!(schema["properties"]["questionsPerModel"]["maximum"], 10);
//! ```

use crate::catalog::Catalog;
use crate::count::{KeywordsPerRing, Priority, QueriesPerKeyword, QuestionsPerModel};
use crate::keyword::{BrandName, Keyword, LocationText, Persona, QuestionText, Tag};
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
    /// The JSON Schema format of a string; empty without one.
    pub format: &'static str,
    /// The description in the API reference; empty if the name suffices.
    pub about: &'static str,
    /// The short description by the agent; empty if the bounds suffice.
    pub hint: &'static str,
    /// The remark in `llms.txt`; empty if the bounds suffice.
    pub remark: &'static str,
    /// Labels the form's input and names it in messages; empty without an input.
    pub label: &'static str,
    /// The sentence under the input in the form and in the help of the command line, without its full stop.
    pub help: &'static str,
    /// The option or argument of the command line; empty without one.
    pub option: &'static str,
    /// An example; empty without one.
    pub example: &'static str,
}

/// The values that a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A string, with its bounds in characters; 0 means no bound.
    Text {
        /// The shortest.
        least: usize,
        /// The longest.
        most: usize,
    },
    /// This string and no other.
    Word(&'static str),
    /// A secret string, in a member for old callers only.
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
        default: u8,
    },
    /// Whole points on the score scale; the smallest value depends on the form.
    Points {
        /// The largest.
        most: u8,
    },
    /// An amount of US dollars above zero.
    Dollars {
        /// The largest.
        most: u32,
    },
    /// A list of strings.
    Texts {
        /// Fewest elements of a list that is there.
        least: usize,
        /// Most elements.
        most: usize,
        /// Most characters of an element.
        each: usize,
    },
    /// Questions in the caller's own words: texts, or objects with the members in [`QUESTION`].
    Questions {
        /// Most elements.
        most: usize,
    },
    /// A list of ring numbers; its default depends on the form.
    Rings,
    /// A list of model aliases; its default depends on the alias table.
    Models,
}

/// The website to check.
pub const DOMAIN: Field = Field::text("domain")
    .about("Website domain to check. A pasted address is fine.")
    .hint("website to check, such as example.com")
    .label("The website")
    .help("Website to look for; a pasted address works too")
    .option("DOMAIN")
    .example("example.com");

/// The words that people would ask a model for.
pub const KEYWORD: Field = Field::text("keyword")
    .chars(1, Keyword::MAX_CHARS)
    .hint("topic that buyers ask about")
    .label("The keyword")
    .help("Product or service that people ask for: \"plumber\", \"crm for small teams\"")
    .option("KEYWORD")
    .example("plumber");

/// The place around which rings are scanned.
pub const LOCATION: Field = Field::text("location")
    .chars(0, LocationText::MAX_CHARS)
    .about("City, country. Without it no ring is scanned.")
    .hint("place of the form city, country")
    .remark("\"city, country\"")
    .label("The place")
    .help("City and country; without it there are no rings")
    .option("--location")
    .example("Valencia, Spain");

/// Only v1 has tiers, and only this one.
pub const TIER: Field = Field::new("tier", Shape::Word("byok"));

/// The provider key in the body, the older transport.
pub const ROUTER_API_KEY: Field = Field::new("routerApiKey", Shape::Secret)
    .about("Legacy transport of the provider key. Send the header X-Router-Key instead.");

/// The models to ask.
pub const MODELS: Field = Field::new("models", Shape::Models)
    .hint("model aliases")
    .remark("aliases below")
    .label("The models")
    .help("Words of their names, such as claude,\"gemini pro\", or aliases, as `ibid models` lists them")
    .option("--models");

/// The rings to scan.
pub const RINGS: Field = Field::new("rings", Shape::Rings)
    .about("Rings around the place: 1 is up to 25 km, then 50, 100, 250, 500. Empty: core questions only.")
    .hint("ring numbers 1 to 5 around the place")
    .remark("1 to 5, default [1, 2]; none without a location")
    .label("The rings")
    .help("Rings around the place, 1 to 5; \"none\" for core questions only; default 1,2")
    .option("--rings");

/// Core questions of each model.
pub const QUESTIONS_PER_MODEL: Field = Field::count("questionsPerModel", QuestionsPerModel::RANGE, 3)
    .about("Core recommendation questions per model.")
    .label("Core questions per model")
    .help("Use ten for a reliable likely range, six at least to compare scans")
    .option("--questions");

/// Core questions in the caller's own words, in place of the generated ones. Sold and free surfaces do not take it.
/// 300 questions are a panel; half would not hold one for a whole market, twice would not fit a plan's bound.
pub const QUESTIONS: Field = Field::new("questions", Shape::Questions { most: 300 })
    .about(
        "Questions in your own words, as texts or objects; they replace the generated core questions. Not taken where scans \
         are sold.",
    )
    .remark("questions in your own words, texts or objects, at most 300")
    .label("The questions")
    .option("--ask");

/// Names a question set's version, which is asked instead of `questions`.
pub const QUESTION_SET: Field = Field::text("questionSet")
    .about("A version of a question set of yours, `qs_…@4`, whose questions are asked; without `@` the last one. Not beside `questions`.")
    .remark("a version of a question set of yours, such as qs_…@4")
    .label("Question set")
    .help("A set of your own questions, such as qs_…@4, in place of the generated ones");

/// What people call a question set.
pub const QUESTION_SET_NAME: Field = Field::text("name")
    .chars(1, Tag::MAX_CHARS)
    .about("A name of yours; default the keyword.")
    .label("The name");

/// The people who ask, for a proposal.
pub const AUDIENCE: Field = Field::text("audience")
    .chars(1, Persona::MAX_CHARS)
    .about("The people who ask, in your words. It must not name the website.")
    .label("Who asks")
    .help("The people who buy: \"landlords with old houses\"")
    .option("--audience");

/// The thing on offer, for a proposal.
pub const OFFER: Field = Field::text("offer")
    .chars(1, QuestionText::MAX_CHARS)
    .about("The thing on offer, in your words. It must not name the website.")
    .label("What is on offer")
    .help("The product or service in a sentence, without its name")
    .option("--offer");

/// How many questions a proposal has.
pub const PROPOSAL_COUNT: Field = Field::count("count", (1, 60), 20).about("Questions to propose.");

/// Whether a request only shows its effect.
pub const DRY_RUN: Field =
    Field::new("dryRun", Shape::Flag).about("Show the request and its price without asking.");

/// The fields that questions are checked against.
pub const SUBJECT: &[&Field] = &[&DOMAIN, &KEYWORD, &LOCATION, &LANGUAGE, &BRAND_NAMES, &NOT_NAMES];

/// What is asked.
pub const QUESTION_TEXT: Field = Field::text("text")
    .chars(1, QuestionText::MAX_CHARS)
    .about("The question, one line. `{place}` becomes the place, in the words of the language.")
    .example("Who repairs boilers {place}?");

/// The caller's id of a question.
pub const QUESTION_ID: Field = Field::text("id")
    .chars(1, Tag::MAX_CHARS)
    .about("An id of yours.");

/// Groups questions by topic.
pub const QUESTION_TOPIC: Field = Field::text("topic")
    .chars(1, Tag::MAX_CHARS)
    .about("The subject that the question belongs to.")
    .example("boiler repair");

/// What the person wants, such as `compare` or `price`.
pub const QUESTION_INTENT: Field = Field::text("intent")
    .chars(1, Tag::MAX_CHARS)
    .about("The aim of the person who asks, such as `compare` or `price`.")
    .example("price");

/// The person who asks a question.
pub const QUESTION_PERSONA: Field = Field::text("persona")
    .chars(1, Persona::MAX_CHARS)
    .about("The kind of person who asks.")
    .example("landlord of a small house");

/// Where the person asks from.
pub const QUESTION_PLACE: Field = Field::text("place")
    .chars(1, LocationText::MAX_CHARS)
    .about("The place of the person who asks; default the location of the scan.")
    .example("Leeds, United Kingdom");

/// Which language the question is written in.
pub const QUESTION_LANGUAGE: Field = Field::text("language").about("BCP 47 tag; default from the text.");

/// Free labels on a question.
pub const QUESTION_TAGS: Field = Field::new(
    "tags",
    Shape::Texts {
        least: 0,
        most: 10,
        each: Tag::MAX_CHARS,
    },
)
.about("Labels of yours.");

/// What a question written as an object may hold.
pub const QUESTION: &[&Field] = &[
    &QUESTION_TEXT,
    &QUESTION_ID,
    &QUESTION_TOPIC,
    &QUESTION_INTENT,
    &QUESTION_PERSONA,
    &QUESTION_PLACE,
    &QUESTION_LANGUAGE,
    &QUESTION_TAGS,
];

/// Keywords of each market in a ring.
pub const KEYWORDS_PER_RING: Field = Field::count("keywordsPerRing", KeywordsPerRing::RANGE, 5)
    .about("Keywords per selected market.")
    .label("Keywords per town")
    .help("Each is asked of every model, in each town of a ring")
    .option("--keywords");

/// Phrasings of each keyword in a market.
pub const QUERIES_PER_KEYWORD: Field = Field::count("queriesPerKeyword", QueriesPerKeyword::RANGE, 1)
    .about("Prompt variations per keyword.")
    .label("Phrasings per keyword")
    .help("Each keyword is asked so many times, in other words")
    .option("--queries");

/// The scan stops asking once the score's range is this narrow, in points.
pub const TARGET_WIDTH: Field = Field::new("targetWidth", Shape::Points { most: 100 })
    .about(
        "Points. Questions are asked in batches until the 95 % range of the score is at most so wide. Towns are not asked then. \
         Not beside `questionsPerModel` or `rings`.",
    )
    .remark("points: ask in batches until the range of the score is so narrow; in place of counts and rings")
    .label("Width of the range")
    .help("Ask until the score is known to within so many points from end to end; 30 is about 23 questions")
    .option("--target-width");

/// The money at which a scan asks no more.
pub const BUDGET: Field = Field::new("budget", Shape::Dollars { most: 10_000 })
    .about(
        "US dollars. Questions are asked in batches as long as the next call fits. Towns are not asked then. Not beside \
         `questionsPerModel` or `rings`.",
    )
    .remark("US dollars: ask in batches as long as the money lasts; in place of counts and rings")
    .label("Spend at most")
    .help("Ask as long as so many dollars last")
    .option("--budget");

/// Further websites of the owner.
pub const OWN_DOMAINS: Field = Field::new(
    "ownDomains",
    Shape::Texts {
        least: 0,
        most: 20,
        each: 2_000,
    },
)
.about("Further websites of the same owner: links to them and their names count as yours.")
.hint("further websites of the same owner, at most 20")
.label("Your other websites")
.help("Links to them count as yours. A path counts where a host has many owners, such as github.com/acme")
.option("--own-domain");

/// Further names of the website.
pub const BRAND_NAMES: Field = Field::new(
    "brandNames",
    Shape::Texts {
        least: 0,
        most: 10,
        each: BrandName::MAX_CHARS,
    },
)
.about("Names under which answers may mention the domain.")
.hint("other names of the target, at most 10")
.label("Other names of the website")
.help("They are looked for in answers and never sent to a model")
.option("--brand");

/// Names of others that contain a name of this website, such as "Delta Faucet" beside "Delta".
pub const NOT_NAMES: Field = Field::new(
    "notNames",
    Shape::Texts {
        least: 0,
        most: 10,
        each: BrandName::MAX_CHARS,
    },
)
.about("Names of other parties that hold one of the names looked for: \"Delta Faucet\" beside \"Delta\".")
.hint("names of others that hold a name of the target, at most 10")
.label("Names of others")
.help("Names of other businesses that hold one of these names; they are never counted as the website")
.option("--not-name");

/// Permission to read names from the home page.
pub const LEARN_NAMES: Field = Field::new("learnNames", Shape::Flag)
    .about("Fetch the home page of the domain and look for the names it gives itself, too.")
    .hint("true: look for the names that the home page gives itself, too")
    .remark("true: look for the names of the home page, too")
    .label("Names from the home page")
    .help("The home page is fetched once, and its names are looked for as well")
    .option("--learn-names");

/// Which language generated questions are written in.
pub const LANGUAGE: Field = Field::text("language")
    .about("BCP 47 tag; default from the place.")
    .hint("BCP 47 tag; default from the place")
    .label("Language of the questions")
    .help("A tag such as es or pt-BR; by default the language of the place")
    .option("--language")
    .example("es");

/// Which page to audit.
pub const URL: Field = Field::text("url")
    .chars(0, 2048)
    .format("uri")
    .hint("page to audit; needed unless html is given");

/// A page's source, for an audit without fetching.
pub const HTML: Field = Field::text("html")
    .chars(0, 2 << 20)
    .hint("the page itself, at most 2 MiB");

/// Permission to ask for the page with the names of several agents.
pub const BOTS: Field = Field::new("bots", Shape::Flag)
    .about("Also fetch url as seven agents, GPTBot and a browser among them, and compare the answers.")
    .hint("true: compare the answers to seven agents; needs url");

/// Which page a bundle audits. Offers travel in headers, so its schema is short.
pub const BUNDLE_URL: Field = Field::text("url").hint("page to audit; default the home page of the domain");

/// The source that a bundle audits instead of fetching its page.
pub const BUNDLE_HTML: Field = Field::text("html").hint(HTML.hint);

/// The place in the list of receipts to go on from.
pub const CURSOR: Field = Field::text("cursor")
    .format("uuid")
    .about("`nextCursor` of the page before.")
    .hint("nextCursor of the page before");

/// Which subscription is told when a queued scan ends.
pub const WEBHOOK: Field = Field::text("webhook").format("uuid").about(
    "The id of your webhook that gets the events of this scan, whichever events it lists. Without it, every webhook of yours \
     that lists the event gets it.",
)
.remark("the id of a webhook of yours");

/// The time after which a queued scan asks no questions.
pub const DEADLINE: Field = Field::text("deadline")
    .format("date-time")
    .about("No question is asked after it; the answers until then are scored. At most 7 days ahead.")
    .remark("a time, at most 7 days ahead; nothing is asked after it")
    .example("2026-12-01T09:00:00Z");

/// Bounds what a queued scan may cost, in US dollars.
pub const MAX_COST: Field = Field::new("maxCost", Shape::Dollars { most: 10_000 }).about(
    "US dollars. A scan whose estimate is above it is refused. A scan that reaches it asks nothing more, and the answers until \
     then are scored.",
)
.remark("US dollars");

/// The caller's label of a queued scan.
pub const TAG: Field = Field::text("tag")
    .chars(1, Tag::MAX_CHARS)
    .about("A label of yours, to find the scan by.")
    .remark("a label of yours")
    .example("weekly");

/// Queued scans with a lower number start earlier.
pub const PRIORITY: Field = Field::count("priority", Priority::RANGE, 3)
    .about("1 comes first. A level counts as much as a minute of waiting, among your own scans.");

/// Most receipts of a page.
pub const LIMIT: Field = Field::count("limit", (1, 100), 100);

/// Most scans, deliveries or tasks of a page.
pub const PAGE_LIMIT: Field = Field::count("limit", (1, 100), 50);

/// The fields that every sold scan can do without.
pub const SCAN_OPTIONS: &[&Field] = &[
    &RINGS,
    &MODELS,
    &QUESTIONS_PER_MODEL,
    &KEYWORDS_PER_RING,
    &QUERIES_PER_KEYWORD,
    &LANGUAGE,
    &OWN_DOMAINS,
    &BRAND_NAMES,
    &NOT_NAMES,
    &LEARN_NAMES,
];

/// The fields that decide the size of a scan. Fields omitted by a buyer are fitted to the price.
pub const SIZES: &[&Field] = &[
    &KEYWORDS_PER_RING,
    &QUERIES_PER_KEYWORD,
    &QUESTIONS_PER_MODEL,
    &MODELS,
    &RINGS,
];

/// What `POST /api/v1/scan` takes.
pub const BYOK: &[&Field] = &[
    &DOMAIN,
    &KEYWORD,
    &LOCATION,
    &TIER,
    &ROUTER_API_KEY,
    &MODELS,
    &RINGS,
    &QUESTIONS_PER_MODEL,
    &QUESTIONS,
    &QUESTION_SET,
    &KEYWORDS_PER_RING,
    &QUERIES_PER_KEYWORD,
    &TARGET_WIDTH,
    &BUDGET,
    &OWN_DOMAINS,
    &BRAND_NAMES,
    &NOT_NAMES,
    &LEARN_NAMES,
    &LANGUAGE,
];

/// The fields that a queued scan adds to those of [`BYOK`].
pub const QUEUED: &[&Field] = &[&WEBHOOK, &DEADLINE, &MAX_COST, &TAG, &PRIORITY];

/// What a page audit takes.
pub const PAGE: &[&Field] = &[&URL, &HTML, &BOTS];

/// What a scan in the workspace takes.
pub const WORKSPACE: &[&Field] = &[
    &DOMAIN,
    &KEYWORD,
    &LOCATION,
    &MODELS,
    &RINGS,
    &QUESTIONS_PER_MODEL,
    &QUESTIONS,
    &QUESTION_SET,
    &KEYWORDS_PER_RING,
    &QUERIES_PER_KEYWORD,
    &TARGET_WIDTH,
    &BUDGET,
    &OWN_DOMAINS,
    &BRAND_NAMES,
    &NOT_NAMES,
    &LEARN_NAMES,
    &LANGUAGE,
];

impl Field {
    pub(super) const fn new(name: &'static str, shape: Shape) -> Self {
        Self {
            name,
            shape,
            format: "",
            about: "",
            hint: "",
            remark: "",
            label: "",
            help: "",
            option: "",
            example: "",
        }
    }

    pub(super) const fn text(name: &'static str) -> Self {
        Self::new(name, Shape::Text { least: 0, most: 0 })
    }

    const fn count(name: &'static str, (least, most): (u8, u8), default: u8) -> Self {
        Self::new(name, Shape::Count { least, most, default })
    }

    pub(super) const fn chars(self, least: usize, most: usize) -> Self {
        Self {
            shape: Shape::Text { least, most },
            ..self
        }
    }

    const fn format(self, format: &'static str) -> Self {
        Self { format, ..self }
    }

    pub(super) const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    const fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    const fn remark(self, remark: &'static str) -> Self {
        Self { remark, ..self }
    }

    const fn label(self, label: &'static str) -> Self {
        Self { label, ..self }
    }

    const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    const fn option(self, option: &'static str) -> Self {
        Self { option, ..self }
    }

    const fn example(self, example: &'static str) -> Self {
        Self { example, ..self }
    }

    /// The value that texts of a form or a command line mean. A text that is no number stays one, and is a fault later.
    pub fn value(&self, texts: &[&str]) -> Value {
        let first = texts.first().copied().unwrap_or_default();
        match self.shape {
            Shape::Text { .. } | Shape::Word(_) | Shape::Secret => json!(first),
            Shape::Flag => json!(true),
            Shape::Count { .. } | Shape::Points { .. } | Shape::Dollars { .. } => number(first),
            Shape::Texts { .. } | Shape::Questions { .. } | Shape::Models => json!(texts),
            Shape::Rings => texts.iter().map(|text| number(text)).collect(),
        }
    }

    /// The smallest and the largest value of a count.
    pub const fn bounds(&self) -> (u8, u8) {
        match self.shape {
            Shape::Count { least, most, .. } => (least, most),
            _ => (0, 0),
        }
    }

    /// Returns what a count is when the caller leaves it out.
    pub const fn default_count(&self) -> u8 {
        match self.shape {
            Shape::Count { default, .. } => default,
            _ => 0,
        }
    }

    /// The most elements of a list, or the most characters in a text.
    pub const fn most(&self) -> usize {
        match self.shape {
            Shape::Text { most, .. } | Shape::Texts { most, .. } | Shape::Questions { most } => most,
            _ => 0,
        }
    }

    /// Describes the field in a few words, for agents.
    pub fn words(&self) -> String {
        match self.shape {
            Shape::Count { least, most, .. } => format!("{least} to {most}"),
            _ => self.hint.to_owned(),
        }
    }

    /// The field in the list of `llms.txt`.
    pub fn listed(&self) -> String {
        match (self.shape, self.remark) {
            (Shape::Count { least, most, default }, _) => {
                format!("`{}` ({least} to {most}, default {default})", self.name)
            }
            (_, "") => format!("`{}`", self.name),
            (_, remark) => format!("`{}` ({remark})", self.name),
        }
    }

    /// Writes the field's JSON Schema in a form; without `prose` it has neither descriptions nor examples.
    pub fn schema(&self, form: ScanForm, catalog: &Catalog, prose: bool) -> Value {
        let aliases = |models: &[crate::Model]| -> Value {
            models.iter().map(|model| json!(model.alias.as_str())).collect()
        };
        let mut schema = match self.shape {
            Shape::Text { .. } => json!({"type": "string"}),
            Shape::Word(word) => json!({"type": "string", "enum": [word], "default": word}),
            Shape::Secret => json!({"type": "string", "deprecated": true, "writeOnly": true}),
            Shape::Flag => json!({"type": "boolean", "default": false}),
            Shape::Count { least, most, .. } => {
                json!({"type": "integer", "minimum": least, "maximum": most, "default": form.default_of(self)})
            }
            Shape::Points { most } => {
                json!({"type": "integer", "minimum": form.narrowest_width(), "maximum": most})
            }
            Shape::Dollars { most } => {
                json!({"type": "number", "exclusiveMinimum": 0, "maximum": most})
            }
            Shape::Texts { least, most, each } => {
                let items = json!({"type": "string", "maxLength": each});
                let mut list = json!({"type": "array", "maxItems": most, "items": items});
                if least > 0 {
                    list["minItems"] = json!(least);
                }
                list
            }
            Shape::Questions { most } => {
                let required = std::iter::once(&QUESTION_TEXT);
                let question = body(required, QUESTION.iter().copied(), (form, prose), catalog);
                let text = QUESTION_TEXT.schema(form, catalog, false);
                json!({"type": "array", "minItems": 1, "maxItems": most, "items": {"anyOf": [text, question]}})
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
        if let Shape::Text { least, most } = self.shape {
            let bounds = [("minLength", least), ("maxLength", most)];
            for (bound, chars) in bounds.into_iter().filter(|(_, chars)| *chars > 0) {
                schema[bound] = json!(chars);
            }
        }
        if !self.format.is_empty() {
            schema["format"] = json!(self.format);
        }
        if prose && !self.about.is_empty() {
            schema["description"] = json!(self.about);
        }
        if prose && !self.example.is_empty() {
            schema["examples"] = json!([self.example]);
        }
        schema
    }
}

/// Parses a number, or returns the text if it is not a number.
fn number(text: &str) -> Value {
    let float = || serde_json::Number::from_f64(text.parse().ok()?).map(Value::Number);
    let whole = text.parse::<i64>().ok().map(Value::from);
    whole.or_else(float).unwrap_or_else(|| json!(text))
}

/// Writes the JSON Schema for a body with these fields.
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

/// Writes the JSON Schema that `POST /api/v1/scan` takes.
#[must_use]
pub fn byok_body(catalog: &Catalog) -> Value {
    let required = [&DOMAIN, &KEYWORD].into_iter();
    body(required, BYOK.iter().copied(), (ScanForm::Byok, true), catalog)
}

/// Writes the JSON Schema for storing a question set.
#[must_use]
pub fn question_set_body(catalog: &Catalog) -> Value {
    let required = std::iter::once(&QUESTIONS);
    let fields = [&QUESTION_SET_NAME, &DOMAIN, &KEYWORD, &LOCATION, &QUESTIONS].into_iter();
    body(required, fields, (ScanForm::Byok, true), catalog)
}

/// Writes the JSON Schema for checking questions.
#[must_use]
pub fn check_body(catalog: &Catalog) -> Value {
    let fields = std::iter::once(&QUESTIONS).chain(SUBJECT.iter().copied());
    body(
        std::iter::once(&QUESTIONS),
        fields,
        (ScanForm::Byok, true),
        catalog,
    )
}

/// Writes the JSON Schema for a proposal.
#[must_use]
pub fn proposal_body(catalog: &Catalog) -> Value {
    const MODEL: Field =
        Field::text("model").about("The alias of the model that is asked; default the first of the table.");
    let own = [&AUDIENCE, &OFFER, &PROPOSAL_COUNT, &DRY_RUN, &MODEL].into_iter();
    let fields = SUBJECT.iter().copied().chain(own);
    body(std::iter::once(&KEYWORD), fields, (ScanForm::Byok, true), catalog)
}

/// Writes the JSON Schema for an object with these fields, all optional but the keyword.
#[must_use]
pub fn fields_body(fields: &[&Field]) -> Value {
    let catalog = Catalog::builtin();
    body(
        std::iter::once(&KEYWORD),
        fields.iter().copied(),
        (ScanForm::Byok, true),
        &catalog,
    )
}

/// Writes the JSON Schema for queueing a scan.
#[must_use]
pub fn queued_body(catalog: &Catalog) -> Value {
    let required = [&DOMAIN, &KEYWORD].into_iter();
    let fields = BYOK.iter().chain(QUEUED).copied();
    body(required, fields, (ScanForm::Queued, true), catalog)
}

/// Writes the JSON Schema for what a project's scan takes, without the number of questions, which has other
/// bounds there.
#[must_use]
pub fn project_body(catalog: &Catalog) -> Value {
    let required = [&DOMAIN, &KEYWORD].into_iter();
    let without = [QUESTIONS_PER_MODEL.name, TARGET_WIDTH.name, BUDGET.name];
    let fields = WORKSPACE.iter().copied();
    let fields = fields.filter(|field| !without.contains(&field.name));
    body(required, fields, (ScanForm::Project, true), catalog)
}

/// Writes the JSON Schema for a scan in the workspace.
#[must_use]
pub fn workspace_body(catalog: &Catalog) -> Value {
    let required = [&DOMAIN, &KEYWORD].into_iter();
    body(
        required,
        WORKSPACE.iter().copied(),
        (ScanForm::Workspace, true),
        catalog,
    )
}
