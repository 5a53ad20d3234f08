//! A report of a run, for everyone who sees the project.

use super::super::report::{File, Report};
use super::super::signed_in::SignedIn;
use super::super::stored::parse_id;
use super::access::scope;
use crate::extract::{Asked, Query};
use crate::problem::ApiError;
use crate::respond::Answer;
use ibid_model::ScanId;
use ibid_service::{Reader, Right, Service};
use ibid_web::pages::Viewer;

/// `GET /workspace/projects/{id}/runs/{scan}`.
pub(crate) async fn show(Asked(signed_in, path, service): Asked<SignedIn, (String, String)>) -> Answer {
    let found = find(&service, &signed_in, &path.0, &path.1).await?;
    let report = Report::of_project(&service, found.scan, &found.reader).await?;
    report.page(&signed_in.browser, found.viewer())
}

/// `GET /workspace/projects/{id}/runs/{scan}/answers`.
pub(crate) async fn answers(
    Asked(signed_in, path, service): Asked<SignedIn, (String, String)>,
    query: Query,
) -> Answer {
    let found = find(&service, &signed_in, &path.0, &path.1).await?;
    let report = Report::of_project(&service, found.scan, &found.reader).await?;
    report.answers_page(&signed_in.browser, found.viewer(), &query)
}

/// `GET /workspace/projects/{id}/runs/{scan}/{file}`.
pub(crate) async fn file(
    Asked(signed_in, path, service): Asked<SignedIn, (String, String, String)>,
) -> Answer {
    let Found { scan, reader, .. } = find(&service, &signed_in, &path.0, &path.1).await?;
    let file = File::of(&path.2).ok_or(ApiError::NoSuchPath)?;
    file.download(&service, scan, &reader).await
}

/// A run of a project that someone may read.
struct Found {
    scan: ScanId,
    reader: Reader,
    path: String,
    name: String,
}

impl Found {
    fn viewer(&self) -> Viewer<'_> {
        Viewer::Project {
            path: &self.path,
            name: &self.name,
        }
    }
}

async fn find(service: &Service, signed_in: &SignedIn, id: &str, scan: &str) -> Result<Found, ApiError> {
    let scope = scope(service, signed_in, id, Right::ReadProject).await?;
    let scan = parse_id(scan)?;
    Ok(Found {
        scan,
        reader: service.projects.run_reader(&scope, scan).await?,
        path: format!("/workspace/projects/{id}/runs/{scan}"),
        name: service.projects.get(&scope).await?.record.name,
    })
}
