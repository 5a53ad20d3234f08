//! From what a caller wrote to what will be run.

use crate::catalog::{Catalog, Model};
use crate::contract::field as f;
use crate::contract::{Field, Shape};
use crate::count::{Count, KeywordsPerRing, QueriesPerKeyword, QuestionsPerModel};
use crate::domain::Domain;
use crate::fault::{FaultCode, Faults};
use crate::keyword::{BrandName, Keyword, Language, LocationText, OwnQuestion};
use crate::object_reader::ObjectReader;
use crate::ring::{Ring, Rings};
use serde_json::{Map, Value, json};

/// Which request body a draft is: the surfaces share their fields and differ in defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanForm {
    /// `POST /api/v1/scan` and the command line: rings 1 and 2 by default, `tier` checked.
    Byok,
    /// A scan of the workspace: the same defaults, without a tier.
    Workspace,
    /// A sold scan or the free question: core questions only unless rings are given.
    Scan,
    /// A paid radius analysis or full bundle: a place is required, rings 1 and 2, one keyword a market.
    Radius,
}

/// A scan request as the caller wrote it. Carries no key: `routerApiKey` is taken out before.
#[derive(Clone, Copy, Debug)]
pub struct ScanDraft<'a>(pub &'a Map<String, Value>);

/// A scan that can be planned. Exists only if every field is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanOrder {
    domain: Domain,
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
    questions: Vec<OwnQuestion>,
    keywords_per_ring: KeywordsPerRing,
    queries_per_keyword: QueriesPerKeyword,
}

impl ScanForm {
    /// The rings that are scanned unless the caller names others.
    #[must_use]
    pub const fn rings(self) -> &'static [u8] {
        match self {
            Self::Byok | Self::Workspace | Self::Radius => &[1, 2],
            Self::Scan => &[],
        }
    }

    /// Whether callers may word the core questions themselves. Where an answer is sold at a fixed price or given away,
    /// the questions are those of the service.
    #[must_use]
    pub const fn takes_questions(self) -> bool {
        match self {
            Self::Byok | Self::Workspace => true,
            Self::Scan | Self::Radius => false,
        }
    }

    /// The default of a count.
    #[must_use]
    pub fn usual(self, field: &Field) -> u8 {
        match field.shape {
            // A radius analysis asks many markets, so it asks little in each.
            Shape::Count { .. } if self == Self::Radius && field.name == f::KEYWORDS_PER_RING.name => 1,
            Shape::Count { usual, .. } => usual,
            _ => 0,
        }
    }
}

impl ScanDraft<'_> {
    /// The location, if that field is a proper text. Faults of other fields do not matter.
    #[must_use]
    pub fn location(&self) -> Option<LocationText> {
        self.0.get("location")?.as_str()?.parse().ok()
    }

    /// Checks every field against its bounds and the alias table.
    ///
    /// # Errors
    /// All faults of the draft, in the order of the fields.
    pub fn parse(self, catalog: &Catalog, form: ScanForm) -> Result<ScanOrder, Faults> {
        let mut fields = ObjectReader::new(self.0);
        let domain = fields.required_text(&f::DOMAIN);
        let keyword = fields.required_text(&f::KEYWORD);
        let location = match form {
            ScanForm::Byok | ScanForm::Workspace | ScanForm::Scan => fields.text(&f::LOCATION),
            ScanForm::Radius => fields.required_text(&f::LOCATION),
        };
        if form == ScanForm::Byok {
            check_tier(&mut fields);
        }
        let language = fields.text(&f::LANGUAGE);
        let brand_names = fields.texts(&f::BRAND_NAMES).unwrap_or_default();
        let not_names = fields.texts(&f::NOT_NAMES).unwrap_or_default();
        let learn_names = fields.flag(&f::LEARN_NAMES).unwrap_or(false);
        let models = parse_models(&mut fields, catalog);
        let given = parse_rings(&mut fields);
        let questions_per_model = count(&mut fields, &f::QUESTIONS_PER_MODEL, form);
        let questions = parse_questions(&mut fields, form);
        let keywords_per_ring = count(&mut fields, &f::KEYWORDS_PER_RING, form);
        let queries_per_keyword = count(&mut fields, &f::QUERIES_PER_KEYWORD, form);
        let rings_given = given.is_some();
        let rings = given.unwrap_or_else(|| form.rings().iter().copied().filter_map(Ring::new).collect());
        let order = domain.zip(keyword).map(|(domain, keyword)| ScanOrder {
            domain,
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
            questions,
            keywords_per_ring,
            queries_per_keyword,
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
            Some(Some(model)) if models.iter().any(|known| known.alias == model.alias) => {}
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

/// The caller's own core questions, each once; none where they are not taken.
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
    let Some(given) = fields.texts::<OwnQuestion>(&f::QUESTIONS) else {
        return Vec::new();
    };
    if fields
        .get(name)
        .and_then(Value::as_array)
        .is_some_and(Vec::is_empty)
    {
        let message = "questions must hold at least one question; leave the field out for the generated ones";
        fields.fault("/questions", FaultCode::OutOfRange, message);
    }
    let mut questions: Vec<OwnQuestion> = Vec::with_capacity(given.len());
    for question in given {
        if !questions.contains(&question) {
            questions.push(question);
        }
    }
    questions
}

fn parse_rings(fields: &mut ObjectReader<'_>) -> Option<Rings> {
    let elements = fields.list(f::RINGS.name, 100)?;
    let mut rings = Vec::with_capacity(elements.len());
    for (index, element) in elements.iter().enumerate() {
        let (field, what) = (format!("/rings/{index}"), format!("rings[{index}]"));
        rings.extend(
            fields
                .whole_value(&field, &what, element, (Ring::HOME.get(), Ring::MAX))
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
        .or_else(|| Count::new(form.usual(field)))
        .unwrap_or_default()
}

impl ScanOrder {
    /// The order as the body of a request: enough to ask the same again.
    #[must_use]
    pub fn body(&self) -> Value {
        let names =
            |names: &[BrandName]| -> Value { names.iter().map(|name| json!(name.as_str())).collect() };
        let models: Vec<_> = self.models.iter().map(|model| model.alias.as_str()).collect();
        let questions: Vec<_> = self.questions.iter().map(OwnQuestion::as_str).collect();
        json!({
            "domain": self.domain.to_unicode(),
            "keyword": self.keyword.as_str(),
            "location": self.location.as_ref().map(LocationText::as_str),
            "language": self.language.as_ref().map(Language::as_str),
            "brandNames": names(&self.brand_names),
            "notNames": names(&self.not_names),
            "learnNames": self.learn_names,
            "models": models,
            "rings": self.rings,
            "questionsPerModel": self.questions_per_model.get(),
            "questions": (!questions.is_empty()).then_some(questions),
            "keywordsPerRing": self.keywords_per_ring.get(),
            "queriesPerKeyword": self.queries_per_keyword.get(),
        })
    }

    /// The domain to look for.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The keyword.
    #[must_use]
    pub fn keyword(&self) -> &Keyword {
        &self.keyword
    }

    /// The place as the caller wrote it.
    #[must_use]
    pub fn location(&self) -> Option<&LocationText> {
        self.location.as_ref()
    }

    /// The language to ask in; `None` lets the place decide.
    #[must_use]
    pub fn language(&self) -> Option<&Language> {
        self.language.as_ref()
    }

    /// Names of the target that the caller added.
    #[must_use]
    pub fn brand_names(&self) -> &[BrandName] {
        &self.brand_names
    }

    /// Names of other parties that hold a name of the target.
    #[must_use]
    pub fn not_names(&self) -> &[BrandName] {
        &self.not_names
    }

    /// Whether the target's home page may be fetched for the names it gives itself.
    #[must_use]
    pub fn learn_names(&self) -> bool {
        self.learn_names
    }

    /// The models to ask. Never empty.
    #[must_use]
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    /// The rings to scan; without a location none is.
    #[must_use]
    pub fn rings(&self) -> &Rings {
        &self.rings
    }

    /// Whether the caller named the rings, so that ignoring them deserves a warning.
    #[must_use]
    pub fn rings_given(&self) -> bool {
        self.rings_given
    }

    /// The core questions in the caller's own words; empty for the generated ones.
    #[must_use]
    pub fn questions(&self) -> &[OwnQuestion] {
        &self.questions
    }

    /// The number of core questions that each model is asked.
    #[must_use]
    pub fn core_questions(&self) -> usize {
        match self.questions.len() {
            0 => self.questions_per_model.as_usize(),
            own => own,
        }
    }

    /// Generated core questions per model.
    #[must_use]
    pub fn questions_per_model(&self) -> QuestionsPerModel {
        self.questions_per_model
    }

    /// Keywords per selected market.
    #[must_use]
    pub fn keywords_per_ring(&self) -> KeywordsPerRing {
        self.keywords_per_ring
    }

    /// Phrasings per keyword.
    #[must_use]
    pub fn queries_per_keyword(&self) -> QueriesPerKeyword {
        self.queries_per_keyword
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: Value, form: ScanForm) -> Result<ScanOrder, Vec<(String, &'static str)>> {
        let Value::Object(members) = body else {
            panic!("a body is an object")
        };
        ScanDraft(&members)
            .parse(&Catalog::builtin(), form)
            .map_err(|faults| {
                faults
                    .iter()
                    .map(|f| (f.field.clone(), f.code.as_str()))
                    .collect()
            })
    }

    fn check_faults(body: Value, expected: &[(&str, &'static str)]) {
        let faults = parse(body.clone(), ScanForm::Byok).expect_err(&body.to_string());
        let faults: Vec<_> = faults
            .iter()
            .map(|(field, code)| (field.as_str(), *code))
            .collect();
        assert_eq!(faults, expected, "{body}");
    }

    #[test]
    fn defaults_are_those_of_the_interface() {
        let order = parse(json!({"domain": "example.com", "keyword": "crm"}), ScanForm::Byok).unwrap();
        assert_eq!(order.models().len(), 3);
        assert_eq!(order.rings(), &Rings::home_and_commuter());
        assert!(!order.rings_given());
        let counts = (
            order.questions_per_model(),
            order.keywords_per_ring(),
            order.queries_per_keyword(),
        );
        assert_eq!((counts.0.get(), counts.1.get(), counts.2.get()), (3, 5, 1));
    }

    #[test]
    fn forms_differ_in_defaults() {
        let body = || json!({"domain": "example.com", "keyword": "crm", "location": "Oslo, Norway"});
        assert!(parse(body(), ScanForm::Scan).unwrap().rings().is_empty());
        assert_eq!(
            parse(body(), ScanForm::Radius).unwrap().keywords_per_ring().get(),
            1
        );
        let faults = parse(
            json!({"domain": "example.com", "keyword": "crm"}),
            ScanForm::Radius,
        )
        .unwrap_err();
        assert_eq!(faults, [("/location".to_owned(), "required")]);
        // Paid bodies have no tier: it is an unknown member there, and ignored.
        assert!(
            parse(
                json!({"domain": "example.com", "keyword": "crm", "tier": 1}),
                ScanForm::Scan
            )
            .is_ok()
        );
    }

    #[test]
    fn every_bound_holds() {
        for (name, low, high) in [
            ("questionsPerModel", 1, 10),
            ("keywordsPerRing", 1, 50),
            ("queriesPerKeyword", 1, 10),
        ] {
            for n in [low, high] {
                assert!(
                    parse(
                        json!({"domain": "a.com", "keyword": "k", name: n}),
                        ScanForm::Byok
                    )
                    .is_ok(),
                    "{name} {n}"
                );
            }
            for n in [low - 1, high + 1, -1, 1_000_000] {
                let field = format!("/{name}");
                check_faults(
                    json!({"domain": "a.com", "keyword": "k", name: n}),
                    &[(&field, "out_of_range")],
                );
            }
        }
        for n in [0, 6, 256, -1] {
            check_faults(
                json!({"domain": "a.com", "keyword": "k", "rings": [1, n]}),
                &[("/rings/1", "out_of_range")],
            );
        }
    }

    #[test]
    fn every_fault_is_reported_at_once() {
        check_faults(
            json!({
                "domain": "localhost", "keyword": 7, "location": "", "tier": "pro", "language": "english",
                "brandNames": ["ok", 1], "notNames": [2], "models": ["model-1-latest", "gpt", 3], "rings": [0, "1", 1.5],
                "questionsPerModel": 0, "keywordsPerRing": "5", "queriesPerKeyword": 2.5
            }),
            &[
                ("/domain", "invalid"),
                ("/keyword", "wrong_type"),
                ("/location", "invalid"),
                ("/tier", "unknown_tier"),
                ("/language", "invalid"),
                ("/brandNames/1", "wrong_type"),
                ("/notNames/0", "wrong_type"),
                ("/models/1", "unknown_model"),
                ("/models/2", "wrong_type"),
                ("/rings/0", "out_of_range"),
                ("/rings/1", "wrong_type"),
                ("/rings/2", "invalid"),
                ("/questionsPerModel", "out_of_range"),
                ("/keywordsPerRing", "wrong_type"),
                ("/queriesPerKeyword", "invalid"),
            ],
        );
        check_faults(
            json!({"domain": "a.com", "keyword": "k", "brandNames": ["", 2, "3", "4", "5", "6", "7", "8", "9", "10", "", 12]}),
            &[
                ("/brandNames", "out_of_range"),
                ("/brandNames/0", "invalid"),
                ("/brandNames/1", "wrong_type"),
            ],
        );
        check_faults(json!({}), &[("/domain", "required"), ("/keyword", "required")]);
        check_faults(
            json!({"domain": "a.com", "keyword": "k", "models": []}),
            &[("/models", "out_of_range")],
        );
        check_faults(
            json!({"domain": "a.com", "keyword": "k", "models": "all"}),
            &[("/models", "wrong_type")],
        );
        check_faults(
            json!({"domain": "a.com", "keyword": "k", "tier": 1}),
            &[("/tier", "wrong_type")],
        );
    }

    #[test]
    fn own_questions_are_taken_where_the_caller_pays_the_models() {
        let body = |questions: Value| json!({"domain": "a.com", "keyword": "k", "questions": questions});
        let asked = |order: ScanOrder| -> Vec<String> {
            let questions = order.questions().iter();
            questions.map(|question| question.as_str().to_owned()).collect()
        };
        for form in [ScanForm::Byok, ScanForm::Workspace] {
            let order = parse(
                body(json!(["Who fixes  taps?", "Who fixes taps?", "Who else?"])),
                form,
            )
            .unwrap();
            assert_eq!(order.core_questions(), 2);
            assert_eq!(asked(order), ["Who fixes taps?", "Who else?"]);
            let none = parse(body(Value::Null), form).unwrap();
            assert_eq!((none.questions().len(), none.core_questions()), (0, 3));
        }
        for form in [ScanForm::Scan, ScanForm::Radius] {
            let faults = parse(
                json!({"domain": "a.com", "keyword": "k", "location": "Oslo", "questions": ["Who?"]}),
                form,
            );
            assert_eq!(faults.unwrap_err(), [("/questions".to_owned(), "invalid")]);
        }
        check_faults(body(json!([])), &[("/questions", "out_of_range")]);
        check_faults(body(json!("Who?")), &[("/questions", "wrong_type")]);
        check_faults(body(json!(["a\nb"])), &[("/questions/0", "invalid")]);
        check_faults(body(json!(["x".repeat(301)])), &[("/questions/0", "invalid")]);
        let eleven: Vec<String> = (0..11).map(|n| format!("Question {n}?")).collect();
        check_faults(body(json!(eleven)), &[("/questions", "out_of_range")]);
    }

    #[test]
    fn an_order_repeats_as_its_body() {
        let order = parse(
            json!({"domain": "a.com", "keyword": "k", "location": "Oslo", "questions": ["Who fixes taps?"], "rings": [2]}),
            ScanForm::Workspace,
        )
        .unwrap();
        assert_eq!(parse(order.body(), ScanForm::Workspace), Ok(order));
    }

    #[test]
    fn lists_are_tidied() {
        let order = parse(
            json!({"domain": "a.com", "keyword": "k", "rings": [2, 1, 2.0], "models": ["model-4-latest", "model-4-latest"],
                   "questionsPerModel": null, "unknown": {"x": 1}}),
            ScanForm::Byok,
        )
        .unwrap();
        assert_eq!(order.rings(), &Rings::home_and_commuter());
        assert_eq!(order.models().len(), 1);
        let none = parse(
            json!({"domain": "a.com", "keyword": "k", "rings": []}),
            ScanForm::Byok,
        )
        .unwrap();
        assert!(none.rings().is_empty() && none.rings_given());
    }
}
