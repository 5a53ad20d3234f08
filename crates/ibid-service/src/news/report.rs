//! The report that comes with a digest: frozen when the digest is queued, drawn when its mail is sent.

use super::Digests;
use crate::error::Error;
use crate::failure::chain;
use crate::projects::{MOST_REPORTS, NO_RESULT, OpenedReport, ReportDraft, ReportSource};
use crate::webhooks::WebhookSender;
use ibid_audit::fetch::{FetchError, FetchFailure};
use ibid_model::{ProjectId, ReportId};
use ibid_news::{Attachment, Note};
use ibid_store::{ClaimedDelivery, DestinationOf, DueDigest, Millis, ProjectScope};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Most bytes that an attached PDF has: a mail makes a third more of it, and servers take mails of 10 MB.
const MOST_ATTACHED: usize = 5 << 20;

/// The report that comes with a digest, or why there is none.
pub(super) type DigestReport = Result<ReportId, String>;

impl Digests {
    /// Freezes the report of a digest that brings one. Its id follows from the project and the time, so that a digest that is
    /// queued again after a kill makes no second one.
    ///
    /// # Errors
    /// [`Error::Overloaded`] where the digest has to wait.
    pub(super) async fn report_of(&self, digest: &DueDigest) -> Result<Option<DigestReport>, Error> {
        let DestinationOf::Project(project) = digest.destination.of else {
            return Ok(None);
        };
        if !digest.destination.report {
            return Ok(None);
        }
        match self.freeze(project, id_of(project, digest.due)).await {
            Ok(report) => Ok(Some(report)),
            Err(error @ Error::Overloaded { .. }) => Err(error),
            // The digest comes without it: a report that cannot be made must not hold back the others.
            Err(error) => {
                tracing::warn!(project = %project, error = chain(&error), "news.report.failed");
                Ok(Some(Err("it could not be made".to_owned())))
            }
        }
    }

    async fn freeze(&self, project: ProjectId, id: ReportId) -> Result<DigestReport, Error> {
        let db = &self.runs.db;
        let read = db.call(move |store| {
            let Some(scope) = store.program_scope(project)? else {
                return Ok(None);
            };
            if store.report(&scope, id)?.is_some() {
                return Ok(Some((scope, None)));
            }
            let source = ReportSource::read(store, &scope)?;
            let draft = ReportDraft::as_before(store, &scope)?;
            Ok(Some((scope, source.map(|source| (source, draft)))))
        });
        let (scope, source, draft) = match read.await? {
            None => return Err(Error::ProjectNotFound),
            Some((_, None)) => return Ok(Ok(id)),
            Some((scope, Some((source, draft)))) => (scope, source, draft),
        };
        let frozen = self.pictures.blocking.run(move || source.freeze(draft));
        let Some(frozen) = frozen.await?? else {
            return Ok(Err(NO_RESULT.to_owned()));
        };
        let stored = db.call(move |store| frozen.store(store, &scope, id));
        Ok(match stored.await? {
            true => Ok(id),
            false => Err(format!("the project has {MOST_REPORTS} reports")),
        })
    }
}

impl WebhookSender {
    /// Draws a digest's report. Where it is not attached, a line says so and has a link to it.
    pub(super) async fn attachment(
        &self,
        claimed: &ClaimedDelivery,
        base: &str,
        note: &mut Note,
    ) -> Result<Option<Attachment>, FetchError> {
        let Some((project, id)) = named_in(claimed) else {
            return Ok(None);
        };
        let again = |error: &Error| {
            tracing::warn!(delivery = %claimed.held.id, error = chain(error), "news.report.failed");
            FetchError::Failed(FetchFailure::Internal)
        };
        let read = self.runs.db.call(move |store| {
            let scope: Option<ProjectScope> = store.program_scope(project)?;
            let stored = match &scope {
                Some(scope) => store.report(scope, id)?,
                None => None,
            };
            stored.map(OpenedReport::read).transpose()
        });
        let Some(opened) = read.await.map_err(|error| again(&Error::from(error)))? else {
            note.lines.push("Its report was deleted.".to_owned());
            return Ok(None);
        };
        let day = opened.report.made_at.strftime("%Y-%m-%d");
        let name = format!("{}-{day}.pdf", opened.report.project.domain);
        let why = match self.pictures.report_pdf(opened, None).await {
            Ok(bytes) if bytes.len() <= MOST_ATTACHED => {
                note.lines.push("The report of the day is attached.".to_owned());
                return Ok(Some(Attachment {
                    name,
                    kind: "application/pdf",
                    bytes: Arc::new(bytes),
                }));
            }
            Ok(_) => Some("The report of the day is too large for a mail."),
            // The operator knows; the reader has the link.
            Err(Error::PdfUnavailable) => None,
            Err(error @ Error::Print(_)) => {
                again(&error);
                Some("The report of the day cannot be drawn as PDF.")
            }
            Err(error) => return Err(again(&error)),
        };
        note.lines.extend(why.map(str::to_owned));
        let link = format!("{base}/workspace/projects/{project}/reports/{id}");
        note.link = Some(("Open the report".to_owned(), link));
        Ok(None)
    }
}

/// Returns the id of the report that a project's digest brings, by the time at which it was due.
fn id_of(project: ProjectId, due: Millis) -> ReportId {
    let hash: [u8; 32] = Sha256::new()
        .chain_update(b"report of a digest")
        .chain_update(project.as_bytes())
        .chain_update(due.to_be_bytes())
        .finalize()
        .into();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(hash.split_at(16).0);
    ReportId::from_bytes(bytes)
}

/// The report that a digest names.
fn named_in(claimed: &ClaimedDelivery) -> Option<(ProjectId, ReportId)> {
    if claimed.event != "news.digest" {
        return None;
    }
    let event: Value = serde_json::from_slice(&claimed.payload).ok()?;
    let project = event.pointer("/data/projects/0")?;
    let text = |member: &str| project.get(member)?.as_str();
    Some((text("projectId")?.parse().ok()?, text("reportId")?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_has_one_report() {
        let (project, other) = (ProjectId::random(), ProjectId::random());
        let id = id_of(project, 1_000);
        assert_eq!(id, id_of(project, 1_000));
        assert!(id != id_of(project, 1_001) && id != id_of(other, 1_000));
    }
}
