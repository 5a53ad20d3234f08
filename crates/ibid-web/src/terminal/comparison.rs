//! Two scans compared, as text.

use super::table::{table, titled};
use crate::escape::{cut, line};
use crate::figure;
use comfy_table::Table;
use ibid_model::Interval;
use ibid_model::result::{ComparedScan, Comparison, Difference, Verdict};
use std::fmt::Write;

/// Returns a comparison as text, without colours and at most about 100 columns wide.
pub fn comparison(comparison: &Comparison) -> String {
    let mut report = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(report, "{}", comparison.verdict.label().to_uppercase());
    let _ = writeln!(report, "{}\n", line(&comparison.sentence));
    report.push_str(&scans(comparison));
    report.push('\n');
    report.push_str(&differences(comparison));
    let reasons = reasons(comparison);
    if !reasons.is_empty() {
        report.push('\n');
        report.push_str(&reasons);
    }
    report
}

fn scans(comparison: &Comparison) -> String {
    let mut rows = table(&["", "score", "95 %", "finished", "looked for"], &[1]);
    for (name, scan) in [("first", &comparison.first), ("second", &comparison.second)] {
        rows.add_row([
            name.to_owned(),
            format!("{:.0}", scan.overall_score.get()),
            or_dash(scan.interval.as_ref().map(figure::interval)),
            scan.finished_at.strftime("%Y-%m-%d %H:%M").to_string(),
            cut(&looked_for(scan), 60).into_owned(),
        ]);
    }
    titled("Scans", &rows)
}

fn looked_for(scan: &ComparedScan) -> String {
    let mut text = format!("{} \"{}\"", scan.domain.to_unicode(), line(scan.keyword.as_str()));
    if let Some(place) = &scan.location {
        let _ = write!(text, ", {}", line(place));
    }
    text
}

fn differences(comparison: &Comparison) -> String {
    let mut rows = table(
        &[
            "",
            "first",
            "second",
            "difference",
            "95 %",
            "p",
            "cited",
            "of",
            "verdict",
        ],
        &[1, 2, 3, 5, 7],
    );
    add(
        &mut rows,
        "all models",
        &comparison.overall,
        comparison.overall.p_value,
    );
    for model in &comparison.models {
        let label = cut(&line(&model.model_label), 28).into_owned();
        add(&mut rows, &label, &model.difference, model.adjusted_p_value);
    }
    if let Some(radius) = &comparison.radius {
        add(&mut rows, "markets", radius, radius.p_value);
    }
    titled("Second minus first", &rows)
}

fn add(rows: &mut Table, label: &str, difference: &Difference, p: Option<f64>) {
    let one_decimal = |value: Option<f64>| or_dash(value.map(|value| format!("{value:.1}")));
    let cited = difference.cited.map(|cited| {
        line(&format!(
            "{} → {}",
            figure::percent(cited.first),
            figure::percent(cited.second)
        ))
    });
    let verdict = match difference.verdict {
        Verdict::Changed | Verdict::WithinNoise => difference.verdict.label(),
        // The reasons follow below the table.
        Verdict::NotComparable => "no test",
    };
    rows.add_row([
        label.to_owned(),
        one_decimal(difference.first),
        one_decimal(difference.second),
        or_dash(difference.mean.map(|mean| format!("{mean:+.0}"))),
        or_dash(difference.interval.as_ref().map(range)),
        or_dash(p.map(p_value)),
        or_dash(cited),
        if difference.pairs > 0 {
            format!("{} pairs", difference.pairs)
        } else {
            format!("{} + {}", difference.first_answers, difference.second_answers)
        },
        verdict.to_owned(),
    ]);
}

fn or_dash(value: Option<String>) -> String {
    value.unwrap_or_else(|| figure::DASH.to_owned())
}

fn range(interval: &Interval) -> String {
    format!("{:+.0} to {:+.0}", interval.low, interval.high)
}

fn p_value(p: f64) -> String {
    if p < 0.001 {
        "<0.001".to_owned()
    } else {
        format!("{p:.3}")
    }
}

fn reasons(comparison: &Comparison) -> String {
    let mut text = String::new();
    for reason in &comparison.reasons {
        let kind = if reason.blocks { "Not comparable" } else { "Note" };
        let _ = writeln!(text, "{kind}: {}.", line(&reason.message));
        if let Some(still) = &reason.still_comparable {
            let _ = writeln!(text, "  Still comparable: {}.", line(still));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn two_scans() -> Comparison {
        let difference = |verdict: &str, mean: Option<f64>| {
            json!({"verdict": verdict, "pairing": if mean.is_some() { "paired" } else { "none" }, "pairs": if mean.is_some() { 12 } else { 0 },
                   "differing": 10, "firstAnswers": 12, "secondAnswers": 12, "first": mean.map(|_| 32.1), "second": mean.map(|gap| 32.1 + gap),
                   "mean": mean, "interval": mean.map(|gap| json!({"low": gap - 5.0, "high": gap + 5.0, "level": 0.95, "lowPrecision": false})),
                   "pValue": mean.map(|_| 0.0004), "detectable": 7.8,
                   "cited": mean.map(|_| json!({"first": 0.5, "second": 0.75, "gained": 3, "lost": 0, "pValue": 0.25}))})
        };
        let scan = |score: f64| {
            json!({"scanId": null, "domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "overallScore": score,
                   "interval": {"low": 15.9, "high": 48.4, "level": 0.95, "lowPrecision": true}, "methodVersion": "1.0",
                   "finishedAt": "2026-11-21T08:30:00Z"})
        };
        let model = |name: &str, difference| {
            json!({"model": "model-1-latest", "modelLabel": name, "firstResolvedModel": null, "secondResolvedModel": null,
                   "difference": difference, "adjustedPValue": 0.0312})
        };
        serde_json::from_value(json!({
            "verdict": "not_comparable", "sentence": "These scans cannot be compared: \u{202e}because.",
            "reasons": [{"code": "other_method", "message": "other versions", "blocks": true, "stillComparable": "the answers"},
                        {"code": "partial", "message": "some questions failed", "blocks": false, "stillComparable": null}],
            "first": scan(32.1), "second": scan(45.0), "overall": difference("changed", Some(12.9)),
            "models": [model("\u{1b}[2JFirst model", difference("within_noise", Some(-3.0))), model("Second model", difference("not_comparable", None))],
            "radius": difference("within_noise", Some(1.0))
        }))
        .unwrap()
    }

    #[test]
    fn the_text_holds_every_part_and_no_control_character() {
        let report = comparison(&two_scans());
        for part in [
            "NOT COMPARABLE\nThese scans cannot be compared: because.",
            " 32 ",
            "16–48",
            "2026-11-21 08:30",
            "Lyon, France",
            "+13",
            "+8 to +18",
            "<0.001",
            "50 % → 75 %",
            "12 pairs",
            "First model",
            "-3 ",
            "0.031",
            "no test",
            "markets",
            "Not comparable: other versions.\n  Still comparable: the answers.",
            "Note: some questions failed.",
        ] {
            assert!(report.contains(part), "{part:?} is missing in\n{report}");
        }
        assert!(report.chars().all(|c| c == '\n' || !c.is_control()), "{report:?}");
        assert!(report.lines().all(|line| line.chars().count() <= 120), "{report}");
    }
}
