//! The form of a new project: `GET /workspace/projects/new` and `POST /workspace/projects`.

use super::super::signed_in::SignedIn;
use super::access::reader;
use crate::extract::{AuthenticatedThen, Form, Pairs, SameOrigin};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::Faults;
use ibid_service::{Error, Forecast, OrganisationRole, Service};
use ibid_web::pages::{self, ForecastView, ProjectFormPage};
use serde_json::{Map, Value, json};

/// The fields of the form that are texts of the order.
const TEXTS: [&str; 4] = ["name", "domain", "keyword", "location"];
/// The other fields, with the values that a new form has.
const OTHERS: [(&str, &str); 6] = [
    ("brandNames", ""),
    ("questionsPerModel", "10"),
    ("weekday", "monday"),
    ("at", "09:00"),
    ("timeZone", "UTC"),
    ("monthlyBudgetUsd", ""),
];
/// Models that a new form has ticked.
const TICKED: usize = 3;

/// `GET /workspace/projects/new`.
pub(crate) async fn form(signed_in: SignedIn, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let texts = TEXTS.map(|name| (name.to_owned(), String::new()));
    let others = OTHERS.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let entries: Vec<_> = texts.into_iter().chain(others).collect();
    let ticked = service.scans.catalog();
    let ticked = ticked.models().iter().take(TICKED);
    let ticked: Vec<String> = ticked.map(|model| model.alias.as_str().to_owned()).collect();
    show(
        &signed_in,
        &service,
        (&entries, &ticked),
        &Faults::default(),
        None,
    )
    .await
}

/// `POST /workspace/projects`: shows what the project will cost and see, or saves it.
pub(crate) async fn save(
    _own: SameOrigin,
    AuthenticatedThen(signed_in, Form(pairs)): AuthenticatedThen<SignedIn, Form>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let body = body(&pairs);
    let names = TEXTS.into_iter().chain(OTHERS.map(|(name, _)| name));
    let entries: Vec<_> = names
        .map(|name| (name.to_owned(), pairs.text(name).to_owned()))
        .collect();
    let ticked: Vec<String> = pairs.all("models").map(str::to_owned).collect();
    let sent = (entries.as_slice(), ticked.as_slice());
    if pairs.text("step") == "save" {
        return match service.projects.add(reader(&signed_in), &body).await {
            Ok(view) => Ok(see_other(&format!("/workspace/projects/{}", view.record.id))),
            Err(error) => refused(&signed_in, &service, sent, error).await,
        };
    }
    match service.projects.draft(&body).await {
        Ok(draft) => {
            let forecast = Some(&draft.forecast);
            show(&signed_in, &service, sent, &Faults::default(), forecast).await
        }
        Err(error) => refused(&signed_in, &service, sent, error).await,
    }
}

async fn refused(
    signed_in: &SignedIn,
    service: &Service,
    sent: (&[(String, String)], &[String]),
    error: Error,
) -> Result<HttpResponse, ApiError> {
    show(signed_in, service, sent, &faults_of(error)?, None).await
}

/// The body of the API. An entry that is no number stays a text, which is a fault.
fn body(pairs: &Pairs) -> Map<String, Value> {
    let number = |text: &str| match text.trim() {
        "" => Value::Null,
        text => serde_json::from_str::<serde_json::Number>(text).map_or(json!(text), Value::Number),
    };
    let mut body = Map::new();
    for name in TEXTS {
        let text = pairs.text(name).trim();
        if !text.is_empty() {
            body.insert(name.to_owned(), json!(text));
        }
    }
    let names = pairs.text("brandNames").lines().map(str::trim);
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    if !names.is_empty() {
        body.insert("brandNames".to_owned(), json!(names));
    }
    let models: Vec<&str> = pairs.all("models").collect();
    body.insert("models".to_owned(), json!(models));
    let counted = number(pairs.text("questionsPerModel"));
    body.insert("questionsPerModel".to_owned(), counted);
    // The questions of a project are about its own town.
    body.insert("rings".to_owned(), json!([1]));
    body.insert("keywordsPerRing".to_owned(), json!(1));
    body.insert(
        "monthlyBudgetUsd".to_owned(),
        number(pairs.text("monthlyBudgetUsd")),
    );
    body.insert(
        "recurrence".to_owned(),
        json!({"unit": "weeks", "weekday": pairs.text("weekday"), "at": pairs.text("at"),
            "timeZone": pairs.text("timeZone")}),
    );
    body
}

async fn show(
    signed_in: &SignedIn,
    service: &Service,
    (entries, ticked): (&[(String, String)], &[String]),
    faults: &Faults,
    forecast: Option<&Forecast>,
) -> Result<HttpResponse, ApiError> {
    let organisations = service.projects.organisations(signed_in.member.account).await?;
    let own = organisations
        .iter()
        .find(|one| one.role == OrganisationRole::Admin);
    let budget = own.map_or(0, |own| own.budget);
    let sentence = forecast.map(Forecast::sentence).unwrap_or_default();
    let view = forecast.map(|forecast| ForecastView {
        sentence: &sentence,
        questions: &forecast.questions,
        answers: forecast.answers,
        affordable: forecast.month_cost().get() <= budget,
    });
    let catalog = service.scans.catalog();
    let models: Vec<(String, String, bool)> = catalog
        .models()
        .iter()
        .map(|model| {
            let alias = model.alias.as_str().to_owned();
            let is_ticked = ticked.contains(&alias);
            (alias, model.name.clone(), is_ticked)
        })
        .collect();
    let page = ProjectFormPage {
        entries,
        models: &models,
        faults,
        forecast: view.as_ref(),
    };
    let status = match faults.is_empty() {
        true => StatusCode::OK,
        false => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let browser = &signed_in.browser;
    browser.page(status, pages::project_form(&browser.frame(), &page))
}
