//! Knows AI services' programs in access logs, and which addresses their owners publish.

use crate::columns::lines;
use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use ipnet::IpNet;
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::LazyLock;

/// What a program fetches pages for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BotKind {
    /// For an answer that a person waits for.
    User,
    /// For a search index.
    Search,
    Training,
    /// For something else, such as advertisements.
    Other,
}

/// A program that names itself in its User-Agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bot {
    pub name: &'static str,
    /// What it fetches for.
    pub kind: BotKind,
    pub owner: &'static str,
    /// The file in which the owner publishes its addresses; `None` where it publishes none.
    pub file: Option<&'static str>,
}

/// All known programs.
pub static BOTS: LazyLock<Vec<Bot>> = LazyLock::new(|| {
    lines(include_str!("../data/bots.txt"))
        .filter_map(|line| {
            let mut cells = line.split('\t');
            Some(Bot {
                name: cells.next()?,
                kind: match cells.next()? {
                    "user" => BotKind::User,
                    "search" => BotKind::Search,
                    "training" => BotKind::Training,
                    "other" => BotKind::Other,
                    _ => return None,
                },
                owner: cells.next()?,
                file: cells.next().filter(|file| *file != "-"),
            })
        })
        .collect()
});

/// Assistants by host: the host, and the name in rows.
static ASSISTANTS: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    lines(include_str!("../data/assistants.txt"))
        .filter_map(|line| line.split_once('\t'))
        .collect()
});

static BOT_NAMES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| searcher(BOTS.iter().map(|bot| bot.name)));

static TRACES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let names = BOTS.iter().map(|bot| bot.name);
    searcher(names.chain(ASSISTANTS.iter().map(|(host, _)| *host)))
});

fn searcher(words: impl Iterator<Item = &'static str>) -> Option<AhoCorasick> {
    AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .build(words)
        .ok()
}

/// The place in [`BOTS`] of the program that a User-Agent names.
pub(crate) fn bot_of(agent: &[u8]) -> Option<usize> {
    let names = BOT_NAMES.as_ref()?;
    let is_letter = |at: usize| agent.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let whole = names
        .find_iter(agent)
        .find(|found| !(found.start().checked_sub(1).is_some_and(is_letter) || is_letter(found.end())));
    whole.map(|found| found.pattern().as_usize())
}

/// Whether a line may name a program or an assistant.
pub(crate) fn has_trace(line: &[u8]) -> bool {
    TRACES.as_ref().is_none_or(|traces| traces.is_match(line))
}

/// The assistant behind a host or a source of sessions.
pub(crate) fn assistant(host: &str) -> Option<&'static str> {
    let host = host.trim().to_ascii_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let known = ASSISTANTS.iter().find(|(known, _)| {
        host.strip_suffix(known)
            .is_some_and(|rest| rest.is_empty() || (known.contains('.') && rest.ends_with('.')))
    });
    known.map(|(_, name)| *name)
}

/// Which addresses owners publish, by program.
#[derive(Clone, Debug, Default)]
pub struct Ranges(BTreeMap<usize, Vec<(u128, u128)>>);

/// Published addresses that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RangesError {
    #[error(
        "no program publishes its addresses in a file of this name; write PROGRAM=FILE, with one of {}",
        names()
    )]
    UnknownFile,
    /// There is no such program.
    #[error("the programs are {}", names())]
    UnknownBot,
    #[error("not JSON")]
    Json(#[source] serde_json::Error),
    /// It lists no addresses.
    #[error("lists no addresses under `prefixes`")]
    Empty,
    /// An address cannot be read.
    #[error("{0:?} is no range of addresses")]
    Address(String),
}

fn names() -> String {
    BOTS.iter().map(|bot| bot.name).collect::<Vec<_>>().join(", ")
}

impl Ranges {
    /// Adds a published file. `name` is its file name, which tells the program, unless `bot` does.
    ///
    /// ```
    /// use ibid_first_party::bots::Ranges;
    ///
    /// let mut ranges = Ranges::default();
    /// ranges.add("gptbot.json", None, br#"{"prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]}"#)?;
    /// assert!(ranges.add("gptbot.json", None, b"{}").is_err());
    /// # Ok::<(), ibid_first_party::bots::RangesError>(())
    /// ```
    ///
    /// # Errors
    /// See [`RangesError`].
    pub fn add(&mut self, name: &str, bot: Option<&str>, bytes: &[u8]) -> Result<(), RangesError> {
        let is_meant = |known: &Bot| match bot {
            Some(bot) => known.name.eq_ignore_ascii_case(bot),
            None => known.file.is_some_and(|file| file.eq_ignore_ascii_case(name)),
        };
        let meant: Vec<usize> = (0..BOTS.len())
            .filter(|place| BOTS.get(*place).is_some_and(is_meant))
            .collect();
        if meant.is_empty() {
            return Err(match bot {
                Some(_) => RangesError::UnknownBot,
                None => RangesError::UnknownFile,
            });
        }
        let file: Value = serde_json::from_slice(bytes).map_err(RangesError::Json)?;
        let listed = file
            .get("prefixes")
            .unwrap_or(&file)
            .as_array()
            .ok_or(RangesError::Empty)?;
        let mut spans = Vec::new();
        for prefix in listed {
            let members = ["ipv4Prefix", "ipv6Prefix", "ip_prefix"];
            let texts: Vec<&str> = match prefix.as_str() {
                Some(text) => vec![text],
                None => members
                    .iter()
                    .filter_map(|member| prefix.get(member)?.as_str())
                    .collect(),
            };
            for text in texts {
                spans.push(span(text).ok_or_else(|| RangesError::Address(text.to_owned()))?);
            }
        }
        if spans.is_empty() {
            return Err(RangesError::Empty);
        }
        for place in meant {
            let known = self.0.entry(place).or_default();
            known.extend(&spans);
            known.sort_unstable();
            *known = joined(known);
        }
        Ok(())
    }

    /// Whether the owner of a program has an address; `None` without published addresses.
    pub(crate) fn holds(&self, bot: usize, address: IpAddr) -> Option<bool> {
        let spans = self.0.get(&bot)?;
        let address = number(address);
        let next = spans.partition_point(|(start, _)| *start <= address);
        let before = next.checked_sub(1).and_then(|place| spans.get(place));
        Some(before.is_some_and(|(_, end)| address <= *end))
    }
}

/// The first and the last address of a range.
fn span(text: &str) -> Option<(u128, u128)> {
    let net = text
        .parse::<IpNet>()
        .ok()
        .or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))?;
    Some((number(net.network()), number(net.broadcast())))
}

/// An address as a number; addresses of version 4 as they are mapped into version 6.
fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().into(),
        IpAddr::V6(address) => address.into(),
    }
}

/// Sorted ranges without overlaps.
fn joined(sorted: &[(u128, u128)]) -> Vec<(u128, u128)> {
    let mut all: Vec<(u128, u128)> = Vec::new();
    for (start, end) in sorted {
        match all.last_mut() {
            Some(last) if *start <= last.1 => last.1 = last.1.max(*end),
            _ => all.push((*start, *end)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{BOTS, BotKind, Ranges, assistant, bot_of};

    fn name(agent: &str) -> Option<&'static str> {
        bot_of(agent.as_bytes()).map(|place| BOTS[place].name)
    }

    #[test]
    fn programs_are_told_apart() {
        assert_eq!(
            name("Mozilla/5.0 (compatible; ChatGPT-User/1.0; +https://openai.com/bot)"),
            Some("ChatGPT-User")
        );
        assert_eq!(
            name("Mozilla/5.0 (compatible; claude-searchbot/1.0)"),
            Some("Claude-SearchBot")
        );
        assert_eq!(
            name("Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"),
            Some("bingbot")
        );
        assert_eq!(name("MyGPTBot2"), None);
        assert_eq!(name("Mozilla/5.0 (Windows NT 10.0)"), None);
        assert_eq!(
            name("Mozilla/5.0 (compatible; OAI-AdsBot/1.0)"),
            Some("OAI-AdsBot")
        );
        for line in super::lines(include_str!("../data/bots.txt")) {
            let day = line.split('\t').nth(5).map(str::parse::<jiff::civil::Date>);
            assert!(matches!(day, Some(Ok(_))), "{line}");
        }
        for kind in [BotKind::User, BotKind::Search, BotKind::Training, BotKind::Other] {
            assert!(BOTS.iter().any(|bot| bot.kind == kind));
        }
    }

    #[test]
    fn assistants_are_known_by_host() {
        assert_eq!(assistant("chatgpt.com"), Some("ChatGPT"));
        assert_eq!(assistant("WWW.Perplexity.ai"), Some("Perplexity"));
        assert_eq!(assistant("notchatgpt.com"), None);
        assert_eq!(assistant("my.openai"), None);
    }

    #[test]
    fn addresses_of_both_versions_are_found() {
        let mut ranges = Ranges::default();
        let file = br#"{"creationTime": "2026-01-01", "prefixes": [{"ipv4Prefix": "192.0.2.0/28"}, {"ipv4Prefix": "192.0.2.8/29"}, {"ipv6Prefix": "2001:db8::/48"}]}"#;
        ranges.add("bots.json", None, file).unwrap();
        let claude = BOTS.iter().position(|bot| bot.name == "Claude-User").unwrap();
        let gpt = BOTS.iter().position(|bot| bot.name == "GPTBot").unwrap();
        let holds = |bot, address: &str| ranges.holds(bot, address.parse().unwrap());
        assert_eq!(holds(claude, "192.0.2.15"), Some(true));
        assert_eq!(holds(claude, "192.0.2.16"), Some(false));
        assert_eq!(holds(claude, "::ffff:192.0.2.1"), Some(true));
        assert_eq!(holds(claude, "2001:db8:0:1::1"), Some(true));
        assert_eq!(holds(gpt, "192.0.2.1"), None);
        assert!(ranges.clone().add("ours.json", None, file).is_err());
        assert!(ranges.clone().add("ours.json", Some("gptbot"), file).is_ok());
        assert!(
            ranges
                .add("gptbot.json", None, br#"{"prefixes": ["nowhere"]}"#)
                .is_err()
        );
    }
}
