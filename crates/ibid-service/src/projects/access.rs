//! Who may do what with a project.

use super::handle::Projects;
use super::keys::digest;
use crate::accounts::Member;
use crate::clock::now_ms;
use crate::error::Error;
use crate::job::{Reader, RunProof};
use ibid_model::{ProjectId, ScanId};
use ibid_store::{ProjectReader, ProjectScope, Right};

impl Projects {
    /// Lets the holder of a session read projects.
    pub fn of_member(member: &Member) -> ProjectReader {
        ProjectReader::Account(member.account)
    }

    /// Finds who holds a key, or returns `None` for a key that is unknown or has ended.
    pub async fn of_key(&self, token: &[u8]) -> Result<Option<ProjectReader>, Error> {
        let Some(hash) = digest(token) else {
            return Ok(None);
        };
        let found = self.in_store(move |store| store.api_key(&hash, now_ms())).await?;
        Ok(found.map(ProjectReader::Key))
    }

    /// Proves that a reader may use a project in a way, such as editing it.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] for a project that the reader does not see, [`Error::Forbidden`] for one that it may
    /// only use in lesser ways; [`Error::Store`].
    pub async fn scope(
        &self,
        reader: ProjectReader,
        project: &str,
        right: Right,
    ) -> Result<ProjectScope, Error> {
        let id: ProjectId = project.parse().map_err(|_| Error::ProjectNotFound)?;
        let found = self
            .in_store(move |store| store.project_scope(reader, id))
            .await?;
        let scope = found.ok_or(Error::ProjectNotFound)?;
        scope.may(right).then_some(scope).ok_or(Error::Forbidden)
    }

    /// Permits to read a project's run.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a scan that is no run of it with a result; [`Error::Store`].
    pub async fn run_reader(&self, scope: &ProjectScope, scan: ScanId) -> Result<Reader, Error> {
        let found = self.of(scope, move |store, scope| store.is_project_run(scope, scan));
        found
            .await?
            .then_some(Reader::ProjectRun(RunProof::new()))
            .ok_or(Error::NotFound)
    }
}
