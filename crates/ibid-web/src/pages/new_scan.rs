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
use ibid_model::{Faults, Ring, UsdMicros};

/// The first page of the workspace: a new scan, and the latest ones.
///
/// The form posts urlencoded to `/workspace/scans`: `domain`, `keyword`, `location`, `models` and `rings` (repeated),
/// `questionsPerModel`, `keywordsPerRing`, `queriesPerKeyword`, `brandNames` (comma-separated), `learnNames`
/// (present: yes), `language`. Empty fields count as absent; no `rings` means core questions only.
#[derive(Clone, Copy, Debug)]
pub struct NewScanPage<'a> {
    /// The entries of the form.
    pub form: &'a ScanFields,
    /// The faults of the sent form.
    pub faults: &'a Faults,
    /// The alias table.
    pub models: &'a [ModelChoice<'a>],
    /// The size and the cost of the scan in the form; `None` until the form is valid.
    pub plan: Option<PlanView>,
    /// Highest cost of a scan of the workspace.
    pub most_cost: UsdMicros,
    /// The latest scans, newest first.
    pub recent: &'a [ScanRow<'a>],
}

/// The entries of the form of a new scan, as the reader typed them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanFields {
    /// Website.
    pub domain: String,
    /// Keyword.
    pub keyword: String,
    /// Place.
    pub location: String,
    /// Tag of the language.
    pub language: String,
    /// Names, separated by commas.
    pub brand_names: String,
    /// Whether the names of the website are read from its home page.
    pub learn_names: bool,
    /// Ticked aliases.
    pub models: Vec<String>,
    /// Ticked ring numbers.
    pub rings: Vec<u8>,
    /// Core questions per model.
    pub questions_per_model: String,
    /// Keywords per town.
    pub keywords_per_ring: String,
    /// Phrasings per keyword.
    pub queries_per_keyword: String,
}

impl ScanFields {
    /// Returns an empty form: the default models, no ring, ten core questions, one keyword and one phrasing for each town.
    #[must_use]
    pub fn empty(models: Vec<String>) -> Self {
        Self {
            domain: String::new(),
            keyword: String::new(),
            location: String::new(),
            language: String::new(),
            brand_names: String::new(),
            learn_names: false,
            models,
            rings: Vec::new(),
            questions_per_model: "10".to_owned(),
            keywords_per_ring: "1".to_owned(),
            queries_per_keyword: "1".to_owned(),
        }
    }
}

/// The size and the cost of the scan in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanView {
    /// Number of questions.
    pub questions: u32,
    /// Estimated cost at the provider.
    pub estimate: UsdMicros,
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
    fn field_id(&self, field: &str) -> &'static str {
        match field
            .trim_start_matches('/')
            .split('/')
            .next()
            .unwrap_or_default()
        {
            "keyword" => "keyword",
            "location" => "location",
            "models" => "models",
            "rings" => "rings",
            "questionsPerModel" => "questionsPerModel",
            "keywordsPerRing" => "keywordsPerRing",
            "queriesPerKeyword" => "queriesPerKeyword",
            "brandNames" => "brandNames",
            "language" => "language",
            "domain" => "domain",
            _ => "scan-form",
        }
    }

    fn rings(&self) -> Vec<RingChoice> {
        Ring::all()
            .map(|ring| RingChoice {
                number: ring.get(),
                label: ring_label(ring.get()),
                from: ring.from_km(),
                to: ring.to_km(),
                checked: self.page.form.rings.contains(&ring.get()),
            })
            .collect()
    }

    fn is_ticked(&self, alias: &str) -> bool {
        self.page.form.models.iter().any(|ticked| ticked == alias)
    }

    fn more_open(&self) -> bool {
        let form = self.page.form;
        !form.brand_names.is_empty()
            || form.learn_names
            || !form.language.is_empty()
            || !self.fault("/brandNames").is_empty()
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
            Some(_) => "Each answer is one call to a model.".to_owned(),
            None => "Enter a website and a keyword to see what the scan will ask.".to_owned(),
        }
    }
}
