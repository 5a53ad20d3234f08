//! Lays an answer out: visible text, blocks, bold passages, links.
//!
//! This is not a Markdown renderer.
//! Answers mix Markdown with lists of other kinds (`1、`, `•`, medals, items whose line ends were lost),
//! and with emphasis next to CJK punctuation, which CommonMark does not recognize.
//! Readers still see lists and bold names.
//! All functions here take time linear in the text.

mod bare_host;
mod copies;
mod inline;
mod lines;
mod marker;
mod one_line;
mod tree;

use super::text::{Clean, Offsets};
use ibid_model::Citation;
use ibid_model::result::AnswerForm;
use std::ops::Range;

/// A stretch of the visible text, in bytes.
pub(super) type Span = Range<usize>;

/// What an answer looks like to its readers.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The visible text; blocks end with `\n`.
    pub(super) text: String,
    offsets: Offsets,
    /// Blocks in document order; they do not overlap.
    pub(super) blocks: Vec<Block>,
    /// Cells of table rows; [`Block::cells`] points here.
    pub(super) cells: Vec<Span>,
    /// Bold passages in document order.
    pub(super) bolds: Vec<Span>,
    /// Passages that are struck through, in document order.
    pub(super) struck: Vec<Span>,
    /// Links in document order.
    pub(super) links: Vec<Link>,
    /// Addresses in definitions without a reference, and in other links that are only sources.
    pub(super) sources: Vec<String>,
    /// Text of code blocks, which no reader takes for a recommendation.
    pub(super) code: Vec<Span>,
}

/// What kind of block it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A heading of level 1 to 6.
    Heading(u8),
    /// A list item with a printed number.
    Ordered,
    /// A list item without one.
    Bullet,
    /// A line or paragraph of text.
    Line,
    /// A row of a table.
    Row,
    /// First row in a table with a rule under it.
    HeadRow,
}

/// One block.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) span: Span,
    /// Columns of white space before it.
    pub(super) indent: usize,
    pub(super) number: Option<u32>,
    /// A blank line is before it.
    pub(super) after_blank: bool,
    /// An emoji or another symbol is before it.
    pub(super) symbol: bool,
    /// It is bold from the first to the last letter, except for a host in parentheses at its end.
    pub(super) all_bold: bool,
    /// It is quoted (`>`).
    pub(super) quoted: bool,
    /// Its cells, for rows.
    pub(super) cells: Range<usize>,
    /// The block it belongs to.
    pub(super) parent: Option<usize>,
}

/// How a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// With a text.
    Markdown,
    /// A bare address.
    Url,
    /// A bare host.
    Host,
}

/// One link.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) span: Span,
    pub(super) form: Form,
    /// The address, as written.
    pub(super) url: String,
    /// It is alone in parentheses, or its text is a number: a source rather than a name.
    pub(super) chip: bool,
}

impl Layout {
    /// Lays out a clean answer. Numbers in brackets resolve to `citations`.
    pub(super) fn of(clean: &Clean, citations: &[Citation]) -> Self {
        let mut layout = lines::scan(clean, citations);
        bare_host::find(&mut layout);
        tree::itemize(&mut layout.blocks, &layout.text);
        tree::grow(&mut layout.blocks, &layout.text);
        layout
    }

    /// Tells the answer's form.
    pub(super) fn form(&self) -> AnswerForm {
        let two = |kinds: [Kind; 2]| {
            let blocks = self.blocks.iter();
            blocks
                .filter(|block| kinds.contains(&block.kind))
                .nth(1)
                .is_some()
        };
        match (
            two([Kind::Row, Kind::HeadRow]),
            two([Kind::Ordered, Kind::Bullet]),
        ) {
            (true, _) => AnswerForm::Table,
            (_, true) => AnswerForm::List,
            _ => AnswerForm::Prose,
        }
    }

    /// Finds the byte in the clean text that corresponds to one in the visible text.
    pub(super) fn origin(&self, at: usize) -> usize {
        self.offsets.origin(at)
    }

    /// Takes a span's visible text.
    pub(super) fn at(&self, span: &Span) -> &str {
        #[cfg(test)]
        super::steps::add(span.len());
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// The links whose text lies in a span, in order.
    pub(super) fn links_in(&self, span: &Span) -> &[Link] {
        let first = self.links.partition_point(|link| link.span.start < span.start);
        let last = self.links.partition_point(|link| link.span.start < span.end);
        self.links.get(first..last).unwrap_or_default()
    }

    /// The bold passages that start in a span, in order.
    pub(super) fn bolds_in(&self, span: &Span) -> &[Span] {
        let first = self.bolds.partition_point(|bold| bold.start < span.start);
        let last = self.bolds.partition_point(|bold| bold.start < span.end);
        self.bolds.get(first..last).unwrap_or_default()
    }

    /// The block at a byte of the visible text.
    pub(super) fn block(&self, at: usize) -> Option<&Block> {
        self.blocks.get(self.block_at(at)?)
    }

    /// Finds the block that holds a byte in the visible text, by position.
    pub(super) fn block_at(&self, at: usize) -> Option<usize> {
        let next = self.blocks.partition_point(|block| block.span.start <= at);
        let index = next.checked_sub(1)?;
        self.blocks
            .get(index)
            .filter(|block| at <= block.span.end)
            .map(|_| index)
    }
}

#[cfg(test)]
mod tests;
