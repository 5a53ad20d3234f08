//! The answers of a fake router.

use serde_json::{Value, json};
use std::time::Duration;

/// Answers in order; the last one is repeated for ever.
#[derive(Clone, Debug)]
pub struct Script {
    replies: Vec<Reply>,
}

impl Script {
    /// The same answer every time.
    #[must_use]
    pub fn always(reply: Reply) -> Self {
        Self { replies: vec![reply] }
    }

    /// One answer after the other.
    ///
    /// # Panics
    /// Without any answer.
    #[must_use]
    pub fn sequence(replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies: Vec<Reply> = replies.into_iter().collect();
        assert!(!replies.is_empty(), "a script needs an answer");
        Self { replies }
    }

    pub(super) fn reply(&self, turn: usize) -> &Reply {
        &self.replies[turn.min(self.replies.len() - 1)]
    }
}

/// One answer of the fake router.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) delay: Duration,
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) content_type: &'static str,
    pub(super) body: Body,
}

/// The way in which the body of an answer is sent.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// All at once.
    Whole(Vec<u8>),
    /// These bytes, then the connection is closed before the end of the body.
    Truncated(Vec<u8>),
    /// These bytes, then the connection is reset.
    Reset(Vec<u8>),
    /// A byte at a time, so often.
    Drip(Vec<u8>, Duration),
    /// Nothing ever comes, not even a status.
    Hang,
    /// So many bytes of JSON white space and a brace.
    Huge(usize),
}

impl Reply {
    /// A plain answer.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::message(json!({"role": "assistant", "content": text}))
    }

    /// An answer with this message, unchecked, from one search.
    #[must_use]
    pub fn message(message: Value) -> Self {
        Self::json(json!({
            "id": "gen-fake",
            "provider": "Fake",
            "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": "stop", "native_finish_reason": "STOP", "message": message}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 22, "total_tokens": 33, "cost": 0.0123,
                "server_tool_use": {"web_search_requests": 1}},
        }))
    }

    /// A 200 with this JSON. A `model` that is missing is filled in with the one asked.
    #[must_use]
    pub fn json(body: Value) -> Self {
        Self::raw(200, "application/json", body.to_string())
    }

    /// An error as OpenRouter writes it, with more members if wanted.
    #[must_use]
    pub fn error(status: u16, more: Value) -> Self {
        Self {
            status,
            ..Self::error_in_200(json!(status), more)
        }
    }

    /// The same with status 200 and any code.
    #[must_use]
    pub fn error_in_200(code: Value, more: Value) -> Self {
        let mut error = json!({"code": code, "message": "made up", "metadata": {"raw": "upstream-secret"}});
        if let (Value::Object(error), Value::Object(more)) = (&mut error, more) {
            error.extend(more);
        }
        Self::json(json!({"error": error, "user_id": "user_account_1"}))
    }

    /// Any bytes.
    #[must_use]
    pub fn raw(status: u16, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            delay: Duration::ZERO,
            status,
            headers: Vec::new(),
            content_type,
            body: Body::Whole(body.into()),
        }
    }

    /// Half an answer, then the end of the connection.
    #[must_use]
    pub fn truncated() -> Self {
        Self::half(Body::Truncated)
    }

    /// Half an answer, then a reset.
    #[must_use]
    pub fn reset() -> Self {
        Self::half(Body::Reset)
    }

    /// A whole answer, a byte at a time.
    #[must_use]
    pub fn drip(every: Duration) -> Self {
        let whole = Self::text("too slow to wait for");
        match whole.body {
            Body::Whole(bytes) => Self {
                body: Body::Drip(bytes, every),
                ..whole
            },
            other => Self { body: other, ..whole },
        }
    }

    /// No answer, ever.
    #[must_use]
    pub fn hang() -> Self {
        Self {
            body: Body::Hang,
            ..Self::text("")
        }
    }

    /// A body of so many bytes.
    #[must_use]
    pub fn huge(bytes: usize) -> Self {
        Self {
            body: Body::Huge(bytes),
            ..Self::text("")
        }
    }

    /// The same, later.
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// The same, with a header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn half(body: impl FnOnce(Vec<u8>) -> Body) -> Self {
        let whole = Self::text("this answer never ends");
        let bytes = match &whole.body {
            Body::Whole(bytes) => bytes[..bytes.len() / 2].to_vec(),
            Body::Truncated(_) | Body::Reset(_) | Body::Drip(..) | Body::Hang | Body::Huge(_) => Vec::new(),
        };
        Self {
            body: body(bytes),
            ..whole
        }
    }
}
