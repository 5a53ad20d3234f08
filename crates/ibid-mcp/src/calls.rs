//! Calls in progress. Over HTTP a cancellation is a separate message, which finds its call by name.

use crate::caller::McpCaller;
use http::HeaderMap;
use ibid_service::CallerId;
use rmcp::model::RequestId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// The header with the id of a client's session.
pub(crate) const SESSION: &str = "mcp-session-id";

/// Names a call. Ids of requests are unique within a session, and a session is valid only for its own caller.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallName {
    caller: CallerId,
    /// `None` for a client that sends no session id.
    session: Option<Vec<u8>>,
    request: RequestId,
}

impl CallName {
    /// Names a call; `None` without a service key, because a cancellation does not stop a bought scan.
    pub(crate) fn of(caller: &McpCaller, headers: &HeaderMap, request: RequestId) -> Option<Self> {
        let session = headers.get(SESSION).map(|id| id.as_bytes().to_vec());
        Some(Self {
            caller: caller.holder()?.clone(),
            session,
            request,
        })
    }
}

/// The calls that this process is answering. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls(Arc<Mutex<HashMap<CallName, CancellationToken>>>);

impl Calls {
    /// Registers a call until the guard is dropped. Of two calls with the same name, the name cancels only the first.
    pub(crate) fn note(&self, name: CallName, token: CancellationToken) -> Option<NotedCall> {
        let mut calls = self.lock();
        if calls.contains_key(&name) {
            return None;
        }
        calls.insert(name.clone(), token);
        let calls = self.clone();
        Some(NotedCall { calls, name })
    }

    /// Cancels a call. An unknown call has ended, or another process answers it.
    pub(crate) fn cancel(&self, name: &CallName) {
        if let Some(token) = self.lock().get(name) {
            token.cancel();
        }
    }

    /// The calls. Each change is one assignment, so the lock of a holder that panicked may be taken over.
    fn lock(&self) -> MutexGuard<'_, HashMap<CallName, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that can be cancelled.
pub(crate) struct NotedCall {
    calls: Calls,
    name: CallName,
}

impl Drop for NotedCall {
    fn drop(&mut self) {
        self.calls.lock().remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(session: Option<&'static str>, request: i64) -> CallName {
        let caller = McpCaller::Holder {
            id: CallerId::api(),
            key: None,
        };
        let session = session.map(|id| {
            (
                http::HeaderName::from_static(SESSION),
                http::HeaderValue::from_static(id),
            )
        });
        CallName::of(
            &caller,
            &session.into_iter().collect(),
            RequestId::Number(request),
        )
        .unwrap()
    }

    #[test]
    fn a_cancellation_meets_the_call_of_its_session_and_request() {
        let calls = Calls::default();
        let token = CancellationToken::new();
        let noted = calls.note(name(Some("a"), 1), token.clone()).unwrap();
        for other in [name(Some("b"), 1), name(None, 1), name(Some("a"), 2)] {
            calls.cancel(&other);
            assert!(!token.is_cancelled(), "{other:?}");
        }
        let twin = CancellationToken::new();
        assert!(calls.note(name(Some("a"), 1), twin.clone()).is_none());
        calls.cancel(&name(Some("a"), 1));
        assert_eq!((token.is_cancelled(), twin.is_cancelled()), (true, false));
        drop(noted);
        assert!(calls.lock().is_empty());
    }

    #[test]
    fn calls_of_buyers_have_no_name() {
        let buyer = McpCaller::Anonymous(None);
        assert_eq!(
            CallName::of(&buyer, &HeaderMap::new(), RequestId::Number(1)),
            None
        );
    }
}
