//! The port for providers of captures: what an interface that people use, such as ChatGPT, shows for a question.
//!
//! Captures are never mixed with answers of models over an API: the service stores them as imports of the stratum `interface`. The
//! port knows no project; what a capture costs, and whether it may be asked for, is decided before.

mod http;
mod sandbox;

pub use http::HttpCaptures;
pub use sandbox::SandboxCaptures;

use ibid_model::{Domain, UsdMicros};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::str::FromStr;
use std::sync::Arc;

/// A boxed future, written out so that the port stays object safe.
pub type CaptureFuture<'a> = Pin<Box<dyn Future<Output = Result<Capture, CaptureError>> + Send + 'a>>;

/// Asks interfaces that people use.
///
/// The same id is the same capture, however often it is asked for: the provider makes it and bills it once. So nothing but the
/// question has to be stored, and a call is repeated until it is no longer [`Capture::Pending`].
/// An implementation bounds the time and the size of every call.
pub trait CaptureProvider: Send + Sync + 'static {
    /// Asks for a capture, or for the state of one that was asked for before.
    fn capture<'a>(&'a self, id: &'a str, question: &'a CaptureQuestion) -> CaptureFuture<'a>;

    /// The name that is kept beside each answer.
    fn name(&self) -> &str;
}

/// A question to an interface.
#[derive(Clone, Debug)]
pub struct CaptureQuestion {
    pub text: String,
    pub interface: Interface,
    /// The country that it is asked from.
    pub country: Country,
    /// The website that is looked for. Only the sandbox reads it.
    pub website: Domain,
}

/// The state of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Capture {
    /// The interface showed an answer.
    Done {
        answer: String,
        /// The addresses that it cites.
        cited: Vec<String>,
    },
    /// It is not there yet.
    Pending,
    /// There will be none, and it costs nothing. The text says why.
    Failed(String),
}

/// The reason why the state of a capture is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaptureError {
    /// The provider refuses the key or has no credit for it, or the rules of this server refuse its address.
    #[error("the provider of captures refuses: {0}")]
    Refused(String),
    /// No complete answer came, also after repeated calls.
    #[error("the provider of captures does not answer: {0}")]
    Silent(String),
}

/// An interface that people use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    ChatGpt,
    /// AI Overviews of Google Search.
    AiOverview,
    /// AI Mode of Google Search.
    AiMode,
    /// Microsoft Copilot.
    Copilot,
    Gemini,
    Perplexity,
}

impl Interface {
    /// Every interface.
    pub const ALL: [Self; 6] = [
        Self::ChatGpt,
        Self::AiOverview,
        Self::AiMode,
        Self::Copilot,
        Self::Gemini,
        Self::Perplexity,
    ];

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ChatGpt => "chatgpt",
            Self::AiOverview => "ai_overview",
            Self::AiMode => "ai_mode",
            Self::Copilot => "copilot",
            Self::Gemini => "gemini",
            Self::Perplexity => "perplexity",
        }
    }

    /// Its name on pages, and the source of its answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ChatGpt => "ChatGPT",
            Self::AiOverview => "AI Overviews",
            Self::AiMode => "AI Mode",
            Self::Copilot => "Copilot",
            Self::Gemini => "Gemini",
            Self::Perplexity => "Perplexity",
        }
    }
}

/// A country, as two capital letters (ISO 3166-1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Country(String);

impl Country {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Country {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            true => Ok(Self(text.to_ascii_uppercase())),
            false => Err(()),
        }
    }
}

/// A provider of captures, and what one costs.
#[derive(Clone)]
pub struct CaptureTerms {
    pub provider: Arc<dyn CaptureProvider>,
    /// The price of a capture that has an answer.
    pub price: UsdMicros,
}

impl fmt::Debug for CaptureTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CaptureTerms")
            .field("provider", &self.provider.name())
            .field("price", &self.price)
            .finish()
    }
}
