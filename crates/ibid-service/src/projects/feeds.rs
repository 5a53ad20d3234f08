//! Feeds of projects: their keys, and the numbers that they open.

use super::conversions::{at, change, full};
use super::draft::name_of;
use super::handle::Projects;
use super::keys::NewSecret;
use super::mentions::ProjectSources;
use crate::accounts::random_text;
use crate::clock::{millis, now_ms};
use crate::error::Error;
use crate::job::CallerId;
use crate::limits::Limits;
use ibid_model::{Faults, FeedKeyId};
use ibid_store::{FeedGrouping, FeedKeyRecord, FeedRow, NewFeedKey, ProjectScope, Store};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::time::{Duration, Instant};

/// Every key to feeds begins so, for programs that look for leaked secrets.
const PREFIX: &str = "ibidf_";
/// Random bytes of a key.
const BYTES: usize = 32;
/// Most keys to the feeds of a project.
const MOST: u32 = 20;
const YEAR: Duration = Duration::from_secs(365 * 86_400);
/// Rows of a feed: some 5 MB. Spreadsheets take little more from an address.
const MOST_ROWS: u32 = 50_000;
/// Requests with one key in an hour, and at once.
const REQUESTS: (u32, u32) = (60, 4);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedTable {
    /// One row for each day.
    Daily,
    /// One row for each day and model.
    Models,
    /// One row for each site that the last run cites.
    Sources,
    /// One row for each day and question.
    Questions,
}

impl FeedTable {
    /// Every table.
    pub const ALL: [Self; 4] = [Self::Daily, Self::Models, Self::Sources, Self::Questions];

    /// Returns the last part of its path, such as `daily.csv`.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Daily => "daily.csv",
            Self::Models => "models.csv",
            Self::Sources => "sources.csv",
            Self::Questions => "questions.csv",
        }
    }

    pub fn of_file_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.file_name() == name)
    }

    const fn is_detail(self) -> bool {
        matches!(self, Self::Sources | Self::Questions)
    }
}

/// What a feed says, and about which website.
#[derive(Clone, Debug)]
pub struct Feed {
    pub domain: String,
    pub rows: FeedRows,
}

#[derive(Clone, Debug)]
pub enum FeedRows {
    /// Counts by day.
    Counts(Vec<FeedRow>),
    /// What the last run cites.
    Sources(Box<ProjectSources>),
}

/// A key to the feeds of a project.
pub type NewFeed = NewSecret<FeedKeyId>;

/// Counts the requests of keys to feeds.
pub(crate) fn limits() -> Limits {
    Limits::of(REQUESTS.0, REQUESTS.1)
}

/// A key to feeds as the API shows it.
pub fn feed_key_document(key: &FeedKeyRecord) -> Value {
    json!({
        "feedKeyId": key.id,
        "name": key.name,
        "detail": key.detail,
        "createdAt": at(key.created_at),
        "usedAt": key.used_at.map(at),
        "expiresAt": at(key.expires_at),
    })
}

impl Projects {
    /// Returns the keys to a project's feeds, the oldest first.
    pub async fn feed_keys(&self, scope: &ProjectScope) -> Result<Vec<FeedKeyRecord>, Error> {
        self.of(scope, Store::feed_keys).await
    }

    /// Makes a key to the feeds of a project by `name` and `detail`, which opens sources and questions, too.
    ///
    /// # Errors
    /// [`Error::Invalid`], also for a key too many; no random bytes; [`Error::Store`].
    pub(super) async fn make_feed_key(
        &self,
        scope: &ProjectScope,
        body: &Map<String, Value>,
    ) -> Result<NewFeed, Error> {
        let mut faults = Faults::default();
        let name = name_of(body, "name", &mut faults);
        let detail = match body.get("detail") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(detail)) => *detail,
            Some(_) => {
                faults.invalid("/detail", "detail must be true or false");
                false
            }
        };
        faults.into_result(())?;
        let key = NewFeed {
            id: FeedKeyId::random(),
            secret: format!("{PREFIX}{}", random_text::<BYTES>()?),
        };
        let (id, hash) = (key.id, Sha256::digest(key.secret.as_bytes()).into());
        let added = self.of(scope, move |store, scope| {
            let new = NewFeedKey {
                id,
                name: &name,
                hash: &hash,
                detail,
                expires_at: now_ms().saturating_add(millis(YEAR)),
            };
            let members = json!({"feedKeyId": id, "name": name, "detail": detail}).to_string();
            store.add_feed_key(scope, &new, MOST, change("feed_key_made", &members))
        });
        let full = || full(MOST, "keys to its feeds: revoke");
        added.await?.then_some(key).ok_or_else(full)
    }

    /// Ends a key to the feeds of a project.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] for a key that is not one of it; [`Error::Store`].
    pub(super) async fn revoke_feed_key(&self, scope: &ProjectScope, id: &str) -> Result<(), Error> {
        self.change_part(scope, id, "feed_key_revoked", "feedKeyId", Store::revoke_feed_key)
            .await
    }

    /// Reads a table for the holder of a key.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] for a key that is unknown or has ended, and for a table that it does not open;
    /// [`Error::TooMany`]; [`Error::Store`].
    pub async fn feed(&self, key: &str, table: FeedTable) -> Result<Feed, Error> {
        if !key.starts_with(PREFIX) {
            return Err(Error::ProjectNotFound);
        }
        let hash: [u8; 32] = Sha256::digest(key.as_bytes()).into();
        let opened = self.in_store(move |store| store.open_feed(&hash, now_ms()));
        let opened = opened.await?.ok_or(Error::ProjectNotFound)?;
        let caller = CallerId::stored(&format!("feed {}", opened.key));
        let _counted = self.feeds.start(&caller, Instant::now())?;
        if table.is_detail() && !opened.detail {
            return Err(Error::ProjectNotFound);
        }
        let scope = opened.scope;
        let domain = self.get(&scope).await?.record.domain;
        let by = match table {
            FeedTable::Daily => FeedGrouping::Day,
            FeedTable::Models => FeedGrouping::Model,
            FeedTable::Questions => FeedGrouping::Question,
            FeedTable::Sources => {
                let sources = Box::new(self.sources(&scope).await?);
                let rows = FeedRows::Sources(sources);
                return Ok(Feed { domain, rows });
            }
        };
        let rows = self.in_store(move |store| store.feed_rows(&scope, by, MOST_ROWS));
        let rows = FeedRows::Counts(rows.await?);
        Ok(Feed { domain, rows })
    }
}
