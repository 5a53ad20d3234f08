//! Checks of the stored question sets: scans name their versions, so none may be missing or changed.

use super::Report;
use crate::settings::Settings;
use anyhow::Context as _;
use ibid_engine::questions::hash;
use ibid_model::{OwnQuestion, QuestionSetName};
use ibid_store::{QuestionSetRecord, QuestionsRecord, Store};

const TOPIC: &str = "question sets";

pub(super) fn check(report: &mut Report, settings: &Settings) {
    report.stored(settings, TOPIC, |report, store| {
        let (sets, versions) = check_all(report, store)?;
        report.good(TOPIC, format!("{sets} sets with {versions} versions were read"));
        Ok(())
    });
}

/// Reports every fault, and returns the numbers of sets and versions.
fn check_all(report: &mut Report, store: &Store) -> anyhow::Result<(usize, usize)> {
    let sets = store.question_sets(None)?;
    let mut count = 0;
    for set in &sets {
        let versions = store.question_versions(None, set.id)?;
        count += versions.len();
        for fault in faults(set, &versions)? {
            let name = QuestionSetName {
                id: set.id,
                version: None,
            };
            report.fault(TOPIC, format!("{name}: {fault}; restore a backup"));
        }
    }
    Ok((sets.len(), count))
}

fn faults(set: &QuestionSetRecord, versions: &[QuestionsRecord]) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    let missing = (1..=set.latest).filter(|number| versions.iter().all(|version| version.version != *number));
    faults.extend(missing.map(|number| format!("version {number} is missing")));
    for version in versions {
        let number = version.version;
        let questions: Vec<OwnQuestion> = serde_json::from_slice(&version.questions.unpack()?)
            .with_context(|| format!("reading version {number}"))?;
        if hash(&questions) != version.hash {
            faults.push(format!("the questions of version {number} do not have its hash"));
        } else if questions.len() as u64 != u64::from(version.count) {
            faults.push(format!(
                "version {number} has another number of questions than it was stored with"
            ));
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_model::QuestionSetId;
    use ibid_store::{NewQuestions, PackedAnswers, QuestionSetTerms, Store};

    #[test]
    fn a_version_that_was_changed_is_a_fault() {
        let store = Store::in_memory().unwrap();
        let questions = PackedAnswers::of(br#"["best plumber","cheap plumber"]"#).unwrap();
        let parsed: Vec<OwnQuestion> = serde_json::from_slice(&questions.unpack().unwrap()).unwrap();
        let add = |hash: &str, count| {
            let first = NewQuestions {
                hash,
                source: "written",
                count,
                questions: &questions,
            };
            let terms = QuestionSetTerms {
                name: "panel",
                ..QuestionSetTerms::default()
            };
            let id = QuestionSetId::random();
            assert!(store.add_question_set("api", id, terms, first, 9, 0).unwrap());
        };
        let mut report = Report::default();
        add(&hash(&parsed), 2);
        assert_eq!(check_all(&mut report, &store).unwrap(), (1, 1));
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        add("another", 2);
        add(&hash(&parsed), 3);
        assert_eq!(check_all(&mut report, &store).unwrap(), (3, 3));
        let texts: Vec<&str> = report.findings.iter().map(|(_, _, text)| text.as_str()).collect();
        assert_eq!(texts.len(), 2);
        assert!(
            texts
                .iter()
                .any(|text| text.contains("version 1 do not have its hash"))
        );
        assert!(
            texts
                .iter()
                .any(|text| text.contains("another number of questions"))
        );
    }
}
