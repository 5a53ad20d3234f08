//! The questions and the place of a scan, seen and changed in the form before anything is spent, without scripts.

use crate::{SMALL, workspace};
use ibid_tests::member::Member;
use ibid_tests::{API_KEY, ApiClient, Reply};
use reqwest::Method;
use serde_json::{Value, json};

/// The values of the inputs of a name, ticked ones of boxes.
fn values(page: &str, name: &str) -> Vec<String> {
    let marker = format!("name=\"{name}\"");
    let inputs = page
        .split("<input")
        .skip(1)
        .filter_map(|rest| rest.split('>').next());
    let named = inputs.filter(|input| input.contains(&marker));
    named
        .filter(|input| !input.contains("checkbox") || input.contains(" checked"))
        .map(|input| {
            let value = input.split(" value=\"").nth(1).unwrap_or_default();
            value.split('"').next().unwrap().replace("&#39;", "'")
        })
        .collect()
}

fn form(more: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    SMALL.into_iter().chain(more.iter().copied()).collect()
}

#[tokio::test]
async fn defaults_are_the_same_on_every_surface() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 0).await;
    let order = json!({"domain": "example.com", "keyword": "plumber", "location": "Leeds, UK"});
    let request = ApiClient::of(&server).bare(Method::POST, "/api/v1/plan");
    let v1 = Reply::of(request.bearer_auth(API_KEY).json(&order)).await.json();
    let app = ada.app("/api/app/plan", &order).await.json();
    assert_eq!(app["plan"], v1);
    // The form sends its own entries, which have to be the same.
    let empty = ada.open("/workspace").await.text;
    let mut entries: Vec<(String, String)> = Vec::new();
    for name in [
        "models",
        "rings",
        "questionsPerModel",
        "keywordsPerRing",
        "queriesPerKeyword",
    ] {
        entries.extend(
            values(&empty, name)
                .into_iter()
                .map(|value| (name.to_owned(), value)),
        );
    }
    for name in ["domain", "keyword", "location"] {
        entries.push((name.to_owned(), order[name].as_str().unwrap().to_owned()));
    }
    entries.push(("show".to_owned(), "questions".to_owned()));
    let entries: Vec<_> = entries
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let shown = ada.post("/workspace/scans", &entries).await;
    assert_eq!(shown.status, 200);
    let count = format!("<dd data-plan-questions>{}</dd>", v1["calls"]);
    assert!(shown.text.contains(&count), "{count} in {}", shown.text);
    let core: Vec<Value> = values(&shown.text, "planned")
        .into_iter()
        .map(Value::from)
        .collect();
    let asked: Vec<_> = v1["questions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|question| question["ring"].is_null())
        .collect();
    assert_eq!(
        core,
        asked
            .iter()
            .map(|question| question["question"].clone())
            .collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn the_form_shows_the_questions_and_asks_those_that_are_left() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    let shown = ada
        .post("/workspace/scans", &form(&[("show", "questions")]))
        .await;
    assert_eq!(shown.status, 200);
    let planned = values(&shown.text, "planned");
    assert_eq!((planned.len(), values(&shown.text, "questions").len()), (2, 3));
    assert!(shown.text.contains("1 credit<"), "nothing is spent");
    let mut entries = form(&[("questions", "Who repairs taps?"), ("keep", "1"), ("keep", "2")]);
    let (first, second) = (planned[0].as_str(), planned[1].as_str());
    entries.extend(
        [
            ("questions", second),
            ("questions", ""),
            ("planned", first),
            ("planned", second),
        ]
        .map(|(name, value)| (name, &*value.to_owned().leak())),
    );
    // The first row is switched off, the second is as generated.
    let scan = ada.start(&entries).await;
    ada.listen(&scan).await;
    let answers = ada.open(&format!("{scan}/answers.json")).await.json();
    let asked: Vec<_> = answers["answers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| answer["question"].clone())
        .collect();
    assert_eq!(asked, [json!(second)]);
    // The next form remembers which question was left out.
    let id = scan.rsplit('/').next().unwrap();
    let again = ada.open(&format!("/workspace?again={id}")).await.text;
    assert_eq!(values(&again, "keep"), ["1", "2"]);
}

#[tokio::test]
async fn a_place_in_doubt_is_confirmed_before_a_credit_is_spent() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    for (location, label, choice) in [
        (
            "Barclona, Spain",
            "Barcelona, Catalonia, Spain",
            "Barcelona, Catalonia, Spain",
        ),
        ("Newcastle", "Newcastle, New South Wales, Australia", "Newcastle"),
    ] {
        let asked = ada
            .post("/workspace/scans", &form(&[("location", location)]))
            .await;
        assert_eq!(asked.status, 409, "{location}");
        assert!(asked.text.contains("choose the place first") && asked.text.contains("1 credit<"));
        let button = format!("name=\"place\" value=\"{choice}\"><bdi>{label}</bdi>");
        assert!(asked.text.contains(&button), "{button} in {}", asked.text);
        // A click fills the place in and starts nothing.
        let chosen = ada
            .post(
                "/workspace/scans",
                &form(&[("location", location), ("place", choice.to_owned().leak())]),
            )
            .await;
        assert_eq!(chosen.status, 200);
        assert_eq!(values(&chosen.text, "location"), [choice]);
        assert_eq!(values(&chosen.text, "confirmed"), [choice]);
        assert!(chosen.text.contains("1 credit<"));
    }
    let other = ada
        .post(
            "/workspace/scans",
            &form(&[("location", "Newcastle"), ("confirmed", "Leeds")]),
        )
        .await;
    assert_eq!(other.status, 409);
    let unknown = ada
        .post("/workspace/scans", &form(&[("location", "Houston, Florida")]))
        .await;
    assert_eq!(unknown.status, 400);
    assert!(
        unknown.text.contains("value=\"Houston, Texas, United States\""),
        "{}",
        unknown.text
    );
    ada.start(&form(&[("location", "Newcastle"), ("confirmed", "Newcastle")]))
        .await;
}
