//! Prints the cost of misspelt and unknown texts: `cargo run --release -p ibid-gazetteer --example lookup_cost`.
//!
//! The cost of a text is the shortest of nine runs.
//! Other work on the machine therefore does not change the figures.

use ibid_gazetteer::resolve;
use std::time::{Duration, Instant};

#[expect(clippy::print_stdout, reason = "a tool for the command line")]
fn main() {
    let _ = resolve("Valencia, Spain");
    let before = resident_kb();
    let first = Instant::now();
    let _ = resolve("Xanadu-on-the-Wold");
    println!("first unknown text, index included: {:?}", first.elapsed());
    if let (Some(before), Some(after)) = (before, resident_kb()) {
        println!(
            "memory that became resident: {} MB",
            after.saturating_sub(before) / 1_000
        );
    }

    let names = [
        "Barcelnoa",
        "Melbuorme",
        "Atlantiss",
        "Xanadu",
        "qwertyuiop",
        "the quick brown fox",
        "Springfeild",
        "Lodnon",
        "Санкт-Питербург",
        "東京都庁前",
        "Rio de Janiero",
        "some street 12 in a town",
        "Kraainem op den berg",
        "Zzyzx",
    ];
    let areas = [
        "",
        ", Spain",
        ", Florida",
        ", Atlantis",
        ", Spian",
        ", Nowhere, Nothing",
        " Germany",
    ];
    let mut times: Vec<(Duration, String)> = Vec::new();
    for round in 0..3 {
        for name in names {
            for area in areas {
                // A letter more each round, so that no text comes twice.
                let text = format!("{name}{}{area}", "x".repeat(round));
                let run = |_| {
                    let start = Instant::now();
                    let _ = resolve(&text);
                    start.elapsed()
                };
                times.extend((0..9).map(run).min().map(|time| (time, text.clone())));
            }
        }
    }
    times.sort_unstable();
    let at = |share: usize| {
        times
            .get(times.len() * share / 100)
            .map(|(time, _)| *time)
            .unwrap_or_default()
    };
    println!(
        "{} texts: median {:?}, p90 {:?}, p99 {:?}",
        times.len(),
        at(50),
        at(90),
        at(99)
    );
    for (time, text) in times.iter().rev().take(5) {
        println!("{time:?}  {text}");
    }
}

/// Resident memory of this process, in kB, on Linux.
fn resident_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
