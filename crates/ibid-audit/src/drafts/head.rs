//! Elements of the head without what forbids.

use crate::directives::{Directive, Place, Reach};
use crate::escape::escape;
use crate::facts::Facts;
use crate::quote::quote_to;

/// Shows the element or header with the first dropped directive, with and without all of them.
pub(crate) fn without(facts: &Facts<'_>, dropped: impl Fn(&Directive) -> bool) -> Option<(String, String)> {
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
    Some((before, element(kept)))
}
