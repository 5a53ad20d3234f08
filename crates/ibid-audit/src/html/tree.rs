//! A page's tree: an arena with small nodes over one pool of text.

use html5ever::{LocalName, local_name};
use std::ops::Range;

/// A node of a [`Document`].
///
/// Only indexes made by the same document are valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(pub(super) u32);

impl NodeId {
    pub(super) const NONE: Self = Self(u32::MAX);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    fn some(self) -> Option<Self> {
        (self != Self::NONE).then_some(self)
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// The root, or the content of a template.
    Root,
    /// An element in any namespace; its attributes are a range in the attribute table.
    Element { name: LocalName, attributes: Range<u32> },
    /// A run of text in the pool.
    Text(Range<u32>),
    /// A comment, cut, in the pool.
    Comment(Range<u32>),
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) parent: NodeId,
    pub(super) first: NodeId,
    pub(super) last: NodeId,
    pub(super) previous: NodeId,
    pub(super) next: NodeId,
    pub(super) line: u32,
    pub(super) depth: u16,
}

/// One kept attribute.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) name: LocalName,
    pub(super) value: Range<u32>,
}

/// A parsed page.
///
/// The parser executes no scripts and loads no files.
#[derive(Debug)]
pub(crate) struct Document {
    pub(super) nodes: Vec<Node>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) pool: String,
    /// Why parsing stopped before the end, if it did.
    pub(super) stopped: Option<super::StopReason>,
}

impl Document {
    pub(crate) fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// Nodes in the arena, detached ones included.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes of all text, attributes and comments that are kept.
    pub(crate) fn text_bytes(&self) -> usize {
        self.pool.len()
    }

    /// Why parsing stopped before the end, if it did.
    pub(crate) fn stopped(&self) -> Option<super::StopReason> {
        self.stopped
    }

    /// Returns the kind of a node.
    pub(crate) fn kind(&self, node: NodeId) -> &Kind {
        &self.nodes[node.index()].kind
    }

    /// 1-based source line at which a node was made.
    pub(crate) fn line(&self, node: NodeId) -> u32 {
        self.nodes[node.index()].line
    }

    pub(crate) fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node.index()].parent.some()
    }

    /// The element's name; `None` for text, comments and roots.
    pub(crate) fn name(&self, node: NodeId) -> Option<&LocalName> {
        match self.kind(node) {
            Kind::Element { name, .. } => Some(name),
            Kind::Root | Kind::Text(_) | Kind::Comment(_) => None,
        }
    }

    /// A slice of the text pool.
    pub(crate) fn text(&self, range: &Range<u32>) -> &str {
        self.pool
            .get(range.start as usize..range.end as usize)
            .unwrap_or("")
    }

    /// Returns a kept attribute's value.
    pub(crate) fn attribute(&self, node: NodeId, wanted: &LocalName) -> Option<&str> {
        let Kind::Element { attributes, .. } = self.kind(node) else {
            return None;
        };
        self.attributes
            .get(attributes.start as usize..attributes.end as usize)?
            .iter()
            .find(|attribute| attribute.name == *wanted)
            .map(|attribute| self.text(&attribute.value))
    }

    /// The attribute by a name that is not interned.
    pub(crate) fn attribute_named(&self, node: NodeId, wanted: &str) -> Option<&str> {
        let Kind::Element { attributes, .. } = self.kind(node) else {
            return None;
        };
        self.attributes
            .get(attributes.start as usize..attributes.end as usize)?
            .iter()
            .find(|attribute| &*attribute.name == wanted)
            .map(|attribute| self.text(&attribute.value))
    }

    /// Children in order.
    pub(crate) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut next = self.nodes[node.index()].first.some();
        std::iter::from_fn(move || {
            let current = next?;
            next = self.nodes[current.index()].next.some();
            Some(current)
        })
    }

    /// A walk over `node` and everything below it, in document order, without recursion.
    pub(crate) fn walk(&self, node: NodeId) -> Walk<'_> {
        Walk {
            document: self,
            top: node,
            next: Some(Step::Enter(node)),
            left: self.nodes.len().saturating_mul(2),
        }
    }

    /// Nodes at and below `node`, in document order.
    pub(crate) fn descendants(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.walk(node).filter_map(|step| match step {
            Step::Enter(node) => Some(node),
            Step::Leave(_) => None,
        })
    }

    /// All text below a node, raw, up to `limit` bytes.
    pub(crate) fn raw_text(&self, node: NodeId, limit: usize) -> String {
        let mut out = String::new();
        for node in self.descendants(node) {
            if let Kind::Text(range) = self.kind(node) {
                let text = self.text(range);
                let room = limit.saturating_sub(out.len());
                out.push_str(cut(text, room));
                if text.len() > room {
                    break;
                }
            }
        }
        out
    }

    /// Whether the element is an HTML heading, and of which level.
    pub(crate) fn heading_level(&self, node: NodeId) -> Option<u8> {
        let name = self.name(node)?;
        Some(match *name {
            local_name!("h1") => 1,
            local_name!("h2") => 2,
            local_name!("h3") => 3,
            local_name!("h4") => 4,
            local_name!("h5") => 5,
            local_name!("h6") => 6,
            _ => return None,
        })
    }
}

/// Cuts a text to at most `limit` bytes, between characters.
pub(crate) fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

/// One step of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Before a node's children.
    Enter(NodeId),
    /// After them. Every node is left once.
    Leave(NodeId),
}

/// See [`Document::walk`].
pub(crate) struct Walk<'d> {
    document: &'d Document,
    top: NodeId,
    next: Option<Step>,
    /// How many steps are left, so that a walk ends even in a broken tree.
    left: usize,
}

impl Walk<'_> {
    /// Leaves out what is below the node just entered; its `Leave` still comes.
    pub(crate) fn skip_children(&mut self, node: NodeId) {
        self.next = Some(Step::Leave(node));
    }
}

impl Iterator for Walk<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let step = self.next?;
        self.left = self.left.checked_sub(1)?;
        let nodes = &self.document.nodes;
        self.next = match step {
            Step::Enter(node) => Some(match nodes[node.index()].first.some() {
                Some(child) => Step::Enter(child),
                None => Step::Leave(node),
            }),
            Step::Leave(node) if node == self.top => None,
            Step::Leave(node) => match nodes[node.index()].next.some() {
                Some(sibling) => Some(Step::Enter(sibling)),
                None => nodes[node.index()].parent.some().map(Step::Leave),
            },
        };
        Some(step)
    }
}
