//! The push notification configurations of tasks.
//!
//! Callers are anonymous: a task's id permits reading it and getting its notifications.

use super::error::internal_error;
use super::handle::Tasks;
use super::limits::Caller;
use super::named_hosts::MOST_HOSTS;
use super::notices::{PushTarget, owner};
use crate::clock::now_ms;
use crate::error::Error;
use ibid_a2a::limits::MAX_PUSH_CONFIGS;
use ibid_a2a::{AnswerBody, CallError, PushCall, PushConfig, PushView, Wire};
use ibid_model::{FaultCode, TaskId, WebhookId};
use ibid_store::{TaskWebhookPut, WebhookRecord};
use std::time::Instant;

impl Tasks {
    /// The calls about push notification configurations. An answer shows no secrets.
    ///
    /// # Errors
    /// Notifications are not offered; faults of the parameters; an unknown task or configuration.
    pub async fn push(
        &self,
        wire: Wire,
        call: Result<PushCall, CallError>,
        caller: Caller,
    ) -> Result<AnswerBody, CallError> {
        if !self.service.hooks.notifies() {
            return Err(CallError::PushNotSupported);
        }
        match call? {
            PushCall::Set { task, config } => {
                let kept = self.keep_push(wire, task, &config, caller).await?;
                Ok(wire.push_config(&PushView {
                    task,
                    id: &kept.name,
                    url: &kept.url,
                }))
            }
            PushCall::Get { task, id } => {
                let id = id.unwrap_or_else(|| task.to_string());
                let configs = self.push_configs(task).await?;
                let found = configs.iter().find(|config| config.name == id);
                found
                    .map(|config| wire.push_config(&view(task, config)))
                    .ok_or(CallError::TaskNotFound)
            }
            PushCall::List(task) => {
                let configs = self.push_configs(task).await?;
                let views: Vec<_> = configs.iter().map(|config| view(task, config)).collect();
                Ok(wire.push_configs(&views))
            }
            PushCall::Delete { task, id } => {
                let configs = self.push_configs(task).await?;
                // What was deleted before is deleted.
                if let Some(config) = configs.into_iter().find(|config| config.name == id) {
                    let keeper = &self.keeper;
                    let deleted =
                        keeper.in_store(move |store| store.delete_webhook(&config.owner, config.id));
                    deleted.await?;
                }
                Ok(wire.deleted())
            }
        }
    }

    /// Checks a configuration, notes its host and seals its secrets.
    pub(super) fn push_target(
        &self,
        wire: Wire,
        task: TaskId,
        config: &PushConfig,
        caller: Caller,
    ) -> Result<PushTarget, CallError> {
        let sender = self.service.hooks.sender.as_ref();
        let sender = sender.ok_or(CallError::PushNotSupported)?;
        let field = format!("{}/url", config.at);
        let judged = sender
            .judge(&config.url)
            .map_err(|error| CallError::fault(&field, FaultCode::Invalid, &format!("url: {error}")))?;
        let host = judged.url().host_str().unwrap_or_default();
        let named = self.keeper.hosts.add(caller, host, Instant::now());
        named.map_err(|wait| {
            let message = format!(
                "url: you have named {MOST_HOSTS} hosts for notifications within an hour; name one of those, or another in {} s",
                wait.as_secs() + 1
            );
            CallError::fault(&field, FaultCode::OutOfRange, &message)
        })?;
        let id = WebhookId::random();
        let secret = sender.seal_secrets(id, &config.secrets).map_err(|error| match error {
            Error::QueueKeysUnavailable => CallError::Unsupported(
                "this server cannot keep a token or credentials; leave them out, or ask the operator to set RUN_KEY_FILE",
            ),
            other => internal_error(other),
        })?;
        Ok(PushTarget {
            id,
            task,
            name: config.id.clone().unwrap_or_else(|| task.to_string()),
            url: judged.url().to_string(),
            secret,
            form: wire.notice(),
            owner: owner(task),
        })
    }

    /// Stores a configuration of a task that exists.
    pub(super) async fn keep_push(
        &self,
        wire: Wire,
        task: TaskId,
        config: &PushConfig,
        caller: Caller,
    ) -> Result<PushTarget, CallError> {
        self.keeper.shown(task).await?;
        let target = self.push_target(wire, task, config, caller)?;
        let stored = target.clone();
        let put = self.keeper.in_store(move |store| {
            let form = [stored.form];
            store.put_task_webhook(stored.task, &stored.webhook(&form, now_ms()), MAX_PUSH_CONFIGS)
        });
        match put.await? {
            TaskWebhookPut::Stored => Ok(target),
            TaskWebhookPut::NoTask => Err(CallError::TaskNotFound),
            TaskWebhookPut::TooMany => {
                let message =
                    format!("a task has at most {MAX_PUSH_CONFIGS} push notification configurations");
                Err(CallError::fault(config.at, FaultCode::OutOfRange, &message))
            }
        }
    }

    async fn push_configs(&self, task: TaskId) -> Result<Vec<WebhookRecord>, CallError> {
        self.keeper.shown(task).await?;
        let keeper = &self.keeper;
        keeper.in_store(move |store| store.webhooks(&owner(task))).await
    }
}

fn view(task: TaskId, config: &WebhookRecord) -> PushView<'_> {
    PushView {
        task,
        id: &config.name,
        url: &config.url,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::settings::ServiceSettings;
    use crate::tasks::Listings;
    use ibid_provider::Sandbox;
    use ibid_store::Store;
    use ibid_x402::Listing;
    use std::sync::Arc;

    #[tokio::test]
    async fn without_a_sender_no_call_is_offered() {
        let store = Arc::new(Store::in_memory().unwrap());
        let settings = ServiceSettings::new(Arc::new(Sandbox::new(1)), store);
        let service = settings.start(tokio::runtime::Handle::current());
        let listing = Listings::of(|_| Listing::new("https://example.com/".parse().unwrap(), "A skill"));
        let tasks = service.tasks(Arc::new(listing));
        let caller = Caller::at(std::net::Ipv4Addr::LOCALHOST.into());
        for call in [Ok(PushCall::List(TaskId::random())), Err(CallError::TaskNotFound)] {
            assert_eq!(
                tasks.push(Wire::Rpc10, call, caller).await,
                Err(CallError::PushNotSupported)
            );
        }
    }
}
