//! Methods and their parameters.

use crate::error::CallError;
use crate::incoming::Incoming;
use crate::params::{HistoryLimit, finish, history_limit, only_id, task_id};
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
        /// The part of its history to show.
        history: HistoryLimit,
    },
    /// `tasks/cancel`.
    Cancel(TaskId),
    /// `tasks/resubscribe`: answer with the task as it is, then with its changes.
    Resubscribe(TaskId),
}

impl Call {
    /// Reads the parameters of a method, once it is known to have any.
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
            "tasks/get" => {
                let mut findings = Findings::default();
                let mut members = Members::new(params()?, Place::Params, &mut findings);
                let id = task_id(&mut members, "id");
                let history = history_limit(&mut members);
                let task = finish(findings, id)?;
                Ok(Self::Get { task, history })
            }
            "tasks/cancel" => Ok(Self::Cancel(only_id(params()?)?)),
            "tasks/resubscribe" => Ok(Self::Resubscribe(only_id(params()?)?)),
            "tasks/pushNotificationConfig/set"
            | "tasks/pushNotificationConfig/get"
            | "tasks/pushNotificationConfig/list"
            | "tasks/pushNotificationConfig/delete" => Err(CallError::PushNotSupported),
            "agent/getAuthenticatedExtendedCard" => Err(CallError::NoExtendedCard),
            _ => Err(CallError::UnknownMethod),
        }
    }
}
