//! E: does the page describe itself to machines?

use super::finding::{Finding, many};
use crate::facts::Facts;
use crate::quote::quote_to;
use crate::structured_items::{Item, missing};
use crate::vocabulary::Words;
use ibid_model::result::PageKind;
use serde_json::json;

/// E1: any schema.org type.
pub(super) fn is_present(facts: &Facts<'_>) -> Finding {
    let structured = &facts.structured;
    if !structured.is_present() {
        let advice = facts.heading().map(|(heading, _)| {
            let heading = quote_to(heading, 100);
            format!("Put the drafted JSON-LD for “{heading}” into the head and complete it, if you will keep it up to date.")
        });
        return Finding::fail("no schema.org type in JSON-LD, microdata or RDFa").advise(advice);
    }
    let mut names: Vec<String> = structured
        .items()
        .filter(|item| item.is_root)
        .flat_map(|item| item.types.iter().cloned())
        .chain(structured.rdfa.iter().map(|(name, _)| name.clone()))
        .collect();
    names.sort();
    names.dedup();
    names.truncate(10);
    Finding::pass(names.join(", "))
}

/// E2: every JSON-LD block is valid.
pub(super) fn is_valid(facts: &Facts<'_>) -> Finding {
    let blocks = &facts.structured.blocks;
    if blocks.is_empty() {
        return Finding::na("there is no JSON-LD");
    }
    let faults: Vec<_> = blocks.iter().flat_map(|block| &block.errors).collect();
    match faults.first() {
        None => Finding::pass(format!("{} without fault", many(blocks.len(), "JSON-LD block"))),
        Some((line, fault)) => {
            let more = match faults.len() {
                1 => String::new(),
                count => format!(" ({count} faults in all)"),
            };
            Finding::fail(format!("{fault}{more}")).line(*line)
        }
    }
}

/// E3: the fields consumers ask for.
pub(super) fn has_fields(facts: &Facts<'_>) -> Finding {
    let known: Vec<(&Item, Vec<&str>)> = facts
        .structured
        .items()
        .filter(|item| item.is_root)
        // A site's fields are asked for on its home page alone.
        .filter(|item| facts.kind == PageKind::Home || !item.types.iter().any(|name| name == "WebSite"))
        .filter_map(|item| Some((item, missing(item)?)))
        .collect();
    if known.is_empty() {
        return Finding::na("no type with known fields");
    }
    let gaps: Vec<_> = known.iter().filter(|(_, fields)| !fields.is_empty()).collect();
    let count: usize = gaps.iter().map(|(_, fields)| fields.len()).sum();
    let Some((item, fields)) = gaps.first() else {
        return Finding::pass(format!("{} with all expected fields", many(known.len(), "item")));
    };
    let found = format!("{} lacks {}", item.types.join("/"), fields.join(", "));
    let finding = if count == 1 {
        Finding::warn(found)
    } else {
        Finding::fail(found)
    };
    let advice = format!(
        "Add {} to the {} at line {}, with the values that the page shows.",
        fields.join(", "),
        item.types.join("/"),
        item.line
    );
    finding.advise(advice).line(item.line)
}

/// E4: the person or organisation behind the page.
pub(super) fn has_entity(facts: &Facts<'_>) -> Finding {
    static INNER: Words = Words::new("Person|Brand");
    static OTHERS: Words = Words::new("Person|LocalBusiness|NGO|Store|Restaurant|Brand");
    let is_entity = |item: &&Item| {
        item.is_organisation()
            || item.types.iter().any(|name| OTHERS.contains(name))
            || item.properties.contains("telephone")
    };
    let entities: Vec<&Item> = facts
        .structured
        .items()
        // People inside other items are their authors and readers, brands what is sold.
        .filter(|item| {
            is_entity(item) && (item.is_root || !item.types.iter().any(|name| INNER.contains(name)))
        })
        .collect();
    let linked = entities.iter().find(|item| {
        item.name.is_some() && (item.properties.contains("url") || item.properties.contains("sameAs"))
    });
    let named = linked.or_else(|| entities.iter().find(|item| item.name.is_some()));
    if let Some(item) = named {
        let (types, line) = (item.types.join("/"), item.line);
        let name = item.name.as_deref().unwrap_or("");
        let finding = match linked {
            Some(_) => Finding::pass(format!("{types}: “{name}”")),
            None => Finding::warn(format!("{types} “{name}” has neither url nor sameAs")).advise(format!(
                "Add url or sameAs to {types} “{name}” (line {line}): its own page, or its profile elsewhere."
            )),
        };
        return finding.line(line);
    }
    if facts
        .structured
        .rdfa
        .iter()
        .any(|(name, _)| name.ends_with("Organization") || name == "Person")
    {
        return Finding::warn("an organisation or a person in attributes; its address was not read");
    }
    let finding = Finding::fail("no organisation and no person");
    let name = facts.head.site_name().map(|name| quote_to(name, 80));
    let origin = facts
        .page
        .url
        .as_ref()
        .map(|url| url.origin().ascii_serialization());
    match (name, origin) {
        (Some(name), Some(origin)) => finding
            .advise(format!("Add “{name}” to the JSON-LD, as publisher of the page."))
            .change(None, json!({"publisher": {"@type": "Organization", "name": name, "url": format!("{origin}/")}}).to_string()),
        (None, Some(origin)) => finding.advise(format!(
            "Add the firm or the person behind {origin}/ to the JSON-LD: @type, name, and this address as url."
        )),
        _ => finding,
    }
}
