//! `ibid first-party` and `ibid project import` as their users see them.

use crate::support::{Folder, ibid, parsed, text};
use serde_json::{Value, json};

const PAGES: &str =
    "Page,Citations\nhttps://www.example.com/plans,40\nhttps://example.com/blog,7\nhttps://example.org/x,1\n";

fn succeeded(arguments: &[&str]) -> String {
    let output = ibid(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn a_dry_run_says_what_was_understood() {
    let folder = Folder::new("first-party");
    let pages = folder.file("example.com_AIPageStatsReport_8_5_2026.csv", PAGES.as_bytes());
    let report = succeeded(&["first-party", &pages, "--domain", "example.com", "--dry-run"]);
    assert_eq!(
        report,
        "example.com_AIPageStatsReport_8_5_2026.csv: bing-pages, 2026-08-05\n  3 rows read, 2 used, 1 refused; 2 daily rows\n  \
         Refused: 1 × is about another website (line 4)\nBing AI Performance: citations of 2 pages, queries and topics\n"
    );
    let output = ibid(&[
        "first-party",
        &pages,
        &pages,
        "--domain",
        "example.com",
        "--dry-run",
        "--json",
    ]);
    let found = parsed(&output);
    assert_eq!(
        found["rows"][1],
        json!({"source": "bing_ai", "until": "2026-08-05", "page": "example.com/plans", "measure": "citations", "value": 40, "asOf": "2026-08-05"})
    );
    assert_eq!(
        found["rows"].as_array().unwrap().len(),
        2,
        "the same file twice changes nothing"
    );
}

#[test]
fn without_a_purpose_it_is_a_wrong_use() {
    let folder = Folder::new("first-party-use");
    let pages = folder.file("pages.csv", PAGES.as_bytes());
    let output = ibid(&["first-party", &pages, "--domain", "example.com"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    let output = ibid(&["first-party", &pages, "--domain", "example.com", "--dry-run"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("pages.csv: the rows of bing-pages have no date"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn a_scan_is_compared_by_page() {
    let folder = Folder::new("first-party-against");
    let scan = ibid(&[
        "scan",
        "example.com",
        "plumber",
        "--sandbox",
        "--json",
        "--questions",
        "6",
    ]);
    let mut result = parsed(&scan);
    let page = |path: &str, share: f64| json!({"url": format!("https://example.com{path}"), "answers": 1, "share": share, "intents": [], "models": []});
    result["pages"] = Value::Array(
        (0..8)
            .map(|n| page(&format!("/p{n}/"), 0.1 + 0.05 * f64::from(n)))
            .collect(),
    );
    let scan = folder.file("scan.json", result.to_string().as_bytes());
    let rows: String = (1..9)
        .map(|n| format!("https://example.com/p{n},{}\n", 10 * n))
        .collect();
    let pages = folder.file(
        "x_AIPageStatsReport_8_5_2026.csv",
        format!("Page,Citations\n{rows}").as_bytes(),
    );
    let report = succeeded(&[
        "first-party",
        &pages,
        "--domain",
        "example.com",
        "--against",
        &scan,
    ]);
    for part in [
        "Agreement of the order of 9 pages: 0.",
        "There, and in no answer: 1\n    example.com/p8 (80)",
        "In answers, and not there: 1\n    example.com/p0 (10 % of answers)",
    ] {
        assert!(report.contains(part), "{part} is missing in\n{report}");
    }
    let few = folder.file("y_AIPageStatsReport_8_5_2026.csv", b"Page,Citations\n/p0,1\n");
    result["pages"] = json!([]);
    let scan = folder.file("none.json", result.to_string().as_bytes());
    let report = succeeded(&["first-party", &few, "--domain", "example.com", "--against", &scan]);
    assert!(report.contains("not enough (1 pages; 8 are needed)"), "{report}");
    let output = ibid(&["first-party", &few, "--domain", "example.org", "--against", &scan]);
    assert!(
        text(&output.stderr).contains("is a scan of example.com"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn queries_become_questions_that_the_check_reads() {
    let folder = Folder::new("first-party-questions");
    let queries = folder.file(
        "x_AISearchQueriesReport_8_5_2026.csv",
        b"Grounding Query,Citations\nwho is the best plumber in leeds?,40\n",
    );
    let csv = succeeded(&["first-party", &queries, "--domain", "example.com", "--questions"]);
    assert_eq!(csv, "question\nwho is the best plumber in leeds?\n");
    let csv = folder.file("q.csv", csv.as_bytes());
    succeeded(&["questions", "check", &csv, "--keyword", "plumber"]);
}

#[test]
fn ranges_verify_and_their_faults_are_named() {
    let folder = Folder::new("first-party-ranges");
    let log = folder.file(
        "access.log",
        b"192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"ChatGPT-User/1.0\"\n",
    );
    let ranges = folder.file("ours.json", br#"{"prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]}"#);
    let named = format!("ChatGPT-User={ranges}");
    let arguments = ["first-party", &log, "--domain", "example.com", "--dry-run"];
    assert!(succeeded(&arguments).contains("access log: 1 fetches for answers, claimed"));
    let report = succeeded(&[&arguments[..], &["--ranges", &named]].concat());
    assert!(
        report.contains("access log: 1 fetches for answers, verified"),
        "{report}"
    );
    let output = ibid(&[&arguments[..], &["--ranges", &ranges]].concat());
    assert!(
        text(&output.stderr).contains("write PROGRAM=FILE"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn another_tracker_is_understood() {
    let folder = Folder::new("project-import");
    let file = folder.file(
        "otterly.csv",
        b"Prompt,Country,Service,URL,Date,Domain,Domain Category,Competitors Mentioned\nbest plumber?,GB,ChatGPT,https://a.example/,2026-08-01,a.example,Other,Aire\n,GB,ChatGPT,,,,,\n",
    );
    let report = succeeded(&["project", "import", &file, "--dry-run"]);
    assert_eq!(
        report,
        "otterly: 2 rows, 1 questions, 1 rivals, 0 past answers; 2 rows and 0 sources could not be used\n  Rivals: Aire\n  \
         Refused: 1 × has no question, row: 3\n  \
         Refused: 1 × has a day and no text of an answer, so its history is left out, row: 2\n  Not read: Domain Category\n"
    );
    let refused = ibid(&["project", "import", &file]);
    assert_eq!(refused.status.code(), Some(1));
    let why = text(&refused.stderr);
    assert!(why.contains("--domain and --keyword"), "{why}");
    let file = folder.file(
        "captures.csv",
        b"day,interface,question,answer,cited urls,captured by\n2026-08-01,ChatGPT,best plumber?,Aire.,https://a.example/,ada\n",
    );
    let report = succeeded(&["project", "captures", "ID", &file, "--dry-run"]);
    assert!(report.contains("ChatGPT 1"), "{report}");
}
