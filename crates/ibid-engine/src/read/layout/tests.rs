use super::*;
use proptest::prelude::*;

/// Blocks as `kind: text`, indented by their depth in the tree.
fn outline(answer: &str) -> Vec<String> {
    let layout = Layout::of(&Clean::of(answer), &[]);
    let depth = |block: &Block| std::iter::successors(block.parent, |at| layout.blocks[*at].parent).count();
    let line = |block: &Block| {
        let mark = match block.kind {
            Kind::Heading(_) => "#".to_owned(),
            Kind::Ordered => block.number.unwrap().to_string(),
            Kind::Bullet => "-".to_owned(),
            Kind::Line => "p".to_owned(),
            Kind::Row => "|".to_owned(),
            Kind::HeadRow => "=".to_owned(),
        };
        format!(
            "{}{mark} {}",
            " ".repeat(depth(block)),
            layout.at(&block.span).replace('\t', "/")
        )
    };
    layout.blocks.iter().map(line).collect()
}

fn links(answer: &str) -> Vec<(Form, String, String)> {
    let layout = Layout::of(&Clean::of(answer), &[]);
    layout
        .links
        .iter()
        .map(|link| (link.form, layout.at(&link.span).to_owned(), link.url.clone()))
        .collect()
}

#[test]
fn bullets_belong_to_their_numbers() {
    assert_eq!(
        outline("1. **A**\n- x\n- y\n\n2. **B**\n- z\n\nBye."),
        ["1 A", " - x", " - y", "2 B", " - z", "p Bye."]
    );
    assert_eq!(
        outline("# T\n\n1. A\n   - x\n2. B\n\n   more\n\nend"),
        ["# T", " 1 A", "  - x", " 2 B", "  p more", " p end"]
    );
    assert_eq!(
        outline("**Head**\n- a\n- b\n**Other**\n- c"),
        ["p Head", " - a", " - b", "p Other", " - c"]
    );
    assert_eq!(
        outline("**Head**\nx\n\n**Other** (other.com)\ny\n\n**Third** (a pub)"),
        [
            "p Head",
            " p x",
            "p Other (other.com)",
            " p y",
            " p Third (a pub)"
        ]
    );
}

#[test]
fn lost_line_ends_come_back() {
    assert_eq!(
        outline("Try these: 1. **A** - x. 2. **B** - y."),
        ["p Try these:", "1 A - x.", "2 B - y."]
    );
    assert_eq!(
        outline("Gute Adressen: - **A**: x - **B**: y"),
        ["p Gute Adressen:", "- A: x", "- B: y"]
    );
    assert_eq!(
        outline("In 1. League and 2. League they won."),
        ["p In 1. League and 2. League they won."]
    );
}

#[test]
fn tables_have_cells() {
    assert_eq!(
        outline("| A | B |\n|---|---|\n| **x** | y |"),
        ["= A/B/", "| x/y/"]
    );
}

#[test]
fn links_of_every_form() {
    let markdown = |text: &str, url: &str| (Form::Markdown, text.to_owned(), url.to_owned());
    assert_eq!(
        links("[A](https://a.com/x_(y)) and [B](<https://b.com> \"t\")"),
        [
            markdown("A", "https://a.com/x_(y)"),
            markdown("B", "https://b.com")
        ]
    );
    assert_eq!(
        links("[A][1] [2]\n\n[1]: https://a.com\n[2]: https://b.com"),
        [markdown("A", "https://a.com")]
    );
    assert_eq!(
        links("**[A](https://a.com)** ![i](https://i.com/x.png)"),
        [markdown("A", "https://a.com")]
    );
    let url = |url: &str| (Form::Url, url.to_owned(), url.to_owned());
    assert_eq!(
        links("see https://a.com/b_c_d. (https://b.com/x) <https://c.com>です"),
        [
            url("https://a.com/b_c_d"),
            url("https://b.com/x"),
            url("https://c.com")
        ]
    );
    let host = |text: &str| (Form::Host, text.to_owned(), format!("http://{text}"));
    assert_eq!(
        links("a.com, www.bb.co.uk/menu and müller.de."),
        [host("a.com"), host("www.bb.co.uk/menu"), host("müller.de")]
    );
    for none in [
        "e.g. this",
        "at 5 p.m. or 3.5 km",
        "great.It was",
        "me@acme.com",
        "ASP.NET",
        "node.js",
        "acme.com… cut",
        "See https://longlong… x",
    ] {
        assert_eq!(
            links(none).iter().filter(|link| link.0 == Form::Host).count(),
            0,
            "{none}"
        );
    }
}

#[test]
fn parentheses_of_a_title_are_text() {
    for title in ["a) b", "a (b", "(a) b)", ")"] {
        let answer = format!("[Acme](https://acme.com \"{title}\") is good");
        let link = (Form::Markdown, "Acme".to_owned(), "https://acme.com".to_owned());
        assert_eq!(links(&answer), [link], "{title}");
    }
    // A title that nothing ends.
    assert_eq!(links("[Acme](https://acme.com \"a) b").len(), 1);
}

#[test]
fn source_marks_are_not_text() {
    assert_eq!(
        outline("- A is good[1][2].\n- B too【3†source】."),
        ["- A is good.", "- B too."]
    );
    assert_eq!(outline("1. A: nice room.\n-\n1\n-"), ["1 A: nice room."]);
    assert_eq!(outline("C++ and 18+ stay"), ["p C++ and 18+ stay"]);
}

proptest! {
    #[test]
    fn any_text_has_a_layout(text in "(\\PC|[\\[\\]()*_`|>#~!<:\n 0-9.-]|https?://|\\*\\*){0,60}") {
        let clean = Clean::of(&text);
        let layout = Layout::of(&clean, &[]);
        let mut last = 0;
        for block in &layout.blocks {
            prop_assert!(block.span.start >= last && block.span.end >= block.span.start);
            prop_assert!(layout.text.get(block.span.clone()).is_some());
            last = block.span.end;
        }
        for (at, block) in layout.blocks.iter().enumerate() {
            prop_assert!(block.parent.is_none_or(|parent| parent < at));
        }
        for span in layout.bolds.iter().chain(layout.links.iter().map(|link| &link.span)) {
            prop_assert!(layout.text.get(span.clone()).is_some(), "{span:?}");
        }
        prop_assert!(layout.links.is_sorted_by_key(|link| link.span.start));
    }
}

#[test]
fn lists_under_headings_in_one_line_get_their_line_breaks_back() {
    assert_eq!(
        outline("### The Old Houses * Zorbu: soft and light. * Quelt: firm. ### The New Ones * Drano: wide."),
        [
            "# The Old Houses",
            " - Zorbu: soft and light.",
            " - Quelt: firm.",
            "# The New Ones * Drano: wide."
        ]
    );
}

#[test]
fn product_cards_stand_apart() {
    assert_eq!(
        outline(
            "Zorbu Run 9$174.95•Acme Sports + othersQuelt Walk$48.75•quelt.exampleDrano Work Shoe$119.95•Drano"
        ),
        [
            "p Zorbu Run 9$174.95•Acme Sports + others",
            "p Quelt Walk$48.75•quelt.example",
            "p Drano Work Shoe$119.95•Drano"
        ]
    );
}

#[test]
fn an_invisible_blank_behind_a_glued_source_ends_the_line() {
    assert_eq!(
        outline("It is soft and light.zorbulab\u{200b} Quelt is firm."),
        ["p It is soft and light.zorbulab", "p Quelt is firm."]
    );
    assert_eq!(outline("It is so\u{200b} soft.").len(), 1);
}
