//! Everything that can happen to one payment, in every order.
//!
//! The world has two requests of the same buyer in two processes, a background that takes over what was left, and a
//! facilitator that may refuse, settle, or settle and lose the answer. Any process may crash between any two steps.
//! The search visits every reachable state once and checks what must hold in each.

use super::*;
use std::collections::{HashSet, VecDeque};

/// The actors that change the payment: two requests and the background.
const ACTORS: usize = 3;
const BACKGROUND: usize = 2;

/// The position of an actor between its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum At {
    /// Has not begun, or begins again.
    Start,
    /// Has a claim of this turn and asks the facilitator to verify.
    Verifying(u8),
    /// Does the work.
    Working(u8),
    /// Holds a result and is about to say that it will settle; whether a request may have left before.
    Holding(u8, bool),
    /// The request to settle leaves now.
    Sending(u8, bool),
    /// The request was sent and this was answered.
    Answered(u8, bool, Answer),
    /// Was refused and verifies again.
    Retrying(u8),
    /// Got the result.
    Served,
    /// Received a different answer.
    Gone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Answer {
    Settled,
    Used,
    Refused,
    Lost,
    Unsent,
}

/// The whole world, small enough to be put into a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct World {
    state: Option<PaymentState>,
    turn: u8,
    leased: bool,
    has_result: bool,
    actors: [At; ACTORS],
    /// Transfers on the chain.
    paid: u8,
    /// ReceiptList written.
    receipts: u8,
    crashes: u8,
    runs: u8,
    refusals: u8,
}

impl World {
    /// A step under a lease, as the store takes it: only in the current turn, only where the machine allows it.
    fn step(&mut self, turn: u8, step: PaymentStep) -> bool {
        let after = self
            .state
            .filter(|_| self.turn == turn)
            .and_then(|state| state.after(step));
        let Some(after) = after else { return false };
        self.state = Some(after);
        let keeps = matches!(
            after,
            PaymentState::Claimed | PaymentState::Verified | PaymentState::Running
        ) || after.is_unsettled() && !matches!(step, PaymentStep::Unsent | PaymentStep::Pend);
        self.leased = keeps;
        true
    }

    fn decision(&self) -> ClaimDecision {
        let view = |state| {
            PaymentView {
                state,
                leased: self.leased,
                same: true,
            }
            .decision()
        };
        self.state.map_or(ClaimDecision::Start, view)
    }

    fn take_over(&mut self) -> u8 {
        self.turn += 1;
        self.leased = true;
        self.turn
    }
}

/// Every world that one step leads to.
fn next(world: &World) -> Vec<World> {
    let mut worlds = Vec::new();
    for actor in 0..ACTORS {
        let mut go = |change: &dyn Fn(&mut World) -> At| {
            let mut after = *world;
            after.actors[actor] = change(&mut after);
            worlds.push(after);
        };
        match world.actors[actor] {
            At::Start if actor == BACKGROUND => match (world.state, world.leased) {
                (Some(state), false) if state.is_before_result() => go(&|w| {
                    w.turn += 1;
                    w.state = Some(PaymentState::Freed);
                    At::Start
                }),
                (Some(state), false) if state.is_unsettled() => go(&|w| {
                    let sent = w.state != Some(PaymentState::Held);
                    if w.state == Some(PaymentState::Settling) {
                        w.state = Some(PaymentState::Pending);
                    }
                    At::Holding(w.take_over(), sent)
                }),
                _ => {}
            },
            At::Start => match world.decision() {
                ClaimDecision::Start if world.runs < 2 => go(&|w| {
                    let turn = w.take_over();
                    w.state = Some(PaymentState::Claimed);
                    At::Verifying(turn)
                }),
                ClaimDecision::Settle => go(&|w| {
                    let sent = w.state != Some(PaymentState::Held);
                    if w.state == Some(PaymentState::Settling) {
                        w.state = Some(PaymentState::Pending);
                    }
                    At::Holding(w.take_over(), sent)
                }),
                ClaimDecision::Retry => go(&|w| At::Retrying(w.take_over())),
                ClaimDecision::Sold => go(&|w| {
                    w.state = w.state.and_then(|state| state.after(PaymentStep::Deliver));
                    At::Served
                }),
                ClaimDecision::Used => go(&|_| At::Gone),
                ClaimDecision::Start | ClaimDecision::Wait => {}
            },
            At::Verifying(turn) => {
                if world.paid == 0 {
                    go(&|w| {
                        if w.step(turn, PaymentStep::Verify) && w.step(turn, PaymentStep::Begin) {
                            w.runs += 1;
                            At::Working(turn)
                        } else {
                            At::Gone
                        }
                    });
                }
                go(&|w| {
                    w.step(turn, PaymentStep::Free);
                    At::Gone
                });
            }
            At::Working(turn) => {
                go(&|w| {
                    if w.step(turn, PaymentStep::Hold) {
                        w.has_result = true;
                        At::Holding(turn, false)
                    } else {
                        At::Gone
                    }
                });
                go(&|w| {
                    w.step(turn, PaymentStep::Free);
                    At::Gone
                });
            }
            At::Holding(turn, sent) => {
                go(&|w| {
                    if w.step(turn, PaymentStep::Settle) {
                        At::Sending(turn, sent)
                    } else {
                        At::Gone
                    }
                });
            }
            At::Sending(turn, sent) => {
                // The chain takes an authorization once, from any sender.
                if world.paid == 0 {
                    go(&|w| {
                        w.paid += 1;
                        At::Answered(turn, sent, Answer::Settled)
                    });
                    go(&|w| {
                        w.paid += 1;
                        At::Answered(turn, sent, Answer::Lost)
                    });
                    if world.refusals < 1 {
                        go(&|w| {
                            w.refusals += 1;
                            At::Answered(turn, sent, Answer::Refused)
                        });
                    }
                } else {
                    go(&|_| At::Answered(turn, sent, Answer::Used));
                }
                if !sent {
                    go(&|_| At::Answered(turn, sent, Answer::Unsent));
                }
                // The request was lost on the way.
                go(&|_| At::Answered(turn, sent, Answer::Lost));
            }
            At::Answered(turn, sent, answer) => go(&|w| {
                let step = match (answer, sent) {
                    (Answer::Settled, _) | (Answer::Used, true) => PaymentStep::Succeed,
                    (Answer::Used | Answer::Refused, false) => PaymentStep::Refuse,
                    (Answer::Unsent, _) => PaymentStep::Unsent,
                    (Answer::Refused, true) | (Answer::Lost, _) => PaymentStep::Pend,
                };
                let taken = w.step(turn, step);
                match (taken, step) {
                    (true, PaymentStep::Succeed) => {
                        w.receipts += 1;
                        // A buyer shows the payment once more and is served; the background looks for more.
                        At::Start
                    }
                    (true, _) if actor == BACKGROUND => At::Start,
                    (true | false, _) => At::Gone,
                }
            }),
            At::Retrying(turn) => {
                if world.paid == 0 {
                    go(&|w| {
                        if w.step(turn, PaymentStep::Hold) {
                            At::Holding(turn, false)
                        } else {
                            At::Gone
                        }
                    });
                }
                go(&|w| {
                    if w.turn == turn {
                        w.leased = false;
                    }
                    At::Gone
                });
            }
            At::Gone => go(&|_| At::Start),
            At::Served => {}
        }
        // A crash: the actor forgets everything. Its lease ends some time later.
        let busy = !matches!(world.actors[actor], At::Start | At::Served | At::Gone);
        if busy && world.crashes < 2 {
            go(&|w| {
                w.crashes += 1;
                At::Start
            });
        }
    }
    // A lease ends: its holder stopped renewing it, or was too slow.
    if world.leased {
        worlds.push(World {
            leased: false,
            ..*world
        });
    }
    worlds
}

/// The conditions that hold in every world.
fn check(world: &World) {
    let state = world.state;
    let sold = matches!(state, Some(PaymentState::Settled | PaymentState::Delivered));
    assert!(world.paid <= 1, "paid twice: {world:?}");
    assert!(world.receipts <= 1, "sold twice: {world:?}");
    assert_eq!(
        world.receipts == 1,
        sold,
        "a receipt without a sale, or the other way round: {world:?}"
    );
    assert!(!sold || world.paid == 1, "released unpaid: {world:?}");
    assert!(!sold || world.has_result, "sold without a result: {world:?}");
    assert!(
        !world.actors.contains(&At::Served) || sold,
        "served unpaid: {world:?}"
    );
    // Once paid, the way to the result stays open: nothing forgets that money may have moved.
    let lost = matches!(
        state,
        Some(PaymentState::Freed | PaymentState::Refused | PaymentState::Claimed)
    );
    assert!(world.paid == 0 || !lost, "paid for nothing: {world:?}");
}

#[test]
fn no_order_of_events_sells_twice_or_releases_unpaid_or_loses_a_paid_result() {
    let start = World {
        state: None,
        turn: 0,
        leased: false,
        has_result: false,
        actors: [At::Start; ACTORS],
        paid: 0,
        receipts: 0,
        crashes: 0,
        runs: 0,
        refusals: 0,
    };
    let (mut seen, mut open) = (HashSet::from([start]), VecDeque::from([start]));
    let (mut sold, mut turns) = (0_u64, 0);
    while let Some(world) = open.pop_front() {
        check(&world);
        sold += u64::from(world.receipts == 1);
        turns = turns.max(world.turn);
        // Turns are bounded so that the search ends; two processes and the background take far fewer to go wrong.
        for after in next(&world).into_iter().filter(|after| after.turn <= 4) {
            if seen.insert(after) {
                open.push_back(after);
            }
        }
    }
    assert!(
        seen.len() > 10_000 && sold > 1_000 && turns == 4,
        "{} worlds, {sold} sold",
        seen.len()
    );
}

#[test]
fn from_every_unsettled_state_there_is_a_way_to_the_end() {
    for state in PaymentState::ALL {
        let ends = |start: PaymentState| {
            let (mut open, mut seen) = (vec![start], HashSet::new());
            while let Some(state) = open.pop() {
                if state == PaymentState::Delivered {
                    return true;
                }
                if seen.insert(state) {
                    let steps = [
                        PaymentStep::Verify,
                        PaymentStep::Begin,
                        PaymentStep::Hold,
                        PaymentStep::Settle,
                        PaymentStep::Unsent,
                        PaymentStep::Pend,
                        PaymentStep::Succeed,
                        PaymentStep::Refuse,
                        PaymentStep::Deliver,
                        PaymentStep::Free,
                        PaymentStep::Prove,
                    ];
                    open.extend(steps.into_iter().filter_map(|step| state.after(step)));
                }
            }
            false
        };
        let over = matches!(state, PaymentState::Freed | PaymentState::Proven);
        assert_eq!(ends(state), !over, "{state:?}");
    }
}

#[test]
fn states_have_words() {
    for state in PaymentState::ALL {
        assert_eq!(PaymentState::parse(state.as_str()), Some(state));
    }
    assert_eq!(PaymentState::parse("lost"), None);
}

#[test]
fn a_request_with_another_signature_gets_no_result() {
    for state in PaymentState::ALL {
        for leased in [false, true] {
            let other = PaymentView {
                state,
                leased,
                same: false,
            }
            .decision();
            assert!(
                !matches!(
                    other,
                    ClaimDecision::Settle | ClaimDecision::Retry | ClaimDecision::Sold
                ),
                "{state:?} {leased}"
            );
        }
    }
}
