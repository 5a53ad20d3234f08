//! `/workspace/projects/{id}/own-data`: what the website's own data say. A file is read and kept first, and imported when the
//! person says yes.

use super::super::browser::status_of;
use super::super::signed_in::SignedIn;
use super::access::{reader, scope};
use super::questions;
use crate::extract::{Asked, Form, Posted, Proof, Query, Upload};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use crate::respond::Answer;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, HttpResponse, web};
use ibid_model::Faults;
use ibid_service::{
    MOST_OWN_DATA, OwnDataFile, OwnDataRead, OwnDataTurn, OwnDataUse, OwnFileOutcome, Right, Service,
};
use ibid_web::Notice;
use ibid_web::pages::{self, OwnDataPage};
use ibid_web::time;
use std::future::Future;
use std::pin::Pin;

/// Runs whose scores are drawn.
const RUNS: u32 = 200;
/// Most bytes of the ticked queries.
const MOST_FORM: usize = 262_144;

/// A person who may read a file now. The file counts before the body is read.
pub(crate) struct Uploader {
    signed_in: SignedIn,
    turn: OwnDataTurn,
}

impl Uploader {
    pub(super) fn into_parts(self) -> (SignedIn, OwnDataTurn) {
        (self.signed_in, self.turn)
    }
}

impl Proof for Uploader {}

impl FromRequest for Uploader {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let signed_in = SignedIn::from_request(request, payload);
        let service = request.app_data::<web::Data<Service>>().cloned();
        Box::pin(async move {
            let signed_in = signed_in.await?;
            let service = service.ok_or(ApiError::NotReady)?;
            let turn = service.projects.begin_own_data(reader(&signed_in))?;
            Ok(Self { signed_in, turn })
        })
    }
}

/// What a page shows beside the project.
#[derive(Default)]
struct Shown {
    read: Option<OwnDataRead>,
    faults: Faults,
    done: Option<&'static str>,
}

pub(crate) async fn show(Asked(signed_in, id, service): Asked<SignedIn>, query: Query) -> Answer {
    let done = match query.0.text("done") {
        "imported" => Some("The file is imported."),
        "replaced" => Some("The file took the place of the same one, which was read in another way."),
        "unchanged" => Some("The project has this file already: nothing changed."),
        "deleted" => Some("The import is deleted."),
        _ => None,
    };
    let part = Shown {
        done,
        ..Shown::default()
    };
    shown(&signed_in, &service, &id, part).await
}

/// `POST …/own-data`: reads a file, and shows what was understood.
pub(crate) async fn check(
    Posted(Uploader { signed_in, turn }, upload, id, service): Posted<
        Uploader,
        Upload<MOST_OWN_DATA>,
        String,
    >,
) -> Answer {
    let scope = scope(&service, &signed_in, &id, Right::EditProject).await?;
    let text = |name: &str| upload.texts.text(name).to_owned();
    let (format, until) = (text("format"), text("until"));
    let chosen = upload.file.filter(|file| file.field == "file");
    let (name, bytes) = chosen.map(|file| (file.name, file.bytes)).unzip();
    let file = OwnDataFile {
        name: name.unwrap_or_default(),
        format,
        until,
        bytes,
    };
    let read = service
        .projects
        .read_own_data(&scope, turn, file, OwnDataUse::Keep);
    let part = match read.await {
        Ok(read) => Shown {
            read: Some(read),
            ..Shown::default()
        },
        Err(error) => Shown {
            faults: faults_of(error)?,
            ..Shown::default()
        },
    };
    shown(&signed_in, &service, &id, part).await
}

/// `POST …/own-data/{change}`: imports the file that was read, deletes an import, or takes queries to the questions.
pub(crate) async fn change(
    Posted(signed_in, Form(pairs), target, service): Posted<SignedIn, Form<MOST_FORM>, (String, String)>,
) -> Answer {
    let (id, change) = target.into_inner();
    let scope = scope(&service, &signed_in, &id, Right::EditProject).await?;
    let done = match change.as_str() {
        "import" => {
            let confirmed =
                service
                    .projects
                    .confirm_own_data(&scope, pairs.text("import"), pairs.text("lower") == "yes");
            match confirmed.await {
                Ok(OwnFileOutcome::Same) => "unchanged",
                Ok(OwnFileOutcome::Replaced) => "replaced",
                Ok(_) => "imported",
                Err(error) => {
                    let part = Shown {
                        faults: faults_of(error)?,
                        ..Shown::default()
                    };
                    return shown(&signed_in, &service, &id, part).await;
                }
            }
        }
        "delete" => {
            service
                .projects
                .delete_own_data(&scope, pairs.text("import"))
                .await?;
            "deleted"
        }
        "questions" => {
            let queries = pairs.all("query").map(str::to_owned);
            return questions::proposed(&signed_in, &service, &id, queries).await;
        }
        _ => return Err(ApiError::NoSuchPath),
    };
    Ok(see_other(&format!(
        "/workspace/projects/{id}/own-data?done={done}"
    )))
}

async fn shown(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    part: Shown,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(service, signed_in, id, Right::ReadProject).await?;
    let (view, asked) = service.projects.asked(&scope).await?;
    let own = service.projects.own_data(&scope).await?;
    let runs = service.projects.runs(&scope, RUNS).await?;
    let seen = service.projects.seen(&scope).await?;
    let catalog = service.planner.catalog();
    let record = &view.record;
    let scores: Vec<_> = runs
        .iter()
        .filter(|run| run.market.is_none() && run.place == record.place)
        .filter_map(|run| Some((time(run.at), run.summary?.score.get())))
        .collect();
    let page = OwnDataPage {
        id,
        name: &record.name,
        own: &own,
        scores: &scores,
        asked: &asked,
        seen: &seen,
        catalog: &catalog,
        read: part.read.as_ref(),
        faults: &part.faults,
        may_write: scope.may(Right::EditProject),
    };
    let status = status_of(&part.faults);
    let notice = part.done.map(Notice::done);
    signed_in
        .browser
        .noticed(status, notice, |frame| pages::project_own_data(frame, &page))
}
