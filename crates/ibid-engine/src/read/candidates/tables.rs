//! Tables: a name a row, or a name a column.

use super::head::{self, Strength};
use super::{Candidate, Candidates, Form};
use crate::read::layout::{Block, Kind, Span};
use crate::read::page::Page;

/// Finds the candidates of tables.
pub(super) fn find(page: &Page<'_>, candidates: &mut Candidates) {
    let blocks = &page.layout.blocks;
    let mut at = 0;
    while at < blocks.len() {
        if !is_row(&blocks[at]) {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while end < blocks.len() && blocks[end].kind == Kind::Row {
            end += 1;
        }
        let inside = candidates.taken.get(at).copied().unwrap_or_default();
        if !inside {
            table(page, at..end, candidates);
        }
        at = end;
    }
}

const fn is_row(block: &Block) -> bool {
    matches!(block.kind, Kind::Row | Kind::HeadRow)
}

fn table(page: &Page<'_>, rows: std::ops::Range<usize>, candidates: &mut Candidates) {
    let blocks = &page.layout.blocks[rows.clone()];
    let cell = |row: usize, column: usize| -> Option<&Span> {
        let block = blocks.get(row)?;
        page.layout.cells.get(block.cells.clone())?.get(column)
    };
    let name = |row: usize, column: usize| -> Option<(Span, Strength)> {
        let span = cell(row, column)?;
        match head::read(page, span) {
            head::Head::Name(named) => Some((named.name, named.strength)),
            head::Head::Generic | head::Head::Sentence => None,
        }
    };
    let headed = blocks.first().is_some_and(|first| first.kind == Kind::HeadRow);
    let body = usize::from(headed)..blocks.len();
    let columns = blocks
        .iter()
        .map(|block| block.cells.len())
        .max()
        .unwrap_or_default();
    if body.is_empty() || columns < 2 {
        return;
    }
    // One name a column: the first column lists criteria, and the head row names the compared businesses.
    let count = |column: usize| body.clone().filter(|row| name(*row, column).is_some()).count();
    let first = count(0);
    if headed && first * 2 < body.len() {
        let heads: Vec<Span> = (1..columns)
            .filter_map(|column| name(0, column))
            .filter(|(_, strength)| *strength == Strength::Strong)
            .map(|(span, _)| span)
            .collect();
        if heads.len() >= 2
            && heads.len() + 1 >= columns.saturating_sub(1)
            && first_is_criteria(page, &body, &cell)
        {
            let unit = blocks.first().map_or(0, |block| block.span.start)
                ..blocks.last().map_or(0, |block| block.span.end);
            for name in heads {
                candidates
                    .found
                    .push(Candidate::new(name, unit.clone(), Form::Column));
            }
            candidates.columns = true;
            take(candidates, rows);
            return;
        }
    }
    // One name a row, from the first column that holds names: numbers and pictures may be before it.
    let column = (0..columns.min(3)).find(|column| count(*column) * 2 > body.len());
    let Some(column) = column else {
        return;
    };
    for row in body {
        if let Some((name, _)) = name(row, column) {
            let unit = blocks[row].span.clone();
            candidates.found.push(Candidate::new(name, unit, Form::Item));
        }
    }
    take(candidates, rows);
}

/// Whether the first column holds words, not ranks.
fn first_is_criteria<'a>(
    page: &Page<'_>,
    body: &std::ops::Range<usize>,
    cell: &impl Fn(usize, usize) -> Option<&'a Span>,
) -> bool {
    let words = body
        .clone()
        .filter(|row| cell(*row, 0).is_some_and(|span| page.text(span).contains(char::is_alphabetic)))
        .count();
    words * 2 > body.len()
}

fn take(candidates: &mut Candidates, rows: std::ops::Range<usize>) {
    for taken in candidates.taken.get_mut(rows).into_iter().flatten() {
        *taken = true;
    }
}
