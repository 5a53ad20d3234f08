//! Draws and keeps cards of reports.

use crate::error::Error;
use crate::handle::scans::Scans;
use crate::pictures::CardKey;
use bytes::Bytes;

impl Scans {
    /// Returns an earlier card, if it is still kept.
    /// The caller has checked the reader's access.
    pub fn kept_card(&self, key: CardKey) -> Option<Bytes> {
        self.pictures.cards.get(&key)
    }

    /// Draws a card when its turn comes, and keeps it. Of several simultaneous requests for one card
    /// only the first draws.
    /// The outer error is from waiting, the inner one from drawing.
    ///
    /// # Errors
    /// [`Error::Overloaded`] where too many pictures wait; [`Error::Ended`].
    pub async fn draw_card<E: Send + 'static>(
        &self,
        key: CardKey,
        draw: impl FnOnce() -> Result<Vec<u8>, E> + Send + 'static,
    ) -> Result<Result<Bytes, E>, Error> {
        // Requests that wait for the same card take no turn.
        let drawn = self.pictures.cards.get_or_insert_async(&key, async {
            let drawn = self.pictures.blocking.run(draw).await.map_err(Err)?;
            drawn.map(Bytes::from).map_err(Ok)
        });
        match drawn.await {
            Ok(card) => Ok(Ok(card)),
            Err(Ok(of_drawing)) => Ok(Err(of_drawing)),
            Err(Err(of_waiting)) => Err(of_waiting),
        }
    }
}
