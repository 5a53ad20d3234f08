use super::*;
use ibid_model::result::{RetrievalSummary, Searched, Stratum};
use serde_json::json;

fn result() -> ScanResult {
    let answer = |class: &str, score: f64, quote: Option<&str>| json!({"questionId": "c1", "class": class, "score": score, "breakdown": null, "rank": null, "quote": quote, "url": null});
    let model = |alias: &str, label: &str, score: f64| {
        json!({"model": alias, "modelLabel": label, "cited": score > 0.0, "score": score, "prominence": "secondary",
               "resolvedModel": null, "citedRate": 0.667, "citedRateInterval": null, "linkedRate": 0.333, "rank": 2.0,
               "scoreInterval": {"low": 10.0, "high": 60.0, "level": 0.95, "lowPrecision": true}, "coverage": 1.0,
               "informativeRate": 1.0, "answers": [answer("secondary", score, Some("\u{1b}[2JTry **Example Co** first")), answer("none", 0.0, None)],
               "error": null})
    };
    serde_json::from_value(json!({
        "domain": "example.com", "keyword": "plumber", "location": null, "overallScore": 32.1,
        "interval": {"low": 15.9, "high": 48.4, "level": 0.95, "lowPrecision": true},
        "models": [model("model-1-latest", "First model", 48.6), model("model-2-latest", "Second model", 0.0)],
        "radius": {"status": "no_location", "scope": null, "rings": [], "topCompetitors": [
            {"rank": 1, "rankInterval": {"low": 1, "high": 3}, "name": "Rival & Sons", "domain": "rival.com", "kind": "rival",
             "self": false, "score": 63.0, "share": 0.6, "appearanceRate": 0.8, "interval": null, "meanRank": 1.2,
             "linkedRate": 0.5, "models": [], "rings": [], "aliases": []},
            {"rank": 2, "rankInterval": null, "name": "Example Co", "domain": "example.com", "kind": "rival",
             "self": true, "score": 31.0, "share": 0.3, "appearanceRate": 0.5, "interval": null, "meanRank": 2.0,
             "linkedRate": 0.5, "models": [], "rings": [], "aliases": []},
            {"rank": 1, "rankInterval": null, "name": "Yelp", "domain": "yelp.com", "kind": "directory",
             "self": false, "score": 10.0, "share": 0.1, "appearanceRate": 0.2, "interval": null, "meanRank": null,
             "linkedRate": 1.0, "models": [], "rings": [], "aliases": []}],
            "citationRadiusKm": null, "radiusRangeKm": null, "censored": false, "thresholdPct": 25, "map": null},
        "brandNames": [], "usage": {"questions": 4, "answered": 4, "failed": 0, "promptTokens": 1, "completionTokens": 1, "costUsd": 0.02},
        "method": {"version": "1", "language": "en", "templates": ["list"], "webSearch": true, "branded": false, "resamples": 2000},
        "sandbox": true, "warnings": [{"code": "x", "message": "Something to know."}],
        "startedAt": "2026-11-21T00:00:00Z", "finishedAt": "2026-11-21T00:00:01Z"
    }))
    .unwrap()
}

#[test]
fn the_report_has_every_part_and_no_control_character() {
    let report = report(&result());
    for part in [
        "example.com",
        "SANDBOX",
        "32 of 100",
        "Likely range: 16 to 48",
        "Try Example Co first",
        ", recommended",
        "2 of 4 answers",
        "First model",
        "Rival & Sons",
        "▶",
        "Directories and media: Yelp",
        "Try Example Co first",
        "Note: Something to know.",
        "4 questions, 4 answered, would cost about $0.02",
    ] {
        assert!(report.contains(part), "{part:?} is missing in\n{report}");
    }
    assert!(report.chars().all(|c| c == '\n' || !c.is_control()), "{report:?}");
    assert!(report.lines().all(|line| line.chars().count() <= 120), "{report}");
}

#[test]
fn the_report_tells_searched_answers_from_remembered_ones() {
    let mut result = result();
    for (n, answer) in result
        .models
        .iter_mut()
        .flat_map(|model| &mut model.answers)
        .enumerate()
    {
        answer.retrieval.searched = if n == 1 { Searched::No } else { Searched::Yes };
    }
    result.retrieval = RetrievalSummary {
        headline: Stratum::Searched,
        search_asked: true,
        answers: 4,
        searched: 3,
        memory: 1,
        unknown: 0,
        searched_score: Some(result.overall_score),
        memory_score: Some(ibid_model::Score::new(4.1)),
    };
    result.models[0].retrieval.headline = Stratum::Searched;
    let silent = &mut result.models[1];
    silent.coverage = 0.0;
    silent.answers.clear();
    silent.retrieval.headline = Stratum::Memory;
    let report = report(&result);
    for part in [
        "3 of 4 answers searched the web; from memory: 4.1.",
        "Cited in 1 of 1 answer",
        "No answer",
        "searched",
    ] {
        assert!(report.contains(part), "{part:?} is missing in\n{report}");
    }
}

#[test]
fn a_report_says_why_a_scan_in_batches_asked_no_more() {
    use ibid_model::result::{Stopped, Until};
    let mut scan = result();
    assert!(!report(&scan).contains("The scan was to"));
    let until = |target_width, budget_usd| {
        Some(Until {
            target_width,
            budget_usd,
        })
    };
    for (aim, stopped, words) in [
        (
            until(Some(30), None),
            Stopped::Width,
            "The scan was to ask until the score is known to ±15 points: it is known so well.",
        ),
        (
            until(None, Some(0.7)),
            Stopped::Budget,
            "The scan was to spend at most $0.70: another answer would have cost more.",
        ),
        (
            until(Some(25), Some(2.0)),
            Stopped::Pool,
            "The scan was to ask until the score is known to ±12.5 points and spend at most $2.00: there were no more questions.",
        ),
    ] {
        (scan.until, scan.stopped) = (aim, Some(stopped));
        let report = report(&scan);
        let joined = report.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(joined.contains(words), "{words} is missing in\n{report}");
    }
}
