//! From what a caller wrote to what will be run.

use crate::catalog::{Catalog, Model};
use crate::contract::field as f;
use crate::contract::{Field, Shape};
use crate::count::{Count, KeywordsPerRing, QueriesPerKeyword, QuestionsPerModel};
use crate::domain::Domain;
use crate::fault::{FaultCode, Faults};
use crate::keyword::{BrandName, Keyword, Language, LocationText};
use crate::misspelling::misspelt;
use crate::money::UsdMicros;
use crate::object_reader::ObjectReader;
use crate::question::OwnQuestion;
use crate::question_set::AskedSet;
use crate::result::Warning;
use crate::ring::{Ring, Rings};
use crate::website::Website;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A project's run asks a model no more questions than the largest set has.
const MOST_OF_PANEL: u16 = 300;

/// Which surface a draft comes from. They share their fields and differ in defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanForm {
    /// `POST /api/v1/scan`: rings 1 and 2 by default, `tier` checked.
    Byok,
    /// A queued scan and the command line: the same, with a narrower target.
    Queued,
    /// A scan of the workspace: the same defaults, without a tier.
    Workspace,
    /// A project's run: like a scan in the workspace, with up to 300 questions a model.
    Project,
    /// A sold scan or the free question: core questions only unless rings are given.
    Scan,
    /// A paid radius analysis or full bundle: a place is required, rings 1 and 2, one keyword a market.
    Radius,
}

/// A scan request as the caller wrote it. Carries no key: `routerApiKey` is taken out before.
#[derive(Clone, Copy, Debug)]
pub struct ScanDraft<'a>(pub &'a Map<String, Value>);

/// A scan that can be planned. Exists only if every field is valid.
/// It is stored with the plan of a queued run, so a new field needs a default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanOrder {
    domain: Domain,
    /// The website and its owner's further ones; empty in orders from older versions.
    #[serde(default)]
    websites: Vec<Website>,
    keyword: Keyword,
    location: Option<LocationText>,
    language: Option<Language>,
    brand_names: Vec<BrandName>,
    not_names: Vec<BrandName>,
    learn_names: bool,
    models: Vec<Model>,
    rings: Rings,
    rings_given: bool,
    questions_per_model: QuestionsPerModel,
    /// Orders that were stored without it ask their own questions in full.
    #[serde(default)]
    questions_per_model_given: bool,
    /// The questions a model of a project, which may be more.
    #[serde(default)]
    panel: Option<u16>,
    questions: Vec<OwnQuestion>,
    #[serde(default)]
    question_set: Option<AskedSet>,
    keywords_per_ring: KeywordsPerRing,
    queries_per_keyword: QueriesPerKeyword,
    most_markets: Option<u8>,
    #[serde(default)]
    stop: Option<StopRule>,
}

/// The width and the money at which a scan that asks in batches ends. At least one of them is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopRule {
    /// How narrow the score's range has to be, in points.
    pub target_width: Option<u8>,
    /// The most that the answers may cost.
    pub budget: Option<UsdMicros>,
}

/// How much an order asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Generated core questions per model.
    pub questions_per_model: QuestionsPerModel,
    /// Keywords per selected market.
    pub keywords_per_ring: KeywordsPerRing,
    /// Phrasings per keyword.
    pub queries_per_keyword: QueriesPerKeyword,
}

impl ScanForm {
    /// The rings that are scanned unless the caller names others.
    pub const fn rings(self) -> &'static [u8] {
        match self {
            Self::Byok | Self::Queued | Self::Workspace | Self::Project | Self::Radius => &[1, 2],
            Self::Scan => &[],
        }
    }

    /// Whether callers may word the core questions themselves.
    /// Answers that are free or sold at a fixed price have the questions of the service.
    pub const fn takes_questions(self) -> bool {
        match self {
            Self::Byok | Self::Queued | Self::Workspace | Self::Project => true,
            Self::Scan | Self::Radius => false,
        }
    }

    /// The narrowest range that callers may ask for, in points.
    /// Half of it takes four times as many calls, which a caller that waits for the answer has no time for.
    pub const fn narrowest_width(self) -> u8 {
        match self {
            Self::Byok => 20,
            Self::Queued | Self::Workspace | Self::Project | Self::Scan | Self::Radius => 10,
        }
    }

    /// Returns what a count is when the caller leaves it out.
    pub fn default_of(self, field: &Field) -> u8 {
        match field.shape {
            // A radius analysis asks many markets, so it asks little in each.
            Shape::Count { .. } if self == Self::Radius && field.name == f::KEYWORDS_PER_RING.name => 1,
            _ => field.default_count(),
        }
    }
}

impl ScanDraft<'_> {
    /// The location, if that field is a proper text. Faults of other fields do not matter.
    pub fn location(&self) -> Option<LocationText> {
        self.0.get("location")?.as_str()?.parse().ok()
    }

    /// Whether the draft has a member that is not `null`.
    pub fn names(&self, field: &Field) -> bool {
        self.0.get(field.name).is_some_and(|value| !value.is_null())
    }

    /// Returns a warning for every unknown member with nearly the name of a known one, at most one for each known one.
    /// Other unknown members are ignored without a warning: a later version may know them.
    pub fn misspelt(&self) -> Vec<Warning> {
        let known = [f::BYOK, f::QUEUED, f::PAGE].concat();
        let known = known.iter().map(|field| field.name);
        let unknown = self
            .0
            .keys()
            .filter(|name| !known.clone().any(|known| known == *name));
        let mut meant: BTreeMap<&str, &str> = BTreeMap::new();
        for name in unknown.take(known.len()) {
            if let Some(known) = misspelt(name, known.clone()) {
                meant.entry(known).or_insert(name);
            }
        }
        let warning = |(known, name): (&str, &str)| {
            let message = format!("there is no member {name:?}, so it was ignored; did you mean {known}?");
            Warning::new("unknown_member", message)
        };
        meant.into_iter().map(warning).collect()
    }

    /// Checks every field against its bounds and the alias table.
    ///
    /// # Errors
    /// Every fault in the draft, in the order of the fields.
    pub fn parse(self, catalog: &Catalog, form: ScanForm) -> Result<ScanOrder, Faults> {
        let mut fields = ObjectReader::new(self.0);
        let domain = fields.required_text::<Website>(&f::DOMAIN);
        let own: Vec<Website> = fields.texts(&f::OWN_DOMAINS).unwrap_or_default();
        let keyword = fields.required_text(&f::KEYWORD);
        let location = match form {
            ScanForm::Radius => fields.required_text(&f::LOCATION),
            _ => fields.text(&f::LOCATION),
        };
        if matches!(form, ScanForm::Byok | ScanForm::Queued) {
            check_tier(&mut fields);
        }
        let language = fields.text(&f::LANGUAGE);
        let brand_names = fields.texts(&f::BRAND_NAMES).unwrap_or_default();
        let not_names = fields.texts(&f::NOT_NAMES).unwrap_or_default();
        let learn_names = fields.flag(&f::LEARN_NAMES).unwrap_or(false);
        let models = parse_models(&mut fields, catalog);
        let given = parse_rings(&mut fields);
        let panel = match form {
            ScanForm::Project => fields.whole_wide(f::QUESTIONS_PER_MODEL.name, 1, MOST_OF_PANEL),
            _ => None,
        };
        let questions_per_model = match form {
            ScanForm::Project => Count::new(form.default_of(&f::QUESTIONS_PER_MODEL)).unwrap_or_default(),
            _ => count(&mut fields, &f::QUESTIONS_PER_MODEL, form),
        };
        let questions_per_model_given = fields.get(f::QUESTIONS_PER_MODEL.name).is_some();
        let questions = parse_questions(&mut fields, form);
        let question_set = parse_set(&mut fields, form);
        let keywords_per_ring = count(&mut fields, &f::KEYWORDS_PER_RING, form);
        let queries_per_keyword = count(&mut fields, &f::QUERIES_PER_KEYWORD, form);
        let stop = parse_stop(&mut fields, form, given.as_ref());
        let rings_given = given.is_some();
        let default = if stop.is_some() { &[] } else { form.rings() };
        let rings = given.unwrap_or_else(|| default.iter().copied().filter_map(Ring::new).collect());
        let order = domain.zip(keyword).map(|(main, keyword)| ScanOrder {
            domain: main.domain().clone(),
            websites: [main].into_iter().chain(own).collect(),
            keyword,
            location,
            language,
            brand_names,
            not_names,
            learn_names,
            models,
            rings,
            rings_given,
            questions_per_model,
            questions_per_model_given,
            panel,
            questions,
            question_set,
            keywords_per_ring,
            queries_per_keyword,
            most_markets: None,
            stop,
        });
        fields.finish(order)
    }
}

fn check_tier(fields: &mut ObjectReader<'_>) {
    match fields.get(f::TIER.name) {
        None => {}
        Some(Value::String(tier)) if matches!(f::TIER.shape, Shape::Word(word) if word == tier) => {}
        Some(Value::String(_)) => {
            fields.fault(
                "/tier",
                FaultCode::UnknownTier,
                "tier must be \"byok\", the only tier there is",
            );
        }
        Some(_) => fields.fault("/tier", FaultCode::WrongType, "tier must be a string"),
    }
}

/// The models to ask, in the caller's order, each once.
fn parse_models(fields: &mut ObjectReader<'_>, catalog: &Catalog) -> Vec<Model> {
    let Some(value) = fields.get(f::MODELS.name) else {
        return catalog.defaults().to_vec();
    };
    let Some(aliases) = value.as_array() else {
        fields.fault(
            "/models",
            FaultCode::WrongType,
            "models must be an array of aliases",
        );
        return Vec::new();
    };
    if aliases.is_empty() {
        fields.fault(
            "/models",
            FaultCode::OutOfRange,
            "models must name at least one alias",
        );
    }
    let mut models: Vec<Model> = Vec::new();
    for (index, alias) in aliases.iter().enumerate() {
        let field = format!("/models/{index}");
        match alias.as_str().map(|alias| catalog.resolve(alias)) {
            Some(Some(model)) if models.iter().any(|known| known.alias == model.alias) => fields.fault(
                &field,
                FaultCode::Invalid,
                format!("models[{index}] names {} a second time", model.alias),
            ),
            Some(Some(model)) => models.push(model.clone()),
            Some(None) => {
                let known: Vec<_> = catalog.models().iter().map(|m| m.alias.as_str()).collect();
                let message = format!(
                    "models[{index}] is no known alias; known are {}",
                    known.join(", ")
                );
                fields.fault(&field, FaultCode::UnknownModel, message);
            }
            None => fields.fault(
                &field,
                FaultCode::WrongType,
                format!("models[{index}] must be a string"),
            ),
        }
        if index >= 100 {
            fields.fault(
                "/models",
                FaultCode::OutOfRange,
                "models takes at most 100 elements",
            );
            break;
        }
    }
    models
}

/// Returns the caller's own core questions without duplicates; empty for a form that takes no questions.
fn parse_questions(fields: &mut ObjectReader<'_>, form: ScanForm) -> Vec<OwnQuestion> {
    let name = f::QUESTIONS.name;
    if fields.get(name).is_some() && !form.takes_questions() {
        fields.fault(
            "/questions",
            FaultCode::Invalid,
            "questions are taken by POST /api/v1/scan, the command line and the workspace only; leave the field out",
        );
        return Vec::new();
    }
    let Some(value) = fields.get(name) else {
        return Vec::new();
    };
    OwnQuestion::list(value).unwrap_or_else(|faults| {
        fields.append(faults.below("/questions"));
        Vec::new()
    })
}

/// Returns the set that the questions come from. A surface that takes sets has replaced its name before, by the object that
/// [`AskedSet`] is; a name that is still there is a fault.
fn parse_set(fields: &mut ObjectReader<'_>, form: ScanForm) -> Option<AskedSet> {
    let value = fields.get(f::QUESTION_SET.name)?;
    let set = form
        .takes_questions()
        .then(|| AskedSet::deserialize(value).ok())
        .flatten();
    if set.is_none() {
        let message = "question sets are taken by the API with a bearer key and by the workspace only; leave the field out";
        fields.fault("/questionSet", FaultCode::Invalid, message);
    }
    set
}

/// Returns the rule by which a scan that asks in batches ends; `None` for one with counts.
fn parse_stop(fields: &mut ObjectReader<'_>, form: ScanForm, rings: Option<&Rings>) -> Option<StopRule> {
    let mut given = [&f::TARGET_WIDTH, &f::BUDGET].into_iter();
    let given = given.find(|field| fields.get(field.name).is_some())?.name;
    if !form.takes_questions() {
        for field in [&f::TARGET_WIDTH, &f::BUDGET] {
            let name = field.name;
            if fields.get(name).is_some() {
                let message = format!(
                    "{name} is taken by the API with a bearer key, the command line and the workspace only; leave the field out"
                );
                fields.fault(&format!("/{name}"), FaultCode::Invalid, message);
            }
        }
        return None;
    }
    if fields.get(f::QUESTIONS_PER_MODEL.name).is_some() {
        let message = format!("{given} decides how many questions are asked; leave questionsPerModel out");
        fields.fault("/questionsPerModel", FaultCode::Invalid, message);
    }
    if rings.is_some_and(|rings| !rings.is_empty()) {
        let message = format!("with {given} no towns are asked; leave rings out");
        fields.fault("/rings", FaultCode::Invalid, message);
    }
    let name = f::TARGET_WIDTH.name;
    let (low, high) = match f::TARGET_WIDTH.shape {
        Shape::Points { most } => (form.narrowest_width(), most),
        _ => (0, 0),
    };
    let target_width = fields
        .get(name)
        .and_then(|value| fields.whole_value(&format!("/{name}"), name, value, low, high));
    Some(StopRule {
        target_width,
        budget: fields.dollars(&f::BUDGET),
    })
}

fn parse_rings(fields: &mut ObjectReader<'_>) -> Option<Rings> {
    let elements = fields.list(f::RINGS.name, 100)?;
    let mut rings = Vec::with_capacity(elements.len());
    for (index, element) in elements.iter().enumerate() {
        let (field, what) = (format!("/rings/{index}"), format!("rings[{index}]"));
        rings.extend(
            fields
                .whole_value(&field, &what, element, Ring::HOME.get(), Ring::MAX)
                .and_then(Ring::new),
        );
    }
    Some(rings.into())
}

fn count<const LO: u8, const HI: u8>(
    fields: &mut ObjectReader<'_>,
    field: &Field,
    form: ScanForm,
) -> Count<LO, HI> {
    let given = fields.whole(field).and_then(Count::new);
    given
        .or_else(|| Count::new(form.default_of(field)))
        .unwrap_or_default()
}

impl ScanOrder {
    /// The order as the body of a request: enough to ask the same again.
    pub fn body(&self) -> Value {
        let names =
            |names: &[BrandName]| -> Value { names.iter().map(|name| json!(name.as_str())).collect() };
        let models: Vec<_> = self.models.iter().map(|model| model.alias.as_str()).collect();
        let questions = (!self.questions.is_empty()).then_some(&self.questions);
        let counted = self.questions.is_empty() || self.questions_per_model_given;
        let websites = self.websites();
        let mut body = json!({
            "domain": websites.first().map(Website::written),
            "keyword": self.keyword.as_str(),
            "location": self.location.as_ref().map(LocationText::as_str),
            "language": self.language.as_ref().map(Language::as_str),
            "brandNames": names(&self.brand_names),
            "notNames": names(&self.not_names),
            "learnNames": self.learn_names,
            "models": models,
            "rings": self.rings,
            "questionsPerModel": (counted && self.stop.is_none()).then(|| self.each_model()),
            "questions": questions,
            "questionSet": self.question_set,
            "keywordsPerRing": self.keywords_per_ring.get(),
            "queriesPerKeyword": self.queries_per_keyword.get(),
        });
        if let [_, own @ ..] = &*websites
            && !own.is_empty()
        {
            body["ownDomains"] = own.iter().map(|website| json!(website.written())).collect();
        }
        if let Some(stop) = self.stop {
            body["targetWidth"] = json!(stop.target_width);
            body["budget"] = json!(stop.budget.map(UsdMicros::dollars));
        }
        body
    }

    /// The rule by which a scan that asks in batches ends; `None` for one with counts.
    pub const fn stop(&self) -> Option<StopRule> {
        self.stop
    }

    /// The domain to look for.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The website and the further ones of its owner.
    pub fn websites(&self) -> Vec<Website> {
        match self.websites.is_empty() {
            true => vec![self.domain.clone().into()],
            false => self.websites.clone(),
        }
    }

    /// The keyword.
    pub fn keyword(&self) -> &Keyword {
        &self.keyword
    }

    /// The place as the caller wrote it.
    pub fn location(&self) -> Option<&LocationText> {
        self.location.as_ref()
    }

    /// The language to ask in; `None` lets the place decide.
    pub fn language(&self) -> Option<&Language> {
        self.language.as_ref()
    }

    /// Names of the target that the caller added.
    pub fn brand_names(&self) -> &[BrandName] {
        &self.brand_names
    }

    /// Names of others that contain a name of the target.
    pub fn not_names(&self) -> &[BrandName] {
        &self.not_names
    }

    /// Whether the target's home page may be fetched for the names it gives itself.
    pub fn learn_names(&self) -> bool {
        self.learn_names
    }

    /// The models to ask. Never empty.
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    /// Returns the rings to scan. Without a location no ring is scanned.
    pub fn rings(&self) -> &Rings {
        &self.rings
    }

    /// Whether the caller named the rings, so that ignoring them deserves a warning.
    pub fn rings_given(&self) -> bool {
        self.rings_given
    }

    /// The core questions in the caller's own words; empty for the generated ones.
    pub fn questions(&self) -> &[OwnQuestion] {
        &self.questions
    }

    /// Which set and version the own questions come from.
    pub fn question_set(&self) -> Option<&AskedSet> {
        self.question_set.as_ref()
    }

    /// The same order with at most so many questions of its set; without a set nothing changes.
    #[must_use]
    pub fn with_most_of_set(mut self, most: usize) -> Self {
        if let Some(set) = &mut self.question_set {
            self.questions.truncate(most.max(1));
            set.asked = u32::try_from(self.questions.len()).unwrap_or(u32::MAX);
        }
        self
    }

    /// Counts the core questions that each model is asked.
    pub fn core_questions(&self) -> usize {
        match self.questions.len() {
            0 => self.each_model(),
            own if self.questions_per_model_given => own.min(self.each_model()),
            own => own,
        }
    }

    /// Whether the caller gave a number of questions a model.
    /// Then the caller's list is a pool; otherwise every model is asked all of it.
    pub fn questions_per_model_given(&self) -> bool {
        self.questions_per_model_given
    }

    /// The questions a model that were asked for, whatever the number of own ones.
    pub fn each_model(&self) -> usize {
        self.panel
            .map_or_else(|| self.questions_per_model.as_usize(), usize::from)
    }

    /// Keywords per selected market.
    pub fn keywords_per_ring(&self) -> KeywordsPerRing {
        self.keywords_per_ring
    }

    /// Phrasings per keyword.
    pub fn queries_per_keyword(&self) -> QueriesPerKeyword {
        self.queries_per_keyword
    }

    /// The counts.
    pub fn counts(&self) -> Counts {
        Counts {
            questions_per_model: self.questions_per_model,
            keywords_per_ring: self.keywords_per_ring,
            queries_per_keyword: self.queries_per_keyword,
        }
    }

    /// The most markets that are asked, the nearest ones; `None` for all of the rings.
    pub fn most_markets(&self) -> Option<u8> {
        self.most_markets
    }

    /// The same order with other models and counts.
    #[must_use]
    pub fn sized(self, models: Vec<Model>, counts: Counts) -> Self {
        let Counts {
            questions_per_model,
            keywords_per_ring,
            queries_per_keyword,
        } = counts;
        Self {
            models,
            questions_per_model,
            keywords_per_ring,
            queries_per_keyword,
            ..self
        }
    }

    /// The same order with at most so many markets.
    #[must_use]
    pub fn with_most_markets(self, most_markets: Option<u8>) -> Self {
        Self { most_markets, ..self }
    }
}

#[cfg(test)]
mod tests;
