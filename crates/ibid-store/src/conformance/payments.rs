//! Conformance of payments.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test suite that other crates run"
)]

use crate::{
    Begun, BegunStep, ClaimMode, ClaimOutcome, ExposureLimit, HeldPayment, Lease, NewDurableRun, NewScan,
    Origin, PackedAnswers, PaymentClaim, PaymentState, PaymentStep, Refund, RefundKind, ReportedSettlement,
    RunResult, RunStep, RunSubject, SettledPayment, SoldResult, Store, StoreError, UnsettledPayment,
    WorkerId,
};
use ibid_model::{
    Asset, Network, Nonce, PaymentKey, PriceList, Product, Receipt, ReceiptId, RunState, ScanId, Skill,
    Wallet, X402Version,
};

pub(super) const NOW: i64 = 1_795_000_000_000;
const LEASE: i64 = 10_000;
const HELD: &[u8] = b"a signed payload";
const HELD_PAYMENT: HeldPayment<'_> = HeldPayment {
    payload: HELD,
    expected: "{}",
};

/// Runs the suite.
pub(crate) fn run(store: &Store) {
    walks_to_the_receipt_once(store);
    holds_and_begins_to_settle_in_one(store);
    frees_payments_without_a_result(store);
    goes_on_with_the_run_of_an_interrupted_claim(store);
    fences_a_slow_lease_holder(store);
    tries_a_refused_payment_again(store);
    looks_at_refused_payments_again(store);
    records_refunds(store);
    looks_for_reported_transfers(store);
    bounds_open_orders_of_a_payer(store);
    counts_failed_orders_of_a_payer(store);
    counts_unpaid_orders_of_payers_and_addresses(store);
    settles_before_the_work(store);
    bounds_unpaid_work_of_any_number_of_wallets(store);
    gives_an_identifier_to_one_order(store);
    delays_payments_of_unknown_outcome(store);
    deletes_ended_payments(store);
    pages_receipts_of_one_wallet(store);
}

pub(super) fn key(payer: u8) -> PaymentKey {
    PaymentKey {
        network: Network::BaseSepolia,
        asset: Asset::usdc(Network::BaseSepolia).contract,
        payer: Wallet::from_bytes([payer; 20]),
        nonce: Nonce::from_bytes(std::array::from_fn(|at| ScanId::random().as_bytes()[at % 16])),
    }
}

fn visit_of(key: &PaymentKey, now: i64) -> PaymentClaim<'_> {
    PaymentClaim {
        key,
        fingerprint: &[1; 32],
        request: &[1; 32],
        skill: Skill::Scan,
        identifier: None,
        resource: "https://ibid.example/api/a2a/scan",
        caller: &[7; 16],
        run: ScanId::random(),
        expires: NOW + 600_000,
        now,
        lease_until: now + LEASE,
    }
}

fn show(store: &Store, key: &PaymentKey, request: u8, now: i64) -> ClaimOutcome {
    let visit = PaymentClaim {
        request: &[request; 32],
        ..visit_of(key, now)
    };
    store.claim(&visit, ClaimMode::MayStart).unwrap()
}

pub(super) fn claim(store: &Store, key: &PaymentKey) -> Lease {
    match show(store, key, 1, NOW) {
        ClaimOutcome::Start(lease) => lease,
        other => panic!("a fresh payment gave {other:?}"),
    }
}

fn result(lease: &Lease) -> NewScan<'static> {
    NewScan {
        id: lease.run,
        origin: Origin::Paid(lease.key.payer.to_string()),
        created_at: NOW / 1_000,
        sandbox: true,
        method: "1",
        reply: b"bought",
        answers: Some(PackedAnswers::of(b"[]").unwrap()),
    }
}

fn hold(store: &Store, lease: &Lease) -> Result<(), StoreError> {
    work(store, lease);
    store.hold_to_settle(lease, HELD_PAYMENT, NOW)
}

/// Stores the hidden result of a payment, unless it is stored.
fn work(store: &Store, lease: &Lease) {
    if store.durable_run(lease.run).unwrap().is_none() {
        queue(store, lease);
        end(store, lease, RunState::Complete, Some(&result(lease)));
    }
}

/// A payment whose result is kept.
pub(super) fn held(store: &Store, key: &PaymentKey) -> Lease {
    let lease = claim(store, key);
    store
        .apply_steps(&lease, &[PaymentStep::Verify, PaymentStep::Begin], NOW)
        .unwrap();
    hold(store, &lease).unwrap();
    lease
}

fn receipt(lease: &Lease) -> Receipt {
    Receipt {
        id: ReceiptId::random(),
        product: Product::Scan,
        resource: "https://ibid.example/api/a2a/scan".to_owned(),
        scan_id: Some(lease.run),
        amount: Product::Scan.price(),
        asset: lease.key.asset,
        network: lease.key.network,
        transaction: "0xabc".parse().ok(),
        version: X402Version::V2,
        settled_at: "2026-11-21T10:00:00Z".parse().unwrap(),
    }
}

pub(super) fn settle(store: &Store, lease: &Lease) -> Result<Receipt, StoreError> {
    let receipt = receipt(lease);
    store.settle(
        lease,
        &SettledPayment {
            receipt: &receipt,
            inferred: false,
            look_at: Some(NOW + 5_000),
        },
        NOW,
    )?;
    Ok(receipt)
}

fn is_lost<T: std::fmt::Debug>(result: Result<T, StoreError>) {
    match result {
        Err(StoreError::Lost) => {}
        other => panic!("a step out of turn gave {other:?}"),
    }
}

fn holds_and_begins_to_settle_in_one(store: &Store) {
    let key = key(61);
    let lease = claim(store, &key);
    work(store, &lease);
    let hold = |lease: &Lease| store.hold_to_settle(lease, HELD_PAYMENT, NOW);
    is_lost(hold(&lease));
    store
        .apply_steps(&lease, &[PaymentStep::Verify, PaymentStep::Begin], NOW)
        .unwrap();
    hold(&lease).unwrap();
    is_lost(hold(&lease));
    assert!(store.scan(lease.run).unwrap().is_none(), "it is not paid yet");
    // The process that takes over treats the request as sent.
    let due = store
        .take_over_due((NOW + LEASE) + 1, (NOW + LEASE) + 2, 100)
        .unwrap();
    let taken = due
        .into_iter()
        .find(|unsettled| unsettled.lease.key == key)
        .unwrap();
    assert!(taken.sent);
    assert_eq!(taken.held, HELD);
    // The first process was only slow, and knows that the money has moved.
    settle(store, &lease).unwrap();
    is_lost(store.apply_steps(&taken.lease, &[PaymentStep::Settle], NOW));
    is_lost(settle(store, &taken.lease));
    assert_eq!(store.scan(lease.run).unwrap().unwrap().reply, b"bought");
}

fn walks_to_the_receipt_once(store: &Store) {
    let key = key(1);
    let lease = claim(store, &key);
    assert!(matches!(show(store, &key, 1, NOW), ClaimOutcome::Wait));
    // Steps out of order are refused.
    is_lost(hold(store, &lease));
    is_lost(store.apply_steps(&lease, &[PaymentStep::Verify, PaymentStep::Settle], NOW));
    store
        .apply_steps(&lease, &[PaymentStep::Verify, PaymentStep::Begin], NOW)
        .unwrap();
    assert!(matches!(show(store, &key, 2, NOW), ClaimOutcome::Used));
    is_lost(settle(store, &lease));
    hold(store, &lease).unwrap();
    assert!(
        store.scan(lease.run).unwrap().is_none(),
        "a result is shown before it is paid"
    );
    assert!(store.answers(lease.run).unwrap().is_none());
    let receipt = settle(store, &lease).unwrap();
    is_lost(settle(store, &lease));
    assert_eq!(store.scan(lease.run).unwrap().unwrap().reply, b"bought");
    assert_eq!(store.receipt_of(&key).unwrap(), Some(receipt.clone()));
    let ClaimOutcome::Sold(sold) = show(store, &key, 1, NOW + LEASE) else {
        panic!("it was bought")
    };
    assert_eq!(
        sold,
        SoldResult {
            run: lease.run,
            reply: b"bought".to_vec(),
            receipt
        }
    );
    assert!(matches!(show(store, &key, 2, NOW), ClaimOutcome::Used));
    let account = store.books().unwrap().accounts[0].clone();
    assert_eq!((account.owed, account.balances()), (150_000, true));
    store.deliver(&key, NOW).unwrap();
    store.deliver(&key, NOW).unwrap();
    let account = store.books().unwrap().accounts[0].clone();
    assert_eq!(
        (account.settled, account.owed, account.delivered),
        (150_000, 0, 150_000)
    );
}

fn frees_payments_without_a_result(store: &Store) {
    let key = key(2);
    let lease = claim(store, &key);
    store.apply_steps(&lease, &[PaymentStep::Free], NOW).unwrap();
    // A freed payment may be presented for any request.
    let ClaimOutcome::Start(second) = show(store, &key, 2, NOW) else {
        panic!("it is free")
    };
    assert_ne!(second.run, lease.run);
    is_lost(store.apply_steps(&lease, &[PaymentStep::Verify], NOW));
    store.renew_leases(&[second], NOW + 2 * LEASE).unwrap();
    assert_eq!(
        store.free_abandoned_payments(NOW + LEASE).unwrap(),
        0,
        "a process holds its lease"
    );
    assert_eq!(store.free_abandoned_payments(NOW + 2 * LEASE).unwrap(), 1);
    is_lost(store.apply_steps(&second, &[PaymentStep::Verify], NOW));
    let visit = ClaimMode::OnlyReturn;
    let unknown = PaymentClaim {
        key: &self::key(2),
        fingerprint: &[1; 32],
        request: &[1; 32],
        skill: Skill::Scan,
        identifier: None,
        resource: "",
        caller: &[7; 16],
        run: ScanId::random(),
        expires: 0,
        now: NOW,
        lease_until: NOW,
    };
    assert!(matches!(
        store.claim(&unknown, visit).unwrap(),
        ClaimOutcome::Unknown
    ));
}

/// Queues a sold scan under the id of a claim.
fn queue(store: &Store, lease: &Lease) {
    let run = NewDurableRun {
        id: lease.run,
        tenant: "buyer",
        priority: 1,
        document: b"{}",
        plan: None,
        calls: 1,
        created_at: NOW,
        secret: None,
        subject: &RunSubject::default(),
    };
    store.open_run(&run).unwrap();
    assert!(store.start_run(lease.run).unwrap());
}

fn end(store: &Store, lease: &Lease, state: RunState, scan: Option<&NewScan<'_>>) {
    let worker = WorkerId::random();
    let begun = store
        .begin_step(worker, lease.run, RunStep::Plan, NOW + 1, NOW)
        .unwrap();
    let BegunStep::Claimed(claimed) = begun else {
        panic!("a queued step gave {begun:?}")
    };
    store
        .end_durable_run(claimed.held, (state, None), scan.map(RunResult::Scan), &[], NOW)
        .unwrap();
}

fn goes_on_with_the_run_of_an_interrupted_claim(store: &Store) {
    let key = key(63);
    let claimed = |request: u8, mode: ClaimMode, now: i64| {
        let visit = PaymentClaim {
            request: &[request; 32],
            ..visit_of(&key, now)
        };
        match store.claim(&visit, mode).unwrap() {
            ClaimOutcome::Start(lease) => Some(lease),
            ClaimOutcome::Unknown => None,
            other => panic!("a payment without a result gave {other:?}"),
        }
    };
    let start = ClaimMode::MayStart;
    assert_eq!(claimed(1, ClaimMode::MayContinue, NOW), None);
    let first = claimed(1, start, NOW).unwrap();
    // The first claim queued no run, so there is no work to continue.
    assert_eq!(claimed(1, ClaimMode::MayContinue, NOW + LEASE), None);
    let second = claimed(1, start, NOW + LEASE).unwrap();
    assert_ne!(second.run, first.run);
    queue(store, &second);
    let third = claimed(1, ClaimMode::MayContinue, NOW + 2 * LEASE).unwrap();
    assert_eq!((third.run, third.turn), (second.run, second.turn + 1));
    // Another request gets a run of its own, and the queued one ends.
    let fourth = claimed(2, start, NOW + 3 * LEASE).unwrap();
    assert_ne!(fourth.run, third.run);
    assert!(store.durable_run(third.run).unwrap().unwrap().cancelled);
    end(store, &third, RunState::Cancelled, None);
    // A run that has failed is not gone on with.
    queue(store, &fourth);
    end(store, &fourth, RunState::Failed, None);
    let fifth = claimed(2, start, NOW + 4 * LEASE).unwrap();
    assert_ne!(fifth.run, fourth.run);
    // The result of an interrupted claim is hidden until it is settled.
    queue(store, &fifth);
    store
        .apply_steps(&fifth, &[PaymentStep::Verify, PaymentStep::Begin], NOW)
        .unwrap();
    let hold = |lease: &Lease| store.hold_to_settle(lease, HELD_PAYMENT, NOW);
    end(store, &fifth, RunState::Complete, Some(&result(&fifth)));
    assert!(store.scan(fifth.run).unwrap().is_none());
    let sixth = claimed(2, ClaimMode::MayContinue, NOW + 5 * LEASE).unwrap();
    assert_eq!(sixth.run, fifth.run);
    is_lost(hold(&fifth));
    store
        .apply_steps(&sixth, &[PaymentStep::Verify, PaymentStep::Begin], NOW)
        .unwrap();
    hold(&sixth).unwrap();
    settle(store, &sixth).unwrap();
    assert_eq!(store.scan(sixth.run).unwrap().unwrap().reply, b"bought");
    // Books and numbers of payments are those before for the next tests.
    store.deliver(&key, NOW).unwrap();
}

fn fences_a_slow_lease_holder(store: &Store) {
    let key = key(3);
    let slow = held(store, &key);
    assert!(matches!(show(store, &key, 1, NOW), ClaimOutcome::Wait));
    let ClaimOutcome::Settle(UnsettledPayment {
        lease, held, sent, ..
    }) = show(store, &key, 1, NOW + LEASE)
    else {
        panic!("the lease has ended")
    };
    assert_eq!((held.as_slice(), sent, lease.run), (HELD, true, slow.run));
    is_lost(store.refuse(&slow, NOW, NOW));
    is_lost(store.pend(&slow, None, NOW, NOW));
    store.renew_leases(&[slow], NOW + 100 * LEASE).unwrap();
    store.apply_steps(&lease, &[PaymentStep::Settle], NOW).unwrap();
    settle(store, &lease).unwrap();
}

fn tries_a_refused_payment_again(store: &Store) {
    let key = key(4);
    let lease = held(store, &key);
    refuse(store, &lease);
    assert!(store.scan(lease.run).unwrap().is_none());
    let ClaimOutcome::Retry(refused) = show(store, &key, 1, NOW) else {
        panic!("it was refused")
    };
    assert_eq!(
        (refused.state, refused.held.is_empty()),
        (PaymentState::Refused, true)
    );
    assert_eq!(refused.expected.as_deref(), Some("{}"));
    assert!(refused.resource.ends_with("/scan"));
    // No step gives the lease back.
    store.apply_steps(&refused.lease, &[], NOW).unwrap();
    let ClaimOutcome::Retry(UnsettledPayment { lease, .. }) = show(store, &key, 1, NOW) else {
        panic!("it was refused")
    };
    store.hold_to_settle(&lease, HELD_PAYMENT, NOW).unwrap();
    store.apply_steps(&lease, &[PaymentStep::Unsent], NOW).unwrap();
    let ClaimOutcome::Settle(UnsettledPayment { lease, sent, .. }) = show(store, &key, 1, NOW) else {
        panic!("it is held")
    };
    assert!(!sent, "nothing was sent");
    settle(store, &lease).unwrap();
}

/// Ends the settlement of a held payment with a refusal.
fn refuse(store: &Store, lease: &Lease) {
    store.refuse(lease, i64::MAX, NOW).unwrap();
}

fn looks_at_refused_payments_again(store: &Store) {
    let (paid, doubted, void) = (key(9), key(9), key(9));
    let take_over = |key: &PaymentKey| {
        let again = store
            .take_over_undecided(key, NOW + LEASE, NOW + 2 * LEASE)
            .unwrap();
        again.unwrap_or_else(|| panic!("it is undecided")).lease
    };
    // The refused transfer went through after all.
    let lease = held(store, &paid);
    store.refuse(&lease, NOW + 5_000, NOW).unwrap();
    assert!(
        store
            .take_over_due(NOW + 4_999, NOW + LEASE, 10)
            .unwrap()
            .is_empty()
    );
    let due = store.take_over_due(NOW + 5_000, NOW + LEASE, 10).unwrap();
    let [again] = due.as_slice() else {
        panic!("one is due, not {due:?}")
    };
    assert_eq!((again.state, again.sent), (PaymentState::Refused, true));
    let receipt = settle(store, &again.lease).unwrap();
    assert_eq!(store.scan(lease.run).unwrap().unwrap().reply, b"bought");
    let recorded = store.recorded_since(NOW).unwrap();
    assert!(
        recorded
            .iter()
            .any(|one| one.receipt == receipt && one.key == paid)
    );
    assert!(
        store
            .take_over_undecided(&paid, i64::MAX, i64::MAX)
            .unwrap()
            .is_none()
    );
    // The nonce turned out to be used: the outcome is unknown.
    refuse(store, &held(store, &doubted));
    assert!(store.undecided_payments().unwrap().contains(&doubted));
    store.pend(&take_over(&doubted), None, i64::MAX, NOW).unwrap();
    let unknown = take_over(&doubted);
    settle(store, &unknown).unwrap();
    // It can never be paid.
    let lease = held(store, &void);
    refuse(store, &lease);
    store
        .apply_steps(&take_over(&void), &[PaymentStep::Void], NOW)
        .unwrap();
    assert!(matches!(show(store, &void, 1, NOW), ClaimOutcome::Used));
    assert!(!store.undecided_payments().unwrap().contains(&void));
}

fn bounds_open_orders_of_a_payer(store: &Store) {
    let limit = ExposureLimit {
        first: 1,
        most: 2,
        cost: Product::Scan.price().get(),
        prices: PriceList::STANDARD,
        asks_models: true,
        trusted_only: false,
        unpaid: u32::MAX,
        unpaid_of_address: u32::MAX,
    };
    let begin = |lease: &Lease, limit| store.begin(lease, limit, NOW).unwrap();
    let [one, two, three, four] = [11; 4].map(|payer| claim(store, &key(payer)));
    let strict = ExposureLimit {
        trusted_only: true,
        ..limit
    };
    assert_eq!(begin(&one, strict), Begun::Untrusted);
    assert_eq!(begin(&one, limit), Begun::Yes);
    is_lost(store.begin(&one, limit, NOW));
    assert_eq!(begin(&two, limit), Begun::TooManyOpen);
    assert_eq!(begin(&claim(store, &key(12)), limit), Begun::Yes, "another payer");
    hold(store, &one).unwrap();
    assert_eq!(begin(&two, limit), Begun::TooManyOpen, "held is open");
    settle(store, &one).unwrap();
    assert_eq!(begin(&two, strict), Begun::Yes);
    assert_eq!(begin(&three, limit), Begun::Yes, "one more for a settled one");
    assert_eq!(begin(&four, limit), Begun::TooManyOpen);
    // Failed work closes an order.
    store.apply_steps(&two, &[PaymentStep::Free], NOW).unwrap();
    assert_eq!(begin(&four, limit), Begun::Yes);
    // The process of the third is gone.
    let fifth = claim(store, &key(11));
    assert_eq!(store.begin(&fifth, limit, NOW + LEASE).unwrap(), Begun::Yes);
    for lease in [three, four, fifth] {
        store.apply_steps(&lease, &[PaymentStep::Free], NOW).unwrap();
    }
}

fn counts_failed_orders_of_a_payer(store: &Store) {
    let lease = claim(store, &key(13));
    let payer = lease.key.payer;
    let failed = |payer: &Wallet, since| store.failed_orders(payer, since).unwrap();
    assert_eq!(failed(&payer, NOW - 1), (0, None));
    store.fail(&lease, NOW).unwrap();
    is_lost(store.fail(&lease, NOW));
    store.fail(&claim(store, &key(13)), NOW + 5).unwrap();
    assert_eq!(failed(&payer, NOW - 1), (2, Some(NOW)));
    assert_eq!(failed(&payer, NOW), (1, Some(NOW + 5)));
    assert_eq!(failed(&Wallet::from_bytes([14; 20]), 0), (0, None));
}

/// An order of an address at a time, begun as far as the limit allows.
fn ordered(store: &Store, payer: u8, caller: u8, limit: ExposureLimit, now: i64) -> (Lease, Begun) {
    let key = key(payer);
    let visit = PaymentClaim {
        caller: &[caller; 16],
        expires: now + 600_000,
        ..visit_of(&key, now)
    };
    match store.claim(&visit, ClaimMode::MayStart).unwrap() {
        ClaimOutcome::Start(lease) => (lease, store.begin(&lease, limit, now).unwrap()),
        other => panic!("a fresh payment gave {other:?}"),
    }
}

/// The settlement of an order is refused at a time.
fn unpaid(store: &Store, lease: &Lease, now: i64) {
    hold(store, lease).unwrap();
    store.refuse(lease, i64::MAX, now).unwrap();
}

fn counts_unpaid_orders_of_payers_and_addresses(store: &Store) {
    // Other times and addresses than those of the other cases.
    let now = NOW + 100_000_000;
    let limit = ExposureLimit {
        first: 1,
        most: 5,
        cost: Product::Scan.price().get(),
        prices: PriceList::STANDARD,
        asks_models: true,
        trusted_only: false,
        unpaid: 4,
        unpaid_of_address: 3,
    };
    let failed = |payer: u8| {
        store
            .failed_orders(&Wallet::from_bytes([payer; 20]), now - 1)
            .unwrap()
    };
    let begin = |payer, caller, now| ordered(store, payer, caller, limit, now);
    let (refused, begun) = begin(71, 171, now);
    assert_eq!(begun, Begun::Yes);
    unpaid(store, &refused, now);
    assert_eq!(failed(71), (1, Some(now)));
    // It is open until its authorization ends, and counts once however it is looked at.
    assert_eq!(begin(71, 171, now).1, Begun::TooManyOpen);
    assert_eq!(begin(71, 171, now + 599_999).1, Begun::TooManyOpen);
    let again = store
        .take_over_undecided(&refused.key, now, now + LEASE)
        .unwrap()
        .unwrap();
    store.refuse(&again.lease, i64::MAX, now + 1).unwrap();
    assert_eq!(failed(71).0, 1);
    // So is one that can never be paid.
    let (void, begun) = begin(72, 171, now);
    assert_eq!(begun, Begun::Yes);
    hold(store, &void).unwrap();
    let steps = [PaymentStep::Void];
    store.apply_steps(&void, &steps, now).unwrap();
    assert_eq!(failed(72).0, 1);
    // The address has one more unpaid order, open or not, and all payers together two more. Later ones pay first.
    let (third, begun) = begin(73, 171, now);
    assert_eq!(begun, Begun::Yes);
    let (first, begun) = begin(74, 171, now);
    assert_eq!(begun, Begun::Settled, "the address is full");
    assert_eq!(begin(75, 172, now).1, Begun::Settled, "the shop is full");
    let free = ExposureLimit {
        asks_models: false,
        ..limit
    };
    assert_eq!(ordered(store, 76, 172, free, now).1, Begun::Yes, "an audit");
    // A settlement that is refused before the work has cost nothing.
    store.hold_to_settle(&first, HELD_PAYMENT, now).unwrap();
    store.refuse(&first, i64::MAX, now).unwrap();
    assert_eq!(failed(74).0, 0);
    unpaid(store, &third, now);
    assert_eq!(begin(77, 172, now + 600_000).1, Begun::Yes);
    // An order that is settled after all is not a failed one, and the payer is trusted until the next unpaid one.
    let settled = store
        .take_over_undecided(&third.key, now, now + LEASE)
        .unwrap()
        .unwrap();
    let receipt = receipt(&third);
    let settlement = SettledPayment {
        receipt: &receipt,
        inferred: false,
        look_at: None,
    };
    store.settle(&settled.lease, &settlement, now + 2).unwrap();
    assert_eq!(failed(73).0, 0);
    let strict = ExposureLimit {
        trusted_only: true,
        ..limit
    };
    let dear = ExposureLimit {
        cost: limit.cost + 1,
        ..strict
    };
    assert_eq!(ordered(store, 73, 173, dear, now + 3).1, Begun::Untrusted);
    let (fourth, begun) = ordered(store, 73, 173, strict, now + 3);
    assert!(matches!(begun, Begun::Yes | Begun::Settled), "{begun:?}");
    unpaid(store, &fourth, now + 4);
    assert_eq!(ordered(store, 73, 173, strict, now + 5).1, Begun::Untrusted);
    // Work that failed is forgotten after an hour, an unpaid order is not.
    store.expire_payments(now + 1_000_000, NOW).unwrap();
    assert_eq!(failed(73).0, 1);
    // The other cases count what is there.
    store.expire_payments(now + 1_000_000, now + 1_000_000).unwrap();
}

fn settles_before_the_work(store: &Store) {
    let key = key(64);
    let lease = claim(store, &key);
    let steps = [PaymentStep::Verify, PaymentStep::Begin];
    store.apply_steps(&lease, &steps, NOW).unwrap();
    store.hold_to_settle(&lease, HELD_PAYMENT, NOW).unwrap();
    let receipt = settle(store, &lease).unwrap();
    let owed = || match show(store, &key, 1, NOW + LEASE) {
        ClaimOutcome::Owed(owed) => assert_eq!((owed.lease.run, owed.receipt), (lease.run, receipt.clone())),
        other => panic!("paid work without a result gave {other:?}"),
    };
    owed();
    assert!(matches!(show(store, &key, 2, NOW + LEASE), ClaimOutcome::Used));
    // Work that has failed is a credit: it can be done again.
    queue(store, &lease);
    end(store, &lease, RunState::Failed, None);
    store.fail(&lease, NOW).unwrap();
    owed();
    queue(store, &lease);
    end(store, &lease, RunState::Complete, Some(&result(&lease)));
    let sold = show(store, &key, 1, NOW + LEASE);
    assert!(
        matches!(&sold, ClaimOutcome::Sold(sold) if sold.reply == b"bought"),
        "{sold:?}"
    );
    assert_eq!(store.scan(lease.run).unwrap().unwrap().reply, b"bought");
}

/// However many wallets and addresses order, and whatever they have settled: PAYMENTS.md gives the bounds.
fn bounds_unpaid_work_of_any_number_of_wallets(store: &Store) {
    let price = Product::Scan.price().get();
    let limit = ExposureLimit {
        first: 1,
        most: 20,
        cost: price * 4 / 5,
        prices: PriceList::STANDARD,
        asks_models: true,
        trusted_only: false,
        unpaid: 10,
        unpaid_of_address: 3,
    };
    let minute = 60_000;
    let mut now = NOW + 200_000_000;
    let settled = |lease: &Lease, product: Product, now| {
        let receipt = Receipt {
            product,
            amount: product.price(),
            ..receipt(lease)
        };
        let settlement = SettledPayment {
            receipt: &receipt,
            inferred: false,
            look_at: None,
        };
        store.settle(lease, &settlement, now).unwrap();
    };
    let bought = |payer, caller, product, now| {
        let (lease, _) = ordered(store, payer, caller, limit, now);
        hold(store, &lease).unwrap();
        settled(&lease, product, now);
    };
    // Nobody pays: (addresses, unpaid work in an hour at most).
    for (addresses, most) in [(1, 10), (4, 60), (100, 60)] {
        now += 200 * minute;
        let mut unpaid_work = 0;
        for order in 0..240_u8 {
            let at = now + i64::from(order) * minute / 4;
            let (lease, begun) = ordered(store, order, 100 + order % addresses, limit, at);
            if begun == Begun::Yes {
                unpaid(store, &lease, at);
                unpaid_work += 1;
            } else {
                store.apply_steps(&lease, &[PaymentStep::Free], at).unwrap();
            }
        }
        assert!(unpaid_work <= most, "{unpaid_work} of {addresses} addresses");
    }
    // Wallets that have settled open orders at once: (audits, scans, unpaid orders at once at most).
    for (wallet, (audits, scans, most)) in [(26, 0, 1), (0, 1, 2), (26, 5, 6)].into_iter().enumerate() {
        let wallet = 241 + u8::try_from(wallet).unwrap();
        now += 200 * minute;
        for _ in 0..audits {
            bought(wallet, 90, Product::Audit, now);
        }
        for _ in 0..scans {
            bought(wallet, 90, Product::Scan, now);
        }
        // In another time, so that only the wallet's own bound counts.
        let later = now + 100 * minute;
        let free = ExposureLimit {
            unpaid: u32::MAX,
            unpaid_of_address: u32::MAX,
            ..limit
        };
        let orders: Vec<_> = (0..20).map(|_| ordered(store, wallet, 90, free, later)).collect();
        let begun = orders.iter().filter(|(_, begun)| *begun == Begun::Yes).count();
        assert_eq!(begun, most, "{audits} audits, {scans} scans");
        for (lease, _) in orders {
            store.apply_steps(&lease, &[PaymentStep::Free], later).unwrap();
        }
    }
    // Many trusted wallets at once are no more than others: ten, and one for each that settles in that time.
    now += 200 * minute;
    // Other wallets than those of the other cases, because receipts stay.
    let wallets = 100..160_u8;
    for wallet in wallets.clone() {
        bought(wallet, wallet, Product::Scan, now);
    }
    let later = now + 100 * minute;
    let orders: Vec<_> = wallets
        .map(|wallet| ordered(store, wallet, wallet, limit, later))
        .collect();
    let begun = orders.iter().filter(|(_, begun)| *begun == Begun::Yes).count();
    assert_eq!(begun, 10);
    assert!(
        orders
            .iter()
            .all(|(_, begun)| matches!(begun, Begun::Yes | Begun::Settled))
    );
    for (lease, _) in orders {
        store.apply_steps(&lease, &[PaymentStep::Free], later).unwrap();
    }
    // The other cases count what is there.
    store
        .expire_payments(later + 100 * minute, later + 100 * minute)
        .unwrap();
}

fn gives_an_identifier_to_one_order(store: &Store) {
    let show = |key: &PaymentKey, request: u8, now: i64| {
        let visit = PaymentClaim {
            identifier: Some("order-00000000001"),
            fingerprint: &[key.payer.as_bytes()[0]; 32],
            request: &[request; 32],
            ..visit_of(key, now)
        };
        store.claim(&visit, ClaimMode::MayStart).unwrap()
    };
    let [first, second, third] = [15; 3].map(key);
    let ClaimOutcome::Start(lease) = show(&first, 1, NOW) else {
        panic!("the identifier is new")
    };
    // Another payment for the same order goes to the first; for another order only once the first is verified.
    for request in [1, 2] {
        match show(&second, request, NOW) {
            ClaimOutcome::Identified { key, fingerprint } => {
                assert_eq!((key, fingerprint), (first, [15; 32]));
            }
            other => panic!("a claimed order gave {other:?}"),
        }
    }
    // The order is freed and loses its identifier.
    store.apply_steps(&lease, &[PaymentStep::Free], NOW).unwrap();
    let ClaimOutcome::Start(lease) = show(&second, 2, NOW) else {
        panic!("the first order came to nothing")
    };
    store
        .apply_steps(&lease, &[PaymentStep::Verify, PaymentStep::Begin], NOW)
        .unwrap();
    assert!(matches!(show(&third, 1, NOW), ClaimOutcome::IdentifierUsed));
    assert!(matches!(show(&first, 1, NOW), ClaimOutcome::IdentifierUsed));
    hold(store, &lease).unwrap();
    assert!(matches!(
        show(&third, 2, NOW + LEASE),
        ClaimOutcome::Identified { .. }
    ));
    settle(store, &lease).unwrap();
    assert!(matches!(
        show(&third, 2, NOW + LEASE),
        ClaimOutcome::Identified { .. }
    ));
    assert!(matches!(show(&second, 2, NOW + LEASE), ClaimOutcome::Sold(_)));
    // The same identifier of another wallet is another order.
    assert!(matches!(show(&key(16), 3, NOW), ClaimOutcome::Start(_)));
}

fn looks_for_reported_transfers(store: &Store) {
    let key = key(63);
    let lease = held(store, &key);
    let receipt = settle(store, &lease).unwrap();
    let take = |now: i64| -> Vec<ReportedSettlement> {
        let taken = store.take_reported(now, now.saturating_add(60_000), 100).unwrap();
        taken.into_iter().filter(|reported| reported.key == key).collect()
    };
    assert_eq!(take(NOW + 4_999), []);
    let reported = ReportedSettlement {
        key,
        receipt: receipt.id,
        at: NOW,
        expected: Some("{}".to_owned()),
    };
    assert_eq!(take(NOW + 5_000), std::slice::from_ref(&reported));
    assert_eq!(
        take(NOW + 5_000),
        [],
        "another process does not look for it as well"
    );
    let missing = || store.unproven_payments().unwrap().missing;
    assert_eq!(missing(), 0);
    let note = |missing, next| store.note_look(receipt.id, missing, next).unwrap();
    assert!(!note(false, Some(NOW + 10_000)) && missing() == 0);
    assert_eq!(take(NOW + 10_000), [reported]);
    assert!(note(true, Some(NOW + 20_000)) && missing() == 1);
    assert!(!note(true, Some(NOW + 30_000)), "it is no news");
    assert!(note(false, None) && missing() == 0);
    assert_eq!(take(NOW + 90_000), [], "it was the last look");
}

fn records_refunds(store: &Store) {
    let refund = Refund {
        key: key(10),
        kind: RefundKind::Refund,
        amount: 150_000,
        transaction: "0x5e".parse().ok(),
        note: "charged without a result".to_owned(),
    };
    store.record_refund(&refund, NOW).unwrap();
    assert!(matches!(
        store.record_refund(&refund, NOW),
        Err(StoreError::Exists)
    ));
    let credit = Refund {
        kind: RefundKind::Credit,
        transaction: None,
        ..refund.clone()
    };
    store.record_refund(&credit, NOW).unwrap();
    assert_eq!(store.refunds().unwrap(), [refund, credit]);
    assert_eq!(store.books().unwrap().refunds, 2);
}

fn delays_payments_of_unknown_outcome(store: &Store) {
    let key = key(5);
    let lease = held(store, &key);
    let transaction = "0x9ec2".parse().unwrap();
    store.pend(&lease, Some(&transaction), NOW + 5_000, NOW).unwrap();
    assert!(
        store
            .take_over_due(NOW + 4_999, NOW + LEASE, 10)
            .unwrap()
            .is_empty()
    );
    let due = store.take_over_due(NOW + 5_000, NOW + 2 * LEASE, 10).unwrap();
    let [again] = due.as_slice() else {
        panic!("one is due, not {due:?}")
    };
    assert_eq!(
        (again.sent, again.tries, again.transaction.clone()),
        (true, 1, Some(transaction))
    );
    assert!(
        store
            .take_over_due(NOW + 5_000, NOW + 2 * LEASE, 10)
            .unwrap()
            .is_empty(),
        "a process holds its lease"
    );
    store
        .apply_steps(&again.lease, &[PaymentStep::Settle], NOW)
        .unwrap();
    settle(store, &again.lease).unwrap();
}

fn deletes_ended_payments(store: &Store) {
    let count = |state| {
        let states = store.books().unwrap().states;
        let counts = store.payment_counts().unwrap();
        let by_skill = counts.iter().filter(|count| count.state == state);
        let payments = by_skill.map(|count| count.payments).sum();
        let found = states.iter().find(|(known, _)| *known == state);
        assert_eq!(found.map(|(_, count)| *count), Some(payments));
        payments
    };
    let (refused, void, freed, pending) = (key(6), key(6), key(6), key(6));
    refuse(store, &held(store, &refused));
    store
        .apply_steps(&held(store, &void), &[PaymentStep::Void], NOW)
        .unwrap();
    let refusals = count(PaymentState::Refused);
    let steps = [PaymentStep::Verify, PaymentStep::Begin, PaymentStep::Free];
    store.apply_steps(&claim(store, &freed), &steps, NOW).unwrap();
    let unknown = held(store, &pending);
    store.pend(&unknown, None, NOW, NOW).unwrap();
    let sold = count(PaymentState::Settled) + count(PaymentState::Delivered);
    assert_eq!(
        store.expire_payments(NOW, NOW).unwrap(),
        crate::ExpiredPayments::default(),
        "all of it may still matter"
    );
    let expired = store.expire_payments(NOW + 600_001, NOW).unwrap();
    assert!(expired.payments >= 2 && expired.results >= 1, "{expired:?}");
    assert_eq!(
        (
            count(PaymentState::Refused),
            count(PaymentState::Void),
            count(PaymentState::Freed),
            count(PaymentState::Pending)
        ),
        (refusals, 0, 0, 1),
        "what can still be paid stays"
    );
    let due = store
        .take_over_due(NOW + 600_001, NOW + 600_001 + LEASE, 10)
        .unwrap();
    let [left] = due.as_slice() else {
        panic!("the chain can still decide one payment, not {due:?}")
    };
    assert_eq!(
        (left.lease.key, left.held.len()),
        (pending, 0),
        "nothing is left to ask with"
    );
    store.pend(&left.lease, None, i64::MAX, NOW + 600_001).unwrap();
    store.expire_payments(NOW + 600_001 + LEASE + 1, NOW).unwrap();
    assert!(
        store
            .take_over_due(i64::MAX - 1, i64::MAX, 10)
            .unwrap()
            .is_empty(),
        "without a reader no look is due"
    );
    assert_eq!(
        count(PaymentState::Settled) + count(PaymentState::Delivered),
        sold
    );
    let before = store.books().unwrap().accounts;
    store.expire_payments(NOW + 600_001, NOW + 600_001).unwrap();
    assert_eq!(count(PaymentState::Settled) + count(PaymentState::Delivered), 0);
    assert_eq!(count(PaymentState::Refused), 0);
    assert_eq!(store.books().unwrap().accounts, before, "receipts and books stay");
}

fn pages_receipts_of_one_wallet(store: &Store) {
    let mut written = Vec::new();
    for _ in 0..5 {
        let lease = held(store, &key(7));
        written.push(settle(store, &lease).unwrap());
    }
    let foreign = held(store, &key(8));
    let foreign = settle(store, &foreign).unwrap();
    written.reverse();
    let payer = Wallet::from_bytes([7; 20]);
    let (mut read, mut cursor) = (Vec::new(), None);
    loop {
        let page = store.receipts(&payer, cursor, 2).unwrap();
        read.extend(page.receipts);
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(read, written);
    assert!(
        store
            .receipts(&payer, Some(foreign.id), 2)
            .unwrap()
            .receipts
            .is_empty()
    );
    assert!(store.books().unwrap().balance());
}
