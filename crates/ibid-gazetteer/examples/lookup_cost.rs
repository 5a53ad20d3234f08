//! Prints the CPU time of misspelt and unknown texts: `cargo run --release -p ibid-gazetteer --example lookup_cost`.
//!
//! Linux counts the time that a thread runs, so that a busy machine does not change the figures.

use ibid_gazetteer::resolve;
use std::time::Duration;

#[expect(clippy::print_stdout, reason = "a tool for the command line")]
fn main() {
    let first = cpu_time();
    let _ = resolve("Xanadu-on-the-Wold");
    println!("first unknown text, index included: {:?}", cpu_time().saturating_sub(first));

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
    let mut times: Vec<Duration> = Vec::new();
    for round in 0..20 {
        for name in names {
            for area in areas {
                // A letter more each round, so that no text comes twice.
                let text = format!("{name}{}{area}", "x".repeat(round % 3));
                let start = cpu_time();
                let _ = resolve(&text);
                times.push(cpu_time().saturating_sub(start));
            }
        }
    }
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    println!(
        "{} texts: median {:?}, p90 {:?}, p99 {:?}",
        times.len(),
        at(50),
        at(90),
        at(99)
    );
}

/// The time that this thread has run so far; zero where the system does not say.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = stat.split(' ').next().and_then(|field| field.parse().ok());
    Duration::from_nanos(nanos.unwrap_or_default())
}
