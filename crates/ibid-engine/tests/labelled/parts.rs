//! The parts of the labelled answers and what they must reach.

use crate::case;
use crate::measure::Measure;
use std::path::Path;

/// Lowest values that pass, in the order printed.
const GATES: [(&str, f64); 8] = [
    ("cited precision", 0.98),
    ("cited recall", 0.98),
    ("cited F1", 0.99),
    ("link kind", 0.97),
    ("prominence, strict", 0.90),
    ("rank, within tolerance", 0.90),
    ("competitor recall@5", 0.90),
    ("traps", 0.97),
];

fn check(part: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/answers")
        .join(part);
    let cases = case::read(&folder);
    assert!(!cases.is_empty(), "no cases in {}", folder.display());
    let measure = Measure::of(&cases);
    println!(
        "\n{part}: {} answers, {} languages",
        cases.len(),
        measure.languages(&cases)
    );
    for miss in &measure.misses {
        println!("  {miss}");
    }
    let mut below = Vec::new();
    for ((name, least), (found, of)) in GATES.iter().zip(measure.values()) {
        println!("{name:<24} {found:.4}  of {of}");
        if found < *least {
            below.push(format!("{name} is {found:.4}, below {least}"));
        }
    }
    println!("{:<24} {:.4}", "rank, exact", measure.exact_rank());
    assert!(below.is_empty(), "{part}: {below:?}");
}

#[test]
fn the_development_cases() {
    check("tune");
}

#[test]
fn the_held_out_cases() {
    check("held");
}
