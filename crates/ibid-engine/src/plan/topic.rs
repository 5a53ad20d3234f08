//! Whether a question is about what a keyword names.

use super::kind::{self, Kind, fold};
use super::{needs, phrases};

/// The letters that words of one stem share: "plumber" and "plumbing". Of four, "cater" and "catalogue" differ; with five, "roof" and
/// "roofer" do.
const STEM: usize = 4;
/// A need's word says something about its trade from so many letters on: "boiler", and not "with" or "same".
const LONG: usize = 6;

/// Names a thing of another kind that a question is about: "restaurants", where the keyword is "plumber". A question that shares a word
/// with the keyword, with `offer` or with what its trade's buyers need is about it, as is one that names something like it. About an
/// unknown keyword, or in a language without questions, nothing is said.
pub(crate) fn other_topic(language: &str, keyword: &str, offer: &str, text: &str) -> Option<String> {
    let phrases = phrases::of(language)?;
    let own = kind::of(phrases, keyword).filter(|kind| !matches!(kind, Kind::Any | Kind::Other))?;
    let (folded, known) = (fold(text), fold(&format!("{keyword} {offer}")));
    let needs = needs::of_trade(phrases, keyword).unwrap_or_default();
    let needs: Vec<String> = needs.iter().map(|need| fold(need)).collect();
    let needs = needs.iter().flat_map(|need| need.split(' '));
    let is_joint = |word: &&str| phrases.marks.after_head.iter().any(|after| after == word);
    let theirs: Vec<&str> = known
        .split(' ')
        .filter(|word| !is_joint(word))
        .chain(needs.filter(|word| word.chars().count() >= LONG))
        .collect();
    let words: Vec<&str> = folded.split(' ').collect();
    let shares = |word: &&&str| theirs.iter().any(|other| is_one_stem(word, other));
    if words.iter().find(shares).is_some() || holds_letters_of(&folded, keyword) {
        return None;
    }
    let things: Vec<(String, Kind)> = (0..words.len())
        .flat_map(|from| (from + 1..=words.len().min(from + 4)).map(move |to| (from, to)))
        .filter_map(|(from, to)| {
            let thing = words.get(from..to)?.join(" ");
            let single = thing.strip_suffix('s').unwrap_or(&thing);
            let kind = phrases.kinds.get(&thing).or_else(|| phrases.kinds.get(single))?;
            Some((thing, *kind))
        })
        .filter(|(_, kind)| !matches!(kind, Kind::Any | Kind::Other))
        .collect();
    // A craft works on goods: a boiler says neither that a plumber is meant nor that none is.
    let says = |kind: Kind| (family(own), family(kind)) != (Kind::Trade, Kind::Product);
    let things: Vec<_> = things.into_iter().filter(|(_, kind)| says(*kind)).collect();
    match things.iter().any(|(_, kind)| family(*kind) == family(own)) {
        true => None,
        false => things.into_iter().map(|(thing, _)| thing).max_by_key(String::len),
    }
}

/// Kinds that share their words: a dentist has a practice, goods are in shops.
const fn family(kind: Kind) -> Kind {
    match kind {
        Kind::Person | Kind::Institution => Kind::Trade,
        Kind::Shop => Kind::Product,
        kind => kind,
    }
}

fn is_one_stem(one: &str, other: &str) -> bool {
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let (one, other) = (one.chars().count(), other.chars().count());
    let (long, short) = (one.max(other), one.min(other));
    // A short word is its own stem: "gp", "vet".
    (shared == short && long <= short + 2 && short > 1) || (shared >= STEM && 2 * shared > short)
}

/// Scripts without blanks have no words: two letters of the keyword in a row show it.
fn holds_letters_of(text: &str, keyword: &str) -> bool {
    let letters: Vec<char> = keyword.chars().filter(|c| *c >= '\u{1100}').collect();
    letters
        .windows(2)
        .any(|pair| text.contains(&pair.iter().collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::other_topic;

    #[test]
    fn a_thing_of_another_kind_is_another_topic() {
        for (keyword, text, other) in [
            (
                "plumber",
                "What are good restaurants in Leeds?",
                Some("restaurants"),
            ),
            (
                "dentist",
                "Which hotel near the station has a pool?",
                Some("hotel"),
            ),
            ("plumber", "Who does plumbing in old houses?", None),
            (
                "plumber",
                "My boiler leaks and I rent, whom should I call in Leeds?",
                None,
            ),
            ("plumber", "Which heating engineer is registered?", None),
            ("xyzzy", "Which hotel has a pool?", None),
        ] {
            assert_eq!(
                other_topic("en", keyword, "", text).as_deref(),
                other,
                "{keyword}: {text}"
            );
        }
        assert_eq!(
            other_topic(
                "en",
                "dentist",
                "dental care for hotel staff",
                "Which hotel has one?"
            ),
            None
        );
        assert_eq!(
            other_topic("ja", "歯医者", "", "東京でおすすめの歯医者はどこですか？"),
            None
        );
    }
}
