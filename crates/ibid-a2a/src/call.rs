//! Methods and their parameters.

use crate::error::CallError;
use crate::incoming::Incoming;
use crate::params::{HistoryLimit, camel_case, finish, history_limit, list_page, only_id, task_id};
use crate::push::PushCall;
use crate::read::{Findings, Members, Place};
use ibid_model::TaskId;
use serde_json::{Map, Value};

/// A call of a client.
#[derive(Debug)]
pub enum Call {
    /// `message/send`: answer with the task.
    Send(Box<Incoming>),
    /// `message/stream`: answer with the task, then with its changes.
    Stream(Box<Incoming>),
    /// `tasks/get`.
    Get {
        /// The task.
        task: TaskId,
        /// How much of its history to show.
        history: HistoryLimit,
    },
    /// `tasks/cancel`.
    Cancel(TaskId),
    /// `tasks/resubscribe`: answer with the task as it is, then with its changes.
    /// With `open` the task must not have ended, as `SubscribeToTask` of 1.0 demands.
    Resubscribe {
        /// The task.
        task: TaskId,
        /// Whether a task that has ended is an error.
        open: bool,
    },
    /// `ListTasks` in 1.0, with a page's size.
    /// Callers are anonymous, so no task is theirs.
    List(u64),
    /// A call about push notifications.
    /// Faults of its parameters are reported only where notifications are offered.
    Push(Result<PushCall, CallError>),
}

impl Call {
    /// Reads the parameters of a method.
    ///
    /// # Errors
    /// An unknown method, one that is not offered, or every fault of the parameters.
    pub(crate) fn parse(
        method: &str,
        params: impl FnOnce() -> Result<Map<String, Value>, CallError>,
    ) -> Result<Self, CallError> {
        match method {
            "message/send" => Ok(Self::Send(Box::new(Incoming::parse(params()?)?))),
            "message/stream" => Ok(Self::Stream(Box::new(Incoming::parse(params()?)?))),
            "tasks/get" => Self::get(params()?),
            "tasks/cancel" => Ok(Self::Cancel(only_id(params()?)?)),
            "tasks/resubscribe" => Ok(Self::Resubscribe {
                task: only_id(params()?)?,
                open: false,
            }),
            "tasks/pushNotificationConfig/set" => Ok(Self::Push(params().and_then(PushCall::set))),
            "tasks/pushNotificationConfig/get" => Ok(Self::Push(params().and_then(PushCall::get))),
            "tasks/pushNotificationConfig/list" => {
                Ok(Self::Push(params().and_then(only_id).map(PushCall::List)))
            }
            "tasks/pushNotificationConfig/delete" => Ok(Self::Push(params().and_then(PushCall::delete))),
            "agent/getAuthenticatedExtendedCard" => Err(CallError::NoExtendedCard),
            _ => Err(CallError::UnknownMethod),
        }
    }

    /// Reads the parameters of a method in 1.0.
    pub(crate) fn parse_v1(
        method: &str,
        params: impl FnOnce() -> Result<Map<String, Value>, CallError>,
    ) -> Result<Self, CallError> {
        let params = || params().map(camel_case);
        match method {
            "SendMessage" => Ok(Self::Send(Box::new(Incoming::parse_v1(params()?)?))),
            "SendStreamingMessage" => Ok(Self::Stream(Box::new(Incoming::parse_v1(params()?)?))),
            "GetTask" => Self::get(params()?),
            "CancelTask" => Ok(Self::Cancel(only_id(params()?)?)),
            "SubscribeToTask" => Ok(Self::Resubscribe {
                task: only_id(params()?)?,
                open: true,
            }),
            // Protocol clients may leave out the parameters of this one.
            "ListTasks" => Ok(Self::List(list_page(params().unwrap_or_default())?)),
            "CreateTaskPushNotificationConfig" => Ok(Self::Push(params().and_then(PushCall::create_v1))),
            "GetTaskPushNotificationConfig" => Ok(Self::Push(params().and_then(PushCall::get_v1))),
            "ListTaskPushNotificationConfigs" => Ok(Self::Push(params().and_then(PushCall::list_v1))),
            "DeleteTaskPushNotificationConfig" => Ok(Self::Push(params().and_then(PushCall::delete_v1))),
            "GetExtendedAgentCard" => Err(CallError::NoExtendedCard),
            _ => Err(CallError::UnknownMethod),
        }
    }

    fn get(params: Map<String, Value>) -> Result<Self, CallError> {
        let mut findings = Findings::default();
        let mut members = Members::new(params, Place::Params, &mut findings);
        let id = task_id(&mut members, "id");
        let history = history_limit(&mut members);
        let task = finish(findings, id)?;
        Ok(Self::Get { task, history })
    }
}
