//! Passages without their markup, for one line of text.

use crate::escape::line;

/// Returns the answer without its Markdown, on one line; cells of a table are parted by dashes.
pub fn plain(text: &str) -> String {
    let mut bare = without_links(text).replace(['*', '#', '`', '>'], " ");
    // A link lost its end when the passage was cut.
    if !bare.contains(']') {
        bare = bare.replace('[', " ");
    }
    let rule = |word: &&str| !word.chars().all(|c| matches!(c, '-' | ':' | '='));
    let cell = |cell: &str| line(cell).split(' ').filter(rule).collect::<Vec<_>>().join(" ");
    let cells = bare.split('|').map(cell).filter(|cell| !cell.is_empty());
    cells.collect::<Vec<_>>().join(" – ")
}

/// Replaces links by their words: `[words](address)` becomes `words`.
fn without_links(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        // Without an end this is not a link, or its end was cut off with the passage.
        let end = after.find([')', ' ', '\n']).unwrap_or(after.len());
        let words = before
            .rsplit_once('[')
            .map(|(head, words)| format!("{head}{words}"));
        bare.push_str(words.as_deref().unwrap_or(before));
        rest = after.get(end..).unwrap_or_default();
        rest = rest.strip_prefix(')').unwrap_or(rest);
    }
    bare.push_str(rest);
    bare
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_line_has_words_and_no_markup() {
        for (text, expected) in [
            (
                "**Example** ([example.com](https://example.com/?utm=1)) is quick",
                "Example (example.com) is quick",
            ),
            ("see [the list](https://a.example/x", "see the list"),
            ("a [b] c](d", "a b] c"),
            ("## Best\n| Name | Why |\n|---|---|", "Best – Name – Why"),
            (
                "Example** | Covers all | [example.com",
                "Example – Covers all – example.com",
            ),
            ("", ""),
            ("](", ""),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }
}
