//! Answers that were given elsewhere: a project from the export of another tracker, its pieces, and what is refused.

use crate::projects::{Holder, PROJECTS, pointers, project, server};
use flate2::Compression;
use flate2::write::GzEncoder;
use ibid_tests::member::PASSWORD;
use ibid_tests::{Database, Member, Reply, Setup};
use reqwest::Method;
use serde_json::{Value, json};
use std::io::Write as _;

fn packed(lines: &[Value]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    for line in lines {
        writeln!(packed, "{line}").unwrap();
    }
    packed.finish().unwrap()
}

/// An answer that cites the website, or one that does not.
fn answer(line: usize, day: &str, cites: bool) -> Value {
    let text = match cites {
        true => "Ask example.com, they are sturdy.",
        false => "I would ask Bolt & Co.",
    };
    json!({"line": line, "day": day, "source": "ChatGPT", "question": format!("Best plumber number {}?", line % 3),
        "answer": text})
}

fn import(stratum: &str, hash: char, parts: usize) -> Value {
    json!({"stratum": stratum, "tool": "peec", "name": "peec.csv", "sha256": hash.to_string().repeat(64), "parts": parts,
        "read": 9, "refused": {"date": 1}, "refusedLines": [{"line": 7, "reason": "date"}], "unread": ["Rank"]})
}

fn moved() -> Value {
    let mut project = project();
    project["questions"] =
        json!([{"text": "Best plumber number 1?", "tags": ["local"]}, "Best plumber number 2?"]);
    project.as_object_mut().unwrap().remove("questionsPerModel");
    json!({"project": project, "rivals": [{"name": "Bolt & Co", "state": "pinned", "domains": ["bolt.example"]}],
        "import": import("tracker", 'a', 2)})
}

async fn put(holder: &Holder, path: &str, number: u32, lines: &[Value]) -> Reply {
    put_bytes(holder, path, number, packed(lines)).await
}

async fn put_bytes(holder: &Holder, path: &str, number: u32, body: Vec<u8>) -> Reply {
    let path = format!("{path}/parts/{number}");
    let request = holder.client.bare(Method::PUT, &path).bearer_auth(&holder.key);
    Reply::of(request.header("Content-Type", "application/gzip").body(body)).await
}

/// The document without what differs between two imports.
fn same(mut document: Value) -> Value {
    for member in ["importId", "createdAt", "endedAt"] {
        document.as_object_mut().unwrap().remove(member);
    }
    document
}

#[tokio::test]
async fn a_project_moves_in_with_its_history_in_pieces() {
    let server = server();
    let holder = Holder::agency(&server, "move@example.com", 5);
    let path = format!("{PROJECTS}/imports");
    let made = holder.post(&path, &moved()).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let (project, begun) = (made.json()["project"].clone(), made.json()["import"].clone());
    assert_eq!(
        (&project["status"], &begun["state"], &begun["missing"]),
        (&json!("paused"), &json!("receiving"), &json!([1, 2]))
    );
    assert!(project["questionSet"].is_string(), "{project}");
    let one = format!("{PROJECTS}/{}", project["projectId"].as_str().unwrap());
    let rivals = holder.get(&format!("{one}/rivals")).await;
    assert_eq!(rivals["rivals"][0]["name"], "Bolt & Co");

    let imports = format!("{one}/imports");
    let of = format!("{imports}/{}", begun["importId"].as_str().unwrap());
    let second = [answer(4, "2026-08-02", false), answer(5, "2026-08-02", true)];
    for _ in 0..2 {
        let put = put(&holder, &of, 2, &second).await;
        assert_eq!(put.status, 200, "{}", put.text);
        assert_eq!(
            (&put.json()["missing"], &put.json()["answers"]),
            (&json!([1]), &json!(2))
        );
    }
    let other = put(&holder, &of, 2, &second[..1]).await;
    assert_eq!(
        (other.status.as_u16(), pointers(&other)),
        (400, vec!["/part".to_owned()])
    );
    assert_eq!(put(&holder, &of, 3, &second).await.status, 404);
    // The same file again finds its project and the pieces that came.
    let again = holder.post(&path, &moved()).await;
    assert_eq!(
        (again.status.as_u16(), &again.json()["import"]["missing"]),
        (200, &json!([1]))
    );
    assert_eq!(again.json()["project"]["projectId"], project["projectId"]);

    let first = [
        answer(2, "2026-08-01", true),
        answer(3, "2026-08-01", true),
        answer(6, "2026-08-02", true),
    ];
    let ended = put(&holder, &of, 1, &first).await.json();
    assert_eq!(
        (&ended["state"], &ended["answers"]),
        (&json!("complete"), &json!(5))
    );
    let days = ended["days"].as_array().unwrap();
    let day = |at: usize| {
        (
            days[at]["answers"].as_u64().unwrap(),
            days[at]["cited"].as_u64().unwrap(),
        )
    };
    assert_eq!((days.len(), day(0), day(1)), (2, (2, 2), (3, 2)));
    assert!(days[1]["interval"]["low"].as_f64() < days[1]["score"].as_f64());
    // English by the keyword; two of three answers name the website.
    assert_eq!(days[1]["readingError"], json!(7.8));
    assert!(days[1]["samplingInterval"]["low"].as_f64() >= days[1]["interval"]["low"].as_f64());
    assert_eq!(ended["sources"][0]["source"], "ChatGPT");
    assert_eq!(ended["refusedLines"][0]["line"], 7);
    assert_eq!(holder.get(&of).await, ended);
    // History of others is no run: there is no level, no score, no run.
    let project = holder.get(&one).await;
    assert_eq!(
        (&project["level"], &project["score"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(holder.get(&format!("{one}/runs")).await["runs"], json!([]));
    let told = holder
        .send(Method::DELETE, &format!("{one}?dryRun=true"), None)
        .await;
    assert_eq!(told.json()["imports"], 1);

    // What is deleted with its project comes anew.
    assert_eq!(holder.send(Method::DELETE, &one, None).await.status, 200);
    let anew = holder.post(&path, &moved()).await;
    assert_eq!(
        (anew.status.as_u16(), &anew.json()["import"]["missing"]),
        (201, &json!([1, 2]))
    );
    assert_ne!(anew.json()["project"]["projectId"], project["projectId"]);
}

#[tokio::test]
async fn a_server_that_ends_between_pieces_loses_none() {
    let database = Database::file();
    let lines = |from: usize| {
        [
            answer(from, "2026-08-01", true),
            answer(from + 1, "2026-08-03", false),
        ]
    };
    let mut documents = Vec::new();
    for restarts in [false, true] {
        let open = |database: &Database| Setup::default().workspace().store(database.open()).spawn();
        let email = format!("{restarts}@example.com");
        let mut server = open(&database);
        let mut holder = Holder::agency(&server, &email, 5);
        let made = holder.post(&format!("{PROJECTS}/imports"), &moved()).await.json();
        let of = format!(
            "{PROJECTS}/{}/imports/{}",
            made["project"]["projectId"].as_str().unwrap(),
            made["import"]["importId"].as_str().unwrap()
        );
        assert_eq!(put(&holder, &of, 2, &lines(5)).await.status, 200);
        if restarts {
            let key = holder.key.clone();
            drop(server);
            server = open(&database);
            holder = Holder::with(&server, &key);
        }
        documents.push(same(put(&holder, &of, 1, &lines(2)).await.json()));
        drop(server);
    }
    assert_eq!(documents[0]["state"], "complete");
    assert_eq!(documents[0], documents[1]);
}

#[tokio::test]
async fn captures_have_a_stratum_of_their_own() {
    let server = server();
    let holder = Holder::agency(&server, "captures@example.com", 5);
    let made = holder.post(PROJECTS, &project()).await.json();
    let path = format!("{PROJECTS}/{}/imports", made["projectId"].as_str().unwrap());
    let mut ids = Vec::new();
    for stratum in ["tracker", "interface"] {
        let begun = holder.post(&path, &import(stratum, 'b', 1)).await;
        assert_eq!(begun.status, 200, "{}", begun.text);
        assert_eq!(begun.json()["stratum"], stratum);
        ids.push(begun.json()["importId"].as_str().unwrap().to_owned());
    }
    assert_ne!(ids[0], ids[1]);
    let recut = holder.post(&path, &import("tracker", 'b', 2)).await;
    assert_eq!(pointers(&recut), ["/parts"]);
    let gone = holder
        .send(Method::DELETE, &format!("{path}/{}", ids[0]), None)
        .await;
    assert_eq!(gone.json()["imports"].as_array().unwrap().len(), 1);
    assert_eq!(
        holder
            .send(Method::GET, &format!("{path}/{}", ids[0]), None)
            .await
            .status,
        404
    );
}

#[tokio::test]
async fn a_bad_piece_stores_nothing_and_names_its_line() {
    // Large bodies are made before the first request: an idle connection is closed.
    let mut bomb = GzEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..70 {
        bomb.write_all(&vec![b' '; 1_000_000]).unwrap();
    }
    let bomb = bomb.finish().unwrap();
    let many: Vec<Value> = (0..10_001).map(|line| answer(line, "2026-08-01", true)).collect();
    let many = packed(&many);
    let server = server();
    let holder = Holder::agency(&server, "bad@example.com", 5);
    let made = holder.post(PROJECTS, &project()).await.json();
    let path = format!("{PROJECTS}/{}/imports", made["projectId"].as_str().unwrap());
    let faulty = json!({"stratum": "both", "tool": "", "name": "n", "sha256": "zz", "parts": 1_001});
    let reply = holder.post(&path, &faulty).await;
    assert_eq!(pointers(&reply), ["/stratum", "/tool", "/sha256", "/parts"]);
    let reply = holder
        .post(&format!("{PROJECTS}/imports"), &json!({"project": 1}))
        .await;
    assert_eq!(reply.status, 400);
    let begun = holder.post(&path, &import("interface", 'c', 1)).await.json();
    let of = format!("{path}/{}", begun["importId"].as_str().unwrap());
    let good = answer(2, "2026-08-01", true);
    let with = |member: &str, value: Value| {
        let mut bad = answer(9, "2026-08-01", true);
        bad[member] = value;
        bad
    };
    for (bad, why) in [
        (with("day", json!("2999-01-01")), "in the future"),
        (with("day", json!("1/2/2026")), "line 2 of the piece"),
        (with("answer", json!("")), "required"),
        (with("answer", json!("a\u{0}b")), "NUL"),
        (with("source", json!("s".repeat(501))), "too long"),
        (with("score", json!("high")), "line 2 of the piece"),
        (with("more", json!(1)), "unknown field"),
    ] {
        let reply = put(&holder, &of, 1, &[good.clone(), bad]).await;
        assert_eq!(reply.status, 400, "{why}");
        assert!(reply.text.contains(why), "{why}: {}", reply.text);
    }
    let reply = put_bytes(&holder, &of, 1, many).await;
    assert!(reply.text.contains("more than 10000 answers"), "{}", reply.text);
    let plain = holder
        .send(Method::PUT, &format!("{of}/parts/1"), Some(&good))
        .await;
    assert!(plain.text.contains("no gzip"), "{}", plain.text);
    let reply = put_bytes(&holder, &of, 1, bomb).await;
    assert_eq!(reply.status, 400, "{}", reply.text);
    assert_eq!(holder.get(&of).await["answers"], 0);
}

/// A file with two answers and a row without a readable day.
const EXPORT: &str = "question,model,date,answer,competitors\nBest plumber of Leeds?,ChatGPT,2026-08-01,\"Ask example.com, they are sturdy.\",Bolt\nBest plumber of Leeds?,ChatGPT,2026-08-02,I would ask Bolt.,Bolt\nWho fits taps?,ChatGPT,someday,Bolt.,\n";

/// What a page asks a person to agree on.
fn seen(page: &str) -> String {
    let hash = page.split("name=\"seen\" value=\"").nth(1).unwrap();
    hash.split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_person_moves_in_by_page_after_a_look() {
    let server = server();
    let holder = Holder::agency(&server, "page@example.com", 50);
    let mut member = Member::stranger(&server);
    member.sign_in("page@example.com", PASSWORD).await;
    let form = "/workspace/projects/imports";
    assert!(
        member
            .open(form)
            .await
            .text
            .contains("Move in from another tracker")
    );
    let file = || Some(("file", EXPORT.as_bytes()));
    let looked = member.upload(form, &[("step", "look")], file()).await;
    assert_eq!(looked.status, 200, "{}", looked.text);
    for part in [
        "What was understood",
        "has no date that can be read",
        "Best plumber of Leeds?",
        "Bolt",
    ] {
        assert!(looked.text.contains(part), "{part}: {}", looked.text);
    }
    let before = holder.get(PROJECTS).await["projects"].as_array().unwrap().len();
    let hash = seen(&looked.text);
    let texts = [("step", "save"), ("seen", &*hash), ("domain", "example.com")];
    let faulty = member.upload(form, &texts, file()).await;
    assert_eq!(faulty.status, 422, "{}", faulty.text);
    assert!(faulty.text.contains("Nothing was imported."), "{}", faulty.text);
    // Another file than the one that was seen is shown first.
    let texts = [
        ("step", "save"),
        ("seen", "00"),
        ("domain", "example.com"),
        ("keyword", "plumber"),
    ];
    assert_eq!(member.upload(form, &texts, file()).await.status, 200);
    assert_eq!(
        holder.get(PROJECTS).await["projects"].as_array().unwrap().len(),
        before
    );
    let texts = [
        ("step", "save"),
        ("seen", &*hash),
        ("domain", "example.com"),
        ("keyword", "plumber"),
    ];
    let made = member.upload(form, &texts, file()).await;
    assert_eq!(made.status, 303, "{}", made.text);
    let page = made.header("location").to_owned();
    let again = member.upload(form, &texts, file()).await;
    assert_eq!(again.header("location"), page);

    let project = member.open(&page).await.text;
    assert!(project.contains("Before ibid, from"), "{project}");
    let imports = format!("{page}/imports");
    let listed = member.open(&imports).await.text;
    assert!(
        listed.contains("\u{e6} file")
            && listed.contains("has no date that can be read")
            && !listed.contains("unfinished"),
        "{listed}"
    );
    let looked = member.upload(&imports, &[("kind", "tracker")], None).await;
    assert!(
        looked.status == 422 && looked.text.contains("hoose a file"),
        "{}",
        looked.text
    );

    let rows: String = (0..9)
        .map(|at| {
            format!(
                "{},ChatGPT,Best plumber {} of Leeds?,{}\n",
                jiff::Zoned::now().date(),
                at / 3,
                if at % 3 == 0 {
                    "Ask example.com."
                } else {
                    "Ask Bolt."
                }
            )
        })
        .collect();
    let captures = format!("day,interface,question,answer\n{rows}");
    let file = || Some(("file", captures.as_bytes()));
    let looked = member.upload(&imports, &[("kind", "captures")], file()).await;
    assert!(looked.text.contains("Import the answers"), "{}", looked.text);
    let hash = seen(&looked.text);
    let texts = [("kind", "captures"), ("step", "save"), ("seen", &*hash)];
    let done = member.upload(&imports, &texts, file()).await;
    assert_eq!(done.status, 303, "{}", done.text);
    let own = member.open(&format!("{page}/own-data")).await.text;
    assert!(
        own.contains("itself") && own.contains("33 %") && own.contains("9 answers"),
        "{own}"
    );
    // History and captures are no runs.
    let api = page.replace("/workspace/projects", PROJECTS);
    assert_eq!(holder.get(&format!("{api}/runs")).await["runs"], json!([]));
    let listed = holder.get(&format!("{api}/imports")).await;
    assert_eq!(listed["imports"].as_array().unwrap().len(), 2);
    for import in listed["imports"].as_array().unwrap() {
        let id = import["importId"].as_str().unwrap();
        let gone = member.post(&format!("{imports}/delete"), &[("import", id)]).await;
        assert_eq!(gone.status, 303);
    }
    assert!(!member.open(&page).await.text.contains("Before ibid"));
    assert!(
        !member
            .open(&format!("{page}/own-data"))
            .await
            .text
            .contains("itself")
    );
}
