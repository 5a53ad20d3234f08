//! Results that anonymous callers buy: x402 version 2 in `_meta`, as the MCP transport of x402 defines it.
//!
//! A call without a payment returns the demand as an error result. The payment arrives in `_meta["x402/payment"]`.
//! The transport removes it from the message, so that no library logs it.
//! All paid surfaces share the code behind it.

use crate::answer::{ToolProblem, with_payment_response};
use crate::caller::Buyer;
use crate::handler::McpServer;
use crate::tools::Arguments;
use crate::tools::scans::no_key;
use ibid_model::Product;
use ibid_service::{Billing, Error, Finished, PaymentOffer, RequestHash, Run};
use rmcp::model::CallToolResult;
use serde_json::json;
use std::sync::Arc;

/// Starts the work that a caller pays for.
///
/// # Errors
/// The order is faulty, the product is not for sale, or a payment is due or was refused.
pub(crate) async fn buy(
    server: &McpServer,
    buyer: Option<&Buyer>,
    product: Product,
    order: &Arguments,
) -> Result<Run, ToolProblem> {
    let service = &server.service;
    let (Some(buyer), Some(listings)) = (buyer, &server.listings) else {
        return Err(no_key());
    };
    service.shop.check_sold(product).map_err(|error| match error {
        Error::PaidDisabled => no_key(),
        error => error.into(),
    })?;
    let offer = PaymentOffer::from_json(
        buyer.payment.as_deref(),
        Arc::clone(listings.get(product.skill())),
        buyer.caller,
        RequestHash::of(product.skill(), order),
    )?;
    Ok(match service.scans.job(product, order).await {
        Ok(job) => {
            service
                .scans
                .perform(job, Billing::Payment(Box::new(offer)))
                .await?
        }
        // What was bought before stays bought, whatever is sold today.
        Err(error) => service.shop.bought(offer, error).await?,
    })
}

/// Adds the outcome of the settlement to a result.
pub(crate) fn receipted(result: CallToolResult, finished: &Finished) -> CallToolResult {
    match &finished.settlement {
        Some(settlement) => with_payment_response(result, json!(settlement)),
        None => result,
    }
}
