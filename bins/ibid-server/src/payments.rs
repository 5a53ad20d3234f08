//! Payments: the facilitator and the terms of the paid surface.

use crate::settings::{PaidSettings, Settings};
use anyhow::Context;
use ibid_model::{Network, Product, Wallet};
use ibid_service::{Error, Paid, Service, Timing};
use ibid_x402::{
    ChainReader, ChainReaders, Facilitator, OfferSigner, Paygate, RemoteFacilitator, RemoteOptions,
    RpcReader, SandboxFacilitator, Terms,
};
use secrecy::ExposeSecret as _;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Longest validity of a payment authorization. Covers the longest run, its settlement and a margin.
const MAX_TIMEOUT_SECONDS: NonZeroU32 = NonZeroU32::MIN.saturating_add(599);

/// Returns the configuration of the paid surface, or `None` where a required setting is missing.
///
/// # Errors
/// The facilitator cannot be used.
pub(crate) fn open(settings: &Settings) -> anyhow::Result<Option<Paid>> {
    let paid = &settings.paid;
    let mut invented_chain: Option<Arc<dyn ChainReader>> = None;
    let facilitator: Option<Arc<dyn Facilitator>> = match &paid.facilitator {
        Some(base) => {
            let mut options = RemoteOptions::new(base.clone());
            options.bearer.clone_from(&paid.facilitator_token);
            options.key.clone_from(&paid.facilitator_key);
            Some(Arc::new(
                RemoteFacilitator::new(options).context("FACILITATOR_URL")?,
            ))
        }
        None if settings.sandbox => {
            let sandbox = Arc::new(SandboxFacilitator::new());
            invented_chain = Some(sandbox.clone());
            Some(sandbox)
        }
        None => None,
    };
    let (Some(facilitator), Some(pay_to)) = (facilitator, paid.pay_to) else {
        tracing::info!(
            hint = "to sell, set X402_PAY_TO and FACILITATOR_URL",
            "payments.closed"
        );
        return Ok(None);
    };
    let key = paid.router_key.clone();
    if key.is_none() {
        tracing::warn!(
            hint = "only page audits are sold; to sell scans, set ROUTER_API_KEY",
            "payments.audits_only"
        );
    }
    let chain = invented_chain.map_or_else(|| chain(paid), |chain| Ok(Some(chain)))?;
    if chain.is_none() && !settings.sandbox {
        tracing::warn!(
            hint = "set RPC_URL; without it a settlement of unknown outcome waits for ibid-server books reconcile",
            "payments.no_chain_reader"
        );
    }
    let mut terms = terms(paid, pay_to);
    if let Some(key) = &paid.offer_key {
        let signer = OfferSigner::from_hex(key.expose_secret()).context("OFFER_KEY_FILE")?;
        tracing::info!(signer = %signer.address(), "payments.offers_signed");
        terms = terms.signed(signer);
    }
    tracing::info!(network = %paid.network, %pay_to, "payments.open");
    Ok(Some(Paid {
        gate: Paygate::new(facilitator),
        chain,
        terms: Arc::new(terms),
        key,
        caps: paid.file.caps,
        models: paid.file.models.clone(),
        exposure: paid.file.exposure,
        timing: Timing::default(),
    }))
}

/// Returns the accepted tokens and the prices.
pub(crate) fn terms(paid: &PaidSettings, pay_to: Wallet) -> Terms {
    let terms = Terms::new(paid.network, paid.file.asset.clone(), pay_to, MAX_TIMEOUT_SECONDS);
    let more = paid.file.tokens.iter().map(|token| token.accepted.clone());
    more.fold(terms.priced(paid.file.prices), Terms::and)
}

/// Logs what the list gives for the price of every sold product, and each that is estimated to cost more than its price, or than its cap.
pub(crate) fn compare_with_prices(settings: &Settings, service: &Service) {
    for product in Product::that_ask() {
        if !service.shop.sells(product) {
            continue;
        }
        match service.scans.default_plan(product) {
            Ok(plan) => {
                let (estimate, price) = (plan.estimate(), settings.paid.orders().price(product));
                let width = (100.0 * plan.expected_width()).round();
                tracing::info!(%product, %price, answers = plan.len(), width, cost = %estimate, "payments.gives");
                if let Some(loss) = estimate.above(price) {
                    tracing::warn!(%product, %estimate, %price, %loss, "payments.price_below_cost");
                }
            }
            Err(Error::PlanTooExpensive { estimate, most, .. }) => {
                tracing::warn!(%product, %estimate, %most, "payments.default_over_cap");
            }
            Err(_) => {
                tracing::warn!(%product, hint = "raise MAX_QUESTIONS_PER_SCAN", "payments.default_over_cap");
            }
        }
    }
}

/// Returns the reader of the chain, if `RPC_URL` names nodes.
///
/// # Errors
/// TLS cannot be set up.
pub(crate) fn chain(paid: &PaidSettings) -> anyhow::Result<Option<Arc<dyn ChainReader>>> {
    let Some(nodes) = paid.nodes.clone() else {
        return Ok(None);
    };
    let mut readers: Vec<(Network, Arc<dyn ChainReader>)> = Vec::new();
    let further = paid.file.tokens.iter();
    let further = further.filter_map(|token| Some((token.accepted.network, token.nodes.clone()?)));
    // The variable's nodes come last, so that they take precedence on their network.
    for (network, nodes) in further.chain([(paid.network, nodes)]) {
        let reader = RpcReader::new(network, nodes).with_context(|| format!("the nodes of {network}"))?;
        readers.push((network, Arc::new(reader)));
    }
    Ok(Some(Arc::new(ChainReaders::new(readers))))
}
