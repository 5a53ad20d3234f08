//! `/workspace`: the form of a new scan, and starting the scan.

use super::signed_in::SignedIn;
use crate::extract::{Form, Posted, Query};
use crate::problem::{ApiError, faults_of};
use crate::public_documents::choices;
use crate::redirect::see_other;
use crate::respond::Answer;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::contract::field::{
    DOMAIN, KEYWORD, LOCATION, MODELS, QUESTION_SET, QUESTIONS, QUESTIONS_PER_MODEL,
};
use ibid_model::result::PlaceQuestion;
use ibid_model::{Faults, LocationText, ScanForm, UsdMicros};
use ibid_service::{Billing, CallerId, Error, HistoryQuery, Job, Service};
use ibid_web::Notice;
use ibid_web::pages::{self, NewScanPage, PlanView, ScanFields};
use serde_json::{Value, json};

/// Number of latest scans below the form.
const RECENT: u32 = 5;

/// `GET /workspace`: an empty form, one with the entries of an earlier scan (`?again=`), or one with a proposed scan
/// (`?domain=&keyword=&questionsPerModel=`). No model is asked before the form is sent.
pub(crate) async fn form(
    signed_in: SignedIn,
    query: Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let fields = match query.0.text("again").parse() {
        Ok(id) => match service.scans.workspace_run(signed_in.member.account, id).await {
            Ok((run, _)) => fields_of_request(&run.request, &service),
            Err(Error::NotFound) => empty(&service),
            Err(error) => return Err(error.into()),
        },
        Err(_) => proposed(&query, &service),
    };
    let confirmed = text_of(&fields).to_owned();
    let asked = Asked { fields, confirmed };
    show(&signed_in, &service, &asked, Outcome::Untouched).await
}

/// `POST /workspace/scans`: starts the scan and redirects to its page, or shows the form again.
/// The form then has its faults, the question about the place, or the plan if a button asked for it.
pub(crate) async fn start(Posted(signed_in, Form(pairs), _, service): Posted<SignedIn, Form>) -> Answer {
    let mut asked = Asked {
        fields: ScanFields::sent(|name| pairs.all(name).collect()),
        confirmed: pairs.text("confirmed").to_owned(),
    };
    let chosen = pairs.text("place");
    if !chosen.is_empty() {
        asked.fields = asked.fields.with(&LOCATION, json!(chosen));
        chosen.clone_into(&mut asked.confirmed);
    }
    let shows = !chosen.is_empty() || !pairs.text("show").is_empty();
    let planned = plan(&signed_in, &service, &asked, !shows).await;
    let started = match planned {
        Ok(_) if shows => return show(&signed_in, &service, &asked, Outcome::Untouched).await,
        Ok(plan) if plan.place_question().is_some() && !asked.confirms(plan.order().location()) => {
            return show(&signed_in, &service, &asked, Outcome::Unconfirmed).await;
        }
        Ok(plan) => {
            let billing = Billing::Credit(signed_in.member.account);
            service.scans.perform(Job::scan(plan), billing).await
        }
        Err(error) => Err(error),
    };
    match started {
        // The run continues without this request.
        Ok(run) => Ok(see_other(&format!("/workspace/scans/{}", run.id()))),
        Err(Error::AccountCreditExhausted) => show(&signed_in, &service, &asked, Outcome::NoCredit).await,
        Err(Error::BudgetExceeded { estimate, left }) => {
            let why = format!(
                "The scan was not started: the models would cost about {}, and {} of your budget of this month is left.",
                estimate.in_cents(),
                left.in_cents()
            );
            show(&signed_in, &service, &asked, Outcome::OverBudget(why)).await
        }
        Err(error) => {
            let faults = faults_of(error)?;
            show(&signed_in, &service, &asked, Outcome::Faults(faults)).await
        }
    }
}

/// What was entered, and the place that was confirmed.
struct Asked {
    fields: ScanFields,
    confirmed: String,
}

impl Asked {
    /// Whether the place was confirmed in the form.
    fn confirms(&self, text: Option<&LocationText>) -> bool {
        self.confirmed.parse::<LocationText>().ok().as_ref() == text
    }
}

/// Returns the place that a form names; empty without one.
fn text_of(fields: &ScanFields) -> &str {
    let text = fields.body().get(LOCATION.name).and_then(Value::as_str);
    text.unwrap_or_default()
}

enum Outcome {
    Untouched,
    Faults(Faults),
    /// The place is not beyond doubt.
    Unconfirmed,
    NoCredit,
    /// No budget is left this month.
    OverBudget(String),
}

/// Plans the form. `asks` notes that its question set is asked.
async fn plan(
    signed_in: &SignedIn,
    service: &Service,
    asked: &Asked,
    asks: bool,
) -> Result<ibid_service::Plan, Error> {
    let owner = CallerId::of(signed_in.member.account);
    let mut body = asked.fields.body().clone();
    service
        .questions
        .plan(&owner, &mut body, ScanForm::Workspace, asks)
        .await
}

async fn show(
    signed_in: &SignedIn,
    service: &Service,
    asked: &Asked,
    outcome: Outcome,
) -> Result<HttpResponse, ApiError> {
    let query = HistoryQuery {
        a_page: RECENT,
        ..HistoryQuery::default()
    };
    let recent = service.scans.history(signed_in.member.account, query).await?;
    let catalog = service.planner.catalog();
    let planned = plan(signed_in, service, asked, false).await;
    let place = match &planned {
        Ok(plan) => plan
            .place_question()
            .cloned()
            .filter(|_| !asked.confirms(plan.order().location())),
        Err(Error::UnknownPlace { suggestions, .. }) => PlaceQuestion::among(suggestions),
        Err(_) => None,
    };
    let plan = planned.ok().map(|plan| PlanView {
        generated: plan.offered_questions(),
        estimate: plan.estimate(),
        comparison_note: plan.comparison_note(),
        plan: plan.report(),
    });
    let none = Faults::default();
    let (status, faults, notice) = match &outcome {
        Outcome::Untouched => (StatusCode::OK, &none, closed(signed_in, service)),
        Outcome::Faults(faults) => (StatusCode::BAD_REQUEST, faults, None),
        Outcome::Unconfirmed => (
            StatusCode::CONFLICT,
            &none,
            Some("The scan was not started: choose the place first. Nothing was asked or spent."),
        ),
        Outcome::OverBudget(why) => (StatusCode::PAYMENT_REQUIRED, &none, Some(why.as_str())),
        Outcome::NoCredit => (
            StatusCode::PAYMENT_REQUIRED,
            &none,
            Some("The scan was not started: no credit is left."),
        ),
    };
    let page = NewScanPage {
        form: &asked.fields,
        faults,
        models: &choices(&catalog, service),
        plan: plan.as_ref(),
        place: place.as_ref(),
        confirmed: &asked.confirmed,
        most_cost: service.scans.most_workspace_cost().unwrap_or(UsdMicros::ZERO),
        recent: &recent.rows,
    };
    let notice = notice.map(Notice::refused);
    signed_in
        .browser
        .noticed(status, notice, |frame| pages::new_scan(frame, &page))
}

/// Returns the reason why no scan can be started, if there is one.
fn closed(signed_in: &SignedIn, service: &Service) -> Option<&'static str> {
    if !signed_in.member.may_change("/workspace/scans") {
        return Some(
            "Your account reads only: scans are not open to it. An admin of this service can change that.",
        );
    }
    service
        .scans
        .most_workspace_cost()
        .is_none()
        .then_some("Scans are not open: the operator of this service has set no provider key.")
}

fn empty(service: &Service) -> ScanFields {
    let catalog = service.planner.catalog();
    let defaults = catalog.defaults().iter().map(|model| model.alias.to_string());
    ScanFields::empty(defaults.collect())
}

/// The form with a website, a keyword and a number of questions from the query.
fn proposed(query: &Query, service: &Service) -> ScanFields {
    let mut fields = empty(service);
    for field in [DOMAIN, KEYWORD] {
        let text = query.0.text(field.name).trim();
        if !text.is_empty() {
            fields = fields.with(&field, json!(text));
        }
    }
    match query.0.text(QUESTIONS_PER_MODEL.name).parse::<u8>() {
        Ok(questions) => fields.with(&QUESTIONS_PER_MODEL, json!(questions)),
        Err(_) => fields,
    }
}

/// Fills the form from an earlier scan. Models that the alias table has no more are left out.
fn fields_of_request(request: &str, service: &Service) -> ScanFields {
    let Ok(Value::Object(mut request)) = serde_json::from_str(request) else {
        return empty(service);
    };
    let catalog = service.planner.catalog();
    if let Some(Value::Array(models)) = request.get_mut(MODELS.name) {
        models.retain(|alias| {
            alias
                .as_str()
                .is_some_and(|alias| catalog.resolve(alias).is_some())
        });
    }
    // A stored order has the questions of its set; the form names the set.
    if let Some(set) = request.get(QUESTION_SET.name).filter(|set| set.is_object()) {
        let name = format!("{}@{}", set["id"].as_str().unwrap_or_default(), set["version"]);
        request.insert(QUESTION_SET.name.to_owned(), json!(name));
        request.remove(QUESTIONS.name);
    }
    ScanFields::new(request)
}
