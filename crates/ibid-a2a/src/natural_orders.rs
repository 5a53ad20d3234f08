//! Orders in words: "check example.com for crm software near Valencia".
//!
//! Fixed rules and no model, so the same words always give the same order.
//! A text without a website is no order.
//! A field that the words do not have is asked for, not guessed.

use crate::message::{Message, Part, Role};
use ibid_model::{Domain, Skill};
use serde_json::{Map, Value};
use url::Url;

/// An order as far as words give it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Understood {
    pub(crate) skill: Skill,
    pub(crate) fields: Map<String, Value>,
    /// Required fields of the skill that the words do not have.
    pub(crate) missing: Vec<&'static str>,
}

/// Longest answer to a question for one field, in bytes.
const LONGEST_ANSWER: usize = 120;
/// Words that a phrase ends at.
const STOPS: [&str; 5] = [" for ", " near ", " around ", " close to ", " within "];
/// Words in front of a place.
const PLACES: [&str; 3] = [" near ", " around ", " close to "];

/// Collects the text parts of the client's messages, oldest first.
pub(crate) fn texts<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Vec<&'a str> {
    let of_client = messages.into_iter().filter(|message| message.role == Role::User);
    let parts = of_client.flat_map(|message| &message.parts);
    let text = |part: &'a Part| match part {
        Part::Text { text, metadata: _ } => Some(text.as_str()),
        Part::Data { data: _, metadata: _ } => None,
    };
    parts.filter_map(text).collect()
}

/// Reads an order from the texts of a conversation, oldest first.
/// Returns `None` if no text names a website.
pub(crate) fn understand(texts: &[&str], wanted: Option<Skill>) -> Option<Understood> {
    let mut fields = Map::new();
    let mut skill = wanted;
    for text in texts {
        skill = named_skill(text).or(skill);
        let found = read(text);
        let answered = match found.is_empty() {
            true => answer(text, &fields, skill.unwrap_or(Skill::Scan)),
            false => None,
        };
        fields.extend(found);
        fields.extend(answered);
    }
    let domain = fields.get("domain").and_then(Value::as_str)?.to_owned();
    let skill = skill.unwrap_or(Skill::Scan);
    let form = skill.product()?.form();
    if form.is_none() {
        let page = fields
            .remove("url")
            .unwrap_or_else(|| format!("https://{domain}/").into());
        fields = Map::from_iter([("url".to_owned(), page)]);
    } else if !skill.row().takes_page() {
        fields.remove("url");
    }
    let missing = missing(skill, &fields);
    Some(Understood {
        skill,
        fields,
        missing,
    })
}

impl Understood {
    /// A sentence about it.
    pub(crate) fn sentence(&self) -> String {
        sentence(self.skill, &self.fields)
    }
}

pub(crate) fn sentence(skill: Skill, fields: &Map<String, Value>) -> String {
    let field = |(name, value): (&String, &Value)| match value {
        Value::String(text) => format!(", {name} \"{text}\""),
        other => format!(", {name} {other}"),
    };
    let fields: String = fields.iter().map(field).collect();
    format!("Understood: {skill}{fields}.")
}

fn missing(skill: Skill, fields: &Map<String, Value>) -> Vec<&'static str> {
    let required = skill.row().required.iter().map(|field| field.name);
    required.filter(|name| !fields.contains_key(*name)).collect()
}

fn named_skill(text: &str) -> Option<Skill> {
    let text = text.to_ascii_lowercase();
    let has = |word: &str| text.contains(word);
    if has("full report") {
        Some(Skill::Full)
    } else if has("radius") || has("how far") {
        Some(Skill::Radius)
    } else if has("audit") || has("citable") {
        Some(Skill::Audit)
    } else {
        None
    }
}

/// The fields that one text has.
fn read(text: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut add = |name: &str, value: String| fields.insert(name.to_owned(), Value::String(value));
    let Some((domain, url)) = website(text) else {
        return fields;
    };
    add("domain", domain.to_string());
    if let Some(url) = url {
        add("url", url.to_string());
    }
    let spaced = format!(" {} ", text.split_whitespace().collect::<Vec<_>>().join(" "));
    if let Some(keyword) = quoted(&spaced).or_else(|| after_for(&spaced)) {
        add("keyword", keyword);
    }
    if let Some(place) = place(&spaced) {
        add("location", place);
    }
    fields
}

/// Returns the first website of a text, with its full address if the text has one.
fn website(text: &str) -> Option<(Domain, Option<Url>)> {
    text.split_whitespace().find_map(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
        if word.contains('@') || !word.contains('.') {
            return None;
        }
        let url = word
            .parse::<Url>()
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"));
        let domain = word.parse::<Domain>().ok()?;
        let last = domain.as_str().rsplit('.').next().unwrap_or_default();
        let is_name =
            last.len() >= 2 && (last.starts_with("xn--") || last.bytes().all(|b| b.is_ascii_alphabetic()));
        is_name.then_some((domain, url))
    })
}

/// The text between the first two quotation marks.
fn quoted(text: &str) -> Option<String> {
    let (_, rest) = text.split_once(['"', '“'])?;
    let (inner, _) = rest.split_once(['"', '”'])?;
    phrase(inner).filter(|inner| website(inner).is_none())
}

/// The phrase after "for" that is no website.
fn after_for(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    lower.match_indices(" for ").find_map(|(at, word)| {
        let rest = text.get(at + word.len() - 1..)?;
        let keyword = phrase(until_stop(rest))?;
        let keyword = ["the keyword ", "keyword "]
            .iter()
            .find_map(|prefix| keyword.strip_prefix(*prefix))
            .unwrap_or(&keyword)
            .to_owned();
        website(&keyword).is_none().then_some(keyword)
    })
}

/// The phrase after "near", "around" or "close to", or after "in" if it begins with a capital letter.
fn place(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let named = PLACES
        .iter()
        .find_map(|word| lower.find(word).map(|at| at + word.len() - 1));
    let at = named.or_else(|| capital_after_in(text))?;
    phrase(until_stop(text.get(at..)?))
}

/// The position behind " in" if a capital letter follows.
fn capital_after_in(text: &str) -> Option<usize> {
    text.match_indices(" in ").find_map(|(at, word)| {
        let end = at + word.len();
        let next = text.get(end..)?.chars().next()?;
        next.is_uppercase().then_some(end - 1)
    })
}

/// The text up to the next word that begins another phrase, or the end of the sentence.
fn until_stop(text: &str) -> &str {
    let lower = text.to_ascii_lowercase();
    let stops = STOPS.iter().filter_map(|stop| lower.find(stop));
    let ends = [". ", "? ", "! ", "; ", ": "]
        .iter()
        .filter_map(|end| lower.find(end));
    let end = stops
        .chain(ends)
        .chain(capital_after_in(text).map(|at| at - 3))
        .min();
    text.get(..end.unwrap_or(text.len())).unwrap_or(text)
}

fn phrase(text: &str) -> Option<String> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || ".,;:!?\"“”'".contains(c));
    (!text.is_empty()).then(|| text.to_owned())
}

/// A short text as the answer to the question for the one field that is missing.
fn answer(text: &str, fields: &Map<String, Value>, skill: Skill) -> Option<(String, Value)> {
    if !fields.contains_key("domain") || text.len() > LONGEST_ANSWER {
        return None;
    }
    match missing(skill, fields)[..] {
        [name] => phrase(text).map(|text| (name.to_owned(), Value::String(text))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(texts: &[&str], skill: Skill, fields: &Value, missing: &[&str]) {
        let understood = understand(texts, None).unwrap_or_else(|| panic!("{texts:?}"));
        assert_eq!(
            (
                understood.skill,
                json!(understood.fields),
                &understood.missing[..]
            ),
            (skill, fields.clone(), missing),
            "{texts:?}"
        );
    }

    #[test]
    fn words_fill_an_order() {
        let crm = json!({"domain": "example.com", "keyword": "crm software", "location": "Valencia"});
        for text in [
            "check example.com for crm software near Valencia",
            "Check https://www.example.com for CRM software near Valencia?"
                .replace("CRM", "crm")
                .as_str(),
            "near Valencia, for crm software: example.com",
            "Is example.com cited for \"crm software\" in Valencia?",
            "check example.com\nfor crm software\naround Valencia.",
        ] {
            check(&[text], Skill::Scan, &crm, &[]);
        }
        check(
            &["audit example.com"],
            Skill::Audit,
            &json!({"url": "https://example.com/"}),
            &[],
        );
        check(
            &["How citable is https://example.com/pricing?"],
            Skill::Audit,
            &json!({"url": "https://example.com/pricing"}),
            &[],
        );
        check(
            &["how far is example.com cited for dentists around Vienna, Austria"],
            Skill::Radius,
            &json!({"domain": "example.com", "keyword": "dentists", "location": "Vienna, Austria"}),
            &[],
        );
    }

    #[test]
    fn a_missing_field_is_asked_for_and_the_answer_fills_it() {
        let domain = json!({"domain": "example.com"});
        check(&["check example.com"], Skill::Scan, &domain, &["keyword"]);
        let whole = json!({"domain": "example.com", "keyword": "crm software"});
        check(&["check example.com", "crm software"], Skill::Scan, &whole, &[]);
        check(
            &["radius of example.com"],
            Skill::Radius,
            &domain,
            &["keyword", "location"],
        );
    }

    #[test]
    fn words_without_a_website_are_no_order() {
        for text in [
            "hello",
            "What can you do for me in Valencia?",
            "write to a@example.com",
            "version 1.0 for all",
            "",
        ] {
            assert_eq!(understand(&[text], None), None, "{text}");
        }
    }
}
