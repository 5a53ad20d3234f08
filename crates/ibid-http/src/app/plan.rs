//! `POST /api/app/plan`: every question of a scan and its cost while its form is filled in.
//! It asks no model and takes no credit.

use crate::extract::{OrderObject, Posted, SignedInCaller};
use crate::problem::faults_of;
use crate::respond::{Answer, handle, private};
use actix_web::http::StatusCode;
use actix_web::web;
use ibid_model::contract::routes::PLAN_SCAN;
use ibid_model::result::{PlaceQuestion, ScanPlan};
use ibid_model::{Faults, ScanDraft, ScanForm, UsdMicros};
use ibid_service::{CallerId, Error, Service};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// The faults of a request, or its questions and their cost. The status is always 200.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkspacePlan {
    /// Every fault of the request.
    errors: Faults,
    /// Questions to be asked, all models together; null while the request is faulty.
    questions: Option<u64>,
    /// What the models will cost, in words: `$0.12`.
    estimated_cost: Option<String>,
    /// A sentence for the reader of a form.
    note: String,
    /// What `location` is taken for.
    place: Option<PlaceLabel>,
    /// What to ask the user about the place before the scan is paid for.
    confirm: Option<PlaceQuestion>,
    /// The core questions that are asked unless `questions` words them.
    generated: Vec<String>,
    /// Every question of the scan; null while the request is faulty.
    plan: Option<ScanPlan>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct PlaceLabel {
    label: String,
}

/// Mounts the route.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&PLAN_SCAN, plan));
}

async fn plan(
    Posted(SignedInCaller(member), OrderObject(mut body), _, service): Posted<SignedInCaller, OrderObject>,
) -> Answer {
    let planned = read(&service, &CallerId::of(member.account), &mut body).await?;
    Ok(private(StatusCode::OK, &planned))
}

async fn read(
    service: &Service,
    owner: &CallerId,
    body: &mut Map<String, Value>,
) -> Result<WorkspacePlan, Error> {
    let planned = service
        .questions
        .plan(owner, body, ScanForm::Workspace, false)
        .await;
    match planned {
        Ok(plan) => {
            let report = plan.report();
            let (errors, note) = match too_expensive(service, plan.estimate()) {
                Some(fault) => (
                    fault,
                    "Too expensive: ask fewer models, rings, keywords or questions.".to_owned(),
                ),
                None => (
                    Faults::default(),
                    ibid_web::pages::plan_note(&report, plan.comparison_note()),
                ),
            };
            Ok(WorkspacePlan {
                errors,
                questions: Some(plan.expected_calls() as u64),
                estimated_cost: Some(plan.estimate().to_string()),
                note,
                place: plan.place().map(|place| PlaceLabel {
                    label: place.spoken.clone(),
                }),
                confirm: plan.place_question().cloned(),
                generated: plan.offered_questions(),
                plan: Some(report),
            })
        }
        Err(error) => refused(service, ScanDraft(body), error).await,
    }
}

async fn refused(service: &Service, draft: ScanDraft<'_>, error: Error) -> Result<WorkspacePlan, Error> {
    let place = match draft.location() {
        Some(text) => service.planner.place_of(text).await?,
        None => None,
    };
    let (size, note) = match &error {
        Error::PlanTooLarge {
            questions, estimate, ..
        } => (
            Some((*questions, *estimate)),
            "Too many questions: ask fewer models, rings, keywords or queries.",
        ),
        _ => (
            None,
            "Enter a website and a keyword to see what the scan will ask.",
        ),
    };
    let confirm = match &error {
        Error::UnknownPlace { suggestions, .. } => PlaceQuestion::among(suggestions),
        _ => None,
    };
    Ok(WorkspacePlan {
        errors: faults_of(error)?,
        questions: size.map(|(questions, _)| questions),
        estimated_cost: size.map(|(_, estimate)| estimate.to_string()),
        note: note.to_owned(),
        place: place.map(|label| PlaceLabel { label }),
        confirm,
        generated: Vec::new(),
        plan: None,
    })
}

fn too_expensive(service: &Service, estimate: UsdMicros) -> Option<Faults> {
    let most = service.scans.most_workspace_cost()?;
    (estimate > most).then(|| {
        faults_of(Error::PlanTooExpensive {
            estimate,
            most,
            fits: None,
        })
        .unwrap_or_default()
    })
}
