//! The life of tasks under any order of events: clients that ask, pay, change their mind, cancel and repeat
//! themselves, at once, on a service that crashes whenever it likes.
//!
//! `world` is a service and a store in miniature, written the way a real one should use this crate: every call is a
//! chain of small steps, and the test interleaves the steps of all calls. `oracle` looks at every write to the
//! store and knows nothing of the crate's rules.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of a test may stop it"
)]

mod oracle;
mod world;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use world::{Message, Tally, World};

/// One thing that happens.
#[derive(Clone, Debug)]
enum Event {
    /// A client sends a message, to a task or without one.
    Send { task: Option<u8>, message: Message },
    /// A client cancels a task.
    Cancel { task: u8 },
    /// Some call or run under way does its next steps.
    TaskStep { which: u8, luck: u8, times: u8 },
    /// The process dies and comes back.
    Crash,
    /// Another process takes this one for dead, wrongly, and cleans up after it.
    Takeover,
    /// Time goes by, and the store is purged of what has expired.
    Wait { minutes: u32 },
}

fn message() -> impl Strategy<Value = Message> {
    let nonce = 0_u8..3;
    prop_oneof![
        2 => Just(Message::Words),
        3 => (0_u8..2).prop_map(|request| Message::Ask { request }),
        10 => nonce.clone().prop_map(|nonce| Message::Pay { nonce, request: None }),
        2 => (nonce, 0_u8..2).prop_map(|(nonce, request)| Message::Pay { nonce, request: Some(request) }),
        1 => Just(Message::Decline),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        12 => (prop::option::weighted(0.75, 0_u8..5), message()).prop_map(|(task, message)| Event::Send { task, message }),
        1 => (0_u8..5).prop_map(|task| Event::Cancel { task }),
        24 => (any::<u8>(), any::<u8>(), 1_u8..6).prop_map(|(which, luck, times)| Event::TaskStep { which, luck, times }),
        1 => Just(Event::Crash),
        2 => Just(Event::Takeover),
        1 => prop_oneof![4 => 0_u32..45, 1 => Just(60_000)].prop_map(|minutes| Event::Wait { minutes }),
    ]
}

fn play(events: &[Event]) -> World {
    let mut world = World::default();
    for event in events {
        match event {
            Event::Send { task, message } => world.send(*task, *message),
            Event::Cancel { task } => world.cancel(*task),
            Event::TaskStep { which, luck, times } => (0..*times).for_each(|_| world.step(*which, *luck)),
            Event::Crash => world.crash(),
            Event::Takeover => world.take_over(),
            Event::Wait { minutes } => world.wait(*minutes),
        }
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn nothing_runs_twice_and_nothing_is_lost(events in prop::collection::vec(event(), 1..120)) {
        let mut world = play(&events);
        world.finish();
        world.check_end();
    }
}

/// The events of the property reach every corner: without this, it could pass by doing nothing.
#[test]
fn the_property_can_fail() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = prop::collection::vec(event(), 100..120);
    let mut total = Tally::new();
    for _ in 0..120 {
        let events = strategy.new_tree(&mut runner).unwrap().current();
        let mut world = play(&events);
        world.finish();
        for (what, count) in world.tally {
            *total.entry(what).or_default() += count;
        }
    }
    for what in [
        "cancellation",
        "declining",
        "failure",
        "held result recovered",
        "interruption",
        "late failure dropped",
        "late result dropped",
        "lost race",
        "lost write",
        "refusal",
        "settlement",
        "settlement retried",
        "swap refused",
        "twin",
        "work",
    ] {
        assert!(
            total.get(what).is_some_and(|count| *count >= 1),
            "{what} happens too seldom: {total:?}"
        );
    }
}

#[test]
fn two_payments_at_once_run_once() {
    // Both are verified before either begins.
    let mut world = World::default();
    world.send(None, Message::Ask { request: 0 });
    world.finish();
    for nonce in [0, 1] {
        world.send(Some(0), Message::Pay { nonce, request: None });
    }
    for _ in 0..4 {
        world.step(0, 0);
        world.step(1, 0);
    }
    world.finish();
    world.check_end();
    assert_eq!(["work", "settlement"].map(|what| world.counted(what)), [1, 1]);
    assert!(world.counted("lost race") + world.counted("lost write") > 0);
}

#[test]
fn a_crash_at_every_step_of_a_purchase_costs_nothing() {
    for steps in 0..12 {
        let mut world = World::default();
        world.send(None, Message::Ask { request: 0 });
        world.finish();
        world.send(
            Some(0),
            Message::Pay {
                nonce: 0,
                request: None,
            },
        );
        for _ in 0..steps {
            world.step(0, 0);
        }
        world.crash();
        // The client did not hear back and pays again, with the same payment.
        world.send(
            Some(0),
            Message::Pay {
                nonce: 0,
                request: None,
            },
        );
        world.finish();
        world.check_end();
        assert_eq!(world.counted("settlement"), 1, "after {steps} steps");
        assert!(world.counted("work") <= 2, "after {steps} steps");
    }
}

#[test]
fn cancel_during_verification_wins_and_frees_the_payment() {
    let mut world = World::default();
    world.send(None, Message::Ask { request: 0 });
    world.finish();
    world.send(
        Some(0),
        Message::Pay {
            nonce: 0,
            request: None,
        },
    );
    for _ in 0..3 {
        world.step(0, 0);
    }
    world.cancel(0);
    world.step(1, 0);
    world.step(1, 0);
    world.finish();
    world.check_end();
    assert_eq!(
        ["work", "settlement", "cancellation"].map(|what| world.counted(what)),
        [0, 0, 1]
    );
    // The payment was not used, so it buys something else.
    world.send(
        None,
        Message::Pay {
            nonce: 0,
            request: Some(1),
        },
    );
    world.finish();
    world.check_end();
    assert_eq!(world.counted("settlement"), 1);
}

#[test]
fn a_run_that_was_given_up_cannot_end_the_task() {
    // Claimed, verified, begun; the work is about to start when another process takes this one for dead.
    let mut world = World::default();
    world.send(None, Message::Ask { request: 0 });
    world.finish();
    world.send(
        Some(0),
        Message::Pay {
            nonce: 0,
            request: None,
        },
    );
    (0..5).for_each(|_| world.step(0, 0));
    world.take_over();
    world.send(
        Some(0),
        Message::Pay {
            nonce: 1,
            request: None,
        },
    );
    (0..5).for_each(|_| world.step(1, 0));
    // The first run fails, late; the second goes on.
    (0..2).for_each(|_| world.step(0, 4));
    world.finish();
    world.check_end();
    let counts = ["interruption", "late failure dropped", "settlement"].map(|what| world.counted(what));
    assert_eq!(counts, [1, 1, 1]);
}
