//! False alarms and power of the comparison of two scans.

use crate::draws::Draws;
use crate::{Goals, two_errors};
use ibid_engine::compare::{Side, compare};
use ibid_model::result::{Comparison, ScanResult, Verdict};
use serde_json::{Value, json};

/// Standard deviation of an answer's score between scans, in points.
const NOISE: f64 = 20.0;

/// A scan's document: what a comparison looks at, and nothing else of interest.
fn document(scores: &[Vec<f64>]) -> Value {
    let models: Vec<Value> = scores
        .iter()
        .enumerate()
        .map(|(m, scores)| model(m, scores))
        .collect();
    json!({
        "domain": "example.com", "keyword": "plumber", "location": null, "overallScore": 50.0, "interval": null, "models": models,
        "radius": {"status": "no_location", "scope": null, "rings": [], "topCompetitors": [], "citationRadiusKm": null,
                   "radiusRangeKm": null, "censored": false, "thresholdPct": 25, "map": null},
        "brandNames": [], "usage": {"questions": 1, "answered": 1, "failed": 0, "promptTokens": 1, "completionTokens": 1, "costUsd": null},
        "method": {"version": "2.0", "language": "en", "templates": [], "webSearch": true, "branded": false, "resamples": 2000},
        "sandbox": true, "warnings": [], "startedAt": "2026-11-21T00:00:00Z", "finishedAt": "2026-11-21T00:00:01Z"
    })
}

fn model(number: usize, scores: &[f64]) -> Value {
    let answer = |(n, score): (usize, &f64)| {
        let class = if *score > 0.0 { "secondary" } else { "none" };
        json!({"questionId": format!("c{n}"), "questionHash": format!("{n:016x}"), "class": class, "score": score,
               "breakdown": null, "rank": null, "quote": null, "url": null})
    };
    let answers: Vec<Value> = scores.iter().enumerate().map(answer).collect();
    json!({"model": format!("model-{}-latest", number + 1), "modelLabel": "M", "cited": true, "score": 50.0, "prominence": "secondary",
           "resolvedModel": null, "citedRate": 1.0, "citedRateInterval": null, "linkedRate": 0.0, "rank": null,
           "scoreInterval": null, "coverage": 1.0, "informativeRate": 1.0, "answers": answers, "error": null})
}

/// Two scans of the same questions, the second `shift` points higher, whose noise the models share in part.
fn pair(questions: usize, models: usize, shared: f64, shift: f64, draws: &mut Draws) -> Option<Comparison> {
    let levels: Vec<f64> = (0..questions).map(|_| draws.between(20.0, 70.0)).collect();
    let mut scan = |shift: f64| -> Option<ScanResult> {
        let mut scores = vec![Vec::with_capacity(questions); models];
        for level in &levels {
            let common = shared.sqrt() * draws.normal();
            for row in &mut scores {
                let noise = common + (1.0 - shared).sqrt() * draws.normal();
                row.push(((level + shift + NOISE * noise).clamp(0.0, 100.0) * 10.0).round() / 10.0);
            }
        }
        serde_json::from_value(document(&scores)).ok()
    };
    let (first, second) = (scan(0.0)?, scan(shift)?);
    let side = |result| Side { id: None, result };
    Some(compare(side(&first), side(&second)))
}

/// The share of pairs of scans that are called changed, and the mean of the difference that they could detect.
fn share(questions: usize, models: usize, shared: f64, shift: f64, sims: usize) -> (f64, f64) {
    let mut draws = Draws::new((questions * 100 + models * 10) as u64 + (shared * 10.0) as u64);
    let (mut changed, mut detectable) = (0, 0.0);
    for _ in 0..sims {
        if let Some(found) = pair(questions, models, shared, shift, &mut draws) {
            changed += usize::from(found.verdict == Verdict::Changed);
            detectable += found.overall.detectable.unwrap_or_default();
        }
    }
    (changed as f64 / sims as f64, detectable / sims as f64)
}

pub(crate) fn run(sims: usize, goals: &mut Goals) {
    println!("## Comparison of two scans ({sims} pairs of scans a cell)\n");
    println!(
        "| Questions | Models | Shared noise | False alarms | Detectable, points | Found at that size | Found at 20 points |"
    );
    println!("|---|---|---|---|---|---|---|");
    for questions in [6, 8, 10, 14] {
        for models in [1, 3, 6] {
            for shared in [0.0, 0.2, 0.4, 0.6] {
                if models == 1 && shared > 0.0 {
                    continue;
                }
                let (alarms, detectable) = share(questions, models, shared, 0.0, sims);
                let (power, _) = share(questions, models, shared, detectable, sims);
                let (at_twenty, _) = share(questions, models, shared, 20.0, sims);
                println!(
                    "| {questions} | {models} | {shared} | {alarms:.3} | {detectable:.1} | {power:.2} | {at_twenty:.2} |"
                );
                let name = format!(
                    "comparison, {questions} questions, {models} models, shared {shared}: {alarms:.3} false alarms"
                );
                goals.check(alarms - two_errors(alarms, sims) <= 0.05, name);
            }
        }
    }
    println!();
}
