//! `/workspace/schedules`: scans that are repeated, and alerts about them.

use super::signed_in::SignedIn;
use super::stored::parse_id;
use crate::extract::{AuthenticatedThen, Form, Query, SameOrigin};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::{Faults, ScheduleId, UsdMicros};
use ibid_service::{AlertRecord, Error, ScheduleOwner, ScheduleView, Service};
use ibid_web::pages::{self, AlertRow, ScheduleForm, ScheduleRow, ScheduleTarget, SchedulesPage};
use ibid_web::time;
use ibid_web::{Notice, NoticeKind};
use serde_json::{Map, Value, json};

/// Next runs that the page shows.
const NEXT: usize = 3;
/// `GET /workspace/schedules`, with `repeat` for the form of a new schedule, or with `edit` for that of a stored one.
pub(crate) async fn list(
    signed_in: SignedIn,
    query: Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let edited = query.0.text("edit");
    if !edited.is_empty() {
        let id = edited.parse().map_err(|_| Error::ScheduleNotFound)?;
        let view = service.schedules.get(&owner(&signed_in), id).await?;
        let entries = Entries::of(&view);
        return show(&signed_in, &service, Some((&entries, Faults::default())), None).await;
    }
    let text = query.0.text("repeat");
    if text.is_empty() {
        return show(&signed_in, &service, None, None).await;
    }
    let entries = Entries {
        target: ScheduleTarget::New(parse_id(text)?),
        unit: "weeks".to_owned(),
        every: "1".to_owned(),
        weekday: "monday".to_owned(),
        at: "09:00".to_owned(),
        time_zone: "UTC".to_owned(),
        name: String::new(),
        budget: String::new(),
        credits: String::new(),
    };
    show(&signed_in, &service, Some((&entries, Faults::default())), None).await
}

/// `POST /workspace/schedules`: makes a schedule from a scan of the account.
pub(crate) async fn add(
    _own: SameOrigin,
    AuthenticatedThen(signed_in, Form(pairs)): AuthenticatedThen<SignedIn, Form<4_096>>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scan = parse_id(pairs.text("scan"))?;
    let entries = Entries::sent(ScheduleTarget::New(scan), |name| pairs.text(name));
    let account = signed_in.member.account;
    let (run, _) = service.scans.workspace_run(account, scan).await?;
    let order: Value = serde_json::from_str(&run.request).map_err(Error::from)?;
    let mut body = entries.body();
    body.insert("order".to_owned(), order);
    let added = service.schedules.add(&owner(&signed_in), &body, None).await;
    answer(&signed_in, &service, &entries, added).await
}

/// `POST /workspace/schedules/{id}/edit`: changes the name, the times and the budgets.
pub(crate) async fn edit(
    _own: SameOrigin,
    path: web::Path<String>,
    AuthenticatedThen(signed_in, Form(pairs)): AuthenticatedThen<SignedIn, Form<4_096>>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let id: ScheduleId = path.parse().map_err(|_| Error::ScheduleNotFound)?;
    let owner = owner(&signed_in);
    let before = service.schedules.get(&owner, id).await?;
    let entries = Entries::sent(ScheduleTarget::Edit(id), |name| pairs.text(name));
    let mut body = entries.body();
    // Every other week stays the same week.
    if let (Some(Value::Object(times)), Some(from)) = (
        body.get_mut("recurrence"),
        before.recurrence.members().remove("from"),
    ) {
        times.insert("from".to_owned(), from);
    }
    let edited = service.schedules.edit((&owner, id), &body, None).await;
    answer(&signed_in, &service, &entries, edited).await
}

/// Shows the list after a form was taken, or the form with its faults.
async fn answer(
    signed_in: &SignedIn,
    service: &Service,
    entries: &Entries,
    stored: Result<ScheduleView, Error>,
) -> Result<HttpResponse, ApiError> {
    match stored {
        Ok(_) => Ok(see_other("/workspace/schedules")),
        Err(error) => {
            let faults = faults_of(error)?;
            show(signed_in, service, Some((entries, faults)), None).await
        }
    }
}

/// `POST /workspace/schedules/{id}/{change}`.
pub(crate) async fn change(
    _own: SameOrigin,
    signed_in: SignedIn,
    path: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
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
        "run" => match service.schedules.run_now(&owner, id).await {
            Ok(run) => {
                if let Some(scan) = run.scan {
                    return Ok(see_other(&format!("/workspace/scans/{scan}")));
                }
                let why = run.outcome.as_deref().map_or("it waits for a free place", words);
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

/// The number of alerts that the reader has not seen.
pub(super) async fn unseen(signed_in: &SignedIn, service: &Service) -> Result<usize, ApiError> {
    let alerts = service.schedules.alerts(&owner(signed_in), None).await?;
    Ok(alerts.iter().filter(|alert| alert.seen_at.is_none()).count())
}

fn owner(signed_in: &SignedIn) -> ScheduleOwner {
    ScheduleOwner::Account(signed_in.member.account)
}

/// The entries of the form.
struct Entries {
    target: ScheduleTarget,
    unit: String,
    every: String,
    weekday: String,
    at: String,
    time_zone: String,
    name: String,
    budget: String,
    credits: String,
}

impl Entries {
    fn sent<'a>(target: ScheduleTarget, sent: impl Fn(&str) -> &'a str) -> Self {
        let text = |name: &str| sent(name).trim().to_owned();
        Self {
            target,
            unit: text("unit"),
            every: text("every"),
            weekday: text("weekday"),
            at: text("at"),
            time_zone: text("timeZone"),
            name: text("name"),
            budget: text("budget"),
            credits: text("credits"),
        }
    }

    /// The entries that would make a schedule.
    fn of(view: &ScheduleView) -> Self {
        let times = view.recurrence.members();
        let word = |name: &str| match times.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            Some(_) | None => String::new(),
        };
        let record = &view.record;
        let dollars = |budget| UsdMicros::new(budget).dollars().to_string();
        Self {
            target: ScheduleTarget::Edit(record.id),
            unit: word("unit"),
            every: word("every"),
            weekday: word("weekday"),
            at: word("at"),
            time_zone: word("timeZone"),
            name: record.name.clone(),
            budget: record.budget.map(dollars).unwrap_or_default(),
            credits: record
                .credits
                .map(|credits| credits.to_string())
                .unwrap_or_default(),
        }
    }

    /// The body of the API without the order. An entry that is no number stays a text, which is a fault.
    fn body(&self) -> Map<String, Value> {
        let number = |text: &str| match text {
            "" => Value::Null,
            text => serde_json::from_str::<serde_json::Number>(text).map_or(json!(text), Value::Number),
        };
        let weekday = (self.unit == "weeks").then_some(&self.weekday);
        let members = [
            ("name", json!(self.name)),
            (
                "recurrence",
                json!({"unit": self.unit, "every": number(&self.every), "weekday": weekday, "at": self.at,
                    "timeZone": self.time_zone}),
            ),
            ("monthlyBudgetUsd", number(&self.budget)),
            ("monthlyCredits", number(&self.credits)),
        ];
        let members = members.into_iter();
        members.map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

async fn show(
    signed_in: &SignedIn,
    service: &Service,
    asked: Option<(&Entries, Faults)>,
    refused: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    let owner = owner(signed_in);
    let views = service.schedules.all(&owner).await?;
    let mut alerts = service.schedules.alerts(&owner, None).await?;
    alerts.truncate(super::stored::A_PAGE as usize);
    let alerts: Vec<_> = alerts.iter().map(|alert| alert_row(alert, &views)).collect();
    let rows: Vec<_> = views.iter().map(row).collect();
    let about = match asked.as_ref().map(|(entries, _)| entries.target) {
        Some(ScheduleTarget::New(scan)) => {
            let (run, _) = service
                .scans
                .workspace_run(signed_in.member.account, scan)
                .await?;
            Some((run.domain, run.keyword))
        }
        Some(ScheduleTarget::Edit(id)) => {
            let view = views.iter().find(|view| view.record.id == id);
            let view = view.ok_or(Error::ScheduleNotFound)?;
            Some((
                ordered(view, "domain").to_owned(),
                ordered(view, "keyword").to_owned(),
            ))
        }
        None => None,
    };
    let form = asked
        .as_ref()
        .zip(about.as_ref())
        .map(|((entries, faults), (domain, keyword))| ScheduleForm {
            target: entries.target,
            domain,
            keyword,
            unit: &entries.unit,
            every: &entries.every,
            weekday: &entries.weekday,
            at: &entries.at,
            time_zone: &entries.time_zone,
            name: &entries.name,
            budget: &entries.budget,
            credits: &entries.credits,
            faults,
        });
    let status = match (&asked, refused) {
        (Some((_, faults)), _) if !faults.is_empty() => StatusCode::BAD_REQUEST,
        (_, Some(_)) => StatusCode::CONFLICT,
        _ => StatusCode::OK,
    };
    let page = SchedulesPage {
        rows: &rows,
        alerts: &alerts,
        form: form.as_ref(),
    };
    let mut frame = signed_in.browser.frame();
    frame.notice = refused.map(|text| Notice {
        kind: NoticeKind::Refused,
        text,
    });
    signed_in.browser.page(status, pages::schedules(&frame, &page))
}

/// A text of the order of a schedule.
fn ordered<'a>(view: &'a ScheduleView, name: &str) -> &'a str {
    view.order.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn row(view: &ScheduleView) -> ScheduleRow<'_> {
    let word = |name: &str| ordered(view, name);
    let record = &view.record;
    let spent = UsdMicros::new(view.used.cost);
    let mut used = match record.budget {
        Some(budget) => format!("{} of {}", spent.in_cents(), UsdMicros::new(budget).in_cents()),
        None => spent.in_cents(),
    };
    used.push_str(&match record.credits {
        Some(credits) => format!(", {} of {credits} credits", view.used.credits),
        None => format!(", {} credits", view.used.credits),
    });
    ScheduleRow {
        id: record.id,
        name: &record.name,
        domain: word("domain"),
        keyword: word("keyword"),
        place: word("location"),
        recurrence: view.recurrence.to_string(),
        paused: record.paused_at.is_some(),
        next: view
            .next
            .iter()
            .take(NEXT)
            .map(|at| view.recurrence.local(*at))
            .collect(),
        last: view.runs.first().map(|run| {
            (
                time(run.began_at),
                run.scan,
                run.outcome.as_deref().map_or("under way", words),
            )
        }),
        used,
        failures: record.failures,
        new_questions: view.has_new_questions(),
    }
}

fn alert_row<'a>(alert: &'a AlertRecord, views: &'a [ScheduleView]) -> AlertRow<'a> {
    let domain = views
        .iter()
        .find(|view| view.record.id == alert.firing.schedule)
        .and_then(|view| view.order.get("domain")?.as_str());
    AlertRow {
        about: match alert.name.as_str() {
            "" => domain.unwrap_or_default(),
            name => name,
        },
        summary: &alert.summary,
        scan: alert.scan,
        previous: alert.previous,
        at: time(alert.at),
        seen: alert.seen_at.is_some(),
    }
}

/// An outcome in words. A code of a problem is shown as it is.
fn words(outcome: &str) -> &str {
    match outcome {
        "still_running" => "left out, because the run before was under way",
        "over_budget" => "the budget of the schedule is used up",
        "over_credits" => "the credits of the schedule are used up",
        "account_over_budget" => "your budget of this month is used up",
        "account_disabled" => "the account may not scan",
        "credits_exhausted" => "no credit is left",
        "deleted" => "the scan was deleted",
        other => other,
    }
}
