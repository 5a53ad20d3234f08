//! Sending events to people.

use super::QuietTime;
use super::draft::next_morning;
use crate::failure::chain;
use crate::webhooks::{EventMessage, WebhookSender};
use ibid_audit::fetch::{FetchError, FetchFailure, MessageAnswer};
use ibid_model::{Email, WebhookEvent, WebhookId};
use ibid_news::{Chat, Mail, MailFailure, NewsEvent, Note, Summary};
use ibid_store::{ClaimedDelivery, StoreError, Summary as StoredSummary, WebhookKind, WebhookSecret};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::time::Duration;

/// Events that are sent in quiet hours, too: someone waits for them, or chose their hour.
const NEVER_QUIET: [&str; 4] = ["news.confirm", "news.digest", "news.summary", "webhook.test"];
/// Alerts that a destination gets one by one in a day; the others come in one summary on the next morning. Half as many
/// would hold back alerts on an agency's bad day, and twice as many make readers end all mails.
const A_DAY: u32 = 10;
/// The wait for a summary that is being sent.
const SUMMARY_SENT: Duration = Duration::from_secs(60);

/// What happens to a message before it is sent.
pub(crate) enum Hold {
    /// It is sent now.
    None,
    /// It waits.
    For(Duration),
    /// It became a part of a summary.
    Folded,
}

pub(super) const fn chat_of(kind: WebhookKind) -> Option<Chat> {
    match kind {
        WebhookKind::Slack => Some(Chat::Slack),
        WebhookKind::Discord => Some(Chat::Discord),
        WebhookKind::Teams => Some(Chat::Teams),
        WebhookKind::Standard | WebhookKind::Task | WebhookKind::Mail => None,
    }
}

impl WebhookSender {
    /// Whether mail is sent.
    pub(crate) fn sends_mail(&self) -> bool {
        let people = self.settings.people.as_ref();
        people.is_some_and(|people| people.mailer.is_some())
    }

    /// Sends an event to a person. A mail's status is that of SMTP, where 250 counts as success.
    pub(crate) async fn send_to_person(
        &self,
        claimed: &ClaimedDelivery,
    ) -> Result<MessageAnswer, FetchError> {
        let internal = || FetchError::Failed(FetchFailure::Internal);
        let people = self.settings.people.as_ref().ok_or_else(internal)?;
        let event = serde_json::from_slice(&claimed.payload).map_err(|error| {
            tracing::warn!(delivery = %claimed.held.id, %error, "news.event.unreadable");
            internal()
        })?;
        let mut note = Note::of_event(event, &people.base_url);
        if let Some(chat) = chat_of(claimed.kind) {
            let secret = claimed.secrets.first().map_or(&[][..], WebhookSecret::reveal);
            let address = self.open_address(claimed.webhook, secret).ok_or_else(internal)?;
            let target = self.settings.messenger.judge(&address)?;
            let body = chat.body(&note).to_string().into_bytes();
            return self.settings.messenger.send(&target, &[], body).await;
        }
        let mailer = people.mailer.as_ref().ok_or_else(internal)?;
        let token = claimed.secrets.first().map(WebhookSecret::reveal);
        let token = token
            .and_then(|token| str::from_utf8(token).ok())
            .unwrap_or_default();
        let base = people.base_url.as_str().trim_end_matches('/');
        let unsubscribe = format!("{base}/mail/unsubscribe/{token}");
        // A mail that asks for consent offers no list to leave.
        let unsubscribe = (claimed.event != "news.confirm").then_some(unsubscribe);
        let attachment = self.attachment(claimed, base, &mut note).await?;
        let html = note.html(unsubscribe.as_deref());
        let (Ok(to), Ok(html)) = (Email::stored(&claimed.url), html) else {
            return Err(internal());
        };
        let (from_name, reply_to) = self.sender_of(claimed).await.map_err(|error| {
            tracing::warn!(delivery = %claimed.held.id, error = chain(&error), "news.sender.unread");
            internal()
        })?;
        let mail = Mail {
            to,
            from_name,
            reply_to,
            subject: note.subject.clone(),
            text: note.text(unsubscribe.as_deref()),
            html,
            id: claimed.held.id.to_string(),
            unsubscribe,
            attachment,
        };
        if mailer.is_sandbox() {
            tracing::info!(to = %mail.to, subject = mail.subject, text = mail.text, "mail.sandbox");
        }
        let status = match mailer.send(&mail).await {
            Ok(()) => 250,
            Err(MailFailure::AddressRefused(status) | MailFailure::Status(status)) => status,
            Err(MailFailure::Timeout) => return Err(FetchError::Failed(FetchFailure::Timeout)),
            Err(MailFailure::Unreachable(cause)) => {
                tracing::warn!(delivery = %claimed.held.id, cause, "mail.unreachable");
                return Err(FetchError::Failed(FetchFailure::Connect));
            }
            Err(MailFailure::Unwritable(cause)) => {
                tracing::warn!(delivery = %claimed.held.id, cause, "mail.unwritable");
                return Err(internal());
            }
        };
        Ok(MessageAnswer {
            status,
            retry_after: None,
        })
    }

    /// Sends the link of an invitation, where the server sends mail. It is not repeated: the inviter has the link, too.
    pub(crate) async fn invite(&self, to: Email, path: &str) {
        let people = self.settings.people.as_ref();
        let Some((people, mailer)) = people.and_then(|people| Some((people, people.mailer.as_ref()?))) else {
            return;
        };
        let note = Note::invitation(people.base_url.as_str().trim_end_matches('/'), path);
        let sent = match note.html(None) {
            Ok(html) => {
                let mail = Mail {
                    to,
                    from_name: None,
                    reply_to: None,
                    text: note.text(None),
                    html,
                    subject: note.subject,
                    id: WebhookId::random().to_string(),
                    unsubscribe: None,
                    attachment: None,
                };
                mailer.send(&mail).await
            }
            Err(error) => Err(MailFailure::Unwritable(error.to_string())),
        };
        if let Err(failure) = sent {
            tracing::warn!(?failure, "mail.invitation.lost");
        }
    }

    /// Returns under which name a project sends, and its address for answers. A mail that asks strangers for consent has those
    /// of the service, so that no one is asked in another's name.
    async fn sender_of(
        &self,
        claimed: &ClaimedDelivery,
    ) -> Result<(Option<String>, Option<Email>), StoreError> {
        if claimed.event == "news.confirm" {
            return Ok((None, None));
        }
        let id = claimed.webhook;
        let found = self.runs.db.call(move |store| store.destination(id)).await?;
        Ok(found.map_or((None, None), |destination| {
            let settings = destination.settings;
            (settings.sender_name.map(Into::into), settings.reply_to)
        }))
    }

    /// Holds an alert back for its reader's quiet hours, and takes it into a summary where the reader had many today. An alert
    /// that was tried before is sent, because its answer may have been lost.
    pub(crate) async fn hold(&self, claimed: &ClaimedDelivery) -> Result<Hold, StoreError> {
        if !WebhookKind::OF_PEOPLE.contains(&claimed.kind) || NEVER_QUIET.contains(&claimed.event.as_str()) {
            return Ok(Hold::None);
        }
        let id = claimed.webhook;
        let found = self.runs.db.call(move |store| store.destination(id)).await?;
        let Some(destination) = found else {
            return Ok(Hold::None);
        };
        let zone = TimeZone::get(&destination.time_zone).unwrap_or(TimeZone::UTC);
        let now = Timestamp::now();
        let quiet = destination.quiet.map(|hours| QuietTime {
            hours,
            zone: zone.clone(),
        });
        if let Some(end) = quiet.and_then(|quiet| quiet.end_at(now)) {
            return Ok(Duration::try_from(end.duration_since(now)).map_or(Hold::None, Hold::For));
        }
        match claimed.tries {
            0 => self.fold(claimed, &zone, now).await,
            _ => Ok(Hold::None),
        }
    }

    async fn fold(
        &self,
        claimed: &ClaimedDelivery,
        zone: &TimeZone,
        now: Timestamp,
    ) -> Result<Hold, StoreError> {
        let (held, local) = (claimed.held, now.to_zoned(zone.clone()));
        let today = local.start_of_day().map_or(now, |began| began.timestamp());
        let since = today.as_millisecond();
        let before = self.runs.db.call(move |store| store.alerts_before(held, since));
        if before.await? < A_DAY {
            return Ok(Hold::None);
        }
        let (Some(people), Ok(event)) = (&self.settings.people, serde_json::from_slice(&claimed.payload))
        else {
            return Ok(Hold::None);
        };
        let note = Note::of_event(event, &people.base_url);
        let due = next_morning(zone, now);
        let subject = due.to_zoned(zone.clone()).date().to_string();
        let folded = self.runs.db.call(move |store| {
            let join = |before: Option<&[u8]>| joined(before, &note, now);
            let into = StoredSummary {
                event: WebhookEvent::NewsSummary.name(),
                subject: &subject,
                due: due.as_millisecond(),
                join: &join,
            };
            store.fold_delivery(held, &into, now.as_millisecond())
        });
        Ok(match folded.await? {
            true => Hold::Folded,
            false => Hold::For(SUMMARY_SENT),
        })
    }
}

/// Writes a summary with one more alert.
fn joined(before: Option<&[u8]>, note: &Note, now: Timestamp) -> Vec<u8> {
    let mut summary = match before.map(serde_json::from_slice) {
        Some(Ok(NewsEvent::Summary(summary))) => summary,
        _ => Summary::default(),
    };
    summary.add(note);
    EventMessage::news(&NewsEvent::Summary(summary), "", now).into_payload()
}
