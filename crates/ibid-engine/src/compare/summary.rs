//! A comparison in words.

use ibid_model::result::{Comparison, Difference, Pairing, Verdict};
use std::fmt::Write;

/// What a series shows that two scans do not (docs/METHOD.md has the simulations).
const WEEKLY: &str = "Repeated every week, 9 calls show a change of 20 points in eight runs, 30 calls one of 15 points in four.";

/// One to four sentences.
pub(super) fn of(comparison: &Comparison) -> String {
    let overall = &comparison.overall;
    match comparison.verdict {
        Verdict::Changed => format!("{} That is more than chance would move it.", moved(comparison)),
        Verdict::WithinNoise => {
            let mut sentence = format!(
                "{} Asking twice gives differences like this one.",
                moved(comparison)
            );
            if let Some(points) = overall.detectable.filter(|points| *points > 0.0) {
                let _ = write!(
                    sentence,
                    " With these answers a difference of about {points:.0} points would show. {WEEKLY}"
                );
            }
            sentence
        }
        Verdict::NotComparable => {
            let blocking = comparison.reasons.iter().filter(|reason| reason.blocks);
            let why: Vec<&str> = blocking.map(|reason| reason.message.as_str()).collect();
            format!("These scans cannot be compared: {}.", why.join("; "))
        }
    }
}

/// For example "The score of example.com went from 32 to 45 (+13, 95 % range +6 to +19, p = 0.002) over 12 pairs …".
fn moved(comparison: &Comparison) -> String {
    let overall = &comparison.overall;
    let domain = comparison.second.domain.to_unicode();
    let (Some(first), Some(second), Some(mean)) = (overall.first, overall.second, overall.mean) else {
        return format!("There are no answers about {domain} to compare.");
    };
    let mut sentence = if mean == 0.0 {
        format!("The score of {domain} is {second:.0} in both (")
    } else {
        format!("The score of {domain} went from {first:.0} to {second:.0} (")
    };
    let _ = write!(sentence, "{mean:+.0}");
    if let Some(range) = &overall.interval {
        let _ = write!(sentence, ", 95 % range {:+.0} to {:+.0}", range.low, range.high);
    }
    if let Some(p) = overall.p_value {
        let _ = write!(sentence, ", {}", p_value(p));
    }
    let _ = write!(sentence, ") over {}.", basis(overall));
    sentence
}

fn p_value(p: f64) -> String {
    if p < 0.001 {
        "p < 0.001".to_owned()
    } else {
        format!("p = {p:.3}")
    }
}

fn basis(overall: &Difference) -> String {
    match overall.pairing {
        Pairing::Paired => format!(
            "{} pairs of answers to {} questions",
            overall.pairs, overall.questions
        ),
        Pairing::Unpaired | Pairing::None => format!(
            "{} answers then and {} now, to other questions",
            overall.first_answers, overall.second_answers
        ),
    }
}
