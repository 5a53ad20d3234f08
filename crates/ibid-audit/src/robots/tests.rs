//! Rows after RFC 9309 and the cases Google publishes with its matcher and in its documentation.
//! Facts only: file, agent, path, answer.

use super::*;
use proptest::prelude::*;

#[track_caller]
fn check(file: &str, rows: &[(&str, &str, bool)]) {
    let robots = Robots::parse(file.as_bytes());
    for (agent, path, allowed) in rows {
        let verdict = robots.verdict(agent, path);
        assert_eq!(
            verdict.allowed, *allowed,
            "{agent} {path} by {:?} in\n{file}",
            verdict.rule
        );
    }
}

#[test]
fn an_empty_file_allows_everything() {
    for file in [
        "",
        "\n\n",
        "# only a comment",
        "\u{feff}",
        "User-agent: *",
        "User-agent: *\nDisallow:",
        "Disallow: /",
    ] {
        check(file, &[("FooBot", "/", true), ("FooBot", "/a?b=c", true)]);
    }
}

#[test]
fn rules_belong_to_groups() {
    let file = "foo: FooBot\nallow: /x\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\ndisallow: /\nallow: /y/\n\n\nallow: /w/\nuser-agent: BazBot\n\nuser-agent: FooBot\nallow: /z/\ndisallow: /\n";
    check(
        file,
        &[
            ("FooBot", "/x/b", true),
            ("FooBot", "/z/d", true),
            ("FooBot", "/y/c", false),
            ("BarBot", "/y/c", true),
            ("BarBot", "/w/a", true),
            ("BarBot", "/z/d", false),
            ("BazBot", "/z/d", true),
            ("BazBot", "/y/c", false),
            ("QuxBot", "/y/c", true),
        ],
    );
}

#[test]
fn groups_of_one_agent_are_merged() {
    let file = "user-agent: a\ndisallow: /c\n\nuser-agent: b\ndisallow: /d\n\nuser-agent: A\ndisallow: /e\n";
    check(
        file,
        &[
            ("a", "/c", false),
            ("a", "/e", false),
            ("a", "/d", true),
            ("b", "/d", false),
            ("b", "/c", true),
        ],
    );
    let wildcard = "user-agent: *\ndisallow: /a\nuser-agent: x\nallow: /\nuser-agent: *\ndisallow: /b\n";
    check(
        wildcard,
        &[("y", "/a", false), ("y", "/b", false), ("x", "/a", true)],
    );
}

#[test]
fn other_lines_do_not_end_a_run_of_agents() {
    for other in [
        "Sitemap: https://a.example/s.xml",
        "Crawl-delay: 5",
        "Unknown: line",
        "",
        "# note",
    ] {
        let file = format!("User-agent: a\n{other}\nUser-agent: b\nDisallow: /\n");
        check(&file, &[("a", "/", false), ("b", "/", false), ("c", "/", true)]);
    }
}

#[test]
fn a_named_group_replaces_the_wildcard() {
    check(
        "user-agent: *\ndisallow: /\n\nuser-agent: FooBot\nallow: /\n",
        &[("FooBot", "/", true), ("BarBot", "/", false)],
    );
    check(
        "user-agent: *\nallow: /\nuser-agent: FooBot\ndisallow: /\n",
        &[("FooBot", "/x", false), ("Other", "/x", true)],
    );
    check(
        "user-agent: FooBot\n\nuser-agent: *\ndisallow: /\n",
        &[("FooBot", "/x", false)],
    );
    check(
        "user-agent: FooBot\ndisallow:\n\nuser-agent: *\ndisallow: /\n",
        &[("FooBot", "/x", true), ("Bar", "/x", false)],
    );
}

#[test]
fn agents_are_compared_by_their_token_without_case() {
    for written in [
        "FooBot",
        "foobot",
        "FOOBOT",
        "FooBot/1.2",
        "FooBot 1.2 beta",
        "  FooBot  # note",
    ] {
        check(
            &format!("User-Agent: {written}\nDisallow: /\n"),
            &[("FooBot", "/", false), ("Foo", "/", true), ("FooBotX", "/", true)],
        );
    }
    check(
        "user-agent: Foo Bar\ndisallow: /\n",
        &[("Foo", "/", false), ("Bar", "/", true)],
    );
    check("user-agent: * baz\ndisallow: /\n", &[("Any", "/", false)]);
    check(
        "user-agent: *bot\ndisallow: /\n",
        &[("bot", "/", true), ("any", "/", true)],
    );
    check(
        "User-agent: Googlebot-Images\nDisallow: /\n",
        &[("Googlebot", "/", true)],
    );
    check(
        "User-agent: Googlebot\nDisallow: /\n",
        &[("Googlebot-Image", "/", true)],
    );
}

#[test]
fn fields_may_be_written_loosely() {
    for file in [
        "user-agent: F\ndisallow: /",
        "USER-AGENT: F\nDISALLOW: /",
        "User-Agent:F\nDisallow:/",
        "  user-agent \t:  F  \n  disallow\t: / \t",
        "user-agent F\ndisallow /",
        "useragent: F\ndisallow: /",
        "user agent: F\ndisallow: /",
        "user-agent: F\ndisalow: /",
        "user-agent: F\ndissallow: /",
        "user-agent: F\rdisallow: /\r",
        "user-agent: F\r\ndisallow: /\r\n",
        "\u{feff}user-agent: F\ndisallow: /",
    ] {
        check(file, &[("F", "/x", false), ("G", "/x", true)]);
    }
    for file in [
        "user-agent: F\ndisallow- /",
        "user-agents: F\ndisallow: /",
        "agent: F\ndisallow: /",
    ] {
        check(file, &[("F", "/x", true)]);
    }
}

#[test]
fn the_longest_rule_wins_and_allow_wins_a_tie() {
    for (rules, path, allowed) in [
        ("disallow: /x/page.html\nallow: /x/", "/x/page.html", false),
        ("allow: /x/page.html\ndisallow: /x/", "/x/page.html", true),
        ("allow: /x/page.html\ndisallow: /x/", "/x/", false),
        ("disallow:\nallow:", "/x/page.html", true),
        ("disallow: /\nallow: /", "/x/page.html", true),
        ("disallow: /x\nallow: /x/", "/x", false),
        ("disallow: /x\nallow: /x/", "/x/", true),
        (
            "disallow: /x/page.html\nallow: /x/page.html",
            "/x/page.html",
            true,
        ),
        ("allow: /page\ndisallow: /*.html", "/page.html", false),
        ("allow: /page\ndisallow: /*.html", "/page", true),
        ("allow: /x/page.\ndisallow: /*.html", "/x/page.html", true),
        ("disallow: /x/page.\nallow: /*.html", "/x/page.html", false),
        ("allow: /p\ndisallow: /", "/page", true),
        ("allow: /folder\ndisallow: /folder", "/folder/page", true),
        ("allow: /page\ndisallow: /*.htm", "/page.htm", false),
        ("allow: /page\ndisallow: /*.ph", "/page.php5", true),
        ("allow: /$\ndisallow: /", "/", true),
        ("allow: /$\ndisallow: /", "/page.htm", false),
    ] {
        check(&format!("user-agent: F\n{rules}\n"), &[("F", path, allowed)]);
    }
}

#[test]
fn paths_keep_their_case_and_their_query() {
    check(
        "user-agent: F\ndisallow: /X/\n",
        &[("F", "/x/y", true), ("F", "/X/y", false)],
    );
    check(
        "user-agent: F\ndisallow: /?id=\n",
        &[("F", "/?id=3", false), ("F", "/?ID=3", true)],
    );
    check(
        "user-agent: F\ndisallow: /*?\n",
        &[("F", "/a?b", false), ("F", "/a", true)],
    );
    check(
        "user-agent: F\ndisallow: /foo/bar/\u{30c4}\n",
        &[("F", "/foo/bar/%E3%83%84", false)],
    );
    check(
        "user-agent: F\ndisallow: /foo/bar/%62%61%7A\n",
        &[("F", "/foo/bar/baz", false)],
    );
    check(
        "user-agent: F\ndisallow: /foo/bar?qux=taz&baz=http://foo.bar?tar&par\n",
        &[("F", "/foo/bar?qux=taz&baz=http://foo.bar?tar&par", false)],
    );
    check(
        "user-agent: *\ndisallow: /\n",
        &[("F", "/robots.txt", true), ("F", "/robots.txt2", false)],
    );
}

#[test]
fn comments_and_wild_values() {
    check("user-agent: F # x\ndisallow: / # all\n", &[("F", "/x", false)]);
    check(
        "user-agent: F\ndisallow: /a#b\n",
        &[("F", "/a", false), ("F", "/ax", false)],
    );
    check("user-agent: F\ndisallow: x\n", &[("F", "/x", true)]);
    check(
        "user-agent: F\ndisallow: *x\n",
        &[("F", "/ax", false), ("F", "/a", true)],
    );
    check("user-agent: F\ndisallow: /a b\n", &[("F", "/a", true)]);
}

#[test]
fn the_deciding_line_is_named() {
    let robots = Robots::parse(b"# top\nUser-agent: *\nDisallow: /private\nDisallow: /\nAllow: /open\n\nUser-agent: Named\nDisallow: /n\n");
    let found = |agent, path| {
        let verdict = robots.verdict(agent, path);
        (
            verdict.rule.map(|rule| (rule.line, rule.written())),
            verdict.via_wildcard,
        )
    };
    assert_eq!(
        found("Any", "/private/x"),
        (Some((3, "Disallow: /private".to_owned())), true)
    );
    assert_eq!(
        found("Any", "/open"),
        (Some((5, "Allow: /open".to_owned())), true)
    );
    assert_eq!(
        found("Named", "/n"),
        (Some((8, "Disallow: /n".to_owned())), false)
    );
    assert_eq!(found("Named", "/open"), (None, false));
}

#[test]
fn odd_lines_sitemaps_and_signals_are_kept() {
    let robots = Robots::parse(
        b"Disallow: /early\nUser-agent: *\nContent-Signal: search=yes, ai-train=no\nDisalow: /x\nNonsense\nSitemap: https://a.example/s.xml\nContent-Usage: /p train-ai=n\nAllow: open\n",
    );
    let problems: Vec<_> = robots.odd_lines().iter().map(|odd| odd.line).collect();
    assert_eq!(problems, [1, 4, 5, 8]);
    assert_eq!(robots.sitemaps(), ["https://a.example/s.xml"]);
    let signals: Vec<_> = robots
        .signals()
        .iter()
        .map(|s| (s.name.as_str(), s.granted, s.covers("/q"), s.covers("/p/1")))
        .collect();
    assert_eq!(
        signals,
        [
            ("search", true, true, true),
            ("ai-train", false, true, true),
            ("train-ai", false, false, true)
        ]
    );
}

#[test]
fn only_the_first_500_kib_count() {
    let mut file = "#".repeat(MAX_BYTES - 30);
    file.push_str("\nuser-agent: a\ndisallow: /in\n");
    let kept = file.len();
    file.push_str("user-agent: b\ndisallow: /out\n");
    let robots = Robots::parse(file.as_bytes());
    assert!(kept <= MAX_BYTES && robots.is_truncated());
    assert!(!robots.verdict("a", "/in").allowed);
    assert!(robots.verdict("b", "/out").allowed);
}

#[test]
fn the_largest_file_of_hostile_lines_forbids_no_path_that_none_of_them_names() {
    let path = format!("/{}", "a".repeat(2_000));
    for line in [
        "User-agent: *\n",
        "Disallow: /*a*a*a*b\n",
        "Allow: *\n",
        "Content-Signal: a=b,a=b\n",
        "Sitemap: x\n",
    ] {
        let robots =
            Robots::parse(format!("User-agent: *\n{}", line.repeat(MAX_BYTES / line.len())).as_bytes());
        for agent in AGENTS {
            assert!(robots.verdict(agent.token, &path).allowed, "{line}");
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_panic_and_no_rule_means_allowed(bytes in proptest::collection::vec(any::<u8>(), 0..400), path in "/[a-z%*$?]{0,12}") {
        let robots = Robots::parse(&bytes);
        let verdict = robots.verdict("Googlebot", &path);
        prop_assert!(verdict.rule.is_some() || verdict.allowed);
    }

    #[test]
    fn adding_a_longer_allow_opens_a_path(rules in proptest::collection::vec("/[ab*]{0,6}", 0..8)) {
        let mut file = String::from("user-agent: x\n");
        for rule in rules {
            file.push_str(&format!("disallow: {rule}\n"));
        }
        file.push_str("allow: /abababab\n");
        prop_assert!(Robots::parse(file.as_bytes()).verdict("x", "/abababab").allowed);
    }
}

/// A file of groups over a small alphabet, where rules often collide.
fn any_file() -> impl Strategy<Value = String> {
    let rule = (any::<bool>(), "/[ab*%]{0,4}[$]{0,1}");
    let group = (
        proptest::collection::vec(
            prop_oneof![Just("*"), Just("alpha"), Just("beta"), Just("ALPHA")],
            1..3,
        ),
        proptest::collection::vec(rule, 0..4),
    );
    proptest::collection::vec(group, 0..4).prop_map(|groups| {
        let mut file = String::new();
        for (agents, rules) in groups {
            for agent in agents {
                file.push_str(&format!("User-agent: {agent}\n"));
            }
            for (allow, path) in rules {
                file.push_str(&format!("{}: {path}\n", if allow { "Allow" } else { "Disallow" }));
            }
        }
        file
    })
}

proptest! {
    /// A second opinion from an independent implementation of the RFC.
    #[test]
    fn another_implementation_agrees(file in any_file(), path in "/[ab]{0,5}") {
        let ours = Robots::parse(file.as_bytes());
        for agent in ["alpha", "beta", "gamma"] {
            let theirs = robotxt::Robots::parse(file.as_bytes(), agent);
            prop_assert_eq!(ours.verdict(agent, &path).allowed, theirs.is_allowed(&path), "{} {} in\n{}", agent, path, file);
        }
    }
}
