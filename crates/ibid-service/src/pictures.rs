//! Pictures are read and drawn away from the threads of connections, few at a time.

use crate::Error;
use crate::handle::service::Service;
use crate::turns::Turns;
use bytes::Bytes;
use ibid_model::ScanId;
use ibid_store::Millis;
use quick_cache::sync::Cache;

/// Pictures at a time. Each takes at most some 40 MiB and 100 ms of a core.
const AT_ONCE: usize = 2;
/// Pictures that wait for their turn.
const MOST_WAITING: usize = 16;
/// Cards that are kept. Each has some 40 KB.
const CARDS: usize = 64;

/// The facts that a card depends on: a report never changes, its owner's title and logo do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CardKey {
    /// The scan.
    pub scan: ScanId,
    /// The latest change of the title and the logo; `None` without both.
    pub brand: Option<Millis>,
}

/// Reads and draws pictures, and keeps the latest cards.
#[derive(Debug)]
pub(crate) struct Pictures {
    pub(crate) turns: Turns,
    cards: Cache<CardKey, Bytes>,
}

impl Default for Pictures {
    fn default() -> Self {
        Self {
            turns: Turns::new(AT_ONCE, MOST_WAITING),
            cards: Cache::new(CARDS),
        }
    }
}

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
