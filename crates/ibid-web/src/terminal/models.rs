//! The table of models.

use super::text::{clean, cut, interval, or_dash, percent, table, titled};
use crate::pages::class_label;
use ibid_model::ScanResult;

pub(crate) fn render(result: &ScanResult) -> String {
    let mut rows = table(
        &[
            "model",
            "",
            "score",
            "likely range",
            "cited",
            "linked",
            "rank",
            "usually",
            "answers",
        ],
        &[2, 3, 4, 5, 6],
    );
    for model in &result.models {
        let label = cut(&clean(&model.model_label), 32);
        if model.is_unanswered() {
            let why = model
                .error
                .as_ref()
                .map(|error| format!(": {}", clean(&error.message)));
            rows.add_row([label, format!("no answer{}", why.unwrap_or_default())]);
            continue;
        }
        rows.add_row([
            label,
            bar(model.score.get()),
            model.score.to_string(),
            or_dash(model.score_interval.as_ref().map(interval)),
            percent(model.cited_rate),
            percent(model.linked_rate),
            or_dash(model.rank),
            class_label(model.prominence.as_str()).to_owned(),
            model.retrieval.headline.label().to_owned(),
        ]);
    }
    titled("Models (core questions)", &rows)
}

/// Draws a score from 0 to 100 as a bar of ten characters.
fn bar(score: f64) -> String {
    let blocks = (score / 10.0).round().clamp(0.0, 10.0) as usize;
    "█".repeat(blocks) + &"·".repeat(10 - blocks)
}
