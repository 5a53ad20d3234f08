//! Which block belongs to which.

use super::{Block, Kind};

/// Gives every block its parent: the nearest block before it at a higher level.
pub(super) fn grow(blocks: &mut [Block], text: &str) {
    let levels = levels(blocks, text);
    let mut open: Vec<usize> = Vec::new();
    for at in 0..blocks.len() {
        while open.last().is_some_and(|last| levels[*last] >= levels[at]) {
            open.pop();
        }
        // A paragraph after a blank line, without an item after it, is no part of the last item.
        if blocks[at].kind == Kind::Line
            && blocks[at].after_blank
            && blocks[at].indent < 2
            && !is_heading(&blocks[at], text)
        {
            while open.last().is_some_and(|last| is_item(blocks[*last].kind)) {
                open.pop();
            }
        }
        blocks[at].parent = open.last().copied();
        open.push(at);
    }
}

/// Three or more short lines without marks below a lead with a colon are items.
pub(super) fn itemize(blocks: &mut [Block], text: &str) {
    let line = |block: &Block| text.get(block.span.clone()).unwrap_or_default().trim_end();
    let plain = |block: &Block| block.kind == Kind::Line && !block.all_bold && !block.symbol && !block.quoted;
    let short = |block: &Block| {
        let line = line(block);
        plain(block)
            && line.starts_with(|c: char| c.is_uppercase() || c.is_alphabetic() && !c.is_lowercase())
            && line.split_whitespace().count() <= 5
            && line.chars().count() <= 40
            && !line.ends_with(['.', ':', '!', '?', '。', ';', ','])
    };
    let mut at = 0;
    while at < blocks.len() {
        let led = plain(&blocks[at]) && line(&blocks[at]).ends_with(':');
        at += 1;
        let end = at
            + blocks[at..]
                .iter()
                .take_while(|block| led && short(block))
                .count();
        if end - at >= 3 {
            blocks[at..end]
                .iter_mut()
                .for_each(|block| block.kind = Kind::Bullet);
        }
        at = end;
    }
}

const ITEMS: u32 = 20;
const LEAF: u32 = 10_000;

fn levels(blocks: &[Block], text: &str) -> Vec<u32> {
    let mut levels = Vec::with_capacity(blocks.len());
    // Indents of the list items that enclose the current line, and whether each is numbered.
    let mut nest: Vec<(usize, bool)> = Vec::new();
    let flat = flat_children(blocks);
    for (at, block) in blocks.iter().enumerate() {
        let level = match block.kind {
            Kind::Heading(level) => {
                nest.clear();
                u32::from(level)
            }
            Kind::Line if is_heading(block, text) => {
                nest.clear();
                10
            }
            Kind::Ordered | Kind::Bullet => item(&mut nest, block, flat[at]),
            // A picture before a line works as a bullet.
            Kind::Line if block.symbol => item(&mut nest, block, flat[at]),
            Kind::Line | Kind::Row | Kind::HeadRow => {
                if block.after_blank && block.indent == 0 {
                    nest.clear();
                }
                LEAF
            }
        };
        levels.push(level);
    }
    levels
}

/// Adds an item to the enclosing items, and returns its level.
fn item(nest: &mut Vec<(usize, bool)>, block: &Block, flat: bool) -> u32 {
    while nest
        .last()
        .is_some_and(|last| last.0 > block.indent || last.0 == block.indent && !(last.1 && flat))
    {
        nest.pop();
    }
    nest.push((block.indent, block.kind == Kind::Ordered));
    ITEMS + 2 * (nest.len() as u32).min(1_000)
}

fn is_item(kind: Kind) -> bool {
    matches!(kind, Kind::Ordered | Kind::Bullet)
}

/// A short bold line alone, or a short line that ends with a colon before a list, works as a heading.
fn is_heading(block: &Block, text: &str) -> bool {
    let line = text.get(block.span.clone()).unwrap_or_default();
    block.kind == Kind::Line && block.all_bold && line.len() <= 100
}

/// Bullets at the indent of the numbers around them.
/// They belong to the number before if the numbers continue after them.
fn flat_children(blocks: &[Block]) -> Vec<bool> {
    let mut flat = vec![false; blocks.len()];
    let mut pending: Vec<usize> = Vec::new();
    let mut last: Option<(u32, usize)> = None;
    let mut confirmed = false;
    for (at, block) in blocks.iter().enumerate() {
        match block.kind {
            Kind::Ordered => {
                let counts_on = match (last, block.number) {
                    (Some((before, indent)), Some(now)) => {
                        indent == block.indent && (now == before + 1 || before == now + 1)
                    }
                    (Some(_) | None, Some(_) | None) => false,
                };
                if counts_on {
                    pending.drain(..).for_each(|at| flat[at] = true);
                    confirmed = true;
                } else {
                    pending.clear();
                    confirmed = false;
                }
                last = block.number.map(|number| (number, block.indent));
            }
            Kind::Line if !block.symbol => {}
            Kind::Bullet | Kind::Line => {
                if last.is_some_and(|(_, indent)| indent == block.indent) {
                    pending.push(at);
                    // No number follows the last one to confirm it, unless the list has already shown this form.
                    if confirmed && !block.after_blank {
                        flat[at] = true;
                    }
                }
            }
            Kind::Heading(_) => {
                last = None;
                confirmed = false;
                pending.clear();
            }
            Kind::Row | Kind::HeadRow => {}
        }
    }
    flat
}
