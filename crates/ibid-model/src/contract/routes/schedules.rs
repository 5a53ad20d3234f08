//! Schedules: scans that are repeated, and alerts about them.

use super::{FAILED, NOT_JSON, OVER_64_KIB, UNAUTHORIZED};
use crate::contract::route::{Access, Method, Parameter, Response, Route, Schema};
use Response as R;
use Schema::Named;

const ROUTER_KEY: Parameter = Parameter::header(
    "X-Router-Key",
    512,
    "Your key at the model provider, which pays every run. Sealed until the schedule is deleted. Never returned.",
);
const SCHEDULE_ID: Parameter = Parameter::path("id", "The `scheduleId`.");
const NO_SCHEDULE: Response = R::problem(404, "No such schedule of this caller");
const NO_ALERT: Response = R::problem(404, "No such alert of this caller");
const FAULTY: Response = R::problem(
    400,
    "Members missing or invalid, or a budget below one run; every fault is listed",
);
const CLOSED: Response = R::problem(
    503,
    "Overloaded, or the operator has set no key to seal provider keys with",
);

/// Makes a schedule.
pub static ADD_SCHEDULE: Route = Route::post("/api/v2/schedules", "addSchedule")
    .access(Access::Bearer)
    .purpose("Repeat a scan every so many hours, days or weeks")
    .summary("Make a schedule")
    .description(
        "Repeats an order at a local time of a time zone. A local time that daylight saving skips or repeats runs once. A run begins up \
         to ten minutes after its time, always at the same delay. After a downtime of the service a schedule runs once. A \
         monthly budget bounds its runs: none starts whose estimate exceeds the rest, and a run stops at it.",
    )
    .parameters(&[ROUTER_KEY])
    .body(Named("ScheduleRequest"))
    .answers("The schedule", Named("Schedule"))
    .status(201)
    .headers(&[("Location", "The path of the schedule.")])
    .errors(&[FAULTY, UNAUTHORIZED, OVER_64_KIB, NOT_JSON, FAILED, CLOSED]);

/// Lists the schedules of the caller.
pub static LIST_SCHEDULES: Route = Route::get("/api/v2/schedules", "listSchedules")
    .access(Access::Bearer)
    .purpose("List your schedules with their next runs")
    .summary("List your schedules, the oldest first")
    .answers("The schedules", Named("ScheduleList"))
    .errors(&[UNAUTHORIZED, FAILED]);

/// Reads a schedule.
pub static READ_SCHEDULE: Route = Route::of_schedule(Method::Get, "/api/v2/schedules/{id}", "readSchedule")
    .purpose("Read a schedule: next runs, last runs, what is spent")
    .summary("Read a schedule")
    .answers("The schedule", Named("Schedule"));

/// Changes a schedule.
pub static EDIT_SCHEDULE: Route = Route::of_schedule(Method::Patch, "/api/v2/schedules/{id}", "editSchedule")
    .purpose("Change a schedule")
    .description("Members that are absent stay as they are; `null` takes a budget or the name away. Without `X-Router-Key` the sealed key stays.")
    .parameters(&[SCHEDULE_ID, ROUTER_KEY])
    .body(Named("ScheduleEdit"))
    .answers("The schedule", Named("Schedule"))
    .errors(&[FAULTY, UNAUTHORIZED, NO_SCHEDULE, OVER_64_KIB, NOT_JSON, FAILED, CLOSED]);

/// Deletes a schedule.
pub static DELETE_SCHEDULE: Route =
    Route::of_schedule(Method::Delete, "/api/v2/schedules/{id}", "deleteSchedule")
        .purpose("Delete a schedule")
        .summary("Delete a schedule with its key and alerts")
        .description("Its scans stay, and one that is under way goes on.")
        .answers("The schedule as it was", Named("Schedule"));

/// Pauses a schedule.
pub static PAUSE_SCHEDULE: Route =
    Route::of_schedule(Method::Post, "/api/v2/schedules/{id}/pause", "pauseSchedule")
        .purpose("Pause a schedule")
        .description("A run that is under way goes on.")
        .answers("The schedule", Named("Schedule"));

/// Ends a pause.
pub static RESUME_SCHEDULE: Route =
    Route::of_schedule(Method::Post, "/api/v2/schedules/{id}/resume", "resumeSchedule")
        .purpose("End the pause of a schedule")
        .description("The next run is in the future: what the pause left out is not made up for.")
        .answers("The schedule", Named("Schedule"));

/// Runs a schedule now.
pub static RUN_SCHEDULE: Route =
    Route::of_schedule(Method::Post, "/api/v2/schedules/{id}/run", "runSchedule")
        .purpose("Run a schedule now")
        .summary("Run a schedule now, paused or not")
        .description(
            "The run counts against the budget and is compared like any other. Its next time stays as it is.",
        )
        .answers(
            "The run: its scan, or the outcome that says why there is none",
            Named("ScheduleRun"),
        )
        .status(202)
        .errors(&[
            UNAUTHORIZED,
            NO_SCHEDULE,
            R::problem(409, "A run of the schedule is under way"),
            FAILED,
        ]);

/// Lists alerts about a schedule.
pub static LIST_SCHEDULE_ALERTS: Route =
    Route::of_schedule(Method::Get, "/api/v2/schedules/{id}/alerts", "listScheduleAlerts")
        .purpose("List alerts about a schedule")
        .summary("List alerts about a schedule, the latest first")
        .description(ALERTS)
        .answers("The latest hundred alerts", Named("AlertList"));

/// Lists the alerts of the caller.
pub static LIST_ALERTS: Route = Route::get("/api/v2/alerts", "listAlerts")
    .access(Access::Bearer)
    .purpose("List alerts about your schedules")
    .summary("List your alerts, the latest first")
    .description(ALERTS)
    .answers("The latest hundred alerts", Named("AlertList"))
    .errors(&[UNAUTHORIZED, FAILED]);

/// Notes that the caller has seen an alert.
pub static SEE_ALERT: Route = Route::post("/api/v2/alerts/{id}/seen", "seeAlert")
    .access(Access::Bearer)
    .purpose("Mark an alert as seen")
    .parameters(&[Parameter::path("id", "The `alertId`.")])
    .answers("The alert", Named("Alert"))
    .errors(&[UNAUTHORIZED, NO_ALERT, FAILED]);

const ALERTS: &str = "An alert is raised when the comparison of a scan with the one before it says `changed`, and when a schedule has \
    failed three times in a row. A run has at most one.";

impl Route {
    /// A route about one schedule of its caller.
    const fn of_schedule(method: Method, path: &'static str, id: &'static str) -> Self {
        let route = Self {
            method,
            ..Self::get(path, id)
        };
        route
            .access(Access::Bearer)
            .parameters(&[SCHEDULE_ID])
            .errors(&[UNAUTHORIZED, NO_SCHEDULE, FAILED])
    }
}
