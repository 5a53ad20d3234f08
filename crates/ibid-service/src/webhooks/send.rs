//! One attempt of a delivery.

use super::hosts::Turn;
use super::message::EventMessage;
use super::round::WebhookSender;
use super::secret::signatures;
use crate::clock::{millis, now_ms};
use crate::news::Hold;
use ibid_a2a::Wire;
use ibid_audit::fetch::{FetchError, FetchFailure, MessageAnswer};
use ibid_model::WebhookEvent;
use ibid_store::{
    AttemptOutcome, ClaimedDelivery, DeliveryAttempt, StoreError, WebhookDisabled, WebhookKind, WebhookRecord,
};
use jiff::Timestamp;
use serde_json::json;
use std::time::{Duration, Instant};

/// The longest wait that a server may ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(6 * 3_600);

impl WebhookSender {
    /// Sends a message once, if it is its turn, and records the attempt. Without a record, the lease ends and another
    /// attempt follows.
    pub(super) async fn deliver(&self, claimed: ClaimedDelivery) {
        match self.hold(&claimed).await {
            Ok(Hold::None) => {}
            Ok(Hold::For(wait)) => return self.postpone(&claimed, wait).await,
            Ok(Hold::Folded) | Err(StoreError::Lost) => return,
            // Without an attempt the lease ends, and another claim follows.
            Err(error) => {
                tracing::warn!(webhook = %claimed.webhook, error = crate::failure::chain(&error), "webhook.not_sent");
                return;
            }
        }
        let host = self.agent_host(&claimed);
        let turn = host.as_ref().map_or(Turn::Now, |host| {
            self.hosts.turn(host, claimed.tries, Instant::now())
        });
        let (attempt, outcome) = match turn {
            Turn::Now => self.attempt(&claimed, host.as_deref()).await,
            Turn::Later(wait) => return self.postpone(&claimed, wait).await,
            Turn::Never => (unsent(), AttemptOutcome::Failed),
        };
        if let Some(error) = &attempt.error {
            tracing::info!(
                webhook = %claimed.webhook,
                delivery = %claimed.held.id,
                attempt = claimed.tries + 1,
                status = attempt.status,
                error,
                "webhook.attempt.failed"
            );
        }
        let failing_before = attempt.at.saturating_sub(millis(self.settings.disable_after));
        let (held, db) = (claimed.held, &self.runs.db);
        let recorded = db.call(move |store| store.end_attempt(held, &attempt, outcome, failing_before));
        self.conclude(&claimed, recorded.await).await;
    }

    /// Returns the host of an agent that gets the message.
    /// `None` for a message to a caller, and for a refused address.
    fn agent_host(&self, claimed: &ClaimedDelivery) -> Option<String> {
        let target = self.judge(&claimed.url).ok();
        let target = target.filter(|_| claimed.kind == WebhookKind::Task)?;
        target.url().host_str().map(str::to_owned)
    }

    async fn attempt(
        &self,
        claimed: &ClaimedDelivery,
        host: Option<&str>,
    ) -> (DeliveryAttempt, AttemptOutcome) {
        let (at, begun) = (now_ms(), Instant::now());
        let answer = self.send(claimed, at).await;
        let error = fault(&answer);
        let again = host.is_none_or(|host| self.hosts.answered(host, error.is_none(), Instant::now()));
        let attempt = DeliveryAttempt {
            at,
            took: u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX),
            status: answer.as_ref().ok().map(|answer| answer.status.into()),
            error: error.map(str::to_owned),
        };
        let outcome = match self.outcome(&answer, (claimed.kind, claimed.tries), at) {
            AttemptOutcome::Retry(_) if !again => AttemptOutcome::Failed,
            outcome => outcome,
        };
        (attempt, outcome)
    }

    /// Leaves a message for later. It does not count as an attempt.
    async fn postpone(&self, claimed: &ClaimedDelivery, wait: Duration) {
        let (held, until) = (claimed.held, now_ms().saturating_add(millis(spread(wait))));
        let db = &self.runs.db;
        let postponed = db.call(move |store| store.postpone_delivery(held, until));
        self.conclude(claimed, postponed.await.map(|()| None)).await;
    }

    /// Reports what came of storing an attempt.
    async fn conclude(&self, claimed: &ClaimedDelivery, stored: Result<Option<WebhookRecord>, StoreError>) {
        match stored {
            Ok(None) => {}
            Ok(Some(disabled)) => self.give_notice(&disabled).await,
            // The delivery was deleted, or its subscription disabled, during the attempt.
            Err(StoreError::Lost) => {}
            Err(error) => tracing::warn!(
                webhook = %claimed.webhook,
                delivery = %claimed.held.id,
                error = crate::failure::chain(&error),
                "webhook.attempt.not_recorded"
            ),
        }
    }

    async fn send(&self, claimed: &ClaimedDelivery, at: i64) -> Result<MessageAnswer, FetchError> {
        let (messenger, body) = (&self.settings.messenger, claimed.payload.clone());
        match claimed.kind {
            WebhookKind::Mail | WebhookKind::Slack | WebhookKind::Discord | WebhookKind::Teams => {
                self.send_to_person(claimed).await
            }
            WebhookKind::Standard => {
                let target = messenger.judge(&claimed.url)?;
                let (id, timestamp) = (claimed.held.id.to_string(), (at / 1_000).to_string());
                let signature = signatures(&claimed.secrets, &id, &timestamp, &body)
                    .ok_or(FetchError::Failed(FetchFailure::Internal))?;
                let headers = [
                    ("webhook-id", id.as_str()),
                    ("webhook-timestamp", timestamp.as_str()),
                    ("webhook-signature", signature.as_str()),
                ];
                messenger.send(&target, &headers, body).await
            }
            WebhookKind::Task => {
                let target = messenger.judge(&claimed.url)?;
                let secrets = self.open_secrets(claimed)?;
                let media = match claimed.event == Wire::Rpc03.notice() {
                    true => "application/json",
                    false => "application/a2a+json",
                };
                let given = [
                    ("content-type", Some(media)),
                    ("x-a2a-notification-token", secrets.token.as_deref()),
                    ("authorization", secrets.authorization.as_deref()),
                ];
                let headers = given.into_iter().filter_map(|(name, value)| Some((name, value?)));
                messenger.send(&target, &headers.collect::<Vec<_>>(), body).await
            }
        }
    }

    fn outcome(
        &self,
        answer: &Result<MessageAnswer, FetchError>,
        (kind, tries): (WebhookKind, u32),
        at: i64,
    ) -> AttemptOutcome {
        let asked = match answer {
            Ok(answer) if (200..300).contains(&answer.status) => return AttemptOutcome::Delivered,
            Ok(answer) if is_gone(kind, answer.status) => return AttemptOutcome::Gone,
            Ok(answer) => answer.retry_after.unwrap_or_default().min(LONGEST_WAIT),
            Err(_) => Duration::ZERO,
        };
        match self.settings.waits.get(tries as usize) {
            Some(wait) => AttemptOutcome::Retry(at.saturating_add(millis(spread(*wait).max(asked)))),
            None => AttemptOutcome::Failed,
        }
    }

    /// Reports a disabled subscription to the operator and the owner's other subscriptions.
    async fn give_notice(&self, disabled: &WebhookRecord) {
        let reason = disabled.disabled.map_or("", |(_, reason)| reason.name());
        tracing::warn!(webhook = %disabled.id, owner = disabled.owner, reason, "webhook.disabled");
        if disabled.kind != WebhookKind::Standard {
            return;
        }
        let (at, _) = disabled.disabled.unwrap_or((now_ms(), WebhookDisabled::Failing));
        let data = json!({
            "webhookId": disabled.id,
            "name": disabled.name,
            "reason": reason,
            "links": {"self": format!("/api/v2/webhooks/{}", disabled.id)},
        });
        let when = Timestamp::from_millisecond(at).unwrap_or_default();
        // A subscription can be disabled several times.
        let subject = format!("{} {at}", disabled.id);
        let message = EventMessage::new(WebhookEvent::WebhookDisabled, subject, when, &data);
        let (owner, db) = (disabled.owner.clone(), &self.runs.db);
        let told = db.call(move |store| store.put_deliveries(&[message.to(&owner, None)], at));
        if let Err(error) = told.await {
            tracing::warn!(webhook = %disabled.id, error = crate::failure::chain(&error), "webhook.notice.failed");
        }
    }
}

/// Notes that a message was not sent, because its host did not take the one before.
fn unsent() -> DeliveryAttempt {
    DeliveryAttempt {
        at: now_ms(),
        took: 0,
        status: None,
        error: Some("unanswered".to_owned()),
    }
}

/// Whether a status says that there is no such reader.
const fn is_gone(kind: WebhookKind, status: u16) -> bool {
    match kind {
        WebhookKind::Standard | WebhookKind::Task => status == 410,
        // The address is unknown, moved or not allowed (RFC 5321, 4.2.3).
        WebhookKind::Mail => matches!(status, 550 | 551 | 553),
        // The webhook or its channel was deleted.
        WebhookKind::Slack | WebhookKind::Discord | WebhookKind::Teams => matches!(status, 404 | 410),
    }
}

/// Returns why an attempt failed, as a code such as `timeout`; `None` if it succeeded.
fn fault(answer: &Result<MessageAnswer, FetchError>) -> Option<&'static str> {
    match answer {
        Ok(answer) => match answer.status {
            200..300 => None,
            300..400 => Some("redirect"),
            _ => Some("status"),
        },
        Err(FetchError::Refused(_) | FetchError::RefusedRedirect(_)) => Some("address_refused"),
        Err(FetchError::Failed(FetchFailure::Dns)) => Some("dns"),
        Err(FetchError::Failed(FetchFailure::Connect)) => Some("connect"),
        Err(FetchError::Failed(FetchFailure::Timeout)) => Some("timeout"),
        Err(FetchError::Failed(_)) => Some("broken"),
    }
}

/// A wait that is up to a fifth longer, to spread attempts after a common failure.
fn spread(wait: Duration) -> Duration {
    let mut byte = [0_u8; 1];
    // Without random bytes the wait is as it is.
    let part = getrandom::fill(&mut byte).map_or(0, |()| byte[0]);
    wait + wait.mul_f64(f64::from(part) / 1_280.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_up_to_a_fifth_longer() {
        let wait = Duration::from_secs(100);
        for _ in 0..100 {
            assert!((wait..=wait.mul_f64(1.2)).contains(&spread(wait)));
        }
    }

    #[test]
    fn faults_have_codes() {
        let status = |status| {
            Ok(MessageAnswer {
                status,
                retry_after: None,
            })
        };
        assert_eq!(
            [204, 302, 410, 500].map(|code| fault(&status(code))),
            [None, Some("redirect"), Some("status"), Some("status")]
        );
        assert_eq!(
            fault(&Err(FetchError::Failed(FetchFailure::Timeout))),
            Some("timeout")
        );
    }
}
