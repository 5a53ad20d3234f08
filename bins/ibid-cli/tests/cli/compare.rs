//! `ibid compare` as its users see it.

use crate::support::{Folder, ibid, parsed, text};
use serde_json::{Value, json};

fn scan(domain: &str) -> Vec<u8> {
    let output = ibid(&[
        "scan",
        domain,
        "plumber",
        "--sandbox",
        "--json",
        "--questions",
        "6",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    output.stdout
}

#[test]
fn files_of_the_command_and_of_the_api_compare() {
    let bare = scan("example.com");
    let id = "6f9619ff-8b86-4011-b42d-00c04fc964ff";
    let reply = json!({"scanId": id, "status": "complete", "cost": "…", "result": serde_json::from_slice::<Value>(&bare).unwrap()});
    let folder = Folder::new("compare-replies");
    let first = folder.file("bare.json", &bare);
    let second = folder.file("reply.json", reply.to_string().as_bytes());
    let output = ibid(&["compare", &first, &second]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    for part in [
        "WITHIN NOISE",
        "all models",
        "18 pairs",
        "example.com \"plumber\"",
    ] {
        assert!(report.contains(part), "{part} is missing in\n{report}");
    }
    let output = ibid(&["compare", &first, &second, "--json"]);
    let found = parsed(&output);
    assert_eq!(
        (&found["verdict"], &found["overall"]["pairs"]),
        (&json!("within_noise"), &json!(18))
    );
    assert_eq!(
        (&found["first"]["scanId"], &found["second"]["scanId"]),
        (&Value::Null, &json!(id))
    );
}

#[test]
fn another_website_is_not_comparable() {
    let folder = Folder::new("compare-websites");
    let first = folder.file("com.json", &scan("example.com"));
    let second = folder.file("org.json", &scan("example.org"));
    let output = ibid(&["compare", &first, &second]);
    assert_eq!(output.status.code(), Some(0));
    let report = text(&output.stdout);
    assert!(report.starts_with("NOT COMPARABLE\n"), "{report}");
    assert!(
        report.contains("Still comparable: the two websites with each other"),
        "{report}"
    );
}

#[test]
fn a_file_that_holds_no_result_is_named() {
    let folder = Folder::new("compare-broken");
    let good = folder.file("good.json", &scan("example.com"));
    for (name, content) in [
        ("empty", ""),
        ("no-json", "score: 5"),
        ("other", r#"{"domain": "example.com"}"#),
        (
            "broken-reply",
            r#"{"scanId": "6f9619ff-8b86-4011-b42d-00c04fc964ff", "status": "complete", "result": {"domain": 5}}"#,
        ),
    ] {
        let bad = folder.file(&format!("{name}.json"), content.as_bytes());
        let output = ibid(&["compare", &good, &bad]);
        assert_eq!(
            (output.status.code(), text(&output.stdout).as_str()),
            (Some(1), ""),
            "{name}"
        );
        let message = text(&output.stderr);
        assert!(
            message.contains(&bad) && message.contains("holds no scan result"),
            "{message}"
        );
    }
    let output = ibid(&["compare", &good, "/nonexistent/b.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("reading /nonexistent/b.json"));
    assert_eq!(ibid(&["compare", &good]).status.code(), Some(2));
}
