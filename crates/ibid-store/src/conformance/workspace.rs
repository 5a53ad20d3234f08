//! Conformance of accounts and their scans.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use crate::{
    AccountAction, AccountRecord, AuditKind, AuditRecord, BegunStep, FinishedRun, HeldStep, MovementKind,
    NewAccount, NewAudit, NewDurableRun, NewRun, NewScan, NewSession, NewShare, Origin, PackedAnswers, Role,
    RunQuery, RunResult, RunStep, RunSummary, Store, StoreError, WorkerId,
};
use ibid_model::{AccountId, Email, ReceiptId, RunState, ScanId, Score};

pub(super) const NOW: i64 = 1_795_000_000_000;
pub(super) const LEASE: i64 = NOW + 10_000;

/// Runs the suite.
pub(crate) fn run(store: &Store) {
    keeps_accounts(store);
    balances_are_sums_and_never_negative(store);
    sessions_end(store);
    takes_a_credit_and_gives_it_back_once(store);
    keeps_a_finished_scan(store);
    a_scan_counts_the_calls_of_its_run_and_ends_with_it(store);
    a_scan_that_no_worker_has_taken_up_ends_with_its_run(store);
    finds_by_words_and_tags_of_one_account(store);
    shares_and_takes_back(store);
    pages_receipts_and_movements(store);
    lists_audits_of_one_account(store);
}

/// An account with so many credits.
pub(super) fn account(store: &Store, credits: u32) -> AccountRecord {
    let email: Email = format!("{}@example.com", AccountId::random()).parse().unwrap();
    let new = NewAccount {
        id: AccountId::random(),
        email: &email,
        password: "$argon2id$first",
        credits,
        role: Role::Member,
    };
    store.open_account(&new, NOW).unwrap();
    store.account(&email).unwrap().unwrap()
}

pub(super) fn again(store: &Store, account: &AccountRecord) -> AccountRecord {
    store.account(&account.email.parse().unwrap()).unwrap().unwrap()
}

fn keeps_accounts(store: &Store) {
    let found = account(store, 3);
    assert_eq!((found.credits, found.disabled, found.created_at), (3, false, NOW));
    assert_eq!(found.password, "$argon2id$first");
    assert!(!format!("{found:?}").contains("argon2id"));
    let email: Email = found.email.parse().unwrap();
    let twin = NewAccount {
        id: AccountId::random(),
        email: &email,
        password: "x",
        credits: 9,
        role: Role::Member,
    };
    assert!(matches!(store.open_account(&twin, NOW), Err(StoreError::Exists)));
    assert!(
        store
            .account(&"nobody@example.com".parse().unwrap())
            .unwrap()
            .is_none()
    );
    store
        .set_password(found.id, "$argon2id$second", (NOW + 1).into())
        .unwrap();
    store.set_disabled(found.id, true, (NOW + 2).into()).unwrap();
    let changed = again(store, &found);
    assert_eq!(
        (changed.password.as_str(), changed.disabled, changed.credits),
        ("$argon2id$second", true, 3)
    );
    assert!(store.accounts().unwrap().contains(&changed));
    let log = store.account_log(Some(found.id), 10).unwrap();
    let actions: Vec<_> = log.iter().map(|entry| entry.action).collect();
    assert_eq!(
        actions,
        [
            AccountAction::Disabled,
            AccountAction::Password,
            AccountAction::Opened
        ]
    );
    assert!(store.account_log(None, 100).unwrap().len() > log.len() - 1);
}

fn balances_are_sums_and_never_negative(store: &Store) {
    let owner = account(store, 0);
    assert_eq!(store.move_credits(owner.id, 5, NOW.into()).unwrap(), 5);
    assert_eq!(store.move_credits(owner.id, -2, NOW.into()).unwrap(), 3);
    assert!(matches!(
        store.move_credits(owner.id, -4, NOW.into()),
        Err(StoreError::NoCredit)
    ));
    assert!(matches!(
        store.move_credits(owner.id, i64::MAX, NOW.into()),
        Err(StoreError::NoCredit)
    ));
    assert_eq!(store.move_credits(owner.id, 0, NOW.into()).unwrap(), 3);
    check_books(store, &owner, 3);
}

/// The balance is that of the latest movement and the sum of all.
pub(super) fn check_books(store: &Store, account: &AccountRecord, expected: u32) {
    let movements = store.movements(account.id, None, 1_000).unwrap();
    let sum: i64 = movements.iter().map(|movement| movement.amount).sum();
    assert_eq!(sum, i64::from(expected));
    assert_eq!(movements.first().map_or(0, |latest| latest.balance), expected);
    assert_eq!(again(store, account).credits, expected);
}

pub(super) fn open_session(
    store: &Store,
    owner: &AccountRecord,
    replaces: Option<[u8; 32]>,
    now: i64,
) -> [u8; 32] {
    let id = ScanId::random();
    let hash = std::array::from_fn(|at| id.as_bytes()[at % 16]);
    let session = NewSession {
        hash,
        account: owner.id,
        expires_at: now + 1_000,
        replaces,
    };
    store.open_session(&session, now).unwrap();
    hash
}

fn sessions_end(store: &Store) {
    let owner = account(store, 2);
    let holds = |hash: &[u8; 32], now| store.session(hash, now).unwrap();
    let first = open_session(store, &owner, None, NOW);
    let found = holds(&first, NOW).unwrap();
    assert_eq!(
        (found.account, found.email, found.credits),
        (owner.id, owner.email.clone(), 2)
    );
    // In time.
    assert!(holds(&first, NOW + 1_000).is_none());
    // By another sign-in in the same browser.
    let second = open_session(store, &owner, Some(first), NOW);
    assert!(holds(&first, NOW).is_none() && holds(&second, NOW).is_some());
    // By signing out, of that session alone.
    let third = open_session(store, &owner, None, NOW);
    store.end_session(&second, NOW).unwrap();
    store.end_session(&second, NOW).unwrap();
    assert!(holds(&second, NOW).is_none() && holds(&third, NOW).is_some());
    // By a new password.
    store.set_password(owner.id, "x", NOW.into()).unwrap();
    assert!(holds(&third, NOW).is_none());
    // With the account.
    let fourth = open_session(store, &owner, None, NOW);
    store.set_disabled(owner.id, true, NOW.into()).unwrap();
    store.set_disabled(owner.id, false, NOW.into()).unwrap();
    assert!(holds(&fourth, NOW).is_none());
    // By twenty younger ones.
    let oldest = open_session(store, &owner, None, NOW);
    for later in 1..=19 {
        open_session(store, &owner, None, NOW + later);
    }
    assert!(holds(&oldest, NOW).is_some());
    open_session(store, &owner, None, NOW + 20);
    assert!(holds(&oldest, NOW).is_none());
    assert!(holds(&[0; 32], NOW).is_none());
}

/// A durable run of two calls.
pub(crate) const fn durable(id: ScanId, created_at: i64) -> NewDurableRun<'static> {
    NewDurableRun::past(id, "workspace", 2, created_at)
}

fn new_run<'a>(owner: &AccountRecord, domain: &'a str) -> NewRun<'a> {
    NewRun {
        id: ScanId::random(),
        account: owner.id,
        request: r#"{"domain":"x"}"#,
        domain,
        keyword: "Æble Saft",
        place: Some("Århus, Denmark"),
        cost: 100,
        month_began: 0,
    }
}

/// Ends the runs that no test has ended, for the suites that count open runs.
pub(super) fn end_queued(store: &Store) {
    for run in store.open_durable_runs(Some("workspace"), u32::MAX).unwrap() {
        store.end_queued_run(run.id, "stopped", &[], NOW).unwrap();
    }
}

/// Claims the first step of a durable run.
pub(super) fn claimed(store: &Store, id: ScanId) -> HeldStep {
    store.start_run(id).unwrap();
    let plan = store
        .begin_step(WorkerId::random(), id, RunStep::Plan, LEASE, NOW)
        .unwrap();
    let BegunStep::Claimed(plan) = plan else {
        panic!("the step is free: {plan:?}")
    };
    plan.held
}

pub(super) fn begin(
    store: &Store,
    owner: &AccountRecord,
    domain: &str,
    now: i64,
) -> Result<ScanId, StoreError> {
    let run = new_run(owner, domain);
    store.begin_run(&run, &durable(run.id, now), None).map(|_| run.id)
}

pub(super) fn finish(
    store: &Store,
    owner: &AccountRecord,
    id: ScanId,
    now: i64,
) -> Result<ReceiptId, StoreError> {
    let scan = NewScan {
        id,
        origin: Origin::Workspace(owner.id),
        created_at: now / 1_000,
        sandbox: true,
        method: "1",
        reply: b"{}",
        answers: Some(PackedAnswers::of(b"[]").unwrap()),
    };
    let finished = FinishedRun {
        receipt: ReceiptId::random(),
        summary: RunSummary {
            score: Score::new(41.5),
            interval: None,
        },
        cost: 90,
    };
    let (held, end) = (claimed(store, id), (RunState::Complete, None));
    let result = RunResult::OfAccount(&scan, &finished);
    store
        .end_durable_run(held, end, Some(result), &[], now)
        .map(|()| finished.receipt)
}

/// Ends a run without a result.
fn fail(store: &Store, held: HeldStep, now: i64) -> Result<(), StoreError> {
    store.end_durable_run(held, (RunState::Failed, Some("timeout")), None, &[], now)
}

fn takes_a_credit_and_gives_it_back_once(store: &Store) {
    let owner = account(store, 1);
    let id = begin(store, &owner, "a.example", NOW).unwrap();
    check_books(store, &owner, 0);
    assert!(matches!(
        begin(store, &owner, "b.example", NOW),
        Err(StoreError::NoCredit)
    ));
    let open = store.run(owner.id, id).unwrap().unwrap();
    assert_eq!(
        (open.state, open.done, open.questions, open.finished),
        (RunState::Queued, 0, 2, None)
    );
    let held = claimed(store, id);
    fail(store, held, NOW + 1).unwrap();
    assert!(matches!(fail(store, held, NOW + 2), Err(StoreError::Lost)));
    check_books(store, &owner, 1);
    let failed = store.run(owner.id, id).unwrap().unwrap();
    assert_eq!(
        (failed.state, failed.error.as_deref(), failed.cost),
        (RunState::Failed, Some("timeout"), 0)
    );
    assert_eq!(
        (failed.done, failed.credit_returned, failed.ended_at),
        (0, true, Some(NOW + 1))
    );
    let kinds: Vec<_> = store
        .movements(owner.id, None, 9)
        .unwrap()
        .iter()
        .map(|m| m.kind)
        .collect();
    assert_eq!(
        kinds,
        [MovementKind::Returned, MovementKind::Spent, MovementKind::Granted]
    );
    // A scan that was stopped after its answers had come keeps the credit.
    let id = begin(store, &owner, "a.example", NOW).unwrap();
    let held = claimed(store, id);
    store.put_call(held, 0, b"{}").unwrap();
    assert!(store.end_open_run(id, "stopped", &[], NOW).unwrap());
    assert!(!store.end_open_run(id, "stopped", &[], NOW).unwrap());
    check_books(store, &owner, 0);
    let stopped = store.run(owner.id, id).unwrap().unwrap();
    assert_eq!(
        (stopped.state, stopped.done, stopped.cost),
        (RunState::Cancelled, 1, 50)
    );
    // Its worker has lost it.
    assert!(matches!(store.put_call(held, 1, b"{}"), Err(StoreError::Lost)));
    assert!(matches!(fail(store, held, NOW), Err(StoreError::Lost)));
    check_books(store, &owner, 0);
}

fn keeps_a_finished_scan(store: &Store) {
    let (owner, stranger) = (account(store, 1), account(store, 1));
    let id = begin(store, &owner, "a.example", NOW).unwrap();
    assert!(store.scan(id).unwrap().is_none());
    let receipt = finish(store, &owner, id, NOW + 5).unwrap();
    let run = store.run(owner.id, id).unwrap().unwrap();
    let summary = RunSummary {
        score: Score::new(41.5),
        interval: None,
    };
    let finished = run.finished.unwrap();
    assert_eq!(
        (run.state, finished.summary, finished.receipt),
        (RunState::Complete, summary, receipt)
    );
    assert_eq!(
        (run.cost, run.credit_returned, run.request.as_str()),
        (90, false, r#"{"domain":"x"}"#)
    );
    assert_eq!(
        store.scan(id).unwrap().unwrap().origin,
        Origin::Workspace(owner.id)
    );
    assert!(store.run(stranger.id, id).unwrap().is_none());
}

fn a_scan_counts_the_calls_of_its_run_and_ends_with_it(store: &Store) {
    let owner = account(store, 1);
    let id = begin(store, &owner, "a.example", NOW).unwrap();
    let held = claimed(store, id);
    store.put_call(held, 0, b"{}").unwrap();
    assert_eq!(store.run(owner.id, id).unwrap().unwrap().done, 1);
    let lost = HeldStep {
        epoch: held.epoch + 1,
        ..held
    };
    assert!(matches!(fail(store, lost, NOW), Err(StoreError::Lost)));
    check_books(store, &owner, 0);
    // Its calls had no answer.
    fail(store, held, NOW).unwrap();
    check_books(store, &owner, 1);
    let failed = store.run(owner.id, id).unwrap().unwrap();
    assert_eq!((failed.state, failed.done), (RunState::Failed, 1));
}

fn a_scan_that_no_worker_has_taken_up_ends_with_its_run(store: &Store) {
    let owner = account(store, 1);
    let id = begin(store, &owner, "a.example", NOW).unwrap();
    assert!(store.end_queued_run(id, "stopped", &[], NOW).unwrap());
    check_books(store, &owner, 1);
    let state = store.run(owner.id, id).unwrap().unwrap().state;
    assert_eq!(state, RunState::Cancelled);
    let taken = store.begin_run(
        &NewRun {
            id,
            ..new_run(&owner, "a.example")
        },
        &durable(id, NOW),
        None,
    );
    assert!(matches!(taken, Err(StoreError::Exists)));
    check_books(store, &owner, 1);
}

fn finds_by_words_and_tags_of_one_account(store: &Store) {
    let (owner, stranger) = (account(store, 9), account(store, 9));
    let first = begin(store, &owner, "alpha.example", NOW).unwrap();
    let second = begin(store, &owner, "beta.example", NOW + 1).unwrap();
    let foreign = begin(store, &stranger, "alpha.example", NOW).unwrap();
    let found = |words: &[&str], tag: Option<&str>| {
        let query = RunQuery {
            words,
            tag,
            skip: 0,
            most: 10,
        };
        let found = store.find_runs(owner.id, &query).unwrap();
        assert_eq!(found.total, found.rows.len() as u64);
        found.rows.iter().map(|run| run.id).collect::<Vec<_>>()
    };
    assert_eq!(found(&[], None), [second, first]);
    assert_eq!(found(&["ALPHA", "æble", "århus"], None), [first]);
    assert!(found(&["alpha", "beta"], None).is_empty());
    assert!(found(&["%"], None).is_empty() && found(&["_"], None).is_empty());
    assert!(found(&["\0"], None).is_empty() && found(&[], Some("a\0b")).is_empty());
    let tags = ["autumn", "client's"].map(str::to_owned);
    assert!(store.set_tags(owner.id, first, &tags).unwrap());
    assert!(store.set_tags(owner.id, second, &tags[..1]).unwrap());
    assert!(!store.set_tags(owner.id, foreign, &tags).unwrap());
    assert_eq!(found(&[], Some("client's")), [first]);
    assert_eq!(found(&["beta"], Some("autumn")), [second]);
    let names: Vec<_> = store
        .tags(owner.id)
        .unwrap()
        .into_iter()
        .map(|tag| (tag.name, tag.scans))
        .collect();
    assert_eq!(names, [("autumn".to_owned(), 2), ("client's".to_owned(), 1)]);
    assert!(store.tags(stranger.id).unwrap().is_empty());
    assert_eq!(store.run(owner.id, first).unwrap().unwrap().tags, tags);
    assert!(store.set_tags(owner.id, first, &[]).unwrap());
    assert!(store.run(owner.id, first).unwrap().unwrap().tags.is_empty());
    let page = RunQuery {
        skip: 1,
        most: 1,
        ..RunQuery::default()
    };
    let page = store.find_runs(owner.id, &page).unwrap();
    assert_eq!((page.total, page.rows.len()), (2, 1));
    assert_eq!(page.rows.first().map(|run| run.id), Some(first));
}

/// A link without an end and without a password.
pub(super) fn link(token: &str) -> NewShare<'_> {
    NewShare {
        token,
        ..NewShare::default()
    }
}

fn shares_and_takes_back(store: &Store) {
    let (owner, stranger) = (account(store, 2), account(store, 1));
    let id = begin(store, &owner, "a.example", NOW).unwrap();
    let token = ScanId::random().to_string();
    // Only a report can be shared, and only by its owner.
    assert!(!store.set_share(owner.id, id, Some(&link(&token)), NOW).unwrap());
    finish(store, &owner, id, NOW).unwrap();
    assert!(
        !store
            .set_share(stranger.id, id, Some(&link(&token)), NOW)
            .unwrap()
    );
    assert!(store.shared(&token, NOW).unwrap().is_none());
    assert!(store.set_share(owner.id, id, Some(&link(&token)), NOW).unwrap());
    assert!(
        store
            .set_share(owner.id, id, Some(&link("another")), NOW)
            .unwrap()
    );
    assert_eq!(
        store
            .shared(&token, NOW)
            .unwrap()
            .map(|found| (found.account, found.id)),
        Some((owner.id, id))
    );
    assert!(store.shared("another", NOW).unwrap().is_none() && store.shared("\0", NOW).unwrap().is_none());
    assert_eq!(
        store.run(owner.id, id).unwrap().unwrap().share.unwrap().token,
        token
    );
    store.set_disabled(owner.id, true, NOW.into()).unwrap();
    assert!(store.shared(&token, NOW).unwrap().is_none());
    store.set_disabled(owner.id, false, NOW.into()).unwrap();
    assert!(store.shared(&token, NOW).unwrap().is_some());
    assert!(!store.set_share(stranger.id, id, None, NOW).unwrap());
    assert!(store.set_share(owner.id, id, None, NOW).unwrap());
    assert!(store.shared(&token, NOW).unwrap().is_none());
}

fn pages_receipts_and_movements(store: &Store) {
    let owner = account(store, 3);
    let mut receipts = Vec::new();
    for later in 0..3 {
        let id = begin(store, &owner, "a.example", NOW + later).unwrap();
        // Two of them end in the same millisecond.
        receipts.push((id, finish(store, &owner, id, NOW + later / 2).unwrap()));
    }
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let page = store.finished_runs(owner.id, cursor, 1).unwrap();
        let Some(run) = page.first() else { break };
        seen.push(run.id);
        cursor = receipts
            .iter()
            .find(|(id, _)| *id == run.id)
            .map(|(_, receipt)| *receipt);
    }
    assert_eq!(seen.len(), 3);
    assert_eq!(seen.first(), receipts.last().map(|(id, _)| id));
    let unknown = Some(ReceiptId::random());
    assert!(store.finished_runs(owner.id, unknown, 9).unwrap().is_empty());
    let first = store.movements(owner.id, None, 3).unwrap();
    let rest = store
        .movements(owner.id, first.last().map(|m| m.entry), 3)
        .unwrap();
    assert_eq!((first.len(), rest.len()), (3, 1));
    let spent = first.first().unwrap();
    assert_eq!(
        (spent.kind, spent.amount, spent.balance),
        (MovementKind::Spent, -1, 0)
    );
    assert!(
        spent
            .scan
            .as_ref()
            .is_some_and(|(_, domain, _)| domain == "a.example")
    );
    assert!(
        rest.iter()
            .all(|m| m.kind == MovementKind::Granted && m.scan.is_none())
    );
}

fn lists_audits_of_one_account(store: &Store) {
    let (owner, stranger) = (account(store, 1), account(store, 1));
    let keep = |account: AccountId, kind: AuditKind, address: &str, score: Option<u8>, now: i64| {
        let report = NewScan {
            id: ScanId::random(),
            origin: Origin::Workspace(account),
            created_at: now / 1_000,
            sandbox: false,
            method: "2.0",
            reply: b"report",
            answers: None,
        };
        let audit = NewAudit {
            account,
            kind,
            address,
            score,
        };
        match kind {
            // Pages are audited by runs.
            AuditKind::Page => {
                store.open_run(&durable(report.id, now)).unwrap();
                let (held, end) = (claimed(store, report.id), (RunState::Complete, None));
                let result = RunResult::Audit(&report, &audit);
                store.end_durable_run(held, end, Some(result), &[], now).unwrap();
            }
            AuditKind::Site => store.put_audit(&report, &audit, now).unwrap(),
        }
        assert_eq!(store.scan(report.id).unwrap().unwrap().reply, b"report");
        AuditRecord {
            id: report.id,
            kind,
            address: address.to_owned(),
            score,
            created_at: now,
        }
    };
    let older = keep(owner.id, AuditKind::Page, "https://a.example/", Some(40), 1_000);
    let other = keep(owner.id, AuditKind::Page, "https://a.example/x", Some(100), 2_000);
    let newer = keep(owner.id, AuditKind::Page, "https://a.example/", Some(0), 3_000);
    let site = keep(owner.id, AuditKind::Site, "https://a.example/", None, 4_000);
    keep(stranger.id, AuditKind::Page, "https://a.example/", Some(1), 5_000);
    // A scan for a credit is not an audit.
    let scan = begin(store, &owner, "a.example", NOW).unwrap();
    finish(store, &owner, scan, NOW).unwrap();
    let all = [site.clone(), newer.clone(), other, older.clone()];
    assert_eq!(store.audits(owner.id, None, 9).unwrap(), all);
    assert_eq!(store.audits(owner.id, None, 1).unwrap(), all[..1]);
    let of_one = store.audits(owner.id, Some("https://a.example/"), 9).unwrap();
    assert_eq!(of_one, [site, newer, older]);
    assert!(store.audits(owner.id, Some("\0"), 9).unwrap().is_empty());
}
