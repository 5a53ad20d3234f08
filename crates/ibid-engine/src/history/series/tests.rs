use super::*;
use crate::compare::tests::{document, of_its_own, paired, result};
use crate::history::sentences;
use crate::score::statistics::Dice;
use ibid_model::ScanId;
use serde_json::{Value, json};

/// Thirty questions, of which `citing` in ten are cited, but for one time in ten.
fn scores(citing: usize, week: usize) -> Vec<f64> {
    let mut dice = Dice::new(week as u64);
    (0..30)
        .map(|n| {
            if n % 10 < citing && dice.below(10) > 0 {
                60.0
            } else {
                0.0
            }
        })
        .collect()
}

fn scan(citing: usize, week: usize) -> Value {
    let mut scan = document(&[("a", paired(&scores(citing, week)))]);
    let day = week + 1;
    scan["finishedAt"] = json!(format!("2026-10-{day:02}T10:00:00Z"));
    scan
}

/// A change to the document of a scan.
type Edit = fn(&mut Value);

fn of(documents: Vec<Value>) -> (Result<History, NotOneSeries>, Vec<String>) {
    let results: Vec<ScanResult> = documents.into_iter().map(result).collect();
    let ids: Vec<ScanId> = results.iter().map(|_| ScanId::random()).collect();
    let sides = results.iter().zip(&ids).map(|(result, id)| Side {
        id: Some(*id),
        result,
    });
    let sides: Vec<Side<'_>> = sides.collect();
    let found = history(&sides);
    let words = found
        .as_ref()
        .map(|found| sentences(found, &sides))
        .unwrap_or_default();
    (found, words)
}

fn found(documents: Vec<Value>) -> History {
    of(documents).0.unwrap()
}

#[test]
fn a_fall_is_one_change_with_its_size_and_begins_a_new_level() {
    let weeks = (0..16)
        .map(|week| scan(if week < 8 { 9 } else { 3 }, week))
        .collect();
    let (history, words) = of(weeks);
    let history = history.unwrap();
    assert_eq!(history.runs, 16);
    let [change] = &history.changes[..] else {
        panic!("{:?}", history.changes)
    };
    assert!(
        change.difference < -20.0 && change.before > change.after,
        "{change:?}"
    );
    let range = change.interval.unwrap();
    assert!(range.low < change.difference && change.difference < range.high && range.high < 0.0);
    let level = history.level.unwrap();
    assert!(level.since == change.since && level.runs == 8, "{level:?}");
    assert!(
        (level.score.get() - change.after).abs() < 3.0,
        "{level:?} {change:?}"
    );
    assert!(history.notes.is_empty());
    assert!(
        words
            .iter()
            .any(|line| line.starts_with("Fell from 5") && line.contains(" about 9 October; noticed ")),
        "{words:?}"
    );
    assert!(
        words
            .iter()
            .any(|line| line.starts_with("Since 9 October, 8 runs: ")),
        "{words:?}"
    );
}

#[test]
fn without_a_change_the_level_rests_on_the_last_twelve_runs() {
    let (history, words) = of((0..15).map(|week| scan(6, week)).collect());
    let history = history.unwrap();
    assert!(history.changes.is_empty());
    assert_eq!(history.level.unwrap().runs, 12);
    assert!(words.contains(&"No change.".to_owned()), "{words:?}");
    let (one, words) = of(vec![scan(6, 0)]);
    assert_eq!(one.unwrap().level, None);
    assert_eq!(words.last().unwrap(), "A change shows from 4 runs on.");
}

#[test]
fn another_model_set_count_or_method_is_noted_and_is_no_change() {
    let weeks = |change: Edit| -> History {
        let weeks = (0..12).map(|week| {
            let mut scan = scan(if week < 6 { 9 } else { 2 }, week);
            if week >= 6 {
                change(&mut scan);
            }
            scan
        });
        found(weeks.collect())
    };
    let kinds = |history: &History| history.notes.iter().map(|note| note.kind).collect::<Vec<_>>();
    let model = weeks(|scan| scan["models"][0]["resolvedModel"] = json!("a-next"));
    assert_eq!(
        (kinds(&model), model.changes.len()),
        (vec![HistoryNoteKind::Model], 0)
    );
    assert_eq!(model.level.unwrap().runs, 6);
    let method = weeks(|scan| scan["method"]["version"] = json!("9.0"));
    assert_eq!(
        (kinds(&method), method.changes.len()),
        (vec![HistoryNoteKind::Method], 0)
    );
    let set =
        weeks(|scan| scan["models"] = document(&[("a", of_its_own(7, &scores(2, 3)))])["models"].clone());
    assert!(set.changes.is_empty());
    assert_eq!(kinds(&set), [HistoryNoteKind::Set]);
}

#[test]
fn answers_of_another_form_are_noted_and_still_compared() {
    let week = |week: usize, prose: usize| {
        let mut scan = scan(6, week);
        for (n, answer) in scan["models"][0]["answers"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .enumerate()
        {
            answer["form"] = json!(if n < prose { "prose" } else { "table" });
        }
        scan
    };
    let noted = |prose: [usize; 6]| {
        let history = found(
            prose
                .into_iter()
                .enumerate()
                .map(|(n, prose)| week(n, prose))
                .collect(),
        );
        assert_eq!(history.level.unwrap().runs, 6);
        history.notes
    };
    // From .2 of thirty answers to .5; an answer less is no note.
    let [note] = noted([6, 6, 6, 15, 15, 15])[..] else {
        panic!("one note")
    };
    assert_eq!(note.kind, HistoryNoteKind::Form);
    assert_eq!(noted([6, 6, 6, 14, 14, 14]), []);
}

#[test]
fn a_level_holds_the_error_of_reading_as_its_scans_do() {
    let level = |language: &str, error: Value| {
        let weeks = (0..6).map(|week| {
            let mut scan = scan(6, week);
            scan["method"]["language"] = json!(language);
            scan["readingError"] = error.clone();
            scan
        });
        found(weeks.collect()).level.unwrap()
    };
    let (old, english, japanese) = (
        level("en", Value::Null),
        level("en", json!(7.0)),
        level("ja", json!(23.0)),
    );
    assert_eq!((old.sampling_interval, old.reading_error), (None, None));
    for (level, tau) in [(english, 6.0), (japanese, 20.0)] {
        assert_eq!(level.sampling_interval, Some(old.interval));
        let error = level.reading_error.unwrap();
        // About 54 of 100 answers name the website.
        assert!((error / (1.96 * tau) - 0.54).abs() < 0.06, "{level:?}");
        let low = old.score.get() - (old.score.get() - old.interval.low).hypot(error);
        assert!((level.interval.low - low.max(0.0)).abs() < 0.06, "{level:?}");
    }
}

#[test]
fn scans_of_something_else_are_no_series() {
    let other = |change: Edit| -> String {
        let mut second = scan(5, 1);
        change(&mut second);
        of(vec![scan(5, 0), second]).0.unwrap_err().to_string()
    };
    let cases: [(Edit, &str); 4] = [
        (
            |scan| scan["domain"] = json!("example.org"),
            "scan 2 has another website than the first: example.org",
        ),
        (
            |scan| scan["keyword"] = json!("roofer"),
            "scan 2 has another keyword than the first: roofer",
        ),
        (
            |scan| scan["method"]["language"] = json!("de"),
            "scan 2 has another language than the first: de",
        ),
        (
            |scan| scan["models"][0]["model"] = json!("b"),
            "scan 2 has no model in common with the scan before it",
        ),
    ];
    for (change, message) in cases {
        assert_eq!(other(change), message);
    }
}

/// Ten questions to each of three models, of which the second may be silent.
fn three(silent: bool, week: usize) -> Value {
    let mut dice = Dice::new(week as u64 + 100);
    let mut scores = |silent: bool| -> Vec<f64> {
        let often = |n: usize| n % 10 < 7;
        (0..10)
            .map(|n| match often(n) != (dice.below(12) == 0) && !silent {
                true => 60.0,
                false => 0.0,
            })
            .collect()
    };
    let models = [
        ("a", paired(&scores(false))),
        ("b", paired(&scores(silent))),
        ("c", paired(&scores(false))),
    ];
    let mut scan = document(&models);
    scan["finishedAt"] = json!(format!("2026-10-{:02}T10:00:00Z", week + 1));
    scan
}

#[test]
fn a_change_names_the_model_that_carries_it() {
    let weeks: Vec<Value> = (0..14).map(|week| three(week >= 8, week)).collect();
    let (history, words) = of(weeks);
    let history = history.unwrap();
    let [change] = &history.changes[..] else {
        panic!("{:?}", history.changes)
    };
    assert_eq!(change.explanation, Explanation::Named, "{change:?}");
    let [cause] = &change.causes[..] else {
        panic!("{:?}", change.causes)
    };
    assert_eq!((cause.after.cited, cause.after.answers), (0, 60), "{cause:?}");
    assert_eq!(cause.before.answers, 80, "{cause:?}");
    assert!(cause.points.unwrap() < -10.0, "{cause:?}");
    let told = format!(
        "B stopped naming you: 0 of 60 answers since 9 October, {} of 80 before.",
        cause.before.cited
    );
    assert!(cause.sentence.starts_with(&told), "{}", cause.sentence);
    assert!(
        cause.sentence.ends_with("The other models did not change."),
        "{}",
        cause.sentence
    );
    assert!(words.last().unwrap().ends_with(&change.why), "{words:?}");
}

#[test]
fn a_change_that_all_models_share_has_no_culprit() {
    let weeks = (0..16).map(|week| {
        let often = if week < 8 { 9 } else { 3 };
        let models: Vec<(&str, _)> = ["a", "b", "c"]
            .into_iter()
            .zip(0..)
            .map(|(name, n)| (name, paired(&scores(often, week + 40 * n))))
            .collect();
        let mut scan = document(&models);
        scan["finishedAt"] = json!(format!("2026-10-{:02}T10:00:00Z", week + 1));
        scan
    });
    let history = found(weeks.collect());
    let change = history.changes.last().unwrap();
    assert_eq!(change.explanation, Explanation::Alike, "{change:?}");
    assert_eq!(change.why, "All 3 models name you less, about alike.");
}
