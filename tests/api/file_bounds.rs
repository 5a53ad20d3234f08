//! Files of strangers: every route that takes one refuses what is too long or too dense before it is built.

use crate::projects::{Holder, PROJECTS, project, server};
use flate2::Compression;
use flate2::write::GzEncoder;
use ibid_model::contract::{ROUTES, Route};
use ibid_tests::{API_KEY, Reply};
use reqwest::Method;
use serde_json::json;
use std::io::Write;

fn gz(pieces: &[&[u8]]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    for piece in pieces {
        packed.write_all(piece).unwrap();
    }
    packed.finish().unwrap()
}

/// Every route with a body that is no JSON: a file. A new one needs a place here.
async fn path_of(holder: &Holder, route: &str) -> String {
    let made = holder.post(PROJECTS, &project()).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let one = made.header("location").to_owned();
    match route {
        "importProject" => format!("{PROJECTS}/archive"),
        "importOwnData" => format!("{one}/own-data?name=access.log"),
        "importOwnRows" => format!("{one}/own-data/rows"),
        "importQuestions" => "/api/v2/question-sets/qs_00000000000000000000000000000000/import".to_owned(),
        "putAnswers" => {
            let import = json!({"stratum": "tracker", "tool": "peec", "name": "a", "sha256": "a".repeat(64), "parts": 1});
            let begun = holder.post(&format!("{one}/imports"), &import).await.json();
            format!("{one}/imports/{}/parts/1", begun["importId"].as_str().unwrap())
        }
        new => unreachable!("{new} takes a file: place it here, with the bounds of its lines"),
    }
}

#[tokio::test]
async fn long_and_dense_lines_are_refused_on_every_route_that_takes_a_file() {
    let server = server();
    let holder = Holder::agency(&server, "bounds@example.com", 50);
    let takes_file =
        |route: &Route| route.body.is_none() && route.errors.iter().any(|error| error.status == 413);
    let routes: Vec<&Route> = ROUTES.iter().copied().filter(|route| takes_file(route)).collect();
    assert!(routes.len() >= 4, "{routes:?}");
    let values = b"[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]],".repeat(1 << 16);
    let start = b"{\"ibidProjectArchive\": 1, \"ids\": [";
    for route in routes {
        let path = path_of(&holder, route.id).await;
        let method: Method = route.method.name().parse().unwrap();
        for (what, file) in [
            ("a line without an end", gz(&[start, &vec![b' '; 24 << 20]])),
            ("a line of values", gz(&[start, &values])),
            ("a second line of values", gz(&[b"{}\n{\"ownData\": [", &values])),
            ("line ends", gz(&[b"{}\n", &vec![b'\n'; 12 << 20]])),
        ] {
            // Question sets belong to the key of the server.
            let key = match route.id {
                "importQuestions" => API_KEY,
                _ => &holder.key,
            };
            // A refusal that leaves a body unread ends its connection, sometimes before its answer is read: then it is sent again.
            let mut answer = None;
            for _ in 0..5 {
                let request = holder.client.bare(method.clone(), &path).bearer_auth(key);
                let request = request
                    .header("Content-Type", "application/gzip")
                    .body(file.clone());
                if let Ok(reply) = request.send().await {
                    answer = Some((reply.status().as_u16(), reply.text().await.unwrap_or_default()));
                    break;
                }
            }
            let (status, text) = answer.expect("an answer");
            // Questions have no gzip: their file is text of 1 MiB, each line of which is answered.
            let wanted: &[u16] = match route.id {
                "importQuestions" => &[200, 400, 404, 413],
                _ => &[400, 413],
            };
            assert!(wanted.contains(&status), "{}, {what}: {status} {text}", route.id);
        }
    }
    let dense = format!("{{\"name\": \"a\", \"rows\": [{}0]}}", "[],".repeat(100_000));
    let path = path_of(&holder, "importOwnRows").await;
    let request = holder.client.bare(Method::POST, &path).bearer_auth(&holder.key);
    let reply = Reply::of(request.header("Content-Type", "application/json").body(dense)).await;
    assert!(reply.text.contains("too many values"), "{}", reply.text);
}
