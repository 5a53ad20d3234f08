//! The glossary: one page with every word of a report, to which the words link.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;

/// A word of the reports.
pub(crate) struct Entry {
    /// The anchor on the page.
    pub(crate) anchor: &'static str,
    pub(crate) word: &'static str,
    pub(crate) text: &'static str,
}

/// Every word, in the order in which a report uses them.
pub(crate) const ENTRIES: [Entry; 25] = [
    entry(
        "score",
        "Score",
        "A number from 0 to 100 for how prominently answers cite the website. An answer earns points for its class, the position, a link and the share of its words. The score of a model is the mean over its core answers; the overall score is the mean of the models.",
    ),
    entry(
        "cited",
        "Cited",
        "An answer cites a website when it names it or links to it.",
    ),
    entry(
        "cited-or-used",
        "Cited or used",
        "An answer cites a page when its text links to it. It uses a page when the page is among its sources and the text does not link to it.",
    ),
    entry(
        "first-choice",
        "First choice",
        "The answer recommends the website before all others, or says that it is the best. In data: primary.",
    ),
    entry(
        "recommended",
        "Recommended",
        "The answer recommends the website after others. In data: secondary.",
    ),
    entry(
        "mentioned",
        "Mentioned",
        "The answer names the website or links to it and does not recommend it.",
    ),
    entry(
        "absent",
        "Absent",
        "The answer does not cite the website. In data: none.",
    ),
    entry(
        "likely-range",
        "Likely range",
        "19 times in 20 the number lies in this range, the 95 % interval: other questions of the same kind would move it, and that of a score holds the error of reading answers too. With fewer than ten questions, read the range and not the number.",
    ),
    entry(
        "core-question",
        "Core question",
        "A question for the place itself, or without a place. Only core questions make the score. Each has an intent.",
    ),
    entry(
        "intent",
        "Intent",
        "What the person who asks wants: a list, the best one, a website, a price, somebody near, a comparison and so on. Every intent is a question of its own.",
    ),
    entry(
        "stance",
        "Stance",
        "Whether an answer recommends the website, only mentions it, or advises against it.",
    ),
    entry(
        "searched",
        "Searched or from memory",
        "A model searches the web for an answer or writes it from memory. The two are different measurements, so a score never mixes them.",
    ),
    entry(
        "coverage",
        "Coverage",
        "The share of the questions that got a valid answer. A question that failed is left out of every number.",
    ),
    entry(
        "competitor",
        "Competitor",
        "A provider that answers put forward instead of the website, or beside it. Directories and media are listed apart: they are cited and do not compete.",
    ),
    entry(
        "visibility",
        "Visibility",
        "A number from 0 to 100 for how far up the answers put a name: 100 when every answer puts it first. The website's own row is computed by the same formula.",
    ),
    entry(
        "share",
        "Share",
        "The visibility of one name over that of all competitors together. For a cited site: the answers that cite it over the answers that cite any site.",
    ),
    entry(
        "source",
        "Cited site",
        "A website that answers link to, in the text or as a source beside it. \"Never with you\" says that no answer cites it together with the website; it does not say what stands on its pages.",
    ),
    entry(
        "own-page",
        "Own page",
        "A page of the scanned website that answers link to.",
    ),
    entry(
        "move",
        "Move",
        "A step that follows from the answers by a fixed rule, with the facts behind it. No model writes it.",
    ),
    entry(
        "ring",
        "Ring",
        "A band around the place: up to 25, 50, 100, 250 or 500 km from it. Each has up to three towns.",
    ),
    entry(
        "town",
        "Town",
        "A market in which questions are asked as a person there asks them.",
    ),
    entry(
        "radius",
        "Citation radius",
        "The distance within which at least a quarter of the answers cite the website. Its range holds the distance four times in five.",
    ),
    entry(
        "real-change",
        "Real change",
        "Two scans differ by more than chance explains: the test says that such a difference would come up by chance less than once in twenty times.",
    ),
    entry(
        "no-real-change",
        "No real change",
        "The difference between two scans may be due to chance.",
    ),
    entry(
        "not-comparable",
        "Not comparable",
        "The two scans differ in questions, place, method or models, or share too few answers, so their difference says nothing.",
    ),
];

const fn entry(anchor: &'static str, word: &'static str, text: &'static str) -> Entry {
    Entry { anchor, word, text }
}

#[derive(Template)]
#[template(path = "glossary.html")]
struct GlossaryTemplate<'a> {
    shell: Shell<'a>,
    entries: &'static [Entry],
}

pub fn glossary(frame: &Frame<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Glossary", Tab::Docs).indexed();
    let entries = &ENTRIES;
    render("glossary", &GlossaryTemplate { shell, entries })
}

#[cfg(test)]
mod tests {
    use super::ENTRIES;
    use ibid_model::Ring;
    use std::collections::BTreeSet;

    /// Every template, so that the test finds a link to a missing word.
    const TEMPLATES: [&str; 5] = [
        include_str!("../../templates/report.html"),
        include_str!("../../templates/compare.html"),
        include_str!("../../templates/website.html"),
        include_str!("../../templates/part/competitors.html"),
        include_str!("../../templates/part/sites.html"),
    ];

    #[test]
    fn rings_have_the_edges_of_the_model() {
        let edges: Vec<String> = Ring::all().map(|ring| ring.to_km().to_string()).collect();
        let (last, first) = edges.split_last().unwrap();
        let expected = format!("up to {} or {last} km", first.join(", "));
        let ring = ENTRIES.iter().find(|entry| entry.anchor == "ring").unwrap();
        assert!(ring.text.contains(&expected), "{expected}: {}", ring.text);
    }

    #[test]
    fn every_word_that_a_page_links_has_an_entry() {
        let anchors: BTreeSet<&str> = ENTRIES.iter().map(|entry| entry.anchor).collect();
        assert_eq!(anchors.len(), ENTRIES.len());
        let mut linked = 0;
        for template in TEMPLATES {
            for rest in template.split("m::term(\"").skip(1) {
                let anchor = rest.split('"').next().unwrap();
                assert!(anchors.contains(anchor), "{anchor}");
                linked += 1;
            }
        }
        assert!(linked > 12, "{linked}");
    }
}
