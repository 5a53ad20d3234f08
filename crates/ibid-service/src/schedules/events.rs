//! The events of schedules.

use super::month_began;
use crate::webhooks::EventMessage;
use ibid_model::{AlertId, ProjectId, ScanId, UsdMicros, WebhookEvent};
use jiff::Timestamp;
use serde_json::{Value, json};

/// A schedule has started a scan.
pub(super) fn fired(scan: ScanId, at: Timestamp, data: &Value) -> EventMessage {
    EventMessage::new(WebhookEvent::ScheduleFired, scan.to_string(), at, data)
}

/// An alert was raised. A change of a project has an event of its own, so that people can take the one without the other.
pub(super) fn raised(
    alert: AlertId,
    is_change_of_project: bool,
    at: Timestamp,
    data: &Value,
) -> EventMessage {
    let event = match is_change_of_project {
        true => WebhookEvent::ChangeNoticed,
        false => WebhookEvent::AlertRaised,
    };
    EventMessage::new(event, alert.to_string(), at, data)
}

/// A question of a project lost its answers with a run.
pub(super) fn question_lost(
    project: ProjectId,
    name: &str,
    scan: ScanId,
    question: &Value,
    at: Timestamp,
) -> EventMessage {
    let data = json!({
        "projectId": project,
        "name": name,
        "scanId": scan,
        "question": question["question"],
        "before": question["before"],
        "since": question["since"],
    });
    EventMessage::new(WebhookEvent::QuestionLost, scan.to_string(), at, &data)
}

/// So many percent of the budget of the month of a project are spent. It is said once a month for each share.
pub(super) fn budget_reached(
    project: ProjectId,
    name: &str,
    percent: u32,
    (spent, budget): (u64, u64),
    at: Timestamp,
) -> EventMessage {
    let data = json!({
        "projectId": project,
        "name": name,
        "percent": percent,
        "spentUsd": UsdMicros::new(spent).dollars(),
        "budgetUsd": UsdMicros::new(budget).dollars(),
    });
    let subject = format!("{project} {} {percent}", month_began(at));
    EventMessage::new(WebhookEvent::BudgetReached, subject, at, &data)
}
