//! A form for a new scan.

use super::order_inputs::OrderInput;
use super::{ModelChoice, fault_of, invalid};
use crate::assets::File;
use crate::chart::Markup;
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use askama::filters::Safe;
use ibid_model::contract::field::{
    BUDGET, DOMAIN, KEYWORD, LOCATION, MODELS, QUESTION_TEXT, QUESTIONS, RINGS, TARGET_WIDTH, WORKSPACE,
};
use ibid_model::contract::{Field, Shape};
use ibid_model::result::{PlaceQuestion, QuestionPreview, RingPreview, ScanPlan};
use ibid_model::{Faults, Ring, ScanForm, UsdMicros};
use ibid_service::RunRecord;
use serde_json::{Map, Value, json};

/// Core questions next to the price; the script shows as many.
const FIRST: usize = 3;

/// Begins the workspace: a new scan, and the latest ones.
///
/// The form posts the fields of [`WORKSPACE`] urlencoded to `/workspace/scans`: `models` and `rings` repeated, other lists
/// comma-separated. Empty fields count as absent; no `rings` with a place means core questions only.
///
/// Core questions are listed as `questions` (repeated), with the numbers of those that are ticked in `keep` and the
/// generated ones in `planned`: a list that is as it was generated is absent. A button named `place` takes its value for
/// the place, and one named `show` plans without starting; `confirmed` is the text of a place that was confirmed.
#[derive(Clone, Copy, Debug)]
pub struct NewScanPage<'a> {
    pub form: &'a ScanFields,
    /// Faults of what was sent.
    pub faults: &'a Faults,
    pub models: &'a [ModelChoice<'a>],
    /// The questions and the cost of the current form; `None` until it is valid.
    pub plan: Option<&'a PlanView>,
    /// The question about the place that has to be answered first.
    pub place: Option<&'a PlaceQuestion>,
    /// Text of a confirmed place, or an empty text.
    pub confirmed: &'a str,
    /// Price that a plan of this surface may not exceed.
    pub most_cost: UsdMicros,
    /// The latest scans, newest first.
    pub recent: &'a [RunRecord],
}

/// The widths that the form offers, in points.
const WIDTHS: [u8; 4] = [40, 30, 24, 20];

/// A form that was sent, faulty or not, as the body of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanFields(Map<String, Value>);

impl ScanFields {
    pub const fn new(body: Map<String, Value>) -> Self {
        Self(body)
    }

    /// A form without any entry.
    pub fn none() -> Self {
        Self(Map::new())
    }

    /// An empty form: these models, and the defaults that every surface of the caller's own money has.
    pub fn empty(models: Vec<String>) -> Self {
        let form = ScanForm::Workspace;
        let empty = Self(Map::new())
            .with(&MODELS, json!(models))
            .with(&RINGS, json!(form.rings()));
        counts().fold(empty, |fields, count| {
            fields.with(count, json!(form.default_of(count)))
        })
    }

    /// The form as a browser sends it: `values` gives all values of a name. Empty inputs are absent, and numbers are
    /// numbers if they can be.
    pub fn sent<'a>(values: impl Fn(&str) -> Vec<&'a str>) -> Self {
        let mut body = Map::new();
        for field in WORKSPACE {
            let values = values(field.name);
            let text = values.first().copied().unwrap_or_default().trim();
            let value = match field.shape {
                // Below, from several inputs.
                _ if **field == QUESTIONS => continue,
                Shape::Rings | Shape::Models => field.value(&values),
                _ if text.is_empty() => continue,
                Shape::Texts { .. } => {
                    let names = text.split(',').map(str::trim);
                    field.value(&names.filter(|name| !name.is_empty()).collect::<Vec<_>>())
                }
                _ => field.value(&[text]),
            };
            body.insert(field.name.to_owned(), value);
        }
        let mut fields = Self(body).without_rings_of_no_place();
        if fields.is_batched() {
            let unused = counts().chain([&RINGS]);
            unused.for_each(|field| drop(fields.0.remove(field.name)));
        }
        match worded(&values) {
            Some(questions) => fields.with(&QUESTIONS, json!(questions)),
            None => fields,
        }
    }

    /// Whether the form asks until the range is narrow enough or the money is spent. The counts and the rings are not sent then.
    fn is_batched(&self) -> bool {
        [TARGET_WIDTH, BUDGET]
            .iter()
            .any(|field| !self.text(field.name).is_empty())
    }

    /// Removes the valid rings of a form without a place: such a scan has no rings.
    fn without_rings_of_no_place(mut self) -> Self {
        let known = |ring: &Value| ring.as_u64().is_some_and(|ring| (1..=5).contains(&ring));
        let rings = self.0.get(RINGS.name).and_then(Value::as_array);
        if rings.is_some_and(|rings| rings.iter().all(known)) && !self.0.contains_key(LOCATION.name) {
            self.0.remove(RINGS.name);
        }
        self
    }

    /// The same with another value of a field.
    pub fn with(mut self, field: &Field, value: Value) -> Self {
        self.0.insert(field.name.to_owned(), value);
        self
    }

    pub const fn body(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Returns what an input shows; commas separate the elements of a list.
    pub(super) fn text(&self, name: &str) -> String {
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

    pub(super) fn is_set(&self, name: &str) -> bool {
        self.0.get(name) == Some(&Value::Bool(true))
    }
}

fn is_count(field: &Field) -> bool {
    matches!(field.shape, Shape::Count { .. })
}

fn counts() -> impl Iterator<Item = &'static Field> {
    WORKSPACE.iter().copied().filter(|field| is_count(field))
}

/// Returns the core questions as worded in the form; `None` where they are as they were generated.
fn worded<'a>(values: &impl Fn(&str) -> Vec<&'a str>) -> Option<Vec<&'a str>> {
    let rows = values(QUESTIONS.name);
    let keep = values("keep");
    let kept = |index: &usize| keep.iter().any(|number| number.parse() == Ok(*index));
    let questions = rows.iter().map(|row| row.trim()).enumerate();
    let questions: Vec<&str> = questions
        .filter(|(index, question)| kept(index) && !question.is_empty())
        .map(|(_, question)| question)
        .collect();
    let planned: Vec<&str> = values("planned").iter().map(|question| question.trim()).collect();
    (!rows.is_empty() && questions != planned).then_some(questions)
}

/// A value without the quotes of a string.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Questions that a form asks for, and what they will cost.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanView {
    /// Every question.
    pub plan: ScanPlan,
    /// The core questions that are asked unless the form words them.
    pub generated: Vec<String>,
    /// Estimated cost at the provider.
    pub estimate: UsdMicros,
    /// The advice where a later scan could not be compared with this one.
    pub comparison_note: Option<&'static str>,
}

/// A core question in the form.
struct QuestionRow {
    text: String,
    language: String,
    ticked: bool,
}

struct TownQuestions<'a> {
    town: &'a str,
    questions: Vec<&'a QuestionPreview>,
}

/// A width that the form offers, as half of it.
struct WidthChoice {
    points: u8,
    half: f64,
    chosen: bool,
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
pub fn new_scan(frame: &Frame<'_>, page: &NewScanPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "New scan", Tab::NewScan).with(&[File::ScanForm]);
    render("new-scan", &NewScanTemplate { shell, page })
}

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

/// The sentence about a plan below its cost: its batches, or the advice about a comparison.
pub fn plan_note(plan: &ScanPlan, comparison_note: Option<&str>) -> String {
    match plan.batches() {
        Some(batches) => format!("{batches}. Towns are not asked."),
        None => comparison_note
            .unwrap_or("Each answer is one call to a model.")
            .to_owned(),
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
        let mut fields = WORKSPACE.iter();
        let field = fields.find(|field| field.name == name && !field.label.is_empty());
        field.map_or("scan-form", |field| field.name)
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

    /// Lists the inputs for counts. Those that are not sent have their usual values.
    fn counts(&self) -> Vec<OrderInput> {
        let mut inputs = OrderInput::all(counts(), self.page.form, self.page.faults);
        if self.page.form.is_batched() {
            for input in &mut inputs {
                input.value = ScanForm::Workspace.default_of(input.field).to_string();
            }
        }
        inputs
    }

    /// The widths that the form offers, and one that an earlier scan had.
    fn widths(&self) -> Vec<WidthChoice> {
        let given = self.page.form.text(TARGET_WIDTH.name);
        let earlier = given.parse().ok().filter(|width| !WIDTHS.contains(width));
        let choice = |points: u8| WidthChoice {
            points,
            half: f64::from(points) / 2.0,
            chosen: given == points.to_string(),
        };
        WIDTHS.into_iter().chain(earlier).map(choice).collect()
    }

    /// The inputs in the part of the form that is closed at first: those that the page does not lay out itself.
    fn more(&self) -> Vec<OrderInput> {
        let laid_out = [
            DOMAIN,
            KEYWORD,
            LOCATION,
            MODELS,
            RINGS,
            QUESTIONS,
            TARGET_WIDTH,
            BUDGET,
        ];
        let rest = WORKSPACE.iter().copied();
        let rest = rest.filter(|field| !is_count(field) && !laid_out.contains(field));
        OrderInput::all(rest, self.page.form, self.page.faults)
    }

    fn credits(&self) -> u32 {
        self.shell.frame.account.map_or(0, |account| account.credits)
    }

    /// The core questions: the generated ones, then those of the form, then an empty row.
    fn question_rows(&self) -> Vec<QuestionRow> {
        let own = self.own_questions();
        let Some(view) = self.page.plan else {
            return own.into_iter().map(|text| self.row(text, true)).collect();
        };
        let generated = view.generated.iter().map(|text| {
            let ticked = own.is_empty() || own.contains(text);
            self.row(text.clone(), ticked)
        });
        let mut rows: Vec<QuestionRow> = generated.collect();
        let added = own.iter().filter(|text| !view.generated.contains(text));
        rows.extend(added.map(|text| self.row(text.clone(), true)));
        if rows.iter().filter(|row| row.ticked).count() < QUESTIONS.most() {
            rows.push(self.row(String::new(), true));
        }
        rows
    }

    fn row(&self, text: String, ticked: bool) -> QuestionRow {
        let planned = self.page.plan.map_or(&[][..], |view| &view.plan.questions);
        let asked = planned.iter().find(|question| question.question == text);
        QuestionRow {
            language: asked.map_or_else(String::new, |question| question.language.clone()),
            text,
            ticked,
        }
    }

    fn own_questions(&self) -> Vec<String> {
        let own = self
            .page
            .form
            .body()
            .get(QUESTIONS.name)
            .and_then(Value::as_array);
        own.into_iter()
            .flatten()
            .map(|question| plain(question.get(QUESTION_TEXT.name).unwrap_or(question)))
            .collect()
    }

    fn generated(&self) -> &[String] {
        self.page.plan.map_or(&[][..], |view| &view.generated)
    }

    /// The first core questions.
    fn first_questions(&self) -> Vec<&QuestionPreview> {
        let planned = self.page.plan.map_or(&[][..], |view| &view.plan.questions);
        let core = planned.iter().filter(|question| question.market.is_none());
        core.take(FIRST).collect()
    }

    fn planned_rings(&self) -> &[RingPreview] {
        self.page.plan.map_or(&[][..], |view| &view.plan.rings)
    }

    /// Groups the questions by town, in the order of the plan.
    fn towns(&self) -> Vec<TownQuestions<'_>> {
        let planned = self.page.plan.map_or(&[][..], |view| &view.plan.questions);
        let mut towns: Vec<TownQuestions<'_>> = Vec::new();
        for question in planned {
            let Some(town) = question.market.as_deref() else {
                continue;
            };
            match towns.last_mut().filter(|last| last.town == town) {
                Some(last) => last.questions.push(question),
                None => towns.push(TownQuestions {
                    town,
                    questions: vec![question],
                }),
            }
        }
        towns
    }

    fn town_questions(&self) -> usize {
        self.towns().iter().map(|town| town.questions.len()).sum()
    }

    /// Says what a ring adds: "45 answers, about $0.80".
    fn ring_cost(&self, ring: &RingPreview) -> String {
        format!(
            "{} answers, about {}",
            figure::count(ring.calls.into()),
            UsdMicros::from_dollars(ring.estimated_cost_usd)
                .unwrap_or(UsdMicros::ZERO)
                .in_cents()
        )
    }

    fn warnings(&self) -> Vec<&str> {
        let warnings = self.page.plan.map_or(&[][..], |view| &view.plan.warnings);
        let about_place = |code: &str| code.starts_with("location_");
        let told = warnings.iter().filter(|warning| !about_place(&warning.code));
        told.map(|warning| warning.message.as_str()).collect()
    }

    fn plan_questions(&self) -> String {
        self.page.plan.map_or_else(
            || figure::DASH.to_owned(),
            |view| figure::count(view.plan.calls.into()),
        )
    }

    fn plan_cost(&self) -> String {
        self.page
            .plan
            .map_or_else(|| figure::DASH.to_owned(), |plan| plan.estimate.in_cents())
    }

    fn plan_note(&self) -> String {
        match self.page.plan {
            Some(plan) if plan.estimate > self.page.most_cost => {
                let most = self.page.most_cost.in_cents();
                format!("Too expensive: a scan may cost {most} at most.")
            }
            Some(view) => plan_note(&view.plan, view.comparison_note),
            None => "Enter a website and a keyword to see what the scan will ask.".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(pairs: &[(&'static str, &'static str)]) -> Map<String, Value> {
        let fields = ScanFields::sent(|name| {
            let values = pairs.iter().filter(|(known, _)| *known == name);
            values.map(|(_, value)| *value).collect()
        });
        fields.0
    }

    #[test]
    fn questions_are_sent_only_if_they_are_not_those_that_were_generated() {
        let list = [
            ("planned", "A?"),
            ("planned", "B?"),
            ("questions", "A?"),
            ("questions", "B?"),
            ("questions", ""),
        ];
        let with = |more: &[(&'static str, &'static str)]| {
            let sent = sent(&[&list, more].concat());
            sent.get("questions").cloned()
        };
        assert_eq!(with(&[("keep", "0"), ("keep", "1"), ("keep", "2")]), None);
        assert_eq!(with(&[("keep", "1")]), Some(json!(["B?"])));
        assert_eq!(with(&[]), Some(json!([])));
        let edited = sent(&[
            ("planned", "A?"),
            ("questions", "A, then?"),
            ("questions", " C? "),
            ("keep", "0"),
            ("keep", "1"),
        ]);
        assert_eq!(edited.get("questions"), Some(&json!(["A, then?", "C?"])));
        assert_eq!(sent(&[("domain", "a.com")]).get("questions"), None);
    }

    #[test]
    fn counts_and_rings_are_left_out_beside_a_width_or_an_amount_of_money() {
        let default = [("questionsPerModel", "3"), ("rings", "1"), ("location", "Leeds")];
        let with = |more: &[(&'static str, &'static str)]| sent(&[&default, more].concat());
        assert_eq!(with(&[("targetWidth", ""), ("budget", " ")]).len(), 4);
        for (name, text, value) in [("targetWidth", "30", json!(30)), ("budget", "0.7", json!(0.7))] {
            let sent = with(&[(name, text)]);
            assert_eq!(sent.get(name), Some(&value));
            assert!(
                sent.get("rings").is_none() && sent.get("questionsPerModel").is_none(),
                "{sent:?}"
            );
        }
    }

    #[test]
    fn rings_without_a_place_are_left_out() {
        assert_eq!(sent(&[("rings", "1"), ("rings", "2")]).get("rings"), None);
        assert_eq!(sent(&[("rings", "9")]).get("rings"), Some(&json!([9])));
        let placed = sent(&[("rings", "2"), ("location", "Leeds")]);
        assert_eq!(placed.get("rings"), Some(&json!([2])));
        assert_eq!(sent(&[("location", "Leeds")]).get("rings"), Some(&json!([])));
    }
}
