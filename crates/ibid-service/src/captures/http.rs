//! The adapter over HTTP. docs/FIRST-PARTY.md has its protocol: one `PUT` that can be repeated.

use super::{Capture, CaptureError, CaptureFuture, CaptureProvider, CaptureQuestion};
use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use ibid_audit::fetch::{FetchError, Messenger};
use ibid_provider::ProviderKey;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;
use tokio::time::sleep;
use url::Url;

/// Most bytes of an answer: four times those of the longest text that is kept. Half of it still holds one with its sources.
const MOST_BYTES: usize = 1 << 20;
/// The waits before the second and the third call. Twice as long would use up the time of a request of a caller.
const WAITS: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(1)];
/// The longest wait that a provider may ask for. After a longer one the capture is asked for by a later request.
const LONGEST_WAIT: Duration = Duration::from_secs(3);
/// Most characters of a reason that are kept.
const LONGEST_REASON: usize = 200;

/// A provider of captures behind HTTP.
pub struct HttpCaptures {
    messenger: Messenger,
    base: String,
    authorization: HeaderValue,
    name: String,
}

impl HttpCaptures {
    /// A provider at an address. Its calls go through `messenger`, whose rules refuse addresses of inner networks.
    ///
    /// # Errors
    /// [`FetchError::Refused`] if the rules refuse the address itself.
    pub fn new(messenger: Messenger, base: &Url, key: &ProviderKey) -> Result<Self, FetchError> {
        messenger.judge(base.as_str())?;
        let mut authorization = HeaderValue::try_from(format!("Bearer {}", key.expose()))
            .map_err(|_| FetchError::Failed(ibid_audit::fetch::FetchFailure::Internal))?;
        authorization.set_sensitive(true);
        Ok(Self {
            messenger,
            base: base.as_str().trim_end_matches('/').to_owned(),
            authorization,
            name: base.host_str().unwrap_or_default().to_owned(),
        })
    }

    async fn call(&self, id: &str, question: &CaptureQuestion) -> Result<Capture, CaptureError> {
        let body = json!({
            "question": question.text,
            "interface": question.interface.as_str(),
            "country": question.country.as_str(),
        });
        let mut waits = WAITS.into_iter();
        loop {
            let request = Request::builder()
                .method(Method::PUT)
                .uri(format!("{}/captures/{id}", self.base))
                .header(AUTHORIZATION, self.authorization.clone())
                .header(CONTENT_TYPE, "application/json")
                .body(body.to_string().into_bytes())
                .map_err(|error| CaptureError::Refused(error.to_string()))?;
            let (why, asked_wait) = match self.messenger.exchange(request, MOST_BYTES).await {
                Ok(answer) => match read(&answer) {
                    Read::State(capture) => return Ok(capture),
                    Read::Refused(why) => return Err(CaptureError::Refused(why)),
                    Read::Later(why) => (why, retry_after(&answer)),
                },
                Err(error @ FetchError::Failed(_)) => (error.to_string(), None),
                Err(error) => return Err(CaptureError::Refused(error.to_string())),
            };
            match waits.next() {
                Some(wait) if asked_wait.is_none_or(|asked| asked <= LONGEST_WAIT) => {
                    sleep(asked_wait.unwrap_or(wait)).await;
                }
                _ => return Err(CaptureError::Silent(why)),
            }
        }
    }
}

impl CaptureProvider for HttpCaptures {
    fn capture<'a>(&'a self, id: &'a str, question: &'a CaptureQuestion) -> CaptureFuture<'a> {
        Box::pin(self.call(id, question))
    }

    fn name(&self) -> &str {
        &self.name
    }
}

/// What an answer means.
enum Read {
    State(Capture),
    Refused(String),
    Later(String),
}

/// The body of an answer.
#[derive(Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
enum Body {
    Done {
        answer: String,
        #[serde(default, rename = "citedUrls")]
        cited_urls: Vec<String>,
    },
    Pending,
    Failed {
        #[serde(default)]
        reason: String,
    },
}

fn read(answer: &Response<Vec<u8>>) -> Read {
    let status = answer.status();
    let named = || format!("status {}", status.as_u16());
    match status {
        StatusCode::OK | StatusCode::ACCEPTED => match serde_json::from_slice(answer.body()) {
            Ok(Body::Done { answer, cited_urls }) => Read::State(Capture::Done {
                answer,
                cited: cited_urls,
            }),
            Ok(Body::Pending) => Read::State(Capture::Pending),
            Ok(Body::Failed { reason }) => Read::State(Capture::Failed(short(&reason))),
            Err(_) => Read::State(Capture::Failed("the answer has another form".to_owned())),
        },
        StatusCode::UNAUTHORIZED | StatusCode::PAYMENT_REQUIRED | StatusCode::FORBIDDEN => {
            Read::Refused(named())
        }
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => Read::Later(named()),
        status if status.is_client_error() => Read::State(Capture::Failed(named())),
        _ => Read::Later(named()),
    }
}

/// The first characters of a reason, without control characters.
fn short(reason: &str) -> String {
    let visible = reason.chars().filter(|character| !character.is_control());
    visible.take(LONGEST_REASON).collect()
}

/// The wait that an answer asks for, in seconds.
fn retry_after(answer: &Response<Vec<u8>>) -> Option<Duration> {
    let value = answer.headers().get(RETRY_AFTER)?.to_str().ok()?;
    value.trim().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_by_status_and_form() {
        let read = |status: u16, body: &str| {
            let mut answer = Response::new(body.as_bytes().to_vec());
            *answer.status_mut() = StatusCode::from_u16(status).unwrap();
            match read(&answer) {
                Read::State(Capture::Done { answer, cited }) => format!("done {answer} {}", cited.join(" ")),
                Read::State(Capture::Pending) => "pending".to_owned(),
                Read::State(Capture::Failed(why)) => format!("failed {why}"),
                Read::Refused(why) => format!("refused {why}"),
                Read::Later(why) => format!("later {why}"),
            }
        };
        let done = r#"{"state": "done", "answer": "A", "citedUrls": ["https://a.example/"], "more": 1}"#;
        assert_eq!(read(200, done), "done A https://a.example/");
        assert_eq!(read(202, r#"{"state": "pending"}"#), "pending");
        assert_eq!(read(200, r#"{"state": "failed", "reason": "a\nb"}"#), "failed ab");
        for body in ["", "[]", r#"{"state": "done"}"#, r#"{"state": "other"}"#, "\u{0}"] {
            assert_eq!(read(200, body), "failed the answer has another form", "{body}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(read(200, &deep), "failed the answer has another form");
        assert_eq!(read(401, done), "refused status 401");
        assert_eq!(read(422, done), "failed status 422");
        for status in [302, 408, 429, 500, 503] {
            assert_eq!(read(status, done), format!("later status {status}"));
        }
    }
}
