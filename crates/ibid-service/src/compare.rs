//! Compares two stored scans, and tells what many in a row show.

use crate::error::Error;
use crate::handle::scans::Scans;
use crate::job::Reader;
use crate::project_numbers::{side, sides};
use crate::stored_scans::read_result;
use ibid_engine::compare::compare;
use ibid_engine::history::{history, of_change, sentences};
use ibid_model::result::{Comparison, History};
use ibid_model::{ScanId, ScanResult};
use ibid_store::{Store, StoreError};

#[derive(Clone, Debug, Default)]
pub struct SeriesWords {
    /// The last scan, the average since the last change, and every change.
    pub sentences: Vec<String>,
    /// Every change, with the first scan after it.
    pub changes: Vec<(ScanId, String)>,
}

impl Scans {
    /// Compares the second scan with the first.
    ///
    /// # Errors
    /// [`Error::NotFound`] when either is unknown, or not for this reader; [`Error::Store`].
    pub async fn compare_kept(
        &self,
        first: ScanId,
        second: ScanId,
        reader: &Reader,
    ) -> Result<Comparison, Error> {
        let reader = reader.clone();
        // Permutations take long, so they stay on the blocking thread of the store.
        let compared = self.db().call(move |store| {
            let (Some(before), Some(after)) = (find(store, first, &reader)?, find(store, second, &reader)?)
            else {
                return Ok(None);
            };
            Ok(Some(compare(side(first, &before), side(second, &after))))
        });
        compared.await?.ok_or(Error::NotFound)
    }

    /// Reads scans, oldest first, as one history.
    ///
    /// # Errors
    /// [`Error::NotFound`] when one is unknown, or not for this reader; [`Error::NotOneSeries`]; [`Error::Store`].
    pub async fn series_history(&self, ids: Vec<ScanId>, reader: &Reader) -> Result<History, Error> {
        Ok(self.series_in_words(ids, reader).await?.0)
    }

    /// Reads scans, oldest first, as one history, and says in words what it shows.
    pub async fn series_in_words(
        &self,
        ids: Vec<ScanId>,
        reader: &Reader,
    ) -> Result<(History, SeriesWords), Error> {
        let reader = reader.clone();
        let found = self.db().call(move |store| {
            let found = ids
                .into_iter()
                .map(|id| Ok(find(store, id, &reader)?.map(|result| (id, result))));
            let found: Option<Vec<(ScanId, ScanResult)>> = found.collect::<Result<_, StoreError>>()?;
            Ok(found.map(|scans| {
                let sides = sides(&scans);
                let history = history(&sides)?;
                let changes = history.changes.iter();
                let words = SeriesWords {
                    changes: changes
                        .filter_map(|change| Some((change.since?, of_change(change, &sides))))
                        .collect(),
                    sentences: sentences(&history, &sides),
                };
                Ok((history, words))
            }))
        });
        found.await?.ok_or(Error::NotFound)?.map_err(Error::NotOneSeries)
    }
}

/// Reads a result that the reader may see.
fn find(store: &Store, id: ScanId, reader: &Reader) -> Result<Option<ScanResult>, StoreError> {
    let Some(record) = store.scan(id)?.filter(|record| reader.may_read(&record.origin)) else {
        return Ok(None);
    };
    read_result(&record.reply).map(Some)
}
