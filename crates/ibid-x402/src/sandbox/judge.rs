//! A facilitator's checks of a payment that need no chain.
//! They have the order and the words of the reference engines.

use crate::check::SETTLE_MARGIN;
use crate::eip712::{SignatureForm, SigningDomain};
use crate::payment::{AcceptedOffer, Payment};
use crate::proto::exact::{Foreign, Uint256};
use crate::proto::{member, parsed};
use ibid_model::{Asset, AtomicUsdc, Network, PaymentKey, TokenAddress, Wallet, X402Version};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A payment that passed all checks that need no chain.
pub(super) struct Judged {
    pub(super) key: PaymentKey,
    pub(super) to: Wallet,
    pub(super) amount: AtomicUsdc,
    /// In the form of the version.
    pub(super) network: String,
}

/// Why it is not.
pub(super) struct Refused {
    pub(super) reason: &'static str,
    pub(super) payer: Option<Wallet>,
    pub(super) network: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    x402_version: u8,
    #[serde(borrow)]
    payment_payload: &'a RawValue,
    payment_requirements: Value,
}

/// Judges the body of a request.
/// `owner` knows wallets with code.
pub(super) fn judge(
    body: &str,
    now: Timestamp,
    owner: &dyn Fn(Wallet) -> Option<Wallet>,
) -> Result<Judged, Refused> {
    let early = |reason| Refused {
        reason,
        payer: None,
        network: None,
    };
    let body: Body<'_> = serde_json::from_str(body).map_err(|_| early("invalid_payload"))?;
    let payment = Payment::from_json(body.payment_payload.get()).map_err(|_| early("invalid_payload"))?;
    if payment.version.number() != body.x402_version {
        return Err(early("invalid_x402_version"));
    }
    let requirements = &body.payment_requirements;
    let text = |name| member(requirements, name).and_then(Value::as_str);
    let network_name = text("network").unwrap_or_default().to_owned();
    let version = payment.version;
    let transfer = payment.transfer.map_err(|foreign| {
        early(match foreign {
            Foreign::Scheme => "unsupported_scheme",
            Foreign::Network => "invalid_network",
            Foreign::Method => "invalid_payload",
        })
    })?;
    let authorization = transfer.authorization;
    let refuse = |reason| Refused {
        reason,
        payer: Some(authorization.from),
        network: Some(network_name.clone()),
    };
    let (scheme, named) = match &payment.offer {
        AcceptedOffer::Names { scheme, network } => (scheme.as_str(), network.as_str()),
        AcceptedOffer::Entry(entry) => {
            let text = |name| member(entry, name).and_then(Value::as_str).unwrap_or_default();
            (text("scheme"), text("network"))
        }
    };
    if text("scheme") != Some(scheme) {
        return Err(refuse("invalid_exact_evm_scheme"));
    }
    let known = network_name.parse::<Network>().ok();
    let known = known.filter(|network| network.in_version(version) == network_name && named == network_name);
    let network = known.ok_or(refuse("invalid_exact_evm_network_mismatch"))?;

    let extra = member(requirements, "extra").ok_or(refuse("invalid_exact_evm_missing_eip712_domain"))?;
    let contract =
        parsed::<TokenAddress>(requirements, "asset").ok_or(refuse("asset_not_deployed_contract"))?;
    let named = |name| member(extra, name).and_then(Value::as_str).unwrap_or_default();
    let asset = Asset {
        contract,
        name: named("name").to_owned(),
        version: named("version").to_owned(),
    };
    // USDC has a known domain.
    // For every other contract the domain of the request is used, as there is no chain.
    let usdc = Asset::usdc(network);
    if contract == usdc.contract && asset.name != usdc.name {
        return Err(refuse("invalid_exact_evm_token_name_mismatch"));
    }
    if contract == usdc.contract && asset.version != usdc.version {
        return Err(refuse("invalid_exact_evm_token_version_mismatch"));
    }
    if parsed::<Wallet>(requirements, "payTo") != Some(authorization.to) {
        return Err(refuse("invalid_exact_evm_recipient_mismatch"));
    }
    let now = u64::try_from(now.as_second()).unwrap_or(0);
    if authorization.valid_before < Uint256::from(now.saturating_add(SETTLE_MARGIN.as_secs())) {
        return Err(refuse("invalid_exact_evm_payload_authorization_valid_before"));
    }
    if authorization.valid_after > Uint256::from(now) {
        return Err(refuse("invalid_exact_evm_payload_authorization_valid_after"));
    }
    let (amount, other_amount) = match version {
        X402Version::V1 => ("maxAmountRequired", "invalid_exact_evm_authorization_value"),
        X402Version::V2 => ("amount", "invalid_exact_evm_payload_authorization_value_mismatch"),
    };
    if parsed::<Uint256>(requirements, amount) != Some(authorization.value) {
        return Err(refuse(other_amount));
    }
    let digest = SigningDomain::of(network, &asset).digest(&authorization);
    let form = SignatureForm::of(&transfer.signature);
    let form = form.map_err(|_| refuse("invalid_exact_evm_transaction_simulation_failed"))?;
    let signer = match form {
        SignatureForm::Ecdsa(signature) => signature.signer(&digest),
        SignatureForm::Contract => None,
    };
    let entitled = owner(authorization.from).unwrap_or(authorization.from);
    if signer != Some(entitled) {
        return Err(refuse("invalid_exact_evm_signature"));
    }
    // A larger value exceeds every balance, since no sandbox wallet has more than 2^64 atomic units.
    let amount = authorization
        .value
        .as_u64()
        .ok_or(refuse("invalid_exact_evm_insufficient_balance"))?;
    Ok(Judged {
        key: PaymentKey {
            network,
            asset: contract,
            payer: authorization.from,
            nonce: authorization.nonce,
        },
        to: authorization.to,
        amount: AtomicUsdc::new(amount),
        network: network_name,
    })
}
