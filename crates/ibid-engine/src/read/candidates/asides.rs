//! Names outside the list: if an answer lists its picks, examples and places to buy are no picks.

use super::{Candidate, Candidates, Form};
use crate::read::layout::{Kind, Span};
use crate::read::page::Page;
use crate::read::text::plain;
use crate::read::words::{Kinds, List, list};
use std::collections::{BTreeMap, BTreeSet};

/// Listed names that make a list of an answer.
const LIST: usize = 2;

/// Words before an example.
pub(super) static EXAMPLE: List = list("asides.example");

/// Words before a place to look, to ask or to buy.
static PLACE: List = list("asides.place");

/// Whether a text joins two names of one enumeration.
pub(in crate::read) fn is_joint(text: &str) -> bool {
    static JOINTS: List = list("asides.joints");
    JOINTS.has(text.trim_matches([' ', '*']))
}

/// Whether only a joint is between the first and the second.
pub(in crate::read) fn are_joined(page: &Page<'_>, first: usize, second: usize) -> bool {
    first <= second && is_joint(page.text(&(first..second)))
}

/// Drops names outside the list that a sentence gives as an example, as a place to look, or to restate the question.
pub(super) fn drop(page: &Page<'_>, candidates: &mut Candidates) {
    let items = || {
        candidates
            .found
            .iter()
            .filter(|candidate| candidate.form != Form::Prose)
    };
    let listed: BTreeSet<String> = items()
        .map(|item| String::from(plain(page.text(&item.name))))
        .collect();
    let known = items().filter(|item| is_known(page, item)).count();
    let summaries = summaries(page, candidates, &listed);
    let mut aside_to = None::<usize>;
    candidates.found.retain(|candidate| {
        if candidate.form != Form::Prose {
            return true;
        }
        let Some(at) = page.sentence_at(candidate.name.start) else {
            return true;
        };
        let sentence = &page.sentences[at];
        let goes_on = aside_to
            .is_some_and(|end| end >= sentence.span.start && are_joined(page, end, candidate.name.start));
        let restated = sentence.compares && listed.contains(&*plain(page.text(&candidate.name)));
        let chosen = sentence
            .kinds
            .has(Kinds::TOP.and(Kinds::VERDICT).and(Kinds::CORE));
        // A name that a sentence outside the list neither sets off nor recommends.
        let quiet = known >= 3
            && !listed.contains(&*plain(page.text(&candidate.name)))
            && !sentence.kinds.has(super::SPEAKS_FOR)
            && page.layout.blocks[sentence.block].kind == Kind::Line
            && !page.is_bold(&candidate.name);
        let named = goes_on || (is_aside(page, &candidate.name) || quiet) && !summaries.contains(&at);
        let aside = (known >= LIST && named || restated) && !chosen;
        if aside {
            aside_to = Some(candidate.name.end);
        }
        !aside
    });
}

/// The sentences with three or more names, most of them listed: they sum up the list.
fn summaries(page: &Page<'_>, candidates: &Candidates, listed: &BTreeSet<String>) -> BTreeSet<usize> {
    const MOST: usize = 3;
    let mut counts: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let prose = candidates.found.iter().filter(|found| found.form == Form::Prose);
    for candidate in prose {
        let Some(at) = page.sentence_at(candidate.name.start) else {
            continue;
        };
        let (all, known) = counts.entry(at).or_default();
        *all += 1;
        *known += usize::from(listed.contains(&*plain(page.text(&candidate.name))));
    }
    let sums_up = |(all, known): &(usize, usize)| *all >= MOST && known * 2 >= *all;
    counts
        .into_iter()
        .filter(|(_, count)| sums_up(count))
        .map(|(at, _)| at)
        .collect()
}

/// Whether a word for an example, or one before a place to look, is directly before a name.
pub(super) fn is_aside(page: &Page<'_>, name: &Span) -> bool {
    let Some(sentence) = page.sentence(name.start) else {
        return false;
    };
    let lead = page
        .lead(&sentence.span, name.start)
        .trim_end_matches([' ', '*', '(', '"', '[']);
    ends_with(lead, EXAMPLE.all()) || ends_with(lead, PLACE.all())
}

fn is_known(page: &Page<'_>, item: &Candidate) -> bool {
    let name = &item.name;
    page.hits_in(name).iter().any(|hit| hit.sure)
        || page.is_linked(name)
        || page
            .brands_in(name)
            .iter()
            .any(|brand| brand.span.end <= name.end)
}

/// Whether a text ends with one of these as separate words.
fn ends_with(text: &str, phrases: &[&str]) -> bool {
    let start = text.ceil_char_boundary(text.len().saturating_sub(16));
    let end = text.get(start..).unwrap_or_default().to_lowercase();
    phrases.iter().any(|phrase| {
        end.strip_suffix(phrase)
            .is_some_and(|before| before.is_empty() || before.ends_with([' ', '(', ',']))
    })
}

#[cfg(test)]
mod tests {
    use crate::read::{Answer, Target, read};
    use ibid_model::Prominence;

    fn class(answer: &str) -> (Prominence, Option<u32>) {
        let domain = "vintokka.example".parse().unwrap();
        let target = Target::new(&domain, &["Vintokka".parse().unwrap()]);
        let reading = read(&target, &Answer::of_text(answer));
        (reading.class, reading.rank)
    }

    const LIST: &str = "1. **Nike Zorbu 9** - light and soft.\n2. **Brooks Quelt 4** - firm and stable.\n3. **Asics Drano 2** - wide.";

    #[test]
    fn examples_and_shops_beside_a_list_are_mentions() {
        for beside in [
            "You said that you know shoes like Vintokka.",
            "They come from big makers such as Vintokka, so sizes vary.",
            "All of these are available on Vintokka.",
            "Alle Modelle gibt es bei Vintokka.",
        ] {
            let mentioned = (Prominence::Mentioned, None);
            assert_eq!(class(&format!("{beside}\n\n{LIST}")), mentioned, "{beside}");
            assert_eq!(class(&format!("{LIST}\n\n{beside}")), mentioned, "{beside}");
        }
    }

    #[test]
    fn examples_are_picks_where_nothing_is_listed_or_the_list_is_summed_up() {
        let (alone, _) = class("Good shoes come from makers like Vintokka, Nike and Brooks.");
        assert!(alone >= Prominence::Secondary);
        let summary = "Good picks are shoes like Vintokka, Nike and Brooks.";
        assert_eq!(
            class(&format!("{summary}\n\n{LIST}")),
            (Prominence::Primary, Some(1))
        );
    }
}
