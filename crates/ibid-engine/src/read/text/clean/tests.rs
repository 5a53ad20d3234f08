use super::*;
use proptest::prelude::*;

fn check(answer: &str, clean: &str) {
    assert_eq!(Clean::of(answer).text, clean, "{answer:?}");
}

#[test]
fn what_no_reader_sees_is_gone() {
    check("Nova\u{200b}Therm\u{ad}™ and \u{202e}more", "NovaTherm and more");
    check(
        "a&nbsp;b &amp; c &#39;d&#x27; &unknown; &",
        "a b & c 'd' &unknown; &",
    );
    check("<think>Acme?</think>\nBeta", "\nBeta");
    check("no, wait</think>Beta", "Beta");
    check("<think>never closed Acme", "");
    check("a<!-- Acme -->b", "ab");
    check("x &lt;b&gt; y", "x ‹b› y");
}

#[test]
fn forms_of_one_character_meet() {
    check("Ｗｅｂ：（１）", "Web:(1)");
    check("𝗕𝗼𝗹𝗱 cafe\u{301} ｶﾞ", "Bold café ガ");
    check("“a” ‘b’ «c» d‑e", "\"a\" 'b' \"c\" d-e");
    check("①甲②乙", "1. 甲\n2. 乙");
    check("1\u{fe0f}\u{20e3} Acme", "1. Acme");
    check("\"He said \"\"Acme\"\".\"", "He said \"Acme\".");
    check("1. A\\n2. B", "1. A\n2. B");
    check("a\r\nb\rc", "a\nb\nc");
    check("\\*no\\* 1\\. x", "∗no∗ 1. x");
}

#[test]
fn tags_become_markdown() {
    check("<ol><li>A</li><li><b>B</b></li></ol>", "\n1. A\n2. **B**\n");
    check(
        "see <a href=\"https://x.example/?a=(1)\">X</a>.",
        "see [X](<https://x.example/?a=(1)>).",
    );
    check("a<br>b <unknown> 1 < 2", "a\nb <unknown> 1 < 2");
}

#[test]
fn origins_point_into_the_answer() {
    let answer = "ab&amp;Café\u{200b}Ä <b>x</b>";
    let clean = Clean::of(answer);
    for word in ["ab", "Café", "Ä", "x"] {
        let at = clean.text.find(word).unwrap();
        assert!(answer[clean.origin(at)..].starts_with(word), "{word}");
    }
}

proptest! {
    #[test]
    fn any_text_is_cleaned(text in "(\\PC|[<>&;\\\\\"\n\r/a-z]){0,80}") {
        let clean = Clean::of(&text);
        let mut last = 0;
        for (at, _) in clean.text.char_indices() {
            let origin = clean.origin(at);
            prop_assert!(origin <= text.len());
            prop_assert!(origin >= last || clean.text[at..].starts_with(['[', ']', '(', '<']), "{last} {origin}");
            last = origin;
        }
    }
}
