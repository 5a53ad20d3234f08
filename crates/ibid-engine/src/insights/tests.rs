use super::*;
use crate::aggregate::aggregate;
use crate::aggregate::tests::{calls, frame, plan};
use crate::plan::Plan;
use crate::scanned::Scanned;
use ibid_model::Citation;
use ibid_model::result::{MoveKind, SiteKind};
use ibid_provider::Completion;
use proptest::prelude::*;
use serde_json::json;

const RIVALS: &str = "1. Rival Works - the best choice\n2. Third House - also good";
const CITED: &str = "1. Example - the best choice\n2. Rival Works - also good";
const AGAINST: &str = "1. Rival Works - the best choice\n\nAvoid Example: it is a scam and has closed.";

fn says(text: &str, sources: &[&str]) -> Completion {
    Completion {
        text: text.to_owned(),
        citations: sources.iter().map(|url| Citation::of_url(*url)).collect(),
        ..Completion::default()
    }
}

fn scan(plan: &Plan, answer: impl Fn(usize, usize) -> Completion) -> Scanned {
    aggregate(
        plan,
        calls(plan, |topic, model| Ok(answer(topic, model))),
        &frame(),
    )
}

fn core() -> Plan {
    plan(json!({"domain": "example.com", "keyword": "crm", "models": ["model-1-latest"]}))
}

#[test]
fn own_websites_count_their_links_and_their_mentions_apart() {
    let own = ["docs.example.dev", "zorbucare.com", "example.org"];
    let plan = plan(
        json!({"domain": "example.com", "ownDomains": own, "keyword": "crm", "models": ["model-1-latest"],
               "brandNames": ["Quelt"]}),
    );
    let result = scan(&plan, |topic, _| match topic {
        0 => says(
            "1. Example - the best choice\n2. Zorbucare - also good",
            &["https://zorbucare.com/"],
        ),
        1 => says(
            "1. Quelt - good\n2. Rival Works - see example.org and [this](https://docs.example.dev/)",
            &[],
        ),
        _ => says(RIVALS, &[]),
    })
    .result;
    let rows: Vec<_> = result
        .websites
        .iter()
        .map(|own| (own.website.as_str(), own.answers, own.mentions))
        .collect();
    let expected = [
        ("example.com", 0, 2),
        ("docs.example.dev", 1, 0),
        ("zorbucare.com", 1, 1),
        ("example.org", 1, 1),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn sites_have_their_kind_share_and_competitors() {
    let sources = [
        "https://www.yelp.com/search?a=1",
        "https://rivalworks.com/prices?utm_source=ai",
        "https://example.com/crm/",
        "https://blog.example.net/best-crm",
    ];
    let result = scan(&core(), |topic, _| match topic {
        0 => says(RIVALS, &sources[..2]),
        1 => says(CITED, &sources[1..]),
        _ => says(RIVALS, &[]),
    })
    .result;
    let rows: Vec<_> = result
        .sources
        .iter()
        .map(|site| {
            let counts = (site.answers, site.share, site.target_answers);
            (site.domain.as_str(), site.kind, counts, site.competitors.len())
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("rivalworks.com", SiteKind::Competitor, (2, 1.0, 1), 2),
            ("example.com", SiteKind::Own, (1, 0.5, 1), 1),
            ("example.net", SiteKind::Other, (1, 0.5, 1), 1),
            ("yelp.com", SiteKind::Directory, (1, 0.5, 0), 2),
        ]
    );
    assert_eq!(result.sources[0].url, "https://rivalworks.com/prices");
    assert_eq!(result.sources[0].competitors[0].name, "Rival Works");
    assert_eq!(result.sources[0].competitors[0].answers, 2);
}

#[test]
fn spellings_of_one_page_are_one_row() {
    let pages = scan(&core(), |topic, _| match topic {
        0 => says(
            CITED,
            &[
                "https://example.com/crm/",
                "https://www.example.com/crm?utm_source=ai",
            ],
        ),
        1 => says(CITED, &["https://example.com/crm/#top", "https://example.com/"]),
        _ => says(RIVALS, &[]),
    })
    .result
    .pages;
    let rows: Vec<_> = pages
        .iter()
        .map(|page| (page.url.as_str(), page.answers))
        .collect();
    assert_eq!(
        rows,
        [("https://example.com/crm/", 2), ("https://example.com/", 1)]
    );
    assert_eq!(pages[0].intents.len(), 2);
}

#[test]
fn intents_add_up_to_the_core_answers() {
    let result = scan(&core(), |topic, _| {
        says(if topic == 0 { CITED } else { RIVALS }, &[])
    })
    .result;
    assert_eq!(
        result
            .intents
            .iter()
            .map(|intent| intent.intent.as_str())
            .collect::<Vec<_>>(),
        result.method.templates
    );
    let first = &result.intents[0];
    assert_eq!(
        (first.answers, first.cited_rate, first.questions),
        (1, Some(1.0), 1)
    );
    assert_eq!(first.stances.recommended, 1);
    assert_eq!(result.intents[1].cited_rate, Some(0.0));
    assert_eq!(result.intents[1].stances.absent, 1);
    assert_eq!(result.intents[1].top_competitors, ["Rival Works", "Third House"]);
}

#[test]
fn each_rule_has_its_move_and_its_evidence() {
    let located = || {
        plan(
            json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "rings": [1, 2],
                    "models": ["model-1-latest"]}),
        )
    };
    let kinds = |scanned: &Scanned| -> Vec<MoveKind> {
        scanned.result.moves.iter().map(|found| found.kind).collect()
    };
    let all_well = scan(&located(), |_, _| says(CITED, &["https://example.com/"]));
    assert_eq!(kinds(&all_well), []);

    // One answer to a question is a fact and no move: who is cited in one of three may have been lucky.
    let few = scan(&core(), |topic, _| {
        says(if topic == 0 { CITED } else { RIVALS }, &["https://yelp.com/x"])
    });
    assert_eq!(kinds(&few), []);
    let many = || {
        plan(
            json!({"domain": "example.com", "keyword": "crm", "questionsPerModel": 10,
                    "models": ["model-1-latest", "model-2-latest", "model-3-latest", "model-4-latest"]}),
        )
    };

    let lost = many();
    let templates = || lost.questions().iter().map(|question| &question.template);
    let times = |intent: &_| templates().filter(|template| *template == intent).count();
    let intent = templates().max_by_key(|intent| times(*intent)).unwrap().clone();
    let asked = times(&intent);
    let questions = scan(&lost, |topic, _| {
        let is_lost = lost.questions()[topic].template == intent;
        says(if is_lost { RIVALS } else { CITED }, &[])
    });
    assert_eq!(kinds(&questions), [MoveKind::LostQuestions]);
    let found = &questions.result.moves[0];
    assert_eq!(found.answers as usize, asked);
    assert!(found.chance >= Some(0.8), "{found:?}");
    assert_eq!(found.evidence[0].competitors, ["Rival Works", "Third House"]);
    assert_eq!(
        found.title,
        format!("Be an answer to questions of the kind “{intent}”")
    );
    assert_eq!(
        found.why,
        format!(
            "0 of {asked} answers to them cite example.com, and {} of 40 in all at home.",
            40 - asked
        )
    );

    let sources = scan(&many(), |topic, _| match topic {
        0 => says(CITED, &["https://g2.com/a"]),
        _ => says(
            "There are many to choose from.",
            &[
                "https://xn--mller-kva.de/x",
                "https://g2.com/b",
                "https://capterra.com/",
            ],
        ),
    });
    assert_eq!(kinds(&sources), [MoveKind::MissingSources]);
    let missing = &sources.result.moves[0];
    assert_eq!(missing.title, "Get named on capterra.com and müller.de");
    assert!(missing.chance >= Some(0.8), "{missing:?}");
    assert_eq!(missing.evidence[0].url.as_deref(), Some("https://capterra.com/"));

    let pages = scan(&many(), |topic, _| match topic {
        9 => says(CITED, &["https://example.com/crm"]),
        _ => says(CITED, &["https://rivalworks.com/prices"]),
    });
    assert_eq!(kinds(&pages), [MoveKind::MissingPages]);
    let page = &pages.result.moves[0];
    assert!(page.chance >= Some(0.8) && page.answers == 39, "{page:?}");
    // Of one question to four models, each answer cites a rival: four answers carry no chance.
    let four = plan(
        json!({"domain": "example.com", "keyword": "crm", "questionsPerModel": 1,
        "models": ["model-1-latest", "model-2-latest", "model-3-latest", "model-4-latest"]}),
    );
    let four = scan(&four, |_, _| {
        says(RIVALS, &["https://rivalworks.com/prices", "https://g2.com/a"])
    });
    assert_eq!(kinds(&four), []);
    assert_eq!(
        page.evidence[0].url.as_deref(),
        Some("https://rivalworks.com/prices")
    );

    // What one answer says is no advice.
    let once = scan(&core(), |topic, _| {
        says(if topic == 2 { AGAINST } else { CITED }, &[])
    });
    assert_eq!(kinds(&once), []);
    let against = scan(&core(), |topic, _| {
        says(if topic >= 1 { AGAINST } else { CITED }, &[])
    });
    assert_eq!(kinds(&against), [MoveKind::Criticism]);
    assert!(
        against.result.moves[0].evidence[0]
            .quote
            .as_deref()
            .unwrap()
            .contains("Avoid Example")
    );

    let plan = plan(
        json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "rings": [1, 2]}),
    );
    let home = Some(crate::Slot::Ring {
        ring: Ring::HOME,
        market: 0,
    });
    let town = scan(&plan, |topic, _| {
        let slot = plan.questions()[topic].slot;
        says(
            if slot.ring().is_none() || Some(slot) == home {
                CITED
            } else {
                RIVALS
            },
            &[],
        )
    });
    assert_eq!(kinds(&town), [MoveKind::LostTown]);
    assert!(
        town.result.moves[0].chance >= Some(0.8),
        "{:?}",
        town.result.moves[0]
    );
    let fact = &town.result.moves[0].evidence[0];
    let nearest = town
        .result
        .radius
        .rings
        .iter()
        .flat_map(|ring| &ring.markets)
        .filter(|market| market.distance_km > Some(0.0))
        .min_by(|a, b| a.distance_km.unwrap().total_cmp(&b.distance_km.unwrap()))
        .unwrap();
    assert_eq!(fact.town.as_deref(), Some(nearest.name.as_str()));
    assert_eq!(fact.competitors, ["Rival Works", "Third House"]);
}

#[test]
fn questions_whose_answers_all_name_no_one_are_to_be_replaced() {
    let asked = plan(json!({"domain": "example.com", "keyword": "crm",
            "questions": ["best crm", "what is a crm?", "which crm would you pick?"],
            "models": ["model-1-latest", "model-2-latest"]}));
    let vague = says("A CRM is a program for the contacts of a company.", &[]);
    let replaced = scan(&asked, |topic, model| match (topic, model) {
        (1, _) | (2, 0) => vague.clone(),
        _ => says(CITED, &["https://example.com/"]),
    });
    let moves = &replaced.result.moves;
    let found = moves
        .iter()
        .find(|found| found.kind == MoveKind::ReplaceQuestions)
        .unwrap();
    assert_eq!((found.answers, found.chance), (2, None));
    assert_eq!(found.title, "Replace the question that names no one");
    assert!(
        found
            .why
            .starts_with("No answer to 1 of 3 questions names a provider")
    );
    let texts: Vec<_> = found
        .evidence
        .iter()
        .map(|fact| fact.question.as_deref())
        .collect();
    assert_eq!(texts, [Some("what is a crm?")]);

    // One answer without a name is luck.
    let single = scan(&core(), |topic, _| match topic {
        1 => vague.clone(),
        _ => says(CITED, &["https://example.com/"]),
    });
    assert_eq!(single.result.moves, []);
}

#[test]
fn a_scan_that_is_scored_again_has_the_same_conclusions() {
    let first = scan(&core(), |topic, _| {
        says(if topic == 0 { CITED } else { RIVALS }, &["https://yelp.com/x"])
    });
    let mut old = first.result.clone();
    (old.sources, old.pages, old.intents, old.moves) = Default::default();
    let again = crate::rescore::rescore(&old, &first.evidence).unwrap();
    assert_eq!(again.result, first.result);
}

#[test]
fn sentences_have_readable_addresses() {
    for (url, expected) in [
        ("https://www.xn--bcher-kva.example/", "bücher.example"),
        ("https://example.com/a/b?c", "example.com/a/b?c"),
        ("http://example.com:8080/x", "example.com:8080/x"),
        ("nothing like it", "nothing like it"),
    ] {
        assert_eq!(moves::in_words(url), expected);
    }
}

const TEXTS: [&str; 5] = [
    RIVALS,
    CITED,
    AGAINST,
    "No idea.",
    "See [Fourth](https://fourth.example.org) and https://yelp.com/biz/example",
];
const URLS: [&str; 6] = [
    "https://yelp.com/a",
    "https://rivalworks.com/",
    "https://www.example.com/x?utm_source=a",
    "not an address",
    "https://en.wikipedia.org/wiki/CRM",
    "https://vertexaisearch.cloud.google.com/grounding-api-redirect/A",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The order of the answers changes no conclusion, every share is one, and every fact points at the scan.
    #[test]
    fn conclusions_hold_for_any_answers(
        said in proptest::collection::vec((0..TEXTS.len(), proptest::collection::vec(0..URLS.len(), 0..4)), 27),
        turn in 0_usize..9,
    ) {
        let plan = plan(json!({"domain": "example.com", "keyword": "crm"}));
        let Scanned { result, evidence } = scan(&plan, |topic, model| {
            let (text, urls) = &said[(topic * 9 + model) % said.len()];
            says(TEXTS[*text], &urls.iter().map(|url| URLS[*url]).collect::<Vec<_>>())
        });
        let mut turned = evidence.clone();
        turned.answers.rotate_left(turn);
        turned.answers.reverse();
        let mut again = result.clone();
        add(&mut again, &turned);
        prop_assert_eq!(&again.sources, &result.sources);
        prop_assert_eq!(&again.pages, &result.pages);
        prop_assert_eq!(&again.moves, &result.moves);
        let valid = result.usage.answered;
        for site in &result.sources {
            prop_assert!(site.share > 0.0 && site.share <= 1.0 && site.answers <= valid);
            prop_assert!(site.target_answers <= site.answers && site.competitors.len() <= 5);
        }
        let cited: u32 = result.intents.iter().map(|intent| intent.answers).sum();
        prop_assert_eq!(cited, result.headline_answers().count() as u32);
        prop_assert!(result.moves.len() <= 6);
        for found in &result.moves {
            prop_assert!(!found.evidence.is_empty() && found.evidence.len() <= 5);
            for fact in &found.evidence {
                let known = |id: &String| evidence.answers.iter().any(|answer| answer.question_id == *id);
                prop_assert!(fact.question_id.as_ref().is_none_or(known));
                prop_assert!(fact.answers > 0);
            }
        }
        // What was stored before has no conclusions and is still a result.
        let mut document = serde_json::to_value(&result).unwrap();
        for name in ["sources", "pages", "intents", "moves"] {
            document.as_object_mut().unwrap().remove(name);
        }
        let old: ScanResult = serde_json::from_value(document).unwrap();
        prop_assert!(old.sources.is_empty() && old.moves.is_empty());
    }
}
