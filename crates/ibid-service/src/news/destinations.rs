//! Making, reading and ending destinations.

use super::draft::{DestinationDraft, alert_names, kind_name, next_digest};
use crate::accounts::SessionToken;
use crate::clock::{millis, now_ms};
use crate::daily_turns::DAY;
use crate::error::Error;
use crate::job::CallerId;
use crate::projects::{Projects, change};
use crate::webhooks::{EventMessage, SigningSecret, WebhookSender};
use ibid_model::{AccountId, FaultCode, Faults, WebhookId};
use ibid_news::Note;
use ibid_news::{Confirmation, ConfirmationOf, NewsEvent};
use ibid_store::{
    CONFIRMATIONS, CONFIRMATIONS_TO_ONE, ConfirmationLimits, DestinationAdded, DestinationOf,
    DestinationRecord, DigestPeriod, NewDestination, NewWebhook, ProjectScope, Right, Store, StoreError,
    WebhookKind, WebhookSecret,
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Instant;

/// Most destinations of a project or an account.
const MOST: u32 = 50;

/// A destination as its owner sees it.
#[derive(Clone, Debug)]
pub struct DestinationView(pub DestinationRecord);

#[derive(Debug)]
pub struct AddedDestination {
    pub view: DestinationView,
    /// Whether a mail asks its reader to confirm the address.
    pub waits_for_confirmation: bool,
    /// The secret that signs the messages to a program, to be shown once.
    pub secret: Option<SigningSecret>,
}

impl AddedDestination {
    pub fn document(&self) -> Value {
        let mut document = self.view.document();
        if let Some(secret) = &self.secret {
            document["secret"] = json!(secret.reveal());
        }
        document
    }
}

impl DestinationView {
    /// The alerts that it gets: `changes`, `questions`, `failures`, `budget`.
    pub fn alerts(&self) -> Vec<&'static str> {
        alert_names(&self.0.events)
    }

    /// The state: `waiting` for its confirmation, `active`, or the reason why it gets no messages: `failing`, `gone`,
    /// `unsubscribed` or `owner`.
    pub fn state(&self) -> &'static str {
        match (self.0.disabled, self.0.confirmed_at) {
            (Some((_, reason)), _) => reason.name(),
            (None, None) => "waiting",
            (None, Some(_)) => "active",
        }
    }

    /// Whether it gets the news of every project that the organisation has.
    pub const fn is_of_organisation(&self) -> bool {
        matches!(self.0.of, DestinationOf::Organisation(_))
    }

    /// What its news is about, in words.
    pub const fn about(&self) -> &'static str {
        match self.0.of {
            DestinationOf::Project(_) => "this project",
            DestinationOf::Account(_) => "all of your projects",
            DestinationOf::Organisation(_) => "all projects of the organisation",
        }
    }

    pub fn document(&self) -> Value {
        let record = &self.0;
        let at =
            |millis: i64| ibid_model::time::text(Timestamp::from_millisecond(millis).unwrap_or_default());
        json!({
            "destinationId": record.id,
            "kind": kind_name(record.kind),
            "of": if self.is_of_organisation() { "organisation" } else { "project" },
            "address": record.address,
            "state": self.state(),
            "alerts": self.alerts(),
            "digest": record.digest.map(DigestPeriod::as_str),
            "report": record.report,
            "quietFrom": record.quiet.map(|(from, _)| from),
            "quietTo": record.quiet.map(|(_, to)| to),
            "timeZone": record.time_zone,
            "confirmedAt": record.confirmed_at.map(at),
            "failingSince": record.failing_since.map(at),
            "createdAt": at(record.created_at),
        })
    }
}

impl Projects {
    /// Lists a project's destinations, the oldest first, and for those who manage it also those of its organisation.
    pub async fn destinations(&self, scope: &ProjectScope) -> Result<Vec<DestinationView>, Error> {
        let own = DestinationOf::Project(scope.project());
        let mut found = self.destinations_of(own).await?;
        if scope.may(Right::AdminOrganisation) {
            let all = DestinationOf::Organisation(scope.organisation());
            found.extend(self.destinations_of(all).await?);
        }
        Ok(found)
    }

    /// Whether the server sends mail.
    pub fn sends_mail(&self) -> bool {
        let sender = self.hooks.sender.as_ref();
        sender.is_some_and(|sender| sender.sends_mail())
    }

    /// Lists where an account gets its digests, the oldest first.
    pub async fn own_destinations(&self, account: AccountId) -> Result<Vec<DestinationView>, Error> {
        self.destinations_of(DestinationOf::Account(account)).await
    }

    /// Adds a destination to a project, or with `of` `organisation` to all projects of its organisation. A mail asks whoever
    /// reads a new address to confirm it; a chat program gets a message at once, and is refused if that does not arrive.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for all projects, without the right to manage; [`Error::Invalid`], also for a message that does not
    /// arrive; [`Error::WebhooksUnavailable`]; [`Error::QueueKeysUnavailable`] where a chat program's address cannot be sealed;
    /// [`Error::Store`].
    pub(crate) async fn add_destination(
        &self,
        scope: &ProjectScope,
        body: &Map<String, Value>,
    ) -> Result<AddedDestination, Error> {
        let view = self.get(scope).await?;
        let zone = view.schedule.as_ref().and_then(|schedule| {
            let members = schedule.recurrence.members();
            members.get("timeZone")?.as_str().map(str::to_owned)
        });
        let draft = DestinationDraft::read(body, zone.as_deref().unwrap_or("UTC")).map_err(Error::Invalid)?;
        let of = match body.get("of").and_then(Value::as_str) {
            None | Some("project") => DestinationOf::Project(scope.project()),
            Some("organisation") if scope.may(Right::AdminOrganisation) => {
                DestinationOf::Organisation(scope.organisation())
            }
            Some("organisation") => return Err(Error::Forbidden),
            Some(_) => {
                let message = "of must be project or organisation";
                return Err(Error::Invalid(Faults::one("/of", FaultCode::Invalid, message)));
            }
        };
        let asker = Asker {
            person: scope.account(),
            organisation: DestinationOf::Organisation(scope.organisation()).owner(),
        };
        self.put_destination(of, asker, draft, Some(scope.clone())).await
    }

    /// Adds a destination for digests about all projects that an account sees. A mail asks to confirm any address, because no
    /// one has shown yet that an account's address is read.
    pub async fn add_own_destination(
        &self,
        account: AccountId,
        body: &Map<String, Value>,
    ) -> Result<AddedDestination, Error> {
        let mut body = body.clone();
        body.insert("alerts".to_owned(), json!([]));
        let draft = DestinationDraft::read(&body, "UTC").map_err(Error::Invalid)?;
        let of = DestinationOf::Account(account);
        let asker = Asker {
            person: Some(account),
            organisation: of.owner(),
        };
        self.put_destination(of, asker, draft, None).await
    }

    pub(crate) async fn delete_destination(&self, scope: &ProjectScope, id: &str) -> Result<(), Error> {
        let all = DestinationOf::Organisation(scope.organisation());
        let own = DestinationOf::Project(scope.project());
        match self.remove_destination(own, id, Some(scope)).await {
            Err(Error::WebhookNotFound) if scope.may(Right::AdminOrganisation) => {
                self.remove_destination(all, id, Some(scope)).await
            }
            removed => removed,
        }
    }

    pub async fn delete_own_destination(&self, account: AccountId, id: &str) -> Result<(), Error> {
        let own = DestinationOf::Account(account);
        self.remove_destination(own, id, None).await
    }

    /// Sends its digest to a confirmed destination of a project now; where it gets none, a message to try it.
    ///
    /// # Errors
    /// [`Error::WebhookNotFound`]; [`Error::WebhookDisabled`] for one that gets no messages; [`Error::TooMany`];
    /// [`Error::Store`].
    pub(crate) async fn test_destination(&self, scope: &ProjectScope, id: &str) -> Result<(), Error> {
        let found = self.destinations(scope).await?.into_iter();
        let mut found = found.filter(|view| view.0.id.to_string() == id);
        let view = found.next().ok_or(Error::WebhookNotFound)?;
        if view.state() != "active" {
            return Err(Error::WebhookDisabled);
        }
        let organisation = DestinationOf::Organisation(scope.organisation()).owner();
        let tests = &self.hooks.webhook_sender()?.tests;
        let _counted = tests.start(&CallerId::stored(&organisation), Instant::now())?;
        if view.0.digest.is_some() {
            let id = view.0.id;
            let hastened = self.db().call(move |store| store.hasten_digest(id, now_ms()));
            return Ok(hastened.await?);
        }
        let name = self.get(scope).await?.record.name;
        let (now, owner) = (now_ms(), view.0.of.owner());
        let at = Timestamp::from_millisecond(now).unwrap_or_default();
        let subject = WebhookId::random().to_string();
        let message = EventMessage::news(&NewsEvent::Test { name }, subject, at);
        let put = move |store: &Store| store.put_deliveries(&[message.to(&owner, Some(view.0.id))], now);
        self.db().call(put).await?;
        Ok(())
    }

    /// The destination that a link in a mail confirms or ends.
    ///
    /// # Errors
    /// [`Error::WebhookNotFound`] for an unknown token; [`Error::Store`].
    pub async fn destination_of_token(&self, token: &str) -> Result<DestinationView, Error> {
        self.by_token(token, Store::destination_of_token).await
    }

    pub async fn confirm_destination(&self, token: &str) -> Result<DestinationView, Error> {
        self.by_token(token, |store, hash| store.confirm_destination(hash, now_ms()))
            .await
    }

    /// Ends the messages to the destination of a token.
    pub async fn end_destination(&self, token: &str) -> Result<DestinationView, Error> {
        self.by_token(token, |store, hash| store.end_destination(hash, now_ms()))
            .await
    }

    /// Finds the destination of a token, of which the store has only the digest.
    async fn by_token(
        &self,
        token: &str,
        find: impl FnOnce(&Store, [u8; 32]) -> Result<Option<DestinationRecord>, StoreError> + Send + 'static,
    ) -> Result<DestinationView, Error> {
        let token = SessionToken::parse(token).ok_or(Error::WebhookNotFound)?;
        let hash = token.hash();
        let found = self.db().call(move |store| find(store, hash)).await?;
        found.map(DestinationView).ok_or(Error::WebhookNotFound)
    }

    async fn destinations_of(&self, of: DestinationOf) -> Result<Vec<DestinationView>, Error> {
        let found = self.db().call(move |store| store.destinations(of)).await?;
        Ok(found.into_iter().map(DestinationView).collect())
    }

    async fn remove_destination(
        &self,
        of: DestinationOf,
        id: &str,
        scope: Option<&ProjectScope>,
    ) -> Result<(), Error> {
        let id: WebhookId = id.parse().map_err(|_| Error::WebhookNotFound)?;
        let scope = scope.cloned();
        let deleted = self.db().call(move |store| {
            let members = json!({"destinationId": id}).to_string();
            let noted = scope.as_ref();
            let noted = noted.map(|scope| (scope, change("destination_removed", &members)));
            store.delete_destination(of, id, noted)
        });
        deleted.await?.then_some(()).ok_or(Error::WebhookNotFound)
    }

    async fn put_destination(
        &self,
        of: DestinationOf,
        asker: Asker,
        draft: DestinationDraft,
        scope: Option<ProjectScope>,
    ) -> Result<AddedDestination, Error> {
        let why = match of {
            _ if !draft.report => None,
            DestinationOf::Project(_) if self.draws_pdf() => None,
            DestinationOf::Project(_) => {
                Some("this server draws no PDF: its program was built without the feature pdf")
            }
            DestinationOf::Account(_) | DestinationOf::Organisation(_) => {
                Some("a report is about one project: add the address to it")
            }
        };
        if let Some(why) = why {
            return Err(Error::Invalid(Faults::one("/report", FaultCode::Invalid, why)));
        }
        let sender = Arc::clone(self.hooks.webhook_sender()?);
        let (id, now) = (WebhookId::random(), now_ms());
        let token = SessionToken::random()?;
        let mut secret = None;
        let carrier = match draft.kind {
            WebhookKind::Mail => sender.mail_carrier(&draft, &token)?,
            WebhookKind::Standard => {
                let own = secret.insert(SigningSecret::random()?);
                sender.program_carrier(&draft, own)?
            }
            _ => sender.chat_carrier(id, &draft).await?,
        };
        let confirmation = match draft.kind {
            WebhookKind::Mail => Some(SessionToken::random()?),
            _ => None,
        };
        let owner = of.owner();
        let at = Timestamp::from_millisecond(now).unwrap_or_default();
        let first = confirmation.as_ref().map(|confirmation| {
            let of = match of {
                DestinationOf::Project(_) => ConfirmationOf::Project,
                DestinationOf::Account(_) => ConfirmationOf::Account,
                DestinationOf::Organisation(_) => ConfirmationOf::Organisation,
            };
            let token = confirmation.reveal().to_string();
            let asked = NewsEvent::Confirm(Confirmation { of, token });
            EventMessage::news(&asked, id.to_string(), at)
        });
        let waits = confirmation.is_some();
        let stored = self.db().call(move |store| {
            let zone = draft.zone.iana_name().unwrap_or("UTC");
            let listed: &[&str] = match waits {
                true => &["news.confirm"],
                false => &draft.events,
            };
            let destination = NewDestination {
                of,
                webhook: NewWebhook {
                    id,
                    owner: &owner,
                    kind: draft.kind,
                    url: &carrier.shown,
                    events: listed,
                    name: "",
                    secret: &carrier.secret,
                    created_at: now,
                },
                events: &draft.events,
                digest: draft
                    .digest
                    .map(|period| (period, next_digest(period, &draft.zone, at).as_millisecond())),
                report: draft.report,
                quiet: draft.quiet,
                time_zone: zone,
                confirmation: confirmation.as_ref().map(SessionToken::hash),
                token: token.hash(),
            };
            let first = first.as_ref().map(|message| message.to(&owner, Some(id)));
            let limits = ConfirmationLimits {
                since: now.saturating_sub(millis(DAY)),
                person: asker.person,
                organisation: &asker.organisation,
                room: CONFIRMATIONS.room,
                room_of_address: CONFIRMATIONS_TO_ONE.room,
            };
            let members = json!({"kind": kind_name(draft.kind), "address": carrier.shown}).to_string();
            let noted = scope
                .as_ref()
                .map(|scope| (scope, change("destination_added", &members)));
            let added = store.add_destination(&destination, first.as_ref(), MOST, limits, noted)?;
            Ok((added, store.destination(id)?))
        });
        let refused = |message: String| Err(refused_address(message));
        match stored.await? {
            (DestinationAdded::Stored, Some(record)) => Ok(AddedDestination {
                view: DestinationView(record),
                waits_for_confirmation: waits,
                secret,
            }),
            (DestinationAdded::TooMany, _) => {
                refused(format!("there are {MOST} destinations: remove one first"))
            }
            (DestinationAdded::TooManyConfirmations, _) => {
                refused("too many confirmations were sent today: try again tomorrow".to_owned())
            }
            (DestinationAdded::Exists | DestinationAdded::Stored, _) => {
                refused("there is a destination with this address: remove it first to change it".to_owned())
            }
        }
    }
}

/// Who adds a destination, for the room of the day.
struct Asker {
    person: Option<AccountId>,
    /// Name of the organisation, or of the account whose digest it is.
    organisation: String,
}

/// What a destination's row keeps of its address.
pub(super) struct Carrier {
    /// The address, without its secret part.
    shown: String,
    secret: WebhookSecret,
}

impl WebhookSender {
    fn mail_carrier(&self, draft: &DestinationDraft, token: &SessionToken) -> Result<Carrier, Error> {
        if !self.sends_mail() {
            let message = "this server sends no mail: its operator sets SMTP_URL and SMTP_FROM";
            return Err(Error::Invalid(Faults::one("/kind", FaultCode::Invalid, message)));
        }
        Ok(Carrier {
            shown: draft.address.clone(),
            secret: WebhookSecret::new(token.reveal().as_bytes().to_vec()),
        })
    }

    /// Judges the address of a program, whose messages are signed.
    fn program_carrier(&self, draft: &DestinationDraft, secret: &SigningSecret) -> Result<Carrier, Error> {
        let judged = self.judge(&draft.address).map_err(refused_address)?;
        Ok(Carrier {
            shown: judged.url().to_string(),
            secret: secret.stored().clone(),
        })
    }

    /// Sends a first message to a chat program, and seals its address.
    async fn chat_carrier(&self, id: WebhookId, draft: &DestinationDraft) -> Result<Carrier, Error> {
        let target = self.judge(&draft.address).map_err(refused_address)?;
        let chat = super::send::chat_of(draft.kind).ok_or(Error::WebhookNotFound)?;
        // Plain http is taken only from the operator's list, which may name a relay or a test server.
        if target.url().scheme() == "https" {
            let checked = chat.check(target.url());
            checked.map_err(|error| refused_address(format!("the address {error}")))?;
        }
        let secret = self.seal(id, target.url().as_str().as_bytes())?;
        // Nothing shows yet that who reads the channel expects news, so the message has no word of a person.
        let people = self.settings.people.as_ref();
        let server = people.and_then(|people| people.base_url.host_str());
        let note = Note::test(server.unwrap_or("this server"));
        let body = serde_json::to_vec(&chat.body(&note))?;
        let sent = self.settings.messenger.send(&target, &[], body).await;
        match sent {
            Ok(answer) if (200..300).contains(&answer.status) => Ok(Carrier {
                shown: shown(target.url()),
                secret,
            }),
            Ok(answer) => {
                let status = answer.status;
                Err(refused_address(format!(
                    "the test message was refused with status {status}"
                )))
            }
            Err(error) => Err(refused_address(format!(
                "the test message did not arrive: {error}"
            ))),
        }
    }
}

fn refused_address(why: impl ToString) -> Error {
    Error::Invalid(Faults::one("/address", FaultCode::Invalid, why.to_string()))
}

/// Returns the part of a channel's address that is no secret, such as `https://hooks.slack.com/…`.
fn shown(url: &url::Url) -> String {
    format!("{}://{}/…", url.scheme(), url.host_str().unwrap_or_default())
}
