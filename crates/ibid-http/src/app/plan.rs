//! `POST /api/app/plan`: the size and cost of a scan while its form is filled in. No model is asked, no credit is taken.

use crate::extract::{JsonObject, SameOrigin, SignedInCaller, Then};
use crate::problem::{ApiError, faults_of};
use crate::respond::handle;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};
use ibid_model::contract::routes::PLAN_SCAN;
use ibid_model::{Faults, ScanDraft, ScanForm, UsdMicros};
use ibid_service::{Error, Service};
use serde::Serialize;
use serde_json::{Map, Value};

/// The faults of a request, or its size and cost. The status is always 200.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Planned {
    errors: Faults,
    questions: Option<u64>,
    estimated_cost: Option<String>,
    note: &'static str,
    place: Option<PlaceLabel>,
}

#[derive(Serialize)]
struct PlaceLabel {
    label: String,
}

/// Mounts the route.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&PLAN_SCAN, plan));
}

async fn plan(
    _own: SameOrigin,
    Then(SignedInCaller(_), JsonObject(body)): Then<SignedInCaller, JsonObject>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let planned = read(&service, &body)?;
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .json(planned))
}

fn read(service: &Service, body: &Map<String, Value>) -> Result<Planned, Error> {
    let draft = ScanDraft(body);
    let place = draft.location().and_then(|text| service.place_of(&text));
    let place = place.map(|label| PlaceLabel { label });
    let (errors, size, note) = match service.plan(draft, ScanForm::Scan) {
        Ok(plan) => {
            let size = Some((plan.len() as u64, plan.estimate()));
            match too_expensive(service, plan.estimate()) {
                Some(fault) => (
                    fault,
                    size,
                    "Too expensive: ask fewer models, rings, keywords or questions.",
                ),
                None => {
                    let note = plan.comparison_note();
                    (
                        Faults::default(),
                        size,
                        note.unwrap_or("Each answer is one call to a model."),
                    )
                }
            }
        }
        Err(error) => {
            let size = match &error {
                Error::PlanTooLarge {
                    questions, estimate, ..
                } => Some((*questions, *estimate)),
                _ => None,
            };
            let note = if size.is_some() {
                "Too many questions: ask fewer models, rings, keywords or queries."
            } else {
                "Enter a website and a keyword to see what the scan will ask."
            };
            (faults_of(error)?, size, note)
        }
    };
    Ok(Planned {
        errors,
        questions: size.map(|(questions, _)| questions),
        estimated_cost: size.map(|(_, estimate)| estimate.to_string()),
        note,
        place,
    })
}

fn too_expensive(service: &Service, estimate: UsdMicros) -> Option<Faults> {
    let most = service.most_workspace_cost()?;
    (estimate > most).then(|| faults_of(Error::PlanTooExpensive { estimate, most }).unwrap_or_default())
}
