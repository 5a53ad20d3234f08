//! `/workspace/projects/{id}/actions`: what people do for some questions, and what came of it.

use super::super::signed_in::SignedIn;
use super::access::{reader, scope};
use super::change::texts;
use crate::extract::{Asked, Form, Pairs, Posted, Query};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use crate::respond::Answer;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use ibid_model::Faults;
use ibid_service::{ProjectCommand as Command, Right, Service};
use ibid_web::pages::{self, ActionsPage};
use jiff::Timestamp;
use serde_json::{Value, json};

/// Most bytes of a form: three hundred questions.
const MOST_FORM: usize = 262_144;

pub(crate) async fn show(Asked(signed_in, id, service): Asked<SignedIn>, query: Query) -> Answer {
    shown(&signed_in, &service, &id, &query.0, Faults::default()).await
}

/// `POST /workspace/projects/{id}/actions`: agrees on an action.
pub(crate) async fn save(
    Posted(signed_in, Form(pairs), id, service): Posted<SignedIn, Form<MOST_FORM>, String>,
) -> Answer {
    let mut body = texts(&pairs, &["title", "page", "who", "goal"]);
    let questions: Vec<&str> = pairs.all("questions").collect();
    body.insert("questions".to_owned(), json!(questions));
    let runs = pairs.text("runs");
    let runs: Value = runs
        .parse::<u32>()
        .map_or_else(|_| json!(runs), |runs| json!(runs));
    body.insert("runs".to_owned(), runs);
    answered(&signed_in, &service, &id, &pairs, Command::AddAction(body)).await
}

/// `POST /workspace/projects/{id}/actions/{action}`: changes an action, or deletes it.
pub(crate) async fn change(
    Posted(signed_in, Form(pairs), target, service): Posted<SignedIn, Form<4_096>, (String, String)>,
) -> Answer {
    let (id, action) = target.into_inner();
    let command = if pairs.text("delete") == "true" {
        Command::DeleteAction(action)
    } else {
        let mut body = texts(&pairs, &["status"]);
        if pairs.text("status") == "done" && !pairs.text("doneOn").is_empty() {
            body.append(&mut texts(&pairs, &["doneOn"]));
        }
        Command::EditAction(action, body)
    };
    answered(&signed_in, &service, &id, &Pairs::default(), command).await
}

async fn answered(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    pairs: &Pairs,
    command: Command,
) -> Result<HttpResponse, ApiError> {
    match service.projects.carry_out(reader(signed_in), id, command).await {
        Ok(_) => Ok(see_other(&format!("/workspace/projects/{id}/actions"))),
        Err(error) => shown(signed_in, service, id, pairs, faults_of(error)?).await,
    }
}

async fn shown(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    typed: &Pairs,
    faults: Faults,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(service, signed_in, id, Right::ReadProject).await?;
    let (view, asked) = service.projects.asked(&scope).await?;
    let actions = service.projects.actions(&scope).await?;
    let runs = typed.text("runs");
    let today = Timestamp::now().strftime("%Y-%m-%d").to_string();
    let page = ActionsPage {
        id,
        name: &view.record.name,
        actions: &actions,
        questions: &asked,
        chosen: &typed.all("questions").collect::<Vec<_>>(),
        title: typed.text("title"),
        page: typed.text("page"),
        person: typed.text("who"),
        goal: typed.text("goal"),
        runs: if runs.is_empty() { "8" } else { runs },
        faults: &faults,
        today: &today,
        may_write: scope.may(Right::EditProject),
    };
    let status = match faults.is_empty() {
        true => StatusCode::OK,
        false => StatusCode::BAD_REQUEST,
    };
    signed_in
        .browser
        .show(status, |frame| pages::project_actions(frame, &page))
}
