//! The invented world is stable, varied, and shaped as documented.

use super::*;
use crate::prompt::{Scene, WebSearch};
use futures_util::FutureExt as _;
use ibid_model::Finish;
use ibid_model::result::Searched;
use std::collections::{HashMap, HashSet};

const MODELS: [&str; 6] = [
    "~openai/gpt-sol-latest",
    "~anthropic/claude-opus-latest",
    "~google/gemini-pro-latest",
    "perplexity/sonar-pro",
    "~x-ai/grok-latest",
    "~deepseek/deepseek-pro-latest",
];

pub(super) fn prompt(model: &str, domain: &str, question: usize, distance_km: f64) -> Prompt {
    Prompt {
        model: model.to_owned(),
        text: format!("Question {question}: which dentist in Sevilla would you recommend?"),
        search: WebSearch::Tool,
        engine: None,
        force_search: false,
        resume: None,
        place: None,
        max_tokens: 2_000,
        deadline: Instant::now() + Duration::from_secs(60),
        share: crate::Share::default(),
        scene: Scene {
            domain: domain.parse().unwrap(),
            keyword: "dentist".to_owned(),
            place: Some("Sevilla".to_owned()),
            distance_km: Some(distance_km),
            language: "en".to_owned(),
        },
    }
}

fn ask(sandbox: &Sandbox, key: &str, prompt: &Prompt) -> Result<Completion, ProviderError> {
    let key = key.parse().unwrap();
    sandbox.ask(&key, prompt).now_or_never().unwrap()
}

fn cites(completion: &Completion, domain: &str, brand: &str) -> bool {
    let text = completion.text.to_lowercase();
    text.contains(brand)
        || text.contains(domain)
        || completion
            .citations
            .iter()
            .any(|citation| citation.url.contains(domain) || citation.title.as_deref() == Some(domain))
}

#[test]
fn the_same_question_has_the_same_answer_and_others_differ() {
    let sandbox = Sandbox::new(1);
    let asked = prompt(MODELS[0], "clinicasol.es", 1, 0.0);
    let answer = ask(&sandbox, "sandbox", &asked).unwrap();
    let mut later = asked.clone();
    later.deadline += Duration::from_secs(5);
    assert_eq!(ask(&sandbox, "another-key", &later).unwrap(), answer);
    assert_eq!(ask(&Sandbox::new(1), "sandbox", &asked).unwrap(), answer);
    let others = [
        ask(&Sandbox::new(2), "sandbox", &asked),
        ask(&sandbox, "sandbox", &prompt(MODELS[1], "clinicasol.es", 1, 0.0)),
        ask(&sandbox, "sandbox", &prompt(MODELS[0], "clinicasol.es", 2, 0.0)),
    ];
    for other in others {
        assert_ne!(other.unwrap().text, answer.text);
    }
}

#[test]
fn two_keys_fail_on_purpose() {
    let sandbox = Sandbox::new(1);
    let asked = prompt(MODELS[0], "clinicasol.es", 1, 0.0);
    assert_eq!(ask(&sandbox, "invalid", &asked), Err(ProviderError::KeyRejected));
    assert_eq!(ask(&sandbox, "broke", &asked), Err(ProviderError::NoCredit));
}

#[test]
fn citations_thin_out_with_distance() {
    let sandbox = Sandbox::new(1);
    let rate = |domain: &str, brand: &str, distance_km: f64| {
        let asked = MODELS.iter().flat_map(|model| (0..50).map(move |n| (model, n)));
        let cited = asked.filter(|(model, n)| {
            let answer = ask(&sandbox, "k", &prompt(model, domain, *n, distance_km)).unwrap();
            cites(&answer, domain, brand)
        });
        cited.count() as f64 / 300.0
    };
    for (domain, brand) in [("clinicasol.es", "clinicasol"), ("dentalux.com", "dentalux")] {
        let truth = sandbox.visibility(&domain.parse().unwrap());
        let (home, away) = (
            rate(domain, brand, 0.0),
            rate(domain, brand, 2.0 * truth.reach_km),
        );
        // Six models differ by chance; 2 reaches leave e^-2 of the rate.
        assert!(
            (home - truth.strength).abs() < 0.17,
            "{domain}: {home} of {truth:?}"
        );
        assert!(away < 0.35 * home, "{domain}: {away} after {home}");
        assert_eq!(rate(domain, brand, 5_000.0), 0.0);
    }
}

#[test]
fn answers_look_like_answers_in_every_language() {
    let sandbox = Sandbox::new(1);
    for words in tables::TABLES.languages() {
        let mut forms: HashMap<&str, usize> = HashMap::new();
        for model in MODELS {
            for question in 0..40 {
                let mut asked = prompt(model, "clinicasol.es", question, 0.0);
                asked.scene.language = words.tag.clone();
                let answer = ask(&sandbox, "k", &asked).unwrap();
                assert!(!answer.text.trim().is_empty() && answer.text.len() < 8_000);
                assert!(answer.citations.len() <= 100);
                let usage = answer.usage;
                assert!(usage.prompt_tokens > 100 && usage.completion_tokens > 5);
                assert!((1_000..400_000).contains(&usage.cost.unwrap().get()), "{usage:?}");
                assert!(!answer.model.unwrap().contains(['~', ' ']));
                let text = &answer.text;
                for (form, seen) in [
                    ("numbers", text.contains("\n2. ")),
                    ("bullets", text.contains("\n- **")),
                    ("table", text.contains("|---|")),
                    ("headings", text.contains("### 2.")),
                    ("links", text.contains("](https://")),
                    ("refused", answer.finish == Finish::Refused),
                    (
                        "zero span",
                        answer.citations.iter().any(|c| c.span == Some((0, 0))),
                    ),
                    (
                        "real span",
                        answer
                            .citations
                            .iter()
                            .any(|c| c.span.is_some_and(|(_, end)| end > 0)),
                    ),
                ] {
                    *forms.entry(form).or_default() += usize::from(seen);
                }
            }
        }
        let rare = forms.iter().filter(|(_, n)| **n == 0).collect::<Vec<_>>();
        assert!(
            rare.iter().all(|(form, _)| **form == "refused"),
            "{}: {rare:?}",
            words.tag
        );
    }
}

#[test]
fn the_same_competitors_come_back() {
    let sandbox = Sandbox::new(1);
    let mut seen: HashMap<String, HashSet<&str>> = HashMap::new();
    for model in MODELS {
        for question in 0..20 {
            let answer = ask(&sandbox, "k", &prompt(model, "clinicasol.es", question, 0.0)).unwrap();
            for competitor in competitors::competitors(1, &prompt(model, "clinicasol.es", 0, 0.0).scene) {
                if answer.text.contains(&competitor.name.shown) {
                    seen.entry(competitor.name.shown).or_default().insert(model);
                }
            }
        }
    }
    assert!(
        seen.values().filter(|models| models.len() >= 4).count() >= 6,
        "{seen:?}"
    );
}

#[test]
fn without_search_there_are_no_sources() {
    let sandbox = Sandbox::new(1);
    for question in 0..50 {
        let mut asked = prompt(MODELS[3], "clinicasol.es", question, 0.0);
        asked.search = WebSearch::Off;
        let answer = ask(&sandbox, "k", &asked).unwrap();
        assert!(answer.citations.is_empty() && answer.usage.searches == Some(0));
    }
}

#[test]
fn three_models_have_habits_of_their_own() {
    let sandbox = Sandbox::new(1);
    let searched = |model: &str, forced: bool| {
        let asked = (0..400).map(|n| Prompt {
            force_search: forced,
            ..prompt(model, "clinicasol.es", n, 0.0)
        });
        let answers = asked.map(|asked| ask(&sandbox, "k", &asked).unwrap());
        let searched = answers.filter(|answer| {
            let retrieval = &answer.retrieval;
            let yes = retrieval.searched == Searched::Yes;
            assert_eq!(yes, answer.usage.searches > Some(0));
            assert!(yes || (answer.citations.is_empty() && retrieval.engine.is_none()));
            yes
        });
        searched.count()
    };
    for model in MODELS {
        assert_eq!(
            (searched(model, false), searched(model, true)),
            (400, 400),
            "{model}"
        );
    }
    assert_eq!(
        (
            searched("sandbox/never-searches", false),
            searched("sandbox/never-searches", true)
        ),
        (0, 0)
    );
    let some = |count: usize| (250..310).contains(&count);
    assert!(some(searched("sandbox/searches-70", false)));
    assert_eq!(searched("sandbox/searches-70", true), 400);
    assert!(some(searched("sandbox/ignores-forcing", false)));
    assert!(some(searched("sandbox/ignores-forcing", true)));
}

#[test]
fn answers_of_two_days_differ_in_words_and_agree_mostly_about_the_domain() {
    let cited = |day: u32| -> Vec<(String, bool)> {
        let sandbox = Sandbox::new(1).with_day(day);
        let asked = (0..300).map(|n| prompt(MODELS[0], "clinicasol.es", n, 0.0));
        asked
            .map(|asked| ask(&sandbox, "k", &asked).unwrap())
            .map(|answer| {
                let cited = cites(&answer, "clinicasol.es", "clinicasol");
                (answer.text, cited)
            })
            .collect()
    };
    let (one, other) = (cited(20_700), cited(20_701));
    assert_eq!(one, cited(20_700));
    let pairs = || one.iter().zip(&other);
    assert!(pairs().filter(|(one, other)| one.0 != other.0).count() > 290);
    let agreeing = pairs().filter(|(one, other)| one.1 == other.1).count();
    assert!((230..285).contains(&agreeing), "{agreeing} of 300");
}

#[test]
fn searches_are_as_many_and_as_large_as_the_table_expects() {
    let (sandbox, table) = (Sandbox::new(1), ibid_model::Catalog::builtin());
    for (row, model) in table.models().iter().zip(MODELS) {
        let answers = (0..300).map(|n| {
            let mut asked = prompt(model, "clinicasol.es", n, 0.0);
            if row.grounding == ibid_model::Grounding::Builtin {
                asked.search = WebSearch::Builtin;
            }
            ask(&sandbox, "k", &asked).unwrap().usage
        });
        let (tokens, searches) = answers.fold((0, 0), |(tokens, searches), usage| {
            (
                tokens + usage.prompt_tokens,
                searches + usage.searches.unwrap_or(0),
            )
        });
        let near = |seen: f64, expected: u32| (seen / f64::from(expected) - 1.0).abs() < 0.1;
        let (tokens, percent) = (tokens as f64 / 300.0, f64::from(searches) / 3.0);
        assert!(
            near(tokens, row.expected.grounding_tokens),
            "{model}: {tokens} prompt tokens"
        );
        assert!(
            near(percent, row.expected.searches_percent),
            "{model}: {percent} searches of a hundred"
        );
    }
}

#[test]
fn faults_are_a_share_and_always_the_same() {
    let sandbox = Sandbox::new(1).with_faults(0.3);
    let failed = |sandbox: &Sandbox| -> Vec<usize> {
        (0..400)
            .filter(|n| ask(sandbox, "k", &prompt(MODELS[0], "a.com", *n, 0.0)).is_err())
            .collect()
    };
    let first = failed(&sandbox);
    assert!((90..150).contains(&first.len()), "{}", first.len());
    assert_eq!(first, failed(&sandbox.clone()));
}

#[test]
fn a_passed_deadline_is_a_timeout() {
    let mut asked = prompt(MODELS[0], "a.com", 1, 0.0);
    asked.deadline = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let key: ProviderKey = "k".parse().unwrap();
    let answer = runtime.block_on(Sandbox::new(1).ask(&key, &asked).into_future());
    assert_eq!(answer, Err(ProviderError::Timeout));
}

#[test]
fn a_strength_and_an_older_release_replace_those_of_the_world() {
    let domain = "clinicasol.es";
    let cited = |sandbox: &Sandbox| {
        let asked = (0..200).map(|question| prompt(MODELS[question % 3], domain, question, 0.0));
        asked
            .filter(|asked| cites(&ask(sandbox, "sandbox", asked).unwrap(), domain, "clinicasol"))
            .count()
    };
    let (weak, strong) = (
        Sandbox::new(1).with_strength(0.3),
        Sandbox::new(1).with_strength(0.9),
    );
    assert_eq!(weak.visibility(&domain.parse().unwrap()).strength, 0.3);
    assert!(cited(&weak) + 60 < cited(&strong));
    let asked = prompt(MODELS[0], domain, 1, 0.0);
    let model = |sandbox: &Sandbox| ask(sandbox, "sandbox", &asked).unwrap().model.unwrap();
    let (now, before) = (
        model(&Sandbox::new(1)),
        model(&Sandbox::new(1).with_older_models()),
    );
    assert!(before < now, "{before} {now}");
}
