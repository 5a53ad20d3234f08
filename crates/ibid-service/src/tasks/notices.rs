//! Push notifications in the store's form: where a task sends them, and what each revision says.

use ibid_a2a::{HistoryLimit, TaskRecord, TaskView, Wire};
use ibid_model::{TaskId, WebhookId};
use ibid_store::{NewDelivery, NewWebhook, WebhookKind, WebhookSecret};

/// A checked configuration, with its secrets sealed.
#[derive(Clone)]
pub(super) struct PushTarget {
    pub(super) id: WebhookId,
    pub(super) task: TaskId,
    /// The id within the task.
    pub(super) name: String,
    pub(super) url: String,
    pub(super) secret: WebhookSecret,
    /// Which notices it gets, by name.
    pub(super) form: &'static str,
    /// As [`owner`] names it.
    pub(super) owner: String,
}

impl PushTarget {
    /// The subscription. `form` holds [`Self::form`].
    pub(super) fn webhook<'a>(&'a self, form: &'a [&'a str], now: i64) -> NewWebhook<'a> {
        NewWebhook {
            id: self.id,
            owner: &self.owner,
            kind: WebhookKind::Task,
            url: &self.url,
            events: form,
            name: &self.name,
            secret: &self.secret,
            created_at: now,
        }
    }
}

pub(super) fn owner(task: TaskId) -> String {
    format!("task {task}")
}

/// What a stored revision says, in the words of both protocol versions.
pub(super) struct Notices {
    owner: String,
    subject: String,
    bodies: [(&'static str, Vec<u8>); 2],
}

impl Notices {
    /// The task without its history and without a stored document: the client reads the result.
    pub(super) fn of(record: &TaskRecord) -> Self {
        let view = TaskView {
            task: record.task(),
            history: HistoryLimit::Newest(0),
            document: None,
        };
        Self {
            owner: owner(record.id()),
            subject: record.revision().to_string(),
            bodies: [Wire::Rpc03, Wire::Rpc10].map(|wire| (wire.notice(), wire.sent(&view).into_bytes())),
        }
    }

    /// The notices as events of the store.
    /// A subscription gets the one of its form.
    pub(super) fn events(&self) -> [NewDelivery<'_>; 2] {
        self.bodies.each_ref().map(|(event, payload)| NewDelivery {
            owner: &self.owner,
            only: None,
            event,
            subject: &self.subject,
            payload,
        })
    }
}
