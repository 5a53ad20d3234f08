//! What answers have in every dialect, and their bounds.

use crate::completion::{Completion, TokenUsage};
use crate::error::ProviderError;
use crate::router::retrieval::{Asked, Evidence};
use crate::router::verdict::{Again, Outcome, fail};
use ibid_model::{Citation, Finish};

/// Longest text kept of an answer, in bytes.
pub(super) const LONGEST_TEXT: usize = 256 * 1024;

/// An answer as its dialect states it.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub(super) text: String,
    /// How the model refused, if separate from the text.
    pub(super) refusal: Option<String>,
    pub(super) finish: Finish,
    pub(super) citations: Vec<Citation>,
    pub(super) model: Option<String>,
    pub(super) usage: TokenUsage,
    pub(super) evidence: Evidence,
    /// It ended in a call of a tool, which nobody carries out.
    pub(super) in_tool: bool,
    /// The turn so far, where the vendor paused it and goes on when it is sent back.
    pub(super) resume: Option<serde_json::Value>,
}

impl Parts {
    /// Judges the parts: an answer if they have text, otherwise an error.
    pub(super) fn outcome(mut self, asked: Asked) -> Outcome {
        if self.text.trim().is_empty() {
            self.text = self.refusal.unwrap_or_default();
        }
        if self.text.trim().is_empty() && self.resume.is_none() {
            // Where all tokens went into reasoning, another attempt would have the same cost and end.
            let again = match self.finish {
                Finish::Truncated => Again::Never,
                Finish::Refused | Finish::Complete => Again::Once,
            };
            return fail(ProviderError::Empty, again);
        }
        if self.in_tool && self.finish == Finish::Complete {
            self.finish = Finish::Truncated;
        }
        if self.text.len() > LONGEST_TEXT {
            self.text.truncate(self.text.floor_char_boundary(LONGEST_TEXT));
            // Spare memory is freed, because the answer lives until the scan ends.
            self.text.shrink_to_fit();
            if self.finish == Finish::Complete {
                self.finish = Finish::Truncated;
            }
        }
        let usable =
            |model: &String| !model.is_empty() && model.len() <= 256 && !model.chars().any(char::is_control);
        Outcome::Answered(Completion {
            retrieval: asked.classify(self.evidence),
            text: self.text,
            citations: self.citations,
            model: self.model.filter(usable),
            finish: self.finish,
            usage: self.usage,
            resume: self.resume,
        })
    }
}
