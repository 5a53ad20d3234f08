//! A walk over every page that links lead to, with what no page may show.

use crate::{Member, Reply};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Pages that differ only in their query; more say nothing new.
const QUERIES: usize = 3;
/// Elements whose words are code or those of a model.
const QUOTED: [&str; 6] = ["pre", "code", "script", "style", "textarea", "svg"];
/// Classes of elements that quote an answer.
const QUOTES: [&str; 3] = ["answer-text", "answer-quote", "asked"];

/// Opens what the links of pages lead to, from the given paths on. Returns what is wrong, and how much was opened.
pub async fn crawl(member: &Member, base: &str, from: &[&str]) -> (Vec<String>, usize) {
    let mut waiting: VecDeque<(String, String)> = from
        .iter()
        .map(|path| ((*path).to_owned(), "the start".to_owned()))
        .collect();
    let (mut seen, mut queries) = (BTreeSet::new(), BTreeMap::<String, usize>::new());
    let mut faults = Vec::new();
    while let Some((path, before)) = waiting.pop_front() {
        let (page, query) = path.split_once('?').unwrap_or((&path, ""));
        if !query.is_empty() {
            let count = queries.entry(page.to_owned()).or_default();
            *count += 1;
            if *count > QUERIES {
                continue;
            }
        }
        if !seen.insert(path.clone()) {
            continue;
        }
        let reply = member.open(&path).await;
        let mut follow = |link: &str| {
            if let Some(next) = own_path(link, base) {
                waiting.push_back((next, path.clone()));
            }
        };
        match reply.status.as_u16() {
            200 => {}
            303 => {
                follow(reply.header("location"));
                continue;
            }
            status => {
                faults.push(format!("{path}: {status}, linked from {before}"));
                continue;
            }
        }
        if reply.header("content-type").starts_with("text/html") {
            links(&reply).for_each(|link| follow(&link));
            if !path.starts_with("/docs") {
                let wrong = wrong_words(&shown_text(&reply.text));
                faults.extend(wrong.into_iter().map(|word| format!("{path} shows {word}")));
            }
        }
    }
    (faults, seen.len())
}

/// The path of a link to this site.
fn own_path(link: &str, base: &str) -> Option<String> {
    let link = link.replace("&#38;", "&").replace("&amp;", "&");
    let link = link.strip_prefix(base).unwrap_or(&link);
    let path = link.split('#').next().unwrap_or_default();
    let is_own = path.starts_with('/') && !path.starts_with("//");
    is_own.then(|| path.to_owned())
}

fn links(page: &Reply) -> impl Iterator<Item = String> {
    let values = [" href=\"", " src=\""].into_iter().flat_map(|name| {
        let parts = page.text.split(name).skip(1);
        parts.map(|part| part.split('"').next().unwrap_or_default().to_owned())
    });
    values.filter(|link| link.starts_with('/') || link.starts_with("http"))
}

/// The text of a page without its code and what it quotes.
fn shown_text(page: &str) -> String {
    let mut text = String::new();
    // The element that is left out, and how many of its name are open.
    let mut left_out: Option<(String, usize)> = None;
    for piece in page.split('<').skip(1) {
        let (tag, rest) = piece.split_once('>').unwrap_or((piece, ""));
        let (is_end, tag) = match tag.strip_prefix('/') {
            Some(tag) => (true, tag),
            None => (false, tag),
        };
        let name = tag.split([' ', '\n', '/']).next().unwrap_or_default();
        let class = tag
            .split("class=\"")
            .nth(1)
            .and_then(|class| class.split('"').next());
        let is_quote = class.is_some_and(|class| class.split(' ').any(|one| QUOTES.contains(&one)));
        left_out = match left_out {
            Some((of, open)) if of == name => match (is_end, open) {
                (true, 1) => None,
                (true, _) => Some((of, open - 1)),
                (false, _) => Some((of, open + 1)),
            },
            None if !is_end && (QUOTED.contains(&name) || is_quote) => Some((name.to_owned(), 1)),
            other => other,
        };
        if left_out.is_none() {
            text.push(' ');
            text.push_str(rest);
        }
    }
    text
}

/// The words of a text that no reader should see: an id, a number above a billion, what is left of a program.
fn wrong_words(text: &str) -> Vec<String> {
    let is_wrong = |word: &&str| {
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).count();
        let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric() && !"{}".contains(letter));
        let groups: Vec<usize> = bare.split('-').map(str::len).collect();
        let is_id = groups == [8, 4, 4, 4, 12];
        let whole = bare.split('.').next().unwrap_or_default();
        let is_large =
            digits(whole) > 9 && whole.chars().all(|one| one.is_ascii_alphanumeric() || one == ',');
        is_id || is_large || bare.contains(['{', '}']) || ["undefined", "NaN"].contains(&bare)
    };
    text.split_whitespace()
        .filter(is_wrong)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_page_may_show_is_found_outside_code_and_quotes() {
        let page = "<p>Q18446744073709551615 {name} NaN</p><pre>{</pre><div class=\"answer-text\"><div>{x}</div>{y}</div>\
                    <p>7c9e6679-7425-40de-944b-e07fc1f90ae7 and 2,000,000,000.5 of 999,999,999 on 2026-11-30</p>";
        assert_eq!(
            wrong_words(&shown_text(page)),
            [
                "Q18446744073709551615",
                "{name}",
                "NaN",
                "7c9e6679-7425-40de-944b-e07fc1f90ae7",
                "2,000,000,000.5"
            ]
        );
        assert_eq!(
            own_path("http://a.test/x#y", "http://a.test"),
            Some("/x".to_owned())
        );
        assert_eq!(own_path("//b.test/x", "http://a.test"), None);
    }
}
