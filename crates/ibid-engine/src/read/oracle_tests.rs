//! The reading against slow and simple ones, on generated texts.

use super::*;
use ibid_model::{Citation, Prominence};
use proptest::prelude::*;

/// A name that is no word of any language.
const NAME: &str = "Zorblaxton";

fn target() -> Target {
    Target::new(&"zorblaxton.com".parse().unwrap(), &[])
}

/// A plain search of the text alone: the name as a separate word, or with an English `s`.
fn is_named(text: &str) -> bool {
    let visible: String = text
        .replace("info@zorblaxton.org", "")
        .chars()
        .filter(|c| !matches!(c, '\u{200b}' | '\u{ad}' | '\u{301}'))
        .map(|c| match c {
            'ö' | 'Ö' => 'o',
            c => c.to_ascii_lowercase(),
        })
        .collect();
    visible
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| word == "zorblaxton" || word == "zorblaxtons")
}

/// Pieces of texts: spellings of the name, words that only look like it, and the text around them.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(NAME.to_owned()),
        Just("zorblaxton".to_owned()),
        Just("Zörblaxton".to_owned()),
        Just("ZORBLAXTON".to_owned()),
        Just("Zor\u{200b}blax\u{ad}ton".to_owned()),
        Just("Zo\u{301}rblaxton".to_owned()),
        Just("**Zorblaxton**".to_owned()),
        Just("Zorblaxtons".to_owned()),
        Just("Zorblaxtonia".to_owned()),
        Just("Izorblaxton".to_owned()),
        Just("Zorblaxto".to_owned()),
        Just("info@zorblaxton.org".to_owned()),
        "[a-z]{1,9}",
        Just("the lamp".to_owned()),
        Just("stands there".to_owned()),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        (
            piece(),
            prop_oneof![Just(" "), Just(", "), Just(". "), Just("\n\n")],
        ),
        0..12,
    )
    .prop_map(|pieces| pieces.into_iter().map(|(piece, gap)| piece + gap).collect())
}

/// Arbitrary text: markup, links, cues, names, scripts, invisible characters.
fn anything() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "\\PC{0,8}",
        "[\\[\\]()*_`|>#~!<:\n\t 0-9.\"-]{0,6}",
        Just("Zorblaxton".to_owned()),
        Just("[Zorblaxton](https://zorblaxton.com/a)".to_owned()),
        Just("zorblaxton.com".to_owned()),
        Just("1. **Acme** – good\n".to_owned()),
        Just("I recommend ".to_owned()),
        Just("| a | b |\n|---|---|\n".to_owned()),
        Just("我推荐".to_owned()),
        Just("Рекомендую ".to_owned()),
        Just("<ol><li>".to_owned()),
        Just("&amp;\u{202e}\u{200b}".to_owned()),
        Just("```\n".to_owned()),
        Just("[1] ".to_owned()),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn a_name_is_found_where_a_slow_search_finds_it(text in text()) {
        let target = target();
        let found = read(&target, &Answer::of_text(&text));
        prop_assert_eq!(found.named_in_text, is_named(&text), "{:?}", found);
    }

    #[test]
    fn quotes_are_passages_of_the_answer(text in anything()) {
        let target = target();
        let reading = read(&target, &Answer::of_text(&text));
        let chars: Vec<char> = text.chars().collect();
        let mut end = 0;
        for quote in &reading.quotes {
            // Characters are counted the slow way.
            let passage = chars.get(quote.start as usize..quote.end as usize);
            prop_assert_eq!(passage.map(|chars| chars.iter().collect::<String>()), Some(quote.text.clone()));
            prop_assert!(quote.start >= end && quote.start < quote.end);
            prop_assert!(quote.bytes_in(&text).is_some());
            end = quote.end;
        }
        prop_assert!(reading.quotes.len() <= 8);
    }

    #[test]
    fn the_parts_of_a_reading_agree(text in anything(), cited in any::<bool>()) {
        let target = target();
        let citations = [Citation::of_url("https://www.zorblaxton.com/x")];
        let answer = Answer {
            citations: if cited { &citations } else { &[] },
            ..Answer::of_text(&text)
        };
        let reading = read(&target, &answer);
        prop_assert_eq!(&reading, &read(&target, &answer), "the same input gives the same reading");
        let ranks: Vec<u32> = reading.competitors.iter().filter_map(|competitor| competitor.rank).collect();
        let own = reading.competitors.iter().filter(|competitor| competitor.is_self).count();
        prop_assert!(own <= 1);
        // Ranks count up from 1; the target's may be missing where it is not cited.
        prop_assert!(ranks.windows(2).all(|pair| pair[0] < pair[1]), "{ranks:?}");
        prop_assert!((0.0..=100.0).contains(&reading.score.get()));
        match reading.class {
            Prominence::None => {
                prop_assert!(!reading.linked() && reading.quotes.is_empty() && reading.score.get() == 0.0);
                prop_assert_eq!(reading.stance, Stance::Absent);
            }
            Prominence::Mentioned => prop_assert!(reading.rank.is_none() && reading.score.get() < 40.0),
            Prominence::Secondary => prop_assert!((40.0..70.0).contains(&reading.score.get())),
            Prominence::Primary => prop_assert!(reading.score.get() >= 70.0),
        }
    }

    #[test]
    fn white_space_around_an_answer_changes_nothing(text in "[A-Za-z*., -]{0,60}") {
        let target = target();
        let bare = read(&target, &Answer::of_text(text.trim()));
        let spaced = format!("\n\n{}\n \n", text.trim());
        let found = read(&target, &Answer::of_text(&spaced));
        prop_assert_eq!((bare.class, bare.rank, bare.competitors), (found.class, found.rank, found.competitors));
    }
}
