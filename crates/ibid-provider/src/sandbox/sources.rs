//! Gives an answer's sources as each kind of model does.

use super::dice::Dice;
use super::form::Entry;
use super::persona::Manner;
use super::tables::Words;
use ibid_model::Citation;
use url::form_urlencoded::byte_serialize;

/// A business's own page as a source.
pub(super) fn own(manner: Manner, name: &str, host: &str, url: &str, dice: &mut Dice) -> Citation {
    cite(manner, host, url, name, dice)
}

/// A directory, a forum or another medium as a source.
pub(super) fn other(manner: Manner, words: &Words, keyword: &str, dice: &mut Dice) -> Citation {
    if manner == Manner::Posts && dice.chance(0.5) {
        let url = format!(
            "https://x.com/localtips/status/19{:017}",
            dice.roll() % 100_000_000_000_000_000
        );
        return cite(manner, "x.com", &url, "localtips on X", dice);
    }
    if dice.chance(0.5) {
        let (title, url) = dice.pick(&words.media);
        return cite(manner, host_of(url), url, title, dice);
    }
    let (name, start) = dice.pick(&words.directories);
    let url = format!("{start}{}", encoded(keyword));
    cite(manner, host_of(start), &url, &format!("{keyword} - {name}"), dice)
}

/// One or two directories by name, as links if wanted.
pub(super) fn directories(words: &Words, keyword: &str, linked: bool, dice: &mut Dice) -> Vec<String> {
    let first = dice.count(0, words.directories.len() - 1);
    let show = |step: usize| {
        let (name, start) = &words.directories[(first + step) % words.directories.len()];
        if linked {
            format!("[{name}]({start}{})", encoded(keyword))
        } else {
            name.to_owned()
        }
    };
    (0..dice.count(1, 2)).map(show).collect()
}

/// Adds the spans of the names they support, counted in characters as some routers do.
/// A source without such a name in the text keeps 0..0.
pub(super) fn with_spans(citations: Vec<Citation>, entries: &[Entry], text: &str) -> Vec<Citation> {
    let locate = |citation: &Citation| {
        let entry = entries
            .iter()
            .find(|entry| citation.url.starts_with(entry.url.as_str()))?;
        let found = if text.contains(&entry.name) {
            &entry.name
        } else {
            &entry.host
        };
        let start = text.find(found.as_str())?;
        let before = text.get(..start)?.chars().count() as u64;
        Some((before, before + found.chars().count() as u64))
    };
    citations
        .into_iter()
        .map(|mut citation| {
            citation.span = Some(locate(&citation).unwrap_or((0, 0)));
            citation
        })
        .collect()
}

fn cite(manner: Manner, host: &str, url: &str, title: &str, dice: &mut Dice) -> Citation {
    let (url, title, span) = match manner {
        Manner::Spans => {
            let joint = if url.contains('?') { '&' } else { '?' };
            (format!("{url}{joint}utm_source=openai"), title.to_owned(), None)
        }
        Manner::Numbers => {
            let bare = url.strip_prefix("https://").unwrap_or(url);
            (url.to_owned(), bare.to_owned(), Some((0, 0)))
        }
        Manner::Redirects => {
            let token = format!("AUZIYQ{:016x}{:016x}", dice.roll(), dice.roll());
            let start = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/";
            (format!("{start}{token}"), host.to_owned(), Some((0, 0)))
        }
        Manner::Posts | Manner::Plain => (url.to_owned(), title.to_owned(), None),
    };
    Citation {
        url,
        title: Some(title),
        span,
    }
}

fn host_of(url: &str) -> &str {
    let rest = url.strip_prefix("https://").unwrap_or(url);
    let host = rest.split('/').next().unwrap_or(rest);
    host.strip_prefix("www.").unwrap_or(host)
}

fn encoded(keyword: &str) -> String {
    byte_serialize(keyword.as_bytes()).collect()
}
