//! Drives the parser in small pieces and stops when a page costs too much.
//!
//! A tree builder that follows the standard has quadratic cases:
//! a start tag may search the whole stack of open elements,
//! an attribute is compared with all before it, and a formatting element with all open ones.
//! The guard counts this work and measures no time.
//! The same bytes therefore always stop at the same place.

use super::sink::PageSink;
use super::tree::{Document, cut};
use crate::vocabulary::Words;
use aho_corasick::AhoCorasick;
use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// Work limits of a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct FetchLimits {
    /// Nodes after which reading ends.
    pub(super) nodes: usize,
    /// Levels after which reading ends.
    pub(super) depth: u16,
    /// Units of work, each a few nanoseconds, after which reading ends.
    pub(super) work: usize,
}

/// What a page may cost.
///
/// 5 MB of prose have fewer than 100,000 nodes, browsers flatten at 512 levels,
/// and real pages of 500 KB cost less than a million units.
const PAGE: FetchLimits = FetchLimits {
    nodes: 200_000,
    depth: 512,
    work: 60_000_000,
};

/// Source bytes fed between two looks at the budget.
pub(crate) const PIECE: usize = 2_048;
/// Bytes of an attribute value that are kept.
pub(super) const VALUE_BYTES: usize = 8_192;

/// The reason why a page was not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// More nodes than any page needs.
    Nodes,
    /// Nested too deeply.
    Depth,
    /// Built so that parsing it is slow.
    Work,
}

/// The work spent on a page so far.
#[derive(Debug)]
pub(super) struct Budget {
    limits: FetchLimits,
    nodes: Cell<usize>,
    depth: Cell<u16>,
    deepest: Cell<u16>,
    work: Cell<usize>,
}

impl Budget {
    fn new(limits: FetchLimits) -> Self {
        Self {
            limits,
            nodes: Cell::new(0),
            depth: Cell::new(0),
            deepest: Cell::new(0),
            work: Cell::new(0),
        }
    }

    pub(super) fn node(&self) {
        self.nodes.set(self.nodes.get() + 1);
    }

    /// Notes how deep the newest node is.
    pub(super) fn depth(&self, depth: u16) {
        self.depth.set(depth);
        self.deepest.set(self.deepest.get().max(depth));
    }

    pub(super) fn work(&self, units: usize) {
        self.work.set(self.work.get().saturating_add(units));
    }

    pub(super) fn stop(&self) -> Option<StopReason> {
        if self.deepest.get() > self.limits.depth {
            Some(StopReason::Depth)
        } else if self.nodes.get() > self.limits.nodes {
            Some(StopReason::Nodes)
        } else if self.work.get() > self.limits.work {
            Some(StopReason::Work)
        } else {
            None
        }
    }
}

/// Parses a page.
///
/// Ends early, with [`Document::stopped`] set, when the budget is spent.
/// Long comments and values are cut before a second attempt, because their words cost as much as attributes.
pub(crate) fn parse(html: &str) -> Document {
    let document = parse_within(html, PAGE);
    let again = Some(html).filter(|_| document.stopped() == Some(StopReason::Work));
    match again.and_then(shortened) {
        Some(html) => {
            // One tree at a time, because a page may take 64 MB.
            drop(document);
            parse_within(&html, PAGE)
        }
        None => document,
    }
}

/// The page without the middle of its long comments and quoted values; `None` if it has none.
///
/// Lines keep their numbers.
fn shortened(html: &str) -> Option<String> {
    const ENDS: [&str; 3] = ["-->", "\"", "'"];
    let starts = AhoCorasick::new(["<!--", "=\"", "='"]).ok()?;
    let (mut out, mut rest) = (String::new(), html);
    while let Some(start) = starts.find(rest) {
        let (before, inside) = rest.split_at(start.end());
        let end = inside.find(ENDS[start.pattern()]).unwrap_or(inside.len());
        let kept = cut(&inside[..end], VALUE_BYTES);
        out.push_str(before);
        out.push_str(kept);
        out.extend(inside[kept.len()..end].matches('\n'));
        // The end itself begins no other comment or value.
        rest = &inside[end..];
    }
    out.push_str(rest);
    (out.len() < html.len()).then_some(out)
}

/// [`parse`] with other limits.
pub(super) fn parse_within(html: &str, limits: FetchLimits) -> Document {
    let budget = Rc::new(Budget::new(limits));
    let options = TreeBuilderOpts {
        // A noscript is text, as in a browser, because its tags are often left open and would swallow the page.
        scripting_enabled: true,
        ..TreeBuilderOpts::default()
    };
    let gate = Gate {
        builder: TreeBuilder::new(PageSink::new(html, limits.nodes, Rc::clone(&budget)), options),
        budget: Rc::clone(&budget),
        spoke: Cell::new(false),
        silence: RefCell::new(Silence::default()),
    };
    let tokenizer = Tokenizer::new(gate, TokenizerOpts::default());
    let input = BufferQueue::default();
    let mut rest = html;
    while !rest.is_empty() && budget.stop().is_none() {
        let piece = match cut(rest, PIECE) {
            "" => rest,
            piece => piece,
        };
        rest = &rest[piece.len()..];
        tokenizer.sink.listen();
        feed(&tokenizer, &input, piece);
        tokenizer.sink.weigh_silence(piece);
    }
    if budget.stop().is_none() {
        tokenizer.end();
    }
    tokenizer.sink.builder.sink.finish()
}

fn feed(tokenizer: &Tokenizer<Gate>, input: &BufferQueue, piece: &str) {
    input.push_back(StrTendril::from_slice(piece));
    loop {
        match tokenizer.feed(input) {
            // No script is run and the encoding is settled: go on.
            TokenizerResult::Script(_) | TokenizerResult::EncodingIndicator(_) => {}
            TokenizerResult::Done => return,
        }
    }
}

/// A filter between tokenizer and tree builder.
///
/// Drops attributes that no check reads and counts the cost of tags.
struct Gate {
    builder: TreeBuilder<super::tree::NodeId, PageSink>,
    budget: Rc<Budget>,
    /// Whether a token came out of the current piece.
    spoke: Cell<bool>,
    silence: RefCell<Silence>,
}

/// Pieces without a token: the inside of one tag or comment, where attributes accumulate unseen.
#[derive(Default)]
struct Silence {
    words: HashSet<u64>,
}

impl Gate {
    fn listen(&self) {
        self.spoke.set(false);
    }

    /// Counts the work of a piece without a token.
    ///
    /// Every word may be an attribute that is compared with all distinct ones before it.
    fn weigh_silence(&self, piece: &str) {
        let mut silence = self.silence.borrow_mut();
        if self.spoke.get() {
            silence.words.clear();
            return;
        }
        for word in piece
            .split(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '=' | '"' | '\''))
            .filter(|word| !word.is_empty())
        {
            let mut hasher = DefaultHasher::new();
            word.hash(&mut hasher);
            silence.words.insert(hasher.finish());
            self.budget.work(silence.words.len() / 2);
        }
    }

    fn weigh_tag(&self, tag: &mut Tag) {
        let count = tag.attrs.len();
        self.budget.work(count * count / 2);
        tag.attrs.retain(|attribute| READ.contains(&attribute.name.local));
        for attribute in &mut tag.attrs {
            let kept = cut(&attribute.value, VALUE_BYTES).len();
            if let (true, Ok(kept)) = (kept < attribute.value.len(), u32::try_from(kept)) {
                attribute.value = attribute.value.subtendril(0, kept);
            }
        }
        // A formatting element is compared, attributes sorted, with every open one of its name.
        if tag.kind == TagKind::StartTag && FORMATTING.contains(&tag.name) {
            let open = usize::from(self.budget.depth.get());
            self.budget.work(open * (4 + 16 * tag.attrs.len()));
        }
    }
}

impl TokenSink for Gate {
    type Handle = super::tree::NodeId;

    fn process_token(&self, mut token: Token, line: u64) -> TokenSinkResult<Self::Handle> {
        match &mut token {
            Token::ParseError(_) => return TokenSinkResult::Continue,
            Token::TagToken(tag) => self.weigh_tag(tag),
            Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::CharacterTokens(_)
            | Token::NullCharacterToken
            | Token::EOFToken => {}
        }
        self.spoke.set(true);
        self.budget.work(1);
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Attributes that some check reads, or the tree builder itself.
static READ: Words = Words::new(include_str!("../words/html_guard_read.txt"));

/// Elements in the standard's list of active formatting elements, where copies accumulate.
/// The standard includes `a`, but at most one is open at a time.
static FORMATTING: Words = Words::new("b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u");
