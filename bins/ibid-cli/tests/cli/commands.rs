//! Tests of `ibid scan` and `ibid models` as a process: output, exit codes, written files.

use crate::support::{Folder, ibid, parsed, run, text, unread};

#[test]
fn a_sandbox_scan_prints_a_report() {
    let output = ibid(&[
        "scan",
        "example.com",
        "plumber",
        "--location",
        "Lyon, France",
        "--sandbox",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    for part in [
        "example.com",
        "SANDBOX",
        "Overall score",
        "Rings",
        "Citation radius",
        "99 questions, 99 answered",
    ] {
        assert!(report.contains(part), "{part} is missing in\n{report}");
    }
    assert!(text(&output.stderr).starts_with("99 questions to 3 models, about $"));
}

#[test]
fn a_scan_surely_below_the_threshold_ends_with_three() {
    let scan = |least: &str| {
        let scan = [
            "scan",
            "example.com",
            "crm",
            "--sandbox",
            "--sandbox-day",
            "20700",
            "--json",
        ];
        ibid(&[&scan[..], &["--fail-under", least]].concat())
    };
    let high = parsed(&scan("0"))["interval"]["high"].as_f64().unwrap();
    assert!(high < 100.0, "the sandbox cites everyone");
    for (least, expected) in [(high.floor(), 0), (high.floor() + 1.0, 3)] {
        let output = scan(&format!("{least:.0}"));
        assert_eq!(output.status.code(), Some(expected), "{}", text(&output.stderr));
    }
}

#[test]
fn json_is_the_result_document() {
    let output = ibid(&[
        "scan",
        "example.com",
        "crm",
        "--sandbox",
        "--json",
        "--questions",
        "2",
        "--models",
        "model-6-latest",
    ]);
    let result = parsed(&output);
    assert_eq!(
        (result["domain"].as_str(), result["usage"]["questions"].as_u64()),
        (Some("example.com"), Some(2))
    );
    assert_eq!(result["models"][0]["model"], "model-6-latest");
}

#[test]
fn bad_usage_is_2_with_every_fault() {
    let output = ibid(&[
        "scan",
        "localhost",
        "crm",
        "--sandbox",
        "--questions",
        "11",
        "--models",
        "nope",
    ]);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    for part in [
        "DOMAIN: has no top-level domain",
        "--questions: must be between 1 and 10",
        "--models, value 1: is no known model",
    ] {
        assert!(message.contains(part), "{part} is missing in {message}");
    }
    assert_eq!(ibid(&["scan"]).status.code(), Some(2));
    assert_eq!(ibid(&["nonsense"]).status.code(), Some(2));
}

#[test]
fn an_unknown_place_and_a_plan_too_large_ask_nothing() {
    let output = ibid(&[
        "scan",
        "example.com",
        "crm",
        "--sandbox",
        "--location",
        "Qxzvw, Atlantis",
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("location is unknown"));
    let output = ibid(&[
        "scan",
        "example.com",
        "crm",
        "--sandbox",
        "--location",
        "Lyon, France",
        "--keywords",
        "50",
        "--queries",
        "10",
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("at most 1000 are allowed"));
}

#[test]
fn rings_are_read_without_a_place_too() {
    for (rings, fault) in [
        ("9", "--rings, value 1: must be between 1 and 5"),
        ("1,x", "--rings, value 2: must be"),
    ] {
        let output = ibid(&["scan", "example.com", "crm", "--sandbox", "--rings", rings]);
        assert_eq!(output.status.code(), Some(2), "{rings}");
        assert!(text(&output.stderr).contains(fault), "{}", text(&output.stderr));
    }
    let output = ibid(&[
        "scan",
        "example.com",
        "crm",
        "--sandbox",
        "--rings",
        "1",
        "--json",
    ]);
    assert_eq!(parsed(&output)["warnings"][0]["code"], "rings_without_location");
    let output = ibid(&["scan", "example.com", "crm", "--sandbox", "--json"]);
    assert_eq!(parsed(&output)["warnings"], serde_json::json!([]));
}

#[test]
fn a_file_that_cannot_be_written_is_known_before_anything_is_asked() {
    for flag in ["--evidence", "--svg"] {
        let output = run(
            &[
                "scan",
                "example.com",
                "crm",
                "--router",
                "http://127.0.0.1:9/v1",
                "--dialect",
                "openrouter",
                flag,
                "/no/such/folder/x",
            ],
            &[("ROUTER_API_KEY", "key")],
            "",
        );
        assert_eq!(output.status.code(), Some(1));
        let message = text(&output.stderr);
        assert!(message.contains("writing /no/such/folder/x"), "{message}");
    }
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let evidence = Folder::new("unread");
    let (scan, kept) = (evidence.path("scan.json"), evidence.path("evidence.json"));
    let output = ibid(&[
        "scan",
        "example.com",
        "crm",
        "--sandbox",
        "--json",
        "--evidence",
        &kept,
    ]);
    std::fs::write(&scan, &output.stdout).unwrap();
    for arguments in [
        &["scan", "example.com", "crm", "--sandbox"][..],
        &["scan", "example.com", "crm", "--sandbox", "--json"],
        &["scan", "example.com", "crm", "--plan"],
        &["models"],
        &["models", "--json"],
        &["compare", &scan, &scan],
        &["compare", &scan, &scan, "--json"],
        &["rescore", &scan, &kept],
        &["audit", "--html", "-"],
        &["locate", "Lyon, France"],
    ] {
        let output = unread(arguments);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn counts_agree_with_their_words() {
    let output = ibid(&[
        "scan",
        "example.com",
        "crm",
        "--plan",
        "--questions",
        "1",
        "--models",
        "model-6-latest",
    ]);
    assert!(text(&output.stderr).starts_with("1 question to 1 model, about $"));
}

#[test]
fn without_a_key_there_is_no_scan() {
    let output = ibid(&["scan", "example.com", "crm"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("ROUTER_API_KEY"));
}

#[test]
fn a_plan_is_shown_without_asking() {
    let output = ibid(&["scan", "example.com", "crm", "--plan"]);
    assert_eq!(output.status.code(), Some(0));
    let plan = text(&output.stdout);
    assert_eq!(plan.lines().count(), 10);
    assert!(
        plan.starts_with("Core: questions from templates, en, software\n  c1 "),
        "{plan}"
    );
}

#[test]
fn models_lists_the_table() {
    let listing = text(&ibid(&["models"]).stdout);
    assert!(listing.starts_with("ALIAS "), "{listing}");
    assert!(
        (1..=6).all(|n| listing.contains(&format!("model-{n}-latest"))),
        "{listing}"
    );
    let table = parsed(&ibid(&["models", "--json"]));
    assert_eq!(table["byok"].as_array().unwrap().len(), 6);
}

#[test]
fn evidence_is_written_where_asked() {
    let folder = Folder::new("evidence");
    let path = folder.path("evidence.json");
    let output = ibid(&["scan", "example.com", "crm", "--sandbox", "--evidence", &path]);
    assert_eq!(output.status.code(), Some(0));
    let evidence: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(evidence["answers"].as_array().unwrap().len(), 9);
}

#[test]
fn the_rings_can_be_drawn() {
    let folder = Folder::new("rings");
    let path = folder.path("rings.svg");
    let arguments = [
        "scan",
        "example.com",
        "plumber",
        "--location",
        "Lyon, France",
        "--sandbox",
        "--svg",
    ];
    let output = ibid(&[&arguments[..], &[&path]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let picture = std::fs::read_to_string(&path).unwrap();
    assert!(
        picture.starts_with("<svg") || picture.starts_with("<?xml"),
        "{}",
        &picture[..60]
    );
    assert!(picture.contains("Lyon"));
}

#[test]
fn models_can_be_probed() {
    let output = ibid(&["models", "--probe", "--sandbox"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    let first = table.lines().nth(1).unwrap();
    for word in ["model-1-latest", "yes", "native", "honoured", "$"] {
        assert!(first.contains(word), "{word} in {first}");
    }
    assert_eq!(table.lines().count(), 7);
    let json = parsed(&ibid(&["models", "--probe", "--sandbox", "--json"]));
    assert_eq!(json["probes"][0]["searched"], "yes");
    assert!(json["probes"][0]["billed"].as_f64().unwrap() > 0.0);
    let keyless = ibid(&["models", "--probe", "--router", "http://127.0.0.1:1"]);
    assert!(!keyless.status.success() && text(&keyless.stderr).contains("ROUTER_API_KEY"));
}

#[test]
fn a_plan_shows_the_questions_and_they_can_be_left_out_and_added() {
    let order = ["scan", "example.com", "plumber", "--sandbox", "--plan"];
    let planned = |more: &[&str]| ibid(&[&order, more].concat());
    let all = text(&planned(&[]).stdout).to_owned();
    let words = |plan: &str| -> Vec<String> {
        let lines = plan.lines().filter(|line| line.starts_with("  "));
        lines.map(|line| line[12..].to_owned()).collect()
    };
    let nine = words(&all);
    assert_eq!(nine.len(), 9);
    let changed = planned(&["--skip", "c1,c3", "--ask", "Who repairs taps on Sundays?"]);
    let changed = text(&changed.stdout).to_owned();
    let lines = words(&changed);
    // As many calls as before, from seven of the nine and the new one.
    assert_eq!(lines.len(), 9);
    assert!(
        !lines.contains(&nine[0]) && !lines.contains(&nine[2]),
        "{changed}"
    );
    assert!(
        lines.contains(&nine[1]) && lines.iter().any(|line| line == "Who repairs taps on Sundays?"),
        "{changed}"
    );
    assert!(changed.contains("Core: your own questions, en\n"), "{changed}");
    let unknown = planned(&["--skip", "c10"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(
        text(&unknown.stderr).contains("c1 to c9"),
        "{}",
        text(&unknown.stderr)
    );
    let branded = planned(&["--ask", "Is example.com good?"]);
    assert!(text(&branded.stderr).contains("names the domain scanned"));
    let json = parsed(&planned(&["--json", "--location", "Barclona, Spain"]));
    assert_eq!(json["location"]["resolved"]["matched"], "corrected");
    // The defaults are those of the API.
    assert_eq!(json["calls"], 99);
}

#[test]
fn questions_are_proposed_checked_and_asked() {
    let about = ["--location", "Leeds, UK"];
    let proposed = ibid(
        &[
            &["questions", "propose", "plumber", "--count", "8", "--sandbox"][..],
            &about,
        ]
        .concat(),
    );
    assert!(proposed.status.success(), "{}", text(&proposed.stderr));
    let table = text(&proposed.stdout);
    assert!(
        table.starts_with("question,id,topic,intent") && table.lines().count() == 9,
        "{table}"
    );
    let file = std::env::temp_dir().join(format!("ibid-questions-{}.csv", std::process::id()));
    std::fs::write(&file, &table).unwrap();
    let path = file.to_str().unwrap();
    let planned = ibid(&[
        "scan",
        "example.com",
        "plumber",
        "--questions",
        path,
        "--plan",
        "--sandbox",
    ]);
    assert!(planned.status.success(), "{}", text(&planned.stderr));
    assert_eq!(
        text(&planned.stdout)
            .lines()
            .filter(|line| line.starts_with("  c"))
            .count(),
        8
    );
    std::fs::write(
        &file,
        "Who is a good plumber?\nIs example.com any good?\nHow to fix a tap?\n",
    )
    .unwrap();
    let checked = ibid(&[
        "questions",
        "check",
        path,
        "--domain",
        "example.com",
        "--keyword",
        "plumber",
    ]);
    assert_eq!(checked.status.code(), Some(1));
    let found = text(&checked.stdout);
    assert!(
        found.contains("line 2: branded_question") && found.contains("line 3: not_a_choice"),
        "{found}"
    );
    let imported = ibid(&["questions", "import", path, "--domain", "example.com"]);
    assert_eq!(text(&imported.stdout).lines().count(), 2);
    assert!(text(&imported.stderr).contains("line 3"));
    std::fs::remove_file(&file).unwrap();
}
