//! The history that the sandbox makes for its account, by the real program. The database is PostgreSQL where
//! `IBID_TEST_POSTGRES` names a server.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

use ibid_tests::{Database, Member};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

const EMAIL: &str = "demo@example.com";
const WEBSITE: &str = "/workspace/websites/brightspoke.example";
const HISTORY: &str = "/workspace/scans";
const PROJECTS: &str = "/workspace/projects";

/// The program with its sandbox.
struct Sandbox {
    child: Child,
    url: String,
    password: String,
    log: BufReader<ChildStderr>,
    /// Kept open: the program prints more than the password.
    _printed: BufReader<ChildStdout>,
}

impl Sandbox {
    /// Starts the program on a database and a day.
    fn start(database: &Database, day: &str) -> Self {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mut child = Command::new(env!("CARGO_BIN_EXE_ibid-server"))
            .args(["--sandbox", "--no-demo", "--sandbox-day", day])
            .env_clear()
            .env("BIND", format!("127.0.0.1:{port}"))
            .env("DATABASE_URL", database.url())
            .env(
                "LOG",
                "warn,ibid_server::sandbox_history=debug,ibid_server::sandbox_agency=debug",
            )
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut printed = BufReader::new(child.stdout.take().unwrap());
        let line = line_with(&mut printed, "  password ");
        Self {
            log: BufReader::new(child.stderr.take().unwrap()),
            child,
            url: format!("http://127.0.0.1:{port}"),
            password: line.trim().trim_start_matches("password").trim().to_owned(),
            _printed: printed,
        }
    }

    /// Waits until the history is there. Returns whether this process added to it.
    fn has_added(&mut self) -> bool {
        let line = line_with(&mut self.log, "sandbox.history.");
        assert!(!line.contains("failed"), "{line}");
        line.contains("sandbox.history.added")
    }

    fn guest(&self) -> Member {
        Member::at(&self.url)
    }

    async fn owner(&self) -> Member {
        let mut member = self.guest();
        let reply = member.sign_in(EMAIL, &self.password).await;
        assert_eq!(reply.status, 303, "{}", reply.text);
        member
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads lines up to the first that contains a text.
fn line_with(lines: &mut impl BufRead, text: &str) -> String {
    let mut line = String::new();
    while !line.contains(text) {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "no line with {text}");
    }
    line
}

/// The path of the sample report on the home page.
async fn sample(visitor: &Member) -> Option<String> {
    let home = visitor.open("/").await;
    assert_eq!(home.status, 200);
    let path = home.text.split("href=\"/s/").nth(1)?;
    Some(format!("/s/{}", path.split('"').next()?))
}

async fn count(visitor: &Member, path: &str, text: &str) -> usize {
    let page = visitor.open(path).await;
    assert_eq!(page.status, 200, "{path}: {}", page.text);
    page.text.matches(text).count()
}

#[tokio::test]
async fn the_account_gets_a_history_with_one_real_change_once() {
    let database = Database::fresh();
    let mut sandbox = Sandbox::start(&database, "20280");
    assert!(sandbox.has_added());
    let owner = sandbox.owner().await;
    assert_eq!(count(&owner, HISTORY, "class=\"scan-row\"").await, 14);
    assert_eq!(count(&owner, "/workspace", "100 credits").await, 1);
    let website = owner.open(WEBSITE).await.text;
    // The table above it repeats the sentences of the history.
    let series = website.split("id=\"s1\"").nth(1).unwrap();
    let sentences = series.split("<p class=\"strong\">").nth(1).unwrap();
    let sentences = sentences.split("</p>").next().unwrap();
    assert_eq!(sentences.matches("; noticed ").count(), 1, "{sentences}");
    assert!(!sentences.contains("No change."), "{sentences}");
    for (text, times) in [("class=\"trend\"", 1), ("class=\"trend-break\"", 0)] {
        assert_eq!(series.matches(text).count(), times, "{text}");
    }

    let guest = sandbox.guest();
    let link = sample(&guest).await.unwrap();
    let report = guest.open(&link).await;
    assert_eq!(report.status, 200);
    assert!(report.text.contains("brightspoke.example") && report.text.contains("Become known in"));

    let page = owner.open(HISTORY).await.text;
    let scans: Vec<&str> = page
        .split("class=\"scan-link\" href=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert_eq!(
        owner
            .post(&format!("{}/share/revoke", scans[0]), &[])
            .await
            .status,
        303
    );
    assert_eq!(sample(&guest).await, None);
    assert_eq!(owner.post(&format!("{}/delete", scans[3]), &[]).await.status, 303);
    drop(sandbox);

    let mut sandbox = Sandbox::start(&database, "20287");
    assert!(!sandbox.has_added());
    let owner = sandbox.owner().await;
    assert_eq!(count(&owner, HISTORY, "class=\"scan-row\"").await, 13);
    assert_eq!(count(&owner, "/workspace", "100 credits").await, 1);
    assert_eq!(sample(&sandbox.guest()).await, None);
    assert_eq!(sandbox.guest().open(&link).await.status, 404);
}

#[tokio::test]
async fn two_processes_on_one_database_make_one_history() {
    let database = Database::fresh();
    let mut both = [Sandbox::start(&database, "0"), Sandbox::start(&database, "0")];
    let added = both
        .iter_mut()
        .filter_map(|sandbox| sandbox.has_added().then_some(()));
    assert!(added.count() >= 1);
    // The last to start has set the password.
    let owner = both[1].owner().await;
    assert_eq!(count(&owner, HISTORY, "class=\"scan-row\"").await, 14);
    assert_eq!(count(&owner, "/workspace", "100 credits").await, 1);
    assert!(sample(&both[0].guest()).await.is_some());
}

/// The row of a project in the list, as text with its tags.
fn row<'a>(list: &'a str, name: &str) -> &'a str {
    assert!(list.contains(name), "{name} in {list}");
    let rest = list.split(name).nth(1).unwrap();
    rest.split("</tr>").next().unwrap()
}

#[tokio::test]
async fn an_agency_shows_each_state_of_a_project_once() {
    let database = Database::fresh();
    let mut sandbox = Sandbox::start(&database, "20280");
    assert!(sandbox.has_added());
    let added = line_with(&mut sandbox.log, "sandbox.agency.");
    assert!(
        added.contains("sandbox.agency.added") && added.contains("runs=156"),
        "{added}"
    );
    let owner = sandbox.owner().await;
    let list = owner.open(PROJECTS).await.text;
    for (name, words) in [
        ("Harbour Dental", "No change."),
        ("Oakline Kitchens", "Fell from"),
        ("Northlight Accounting", "Rose from"),
        ("Fernway Florists", "No change."),
        ("Penrose Law", "The last run failed"),
        ("Castle Plumbing", "The budget holds runs back"),
    ] {
        assert!(row(&list, name).contains(words), "{name}: {}", row(&list, name));
    }
    let path = |name: &str| -> String {
        let before = list.split(&format!("<bdi>{name}</bdi>")).next().unwrap();
        let link = before.rsplit("href=\"").next().unwrap();
        link.split('"').next().unwrap().to_owned()
    };
    for (name, words) in [
        ("Oakline Kitchens", "New website online"),
        ("Fernway Florists", "A newer model answers"),
        ("Penrose Law", "trend-missed"),
    ] {
        let page = owner.open(&path(name)).await.text;
        assert!(page.contains(words), "{name}: {page}");
    }
    // A change says why, or why not; a project without one says nothing of causes. No page is larger than 60 KB.
    let mut changes = 0;
    for name in [
        "Harbour Dental",
        "Oakline Kitchens",
        "Northlight Accounting",
        "Fernway Florists",
        "Penrose Law",
        "Castle Plumbing",
    ] {
        let page = owner.open(&path(name)).await.text;
        assert!(page.len() <= 60 << 10, "{name}: {} bytes", page.len());
        let verdict = page.split("class=\"verdict-text\"><p>").nth(1).unwrap();
        let verdict = verdict.split("</p>").next().unwrap();
        let told: Vec<&str> = verdict.split("; noticed ").skip(1).collect();
        for change in &told {
            let (_, why) = change.split_once(". ").unwrap_or_default();
            assert!(!why.is_empty(), "{name}: {verdict}");
        }
        let causes = [
            "names you",
            "name you",
            "naming you",
            "is named instead",
            "no longer cite",
            "explains",
            "to say why",
        ];
        let says = causes.iter().any(|words| verdict.contains(words));
        assert_eq!(says, !told.is_empty(), "{name}: {verdict}");
        changes += told.len();
    }
    assert!(changes >= 2, "{list}");
    // A project that people deleted does not come again.
    let gone = path("Castle Plumbing");
    let deleted = owner.post(&format!("{gone}/delete"), &[("sure", "true")]).await;
    assert_eq!(deleted.status, 303, "{}", deleted.text);
    drop(sandbox);

    let mut sandbox = Sandbox::start(&database, "20290");
    assert!(!sandbox.has_added());
    let added = line_with(&mut sandbox.log, "sandbox.agency.");
    assert!(added.contains("sandbox.agency.unchanged"), "{added}");
    let list = sandbox.owner().await.open(PROJECTS).await.text;
    assert!(!list.contains("Castle Plumbing") && list.contains("Penrose Law"));
}

#[tokio::test]
async fn two_processes_on_one_database_make_one_agency() {
    let database = Database::fresh();
    let mut both = [Sandbox::start(&database, "0"), Sandbox::start(&database, "0")];
    for sandbox in &mut both {
        let line = line_with(&mut sandbox.log, "sandbox.agency.");
        assert!(!line.contains("failed"), "{line}");
    }
    let list = both[1].owner().await.open(PROJECTS).await.text;
    assert_eq!(list.matches("scope=\"row\"").count(), 6, "{list}");
}
