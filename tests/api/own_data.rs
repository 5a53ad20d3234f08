//! What a website's own data say: exports and logs imported into a project, by the API and by its page.

use crate::projects::{Holder, PROJECTS, all_ended, project, server};
use flate2::Compression;
use flate2::write::GzEncoder;
use ibid_store::BotAddresses;
use ibid_tests::member::PASSWORD;
use ibid_tests::{Member, Reply};
use reqwest::Method;
use serde_json::{Value, json};
use std::io::Write;

const OWNER: &str = "owner@example.com";
const DAYS: &str = "example.com_AIPerformanceOverviewStats_9_2_2026.csv";

async fn upload(holder: &Holder, path: &str, query: &str, file: impl AsRef<[u8]>) -> Reply {
    let request = holder
        .client
        .bare(Method::POST, &format!("{path}/own-data?{query}"));
    Reply::of(request.bearer_auth(&holder.key).body(file.as_ref().to_vec())).await
}

async fn imported(holder: &Holder, path: &str, name: &str, file: impl AsRef<[u8]>) -> Value {
    let reply = upload(holder, path, &format!("name={name}"), file).await;
    assert_eq!(reply.status, 200, "{name}: {}", reply.text);
    reply.json()
}

async fn made(holder: &Holder) -> String {
    let made = holder.post(PROJECTS, &project()).await;
    assert_eq!(made.status, 201, "{}", made.text);
    made.header("location").to_owned()
}

fn days_of(own: &Value, source: &str, measure: &str) -> Value {
    let series = own["days"].as_array().unwrap().iter();
    let mut found = series.filter(|series| series["source"] == source && series["measure"] == measure);
    let days = found.next().map(|series| &series["days"]);
    let days = days.and_then(Value::as_array).into_iter().flatten();
    days.map(|day| json!([day["day"], day["value"]])).collect()
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn log_line(day: u32, address: &str, path: &str, agent: &str) -> String {
    format!(
        "{address} - - [{day:02}/Oct/2026:10:00:00 +0000] \"GET {path} HTTP/1.1\" 200 512 \"-\" \"{agent}\"\n"
    )
}

#[tokio::test]
async fn a_file_is_checked_then_imported_once_and_overlapping_days_merge() {
    let server = server();
    let holder = Holder::agency(&server, OWNER, 50);
    let path = made(&holder).await;
    let first = "Date,Citations\n8/1/2026 12:00:00 AM,4\n8/2/2026 12:00:00 AM,6\n8/3/2026 12:00:00 AM,many\n";
    let checked = upload(&holder, &path, &format!("name={DAYS}&dryRun=true"), first)
        .await
        .json();
    assert_eq!(
        (&checked["outcome"], &checked["importId"]),
        (&json!("checked"), &Value::Null)
    );
    assert_eq!(
        (&checked["file"]["read"], &checked["file"]["used"]),
        (&json!(3), &json!(2))
    );
    assert_eq!(checked["file"]["refused"]["counts"], json!({"number": 1}));
    assert_eq!(
        checked["file"]["refused"]["first"],
        json!([{"line": 4, "reason": "number"}])
    );
    assert_eq!(
        holder.get(&format!("{path}/own-data")).await["imports"],
        json!([])
    );

    let one = imported(&holder, &path, DAYS, first).await;
    assert_eq!(one["outcome"], "imported");
    let before = holder.get(&format!("{path}/own-data")).await;
    let again = imported(&holder, &path, DAYS, first).await;
    assert_eq!(again["outcome"], "unchanged");
    assert!(again["importedBefore"].is_string());
    assert_eq!(holder.get(&format!("{path}/own-data")).await, before);
    let listed = &before["imports"][0];
    assert_eq!(
        (
            &listed["name"],
            &listed["sources"],
            &listed["from"],
            &listed["to"],
            &listed["rows"]
        ),
        (
            &json!(DAYS),
            &json!(["bing_ai"]),
            &json!("2026-08-01"),
            &json!("2026-08-02"),
            &json!(2)
        )
    );

    // The export that was made later counts, whatever the order of the imports.
    let later = "example.com_AIPerformanceOverviewStats_9_9_2026.csv";
    let earlier = "example.com_AIPerformanceOverviewStats_9_1_2026.csv";
    imported(
        &holder,
        &path,
        later,
        "Date,Citations\n8/2/2026 12:00:00 AM,9\n8/4/2026 12:00:00 AM,1\n",
    )
    .await;
    imported(
        &holder,
        &path,
        earlier,
        "Date,Citations\n8/1/2026 12:00:00 AM,99\n8/4/2026 12:00:00 AM,99\n",
    )
    .await;
    let own = holder.get(&format!("{path}/own-data")).await;
    assert_eq!(
        days_of(&own, "bing_ai", "citations"),
        json!([["2026-08-01", 4.0], ["2026-08-02", 9.0], ["2026-08-04", 1.0]])
    );
    let gone = format!("{path}/own-data/{}", one["importId"].as_str().unwrap());
    let left = holder.send(Method::DELETE, &gone, None).await;
    assert_eq!(
        (
            left.status.as_u16(),
            left.json()["imports"].as_array().unwrap().len()
        ),
        (200, 2)
    );
    assert_eq!(holder.send(Method::DELETE, &gone, None).await.status, 404);
    assert_eq!(
        days_of(&left.json(), "bing_ai", "citations")[0],
        json!(["2026-08-01", 99.0])
    );
    let project = path.rsplit('/').next().unwrap().parse().unwrap();
    let account = ibid_tests::member::account_id(&server, OWNER);
    let reader = ibid_store::ProjectReader::Account(account);
    let scope = server.store.project_scope(reader, project).unwrap().unwrap();
    let page = ibid_store::EventPage {
        most: 99,
        ..Default::default()
    };
    let events = server.store.project_events(&scope, page).unwrap();
    let count = |action: &str| events.iter().filter(|event| event.action == action).count();
    assert_eq!((count("own_data_imported"), count("own_data_deleted")), (3, 1));
    let would_go = holder
        .send(Method::DELETE, &format!("{path}?dryRun=true"), None)
        .await;
    assert!(
        would_go.status == 403 || would_go.json()["ownDataImports"] == 2,
        "{}",
        would_go.text
    );
}

#[tokio::test]
async fn a_total_that_falls_needs_a_yes() {
    let server = server();
    let holder = Holder::agency(&server, OWNER, 50);
    let path = made(&holder).await;
    let named = |day| format!("example.com_AIPerformanceOverviewStats_9_{day}_2026.csv");
    imported(
        &holder,
        &path,
        "example.com_AIPerformanceOverviewStats_8_2_2026.csv",
        "Date,Citations\n8/1/2026 12:00:00 AM,40\n8/2/2026 12:00:00 AM,60\n",
    )
    .await;
    let part = "Date,Citations\n8/1/2026 12:00:00 AM,4\n8/3/2026 12:00:00 AM,5\n";
    let name = format!("name={}", named(9));
    let change = json!([{"source": "bing_ai", "measure": "citations", "of": "website", "before": 100.0, "after": 69.0}]);
    let checked = upload(&holder, &path, &format!("{name}&dryRun=true"), part).await;
    assert_eq!(checked.json()["changes"], change, "{}", checked.text);
    let refused = upload(&holder, &path, &name, part).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(refused.text.contains("100 → 69"), "{}", refused.text);
    let mut member = Member::stranger(&server);
    member.sign_in(OWNER, PASSWORD).await;
    let own = format!(
        "{}/own-data",
        path.replace("/api/v2/projects", "/workspace/projects")
    );
    let texts = [("format", "bing-days"), ("until", "")];
    let read = member.upload(&own, &texts, Some(("file", part.as_bytes()))).await;
    assert!(
        read.text.contains("100 → 69") && read.text.contains("Let these totals fall"),
        "{}",
        read.text
    );
    let id = read.text.split("name=\"import\" value=\"").nth(1).unwrap();
    let id = id.split('"').next().unwrap();
    let without = member.post(&format!("{own}/import"), &[("import", id)]).await;
    assert!(
        without.status == 422 && without.text.contains("Totals fall"),
        "{}",
        without.text
    );
    let accepted = upload(&holder, &path, &format!("{name}&lower=true"), part)
        .await
        .json();
    assert_eq!(
        (&accepted["outcome"], &accepted["changes"]),
        (&json!("imported"), &change)
    );
    // Later days alone ask for nothing.
    let later = "Date,Citations\n8/4/2026 12:00:00 AM,1\n";
    assert_eq!(
        imported(&holder, &path, &named(10), later).await["changes"][0]["after"],
        70.0
    );
}

#[tokio::test]
async fn fetches_are_verified_where_owners_publish_their_addresses() {
    let server = server();
    let holder = Holder::agency(&server, OWNER, 50);
    let path = made(&holder).await;
    let agent = "Mozilla/5.0 (compatible; ChatGPT-User/1.0; +https://openai.com/bot)";
    let log = [
        log_line(1, "192.0.2.7", "/plans?token=secret-1", agent),
        log_line(1, "203.0.113.9", "/plans", agent),
        log_line(
            1,
            "192.0.2.7",
            "/robots-are-welcome",
            "Mozilla/5.0 (compatible; GPTBot/1.1)",
        ),
        "not a line of a log\n".to_owned(),
    ]
    .concat();
    let claimed = imported(&holder, &path, "access.log", &log).await;
    assert_eq!(claimed["file"]["refused"]["counts"], json!({"not_a_log_line": 1}));
    let own = holder.get(&format!("{path}/own-data")).await;
    assert_eq!(
        days_of(&own, "access_log", "user_fetches_claimed"),
        json!([["2026-10-01", 2.0]])
    );
    let addresses = BotAddresses {
        name: "chatgpt-user.json".to_owned(),
        is_program: false,
        document: br#"{"prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]}"#.to_vec(),
        updated_at: 1,
    };
    server.store.put_bot_addresses(&[addresses]).unwrap();
    // The same file, read in another way, takes the place of the first.
    let verified = imported(&holder, &path, "access.log", gz(log.as_bytes())).await;
    assert_eq!(
        verified["file"]["refused"]["counts"],
        json!({"not_a_log_line": 1, "forged": 1})
    );
    let own = holder.get(&format!("{path}/own-data")).await;
    assert_eq!(days_of(&own, "access_log", "user_fetches_claimed"), json!([]));
    assert_eq!(
        days_of(&own, "access_log", "user_fetches_verified"),
        json!([["2026-10-01", 1.0]])
    );
    assert_eq!(
        imported(&holder, &path, "access.log", &log).await["outcome"],
        "replaced"
    );
    let text = holder.get(&format!("{path}/own-data")).await.to_string();
    for secret in ["secret-1", "192.0.2.7", "203.0.113.9"] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn hostile_files_are_refused_and_leave_nothing() {
    let server = server();
    let holder = Holder::agency(&server, OWNER, 50);
    let path = made(&holder).await;
    let two_orders = "Date,Citations\n13/1/2026,4\n1/14/2026,6\n";
    // Members of a gzip file follow each other.
    let bomb = gz(&vec![b'a'; 8 << 20]).repeat(63);
    for (name, file, told) in [
        (
            "unknown.csv",
            &b"Colour,Weight\nred,4\n"[..],
            "the known formats are",
        ),
        (
            "orders.csv",
            two_orders.as_bytes(),
            "the month comes first in line 3",
        ),
        (
            "example.com_AIPageStatsReport_8_5_2026.csv",
            b"Page,Citations\n=cmd|' /C calc'!A0,4\n",
            "holds a formula",
        ),
        (
            "undated.csv",
            b"Page,Citations\nhttps://example.com/,4\n",
            "give the last day",
        ),
        ("twice.csv", b"Date,Citations,Citations\n8/1/2026,4,4\n", "twice"),
        ("bomb.gz", &bomb, "longer than 1 MiB"),
        ("broken.gz", &gz(b"Date,Citations\n8/1/2026,4\n")[..20], "broken"),
        ("picture.csv", b"\x00\x01\x02\x03\xff\xfe\x00", "/file"),
        ("broken.zip", b"PK\x03\x04nothing", "broken"),
        ("old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old spreadsheet"),
        ("empty.csv", b"", "choose a file"),
        (
            "quiet.log",
            log_line(1, "192.0.2.7", "/", "Mozilla/5.0").as_bytes(),
            "no row of it",
        ),
    ] {
        let reply = upload(&holder, &path, &format!("name={name}"), file).await;
        assert_eq!(reply.status, 400, "{name}: {}", reply.text);
        assert!(reply.text.contains(told), "{name}: {}", reply.text);
    }
    let reply = upload(
        &holder,
        &path,
        "name=a.csv&until=soon&format=word",
        "Page,Citations\n",
    )
    .await;
    assert_eq!((reply.status.as_u16(), reply.faults().len()), (400, 2));
    let own = holder.get(&format!("{path}/own-data")).await;
    assert_eq!((&own["imports"], &own["rows"]), (&json!([]), &json!(0)));
}

#[tokio::test]
async fn five_languages_of_search_console_are_read() {
    let server = server();
    let holder = Holder::agency(&server, OWNER, 50);
    let path = made(&holder).await;
    for (name, file) in [
        (
            "en",
            "Top queries,Clicks,Impressions,CTR,Position\nbest plumber,3,40,7.5%,2.1\n",
        ),
        (
            "de",
            "Häufigste Suchanfragen;Klicks;Impressionen;CTR;Position\nbester klempner;3;40;7,5 %;2,1\n",
        ),
        (
            "fr",
            "Requêtes les plus fréquentes,Clics,Impressions,CTR,Position\nmeilleur plombier,3,40,\"7,5 %\",\"2,1\"\n",
        ),
        (
            "es",
            "Consultas principales,Clics,Impresiones,CTR,Posición\nmejor fontanero,3,40,\"7,5 %\",\"2,1\"\n",
        ),
        (
            "ja",
            "上位のクエリ,クリック数,表示回数,CTR,掲載順位\n配管工 おすすめ,3,40,7.5%,2.1\n",
        ),
    ] {
        let reply = upload(&holder, &path, &format!("name={name}.csv&until=2026-08-31"), file).await;
        assert_eq!(reply.status, 200, "{name}: {}", reply.text);
        assert_eq!(
            reply.json()["file"]["formats"],
            json!(["search-queries"]),
            "{name}"
        );
    }
    let own = holder.get(&format!("{path}/own-data")).await;
    let queries = own["queries"].as_array().unwrap();
    assert_eq!(queries.len(), 5, "{queries:?}");
    assert!(
        queries
            .iter()
            .all(|query| query["clicks"] == 3.0 && query["impressions"] == 40.0)
    );
}

#[tokio::test]
async fn daily_rows_are_imported_as_the_command_line_sends_them() {
    let server = server();
    let holder = Holder::agency(&server, OWNER, 50);
    let path = made(&holder).await;
    let rows = format!("{path}/own-data/rows");
    let row = |page: &str, value: f64| json!({"source": "access_log", "day": "2026-10-01", "page": page, "measure": "visits", "value": value});
    let body = json!({"name": "access.log", "rows": [row("example.com/plans", 3.0)]});
    assert_eq!(holder.post(&rows, &body).await.json()["outcome"], "imported");
    assert_eq!(holder.post(&rows, &body).await.json()["outcome"], "unchanged");
    let faulty = json!({"name": "", "rows": [
        row("https://other.example/", 1.0), row("example.com/plans", -1.0), {"source": "moon"},
        {"source": "bing_ai", "from": "2026-10-09", "to": "2026-10-01", "measure": "citations", "value": 1},
    ]});
    let refused = holder.post(&rows, &faulty).await;
    assert_eq!(
        (refused.status.as_u16(), refused.faults().len()),
        (400, 5),
        "{}",
        refused.text
    );
    let none = holder.post(&rows, &json!({"name": "x", "rows": []})).await;
    assert_eq!(none.status, 400);
    let own = holder.get(&format!("{path}/own-data")).await;
    assert_eq!(own["imports"].as_array().unwrap().len(), 1);
    assert_eq!(own["pages"][0]["values"][0]["value"], 3.0);
}

#[tokio::test]
async fn a_person_reads_a_file_imports_it_and_takes_queries_as_questions() {
    let server = server();
    let holder = Holder::agency(&server, OWNER, 50);
    let path = made(&holder).await;
    let started = holder.send(Method::POST, &format!("{path}/runs"), None).await;
    assert_eq!(started.status, 202, "{}", started.text);
    all_ended(&server, &holder, &path).await;
    let mut member = Member::stranger(&server);
    member.sign_in(OWNER, PASSWORD).await;
    let page = path.replace("/api/v2/projects", "/workspace/projects");
    let own = format!("{page}/own-data");
    let empty = member.open(&own).await.text;
    assert!(
        empty.contains("Upload a report of Bing AI Performance"),
        "{empty}"
    );
    for absent in [
        "By day",
        "By page",
        "Do your samples agree",
        "<h2 id=\"imports-title\"",
    ] {
        assert!(!empty.contains(absent), "{absent}");
    }

    let pages: String = (0..9)
        .map(|n| format!("https://www.example.com/guide/{n},{}\n", 9 - n))
        .collect();
    let report = format!("Page,Citations\n{pages}https://example.org/,3\n");
    let texts = [("until", "2026-08-31"), ("format", "")];
    let read = member
        .upload(&own, &texts, Some(("file", report.as_bytes())))
        .await;
    assert_eq!(read.status, 200, "{}", read.text);
    assert!(
        read.text.contains("is about another website") && read.text.contains("9 daily rows"),
        "{}",
        read.text
    );
    assert_eq!(
        holder.get(&format!("{path}/own-data")).await["imports"],
        json!([])
    );
    let id = read.text.split("name=\"import\" value=\"").nth(1).unwrap();
    let id = id.split('"').next().unwrap().to_owned();
    let done = member.post(&format!("{own}/import"), &[("import", &id)]).await;
    assert_eq!(
        (done.status.as_u16(), done.header("location")),
        (303, &*format!("{own}?done=imported"))
    );
    let twice = member.post(&format!("{own}/import"), &[("import", &id)]).await;
    assert!(
        twice.status == 422 && twice.text.contains("is not kept any more"),
        "{}",
        twice.text
    );
    let queries =
        "Grounding Query,Citations\nwho repairs boilers on sundays <b>,7\nexample.com opening hours,2\n";
    imported(
        &holder,
        &path,
        "example.com_AISearchQueriesReport_8_5_2026.csv",
        queries,
    )
    .await;

    let shown = member.open(&format!("{own}?done=imported")).await.text;
    for part in [
        "The file is imported.",
        "Do your samples agree?",
        "example.com/guide/0",
        "Citations at Bing",
        "who repairs boilers on sundays &lt;b&gt;",
        OWNER,
    ] {
        assert!(shown.contains(part), "{part}");
    }
    let api = holder.get(&format!("{path}/own-data")).await;
    assert!(api["sampledAnswers"].as_u64().unwrap() >= 8);
    assert_eq!(api["comparisons"][0]["of"], "pages");
    let taken = member
        .post(
            &format!("{own}/questions"),
            &[
                ("query", "who repairs boilers on sundays"),
                ("query", "example.com opening hours"),
            ],
        )
        .await;
    assert_eq!(taken.status, 200, "{}", taken.text);
    assert!(
        taken.text.contains("repairs boilers on sundays"),
        "{}",
        taken.text
    );
    assert!(holder.get(&format!("{path}/questions")).await["questionSet"].is_null());
    let import = holder.get(&format!("{path}/own-data")).await["imports"][0]["importId"].clone();
    let deleted = member
        .post(&format!("{own}/delete"), &[("import", import.as_str().unwrap())])
        .await;
    assert_eq!(deleted.status, 303);
    let gone = member
        .post(&format!("{own}/delete"), &[("import", import.as_str().unwrap())])
        .await;
    assert_eq!(gone.status, 404);
    let nothing = member.upload(&own, &texts, None).await;
    assert!(
        nothing.status == 422 && nothing.text.contains("hoose a file"),
        "{}",
        nothing.text
    );
}
