//! Siblings that form a list.

use super::outline::Sort;
use crate::read::layout::Block;
use std::cmp::Ordering;

/// Siblings that form lists: of one sort, not parted by a paragraph, numbers counting one way.
pub(super) fn groups(blocks: &[Block], sorts: &[Sort], children: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    // Which group is open for each sort; headings continue across all blocks.
    let mut open: Vec<(Sort, usize)> = Vec::new();
    for at in children.iter().copied() {
        let sort = sorts[at];
        let block = &blocks[at];
        let found = open
            .iter()
            .find(|(known, _)| *known == sort)
            .map(|(_, group)| *group);
        let goes_on = found
            .and_then(|group| groups.get(group)?.last().copied())
            .is_some_and(|last| match sort {
                Sort::Heading(_) | Sort::Title | Sort::Led => true,
                Sort::Ordered => counts_on(blocks[last].number, block.number),
                Sort::Bullet | Sort::Pictured => true,
                Sort::Other => false,
            });
        match found.filter(|_| goes_on) {
            Some(group) => groups[group].push(at),
            None => {
                open.retain(|(known, _)| *known != sort);
                open.push((sort, groups.len()));
                groups.push(vec![at]);
            }
        }
        if sort == Sort::Other {
            open.retain(|(known, _)| *known != Sort::Led);
        }
    }
    groups
}

fn counts_on(before: Option<u32>, now: Option<u32>) -> bool {
    match (before, now) {
        // `1. 1. 1.` is how some write numbered lists.
        (Some(before), Some(now)) => now > before || now + 1 == before || now == 1 && before == 1,
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// Whether the numbers fall by one to 1.
pub(super) fn counts_down(numbers: impl Iterator<Item = Option<u32>>) -> bool {
    let numbers: Vec<u32> = numbers.flatten().collect();
    let falls = numbers
        .windows(2)
        .all(|pair| pair[0].cmp(&pair[1]) == Ordering::Greater);
    numbers.len() >= 2 && falls && numbers.last() == Some(&1)
}
