//! Names from links in answers and from the home page.

use super::Target;
use crate::read::Answer;
use crate::read::host;
use crate::read::layout::{Form, Layout};
use crate::read::text::{Clean, is_word, key, plain};
use crate::read::words::{Meaning, meaning};
use memchr::{memchr, memchr_iter, memchr3};
use std::collections::BTreeMap;

/// Most words of a learned name.
const MOST_WORDS: usize = 5;
/// Answers in which an unlike text must come with the domain.
const OFTEN: usize = 2;
/// Letters that a name and a label must share at their start to resemble each other.
const SHARED: usize = 4;

/// The texts of links to the target that are names.
pub(super) fn anchors<'a>(target: &Target, answers: impl IntoIterator<Item = Answer<'a>>) -> Vec<String> {
    let mut seen: BTreeMap<String, (String, usize)> = BTreeMap::new();
    for answer in answers.into_iter().filter(|answer| may_link(target, answer.text)) {
        let mut here = texts_of_links(target, &answer);
        here.sort();
        here.dedup_by(|one, other| one.0 == other.0);
        for (key, text) in here {
            seen.entry(key).or_insert((text, 0)).1 += 1;
        }
    }
    let found = seen
        .into_iter()
        .filter(|(key, (_, often))| *often >= OFTEN || resembles(target, key));
    found.map(|(_, (text, _))| text).collect()
}

/// The texts of an answer's links to the target that can be names, with their keys.
fn texts_of_links(target: &Target, answer: &Answer<'_>) -> Vec<(String, String)> {
    let layout = Layout::of(&Clean::of(answer.text), answer.citations);
    let mut here = Vec::new();
    for link in layout
        .links
        .iter()
        .filter(|link| link.form == Form::Markdown && !link.chip)
    {
        let own = host::resolve(&link.url).is_some_and(|address| target.owns_at(&address));
        let text = layout.at(&link.span).trim();
        if own && is_name(text) {
            here.push((String::from(key(text)), text.to_owned()));
        }
    }
    here
}

/// Bytes of an address that contain its whole host: a scheme, 253 bytes of host, and what follows.
const HOST: usize = 300;

/// The first byte of wide brackets, which clean text has in their usual form.
const FULL_WIDTH: u8 = 0xef;

/// Whether an answer may contain a link with a text that leads to the target.
/// The layout of an answer takes time, and most answers plainly link to other sites.
fn may_link(target: &Target, text: &str) -> bool {
    // References, tags and escapes may become links in ways that only the layout can resolve.
    let bytes = text.as_bytes();
    if memchr3(b'<', b'&', b'\\', bytes).is_some() || memchr(FULL_WIDTH, bytes).is_some() {
        return true;
    }
    memchr_iter(b']', bytes).any(|close| {
        let rest = text.get(close + 1..).unwrap_or_default();
        let Some(address) = rest.strip_prefix('(') else {
            // A mark of a source or a reference; plain text after a bracket is neither.
            return !rest.starts_with([' ', '.', ',', '\n']);
        };
        // A window: the host is at the start, and addresses without an end may follow one another.
        let window = address.as_bytes().iter().take(HOST);
        let end = window.clone().position(|byte| matches!(byte, b')' | b' '));
        let address = address.get(..end.unwrap_or(window.len()));
        address
            .and_then(host::plain)
            .is_none_or(|host| target.shares(host))
    })
}

/// The parts of a home page's titles and names that name its owner.
pub(super) fn page_names<'a>(target: &Target, texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut names = Vec::new();
    for text in texts {
        let parts: Vec<&str> = text
            .split(['|', '–', '—', '·', '•', ':'])
            .flat_map(|part| part.split(" - "))
            .map(str::trim)
            .collect();
        // A single name is the owner's; of several parts, the one that resembles the domain is.
        let fits = |part: &&&str| is_name(part) && (parts.len() == 1 || resembles(target, &key(part)));
        names.extend(parts.iter().filter(fits).map(|part| (*part).to_owned()));
    }
    names
}

/// Whether a text can be a name: a few words, not all of them ordinary, no address.
fn is_name(text: &str) -> bool {
    let folded = plain(text);
    let words: Vec<&str> = folded
        .split(|c: char| !is_word(c))
        .filter(|word| !word.is_empty())
        .collect();
    let address = text.contains("://") || text.contains('.') && !text.contains(' ');
    let generic = words.iter().all(|word| {
        let meaning = meaning(word);
        meaning.is(Meaning::CRITERION
            | Meaning::FUNCTION
            | Meaning::LABEL
            | Meaning::ADVICE
            | Meaning::OPENER)
    });
    !address && (1..=MOST_WORDS).contains(&words.len()) && !generic && text.chars().any(char::is_alphabetic)
}

/// Whether a name shares its start, or all of a word, with the domain's label.
fn resembles(target: &Target, name: &str) -> bool {
    let label = key(host::owner_label(target.domain.as_str()));
    let shared = label
        .chars()
        .zip(name.chars())
        .take_while(|(one, other)| one == other)
        .count();
    shared >= SHARED
        || name.len() >= SHARED && label.contains(name)
        || label.len() >= SHARED && name.contains(&*label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_link_to_the_target_is_passed_over(parts in proptest::collection::vec(
            prop::sample::select(vec![
                "[", "]", "(", ")", "［", "］", "（", "Acme", "Beta", " ", "\n", ": ", "<", ">", "!", "**", "&#93;", "\\",
                "https://acme.com/a", "https://www.acme.com", "https://beta.com", "http://", "acme.com", "\u{200b}",
                "https://www.google.com/url?q=https%3A%2F%2Facme.com", "[1]: ", "<a href=\"https://acme.com\">", "</a>",
            ]), 0..14,
        )) {
            let text = parts.concat();
            let target = Target::new(&"acme.com".parse().unwrap(), &[]);
            if !may_link(&target, &text) {
                prop_assert_eq!(texts_of_links(&target, &Answer::of_text(&text)), vec![]);
            }
        }
    }
}
