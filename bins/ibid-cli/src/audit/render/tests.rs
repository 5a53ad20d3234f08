//! Reports are tame and keep to their width.

use super::*;

fn text(html: &str, options: Options) -> String {
    let page = ibid_audit::Page::from_html(html, None, jiff::Timestamp::UNIX_EPOCH);
    report(&ibid_audit::audit(&page), options)
}

const PLAIN: Options = Options {
    paint: Paint::Plain,
    width: 80,
    all: false,
    drafts: false,
};

#[test]
fn reports_keep_to_the_width_and_hold_no_control_characters() {
    let html = "<html lang=en><title>\u{1b}[31mA page\u{7}</title><meta name=robots content=noindex><h1>東京 \u{202e}x</h1><p>\u{1b}]0;owned\u{7}".to_owned()
        + &"word ".repeat(300);
    for options in [
        PLAIN,
        Options {
            all: true,
            drafts: true,
            ..PLAIN
        },
    ] {
        let text = text(&html, options);
        assert!(text.contains("at most 20"), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text}");
        for line in text.lines().filter(|line| !line.starts_with("      ")) {
            assert!(columns(line) <= 100, "{line}");
        }
    }
}

#[test]
fn at_most_five_fixes_are_printed() {
    let text = text("<p>nothing", PLAIN);
    assert_eq!(text.matches("  →").count(), 5, "{text}");
    // The caveat may break anywhere, so its words are compared without line breaks.
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("predicts citation"), "{text}");
}
