//! The bot view against servers that cloak, refuse and send shells for scripts.

use crate::server::{Server, answer};
use ibid_audit::Auditor;
use ibid_audit::BOTS;
use ibid_model::result::{AuditNote, BotOutcome, BotReport, BotView};
use std::io::Write;

const HTML: &[&str] = &["Content-Type: text/html; charset=utf-8"];
const SHELL: &str = "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>";

/// A page of 120 distinct words that begin with the same letters.
fn page(start: &str) -> String {
    let words: Vec<String> = (0..120).map(|n| format!("{start}{n}")).collect();
    let text = words.join(" ");
    format!("<!doctype html><html lang=en><title>Pumps</title><main><h1>Heat pumps</h1><p>{text}</p></main>")
}

async fn bots(server: &Server, path: &str) -> BotReport {
    let auditor = Auditor::with_fetcher(server.fetcher());
    let now = "2026-11-22T12:00:00Z".parse().expect("a time");
    let report = auditor
        .audit_with_bots(&server.url(path), now)
        .await
        .expect("a report");
    report.bots.expect("a comparison")
}

#[track_caller]
fn view<'r>(report: &'r BotReport, agent: &str) -> &'r BotView {
    report.views.iter().find(|view| view.agent == agent).expect(agent)
}

#[track_caller]
fn note<'r>(report: &'r BotReport, code: &str) -> &'r AuditNote {
    let found = report.findings.iter().find(|note| note.code == code);
    found.unwrap_or_else(|| panic!("{code} is not among {:?}", report.findings))
}

#[tokio::test]
async fn a_site_that_treats_agents_alike_is_asked_once_by_each() {
    let text = page("word");
    let server = Server::by_agent(move |_, path, connection| {
        let missing = answer("404 Not Found", &[], b"");
        let found = answer("200 OK", HTML, text.as_bytes());
        let _ = connection.write_all(if path == "/page" { &found } else { &missing });
    });
    let report = bots(&server, "/page").await;
    let mut expected: Vec<&str> = BOTS.iter().map(|bot| bot.user_agent).collect();
    let mut agents = server.agents("/page");
    assert!(agents.remove(0).starts_with("ibid-audit/"));
    assert_eq!(agents, expected);
    expected.dedup();
    assert_eq!(expected.len(), 7);
    assert_eq!(report.compared_with, "browser");
    note(&report, "bot_same");
    for view in &report.views {
        assert_eq!(
            (view.status, view.words, view.shared_words),
            (Some(200), Some(122), Some(100)),
            "{view:?}"
        );
        assert!(view.has_page() && view.final_url.is_none() && !view.is_shell);
    }
    // The small files were asked for once, under our own name.
    assert_eq!(server.agents("/robots.txt").len(), 1);
}

#[tokio::test]
async fn refusals_shells_and_cloaking_are_told_apart() {
    let (text, short, other) = (
        page("word"),
        "<title>Pumps</title><p>Only a few words.",
        page("casino"),
    );
    let server = Server::by_agent(move |agent, path, connection| {
        let sent = match (path, agent) {
            ("/page", agent) if agent.contains("GPTBot") => answer("403 Forbidden", HTML, b"no"),
            ("/page", agent) if agent.contains("ClaudeBot") => answer(
                "200 OK",
                HTML,
                b"<title>Just a moment...</title><p>Checking your browser",
            ),
            ("/page", agent) if agent.contains("OAI-SearchBot") => answer("200 OK", HTML, SHELL.as_bytes()),
            ("/page", agent) if agent.contains("PerplexityBot") => answer("200 OK", HTML, short.as_bytes()),
            ("/page", agent) if agent.contains("Googlebot") => answer("200 OK", HTML, other.as_bytes()),
            ("/page", agent) if agent.contains("ChatGPT-User") => Vec::new(),
            ("/page", _) => answer("200 OK", HTML, text.as_bytes()),
            _ => answer("404 Not Found", &[], b""),
        };
        let _ = connection.write_all(&sent);
    });
    let report = bots(&server, "/page").await;
    assert_eq!(
        note(&report, "bot_refused").location.as_deref(),
        Some("GPTBot (status 403), ClaudeBot (status 200, no page)")
    );
    let no_answer = note(&report, "bot_no_answer")
        .location
        .clone()
        .unwrap_or_default();
    assert!(no_answer.starts_with("ChatGPT-User ("), "{no_answer}");
    assert_eq!(
        note(&report, "bot_fewer_words").location.as_deref(),
        Some("OAI-SearchBot (0 of 122), PerplexityBot (4 of 122)")
    );
    let cloaked = note(&report, "bot_other_text")
        .location
        .clone()
        .unwrap_or_default();
    assert!(cloaked.starts_with("Googlebot ("), "{cloaked}");
    assert!(view(&report, "OAI-SearchBot").is_shell && !view(&report, "browser").is_shell);
    assert!(view(&report, "GPTBot").bytes < view(&report, "browser").bytes);
    assert_eq!(view(&report, "ChatGPT-User").outcome, BotOutcome::Failed);
}

#[tokio::test]
async fn a_page_that_needs_scripts_is_a_shell_for_all() {
    let server = Server::with(&[("/", "200 OK", HTML, SHELL)]);
    let report = bots(&server, "/").await;
    assert!(report.views.iter().all(|view| view.is_shell));
    assert!(note(&report, "bot_shell").message.contains("JavaScript"));
}

#[tokio::test]
async fn an_agent_that_robots_txt_shuts_out_is_not_impersonated() {
    let text = page("word");
    let server = Server::by_agent(move |_, path, connection| {
        let robots = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: ClaudeBot\nAllow: /page\nDisallow: /\n\nUser-agent: *\nDisallow: /page\n";
        let sent = match path {
            "/page" => answer("200 OK", HTML, text.as_bytes()),
            "/robots.txt" => answer("200 OK", &[], robots.as_bytes()),
            _ => answer("404 Not Found", &[], b""),
        };
        let _ = connection.write_all(&sent);
    });
    let report = bots(&server, "/page").await;
    // The page was asked for by the audit itself and by the one agent that may.
    let agents = server.agents("/page");
    assert_eq!(agents.len(), 2, "{agents:?}");
    assert!(agents[1].contains("ClaudeBot"));
    assert_eq!(report.compared_with, "ibid-audit");
    let gpt = view(&report, "GPTBot");
    assert_eq!((gpt.outcome, gpt.status), (BotOutcome::NotAllowed, None));
    assert_eq!(gpt.reason.as_deref(), Some("robots.txt, line 2: Disallow: /"));
    assert_eq!(view(&report, "ClaudeBot").shared_words, Some(100));
}

#[tokio::test]
async fn agents_are_not_led_to_private_addresses() {
    let text = page("word");
    let server = Server::by_agent(move |agent, path, connection| {
        let sent = match (path, agent.contains("GPTBot")) {
            ("/page", true) => answer("302 Found", &["Location: http://169.254.169.254/"], b""),
            ("/page", false) => answer("200 OK", HTML, text.as_bytes()),
            _ => answer("404 Not Found", &[], b""),
        };
        let _ = connection.write_all(&sent);
    });
    let report = bots(&server, "/page").await;
    let gpt = view(&report, "GPTBot");
    assert_eq!(gpt.outcome, BotOutcome::Failed);
    assert!(
        gpt.reason.as_deref().unwrap_or_default().contains("refused"),
        "{gpt:?}"
    );
}
