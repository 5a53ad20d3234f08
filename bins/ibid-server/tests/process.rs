//! The server as a process: help, refusals at the start, a clean stop.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

use ibid_tests::{ApiClient, Member, Method, crawl, small_order};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn server() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ibid-server"));
    command
        .env_clear()
        .env("BIND", "127.0.0.1:0")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Starts the program and waits until it logs its address.
fn started(mut command: Command) -> (Child, String, BufReader<std::process::ChildStderr>) {
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("address=") {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "the server ended early");
    }
    let address = line
        .split("address=")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .to_owned();
    (child, address, lines)
}

/// Starts the program, and returns its log up to the line that it listens.
fn log_of_start(mut command: Command) -> String {
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut log = String::new();
    while !log.contains("server.listening") {
        assert!(
            lines.read_line(&mut log).unwrap() > 0,
            "the server ended early: {log}"
        );
    }
    child.kill().unwrap();
    child.wait().unwrap();
    log
}

/// Returns the address in the next log line that contains `word`.
fn next_address(lines: &mut BufReader<std::process::ChildStderr>, word: &str) -> String {
    let mut line = String::new();
    while !(line.contains(word) && line.contains("address=")) {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "the server ended early");
    }
    let address = line.split("address=").nth(1).unwrap();
    address.split_whitespace().next().unwrap().to_owned()
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn help_lists_every_variable() {
    let output = server().arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let page = include_str!("../../../docs/CONFIGURATION.md");
    let names = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    for name in names {
        assert!(help.contains(name), "{name} is missing in\n{help}");
    }
}

#[test]
fn a_faulty_configuration_stops_it_with_all_faults() {
    let output = server()
        .env("WEB_SEARCH", "perhaps")
        .env("RATE_LIMITS", "never")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(
        message.contains("WEB_SEARCH") && message.contains("RATE_LIMITS"),
        "{message}"
    );
}

#[test]
fn the_sandbox_shows_a_scan_serves_and_stops_cleanly() {
    let mut command = server();
    command.arg("--sandbox").env("LOG_FORMAT", "text");
    let (mut child, address, lines) = started(command);
    assert!(get(&address, "/readyz").starts_with("HTTP/1.1 200"));
    let mut shown = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    while !shown.contains("Ctrl-C") {
        assert!(
            output.read_line(&mut shown).unwrap() > 0,
            "no demonstration: {shown}"
        );
    }
    assert!(
        shown.contains("Overall score") && shown.contains("Citation radius"),
        "{shown}"
    );
    let stopped = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(stopped.success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(lines);
}

#[tokio::test]
async fn every_page_of_the_sandbox_opens_and_shows_no_code() {
    let mut command = server();
    command
        .arg("--sandbox")
        .env("LOG_FORMAT", "text")
        .env("LOG", "info,ibid_server=debug");
    let (mut child, address, mut lines) = started(command);
    // The projects of the sandbox are made while it already serves.
    let mut log = String::new();
    while !log.contains("sandbox.agency.added") {
        log.clear();
        assert!(
            lines.read_line(&mut log).unwrap() > 0,
            "the sandbox has no projects"
        );
    }
    let mut shown = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    while !shown.contains("Ctrl-C") {
        assert!(
            output.read_line(&mut shown).unwrap() > 0,
            "no demonstration: {shown}"
        );
    }
    let printed = |word: &str| {
        let line = shown.lines().find_map(|line| line.trim().strip_prefix(word));
        line.unwrap().trim().to_owned()
    };
    let base = format!("http://{address}");
    let mut member = Member::at(&base);
    let signed_in = member.sign_in(&printed("e-mail"), &printed("password")).await;
    assert_eq!(signed_in.status, 303, "{}", signed_in.text);
    let from = ["/", "/workspace", "/workspace/projects", "/workspace/admin"];
    let (faults, opened) = crawl(&member, &base, &from).await;
    terminate(&child);
    child.wait().unwrap();
    drop(lines);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(opened > 60, "only {opened} pages were found");
}

/// Sends SIGTERM.
fn terminate(child: &Child) {
    let stopped = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(stopped.unwrap().success());
}

#[test]
fn a_stop_does_not_wait_for_unfinished_bodies() {
    let mut command = server();
    command
        .args(["--sandbox", "--no-demo"])
        .env("DRAIN_SECONDS", "300");
    let (mut child, address, lines) = started(command);
    let mut open: Vec<_> = (0..250)
        .map(|_| {
            let mut stream = TcpStream::connect(&address).unwrap();
            write!(
                stream,
                "POST /api/a2a/jsonrpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n{{"
            )
            .unwrap();
            stream
        })
        .collect();
    // The server has accepted what was sent before.
    assert!(get(&address, "/healthz").starts_with("HTTP/1.1 200"));
    let start = Instant::now();
    terminate(&child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    let answers = open.iter_mut().map(|stream| {
        let mut answer = String::new();
        // A connection that was accepted last may end without an answer.
        let _ = stream.read_to_string(&mut answer);
        answer
    });
    let told = answers.filter(|answer| answer.starts_with("HTTP/1.1 503") && answer.contains("not_ready"));
    assert!(told.count() >= 200);
    drop(lines);
}

#[test]
fn a_stop_is_announced_before_it_begins() {
    let mut command = server();
    command
        .args(["--sandbox", "--no-demo"])
        .env("BASE_URL", "https://ibid.example");
    let (mut child, address, mut lines) = started(command);
    assert!(get(&address, "/readyz").starts_with("HTTP/1.1 200"));
    terminate(&child);
    let mut line = String::new();
    while !line.contains("server.stopping") {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "the server ended early");
    }
    assert!(get(&address, "/readyz").starts_with("HTTP/1.1 503"));
    assert!(get(&address, "/api/v1/models").starts_with("HTTP/1.1 200"));
    // The second signal ends the wait.
    terminate(&child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Makes the database as the first start of a server does. Returns its address.
fn database(folder: &tempfile::TempDir) -> String {
    let url = format!("sqlite:{}", folder.path().join("ibid.db").display());
    drop(ibid_store::Store::open(&url.parse().unwrap()).unwrap());
    url
}

#[test]
fn a_command_refuses_a_database_that_is_missing_and_makes_none() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str], variables: &[(&str, &str)]| {
        let output = server()
            .current_dir(&folder)
            .args(arguments)
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "{arguments:?}");
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    let place = folder.path().join("shop.db").display().to_string();
    let named = format!("sqlite:{place}");
    for arguments in [
        &["user", "list"][..],
        &["user", "add", "ada@example.com"],
        &["key", "list"],
        &["key", "add", "shop", "--wait", "0"],
        &["work", "list"],
        &["books"],
        &["rescore", "--all"],
        &["backup", "copy.db"],
    ] {
        let (status, text) = run(arguments, &[("DATABASE_URL", &named)]);
        assert_eq!(status, Some(1), "{arguments:?}: {text}");
        let expected =
            format!("there is no database at {place}: name the database of the server in DATABASE_URL");
        assert!(text.contains(&expected), "{arguments:?}: {text}");
    }
    let (status, text) = run(&["user", "list"], &[("DATABASE_URL", "sqlite::memory:")]);
    assert!(status == Some(1) && text.contains("in memory"), "{text}");
}

/// The README prints the one after the other.
#[test]
fn a_key_is_added_however_late_its_server_starts() {
    let folder = tempfile::tempdir().unwrap();
    let named = format!("sqlite:{}", folder.path().join("ibid.db").display());
    let mut command = server();
    let adding = command.args(["key", "add", "shop"]).env("DATABASE_URL", &named);
    let mut adding = adding.spawn().unwrap();
    let mut line = String::new();
    let mut told = BufReader::new(adding.stderr.take().unwrap());
    told.read_line(&mut line).unwrap();
    assert!(
        line.starts_with("waiting 60 s for a server to start: there is no database at"),
        "{line}"
    );
    let mut command = server();
    command.env("DATABASE_URL", &named);
    let (mut child, ..) = started(command);
    let output = adding.wait_with_output().unwrap();
    assert!(output.status.success() && output.stdout.starts_with(b"ibid_"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_server_names_the_folder_that_its_database_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let lacking = folder.path().join("lacking");
    let output = server()
        .env(
            "DATABASE_URL",
            format!("sqlite:{}", lacking.join("ibid.db").display()),
        )
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let expected = format!("the folder {} does not exist: create it", lacking.display());
    assert!(
        output.status.code() == Some(1) && text.contains(&expected),
        "{text}"
    );
}

#[test]
fn a_run_key_file_is_made_once_and_opens_the_queue() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run-keys");
    let make = || {
        let output = server().arg("run-key").arg(&file).output().unwrap();
        (
            output.status.success(),
            String::from_utf8([output.stdout, output.stderr].concat()).unwrap(),
        )
    };
    let (made, text) = make();
    assert!(
        made && text.contains(&format!("Set RUN_KEY_FILE={}", file.display())),
        "{text}"
    );
    let key = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains(key.split_whitespace().nth(1).unwrap()), "{text}");
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let (made, text) = make();
    assert!(!made && text.contains("exists"), "{text}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), key);

    let url = database(&folder);
    let mut command = server();
    command
        .env("DATABASE_URL", &url)
        .env("ROUTER_BASE_URL", "http://127.0.0.1:1");
    assert!(log_of_start(command).contains("config.run_key.missing"));
    let mut command = server();
    command
        .env("DATABASE_URL", &url)
        .env("ROUTER_BASE_URL", "http://127.0.0.1:1")
        .env("RUN_KEY_FILE", &file);
    assert!(!log_of_start(command).contains("config.run_key.missing"));
    std::fs::write(&file, "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\n").unwrap();
    let output = server()
        .env("DATABASE_URL", &url)
        .env("RUN_KEY_FILE", &file)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("ibid-server run-key makes such a file"), "{text}");
}

#[test]
fn a_key_is_made_used_and_revoked_by_the_operator() {
    let folder = tempfile::tempdir().unwrap();
    let database = database(&folder);
    let key = |arguments: &[&str]| {
        let mut command = server();
        let output = command
            .arg("key")
            .args(arguments)
            .env("DATABASE_URL", &database)
            .output()
            .unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    let (made, text) = key(&["add", "shop"]);
    assert!(made && text.starts_with("ibid_"), "{text}");
    assert!(!key(&["add", "shop"]).0 && !key(&["add", "Not A Name"]).0);
    let (_, listed) = key(&["list"]);
    assert!(listed.contains("shop") && !listed.contains("ibid_"), "{listed}");
    assert!(key(&["revoke", "shop"]).0);
    assert!(key(&["list"]).1.contains("revoked"));
}

#[test]
fn log_and_doctor_warn_where_the_smallest_order_costs_more_than_its_price_or_cap() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("payments.toml");
    std::fs::write(
        &file,
        "[prices]\nscan = \"0.10\"\n[max_cost]\nradius = \"0.10\"\n",
    )
    .unwrap();
    let variables = |command: &mut Command| {
        command
            .args(["--sandbox", "--no-demo"])
            .env("PAYMENTS_FILE", &file);
    };
    let mut command = server();
    variables(&mut command);
    let log = log_of_start(command);
    let warned = |event: &str, product: &str, member: &str| {
        let line = log
            .lines()
            .find(|line| line.contains(event) && line.contains(product));
        line.is_some_and(|line| line.contains("WARN") && line.contains("estimate") && line.contains(member))
    };
    // Six answers of the cheapest models cost $0.1054.
    assert!(
        warned("payments.price_below_cost", "scan", "loss=$0.0054"),
        "{log}"
    );
    assert_eq!(log.matches("payments.price_below_cost").count(), 1, "{log}");
    let gives = |line: &str| line.contains("payments.gives") && line.contains("answers=6");
    assert!(log.lines().any(gives), "{log}");
    assert!(
        warned("payments.default_over_cap", "radius", "most=$0.10"),
        "{log}"
    );
    assert_eq!(log.matches("payments.default_over_cap").count(), 1, "{log}");

    let mut command = server();
    variables(&mut command);
    let output = command.arg("doctor").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for expected in [
        "warning  prices         scan at $0.10: the models of the smallest order cost about $0.1054, a loss of $0.0054 each",
        "warning  prices         radius at $0.50: orders that name no member are refused",
        "ok       prices         full at $0.60: the models cost about $0.4743",
    ] {
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    }
}

#[test]
fn a_first_start_logs_only_a_few_lines() {
    let mut command = server();
    command.args(["--sandbox", "--no-demo"]);
    let log = log_of_start(command);
    // The schema, the payments, what each of three products gives, and the address.
    assert_eq!(log.lines().count(), 6, "{log}");
    assert_eq!(log.matches("store.schema.migrated").count(), 1, "{log}");
}

#[test]
fn metrics_have_an_address_of_their_own() {
    let mut command = server();
    command
        .args(["--sandbox", "--no-demo"])
        .env("METRICS_BIND", "127.0.0.1:0");
    let (mut child, address, mut lines) = started(command);
    let metrics = next_address(&mut lines, "metrics");
    assert!(get(&address, "/api/v1/models").starts_with("HTTP/1.1 200"));
    let page = get(&metrics, "/metrics");
    for row in [
        "ibid_http_requests_total{surface=\"v1\",status=\"2xx\"} 1",
        "ibid_runs_open 0.0",
        "ibid_runs_started_total{product=\"scan\"} 0",
        "ibid_router_reachable 1.0",
    ] {
        assert!(
            page.lines().any(|line| line == row),
            "{row} is missing in\n{page}"
        );
    }
    assert!(get(&address, "/metrics").starts_with("HTTP/1.1 404"));
    let stopped = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(stopped.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_probe_at_the_start_is_shown_to_the_operator_alone() {
    let mut command = server();
    command
        .args(["--sandbox", "--no-demo", "--probe-models"])
        .env("METRICS_BIND", "127.0.0.1:0");
    let (mut child, address, mut lines) = started(command);
    let metrics = next_address(&mut lines, "metrics");
    let page = (0..10_000)
        .map(|_| get(&metrics, "/metrics"))
        .find(|page| page.contains("ibid_model_reachable"))
        .expect("a probe that ends");
    for row in [
        "ibid_model_reachable{alias=\"model-1-latest\",error=\"\"} 1.0",
        "ibid_model_searched{alias=\"model-1-latest\",engine=\"native\",place=\"honoured\"} 1.0",
        "ibid_model_searched{alias=\"model-6-latest\",engine=\"exa\",place=\"not supported\"} 1.0",
    ] {
        assert!(
            page.lines().any(|line| line == row),
            "{row} is missing in\n{page}"
        );
    }
    let ready = get(&address, "/readyz");
    assert!(
        ready.starts_with("HTTP/1.1 200") && !ready.contains("model-1-latest"),
        "{ready}"
    );
    let stopped = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(stopped.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn licences_are_printed() {
    let output = server().arg("--licenses").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        ["GeoNames", "Unicode", "Bitstream"]
            .iter()
            .all(|name| text.contains(name)),
        "{text}"
    );
}

#[test]
fn an_account_is_opened_with_a_password_from_standard_input_and_is_there_for_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let database = database(&folder);
    let user = |arguments: &[&str], input: &str| {
        let mut command = server();
        command
            .arg("user")
            .args(arguments)
            .env("DATABASE_URL", &database)
            .stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let complained = String::from_utf8(output.stderr).unwrap();
        assert!(!said.contains("battery") && !complained.contains("battery"));
        (output.status.success(), said + &complained)
    };
    let add = ["add", "Ada@example.com", "--credits", "2"];
    for nothing in ["", "\n"] {
        let (added, said) = user(&add, nothing);
        assert!(!added && said.contains("there is no password"), "{said}");
    }
    assert!(user(&add, "correct horse battery\n").0);
    assert!(!user(&add, "correct horse battery\n").0);
    let (ended, said) = user(&["passwd", "ada@example.com"], "short\n");
    assert!(!ended && said.contains("at least 10 characters"), "{said}");
    let (_, listed) = user(&["list"], "");
    assert!(
        listed.contains("ada@example.com") && listed.contains("2 credits"),
        "{listed}"
    );
    let mut command = server();
    command.env("DATABASE_URL", &database);
    let (mut child, address, lines) = started(command);
    let body = "email=ada%40example.com&password=correct+horse+battery";
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(
        stream,
        "POST /sign-in HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 303") && answer.contains("set-cookie: ibid="),
        "{answer}"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    drop(lines);
}

#[test]
fn a_database_is_backed_up_and_restored_by_the_operator() {
    let folder = tempfile::tempdir().unwrap();
    let database = database(&folder);
    let copy = folder.path().join("copy.db").display().to_string();
    let run = |arguments: &[&str], database: &str| {
        let output = server()
            .args(arguments)
            .env("DATABASE_URL", database)
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(text).unwrap())
    };
    assert!(run(&["key", "add", "before"], &database).0);
    let (done, text) = run(&["backup", &copy], &database);
    assert!(done && text.contains("copy.db"), "{text}");
    assert!(run(&["key", "add", "after"], &database).0);
    let (done, text) = run(&["restore", &copy], &database);
    assert!(done && text.contains("before-restore-"), "{text}");
    let (_, listed) = run(&["key", "list"], &database);
    assert!(listed.contains("before") && !listed.contains("after"), "{listed}");
    let (done, text) = run(&["backup", "x.dump"], "postgres://ibid@127.0.0.1:1/ibid");
    assert!(!done && text.contains("pg_dump"), "{text}");
    let (done, text) = run(&["restore", "x.dump"], "postgres://ibid@127.0.0.1:1/ibid");
    assert!(!done && text.contains("pg_restore"), "{text}");
}

#[test]
fn the_doctor_reports_every_fault_at_once_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ibid.db");
    let doctor = |variables: &[(&str, &str)], arguments: &[&str]| {
        let output = server()
            .args(arguments)
            .arg("doctor")
            .env("DATABASE_URL", format!("sqlite:{}", file.display()))
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (status, text) = doctor(&[], &["--sandbox"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("does not exist: the server creates it"), "{text}");
    assert!(text.contains("faults: 0,"), "{text}");
    assert!(!file.exists());
    std::fs::write(&file, [1; 4096]).unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let bind = taken.local_addr().unwrap().to_string();
    let (status, text) = doctor(
        &[
            ("BIND", &bind),
            ("WEB_SEARCH", "perhaps"),
            ("ROUTER_API_KY", "k"),
            ("OPENROUTER_API_KEY", "k"),
            ("ROUTER_BASE_URL", "http://127.0.0.1:1"),
            ("FACILITATOR_URL", "http://127.0.0.1:1"),
            ("X402_PAY_TO", "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720"),
            ("EVIDENCE_STORE", "file:///not/mounted"),
        ],
        &[],
    );
    assert_eq!(status, Some(1), "{text}");
    for expected in [
        "FAULT    configuration  WEB_SEARCH must be one of on, off",
        "did you mean ROUTER_API_KEY?",
        "warning  configuration  OPENROUTER_API_KEY is not a variable of ibid-server: did you mean ROUTER_API_KEY?",
        "warning  configuration  RUN_KEY_FILE is not set",
        "FAULT    address        another program listens on",
        "FAULT    database ",
        "FAULT    router         http://127.0.0.1:1/ cannot be reached",
        "FAULT    evidence       /not/mounted: the directory /not/mounted does not exist: create it, or mount it",
        "FAULT    payments ",
        "give each shop an X402_PAY_TO of its own",
        "faults: 6,",
    ] {
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    }
}

#[test]
fn a_server_without_accounts_prints_a_link_and_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = server();
    command
        .env(
            "DATABASE_URL",
            format!("sqlite:{}", folder.path().join("ibid.db").display()),
        )
        .env("ROUTER_BASE_URL", "http://127.0.0.1:1");
    let mut child = command.spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let (mut lines, mut line) = (String::new(), String::new());
    while !line.contains("server.listening") {
        line.clear();
        assert!(log.read_line(&mut line).unwrap() > 0, "the server ended: {lines}");
        lines.push_str(&line);
    }
    assert!(lines.contains("config.router_key.missing"), "{lines}");
    assert!(lines.contains("config.api_key.missing"), "{lines}");
    let address = line.split("address=").nth(1).unwrap();
    let address = address.split_whitespace().next().unwrap();
    let mut shown = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut shown)
        .unwrap();
    let path = shown.split("/first-run/").nth(1).unwrap();
    let path = format!("/first-run/{}", path.split_whitespace().next().unwrap());
    let page = get(address, &path);
    assert!(
        page.starts_with("HTTP/1.1 200") && page.contains("ROUTER_API_KEY"),
        "{page}"
    );
    terminate(&child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    log.read_to_string(&mut rest).unwrap();
    let token = path.rsplit('/').next().unwrap();
    assert!(!lines.contains(token) && !rest.contains(token), "{lines}{rest}");
}

#[test]
fn addresses_that_are_opened_for_tests_need_loopback_and_are_warned_about() {
    let opened = |bind: &str| {
        let mut command = server();
        command
            .args(["--sandbox", "--sandbox-public", "--no-demo"])
            .env("BIND", bind)
            .env("BASE_URL", "https://ibid.example")
            .env("AUDIT_TEST_ALLOW", "127.0.0.1:9");
        command
    };
    let output = opened("0.0.0.0:0").output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && told.contains("reading AUDIT_TEST_ALLOW"),
        "{told}"
    );
    let log = log_of_start(opened("127.0.0.1:0"));
    let warning = log.lines().find(|line| line.contains("audit.test_allow"));
    assert!(warning.is_some_and(|line| line.contains("WARN")), "{log}");
}

#[tokio::test]
async fn scans_under_a_low_limit_of_descriptors_wait_or_are_503() {
    let program = env!("CARGO_BIN_EXE_ibid-server");
    let mut command = Command::new("sh");
    command
        .args([
            "-c",
            "ulimit -n 1024 && exec \"$0\" --sandbox --no-demo --sandbox-latency 300",
            program,
        ])
        .env_clear()
        .env("BIND", "127.0.0.1:0")
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let (mut child, address, mut lines) = started(command);
    let log = std::thread::spawn(move || {
        let mut text = String::new();
        lines.read_to_string(&mut text).unwrap();
        text
    });
    let client = ApiClient::at(&format!("http://{address}"));
    let scans = (0..150).map(|number| {
        let mut order = small_order();
        order["keyword"] = format!("plumber {number}").into();
        order["questionsPerModel"] = 6.into();
        client
            .bare(Method::POST, "/api/v1/scan")
            .bearer_auth("sandbox")
            .header("X-Router-Key", format!("key-{number}"))
            .json(&order)
            .send()
    });
    let mut answered = 0;
    for answer in futures_util::future::join_all(scans).await {
        let status = answer.unwrap().status().as_u16();
        assert!(matches!(status, 200 | 503), "{status}");
        answered += u32::from(status == 200);
    }
    assert!(answered > 0);
    child.kill().unwrap();
    child.wait().unwrap();
    let log = log.join().unwrap();
    assert!(!log.contains("local_fault") && !log.contains("ERROR"), "{log}");
}
