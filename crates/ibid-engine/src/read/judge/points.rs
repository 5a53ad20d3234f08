//! Scores an answer, part by part.

use crate::read::reading::{LinkKind, Stance};
use ibid_model::Prominence;
use ibid_model::result::Breakdown;

/// Computes the parts that a score has; docs/METHOD.md has the formula.
pub(in crate::read) fn breakdown(
    class: Prominence,
    rank: Option<u32>,
    candidates: u32,
    link: LinkKind,
    share: f64,
    stance: Stance,
) -> Breakdown {
    let rank = rank.unwrap_or(candidates).max(1);
    let discount = |rank: u32| 15.0 / f64::from(rank + 1).log2();
    let (base, rank) = match class {
        Prominence::Primary => (70.0, discount(rank)),
        // Rank 2 at best, so that the bands never meet.
        Prominence::Secondary => (40.0, discount(rank.max(2))),
        Prominence::Mentioned => (15.0, 0.0),
        Prominence::None => return Breakdown::default(),
    };
    let link = match link {
        LinkKind::None => 0.0,
        LinkKind::Annotation => 5.0,
        LinkKind::Host | LinkKind::Url | LinkKind::Markdown => 10.0,
    };
    // Two decimals: what is printed adds up to what is printed.
    let cents = |value: f64| (value * 100.0).round() / 100.0;
    Breakdown {
        base,
        rank: cents(rank),
        link,
        share: cents(5.0 * share.clamp(0.0, 1.0)),
        cap: (stance == Stance::Discouraged).then_some(10.0),
    }
}
