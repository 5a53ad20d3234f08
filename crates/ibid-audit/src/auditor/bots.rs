//! Requests in the names of several agents, one after the other.

use super::Auditor;
use crate::bots::{self, Answer, BOTS, Bot};
use crate::fetch::{ACCEPT_PAGE, FetchError, FetchLimits, PAGE_BYTES};
use crate::page::Page;
use ibid_model::result::{BotOutcome, BotReport};
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// Time for all requests of a comparison.
const BOT_TIME: Duration = Duration::from_secs(45);

impl Auditor {
    /// Requests a fetched page's address under each name in [`BOTS`] and compares the answers.
    ///
    /// Skips agents that robots.txt shuts out.
    /// Sends one request at a time.
    /// All requests together take at most 45 seconds.
    ///
    /// # Errors
    ///
    /// If the address of the page is refused, or the runtime is shutting down.
    pub async fn bots(&self, page: &Page, now: Timestamp) -> Result<Option<BotReport>, FetchError> {
        let Some(url) = &page.url else { return Ok(None) };
        let end = Instant::now() + BOT_TIME;
        let reader = Arc::new(bots::Reader::default());
        let mut answers = Vec::with_capacity(BOTS.len());
        for bot in BOTS {
            let answer = match bots::refusal(&page.site.robots, bot.agent, url) {
                Some(reason) => bots::without_answer(bot, BotOutcome::NotAllowed, &reason),
                None if Instant::now() >= end => {
                    bots::without_answer(bot, BotOutcome::Skipped, "the time of the comparison was used up")
                }
                None => self.ask_as(bot, url, end, &reader, now).await?,
            };
            answers.push(answer);
        }
        // The page is read once more, as the comparison needs its words.
        let own = Page {
            site: crate::page::Site::default(),
            ..page.clone()
        };
        let bot = Bot {
            agent: bots::OWN_NAME,
            user_agent: "",
        };
        let url = url.clone();
        self.compute(move || {
            let own = reader.read(bot, &own);
            bots::compare(&url, own, answers)
        })
        .await
        .map(Some)
    }

    async fn ask_as(
        &self,
        bot: Bot,
        url: &Url,
        end: Instant,
        reader: &Arc<bots::Reader>,
        now: Timestamp,
    ) -> Result<Answer, FetchError> {
        let fetcher = self.fetcher();
        let limits = FetchLimits {
            bytes: PAGE_BYTES,
            time: fetcher.config().page_timeout.min(end - Instant::now()),
        };
        let target = fetcher.judge(url.as_str())?;
        let fetched = match fetcher
            .get_as(target, ACCEPT_PAGE, Some(bot.user_agent), limits)
            .await
        {
            Ok(fetched) => fetched,
            Err(error) => {
                return Ok(bots::without_answer(bot, BotOutcome::Failed, &error.to_string()));
            }
        };
        let mut page = Page::from_html(fetched.body, Some(fetched.target.url().clone()), now);
        (page.status, page.headers, page.truncated) =
            (Some(fetched.status), fetched.headers, fetched.truncated);
        let reader = Arc::clone(reader);
        self.compute(move || reader.read(bot, &page)).await
    }
}
