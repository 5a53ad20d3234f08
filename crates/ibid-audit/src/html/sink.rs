//! Builds the arena from the calls of the HTML tree builder.

use super::guard::Budget;
use super::guard::VALUE_BYTES;
use super::tree::{Attribute, Document, Kind, Node, NodeId, cut};
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode};
use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElemName, TreeSink};
use html5ever::{LocalName, Namespace, QualName, local_name, ns};
use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};
use std::rc::Rc;

/// Nodes that are not counted with tags.
///
/// They are the root, implied elements, and nodes of the last piece over the limit.
const SPARE_NODES: usize = 1_000;

/// Takes what html5ever's tree builder makes.
///
/// Keeps the data for the checks and counts its cost.
pub(super) struct PageSink {
    nodes: RefCell<Vec<Node>>,
    names: RefCell<Vec<QualName>>,
    attributes: RefCell<Vec<Attribute>>,
    pool: RefCell<String>,
    line: Cell<u32>,
    budget: Rc<Budget>,
}

impl PageSink {
    /// `limit` is the number of nodes after which parsing ends.
    pub(super) fn new(html: &str, limit: usize, budget: Rc<Budget>) -> Self {
        // One allocation for each table, because a growing table leaves copies of itself to the allocator.
        // A tag makes an element and a run of text, and text is hardly longer than its source.
        let tags = memchr::memchr_iter(b'<', html.as_bytes()).count();
        let nodes = tags.saturating_mul(2).min(limit) + SPARE_NODES;
        let sink = Self {
            nodes: RefCell::new(Vec::with_capacity(nodes)),
            names: RefCell::new(Vec::with_capacity(nodes)),
            attributes: RefCell::new(Vec::new()),
            pool: RefCell::new(String::with_capacity(html.len())),
            line: Cell::new(1),
            budget,
        };
        sink.push(Kind::Root, nameless());
        sink
    }

    fn push(&self, kind: Kind, name: QualName) -> NodeId {
        let mut nodes = self.nodes.borrow_mut();
        let id = NodeId(u32::try_from(nodes.len()).unwrap_or(u32::MAX));
        nodes.push(Node {
            kind,
            parent: NodeId::NONE,
            first: NodeId::NONE,
            last: NodeId::NONE,
            previous: NodeId::NONE,
            next: NodeId::NONE,
            line: self.line.get(),
            depth: 0,
        });
        self.names.borrow_mut().push(name);
        self.budget.node();
        id
    }

    fn keep(&self, text: &str) -> std::ops::Range<u32> {
        let mut pool = self.pool.borrow_mut();
        let start = pool.len();
        pool.push_str(text);
        range(start, pool.len())
    }

    /// Puts text into the node `before` ends with, if that run is the pool's last, else a new node.
    fn text_node(&self, text: &str, neighbour: NodeId) -> Option<NodeId> {
        if text.is_empty() {
            return None;
        }
        let mut pool = self.pool.borrow_mut();
        let start = pool.len();
        pool.push_str(text);
        let end = pool.len();
        if neighbour != NodeId::NONE
            && let Some(node) = self.nodes.borrow_mut().get_mut(neighbour.index())
            && let Kind::Text(run) = &mut node.kind
            && run.end as usize == start
        {
            *run = range(run.start as usize, end);
            return None;
        }
        drop(pool);
        Some(self.push(Kind::Text(range(start, end)), nameless()))
    }

    fn detach(&self, id: NodeId) {
        let mut nodes = self.nodes.borrow_mut();
        let node = &mut nodes[id.index()];
        let (parent, previous, next) = (node.parent, node.previous, node.next);
        if parent == NodeId::NONE {
            return;
        }
        (node.parent, node.previous, node.next) = (NodeId::NONE, NodeId::NONE, NodeId::NONE);
        match previous {
            NodeId::NONE => nodes[parent.index()].first = next,
            previous => nodes[previous.index()].next = next,
        }
        match next {
            NodeId::NONE => nodes[parent.index()].last = previous,
            next => nodes[next.index()].previous = previous,
        }
    }

    /// Links `id` under `parent`, before `next` (or last).
    fn link(&self, id: NodeId, parent: NodeId, next: NodeId) {
        self.detach(id);
        let mut nodes = self.nodes.borrow_mut();
        let previous = match next {
            NodeId::NONE => nodes[parent.index()].last,
            next => nodes[next.index()].previous,
        };
        let depth = nodes[parent.index()].depth.saturating_add(1);
        let node = &mut nodes[id.index()];
        (node.parent, node.previous, node.next, node.depth) = (parent, previous, next, depth);
        match previous {
            NodeId::NONE => nodes[parent.index()].first = id,
            previous => nodes[previous.index()].next = id,
        }
        match next {
            NodeId::NONE => nodes[parent.index()].last = id,
            next => nodes[next.index()].previous = id,
        }
        self.budget.depth(depth);
    }

    fn last_child(&self, parent: NodeId) -> NodeId {
        self.nodes.borrow()[parent.index()].last
    }
}

fn range(start: usize, end: usize) -> std::ops::Range<u32> {
    u32::try_from(start).unwrap_or(u32::MAX)..u32::try_from(end).unwrap_or(u32::MAX)
}

/// Stands for nodes without a name.
///
/// The tree builder asks about elements only.
fn nameless() -> QualName {
    QualName::new(None, ns!(), local_name!(""))
}

/// A borrowed element name.
#[derive(Debug)]
pub(super) struct Name<'a>(Ref<'a, QualName>);

impl ElemName for Name<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl TreeSink for PageSink {
    type Handle = NodeId;
    type Output = Document;
    type ElemName<'a> = Name<'a>;

    fn finish(self) -> Document {
        let mut document = Document {
            nodes: self.nodes.into_inner(),
            attributes: self.attributes.into_inner(),
            pool: self.pool.into_inner(),
            stopped: self.budget.stop(),
        };
        document.pool.shrink_to_fit();
        document
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        NodeId(0)
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Name<'a> {
        self.budget.work(1);
        Name(Ref::map(self.names.borrow(), |names| &names[target.index()]))
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<html5ever::Attribute>,
        _flags: ElementFlags,
    ) -> NodeId {
        let start = self.attributes.borrow().len();
        for attribute in attributes {
            let value = self.keep(&attribute.value);
            self.attributes.borrow_mut().push(Attribute {
                name: attribute.name.local,
                value,
            });
        }
        let kept = range(start, self.attributes.borrow().len());
        let local = name.local.clone();
        self.push(
            Kind::Element {
                name: local,
                attributes: kept,
            },
            name,
        )
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        let kept = self.keep(cut(&text, VALUE_BYTES));
        self.push(Kind::Comment(kept), nameless())
    }

    fn create_pi(&self, _target: StrTendril, data: StrTendril) -> NodeId {
        self.create_comment(data)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        let child = match child {
            NodeOrText::AppendNode(node) => Some(node),
            NodeOrText::AppendText(text) => self.text_node(&text, self.last_child(*parent)),
        };
        if let Some(child) = child {
            self.link(child, *parent, NodeId::NONE);
        }
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        let has_parent = self.nodes.borrow()[element.index()].parent != NodeId::NONE;
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        // A template's content is under it, so that the walk can leave out whole templates.
        *target
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        self.budget.work(1);
        x == y
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        let (parent, previous) = {
            let nodes = self.nodes.borrow();
            (nodes[sibling.index()].parent, nodes[sibling.index()].previous)
        };
        if parent == NodeId::NONE {
            return;
        }
        let child = match child {
            NodeOrText::AppendNode(node) => Some(node),
            NodeOrText::AppendText(text) => self.text_node(&text, previous),
        };
        if let Some(child) = child {
            self.link(child, parent, *sibling);
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, new: Vec<html5ever::Attribute>) {
        let old = match &self.nodes.borrow()[target.index()].kind {
            Kind::Element { attributes, .. } => attributes.clone(),
            Kind::Root | Kind::Text(_) | Kind::Comment(_) => return,
        };
        // The whole set moves to the end, because attributes of one element are contiguous.
        let mut merged = Vec::new();
        {
            let table = self.attributes.borrow();
            for attribute in &table[old.start as usize..old.end as usize] {
                merged.push(Attribute {
                    name: attribute.name.clone(),
                    value: attribute.value.clone(),
                });
            }
        }
        let before = merged.len();
        for attribute in new {
            self.budget.work(merged.len());
            if merged.iter().all(|kept| kept.name != attribute.name.local) {
                let value = self.keep(&attribute.value);
                merged.push(Attribute {
                    name: attribute.name.local,
                    value,
                });
            }
        }
        if merged.len() == before {
            return;
        }
        let mut table = self.attributes.borrow_mut();
        let start = table.len();
        table.extend(merged);
        let moved = range(start, table.len());
        if let Kind::Element { attributes, .. } = &mut self.nodes.borrow_mut()[target.index()].kind {
            *attributes = moved;
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        loop {
            let first = self.nodes.borrow()[node.index()].first;
            if first == NodeId::NONE {
                break;
            }
            self.budget.work(4);
            self.link(first, *new_parent, NodeId::NONE);
        }
    }

    fn set_current_line(&self, line: u64) {
        self.line.set(u32::try_from(line).unwrap_or(u32::MAX));
    }

    fn allow_declarative_shadow_roots(&self, _intended_parent: &NodeId) -> bool {
        false
    }
}
