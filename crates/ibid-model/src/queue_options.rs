//! The fields that a queued scan adds to those of its order.

use crate::WebhookId;
use crate::contract::Field;
use crate::contract::field as f;
use crate::count::Priority;
use crate::fault::{FaultCode, Faults};
use crate::keyword::Tag;
use crate::money::UsdMicros;
use crate::object_reader::ObjectReader;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

/// When and on what terms a queued scan runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueOptions {
    /// The one subscription for its events; `None` for all subscriptions that list them.
    pub webhook: Option<WebhookId>,
    /// The time after which it asks no questions.
    pub deadline: Option<Timestamp>,
    /// The most that it may cost.
    pub max_cost: Option<UsdMicros>,
    /// The caller's label.
    pub tag: Option<Tag>,
    /// Its priority among the scans of its caller.
    pub priority: Priority,
}

impl QueueOptions {
    /// The longest time between an order and its deadline.
    pub const MOST_AHEAD: SignedDuration = SignedDuration::from_hours(7 * 24);

    /// Reads the terms of an order that came at the time `now`. Other members are ignored.
    ///
    /// # Errors
    /// All faults, in the order of the fields.
    pub fn parse(body: &Map<String, Value>, now: Timestamp) -> Result<Self, Faults> {
        let mut fields = ObjectReader::new(body);
        let webhook = webhook(&mut fields);
        let deadline = deadline(&mut fields, now);
        let max_cost = fields.dollars(&f::MAX_COST);
        let tag = fields.text(&f::TAG);
        let default = Priority::new(f::PRIORITY.default_count());
        let priority = fields.whole(&f::PRIORITY).and_then(Priority::new).or(default);
        let options = priority.map(|priority| Self {
            webhook,
            deadline,
            max_cost,
            tag,
            priority,
        });
        fields.finish(options)
    }
}

fn text<'a>(fields: &mut ObjectReader<'a>, field: &Field) -> Option<&'a str> {
    let value = fields.get(field.name)?;
    if value.as_str().is_none() {
        let message = format!("{} must be a string", field.name);
        fields.fault(&format!("/{}", field.name), FaultCode::WrongType, message);
    }
    value.as_str()
}

fn webhook(fields: &mut ObjectReader<'_>) -> Option<WebhookId> {
    let id = text(fields, &f::WEBHOOK)?.parse().ok();
    if id.is_none() {
        let message = "webhook must be the id of one of your webhooks";
        fields.fault("/webhook", FaultCode::Invalid, message);
    }
    id
}

fn deadline(fields: &mut ObjectReader<'_>, now: Timestamp) -> Option<Timestamp> {
    let text = text(fields, &f::DEADLINE)?;
    let Ok(deadline) = text.parse::<Timestamp>() else {
        let message = "deadline must be a time such as 2026-12-01T09:00:00Z";
        fields.fault("/deadline", FaultCode::Invalid, message);
        return None;
    };
    let ahead = deadline.duration_since(now);
    if ahead <= SignedDuration::ZERO || ahead > QueueOptions::MOST_AHEAD {
        let message = "deadline must be in the future, and at most 7 days ahead";
        fields.fault("/deadline", FaultCode::OutOfRange, message);
    }
    Some(deadline)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(body: Value) -> Result<QueueOptions, Faults> {
        let now = "2026-11-23T12:00:00Z".parse().unwrap();
        QueueOptions::parse(body.as_object().unwrap(), now)
    }

    #[test]
    fn every_term_is_read() {
        let id = WebhookId::random();
        let options = read(
            json!({"webhook": id, "deadline": "2026-11-23T14:00:00+01:00", "maxCost": 0.5,
            "tag": " monday ", "priority": 1, "other": {}}),
        );
        let expected = QueueOptions {
            webhook: Some(id),
            deadline: "2026-11-23T13:00:00Z".parse().ok(),
            max_cost: Some(UsdMicros::new(500_000)),
            tag: "monday".parse().ok(),
            priority: Priority::literal::<1>(),
        };
        assert_eq!(options.unwrap(), expected);
    }

    #[test]
    fn absent_terms_have_defaults() {
        let expected = QueueOptions {
            webhook: None,
            deadline: None,
            max_cost: None,
            tag: None,
            priority: Priority::literal::<3>(),
        };
        assert_eq!(read(json!({})).unwrap(), expected);
        let nulls =
            json!({"webhook": null, "deadline": null, "maxCost": null, "tag": null, "priority": null});
        assert_eq!(read(nulls).unwrap(), expected);
    }

    #[test]
    fn every_fault_is_named() {
        let check = |body: Value, expected: &[(&str, FaultCode)]| {
            let faults = read(body).unwrap_err();
            let found: Vec<_> = faults
                .iter()
                .map(|fault| (fault.field.as_str(), fault.code))
                .collect();
            assert_eq!(found, expected);
        };
        use FaultCode::{Invalid, OutOfRange, WrongType};
        check(
            json!({"webhook": "x", "deadline": "tomorrow", "maxCost": "1", "tag": "", "priority": 0}),
            &[
                ("/webhook", Invalid),
                ("/deadline", Invalid),
                ("/maxCost", WrongType),
                ("/tag", Invalid),
                ("/priority", OutOfRange),
            ],
        );
        check(
            json!({"webhook": 1, "deadline": 2, "tag": [], "priority": 1.5}),
            &[
                ("/webhook", WrongType),
                ("/deadline", WrongType),
                ("/tag", WrongType),
                ("/priority", Invalid),
            ],
        );
        for deadline in [
            "2026-11-23T12:00:00Z",
            "2026-11-30T12:00:01Z",
            "-009999-01-02T01:59:59Z",
        ] {
            check(json!({"deadline": deadline}), &[("/deadline", OutOfRange)]);
        }
        for cost in [json!(0), json!(-1), json!(10_000.01), json!(1e308)] {
            check(json!({"maxCost": cost}), &[("/maxCost", OutOfRange)]);
        }
    }
}
