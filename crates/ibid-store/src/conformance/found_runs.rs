//! Conformance of lists of durable runs, and of orders with an idempotency key.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::payments::NOW;
use crate::{
    CountedOrders, CountedRuns, KeyedRequest, NewDurableRun, OpenedRuns, OrderCount, RunFilter, RunSubject,
    StepRoom, Store, StoreError, WorkerId,
};
use ibid_model::{BatchId, RunState, ScanId};

/// Runs the suite. Each case ends its runs, because claims see all of them.
pub(crate) fn run(store: &Store) {
    a_list_shows_the_runs_of_a_tenant(store);
    filters_select(store);
    a_key_opens_its_runs_once(store);
    orders_count_once_up_to_the_limit(store);
    one_of_many_equal_orders_opens(store);
    a_batch_is_stored_whole_or_not_at_all(store);
    a_started_run_is_under_way(store);
}

fn subject<'a>(domain: &'a str, keyword: &'a str) -> RunSubject<'a> {
    RunSubject {
        domain: domain.into(),
        keyword: keyword.into(),
        ..RunSubject::default()
    }
}

const fn new_run<'a>(
    id: ScanId,
    tenant: &'a str,
    created_at: i64,
    subject: &'a RunSubject<'a>,
) -> NewDurableRun<'a> {
    NewDurableRun {
        id,
        tenant,
        priority: 3,
        document: b"order",
        plan: None,
        calls: 3,
        created_at,
        secret: None,
        subject,
    }
}

fn open(store: &Store, tenant: &str, created_at: i64, subject: &RunSubject<'_>) -> ScanId {
    let id = ScanId::random();
    store.open_run(&new_run(id, tenant, created_at, subject)).unwrap();
    id
}

/// Starts a run, stores a call and ends it.
fn end(store: &Store, run: ScanId, now: i64) {
    assert!(store.start_run(run).unwrap());
    let held = store
        .claim_steps(WorkerId::random(), now + 100, now, StepRoom::of_any(1))
        .unwrap()
        .pop()
        .unwrap()
        .held;
    assert_eq!(held.run, run);
    store.put_call(held, 0, b"answer").unwrap();
    let state = (RunState::Partial, None);
    store.end_durable_run(held, state, None, &[], now).unwrap();
}

fn found(store: &Store, tenant: &str, filter: &RunFilter<'_>) -> Vec<ScanId> {
    let runs = store.durable_runs(tenant, filter, None, 100).unwrap();
    runs.into_iter().map(|run| run.id).collect()
}

fn a_list_shows_the_runs_of_a_tenant(store: &Store) {
    let subject = RunSubject {
        place: Some("Austin, TX".into()),
        tag: Some("weekly".into()),
        ..subject("acme.com", "Crm Software")
    };
    // Two runs have the same time: the id decides.
    let mut opened: Vec<_> = [5, 3, 3, 1]
        .map(|age| (NOW + age, open(store, "lister", NOW + age, &subject)))
        .into();
    opened.sort_by(|a, b| b.cmp(a));
    let opened: Vec<_> = opened.into_iter().map(|(_, id)| id).collect();
    let other = open(store, "other lister", NOW + 4, &subject);
    let all = RunFilter::default();
    assert_eq!(found(store, "lister", &all), opened);
    let page = |after| {
        let runs = store.durable_runs("lister", &all, after, 2).unwrap();
        runs.into_iter().map(|run| run.id).collect::<Vec<_>>()
    };
    assert_eq!(page(None), opened[..2]);
    assert_eq!(page(Some(opened[1])), opened[2..]);
    assert_eq!(page(Some(opened[3])), []);
    // A cursor of another tenant, or an unknown one, returns an empty page.
    assert_eq!(page(Some(other)), []);
    assert_eq!(page(Some(ScanId::random())), []);
    let row = store.durable_runs("lister", &all, None, 1).unwrap().remove(0);
    let whole = store.durable_run(row.id).unwrap().unwrap();
    assert_eq!((row.document.as_slice(), &row.subject), (&b""[..], &subject));
    assert_eq!((whole.document.as_slice(), whole.stored), (&b"order"[..], 0));
    end(store, row.id, NOW + 9);
    let ended = store.durable_runs("lister", &all, None, 1).unwrap().remove(0);
    assert_eq!(
        (ended.state, ended.stored, ended.ended_at),
        (RunState::Partial, 1, Some(NOW + 9))
    );
    for run in opened.into_iter().skip(1).chain([other]) {
        end(store, run, NOW + 9);
    }
}

fn filters_select(store: &Store) {
    let first = RunSubject {
        place: Some("M\u{fc}nchen".into()),
        tag: Some("a".into()),
        ..subject("acme.com", "CRM \u{c4}rzte")
    };
    let second = subject("example.org", "shoes");
    let [one, two] = [
        open(store, "seeker", NOW, &first),
        open(store, "seeker", NOW + 10, &second),
    ];
    let check = |filter: RunFilter<'_>, expected: &[ScanId]| {
        assert_eq!(found(store, "seeker", &filter), expected, "{filter:?}");
    };
    let all = RunFilter::default();
    check(all, &[two, one]);
    let domain = |domain| RunFilter {
        domain: Some(domain),
        ..all
    };
    check(domain("acme.com"), &[one]);
    check(domain("acme"), &[]);
    check(domain("a\0"), &[]);
    let keyword = |keyword| RunFilter {
        keyword: Some(keyword),
        ..all
    };
    check(keyword("crm \u{e4}RZTE"), &[one]);
    check(keyword("%"), &[]);
    let place = |place| RunFilter {
        place: Some(place),
        ..all
    };
    check(place("M\u{dc}NCHEN"), &[one]);
    check(
        RunFilter {
            tag: Some("a"),
            ..all
        },
        &[one],
    );
    check(
        RunFilter {
            tag: Some("A"),
            ..all
        },
        &[],
    );
    let time = |from, until| RunFilter { from, until, ..all };
    check(time(Some(NOW + 1), None), &[two]);
    check(time(None, Some(NOW + 10)), &[one]);
    check(time(Some(NOW), Some(NOW + 11)), &[two, one]);
    check(time(Some(i64::MAX), Some(i64::MIN)), &[]);
    let state = |state| RunFilter {
        state: Some(state),
        ..all
    };
    end(store, one, NOW + 9);
    check(state(RunState::Partial), &[one]);
    check(state(RunState::Queued), &[two]);
    end(store, two, NOW + 9);
}

const fn request(key: u8, body: u8, scan: ScanId) -> KeyedRequest<'static> {
    KeyedRequest {
        caller: "buyer",
        key: [key; 32],
        request: [body; 32],
        scan,
        expires: NOW + 1_000,
    }
}

fn a_key_opens_its_runs_once(store: &Store) {
    let nothing = RunSubject::default();
    let order = |body, scan, now| {
        let run = new_run(scan, "buyer", now, &nothing);
        store
            .open_runs(&[run], Some(&request(1, body, scan)), now)
            .unwrap()
    };
    let [first, second] = [(); 2].map(|()| ScanId::random());
    assert_eq!(order(7, first, NOW), OpenedRuns::Opened);
    assert_eq!(order(7, second, NOW), OpenedRuns::Before(first));
    assert_eq!(order(8, second, NOW), OpenedRuns::Conflict);
    assert!(store.durable_run(second).unwrap().is_none());
    // A run that ends without a result keeps its key: the order was accepted.
    end(store, first, NOW);
    store.expire_keys(NOW + 999).unwrap();
    assert_eq!(order(7, second, NOW + 999), OpenedRuns::Before(first));
    assert_eq!(order(8, second, NOW + 1_000), OpenedRuns::Opened);
    // A run that cannot be stored does not use its key up.
    let taken = new_run(second, "buyer", NOW, &nothing);
    let key = request(2, 7, second);
    assert!(matches!(
        store.open_runs(&[taken], Some(&key), NOW),
        Err(StoreError::Exists)
    ));
    let third = new_run(ScanId::random(), "buyer", NOW, &nothing);
    assert_eq!(
        store.open_runs(&[third], Some(&key), NOW).unwrap(),
        OpenedRuns::Opened
    );
    for run in [second, third.id] {
        end(store, run, NOW);
    }
}

fn orders_count_once_up_to_the_limit(store: &Store) {
    let nothing = RunSubject::default();
    let owner = "counted buyer";
    let runs: Vec<_> = (0..5)
        .map(|_| new_run(ScanId::random(), owner, NOW, &nothing))
        .collect();
    let count = OrderCount {
        caller: owner,
        per_hour: Some(3),
        window: 3_600_000,
    };
    let open = |part: &[NewDurableRun<'_>], key: u8, now| {
        let key = request(key, 7, part[0].id);
        store.open_counted_runs(part, Some(&key), &count, now).unwrap()
    };
    let counted = |taken, used, age| CountedRuns::Opened(CountedOrders { taken, used, age });
    assert_eq!(open(&runs[..1], 41, NOW), counted(1, 1, 0));
    // A repeated request is not counted. Of several orders the first ones are taken.
    assert_eq!(open(&runs[..1], 41, NOW), CountedRuns::Before(runs[0].id));
    assert_eq!(open(&runs[1..], 42, NOW + 1), counted(2, 3, 1));
    assert_eq!(open(&runs[1..], 42, NOW + 2), CountedRuns::Before(runs[1].id));
    let open_ids = found(store, owner, &RunFilter::default());
    assert!(open_ids.len() == 3 && runs[..3].iter().all(|run| open_ids.contains(&run.id)));
    // A key whose order was not taken stays free.
    assert_eq!(open(&runs[3..4], 43, NOW + 3), counted(0, 3, 3));
    assert_eq!(open(&runs[4..], 43, NOW + 3_600_000), counted(1, 1, 0));
    let bare = OrderCount {
        per_hour: None,
        ..count
    };
    assert_eq!(
        store
            .open_counted_runs(&runs[3..4], None, &bare, NOW + 3_600_000)
            .unwrap(),
        counted(1, 2, 0)
    );
    for run in runs {
        end(store, run.id, NOW);
    }
}

fn one_of_many_equal_orders_opens(store: &Store) {
    let nothing = RunSubject::default();
    let outcomes = std::thread::scope(|scope| {
        let order = |_| {
            scope.spawn(|| {
                let scan = ScanId::random();
                let run = new_run(scan, "crowd of buyers", NOW, &nothing);
                let opened = store.open_runs(&[run], Some(&request(3, 7, scan)), NOW);
                (scan, opened.unwrap())
            })
        };
        let threads: Vec<_> = (0..8).map(order).collect();
        let ends = threads.into_iter().map(|thread| thread.join().unwrap());
        ends.collect::<Vec<_>>()
    });
    let opened: Vec<_> = outcomes
        .iter()
        .filter(|(_, outcome)| *outcome == OpenedRuns::Opened)
        .map(|(scan, _)| *scan)
        .collect();
    assert_eq!(found(store, "crowd of buyers", &RunFilter::default()), opened);
    let before = OpenedRuns::Before(opened[0]);
    let others = outcomes.iter().filter(|(_, outcome)| *outcome == before);
    assert_eq!(others.count(), 7);
    end(store, opened[0], NOW);
}

fn a_batch_is_stored_whole_or_not_at_all(store: &Store) {
    let batch = BatchId::random();
    let subjects: Vec<_> = (0..3)
        .map(|position| RunSubject {
            batch: Some((batch, position)),
            ..RunSubject::default()
        })
        .collect();
    let runs: Vec<_> = subjects
        .iter()
        .map(|subject| new_run(ScanId::random(), "bulk", NOW, subject))
        .collect();
    let ids: Vec<_> = runs.iter().map(|run| run.id).collect();
    let twice = [runs[0], runs[1], runs[0]];
    assert!(matches!(
        store.open_runs(&twice, None, NOW),
        Err(StoreError::Exists)
    ));
    assert_eq!(store.batch_runs(batch).unwrap(), []);
    let key = request(4, 7, ScanId::from_bytes(*batch.as_bytes()));
    assert_eq!(
        store.open_runs(&runs, Some(&key), NOW).unwrap(),
        OpenedRuns::Opened
    );
    assert_eq!(store.batch_runs(batch).unwrap(), ids);
    let of_batch = RunFilter {
        batch: Some(batch),
        ..RunFilter::default()
    };
    assert_eq!(found(store, "bulk", &of_batch).len(), 3);
    assert_eq!(found(store, "buyer", &of_batch), []);
    for run in ids {
        end(store, run, NOW);
    }
}

fn a_started_run_is_under_way(store: &Store) {
    let run = open(store, "under way", NOW, &RunSubject::default());
    let under_way = || {
        let runs = store.runs_under_way(1_000).unwrap();
        runs.into_iter().find(|open| open.id == run)
    };
    assert!(under_way().is_none());
    assert!(store.start_run(run).unwrap());
    let found = under_way().unwrap();
    assert_eq!((found.tenant.as_str(), found.priority), ("under way", 3));
    let claimed = store.claim_steps(WorkerId::random(), NOW + 100, NOW, StepRoom::of_any(1));
    store.finish_plan(claimed.unwrap()[0].held, 2).unwrap();
    assert_eq!(store.open_shards(run).unwrap(), [0, 1]);
    assert_eq!(store.open_runs_of("under way").unwrap(), 1);
    assert!(store.end_open_run(run, "cancelled", &[], NOW).unwrap());
    assert_eq!(store.open_runs_of("under way").unwrap(), 0);
    assert!(under_way().is_none());
}
