//! Shows an answer on a page: light Markdown, with cited passages marked.
//!
//! Answers of models are untrusted. Only the tags below are written. HTML in an answer is shown as text, pictures are
//! not loaded, and only web addresses become links.

use crate::chart::Markup;
use crate::escape::html;
use crate::link::WebAddress;
use askama::filters::Safe;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::fmt::Write as _;
use std::ops::Range;

/// Bytes of an answer that a page shows at most.
const LONGEST: usize = 64 * 1024;
/// Maximum depth of nested elements. Deeper elements lose their tags, not their text.
const DEEPEST: usize = 16;

/// Renders an answer. `marked` are byte ranges as [`crate::passage::find`] gives them.
pub(crate) fn render(answer: &str, marked: &[Range<usize>]) -> Markup {
    let shown = prefix(answer, LONGEST);
    let mut writer = Writer {
        out: String::with_capacity(shown.len() * 5 / 4),
        source: shown,
        marked,
        open: Vec::new(),
        in_head: false,
    };
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    for (event, range) in Parser::new_ext(shown, options).into_offset_iter() {
        writer.event(event, range);
    }
    writer.close_all();
    if shown.len() < answer.len() {
        writer
            .out
            .push_str("<p class=\"note\">The answer goes on; the download has all of it.</p>");
    }
    Safe(writer.out)
}

struct Writer<'a> {
    out: String,
    source: &'a str,
    marked: &'a [Range<usize>],
    /// Closing tags of the open elements; empty for one without tags.
    open: Vec<&'static str>,
    in_head: bool,
}

impl Writer<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text, range),
            Event::Code(code) => {
                self.out.push_str("<code>");
                self.whole(&code, &range);
                self.out.push_str("</code>");
            }
            Event::Html(text) | Event::InlineHtml(text) => self.text(&text, range),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.whole(&text, &range)
            }
            Event::SoftBreak | Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule => self.out.push_str("<hr>"),
            Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        if self.open.len() >= DEEPEST {
            self.open.push("");
            return;
        }
        let (opening, closing) = match tag {
            Tag::Paragraph => ("<p>", "</p>"),
            // The page has its own outline, so a heading of an answer becomes strong text.
            Tag::Heading { .. } => ("<p class=\"answer-head\">", "</p>"),
            Tag::BlockQuote(_) => ("<blockquote>", "</blockquote>"),
            Tag::CodeBlock(_) => ("<pre><code>", "</code></pre>"),
            Tag::HtmlBlock => ("<p>", "</p>"),
            Tag::List(Some(first)) => {
                let _ = write!(self.out, "<ol start=\"{first}\">");
                ("", "</ol>")
            }
            Tag::List(None) => ("<ul>", "</ul>"),
            Tag::Item => ("<li>", "</li>"),
            Tag::Table(_) => ("<div class=\"answer-table\"><table>", "</tbody></table></div>"),
            Tag::TableHead => {
                self.in_head = true;
                ("<thead><tr>", "</tr></thead><tbody>")
            }
            Tag::TableRow => ("<tr>", "</tr>"),
            Tag::TableCell if self.in_head => ("<th scope=\"col\">", "</th>"),
            Tag::TableCell => ("<td>", "</td>"),
            Tag::Emphasis => ("<em>", "</em>"),
            Tag::Strong => ("<strong>", "</strong>"),
            Tag::Strikethrough => ("<s>", "</s>"),
            Tag::Link { dest_url, .. } => match WebAddress::parse(dest_url) {
                Some(address) => {
                    let _ = write!(
                        self.out,
                        "<a href=\"{}\" rel=\"nofollow noopener noreferrer ugc\">",
                        html(address.href())
                    );
                    ("", "</a>")
                }
                None => ("<span>", "</span>"),
            },
            Tag::Image { .. } => ("<span class=\"note\">picture: ", "</span>"),
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => ("", ""),
        };
        self.out.push_str(opening);
        self.open.push(closing);
    }

    fn end(&mut self, tag: TagEnd) {
        self.out.push_str(self.open.pop().unwrap_or_default());
        if tag == TagEnd::TableHead {
            self.in_head = false;
        }
    }

    fn close_all(&mut self) {
        while let Some(closing) = self.open.pop() {
            self.out.push_str(closing);
        }
    }

    /// Writes text. Text that is unchanged from the source is marked to the byte, other text as a whole.
    fn text(&mut self, text: &str, range: Range<usize>) {
        if self.source.get(range.clone()) != Some(text) {
            return self.whole(text, &range);
        }
        let mut from = range.start;
        for mark in self
            .marked
            .iter()
            .filter(|mark| mark.start < range.end && range.start < mark.end)
        {
            let (start, end) = (mark.start.max(range.start), mark.end.min(range.end));
            self.plain(from..start);
            self.out.push_str("<mark>");
            self.plain(start..end);
            self.out.push_str("</mark>");
            from = end;
        }
        self.plain(from..range.end);
    }

    fn plain(&mut self, range: Range<usize>) {
        self.out
            .push_str(&html(self.source.get(range).unwrap_or_default()));
    }

    /// Writes text whose source bytes differ. It is marked if any of its source bytes is marked.
    fn whole(&mut self, text: &str, range: &Range<usize>) {
        if self
            .marked
            .iter()
            .any(|mark| mark.start < range.end && range.start < mark.end)
        {
            let _ = write!(self.out, "<mark>{}</mark>", html(text));
        } else {
            self.out.push_str(&html(text));
        }
    }
}

/// Returns the longest prefix of at most `most` bytes.
fn prefix(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::QuoteView;
    use crate::passage;
    use proptest::prelude::*;

    fn check(answer: &str, quote: &str, expected: &str) {
        let quotes = [QuoteView {
            text: quote.to_owned(),
            start: 0,
            end: 0,
        }];
        assert_eq!(render(answer, &passage::find(answer, &quotes)).0, expected);
    }

    #[test]
    fn answers_are_laid_out_and_marked() {
        check(
            "1. **Acme** – fast\n2. Other & Co",
            "Acme** – fa",
            "<ol start=\"1\"><li><strong><mark>Acme</mark></strong><mark> – fa</mark>st</li><li>Other &amp; Co</li></ol>",
        );
        check(
            "## Top\nTry [Acme](https://acme.example/x).",
            "Acme",
            "<p class=\"answer-head\">Top</p><p>Try <a href=\"https://acme.example/x\" rel=\"nofollow noopener noreferrer ugc\"><mark>Acme</mark></a>.</p>",
        );
        check(
            "|A|B|\n|-|-|\n|x|`acme.example`|",
            "acme.example",
            "<div class=\"answer-table\"><table><thead><tr><th scope=\"col\">A</th><th scope=\"col\">B</th></tr></thead><tbody><tr><td>x</td><td><code><mark>acme.example</mark></code></td></tr></tbody></table></div>",
        );
        check("line\nbreak", "-", "<p>line<br>break</p>");
    }

    #[test]
    fn nothing_in_an_answer_becomes_active() {
        for hostile in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "text <b onclick='x'>b</b>",
            "[x](javascript:alert(1))",
            "[x](JAVASCRIPT&colon;alert(1))",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "![x](https://tracker.example/p.gif)",
            "[x](https://e.example/\"onmouseover=\"y)",
            "<https://e.example/\"><script>>",
            "```\"><script>\n</code></pre><script>\n```",
            "[a]: javascript:x\n\n[a]",
        ] {
            let page = render(hostile, &[]).0.to_lowercase();
            for banned in [
                "<script",
                "<img",
                "<b ",
                "href=\"javascript",
                "href=\"data",
                "onerror=a\"",
                "\"onmouseover",
            ] {
                assert!(!page.contains(banned), "{hostile:?} gives {page}");
            }
        }
    }

    #[test]
    fn long_and_deep_answers_are_bounded() {
        let long = "ü".repeat(LONGEST);
        assert!(render(&long, &[]).0.len() < LONGEST + 200);
        let deep = "> ".repeat(5000) + "x";
        let page = render(&deep, &[]).0;
        assert!(page.matches("<blockquote>").count() <= DEEPEST && page.contains('x'));
    }

    proptest! {
        #[test]
        fn tags_are_ours_and_closed(answer in "([a-z<>&\"'*_`#|\\[\\]()!:/ \\n-]|\\*\\*|https://|\\n\\n|1\\. ){0,60}", from in 0..30_usize, to in 0..60_usize) {
            let quotes = [QuoteView { text: String::new(), start: from, end: to }];
            let page = render(&answer, &passage::find(&answer, &quotes)).0;
            let mut open = Vec::new();
            for tag in page.split('<').skip(1) {
                let name: String = tag.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '/').collect();
                match name.strip_prefix('/') {
                    Some(closed) => prop_assert_eq!(open.pop(), Some(closed.to_owned())),
                    None if name == "br" || name == "hr" => {}
                    None => {
                        prop_assert!(["p", "ol", "ul", "li", "strong", "em", "s", "code", "pre", "blockquote", "a", "span", "mark", "div", "table", "thead", "tbody", "tr", "th", "td"].contains(&name.as_str()), "{}", name);
                        open.push(name);
                    }
                }
            }
            prop_assert!(open.is_empty());
        }
    }
}
