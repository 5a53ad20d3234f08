//! Renaming and deleting a scan.

use super::signed_in::SignedIn;
use super::stored::parse_id;
use crate::extract::{Asked, Form, Posted, SameOrigin};
use crate::redirect::see_other;
use crate::respond::Answer;
use actix_web::http::StatusCode;
use ibid_web::pages::{self, EditScanPage};

/// `GET /workspace/scans/{id}/edit`.
pub(crate) async fn form(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    let id = parse_id(&id)?;
    let (run, _) = service.scans.workspace_run(signed_in.member.account, id).await?;
    let page = EditScanPage {
        id,
        domain: &run.domain,
        keyword: &run.keyword,
        title: run.title.as_deref().unwrap_or_default(),
        running: run.state.is_open(),
    };
    signed_in
        .browser
        .show(StatusCode::OK, |frame| pages::edit_scan(frame, &page))
}

/// `POST /workspace/scans/{id}/title`.
pub(crate) async fn rename(
    Posted(signed_in, Form(pairs), id, service): Posted<SignedIn, Form<4_096>, String>,
) -> Answer {
    let id = parse_id(&id)?;
    service
        .scans
        .set_title(signed_in.member.account, id, pairs.text("title"))
        .await?;
    Ok(see_other(&format!("/workspace/scans/{id}")))
}

/// `POST /workspace/scans/{id}/delete`.
pub(crate) async fn delete(_own: SameOrigin, Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    service
        .scans
        .delete_scan(signed_in.member.account, parse_id(&id)?)
        .await?;
    Ok(see_other("/workspace/scans"))
}
