//! Destinations of people.

use super::deliveries::insert_deliveries;
use super::projects::{note_in, read_project, select_projects};
use super::webhooks::{insert_webhook, listed};
use super::{Backend, Durability, Executor, Query, Row, values};
use crate::destination::{
    ConfirmationLimits, DailyRoom, DestinationAdded, DestinationOf, DestinationRecord, DueDigest,
    NewDestination,
};
use crate::project::{ProjectChange, ProjectRecord, ProjectScope};
use crate::seal::RunKeys;
use crate::webhook::{NewDelivery, NewWebhook, WebhookDisabled, WebhookKind, WebhookSecret};
use crate::{Millis, Store, StoreError};
use ibid_model::{AccountId, OrganisationId, ProjectId, WebhookId};

/// The time for which a digest waits for a run that is under way. A run that hangs holds no news back for longer.
const PATIENCE: Millis = 6 * 3_600_000;

/// Selects a [`DestinationRecord`].
macro_rules! select_destinations {
    ($rest:literal) => {
        concat!(
            "SELECT webhook.id, destination.project, destination.account, webhook.kind, webhook.url, destination.events,
                    destination.digest, destination.quiet_from, destination.quiet_to, destination.time_zone,
                    destination.confirmed_at, webhook.failing_since, webhook.disabled_at, webhook.disabled_for,
                    destination.created_at, destination.next_digest, destination.organisation, destination.report,
                    project.settings
             FROM destination JOIN webhook ON webhook.id = destination.id
             LEFT JOIN project ON project.id = destination.project ",
            $rest
        )
    };
}

impl Store {
    /// Stores a destination with a first message, and notes it in the log of a project: its subject has at most `most`.
    pub fn add_destination(
        &self,
        destination: &NewDestination<'_>,
        first: Option<&NewDelivery<'_>>,
        most: u32,
        limits: ConfirmationLimits<'_>,
        noted: Option<(&ProjectScope, ProjectChange<'_>)>,
    ) -> Result<DestinationAdded, StoreError> {
        let (project, account, organisation) = ids(destination.of);
        let (keys, id) = (self.keys()?, destination.webhook.id.as_bytes());
        let mut secret = destination.webhook.secret.clone();
        if destination.webhook.kind == WebhookKind::Mail {
            secret = WebhookSecret::new(keys.stored(id, secret.reveal())?);
        }
        let webhook = &NewWebhook {
            secret: &secret,
            ..destination.webhook
        };
        let asked = first.map(|first| keys.stored(id, first.payload)).transpose()?;
        self.write(Durability::Disk, |db| {
            let (count, same) = db.only::<(u32, u32)>(
                "SELECT COUNT(*), COUNT(CASE WHEN webhook.url = ?3 AND webhook.kind = ?4 THEN 1 END)
                 FROM destination JOIN webhook ON webhook.id = destination.id
                 WHERE destination.project = ?1 OR destination.account = ?2 OR destination.organisation = ?5",
                values![project, account, webhook.url, webhook.kind.name(), organisation],
            )?;
            // Two channels may have the same visible part of an address.
            if same > 0 && destination.confirmation.is_some() {
                return Ok(DestinationAdded::Exists);
            }
            if count >= most {
                return Ok(DestinationAdded::TooMany);
            }
            if destination.confirmation.is_some() && !takes_room(db, webhook, limits)? {
                return Ok(DestinationAdded::TooManyConfirmations);
            }
            insert_webhook(db, webhook, None)?;
            let (digest, next) = match destination.digest {
                Some((period, next)) => (Some(period.as_str()), Some(next)),
                None => (None, None),
            };
            let (quiet_from, quiet_to) = destination
                .quiet
                .map_or((None, None), |(from, to)| (Some(from), Some(to)));
            db.execute(
                "INSERT INTO destination (id, project, account, events, digest, next_digest, quiet_from, quiet_to,
                                          time_zone, confirmation, confirmed_at, token, created_at, organisation,
                                          report)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
                values![
                    webhook.id,
                    project,
                    account,
                    destination.events.join(","),
                    digest,
                    next,
                    quiet_from,
                    quiet_to,
                    destination.time_zone,
                    destination.confirmation.as_ref().map(|hash| &hash[..]),
                    destination.confirmation.is_none().then_some(webhook.created_at),
                    &destination.token[..],
                    webhook.created_at,
                    organisation,
                    i64::from(destination.report)
                ],
            )?;
            if let (Some(first), Some(payload)) = (first, &asked) {
                let first = NewDelivery { payload, ..*first };
                insert_deliveries(db, &[first], webhook.created_at)?;
            }
            if let Some((scope, change)) = noted {
                note_in(db, scope, change)?;
            }
            Ok(DestinationAdded::Stored)
        })
    }

    /// Returns the destinations of a project or an account, the oldest first.
    pub fn destinations(&self, of: DestinationOf) -> Result<Vec<DestinationRecord>, StoreError> {
        let (project, account, organisation) = ids(of);
        let rows = self.rows(
            select_destinations!(
                "WHERE destination.project = ?1 OR destination.account = ?2 OR destination.organisation = ?3
                 ORDER BY destination.created_at, destination.id"
            ),
            values![project, account, organisation],
        )?;
        rows.into_iter().map(read_destination).collect()
    }

    pub fn destination(&self, id: WebhookId) -> Result<Option<DestinationRecord>, StoreError> {
        self.read(|db| one(db, select_destinations!("WHERE destination.id = ?1"), values![id]))
    }

    /// Finds a destination by the digest of a token that confirms or ends it.
    pub fn destination_of_token(&self, token: [u8; 32]) -> Result<Option<DestinationRecord>, StoreError> {
        self.read(|db| {
            one(
                db,
                select_destinations!("WHERE destination.token = ?1 OR destination.confirmation = ?1"),
                values![&token[..]],
            )
        })
    }

    /// Confirms the destination of a token: from now on it gets its events. Returns it.
    pub fn confirm_destination(
        &self,
        confirmation: [u8; 32],
        now: Millis,
    ) -> Result<Option<DestinationRecord>, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = select_destinations!("WHERE destination.confirmation = ?1");
            let Some(found) = one(db, sql, values![&confirmation[..]])? else {
                return Ok(None);
            };
            if found.confirmed_at.is_none() {
                db.execute(
                    "UPDATE destination SET confirmed_at = ?2 WHERE id = ?1",
                    values![found.id, now],
                )?;
                db.execute(
                    "UPDATE webhook SET events = ?2 WHERE id = ?1",
                    values![found.id, found.events.join(",")],
                )?;
            }
            one(db, sql, values![&confirmation[..]])
        })
    }

    /// Ends the messages to the destination of a token. Returns it.
    pub fn end_destination(
        &self,
        token: [u8; 32],
        now: Millis,
    ) -> Result<Option<DestinationRecord>, StoreError> {
        self.write(Durability::Disk, |db| {
            let sql = select_destinations!("WHERE destination.token = ?1");
            let Some(found) = one(db, sql, values![&token[..]])? else {
                return Ok(None);
            };
            db.execute(
                "UPDATE webhook SET disabled_at = ?2, disabled_for = 'unsubscribed'
                 WHERE id = ?1 AND (disabled_for IS NULL OR disabled_for <> 'unsubscribed')",
                values![found.id, now],
            )?;
            db.execute(
                "UPDATE webhook_delivery SET state = 'failed', ended_at = ?2, lease_until = NULL
                 WHERE webhook = ?1 AND state = 'waiting'",
                values![found.id, now],
            )?;
            one(db, sql, values![&token[..]])
        })
    }

    /// Deletes a destination with its messages, and notes it in the log of a project. Returns whether this subject had it.
    pub fn delete_destination(
        &self,
        of: DestinationOf,
        id: WebhookId,
        noted: Option<(&ProjectScope, ProjectChange<'_>)>,
    ) -> Result<bool, StoreError> {
        let (project, account, organisation) = ids(of);
        self.write(Durability::Disk, |db| {
            let deleted = db.execute(
                "DELETE FROM destination WHERE id = ?1 AND (project = ?2 OR account = ?3 OR organisation = ?4)",
                values![id, project, account, organisation],
            )?;
            if deleted == 1 {
                // Their deliveries are pruned.
                db.execute("DELETE FROM webhook WHERE id = ?1", values![id])?;
                if let Some((scope, change)) = noted {
                    note_in(db, scope, change)?;
                }
            }
            Ok(deleted == 1)
        })
    }

    /// Returns confirmed destinations whose digest is due, with what their projects spent since `from`.
    pub fn due_digests(&self, now: Millis, from: Millis, most: u32) -> Result<Vec<DueDigest>, StoreError> {
        let keys = self.keys()?;
        self.read(|db| {
            let rows = db.rows(
                select_destinations!(
                    "WHERE destination.next_digest <= ?1 AND destination.confirmed_at IS NOT NULL
                       AND webhook.disabled_at IS NULL
                     ORDER BY destination.next_digest LIMIT ?2"
                ),
                values![now, most],
            )?;
            let mut due = Vec::with_capacity(rows.len());
            for mut row in rows {
                let at: Millis = row.take(15)?;
                let destination = read_destination(row)?;
                let projects = projects_of(db, destination.of, from, keys)?;
                let mut is_running = false;
                for project in &projects {
                    is_running |= runs_since(db, project.id, now - PATIENCE)?;
                }
                due.push(DueDigest {
                    destination,
                    due: at,
                    projects,
                    is_running,
                });
            }
            Ok(due)
        })
    }

    /// Makes the digest of a destination due at a time.
    pub fn hasten_digest(&self, id: WebhookId, at: Millis) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            db.run(
                "UPDATE destination SET next_digest = ?2 WHERE id = ?1 AND next_digest IS NOT NULL",
                values![id, at],
            )
        })
    }

    /// Queues a digest that was due at the first of the times, and sets the second one; without a message it waits until then.
    /// Returns whether it was still due.
    pub fn put_digest(
        &self,
        id: WebhookId,
        due: Millis,
        next: Millis,
        message: Option<&NewDelivery<'_>>,
        now: Millis,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            let changed = db.execute(
                "UPDATE destination SET next_digest = ?3 WHERE id = ?1 AND next_digest = ?2",
                values![id, due, next],
            )?;
            if let Some(message) = message.filter(|_| changed == 1) {
                insert_deliveries(db, std::slice::from_ref(message), now)?;
            }
            Ok(changed == 1)
        })
    }
}

/// Counts a mail that asks for a confirmation, once for its organisation and once for its person. Returns whether there was room.
fn takes_room(
    db: &mut dyn Executor,
    webhook: &NewWebhook<'_>,
    limits: ConfirmationLimits<'_>,
) -> Result<bool, StoreError> {
    let person = limits.person.map(|account| format!("person {account}"));
    let mut used = |address: Option<&str>| {
        db.only(
            "SELECT COUNT(CASE WHEN subject = ?1 THEN 1 END) AS person,
                    COUNT(CASE WHEN subject = ?2 THEN 1 END) AS organisation,
                    COUNT(CASE WHEN subject NOT LIKE 'person %' THEN 1 END) AS server
             FROM confirmation_mail WHERE at >= ?3 AND (address = ?4 OR ?4 IS NULL)",
            values![
                person.as_deref().unwrap_or_default(),
                limits.organisation,
                limits.since,
                address
            ],
        )
    };
    let (all, mut to_address): (DailyRoom, DailyRoom) = (used(None)?, used(Some(webhook.url))?);
    let sql = "SELECT 1 FROM account WHERE id = ?1 AND email = ?2";
    if db.has(sql, values![limits.person, webhook.url])? {
        to_address.server = 0;
    }
    if !limits.room.fits(all) || !limits.room_of_address.fits(to_address) {
        return Ok(false);
    }
    db.execute(
        "DELETE FROM confirmation_mail WHERE at < ?1",
        values![limits.since],
    )?;
    let of_person = person.as_deref().map(|person| (WebhookId::random(), person));
    for (id, subject) in std::iter::once((webhook.id, limits.organisation)).chain(of_person) {
        db.execute(
            "INSERT INTO confirmation_mail (id, subject, address, at) VALUES (?1, ?2, ?3, ?4)",
            values![id, subject, webhook.url, webhook.created_at],
        )?;
    }
    Ok(true)
}

/// Deletes the destinations of a project or an account, inside another transaction.
pub(super) fn delete_destinations(db: &mut dyn Executor, of: DestinationOf) -> Result<(), StoreError> {
    let (project, account, organisation) = ids(of);
    for sql in [
        "DELETE FROM webhook WHERE id IN
         (SELECT id FROM destination WHERE project = ?1 OR account = ?2 OR organisation = ?3)",
        "DELETE FROM destination WHERE project = ?1 OR account = ?2 OR organisation = ?3",
    ] {
        db.execute(sql, values![project, account, organisation])?;
    }
    Ok(())
}

/// Whether a run of a project that began after a time is under way.
fn runs_since(db: &mut dyn Executor, project: ProjectId, since: Millis) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM schedule_run JOIN schedule ON schedule.id = schedule_run.schedule
         WHERE schedule.project = ?1 AND schedule_run.state <> 'ended' AND schedule_run.began_at > ?2 LIMIT 1";
    db.has(sql, values![project, since])
}

/// Lists the projects that a destination is about and that are not archived, by name.
fn projects_of(
    db: &mut dyn Executor,
    of: DestinationOf,
    from: Millis,
    keys: &RunKeys,
) -> Result<Vec<ProjectRecord>, StoreError> {
    let rows = match of {
        DestinationOf::Project(project) => {
            db.rows(select_projects!("WHERE project.id = ?2"), values![from, project])
        }
        DestinationOf::Organisation(organisation) => db.rows(
            select_projects!(
                "WHERE project.organisation = ?2 AND project.archived_at IS NULL ORDER BY project.name, project.id"
            ),
            values![from, organisation],
        ),
        DestinationOf::Account(account) => db.rows(
            select_projects!(
                "WHERE project.archived_at IS NULL
                   AND EXISTS (SELECT 1 FROM account WHERE account.id = ?2 AND NOT account.disabled) AND (
                     EXISTS (SELECT 1 FROM membership WHERE membership.organisation = project.organisation
                               AND membership.account = ?2 AND membership.role = 'admin')
                     OR EXISTS (SELECT 1 FROM project_role WHERE project_role.project = project.id
                                  AND project_role.account = ?2))
                 ORDER BY project.name, project.id"
            ),
            values![from, account],
        ),
    }?;
    rows.into_iter().map(|row| read_project(row, keys)).collect()
}

fn ids(of: DestinationOf) -> (Option<ProjectId>, Option<AccountId>, Option<OrganisationId>) {
    match of {
        DestinationOf::Project(project) => (Some(project), None, None),
        DestinationOf::Account(account) => (None, Some(account), None),
        DestinationOf::Organisation(organisation) => (None, None, Some(organisation)),
    }
}

fn one(
    db: &mut dyn Executor,
    sql: &'static str,
    values: &[super::Value],
) -> Result<Option<DestinationRecord>, StoreError> {
    db.first(sql, values)?.map(read_destination).transpose()
}

fn read_destination(mut row: Row) -> Result<DestinationRecord, StoreError> {
    let of: (Option<ProjectId>, Option<AccountId>, Option<OrganisationId>) =
        (row.take(1)?, row.take(2)?, row.take(16)?);
    let of = match of {
        (Some(project), _, _) => DestinationOf::Project(project),
        (None, Some(account), _) => DestinationOf::Account(account),
        (None, None, Some(organisation)) => DestinationOf::Organisation(organisation),
        (None, None, None) => return Err(StoreError::Damaged("subject of a destination")),
    };
    let digest: Option<String> = row.take(6)?;
    let quiet: (Option<u32>, Option<u32>) = (row.take(7)?, row.take(8)?);
    let disabled: (Option<Millis>, Option<WebhookDisabled>) = (row.take(12)?, row.take(13)?);

    Ok(DestinationRecord {
        id: row.take(0)?,
        of,
        kind: row.take(3)?,
        address: row.take(4)?,
        events: listed(row.take(5)?),
        digest: digest.and_then(|word| word.parse().ok()),
        report: row.take(17)?,
        settings: row.take::<Option<_>>(18)?.unwrap_or_default(),
        quiet: quiet.0.zip(quiet.1),
        time_zone: row.take(9)?,
        confirmed_at: row.take(10)?,
        failing_since: row.take(11)?,
        disabled: disabled.0.zip(disabled.1),
        created_at: row.take(14)?,
    })
}
