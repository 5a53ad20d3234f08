//! The form of a new project: `GET /workspace/projects/new` and `POST /workspace/projects`.

use super::super::signed_in::SignedIn;
use super::access::reader;
use crate::extract::{AuthenticatedThen, Pairs, SameOrigin, Upload};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use crate::v2::MOST_ARCHIVE;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::{FaultCode, Faults, OwnQuestion};
use ibid_service::{CallerId, Error, Forecast, OrganisationRole, Service};
use ibid_web::pages::{self, ForecastView, LineRow, ProjectFormPage};
use serde_json::{Map, Value, json};

/// The fields of the form that are texts of the order.
const TEXTS: [&str; 4] = ["name", "domain", "keyword", "location"];
/// Most bytes of a list of questions.
const MOST_LIST: usize = 1_048_576;
/// The value of the field that chooses the questions, for those of the program, and for the list of the form.
pub(super) const TEMPLATES: &str = "templates";
pub(super) const OWN: &str = "own";
/// The other fields, with the values that a new form has.
const OTHERS: [(&str, &str); 10] = [
    ("brandNames", ""),
    ("places", ""),
    ("questionsFrom", TEMPLATES),
    ("questions", ""),
    ("allQuestions", ""),
    ("questionsPerModel", "10"),
    ("weekday", "monday"),
    ("at", "09:00"),
    ("timeZone", "UTC"),
    ("monthlyBudgetUsd", ""),
];
/// Models that a new form has ticked.
const TICKED: usize = 3;

/// The entries and the ticked models of a new form.
fn blank(service: &Service) -> (Vec<(String, String)>, Vec<String>) {
    let texts = TEXTS.map(|name| (name.to_owned(), String::new()));
    let others = OTHERS.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let ticked = service.scans.catalog();
    let ticked = ticked.models().iter().take(TICKED);
    let ticked = ticked.map(|model| model.alias.as_str().to_owned());
    (texts.into_iter().chain(others).collect(), ticked.collect())
}

/// `GET /workspace/projects/new`.
pub(crate) async fn form(signed_in: SignedIn, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let (entries, ticked) = blank(&service);
    show(
        &signed_in,
        &service,
        (&entries, &ticked),
        &Faults::default(),
        &Looked::default(),
    )
    .await
}

/// `POST /workspace/projects/archive`: makes a project from an archive.
pub(crate) async fn import(
    _own: SameOrigin,
    AuthenticatedThen(signed_in, upload): AuthenticatedThen<SignedIn, Upload<MOST_ARCHIVE>>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let Some(file) = upload.file else {
        return Ok(see_other("/workspace/projects/new"));
    };
    let faults = match service.projects.import(reader(&signed_in), file.bytes).await {
        Ok(view) => return Ok(see_other(&format!("/workspace/projects/{}", view.record.id))),
        Err(error) => faults_of(error)?,
    };
    let mut of_file = Faults::default();
    for fault in faults.iter() {
        of_file.push("/archive".to_owned(), fault.code, fault.message.clone());
    }
    let (entries, ticked) = blank(&service);
    show(
        &signed_in,
        &service,
        (&entries, &ticked),
        &of_file,
        &Looked::default(),
    )
    .await
}

/// `POST /workspace/projects`: shows what the project will cost and see, or saves it.
pub(crate) async fn save(
    _own: SameOrigin,
    AuthenticatedThen(signed_in, upload): AuthenticatedThen<SignedIn, Upload<MOST_LIST, MOST_LIST>>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let (pairs, file) = (upload.texts, upload.file.filter(|file| file.field == "file"));
    let mut body = body(&pairs);
    let names = TEXTS.into_iter().chain(OTHERS.map(|(name, _)| name));
    let mut entries: Vec<_> = names
        .map(|name| (name.to_owned(), pairs.text(name).to_owned()))
        .collect();
    let ticked: Vec<String> = pairs.all("models").map(str::to_owned).collect();
    let mut looked = Looked::default();
    if let Some(file) = &file {
        match imported(&service, &body, pairs.text("questions"), file.bytes.to_vec()).await {
            Ok((list, lines)) => {
                looked.lines = lines;
                body.remove("questionSet");
                body.insert("questions".to_owned(), questions(&list));
                for (name, value) in &mut entries {
                    match name.as_str() {
                        "questionsFrom" => OWN.clone_into(value),
                        "questions" => list.clone_into(value),
                        _ => {}
                    }
                }
            }
            Err(error) => {
                let sent = (entries.as_slice(), ticked.as_slice());
                return refused(&signed_in, &service, sent, error).await;
            }
        }
    }
    let sent = (entries.as_slice(), ticked.as_slice());
    // The lines of a file are shown before anything is saved.
    if pairs.text("step") == "save" && file.is_none() {
        return match service.projects.add(reader(&signed_in), &body).await {
            Ok(view) => Ok(see_other(&format!("/workspace/projects/{}", view.record.id))),
            Err(error) => refused(&signed_in, &service, sent, error).await,
        };
    }
    match service.projects.draft(reader(&signed_in), &body).await {
        Ok(draft) => {
            looked.forecast = Some(draft.forecast);
            show(&signed_in, &service, sent, &Faults::default(), &looked).await
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
    let faults = match error {
        Error::ImportUnreadable(why) => Faults::one("/file", FaultCode::Invalid, why.to_string()),
        error => faults_of(error)?,
    };
    show(signed_in, service, sent, &faults, &Looked::default()).await
}

/// What the form shows before it is saved.
#[derive(Default)]
struct Looked {
    forecast: Option<Forecast>,
    /// The lines of a file that were not taken.
    lines: Vec<LineRow>,
}

/// The questions of the form and of a file, one a line, and the lines of the file that were not taken.
pub(super) async fn imported(
    service: &Service,
    body: &Map<String, Value>,
    typed: &str,
    file: Vec<u8>,
) -> Result<(String, Vec<LineRow>), Error> {
    let facts = ["domain", "keyword", "location"].into_iter();
    let facts = facts.filter_map(|name| Some((name.to_owned(), body.get(name)?.clone())));
    let before = match questions(typed) {
        Value::Array(list) if list.is_empty() => Vec::new(),
        list => OwnQuestion::list(&list).map_err(|faults| Error::Invalid(faults.below("/questions")))?,
    };
    let facts = facts.collect();
    let read = service.questions.read_file(&facts, file, before, false);
    let mut list = typed.trim_end().to_owned();
    let mut lines = Vec::new();
    for line in read.await? {
        match line.question {
            Some(question) => {
                list.push('\n');
                list.push_str(question.as_str());
            }
            None => lines.push(LineRow {
                line: line.line,
                text: line.text,
                outcome: line.message,
            }),
        }
    }
    Ok((list.trim_start().to_owned(), lines))
}

/// The lines of a text as markets: a place, and a language after a semicolon.
pub(super) fn places(text: &str) -> Vec<Value> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let market = |line: &str| match line.split_once(';') {
        Some((place, language)) => json!({"location": place.trim(), "language": language.trim()}),
        None => json!({"location": line}),
    };
    lines.map(market).collect()
}

/// The lines of a text as questions.
pub(super) fn questions(text: &str) -> Value {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().into()
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
    let others = places(pairs.text("places"));
    if !others.is_empty() {
        let own = json!({"location": body.remove("location")});
        body.insert("markets".to_owned(), std::iter::once(own).chain(others).collect());
    }
    let names = pairs.text("brandNames").lines().map(str::trim);
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    if !names.is_empty() {
        body.insert("brandNames".to_owned(), json!(names));
    }
    let models: Vec<&str> = pairs.all("models").collect();
    body.insert("models".to_owned(), json!(models));
    let from = pairs.text("questionsFrom");
    match from {
        TEMPLATES | "" => {}
        OWN => drop(body.insert("questions".to_owned(), questions(pairs.text("questions")))),
        set => drop(body.insert("questionSet".to_owned(), json!(set))),
    }
    let counted = match pairs.text("allQuestions") == "true" && from != TEMPLATES {
        true => json!("all"),
        false => number(pairs.text("questionsPerModel")),
    };
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
    looked: &Looked,
) -> Result<HttpResponse, ApiError> {
    let organisations = service.projects.organisations(signed_in.member.account).await?;
    let own = organisations
        .iter()
        .find(|one| one.role == OrganisationRole::Admin);
    let budget = own.map_or(0, |own| own.budget);
    let forecast = looked.forecast.as_ref();
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
    let sets = service
        .questions
        .all(&CallerId::of(signed_in.member.account))
        .await?;
    let sets: Vec<(String, String)> = sets
        .iter()
        .map(|set| {
            let text = |name: &str| set[name].as_str().unwrap_or_default();
            (
                format!("{}@{}", text("id"), set["latest"]),
                text("name").to_owned(),
            )
        })
        .collect();
    let page = ProjectFormPage {
        entries,
        sets: &sets,
        lines: &looked.lines,
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
