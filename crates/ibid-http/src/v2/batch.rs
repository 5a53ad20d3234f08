//! Several scans queued by one request.
//! A fault in one order refuses all; a limit of the caller refuses the last ones.

use super::order::UnpaidOrder;
use super::view;
use crate::extract::{ApiCaller, AuthenticatedThen, Byok, IdempotencyKey, JsonObject};
use crate::problem::{ApiError, both, faults_of};
use crate::rate_limit;
use crate::respond::handle;
use actix_web::http::header::{CACHE_CONTROL, LOCATION, RETRY_AFTER};
use actix_web::{HttpResponse, web};
use ibid_model::contract::routes::QUEUE_SCANS;
use ibid_model::{FaultCode, Faults, ObjectReader, UsdMicros};
use ibid_service::{CallerId, Error, RequestHash, Service};
use jiff::Timestamp;
use serde_json::{Map, Value};

/// Most orders of a batch, and most faults that an answer lists.
const MOST: usize = 1_000;

/// Mounts the route.
pub(super) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&QUEUE_SCANS, queue));
}

async fn queue(
    AuthenticatedThen(caller, JsonObject(mut body)): AuthenticatedThen<ApiCaller, JsonObject<4_194_304>>,
    byok: Byok,
    once: IdempotencyKey,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let key = byok.or_body(&mut body);
    for order in body
        .get_mut("orders")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        if let Some(order) = order.as_object_mut() {
            order.remove(ibid_model::contract::field::ROUTER_API_KEY.name);
        }
    }
    let once = once.of(caller.id(), || RequestHash::of_queued(&body));
    let orders = read(&service, caller.id(), &body).await;
    let (orders, key) = both(orders, key)?;
    let parts: Vec<_> = orders.iter().map(Estimate::of).collect();
    let orders: Vec<_> = orders
        .into_iter()
        .map(|order| order.paid_by(caller.id(), key.clone()))
        .collect();
    let batch = service.scans.queue_batch(&orders, once.as_ref()).await?.id();
    let scans = service.scans.batch(batch).await?;
    let estimate = Estimate::all(parts.iter().take(scans.len()));
    let limit = service.scans.limit_status(caller.id());
    let mut response = HttpResponse::Accepted();
    response
        .insert_header((LOCATION, view::batch_path(batch)))
        .insert_header((CACHE_CONTROL, "private, no-store"));
    if let Some(limit) = limit.filter(|_| scans.len() < parts.len()) {
        response.insert_header((RETRY_AFTER, limit.reset.as_secs().max(1)));
    }
    let mut response = response.json(view::batch(batch, &scans, parts.len(), &estimate));
    rate_limit::report(response.headers_mut(), limit);
    Ok(response)
}

/// Checks and plans every order.
async fn read(
    service: &Service,
    caller: &CallerId,
    body: &Map<String, Value>,
) -> Result<Vec<UnpaidOrder>, Error> {
    let mut fields = ObjectReader::new(body);
    let list = fields.list("orders", MOST);
    match list {
        None if fields.get("orders").is_none() => {
            fields.fault("/orders", FaultCode::Required, "orders is required");
        }
        Some([]) => {
            let message = "orders must hold at least one order";
            fields.fault("/orders", FaultCode::OutOfRange, message);
        }
        None | Some(_) => {}
    }
    let list = fields.finish(list).map_err(Error::Invalid)?;
    let (mut orders, mut faults, now) = (
        Vec::with_capacity(list.len()),
        Faults::default(),
        Timestamp::now(),
    );
    for (index, order) in list.iter().enumerate() {
        let part = format!("/orders/{index}");
        let Some(order) = order.as_object() else {
            let message = format!("orders[{index}] must be an object");
            faults.push(part, FaultCode::WrongType, message);
            continue;
        };
        match UnpaidOrder::read(service, caller, order.clone(), now).await {
            Ok(order) => orders.push(order),
            Err(error) => faults.append(faults_of(error)?.below(&part)),
        }
        if faults.iter().count() >= MOST {
            break;
        }
    }
    if faults.is_empty() {
        Ok(orders)
    } else {
        Err(Error::Invalid(faults))
    }
}

/// What an order, or several, will ask and cost.
pub(super) struct Estimate {
    pub(super) questions: usize,
    pub(super) cost: UsdMicros,
}

impl Estimate {
    fn of(order: &UnpaidOrder) -> Self {
        Self {
            questions: order.plan().len(),
            cost: order.plan().estimate(),
        }
    }

    fn all<'a>(parts: impl Iterator<Item = &'a Self> + Clone) -> Self {
        Self {
            questions: parts.clone().map(|part| part.questions).sum(),
            cost: parts.map(|part| part.cost).sum(),
        }
    }
}
