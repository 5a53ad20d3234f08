//! The tree is a browser's; hostile pages end early and always at the same place.

use super::*;
use proptest::prelude::*;

fn outline(document: &Document) -> String {
    let mut out = String::new();
    for step in document.walk(document.root()) {
        match step {
            Step::Enter(node) => match document.kind(node) {
                Kind::Root => {}
                Kind::Element { name, .. } => out.push_str(&format!("<{name}>")),
                Kind::Text(range) => out.push_str(document.text(range)),
                Kind::Comment(range) => out.push_str(&format!("<!{}>", document.text(range))),
            },
            Step::Leave(node) => {
                if let Some(name) = document.name(node) {
                    out.push_str(&format!("</{name}>"));
                }
            }
        }
    }
    out
}

#[track_caller]
fn check(html: &str, body: &str) {
    let expected = format!("<html><head></head><body>{body}</body></html>");
    assert_eq!(outline(&parse(html)), expected, "{html}");
}

#[test]
fn long_comments_and_values_cost_a_page_nothing() {
    let words: String = (0..12_000).map(|number| format!("w{number} ")).collect();
    for (open, close) in [("<!--", "-->"), ("<p title=\"", "\">"), ("<p title='", "'>")] {
        let page = format!("<p>{open}{words}\n{words}\n{close}one<p>two</p>");
        let document = parse(&page);
        assert_eq!(document.stopped(), None, "{open}");
        let last = document.descendants(document.root()).last().expect("a node");
        assert_eq!(
            (document.raw_text(last, 10).as_str(), document.line(last)),
            ("two", 3)
        );
    }
    let hostile = format!("<p {}>", words.repeat(4));
    assert_eq!(parse(&hostile).stopped(), Some(StopReason::Work));
}

#[test]
fn broken_html_is_read_as_browsers_do() {
    check("", "");
    check("a<b>c", "a<b>c</b>");
    check("<p>one<p>two", "<p>one</p><p>two</p>");
    check("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>");
    check("<b><i>x</b>y</i>", "<b><i>x</i></b><i>y</i>");
    check(
        "<table>x<tr><td>y</table>",
        "x<table><tbody><tr><td>y</td></tr></tbody></table>",
    );
    check("<b>1<p>2</b>3", "<b>1</b><p><b>2</b>3</p>");
    check("&amp;&lt;&copy;&#x41;&notit;", "&<©A¬it;");
    check("<p>a<!-- c -->b", "<p>a<! c >b</p>");
    check("<div>a</span>b</div>", "<div>ab</div>");
    check(
        "<body><noscript><p>no</p></noscript>",
        "<noscript><p>no</p></noscript>",
    );
    check(
        "<body><template><p>x</p></template>",
        "<template><p>x</p></template>",
    );
    check("<body><textarea><b></textarea>", "<textarea><b></textarea>");
    check(
        "<body><script>if (a<b) {}</script>",
        "<script>if (a<b) {}</script>",
    );
}

#[test]
fn attributes_lines_and_text_are_kept() {
    use html5ever::local_name;
    let document = parse("<p>\n<a href='/x&amp;y' onclick=bad data-nosnippet\nTYPEOF=T>t</a>");
    let link = document
        .descendants(document.root())
        .find(|node| document.name(*node) == Some(&local_name!("a")))
        .expect("a link");
    assert_eq!(document.attribute(link, &local_name!("href")), Some("/x&y"));
    assert_eq!(document.attribute_named(link, "data-nosnippet"), Some(""));
    assert_eq!(document.attribute_named(link, "typeof"), Some("T"));
    assert_eq!(document.attribute_named(link, "onclick"), None);
    assert_eq!(
        (document.line(link), document.raw_text(link, 10)),
        (3, "t".to_owned())
    );
}

const BYTES: usize = 100_000;

const SMALL: guard::FetchLimits = guard::FetchLimits {
    nodes: 10_000,
    depth: 512,
    work: 2_000_000,
};

fn fill(start: &str, part: &str) -> String {
    let mut html = String::from(start);
    while html.len() < BYTES {
        html.push_str(part);
    }
    html
}

fn counted(start: &str, part: impl Fn(usize) -> String) -> String {
    let mut html = String::from(start);
    let mut count = 0;
    while html.len() < BYTES {
        count += 1;
        html.push_str(&part(count));
    }
    html
}

#[test]
fn bombs_stop_at_the_same_place_every_time() {
    for (name, html, stop) in [
        ("nested div", fill("", "<div>"), Some(StopReason::Depth)),
        (
            "nested tables",
            fill("", "<table><tr><td>"),
            Some(StopReason::Depth),
        ),
        ("templates", fill("", "<template>"), Some(StopReason::Depth)),
        (
            "formatting",
            counted("", |n| format!("<b id={n}>")),
            Some(StopReason::Depth),
        ),
        (
            "unknown end tags",
            fill(&"<span>".repeat(500), "</x>"),
            Some(StopReason::Work),
        ),
        (
            "paragraph searches",
            fill(&"<span>".repeat(500), "<div></div>"),
            Some(StopReason::Work),
        ),
        (
            "formatting that changes",
            counted(&counted("", |n| format!("<b id={n}>"))[..4_000], |n| {
                format!("</b><b id=x{n}>")
            }),
            Some(StopReason::Work),
        ),
        (
            "formatting that is rebuilt",
            fill(&counted("", |n| format!("<b id={n}>"))[..3_900], "<p>x"),
            Some(StopReason::Nodes),
        ),
        (
            "attributes",
            counted("<p ", |n| format!("a{n} ")),
            Some(StopReason::Work),
        ),
        ("many small elements", fill("", "<p>"), Some(StopReason::Nodes)),
        ("a long comment", fill("<!-- ", "some words "), None),
        ("a long text", fill("", "some words "), None),
        ("one attribute again and again", fill("<p ", "a "), None),
    ] {
        let first = guard::parse_within(&html, SMALL);
        assert_eq!(first.stopped(), stop, "{name}");
        assert_eq!(guard::parse_within(&html, SMALL).len(), first.len(), "{name}");
        assert!(first.len() < 15_000, "{name}: {}", first.len());
    }
}

#[test]
fn ordinary_pages_are_read_to_the_end() {
    let mut html = String::from("<main>");
    for section in 0..2_000 {
        html.push_str(&format!("<section class=s id=s{section}><h2>Part {section}</h2><p>Some <b class=k>bold</b> and <i>other</i> words.<ul><li>one<li>two</ul></section>"));
    }
    html.push_str(&format!(
        "<!-- {} -->",
        "commented words with <tags a=b> ".repeat(2_000)
    ));
    html.push_str("<p id=end>end");
    let document = parse(&html);
    assert_eq!(document.stopped(), None);
    assert!(outline(&document).ends_with("<p>end</p></main></body></html>"));
}

proptest! {
    #[test]
    fn no_text_panics_and_walks_are_balanced(html in "(<[/]?(p|b|a|table|tr|td|div|svg|title|template|select|li|ul|form|i|math|mi|frameset|body|html|head|script|style|option)( [a-c]=x)?[/]?>|[ -~é]){0,60}") {
        let document = parse(&html);
        let (mut entered, mut left) = (0, 0);
        for step in document.walk(document.root()) {
            match step {
                Step::Enter(_) => entered += 1,
                Step::Leave(_) => left += 1,
            }
        }
        prop_assert_eq!(entered, left);
        prop_assert!(entered <= document.len());
    }

    #[test]
    fn plain_text_comes_out_as_it_went_in(text in "[a-z é東]{1,200}") {
        let document = parse(&format!("<p>{text}</p>"));
        prop_assert_eq!(document.raw_text(document.root(), 10_000), text);
    }
}
