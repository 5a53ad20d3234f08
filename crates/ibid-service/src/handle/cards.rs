//! The cards of reports.

use super::service::Service;
use crate::{CardKey, Error};
use bytes::Bytes;
use std::sync::Arc;

impl Service {
    /// Returns a card that was drawn before, if it is still kept. The caller has checked that its reader may see it.
    #[must_use]
    pub fn kept_card(&self, key: CardKey) -> Option<Bytes> {
        self.pictures.cards.get(&key)
    }

    /// Draws a card when its turn comes, and keeps it. Of several that ask for one card at the same time only the first draws. The outer error is that of
    /// waiting, the inner one that of drawing.
    ///
    /// # Errors
    /// [`Error::Overloaded`] where too many pictures wait; [`Error::Ended`].
    pub async fn draw_card<E: Send + 'static>(
        &self,
        key: CardKey,
        draw: impl FnOnce() -> Result<Vec<u8>, E> + Send + 'static,
    ) -> Result<Result<Bytes, E>, Error> {
        let cards = Arc::clone(&self.pictures.cards);
        let draw = move || cards.get_or_insert_with(&key, || draw().map(Bytes::from));
        self.pictures.turns.run(draw).await
    }
}
