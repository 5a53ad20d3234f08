//! A key goes into one header and nowhere else; what a provider writes about the account goes nowhere.

use crate::support::{ask, config, question, router};
use ibid_tests::fake_router::{FakeRouter, Reply, Script};
use ibid_tests::logs;
use serde_json::json;
use std::time::Duration;

const MARKER: &str = "sk-or-v1-marker-7f3a9c";

#[tokio::test]
async fn a_key_is_found_in_one_header_only() {
    let logs = logs::capture();
    let fake = FakeRouter::spawn();
    let replies = [
        Reply::text("fine"),
        Reply::error(401, json!({"message": MARKER})),
        Reply::error(402, json!({})),
        Reply::error(429, json!({})),
        Reply::error(500, json!({})),
        Reply::raw(200, "text/html", "<html>"),
        Reply::reset(),
        Reply::truncated(),
        Reply::hang(),
        Reply::raw(302, "text/plain", "").with_header("location", "http://127.0.0.1:1/"),
    ];
    let mut config = config(&fake);
    config.attempt_timeout = Duration::from_millis(60);
    let router = router(&config);
    let mut seen = String::new();
    for (n, reply) in replies.into_iter().enumerate() {
        let model = format!("m{n}");
        fake.on_model(&model, Script::always(reply));
        let answer = ask(&router, MARKER, &question(&model)).await;
        seen.push_str(&format!("{answer:?}\n"));
        if let Err(error) = answer {
            seen.push_str(&format!("{error} {error:#?}\n"));
        }
    }
    seen.push_str(&format!("{router:?} {config:?}"));
    assert!(!seen.contains(MARKER), "{seen}");
    for secret in ["upstream-secret", "user_account_1", "made up"] {
        assert!(!seen.contains(secret), "{secret} in {seen}");
    }

    let lines = logs.lines_with("router.attempt.failed");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("m4") && line.contains("status=500")),
        "{lines:?}"
    );
    assert!(!logs.lines_with("router.attempt.answered").is_empty());
    let text = logs.text();
    for secret in [MARKER, "upstream-secret", "user_account_1", "Which dentist"] {
        let lines = logs.lines_with(secret);
        assert!(!text.contains(secret), "{secret} in the log: {lines:?}");
    }

    let attempts = fake.log().attempts;
    assert!(attempts.len() >= 15, "{}", attempts.len());
    for attempt in attempts {
        assert_eq!(attempt.key.as_deref(), Some(MARKER));
        let elsewhere = attempt.headers.iter().filter(|(name, _)| name != "authorization");
        assert!(elsewhere.clone().all(|(_, value)| !value.contains(MARKER)));
        assert!(!attempt.body.contains(MARKER) && !attempt.target.contains(MARKER));
    }
}
