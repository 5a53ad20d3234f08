//! Searched answers and answers from memory on the command line: scan, rescore and compare, with models of the sandbox
//! that search in their own ways.

use crate::support::{Folder, ibid, parsed, text};
use serde_json::Value;

/// A table with one model.
fn table(model: &str, grounding: &str) -> String {
    format!(
        "[[model]]\nalias = \"one\"\nname = \"One\"\ncandidates = [\"{model}\"]\ngrounding = \"{grounding}\"\n\
         prices = {{ prompt_per_million = 1000000, completion_per_million = 1000000, per_search = 10000 }}\n"
    )
}

/// The result file of a scan with one model of the sandbox, its evidence file, and the result.
fn scanned(folder: &Folder, model: &str, more: &[&str]) -> (String, String, Value) {
    let name = model.rsplit('/').next().unwrap();
    let models = folder.file(&format!("{name}.toml"), table(model, "required").as_bytes());
    let evidence = folder.file(&format!("{name}-evidence.json"), b"");
    let arguments = [
        "scan",
        "example.com",
        "plumber",
        "--sandbox",
        "--questions",
        "10",
        "--models-file",
        &models,
        "--json",
        "--evidence",
        &evidence,
    ];
    let output = ibid(&[&arguments[..], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let file = folder.file(&format!("{name}.json"), &output.stdout);
    (file, evidence, parsed(&output))
}

#[test]
fn each_habit_of_a_model_gives_its_stratum() {
    let folder = Folder::new("retrieval-habits");
    let (_, _, obedient) = scanned(&folder, "vendor/obedient", &[]);
    assert_eq!(obedient["retrieval"]["headline"], "searched");
    assert_eq!(
        (
            &obedient["retrieval"]["searched"],
            &obedient["usage"]["secondAttempts"]
        ),
        (&10.into(), &0.into())
    );
    // Answers from memory are asked for once more, with a search that is forced.
    let (_, _, some) = scanned(&folder, "sandbox/searches-70", &[]);
    assert_eq!(some["retrieval"]["searched"], 10);
    assert!(some["usage"]["secondAttempts"].as_u64().unwrap() > 0);
    let (_, _, stubborn) = scanned(&folder, "sandbox/ignores-forcing", &[]);
    assert_eq!(stubborn["retrieval"]["headline"], "searched");
    let (_, _, never) = scanned(&folder, "sandbox/never-searches", &[]);
    assert_eq!(
        (&never["retrieval"]["headline"], &never["usage"]["secondAttempts"]),
        (&"memory".into(), &10.into())
    );
    assert_eq!(never["warnings"][0]["code"], "not_searched");
    let (_, _, off) = scanned(&folder, "vendor/obedient", &["--no-web-search"]);
    assert_eq!(
        (&off["retrieval"]["headline"], &off["retrieval"]["searchAsked"]),
        (&"memory".into(), &false.into())
    );
    assert!(
        off["warnings"].as_array().unwrap().is_empty(),
        "{}",
        off["warnings"]
    );
}

#[test]
fn the_report_names_the_stratum_and_what_a_scan_would_cost() {
    let folder = Folder::new("retrieval-report");
    let models = folder.file(
        "never.toml",
        table("sandbox/never-searches", "required").as_bytes(),
    );
    let output = ibid(&[
        "scan",
        "example.com",
        "plumber",
        "--sandbox",
        "--models-file",
        &models,
    ]);
    let report = text(&output.stdout);
    for part in [
        "None of 3 answers searched the web: the score is from memory.",
        "Note: web search is on, but no answer searched the web",
        "from memory",
        "would cost about $",
        "(estimated $",
    ] {
        assert!(report.contains(part), "{part} is missing in\n{report}");
    }
}

#[test]
fn strata_survive_a_rescore_and_keep_scans_apart() {
    let folder = Folder::new("retrieval-compare");
    let (memory, evidence, never) = scanned(&folder, "sandbox/never-searches", &[]);
    let output = ibid(&["rescore", &memory, &evidence, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let again = parsed(&output);
    let again = again.get("result").unwrap_or(&again);
    assert_eq!(again["retrieval"], never["retrieval"]);
    let (searched, _, _) = scanned(&folder, "vendor/obedient", &[]);
    let output = ibid(&["compare", &searched, &memory, "--json"]);
    let found = parsed(&output);
    assert_eq!(found["verdict"], "not_comparable");
    let codes: Vec<&str> = found["reasons"]
        .as_array()
        .unwrap()
        .iter()
        .map(|reason| reason["code"].as_str().unwrap())
        .collect();
    assert!(codes.contains(&"other_retrieval"), "{codes:?}");
}
