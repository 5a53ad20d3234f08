//! Sending events to people.

use super::QuietTime;
use crate::webhooks::WebhookSender;
use ibid_audit::fetch::{FetchError, FetchFailure, MessageAnswer};
use ibid_model::Email;
use ibid_news::{Chat, Mail, MailFailure, Note};
use ibid_store::{ClaimedDelivery, StoreError, WebhookKind, WebhookSecret};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::time::Duration;

/// Events that are sent in quiet hours, too: someone waits for them, or chose their hour.
const NEVER_QUIET: [&str; 3] = ["news.confirm", "news.digest", "webhook.test"];

/// The chat program of a kind.
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
    #[must_use]
    pub(crate) fn sends_mail(&self) -> bool {
        self.settings
            .people
            .as_ref()
            .is_some_and(|people| people.mailer.is_some())
    }

    /// Sends an event to a person. The status of a mail is that of SMTP, and 250 counts as success.
    pub(crate) async fn send_to_person(
        &self,
        claimed: &ClaimedDelivery,
    ) -> Result<MessageAnswer, FetchError> {
        let internal = FetchError::Failed(FetchFailure::Internal);
        let Some(people) = &self.settings.people else {
            return Err(internal);
        };
        let note = Note::of_event(&claimed.payload, &people.base_url).map_err(|error| {
            tracing::warn!(delivery = %claimed.held.id, %error, "news.event.unreadable");
            FetchError::Failed(FetchFailure::Internal)
        })?;
        if let Some(chat) = chat_of(claimed.kind) {
            let secret = claimed.secrets.first().map_or(&[][..], WebhookSecret::reveal);
            let address = self.open_address(claimed.webhook, secret).ok_or(internal)?;
            let target = self.settings.messenger.judge(&address)?;
            let body = chat.body(&note).to_string().into_bytes();
            return self.settings.messenger.send(&target, &[], body).await;
        }
        let Some(mailer) = &people.mailer else {
            return Err(internal);
        };
        let token = claimed.secrets.first().map(WebhookSecret::reveal);
        let token = token
            .and_then(|token| str::from_utf8(token).ok())
            .unwrap_or_default();
        let base = people.base_url.as_str().trim_end_matches('/');
        let unsubscribe = format!("{base}/mail/unsubscribe/{token}");
        // A mail that asks for consent offers no list to leave.
        let unsubscribe = (claimed.event != "news.confirm").then_some(unsubscribe);
        let html = note.html(unsubscribe.as_deref());
        let (Ok(to), Ok(html)) = (claimed.url.parse::<Email>(), html) else {
            return Err(internal);
        };
        let mail = Mail {
            to,
            from_name: None,
            subject: note.subject.clone(),
            text: note.text(unsubscribe.as_deref()),
            html,
            id: claimed.held.id.to_string(),
            unsubscribe,
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
                return Err(internal);
            }
        };
        Ok(MessageAnswer {
            status,
            retry_after: None,
        })
    }

    /// The time for which an alert waits for the end of the quiet hours of its reader.
    pub(crate) async fn quiet_for(&self, claimed: &ClaimedDelivery) -> Result<Option<Duration>, StoreError> {
        if !WebhookKind::OF_PEOPLE.contains(&claimed.kind) || NEVER_QUIET.contains(&claimed.event.as_str()) {
            return Ok(None);
        }
        let id = claimed.webhook;
        let found = self.runs.db.call(move |store| store.destination(id)).await?;
        let Some(destination) = found else {
            return Ok(None);
        };
        let zone = TimeZone::get(&destination.time_zone).unwrap_or(TimeZone::UTC);
        let now = Timestamp::now();
        let end = destination
            .quiet
            .and_then(|hours| QuietTime { hours, zone }.end_at(now));
        Ok(end.and_then(|end| Duration::try_from(end.duration_since(now)).ok()))
    }
}
