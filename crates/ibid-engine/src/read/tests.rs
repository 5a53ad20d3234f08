use super::judge::breakdown;
use super::*;
use ibid_model::Finish;
use ibid_model::result::{Breakdown, CompetitorKind};
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
