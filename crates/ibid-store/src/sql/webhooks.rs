//! Subscriptions to events.

use super::{Backend, Durability, Executor, Query, Row, values};
use crate::purchase::Millis;
use crate::webhook::{
    NewWebhook, TaskWebhookPut, WebhookChange, WebhookDisabled, WebhookRecord, WebhookSecret,
};
use crate::{Store, StoreError};
use ibid_model::{TaskId, WebhookId};

/// Selects a [`WebhookRecord`].
macro_rules! select_webhooks {
    ($rest:expr) => {
        concat!(
            "SELECT id, owner, kind, url, events, name, created_at, before_until, failing_since, disabled_at,
                    disabled_for FROM webhook ",
            $rest
        )
    };
}

pub(super) use select_webhooks;

impl Store {
    /// Stores a subscription, and returns whether it did: an owner has at most `most`,
    /// or one more after two calls at the same moment.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken; otherwise the fault of the database.
    pub fn add_webhook(&self, webhook: &NewWebhook<'_>, most: u32) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = "SELECT COUNT(*) FROM webhook WHERE owner = ?1";
            if db.only::<u32>(sql, values![webhook.owner])? >= most {
                return Ok(false);
            }
            insert_webhook(db, webhook, None)?;
            Ok(true)
        })
    }

    /// Stores a subscription to a task.
    /// One of the same owner and name is replaced, and its events go to the new one.
    /// An owner has at most `most`.
    pub fn put_task_webhook(
        &self,
        task: TaskId,
        webhook: &NewWebhook<'_>,
        most: u32,
    ) -> Result<TaskWebhookPut, StoreError> {
        self.write(Durability::Disk, |db| {
            // Two calls at the same moment go one after the other.
            let sql = "SELECT id FROM task WHERE id = ?1";
            if !db.lock(sql, values![task])? {
                return Ok(TaskWebhookPut::NoTask);
            }
            let sql = "SELECT COUNT(*) FROM webhook WHERE owner = ?1 AND name <> ?2";
            if db.only::<u32>(sql, values![webhook.owner, webhook.name])? >= most {
                return Ok(TaskWebhookPut::TooMany);
            }
            let sql = "SELECT id FROM webhook WHERE owner = ?1 AND name = ?2";
            let same: Option<WebhookId> = db.one(sql, values![webhook.owner, webhook.name])?;
            if let Some(same) = same {
                db.execute("DELETE FROM webhook WHERE id = ?1", values![same])?;
            }
            insert_webhook(db, webhook, Some(task))?;
            if let Some(same) = same {
                db.execute(
                    "UPDATE webhook_delivery SET webhook = ?2 WHERE webhook = ?1",
                    values![same, webhook.id],
                )?;
            }
            Ok(TaskWebhookPut::Stored)
        })
    }

    /// Returns the subscriptions of an owner, the oldest first.
    pub fn webhooks(&self, owner: &str) -> Result<Vec<WebhookRecord>, StoreError> {
        let sql = select_webhooks!("WHERE owner = ?1 ORDER BY created_at, id");
        let rows = self.rows(sql, values![owner])?;
        rows.into_iter().map(read_webhook).collect()
    }

    pub fn webhook(&self, owner: &str, id: WebhookId) -> Result<Option<WebhookRecord>, StoreError> {
        self.read(|db| find_webhook(db, owner, id))
    }

    /// Returns the newest secret of a subscription.
    pub fn webhook_secret(&self, owner: &str, id: WebhookId) -> Result<Option<WebhookSecret>, StoreError> {
        let sql = "SELECT secret FROM webhook WHERE owner = ?1 AND id = ?2";
        Ok(self.one(sql, values![owner, id])?.map(WebhookSecret::new))
    }

    /// Changes a subscription, and returns it as it is then. Switching it on forgets its failures.
    pub fn change_webhook(
        &self,
        owner: &str,
        id: WebhookId,
        change: WebhookChange<'_>,
        now: Millis,
    ) -> Result<Option<WebhookRecord>, StoreError> {
        self.write(Durability::Disk, |db| {
            for (sql, text) in [
                (
                    "UPDATE webhook SET url = ?3 WHERE owner = ?1 AND id = ?2",
                    change.url.map(str::to_owned),
                ),
                (
                    "UPDATE webhook SET events = ?3 WHERE owner = ?1 AND id = ?2",
                    change.events.map(|events| events.join(",")),
                ),
                (
                    "UPDATE webhook SET name = ?3 WHERE owner = ?1 AND id = ?2",
                    change.name.map(str::to_owned),
                ),
            ] {
                if let Some(text) = text {
                    db.execute(sql, values![owner, id, text])?;
                }
            }
            match change.enabled {
                None => 0,
                Some(true) => db.execute(
                    "UPDATE webhook SET disabled_at = NULL, disabled_for = NULL, failing_since = NULL
                     WHERE owner = ?1 AND id = ?2 AND disabled_at IS NOT NULL",
                    values![owner, id],
                )?,
                Some(false) => db.execute(
                    "UPDATE webhook SET disabled_at = ?3, disabled_for = 'owner'
                     WHERE owner = ?1 AND id = ?2 AND disabled_at IS NULL",
                    values![owner, id, now],
                )?,
            };
            find_webhook(db, owner, id)
        })
    }

    /// Gives a subscription another secret, and returns whether there is such a subscription.
    /// The secret before it stays valid until `before_until`.
    pub fn rotate_webhook(
        &self,
        owner: &str,
        id: WebhookId,
        secret: &WebhookSecret,
        before_until: Millis,
    ) -> Result<bool, StoreError> {
        let changed = self.execute(
            Durability::Disk,
            "UPDATE webhook SET secret_before = secret, before_until = ?4, secret = ?3
             WHERE owner = ?1 AND id = ?2",
            values![owner, id, secret.reveal(), before_until],
        )?;
        Ok(changed == 1)
    }

    /// Deletes a subscription with its deliveries, and returns whether there was one.
    pub fn delete_webhook(&self, owner: &str, id: WebhookId) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let deleted = db.execute(
                "DELETE FROM webhook WHERE owner = ?1 AND id = ?2",
                values![owner, id],
            )?;
            if deleted == 1 {
                db.execute(
                    "DELETE FROM webhook_attempt WHERE delivery IN
                     (SELECT id FROM webhook_delivery WHERE webhook = ?1)",
                    values![id],
                )?;
                db.execute("DELETE FROM webhook_delivery WHERE webhook = ?1", values![id])?;
            }
            Ok(deleted == 1)
        })
    }
}

/// Inserts a subscription, inside another transaction.
pub(super) fn insert_webhook(
    db: &mut dyn Executor,
    webhook: &NewWebhook<'_>,
    task: Option<TaskId>,
) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO webhook (id, owner, kind, url, events, name, secret, created_at, task)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        values![
            webhook.id,
            webhook.owner,
            webhook.kind.name(),
            webhook.url,
            webhook.events.join(","),
            webhook.name,
            webhook.secret.reveal(),
            webhook.created_at,
            task
        ],
    )
}

fn find_webhook(
    db: &mut dyn Executor,
    owner: &str,
    id: WebhookId,
) -> Result<Option<WebhookRecord>, StoreError> {
    let row = db.first(
        select_webhooks!("WHERE owner = ?1 AND id = ?2"),
        values![owner, id],
    )?;
    row.map(read_webhook).transpose()
}

pub(super) fn read_webhook(mut row: Row) -> Result<WebhookRecord, StoreError> {
    let events = listed(row.take(4)?);
    let disabled: (Option<Millis>, Option<WebhookDisabled>) = (row.take(9)?, row.take(10)?);
    Ok(WebhookRecord {
        events,
        disabled: disabled.0.zip(disabled.1),
        ..row.read()?
    })
}

/// Reads the names of events, as [`insert_webhook`] writes them.
pub(super) fn listed(names: String) -> Vec<String> {
    let names = names.split(',').filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}
