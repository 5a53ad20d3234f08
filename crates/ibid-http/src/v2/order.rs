//! Orders of queued scans: read, checked and planned.

use crate::problem::both;
use ibid_model::contract::field::{MAX_COST, ROUTER_API_KEY};
use ibid_model::{FaultCode, Faults, QueueOptions, ScanForm};
use ibid_provider::ProviderKey;
use ibid_service::{CallerId, Error, QueueOrder, RunOwner, Service};
use jiff::Timestamp;
use serde_json::{Map, Value};

/// An order without the key that pays for it.
pub(super) struct UnpaidOrder {
    plan: ibid_service::Plan,
    options: QueueOptions,
}

impl UnpaidOrder {
    /// Checks and plans an order.
    ///
    /// # Errors
    /// The error of the plan, if it is the only one; otherwise [`Error::Invalid`] with the faults of all fields.
    pub(super) async fn read(
        service: &Service,
        caller: &CallerId,
        mut body: Map<String, Value>,
        now: Timestamp,
    ) -> Result<Self, Error> {
        body.remove(ROUTER_API_KEY.name);
        let plan = service
            .questions
            .plan(caller, &mut body, ScanForm::Queued, true)
            .await;
        let options = match QueueOptions::parse(&body, now) {
            Ok(options) => known_webhook(service, caller, options).await?,
            Err(faults) => Err(faults),
        };
        let (plan, options) = both(plan, options)?;
        let estimate = plan.estimate();
        if options.max_cost.is_some_and(|most| estimate > most) {
            let message = format!("the scan would cost about {estimate}, which is above maxCost");
            let field = format!("/{}", MAX_COST.name);
            return Err(Error::Invalid(Faults::one(field, FaultCode::OutOfRange, message)));
        }
        Ok(Self { plan, options })
    }

    pub(super) const fn plan(&self) -> &ibid_service::Plan {
        &self.plan
    }

    /// The order with its owner and its key.
    pub(super) fn paid_by(self, caller: &CallerId, key: ProviderKey) -> QueueOrder {
        let Self { plan, options } = self;
        QueueOrder {
            plan,
            owner: RunOwner::Api(caller.clone()),
            key: Some(key),
            deadline: options.deadline,
            max_cost: options.max_cost,
            tag: options.tag.map(Into::into),
            webhook: options.webhook,
            schedule: None,
            priority: options.priority.get(),
        }
    }
}

/// Checks that an order names one of its caller's webhooks.
async fn known_webhook(
    service: &Service,
    caller: &CallerId,
    options: QueueOptions,
) -> Result<Result<QueueOptions, Faults>, Error> {
    let Some(webhook) = options.webhook else {
        return Ok(Ok(options));
    };
    match service.hooks.get(caller, webhook).await {
        Ok(_) => Ok(Ok(options)),
        Err(Error::WebhookNotFound) => {
            let message = "webhook must be the id of one of your webhooks";
            Ok(Err(Faults::one("/webhook", FaultCode::Invalid, message)))
        }
        Err(error) => Err(error),
    }
}
