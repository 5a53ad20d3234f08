//! Every problem, to the letter.

use super::{ApiError, Problem};
use ibid_model::contract::PROBLEMS;
use ibid_model::result::PlaceSuggestion;
use ibid_model::{Asset, FaultCode, Faults, Network, Product, UsdMicros};
use ibid_service::{Error, PaymentDue};
use ibid_x402::{BadPayment, FacilitatorReason, Listing, Outage, PriceQuote, Refusal, Terms};
use serde_json::Value;
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

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
    let mut refusals: Vec<_> = said
        .map(|text| Refusal::Facilitator(FacilitatorReason::new(text)))
        .into();
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

/// Every error that can be made here. Those of a provider and of a page are seen by the tests of the whole server.
fn errors() -> Vec<ApiError> {
    let wait = Duration::from_millis(1_500);
    let money = |dollars: u64| UsdMicros::new(dollars * 1_000_000);
    let due = || {
        let timeout = NonZeroU32::new(600).unwrap();
        let (network, wallet) = (Network::BaseSepolia, "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720");
        let terms = Terms::new(network, Asset::usdc(network), wallet.parse().unwrap(), timeout);
        let listing = Listing::new("http://ibid.test/".parse().unwrap(), "a test");
        PaymentDue::Sale(Box::new(PriceQuote::sale(
            Product::Scan,
            Arc::new(terms),
            Arc::new(listing),
        )))
    };
    let mut errors: Vec<ApiError> = [
        Error::Invalid(Faults::one("/domain", FaultCode::Required, "domain is required")),
        Error::Invalid(Faults::one(
            "X-Router-Key",
            FaultCode::ProviderKeyRequired,
            "no key",
        )),
        Error::Invalid(Faults::one(
            "X-Router-Key",
            FaultCode::ProviderKeyInvalid,
            "no key",
        )),
        Error::UnknownPlace {
            reason: "no place of that name is known".to_owned(),
            suggestions: vec![PlaceSuggestion {
                label: "Oslo, Norway".to_owned(),
                country: "NO".to_owned(),
                lat: 59.91273,
                lon: 10.74609,
            }],
        },
        Error::PlanTooLarge {
            questions: 900,
            most: 500,
            estimate: money(3),
        },
        Error::NotFound,
        Error::KeyRejected,
        Error::ProviderCreditExhausted,
        Error::PaidDisabled,
        Error::DemoDisabled,
        Error::AuditsDisabled,
        Error::WebhookNotFound,
        Error::WebhookDisabled,
        Error::WebhooksUnavailable,
        Error::PdfUnavailable,
        Error::PlanTooExpensive {
            estimate: money(3),
            most: money(2),
            fits: None,
        },
        Error::PlanTooSlow {
            needed: 600,
            most: 574,
        },
        Error::PaymentIdentifierUsed,
        Error::PaymentSpent,
        Error::WorkOwed(Box::new(Error::Ended)),
        Error::PaymentRequired(due()),
        Error::PaymentMalformed(BadPayment::NotBase64),
        Error::FacilitatorUnavailable(Outage::Timeout),
        Error::SettlementUnknown { retry_after: wait },
        Error::SignInRefused,
        Error::AccountCreditExhausted,
        Error::BudgetExceeded {
            estimate: money(3),
            left: money(2),
        },
        Error::Forbidden,
        Error::ScheduleNotFound,
        Error::ProjectNotFound,
        Error::ScheduleRunning,
        Error::QuestionSetNotFound,
        Error::QuestionSetChanged { latest: 4 },
        Error::ProposalFailed,
        Error::NotOneSeries(ibid_service::NotOneSeries::NoSharedModel { number: 2 }),
        Error::QueueKeysUnavailable,
        Error::WorkspaceDisabled,
        Error::NoEntropy,
        Error::IdempotencyConflict,
        Error::Duplicate(Arc::new(Error::WorkspaceDisabled)),
        Error::TooMany { retry_after: wait },
        Error::Overloaded { retry_after: wait },
        Error::Ended,
    ]
    .map(ApiError::Service)
    .into();
    errors.extend(
        refusals()
            .into_iter()
            .map(|refusal| ApiError::Service(Error::PaymentRefused { due: due(), refusal })),
    );
    errors.extend([
        ApiError::Unauthenticated { contact: None },
        ApiError::Unauthenticated {
            contact: Some("a@b.example".to_owned()),
        },
        ApiError::NotSignedIn,
        ApiError::SignInFirst("/sign-in".to_owned()),
        ApiError::NoSuchPath,
        ApiError::Method("GET, HEAD".into()),
        ApiError::ContentType("application/json"),
        ApiError::TooLarge { most: 7 },
        ApiError::Malformed("The body is a list."),
        ApiError::NotReady,
        ApiError::BodyTooSlow,
        ApiError::Stopping,
        ApiError::CrossOrigin,
    ]);
    errors
}

#[test]
fn the_problems_look_like_this() {
    let lines = errors()
        .iter()
        .map(|error| {
            let problem = error.problem();
            let (status, wait) = (problem.status.as_u16(), problem.retry_after);
            let Problem {
                code,
                title,
                detail,
                more,
                ..
            } = problem;
            format!(
                "{status} {code}: {title}\n  {detail}\n  {wait:?} {}\n",
                Value::Object(more)
            )
        })
        .collect::<String>();
    insta::assert_snapshot!("problems", lines);
}

#[test]
fn every_code_occurs() {
    let made: BTreeSet<_> = errors().iter().map(|error| error.problem().code).collect();
    let rest = PROBLEMS
        .iter()
        .map(|row| row.code)
        .filter(|code| !made.contains(code));
    let rest: Vec<_> = rest.map(|code| code.word()).collect();
    assert_eq!(
        rest,
        [
            "page_refused",
            "import_unreadable",
            "provider_unavailable",
            "page_unreachable"
        ]
    );
}
