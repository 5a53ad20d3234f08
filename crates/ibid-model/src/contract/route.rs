//! Routes: the paths that programs call, who may call them, and how the API reference describes them.
//!
//! Pages for people are not part of the contract; `ibid-http` mounts them.

use super::skill::Skill;

/// A route of the contract.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, with parameters between braces.
    pub path: &'static str,
    /// The proof that a caller has to bring.
    pub access: Access,
    /// The phrase in lists of endpoints; empty where lists leave the route out.
    pub purpose: &'static str,
    /// The skill that is sold there.
    pub skill: Option<Skill>,
    /// The description in x402 offers, where it is not that of the skill.
    pub offer: &'static str,
    /// The operation id of the OpenAPI document.
    pub id: &'static str,
    /// The tag of the OpenAPI document.
    pub tag: &'static str,
    /// The summary of the operation.
    pub summary: &'static str,
    /// The description of the operation; empty without one.
    pub description: &'static str,
    /// The parameters in headers and in the path.
    pub parameters: &'static [Parameter],
    /// The JSON body.
    pub body: Option<Body>,
    /// The answers.
    pub responses: &'static [Response],
}

/// An HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// GET, and HEAD with it.
    Get,
    /// POST.
    Post,
}

impl Method {
    /// The method in capitals.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }

    /// The methods of a path with this one alone, for `Allow`.
    #[must_use]
    pub const fn allow(self) -> &'static str {
        match self {
            Self::Get => "GET, HEAD",
            Self::Post => "POST",
        }
    }
}

/// The proof that a caller has to bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// None.
    Open,
    /// The bearer key and, to scan, the caller's own provider key.
    Bearer,
    /// A payment.
    Payment,
    /// A payment of one atomic unit that is verified and never settled.
    Proof,
    /// A session of the workspace.
    Session,
}

/// A parameter in a header, which is optional, or in the path.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// `header` or `path`.
    pub place: &'static str,
    /// The most characters; 0 for no bound.
    pub most: usize,
    /// The description; empty without one.
    pub about: &'static str,
}

/// A JSON body.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Whether it has to be there.
    pub required: bool,
    /// The schema.
    pub schema: Schema,
}

/// A schema of the OpenAPI document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// A component of this name.
    Named(&'static str),
    /// A JSON text.
    Json(&'static str),
}

/// An answer of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The description.
    pub about: &'static str,
    /// The media types and schemas of its body.
    pub content: &'static [(&'static str, Schema)],
    /// The headers and their descriptions.
    pub headers: &'static [(&'static str, &'static str)],
}

use Schema::{Json, Named};

const OBJECT: Schema = Json(r#"{"type": "object"}"#);
const STRING: Schema = Json(r#"{"type": "string"}"#);
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

const fn response(
    status: u16,
    about: &'static str,
    content: &'static [(&'static str, Schema)],
    headers: &'static [(&'static str, &'static str)],
) -> Response {
    Response {
        status,
        about,
        content,
        headers,
    }
}

const fn problem(status: u16, about: &'static str) -> Response {
    problem_with(status, about, &[])
}

const fn problem_with(
    status: u16,
    about: &'static str,
    headers: &'static [(&'static str, &'static str)],
) -> Response {
    response(
        status,
        about,
        &[("application/problem+json", Named("Problem"))],
        headers,
    )
}

const fn header(name: &'static str, about: &'static str) -> Parameter {
    Parameter {
        name,
        place: "header",
        most: 0,
        about,
    }
}

const fn in_path(name: &'static str, about: &'static str) -> Parameter {
    Parameter {
        place: "path",
        ..header(name, about)
    }
}

const fn body(required: bool, schema: Schema) -> Option<Body> {
    Some(Body { required, schema })
}

/// The members that most rows share.
const PLAIN: Route = Route {
    method: Method::Get,
    path: "",
    access: Access::Open,
    purpose: "",
    skill: None,
    offer: "",
    id: "",
    tag: "",
    summary: "",
    description: "",
    parameters: &[],
    body: None,
    responses: &[],
};

const V1: Route = Route {
    access: Access::Bearer,
    tag: "v1",
    ..PLAIN
};

const A2A: Route = Route { tag: "a2a", ..PLAIN };

const OPERATIONS: Route = Route {
    tag: "operations",
    ..PLAIN
};

const SCAN_ID: Parameter = in_path("id", "The `scanId`.");
const UNAUTHORIZED: Response = problem_with(
    401,
    "Bearer key missing or invalid",
    &[("WWW-Authenticate", "`Bearer`")],
);
const NO_SCAN: Response = problem(404, "No such scan on this surface");
const FAILED: Response = problem(500, "Failure inside the service, or no model answered");
const FAILED_INSIDE: Response = problem(500, "Failure inside the service");
const OVER_64_KIB: Response = problem(413, "Body over 64 KiB");
const TOO_LARGE: Response = problem(413, "Body too large");
const NOT_JSON: Response = problem(415, "Body not JSON");
const STORED: &[(&str, &str)] = &[
    (
        "X-Method-Outdated",
        "The version of the method that scored it, if that is no longer the current one.",
    ),
    ("Link", "Then: where the scan is as scored today."),
];
const WAIT: (&str, &str) = ("Retry-After", "Seconds until it is worth coming back.");
const POLICY: (&str, &str) = ("RateLimit-Policy", "Scans an hour, and scans at once.");

/// Runs a scan with the caller's own key.
pub static CREATE_SCAN: Route = Route {
    method: Method::Post,
    path: "/api/v1/scan",
    purpose: "Run a scan, get the full result back",
    id: "createScan",
    summary: "Run a scan and wait for its result",
    description: "Closing the connection cancels the scan: its calls are paid with your key.",
    parameters: &[Parameter {
        most: 512,
        ..header(
            "X-Router-Key",
            "Your key at the model provider. Used for this scan only, never stored or returned.",
        )
    }],
    body: body(true, Named("ScanRequest")),
    responses: &[
        response(
            200,
            "The finished scan",
            &[(JSON, Named("ScanReply"))],
            &[
                (
                    "RateLimit",
                    "What is left of the hour. Absent where nothing is counted.",
                ),
                POLICY,
            ],
        ),
        problem(400, "Parameters missing or invalid; every fault is listed"),
        UNAUTHORIZED,
        OVER_64_KIB,
        NOT_JSON,
        problem_with(
            429,
            "Limit used up; only when limits are enforced",
            &[WAIT, ("RateLimit", "What is left of the hour."), POLICY],
        ),
        FAILED,
        problem_with(503, "Overloaded; come back after Retry-After", &[WAIT]),
    ],
    ..V1
};

/// Reads a stored scan.
pub static READ_SCAN: Route = Route {
    path: "/api/v1/scan/{id}",
    purpose: "Read a finished scan",
    id: "readScan",
    summary: "Read a finished scan",
    parameters: &[SCAN_ID],
    responses: &[
        response(200, "The scan", &[(JSON, Named("StoredScan"))], STORED),
        UNAUTHORIZED,
        NO_SCAN,
        FAILED,
    ],
    ..V1
};

/// Reads the evidence of a stored scan.
pub static READ_ANSWERS: Route = Route {
    path: "/api/v1/scan/{id}/answers",
    purpose: "Read every question, answer and reading of a scan",
    id: "readAnswers",
    summary: "Read the evidence of a scan",
    parameters: &[SCAN_ID],
    responses: &[
        response(
            200,
            "Every question, answer and reading",
            &[(JSON, Named("Evidence"))],
            &[],
        ),
        UNAUTHORIZED,
        NO_SCAN,
        FAILED,
    ],
    ..V1
};

/// Reads a stored scan as it is scored today.
pub static READ_RESCORED: Route = Route {
    path: "/api/v1/scan/{id}/rescored",
    purpose: "Read a scan scored again with the method of today",
    id: "readRescoredScan",
    summary: "Read a finished scan as it is scored today",
    description: "The answers of the scan read and scored with the current method; the numbers that were released are in `method.previous`. When the method has changed since, reading the scan gives a `Link` with rel `latest-version` to this path and the header `X-Method-Outdated` with the old version.",
    parameters: &[SCAN_ID],
    responses: &[
        response(
            200,
            "The scan with its new numbers",
            &[(JSON, Named("StoredScan"))],
            STORED,
        ),
        UNAUTHORIZED,
        NO_SCAN,
        FAILED,
    ],
    ..V1
};

/// Compares two stored scans.
pub static COMPARE_SCANS: Route = Route {
    path: "/api/v1/scan/{id}/compare/{other}",
    purpose: "Compare two scans: changed, within noise, or not comparable",
    id: "compareScans",
    summary: "Compare two finished scans",
    description: "How the second scan differs from the first: changed, within noise, or not comparable.",
    parameters: &[SCAN_ID, in_path("other", "The `scanId` of the second scan.")],
    responses: &[
        response(200, "The comparison", &[(JSON, Named("Comparison"))], &[]),
        UNAUTHORIZED,
        NO_SCAN,
        FAILED,
    ],
    ..V1
};

/// Lists the model aliases.
pub static LIST_MODELS: Route = Route {
    access: Access::Open,
    path: "/api/v1/models",
    purpose: "List the model aliases",
    id: "listModels",
    summary: "List the model aliases",
    responses: &[response(
        200,
        "The alias table, in order",
        &[(JSON, Named("Models"))],
        &[],
    )],
    ..V1
};

const SETTLED: &[(&str, &str)] = &[
    ("PAYMENT-RESPONSE", "Base64 of a Settlement."),
    ("X-PAYMENT-RESPONSE", "Base64 of a Settlement."),
];

const BAD_PURCHASE: Response = problem(
    400,
    "Order or payment malformed, or the plan too large or too expensive; nothing was spent",
);
const DUE: Response = response(
    402,
    "A payment is due, or the one sent is refused: `error` says why",
    &[(JSON, Named("PaymentRequired"))],
    &[("PAYMENT-REQUIRED", "The offer of version 2.")],
);
const NOT_CHARGED: Response = problem(
    500,
    "Failure inside the service, or no model answered; nothing was charged",
);
const NO_VERDICT: Response = problem(
    502,
    "No verdict of the facilitator. Send the same payment again; do not sign a new one",
);
const NOT_SOLD: Response = problem(503, "Nothing is sold here, or overloaded");

/// The answers of a paid route.
const fn paid(ok: Response) -> [Response; 8] {
    [
        ok,
        BAD_PURCHASE,
        DUE,
        TOO_LARGE,
        NOT_JSON,
        NOT_CHARGED,
        NO_VERDICT,
        NOT_SOLD,
    ]
}

/// The finished work with its settlement in headers.
const fn work(schema: &'static [(&'static str, Schema)]) -> [Response; 8] {
    paid(response(200, "The finished work", schema, SETTLED))
}

const PAID: Route = Route {
    method: Method::Post,
    access: Access::Payment,
    parameters: &[
        Parameter {
            most: 16_384,
            ..header("X-PAYMENT", "Payment of version 1: base64 of a JSON object.")
        },
        Parameter {
            most: 16_384,
            ..header(
                "PAYMENT-SIGNATURE",
                "Payment of version 2: base64 of a JSON object.",
            )
        },
    ],
    ..A2A
};

/// Sells a scan.
pub static BUY_SCAN: Route = Route {
    path: "/api/a2a/scan",
    purpose: "Citation scan for a domain and a keyword",
    skill: Some(Skill::Scan),
    id: "buyScan",
    summary: "Buy a scan",
    body: body(false, Named("PaidScanRequest")),
    responses: &work(&[(JSON, Named("StoredScan"))]),
    ..PAID
};

/// Sells a radius analysis.
pub static BUY_RADIUS: Route = Route {
    path: "/api/a2a/radius",
    purpose: "Citation scan with rings around a place",
    skill: Some(Skill::Radius),
    id: "buyRadius",
    summary: "Buy a radius analysis",
    body: body(false, Named("RadiusRequest")),
    responses: &work(&[(JSON, Named("StoredScan"))]),
    ..PAID
};

/// Sells a page audit.
pub static BUY_AUDIT: Route = Route {
    path: "/api/a2a/audit",
    purpose: "Audit of a page for citability",
    skill: Some(Skill::Audit),
    id: "buyAudit",
    summary: "Buy a page audit",
    body: body(false, Named("AuditRequest")),
    responses: &work(&[(JSON, Named("AuditReply"))]),
    ..PAID
};

/// Sells a bundle.
pub static BUY_FULL: Route = Route {
    path: "/api/a2a/full",
    purpose: "Scan, radius and audit in one",
    skill: Some(Skill::Full),
    id: "buyFull",
    summary: "Buy scan, radius and audit in one",
    body: body(false, Named("FullRequest")),
    responses: &work(&[(JSON, Named("FullReply"))]),
    ..PAID
};

/// Sells a scan as a stream of events.
pub static WATCH_SCAN: Route = Route {
    path: "/api/a2a/watch",
    purpose: "The scan as Server-Sent Events",
    skill: Some(Skill::Scan),
    offer: "AI citation scan with live progress (SSE)",
    id: "watchScan",
    summary: "Buy a scan and watch it",
    body: body(false, Named("PaidScanRequest")),
    responses: &paid(response(
        200,
        "Server-Sent Events: `progress` for every answer, then `scan_complete` and `payment_settled`",
        &[(EVENTS, STRING)],
        &[],
    )),
    ..PAID
};

/// Reads what was bought.
pub static READ_BOUGHT: Route = Route {
    path: "/api/a2a/scan/{id}",
    purpose: "Read a bought scan; the id is the key to it",
    id: "readBought",
    summary: "Read what was bought; the id is the capability",
    parameters: &[in_path("id", "")],
    responses: &[
        response(
            200,
            "The document",
            &[(
                JSON,
                Json(
                    r##"{"anyOf": [{"$ref": "#/components/schemas/FullReply"}, {"$ref": "#/components/schemas/StoredScan"}]}"##,
                ),
            )],
            &[],
        ),
        problem(404, "Nothing was bought under this id"),
        FAILED_INSIDE,
    ],
    ..A2A
};

/// Lists the purchases of a wallet.
pub static LIST_RECEIPTS: Route = Route {
    access: Access::Proof,
    path: "/api/a2a/my-receipts",
    purpose: "Your own purchases; verified, never settled",
    skill: Some(Skill::MyReceipts),
    id: "listReceipts",
    summary: "List your own purchases; the payment proves the wallet and is never settled",
    body: body(false, Named("ReceiptsRequest")),
    responses: &paid(response(
        200,
        "Receipts, the latest first",
        &[(JSON, Named("ReceiptPage"))],
        &[],
    )),
    ..PAID
};

/// Takes JSON-RPC calls of agents.
pub static CALL_AGENT: Route = Route {
    method: Method::Post,
    access: Access::Payment,
    path: "/api/a2a/jsonrpc",
    purpose: "The same skills over the agent-to-agent protocol 0.2",
    id: "callAgent",
    summary: "Agent-to-agent protocol (A2A) 0.2.5, 0.2.6 and 0.3 over JSON-RPC",
    description: "Skills scan, radius, audit, full and my-receipts; paid in the metadata of messages (a2a-x402 v0.1) or \
        in a payment header. Errors of JSON-RPC come with status 200.",
    parameters: &[
        header("X-PAYMENT", "Payment of version 1: base64 of a JSON object."),
        header(
            "PAYMENT-SIGNATURE",
            "Payment of version 2: base64 of a JSON object.",
        ),
        header(
            "X-A2A-Extensions",
            "Extensions that the client activates; the payment extension is echoed.",
        ),
    ],
    body: body(
        true,
        Json(
            r#"{"type": "object", "required": ["jsonrpc", "method"], "properties": {
                "jsonrpc": {"const": "2.0"}, "id": {"type": ["string", "number", "null"]},
                "method": {"type": "string", "enum": ["message/send", "message/stream", "tasks/get", "tasks/cancel", "tasks/resubscribe"]},
                "params": {"type": "object"}}}"#,
        ),
    ),
    responses: &[
        response(
            200,
            "The answer; for message/stream and tasks/resubscribe a stream of answers",
            &[
                (
                    JSON,
                    Json(
                        r#"{"type": "object", "required": ["jsonrpc", "id"], "properties": {
                            "jsonrpc": {"const": "2.0"}, "id": {"type": ["string", "number", "null"]},
                            "result": {"type": "object", "description": "A task, or an event of a stream."},
                            "error": {"type": "object", "required": ["code", "message"], "properties": {
                                "code": {"type": "integer"}, "message": {"type": "string"}, "data": {"type": "object"}}}}}"#,
                    ),
                ),
                (EVENTS, STRING),
            ],
            &[],
        ),
        TOO_LARGE,
        NOT_JSON,
    ],
    ..A2A
};

const CARD: &[Response] = &[response(200, "The card", &[(JSON, OBJECT)], &[])];

/// The agent card for clients of A2A 0.2.
pub static READ_CARD: Route = Route {
    path: "/.well-known/agent.json",
    id: "readAgentCard",
    summary: "The agent card, where clients of A2A 0.2 look for it",
    responses: CARD,
    ..A2A
};

/// The agent card for later clients.
pub static READ_CARD_03: Route = Route {
    path: "/.well-known/agent-card.json",
    purpose: "The agent card",
    id: "readAgentCard03",
    summary: "The agent card, where clients of A2A 0.3 and later look for it",
    responses: CARD,
    ..A2A
};

const APP: Route = Route {
    method: Method::Post,
    access: Access::Session,
    tag: "app",
    ..PLAIN
};

const NOT_SIGNED_IN: Response = problem(401, "No session");
const OTHER_SITE: Response = problem(403, "Sent from another site");

/// Runs a scan for a credit.
pub static RUN_SCAN: Route = Route {
    path: "/api/app/scan",
    purpose: "A scan of the workspace, for a credit",
    id: "runWorkspaceScan",
    summary: "Run a scan for a credit of the account",
    description: "The scan goes on when the connection is closed, and is then found in the history. With \
        `Accept: text/event-stream` the answer is a stream: `progress` for every answer, with `cited` and `score`, \
        then `scan_complete`. Takes a request of this site: `Sec-Fetch-Site: same-origin`, or `Origin` equal to the \
        base address.",
    body: body(true, Named("PaidScanRequest")),
    responses: &[
        response(
            200,
            "The finished scan",
            &[(JSON, Named("StoredScan")), (EVENTS, STRING)],
            &[],
        ),
        problem(
            400,
            "Parameters missing or invalid, or the plan too large or too expensive; nothing was spent",
        ),
        NOT_SIGNED_IN,
        problem(402, "No credit is left"),
        OTHER_SITE,
        OVER_64_KIB,
        NOT_JSON,
        problem(
            500,
            "Failure inside the service, or no model answered; the credit was given back",
        ),
        problem(503, "The operator has set no provider key, or overloaded"),
    ],
    ..APP
};

/// Plans a scan without running it.
pub static PLAN_SCAN: Route = Route {
    path: "/api/app/plan",
    purpose: "What such a scan would ask and cost",
    id: "planWorkspaceScan",
    summary: "The questions and the cost of a scan; asks no model and takes no credit",
    description: "Answers 200 for a faulty request too, with what is wrong in `errors`. Takes a request of this site: \
        `Sec-Fetch-Site: same-origin`, or `Origin` equal to the base address.",
    body: body(true, OBJECT),
    responses: &[
        response(200, "The plan", &[(JSON, Named("WorkspacePlan"))], &[]),
        problem(400, "The body is no JSON object"),
        NOT_SIGNED_IN,
        OTHER_SITE,
        OVER_64_KIB,
        NOT_JSON,
    ],
    ..APP
};

/// The OpenAPI document.
pub static READ_OPENAPI: Route = Route {
    path: "/openapi.json",
    id: "readOpenApi",
    summary: "This document",
    responses: &[response(200, "OpenAPI 3.1", &[(JSON, OBJECT)], &[])],
    ..OPERATIONS
};

/// Tells that the process runs.
pub static READ_HEALTH: Route = Route {
    path: "/healthz",
    id: "readHealth",
    summary: "The process runs",
    responses: &[response(200, "It does", &[("text/plain", STRING)], &[])],
    ..OPERATIONS
};

/// Tells whether requests can be taken.
pub static READ_READINESS: Route = Route {
    path: "/readyz",
    id: "readReadiness",
    summary: "The store can be read and written, and the router answered lately",
    responses: &[
        response(200, "It can", &[("text/plain", STRING)], &[]),
        problem(503, "It cannot, or the router was silent for five minutes"),
    ],
    ..OPERATIONS
};

/// Every route, in reading order.
pub static ROUTES: [&Route; 21] = [
    &CREATE_SCAN,
    &READ_SCAN,
    &READ_ANSWERS,
    &READ_RESCORED,
    &COMPARE_SCANS,
    &LIST_MODELS,
    &BUY_SCAN,
    &BUY_RADIUS,
    &BUY_AUDIT,
    &BUY_FULL,
    &WATCH_SCAN,
    &READ_BOUGHT,
    &LIST_RECEIPTS,
    &CALL_AGENT,
    &READ_CARD_03,
    &READ_CARD,
    &RUN_SCAN,
    &PLAN_SCAN,
    &READ_OPENAPI,
    &READ_HEALTH,
    &READ_READINESS,
];

impl Route {
    /// The path with parameters after colons, as lists of endpoints show it.
    #[must_use]
    pub fn listed_path(&self) -> String {
        self.path.replace('{', ":").replace('}', "")
    }

    /// Whether the answer is a stream of events and nothing else.
    #[must_use]
    pub fn streams(&self) -> bool {
        let first = self.responses.first();
        first.is_some_and(|response| matches!(response.content, [(EVENTS, _)]))
    }
}

/// The surface of a path: a label of the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surface {
    /// The label.
    pub label: &'static str,
    /// The beginnings of its paths.
    pub prefixes: &'static [&'static str],
}

/// Every surface. A path that begins with no prefix is one of pages.
pub static SURFACES: [Surface; 5] = [
    Surface {
        label: "v1",
        prefixes: &["/api/v1/"],
    },
    Surface {
        label: "a2a",
        prefixes: &["/api/a2a/", "/.well-known/", "/llms.txt"],
    },
    Surface {
        label: "app",
        prefixes: &["/api/app/"],
    },
    Surface {
        label: "pages",
        prefixes: &[],
    },
    Surface {
        label: "operations",
        prefixes: &["/openapi.json", "/healthz", "/readyz"],
    },
];

impl Surface {
    /// The index in [`SURFACES`] of the surface of a path.
    #[must_use]
    pub fn of(path: &str) -> usize {
        let begins = |surface: &Surface| surface.prefixes.iter().any(|prefix| path.starts_with(prefix));
        SURFACES.iter().position(begins).unwrap_or(3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_whole_and_differ() {
        for (index, route) in ROUTES.iter().enumerate() {
            assert!(!route.id.is_empty() && !route.summary.is_empty() && !route.responses.is_empty());
            assert!(
                ROUTES[..index]
                    .iter()
                    .all(|other| other.id != route.id && other.path != route.path)
            );
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
        assert_eq!(SURFACES[Surface::of("/workspace")].label, "pages");
        assert_eq!(SURFACES[Surface::of("/llms.txt")].label, "a2a");
    }
}
