//! The input of the reader: one answer and what came with it.

use ibid_model::{Citation, Finish};

/// One answer of a model, as it came. Everything in it is hostile input.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The text.
    pub text: &'a str,
    /// Sources that came beside the text. Their spans are never used to slice it.
    pub citations: &'a [Citation],
    /// The question; its words are no names, and an answer that restates it cites no name by doing so.
    pub question: Option<&'a str>,
    /// The way in which the answer ended.
    pub finish: Finish,
}

impl<'a> Answer<'a> {
    /// A complete answer with nothing beside it.
    #[must_use]
    pub const fn of_text(text: &'a str) -> Self {
        Self {
            text,
            citations: &[],
            question: None,
            finish: Finish::Complete,
        }
    }

    /// The answer that a provider returned for a question.
    #[cfg(feature = "scan")]
    #[must_use]
    pub fn of(completion: &'a ibid_provider::Completion, question: &'a str) -> Self {
        Self {
            text: &completion.text,
            citations: &completion.citations,
            question: Some(question),
            finish: completion.finish,
        }
    }
}
