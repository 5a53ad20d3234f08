//! The codes and rows of problems, by status.

use super::problem::{Problem, Rpc};
use ProblemCode as C;

/// A stable reason why a request got no result.
#[expect(missing_docs, reason = "the row of each code explains it to people")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ProblemCode {
    InvalidRequest,
    MalformedJson,
    LocationNotFound,
    PlanTooLarge,
    PlanTooExpensive,
    PlanTooSlow,
    ProviderKeyRequired,
    ProviderKeyInvalid,
    ProviderKeyRejected,
    ProviderCreditExhausted,
    MalformedPayment,
    PageRefused,
    ImportUnreadable,
    Unauthorized,
    SignInRefused,
    PaymentRequired,
    DuplicateNonce,
    InsufficientFunds,
    UnsupportedScheme,
    UnsupportedTransferMethod,
    OfferMismatch,
    NetworkMismatch,
    RecipientMismatch,
    InvalidAmount,
    InvalidSignature,
    PaymentNotYetValid,
    PaymentExpired,
    PaymentValidTooLong,
    PaymentRefused,
    CreditsExhausted,
    BudgetExceeded,
    Forbidden,
    CrossOrigin,
    NotFound,
    ScanNotFound,
    ScheduleNotFound,
    WebhookNotFound,
    ProjectNotFound,
    QuestionSetNotFound,
    MethodNotAllowed,
    RequestTimeout,
    IdempotencyConflict,
    PaymentIdentifierUsed,
    PaymentSpent,
    ScheduleRunning,
    NotOneSeries,
    WebhookDisabled,
    QuestionSetChanged,
    PayloadTooLarge,
    UnsupportedMediaType,
    RateLimited,
    ProviderUnavailable,
    InternalError,
    WorkOwed,
    FacilitatorUnavailable,
    SettlementUnknown,
    PageUnreachable,
    ProposalFailed,
    WorkspaceDisabled,
    Overloaded,
    NotReady,
    PaidSurfaceDisabled,
    AuditUnavailable,
    WebhooksUnavailable,
    PdfUnavailable,
    DemoClosed,
    QueueKeysUnavailable,
}

const fn invalid(code: ProblemCode, word: &'static str) -> Problem {
    Problem::new(code, word, 400)
        .title("Invalid request")
        .rpc(Rpc::InvalidParams)
}

const fn refused(code: ProblemCode, word: &'static str) -> Problem {
    Problem::new(code, word, 402).title("Payment refused")
}

/// Every problem, by status and in the order of [`ProblemCode`].
pub static PROBLEMS: [Problem; 67] = [
    invalid(C::InvalidRequest, "invalid_request")
        .meaning("Fields are missing or out of bounds.")
        .remedy("`errors` lists every fault at once, with a JSON pointer to the field."),
    Problem::new(C::MalformedJson, "malformed_json", 400)
        .title("Malformed JSON")
        .meaning("The body is not a JSON object.")
        .remedy("Check quotes, commas and the encoding, which is UTF-8."),
    Problem::new(C::LocationNotFound, "location_not_found", 400)
        .title("Location not found")
        .detail("The location is unknown. Try \"nearest town, country\" or \"lat, lon\". Nothing was asked or spent.")
        .meaning("The place is not in the gazetteer.")
        .remedy("`suggestions` may contain the right spelling. Otherwise send the nearest town and its country, or “lat, lon”.")
        .rpc(Rpc::InvalidParams),
    Problem::new(C::PlanTooLarge, "plan_too_large", 400)
        .title("Plan too large")
        .meaning("The scan would ask more questions than this server allows.")
        .remedy("Ask fewer models, rings, keywords or phrasings. `questions` says how many it would have been.")
        .rpc(Rpc::InvalidParams),
    Problem::new(C::PlanTooExpensive, "plan_too_expensive", 400)
        .title("Plan too expensive")
        .meaning("The models would cost more than the price of the skill covers.")
        .remedy("Ask fewer or cheaper models. Nothing was charged.")
        .rpc(Rpc::InvalidParams),
    Problem::new(C::PlanTooSlow, "plan_too_slow", 400)
        .title("Plan too slow")
        .meaning("The work and its settlement could take longer than a payment is valid.")
        .remedy("Ask fewer models, rings, keywords or phrasings. `mostSeconds` is the bound. Nothing was charged.")
        .rpc(Rpc::InvalidParams),
    invalid(C::ProviderKeyRequired, "provider_key_required")
        .meaning("No provider key came with the request.")
        .remedy("Send your own key in `X-Router-Key`."),
    invalid(C::ProviderKeyInvalid, "provider_key_invalid")
        .meaning("The provider key is too long or has characters that a header cannot carry.")
        .remedy("Remove line ends and quotes around the key."),
    Problem::new(C::ProviderKeyRejected, "provider_key_rejected", 400)
        .title("Provider key rejected")
        .detail("The model provider rejected the key in X-Router-Key. No answer was paid for.")
        .meaning("The model provider does not accept the key.")
        .remedy("Check the key at the provider. No answer was paid for."),
    Problem::new(C::ProviderCreditExhausted, "provider_credit_exhausted", 400)
        .title("Provider credit exhausted")
        .detail("The account behind the key in X-Router-Key has no credit left at the model provider.")
        .meaning("The account behind the provider key has no credit left.")
        .remedy("Add credit at the provider."),
    Problem::new(C::MalformedPayment, "malformed_payment", 400)
        .title("Malformed payment")
        .meaning("The payment header cannot be read.")
        .remedy("It is base64 of JSON, at most 16 KiB, in one of the two headers. Nothing was spent.")
        .rpc(Rpc::InvalidParams),
    Problem::new(C::PageRefused, "page_refused", 400)
        .title("Page refused")
        .meaning("The address of the page, or a redirect from it, is not allowed.")
        .remedy("Only public http and https addresses are fetched. Nothing was charged."),
    Problem::new(C::ImportUnreadable, "import_unreadable", 400)
        .title("Import unreadable")
        .meaning("The file is neither text nor a table with a column of questions.")
        .remedy("Send one question a line, or CSV in UTF-8 with a header such as `question`."),
    Problem::new(C::Unauthorized, "unauthorized", 401)
        .title("Bearer key missing or invalid")
        .meaning("The bearer key is missing or wrong, or the session is missing or has ended.")
        .remedy("Send `Authorization: Bearer`; ask the operator for a key."),
    Problem::new(C::SignInRefused, "sign_in_refused", 401)
        .title("Signing in was refused")
        .detail("E-mail or password is wrong, or the account is closed.")
        .meaning("E-mail or password is wrong, or the account is closed.")
        .remedy("Check both; the operator can set another password."),
    Problem::new(C::PaymentRequired, "payment_required", 402)
        .title("Payment required")
        .detail("Pay what the offer asks.")
        .meaning("The route is paid and no payment came with the request.")
        .remedy("Sign one of the offers in `accepts` and send the request again."),
    refused(C::DuplicateNonce, "duplicate_nonce")
        .meaning("The authorization was used for another request.")
        .remedy("Sign a new one. The same authorization with the same request returns the stored result.")
        .payment("DUPLICATE_NONCE"),
    refused(C::InsufficientFunds, "insufficient_funds")
        .meaning("The wallet holds too little USDC.")
        .remedy("Fund it and sign again.")
        .payment("INSUFFICIENT_FUNDS"),
    refused(C::UnsupportedScheme, "unsupported_scheme")
        .meaning("The payment is of another scheme than `exact`.")
        .remedy("Sign one of the offers in `accepts`."),
    refused(C::UnsupportedTransferMethod, "unsupported_transfer_method")
        .meaning("The payment moves money in another way than a signed transfer authorization (EIP-3009).")
        .remedy("Sign one of the offers in `accepts`."),
    refused(C::OfferMismatch, "offer_mismatch")
        .meaning("The `accepted` member of the payment differs from the offer.")
        .remedy("Copy the offer as it is.")
        .payment("INVALID_AMOUNT"),
    refused(C::NetworkMismatch, "network_mismatch")
        .meaning("The payment is for another chain.")
        .remedy("Sign for the `network` of the offer.")
        .payment("NETWORK_MISMATCH"),
    refused(C::RecipientMismatch, "recipient_mismatch")
        .meaning("The payment is made out to another recipient.")
        .remedy("Sign for the `payTo` of the offer."),
    refused(C::InvalidAmount, "invalid_amount")
        .meaning("The authorized value is not the price.")
        .remedy("Sign exactly the amount of the offer.")
        .payment("INVALID_AMOUNT"),
    refused(C::InvalidSignature, "invalid_signature")
        .meaning("The signature is not valid, or the token refuses its form.")
        .remedy("Sign the domain and message of EIP-3009 with the payer’s key.")
        .payment("INVALID_SIGNATURE"),
    refused(C::PaymentNotYetValid, "payment_not_yet_valid")
        .meaning("`validAfter` lies in the future.")
        .remedy("Set it to a time past; clocks may differ by a minute.")
        .payment("NOT_YET_VALID"),
    refused(C::PaymentExpired, "payment_expired")
        .meaning("The authorization ends before the payment could be settled.")
        .remedy("Sign a new one that is valid for as long as the offer allows.")
        .payment("EXPIRED_PAYMENT"),
    refused(C::PaymentValidTooLong, "payment_valid_too_long")
        .meaning("The authorization is valid for longer than two hours.")
        .remedy("Sign for at most two hours; `maxTimeoutSeconds` is enough.")
        .payment("VALID_TOO_LONG"),
    refused(C::PaymentRefused, "payment_refused")
        .meaning("The facilitator refuses the payment for another reason.")
        .remedy("`error` and the settlement header say which. Sign a new one."),
    Problem::new(C::CreditsExhausted, "credits_exhausted", 402)
        .title("No credit is left")
        .detail("The account has no credit left. Nothing was asked or spent; the operator gives credits.")
        .meaning("The account has no credit left.")
        .remedy("Ask the operator for more."),
    Problem::new(C::BudgetExceeded, "budget_exceeded", 402)
        .title("The budget of this month is used up")
        .detail("The scan would exceed the budget of the account for this month. Nothing was asked or spent.")
        .meaning("The scan would exceed the monthly budget that the operator gave the account.")
        .remedy("Ask fewer models, rings, keywords or questions, wait for the next month, or ask the operator for a larger budget."),
    Problem::new(C::Forbidden, "forbidden", 403)
        .title("Not allowed for this account")
        .detail("The role of this account does not allow it. An admin of this service can give it another role.")
        .meaning("The role of the account does not allow the request: a viewer only reads.")
        .remedy("Ask an admin of the service for the role `member`."),
    Problem::new(C::CrossOrigin, "cross_origin", 403)
        .title("Sent from another site")
        .detail("Only pages of this service may send this. Open the page here and try again.")
        .meaning("The form came from another site.")
        .remedy("Use the page of this service."),
    Problem::new(C::NotFound, "not_found", 404)
        .title("Not found")
        .detail("There is no page and no route at this path.")
        .meaning("There is no page and no route at this path.")
        .remedy("Check the path against the API reference."),
    Problem::new(C::ScanNotFound, "scan_not_found", 404)
        .title("Scan not found")
        .detail("There is no scan with this id on this surface.")
        .meaning("No scan on this surface has the id.")
        .remedy("Each surface reads its own scans only."),
    Problem::new(C::ScheduleNotFound, "schedule_not_found", 404)
        .title("Schedule not found")
        .detail("There is no schedule with this id for this caller.")
        .meaning("The caller has no schedule with the id.")
        .remedy("List the schedules. Each caller sees its own only."),
    Problem::new(C::WebhookNotFound, "webhook_not_found", 404)
        .title("Webhook not found")
        .detail("The caller has no webhook, and the webhook no delivery, with this id.")
        .meaning("The caller has no webhook, or the webhook no delivery, with the id.")
        .remedy("List the webhooks or the deliveries. Each caller sees its own only."),
    Problem::new(C::ProjectNotFound, "project_not_found", 404)
        .title("Project not found")
        .detail("There is no such project for this reader, or nothing with this id in it.")
        .meaning("The reader sees no project with the id, or the project has nothing with the id.")
        .remedy("List the projects. A key sees those of its organisation, or the one that it was made for."),
    Problem::new(C::QuestionSetNotFound, "question_set_not_found", 404)
        .title("Question set not found")
        .detail("There is no question set, or no version of it, with this id for this caller.")
        .meaning("The caller has no question set with the id, or the set no such version.")
        .remedy("List the question sets. Each caller sees its own only."),
    Problem::new(C::MethodNotAllowed, "method_not_allowed", 405)
        .title("Method not allowed")
        .meaning("The path takes another method.")
        .remedy("`Allow` names it."),
    Problem::new(C::RequestTimeout, "request_timeout", 408)
        .title("Body too slow")
        .detail("The body took too long to arrive. Nothing was asked or spent.")
        .meaning("The body arrived at less than 16 KiB a second, or took more than two minutes.")
        .remedy("Send the request again over a faster connection."),
    Problem::new(C::IdempotencyConflict, "idempotency_conflict", 409)
        .title("Idempotency key used before")
        .detail("The Idempotency-Key was sent with another body in the last 24 hours. Nothing was asked or spent.")
        .meaning("The `Idempotency-Key` was sent with another body in the last 24 hours.")
        .remedy("Send the same body again to get its result, or take a new key for another body."),
    Problem::new(C::PaymentIdentifierUsed, "payment_identifier_used", 409)
        .title("Payment identifier used")
        .detail("The payment identifier belongs to another order of this wallet. Choose a new identifier for a new order. Nothing was spent.")
        .meaning("The wallet has used the payment identifier for another order.")
        .remedy("A new order takes a new identifier. The same order with the same identifier is sold once.")
        .rpc(Rpc::InvalidParams),
    Problem::new(C::PaymentSpent, "payment_spent", 409)
        .title("Payment spent")
        .detail("The authorization was used, and not for an order here. Your money may have moved: ask the operator, and do not sign another payment.")
        .meaning("The authorization was used before, by no sale of this shop. The money may have moved.")
        .remedy("Ask the operator, who finds the transfer with `ibid-server books reconcile`. Do not sign another payment.")
        .unavailable(-32054, "payment_spent", "The authorization was used, and not for an order here. Your money may have moved: ask the operator"),
    Problem::new(C::ScheduleRunning, "schedule_running", 409)
        .title("Run under way")
        .detail("A run of the schedule is under way. Wait for its end.")
        .meaning("A run of the schedule is under way, and a schedule has one at a time.")
        .remedy("Wait for the end of the run, or cancel its scan."),
    Problem::new(C::NotOneSeries, "not_one_series", 409)
        .title("Scans of different series")
        .detail("The scans are not of one series: another website, keyword, place or language, or no model in common.")
        .meaning("The scans are not of one series: another website, keyword, place or language, or no model in common.")
        .remedy("Send scans of one website, keyword, place and language, oldest first."),
    Problem::new(C::WebhookDisabled, "webhook_disabled", 409)
        .title("Webhook disabled")
        .detail("The webhook is disabled, so nothing is sent to it. Switch it on first.")
        .meaning("The webhook is disabled, so nothing is sent to it.")
        .remedy("Send `enabled: true` to the webhook, then try again."),
    Problem::new(C::QuestionSetChanged, "question_set_changed", 409)
        .title("Question set changed")
        .meaning("The set has another last version than `If-Match` names.")
        .remedy("Read the set, merge the change, and send it with the new version."),
    Problem::new(C::PayloadTooLarge, "payload_too_large", 413)
        .title("Body too large")
        .meaning("The body is longer than allowed.")
        .remedy("64 KiB, 1 MiB for orders with `questions`, or 4 MiB for page audits and JSON-RPC."),
    Problem::new(C::UnsupportedMediaType, "unsupported_media_type", 415)
        .title("Unsupported media type")
        .meaning("The body is not declared as JSON.")
        .remedy("Send `Content-Type: application/json`."),
    Problem::new(C::RateLimited, "rate_limited", 429)
        .title("Too many requests")
        .meaning("The limit is used up.")
        .remedy("Try again after `Retry-After` seconds.")
        .unavailable(-32051, "too_many", "Too many tasks or calls are open"),
    Problem::new(C::ProviderUnavailable, "provider_unavailable", 500)
        .title("No model answered")
        .meaning("No model answered.")
        .remedy("Nothing was charged. Try again later, or other models."),
    Problem::new(C::InternalError, "internal_error", 500)
        .title("Internal error")
        .detail("Something failed inside the service. The request id leads to the log entry.")
        .meaning("Something failed inside the service.")
        .remedy("Tell the operator the `requestId`."),
    Problem::new(C::WorkOwed, "work_owed", 500)
        .title("Paid work failed")
        .detail("The payment is settled, and the work failed. Send the same request with the same payment again: it is done without another charge.")
        .meaning("The payment was settled before the work, which failed.")
        .remedy("Send the same request with the same authorization again. Nothing more is charged."),
    Problem::new(C::FacilitatorUnavailable, "facilitator_unavailable", 502)
        .title("Facilitator unavailable")
        .detail("The facilitator gives no verdict on the payment now. Send the same payment again; do not sign a new one.")
        .meaning("The payment service cannot be reached.")
        .remedy("Nothing was taken. Try again with the same authorization.")
        .unavailable(-32053, "facilitator_unavailable", "The payment cannot be checked just now; it was not used"),
    Problem::new(C::SettlementUnknown, "settlement_unknown", 502)
        .title("Settlement unknown")
        .detail("The work is done and the outcome of the settlement is not known yet. Send the same request with the same payment after Retry-After; do not sign a new one.")
        .meaning("The payment may or may not have gone through.")
        .remedy("Send the same request with the same authorization: you get the result once it is known, and never pay twice."),
    Problem::new(C::PageUnreachable, "page_unreachable", 502)
        .title("Page unreachable")
        .meaning("The page gave no answer.")
        .remedy("Check the address in a browser. Nothing was charged."),
    Problem::new(C::ProposalFailed, "proposal_failed", 502)
        .title("No proposal came")
        .meaning("The model did not answer the request for questions.")
        .remedy("Try again or name another model; `ibid questions` and templates work without one."),
    Problem::new(C::WorkspaceDisabled, "workspace_disabled", 503)
        .title("Scans are not open")
        .detail("The operator of this service has set no provider key, so accounts cannot scan. Nothing was asked or spent.")
        .meaning("The server has no provider key of its own, so accounts cannot scan.")
        .remedy("The operator sets `ROUTER_API_KEY`."),
    Problem::new(C::Overloaded, "overloaded", 503)
        .title("Overloaded")
        .detail("The service has more work than it can take on now. Nothing was asked or spent.")
        .meaning("The service has more work than it can take on.")
        .remedy("Try again after `Retry-After` seconds. Nothing was spent.")
        .unavailable(-32050, "overloaded", "The service is overloaded"),
    Problem::new(C::NotReady, "not_ready", 503)
        .title("Not ready")
        .detail("The service cannot take requests yet.")
        .meaning("The service is starting or has lost its store.")
        .remedy("Try again in a moment."),
    Problem::new(C::PaidSurfaceDisabled, "paid_surface_disabled", 503)
        .title("Paid surface disabled")
        .detail("The operator of this service does not sell this. Nothing was asked or spent.")
        .meaning("This server sells nothing, or nothing that asks models: it has no provider key of its own.")
        .remedy("Use the v1 API with your own provider key.")
        .unavailable(-32052, "paid_surface_disabled", "Paid skills are switched off here"),
    Problem::new(C::AuditUnavailable, "audit_unavailable", 503)
        .title("Audit unavailable")
        .detail("Page audits are not enabled on this server. Nothing was asked or spent.")
        .meaning("This server audits no pages.")
        .remedy("Ask for a scan without the page.")
        .rpc(Rpc::Unsupported("pages cannot be audited here")),
    Problem::new(C::WebhooksUnavailable, "webhooks_unavailable", 503)
        .title("Webhooks unavailable")
        .detail("This server sends no webhooks.")
        .meaning("This server sends no webhooks.")
        .remedy("Poll the scan instead, or ask the operator."),
    Problem::new(C::PdfUnavailable, "pdf_unavailable", 503)
        .title("PDF unavailable")
        .detail("This server was built without PDF. The file of the report and its page have the same numbers.")
        .meaning("The server was built without the feature `pdf`.")
        .remedy("Read the file of the report, or ask the operator for a server of the releases."),
    Problem::new(C::DemoClosed, "demo_closed", 503)
        .title("Free question closed")
        .detail("The free question is not offered on this server. Nothing was asked or spent.")
        .meaning("The free question is not offered on this server.")
        .remedy("Use the v1 API with your own provider key."),
    Problem::new(C::QueueKeysUnavailable, "queue_keys_unavailable", 503)
        .title("Queue without keys")
        .detail("This server has no key to seal provider keys with, so it queues no scan with a caller's key. Nothing was asked or spent.")
        .meaning("The operator has not set RUN_KEY_FILE, so provider keys cannot be kept for queued scans.")
        .remedy("Use POST /api/v1/scan, or ask the operator to set RUN_KEY_FILE."),
];
