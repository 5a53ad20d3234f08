//! Access logs.

use crate::support::{gz, options, read, read_with, refusal, short};
use ibid_first_party::bots::Ranges;
use ibid_first_party::{Format, Reading, Reason};
use std::io::Cursor;

const GPT_USER: &str = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot";
const PERSON: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140";

fn line(address: &str, day: u32, target: &str, status: u16, referrer: &str, agent: &str) -> String {
    format!(
        "{address} - - [{day:02}/Aug/2026:23:30:00 -0100] \"GET {target} HTTP/1.1\" {status} 512 \"{referrer}\" \"{agent}\"\n"
    )
}

fn log() -> String {
    [
        line(
            "192.0.2.1",
            1,
            "/plans?utm_source=chatgpt.com",
            200,
            "-",
            GPT_USER,
        ),
        line("198.51.100.7", 1, "/plans/", 200, "-", GPT_USER),
        line("192.0.2.1", 2, "/gone", 404, "-", GPT_USER),
        line(
            "203.0.113.1",
            1,
            "/",
            200,
            "-",
            "Mozilla/5.0 (compatible; ClaudeBot/1.0)",
        ),
        line(
            "203.0.113.2",
            1,
            "/",
            304,
            "-",
            "Mozilla/5.0 (compatible; OAI-SearchBot/1.3)",
        ),
        line("203.0.113.3", 1, "/plans", 200, "https://chatgpt.com/", PERSON),
        line(
            "203.0.113.3",
            1,
            "/style.css",
            200,
            "https://chatgpt.com/",
            PERSON,
        ),
        line(
            "203.0.113.4",
            1,
            "/plans?utm_source=perplexity&x=1",
            200,
            "-",
            PERSON,
        ),
        line("203.0.113.5", 1, "/plans", 200, "https://www.google.com/", PERSON),
        "garbage\n".to_owned(),
    ]
    .concat()
}

#[test]
fn names_alone_are_claimed() {
    let reading = read("access.log", log()).unwrap();
    let rows = short(&reading.rows());
    assert_eq!(
        rows,
        [
            "2026-08-02  by ChatGPT visits 1",
            "2026-08-02  by ChatGPT-User user_fetches_claimed 2",
            "2026-08-02  by ClaudeBot training_fetches_claimed 1",
            "2026-08-02  by OAI-SearchBot search_fetches_claimed 1",
            "2026-08-02  by Perplexity visits 1",
            "2026-08-02 example.com search_fetches_claimed 1",
            "2026-08-02 example.com training_fetches_claimed 1",
            "2026-08-02 example.com/plans visits 2",
            "2026-08-02 example.com/plans user_fetches_claimed 2",
        ]
        .map(str::to_owned)
        .to_vec()
        .tap_sorted(&rows)
    );
    let report = &reading.files()[0];
    assert_eq!((report.read, report.used), (10, 6));
    assert_eq!(report.refused.counts[&Reason::NotALogLine], 1);
    assert!(
        report.notes[0].contains("1 fetches of ChatGPT-User did not get the page"),
        "{:?}",
        report.notes
    );
}

/// Rows are sorted by more than their short form shows.
trait TapSorted {
    fn tap_sorted(self, like: &[String]) -> Vec<String>;
}

impl TapSorted for Vec<String> {
    fn tap_sorted(mut self, like: &[String]) -> Vec<String> {
        self.sort_by_key(|row| like.iter().position(|other| other == row));
        self
    }
}

#[test]
fn published_addresses_verify_and_contradict() {
    let mut options = options();
    let file = br#"{"creationTime": "2026-08-01T00:00:00", "prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]}"#;
    options.ranges.add("chatgpt-user.json", None, file).unwrap();
    let reading = read_with("access.log", log(), &options).unwrap();
    let rows = short(&reading.rows());
    assert!(
        rows.contains(&"2026-08-02  by ChatGPT-User user_fetches_verified 1".to_owned()),
        "{rows:?}"
    );
    assert!(
        !rows.iter().any(|row| row.contains("user_fetches_claimed")),
        "{rows:?}"
    );
    // Other programs have no published addresses here.
    assert!(
        rows.contains(&"2026-08-02  by ClaudeBot training_fetches_claimed 1".to_owned()),
        "{rows:?}"
    );
    let report = &reading.files()[0];
    assert_eq!(report.refused.counts[&Reason::Forged], 1);
    assert_eq!(
        report
            .refused
            .first
            .iter()
            .find(|line| line.reason == Reason::Forged)
            .unwrap()
            .line,
        2
    );
    assert!(Ranges::default().add("x.json", None, file).is_err());
}

#[test]
fn no_address_and_no_raw_line_is_kept() {
    let reading = read("access.log", log()).unwrap();
    let rows: Vec<_> = reading.rows().iter().collect();
    let all = format!(
        "{}{}",
        serde_json::to_string(&rows).unwrap(),
        serde_json::to_string(reading.files()).unwrap()
    );
    for secret in [
        "192.0.2",
        "198.51",
        "203.0.113",
        "utm_source",
        "Mozilla",
        "garbage",
    ] {
        assert!(!all.contains(secret), "{secret} in {all}");
    }
}

#[test]
fn json_lines_and_logpush_are_read() {
    let json = format!(
        "{{\"EdgeStartTimestamp\":\"2026-08-01T10:00:00Z\",\"ClientIP\":\"192.0.2.1\",\"ClientRequestHost\":\"www.example.com\",\"ClientRequestMethod\":\"GET\",\"ClientRequestURI\":\"/a?x\",\"ClientRequestUserAgent\":\"{GPT_USER}\",\"EdgeResponseStatus\":200}}\n{{\"EdgeStartTimestamp\":\"2026-08-01T10:00:00Z\",\"ClientRequestHost\":\"example.org\",\"ClientRequestMethod\":\"GET\",\"ClientRequestURI\":\"/a\",\"ClientRequestUserAgent\":\"{GPT_USER}\",\"EdgeResponseStatus\":200}}\n{{\"other\":1}}\n"
    );
    let reading = read("log.json", &json).unwrap();
    assert_eq!(reading.files()[0].formats, [Format::JsonLines]);
    let wanted = [
        "2026-08-01  by ChatGPT-User user_fetches_claimed 1",
        "2026-08-01 example.com/a user_fetches_claimed 1",
    ];
    assert_eq!(short(&reading.rows()), wanted);
    assert_eq!(reading.files()[0].refused.counts[&Reason::OtherWebsite], 1);
    let csv = format!(
        "EdgeStartTimestamp,ClientIP,ClientRequestHost,ClientRequestMethod,ClientRequestURI,ClientRequestReferer,ClientRequestUserAgent,EdgeResponseStatus\n1785578400,192.0.2.1,example.com,GET,/a,,\"{GPT_USER}\",200\n"
    );
    let reading = read("log.csv", csv).unwrap();
    assert_eq!(reading.files()[0].formats, [Format::LogpushCsv]);
    assert_eq!(short(&reading.rows()), wanted);
}

#[test]
fn parts_of_a_day_add_up_and_the_same_log_counts_once() {
    let (first, second) = (line("192.0.2.1", 1, "/a", 200, "-", GPT_USER), log());
    let mut reading = Reading::default();
    let options = options();
    reading
        .add("access.log.1", &mut Cursor::new(first.as_bytes()), &options)
        .unwrap();
    reading
        .add("access.log", &mut Cursor::new(second.as_bytes()), &options)
        .unwrap();
    let rows = reading.rows();
    assert!(
        short(&rows).contains(&"2026-08-02  by ChatGPT-User user_fetches_claimed 3".to_owned()),
        "{:?}",
        short(&rows)
    );
    // The same lines, packed under another name.
    reading
        .add("copy.gz", &mut Cursor::new(gz(second.as_bytes())), &options)
        .unwrap();
    assert_eq!(reading.rows(), rows);
    assert_eq!(reading.files()[2].repeats.as_deref(), Some("access.log"));
    // Other lines of the same hours may be from another machine, or be there twice.
    let third = format!(
        "{}{}",
        line("192.0.2.1", 1, "/b", 200, "-", GPT_USER),
        line("192.0.2.1", 2, "/b", 200, "-", GPT_USER)
    );
    reading
        .add("other.log", &mut Cursor::new(third.as_bytes()), &options)
        .unwrap();
    assert!(
        reading.files()[3].notes[0].contains("count twice"),
        "{:?}",
        reading.files()[3].notes
    );
}

#[test]
fn a_log_without_agents_is_no_known_file() {
    let common = "203.0.113.9 - - [10/Oct/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 1\n".repeat(30);
    assert!(refusal("access.log", common).contains("combined"));
}
