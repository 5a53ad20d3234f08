//! Webhooks by the convention Standard Webhooks, and push notifications for agents: subscriptions, and sending
//! events to them.
//!
//! An event is stored as deliveries, in one transaction with its cause if possible. A background round of every
//! process claims due deliveries with leases and sends each once a claim. A failed message is sent again, under the
//! same id, for about a day.
//! A subscription whose attempts all fail for days is disabled.

mod handle;
mod hosts;
mod message;
mod places;
mod round;
mod secret;
mod send;
mod settings;
mod subscriptions;
mod task_secrets;

pub use handle::Hooks;
pub use message::{EventMessage, RunNotice};
pub(crate) use round::WebhookSender;
pub use secret::SigningSecret;
pub use settings::{PeopleSettings, WebhookSettings};
pub use subscriptions::NewSubscription;
