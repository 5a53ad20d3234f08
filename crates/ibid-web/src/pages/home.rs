//! The home page with the free demo.

use super::{fault_of, fault_sentence};
use crate::chart::{self, Markup};
use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use askama::filters::Safe;
use ibid_model::result::Breakdown;
use ibid_model::{Faults, Interval, Offering};

#[derive(Clone, Copy, Debug)]
pub struct HomePage<'a> {
    pub demo: Demo<'a>,
    /// The skills that agents can buy.
    pub sold: Offering,
    /// Chain of payments, such as `base-sepolia`; `None` if the server sells no results.
    pub network: Option<&'a str>,
    /// Path of a sample report, if there is one.
    pub sample: Option<&'a str>,
    /// Whether readers can look at their website.
    pub looks: bool,
}

/// The free demo: one model, one question. Its form posts `domain` and `keyword`, urlencoded, to `/demo`.
#[derive(Clone, Copy, Debug)]
pub enum Demo<'a> {
    /// The form is open.
    Open {
        /// The text entered before, or an empty text.
        domain: &'a str,
        /// The text entered before, or an empty text.
        keyword: &'a str,
        /// Faults of `/domain` and `/keyword`; a fault of another field is about the whole form.
        faults: &'a Faults,
    },
    /// The form is closed: the questions of the day are used up, or the server has no provider key.
    Closed { reason: &'a str },
}

#[derive(Template)]
#[template(path = "home.html")]
struct HomeTemplate<'a> {
    shell: Shell<'a>,
    page: &'a HomePage<'a>,
}

pub fn home(frame: &Frame<'_>, page: &HomePage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Do AI answers cite you?", Tab::None).indexed();
    render("home", &HomeTemplate { shell, page })
}

impl HomeTemplate<'_> {
    fn fault(&self, field: &str) -> String {
        match &self.page.demo {
            Demo::Open { faults, .. } => fault_of(faults, field),
            Demo::Closed { .. } => String::new(),
        }
    }

    fn general_fault(&self) -> Option<String> {
        let Demo::Open { faults, .. } = &self.page.demo else {
            return None;
        };
        let mut others = faults
            .iter()
            .filter(|fault| !matches!(fault.field.as_str(), "/domain" | "/keyword"));
        others.next().map(fault_sentence)
    }

    fn specimen_parts(&self) -> Markup {
        chart::parts(&Breakdown {
            base: 40.0,
            rank: 9.5,
            link: 10.0,
            share: 1.6,
            cap: None,
        })
    }

    /// Three invented scores.
    fn sample_bars(&self) -> Markup {
        let bar = |score: f64, low: f64, high: f64| {
            chart::bar(
                score,
                Some(&Interval {
                    low,
                    high,
                    level: 0.95,
                    low_precision: false,
                }),
            )
            .0
        };
        Safe(format!(
            "<div class=\"gets-bars\">{}{}{}</div>",
            bar(61.0, 48.0, 72.0),
            bar(44.0, 29.0, 58.0),
            bar(12.0, 4.0, 25.0)
        ))
    }
}
