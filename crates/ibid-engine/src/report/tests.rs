use super::*;
use crate::aggregate::aggregate;
use crate::aggregate::tests::{calls, frame, plan};
use crate::mentions::mentions;
use ibid_model::result::{ReportCover, ReportFormat};
use ibid_provider::Completion;
use serde_json::json;

/// A run of twelve questions to two models, some of which cite the website.
fn run(seed: usize) -> (CountedRun, ScanResult) {
    let plan = plan(
        json!({"domain": "example.com", "keyword": "crm", "questionsPerModel": 6,
        "models": ["model-1-latest", "model-2-latest"]}),
    );
    let answers = calls(&plan, |topic, model| {
        let text = match (topic * 7 + model * 3 + seed) % 5 {
            0 => "1. Example (https://example.com) - the best choice\n2. Rival Works - also good",
            1 => "1. Rival Works - the best choice\n2. Example - also good\n3. Third House - fine",
            _ => "1. Rival Works (https://rival.example/crm) - the best choice\n2. Third House - also good",
        };
        Ok(Completion {
            text: text.to_owned(),
            model: None,
            ..Completion::default()
        })
    });
    let mut frame = frame();
    frame.id = ScanId::random();
    frame.finished_at += jiff::SignedDuration::from_hours(168 * seed as i64);
    let scanned = aggregate(&plan, answers, &frame);
    let read = mentions(&scanned.result, &scanned.evidence);
    let stored: ScanResult = serde_json::from_slice(&serde_json::to_vec(&scanned.result).unwrap()).unwrap();
    (CountedRun::new(frame.id, stored.clone(), Some(read)), stored)
}

fn subject() -> ReportSubject {
    ReportSubject {
        project_id: ibid_model::ProjectId::random(),
        name: "Example".to_owned(),
        domain: "example.com".to_owned(),
        keyword: "crm".to_owned(),
        place: None,
        recurrence: "every Monday at 9:00".to_owned(),
        locale: Locale::default(),
        sandbox: true,
    }
}

fn file() -> Value {
    let counted = Counted {
        detectors: 1,
        competitors: vec![KeptRival {
            name: "Third House".to_owned(),
            aliases: Vec::new(),
            domains: Vec::new(),
            ignored: true,
        }],
        runs: (0..4).map(|seed| run(seed).0).collect(),
    };
    let project = subject();
    let report = ProjectReport {
        format: ReportFormat::V1,
        made_at: jiff::Timestamp::UNIX_EPOCH,
        numbers: numbers(&counted, &project).unwrap(),
        project,
        cover: ReportCover {
            title: "Report".to_owned(),
            sender: None,
            accent: "#0a665f".to_owned(),
            footer: true,
            logo_sha256: None,
        },
        sections: Vec::new(),
        notes: Vec::new(),
    };
    let mut file = serde_json::to_value(&report).unwrap();
    file["counted"] = serde_json::to_value(&counted).unwrap();
    file
}

fn verified(file: &Value) -> Vec<String> {
    let (_, found) = verify(&serde_json::to_vec(file).unwrap()).unwrap();
    found.into_iter().map(|difference| difference.pointer).collect()
}

#[test]
fn the_numbers_are_those_of_the_results() {
    let (counted, results): (Vec<_>, Vec<_>) = (0..4).map(run).unzip();
    let counted = Counted {
        detectors: 1,
        competitors: Vec::new(),
        runs: counted,
    };
    let found = numbers(&counted, &subject()).unwrap();
    for (point, result) in found.trend.iter().zip(&results) {
        let score = point.score.unwrap();
        assert_eq!(score.rounded(), result.overall_score.rounded());
        assert_eq!(point.interval, result.interval);
    }
    let last = results.last().unwrap();
    for (model, result) in found.models.iter().zip(&last.models) {
        assert_eq!(model.score.unwrap().rounded(), result.score.rounded());
        assert_eq!(model.interval, result.score_interval);
        let rate = f64::from(model.cited) / f64::from(model.answers);
        assert!((rate - result.cited_rate).abs() < 1e-4);
    }
    assert_eq!(found.competitors.rows[0].name, "Rival Works");
    assert_eq!(found.competitors.answers, 4 * 12);
    assert_eq!(found.questions.len(), 12);
    assert!(
        found
            .sources
            .sites
            .iter()
            .any(|site| site.domain == "rival.example")
    );
    let grade = found.disclosure.last().unwrap();
    assert!(
        grade.text.starts_with("Exploratory: the last run asked 12"),
        "{grade:?}"
    );
}

#[test]
fn a_file_follows_from_its_answers_and_holds_no_cost_and_no_quote() {
    let file = file();
    assert_eq!(verified(&file), [] as [&str; 0]);
    let run = &file["counted"]["runs"][0]["result"];
    assert!(run["usage"]["costUsd"].is_null() && run["models"][0]["answers"][0]["quote"].is_null());
    // The numbers of a file are those that its page shows.
    let read: ProjectReport = serde_json::from_value(file).unwrap();
    assert_eq!(read.numbers.trend.len(), 4);
}

#[test]
fn every_number_and_answer_that_is_changed_is_named() {
    let changes: [(&str, Value, &str); 9] = [
        ("/numbers/trend/1/score", json!(99.0), "/numbers/trend/1/score"),
        (
            "/numbers/history/level/score",
            json!(0.1),
            "/numbers/history/level/score",
        ),
        ("/numbers/verdict", json!("Rose."), "/numbers/verdict"),
        ("/numbers/models/0/cited", json!(77), "/numbers/models/0/cited"),
        (
            "/numbers/competitors/rows/0/named",
            json!(1),
            "/numbers/competitors/rows/0/named",
        ),
        ("/numbers/sources/sites", json!([]), "/numbers/sources/sites/0"),
        (
            "/numbers/questions/2/cited",
            json!(50),
            "/numbers/questions/2/cited",
        ),
        (
            "/numbers/disclosure/5/text",
            json!("Gold"),
            "/numbers/disclosure/5/text",
        ),
        ("/project/domain", json!("other.example"), "/project/domain"),
    ];
    for (pointer, value, expected) in changes {
        let mut file = file();
        *file.pointer_mut(pointer).unwrap() = value;
        assert!(verified(&file).iter().any(|found| found == expected), "{pointer}");
    }
    let mut file = file();
    let answers = file
        .pointer_mut("/counted/runs/3/result/models/0/answers")
        .unwrap();
    for answer in answers.as_array_mut().unwrap() {
        answer["class"] = json!("primary");
        answer["score"] = json!(100.0);
        answer["breakdown"] = json!({"base": 60.0, "rank": 20.0, "link": 10.0, "share": 10.0, "cap": null});
    }
    let found = verified(&file);
    assert!(
        found.iter().any(|pointer| pointer == "/numbers/trend/3/score"),
        "{found:?}"
    );
    assert!(
        found.iter().any(|pointer| pointer == "/numbers/verdict"),
        "{found:?}"
    );
    let mut without = self::file();
    without
        .pointer_mut("/counted/runs")
        .unwrap()
        .as_array_mut()
        .unwrap()
        .pop();
    assert!(
        verified(&without)
            .iter()
            .any(|pointer| pointer == "/numbers/trend/3")
    );
}

#[test]
fn other_files_are_no_reports() {
    for file in ["{}", "[]", "no JSON", r#"{"format": "ibid-report/2"}"#] {
        assert!(
            matches!(verify(file.as_bytes()), Err(NotAReport::Form(_))),
            "{file}"
        );
    }
}
