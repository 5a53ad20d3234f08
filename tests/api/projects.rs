//! `/api/v2/projects`: made, run, judged, shared and deleted; and no route opens a project of others.

use ibid_model::contract::ROUTES;
use ibid_model::contract::route::Method as ContractMethod;
use ibid_model::{ProjectId, ScanId, Score};
use ibid_service::{KEY_PREFIX, OrganisationKey, RunOwner, SandboxPrinter};
use ibid_store::{KeyAccess, NewScan, OrganisationRole, Origin, PackedAnswers, ProjectRunEnd, RunSummary};
use ibid_tests::member::{PASSWORD, account_id, open_account};
use ibid_tests::{API_KEY, ApiClient, Member, Reply, Setup, TestServer};
use jiff::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) const PROJECTS: &str = "/api/v2/projects";

/// A holder of a key.
pub(super) struct Holder {
    pub(super) client: ApiClient,
    pub(super) key: String,
}

impl Holder {
    pub(super) fn with(server: &TestServer, key: &str) -> Self {
        Self {
            client: ApiClient::of(server),
            key: key.to_owned(),
        }
    }

    /// An agency with a budget in dollars, and its key to every project.
    pub(super) fn agency(server: &TestServer, email: &str, budget: u64) -> Self {
        let account = open_account(server, email, 0);
        let store = &*server.store;
        let organisation = store.own_organisation(account, "Agency", 1).unwrap().unwrap();
        assert!(
            store
                .set_organisation_budget(organisation, budget * 1_000_000, 1_i64)
                .unwrap()
        );
        let key = OrganisationKey {
            organisation,
            owner: Some(account),
            name: "CI",
            access: KeyAccess::Write,
        };
        Self::with(server, &key.make(store, None).unwrap())
    }

    pub(super) async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> Reply {
        let request = self.client.bare(method, path).bearer_auth(&self.key);
        Reply::of(match body {
            Some(body) => request.json(body),
            None => request,
        })
        .await
    }

    pub(super) async fn get(&self, path: &str) -> Value {
        let reply = self.send(Method::GET, path, None).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        reply.json()
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(Method::POST, path, Some(body)).await
    }

    pub(super) async fn make(&self) -> (String, Value) {
        let made = self.post(PROJECTS, &project()).await;
        assert_eq!(made.status, 201, "{}", made.text);
        let project = made.json();
        let path = made.header("location").to_owned();
        assert_eq!(
            path,
            format!("{PROJECTS}/{}", project["projectId"].as_str().unwrap())
        );
        (path, project)
    }
}

/// The pointers of the faults of an answer.
pub(super) fn pointers(reply: &Reply) -> Vec<String> {
    let faults = reply.faults().into_iter();
    faults
        .map(|fault| fault.split(':').next().unwrap().to_owned())
        .collect()
}

pub(super) fn project() -> Value {
    json!({"name": "Aigua Clara", "domain": "example.com", "keyword": "plumber", "models": ["model-1-latest"],
        "questionsPerModel": 8})
}

pub(super) fn server() -> TestServer {
    Setup::default().workspace().spawn()
}

/// Runs a project now, waits for its scan, and judges it. Returns the scan.
pub(super) async fn run(server: &TestServer, holder: &Holder, path: &str) -> String {
    let started = holder.send(Method::POST, &format!("{path}/runs"), None).await;
    assert_eq!(started.status, 202, "{}", started.text);
    let scan = started.json()["scanId"].as_str().unwrap().to_owned();
    let project: ProjectId = path.rsplit('/').next().unwrap().parse().unwrap();
    let owner = RunOwner::Project(project);
    let mut done = 0;
    loop {
        let scans = &server.service.scans;
        let queued = scans
            .queued_after(&owner, scan.parse().unwrap(), done)
            .await
            .unwrap();
        if queued.run.ended_at.is_some() {
            break;
        }
        done = queued.run.stored;
    }
    server.service.schedules.round(Timestamp::now()).await.unwrap();
    scan
}

#[tokio::test]
async fn a_project_is_made_run_and_read() {
    let server = server();
    let holder = Holder::agency(&server, "owner@example.com", 0);
    let dry = holder.post(&format!("{PROJECTS}?dryRun=true"), &project()).await;
    assert_eq!(dry.status, 200, "{}", dry.text);
    assert_eq!(dry.json()["forecast"]["answersARun"], 8);
    assert_eq!(holder.get(PROJECTS).await["projects"], json!([]));
    let (path, made) = holder.make().await;
    assert_eq!(
        (&made["status"], &made["score"], &made["recurrence"]["unit"]),
        (&json!("active"), &Value::Null, &json!("weeks"))
    );
    assert!(made["nextRunAt"].is_string() && made["forecast"]["monthCostUsd"].as_f64().unwrap() > 0.0);
    // Without a budget of the operator no run starts.
    let held = holder.send(Method::POST, &format!("{path}/runs"), None).await;
    assert_eq!(held.status, 202, "{}", held.text);
    assert_eq!(held.json()["outcome"], "over_organisation_budget");
    assert_eq!(holder.get(&path).await["attention"], json!(["over_budget"]));
    let store = &*server.store;
    let account = account_id(&server, "owner@example.com");
    let organisation = store.organisations(account).unwrap()[0].id;
    store
        .set_organisation_budget(organisation, 5_000_000, 1_i64)
        .unwrap();
    let scan = run(&server, &holder, &path).await;
    let read = holder.get(&path).await;
    assert_eq!(read["lastScanId"], scan.as_str());
    assert!(read["score"].is_number() && read["verdict"].as_str().unwrap().contains("This run"));
    assert_eq!(read["attention"], json!([]));
    assert!(read["spentThisMonthUsd"].as_f64().unwrap() > 0.0);
    let runs = holder.get(&format!("{path}/runs")).await;
    assert_eq!(runs["runs"].as_array().unwrap().len(), 2);
    let result = holder
        .get(runs["runs"][0]["links"]["result"].as_str().unwrap())
        .await;
    assert_eq!(result["scanId"], scan.as_str());
    let second = run(&server, &holder, &path).await;
    let history = holder.get(&format!("{path}/history")).await;
    assert_eq!(
        (&history["runs"], &history["points"][1]["scanId"]),
        (&json!(2), &json!(second))
    );
    assert!(history["level"]["score"].is_number());
    // The row of the project has the same level.
    assert_eq!(
        holder.get(PROJECTS).await["projects"][0]["level"],
        history["level"]
    );
}

#[tokio::test]
async fn a_run_that_has_ended_is_judged_while_someone_looks() {
    let server = server();
    let holder = Holder::agency(&server, "looks@example.com", 5);
    let (path, _) = holder.make().await;
    let started = holder.send(Method::POST, &format!("{path}/runs"), None).await;
    assert_eq!(started.status, 202, "{}", started.text);
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(30);
    loop {
        let runs = holder.get(&format!("{path}/runs")).await;
        if runs["runs"][0]["outcome"] == "complete" {
            break;
        }
        assert!(std::time::Instant::now() < patience, "{runs}");
    }
    assert!(holder.get(&path).await["score"].is_number());
}

/// The questions of a run.
fn asked(server: &TestServer, scan: &str) -> BTreeSet<String> {
    let evidence = server.store.answers(scan.parse().unwrap()).unwrap().unwrap();
    let evidence: Value = serde_json::from_slice(&evidence).unwrap();
    let answers = evidence["answers"].as_array().unwrap().iter();
    answers
        .map(|answer| answer["question"].as_str().unwrap().to_owned())
        .collect()
}

/// Questions that differ by their number.
pub(super) fn numbered(numbers: impl IntoIterator<Item = usize>) -> Vec<String> {
    let numbers = numbers.into_iter();
    numbers
        .map(|number| format!("Which plumber repairs boiler model {number} best?"))
        .collect()
}

#[tokio::test]
async fn a_question_that_names_the_client_is_a_panel_of_its_own() {
    let server = server();
    let holder = Holder::agency(&server, "apart@example.com", 50);
    let named = "Is example.com a good plumber?";
    let mut body = project();
    body["questionsPerModel"] = json!("all");
    let questions = numbered(0..6).into_iter().chain([named.to_owned()]);
    body["questions"] = json!(questions.collect::<Vec<String>>());
    let made = holder.post(PROJECTS, &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert_eq!(
        made.json()["forecast"]["summary"]
            .as_str()
            .unwrap()
            .split('.')
            .next()
            .unwrap(),
        "7 answers a run: 6 at home, 1 to questions that name you, counted apart"
    );
    let path = made.header("location").to_owned();
    run(&server, &holder, &path).await;
    let scan = run(&server, &holder, &path).await;
    let result = holder.get(&format!("{path}/runs/{scan}")).await;
    let answers = result["result"]["models"][0]["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 6, "{result}");
    let history = holder.get(&format!("{path}/history")).await;
    assert_eq!(history["level"]["runs"], 2, "{history}");
    let questions = holder.get(&format!("{path}/questions")).await;
    let counted = questions["questions"].as_array().unwrap();
    assert!(
        counted
            .iter()
            .all(|one| (one["text"] == named) == (one["runs"] == 0)),
        "{questions}"
    );
    let moves = holder.get(&format!("{path}/moves")).await;
    let apart = &moves["branded"][0];
    assert_eq!(
        (&apart["text"], &apart["answers"]),
        (&json!(named), &json!(2)),
        "{moves}"
    );
    // The page shows it apart, and its answers are one click away.
    let mut member = Member::stranger(&server);
    assert_eq!(member.sign_in("apart@example.com", PASSWORD).await.status, 303);
    let id = path.rsplit('/').next().unwrap();
    let page = member.open(&format!("/workspace/projects/{id}")).await;
    let (_, section) = page.text.split_once("Questions that name you").unwrap();
    let (_, link) = section.split_once("<a href=\"").unwrap();
    let answers = member.open(link.split('"').next().unwrap()).await;
    assert_eq!(answers.status, 200);
    assert!(answers.text.contains(named), "{}", answers.text);
}

#[tokio::test]
async fn a_site_of_the_outreach_list_keeps_what_came_of_it() {
    let server = server();
    let holder = Holder::agency(&server, "outreach@example.com", 5);
    let (path, _) = holder.make().await;
    let mut member = Member::stranger(&server);
    assert_eq!(member.sign_in("outreach@example.com", PASSWORD).await.status, 303);
    let form = format!(
        "/workspace/projects/{}/outreach",
        path.rsplit('/').next().unwrap()
    );
    for (site, state, kept) in [
        ("yelp.com", "asked", json!({"yelp.com": "asked"})),
        (
            "checkatrade.com",
            "done",
            json!({"checkatrade.com": "done", "yelp.com": "asked"}),
        ),
        ("yelp.com", "open", json!({"checkatrade.com": "done"})),
    ] {
        let marked = member.post(&form, &[("site", site), ("state", state)]).await;
        assert_eq!(marked.status, 303, "{}", marked.text);
        assert_eq!(holder.get(&path).await["outreach"], kept);
    }
    for (site, state) in [("no domain", "asked"), ("yelp.com", "lost")] {
        let refused = member.post(&form, &[("site", site), ("state", state)]).await;
        assert_ne!(refused.status, 303, "{}", refused.text);
    }
    assert_eq!(
        holder.get(&path).await["outreach"],
        json!({"checkatrade.com": "done"})
    );
}

#[tokio::test]
async fn a_project_asks_its_own_questions_in_versions() {
    let server = server();
    let holder = Holder::agency(&server, "own@example.com", 50);
    let mut body = project();
    body["questionsPerModel"] = json!(301);
    assert_eq!(
        pointers(&holder.post(PROJECTS, &body).await),
        ["/questionsPerModel"]
    );
    // Those of the program are too few, and "all" has none to ask.
    for counted in [json!(300), json!("all")] {
        body["questionsPerModel"] = counted;
        assert_eq!(
            pointers(&holder.post(PROJECTS, &body).await),
            ["/questionsPerModel"]
        );
    }
    body["questions"] = json!([""]);
    assert_eq!(pointers(&holder.post(PROJECTS, &body).await), ["/questions/0"]);
    body["questions"] = json!(numbered(0..301));
    assert_eq!(pointers(&holder.post(PROJECTS, &body).await), ["/questions"]);
    body["questions"] = json!(numbered(0..300));
    let dry = holder.post(&format!("{PROJECTS}?dryRun=true"), &body).await;
    assert_eq!(dry.json()["forecast"]["answersARun"], 300, "{}", dry.text);
    body["questions"] = json!(numbered(0..40));
    body["questionsPerModel"] = json!(20);
    let made = holder.post(PROJECTS, &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let (path, made) = (made.header("location").to_owned(), made.json());
    let set = made["questionSet"].as_str().unwrap();
    assert!(set.starts_with("qs_") && set.ends_with("@1"), "{set}");
    let id = set.strip_suffix("@1").unwrap().to_owned();
    assert_eq!(
        (
            &made["questions"],
            &made["questionsPerModel"],
            &made["forecast"]["answersARun"]
        ),
        (&json!(40), &json!(20), &json!(20))
    );
    let first = run(&server, &holder, &path).await;
    let second = run(&server, &holder, &path).await;
    let (first, second) = (asked(&server, &first), asked(&server, &second));
    assert_eq!((first.len(), first.intersection(&second).count()), (20, 16));
    let runs = holder.get(&format!("{path}/runs")).await;
    assert_eq!(runs["runs"][0]["questionSet"], set);
    // What the runs found about each, without the answers.
    let found = holder.get(&format!("{path}/questions")).await;
    let questions = found["questions"].as_array().unwrap();
    assert_eq!((questions.len(), &found["questionsPerModel"]), (40, &json!(20)));
    let runs_of = |runs: u64| questions.iter().filter(|one| one["runs"] == runs).count();
    assert_eq!((runs_of(2), runs_of(1), runs_of(0)), (16, 8, 16), "{found}");
    let twice = questions.iter().find(|one| one["runs"] == 2).unwrap();
    assert_eq!(
        (&twice["answers"], &twice["lastScanId"]),
        (&json!(2), &runs["runs"][0]["scanId"])
    );
    // A question is replaced: the others are asked as before, and the day is marked.
    let edit = json!({"questions": numbered(1..41)});
    let edited = holder.send(Method::PATCH, &path, Some(&edit)).await;
    assert_eq!(edited.status, 200, "{}", edited.text);
    assert_eq!(edited.json()["questionSet"], format!("{id}@2"));
    let notes = holder.get(&format!("{path}/annotations")).await;
    assert_eq!(
        (&notes["annotations"][0]["kind"], &notes["annotations"][0]["text"]),
        (
            &json!("set"),
            &json!("Questions: version 2, 40 questions, 1 of them new")
        )
    );
    let third = run(&server, &holder, &path).await;
    let third = asked(&server, &third);
    assert!(second.intersection(&third).count() >= 15, "{second:?} {third:?}");
    // The same list again is no version, and the first one can be asked again.
    let same = holder.send(Method::PATCH, &path, Some(&edit)).await;
    assert_eq!(same.json()["questionSet"], format!("{id}@2"));
    let back = json!({"questionSet": format!("{id}@1"), "questionsPerModel": "all"});
    let back = holder.send(Method::PATCH, &path, Some(&back)).await;
    assert_eq!(
        (&back.json()["questionsPerModel"], &back.json()["questionSet"]),
        (&json!("all"), &json!(format!("{id}@1"))),
        "{}",
        back.text
    );
    assert_eq!(back.json()["forecast"]["answersARun"], 40);
    let renamed = holder
        .send(Method::PATCH, &path, Some(&json!({"name": "Renamed"})))
        .await;
    assert_eq!(renamed.json()["questionSet"], back.json()["questionSet"]);
    for (wrong, status) in [
        (json!({"questionSet": "x"}), 400),
        (json!({"questionSet": format!("{id}@99")}), 404),
        (
            json!({"questionSet": format!("{id}@1"), "questions": ["a?"]}),
            400,
        ),
        (json!({"questionSet": {}}), 400),
    ] {
        let refused = holder.send(Method::PATCH, &path, Some(&wrong)).await;
        assert_eq!(
            (refused.status.as_u16(), pointers(&refused)),
            (status, vec!["/questionSet".to_owned()])
        );
    }
    let templates = json!({"questions": null, "questionsPerModel": 8});
    let templates = holder.send(Method::PATCH, &path, Some(&templates)).await;
    assert_eq!(
        (&templates.json()["questionSet"], &templates.json()["questions"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(holder.send(Method::DELETE, &path, None).await.status, 200);
    assert!(server.store.question_sets(None).unwrap().is_empty());
}

/// Waits for the end of every open run of a project, and judges them.
pub(super) async fn all_ended(server: &TestServer, holder: &Holder, path: &str) {
    let owner = RunOwner::Project(path.rsplit('/').next().unwrap().parse().unwrap());
    let runs = holder.get(&format!("{path}/runs")).await;
    for run in runs["runs"].as_array().unwrap() {
        let Some(scan) = run["scanId"].as_str() else {
            continue;
        };
        let mut done = 0;
        loop {
            let scans = &server.service.scans;
            let queued = scans
                .queued_after(&owner, scan.parse().unwrap(), done)
                .await
                .unwrap();
            if queued.run.ended_at.is_some() {
                break;
            }
            done = queued.run.stored;
        }
    }
    server.service.schedules.round(Timestamp::now()).await.unwrap();
}

#[tokio::test]
async fn a_run_asks_every_market_and_each_has_its_level() {
    let server = server();
    let holder = Holder::agency(&server, "markets@example.com", 5);
    let mut body = project();
    body["rings"] = json!([]);
    body["markets"] =
        json!([{"location": "Lyon, France"}, {"location": "Nowhereville Xyz"}, {"location": 7}]);
    body["location"] = json!("Nice, France");
    let faults = pointers(&holder.post(PROJECTS, &body).await);
    assert!(faults.contains(&"/markets/2/location".to_owned()), "{faults:?}");
    body["markets"][2] = json!({"location": "Lyon, France"});
    let faults = pointers(&holder.post(PROJECTS, &body).await);
    assert!(faults.contains(&"/markets/2".to_owned()), "{faults:?}");
    body["markets"][2] = json!({"location": "Lyon, France", "language": "en"});
    let faults = pointers(&holder.post(PROJECTS, &body).await);
    assert!(faults.contains(&"/location".to_owned()), "{faults:?}");
    body.as_object_mut().unwrap().remove("location");
    assert_eq!(
        pointers(&holder.post(PROJECTS, &body).await),
        ["/markets/1/location"]
    );
    body["markets"][1] = json!({"location": "Leeds, United Kingdom"});
    let made = holder.post(PROJECTS, &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let (path, made) = (made.header("location").to_owned(), made.json());
    assert_eq!(
        (&made["location"], &made["forecast"]["answersARun"]),
        (&json!("Lyon, France"), &json!(24))
    );
    let places = |project: &Value| -> Vec<(Value, Value)> {
        let markets = project["markets"].as_array().unwrap().iter();
        markets
            .map(|market| (market["location"].clone(), market["language"].clone()))
            .collect()
    };
    let expected = [
        (json!("Lyon, France"), Value::Null),
        (json!("Leeds, United Kingdom"), Value::Null),
        (json!("Lyon, France"), json!("en")),
    ];
    assert_eq!(places(&made), expected);
    for _ in 0..2 {
        let started = holder.send(Method::POST, &format!("{path}/runs"), None).await;
        assert!(started.json()["scanId"].is_string(), "{}", started.text);
        all_ended(&server, &holder, &path).await;
    }
    // A budget that holds one market or two holds none of the next run.
    let spent = holder.get(&path).await["spentThisMonthUsd"].as_f64().unwrap();
    let cost = made["forecast"]["runCostUsd"].as_f64().unwrap();
    let budget = json!({"monthlyBudgetUsd": cost.max(spent + cost / 2.0)});
    let bounded = holder.send(Method::PATCH, &path, Some(&budget)).await;
    assert_eq!(bounded.status, 200, "{}", bounded.text);
    let held = holder.send(Method::POST, &format!("{path}/runs"), None).await;
    assert_eq!(held.json()["outcome"], "over_budget", "{}", held.text);
    let runs = holder.get(&format!("{path}/runs")).await;
    let runs = runs["runs"].as_array().unwrap();
    let with = |outcome: &str| runs.iter().filter(|run| run["outcome"] == outcome).count();
    assert_eq!((with("complete"), with("over_budget")), (6, 3), "{runs:?}");
    // A change has the numbers made again.
    server.service.schedules.round(Timestamp::now()).await.unwrap();
    let read = holder.get(&path).await;
    for market in read["markets"].as_array().unwrap() {
        assert_eq!(market["level"]["runs"], 2, "{market}");
        assert!(market["verdict"].as_str().unwrap().contains("This run") && market["lastScanId"].is_string());
    }
    assert_eq!(read["level"], read["markets"][0]["level"]);
    let of_runs: f64 = runs.iter().filter_map(|run| run["costUsd"].as_f64()).sum();
    assert!(spent > 0.0 && (spent - of_runs).abs() < 1e-9, "{spent} {of_runs}");
    // Another name keeps the markets; another list keeps the history of those that stay.
    let renamed = holder
        .send(Method::PATCH, &path, Some(&json!({"name": "Renamed"})))
        .await;
    assert_eq!(places(&renamed.json()), expected, "{}", renamed.text);
    let fewer = json!({"markets": [{"location": "Lyon, France"}, {"location": "Leeds, United Kingdom"}]});
    let fewer = holder.send(Method::PATCH, &path, Some(&fewer)).await.json();
    assert_eq!(places(&fewer), expected[..2]);
    assert_eq!(fewer["markets"][1]["level"], read["markets"][1]["level"]);
    let wrong = json!({"markets": []});
    let wrong = holder.send(Method::PATCH, &path, Some(&wrong)).await;
    assert_eq!(pointers(&wrong), ["/markets"]);
    assert_eq!(holder.send(Method::DELETE, &path, None).await.status, 200);
}

#[tokio::test]
async fn every_fault_has_its_pointer_and_a_change_keeps_the_rest() {
    let server = server();
    let holder = Holder::agency(&server, "faults@example.com", 5);
    let bad = json!({"domain": "not a domain", "recurrence": {"unit": "days"}, "monthlyBudgetUsd": -1});
    let refused = holder.post(PROJECTS, &bad).await;
    assert_eq!(refused.status, 400);
    let faults = pointers(&refused);
    for pointer in [
        "/name",
        "/domain",
        "/keyword",
        "/recurrence/at",
        "/monthlyBudgetUsd",
    ] {
        assert!(
            faults.iter().any(|fault| fault == pointer),
            "{pointer}: {faults:?}"
        );
    }
    let (path, _) = holder.make().await;
    let change = json!({"name": "Renamed", "keyword": "heating", "status": "paused"});
    let changed = holder.send(Method::PATCH, &path, Some(&change)).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json();
    assert_eq!(
        (
            &changed["name"],
            &changed["keyword"],
            &changed["status"],
            &changed["order"]["questionsPerModel"]
        ),
        (&json!("Renamed"), &json!("heating"), &json!("paused"), &json!(8))
    );
    assert_eq!(changed["nextRunAt"], Value::Null);
    let wrong = holder
        .send(Method::PATCH, &path, Some(&json!({"status": "gone"})))
        .await;
    assert_eq!(
        (wrong.status.as_u16(), pointers(&wrong)),
        (400, vec!["/status".to_owned()])
    );
    let resumed = holder
        .send(Method::PATCH, &path, Some(&json!({"status": "active"})))
        .await;
    assert!(resumed.json()["nextRunAt"].is_string());
    let archived = holder
        .send(Method::PATCH, &path, Some(&json!({"status": "archived"})))
        .await;
    assert_eq!(archived.json()["status"], "archived");
    let held = holder.send(Method::POST, &format!("{path}/runs"), None).await;
    assert_eq!(held.json()["outcome"], "project_archived");
}

#[tokio::test]
async fn rivals_notes_people_and_keys_belong_to_it_and_are_logged() {
    let server = server();
    let holder = Holder::agency(&server, "parts@example.com", 5);
    let (path, _) = holder.make().await;
    let rivals = format!("{path}/rivals");
    assert_eq!(
        pointers(&holder.post(&rivals, &json!({})).await),
        ["/name", "/state"]
    );
    let pin =
        json!({"name": "Pipe & Co", "state": "pinned", "domains": ["pipe.example"], "aliases": ["Pipe"]});
    let put = holder.post(&rivals, &pin).await;
    assert_eq!(put.status, 200, "{}", put.text);
    let id = put.json()["rivals"][0]["rivalId"].as_str().unwrap().to_owned();
    run(&server, &holder, &path).await;
    let found = holder.get(&rivals).await;
    assert!(
        found["rivals"]
            .as_array()
            .unwrap()
            .iter()
            .any(|rival| rival["state"] == "found")
    );
    let gone = holder.send(Method::DELETE, &format!("{rivals}/{id}"), None).await;
    assert_eq!(gone.status, 200);
    let again = holder.send(Method::DELETE, &format!("{rivals}/{id}"), None).await;
    assert_eq!(
        (again.status.as_u16(), again.code()),
        (404, "project_not_found".to_owned())
    );
    let notes = format!("{path}/annotations");
    assert_eq!(
        pointers(&holder.post(&notes, &json!({"day": "soon"})).await),
        ["/text", "/day"]
    );
    let note = holder
        .post(&notes, &json!({"day": "2026-11-26", "text": "=New website"}))
        .await;
    assert_eq!(note.status, 201, "{}", note.text);
    assert_eq!(holder.get(&notes).await["annotations"][0]["day"], "2026-11-26");
    let id = note.json()["annotationId"].as_str().unwrap().to_owned();
    assert_eq!(
        holder
            .send(Method::DELETE, &format!("{notes}/{id}"), None)
            .await
            .status,
        200
    );
    let people = format!("{path}/people");
    assert_eq!(
        pointers(&holder.post(&people, &json!({"email": "x", "role": "boss"})).await),
        ["/email", "/role"]
    );
    let added = holder
        .post(&people, &json!({"email": "new@example.com", "role": "viewer"}))
        .await;
    assert_eq!(added.status, 201, "{}", added.text);
    let added = added.json();
    assert!(added["link"].as_str().unwrap().starts_with("/set-password/"));
    let known = holder
        .post(&people, &json!({"email": "new@example.com", "role": "editor"}))
        .await
        .json();
    assert_eq!(known["accountId"], added["accountId"]);
    // Who has no password yet can be invited again.
    assert_ne!(known["link"], added["link"]);
    assert_eq!(holder.get(&people).await["people"].as_array().unwrap().len(), 2);
    let person = format!("{people}/{}", added["accountId"].as_str().unwrap());
    assert_eq!(holder.send(Method::DELETE, &person, None).await.status, 200);
    assert_eq!(holder.send(Method::DELETE, &person, None).await.status, 404);
    let keys = format!("{path}/keys");
    assert_eq!(
        pointers(&holder.post(&keys, &json!({"name": "CI"})).await),
        ["/access"]
    );
    for end in [json!("soon"), json!("2020-01-01T00:00:00Z"), json!(7)] {
        let ended = json!({"name": "CI", "access": "read", "expiresAt": end});
        assert_eq!(pointers(&holder.post(&keys, &ended).await), ["/expiresAt"]);
    }
    let made = json!({"name": "CI", "access": "read", "expiresAt": "2099-01-01T00:00:00Z"});
    let made = holder.post(&keys, &made).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let made = made.json();
    let secret = made["key"].as_str().unwrap();
    assert!(secret.starts_with(KEY_PREFIX));
    let listed = holder.get(&keys).await;
    assert_eq!(listed["keys"].as_array().unwrap().len(), 2);
    let end = listed["keys"][1]["expiresAt"].as_str();
    assert!(end.is_some_and(|end| end.starts_with("2099-01-01")), "{listed}");
    assert!(!listed.to_string().contains(secret));
    // A key to read reads, and does no more.
    let reader = Holder::with(&server, secret);
    assert_eq!(
        reader.get(PROJECTS).await["projects"].as_array().unwrap().len(),
        1
    );
    for (method, below) in [
        (Method::POST, "/runs"),
        (Method::DELETE, ""),
        (Method::GET, "/audit-log"),
        (Method::PUT, "/badge"),
    ] {
        let refused = reader.send(method, &format!("{path}{below}"), None).await;
        assert_eq!(
            (refused.status.as_u16(), refused.code()),
            (403, "forbidden".to_owned()),
            "{below}"
        );
    }
    let refused = reader.post(PROJECTS, &project()).await;
    assert_eq!(refused.status, 403);
    let log = holder.get(&format!("{path}/audit-log")).await;
    let actions: Vec<&str> = log["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["action"].as_str().unwrap())
        .collect();
    for action in [
        "project_made",
        "rival_put",
        "run_started",
        "note_removed",
        "person_added",
        "key_made",
    ] {
        assert!(actions.contains(&action), "{action}: {actions:?}");
    }
    assert!(!log.to_string().contains(secret));
    let table = holder
        .send(Method::GET, &format!("{path}/audit-log.csv"), None)
        .await;
    assert!(table.text.contains("at,actor,action,members") && table.text.contains("note_added"));
    let access = holder
        .get(&format!("{path}/audit-log?about=access"))
        .await
        .to_string();
    assert!(
        access.contains("key_made") && !access.contains("note_added"),
        "{access}"
    );
    let past = holder.get(&format!("{path}/audit-log?page=2")).await;
    assert_eq!(past, json!({"changes": [], "more": false}));
    for odd in ["about=notes", "page=0"] {
        let refused = holder
            .send(Method::GET, &format!("{path}/audit-log?{odd}"), None)
            .await;
        assert_eq!(refused.status, 400, "{odd}");
    }
    let key = format!("{keys}/{}", made["keyId"].as_str().unwrap());
    assert_eq!(holder.send(Method::DELETE, &key, None).await.status, 200);
    assert_eq!(reader.send(Method::GET, &path, None).await.status, 401);
}

/// The rivals of an answer by name: their state, answers that name them, and those of each run.
fn named(rivals: &Value) -> Vec<(String, String, u64, Vec<u64>)> {
    let rows = rivals["rivals"].as_array().unwrap().iter();
    rows.map(|rival| {
        let points = rival["points"].as_array().unwrap().iter();
        (
            rival["name"].as_str().unwrap().to_owned(),
            rival["state"].as_str().unwrap().to_owned(),
            rival["namedAnswers"].as_u64().unwrap_or(0),
            points
                .map(|point| point["namedAnswers"].as_u64().unwrap())
                .collect(),
        )
    })
    .collect()
}

#[tokio::test]
async fn rivals_and_sources_count_anew_in_every_run() {
    let server = server();
    let holder = Holder::agency(&server, "rivals@example.com", 5);
    let (path, _) = holder.make().await;
    let rivals = format!("{path}/rivals");
    assert_eq!(holder.get(&rivals).await["runs"], 0);
    assert_eq!(
        holder.get(&format!("{path}/sources")).await["scanId"],
        Value::Null
    );
    run(&server, &holder, &path).await;
    let last = run(&server, &holder, &path).await;
    let found = holder.get(&rivals).await;
    assert_eq!(
        (&found["runs"], &found["answers"], &found["waiting"]),
        (&json!(2), &json!(16), &json!(0))
    );
    let before = named(&found);
    assert!(before.len() > 2, "{found}");
    let point = &found["rivals"][0]["points"][0];
    assert!(point["interval"]["low"].as_f64() < point["share"].as_f64());
    let [first, second, third, ..] = before.as_slice() else {
        panic!("{before:?}")
    };
    // Merged names are one rival in both runs; an ignored one is in none.
    let pin = json!({"name": first.0, "state": "pinned", "aliases": [second.0]});
    assert_eq!(holder.post(&rivals, &pin).await.status, 200);
    let ignore = json!({"name": third.0, "state": "ignored"});
    let after = named(&holder.post(&rivals, &ignore).await.json());
    let merged = after.iter().find(|row| row.0 == first.0).unwrap();
    assert_eq!(merged.1, "pinned");
    for run in 0..2 {
        let most = first.3[run] + second.3[run];
        assert!(merged.3[run] >= first.3[run].max(second.3[run]) && merged.3[run] <= most);
    }
    assert!(after.iter().all(|row| row.0 != second.0));
    let ignored = after.iter().find(|row| row.0 == third.0).unwrap();
    assert_eq!((ignored.1.as_str(), &ignored.3), ("ignored", &Vec::new()));

    let sources = holder.get(&format!("{path}/sources")).await;
    assert_eq!(
        (&sources["scanId"], &sources["answers"], &sources["waiting"]),
        (&json!(last), &json!(8), &json!(false))
    );
    assert!(sources["comparedWith"].is_string() && sources["comparedAnswers"].as_u64().unwrap() > 0);
    let sites = sources["sites"].as_array().unwrap();
    let kinds = sources["kinds"].as_array().unwrap();
    assert!(!sites.is_empty() && !kinds.is_empty(), "{sources}");
    for row in sites.iter().chain(kinds) {
        assert!(row["citedAnswers"].as_u64() <= row["answers"].as_u64(), "{row}");
    }
    // What people see is the same, and a form merges, too.
    let mut member = Member::stranger(&server);
    assert_eq!(member.sign_in("rivals@example.com", PASSWORD).await.status, 303);
    let here = format!("/workspace/projects/{}", path.rsplit('/').next().unwrap());
    let page = member.open(&format!("{here}/rivals")).await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains("of 16") && page.text.contains("Ignored"));
    let form = [("name", third.0.as_str()), ("state", "none"), ("back", "rivals")];
    assert_eq!(member.post(&format!("{here}/rival"), &form).await.status, 303);
    let form = [("name", third.0.as_str()), ("into", first.0.as_str())];
    assert_eq!(member.post(&format!("{here}/merge"), &form).await.status, 303);
    let kept = holder.get(&rivals).await;
    let kept = &kept["rivals"][0];
    assert_eq!(
        (&kept["name"], &kept["aliases"]),
        (&json!(first.0), &json!([second.0, third.0]))
    );
    let page = member.open(&format!("{here}/sources")).await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains("By kind") && page.text.contains(sites[0]["domain"].as_str().unwrap()));
}

#[tokio::test]
async fn a_report_stays_as_it_was_made_and_is_shared_by_a_link() {
    let setup = Setup::default().workspace();
    let server = setup
        .tune(|service| service.printer = Some(Arc::new(SandboxPrinter)))
        .spawn();
    let holder = Holder::agency(&server, "reports@example.com", 5);
    let (path, _) = holder.make().await;
    let reports = format!("{path}/reports");
    let refused = holder.post(&reports, &json!({})).await;
    assert_eq!(refused.status, 400);
    assert!(
        refused.text.contains("no run with a result yet"),
        "{}",
        refused.text
    );
    let refused = holder
        .post(&reports, &json!({"accent": "#ffee00", "sections": ["weather"]}))
        .await;
    assert_eq!(pointers(&refused), ["/accent", "/sections/0"]);
    run(&server, &holder, &path).await;
    let last = run(&server, &holder, &path).await;
    let order = json!({"title": "November <b>", "sender": "Agency", "accent": "#7a1f1f", "footer": false,
        "sections": [{"section": "summary", "note": "First <i>line</i>\nSecond"}, "trend", "models", "competitors", "sources",
            "questions"]});
    let made = holder.post(&reports, &order).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let made = made.json();
    let own = format!("{reports}/{}", made["reportId"].as_str().unwrap());
    let file = holder.send(Method::GET, &own, None).await;
    assert_eq!(file.status, 200);
    assert_eq!(made["sha256"], json!(sha256(file.text.as_bytes())));
    // Its numbers follow from its answers, and are those of the project.
    let (report, differences) = ibid_engine::report::verify(file.text.as_bytes()).unwrap();
    assert_eq!(differences, []);
    let history = holder.get(&format!("{path}/history")).await;
    assert_eq!(history["summary"], json!(report.numbers.verdict));
    assert_eq!(json!(report.numbers.trend), history["points"]);
    assert_eq!(report.numbers.trend.last().unwrap().scan_id.to_string(), last);
    assert!(!report.numbers.sources.sites.is_empty() && report.numbers.questions.len() >= 8);
    assert!(!file.text.contains("\"costUsd\":0."));
    let pdf = holder.send(Method::GET, &format!("{own}/pdf"), None).await;
    assert_eq!(pdf.header("content-type"), "application/pdf");
    assert!(
        pdf.text.starts_with("%PDF-") && pdf.text.contains(made["sha256"].as_str().unwrap()),
        "{}",
        pdf.text
    );
    // Later runs and changes leave it as it is.
    run(&server, &holder, &path).await;
    let rename = json!({"name": "Another name"});
    assert_eq!(holder.send(Method::PATCH, &path, Some(&rename)).await.status, 200);
    assert_eq!(holder.send(Method::GET, &own, None).await.text, file.text);

    let link = format!("{own}/link");
    for (body, pointer) in [
        (json!({"days": 0}), "/days"),
        (json!({"password": "short"}), "/password"),
    ] {
        let refused = holder.send(Method::PUT, &link, Some(&body)).await;
        assert_eq!(pointers(&refused), [pointer]);
    }
    let open = holder
        .send(Method::PUT, &link, Some(&json!({"days": 30})))
        .await
        .json();
    let public = open["link"]["path"].as_str().unwrap().to_owned();
    let stranger = Member::stranger(&server);
    let page = stranger.open(&public).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("x-robots-tag"), "noindex");
    assert!(page.header("cache-control").contains("no-store"));
    assert!(
        page.text.contains("November &lt;b&gt;") && page.text.contains("First &lt;i&gt;line"),
        "{}",
        page.text
    );
    assert!(!page.text.contains("Measured with") && !page.text.contains("/workspace"));
    let css = stranger.open(&format!("{public}/accent.css")).await;
    assert!(css.text.contains("--accent:#7a1f1f"));
    assert_eq!(
        stranger.open(&format!("{public}/report.json")).await.text,
        file.text
    );
    assert_eq!(stranger.open(&format!("{public}/logo.png")).await.status, 404);
    // A new link ends the old one, and asks for its password.
    let body = json!({"password": "correct horse battery"});
    let locked = holder.send(Method::PUT, &link, Some(&body)).await.json();
    assert_eq!(locked["link"]["protected"], true);
    assert_eq!(stranger.open(&public).await.status, 404);
    let public = locked["link"]["path"].as_str().unwrap().to_owned();
    let reader = Member::stranger(&server);
    assert_eq!(reader.open(&public).await.status, 401);
    assert_eq!(reader.open(&format!("{public}/report.json")).await.status, 303);
    assert_eq!(reader.post(&public, &[("password", "wrong")]).await.status, 401);
    let right = [("password", "correct horse battery")];
    assert_eq!(reader.post(&public, &right).await.status, 303);
    let ended = holder.send(Method::DELETE, &link, None).await;
    assert_eq!(ended.json()["link"], Value::Null);
    assert_eq!(stranger.open(&public).await.status, 404);
    let left = holder.send(Method::DELETE, &own, None).await.json();
    assert_eq!(left["reports"], json!([]));
    assert_eq!(holder.send(Method::GET, &own, None).await.status, 404);
}

fn sha256(bytes: &[u8]) -> String {
    let digest = <sha2::Sha256 as sha2::Digest>::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn people_make_reports_in_the_workspace() {
    let server = server();
    let holder = Holder::agency(&server, "pages@example.com", 5);
    let (path, _) = holder.make().await;
    run(&server, &holder, &path).await;
    let mut member = Member::stranger(&server);
    assert_eq!(member.sign_in("pages@example.com", PASSWORD).await.status, 303);
    let here = format!("/workspace/projects/{}/reports", path.rsplit('/').next().unwrap());
    let page = member.open(&here).await;
    assert!(
        page.status == 200 && page.text.contains("A new report"),
        "{}",
        page.text
    );
    let texts = [
        ("title", "Week 48"),
        ("accent", "#0a665f"),
        ("section", "models"),
        ("note-models", "Good."),
    ];
    let refused = member.upload(&here, &[("accent", "#ffffff")], None).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("Choose a dark colour"), "{}", refused.text);
    let refused = member.upload(&here, &texts, Some(("logo", b"no picture"))).await;
    assert_eq!(refused.status, 422);
    assert!(
        refused.text.contains("A logo is a PNG or a JPEG picture"),
        "{}",
        refused.text
    );
    let refused = member
        .upload(&here, &texts, Some(("logo", &vec![0; 300 << 10])))
        .await;
    assert_eq!(refused.status, 413, "{}", refused.text);
    assert_eq!(member.upload(&here, &texts, None).await.status, 303);
    let listed = holder.get(&format!("{path}/reports")).await;
    assert_eq!(listed["reports"][0]["title"], "Week 48");
    let report = listed["reports"][0]["reportId"].as_str().unwrap();
    let pdf = holder
        .send(Method::GET, &format!("{path}/reports/{report}/pdf"), None)
        .await;
    assert_eq!(
        (pdf.status.as_u16(), pdf.code()),
        (503, "pdf_unavailable".to_owned())
    );
    let own = format!("{here}/{}", listed["reports"][0]["reportId"].as_str().unwrap());
    let page = member.open(&own).await;
    assert!(
        page.text.contains("Good.") && page.text.contains("Measured with"),
        "{}",
        page.text
    );
    assert!(page.text.contains("How this was measured") && !page.text.contains("Over time"));
    let link = [("days", "30"), ("password", "")];
    assert_eq!(member.post(&format!("{own}/link"), &link).await.status, 303);
    let page = member.open(&here).await;
    assert!(
        page.text.contains("/r/") && page.text.contains("until "),
        "{}",
        page.text
    );
    assert_eq!(member.post(&format!("{own}/unlink"), &[]).await.status, 303);
    assert_eq!(member.post(&format!("{own}/delete"), &[]).await.status, 303);
    assert_eq!(member.open(&own).await.status, 404);
}

#[tokio::test]
async fn a_run_that_cannot_be_read_is_left_out_and_stops_no_schedule() {
    let server = server();
    let holder = Holder::agency(&server, "damaged@example.com", 5);
    let (path, made) = holder.make().await;
    let project: ProjectId = made["projectId"].as_str().unwrap().parse().unwrap();
    let store = &*server.store;
    let scan = NewScan {
        id: ScanId::random(),
        origin: Origin::V2(format!("project {project}")),
        created_at: 1,
        sandbox: true,
        method: "1",
        reply: b"{}",
        answers: Some(PackedAnswers::of(b"no evidence").unwrap()),
    };
    store.put_scan(&scan).unwrap();
    let end = ProjectRunEnd {
        scan: scan.id,
        ended_at: 1,
        subject: ("another keyword", None),
        summary: RunSummary {
            score: Score::new(1.0),
            interval: None,
        },
        cost: 0,
        market: None,
        question_set: None,
    };
    store.put_project_run(project, &end).unwrap();
    run(&server, &holder, &path).await;
    assert_eq!(store.runs_to_read(9).unwrap(), []);
    let rivals = holder.get(&format!("{path}/rivals")).await;
    assert_eq!((&rivals["runs"], &rivals["waiting"]), (&json!(1), &json!(0)));
}

#[tokio::test]
async fn an_agent_reads_and_runs_projects_by_their_key() {
    use crate::mcp::{message, result};
    let server = server();
    let holder = Holder::agency(&server, "agent@example.com", 5);
    let (path, made) = holder.make().await;
    let id = made["projectId"].as_str().unwrap();
    let send =
        |method: &str, params: Value| message(&holder.client, method, &params).bearer_auth(&holder.key);
    let tools = result(send("tools/list", json!({}))).await;
    let tools: Vec<&str> = tools["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert!(
        tools[0] == "run_project" && !tools.contains(&"run_scan"),
        "{tools:?}"
    );
    let call = |arguments: Value| {
        send(
            "tools/call",
            json!({"name": "run_project", "arguments": arguments}),
        )
    };
    let shown = result(call(json!({"projectId": id}))).await;
    assert_eq!(
        (
            &shown["structuredContent"]["answers"],
            &shown["structuredContent"]["started"]
        ),
        (&json!(8), &json!(false)),
        "{shown}"
    );
    assert_eq!(holder.get(&format!("{path}/runs")).await["runs"], json!([]));
    let begun = result(call(json!({"projectId": id, "dryRun": false}))).await;
    assert!(begun["structuredContent"]["scanId"].is_string(), "{begun}");
    let listed = result(send("resources/list", json!({}))).await.to_string();
    assert!(listed.contains("ibid://projects") && listed.contains(&format!("ibid://project/{id}")));
    for (address, member) in [
        ("ibid://projects".to_owned(), "projects"),
        (format!("ibid://project/{id}"), "projectId"),
        (format!("ibid://project/{id}/history"), "points"),
        (format!("ibid://project/{id}/rivals"), "rivals"),
        (format!("ibid://project/{id}/sources"), "sites"),
    ] {
        let read = result(send("resources/read", json!({"uri": address}))).await;
        let text = read["contents"][0]["text"].as_str().unwrap();
        let document: Value = serde_json::from_str(text).unwrap();
        assert!(!document[member].is_null(), "{address}: {document}");
    }
    // Another agency's key sees nothing of it, and a service key has no such tool.
    let other = Holder::agency(&server, "other-agent@example.com", 5);
    let foreign = message(
        &other.client,
        "resources/read",
        &json!({"uri": format!("ibid://project/{id}")}),
    );
    let foreign = Reply::of(foreign.bearer_auth(&other.key)).await.json();
    assert!(foreign["error"].is_object(), "{foreign}");
    let arguments = json!({"name": "run_project", "arguments": {"projectId": id, "dryRun": false}});
    let refused = result(message(&other.client, "tools/call", &arguments).bearer_auth(&other.key)).await;
    assert_eq!(refused["isError"], true);
    let refused = result(message(&other.client, "tools/call", &arguments).bearer_auth(API_KEY)).await;
    assert!(
        refused["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("unauthorized")
    );
    let scan = json!({"name": "run_scan", "arguments": {"domain": "example.com", "keyword": "plumber"}});
    let refused = result(send("tools/call", scan)).await;
    assert!(
        refused["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("forbidden")
    );
    let wrong = message(&other.client, "tools/list", &json!({})).bearer_auth(format!("{KEY_PREFIX}wrong"));
    assert_eq!(Reply::of(wrong).await.status, 401);
}

#[tokio::test]
async fn deleting_is_told_beforehand_and_takes_everything() {
    let server = server();
    let holder = Holder::agency(&server, "delete@example.com", 5);
    let (path, _) = holder.make().await;
    run(&server, &holder, &path).await;
    holder
        .post(
            &format!("{path}/annotations"),
            &json!({"day": "2026-11-26", "text": "Note"}),
        )
        .await;
    let told = holder
        .send(Method::DELETE, &format!("{path}?dryRun=true"), None)
        .await;
    assert_eq!(
        told.json(),
        json!({"runs": 1, "reports": 1, "frozenReports": 0, "ownDataImports": 0, "annotations": 1, "actions": 0, "rivals": 0, "keys": 0,
            "imports": 0})
    );
    let gone = holder.send(Method::DELETE, &path, None).await;
    assert_eq!((gone.status.as_u16(), gone.json()), (200, told.json()));
    assert_eq!(holder.send(Method::GET, &path, None).await.status, 404);
    assert_eq!(holder.get(PROJECTS).await["projects"], json!([]));
}

#[tokio::test]
async fn a_badge_is_public_while_it_is_shown() {
    let server = server();
    let holder = Holder::agency(&server, "one@example.com", 5);
    let (path, project) = holder.make().await;
    assert_eq!(project["links"]["badge"], Value::Null);
    let badge = format!("{path}/badge");
    let shown = || async {
        let reply = holder.send(Method::PUT, &badge, None).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json()["links"]["badge"].as_str().unwrap().to_owned()
    };
    let first = shown().await;
    assert_eq!(shown().await, first);
    assert_eq!(holder.get(&path).await["links"]["badge"], first.as_str());
    let anyone = Member::stranger(&server);
    let early = anyone.open(&first).await;
    assert_eq!(
        (early.status.as_u16(), early.header("content-type")),
        (200, "image/svg+xml")
    );
    assert!(early.text.contains("not enough runs"), "{}", early.text);
    for _ in 0..2 {
        run(&server, &holder, &path).await;
    }
    let reply = anyone.open(&first).await;
    let level = &holder.get(&path).await["level"];
    let (score, range) = (level["score"].as_f64().unwrap(), &level["interval"]);
    let words = format!(
        "{score:.0} of 100, likely {:.0} to {:.0}, ",
        range["low"].as_f64().unwrap(),
        range["high"].as_f64().unwrap()
    );
    assert!(reply.text.contains(&words), "{words}: {}", reply.text);
    assert_eq!(reply.header("cache-control"), "public, max-age=3600");
    assert_eq!(reply.header("cross-origin-resource-policy"), "cross-origin");
    assert!(reply.headers.get("set-cookie").is_none() && !reply.text.contains("example.com"));
    let same = anyone.request(Method::GET, &first);
    let same = Reply::of(same.header("If-None-Match", reply.header("etag"))).await;
    assert_eq!((same.status.as_u16(), same.text.as_str()), (304, ""));
    let hidden = holder.send(Method::DELETE, &badge, None).await;
    assert_eq!(hidden.json()["links"]["badge"], Value::Null);
    let gone = Reply::of(anyone.request(Method::GET, &first)).await;
    assert_eq!(
        (gone.status.as_u16(), &gone.json()["instance"]),
        (404, &json!("/badge/"))
    );
    assert_ne!(shown().await, first);
    let log = holder.get(&format!("{path}/audit-log")).await;
    let actions: Vec<&str> = log["changes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|change| change["action"].as_str())
        .filter(|action| action.starts_with("badge"))
        .collect();
    assert_eq!(actions, ["badge_shown", "badge_hidden", "badge_shown"]);
}

/// The answers to requests for a project of others: each route of the contract, and each page.
#[tokio::test]
async fn no_route_opens_a_project_of_others() {
    let server = server();
    let owner = Holder::agency(&server, "one@example.com", 5);
    let other = Holder::agency(&server, "two@example.com", 5);
    let (path, _) = owner.make().await;
    let scan = run(&server, &owner, &path).await;
    let id = path.rsplit('/').next().unwrap();
    let fill = |path: &str| path.replacen("{id}", id, 1).replace("{scanId}", &scan);
    let mut walked = 0;
    for route in ROUTES
        .iter()
        .filter(|route| route.path.starts_with("/api/v2/projects/{id}"))
    {
        let mut path = fill(route.path);
        while let (Some(from), Some(to)) = (path.find('{'), path.find('}')) {
            path.replace_range(from..=to, &ProjectId::random().to_string());
        }
        let method = match route.method {
            ContractMethod::Get => Method::GET,
            ContractMethod::Post => Method::POST,
            ContractMethod::Put => Method::PUT,
            ContractMethod::Patch => Method::PATCH,
            ContractMethod::Delete => Method::DELETE,
        };
        let body = route.body.map(|_| json!({"name": "Mine", "status": "archived"}));
        let reply = other.send(method.clone(), &path, body.as_ref()).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (404, "project_not_found".to_owned()),
            "{method} {path}"
        );
        // The keys of today open no project, and neither does none.
        let bare = Holder::with(&server, API_KEY)
            .send(method.clone(), &path, body.as_ref())
            .await;
        assert_eq!(bare.status, 401, "{method} {path}");
        walked += 1;
    }
    assert_eq!(walked, 58);
    // Every page below a project, by the lines that mount them.
    const MOUNTED: &str = include_str!("../../crates/ibid-http/src/web/projects/mod.rs");
    let stranger = Member::with_credits(&server, "three@example.com", 0).await;
    let (_, of_project) = MOUNTED.split_once("fn of_project").unwrap();
    let below = of_project.split('"').filter(|text| text.starts_with('/'));
    let mut pages = 0;
    for below in below.chain([""]) {
        let path = fill(&format!("/workspace/projects/{{id}}{below}"))
            .replace("{scan}", &scan)
            .replace("{file}", "result.json");
        pages += 1;
        if !path.contains("{change}") {
            assert_eq!(stranger.open(&path).await.status, 404, "{path}");
            continue;
        }
        for change in [
            "run",
            "pause",
            "archive",
            "note",
            "rival",
            "merge",
            "person",
            "key",
            "key-revoke",
            "badge",
            "feed",
            "feed-revoke",
            "delete",
            "replace",
            "stop",
        ] {
            let path = path.replace("{change}", change);
            let reply = stranger.post(&path, &[("sure", "true"), ("name", "x")]).await;
            assert_eq!(reply.status, 404, "{path}");
        }
    }
    assert_eq!(pages, 24);
    assert_eq!(pages_of_runs(&owner, &format!("{PROJECTS}/{id}")).await, [1, 0]);
    // A run that has ended stays as it is.
    let run = format!("{PROJECTS}/{id}/runs/{scan}");
    let stopped = owner.send(Method::DELETE, &run, None).await;
    let document = json!({"scanId": scan, "ended": true, "answered": 8});
    assert_eq!((stopped.status.as_u16(), stopped.json()), (202, document));
    let unknown = format!("{PROJECTS}/{id}/runs/{}", ProjectId::random());
    assert_eq!(owner.send(Method::DELETE, &unknown, None).await.status, 404);
    // The scan is no scan of other surfaces either.
    for path in [format!("/api/v1/scan/{scan}"), format!("/api/v2/scans/{scan}")] {
        let reply = Holder::with(&server, API_KEY)
            .send(Method::GET, &path, None)
            .await;
        assert_eq!(reply.status, 404, "{path}");
    }
    assert_eq!(owner.get(&path).await["status"], "active");
}

/// The runs on the first two pages, and the faults of a page that is none.
async fn pages_of_runs(holder: &Holder, path: &str) -> [usize; 2] {
    let refused = holder
        .send(Method::GET, &format!("{path}/runs?page=0"), None)
        .await;
    assert_eq!(
        (refused.status.as_u16(), pointers(&refused)),
        (400, vec!["/page".to_owned()])
    );
    let mut counts = [0, 0];
    for (at, count) in counts.iter_mut().enumerate() {
        let page = holder.get(&format!("{path}/runs?page={}", at + 1)).await;
        assert_eq!(page["more"], false);
        *count = page["runs"].as_array().unwrap().len();
    }
    counts
}

#[tokio::test]
async fn a_member_sees_only_what_was_granted() {
    let server = server();
    let holder = Holder::agency(&server, "agency@example.com", 5);
    let (path, _) = holder.make().await;
    let (second, _) = holder.make().await;
    let member = Member::with_credits(&server, "member@example.com", 0).await;
    let person = json!({"email": "member@example.com", "role": "viewer"});
    let added = holder.post(&format!("{path}/people"), &person).await;
    assert_eq!(added.status, 201, "{}", added.text);
    let account = account_id(&server, "member@example.com");
    let store = &*server.store;
    assert!(store.organisations(account).unwrap().is_empty());
    let id = path.rsplit('/').next().unwrap();
    let accept = format!("/workspace/invitations/{id}/accept");
    assert_eq!(member.post(&accept, &[]).await.status, 303);
    let organisations = store.organisations(account).unwrap();
    assert_eq!(
        (organisations.len(), organisations[0].role),
        (1, OrganisationRole::Member)
    );
    let listed = store.projects(ibid_store::ProjectReader::Account(account), 0);
    let listed = listed.unwrap();
    assert_eq!(listed.len(), 1);
    assert!(path.ends_with(&listed[0].id.to_string()) && !second.ends_with(&listed[0].id.to_string()));
}

/// The columns of each row of a table.
fn cells(table: &str) -> Vec<Vec<String>> {
    let lines = table.trim_start_matches('\u{feff}').lines();
    lines
        .map(|line| {
            line.split(',')
                .map(|cell| cell.trim_matches('"').to_owned())
                .collect()
        })
        .collect()
}

#[tokio::test]
async fn feeds_show_what_their_key_opens() {
    let server = server();
    let holder = Holder::agency(&server, "feeds@example.com", 5);
    let (path, _) = holder.make().await;
    let scan = run(&server, &holder, &path).await;
    let keys = format!("{path}/feed-keys");
    assert_eq!(
        pointers(&holder.post(&keys, &json!({"detail": 1})).await),
        ["/name", "/detail"]
    );
    let make = async |detail: bool| {
        let made = holder
            .post(&keys, &json!({"name": "Looker", "detail": detail}))
            .await;
        assert_eq!(made.status, 201, "{}", made.text);
        made.json()
    };
    let (counts, detail) = (make(false).await, make(true).await);
    let client = ApiClient::of(&server);
    let read = async |key: &Value, table: &str| {
        let path = format!("/feed/{}/{table}", key["key"].as_str().unwrap());
        Reply::of(client.bare(Method::GET, &path)).await
    };
    let daily = read(&counts, "daily.csv").await;
    assert_eq!(daily.status, 200, "{}", daily.text);
    assert_eq!(daily.header("content-type"), "text/csv; charset=utf-8");
    assert!(daily.header("cache-control").contains("no-store"));
    assert_eq!(daily.header("x-robots-tag"), "noindex");
    let rows = cells(&daily.text);
    assert_eq!(rows[0][..3], ["date", "domain", "keyword"]);
    assert_eq!(
        (rows.len(), rows[1][1].as_str(), rows[1][5..7].to_vec()),
        (2, "example.com", vec!["1".to_owned(), "8".to_owned()])
    );
    let models = cells(&read(&counts, "models.csv").await.text);
    assert_eq!(
        (models[0][5].as_str(), models[1][5].as_str()),
        ("model", "model-1-latest")
    );
    // Sources and questions are a right of their own.
    for table in ["sources.csv", "questions.csv", "other.csv"] {
        assert_eq!(read(&counts, table).await.status, 404, "{table}");
    }
    let questions = cells(&read(&detail, "questions.csv").await.text);
    let answers: u32 = questions[1..]
        .iter()
        .map(|row| row[7].parse::<u32>().unwrap())
        .sum();
    assert_eq!(answers, 8);
    let sources = read(&detail, "sources.csv").await;
    assert!(
        sources.text.starts_with("date,domain,scanId,site,"),
        "{}",
        sources.text
    );
    // The key opens nothing else, and no other key opens a feed.
    let as_key = Holder::with(&server, counts["key"].as_str().unwrap());
    assert_eq!(as_key.send(Method::GET, &path, None).await.status, 401);
    assert_eq!(read(&json!({"key": holder.key}), "daily.csv").await.status, 404);
    let unknown = read(&json!({"key": "ibidf_unknown"}), "daily.csv").await;
    assert_eq!(
        (unknown.status.as_u16(), &unknown.json()["instance"]),
        (404, &json!("/feed/"))
    );
    assert!(!unknown.text.contains("ibidf_unknown"));
    // Its last use is shown, it is revoked alone, and 60 requests an hour are taken.
    let listed = holder.get(&keys).await;
    let listed = listed["feedKeys"].as_array().unwrap().clone();
    assert!(
        listed
            .iter()
            .all(|key| key["usedAt"].is_string() && key.get("key").is_none())
    );
    let mut last = read(&counts, "daily.csv").await;
    for _ in 0..60 {
        last = read(&counts, "daily.csv").await;
    }
    assert_eq!(last.status, 429, "{}", last.text);
    assert!(last.header("retry-after").parse::<u32>().unwrap() > 60);
    let revoked = format!("{keys}/{}", counts["feedKeyId"].as_str().unwrap());
    assert_eq!(holder.send(Method::DELETE, &revoked, None).await.status, 200);
    assert_eq!(holder.send(Method::DELETE, &revoked, None).await.status, 404);
    assert_eq!(read(&counts, "daily.csv").await.status, 404);
    assert_eq!(read(&detail, "daily.csv").await.status, 200);

    // All answers in one table.
    let table = holder
        .send(Method::GET, &format!("{path}/answers.csv"), None)
        .await;
    let rows = cells(&table.text);
    assert_eq!(
        rows[0],
        [
            "domain", "date", "scanId", "place", "question", "model", "class", "rank", "score", "url"
        ]
    );
    assert_eq!((rows.len(), rows[1][2].as_str()), (9, scan.as_str()));
    assert!(rows[1][4].contains(' '), "{:?}", rows[1]);
    let book = holder
        .send(Method::GET, &format!("{path}/answers.xlsx"), None)
        .await;
    assert_eq!(book.status, 200);
    assert!(book.header("content-disposition").contains("answers.xlsx"));
    assert!(book.text.starts_with("PK"));
}

#[tokio::test]
async fn a_program_of_a_project_gets_signed_events() {
    let server = server();
    let holder = Holder::agency(&server, "program@example.com", 5);
    let (path, _) = holder.make().await;
    let list = format!("{path}/destinations");
    for (body, pointer) in [
        (
            json!({"kind": "webhook", "address": "https://127.0.0.1/hook"}),
            "/address",
        ),
        (
            json!({"kind": "webhook", "address": "https://10.0.0.1/hook"}),
            "/address",
        ),
        (
            json!({"kind": "webhook", "address": "https://example.com/", "digest": "weekly"}),
            "/digest",
        ),
        (
            json!({"kind": "webhook", "address": "https://example.com/", "of": "all"}),
            "/of",
        ),
    ] {
        assert_eq!(pointers(&holder.post(&list, &body).await), [pointer], "{body}");
    }
    assert_eq!(holder.get(&list).await["destinations"], json!([]));
}

/// The form of a project with these places, beside entries that fit.
fn filled<'a>(place: &'a str, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let given = |name: &str| more.iter().any(|(known, _)| *known == name);
    let all = [
        ("name", "Aigua Clara"),
        ("domain", "example.com"),
        ("keyword", "plumber"),
        ("location", place),
        ("models", "model-1-latest"),
        ("questionsFrom", "templates"),
        ("questionsPerModel", "10"),
        ("every", "1"),
        ("unit", "weeks"),
        ("weekday", "monday"),
        ("at", "09:00"),
        ("timeZone", "UTC"),
    ];
    let rest = all.into_iter().filter(|(name, _)| !given(name));
    rest.chain(more.iter().copied()).collect()
}

#[tokio::test]
async fn what_the_form_shows_is_what_the_api_makes_and_what_runs() {
    let server = server();
    let holder = Holder::agency(&server, "form@example.com", 5);
    let mut member = Member::stranger(&server);
    assert_eq!(member.sign_in("form@example.com", PASSWORD).await.status, 303);
    let plain = json!({"name": "Aigua Clara", "domain": "example.com", "keyword": "plumber",
        "location": "Leeds, United Kingdom", "models": ["model-1-latest"]});
    let dry = holder.post(&format!("{PROJECTS}?dryRun=true"), &plain).await;
    let forecast = &dry.json()["forecast"];
    let number = |name: &str| forecast[name].as_u64().unwrap();
    assert_eq!(number("answersARun") - number("answersInTowns"), 11, "{forecast}");
    let form = "/workspace/projects";
    let looked = member
        .upload(form, &filled("Leeds, United Kingdom", &[("step", "look")]), None)
        .await;
    assert_eq!(looked.status, 200, "{}", looked.text);
    assert!(
        looked.text.contains(forecast["summary"].as_str().unwrap()),
        "{forecast}"
    );
    assert!(looked.text.contains("<bdi>Leeds, England, United Kingdom</bdi>"));
    let made = member
        .upload(form, &filled("Leeds, United Kingdom", &[("step", "save")]), None)
        .await;
    assert_eq!(made.status, 303, "{}", made.text);
    let path = made.header("location").replace("/workspace/", "/api/v2/");
    let order = &holder.get(&path).await["order"];
    let same = holder.post(PROJECTS, &plain).await.json();
    let same = holder
        .get(&format!("{PROJECTS}/{}", same["projectId"].as_str().unwrap()))
        .await;
    assert_eq!(&same["order"], order);
}

#[tokio::test]
async fn a_place_with_namesakes_is_asked_about_and_a_branded_question_told() {
    let server = server();
    let _holder = Holder::agency(&server, "places@example.com", 5);
    let mut member = Member::stranger(&server);
    assert_eq!(member.sign_in("places@example.com", PASSWORD).await.status, 303);
    let form = "/workspace/projects";
    let more = [("places", "Springfield"), ("step", "save")];
    let asked = member
        .upload(form, &filled("Leeds, United Kingdom", &more), None)
        .await;
    assert_eq!(asked.status, 422, "{}", asked.text);
    assert!(asked.text.contains("Place 1: Choose which place you mean."));
    let choice = asked.text.split("name=\"place-1\" value=\"").nth(2).unwrap();
    let choice = choice.split('"').next().unwrap();
    let more = [("places", "Springfield"), ("place-1", choice), ("step", "save")];
    let made = member
        .upload(form, &filled("Leeds, United Kingdom", &more), None)
        .await;
    assert_eq!(made.status, 303, "{}", made.text);
    // The settings hold what was chosen, and change it.
    let settings = format!("{}/settings", made.header("location"));
    let page = member.open(&settings).await;
    assert!(page.text.contains(choice), "{}", page.text);
    let more = [
        ("places", choice),
        ("name", "Renamed"),
        ("every", "2"),
        ("step", "save"),
    ];
    let changed = member
        .upload(&settings, &filled("Leeds, United Kingdom", &more), None)
        .await;
    assert_eq!(changed.status, 303, "{}", changed.text);
    let page = member.open(changed.header("location")).await;
    assert!(
        page.text.contains("Renamed") && page.text.contains("very 2 weeks"),
        "{}",
        page.text
    );
    let more = [("places", "Nowhereville Xyz"), ("every", "0"), ("step", "save")];
    let refused = member
        .upload(&settings, &filled("Leeds, United Kingdom", &more), None)
        .await;
    assert_eq!(refused.status, 422);
    assert!(
        refused.text.contains("Enter a whole number: at most 168 hours"),
        "{}",
        refused.text
    );
    let own = [
        ("questionsFrom", "own"),
        ("questions", "Is Example a good plumber?\nWho is a good plumber?"),
        ("brandNames", "Example"),
        ("step", "look"),
    ];
    let told = member.upload(form, &filled("", &own), None).await;
    assert!(
        told.text.contains("counted apart and in no score"),
        "{}",
        told.text
    );
    let only = [
        ("questionsFrom", "own"),
        ("questions", "Is Example a good plumber?"),
        ("step", "look"),
    ];
    let refused = member.upload(form, &filled("", &only), None).await;
    assert!(
        refused
            .text
            .contains("Every question names the website; add one that a stranger would ask"),
        "{}",
        refused.text
    );
}
