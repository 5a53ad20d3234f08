//! `/workspace/import`: a log of another tool becomes a scan.

use super::signed_in::SignedIn;
use crate::extract::{AuthenticatedThen, Proof, SameOrigin, Upload};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpRequest, HttpResponse, web};
use ibid_model::Faults;
use ibid_service::{ImportDraft, ImportTurn, Service, import_columns};
use ibid_web::pages::{self, ImportPage, LogColumn, ScanFields};
use ibid_web::{Notice, NoticeKind};
use std::future::Future;
use std::pin::Pin;

/// Most bytes of a log.
const MOST_LOG: usize = 4 << 20;

/// `GET /workspace/import`.
pub(crate) async fn form(signed_in: SignedIn) -> Result<HttpResponse, ApiError> {
    show(&signed_in, &ScanFields::none(), "", &Faults::default())
}

/// `POST /workspace/import`: stores the scan and redirects to its report, or shows the form again with all faults.
pub(crate) async fn import(
    _own: SameOrigin,
    AuthenticatedThen(Importer { signed_in, turn }, upload): AuthenticatedThen<Importer, Upload<MOST_LOG>>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let Upload { texts, file } = upload;
    let fields = ScanFields::sent(|name| texts.all(name).collect());
    let asked_at = texts.text("askedAt").to_owned();
    let draft = ImportDraft {
        order: fields.body().clone(),
        asked_at: asked_at.clone(),
        log: file.filter(|file| file.field == "log").map(|file| file.bytes),
    };
    match service.scans.import(turn, draft).await {
        Ok(id) => Ok(see_other(&format!("/workspace/scans/{id}"))),
        Err(error) => show(&signed_in, &fields, &asked_at, &faults_of(error)?),
    }
}

/// A signed-in account that may import now. The import counts before the body is read.
pub(crate) struct Importer {
    signed_in: SignedIn,
    turn: ImportTurn,
}

impl Proof for Importer {}

impl FromRequest for Importer {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let signed_in = SignedIn::from_request(request, payload);
        let service = request.app_data::<web::Data<Service>>().cloned();
        Box::pin(async move {
            let signed_in = signed_in.await?;
            let service = service.ok_or(ApiError::NotReady)?;
            let turn = service.scans.begin_import(signed_in.member.account)?;
            Ok(Self { signed_in, turn })
        })
    }
}

fn show(
    signed_in: &SignedIn,
    fields: &ScanFields,
    asked_at: &str,
    faults: &Faults,
) -> Result<HttpResponse, ApiError> {
    let columns = import_columns().map(|(column, names)| LogColumn { column, names });
    let page = ImportPage {
        form: fields,
        asked_at,
        faults,
        columns: &columns.collect::<Vec<_>>(),
        most_mebibytes: MOST_LOG >> 20,
    };
    let status = if faults.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    let mut frame = signed_in.browser.frame();
    frame.notice = (!signed_in.member.role.may_change()).then_some(Notice {
        kind: NoticeKind::Refused,
        text: "Your account reads only: it cannot import. An admin of this service can change that.",
    });
    signed_in.browser.page(status, pages::import(&frame, &page))
}
