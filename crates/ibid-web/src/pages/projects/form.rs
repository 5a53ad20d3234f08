//! A form for a project, with what it will cost and see before it is saved.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use crate::pages::{fault_sentence, repeated_fault_of};
use askama::Template;
use askama::filters::Safe;
use ibid_model::result::PlaceQuestion;
use ibid_model::{Faults, UsdMicros};
use ibid_service::ImportedLine;

/// The form that makes a project, on a page of its own, or changes one, in its settings.
#[derive(Debug, Default, Template)]
#[template(path = "part/project_form.html")]
pub struct ProjectForm {
    /// The project that is changed; `None` for a new one.
    pub project: Option<String>,
    /// The entries by the name of the field.
    pub entries: Vec<(String, String)>,
    /// The models that are ticked.
    pub ticked: Vec<String>,
    /// Places that are meant as they were understood.
    pub confirmed: Vec<String>,
    /// Whether nobody has filled it in yet, so that the browser may.
    pub is_fresh: bool,
    pub faults: Faults,
    /// Lines of a file that were not taken, with the reasons.
    pub lines: Vec<ImportedLine>,
    /// The stored question sets of the reader: the version to ask, and the name.
    pub sets: Vec<(String, String)>,
    /// The models: alias and name.
    pub models: Vec<(String, String)>,
    /// What the project will cost and see; `None` before the entries fit.
    pub forecast: Option<ForecastView>,
}

/// What a project will cost and see.
#[derive(Clone, Debug)]
pub struct ForecastView {
    pub sentence: String,
    pub questions: Vec<String>,
    pub places: Vec<PlaceLine>,
    /// Why answers to questions that name the website lead to it, in sentences.
    pub branding: Vec<String>,
    /// Which paths of its websites are not measured by themselves, in sentences.
    pub left_out: Vec<String>,
    /// What the runs of a month cost.
    pub month: UsdMicros,
    /// Whether the budget of the organisation holds a month of runs.
    pub affordable: bool,
}

/// A place as it was understood.
#[derive(Clone, Debug)]
pub struct PlaceLine {
    /// The line: 0 for that of the score.
    pub number: usize,
    /// The place with region and country.
    pub label: String,
    /// What to ask where the place is not beyond doubt.
    pub question: Option<PlaceQuestion>,
}

/// Weekdays with their words.
const WEEKDAYS: [(&str, &str); 7] = [
    ("monday", "Monday"),
    ("tuesday", "Tuesday"),
    ("wednesday", "Wednesday"),
    ("thursday", "Thursday"),
    ("friday", "Friday"),
    ("saturday", "Saturday"),
    ("sunday", "Sunday"),
];

#[derive(Template)]
#[template(path = "project_form.html")]
struct FormTemplate<'a> {
    shell: Shell<'a>,
    form: &'a ProjectForm,
}

impl ProjectForm {
    /// Its template escapes what people typed, so pages show it as it is.
    pub(crate) const fn shown(&self) -> Safe<&Self> {
        Safe(self)
    }

    /// Returns the entry of a field, without blanks around it.
    pub fn entry(&self, name: &str) -> &str {
        let mut entries = self.entries.iter();
        let found = entries.find(|(field, _)| field == name);
        found.map_or("", |(_, value)| value.trim())
    }

    fn fault(&self, name: &str) -> String {
        repeated_fault_of(&self.faults, name)
    }

    /// Faults that belong to no field of the form.
    fn other_faults(&self) -> Vec<String> {
        const FIELDS: [&str; 10] = [
            "name",
            "domain",
            "keyword",
            "location",
            "brandNames",
            "ownDomains",
            "monthlyBudgetUsd",
            "questionsPerModel",
            "file",
            "models",
        ];
        let is_shown = |field: &str| {
            let mut members = field.split('/').skip(1);
            members.next().is_some_and(|member| match member {
                "recurrence" | "markets" => members.next().is_some(),
                "questions" => self.project.is_none(),
                member => FIELDS.contains(&member),
            })
        };
        let others = self.faults.iter();
        let others = others.filter(|fault| !is_shown(&fault.field));
        others.map(fault_sentence).collect()
    }

    /// Lists the faults of single lines, each with the number of its line.
    fn line_faults(&self, list: &str, first: usize, what: &str) -> Vec<String> {
        let faults = self.faults.iter();
        let of_one = faults.filter_map(|fault| {
            let line = fault.field.strip_prefix(list)?.strip_prefix('/')?;
            let number: usize = line.split('/').next()?.parse().ok()?;
            Some(format!("{what} {}: {}", number + first, fault_sentence(fault)))
        });
        of_one.collect()
    }

    fn is_from(&self, value: &str) -> bool {
        self.is("questionsFrom", value)
    }

    fn has_own_questions(&self) -> bool {
        !self.is_from("templates")
    }

    const fn units(&self) -> [(&'static str, &'static str); 3] {
        [("weeks", "weeks"), ("days", "days"), ("hours", "hours")]
    }

    fn is(&self, field: &str, word: &str) -> bool {
        self.entry(field) == word
    }

    const fn weekdays(&self) -> [(&'static str, &'static str); 7] {
        WEEKDAYS
    }
}

pub fn project_form(frame: &Frame<'_>, form: &ProjectForm) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "New project", Tab::Projects);
    render("project-form", &FormTemplate { shell, form })
}
