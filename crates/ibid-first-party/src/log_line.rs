//! One line of an access log.

use crate::bots::has_trace;
use crate::columns::{fold, lines};
use ipnet::IpNet;
use memchr::{memchr, memchr_iter, memchr2};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::LazyLock;

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
    /// The addresses that proxies forward, as far as the line has them.
    pub(crate) forwarded: Cow<'a, [u8]>,
}

impl Request<'_> {
    /// The host and the path; a target may be a whole address.
    pub(crate) fn host_and_target(&self) -> (Option<&str>, &str) {
        let target = &*self.target;
        if target.starts_with('/') {
            return (self.host.as_deref(), target);
        }
        match target.split_once("://") {
            Some((scheme, rest))
                if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") =>
            {
                let path = rest.find(['/', '?', '#']).unwrap_or(rest.len());
                let (host, path) = rest.split_at(path);
                let path = if path.starts_with('/') { path } else { "/" };
                (Some(without_port(host)), path)
            }
            _ => (self.host.as_deref(), target),
        }
    }

    /// Returns the sender's address, where it is sure: a peer that is no proxy, or what the website's own proxy forwards.
    pub(crate) fn sender(&self, proxies: &[IpNet]) -> Option<IpAddr> {
        let peer = self.address?;
        let is_own = |address: &IpAddr| proxies.iter().any(|net| net.contains(address));
        let is_local = match peer {
            IpAddr::V4(peer) => peer.is_private() || peer.is_loopback() || peer.is_link_local(),
            IpAddr::V6(peer) => peer.is_loopback() || peer.is_unique_local() || peer.is_unicast_link_local(),
        };
        let text = String::from_utf8_lossy(&self.forwarded);
        let forwarded = text.split(',').filter_map(|word| address(word.trim()));
        let mut forwarded: Vec<IpAddr> = forwarded.filter(|address| *address != peer).collect();
        match (is_own(&peer), forwarded.is_empty()) {
            (true, _) => {
                forwarded.retain(|address| !is_own(address));
                forwarded.pop()
            }
            (false, true) if !is_local => Some(peer),
            (false, _) => None,
        }
    }
}

impl<'a> Request<'a> {
    fn into_owned(self) -> Request<'static> {
        Request {
            time: self.time,
            address: self.address,
            host: self.host.map(|host| Cow::Owned(host.into_owned())),
            method: Cow::Owned(self.method.into_owned()),
            target: Cow::Owned(self.target.into_owned()),
            status: self.status,
            referrer: Cow::Owned(self.referrer.into_owned()),
            agent: Cow::Owned(self.agent.into_owned()),
            forwarded: Cow::Owned(self.forwarded.into_owned()),
        }
    }
}

/// An address, with a port or not.
fn address(word: &str) -> Option<IpAddr> {
    let plain = word.trim_matches(['"', '[', ']']);
    let parsed = plain.parse().ok();
    parsed.or_else(|| Some(word.parse::<std::net::SocketAddr>().ok()?.ip()))
}

/// A line in the combined or common format, with a host in front or fields behind it, too.
pub(crate) fn combined(line: &[u8]) -> Option<Request<'_>> {
    // Names of programs in front may have brackets, too.
    let (bracket, time) = memchr_iter(b'[', line).take(3).find_map(|bracket| {
        let time = clf_time(line.get(bracket + 1..bracket + 27)?)?;
        Some((bracket, time))
    })?;
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
    let rest = line.get(bracket + 27..)?.strip_prefix(b"] ")?;
    let (request, rest) = quoted(rest)?;
    let rest = rest.strip_prefix(b" ")?;
    let status: u16 = std::str::from_utf8(rest.get(..3)?).ok()?.parse().ok()?;
    let rest = rest.get(3..)?;
    let (referrer, agent, rest): (&[u8], &[u8], &[u8]) = match memchr(b'"', rest) {
        Some(quote) => {
            let (referrer, rest) = quoted(rest.get(quote..)?)?;
            let (agent, rest) = quoted(rest.strip_prefix(b" ")?)?;
            (referrer, agent, rest)
        }
        None => (b"", b"", b""),
    };
    let forwarded = match rest.strip_prefix(b" \"") {
        Some(_) => quoted(rest.get(1..)?).map_or(&b""[..], |(field, _)| field),
        None => b"",
    };
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
        forwarded: Cow::Borrowed(forwarded),
    })
}

/// Reads a line from IIS or CloudFront. A comment that names the fields holds for lines after it; `Some(None)` for lines without a
/// trace of what is counted.
pub(crate) fn w3c(line: &[u8], fields: &mut Vec<String>) -> Option<Option<Request<'static>>> {
    let text = String::from_utf8_lossy(line);
    if let Some(comment) = text.strip_prefix('#') {
        if let Some(named) = comment.strip_prefix("Fields:") {
            *fields = named.split_whitespace().map(str::to_lowercase).collect();
        }
        return Some(None);
    }
    let split = if text.contains('\t') { '\t' } else { ' ' };
    let cells: Vec<&str> = text.split(split).collect();
    if fields.is_empty() || cells.len() != fields.len() {
        return None;
    }
    if !has_trace(line) {
        return Some(None);
    }
    let cell = |name: &str| {
        let place = fields.iter().position(|field| field == name)?;
        cells.get(place).copied().filter(|cell| *cell != "-")
    };
    // IIS writes blanks as plus signs, and CloudFront in percent.
    let plain = |text: &str| -> Vec<u8> { percent_decoded(&text.replace('+', " ")) };
    let time = format!("{}T{}Z", cell("date")?, cell("time")?);
    let target = match cell("cs-uri-query") {
        Some(query) => format!("{}?{query}", cell("cs-uri-stem")?),
        None => cell("cs-uri-stem")?.to_owned(),
    };
    let host = cell("x-host-header")
        .or_else(|| cell("cs-host"))
        .or_else(|| cell("cs(host)"));
    Some(Some(Request {
        time: seconds(&time)?,
        address: cell("c-ip").and_then(address),
        host: host.map(|host| Cow::Owned(without_port(host).to_owned())),
        method: Cow::Owned(cell("cs-method")?.to_owned()),
        target: Cow::Owned(target),
        status: cell("sc-status")?.parse().ok()?,
        referrer: Cow::Owned(cell("cs(referer)").map(plain).unwrap_or_default()),
        agent: Cow::Owned(cell("cs(user-agent)").map(plain).unwrap_or_default()),
        forwarded: Cow::Owned(cell("x-forwarded-for").unwrap_or_default().as_bytes().to_vec()),
    }))
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let (mut rest, mut decoded) = (text.as_bytes(), Vec::new());
    while let Some((byte, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| *byte == b'%');
        let hex = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        decoded.push(hex.unwrap_or(*byte));
        rest = match hex {
            Some(_) => after.get(2..).unwrap_or_default(),
            None => after,
        };
    }
    decoded
}

/// Reads an AWS load balancer's line, classic or not: time, visitor with a port, status, request and agent.
pub(crate) fn alb(line: &[u8]) -> Option<Request<'_>> {
    let mut words = line
        .split(|byte| *byte == b' ')
        .map(|word| std::str::from_utf8(word).unwrap_or_default());
    let first = words.next()?;
    let is_time = |word: &str| word.as_bytes().get(10) == Some(&b'T') && word.ends_with('Z');
    let time = if is_time(first) {
        first
    } else {
        words.next().filter(|word| is_time(word))?
    };
    let (_, visitor) = (words.next()?, words.next()?);
    // A target, three times, and the status.
    let status = words.nth(4)?;
    let (request, rest) = quoted(line.get(memchr(b'"', line)?..)?)?;
    let (agent, _) = quoted(rest.strip_prefix(b" ")?)?;
    let (method, target) = request_line(request);
    Some(Request {
        time: seconds(time)?,
        address: address(visitor),
        method,
        target,
        status: status.parse().ok()?,
        agent: Cow::Borrowed(agent),
        ..Request::default()
    })
}

/// A line of HAProxy, whose captured headers hold the agent and perhaps the host and the referrer.
pub(crate) fn haproxy(line: &[u8]) -> Option<Request<'_>> {
    let text = std::str::from_utf8(line).ok()?;
    let (before, rest) = text.match_indices(" [").find_map(|(at, _)| {
        let (before, rest) = text.split_at(at);
        let (time, rest) = rest.get(2..)?.split_once("] ")?;
        let seconds = clf_time(format!("{} +0000", time.get(..20)?).as_bytes())?;
        Some((before, (seconds, rest)))
    })?;
    let (time, rest) = rest;
    let visitor = before.rsplit(' ').next()?;
    let mut words = rest.split(' ');
    // Front end, back end with its server, times.
    let status = words.nth(3)?;
    let (_, captured) = rest.split_once(" {")?;
    let (captured, _) = captured.split_once('}')?;
    let pieces = || captured.split('|').map(|piece| piece.trim_matches('"'));
    let is_host = |piece: &&str| {
        piece.contains('.')
            && !piece.contains(|letter: char| letter.is_whitespace() || matches!(letter, '/' | '('))
    };
    let agent = pieces()
        .filter(|piece| !piece.contains("://") || piece.contains(' '))
        .max_by_key(|piece| piece.len())?;
    let (request, _) = quoted(line.get(memchr::memmem::rfind(line, b" \"")? + 1..)?)?;
    let (method, target) = request_line(request);
    Some(Request {
        time,
        address: address(visitor),
        host: pieces().find(is_host).map(without_port).map(Cow::Borrowed),
        method,
        target,
        status: status.parse().ok()?,
        referrer: Cow::Borrowed(
            pieces()
                .find(|piece| piece.starts_with("http"))
                .unwrap_or_default()
                .as_bytes(),
        ),
        agent: Cow::Borrowed(agent.as_bytes()),
        ..Request::default()
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
    let months = b"JanFebMarAprMayJunJulAugSepOctNovDec".chunks(3);
    let (month, _) = (1..).zip(months).find(|(_, name)| text.get(3..6) == Some(name))?;
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

/// What logs call a member.
pub(crate) struct MemberNames {
    pub(crate) written: Vec<&'static str>,
    /// These and rarer names, as they are without case and marks.
    folded: Vec<String>,
}

/// Names of members by what they mean.
pub(crate) static MEMBERS: LazyLock<HashMap<&str, MemberNames>> = LazyLock::new(|| {
    let names = |list: &'static str| list.split(',').map(str::trim);
    lines(include_str!("../data/log_members.txt"))
        .filter_map(|line| line.split_once(" = "))
        .map(|(meaning, lists)| {
            let (written, others) = lists.split_once('|').unwrap_or((lists, lists));
            let folded = names(written).chain(names(others)).map(fold).collect();
            let written = names(written).collect();
            (meaning, MemberNames { written, folded })
        })
        .collect()
});

/// A JSON object; its members may be in others, as Caddy, Google and Azure write them, or be one line of text, as containers do.
pub(crate) fn json(line: &[u8]) -> Option<Request<'static>> {
    let Ok(Value::Object(members)) = serde_json::from_slice(line) else {
        return None;
    };
    let exact = of_members(|meaning| {
        MEMBERS
            .get(meaning)?
            .written
            .iter()
            .find_map(|name| member(&members, name))
    });
    exact.or_else(|| {
        let inner = ["log", "message", "msg"]
            .into_iter()
            .find_map(|name| members.get(name)?.as_str());
        if let Some(inner) = inner.map(str::trim) {
            return match inner.starts_with('{') {
                true => json(inner.as_bytes()),
                false => combined(inner.as_bytes()).map(Request::into_owned),
            };
        }
        let mut all = Vec::new();
        flatten(&members, &mut all, 0);
        of_members(|meaning| {
            let names = MEMBERS.get(meaning)?;
            let mut found = names
                .folded
                .iter()
                .filter_map(|name| all.iter().find(|(known, _)| known == name));
            Some(found.next()?.1.clone())
        })
    })
}

/// Collects texts and numbers from an object and those in it, by folded name.
fn flatten(members: &Map<String, Value>, all: &mut Vec<(String, String)>, depth: usize) {
    for (name, value) in members {
        let first = match value {
            Value::Array(values) => values.first().unwrap_or(value),
            other => other,
        };
        match first {
            Value::String(text) => all.push((fold(name), text.clone())),
            Value::Number(number) => all.push((fold(name), number.to_string())),
            Value::Object(inner) if depth < 3 => flatten(inner, all, depth + 1),
            _ => {}
        }
    }
}

/// A request from a function that finds a member by its meaning in [`MEMBERS`].
pub(crate) fn of_members(find: impl Fn(&str) -> Option<String>) -> Option<Request<'static>> {
    let agent = find("agent")?;
    let (method, target) = match (find("target"), find("request")) {
        (Some(target), _) => (find("method").unwrap_or_else(|| "GET".to_owned()), target),
        (None, Some(request)) => {
            let (method, target) = request_line(request.as_bytes());
            (method.into_owned(), target.into_owned())
        }
        (None, None) => return None,
    };
    Some(Request {
        time: seconds(&find("time")?)?,
        address: find("address").and_then(|word| address(&word)),
        host: find("host").map(|host| Cow::Owned(without_port(&host).to_owned())),
        method: Cow::Owned(method),
        target: Cow::Owned(target),
        status: find("status")?.parse().ok()?,
        referrer: Cow::Owned(find("referrer").unwrap_or_default().into_bytes()),
        agent: Cow::Owned(agent.into_bytes()),
        forwarded: Cow::Owned(find("forwarded").unwrap_or_default().into_bytes()),
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

/// Reads a time in seconds since 1970: RFC 3339, as access logs write it, or a number in seconds, milliseconds, microseconds or
/// nanoseconds.
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
    use super::{MEMBERS, clf_time, combined, days_before, json, seconds};
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
            &b"hello"[..],
            b"",
            b"[",
            br#"1.2.3.4 - - [10/Okt/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 1 "-" "-""#,
            br#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 1 "-" "\"#,
        ] {
            assert_eq!(combined(line), None);
        }
    }

    #[test]
    fn every_member_has_names() {
        assert_eq!(MEMBERS.len(), 10);
        assert!(
            MEMBERS
                .values()
                .flat_map(|names| &names.folded)
                .all(|name| !name.is_empty())
        );
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
