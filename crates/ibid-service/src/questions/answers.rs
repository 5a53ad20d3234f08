//! What the last scans of a question set found: whether the answers to each question name anyone.

use super::handle::Questions;
use super::sets::QuestionSetView;
use crate::error::Error;
use crate::job::Reader;
use ibid_engine::Evidence;
use ibid_model::{AccountId, ModelAlias, OwnQuestion, PLACE_SLOT, RunState};
use ibid_store::RunQuery;
use std::collections::BTreeSet;

/// An account's latest scans, among which those with a set are looked for. Twice as many rarely help, because a panel is
/// scanned weekly.
const MOST_SCANS: u32 = 100;
/// Scans of the set that are read: a question that names nobody in two is to be replaced.
const RUNS: usize = 2;

/// The answers to a question in the last scan that asked it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastAnswer {
    /// Models that answered.
    pub models: usize,
    /// Those whose answers name a provider.
    pub naming: usize,
    /// The last scans, of two at most, in which no answer named anyone.
    pub silent_runs: usize,
}

impl Questions {
    /// Reads what the last scans found about each question in a set; `None` for one that was not answered.
    pub async fn last_answers(
        &self,
        account: AccountId,
        view: &QuestionSetView,
    ) -> Result<Vec<Option<LastAnswer>>, Error> {
        let name = ibid_model::QuestionSetName {
            id: view.set.id,
            version: None,
        };
        let quoted = format!("\"{name}\"");
        let found = self.db().call(move |store| {
            let query = RunQuery {
                most: MOST_SCANS,
                ..RunQuery::default()
            };
            let rows = store.find_runs(account, &query)?.rows.into_iter();
            let of_set = rows.filter(|run| {
                matches!(run.state, RunState::Complete | RunState::Partial) && run.request.contains(&quoted)
            });
            Ok(of_set.take(RUNS).map(|run| run.id).collect::<Vec<_>>())
        });
        let mut runs = Vec::new();
        for scan in found.await? {
            match self.stored_scans.evidence(scan, &Reader::Account(account)).await {
                Ok(evidence) => runs.push(evidence),
                // Its answers were not kept, or it was deleted just now.
                Err(Error::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        let questions = view.questions.clone();
        let judged = self.planner.compute(move || {
            let read = runs.iter().map(|run| serde_json::from_slice::<Evidence>(run));
            let read = read.collect::<Result<Vec<_>, _>>()?;
            let found = questions.iter().map(|question| last_answer(question, &read));
            Ok(found.collect())
        });
        judged.await?
    }
}

fn last_answer(question: &OwnQuestion, runs: &[Evidence]) -> Option<LastAnswer> {
    let mut last: Option<LastAnswer> = None;
    for run in runs {
        let answers = run
            .answers
            .iter()
            .filter(|answer| is_asked(question, &answer.question));
        let (mut models, mut naming) = (BTreeSet::<&ModelAlias>::new(), BTreeSet::<&ModelAlias>::new());
        for answer in answers {
            let Some(reading) = answer.reading.as_ref().filter(|reading| reading.is_valid()) else {
                continue;
            };
            models.insert(&answer.model);
            if !reading.competitors.is_empty() {
                naming.insert(&answer.model);
            }
        }
        if models.is_empty() {
            continue;
        }
        let found = last.get_or_insert(LastAnswer {
            models: models.len(),
            naming: naming.len(),
            silent_runs: 0,
        });
        if !naming.is_empty() {
            break;
        }
        found.silent_runs += 1;
    }
    last
}

/// Whether a text is that of a question, in which a place may stand for the slot.
pub(crate) fn is_asked(question: &OwnQuestion, asked: &str) -> bool {
    let mut parts = question.as_str().split(PLACE_SLOT).map(str::trim).peekable();
    let Some(mut rest) = parts.next().and_then(|first| asked.strip_prefix(first)) else {
        return false;
    };
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        let found = if is_last {
            rest.ends_with(part).then_some(rest.len())
        } else {
            rest.find(part).map(|at| at + part.len())
        };
        let Some(end) = found else { return false };
        rest = &rest[end..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_engine::EvidenceAnswer;
    use serde_json::json;

    fn answer(model: &str, question: &str, names: bool) -> EvidenceAnswer {
        let text = match names {
            true => "1. Rival Works - the best choice\n2. Third House - also good",
            false => "It depends on many things.",
        };
        let domain = "example.com".parse().unwrap();
        let target = ibid_engine::read::Target::new(&domain, &[]);
        let reading = ibid_engine::read::read(&target, &ibid_engine::read::Answer::of_text(text));
        serde_json::from_value(json!({
            "questionId": "c1", "model": model, "resolvedModel": null, "ring": null, "market": null, "template": "own",
            "language": "en", "question": question, "text": text, "citations": [], "error": null, "reading": reading,
        }))
        .unwrap()
    }

    fn run(answers: Vec<EvidenceAnswer>) -> Evidence {
        serde_json::from_value(json!({
            "scanId": ibid_model::ScanId::random(), "domain": "example.com", "keyword": "plumber", "brandNames": [],
            "aliases": [], "method": {"version": "3.0"}, "answers": answers,
        }))
        .unwrap()
    }

    #[test]
    fn the_last_scan_that_asked_counts_and_two_silent_ones_in_a_row() {
        let question = OwnQuestion::of_value(&json!("Which plumber {place} is best?")).unwrap();
        let asked = "Which plumber in Leeds is best?";
        let other = run(vec![answer("a", "best plumber", true)]);
        let silent = run(vec![answer("a", asked, false), answer("b", asked, false)]);
        let naming = run(vec![answer("a", asked, false), answer("b", asked, true)]);
        let last = |runs: &[&Evidence]| {
            last_answer(
                &question,
                &runs.iter().map(|run| (*run).clone()).collect::<Vec<_>>(),
            )
        };
        assert_eq!(last(&[&other]), None);
        let found = last(&[&naming, &silent]).unwrap();
        assert_eq!((found.naming, found.models, found.silent_runs), (1, 2, 0));
        let found = last(&[&silent, &naming]).unwrap();
        assert_eq!((found.naming, found.models, found.silent_runs), (0, 2, 1));
        assert_eq!(last(&[&silent, &other, &silent]).unwrap().silent_runs, 2);
    }

    #[test]
    fn a_question_is_known_with_its_place() {
        let is = |question: &str, asked: &str| {
            let question = OwnQuestion::of_value(&json!(question)).unwrap();
            is_asked(&question, asked)
        };
        assert!(is("best plumber", "best plumber") && !is("best plumber", "best plumbers"));
        assert!(
            is("best plumber {place}", "best plumber in Leeds") && is("best plumber {place}", "best plumber")
        );
        assert!(is("{place}: who is best?", "in Leeds: who is best?"));
        assert!(!is(
            "Which plumber {place} is best?",
            "Which plumber in Leeds is worst?"
        ));
    }
}
