//! The form of a project, with what it will cost and see before it is saved.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use crate::pages::{LineRow, fault_sentence, repeated_fault_of};
use askama::Template;
use ibid_model::Faults;

/// The form of a new project, for `GET /workspace/projects/new`.
#[derive(Clone, Copy, Debug)]
pub struct ProjectFormPage<'a> {
    /// The entries as sent, by the name of the field.
    pub entries: &'a [(String, String)],
    /// The stored question sets of the reader: the version to ask, and the name.
    pub sets: &'a [(String, String)],
    /// The lines of a file of questions that were not taken, with the reasons.
    pub lines: &'a [LineRow],
    /// The models: alias, name, and whether it is ticked.
    pub models: &'a [(String, String, bool)],
    /// The faults of the entries.
    pub faults: &'a Faults,
    /// What the project will cost and see; `None` before the entries fit.
    pub forecast: Option<&'a ForecastView<'a>>,
}

/// What a project will cost and see.
#[derive(Clone, Copy, Debug)]
pub struct ForecastView<'a> {
    pub sentence: &'a str,
    pub questions: &'a [String],
    /// Answers of a run.
    pub answers: usize,
    /// Whether the budget of the organisation holds the runs of a month.
    pub affordable: bool,
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
    page: &'a ProjectFormPage<'a>,
}

impl FormTemplate<'_> {
    fn entry(&self, name: &str) -> &str {
        let mut entries = self.page.entries.iter();
        let found = entries.find(|(field, _)| field == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    fn fault(&self, name: &str) -> String {
        repeated_fault_of(self.page.faults, name)
    }

    /// Faults that belong to no field of the form.
    fn other_faults(&self) -> Vec<String> {
        const FIELDS: [&str; 11] = [
            "/name",
            "/domain",
            "/keyword",
            "/location",
            "/brandNames",
            "/monthlyBudgetUsd",
            "/questionsPerModel",
            "/questions",
            "/file",
            "/recurrence/at",
            "/recurrence/timeZone",
        ];
        let others = self.page.faults.iter();
        let others = others.filter(|fault| {
            !FIELDS.contains(&fault.field.as_str()) && !fault.field.starts_with("/questions/")
        });
        others.map(fault_sentence).collect()
    }

    /// Faults of single questions, which have the number of the line.
    fn question_faults(&self) -> Vec<String> {
        let faults = self.page.faults.iter();
        let of_one = faults.filter_map(|fault| {
            let number: usize = fault
                .field
                .strip_prefix("/questions/")?
                .split('/')
                .next()?
                .parse()
                .ok()?;
            Some(format!("Question {}: {}", number + 1, fault_sentence(fault)))
        });
        of_one.collect()
    }

    fn is_from(&self, value: &str) -> bool {
        self.entry("questionsFrom") == value
    }

    fn is_from_all(&self) -> bool {
        self.entry("allQuestions") == "true"
    }

    const fn weekdays(&self) -> [(&'static str, &'static str); 7] {
        WEEKDAYS
    }

    fn is_weekday(&self, word: &str) -> bool {
        self.entry("weekday") == word
    }
}

pub fn project_form(frame: &Frame<'_>, page: &ProjectFormPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "New project", Tab::Projects);
    render("project-form", &FormTemplate { shell, page })
}
