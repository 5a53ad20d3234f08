//! What an account keeps: scans with tags and links, receipts, credits.

use crate::clock::now_ms;
use crate::error::Error;
use crate::handle::scans::Scans;
use crate::shown_text::is_name;
use ibid_model::{AccountId, FaultCode, Faults, ReceiptId, ScanId};
use ibid_store::{CreditMovement, RunQuery, RunRecord, TagRecord};

/// Most tags of a scan.
const MOST_TAGS: usize = 10;
/// Longest tag, in characters.
const TAG_CHARS: usize = 40;
/// Longest title, in characters.
const TITLE_CHARS: usize = 120;
/// Longest search text, in characters; the rest is ignored.
const QUERY_CHARS: usize = 200;

/// A query for scans.
#[derive(Clone, Debug, Default)]
pub struct HistoryQuery {
    /// Words to find in domain, keyword or place.
    pub text: String,
    /// Only scans with this tag, or `None` for all.
    pub tag: Option<String>,
    /// The 1-based page; a page out of range gives the nearest one.
    pub page: u32,
    /// Scans on a page.
    pub a_page: u32,
}

#[derive(Clone, Debug)]
pub struct ScanHistory {
    /// Scans on this page, the latest first.
    pub rows: Vec<RunRecord>,
    /// Scans found, over all pages.
    pub total: u64,
    /// 1-based number of this page.
    pub page: u32,
    /// At least one.
    pub pages: u32,
}

impl Scans {
    /// A page of an account's scans.
    pub async fn history(&self, account: AccountId, query: HistoryQuery) -> Result<ScanHistory, Error> {
        let a_page = query.a_page.max(1);
        let text: String = query.text.chars().take(QUERY_CHARS).collect();
        self.in_store(move |store| {
            let words: Vec<&str> = text.split_whitespace().collect();
            let find = |page: u32| {
                store.find_runs(
                    account,
                    &RunQuery {
                        words: &words,
                        tag: query.tag.as_deref(),
                        skip: (page - 1).saturating_mul(a_page),
                        most: a_page,
                    },
                )
            };
            let mut page = query.page.max(1);
            let mut found = find(page)?;
            let pages = found.total.div_ceil(a_page.into()).max(1);
            let pages = u32::try_from(pages).unwrap_or(u32::MAX);
            // A page beyond the last one gives the last one.
            if page > pages {
                (found, page) = (find(pages)?, pages);
            }
            Ok(ScanHistory {
                rows: found.rows,
                total: found.total,
                page,
                pages,
            })
        })
        .await
    }

    /// Every tag of an account.
    pub async fn tags(&self, account: AccountId) -> Result<Vec<TagRecord>, Error> {
        self.in_store(move |store| store.tags(account)).await
    }

    /// Replaces a scan's tags by a comma-separated list, such as `client, spring`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for too many tags or too long ones; [`Error::NotFound`]; [`Error::Store`].
    pub async fn set_tags(&self, account: AccountId, id: ScanId, list: &str) -> Result<(), Error> {
        let tags = read_tags(list)?;
        let set = self.in_store(move |store| store.set_tags(account, id, &tags));
        set.await?.then_some(()).ok_or(Error::NotFound)
    }

    /// Gives a scan a title; an empty text takes it away.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a text that is no title; [`Error::NotFound`]; [`Error::Store`].
    pub async fn set_title(&self, account: AccountId, id: ScanId, title: &str) -> Result<(), Error> {
        let title = title.trim().to_owned();
        if !is_name(&title, TITLE_CHARS) {
            let message = format!(
                "a title takes at most {TITLE_CHARS} characters, none of them invisible, and no link"
            );
            return Err(Error::fault("/title", FaultCode::Invalid, message));
        }
        let set = self.in_store(move |store| {
            let title = Some(title.as_str()).filter(|title| !title.is_empty());
            store.set_title(account, id, title)
        });
        set.await?.then_some(()).ok_or(Error::NotFound)
    }

    /// Deletes a scan with its answers, result and link.
    /// A running scan is stopped first.
    /// Its receipt and the movements of credits stay.
    pub async fn delete_scan(&self, account: AccountId, id: ScanId) -> Result<(), Error> {
        if self.account_runs.find(account, id).await?.state.is_open() {
            self.queue.end_now(id).await?;
        }
        let deleted = self.in_store(move |store| store.delete_run(account, id, now_ms()));
        deleted.await?.then_some(()).ok_or(Error::NotFound)
    }

    /// Finished scans of an account, the latest first, after the one with the receipt `cursor`: one more than `most` if
    /// there are more.
    pub async fn workspace_receipts(
        &self,
        account: AccountId,
        cursor: Option<ReceiptId>,
        most: u32,
    ) -> Result<Vec<RunRecord>, Error> {
        self.in_store(move |store| store.finished_runs(account, cursor, most.saturating_add(1)))
            .await
    }

    /// Returns how an account's credits moved before the entry `before`, the latest first.
    /// One more than `most` if there are more.
    pub async fn movements(
        &self,
        account: AccountId,
        before: Option<i64>,
        most: u32,
    ) -> Result<Vec<CreditMovement>, Error> {
        self.in_store(move |store| store.movements(account, before, most.saturating_add(1)))
            .await
    }
}

/// Reads the tags of a comma-separated list: trimmed, each once, without control characters.
fn read_tags(list: &str) -> Result<Vec<String>, Faults> {
    let mut tags: Vec<String> = Vec::new();
    for tag in list.split(',').map(str::trim).filter(|tag| !tag.is_empty()) {
        if !is_name(tag, TAG_CHARS) {
            let message =
                format!("a tag takes at most {TAG_CHARS} characters, none of them invisible, and no link");
            return Err(Faults::one("/tags", FaultCode::Invalid, message));
        }
        if !tags.iter().any(|known| known == tag) {
            tags.push(tag.to_owned());
        }
    }
    if tags.len() > MOST_TAGS {
        let message = format!("a scan takes at most {MOST_TAGS} tags");
        return Err(Faults::one("/tags", FaultCode::OutOfRange, message));
    }
    Ok(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_tidied_and_bounded() {
        let read = |list: &str| read_tags(list).ok();
        assert_eq!(
            read(" client , autumn,, client,Client ").unwrap(),
            ["client", "autumn", "Client"]
        );
        assert!(read("").unwrap().is_empty());
        assert!(read(&"x".repeat(40)).is_some() && read(&"x".repeat(41)).is_none());
        assert!(read("a\u{7}b").is_none());
        let eleven: Vec<_> = (0..11).map(|n| n.to_string()).collect();
        assert!(read(&eleven.join(",")).is_none());
    }
}
