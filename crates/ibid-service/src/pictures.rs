//! Pictures are read and drawn away from the threads of connections, few at a time.

use crate::turns::Turns;

/// Pictures at a time. Each takes at most some 40 MiB and 100 ms of a core.
const AT_ONCE: usize = 2;
/// Pictures that wait for their turn.
const MOST_WAITING: usize = 16;

/// Reads and draws pictures.
#[derive(Debug)]
pub(crate) struct Pictures {
    pub(crate) turns: Turns,
}

impl Default for Pictures {
    fn default() -> Self {
        Self {
            turns: Turns::new(AT_ONCE, MOST_WAITING),
        }
    }
}
