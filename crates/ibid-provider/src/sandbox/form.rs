//! How an answer is laid out.

use super::dice::Dice;
use super::tables::{Words, fill};
use std::fmt::Write as _;

/// One business as an answer presents it.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) host: String,
    /// Full address for links.
    pub(super) url: String,
    pub(super) link: Link,
    pub(super) reason: &'static str,
    /// The text after the reason: numbers of sources, a chip.
    pub(super) chip: String,
}

/// The form in which an entry shows its website.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// Not at all.
    None,
    /// The name is a link.
    Name,
    /// The host follows the name.
    Host,
}

/// Layouts in which real answers recommend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Numbered,
    Bullets,
    Headings,
    Prose,
    Labels,
    Table,
    Enumeration,
    BoldHeads,
    Hosts,
}

impl Form {
    /// Layouts from common to rare; a persona begins somewhere in it.
    pub(super) const ROW: [Self; 8] = [
        Self::Numbered,
        Self::Bullets,
        Self::Headings,
        Self::Prose,
        Self::Labels,
        Self::Table,
        Self::Enumeration,
        Self::BoldHeads,
    ];
}

/// Lays the entries out; no opening, no closing.
pub(super) fn lay_out(form: Form, words: &Words, entries: &[Entry], dice: &mut Dice) -> String {
    let mut text = String::with_capacity(160 * entries.len());
    let stop = &words.stop;
    // Writing to a string cannot fail, so the results are ignored.
    match form {
        Form::Numbered => {
            for (n, entry) in entries.iter().enumerate() {
                let _ = writeln!(
                    text,
                    "{}. {} – {}{stop}{}",
                    n + 1,
                    bold(entry),
                    entry.reason,
                    entry.chip
                );
            }
        }
        Form::Bullets => {
            for entry in entries {
                let _ = writeln!(text, "- {}: {}{stop}{}", bold(entry), entry.reason, entry.chip);
            }
        }
        Form::Headings => {
            for (n, entry) in entries.iter().enumerate() {
                let _ = writeln!(
                    text,
                    "### {}. {}\n{}{stop}{}\n",
                    n + 1,
                    shown(entry),
                    capital(entry.reason),
                    entry.chip
                );
            }
        }
        Form::BoldHeads => {
            for entry in entries {
                let _ = writeln!(
                    text,
                    "{}\n{}{stop}{}\n",
                    bold(entry),
                    capital(entry.reason),
                    entry.chip
                );
            }
        }
        Form::Labels => {
            for (n, entry) in entries.iter().enumerate() {
                let label = match n.checked_sub(1) {
                    None => &words.best,
                    Some(n) => &words.labels[n % words.labels.len()],
                };
                let _ = writeln!(
                    text,
                    "- **{label}:** {} – {}{stop}{}",
                    shown(entry),
                    entry.reason,
                    entry.chip
                );
            }
        }
        Form::Table => {
            let [name, why, site] = &words.heads;
            let _ = writeln!(text, "| {name} | {why} | {site} |\n|---|---|---|");
            for entry in entries {
                let site = match entry.link {
                    Link::None => "–".to_owned(),
                    Link::Name => format!("[{}]({})", entry.host, entry.url),
                    Link::Host => entry.host.clone(),
                };
                let _ = writeln!(
                    text,
                    "| **{}** | {}{} | {site} |",
                    entry.name,
                    capital(entry.reason),
                    entry.chip
                );
            }
        }
        Form::Hosts => {
            for entry in entries {
                let address = if dice.chance(0.5) { &entry.url } else { &entry.host };
                let _ = writeln!(text, "- {address} – {}{stop}{}", entry.reason, entry.chip);
            }
        }
        Form::Prose => {
            for (n, entry) in entries.iter().enumerate() {
                let template = if n == 0 {
                    dice.phrase(&words.first)
                } else {
                    dice.phrase(&words.next)
                };
                let sentence = fill(template, &[("n", &shown(entry)), ("r", entry.reason)]);
                let gap = if words.tag == "ja" { "" } else { " " };
                let _ = write!(text, "{sentence}{}{gap}", entry.chip);
            }
        }
        Form::Enumeration => {
            let names: Vec<String> = entries.iter().map(shown).collect();
            text.push_str(&fill(
                dice.phrase(&words.enumerate),
                &[("l", &join(&names, words))],
            ));
            if let Some(entry) = entries.first() {
                let values = [("n", entry.name.as_str()), ("r", entry.reason)];
                let _ = write!(text, "\n\n{}{}", fill(&words.next[0], &values), entry.chip);
            }
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// "A, B and C".
pub(super) fn join(names: &[String], words: &Words) -> String {
    let [comma, last] = &words.joints;
    match names.split_last() {
        None => String::new(),
        Some((name, [])) => name.clone(),
        Some((name, rest)) => format!("{}{last}{name}", rest.join(comma)),
    }
}

/// Returns the text with a capital first letter.
pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn shown(entry: &Entry) -> String {
    match entry.link {
        Link::None => entry.name.clone(),
        Link::Name => format!("[{}]({})", entry.name, entry.url),
        Link::Host => format!("{} ({})", entry.name, entry.host),
    }
}

fn bold(entry: &Entry) -> String {
    match entry.link {
        Link::None => format!("**{}**", entry.name),
        Link::Name => format!("**[{}]({})**", entry.name, entry.url),
        Link::Host => format!("**{}** ({})", entry.name, entry.host),
    }
}
