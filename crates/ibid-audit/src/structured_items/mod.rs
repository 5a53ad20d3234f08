//! Structured data: JSON-LD by walking it, microdata and RDFa by their attributes.
//!
//! The reader loads no files, so that it judges a context by its address alone.
//! Blocks are capped in number and size, and serde_json stops at 128 levels.

mod fields;
mod jsonld;
mod microdata;

pub(crate) use fields::missing;
pub(crate) use jsonld::{Block, Item, is_false_text};

use crate::html::{Document, NodeId};
use crate::limits::FEW;
use html5ever::local_name;

/// Bytes of one block.
const MAX_BLOCK_BYTES: usize = 512 << 10;
/// Bytes of all blocks.
const MAX_ALL_BYTES: usize = 2 << 20;

/// All structured data of a page.
#[derive(Debug, Default)]
pub(crate) struct Structured {
    pub(crate) blocks: Vec<Block>,
    /// Items in microdata.
    pub(crate) microdata: Vec<Item>,
    /// Schema.org types in RDFa, with lines.
    pub(crate) rdfa: Vec<(String, u32)>,
    /// `itemprop` values with their text, as far as checks read them.
    pub(crate) properties: Vec<(String, String, u32)>,
}

/// Finds structured data anywhere on the page.
pub(crate) fn read(document: &Document) -> Structured {
    let mut found = Structured::default();
    let mut bytes = 0;
    let mut schema_vocabulary = false;
    for node in document.descendants(document.root()) {
        let Some(name) = document.name(node) else { continue };
        if *name == local_name!("script") && is_json_ld(document, node) {
            if found.blocks.len() < FEW && bytes < MAX_ALL_BYTES {
                let text = document.raw_text(node, MAX_BLOCK_BYTES + 1);
                bytes += text.len();
                found
                    .blocks
                    .push(jsonld::read(&text, document.line(node), MAX_BLOCK_BYTES));
            }
            continue;
        }
        found.property(document, node);
        if let Some(vocabulary) = document.attribute_named(node, "vocab") {
            schema_vocabulary = vocabulary.contains("schema.org");
        }
        if let Some(kind) = document.attribute_named(node, "typeof") {
            let kind = kind.trim();
            if (schema_vocabulary || kind.starts_with("schema:") || kind.contains("schema.org/"))
                && !kind.is_empty()
                && found.rdfa.len() < 100
            {
                found.rdfa.push((type_name(kind), document.line(node)));
            }
        }
    }
    found.microdata = microdata::read(document);
    found
}

impl Structured {
    /// Items in JSON-LD and microdata.
    pub(crate) fn items(&self) -> impl Iterator<Item = &Item> {
        self.blocks
            .iter()
            .flat_map(|block| &block.items)
            .chain(&self.microdata)
    }

    /// Whether some item, in any syntax, has one of these types.
    pub(crate) fn has_type(&self, wanted: &[&str]) -> bool {
        let has = |name: &str| wanted.iter().any(|type_| type_.eq_ignore_ascii_case(name));
        self.items().any(|item| item.types.iter().any(|name| has(name)))
            || self.rdfa.iter().any(|(name, _)| has(name))
    }

    /// Whether there is any schema.org type.
    pub(crate) fn is_present(&self) -> bool {
        self.blocks
            .iter()
            .any(|block| block.is_schema && !block.items.is_empty())
            || !self.microdata.is_empty()
            || !self.rdfa.is_empty()
    }

    fn property(&mut self, document: &Document, node: NodeId) {
        if let Some(property) = document.attribute(node, &local_name!("itemprop"))
            && self.properties.len() < 500
        {
            let property = property.trim().to_ascii_lowercase();
            if matches!(
                property.as_str(),
                "author" | "datepublished" | "datemodified" | "isaccessibleforfree"
            ) {
                let value = document
                    .attribute(node, &local_name!("content"))
                    .or_else(|| document.attribute(node, &local_name!("datetime")))
                    .or_else(|| document.attribute(node, &local_name!("title")))
                    .map_or_else(
                        || crate::reading::text_of(document, node, 120),
                        |value| crate::quote::quote_to(value, 120),
                    );
                self.properties.push((property, value, document.line(node)));
            }
        }
    }
}

fn is_json_ld(document: &Document, node: NodeId) -> bool {
    document
        .attribute(node, &local_name!("type"))
        .and_then(|kind| kind.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/ld+json"))
}

/// Returns a type without its address, for example `Article` for `https://schema.org/Article`.
fn type_name(kind: &str) -> String {
    let first = kind.split_ascii_whitespace().next().unwrap_or("");
    let name = first.rsplit(['/', '#', ':']).next().unwrap_or("");
    crate::quote::quote_to(name, 60)
}
