//! `GET /workspace/compare`: two scans side by side.

use super::signed_in::SignedIn;
use super::stored::{Stored, parse_id};
use crate::extract::Query;
use crate::problem::ApiError;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::{FaultCode, Faults};
use ibid_service::{Error, Service};
use ibid_web::pages::{self, ComparePage, ComparedSide};

pub(crate) async fn compare(
    signed_in: SignedIn,
    query: Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let ids: Vec<&str> = query.0.all("scan").collect();
    let [first, second] = ids.as_slice() else {
        let message = "Tick two scans of the history to compare them";
        return Err(Error::Invalid(Faults::one("/scan", FaultCode::Required, message)).into());
    };
    let (first, second) = (parse_id(first)?, parse_id(second)?);
    let reader = signed_in.reader();
    let mut sides = [
        (first, Stored::result(&service, first, &reader).await?),
        (second, Stored::result(&service, second, &reader).await?),
    ];
    // The older scan is first, independent of the order in which they were ticked.
    sides.sort_by_key(|(_, result)| result.finished_at);
    let [(first, before), (second, after)] = &sides;
    let comparison = service.scans.compare((*first, before), (*second, after));
    let page = ComparePage {
        first: ComparedSide {
            id: *first,
            result: before,
        },
        second: ComparedSide {
            id: *second,
            result: after,
        },
        comparison: &comparison,
    };
    signed_in
        .browser
        .show(StatusCode::OK, |frame| pages::compare(frame, &page))
}
