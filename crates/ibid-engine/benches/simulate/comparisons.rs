//! Table Two scans: false alarms and power of the comparison.

use crate::draws::{Draws, Kind, REAL, World};
use crate::goals::{Goals, Share, Size, on_all_cores};
use ibid_engine::compare::{Side, compare};
use ibid_model::result::{Comparison, ScanResult, Verdict};
use serde_json::{Value, json};

const MODELS: usize = 3;

/// A scan's document: what a comparison looks at. Question n is asked to model n % 3.
fn document(scores: &[f64]) -> Value {
    let models: Vec<Value> = (0..MODELS).map(|number| model(number, scores)).collect();
    json!({
        "domain": "example.com", "keyword": "plumber", "location": null, "overallScore": 50.0, "interval": null, "models": models,
        "radius": {"status": "no_location", "scope": null, "rings": [], "topCompetitors": [], "citationRadiusKm": null,
                   "radiusRangeKm": null, "censored": false, "thresholdPct": 25, "map": null},
        "brandNames": [], "usage": {"questions": 1, "answered": 1, "failed": 0, "promptTokens": 1, "completionTokens": 1, "costUsd": null},
        "method": {"version": "3.1", "language": "en", "templates": [], "webSearch": true, "branded": false, "resamples": 2000},
        "sandbox": true, "warnings": [], "startedAt": "2026-11-21T00:00:00Z", "finishedAt": "2026-11-21T00:00:01Z"
    })
}

fn model(number: usize, scores: &[f64]) -> Value {
    let answer = |(n, score): (usize, &f64)| {
        let class = if *score > 0.0 { "secondary" } else { "none" };
        json!({"questionId": format!("c{n}"), "questionHash": format!("{n:016x}"), "class": class, "score": score,
               "breakdown": null, "rank": null, "quote": null, "url": null})
    };
    let own = scores.iter().enumerate().skip(number).step_by(MODELS);
    let answers: Vec<Value> = own.map(answer).collect();
    json!({"model": format!("model-{}-latest", number + 1), "modelLabel": "M", "cited": true, "score": 50.0, "prominence": "secondary",
           "resolvedModel": null, "citedRate": 1.0, "citedRateInterval": null, "linkedRate": 0.0, "rank": null,
           "scoreInterval": null, "coverage": 1.0, "informativeRate": 1.0, "answers": answers, "error": null})
}

/// Two scans of the same questions, the second of a website that has fallen.
fn pair(before: &World, after: &World, questions: usize, draws: &mut Draws) -> Option<Comparison> {
    let parts: Vec<(f64, f64)> = (0..questions).map(|_| (draws.normal(), draws.normal())).collect();
    let mut scan = |world: &World| -> Option<ScanResult> {
        let score = |(question, (common, own)): (usize, &(f64, f64))| {
            let latent = world.latent(*common, *own, draws);
            (1000.0 * world.score(question % MODELS, latent)).round() / 10.0
        };
        let scores: Vec<f64> = parts.iter().enumerate().map(score).collect();
        serde_json::from_value(document(&scores)).ok()
    };
    let (first, second) = (scan(before)?, scan(after)?);
    let side = |result| Side { id: None, result };
    Some(compare(side(&first), side(&second)))
}

/// The share of pairs of scans that are called changed.
fn found(questions: usize, fall: f64, (kind, rate): (Kind, f64), sims: usize) -> Share {
    let seed = questions * 1000 + (rate * 100.0) as usize + fall as usize * 1_000_000;
    let mut draws = Draws::new(seed as u64 + ((kind as u64) << 40));
    let before = World::new(kind, rate, MODELS, REAL);
    let after = World::new(kind, rate - fall / 100.0 / kind.cited(), MODELS, REAL);
    let mut share = Share::default();
    for _ in 0..sims {
        if let Some(found) = pair(&before, &after, questions, &mut draws) {
            share.add(found.verdict == Verdict::Changed);
        }
    }
    share
}

pub(crate) fn run(size: Size, goals: &mut Goals) {
    let sims = size.draws(120);
    println!(
        "\n## Two scans ({sims} pairs a cell): called changed, least and greatest over kinds of answers\n"
    );
    println!("| Calls | No change | −15 points | −20 | −25 |");
    println!("|---|---|---|---|---|");
    let cells = [(Kind::Rate, 0.5), (Kind::Podium, 0.6), (Kind::Graded, 0.7)];
    for questions in [9, 24, 30] {
        let mut texts = Vec::new();
        for fall in [0.0, 15.0, 20.0, 25.0] {
            let shares = on_all_cores(&cells, |&cell| found(questions, fall, cell, sims));
            let (mut least, mut most) = (1.0_f64, 0.0_f64);
            for ((kind, _), share) in cells.iter().zip(&shares) {
                let name = format!("two scans, {questions} calls, {kind:?}, -{fall}");
                if fall == 0.0 {
                    goals.check(&name, share.both(), (0.0, 0.06));
                }
                if fall == 15.0 && questions == 24 && *kind != Kind::Rate {
                    goals.check(&name, share.both(), (0.40, 1.0));
                }
                (least, most) = (least.min(share.value()), most.max(share.value()));
            }
            texts.push(format!("{least:.2}–{most:.2}"));
        }
        println!("| {questions} | {} |", texts.join(" | "));
    }
}
