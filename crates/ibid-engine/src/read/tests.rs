use super::judge::breakdown;
use super::*;
use ibid_model::Finish;
use ibid_model::result::{AnswerForm, Breakdown, CompetitorKind};
use ibid_model::{Citation, Domain, Prominence};

fn reading_of(answer: &Answer<'_>) -> Reading {
    let target = Target::new(
        &"example.com".parse().unwrap(),
        &["Example Plumbing".parse().unwrap()],
    );
    read(&target, answer)
}

fn check(text: &str, class: Prominence, rank: Option<u32>, stance: Stance, link: LinkKind) {
    let reading = reading_of(&Answer::of_text(text));
    let found = (reading.class, reading.rank, reading.stance, reading.link_kind);
    assert_eq!(
        found,
        (class, rank, stance, link),
        "{text}\n{:#?}",
        reading.competitors
    );
}

#[test]
fn an_address_behind_a_name_is_no_second_name() {
    for (text, rank, rivals) in [
        (
            "I recommend Acme Tools (https://acmetools.com) and Example (https://example.com).",
            2,
            1,
        ),
        (
            "Good options are Acme Tools (acmetools.com), Bolt Works (boltworks.com), and Example (example.com).",
            3,
            2,
        ),
        // Whose address it is decides who is meant.
        (
            "I recommend Bolt Works (boltworks.com) and Acme GmbH (example.com).",
            2,
            1,
        ),
        (
            "I recommend Foo (https://www.foo.com/) and Example (example.com).",
            2,
            1,
        ),
        // An address that stands alone is a name.
        (
            "I recommend acmetools.com and boltworks.com, then example.com.",
            3,
            2,
        ),
    ] {
        let reading = reading_of(&Answer::of_text(text));
        let others: Vec<_> = reading
            .competitors
            .iter()
            .filter(|competitor| !competitor.is_self)
            .collect();
        assert!(
            others
                .iter()
                .all(|other| other.domain.is_some() || other.name.starts_with("Acme GmbH")),
            "{text}\n{others:#?}"
        );
        let others = others.len();
        assert_eq!(
            (reading.rank, others),
            (Some(rank), rivals),
            "{text}\n{:#?}",
            reading.competitors
        );
    }
}

#[test]
fn lists_rank_by_position() {
    let list = "Here are some options:\n\n1. **Rival Works** – good.\n2. **Example Plumbing** ([example.com](https://example.com/x)) – fair.\n3. Third House: cheap.";
    check(
        list,
        Prominence::Secondary,
        Some(2),
        Stance::Recommended,
        LinkKind::Markdown,
    );
    let first = "- **Example Plumbing**: quick\n- **Rival Works**: good";
    check(
        first,
        Prominence::Primary,
        Some(1),
        Stance::Recommended,
        LinkKind::None,
    );
    let table = "| Name | Price |\n|---|---|\n| Rival Works | 10 |\n| Example Plumbing | 20 |";
    check(
        table,
        Prominence::Secondary,
        Some(2),
        Stance::Recommended,
        LinkKind::None,
    );
    let prose = "I would recommend Example Plumbing for that.";
    check(
        prose,
        Prominence::Primary,
        Some(1),
        Stance::Recommended,
        LinkKind::None,
    );
}

#[test]
fn labels_and_numbers_are_no_names() {
    let names = |text: &str| {
        reading_of(&Answer::of_text(text))
            .competitors
            .into_iter()
            .map(|e| e.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names("- **Best value:** Rival Works\n- Top pick: Third House"),
        ["Rival Works", "Third House"]
    );
    assert_eq!(
        names("### 1. Rival Works\nGood.\n### 2. Third House\nFine."),
        ["Rival Works", "Third House"]
    );
    assert_eq!(
        names("- Price: 20\n- Opening hours: 9 to 5\n- How to choose: ask"),
        [""; 0]
    );
}

#[test]
fn a_countdown_is_read_from_the_end() {
    let list = "3. Rival Works - fine\n2. Third House - good\n1. Example Plumbing - the best";
    check(
        list,
        Prominence::Primary,
        Some(1),
        Stance::Recommended,
        LinkKind::None,
    );
}

#[test]
fn a_top_cue_beats_the_order() {
    let list = "1. Rival Works - good\n2. Example Plumbing - my top pick";
    check(
        list,
        Prominence::Primary,
        Some(2),
        Stance::Recommended,
        LinkKind::None,
    );
}

#[test]
fn warnings_are_mentions_with_a_cap() {
    let text = "1. Rival Works - good\n2. Third House - fine\n\nAvoid Example Plumbing, it has closed.";
    check(
        text,
        Prominence::Mentioned,
        None,
        Stance::Discouraged,
        LinkKind::None,
    );
    assert!(reading_of(&Answer::of_text(text)).score.get() <= 10.0);
    check(
        "You can't go wrong with Example Plumbing, I recommend it.",
        Prominence::Primary,
        Some(1),
        Stance::Recommended,
        LinkKind::None,
    );
}

#[test]
fn absence_refusal_and_code_are_no_evidence() {
    for text in [
        "I couldn't find any information about Example Plumbing.",
        "I'm sorry, but I can't help with that.",
        "1. Rival Works - good\n2. Notexample Plumbings - fine",
        "Try Rival Works.\n```\nExample Plumbing\n```",
        "Which city are you in? Could you tell me your budget?",
        "",
    ] {
        check(text, Prominence::None, None, Stance::Absent, LinkKind::None);
    }
}

#[test]
fn a_refusal_without_a_message_is_a_refusal() {
    let empty = |finish| {
        let answer = Answer {
            text: " \n",
            citations: &[],
            question: None,
            finish,
        };
        reading_of(&answer)
    };
    // A refusal counts as an answer that cites no provider; silence does not count.
    let refused = empty(Finish::Refused);
    assert_eq!(refused.answer_class, AnswerClass::Refusal);
    assert!(refused.is_valid() && !refused.cited() && !refused.informative);
    assert_eq!(refused.score.get(), 0.0);
    for finish in [Finish::Complete, Finish::Truncated] {
        let silent = empty(finish);
        assert_eq!(silent.answer_class, AnswerClass::Empty);
        assert!(!silent.is_valid());
    }
}

#[test]
fn what_stops_before_it_answers_is_no_answer() {
    let class = |text: &str, finish| {
        let answer = Answer {
            finish,
            ..Answer::of_text(text)
        };
        reading_of(&answer).answer_class
    };
    for text in [
        "I'll search for well-reviewed plumbers near you.",
        "Sure! Let me look up reviews of Example Plumbing for you.",
        "Great question. To give you a current answer, I will search the web now.",
        "Searching for plumbers in Leeds…",
        "Ich suche nach guten Klempnern in Leeds.",
        "Je vais rechercher les meilleurs plombiers.",
        "Voy a buscar fontaneros bien valorados en Sevilla.",
        "我来搜索一下利兹的水管工。",
        "検索してみます。少々お待ちください。",
        "<tool_call>{\"name\": \"web_search\"}",
        "{\"name\": \"web_search\", \"arguments\": {\"query\": \"plumber\"}}",
        "Here are the results:",
    ] {
        assert_eq!(class(text, Finish::Complete), AnswerClass::Unfinished, "{text}");
    }
    for text in [
        "1. **PipeWise** is quick.\n2. **Aire Valley Heating** is cheap. Let me know if I should search for more.",
        "When searching for a plumber, check the licence and read reviews.",
        "I'd go with PipeWise.",
        "I could not find a plumber in Leeds that I would recommend.",
        "Could you tell me where you are? I'll search once I know.",
    ] {
        assert_ne!(class(text, Finish::Complete), AnswerClass::Unfinished, "{text}");
    }
    // What is cut before any name is no answer, what is cut behind one is an answer to whoever is in it.
    let cut = "Choosing a good plumber depends on several things. First, check";
    assert_eq!(class(cut, Finish::Truncated), AnswerClass::Unfinished);
    assert_eq!(class(cut, Finish::Complete), AnswerClass::Answer);
    for (text, valid) in [
        ("1. **Example Plumbing** is quick.\n2. **Pipe", true),
        ("1. **PipeWise** is quick.\n2. **Aire", false),
    ] {
        let reading = reading_of(&Answer {
            finish: Finish::Truncated,
            ..Answer::of_text(text)
        });
        assert_eq!(reading.answer_class, AnswerClass::Answer);
        assert!(reading.flags.contains(&Flag::Cut) && !reading.competitors.is_empty());
        assert_eq!(reading.is_valid(), valid, "{text}");
    }
}

#[test]
fn advertisements_are_neither_citation_nor_rival() {
    let ad = "For a burst pipe, try **PipeWise** or **Aire Valley Heating**.\n\nSponsored\nExample Plumbing\nexample.com";
    let reading = reading_of(&Answer::of_text(ad));
    assert!(!reading.cited() && !reading.linked());
    assert_eq!(
        (reading.advertisements, &*reading.flags),
        (1, &[Flag::Sponsored][..])
    );
    let other = ad
        .replace("PipeWise", "Example Plumbing")
        .replace("Example Plumbing\nexample.com", "DrainKing\ndrainking.example");
    let reading = reading_of(&Answer::of_text(&other));
    assert_eq!((reading.rank, reading.advertisements), (Some(1), 1));
    assert!(reading.others().all(|party| party.name == "Aire Valley Heating"));
}

#[test]
fn further_websites_and_paths_are_own() {
    let read_for = |websites: &[&str], text: &str| {
        let websites: Vec<ibid_model::Website> =
            websites.iter().map(|website| website.parse().unwrap()).collect();
        let target = Target::of(websites[0].domain(), &websites, &[]);
        read(&target, &Answer::of_text(text))
    };
    let elsewhere = "1. **PipeWise** (pipewise.co.uk)\n2. See [the guide](https://docs.acmetools.dev/start).";
    assert!(!read_for(&["acme.com"], elsewhere).linked());
    assert!(read_for(&["acme.com", "docs.acmetools.dev"], elsewhere).linked());
    let tools = "Good tools: [Canopy](https://github.com/other-org/canopy) and [Tool](https://github.com/acme/tool/wiki).";
    assert!(read_for(&["github.com/acme/tool"], tools).linked());
    assert!(!read_for(&["github.com/acme/hammer"], tools).linked());
}

#[test]
fn a_source_alone_is_a_mention() {
    let citations = [Citation::of_url("https://www.example.com/about")];
    let mut answer = Answer::of_text("1. Rival Works - good");
    answer.citations = &citations;
    let reading = reading_of(&answer);
    assert_eq!(
        (reading.class, reading.link_kind, reading.breakdown.link),
        (Prominence::Mentioned, LinkKind::Annotation, 5.0)
    );
    let elsewhere = [
        Citation::of_url("https://example.com.evil.org/"),
        Citation::of_url("https://notexample.com/"),
    ];
    answer.citations = &elsewhere;
    assert_eq!(reading_of(&answer).class, Prominence::None);
}

#[test]
fn the_classes_never_overlap() {
    let share = |class, rank, link| breakdown(class, rank, 3, link, 1.0, Stance::Recommended);
    let points = |parts: Breakdown| parts.base + parts.rank + parts.link + parts.share;
    let low = points(breakdown(
        Prominence::Primary,
        Some(1),
        3,
        LinkKind::None,
        0.0,
        Stance::Recommended,
    ));
    assert!(points(share(Prominence::Mentioned, None, LinkKind::Markdown)) < 40.0);
    assert!(points(share(Prominence::Secondary, Some(1), LinkKind::Markdown)) < 70.0);
    assert!((low - 85.0).abs() < 1e-9);
}

#[test]
fn competitors_come_in_order_with_their_sites() {
    let text = "1. [Rival Works](https://www.rivalworks.com/a) - good\n2. **Third House** (thirdhouse.de)\n3. Price: fair\n4. Yelp (https://yelp.com)";
    let reading = reading_of(&Answer::of_text(text));
    let found: Vec<_> = reading
        .competitors
        .iter()
        .map(|e| (e.name.as_str(), e.domain.as_ref().map(Domain::as_str), e.kind))
        .collect();
    assert_eq!(
        found,
        [
            ("Rival Works", Some("rivalworks.com"), CompetitorKind::Rival),
            ("Third House", Some("thirdhouse.de"), CompetitorKind::Rival),
            ("Yelp", Some("yelp.com"), CompetitorKind::Directory),
        ]
    );
}

#[test]
fn a_bold_name_with_its_host_is_a_head_like_those_around_it() {
    let text = "Some options:\n\n**Calaverde Centro**\nQuick work.\n\n**Example** (example.com)\nGood prices.\n\n**Rioval**\nSolid.";
    let reading = reading_of(&Answer::of_text(text));
    let names: Vec<&str> = reading
        .competitors
        .iter()
        .map(|competitor| competitor.name.as_str())
        .collect();
    assert_eq!(names, ["Calaverde Centro", "Example", "Rioval"]);
    assert_eq!(reading.rank, Some(2));
}

#[test]
fn hostile_texts_are_read_to_their_end() {
    let texts = [
        "[".repeat(200_000),
        "- ".repeat(100_000),
        "**".repeat(100_000),
        "\u{202e}".repeat(80_000),
        "a".repeat(250_000),
        "1. ".repeat(80_000),
    ];
    for text in texts {
        // Quadratic time would take minutes; benches/read.rs measures it.
        let reading = reading_of(&Answer::of_text(&text));
        assert_eq!(reading.class, Prominence::None, "{:?}", text.chars().next());
    }
}

#[test]
fn bold_names_inside_a_paragraph_are_put_forward() {
    let target = Target::new(
        &"vintokka.example".parse().unwrap(),
        &["Vintokka".parse().unwrap()],
    );
    let answer = "**Zorbulan** is a favourite of many. For dry skin, **Vintokka** remains a leader, and **Quelt Labs** is close.\n\n\
                  **Dranova** makes a soft cream.";
    let reading = read(&target, &Answer::of_text(answer));
    let names: Vec<&str> = reading
        .competitors
        .iter()
        .map(|competitor| competitor.name.as_str())
        .collect();
    assert_eq!(names, ["Zorbulan", "Vintokka", "Quelt Labs", "Dranova"]);
    assert_eq!((reading.class, reading.rank), (Prominence::Secondary, Some(2)));
}

#[test]
fn initials_and_their_words_are_one_name() {
    let answer =
        "1. **Zorbu Tools For All** - a wide range.\n2. **Quelt** - cheap.\n3. **ZTFA's** - repairs as well.";
    let reading = reading_of(&Answer::of_text(answer));
    let names: Vec<&str> = reading
        .competitors
        .iter()
        .map(|competitor| competitor.name.as_str())
        .collect();
    assert_eq!(names, ["Zorbu Tools For All", "Quelt"]);
}

#[test]
fn an_unknown_name_enumerated_with_a_known_one_is_put_forward() {
    let reading = reading_of(&Answer::of_text(
        "Two makers in this town are Brooks and Quelton.",
    ));
    let names: Vec<&str> = reading
        .competitors
        .iter()
        .map(|competitor| competitor.name.as_str())
        .collect();
    assert_eq!(names, ["Brooks", "Quelton"]);
}

#[test]
fn a_common_noun_and_a_page_of_search_results_are_no_evidence() {
    let domain = "mejeri.example".parse().unwrap();
    let target = Target::new(&domain, &[]);
    let answer = Answer::of_text("1. **Zorbu Mejeri** - et lille mejeri.\n2. **Quelt Mejeri** - ost.");
    assert!(!read(&target, &answer).cited());
    let domain = "google.com".parse().unwrap();
    let target = Target::new(&domain, &[]);
    let found = read(
        &target,
        &Answer::of_text(
            "1. [Zorbu](https://www.google.com/search?q=zorbu)\n2. [Quelt](https://quelt.example)",
        ),
    );
    assert!(!found.cited());
    let zorbu = found.others().next().unwrap();
    assert_eq!(
        (zorbu.name.as_str(), &zorbu.domain, zorbu.rank),
        ("Zorbu", &None, Some(1))
    );
}

#[test]
fn a_closed_business_is_a_mention_with_a_flag() {
    let domain = "vintokka.example".parse().unwrap();
    let target = Target::new(&domain, &["Vintokka".parse().unwrap()]);
    let found = read(
        &target,
        &Answer::of_text("1. **Zorbu** - firm.\n2. **Vintokka** - has permanently closed its doors."),
    );
    assert_eq!((found.class, found.rank), (Prominence::Mentioned, None));
    assert!(found.flags.contains(&Flag::Defunct));
}

#[test]
fn a_name_alone_is_quoted_with_what_is_said_of_it() {
    for (text, expected) in [
        (
            "Some choices:\n\n**Acme Tools**\nIs quick.\n\n**[Example Plumbing](https://example.com)**\nOffers fair packages for regulars. It is old.",
            "Example Plumbing](https://example.com)**\nOffers fair packages for regulars.",
        ),
        (
            "| Name | Why | Website |\n|---|---|---|\n| **Example Plumbing** | Covers the whole area | [example.com](https://example.com) |\n| Acme | Is quick | - |",
            "Example Plumbing** | Covers the whole area | [example.com",
        ),
        (
            "Some choices:\n\n1. **Acme Tools**\n   - Is quick\n2. **Example Plumbing**\n   - Covers the whole area\n3. **Bolt**",
            "Example Plumbing**\n   - Covers the whole area",
        ),
        // Nothing is said of it: the next name is not.
        (
            "Some choices:\n\n1. Acme Tools\n2. Example Plumbing\n3. Bolt Works",
            "Example Plumbing",
        ),
        (
            "I recommend Example Plumbing. They are quick.",
            "I recommend Example Plumbing.",
        ),
    ] {
        let reading = reading_of(&Answer::of_text(text));
        let quotes: Vec<_> = reading.quotes.iter().map(|quote| quote.text.as_str()).collect();
        assert_eq!(quotes, [expected], "{text}");
    }
}

/// The class and stance of a product whose name is known.
fn read_of(domain: &str, name: &str, answer: &str) -> (Prominence, Stance) {
    let target = Target::new(&domain.parse().unwrap(), &[name.parse().unwrap()]);
    let reading = read(&target, &Answer::of_text(answer));
    (reading.class, reading.stance)
}

#[test]
fn a_cue_speaks_against_its_own_object_only() {
    for answer in [
        "Xero is excellent. It helps you avoid mistakes.",
        "Xero is the best choice. Wave was discontinued.",
        "I recommend Xero. You avoid late fees.",
        "Xero is the best choice. The old desktop edition has closed.",
        "Xero is a great choice, and it keeps you from scams.",
        "Xero is a great choice: you avoid fines and save time.",
        "I recommend Xero, which replaced Zorbulan after it was discontinued.",
    ] {
        assert_eq!(
            read_of("xero.com", "Xero", answer).1,
            Stance::Recommended,
            "{answer}"
        );
    }
    for answer in [
        "QuickBooks is good. I'd avoid Xero.",
        "QuickBooks is good. Xero was discontinued.",
        "QuickBooks is good. Don't bother with Xero.",
        "Xero is cheap, but avoid it.",
        "1. QuickBooks: good.\n2. Xero: It has closed.",
    ] {
        assert_eq!(
            read_of("xero.com", "Xero", answer).1,
            Stance::Discouraged,
            "{answer}"
        );
    }
}

#[test]
fn names_that_a_sentence_only_relates_to_are_mentions() {
    for answer in [
        "Besides Zendesk, Intercom is good.",
        "Unlike Zendesk, Intercom is a great choice.",
        "Intercom is the best choice. It integrates with Slack, Zendesk and Shopify.",
        "I recommend Intercom. It supports Zendesk and works on Android.",
        "Intercom is excellent if you are on Zendesk.",
    ] {
        assert_eq!(
            read_of("zendesk.com", "Zendesk", answer).0,
            Prominence::Mentioned,
            "{answer}"
        );
    }
}

#[test]
fn a_longer_candidate_never_swallows_a_sure_name() {
    for answer in [
        "Besides Zendesk, Intercom is good.",
        "The London-based Zendesk is a great choice.",
        "Try Zendesk.",
        "Choose Zendesk or Intercom.",
    ] {
        assert_ne!(
            read_of("zendesk.com", "Zendesk", answer).0,
            Prominence::None,
            "{answer}"
        );
    }
}

#[test]
fn warnings_copulas_and_tables_in_code_are_read_as_people_read_them() {
    let warned = "I wouldn't bother with Example Plumbing; go with Zorbulan.";
    let recommended = |class, rank| (class, rank, Stance::Recommended);
    for (text, expected) in [
        (warned, (Prominence::Mentioned, None, Stance::Discouraged)),
        (
            "The best are Zorbulan (MIT), Example Plumbing (GPL) and Quelt (Apache).",
            recommended(Prominence::Secondary, Some(2)),
        ),
        (
            "```\n| Name | Price |\n|---|---|\n| Zorbulan | 10 |\n| Example Plumbing | 12 |\n```",
            recommended(Prominence::Secondary, Some(2)),
        ),
        (
            "For most people, Zorbulan, Example Plumbing or Quelt will do.",
            recommended(Prominence::Secondary, Some(2)),
        ),
    ] {
        let reading = reading_of(&Answer::of_text(text));
        let found = (reading.class, reading.rank, reading.stance);
        assert_eq!(found, expected, "{text}\n{:#?}", reading.competitors);
    }
    let domain = "vintok.example".parse().unwrap();
    let target = Target::new(&domain, &["빈톡".parse().unwrap()]);
    let reading = read(&target, &Answer::of_text("가장 좋은 청소기는 빈톡입니다."));
    assert_eq!(reading.class, Prominence::Primary);
}

#[test]
fn products_of_unknown_makers_are_cut_where_the_answer_shows_the_maker() {
    for (question, text, expected) in [
        (
            None,
            "1. **Zorbulan Business**: firm.\n2. **Quelt Vault Business**: soft.\n3. **Drano**: wide.",
            ["Zorbulan", "Quelt Vault", "Drano"],
        ),
        (
            None,
            "1. **Zorbulan Lava Women's**: Zorbulan is firm.\n2. **Quelt**: soft.\n3. **Drano**: wide.",
            ["Zorbulan", "Quelt", "Drano"],
        ),
        // Firms whose trade is asked for keep their names.
        (
            Some("Who is good at business law?"),
            "1. **Zorbulan Business Law**: firm.\n2. **Quelt Business Law**: soft.\n3. **Drano**: wide.",
            ["Zorbulan Business Law", "Quelt Business Law", "Drano"],
        ),
    ] {
        let reading = reading_of(&Answer {
            question,
            ..Answer::of_text(text)
        });
        let found: Vec<_> = reading.others().map(|other| other.name.as_str()).collect();
        assert_eq!(found, expected, "{text}");
    }
}

/// A reading of an answer to a question, in which the target is `Watson Heating`.
fn reading_for(question: &str, text: &str) -> Reading {
    let target = Target::new(
        &"watson.example".parse().unwrap(),
        &["Watson Heating".parse().unwrap()],
    );
    let answer = Answer {
        question: Some(question),
        ..Answer::of_text(text)
    };
    read(&target, &answer)
}

#[test]
fn titles_columns_signs_and_struck_names_warn() {
    for text in [
        "**Good:**\n1. Aire Plumbing\n\n**Firms to avoid:**\n1. Watson Heating – late\n2. Otley Gas",
        "## Who to call\n- Aire Plumbing\n\n## Who not to call\n- Watson Heating",
        "Good: Aire Plumbing, Bolt Boilers. Avoid: Watson Heating.",
        "✅ Aire Plumbing\n✅ Bolt Boilers\n❌ Watson Heating",
        "| Firm | Price | Recommended? |\n|---|---|---|\n| Aire Plumbing | £80 | Yes |\n| Watson Heating | £60 | No |",
        "- Aire Plumbing\n- ~~Watson Heating~~\n- Bolt Boilers",
        "- **Aire Plumbing**: great reviews\n- **Watson Heating**: steer clear\n- **Bolt Boilers**: fine",
        "**Gute Adressen:**\n- Klempner Aire\n\n**Betriebe mit schlechten Bewertungen:**\n- Watson Heating",
        "## À privilégier\n1. Plomberie Aire\n\n## À éviter absolument\n1. Watson Heating",
        "**推荐：**\n1. 永康水电\n\n**不建议选择：**\n1. Watson Heating",
        "Watson Heating used to be excellent, but it closed. Try Aire Plumbing.",
    ] {
        let reading = reading_for("Who is good?", text);
        assert_eq!(reading.stance, Stance::Discouraged, "{text}");
        assert!(reading.score <= ibid_model::Score::new(10.0), "{text}");
    }
}

#[test]
fn purposes_conditions_denials_and_things_do_not_warn() {
    for text in [
        "To avoid leaks, call:\n1. Watson Heating\n2. Aire Plumbing",
        "If you want to avoid high bills, try these:\n- Watson Heating\n- Aire Plumbing",
        "### Firms you should not skip\n1. Watson Heating\n2. Aire Plumbing",
        "### Companies without complaints\n- Watson Heating\n- Aire Plumbing",
        "### Mistakes to avoid\n- Paying up front\n\n### Top picks\n- Watson Heating\n- Aire Plumbing",
        "| Firm | Free quote |\n|---|---|\n| Watson Heating | No |\n| Aire Plumbing | Yes |",
        "**Firms to avoid:**\n- Otley Gas\n\n**Better:**\n- Watson Heating\n- Aire Plumbing",
        "Nobody in Leeds does it better than Watson Heating.",
        "Prefer Watson Heating to Otley Gas.",
    ] {
        let reading = reading_for("Who is good?", text);
        assert_eq!(reading.stance, Stance::Recommended, "{text}");
    }
    let passed = reading_for(
        "Who is good?",
        "It took over work from Watson Heating. I recommend Otley Gas.",
    );
    assert_eq!(passed.stance, Stance::Neutral);
}

fn names_for(question: &str, text: &str) -> Vec<String> {
    let reading = reading_for(question, text);
    reading
        .competitors
        .into_iter()
        .map(|competitor| competitor.name)
        .collect()
}

#[test]
fn headings_without_capitals_are_labels_or_names_by_what_is_under_them() {
    for (text, names) in [
        (
            "### 浴室リフォーム向け\n- **鈴木工務店**：丁寧\n- **佐藤設備**：早い\n\n### 外壁向け\n- **田中建設**：安い\n- **山本工業**：提案",
            &["鈴木工務店", "佐藤設備", "田中建設", "山本工業"][..],
        ),
        (
            "## 駅近のホテル\n1. サンライズホテル\n2. みなとホテル\n\n## 家族向け\n1. 青空旅館\n2. 花月旅館",
            &["サンライズホテル", "みなとホテル", "青空旅館", "花月旅館"],
        ),
        (
            "### 田中水道\n- **対応が早い**：30分\n- **料金が安い**：5千円\n\n### 鈴木設備\n- **技術が高い**：国家資格\n- **保証が長い**：5年",
            &["田中水道", "鈴木設備"],
        ),
        (
            "### 永康水电\n- **地址**：城东\n- **特点**：快\n\n### 大明水电\n- **地址**：城西\n- **特点**：便宜",
            &["永康水电", "大明水电"],
        ),
    ] {
        assert_eq!(names_for("", text), names, "{text}");
    }
}

#[test]
fn addresses_shapes_and_plain_praise_are_read() {
    for (text, names) in [
        (
            "I recommend Fairlea Heating at 12 High Street and Bolt Boilers.",
            &["Fairlea Heating", "Bolt Boilers"][..],
        ),
        (
            "Good firms near you:\n\nFairlea Heating\nBolt Boilers\nOtley Gas",
            &["Fairlea Heating", "Bolt Boilers", "Otley Gas"],
        ),
        (
            "1) Fairlea Heating -quick and tidy\n2) Bolt Boilers -cheap",
            &["Fairlea Heating", "Bolt Boilers"],
        ),
        (
            "Firm\tFor\tPrice\nFairlea Heating\tboilers\t£80\nBolt Boilers\tdrains\t£60",
            &["Fairlea Heating", "Bolt Boilers"],
        ),
        (
            "Try these: a) Fairlea Heating; b) Bolt Boilers.",
            &["Fairlea Heating", "Bolt Boilers"],
        ),
        (
            "The best plumber in town is Tolland Plumbing. Harrow Boilers is also good.",
            &["Tolland Plumbing", "Harrow Boilers"],
        ),
    ] {
        assert_eq!(names_for("", text), names, "{text}");
    }
}

#[cfg(feature = "scan")]
#[test]
fn towns_near_the_place_asked_about_are_no_competitors() {
    let text =
        "I recommend Fairlea Heating, which serves Otley and Ilkley. Try Bolt Boilers in Wetherby too.";
    let names = ["Fairlea Heating", "Bolt Boilers"];
    assert_eq!(names_for("Which plumber in Leeds is good?", text), names);
    // A town is a name at the head of an item, and where places are asked for.
    let list = "1. **Otley** – market town\n2. **Ilkley** – spa town";
    assert_eq!(
        names_for("Which towns near Leeds are nice?", list),
        ["Otley", "Ilkley"]
    );
}

#[test]
fn twice_as_long_an_answer_takes_twice_as_many_steps() {
    let rows = |n: usize, row: &dyn Fn(usize) -> String| (0..n).map(row).collect::<String>();
    let kinds: [(&str, &dyn Fn(usize) -> String); 21] = [
        ("table", &|at| format!("| Acme{at} Plumbing | good | £{at} |\n")),
        ("tabs", &|at| format!("Acme{at} Plumbing\tgood\t£{at}\n")),
        ("html rows", &|at| {
            format!("<tr><td>Acme{at} Plumbing</td><td>good</td></tr>")
        }),
        ("html items", &|at| {
            format!("<li><b>Acme{at} Plumbing</b>: good</li>")
        }),
        ("html lines", &|at| format!("<p><b>Acme{at}</b> is good<br>")),
        ("sections", &|at| {
            format!("## Acme{at} Plumbing\n\nGood. Call them.\n\n")
        }),
        ("lists in sections", &|at| {
            format!("## Area {at}\n\n- **Acme{at} Plumbing**: good\n- **Bolt{at}**: fair\n\n")
        }),
        ("titles that warn", &|at| {
            format!("Firms to avoid:\n- Acme{at} Plumbing\n\n")
        }),
        ("sentences", &|at| {
            format!("I recommend Acme{at} Plumbing for boilers. ")
        }),
        ("labels", &|at| {
            format!("### 区域{at}推荐\n1. **永康{at}水电**：好\n2. **大明{at}水电**：快\n")
        }),
        ("one sentence of names", &|at| format!("Acme{at} Plumbing, ")),
        ("one sentence of bold names", &|at| {
            format!("**Acme{at} Plumbing** and ")
        }),
        ("one line of links", &|at| {
            format!("[Acme{at}](https://acme{at}.com) ")
        }),
        ("quotes", &|at| format!("\"Acme{at}\" said 'Bolt{at}' and ")),
        ("brackets", &|at| format!("Acme{at} (Bolt{at}) [")),
        ("colons", &|at| format!("Acme{at}: good, Avoid: ")),
        ("cues", &|at| {
            format!("I recommend Acme{at} but avoid Bolt{at} and ")
        }),
        ("headings", &|at| format!("# Acme{at}\n")),
        ("one word", &|_| "Acme".to_owned()),
        ("nested lists", &|at| {
            format!("{}- **Acme{at}** is good\n", "  ".repeat(at % 20))
        }),
        ("marks of sources", &|at| {
            format!("Acme{at}[{at}][^{at}]【{at}†a】 ")
        }),
    ];
    for (kind, row) in kinds {
        let steps = |n: usize| {
            let text = rows(n, row);
            let taken = steps::of(|| {
                reading_for("Who is good?", &text);
            });
            taken as f64 / text.len() as f64
        };
        let (once, twice) = (steps(200), steps(400));
        assert!(
            twice < 1.2 * once,
            "{kind}: {once:.1} steps a byte, then {twice:.1}"
        );
    }
}

#[test]
fn three_bold_names_in_paragraphs_make_plain_ones_mentions() {
    let bold = "Zorbulan is great. I recommend **Example Plumbing** and **Quelt**, and people also like **Drano**. \
                Their vans use Vintok and Harvik, which is good.";
    let reading = reading_of(&Answer::of_text(bold));
    let names: Vec<&str> = reading.others().map(|other| other.name.as_str()).collect();
    assert_eq!(names, ["Quelt", "Drano"], "{:#?}", reading.competitors);
    let plain = reading_of(&Answer::of_text(&bold.replace("**", "")));
    assert!(
        plain.others().any(|other| other.name == "Zorbulan"),
        "{:#?}",
        plain.competitors
    );
}

#[test]
fn a_pronoun_carries_what_is_said_over_a_long_clause() {
    let gone = "Example Plumbing used to be the first choice of nearly everybody here, but it has permanently closed.";
    let reading = reading_of(&Answer::of_text(gone));
    assert_eq!(reading.stance, Stance::Discouraged);
    assert!(reading.flags.contains(&Flag::Defunct));
}

#[test]
fn a_name_is_explained_by_the_rule_and_the_passage_that_decided() {
    let domain = "exampleplumbing.com".parse().unwrap();
    let target = Target::new(&domain, &[]);
    let text = "1. **Example Plumbing** – fast\n2. **Quelt** – cheap\n\nAvoid Zorbulan.";
    let (reading, parties) = explain(&target, &Answer::of_text(text));
    let found: Vec<(&str, &str, bool)> = parties
        .iter()
        .map(|party| (party.name.as_str(), &*party.decision.rule, party.listed))
        .collect();
    let item = "the head of an item, a row or a section";
    let warned = "the answer warns of it, or says that it is gone";
    assert_eq!(
        found,
        [
            ("Example Plumbing", item, true),
            ("Quelt", item, true),
            ("Zorbulan", warned, false)
        ]
    );
    let decision = &parties[0].decision;
    assert!(decision.passage.starts_with("Example Plumbing"), "{parties:#?}");
    assert_eq!(parties[2].decision.passage, "Avoid Zorbulan.");
    // The reading keeps what decided on the target.
    assert_eq!(reading.decision.as_ref(), Some(decision));
}

#[test]
fn an_answer_is_a_list_a_table_or_prose() {
    let form = |text: &str| reading_of(&Answer::of_text(text)).form;
    for (text, expected) in [
        ("1. Acme Tools: sturdy.\n2. Bolt & Sons: cheap.", AnswerForm::List),
        ("- Acme Tools\n- Bolt & Sons", AnswerForm::List),
        (
            "| Firm | Price |\n|---|---|\n| Acme Tools | 20 |\n| Bolt & Sons | 30 |",
            AnswerForm::Table,
        ),
        ("[\"Acme Tools\", \"Bolt & Sons\"]", AnswerForm::List),
        ("Acme Tools is sturdy. Bolt & Sons is cheap.", AnswerForm::Prose),
        ("1. Acme Tools is the only one.", AnswerForm::Prose),
        ("", AnswerForm::Prose),
    ] {
        assert_eq!(form(text), expected, "{text}");
    }
}

/// The target is cited by these answers, or is not.
fn check_cited(domain: &str, brand: &str, text: &str, cited: bool) {
    let target = Target::new(&domain.parse().unwrap(), &[brand.parse().unwrap()]);
    assert_eq!(read(&target, &Answer::of_text(text)).cited(), cited, "{text}");
}

#[test]
fn packages_numbers_and_days_are_names_where_they_stand_like_names() {
    for (text, cited) in [
        (
            "For releases, use `@acme/deploy` first; **Shipyard** is an alternative.",
            true,
        ),
        ("Run `npx acme-deploy@2.1.0 init`, or try **Shipyard**.", true),
        ("Write to hello@acme/deploy or acmedeploy@mail.example.", false),
    ] {
        check_cited("acmedeploy.example", "Acme Deploy", text, cited);
    }
    for (text, cited) in [
        ("Three networks stand out: EE, Vodafone and O2.", false),
        (
            "Three offers the cheapest plan, before EE, Vodafone and O2.",
            true,
        ),
    ] {
        check_cited("three.co.uk", "Three", text, cited);
    }
    for (text, cited) in [
        ("Asana and Monday are both good for agencies.", true),
        ("Good tools are Asana, Monday and Jira.", true),
        ("They are closed on Sunday and Monday, so ask Asana.", false),
        ("On Monday, Asana and Jira were down.", false),
    ] {
        check_cited("monday.com", "Monday", text, cited);
    }
}

fn rivals(text: &str) -> Vec<String> {
    let reading = reading_of(&Answer::of_text(text));
    reading.others().map(|other| other.name.clone()).collect()
}

#[test]
fn kinds_of_service_are_no_rivals() {
    for text in [
        "You may need:\n\n1. **Emergency Plumbing** – burst pipes\n2. **Drain Cleaning** – blocked drains\n3. **Boiler Repair** – no heat",
        "Options:\n\n1. **Employee Assistance Programs (EAPs)** – advice\n2. **Flexible Spending Accounts (FSAs)** – money\n3. **Health Screening** – checks",
        "Leistungen:\n1. **Heizungswartung** – jährlich\n2. **Rohrreinigung** – Notdienst\n3. **Badsanierung** – komplett",
    ] {
        assert!(rivals(text).is_empty(), "{text}: {:?}", rivals(text));
    }
    let firms = "1. **Zorbu Plumbing** – leaks\n2. **Quelt Heating** – boilers\n3. **Drano Repair** – drains";
    assert_eq!(rivals(firms).len(), 3);
}

#[test]
fn laws_certificates_and_prices_are_no_rivals() {
    for text in [
        "What to check:\n- **GDPR** – data\n- **ISO 27001** – security\n- **Consumer Rights Act 2015** – refunds",
        "Look for these:\n1. **Gas Safe Register** – legal need\n2. **WaterSafe Approval** – water\n3. **CIPHE Membership** – institute",
        "Typical prices:\n- **Starter** – $29 a month\n- **Growth** – from $79\n- **Power Flush**: £400",
    ] {
        assert!(rivals(text).is_empty(), "{text}: {:?}", rivals(text));
    }
    let vouched = "The best is **Zorbu**, which is Gas Safe registered, TrustMark approved and a member of Quelt Guild.";
    assert_eq!(rivals(vouched), ["Zorbu"]);
    let priced = "Plumbers in Leeds with prices:\n- **Zorbu** – £80\n- **Quelt** – £90\n- **Drano** – £70";
    assert_eq!(rivals(priced).len(), 3);
}

#[test]
fn bold_subjects_of_one_sentence_are_put_forward_together() {
    let text = "Ask whether the platform bills Medicaid. **CareZorbu** and **Quelt Health** do; ask them. Open on Sundays.";
    assert_eq!(rivals(text), ["CareZorbu", "Quelt Health"]);
}
