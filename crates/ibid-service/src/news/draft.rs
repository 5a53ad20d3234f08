//! A destination as its owner asks for it.

use ibid_model::{Email, FaultCode, Faults};
use ibid_news::AlertKind;
use ibid_store::{DigestPeriod, QuietHours, WebhookKind};
use jiff::Timestamp;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

/// The local hour at which digests are sent.
const HOUR: i8 = 8;
/// The kinds by their names.
const KINDS: [(&str, WebhookKind); 5] = [
    ("mail", WebhookKind::Mail),
    ("slack", WebhookKind::Slack),
    ("discord", WebhookKind::Discord),
    ("teams", WebhookKind::Teams),
    ("webhook", WebhookKind::Standard),
];

/// A destination that can be stored.
#[derive(Clone, Debug)]
pub struct DestinationDraft {
    pub(super) kind: WebhookKind,
    /// A mail address, or where a chat program takes messages.
    pub(super) address: String,
    pub(super) events: Vec<&'static str>,
    pub(super) digest: Option<DigestPeriod>,
    /// Whether the digest brings a report.
    pub(super) report: bool,
    pub(super) quiet: Option<QuietHours>,
    pub(super) zone: TimeZone,
}

impl DestinationDraft {
    /// Reads `kind` (`mail`, `slack`, `discord`, `teams` or `webhook`), `address`, `alerts` (a list of `changes`, `questions`,
    /// `failures` and `budget`; all by default), `digest` (`weekly`, `monthly` or null; weekly by default, none for a
    /// webhook), `report` (whether a digest by mail brings a report as PDF), `quietFrom` and `quietTo` (hours, 0 to 23) and
    /// `timeZone` (an IANA name).
    pub fn read(body: &Map<String, Value>, default_zone: &str) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let text = |member: &str| body.get(member).and_then(Value::as_str).map(str::trim);
        let kind = KINDS.into_iter().find(|(name, _)| Some(*name) == text("kind"));
        let kind = kind.map(|(_, kind)| kind);
        let is_program = kind == Some(WebhookKind::Standard);
        if kind.is_none() {
            faults.invalid("/kind", "kind must be mail, slack, discord, teams or webhook");
        }
        let address = text("address").unwrap_or_default();
        if kind == Some(WebhookKind::Mail) {
            if let Err(error) = address.parse::<Email>() {
                faults.invalid("/address", format!("address {error}"));
            }
        } else if address.is_empty() {
            faults.push("/address", FaultCode::Required, "address is required");
        }
        let events = events(body, is_program, &mut faults);
        let digest = match body.get("digest") {
            None if is_program => None,
            None => Some(DigestPeriod::Weekly),
            Some(Value::Null) => None,
            Some(_) if is_program => {
                faults.invalid("/digest", "digests are for people: a webhook takes alerts");
                None
            }
            Some(value) => {
                let period: Option<DigestPeriod> = value.as_str().and_then(|word| word.parse().ok());
                if period.is_none() {
                    faults.invalid("/digest", "digest must be weekly, monthly or null");
                }
                period
            }
        };
        let report = match body.get("report") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(report)) => *report,
            Some(_) => {
                faults.push("/report", FaultCode::WrongType, "report must be true or false");
                false
            }
        };
        if report && (kind != Some(WebhookKind::Mail) || digest.is_none()) {
            faults.invalid("/report", "a report comes with a digest by mail");
        }
        if faults.is_empty() && events.is_empty() && digest.is_none() {
            let message = "a destination takes alerts, a digest, or both";
            faults.push("/alerts", FaultCode::Required, message);
        }
        let quiet = quiet(body, &mut faults);
        let zone = TimeZone::get(text("timeZone").unwrap_or(default_zone)).ok();
        if zone.is_none() {
            faults.invalid("/timeZone", "timeZone must be a name such as Europe/Berlin");
        }
        match (kind, zone) {
            (Some(kind), Some(zone)) if faults.is_empty() => Ok(Self {
                kind,
                address: match kind {
                    WebhookKind::Mail => address.to_lowercase(),
                    _ => address.to_owned(),
                },
                events,
                digest,
                report,
                quiet,
                zone,
            }),
            _ => Err(faults),
        }
    }
}

/// Returns a kind's name, as a request has it.
pub(super) fn kind_name(kind: WebhookKind) -> &'static str {
    let known = KINDS.iter().find(|(_, known)| *known == kind);
    known.map_or("", |(name, _)| name)
}

fn events(body: &Map<String, Value>, is_program: bool, faults: &mut Faults) -> Vec<&'static str> {
    let wanted = match body.get("alerts") {
        None | Some(Value::Null) => {
            return AlertKind::ALL.iter().map(|kind| kind.event(is_program)).collect();
        }
        Some(Value::Array(wanted)) => wanted,
        Some(_) => {
            faults.push("/alerts", FaultCode::WrongType, "alerts must be a list");
            return Vec::new();
        }
    };
    let mut events = Vec::new();
    for (at, value) in wanted.iter().enumerate() {
        let known = AlertKind::ALL
            .iter()
            .find(|kind| value.as_str() == Some(kind.name));
        match known.map(|kind| kind.event(is_program)) {
            Some(event) if !events.contains(&event) => events.push(event),
            Some(_) => {}
            None => faults.invalid(
                format!("/alerts/{at}"),
                format!("alerts are {}", AlertKind::ALL.map(|kind| kind.name).join(", ")),
            ),
        }
    }
    events
}

fn quiet(body: &Map<String, Value>, faults: &mut Faults) -> Option<QuietHours> {
    let mut hour = |member: &str| {
        let value = body.get(member).filter(|value| !value.is_null())?;
        let hour = value.as_u64().and_then(|hour| u32::try_from(hour).ok());
        let hour = hour.filter(|hour| *hour < 24);
        if hour.is_none() {
            faults.push(
                format!("/{member}"),
                FaultCode::OutOfRange,
                format!("{member} must be an hour, 0 to 23"),
            );
        }
        hour
    };
    match (hour("quietFrom"), hour("quietTo")) {
        (Some(from), Some(to)) if from != to => Some((from, to)),
        (None, None) => None,
        _ if faults.is_empty() => {
            faults.invalid("/quietTo", "quietFrom and quietTo belong together, and differ");
            None
        }
        _ => None,
    }
}

/// Returns the alerts that these events are, by the names that a request has.
pub(super) fn alert_names(events: &[String]) -> Vec<&'static str> {
    let listed = AlertKind::ALL.iter().filter(|kind| {
        let of_kind = [kind.event(false), kind.event(true)];
        events.iter().any(|known| of_kind.contains(&known.as_str()))
    });
    listed.map(|kind| kind.name).collect()
}

/// The next time after a time at which it is eight in the morning.
pub(super) fn next_morning(zone: &TimeZone, after: Timestamp) -> Timestamp {
    next_at_eight(zone, after, |_| true)
}

/// Returns when the next digest after a time is sent: at eight in the morning, on a Monday or on the first of a month.
pub(super) fn next_digest(period: DigestPeriod, zone: &TimeZone, after: Timestamp) -> Timestamp {
    next_at_eight(zone, after, |day| match period {
        DigestPeriod::Weekly => day.weekday() == Weekday::Monday,
        DigestPeriod::Monthly => day.day() == 1,
    })
}

fn next_at_eight(zone: &TimeZone, after: Timestamp, is_wanted: impl Fn(Date) -> bool) -> Timestamp {
    let mut day = after.to_zoned(zone.clone()).date();
    // At most 32 days are looked at; a date after the last one of the calendar ends the search.
    loop {
        if is_wanted(day)
            && let Ok(due) = day
                .to_datetime(Time::constant(HOUR, 0, 0, 0))
                .to_zoned(zone.clone())
            && due.timestamp() > after
        {
            return due.timestamp();
        }
        match day.tomorrow() {
            Ok(next) => day = next,
            Err(_) => return Timestamp::MAX,
        }
    }
}

/// Hours without alerts, at a time of day.
#[derive(Clone, Debug)]
pub(crate) struct QuietTime {
    pub(crate) hours: QuietHours,
    pub(crate) zone: TimeZone,
}

impl QuietTime {
    /// Returns when the quiet hours end, if a time is in them. From 22 to 7, for example, three in the morning is.
    pub(crate) fn end_at(&self, now: Timestamp) -> Option<Timestamp> {
        let local = now.to_zoned(self.zone.clone());
        let (from, to) = self.hours;
        let hour = u32::try_from(local.hour()).unwrap_or(0);
        let is_quiet = match from < to {
            true => (from..to).contains(&hour),
            false => hour >= from || hour < to,
        };
        if !is_quiet {
            return None;
        }
        let end = Time::new(i8::try_from(to).ok()?, 0, 0, 0).ok()?;
        let mut day = local.date();
        loop {
            let at = day.to_datetime(end).to_zoned(self.zone.clone()).ok()?.timestamp();
            if at > now {
                return Some(at);
            }
            day = day.tomorrow().ok()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(body: Value) -> Result<DestinationDraft, Vec<String>> {
        DestinationDraft::read(body.as_object().unwrap(), "Europe/Berlin")
            .map_err(|faults| faults.iter().map(|fault| fault.field.clone()).collect())
    }

    #[test]
    fn a_mail_address_gets_everything_by_default() {
        let draft = read(json!({"kind": "mail", "address": " Ada@Example.com "})).unwrap();
        assert_eq!(draft.address, "ada@example.com");
        assert_eq!(
            draft.events,
            [
                "change.noticed",
                "question.lost",
                "alert.raised",
                "budget.reached"
            ]
        );
        assert_eq!((draft.digest, draft.quiet), (Some(DigestPeriod::Weekly), None));
    }

    #[test]
    fn a_program_gets_its_own_events_and_no_digest() {
        let hook = json!({"kind": "webhook", "address": "https://a.example/", "alerts": ["failures"]});
        let draft = read(hook).unwrap();
        assert_eq!((draft.events, draft.digest), (vec!["run.failed"], None));
        let digest = json!({"kind": "webhook", "address": "https://a.example/", "digest": "weekly"});
        assert_eq!(read(digest).unwrap_err(), ["/digest"]);
        assert_eq!(alert_names(&["run.failed".to_owned()]), ["failures"]);
        assert_eq!(kind_name(WebhookKind::Standard), "webhook");
    }

    #[test]
    fn every_fault_is_named() {
        for (body, fields) in [
            (json!({}), vec!["/kind", "/address"]),
            (
                json!({"kind": "mail", "address": "a@b\r\nBcc: c@d"}),
                vec!["/address"],
            ),
            (
                json!({"kind": "mail", "address": "a@b.example", "alerts": [], "digest": null}),
                vec!["/alerts"],
            ),
            (
                json!({"kind": "slack", "address": "x", "alerts": ["news"], "digest": "daily",
                       "quietFrom": 24, "quietTo": 3, "timeZone": "Berlin"}),
                vec!["/alerts/0", "/digest", "/quietFrom", "/timeZone"],
            ),
            (
                json!({"kind": "slack", "address": "x", "report": true}),
                vec!["/report"],
            ),
            (
                json!({"kind": "mail", "address": "a@b.example", "digest": null, "report": true}),
                vec!["/report"],
            ),
            (
                json!({"kind": "mail", "address": "a@b.example", "report": "yes"}),
                vec!["/report"],
            ),
            (
                json!({"kind": "slack", "address": "x", "quietFrom": 22}),
                vec!["/quietTo"],
            ),
        ] {
            assert_eq!(read(body.clone()).unwrap_err(), fields, "{body}");
        }
    }

    #[test]
    fn digests_come_at_eight() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        for (period, after, next) in [
            (
                DigestPeriod::Weekly,
                "2026-11-26T22:00:00Z",
                "2026-11-30T07:00:00Z",
            ),
            (
                DigestPeriod::Weekly,
                "2026-11-30T06:59:59Z",
                "2026-11-30T07:00:00Z",
            ),
            (
                DigestPeriod::Weekly,
                "2026-11-30T07:00:00Z",
                "2026-12-07T07:00:00Z",
            ),
            (
                DigestPeriod::Weekly,
                "2026-03-23T12:00:00Z",
                "2026-03-30T06:00:00Z",
            ),
            (
                DigestPeriod::Monthly,
                "2026-11-26T22:00:00Z",
                "2026-12-01T07:00:00Z",
            ),
        ] {
            let found = next_digest(period, &zone, after.parse().unwrap());
            assert_eq!(found.to_string(), next, "{after}");
        }
    }

    #[test]
    fn quiet_hours_may_pass_midnight() {
        let quiet = QuietTime {
            hours: (22, 7),
            zone: TimeZone::get("Europe/Berlin").unwrap(),
        };
        for (now, end) in [
            ("2026-11-26T20:59:00Z", None),
            ("2026-11-26T21:00:00Z", Some("2026-11-27T06:00:00Z")),
            ("2026-11-27T05:59:00Z", Some("2026-11-27T06:00:00Z")),
            ("2026-11-27T06:00:00Z", None),
        ] {
            let found = quiet.end_at(now.parse().unwrap());
            assert_eq!(found.map(|end| end.to_string()).as_deref(), end, "{now}");
        }
    }
}
