//! Push notifications: the configurations of clients, and the calls about them.
//!
//! A configuration names an address that gets the task after each change.
//! Its token and credentials are sent with the task.
//! Both are secrets of the client: no answer shows them.

use crate::error::CallError;
use crate::limits::{MAX_ID, MAX_PUSH_SECRET, MAX_PUSH_URL};
use crate::params::{NamedTask, finish, task_id};
use crate::read::{Findings, Members, Place};
use ibid_model::{FaultCode, TaskId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;

/// A configuration as a client gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushConfig {
    /// Its id within the task, if the client chose one.
    pub id: Option<String>,
    /// Where notifications go.
    pub url: String,
    /// The secrets that come back with each notification.
    pub secrets: PushSecrets,
    /// Where in the parameters the configuration is, as a JSON pointer.
    pub at: &'static str,
}

/// Secrets that notifications carry. Their `Debug` is silent.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushSecrets {
    /// Sent as `X-A2A-Notification-Token`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Sent as `Authorization`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization: Option<String>,
}

impl PushSecrets {
    /// Whether there is neither a token nor an authorization.
    pub const fn is_empty(&self) -> bool {
        self.token.is_none() && self.authorization.is_none()
    }
}

impl fmt::Debug for PushSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PushSecrets(..)")
    }
}

/// A call about the configurations of a task.
#[derive(Debug)]
pub enum PushCall {
    /// Stores a configuration, or replaces the one with its id.
    Set {
        /// The task.
        task: TaskId,
        /// The configuration.
        config: PushConfig,
    },
    /// Shows a configuration.
    Get {
        /// The task.
        task: TaskId,
        /// Its id; `None` for the one without an id.
        id: Option<String>,
    },
    /// Shows all configurations.
    List(TaskId),
    /// Deletes a configuration.
    Delete {
        /// The task.
        task: TaskId,
        /// Its id.
        id: String,
    },
}

/// A configuration as an answer shows it.
#[derive(Clone, Copy, Debug)]
pub struct PushView<'a> {
    /// The task.
    pub task: TaskId,
    /// The id.
    pub id: &'a str,
    /// The address.
    pub url: &'a str,
}

/// Member that holds a configuration in 0.2 and 0.3.
const NESTED: &str = "pushNotificationConfig";

impl PushCall {
    /// Reads the parameters of `tasks/pushNotificationConfig/set`.
    pub(crate) fn set(params: Map<String, Value>) -> Result<Self, CallError> {
        let mut findings = Findings::default();
        let mut members = Members::new(params, Place::Params, &mut findings);
        let task = task_id(&mut members, "taskId");
        let config = members.required_object(NESTED);
        let config =
            config.and_then(|config| read(config, PushForm::V03, "/pushNotificationConfig", &mut findings));
        Self::of(findings, task, config, |task, config| Self::Set { task, config })
    }

    /// Reads the parameters of `tasks/pushNotificationConfig/get`.
    pub(crate) fn get(params: Map<String, Value>) -> Result<Self, CallError> {
        let mut findings = Findings::default();
        let mut members = Members::new(params, Place::Params, &mut findings);
        let task = task_id(&mut members, "id");
        let id = members.text("pushNotificationConfigId", MAX_ID);
        Self::of(findings, task, Some(id), |task, id| Self::Get { task, id })
    }

    /// Reads the parameters of `tasks/pushNotificationConfig/delete`.
    pub(crate) fn delete(params: Map<String, Value>) -> Result<Self, CallError> {
        let mut findings = Findings::default();
        let mut members = Members::new(params, Place::Params, &mut findings);
        let task = task_id(&mut members, "id");
        let id = members.required_text("pushNotificationConfigId", MAX_ID);
        Self::of(findings, task, id, |task, id| Self::Delete { task, id })
    }

    /// Reads the parameters of `CreateTaskPushNotificationConfig`.
    pub(crate) fn create_v1(mut params: Map<String, Value>) -> Result<Self, CallError> {
        let mut findings = Findings::default();
        let task = params.remove_entry("taskId").into_iter().collect();
        let task = task_id(&mut Members::new(task, Place::Params, &mut findings), "taskId");
        let config = read(params, PushForm::V10, "", &mut findings);
        Self::of(findings, task, config, |task, config| Self::Set { task, config })
    }

    /// Reads the parameters of `GetTaskPushNotificationConfig`.
    pub(crate) fn get_v1(params: Map<String, Value>) -> Result<Self, CallError> {
        Self::named_v1(params, |task, id| Self::Get { task, id: Some(id) })
    }

    /// Reads the parameters of `DeleteTaskPushNotificationConfig`.
    pub(crate) fn delete_v1(params: Map<String, Value>) -> Result<Self, CallError> {
        Self::named_v1(params, |task, id| Self::Delete { task, id })
    }

    /// Reads the parameters of `ListTaskPushNotificationConfigs`.
    /// A task has few, so there are no pages.
    pub(crate) fn list_v1(params: Map<String, Value>) -> Result<Self, CallError> {
        let mut findings = Findings::default();
        let mut members = Members::new(params, Place::Params, &mut findings);
        let task = task_id(&mut members, "taskId");
        let _ = members.count("pageSize");
        let _ = members.text("pageToken", MAX_ID);
        finish(findings, task).map(Self::List)
    }

    fn named_v1(
        params: Map<String, Value>,
        call: impl FnOnce(TaskId, String) -> Self,
    ) -> Result<Self, CallError> {
        let mut findings = Findings::default();
        let mut members = Members::new(params, Place::Params, &mut findings);
        let task = task_id(&mut members, "taskId");
        let id = members.required_text("id", MAX_ID);
        Self::of(findings, task, id, call)
    }

    fn of<T>(
        findings: Findings,
        task: Option<NamedTask>,
        part: Option<T>,
        call: impl FnOnce(TaskId, T) -> Self,
    ) -> Result<Self, CallError> {
        let task = finish(findings, task)?;
        // Without findings every part was read.
        part.map(|part| call(task, part)).ok_or(CallError::Internal)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PushForm {
    /// Of 0.2 and 0.3: several schemes.
    V03,
    /// Of 1.0: one scheme.
    V10,
}

/// Reads a configuration; `None` if it has faults.
pub(crate) fn read(
    config: Map<String, Value>,
    form: PushForm,
    at: &'static str,
    findings: &mut Findings,
) -> Option<PushConfig> {
    let mut members = Members::new(config, Place::Push(at), findings);
    let id = members.text("id", MAX_ID).filter(|id| !id.is_empty());
    let url = members.required_text("url", MAX_PUSH_URL);
    let token = secret(&mut members, "token");
    let authentication = members.object("authentication").unwrap_or_default();
    let authorization = match authentication.is_empty() {
        true => None,
        false => authorization(authentication, form, at, findings),
    };
    Some(PushConfig {
        id,
        url: url?,
        secrets: PushSecrets { token, authorization },
        at,
    })
}

/// Returns what `Authorization` says; `None` where the client gave no credentials.
fn authorization(
    members: Map<String, Value>,
    form: PushForm,
    at: &'static str,
    findings: &mut Findings,
) -> Option<String> {
    let mut members = Members::new(members, Place::PushAuthentication(at), findings);
    let (name, scheme) = match form {
        PushForm::V03 => ("schemes", members.texts("schemes", 8, MAX_ID).into_iter().next()),
        PushForm::V10 => (
            "scheme",
            members.text("scheme", MAX_ID).filter(|scheme| !scheme.is_empty()),
        ),
    };
    let credentials = secret(&mut members, "credentials");
    let Some(scheme) = scheme else {
        members.fault(name, FaultCode::Required, format!("{name} is required"));
        return None;
    };
    if !scheme
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    {
        members.fault(
            name,
            FaultCode::Invalid,
            format!("{name} must be the name of an HTTP authentication scheme"),
        );
        return None;
    }
    credentials.map(|credentials| format!("{scheme} {credentials}"))
}

/// A text that goes into a header.
fn secret(members: &mut Members<'_>, name: &str) -> Option<String> {
    let text = members
        .text(name, MAX_PUSH_SECRET)
        .filter(|text| !text.is_empty())?;
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && text.trim() == text {
        return Some(text);
    }
    let message = format!("{name} must have visible ASCII characters only");
    members.fault(name, FaultCode::Invalid, message);
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(
        call: fn(Map<String, Value>) -> Result<PushCall, CallError>,
        params: &Value,
    ) -> Result<PushCall, CallError> {
        call(params.as_object().unwrap().clone())
    }

    fn fields(error: &CallError) -> Vec<String> {
        let CallError::InvalidParams(bad) = error else {
            panic!("{error:?}")
        };
        bad.faults.iter().map(|fault| fault.field.clone()).collect()
    }

    #[test]
    fn both_forms_are_read() {
        let task = TaskId::random();
        let old = json!({"taskId": task, "pushNotificationConfig": {"id": "mine", "url": "https://a.example/", "token": "t",
            "authentication": {"schemes": ["Bearer", "Basic"], "credentials": "c d"}}});
        let new = json!({"taskId": task, "id": "mine", "url": "https://a.example/", "token": "t",
            "authentication": {"scheme": "Bearer", "credentials": "c d"}, "tenant": ""});
        let read = [parse(PushCall::set, &old), parse(PushCall::create_v1, &new)].map(|call| match call {
            Ok(PushCall::Set { task: found, config }) if found == task => config,
            other => panic!("{other:?}"),
        });
        for config in &read {
            assert_eq!(
                (config.id.as_deref(), config.url.as_str()),
                (Some("mine"), "https://a.example/")
            );
            assert_eq!(config.secrets.token.as_deref(), Some("t"));
            assert_eq!(config.secrets.authorization.as_deref(), Some("Bearer c d"));
            assert!(!format!("{config:?}").contains("c d"));
        }
        assert_eq!([read[0].at, read[1].at], ["/pushNotificationConfig", ""]);
    }

    #[test]
    fn every_fault_is_found_and_secrets_are_header_values() {
        let task = TaskId::random();
        let bad =
            json!({"taskId": task, "token": "a\r\nX-Other: b", "authentication": {"credentials": "\u{e9}"}});
        assert_eq!(
            fields(&parse(PushCall::create_v1, &bad).unwrap_err()),
            [
                "/url",
                "/token",
                "/authentication/credentials",
                "/authentication/scheme"
            ]
        );
        let bad = json!({"taskId": task, "pushNotificationConfig": {"url": 1, "authentication": {"schemes": ["a b"]}}});
        assert_eq!(
            fields(&parse(PushCall::set, &bad).unwrap_err()),
            [
                "/pushNotificationConfig/url",
                "/pushNotificationConfig/authentication/schemes"
            ]
        );
        assert_eq!(
            fields(&parse(PushCall::set, &json!({})).unwrap_err()),
            ["/taskId", "/pushNotificationConfig"]
        );
        for read in [PushCall::get_v1, PushCall::delete_v1] {
            assert_eq!(fields(&parse(read, &json!({})).unwrap_err()), ["/taskId", "/id"]);
        }
        let unknown = json!({"id": "x", "pushNotificationConfigId": "y"});
        assert_eq!(
            parse(PushCall::delete, &unknown).unwrap_err(),
            CallError::TaskNotFound
        );
        // A scheme without credentials sends no header.
        let bare = json!({"taskId": task, "url": "u", "authentication": {"scheme": "Bearer"}});
        assert!(matches!(
            parse(PushCall::create_v1, &bare),
            Ok(PushCall::Set { config, .. }) if config.secrets.is_empty()
        ));
    }
}
