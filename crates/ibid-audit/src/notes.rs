//! Findings without weight: things worth knowing that no score should hang on.

use crate::facts::{Facts, RobotsState};
use crate::page::SiteFile;
use crate::quote::quote;
use ibid_model::result::{AuditNote, NoteLevel};

/// Everything worth a note.
pub(crate) fn notes(facts: &Facts<'_>) -> Vec<AuditNote> {
    let mut notes = Vec::new();
    hidden_orders(facts, &mut notes);
    content_signals(facts, &mut notes);
    open_graph(facts, &mut notes);
    if facts.structured.has_type(&["FAQPage"]) {
        notes.push(info(
            "faq_markup",
            "The page has FAQ markup. Question-and-answer form alone was not found to help.",
            None,
        ));
    }
    if let Some(elapsed) = facts.page.elapsed {
        let millis = elapsed.as_millis();
        let text = format!("The page was read in {millis} ms, redirects included.");
        notes.push(if millis > 3_000 {
            warning(
                "slow_answer",
                &format!("{text} Fetchers that serve a waiting person give up soon."),
                None,
            )
        } else {
            info("response_time", &text, None)
        });
    }
    if let Some(answer) = facts.page.site.llms.answer()
        && let Some(at) = memchr::memmem::find(&answer.body, b"llms-full.txt")
    {
        let line = answer.body[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        notes.push(info(
            "llms_full",
            "llms.txt links to an llms-full.txt.",
            Some(format!("/llms.txt line {line}")),
        ));
    }
    if facts.page.status.is_none() {
        notes.push(info(
            "not_fetched",
            "The HTML was handed in: robots.txt, headers, redirects, sitemap and llms.txt were not looked at.",
            None,
        ));
    }
    notes
}

fn hidden_orders(facts: &Facts<'_>, notes: &mut Vec<AuditNote>) {
    for sign in &facts.signs.hidden_orders {
        notes.push(warning(
            "hidden_instructions",
            &format!("Text aimed at models stands where people do not see it: “{}”. It was not followed. Search engines treat such text as spam.", sign.text),
            Some(format!("line {}", sign.line)),
        ));
    }
    if let Some(sign) = &facts.signs.tag_characters {
        notes.push(warning(
            "invisible_characters",
            &format!(
                "Invisible Unicode characters spell: “{}”. It was not followed.",
                sign.text
            ),
            Some(format!("line {}", sign.line)),
        ));
    }
    if let SiteFile::Answer(answer) = &facts.page.site.llms
        && answer.status == 200
    {
        let text = String::from_utf8_lossy(&answer.body[..answer.body.len().min(20_000)]);
        if let Some(order) = crate::signs::orders(&text) {
            notes.push(warning(
                "hidden_instructions",
                &format!("llms.txt gives orders to models: “{order}”. It was not followed."),
                Some("/llms.txt".to_owned()),
            ));
        }
    }
}

fn content_signals(facts: &Facts<'_>, notes: &mut Vec<AuditNote>) {
    let RobotsState::File { robots, .. } = &facts.robots else {
        return;
    };
    let path = facts.path();
    let told: Vec<String> = robots
        .signals()
        .iter()
        .filter(|signal| signal.covers(&path))
        .take(10)
        .map(|signal| format!("{}={}", signal.name, if signal.granted { "yes" } else { "no" }))
        .collect();
    if !told.is_empty() {
        notes.push(info(
            "content_signals",
            &format!(
                "Content signals: {}. They state a wish; no crawler is bound by them.",
                told.join(", ")
            ),
            Some("/robots.txt".to_owned()),
        ));
    }
}

fn open_graph(facts: &Facts<'_>, notes: &mut Vec<AuditNote>) {
    let missing: Vec<_> = ["og:title", "og:description", "og:image", "og:url"]
        .into_iter()
        .filter(|name| facts.head.meta(&[name]).is_none())
        .collect();
    if missing.is_empty() {
        return;
    }
    notes.push(info(
        "open_graph",
        &format!(
            "Open Graph tags that are missing: {}. They serve link previews, not citation.",
            missing.join(", ")
        ),
        None,
    ));
}

fn info(code: &str, message: &str, location: Option<String>) -> AuditNote {
    note(code, NoteLevel::Info, message, location)
}

fn warning(code: &str, message: &str, location: Option<String>) -> AuditNote {
    note(code, NoteLevel::Warning, message, location)
}

fn note(code: &str, level: NoteLevel, message: &str, location: Option<String>) -> AuditNote {
    AuditNote {
        code: code.to_owned(),
        level,
        message: crate::quote::quote_to(message, 400),
        location: location.map(|location| quote(&location)),
    }
}
