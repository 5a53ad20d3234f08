use super::*;
use crate::score::statistics::Dice;
use ibid_model::result::{Pairing, RetrievalSummary, Searched, Stratum};
use proptest::prelude::*;
use serde_json::{Value, json};

/// An answer: question hash, score. Scores under 0 stand for no answer.
pub(crate) type Answers = Vec<(Option<String>, f64)>;

pub(crate) fn paired(scores: &[f64]) -> Answers {
    let numbered = scores.iter().enumerate();
    numbered
        .map(|(n, score)| (Some(format!("{n:016x}")), *score))
        .collect()
}

/// The same scores under questions that no other scan has.
pub(crate) fn of_its_own(tag: u8, scores: &[f64]) -> Answers {
    let numbered = scores.iter().enumerate();
    numbered
        .map(|(n, score)| (Some(format!("{tag:02x}{n:014x}")), *score))
        .collect()
}

pub(crate) fn document(models: &[(&str, Answers)]) -> Value {
    let models: Vec<Value> = models
        .iter()
        .map(|(alias, answers)| {
            let answers: Vec<Value> = answers
                .iter()
                .enumerate()
                .map(|(n, (hash, score))| {
                    let class = match *score {
                        score if score < 0.0 => None,
                        0.0 => Some("none"),
                        score if score < 40.0 => Some("mentioned"),
                        score if score < 70.0 => Some("secondary"),
                        _ => Some("primary"),
                    };
                    json!({"questionId": format!("c{}", n + 1), "questionHash": hash, "class": class,
                           "score": class.map(|_| score), "breakdown": null, "rank": null, "quote": null, "url": null})
                })
                .collect();
            json!({"model": alias, "modelLabel": alias.to_uppercase(), "cited": true, "score": 50.0, "prominence": "secondary",
                   "resolvedModel": format!("{alias}-concrete"), "citedRate": 1.0, "citedRateInterval": null, "linkedRate": 0.0,
                   "rank": null, "scoreInterval": null, "coverage": 1.0, "informativeRate": 1.0, "answers": answers, "error": null})
        })
        .collect();
    json!({
        "domain": "example.com", "keyword": "plumber", "location": null, "overallScore": 50.0, "interval": null, "models": models,
        "radius": {"status": "no_location", "scope": null, "rings": [], "topCompetitors": [], "citationRadiusKm": null,
                   "radiusRangeKm": null, "censored": false, "thresholdPct": 25, "map": null},
        "brandNames": [], "usage": {"questions": 4, "answered": 4, "failed": 0, "promptTokens": 1, "completionTokens": 1, "costUsd": null},
        "method": {"version": "1.0", "language": "en", "templates": [], "webSearch": true, "branded": false, "resamples": 2000},
        "sandbox": true, "warnings": [], "startedAt": "2026-11-21T00:00:00Z", "finishedAt": "2026-11-21T00:00:01Z"
    })
}

pub(crate) fn result(document: Value) -> ScanResult {
    serde_json::from_value(document).unwrap()
}

fn scan(models: &[(&str, Answers)]) -> ScanResult {
    result(document(models))
}

fn compared(first: &ScanResult, second: &ScanResult) -> Comparison {
    let side = |result| Side { id: None, result };
    compare(side(first), side(second))
}

fn codes(comparison: &Comparison) -> Vec<&str> {
    comparison
        .reasons
        .iter()
        .map(|reason| reason.code.as_str())
        .collect()
}

const BEFORE: [f64; 12] = [
    30.0, 0.0, 40.5, 20.0, 50.0, 61.0, 15.0, 40.0, 75.0, 45.0, 15.3, 52.0,
];
/// Twelve cells of which ten differ, by 12.1 points on average.
const GAPS: [f64; 12] = [4.0, 0.0, 9.5, 12.0, 20.0, 3.0, 31.0, 8.0, 0.0, 25.0, 14.7, 18.0];

#[test]
fn the_example_of_the_method_is_a_change() {
    let after: Vec<f64> = BEFORE.iter().zip(GAPS).map(|(score, gap)| score + gap).collect();
    let found = compared(
        &scan(&[("model-1-latest", paired(&BEFORE))]),
        &scan(&[("model-1-latest", paired(&after))]),
    );
    assert_eq!(found.verdict, Verdict::Changed);
    assert!(found.reasons.is_empty(), "{:?}", found.reasons);
    let overall = found.overall;
    assert_eq!(
        (overall.pairing, overall.pairs, overall.differing, overall.mean),
        (Pairing::Paired, 12, 10, Some(12.1))
    );
    assert_eq!(overall.p_value, Some(2.0 / 1_024.0));
    let range = overall.interval.unwrap();
    assert!(
        (range.low - 6.5).abs() < 1.0 && (range.high - 18.0).abs() < 1.5,
        "{range:?}"
    );
    assert!(
        (overall.detectable.unwrap() - 8.9).abs() < 0.1,
        "{:?}",
        overall.detectable
    );
    assert_eq!(
        found.sentence,
        "The score of example.com went from 37 to 49 (+12, 95 % range +6 to +18, p = 0.002) over 12 pairs \
         of answers to 12 questions. That is more than chance would move it."
    );
    let cited = overall.cited.unwrap();
    assert_eq!(
        (cited.gained, cited.lost, cited.p_value),
        (Some(0), Some(0), Some(1.0))
    );
}

#[test]
fn identical_scans_are_within_noise() {
    let one = scan(&[
        ("model-1-latest", paired(&BEFORE)),
        ("model-2-latest", paired(&GAPS)),
    ]);
    let found = compared(&one, &one);
    assert_eq!(found.verdict, Verdict::WithinNoise);
    assert_eq!(
        (found.overall.mean, found.overall.p_value),
        (Some(0.0), Some(1.0))
    );
    assert_eq!(codes(&found), ["few_differences"]);
    assert!(
        found
            .models
            .iter()
            .all(|model| model.difference.verdict == Verdict::WithinNoise)
    );
    assert!(
        found.sentence.contains("is 24 in both (+0,"),
        "{}",
        found.sentence
    );
}

#[test]
fn models_weigh_equally_and_are_corrected_together() {
    // The first model loses everything, the others nothing at all.
    let (high, low) = ([80.0; 8], [0.0; 8]);
    let first = scan(&[
        ("model-1-latest", paired(&high)),
        ("model-2-latest", paired(&[50.0; 4])),
        ("model-3-latest", paired(&high)),
    ]);
    let second = scan(&[
        ("model-1-latest", paired(&low)),
        ("model-2-latest", paired(&[50.0; 4])),
        ("model-3-latest", paired(&high)),
    ]);
    let found = compared(&first, &second);
    assert_eq!(
        (found.overall.first, found.overall.second),
        (Some(70.0), Some(43.3))
    );
    assert_eq!(found.verdict, Verdict::Changed);
    let of = |model: usize| {
        let row = &found.models[model];
        (
            row.difference.verdict,
            row.difference.p_value,
            row.adjusted_p_value,
        )
    };
    assert_eq!(of(0), (Verdict::Changed, Some(1.0 / 128.0), Some(2.0 / 128.0)));
    assert_eq!(
        of(1),
        (Verdict::NotComparable, None, None),
        "four questions of one model cannot decide, paired or not"
    );
    assert_eq!(found.models[1].difference.pairing, Pairing::Paired);
    assert_eq!(of(2), (Verdict::WithinNoise, Some(1.0), Some(1.0)));
    let cited = found.models[0].difference.cited.unwrap();
    assert_eq!((cited.first, cited.second, cited.lost), (1.0, 0.0, Some(8)));
    assert!((cited.p_value.unwrap() - 2.0 / 256.0).abs() < 1e-12);
}

#[test]
fn holm_correction_rejects_a_chance_change_of_one_model() {
    // Six of six: p = 1/32 alone, but three models were tested.
    let flat = [40.0; 6];
    let risen = [50.0; 6];
    let first = scan(&[
        ("model-1-latest", paired(&flat)),
        ("model-2-latest", paired(&flat)),
        ("model-3-latest", paired(&flat)),
    ]);
    let second = scan(&[
        ("model-1-latest", paired(&risen)),
        ("model-2-latest", paired(&flat)),
        ("model-3-latest", paired(&flat)),
    ]);
    let found = compared(&first, &second);
    let row = &found.models[0];
    assert_eq!(
        (row.difference.p_value, row.adjusted_p_value),
        (Some(1.0 / 32.0), Some(3.0 / 32.0))
    );
    assert_eq!(row.difference.verdict, Verdict::WithinNoise);
}

#[test]
fn scans_with_different_settings_are_not_comparable_and_name_the_difference() {
    let models = [("model-1-latest", paired(&BEFORE))];
    let base = scan(&models);
    type Change = fn(&mut Value);
    let place = |name: &str| {
        json!({"text": name, "alternatives": [], "ambiguous": false, "resolved": {"name": name, "admin": "Region", "country": "France",
               "countryCode": "FR", "lat": 45.0, "lon": 4.0, "population": 1, "matched": "exact"}})
    };
    let rows: [(&str, bool, Change); 9] = [
        ("other_domain", true, |it| it["domain"] = json!("other.example")),
        ("other_keyword", true, |it| it["keyword"] = json!("baker")),
        ("other_method", true, |it| it["method"]["version"] = json!("0.9")),
        ("other_web_search", true, |it| {
            it["method"]["webSearch"] = json!(false)
        }),
        ("other_language", true, |it| {
            it["method"]["language"] = json!("fr")
        }),
        ("every_model_changed", true, |it| {
            it["models"][0]["resolvedModel"] = json!("successor")
        }),
        ("sandbox", false, |it| it["sandbox"] = json!(false)),
        ("no_shared_model", false, |it| {
            it["models"][0]["model"] = json!("model-6-latest")
        }),
        ("no_answers", false, |it| it["models"][0]["answers"] = json!([])),
    ];
    for (code, something_left, change) in rows {
        let mut other = document(&models);
        change(&mut other);
        let found = compared(&base, &result(other));
        assert_eq!(found.verdict, Verdict::NotComparable, "{code}");
        let reason = found
            .reasons
            .iter()
            .find(|reason| reason.code == code)
            .expect(code);
        assert!(
            reason.blocks && reason.still_comparable.is_some() == something_left,
            "{reason:?}"
        );
        assert!(found.sentence.contains(&reason.message), "{}", found.sentence);
    }
    let (mut lyon, mut metz) = (document(&models), document(&models));
    lyon["location"] = place("Lyon");
    metz["location"] = place("Metz");
    let found = compared(&result(lyon.clone()), &result(metz));
    assert_eq!(codes(&found), ["other_location", "few_differences"]);
    assert!(
        found
            .sentence
            .contains("Lyon, Region, France and Metz, Region, France"),
        "{}",
        found.sentence
    );
    // The spelling of a place makes no difference.
    let mut written = lyon.clone();
    written["location"]["text"] = json!("lyon, FRANCE");
    assert_eq!(
        compared(&result(lyon), &result(written)).verdict,
        Verdict::WithinNoise
    );
}

#[test]
fn notes_do_not_block() {
    let base = scan(&[
        ("model-1-latest", paired(&BEFORE)),
        ("model-2-latest", paired(&BEFORE)),
    ]);
    let mut other = document(&[
        ("model-1-latest", paired(&BEFORE)),
        ("model-3-latest", paired(&BEFORE)),
    ]);
    other["brandNames"] =
        json!([{"name": "Acme", "source": "request"}, {"name": "Example", "source": "domain"}]);
    other["method"]["branded"] = json!(true);
    other["models"][0]["coverage"] = json!(0.5);
    let found = compared(&base, &result(other));
    assert_eq!(found.verdict, Verdict::WithinNoise);
    assert_eq!(
        codes(&found),
        [
            "other_brand_names",
            "other_models",
            "branded",
            "partial",
            "few_differences"
        ]
    );
    assert_eq!(found.models.len(), 3);
    assert_eq!(found.models[1].difference.pairing, Pairing::None);

    let mut other = document(&[
        ("model-1-latest", paired(&BEFORE)),
        ("model-2-latest", paired(&BEFORE)),
    ]);
    other["models"][1]["resolvedModel"] = json!("successor");
    let found = compared(&base, &result(other));
    assert_eq!((found.verdict, found.overall.pairs), (Verdict::WithinNoise, 12));
    assert_eq!(codes(&found), ["model_changed", "few_differences"]);
    let changed = &found.models[1].difference;
    assert_eq!(
        (changed.verdict, changed.mean, changed.p_value),
        (Verdict::NotComparable, Some(0.0), None)
    );
}

#[test]
fn other_questions_are_compared_unpaired() {
    let alias = "model-1-latest";
    let (low, high) = (
        [0.0, 5.0, 10.0, 0.0, 15.0, 8.0],
        [70.0, 85.0, 90.0, 72.0, 77.0, 99.0],
    );
    let first = scan(&[(alias, of_its_own(1, &low))]);
    let second = scan(&[(alias, of_its_own(2, &high))]);
    let found = compared(&first, &second);
    assert_eq!(
        (found.verdict, found.overall.pairing),
        (Verdict::Changed, Pairing::Unpaired)
    );
    // All 924 divisions are tried; this one and its mirror image are the most extreme.
    assert_eq!(found.overall.p_value, Some(2.0 / 924.0));
    assert_eq!(
        (found.overall.first_answers, found.overall.second_answers),
        (6, 6)
    );
    assert_eq!(codes(&found), ["unpaired"]);
    assert!(found.overall.detectable.unwrap() > 5.0);
    assert_eq!(found.overall.cited.unwrap().gained, None);
    // Results of older versions carry no hashes: their questions do not pair, even with themselves.
    let old: Answers = low.iter().map(|score| (None, *score)).collect();
    let old = scan(&[(alias, old)]);
    assert_eq!(compared(&old, &old).overall.pairing, Pairing::Unpaired);
    // Three against three have 20 divisions: no p under 0.1.
    let (first, second) = (
        scan(&[(alias, of_its_own(1, &low[..3]))]),
        scan(&[(alias, of_its_own(2, &high[..3]))]),
    );
    let found = compared(&first, &second);
    assert_eq!(
        (found.verdict, codes(&found)),
        (Verdict::NotComparable, vec!["too_few_questions"])
    );
    assert_eq!(found.overall.p_value, None);
    assert!(
        found.overall.mean.unwrap() > 70.0,
        "the numbers are there for the eye"
    );
}

#[test]
fn markets_pair_by_ring_and_id() {
    let ring = |scores: &[f64]| {
        let market = |(n, score): (usize, &f64)| {
            json!({"id": n.to_string(), "name": "M", "admin": null, "country": "France", "countryCode": "FR", "lat": 1.0, "lon": 1.0,
                   "population": 1, "distanceKm": 1.0, "bearingDeg": 0.0, "crossBorder": false, "score": score,
                   "citedRate": score / 100.0, "questions": 15, "answered": 15, "topCompetitors": []})
        };
        let markets: Vec<Value> = scores.iter().enumerate().map(market).collect();
        json!({"ring": 1, "fromKm": 0, "toKm": 25, "status": "complete", "score": 50.0, "scoreInterval": null, "answers": 90,
               "citedRate": 0.5, "citedRateInformative": 0.5, "citedRateInterval": null, "markets": markets})
    };
    let with = |scores: &[f64]| {
        let mut it = document(&[("model-1-latest", paired(&BEFORE))]);
        it["radius"]["rings"] = json!([ring(scores)]);
        it
    };
    let (far, near) = (
        with(&[10.0, 20.0, 15.0, 0.0, 5.0, 12.0, 9.0]),
        with(&[40.0, 50.0, 45.0, 38.0, 60.0, 31.0, 30.0]),
    );
    let found = compared(&result(far.clone()), &result(near.clone()))
        .radius
        .unwrap();
    assert_eq!(
        (found.verdict, found.pairs, found.p_value),
        (Verdict::Changed, 7, Some(1.0 / 64.0))
    );
    assert_eq!(found.cited.unwrap().p_value, Some(1.0 / 64.0));
    type Change = fn(&mut Value);
    let unlike: [Change; 3] = [
        |it| it["method"]["templates"] = json!(["list"]),
        |it| it["models"][0]["resolvedModel"] = json!("successor"),
        |it| it["models"][0]["model"] = json!("model-6-latest"),
    ];
    for change in unlike {
        let mut other = near.clone();
        change(&mut other);
        let found = compared(&result(far.clone()), &result(other)).radius.unwrap();
        assert_eq!(
            (found.verdict, found.pairing),
            (Verdict::NotComparable, Pairing::None)
        );
    }
    let mut fewer = near;
    fewer["radius"]["rings"][0]["markets"][0]["questions"] = json!(3);
    assert_eq!(
        compared(&result(far.clone()), &result(fewer))
            .radius
            .unwrap()
            .pairs,
        6
    );
    assert_eq!(
        compared(&result(far), &scan(&[("model-1-latest", paired(&BEFORE))])).radius,
        None
    );
}

/// Scores of a model that recommends at some rate, on the scale of real ones.
fn noisy(dice: &mut Dice, n: usize, tenths: usize) -> Vec<f64> {
    (0..n)
        .map(|_| {
            if dice.below(10) < tenths {
                40.0 + dice.below(600) as f64 / 10.0
            } else {
                0.0
            }
        })
        .collect()
}

/// The number of `rounds` comparisons with a p-value of at most each bound.
fn share_under(rounds: u32, bounds: &[f64], mut p_value: impl FnMut(&mut Dice) -> f64) -> Vec<f64> {
    let mut dice = Dice::new(42);
    let found: Vec<f64> = (0..rounds).map(|_| p_value(&mut dice)).collect();
    let share = |bound: f64| found.iter().filter(|p| **p <= bound).count() as f64 / f64::from(rounds);
    bounds.iter().map(|bound| share(*bound)).collect()
}

#[test]
fn under_the_null_p_values_are_nearly_uniform() {
    let models = ["model-1-latest", "model-2-latest"];
    let bounds = [0.05, 0.2, 0.5, 0.8];
    let one_p = |dice: &mut Dice, tags: [u8; 2], n: usize| {
        let mut side = |tag| {
            let rows: Vec<(&str, Answers)> = models
                .iter()
                .map(|alias| (*alias, of_its_own(tag, &noisy(dice, n, 7))))
                .collect();
            scan(&rows)
        };
        let (first, second) = (side(tags[0]), side(tags[1]));
        compared(&first, &second).overall.p_value.unwrap()
    };
    let paired = share_under(200, &bounds, |dice| one_p(dice, [1, 1], 7));
    let unpaired = share_under(200, &bounds, |dice| one_p(dice, [1, 2], 6));
    for (found, test) in [(paired, "paired"), (unpaired, "unpaired")] {
        for (share, bound) in found.iter().zip(bounds) {
            // Four standard errors of a share of 200, and the steps of an exact test.
            let slack = 4.0 * (bound * (1.0 - bound) / 200.0).sqrt() + 0.01;
            assert!(
                (share - bound).abs() <= slack,
                "{test}: {share} of p-values are under {bound}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn turning_the_scans_round_turns_the_difference_round(seed: u64, n in 1_usize..11, m in 1_usize..11, pair: bool) {
        let mut dice = Dice::new(seed);
        let mut side = |tag, n| scan(&[
            ("model-1-latest", of_its_own(tag, &noisy(&mut dice, n, 6))),
            ("model-2-latest", of_its_own(tag, &noisy(&mut dice, n, 3))),
        ]);
        let (first, second) = (side(1, n), side(if pair { 1 } else { 2 }, m));
        let (there, back) = (compared(&first, &second), compared(&second, &first));
        prop_assert_eq!(there.verdict, back.verdict);
        prop_assert_eq!(codes(&there), codes(&back));
        for (one, other) in [(there.overall, back.overall), (there.models[0].difference, back.models[0].difference)] {
            prop_assert_eq!((one.pairing, one.pairs, one.differing), (other.pairing, other.pairs, other.differing));
            prop_assert_eq!((one.p_value, one.detectable), (other.p_value, other.detectable));
            prop_assert_eq!(one.mean, other.mean.map(|mean| 0.0 - mean));
            prop_assert_eq!((one.first, one.second), (other.second, other.first));
            if let (Some(one), Some(other)) = (one.interval, other.interval) {
                prop_assert!((one.low + other.high).abs() < 0.11 && (one.high + other.low).abs() < 0.11);
            }
        }
    }

    #[test]
    fn the_same_scan_twice_is_never_a_change(seed: u64, n in 6_usize..14) {
        let one = scan(&[("model-1-latest", paired(&noisy(&mut Dice::new(seed), n, 5)))]);
        let found = compared(&one, &one);
        prop_assert_eq!(found.verdict, Verdict::WithinNoise);
        prop_assert_eq!((found.overall.mean, found.overall.p_value), (Some(0.0), Some(1.0)));
    }

    #[test]
    fn a_large_planted_effect_is_found(seed: u64, n in 9_usize..14, pair: bool) {
        let mut dice = Dice::new(seed);
        let low: Vec<f64> = (0..n).map(|_| dice.below(300) as f64 / 10.0).collect();
        let high: Vec<f64> = (0..n).map(|_| 70.0 + dice.below(300) as f64 / 10.0).collect();
        let tag = if pair { 1 } else { 2 };
        let found = compared(
            &scan(&[("model-1-latest", of_its_own(1, &low))]),
            &scan(&[("model-1-latest", of_its_own(tag, &high))]),
        );
        prop_assert_eq!(found.verdict, Verdict::Changed);
        prop_assert!(found.overall.mean.unwrap() > 40.0);
        prop_assert!(found.overall.p_value.unwrap() < 0.01);
    }

    #[test]
    fn results_read_from_a_file_never_panic(scores in prop::collection::vec(-1.0..100.0_f64, 0..30), models in 0_usize..4) {
        let aliases = ["model-1-latest", "model-2-latest", "model-3-latest", "model-4-latest"];
        let rows = |take: usize| -> Vec<(&str, Answers)> {
            aliases.iter().take(take).map(|alias| (*alias, paired(&scores))).collect()
        };
        let found = compared(&scan(&rows(models)), &scan(&rows(3)));
        prop_assert!(!found.sentence.is_empty());
        prop_assert_eq!(found.models.len(), 3.max(models));
    }
}

/// The same answers with this many of each dozen from memory, in a scan of this headline.
fn retrieved(scan: &ScanResult, memory: usize, headline: Stratum) -> ScanResult {
    let mut scan = scan.clone();
    let mut strata = RetrievalSummary {
        headline,
        search_asked: true,
        ..RetrievalSummary::default()
    };
    for model in &mut scan.models {
        for (n, answer) in model.answers.iter_mut().enumerate() {
            let remembered = n % 12 < memory;
            answer.retrieval.searched = if remembered { Searched::No } else { Searched::Yes };
            strata.answers += 1;
            strata.memory += u32::from(remembered);
            strata.searched += u32::from(!remembered);
        }
        model.retrieval = strata;
    }
    scan.retrieval = strata;
    scan
}

#[test]
fn a_searched_headline_and_one_from_memory_cannot_be_compared() {
    let scan = scan(&[("model-1-latest", paired(&BEFORE))]);
    let searched = retrieved(&scan, 0, Stratum::Searched);
    let memory = retrieved(&scan, 12, Stratum::Memory);
    let found = compared(&searched, &memory);
    assert_eq!(found.verdict, Verdict::NotComparable);
    assert_eq!(codes(&found)[0], "other_retrieval");
    assert!(found.sentence.contains("from memory"), "{}", found.sentence);
    assert_eq!(found.models[0].difference.verdict, Verdict::NotComparable);
    // The numbers are given all the same.
    assert_eq!(found.overall.pairs, 12);
    // An older scan does not know; that is said and does not block.
    let found = compared(&scan, &memory);
    assert_eq!(
        (found.verdict, codes(&found)[0]),
        (Verdict::WithinNoise, "unknown_retrieval")
    );
}

#[test]
fn answers_from_memory_are_left_out_and_a_share_apart_is_said() {
    let scan = scan(&[("model-1-latest", paired(&BEFORE))]);
    let all = retrieved(&scan, 0, Stratum::Searched);
    let found = compared(&all, &retrieved(&scan, 3, Stratum::Searched));
    assert_eq!((found.overall.pairs, found.verdict), (9, Verdict::WithinNoise));
    assert!(codes(&found).contains(&"searched_share"), "{:?}", found.reasons);
    assert!(found.reasons.iter().all(|reason| !reason.blocks));
    // Two of twelve are 17 points.
    let found = compared(&all, &retrieved(&scan, 2, Stratum::Searched));
    assert!(!codes(&found).contains(&"searched_share"), "{:?}", found.reasons);
}

#[test]
fn a_model_outside_the_headline_is_left_out_of_the_overall_difference() {
    let mut first = retrieved(
        &scan(&[
            ("model-1-latest", paired(&BEFORE)),
            ("model-2-latest", paired(&BEFORE)),
        ]),
        0,
        Stratum::Searched,
    );
    first.models[1].retrieval.headline = Stratum::Memory;
    for answer in &mut first.models[1].answers {
        answer.retrieval.searched = Searched::No;
    }
    let found = compared(&first, &first.clone());
    assert_eq!(found.overall.pairs, 12);
    assert!(codes(&found).contains(&"model_set_aside"));
    // It is compared with itself.
    assert_eq!(found.models[1].difference.pairs, 12);
    first.models.remove(0);
    let found = compared(&first, &first.clone());
    assert_eq!(found.verdict, Verdict::NotComparable);
    assert!(
        found
            .sentence
            .contains("does not rest on the answers of model-2-latest"),
        "{}",
        found.sentence
    );
}
