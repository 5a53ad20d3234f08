//! The table of errors and the page that explains them agree.

use ibid_web::pages::ERROR_CODES;
use ibid_x402::{Reason, Refusal};
use std::collections::BTreeMap;

/// Status and code of every row of the table. Not every error can be made here, so the table is read as it is
/// written: a status, a comma, a code.
fn rows() -> BTreeMap<String, u16> {
    let source = concat!(include_str!("mod.rs"), include_str!("service.rs"));
    let rows = source.split("S::").skip(1).filter_map(|rest| {
        let (status, rest) = rest.split_once(',')?;
        let code = rest.trim_start().strip_prefix('"')?.split('"').next()?;
        let status = match status {
            "BAD_REQUEST" => 400,
            "UNAUTHORIZED" => 401,
            "PAYMENT_REQUIRED" => 402,
            "FORBIDDEN" => 403,
            "NOT_FOUND" => 404,
            "METHOD_NOT_ALLOWED" => 405,
            "CONFLICT" => 409,
            "PAYLOAD_TOO_LARGE" => 413,
            "UNSUPPORTED_MEDIA_TYPE" => 415,
            "TOO_MANY_REQUESTS" => 429,
            "INTERNAL_SERVER_ERROR" => 500,
            "BAD_GATEWAY" => 502,
            "SERVICE_UNAVAILABLE" => 503,
            other => panic!("a status that this test does not know: {other}"),
        };
        Some((code.to_owned(), status))
    });
    let mut rows: BTreeMap<_, _> = rows.collect();
    assert!(
        rows.len() >= 20,
        "the table is written in another way now: {rows:?}"
    );
    // Rows whose code is not written in the table.
    for code in ["invalid_request", "provider_key_required", "provider_key_invalid"] {
        rows.insert(code.to_owned(), 400);
    }
    for refusal in refusals() {
        rows.insert(refusal.code().to_owned(), 402);
    }
    rows
}

fn refusals() -> Vec<Refusal> {
    let said = [
        "settlement_pending",
        "nonce already used",
        "insufficient_funds",
        "payment_expired",
        "value_mismatch",
        "recipient_mismatch",
        "network",
        "signature",
        "",
    ];
    let mut refusals: Vec<_> = said.map(|text| Refusal::Facilitator(Reason::new(text))).into();
    refusals.extend([
        Refusal::Scheme,
        Refusal::TransferMethod,
        Refusal::Network,
        Refusal::OfferMismatch { member: "amount" },
        Refusal::Recipient,
        Refusal::Amount,
        Refusal::NotYetValid,
        Refusal::Expired,
        Refusal::ValidTooLong,
        Refusal::SignatureForm,
        Refusal::Signer,
        Refusal::DuplicateNonce,
    ]);
    refusals
}

#[test]
fn every_code_is_explained_with_its_status_and_every_explained_code_occurs() {
    let rows = rows();
    let explained: BTreeMap<String, u16> = ERROR_CODES
        .iter()
        .map(|entry| (entry.code.to_owned(), entry.status))
        .collect();
    let unexplained: Vec<_> = rows
        .iter()
        .filter(|(code, status)| explained.get(*code) != Some(*status))
        .collect();
    assert!(
        unexplained.is_empty(),
        "not explained, or with another status: {unexplained:?}"
    );
    let unknown: Vec<_> = explained
        .keys()
        .filter(|code| !rows.contains_key(*code))
        .collect();
    assert!(unknown.is_empty(), "explained and never sent: {unknown:?}");
}
