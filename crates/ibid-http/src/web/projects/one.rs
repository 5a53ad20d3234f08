//! `GET /workspace/projects/{id}`: one project on one screen, without reading answers.

use super::super::signed_in::SignedIn;
use super::access::scope;
use crate::extract::Asked;
use crate::problem::ApiError;
use crate::respond::Answer;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use ibid_model::OutreachState;
use ibid_service::{ProjectMove, Right, Service};
use ibid_web::Notice;
use ibid_web::pages::{self, MoveLine, ProjectPage};
use std::collections::HashMap;

/// Runs that the list and the trend show.
const RUNS: u32 = 60;
/// Runs whose questions are looked at.
const QUESTION_RUNS: u32 = 4;

pub(crate) async fn show(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    shown(&signed_in, &service, &id, None).await
}

/// Shows the page with the reason why something was refused.
pub(super) async fn shown(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    refused: Option<&str>,
) -> Result<HttpResponse, ApiError> {
    noticed(signed_in, service, id, refused.map(Notice::refused)).await
}

/// Shows the page with a notice of what was refused.
pub(super) async fn noticed(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    refused: Option<Notice<'_>>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(service, signed_in, id, Right::ReadProject).await?;
    let view = service.projects.get(&scope).await?;
    let runs = service.projects.runs(&scope, RUNS).await?;
    let rivals = service.projects.rivals(&scope).await?;
    let findings = service.projects.findings(&scope).await?;
    let notes = service.projects.annotations(&scope).await?;
    let kept = service.projects.action_lines(&scope).await?;
    let questions = service.projects.questions(&scope, QUESTION_RUNS).await?;
    let models = match view.record.last_scan {
        Some(scan) => service.projects.models(&scope, scan).await?,
        None => Vec::new(),
    };
    let found = service.projects.moves(&scope).await?;
    let rows_of_moves: Vec<MoveLine> = found
        .moves
        .iter()
        .filter_map(|found| move_row(id, found))
        .collect();
    let no_move = match (found.moves.is_empty(), found.sentences.first()) {
        (true, Some(sentence)) => sentence.as_str(),
        _ => "",
    };
    let marks = view.record.settings.outreach.as_ref();
    let outreach = found.outreach.iter().map(|site| {
        let state = match marks.and_then(|marks| marks.get(&site.site)) {
            None => "open",
            Some(OutreachState::Asked) => "asked",
            Some(OutreachState::Done) => "done",
        };
        (site.site.as_str(), site.answers, state)
    });
    let outreach: Vec<(&str, u32, &str)> = outreach.collect();
    let branded = found.branded.iter().filter_map(|question| {
        let sentence = format!(
            "“{}”: {} of {} answers cite you.",
            question.text, question.cited, question.answers
        );
        let asked = std::slice::from_ref(&question.text);
        Some(MoveLine::new(id, &sentence, view.record.last_scan?, "", asked))
    });
    let branded: Vec<MoveLine> = branded.collect();
    let own = view.record.place.iter();
    let texts = own.chain(view.markets.iter().filter_map(|market| market.place.as_ref()));
    let mut places = HashMap::new();
    for text in texts {
        // A text that cannot be looked up now is shown as it was written.
        if let Ok(location) = text.parse()
            && let Ok(Some(label)) = service.planner.place_of(location).await
        {
            places.insert(text.clone(), label);
        }
    }
    let page = ProjectPage {
        id,
        project: &view,
        history: findings.history.as_ref(),
        runs: &runs,
        models: &models,
        catalog: &service.planner.catalog(),
        rivals: &rivals,
        questions: &questions,
        actions: &kept,
        moves: &rows_of_moves,
        no_move,
        outreach: &outreach,
        branded: &branded,
        places: &places,
        imports: &service.projects.answer_imports(&scope).await?,
        notes: &notes,
        may_run: scope.may(Right::RunProject),
        may_write: scope.may(Right::EditProject),
    };
    let status = match refused {
        Some(_) => StatusCode::CONFLICT,
        None => StatusCode::OK,
    };
    signed_in
        .browser
        .noticed(status, refused, |frame| pages::project(frame, &page))
}

fn move_row(id: &str, found: &ProjectMove) -> Option<MoveLine> {
    let latest = found.evidence.first()?;
    let questions = &found.subject.questions;
    Some(MoveLine::new(
        id,
        &found.sentence,
        latest.scan_id,
        &latest.model,
        questions,
    ))
}
