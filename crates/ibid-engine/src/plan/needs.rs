//! What buyers of a trade ask for, beside what buyers of every kind of thing do.

use super::kind::fold;
use super::phrases::Phrases;
use std::sync::LazyLock;

/// The trades of a language with what their buyers ask for. Other languages have general needs only, until theirs are written and read.
pub(super) const ENGLISH: &str = include_str!("../../data/questions/en.needs.txt");

struct Trade {
    /// The ends of keywords that belong to it, folded.
    heads: Vec<String>,
    needs: Vec<&'static str>,
}

static TRADES: LazyLock<Vec<Trade>> = LazyLock::new(|| {
    let mut trades: Vec<Trade> = Vec::new();
    for line in ENGLISH.lines().filter(|line| !line.starts_with('#')) {
        match (line.strip_prefix("= "), trades.last_mut()) {
            (Some(opened), _) => trades.push(Trade {
                heads: opened
                    .split_once(": ")
                    .map_or_else(Vec::new, |(_, heads)| heads.split(", ").map(fold).collect()),
                needs: Vec::new(),
            }),
            (None, Some(trade)) => trade.needs.push(line),
            (None, None) => {}
        }
    }
    trades
});

/// The needs of the trade whose head is the longest that the keyword ends in: "family dentist" is a dentist, "dental insurance" an
/// insurance. What follows a preposition is no head: "hotels with spa" are hotels.
pub(super) fn of_trade(phrases: &Phrases, keyword: &str) -> Option<&'static [&'static str]> {
    if phrases.tag != "en" {
        return None;
    }
    let folded = fold(keyword);
    let words: Vec<&str> = folded.split(' ').collect();
    let is_after = |word: &&str| phrases.marks.after_head.iter().any(|after| after == word);
    let end = words
        .iter()
        .skip(1)
        .position(is_after)
        .map_or(words.len(), |at| at + 1);
    let of_trade = |trade: &'static Trade| {
        let ends = |head: &&String| (0..end).any(|from| words[from..end].join(" ") == **head);
        let longest = trade.heads.iter().filter(ends).map(String::len).max()?;
        Some((longest, trade))
    };
    let found = TRADES
        .iter()
        .filter_map(of_trade)
        .max_by_key(|(longest, _)| *longest);
    found.map(|(_, trade)| trade.needs.as_slice())
}

#[cfg(test)]
mod tests {
    use super::super::phrases;
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_head_has_one_trade_and_every_trade_five_needs() {
        let mut heads = HashSet::new();
        for trade in TRADES.iter() {
            assert!(trade.needs.len() >= 5, "{:?}", trade.heads);
            assert!(
                trade.heads.iter().all(|head| heads.insert(head)),
                "{:?}",
                trade.heads
            );
        }
        assert!(TRADES.len() > 100);
    }

    #[test]
    fn the_end_of_a_keyword_tells_its_trade() {
        for (keyword, need) in [
            ("emergency dentist", Some("for nervous patients")),
            ("dental insurance", Some("with a short waiting period")),
            ("Boutique hotels with spa", Some("that {takes} dogs")),
            ("CRM for small teams", Some("for a small sales team")),
            ("school supplies", None),
            ("hotel management degree", None),
            ("xyzzy", None),
        ] {
            let found = of_trade(phrases::english(), keyword);
            assert_eq!(need.is_some(), found.is_some(), "{keyword}");
            assert!(
                need.is_none_or(|need| found.unwrap().contains(&need)),
                "{keyword}"
            );
        }
        assert!(of_trade(phrases::of("de").unwrap(), "dentist").is_none());
    }
}
