//! Tests of `ibid audit` as a process: output and exit codes.

use crate::support::{parsed, run, text};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Output;

const PAGE: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><title>Heat pumps in old houses</title></head><body><main><h1>Heat pumps</h1><p>A heat pump is a machine that moves heat from outside air into a house, and works below 55 °C.</p></main></body></html>";

fn audit(arguments: &[&str], allow: &str, input: &str) -> Output {
    let arguments = [&["audit"], arguments].concat();
    run(&arguments, &[("AUDIT_TEST_ALLOW", allow)], input)
}

#[test]
fn html_is_read_from_a_file_or_from_standard_input() {
    let output = audit(&["--html", "-", "--json"], "", PAGE);
    assert_eq!(output.status.code(), Some(0));
    let page = parsed(&output);
    assert_eq!((&page["url"], &page["status"]), (&Value::Null, &Value::Null));
    assert_eq!(page["checks"].as_array().map(Vec::len), Some(41));
    let output = audit(&["--html", "-", "--url", "https://warm.example.com/x"], "", PAGE);
    let report = text(&output.stdout);
    assert!(
        report.starts_with("https://warm.example.com/x\nHeat pumps in old houses\n"),
        "{report}"
    );
    // A pipe is not a terminal: no colour.
    assert!(!report.contains('\u{1b}'), "{report}");
    assert_eq!(audit(&["--html", "/no/such/file"], "", "").status.code(), Some(1));
}

#[test]
fn a_gate_ends_with_three() {
    for (least, expected) in [("0", 0), ("100", 3)] {
        let output = audit(&["--html", "-", "--fail-under", least], "", PAGE);
        assert_eq!(output.status.code(), Some(expected), "{least}");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("before.json");
    std::fs::write(&file, audit(&["--html", "-", "--json"], "", PAGE).stdout).unwrap();
    let file = file.to_str().unwrap();
    let same = audit(&["--html", "-", "--baseline", file], "", PAGE);
    assert_eq!(same.status.code(), Some(0));
    assert!(text(&same.stdout).contains("no check changed"));
    let worse = PAGE.replace("<html lang=en>", "<html>");
    let output = audit(&["--html", "-", "--baseline", file, "--json"], "", &worse);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(parsed(&output)["sinceBaseline"]["changes"][0]["check"], "F5");
    assert_eq!(
        audit(&["--html", "-", "--baseline", "/no/such/file"], "", PAGE)
            .status
            .code(),
        Some(1)
    );
}

#[test]
fn formats_of_ci_systems_are_printed() {
    for (format, start) in [
        ("sarif", "{\n  \"$schema\""),
        ("junit", "<?xml"),
        ("markdown", "## Page audit: "),
    ] {
        let output = audit(&["--html", "-", "--format", format], "", PAGE);
        assert_eq!(output.status.code(), Some(0), "{format}");
        assert!(
            text(&output.stdout).starts_with(start),
            "{format}: {}",
            text(&output.stdout)
        );
    }
    assert_eq!(
        audit(&["--html", "-", "--format", "sarif", "--json"], "", PAGE)
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn a_build_is_audited_and_written_in_several_formats() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("site/blog")).unwrap();
    std::fs::create_dir_all(at("site/node_modules")).unwrap();
    for (name, page) in [
        ("site/index.html", PAGE.to_owned()),
        ("site/blog/a b.htm", PAGE.replace("<html lang=en>", "<html>")),
        ("site/node_modules/x.html", PAGE.to_owned()),
        ("site/style.css", String::new()),
    ] {
        std::fs::write(at(name), page).unwrap();
    }
    let site = at("site").to_str().unwrap().to_owned();
    let write = |format: &str| format!("{format}={}", at(&format!("out.{format}")).display());
    let (sarif, junit, markdown, json) = (write("sarif"), write("junit"), write("markdown"), write("json"));
    let arguments = [
        &[&site, "--url", "https://example.com/en", "--fail-under", "100"][..],
        &[
            "--write", &sarif, "--write", &junit, "--write", &markdown, "--write", &json,
        ],
    ]
    .concat();
    let output = audit(&arguments, "", "");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    assert!(
        report.starts_with("2 pages\n") && report.contains("a b.htm"),
        "{report}"
    );
    let written = |name: &str| std::fs::read_to_string(at(name)).unwrap();
    let sarif: Value = serde_json::from_str(&written("out.sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let has = |end: &str, rule: &str| {
        results.iter().any(|result| {
            let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
            result["ruleId"] == rule && uri.as_str().is_some_and(|uri| uri.ends_with(end))
        })
    };
    assert!(has("/site/blog/a%20b.htm", "F5") && !has("/site/index.html", "F5"));
    assert!(has("/site/index.html", "B1"), "{sarif}");
    // No gate, so nothing is an error; what costs little is a note.
    let is_level = |level: &str| results.iter().any(|result| result["level"] == level);
    assert!(
        !is_level("error") && is_level("warning") && is_level("note"),
        "{sarif}"
    );
    assert_eq!(written("out.junit").matches("<testsuite ").count(), 2);
    assert!(written("out.markdown").starts_with("## Page audit: 2 pages, the lowest score "));
    let json: Value = serde_json::from_str(&written("out.json")).unwrap();
    assert_eq!(
        json["pages"][0]["report"]["url"],
        "https://example.com/en/blog/a%20b.htm"
    );
    assert_eq!(json["pages"][1]["report"]["url"], "https://example.com/en/");
    let file = at("site/index.html");
    let one = audit(&[file.to_str().unwrap(), "--format", "sarif"], "", "");
    let uri =
        &parsed(&one)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, file.to_str().unwrap());
    assert_eq!(
        audit(&[at("site/node_modules/..").to_str().unwrap(), "--bots"], "", "")
            .status
            .code(),
        Some(2)
    );
    let empty = tempfile::tempdir().unwrap();
    let output = audit(&[empty.path().to_str().unwrap()], "", "");
    assert!(output.status.code() == Some(1) && text(&output.stderr).contains("has no HTML file"));
}

/// Audits a folder with these files; the least score is 40, and JUnit is printed.
fn junit_of(files: &[(&str, &str)], arguments: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    for (name, page) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, page).unwrap();
    }
    let folder = folder.path().to_str().unwrap();
    let all = [&[folder, "--fail-under", "40", "--format", "junit"], arguments].concat();
    let output = audit(&all, "", "");
    (output.status.code(), text(&output.stdout).replace(folder, ""))
}

const UNLISTED: &str = "<!doctype html><html lang=de><head><meta name=robots content='noindex, follow'><title>Datenschutz</title></head><body><h1>Datenschutz</h1><p>Wir speichern nichts.</p></body></html>";
const MISSING: &str = "<title>Page not found</title><h1>404</h1><p>Nothing here.";
const THANKS: &str = "<title>Thank you</title><h1>Thank you</h1><p>We will call back.";

#[test]
fn an_ordinary_site_passes() {
    let ordinary = [
        ("index.html", PAGE),
        ("datenschutz.html", UNLISTED),
        ("404.html", MISSING),
        ("thank-you/index.html", THANKS),
    ];
    let (code, junit) = junit_of(&ordinary, &[]);
    assert_eq!(code, Some(0), "{junit}");
    assert!(!junit.contains("<failure"), "{junit}");
    assert_eq!(
        junit.matches("name=\"Gates and score\"><skipped").count(),
        3,
        "{junit}"
    );
}

#[test]
fn what_is_no_ordinary_site_fails() {
    let hidden_page = PAGE.replace("<title>", "<meta name=robots content=noindex><title>");
    for (files, why) in [
        (
            vec![("index.html", hidden_page.as_str()), ("a.html", PAGE)],
            "the home page is hidden",
        ),
        (
            vec![("a.html", UNLISTED), ("b.html", UNLISTED)],
            "the whole site is hidden",
        ),
        (
            vec![("index.html", PAGE), ("prices.html", MISSING)],
            "a page of the site is missing",
        ),
        (
            vec![("index.html", PAGE), ("prices.html", "<p>x")],
            "a page of the site is empty",
        ),
    ] {
        let (code, junit) = junit_of(&files, &[]);
        assert_eq!(code, Some(3), "{why}: {junit}");
        assert!(junit.contains("<failure message=\"at most "), "{why}: {junit}");
    }
}

#[test]
fn globs_leave_files_and_folders_out() {
    let files = [
        ("index.html", PAGE),
        ("drafts/a.html", "<p>x"),
        ("legal/old/b.html", "<p>x"),
        ("c.tmp.html", "<p>x"),
    ];
    for (globs, left) in [
        (vec!["drafts", "legal/**", "*.tmp.html"], 1),
        (vec!["drafts/", "./legal/old", "c.*"], 1),
        (vec!["legal/*.html"], 4),
        (vec!["**/b.html"], 3),
    ] {
        let arguments: Vec<&str> = globs.iter().flat_map(|glob| ["--exclude", glob]).collect();
        let (code, junit) = junit_of(&files, &arguments);
        assert_eq!(junit.matches("<testsuite ").count(), left, "{globs:?} {junit}");
        assert_eq!(code == Some(0), left == 1, "{globs:?}");
    }
    assert_eq!(junit_of(&files, &["--exclude", "[a"]).0, Some(2));
    assert_eq!(
        audit(&["--html", "-", "--exclude", "a"], "", PAGE).status.code(),
        Some(2)
    );
}

#[test]
fn a_file_that_is_missing_is_not_fetched() {
    for name in [
        "nosuch.html",
        "dist",
        "dist/",
        "./site",
        "../out/page",
        "sub/dir/Page.HTM",
    ] {
        let output = audit(&[name], "", "");
        assert_eq!(output.status.code(), Some(1), "{name}");
        let said = text(&output.stderr);
        assert!(
            said.contains(&format!("{name}: no such file or folder")),
            "{said}"
        );
    }
}

#[test]
fn a_preview_on_loopback_is_allowed_by_name() {
    let host = serve();
    let address = format!("http://{host}/");
    let output = audit(&[&address, "--allow", &host, "--json"], "", "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(
        audit(&[&address, "--allow", "10.0.0.1:80"], "", "").status.code(),
        Some(1)
    );
}

#[test]
fn refused_addresses_end_with_four_and_send_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let here = format!("http://{}/", listener.local_addr().unwrap());
    for address in [
        here.as_str(),
        "http://169.254.169.254/",
        "http://localhost/",
        "file:///etc/passwd",
        "http://u@example.com/",
    ] {
        let output = audit(&[address, "--json"], "", "");
        assert_eq!(output.status.code(), Some(4), "{address}");
        assert_eq!(parsed(&output)["error"]["code"], "fetch_refused", "{address}");
        let output = audit(&[address], "", "");
        assert_eq!(
            (output.status.code(), output.stdout.is_empty()),
            (Some(4), true),
            "{address}"
        );
        assert!(text(&output.stderr).contains("fetch_refused"), "{address}");
    }
    assert!(listener.accept().is_err(), "a packet was sent");
}

#[test]
fn pages_that_cannot_be_fetched_end_with_five() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    drop(listener);
    let output = audit(&[&format!("http://{host}/"), "--json"], &host, "");
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(parsed(&output)["error"]["code"], "fetch_failed");
}

/// A site with one page, on loopback. Returns its host and port.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let Ok(mut connection) = connection else { return };
            let mut head = [0; 4_096];
            let count = connection.read(&mut head).unwrap_or(0);
            let body = if head[..count].starts_with(b"GET / ") {
                PAGE
            } else {
                ""
            };
            let status = if body.is_empty() {
                "404 Not Found"
            } else {
                "200 OK"
            };
            let _ = write!(
                connection,
                "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    host
}

#[test]
fn a_page_is_fetched_and_reported() {
    let host = serve();
    let output = audit(&[&format!("http://{host}/")], &host, "");
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for part in [
        "Score",
        "What helps most",
        "Crawlers, by robots.txt",
        "predicts citation",
        "status 200",
    ] {
        assert!(report.contains(part), "{part}\n{report}");
    }
}

#[test]
fn the_answers_to_agents_are_printed() {
    let host = serve();
    let address = format!("http://{host}/");
    let output = audit(&[&address, "--bots", "--json"], &host, "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report = parsed(&output);
    assert_eq!(report["bots"]["comparedWith"], "browser");
    assert_eq!(report["bots"]["views"].as_array().map(Vec::len), Some(7));
    let output = audit(&[&address, "--bots", "--all"], &host, "");
    let report = text(&output.stdout);
    for part in [
        "Agents, compared with browser",
        "PerplexityBot",
        "+https://openai.com/gptbot",
        "got the same page",
    ] {
        assert!(report.contains(part), "{part}\n{report}");
    }
    assert!(!text(&audit(&[&address], &host, "").stdout).contains("Agents, compared"));
}

#[test]
fn a_site_is_sampled_and_gates_a_build() {
    let host = serve();
    let address = format!("http://{host}/");
    let output = audit(&[&address, "--site", "--pages", "3"], &host, "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("At most 3 pages, 120 requests, 64 MiB and 5 minutes"));
    let report = text(&output.stdout);
    for part in [
        "Mean score",
        "T1 /",
        "Pages, the worst first",
        "no sitemap: links of the first page",
    ] {
        assert!(report.contains(part), "{part}\n{report}");
    }
    let output = audit(&[&address, "--site", "--json", "--fail-under", "100"], &host, "");
    assert_eq!(output.status.code(), Some(3));
    let report = parsed(&output);
    assert_eq!(
        (report["pages"].as_array().map(Vec::len), &report["listed"]),
        (Some(1), &serde_json::json!(0))
    );
    let refused = audit(&["http://10.0.0.1/", "--site"], "", "");
    assert_eq!(refused.status.code(), Some(4));
}

#[test]
fn two_reports_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let save = |name: &str, page: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, audit(&["--html", "-", "--json"], "", page).stdout).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let before = save("before.json", PAGE);
    let after = save("after.json", &PAGE.replace("<html lang=en>", "<html>"));
    let compare = |arguments: &[&str]| run(&[&["compare"], arguments].concat(), &[], "");
    let output = compare(&[&before, &after]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("F5"), "{}", text(&output.stdout));
    let output = compare(&[&after, &before, "--json"]);
    assert_eq!(
        (&parsed(&output)["worse"], &parsed(&output)["changes"][0]["after"]),
        (&false.into(), &"pass".into())
    );
    // A report inside an answer of the API is read as well; a scan and an audit are not compared.
    let reply = folder.path().join("reply.json");
    let inner: Value = serde_json::from_slice(&std::fs::read(&before).unwrap()).unwrap();
    let document = serde_json::json!({"auditId": "00000000-0000-4000-8000-000000000000", "result": inner});
    std::fs::write(&reply, document.to_string()).unwrap();
    let output = compare(&[reply.to_str().unwrap(), &before]);
    assert!(
        text(&output.stdout).contains("no check changed"),
        "{}",
        text(&output.stderr)
    );
    let broken = folder.path().join("broken.json");
    std::fs::write(&broken, "{\"auditVersion\": 1}").unwrap();
    let output = compare(&[broken.to_str().unwrap(), &before]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("holds no audit report"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn bad_usage_ends_with_two() {
    for arguments in [
        &[][..],
        &["https://example.com/", "--html", "x"],
        &["--url", "https://example.com/"],
        &["--html", "x", "--bots"],
        &["https://example.com/", "--url", "https://example.com/"],
        &["https://example.com/", "--write", "sarif"],
        &["https://example.com/", "--write", "pdf=x"],
        &["--html", "x", "--site"],
        &["https://example.com/", "--pages", "3"],
        &["https://example.com/", "--site", "--pages", "51"],
        &["https://example.com/", "--site", "--bots"],
    ] {
        assert_eq!(audit(arguments, "", "").status.code(), Some(2), "{arguments:?}");
    }
}
