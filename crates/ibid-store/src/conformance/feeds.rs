//! Conformance of feeds.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::projects::{cell, change, client, put_run, scope};
use super::workspace::NOW;
use crate::{FeedGrouping, MarketNumbers, NewFeedKey, Store, Subject};
use ibid_model::{FeedKeyId, ScheduleId};

/// Runs the suite. Leaves a key for tests of copies.
pub(crate) fn run(store: &Store) {
    let (admin, _, project) = client(store);
    let own = scope(store, admin, project);
    let key = |id, hash, detail| NewFeedKey {
        id,
        name: "Dashboard",
        hash,
        detail,
        expires_at: NOW + 10,
    };
    let (id, hash) = (FeedKeyId::random(), [71; 32]);
    let first = key(id, &hash, false);
    assert!(
        store
            .add_feed_key(&own, &first, 1, change("feed_key_made"))
            .unwrap()
    );
    assert!(
        !store
            .add_feed_key(&own, &first, 1, change("feed_key_made"))
            .unwrap()
    );
    let opened = store.open_feed(&hash, NOW).unwrap().unwrap();
    assert_eq!(
        (opened.scope.project(), opened.scope.rights, opened.detail),
        (project, Subject::FeedKey.rights(false), false)
    );
    assert_eq!(store.feed_keys(&own).unwrap()[0].used_at, Some(NOW));
    // It opens nothing else, and ends by its time and by being revoked.
    assert!(store.api_key(&hash, NOW).unwrap().is_none());
    assert!(store.open_feed(&hash, NOW + 10).unwrap().is_none());
    let stranger = client(store);
    let stranger = scope(store, stranger.0, stranger.2);
    let revoke = |scope| store.revoke_feed_key(scope, id, change("feed_key_revoked"));
    assert!(!revoke(&stranger).unwrap());
    assert!(revoke(&own).unwrap());
    assert!(store.open_feed(&hash, NOW).unwrap().is_none());

    let runs = [
        put_run(store, project, NOW, "plumber"),
        put_run(store, project, NOW + 9, "plumber"),
    ];
    put_run(store, project, NOW - 86_400_000, "plumber");
    let cells = [
        cell(runs[0], "h1", 0),
        cell(runs[1], "h1", 0),
        cell(runs[1], "h2", 4),
    ];
    let questions = [
        ("h1".to_owned(), "Which plumber?".to_owned()),
        ("h2".to_owned(), "Who is good?".to_owned()),
    ];
    let numbers = MarketNumbers::default();
    store
        .put_market_numbers(project, ScheduleId::random(), &numbers, &cells, &questions)
        .unwrap();
    let day = store.feed_rows(&own, FeedGrouping::Day, 9).unwrap();
    assert_eq!(
        (
            day.len(),
            day[0].day,
            day[0].runs,
            day[0].valid,
            day[0].named,
            day[0].score_sum
        ),
        (1, NOW / 86_400_000, 2, 3, 4, 165_000)
    );
    assert_eq!((day[0].keyword.as_str(), day[0].part.as_str()), ("plumber", ""));
    let models = store.feed_rows(&own, FeedGrouping::Model, 9).unwrap();
    assert_eq!((models.len(), models[0].part.as_str()), (1, "model-1-latest"));
    let asked = store.feed_rows(&own, FeedGrouping::Question, 9).unwrap();
    let asked: Vec<(&str, u64)> = asked.iter().map(|row| (row.part.as_str(), row.runs)).collect();
    assert_eq!(asked, [("Which plumber?", 2), ("Who is good?", 1)]);
    assert_eq!(store.feed_rows(&own, FeedGrouping::Question, 1).unwrap().len(), 1);
    assert!(
        store
            .feed_rows(&stranger, FeedGrouping::Day, 9)
            .unwrap()
            .is_empty()
    );
    let results = store.project_results(&own).unwrap();
    assert_eq!((results.len(), results[1].0, results[2].0), (3, runs[0], runs[1]));
    assert_eq!(store.question_texts(&own).unwrap().len(), 2);

    let (id, hash) = (FeedKeyId::random(), [72; 32]);
    let kept = key(id, &hash, true);
    assert!(
        store
            .add_feed_key(&own, &kept, 1, change("feed_key_made"))
            .unwrap()
    );
    assert!(store.open_feed(&hash, NOW).unwrap().unwrap().detail);
    // The keys of a project go with it.
    assert!(
        store
            .add_feed_key(
                &stranger,
                &key(FeedKeyId::random(), &[73; 32], true),
                1,
                change("feed_key_made")
            )
            .unwrap()
    );
    assert!(store.delete_project(&stranger, NOW).unwrap());
    assert!(store.open_feed(&[73; 32], NOW).unwrap().is_none());
}
