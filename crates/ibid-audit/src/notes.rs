//! Findings without weight: things worth knowing that no score should hang on.

use crate::facts::{Facts, RobotsState};
use crate::page::SiteFile;
use crate::quote::{QUOTE_CHARS, quote, quote_to};
use NoteLevel::{Info, Warning};
use ibid_model::result::{AuditNote, NoteLevel};

/// Everything worth a note.
pub(crate) fn notes(facts: &Facts<'_>) -> Vec<AuditNote> {
    let mut notes = Vec::new();
    let mut add = |level: NoteLevel, code: &str, message: &str, location: Option<String>| {
        notes.push(AuditNote {
            code: code.to_owned(),
            level,
            message: quote_to(message, 2 * QUOTE_CHARS),
            location: location.map(|location| quote(&location)),
        });
    };
    for sign in &facts.signs.hidden_orders {
        let text = format!(
            "Text aimed at models stands where people do not see it: “{}”. It was not followed. Search engines treat such text as spam.",
            sign.text
        );
        add(
            Warning,
            "hidden_instructions",
            &text,
            Some(format!("line {}", sign.line)),
        );
    }
    if let Some(sign) = &facts.signs.tag_characters {
        let text = format!(
            "Invisible Unicode characters spell: “{}”. It was not followed.",
            sign.text
        );
        add(
            Warning,
            "invisible_characters",
            &text,
            Some(format!("line {}", sign.line)),
        );
    }
    if let SiteFile::Answer(answer) = &facts.page.site.llms
        && answer.status == 200
        && let Some(order) = crate::signs::orders_in(&answer.body)
    {
        let text = format!("llms.txt gives orders to models: “{order}”. It was not followed.");
        add(
            Warning,
            "hidden_instructions",
            &text,
            Some("/llms.txt".to_owned()),
        );
    }
    if let RobotsState::File { robots, .. } = &facts.robots {
        let path = facts.path();
        let signals = robots
            .signals()
            .iter()
            .filter(|signal| signal.covers(&path))
            .take(10);
        let answer = |granted: bool| if granted { "yes" } else { "no" };
        let signals: Vec<String> = signals
            .map(|signal| format!("{}={}", signal.name, answer(signal.granted)))
            .collect();
        if !signals.is_empty() {
            let text = format!(
                "Content signals: {}. They state a wish; no crawler is bound by them.",
                signals.join(", ")
            );
            add(Info, "content_signals", &text, Some("/robots.txt".to_owned()));
        }
    }
    if let Some(millis) = facts.page.elapsed.map(|elapsed| elapsed.as_millis()) {
        let text = format!("The page was read in {millis} ms, redirects included.");
        if millis > 3_000 {
            let text = format!("{text} Fetchers that serve a waiting person give up soon.");
            add(Warning, "slow_answer", &text, None);
        } else {
            add(Info, "response_time", &text, None);
        }
    }
    if facts.page.status.is_none() {
        let text = "The HTML was handed in: robots.txt, headers, redirects, sitemap and llms.txt were not looked at.";
        add(Info, "not_fetched", text, None);
    }
    notes
}
