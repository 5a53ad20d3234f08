//! The bot view: answers of one address to several agents, compared.
//!
//! Firewalls, content delivery networks and cloaking answer by the name of the agent.
//!
//! This half is pure; `auditor::bots` makes the requests.

use crate::checks;
use crate::facts::Facts;
use crate::limits::MOST;
use crate::page::{Page, SiteFile};
use crate::quote::{quote, quote_to};
use crate::reading::words::is_dense;
use crate::robots::Robots;
use crate::signals::path_and_query;
use ibid_model::result::{AuditNote, BotOutcome, BotReport, BotView, NoteLevel};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use url::Url;

/// Name of the view that the others are compared with.
const BROWSER: &str = "browser";
/// The name for the audit's own request.
///
/// robots.txt judges this request and the browser by it.
pub(crate) const OWN_NAME: &str = "ibid-audit";
/// Distinct words without which texts are not compared.
const LEAST_WORDS: usize = 50;

/// The limits of the comparison.
const CAVEAT: &str = "Every request came from our address and carried only the agent's name. A site that checks addresses may refuse us and admit the agent itself.";

/// One agent and the `User-Agent` header that its operator publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bot {
    /// Product token in robots.txt, or `browser`.
    pub agent: &'static str,
    /// Value of the header.
    pub user_agent: &'static str,
}

/// Which agents the bot view asks as, in this order.
///
/// The browser comes first, since the others are compared with it.
pub const BOTS: [Bot; 7] = [
    bot(
        BROWSER,
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    ),
    bot(
        "GPTBot",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)",
    ),
    bot(
        "OAI-SearchBot",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; OAI-SearchBot/1.3; +https://openai.com/searchbot)",
    ),
    bot(
        "ChatGPT-User",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ChatGPT-User/1.0; +https://openai.com/bot)",
    ),
    bot(
        "PerplexityBot",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)",
    ),
    bot(
        "ClaudeBot",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
    ),
    bot(
        "Googlebot",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/142.0.0.0 Safari/537.36",
    ),
];

const fn bot(agent: &'static str, user_agent: &'static str) -> Bot {
    Bot { agent, user_agent }
}

/// The answer to one agent, with the distinct words that the comparison needs.
#[derive(Debug)]
pub(crate) struct Answer {
    view: BotView,
    words: HashSet<u64>,
}

/// Reads answers to agents.
///
/// Texts of two readers cannot be compared.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    hasher: RandomState,
}

impl Reader {
    /// Reads the page that an agent got.
    ///
    /// As slow as an audit.
    pub(crate) fn read(&self, bot: Bot, page: &Page) -> Answer {
        let facts = Facts::read(page);
        let mut words = HashSet::new();
        for word in facts.reading.text.split(|c: char| !c.is_alphanumeric()) {
            if words.len() >= MOST {
                break;
            }
            if word.chars().any(is_dense) {
                words.extend(word.chars().map(|c| self.hasher.hash_one(c)));
            } else if !word.is_empty() {
                words.insert(self.hasher.hash_one(word.to_lowercase()));
            }
        }
        let is_success = page.status.is_some_and(|status| (200..300).contains(&status));
        let view = BotView {
            outcome: BotOutcome::Answered,
            status: page.status,
            final_url: page.url.as_ref().map(|url| quote_to(url.as_str(), 2_048)),
            bytes: Some(page.body.len() as u64),
            words: Some(u32::try_from(facts.words()).unwrap_or(u32::MAX)),
            is_shell: checks::is_shell(&facts),
            is_challenge: is_success && checks::is_no_page(&facts),
            ..unanswered(bot, BotOutcome::Answered, None)
        };
        Answer { view, words }
    }
}

/// Writes the entry for an agent without an answer.
pub(crate) fn without_answer(bot: Bot, outcome: BotOutcome, reason: &str) -> Answer {
    Answer {
        view: unanswered(bot, outcome, Some(quote(reason))),
        words: HashSet::new(),
    }
}

fn unanswered(bot: Bot, outcome: BotOutcome, reason: Option<String>) -> BotView {
    BotView {
        agent: bot.agent.to_owned(),
        user_agent: bot.user_agent.to_owned(),
        outcome,
        reason,
        ..BotView::default()
    }
}

/// Returns the reason why robots.txt keeps an agent from an address.
///
/// `None` if the agent may request it.
pub(crate) fn refusal(file: &SiteFile, agent: &str, url: &Url) -> Option<String> {
    let name = if agent == BROWSER { OWN_NAME } else { agent };
    match file {
        SiteFile::NotAsked => Some("robots.txt was not read".to_owned()),
        SiteFile::Looping => Some("robots.txt redirects in a circle".to_owned()),
        SiteFile::Unreachable(reason) => Some(format!("robots.txt could not be read: {reason}")),
        SiteFile::Answer(answer) => match answer.status {
            200..=299 => {
                let robots = Robots::parse(&answer.body);
                let verdict = robots.verdict(name, &path_and_query(url));
                (!verdict.allowed).then(|| match verdict.rule {
                    Some(rule) => format!("robots.txt, line {}: {}", rule.line, rule.written()),
                    None => "robots.txt does not allow it".to_owned(),
                })
            }
            429 | 500.. => Some(format!("robots.txt answered with status {}", answer.status)),
            _ => None,
        },
    }
}

/// Compares the answers with the answer to the browser, or else with the audited page.
pub(crate) fn compare(url: &Url, own: Answer, answers: Vec<Answer>) -> BotReport {
    let is_base =
        |answer: &Answer| answer.view.agent == BROWSER && answer.view.outcome == BotOutcome::Answered;
    let base = answers.iter().find(|answer| is_base(answer)).unwrap_or(&own);
    let shared: Vec<Option<u8>> = answers.iter().map(|answer| share(base, answer)).collect();
    let (base_view, base_url) = (base.view.clone(), base.view.final_url.clone());
    let mut views: Vec<BotView> = answers.into_iter().map(|answer| answer.view).collect();
    for (view, shared) in views.iter_mut().zip(shared) {
        view.shared_words = shared;
    }
    let findings = findings(&base_view, &views);
    for view in &mut views {
        // An address is only news where it is another one.
        if view.final_url.as_deref() == Some(url.as_str()) || view.final_url == base_url {
            view.final_url = None;
        }
    }
    BotReport {
        url: quote_to(url.as_str(), 2_048),
        compared_with: base_view.agent,
        views,
        findings,
        caveat: CAVEAT.to_owned(),
    }
}

/// The report on a site that gives every agent the same page.
///
/// The sandbox, which fetches no pages, answers with it.
#[must_use]
pub fn same_for_all(page: &Page) -> Option<BotReport> {
    let url = page.url.as_ref()?;
    let reader = Reader::default();
    let own = Bot {
        agent: OWN_NAME,
        user_agent: "",
    };
    let answers = BOTS.map(|bot| reader.read(bot, page)).into();
    Some(compare(url, reader.read(own, page), answers))
}

/// Returns how many of one answer's distinct words the other holds, in percent.
fn share(base: &Answer, other: &Answer) -> Option<u8> {
    if base.words.len() < LEAST_WORDS || other.view.outcome != BotOutcome::Answered {
        return None;
    }
    let both = base.words.intersection(&other.words).count();
    u8::try_from(both * 100 / base.words.len()).ok()
}

fn note(code: &str, level: NoteLevel, message: &str, location: Option<String>) -> AuditNote {
    AuditNote {
        code: code.to_owned(),
        level,
        message: message.to_owned(),
        location,
    }
}

fn findings(base: &BotView, views: &[BotView]) -> Vec<AuditNote> {
    let mut notes = Vec::new();
    let mut add = |code: &str, level, message: &str, of: &dyn Fn(&BotView) -> Option<String>| {
        let agents: Vec<String> = views
            .iter()
            .filter(|view| view.agent != base.agent)
            .filter_map(|view| of(view).map(|detail| format!("{}{detail}", view.agent)))
            .collect();
        if !agents.is_empty() {
            notes.push(note(code, level, message, Some(agents.join(", "))));
        }
    };
    let words = |view: &BotView| view.words.unwrap_or(0);
    let both = |view: &BotView| base.has_page() && view.has_page();
    let halves = |less: &BotView, more: &BotView| {
        let (less, more) = (words(less), words(more));
        less * 2 < more && more - less >= LEAST_WORDS as u32
    };
    let fewer = |view: &BotView| both(view) && halves(view, base);
    let more = |view: &BotView| both(view) && halves(base, view);
    let count = |view: &BotView| format!(" ({} of {})", words(view), words(base));
    add(
        "bot_refused",
        NoteLevel::Warning,
        "The server refuses these agents and answers the compared one with the page. A firewall or a content delivery network is a common cause.",
        &|view| {
            let is_refused = view.outcome == BotOutcome::Answered && base.has_page() && !view.has_page();
            is_refused.then(|| match view.status {
                Some(status) if view.is_challenge => format!(" (status {status}, no page)"),
                Some(status) => format!(" (status {status})"),
                None => String::new(),
            })
        },
    );
    add(
        "bot_no_answer",
        NoteLevel::Warning,
        "The server gives these agents no answer.",
        &|view| {
            let reason = view.reason.as_deref().unwrap_or("no answer");
            (view.outcome == BotOutcome::Failed).then(|| format!(" ({reason})"))
        },
    );
    add(
        "bot_fewer_words",
        NoteLevel::Warning,
        "These agents get less than half of the words.",
        &|view| fewer(view).then(|| count(view)),
    );
    add(
        "bot_more_words",
        NoteLevel::Info,
        "These agents get more than twice the words. Rendering for agents does this; so does cloaking, which search engines punish.",
        &|view| more(view).then(|| count(view)),
    );
    add(
        "bot_other_text",
        NoteLevel::Warning,
        "These agents get another text. Search engines take that for cloaking.",
        &|view| {
            let is_other = both(view) && !fewer(view) && view.shared_words.is_some_and(|share| share < 50);
            is_other.then(|| format!(" ({} % of the words shared)", view.shared_words.unwrap_or(0)))
        },
    );
    add(
        "bot_only_page",
        NoteLevel::Warning,
        "These agents get a page where the compared one gets none.",
        &|view| (view.has_page() && !base.has_page()).then(String::new),
    );
    add(
        "bot_other_address",
        NoteLevel::Info,
        "These agents are led to another address.",
        &|view| {
            let led = both(view) && view.final_url != base.final_url;
            led.then(|| format!(" ({})", quote(view.final_url.as_deref().unwrap_or(""))))
        },
    );
    add(
        "bot_not_allowed",
        NoteLevel::Info,
        "robots.txt does not let these agents ask, so nothing was sent in their name.",
        &|view| (view.outcome == BotOutcome::NotAllowed).then(String::new),
    );
    let mut pages = views.iter().filter(|view| view.has_page()).peekable();
    if pages.peek().is_some() && pages.all(|view| view.is_shell) {
        let text = "Every agent that got a page got a shell that JavaScript has to fill. Most AI agents run no scripts and see nothing.";
        notes.push(note("bot_shell", NoteLevel::Warning, text, None));
    }
    if notes.is_empty() && base.has_page() {
        let text = "Every agent that was asked for got the same page.";
        notes.push(note("bot_same", NoteLevel::Info, text, None));
    }
    notes
}
