//! The form that takes a log of another tool.

use super::order_inputs::OrderInput;
use super::{ScanFields, fault_of, invalid};
use crate::chart::Markup;
use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::Faults;
use ibid_model::contract::Field;
use ibid_model::contract::field::{BRAND_NAMES, DOMAIN, KEYWORD, LANGUAGE, LOCATION, NOT_NAMES};

/// The fields that the page lays out itself.
const LAID_OUT: [&Field; 3] = [&DOMAIN, &KEYWORD, &LOCATION];
/// The other fields of an order, without the questions and models, which are in the log.
const MORE: [&Field; 3] = [&BRAND_NAMES, &NOT_NAMES, &LANGUAGE];

/// The form that takes a log. It posts `multipart/form-data` to `/workspace/import`: the fields of an
/// order except models and counts (lists comma-separated), `askedAt`, and the file `log`. Empty fields count as absent.
#[derive(Clone, Copy, Debug)]
pub struct ImportPage<'a> {
    pub form: &'a ScanFields,
    /// The time of the answers as it was entered.
    pub asked_at: &'a str,
    /// The faults of the form and of the log that were sent.
    pub faults: &'a Faults,
    pub columns: &'a [LogColumn],
    /// Most bytes of a log, in MiB.
    pub most_mebibytes: usize,
}

/// A column of a log, with the names that it may have.
#[derive(Clone, Debug)]
pub struct LogColumn {
    /// The column in a word.
    pub column: &'static str,
    pub names: Vec<&'static str>,
}

#[derive(Template)]
#[template(path = "import.html")]
struct ImportTemplate<'a> {
    shell: Shell<'a>,
    page: &'a ImportPage<'a>,
}

impl ImportTemplate<'_> {
    fn text(&self, name: &str) -> String {
        self.page.form.text(name)
    }

    fn fault(&self, field: &str) -> String {
        fault_of(self.page.faults, field)
    }

    fn invalid(&self, field: &str) -> Markup {
        invalid(self.page.faults, field)
    }

    /// Returns the id of the input that a fault is about.
    fn field_id(&self, pointer: &str) -> &'static str {
        let name = pointer.split('/').nth(1).unwrap_or_default();
        let mut ids = LAID_OUT
            .iter()
            .chain(&MORE)
            .map(|field| field.name)
            .chain(["askedAt"]);
        // The log contains the questions and the models.
        ids.find(|id| *id == name).unwrap_or("log")
    }

    /// The inputs in the part of the form that is closed at first.
    fn more(&self) -> Vec<OrderInput> {
        OrderInput::all(MORE.into_iter(), self.page.form, self.page.faults)
    }
}

pub fn import(frame: &Frame<'_>, page: &ImportPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Import a log", Tab::History);
    render("import", &ImportTemplate { shell, page })
}
