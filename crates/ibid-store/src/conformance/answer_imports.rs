//! Conformance of answers that were given elsewhere.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::projects::{add, change, scope};
use super::workspace::{NOW, account};
use crate::{
    AnswerCount, AnswerImportAdded, AnswerStratum, NewAnswerImport, NewAnswerPart, PackedAnswers, PartPut,
    ProjectChange, Store,
};
use ibid_model::AnswerImportId;

/// Runs the suite. Leaves an import with a piece for tests of copies.
pub(crate) fn run(store: &Store) {
    an_import_comes_in_pieces_each_once(store);
}

fn import(id: AnswerImportId, stratum: AnswerStratum, sha256: &[u8; 32]) -> NewAnswerImport<'_> {
    NewAnswerImport {
        id,
        stratum,
        tool: "peec",
        name: "export.csv",
        sha256,
        parts: 2,
        notes: "{}",
    }
}

fn counted(day: &str, valid: u32) -> AnswerCount {
    AnswerCount {
        day: day.to_owned(),
        source: "ChatGPT".to_owned(),
        question: "q".to_owned(),
        valid,
        cited: 1,
        linked: 0,
        score_sum: 40_000,
    }
}

fn an_import_comes_in_pieces_each_once(store: &Store) {
    let admin = account(store, 0).id;
    let organisation = store.own_organisation(admin, "Agency", NOW).unwrap().unwrap();
    let own = scope(store, admin, add(store, organisation, None));
    let other = scope(store, admin, add(store, organisation, None));
    let document = PackedAnswers::of(b"[]").unwrap();
    let add = |stratum, hash: &[u8; 32], most| {
        let id = AnswerImportId::random();
        // Long ago, so that forgetting its answers touches no others.
        let change = ProjectChange {
            at: 1,
            ..change("answers_imported")
        };
        let added = store.add_answer_import(&own, &import(id, stratum, hash), most, change);
        (id, added.unwrap())
    };
    let (id, added) = add(AnswerStratum::Tracker, &[1; 32], 2);
    assert_eq!(added, AnswerImportAdded::New);
    // The same file again is the same import; the same bytes of another stratum are another one.
    assert_eq!(
        add(AnswerStratum::Tracker, &[1; 32], 2).1,
        AnswerImportAdded::Known(id)
    );
    let (captured, added) = add(AnswerStratum::Interface, &[1; 32], 2);
    assert_eq!(added, AnswerImportAdded::New);
    assert_eq!(
        add(AnswerStratum::Interface, &[2; 32], 2).1,
        AnswerImportAdded::Full
    );

    let counts = [counted("2026-08-01", 2), counted("2026-08-02", 1)];
    let put = |scope, import, number, hash| {
        let part = NewAnswerPart {
            number,
            sha256: hash,
            answers: 3,
            document: Some(&document),
            counts: &counts,
        };
        store.put_answer_part(scope, import, &part).unwrap()
    };
    assert_eq!(put(&own, id, 2, &[3; 32]), PartPut::Stored);
    assert_eq!(put(&own, id, 2, &[3; 32]), PartPut::Same);
    assert_eq!(put(&own, id, 2, &[4; 32]), PartPut::Other);
    for (scope, number) in [(&other, 1), (&own, 0), (&own, 3)] {
        assert_eq!(put(scope, id, number, &[3; 32]), PartPut::Unknown);
    }
    // An import ends with its last piece.
    let end = |scope| store.end_answer_import(scope, id, "[]", NOW).unwrap();
    end(&own);
    let found = |id| {
        let imports = store.answer_imports(&own).unwrap();
        imports.into_iter().find(|import| import.id == id).unwrap()
    };
    let waiting = found(id);
    assert_eq!(
        (waiting.received, waiting.answers, waiting.ended_at),
        (vec![2], 3, None)
    );
    assert!(
        store
            .stratum_counts(&own, AnswerStratum::Tracker, "2026-08-01")
            .unwrap()
            .is_empty()
    );
    assert_eq!(put(&own, id, 1, &[5; 32]), PartPut::Stored);
    end(&other);
    assert_eq!(found(id).ended_at, None);
    end(&own);
    let ended = found(id);
    assert_eq!((ended.received, ended.ended_at), (vec![1, 2], Some(NOW)));
    assert_eq!(ended.days.as_deref(), Some("[]"));

    let sums = store.answer_counts(&own, id).unwrap();
    assert_eq!((sums.len(), sums[0].valid, sums[0].score_sum), (2, 4, 80_000));
    assert!(store.answer_counts(&other, id).unwrap().is_empty());
    let since = |stratum| store.stratum_counts(&own, stratum, "2026-08-02").unwrap();
    assert_eq!(since(AnswerStratum::Tracker).len(), 1);
    assert!(since(AnswerStratum::Interface).is_empty());
    let part = store.answer_part(&own, id, 1).unwrap().unwrap();
    assert_eq!(
        (part.sha256, part.answers, part.counts),
        ([5; 32], 3, counts.to_vec())
    );
    assert_eq!(part.document.unwrap().unpack().unwrap(), b"[]");
    assert!(store.answer_part(&other, id, 1).unwrap().is_none());

    let delete = |scope| {
        let change = change("answers_deleted");
        store.delete_answer_import(scope, captured, change).unwrap()
    };
    assert!(!delete(&other) && delete(&own) && !delete(&own));
    assert_eq!(store.project_contents(&own).unwrap().imports, 1);
    // Answers are forgotten, and counts stay.
    assert_eq!(store.forget_project_answers(1, 9).unwrap(), 0);
    assert_eq!(store.forget_project_answers(2, 9).unwrap(), 2);
    assert!(
        store
            .answer_part(&own, id, 1)
            .unwrap()
            .unwrap()
            .document
            .is_none()
    );
    assert_eq!(store.answer_counts(&own, id).unwrap().len(), 2);

    let gone = scope(store, admin, super::projects::add(store, organisation, None));
    let last = import(AnswerImportId::random(), AnswerStratum::Tracker, &[9; 32]);
    store
        .add_answer_import(&gone, &last, 1, change("answers_imported"))
        .unwrap();
    let part = NewAnswerPart {
        number: 1,
        sha256: &[3; 32],
        answers: 3,
        document: None,
        counts: &counts,
    };
    assert_eq!(
        store.put_answer_part(&gone, last.id, &part).unwrap(),
        PartPut::Stored
    );
    assert!(store.delete_project(&gone, NOW).unwrap());
}
