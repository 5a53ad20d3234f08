//! Actions of projects: agreed, done, judged by the runs before and after.

use crate::projects::{Holder, PROJECTS, numbered, pointers, project, run, server};
use ibid_model::{ProjectId, ScanId, Score};
use ibid_store::{NewScan, Origin, ProjectReader, ProjectRunEnd, ProjectScope, RunSummary};
use ibid_tests::member::{PASSWORD, account_id};
use ibid_tests::{Member, TestServer};
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use serde_json::{Value, json};

const QUESTIONS: usize = 24;
const TOUCHED: usize = 8;

/// A project that asks its own questions, after one run: its path, its id and the document of the run.
async fn measured(server: &TestServer, holder: &Holder) -> (String, ProjectId, Value) {
    let mut body = project();
    body["questions"] = json!(numbered(0..QUESTIONS));
    body["questionsPerModel"] = json!("all");
    let made = holder.post(PROJECTS, &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let path = made.header("location").to_owned();
    let scan = run(server, holder, &path).await;
    let reply = server.store.scan(scan.parse().unwrap()).unwrap().unwrap().reply;
    let id = path.rsplit('/').next().unwrap().parse().unwrap();
    (path, id, serde_json::from_slice(&reply).unwrap())
}

/// Stores a run of a project that ended so many days ago.
fn store_run(server: &TestServer, project: ProjectId, mut document: Value, days_ago: i64) {
    let store = &*server.store;
    let ended = Timestamp::now() - SignedDuration::from_hours(24 * days_ago);
    let id = ScanId::random();
    document["scanId"] = json!(id);
    document["result"]["finishedAt"] = json!(ibid_model::time::text(ended));
    let reply = document.to_string();
    let scan = NewScan {
        id,
        origin: Origin::V2(format!("project {project}")),
        created_at: ended.as_second(),
        sandbox: true,
        method: "1",
        reply: reply.as_bytes(),
        answers: None,
    };
    store.put_scan(&scan).unwrap();
    let end = ProjectRunEnd {
        scan: id,
        ended_at: ended.as_millisecond(),
        subject: (document["result"]["keyword"].as_str().unwrap(), None),
        summary: RunSummary {
            score: Score::new(40.0),
            interval: None,
        },
        cost: 0,
        market: None,
        question_set: None,
    };
    store.put_project_run(project, &end).unwrap();
}

/// A run whose answers score so much for the touched questions and the others, give or take some points.
fn week(document: &Value, touched: &[String], (own, rest): (u32, u32), week: u32) -> Value {
    let mut document = document.clone();
    let answers = document["result"]["models"][0]["answers"].as_array_mut().unwrap();
    for (at, answer) in (0_u32..).zip(answers) {
        let hash = answer["questionHash"].as_str().unwrap().to_owned();
        let mean = if touched.contains(&hash) { own } else { rest };
        answer["score"] = json!(mean + (at * 7 + week * 5) % 9);
    }
    document
}

fn scope(server: &TestServer, email: &str, project: ProjectId) -> ProjectScope {
    let reader = ProjectReader::Account(account_id(server, email));
    server.store.project_scope(reader, project).unwrap().unwrap()
}

/// The action after eight runs before and eight after, whose scores are given.
async fn judged(after: (u32, u32), other_model: bool, runs: u32) -> Value {
    let server = server();
    let email = "owner@example.com";
    let holder = Holder::agency(&server, email, 5);
    let (path, id, document) = measured(&server, &holder).await;
    let actions = format!("{path}/actions");
    let questions = numbered(0..TOUCHED);
    let body = json!({"title": "Write a guide", "page": "/guide", "who": "Ada", "questions": questions, "runs": runs});
    let made = holder.post(&actions, &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let made = made.json();
    assert_eq!(
        (
            &made["test"]["touchedQuestions"],
            &made["test"]["controlQuestions"]
        ),
        (&json!(8), &json!(16))
    );
    let promise = made["test"]["summary"].as_str().unwrap();
    let begin = "8 of its questions and 16 others are asked in every run. With 4 runs before and ";
    assert!(
        promise.starts_with(begin) && promise.contains(" points in 8 of 10 cases. Do it after "),
        "{promise}"
    );
    // As if it had been agreed a hundred days ago.
    let scope = scope(&server, email, id);
    let mut action = server.store.actions(&scope).unwrap().remove(0);
    action.agreed_at -= 100 * 86_400_000;
    let change = ibid_store::ProjectChange {
        action: "action_changed",
        members: "{}",
        at: 1,
    };
    assert!(server.store.put_action(&scope, &action, 9, change).unwrap());
    let words = server.store.question_words(id).unwrap();
    let touched: Vec<String> = words
        .into_iter()
        .filter(|(_, text)| questions.contains(text))
        .map(|(word, _)| word)
        .collect();
    for number in 0..8 {
        store_run(
            &server,
            id,
            week(&document, &touched, (40, 40), number),
            90 - i64::from(number),
        );
    }
    for number in 8..16 {
        let mut run = week(&document, &touched, after, number);
        if other_model {
            run["result"]["models"][0]["resolvedModel"] = json!("a-successor");
        }
        store_run(&server, id, run, 58 - i64::from(number));
    }
    server.service.schedules.round(Timestamp::now()).await.unwrap();
    let day = Timestamp::now() - SignedDuration::from_hours(24 * 60);
    let done = json!({"status": "done", "doneOn": day.strftime("%Y-%m-%d").to_string()});
    let own = format!("{actions}/{}", made["actionId"].as_str().unwrap());
    let done = holder.send(Method::PATCH, &own, Some(&done)).await;
    assert_eq!(done.status, 200, "{}", done.text);
    assert_eq!(done.json()["test"]["runsBefore"], 8);
    assert_eq!(done.json()["test"]["controls"].as_array().unwrap().len(), 16);
    // A run later says the same.
    run(&server, &holder, &path).await;
    let read = holder.get(&own).await;
    if runs == 8 {
        assert_eq!(read, done.json());
    }
    read
}

#[tokio::test]
async fn an_action_that_moves_its_questions_moved() {
    let action = judged((70, 40), false, 8).await;
    assert_eq!(
        (&action["verdict"], &action["reason"]),
        (&json!("moved"), &Value::Null),
        "{action}"
    );
    let difference = action["effect"]["difference"].as_f64().unwrap();
    assert!((29.0..31.0).contains(&difference), "{action}");
    let sentence = action["summary"].as_str().unwrap();
    assert!(
        sentence.starts_with("Moved: +30 points against the other questions (+2"),
        "{sentence}"
    );
    assert_eq!(action["withoutRivals"], "No competitor is pinned.");
    assert!(action["judgedAt"].is_string());
}

#[tokio::test]
async fn an_action_that_moves_nothing_is_not_seen_also_where_all_fall() {
    for after in [(40, 40), (10, 10)] {
        let action = judged(after, false, 8).await;
        assert_eq!(action["verdict"], "not_seen", "{action}");
        assert!(
            action["effect"]["difference"].as_f64().unwrap().abs() < 2.0,
            "{action}"
        );
    }
}

#[tokio::test]
async fn answers_of_another_model_are_not_compared() {
    let action = judged((70, 40), true, 8).await;
    assert_eq!(
        (&action["verdict"], &action["reason"]),
        (&json!("cannot_tell"), &json!("model")),
        "{action}"
    );
    assert_eq!(
        (&action["effect"], &action["summary"]),
        (&Value::Null, &json!("Cannot tell: other models answer since."))
    );
}

#[tokio::test]
async fn a_verdict_waits_for_the_last_run_of_the_test() {
    let action = judged((70, 40), false, 20).await;
    assert_eq!(
        (&action["verdict"], &action["runsSoFar"]),
        (&Value::Null, &json!(10)),
        "{action}"
    );
    assert!(
        action["summary"]
            .as_str()
            .unwrap()
            .starts_with("Not seen yet. So far +"),
        "{action}"
    );
}

#[tokio::test]
async fn what_a_test_compares_is_fixed_once_it_is_done() {
    let server = server();
    let holder = Holder::agency(&server, "fixed@example.com", 5);
    let (path, ..) = measured(&server, &holder).await;
    let actions = format!("{path}/actions");
    let faulty = json!({"title": "", "questions": ["Who is this?", 1], "runs": 1, "status": "later", "page": 7,
        "doneOn": "soon"});
    let refused = holder.post(&actions, &faulty).await;
    assert_eq!(refused.status, 400);
    assert_eq!(
        pointers(&refused),
        ["/title", "/page", "/questions/1", "/runs", "/status", "/doneOn"]
    );
    let unknown = json!({"questions": ["Who is this?"], "status": "done"});
    let refused = holder.post(&actions, &unknown).await;
    assert_eq!(pointers(&refused), ["/title", "/questions/0", "/status"]);
    let body = json!({"title": "Write a guide", "questions": numbered(0..2)});
    let made = holder.post(&actions, &body).await.json();
    let own = format!("{actions}/{}", made["actionId"].as_str().unwrap());
    let edit = async |body: Value| holder.send(Method::PATCH, &own, Some(&body)).await;
    let far = edit(json!({"status": "done", "doneOn": "2020-01-01"})).await;
    assert_eq!(pointers(&far), ["/doneOn"]);
    let other = edit(json!({"questions": numbered(0..3), "status": "doing", "goal": "Be named"}))
        .await
        .json();
    assert_eq!(
        (&other["status"], &other["goal"]),
        (&json!("doing"), &json!("Be named"))
    );
    assert_ne!(other["agreedAt"], made["agreedAt"]);
    let done = edit(json!({"status": "done"})).await.json();
    // The day of the agreement has no run before it.
    assert_eq!(
        (&done["verdict"], &done["reason"]),
        (&json!("cannot_tell"), &json!("few_runs_before")),
        "{done}"
    );
    assert_eq!(done["test"]["visiblePoints"], Value::Null);
    let fixed =
        edit(json!({"questions": numbered(0..2), "runs": 4, "doneOn": "2026-01-01", "title": "A guide"}))
            .await;
    assert_eq!(pointers(&fixed), ["/questions", "/runs", "/doneOn"]);
    let renamed = edit(json!({"title": "A guide", "status": "done"})).await.json();
    assert_eq!(
        (&renamed["title"], &renamed["judgedAt"]),
        (&json!("A guide"), &done["judgedAt"])
    );
    let again = edit(json!({"status": "doing"})).await.json();
    assert_eq!(
        (&again["verdict"], &again["doneOn"], &again["summary"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    let log = holder.get(&format!("{path}/audit-log")).await;
    let changes = log["changes"].as_array().unwrap();
    let words: Vec<&str> = changes
        .iter()
        .map(|change| change["action"].as_str().unwrap())
        .collect();
    let expected = [
        "action_reopened",
        "action_changed",
        "action_done",
        "action_changed",
        "action_added",
    ];
    assert_eq!(words.get(..5).unwrap(), expected);
    // The log keeps the test that ended, with its verdict.
    assert!(
        changes[0]["members"]["finding"]
            .as_str()
            .unwrap()
            .contains("cannot_tell")
    );
    let deleted = holder.send(Method::DELETE, &own, None).await;
    assert_eq!(
        (deleted.status.as_u16(), deleted.json()),
        (200, json!({"actions": []}))
    );
    for method in [Method::GET, Method::DELETE] {
        assert_eq!(holder.send(method, &own, None).await.status, 404);
    }
}

#[tokio::test]
async fn a_page_agrees_on_an_action_and_its_form_is_filled_by_a_move() {
    let server = server();
    let email = "page@example.com";
    let holder = Holder::agency(&server, email, 5);
    let (path, id, _) = measured(&server, &holder).await;
    let mut member = Member::stranger(&server);
    member.sign_in(email, PASSWORD).await;
    let here = format!("/workspace/projects/{id}/actions");
    let question = &numbered(0..1)[0];
    let form = member
        .open(&format!("{here}?title=Write+a+guide&questions={question}"))
        .await;
    assert_eq!(form.status, 200, "{}", form.text);
    assert!(form.text.contains("value=\"Write a guide\""));
    assert_eq!(form.text.matches(" checked>").count(), 1);
    let refused = member
        .post(&here, &[("title", "Write a guide"), ("runs", "1")])
        .await;
    assert_eq!(refused.status, 400);
    assert!(refused.text.contains("Nothing was stored") && refused.text.contains("value=\"Write a guide\""));
    let sent = [
        ("title", "Write a guide"),
        ("runs", "8"),
        ("questions", question.as_str()),
    ];
    assert_eq!(member.post(&here, &sent).await.status, 303);
    let actions = holder.get(&format!("{path}/actions")).await;
    let own = format!("{here}/{}", actions["actions"][0]["actionId"].as_str().unwrap());
    let project = member.open(&format!("/workspace/projects/{id}")).await;
    assert!(project.text.contains("Write a guide") && project.text.contains("All actions"));
    assert_eq!(member.post(&own, &[("status", "done")]).await.status, 303);
    let page = member.open(&here).await;
    assert!(
        page.text.contains("Cannot tell: fewer than two runs between"),
        "{}",
        page.text
    );
    assert_eq!(member.post(&own, &[("delete", "true")]).await.status, 303);
    assert!(member.open(&here).await.text.contains("None yet."));
}
