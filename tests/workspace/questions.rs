//! The page "Questions": written, imported, proposed, and asked by a scan.

use crate::workspace;
use ibid_tests::member::Member;
use serde_json::json;

const PATH: &str = "/workspace/questions";

async fn made(member: &Member) -> String {
    let pairs = [
        ("keyword", "plumber"),
        ("domain", "aquafix.com"),
        ("questions", "Who fixes taps?\n\n best plumber {place} \n"),
    ];
    let made = member.post(PATH, &pairs).await;
    assert_eq!(made.status, 303, "{}", made.text);
    made.header("location").to_owned()
}

#[tokio::test]
async fn a_set_is_written_changed_and_asked_without_javascript() {
    let server = workspace();
    let member = Member::with_credits(&server, "ada@example.com", 5).await;
    let faulty = member
        .post(
            PATH,
            &[("keyword", "plumber"), ("questions", "see https://a.example")],
        )
        .await;
    assert_eq!(faulty.status, 422);
    assert!(faulty.text.contains("see https://a.example"));
    let path = made(&member).await;
    let page = member.open(&path).await;
    assert!(page.text.contains("Version 1: 2 questions") && page.text.contains("Who fixes taps?"));
    assert!(member.open(PATH).await.text.contains(&path));
    let write = |version: &'static str| {
        [
            ("version", version),
            ("questions", "Who fixes taps?\nWho is cheap?"),
        ]
    };
    let written = member.post(&format!("{path}/write"), &write("1")).await;
    assert_eq!(written.status, 303, "{}", written.text);
    let page = member.open(&path).await;
    assert!(
        page.text
            .contains("Version 2: 2 questions, 1 changed, 1 comparable"),
        "{}",
        page.text
    );
    let late = member.post(&format!("{path}/write"), &write("1")).await;
    assert!(
        late.status == 422 && late.text.contains("version 2 meanwhile"),
        "{}",
        late.text
    );
    let id = path.rsplit('/').next().unwrap();
    let order = json!({"domain": "aquafix.com", "keyword": "plumber", "questionSet": id, "models": ["model-1-latest"], "rings": []});
    let planned = member.app("/api/app/plan", &order).await.json();
    assert_eq!(planned["generated"].as_array().unwrap().len(), 2, "{planned}");
    let deleted = member.post(&format!("{path}/delete"), &[]).await;
    assert_eq!(deleted.status, 303);
    assert_eq!(member.open(&path).await.status, 404);
}

#[tokio::test]
async fn a_file_is_shown_line_by_line_before_it_is_stored() {
    let server = workspace();
    let member = Member::with_credits(&server, "ada@example.com", 5).await;
    let path = made(&member).await;
    let file = b"Who is open on Sunday?\nIs AquaFix good?\n";
    let import = format!("{path}/import");
    let shown = member
        .upload(&import, &[("dryRun", "true")], Some(("file", file)))
        .await;
    assert!(
        shown.text.contains("will be added") && shown.text.contains("leads the answers to it"),
        "{}",
        shown.text
    );
    assert!(shown.text.contains("Version 1"));
    let stored = member.upload(&import, &[], Some(("file", file))).await;
    assert_eq!(stored.status, 303, "{}", stored.text);
    assert!(member.open(&path).await.text.contains("Version 2: 3 questions"));
}

#[tokio::test]
async fn proposals_are_ticked_and_other_accounts_see_none_of_it() {
    let server = workspace();
    let member = Member::with_credits(&server, "ada@example.com", 5).await;
    let path = made(&member).await;
    assert!(member.open(&path).await.text.contains("proposes for about"));
    let proposed = member
        .post(&format!("{path}/propose"), &[("audience", "landlords")])
        .await;
    assert_eq!(proposed.status, 200, "{}", proposed.text);
    assert!(
        proposed.text.contains("Add the ticked ones") && proposed.text.contains("is an order; people ask")
    );
    let named = member
        .post(&format!("{path}/propose"), &[("offer", "by AquaFix")])
        .await;
    assert_eq!(named.status, 422);
    let add = json!({"text": "Which plumber do locals recommend?", "intent": "choose"}).to_string();
    let accepted = member
        .post(&format!("{path}/accept"), &[("version", "1"), ("add", &add)])
        .await;
    assert_eq!(accepted.status, 303, "{}", accepted.text);
    assert!(
        member
            .open(&path)
            .await
            .text
            .contains("Which plumber do locals recommend?")
    );
    let other = Member::with_credits(&server, "eve@example.com", 5).await;
    assert_eq!(other.open(&path).await.status, 404);
    assert_eq!(other.post(&format!("{path}/delete"), &[]).await.status, 404);
}
