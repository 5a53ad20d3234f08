//! Microdata: items by `itemscope`, their properties by `itemprop`.

use super::jsonld::{Author, Item, Syntax, is_false_text};
use super::type_name;
use crate::html::{Document, NodeId, Step};
use crate::limits::MANY;
use crate::quote::quote_to;
use html5ever::local_name;

/// Reads the schema.org items of a page, in the order in which they begin.
pub(super) fn read(document: &Document) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    // Open elements with `itemscope`.
    // Items of other vocabularies and beyond the limit have no index.
    let mut open: Vec<(NodeId, Option<usize>)> = Vec::new();
    for step in document.walk(document.root()) {
        match step {
            Step::Enter(node) => {
                let around = open.last().and_then(|(_, item)| *item);
                let own = document
                    .attribute_named(node, "itemscope")
                    .is_some()
                    .then(|| start(document, node, around.is_none(), &mut items));
                if let (Some(property), Some(holder)) =
                    (document.attribute(node, &local_name!("itemprop")), around)
                {
                    for name in property.split_ascii_whitespace().take(5) {
                        add(document, node, name, own.flatten().is_some(), &mut items[holder]);
                    }
                }
                if let Some(item) = own {
                    open.push((node, item));
                }
            }
            Step::Leave(node) => {
                if open.last().is_some_and(|(last, _)| *last == node)
                    && let Some((_, Some(index))) = open.pop()
                {
                    name_author(document, node, index, &open, &mut items);
                }
            }
        }
    }
    items
}

fn start(document: &Document, node: NodeId, is_root: bool, items: &mut Vec<Item>) -> Option<usize> {
    let kind = document.attribute(node, &local_name!("itemtype"))?;
    if !kind.contains("schema.org/") || items.len() >= MANY {
        return None;
    }
    items.push(Item {
        types: vec![type_name(kind)],
        is_root,
        line: document.line(node),
        syntax: Syntax::Microdata,
        ..Item::default()
    });
    Some(items.len() - 1)
}

/// Adds a property, except an author that is an item, which [`name_author`] adds.
fn add(document: &Document, node: NodeId, name: &str, is_item: bool, holder: &mut Item) {
    let value = value(document, node);
    if value.is_empty() && !is_item {
        return;
    }
    if holder.properties.len() < 200 {
        holder.properties.insert(crate::html::cut(name, 60).to_owned());
    }
    match name {
        "name" if holder.name.is_none() => holder.name = Some(value),
        "addressLocality" => holder.place = Some(value),
        "addressCountry" => {
            if let Some(town) = holder.place.take() {
                holder.place = Some(format!("{town}, {value}"));
            }
        }
        "author" | "creator" if !is_item => holder.authors.push(Author {
            name: value,
            is_organisation: false,
        }),
        "datePublished" | "dateCreated" | "uploadDate" | "datePosted" | "dateModified" => {
            holder.dates.push((name.to_owned(), value));
        }
        "isAccessibleForFree" => holder.not_free |= is_false_text(&value),
        _ => {}
    }
}

/// Adds the name of a finished item to the item around it, if it is its author.
fn name_author(
    document: &Document,
    node: NodeId,
    index: usize,
    open: &[(NodeId, Option<usize>)],
    items: &mut [Item],
) {
    let is_author = document
        .attribute(node, &local_name!("itemprop"))
        .is_some_and(|property| {
            property
                .split_ascii_whitespace()
                .any(|word| matches!(word, "author" | "creator"))
        });
    let (Some(name), Some((_, Some(holder)))) = (items[index].name.clone(), open.last()) else {
        return;
    };
    if is_author {
        let is_organisation = items[index].is_organisation();
        items[*holder].authors.push(Author {
            name,
            is_organisation,
        });
    }
}

/// Reads a property: what machines read before what people see.
fn value(document: &Document, node: NodeId) -> String {
    ["content", "datetime", "href", "src"]
        .iter()
        .find_map(|name| document.attribute_named(node, name))
        .map_or_else(
            || crate::reading::text_of(document, node, 200),
            |value| quote_to(value, 200),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_have_their_properties_and_their_authors() {
        let page = r#"<div itemscope itemtype="https://schema.org/Article"><h1 itemprop="headline">Pumps</h1>
            <span itemprop="author" itemscope itemtype="https://schema.org/Person"><a itemprop="url" href="/ana">more</a>
            <b itemprop="name">Ana Ruiz</b></span><time itemprop="datePublished" datetime="2026-03-03">today</time>
            <meta itemprop="isAccessibleForFree" content="False"></div>
            <div itemscope itemtype="https://example.org/Other"><b itemprop="name">No</b></div>"#;
        let items = read(&crate::html::parse(page));
        assert_eq!(items.len(), 2);
        let article = &items[0];
        assert_eq!(
            (article.types.as_slice(), article.is_root, article.not_free),
            (["Article".to_owned()].as_slice(), true, true)
        );
        assert_eq!(article.authors[0].name, "Ana Ruiz");
        assert_eq!(
            article.dates,
            [("datePublished".to_owned(), "2026-03-03".to_owned())]
        );
        assert!(article.properties.contains("headline") && article.properties.contains("author"));
        assert!(items[1].properties.contains("url") && !items[1].is_root);
    }
}
