//! Conformance of the administration: roles, budgets, one-time links, and the end of scans, shared links and accounts.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::workspace::{
    NOW, account, again, begin, check_books, claimed, durable, finish, link, open_session,
};
use crate::{
    AccountAction, AccountRecord, AuditKind, Change, NewAccount, NewAudit, NewDurableRun, NewLink, NewRun,
    NewScan, NewShare, Origin, Role, RunQuery, Store, StoreError,
};
use ibid_model::{AccountId, Email, ScanId};

/// Runs the suite.
pub(crate) fn run(store: &Store) {
    roles_budgets_and_authors_are_kept(store);
    a_link_sets_a_password_once(store);
    one_admin_is_left(store);
    a_budget_bounds_a_month(store);
    titles_are_found_and_deleted_scans_leave_their_receipt(store);
    links_end_and_keep_their_password(store);
    a_deleted_account_leaves_money_without_a_name(store);
}

fn roles_budgets_and_authors_are_kept(store: &Store) {
    let (admin, owner) = (account(store, 0), account(store, 0));
    assert_eq!(
        (owner.role, owner.budget, owner.signed_in_at),
        (Role::Member, None, None)
    );
    let change = Change {
        at: NOW + 5,
        by: Some(admin.id),
    };
    store.set_role(owner.id, Role::Viewer, change).unwrap();
    store.set_budget(owner.id, Some(2_500_000), change).unwrap();
    let hash = open_session(store, &owner, None, NOW + 7);
    let found = store.account_by_id(owner.id).unwrap().unwrap();
    assert_eq!(
        (found.role, found.budget, found.signed_in_at),
        (Role::Viewer, Some(2_500_000), Some(NOW + 7))
    );
    assert_eq!(store.session(&hash, NOW + 8).unwrap().unwrap().role, Role::Viewer);
    let log = store.account_log(Some(owner.id), 9).unwrap();
    let authors: Vec<_> = log
        .iter()
        .map(|entry| (entry.action, entry.by.as_deref()))
        .collect();
    assert_eq!(
        authors,
        [
            (AccountAction::SignedIn, None),
            (AccountAction::Budget, Some(admin.email.as_str())),
            (AccountAction::Role, Some(admin.email.as_str())),
            (AccountAction::Opened, None),
        ]
    );
    store.set_budget(owner.id, None, NOW.into()).unwrap();
    assert_eq!(again(store, &owner).budget, None);
    assert!(store.account_by_id(AccountId::random()).unwrap().is_none());
}

fn a_link_sets_a_password_once(store: &Store) {
    let owner = account(store, 0);
    let put = |key: u8| {
        let link = NewLink {
            hash: std::array::from_fn(|at| owner.id.as_bytes()[at % 16] ^ key),
            account: owner.id,
            expires_at: NOW + 1_000,
        };
        store.put_link(&link, NOW.into()).unwrap();
        link.hash
    };
    let (first, second) = (put(1), put(2));
    // A new link ends the earlier one, and time ends both.
    assert!(store.link(&first, NOW).unwrap().is_none());
    assert!(store.link(&second, NOW + 1_000).unwrap().is_none());
    assert!(!store.use_link(&second, "late", NOW + 1_000).unwrap());
    assert_eq!(store.link(&second, NOW).unwrap().unwrap().id, owner.id);
    let session = open_session(store, &owner, None, NOW);
    assert!(store.use_link(&second, "$argon2id$new", NOW).unwrap());
    assert!(!store.use_link(&second, "$argon2id$newer", NOW).unwrap());
    assert_eq!(again(store, &owner).password, "$argon2id$new");
    assert!(store.session(&session, NOW).unwrap().is_none());
    // Another password and a disabled account end links.
    let third = put(3);
    store.set_password(owner.id, "x", NOW.into()).unwrap();
    assert!(!store.use_link(&third, "y", NOW).unwrap());
    store.set_disabled(owner.id, true, NOW.into()).unwrap();
    let fourth = put(4);
    assert!(store.link(&fourth, NOW).unwrap().is_none());
    assert!(!store.use_link(&fourth, "y", NOW).unwrap());
}

fn one_admin_is_left(store: &Store) {
    let [first, second] = [41, 42].map(|n| account(store, n));
    let set = |account: &AccountRecord, role| store.set_role(account.id, role, NOW.into());
    for admin in [&first, &second] {
        set(admin, Role::Admin).unwrap();
    }
    // Two admins demote each other at the same time.
    let mut done = std::thread::scope(|scope| {
        [&first, &second]
            .map(|admin| scope.spawn(move || set(admin, Role::Member).is_ok()))
            .map(|demotion| demotion.join().unwrap())
    });
    let left = if done[0] { &second } else { &first };
    done.sort_unstable();
    assert_eq!(done, [false, true]);
    for refused in [
        set(left, Role::Viewer),
        store.set_disabled(left.id, true, NOW.into()),
    ] {
        assert!(matches!(refused, Err(StoreError::LastAdmin)), "{refused:?}");
    }
    for admin in [&first, &second] {
        set(admin, Role::Admin).unwrap();
    }
    // A disabled admin does not count.
    store.set_disabled(first.id, true, NOW.into()).unwrap();
    assert!(matches!(set(&second, Role::Member), Err(StoreError::LastAdmin)));
    store.set_disabled(first.id, false, NOW.into()).unwrap();
    set(&second, Role::Member).unwrap();
    store.delete_account(first.id, NOW.into()).unwrap();
}

fn a_budget_bounds_a_month(store: &Store) {
    let owner = account(store, 9);
    store.set_budget(owner.id, Some(250), NOW.into()).unwrap();
    let begin_in = |month_began: i64| {
        let run = NewRun {
            id: ScanId::random(),
            account: owner.id,
            request: "{}",
            domain: "a.example",
            keyword: "plumber",
            place: None,
            cost: 100,
            month_began,
        };
        let work = NewDurableRun {
            calls: 4,
            ..durable(run.id, NOW)
        };
        store.begin_run(&run, &work, None).map(|_| run.id)
    };
    let first = begin_in(NOW).unwrap();
    let second = begin_in(NOW).unwrap();
    let refused = begin_in(NOW);
    assert!(
        matches!(refused, Err(StoreError::OverBudget { left: 50 })),
        "{refused:?}"
    );
    assert_eq!(again(store, &owner).credits, 7);
    // A stopped scan cost a part, a finished one its bill.
    store.put_call(claimed(store, first), 0, b"{}").unwrap();
    assert!(store.end_open_run(first, "stopped", &[], NOW).unwrap());
    finish(store, &owner, second, NOW).unwrap();
    assert_eq!(store.run(owner.id, first).unwrap().unwrap().cost, 25);
    assert_eq!(store.run(owner.id, second).unwrap().unwrap().cost, 90);
    let spent = |from, until| {
        let all = store.spending(from, until).unwrap();
        all.into_iter()
            .find(|row| row.account == owner.id)
            .map(|row| (row.scans, row.cost))
    };
    assert_eq!(spent(NOW, NOW + 1), Some((2, 115)));
    assert_eq!((spent(NOW + 1, NOW + 2), spent(NOW - 1, NOW)), (None, None));
    begin_in(NOW).unwrap();
    assert!(begin_in(NOW).is_err());
    // The next month begins with a whole budget.
    begin_in(NOW + 1).unwrap();
}

fn titles_are_found_and_deleted_scans_leave_their_receipt(store: &Store) {
    let (owner, stranger) = (account(store, 3), account(store, 1));
    let id = begin(store, &owner, "a.example", NOW).unwrap();
    assert!(store.set_title(owner.id, id, Some("Autumn Report")).unwrap());
    assert!(!store.set_title(stranger.id, id, Some("x")).unwrap());
    let find = |word: &str| {
        let words = [word];
        let query = RunQuery {
            words: &words,
            most: 9,
            ..RunQuery::default()
        };
        store.find_runs(owner.id, &query).unwrap().rows
    };
    assert_eq!(
        find("autumn").first().unwrap().title.as_deref(),
        Some("Autumn Report")
    );
    assert_eq!(find("a.example").len(), 1);
    // A running scan has to be stopped first, and only its owner deletes it.
    assert!(!store.delete_run(owner.id, id, NOW).unwrap());
    let receipt = finish(store, &owner, id, NOW).unwrap();
    store.set_tags(owner.id, id, &["one".to_owned()]).unwrap();
    store
        .set_share(owner.id, id, Some(&link("shared-token")), NOW)
        .unwrap();
    assert!(!store.delete_run(stranger.id, id, NOW).unwrap());
    assert!(store.delete_run(owner.id, id, NOW).unwrap());
    assert!(!store.delete_run(owner.id, id, NOW).unwrap());
    assert!(store.run(owner.id, id).unwrap().is_none() && find("a.example").is_empty());
    assert!(store.scan(id).unwrap().is_none() && store.answers(id).unwrap().is_none());
    assert!(store.shared("shared-token", NOW).unwrap().is_none());
    assert!(store.tags(owner.id).unwrap().is_empty());
    assert!(!store.set_tags(owner.id, id, &[]).unwrap());
    assert!(!store.set_title(owner.id, id, None).unwrap());
    assert!(!store.set_share(owner.id, id, Some(&link("t2")), NOW).unwrap());
    let receipts = store.finished_runs(owner.id, None, 9).unwrap();
    let kept = receipts.first().unwrap();
    assert_eq!(
        (kept.id, kept.deleted, kept.domain.as_str()),
        (id, true, "a.example")
    );
    assert_eq!(kept.finished.unwrap().receipt, receipt);
    assert_eq!(kept.request, "{}");
    check_books(store, &again(store, &owner), 2);
    let movements = store.movements(owner.id, None, 9).unwrap();
    assert!(movements.iter().all(|movement| movement.scan.is_none()));
}

fn links_end_and_keep_their_password(store: &Store) {
    let owner = account(store, 1);
    let id = begin(store, &owner, "a.example", NOW).unwrap();
    finish(store, &owner, id, NOW).unwrap();
    let share = NewShare {
        token: "ends-soon",
        until: Some(NOW + 10),
        password: Some("$argon2id$link"),
    };
    assert!(store.set_share(owner.id, id, Some(&share), NOW).unwrap());
    let found = store.shared("ends-soon", NOW + 9).unwrap().unwrap();
    assert_eq!(found.password.as_deref(), Some("$argon2id$link"));
    assert!(!format!("{found:?}").contains("argon2id"));
    let kept = store.run(owner.id, id).unwrap().unwrap().share.unwrap();
    assert_eq!((kept.until, kept.protected), (Some(NOW + 10), true));
    assert!(store.shared("ends-soon", NOW + 10).unwrap().is_none());
    store.set_share(owner.id, id, None, NOW).unwrap();
    assert!(store.set_share(owner.id, id, Some(&link("open")), NOW).unwrap());
    assert_eq!(store.shared("open", i64::MAX).unwrap().unwrap().password, None);
}

fn a_deleted_account_leaves_money_without_a_name(store: &Store) {
    let (owner, admin) = (account(store, 3), account(store, 0));
    let id = begin(store, &owner, "a.example", NOW).unwrap();
    let change = Change {
        at: NOW + 1,
        by: Some(admin.id),
    };
    assert!(matches!(
        store.delete_account(owner.id, change),
        Err(StoreError::Lost)
    ));
    finish(store, &owner, id, NOW).unwrap();
    let session = open_session(store, &owner, None, NOW);
    let audit = NewAudit {
        account: owner.id,
        kind: AuditKind::Page,
        address: "https://a.example/",
        score: Some(1),
    };
    let report = |id: ScanId| NewScan {
        id,
        origin: Origin::Workspace(owner.id),
        created_at: 1,
        sandbox: true,
        method: "2.0",
        reply: b"report",
        answers: None,
    };
    let audited = report(ScanId::random());
    store.put_audit(&audited, &audit, NOW).unwrap();
    store.delete_account(owner.id, change).unwrap();
    assert!(store.account(&owner.email.parse().unwrap()).unwrap().is_none());
    assert!(store.account_by_id(owner.id).unwrap().is_none());
    assert!(store.accounts().unwrap().iter().all(|known| known.id != owner.id));
    assert!(store.session(&session, NOW).unwrap().is_none());
    assert!(store.scan(id).unwrap().is_none() && store.scan(audited.id).unwrap().is_none());
    assert!(store.audits(owner.id, None, 9).unwrap().is_empty());
    // A late audit is not stored.
    let late = store.put_audit(&report(ScanId::random()), &audit, NOW);
    assert!(matches!(late, Err(StoreError::Lost)));
    let log = store.account_log(Some(owner.id), 9).unwrap();
    assert_eq!(log.len(), 1);
    let entry = log.first().unwrap();
    assert_eq!(
        (entry.action, entry.by.as_deref()),
        (AccountAction::Deleted, Some(admin.email.as_str()))
    );
    assert!(!entry.email.contains('@'));
    let receipts = store.finished_runs(owner.id, None, 9).unwrap();
    assert_eq!(receipts.first().map(|run| run.domain.as_str()), Some(""));
    let movements = store.movements(owner.id, None, 9).unwrap();
    assert_eq!(movements.first().map(|movement| movement.balance), Some(2));
    // The address is free again.
    let email: Email = owner.email.parse().unwrap();
    let next = NewAccount {
        id: AccountId::random(),
        email: &email,
        password: "x",
        credits: 0,
        role: Role::Member,
    };
    store.open_account(&next, NOW).unwrap();
}
