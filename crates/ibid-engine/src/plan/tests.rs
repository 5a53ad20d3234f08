use super::*;
use ibid_model::contract::field::SIZES;
use ibid_model::{Catalog, ScanDraft, ScanForm};
use serde_json::{Value, json};
use std::collections::HashSet;

fn order(body: Value) -> ScanOrder {
    let Value::Object(members) = body else {
        panic!("a body is an object")
    };
    ScanDraft(&members)
        .parse(&Catalog::builtin(), ScanForm::Byok)
        .unwrap()
}

fn plan(body: Value) -> Plan {
    Plan::of(order(body), PlanOptions::default()).unwrap()
}

#[test]
fn defaults_give_99_questions_with_a_place_and_9_without() {
    let with = plan(json!({"domain": "example.com", "keyword": "plumber", "location": "Valencia, Spain"}));
    assert_eq!(with.len(), 99);
    let without = plan(json!({"domain": "example.com", "keyword": "crm"}));
    assert_eq!(without.len(), 9);
    assert!(without.warnings().is_empty());
}

#[test]
fn rings_without_a_place_are_warned_about_only_when_given() {
    let given = plan(json!({"domain": "example.com", "keyword": "crm", "rings": [1]}));
    assert_eq!(given.warnings()[0].code, "rings_without_location");
    let empty = plan(json!({"domain": "example.com", "keyword": "crm", "rings": []}));
    assert!(empty.warnings().is_empty());
}

#[test]
fn the_language_is_the_callers_then_the_places() {
    let place = plan(json!({"domain": "example.com", "keyword": "fontanero", "location": "Valencia, Spain"}));
    assert_eq!(place.language(), "es");
    assert!(
        texts(&place)
            .iter()
            .any(|text| text.contains("fontanero en Valencia"))
    );
    let caller = plan(
        json!({"domain": "example.com", "keyword": "plumber", "location": "Valencia, Spain", "language": "en-GB"}),
    );
    assert!(
        caller
            .questions()
            .iter()
            .all(|question| question.language == "en")
    );
    let unknown = plan(json!({"domain": "example.com", "keyword": "crm", "language": "sw"}));
    assert_eq!(
        (unknown.language(), unknown.warnings()[0].code.as_str()),
        ("en", "language_fallback")
    );
}

#[test]
fn a_place_with_several_languages_gets_the_first_that_has_questions() {
    let barcelona =
        plan(json!({"domain": "example.com", "keyword": "fontanero", "location": "Barcelona, Spain"}));
    assert_eq!((barcelona.language(), barcelona.warnings().len()), ("es", 0));
    for (location, language, code) in [
        ("Helsinki, Finland", "fi", None),
        ("Tel Aviv, Israel", "he", None),
        ("Budapest, Hungary", "hu", None),
        ("Sofia, Bulgaria", "en", Some("language_fallback")),
        ("Dhaka, Bangladesh", "en", Some("language_fallback")),
    ] {
        let plan = plan(json!({"domain": "example.com", "keyword": "hotel", "location": location}));
        let warning = plan.warnings().first().map(|warning| warning.code.as_str());
        assert_eq!((plan.language(), warning), (language, code), "{location}");
    }
}

#[test]
fn words_of_a_local_language_without_questions_warn_and_sentences_are_not_wrapped() {
    let warned = |keyword: &str| {
        let plan = plan(json!({"domain": "example.com", "keyword": keyword, "location": "Quezon City"}));
        plan.warnings()
            .iter()
            .any(|warning| warning.code == "language_fallback")
    };
    assert_eq!((warned("tubero"), warned("plumber")), (true, false));
    for (keyword, location) in [
        ("fridge not cooling", "Cork, Ireland"),
        ("lave-vaisselle ne vidange plus", "Lyon"),
        ("chauffe-eau ne marche plus", "Tours, France"),
        ("nevera no enfría", "Cali, Colombia"),
        ("Notion", "London"),
    ] {
        let plan = plan(json!({"domain": "example.com", "keyword": keyword, "location": location}));
        let texts = texts(&plan);
        assert!(texts.iter().all(|text| text.starts_with(keyword)), "{texts:?}");
    }
}

#[test]
fn a_keyword_that_is_surely_of_another_language_is_asked_in_its_own() {
    for (keyword, location, language, text) in [
        ("plumber", "Munich", "en", "in Munich"),
        ("klempner", "Munich", "de", "in München"),
        ("pizza", "Munich", "de", "in München"),
        ("plombier", "Geneva", "fr", "à Genève"),
        ("plombier", "Köln", "fr", "à Cologne"),
        ("ラーメン", "Paris", "ja", "パリ"),
        ("hotel", "大阪", "ja", "大阪"),
        ("plumber", "Londn, UK", "en", "in London"),
        ("academia de inglés", "Valencia, Spain", "es", "en Valencia"),
        ("clínica de estética", "Curitiba, Brazil", "pt", "em Curitiba"),
        ("stomatolog", "Cluj-Napoca, Romania", "ro", "Cluj"),
        ("museum", "Prague", "cs", "v Praze"),
        ("zubař", "Poděbrady, Czechia", "cs", "ve městě Poděbrady"),
    ] {
        let plan = plan(json!({"domain": "example.com", "keyword": keyword, "location": location}));
        assert_eq!(plan.language(), language, "{keyword} {location}");
        assert!(
            texts(&plan).iter().any(|found| found.contains(text)),
            "{:?}",
            texts(&plan)
        );
        let local = plan
            .warnings()
            .iter()
            .all(|warning| warning.code != "language_guessed");
        let foreign = [("plumber", "Munich"), ("plombier", "Köln"), ("ラーメン", "Paris")];
        assert_eq!(
            local,
            !foreign.contains(&(keyword, location)),
            "{keyword} {location}"
        );
    }
    let nowhere = plan(json!({"domain": "example.com", "keyword": "vélo électrique"}));
    assert_eq!(
        (nowhere.language(), nowhere.warnings()[0].code.as_str()),
        ("fr", "language_guessed")
    );
}

#[test]
fn english_abroad_is_asked_in_english_or_the_language_of_the_place() {
    for keyword in [
        "freight forwarder",
        "english speaking dentist",
        "iphone case",
        "nail salon",
        "company formation",
    ] {
        for (location, local) in [
            ("Istanbul", "tr"),
            ("Tokyo", "ja"),
            ("Madrid", "es"),
            ("London", "en"),
            ("Stockholm", "sv"),
        ] {
            let plan =
                plan(json!({"domain": "example.com", "keyword": keyword, "location": location, "rings": []}));
            assert!(
                ["en", local].contains(&plan.language()),
                "{keyword} {location} {}",
                plan.language()
            );
        }
    }
    // Emigrants and speakers of the language keep theirs.
    for (keyword, location, language) in [
        ("deutschsprachiger arzt", "Madrid", "de"),
        ("fontanero", "Berlin", "es"),
        ("peluqueria canina", "Sevilla", "es"),
    ] {
        let plan =
            plan(json!({"domain": "example.com", "keyword": keyword, "location": location, "rings": []}));
        assert_eq!(plan.language(), language, "{keyword}");
    }
}

#[test]
fn a_county_is_named_itself_in_the_language_of_the_question() {
    for (keyword, location, text) in [
        ("plumber", "Cornwall", "in Cornwall"),
        ("plumber", "Kent", "in Kent"),
        ("plumber", "Goa", "in Goa"),
        ("plumber", "Orange County, California", "in Orange County"),
        ("plombier", "Dordogne", "en Dordogne"),
        ("fontanero", "Provincia de Málaga", "en la provincia de Málaga"),
        ("plumber", "Bavaria", "in Bavaria"),
        ("plumber", "TX", "in Texas"),
    ] {
        let plan =
            plan(json!({"domain": "example.com", "keyword": keyword, "location": location, "rings": []}));
        assert!(
            texts(&plan).iter().any(|found| found.contains(text)),
            "{:?}",
            texts(&plan)
        );
    }
}

#[test]
fn towns_have_names_in_the_letters_of_the_question_or_are_left_out() {
    for (keyword, location) in [
        ("υδραυλικός", "Lárisa, Greece"),
        ("сантехнік", "Rivne, Ukraine"),
        ("שרברב", "Haifa"),
        ("नलसाज", "Rājkot, India"),
        ("치과", "Gwangju, South Korea"),
    ] {
        let plan =
            plan(json!({"domain": "example.com", "keyword": keyword, "location": location, "rings": [1, 2]}));
        for question in plan.questions() {
            // Borrowed words such as "top", "online" and "site" stay; a name in other letters would begin with a capital.
            let mut words = question.text.split_whitespace();
            let is_foreign = |word: &str| word.starts_with(|first: char| first.is_ascii_uppercase());
            assert!(!words.any(is_foreign), "{}", question.text);
        }
        let left_out = plan
            .warnings()
            .iter()
            .any(|warning| warning.code == "towns_left_out");
        let lacks_names = location.contains("India") || location.contains("Korea");
        assert_eq!(left_out, lacks_names, "{location}");
    }
}

#[test]
fn the_country_is_named_only_where_a_namesake_is_better_known() {
    for (location, text) in [
        ("Valencia, Spain", "in Valencia"),
        ("Valencia, Venezuela", "Valencia, Venezuela"),
        ("Paris, Texas", "Paris, Texas"),
        ("Ontario, CA, USA", "Ontario, California"),
        ("Kansas City, Kansas", "Kansas City, Kansas"),
        ("Newcastle, Australia", "Newcastle, New South Wales"),
        ("Hamilton, New Zealand", "Hamilton, New Zealand"),
        ("Durham, NC", "Durham, North Carolina"),
        ("Elmwick, London", "in Elmwick, London"),
        ("Spain", "in Spain"),
        ("Bavaria", "in Bavaria"),
        ("Provence", "in Provence"),
    ] {
        let plan = plan(json!({"domain": "example.com", "keyword": "plumber", "location": location}));
        let core = texts(&plan);
        assert!(core.iter().any(|found| found.contains(text)), "{core:?}");
    }
}

#[test]
fn a_corrected_or_ambiguous_place_is_warned_about() {
    let codes = |location: &str| -> Vec<String> {
        let plan = plan(json!({"domain": "example.com", "keyword": "plumber", "location": location}));
        plan.warnings()
            .iter()
            .map(|warning| warning.code.clone())
            .collect()
    };
    assert_eq!(
        codes("Barclona, Spain"),
        ["location_corrected", "language_guessed"]
    );
    assert_eq!(codes("Newcastle"), ["location_ambiguous"]);
    assert_eq!(codes("Elmwick, London"), ["district_unknown"]);
    assert_eq!(codes("Europe"), ["location_is_wide"]);
    assert!(codes("Leeds, UK").is_empty());
}

#[test]
fn several_countries_are_no_single_town() {
    let plan =
        plan(json!({"domain": "example.com", "keyword": "plumber", "location": "DACH", "rings": [1, 2]}));
    let location = plan.report().location.unwrap();
    assert_eq!(location.label(), "DACH (6 cities)");
    assert_eq!(plan.place().unwrap().spoken, "DACH (6 cities)");
    let resolved = location.resolved;
    assert_eq!(
        (resolved.name.as_str(), resolved.country_code.as_str()),
        ("DACH", "")
    );
    assert_eq!((resolved.lat, resolved.lon, resolved.population), (None, None, 0));
    let mut markets = plan.rings().iter().flat_map(|ring| &ring.markets);
    assert!(markets.all(|market| (market.distance_km, market.bearing_deg) == (None, None)));
    assert!(
        plan.warnings()[0].message.starts_with("DACH (6 cities)"),
        "{:?}",
        plan.warnings()
    );
    let core = plan
        .questions()
        .iter()
        .filter(|question| question.slot.ring().is_none());
    for question in core {
        assert_eq!(question.place, None, "{}", question.text);
    }
}

#[test]
fn questions_of_one_plan_all_differ_and_repeat_in_the_next() {
    let body = || {
        json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "rings": [1, 2],
               "questionsPerModel": 10, "keywordsPerRing": 10, "queriesPerKeyword": 2})
    };
    let plan_once = plan(body());
    let texts: HashSet<_> = plan_once
        .questions()
        .iter()
        .map(|question| question.text.as_str())
        .collect();
    assert!(
        texts.len() * 10 >= plan_once.questions().len() * 9,
        "{} of {}",
        texts.len(),
        plan_once.questions().len()
    );
    let ids: HashSet<_> = plan_once
        .questions()
        .iter()
        .map(|question| question.id.as_str())
        .collect();
    assert_eq!(ids.len(), plan_once.questions().len());
    assert_eq!(plan_once.questions(), plan(body()).questions());
}

#[test]
fn no_question_names_the_target() {
    let plan = plan(json!({"domain": "brandnamo.com", "keyword": "plumber", "location": "Lyon, France"}));
    assert!(
        plan.questions()
            .iter()
            .all(|question| !question.text.to_lowercase().contains("brandnamo"))
    );
}

#[test]
fn a_plan_over_the_ceiling_says_how_large_and_how_dear() {
    let body = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France",
                      "rings": [1, 2, 3, 4, 5], "keywordsPerRing": 50, "queriesPerKeyword": 10});
    match Plan::of(order(body), PlanOptions::default()) {
        Err(PlanError::TooLarge {
            questions,
            most: 2_000,
            estimate,
        }) => {
            assert!(
                questions > 10_000 && estimate.get() > 100_000_000,
                "{questions} {estimate}"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_unknown_place_is_refused() {
    let result = Plan::of(
        order(json!({"domain": "example.com", "keyword": "k", "location": "Qxzvw, Atlantis"})),
        PlanOptions::default(),
    );
    assert!(
        matches!(result, Err(PlanError::UnknownPlace { .. })),
        "{result:?}"
    );
}

#[test]
fn time_grows_with_the_plan_up_to_nine_minutes() {
    assert_eq!(
        plan(json!({"domain": "example.com", "keyword": "crm"}))
            .time_limit()
            .as_secs(),
        120
    );
    let large = plan(json!({"domain": "example.com", "keyword": "plumber", "location": "Valencia, Spain"}));
    assert_eq!(large.time_limit().as_secs(), 159);
}

#[test]
fn a_keyword_with_braces_stays_as_it_is() {
    let plan = plan(json!({"domain": "example.com", "keyword": "{p} {k} {x}"}));
    assert!(texts(&plan).iter().all(|text| text.contains("{p} {k} {x}")));
}

fn texts(plan: &Plan) -> Vec<&str> {
    plan.questions()
        .iter()
        .map(|question| question.text.as_str())
        .collect()
}

#[test]
fn own_questions_take_the_place_of_the_core_questions() {
    let body = |questions: Value| {
        json!({"domain": "example.com", "keyword": "plumber", "location": "Leeds, UK", "rings": [1],
               "keywordsPerRing": 1, "questions": questions})
    };
    let generated = plan(body(Value::Null));
    let own = plan(body(json!([
        "Quel plombier choisir à Leeds ?",
        generated.questions()[1].text
    ])));
    // The towns are asked the same questions with any core questions.
    assert_eq!(texts(&own)[2..], texts(&generated)[9..]);
    assert_eq!(own.warnings()[0].code, "towns_from_templates");
    let core: Vec<_> = own.questions()[..2]
        .iter()
        .map(|q| (q.id.as_str(), &*q.template, &*q.language, q.model))
        .collect();
    let second = &*generated.questions()[1].template;
    assert_eq!(core, [("c1", "own", "fr", None), ("c2", second, "en", None)]);
    // A question that stays finds its answers in a scan without own questions.
    assert_eq!(own.questions()[1].hash(), generated.questions()[1].hash());
    assert!(!own.is_branded());
}

#[test]
fn an_own_question_that_names_the_target_is_counted_apart() {
    let questions = ["Is Zentora good in {place}?", "Who is a good plumber in {place}?"];
    let body = json!({"domain": "zentora.com", "keyword": "plumber", "location": "Leeds, UK", "rings": [1],
                      "models": ["model-1-latest", "model-2-latest"], "questions": questions});
    let mixed = plan(body);
    let core: Vec<_> = mixed.questions()[..2]
        .iter()
        .map(|q| (q.id.as_str(), &*q.template, q.slot))
        .collect();
    assert_eq!(
        core,
        [("c1", "own", Slot::Core), ("c2", "branded", Slot::Branded)]
    );
    // The towns are not asked it, and no sentence counts it as an answer at home.
    assert!(
        mixed.questions()[2..]
            .iter()
            .all(|q| q.slot.ring().is_some() && &*q.template == "own")
    );
    assert_eq!(
        (mixed.is_branded(), mixed.report().warnings[0].code.as_str()),
        (false, "branded_apart")
    );
    let words = Forecast::of(&mixed, 4).answers_in_words();
    assert!(
        words.contains("2 to questions that name you, counted apart"),
        "{words}"
    );
    // A schedule that kept it among the others asks it apart from now on.
    let kept = serde_json::to_string(&mixed.kept())
        .unwrap()
        .replace("\"branded\"", "\"own\"");
    let kept: Vec<KeptQuestion> = serde_json::from_str(&kept).unwrap();
    assert_eq!(mixed.clone().asking(&kept), mixed);
    // A short run asks the others first.
    let short = plan(
        json!({"domain": "zentora.com", "keyword": "plumber", "models": ["model-1-latest"],
                            "questionsPerModel": 1, "questions": ["Is Zentora good?", "Who else?"]}),
    );
    assert_eq!(texts(&short), ["Who else?"]);
    let branded = plan(json!({"domain": "zentora.com", "keyword": "plumber",
                              "questions": ["Is Zentora a good plumber?"]}));
    assert!(branded.is_branded());
    let report = branded.report();
    assert!(report.branded);
    assert_eq!(report.warnings[0].code, "branded_question");
    assert!(report.warnings[0].message.contains("Is Zentora a good plumber?"));
    let plain =
        plan(json!({"domain": "zentora.com", "keyword": "plumber", "questions": ["Who is a good plumber?"]}));
    assert!(!plain.is_branded() && plain.report().warnings.is_empty());
}

#[test]
fn the_size_of_a_plan_counts_own_questions() {
    let body = json!({"domain": "example.com", "keyword": "plumber", "models": ["model-1-latest"],
                      "questions": ["a?", "b?", "c?", "d?"]});
    let options = |most_questions| PlanOptions {
        most_questions,
        ..PlanOptions::default()
    };
    assert_eq!(Plan::of(order(body.clone()), options(4)).unwrap().len(), 4);
    assert!(matches!(
        Plan::of(order(body), options(3)),
        Err(PlanError::TooLarge { questions: 4, .. })
    ));
}

#[test]
fn a_report_has_every_question_and_the_share_of_each_ring() {
    let plan = plan(
        json!({"domain": "example.com", "keyword": "plumber", "location": "Barclona, Spain", "rings": [1, 2],
                           "keywordsPerRing": 2}),
    );
    let report = plan.report();
    assert_eq!(report.questions.len(), report.calls as usize);
    let of_rings: u32 = report.rings.iter().map(|ring| ring.calls).sum();
    assert_eq!(of_rings + 9, report.calls);
    assert!(
        report
            .rings
            .iter()
            .all(|ring| ring.markets.len() == 3 && ring.estimated_cost_usd > 0.0)
    );
    let location = report.location.unwrap();
    assert_eq!(location.certainty.unwrap().as_str(), "likely");
    assert_eq!(report.warnings[0].code, "location_corrected");
    assert_eq!(report.questions[9].ring.map(ibid_model::Ring::get), Some(1));
    assert_eq!(
        report.questions[9].market.as_deref(),
        Some("Barcelona, Catalonia, Spain")
    );
}

/// A body as it is sold with the built-in table at a budget in millionths of a dollar.
fn sold(body: Value, form: ScanForm, budget: u64) -> Result<Plan, PlanError> {
    sold_with(
        body,
        form,
        budget,
        &["model-4-latest", "model-5-latest", "model-6-latest"],
    )
}

fn sold_with(body: Value, form: ScanForm, budget: u64, aliases: &[&str]) -> Result<Plan, PlanError> {
    let Value::Object(members) = body else {
        panic!("a body is an object")
    };
    let catalog = Catalog::builtin();
    let draft = ScanDraft(&members);
    let (answers, core_answers) = match form {
        ScanForm::Radius => (0, 3),
        _ => (6, 0),
    };
    let fit = Fit {
        budget: UsdMicros::new(budget),
        cap: None,
        floor: AnswerFloor {
            answers,
            core_answers,
        },
        models: aliases
            .iter()
            .map(|alias| catalog.resolve(alias).unwrap().clone())
            .collect(),
        named: SIZES
            .iter()
            .filter(|field| draft.names(field))
            .map(|field| field.name)
            .collect(),
    };
    Plan::fitted(draft.parse(&catalog, form).unwrap(), PlanOptions::default(), &fit)
}

/// The number of models, the core questions, the markets and the answers.
fn size(plan: &Plan) -> (usize, usize, usize, usize) {
    let markets = plan.rings().iter().map(|ring| ring.markets.len()).sum();
    (
        plan.models().len(),
        plan.order().core_questions(),
        markets,
        plan.len(),
    )
}

#[test]
fn what_a_buyer_left_out_is_fitted_to_the_price() {
    let scan = json!({"domain": "example.com", "keyword": "crm"});
    let radius = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"});
    for (body, form, budget, expected) in [
        // The usual models cost $0.093 a question, the cheap ones $0.0527.
        (&scan, ScanForm::Scan, 280_000, (3, 3, 0, 9)),
        (&scan, ScanForm::Scan, 200_000, (3, 2, 0, 6)),
        (&scan, ScanForm::Scan, 160_000, (3, 3, 0, 9)),
        (&scan, ScanForm::Scan, 120_000, (3, 2, 0, 6)),
        // The floor.
        (&scan, ScanForm::Scan, 10, (3, 2, 0, 6)),
        (&radius, ScanForm::Radius, 840_000, (3, 3, 6, 27)),
        (&radius, ScanForm::Radius, 700_000, (3, 1, 6, 21)),
        (&radius, ScanForm::Radius, 480_000, (3, 3, 6, 27)),
        (&radius, ScanForm::Radius, 400_000, (3, 1, 6, 21)),
        (&radius, ScanForm::Radius, 300_000, (3, 1, 4, 15)),
        (&radius, ScanForm::Radius, 10, (3, 1, 4, 15)),
    ] {
        let plan = sold(body.clone(), form, budget).unwrap();
        assert_eq!(size(&plan), expected, "{body} at {budget}");
        let cheap = plan.models()[0].alias.as_str() == "model-4-latest";
        assert_eq!(
            cheap,
            ![280_000, 200_000, 840_000, 700_000].contains(&budget),
            "{body} at {budget}"
        );
        let noted = plan
            .warnings()
            .iter()
            .any(|warning| warning.code == "fitted_to_price");
        assert_eq!(noted, ![280_000, 840_000].contains(&budget), "{body} at {budget}");
    }
    // Fewer models of the operator's list need more questions for as many answers.
    let one = sold_with(scan, ScanForm::Scan, 120_000, &["model-5-latest"]).unwrap();
    assert_eq!(size(&one), (1, 6, 0, 6));
}

#[test]
fn the_nearest_markets_are_left() {
    let radius = json!({"domain": "example.com", "keyword": "plumber", "location": "Lyon, France"});
    let all = sold(radius.clone(), ScanForm::Radius, 900_000).unwrap();
    let near = sold(radius, ScanForm::Radius, 10).unwrap();
    let distances = |plan: &Plan| {
        let markets = plan.rings().iter().flat_map(|ring| &ring.markets);
        let mut distances: Vec<f64> = markets.map(|market| market.distance_km.unwrap()).collect();
        distances.sort_by(f64::total_cmp);
        distances
    };
    assert_eq!(distances(&near), distances(&all)[..4]);
    // A stored order is planned again with the same markets.
    let again = Plan::of(near.order().clone(), PlanOptions::default()).unwrap();
    assert_eq!(again.questions(), near.questions());
}

#[test]
fn named_members_hold_up_to_the_cap_and_then_counts_that_fit_are_named() {
    let scan = |more: Value| {
        let mut body = json!({"domain": "example.com", "keyword": "crm"});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        sold(body, ScanForm::Scan, 120_000)
    };
    let one = scan(json!({"models": ["model-2-latest"]})).unwrap();
    assert_eq!((size(&one), one.warnings().len()), ((1, 3, 0, 3), 0));
    let few = scan(json!({"questionsPerModel": 1})).unwrap();
    assert_eq!(
        (size(&few), few.models()[0].alias.as_str()),
        ((3, 1, 0, 3), "model-1-latest")
    );
    for (more, fits) in [
        (
            json!({"models": ["model-1-latest", "model-2-latest", "model-3-latest"]}),
            Some(1),
        ),
        (json!({"questionsPerModel": 10}), Some(2)),
        (
            json!({"questionsPerModel": 10, "models": ["model-5-latest"]}),
            Some(7),
        ),
        (
            json!({"models": ["model-1-latest", "model-2-latest", "model-3-latest", "model-4-latest", "model-5-latest"]}),
            None,
        ),
    ] {
        let Err(PlanError::TooExpensive {
            estimate,
            most,
            fits: counts,
        }) = scan(more.clone())
        else {
            panic!("{more} is sold")
        };
        assert!(estimate > most && most == UsdMicros::new(120_000), "{more}");
        let counts = counts.map(|counts| counts.questions_per_model.get());
        assert_eq!(counts, fits, "{more}");
    }
}

#[test]
fn a_plan_is_read_as_it_was_stored() {
    for body in [
        json!({"keyword": "crm"}),
        json!({"keyword": "plumber", "location": "Lyon, France", "brandNames": ["Acme"], "notNames": ["Acne"]}),
        json!({"keyword": "plumber", "location": "Springfield", "rings": [2], "language": "es"}),
        json!({"keyword": "plumber", "location": "45.75, 4.85", "rings": [1, 3], "queriesPerKeyword": 2}),
        json!({"keyword": "plumber", "location": "France", "questions": ["Who mends pipes?"]}),
    ] {
        let mut body = body;
        body["domain"] = json!("https://www.bücher.example/a");
        let planned = plan(body).noted([Warning::new("unknown_member", "a note")]);
        let stored = serde_json::to_vec(&planned).unwrap();
        let read: Plan = serde_json::from_slice(&stored).unwrap();
        assert_eq!(read, planned);
        assert_eq!(read.report(), planned.report());
    }
}

#[test]
fn a_plan_of_an_earlier_version_keeps_its_questions() {
    let read: Plan = serde_json::from_str(include_str!("stored.json")).unwrap();
    let texts: Vec<_> = read
        .questions()
        .iter()
        .map(|question| question.text.as_str())
        .collect();
    assert_eq!(
        texts[0],
        "Which plumber would a former template recommend in Lyon?"
    );
    assert_ne!(Plan::of(read.order().clone(), read.options).unwrap(), read);
    assert_eq!(
        (read.len(), read.models()[0].alias.as_str()),
        (2, "model-of-then")
    );
    assert_eq!(
        read.market(read.questions()[1].slot).unwrap().label(),
        "Lyon, Auvergne-Rhône-Alpes, France"
    );
}

#[test]
fn every_call_has_a_question_of_its_own() {
    let three =
        plan(json!({"domain": "example.com", "keyword": "plumber", "location": "Leeds, UK", "rings": [1]}));
    let core: Vec<_> = three
        .questions()
        .iter()
        .filter(|question| question.slot == Slot::Core)
        .collect();
    let models: Vec<_> = core.iter().map(|question| question.model).collect();
    assert_eq!(
        models,
        [0, 1, 2].repeat(3).into_iter().map(Some).collect::<Vec<_>>()
    );
    let distinct =
        |questions: &[&PlannedQuestion]| questions.iter().map(|q| &q.text).collect::<HashSet<_>>().len();
    assert_eq!(distinct(&core), 9);
    let intents: HashSet<_> = core.iter().map(|question| &question.template).collect();
    assert_eq!(intents.len(), 9, "{intents:?}");
    // The town of the caller goes on where the core questions end.
    let home = three.questions().iter().filter(|q| {
        q.place
            .as_ref()
            .is_some_and(|p| p.city.as_deref() == Some("Leeds"))
    });
    let home: Vec<_> = home.collect();
    assert_eq!((home.len(), distinct(&home)), (24, 24));
    // One model is asked the same order from its beginning.
    let one = plan(
        json!({"domain": "other.com", "keyword": "plumber", "location": "Leeds, UK", "rings": [],
                          "models": ["model-1-latest"], "questionsPerModel": 9}),
    );
    assert_eq!(texts(&one)[..9], texts(&three)[..9]);
}

#[test]
fn a_list_of_the_caller_is_asked_in_full_or_is_the_pool() {
    let body = |per_model: Value, count: usize| {
        let questions: Vec<String> = (0..count).map(|n| format!("Who is number {n}?")).collect();
        json!({"domain": "example.com", "keyword": "crm", "questions": questions, "questionsPerModel": per_model})
    };
    let asked = |per_model: Value, count: usize| -> Vec<(usize, Option<usize>)> {
        let plan = plan(body(per_model, count));
        let number = |text: &str| text.chars().filter_map(|c| c.to_digit(10)).next().unwrap() as usize;
        plan.questions()
            .iter()
            .map(|question| (number(&question.text), question.model))
            .collect()
    };
    assert_eq!(asked(Value::Null, 2), [(0, None), (1, None)]);
    let own = asked(json!(2), 7);
    assert_eq!(
        own,
        [
            (0, Some(0)),
            (1, Some(1)),
            (2, Some(2)),
            (3, Some(0)),
            (4, Some(1)),
            (5, Some(2))
        ]
    );
    // A smaller pool is shared evenly, and no model is asked a question twice.
    let shared = asked(json!(2), 3);
    assert_eq!(shared.iter().collect::<HashSet<_>>().len(), 6);
    for number in 0..3 {
        assert_eq!(shared.iter().filter(|(of, _)| *of == number).count(), 2);
    }
    assert_eq!(plan(body(json!(3), 2)).len(), 6);
}

#[test]
fn a_place_in_an_own_question_is_named_in_its_language() {
    let own = plan(
        json!({"domain": "example.com", "keyword": "fontanero", "location": "Valencia, Spain", "rings": [1],
        "keywordsPerRing": 2, "questions": ["¿Qué fontanero me recomiendas {place}?", "Who mends taps in {place}?",
        {"text": "Wer repariert Rohre {place}?", "place": "Munich"}, "¿Quién arregla grifos?"]}),
    );
    let core = &texts(&own)[..4];
    assert_eq!(
        core,
        [
            "¿Qué fontanero me recomiendas en Valencia?",
            "Who mends taps in Valencia?",
            "Wer repariert Rohre in München?",
            "¿Quién arregla grifos?"
        ]
    );
    assert_eq!(own.questions()[2].scene.place.as_deref(), Some("Munich"));
    // The towns are asked the questions with the slot: two markets and models share two questions.
    let towns: HashSet<_> = own.questions()[4..]
        .iter()
        .map(|question| question.text.as_str())
        .collect();
    assert!(
        towns.contains("¿Qué fontanero me recomiendas en Valencia?"),
        "{towns:?}"
    );
    assert_eq!(
        (own.questions().len() - 4, own.warnings().len()),
        (3 * 3 * 2, 0),
        "{towns:?}"
    );
    assert!(
        texts(&plan(
            json!({"domain": "a.com", "keyword": "crm", "questions": ["Who {place} sells crm?"]})
        ))[0]
            == "Who sells crm?"
    );
}

#[test]
fn a_trouble_is_asked_for_who_mends_it() {
    for (keyword, place, asked) in [
        ("blocked drain", "Leeds, UK", "blocked drain specialist"),
        ("roof leak", "Leeds, UK", "roof leak repair"),
        ("bed bugs", "Leeds, UK", "bed bugs specialist"),
        ("blocked drain plumber", "Leeds, UK", "blocked drain plumber"),
        ("leak detection", "Leeds, UK", "leak detection"),
        ("トイレつまり", "大阪", "トイレつまりの修理業者"),
        ("하수구 막힘", "서울", "하수구 막힘 업체"),
        ("Rohrverstopfung", "Köln", "Hilfe bei Rohrverstopfung"),
        ("fuite d'eau", "Lyon", "dépannage fuite d'eau"),
    ] {
        let plan = plan(json!({"domain": "example.com", "keyword": keyword, "location": place, "rings": []}));
        let texts = texts(&plan);
        assert!(
            texts.iter().all(|text| text.contains(asked)),
            "{keyword}: {texts:?}"
        );
        assert_eq!(
            texts.iter().filter(|text| text.contains(" buy ")).count(),
            0,
            "{texts:?}"
        );
    }
}

#[test]
fn a_keyword_that_is_a_sentence_is_asked_as_it_is() {
    for (keyword, first) in [
        ("who is the best dentist?", "who is the best dentist in Leeds?"),
        ("best pizza", "best pizza in Leeds"),
        ("plumber leeds", "plumber leeds"),
        ("xero vs quickbooks", "xero vs quickbooks in Leeds"),
        ("HubSpot", "HubSpot in Leeds"),
        (
            "how much does a boiler cost",
            "how much does a boiler cost in Leeds?",
        ),
    ] {
        let plan =
            plan(json!({"domain": "example.com", "keyword": keyword, "location": "Leeds, UK", "rings": []}));
        let texts = texts(&plan);
        assert_eq!(texts[0], first);
        let stem = keyword.trim_end_matches('?');
        assert!(texts.iter().all(|text| text.starts_with(stem)), "{texts:?}");
        assert_eq!(texts.iter().collect::<HashSet<_>>().len(), 9, "{texts:?}");
    }
}

#[test]
fn an_article_is_written_only_where_the_form_is_known() {
    let holds = |keyword: &str, part: &str| {
        let plan = plan(
            json!({"domain": "example.com", "keyword": keyword, "location": "Leeds, UK", "questionsPerModel": 10}),
        );
        texts(&plan).iter().any(|text| text.contains(part))
    };
    assert!(holds("plumber", " a plumber"));
    assert!(holds(
        "accountant for small firms",
        " an accountant for small firms"
    ));
    assert!(!holds("estate agents", "an estate agents") && !holds("car insurance", "a car insurance"));
    assert!(!holds("kombucha", "a kombucha"));
    assert!(holds("plumber near me", "plumber in Leeds") && !holds("plumber near me", "near me"));
}
