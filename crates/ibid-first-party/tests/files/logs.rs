//! Access logs.

use crate::support::{gz, options, read, read_with, refusal, short, told};
use ibid_first_party::bots::Ranges;
use ibid_first_party::{Bounds, Format, Options, Reading, Reason};
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
fn a_log_without_agents_shows_visits_alone() {
    let common = |target: &str| {
        format!("203.0.113.9 - - [10/Oct/2026:13:55:36 +0000] \"GET {target} HTTP/1.1\" 200 1\n")
    };
    let log = common("/").repeat(30) + &common("/a?utm_source=chatgpt.com");
    let reading = read("access.log", log).unwrap();
    assert_eq!(
        short(&reading.rows()),
        [
            "2026-10-10  by ChatGPT visits 1",
            "2026-10-10 example.com/a visits 1"
        ]
    );
}

#[test]
fn every_form_of_log_is_understood() {
    let iis = format!(
        "#Software: IIS\n#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) cs(Referer) sc-status\n2026-11-03 10:00:00 10.0.0.4 GET /a - 192.0.2.1 {} - 200\n",
        GPT_USER.replace(' ', "+")
    );
    let cloudfront = format!(
        "#Version: 1.0\n#Fields: date time c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query\n2026-11-03\t10:00:00\t192.0.2.1\tGET\td1.cloudfront.net\t/a\t200\t-\t{}\t-\n",
        GPT_USER.replace(' ', "%20")
    );
    let alb = format!(
        "https 2026-11-03T10:00:00.1Z app/lb/1 192.0.2.1:2817 10.0.0.1:80 0.0 0.1 0.0 200 200 34 366 \"GET https://example.com:443/a?x HTTP/2.0\" \"{GPT_USER}\" ECDHE TLSv1.2 arn \"Root=1\" \"example.com\" \"-\"\n"
    );
    let classic = format!(
        "2026-11-03T10:00:00.1Z lb 192.0.2.1:2817 10.0.0.1:80 0.0 0.1 0.0 200 200 34 366 \"GET https://example.com:443/a HTTP/1.1\" \"{GPT_USER}\" - -\n"
    );
    let haproxy = format!(
        "Nov  3 10:00:00 lb haproxy[7]: 192.0.2.1:2817 [03/Nov/2026:10:00:00.123] front back/web 0/0/1/2/3 200 512 - - ---- 1/1/0/0/0 0/0 {{example.com|{GPT_USER}}} \"GET /a HTTP/1.1\"\n"
    );
    let json = |text: String| text.replace("AGENT", GPT_USER) + "\n";
    let vercel = json(r#"{"id":"1","timestamp":1793700000000,"proxy":{"method":"GET","host":"example.com","path":"/a","userAgent":["AGENT"],"referer":"-","statusCode":200,"clientIp":"192.0.2.1"}}"#.to_owned());
    let google = json(r#"{"httpRequest":{"requestMethod":"GET","requestUrl":"https://example.com/a","status":200,"userAgent":"AGENT","remoteIp":"192.0.2.1"},"timestamp":"2026-11-03T10:00:00Z"}"#.to_owned());
    let azure = json(r#"{"time":"2026-11-03T10:00:00Z","category":"FrontDoorAccessLog","properties":{"httpMethod":"GET","requestUri":"https://example.com:443/a","userAgent":"AGENT","clientIp":"192.0.2.1","httpStatusCode":"200"}}"#.to_owned());
    let docker = json(r#"{"log":"192.0.2.1 - - [03/Nov/2026:10:00:00 +0000] \"GET /a HTTP/1.1\" 200 512 \"-\" \"AGENT\"\n","stream":"stdout","time":"2026-11-03T10:00:00Z"}"#.to_owned());
    let syslog = format!(
        "Nov  3 10:00:00 web nginx[7]: 192.0.2.1 - - [03/Nov/2026:10:00:00 +0000] \"GET http://example.com/a HTTP/1.1\" 200 5 \"-\" \"{GPT_USER}\"\n"
    );
    for log in [
        iis, cloudfront, alb, classic, haproxy, vercel, google, azure, docker, syslog,
    ] {
        let reading = read("u_ex.log", &log).unwrap_or_else(|error| panic!("{log}: {error}"));
        assert_eq!(
            short(&reading.rows()),
            [
                "2026-11-03  by ChatGPT-User user_fetches_claimed 1",
                "2026-11-03 example.com/a user_fetches_claimed 1"
            ],
            "{log}"
        );
    }
}

#[test]
fn a_line_of_an_unknown_log_is_not_shown() {
    for log in [
        "2026-11-03 10:00:00 203.0.113.77 asked for /secret with Mozilla/5.0\n",
        "{\"visitor\": \"203.0.113.77\", \"what\": \"/secret\"}\n",
        "203.0.113.77|GET|/secret|200\n",
    ] {
        let message = refusal("access.log", log);
        assert!(
            message.contains("access log of a form that is not read"),
            "{message}"
        );
        assert!(
            !message.contains("203.0.113.77") && !message.contains("secret"),
            "{message}"
        );
    }
}

#[test]
fn forwarded_addresses_are_believed_from_own_proxies_alone() {
    let line = |peer: &str, forwarded: &str| {
        line(peer, 1, "/a", 200, "-", GPT_USER).replace("bot\"\n", &format!("bot\" \"{forwarded}\"\n"))
    };
    let ranges = br#"{"prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]}"#;
    let mut options = options();
    options.ranges.add("chatgpt-user.json", None, ranges).unwrap();
    let measures = |options: &Options, log: &str| -> Vec<String> {
        let reading = read_with("access.log", log, options).unwrap();
        short(&reading.rows())
            .into_iter()
            .filter(|row| row.contains(" by "))
            .collect()
    };
    // A peer that may be a proxy contradicts no name, and proves none.
    for peer in ["203.0.113.9", "10.0.0.9", "192.0.2.7"] {
        let claimed = measures(&options, &line(peer, "198.51.100.4"));
        assert_eq!(
            claimed,
            ["2026-08-02  by ChatGPT-User user_fetches_claimed 1"],
            "{peer}"
        );
    }
    options.proxies.push("203.0.113.0/24".parse().unwrap());
    let verified = measures(&options, &line("203.0.113.9", "198.51.100.4, 192.0.2.8"));
    assert_eq!(verified, ["2026-08-02  by ChatGPT-User user_fetches_verified 1"]);
    let reading = read_with(
        "access.log",
        line("203.0.113.9", "192.0.2.8, 198.51.100.4"),
        &options,
    )
    .unwrap();
    assert_eq!(reading.files()[0].refused.counts[&Reason::Forged], 1);
}

#[test]
fn files_beside_pages_are_no_fetched_pages() {
    let paths = [
        "/",
        "/robots.txt",
        "/sitemap.xml",
        "/a.css",
        "/wp-json/x",
        "/feed.rss",
        "/docs/a.html?x",
        "/img/a.PNG",
    ];
    let log: String = paths
        .iter()
        .map(|path| line("192.0.2.1", 1, path, 200, "-", GPT_USER))
        .collect();
    let log = log + &line("192.0.2.1", 1, "/old", 301, "-", GPT_USER);
    let reading = read("access.log", log).unwrap();
    assert_eq!(
        short(&reading.rows()),
        [
            "2026-08-02  by ChatGPT-User user_fetches_claimed 2",
            "2026-08-02 example.com user_fetches_claimed 1",
            "2026-08-02 example.com/docs/a.html user_fetches_claimed 1",
        ]
    );
    assert!(
        reading.files()[0]
            .notes
            .iter()
            .any(|note| note.starts_with("6 fetches of files"))
    );
}

#[test]
fn rows_and_lines_are_bounded_while_they_are_read() {
    let log: String = (0..30)
        .map(|n| line("192.0.2.1", 1, &format!("/{n}"), 200, "-", GPT_USER))
        .collect();
    let mut options = options();
    options.bounds.rows = Some(20);
    assert!(
        read_with("access.log", &log, &options)
            .unwrap_err()
            .to_string()
            .contains("more than 20 rows")
    );
    options.bounds = Bounds {
        lines: Some(40),
        ..Bounds::default()
    };
    assert!(read_with("access.log", &log, &options).is_ok());
    let blank = log + &"\n".repeat(11);
    assert!(
        read_with("access.log", &blank, &options)
            .unwrap_err()
            .to_string()
            .contains("more than 40 rows")
    );
    options.bounds = Bounds {
        until: Some(std::time::Instant::now()),
        ..Bounds::default()
    };
    let message = told(&read_with("access.log", &blank, &options).unwrap_err());
    assert!(message.contains("takes longer"), "{message}");
}
