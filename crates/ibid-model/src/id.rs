//! Identifiers: one type a kind, no conversion between kinds.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// A random UUIDv4: knowing it is the capability to read what it names.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// A new random id.
            #[must_use]
            pub fn random() -> Self {
                Self(Uuid::new_v4())
            }

            /// Returns the 16 bytes that stores keep.
            pub fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }

            /// The id that [`Self::as_bytes`] gave.
            #[must_use]
            pub fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Uuid::from_bytes(bytes))
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}

ids! {
    /// Names one scan, or any other paid piece of work.
    ScanId;
    /// Names one task of the agent-to-agent surface.
    TaskId;
    /// Groups the tasks in one conversation between agents.
    ContextId;
    /// Names one receipt.
    ReceiptId;
    /// Names one account of the web workspace.
    AccountId;
    /// Names one subscription to events.
    WebhookId;
    /// Names one event on its way to one subscription. It stays the same when the event is sent again.
    DeliveryId;
    /// Names one batch of queued scans.
    BatchId;
    /// Names one schedule.
    ScheduleId;
    /// Names one alert about a schedule.
    AlertId;
    /// Names one set of questions.
    QuestionSetId;
    /// Names one organisation.
    OrganisationId;
    /// Names one project.
    ProjectId;
    /// Names one rival of a project.
    RivalId;
    /// Names one note of a project.
    AnnotationId;
    /// Names one key that belongs to a project or an organisation.
    ApiKeyId;
    /// Names one key to the feeds of a project.
    FeedKeyId;
    /// Names one action of a project.
    ActionId;
    /// Names one report of a project.
    ReportId;
    /// Names one import of a website's own data.
    OwnFileId;
    /// Names one import of answers that were given elsewhere.
    AnswerImportId;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_and_parses() {
        let id = ScanId::random();
        assert_eq!(id.to_string().parse::<ScanId>().unwrap(), id);
        assert_eq!(ScanId::from_bytes(*id.as_bytes()), id);
        assert_eq!(serde_json::to_string(&id).unwrap(), format!("\"{id}\""));
        assert!("scan-1".parse::<ScanId>().is_err());
    }

    #[test]
    fn two_ids_differ() {
        assert_ne!(ScanId::random(), ScanId::random());
    }
}
