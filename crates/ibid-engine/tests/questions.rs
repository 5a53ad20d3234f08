//! A review of the questions of 200 keywords in every language.

#![cfg(test)]
#![cfg(feature = "scan")]

use ibid_engine::plan::{Plan, PlanOptions};
use ibid_model::{Catalog, ScanDraft, ScanForm};
use serde_json::{Value, json};

/// Keywords of every form: singular, plural, mass noun, brand category, phrase, other languages.
const KEYWORDS: &str = include_str!("keywords.txt");

/// A place for each language, its main name in Latin letters, and the phrase that people use.
const PLACES: [(&str, &str, &str, &str); 17] = [
    ("en", "Leeds, England", "", "in Leeds"),
    ("es", "Valencia, Spain", "", "en Valencia"),
    ("de", "Munich", "", "in München"),
    ("fr", "Geneva", "", "à Genève"),
    ("pt", "São Paulo", "", "em São Paulo"),
    ("it", "Milan", "", "a Milano"),
    ("nl", "The Hague", "", "in Den Haag"),
    ("ja", "Osaka", "Osaka", "大阪"),
    ("ar", "Cairo", "Cairo", "في القاهرة"),
    ("hi", "Delhi", "Delhi", "दिल्ली में"),
    ("ko", "Busan", "Busan", "부산"),
    ("pl", "Wroclaw", "", "we Wrocławiu"),
    ("ru", "Kazan", "Kazan", "в Казани"),
    ("sv", "Gothenburg", "", "i Göteborg"),
    ("tr", "Istanbul", "", "İstanbul'da"),
    ("zh", "Shanghai", "Shanghai", "上海"),
    ("zh-Hant", "Taipei", "Taipei", "台北"),
];

fn plan(keyword: &str, location: &str, language: &str) -> Plan {
    let Value::Object(body) = json!({
        "domain": "example.com", "keyword": keyword, "location": location, "language": language,
        "questionsPerModel": 10, "rings": [1], "keywordsPerRing": 20, "queriesPerKeyword": 1,
        "models": ["model-3-latest"],
    }) else {
        panic!("a body is an object")
    };
    let order = ScanDraft(&body)
        .parse(&Catalog::builtin(), ScanForm::Byok)
        .unwrap();
    Plan::of(order, PlanOptions::default()).unwrap()
}

/// The faults of one question.
fn faults(text: &str, keyword: &str, latin: &str) -> Vec<&'static str> {
    let words: Vec<String> = text
        .split(|c: char| c.is_whitespace() || ",.:?!;".contains(c))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let keyword_words = keyword.to_lowercase();
    let mut faults = Vec::new();
    // "cash and carry and …" may repeat a word that the keyword repeats itself.
    if words
        .windows(2)
        .any(|pair| pair[0] == pair[1] && !keyword_words.contains(&format!("{0} {0}", pair[0])))
    {
        faults.push("a word stands twice");
    }
    const PREPOSITIONS: [&str; 22] = [
        "in", "en", "à", "a", "em", "i", "w", "we", "в", "во", "в", "at", "no", "na", "nel", "au", "aux",
        "im", "من", "في", "для", "för",
    ];
    let is = |word: &String| PREPOSITIONS.contains(&word.as_str());
    if words.windows(2).any(|pair| is(&pair[0]) && is(&pair[1])) {
        faults.push("two prepositions in a row");
    }
    let plural =
        |word: &str| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us");
    if words.windows(2).any(|pair| {
        [
            "a", "an", "un", "una", "une", "um", "uma", "ein", "eine", "einen", "een",
        ]
        .contains(&pair[0].as_str())
            && plural(&pair[1])
            && keyword_words.starts_with(pair[1].as_str())
    }) {
        faults.push("an article before a plural");
    }
    if !latin.is_empty() && text.contains(latin) && !keyword.contains(latin) {
        faults.push("a Latin name where there is a local one");
    }
    if text.contains(['{', '}', '[', ']', '~', '|']) || text.contains("  ") || text.starts_with(' ') {
        faults.push("a slot that was not filled");
    }
    if text.chars().count() > 300 {
        faults.push("longer than 300 characters");
    }
    faults
}

#[test]
fn every_question_of_200_keywords_passes_the_review() {
    let keywords: Vec<&str> = KEYWORDS.lines().filter(|line| !line.is_empty()).collect();
    assert!(keywords.len() >= 200, "{}", keywords.len());
    let mut found = Vec::new();
    let mut count = 0;
    for (language, location, latin, spoken) in PLACES {
        for keyword in &keywords {
            let plan = plan(keyword, location, language);
            assert!(
                plan.questions()[1].text.contains(spoken) || keyword.contains(spoken),
                "{}",
                plan.questions()[1].text
            );
            for question in plan.questions() {
                count += 1;
                found.extend(
                    faults(&question.text, keyword, latin)
                        .into_iter()
                        .map(|fault| format!("{language}: {fault}: {}", question.text)),
                );
            }
        }
    }
    assert!(count > 100_000, "{count}");
    assert!(
        found.is_empty(),
        "{} of {count}:\n{}",
        found.len(),
        found[..found.len().min(40)].join("\n")
    );
}

/// Questions to read by eye: `cargo test -p ibid-engine --test questions -- --nocapture a_sample`.
#[test]
fn a_sample_of_each_language_is_stable() {
    let mut sample = String::new();
    for (index, (language, location, _, _)) in PLACES.into_iter().enumerate() {
        let keywords: Vec<&str> = KEYWORDS.lines().filter(|line| !line.is_empty()).collect();
        for step in 0..20 {
            let keyword = keywords[(index * 37 + step * 11) % keywords.len()];
            let plan = plan(keyword, location, language);
            let question = &plan.questions()[(step * 7 + index) % plan.questions().len()];
            sample.push_str(&format!("{language}\t{keyword}\t{}\n", question.text));
        }
    }
    println!("{sample}");
    assert_eq!(sample.lines().count(), 17 * 20);
}
