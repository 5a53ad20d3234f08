//! Queued scans: the routes of the second API.

use super::{
    FAILED, IDEMPOTENCY_KEY, KEY_USED, NO_SCAN, NOT_JSON, OVER_64_KIB, POLICY, SCAN_ID, UNAUTHORIZED, WAIT,
};
use crate::contract::route::{Access, EVENTS, Headers, Parameter, Response, Route, Schema};
use Response as R;
use Schema::{Json, Named};

const ROUTER_KEY: Parameter = Parameter::header(
    "X-Router-Key",
    512,
    "Your key at the model provider. Sealed until the scan has ended, then erased. Never returned.",
);
const FAULTY: Response = R::problem(
    400,
    "Parameters missing or invalid, or the plan too large or too expensive; every fault is listed, nothing is queued",
);
const LIMITED: Response = R::problem(429, "Limit used up; only when limits are enforced").headers(&[
    WAIT,
    ("RateLimit", "What is left of the hour."),
    POLICY,
]);
const CLOSED: Response = R::problem(
    503,
    "Overloaded, or the operator has set no key to seal provider keys with",
)
.headers(&[WAIT]);
const OVER_4_MIB: Response = R::problem(413, "Body over 4 MiB");
const ETAG: (&str, &str) = ("ETag", "The tag of this state, for `If-None-Match`.");
const OPEN: Headers = &[
    (
        "Retry-After",
        "Seconds until it is worth asking again; absent once the scan has ended.",
    ),
    ETAG,
];
const QUEUED: Headers = &[
    ("Location", "The path of the scan."),
    WAIT,
    (
        "RateLimit",
        "What is left of the hour. Absent where nothing is counted.",
    ),
    POLICY,
];
const UUID: Schema = Json(r#"{"type": "string", "format": "uuid"}"#);
const TEXT: Schema = Json(r#"{"type": "string", "minLength": 1, "maxLength": 300}"#);
const TIME: Schema = Json(r#"{"type": "string", "format": "date-time"}"#);
const IF_NONE_MATCH: Parameter = Parameter::header(
    "If-None-Match",
    0,
    "The `ETag` of an earlier answer: the answer is 304 while nothing has changed.",
);

/// Queues a scan.
pub static QUEUE_SCAN: Route = Route::post("/api/v2/scans", "queueScan")
    .access(Access::Bearer)
    .purpose("Queue a scan, get its id at once")
    .summary("Queue a scan")
    .description(
        "The body of `POST /api/v1/scan`, and when it should be done, what it may cost and which webhook hears of it. The \
         scan goes on without the connection. It survives a restart of the service, which repeats no answered question.",
    )
    .parameters(&[ROUTER_KEY, IDEMPOTENCY_KEY])
    .body(Named("QueuedScanRequest"))
    .answers("The queued scan", Named("QueuedScanSummary"))
    .status(202)
    .headers(QUEUED)
    .errors(&[
        FAULTY,
        UNAUTHORIZED,
        KEY_USED,
        OVER_64_KIB,
        NOT_JSON,
        LIMITED,
        FAILED,
        CLOSED,
    ]);

/// Lists the queued scans of the caller.
pub static LIST_QUEUED_SCANS: Route = Route::get("/api/v2/scans", "listQueuedScans")
    .access(Access::Bearer)
    .purpose("List your queued scans")
    .summary("List your scans, the latest first")
    .description("Scans of other callers and of the first API are not in the list. Every filter narrows it.")
    .parameters(&[
        Parameter::query("domain", TEXT, "Scans of this domain."),
        Parameter::query("keyword", TEXT, "Scans of this keyword, in upper or lower case."),
        Parameter::query("location", TEXT, "Scans of this place as it was ordered, in upper or lower case."),
        Parameter::query("tag", TEXT, "Scans with this label."),
        Parameter::query(
            "status",
            Json(r#"{"type": "string", "enum": ["queued", "running", "complete", "partial", "failed", "cancelled"]}"#),
            "Scans in this state.",
        ),
        Parameter::query("batch", UUID, "Scans of this batch."),
        Parameter::query("schedule", UUID, "Scans of this schedule."),
        Parameter::query("from", TIME, "Scans ordered at this time or later."),
        Parameter::query("until", TIME, "Scans ordered before this time."),
        Parameter::query("cursor", UUID, "`nextCursor` of the page before."),
        Parameter::query(
            "limit",
            Json(r#"{"type": "integer", "minimum": 1, "maximum": 100}"#),
            "Most scans of a page. Default: 50.",
        ),
    ])
    .answers("A page of scans", Named("QueuedScanPage"))
    .errors(&[
        R::problem(400, "A filter is invalid; every fault is listed"),
        UNAUTHORIZED,
        FAILED,
    ]);

/// Queues several scans.
pub static QUEUE_SCANS: Route = Route::post("/api/v2/scans/batch", "queueScans")
    .access(Access::Bearer)
    .purpose("Queue up to 1,000 scans at once")
    .summary("Queue several scans")
    .description(
        "With a fault in one order nothing is queued, and `errors` lists the faults of all orders with pointers such as \
         `/orders/7/keyword`. Where the hourly limit is enforced, the first orders are queued, as many as it leaves, and `errors` of \
         the answer lists the others; where it leaves none, the answer is 429. One `X-Router-Key` pays for all of them.",
    )
    .parameters(&[ROUTER_KEY, IDEMPOTENCY_KEY])
    .body(Named("BatchRequest"))
    .answers("The queued scans, in the order of the request", Named("Batch"))
    .status(202)
    .headers(QUEUED)
    .errors(&[
        FAULTY,
        UNAUTHORIZED,
        KEY_USED,
        OVER_4_MIB,
        NOT_JSON,
        LIMITED,
        FAILED,
        CLOSED,
    ]);

/// Reads a queued scan.
pub static READ_QUEUED_SCAN: Route = Route::of_scan(Route::get("/api/v2/scans/{id}", "readQueuedScan"))
    .purpose("Read a queued scan: its progress, then its result")
    .summary("Read a queued scan")
    .description(
        "`status` is `queued` or `running`, with progress and interim readings, or `complete` (every question was answered), \
         `partial` (some were), `failed` (none was) or `cancelled` (by you; `result` has the answers until then, if any). \
         A model without an answer has `score: null`.",
    )
    .parameters(&[SCAN_ID, IF_NONE_MATCH])
    .answers("The scan", Named("QueuedScan"))
    .headers(OPEN);

/// Cancels a queued scan.
pub static CANCEL_QUEUED_SCAN: Route =
    Route::of_scan(Route::delete("/api/v2/scans/{id}", "cancelQueuedScan"))
        .purpose("Cancel a queued scan")
        .description(
            "No question is asked any more. What was answered is kept and scored. A scan that has ended stays as it is, so the \
             call can be repeated.",
        )
        .answers("The scan", Named("QueuedScan"))
        .status(202)
        .headers(OPEN);

/// Follows a queued scan.
pub static WATCH_QUEUED_SCAN: Route =
    Route::of_scan(Route::get("/api/v2/scans/{id}/events", "watchQueuedScan"))
        .purpose("Follow a queued scan as Server-Sent Events")
        .summary("Follow a queued scan")
        .description(
            "`progress` with the number of answered questions, which is also the id of the event, then `scan_ended`. A client \
             that lost the connection sends the last id and gets what came after it. After `scan_ended` the answer to a \
             reconnection is 204, at which browsers stop.",
        )
        .parameters(&[
            SCAN_ID,
            Parameter::header("Last-Event-ID", 100, "The id of the last event that arrived."),
        ])
        .answers_text(EVENTS, "The events");

/// Reads the evidence of a queued scan.
pub static READ_QUEUED_ANSWERS: Route =
    Route::of_scan(Route::get("/api/v2/scans/{id}/answers", "readQueuedAnswers"))
        .purpose("Read every question, answer and reading of a queued scan")
        .summary("Read the evidence of a queued scan that has ended")
        .answers("Every question, answer and reading", Named("Evidence"));

/// Reads a queued scan as it is scored today.
pub static READ_QUEUED_RESCORED: Route = Route::of_scan(Route::get(
    "/api/v2/scans/{id}/rescored",
    "readRescoredQueuedScan",
))
.purpose("Read a queued scan scored again with the method of today")
.summary("Read a queued scan that has ended as it is scored today")
.answers("The scan with its new numbers", Named("RescoredScan"));

/// Compares two queued scans.
pub static COMPARE_QUEUED_SCANS: Route = Route::of_scan(Route::get(
    "/api/v2/scans/{id}/compare/{other}",
    "compareQueuedScans",
))
.purpose("Compare two queued scans: changed, within noise, or not comparable")
.summary("Compare two queued scans that have ended")
.description("How the second scan differs from the first: changed, within noise, or not comparable.")
.parameters(&[
    SCAN_ID,
    Parameter::path("other", "The `scanId` of the second scan."),
])
.answers("The comparison", Named("Comparison"));

impl Route {
    /// A route about one scan of its caller.
    const fn of_scan(self) -> Self {
        self.access(Access::Bearer)
            .parameters(&[SCAN_ID])
            .errors(&[UNAUTHORIZED, NO_SCAN, FAILED])
    }
}
