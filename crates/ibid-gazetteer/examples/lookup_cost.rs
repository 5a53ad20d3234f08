//! Prints the cost of misspelt and unknown texts: `cargo run --release -p ibid-gazetteer --example lookup_cost`.
//!
//! With the name of a file as its argument, the texts are its lines.
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

    let file = std::env::args().nth(1);
    let texts = match file.map(std::fs::read_to_string) {
        Some(Ok(file)) => file.lines().map(str::to_owned).collect(),
        Some(Err(error)) => {
            println!("{error}");
            return;
        }
        None => own_texts(),
    };
    let mut times: Vec<(Duration, String)> = Vec::new();
    for text in texts {
        let run = |_| {
            let start = Instant::now();
            let _ = resolve(&text);
            start.elapsed()
        };
        times.extend((0..9).map(run).min().map(|time| (time, text.clone())));
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

/// Misspelt and unknown names with areas, with a letter more in each round, so that no text comes twice.
fn own_texts() -> Vec<String> {
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
    let mut texts = Vec::new();
    for round in 0..3 {
        for name in names {
            for area in areas {
                texts.push(format!("{name}{}{area}", "x".repeat(round)));
            }
        }
    }
    texts
}

/// Resident memory of this process, in kB, on Linux.
fn resident_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
