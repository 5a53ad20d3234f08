//! Conformance of sets of questions.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::workspace::{NOW, account};
use crate::{
    Change, NewQuestions, PackedAnswers, ProposalDay, ProposalStart, QuestionSetTerms, QuestionsAdded, Store,
};
use ibid_model::QuestionSetId;

/// Runs the suite.
pub(crate) fn run(store: &Store) {
    versions_never_change_and_two_writers_do_not_overwrite_each_other(store);
    a_version_that_was_asked_outlives_its_set(store);
    an_owner_has_one_proposal_at_a_time_and_some_a_day(store);
    an_owner_has_a_bounded_number_and_a_deleted_account_has_none(store);
}

fn questions<'a>(hash: &'a str, packed: &'a PackedAnswers) -> NewQuestions<'a> {
    NewQuestions {
        hash,
        source: "written",
        count: 2,
        questions: packed,
    }
}

fn terms(name: &str) -> QuestionSetTerms<'_> {
    QuestionSetTerms {
        name,
        keyword: Some("plumber"),
        ..QuestionSetTerms::default()
    }
}

fn versions_never_change_and_two_writers_do_not_overwrite_each_other(store: &Store) {
    let (id, owner) = (QuestionSetId::random(), "key panel");
    let (one, two) = (
        PackedAnswers::of(b"[\"a\",\"b\"]").unwrap(),
        PackedAnswers::of(b"[\"c\"]").unwrap(),
    );
    assert!(
        store
            .add_question_set(owner, id, terms("A"), questions("h1", &one), 5, NOW)
            .unwrap()
    );
    let add = |expected, hash| {
        store
            .add_questions(owner, id, expected, terms("B"), questions(hash, &two), NOW)
            .unwrap()
    };
    assert_eq!(add(Some(1), "h2"), QuestionsAdded::Stored(2));
    assert_eq!(add(Some(1), "h3"), QuestionsAdded::Changed(2));
    assert_eq!(add(None, "h4"), QuestionsAdded::Stored(3));
    let foreign = store.add_questions("key other", id, None, terms("C"), questions("h", &one), NOW);
    assert_eq!(foreign.unwrap(), QuestionsAdded::Unknown);
    assert!(store.questions("key other", id, None).unwrap().is_none());
    assert!(store.questions(owner, id, Some(9)).unwrap().is_none());
    let (set, first) = store.questions(owner, id, Some(1)).unwrap().unwrap();
    assert_eq!(
        (set.name.as_str(), set.latest, set.keyword.as_deref()),
        ("B", 3, Some("plumber"))
    );
    assert_eq!((first.hash.as_str(), first.parent, first.count), ("h1", None, 2));
    assert_eq!(first.questions.unpack().unwrap(), b"[\"a\",\"b\"]");
    let latest = store.questions(owner, id, None).unwrap().unwrap().1;
    assert_eq!(
        (latest.version, latest.parent, latest.hash.as_str()),
        (3, Some(2), "h4")
    );
    let versions = store.question_versions(Some(owner), id).unwrap();
    assert_eq!(
        versions.iter().map(|version| version.version).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    assert!(store.question_versions(Some("key other"), id).unwrap().is_empty());
}

fn a_version_that_was_asked_outlives_its_set(store: &Store) {
    let (id, owner) = (QuestionSetId::random(), "key outlived");
    let packed = PackedAnswers::of(b"[]").unwrap();
    assert!(
        store
            .add_question_set(owner, id, terms("A"), questions("h1", &packed), 5, NOW)
            .unwrap()
    );
    store
        .add_questions(owner, id, None, terms("A"), questions("h2", &packed), NOW)
        .unwrap();
    store.questions_asked(id, 1).unwrap();
    assert!(!store.delete_question_set("key other", id, NOW).unwrap());
    assert!(store.delete_question_set(owner, id, NOW).unwrap());
    assert!(!store.delete_question_set(owner, id, NOW).unwrap());
    assert!(store.question_sets(Some(owner)).unwrap().is_empty());
    assert!(store.questions(owner, id, None).unwrap().is_none());
    assert!(store.questions(owner, id, Some(1)).unwrap().is_some());
    assert!(store.questions(owner, id, Some(2)).unwrap().is_none());
}

fn an_owner_has_one_proposal_at_a_time_and_some_a_day(store: &Store) {
    let begin = |owner: &str, day, now| {
        let today = ProposalDay {
            day,
            most: 2,
            now,
            open_until: now + 90,
        };
        store.begin_proposal(owner, today).unwrap()
    };
    assert_eq!(begin("key a", 7, 1_000), ProposalStart::Begun);
    assert_eq!(begin("key a", 7, 1_010), ProposalStart::UnderWay(1_090));
    assert_eq!(begin("key b", 7, 1_010), ProposalStart::Begun);
    // The end of an earlier one does not end this one.
    store.end_proposal("key a", 1_000).unwrap();
    assert_eq!(begin("key a", 7, 1_010), ProposalStart::UnderWay(1_090));
    store.end_proposal("key a", 1_090).unwrap();
    assert_eq!(begin("key a", 7, 1_020), ProposalStart::Begun);
    // One that its process forgot ends by itself.
    assert_eq!(begin("key a", 7, 1_200), ProposalStart::UsedUp);
    assert_eq!(begin("key a", 8, 1_300), ProposalStart::Begun);
    store.end_proposal("key a", 1_390).unwrap();
    assert_eq!(begin("key a", 8, 1_400), ProposalStart::Begun);
}

fn an_owner_has_a_bounded_number_and_a_deleted_account_has_none(store: &Store) {
    let account = account(store, 0).id;
    let owner = format!("account {account}");
    let packed = PackedAnswers::of(b"[]").unwrap();
    let add = |most| {
        let id = QuestionSetId::random();
        let added = store.add_question_set(&owner, id, terms("A"), questions("h", &packed), most, NOW);
        store.questions_asked(id, 1).unwrap();
        added.unwrap()
    };
    assert!(add(2) && add(2) && !add(2));
    assert_eq!(store.question_sets(Some(&owner)).unwrap().len(), 2);
    let change: Change = NOW.into();
    store.delete_account(account, change).unwrap();
    assert!(store.question_sets(Some(&owner)).unwrap().is_empty());
}
