//! `/api/v2/projects`: made, run, judged, shared and deleted; and no route opens a project of others.

use ibid_model::ProjectId;
use ibid_model::contract::ROUTES;
use ibid_model::contract::route::Method as ContractMethod;
use ibid_service::{KEY_PREFIX, RunOwner, make_organisation_key};
use ibid_store::{OrganisationRole, ProjectRight};
use ibid_tests::member::{PASSWORD, account_id, open_account};
use ibid_tests::{API_KEY, ApiClient, Member, Reply, Setup, TestServer};
use jiff::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};

const PROJECTS: &str = "/api/v2/projects";

/// A holder of a key.
struct Holder {
    client: ApiClient,
    key: String,
}

impl Holder {
    fn with(server: &TestServer, key: &str) -> Self {
        Self {
            client: ApiClient::of(server),
            key: key.to_owned(),
        }
    }

    /// An agency with a budget in dollars, and its key to every project.
    fn agency(server: &TestServer, email: &str, budget: u64) -> Self {
        let account = open_account(server, email, 0);
        let store = &*server.store;
        let organisation = store.own_organisation(account, "Agency", 1).unwrap().unwrap();
        assert!(
            store
                .set_organisation_budget(organisation, budget * 1_000_000, 1)
                .unwrap()
        );
        let key = make_organisation_key(store, organisation, ("CI", ProjectRight::Write), None).unwrap();
        Self::with(server, &key)
    }

    async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> Reply {
        let request = self.client.bare(method, path).bearer_auth(&self.key);
        Reply::of(match body {
            Some(body) => request.json(body),
            None => request,
        })
        .await
    }

    async fn get(&self, path: &str) -> Value {
        let reply = self.send(Method::GET, path, None).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        reply.json()
    }

    async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(Method::POST, path, Some(body)).await
    }

    async fn make(&self) -> (String, Value) {
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
fn pointers(reply: &Reply) -> Vec<String> {
    let faults = reply.faults().into_iter();
    faults
        .map(|fault| fault.split(':').next().unwrap().to_owned())
        .collect()
}

fn project() -> Value {
    json!({"name": "Aigua Clara", "domain": "example.com", "keyword": "plumber", "models": ["model-1-latest"],
        "questionsPerModel": 8})
}

fn server() -> TestServer {
    Setup::default().workspace().spawn()
}

/// Runs a project now, waits for its scan, and judges it. Returns the scan.
async fn run(server: &TestServer, holder: &Holder, path: &str) -> String {
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
    store.set_organisation_budget(organisation, 5_000_000, 1).unwrap();
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
    assert_eq!(
        (&known["accountId"], &known["link"]),
        (&added["accountId"], &Value::Null)
    );
    assert_eq!(holder.get(&people).await["people"].as_array().unwrap().len(), 2);
    let person = format!("{people}/{}", added["accountId"].as_str().unwrap());
    assert_eq!(holder.send(Method::DELETE, &person, None).await.status, 200);
    assert_eq!(holder.send(Method::DELETE, &person, None).await.status, 404);
    let keys = format!("{path}/keys");
    assert_eq!(
        pointers(&holder.post(&keys, &json!({"name": "CI"})).await),
        ["/access"]
    );
    let made = holder.post(&keys, &json!({"name": "CI", "access": "read"})).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let made = made.json();
    let secret = made["key"].as_str().unwrap();
    assert!(secret.starts_with(KEY_PREFIX));
    let listed = holder.get(&keys).await;
    assert_eq!(listed["keys"].as_array().unwrap().len(), 2);
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
        json!({"runs": 1, "reports": 1, "annotations": 1, "rivals": 0, "keys": 0})
    );
    let gone = holder.send(Method::DELETE, &path, None).await;
    assert_eq!((gone.status.as_u16(), gone.json()), (200, told.json()));
    assert_eq!(holder.send(Method::GET, &path, None).await.status, 404);
    assert_eq!(holder.get(PROJECTS).await["projects"], json!([]));
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
    assert_eq!(walked, 22);
    // Every page below a project, by the lines that mount them.
    const MOUNTED: &str = include_str!("../../crates/ibid-http/src/web/projects/mod.rs");
    let stranger = Member::with_credits(&server, "three@example.com", 0).await;
    let mounted = MOUNTED
        .split('"')
        .filter(|text| text.starts_with("/workspace/projects/{id}"));
    let mut pages = 0;
    for path in mounted {
        let path = fill(path)
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
            "delete",
        ] {
            let path = path.replace("{change}", change);
            let reply = stranger.post(&path, &[("sure", "true"), ("name", "x")]).await;
            assert_eq!(reply.status, 404, "{path}");
        }
    }
    assert_eq!(pages, 9);
    // The scan is no scan of other surfaces either.
    for path in [format!("/api/v1/scan/{scan}"), format!("/api/v2/scans/{scan}")] {
        let reply = Holder::with(&server, API_KEY)
            .send(Method::GET, &path, None)
            .await;
        assert_eq!(reply.status, 404, "{path}");
    }
    assert_eq!(owner.get(&path).await["status"], "active");
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
    let organisations = store.organisations(account).unwrap();
    assert_eq!(
        (organisations.len(), organisations[0].role),
        (1, OrganisationRole::Member)
    );
    let listed = store.projects(
        ibid_store::ProjectReader::Account {
            account,
            reads_only: false,
        },
        0,
    );
    let listed = listed.unwrap();
    assert_eq!(listed.len(), 1);
    assert!(path.ends_with(&listed[0].id.to_string()) && !second.ends_with(&listed[0].id.to_string()));
    drop(member);
}
