//! What a project can do, from the answers of all runs since its last change.

use super::handle::Projects;
use crate::error::Error;
use crate::project_numbers::{Beside, result_of};
use ibid_engine::history::LEVEL_RUNS;
use ibid_engine::mentions::{ProjectMoves, moves};
use ibid_model::result::History;
use ibid_store::{ProjectScope, Store, StoreError};
use serde_json::{Map, json};

impl Projects {
    /// Returns moves, and sites that answers cite most without the website.
    pub async fn moves(&self, scope: &ProjectScope) -> Result<ProjectMoves, Error> {
        let read = self.of(scope, move |store, scope| {
            let history = store.project_findings(scope)?.history;
            let beside = Beside::read(store, scope, LEVEL_RUNS as u32)?;
            moves_of(store, &beside, history.as_ref())
        });
        read.await
    }

    /// Keeps what came of asking a site; an open one has no mark.
    pub(super) async fn mark_site(&self, scope: &ProjectScope, site: &str, state: &str) -> Result<(), Error> {
        let before = self.get(scope).await?.record.settings.outreach;
        let mut marks = json!(before.unwrap_or_default());
        let marked = marks.as_object_mut().into_iter();
        for marks in marked {
            marks.remove(site);
            if state != "open" {
                marks.insert(site.to_owned(), json!(state));
            }
        }
        let body = Map::from_iter([("outreach".to_owned(), marks)]);
        self.edit(scope, &body).await.map(drop)
    }
}

pub(crate) fn moves_of(
    store: &Store,
    beside: &Beside,
    history: Option<&History>,
) -> Result<ProjectMoves, StoreError> {
    let since = history.and_then(|history| history.changes.last()?.since);
    let first = beside.mentions.iter().position(|(scan, _)| Some(*scan) == since);
    let runs = beside
        .mentions
        .get(first.unwrap_or_default()..)
        .unwrap_or_default();
    let last = match runs.last() {
        Some((scan, _)) => result_of(store, *scan)?,
        None => None,
    };
    let label = |alias: &str| {
        let mut models = last.iter().flat_map(|result| &result.models);
        let model = models.find(|model| model.model.as_str() == alias);
        model.map_or_else(|| alias.to_owned(), |model| model.model_label.clone())
    };
    Ok(moves(runs, &beside.competitors, beside.monthly(), label))
}
