//! Whether a model searches when it is asked to.

use super::World;
use super::answer::question_dice;
use crate::prompt::{Prompt, WebSearch};

/// The habit of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Habit {
    /// It does what it is asked.
    Obeys,
    /// It never searches.
    Never,
    /// Searches in this share of its calls, unless forced.
    Unforced(f64),
    /// It searches in this share of its calls, forced or not.
    Stubborn(f64),
}

impl Habit {
    /// The habit of a model identifier.
    pub(super) fn of(model: &str) -> Self {
        match model {
            "sandbox/never-searches" => Self::Never,
            "sandbox/searches-70" => Self::Unforced(0.7),
            "sandbox/ignores-forcing" => Self::Stubborn(0.7),
            _ => Self::Obeys,
        }
    }

    /// Whether a model with this habit searches for an answer.
    pub(super) fn searches(self, world: World, prompt: &Prompt) -> bool {
        match prompt.search {
            WebSearch::Off => return false,
            WebSearch::Builtin => return true,
            WebSearch::Tool => {}
        }
        let purpose = if prompt.force_search {
            "search again"
        } else {
            "search"
        };
        let drawn = |share| question_dice(world.seed, purpose, prompt).chance(share);
        match self {
            Self::Obeys => true,
            Self::Never => false,
            Self::Unforced(share) => prompt.force_search || drawn(share),
            Self::Stubborn(share) => drawn(share),
        }
    }
}
