//! Simulations behind the statistics: ranges, projects, causes, moves, comparisons, actions, scans that stop, towns, the radius.
//!
//! `cargo bench -p ibid-engine --bench simulate` prints the tables of docs/METHOD.md and fails where a goal is missed
//! by more than two standard errors. `-- --short` makes a tenth of the draws, `-- --ci` an eightieth. A name of a table, such as `causes`, runs that one.

#![expect(clippy::print_stdout, reason = "a simulation prints its tables")]

mod actions;
mod causes;
mod comparisons;
mod draws;
mod goals;
mod moves;
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
    type Table = fn(Size, &mut Goals);
    let tables: [(&str, Table); 9] = [
        ("ranges", ranges::run),
        ("projects", projects::run),
        ("causes", causes::run),
        ("moves", moves::run),
        ("comparisons", comparisons::run),
        ("actions", actions::run),
        ("stopping", stopping::run),
        ("places", places::run),
        ("radii", radii::run),
    ];
    let is_chosen = tables.iter().any(|(name, _)| is_given(name));
    // An eightieth of the draws is ten a cell, too few for a goal about which cause is named.
    let is_left = |name: &str| name == "causes" && matches!(size, Size::Ci);
    for (_, run) in tables
        .iter()
        .filter(|(name, _)| is_given(name) || !is_chosen && !is_left(name))
    {
        run(size, &mut goals);
    }
    if goals.report() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
