//! The archive of a project: from one server into another, with the same pages; and files that are none.

use crate::projects::{Holder, PROJECTS, all_ended, numbered, pointers, project, server};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use ibid_service::OrganisationKey;
use ibid_store::KeyAccess;
use ibid_tests::member::{PASSWORD, account_id};
use ibid_tests::{Member, Reply, TestServer};
use jiff::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{Read, Write};

const OWNER: &str = "owner@example.com";

/// The archive of a project.
async fn archive_of(holder: &Holder, path: &str) -> Vec<u8> {
    let request = holder.client.bare(Method::GET, &format!("{path}/archive"));
    let answer = request.bearer_auth(&holder.key).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "application/gzip");
    answer.bytes().await.unwrap().to_vec()
}

async fn import(holder: &Holder, file: Vec<u8>) -> Reply {
    let request = holder.client.bare(Method::POST, &format!("{PROJECTS}/archive"));
    Reply::of(request.bearer_auth(&holder.key).body(file)).await
}

fn text_of(file: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text
}

fn file_of(text: &str) -> Vec<u8> {
    let mut file = GzEncoder::new(Vec::new(), Compression::fast());
    file.write_all(text.as_bytes()).unwrap();
    file.finish().unwrap()
}

/// A text whose ids are numbers, in the order in which they come.
fn without_ids(text: &str) -> String {
    let is_id = |text: &str| {
        text.len() == 36
            && text.bytes().enumerate().all(|(at, byte)| match at {
                8 | 13 | 18 | 23 => byte == b'-',
                _ => byte.is_ascii_hexdigit(),
            })
    };
    let (mut known, mut plain, mut rest) = (HashMap::new(), String::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = if rest.get(..36).is_some_and(is_id) {
            36
        } else if rest.starts_with("qs_")
            && rest
                .get(3..35)
                .is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_hexdigit()))
        {
            35
        } else {
            plain.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        let number = known.len();
        let number = *known.entry(rest[..length].to_owned()).or_insert(number);
        plain.push_str(&format!("<{number}>"));
        rest = &rest[length..];
    }
    plain
}

/// A project with what a project can have: own questions in two versions, two places, rivals, notes, a run that a budget held back.
async fn full_project(server: &TestServer, holder: &Holder) -> String {
    let mut body = project();
    body["questions"] = json!(numbered(0..12));
    body["questionsPerModel"] = json!(10);
    body["markets"] = json!([{"location": "Lyon, France"}, {"location": "Leeds, United Kingdom"}]);
    body["rings"] = json!([]);
    let made = holder.post(PROJECTS, &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let path = made.header("location").to_owned();
    for questions in [0..12, 1..13] {
        let edit = json!({"questions": numbered(questions)});
        let edited = holder.send(Method::PATCH, &path, Some(&edit)).await;
        assert_eq!(edited.status, 200, "{}", edited.text);
        let started = holder.send(Method::POST, &format!("{path}/runs"), None).await;
        assert_eq!(started.status, 202, "{}", started.text);
        all_ended(server, holder, &path).await;
    }
    let fewer = json!({"markets": [{"location": "Lyon, France"}]});
    assert_eq!(holder.send(Method::PATCH, &path, Some(&fewer)).await.status, 200);
    let store = &*server.store;
    let organisation = store.organisations(account_id(server, OWNER)).unwrap()[0].id;
    store.set_organisation_budget(organisation, 0, 1_i64).unwrap();
    holder.send(Method::POST, &format!("{path}/runs"), None).await;
    let rivals = holder.get(&format!("{path}/rivals")).await;
    let named = rivals["rivals"][0]["name"].as_str().unwrap_or("Grau").to_owned();
    for rival in [
        json!({"name": named, "state": "pinned", "domains": ["grau.example"], "aliases": ["G&F"]}),
        json!({"name": "None of it", "state": "ignored"}),
    ] {
        assert_eq!(holder.post(&format!("{path}/rivals"), &rival).await.status, 200);
    }
    for text in ["A new <site>", "An article"] {
        let note = json!({"day": "2026-11-26", "text": text});
        assert_eq!(
            holder.post(&format!("{path}/annotations"), &note).await.status,
            201
        );
    }
    let rows = json!({"name": "access.log", "rows": [
        {"source": "access_log", "day": "2026-10-01", "page": "example.com/plans", "measure": "visits", "value": 3},
        {"source": "access_log", "day": "2026-10-01", "by": "ChatGPT", "measure": "visits", "value": 3},
    ]});
    let own = holder.post(&format!("{path}/own-data/rows"), &rows).await;
    assert_eq!(own.json()["outcome"], "imported", "{}", own.text);
    // It arrives paused.
    let pause = json!({"status": "paused"});
    assert_eq!(holder.send(Method::PATCH, &path, Some(&pause)).await.status, 200);
    server.service.schedules.round(Timestamp::now()).await.unwrap();
    path
}

/// What a reader of a project sees: documents and pages.
async fn seen(server: &TestServer, holder: &Holder, path: &str) -> Vec<(String, String)> {
    let mut seen = Vec::new();
    let mut one = holder.get(path).await;
    for member in ["spentThisMonthUsd", "attention"] {
        one.as_object_mut().unwrap().remove(member);
    }
    seen.push(("project".to_owned(), one.to_string()));
    for part in ["questions", "runs", "history", "rivals", "sources", "annotations"] {
        seen.push((
            part.to_owned(),
            holder.get(&format!("{path}/{part}")).await.to_string(),
        ));
    }
    let mut member = Member::stranger(server);
    member.sign_in(OWNER, PASSWORD).await;
    let below = path.replace("/api/v2/projects", "/workspace/projects");
    let runs = holder.get(&format!("{path}/runs")).await;
    let scan = runs["runs"]
        .as_array()
        .unwrap()
        .iter()
        .find(|run| run["score"].is_number())
        .unwrap();
    let scan = scan["scanId"].as_str().unwrap();
    for page in [
        String::new(),
        "/questions".to_owned(),
        "/runs".to_owned(),
        "/rivals".to_owned(),
        "/sources".to_owned(),
        format!("/runs/{scan}"),
        format!("/runs/{scan}/answers"),
        format!("/runs/{scan}/result.json"),
    ] {
        let shown = member.open(&format!("{below}{page}")).await;
        assert_eq!(shown.status, 200, "{page}: {}", shown.text);
        seen.push((page, shown.text));
    }
    let seen = seen
        .into_iter()
        .map(|(part, text)| (without_ids(&part), without_ids(&text).replace(&server.url, "")));
    seen.collect()
}

/// The page without what a project spends here, which stays where the money is.
fn without_spend(text: &str) -> String {
    let lines = text
        .lines()
        .filter(|line| !line.to_lowercase().contains("this month"));
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn an_archive_gives_the_same_pages_on_another_server() {
    let (first, second) = (server(), server());
    let from = Holder::agency(&first, OWNER, 50);
    let path = full_project(&first, &from).await;
    let file = archive_of(&from, &path).await;
    let text = text_of(&file);
    for secret in [OWNER, &from.key, "ibidp_"] {
        assert!(!text.contains(secret), "{secret}");
    }
    let to = Holder::agency(&second, OWNER, 0);
    let made = import(&to, file.clone()).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let there = made.header("location").to_owned();
    assert_ne!(there, path);
    let document = made.json();
    assert_eq!(
        (
            &document["status"],
            &document["monthlyBudgetUsd"],
            &document["spentThisMonthUsd"]
        ),
        (&json!("paused"), &Value::Null, &json!(0.0))
    );
    // Only new ids are there.
    let ids: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let again = text_of(&archive_of(&to, &there).await);
    for id in ids["ids"].as_array().unwrap() {
        assert!(!again.contains(id.as_str().unwrap()));
    }
    assert_eq!(without_ids(&again).len(), without_ids(&text).len());
    let (before, after) = (seen(&first, &from, &path).await, seen(&second, &to, &there).await);
    for ((part, before), (same, after)) in before.iter().zip(&after) {
        assert_eq!(part, same);
        assert_eq!(without_spend(before), without_spend(after), "{part}");
    }
    // The questions go on where they were, and the history with them.
    let organisation = second.store.organisations(account_id(&second, OWNER)).unwrap()[0].id;
    second
        .store
        .set_organisation_budget(organisation, 50_000_000, 1_i64)
        .unwrap();
    let resume = json!({"status": "active"});
    assert_eq!(to.send(Method::PATCH, &there, Some(&resume)).await.status, 200);
    let run = to.send(Method::POST, &format!("{there}/runs"), None).await;
    assert_eq!(run.status, 202, "{}", run.text);
    all_ended(&second, &to, &there).await;
    assert_eq!(to.get(&format!("{there}/history")).await["runs"], 3);
    // The same file can be read where it comes from.
    assert_eq!(import(&from, file).await.status, 201);
    assert!(second.store.project_faults().unwrap().is_empty());
    assert_eq!(to.send(Method::DELETE, &there, None).await.status, 200);
}

#[tokio::test]
async fn a_file_that_is_no_archive_stores_nothing_and_says_why() {
    let server = server();
    let holder = Holder::agency(&server, OWNER, 50);
    let path = full_project(&server, &holder).await;
    let text = text_of(&archive_of(&holder, &path).await);
    let file = file_of(&text);
    let lines: Vec<&str> = text.lines().collect();
    let with = |from: &str, to: &str| file_of(&text.replacen(from, to, 1));
    let head: Value = serde_json::from_str(lines[0]).unwrap();
    let foreign = head["ids"][1].as_str().unwrap();
    let result = *lines.iter().find(|line| line.starts_with("{\"result\"")).unwrap();
    let ended = *lines.iter().find(|line| line.starts_with("{\"ended\"")).unwrap();
    let files = [
        Vec::new(),
        b"no archive".to_vec(),
        file[..file.len() / 2].to_vec(),
        file_of("{}\n"),
        file_of("[1]\n"),
        with("\"ibidProjectArchive\":1", "\"ibidProjectArchive\":2"),
        // An id in capitals is not replaced by a new one.
        file_of(&text.replace(foreign, &foreign.to_uppercase())),
        with(&format!(",\"{foreign}\""), ""),
        with("\"failures\":0", "\"failures\":-1"),
        with("boiler model 3", "boiler model 99"),
        with("\"outcome\":\"complete\"", "\"outcome\":\"<b>\""),
        with("\"overallScore\":", "\"overallScore\":1e300,\"other\":"),
        with("\"overallScore\":", "\"large\":1e300,\"overallScore\":"),
        with("\"valid\":1", "\"valid\":4294967295"),
        with("\"domain\":\"example.com\"", "\"domain\":\"no domain\""),
        with("{\"note\":", "{\"nothing\":"),
        with("2026-11-26", "yesterday"),
        with("\"state\":\"pinned\"", "\"state\":\"owned\""),
        file_of(&format!("{text}{result}\n")),
        file_of(&format!("{text}{ended}\n")),
        file_of(&format!("{text}{{\"ended\":{{}}}}\n")),
    ];
    let projects = holder.get(PROJECTS).await["projects"].as_array().unwrap().len();
    for (number, file) in files.into_iter().enumerate() {
        let refused = import(&holder, file).await;
        assert_eq!(
            (refused.status.as_u16(), refused.code()),
            (400, "invalid_request".to_owned()),
            "{number}: {}",
            refused.text
        );
        assert!(!pointers(&refused).is_empty(), "{number}");
    }
    assert_eq!(
        holder.get(PROJECTS).await["projects"].as_array().unwrap().len(),
        projects
    );
    // Lines that are cut anywhere are refused, and never break the server.
    let mut cut = 1;
    while cut < text.len() {
        if text.is_char_boundary(cut) {
            let refused = import(&holder, file_of(&text[..cut])).await;
            assert!(
                [400, 201].contains(&refused.status.as_u16()),
                "{cut}: {}",
                refused.text
            );
        }
        cut += text.len() / 12;
    }
    let store = &*server.store;
    let organisation = store.organisations(account_id(&server, OWNER)).unwrap()[0].id;
    for access in [KeyAccess::Read, KeyAccess::Run] {
        let key = OrganisationKey {
            organisation,
            owner: None,
            name: "Reader",
            access,
        };
        let key = key.make(store, None).unwrap();
        let reader = Holder::with(&server, &key);
        assert_eq!(import(&reader, file.clone()).await.status, 403);
        let archive = format!("{path}/archive");
        assert_eq!(reader.send(Method::GET, &archive, None).await.status, 403);
    }
}

#[tokio::test]
async fn the_pages_give_and_take_the_archive() {
    let server = server();
    let holder = Holder::agency(&server, OWNER, 50);
    let made = holder.post(PROJECTS, &project()).await;
    let id = made.json()["projectId"].as_str().unwrap().to_owned();
    let mut member = Member::stranger(&server);
    member.sign_in(OWNER, PASSWORD).await;
    let download = format!("/workspace/projects/{id}/archive.jsonl.gz");
    assert!(
        member
            .open(&format!("/workspace/projects/{id}/settings"))
            .await
            .text
            .contains(&download)
    );
    let answer = member.request(Method::GET, &download).send().await.unwrap();
    let named = answer.headers()["content-disposition"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(named.contains(".jsonl.gz"), "{named}");
    let file = answer.bytes().await.unwrap();
    assert!(
        member
            .open("/workspace/projects/new")
            .await
            .text
            .contains("From an archive")
    );
    let there = member
        .upload("/workspace/projects/archive", &[], Some(("archive", &file)))
        .await;
    assert_eq!(there.status, 303, "{}", there.text);
    let shown = member.open(there.header("location")).await;
    assert!(shown.text.contains("Aigua Clara"), "{}", shown.text);
    let refused = member
        .upload("/workspace/projects/archive", &[], Some(("archive", b"none")))
        .await;
    assert_eq!(refused.status, 422);
    assert!(
        refused.text.contains("The archive cannot be read"),
        "{}",
        refused.text
    );
}
