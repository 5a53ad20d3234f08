//! Every route, in reading order. Pages for people are not part of the contract; `ibid-http` mounts them.
//!
//! ```
//! use ibid_model::contract::ROUTES;
//!
//! let paths: Vec<&str> = ROUTES.iter().map(|route| route.path).collect();
//! assert_eq!(paths[..2], ["/api/v1/scan", "/api/v1/plan"]);
//! ```

mod projects;
mod push;
mod questions;
mod schedules;
mod v2;
mod webhooks;

pub use projects::{
    ADD_ACTION, ADD_ANNOTATION, ADD_DESTINATION, ADD_PERSON, ADD_PROJECT, BEGIN_ANSWER_IMPORT, DELETE_ACTION,
    DELETE_ANNOTATION, DELETE_ANSWER_IMPORT, DELETE_DESTINATION, DELETE_OWN_DATA, DELETE_PROJECT,
    DELETE_REPORT, DELETE_RIVAL, EDIT_ACTION, EDIT_PROJECT, HIDE_BADGE, IMPORT_OWN_DATA, IMPORT_OWN_ROWS,
    IMPORT_PROJECT, LINK_REPORT, LIST_ACTIONS, LIST_ANNOTATIONS, LIST_ANSWER_IMPORTS, LIST_DESTINATIONS,
    LIST_FEED_KEYS, LIST_PEOPLE, LIST_PROJECT_KEYS, LIST_PROJECT_RUNS, LIST_PROJECTS, LIST_REPORTS,
    LIST_RIVALS, MAKE_FEED_KEY, MAKE_PROJECT_KEY, MAKE_REPORT, MOVE_IN, PUT_ANSWERS, PUT_RIVAL, READ_ACTION,
    READ_ANSWER_IMPORT, READ_ANSWER_TABLE, READ_ANSWER_WORKBOOK, READ_AUDIT_LOG, READ_AUDIT_TABLE, READ_FEED,
    READ_MOVES, READ_OWN_DATA, READ_PROJECT, READ_PROJECT_ARCHIVE, READ_PROJECT_HISTORY,
    READ_PROJECT_QUESTIONS, READ_PROJECT_RUN, READ_REPORT, READ_REPORT_PDF, READ_SOURCES, REMOVE_PERSON,
    REVOKE_FEED_KEY, REVOKE_PROJECT_KEY, SHOW_BADGE, START_PROJECT_RUN, STOP_PROJECT_RUN, TEST_DESTINATION,
    UNLINK_REPORT,
};
pub use push::{ADD_PUSH_CONFIG, DELETE_PUSH_CONFIG, LIST_PUSH_CONFIGS, READ_PUSH_CONFIG};
pub use questions::{
    ADD_QUESTION_SET, CHECK_QUESTIONS, DELETE_QUESTION_SET, IMPORT_QUESTIONS, LIST_QUESTION_SETS,
    PROPOSE_QUESTIONS, READ_QUESTION_SET, REPLACE_QUESTION_SET,
};
pub use schedules::{
    ADD_SCHEDULE, DELETE_SCHEDULE, EDIT_SCHEDULE, LIST_ALERTS, LIST_SCHEDULE_ALERTS, LIST_SCHEDULES,
    PAUSE_SCHEDULE, READ_SCHEDULE, RESUME_SCHEDULE, RUN_SCHEDULE, SEE_ALERT,
};
pub use v2::{
    CANCEL_QUEUED_SCAN, COMPARE_QUEUED_SCANS, LIST_QUEUED_SCANS, QUEUE_SCAN, QUEUE_SCANS,
    READ_QUEUED_ANSWERS, READ_QUEUED_RESCORED, READ_QUEUED_SCAN, WATCH_QUEUED_SCAN,
};
pub use webhooks::{
    ADD_WEBHOOK, DELETE_WEBHOOK, EDIT_WEBHOOK, LIST_DELIVERIES, LIST_WEBHOOKS, READ_DELIVERY, READ_WEBHOOK,
    REDELIVER, ROTATE_WEBHOOK, TEST_WEBHOOK,
};

use super::route::{Access, EVENTS, Headers, Method, OBJECT, Parameter, Response, Route, Schema};
use super::skill::Skill;
use Response as R;
use Schema::{Json, Named};

const SCAN_ID: Parameter = Parameter::path("id", "The `scanId`.");
const UNAUTHORIZED: Response =
    R::problem(401, "Bearer key missing or invalid").headers(&[("WWW-Authenticate", "`Bearer`")]);
const NO_SCAN: Response = R::problem(404, "No such scan on this surface");
const FAILED: Response = R::problem(500, "Failure inside the service, or no model answered");
const OVER_64_KIB: Response = R::problem(413, "Body over 64 KiB");
const TOO_LARGE: Response = R::problem(413, "Body too large");
const NOT_JSON: Response = R::problem(415, "Body not JSON");
const STORED: Headers = &[
    (
        "X-Method-Outdated",
        "The version of the method that scored it, if that is no longer the current one.",
    ),
    ("Link", "Then: where the scan is as scored today."),
];
const WAIT: (&str, &str) = ("Retry-After", "Seconds until it is worth coming back.");
const POLICY: (&str, &str) = ("RateLimit-Policy", "Scans an hour, and scans at once.");

const IDEMPOTENCY_KEY: Parameter = Parameter::header(
    "Idempotency-Key",
    255,
    "A text of yours that names this request for 24 hours. Sent again with the same body, it gets the same scan.",
);
const KEY_USED: Response = R::problem(409, "The Idempotency-Key was sent with another body");

/// Runs a scan with the caller's own key.
pub static CREATE_SCAN: Route = Route::post("/api/v1/scan", "createScan")
    .access(Access::Bearer)
    .purpose("Run a scan, get the full result back")
    .summary("Run a scan and wait for its result")
    .description("Closing the connection cancels the scan, unless it has an `Idempotency-Key`: its calls are paid with your key.")
    .parameters(&[
        Parameter::header(
            "X-Router-Key",
            512,
            "Your key at the model provider. Used for this scan only, never stored or returned.",
        ),
        IDEMPOTENCY_KEY,
    ])
    .body(Named("ScanRequest"))
    .answers("The finished scan", Named("ScanReply"))
    .headers(&[
        (
            "RateLimit",
            "What is left of the hour. Absent where nothing is counted.",
        ),
        POLICY,
    ])
    .errors(&[
        R::problem(400, "Parameters missing or invalid; every fault is listed"),
        UNAUTHORIZED,
        KEY_USED,
        OVER_64_KIB,
        NOT_JSON,
        R::problem(429, "Limit used up; only when limits are enforced").headers(&[
            WAIT,
            ("RateLimit", "What is left of the hour."),
            POLICY,
        ]),
        FAILED,
        R::problem(503, "Overloaded; come back after Retry-After").headers(&[WAIT]),
    ]);

/// Plans a scan without running it.
pub static PLAN_V1_SCAN: Route = Route::post("/api/v1/plan", "planScan")
    .access(Access::Bearer)
    .purpose("Every question of a scan and its cost; asks no model")
    .summary("Plan a scan: its questions, its place and its cost")
    .description(
        "A dry run with the body of `POST /api/v1/scan`. No model is asked and no provider key is needed. A place that was \
         corrected or has several meanings is in `location` and in `warnings`.",
    )
    .body(Named("ScanRequest"))
    .answers("The plan", Named("ScanPlan"))
    .errors(&[
        R::problem(400, "Parameters missing or invalid; every fault is listed"),
        UNAUTHORIZED,
        OVER_64_KIB,
        NOT_JSON,
        R::problem(503, "Overloaded; come back after Retry-After").headers(&[WAIT]),
    ]);

/// Reads a stored scan.
pub static READ_SCAN: Route = Route::read_v1("/api/v1/scan/{id}", "readScan")
    .purpose("Read a finished scan")
    .answers("The scan", Named("StoredScan"))
    .headers(STORED);

/// Reads the evidence of a stored scan.
pub static READ_ANSWERS: Route = Route::read_v1("/api/v1/scan/{id}/answers", "readAnswers")
    .purpose("Read every question, answer and reading of a scan")
    .summary("Read the evidence of a scan")
    .answers("Every question, answer and reading", Named("Evidence"));

/// Reads a stored scan as it is scored today.
pub static READ_RESCORED: Route = Route::read_v1("/api/v1/scan/{id}/rescored", "readRescoredScan")
    .purpose("Read a scan scored again with the method of today")
    .summary("Read a finished scan as it is scored today")
    .description(
        "The answers of the scan read and scored with the current method; the numbers that were released are in \
         `method.previous`. When the method has changed since, reading the scan gives a `Link` with rel \
         `latest-version` to this path and the header `X-Method-Outdated` with the old version.",
    )
    .answers("The scan with its new numbers", Named("StoredScan"))
    .headers(STORED);

/// Compares two stored scans.
pub static COMPARE_SCANS: Route = Route::read_v1("/api/v1/scan/{id}/compare/{other}", "compareScans")
    .purpose("Compare two scans: changed, within noise, or not comparable")
    .summary("Compare two finished scans")
    .description("How the second scan differs from the first: changed, within noise, or not comparable.")
    .parameters(&[
        SCAN_ID,
        Parameter::path("other", "The `scanId` of the second scan."),
    ])
    .answers("The comparison", Named("Comparison"));

/// Finds the changes in a series of stored scans.
pub static READ_HISTORY: Route = Route::post("/api/v1/history", "readHistory")
    .access(Access::Bearer)
    .purpose("The changes in a series of scans, and the average since the last one")
    .summary("Find the changes in a series of scans")
    .description(
        "The order of the list is the order of time. A change is looked for on questions that several scans asked, so that \
         looking after every scan raises no more false alarms. Where another model, question set, count or method begins, \
         `notes` names the scan, and answers before and after it are not compared.",
    )
    .body(Named("HistoryRequest"))
    .answers("The history", Named("History"))
    .errors(&[
        R::problem(400, "`scanIds` is missing or invalid"),
        UNAUTHORIZED,
        NO_SCAN,
        R::problem(409, "The scans are not of one series"),
        OVER_64_KIB,
        NOT_JSON,
        FAILED,
    ]);

/// Lists the model aliases.
pub static LIST_MODELS: Route = Route::get("/api/v1/models", "listModels")
    .purpose("List the model aliases")
    .answers("The alias table, in order", Named("Models"));

const SETTLED: Headers = &[
    ("PAYMENT-RESPONSE", "Base64 of a Settlement."),
    ("X-PAYMENT-RESPONSE", "Base64 of a Settlement."),
];

/// What a paid route answers when no work is done.
const SOLD: &[Response] = &[
    R::problem(
        400,
        "Order or payment malformed, or the plan too large or too expensive; nothing was spent",
    ),
    Response::json(
        402,
        "A payment is due, or the one sent is refused: `error` says why",
        Named("PaymentRequired"),
    )
    .headers(&[("PAYMENT-REQUIRED", "The offer of version 2.")]),
    TOO_LARGE,
    NOT_JSON,
    R::problem(
        500,
        "Failure inside the service, or no model answered; nothing was charged",
    ),
    R::problem(
        502,
        "No verdict of the facilitator. Send the same payment again; do not sign a new one",
    ),
    R::problem(503, "Nothing is sold here, or overloaded"),
];

const PAYMENT_1: Parameter = Parameter::header(
    "X-PAYMENT",
    16_384,
    "Payment of version 1: base64 of a JSON object.",
);
const PAYMENT_2: Parameter = Parameter::header(
    "PAYMENT-SIGNATURE",
    16_384,
    "Payment of version 2: base64 of a JSON object.",
);

/// Sells a scan.
pub static BUY_SCAN: Route = Route::sold(Skill::Scan, "/api/a2a/scan", "buyScan")
    .purpose("Citation scan for a domain and a keyword")
    .summary("Buy a scan")
    .body(Named("PaidScanRequest"))
    .delivers("StoredScan");

/// Sells a radius analysis.
pub static BUY_RADIUS: Route = Route::sold(Skill::Radius, "/api/a2a/radius", "buyRadius")
    .purpose("Citation scan with rings around a place")
    .summary("Buy a radius analysis")
    .body(Named("RadiusRequest"))
    .delivers("StoredScan");

/// Sells a page audit.
pub static BUY_AUDIT: Route = Route::sold(Skill::Audit, "/api/a2a/audit", "buyAudit")
    .purpose("Audit of a page for citability")
    .summary("Buy a page audit")
    .body(Named("AuditRequest"))
    .delivers("AuditReply");

/// Sells a bundle.
pub static BUY_FULL: Route = Route::sold(Skill::Full, "/api/a2a/full", "buyFull")
    .purpose("Scan, radius and audit in one")
    .summary("Buy scan, radius and audit in one")
    .body(Named("FullRequest"))
    .delivers("FullReply");

/// Sells a scan as a stream of events.
pub static WATCH_SCAN: Route = Route {
    offer: "AI citation scan with live progress (SSE); not charged if fewer than two thirds of the questions are answered",
    ..Route::sold(Skill::Scan, "/api/a2a/watch", "watchScan")
        .purpose("The scan as Server-Sent Events")
        .summary("Buy a scan and watch it")
        .body(Named("PaidScanRequest"))
        .answers_text(
            EVENTS,
            "Server-Sent Events: `progress` for every answer, then `scan_complete` and `payment_settled`",
        )
};

/// Reads what was bought.
pub static READ_BOUGHT: Route = Route::get("/api/a2a/scan/{id}", "readBought")
    .purpose("Read a bought scan; the id is the key to it")
    .summary("Read what was bought; the id is the capability")
    .parameters(&[Parameter::path("id", "")])
    .answers(
        "The document",
        Json(
            r##"{"anyOf": [{"$ref": "#/components/schemas/FullReply"}, {"$ref": "#/components/schemas/StoredScan"}]}"##,
        ),
    )
    .errors(&[
        R::problem(404, "Nothing was bought under this id"),
        R::problem(500, "Failure inside the service"),
    ]);

/// Lists the purchases of a wallet.
pub static LIST_RECEIPTS: Route = Route::sold(Skill::MyReceipts, "/api/a2a/my-receipts", "listReceipts")
    .access(Access::Proof)
    .purpose("Your own purchases; verified, never settled")
    .summary("List your own purchases; the payment proves the wallet and is never settled")
    .body(Named("ReceiptsRequest"))
    .answers("Receipts, the latest first", Named("ReceiptPage"));

/// Takes JSON-RPC calls of agents.
pub static CALL_AGENT: Route = Route::post("/api/a2a/jsonrpc", "callAgent")
    .access(Access::Payment)
    .purpose("The same skills over the agent-to-agent protocol, 0.2 to 1.0")
    .summary("Agent-to-agent protocol (A2A) 0.2, 0.3 and 1.0 over JSON-RPC")
    .description(
        "Skills scan, radius, audit, full and my-receipts; paid in the metadata of messages (a2a-x402 v0.1 and v0.2) or in a \
         payment header. Errors of JSON-RPC come with status 200.",
    )
    .parameters(&[
        Parameter { most: 0, ..PAYMENT_1 },
        Parameter { most: 0, ..PAYMENT_2 },
        Parameter::header(
            "X-A2A-Extensions",
            0,
            "Extensions that the client activates; the payment extension is echoed.",
        ),
        Parameter::header("A2A-Version", 0, "`1.0`, or `0.3`, which is also meant without the header."),
    ])
    .body(Json(
        r#"{"type": "object", "required": ["jsonrpc", "method"], "properties": {
            "jsonrpc": {"const": "2.0"}, "id": {"type": ["string", "number", "null"]},
            "method": {"type": "string", "enum": ["SendMessage", "SendStreamingMessage", "GetTask", "ListTasks", "CancelTask", "SubscribeToTask",
                "message/send", "message/stream", "tasks/get", "tasks/cancel", "tasks/resubscribe"]},
            "params": {"type": "object"}}}"#,
    ))
    .answers(
        "The answer; for streaming methods a stream of answers",
        Json(
            r#"{"type": "object", "required": ["jsonrpc", "id"], "properties": {
                "jsonrpc": {"const": "2.0"}, "id": {"type": ["string", "number", "null"]},
                "result": {"type": "object", "description": "A task, or an event of a stream."},
                "error": {"type": "object", "required": ["code", "message"], "properties": {
                    "code": {"type": "integer"}, "message": {"type": "string"}, "data": {"type": ["object", "array"], "items": {"type": "object"}}}}}}"#,
        ),
    )
    .or_events()
    .errors(&[TOO_LARGE, NOT_JSON]);

const MCP_ERROR: Schema = Json(
    r#"{"type": "object", "required": ["jsonrpc", "error"], "properties": {
        "jsonrpc": {"const": "2.0"}, "error": {"type": "object", "required": ["code", "message"], "properties": {
            "code": {"type": "integer"}, "message": {"type": "string"}, "data": {}}}}}"#,
);
const NO_MCP: Response = R::json(
    400,
    "No message of the protocol, or headers that do not fit it",
    MCP_ERROR,
);
const NO_MCP_ACCEPT: Response = R::json(
    406,
    "`Accept` does not name both application/json and text/event-stream",
    MCP_ERROR,
);

/// Takes messages of MCP clients.
pub static CALL_MCP: Route = Route::post("/mcp", "callMcp")
    .access(Access::Open)
    .purpose("Tools for MCP clients, revisions 2026-07-28 and 2025-11-25")
    .summary("Model Context Protocol (MCP) over streamable HTTP, without sessions")
    .description(
        "Tools plan_scan, run_scan, get_scan, cancel_scan, compare_scans, scan_history, list_scans, score_answers, audit_page, locate and models. \
         Looking up, planning and scoring are free and open. Scans and audits need the bearer key, scans also the caller's provider key in \
         X-Router-Key; callers without keys buy both with x402 in `_meta`, where the server sells.",
    )
    .body(Json(
        r#"{"type": "object", "required": ["jsonrpc"], "properties": {
            "jsonrpc": {"const": "2.0"}, "id": {"type": ["string", "number"]},
            "method": {"type": "string"}, "params": {"type": "object"}}}"#,
    ))
    .answers(
        "The answer, or a stream of notifications that ends with it",
        Json(
            r#"{"type": "object", "required": ["jsonrpc"], "properties": {
                "jsonrpc": {"const": "2.0"}, "id": {"type": ["string", "number", "null"]},
                "result": {"type": "object"}, "error": {"type": "object", "required": ["code", "message"], "properties": {
                    "code": {"type": "integer"}, "message": {"type": "string"}, "data": {}}}}}"#,
        ),
    )
    .or_events()
    .errors(&[NO_MCP, UNAUTHORIZED, NO_MCP_ACCEPT, TOO_LARGE, NOT_JSON]);

const TASK_ID: Parameter = Parameter::path(
    "id",
    "The id of the task. Knowing it is the permission to read the task.",
);
const A2A_VERSION: Parameter = Parameter::header("A2A-Version", 0, "`1.0`. Without it the call is refused.");
const STATUS: Schema = Json(
    r#"{"type": "object", "required": ["error"], "properties": {"error": {"type": "object", "required": ["code", "message"],
        "properties": {"code": {"type": "integer"}, "status": {"type": "string"}, "message": {"type": "string"},
            "details": {"type": "array", "items": {"type": "object", "required": ["@type"], "properties": {"@type": {"type": "string"}}}}}}}}"#,
);
const TASK: Schema = Json(
    r#"{"type": "object", "required": ["id", "status"], "properties": {"id": {"type": "string"}, "contextId": {"type": "string"},
        "status": {"type": "object"}, "artifacts": {"type": "array", "items": {"type": "object"}},
        "history": {"type": "array", "items": {"type": "object"}}, "metadata": {"type": "object"}}}"#,
);
const MESSAGE: Schema = Json(
    r#"{"type": "object", "required": ["message"], "properties": {"message": {"type": "object", "required": ["messageId", "role",
        "parts"]}, "configuration": {"type": "object"}, "metadata": {"type": "object"}}}"#,
);
const A2A_JSON: &str = "application/json";
const fn refused(status: u16, about: &'static str) -> Response {
    Response {
        media: A2A_JSON,
        ..Response::json(status, about, STATUS)
    }
}
const BAD_CALL: Response = refused(400, "Faults in the request, or an operation that is not offered");
const NO_TASK: Response = refused(404, "No such task");

/// Takes a message of A2A 1.0 over HTTP.
pub static SEND_MESSAGE: Route = Route::over_http(Method::Post, "/api/a2a/v1/message:send", "sendMessage")
    .access(Access::Payment)
    .purpose("The same over the agent-to-agent protocol 1.0, HTTP and JSON")
    .summary("A2A 1.0: send a message, get the task")
    .parameters(&[A2A_VERSION, PAYMENT_1, PAYMENT_2])
    .body(MESSAGE)
    .answers_a2a(
        "The task",
        Json(r#"{"type": "object", "properties": {"task": {"type": "object"}}}"#),
    )
    .errors(&[BAD_CALL, NO_TASK, TOO_LARGE]);

/// Takes a message of A2A 1.0 over HTTP and answers with events.
pub static STREAM_MESSAGE: Route =
    Route::over_http(Method::Post, "/api/a2a/v1/message:stream", "streamMessage")
        .access(Access::Payment)
        .summary("A2A 1.0: send a message, follow the task")
        .parameters(&[A2A_VERSION, PAYMENT_1, PAYMENT_2])
        .body(MESSAGE)
        .answers_text(EVENTS, "The task, then its changes")
        .errors(&[BAD_CALL, NO_TASK, TOO_LARGE]);

/// Lists the tasks of the caller.
pub static LIST_TASKS: Route = Route::over_http(Method::Get, "/api/a2a/v1/tasks", "listTasks")
    .summary("A2A 1.0: the tasks of the caller; callers are anonymous, so there are none")
    .answers_a2a(
        "An empty page",
        Json(
            r#"{"type": "object", "required": ["tasks", "nextPageToken", "pageSize", "totalSize"], "properties": {
                "tasks": {"type": "array", "items": {"type": "object"}}, "nextPageToken": {"type": "string"}, "pageSize": {"type": "integer"},
                "totalSize": {"type": "integer"}}}"#,
        ),
    )
    .errors(&[BAD_CALL]);

/// Reads a task.
pub static READ_TASK: Route = Route::over_http(Method::Get, "/api/a2a/v1/tasks/{id}", "getTask")
    .summary("A2A 1.0: read a task")
    .parameters(&[A2A_VERSION, TASK_ID])
    .answers_a2a("The task", TASK)
    .errors(&[BAD_CALL, NO_TASK]);

/// Cancels a task.
pub static CANCEL_TASK: Route = Route::over_http(Method::Post, "/api/a2a/v1/tasks/{id}:cancel", "cancelTask")
    .summary("A2A 1.0: cancel a task that is not paid for")
    .parameters(&[A2A_VERSION, TASK_ID])
    .answers_a2a("The task", TASK)
    .errors(&[BAD_CALL, NO_TASK]);

/// Follows a task.
pub static SUBSCRIBE_TO_TASK: Route = Route::over_http(
    Method::Post,
    "/api/a2a/v1/tasks/{id}:subscribe",
    "subscribeToTask",
)
.summary("A2A 1.0: follow a task that has not ended; GET does the same")
.parameters(&[A2A_VERSION, TASK_ID])
.answers_text(EVENTS, "The task, then its changes")
.errors(&[BAD_CALL, NO_TASK]);

/// The agent card for clients of A2A 0.2.
pub static READ_CARD: Route = Route::get("/.well-known/agent.json", "readAgentCard")
    .summary("The agent card, where clients of A2A 0.2 look for it")
    .answers("The card", OBJECT);

/// The agent card for later clients.
pub static READ_CARD_03: Route = Route::get("/.well-known/agent-card.json", "readAgentCard03")
    .purpose("The agent card")
    .summary("The agent card, where clients of A2A 0.3 and later look for it")
    .answers("The card", OBJECT);

/// Serves the public keys that agent cards are signed with.
pub static READ_CARD_KEYS: Route = Route::get("/.well-known/jwks.json", "readCardKeys")
    .summary("The public key that the agent card is signed with; none where it is not signed")
    .answers(
        "A JSON Web Key Set",
        Json(r#"{"type": "object", "required": ["keys"], "properties": {"keys": {"type": "array", "items": {"type": "object"}}}}"#),
    );

/// Lists where paid work is sold.
pub static READ_PAID_RESOURCES: Route = Route::get("/.well-known/x402", "listPaidResources")
    .summary("The addresses of what is sold, for catalogues of x402 resources")
    .description("Every address answers a request without payment with 402 and the offer. Empty where nothing is sold.")
    .answers(
        "Version 1 and the addresses",
        Json(r#"{"type": "object", "required": ["version", "resources"], "properties": {"version": {"const": 1}, "resources": {"type": "array", "items": {"type": "string", "format": "uri"}}}}"#),
    );

const NOT_SIGNED_IN: Response = R::problem(401, "No session");
const OTHER_SITE: Response = R::problem(403, "Sent from another site");

/// Runs a scan for a credit.
pub static RUN_SCAN: Route = Route::post("/api/app/scan", "runWorkspaceScan")
    .access(Access::Session)
    .purpose("A scan of the workspace, for a credit")
    .summary("Run a scan for a credit of the account")
    .description(
        "The scan goes on when the connection is closed, and is then found in the history. With \
         `Accept: text/event-stream` the answer is a stream: `progress` for every answer, with `cited` and `score`, \
         then `scan_complete`. Takes a request of this site: `Sec-Fetch-Site: same-origin`, or `Origin` equal to the \
         base address.",
    )
    .parameters(&[IDEMPOTENCY_KEY])
    .body(Named("WorkspaceScanRequest"))
    .answers("The finished scan", Named("StoredScan"))
    .or_events()
    .errors(&[
        R::problem(400, "Parameters missing or invalid, or the plan too large or too expensive; nothing was spent"),
        NOT_SIGNED_IN,
        R::problem(402, "No credit is left"),
        OTHER_SITE,
        KEY_USED,
        OVER_64_KIB,
        NOT_JSON,
        R::problem(500, "Failure inside the service, or no model answered; the credit was given back"),
        R::problem(503, "The operator has set no provider key, or overloaded"),
    ]);

/// Plans a scan without running it.
pub static PLAN_SCAN: Route = Route::post("/api/app/plan", "planWorkspaceScan")
    .access(Access::Session)
    .purpose("What such a scan would ask and cost")
    .summary("The questions and the cost of a scan; asks no model and takes no credit")
    .description(
        "Answers 200 for a faulty request too, with what is wrong in `errors`. Takes a request of this site: \
         `Sec-Fetch-Site: same-origin`, or `Origin` equal to the base address.",
    )
    .body(OBJECT)
    .answers("The plan", Named("WorkspacePlan"))
    .errors(&[
        R::problem(400, "The body is no JSON object"),
        NOT_SIGNED_IN,
        OTHER_SITE,
        OVER_64_KIB,
        NOT_JSON,
    ]);

/// The OpenAPI document.
pub static READ_OPENAPI: Route = Route::get("/openapi.json", "readOpenApi")
    .summary("This document")
    .answers("OpenAPI 3.1", OBJECT);

/// Tells that the process runs.
pub static READ_HEALTH: Route = Route::get("/healthz", "readHealth")
    .summary("The process runs")
    .answers_text("text/plain", "It does");

/// Tells whether requests can be taken.
pub static READ_READINESS: Route = Route::get("/readyz", "readReadiness")
    .summary("The store can be read and written, and the router answered lately")
    .answers_text("text/plain", "It can")
    .errors(&[R::problem(
        503,
        "It cannot, or the router was silent for five minutes",
    )]);

/// Every route, in reading order.
pub static ROUTES: &[&Route] = &[
    &CREATE_SCAN,
    &PLAN_V1_SCAN,
    &READ_SCAN,
    &READ_ANSWERS,
    &READ_RESCORED,
    &COMPARE_SCANS,
    &READ_HISTORY,
    &LIST_MODELS,
    &QUEUE_SCAN,
    &LIST_QUEUED_SCANS,
    &QUEUE_SCANS,
    &READ_QUEUED_SCAN,
    &CANCEL_QUEUED_SCAN,
    &WATCH_QUEUED_SCAN,
    &READ_QUEUED_ANSWERS,
    &READ_QUEUED_RESCORED,
    &COMPARE_QUEUED_SCANS,
    &ADD_QUESTION_SET,
    &LIST_QUESTION_SETS,
    &READ_QUESTION_SET,
    &REPLACE_QUESTION_SET,
    &DELETE_QUESTION_SET,
    &IMPORT_QUESTIONS,
    &CHECK_QUESTIONS,
    &PROPOSE_QUESTIONS,
    &ADD_WEBHOOK,
    &LIST_WEBHOOKS,
    &READ_WEBHOOK,
    &EDIT_WEBHOOK,
    &DELETE_WEBHOOK,
    &ROTATE_WEBHOOK,
    &TEST_WEBHOOK,
    &LIST_DELIVERIES,
    &READ_DELIVERY,
    &REDELIVER,
    &ADD_SCHEDULE,
    &LIST_SCHEDULES,
    &READ_SCHEDULE,
    &EDIT_SCHEDULE,
    &DELETE_SCHEDULE,
    &PAUSE_SCHEDULE,
    &RESUME_SCHEDULE,
    &RUN_SCHEDULE,
    &LIST_SCHEDULE_ALERTS,
    &LIST_ALERTS,
    &SEE_ALERT,
    &ADD_PROJECT,
    &LIST_PROJECTS,
    &READ_PROJECT,
    &EDIT_PROJECT,
    &DELETE_PROJECT,
    &READ_PROJECT_ARCHIVE,
    &IMPORT_PROJECT,
    &MOVE_IN,
    &LIST_ANSWER_IMPORTS,
    &BEGIN_ANSWER_IMPORT,
    &READ_ANSWER_IMPORT,
    &DELETE_ANSWER_IMPORT,
    &PUT_ANSWERS,
    &LIST_PROJECT_RUNS,
    &START_PROJECT_RUN,
    &READ_PROJECT_RUN,
    &STOP_PROJECT_RUN,
    &READ_PROJECT_QUESTIONS,
    &READ_PROJECT_HISTORY,
    &LIST_RIVALS,
    &PUT_RIVAL,
    &DELETE_RIVAL,
    &READ_MOVES,
    &READ_SOURCES,
    &READ_OWN_DATA,
    &IMPORT_OWN_DATA,
    &IMPORT_OWN_ROWS,
    &DELETE_OWN_DATA,
    &LIST_ANNOTATIONS,
    &ADD_ANNOTATION,
    &DELETE_ANNOTATION,
    &LIST_ACTIONS,
    &ADD_ACTION,
    &READ_ACTION,
    &EDIT_ACTION,
    &DELETE_ACTION,
    &LIST_PEOPLE,
    &ADD_PERSON,
    &REMOVE_PERSON,
    &LIST_PROJECT_KEYS,
    &MAKE_PROJECT_KEY,
    &SHOW_BADGE,
    &HIDE_BADGE,
    &LIST_DESTINATIONS,
    &ADD_DESTINATION,
    &DELETE_DESTINATION,
    &TEST_DESTINATION,
    &LIST_REPORTS,
    &MAKE_REPORT,
    &READ_REPORT,
    &READ_REPORT_PDF,
    &DELETE_REPORT,
    &LINK_REPORT,
    &UNLINK_REPORT,
    &REVOKE_PROJECT_KEY,
    &LIST_FEED_KEYS,
    &MAKE_FEED_KEY,
    &REVOKE_FEED_KEY,
    &READ_FEED,
    &READ_ANSWER_TABLE,
    &READ_ANSWER_WORKBOOK,
    &READ_AUDIT_LOG,
    &READ_AUDIT_TABLE,
    &BUY_SCAN,
    &BUY_RADIUS,
    &BUY_AUDIT,
    &BUY_FULL,
    &WATCH_SCAN,
    &READ_BOUGHT,
    &LIST_RECEIPTS,
    &CALL_AGENT,
    &CALL_MCP,
    &SEND_MESSAGE,
    &STREAM_MESSAGE,
    &LIST_TASKS,
    &READ_TASK,
    &CANCEL_TASK,
    &SUBSCRIBE_TO_TASK,
    &ADD_PUSH_CONFIG,
    &LIST_PUSH_CONFIGS,
    &READ_PUSH_CONFIG,
    &DELETE_PUSH_CONFIG,
    &READ_CARD_03,
    &READ_CARD,
    &READ_CARD_KEYS,
    &READ_PAID_RESOURCES,
    &RUN_SCAN,
    &PLAN_SCAN,
    &READ_OPENAPI,
    &READ_HEALTH,
    &READ_READINESS,
];

impl Route {
    /// An operation of A2A 1.0 over HTTP.
    const fn over_http(method: Method, path: &'static str, id: &'static str) -> Self {
        let route = match method {
            Method::Get => Self::get(path, id),
            Method::Post => Self::post(path, id),
            Method::Put | Method::Patch => Self {
                method,
                ..Self::get(path, id)
            },
            Method::Delete => Self::delete(path, id),
        };
        route.parameters(&[A2A_VERSION])
    }

    /// An answer in the media type of A2A.
    const fn answers_a2a(self, about: &'static str, schema: Schema) -> Self {
        let answer = Response {
            media: A2A_JSON,
            ..Response::json(200, about, schema)
        };
        Self { answer, ..self }
    }

    /// A route that reads a stored scan.
    const fn read_v1(path: &'static str, id: &'static str) -> Self {
        Self {
            access: Access::Bearer,
            parameters: &[SCAN_ID],
            errors: &[UNAUTHORIZED, NO_SCAN, FAILED],
            ..Self::get(path, id)
        }
    }

    /// A route that answers a payment.
    const fn sold(skill: Skill, path: &'static str, id: &'static str) -> Self {
        Self {
            access: Access::Payment,
            skill: Some(skill),
            parameters: &[PAYMENT_1, PAYMENT_2],
            errors: SOLD,
            ..Self::post(path, id)
        }
    }

    /// The finished work, with its settlement in headers.
    const fn delivers(self, schema: &'static str) -> Self {
        self.answers("The finished work", Named(schema)).headers(SETTLED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_whole_and_differ() {
        for (index, route) in ROUTES.iter().enumerate() {
            assert!(!route.id.is_empty() && !route.summary.is_empty() && !route.answer.about.is_empty());
            assert!(ROUTES[..index].iter().all(
                |other| other.id != route.id && (other.path, other.method) != (route.path, route.method)
            ));
            let parameters = route
                .parameters
                .iter()
                .filter(|parameter| parameter.place == "path");
            assert_eq!(
                parameters.count(),
                route.path.matches('{').count(),
                "{}",
                route.path
            );
        }
    }
}
