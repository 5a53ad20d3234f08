//! The form of a new scan.

use super::{ModelChoice, ScanRow, fault_of, invalid};
use crate::assets::File;
use crate::chart::Markup;
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use crate::pages::ScanState;
use askama::Template;
use askama::filters::Safe;
use ibid_model::contract::field::{
    BRAND_NAMES, KEYWORDS_PER_RING, LANGUAGE, LEARN_NAMES, MODELS, NOT_NAMES, QUERIES_PER_KEYWORD,
    QUESTIONS_PER_MODEL, RINGS,
};
use ibid_model::contract::{Field, Shape};
use ibid_model::{Faults, Ring, Skill, UsdMicros};
use serde_json::{Map, Value, json};

/// The first page of the workspace: a new scan, and the latest ones.
///
/// The form posts urlencoded to `/workspace/scans`: `domain`, `keyword`, `location`, `models` and `rings` (repeated),
/// `questionsPerModel`, `keywordsPerRing`, `queriesPerKeyword`, `brandNames` and `notNames`
/// (comma-separated), `learnNames` (present: yes), `language`. Empty fields count as absent; no `rings` means core questions only.
#[derive(Clone, Copy, Debug)]
pub struct NewScanPage<'a> {
    /// The fields of the form.
    pub form: &'a ScanFields,
    /// The faults of the form that was sent.
    pub faults: &'a Faults,
    /// The alias table.
    pub models: &'a [ModelChoice<'a>],
    /// The questions and the cost of the form as it stands; `None` until it is valid.
    pub plan: Option<PlanView>,
    /// Price that a plan of this surface may not exceed.
    pub most_cost: UsdMicros,
    /// The latest scans, newest first.
    pub recent: &'a [ScanRow<'a>],
}

/// The form of a new scan as the body of a request, faulty or not.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanFields(Map<String, Value>);

impl ScanFields {
    /// The fields of a request.
    #[must_use]
    pub const fn new(body: Map<String, Value>) -> Self {
        Self(body)
    }

    /// An empty form: the default models, no ring, ten core questions, one keyword and phrasing a town.
    #[must_use]
    pub fn empty(models: Vec<String>) -> Self {
        Self(Map::new())
            .with(&MODELS, json!(models))
            .with(&QUESTIONS_PER_MODEL, json!(10))
            .with(&KEYWORDS_PER_RING, json!(1))
            .with(&QUERIES_PER_KEYWORD, json!(1))
    }

    /// The form as a browser sends it: `values` gives all values of a name. Empty inputs are absent, and numbers are
    /// numbers if they can be.
    #[must_use]
    pub fn sent<'a>(values: impl Fn(&str) -> Vec<&'a str>) -> Self {
        let mut body = Map::new();
        for field in Skill::Scan.row().fields() {
            let values = values(field.name);
            let text = values.first().copied().unwrap_or_default().trim();
            let value = match field.shape {
                Shape::Rings => {
                    // A text that is not a ring number becomes 0, which is not a valid ring.
                    let ring = |text: &&str| text.parse::<u8>().unwrap_or(0);
                    values.iter().map(ring).collect()
                }
                Shape::Models => json!(values),
                _ if text.is_empty() => continue,
                Shape::Text { .. } | Shape::Word(_) | Shape::Secret => json!(text),
                Shape::Texts { .. } => {
                    let names = text.split(',').map(str::trim);
                    names.filter(|name| !name.is_empty()).collect()
                }
                Shape::Flag => json!(true),
                Shape::Count { .. } => number(text),
            };
            body.insert(field.name.to_owned(), value);
        }
        Self(body)
    }

    /// The same with another value of a field.
    #[must_use]
    pub fn with(mut self, field: &Field, value: Value) -> Self {
        self.0.insert(field.name.to_owned(), value);
        self
    }

    /// The body of the request.
    #[must_use]
    pub const fn body(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The text of an input; elements of a list stand between commas.
    fn text(&self, name: &str) -> String {
        match self.0.get(name) {
            None | Some(Value::Null) => String::new(),
            Some(Value::Array(elements)) => {
                let texts: Vec<_> = elements.iter().map(plain).collect();
                texts.join(", ")
            }
            Some(value) => plain(value),
        }
    }

    /// Whether a list has an element, as a box that is ticked.
    fn has(&self, name: &str, element: &str) -> bool {
        let elements = self.0.get(name).and_then(Value::as_array);
        elements.is_some_and(|elements| elements.iter().any(|value| plain(value) == element))
    }

    fn is_set(&self, name: &str) -> bool {
        self.0.get(name) == Some(&Value::Bool(true))
    }
}

/// A number as it was written, or the text that is none.
fn number(text: &str) -> Value {
    let float = || serde_json::Number::from_f64(text.parse().ok()?).map(Value::Number);
    let whole = text.parse::<i64>().ok().map(Value::from);
    whole.or_else(float).unwrap_or_else(|| json!(text))
}

/// A value without the quotes of a string.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The number of questions of a form and their estimated cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanView {
    /// Number of questions.
    pub questions: u32,
    /// Estimated cost at the provider.
    pub estimate: UsdMicros,
    /// The advice where a later scan could not be compared with this one.
    pub comparison_note: Option<&'static str>,
}

struct RingChoice {
    number: u8,
    label: &'static str,
    from: u16,
    to: u16,
    checked: bool,
}

#[derive(Template)]
#[template(path = "new_scan.html")]
struct NewScanTemplate<'a> {
    shell: Shell<'a>,
    page: &'a NewScanPage<'a>,
}

/// Renders the form of a new scan.
///
/// # Errors
/// See [`RenderError`].
pub fn new_scan(frame: &Frame<'_>, page: &NewScanPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "New scan", Tab::NewScan).with(&[File::ScanForm]);
    render("new-scan", &NewScanTemplate { shell, page })
}

/// Returns the name of a ring.
pub(crate) fn ring_label(ring: u8) -> &'static str {
    match ring {
        1 => "Home",
        2 => "Commuter belt",
        3 => "Region",
        4 => "Wide region",
        5 => "National",
        _ => "Ring",
    }
}

impl NewScanTemplate<'_> {
    fn fault(&self, field: &str) -> String {
        fault_of(self.page.faults, field)
    }

    fn invalid(&self, field: &str) -> Markup {
        invalid(self.page.faults, field)
    }

    /// Returns the attribute that connects a group of boxes with its fault.
    fn described(&self, field: &str) -> Markup {
        let id = field.trim_start_matches('/');
        let fault = if self.fault(field).is_empty() {
            ""
        } else {
            " data-invalid"
        };
        Safe(format!(
            " aria-describedby=\"{}-fault\"{fault}",
            crate::escape::html(id)
        ))
    }

    /// Returns the id of the input that a fault is about.
    fn field_id(&self, pointer: &str) -> &'static str {
        let name = pointer.split('/').nth(1).unwrap_or_default();
        let mut fields = Skill::Scan.row().fields();
        let field = fields.find(|field| field.name == name && !field.label.is_empty());
        field.map_or("scan-form", |field| field.name)
    }

    /// The attributes `min` and `max` of the input of a count.
    fn bounds(&self, name: &str) -> Markup {
        let mut fields = Skill::Scan.row().fields();
        let (least, most) = fields
            .find(|field| field.name == name)
            .map_or((0, 0), Field::bounds);
        Safe(format!("min=\"{least}\" max=\"{most}\""))
    }

    fn rings(&self) -> Vec<RingChoice> {
        Ring::all()
            .map(|ring| RingChoice {
                number: ring.get(),
                label: ring_label(ring.get()),
                from: ring.from_km(),
                to: ring.to_km(),
                checked: self.page.form.has(RINGS.name, &ring.get().to_string()),
            })
            .collect()
    }

    fn is_ticked(&self, alias: &str) -> bool {
        self.page.form.has(MODELS.name, alias)
    }

    fn more_open(&self) -> bool {
        let form = self.page.form;
        !form.text(BRAND_NAMES.name).is_empty()
            || !form.text(NOT_NAMES.name).is_empty()
            || form.is_set(LEARN_NAMES.name)
            || !form.text(LANGUAGE.name).is_empty()
            || !self.fault("/brandNames").is_empty()
            || !self.fault("/notNames").is_empty()
            || !self.fault("/language").is_empty()
    }

    fn credits(&self) -> u32 {
        self.shell.frame.account.map_or(0, |account| account.credits)
    }

    fn plan_questions(&self) -> String {
        self.page.plan.map_or_else(
            || figure::DASH.to_owned(),
            |plan| figure::count(plan.questions.into()),
        )
    }

    fn plan_cost(&self) -> String {
        self.page
            .plan
            .map_or_else(|| figure::DASH.to_owned(), |plan| plan.estimate.to_string())
    }

    fn plan_note(&self) -> String {
        match self.page.plan {
            Some(plan) if plan.estimate > self.page.most_cost => {
                format!("Too expensive: a scan may cost {} at most.", self.page.most_cost)
            }
            Some(plan) => plan
                .comparison_note
                .unwrap_or("Each answer is one call to a model.")
                .to_owned(),
            None => "Enter a website and a keyword to see what the scan will ask.".to_owned(),
        }
    }
}
