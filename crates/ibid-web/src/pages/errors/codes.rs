//! Every error code of the REST surfaces, in words.

/// An error code of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorCode {
    /// Stable snake_case word; the anchor on the page of codes.
    pub code: &'static str,
    /// HTTP status it comes with.
    pub status: u16,
    /// What happened.
    pub meaning: &'static str,
    /// What to do.
    pub remedy: &'static str,
}

/// Every error code of the REST surfaces, by status.
pub const ERROR_CODES: &[ErrorCode] = {
    const fn code(status: u16, code: &'static str, meaning: &'static str, remedy: &'static str) -> ErrorCode {
        ErrorCode {
            code,
            status,
            meaning,
            remedy,
        }
    }
    &[
        code(
            400,
            "invalid_request",
            "Fields are missing or out of bounds.",
            "`errors` lists every fault at once, with a JSON pointer to the field.",
        ),
        code(
            400,
            "malformed_json",
            "The body is not a JSON object.",
            "Check quotes, commas and the encoding, which is UTF-8.",
        ),
        code(
            400,
            "location_not_found",
            "The place is not in the gazetteer.",
            "`suggestions` may hold the right spelling. Or give the nearest town and its country, or “lat, lon”.",
        ),
        code(
            400,
            "plan_too_large",
            "The scan would ask more questions than this server allows.",
            "Ask fewer models, rings, keywords or phrasings. `questions` says how many it would have been.",
        ),
        code(
            400,
            "plan_too_expensive",
            "The models would cost more than the price of the skill covers.",
            "Ask fewer or cheaper models. Nothing was charged.",
        ),
        code(
            400,
            "provider_key_required",
            "No provider key came with the request.",
            "Send your own key in `X-Router-Key`.",
        ),
        code(
            400,
            "provider_key_invalid",
            "The provider key cannot be one: too long, or with characters that no header carries.",
            "Check for line ends and quotes that came along.",
        ),
        code(
            400,
            "provider_key_rejected",
            "The model provider does not accept the key.",
            "Check the key at the provider. No answer was paid for.",
        ),
        code(
            400,
            "provider_credit_exhausted",
            "The account behind the provider key has no credit left.",
            "Add credit at the provider.",
        ),
        code(
            400,
            "malformed_payment",
            "The payment header cannot be read.",
            "It is base64 of JSON, at most 16 KiB, in one of the two headers. Nothing was spent.",
        ),
        code(
            400,
            "page_refused",
            "The address of the page, or one that it leads to, must not be fetched.",
            "Only public http and https addresses are fetched. Nothing was charged.",
        ),
        code(
            401,
            "unauthorized",
            "The bearer key is missing or wrong, or nobody is signed in.",
            "Send `Authorization: Bearer`; ask the operator for a key.",
        ),
        code(
            401,
            "sign_in_refused",
            "E-mail or password is wrong, or the account is closed.",
            "Check both; the operator can set another password.",
        ),
        code(
            402,
            "payment_required",
            "The route is paid and no payment came with the request.",
            "Sign one of the offers in `accepts` and send the request again.",
        ),
        code(
            402,
            "duplicate_nonce",
            "The authorization was used for another request.",
            "Sign a new one. The same authorization with the same request returns the stored result.",
        ),
        code(
            402,
            "insufficient_funds",
            "The wallet cannot pay.",
            "Fund it and sign again.",
        ),
        code(
            402,
            "unsupported_scheme",
            "The payment is of another scheme than `exact`.",
            "Sign one of the offers in `accepts`.",
        ),
        code(
            402,
            "unsupported_transfer_method",
            "The payment moves money in another way than a signed transfer authorization (EIP-3009).",
            "Sign one of the offers in `accepts`.",
        ),
        code(
            402,
            "offer_mismatch",
            "The `accepted` member of the payment differs from the offer.",
            "Copy the offer as it is.",
        ),
        code(
            402,
            "network_mismatch",
            "The payment is for another chain.",
            "Sign for the `network` of the offer.",
        ),
        code(
            402,
            "recipient_mismatch",
            "The payment is made out to somebody else.",
            "Sign for the `payTo` of the offer.",
        ),
        code(
            402,
            "invalid_amount",
            "The authorized value is not the price.",
            "Sign exactly the amount of the offer.",
        ),
        code(
            402,
            "invalid_signature",
            "The signature does not hold, or the token refuses its form.",
            "Sign the domain and message of EIP-3009 with the payer’s key.",
        ),
        code(
            402,
            "payment_not_yet_valid",
            "`validAfter` lies in the future.",
            "Set it to a time past; clocks may differ by a minute.",
        ),
        code(
            402,
            "payment_expired",
            "The authorization ends before the payment could be settled.",
            "Sign a new one that is valid for as long as the offer allows.",
        ),
        code(
            402,
            "payment_valid_too_long",
            "The authorization is valid for longer than the offer allows.",
            "Sign for at most `maxTimeoutSeconds`.",
        ),
        code(
            402,
            "payment_refused",
            "The facilitator refuses the payment for another reason.",
            "`error` and the settlement header say which. Sign a new one.",
        ),
        code(
            402,
            "credits_exhausted",
            "The account has no credit left.",
            "Ask the operator for more.",
        ),
        code(
            403,
            "cross_origin",
            "The form came from another site.",
            "Use the page of this service.",
        ),
        code(
            404,
            "not_found",
            "Nothing lives at this path.",
            "Compare it with the reference.",
        ),
        code(
            404,
            "scan_not_found",
            "No scan on this surface has the id.",
            "Each surface reads its own scans only.",
        ),
        code(
            405,
            "method_not_allowed",
            "The path takes another method.",
            "`Allow` names it.",
        ),
        code(
            413,
            "payload_too_large",
            "The body is longer than allowed.",
            "64 KiB, or 4 MiB for page audits and JSON-RPC.",
        ),
        code(
            415,
            "unsupported_media_type",
            "The body is not declared as JSON.",
            "Send `Content-Type: application/json`.",
        ),
        code(
            429,
            "rate_limited",
            "The limit is used up.",
            "Come back after `Retry-After` seconds.",
        ),
        code(
            500,
            "provider_unavailable",
            "No model answered.",
            "Nothing was charged. Try again later, or other models.",
        ),
        code(
            500,
            "internal_error",
            "Something failed inside the service.",
            "Tell the operator the `requestId`.",
        ),
        code(
            502,
            "facilitator_unavailable",
            "The payment service cannot be reached.",
            "Nothing was taken. Try again with the same authorization.",
        ),
        code(
            502,
            "settlement_unknown",
            "The payment may or may not have gone through.",
            "Send the same request with the same authorization: you get the result once it is known, and never pay twice.",
        ),
        code(
            502,
            "page_unreachable",
            "The page gave no answer.",
            "Check the address in a browser. Nothing was charged.",
        ),
        code(
            503,
            "workspace_disabled",
            "The server has no provider key of its own, so accounts cannot scan.",
            "The operator sets `ROUTER_API_KEY`.",
        ),
        code(
            503,
            "overloaded",
            "The service has more work than it can take on.",
            "Come back after `Retry-After` seconds. Nothing was spent.",
        ),
        code(
            503,
            "not_ready",
            "The service is starting or has lost its store.",
            "Try again in a moment.",
        ),
        code(
            503,
            "paid_surface_disabled",
            "This server sells nothing, or nothing that asks models: it has no provider key of its own.",
            "Use the v1 API with your own provider key.",
        ),
        code(
            503,
            "audit_unavailable",
            "This server audits no pages.",
            "Ask for a scan without the page.",
        ),
        code(
            503,
            "demo_closed",
            "This server gives no free question away.",
            "Use the v1 API with your own provider key.",
        ),
    ]
};
