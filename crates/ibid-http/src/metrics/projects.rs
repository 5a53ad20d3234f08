//! Metrics of projects.

use super::samples::Samples;
use ibid_service::ProjectCounts;

/// Adds the numbers of projects.
pub(super) fn register(samples: &mut Samples<'_>, counts: &ProjectCounts) {
    let states = [
        ("active", counts.active),
        ("paused", counts.paused),
        ("archived", counts.archived),
    ];
    samples.gauges(
        "ibid_projects",
        "Projects in the database",
        states.map(|(state, count)| (vec![("state", state.to_owned())], count as f64)),
    );
    for (name, help, count) in [
        (
            "ibid_projects_failing",
            "Projects whose last run failed",
            counts.failing,
        ),
        (
            "ibid_projects_without_budget",
            "Active projects of organisations with a budget of 0",
            counts.without_budget,
        ),
    ] {
        samples.gauge(name, help, count as f64);
    }
}
