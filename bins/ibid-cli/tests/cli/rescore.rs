//! `ibid rescore` as its users see it.

use crate::support::{Folder, ibid, parsed, text};
use serde_json::{Value, json};

#[test]
fn a_scan_scored_again_is_the_same_and_an_old_one_keeps_its_number() {
    let folder = Folder::new("rescore-again");
    let (scan, evidence) = (folder.path("scan.json"), folder.path("evidence.json"));
    let arguments = [
        "scan",
        "example.com",
        "plumber",
        "--location",
        "Lyon, France",
        "--sandbox",
        "--json",
        "--evidence",
        &evidence,
    ];
    let printed = ibid(&arguments).stdout;
    std::fs::write(&scan, &printed).unwrap();
    let again = ibid(&["rescore", &scan, &evidence, "--json"]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert_eq!(text(&again.stdout), text(&printed));

    let mut old: Value = serde_json::from_slice(&printed).unwrap();
    old["method"]["version"] = json!("0.9");
    old["overallScore"] = json!(12.3);
    std::fs::write(&scan, old.to_string()).unwrap();
    let output = ibid(&["rescore", &scan, &evidence]);
    let summary = text(&output.stdout);
    assert!(summary.starts_with("method        0.9 -> "), "{summary}");
    assert!(
        summary.contains("overall score  12.3 -> ") && summary.contains("model-3-latest"),
        "{summary}"
    );
    let new = parsed(&ibid(&["rescore", &scan, &evidence, "--json"]));
    let previous = &new["method"]["previous"][0];
    assert_eq!(
        (&previous["version"], &previous["overallScore"]),
        (&json!("0.9"), &json!(12.3))
    );
}

#[test]
fn files_that_do_not_belong_together_are_refused() {
    let folder = Folder::new("rescore-mixed");
    let (scan, evidence) = (folder.path("scan.json"), folder.path("evidence.json"));
    let printed = ibid(&["scan", "example.com", "crm", "--sandbox", "--json"]).stdout;
    ibid(&[
        "scan",
        "example.org",
        "crm",
        "--sandbox",
        "--json",
        "--evidence",
        &evidence,
    ]);
    std::fs::write(&scan, &printed).unwrap();
    let output = ibid(&["rescore", &scan, &evidence]);
    assert_eq!(
        (output.status.code(), text(&output.stdout).as_str()),
        (Some(1), "")
    );
    assert!(
        text(&output.stderr).contains("the evidence belongs to another scan"),
        "{}",
        text(&output.stderr)
    );
    let reply = json!({"scanId": "6f9619ff-8b86-4011-b42d-00c04fc964ff", "status": "complete", "result": serde_json::from_slice::<Value>(&printed).unwrap()});
    std::fs::write(&scan, reply.to_string()).unwrap();
    let output = ibid(&["rescore", &scan, &evidence]);
    assert!(
        text(&output.stderr).contains("is the evidence of another scan"),
        "{}",
        text(&output.stderr)
    );
    let output = ibid(&["rescore", &scan, &scan]);
    assert!(
        text(&output.stderr).contains("holds no evidence"),
        "{}",
        text(&output.stderr)
    );
}
