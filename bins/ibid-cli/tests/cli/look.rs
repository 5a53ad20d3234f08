//! Tests of `ibid look`: what a page says, what the user says, and what the questions cost.

use crate::support::{Folder, ibid, parsed, text};

const PAGE: &str = r#"<!doctype html><html lang="de"><head><title>Zahnarzt Dr. Meier – Praxis in Leipzig</title>
<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Dentist", "name": "Praxis Meier",
"address": {"@type": "PostalAddress", "addressLocality": "Leipzig", "addressCountry": "DE"}}</script></head>
<body><main><h1>Ihr Zahnarzt in Leipzig</h1><p>Termine am selben Tag.</p></main></body></html>"#;

#[test]
fn a_first_look_reads_the_page_and_asks_no_model() {
    let folder = Folder::new("look");
    let page = folder.file("index.html", PAGE.as_bytes());
    let saved = folder.path("questions.txt");
    let output = ibid(&[
        "look",
        "praxis-meier.de",
        "--html",
        &page,
        "--json",
        "--save",
        &saved,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let look = parsed(&output);
    assert_eq!(
        look["keyword"],
        serde_json::json!({"value": "zahnarzt", "guessed": true})
    );
    assert_eq!(look["kind"], "person");
    assert_eq!(look["location"]["value"], "Leipzig, Saxony, Germany");
    assert_eq!(look["language"]["value"], "de");
    let questions = look["questions"].as_array().unwrap();
    assert_eq!(questions.len(), 12);
    assert!(
        !questions
            .iter()
            .any(|question| question.as_str().unwrap().to_lowercase().contains("meier"))
    );
    // A row for each of six models, and one for the three that are asked by default.
    let offers = look["offers"].as_array().unwrap();
    assert_eq!(offers.len(), 7);
    assert_eq!(offers[0]["forecast"]["answersARun"], 12);
    assert_eq!(offers[6]["forecast"]["answersARun"], 36);
    assert_eq!(offers[6]["forecast"]["seesDropOf"], 15);
    assert!(look["audit"]["score"].as_u64().unwrap() > 0);
    // The saved questions are those of the scan that the look proposes.
    let scan = [
        "scan",
        "praxis-meier.de",
        "zahnarzt",
        "--location",
        "Leipzig, Germany",
        "--rings",
        "none",
        "--questions",
        &saved,
        "--plan",
        "--models",
        "claude",
    ];
    let planned = ibid(&scan);
    let plan = text(&planned.stderr);
    assert!(plan.starts_with("12 questions to 1 model, about $"), "{plan}");
    let cost = offers[1]["forecast"]["runCostUsd"].as_f64().unwrap();
    assert!(plan.contains(&format!("about ${cost}")), "{plan} is not {cost}");
}

#[test]
fn the_user_corrects_the_guesses() {
    let folder = Folder::new("look-corrected");
    let page = folder.file("index.html", PAGE.as_bytes());
    let more = [
        "--keyword",
        "invisible braces",
        "--location",
        "Leeds, United Kingdom",
        "--language",
        "en",
    ];
    let output = ibid(&[&["look", "praxis-meier.de", "--html", &page][..], &more].concat());
    let report = text(&output.stdout);
    for part in [
        "praxis-meier.de\n",
        "Sells     invisible braces\n",
        "Where     Leeds, United Kingdom\n",
        "Language  en\n",
        "   1  ",
        "OpenAI GPT (latest flagship)",
        "a drop of 20 points in 8 weeks",
        "ibid scan praxis-meier.de 'invisible braces' --location 'Leeds, United Kingdom' --rings none --questions questions.txt --sandbox",
    ] {
        assert!(report.contains(part), "{part} is missing in\n{report}");
    }
    assert!(!report.contains("a guess"), "{report}");
}

#[test]
fn a_page_that_says_nothing_needs_a_keyword() {
    let folder = Folder::new("look-nothing");
    let page = folder.file("index.html", b"<title>Welcome</title>");
    for (arguments, code, message) in [
        (&["look", "example.com", "--html", &page][..], 2, "--keyword: "),
        (&["look", "not a domain"], 2, "DOMAIN: "),
        (
            &["look", "example.com", "--url", "http://127.0.0.1:1/"],
            2,
            "--url: ",
        ),
    ] {
        let output = ibid(arguments);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    }
}
