//! Single elements of the head.

use super::draft;
use crate::directives::{Directive, Place, Reach};
use crate::escape::escape;
use crate::facts::Facts;
use crate::quote::quote_to;
use ibid_model::result::AuditDraft;

/// The element or the header that holds a forbidding directive, without it.
pub(super) fn directives(facts: &Facts<'_>) -> Option<AuditDraft> {
    let forbids = |directive: &Directive| match directive.word.as_str() {
        "noindex" | "none" | "nosnippet" | "unavailable_after" => true,
        word => word == "max-snippet" && directive.value.as_deref() == Some("0"),
    };
    let (bad, (_, content)) = without(facts, forbids)?;
    let (title, target, format) = match bad.place {
        Place::Meta(line) => (
            "a robots element that lets the page be indexed and quoted",
            format!("the element at line {line}"),
            "html",
        ),
        Place::Header => (
            "a header that lets the page be indexed and quoted",
            "the header X-Robots-Tag".to_owned(),
            "header",
        ),
    };
    let note = "Make sure that the page is meant to be found before you use this.";
    Some(draft("A5", title, &target, format, content, note))
}

/// The first directive of some, and its element or header with and without all of them.
pub(crate) fn without<'f>(
    facts: &'f Facts<'_>,
    dropped: impl Fn(&Directive) -> bool,
) -> Option<(&'f Directive, (String, String))> {
    let all = || facts.head.directives.iter();
    let bad = all().find(|directive| dropped(directive) && directive.reach() != Reach::Foreign)?;
    let beside = || all().filter(|other| other.place == bad.place && other.agent == bad.agent);
    let element = |words: Vec<String>| {
        let value = quote_to(&words.join(", "), 500);
        let agent = quote_to(bad.agent.as_deref().unwrap_or("robots"), 60);
        match (bad.place, &bad.agent) {
            (Place::Meta(_), _) => format!(
                "<meta name=\"{}\" content=\"{}\">",
                escape(&agent),
                escape(&value)
            ),
            (Place::Header, Some(_)) => format!("X-Robots-Tag: {agent}: {value}"),
            (Place::Header, None) => format!("X-Robots-Tag: {value}"),
        }
    };
    let mut kept: Vec<String> = beside()
        .filter(|other| !dropped(other))
        .map(Directive::written)
        .collect();
    if kept.is_empty() {
        kept.push("max-snippet:-1".to_owned());
    }
    let before = element(beside().map(Directive::written).collect());
    Some((bad, (before, element(kept))))
}

/// A canonical link to the page itself.
pub(super) fn canonical(facts: &Facts<'_>) -> Option<AuditDraft> {
    let mut url = facts.page.url.clone()?;
    // A page that names another host may mean it.
    if facts
        .head
        .links
        .iter()
        .any(|link| link.is("canonical") && link.in_head)
    {
        return None;
    }
    url.set_fragment(None);
    Some(draft(
        "B1",
        "a canonical link",
        "<head>",
        "html",
        format!("<link rel=\"canonical\" href=\"{}\">", escape(url.as_str())),
        "Look at the query: parameters that only track visitors do not belong into a canonical address.",
    ))
}

/// The language attribute.
pub(super) fn language(facts: &Facts<'_>) -> Option<AuditDraft> {
    let language = facts.reading.language?;
    Some(draft(
        "F5",
        "the declared language",
        "<html>",
        "html",
        format!("<html lang=\"{language}\">"),
        "The language was detected from the text; add a region only if the text is meant for one.",
    ))
}
