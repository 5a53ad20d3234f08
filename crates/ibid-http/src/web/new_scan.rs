//! `/workspace`: the form of a new scan, and starting the scan.

use super::history::row;
use super::open::choices;
use super::signed_in::SignedIn;
use crate::extract::{Form, Pairs, Query, SameOrigin, Then};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::{Faults, ScanDraft, ScanForm, UsdMicros};
use ibid_service::{Billing, Error, HistoryQuery, Job, Service};
use ibid_web::pages::{self, NewScanPage, PlanView, ScanFields};
use ibid_web::{Notice, NoticeKind};
use serde_json::{Map, Value, json};

/// Number of latest scans below the form.
const RECENT: u32 = 5;

/// `GET /workspace`: an empty form, or with `?again=` the entries of an earlier scan.
pub(crate) async fn form(
    signed_in: SignedIn,
    query: Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let fields = match query.0.text("again").parse() {
        Ok(id) => match service.workspace_run(signed_in.member.account, id).await {
            Ok((run, _)) => fields_of_request(&run.request, &service),
            Err(Error::NotFound) => empty(&service),
            Err(error) => return Err(error.into()),
        },
        Err(_) => empty(&service),
    };
    show(&signed_in, &service, &fields, Outcome::Untouched).await
}

/// `POST /workspace/scans`: starts the scan and redirects to its page, or shows the faults of the form.
pub(crate) async fn start(
    _own: SameOrigin,
    Then(signed_in, Form(pairs)): Then<SignedIn, Form>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let fields = fields_of_form(&pairs);
    let body = body_of(&fields);
    let started = match service.plan(ScanDraft(&body), ScanForm::Scan) {
        Ok(plan) => {
            let billing = Billing::Credit(signed_in.member.account);
            service.perform(Job::Scan(Box::new(plan)), billing).await
        }
        Err(error) => Err(error),
    };
    match started {
        // The run continues without this request.
        Ok(run) => Ok(see_other(&format!("/workspace/scans/{}", run.id()))),
        Err(Error::AccountCreditExhausted) => show(&signed_in, &service, &fields, Outcome::NoCredit).await,
        Err(error) => {
            let faults = faults_of(error)?;
            show(&signed_in, &service, &fields, Outcome::Faults(faults)).await
        }
    }
}

/// The outcome of a form.
enum Outcome {
    Untouched,
    Faults(Faults),
    NoCredit,
}

async fn show(
    signed_in: &SignedIn,
    service: &Service,
    fields: &ScanFields,
    outcome: Outcome,
) -> Result<HttpResponse, ApiError> {
    let query = HistoryQuery {
        a_page: RECENT,
        ..HistoryQuery::default()
    };
    let recent = service.history(signed_in.member.account, query).await?;
    let catalog = service.catalog();
    let body = body_of(fields);
    let plan = service.plan(ScanDraft(&body), ScanForm::Scan).ok();
    let plan = plan.map(|plan| PlanView {
        questions: u32::try_from(plan.len()).unwrap_or(u32::MAX),
        estimate: plan.estimate(),
    });
    let none = Faults::default();
    let (status, faults, notice) = match &outcome {
        Outcome::Untouched => (StatusCode::OK, &none, closed(service)),
        Outcome::Faults(faults) => (StatusCode::BAD_REQUEST, faults, None),
        Outcome::NoCredit => (
            StatusCode::PAYMENT_REQUIRED,
            &none,
            Some("The scan was not started: no credit is left."),
        ),
    };
    let page = NewScanPage {
        form: fields,
        faults,
        models: &choices(&catalog, service),
        plan,
        most_cost: service.most_workspace_cost().unwrap_or(UsdMicros::ZERO),
        recent: &recent.rows.iter().map(row).collect::<Vec<_>>(),
    };
    let mut frame = signed_in.browser.frame();
    frame.notice = notice.map(|text| Notice {
        kind: NoticeKind::Refused,
        text,
    });
    signed_in.browser.page(status, pages::new_scan(&frame, &page))
}

/// Returns the reason why no scan can be started, if there is one.
fn closed(service: &Service) -> Option<&'static str> {
    service
        .most_workspace_cost()
        .is_none()
        .then_some("Scans are not open: the operator of this service has set no provider key.")
}

fn empty(service: &Service) -> ScanFields {
    let catalog = service.catalog();
    let defaults = catalog.defaults().iter().map(|model| model.alias.to_string());
    ScanFields::empty(defaults.collect())
}

fn fields_of_form(pairs: &Pairs) -> ScanFields {
    let text = |name| pairs.text(name).to_owned();
    ScanFields {
        domain: text("domain"),
        keyword: text("keyword"),
        location: text("location"),
        language: text("language"),
        brand_names: text("brandNames"),
        learn_names: !pairs.text("learnNames").is_empty(),
        models: pairs.all("models").map(str::to_owned).collect(),
        // A text that is no number becomes 0, which is no valid ring.
        rings: pairs.all("rings").map(|ring| ring.parse().unwrap_or(0)).collect(),
        questions_per_model: text("questionsPerModel"),
        keywords_per_ring: text("keywordsPerRing"),
        queries_per_keyword: text("queriesPerKeyword"),
    }
}

/// Fills the form as for an earlier scan. Models that are no longer in the table are left out.
fn fields_of_request(request: &str, service: &Service) -> ScanFields {
    let Ok(Value::Object(request)) = serde_json::from_str(request) else {
        return empty(service);
    };
    let text = |name: &str| {
        request
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let number = |name: &str| request.get(name).and_then(Value::as_u64).unwrap_or(1).to_string();
    let list = |name: &str| {
        request
            .get(name)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let texts = |name: &str| {
        let texts = list(name)
            .into_iter()
            .filter_map(|value| value.as_str().map(str::to_owned));
        texts.collect::<Vec<_>>()
    };
    let catalog = service.catalog();
    ScanFields {
        domain: text("domain"),
        keyword: text("keyword"),
        location: text("location"),
        language: text("language"),
        brand_names: texts("brandNames").join(", "),
        learn_names: request.get("learnNames") == Some(&Value::Bool(true)),
        models: texts("models")
            .into_iter()
            .filter(|alias| catalog.resolve(alias).is_some())
            .collect(),
        rings: list("rings")
            .iter()
            .filter_map(|ring| u8::try_from(ring.as_u64()?).ok())
            .collect(),
        questions_per_model: number("questionsPerModel"),
        keywords_per_ring: number("keywordsPerRing"),
        queries_per_keyword: number("queriesPerKeyword"),
    }
}

/// Converts a form to the body of a request. Empty fields are left out, and texts of numbers become numbers.
fn body_of(fields: &ScanFields) -> Map<String, Value> {
    let mut body = Map::new();
    for (name, text) in [
        ("domain", &fields.domain),
        ("keyword", &fields.keyword),
        ("location", &fields.location),
        ("language", &fields.language),
    ] {
        if !text.is_empty() {
            body.insert(name.to_owned(), json!(text));
        }
    }
    let names = fields.brand_names.split(',').map(str::trim);
    let names: Vec<_> = names.filter(|name| !name.is_empty()).collect();
    if !names.is_empty() {
        body.insert("brandNames".to_owned(), json!(names));
    }
    if fields.learn_names {
        body.insert("learnNames".to_owned(), json!(true));
    }
    body.insert("models".to_owned(), json!(fields.models));
    body.insert("rings".to_owned(), json!(fields.rings));
    for (name, text) in [
        ("questionsPerModel", &fields.questions_per_model),
        ("keywordsPerRing", &fields.keywords_per_ring),
        ("queriesPerKeyword", &fields.queries_per_keyword),
    ] {
        if !text.is_empty() {
            let number = text.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
            body.insert(name.to_owned(), number.map_or_else(|| json!(text), Value::Number));
        }
    }
    body
}
