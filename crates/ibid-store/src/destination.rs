//! Destinations: where people get news about a project, or a digest about all that an account sees.
//!
//! Its messages are deliveries: the webhook with the same id carries them.

use crate::Millis;
use crate::project::ProjectRecord;
use crate::webhook::{NewWebhook, WebhookDisabled, WebhookKind};
use ibid_model::{AccountId, OrganisationId, ProjectId, ProjectSettings, WebhookId};
use serde::Deserialize;

/// What the news are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DestinationOf {
    Project(ProjectId),
    /// The projects that an account sees.
    Account(AccountId),
    Organisation(OrganisationId),
}

impl DestinationOf {
    pub fn owner(self) -> String {
        match self {
            Self::Project(project) => format!("project {project}"),
            Self::Account(account) => format!("account {account}"),
            Self::Organisation(organisation) => format!("organisation {organisation}"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DigestPeriod {
    /// Every Monday.
    Weekly,
    /// On the first of every month.
    Monthly,
}

impl DigestPeriod {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Hours of a day in which no alert is sent: from the first to before the second, 0 to 23, perhaps over midnight.
pub type QuietHours = (u32, u32);

/// A destination to store. Its webhook lists no event but that of the confirmation until it is confirmed.
#[derive(Clone, Copy, Debug)]
pub struct NewDestination<'a> {
    pub of: DestinationOf,
    /// The row that carries the messages; its id is that of the destination.
    pub webhook: NewWebhook<'a>,
    /// The events that it gets once it is confirmed.
    pub events: &'a [&'a str],
    /// Its digest, with the time of the first one.
    pub digest: Option<(DigestPeriod, Millis)>,
    /// Whether the digest brings a report.
    pub report: bool,
    /// Hours without alerts.
    pub quiet: Option<QuietHours>,
    /// An IANA name, such as `Europe/Berlin`.
    pub time_zone: &'a str,
    /// The SHA-256 digest of the token that confirms it; `None` if it is confirmed already.
    pub confirmation: Option<[u8; 32]>,
    /// The SHA-256 digest of the token that ends it.
    pub token: [u8; 32],
}

/// A stored destination, without secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DestinationRecord {
    pub id: WebhookId,
    pub of: DestinationOf,
    pub kind: WebhookKind,
    /// Its address; of a chat program without the secret part.
    pub address: String,
    /// The events that it gets once it is confirmed.
    pub events: Vec<String>,
    pub digest: Option<DigestPeriod>,
    /// Whether the digest brings a report.
    pub report: bool,
    /// Those of its project, if it has one.
    pub settings: ProjectSettings,
    /// Hours without alerts.
    pub quiet: Option<QuietHours>,
    /// An IANA name, such as `Europe/Berlin`.
    pub time_zone: String,
    pub confirmed_at: Option<Millis>,
    /// Set by the first failure after a success.
    pub failing_since: Option<Millis>,
    /// The time from which messages stop, and the reason.
    pub disabled: Option<(Millis, WebhookDisabled)>,
    pub created_at: Millis,
}

/// How often something may be done in a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct DailyRoom {
    pub person: u32,
    pub organisation: u32,
    pub server: u32,
}

impl DailyRoom {
    /// Whether there is room beside what was used today. The last half of the server's room is for organisations that used none,
    /// so that no one of them stops the others.
    pub const fn fits(self, used: Self) -> bool {
        let is_shared = used.organisation == 0 || used.server < self.server / 2;
        used.person < self.person
            && used.organisation < self.organisation
            && used.server < self.server
            && is_shared
    }
}

/// Who makes a mail go out that asks for a confirmation, and the room for it.
#[derive(Clone, Copy, Debug)]
pub struct ConfirmationLimits<'a> {
    /// The time since which mails count.
    pub since: Millis,
    /// The person; `None` for a key. A person has room to write to the address of their own account, whatever others wrote to it.
    pub person: Option<AccountId>,
    /// Names the organisation, or the account where none is concerned.
    pub organisation: &'a str,
    pub room: DailyRoom,
    pub room_of_address: DailyRoom,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DestinationAdded {
    /// It is stored, with the message of its confirmation.
    Stored,
    /// The project or account has as many as it may have.
    TooMany,
    /// There is no room for another confirmation.
    TooManyConfirmations,
    /// There is one with this address.
    Exists,
}

/// A destination whose digest is due.
#[derive(Clone, Debug, PartialEq)]
pub struct DueDigest {
    pub destination: DestinationRecord,
    /// The time at which it was due.
    pub due: Millis,
    /// Its projects, by name.
    pub projects: Vec<ProjectRecord>,
    /// Whether a run that began lately is under way: its numbers belong in the digest.
    pub is_running: bool,
}
