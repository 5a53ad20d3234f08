//! `ibid read` as its users see it, with the example of docs/READING.md.

use crate::support::{Folder, run, text};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

fn read(arguments: &[&str], input: &str) -> Output {
    run(&[&["read"], arguments].concat(), &[], input)
}

fn lines(output: &Output) -> Vec<Value> {
    text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The fenced blocks of a page in a language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let parts = page.split(fence.as_str()).skip(1);
    parts
        .map(|part| part.split("```").next().unwrap().to_owned())
        .collect()
}

#[test]
fn the_example_of_the_page_gives_the_documented_result() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/READING.md");
    let page = std::fs::read_to_string(page).unwrap();
    let [input, output] = blocks(&page, "jsonl").try_into().unwrap();
    let found = read(
        &["--domain", "example.com", "--brand", "Example Plumbing", "-"],
        &input,
    );
    assert_eq!(found.status.code(), Some(0), "{}", text(&found.stderr));
    let promised: Vec<Value> = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut read = lines(&found);
    for (found, promised) in read.iter_mut().zip(&promised) {
        // The last digit of a score may move with the reading; the page need not follow each time.
        for pointer in ["/score", "/breakdown/share"] {
            let (value, page) = (
                found.pointer_mut(pointer).unwrap(),
                &promised.pointer(pointer).unwrap(),
            );
            assert!(
                (value.as_f64().unwrap() - page.as_f64().unwrap()).abs() <= 1.0,
                "{pointer}: {value}, not {page}"
            );
            *value = (*page).clone();
        }
    }
    assert_eq!(read, promised);
    // Every member that the page's table names is there, and no other.
    let named: Vec<&str> = page
        .lines()
        .skip_while(|line| !line.starts_with("## What comes out"))
        .take_while(|line| !line.starts_with("## Exit codes"))
        .filter_map(|line| line.strip_prefix("| `"))
        .flat_map(|line| line.split('|').next().unwrap().split('`').step_by(2))
        .filter(|name| !name.is_empty())
        .collect();
    let mut members: Vec<&str> = promised[0]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let mut expected = named.clone();
    members.sort_unstable();
    expected.sort_unstable();
    assert_eq!(members, expected);
}

#[test]
fn bad_lines_are_counted_and_make_the_exit_code_3() {
    let input = "{\"id\":1,\"answer\":\"I recommend Example.\"}\nnot json\n\n{\"id\":3}\n{\"id\":4,\"answer\":\"nobody\"}\n";
    let output = read(&["--domain", "example.com", "-"], input);
    assert_eq!(output.status.code(), Some(3));
    let ids: Vec<_> = lines(&output).iter().map(|line| line["id"].as_u64()).collect();
    assert_eq!(ids, [Some(1), Some(4)]);
    let message = text(&output.stderr);
    for part in [
        "line 2: no record",
        "line 4: no record: missing field `answer`",
        "2 of 4 lines could not be read",
    ] {
        assert!(message.contains(part), "{part} is missing in {message}");
    }
}

#[test]
fn usage_and_files() {
    for (arguments, code, part) in [
        (&["--domain", "localhost", "-"][..], 2, "has no top-level domain"),
        (&["--brand", "Example", "-"], 2, "--domain"),
        (&["--domain", "example.com"], 2, "FILE"),
        (
            &["--domain", "example.com", "/nonexistent/log.jsonl"],
            1,
            "reading /nonexistent/log.jsonl",
        ),
    ] {
        let output = read(arguments, "");
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
        assert!(
            text(&output.stderr).contains(part),
            "{part} is missing in {}",
            text(&output.stderr)
        );
    }
    let output = read(&["-"], "");
    assert_eq!(
        (output.status.code(), output.stdout.len(), output.stderr.len()),
        (Some(0), 0, 0)
    );
    let folder = Folder::new("read");
    let log = b"{\"id\":\"a\",\"answer\":\"1. Example - fast and friendly\",\"domain\":\"example.com\"}";
    let output = read(&[&folder.file("log.jsonl", log)], "");
    assert_eq!(lines(&output)[0]["rank"], 1);
}
