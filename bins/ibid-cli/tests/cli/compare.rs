//! `ibid compare` as its users see it.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Output};

fn ibid(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ibid"));
    command
        .args(arguments)
        .env_remove("ROUTER_API_KEY")
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A file that goes away with the test.
struct File(PathBuf);

impl File {
    fn of(name: &str, content: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("ibid-compare-{name}-{}.json", std::process::id()));
        std::fs::write(&path, content).unwrap();
        Self(path)
    }

    fn name(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

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
    let (first, second) = (
        File::of("bare", &bare),
        File::of("reply", reply.to_string().as_bytes()),
    );
    let output = ibid(&["compare", first.name(), second.name()]);
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
    let output = ibid(&["compare", first.name(), second.name(), "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
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
    let (first, second) = (
        File::of("com", &scan("example.com")),
        File::of("org", &scan("example.org")),
    );
    let output = ibid(&["compare", first.name(), second.name()]);
    assert_eq!(output.status.code(), Some(0));
    let report = text(&output.stdout);
    assert!(report.starts_with("NOT COMPARABLE\n"), "{report}");
    assert!(
        report.contains("What may still be compared: the two websites with each other"),
        "{report}"
    );
}

#[test]
fn a_file_that_holds_no_result_is_named() {
    let good = File::of("good", &scan("example.com"));
    for (name, content) in [
        ("empty", ""),
        ("no-json", "score: 5"),
        ("other", r#"{"domain": "example.com"}"#),
        (
            "broken-reply",
            r#"{"scanId": "6f9619ff-8b86-4011-b42d-00c04fc964ff", "status": "complete", "result": {"domain": 5}}"#,
        ),
    ] {
        let bad = File::of(name, content.as_bytes());
        let output = ibid(&["compare", good.name(), bad.name()]);
        assert_eq!(
            (output.status.code(), text(&output.stdout).as_str()),
            (Some(1), ""),
            "{name}"
        );
        let message = text(&output.stderr);
        assert!(
            message.contains(bad.name()) && message.contains("holds no scan result"),
            "{message}"
        );
    }
    let output = ibid(&["compare", good.name(), "/nonexistent/b.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("reading /nonexistent/b.json"));
    assert_eq!(ibid(&["compare", good.name()]).status.code(), Some(2));
}
