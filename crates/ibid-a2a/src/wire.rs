//! Writes the protocol in its versions, over one task core.
//!
//! Tasks, messages and decisions have no version.
//! A [`Wire`] reads calls in its form and writes answers in its form.

pub(crate) mod error;
mod http;
pub(crate) mod v1;

use crate::answer::AnswerBody;
use crate::error::CallError;
use crate::push::PushView;
use crate::view::{TaskView, Update};
use serde_json::{Value, json};

/// A form of the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wire {
    /// A2A 0.2 and 0.3 over JSON-RPC: members `kind` and `final`.
    #[default]
    Rpc03,
    /// A2A 1.0 over JSON-RPC: enumerations in capitals, results in a wrapper.
    Rpc10,
    /// A2A 1.0 over HTTP and JSON: the objects of [`Self::Rpc10`] without an envelope.
    Http10,
}

impl Wire {
    /// Returns the form of a JSON-RPC request by its header `A2A-Version`.
    /// A client without the header speaks 0.3. The patch number is ignored.
    ///
    /// # Errors
    /// Another version.
    pub fn of_rpc(version: Option<&str>) -> Result<Self, CallError> {
        match minor(version.unwrap_or_default()) {
            "" | "0.3" => Ok(Self::Rpc03),
            "1.0" => Ok(Self::Rpc10),
            _ => Err(CallError::Version),
        }
    }

    /// Returns the form of a request over HTTP and JSON. That interface requires a header with version 1.0.
    ///
    /// # Errors
    /// The header has another version, or is missing, which means 0.3.
    pub fn of_http(version: Option<&str>) -> Result<Self, CallError> {
        match minor(version.unwrap_or_default()) {
            "1.0" => Ok(Self::Http10),
            _ => Err(CallError::Version),
        }
    }

    /// Whether the objects are those of 1.0.
    pub const fn is_v1(self) -> bool {
        match self {
            Self::Rpc03 => false,
            Self::Rpc10 | Self::Http10 => true,
        }
    }

    /// Returns how notifications about a task are named here, such as `task.1.0`.
    /// They are written by [`Self::sent`].
    pub const fn notice(self) -> &'static str {
        match self {
            Self::Rpc03 => "task.0.3",
            Self::Rpc10 | Self::Http10 => "task.1.0",
        }
    }

    /// The answer to a message.
    pub fn sent(self, view: &TaskView<'_>) -> AnswerBody {
        match self {
            Self::Rpc03 => AnswerBody::result(view),
            Self::Rpc10 | Self::Http10 => AnswerBody::result(&v1::Payload::Task(v1::Task(view))),
        }
    }

    /// A task by itself, as `GetTask` and `CancelTask` answer.
    pub fn task(self, view: &TaskView<'_>) -> AnswerBody {
        match self {
            Self::Rpc03 => AnswerBody::result(view),
            Self::Rpc10 | Self::Http10 => AnswerBody::result(&v1::Task(view)),
        }
    }

    /// A change as an event of a stream.
    pub fn update(self, update: &Update<'_>) -> AnswerBody {
        match self {
            Self::Rpc03 => AnswerBody::result(update),
            Self::Rpc10 | Self::Http10 => AnswerBody::result(&v1::Payload::of(update)),
        }
    }

    /// A failed call.
    pub fn error(self, error: &CallError) -> AnswerBody {
        match self {
            Self::Rpc03 => AnswerBody::error(error),
            Self::Rpc10 => AnswerBody::failure(&error::rpc(error), 200),
            Self::Http10 => {
                let status = error::http_status(error);
                AnswerBody::failure(&error::http(error, status), status)
            }
        }
    }

    /// A push notification configuration, without its secrets.
    pub fn push_config(self, config: &PushView<'_>) -> AnswerBody {
        AnswerBody::result(&self.push_value(config))
    }

    /// The push notification configurations of a task.
    pub fn push_configs(self, configs: &[PushView<'_>]) -> AnswerBody {
        let configs: Vec<_> = configs.iter().map(|config| self.push_value(config)).collect();
        match self.is_v1() {
            false => AnswerBody::result(&configs),
            true => AnswerBody::result(&json!({"configs": configs, "nextPageToken": ""})),
        }
    }

    /// The answer to a deletion.
    pub fn deleted(self) -> AnswerBody {
        AnswerBody::result(&match self.is_v1() {
            false => Value::Null,
            true => json!({}),
        })
    }

    fn push_value(self, config: &PushView<'_>) -> Value {
        let PushView { task, id, url } = config;
        match self.is_v1() {
            false => json!({"taskId": task, "pushNotificationConfig": {"id": id, "url": url}}),
            true => json!({"taskId": task, "id": id, "url": url}),
        }
    }

    /// Returns an anonymous caller's tasks, of which there are never any.
    pub fn no_tasks(self, page_size: u64) -> AnswerBody {
        AnswerBody::result(&json!({
            "tasks": [], "nextPageToken": "", "pageSize": page_size, "totalSize": 0
        }))
    }
}

/// The version without its patch number.
fn minor(version: &str) -> &str {
    let version = version.trim();
    match version.match_indices('.').nth(1) {
        Some((dot, _)) if version[dot + 1..].bytes().all(|byte| byte.is_ascii_digit()) => &version[..dot],
        Some(_) | None => version,
    }
}

#[cfg(test)]
mod tests;
