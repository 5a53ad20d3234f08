//! Tests of what surrounds a scan: reports in files, consent, names, completions, manuals, imports, Ctrl-C.

use crate::support::{parsed, run, text};

#[test]
fn completions_and_manual_pages_are_written() {
    for shell in ["bash", "zsh", "fish"] {
        let output = run(&["completions", shell], &[], "");
        assert_eq!(output.status.code(), Some(0), "{shell}");
        assert!(text(&output.stdout).contains("max-cost"), "{shell}");
    }
    let folder = tempfile::tempdir().unwrap();
    let output = run(&["man", folder.path().to_str().unwrap()], &[], "");
    assert_eq!(output.status.code(), Some(0));
    let page = std::fs::read_to_string(folder.path().join("ibid-scan.1")).unwrap();
    assert!(page.contains("max\\-cost"), "{page}");
}

#[test]
fn reports_are_written_to_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (html, markdown) = (file("report.html"), file("report.md"));
    let output = run(
        &[
            "scan",
            "example.com",
            "plumber",
            "--sandbox",
            "--questions",
            "3",
            "--models",
            "claude,chatgpt",
            "--html",
            &html,
            "--markdown",
            &markdown,
        ],
        &[],
        "",
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = std::fs::read_to_string(html).unwrap();
    assert!(
        page.starts_with("<!doctype html>") && page.contains("example.com"),
        "{page}"
    );
    for loaded in ["src=", "rel=\"stylesheet\"", "<script", "rel=\"icon\""] {
        assert!(!page.contains(loaded), "{loaded}");
    }
    let report = std::fs::read_to_string(markdown).unwrap();
    assert!(report.starts_with("# example.com: plumber\n"), "{report}");
    assert!(report.contains("| Anthropic Claude Opus (latest) |"), "{report}");
    assert!(!report.contains("Gemini"), "{report}");
}

#[test]
fn a_dear_scan_needs_consent() {
    let dear: Vec<&str> = "scan example.com plumber --questions 10 --location Valencia,Spain --rings 1,2,3 --router http://127.0.0.1:1 --dialect openrouter"
        .split(' ')
        .collect();
    let key = [("ROUTER_API_KEY", "k")];
    let output = run(&dear, &key, "");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("add --yes"),
        "{}",
        text(&output.stderr)
    );
    let bounded = [&dear[..], &["--max-cost", "0.10", "--yes"]].concat();
    let output = run(&bounded, &key, "");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("more than --max-cost"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn faults_are_in_the_words_of_the_command_line() {
    let output = run(
        &[
            "scan",
            "example.com",
            "plumber",
            "--sandbox",
            "--rings",
            "9",
            "--models",
            "nobody",
        ],
        &[],
        "",
    );
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(
        message.contains("--rings, value 1: ") && message.contains("--models, value 1: "),
        "{message}"
    );
    assert!(!message.contains("rings["), "{message}");
}

#[test]
fn a_log_of_another_tool_becomes_a_scan() {
    let log = "Prompt,Platform,Response,Sources\n\
               Who fixes pipes in Valencia?,ChatGPT,\"Ask Fontaneros Ruiz (example.com), they are the best plumbers.\",https://example.com/\n\
               Who fixes pipes in Valencia?,Gemini,\"I would call Otro Fontanero, a plumber in Valencia.\",\n\
               Cheap plumber nearby?,ChatGPT,\"Try Otro Fontanero.\",\n";
    let output = run(
        &[
            "import",
            "-",
            "--domain",
            "example.com",
            "--keyword",
            "plumber",
            "--json",
        ],
        &[],
        log,
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let result = parsed(&output);
    assert_eq!(result["models"][0]["modelLabel"], "ChatGPT");
    assert_eq!(result["models"][0]["citedRate"], 0.5);
    assert_eq!(result["models"][1]["cited"], false);
    assert_eq!(result["sandbox"], false);
    let output = run(
        &["import", "-", "--domain", "localhost", "--keyword", ""],
        &[],
        log,
    );
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(
        message.contains("ibid: --domain: ") && message.contains("ibid: --keyword: "),
        "{message}"
    );
    let output = run(
        &["import", "-", "--domain", "example.com", "--keyword", "plumber"],
        &[],
        "a,b\n1,2\n",
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
#[cfg(unix)]
fn an_interrupted_scan_ends_with_130() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let child = Command::new(env!("CARGO_BIN_EXE_ibid"))
        .args([
            "scan",
            "example.com",
            "plumber",
            "--questions",
            "1",
            "--models",
            "claude",
        ])
        .args(["--router", &address, "--dialect", "openrouter"])
        .env("ROUTER_API_KEY", "k")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The question is on its way, so the handler of the signal is in place.
    let (mut connection, _) = listener.accept().unwrap();
    connection.read_exact(&mut [0]).unwrap();
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("stopped before the first answer"));
}
