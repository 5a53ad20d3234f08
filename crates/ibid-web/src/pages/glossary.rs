//! The glossary: one page with every word of a report, to which the words link.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;

/// Its words are in the template, in the order in which a report uses them.
#[derive(Template)]
#[template(path = "glossary.html")]
struct GlossaryTemplate<'a> {
    shell: Shell<'a>,
}

pub fn glossary(frame: &Frame<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Glossary", Tab::Docs).indexed();
    render("glossary", &GlossaryTemplate { shell })
}

#[cfg(test)]
mod tests {
    use ibid_model::Ring;
    use std::collections::BTreeSet;

    const GLOSSARY: &str = include_str!("../../templates/glossary.html");

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
        let ring = GLOSSARY
            .lines()
            .find(|line| line.contains("id=\"ring\""))
            .unwrap();
        assert!(ring.contains(&expected), "{expected}: {ring}");
    }

    #[test]
    fn every_word_that_a_page_links_has_an_entry() {
        let entries = GLOSSARY.split("<div id=\"").skip(1);
        let anchors: Vec<&str> = entries.filter_map(|rest| rest.split('"').next()).collect();
        let different: BTreeSet<&str> = anchors.iter().copied().collect();
        assert_eq!(anchors.len(), different.len());
        let mut linked = 0;
        for template in TEMPLATES {
            for rest in template.split("m::term(\"").skip(1) {
                let anchor = rest.split('"').next().unwrap();
                assert!(different.contains(anchor), "{anchor}");
                linked += 1;
            }
        }
        assert!(linked > 12, "{linked}");
    }
}
