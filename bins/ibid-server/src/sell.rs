//! The paid surface: opened if everything it needs is there.

use crate::settings::Settings;
use anyhow::Context;
use ibid_service::{Paid, Timing};
use ibid_x402::{Facilitator, Paygate, RemoteFacilitator, RemoteOptions, SandboxFacilitator, Terms};
use std::num::NonZeroU32;
use std::sync::Arc;

/// How long an authorization may be valid. Covers the longest run, its settlement and the margin.
const MAX_TIMEOUT_SECONDS: NonZeroU32 = NonZeroU32::MIN.saturating_add(599);

/// What is needed to sell; nothing if a part is missing.
///
/// # Errors
/// A facilitator that cannot be used.
pub(crate) fn open(settings: &Settings) -> anyhow::Result<Option<Paid>> {
    let paid = &settings.paid;
    let facilitator: Option<Arc<dyn Facilitator>> = match &paid.facilitator {
        Some(base) => {
            let mut options = RemoteOptions::new(base.clone());
            options.bearer.clone_from(&paid.facilitator_token);
            Some(Arc::new(
                RemoteFacilitator::new(options).context("FACILITATOR_URL")?,
            ))
        }
        None if settings.sandbox => Some(Arc::new(SandboxFacilitator::new())),
        None => None,
    };
    let (Some(facilitator), Some(pay_to)) = (facilitator, paid.pay_to) else {
        tracing::info!("nothing is sold: that takes X402_PAY_TO and FACILITATOR_URL");
        return Ok(None);
    };
    let key = paid.router_key.clone();
    if key.is_none() {
        tracing::warn!("only page audits are sold: whatever asks models takes ROUTER_API_KEY");
    }
    let terms = Terms::new(paid.network, paid.asset.clone(), pay_to, MAX_TIMEOUT_SECONDS);
    tracing::info!(network = %paid.network, %pay_to, "the paid surface is open");
    Ok(Some(Paid {
        gate: Paygate::new(facilitator),
        terms: Arc::new(terms),
        key,
        caps: paid.caps,
        timing: Timing::default(),
    }))
}
