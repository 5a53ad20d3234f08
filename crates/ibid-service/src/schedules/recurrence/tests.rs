use super::*;
use jiff::ToSpan;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn read(text: &str) -> Recurrence {
    let Ok(Value::Object(members)) = serde_json::from_str(text) else {
        panic!("{text}")
    };
    Recurrence::read(&members, "2026-11-23T12:00:00Z".parse().unwrap()).unwrap()
}

fn faults(text: &str) -> Vec<String> {
    let Ok(Value::Object(members)) = serde_json::from_str(text) else {
        panic!("{text}")
    };
    let faults = Recurrence::read(&members, Timestamp::UNIX_EPOCH).unwrap_err();
    faults.iter().map(|fault| fault.field.clone()).collect()
}

#[test]
fn a_recurrence_is_read_written_and_said() {
    let weekly = read(r#"{"unit":"weeks","weekday":"monday","at":"09:00","timeZone":"Europe/Berlin"}"#);
    assert_eq!(weekly.to_string(), "every week on Monday at 09:00, Europe/Berlin");
    let again = Recurrence::read(&weekly.members(), Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(again, weekly);
    for (text, said) in [
        (
            r#"{"unit":"days","every":2,"at":"07:30","timeZone":"america/new_york"}"#,
            "every 2 days at 07:30, America/New_York",
        ),
        (
            r#"{"unit":"hours","every":6,"at":"01:00","timeZone":"UTC"}"#,
            "every 6 hours from 01:00, UTC",
        ),
        // Without a weekday, the one of the first day counts: 23 November 2026 is a Monday.
        (
            r#"{"unit":"weeks","every":2,"at":"18:05","timeZone":"Asia/Tokyo"}"#,
            "every 2 weeks on Monday at 18:05, Asia/Tokyo",
        ),
    ] {
        assert_eq!(read(text).to_string(), said);
    }
}

#[test]
fn every_fault_is_found() {
    assert_eq!(faults("{}"), ["/unit", "/at", "/timeZone"]);
    assert_eq!(
        faults(
            r#"{"unit":"months","at":"9:00","timeZone":"Mars/Base","every":0,"weekday":"mon","from":"1999-01-01"}"#
        ),
        ["/unit", "/at", "/timeZone", "/every", "/weekday", "/from"]
    );
    for (text, fault) in [
        (r#"{"unit":"days","at":"24:00","timeZone":"UTC"}"#, "/at"),
        (
            r#"{"unit":"days","at":"09:00","timeZone":"UTC","every":91}"#,
            "/every",
        ),
        (
            r#"{"unit":"days","at":"09:00","timeZone":"UTC","every":1.5}"#,
            "/every",
        ),
        (
            r#"{"unit":"days","at":"09:00","timeZone":"UTC","weekday":"monday"}"#,
            "/weekday",
        ),
        (r#"{"unit":"days","at":9,"timeZone":"UTC"}"#, "/at"),
    ] {
        assert_eq!(faults(text), [fault], "{text}");
    }
}

/// Asserts the slots after a moment, in UTC.
fn check(zone: &str, rest: &str, after: &str, slots: &[&str]) {
    let recurrence = read(&format!(r#"{{"timeZone":"{zone}",{rest}}}"#));
    let found = recurrence.next_slots(after.parse().unwrap(), slots.len());
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, slots, "{zone} {rest} after {after}");
}

#[test]
fn skipped_and_repeated_local_times_run_once() {
    let daily = |at: &str, from: &str| format!(r#""unit":"days","at":"{at}","from":"{from}""#);
    let hourly = |at: &str, from: &str| format!(r#""unit":"hours","at":"{at}","from":"{from}""#);
    // Clocks go from 02:00 to 03:00 on 2026-03-29, and from 03:00 to 02:00 on 2026-10-25.
    check(
        "Europe/Berlin",
        &daily("02:30", "2026-03-28"),
        "2026-03-28T02:00:00Z",
        &["2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"],
    );
    check(
        "Europe/Berlin",
        &hourly("00:00", "2026-03-29"),
        "2026-03-29T00:00:00Z",
        &["2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"],
    );
    check(
        "Europe/Berlin",
        &daily("02:30", "2026-10-24"),
        "2026-10-24T01:00:00Z",
        &["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"],
    );
    check(
        "Europe/Berlin",
        &hourly("00:00", "2026-10-24"),
        "2026-10-24T23:30:00Z",
        &[
            "2026-10-25T00:00:00Z",
            "2026-10-25T02:00:00Z",
            "2026-10-25T03:00:00Z",
        ],
    );
    // 2026-03-08 and 2026-11-01.
    check(
        "America/New_York",
        &daily("02:15", "2026-03-07"),
        "2026-03-07T12:00:00Z",
        &["2026-03-08T07:15:00Z", "2026-03-09T06:15:00Z"],
    );
    check(
        "America/New_York",
        &daily("01:15", "2026-10-31"),
        "2026-10-31T12:00:00Z",
        &["2026-11-01T05:15:00Z", "2026-11-02T06:15:00Z"],
    );
    // Clocks change by half an hour: from 02:00 to 02:30 on 2026-10-04, from 02:00 to 01:30 on 2026-04-05.
    check(
        "Australia/Lord_Howe",
        &daily("02:15", "2026-10-03"),
        "2026-10-03T00:00:00Z",
        &["2026-10-03T15:45:00Z", "2026-10-04T15:15:00Z"],
    );
    check(
        "Australia/Lord_Howe",
        &daily("01:45", "2026-04-04"),
        "2026-04-04T00:00:00Z",
        &["2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"],
    );
    // Clocks go back for Ramadan (2025-02-23) and forward after it (2025-04-06).
    check(
        "Africa/Casablanca",
        &daily("02:30", "2025-02-22"),
        "2025-02-22T12:00:00Z",
        &["2025-02-23T01:30:00Z", "2025-02-24T02:30:00Z"],
    );
    check(
        "Africa/Casablanca",
        &daily("02:30", "2025-04-05"),
        "2025-04-05T12:00:00Z",
        &["2025-04-06T02:30:00Z", "2025-04-07T01:30:00Z"],
    );
    // Friday, 2011-12-30 was left out as a whole.
    check(
        "Pacific/Apia",
        &daily("09:00", "2011-12-28"),
        "2011-12-29T00:00:00Z",
        &[
            "2011-12-29T19:00:00Z",
            "2011-12-30T19:00:00Z",
            "2011-12-31T19:00:00Z",
        ],
    );
    check(
        "Pacific/Apia",
        r#""unit":"weeks","weekday":"friday","at":"09:00","from":"2011-12-20""#,
        "2011-12-24T00:00:00Z",
        &["2011-12-30T19:00:00Z", "2012-01-05T19:00:00Z"],
    );
}

#[test]
fn the_first_slot_is_on_or_after_the_given_day() {
    check(
        "UTC",
        r#""unit":"weeks","every":3,"weekday":"sunday","at":"00:00","from":"2026-11-23""#,
        "2020-01-01T00:00:00Z",
        &["2026-11-29T00:00:00Z", "2026-12-20T00:00:00Z"],
    );
    check(
        "UTC",
        r#""unit":"days","every":90,"at":"23:59","from":"2026-01-01""#,
        "2026-01-01T23:59:00Z",
        &["2026-04-01T23:59:00Z"],
    );
}

/// The slots between two moments, found by a check of the local time of every minute.
fn walk(recurrence: &Recurrence, from: Timestamp, to: Timestamp) -> Vec<Timestamp> {
    let is_slot = |wall: DateTime| {
        let since = wall.duration_since(recurrence.first);
        !since.is_negative() && since.as_secs() % recurrence.period().as_secs() == 0
    };
    let mut slots = BTreeSet::new();
    let mut seen = BTreeSet::new();
    // A minute of a day that a zone skips happens a day later.
    let mut at = from - 27.hours();
    let mut before = recurrence.zone.to_datetime(at);
    while at <= to {
        let wall = recurrence.zone.to_datetime(at);
        // Minutes that the clock has left out happen later by as much as it left out.
        let mut skipped = before + 1.minute();
        let gap = wall.duration_since(skipped);
        while skipped < wall {
            if is_slot(skipped) {
                let moved = skipped.duration_since(wall - gap);
                slots.insert(at + moved);
            }
            skipped += 1.minute();
        }
        // A minute that the clock shows again does not count again.
        if seen.insert(wall) && is_slot(wall) {
            slots.insert(at);
        }
        before = wall;
        at += SignedDuration::from_mins(1);
    }
    slots
        .into_iter()
        .filter(|slot| (from..=to).contains(slot))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn slots_are_those_of_a_walk_minute_by_minute(
        // Days around changes of the clock, and others.
        (zone, day) in prop::sample::select(vec![
            ("Europe/Berlin", "2026-03-29"), ("Europe/Berlin", "2026-10-25"), ("Europe/Berlin", "2026-06-01"),
            ("America/New_York", "2026-03-08"), ("America/New_York", "2026-11-01"),
            ("Australia/Lord_Howe", "2026-04-05"), ("Australia/Lord_Howe", "2026-10-04"),
            ("Africa/Casablanca", "2025-02-23"), ("Africa/Casablanca", "2025-04-06"),
            ("Pacific/Apia", "2011-12-30"), ("Asia/Kathmandu", "2026-01-01"), ("UTC", "2026-02-28"),
        ]),
        (unit, every) in prop_oneof![
            (Just("hours"), 1_u16..=30), (Just("days"), 1_u16..=3), (Just("weeks"), 1_u16..=1)],
        before in 1_i64..=9,
        (hour, minute) in (0_i8..24, prop::sample::select(vec![0_i8, 15, 29, 30, 31, 45, 59])),
        start in 0_i64..(4 * 1_440),
    ) {
        let day: Date = day.parse().unwrap();
        let from = day - before.days();
        let text = format!(
            r#"{{"unit":"{unit}","every":{every},"at":"{hour:02}:{minute:02}","timeZone":"{zone}","from":"{from}"}}"#);
        let recurrence = read(&text);
        let midnight = (day - 2.days()).to_zoned(recurrence.zone.clone()).unwrap().timestamp();
        let after = midnight + SignedDuration::from_mins(start);
        let until = after + SignedDuration::from_hours(60);
        let walked = walk(&recurrence, after + SignedDuration::from_mins(1), until);
        let found: Vec<Timestamp> =
            recurrence.next_slots(after, 80).into_iter().filter(|slot| *slot <= until).collect();
        prop_assert_eq!(found, walked, "{}", text);
    }
}
