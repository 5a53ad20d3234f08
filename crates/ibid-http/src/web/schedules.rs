//! `/workspace/schedules`: scans that are repeated, and alerts about them.

use super::signed_in::SignedIn;
use super::stored::parse_id;
use crate::extract::{Asked, Form, Posted, Query, SameOrigin};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use crate::respond::Answer;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::{Faults, ScheduleId, UsdMicros};
use ibid_service::{Error, ScheduleOwner, ScheduleView, Service};
use ibid_web::Notice;
use ibid_web::pages::{self, ScheduleForm, ScheduleTarget, SchedulesPage};
use serde_json::{Map, Value, json};

/// `GET /workspace/schedules`, with `repeat` for a form that makes a schedule, or with `edit` for one that changes it.
pub(crate) async fn list(
    signed_in: SignedIn,
    query: Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let edited = query.0.text("edit");
    if !edited.is_empty() {
        let id = edited.parse().map_err(|_| Error::ScheduleNotFound)?;
        let view = service.schedules.get(&owner(&signed_in), id).await?;
        return show(&signed_in, &service, Some(form_of(&view)), None).await;
    }
    let text = query.0.text("repeat");
    if text.is_empty() {
        return show(&signed_in, &service, None, None).await;
    }
    let start = |name: &str| match name {
        "unit" => "weeks",
        "every" => "1",
        "weekday" => "monday",
        "at" => "09:00",
        "timeZone" => "UTC",
        _ => "",
    };
    let form = entries(ScheduleTarget::New(parse_id(text)?), start);
    show(&signed_in, &service, Some(form), None).await
}

/// `POST /workspace/schedules`: makes a schedule from a scan of the account.
pub(crate) async fn add(Posted(signed_in, Form(pairs), _, service): Posted<SignedIn, Form<4_096>>) -> Answer {
    let scan = parse_id(pairs.text("scan"))?;
    let form = entries(ScheduleTarget::New(scan), |name| pairs.text(name));
    let account = signed_in.member.account;
    let (run, _) = service.scans.workspace_run(account, scan).await?;
    let order: Value = serde_json::from_str(&run.request).map_err(Error::from)?;
    let mut body = body_of(&form);
    body.insert("order".to_owned(), order);
    let added = service.schedules.add(&owner(&signed_in), &body, None).await;
    answer(&signed_in, &service, form, added).await
}

/// `POST /workspace/schedules/{id}/edit`: changes the name, the times and the budgets.
pub(crate) async fn edit(
    Posted(signed_in, Form(pairs), path, service): Posted<SignedIn, Form<4_096>, String>,
) -> Answer {
    let id: ScheduleId = path.parse().map_err(|_| Error::ScheduleNotFound)?;
    let owner = owner(&signed_in);
    let before = service.schedules.get(&owner, id).await?;
    let form = entries(ScheduleTarget::Edit(id), |name| pairs.text(name));
    let mut body = body_of(&form);
    // Every other week stays the same week.
    if let (Some(Value::Object(times)), Some(from)) = (
        body.get_mut("recurrence"),
        before.recurrence.members().remove("from"),
    ) {
        times.insert("from".to_owned(), from);
    }
    let edited = service.schedules.edit((&owner, id), &body, None).await;
    answer(&signed_in, &service, form, edited).await
}

/// Shows the list after a form was taken, or the form with its faults.
async fn answer(
    signed_in: &SignedIn,
    service: &Service,
    form: ScheduleForm,
    stored: Result<ScheduleView, Error>,
) -> Result<HttpResponse, ApiError> {
    match stored {
        Ok(_) => Ok(see_other("/workspace/schedules")),
        Err(error) => {
            let faults = faults_of(error)?;
            show(signed_in, service, Some(ScheduleForm { faults, ..form }), None).await
        }
    }
}

/// `POST /workspace/schedules/{id}/{change}`.
pub(crate) async fn change(
    _own: SameOrigin,
    Asked(signed_in, path, service): Asked<SignedIn, (String, String)>,
) -> Answer {
    let owner = owner(&signed_in);
    let id: ScheduleId = path.0.parse().map_err(|_| Error::ScheduleNotFound)?;
    match path.1.as_str() {
        "pause" => drop(service.schedules.pause(&owner, id).await?),
        "resume" => drop(service.schedules.resume(&owner, id).await?),
        "delete" => service.schedules.delete(&owner, id).await?,
        "questions" => {
            let body = Map::from_iter([("newQuestions".to_owned(), json!(true))]);
            drop(service.schedules.edit((&owner, id), &body, None).await?);
        }
        "run" => match service.schedules.run_now(&owner, id, None).await {
            Ok(run) => {
                if let Some(scan) = run.scan {
                    return Ok(see_other(&format!("/workspace/scans/{scan}")));
                }
                let why = match run.outcome {
                    Some(_) => pages::schedule_outcome(&run),
                    None => "it waits for a free place",
                };
                let why = format!("No scan was started: {why}.");
                return show(&signed_in, &service, None, Some(&why)).await;
            }
            Err(Error::ScheduleRunning) => {
                let why = "No scan was started: the run before is still under way.";
                return show(&signed_in, &service, None, Some(why)).await;
            }
            Err(error) => return Err(error.into()),
        },
        _ => return Err(ApiError::NoSuchPath),
    }
    Ok(see_other("/workspace/schedules"))
}

/// `POST /workspace/schedules/alerts/seen`.
pub(crate) async fn seen(
    _own: SameOrigin,
    signed_in: SignedIn,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    service.schedules.see_alerts(&owner(&signed_in), None).await?;
    Ok(see_other("/workspace/schedules"))
}

/// Counts the alerts that the reader has not seen.
pub(super) async fn unseen(signed_in: &SignedIn, service: &Service) -> Result<usize, ApiError> {
    let alerts = service.schedules.alerts(&owner(signed_in), None).await?;
    Ok(alerts.iter().filter(|alert| alert.seen_at.is_none()).count())
}

fn owner(signed_in: &SignedIn) -> ScheduleOwner {
    ScheduleOwner::Account(signed_in.member.account)
}

fn entries<'a>(target: ScheduleTarget, sent: impl Fn(&str) -> &'a str) -> ScheduleForm {
    let text = |name: &str| sent(name).trim().to_owned();
    ScheduleForm {
        target,
        domain: String::new(),
        keyword: String::new(),
        unit: text("unit"),
        every: text("every"),
        weekday: text("weekday"),
        at: text("at"),
        time_zone: text("timeZone"),
        name: text("name"),
        budget: text("budget"),
        credits: text("credits"),
        faults: Faults::default(),
    }
}

/// The form that would make a schedule.
fn form_of(view: &ScheduleView) -> ScheduleForm {
    let (body, times) = (view.body(), view.recurrence.members());
    let word = |name: &str| match times.get(name).or_else(|| body.get(name)) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(_) | None => String::new(),
    };
    let budget = view
        .record
        .budget
        .map(|budget| UsdMicros::new(budget).dollars().to_string());
    ScheduleForm {
        target: ScheduleTarget::Edit(view.record.id),
        domain: String::new(),
        keyword: String::new(),
        unit: word("unit"),
        every: word("every"),
        weekday: word("weekday"),
        at: word("at"),
        time_zone: word("timeZone"),
        name: word("name"),
        budget: budget.unwrap_or_default(),
        credits: word("monthlyCredits"),
        faults: Faults::default(),
    }
}

/// Returns the API's body without the order. An entry that is no number stays a text, which is a fault.
fn body_of(form: &ScheduleForm) -> Map<String, Value> {
    let number = |text: &str| match text {
        "" => Value::Null,
        text => serde_json::from_str::<serde_json::Number>(text).map_or(json!(text), Value::Number),
    };
    let weekday = (form.unit == "weeks").then_some(&form.weekday);
    let members = [
        ("name", json!(form.name)),
        (
            "recurrence",
            json!({"unit": form.unit, "every": number(&form.every), "weekday": weekday, "at": form.at,
                "timeZone": form.time_zone}),
        ),
        ("monthlyBudgetUsd", number(&form.budget)),
        ("monthlyCredits", number(&form.credits)),
    ];
    let members = members.into_iter();
    members.map(|(name, value)| (name.to_owned(), value)).collect()
}

async fn show(
    signed_in: &SignedIn,
    service: &Service,
    mut form: Option<ScheduleForm>,
    refused: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let owner = owner(signed_in);
    let schedules = service.schedules.all(&owner).await?;
    let mut alerts = service.schedules.alerts(&owner, None).await?;
    alerts.truncate(super::stored::A_PAGE as usize);
    if let Some(form) = &mut form {
        (form.domain, form.keyword) = match form.target {
            ScheduleTarget::New(scan) => {
                let account = signed_in.member.account;
                let (run, _) = service.scans.workspace_run(account, scan).await?;
                (run.domain, run.keyword)
            }
            ScheduleTarget::Edit(id) => {
                let view = schedules.iter().find(|view| view.record.id == id);
                let view = view.ok_or(Error::ScheduleNotFound)?;
                (
                    view.ordered("domain").to_owned(),
                    view.ordered("keyword").to_owned(),
                )
            }
        };
    }
    let status = match (&form, refused) {
        (Some(form), _) if !form.faults.is_empty() => StatusCode::BAD_REQUEST,
        (_, Some(_)) => StatusCode::CONFLICT,
        _ => StatusCode::OK,
    };
    let page = SchedulesPage {
        schedules: &schedules,
        alerts: &alerts,
        form: form.as_ref(),
    };
    let notice = refused.map(Notice::refused);
    signed_in
        .browser
        .noticed(status, notice, |frame| pages::schedules(frame, &page))
}
