//! One line of an access log.

use memchr::{memchr, memchr2};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::net::IpAddr;

/// A request, as far as it is looked at.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Request<'a> {
    /// Seconds since 1970.
    pub(crate) time: i64,
    pub(crate) address: Option<IpAddr>,
    pub(crate) host: Option<Cow<'a, str>>,
    pub(crate) method: Cow<'a, str>,
    /// Path and query; empty where the request had none.
    pub(crate) target: Cow<'a, str>,
    pub(crate) status: u16,
    pub(crate) referrer: Cow<'a, [u8]>,
    pub(crate) agent: Cow<'a, [u8]>,
}

/// A line in the combined format, with a host in front or fields behind it, too.
pub(crate) fn combined(line: &[u8]) -> Option<Request<'_>> {
    let bracket = memchr(b'[', line)?;
    let mut words = line
        .get(..bracket)?
        .split(|byte| *byte == b' ')
        .filter(|word| !word.is_empty());
    let (first, second) = (words.next()?, words.next());
    let parsed = |word: &[u8]| std::str::from_utf8(word).ok()?.parse::<IpAddr>().ok();
    let (address, host) = match (parsed(first), second.and_then(parsed)) {
        (Some(address), _) => (Some(address), None),
        (None, Some(address)) => (Some(address), std::str::from_utf8(first).ok()),
        // Apache can write the name of the visitor's host instead.
        (None, None) => (None, None),
    };
    let rest = line.get(bracket + 1..)?;
    let time = clf_time(rest.get(..26)?)?;
    let rest = rest.get(26..)?.strip_prefix(b"] ")?;
    let (request, rest) = quoted(rest)?;
    let rest = rest.strip_prefix(b" ")?;
    let status: u16 = std::str::from_utf8(rest.get(..3)?).ok()?.parse().ok()?;
    let rest = rest.get(3..)?;
    let (referrer, rest) = quoted(rest.get(memchr(b'"', rest)?..)?)?;
    let (agent, _) = quoted(rest.strip_prefix(b" ")?)?;
    let (method, target) = request_line(request);
    Some(Request {
        time,
        address,
        host: host.map(without_port).map(Cow::Borrowed),
        method,
        target,
        status,
        referrer: Cow::Borrowed(referrer),
        agent: Cow::Borrowed(agent),
    })
}

fn without_port(host: &str) -> &str {
    host.split_once(':').map_or(host, |(host, _)| host)
}

/// Method and target of `GET /path HTTP/1.1`; both are empty for anything else.
fn request_line(request: &[u8]) -> (Cow<'_, str>, Cow<'_, str>) {
    let mut words = request.splitn(3, |byte| *byte == b' ');
    match (words.next(), words.next(), words.next()) {
        (Some(method), Some(target), Some(version)) if version.starts_with(b"HTTP/") => {
            (String::from_utf8_lossy(method), String::from_utf8_lossy(target))
        }
        _ => (Cow::Borrowed(""), Cow::Borrowed("")),
    }
}

/// The text within the quotes at the start, as it is written, and what follows.
fn quoted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = bytes.strip_prefix(b"\"")?;
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', inner.get(at..)?)?;
        if inner.get(at) == Some(&b'"') {
            return Some((inner.get(..at)?, inner.get(at + 1..)?));
        }
        at += 2;
    }
}

/// Seconds of `10/Oct/2000:13:55:36 -0700`.
fn clf_time(text: &[u8]) -> Option<i64> {
    let number = |from: usize, to: usize| -> Option<i64> {
        text.get(from..to)?.iter().try_fold(0, |sum, byte| {
            byte.is_ascii_digit().then(|| 10 * sum + i64::from(byte - b'0'))
        })
    };
    let month = match text.get(3..6)? {
        b"Jan" => 1,
        b"Feb" => 2,
        b"Mar" => 3,
        b"Apr" => 4,
        b"May" => 5,
        b"Jun" => 6,
        b"Jul" => 7,
        b"Aug" => 8,
        b"Sep" => 9,
        b"Oct" => 10,
        b"Nov" => 11,
        b"Dec" => 12,
        _ => return None,
    };
    let (day, year) = (number(0, 2)?, number(7, 11)?);
    let seconds = 3_600 * number(12, 14)? + 60 * number(15, 17)? + number(18, 20)?;
    let offset = 3_600 * number(22, 24)? + 60 * number(24, 26)?;
    let offset = match text.get(21)? {
        b'+' => offset,
        b'-' => -offset,
        _ => return None,
    };
    if !(1..=31).contains(&day) || !(1_970..=9_999).contains(&year) {
        return None;
    }
    Some(86_400 * days_before(year, month, day) + seconds - offset)
}

/// Days from 1970 to a day of the Gregorian calendar, which is counted from March so that the leap day comes last.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    146_097 * era + 365 * of_era + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Members of JSON lines, by what they mean. Names of nginx, Cloudflare, Caddy and cloud services.
const TIME: &[&str] = &[
    "EdgeStartTimestamp",
    "time_iso8601",
    "time_local",
    "@timestamp",
    "timestamp",
    "datetime",
    "time",
    "ts",
];
const ADDRESS: &[&str] = &[
    "ClientIP",
    "remote_addr",
    "client_ip",
    "clientIp",
    "remote_ip",
    "ip",
    "c-ip",
];
const HOST: &[&str] = &["ClientRequestHost", "http_host", "host", "server_name", "vhost"];
const METHOD: &[&str] = &["ClientRequestMethod", "request_method", "method"];
const TARGET: &[&str] = &[
    "ClientRequestURI",
    "ClientRequestPath",
    "request_uri",
    "uri",
    "path",
    "url",
];
const STATUS: &[&str] = &["EdgeResponseStatus", "status", "status_code", "response_status"];
const REFERRER: &[&str] = &[
    "ClientRequestReferer",
    "http_referer",
    "referer",
    "referrer",
    "Referer",
];
const AGENT: &[&str] = &[
    "ClientRequestUserAgent",
    "http_user_agent",
    "user_agent",
    "userAgent",
    "User-Agent",
    "agent",
];

/// A JSON object; its members may be in `request` and `headers`, as Caddy writes them.
pub(crate) fn json(line: &[u8]) -> Option<Request<'static>> {
    let Ok(Value::Object(members)) = serde_json::from_slice(line) else {
        return None;
    };
    of_members(|names| names.iter().find_map(|name| member(&members, name)))
}

/// A request from a function that finds the first of several members.
pub(crate) fn of_members(find: impl Fn(&[&str]) -> Option<String>) -> Option<Request<'static>> {
    let agent = find(AGENT)?;
    let (method, target) = match (find(TARGET), find(&["request"])) {
        (Some(target), _) => (find(METHOD).unwrap_or_else(|| "GET".to_owned()), target),
        (None, Some(request)) => {
            let (method, target) = request_line(request.as_bytes());
            (method.into_owned(), target.into_owned())
        }
        (None, None) => return None,
    };
    Some(Request {
        time: seconds(&find(TIME)?)?,
        address: find(ADDRESS).and_then(|address| address.parse().ok()),
        host: find(HOST).map(|host| Cow::Owned(without_port(&host).to_owned())),
        method: Cow::Owned(method),
        target: Cow::Owned(target),
        status: find(STATUS)?.parse().ok()?,
        referrer: Cow::Owned(find(REFERRER).unwrap_or_default().into_bytes()),
        agent: Cow::Owned(agent.into_bytes()),
    })
}

fn member(members: &Map<String, Value>, name: &str) -> Option<String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    match members.get(name) {
        Some(Value::Array(values)) => values.first().and_then(text),
        Some(Value::Object(_)) | None => ["request", "headers"]
            .iter()
            .filter_map(|inner| members.get(*inner)?.as_object())
            .find_map(|inner| member(inner, name)),
        Some(value) => text(value),
    }
}

/// Seconds of a time: RFC 3339, the format of access logs, or a number in seconds, milliseconds, microseconds or nanoseconds.
fn seconds(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse::<f64>() {
        let thousands = [1e11, 1e14, 1e17]
            .iter()
            .filter(|bound| number >= **bound)
            .count();
        let scaled = number / [1.0, 1e3, 1e6, 1e9].get(thousands)?;
        return (0.0..2.5e11).contains(&scaled).then_some(scaled as i64);
    }
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Some(time.as_second());
    }
    clf_time(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{clf_time, combined, days_before, json, seconds};
    use proptest::prelude::*;

    #[test]
    fn lines_of_apache_and_nginx() {
        let line = br#"203.0.113.9 - frank [10/Oct/2000:13:55:36 -0700] "GET /a?b=c HTTP/1.1" 200 2326 "https://chatgpt.com/" "Mozilla \"x\" GPTBot/1.0" "extra""#;
        let request = combined(line).unwrap();
        assert_eq!(request.time, 971_211_336);
        assert_eq!(request.address, Some("203.0.113.9".parse().unwrap()));
        assert_eq!(
            (&*request.method, &*request.target, request.status),
            ("GET", "/a?b=c", 200)
        );
        assert_eq!(&*request.referrer, b"https://chatgpt.com/");
        assert!(request.agent.ends_with(b"GPTBot/1.0"));
        let line =
            br#"shop.example.com:443 2001:db8::1 - - [10/Oct/2000:13:55:36 +0000] "\x16\x03" 400 - "-" "-""#;
        let request = combined(line).unwrap();
        assert_eq!(request.host.as_deref(), Some("shop.example.com"));
        assert_eq!(&*request.target, "");
        for line in [
            &br#"203.0.113.9 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 2326"#[..],
            b"hello",
            b"",
            b"[",
            br#"1.2.3.4 - - [10/Okt/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 1 "-" "-""#,
            br#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 1 "-" "\"#,
        ] {
            assert_eq!(combined(line), None);
        }
    }

    #[test]
    fn json_of_several_servers() {
        let logpush = br#"{"EdgeStartTimestamp":1785542400000000000,"ClientIP":"192.0.2.1","ClientRequestHost":"example.com","ClientRequestMethod":"GET","ClientRequestURI":"/a","ClientRequestReferer":"","ClientRequestUserAgent":"GPTBot","EdgeResponseStatus":200}"#;
        let nginx = br#"{"time_iso8601":"2026-08-01T00:00:00+00:00","remote_addr":"192.0.2.1","request":"GET /a HTTP/1.1","status":"200","http_user_agent":"GPTBot"}"#;
        let caddy = br#"{"ts":1785542400.25,"request":{"remote_ip":"192.0.2.1","method":"GET","host":"example.com","uri":"/a","headers":{"User-Agent":["GPTBot"]}},"status":200}"#;
        for line in [&logpush[..], nginx, caddy] {
            let request = json(line).unwrap();
            assert_eq!(
                (request.time, &*request.target, request.status),
                (1_785_542_400, "/a", 200)
            );
            assert_eq!((&*request.method, &*request.agent), ("GET", &b"GPTBot"[..]));
            assert_eq!(request.address, Some("192.0.2.1".parse().unwrap()));
        }
        for line in [
            &b"{}"[..],
            b"[1]",
            b"{",
            br#"{"ts":"soon","user_agent":"x","path":"/","status":200}"#,
        ] {
            assert_eq!(json(line), None);
        }
    }

    proptest! {
        #[test]
        fn days_agree_with_a_calendar(second in 0_i64..250_000_000_000) {
            let zoned = jiff::Timestamp::from_second(second).unwrap().to_zoned(jiff::tz::TimeZone::UTC);
            let date = zoned.date();
            let days = days_before(date.year().into(), date.month().into(), date.day().into());
            prop_assert_eq!(days, second.div_euclid(86_400));
            prop_assert_eq!(clf_time(zoned.strftime("%d/%b/%Y:%H:%M:%S +0000").to_string().as_bytes()), Some(second));
            prop_assert_eq!(seconds(&zoned.timestamp().to_string()), Some(second));
        }

        #[test]
        fn no_line_stops_the_reader(line in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = (combined(&line), json(&line));
        }
    }
}
