//! The lines of an answer as blocks: items, headings, table rows, prose.

use std::ops::Range;

/// A block: one top-level list item with what is nested in it, a heading, a table row, or a sentence of prose.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// Its bytes in the answer, marks of lists and headings excluded.
    pub(crate) span: Range<usize>,
    /// Its first line, within the span.
    pub(crate) head: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// A list item; numbered ones carry their number.
    Item(Option<u32>),
    Heading,
    /// A row of a table; the header is the first.
    Row {
        header: bool,
    },
    Prose,
}

/// Where fenced code stands.
pub(crate) fn code_spans(text: &str) -> Vec<Range<usize>> {
    let (mut spans, mut open): (Vec<Range<usize>>, Option<usize>) = (Vec::new(), None);
    for (start, line) in lines(text) {
        let fence = line.trim_start();
        if fence.starts_with("```") || fence.starts_with("~~~") {
            match open.take() {
                Some(from) => spans.push(from..start + line.len()),
                None => open = Some(start),
            }
        }
    }
    spans.extend(open.map(|from| from..text.len()));
    spans
}

/// The lines, with where they start.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split('\n').map(move |line| {
        let start = at;
        at += line.len() + 1;
        (start, line)
    })
}

/// The blocks of an answer, in order.
pub(crate) fn blocks(text: &str, skip: impl Fn(usize) -> bool) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    // Indentation of the list under way: deeper items belong to the one above.
    let mut list: Option<usize> = None;
    for (start, line) in lines(text) {
        let trimmed = line.trim_start();
        if trimmed.trim_end().is_empty() || skip(start) {
            continue;
        }
        let indent = line.len() - trimmed.len();
        let begin = start + indent;
        let end = start + line.trim_end().len();
        if let Some((number, mark)) = item_mark(trimmed) {
            let content = begin + mark..end.max(begin + mark);
            match (list, blocks.last_mut()) {
                (Some(outer), Some(parent)) if indent > outer + 1 => parent.span.end = end,
                _ => {
                    list = Some(indent);
                    blocks.push(Block {
                        kind: BlockKind::Item(number),
                        span: content.clone(),
                        head: content,
                    });
                }
            }
        } else if trimmed.starts_with('#') {
            list = None;
            let mark = trimmed.len() - trimmed.trim_start_matches('#').trim_start().len();
            blocks.push(Block {
                kind: BlockKind::Heading,
                span: begin + mark..end.max(begin + mark),
                head: begin + mark..end.max(begin + mark),
            });
        } else if trimmed.starts_with('|') {
            list = None;
            let is_rule = trimmed
                .bytes()
                .all(|b| matches!(b, b'|' | b'-' | b':' | b' ' | b'\r'));
            if is_rule {
                continue;
            }
            let header = !matches!(
                blocks.last(),
                Some(Block {
                    kind: BlockKind::Row { .. },
                    ..
                })
            );
            blocks.push(Block {
                kind: BlockKind::Row { header },
                span: begin..end,
                head: begin..end,
            });
        } else if let (Some(_), true, Some(parent)) = (list, indent > 0, blocks.last_mut()) {
            parent.span.end = end;
        } else {
            list = None;
            sentences(text, begin..end, &mut blocks);
        }
    }
    blocks
}

/// The number, if any, and the length of the mark that makes a line a list item.
fn item_mark(line: &str) -> Option<(Option<u32>, usize)> {
    let mut chars = line.char_indices();
    let (_, first) = chars.next()?;
    if matches!(first, '-' | '*' | '+' | '•' | '‣' | '–' | '·' | '▪' | '◦' | '・') {
        let rest = &line[first.len_utf8()..];
        let tight = matches!(first, '•' | '・' | '▪' | '‣');
        if rest.starts_with(' ') || rest.starts_with('\t') || (tight && !rest.is_empty()) {
            return Some((None, first.len_utf8() + (rest.len() - rest.trim_start().len())));
        }
        return None;
    }
    let start = if line.starts_with("**") { 2 } else { 0 };
    let digits = line[start..].bytes().take_while(u8::is_ascii_digit).count();
    if (1..=3).contains(&digits) {
        let number = line[start..start + digits].parse().ok();
        let after = &line[start + digits..];
        let mark = after
            .chars()
            .next()
            .filter(|c| matches!(c, '.' | ')' | '．' | '、'))?;
        let rest = &after[mark.len_utf8()..];
        if rest.starts_with(' ') || rest.starts_with('\t') || matches!(mark, '．' | '、') {
            // "**1. Name**": the stars stay in front of the name, as bold.
            let skipped = start + digits + mark.len_utf8();
            return Some((number, skipped + rest.len() - rest.trim_start().len()));
        }
    }
    None
}

/// Splits a line of prose into sentences.
fn sentences(text: &str, line: Range<usize>, blocks: &mut Vec<Block>) {
    let Some(part) = text.get(line.clone()) else {
        return;
    };
    let mut from = 0;
    let mut chars = part.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let ends = match c {
            '.' | '!' | '?' => chars.peek().is_none_or(|(_, next)| next.is_whitespace()),
            '。' | '！' | '？' => true,
            _ => false,
        };
        let after = at + c.len_utf8();
        if ends && after - from > 2 {
            push_prose(blocks, line.start + from..line.start + after);
            from = after;
        }
    }
    if part.len() > from {
        push_prose(blocks, line.start + from..line.end);
    }
}

fn push_prose(blocks: &mut Vec<Block>, span: Range<usize>) {
    blocks.push(Block {
        kind: BlockKind::Prose,
        head: span.clone(),
        span,
    });
}
