//! Places for messages under way, shared between owners and their subscriptions.

use ibid_model::WebhookId;
use ibid_store::DueWebhook;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// The most messages to one subscription in a claim, so that other due ones soon get their share.
const AT_ONCE: usize = 8;

/// Places for messages under way.
/// An owner holds no more than are free, and each of its subscriptions no more than that leaves,
/// so slow receivers do not delay other owners' messages.
pub(super) struct Places {
    most: usize,
    /// Which subscription each message under way is for.
    held: Mutex<Vec<DueWebhook>>,
    freed: Notify,
}

/// A place that is held until this is dropped.
pub(super) struct Place {
    places: Arc<Places>,
    webhook: DueWebhook,
}

impl Places {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            held: Mutex::default(),
            freed: Notify::new(),
        })
    }

    /// Shares the free places between subscriptions with due deliveries.
    /// Those with few messages under way come first.
    pub(super) fn share(&self, due: &[DueWebhook]) -> Vec<(WebhookId, u32)> {
        let held = self.held();
        let mut free = self.most.saturating_sub(held.len());
        let mut shares: Vec<_> = due
            .iter()
            .map(|webhook| {
                let own = held.iter().filter(|other| other.owner == webhook.owner);
                let same = own.clone().filter(|other| other.id == webhook.id).count();
                (own.count(), same, webhook)
            })
            .collect();
        drop(held);
        shares.sort_by_key(|(own, same, _)| (*own, *same));
        let mut wanted: Vec<(WebhookId, u32)> = Vec::new();
        let mut given: Vec<(&str, usize)> = Vec::new();
        for (own, same, webhook) in shares {
            let before = given.iter().filter(|(owner, _)| *owner == webhook.owner);
            let own = own + before.map(|(_, most)| most).sum::<usize>();
            let most = free.saturating_sub(own + same).div_ceil(2).min(AT_ONCE);
            if most > 0 {
                free -= most;
                given.push((&webhook.owner, most));
                wanted.push((webhook.id, u32::try_from(most).unwrap_or(u32::MAX)));
            }
        }
        wanted
    }

    /// Takes a place for a message.
    pub(super) fn take(self: &Arc<Self>, webhook: DueWebhook) -> Place {
        self.held().push(webhook.clone());
        Place {
            places: Arc::clone(self),
            webhook,
        }
    }

    /// Waits until a place is given back, at most so long.
    pub(super) async fn freed(&self, within: Duration) {
        // Time alone is a reason to look again.
        let _ = tokio::time::timeout(within, self.freed.notified()).await;
    }

    fn held(&self) -> MutexGuard<'_, Vec<DueWebhook>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut held = self.places.held();
        if let Some(at) = held.iter().position(|webhook| *webhook == self.webhook) {
            held.swap_remove(at);
        }
        drop(held);
        self.places.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(owner: &str, number: u8) -> DueWebhook {
        DueWebhook {
            id: WebhookId::from_bytes([number; 16]),
            owner: owner.to_owned(),
        }
    }

    /// Takes all shared places until no more are shared out.
    fn fill(places: &Arc<Places>, webhooks: &[DueWebhook], held: &mut Vec<Place>) {
        loop {
            let wanted = places.share(webhooks);
            if wanted.is_empty() {
                return;
            }
            for (id, most) in wanted {
                let webhook = webhooks.iter().find(|webhook| webhook.id == id).unwrap();
                held.extend((0..most).map(|_| places.take(webhook.clone())));
            }
        }
    }

    fn count(held: &[Place], owner: &str) -> usize {
        held.iter().filter(|place| place.webhook.owner == owner).count()
    }

    #[test]
    fn some_places_are_left_for_an_owner_without_one() {
        let (places, mut held) = (Places::new(64), Vec::new());
        let loud: Vec<_> = (1..20).map(|number| due("loud", number)).collect();
        fill(&places, &loud, &mut held);
        assert_eq!(count(&held, "loud"), 32);
        let mut owners = vec![due("calm", 30)];
        fill(&places, &owners, &mut held);
        assert!(count(&held, "calm") >= 10, "{}", count(&held, "calm"));
        for number in 31..40 {
            owners.push(due(&number.to_string(), number));
            fill(&places, &owners, &mut held);
            assert!(
                count(&held, &number.to_string()) > 0 || held.len() == 64,
                "{number}"
            );
        }
    }

    #[test]
    fn subscriptions_of_one_owner_share_its_places() {
        let (places, mut held) = (Places::new(64), Vec::new());
        fill(&places, &[due("shop", 1)], &mut held);
        let first = held.len();
        assert!((16..=32).contains(&first), "{first}");
        fill(&places, &[due("shop", 1), due("shop", 2)], &mut held);
        assert!(held.len() > first);
    }

    #[test]
    fn a_place_given_back_is_shared_again() {
        let (places, mut held) = (Places::new(2), Vec::new());
        let webhooks = [due("shop", 1)];
        fill(&places, &webhooks, &mut held);
        assert_eq!(held.len(), 1);
        held.clear();
        assert_eq!(places.share(&webhooks), [(webhooks[0].id, 1)]);
    }
}
