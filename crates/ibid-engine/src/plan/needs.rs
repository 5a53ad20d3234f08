//! What buyers ask for in one trade, beside what they ask for in all.

use super::kind::{self, Head, fold};
use super::phrases::Phrases;
use std::cmp::Reverse;
use std::sync::LazyLock;

/// The languages with needs of trades, and their files. Others have general needs only, until theirs are written and read.
const FILES: [(&str, &str); 4] = [
    ("en", include_str!("../../data/questions/en.needs.txt")),
    ("de", include_str!("../../data/questions/de.needs.txt")),
    ("es", include_str!("../../data/questions/es.needs.txt")),
    ("fr", include_str!("../../data/questions/fr.needs.txt")),
];

/// Returns a language's file; empty if it has none.
pub(super) fn file(tag: &str) -> &'static str {
    FILES
        .iter()
        .find(|(of, _)| *of == tag)
        .map_or("", |(_, file)| file)
}

struct Trade {
    tag: &'static str,
    /// What keywords of it are named after, folded.
    heads: Vec<String>,
    needs: Vec<&'static str>,
}

static TRADES: LazyLock<Vec<Trade>> = LazyLock::new(|| {
    let mut trades: Vec<Trade> = Vec::new();
    let lines = FILES
        .iter()
        .flat_map(|(tag, file)| file.lines().map(move |line| (*tag, line)));
    for (tag, line) in lines.filter(|(_, line)| !line.starts_with('#')) {
        match (line.strip_prefix("= "), trades.last_mut()) {
            (Some(opened), _) => trades.push(Trade {
                tag,
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

/// Takes the trade with the longest head in the keyword: "family dentist" is a dentist, "dental insurance" an insurance. What
/// follows a preposition is no head: "hotels with spa" are hotels. Where the head stands first, the first one counts.
pub(super) fn of_trade(phrases: &Phrases, keyword: &str) -> Option<&'static [&'static str]> {
    let folded = fold(keyword);
    let words: Vec<&str> = folded.split(' ').collect();
    let is_after = |word: &&str| phrases.marks.after_head.iter().any(|after| after == word);
    let end = words
        .iter()
        .skip(1)
        .position(is_after)
        .map_or(words.len(), |at| at + 1);
    let words = format!(" {} ", words.get(..end)?.join(" "));
    let is_first = kind::head(phrases.tag) == Head::First;
    let is_noun = |word: &str| phrases.kinds.contains_key(word);
    let fit = |head: &String| {
        let head = format!(" {head} ");
        if !is_first {
            return words.ends_with(&head).then_some((Reverse(0), head.len()));
        }
        let (before, _) = words.split_once(&head)?;
        let begins = !before.split(' ').any(is_noun);
        begins.then_some((Reverse(before.len()), head.len()))
    };
    let trades = TRADES.iter().filter(|trade| trade.tag == phrases.tag);
    let found = trades.filter_map(|trade| Some((trade.heads.iter().filter_map(fit).max()?, trade)));
    found
        .max_by_key(|(fit, _)| *fit)
        .map(|(_, trade)| trade.needs.as_slice())
}

#[cfg(test)]
mod tests {
    use super::super::phrases;
    use super::super::spoken::SpokenPlace;
    use super::super::wording::wordings;
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_head_has_one_trade_and_every_trade_five_needs() {
        let mut heads = HashSet::new();
        for trade in TRADES.iter() {
            assert!(trade.needs.len() >= 5, "{:?}", trade.heads);
            assert!(
                trade.heads.iter().all(|head| heads.insert((trade.tag, head))),
                "{:?}",
                trade.heads
            );
        }
        assert!(TRADES.len() > 100);
    }

    #[test]
    fn the_head_of_a_keyword_tells_its_trade() {
        for (keyword, need) in [
            ("family dentist", Some("for nervous patients")),
            ("emergency dentist", Some("for a broken tooth")),
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
        for (tag, keyword, need) in [
            ("de", "Zahnarzt", Some("für Angstpatienten")),
            ("de", "dentist", None),
            ("es", "clínica dental infantil", Some("para pacientes con miedo")),
            ("fr", "assurance dentiste", None),
            ("fr", "dentiste pour enfants", Some("pour les patients anxieux")),
        ] {
            let found = of_trade(phrases::of(tag).unwrap(), keyword);
            assert_eq!(
                found.and_then(|needs| needs.iter().copied().find(|it| Some(*it) == need)),
                need
            );
            assert_eq!(need.is_some(), found.is_some(), "{keyword}");
        }
    }

    #[test]
    fn a_third_of_the_questions_have_a_need_of_the_trade_with_any_number_of_models() {
        let place = SpokenPlace {
            name: "Qo".to_owned(),
            phrase: "in Qo".to_owned(),
        };
        for (tag, keyword) in [
            ("en", "plumber"),
            ("en", "accountant"),
            ("de", "Zahnarzt"),
            ("es", "dentista"),
            ("fr", "dentiste"),
        ] {
            let phrases = phrases::of(tag).unwrap();
            let needs = of_trade(phrases, keyword).unwrap();
            let list = wordings(phrases, keyword, Some(&place)).list;
            let times = |need: &str| {
                let need = need.replace(['{', '}'], "");
                list.iter().take(30).filter(|it| it.text.contains(&need)).count()
            };
            assert!(needs.iter().all(|need| times(need) == 1), "{keyword}: {list:?}");
            let has_need = |text: &str| {
                let plain = needs.iter().map(|need| need.replace(['{', '}'], ""));
                plain.into_iter().any(|need| text.contains(&need))
            };
            let asked: Vec<bool> = list.iter().take(24).map(|it| has_need(&it.text)).collect();
            assert!(
                asked.iter().filter(|has| **has).count() >= 8,
                "{keyword}: {asked:?}"
            );
            for models in 2..=4 {
                let with = |model: usize| asked.iter().skip(model).step_by(models).any(|has| *has);
                assert!((0..models).all(with), "{keyword}, {models} models: {asked:?}");
            }
        }
    }
}
