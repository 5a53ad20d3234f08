//! `/workspace/projects/{id}/questions`: the questions of a project, what runs found about each, and other ones.

use super::super::browser::status_of;
use super::super::signed_in::SignedIn;
use super::access::scope;
use super::new::{imported, questions};
use crate::extract::{Asked, Form, Posted, Upload};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use crate::respond::Answer;
use actix_web::HttpResponse;
use ibid_model::{FaultCode, Faults, OwnQuestion};
use ibid_service::{AskedQuestion, Error, ImportedLine, ProjectScope, ProjectView, Projects, Right, Service};
use ibid_web::pages::{self, ProjectQuestionsPage};
use serde_json::{Map, Value, json};

/// Most bytes of a list.
const MOST_LIST: usize = 1_048_576;

/// What a page shows apart from the project.
#[derive(Default)]
struct Shown {
    list: Option<String>,
    lines: Vec<ImportedLine>,
    faults: Faults,
}

pub(crate) async fn show(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    shown(&signed_in, &service, &id, Shown::default()).await
}

/// `POST /workspace/projects/{id}/questions`: stores the list, goes back to the questions of ibid, or reads a file.
pub(crate) async fn save(
    Posted(signed_in, upload, id, service): Posted<SignedIn, Upload<MOST_LIST, MOST_LIST>, String>,
) -> Answer {
    let scope = scope(&service, &signed_in, &id, Right::EditProject).await?;
    let typed = upload.texts.text("questions");
    let (view, asked) = service.projects.asked(&scope).await?;
    if let Some(file) = upload.file.filter(|file| file.field == "file") {
        let read = read_file(&service, &view, typed, file.bytes.to_vec()).await?;
        return shown(&signed_in, &service, &id, read).await;
    }
    let list = match upload.texts.text("step") {
        "templates" => Value::Null,
        _ => known(questions(typed), &asked),
    };
    store(&signed_in, &service, &scope, &id, typed, list).await
}

/// `POST /workspace/projects/{id}/questions/replace`: puts other questions in the place of those that are ticked.
pub(crate) async fn replace(
    Posted(signed_in, Form(pairs), target, service): Posted<SignedIn, Form<MOST_LIST>, (String, String)>,
) -> Answer {
    let (id, change) = target.into_inner();
    let scope = scope(&service, &signed_in, &id, Right::EditProject).await?;
    if change != "replace" {
        return Err(ApiError::NoSuchPath);
    }
    let (_, asked) = service.projects.asked(&scope).await?;
    let mut others = pairs
        .text("questions")
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let mut list: Vec<&str> = Vec::new();
    for question in &asked {
        match pairs.all("replace").any(|ticked| ticked == question.text) {
            true => list.extend(others.next()),
            false => list.push(&question.text),
        }
    }
    list.extend(others);
    let text = list.join("\n");
    let list = known(json!(list), &asked);
    store(&signed_in, &service, &scope, &id, &text, list).await
}

/// Shows a project's questions with others behind them, which are checked as those of a file. Nothing is stored.
pub(super) async fn proposed(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    others: impl Iterator<Item = String>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(service, signed_in, id, Right::EditProject).await?;
    let (view, asked) = service.projects.asked(&scope).await?;
    let own = asked
        .iter()
        .filter(|question| !question.names_no_one() || question.own.is_some());
    let typed = own
        .map(|question| question.text.as_str())
        .collect::<Vec<_>>()
        .join("\n");
    let file = Projects::queries_as_file(others);
    let read = read_file(service, &view, &typed, file).await?;
    shown(signed_in, service, id, read).await
}

/// Puts the questions of a file behind those that were typed, and lists the lines that were not taken.
async fn read_file(
    service: &Service,
    view: &ProjectView,
    typed: &str,
    file: Vec<u8>,
) -> Result<Shown, ApiError> {
    let record = &view.record;
    let facts = json!({"domain": record.domain, "keyword": record.keyword, "location": record.place});
    let facts = facts.as_object().cloned().unwrap_or_default();
    Ok(match imported(service, &facts, typed, file).await {
        Ok((list, lines)) => Shown {
            list: Some(list),
            lines,
            ..Shown::default()
        },
        Err(error) => Shown {
            list: Some(typed.to_owned()),
            faults: faults(error)?,
            ..Shown::default()
        },
    })
}

/// Makes the questions of a body. One that was asked before keeps what is known about it.
fn known(list: Value, asked: &[AskedQuestion]) -> Value {
    let Value::Array(list) = list else {
        return list;
    };
    let own = |text: &Value| -> Option<&OwnQuestion> {
        let mut asked = asked.iter().filter_map(|question| question.own.as_ref());
        asked.find(|own| text.as_str() == Some(own.as_str()))
    };
    let list = list.into_iter();
    list.map(|text| own(&text).map_or_else(|| text.clone(), |own| json!(own)))
        .collect()
}

async fn store(
    signed_in: &SignedIn,
    service: &Service,
    scope: &ProjectScope,
    id: &str,
    typed: &str,
    list: Value,
) -> Result<HttpResponse, ApiError> {
    let body = Map::from_iter([("questions".to_owned(), list)]);
    match service.projects.edit(scope, &body).await {
        Ok(_) => Ok(see_other(&format!("/workspace/projects/{id}/questions"))),
        Err(error) => {
            let refused = Shown {
                list: Some(typed.to_owned()),
                faults: faults(error)?,
                ..Shown::default()
            };
            shown(signed_in, service, id, refused).await
        }
    }
}

fn faults(error: Error) -> Result<Faults, Error> {
    match error {
        Error::ImportUnreadable(why) => Ok(Faults::one("/file", FaultCode::Invalid, why.to_string())),
        error => faults_of(error),
    }
}

async fn shown(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    shown: Shown,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(service, signed_in, id, Right::ReadProject).await?;
    let (view, asked) = service.projects.asked(&scope).await?;
    let project = view.document();
    let version = project["questionSet"]
        .as_str()
        .and_then(|name| name.rsplit('@').next());
    let version = version.and_then(|version| version.parse().ok());
    let each = project["questionsPerModel"].as_u64();
    let list = shown.list.unwrap_or_else(|| {
        let kept = asked
            .iter()
            .filter(|question| version.is_some() || !question.names_no_one());
        kept.map(|question| question.text.as_str())
            .collect::<Vec<_>>()
            .join("\n")
    });
    let page = ProjectQuestionsPage {
        id,
        name: &view.record.name,
        version,
        each,
        rows: &asked,
        list: &list,
        lines: &shown.lines,
        faults: &shown.faults,
        may_write: scope.may(Right::EditProject),
    };
    let status = status_of(&shown.faults);
    signed_in
        .browser
        .show(status, |frame| pages::project_questions(frame, &page))
}
