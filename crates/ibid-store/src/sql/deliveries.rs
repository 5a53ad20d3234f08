//! Events on their way to subscriptions.
//! A transaction that changes a delivery and its subscription locks the delivery first.

use super::webhooks::{read_webhook, select_webhooks};
use super::{Backend, Durability, Executor, Lock, Query, values};
use crate::destination::DestinationOf;
use crate::purchase::Millis;
use crate::seal::RunKeys;
use crate::webhook::{
    AttemptOutcome, ClaimedDelivery, DeliveryAttempt, DeliveryRecord, DeliveryState, DueWebhook,
    HeldDelivery, NewDelivery, Redelivery, Summary, WebhookDisabled, WebhookKind, WebhookRecord,
    WebhookSecret,
};
use crate::{Store, StoreError};
use ibid_model::{DeliveryId, ProjectId, WebhookId};

/// Subscriptions with due deliveries.
/// Each step of the recursion looks once into the index for waiting deliveries,
/// so a long backlog costs as little as one delivery.
const DUE: &str = "
    WITH RECURSIVE waiting (webhook) AS (
        SELECT (SELECT webhook FROM webhook_delivery WHERE state = 'waiting' AND webhook > ?1 ORDER BY webhook LIMIT 1)
        UNION ALL
        SELECT (SELECT later.webhook FROM webhook_delivery AS later
                WHERE later.state = 'waiting' AND later.webhook > waiting.webhook ORDER BY later.webhook LIMIT 1)
        FROM waiting WHERE waiting.webhook IS NOT NULL
    )
    SELECT webhook.id, webhook.owner FROM waiting CROSS JOIN webhook
    WHERE webhook.id = waiting.webhook AND webhook.kind = ?2 AND webhook.disabled_at IS NULL AND EXISTS (
        SELECT 1 FROM webhook_delivery AS due
        WHERE due.webhook = waiting.webhook AND due.state = 'waiting' AND due.next_attempt <= ?3
          AND (due.lease_until IS NULL OR due.lease_until <= ?3))
    LIMIT ?4";

/// Selects a [`DeliveryRecord`].
macro_rules! select_deliveries {
    ($rest:expr) => {
        concat!(
            "SELECT id, event, payload, state, created_at, attempts, last_status, last_error, ended_at,
                    CASE WHEN state = 'waiting' THEN next_attempt END AS next_attempt
             FROM webhook_delivery ",
            $rest
        )
    };
}

impl Store {
    /// Stores events for the subscriptions that get them, and returns the new deliveries.
    /// An event is left out if the subscription got it before.
    pub fn put_deliveries(
        &self,
        events: &[NewDelivery<'_>],
        now: Millis,
    ) -> Result<Vec<DeliveryId>, StoreError> {
        self.write(Durability::Disk, |db| insert_deliveries(db, events, now))
    }

    /// Returns enabled subscriptions of one kind with due deliveries, by id: at most `most`,
    /// after the one named `after`.
    pub fn due_webhooks(
        &self,
        kind: WebhookKind,
        after: Option<WebhookId>,
        most: u32,
        now: Millis,
    ) -> Result<Vec<DueWebhook>, StoreError> {
        let after = after.unwrap_or(WebhookId::from_bytes([0; 16]));
        self.list(DUE, values![after, kind.name(), now, most])
    }

    /// Claims due deliveries until `lease_until`, the oldest first: of each subscription at most as many as are wanted.
    pub fn claim_deliveries(
        &self,
        wanted: &[(WebhookId, u32)],
        lease_until: Millis,
        now: Millis,
    ) -> Result<Vec<ClaimedDelivery>, StoreError> {
        let keys = self.keys()?;
        self.write(Durability::Process, |db| {
            let mut claimed = Vec::new();
            for (webhook, most) in wanted {
                claim(db, *webhook, *most, lease_until, now, keys, &mut claimed)?;
            }
            Ok(claimed)
        })
    }

    /// Records an attempt.
    /// A subscription whose attempts have all failed since `failing_before` or earlier is disabled,
    /// and so is one that is gone; then it is returned, and its waiting deliveries have failed.
    ///
    /// # Errors
    /// [`StoreError::Lost`] when the delivery was claimed again or deleted; otherwise the fault of the database.
    pub fn end_attempt(
        &self,
        held: HeldDelivery,
        attempt: &DeliveryAttempt,
        outcome: AttemptOutcome,
        failing_before: Millis,
    ) -> Result<Option<WebhookRecord>, StoreError> {
        let epoch = i64::try_from(held.epoch).map_err(|_| StoreError::Lost)?;
        let (state, next) = match outcome {
            AttemptOutcome::Delivered => (DeliveryState::Delivered, attempt.at),
            AttemptOutcome::Retry(at) => (DeliveryState::Waiting, at),
            AttemptOutcome::Failed | AttemptOutcome::Gone => (DeliveryState::Failed, attempt.at),
        };
        let ended = (state != DeliveryState::Waiting).then_some(attempt.at);
        self.write(Durability::Process, |db| {
            let found = db.locked_one::<(WebhookId, u32)>(
                "SELECT webhook, attempts FROM webhook_delivery
                 WHERE id = ?1 AND epoch = ?2 AND lease_until IS NOT NULL",
                values![held.id, epoch],
            )?;
            let (webhook, before) = found.ok_or(StoreError::Lost)?;
            db.execute(
                "INSERT INTO webhook_attempt (delivery, number, at, took, status, error) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                values![
                    held.id,
                    before + 1,
                    attempt.at,
                    attempt.took,
                    attempt.status,
                    attempt.error.as_deref()
                ],
            )?;
            db.execute(
                "UPDATE webhook_delivery SET state = ?2, next_attempt = ?3, lease_until = NULL, attempts = attempts + 1,
                 last_status = ?4, last_error = ?5, ended_at = ?6 WHERE id = ?1",
                values![
                    held.id,
                    state.name(),
                    next,
                    attempt.status,
                    attempt.error.as_deref(),
                    ended
                ],
            )?;
            if outcome == AttemptOutcome::Delivered {
                db.execute(
                    "UPDATE webhook SET failing_since = NULL WHERE id = ?1 AND failing_since IS NOT NULL",
                    values![webhook],
                )?;
                return Ok(None);
            }
            db.execute(
                "UPDATE webhook SET failing_since = ?2 WHERE id = ?1 AND failing_since IS NULL",
                values![webhook, attempt.at],
            )?;
            let gone = outcome == AttemptOutcome::Gone;
            let reason = if gone {
                WebhookDisabled::Gone
            } else {
                WebhookDisabled::Failing
            };
            let disabled = db.execute(
                "UPDATE webhook SET disabled_at = ?2, disabled_for = ?3
                 WHERE id = ?1 AND disabled_at IS NULL AND (?4 OR failing_since <= ?5)",
                values![
                    webhook,
                    attempt.at,
                    reason.name(),
                    gone,
                    failing_before
                ],
            )?;
            if disabled == 0 {
                return Ok(None);
            }
            db.execute(
                "UPDATE webhook_delivery SET state = 'failed', ended_at = ?2, lease_until = NULL
                 WHERE webhook = ?1 AND state = 'waiting'",
                values![webhook, attempt.at],
            )?;
            let row = db.first(select_webhooks!("WHERE id = ?1"), values![webhook])?;
            row.map(read_webhook).transpose()
        })
    }

    /// Leaves a claimed delivery for a later time, without an attempt.
    pub fn postpone_delivery(&self, held: HeldDelivery, until: Millis) -> Result<(), StoreError> {
        let epoch = i64::try_from(held.epoch).map_err(|_| StoreError::Lost)?;
        let postponed = self.execute(
            Durability::Process,
            "UPDATE webhook_delivery SET next_attempt = ?3, lease_until = NULL
             WHERE id = ?1 AND epoch = ?2 AND lease_until IS NOT NULL",
            values![held.id, epoch, until],
        )?;
        if postponed == 1 {
            Ok(())
        } else {
            Err(StoreError::Lost)
        }
    }

    /// Counts the alerts of the same subscription that were sent since a time, or wait and are older.
    pub fn alerts_before(&self, held: HeldDelivery, since: Millis) -> Result<u32, StoreError> {
        self.only(
            "SELECT COUNT(*) FROM webhook_delivery AS own
             JOIN webhook_delivery AS other ON other.webhook = own.webhook AND other.id <> own.id
             WHERE own.id = ?1 AND other.event NOT LIKE 'news.%' AND other.event <> 'webhook.test'
               AND ((other.state = 'delivered' AND other.attempts > 0 AND other.ended_at >= ?2)
                    OR (other.state = 'waiting' AND (other.created_at, other.id) < (own.created_at, own.id)))",
            values![held.id, since],
        )
    }

    /// Ends a claimed delivery as a part of a summary. Returns false while the summary is being sent, or was.
    pub fn fold_delivery(
        &self,
        held: HeldDelivery,
        into: &Summary<'_>,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let epoch = i64::try_from(held.epoch).map_err(|_| StoreError::Lost)?;
        self.write(Durability::Disk, |db| {
            let sql = "SELECT webhook FROM webhook_delivery
                       WHERE id = ?1 AND epoch = ?2 AND lease_until IS NOT NULL";
            let found = db.locked_one(sql, values![held.id, epoch])?;
            let webhook: WebhookId = found.ok_or(StoreError::Lost)?;
            let before = db.locked_one::<(DeliveryId, Vec<u8>, DeliveryState, Option<Millis>)>(
                "SELECT id, payload, state, lease_until FROM webhook_delivery
                 WHERE webhook = ?1 AND event = ?2 AND subject = ?3",
                values![webhook, into.event, into.subject],
            )?;
            match before {
                None => {
                    db.execute(
                        "INSERT INTO webhook_delivery (id, webhook, event, subject, payload, state, created_at, next_attempt,
                                                       epoch, attempts, attempts_before)
                         VALUES (?1, ?2, ?3, ?4, ?5, 'waiting', ?6, ?7, 0, 0, 0)",
                        values![
                            DeliveryId::random(),
                            webhook,
                            into.event,
                            into.subject,
                            (into.join)(None),
                            now,
                            into.due
                        ],
                    )?;
                }
                Some((id, payload, state, lease)) => {
                    if state != DeliveryState::Waiting || lease.is_some() {
                        return Ok(false);
                    }
                    db.execute(
                        "UPDATE webhook_delivery SET payload = ?2 WHERE id = ?1",
                        values![id, (into.join)(Some(&payload))],
                    )?;
                }
            }
            db.execute(
                "UPDATE webhook_delivery SET state = 'delivered', ended_at = ?2, lease_until = NULL WHERE id = ?1",
                values![held.id, now],
            )?;
            Ok(true)
        })
    }

    /// Returns deliveries of a subscription, the newest first: at most `most`, after the one named `after`.
    pub fn deliveries(
        &self,
        webhook: WebhookId,
        after: Option<DeliveryId>,
        most: u32,
    ) -> Result<Vec<DeliveryRecord>, StoreError> {
        let Some(after) = after else {
            let sql = select_deliveries!("WHERE webhook = ?1 ORDER BY created_at DESC, id DESC LIMIT ?2");
            return self.list(sql, values![webhook, most]);
        };
        self.list(
            select_deliveries!(
                "WHERE webhook = ?1 AND (created_at, id) <
                 (SELECT created_at, id FROM webhook_delivery WHERE webhook = ?1 AND id = ?3)
                 ORDER BY created_at DESC, id DESC LIMIT ?2"
            ),
            values![webhook, most, after],
        )
    }

    /// Returns a delivery of a subscription with its attempts, the oldest first.
    pub fn delivery(
        &self,
        webhook: WebhookId,
        id: DeliveryId,
    ) -> Result<Option<(DeliveryRecord, Vec<DeliveryAttempt>)>, StoreError> {
        self.snapshot(|db| {
            let sql = select_deliveries!("WHERE webhook = ?1 AND id = ?2");
            let Some(delivery) = db.one(sql, values![webhook, id])? else {
                return Ok(None);
            };
            let sql =
                "SELECT at, took, status, error FROM webhook_attempt WHERE delivery = ?1 ORDER BY number";
            Ok(Some((delivery, db.list(sql, values![id])?)))
        })
    }

    /// Makes a delivery due again.
    pub fn redeliver(
        &self,
        webhook: WebhookId,
        id: DeliveryId,
        now: Millis,
    ) -> Result<Redelivery, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = "SELECT id FROM webhook_delivery WHERE webhook = ?1 AND id = ?2";
            if !db.lock(sql, values![webhook, id])? {
                return Ok(Redelivery::Unknown);
            }
            if !db.has(
                "SELECT id FROM webhook WHERE id = ?1 AND disabled_at IS NULL",
                values![webhook],
            )? {
                return Ok(Redelivery::Disabled);
            }
            // An attempt under way stays the only one.
            db.execute(
                "UPDATE webhook_delivery SET state = 'waiting', ended_at = NULL, attempts_before = attempts,
                        next_attempt = ?2
                 WHERE id = ?1",
                values![id, now],
            )?;
            Ok(Redelivery::Queued)
        })
    }

    /// Deletes deliveries that ended before a time, deliveries of deleted subscriptions, and subscriptions to tasks
    /// from before that time. Returns the number of deleted deliveries.
    pub fn prune_deliveries(&self, before: Millis) -> Result<u64, StoreError> {
        self.write(Durability::Process, |db| {
            db.execute(
                "DELETE FROM webhook WHERE kind = 'task' AND created_at < ?1",
                values![before],
            )?;
            let deleted = db.execute(
                "DELETE FROM webhook_delivery WHERE ended_at < ?1
                 OR NOT EXISTS (SELECT 1 FROM webhook WHERE webhook.id = webhook_delivery.webhook)",
                values![before],
            )?;
            db.execute(
                "DELETE FROM webhook_attempt WHERE NOT EXISTS
                 (SELECT 1 FROM webhook_delivery WHERE webhook_delivery.id = webhook_attempt.delivery)",
                values![],
            )?;
            Ok(deleted)
        })
    }
}

/// Claims due deliveries of one subscription, inside another transaction.
fn claim(
    db: &mut dyn Executor,
    webhook: WebhookId,
    most: u32,
    lease_until: Millis,
    now: Millis,
    keys: &RunKeys,
    claimed: &mut Vec<ClaimedDelivery>,
) -> Result<(), StoreError> {
    let due = db.locked::<(DeliveryId, i64, String, Vec<u8>, u32)>(
        "SELECT id, epoch, event, payload, attempts - attempts_before FROM webhook_delivery
         WHERE webhook = ?1 AND state = 'waiting' AND next_attempt <= ?2 AND (lease_until IS NULL OR lease_until <= ?2)
         ORDER BY next_attempt, id LIMIT ?3",
        Lock::SkipLocked,
        values![webhook, now, most],
    )?;
    let target = db.one::<(WebhookKind, String, Vec<u8>, Option<Vec<u8>>, Option<Millis>)>(
        "SELECT kind, url, secret, secret_before, before_until FROM webhook WHERE id = ?1 AND disabled_at IS NULL",
        values![webhook],
    )?;
    let Some((kind, url, mut secret, before, until)) = target else {
        return Ok(());
    };
    let opened = |stored: Vec<u8>| keys.opened(webhook.as_bytes(), &stored).unwrap_or_default();

    if kind == WebhookKind::Mail {
        secret = opened(secret);
    }
    let mut secrets = vec![WebhookSecret::new(secret)];

    if until.is_some_and(|until| until > now) {
        secrets.extend(before.map(WebhookSecret::new));
    }
    for (id, epoch, event, mut payload, tries) in due {
        db.execute(
            "UPDATE webhook_delivery SET epoch = epoch + 1, lease_until = ?2 WHERE id = ?1",
            values![id, lease_until],
        )?;

        if event == "news.confirm" {
            payload = opened(payload);
        }
        claimed.push(ClaimedDelivery {
            held: HeldDelivery {
                id,
                epoch: u64::try_from(epoch + 1).map_err(|_| StoreError::Damaged("epoch"))?,
            },
            webhook,
            kind,
            url: url.clone(),
            event,
            secrets: secrets.clone(),
            payload,
            tries,
        });
    }
    Ok(())
}

/// Inserts events for the subscriptions that get them, inside another transaction.
pub(super) fn insert_deliveries(
    db: &mut dyn Executor,
    events: &[NewDelivery<'_>],
    now: Millis,
) -> Result<Vec<DeliveryId>, StoreError> {
    let mut inserted = Vec::new();
    // Events of one owner that follow each other share a look-up.
    let (mut owner, mut targets) = (None, Vec::new());
    for event in events {
        if owner != Some(event.owner) {
            targets = targets_of(db, event.owner)?;
            owner = Some(event.owner);
        }
        for (webhook, listed) in &targets {
            let (webhook, listed) = (*webhook, listed.as_str());
            let wanted = match event.only {
                Some(only) => only == webhook,
                None => listed.is_empty() || listed.split(',').any(|name| name == event.event),
            };
            if !wanted {
                continue;
            }
            let id = DeliveryId::random();
            let new = db.execute(
                "INSERT INTO webhook_delivery (id, webhook, event, subject, payload, state, created_at, next_attempt, epoch,
                                               attempts, attempts_before)
                 VALUES (?1, ?2, ?3, ?4, ?5, 'waiting', ?6, ?6, 0, 0, 0)
                 ON CONFLICT (webhook, event, subject) DO NOTHING",
                values![id, webhook, event.event, event.subject, event.payload, now],
            )?;
            if new == 1 {
                inserted.push(id);
            }
        }
    }
    Ok(inserted)
}

/// Finds the organisation of an owner that is a project, because its subscriptions get the project's events, too.
fn organisation_of(db: &mut dyn Executor, owner: &str) -> Result<Option<String>, StoreError> {
    let project: Option<ProjectId> = owner.strip_prefix("project ").and_then(|id| id.parse().ok());
    let Some(project) = project else {
        return Ok(None);
    };
    let organisation = db.one("SELECT organisation FROM project WHERE id = ?1", values![project])?;
    Ok(organisation.map(|organisation| DestinationOf::Organisation(organisation).owner()))
}

/// Lists the subscriptions that get events for an owner, with the event names that each chose.
fn targets_of(db: &mut dyn Executor, owner: &str) -> Result<Vec<(WebhookId, String)>, StoreError> {
    let organisation = organisation_of(db, owner)?;
    db.list(
        "SELECT id, events FROM webhook WHERE (owner = ?1 OR owner = ?2) AND disabled_at IS NULL",
        values![owner, organisation.as_deref()],
    )
}
