//! `ibid rescore` as its users see it.
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

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ibid-rescore-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_scan_scored_again_is_the_same_and_an_old_one_keeps_its_number() {
    let folder = Folder::new("again");
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
    let new: Value = serde_json::from_slice(&ibid(&["rescore", &scan, &evidence, "--json"]).stdout).unwrap();
    let previous = &new["method"]["previous"][0];
    assert_eq!(
        (&previous["version"], &previous["overallScore"]),
        (&json!("0.9"), &json!(12.3))
    );
}

#[test]
fn files_that_do_not_belong_together_are_refused() {
    let folder = Folder::new("mixed");
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
