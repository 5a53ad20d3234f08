//! Simulations behind the statistics: the coverage of intervals, the false alarms of comparisons, the radius.
//!
//! `cargo bench -p ibid-engine --bench simulate` prints the tables of docs/METHOD.md and fails where a goal is missed
//! by more than two standard errors. `-- --short` makes a tenth of the draws, for CI.

#![expect(clippy::print_stdout, reason = "a simulation prints its tables")]

mod comparisons;
mod draws;
mod intervals;
mod radii;

use std::process::ExitCode;

/// One goal that was checked.
struct Goal {
    name: String,
    met: bool,
}

/// Collects the goals of all tables.
#[derive(Default)]
struct Goals(Vec<Goal>);

impl Goals {
    fn check(&mut self, met: bool, name: impl Into<String>) {
        self.0.push(Goal {
            name: name.into(),
            met,
        });
    }
}

/// Two standard errors of a share of `n` draws.
fn two_errors(share: f64, n: usize) -> f64 {
    2.0 * (share * (1.0 - share) / n as f64).sqrt()
}

fn main() -> ExitCode {
    let short = std::env::args().any(|argument| argument == "--short");
    let times = if short { 1 } else { 10 };
    let mut goals = Goals::default();
    intervals::run(400 * times, &mut goals);
    comparisons::run(200 * times, &mut goals);
    radii::run(100 * times, &mut goals);
    let missed: Vec<&Goal> = goals.0.iter().filter(|goal| !goal.met).collect();
    println!("\n{} goals, {} missed", goals.0.len(), missed.len());
    for goal in &missed {
        println!("missed: {}", goal.name);
    }
    if missed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
