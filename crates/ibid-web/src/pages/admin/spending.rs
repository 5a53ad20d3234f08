//! Spending by person and month.

use super::PAGES;
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::UsdMicros;

/// What the scans of each account cost, month by month.
#[derive(Clone, Copy, Debug)]
pub struct SpendingPage<'a> {
    /// The months such as `2026-11`, the latest first.
    pub months: &'a [String],
    /// The organisations with the runs of their projects.
    pub organisations: &'a [OrganisationBudget],
    /// The accounts, then all projects; the last row is the sum.
    pub rows: &'a [PersonSpending],
}

/// An organisation, whose budget the form on the page posts with its id to the page.
#[derive(Clone, Debug)]
pub struct OrganisationBudget {
    pub id: String,
    pub spending: PersonSpending,
}

#[derive(Clone, Debug)]
pub struct PersonSpending {
    /// Its address, or words for deleted accounts and for the sum.
    pub who: String,
    /// Path of its page, if it has one.
    pub href: Option<String>,
    pub budget: Option<UsdMicros>,
    /// By month: scans or runs, and cost.
    pub months: Vec<(u64, UsdMicros)>,
}

#[derive(Template)]
#[template(path = "admin_spending.html")]
struct SpendingTemplate<'a> {
    shell: Shell<'a>,
    page: &'a SpendingPage<'a>,
    at: &'static str,
}

impl OrganisationBudget {
    fn dollars(&self) -> String {
        let budget = self.spending.budget.unwrap_or_default();
        format!("{:.2}", budget.dollars())
    }
}

pub fn admin_spending(frame: &Frame<'_>, page: &SpendingPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Spending", Tab::Admin);
    let at = "/workspace/admin/spending";
    render("admin-spending", &SpendingTemplate { shell, page, at })
}

impl SpendingTemplate<'_> {
    /// Returns the cells of a row, each with its month, what it cost and how many runs there were.
    fn cells(&self, row: &PersonSpending) -> Vec<(String, String, String)> {
        let months = self.page.months.iter().zip(&row.months);
        months
            .map(|(month, (scans, cost))| {
                let scans_label = figure::plural(*scans, "run", "runs");
                (month.clone(), cost.in_cents(), scans_label)
            })
            .collect()
    }
}
