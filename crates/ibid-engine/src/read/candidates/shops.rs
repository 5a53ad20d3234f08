//! Lists of places to buy or to look: if an answer also lists its picks, they are no picks.

use super::{Candidate, Candidates, Form};
use crate::read::layout::Kind;
use crate::read::page::Page;
use crate::read::text::plain;
use crate::read::words::{List, list};

/// Fewest listed picks for which lists of shops are dropped.
const PICKS: usize = 2;

/// Drops names below a title such as `Where to buy`, unless the question asks for shops.
pub(super) fn drop(page: &Page<'_>, candidates: &mut Candidates) {
    if asks_where(page) {
        return;
    }
    let shops: Vec<bool> = candidates
        .found
        .iter()
        .map(|candidate| is_below_shops(page, candidate))
        .collect();
    let picks = candidates.found.iter().zip(&shops);
    let picks = picks.filter(|(found, shop)| !**shop && found.form != Form::Prose);
    if picks.count() >= PICKS {
        let mut shops = shops.into_iter();
        candidates.found.retain(|_| !shops.next().unwrap_or_default());
    }
}

/// Titles of lists of places to buy or to look.
static SHOPS: List = list("shops.shops");

/// Words of questions that ask for a place to buy or to look.
static WHERE: List = list("shops.where");

fn asks_where(page: &Page<'_>) -> bool {
    WHERE.iter().any(|word| page.question.asked.contains(*word))
}

/// Whether an item is below a title of places to buy or to look.
fn is_below_shops(page: &Page<'_>, candidate: &Candidate) -> bool {
    const LONGEST: usize = 90;
    const MOST_PARENTS: usize = 4;
    const MOST_ABOVE: usize = 24;
    let names_shops = |text: &str| {
        let mut end = text.len().min(LONGEST);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let title = plain(&text[..end]);
        SHOPS.iter().any(|shops| title.contains(shops))
    };
    let Some(block) = page.layout.block_at(candidate.name.start) else {
        return false;
    };
    let before = page.text(&(page.layout.blocks[block].span.start..candidate.name.start));
    if names_shops(before) {
        return true;
    }
    let parents = std::iter::successors(page.layout.blocks[block].parent, |parent| {
        page.layout.blocks[*parent].parent
    });
    let mut parents = parents.take(MOST_PARENTS);
    if parents.any(|parent| names_shops(page.text(&page.layout.blocks[parent].span))) {
        return true;
    }
    // The bold line or the line with a colon above the list.
    let item = &page.layout.blocks[block];
    let title = page.layout.blocks[..block]
        .iter()
        .rev()
        .take(MOST_ABOVE)
        .find(|above| {
            above.kind == Kind::Line
                && above.indent <= item.indent
                && (above.all_bold || page.text(&above.span).trim_end().ends_with(':'))
                || matches!(above.kind, Kind::Heading(_))
        });
    title.is_some_and(|title| names_shops(page.text(&title.span)))
}

#[cfg(test)]
mod tests {
    use crate::read::{Answer, Target, read};

    #[test]
    fn shops_beside_a_list_are_no_picks_unless_they_are_asked_for() {
        let domain = "vintokka.example".parse().unwrap();
        let target = Target::new(&domain, &["Vintokka".parse().unwrap()]);
        let answer = "**Collars:**\n\n1. **Zorbu**: soft.\n2. **Quelt**: firm.\n\n**Where to Buy:**\n\n\
                      1. **Vintokka**: many collars.\n2. **Drano Pets**: cheap.";
        let class = |question| {
            let answer = Answer {
                question: Some(question),
                ..Answer::of_text(answer)
            };
            read(&target, &answer).class
        };
        assert_eq!(
            class("Which dog collars are best?"),
            ibid_model::Prominence::Mentioned
        );
        assert_eq!(
            class("Where can I buy a dog collar?"),
            ibid_model::Prominence::Secondary
        );
    }
}
