//! The pages of projects, in the steps of a person: set up, run, read, invite, delete.

use crate::gate::Gate;
use ibid_service::RunOwner;
use ibid_store::Role;
use ibid_tests::member::account_id;
use ibid_tests::{Member, Setup, TestServer, logs};
use jiff::Timestamp;
use std::sync::Arc;

pub(crate) const PROJECTS: &str = "/workspace/projects";

fn form(step: &'static str) -> Vec<(&'static str, &'static str)> {
    vec![
        ("name", "Aigua Clara"),
        ("domain", "example.com"),
        ("keyword", "plumber"),
        ("location", ""),
        ("brandNames", "Example\nExample & Co"),
        ("ownDomains", "example.de/shop\ngithub.com/example/tool"),
        ("questionsPerModel", "8"),
        ("models", "model-1-latest"),
        ("every", "1"),
        ("unit", "weeks"),
        ("weekday", "monday"),
        ("at", "09:00"),
        ("timeZone", "Europe/Berlin"),
        ("monthlyBudgetUsd", ""),
        ("step", step),
    ]
}

/// Waits for the end of the open run of a project, and judges it.
pub(crate) async fn ended(server: &TestServer, account: &str, path: &str) {
    let id = path.rsplit('/').next().unwrap();
    let owner = RunOwner::Project(id.parse().unwrap());
    let reader = ibid_store::ProjectReader::Account(account_id(server, account));
    let store = &*server.store;
    let scope = store.project_scope(reader, id.parse().unwrap()).unwrap().unwrap();
    let scan = store.project_runs(&scope, 1, 0).unwrap()[0].scan.unwrap();
    let mut done = 0;
    loop {
        let queued = server
            .service
            .scans
            .queued_after(&owner, scan, done)
            .await
            .unwrap();
        if queued.run.ended_at.is_some() {
            break;
        }
        done = queued.run.stored;
    }
    server.service.schedules.round(Timestamp::now()).await.unwrap();
}

#[tokio::test]
async fn a_project_is_set_up_seen_beforehand_run_and_deleted() {
    let server = Setup::default().workspace().spawn();
    let ada = Member::with_credits(&server, "ada@example.com", 0).await;
    let empty = ada.open(PROJECTS).await;
    assert!(empty.text.contains("No projects yet"), "{}", empty.text);
    let new = ada.open(&format!("{PROJECTS}/new")).await;
    assert!(new.text.contains("What you sell") && !new.text.contains("Save the project"));
    let looked = ada.upload(PROJECTS, &form("look"), None).await;
    assert_eq!(looked.status, 200, "{}", looked.text);
    let left_out = "example.de is measured as a whole: /shop is left out";
    for words in [
        "points a run",
        "a month",
        "For example",
        "Save the project",
        left_out,
    ] {
        assert!(looked.text.contains(words), "{words}: {}", looked.text);
    }
    assert!(ada.open(PROJECTS).await.text.contains("No projects yet"));
    let mut bad = form("save");
    bad[1] = ("domain", "not a domain");
    let refused = ada.upload(PROJECTS, &bad, None).await;
    assert_eq!(refused.status, 422);
    let sentence = "Enter the name of a website, such as example.com.";
    assert!(refused.text.contains(sentence), "{}", refused.text);
    let saved = ada.upload(PROJECTS, &form("save"), None).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    let path = saved.header("location").to_owned();
    let settings = ada.open(&format!("{path}/settings")).await.text;
    assert!(
        settings.contains("example.de/shop\ngithub.com/example/tool"),
        "{settings}"
    );
    // The operator has given no budget yet.
    assert!(
        ada.open(PROJECTS)
            .await
            .text
            .contains("No run starts yet: ask the operator")
    );
    let held = ada.post(&format!("{path}/run"), &[]).await;
    assert_eq!(held.status, 409);
    assert!(
        held.text
            .contains("over the monthly budget of the organisation. Ask the operator"),
        "{}",
        held.text
    );
    let organisation = server
        .store
        .organisations(account_id(&server, "ada@example.com"))
        .unwrap()[0]
        .id;
    server
        .store
        .set_organisation_budget(organisation, 9_000_000, 1_i64)
        .unwrap();
    assert_eq!(ada.post(&format!("{path}/run"), &[]).await.status, 303);
    ended(&server, "ada@example.com", &path).await;
    let page = ada.open(&path).await.text;
    for words in [
        "This run",
        "Models, last run",
        "Competitors, last run",
        "done",
        "held back",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let report = page
        .split('"')
        .find(|text| text.starts_with(&format!("{path}/runs/")))
        .unwrap();
    assert_eq!(ada.open(report).await.status, 200);
    assert_eq!(ada.open(&format!("{report}/answers")).await.status, 200);
    assert_eq!(ada.open(&format!("{report}/models.csv")).await.status, 200);
    let noted = ada
        .post(
            &format!("{path}/note"),
            &[("day", "2026-11-26"), ("text", "New website")],
        )
        .await;
    assert_eq!(noted.status, 303);
    assert!(ada.open(&path).await.text.contains("New website"));
    let settings = format!("{path}/settings");
    let invited = ada
        .post(
            &format!("{path}/person"),
            &[("email", "bea@example.com"), ("role", "viewer")],
        )
        .await;
    assert!(invited.text.contains("/set-password/"), "{}", invited.text);
    let key = ada
        .post(&format!("{path}/key"), &[("name", "CI"), ("access", "read")])
        .await;
    assert!(key.text.contains("ibidp_"), "{}", key.text);
    assert!(!ada.open(&settings).await.text.contains("ibidp_"));
    let told = ada.open(&settings).await.text;
    assert!(
        told.contains(
            "1 run, 1 result, 0 reports, 0 imports of own data, 1 note, 0 actions, 0 rivals and 1 key."
        ),
        "{told}"
    );
    // Without the tick nothing is deleted.
    assert_eq!(
        ada.post(&format!("{path}/delete"), &[]).await.header("location"),
        settings
    );
    let deleted = ada.post(&format!("{path}/delete"), &[("sure", "true")]).await;
    assert_eq!(deleted.header("location"), PROJECTS);
    assert_eq!(ada.open(&path).await.status, 404);
}

#[tokio::test]
async fn an_editor_shows_a_badge_and_hides_it() {
    let logs = logs::capture();
    let server = Setup::default().workspace().spawn();
    let ada = Member::with_credits(&server, "ada@example.com", 0).await;
    let eve = Member::with_credits(&server, "eve@example.com", 0).await;
    let saved = ada.upload(PROJECTS, &form("save"), None).await;
    let path = saved.header("location").to_owned();
    let settings = format!("{path}/settings");
    assert_eq!(eve.open(&settings).await.status, 404);
    let editor = [("email", "eve@example.com"), ("role", "editor")];
    assert_eq!(ada.post(&format!("{path}/person"), &editor).await.status, 200);
    assert_eq!(eve.open(&settings).await.status, 404, "the invitation waits");
    let id = path.rsplit('/').next().unwrap();
    let accepted = eve
        .post(&format!("/workspace/invitations/{id}/accept"), &[])
        .await;
    assert_eq!(accepted.status, 303);
    let page = eve.open(&settings).await.text;
    assert!(
        page.contains("Show a badge") && !page.contains("Invite") && !page.contains("Delete the project")
    );
    let shown = eve.post(&format!("{path}/badge"), &[]).await;
    assert_eq!(shown.header("location"), format!("{settings}#badge"));
    let page = eve.open(&settings).await.text;
    let badge = page.split('"').find(|text| text.starts_with("/badge/")).unwrap();
    assert!(page.contains(&format!(
        "![How AI assistants cite us, measured by ibid](http://ibid.test{badge})"
    )));
    assert_eq!(Member::stranger(&server).open(badge).await.status, 200);
    eve.post(&format!("{path}/badge-hide"), &[]).await;
    assert_eq!(Member::stranger(&server).open(badge).await.status, 404);
    assert!(eve.open(&settings).await.text.contains("Show a badge"));
    let token = badge.trim_start_matches("/badge/").trim_end_matches(".svg");
    let told = logs.lines_with("http.request").join("\n");
    assert!(
        told.contains("path=\"/badge/\"") && !told.contains(token),
        "{told}"
    );
    // Only those who manage the project invite.
    assert_eq!(eve.post(&format!("{path}/person"), &editor).await.status, 403);
}

/// The form with other entries.
pub(crate) fn with<'a>(step: &'static str, entries: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let others = form(step).into_iter();
    let others = others.filter(|(name, _)| !entries.iter().any(|(known, _)| known == name));
    others.chain(entries.iter().copied()).collect()
}

#[tokio::test]
async fn own_questions_are_typed_read_from_a_file_or_taken_from_a_stored_set() {
    let server = Setup::default().workspace().spawn();
    let ada = Member::with_credits(&server, "sets@example.com", 0).await;
    let typed = "Who repairs boilers best?\nWhich plumber comes at night?\n";
    let own = [
        ("questionsFrom", "own"),
        ("questions", typed),
        ("allQuestions", "true"),
    ];
    let looked = ada.upload(PROJECTS, &with("look", &own), None).await;
    assert!(looked.text.contains("2 answers a run"), "{}", looked.text);
    // A file is shown before anything is saved, line by line.
    let file = "Which plumber is cheap?\nWho repairs boilers best?\n".as_bytes();
    let read = ada
        .upload(PROJECTS, &with("save", &own), Some(("file", file)))
        .await;
    assert_eq!(read.status, 200, "{}", read.text);
    assert!(read.text.contains("3 answers a run") && read.text.contains("Which plumber is cheap?"));
    assert!(
        read.text.contains("Lines of the file that were left out"),
        "{}",
        read.text
    );
    let empty = ada
        .upload(
            PROJECTS,
            &with("look", &own),
            Some(("file", b"\x89PNG\r\n\x1a\n\0")),
        )
        .await;
    assert_eq!(empty.status, 422, "{}", empty.text);
    let bad = [
        ("questionsFrom", "own"),
        ("questions", "Good?\nhttps://example.com\n"),
    ];
    let refused = ada.upload(PROJECTS, &with("save", &bad), None).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("Question 2: "), "{}", refused.text);
    let set = [("name", "Night work"), ("questions", typed)];
    assert_eq!(ada.post("/workspace/questions", &set).await.status, 303);
    let page = ada.open(&format!("{PROJECTS}/new")).await.text;
    let stored = page
        .split('"')
        .find(|text| text.starts_with("qs_"))
        .unwrap()
        .to_owned();
    assert!(page.contains("Night work"));
    let chosen = [("questionsFrom", stored.as_str()), ("allQuestions", "true")];
    let saved = ada.upload(PROJECTS, &with("save", &chosen), None).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    let id = saved.header("location").rsplit('/').next().unwrap();
    // The project has a copy of its own.
    let sets = server
        .store
        .question_sets(Some(&format!("project {id}")))
        .unwrap();
    assert_eq!((sets.len(), sets[0].latest), (1, 1));
}

#[tokio::test]
async fn the_questions_of_a_project_are_read_and_replaced() {
    let server = Setup::default().workspace().spawn();
    let ada = Member::with_credits(&server, "panel@example.com", 0).await;
    let typed = "Who repairs boilers best?\nWhich plumber comes at night?\n";
    let own = [
        ("questionsFrom", "own"),
        ("questions", typed),
        ("allQuestions", "true"),
    ];
    let saved = ada.upload(PROJECTS, &with("save", &own), None).await;
    let path = saved.header("location").to_owned();
    let questions = format!("{path}/questions");
    let page = ada.open(&questions).await.text;
    assert!(
        page.contains("Version 1: 2 questions of yours") && page.contains("none counted yet"),
        "{page}"
    );
    budget(&server, "panel@example.com");
    assert_eq!(ada.post(&format!("{path}/run"), &[]).await.status, 303);
    ended(&server, "panel@example.com", &path).await;
    let page = ada.open(&questions).await.text;
    // Each number leads to its answers.
    let link = page
        .split('"')
        .find(|text| text.contains("/answers?question="))
        .unwrap();
    let answers = ada.open(&link.replace("&amp;", "&")).await;
    assert_eq!(answers.status, 200);
    assert!(
        answers.text.contains("1 answer") && answers.text.contains("To “"),
        "{}",
        answers.text
    );
    let replaced = [
        ("replace", "Who repairs boilers best?"),
        ("questions", "Which plumber is cheap?"),
    ];
    let replaced = ada.post(&format!("{questions}/replace"), &replaced).await;
    assert_eq!(replaced.header("location"), questions, "{}", replaced.text);
    let page = ada.open(&questions).await.text;
    assert!(page.contains("Version 2: 2 questions") && page.contains("Which plumber is cheap?"));
    assert!(!page.contains("Who repairs boilers best?"));
    assert!(
        ada.open(&path)
            .await
            .text
            .contains("Questions: version 2, 2 questions, 1 of them new")
    );
    let bad = [("step", "save"), ("questions", "Good?\nhttps://example.com")];
    let refused = ada.upload(&questions, &bad, None).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("Question 2: "), "{}", refused.text);
    let file = Some(("file", "Who mends taps best?\n".as_bytes()));
    let read = ada
        .upload(&questions, &[("step", "save"), ("questions", typed)], file)
        .await;
    assert!(
        read.text.contains("Who mends taps best?") && read.text.contains("Version 2"),
        "{}",
        read.text
    );
    let own = ada.upload(&questions, &[("step", "templates")], None).await;
    assert_eq!(own.status, 303, "{}", own.text);
    assert!(ada.open(&questions).await.text.contains("Written by ibid"));
}

#[tokio::test]
async fn a_run_shows_its_progress_and_is_stopped() {
    let server = Setup::default()
        .provider(Arc::new(Gate::shut()))
        .workspace()
        .spawn();
    let ada = Member::with_credits(&server, "stop@example.com", 0).await;
    let path = ada
        .upload(PROJECTS, &form("save"), None)
        .await
        .header("location")
        .to_owned();
    budget(&server, "stop@example.com");
    assert_eq!(ada.post(&format!("{path}/run"), &[]).await.status, 303);
    let page = ada.open(&format!("{path}/runs")).await.text;
    assert!(
        page.contains("0 of 8 answers") && page.contains("under way"),
        "{page}"
    );
    let scan = page
        .split('"')
        .skip_while(|text| *text != "scan")
        .nth(2)
        .unwrap()
        .to_owned();
    let stopped = ada.post(&format!("{path}/stop"), &[("scan", &scan)]).await;
    assert_eq!(
        stopped.header("location"),
        format!("{path}/runs"),
        "{}",
        stopped.text
    );
    ended(&server, "stop@example.com", &path).await;
    let page = ada.open(&format!("{path}/runs")).await.text;
    assert!(
        page.contains("stopped") && !page.contains("of 8 answers"),
        "{page}"
    );
    let beyond = ada.open(&format!("{path}/runs?page=9")).await.text;
    assert!(beyond.contains("None on this page"), "{beyond}");
}

#[tokio::test]
async fn the_first_admin_sets_the_budget_of_the_organisation_where_a_run_needs_it() {
    let server = Setup::default().workspace().spawn();
    let ada = Member::with_role(&server, "ada@example.com", 0, Role::Admin).await;
    let budget = "/workspace/admin/spending";
    let asked = ada.open(PROJECTS).await.text;
    assert!(
        asked.contains("cost in a month?") && asked.contains(budget),
        "{asked}"
    );
    let saved = ada.upload(PROJECTS, &form("save"), None).await;
    let path = saved.header("location").to_owned();
    let held = ada.post(&format!("{path}/run"), &[]).await;
    assert_eq!(held.status, 409);
    let link = r#"<a href="/workspace/admin/spending#organisations">Set the monthly budget</a>"#;
    assert!(held.text.contains(link), "{}", held.text);
    for odd in ["", "-1", "x"] {
        assert_eq!(ada.post(budget, &[("dollars", odd)]).await.status, 400, "{odd}");
    }
    assert_eq!(ada.post(budget, &[("dollars", "9")]).await.status, 303);
    assert!(
        ada.open(PROJECTS)
            .await
            .text
            .contains("Monthly budget of the organisation: $9.00")
    );
    assert_eq!(ada.post(&format!("{path}/run"), &[]).await.status, 303);
    ended(&server, "ada@example.com", &path).await;
    // Spending counts the run, and sets the budget of every organisation.
    let spending = ada.open(budget).await.text;
    assert!(
        spending.contains("1 run<") && spending.contains(r#"value="9.00""#),
        "{spending}"
    );
    let id = spending.split(r#"name="organisation" value=""#).nth(1).unwrap();
    let id = id.split('"').next().unwrap();
    let set = ada
        .post(budget, &[("organisation", id), ("dollars", "12.50")])
        .await;
    assert_eq!(set.header("location"), budget);
    assert!(ada.open(budget).await.text.contains(r#"value="12.50""#));
    let other = ibid_model::OrganisationId::random().to_string();
    let unknown = ada
        .post(budget, &[("organisation", &other), ("dollars", "1")])
        .await;
    assert_eq!(unknown.status, 404);
    let grace = Member::with_credits(&server, "grace@example.com", 0).await;
    assert_eq!(grace.post(budget, &[("dollars", "9")]).await.status, 404);
}

/// Gives the organisation of an account nine dollars a month.
fn budget(server: &TestServer, email: &str) {
    let organisations = server.store.organisations(account_id(server, email)).unwrap();
    assert!(
        server
            .store
            .set_organisation_budget(organisations[0].id, 9_000_000, 1_i64)
            .unwrap()
    );
}
