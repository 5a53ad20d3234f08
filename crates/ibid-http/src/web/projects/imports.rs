//! `/workspace/projects/{id}/imports` and `/workspace/projects/imports`: answers that were given elsewhere. A file is read and shown
//! first, and imported when the person sends it again with the hash of what they saw.

use super::super::browser::status_of;
use super::super::signed_in::SignedIn;
use super::access::{reader, scope};
use super::own_data::Uploader;
use crate::extract::{Asked, Form, Pairs, Posted, Query, Upload};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use crate::respond::Answer;
use actix_web::HttpResponse;
use ibid_model::Faults;
use ibid_service::{AnswerImportView, ExportFile, MOST_OWN_DATA, OwnDataTurn, ReadExport, Right, Service};
use ibid_web::Notice;
use ibid_web::pages::{self, ExportView, ImportsPage};
use serde_json::{Map, json};

/// Most bytes of a form with an id.
const MOST_FORM: usize = 4_096;
/// The fields that are shown again.
const FIELDS: [&str; 5] = ["domain", "keyword", "name", "kind", "tool"];

/// What a page shows beside the project.
#[derive(Default)]
struct Shown {
    texts: Pairs,
    /// The file that was read, with its name.
    read: Option<(String, ReadExport)>,
    faults: Faults,
    done: Option<&'static str>,
}

impl Shown {
    fn refused(texts: Pairs, error: ibid_service::Error) -> Result<Self, ApiError> {
        let mut faults = Faults::default();
        for fault in faults_of(error)?.iter() {
            // The form has the members of the new project.
            let field = fault.field.strip_prefix("/project").unwrap_or(&fault.field);
            // The website is the name where none is typed.
            if field == "/name" && texts.text("name").trim().is_empty() {
                continue;
            }
            faults.push(field.to_owned(), fault.code, fault.message.clone());
        }
        Ok(Self {
            texts,
            faults,
            ..Self::default()
        })
    }
}

pub(crate) async fn show(Asked(signed_in, id, service): Asked<SignedIn>, query: Query) -> Answer {
    let done = match query.0.text("done") {
        "imported" => Some("The answers are imported."),
        "deleted" => Some("The import is deleted with its answers."),
        _ => None,
    };
    let part = Shown {
        done,
        ..Shown::default()
    };
    shown(&signed_in, &service, &id, part).await
}

/// `POST …/{id}/imports`: reads a file, or imports the one that was read.
pub(crate) async fn save(
    Posted(uploader, upload, id, service): Posted<Uploader, Upload<MOST_OWN_DATA>, String>,
) -> Answer {
    let (signed_in, turn) = uploader.into_parts();
    let scope = scope(&service, &signed_in, &id, Right::EditProject).await?;
    let (texts, name, read) = read(&service, turn, upload).await;
    let read = match read {
        Ok(read) if is_agreed(&texts, &read) => {
            service.projects.import_export(&scope, read).await.map(|_| None)
        }
        read => read.map(Some),
    };
    let part = match read {
        Ok(None) => {
            return Ok(see_other(&format!(
                "/workspace/projects/{id}/imports?done=imported"
            )));
        }
        Ok(Some(read)) => Shown {
            texts,
            read: Some((name, read)),
            ..Shown::default()
        },
        Err(error) => Shown::refused(texts, error)?,
    };
    shown(&signed_in, &service, &id, part).await
}

/// `POST …/{id}/imports/{change}`: deletes an import.
pub(crate) async fn change(
    Posted(signed_in, Form(pairs), target, service): Posted<SignedIn, Form<MOST_FORM>, (String, String)>,
) -> Answer {
    let (id, change) = target.into_inner();
    let scope = scope(&service, &signed_in, &id, Right::EditProject).await?;
    if change != "delete" {
        return Err(ApiError::NoSuchPath);
    }
    service
        .projects
        .delete_answers(&scope, pairs.text("import"))
        .await?;
    Ok(see_other(&format!(
        "/workspace/projects/{id}/imports?done=deleted"
    )))
}

/// `GET /workspace/projects/imports`.
pub(crate) async fn form(signed_in: SignedIn) -> Result<HttpResponse, ApiError> {
    page(&signed_in, None, &[], Shown::default(), true)
}

/// `POST /workspace/projects/imports`: reads a file, or makes a project from the one that was read.
pub(crate) async fn make(
    Posted(uploader, upload, _, service): Posted<Uploader, Upload<MOST_OWN_DATA>>,
) -> Answer {
    let (signed_in, turn) = uploader.into_parts();
    let (texts, name, read) = read(&service, turn, upload).await;
    let read = match read {
        Ok(read) if is_agreed(&texts, &read) => {
            let made = service
                .projects
                .move_in_export(reader(&signed_in), members(&texts), read);
            match made.await {
                Ok(id) => return Ok(see_other(&format!("/workspace/projects/{id}"))),
                Err(error) => Err(error),
            }
        }
        read => read,
    };
    let part = match read {
        Ok(read) => Shown {
            texts,
            read: Some((name, read)),
            ..Shown::default()
        },
        Err(error) => Shown::refused(texts, error)?,
    };
    page(&signed_in, None, &[], part, true)
}

/// Returns the members of a new project. Its name is that of the website if none is typed.
fn members(texts: &Pairs) -> Map<String, serde_json::Value> {
    let text = |name: &str| texts.text(name).trim().to_owned();
    let name = match text("name") {
        name if name.is_empty() => text("domain"),
        name => name,
    };
    let members = [
        ("name", name),
        ("domain", text("domain")),
        ("keyword", text("keyword")),
    ];
    let members = members.into_iter().filter(|(_, text)| !text.is_empty());
    members
        .map(|(name, text)| (name.to_owned(), json!(text)))
        .collect()
}

/// Whether the person saw what was understood of this file, and said yes.
fn is_agreed(texts: &Pairs, read: &ReadExport) -> bool {
    texts.text("step") == "save" && texts.text("seen") == read.hash()
}

async fn read(
    service: &Service,
    turn: OwnDataTurn,
    upload: Upload<MOST_OWN_DATA>,
) -> (Pairs, String, Result<ReadExport, ibid_service::Error>) {
    let chosen = upload.file.filter(|file| file.field == "file");
    let (name, bytes) = chosen.map(|file| (file.name, file.bytes)).unzip();
    let file = ExportFile {
        name: name.clone().unwrap_or_default(),
        is_captures: upload.texts.text("kind") == "captures",
        tool: upload.texts.text("tool").to_owned(),
        bytes,
    };
    let read = service.projects.read_export(turn, file).await;
    (upload.texts, name.unwrap_or_default(), read)
}

async fn shown(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    part: Shown,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(service, signed_in, id, Right::ReadProject).await?;
    let view = service.projects.get(&scope).await?;
    let imports = service.projects.answer_imports(&scope).await?;
    let may_write = scope.may(Right::EditProject);
    page(
        signed_in,
        Some((id, &view.record.name)),
        &imports,
        part,
        may_write,
    )
}

fn page(
    signed_in: &SignedIn,
    project: Option<(&str, &str)>,
    imports: &[AnswerImportView],
    part: Shown,
    may_write: bool,
) -> Result<HttpResponse, ApiError> {
    let entries: Vec<(&str, &str)> = FIELDS.map(|name| (name, part.texts.text(name))).to_vec();
    let page = ImportsPage {
        project,
        imports,
        entries: &entries,
        read: part.read.as_ref().map(|(name, read)| ExportView {
            name,
            hash: read.hash(),
            is_captures: read.is_captures(),
            found: read.found(),
        }),
        faults: &part.faults,
        may_write,
    };
    let status = status_of(&part.faults);
    let notice = part.done.map(Notice::done);
    signed_in
        .browser
        .noticed(status, notice, |frame| pages::project_imports(frame, &page))
}
