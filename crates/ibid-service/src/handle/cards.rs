//! The cards of reports.

use super::service::Service;
use crate::{CardKey, Error};
use bytes::Bytes;

impl Service {
    /// Returns a card that was drawn before, if it is still kept. The caller has checked that its reader may see it.
    #[must_use]
    pub fn kept_card(&self, key: CardKey) -> Option<Bytes> {
        self.pictures.cards.get(&key)
    }

    /// Draws a card when its turn comes, and keeps it. The outer error is that of waiting, the inner one that of drawing.
    ///
    /// # Errors
    /// [`Error::Overloaded`] where too many pictures wait; [`Error::Ended`].
    pub async fn draw_card<E: Send + 'static>(
        &self,
        key: CardKey,
        draw: impl FnOnce() -> Result<Vec<u8>, E> + Send + 'static,
    ) -> Result<Result<Bytes, E>, Error> {
        let drawn = self.pictures.turns.run(draw).await?.map(Bytes::from);
        if let Ok(card) = &drawn {
            self.pictures.cards.insert(key, card.clone());
        }
        Ok(drawn)
    }
}
