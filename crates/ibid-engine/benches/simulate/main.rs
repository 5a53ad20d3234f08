//! Simulations behind the statistics: ranges, projects, comparisons, actions, scans that stop, towns, the radius.
//!
//! `cargo bench -p ibid-engine --bench simulate` prints the tables of docs/METHOD.md and fails where a goal is missed
//! by more than two standard errors. `-- --short` makes a tenth of the draws, `-- --ci` an eightieth.

#![expect(clippy::print_stdout, reason = "a simulation prints its tables")]

mod actions;
mod comparisons;
mod draws;
mod goals;
mod places;
mod projects;
mod radii;
mod ranges;
mod stopping;

use goals::{Goals, Size};
use std::process::ExitCode;

fn main() -> ExitCode {
    let is_given = |wanted: &str| std::env::args().any(|argument| argument == wanted);
    let size = match (is_given("--ci"), is_given("--short")) {
        (true, _) => Size::Ci,
        (false, true) => Size::Short,
        (false, false) => Size::Full,
    };
    let mut goals = Goals::default();
    ranges::run(size, &mut goals);
    projects::run(size, &mut goals);
    comparisons::run(size, &mut goals);
    actions::run(size, &mut goals);
    stopping::run(size, &mut goals);
    places::run(size, &mut goals);
    radii::run(size, &mut goals);
    if goals.report() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
