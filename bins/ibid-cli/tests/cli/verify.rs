//! `ibid verify` as its users see it.

use crate::support::{Folder, ibid, parsed, run, text};
use ibid_engine::report::{Counted, CountedRun, numbers};
use ibid_model::result::{
    ProjectReport, ReportCover, ReportFormat, ReportPart, ReportSection, ReportSubject, ScanResult,
};
use ibid_model::{Locale, ProjectId, ScanId};
use serde_json::{Value, json};

/// The file of a report of one run.
fn report() -> Value {
    let printed = ibid(&["scan", "example.com", "crm", "--sandbox", "--json"]).stdout;
    let result: ScanResult = serde_json::from_slice(&printed).unwrap();
    let project = ReportSubject {
        project_id: ProjectId::random(),
        name: "Example".to_owned(),
        domain: result.domain.as_str().to_owned(),
        keyword: result.keyword.as_str().to_owned(),
        place: None,
        recurrence: "every Monday".to_owned(),
        locale: Locale::default(),
        sandbox: result.sandbox,
    };
    let counted = Counted {
        detectors: 1,
        competitors: Vec::new(),
        runs: vec![CountedRun::new(ScanId::random(), result, None)],
    };
    let report = ProjectReport {
        format: ReportFormat::V1,
        made_at: "2026-11-27T09:00:00Z".parse().unwrap(),
        numbers: numbers(&counted, &project).unwrap(),
        project,
        cover: ReportCover {
            title: "November".to_owned(),
            sender: None,
            accent: "#0a665f".to_owned(),
            footer: true,
            logo_sha256: None,
        },
        sections: vec![ReportPart {
            section: ReportSection::Summary,
            note: String::new(),
        }],
        notes: Vec::new(),
    };
    let mut file = json!(report);
    file["counted"] = json!(counted);
    file
}

#[test]
fn a_report_follows_from_its_answers_until_someone_changes_it() {
    let folder = Folder::new("verify");
    let path = folder.path("report.json");
    let mut file = report();
    std::fs::write(&path, file.to_string()).unwrap();
    let output = ibid(&["verify", &path]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}{}", text(&output.stderr));
    assert!(
        said.starts_with("November, example.com, 27 November 2026\n"),
        "{said}"
    );
    assert!(
        said.contains("Every number follows") && said.contains("SHA-256 "),
        "{said}"
    );
    let piped = run(&["verify", "-"], &[], &file.to_string());
    assert_eq!(text(&piped.stdout), said);

    file["numbers"]["trend"][0]["score"] = json!(99.5);
    file["numbers"]["verdict"] = json!("\u{1b}[2JThe best.");
    std::fs::write(&path, file.to_string()).unwrap();
    let output = ibid(&["verify", &path]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("2 entries do not follow"), "{said}");
    assert!(
        said.contains("/numbers/trend/0/score: the file has 99.5, its answers give"),
        "{said}"
    );
    assert!(!said.contains('\u{1b}'), "{said:?}");
    let output = ibid(&["verify", &path, "--json"]);
    assert_eq!(output.status.code(), Some(3));
    let document = parsed(&output);
    assert_eq!(document["differences"][0]["pointer"], "/numbers/trend/0/score");
    assert_eq!(document["sha256"].as_str().unwrap().len(), 64);
}

#[test]
fn another_file_is_no_report() {
    let output = run(&["verify", "-"], &[], "{}");
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(message.contains("no report of a project"), "{message}");
}
