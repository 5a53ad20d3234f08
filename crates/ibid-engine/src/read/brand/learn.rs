//! Names from links in answers and from the home page.

use super::Target;
use crate::read::Answer;
use crate::read::host;
use crate::read::layout::{Form, Layout};
use crate::read::text::{Clean, is_word, key, plain};
use crate::read::words::{Meaning, meaning};
use std::collections::BTreeMap;

/// Most words of a learned name.
const MOST_WORDS: usize = 5;
/// Answers in which an unlike text must come with the domain.
const OFTEN: usize = 2;
/// Letters that a name and a label must share at their start to resemble each other.
const SHARED: usize = 4;

/// Collects the texts of links to the target that are names.
pub(super) fn anchors<'a>(target: &Target, answers: impl IntoIterator<Item = Answer<'a>>) -> Vec<String> {
    let mut seen: BTreeMap<String, (String, usize)> = BTreeMap::new();
    for answer in answers {
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

/// Collects what an answer's links to the target are called where that can be a name, with their keys.
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

/// Collects the parts in a home page's titles and names that name its owner.
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
