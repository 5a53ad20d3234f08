//! What the reader takes: one answer and the data returned with it.

use ibid_model::{Citation, Finish};

/// A model's answer, unprocessed. Everything in it is hostile input.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The text.
    pub text: &'a str,
    /// Sources that came in addition to the text.
    /// Their spans are never used to slice it.
    pub citations: &'a [Citation],
    /// The question.
    /// Its words are no names, and an answer that only restates it cites no name.
    pub question: Option<&'a str>,
    /// The way in which the answer ended.
    pub finish: Finish,
}

impl<'a> Answer<'a> {
    /// A complete answer without sources or a question.
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
