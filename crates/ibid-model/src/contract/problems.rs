//! The codes and rows of problems, by status.

use super::problem::{Problem, Rpc};
use ProblemCode as C;

/// A stable reason why a request got no result.
#[expect(missing_docs, reason = "the row of each code explains it to people")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemCode {
    InvalidRequest,
    MalformedJson,
    LocationNotFound,
    PlanTooLarge,
    PlanTooExpensive,
    ProviderKeyRequired,
    ProviderKeyInvalid,
    ProviderKeyRejected,
    ProviderCreditExhausted,
    MalformedPayment,
    PageRefused,
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
    CrossOrigin,
    NotFound,
    ScanNotFound,
    MethodNotAllowed,
    PayloadTooLarge,
    UnsupportedMediaType,
    RateLimited,
    ProviderUnavailable,
    InternalError,
    FacilitatorUnavailable,
    SettlementUnknown,
    PageUnreachable,
    WorkspaceDisabled,
    Overloaded,
    NotReady,
    PaidSurfaceDisabled,
    AuditUnavailable,
    DemoClosed,
}

/// The members that most rows share.
const PLAIN: Problem = Problem {
    code: C::InternalError,
    word: "",
    status: 500,
    title: "",
    detail: "",
    meaning: "",
    remedy: "",
    rpc: Rpc::Internal,
    payment: "SETTLEMENT_FAILED",
};

const INVALID: Problem = Problem {
    status: 400,
    title: "Invalid request",
    rpc: Rpc::InvalidParams,
    ..PLAIN
};

const REFUSED: Problem = Problem {
    status: 402,
    title: "Payment refused",
    ..PLAIN
};

/// Every problem, by status and in the order of [`ProblemCode`].
pub static PROBLEMS: [Problem; 46] = [
    Problem {
        code: C::InvalidRequest,
        word: "invalid_request",
        meaning: "Fields are missing or out of bounds.",
        remedy: "`errors` lists every fault at once, with a JSON pointer to the field.",
        ..INVALID
    },
    Problem {
        code: C::MalformedJson,
        word: "malformed_json",
        status: 400,
        title: "Malformed JSON",
        meaning: "The body is not a JSON object.",
        remedy: "Check quotes, commas and the encoding, which is UTF-8.",
        ..PLAIN
    },
    Problem {
        code: C::LocationNotFound,
        word: "location_not_found",
        status: 400,
        title: "Location not found",
        detail: "The location is unknown. Try \"nearest town, country\" or \"lat, lon\". Nothing was asked or spent.",
        meaning: "The place is not in the gazetteer.",
        remedy: "`suggestions` may hold the right spelling. Or give the nearest town and its country, or “lat, lon”.",
        rpc: Rpc::InvalidParams,
        ..PLAIN
    },
    Problem {
        code: C::PlanTooLarge,
        word: "plan_too_large",
        status: 400,
        title: "Plan too large",
        meaning: "The scan would ask more questions than this server allows.",
        remedy: "Ask fewer models, rings, keywords or phrasings. `questions` says how many it would have been.",
        rpc: Rpc::InvalidParams,
        ..PLAIN
    },
    Problem {
        code: C::PlanTooExpensive,
        word: "plan_too_expensive",
        status: 400,
        title: "Plan too expensive",
        meaning: "The models would cost more than the price of the skill covers.",
        remedy: "Ask fewer or cheaper models. Nothing was charged.",
        rpc: Rpc::InvalidParams,
        ..PLAIN
    },
    Problem {
        code: C::ProviderKeyRequired,
        word: "provider_key_required",
        meaning: "No provider key came with the request.",
        remedy: "Send your own key in `X-Router-Key`.",
        ..INVALID
    },
    Problem {
        code: C::ProviderKeyInvalid,
        word: "provider_key_invalid",
        meaning: "The provider key cannot be one: too long, or with characters that no header carries.",
        remedy: "Check for line ends and quotes that came along.",
        ..INVALID
    },
    Problem {
        code: C::ProviderKeyRejected,
        word: "provider_key_rejected",
        status: 400,
        title: "Provider key rejected",
        detail: "The model provider rejected the key in X-Router-Key. No answer was paid for.",
        meaning: "The model provider does not accept the key.",
        remedy: "Check the key at the provider. No answer was paid for.",
        ..PLAIN
    },
    Problem {
        code: C::ProviderCreditExhausted,
        word: "provider_credit_exhausted",
        status: 400,
        title: "Provider credit exhausted",
        detail: "The account behind the key in X-Router-Key has no credit left at the model provider.",
        meaning: "The account behind the provider key has no credit left.",
        remedy: "Add credit at the provider.",
        ..PLAIN
    },
    Problem {
        code: C::MalformedPayment,
        word: "malformed_payment",
        status: 400,
        title: "Malformed payment",
        meaning: "The payment header cannot be read.",
        remedy: "It is base64 of JSON, at most 16 KiB, in one of the two headers. Nothing was spent.",
        rpc: Rpc::InvalidParams,
        ..PLAIN
    },
    Problem {
        code: C::PageRefused,
        word: "page_refused",
        status: 400,
        title: "Page refused",
        meaning: "The address of the page, or one that it leads to, must not be fetched.",
        remedy: "Only public http and https addresses are fetched. Nothing was charged.",
        ..PLAIN
    },
    Problem {
        code: C::Unauthorized,
        word: "unauthorized",
        status: 401,
        title: "Bearer key missing or invalid",
        meaning: "The bearer key is missing or wrong, or the session is missing or has ended.",
        remedy: "Send `Authorization: Bearer`; ask the operator for a key.",
        ..PLAIN
    },
    Problem {
        code: C::SignInRefused,
        word: "sign_in_refused",
        status: 401,
        title: "Signing in was refused",
        detail: "E-mail or password is wrong, or the account is closed.",
        meaning: "E-mail or password is wrong, or the account is closed.",
        remedy: "Check both; the operator can set another password.",
        ..PLAIN
    },
    Problem {
        code: C::PaymentRequired,
        word: "payment_required",
        status: 402,
        title: "Payment required",
        detail: "Pay what the offer asks.",
        meaning: "The route is paid and no payment came with the request.",
        remedy: "Sign one of the offers in `accepts` and send the request again.",
        ..PLAIN
    },
    Problem {
        code: C::DuplicateNonce,
        word: "duplicate_nonce",
        meaning: "The authorization was used for another request.",
        remedy: "Sign a new one. The same authorization with the same request returns the stored result.",
        payment: "DUPLICATE_NONCE",
        ..REFUSED
    },
    Problem {
        code: C::InsufficientFunds,
        word: "insufficient_funds",
        meaning: "The wallet cannot pay.",
        remedy: "Fund it and sign again.",
        payment: "INSUFFICIENT_FUNDS",
        ..REFUSED
    },
    Problem {
        code: C::UnsupportedScheme,
        word: "unsupported_scheme",
        meaning: "The payment is of another scheme than `exact`.",
        remedy: "Sign one of the offers in `accepts`.",
        ..REFUSED
    },
    Problem {
        code: C::UnsupportedTransferMethod,
        word: "unsupported_transfer_method",
        meaning: "The payment moves money in another way than a signed transfer authorization (EIP-3009).",
        remedy: "Sign one of the offers in `accepts`.",
        ..REFUSED
    },
    Problem {
        code: C::OfferMismatch,
        word: "offer_mismatch",
        meaning: "The `accepted` member of the payment differs from the offer.",
        remedy: "Copy the offer as it is.",
        payment: "INVALID_AMOUNT",
        ..REFUSED
    },
    Problem {
        code: C::NetworkMismatch,
        word: "network_mismatch",
        meaning: "The payment is for another chain.",
        remedy: "Sign for the `network` of the offer.",
        payment: "NETWORK_MISMATCH",
        ..REFUSED
    },
    Problem {
        code: C::RecipientMismatch,
        word: "recipient_mismatch",
        meaning: "The payment is made out to another recipient.",
        remedy: "Sign for the `payTo` of the offer.",
        ..REFUSED
    },
    Problem {
        code: C::InvalidAmount,
        word: "invalid_amount",
        meaning: "The authorized value is not the price.",
        remedy: "Sign exactly the amount of the offer.",
        payment: "INVALID_AMOUNT",
        ..REFUSED
    },
    Problem {
        code: C::InvalidSignature,
        word: "invalid_signature",
        meaning: "The signature does not hold, or the token refuses its form.",
        remedy: "Sign the domain and message of EIP-3009 with the payer’s key.",
        payment: "INVALID_SIGNATURE",
        ..REFUSED
    },
    Problem {
        code: C::PaymentNotYetValid,
        word: "payment_not_yet_valid",
        meaning: "`validAfter` lies in the future.",
        remedy: "Set it to a time past; clocks may differ by a minute.",
        payment: "EXPIRED_PAYMENT",
        ..REFUSED
    },
    Problem {
        code: C::PaymentExpired,
        word: "payment_expired",
        meaning: "The authorization ends before the payment could be settled.",
        remedy: "Sign a new one that is valid for as long as the offer allows.",
        payment: "EXPIRED_PAYMENT",
        ..REFUSED
    },
    Problem {
        code: C::PaymentValidTooLong,
        word: "payment_valid_too_long",
        meaning: "The authorization is valid for longer than the offer allows.",
        remedy: "Sign for at most `maxTimeoutSeconds`.",
        payment: "EXPIRED_PAYMENT",
        ..REFUSED
    },
    Problem {
        code: C::PaymentRefused,
        word: "payment_refused",
        meaning: "The facilitator refuses the payment for another reason.",
        remedy: "`error` and the settlement header say which. Sign a new one.",
        ..REFUSED
    },
    Problem {
        code: C::CreditsExhausted,
        word: "credits_exhausted",
        status: 402,
        title: "No credit is left",
        detail: "The account has no credit left. Nothing was asked or spent; the operator gives credits.",
        meaning: "The account has no credit left.",
        remedy: "Ask the operator for more.",
        ..PLAIN
    },
    Problem {
        code: C::CrossOrigin,
        word: "cross_origin",
        status: 403,
        title: "Sent from another site",
        detail: "Only pages of this service may send this. Open the page here and try again.",
        meaning: "The form came from another site.",
        remedy: "Use the page of this service.",
        ..PLAIN
    },
    Problem {
        code: C::NotFound,
        word: "not_found",
        status: 404,
        title: "Not found",
        detail: "Nothing lives at this path.",
        meaning: "Nothing lives at this path.",
        remedy: "Compare it with the reference.",
        ..PLAIN
    },
    Problem {
        code: C::ScanNotFound,
        word: "scan_not_found",
        status: 404,
        title: "Scan not found",
        detail: "There is no scan with this id on this surface.",
        meaning: "No scan on this surface has the id.",
        remedy: "Each surface reads its own scans only.",
        ..PLAIN
    },
    Problem {
        code: C::MethodNotAllowed,
        word: "method_not_allowed",
        status: 405,
        title: "Method not allowed",
        meaning: "The path takes another method.",
        remedy: "`Allow` names it.",
        ..PLAIN
    },
    Problem {
        code: C::PayloadTooLarge,
        word: "payload_too_large",
        status: 413,
        title: "Body too large",
        meaning: "The body is longer than allowed.",
        remedy: "64 KiB, or 4 MiB for page audits and JSON-RPC.",
        ..PLAIN
    },
    Problem {
        code: C::UnsupportedMediaType,
        word: "unsupported_media_type",
        status: 415,
        title: "Unsupported media type",
        meaning: "The body is not declared as JSON.",
        remedy: "Send `Content-Type: application/json`.",
        ..PLAIN
    },
    Problem {
        code: C::RateLimited,
        word: "rate_limited",
        status: 429,
        title: "Too many requests",
        meaning: "The limit is used up.",
        remedy: "Come back after `Retry-After` seconds.",
        rpc: Rpc::Unavailable {
            code: -32051,
            message: "Too many tasks or calls are open",
            word: "too_many",
        },
        ..PLAIN
    },
    Problem {
        code: C::ProviderUnavailable,
        word: "provider_unavailable",
        status: 500,
        title: "No model answered",
        meaning: "No model answered.",
        remedy: "Nothing was charged. Try again later, or other models.",
        ..PLAIN
    },
    Problem {
        code: C::InternalError,
        word: "internal_error",
        status: 500,
        title: "Internal error",
        detail: "Something failed inside the service. The request id leads to the log entry.",
        meaning: "Something failed inside the service.",
        remedy: "Tell the operator the `requestId`.",
        ..PLAIN
    },
    Problem {
        code: C::FacilitatorUnavailable,
        word: "facilitator_unavailable",
        status: 502,
        title: "Facilitator unavailable",
        detail: "The facilitator gives no verdict on the payment now. Send the same payment again; do not sign a new one.",
        meaning: "The payment service cannot be reached.",
        remedy: "Nothing was taken. Try again with the same authorization.",
        rpc: Rpc::Unavailable {
            code: -32053,
            message: "The payment cannot be checked just now; it was not used",
            word: "facilitator_unavailable",
        },
        ..PLAIN
    },
    Problem {
        code: C::SettlementUnknown,
        word: "settlement_unknown",
        status: 502,
        title: "Settlement unknown",
        detail: "The work is done and the outcome of the settlement is not known yet. Send the same request with the same payment after Retry-After; do not sign a new one.",
        meaning: "The payment may or may not have gone through.",
        remedy: "Send the same request with the same authorization: you get the result once it is known, and never pay twice.",
        ..PLAIN
    },
    Problem {
        code: C::PageUnreachable,
        word: "page_unreachable",
        status: 502,
        title: "Page unreachable",
        meaning: "The page gave no answer.",
        remedy: "Check the address in a browser. Nothing was charged.",
        ..PLAIN
    },
    Problem {
        code: C::WorkspaceDisabled,
        word: "workspace_disabled",
        status: 503,
        title: "Scans are not open",
        detail: "The operator of this service has set no provider key, so accounts cannot scan. Nothing was asked or spent.",
        meaning: "The server has no provider key of its own, so accounts cannot scan.",
        remedy: "The operator sets `ROUTER_API_KEY`.",
        ..PLAIN
    },
    Problem {
        code: C::Overloaded,
        word: "overloaded",
        status: 503,
        title: "Overloaded",
        detail: "The service has more work than it can take on now. Nothing was asked or spent.",
        meaning: "The service has more work than it can take on.",
        remedy: "Come back after `Retry-After` seconds. Nothing was spent.",
        rpc: Rpc::Unavailable {
            code: -32050,
            message: "The service is overloaded",
            word: "overloaded",
        },
        ..PLAIN
    },
    Problem {
        code: C::NotReady,
        word: "not_ready",
        status: 503,
        title: "Not ready",
        detail: "The service cannot take requests yet.",
        meaning: "The service is starting or has lost its store.",
        remedy: "Try again in a moment.",
        ..PLAIN
    },
    Problem {
        code: C::PaidSurfaceDisabled,
        word: "paid_surface_disabled",
        status: 503,
        title: "Paid surface disabled",
        detail: "The operator of this service does not sell this. Nothing was asked or spent.",
        meaning: "This server sells nothing, or nothing that asks models: it has no provider key of its own.",
        remedy: "Use the v1 API with your own provider key.",
        rpc: Rpc::Unavailable {
            code: -32052,
            message: "Paid skills are switched off here",
            word: "paid_surface_disabled",
        },
        ..PLAIN
    },
    Problem {
        code: C::AuditUnavailable,
        word: "audit_unavailable",
        status: 503,
        title: "Audit unavailable",
        detail: "Page audits are not enabled on this server. Nothing was asked or spent.",
        meaning: "This server audits no pages.",
        remedy: "Ask for a scan without the page.",
        rpc: Rpc::Unsupported("pages cannot be audited here"),
        ..PLAIN
    },
    Problem {
        code: C::DemoClosed,
        word: "demo_closed",
        status: 503,
        title: "Free question closed",
        detail: "This server gives no free question away. Nothing was asked or spent.",
        meaning: "This server gives no free question away.",
        remedy: "Use the v1 API with your own provider key.",
        ..PLAIN
    },
];
